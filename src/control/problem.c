// Linear complementarity systems and optimal control problems as values: one block of memory each, cut into their
// arrays by a list of fields, and their checks.
#include "tenon/plan.h"

#include "math/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE_MAX_ANY = 10000, ENTRIES_MAX = 1 << 26 };

typedef struct field {
    double **at;
    size_t n;
    double fill;
} field;

// The first array begins the block, so that freeing it frees all.
static tn_status cut(int n, const field *fields, tn_error *error)
{
    size_t total = 0;
    for (int i = 0; i < n; i++) {
        total += fields[i].n;
    }
    if (total > ENTRIES_MAX) {
        return tn_error_set(error, TN_BAD_INPUT, "a problem of %zu numbers is too large", total);
    }
    double *block = calloc(total + 1, sizeof *block);
    if (!block) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for a problem of %zu numbers", total);
    }
    for (int i = 0; i < n; i++) {
        *fields[i].at = block;
        for (size_t k = 0; k < fields[i].n && fields[i].fill != 0.0; k++) {
            block[k] = fields[i].fill;
        }
        block += fields[i].n;
    }
    return TN_OK;
}

static bool is_size(int n, int least)
{
    return n >= least && n <= SIZE_MAX_ANY;
}

static tn_status check_sizes(int n_x, int n_u, int n_c, tn_error *error)
{
    if (!is_size(n_x, 1) || !is_size(n_u, 0) || !is_size(n_c, 0)) {
        return tn_error_set(error, TN_BAD_INPUT, "sizes %d, %d, %d of x, u, c: x must be 1 to %d, the others 0 to %d",
                            n_x, n_u, n_c, SIZE_MAX_ANY, SIZE_MAX_ANY);
    }
    return TN_OK;
}

enum { LCS_FIELDS = 11, GUARD_OFFSET = LCS_FIELDS - 1 };

static void list_lcs(tn_lcs *s, field fields[LCS_FIELDS])
{
    const size_t n_x = (size_t)s->n_x, n_u = (size_t)s->n_u, n_c = (size_t)s->n_c;
    const field list[LCS_FIELDS] = {
        {&s->A, n_x * n_x, 0.0},
        {&s->B, n_x * n_u, 0.0},
        {&s->C, n_x * n_c, 0.0},
        {&s->F, n_x, 0.0},
        {&s->D, n_c * n_x, 0.0},
        {&s->D0, n_c * n_x, 0.0},
        {&s->H, n_c * n_u, 0.0},
        {&s->E, n_c * n_c, 0.0},
        {&s->offset, n_c, 0.0},
        {&s->guard, n_c * n_x, 0.0},
        {&s->guard_offset, n_c, -INFINITY},
    };
    memcpy(fields, list, sizeof list);
}

tn_status tn_lcs_create(int n_x, int n_u, int n_c, tn_lcs *lcs, tn_error *error)
{
    if (!lcs) {
        return tn_error_set(error, TN_BAD_INPUT, "no place for the system");
    }
    *lcs = (tn_lcs){0};
    tn_status status = check_sizes(n_x, n_u, n_c, error);
    if (status != TN_OK) {
        return status;
    }
    tn_lcs made = {.n_x = n_x, .n_u = n_u, .n_c = n_c};
    field fields[LCS_FIELDS];
    list_lcs(&made, fields);
    status = cut(LCS_FIELDS, fields, error);
    if (status == TN_OK) {
        *lcs = made;
    }
    return status;
}

void tn_lcs_destroy(tn_lcs *lcs)
{
    if (lcs) {
        free(lcs->A);
        *lcs = (tn_lcs){0};
    }
}

static tn_status check_finite(const char *name, size_t n, const double *values, tn_error *error)
{
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(values[i])) {
            return tn_error_set(error, TN_BAD_INPUT, "%s: entry %zu is not finite", name, i);
        }
    }
    return TN_OK;
}

tn_status tn_lcs_check(const tn_lcs *lcs, tn_error *error)
{
    static const char *const names[LCS_FIELDS] = {"A", "B", "C",      "F",     "D",           "D0",
                                                  "H", "E", "offset", "guard", "guard_offset"};
    if (!lcs || !lcs->A) {
        return tn_error_set(error, TN_BAD_INPUT, "the system has no matrices: make it with tn_lcs_create");
    }
    tn_lcs copy = *lcs;
    field fields[LCS_FIELDS];
    list_lcs(&copy, fields);
    tn_status status = check_sizes(lcs->n_x, lcs->n_u, lcs->n_c, error);
    for (int i = 0; i < GUARD_OFFSET && status == TN_OK; i++) {
        status = check_finite(names[i], fields[i].n, *fields[i].at, error);
    }
    for (int i = 0; i < lcs->n_c && status == TN_OK; i++) {
        if (lcs->guard_offset[i] != -INFINITY) {
            status = check_finite(names[GUARD_OFFSET], 1, lcs->guard_offset + i, error);
        }
    }
    return status;
}

bool tn_lcs_has_guards(const tn_lcs *lcs)
{
    bool any = false;
    for (int i = 0; lcs && i < lcs->n_c; i++) {
        any = any || lcs->guard_offset[i] > -INFINITY;
    }
    return any;
}

enum { PROBLEM_FIELDS = 14 };

static void list_problem(tn_plan_problem *p, field fields[PROBLEM_FIELDS])
{
    const size_t n_x = (size_t)p->X.n, n_u = (size_t)p->U.n, n_X = (size_t)p->X.n_rows, n_U = (size_t)p->U.n_rows;
    const size_t N = (size_t)p->horizon;
    const field list[PROBLEM_FIELDS] = {
        {&p->X.low, n_x, -INFINITY}, {&p->X.high, n_x, INFINITY}, {&p->X.G, n_X * n_x, 0.0},
        {&p->X.g, n_X, 0.0},         {&p->U.low, n_u, -INFINITY}, {&p->U.high, n_u, INFINITY},
        {&p->U.G, n_U * n_u, 0.0},   {&p->U.g, n_U, 0.0},         {&p->Q, n_x * n_x, 0.0},
        {&p->Qf, n_x * n_x, 0.0},    {&p->R, n_u * n_u, 0.0},     {&p->x_ref, (N + 1) * n_x, 0.0},
        {&p->u_ref, N * n_u, 0.0},   {&p->x0, n_x, 0.0},
    };
    memcpy(fields, list, sizeof list);
}

tn_status tn_plan_problem_create(int n_x, int n_u, int n_c, int horizon, int n_X, int n_U, tn_plan_problem *problem,
                                 tn_error *error)
{
    if (!problem) {
        return tn_error_set(error, TN_BAD_INPUT, "no place for the problem");
    }
    *problem = (tn_plan_problem){0};
    if (!is_size(horizon, 1) || !is_size(n_X, 0) || !is_size(n_U, 0)) {
        return tn_error_set(error, TN_BAD_INPUT, "horizon %d with %d and %d rows of X and U: out of range", horizon,
                            n_X, n_U);
    }
    tn_plan_problem made = {.horizon = horizon, .X = {.n = n_x, .n_rows = n_X}, .U = {.n = n_u, .n_rows = n_U}};
    tn_status status = tn_lcs_create(n_x, n_u, n_c, &made.lcs, error);
    if (status != TN_OK) {
        return status;
    }
    field fields[PROBLEM_FIELDS];
    list_problem(&made, fields);
    status = cut(PROBLEM_FIELDS, fields, error);
    if (status != TN_OK) {
        tn_lcs_destroy(&made.lcs);
        return status;
    }
    *problem = made;
    return TN_OK;
}

void tn_plan_problem_destroy(tn_plan_problem *problem)
{
    if (problem) {
        free(problem->X.low);
        tn_lcs_destroy(&problem->lcs);
        *problem = (tn_plan_problem){0};
    }
}

static tn_status check_polytope(const char *name, const tn_polytope *set, tn_error *error)
{
    for (int i = 0; i < set->n; i++) {
        if (!(set->low[i] <= set->high[i]) || set->low[i] == INFINITY || set->high[i] == -INFINITY) {
            return tn_error_set(error, TN_BAD_INPUT, "%s: bounds %g to %g of entry %d hold nothing", name, set->low[i],
                                set->high[i], i);
        }
    }
    tn_status status = check_finite(name, (size_t)set->n_rows * (size_t)set->n, set->G, error);
    return status == TN_OK ? check_finite(name, (size_t)set->n_rows, set->g, error) : status;
}

// Positive semidefinite to rounding: no eigenvalue below -1e-12 of the largest entry.
static tn_status check_weight(const char *name, int n, const double *Q, tn_error *error)
{
    tn_status status = check_finite(name, (size_t)n * (size_t)n, Q, error);
    if (status != TN_OK || n == 0) {
        return status;
    }
    double largest = 0.0;
    for (int i = 0; i < n * n; i++) {
        largest = fmax(largest, fabs(Q[i]));
    }
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < i; j++) {
            if (fabs(Q[i * n + j] - Q[j * n + i]) > 1e-12 * largest) {
                return tn_error_set(error, TN_BAD_INPUT, "%s is not symmetric: entries (%d, %d) and (%d, %d) differ",
                                    name, i, j, j, i);
            }
        }
    }
    double *copy = malloc(((size_t)n * (size_t)n + (size_t)n) * sizeof *copy);
    if (!copy) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory to check %s", name);
    }
    memcpy(copy, Q, (size_t)n * (size_t)n * sizeof *copy);
    double *values = copy + (size_t)n * (size_t)n;
    const bool found = tn_dense_eigen(n, copy, values);
    const double least = found ? values[0] : 0.0;
    free(copy);
    if (!found || least < -1e-12 * largest) {
        return tn_error_set(error, TN_BAD_INPUT, "%s is not positive semidefinite: least eigenvalue %g", name, least);
    }
    return TN_OK;
}

tn_status tn_plan_problem_check(const tn_plan_problem *p, tn_error *error)
{
    tn_status status = tn_lcs_check(p ? &p->lcs : NULL, error);
    if (status != TN_OK) {
        return status;
    }
    const int n_x = p->lcs.n_x, n_u = p->lcs.n_u;
    if (!p->x0 || p->X.n != n_x || p->U.n != n_u || p->horizon < 1) {
        status = tn_error_set(error, TN_BAD_INPUT, "the problem's sizes do not fit its system");
    }
    if (status != TN_OK || (status = check_polytope("X", &p->X, error)) != TN_OK ||
        (status = check_polytope("U", &p->U, error)) != TN_OK ||
        (status = check_weight("Q", n_x, p->Q, error)) != TN_OK ||
        (status = check_weight("Qf", n_x, p->Qf, error)) != TN_OK ||
        (status = check_weight("R", n_u, p->R, error)) != TN_OK ||
        (status = check_finite("x_ref", (size_t)(p->horizon + 1) * (size_t)n_x, p->x_ref, error)) != TN_OK ||
        (status = check_finite("u_ref", (size_t)p->horizon * (size_t)n_u, p->u_ref, error)) != TN_OK) {
        return status;
    }
    return check_finite("x0", (size_t)n_x, p->x0, error);
}
