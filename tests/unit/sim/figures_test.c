// Figures of a step compared with known values from both sides: penetration, the worse of two solves, what joints bear.
#include "scenario.h"

#include "math/vec3.h"

#include <string.h>

// Overlaps that the gap term `none` leaves as they are, without gravity: the figure is the overlap.
static void penetration(void **unused)
{
    static const char head[] = "gravity: [0, 0, 0]\ngap: none\n";
    const struct {
        const char *what, *bodies;
        double wanted, limit;
    } cases[] = {
        {"ball in a plane",
         "bodies: {f: {fixed: true, shape: {plane: {}}}, b: {position: [0, 0, 95 mm], shape: {sphere: 0.1}}}", 5e-3,
         1e-15},
        {"the plane named last",
         "bodies: {b: {position: [0, 0, 95 mm], shape: {sphere: 0.1}}, f: {fixed: true, shape: {plane: {}}}}", 5e-3,
         1e-15},
        {"two balls aslant",
         "bodies: {a: {shape: {sphere: 0.1}}, b: {position: [0.12, 0, 0.16], shape: {sphere: 0.105}}}", 5e-3, 1e-15},
        {"boxes",
         "bodies: {a: {shape: {box: [1, 1, 1]}}, b: {position: [0.2, 0.1, 0.797], shape: {box: [0.6, 0.6, 0.6]}}}",
         3e-3, 1e-14},
        {"the deepest of three counts",
         "bodies: {f: {fixed: true, shape: {plane: {}}}, a: {position: [0, 0, 99 mm], shape: {sphere: 0.1}}, "
         "b: {position: [1, 0, 96 mm], shape: {sphere: 0.1}}, c: {position: [2, 0, 98 mm], shape: {sphere: 0.1}}}",
         4e-3, 1e-15},
        {"a ball that only touches",
         "bodies: {f: {fixed: true, shape: {plane: {}}}, b: {position: [0, 0, 0.1], shape: {sphere: 0.1}}}", 0.0,
         1e-15},
        {"a soft block in a plane",
         "bodies: {f: {fixed: true, shape: {plane: {}}}}\nsoft: {s: {grid: {size: [0.2, 0.2, 0.2], divisions: [1, 1, "
         "1]}, young: 1e5, position: [0, 0, 97 mm]}}",
         3e-3, 1e-12},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        scenario s = scenario_open("%s%s\n", head, cases[k].bodies);
        scenario_step(&s);
        check_near(cases[k].what, s.report.solve.certificate.penetration, cases[k].wanted, cases[k].limit);
        scenario_close(&s);
    }
}

// The figures of a step with an impact are the worse ones of its two solves, each by itself; a NaN gives way.
static void worse_of_two_solves(void **unused)
{
    const size_t merged[] = {offsetof(tn_certificate, momentum),
                             offsetof(tn_certificate, signorini_primal),
                             offsetof(tn_certificate, signorini_dual),
                             offsetof(tn_certificate, complementarity),
                             offsetof(tn_certificate, cone),
                             offsetof(tn_certificate, dissipation),
                             offsetof(tn_certificate, natural),
                             offsetof(tn_certificate, joint),
                             offsetof(tn_certificate, fclib),
                             offsetof(tn_certificate, strict_natural),
                             offsetof(tn_certificate, strict_complementarity)};
    const double pairs[4][3] = {{1.0, 2.0, 2.0}, {3.0, 2.0, 3.0}, {NAN, 2.0, 2.0}, {3.0, NAN, 3.0}};
    for (size_t k = 0; k < sizeof merged / sizeof *merged; k++) {
        for (int p = 0; p < 4; p++) {
            tn_solve_report step = {.iterations = 3, .converged = true},
                            impact = {.iterations = 4, .converged = p != 1};
            char *a = (char *)&step.certificate + merged[k], *b = (char *)&impact.certificate + merged[k];
            memcpy(a, &pairs[p][0], sizeof(double));
            memcpy(b, &pairs[p][1], sizeof(double));
            tn_sim_merge_reports(&step, &impact);
            double got;
            memcpy(&got, a, sizeof got);
            assert_true(got == pairs[p][2]);
            assert_int_equal(step.iterations, 7);
            assert_int_equal(step.converged, p != 1);
        }
    }
}

// A beam of 2 kg and 1 m held by a hinge at its end, its axis along y: gravity turns it to a positive angle, which a
// limit stops. Force on b and effort of the limit by statics, of both limits, with b the beam and with b the world.
static void effort_of_limits(void **unused)
{
    for (int upper = 0; upper < 2; upper++) {
        for (int order = 0; order < 2; order++) {
            // b's angle about the axis relative to a's: falling is positive about +y for the beam as b.
            bool falls_up = (upper == 1) == (order == 0);
            scenario s = scenario_open("bodies: {beam: {position: [0.5, 0, 0], mass: 2, shape: {box: [1, 0.1, 0.1]}}}\n"
                                       "joints: {j: {type: revolute, a: %s, b: %s, anchor: [0, 0, 0], axis: [0, %d, "
                                       "0], turn: {limits: [%s]}}}\n",
                                       order == 0 ? "world" : "beam", order == 0 ? "beam" : "world", falls_up ? 1 : -1,
                                       upper == 1 ? "-1, 0" : "0, 1");
            scenario_steps(&s, 20);
            tn_joint_info info;
            tn_sim_joint(s.sim, s.state, 0, &info);
            double torque = 2.0 * GRAVITY * 0.5, sign = order == 0 ? 1.0 : -1.0;
            print_message("%s limit, the beam is %c:\n", upper ? "upper" : "lower", order == 0 ? 'b' : 'a');
            check_near("effort", info.effort[0], upper ? -torque : torque, 1e-6 * torque);
            check_near("force on b", info.force[2], sign * 2.0 * GRAVITY, 1e-5);
            check_near("torque on b", info.torque[1], -sign * torque, 1e-5);
            check_near("torque on b, x and z", fabs(info.torque[0]) + fabs(info.torque[2]), 0.0, 1e-6);
            assert_int_equal(info.condition[0], upper ? TN_JOINT_AT_HIGH : TN_JOINT_AT_LOW);
            scenario_close(&s);
        }
    }
}

// A motor that holds a load with part of its strength, and one that has too little: effort is the load, or the
// strength.
static void effort_of_motors(void **unused)
{
    const double strengths[2] = {30.0, 12.0};
    for (int k = 0; k < 2; k++) {
        scenario s =
            scenario_open("bodies: {load: {mass: 2, shape: {box: [0.1, 0.1, 0.1]}}}\n"
                          "joints: {j: {type: prismatic, b: load, axis: [0, 0, -1], slide: {motor: {velocity: 0, "
                          "strength: %g}}}}\n",
                          strengths[k]);
        scenario_step(&s);
        tn_joint_info info;
        tn_sim_joint(s.sim, s.state, 0, &info);
        double weight = 2.0 * GRAVITY, given = fmin(weight, strengths[k]); // along -z the load goes to +
        check_near("motor's effort", info.effort[0], -given, 1e-6);
        check_near("force on b", info.force[2], given, 1e-6);
        check_near("velocity after the step", scenario_velocity(&s, 1, 2), -(weight - given) / 2.0 * 0.01, 1e-6);
        assert_int_equal(info.condition[0], k == 1 ? TN_JOINT_SATURATED : TN_JOINT_FREE);
        scenario_close(&s);
    }
}

// A weld with both compliances bears a beam by its end: it sinks by C m g and turns by C' m g l/2, seen as violations.
static void compliances(void **unused)
{
    const double values[2][2] = {{1e-4, 3e-4}, {2e-4, 1e-5}}; // [m/N], [rad/(N m)]
    for (int k = 0; k < 2; k++) {
        scenario s = scenario_open(
            "bodies: {beam: {position: [0.5, 0, 0], mass: 2, shape: {box: [1, 0.1, 0.1]}}}\n"
            "joints: {j: {type: weld, b: beam, anchor: [0, 0, 0], compliance: %g, turn_compliance: %g}}\n",
            values[k][0], values[k][1]);
        scenario_run(&s, 3.0);
        tn_joint_info info;
        tn_sim_joint(s.sim, s.state, 0, &info);
        double force = 2.0 * GRAVITY, torque = 0.5 * force; // the arm shortens by the cosine: 1e-5 of it
        check_near("sunk by C m g", info.violation[0], values[k][0] * force, 1e-4 * values[k][0] * force);
        check_near("turned by C' m g l/2", info.violation[1], values[k][1] * torque, 1e-4 * values[k][1] * torque);
        check_near("middle of the beam", scenario_position(&s, 1, 2),
                   -values[k][0] * force - 0.5 * values[k][1] * torque,
                   2e-4 * (values[k][0] * force + 0.5 * values[k][1] * torque));
        scenario_close(&s);
    }
}

// Error of a joint after one step, of what it was at the start: `stabilization` takes all of it, a part, or nothing.
static void stabilization(void **unused)
{
    const struct {
        const char *settings;
        double left;
    } cases[] = {{"stabilization: full", 0.0},
                 {"stabilization: none", 1.0},
                 {"stabilization: baumgarte", 0.8},
                 {"stabilization: baumgarte\nbaumgarte: 0.5", 0.5}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        scenario s = scenario_open("gravity: [0, 0, 0]\nprojection: 0\n%s\n"
                                   "bodies: {b: {mass: 2, position: [20 um, 0, 0], shape: {box: [0.1, 0.1, 0.1]}}}\n"
                                   "joints: {j: {type: spherical, b: b, point_a: [0, 0, 0], point_b: [0, 0, 0], slack: "
                                   "0.1 mm}}\n",
                                   cases[k].settings);
        scenario_step(&s);
        tn_joint_info info;
        tn_sim_joint(s.sim, s.state, 0, &info);
        check_near(cases[k].settings, info.violation[0] / 20e-6, cases[k].left, 1e-5); // rows yield by a millionth
        check_near("drift says the same", s.report.solve.certificate.drift, info.violation[0], 1e-18);
        scenario_close(&s);
    }
}

// A beam held out by a hinge about a vertical axis turns against the friction of its bearing: coefficient times radius
// times the weight that the hinge bears as a force; the moment that it bears too does not count.
static void friction_of_a_bearing(void **unused)
{
    scenario s = scenario_open(
        "bodies: {beam: {position: [0.5, 0, 0], mass: 2, angular_velocity: [0, 0, 0.02], velocity: [0, 0.01, "
        "0], shape: {box: [1, 0.1, 0.1]}}}\n"
        "joints: {j: {type: revolute, b: beam, anchor: [0, 0, 0], axis: [0, 0, 1], turn: {friction: "
        "{torque: 0.001, coefficient: 0.2, radius: 1 mm}}}}\n");
    scenario_step(&s); // the first step knows of no force yet
    scenario_step(&s);
    tn_joint_info info;
    tn_sim_joint(s.sim, s.state, 0, &info);
    double force = 2.0 * sqrt(GRAVITY * GRAVITY + 1e-8);
    check_near("its friction", info.effort[0], -(0.001 + 0.2 * 1e-3 * force), 1e-7);
    check_near("moment across", tn_vec3_norm(info.torque), sqrt(0.25 * force * force + info.effort[0] * info.effort[0]),
               1e-3);
    assert_int_equal(info.condition[0], TN_JOINT_FREE);
    scenario_close(&s);
}

// Limits away from zero, of either sign: the beam falls through where they are not and rests where they are.
static void where_limits_are(void **unused)
{
    const struct {
        const char *axis, *limits;
        double rest;
    } cases[] = {{"[0, 1, 0]", "-0.1, 0.3", 0.3}, {"[0, -1, 0]", "-0.3, 0.1", -0.3}};
    for (int k = 0; k < 2; k++) {
        scenario s =
            scenario_open("bodies: {beam: {position: [0.5, 0, 0], mass: 2, shape: {box: [1, 0.1, 0.1]}}}\n"
                          "joints: {j: {type: revolute, b: beam, anchor: [0, 0, 0], axis: %s, turn: {limits: [%s]}}}\n",
                          cases[k].axis, cases[k].limits);
        scenario_run(&s, 0.6);
        double q[3], rate[3];
        tn_state_joint(s.state, 0, q, rate);
        check_near("rests at", q[0], cases[k].rest, 1e-9);
        scenario_close(&s);
    }
    // Both limits on one side of the start: within the slack, and what is passed counts as drift.
    scenario s =
        scenario_open("gravity: [0, 0, 0]\nstabilization: none\nprojection: 0\nbodies: {b: {shape: {sphere: 0.1}}}\n"
                      "joints: {j: {type: prismatic, b: b, axis: [1, 0, 0], slack: 0.1 mm, slide: {limits: [-1, -20 "
                      "um]}}}\n");
    scenario_step(&s);
    check_near("drift of a passed limit", s.report.solve.certificate.drift, 20e-6, 1e-12);
    scenario_close(&s);
}

// What compliances, springs and joint springs store, at a step's end: half force squared over stiffness.
static void stored_energy(void **unused)
{
    scenario s = scenario_open(
        "bodies: {beam: {position: [0.5, 0, 0], mass: 2, shape: {box: [1, 0.1, 0.1]}}, w: {position: [0, 3, "
        "0], mass: 4, shape: {sphere: 0.1}}}\n"
        "joints:\n  j: {type: weld, b: beam, anchor: [0, 0, 0], compliance: 1e-4, turn_compliance: 3e-4}\n"
        "  k: {type: prismatic, b: w, axis: [0, 0, 1], slide: {stiffness: 500, damping: 90, rest: 0.1}}\n");
    scenario_run(&s, 4.0);
    double force = 2.0 * GRAVITY, torque = 0.5 * force, weight = 4.0 * GRAVITY;
    double wanted = 0.5 * (1e-4 * force * force + 3e-4 * torque * torque + weight * weight / 500.0);
    check_near("elastic energy", s.report.energy.elastic, wanted, 2e-5 * wanted);
    check_near("its place", scenario_position(&s, 2, 2), 0.1 - weight / 500.0, 1e-6);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(penetration),      cmocka_unit_test(worse_of_two_solves),
        cmocka_unit_test(effort_of_limits), cmocka_unit_test(effort_of_motors),
        cmocka_unit_test(compliances),      cmocka_unit_test(friction_of_a_bearing),
        cmocka_unit_test(where_limits_are), cmocka_unit_test(stored_energy),
        cmocka_unit_test(stabilization),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
