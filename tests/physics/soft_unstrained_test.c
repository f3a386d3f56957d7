// Free elastic bars without load: what their elements hold is rounding, which no scheme may divide by.
#include "soft.h"

typedef struct bar {
    double young, poisson, density;
    const char *velocity;
    double spin;   // about z [rad/s]
    int divisions; // along its length of 10 m
} bar;

static const bar BARS[] = {
    {900.0, 0.0, 1.0, "[10, 0, 0]", 0.0, 100}, {900.0, 0.0, 1.0, "[0, 0, 0]", 0.0, 20},
    {9e6, 0.0, 1000.0, "[-3, 2, 1]", 0.0, 20}, {900.0, 0.3, 1.0, "[10, 0, 0]", 0.0, 20},
    {9e6, 0.45, 1e-3, "[0, 7, 0]", 0.0, 20},   {1.0, 0.0, 1e4, "[100, 1, 0]", 0.0, 20},
    {9e6, 0.0, 1000.0, "[0, 0, 1]", 20.0, 10}, {9e8, 0.3, 1.0, "[1, 0, 0]", 200.0, 10},
};

static scenario open(const bar *b, const char *settings, double h)
{
    return soft_open(NULL,
                     "gravity: [0, 0, 0]\nstep: %g\n%s\n"
                     "soft:\n  bar: {young: %g, poisson: %g, density: %g, velocity: %s, angular_velocity: [0, 0, %g],\n"
                     "        geometric: projected, grid: {size: [10, 1, 1], divisions: [%d, 1, 1]}}\n",
                     h, settings, b->young, b->poisson, b->density, b->velocity, b->spin, b->divisions);
}

// Without spin nothing happens to a bar but that it flies on, its energy as at first but for the rounding of each
// step's solve: the condition of A, about 1 + E h^2/(density cell^2), times the last bit. A spinning one may lose
// energy, not gain any.
static void fly(const bar *b, const char *settings, double h)
{
    scenario s = open(b, settings, h);
    tn_energy start;
    assert_int_equal(tn_state_energy(s.state, &start, NULL), TN_OK);
    double highest = 0.0, elastic = 0.0;
    for (int i = 0; i < 300; i++) {
        scenario_step(&s);
        highest = fmax(highest, s.report.energy.kinetic + s.report.energy.elastic);
        elastic = fmax(elastic, s.report.energy.elastic);
    }
    double cell = fmin(10.0 / b->divisions, 1.0), stiff = 1.0 + b->young * h * h / (b->density * cell * cell);
    double limit = 300.0 * 0x1p-52 * (100.0 + stiff), scale = fmax(start.kinetic, s.model->softs[0].mass * 1e-6);
    print_message("E %g Pa, nu %g, rho %g, v %s, %g rad/s, %s, %g s: gained %.2g of the first energy (limit %.2g), "
                  "strained %.2g\n",
                  b->young, b->poisson, b->density, b->velocity, b->spin, settings, h,
                  (highest - start.kinetic) / scale, limit, elastic / scale);
    assert_true(highest <= start.kinetic + limit * scale);
    if (b->spin == 0.0) {
        assert_true(fabs(s.report.energy.kinetic - start.kinetic) <= limit * scale);
        assert_true(elastic <= 1e-12 * scale);
    }
    scenario_close(&s);
}

static void bars_without_load_fly_on(void **state)
{
    const double steps[3] = {1e-4, 1e-3, 1e-2};
    for (size_t i = 0; i < sizeof BARS / sizeof *BARS; i++) {
        fly(&BARS[i], "scheme: implicit", steps[i % 3]);
        fly(&BARS[i], "scheme: implicit", steps[(i + 1) % 3]);
        // euler carries a little elastic energy of its own where a body spins (docs/physics.md).
        fly(&BARS[i], BARS[i].spin == 0.0 ? "scheme: euler" : "scheme: implicit", steps[(i + 2) % 3]);
    }
}

// What a solver cannot factor is named by the body and node that make it so, not by a guess.
static void an_indefinite_balance_is_named(void **state)
{
    scenario s = open(&BARS[1], "scheme: implicit", 1e-3);
    ((double *)s.model->node_mass)[7] = -1e6;
    tn_error error = {0};
    assert_int_equal(tn_sim_step(s.sim, NULL, s.state, &s.report, &error), TN_NUMERICS);
    print_message("%s\n", error.message);
    assert_string_equal(error.message,
                        "the inertia plus stiffness of body 'bar' is not positive definite at its node 7");
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bars_without_load_fly_on),
                                       cmocka_unit_test(an_indefinite_balance_is_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
