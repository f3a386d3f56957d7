#include "math/secants.h"

#include <math.h>
#include <string.h>

// Of the square of a fall, what must be left when the parts of newer ones are taken out: less says nothing new.
static const double NEW = 1e-6;

bool tn_secants_create(tn_arena *arena, tn_secants *s)
{
    size_t most = (size_t)s->most, n = (size_t)s->n_residuals;
    s->n = 0;
    s->open = false;
    return TN_PUSH_EACH(arena, most * (size_t)s->n_steps, &s->step, &s->own_step) &&
           TN_PUSH_EACH(arena, most * n, &s->fall, &s->own_fall) && TN_PUSH_EACH(arena, n, &s->last) &&
           TN_PUSH_EACH(arena, s->n_groups, &s->along, &s->square);
}

// out (n_groups)
static void multiply(const tn_secants *s, const double *a, const double *b, double *out)
{
    memset(out, 0, (size_t)s->n_groups * sizeof *out);
    for (int i = 0; i < s->n_residuals; i++) {
        out[s->group_of_residual[i]] += s->weight[i] * a[i] * b[i];
    }
}

// x += sign along y, group by group.
static void add(const tn_secants *s, int n, const int *group, double sign, const double *y, double *x)
{
    for (int i = 0; i < n; i++) {
        x[i] += sign * s->along[group[i]] * y[i];
    }
}

static void scale(const tn_secants *s, int n, const int *group, double *x)
{
    for (int i = 0; i < n; i++) {
        x[i] *= s->along[group[i]];
    }
}

static double *step_of(const tn_secants *s, double *steps, int j)
{
    return steps + (size_t)j * (size_t)s->n_steps;
}

static double *fall_of(const tn_secants *s, double *falls, int j)
{
    return falls + (size_t)j * (size_t)s->n_residuals;
}

// Round j without the newer ones, its fall of length 1; nothing where it says nothing new.
static void separate(const tn_secants *s, int j)
{
    double *step = step_of(s, s->own_step, j), *fall = fall_of(s, s->own_fall, j);
    memcpy(step, step_of(s, s->step, j), (size_t)s->n_steps * sizeof *step);
    memcpy(fall, fall_of(s, s->fall, j), (size_t)s->n_residuals * sizeof *fall);
    multiply(s, fall, fall, s->square);
    for (int k = 0; k < j; k++) {
        multiply(s, fall, fall_of(s, s->own_fall, k), s->along);
        add(s, s->n_steps, s->group_of_step, -1.0, step_of(s, s->own_step, k), step);
        add(s, s->n_residuals, s->group_of_residual, -1.0, fall_of(s, s->own_fall, k), fall);
    }
    multiply(s, fall, fall, s->along);
    for (int g = 0; g < s->n_groups; g++) {
        s->along[g] = s->along[g] > NEW * s->square[g] ? 1.0 / sqrt(s->along[g]) : 0.0;
    }
    scale(s, s->n_steps, s->group_of_step, step);
    scale(s, s->n_residuals, s->group_of_residual, fall);
}

void tn_secants_ask(tn_secants *s, double *residual, double *step)
{
    for (int i = 0; s->open && i < s->n_residuals; i++) {
        s->fall[i] = s->last[i] - residual[i];
    }
    s->n += s->open && s->n < s->most ? 1 : 0;
    s->open = false;
    memcpy(s->last, residual, (size_t)s->n_residuals * sizeof *residual);
    memset(step, 0, (size_t)s->n_steps * sizeof *step);
    for (int j = 0; j < s->n; j++) {
        separate(s, j);
        multiply(s, residual, fall_of(s, s->own_fall, j), s->along);
        add(s, s->n_residuals, s->group_of_residual, -1.0, fall_of(s, s->own_fall, j), residual);
        add(s, s->n_steps, s->group_of_step, 1.0, step_of(s, s->own_step, j), step);
    }
}

void tn_secants_tell(tn_secants *s, const double *step)
{
    size_t kept = (size_t)(s->n < s->most ? s->n : s->most - 1);
    memmove(step_of(s, s->step, 1), s->step, kept * (size_t)s->n_steps * sizeof *step);
    memmove(fall_of(s, s->fall, 1), s->fall, kept * (size_t)s->n_residuals * sizeof *step);
    memcpy(s->step, step, (size_t)s->n_steps * sizeof *step);
    s->n = (int)kept;
    s->open = true;
}
