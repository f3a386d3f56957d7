// Steps that miss by far what they aim at say so, with the contact; others do not.
#include "scenario.h"

#include <string.h>

// The worst miss of so many steps.
static tn_step_miss worst_miss(scenario *s, int n_steps)
{
    tn_step_miss worst = {.kind = TN_MISS_NONE};
    for (int k = 0; k < n_steps; k++) {
        scenario_step(s);
        const tn_step_miss *miss = &s->report.miss;
        if (miss->kind != TN_MISS_NONE &&
            (worst.kind == TN_MISS_NONE || miss->value / miss->limit > worst.value / worst.limit)) {
            worst = *miss;
        }
    }
    return worst;
}

static void expect_bodies(const scenario *s, const tn_step_miss *miss, const char *a, const char *b)
{
    print_message("%.3g, limit %.3g, between %s and %s\n", miss->value, miss->limit,
                  tn_model_body_name(s->model, miss->body_a), tn_model_body_name(s->model, miss->body_b));
    assert_string_equal(tn_model_body_name(s->model, miss->body_a), a);
    assert_string_equal(tn_model_body_name(s->model, miss->body_b), b);
}

#define PILE                                                                                                           \
    "bodies:\n"                                                                                                        \
    "  floor: {fixed: true, shape: {plane: {}}}\n"                                                                     \
    "  ball: {position: [5, 0, 0.1], shape: {sphere: 0.1}}\n"                                                          \
    "  box: {position: [0, 0, 0.1], shape: {box: [0.2, 0.2, 0.2]}, array: {count: [1, 1, 6], spacing: [1, 1, 0.2]}}\n"

// One sweep of Gauss and Seidel, the floor last, does not carry a pile.
static void test_natural_map(void **state)
{
    scenario s = scenario_open("solver: {name: pgs, max_iterations: 1}\n" PILE);
    scenario_step(&s);
    const tn_step_miss *miss = &s.report.miss;
    assert_int_equal(miss->kind, TN_MISS_NATURAL);
    assert_true(miss->value == s.report.solve.certificate.natural && miss->limit == 1e-3);
    expect_bodies(&s, miss, "box[0]", "box[1]");
    scenario_close(&s);

    s = scenario_open(PILE);
    assert_int_equal(worst_miss(&s, 20).kind, TN_MISS_NONE);
    scenario_close(&s);

    // Who asks for no more than that has not missed it.
    s = scenario_open("solver: {name: pgs, max_iterations: 1, tolerance: {natural: 1}}\n" PILE);
    scenario_step(&s);
    assert_true(s.report.miss.kind != TN_MISS_NATURAL);
    scenario_close(&s);
}

// Overlaps that a run starts with: beyond 1 mm (of smaller bodies their half width) and 1 % of the
// smallest shape, the deepest pair.
static void test_penetration(void **state)
{
    const struct {
        double size, overlap, limit;
    } cases[] = {{0.1, 9e-4, 0.0}, {0.1, 2.5e-3, 1e-3}, {0.5, 4e-3, 0.0}, {0.5, 3e-2, 5e-3}, {2e-4, 3.9e-4, 2e-4}};
    for (int k = 0; k < 5; k++) {
        double r = cases[k].size;
        scenario s = scenario_open("gravity: [0, 0, 0]\nstep: 1 ms\nmargin: 0.1 mm\nbodies:\n"
                                   "  left: {shape: {sphere: %g}}\n"
                                   "  near: {position: [%g, 0, 0], shape: {sphere: %g}}\n"
                                   "  right: {position: [%g, 0, 0], shape: {sphere: %g}}\n",
                                   r, 2.0 * r - 1e-4, r, 4.0 * r - 1e-4 - cases[k].overlap, r);
        scenario_step(&s);
        const tn_step_miss *miss = &s.report.miss;
        print_message("spheres of %g m overlap by %g m: miss %d\n", r, cases[k].overlap, miss->kind);
        assert_int_equal(miss->kind, cases[k].limit > 0.0 ? TN_MISS_PENETRATION : TN_MISS_NONE);
        if (cases[k].limit > 0.0) {
            assert_true(fabs(miss->limit - cases[k].limit) < 1e-9);
            // One step takes away a margin at most, and from both sides.
            assert_true(miss->value < cases[k].overlap && miss->value > cases[k].overlap - 5e-4);
            expect_bodies(&s, miss, "near", "right");
        }
        scenario_close(&s);
    }
}

// A light body under 10^12 times its mass, and few sweeps: by the natural map, relative to the forces, all is well.
static void test_mass_ratio(void **state)
{
    scenario s = scenario_open("solver: {name: pgs, max_iterations: 9}\nbodies:\n"
                               "  floor: {fixed: true, shape: {plane: {}}}\n"
                               "  light: {position: [0, 0, 0.1], mass: 1e-6, shape: {box: [0.2, 0.2, 0.2]}}\n"
                               "  heavy: {position: [0, 0, 0.3], mass: 1e6, shape: {box: [0.2, 0.2, 0.2]}}\n");
    tn_step_miss worst = worst_miss(&s, 50);
    print_message("kind %d: %g, limit %g\n", worst.kind, worst.value, worst.limit);
    assert_true(worst.kind == TN_MISS_COMPLEMENTARITY || worst.kind == TN_MISS_PENETRATION);
    scenario_close(&s);
}

// What a step's straight way explains is no miss: an egg of 4 by 2 m turns by 0.1 rad a step of 50 ms, and its rim goes
// astray by some centimetres where it lands.
static void test_turning_is_no_miss(void **state)
{
    scenario s = scenario_open("step: 50 ms\nbodies:\n"
                               "  table: {fixed: true, shape: {plane: {}}}\n"
                               "  egg: {position: [0, 0, 8], angular_velocity: [0, 3, 0], shape: {ellipse: [4, 2]}}\n");
    double deepest = 0.0;
    tn_step_miss worst = {.kind = TN_MISS_NONE};
    for (int k = 0; k < 60; k++) {
        scenario_step(&s);
        deepest = fmax(deepest, s.report.solve.certificate.penetration);
        worst = s.report.miss.kind ? s.report.miss : worst;
    }
    print_message("deepest overlap %.3g m (1 %% of the least size: 0.02 m), miss %d (must be none)\n", deepest,
                  worst.kind);
    assert_true(deepest > 0.02 && worst.kind == TN_MISS_NONE);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_natural_map),
        cmocka_unit_test(test_penetration),
        cmocka_unit_test(test_mass_ratio),
        cmocka_unit_test(test_turning_is_no_miss),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
