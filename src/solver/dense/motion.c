// The motion that belongs to forces: A v = b + J^T x + G^T f and G v + c + R f = 0, both to rounding.
#include "math/mat3.h"
#include "math/sums.h"
#include "math/vec3.h"
#include "problem/rows.h"
#include "solver/dense/system.h"

#include <math.h>
#include <string.h>

// Corrections of a motion: until the next one would change velocities by less than AIM of the fastest, or they no
// longer lessen by SLOW (rows that contradict one another by rounding).
enum { CORRECTIONS = 30 };
static const double AIM = 1e-16, SLOW = 0.5;

// dz: what z leaves of the right-hand side, b + J^T x - A v + G^T f and -(G v + c + R f).
static void find_residual(tn_dense *s)
{
    const tn_blocks *A = s->problem->A;
    const tn_rows *j = &s->singles;
    const int *block_at = s->assembly.block_at, *row_at = s->assembly.row_at;
    for (int i = 0; i < A->n_rows; i++) {
        double *r = s->dz + block_at[i];
        tn_vec3_copy(r, s->problem->b + 3 * (size_t)i);
        for (int e = A->start[i]; e < A->start[i + 1]; e++) {
            const double *a = A->value + 9 * (size_t)e, *v = s->z + block_at[A->column[e]];
            tn_vec3_set(r, r[0] - tn_vec3_dot(a, v), r[1] - tn_vec3_dot(a + 3, v), r[2] - tn_vec3_dot(a + 6, v));
        }
    }
    for (int r = 0; r < s->size; r++) {
        for (int e = s->row_start[r]; e < s->row_start[r + 1]; e++) {
            double *to = s->dz + s->row_at[e];
            tn_vec3_madd(to, to, s->x[r], s->row_value + 3 * (size_t)e);
        }
    }
    for (int i = 0; i < j->n_singles; i++) {
        if (row_at[i] < 0) {
            continue;
        }
        double f = -s->z[row_at[i]], y = j->offset[i] + j->compliance[i] * f;
        for (int e = j->start[i]; e < j->start[i + 1]; e++) {
            const double *g = j->jacobian + 3 * (size_t)e;
            double *to = s->dz + block_at[j->block[e]];
            y += tn_vec3_dot(g, s->z + block_at[j->block[e]]);
            tn_vec3_madd(to, to, f, g);
        }
        s->dz[row_at[i]] = -y;
    }
}

static double largest_velocity(const tn_dense *s, const double *z)
{
    double most = 0.0;
    for (int i = 0; i < s->problem->A->n_rows; i++) {
        const double *v = z + s->assembly.block_at[i];
        most = fmax(most, fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2]))));
    }
    return most;
}

// z of the forces x, from nothing: then f is the least that balances (its squares weighted by the rows' mobilities).
static void find_motion(tn_dense *s)
{
    double last = HUGE_VAL;
    memset(s->z, 0, (size_t)s->assembly.size * sizeof *s->z);
    for (int k = 0; k < CORRECTIONS; k++) {
        find_residual(s);
        tn_assembly_solve(&s->assembly, s->dz);
        for (int i = 0; i < s->assembly.size; i++) {
            s->z[i] += s->dz[i];
        }
        double change = largest_velocity(s, s->dz);
        bool small = k > 0 && change * fmin(1.0, change / last) <= AIM * largest_velocity(s, s->z);
        if (small || change == 0.0 || change > SLOW * last) {
            return;
        }
        last = change;
    }
}

static double offset_of(const tn_dense *s, int r)
{
    return r < 3 * s->n ? s->problem->rows->offset[r] : s->singles.offset[s->bounded[r - 3 * s->n]];
}

// Velocities of the rows by the motion.
static void find_velocities(tn_dense *s)
{
    const double *softness = s->problem->rows->softness;
    for (int r = 0; r < s->size; r++) {
        double y = offset_of(s, r);
        for (int e = s->row_start[r]; e < s->row_start[r + 1]; e++) {
            y += tn_vec3_dot(s->row_value + 3 * (size_t)e, s->z + s->row_at[e]);
        }
        s->velocity[r] = y;
    }
    for (int m = 0; softness && m < s->n; m++) {
        tn_mat3_add_vec(s->velocity + 3 * m, softness + 9 * (size_t)m, s->x + 3 * m);
    }
    for (int k = 0; k < s->n_bounded; k++) {
        s->velocity[3 * s->n + k] += s->singles.compliance[s->bounded[k]] * s->x[3 * s->n + k];
    }
}

void tn_dense_refresh(tn_dense *s)
{
    size_t stride = (size_t)s->stride;
    if (s->problem->A) {
        find_motion(s);
        find_velocities(s);
        s->fastest = fmax(largest_velocity(s, s->z), s->problem->velocity_scale);
    }
    for (int r = 0; r < s->size; r++) {
        s->free[r] = s->problem->A ? s->velocity[r] - tn_dot((size_t)s->size, s->W + (size_t)r * stride, s->x)
                                   : s->problem->rows->offset[r];
    }
    tn_dense_set(s, s->x);
}

void tn_dense_take(tn_dense *s, const tn_solution *solution)
{
    const double *f = tn_single_forces(s->problem->rows, solution->lambda);
    memcpy(s->x, solution->lambda, 3 * (size_t)s->n * sizeof *s->x);
    for (int k = 0; k < s->n_bounded; k++) {
        s->x[3 * s->n + k] = f[s->bounded[k]];
    }
    tn_dense_refresh(s);
}

void tn_dense_put(const tn_dense *s, tn_solution *solution)
{
    double *f = tn_single_forces(s->problem->rows, solution->lambda);
    memcpy(solution->lambda, s->x, 3 * (size_t)s->n * sizeof *s->x);
    for (int k = 0; k < s->n_bounded; k++) {
        f[s->bounded[k]] = s->x[3 * s->n + k];
    }
    for (int i = 0; s->problem->A && i < s->singles.n_singles; i++) {
        if (s->assembly.row_at[i] >= 0) {
            f[i] = -s->z[s->assembly.row_at[i]];
        }
    }
    for (int i = 0; s->problem->A && i < s->problem->A->n_rows; i++) {
        tn_vec3_copy(solution->v + 3 * (size_t)i, s->z + s->assembly.block_at[i]);
    }
}
