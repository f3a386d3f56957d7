#include "math/secants.h"

#include <math.h>
#include <string.h>

// Of the square of a fall, what must be left when the parts of newer ones are taken out: less says nothing new.
static const double NEW = 1e-6;

// The runs of group (n); *count of them. NULL: no memory.
static const tn_secant_run *find_runs(tn_arena *arena, int n, const int *group, int *count)
{
    *count = 0;
    for (int i = 0; i < n; i++) {
        *count += i == 0 || group[i] != group[i - 1];
    }
    tn_secant_run *run = TN_PUSH_RAW(arena, tn_secant_run, *count);
    for (int i = 0, r = -1; run && i < n; i++) {
        if (i == 0 || group[i] != group[i - 1]) {
            run[++r] = (tn_secant_run){.first = i, .group = group[i]};
        }
        run[r].end = i + 1;
    }
    return run;
}

bool tn_secants_create(tn_arena *arena, tn_secants *s)
{
    size_t most = (size_t)s->most, n_steps = most * (size_t)s->n_steps, n_falls = most * (size_t)s->n_residuals;
    s->n = 0;
    s->open = false;
    s->step = TN_PUSH_RAW(arena, double, n_steps);
    s->own_step = TN_PUSH_RAW(arena, double, n_steps);
    s->fall = TN_PUSH_RAW(arena, double, n_falls);
    s->own_fall = TN_PUSH_RAW(arena, double, n_falls);
    s->step_run = find_runs(arena, s->n_steps, s->group_of_step, &s->n_step_runs);
    s->residual_run = find_runs(arena, s->n_residuals, s->group_of_residual, &s->n_residual_runs);
    return s->step && s->own_step && s->fall && s->own_fall && s->step_run && s->residual_run &&
           TN_PUSH_EACH(arena, (size_t)s->n_residuals, &s->last) &&
           TN_PUSH_EACH(arena, s->n_groups, &s->along, &s->square);
}

// Sum of w a b, in four parts.
static double product(int n, const double *w, const double *a, const double *b)
{
    double sum[4] = {0.0, 0.0, 0.0, 0.0};
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        for (int k = 0; k < 4; k++) {
            sum[k] += w[i + k] * a[i + k] * b[i + k];
        }
    }
    for (; i < n; i++) {
        sum[0] += w[i] * a[i] * b[i];
    }
    return (sum[0] + sum[1]) + (sum[2] + sum[3]);
}

// out (n_groups)
static void multiply(const tn_secants *s, const double *a, const double *b, double *out)
{
    memset(out, 0, (size_t)s->n_groups * sizeof *out);
    for (const tn_secant_run *r = s->residual_run; r < s->residual_run + s->n_residual_runs; r++) {
        out[r->group] += product(r->end - r->first, s->weight + r->first, a + r->first, b + r->first);
    }
}

// x += sign along y, group by group.
static void add(const tn_secants *s, int n_runs, const tn_secant_run *runs, double sign, const double *y, double *x)
{
    for (const tn_secant_run *r = runs; r < runs + n_runs; r++) {
        double part = sign * s->along[r->group];
        for (int i = r->first; part != 0.0 && i < r->end; i++) {
            x[i] += part * y[i];
        }
    }
}

static void scale(const tn_secants *s, int n_runs, const tn_secant_run *runs, double *x)
{
    for (const tn_secant_run *r = runs; r < runs + n_runs; r++) {
        double part = s->along[r->group];
        for (int i = r->first; i < r->end; i++) {
            x[i] *= part;
        }
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
        add(s, s->n_step_runs, s->step_run, -1.0, step_of(s, s->own_step, k), step);
        add(s, s->n_residual_runs, s->residual_run, -1.0, fall_of(s, s->own_fall, k), fall);
    }
    multiply(s, fall, fall, s->along);
    for (int g = 0; g < s->n_groups; g++) {
        s->along[g] = s->along[g] > NEW * s->square[g] ? 1.0 / sqrt(s->along[g]) : 0.0;
    }
    scale(s, s->n_step_runs, s->step_run, step);
    scale(s, s->n_residual_runs, s->residual_run, fall);
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
        add(s, s->n_residual_runs, s->residual_run, -1.0, fall_of(s, s->own_fall, j), residual);
        add(s, s->n_step_runs, s->step_run, 1.0, step_of(s, s->own_step, j), step);
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
