// Light bodies under heavy ones, and a box that slides alone: with default settings every contact is right on the scale
// of its own bodies, whatever solver is asked for.
#include "scenario.h"

static const char *const SOLVERS[] = {"auto", "pgs", "ipm", "newton", "apgd", "cond", "ccs"};
enum { N_SOLVERS = sizeof SOLVERS / sizeof SOLVERS[0] };

// A tower of n cubes of the edge 0.1 m, from below, of these masses [kg]; 0.3 s at 2 ms.
static void stand(const char *solver, const char *what, int n, const double *mass)
{
    char bodies[8192];
    int used = 0;
    double all = 0.0;
    for (int i = 0; i < n; i++) {
        used += snprintf(bodies + used, sizeof bodies - (size_t)used,
                         "  b%d: {position: [0, 0, %.17g], mass: %.17g, shape: {box: [0.1, 0.1, 0.1]}}\n", i,
                         0.05 + 0.1 * i, mass[i]);
        all += mass[i];
    }
    scenario s = scenario_open("step: 2 ms\nsolver: {name: %s}\nmaterials: {default: {friction: 0.5}}\nbodies:\n"
                               "  floor: {fixed: true, shape: {plane: {}}}\n%s",
                               solver, bodies);
    double moved = 0.0, fastest = 0.0, wrong = 0.0;
    for (int k = 0; k < 150; k++) {
        double above = all;
        scenario_step(&s);
        for (int i = 0; i < n; i++) { // what each cube's underside bears, in terms of that
            double force[3];
            int body = scenario_body(&s, (char[]){'b', (char)('0' + i), 0});
            scenario_force(&s, body - 1, body, force);
            wrong = fmax(wrong, fabs(force[2] / (above * GRAVITY) - 1.0));
            above -= mass[i];
            moved = fmax(moved, fabs(scenario_position(&s, body, 2) - (0.05 + 0.1 * i)));
            fastest = fmax(fastest, fabs(scenario_velocity(&s, body, 2)));
        }
    }
    print_message("%s, %s\n", what, solver);
    // Solved to rounding: forces of 1e6 N leave 1e-9 m/s of it on 1 g. What nothing held would gain 20 mm/s a step.
    check_below("load of each cube, relative error", wrong, 1e-6);
    check_below("way [m]", moved, 1e-7);
    check_below("velocity [m/s]", fastest, 1e-5);
    scenario_close(&s);
}

static void test_gram_under_ton(void **unused)
{
    static const double ton[] = {1e-3, 1e3}, hundred[] = {1e-3, 1e5}, sandwich[] = {1e3, 1e-3, 1e3};
    for (int k = 0; k < N_SOLVERS; k++) {
        stand(SOLVERS[k], "1 g under 1 t", 2, ton);
        stand(SOLVERS[k], "1 g under 100 t", 2, hundred);
        stand(SOLVERS[k], "1 g between 1 t and 1 t", 3, sandwich);
    }
}

static void test_chains(void **unused)
{
    static const double tens[] = {1e-3, 1e-2, 0.1, 1.0, 10.0, 1e2, 1e3}, turns[] = {1.0, 1e3, 1e-2, 1e2, 1e-3, 1e3};
    double doubles[10];
    for (int i = 0; i < 10; i++) {
        doubles[i] = ldexp(1.0, i);
    }
    for (int k = 0; k < 4; k++) {
        stand(SOLVERS[k], "1 g, 10 g, ... 1 t", 7, tens);
        stand(SOLVERS[k], "1 kg under 1 t under 10 g under 100 kg under 1 g under 1 t", 6, turns);
        if (k < 3) { // newton alone does not converge on the tall tower's 40 contacts, and says so
            stand(SOLVERS[k], "1, 2, 4, ... 512 kg", 10, doubles);
        }
    }
}

// ---- sliding

// Backward Euler on v' = -mu g: v_k = v - k mu g h while that is positive; it then rests. The way is the sum of h v_k.
static double euler_way(double v, double mu, double h)
{
    double way = 0.0;
    for (int k = 1; v - k * mu * GRAVITY * h > 0.0; k++) {
        way += h * (v - k * mu * GRAVITY * h);
    }
    return way;
}

// A cube of 0.1 m thrown at 1 m/s askew over the floor; beside it one of `other` kg rests. Way until it stands [m].
static double slide(const char *solver, double h, double mu, double other)
{
    scenario s = scenario_open("step: %.17g\nsolver: {name: %s}\nmaterials: {default: {friction: %.17g}}\nbodies:\n"
                               "  floor: {fixed: true, shape: {plane: {}}}\n"
                               "  a: {position: [0, 0, 0.05], velocity: [0.8, 0.6, 0], mass: 1, shape: {box: [0.1, "
                               "0.1, 0.1]}}\n"
                               "  b: {position: [9, 0, 0.05], mass: %.17g, shape: {box: [0.1, 0.1, 0.1]}}\n",
                               h, solver, mu, other);
    int a = scenario_body(&s, "a");
    long steps = (long)ceil(1.0 / (mu * GRAVITY * h)) + 3;
    scenario_steps(&s, steps);
    double x = scenario_position(&s, a, 0), y = scenario_position(&s, a, 1);
    double speed = fmax(fabs(scenario_velocity(&s, a, 0)), fabs(scenario_velocity(&s, a, 1)));
    scenario_close(&s);
    check_below("it stands [m/s]", speed, 1e-9);
    check_below("straight on [m]", fabs(x * 0.6 - y * 0.8), 1e-9);
    return sqrt(x * x + y * y);
}

static void test_stopping_distance(void **unused)
{
    const double mu = 0.3, exact = 1.0 / (2.0 * mu * GRAVITY);
    for (int k = 0; k < N_SOLVERS; k++) {
        bool swift = k < 4;
        double before = 0.0;
        for (int i = 0; i < (k == 0 ? 5 : swift ? 4 : 3); i++) {
            double h = 0.02 * pow(10.0, -i);
            double way = slide(SOLVERS[k], h, mu, i % 2 ? 1000.0 : 1e-3), error = fabs(way - exact);
            print_message("%s, h %g: off v^2/(2 mu g) by %.4e m\n", SOLVERS[k], h, error);
            // First order: v h / 2, but for the last, partial step, of h^2 mu g / 8 at most.
            check_below("off v h / 2, in h^2 mu g", fabs(error - 0.5 * h) / (h * h * mu * GRAVITY), 0.126);
            check_below("off the scheme's own sum [m]", fabs(way - euler_way(1.0, mu, h)), 1e-10);
            if (i > 0) {
                check_near("order of convergence", log10(before / error), 1.0, 1e-3);
            }
            before = error;
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gram_under_ton),
        cmocka_unit_test(test_chains),
        cmocka_unit_test(test_stopping_distance),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
