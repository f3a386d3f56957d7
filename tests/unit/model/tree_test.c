// Trees of joints: who hangs from whom, loops left out, numbers of rates; mechanisms that are too large.
#include <stdio.h>
#include <string.h>

#include "model/tree.h"
#include "tenon/model.h"
#include "tenon/scene.h"
#include "test.h"

static tn_model *create(const char *text, tn_error *error)
{
    tn_scene *scene = tn_scene_parse(text, "test", 0, NULL, error);
    return scene ? tn_model_create(scene, error) : NULL;
}

// A hinge on the world with a branch, a loop that closes on the world, a free pair, a body of its own between them.
static void test_numbers(void **state)
{
    tn_error error = {0};
    tn_model *model =
        create("coordinates: reduced\n"
               "defaults: {body: {shape: {sphere: 0.1}}, joint: {type: revolute, axis: [0, 1, 0]}}\n"
               "bodies:\n  a: {position: [1, 0, 0]}\n  b: {position: [2, 0, 0]}\n  c: {position: [1, 1, 0]}\n"
               "  alone: {position: [0, 5, 0]}\n  d: {position: [5, 0, 0]}\n  e: {position: [6, 0, 0]}\n"
               "  tied: {position: [7, 0, 0]}\n"
               "joints:\n  j1: {b: a, anchor: [0, 0, 0]}\n  j2: {a: a, b: b, anchor: [1.5, 0, 0]}\n"
               "  loop: {b: b, anchor: [2, 0, 0]}\n"
               "  j3: {type: spherical, a: c, b: a, anchor: [1, 0.5, 0]}\n"
               "  j4: {type: universal, a: e, b: d, anchor: [5.5, 0, 0], axis2: [1, 0, 0]}\n"
               "  soft: {type: weld, a: e, b: tied, anchor: [6.5, 0, 0], stiffness: 100}\n",
               &error);
    assert_non_null(model);
    const tn_trees *t = model->trees;
    assert_non_null(t);
    assert_int_equal(t->n, 2);
    assert_int_equal(t->n_links, 5);
    assert_false(t->all); // the loop
    static const struct {
        const char *body;
        int parent, rate, n_rates, joint;
        bool is_a;
    } links[5] = {{"a", -1, 0, 1, 0, false},
                  {"b", 0, 1, 1, 1, false},
                  {"c", 0, 2, 3, 3, true},
                  {"d", -1, 12, 6, -1, false},
                  {"e", 3, 18, 2, 4, true}};
    for (int l = 0; l < 5; l++) {
        const tn_tree_link *link = &t->link[l];
        assert_string_equal(tn_model_body_name(model, link->body), links[l].body);
        assert_int_equal(link->parent, links[l].parent);
        assert_int_equal(link->rate, links[l].rate); // behind two blocks of the first tree, two of the body alone
        assert_int_equal(link->n_rates, links[l].n_rates);
        assert_int_equal(link->joint, links[l].joint);
        assert_int_equal(link->is_a, links[l].is_a);
        assert_int_equal(t->link_of[link->body], l);
    }
    assert_int_equal(t->n_blocks, 2 + 2 + 3 + 2); // trees, the one that is alone, the one that is tied softly
    assert_int_equal(t->block[model->bodies[tn_model_find_body(model, "alone")].block], 2);
    assert_int_equal(t->block[model->bodies[tn_model_find_body(model, "tied")].block], 7);
    tn_model_destroy(model);
}

static void test_too_large(void **state)
{
    static char text[16384];
    tn_error error = {0};
    for (int n = 32; n <= 33; n++) {
        int at =
            sprintf(text, "coordinates: reduced\ndefaults: {body: {shape: {sphere: 0.1}}, joint: {type: spherical}}\n"
                          "bodies:\n");
        for (int i = 0; i < n; i++) {
            at += sprintf(text + at, "  b%d: {position: [%d, 0, 0]}\n", i, i);
        }
        at += sprintf(text + at, "joints:\n  j0: {b: b0}\n");
        for (int i = 1; i < n; i++) {
            at += sprintf(text + at, "  j%d: {a: b%d, b: b%d}\n", i, i - 1, i);
        }
        tn_model *model = create(text, &error);
        if (n == 32) {
            assert_non_null(model);
            tn_model_destroy(model);
        } else {
            assert_null(model);
            assert_string_equal(error.message, "the mechanism of body 'b0' has 99 degrees of freedom; 'coordinates: "
                                               "reduced' takes at most 96: leave it maximal");
            assert_int_equal(error.line, 4);
        }
    }
}

// What a step takes where the scene leaves it open: two links on the world, and what speaks against their rates.
static void test_auto(void **state)
{
    static const struct {
        const char *settings, *type, *more, *coordinates;
        double off; // [m]
    } cases[] = {
        {"", "revolute, axis: [0, 1, 0]", "", "reduced", 0.0},
        {"scheme: implicit", "revolute, axis: [0, 1, 0]", "", "reduced", 0.0},
        {"", "revolute, axis: [0, 1, 0]", "  gear: {type: gear, joints: [j1, j2], ratio: 2}\n", "reduced", 0.0},
        {"", "spherical", "", "maximal", 0.0}, // no fewer rates than rows
        {"scheme: midpoint", "revolute, axis: [0, 1, 0]", "", "maximal", 0.0},
        {"scheme: pbd", "revolute, axis: [0, 1, 0]", "", "maximal", 0.0},
        {"coordinates: maximal", "revolute, axis: [0, 1, 0]", "", "maximal", 0.0},
        {"coordinates: reduced", "spherical", "", "reduced", 0.0},
        {"", "revolute, axis: [0, 1, 0]", "  loop: {type: point_on_line, b: b, anchor: [2, 0, 0], axis: [1, 0, 0]}\n",
         "reduced", 0.0},
        {"", "revolute, axis: [0, 1, 0]", "  tie: {type: distance, a: b, b: c}\n", "maximal", 0.0}, // to no link
        {"", "revolute, axis: [0, 1, 0], slack: 0.1", "", "reduced", 0.0}, // but starts as drawn
        {"", "revolute, axis: [0, 1, 0], slack: 0.1", "", "maximal", 0.01},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[1024];
        tn_error error = {0};
        snprintf(text, sizeof text,
                 "%s\ndefaults: {body: {mass: 1, shape: {sphere: 0.1}}}\n"
                 "bodies:\n  a: {position: [1, 0, 0]}\n  b: {position: [2, 0, 0]}\n  c: {position: [2, 1, 0]}\n"
                 "joints:\n  j1: {b: a, anchor: [0, 0, 0], type: %s}\n"
                 "  j2: {a: a, b: b, point_a: [0.5, 0, 0], point_b: [-0.5, %g, 0], type: %s}\n%s",
                 cases[i].settings, cases[i].type, cases[i].off, cases[i].type, cases[i].more);
        tn_model *model = create(text, &error);
        print_message("%zu: %s\n", i, error.message);
        tn_model_method method;
        assert_non_null(model);
        tn_model_get_method(model, &method);
        assert_string_equal(method.coordinates, cases[i].coordinates);
        tn_model_destroy(model);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_numbers), cmocka_unit_test(test_too_large),
                                       cmocka_unit_test(test_auto)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
