// Springs of contacts that a pair of shapes cannot have, or that do not go with the scene, are refused by place; what
// never meets may have them.
#include "model/model.h"
#include "tenon/sim.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

// NULL: taken. Otherwise place and beginning of the message.
static void check(const char *text, const char *expected)
{
    tn_error error = {0};
    tn_scene *scene = tn_scene_parse(text, "test.yaml", 0, NULL, &error);
    assert_non_null(scene);
    tn_model *model = tn_model_create(scene, &error);
    char found[1400];
    snprintf(found, sizeof found, "%d:%d: %s", error.line, error.column, error.message);
    if (expected) {
        print_message("%s\n", found);
        assert_null(model);
        assert_int_equal(error.status, TN_BAD_INPUT);
        assert_memory_equal(found, expected, strlen(expected));
    } else if (!model) {
        fail_msg("%s", found);
    }
    tn_model_destroy(model);
}

#define FLOOR "  floor: {fixed: true, shape: {plane: {}}, material: m}\n"
#define BALL "  ball: {position: [0, 0, 1], shape: {sphere: {radius: 1}}, material: m}\n"
#define BOX "  box: {position: [0, 0, 1], shape: {box: [1, 1, 1]}, material: m}\n"

static void shapes(void **state)
{
    check("materials:\n  m: {young: 1e9}\nbodies:\n" FLOOR BALL, NULL);
    check("materials:\n  m: {young: 1e9}\nbodies:\n" FLOOR BOX,
          "2:3: bodies 'floor' and 'box' touch by Hertz's law, which takes spheres");
    check("materials:\n  m: {young: 1e9}\npairs:\n  - {materials: [m, m], radius: 1 cm}\nbodies:\n" FLOOR BOX, NULL);
    check("materials:\n  m: {young: 1e9}\nbodies:\n" BOX, NULL); // alone
    check("materials:\n  m: {young: 1e9}\nbodies:\n  p: {mass: 1, inertia: [1, 1, 1], contact_points: [[0, 0, 0]], "
          "material: m}\n" FLOOR,
          "2:3: bodies 'p' and 'floor' touch by Hertz's law, which takes spheres and contact points with a radius");
    check("materials:\n  m: {foundation: {modulus: 1e7, depth: 1}}\nbodies:\n" FLOOR BOX, NULL);
    check("materials:\n  m: {foundation: {modulus: 1e7, depth: 1}}\nbodies:\n" FLOOR BALL,
          "2:3: bodies 'floor' and 'ball' touch by a foundation, which is for a box on a plane");
    check("materials: {m: {}}\npairs:\n  - {materials: [m, m], foundation: {modulus: 1e7, depth: 1}}\nbodies:\n" FLOOR
              BALL,
          "3:5: bodies 'floor' and 'ball' touch by a foundation");
    check("materials:\n  m: {young: 1e9}\nbodies:\n" FLOOR
          "soft:\n  mat: {grid: {size: [1, 1, 1], divisions: [1, 1, 1]}, young: 1e5, material: m}\n",
          "2:3: bodies 'floor' and 'mat' touch by Hertz's law, which is for rigid bodies");
}

static void company(void **state)
{
    check("materials:\n  m: {stiffness: 1e6, restitution: 0.5}\nbodies:\n" FLOOR BALL,
          "2:3: bodies 'floor' and 'ball' have restitution where they touch and a spring too: the spring");
    check("materials:\n  m: {stiffness: infinite, restitution: 0.5}\nbodies:\n" FLOOR BALL, NULL);
    check("scheme: midpoint\nmaterials:\n  m: {stiffness: 1e6}\nbodies:\n" FLOOR BALL,
          "3:3: bodies 'floor' and 'ball' touch by a spring, which needs 'scheme: euler'");
    check("restitution_law: poisson\nmaterials:\n  m: {stiffness: 1e6}\nbodies:\n" FLOOR BALL,
          "3:3: bodies 'floor' and 'ball' touch by a spring, which needs 'scheme: euler'");
    check("materials:\n  m: {stiffness: 1e6}\npairs:\n  - {materials: [m, m], adhesion: 1}\nbodies:\n" FLOOR BALL,
          "4:5: bodies 'floor' and 'ball' have adhesion where they touch and a spring too");
    check("solver: penalty\nmaterials:\n  m: {stiffness: 1e6}\nbodies:\n" FLOOR BALL,
          "3:3: bodies 'floor' and 'ball' touch by a spring, which solver penalty replaces");
    check("materials:\n  m: {young: 1e9}\n  s: {stiffness: 1e6}\nbodies:\n" FLOOR
          "  ball: {position: [0, 0, 1], shape: {sphere: {radius: 1}}, material: s}\n",
          "2:3: bodies 'floor' and 'ball' have springs of different kinds");
    // A pair decides; one that gives a kind drops the others.
    check("materials:\n  m: {young: 1e9}\n  s: {stiffness: 1e6}\npairs: [{materials: [m, s], stiffness: "
          "1e5}]\nbodies:\n" FLOOR "  ball: {position: [0, 0, 1], shape: {sphere: {radius: 1}}, material: s}\n",
          NULL);
}

static tn_surface surface_of(const char *materials)
{
    char text[1000];
    tn_error error = {0};
    snprintf(text, sizeof text, "%s\nbodies: {ball: {shape: {sphere: {radius: 1}}}}\n", materials);
    tn_scene *scene = tn_scene_parse(text, "test.yaml", 0, NULL, &error);
    assert_non_null(scene);
    tn_model *model = tn_model_create(scene, &error);
    assert_non_null(model);
    assert_int_equal(model->n_materials, 3);
    tn_surface surface = model->surfaces[1]; // of the first and the second
    tn_model_destroy(model);
    return surface;
}

static void combination(void **state)
{
    tn_surface s = surface_of("materials: {a: {stiffness: 3e6, damping: 1}, b: {stiffness: 6e6, damping: 2}}");
    assert_int_equal(s.contact, TN_CONTACT_LINEAR);
    assert_float_equal(s.spring.stiffness, 2e6, 1e-6);
    assert_float_equal(s.spring.damping, 2.0, 0.0);
    s = surface_of("materials: {a: {stiffness: 3e6, tangential_damping: 2}, b: {hunt_crossley: 3}}");
    assert_float_equal(s.spring.stiffness, 3e6, 0.0);
    assert_float_equal(s.spring.tangential_damping, 2.0, 0.0);
    assert_float_equal(s.spring.hunt_crossley, 3.0, 0.0);
    s = surface_of("materials: {a: {young: 1e9, poisson: 0}, b: {young: 1e9, poisson: 0.5}}");
    assert_int_equal(s.contact, TN_CONTACT_HERTZ);
    assert_float_equal(s.spring.modulus, 1e9 / 1.75, 1e-3);
    s = surface_of("materials: {a: {foundation: {modulus: 1e7, depth: 2, elements: 3}}, b: {foundation: {modulus: "
                   "5e6, depth: 1, elements: 7}}}");
    assert_int_equal(s.contact, TN_CONTACT_FOUNDATION);
    assert_float_equal(s.spring.bedding, 2.5e6, 1e-6);
    assert_int_equal(s.spring.elements, 7);
    s = surface_of("materials: {a: {stiffness: 3e6}, b: {}}\npairs: [{materials: [a, b], stiffness: infinite}]");
    assert_int_equal(s.contact, TN_CONTACT_RIGID);
    s = surface_of("materials: {a: {stiffness: 3e6, damping: 5}, b: {}}\npairs: [{materials: [a, b], contact_modulus: "
                   "7e9, radius: 0.25}]");
    assert_int_equal(s.contact, TN_CONTACT_HERTZ);
    assert_float_equal(s.spring.modulus, 7e9, 0.0);
    assert_float_equal(s.spring.radius, 0.25, 0.0);
    assert_float_equal(s.spring.damping, 5.0, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),
        cmocka_unit_test(company),
        cmocka_unit_test(combination),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
