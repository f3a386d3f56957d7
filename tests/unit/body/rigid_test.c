// A body's Jacobian against differences of its own motion; planar bodies; forces; springs against differences.
#include "base/random.h"
#include "body/force.h"
#include "body/spring.h"
#include "math/mat3.h"
#include "math/quat.h"
#include "model/rigid.h"
#include "shape/pose.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static double number(int stream, int i)
{
    return 2.0 * tn_random_uniform(7, (uint64_t)stream, (uint64_t)i) - 1.0;
}

static void random_pose(int seed, tn_pose *pose)
{
    for (int i = 0; i < 3; i++) {
        pose->position[i] = number(seed, i);
    }
    for (int i = 0; i < 4; i++) {
        pose->quaternion[i] = number(seed, 3 + i);
    }
    tn_quat_normalize(pose->quaternion);
}

static tn_model_body free_body(void)
{
    tn_model_body body = {.kind = TN_BODY_FREE, .block = 0, .n_blocks = 2, .mass = 2.0};
    tn_vec3_set(body.inertia, 0.1, 0.2, 0.25);
    tn_pose_set_identity(&body.principal);
    return body;
}

// The plane of the last one only.
static tn_model_body planar_body(int seed)
{
    static double axes[9];
    tn_model_body body = free_body();
    double normal[3] = {number(seed, 0), number(seed, 1), number(seed, 2)}, frame[9];
    tn_vec3_scale(normal, 1.0 / tn_vec3_norm(normal), normal);
    tn_mat3_frame(frame, normal);
    body.planar = true;
    body.n_blocks = 1;
    memcpy(axes, frame + 3, 6 * sizeof(double));
    tn_vec3_copy(axes + 6, normal);
    body.plane_axes = axes;
    return body;
}

// | J x - (velocity of the body's point by a central difference of its motion) |
static double jacobian_error(const tn_model_body *body, int seed)
{
    tn_pose pose, ahead, behind;
    double x[6], own[3], point[3], after[3], before[3], frame[9], u[3] = {0, 0, 0}, entry[2][9], h = 1e-5;
    random_pose(seed, &pose);
    for (int i = 0; i < 6; i++) {
        x[i] = number(seed, 10 + i);
    }
    for (int i = 0; i < 3; i++) {
        own[i] = number(seed, 20 + i);
    }
    tn_pose_point(point, &pose, own);
    double normal[3] = {0.6, 0.0, 0.8};
    tn_mat3_frame(frame, normal);
    int n = tn_body_point_jacobian(body, &pose, frame, point, -1.0, entry);
    assert_int_equal(n, body->n_blocks);
    for (int i = 0; i < n; i++) {
        tn_mat3_add_vec(u, entry[i], x + 3 * i);
    }
    ahead = behind = pose;
    tn_body_advance(body, x, h, &ahead, NULL);
    tn_body_advance(body, x, -h, &behind, NULL);
    tn_pose_point(after, &ahead, own);
    tn_pose_point(before, &behind, own);
    tn_vec3_sub(after, after, before);
    tn_vec3_scale(after, -0.5 / h, after);
    tn_mat3_vec(before, frame, after);
    tn_vec3_sub(u, u, before);
    return tn_vec3_norm(u);
}

static void test_jacobian_is_the_derivative_of_motion(void **unused)
{
    double worst = 0.0;
    for (int seed = 0; seed < 1000; seed++) {
        tn_model_body free = free_body(), planar = planar_body(seed);
        worst = fmax(worst, fmax(jacobian_error(&free, seed), jacobian_error(&planar, seed)));
    }
    // Central difference of step 1e-5: h^2/6 |x''| + rounding/h, about 1e-10.
    printf("Jacobian against difference: %.2e (limit 1e-9)\n", worst);
    assert_true(worst < 1e-9);
}

static void test_planar_motion_stays_in_its_plane(void **unused)
{
    double worst = 0.0;
    for (int seed = 0; seed < 50; seed++) {
        tn_model_body body = planar_body(seed);
        tn_pose pose;
        double x[3] = {1.0, -2.0, 3.0}, own[3], world[3], start[3];
        random_pose(seed, &pose);
        tn_quat_rotate_inverse(own, pose.quaternion, body.plane_axes + 6);
        tn_vec3_copy(start, pose.position);
        for (int k = 0; k < 1000; k++) {
            tn_body_advance(&body, x, 0.01, &pose, NULL);
        }
        tn_quat_rotate(world, pose.quaternion, own); // the normal, carried by the body, must not have moved
        tn_vec3_sub(world, world, body.plane_axes + 6);
        tn_vec3_sub(start, pose.position, start);
        worst = fmax(worst, fmax(tn_vec3_norm(world), fabs(tn_vec3_dot(start, body.plane_axes + 6))));
    }
    printf("planar body out of its plane after 1000 steps: %.2e (limit 1e-11: rounding)\n", worst);
    assert_true(worst < 1e-11);
}

// Power of the generalized force = force . velocity of the center + torque . omega.
static void test_generalized_forces_give_the_right_power(void **unused)
{
    double worst = 0.0;
    for (int seed = 0; seed < 200; seed++) {
        tn_model_body bodies[2] = {free_body(), planar_body(seed)};
        for (int b = 0; b < 2; b++) {
            tn_scene_push push = {0};
            double force[3], torque[3], x[6], g[6], v[3], w[3], own[3], follower[3], power = 0.0;
            tn_pose pose;
            random_pose(seed, &pose);
            for (int i = 0; i < 3; i++) {
                push.force[i].constant = force[i] = number(seed, 30 + i);
                push.torque[i].constant = torque[i] = number(seed, 40 + i);
                push.force_body[i].constant = own[i] = number(seed, 50 + i);
            }
            for (int i = 0; i < 6; i++) {
                x[i] = number(seed, 60 + i);
            }
            const tn_scene_body said = {.push = &push};
            bodies[b].description = &said;
            bodies[b].pushed = true;
            tn_force_applied(&bodies[b], &pose, &pose, 0.0, g);
            for (int i = 0; i < 3 * bodies[b].n_blocks; i++) {
                power += g[i] * x[i];
            }
            const double *axes = bodies[b].plane_axes;
            if (b == 0) {
                tn_vec3_copy(v, x);
                tn_quat_rotate(w, pose.quaternion, x + 3);
            } else {
                tn_vec3_scale(v, x[0], axes);
                tn_vec3_madd(v, v, x[1], axes + 3);
                tn_vec3_scale(w, x[2], axes + 6);
            }
            tn_quat_rotate(follower, pose.quaternion, own);
            tn_vec3_add(force, force, follower);
            worst = fmax(worst, fabs(power - tn_vec3_dot(force, v) - tn_vec3_dot(torque, w)));
        }
    }
    printf("power of generalized forces: off by %.2e (limit 1e-13: rounding)\n", worst);
    assert_true(worst < 1e-13);
}

typedef struct spring_case {
    tn_model_body bodies[3];
    tn_model model;
    tn_scene_spring spring;
    tn_pose poses[3];
} spring_case;

static void make_spring_case(int seed, spring_case *c)
{
    *c = (spring_case){.bodies = {{.kind = TN_BODY_FIXED, .block = -1}, free_body(), planar_body(seed)}};
    tn_pose_set_identity(&c->bodies[0].principal);
    tn_pose_set_identity(&c->poses[0]);
    c->bodies[2].block = 2;
    random_pose(seed + 1000, &c->bodies[1].principal);
    random_pose(seed + 2000, &c->poses[1]);
    random_pose(seed + 3000, &c->poses[2]);
    c->spring =
        (tn_scene_spring){.name = "s", .body_a = 0, .body_b = 1, .stiffness = 3.0, .damping = 0.5, .rest_length = 0.2};
    for (int i = 0; i < 3; i++) {
        c->spring.point_a[i] = 0.3 * number(seed, 70 + i);
        c->spring.point_b[i] = 0.3 * number(seed, 80 + i);
    }
    c->model = (tn_model){.n_bodies = 3, .bodies = c->bodies, .n_blocks = 3};
}

// Power of the spring force at velocity x against the rate of its energy.
static void test_spring_force_is_minus_the_energy_gradient(void **unused)
{
    double worst = 0.0, h = 1e-5;
    for (int seed = 0; seed < 200; seed++) {
        spring_case c;
        tn_spring_element element;
        double x[9], rate[3] = {0, 0, 0};
        make_spring_case(seed, &c);
        for (int i = 0; i < 9; i++) {
            x[i] = number(seed, 90 + i);
        }
        tn_spring_instant at = {.poses = c.poses, .v = x, .h = 0.01};
        tn_spring_linearize(&c.model, &c.spring, &at, &element);
        assert_int_equal(element.n, 3);
        for (int i = 0; i < element.n; i++) {
            tn_mat3_add_vec(rate, element.jacobian[i], x + 3 * element.block[i]);
        }
        tn_pose ahead[3], behind[3];
        memcpy(ahead, c.poses, sizeof ahead);
        memcpy(behind, c.poses, sizeof behind);
        for (int b = 1; b < 3; b++) {
            tn_body_advance(&c.bodies[b], x + 3 * c.bodies[b].block, h, &ahead[b], NULL);
            tn_body_advance(&c.bodies[b], x + 3 * c.bodies[b].block, -h, &behind[b], NULL);
        }
        double slope =
            (tn_spring_energy(&c.model, &c.spring, ahead) - tn_spring_energy(&c.model, &c.spring, behind)) / (2 * h);
        worst = fmax(worst, fabs(slope + tn_vec3_dot(element.force, rate)));
    }
    printf("spring power against energy difference: %.2e (limit 1e-8: step 1e-5)\n", worst);
    assert_true(worst < 1e-8);
}

static void test_spring_without_length_is_regular(void **unused)
{
    spring_case c;
    tn_spring_element element;
    make_spring_case(1, &c);
    c.spring = (tn_scene_spring){.name = "s", .body_a = -1, .body_b = 0, .stiffness = 3.0};
    tn_pose_set_identity(&c.bodies[1].principal);
    tn_vec3_set(c.poses[1].position, 0.0, 0.0, 0.0);
    const double still[6] = {0};
    tn_spring_instant at = {.poses = c.poses, .v = still, .h = 0.01};
    tn_spring_linearize(&c.model, &c.spring, &at, &element);
    for (int i = 0; i < 9; i++) {
        assert_true(element.stiffness[i] == (i % 4 == 0 ? 3.0 : 0.0));
    }
    assert_true(tn_vec3_norm(element.force) == 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jacobian_is_the_derivative_of_motion),
        cmocka_unit_test(test_planar_motion_stays_in_its_plane),
        cmocka_unit_test(test_generalized_forces_give_the_right_power),
        cmocka_unit_test(test_spring_force_is_minus_the_energy_gradient),
        cmocka_unit_test(test_spring_without_length_is_regular),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
