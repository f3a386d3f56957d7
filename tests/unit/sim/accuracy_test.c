// solver.accuracy: coarse where contacts move, the same steps whatever is chosen where they rest.
#include "scenario.h"

#include <string.h>

static const char *const LEVELS[] = {"draft", "standard", "tight"};
static const double MOVING[] = {1e-3, 1e-4, 1e-6};
enum { N_LEVELS = 3 };

#define FLOOR "  floor: {fixed: true, shape: {plane: {}}, material: wood}\n"
#define MATERIALS "materials: {wood: {friction: 0.5}}\nbodies:\n"
// 200 balls in a lattice that falls apart on the floor.
#define HEAP                                                                                                           \
    "  a: {position: [5, 0, 0.11], velocity: [0.3, 0.1, -1], material: wood, shape: {sphere: 0.1},\n"                  \
    "      array: {count: [5, 5, 8], spacing: [0.2, 0.2, 0.2]}}\n"
#define PILE                                                                                                           \
    "  box: {position: [0, 0, 0.1], material: wood, shape: {box: [0.2, 0.2, 0.2]}, array: {count: [1, 1, 6], "         \
    "spacing: [1, 1, 0.2]}}\n"

// Figures of a run.
typedef struct run {
    double natural, sum; // worst natural figure; of all iterations
} run;

static run run_heap(const char *solver)
{
    scenario s = scenario_open("step: 5 ms\nsolver: {%s}\n" MATERIALS FLOOR HEAP, solver);
    run out = {0};
    for (int k = 0; k < 40; k++) {
        scenario_step(&s);
        out.natural = fmax(out.natural, s.report.solve.certificate.natural);
        out.sum += s.report.solve.iterations;
        assert_true(s.report.solve.converged);
    }
    scenario_close(&s);
    return out;
}

// Each level keeps its figure, and what is coarser takes less work.
static void test_moving(void **state)
{
    run runs[N_LEVELS];
    for (int k = 0; k < N_LEVELS; k++) {
        char solver[64];
        snprintf(solver, sizeof solver, "accuracy: %s", LEVELS[k]);
        runs[k] = run_heap(solver);
        print_message("%s: natural at most %.2e, %g iterations\n", LEVELS[k], runs[k].natural, runs[k].sum);
        assert_true(runs[k].natural <= MOVING[k]);
    }
    assert_true(runs[0].natural > MOVING[1] && runs[1].natural > MOVING[2]); // it is made use of
    assert_true(runs[0].sum < 0.9 * runs[1].sum && runs[1].sum < 0.9 * runs[2].sum);
}

// A figure that is demanded holds, whatever the level.
static void test_demanded(void **state)
{
    run demanded = run_heap("accuracy: draft, tolerance: {natural: 1e-7}");
    print_message("natural at most %.2e\n", demanded.natural);
    assert_true(demanded.natural <= 1e-7);
}

// What rests is the same to the last bit, and beside a heap in motion as exact as alone.
static void test_rest(void **state)
{
    double *v[N_LEVELS] = {0};
    size_t n = 0;
    for (int k = 0; k < N_LEVELS; k++) {
        scenario s = scenario_open("solver: {accuracy: %s}\n" MATERIALS FLOOR PILE, LEVELS[k]);
        scenario_steps(&s, 30);
        n = 3 * (size_t)s.model->n_blocks * sizeof(double);
        v[k] = malloc(n);
        memcpy(v[k], s.state->v, n);
        assert_true(s.report.solve.certificate.natural <= 1e-6);
        scenario_close(&s);
    }
    assert_memory_equal(v[0], v[2], n);
    assert_memory_equal(v[1], v[2], n);
    scenario s = scenario_open("solver: {accuracy: draft}\n" MATERIALS FLOOR PILE HEAP);
    double fastest = 0.0, coarsest = 0.0;
    for (int i = 0; i < 30; i++) {
        scenario_step(&s);
        coarsest = fmax(coarsest, s.report.solve.certificate.natural);
        for (int b = 1; b <= 6; b++) {
            const double *x = s.state->v + 3 * (size_t)s.model->bodies[b + 1].block;
            fastest = fmax(fastest, sqrt(x[0] * x[0] + x[1] * x[1] + x[2] * x[2]));
        }
    }
    print_message("beside a heap (natural %.1e): boxes at rest move by %.2e m/s at most\n", coarsest, fastest);
    assert_true(coarsest > 1e-5 && fastest < 1e-6);
    scenario_close(&s);
    for (int k = 0; k < N_LEVELS; k++) {
        free(v[k]);
    }
}

// A light box between heavy ones, all thrown: its contacts are judged on its own scale, whatever the level.
static void test_own_scale(void **state)
{
    for (int k = 0; k < N_LEVELS; k++) {
        scenario s = scenario_open("solver: {accuracy: %s}\n" MATERIALS FLOOR
                                   "  light: {position: [0, 0, 0.11], velocity: [1, 0, -1], mass: 0.1, material: wood,"
                                   " shape: {box: [0.2, 0.2, 0.2]}}\n"
                                   "  heavy: {position: [0, 0, 0.33], velocity: [1, 0, -1], mass: 1e3, material: wood,"
                                   " shape: {box: [0.2, 0.2, 0.2]}}\n",
                                   LEVELS[k]);
        double deepest = 0.0;
        for (int i = 0; i < 50; i++) {
            scenario_step(&s);
            deepest = fmax(deepest, s.report.solve.certificate.penetration);
        }
        print_message("%s: %.2e m\n", LEVELS[k], deepest);
        assert_true(deepest < 1e-3); // 0.5 % of the smallest
        scenario_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_moving),
        cmocka_unit_test(test_demanded),
        cmocka_unit_test(test_rest),
        cmocka_unit_test(test_own_scale),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
