#include "record/rounding.h"

#include <math.h>

enum { LENGTH_BITS = 22, FORCE_BITS = 20, UNIT_BITS = 22 };

bool tn_column_is_rounded(int id)
{
    return id == TN_COLUMN_POSES || id == TN_COLUMN_VELOCITIES || id == TN_COLUMN_NODE_POSITIONS ||
           id == TN_COLUMN_NODE_VELOCITIES ||
           (tn_column_by_contact(&tn_columns[id]) && tn_columns[id].type == TN_COLUMN_F64);
}

// The power of two at or below x > 0: multiples of it are exact.
static double power_below(double x)
{
    int exponent;
    frexp(x, &exponent);
    return ldexp(1.0, exponent - 1);
}

static double to_multiple(double x, double quantum)
{
    return (double)(float)(rint(x / quantum) * quantum);
}

// Of the force's own size: forces of one frame differ by orders of magnitude.
static void round_force(double force[3])
{
    double size = sqrt(force[0] * force[0] + force[1] * force[1] + force[2] * force[2]);
    double quantum = size > 0.0 && isfinite(size) ? power_below(size) * ldexp(1.0, -FORCE_BITS) : 0.0;
    for (int i = 0; i < 3 && quantum > 0.0; i++) {
        force[i] = to_multiple(force[i], quantum);
    }
}

// Quanta of the numbers of an item: lengths by the smallest thing, speeds by what it is to move in a step.
static void find_quanta(const tn_model *model, int id, double quantum[7])
{
    double size = isfinite(model->smallest) && model->smallest > 0.0 ? model->smallest : 1e-3;
    double length = power_below(ldexp(size, -LENGTH_BITS)), speed = power_below(length / model->settings.step);
    double unit = ldexp(1.0, -UNIT_BITS), turn = power_below(unit / model->settings.step);
    bool moves = id == TN_COLUMN_VELOCITIES || id == TN_COLUMN_NODE_VELOCITIES || id == TN_COLUMN_CONTACT_VELOCITY;
    for (int i = 0; i < 7; i++) {
        quantum[i] = moves ? speed : id == TN_COLUMN_CONTACT_NORMAL ? unit : length;
    }
    for (int i = 3; i < 7; i++) {
        quantum[i] = id == TN_COLUMN_POSES ? unit : id == TN_COLUMN_VELOCITIES ? turn : quantum[i];
    }
}

void tn_round_rows(const tn_model *model, int id, size_t n, size_t numbers, double *rows)
{
    size_t width = (size_t)tn_columns[id].width;
    double quantum[7];
    find_quanta(model, id, quantum);
    for (size_t k = 0; k < n * numbers; k += width) {
        for (size_t i = 0; id != TN_COLUMN_CONTACT_FORCE && i < width; i++) {
            rows[k + i] = to_multiple(rows[k + i], quantum[i]);
        }
        if (id == TN_COLUMN_CONTACT_FORCE) {
            round_force(rows + k);
        }
    }
}
