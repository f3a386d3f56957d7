// What a scene says arrives in the structs: settings, materials, pairs, bodies, shapes, springs.
#include <math.h>

#include "math/quat.h"
#include "math/vec3.h"
#include "parse.h"
#include "test.h"

static void defaults_of_settings(void **state)
{
    tn_scene *scene = parse("{}");
    const tn_settings *s = &scene->settings;
    assert_vector(s->gravity, 0.0, 0.0, -9.81, 0.0);
    assert_true(s->step == 0.01 && s->duration == 1.0 && s->baumgarte == 0.2);
    assert_true(s->margin == 0.0 && s->restitution_threshold == 0.0 && s->omega == 0.0);
    assert_int_equal(s->scheme, TN_SCHEME_EULER);
    assert_int_equal(s->law, TN_LAW_COULOMB);
    assert_int_equal(s->gap_term, TN_GAP_FULL);
    assert_string_equal(s->solver, "auto");
    assert_int_equal(s->solve.max_iterations, 500);
    assert_int_equal(s->solve.n_threads, 0);
    assert_true(isinf(s->k_v));
    assert_true(s->demanded.momentum == 0.0 && s->demanded.natural == 0.0);
    assert_true(s->demanded.fclib == 0.0 && s->demanded.penetration == 0.0);
    assert_int_equal(s->record_every, 1);
    assert_true(s->record_contacts);
    assert_true(s->seed == 1);
    assert_string_equal(scene->title, "");
    assert_int_equal(scene->n_bodies, 0);
    assert_int_equal(scene->n_materials, 1);
    assert_string_equal(scene->materials[0].name, "default");
    assert_true(scene->materials[0].density == 1000.0 && scene->materials[0].mu1 == 0.5);
    tn_scene_destroy(scene);
}

static void settings(void **state)
{
    tn_scene *scene = parse("title: \"A: b\"\n"
                            "gravity: [1, -2 m/s^2, 0]\n"
                            "step: 5 ms\n"
                            "duration: 2 min\n"
                            "scheme: midpoint\n"
                            "law: convex\n"
                            "gap: baumgarte\n"
                            "baumgarte: 0.5\n"
                            "margin: 2 mm\n"
                            "restitution_threshold: 1 mm/s\n"
                            "omega: 1e-3 s/kg\n"
                            "seed: 18446744073709551615\n"
                            "solver:\n"
                            "  name: pgs\n"
                            "  max_iterations: 7\n"
                            "  k_v: 1e5 N s/m\n"
                            "  penalty_stiffness: 2 kN/m\n"
                            "  penalty_damping: 3\n"
                            "  threads: 2\n"
                            "  tolerance: {momentum: 0, natural: 1e-9, fclib: 1e-6, penetration: 1 um, theta: 1e-4}\n"
                            "record: {every: 3, contacts: false}\n");
    const tn_settings *s = &scene->settings;
    assert_string_equal(scene->title, "A: b");
    assert_vector(s->gravity, 1.0, -2.0, 0.0, 0.0);
    assert_true(s->step == 5 * 1e-3 && s->duration == 120.0 && s->baumgarte == 0.5);
    assert_true(s->margin == 2 * 1e-3 && s->restitution_threshold == 1e-3 && s->omega == 1e-3);
    assert_int_equal(s->scheme, TN_SCHEME_MIDPOINT);
    assert_int_equal(s->law, TN_LAW_CONVEX);
    assert_int_equal(s->gap_term, TN_GAP_BAUMGARTE);
    assert_true(s->seed == UINT64_MAX);
    assert_string_equal(s->solver, "pgs");
    assert_int_equal(s->solve.max_iterations, 7);
    assert_true(s->k_v == 1e5 && s->solve.penalty_stiffness == 2e3 && s->solve.penalty_damping == 3.0);
    assert_int_equal(s->solve.n_threads, 2);
    assert_true(s->demanded.momentum == 0.0 && s->demanded.natural == 1e-9);
    assert_true(s->demanded.fclib == 1e-6 && s->demanded.theta == 1e-4);
    assert_true(s->demanded.penetration == 1e-6);
    assert_int_equal(s->record_every, 3);
    assert_false(s->record_contacts);
    tn_scene_destroy(scene);
}

static void materials_and_pairs(void **state)
{
    tn_scene *scene = parse("materials:\n"
                            "  steel: {density: 7.8 g/cm^3, friction: 0.4, restitution: 0.2}\n"
                            "  ribbed: {friction: {mu1: 0.1, mu2: 0.3, direction: [0, 2, 0]}}\n"
                            "  default: {friction: 0.9}\n"
                            "pairs:\n"
                            "  - {materials: [steel, ribbed], restitution: 1}\n"
                            "  - {materials: [steel, steel], friction: 0.05, collide: false}\n");
    assert_int_equal(scene->n_materials, 3); // `default` is not added twice
    const tn_material *steel = &scene->materials[0], *ribbed = &scene->materials[1];
    assert_string_equal(steel->name, "steel");
    assert_true(fabs(steel->density / 7800.0 - 1.0) < 1e-15);
    assert_true(steel->mu1 == 0.4 && steel->mu2 == 0.4 && steel->restitution == 0.2);
    assert_vector(steel->direction, 0.0, 0.0, 0.0, 0.0);
    assert_true(ribbed->mu1 == 0.1 && ribbed->mu2 == 0.3 && ribbed->density == 1000.0);
    assert_vector(ribbed->direction, 0.0, 1.0, 0.0, 0.0);
    assert_int_equal(scene->n_pairs, 2);
    // What a pair does not say follows the rule of combination.
    const tn_pair *mixed = &scene->pairs[0], *same = &scene->pairs[1];
    assert_true(mixed->material_a == 0 && mixed->material_b == 1 && mixed->restitution == 1.0 && mixed->collide);
    assert_true(mixed->mu1 == sqrt(0.4 * 0.1) && mixed->mu2 == sqrt(0.4 * 0.3));
    assert_vector(mixed->direction, 0.0, 1.0, 0.0, 0.0);
    assert_true(same->mu1 == 0.05 && same->mu2 == 0.05 && !same->collide && same->restitution == 0.2);
    tn_scene_destroy(scene);
}

static void shapes(void **state)
{
    tn_scene *scene =
        parse("materials: {a: {density: 500}, b: {density: 700}}\n"
              "bodies:\n"
              "  floor: {fixed: true, shape: {plane: {normal: [0, 2, 0], offset: 3}, position: [1, 1, 1]}}\n"
              "  body:\n"
              "    material: a\n"
              "    shapes:\n"
              "      - {box: [2, 4, 6]}\n"
              "      - {sphere: 0.5, material: b, position: [1, 2, 3]}\n"
              "      - {capsule: {radius: 1, length: 4}, density: 20, collides: false}\n"
              "      - {sphere: {radius: 1}, mass: 3}\n");
    const tn_scene_body *floor = find_body(scene, "floor"), *body = find_body(scene, "body");
    double up[3] = {0.0, 0.0, 1.0}, normal[3];
    tn_quat_rotate(normal, floor->shapes[0].pose.quaternion, up);
    assert_int_equal(floor->shapes[0].shape.kind, TN_SHAPE_PLANE);
    assert_vector(normal, 0.0, 1.0, 0.0, 1e-15);
    assert_vector(floor->shapes[0].pose.position, 1.0, 4.0, 1.0, 1e-15);
    assert_int_equal(body->n_shapes, 4);
    const tn_scene_shape *s = body->shapes;
    assert_int_equal(s[0].shape.kind, TN_SHAPE_BOX);
    assert_vector(s[0].shape.size, 1.0, 2.0, 3.0, 0.0); // half edges
    assert_true(s[0].material == 0 && s[0].density == 500.0 && s[0].collides);
    assert_int_equal(s[1].shape.kind, TN_SHAPE_SPHERE);
    assert_true(s[1].shape.size[0] == 0.5 && s[1].material == 1 && s[1].density == 700.0);
    assert_vector(s[1].pose.position, 1.0, 2.0, 3.0, 0.0);
    assert_int_equal(s[2].shape.kind, TN_SHAPE_CAPSULE);
    assert_true(s[2].shape.size[0] == 1.0 && s[2].shape.size[1] == 2.0 && s[2].density == 20.0 && !s[2].collides);
    assert_true(fabs(s[3].density * tn_shape_volume(&s[3].shape) - 3.0) < 1e-15 * 4);
    tn_scene_destroy(scene);
}

// Every direction of a plane's normal, straight down (the one where the turn's axis vanishes) included.
static void plane_normals(void **state)
{
    double worst = 0.0;
    const double n[][3] = {{0, 0, 1}, {0, 0, -1}, {1, 0, 0}, {0, -1, 0}, {1, 2, -3}, {1e-9, 0, -1}, {0, 1e-9, 1}};
    for (size_t i = 0; i < sizeof n / sizeof *n; i++) {
        char text[200];
        snprintf(text, sizeof text, "bodies: {f: {fixed: true, shape: {plane: [%.17g, %.17g, %.17g]}}}", n[i][0],
                 n[i][1], n[i][2]);
        tn_scene *scene = parse(text);
        double up[3] = {0.0, 0.0, 1.0}, normal[3];
        tn_quat_rotate(normal, scene->bodies[0].shapes[0].pose.quaternion, up);
        for (int k = 0; k < 3; k++) {
            worst = fmax(worst, fabs(normal[k] - n[i][k] / tn_vec3_norm(n[i])));
        }
        tn_scene_destroy(scene);
    }
    printf("plane normals: largest error %.1e (limit 1e-15: a few roundings)\n", worst);
    assert_true(worst < 1e-15);
}

static void masses(void **state)
{
    tn_scene *scene = parse("bodies:\n"
                            "  scaled: {mass: 5, shapes: [{box: [1, 1, 1]}, {sphere: 1, density: 10}]}\n"
                            "  dense: {density: 2, shape: {box: [1, 2, 3]}}\n"
                            "  given: {mass: 2, inertia: [1, 2, 2.5, 0.1, 0.2, 0.3], center: [0, 0, 1 cm]}\n");
    const tn_scene_body *scaled = find_body(scene, "scaled"), *given = find_body(scene, "given");
    double mass = 0.0;
    for (int i = 0; i < 2; i++) {
        mass += scaled->shapes[i].density * tn_shape_volume(&scaled->shapes[i].shape);
    }
    printf("mass by scaled densities %.17g (5, limit 1e-14)\n", mass);
    assert_true(fabs(mass - 5.0) < 1e-14);
    assert_true(fabs(scaled->shapes[0].density / scaled->shapes[1].density - 100.0) < 1e-12);
    assert_true(find_body(scene, "dense")->shapes[0].density == 2.0);
    assert_true(given->inertia && given->inertia->mass == 2.0 && !scaled->inertia);
    assert_vector(given->inertia->center, 0.0, 0.0, 0.01, 0.0);
    const double I[9] = {1, 0.1, 0.2, 0.1, 2, 0.3, 0.2, 0.3, 2.5};
    assert_memory_equal(given->inertia->tensor, I, sizeof I);
    tn_scene_destroy(scene);
}

static void rotations(void **state)
{
    // Each turns x to y.
    static const char *const texts[] = {"{axis: [0, 0, 3], angle: 90 deg}", "{euler: [0, 0, 90 deg]}",
                                        "{quaternion: [2, 0, 0, 2]}", "[0, 0, 1.5707963267948966]"};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char text[200];
        snprintf(text, sizeof text, "bodies: {b: {rotation: %s, shape: {sphere: 1}}}", texts[i]);
        tn_scene *scene = parse(text);
        double x[3] = {1.0, 0.0, 0.0}, y[3];
        tn_quat_rotate(y, scene->bodies[0].pose.quaternion, x);
        assert_vector(y, 0.0, 1.0, 0.0, 1e-15);
        tn_scene_destroy(scene);
    }
    // Roll 90 deg about x, then yaw 90 deg about the fixed z: y goes to z and stays there.
    tn_scene *scene = parse("bodies: {b: {rotation: [90 deg, 0, 90 deg], shape: {sphere: 1}}}");
    double y[3] = {0.0, 1.0, 0.0}, out[3];
    tn_quat_rotate(out, scene->bodies[0].pose.quaternion, y);
    assert_vector(out, 0.0, 0.0, 1.0, 1e-15);
    tn_scene_destroy(scene);
}

static void bodies(void **state)
{
    tn_scene *scene =
        parse("bodies:\n"
              "  free: {position: [1, 2, 3], velocity: [4, 5, 6], angular_velocity: [60 rpm, 0, 0],\n"
              "    shape: {sphere: 1}, confine: [0, 3, 0], force: [\"2*t\", 3 N, 0], force_body: [1, 0, 0],\n"
              "    torque: [0, 0, 7]}\n"
              "  fixed: {fixed: true, shape: {box: [1, 1, 1]}}\n"
              "  crank: {motion: {position: [0.1*sin(t), 0, 2], axis: [0, 5, 0], angle: 3*t},\n"
              "    shape: {sphere: 1}}\n"
              "  feet: {shape: {box: [2, 2, 2]}, contact_points: [[1, 1, -1], [-1, -1, -1]], contact_radius: 1 cm}\n");
    const tn_scene_body *b = find_body(scene, "free");
    assert_int_equal(b->kind, TN_BODY_FREE);
    assert_vector(b->pose.position, 1.0, 2.0, 3.0, 0.0);
    assert_vector(b->velocity->linear, 4.0, 5.0, 6.0, 0.0);
    assert_vector(b->velocity->angular, 2.0 * 3.14159265358979323846, 0.0, 0.0, 1e-15);
    assert_non_null(b->plane_normal);
    assert_vector(b->plane_normal, 0.0, 1.0, 0.0, 0.0);
    assert_true(tn_value_at(&b->push->force[0], 3.0) == 6.0 && tn_value_at(&b->push->force[1], 3.0) == 3.0);
    assert_true(tn_value_at(&b->push->force_body[0], 3.0) == 1.0 && tn_value_at(&b->push->torque[2], 0.0) == 7.0);
    assert_int_equal(find_body(scene, "fixed")->kind, TN_BODY_FIXED);
    const tn_scene_body *crank = find_body(scene, "crank");
    assert_int_equal(crank->kind, TN_BODY_KINEMATIC);
    assert_vector(crank->pose.position, 0.0, 0.0, 2.0, 0.0); // where the motion begins
    assert_vector(crank->motion->axis, 0.0, 1.0, 0.0, 0.0);
    assert_true(fabs(tn_value_rate(&crank->motion->position[0], 0.0) - 0.1) < 1e-16);
    assert_true(tn_value_rate(&crank->motion->angle, 1.0) == 3.0);
    const tn_scene_body *feet = find_body(scene, "feet");
    assert_int_equal(feet->n_shapes, 2);
    assert_false(feet->shapes[0].collides);
    assert_true(feet->shapes[1].collides && feet->shapes[1].shape.kind == TN_SHAPE_POINTS);
    assert_int_equal(feet->shapes[1].shape.n_points, 2);
    assert_true(feet->shapes[1].shape.size[0] == 0.01);
    assert_vector(feet->shapes[1].shape.points + 3, -1.0, -1.0, -1.0, 0.0);
    assert_int_equal(feet->place.line, 8);
    assert_int_equal(feet->place.column, 3);
    tn_scene_destroy(scene);
}

static void springs(void **state)
{
    tn_scene *scene =
        parse("bodies:\n"
              "  a: {shape: {sphere: 1}, array: {count: [2, 1, 1], spacing: [3, 0, 0]}}\n"
              "  b: {shape: {sphere: 1}}\n"
              "springs:\n"
              "  one: {a: 'a[1]', b: b, point_a: [1, 0, 0], stiffness: 2 N/mm, damping: 3, rest_length: 1 cm}\n"
              "  two: {a: world, b: b}\n"
              "  three: {a: b}\n");
    assert_int_equal(scene->n_springs, 3);
    const tn_scene_spring *s = scene->springs;
    assert_true(s[0].body_a == 1 && s[0].body_b == 2 && s[0].stiffness == 2.0 * 1e3 && s[0].damping == 3.0);
    assert_vector(s[0].point_a, 1.0, 0.0, 0.0, 0.0);
    assert_true(s[0].rest_length == 0.01);
    assert_true(s[1].body_a == -1 && s[1].body_b == 2);
    assert_true(s[2].body_a == 2 && s[2].body_b == -1);
    tn_scene_destroy(scene);
}

static void defaults_fill_what_is_not_said(void **state)
{
    tn_scene *scene = parse("defaults:\n"
                            "  body: {material: wood, velocity: [1, 0, 0], shape: {sphere: 2}}\n"
                            "  shape: {density: 3, position: [0, 0, 9]}\n"
                            "  material: {restitution: 0.5}\n"
                            "  spring: {stiffness: 11}\n"
                            "materials: {wood: {}, stone: {restitution: 0}}\n"
                            "bodies:\n"
                            "  a: {}\n"
                            "  b: {velocity: [2, 0, 0], shape: {box: [1, 1, 1], density: 4}}\n"
                            "springs: {s: {a: a, b: b}}\n");
    const tn_scene_body *a = find_body(scene, "a"), *b = find_body(scene, "b");
    assert_true(a->velocity->linear[0] == 1.0 && b->velocity->linear[0] == 2.0);
    assert_true(a->shapes[0].shape.kind == TN_SHAPE_SPHERE && b->shapes[0].shape.kind == TN_SHAPE_BOX);
    assert_true(a->shapes[0].density == 3.0 && b->shapes[0].density == 4.0);
    assert_true(a->shapes[0].pose.position[2] == 9.0 && b->shapes[0].material == 0);
    assert_true(scene->materials[0].restitution == 0.5 && scene->materials[1].restitution == 0.0);
    assert_true(scene->springs[0].stiffness == 11.0);
    tn_scene_destroy(scene);
}

static void json_is_yaml(void **state)
{
    tn_scene *scene = parse("{\n\t\"step\": \"5 ms\", \"gravity\": [0, 0, -1.5e0],\n"
                            "\t\"bodies\": {\"b\": {\"fixed\": false, \"shape\": {\"sphere\": {\"radius\": 2}}}}\n}\n");
    assert_true(scene->settings.step == 5 * 1e-3 && scene->settings.gravity[2] == -1.5);
    assert_true(scene->bodies[0].shapes[0].shape.size[0] == 2.0);
    tn_scene_destroy(scene);
    expect_error("{\"step\": 1,\n \"stpe\": 2}", 2, 2, "unknown key 'stpe'; did you mean 'step'?");
}

static void aliases(void **state)
{
    tn_scene *scene = parse("materials: {a: &m {density: 5}, b: *m}\n"
                            "bodies: {x: {shape: &s {sphere: 1}}, y: {shape: *s}}\n");
    assert_true(scene->materials[1].density == 5.0 && scene->bodies[1].shapes[0].shape.size[0] == 1.0);
    tn_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(defaults_of_settings),
        cmocka_unit_test(settings),
        cmocka_unit_test(materials_and_pairs),
        cmocka_unit_test(shapes),
        cmocka_unit_test(plane_normals),
        cmocka_unit_test(masses),
        cmocka_unit_test(rotations),
        cmocka_unit_test(bodies),
        cmocka_unit_test(springs),
        cmocka_unit_test(defaults_fill_what_is_not_said),
        cmocka_unit_test(json_is_yaml),
        cmocka_unit_test(aliases),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
