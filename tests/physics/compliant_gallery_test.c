// The scenes of scenes/compliant that are mechanisms do what they are there for; those of contact alone are in
// contact_stiffness_test.c. `tenon bench papers --only compliant` shows the whole series.
#include "gallery.h"

// Backward Euler of x'' = -k x: x -> x/(1 + i h w) in modulus, whatever h w.
static void test_spring_mass_damper(void **state)
{
    const double steps[] = {1e-5, 1e-3, 1e-2};
    for (int k = 0; k < 3; k++) {
        char step[40];
        snprintf(step, sizeof step, "step=%.17g", steps[k]);
        scenario s = gallery_open("compliant/spring_mass_damper.yaml", 1, (const char *[]){step});
        int mass = scenario_body(&s, "mass");
        double h = steps[k], x = 1.0, v = 0.0, worst = 0.0;
        for (int n = 0; n < 50; n++) {
            scenario_step(&s);
            v = (v - h * 1e6 * x) / (1.0 + h * h * 1e6);
            x += h * v;
            worst = fmax(worst, fabs(scenario_position(&s, mass, 0) - x));
        }
        check_below("off backward Euler [m]", worst, 1e-13);
        scenario_close(&s);
    }
}

// How far the pin is off after a second's swing.
static double deviation(double h)
{
    char step[40];
    snprintf(step, sizeof step, "step=%.17g", h);
    scenario s = gallery_open("compliant/pendulum.yaml", 1, (const char *[]){step});
    int bob = scenario_body(&s, "bob");
    double worst = 0.0;
    for (int n = 0; n < (int)(1.0 / h + 0.5); n++) {
        double x[3], q[4];
        scenario_step(&s);
        tn_state_body_pose(s.state, bob, x, q);
        double turn = 2.0 * atan2(q[2], q[0]);
        worst = fmax(worst, sqrt(pow(x[0] - cos(turn), 2.0) + pow(x[2] + sin(turn), 2.0)));
    }
    scenario_close(&s);
    return worst;
}

static void test_pendulum_deviates_with_the_step_squared(void **state)
{
    double last = deviation(1e-2);
    for (double h = 5e-3; h > 5e-4; h *= 0.5) {
        double now = deviation(h);
        check_near("slope of the deviation", log2(last / now), 2.0, 0.05); // of the task
        last = now;
    }
}

// The largest energy error in m g L over a second. The springs have the energy of the force they bear, at most some 100
// N here, however far the linearised step leaves the pin (0.08 m at 0.1 s). All steps' balances add up to the whole
// one.
static double energy_error(double h)
{
    char step[40];
    snprintf(step, sizeof step, "step=%.17g", h);
    scenario s = gallery_open("compliant/pendulum.yaml", 1, (const char *[]){step});
    double worst = 0.0, elastic = 0.0, sum = 0.0, open = 0.0;
    for (int n = 0; n < (int)(1.0 / h + 0.5); n++) {
        scenario_step(&s); // fails where energy comes from nowhere by gain_limit
        const tn_energy *e = &s.report.energy;
        double all = e->kinetic + e->gravity + e->elastic;
        sum += e->balance;
        worst = fmax(worst, fabs(all) / GRAVITY);
        elastic = fmax(elastic, e->elastic);
        open = fmax(open, fabs(sum - all - e->dissipated + e->injected));
    }
    check_below("elastic energy [J]", elastic, 100.0 * 100.0 / 2e15);
    check_below("sum of the balances beside the whole [J]", open, 1e-12);
    scenario_close(&s);
    return worst;
}

// As docs/compliant.md: of first order, 0.156 at 0.1 s.
static void test_pendulum_books_close(void **state)
{
    double last = energy_error(1e-1);
    check_near("energy error at 0.1 s [m g L]", last, 0.156, 1e-3);
    last = energy_error(1e-2);
    for (double h = 5e-3; h > 1e-3; h *= 0.5) {
        double now = energy_error(h);
        check_near("slope of the energy error", log2(last / now), 1.0, 0.05);
        last = now;
    }
}

// Springs that the step resolves keep K x^2/2 of their length, up to what a step's drift, of order h^2, makes of it.
static void test_soft_pendulum_keeps_its_elastic_energy(void **state)
{
    double last = 0.0;
    for (double h = 1e-3; h > 1e-4; h *= 0.5) {
        char step[40];
        snprintf(step, sizeof step, "step=%.17g", h);
        scenario s = gallery_open("compliant/pendulum.yaml", 2, (const char *[]){step, "joints.pin.stiffness=1e3"});
        int bob = scenario_body(&s, "bob");
        double worst = 0.0, most = 0.0;
        for (int n = 0; n < (int)(1.0 / h + 0.5); n++) {
            double x[3], q[4];
            scenario_step(&s);
            tn_state_body_pose(s.state, bob, x, q);
            double turn = 2.0 * atan2(q[2], q[0]);
            double wanted = 0.5 * 1e3 * (pow(x[0] - cos(turn), 2.0) + pow(x[2] + sin(turn), 2.0));
            worst = fmax(worst, fabs(s.report.energy.elastic - wanted));
            most = fmax(most, wanted);
        }
        check_below("off K x^2/2, of its largest", worst / most, 1e3 * h * h);
        if (last > 0.0) {
            check_near("slope of that", log2(last / worst), 2.0, 0.05);
        }
        last = worst;
        scenario_close(&s);
    }
}

// At 1 ms the stop is a dead end: no speed is left, and it is not passed by more than its force takes.
static void test_pendulum_stops_dead(void **state)
{
    scenario s = gallery_open("compliant/pendulum_limit.yaml", 0, NULL);
    double fastest = 0.0, back = 0.0, deepest = 0.0, gained = -1.0;
    for (int n = 0; n < 1000; n++) {
        double turn[3], rate[3];
        scenario_step(&s);
        tn_state_joint(s.state, 0, turn, rate);
        fastest = fmax(fastest, rate[0]);
        back = fmax(back, -rate[0]);
        deepest = fmax(deepest, turn[0] - 0.5 * PI);
        gained = fmax(gained, s.report.energy.kinetic + s.report.energy.gravity);
    }
    check_near("speed at the stop [rad/s]", fastest, sqrt(2.0 * GRAVITY / (1.0 + 1.0 / 12.0)), 0.02);
    check_below("speed back [rad/s]", back, 1e-3);
    check_below("beyond the stop [rad]", deepest, 1e-7);
    check_below("energy above that at the start, of m g L", gained / GRAVITY, 2e-3);
    scenario_close(&s);
}

// ---- to the rigid limit

enum { SETS = 24, SET_LENGTH = 120 };

typedef struct sets {
    int n;
    char text[SETS][SET_LENGTH];
    const char *list[SETS];
} sets;

__attribute__((format(printf, 2, 3))) static void add_set(sets *s, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    assert_true(s->n < SETS && vsnprintf(s->text[s->n], SET_LENGTH, format, arguments) < SET_LENGTH);
    va_end(arguments);
    s->list[s->n] = s->text[s->n];
    s->n++;
}

// The largest distance between the bodies of two runs of a scene over a time.
static double apart(const char *scene, const sets *soft, const sets *rigid, double until)
{
    scenario a = gallery_open(scene, soft->n, soft->list), b = gallery_open(scene, rigid->n, rigid->list);
    double worst = 0.0;
    while (tn_state_time(a.state) < until - 5e-7) {
        scenario_step(&a);
        scenario_step(&b);
        for (int body = 1; body < tn_model_body_count(a.model); body++) {
            double square = 0.0;
            for (int k = 0; k < 3; k++) {
                square += pow(scenario_position(&a, body, k) - scenario_position(&b, body, k), 2.0);
            }
            worst = fmax(worst, sqrt(square));
        }
    }
    scenario_close(&a);
    scenario_close(&b);
    return worst;
}

// Stiffness of the robot's drives times `times`; 0: infinite. A ball in place of the box, whose four corners could
// share its weight in many ways.
static void robot_sets(double times, sets *s)
{
    const double stiffness[] = {1e8, 1e8, 1e7, 1e6, 1e5, 1e4};
    s->n = 0;
    add_set(s, "bodies.box.shape={sphere: 0.15}");
    add_set(s, "solver={tolerance: {momentum: 1e-13, natural: 1e-13, joint: 1e-13}}");
    for (int k = 0; k < 6; k++) {
        if (times > 0.0) {
            add_set(s, "joints.axis%d.turn.motor.stiffness=%.17g", k + 1, times * stiffness[k]);
        } else {
            add_set(s, "joints.axis%d.turn.motor.stiffness=infinite", k + 1);
            add_set(s, "joints.axis%d.turn.motor.damping=0", k + 1);
        }
    }
}

// Bodies are apart by 1/K, K being `times` that of the scene, and by next to nothing at last.
static void check_limit(const char *scene, void (*set)(double times, sets *s), double until)
{
    sets soft, rigid;
    double before = 0.0;
    set(0.0, &rigid);
    for (double times = 1e2; times < 2e8; times *= 10.0) {
        set(times, &soft);
        double now = apart(scene, &soft, &rigid, until);
        if (before > 0.0) {
            check_near("slope of the distance to the rigid limit", log10(before / now), 1.0, 0.01); // of the task
        }
        before = now;
    }
    check_below("distance at the last [m]", before, 1e-9); // of the task
}

static void test_robot_tends_to_rigid_drives(void **state)
{
    check_limit("compliant/elastic_robot.yaml", robot_sets, 1.5);
}

// Bushings `times` as stiff and damped; 0: welds. Without corrections of the positions, which welds alone would get:
// what the linearised step leaves of a turn's second order would be 1.1e-5 m between them at any stiffness.
static void car_sets(double times, sets *s)
{
    const char *const corners[] = {"fl", "fr", "rl", "rr"};
    s->n = 0;
    add_set(s, "projection=0");
    add_set(s, "coordinates=maximal");
    add_set(s, "solver={tolerance: {momentum: 1e-13, natural: 1e-13, joint: 1e-13}}");
    for (int k = 0; k < 4; k++) {
        const char *at = corners[k];
        if (times > 0.0) {
            add_set(s, "joints.rubber_%s.stiffness=[%g, %g, %g]", at, 1e6 * times, 5e6 * times, 5e6 * times);
            add_set(s, "joints.rubber_%s.damping=[%g, %g, %g]", at, 1e3 * times, 3e3 * times, 3e3 * times);
            add_set(s, "joints.rubber_%s.turn_stiffness=[%g, %g, %g]", at, 5e4 * times, 5e4 * times, 5e4 * times);
            add_set(s, "joints.rubber_%s.turn_damping=[%g, %g, %g]", at, 50 * times, 50 * times, 50 * times);
        } else {
            add_set(s, "joints.rubber_%s={type: weld, a: carrier_%s, b: hub_%s}", at, at, at);
        }
    }
}

static void test_car_tends_to_welded_hubs(void **state)
{
    check_limit("compliant/car.yaml", car_sets, 0.3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_spring_mass_damper),
        cmocka_unit_test(test_pendulum_deviates_with_the_step_squared),
        cmocka_unit_test(test_pendulum_stops_dead),
        cmocka_unit_test(test_pendulum_books_close),
        cmocka_unit_test(test_soft_pendulum_keeps_its_elastic_energy),
        cmocka_unit_test(test_robot_tends_to_rigid_drives),
        cmocka_unit_test(test_car_tends_to_welded_hubs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
