// Springs along the surface of a contact: what sticks strains them and comes back, friction bounds them, and what rolls
// forgets them (a tyre's slip stiffness).
#include "scenario.h"

// A block of 1 kg on one linear contact spring, pushed along.
static const char *const BLOCK =
    "step: %.17g\n"
    "solver: {name: %s, tolerance: {momentum: 1e-12, natural: 1e-12}}\n"
    "materials: {pad: {density: 1000, friction: 0.5, stiffness: 1e7, tangential_stiffness: %.17g}}\n"
    "defaults: {body: {material: pad}}\n"
    "bodies:\n"
    "  floor: {fixed: true, shape: {plane: {}}}\n"
    "  block: {mass: 1, inertia: [1e10, 1e10, 1e10], position: [0, 0, %.17g], velocity: [%g, 0, 0], shape: {sphere: "
    "0.1}%s}\n";

// K of both halves, one behind the other, is half of the material's. The block starts at the depth of its weight.
static scenario open(double h, const char *solver, double K, double speed, const char *more)
{
    return scenario_open(BLOCK, h, solver, 2.0 * K, 0.1 - 9.81 / 5e6, speed, more);
}

static void what_sticks_swings_as_on_a_spring(void **state)
{
    static const double stiff[] = {1e2, 1e4, 1e8, 1e12};
    static const char *const solvers[] = {"auto", "pgs", "newton", "ipm"};
    for (int i = 0; i < 4; i++) {
        for (int k = 0; k < 4; k++) {
            double K = stiff[i], h = 1e-3, x = 0.0, v = 0.9 * 4.905 / sqrt(K), off = 0.0, scale = v;
            scenario s = open(h, solvers[k], K, v, "");
            int block = scenario_body(&s, "block");
            for (int n = 0; n < 50; n++) {
                scenario_step(&s);
                v = (v - h * K * x) / (1.0 + h * h * K); // implicit Euler of the spring
                x += h * v;
                off = fmax(off, fabs(scenario_velocity(&s, block, 0) - v));
            }
            printf("K %.0e, %s: ", K, solvers[k]);
            check_below("velocity off implicit Euler's, relative", off / scale, 1e-9);
            scenario_close(&s);
        }
    }
}

// Pushed beyond friction it slides under mu m g; let go, the spring brings it back by mu m g/K.
static void friction_bounds_the_spring(void **state)
{
    double K = 1e4, h = 1e-3;
    scenario s = open(h, "auto", K, 0.0, ", force: [\"8 * (1 - step(t - 0.1))\", 0, 0]");
    int block = scenario_body(&s, "block");
    double worst = 0.0, gained = 0.0, energy = 0.0;
    for (int n = 0; n < 1200; n++) {
        scenario_step(&s);
        worst = fmax(worst, s.report.solve.certificate.cone);
        const tn_energy *e = &s.report.energy;
        double now = e->kinetic + e->gravity + e->elastic - e->injected + e->dissipated;
        gained = n > 0 ? fmax(gained, fabs(now - energy)) : 0.0;
        energy = now;
    }
    check_below("cone", worst, 1e-10);
    check_below("energy out of the books, of 1 J [J]", gained, 2e-2);
    check_below("comes to rest: velocity [m/s]", fabs(scenario_velocity(&s, block, 0)), 1e-3);
    scenario_close(&s);
}

// A wheel that is driven to roll with slip: the force is slip stiffness times slip after some relaxation lengths.
static void what_rolls_bears_slip_stiffness_times_slip(void **state)
{
    const double K = 1e5, length = 0.2, slips[] = {0.001, 0.005, 0.01}, V = 10.0, radius = 0.3;
    for (int i = 0; i < 3; i++) {
        scenario s = scenario_open(
            "step: 2 ms\ngravity: [0, 0, 0]\n"
            "materials: {tyre: {density: 1000, friction: 1, stiffness: 4e9, tangential_stiffness: %.17g, "
            "relaxation: %g},\n"
            "  road: {density: 1000, friction: 1}}\n"
            "bodies:\n"
            "  floor: {fixed: true, shape: {plane: {}}, material: road}\n"
            "  wheel: {mass: 1e6, inertia: [1e6, 1e6, 1e6], force: [0, 0, -4905], position: [0, 0, %.17g], velocity: "
            "[%g, 0, 0], "
            "angular_velocity: "
            "[0, %.17g, 0], shape: {sphere: %g}, material: tyre}\n"
            "joints:\n"
            "  axle: {type: planar, b: wheel, axis: [0, 1, 0], turn: {motor: {velocity: %.17g}}}\n",
            K, length, radius - 4905 / 4e9, V, V * (1.0 + slips[i]) / radius, radius, V * (1.0 + slips[i]) / radius);
        int wheel = scenario_body(&s, "wheel");
        double force = 0.0, before = 0.0, slip = 0.0;
        for (int n = 0; n < 150; n++) {
            before = scenario_velocity(&s, wheel, 0);
            scenario_step(&s);
            force = 1e6 * (scenario_velocity(&s, wheel, 0) - before) / 2e-3;
            double arm = scenario_position(&s, wheel, 2); // surface speed at the contact point less the road's
            slip =
                (scenario_spin(&s, wheel, 1) * arm - scenario_velocity(&s, wheel, 0)) / scenario_velocity(&s, wheel, 0);
        }
        check_near("force over slip stiffness times slip", force / (K * length * slip), 1.0, 0.02);
        scenario_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_sticks_swings_as_on_a_spring),
        cmocka_unit_test(friction_bounds_the_spring),
        cmocka_unit_test(what_rolls_bears_slip_stiffness_times_slip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
