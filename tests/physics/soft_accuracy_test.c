// What the default settings leave: the velocity of sampled steps against an over-converged solution of the same
// problem. Stiff bodies and grips hide slow modes from residuals; the solvers must not stop on them.
#include "gallery.h"
#include "reference.h"

#include "sim/sim.h"

// |v - v*| / |v*| of the last step; a body that hardly moves is judged as if it moved at 1 mm/s.
static double velocity_error(const scenario *s)
{
    const tn_problem *problem = &s->sim->solving.eq.problem;
    size_t n = 3 * (size_t)problem->A->n_rows, m = 3 * (size_t)problem->rows->n_triples;
    tn_solution reference = {.v = malloc(n * sizeof(double)), .lambda = malloc((m + 1) * sizeof(double))};
    for (size_t i = 0; i < n; i++) {
        reference.v[i] = s->sim->solving.answer.solution.v[i];
    }
    for (size_t i = 0; i < m; i++) {
        reference.lambda[i] = s->sim->solving.answer.solution.lambda[i];
    }
    tn_error error = {0};
    tn_solve_report report;
    tn_arena *arena = tn_arena_create(0);
    if (reference_solve(problem, arena, &reference, &report, &error) != TN_OK) {
        scenario_fail("reference", &error);
    }
    // Of use only if it is far better than what it judges.
    assert_true(report.certificate.momentum < 1e-9 && report.certificate.natural < 1e-9);
    double off = 0.0, size = 0.0;
    for (size_t i = 0; i < n; i++) {
        off += (s->sim->solving.answer.solution.v[i] - reference.v[i]) *
               (s->sim->solving.answer.solution.v[i] - reference.v[i]);
        size += reference.v[i] * reference.v[i];
    }
    tn_arena_destroy(arena);
    free(reference.v);
    free(reference.lambda);
    return sqrt(off / fmax(size, 1e-6 * (double)problem->A->n_rows));
}

// cells: another override, or NULL.
static void judge_to(double limit, const char *scene, const char *young, const char *cells, int every, int samples)
{
    const char *set[2] = {young, cells};
    scenario s = gallery_open(scene, cells ? 2 : 1, set);
    double worst = 0.0;
    for (int k = 1; k <= every * samples; k++) {
        scenario_step(&s);
        if (k % every == 0) {
            double error = velocity_error(&s);
            print_message("%s %s step %d: %s, %d contacts, %d iterations, error of v %.1e\n", scene, young, k,
                          s.report.solve.solver, s.report.n_contacts, s.report.solve.iterations, error);
            worst = fmax(worst, error);
        }
    }
    check_below("relative error of v, worst of the samples", worst, limit);
    scenario_close(&s);
}

static void judge(const char *scene, const char *young, const char *cells, int every, int samples)
{
    judge_to(1e-3, scene, young, cells, every, samples);
}

static void test_mat(void **state)
{
    judge("cond/soft_mat.yaml", "soft.mat.young=75e3", NULL, 15, 3);
    judge("cond/soft_mat.yaml", "soft.mat.young=1e7", NULL, 15, 3);
}

static void test_grip(void **state)
{
    judge("cond/soft_ball.yaml", "soft.ball.young=1e6", NULL, 40, 2);
    judge("cond/soft_ball.yaml", "soft.ball.young=1e7", NULL, 40, 2);
    // Cells twice as large: an eighth of the time. After 0.6 s two stiff fingers hold the ball between them, at rest.
    const char *coarse = "defaults.soft.finger.divisions=[3, 4, 19]";
    judge("cond/soft_gripper.yaml", "defaults.soft.young=83e3", coarse, 10, 12);
    judge("cond/soft_gripper.yaml", "defaults.soft.young=1e6", coarse, 10, 12);
    // Where nodal stops at 10 MPa varies with the way there: 4e-4 to 1.1e-3.
    judge_to(2e-3, "cond/soft_gripper.yaml", "defaults.soft.young=1e7", coarse, 10, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mat), cmocka_unit_test(test_grip)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
