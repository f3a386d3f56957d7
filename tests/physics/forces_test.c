// Forces at rest (tn_sim_forces) of statically determinate cases with closed forms, of equal feet, and where there is
// no equilibrium. Limits: 1e-9 of the weight, what statically indeterminate feet must agree to.
#include "scenario.h"

#include "state/state.h"

static const double TOLERANCE = 1e-9; // relative to the weights, see above

static tn_forces_report find(const scenario *s, bool elastic)
{
    tn_error error = {0};
    tn_forces_report report;
    if (tn_sim_forces(s->sim, s->state, &(tn_forces_options){elastic}, &report, &error) != TN_OK) {
        scenario_fail("forces", &error);
    }
    print_message("%s: %d contacts, %d solves, %d iterations, momentum %.1e, natural %.1e, joint %.1e, left %.1e\n",
                  report.solve.solver, report.n_contacts, report.refinements, report.solve.iterations,
                  report.solve.certificate.momentum, report.solve.certificate.natural, report.solve.certificate.joint,
                  report.unbalanced);
    assert_true(report.held);
    return report;
}

// The only contact between two bodies: normal force and friction along a direction.
static tn_contact_info contact_of(const scenario *s, const char *one, const char *other)
{
    tn_contact_info found = {0}, c;
    int a = tn_model_find_body(s->model, one), b = tn_model_find_body(s->model, other), n = 0;
    for (int i = 0; i < tn_sim_contact_count(s->sim); i++) {
        tn_sim_contact(s->sim, i, &c);
        if ((c.body_a == a && c.body_b == b) || (c.body_a == b && c.body_b == a)) {
            found = c;
            n++;
        }
    }
    assert_int_equal(n, 1);
    return found;
}

static double normal_force(const tn_contact_info *c)
{
    return c->force[0] * c->normal[0] + c->force[1] * c->normal[1] + c->force[2] * c->normal[2];
}

static tn_joint_info joint_of(const scenario *s, const char *name)
{
    tn_joint_info info;
    int joint = tn_model_find_joint(s->model, name);
    assert_true(joint >= 0);
    tn_sim_joint(s->sim, s->state, joint, &info);
    return info;
}

// Feet at the corners of any number of equal legs: each bears the same, without friction forces.
static void feet_share_equally(void **state)
{
    static const char *const solvers[] = {"auto", "pgs"};
    for (int k = 0; k < 2; k++) {
        scenario s = scenario_open(
            "solver: {name: %s}\nbodies:\n  floor: {fixed: true, shape: {plane: {}}}\n  table: {position: [0.1, 0.2, "
            "0.75], shapes: [{box: [1.2, 0.8, 0.1]}, {sphere: {radius: 0.05}, position: [0.5, 0.3, -0.7]}, {sphere: "
            "{radius: 0.05}, position: [-0.5, 0.3, -0.7]}, {sphere: {radius: 0.05}, position: [0.5, -0.3, -0.7]}, "
            "{sphere: {radius: 0.05}, position: [-0.5, -0.3, -0.7]}]}\n",
            solvers[k]);
        tn_forces_report r = find(&s, false);
        assert_true(r.equilibrium);
        assert_int_equal(r.n_contacts, 4);
        double weight = s.model->total_mass * GRAVITY, apart = 0.0, across = 0.0;
        for (int i = 0; i < 4; i++) {
            tn_contact_info c;
            tn_sim_contact(s.sim, i, &c);
            apart = fmax(apart, fabs(c.force[2] / weight - 0.25));
            across = fmax(across, hypot(c.force[0], c.force[1]) / weight);
        }
        check_below("share of a foot off 1/4", apart, TOLERANCE);
        check_below("friction of a foot, of the weight", across, TOLERANCE);
        scenario_close(&s);
    }
}

// Five supports in a row under a beam, loaded beside its middle: as equal springs, f_i = W (1/5 + x_i x/sum x_i^2).
static void beam_on_many_shares_as_on_springs(void **state)
{
    scenario s = scenario_open(
        "bodies:\n  s1: {fixed: true, position: [-0.8, 0, -0.1], shape: {sphere: {radius: 0.1}}}\n  s2: {fixed: true, "
        "position: [-0.4, 0, -0.1], shape: {sphere: {radius: 0.1}}}\n  s3: {fixed: true, position: [0, 0, -0.1], "
        "shape: {sphere: {radius: 0.1}}}\n  s4: {fixed: true, position: [0.4, 0, -0.1], shape: {sphere: {radius: "
        "0.1}}}\n  s5: {fixed: true, position: [0.8, 0, -0.1], shape: {sphere: {radius: 0.1}}}\n  beam: {position: "
        "[0.1, 0, 0.05], shape: {box: [2, 0.1, 0.1]}}\n");
    assert_true(find(&s, false).equilibrium);
    double weight = s.model->total_mass * GRAVITY;
    for (int i = 0; i < 5; i++) {
        char name[16];
        snprintf(name, sizeof name, "s%d", i + 1);
        double x = -0.8 + 0.4 * i;
        tn_contact_info c = contact_of(&s, name, "beam");
        // The share is exact in the limit of no softness: 1e-6 of the rows' mobility is off by its square at most.
        check_near(name, normal_force(&c) / weight, 0.2 + x * 0.1 / 1.6, 1e-6);
    }
    scenario_close(&s);
}

static void beam_on_two_supports(void **state)
{
    scenario s = scenario_open("bodies:\n  left: {fixed: true, position: [-0.8, 0, -0.1], shape: {sphere: {radius: "
                               "0.1}}}\n  right: {fixed: true, position: [0.5, 0, -0.1], shape: {sphere: {radius: "
                               "0.1}}}\n  beam: {position: [0, 0, 0.05], shape: {box: [2, 0.1, 0.1]}}\n");
    tn_forces_report r = find(&s, false);
    assert_true(r.equilibrium);
    double weight = s.model->total_mass * GRAVITY;
    tn_contact_info left = contact_of(&s, "left", "beam"), right = contact_of(&s, "right", "beam");
    check_near("left support, of the weight", normal_force(&left) / weight, 0.5 / 1.3, TOLERANCE);
    check_near("right support, of the weight", normal_force(&right) / weight, 0.8 / 1.3, TOLERANCE);
    scenario_close(&s);
}

// A capsule of length L between its ends' centers, radius r, at the angle a: the wall has no friction, so that
// N_wall (L sin a + r) = m g L/2 cos a about the lower center, and the floor bears the rest.
static void ladder_against_smooth_wall(void **state)
{
    const double L = 4.0, r = 0.05, a = 65.0 * PI / 180.0;
    scenario s = scenario_open(
        "materials: {ice: {friction: 0}, wood: {friction: 0.6}}\npairs: [{materials: [ice, wood], friction: 0}]\n"
        "bodies:\n  floor: {fixed: true, material: wood, shape: {plane: [0, 0, 1]}}\n  wall: {fixed: true, material: "
        "ice, shape: {plane: [1, 0, 0]}}\n  ladder: {material: wood, position: [%.17g, 0, %.17g], rotation: {axis: "
        "[0, 1, 0], angle: %.17g}, shape: {capsule: {radius: %g, length: %g}}}\n",
        r + 0.5 * L * cos(a), r + 0.5 * L * sin(a), -(0.5 * PI - a), r, L);
    assert_true(find(&s, false).equilibrium);
    double weight = s.model->total_mass * GRAVITY, push = 0.5 * L * cos(a) / (L * sin(a) + r);
    tn_contact_info wall = contact_of(&s, "wall", "ladder"), floor = contact_of(&s, "floor", "ladder");
    check_near("wall, of the weight", normal_force(&wall) / weight, push, TOLERANCE);
    check_near("floor", normal_force(&floor) / weight, 1.0, TOLERANCE);
    check_near("friction of the floor", -floor.force[0] / weight, push, TOLERANCE);
    check_near("friction of the wall", wall.force[2] / weight, 0.0, TOLERANCE);
    scenario_close(&s);
}

// A block on 20 degrees: held by m g sin with enough friction, else mu N and the rest is left.
static void block_on_incline(void **state)
{
    const double a = 20.0 * PI / 180.0;
    for (int slides = 0; slides < 2; slides++) {
        double mu = slides ? 0.2 : 0.5;
        scenario s =
            scenario_open("gravity: [%.17g, 0, %.17g]\nmaterials: {default: {friction: %g}}\nbodies:\n  floor: {fixed: "
                          "true, shape: {plane: {}}}\n  block: {position: [0, 0, 0.1], shape: {box: [0.4, "
                          "0.4, 0.2]}}\n",
                          GRAVITY * sin(a), -GRAVITY * cos(a), mu);
        tn_forces_report r = find(&s, false);
        double weight = s.model->total_mass * GRAVITY, force[3];
        scenario_force(&s, scenario_body(&s, "floor"), scenario_body(&s, "block"), force);
        double friction = slides ? mu * cos(a) : sin(a);
        check_near("normal force, of the weight", force[2] / weight, cos(a), TOLERANCE);
        check_near("friction, of the weight", -force[0] / weight, friction, TOLERANCE);
        tn_unbalance left;
        tn_sim_unbalance(s.sim, s.state, scenario_body(&s, "block"), &left);
        check_near("left, of the weight", left.force[0] / weight, sin(a) - friction, TOLERANCE);
        assert_int_equal(r.equilibrium, !slides);
        assert_int_equal(r.unbalanced_body, scenario_body(&s, "block"));
        scenario_close(&s);
    }
}

// Two masses under one another, the upper one welded to a rod that hangs from a hinge; a door on two hinges, whose
// share along their axis statics leaves open.
static void masses_hang_on_joints(void **state)
{
    scenario s = scenario_open(
        "bodies:\n  rod: {position: [0, 0, -0.5], mass: 2, inertia: [1, 1, 1]}\n  ball: {position: [0, 0, -1.5], mass: "
        "3, inertia: [1, 1, 1]}\n  door: {position: [0.4, 5, 1], mass: 10, inertia: [3, 3, 3]}\njoints:\n  top: {type: "
        "revolute, axis: [0, 1, 0], b: rod, anchor: [0, 0, 0]}\n  link: {type: spherical, a: rod, b: ball, anchor: "
        "[0, 0, -1]}\n  low: {type: revolute, axis: [0, 0, 1], b: door, anchor: [0, 5, 0.4]}\n"
        "  high: {type: revolute, axis: [0, 0, 1], b: door, anchor: [0, 5, 1.6]}\n");
    assert_true(find(&s, false).equilibrium);
    check_near("link", joint_of(&s, "link").force[2], 3.0 * GRAVITY, 50.0 * TOLERANCE);
    check_near("top", joint_of(&s, "top").force[2], 5.0 * GRAVITY, 50.0 * TOLERANCE);
    tn_joint_info low = joint_of(&s, "low"), high = joint_of(&s, "high");
    check_near("low hinge, up", low.force[2], 5.0 * GRAVITY, 100.0 * TOLERANCE);
    check_near("high hinge, up", high.force[2], 5.0 * GRAVITY, 100.0 * TOLERANCE);
    // The hinges' torques share the moment with the pair of forces, but all in all they bear it.
    double moment = 1.2 * 0.5 * (low.force[0] - high.force[0]) - low.torque[1] - high.torque[1];
    check_near("their moment", moment, 0.4 * 10.0 * GRAVITY, 400.0 * TOLERANCE);
    scenario_close(&s);
}

// A lever on a hinge: 5 kg at 0.3 m on one side, a support without friction above the other at 0.6 m.
static void lever_divides_by_its_ratio(void **state)
{
    scenario s = scenario_open(
        "materials: {default: {friction: 0}}\nbodies:\n  support: {fixed: true, position: [-0.6, 0, 0.15], shape: "
        "{sphere: {radius: 0.1}}}\n  lever: {position: [0, 0, 0], shape: {box: [1.4, 0.1, 0.1]}}\n  load: {position: "
        "[0.3, 0, -0.3], mass: 5, inertia: [1, 1, 1]}\njoints:\n  pivot: {type: revolute, axis: [0, 1, 0], b: lever, "
        "anchor: [0, 0, 0]}\n  hook: {type: weld, a: lever, b: load}\n");
    assert_true(find(&s, false).equilibrium);
    tn_contact_info c = contact_of(&s, "support", "lever");
    double lever = s.model->bodies[scenario_body(&s, "lever")].mass;
    check_near("support", normal_force(&c), 2.5 * GRAVITY, 50.0 * TOLERANCE);
    check_near("pivot", joint_of(&s, "pivot").force[2], (lever + 7.5) * GRAVITY, 500.0 * TOLERANCE);
    scenario_close(&s);
}

// A weight of 4 kg at 0.5 m on the first shaft of a gear of ratio -2; a motor holds the second. The gear bears the load
// over the ratio, the motor too; less strength than that is no equilibrium.
static void gear_and_motor(void **state)
{
    for (int weak = 0; weak < 2; weak++) {
        scenario s = scenario_open(
            "bodies:\n  one: {position: [0.5, 0, 0], mass: 4, inertia: [1, 1, 1]}\n  two: {position: [0, 2, 0], mass: "
            "1, inertia: [1, 1, 1]}\njoints:\n  first: {type: revolute, axis: [0, 1, 0], b: one, anchor: [0, 0, 0]}\n"
            "  second: {type: revolute, axis: [0, 1, 0], b: two, anchor: [0, 2, 0], turn: {motor: {velocity: 0.3, "
            "strength: %g}}}\n  gear: {type: gear, joints: [first, second], ratio: -2}\n",
            weak ? 3.0 : 100.0);
        tn_forces_report r = find(&s, false);
        double torque = 4.0 * GRAVITY * 0.5; // about +y
        double motor = joint_of(&s, "second").effort[0];
        if (weak) {
            assert_false(r.equilibrium);
            check_near("motor", fabs(motor), 3.0, 3.0 * TOLERANCE);
            assert_int_equal(joint_of(&s, "second").condition[0], TN_JOINT_SATURATED);
        } else {
            assert_true(r.equilibrium);
            check_near("motor", motor, torque / 2.0, 10.0 * TOLERANCE);
            check_near("gear", fabs(joint_of(&s, "gear").effort[0]), torque / 2.0, 10.0 * TOLERANCE);
        }
        scenario_close(&s);
    }
}

// Springs pull as far as they are stretched; a joint's stiffness is rigid, or pulls likewise.
static void springs_have_their_forces(void **state)
{
    const double k = 500.0, m = 2.0;
    for (int elastic = 0; elastic < 2; elastic++) {
        scenario s = scenario_open(
            "bodies:\n  hung: {position: [0, 0, -1.1], mass: %g, inertia: [1, 1, 1]}\n  held: {position: [3, 0, 0], "
            "mass: %g, inertia: [1, 1, 1]}\n  floor: {fixed: true, shape: {plane: [0, 0, 1]}, position: [0, 0, -5]}\n  "
            "box: "
            "{position: [0, 0, -4.95], shape: {box: [1, 1, 0.1]}}\nsprings:\n  up: {a: world, b: hung, stiffness: %g, "
            "rest_length: 1}\n  box: {a: world, b: box, point_a: [0, 0, -3.95], stiffness: 100, rest_length: 0.5}\n"
            "joints:\n  hold: {type: spherical, b: held, anchor: [3, 0, 0], stiffness: 1e4}\n  line: {type: "
            "point_on_line, axis: [0, 0, 1], b: hung, anchor: [0, 0, 0], slide: {friction: 0.5}}\n",
            m, m, k);
        tn_forces_report r = find(&s, elastic);
        assert_false(r.equilibrium);
        double left = k * 0.1 - m * GRAVITY;
        tn_unbalance u;
        tn_sim_unbalance(s.sim, s.state, scenario_body(&s, "hung"), &u);
        check_near("spring less weight and friction", u.force[2], left - 0.5, 50.0 * TOLERANCE);
        double force[3], weight = s.model->bodies[scenario_body(&s, "box")].mass * GRAVITY;
        scenario_force(&s, scenario_body(&s, "floor"), scenario_body(&s, "box"), force);
        check_near("floor under a box that a spring lifts", force[2], weight - 50.0, weight * TOLERANCE);
        check_near("elastic hold", joint_of(&s, "hold").force[2], elastic ? 0.0 : m * GRAVITY, 50.0 * TOLERANCE);
        scenario_close(&s);
    }
}

// A box that stands on springs: rigid contacts bear its weight wherever it is; elastic ones what they are compressed.
static void contacts_rigid_or_elastic(void **state)
{
    const double depth = 1e-3, k = 1e4;
    scenario s = scenario_open("pairs: [{materials: [default, default], stiffness: %g, friction: 0.5}]\nbodies:\n  "
                               "floor: {fixed: true, shape: {plane: {}}}\n  box: {position: [0, 0, %.17g], mass: 4, "
                               "shape: {box: [0.4, 0.4, 0.2]}}\n",
                               k, 0.1 - depth);
    double force[3];
    assert_true(find(&s, false).equilibrium);
    scenario_force(&s, scenario_body(&s, "floor"), scenario_body(&s, "box"), force);
    check_near("rigid", force[2], 4.0 * GRAVITY, 40.0 * TOLERANCE);
    assert_false(find(&s, true).equilibrium);
    scenario_force(&s, scenario_body(&s, "floor"), scenario_body(&s, "box"), force);
    check_near("elastic", force[2], 4.0 * k * depth, 40.0 * 1e-8);
    tn_unbalance u;
    tn_sim_unbalance(s.sim, s.state, scenario_body(&s, "box"), &u);
    check_near("left", u.force[2], 4.0 * k * depth - 4.0 * GRAVITY, 40.0 * 1e-8);
    scenario_close(&s);
}

// A ball pressed into a slope by 1 mm rolls: the spring's force, and the friction of rolling, 2/7 of the weight along
// it.
static void spring_of_what_rolls(void **state)
{
    const double depth = 1e-3, k = 1e4, mu = 0.1, tilt = 0.3, lever = 1.0 - 5.0 * depth;
    const double roll = GRAVITY * sin(tilt) / (1.0 + 2.5 * lever * lever);
    scenario s = scenario_open("pairs: [{materials: [default, default], stiffness: %g, friction: %g}]\nbodies:\n  "
                               "floor: {fixed: true, rotation: [%g, 0, 0], shape: {plane: {}}}\n  ball: {position: [0, "
                               "%.17g, %.17g], mass: 1, shape: {sphere: 0.1}}\n",
                               k, mu, tilt, -sin(tilt) * (0.1 - depth), cos(tilt) * (0.1 - depth));
    assert_false(find(&s, true).equilibrium);
    tn_contact_info c = contact_of(&s, "floor", "ball");
    check_near("spring", normal_force(&c), k * depth, 1e-6);
    check_near("friction", hypot(hypot(c.force[0], c.force[1]), c.force[2]), hypot(k * depth, roll), 1e-6);
    scenario_close(&s);
}

// A plate deep in springs on an arm: the interior point ends far from the answer, which the scene's solver then finds.
static void springs_on_an_arm(void **state)
{
    scenario s = scenario_open("pairs: [{materials: [default, default], stiffness: 75 kN/m}]\nbodies:\n"
                               "  floor: {fixed: true, shape: {plane: {}}}\n"
                               "  plate: {mass: 4.6, shape: {box: [0.12, 0.2, 0.07]}}\njoints:\n"
                               "  arm: {type: universal, b: plate, anchor: [-0.24, 0.33, 1.2], axis: [-2, 1, -1],\n"
                               "    axis2: [1, 3, 1], turn2: {motor: {velocity: 0}}}\n");
    find(&s, true);
    scenario_close(&s);
}

// Dry friction of a bearing is what the same forces press: a slider under its weight with 0.3 of it bears a pull of 0.2
// of it, and of 0.5 leaves 0.2.
static void bearing_friction_is_pressed(void **state)
{
    for (int strong = 0; strong < 2; strong++) {
        double pull = strong ? 0.5 : 0.2, weight = 2.0 * GRAVITY;
        scenario s = scenario_open("bodies:\n  slider: {mass: 2, inertia: [1, 1, 1], force: [%.17g, 0, 0]}\njoints:\n  "
                                   "rail: {type: prismatic, axis: [1, 0, 0], b: slider, anchor: [0, 0, 0], slide: "
                                   "{friction: {coefficient: 0.3}}}\n",
                                   pull * weight);
        uint64_t before = tn_state_hash(s.state);
        assert_int_equal(find(&s, false).equilibrium, !strong);
        assert_true(tn_state_hash(s.state) == before); // forces of its joints as well
        tn_unbalance u;
        tn_sim_unbalance(s.sim, s.state, scenario_body(&s, "slider"), &u);
        check_near("friction, of the weight", joint_of(&s, "rail").effort[0] / weight, -fmin(pull, 0.3), TOLERANCE);
        check_near("left, of the weight", u.force[0] / weight, strong ? 0.2 : 0.0, TOLERANCE);
        scenario_close(&s);
    }
}

// A spherical joint with dry friction holds an arm of m g l = 1.962 N m, or all it can where that is less.
static void spherical_friction_holds(void **state)
{
    for (int weak = 0; weak < 2; weak++) {
        double most = weak ? 1.5 : 2.0, moment = 0.2 * GRAVITY;
        scenario s = scenario_open("bodies: {arm: {position: [0.2, 0, 0], mass: 1, inertia: [1e-3, 1e-3, 1e-3]}}\n"
                                   "joints: {j: {type: spherical, b: arm, anchor: [0, 0, 0], friction: %g N m}}\n",
                                   most);
        assert_int_equal(find(&s, false).equilibrium, !weak);
        tn_joint_info info = joint_of(&s, "j");
        check_near("moment [N m]", -info.torque[1], weak ? most : moment, 1e-8);
        // What is left turns the arm about the joint: alpha = (m g l - M)/(I + m l^2), m l alpha at its center.
        tn_unbalance u;
        tn_sim_unbalance(s.sim, s.state, scenario_body(&s, "arm"), &u);
        check_near("left [N]", -u.force[2], weak ? 0.2 * (moment - most) / (1e-3 + 0.04) : 0.0, 1e-7);
        scenario_close(&s);
    }
}

// A ball on 5 degrees stays where its rolling friction is a r with a > tan 5, else it begins to roll: of a solid ball
// with the moment a r N the acceleration is 5/7 (g sin - a g cos).
static void ball_held_by_rolling_friction(void **state)
{
    const double slope = 5.0 * PI / 180.0, r = 0.2;
    for (int rolls = 0; rolls < 2; rolls++) {
        double a = rolls ? 0.03 : 0.2;
        scenario s = scenario_open("gravity: [%.17g, 0, %.17g]\nmaterials: {default: {friction: 0.8, rolling: %g}}\n"
                                   "bodies:\n  floor: {fixed: true, shape: {plane: {}}}\n  ball: {position: [0, 0, "
                                   "%g], shape: {sphere: {radius: %g}}}\n",
                                   GRAVITY * sin(slope), -GRAVITY * cos(slope), a * r, r, r);
        assert_int_equal(find(&s, false).equilibrium, !rolls);
        double mass = s.model->total_mass, wanted = rolls ? 5.0 / 7.0 * (sin(slope) - a * cos(slope)) : 0.0;
        tn_unbalance u;
        tn_sim_unbalance(s.sim, s.state, scenario_body(&s, "ball"), &u);
        check_near("left, of the weight", u.force[0] / (mass * GRAVITY), wanted, 1e-7); // of sweeps' solver
        scenario_close(&s);
    }
}

// What nothing holds, and what is in motion: forces ask for neither, and change no state.
static void velocities_do_not_count(void **state)
{
    scenario s = scenario_open("bodies:\n  floor: {fixed: true, shape: {plane: {}}}\n  ball: {position: [0, 0, 2], "
                               "velocity: [0, 0, 3], shape: {sphere: {radius: 0.1}}}\n  box: {position: [2, 0, 0.1], "
                               "velocity: [5, 0, 0], shape: {box: [0.2, 0.2, 0.2]}}\n");
    uint64_t before = tn_state_hash(s.state);
    tn_forces_report r = find(&s, false);
    assert_false(r.equilibrium);
    assert_int_equal(r.unbalanced_body, scenario_body(&s, "ball"));
    check_near("part left on what falls", r.unbalanced, 1.0, 1e-12);
    double force[3];
    scenario_force(&s, scenario_body(&s, "floor"), scenario_body(&s, "box"), force);
    check_near("friction of what slides", force[0], 0.0, 80.0 * TOLERANCE);
    assert_true(before == tn_state_hash(s.state));
    // Steps go on as if nothing had been asked.
    scenario other = scenario_open("bodies:\n  floor: {fixed: true, shape: {plane: {}}}\n  ball: {position: [0, 0, 2], "
                                   "velocity: [0, 0, 3], shape: {sphere: {radius: 0.1}}}\n  box: {position: [2, 0, "
                                   "0.1], velocity: [5, 0, 0], shape: {box: [0.2, 0.2, 0.2]}}\n");
    for (int k = 0; k < 50; k++) {
        scenario_step(&s);
        scenario_step(&other);
        find(&s, false);
    }
    assert_true(tn_state_hash(s.state) == tn_state_hash(other.state));
    scenario_close(&s);
    scenario_close(&other);
}

// Bricks that have come to rest: what two of them bear together is what the step finds.
static void agree_with_steps_at_rest(void **state)
{
    scenario s = scenario_open("step: 2 ms\nbodies:\n  floor: {fixed: true, shape: {plane: {}}}\n  a: {position: [0, "
                               "0, 0.1], shape: {box: [0.4, 0.2, 0.2]}}\n  b: {position: [0.5, 0, 0.1], shape: {box: "
                               "[0.4, 0.2, 0.2]}}\n  c: {position: [0.05, 0, 0.3], shape: {box: [0.4, 0.2, 0.2]}}\n");
    scenario_run(&s, 0.2);
    double step[3][3], rest[3][3];
    int floor = scenario_body(&s, "floor"), a = scenario_body(&s, "a"), b = scenario_body(&s, "b"),
        c = scenario_body(&s, "c");
    const int pairs[3][2] = {{floor, a}, {floor, b}, {a, c}};
    for (int k = 0; k < 3; k++) {
        scenario_force(&s, pairs[k][0], pairs[k][1], step[k]);
    }
    assert_true(find(&s, false).equilibrium);
    for (int k = 0; k < 3; k++) {
        scenario_force(&s, pairs[k][0], pairs[k][1], rest[k]);
        check_near("a pair's force, of the step", rest[k][2], step[k][2], 1e-5 * step[k][2]);
    }
    scenario_close(&s);
}

// A wall of bricks with many more contacts than velocities: it holds, and its certificate too.
static void wall_of_bricks(void **state)
{
    scenario s = scenario_open("step: 5 ms\nbodies:\n  floor: {fixed: true, shape: {plane: {}}}\n  wall: {fixed: true, "
                               "shape: {box: [0.2, 2, 2]}, position: [-0.1, 0, 1]}\n  brick: {position: [0.2, 0, 0.1], "
                               "shape: {box: [0.2, 0.2, 0.2]}, array: {count: [3, 3, 4], spacing: [0.21, 0.21, "
                               "0.2]}}\n");
    scenario_run(&s, 0.1);
    assert_true(find(&s, false).equilibrium);
    scenario_close(&s);
}

static void wrong_state_is_refused(void **state)
{
    scenario one = scenario_open("bodies: {ball: {shape: {sphere: {radius: 1}}}}\n"),
             two = scenario_open("bodies: {ball: {shape: {sphere: {radius: 2}}}}\n");
    tn_error error = {0};
    tn_forces_report report;
    assert_int_equal(tn_sim_forces(one.sim, two.state, NULL, &report, &error), TN_BAD_INPUT);
    assert_int_equal(tn_sim_forces(one.sim, one.state, NULL, &report, &error), TN_OK);
    assert_false(report.equilibrium);
    scenario_close(&one);
    scenario_close(&two);
}

// On a table that drives away with steps of 10 ms under any scheme: a push that grows by 100 N/s counts as it is at the
// state's time, 0.1 s, and neither friction nor a damper drags. 1 um above it a box does not touch.
static void the_state_as_it_stands(void **state)
{
    static const char *const schemes[2] = {"euler", "midpoint"};
    for (int k = 0; k < 4; k++) {
        scenario s = scenario_open("step: 10 ms\nscheme: %s\nbodies:\n"
                                   "  table: {motion: {position: [3*t, 0, -0.1]}, shape: {box: [4, 4, 0.2]}}\n"
                                   "  box: {position: [0, 0, %s], mass: 2, shape: {box: [0.2, 0.2, 0.2]}, "
                                   "force: [0, 0, -100*t]}\n"
                                   "  sky: {motion: {position: [0, 0, 1 + 3*t]}}\n"
                                   "springs: {damper: {a: sky, b: box, damping: 2}}\n",
                                   schemes[k % 2], k < 2 ? "0.1" : "0.100001");
        for (int n = 0; k < 2 && n < 10; n++) {
            scenario_step(&s);
        }
        double force[3], whole = k < 2 ? 2.0 * GRAVITY + 10.0 : 0.0;
        assert_true(find(&s, false).equilibrium == (k < 2));
        scenario_force(&s, scenario_body(&s, "table"), scenario_body(&s, "box"), force);
        check_near("force of the table [N]", fabs(force[2]), whole, 30.0 * TOLERANCE);
        check_near("its friction [N]", force[0], 0.0, 30.0 * TOLERANCE);
        scenario_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(feet_share_equally),
        cmocka_unit_test(beam_on_two_supports),
        cmocka_unit_test(beam_on_many_shares_as_on_springs),
        cmocka_unit_test(ladder_against_smooth_wall),
        cmocka_unit_test(block_on_incline),
        cmocka_unit_test(masses_hang_on_joints),
        cmocka_unit_test(lever_divides_by_its_ratio),
        cmocka_unit_test(gear_and_motor),
        cmocka_unit_test(springs_have_their_forces),
        cmocka_unit_test(contacts_rigid_or_elastic),
        cmocka_unit_test(spring_of_what_rolls),
        cmocka_unit_test(springs_on_an_arm),
        cmocka_unit_test(bearing_friction_is_pressed),
        cmocka_unit_test(spherical_friction_holds),
        cmocka_unit_test(ball_held_by_rolling_friction),
        cmocka_unit_test(velocities_do_not_count),
        cmocka_unit_test(the_state_as_it_stands),
        cmocka_unit_test(agree_with_steps_at_rest),
        cmocka_unit_test(wall_of_bricks),
        cmocka_unit_test(wrong_state_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
