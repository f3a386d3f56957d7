// Every request for memory of a scene's reading fails once: an error, no leak, no crash (leaks show under ASan).
#include <math.h>

#include "parse.h"

#include "base/memory.h"
#include "test.h"

static const char scene_text[] =
    "title: walk\n"
    "defaults: {body: {material: a}, shape: {density: 2}}\n"
    "materials: {a: {friction: {mu1: 1, mu2: 2, direction: [1, 0, 0]}}, b: &b {friction: 0.1}, c: *b}\n"
    "pairs: [{materials: [a, b], friction: 0.2}]\n"
    "bodies:\n"
    "  floor: {fixed: true, shape: {plane: {}}}\n"
    "  box: {shape: {box: [1, 1, 1]}, force: [\"2*t\", 0, 0], contact_points: [[0, 0, 0]]}\n"
    "  many: {shapes: [{sphere: 1}], array: {count: [9, 9, 9], spacing: [3, 3, 3], jitter: 1}}\n"
    "  few: {shape: {sphere: 1}, scatter: {count: 500, low: [0, 0, 0], high: [1, 1, 1]}}\n"
    "  crank: {motion: {angle: t}, shape: {sphere: 1}}\n"
    "  rock: {shape: {hull: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]]}}}\n"
    "  hill: {fixed: true, shape: {heights: {size: [1, 1], points: [3, 4], z: x*y}}}\n"
    "  rocks: {shape: {hulls: " TENON_SOURCE_DIR "/tests/scenes_broken/parts/points.obj}}\n"
    "  leaf: {fixed: true, shape: {mesh: " TENON_SOURCE_DIR "/tests/scenes_broken/parts/open.obj}}\n"
    "  plate: {fixed: true, shape: {heights: {size: [1, 1], points: [2, 2], values: [0, 1, 2, 3]}}}\n"
    "springs: {s: {a: 'many[3]', b: box, stiffness: 1}}\n";

static void every_request_may_fail(void **state)
{
    static const char *const set[] = {"solver.max_iterations=5", "pairs.0.restitution=0.5"};
    long before = tn_memory_count();
    tn_scene_destroy(parse_with(scene_text, 2, set));
    long requests = tn_memory_count() - before;
    int failed = 0;
    for (long i = 0; i < requests; i++) {
        tn_error error = {0};
        tn_memory_fail_after(i);
        tn_scene *scene = tn_scene_parse(scene_text, "test.yaml", 2, set, &error);
        tn_memory_fail_after(-1);
        assert_true(scene || error.status == TN_NO_MEMORY);
        failed += scene == NULL;
        tn_scene_destroy(scene);
    }
    printf("%ld requests failed in turn: %d of them gave TN_NO_MEMORY, the others were not vital\n", requests, failed);
    assert_true(failed > 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_request_may_fail)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
