// Contacts with springs and dampers: linear, Hertz, Hunt and Crossley, Winkler's foundation. Wanted values are closed
// forms of the implicit scheme or of statics; nothing here uses the code's own law.
#include "gallery.h"

static const double TIGHT = 1e-12; // relative, asked of the solver

// A point mass of 1 kg on the plane z = 0 with spring K and damper B, at height z and speed v.
static scenario mass_on_spring(double h, const char *spring, double z, double v)
{
    return scenario_open("step: %.17g\nmargin: 1 mm\npush_out: infinite\ngain_limit: infinite\n"
                         "solver: {tolerance: {momentum: %g, natural: %g}}\n"
                         "pairs: [{materials: [default, default], %s}]\n"
                         "bodies:\n"
                         "  floor: {fixed: true, shape: {plane: {}}}\n"
                         "  mass: {position: [0, 0, %.17g], velocity: [0, 0, %.17g], mass: 1, inertia: [1, 1, 1], "
                         "contact_points: [[0, 0, 0]]}\n",
                         h, TIGHT, TIGHT, spring, z, v);
}

// f = max(0, -K x_1 - B v_1), m (v_1 - v_0) = h f - h m g, x_1 = x_0 + h v_1; dampers act from touch-down on. v is a
// difference of h g and h f, so that x carries their rounding: 1e-16 g h^2, which counts from K = 1e11 on.
static void test_linear_follows_the_implicit_scheme(void **state)
{
    const double stiffness[] = {1.0, 1e2, 1e4, 1e6, 1e9, 1e12, 1e15}, h = 1e-3, m = 1.0;
    for (int k = 0; k < 7; k++) {
        for (int critical = 0; critical < 2; critical++) {
            double K = stiffness[k], B = critical ? 2.0 * sqrt(K) : 0.0, way = 0.0, load = 0.0, x = 0.0, v = -1e-3;
            char spring[100], what[100];
            snprintf(spring, sizeof spring, "stiffness: %g, damping: %.17g", K, B);
            scenario s = mass_on_spring(h, spring, x, v);
            int b = scenario_body(&s, "mass"), n = 0;
            for (; n < 200; n++) {
                double in_touch = (v - h * GRAVITY - h * (K * x)) / (1.0 + h * (h * K + B));
                if (-K * (x + h * in_touch) - B * in_touch <= 0.0) {
                    break;
                }
                v = in_touch;
                x += h * v;
                // The force of one step from where the simulation is.
                double x0 = scenario_position(&s, b, 2), v0 = scenario_velocity(&s, b, 2), force[3];
                double wanted = (-K * x0 - (h * K + B) * (v0 - h * GRAVITY)) / (1.0 + h * (h * K + B) / m);
                scenario_step(&s);
                scenario_force(&s, 1, b, force);
                load = fmax(load, fabs(force[2] - wanted) / wanted);
                way = fmax(way, (fabs(scenario_position(&s, b, 2) - x) - 4e-16 * h * (1e-3 + h * GRAVITY)) / fabs(x));
            }
            snprintf(what, sizeof what, "K %g, B %.3g: force of %d steps, relative", K, B, n);
            check_below(what, load, 1e-10); // of the task; measured 1e-15
            snprintf(what, sizeof what, "K %g, B %.3g: depth over %d steps, relative", K, B, n);
            check_below(what, way, 1e-10);
            assert_true(n >= 1);
            scenario_close(&s);
        }
    }
}

static void test_rigid_limit_has_slope_one(void **state)
{
    for (double K = 1e6; K < 1e13; K *= 10.0) {
        char spring[100], what[100];
        snprintf(spring, sizeof spring, "stiffness: %g", K);
        scenario soft = mass_on_spring(1e-2, spring, 0.0, 0.0), rigid = mass_on_spring(1e-2, "friction: 0.5", 0.0, 0.0);
        scenario_run(&soft, 1.0);
        scenario_run(&rigid, 1.0);
        double off = scenario_position(&rigid, 2, 2) - scenario_position(&soft, 2, 2);
        snprintf(what, sizeof what, "K %g: way to the rigid contact times K/(m g)", K);
        check_near(what, off * K / GRAVITY, 1.0, 1e-9 + 3e-20 * K); // and the rounding of a velocity times the step
        scenario_close(&soft);
        scenario_close(&rigid);
    }
}

// `infinite` is the contact without a spring, to the bit.
static void test_infinite_is_rigid(void **state)
{
    scenario a = mass_on_spring(1e-2, "stiffness: infinite, damping: 3, hunt_crossley: 1", 0.3, -1.0);
    scenario b = mass_on_spring(1e-2, "friction: 0.5", 0.3, -1.0);
    for (int k = 0; k < 60; k++) {
        scenario_step(&a);
        scenario_step(&b);
        assert_true(scenario_position(&a, 2, 2) == scenario_position(&b, 2, 2));
        assert_true(scenario_velocity(&a, 2, 2) == scenario_velocity(&b, 2, 2));
    }
    scenario_close(&a);
    scenario_close(&b);
}

// Nothing is braked before it touches, however strong the damper.
static void test_dampers_act_from_touch_down_on(void **state)
{
    const double h = 1e-3;
    scenario s = mass_on_spring(h, "stiffness: 1, damping: 1e6", 5e-3, -1.0);
    double v = -1.0, z = 5e-3;
    while (z + h * (v - h * GRAVITY) >= 0.0) {
        v -= h * GRAVITY;
        z += h * v;
        scenario_step(&s);
        check_near("height before touch-down [m]", scenario_position(&s, 2, 2), z, 1e-15);
    }
    scenario_step(&s);
    check_near("speed after touch-down, K 1 and B 1e6 [m/s]", scenario_velocity(&s, 2, 2), -z / h, 0.02);
    scenario_close(&s);
}

// ---- four feet

static scenario table(const char *pair, double gravity_x, double gravity_z, double z)
{
    return scenario_open("step: 10 ms\nmargin: 1 mm\ngravity: [%.17g, 0, %.17g]\n"
                         "solver: {tolerance: {momentum: %g, natural: %g}}\n"
                         "pairs: [{materials: [default, default], %s}]\n"
                         "bodies:\n"
                         "  floor: {fixed: true, shape: {plane: {}}}\n"
                         // contact at the height of the center: friction does not tilt it
                         "  table: {position: [0, 0, %.17g], mass: 1, inertia: [0.01, 0.02, 0.02], contact_radius: "
                         "0.01, contact_points: [[0.1, 0.05, 0.01], [0.1, -0.05, 0.01], [-0.1, 0.05, 0.01], [-0.1, "
                         "-0.05, 0.01]]}\n",
                         gravity_x, gravity_z, TIGHT, TIGHT, pair, z);
}

#define HERTZ_FEET "contact_modulus: 1e11, damping: 1, "

static void check_loads(scenario *s, const char *what, double wanted)
{
    assert_int_equal(tn_sim_contact_count(s->sim), 4);
    for (int i = 0; i < 4; i++) {
        tn_contact_info c;
        tn_sim_contact(s->sim, i, &c);
        check_near(what, c.force[2] / wanted, 1.0, 1e-9);
    }
}

static void test_four_feet_share_the_load(void **state)
{
    const char *const springs[] = {"stiffness: 1e6, damping: 1", HERTZ_FEET "friction: 0.5"};
    for (int k = 0; k < 2; k++) {
        scenario s = table(springs[k], 0.0, -GRAVITY, 0.0);
        scenario_run(&s, 1.0);
        check_loads(&s, k ? "Hertz: load of a foot over m g/4" : "linear: load of a foot over m g/4", GRAVITY / 4.0);
        scenario_close(&s);
    }
}

// A block that slides from rest by a h^2 n (n + 1)/2, a = g (sin - mu cos).
static void test_sliding_is_exact(void **state)
{
    const double angle = 15.0 * PI / 180.0, h = 0.01, mu = 0.125, load = GRAVITY * cos(angle) / 4.0;
    for (int hertz = 0; hertz < 2; hertz++) {
        double depth = hertz ? pow(load / (4.0 / 3.0 * 1e11 * 0.1), 2.0 / 3.0) : load / 1e6;
        scenario s = table(hertz ? HERTZ_FEET "friction: 0.125" : "friction: 0.125, stiffness: 1e6, damping: 10",
                           GRAVITY * sin(angle), -GRAVITY * cos(angle), -depth);
        double a = GRAVITY * (sin(angle) - mu * cos(angle)), cone = 0.0;
        for (int n = 1; n <= 100; n++) {
            scenario_step(&s);
            for (int i = 0; i < tn_sim_contact_count(s.sim); i++) {
                tn_contact_info c;
                tn_sim_contact(s.sim, i, &c);
                cone = fmax(cone, fabs(sqrt(c.force[0] * c.force[0] + c.force[1] * c.force[1]) - mu * c.force[2]));
            }
        }
        check_near(hertz ? "Hertz: way after 1 s [m]" : "linear: way after 1 s [m]", scenario_position(&s, 2, 0),
                   a * h * h * 100.0 * 101.0 / 2.0, 1e-9);
        check_below("friction force beside mu times the normal force [N]", cone, 1e-10);
        scenario_close(&s);
    }
}

static void test_sticking_does_not_creep(void **state)
{
    const double angle = 15.0 * PI / 180.0;
    scenario s = table(HERTZ_FEET "friction: 0.375", GRAVITY * sin(angle), -GRAVITY * cos(angle), 0.0);
    scenario_run(&s, 1.0);
    check_near("mu 0.375 on 15 degrees: way after 1 s [m]", scenario_position(&s, 2, 0), 0.0, 1e-12);
    scenario_close(&s);
    // With dampers across it creeps by force over damping.
    s = table("friction: 0.375, stiffness: 1e6, damping: 10, tangential_damping: 1e3", GRAVITY * sin(angle),
              -GRAVITY * cos(angle), 0.0);
    scenario_run(&s, 1.0);
    check_near("tangential damping 1e3: creep [m/s]", scenario_velocity(&s, 2, 0), GRAVITY * sin(angle) / 4e3, 1e-9);
    scenario_close(&s);
}

// ---- Hertz

static scenario ball(double h, const char *pair, double mass, double z, double v)
{
    return scenario_open("step: %.17g\nmargin: 1 mm\n"
                         "solver: {tolerance: {momentum: %g, natural: %g}}\n"
                         "pairs: [{materials: [default, default], %s}]\n"
                         "bodies:\n"
                         "  floor: {fixed: true, shape: {plane: {}}}\n"
                         "  ball: {position: [0, 0, %.17g], velocity: [0, 0, %.17g], mass: %.17g, "
                         "shape: {sphere: {radius: 0.01}}}\n",
                         h, TIGHT, TIGHT, pair, z, v, mass);
}

// 2.37 N on a ball of 1 cm: with f = E* sqrt(r) d^(3/2) and E* = 1e11 Pa it is 3.9e-7 m deep. Here 4/3 of the modulus
// is that; and for the full law by Young's modulus and Poisson's ratio of both sides.
static void test_hertz_static_depth(void **state)
{
    const double load = 2.37;
    scenario s = ball(0.01, "contact_modulus: 7.5e10, damping: 1", load / GRAVITY, 0.01, 0.0);
    scenario_run(&s, 2.0);
    double depth = 0.01 - scenario_position(&s, 2, 2);
    check_near("depth under 2.37 N [m]", depth, pow(load / (1e11 * 0.1), 2.0 / 3.0), 1e-9 * depth);
    check_near("the same, of the figure 3.9e-7 m", depth, 3.9e-7, 0.1e-7);
    check_below("how far the force is from Hertz's law", s.report.spring_residual, 1e-9);
    scenario_close(&s);
    s = scenario_open("step: 10 ms\nmargin: 1 mm\n"
                      "solver: {tolerance: {momentum: 1e-12, natural: 1e-12}}\n"
                      "materials: {steel: {young: 210 GPa, poisson: 0.3, damping: 1}, glass: {young: 70 GPa, poisson: "
                      "0.25, damping: 1}}\n"
                      "bodies:\n"
                      "  lower: {fixed: true, shape: {sphere: {radius: 0.03}, material: steel}}\n"
                      "  upper: {position: [0, 0, 0.04], mass: 0.2, shape: {sphere: {radius: 0.01}, material: "
                      "glass}}\n");
    scenario_run(&s, 2.0);
    double modulus = 1.0 / ((1.0 - 0.09) / 210e9 + (1.0 - 0.0625) / 70e9), r = 0.03 * 0.01 / 0.04;
    depth = 0.04 - scenario_position(&s, 2, 2);
    check_near("two spheres: depth [m]", depth, pow(0.2 * GRAVITY / (4.0 / 3.0 * modulus * sqrt(r)), 2.0 / 3.0),
               1e-9 * depth);
    scenario_close(&s);
}

// Each step's force is the law at the step's end, also in the first steps of a hard landing.
static void test_hertz_holds_at_every_step(void **state)
{
    const double steps[] = {1e-2, 1e-4, 1e-6};
    for (int k = 0; k < 3; k++) {
        scenario s = ball(steps[k], "contact_modulus: 1e9", 1.0, 0.0101, -2.0);
        double stiffness = 4.0 / 3.0 * 1e9 * 0.1, worst = 0.0, most = 0.0;
        int solves = 0;
        for (int n = 0; n < 300; n++) {
            scenario_step(&s);
            double force[3], depth = 0.01 - scenario_position(&s, 2, 2);
            scenario_force(&s, 1, 2, force);
            most = fmax(most, force[2]);
            worst = fmax(worst, fabs(force[2] - (depth > 0.0 ? stiffness * pow(depth, 1.5) : 0.0)));
            solves = solves > s.report.spring_solves ? solves : s.report.spring_solves;
        }
        print_message("step %g s: at most %d solves, largest force %.4g N\n", steps[k], solves, most);
        check_below("off Hertz's law, of the largest force", worst / most, 1e-9);
        assert_true(solves <= 8 && most > 0.0);
        scenario_close(&s);
    }
}

// Part of the energy that a bounce loses, from touch-down until it is off again.
static double bounce_loss(double h, const char *pair, double *ghost)
{
    scenario s = ball(h, pair, 1.0, 0.01, -1.0);
    double first = 0.5;
    *ghost = 0.0;
    do {
        scenario_step(&s);
        *ghost = fmax(*ghost, s.report.energy.balance / first);
    } while (scenario_position(&s, 2, 2) < 0.01);
    double v = scenario_velocity(&s, 2, 2), z = scenario_position(&s, 2, 2) - 0.01;
    scenario_close(&s);
    return 1.0 - (0.5 * v * v + GRAVITY * z) / first;
}

static void test_hertz_bounce_keeps_energy_to_first_order(void **state)
{
    double ghost, last = 0.0;
    for (double h = 1e-4; h > 1e-5; h *= 0.5) {
        double lost = bounce_loss(h, "contact_modulus: 3e6, friction: 0", &ghost);
        print_message("step %g s: part of the energy lost in a bounce %.4g\n", h, lost);
        check_below("energy gained in any step, of the whole", ghost, 1e-12);
        assert_true(lost > 0.0);
        if (last > 0.0) {
            check_near("lost at twice the step over lost", last / lost, 2.0, 0.1);
        }
        last = lost;
    }
}

// k d^(3/2) (1 + 3/2 a d'), by Runge and Kutta's method with very small steps.
static double hunt_crossley_rebound(double k, double a, double v)
{
    double d = 0.0, u = v, h = 1e-7; // m = 1; gravity left out
    while (d >= 0.0) {
        double kd[4], ku[4], x = d, y = u;
        for (int i = 0; i < 4; i++) {
            double part = i == 3 ? h : 0.5 * h;
            kd[i] = y;
            ku[i] = -k * pow(fmax(x, 0.0), 1.5) * (1.0 + 1.5 * a * y) + GRAVITY;
            x = d + part * kd[i];
            y = u + part * ku[i];
        }
        d += h / 6.0 * (kd[0] + 2.0 * kd[1] + 2.0 * kd[2] + kd[3]);
        u += h / 6.0 * (ku[0] + 2.0 * ku[1] + 2.0 * ku[2] + ku[3]);
    }
    return -u;
}

static void test_hunt_crossley(void **state)
{
    double last = 0.0, ghost;
    for (double h = 4e-5; h > 4e-6; h *= 0.5) {
        scenario s = ball(h, "contact_modulus: 3e6, hunt_crossley: 0.3", 1.0, 0.01, -1.0);
        do {
            scenario_step(&s);
        } while (scenario_position(&s, 2, 2) < 0.01);
        double wanted = hunt_crossley_rebound(4.0 / 3.0 * 3e6 * 0.1, 0.3, 1.0);
        double off = scenario_velocity(&s, 2, 2) - wanted;
        double lost = 0.5 * (1.0 - pow(scenario_velocity(&s, 2, 2), 2.0));
        print_message("step %g s: rebound %.6f m/s, of the equation %.6f\n", h, scenario_velocity(&s, 2, 2), wanted);
        print_message("  dissipated %.5f J of the %.5f J lost\n", s.report.energy.dissipated, lost);
        if (last != 0.0) {
            check_near("off at twice the step over off", last / off, 2.0, 0.15);
        }
        if (h < 1e-5) {
            check_near("dissipated in the books over what is lost", s.report.energy.dissipated / lost, 1.0, 0.02);
        }
        last = off;
        scenario_close(&s);
    }
    bounce_loss(1e-4, "contact_modulus: 3e6, hunt_crossley: 3, damping: 2", &ghost);
    check_below("strongly damped: energy gained in any step, of the whole", ghost, 1e-12);
}

// ---- Winkler's foundation

static scenario box_on_layer(int elements, const char *more, double z)
{
    return scenario_open("step: 10 ms\nmargin: 1 mm\nlaw: frictionless\n"
                         "solver: {tolerance: {momentum: %g, natural: %g}}\n"
                         "materials: {default: {density: 8}}\n"
                         "pairs: [{materials: [default, default], damping: 1, foundation: {modulus: 1e7, depth: 2, "
                         "elements: %d}}]\n"
                         "bodies:\n"
                         "  floor: {fixed: true, shape: {plane: {}}}\n"
                         "  box: {position: [0, 0, %.17g], shape: {box: [1, 0.8, 1]}, %s}\n",
                         TIGHT, TIGHT, elements, z, more);
}

// Weight over (modulus area/depth); a moment turns it by the moment over (modulus/depth times the second moment of
// area, of elements: b a^3/12 (1 - 1/n^2)).
static void test_foundation_statics(void **state)
{
    const int elements[] = {10, 30};
    for (int k = 0; k < 2; k++) {
        double n = elements[k], bedding = 1e7 / 2.0, weight = 8.0 * 0.8 * GRAVITY, moment = 0.5;
        scenario s = box_on_layer(elements[k], "torque: [0, 0.5, 0]", 0.5 - weight / (bedding * 0.8));
        scenario_run(&s, 3.0);
        assert_int_equal(tn_sim_contact_count(s.sim), elements[k] * elements[k]);
        // The center of mass, half a metre up, leans out.
        double second = 0.8 / 12.0 * (1.0 - 1.0 / (n * n)), tilt = moment / (bedding * second - 0.5 * weight);
        double sunk = 0.0, sum[3];
        for (int i = 0; i < tn_sim_contact_count(s.sim); i++) {
            tn_contact_info c;
            tn_sim_contact(s.sim, i, &c);
            sunk -= c.gap / (n * n);
        }
        scenario_force(&s, 1, 2, sum);
        print_message("%d elements: solver %s, %d iterations, %.3g s\n", elements[k] * elements[k],
                      s.report.solve.solver, s.report.solve.iterations, s.report.solve_s);
        check_near("sunk over weight/(modulus area/depth)", sunk / (weight / (bedding * 0.8)), 1.0, 1e-8);
        check_near("sum of the forces over the weight", sum[2] / weight, 1.0, 1e-9);
        double position[3], q[4];
        tn_state_body_pose(s.state, 2, position, q);
        check_near("tilt over that of the elements' stiffness", 2.0 * q[2] / tilt, 1.0, 1e-7);
        check_below("natural figure", s.worst_natural, 1e-9);
        scenario_close(&s);
    }
}

// ---- company

// A ball between two walls that are too near by 2 d is pressed by K d on both sides and stays, however large that is
// beside its weight.
static void test_squeezed_springs_bear_their_force(void **state)
{
    const double K = 1e9, d = 1e-4;
    scenario s = scenario_open("step: 1 ms\ngravity: [0, 0, 0]\nmargin: 1 mm\n"
                               "solver: {tolerance: {momentum: 1e-12, natural: 1e-12}}\n"
                               "pairs: [{materials: [default, default], stiffness: 1e9}]\n"
                               "bodies:\n"
                               "  left: {fixed: true, position: [-0.0999, 0, 0], shape: {plane: [1, 0, 0]}}\n"
                               "  right: {fixed: true, position: [0.0999, 0, 0], shape: {plane: [-1, 0, 0]}}\n"
                               "  ball: {shape: {sphere: {radius: 0.1}}, mass: 1 kg}\n");
    tn_energy energy;
    tn_error error = {0};
    assert_int_equal(tn_state_energy(s.state, &energy, &error), TN_OK);
    check_near("stored at the start over K d^2", energy.elastic / (K * d * d), 1.0, 1e-9);
    double force[3], off = 0.0, moved = 0.0, stored = 0.0;
    for (int k = 0; k < 100; k++) {
        scenario_step(&s);
        scenario_force(&s, 1, 3, force);
        off = fmax(off, fabs(force[0] / (K * d) - 1.0));
        moved = fmax(moved, fabs(scenario_position(&s, 3, 0)));
        stored = fmax(stored, fabs(s.report.energy.elastic / (K * d * d) - 1.0));
    }
    check_below("force of a wall off K d, relative", off, 1e-9);
    check_below("moved [m]", moved, 1e-12);
    check_below("stored off K d^2, relative", stored, 1e-9);
    scenario_close(&s);
}

// Laws that bend, in one problem with joints: two welded balls on Hertz's contacts, the load off the middle.
static void test_with_joints(void **state)
{
    scenario s =
        scenario_open("step: 5 ms\nmargin: 1 mm\n"
                      "solver: {tolerance: {momentum: 1e-12, natural: 1e-12}}\n"
                      "pairs: [{materials: [default, default], contact_modulus: 1e9, damping: 100}]\n"
                      "bodies:\n"
                      "  floor: {fixed: true, shape: {plane: {}}}\n"
                      "  a: {position: [0, 0, 0.05], mass: 3 kg, shape: {sphere: {radius: 0.05}}, confine: [0, "
                      "1, 0]}\n"
                      "  b: {position: [0.2, 0, 0.05], mass: 1 kg, shape: {sphere: {radius: 0.05}}, confine: [0, "
                      "1, 0]}\n"
                      "joints: {rod: {type: weld, a: a, b: b}}\n");
    scenario_run(&s, 2.0);
    double k = 4.0 / 3.0 * 1e9 * sqrt(0.05);
    for (int b = 0; b < 2; b++) {
        double load = (b ? 1.0 : 3.0) * GRAVITY, depth = pow(load / k, 2.0 / 3.0);
        check_near("depth over Hertz's under its own weight", (0.05 - scenario_position(&s, 2 + b, 2)) / depth, 1.0,
                   1e-3);
    }
    print_message("%d solves in the last step, residual %.2g\n", s.report.spring_solves, s.report.spring_residual);
    scenario_close(&s);
}

// Any stiffness, damping, speed and step, 4 contacts that differ: the laws are met in every step, well below the cap on
// solves, and no step gains energy.
static void test_any_numbers(void **state)
{
    enum { RUNS = 300 };
    unsigned seed = 12345;
    int most = 0;
    double residual = 0.0, gained = 0.0, number[7];
    for (int run = 0; run < RUNS; run++) {
        for (int i = 0; i < 7; i++) {
            seed = seed * 1664525u + 1013904223u;
            number[i] = (seed >> 8) / 16777216.0;
        }
        // Steps of 1 us to 10 ms, E* of 1e3 to 1e12 Pa, landings at 1 cm/s to 10 m/s, half of them damped.
        double h = pow(10.0, -6.0 + 4.0 * number[0]), modulus = pow(10.0, 3.0 + 9.0 * number[1]);
        double damping = number[2] < 0.5 ? 0.0 : pow(10.0, 6.0 * number[2] - 3.0);
        double hunt = number[3] < 0.5 ? 0.0 : pow(10.0, 4.0 * number[3] - 2.0), v = -pow(10.0, 3.0 * number[4] - 2.0);
        scenario s = scenario_open(
            "step: %.17g\nmargin: 1 mm\ngain_limit: infinite\npairs: [{materials: [default, default], "
            "contact_modulus: %.17g, damping: %.17g, hunt_crossley: %.17g}]\n"
            "bodies:\n"
            "  floor: {fixed: true, shape: {plane: {}}}\n"
            "  table: {position: [0, 0, %.17g], velocity: [%.17g, 0, %.17g], mass: 1, inertia: [0.01, 0.02, 0.02], "
            "contact_radius: 0.01, contact_points: [[0.1, 0.05, -0.02], [0.1, -0.06, -0.02], [-0.1, 0.05, -0.0201], "
            "[-0.13, -0.05, -0.02]]}\n",
            h, modulus, damping, hunt, 0.03 - 1e-3 * (number[5] - 0.5), number[6], v);
        for (int n = 0; n < 60; n++) {
            scenario_step(&s);
            most = s.report.spring_solves > most ? s.report.spring_solves : most;
            // Solvers do not always get to rounding on four feet: what they leave shows in the certificate.
            residual = fmax(residual, s.report.spring_residual - 10.0 * s.report.solve.certificate.natural);
            gained = fmax(gained, s.report.energy.balance / (0.5 * v * v + GRAVITY * 0.01 + s.report.energy.elastic));
        }
        scenario_close(&s);
    }
    check_below("most solves of a step", most, 12.0);
    check_below("residual of the laws beyond ten natural figures", residual, 1e-9);
    check_below("energy gained in a step, of what there is", gained, 1e-3);
}

// A checkpoint continues to the bit: where the laws are taken first is in the state.
static void test_copies_continue_to_the_bit(void **state)
{
    scenario s = ball(1e-3, "contact_modulus: 1e7, hunt_crossley: 0.2", 0.5, 0.0101, -0.3);
    scenario_run(&s, 0.0055);
    tn_error error = {0};
    tn_state *copy = tn_state_create(s.model, &error);
    assert_int_equal(tn_state_copy(copy, s.state, &error), TN_OK);
    tn_sim *other = tn_sim_create(s.model, &error);
    for (int k = 0; k < 50; k++) {
        double a[3], b[3], q[4];
        scenario_step(&s);
        assert_int_equal(tn_sim_step(other, NULL, copy, NULL, &error), TN_OK);
        tn_state_body_pose(s.state, 2, a, q);
        tn_state_body_pose(copy, 2, b, q);
        assert_memory_equal(a, b, sizeof a);
    }
    tn_sim_destroy(other);
    tn_state_destroy(copy);
    scenario_close(&s);
}

// ---- scenes/compliant

static void test_scene_incline(void **state)
{
    const char *const friction[] = {"0", "0.125", "0.25", "0.375"};
    for (int k = 0; k < 4; k++) {
        char set[64];
        snprintf(set, sizeof set, "materials.steel.friction=%s", friction[k]);
        scenario s = gallery_open("compliant/incline.yaml", 1, (const char *[]){set});
        double load = 0.0, mu = strtod(friction[k], NULL), angle = 15.0 * PI / 180.0, creep = 0.0;
        double x = scenario_position(&s, 2, 0), z = scenario_position(&s, 2, 2), most = 0.0;
        for (int n = 0; n < 100; n++) {
            scenario_step(&s);
            for (int i = 0; i < tn_sim_contact_count(s.sim); i++) {
                tn_contact_info c;
                tn_sim_contact(s.sim, i, &c);
                double normal = c.force[0] * c.normal[0] + c.force[1] * c.normal[1] + c.force[2] * c.normal[2];
                double across = 0.0;
                for (int e = 0; e < 3; e++) {
                    across += pow(c.force[e] - normal * c.normal[e], 2.0);
                }
                load += normal / 400.0;
                most = fmax(most, sqrt(across) - mu * normal);
                creep = n >= 50 ? fmax(creep, fabs(c.velocity[1])) : creep;
            }
        }
        double way = (scenario_position(&s, 2, 0) - x) * cos(angle) - (scenario_position(&s, 2, 2) - z) * sin(angle);
        double a = fmax(0.0, GRAVITY * (sin(angle) - mu * cos(angle)));
        print_message("mu %s: down %.6g m\n", friction[k], way);
        check_near("down the incline in 1 s [m]", way, 0.505 * a, 1e-5);
        check_near("mean load of a foot [N]", load, GRAVITY * cos(angle) / 4.0, 1e-2);
        check_below("friction beyond the cone [N]", most, 1e-8);
        if (k == 3) {
            check_below("creep [m/s]", creep, 1e-12);
        }
        scenario_close(&s);
    }
}

static void test_scene_sphere_stack(void **state)
{
    scenario s = gallery_open("compliant/sphere_stack.yaml", 0, NULL);
    double most = 0.0;
    while (tn_state_time(s.state) < 5.0 - 1e-6) {
        scenario_step(&s);
        most = fmax(most, s.report.energy.balance);
    }
    double k1 = 4.0 / 3.0 * 1e11 * sqrt(0.1), k2 = 4.0 / 3.0 * 1e11 * sqrt(0.05), height = 0.1, total = 0.0;
    double weight = 1000.0 * 4.0 / 3.0 * PI * 1e-3 * GRAVITY;
    for (int i = 0; i < 10; i++) { // load of the i-th contact from below
        height += (i ? 0.2 : 0.0) - pow((10 - i) * weight / (i ? k2 : k1), 2.0 / 3.0);
        int body = 2 + i;
        total = fmax(total, fabs(scenario_position(&s, body, 2) - height));
        assert_true(fabs(scenario_position(&s, body, 0)) < 1e-9);
    }
    check_below("heights of the spheres off Hertz's statics [m]", total, 1e-9);
    check_below("energy gained in any step [J]", most, 1e-9);
    scenario_close(&s);
}

// Sweeps leave 4e-6 of the law between fifty spheres.
static void test_tall_stack_keeps_its_law(void **state)
{
    static const char *const set[] = {"bodies.sphere.array.count=[1, 1, 50]"};
    scenario s = gallery_open("compliant/sphere_stack.yaml", 1, set);
    double law = 0.0;
    while (tn_state_time(s.state) < 5.0 - 1e-6) {
        scenario_step(&s);
        law = fmax(law, s.report.spring_residual);
    }
    check_below("how far the forces are from Hertz's law in any step", law, 1e-8); // measured: 1.5e-9
    scenario_close(&s);
}

static void test_scene_foundation(void **state)
{
    scenario s = gallery_open("compliant/foundation.yaml", 0, NULL);
    int iterations = 0;
    double law = 0.0;
    for (int n = 0; n < 100; n++) {
        double sum[3];
        scenario_step(&s);
        assert_int_equal(tn_sim_contact_count(s.sim), 100);
        iterations = iterations > s.report.solve.iterations ? iterations : s.report.solve.iterations;
        law = fmax(law, s.report.spring_residual);
        scenario_force(&s, 1, 2, sum);
        if (n > 90) {
            check_near("sum of the elements' forces [N]", sum[2], 8.0 * GRAVITY + 5.0, 0.05);
        }
    }
    check_below("most iterations of a step", iterations, 10.0); // newton in the velocities: 3
    check_below("how far the forces are from the springs' law in any step", law, 1e-8);
    check_near("sunk [m]", 0.5 - scenario_position(&s, 2, 2), (8.0 * GRAVITY + 5.0) / 1e7, 1e-7);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_linear_follows_the_implicit_scheme),
        cmocka_unit_test(test_rigid_limit_has_slope_one),
        cmocka_unit_test(test_infinite_is_rigid),
        cmocka_unit_test(test_dampers_act_from_touch_down_on),
        cmocka_unit_test(test_four_feet_share_the_load),
        cmocka_unit_test(test_sliding_is_exact),
        cmocka_unit_test(test_sticking_does_not_creep),
        cmocka_unit_test(test_hertz_static_depth),
        cmocka_unit_test(test_hertz_holds_at_every_step),
        cmocka_unit_test(test_hertz_bounce_keeps_energy_to_first_order),
        cmocka_unit_test(test_hunt_crossley),
        cmocka_unit_test(test_foundation_statics),
        cmocka_unit_test(test_squeezed_springs_bear_their_force),
        cmocka_unit_test(test_with_joints),
        cmocka_unit_test(test_any_numbers),
        cmocka_unit_test(test_copies_continue_to_the_bit),
        cmocka_unit_test(test_scene_incline),
        cmocka_unit_test(test_scene_sphere_stack),
        cmocka_unit_test(test_tall_stack_keeps_its_law),
        cmocka_unit_test(test_scene_foundation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
