// Contacts and limits that bear nothing and stay far from their end: they are no rows of W until a solution closes
// them.
#include "math/vec3.h"
#include "problem/bound.h"
#include "problem/problem.h"
#include "problem/rows.h"
#include "solver/dense/system.h"

#include <math.h>
#include <string.h>

// ---- limits

// Less than FAR of its way would be used up.
bool tn_dense_sleeps(const tn_problem *problem, int i, const bool *awake, const double *v, double f)
{
    const tn_rows singles = tn_rows_singles(problem->rows);
    const double FAR = 0.5;
    double w = singles.offset[i];
    return !awake[problem->rows->n_triples + i] && singles.lower[i] == 0.0 && singles.upper[i] == INFINITY &&
           f == 0.0 && w > 0.0 && tn_single_velocity(problem->rows, i, v) > (1.0 - FAR) * w;
}

bool tn_dense_is_free(const tn_problem *problem, const bool *awake, const tn_solution *last)
{
    const double *f = tn_single_forces(problem->rows, last->lambda);
    bool is_free = problem->A && problem->rows->n_triples == 0;
    for (int i = 0; is_free && i < problem->rows->n_singles; i++) {
        is_free = tn_single_is_bounded(problem->rows, i) && tn_dense_sleeps(problem, i, awake, last->v, f[i]);
    }
    return is_free;
}

// ---- contacts

// Whether no force is what the law has for the relative velocity u.
static bool is_open(const tn_bound *law, const double u[3])
{
    const double none[3] = {0.0, 0.0, 0.0}, rho[2] = {1.0, 1.0};
    tn_projection map;
    tn_set_map(law, rho, none, u, &map);
    return map.slope[0] == 0.0 && map.p[0] == 0.0;
}

static bool stays_apart(const tn_dense *s, int m)
{
    const double *f = s->x + 3 * (size_t)m;
    return f[0] == 0.0 && f[1] == 0.0 && f[2] == 0.0 && s->problem->rows->offset[3 * (size_t)m] > 0.0 &&
           is_open(&s->bound[m], s->velocity + 3 * (size_t)m);
}

// Row `from`, with all that begin and tn_dense_start have made of it, is row `to`.
static void take_row(tn_dense *s, int to, int from)
{
    int first = s->row_start[from], n = s->row_start[from + 1] - first, at = s->row_start[to];
    memmove(s->row_at + at, s->row_at + first, (size_t)n * sizeof *s->row_at);
    memmove(s->row_value + 3 * (size_t)at, s->row_value + 3 * (size_t)first, 3 * (size_t)n * sizeof *s->row_value);
    s->row_start[to + 1] = at + n;
    s->x[to] = s->x[from];
    s->velocity[to] = s->velocity[from];
}

void tn_dense_leave_out(tn_dense *s)
{
    int n = 0, size = s->size;
    if (!s->problem->A || s->problem->rows->n_frictions > 0) {
        return;
    }
    for (int m = 0; m < s->n; m++) {
        if (s->awake[m] || !stays_apart(s, m)) {
            for (int k = 0; k < 3 && n < m; k++) {
                take_row(s, 3 * n + k, 3 * m + k);
            }
            s->bound[n] = s->bound[m];
            s->triple[n++] = m;
        }
    }
    for (int i = 0; i < s->n_bounded && n < s->n; i++) {
        take_row(s, 3 * n + i, 3 * s->n + i);
    }
    s->n = n;
    s->size = 3 * n + s->n_bounded;
    s->stride = (s->size + 7) & ~7;
    memset(s->x + s->size, 0, (size_t)(size - s->size) * sizeof *s->x);
}

// ---- both

// Contacts that are no rows of W.
static bool wake_contacts(const tn_dense *s, const tn_solution *solution, bool *awake)
{
    bool any = false;
    for (int m = 0, next = 0; m < s->problem->rows->n_triples; m++) {
        double u[3];
        if (next < s->n && s->triple[next] == m) {
            next++;
            continue;
        }
        const tn_bound law = tn_problem_bound(s->problem, m, NULL);
        tn_contact_row_velocity(s->problem, m, solution->v, solution->lambda, u);
        awake[m] = !is_open(&law, u);
        any = any || awake[m];
    }
    return any;
}

bool tn_dense_wake(const tn_dense *s, const tn_problem *problem, const tn_solution *solution, bool *awake)
{
    const double *f = tn_single_forces(problem->rows, solution->lambda);
    bool any = s && wake_contacts(s, solution, awake);
    for (int i = 0; i < problem->rows->n_singles; i++) {
        bool *is = &awake[problem->rows->n_triples + i];
        bool late = tn_single_is_bounded(problem->rows, i) && !*is && f[i] == 0.0 && problem->rows->lower[i] == 0.0 &&
                    tn_single_velocity(problem->rows, i, solution->v) < 0.0;
        *is = *is || late;
        any = any || late;
    }
    return any;
}
