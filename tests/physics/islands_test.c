// Islands: what hangs together moves by its own state alone, to the last bit, whatever else is in the scene and however
// many threads there are.
#include "scenario.h"

#include "kernels/nodal/groups.h"

#include <string.h>

// Three things far from one another: boxes that tumble over one another, a jointed chain that falls on the floor, a
// soft ball that bounces. The margin is given: what is automatic looks at the smallest shape of all.
static const char head[] = "step: 5 ms\nmargin: 2 mm\nmaterials: {m: {density: 600, friction: 0.5}}\n"
                           "defaults:\n  body: {material: m}\n  joint: {type: spherical}\nbodies:\n"
                           "  floor: {fixed: true, shape: {plane: {}}}\n";
static const char boxes[] =
    "  box: {position: [0, 0, 0.15], shape: {box: [0.2, 0.2, 0.2]},\n"
    "    array: {count: [3, 3, 3], spacing: [0.23, 0.23, 0.26], jitter: 1 cm, rotation_jitter: 10 deg}}\n";
static const char links[] = "  a: {position: [10, 0, 0.6], shape: {box: [0.3, 0.1, 0.1]}}\n"
                            "  b: {position: [10.35, 0, 0.6], shape: {box: [0.3, 0.1, 0.1]}}\n"
                            "  c: {position: [10.7, 0, 0.6], angular_velocity: [1, 2, 3], shape: {sphere: 0.1}}\n";
static const char joints[] = "joints:\n  ab: {a: a, b: b, anchor: [10.175, 0, 0.6]}\n"
                             "  bc: {a: b, b: c, anchor: [10.525, 0, 0.6]}\n";
static const char soft[] = "soft:\n  ball: {ball: {radius: 0.05, divisions: 3}, position: [0, 10, 0.08], material: m,\n"
                           "    young: 1 MPa, poisson: 0.3, damping: {stiffness: 0.2 ms}}\n";

enum { STEPS = 200, THREADS = 3 };

static scenario open_scene(int threads, bool with_boxes, bool with_links, bool with_soft)
{
    return scenario_open("solver: {threads: %d}\n%s%s%s%s%s", threads, head, with_boxes ? boxes : "",
                         with_links ? links : "", with_links ? joints : "", with_soft ? soft : "");
}

// The bodies of `part` by name, in both.
static void assert_equal_bodies(const scenario *part, const scenario *all, int step)
{
    for (int b = 1; b < tn_model_body_count(part->model); b++) { // 0: the world
        const char *name = tn_model_body_name(part->model, b);
        int other = scenario_body(all, name);
        for (int k = 0; k < 3; k++) {
            double x = scenario_position(part, b, k), y = scenario_position(all, other, k);
            if (memcmp(&x, &y, sizeof x) != 0) {
                fail_msg("step %d: coordinate %d of '%s' is %.17g alone, %.17g in company", step, k, name, x, y);
            }
        }
    }
}

static void compare(bool with_boxes, bool with_links, int threads)
{
    scenario alone = open_scene(1, with_boxes, with_links, false), all = open_scene(threads, true, true, true);
    for (int n = 1; n <= STEPS; n++) {
        scenario_step(&alone);
        scenario_step(&all);
        assert_equal_bodies(&alone, &all, n);
    }
    // Something has happened: contacts there are, and all is solved.
    assert_true(alone.report.n_contacts > 0);
    check_below("natural figure, worst", all.worst_natural, 1e-4);
    scenario_close(&alone);
    scenario_close(&all);
}

static void test_boxes(void **state)
{
    compare(true, false, 1);
}

static void test_joints(void **state)
{
    compare(false, true, 1);
}

static void test_threads(void **state)
{
    compare(true, false, THREADS);
    compare(false, true, THREADS);
}

// A soft body's coarse level is made of groups of as many nodes, however many rigid bodies lie beside it.
static void test_groups_of_nodes(void **state)
{
    static const char ball[] =
        "soft:\n  ball: {ball: {radius: 0.05, divisions: 7}, position: [0, 10, 0.08], material: m,\n"
        "    young: 1 MPa, poisson: 0.3}\n";
    static const char many[] = "  box: {position: [0, 0, 0.15], shape: {box: [0.2, 0.2, 0.2]},\n"
                               "    array: {count: [6, 6, 6], spacing: [0.23, 0.23, 0.26]}}\n";
    scenario alone = scenario_open("%s%s", head, ball), all = scenario_open("%s%s%s", head, many, ball);
    int size = alone.model->layout->groups->size, blocks = alone.model->pattern.start[alone.model->n_blocks];
    print_message("groups of %d nodes alone, of %d in company\n", size, all.model->layout->groups->size);
    assert_true(blocks > 11.5 * alone.model->n_blocks); // it is solid, which asks for larger groups
    assert_true(all.model->pattern.start[all.model->n_blocks] < 11.5 * all.model->n_blocks);
    assert_int_equal(size, all.model->layout->groups->size);
    scenario_close(&alone);
    scenario_close(&all);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_boxes), cmocka_unit_test(test_joints),
                                       cmocka_unit_test(test_threads), cmocka_unit_test(test_groups_of_nodes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
