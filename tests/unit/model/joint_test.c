// Geometry of joints: rates of violations and coordinates against differences along motions of both bodies, for every
// kind; what can be said at the joint itself; counting turns.
#include "base/random.h"
#include "math/mat3.h"
#include "math/quat.h"
#include "model/joint_geometry.h"
#include "scene/joint_class.h"
#include "shape/pose.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static double number(int stream, int i)
{
    return 2.0 * tn_random_uniform(11, (uint64_t)stream, (uint64_t)i) - 1.0;
}

static void random_quat(int seed, int from, double size, double out[4])
{
    double vector[3] = {size * number(seed, from), size * number(seed, from + 1), size * number(seed, from + 2)};
    tn_quat_exp(out, vector);
}

static void random_pose(int seed, tn_pose *pose)
{
    for (int i = 0; i < 3; i++) {
        pose->position[i] = number(seed, i);
    }
    random_quat(seed, 3, 3.0, pose->quaternion);
}

static const struct {
    const char *name;
    int n_holds, n_coordinates;
} KINDS[TN_JOINT_KINDS] = {
    [TN_JOINT_REVOLUTE] = {"revolute", 5, 1},
    [TN_JOINT_PRISMATIC] = {"prismatic", 5, 1},
    [TN_JOINT_CYLINDRICAL] = {"cylindrical", 4, 2},
    [TN_JOINT_SPHERICAL] = {"spherical", 3, 0},
    [TN_JOINT_UNIVERSAL] = {"universal", 4, 2},
    [TN_JOINT_WELD] = {"weld", 6, 0},
    [TN_JOINT_PLANAR] = {"planar", 3, 3},
    [TN_JOINT_POINT_ON_LINE] = {"point_on_line", 2, 1},
    [TN_JOINT_POINT_ON_PLANE] = {"point_on_plane", 1, 2},
    [TN_JOINT_DISTANCE] = {"distance", 1, 1},
    [TN_JOINT_SCREW] = {"screw", 5, 1},
    [TN_JOINT_ROLLING] = {"rolling", 3, 2},
};

static void free_body(tn_model_body *body, int block)
{
    *body = (tn_model_body){.kind = TN_BODY_FREE, .block = block, .n_blocks = 2, .mass = 1.0};
    tn_pose_set_identity(&body->principal);
}

// Moves a free body along x (v in world axes, omega in its own) for the time t.
static void move(const double x[6], double t, tn_pose *pose)
{
    double vector[3], turn[4];
    tn_vec3_madd(pose->position, pose->position, t, x);
    tn_vec3_scale(vector, t, x + 3);
    tn_quat_exp(turn, vector);
    tn_quat_mul(pose->quaternion, pose->quaternion, turn);
    tn_quat_normalize(pose->quaternion);
}

typedef struct pair {
    tn_model model;
    tn_model_body bodies[2];
    tn_model_joint joint;
    tn_pose poses[2];
} pair;

// A joint of the kind between two free bodies. apart: by so much b is moved from where the joint is not violated.
static void make_pair(tn_joint_kind kind, int seed, double apart, pair *out)
{
    *out = (pair){.joint = {.kind = kind, .body_b = 1, .set_a = -1, .set_b = -1, .length = 0.7}};
    out->joint.n_holds = KINDS[kind].n_holds;
    out->joint.n_coordinates = KINDS[kind].n_coordinates;
    out->model = (tn_model){.n_bodies = 2, .bodies = out->bodies, .n_joints = 1, .joints = &out->joint};
    free_body(&out->bodies[0], 0);
    free_body(&out->bodies[1], 2);
    random_pose(seed, &out->joint.frame_a);
    random_pose(seed + 1, &out->joint.frame_b);
    random_pose(seed + 2, &out->poses[0]);
    // b's frame on a's, moved by free coordinates; then off it.
    bool across = kind == TN_JOINT_POINT_ON_PLANE || kind == TN_JOINT_ROLLING;
    tn_pose free = {.quaternion = {1.0, 0.0, 0.0, 0.0}}, undo, off;
    const double x[3] = {1.0, 0.0, 0.0}, y[3] = {0.0, 1.0, 0.0};
    double turn = 2.5 * number(seed, 20), turn2 = 1.2 * number(seed, 21), second[4];
    switch (kind) {
    case TN_JOINT_REVOLUTE:
        tn_quat_from_axis_angle(free.quaternion, x, turn);
        break;
    case TN_JOINT_CYLINDRICAL:
        tn_quat_from_axis_angle(free.quaternion, x, turn);
        free.position[0] = number(seed, 22);
        break;
    case TN_JOINT_SCREW:
        tn_quat_from_axis_angle(free.quaternion, x, turn);
        free.position[0] = 0.7 * turn;
        break;
    case TN_JOINT_PRISMATIC:
        free.position[0] = number(seed, 22);
        break;
    case TN_JOINT_UNIVERSAL:
        tn_quat_from_axis_angle(free.quaternion, x, turn);
        tn_quat_from_axis_angle(second, y, turn2);
        tn_quat_mul(free.quaternion, free.quaternion, second);
        break;
    case TN_JOINT_PLANAR:
        tn_quat_from_axis_angle(free.quaternion, x, turn);
        free.position[1] = number(seed, 22);
        free.position[2] = number(seed, 23);
        break;
    case TN_JOINT_WELD:
        break;
    case TN_JOINT_DISTANCE:
        tn_vec3_set(free.position, 0.7 * sin(turn), 0.0, 0.7 * cos(turn));
        random_quat(seed, 24, 2.0, free.quaternion);
        break;
    default:
        free.position[0] = kind == TN_JOINT_POINT_ON_LINE ? number(seed, 22) : 0.0;
        free.position[1] = across ? number(seed, 22) : 0.0;
        free.position[2] = across ? number(seed, 23) : 0.0;
        random_quat(seed, 24, 2.0, free.quaternion);
        break;
    }
    for (int i = 0; i < 3; i++) {
        off.position[i] = apart * number(seed, 30 + i);
    }
    random_quat(seed, 33, apart, off.quaternion);
    tn_pose_undo(&undo, &out->joint.frame_b);
    tn_pose_join(&out->poses[1], &out->poses[0], &out->joint.frame_a);
    tn_pose_join(&out->poses[1], &out->poses[1], &free);
    tn_pose_join(&out->poses[1], &out->poses[1], &off);
    tn_pose_join(&out->poses[1], &out->poses[1], &undo);
}

static void look(const pair *p, tn_joint_geometry *out)
{
    tn_joint_look(&p->joint, &p->poses[0], &p->poses[1], out);
}

// Largest difference of a motion's rate and what its value does along x (12).
static double rate_error(const pair *p, bool coordinates, const double x[12])
{
    const double t = 1e-5;
    tn_joint_geometry at, ahead, behind;
    pair moved = *p;
    look(p, &at);
    move(x, t, &moved.poses[0]);
    move(x + 6, t, &moved.poses[1]);
    look(&moved, &ahead);
    moved = *p;
    move(x, -t, &moved.poses[0]);
    move(x + 6, -t, &moved.poses[1]);
    look(&moved, &behind);
    double worst = 0.0;
    int n = coordinates ? p->joint.n_coordinates : p->joint.n_holds;
    for (int i = 0; i < n; i++) {
        const tn_joint_motion *motion = coordinates ? &at.coordinate[i] : &at.hold[i];
        if (!coordinates && tn_joint_hold_rolls(&p->joint, i)) {
            continue; // the rate of no violation: test_rolling
        }
        double rise = coordinates ? ahead.value[i] - behind.value[i] : ahead.violation[i] - behind.violation[i];
        double entry[4][3], rate = 0.0, summed = tn_joint_rate(&p->model, &p->joint, p->poses, &at, motion, x);
        int block[4];
        tn_joint_entries entries = {.block = block, .entry = entry};
        tn_joint_add_entries(&p->model, &p->joint, p->poses, &at, motion, 1.0, &entries);
        for (int e = 0; e < entries.n; e++) {
            rate += tn_vec3_dot(entries.entry[e], x + 3 * entries.block[e]);
        }
        assert_true(fabs(rate - summed) < 1e-14);
        worst = fmax(worst, fabs(rate - rise / (2.0 * t)));
    }
    return worst;
}

// Central difference at t = 1e-5: t^2 times a third derivative (about 10) over 6, and 2e-16/t of rounding.
static void test_rates(void **unused)
{
    for (int kind = 0; kind < TN_JOINT_GEAR; kind++) {
        double holds = 0.0, coordinates = 0.0, zero = 0.0;
        for (int seed = 0; seed < 4000; seed += 40) {
            pair off, on;
            double x[12];
            for (int i = 0; i < 12; i++) {
                x[i] = number(seed + 5, i);
            }
            make_pair((tn_joint_kind)kind, seed, 0.3, &off);
            holds = fmax(holds, rate_error(&off, false, x));
            // Angles: along motions that keep the joint, that is at the joint and x of b alone within its freedom; any
            // x will do to first order where nothing is violated.
            make_pair((tn_joint_kind)kind, seed, 0.0, &on);
            holds = fmax(holds, rate_error(&on, false, x));
            coordinates = fmax(coordinates, rate_error(&on, true, x));
            tn_joint_geometry at;
            look(&on, &at);
            for (int i = 0; i < on.joint.n_holds; i++) {
                zero = fmax(zero, fabs(at.violation[i]));
            }
        }
        print_message("%-14s violations' rates off by %.2g, coordinates' %.2g, limit 1e-7; at the joint %.2g, limit "
                      "1e-14\n",
                      KINDS[kind].name, holds, coordinates, zero);
        assert_true(holds < 1e-7 && coordinates < 1e-7 && zero < 1e-14);
    }
}

// The rates of what rolls are those of both bodies' material where they touch, along the plane.
static void test_rolling(void **unused)
{
    double worst = 0.0;
    for (int seed = 0; seed < 400; seed += 40) {
        pair p;
        tn_joint_geometry at;
        tn_pose frame, ball;
        double x[12], R[9], touch[3], velocity[2][3];
        for (int i = 0; i < 12; i++) {
            x[i] = number(seed + 5, i);
        }
        make_pair(TN_JOINT_ROLLING, seed, 0.3, &p);
        look(&p, &at);
        tn_pose_join(&frame, &p.poses[0], &p.joint.frame_a);
        tn_pose_join(&ball, &p.poses[1], &p.joint.frame_b);
        tn_quat_to_mat3(R, frame.quaternion);
        const double normal[3] = {R[0], R[3], R[6]};
        tn_vec3_madd(touch, ball.position, -p.joint.length, normal);
        for (int b = 0; b < 2; b++) {
            double omega[3], arm[3], spin[3];
            tn_quat_rotate(omega, p.poses[b].quaternion, x + 6 * b + 3);
            tn_vec3_sub(arm, touch, p.poses[b].position);
            tn_vec3_cross(spin, omega, arm);
            tn_vec3_add(velocity[b], x + 6 * b, spin);
        }
        tn_vec3_sub(velocity[1], velocity[1], velocity[0]);
        for (int i = 1; i < 3; i++) {
            const double axis[3] = {R[i], R[3 + i], R[6 + i]};
            double rate = tn_joint_rate(&p.model, &p.joint, p.poses, &at, &at.hold[i], x);
            worst = fmax(worst, fabs(rate - tn_vec3_dot(axis, velocity[1])));
            assert_true(tn_joint_hold_rolls(&p.joint, i) && at.violation[i] == 0.0);
        }
    }
    print_message("rates of what rolls off by %.2g, limit 1e-14 (rounding)\n", worst);
    assert_true(worst < 1e-14);
}

// What one body gets the other loses: a row's force changes neither momentum nor angular momentum.
static void test_action_and_reaction(void **unused)
{
    double worst = 0.0;
    for (int kind = 0; kind < TN_JOINT_GEAR; kind++) {
        for (int seed = 0; seed < 400; seed += 40) {
            pair p;
            tn_joint_geometry at;
            make_pair((tn_joint_kind)kind, seed, 0.3, &p);
            look(&p, &at);
            for (int i = 0; i < p.joint.n_holds; i++) {
                double entry[4][3];
                int block[4];
                tn_joint_entries e = {.block = block, .entry = entry};
                tn_joint_add_entries(&p.model, &p.joint, p.poses, &at, &at.hold[i], 1.0, &e);
                double force[3] = {0.0, 0.0, 0.0}, moment[3] = {0.0, 0.0, 0.0};
                for (int k = 0; k < e.n; k++) {
                    const tn_pose *pose = &p.poses[e.block[k] / 2];
                    double part[3];
                    if (e.block[k] % 2 == 0) {
                        tn_vec3_add(force, force, e.entry[k]);
                        tn_vec3_cross(part, pose->position, e.entry[k]);
                    } else {
                        tn_quat_rotate(part, pose->quaternion, e.entry[k]);
                    }
                    tn_vec3_add(moment, moment, part);
                }
                worst = fmax(worst, fmax(tn_vec3_norm(force), tn_vec3_norm(moment)));
            }
        }
    }
    print_message("force and moment left over %.2g, limit 1e-14 (rounding)\n", worst);
    assert_true(worst < 1e-14);
}

static void test_turns(void **unused)
{
    const double full = 6.283185307179586;
    assert_true(fabs(tn_joint_continue(TN_AXIS_TURN, -3.0, 3.2) - (full - 3.0)) < 1e-15);
    assert_true(fabs(tn_joint_continue(TN_AXIS_TURN2, 3.0, -3.2) - (3.0 - full)) < 1e-15);
    assert_true(fabs(tn_joint_continue(TN_AXIS_TURN, 0.1, 10.0 * full) - (0.1 + 10.0 * full)) < 1e-13);
    assert_true(tn_joint_continue(TN_AXIS_SLIDE, 0.1, 10.0) == 0.1);
}

// Over a way of any size, with turns of up to a radian and a half, slides, axes and distances change by just what the
// motions along it say (compliant, so that violations count): what makes forces along them do the work that they
// should.
static void test_along_a_way(void **state)
{
    for (int kind = 0; kind < TN_JOINT_KINDS; kind++) {
        double worst = 0.0;
        if (kind == TN_JOINT_ROLLING) {
            continue; // what it holds is no change of anything
        }
        bool whole = kind == TN_JOINT_PRISMATIC || kind == TN_JOINT_WELD; // their turns are those of the middle
        for (int seed = 0; seed < 200 && kind != TN_JOINT_GEAR; seed++) {
            tn_scene_joint said = {.compliance = 1.0};
            pair p, moved;
            make_pair((tn_joint_kind)kind, 100 * seed, 0.3, &p);
            p.joint.description = &said;
            moved = p;
            double x[12], turn[2][3];
            for (int i = 0; i < 12; i++) {
                x[i] = 0.85 * number(40, 12 * seed + i);
            }
            for (int b = 0; b < 2; b++) {
                move(x + 6 * b, 1.0, &moved.poses[b]);
                tn_quat_rotate(turn[b], p.poses[b].quaternion, x + 6 * b + 3);
            }
            const tn_joint_sides start = {p.poses, NULL}, end = {moved.poses, NULL};
            tn_joint_geometry before, after, along;
            look(&p, &before);
            look(&moved, &after);
            tn_joint_look_between(&p.model, &p.joint, &start, &end, &start, &along);
            for (int i = 0; i < p.joint.n_holds; i++) {
                const tn_joint_motion *m = &along.hold[i];
                double way[3], said_change = tn_vec3_dot(m->about_b, turn[1]) - tn_vec3_dot(m->about_a, turn[0]);
                tn_vec3_sub(way, x + 6, x);
                said_change += m->turn ? 0.0 : tn_vec3_dot(m->direction, way);
                double change = after.violation[i] - before.violation[i];
                bool middle = (whole && m->turn) || (kind == TN_JOINT_SCREW && i == 2);
                worst = middle ? worst : fmax(worst, fabs(said_change - change));
            }
        }
        if (kind != TN_JOINT_GEAR) {
            print_message("%-14s change along a way off by %.1e (limit 1e-13, rounding)\n", KINDS[kind].name, worst);
            assert_true(worst < 1e-13);
        }
    }
}

// The table of classes: words, rows and coordinates are those above; rows of translations come first; what a complete
// joint does not hold it moves in.
static void test_table(void **state)
{
    for (int kind = 0; kind < TN_JOINT_KINDS; kind++) {
        const tn_joint_class *c = &tn_joint_classes[kind];
        pair p;
        tn_joint_geometry at;
        if (!KINDS[kind].name) {
            continue;
        }
        assert_string_equal(tn_joint_kind_names[kind], KINDS[kind].name);
        assert_int_equal(tn_joint_row_count(kind), KINDS[kind].n_holds);
        assert_int_equal(c->n_coordinates, KINDS[kind].n_coordinates);
        make_pair((tn_joint_kind)kind, 7, 0.3, &p);
        look(&p, &at);
        for (int i = 0; i < p.joint.n_holds; i++) {
            assert_true(tn_joint_hold_turns(&p.joint, i) == at.hold[i].turn);
        }
        for (int k = 0; k < c->n_coordinates; k++) {
            assert_true(at.coordinate[k].turn == (c->axis[k] == TN_AXIS_TURN || c->axis[k] == TN_AXIS_TURN2));
        }
        // Where nothing is violated, slides are what make_pair made of them.
        make_pair((tn_joint_kind)kind, 7, 0.0, &p);
        look(&p, &at);
        for (int k = 0; k < c->n_coordinates && c->tie != TN_TIE_DISTANCE; k++) {
            double made = number(7, c->axis[k] == TN_AXIS_SLIDE2 ? 23 : 22);
            assert_true(at.coordinate[k].turn || fabs(at.value[k] - made) < 1e-14);
        }
        assert_true(!c->complete || tn_joint_row_count(kind) + tn_joint_rate_count(kind) == 6);
    }
    assert_null(tn_joint_kind_names[TN_JOINT_KINDS]);
    assert_string_equal(tn_joint_kind_names[TN_JOINT_BUSHING], "bushing");
    assert_string_equal(tn_joint_kind_names[TN_JOINT_GEAR], "gear");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),   cmocka_unit_test(test_rates),
        cmocka_unit_test(test_rolling), cmocka_unit_test(test_action_and_reaction),
        cmocka_unit_test(test_turns),   cmocka_unit_test(test_along_a_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
