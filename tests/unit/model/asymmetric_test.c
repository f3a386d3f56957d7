// Models of asymmetric data: shapes turned about skew axes, pairs of different materials, prescribed turning that
// speeds up, soft bodies that add to a body's mass. Symmetric data hide a transposed rotation or a swapped index.
#include "compile_text.h"

#include "math/mat3.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "model/motion.h"

static void check(const char *what, double value, double wanted, double limit)
{
    printf("%-52s %.12g, wanted %.12g +- %.1g\n", what, value, wanted, limit);
    assert_true(fabs(value - wanted) <= limit);
}

// Rodrigues' formula, not by quaternions: R = c 1 + s [n]x + (1 - c) n n^T.
static void rodrigues(double r[9], const double axis[3], double angle)
{
    double n[3], c = cos(angle), s = sin(angle),
                 length = sqrt(axis[0] * axis[0] + axis[1] * axis[1] + axis[2] * axis[2]);
    for (int i = 0; i < 3; i++) {
        n[i] = axis[i] / length;
    }
    const double skew[9] = {0, -n[2], n[1], n[2], 0, -n[0], -n[1], n[0], 0};
    for (int i = 0; i < 9; i++) {
        r[i] = (i % 4 == 0 ? c : 0.0) + s * skew[i] + (1.0 - c) * n[i / 3] * n[i % 3];
    }
}

// out = r diag(d) r^T
static void turned(double out[9], const double r[9], const double d[3])
{
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            out[3 * i + j] =
                r[3 * i] * d[0] * r[3 * j] + r[3 * i + 1] * d[1] * r[3 * j + 1] + r[3 * i + 2] * d[2] * r[3 * j + 2];
        }
    }
}

// The body's tensor about its center of mass in the axes of its own frame.
static void tensor_of(const tn_model_body *body, double out[9])
{
    double r[9];
    tn_quat_to_mat3(r, body->principal.quaternion);
    turned(out, r, body->inertia);
}

static double worst_of(const double *a, const double *b)
{
    double worst = 0.0;
    for (int i = 0; i < 9; i++) {
        worst = fmax(worst, fabs(a[i] - b[i]));
    }
    return worst;
}

// A box turned about a skew axis has the tensor R diag R^T in the body's axes; transposed it would be off by a third.
static void skew_shape(void **unused)
{
    tn_model *m = must_compile("bodies: {b: {density: 500, shape: {box: [0.2, 0.4, 0.6], position: [0.3, -0.2, 0.1], "
                               "rotation: {axis: [1, 2, 3], angle: 0.7}}}}\n");
    const double axis[3] = {1, 2, 3}, own[3] = {2 * 0.52, 2 * 0.40, 2 * 0.20}; // m/12 (b^2 + c^2), m = 24 kg
    double r[9], wanted[9], got[9], back[9];
    rodrigues(r, axis, 0.7);
    turned(wanted, r, own);
    tensor_of(m->bodies + 1, got);
    check("tensor of a box turned about (1, 2, 3)", worst_of(got, wanted), 0.0, 1e-13);
    rodrigues(r, axis, -0.7);
    turned(back, r, own);
    assert_true(worst_of(back, wanted) > 0.1); // turned the other way it is another tensor
    check("its center, x", m->bodies[1].principal.position[0], 0.3, 1e-14);
    check("its center, y", m->bodies[1].principal.position[1], -0.2, 1e-14);
    tn_model_destroy(m);
}

// Two parts turned differently and apart: the parallel axis theorem about the common center, by hand.
static void skew_parts(void **unused)
{
    tn_model *m = must_compile(
        "bodies: {b: {shapes: [{box: [0.2, 0.4, 0.6], density: 500, rotation: {axis: [1, 2, 3], angle: 0.7}}, "
        "{cylinder: {radius: 0.1, length: 0.5}, mass: 6, position: [0.5, 0.3, -0.2], rotation: {axis: [-2, 1, 0.5], "
        "angle: 1.1}}]}}\n");
    const double first[3] = {1, 2, 3}, second[3] = {-2, 1, 0.5}, box[3] = {1.04, 0.80, 0.40}, d[3] = {0.5, 0.3, -0.2};
    double across = 6.0 * (3.0 * 0.01 + 0.25) / 12.0; // m (3 r^2 + l^2)/12
    const double cylinder[3] = {across, across, 0.5 * 6.0 * 0.01};
    double r[9], a[9], b[9], wanted[9], got[9], reduced = 24.0 * 6.0 / 30.0, square = 0.25 + 0.09 + 0.04;
    rodrigues(r, first, 0.7);
    turned(a, r, box);
    rodrigues(r, second, 1.1);
    turned(b, r, cylinder);
    for (int i = 0; i < 9; i++) {
        wanted[i] = a[i] + b[i] + reduced * ((i % 4 == 0 ? square : 0.0) - d[i / 3] * d[i % 3]);
    }
    tensor_of(m->bodies + 1, got);
    check("mass of box and cylinder", m->bodies[1].mass, 30.0, 1e-12);
    check("tensor of box and cylinder", worst_of(got, wanted), 0.0, 1e-12);
    for (int i = 0; i < 3; i++) {
        check("center: the cylinder's fifth", m->bodies[1].principal.position[i], 0.2 * d[i], 1e-13);
    }
    tn_model_destroy(m);
}

// Every parameter of two different materials, both orders, with neither the larger of everything.
static void different_materials(void **unused)
{
    tn_model *m = must_compile("materials:\n"
                               "  a: {friction: 0.04, restitution: 0.3, rolling: 2 mm, torsion: 5 mm}\n"
                               "  b: {friction: 0.25, restitution: 0.6, rolling: 1 mm, torsion: 7 mm}\n"
                               "bodies: {x: {shape: {sphere: 1}}}\n");
    int n = m->n_materials, a = -1, b = -1;
    for (int i = 0; i < n; i++) {
        a = m->surfaces[i * n + i].mu1 == 0.04 ? i : a;
        b = m->surfaces[i * n + i].mu1 == 0.25 ? i : b;
    }
    assert_true(a >= 0 && b >= 0);
    for (int order = 0; order < 2; order++) {
        const tn_surface *s = m->surfaces + (order == 0 ? a * n + b : b * n + a);
        check("friction: geometric mean", s->mu1, 0.1, 1e-15);
        check("friction across: the same", s->mu2, 0.1, 1e-15);
        check("restitution: the larger", s->restitution, 0.6, 0.0);
        check("rolling: the larger", s->rolling, 0.002, 1e-18);
        check("torsion: the larger", s->torsion, 0.007, 1e-18);
    }
    tn_model_destroy(m);
}

// Position t^3 along y, angle 2 t^2 about (0, 3, 4): rates at an instant and means over a step differ.
static void turning_that_speeds_up(void **unused)
{
    tn_model *m = must_compile("bodies: {b: {shape: {sphere: 1}, motion: {position: [1, 't^3', '-t'], axis: [0, 3, 4], "
                               "angle: '2 * t^2'}}}\n");
    double linear[3], angular[3], t = 0.5, h = 0.1;
    tn_motion_velocity(m->bodies + 1, t, linear, angular);
    check("rate of t^3", linear[1], 3 * t * t, 1e-14);
    check("rate of the angle, y", angular[1], 0.6 * 4 * t, 1e-14);
    check("rate of the angle, z", angular[2], 0.8 * 4 * t, 1e-14);
    tn_motion_mean_velocity(m->bodies + 1, t, h, linear, angular);
    check("mean rate of t^3", linear[1], (0.216 - 0.125) / 0.1, 1e-13);
    check("mean rate of -t", linear[2], -1.0, 1e-13);
    check("mean rate of the angle, y", angular[1], 0.6 * 2 * (0.36 - 0.25) / 0.1, 1e-13);
    check("mean rate of the angle, z", angular[2], 0.8 * 2 * (0.36 - 0.25) / 0.1, 1e-13);
    tn_model_destroy(m);
}

// A soft block of one cell, all eight nodes tied to a free ball. Each node is at a corner, whatever part of the mass it
// has: I_xx of the block about its center is m (b^2 + c^2)/4. Its masses are symmetric about the center.
static void attached_block(void **unused)
{
    tn_model *m = must_compile(
        "bodies: {ball: {mass: 3, shape: {sphere: 0.5}, position: [1, 2, 3]}}\n"
        "soft: {block: {grid: {size: [0.2, 0.4, 0.6], divisions: [1, 1, 1]}, young: 1e5, density: 500, position: "
        "[1.5, 2.3, 2.8], attach: [{to: ball, where: {all: true}}]}}\n");
    const double d[3] = {0.5, 0.3, -0.2}, edge[3] = {0.04, 0.16, 0.36};
    double got[9], block = 24.0, reduced = 3.0 * 24.0 / 27.0, square = 0.25 + 0.09 + 0.04;
    tensor_of(m->bodies + 1, got);
    check("mass with the block", m->bodies[1].mass, 27.0, 1e-12);
    check("total mass", m->total_mass, 27.0, 1e-12);
    for (int i = 0; i < 3; i++) {
        double own = block * (edge[(i + 1) % 3] + edge[(i + 2) % 3]) / 4.0;
        check("center", m->bodies[1].principal.position[i], d[i] * block / 27.0, 1e-13);
        check("moment", got[4 * i], 0.4 * 3.0 * 0.25 + own + reduced * (square - d[i] * d[i]), 1e-12);
    }
    tn_model_destroy(m);
}

// A body's motion turns about a world axis what is turned already at the start: R(angle) R(start).
static void motion_after_the_start(void **unused)
{
    tn_model *m =
        must_compile("bodies: {b: {shape: {sphere: 1}, rotation: {axis: [1, 2, 3], angle: 0.7}, motion: {axis: [0, "
                     "3, 4], angle: '2 * t^2'}}}\n");
    const double first[3] = {1, 2, 3}, then[3] = {0, 3, 4}, x[3] = {0.3, -0.2, 0.5};
    double a[9], b[9], wanted[3], got[3];
    tn_pose pose;
    tn_motion_pose(m->bodies + 1, 0.5, &pose);
    rodrigues(a, first, 0.7);
    rodrigues(b, then, 0.5);
    tn_mat3_vec(wanted, a, x);
    tn_mat3_vec(wanted, b, wanted);
    tn_quat_rotate(got, pose.quaternion, x); // a ball's principal axes are its own
    tn_vec3_sub(got, got, wanted);
    check("turned after the start", tn_vec3_norm(got), 0.0, 1e-14);
    tn_model_destroy(m);
}

// Shapes that only give mass are not among those that touch, wherever they stand; free nodes are part of the mass.
static void what_touches_and_what_weighs(void **unused)
{
    tn_model *m =
        must_compile("bodies:\n  a: {shapes: [{sphere: 0.5, collides: false}, {box: [1, 2, 3]}]}\n"
                     "  b: {shapes: [{capsule: {radius: 0.1, length: 1}}, {sphere: 0.25, collides: false}]}\n"
                     "soft: {s: {grid: {size: [1, 2, 0.5], divisions: [1, 1, 1]}, young: 1e5, density: 100}}\n");
    assert_int_equal(m->n_shapes, 2);
    assert_int_equal(m->shapes[0].shape.kind, TN_SHAPE_BOX);
    assert_int_equal(m->shapes[1].shape.kind, TN_SHAPE_CAPSULE);
    double ball = 1000 * 4.0 / 3.0 * M_PI, capsule = 1000 * M_PI * 0.01 * (1.0 + 4.0 / 30.0);
    check("mass of a", m->bodies[1].mass, 6000 + ball * 0.125, 1e-9);
    check("mass of b", m->bodies[2].mass, capsule + ball / 64, 1e-9);
    check("total mass", m->total_mass, 6000 + ball * 0.125 + capsule + ball / 64 + 100, 1e-9);
    tn_model_destroy(m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(skew_shape),
        cmocka_unit_test(skew_parts),
        cmocka_unit_test(different_materials),
        cmocka_unit_test(turning_that_speeds_up),
        cmocka_unit_test(attached_block),
        cmocka_unit_test(motion_after_the_start),
        cmocka_unit_test(what_touches_and_what_weighs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
