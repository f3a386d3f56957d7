// Compiling scenes: inertia, principal frames, surfaces, automatic values, hash, and what is refused.
#include "compile_text.h"

#include "base/memory.h"
#include "math/mat3.h"
#include "math/quat.h"
#include "model/motion.h"

static void check(const char *what, double value, double wanted, double limit)
{
    printf("%-40s %.10g, wanted %.10g +- %.1g\n", what, value, wanted, limit);
    assert_true(fabs(value - wanted) <= limit);
}

static void test_box_and_sphere(void **unused)
{
    tn_model *m = must_compile("bodies:\n"
                               "  box: {density: 500, shape: {box: [0.2, 0.4, 0.6]}}\n"
                               "  ball: {mass: 3, shape: {sphere: 0.5}}\n"
                               "  floor: {fixed: true, shape: {plane: {}}}\n");
    const tn_model_body *box = &m->bodies[1], *ball = &m->bodies[2];
    check("box mass", box->mass, 24.0, 1e-12);
    check("box Ixx", box->inertia[0], 24.0 / 12.0 * (0.16 + 0.36), 1e-12); // textbook
    check("box Izz", box->inertia[2], 24.0 / 12.0 * (0.04 + 0.16), 1e-12);
    check("ball I", ball->inertia[1], 0.4 * 3.0 * 0.25, 1e-12);
    assert_int_equal(m->n_bodies, 4);
    assert_int_equal(m->n_blocks, 4);
    assert_int_equal(tn_model_dof(m), 12);
    assert_int_equal(box->block, 0);
    assert_int_equal(ball->block, 2);
    assert_int_equal(m->bodies[3].block, -1);
    assert_int_equal(tn_model_find_body(m, "ball"), 2);
    assert_int_equal(tn_model_find_body(m, "nobody"), -1);
    assert_string_equal(tn_model_body_name(m, 0), "world");
    assert_true(tn_model_body_name(m, 4) == NULL);
    check("total mass", m->total_mass, 27.0, 1e-12);
    tn_model_destroy(m);
}

// An L of two boxes: center and tensor by hand; the principal frame must diagonalise it.
static void test_composite_inertia(void **unused)
{
    tn_model *m = must_compile(
        "bodies: {ell: {position: [1, 2, 3], velocity: [1, 0, 0], angular_velocity: [0, 0, 2], density: 1000, shapes: ["
        "{box: [0.4, 0.1, 0.1], position: [0.2, 0, 0]}, "
        "{box: [0.1, 0.4, 0.1], position: [0, 0.2, 0], rotation: {axis: [0, 0, 1], angle: 90 deg}}]}}\n");
    const tn_model_body *b = &m->bodies[1];
    // Each part 4 kg; the second, turned by 90 degrees, lies along x as well: centers (0.2, 0, 0), (0, 0.2, 0).
    check("mass", b->mass, 8.0, 1e-12);
    check("center x", b->principal.position[0], 0.1, 1e-12);
    check("center y", b->principal.position[1], 0.1, 1e-12);
    double part[3] = {4.0 / 12 * 0.02, 4.0 / 12 * 0.17, 4.0 / 12 * 0.17}; // along x
    double tensor[9] = {2 * part[0] + 2 * 4 * 0.01, 2 * 4 * 0.01, 0, 2 * 4 * 0.01, 2 * part[1] + 2 * 4 * 0.01, 0, 0, 0,
                        2 * part[2] + 2 * 4 * 0.02};
    double r[9], rt[9], back[9], worst = 0.0;
    tn_quat_to_mat3(r, b->principal.quaternion);
    for (int i = 0; i < 9; i++) {
        rt[i] = r[i] * b->inertia[i % 3];
    }
    tn_mat3_mul_nt(back, rt, r);
    for (int i = 0; i < 9; i++) {
        worst = fmax(worst, fabs(back[i] - tensor[i]));
    }
    check("R diag(I) R^T against the tensor", worst, 0.0, 1e-14);
    tn_pose start;
    double velocity[3], omega[3];
    tn_motion_start_pose(b, &start);
    tn_motion_start_velocity(b, velocity, omega);
    check("center in the world", start.position[1], 2.1, 1e-12);
    // v_c = v + omega x c = (1, 0, 0) + (0, 0, 2) x (0.1, 0.1, 0)
    check("velocity of the center, x", velocity[0], 0.8, 1e-12);
    check("velocity of the center, y", velocity[1], 0.2, 1e-12);
    tn_quat_rotate(omega, start.quaternion, omega);
    check("omega z in the world", omega[2], 2.0, 1e-12);
    // Shape poses are in the principal frame: going back gives the scene's.
    double world[3];
    tn_quat_rotate(world, b->principal.quaternion, m->shapes[0].pose.position);
    check("shape x", world[0] + b->principal.position[0], 0.2, 1e-12);
    tn_model_destroy(m);
}

static void test_planar_body(void **unused)
{
    tn_model *m = must_compile("bodies: {d: {confine: [0, 0, 2], velocity: [1, 2, 0], angular_velocity: [0, 0, 3], "
                               "mass: 2, inertia: [1, 1, 0.7]}}\n");
    const tn_model_body *b = &m->bodies[1];
    assert_true(b->planar);
    assert_int_equal(b->n_blocks, 1);
    assert_int_equal(tn_model_dof(m), 3);
    check("moment about the normal", b->inertia[0], 0.7, 1e-15);
    check("unit normal", b->plane_axes[8], 1.0, 1e-15);
    double cross[3];
    tn_vec3_cross(cross, b->plane_axes, b->plane_axes + 3);
    check("e1 x e2 . n", tn_vec3_dot(cross, b->plane_axes + 6), 1.0, 1e-15);
    tn_model_destroy(m);
}

static void test_surfaces(void **unused)
{
    tn_model *m = must_compile(
        "materials:\n"
        "  ice: {friction: 0.04, restitution: 0.3}\n"
        "  steel: {friction: 0.25, restitution: 0.6}\n"
        "  wood: {friction: {mu1: 0.9, mu2: 0.4, direction: [1, 0, 0]}}\n"
        "pairs:\n"
        "  - {materials: [steel, ice], friction: {mu1: 0.02, mu2: 0.03, direction: [0, 1, 0]}, restitution: 0.1}\n"
        "  - {materials: [wood, wood], collide: false}\n"
        "bodies: {b: {shape: {sphere: 1}}}\n");
    int n = m->n_materials;
    const tn_surface *s = m->surfaces;
    check("ice on ice", s[0].mu1, 0.04, 1e-15);
    check("geometric mean across steel and wood", s[1 * n + 2].mu2, sqrt(0.25 * 0.4), 1e-15);
    check("larger restitution", s[0 * n + 0].restitution, 0.3, 0.0);
    assert_true(s[1 * n + 2].direction_of_b && s[1 * n + 2].direction[0] == 1.0);
    assert_true(!s[2 * n + 1].direction_of_b && s[2 * n + 1].direction[0] == 1.0);
    check("pair steel-ice", s[1 * n + 0].mu2, 0.03, 0.0);
    assert_true(!s[1 * n + 0].direction_of_b && s[1 * n + 0].direction[1] == 1.0);
    check("the same from the other side", s[0 * n + 1].mu1, 0.02, 0.0);
    assert_true(s[0 * n + 1].direction_of_b);
    check("pair restitution", s[0 * n + 1].restitution, 0.1, 0.0);
    assert_true(!s[2 * n + 2].collide && s[0].collide);
    tn_model_destroy(m);
}

static void test_automatic_values(void **unused)
{
    tn_model *m = must_compile("bodies: {a: {shape: {sphere: 0.5}}, b: {shape: {box: [1, 0.2, 1]}}}\n");
    check("margin, 0.02 of the half edge", m->margin, 0.002, 1e-15);
    check("threshold, 2 g h", m->restitution_threshold, 2 * 9.81 * 0.01, 1e-15);
    tn_model_destroy(m);
    m = must_compile("margin: 5 mm\nrestitution_threshold: 0.5\nbodies: {a: {shape: {sphere: 0.5}}}\n");
    check("margin as given", m->margin, 0.005, 0.0);
    check("threshold as given", m->restitution_threshold, 0.5, 0.0);
    tn_model_destroy(m);
    m = must_compile("gravity: [0, 0, 0]\nbodies: {a: {mass: 1, inertia: [1, 1, 1]}}\n");
    check("margin without shapes", m->margin, 1e-3, 0.0);
    tn_model_destroy(m);
}

static uint64_t hash_of(const char *text)
{
    tn_model *m = must_compile(text);
    uint64_t hash = m->hash;
    tn_model_destroy(m);
    return hash;
}

static void test_hash(void **unused)
{
    uint64_t hash = hash_of("bodies: {a: {force: ['sin(t)', 0, 0], shape: {sphere: 0.5}}}\n");
    // Names, comments, duration and recording do not influence results.
    assert_true(hash == hash_of("# hello\nduration: 7\nrecord: {every: 3}\n"
                                "bodies: {b: {force: ['sin(t)', 0, 0], shape: {sphere: 0.5}}}\n"));
    assert_true(hash != hash_of("bodies: {a: {force: ['sin(2 * t)', 0, 0], shape: {sphere: 0.5}}}\n"));
    assert_true(hash != hash_of("bodies: {a: {force: ['sin(t)', 0, 0], shape: {sphere: 0.51}}}\n"));
    const char *const springs[] = {
        "stiffness: 1e6",         "stiffness: 1e7",   "stiffness: 1e6, damping: 1",
        "young: 1e6, poisson: 0", "hunt_crossley: 1", "foundation: {modulus: 1e6, depth: 1}"};
    uint64_t with[6];
    for (int i = 0; i < 6; i++) {
        char text[200];
        snprintf(text, sizeof text, "materials: {m: {%s}}\nbodies: {a: {shape: {sphere: 0.5}, material: m}}\n",
                 springs[i]);
        with[i] = hash_of(text);
        for (int k = 0; k < i; k++) {
            assert_true(with[k] != with[i]);
        }
    }
    assert_true(hash != hash_of("step: 5 ms\nbodies: {a: {force: ['sin(t)', 0, 0], shape: {sphere: 0.5}}}\n"));
    assert_true(hash != hash_of("solver: pgs\nbodies: {a: {force: ['sin(t)', 0, 0], shape: {sphere: 0.5}}}\n"));
}

// The reader refuses most of these; scenes built in memory reach the model unread.
typedef struct bad_model {
    void (*spoil)(tn_scene *scene);
    int line;
    const char *message; // part of it
} bad_model;

enum { BOX, DISK }; // ids of the bodies below

static void drop_mass(tn_scene *scene)
{
    scene->bodies[BOX].shapes[0].density = 0.0;
}

static void free_plane(tn_scene *scene)
{
    scene->bodies[BOX].shapes[0].shape.kind = TN_SHAPE_PLANE;
}

// One at a time.
static void give_inertia(tn_scene_body *body, double mass, double xx, double yy, double zz)
{
    static tn_scene_inertia given;
    given = (tn_scene_inertia){.mass = mass, .tensor = {xx, 0.0, 0.0, 0.0, yy, 0.0, 0.0, 0.0, zz}};
    body->inertia = &given;
}

static void flat_inertia(tn_scene *scene)
{
    give_inertia(&scene->bodies[BOX], 1.0, 1.0, 1.0, 0.0);
}

static void long_inertia(tn_scene *scene)
{
    give_inertia(&scene->bodies[BOX], 1.0, 1.0, 1.0, 5.0);
}

static void infinite_mass(tn_scene *scene)
{
    give_inertia(&scene->bodies[BOX], INFINITY, 1.0, 1.0, 1.0);
}

static void leave_plane(tn_scene *scene)
{
    static const tn_scene_velocity up = {.linear = {0.0, 0.0, 1e-3}};
    scene->bodies[DISK].velocity = &up;
}

static void tumble(tn_scene *scene)
{
    static const tn_scene_velocity turning = {.angular = {1e-3, 0.0, 0.0}};
    scene->bodies[DISK].velocity = &turning;
}

static void disk_without_moment(tn_scene *scene)
{
    give_inertia(&scene->bodies[DISK], 1.0, 1.0, 1.0, 0.0);
}

static void drop_normal(tn_scene *scene)
{
    static const double none[3];
    scene->bodies[DISK].plane_normal = none;
}

static void test_bad_models(void **unused)
{
    const char *text = "bodies:\n"
                       "  box: {shape: {box: [1, 1, 1]}}\n"
                       "  disk: {confine: [0, 0, 1], shape: {sphere: 1}}\n";
    const bad_model cases[] = {
        {drop_mass, 2, "'box' is free but has no mass"},
        {infinite_mass, 2, "'box' is free but has no mass"},
        {free_plane, 2, "'box' is free and cannot carry a plane"},
        {flat_inertia, 2, "impossible principal moments"},
        {long_inertia, 2, "at most the sum of the other two"},
        {leave_plane, 3, "points out of it"},
        {tumble, 3, "turns about another axis"},
        {disk_without_moment, 3, "no inertia about its plane's normal"},
        {drop_normal, 3, "a plane without a normal"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tn_error error = {0};
        char line[1200];
        tn_scene *scene = tn_scene_parse(text, "test.yaml", 0, NULL, &error);
        assert_non_null(scene);
        cases[i].spoil(scene);
        tn_model *model = tn_model_create(scene, &error);
        printf("%s\n", tn_error_text(&error, line, sizeof line));
        assert_null(model);
        assert_int_equal(error.status, TN_BAD_INPUT);
        assert_int_equal(error.line, cases[i].line);
        assert_string_equal(error.file, "test.yaml");
        assert_non_null(strstr(error.message, cases[i].message));
    }
}

static void test_out_of_memory(void **unused)
{
    int failures = 0;
    for (int k = 0; k < 10; k++) {
        tn_error error = {0};
        tn_scene *scene = tn_scene_parse("bodies: {a: {shape: {sphere: 1}}}\n", "test", 0, NULL, &error);
        tn_memory_fail_after(k);
        tn_model *model = tn_model_create(scene, &error);
        tn_memory_fail_after(-1);
        failures += model == NULL;
        assert_true(model || error.status == TN_NO_MEMORY);
        tn_model_destroy(model);
    }
    printf("%d failing creations\n", failures);
    assert_true(failures >= 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_box_and_sphere),   cmocka_unit_test(test_composite_inertia),
        cmocka_unit_test(test_planar_body),      cmocka_unit_test(test_surfaces),
        cmocka_unit_test(test_automatic_values), cmocka_unit_test(test_hash),
        cmocka_unit_test(test_bad_models),       cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
