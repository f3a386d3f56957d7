// Joints that hold what others hold already: copies of rows leave the motion as it is, and share the load evenly.
#include "scenario.h"

#include <string.h>

typedef struct mechanism {
    const char *what, *bodies, *joints;
    int copies; // of all joints, on top of the first ones
} mechanism;

#define ROD "shape: {box: {size: [0.3, 0.04, 0.04]}, collides: false}"
static const mechanism MECHANISMS[] = {
    {"pendulum", "  rod: {position: [0.15, 0, 0], " ROD "}\n",
     "{type: revolute, axis: [0, 1, 0], b: rod, anchor: [0, 0, 0]}", 1},
    {"chain in space",
     "  one: {position: [0.15, 0, 0], " ROD ", angular_velocity: [3, 0, 2]}\n  two: {position: [0.45, 0, 0], " ROD
     "}\n",
     "{type: spherical, b: one, anchor: [0, 0, 0]}|{type: universal, axis: [0, 1, 0], axis2: [0, 0, 1], a: one, b: "
     "two, "
     "anchor: [0.3, 0, 0]}",
     2},
    {"four-bar",
     "  one: {position: [0, 0, 0.15], rotation: {axis: [0, 1, 0], angle: 90 deg}, " ROD
     "}\n  two: {position: [0.15, 0, 0.3], " ROD
     "}\n  three: {position: [0.3, 0, 0.15], rotation: {axis: [0, 1, 0], angle: 90 deg}, " ROD
     ", angular_velocity: [0, 0, 0]}\n",
     "{type: revolute, axis: [0, 1, 0], b: one, anchor: [0, 0, 0]}|{type: revolute, axis: [0, 1, 0], a: one, b: two, "
     "anchor: [0, 0, 0.3], turn: {motor: {velocity: 0.3, strength: 0.05}}}|{type: revolute, axis: [0, 1, 0], a: two, "
     "b: three, anchor: [0.3, 0, 0.3]}|{type: revolute, axis: [0, 1, 0], b: three, anchor: [0.3, 0, 0]}",
     1},
};

// Joints once and `copies` times more; motors only once.
static void write_joints(const char *joints, int copies, char *to)
{
    for (int k = 0; k <= copies; k++) {
        const char *from = joints;
        for (int i = 0; *from; i++) {
            int n = (int)strcspn(from, "|");
            const char *drive = strstr(from, ", turn:");
            bool driven = k > 0 && drive && drive < from + n;
            to += sprintf(to, "  j%d_%d: %.*s%s\n", i, k, driven ? (int)(drive - from) : n, from, driven ? "}" : "");
            from += n + (from[n] == '|');
        }
    }
}

static scenario open(const mechanism *m, const char *scheme, const char *solver, int copies)
{
    char joints[4096];
    write_joints(m->joints, copies, joints);
    return scenario_open(
        "scheme: %s\nstep: 5 ms\ncoordinates: maximal\nsolver: {name: %s, tolerance: {momentum: 1e-11, joint: 1e-11}}\n"
        "bodies:\n%sjoints:\n%s",
        scheme, solver, m->bodies, joints);
}

static void copies_change_nothing(void **state)
{
    static const char *const schemes[] = {"euler", "midpoint", "implicit"}, *const solvers[] = {"auto", "ipm"};
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k < 6; k++) {
            const mechanism *m = &MECHANISMS[i];
            scenario a = open(m, schemes[k % 3], solvers[k / 3], 0),
                     b = open(m, schemes[k % 3], solvers[k / 3], m->copies);
            double most = 0.0;
            for (int n = 0; n < 100; n++) {
                scenario_step(&a);
                scenario_step(&b);
                for (int body = 0; body < a.model->n_bodies; body++) {
                    for (int axis = 0; axis < 3; axis++) {
                        most = fmax(most, fabs(scenario_position(&a, body, axis) - scenario_position(&b, body, axis)));
                    }
                }
            }
            printf("%s, %s, %s, every joint %d times: ", m->what, schemes[k % 3], solvers[k / 3], 1 + m->copies);
            check_below("moves elsewhere by [m]", most, 1e-9);
            scenario_close(&a);
            scenario_close(&b);
        }
    }
}

// A door on four hinges in the same place carries its weight and the moment of it by equal parts.
static void equal_joints_share_equally(void **state)
{
    static const char *const solvers[] = {"auto", "ipm"};
    const mechanism door = {"door", "  rod: {position: [0.15, 0, 0], " ROD ", angular_velocity: [0, 0, 4]}\n",
                            "{type: revolute, axis: [0, 0, 1], b: rod, anchor: [0, 0, 0]}", 3};
    for (int k = 0; k < 2; k++) {
        scenario s = open(&door, "euler", solvers[k], door.copies);
        double apart = 0.0, least = INFINITY;
        for (int n = 0; n < 50; n++) {
            scenario_step(&s);
            tn_joint_info first, other;
            tn_sim_joint(s.sim, s.state, 0, &first);
            for (int i = 1; i < 4; i++) {
                tn_sim_joint(s.sim, s.state, i, &other);
                for (int axis = 0; axis < 3; axis++) {
                    apart = fmax(apart, fabs(first.force[axis] - other.force[axis]));
                    apart = fmax(apart, fabs(first.torque[axis] - other.torque[axis]));
                }
            }
            least = fmin(least, fabs(first.force[2]));
        }
        printf("%s: each bears %.9g N of the weight at least; ", solvers[k], least);
        check_below("apart by [N, N m]", apart, 1e-9);
        scenario_close(&s);
    }
}

// A four-bar whose axes are off by 1e-7 rad, as data are, cannot move at all if its joints are taken at their word; it
// moves as the exact one does.
static void nearly_closed_loops_do_not_lock(void **state)
{
    const mechanism exact = MECHANISMS[2];
    mechanism off = exact;
    off.joints =
        "{type: revolute, axis: [0, 1, 0], b: one, anchor: [0, 0, 0]}|{type: revolute, axis: [1e-7, 1, 0], a: one, b: "
        "two, anchor: [0, 0, 0.3], turn: {motor: {velocity: 0.3, strength: 0.05}}}|{type: revolute, axis: [0, 1, "
        "1e-7], a: two, b: three, anchor: [0.3, 0, 0.3]}|{type: revolute, axis: [0, 1, 0], b: three, anchor: [0.3, 0, "
        "0]}";
    static const char *const schemes[] = {"euler", "midpoint"};
    for (int k = 0; k < 2; k++) {
        scenario a = open(&exact, schemes[k], "auto", 0), b = open(&off, schemes[k], "auto", 0);
        double most = 0.0, way = scenario_position(&a, 1, 0);
        for (int n = 0; n < 100; n++) {
            scenario_step(&a);
            scenario_step(&b);
            most = fmax(most, fabs(scenario_position(&a, 1, 0) - scenario_position(&b, 1, 0)));
        }
        way = fabs(scenario_position(&a, 1, 0) - way);
        printf("%s: moves by %.3g m; ", schemes[k], way);
        assert_true(way > 0.01);
        check_below("elsewhere by [m]", most, 1e-6);
        scenario_close(&a);
        scenario_close(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(copies_change_nothing),
        cmocka_unit_test(equal_joints_share_equally),
        cmocka_unit_test(nearly_closed_loops_do_not_lock),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
