// Plans as values, options and names of the planners.
#include "tenon/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const method_names[] = {"miqp", "admm", "mpcc", "enumerate"};
static const char *const status_names[] = {"none", "infeasible", "feasible", "optimal"};

int tn_plan_method_find(const char *name)
{
    for (int i = 0; name && i < (int)(sizeof method_names / sizeof *method_names); i++) {
        if (strcmp(name, method_names[i]) == 0) {
            return i;
        }
    }
    return -1;
}

const char *tn_plan_method_name(tn_plan_method method)
{
    return (unsigned)method < sizeof method_names / sizeof *method_names ? method_names[method] : "";
}

const char *tn_plan_status_name(tn_plan_status status)
{
    return (unsigned)status < sizeof status_names / sizeof *status_names ? status_names[status] : "";
}

tn_plan_options tn_plan_options_default(void)
{
    return (tn_plan_options){.gap = 1e-9, .n_threads = 1, .iterations = 60, .penalty = 0.1, .penalty_grow = 2.0};
}

tn_status tn_plan_create(const tn_plan_problem *problem, tn_plan *plan, tn_error *error)
{
    if (!plan || !problem || !problem->x0) {
        return tn_error_set(error, TN_BAD_INPUT, "a plan needs a place and a problem");
    }
    const size_t n_x = (size_t)problem->lcs.n_x, n_u = (size_t)problem->lcs.n_u, n_c = (size_t)problem->lcs.n_c;
    const size_t N = (size_t)problem->horizon;
    const size_t numbers = (N + 1) * n_x + N * n_u + 2 * N * n_c;
    *plan = (tn_plan){0};
    double *block = calloc(1, numbers * sizeof *block + N * n_c);
    if (!block) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for a plan");
    }
    *plan = (tn_plan){.n_x = (int)n_x,
                      .n_u = (int)n_u,
                      .n_c = (int)n_c,
                      .horizon = (int)N,
                      .x = block,
                      .u = block + (N + 1) * n_x,
                      .c = block + (N + 1) * n_x + N * n_u,
                      .w = block + (N + 1) * n_x + N * (n_u + n_c),
                      .mode = (uint8_t *)(block + numbers),
                      .cost = INFINITY,
                      .bound = -INFINITY};
    return TN_OK;
}

void tn_plan_destroy(tn_plan *plan)
{
    if (plan) {
        free(plan->x);
        *plan = (tn_plan){0};
    }
}
