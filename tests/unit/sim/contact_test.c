// Contact through the whole step: momentum in collisions, impacts, surfaces that move, bookkeeping.
#include "scenario.h"

// Two bricks and a ball collide in free space, off center and spinning.
static scenario collision(const char *scheme, double restitution)
{
    return scenario_open("scheme: %s\nstep: 2 ms\ngravity: [0, "
                         "0, 0]\nrestitution_threshold: 1 mm/s\n"
                         "solver: {name: pgs, tolerance: {momentum: 1e-12, natural: 1e-12}}\n"
                         "materials: {m: {density: 1000, friction: 0.4, restitution: %g}}\n"
                         "defaults: {body: {material: m}}\n"
                         "bodies:\n"
                         "  a: {velocity: [2, 0, 0], angular_velocity: [1, 3, 2], shape: {box: [0.4, 0.2, 0.1]}}\n"
                         "  b: {position: [0.6, 0.05, 0.05], velocity: [-1, 0, 0], shape: {box: [0.2, 0.3, 0.1]}}\n"
                         "  c: {position: [1.2, 0.1, 0.1], velocity: [-3, 0, 0], shape: {sphere: 0.1}}\n",
                         scheme, restitution);
}

static void test_collisions_keep_momentum(void **unused)
{
    const char *schemes[2] = {"euler", "midpoint"};
    for (int i = 0; i < 4; i++) {
        double restitution = i < 2 ? 0.0 : 0.8;
        scenario s = collision(schemes[i % 2], restitution);
        double first[6], linear = 0.0, angular = 0.0, e0 = 0.0, gain = 0.0;
        int touched = 0;
        for (int n = 0; n < 400; n++) {
            scenario_step(&s);
            const tn_energy *e = &s.report.energy;
            for (int k = 0; k < 3; k++) {
                if (n == 0) {
                    first[k] = e->momentum[k];
                    first[3 + k] = e->angular_momentum[k];
                    e0 = e->kinetic;
                }
                linear = fmax(linear, fabs(e->momentum[k] - first[k]));
                angular = fmax(angular, fabs(e->angular_momentum[k] - first[3 + k]));
            }
            gain = fmax(gain, e->kinetic / e0 - 1.0);
            touched += s.report.n_contacts > 0;
        }
        print_message("%s, restitution %g: contacts in %d steps, energy left %.3f\n", schemes[i % 2], restitution,
                      touched, s.report.energy.kinetic / e0);
        assert_true(touched > 0);
        check_below("linear momentum drift [kg m/s] of 20", linear, 1e-10);
        // Torque acts at the step's start in body axes that turn: first order in h |omega|, of 3 kg m^2/s.
        check_below("angular momentum drift [kg m^2/s]", angular, 0.05);
        check_below("relative energy gain", gain, 1e-9);
        scenario_close(&s);
    }
}

static void test_collision_of_spheres_keeps_angular_momentum(void **unused)
{
    scenario s = scenario_open("step: 2 ms\ngravity: [0, 0, 0]\n"
                               "solver: {name: pgs, tolerance: {momentum: 1e-12, natural: 1e-12}}\n"
                               "materials: {m: {density: 1000, friction: 0.4}}\n"
                               "defaults: {body: {material: m}}\n"
                               "bodies:\n"
                               "  a: {velocity: [2, 0, 0], angular_velocity: [1, 30, 20], shape: {sphere: 0.1}}\n"
                               "  b: {position: [0.5, 0.08, 0.05], velocity: [-1, 0, 0], shape: {sphere: 0.15}}\n");
    double first[3], worst = 0.0;
    int touched = 0;
    for (int n = 0; n < 200; n++) {
        scenario_step(&s);
        touched += s.report.solve.iterations > 0;
        for (int k = 0; k < 3; k++) {
            first[k] = n == 0 ? s.report.energy.angular_momentum[k] : first[k];
            worst = fmax(worst, fabs(s.report.energy.angular_momentum[k] - first[k]));
        }
    }
    assert_true(touched > 0);
    check_below("angular momentum drift, spheres [kg m^2/s]", worst, 1e-10);
    scenario_close(&s);
}

// A conveyor (a plane that slides under the box without end) drags it up to its own speed.
static void test_conveyor(void **unused)
{
    scenario s = scenario_open("step: 5 ms\nsolver: {tolerance: {momentum: 1e-10, natural: 1e-10}}\n"
                               "materials: {m: {density: 1000, friction: 0.5}}\n"
                               "defaults: {body: {material: m}}\n"
                               "bodies:\n"
                               "  belt: {motion: {position: ['2 * t', 0, 0]}, shape: {plane: {}}}\n"
                               "  box: {position: [0, 0, 0.1], shape: {box: [0.2, 0.2, 0.2]}}\n");
    int b = scenario_body(&s, "box");
    scenario_run(&s, 0.2);
    check_near("speed while it slips [m/s]", scenario_velocity(&s, b, 0), 0.5 * GRAVITY * 0.2, 1e-6);
    scenario_run(&s, 0.6);
    check_near("speed on the belt [m/s]", scenario_velocity(&s, b, 0), 2.0, 1e-7);
    // m = 8 kg at 2 m/s has 16 J; the belt brought that and as much again, lost in sliding.
    check_near("injected by the belt [J]", s.report.energy.injected, 32.0, 0.01 * 32.0);
    check_near("dissipated [J]", s.report.energy.dissipated, 16.0, 0.02 * 16.0);
    scenario_close(&s);
}

// A table that rises carries a box without letting it sink in or fly off.
static void test_lift(void **unused)
{
    const char *schemes[2] = {"euler", "midpoint"};
    for (int i = 0; i < 2; i++) {
        scenario s = scenario_open("step: 5 ms\nsolver: {tolerance: {momentum: 1e-10, natural: 1e-10}}\nscheme: %s\n"
                                   "bodies:\n"
                                   "  table: {motion: {position: [0, 0, '0.1 * sin(3 * t)']}, shape: {plane: {}}}\n"
                                   "  box: {position: [0, 0, 0.1], shape: {box: [0.2, 0.2, 0.2]}}\n",
                                   schemes[i]);
        double worst = 0.0;
        for (int n = 0; n < 400; n++) {
            scenario_step(&s);
            worst = fmax(worst, fabs(scenario_position(&s, 2, 2) - scenario_position(&s, 1, 2) - 0.1));
        }
        print_message("%s: ", schemes[i]);
        check_below("box off its lift [m]", worst, 1e-8); // acceleration 0.9 < g: contact is never lost
        scenario_close(&s);
    }
}

// Free fall and rest: all that gravity gave is booked as dissipated.
static void test_energy_balance_of_a_landing(void **unused)
{
    scenario s = scenario_open("step: 1 ms\nsolver: {tolerance: {momentum: 1e-10, natural: 1e-10}}\nscheme: midpoint\n"
                               "bodies:\n"
                               "  floor: {fixed: true, shape: {plane: {}}}\n"
                               "  box: {position: [0, 0, 1.1], mass: 1, shape: {box: [0.2, 0.2, 0.2]}}\n");
    scenario_run(&s, 1.0);
    check_near("gravity at rest [J]", s.report.energy.gravity, GRAVITY * 0.1, 1e-6);
    check_near("dissipated [J]", s.report.energy.dissipated, GRAVITY * 1.0, 0.005 * GRAVITY);
    check_below("|balance| of the last step [J]", fabs(s.report.energy.balance), 1e-9);
    check_below("penetration [m]", s.report.solve.certificate.penetration, 1e-9);
    assert_true(s.report.tolerances_held);
    tn_contact_info info;
    double sum = 0.0;
    for (int i = 0; i < tn_sim_contact_count(s.sim); i++) {
        tn_sim_contact(s.sim, i, &info);
        assert_int_equal(info.body_a, 1);
        assert_int_equal(info.body_b, 2);
        sum += info.force[2];
    }
    check_near("sum of contact forces [N]", sum, GRAVITY, 1e-6);
    scenario_close(&s);
}

// Gap terms: a box that starts in the floor by 1 mm.
static void test_gap_terms(void **unused)
{
    const char *terms[3] = {"none", "full", "baumgarte"};
    const double wanted[3] = {0.099, 0.1, 0.099 + 0.2 * 0.001};
    for (int i = 0; i < 3; i++) {
        scenario s = scenario_open("step: 10 ms\nsolver: {tolerance: {momentum: 1e-10, natural: 1e-10}}\ngap: %s\n"
                                   "bodies:\n"
                                   "  floor: {fixed: true, shape: {plane: {}}}\n"
                                   "  box: {position: [0, 0, 0.099], shape: {box: [0.2, 0.2, 0.2]}}\n",
                                   terms[i]);
        scenario_step(&s);
        print_message("%s: ", terms[i]);
        check_near("height after one step [m]", scenario_position(&s, 2, 2), wanted[i], 1e-9);
        scenario_close(&s);
    }
}

// Without a gap term contacts act on velocities once the surfaces touch, and persist.
static void test_gap_none_persists(void **unused)
{
    scenario s = scenario_open("step: 10 ms\nsolver: {tolerance: {momentum: 1e-10, natural: 1e-10}}\ngap: none\n"
                               "bodies:\n"
                               "  floor: {fixed: true, shape: {plane: {}}}\n"
                               "  box: {position: [0, 0, 0.1], shape: {box: [0.2, 0.2, 0.2]}}\n");
    double worst = 0.0;
    for (int n = 0; n < 500; n++) {
        scenario_step(&s);
        assert_int_equal(s.report.n_contacts, 4);
        worst = fmax(worst, fabs(scenario_position(&s, 2, 2) - 0.1));
    }
    check_below("drift over 5 s without gap term [m]", worst, 1e-7);
    scenario_close(&s);
}

// A 2D disk on an incline in a plane: rolls like its 3D twin with the same moment.
static void test_planar_rolling(void **unused)
{
    scenario s = scenario_open(
        "step: 1 ms\nsolver: {tolerance: {momentum: 1e-10, natural: 1e-10}}\ngravity: [4.905, 0, -8.495709211125347]\n"
        "materials: {m: {density: 1000, friction: 0.5}}\n"
        "defaults: {body: {material: m}}\n"
        "bodies:\n"
        "  floor: {fixed: true, shape: {plane: {}}}\n"
        "  disk: {position: [0, 0, 0.1], confine: [0, 1, 0], shape: {sphere: 0.1}}\n");
    scenario_run(&s, 1.0);
    check_near("rolling speed, 5/7 g sin(30 deg) t [m/s]", scenario_velocity(&s, 2, 0), 5.0 / 7.0 * 4.905, 1e-6);
    check_near("no motion across [m]", scenario_position(&s, 2, 1), 0.0, 1e-14);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_collisions_keep_momentum),
        cmocka_unit_test(test_collision_of_spheres_keeps_angular_momentum),
        cmocka_unit_test(test_conveyor),
        cmocka_unit_test(test_lift),
        cmocka_unit_test(test_energy_balance_of_a_landing),
        cmocka_unit_test(test_gap_terms),
        cmocka_unit_test(test_gap_none_persists),
        cmocka_unit_test(test_planar_rolling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
