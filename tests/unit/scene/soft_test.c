// Soft bodies of scenes: every key, regions, attachments, copies, meshes from files, memory.
#include <math.h>
#include <sys/stat.h>
#include <unistd.h>

#include "mesh_write.h"
#include "parse.h"

#include "base/memory.h"
#include "math/vec3.h"
#include "test.h"

static const tn_scene_soft *find_soft(const tn_scene *scene, const char *name)
{
    for (int i = 0; i < scene->n_softs; i++) {
        if (strcmp(scene->softs[i].name, name) == 0) {
            return &scene->softs[i];
        }
    }
    return NULL;
}

static void keys(void **state)
{
    tn_scene *scene = parse("scheme: implicit\n"
                            "newton: {max: 7, tolerance: 1e-5}\n"
                            "materials: {rubber: {density: 1100}}\n"
                            "soft:\n"
                            "  mat: {grid: {size: [0.4, 20 cm, 1 cm], divisions: [4, 2, 1]}, young: 80 kPa}\n"
                            "  ball:\n"
                            "    ball: {radius: 5 cm, divisions: 3}\n"
                            "    position: [1, 2, 3]\n"
                            "    rotation: {axis: [0, 0, 1], angle: 90 deg}\n"
                            "    velocity: [4, 5, 6]\n"
                            "    angular_velocity: [60 rpm, 0, 0]\n"
                            "    young: 2 MPa\n"
                            "    poisson: 0.45\n"
                            "    damping: {mass: 0.5, stiffness: 1 ms}\n"
                            "    geometric: projected\n"
                            "    material: rubber\n"
                            "    collides: false\n"
                            "    self_contact: true\n"
                            "  rod: {cylinder: {radius: 1, length: 4, divisions_across: 3, divisions_along: 2},\n"
                            "    young: 1, density: 30, poisson: -0.5}\n"
                            "  finger: {finger: {length: 0.1, width: 0.02, thickness_root: 0.02, thickness_tip: 0.01,\n"
                            "    notches: 3, divisions: [4, 2, 2]}, young: 1e6}\n");
    assert_int_equal(scene->settings.scheme, TN_SCHEME_IMPLICIT);
    assert_int_equal(scene->settings.max_newton, 7);
    assert_true(scene->settings.newton_tolerance == 1e-5);
    assert_int_equal(scene->n_softs, 4);
    const tn_scene_soft *mat = find_soft(scene, "mat");
    assert_int_equal(mat->mesh.n_nodes, 30);
    assert_int_equal(mat->mesh.n_tets, 48);
    assert_true(mat->young == 8e4 && mat->poisson == 0.3 && mat->density == 1000.0);
    assert_true(mat->mass_damping == 0.0 && mat->stiffness_damping == 0.0 && mat->geometric == TN_GEOMETRIC_NONE);
    assert_true(mat->collides && !mat->self_contact && mat->n_attachments == 0 && mat->n_pulls == 0);
    assert_vector(mat->pose.position, 0.0, 0.0, 0.0, 0.0);
    assert_true(mat->pose.quaternion[0] == 1.0);
    assert_int_equal(mat->place.line, 5);
    const tn_scene_soft *ball = find_soft(scene, "ball");
    assert_int_equal(ball->mesh.n_tets, 540);
    assert_vector(ball->pose.position, 1.0, 2.0, 3.0, 0.0);
    assert_true(fabs(ball->pose.quaternion[3] - sqrt(0.5)) < 1e-15);
    assert_vector(ball->velocity, 4.0, 5.0, 6.0, 0.0);
    assert_vector(ball->angular_velocity, 2.0 * 3.14159265358979323846, 0.0, 0.0, 1e-15);
    assert_true(ball->young == 2e6 && ball->poisson == 0.45 && ball->density == 1100.0);
    assert_true(ball->mass_damping == 0.5 && ball->stiffness_damping == 1e-3);
    assert_true(ball->geometric == TN_GEOMETRIC_PROJECTED && !ball->collides && ball->self_contact);
    assert_true(find_soft(scene, "rod")->density == 30.0 && find_soft(scene, "rod")->poisson == -0.5);
    assert_true(find_soft(scene, "finger")->mesh.n_tets > 0);
    tn_scene_destroy(scene);
    scene = parse("title: nothing soft\n");
    assert_true(scene->n_softs == 0 && scene->settings.max_newton == 20 && scene->settings.newton_tolerance == 1e-8);
    tn_scene_destroy(scene);
}

// A cube of 3 x 3 x 3 nodes from -1 to 1.
#define CUBE "grid: {size: [2, 2, 2], divisions: [2, 2, 2]}, young: 1"

static int count(const char *where)
{
    char text[512];
    snprintf(text, sizeof text, "soft: {s: {" CUBE ", pull: [{force: [0, 0, 1], where: %s}]}}", where);
    tn_scene *scene = parse(text);
    const tn_scene_pull *pull = scene->softs[0].pulls;
    int n = pull->n;
    for (int i = 1; i < n; i++) {
        assert_true(pull->nodes[i] > pull->nodes[i - 1]);
    }
    tn_scene_destroy(scene);
    return n;
}

static void regions(void **state)
{
    assert_int_equal(count("{all: true}"), 27);
    assert_int_equal(count("{surface: true}"), 26);
    assert_int_equal(count("{box: {}}"), 27);
    assert_int_equal(count("{box: {low: [1, -infinite, -infinite]}}"), 9);
    assert_int_equal(count("{box: {low: [-1, -1, -1], high: [-1, -1, 1]}}"), 3);
    assert_int_equal(count("{box: {high: [infinite, 0, .inf]}}"), 18);
    // 1e-9 of the size 2 is let through, more is not
    assert_int_equal(count("{box: {low: [1.000000001, -infinite, -infinite]}}"), 9);
    assert_int_equal(count("{ball: {radius: 1}}"), 7);
    assert_int_equal(count("{ball: {center: [1, 1, 100 cm], radius: 1}}"), 4);
    assert_int_equal(count("{nodes: [26, 0, 0, 3]}"), 3);
}

static void attachments_and_pulls(void **state)
{
    tn_scene *scene = parse("bodies:\n"
                            "  hand: {motion: {position: [0, 0, 0.1*t]}}\n" // a kinematic body without a shape
                            "  wall: {fixed: true}\n"
                            "  block: {mass: 1, inertia: [1, 1, 1], array: {count: [2, 1, 1], spacing: [1, 0, 0]}}\n"
                            "soft:\n"
                            "  s:\n"
                            "    {" CUBE ",\n"
                            "    attach: [{to: hand, where: {box: {low: [1, -infinite, -infinite]}}},\n"
                            "      {where: {nodes: [0]}}, {to: world, where: {nodes: [3]}},\n"
                            "      {to: wall, where: {nodes: [6]}}, {to: 'block[1]', where: {nodes: [9]}}],\n"
                            "    pull: [{force: [\"2*t\", 3 N, 0], where: {nodes: [1, 4]}}]}\n");
    const tn_scene_soft *s = &scene->softs[0];
    assert_int_equal(scene->bodies[0].kind, TN_BODY_KINEMATIC);
    const int bodies[5] = {0, -1, -1, 1, 3};
    const int sizes[5] = {9, 1, 1, 1, 1};
    assert_int_equal(s->n_attachments, 5);
    for (int i = 0; i < 5; i++) {
        assert_int_equal(s->attachments[i].body, bodies[i]);
        assert_int_equal(s->attachments[i].n, sizes[i]);
        for (int k = 0; k < sizes[i]; k++) {
            assert_true(i > 0 || s->mesh.nodes[3 * s->attachments[i].nodes[k]] == 1.0);
        }
    }
    assert_int_equal(s->attachments[1].place.line, 9);
    assert_int_equal(s->n_pulls, 1);
    assert_true(tn_value_at(&s->pulls[0].force[0], 3.0) == 6.0 && tn_value_at(&s->pulls[0].force[1], 3.0) == 3.0);
    assert_true(s->pulls[0].n == 2 && s->pulls[0].nodes[1] == 4);
    tn_scene_destroy(scene);
}

static void copies_and_defaults(void **state)
{
    tn_scene *scene = parse("defaults: {soft: {young: 5 kPa, ball: {radius: 1, divisions: 2}, attach: [{where:\n"
                            "  {nodes: [0]}}]}}\n"
                            "soft:\n"
                            "  a: {array: {count: [2, 2, 1], spacing: [3, 4, 5]}, position: [1, 0, 0]}\n"
                            "  b: {young: 1}\n"
                            "  c: {array: {count: [2, 1, 1], spacing: [3, 0, 0], jitter: 0.1, rotation_jitter: 1}}\n");
    assert_int_equal(scene->n_softs, 7);
    assert_string_equal(scene->softs[3].name, "a[3]");
    assert_vector(scene->softs[3].pose.position, 4.0, 4.0, 0.0, 0.0);
    assert_true(scene->softs[3].mesh.nodes == scene->softs[0].mesh.nodes); // shared
    assert_true(scene->softs[3].n_attachments == 1 && scene->softs[3].young == 5e3 && scene->softs[4].young == 1.0);
    double shift = scene->softs[6].pose.position[0] - 3.0;
    assert_true(shift != 0.0 && fabs(shift) <= 0.1 && scene->softs[6].pose.quaternion[0] < 1.0);
    tn_scene_destroy(scene);
}

static void overrides(void **state)
{
    static const char *const set[] = {"soft.s.young=3 kPa", "soft.s.grid.divisions=[1, 1, 1]",
                                      "soft.s.attach.0.where.nodes=[7]"};
    tn_scene *scene = parse_with("soft: {s: {" CUBE ", attach: [{where: {nodes: [0]}}]}}", 3, set);
    assert_true(scene->softs[0].young == 3e3 && scene->softs[0].mesh.n_nodes == 8);
    assert_int_equal(scene->softs[0].attachments[0].nodes[0], 7);
    tn_scene_destroy(scene);
}

static void write_text(const char *path, const char *text, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
}

// A mesh beside an included file, one by an alias of it and one by an override: also the text that is kept finds them.
// Returns the number of soft bodies.
static int scene_from_elsewhere(const char *folder, const mesh_text *mesh, int n_skin)
{
    char sub[80], part[96], moved[96], main_path[96];
    snprintf(sub, sizeof sub, "%s/sub", folder);
    snprintf(part, sizeof part, "%s/part.yaml", sub);
    snprintf(moved, sizeof moved, "%s/moved.msh", sub);
    snprintf(main_path, sizeof main_path, "%s/main.yaml", folder);
    assert_int_equal(mkdir(sub, 0700), 0);
    write_text(moved, mesh->data, mesh->size);
    static const char said[] = "soft:\n  a: &a {mesh: moved.msh, young: 1, attach: [{where: the skin}]}\n  b: *a\n";
    static const char includes[] = "include: sub/part.yaml\nsoft: {c: {ball: {radius: 1, divisions: 1}, young: 1}}\n";
    static const char *const set[] = {"soft.c={mesh: {file: ball.msh}, young: 2}"};
    write_text(part, said, sizeof said - 1);
    write_text(main_path, includes, sizeof includes - 1);
    tn_error error = {0};
    tn_scene *scene = tn_scene_load(main_path, 1, set, &error);
    if (!scene) {
        fail_msg("%s:%d: %s", error.file, error.line, error.message);
    }
    tn_scene *again = tn_scene_parse(scene->text, scene->path, 0, NULL, &error);
    if (!again) {
        fail_msg("%s:%d: %s\n%s", error.file, error.line, error.message, scene->text);
    }
    int n = again->n_softs;
    for (int i = 0; i < n; i++) {
        assert_int_equal(again->softs[i].mesh.n_tets, scene->softs[i].mesh.n_tets);
        assert_int_equal(again->softs[i].n_attachments, scene->softs[i].n_attachments);
        assert_true(!again->softs[i].n_attachments || again->softs[i].attachments[0].n == n_skin);
    }
    tn_scene_destroy(scene);
    tn_scene_destroy(again);
    unlink(main_path);
    unlink(moved);
    unlink(part);
    rmdir(sub);
    return n;
}

// The path of a mesh is relative to the scene file; its groups can be chosen.
static void mesh_files(void **state)
{
    char folder[] = "/tmp/tenon_soft_XXXXXX";
    char scene_path[64], mesh_path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(scene_path, sizeof scene_path, "%s/scene.yaml", folder);
    snprintf(mesh_path, sizeof mesh_path, "%s/ball.msh", folder);
    tn_arena *arena = tn_arena_create(0);
    tn_mesh mesh;
    tn_mesh_surface skin;
    mesh_text text = {0};
    assert_int_equal(tn_mesh_ball(50.0, 2, arena, &mesh, NULL), TN_OK);
    assert_int_equal(tn_mesh_get_surface(&mesh, arena, &skin, NULL), TN_OK);
    write_gmsh41(&text, &(mesh_variant){.base = 1, .stride = 1, .size_bytes = 8}, &mesh, &skin);
    write_text(mesh_path, text.data, text.size);
    static const char said[] = "soft:\n"
                               "  s: {mesh: {file: ball.msh, scale: 1e-3}, young: 1, attach: [{where: the skin}]}\n"
                               "  t: {mesh: ball.msh, young: 1, pull: [{force: [1, 0, 0], where: {group: flesh}}]}\n";
    write_text(scene_path, said, sizeof said - 1);
    tn_error error = {0};
    tn_scene *scene = tn_scene_load(scene_path, 0, NULL, &error);
    assert_non_null(scene);
    assert_int_equal(scene->softs[0].attachments[0].n, skin.n_vertices);
    assert_int_equal(scene->softs[1].pulls[0].n, mesh.n_nodes);
    assert_true(fabs(tn_vec3_norm(scene->softs[0].mesh.nodes + 3 * (mesh.n_nodes - 1)) - 0.05) < 1e-15);
    assert_true(fabs(tn_vec3_norm(scene->softs[1].mesh.nodes + 3 * (mesh.n_nodes - 1)) - 50.0) < 1e-12);
    tn_scene_destroy(scene);
    static const char wrong[] = "soft: {s: {mesh: ball.msh, young: 1, attach: [{where: the skim}]}}";
    write_text(scene_path, wrong, sizeof wrong - 1);
    assert_null(tn_scene_load(scene_path, 0, NULL, &error));
    assert_string_equal(error.message, "the mesh has no group 'the skim'; did you mean 'the skin'?");
    static const char far[] = "soft: {s: {mesh: ball.msh, young: 1, attach: [{where: bottom}]}}";
    write_text(scene_path, far, sizeof far - 1);
    assert_null(tn_scene_load(scene_path, 0, NULL, &error));
    assert_non_null(strstr(error.message, "the mesh has no group 'bottom'; it has "));
    assert_non_null(strstr(error.message, "'the skin'"));
    assert_int_equal(scene_from_elsewhere(folder, &text, skin.n_vertices), 3);
    free(text.data);
    unlink(mesh_path);
    unlink(scene_path);
    rmdir(folder);
    tn_arena_destroy(arena);
}

static const char scene_text[] =
    "bodies: {hand: {motion: {angle: t}}}\n"
    "soft:\n"
    "  a: {" CUBE ", attach: [{to: hand, where: {surface: true}}], array: {count: [2, 2, 2], spacing: [3, 3, 3]}}\n"
    "  b: {ball: {radius: 1, divisions: 2}, young: 1, pull: [{force: [t, 0, 0], where: {all: true}}]}\n"
    "  c: {finger: {length: 1, width: 1, thickness_root: 1, thickness_tip: 1, notches: 1, divisions: [2, 2, 2]},\n"
    "    young: 1}\n"
    "  d: {mesh: " TENON_SOURCE_DIR "/tests/fuzz/corpus_mesh/seed_gmsh22_ascii, young: 1}\n";

static void every_request_may_fail(void **state)
{
    long before = tn_memory_count();
    tn_scene_destroy(parse(scene_text));
    long requests = tn_memory_count() - before;
    int failed = 0;
    for (long i = 0; i < requests; i++) {
        tn_error error = {0};
        tn_memory_fail_after(i);
        tn_scene *scene = tn_scene_parse(scene_text, "test.yaml", 0, NULL, &error);
        tn_memory_fail_after(-1);
        assert_true(scene || error.status == TN_NO_MEMORY);
        failed += scene == NULL;
        tn_scene_destroy(scene);
    }
    printf("%ld requests failed in turn: %d of them gave TN_NO_MEMORY, the others were not vital\n", requests, failed);
    assert_true(failed > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(keys),
        cmocka_unit_test(regions),
        cmocka_unit_test(attachments_and_pulls),
        cmocka_unit_test(copies_and_defaults),
        cmocka_unit_test(overrides),
        cmocka_unit_test(mesh_files),
        cmocka_unit_test(every_request_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
