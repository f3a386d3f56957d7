// A box that slides, sticks, hovers (convex law) and starts to move.
// Cases R01, R02, R09, R28 of the validation list; closed forms of textbooks, sources named there.
#include "scenario.h"

static const char *const SLIDING_BOX =
    "gravity: [0, 0, -9.81]\n"
    "step: %g\n"
    "law: %s\n"
    "gap: %s\n"
    "solver: {name: %s, tolerance: {momentum: 1e-11, natural: 1e-11}}\n"
    "materials: {rough: {density: 8, friction: 0.5}}\n"
    "defaults: {body: {material: rough}}\n"
    "bodies:\n"
    "  floor: {fixed: true, shape: {plane: {}}}\n"
    "  box: {position: [0, 0, %.17g], velocity: [%g, 0, 0], shape: {box: {size: [0.5, 0.5, 0.5]}}}\n";

// R01: v_k = v0 - k mu g h exactly, until rest at v0^2 / (2 mu g).
static void slide_to_rest(const char *solver)
{
    const double h = 1e-3, v0 = 5.0, mu = 0.5;
    scenario s = scenario_open(SLIDING_BOX, h, "coulomb", "full", solver, 0.25, v0);
    int box = scenario_body(&s, "box");
    double worst_v = 0.0, worst_side = 0.0;
    for (int k = 1; k <= 1100; k++) {
        scenario_step(&s);
        double wanted = fmax(0.0, v0 - k * mu * GRAVITY * h);
        worst_v = fmax(worst_v, fabs(scenario_velocity(&s, box, 0) - wanted));
        worst_side = fmax(worst_side, fabs(scenario_velocity(&s, box, 1)));
        worst_side = fmax(worst_side, fabs(scenario_velocity(&s, box, 2)));
        for (int axis = 0; axis < 3; axis++) {
            worst_side = fmax(worst_side, fabs(scenario_spin(&s, box, axis)));
        }
    }
    print_message("solver %s\n", solver);
    check_below("R01 velocity off v0 - k mu g h [m/s]", worst_v, 1e-8);
    check_below("R01 lateral, vertical and angular velocity", worst_side, 1e-8);
    check_near("R01 stopping distance [m]", scenario_position(&s, box, 0), v0 * v0 / (2 * mu * GRAVITY),
               0.002 * 2.54842);
    scenario_close(&s);
}

static void test_r01_stopping_distance(void **state)
{
    slide_to_rest("auto");
    slide_to_rest("pgs");
    slide_to_rest("cond");
}

// R09: the convex law hovers at mu |v| h with the full gap term; the strict law stays down.
static void test_r09_gliding(void **state)
{
    for (int halving = 0; halving < 2; halving++) {
        const double h = halving ? 5e-4 : 1e-3, mu = 0.5, v0 = 5.0;
        scenario s = scenario_open(SLIDING_BOX, h, "convex", "full", "auto", 0.25 + mu * v0 * h, v0);
        int box = scenario_body(&s, "box");
        double low = 1e9, high = 0.0;
        for (int k = 0; k < 100; k++) {
            double speed = scenario_velocity(&s, box, 0);
            scenario_step(&s);
            double hover = (scenario_position(&s, box, 2) - 0.25) / (mu * speed * h);
            low = fmin(low, hover);
            high = fmax(high, hover);
        }
        check_near("R09 convex law: lowest gap / (mu v h)", low, 1.0, 0.05);
        check_near("R09 convex law: highest gap / (mu v h)", high, 1.0, 0.05);
        scenario_close(&s);
    }

    scenario s = scenario_open(SLIDING_BOX, 1e-3, "coulomb", "full", "auto", 0.25 + 2.5e-3, 5.0);
    int box = scenario_body(&s, "box");
    scenario_run(&s, 0.1);
    check_near("R09 strict law: gap after landing [m]", scenario_position(&s, box, 2), 0.25, 1e-8);
    scenario_close(&s);
}

// R09, velocity level: one sliding step leaves at u_n = mu u_t; closed form of the cone projection per contact.
static void test_r09_velocity_level(void **state)
{
    scenario s = scenario_open(SLIDING_BOX, 1e-3, "convex", "none", "auto", 0.25, 5.0);
    int box = scenario_body(&s, "box");
    scenario_step(&s);
    double un = scenario_velocity(&s, box, 2), ut = scenario_velocity(&s, box, 0);
    check_near("R09 convex, gap none: u_n / (mu u_t)", un / (0.5 * ut), 1.0, 0.05);
    check_near("R09 convex, gap none: u_t [m/s]", ut, 3.996, 0.05 * 3.996);
    check_near("R09 convex, gap none: u_n [m/s]", un, 1.998, 0.05 * 1.998);
    scenario_close(&s);
}

// Huge friction, meant as "no slip": the box stops in the first step and stays on the floor. (The natural map alone
// cannot see an approach there: De Saxce's shift mu |u_t| hides it.)
static void test_no_slip(void **state)
{
    const double mus[3] = {10.0, 1e3, 1e6};
    for (int i = 0; i < 3; i++) {
        scenario s =
            scenario_open("step: 10 ms\nmaterials: {m: {density: 1000, friction: %g}}\n"
                          "defaults: {body: {material: m}}\n"
                          "bodies:\n"
                          "  floor: {fixed: true, shape: {plane: {}}}\n"
                          "  box: {position: [0, 0, 0.1], velocity: [0.1, 0, 0], shape: {box: {size: [1, 1, 0.2]}}}\n",
                          mus[i]);
        int box = scenario_body(&s, "box");
        double lowest = 1.0, e0 = 0.0;
        for (int k = 0; k < 30; k++) {
            scenario_step(&s);
            e0 = k == 0 ? s.report.energy.kinetic : e0;
            lowest = fmin(lowest, scenario_position(&s, box, 2));
        }
        print_message("mu %g\n", mus[i]);
        check_near("no slip: lowest height [m]", lowest, 0.1, 1e-6);
        check_below("no slip: kinetic energy after the first step [J]", e0, 1e-6);
        scenario_close(&s);
    }
}

static scenario incline(double degrees, double mu, const double size[3], const char *law)
{
    double a = degrees * PI / 180.0, half = size[2] / 2;
    return scenario_open("gravity: [0, 0, -9.81]\nstep: 1e-3\nlaw: %s\n"
                         "solver: {tolerance: {momentum: 1e-10, natural: 1e-10}}\n"
                         "materials: {m: {density: %.17g, friction: %.17g}}\n"
                         "defaults: {body: {material: m, rotation: {axis: [0, 1, 0], angle: %.17g}}}\n"
                         "bodies:\n"
                         "  slope: {fixed: true, shape: {plane: {}}}\n"
                         "  box: {position: [%.17g, 0, %.17g], shape: {box: {size: [%g, %g, %g]}}}\n",
                         law, 1.0 / (size[0] * size[1] * size[2]), mu, a, half * sin(a), half * cos(a), size[0],
                         size[1], size[2]);
}

// R02: sticks for mu >= tan(20 deg); slides with g (sin - mu cos) below.
static void test_r02_incline(void **state)
{
    const double cube[3] = {0.2, 0.2, 0.2}, a = 20.0 * PI / 180.0;
    const char *laws[2] = {"coulomb", "convex"};
    for (int l = 0; l < 2; l++) {
        scenario s = incline(20.0, 0.40, cube, laws[l]);
        int box = scenario_body(&s, "box");
        double x = scenario_position(&s, box, 0), z = scenario_position(&s, box, 2);
        scenario_run(&s, 5.0);
        print_message("law %s\n", laws[l]);
        check_below("R02 mu 0.40: displacement after 5 s [m]",
                    fabs(scenario_position(&s, box, 0) - x) + fabs(scenario_position(&s, box, 2) - z), 1e-6);
        scenario_close(&s);
    }
    scenario s = incline(20.0, 0.35, cube, "coulomb");
    int box = scenario_body(&s, "box");
    scenario_run(&s, 1.0);
    double along = scenario_velocity(&s, box, 0) * cos(a) - scenario_velocity(&s, box, 2) * sin(a);
    check_near("R02 mu 0.35: velocity after 1 s [m/s]", along, GRAVITY * (sin(a) - 0.35 * cos(a)), 1e-6);
    scenario_close(&s);
}

// R02: a tower topples if and only if tan(angle) > width / height = 1/4 (14.04 deg).
static void test_r02_tower(void **state)
{
    const double tower[3] = {0.1, 0.1, 0.4};
    scenario stands = incline(13.0, 1.0, tower, "coulomb");
    scenario_run(&stands, 5.0);
    check_near("R02 tower at 13 deg: tilt after 5 s [deg]",
               scenario_tilt(&stands, scenario_body(&stands, "box")) * 180 / PI, 13.0, 0.01);
    scenario_close(&stands);

    scenario falls = incline(15.0, 1.0, tower, "coulomb");
    scenario_run(&falls, 5.0);
    double tilt = scenario_tilt(&falls, scenario_body(&falls, "box")) * 180 / PI;
    print_message("R02 tower at 15 deg: tilt after 5 s %.3f deg, must exceed 60\n", tilt);
    assert_true(tilt > 60.0);
    scenario_close(&falls);
}

static double dragged(double h, double *start_force, double *early_speed)
{
    scenario s = scenario_open("gravity: [0, 0, -9.81]\nstep: %g\n"
                               "solver: {tolerance: {momentum: 1e-11, natural: 1e-11}}\n"
                               "materials: {m: {density: 125, friction: 0.4}}\n"
                               "defaults: {body: {material: m}}\n"
                               "bodies:\n"
                               "  floor: {fixed: true, shape: {plane: {}}}\n"
                               "  cube: {position: [0, 0, 0.1], force: [\"2*0.4*9.81*min(t, 1)\", 0, 0], "
                               "shape: {box: {size: [0.2, 0.2, 0.2]}}}\n",
                               h);
    int cube = scenario_body(&s, "cube");
    *start_force = 0.0;
    *early_speed = 0.0;
    while (tn_state_time(s.state) < 1.0 - h / 2) {
        scenario_step(&s);
        double force = 2 * 0.4 * GRAVITY * tn_state_time(s.state), speed = fabs(scenario_velocity(&s, cube, 0));
        if (force < 0.995 * 0.4 * GRAVITY) {
            *early_speed = fmax(*early_speed, speed);
        }
        if (*start_force == 0.0 && speed > 1e-7) {
            *start_force = force;
        }
    }
    double v = scenario_velocity(&s, cube, 0);
    scenario_close(&s);
    return v;
}

// R28: moves when the ramp passes mu m g; then a = (F - mu m g)/m, v(1 s) = mu g / 4 * ... integral of the ramp.
static void test_r28_dragged_cube(void **state)
{
    // v(1) = integral from 0.5 to 1 of (2 t - 1) mu g dt = mu g / 4
    const double exact = 0.4 * GRAVITY / 4;
    double force, early, error[3];
    const double h[3] = {1e-2, 1e-3, 1e-4};
    for (int i = 0; i < 3; i++) {
        error[i] = fabs(dragged(h[i], &force, &early) - exact);
        print_message("h %g\n", h[i]);
        check_below("R28 speed before the limit [m/s]", early, 1e-8);
        check_near("R28 force at the start of motion [N]", force, 3.924, 0.005 * 3.924 + 2 * 0.4 * GRAVITY * 2 * h[i]);
        check_below("R28 error of v(1 s), at most mu g h (first order) [m/s]", error[i], 0.4 * GRAVITY * h[i] + 1e-8);
    }
}

// A hull with more vertices than one plane's contact takes, wider at half height than below, slides on its lower face:
// at speed the points had been the lowest of a body tilted by 45 degrees, one of them of the face (0.29 mm deep, 6
// mrad).
static void test_fast_hull(void **state)
{
    char points[2048] = "";
    for (int k = 0, at = 0; k < 24; k++) {
        double angle = 2.0 * M_PI * (k % 8) / 8.0 + (k / 8 == 1 ? 0.2 : 0.0), radius = k / 8 == 1 ? 0.1 : 0.05;
        at += snprintf(points + at, sizeof points - (size_t)at, "%s[%.6f, %.6f, %g]", k > 0 ? ", " : "",
                       radius * cos(angle), radius * sin(angle), (double[]){-0.03, 0.0, 0.05}[k / 8]);
    }
    for (int moves = 0; moves < 2; moves++) { // the plane instead
        scenario s =
            scenario_open("step: 10 ms\nmaterials: {default: {friction: 0.3}}\nbodies:\n"
                          "  floor: {motion: {position: ['%d*t', 0, 0]}, shape: {plane: {}}}\n"
                          "  hull: {position: [0, 0, 0.03], velocity: [%d, 0, 0], shape: {hull: {points: [%s]}}}\n",
                          moves ? -10 : 0, moves ? 0 : 10, points);
        double deepest = 0.0;
        for (int k = 0; k < 50; k++) {
            scenario_step(&s);
            deepest = fmax(deepest, s.report.solve.certificate.penetration);
        }
        check_below("penetration of a hull that slides at 10 m/s [m]", deepest, 1e-6); // 1.5e-7: friction tilts it
        scenario_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_r01_stopping_distance),
        cmocka_unit_test(test_r09_gliding),
        cmocka_unit_test(test_r09_velocity_level),
        cmocka_unit_test(test_r02_incline),
        cmocka_unit_test(test_no_slip),
        cmocka_unit_test(test_r02_tower),
        cmocka_unit_test(test_r28_dragged_cube),
        cmocka_unit_test(test_fast_hull),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
