// One contact of a heap that asks for another solve: its bodies' contacts are solved again, the others keep their
// forces to the bit, and the balance of momentum is that of all.
#include "heap_problem.h"

#include "math/blocks.h"
#include "problem/own_scale.h"
#include "problem/problem.h"
#include "problem/rows.h"
#include "solver/check.h"
#include "solver/solver.h"

static double worst_balance(const tn_problem *p, const double *v, const double *lambda)
{
    size_t n = 3 * (size_t)p->A->n_rows;
    double *left = calloc(n, sizeof *left), *push = calloc(n, sizeof *push), worst = 0.0;
    tn_blocks_mul(p->A, v, left);
    tn_problem_add_contact_force(p, lambda, push);
    for (size_t i = 0; i < n; i++) {
        worst = fmax(worst, fabs(left[i] - p->b[i] - push[i]));
    }
    free(left);
    free(push);
    return worst;
}

static double error_of(const tn_problem *p, int m, const tn_solution *s)
{
    double u[3];
    tn_contact_velocity(p->rows, m, s->v, u);
    for (int k = 0; k < 3; k++) {
        u[k] += p->rows->offset[3 * m + k];
    }
    return tn_own_error(p, m, tn_check_rho(p, m), s->lambda + 3 * (size_t)m, u, 0.0);
}

static bool shares_body(const tn_rows *rows, int m, int other)
{
    for (int i = rows->start[m]; i < rows->start[m + 1]; i++) {
        for (int k = rows->start[other]; k < rows->start[other + 1]; k++) {
            if (rows->block[i] == rows->block[k]) {
                return true;
            }
        }
    }
    return false;
}

static void test_heap(void **state)
{
    heap_problem *heap = heap_create(6, 6, 0.5, 3);
    tn_problem *p = &heap->problem;
    p->change_scale = 9.81 * HEAP_STEP;
    int n = p->rows->n_triples, worst = 0;
    tn_solve_options options = tn_solve_options_default();
    options.tolerance = (tn_tolerance){.momentum = 1e-10, .natural = 1e-3};
    tn_solve_report report;
    tn_error error = {0};
    tn_solution solution = {.v = calloc(3 * (size_t)p->A->n_rows, sizeof(double)),
                            .lambda = calloc(3 * (size_t)n, sizeof(double))};
    assert_int_equal(tn_problem_solve(p, "pgs", &options, &solution, &report, &error), TN_OK);
    for (int m = 0; m < n; m++) {
        worst = error_of(p, m, &solution) > error_of(p, worst, &solution) ? m : worst;
    }
    double before = error_of(p, worst, &solution), balance = worst_balance(p, solution.v, solution.lambda);
    double *lambda = malloc(3 * (size_t)n * sizeof *lambda);
    memcpy(lambda, solution.lambda, 3 * (size_t)n * sizeof *lambda);

    tn_aims aims = {.near = true,
                    .due = calloc((size_t)n, sizeof(bool)),
                    .part = calloc((size_t)n, sizeof(double)),
                    .motion = calloc((size_t)n, sizeof(double))};
    for (int m = 0; m < n; m++) {
        aims.part[m] = 1.0;
    }
    aims.due[worst] = true;
    options.tolerance.natural = 1e-8;
    tn_arena *arena = tn_arena_create("near", 0);
    assert_int_equal(tn_solver_solve(tn_solver_find("auto"), p, &options, &aims, arena, &solution, &report, &error),
                     TN_OK);
    double after = error_of(p, worst, &solution), now = worst_balance(p, solution.v, solution.lambda);
    int n_near = 0;
    for (int m = 0; m < n; m++) {
        bool near = shares_body(p->rows, m, worst);
        n_near += near;
        assert_true(near || memcmp(lambda + 3 * m, solution.lambda + 3 * m, 3 * sizeof *lambda) == 0);
    }
    print_message("%d of %d contacts near: error %.1e -> %.1e, balance %.1e -> %.1e of a weight\n", n_near, n, before,
                  after, balance / p->force_scale, now / p->force_scale);
    assert_in_range(n_near, 2, n / 4);
    assert_true(before > 1e-4 && after < 1e-3 * before);
    assert_true(now < 1e-9 * p->force_scale);
    tn_arena_destroy(arena);
    free(aims.due);
    free(aims.part);
    free(aims.motion);
    free(lambda);
    free(solution.v);
    free(solution.lambda);
    heap_destroy(heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_heap)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
