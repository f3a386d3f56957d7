// Elastic joints of rods: forces and torques are the gradient of the energy at any bend, twist and stretch, and the
// energy does not leap where the frames pass half a turn.
#include "body/elastic_joint.h"

#include "base/random.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "state/state.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { TRIALS = 40 };

typedef struct pair {
    tn_model *model;
    const tn_model_joint *joint;
    int body[2];
    tn_pose *poses; // the state's
    tn_state *state;
} pair;

// Two segments with two second moments.
static pair create(void)
{
    static const char text[] =
        "rods: {rod: {points: [[0, 0, 0], [0.1, 0, 0]], segments: 2, radius: 5 mm, young: 1 MPa, "
        "section: {area: 8e-5, second_moments: [5e-10, 2e-10]}}}\n";
    tn_error error = {0};
    tn_scene *scene = tn_scene_parse(text, "test", 0, NULL, &error);
    pair p = {.model = scene ? tn_model_create(scene, &error) : NULL};
    p.state = p.model ? tn_state_create(p.model, &error) : NULL;
    if (!p.state) {
        fail_msg("%s", error.message);
    }
    assert_int_equal(p.model->n_joints, 1);
    p.joint = &p.model->joints[0];
    p.body[0] = p.joint->body_a;
    p.body[1] = p.joint->body_b;
    p.poses = p.state->pose;
    return p;
}

static void destroy(pair *p)
{
    tn_state_destroy(p->state);
    tn_model_destroy(p->model);
}

static void draw(int trial, int what, double size, double out[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = size * tn_random_normal(7, (uint64_t)trial, (uint64_t)(3 * what + i));
    }
}

static void turn_by(tn_pose *pose, const double turn[3])
{
    double q[4];
    tn_quat_exp(q, turn);
    tn_quat_mul(pose->quaternion, q, pose->quaternion);
}

// The energy where both bodies have moved for a time s with rates v and omega.
static double energy_after(const pair *p, double s, double v[2][3], double omega[2][3])
{
    tn_pose poses[2];
    const int body[2] = {p->body[0], p->body[1]};
    for (int k = 0; k < 2; k++) {
        double turn[3];
        poses[k] = p->poses[body[k]];
        tn_vec3_madd(p->poses[body[k]].position, poses[k].position, s, v[k]);
        tn_vec3_scale(turn, s, omega[k]);
        turn_by(&p->poses[body[k]], turn);
    }
    double energy = tn_elastic_energy(p->joint, p->poses);
    for (int k = 0; k < 2; k++) {
        p->poses[body[k]] = poses[k];
    }
    return energy;
}

static void forces_are_the_gradient(void **unused)
{
    pair p = create();
    const double still[12] = {0.0}, s = 1e-6;
    double worst = 0.0;
    for (int trial = 0; trial < TRIALS; trial++) {
        double v[2][3], omega[2][3], x[3], at[2][3], spin[3];
        for (int k = 0; k < 2; k++) {
            draw(trial, 4 * k, 0.02, x);
            tn_vec3_add(p.poses[p.body[k]].position, p.poses[p.body[k]].position, x);
            draw(trial, 4 * k + 1, 1.0, x);
            turn_by(&p.poses[p.body[k]], x);
            draw(trial, 4 * k + 2, 1.0, v[k]);
            draw(trial, 4 * k + 3, 10.0, omega[k]);
        }
        tn_elastic_element e;
        tn_elastic_linearize(p.model, p.joint, p.poses, still, 0.0, 0.01, &e);
        for (int k = 0; k < 2; k++) { // velocities of both at x
            tn_vec3_cross(spin, omega[k], e.arm[k]);
            tn_vec3_add(at[k], v[k], spin);
        }
        tn_vec3_sub(at[1], at[1], at[0]);
        tn_vec3_sub(omega[1], omega[1], omega[0]);
        double power = -tn_vec3_dot(e.force, at[1]) - tn_vec3_dot(e.torque, omega[1]);
        tn_vec3_add(omega[1], omega[1], omega[0]);
        double rise = (energy_after(&p, s, v, omega) - energy_after(&p, -s, v, omega)) / (2.0 * s);
        double scale = tn_vec3_norm(e.force) * tn_vec3_norm(at[1]) + tn_vec3_norm(e.torque) * 10.0;
        worst = fmax(worst, fabs(power - rise) / scale);
    }
    printf("power of the forces less the energy's rise, over their size: %.1e (limit 1e-6)\n", worst);
    assert_true(worst <= 1e-6);
    destroy(&p);
}

static void no_leap_at_half_a_turn(void **unused)
{
    pair p = create();
    double worst = 0.0;
    for (int trial = 0; trial < TRIALS; trial++) {
        double axis[3], x[3], energy[2];
        const tn_pose before = p.poses[p.body[1]];
        draw(trial, 0, 1.0, axis);
        draw(trial, 1, 0.02, x);
        tn_vec3_add(p.poses[p.body[1]].position, before.position, x);
        for (int k = 0; k < 2; k++) {
            double turn[3];
            tn_vec3_scale(turn, (3.14159265358979323846 + (k ? 1e-7 : -1e-7)) / tn_vec3_norm(axis), axis);
            memcpy(p.poses[p.body[1]].quaternion, p.poses[p.body[0]].quaternion, sizeof before.quaternion);
            turn_by(&p.poses[p.body[1]], turn);
            energy[k] = tn_elastic_energy(p.joint, p.poses);
        }
        worst = fmax(worst, fabs(energy[1] - energy[0]) / energy[0]);
        p.poses[p.body[1]] = before;
    }
    printf("leap of the energy: %.1e of it (limit 1e-5)\n", worst);
    assert_true(worst <= 1e-5);
    destroy(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(forces_are_the_gradient),
                                       cmocka_unit_test(no_leap_at_half_a_turn)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
