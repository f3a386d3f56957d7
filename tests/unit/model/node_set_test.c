// Sets of nodes that joints hold: the frame of best fit, its velocity against a difference, the forces of a torque.
#include "base/random.h"
#include "math/mat3.h"
#include "math/quat.h"
#include "model/joint_geometry.h"
#include "shape/pose.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

enum { NODES = 7 };

// A set of all nodes, block i each, as side b of a joint with the world.
typedef struct cloud {
    tn_model model;
    tn_model_body world;
    tn_model_joint joint;
    tn_model_set set;
    tn_model_node nodes[NODES];
    int node[NODES];
    double weight[NODES], arm[3 * NODES], x[3 * NODES], v[3 * NODES];
} cloud;

static double number(int stream, int i)
{
    return 2.0 * tn_random_uniform(5, (uint64_t)stream, (uint64_t)i) - 1.0;
}

// Random nodes, in a plane if flat; turned, moved and by `strain` deformed. Velocities at random.
static void make_cloud(int seed, bool flat, double strain, cloud *c)
{
    double whole = 0.0, mean[3] = {0.0}, turn[4], vector[3] = {3 * number(seed, 900), number(seed, 901), 0.7};
    *c = (cloud){.joint = {.kind = TN_JOINT_WELD, .set_a = -1, .n_holds = 6, .body_b = 1}};
    tn_quat_exp(turn, vector);
    for (int i = 0; i < NODES; i++) {
        c->node[i] = i;
        c->nodes[i] = (tn_model_node){.block = i, .body = -1};
        c->weight[i] = 1.5 + number(seed, 100 + i);
        whole += c->weight[i];
        tn_vec3_set(c->arm + 3 * i, number(seed, 10 * i), number(seed, 10 * i + 1),
                    flat ? 0.0 : number(seed, 10 * i + 2));
    }
    for (int i = 0; i < NODES; i++) {
        c->weight[i] /= whole;
        tn_vec3_madd(mean, mean, c->weight[i], c->arm + 3 * i);
    }
    for (int i = 0; i < NODES; i++) {
        tn_vec3_sub(c->arm + 3 * i, c->arm + 3 * i, mean);
        tn_quat_rotate(c->x + 3 * i, turn, c->arm + 3 * i);
        for (int k = 0; k < 3; k++) {
            c->x[3 * i + k] += 0.3 + strain * number(seed, 200 + 3 * i + k);
            c->v[3 * i + k] = number(seed, 300 + 3 * i + k);
        }
    }
    c->set = (tn_model_set){.n = NODES, .node = c->node, .weight = c->weight, .arm = c->arm, .turns = true};
    tn_pose_set_identity(&c->joint.frame_a);
    tn_pose_set_identity(&c->joint.frame_b);
    tn_vec3_set(c->joint.frame_b.position, 0.2, -0.1, 0.4); // off the center
}

// The pointers, once the cloud is where it stays.
static void tie(cloud *c)
{
    c->set.node = c->node;
    c->set.weight = c->weight;
    c->set.arm = c->arm;
    c->model = (tn_model){.n_bodies = 1,
                          .bodies = &c->world,
                          .n_nodes = NODES,
                          .nodes = c->nodes,
                          .n_sets = 1,
                          .sets = &c->set,
                          .n_joints = 1,
                          .joints = &c->joint};
}

static void look(const cloud *c, double t, tn_joint_geometry *out)
{
    double x[3 * NODES];
    const tn_pose world = {.quaternion = {1.0, 0.0, 0.0, 0.0}};
    for (int i = 0; i < 3 * NODES; i++) {
        x[i] = c->x[i] + t * c->v[i];
    }
    tn_joint_look_at(&c->model, &c->joint, &(tn_joint_sides){&world, x}, out);
}

// A rigid motion is found as it is; a deformed set's frame has no rotation left that fits better.
static void test_fit(void **unused)
{
    double off = 0.0, better = 0.0;
    for (int seed = 0; seed < 200; seed++) {
        cloud c;
        tn_joint_geometry at;
        make_cloud(seed, seed % 2 == 1, 0.0, &c);
        tie(&c);
        look(&c, 0.0, &at);
        for (int i = 0; i < NODES; i++) {
            double p[3];
            tn_pose_point(p, &at.set_b.pose, c.arm + 3 * i);
            tn_vec3_sub(p, p, c.x + 3 * i);
            off = fmax(off, tn_vec3_norm(p));
        }
        make_cloud(seed, seed % 2 == 1, 0.3, &c);
        tie(&c);
        look(&c, 0.0, &at);
        double moment[3] = {0.0}; // of R X against x: zero where the fit is best
        for (int i = 0; i < NODES; i++) {
            double p[3], m[3];
            tn_quat_rotate(p, at.set_b.pose.quaternion, c.arm + 3 * i);
            tn_vec3_cross(m, p, c.x + 3 * i);
            tn_vec3_madd(moment, moment, c.weight[i], m);
        }
        better = fmax(better, tn_vec3_norm(moment));
    }
    print_message("rigid motion found to %.2g, limit 1e-14; moment left %.2g, limit 1e-14\n", off, better);
    assert_true(off < 1e-14 && better < 1e-14);
}

// Every row of a weld against a central difference (t^2 of truncation, 1e-16/t of rounding), deformed as it is.
static void test_rates(void **unused)
{
    const double t = 1e-5;
    double worst = 0.0;
    for (int seed = 0; seed < 200; seed++) {
        cloud c;
        tn_joint_geometry at, ahead, behind;
        make_cloud(seed, seed % 2 == 1, 0.2, &c);
        tie(&c);
        look(&c, 0.0, &at);
        look(&c, t, &ahead);
        look(&c, -t, &behind);
        for (int i = 0; i < c.joint.n_holds; i++) {
            const tn_pose world = {.quaternion = {1.0, 0.0, 0.0, 0.0}};
            double rate = tn_joint_rate(&c.model, &c.joint, &world, &at, &at.hold[i], c.v);
            worst = fmax(worst, fabs(rate - (ahead.violation[i] - behind.violation[i]) / (2.0 * t)));
        }
    }
    print_message("rates off by %.2g, limit 1e-6 (angles near half a turn bend strongly)\n", worst);
    assert_true(worst < 1e-6);
}

// The nodes' forces of a row are together the force at the joint's point.
static void test_resultant(void **unused)
{
    double worst = 0.0;
    for (int seed = 0; seed < 200; seed++) {
        cloud c;
        tn_joint_geometry at;
        const tn_pose world = {.quaternion = {1.0, 0.0, 0.0, 0.0}};
        make_cloud(seed, seed % 2 == 1, 0.2, &c);
        tie(&c);
        look(&c, 0.0, &at);
        for (int i = 0; i < c.joint.n_holds; i++) {
            const tn_joint_motion *motion = &at.hold[i];
            double entry[NODES][3], force[3] = {0.0}, moment[3] = {0.0}, wanted[3] = {0.0};
            int block[NODES];
            tn_joint_entries entries = {.block = block, .entry = entry};
            assert_int_equal(tn_joint_entry_count(&c.model, &c.joint), NODES);
            tn_joint_add_entries(&c.model, &c.joint, &world, &at, motion, 1.0, &entries);
            for (int e = 0; e < entries.n; e++) {
                double part[3];
                tn_vec3_add(force, force, entry[e]);
                tn_vec3_cross(part, c.x + 3 * block[e], entry[e]);
                tn_vec3_add(moment, moment, part);
            }
            if (motion->turn) {
                tn_vec3_sub(moment, moment, motion->direction);
            } else {
                tn_vec3_cross(wanted, at.point_b, motion->direction);
                tn_vec3_sub(moment, moment, wanted);
                tn_vec3_sub(force, force, motion->direction);
            }
            worst = fmax(worst, fmax(tn_vec3_norm(force), tn_vec3_norm(moment)));
        }
    }
    print_message("force and moment off by %.2g, limit 1e-13\n", worst);
    assert_true(worst < 1e-13);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fit),
        cmocka_unit_test(test_rates),
        cmocka_unit_test(test_resultant),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
