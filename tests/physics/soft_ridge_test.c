// Soft bodies with large faces on edges and rims of every rigid shape: how deep those are in the faces, wherever the
// soft body has no vertex, at steps of 10 ms.
#include "soft.h"

#include "base/memory.h"
#include "collide/motion.h"
#include "shape/shape.h"
#include "state/state.h"

#include <unistd.h>

// A mesh file of its own for this run.
typedef struct mesh_file {
    char path[64];
} mesh_file;

static mesh_file write_mesh(const char *name, const char *text)
{
    mesh_file file;
    snprintf(file.path, sizeof file.path, "soft_ridge_test_%s_%d.obj", name, (int)getpid());
    FILE *f = fopen(file.path, "w");
    assert_non_null(f);
    assert_true(fputs(text, f) >= 0 && fclose(f) == 0);
    return file;
}

static mesh_file write_box(const char *name, double x, double y, double z)
{
    char text[1024];
    int n = 0;
    for (int i = 0; i < 8; i++) {
        n +=
            snprintf(text + n, sizeof text - (size_t)n, "v %g %g %g\n", i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z);
    }
    snprintf(text + n, sizeof text - (size_t)n, "f 1 3 4 2\nf 5 6 8 7\nf 1 2 6 5\nf 3 7 8 4\nf 1 5 7 3\nf 2 4 8 6\n");
    return write_mesh(name, text);
}

// A prism of 24 sides along y, 2 cm thick: edges bent by 15 degrees only.
static mesh_file write_prism(void)
{
    enum { SIDES = 24 };
    char text[4096];
    size_t n = 0;
    for (int i = 0; i < SIDES; i++) {
        double x = 0.02 * cos(2.0 * PI * i / SIDES), z = 0.02 * sin(2.0 * PI * i / SIDES);
        n += (size_t)snprintf(text + n, sizeof text - n, "v %g -0.25 %g\nv %g 0.25 %g\n", x, z, x, z);
    }
    for (int i = 0; i < SIDES; i++) {
        int j = (i + 1) % SIDES;
        n += (size_t)snprintf(text + n, sizeof text - n, "f %d %d %d %d\n", 2 * i + 1, 2 * i + 2, 2 * j + 2, 2 * j + 1);
    }
    for (int end = 0; end < 2; end++) {
        n += (size_t)snprintf(text + n, sizeof text - n, "f");
        for (int i = 0; i < SIDES; i++) {
            n += (size_t)snprintf(text + n, sizeof text - n, " %d", end ? 2 * (SIDES - i) : 2 * i + 1);
        }
        n += (size_t)snprintf(text + n, sizeof text - n, "\n");
    }
    return write_mesh("prism", text);
}

static const char *const ROOF = "v -0.06 -0.25 -0.06\nv 0.06 -0.25 -0.06\nv 0.06 0.25 -0.06\nv -0.06 0.25 -0.06\n"
                                "v 0 -0.25 0\nv 0 0.25 0\nf 2 3 6 5\nf 4 1 5 6\n";
static const char *const ROOF_BELOW = "f 1 4 3 2\nf 1 2 5\nf 3 4 6\n";

// Largest depth of a point of a face in a shape [m], 0 if none lies in it. Points of a lattice on the face.
static double depth_of(const double *const corners[3], const tn_shape *shape, const tn_pose *pose)
{
    enum { PARTS = 12 };
    double normal[3], nearest[3], sides[2][3], worst = 0.0;
    tn_vec3_sub(sides[0], corners[1], corners[0]);
    tn_vec3_sub(sides[1], corners[2], corners[0]);
    double reach = fmax(tn_vec3_norm(sides[0]), tn_vec3_norm(sides[1]));
    if (tn_shape_distance(shape, pose, corners[0], normal, nearest) > reach) {
        return 0.0;
    }
    for (int i = 0; i <= PARTS; i++) {
        for (int j = 0; i + j <= PARTS; j++) {
            const double weight[3] = {(double)i / PARTS, (double)j / PARTS, (double)(PARTS - i - j) / PARTS};
            double x[3] = {0.0, 0.0, 0.0};
            for (int k = 0; k < 3; k++) {
                tn_vec3_madd(x, x, weight[k], corners[k]);
            }
            worst = fmax(worst, -tn_shape_distance(shape, pose, x, normal, nearest));
        }
    }
    return worst;
}

// Largest depth of a point of the soft bodies' faces in a rigid shape [m].
static double deepest(const scenario *s)
{
    const tn_model *m = s->model;
    double worst = 0.0;
    for (int b = 0; b < m->n_shapes; b++) {
        tn_pose pose;
        tn_shape_world_pose(&pose, s->state, b);
        for (int f = 0; f < m->n_faces; f++) {
            const double *const corners[3] = {s->state->x + 3 * (size_t)m->faces[3 * f],
                                              s->state->x + 3 * (size_t)m->faces[3 * f + 1],
                                              s->state->x + 3 * (size_t)m->faces[3 * f + 2]};
            worst = fmax(worst, depth_of(corners, &m->shapes[b].shape, &pose));
        }
    }
    return worst;
}

// What is laid on the ridge: its highest line at z = 0.
typedef struct laid {
    const char *name, *mesh;
    double height; // of its lowest vertices below its origin [m]
} laid;

static const laid laids[] = {{"coarse slab", "grid: {size: [0.4, 0.4, 0.1], divisions: [2, 2, 1]}", 0.05},
                             {"fine slab", "grid: {size: [0.4, 0.4, 0.1], divisions: [8, 8, 2]}", 0.05},
                             {"coarse ball", "ball: {radius: 0.1, divisions: 3}", 0.1}};

// Depth over 0.3 s from 1 mm above the ridge, which lies askew to the grid of the soft body [m].
static double depth_on(const char *shape, const laid *it, double speed)
{
    scenario s = scenario_open(
        "step: 10 ms\nsolver: {name: auto, tolerance: {momentum: 1e-8, natural: 1e-6}}\n"
        "materials: {rubber: {density: 1000, friction: 0.5}}\n"
        "bodies: {ridge: {fixed: true, material: rubber, rotation: {axis: [0, 0, 1], angle: 0.3}, %s}}\n"
        "soft:\n  it: {%s, position: [0.037, 0.021, %g], velocity: [0, 0, %g], young: 1e5, poisson: 0.3,\n"
        "       material: rubber, damping: {stiffness: 2 ms}}\n",
        shape, it->mesh, it->height + 1e-3, -speed);
    double worst = 0.0;
    for (int i = 0; i < 30; i++) {
        scenario_step(&s);
        worst = fmax(worst, deepest(&s));
    }
    scenario_close(&s);
    return worst;
}

// Laid down, and thrown at 2 m/s: at 10 ms a step, bodies that bend and slip by centimetres a step leave some
// millimetres, which go within the next ones. Limits: 1.5 times the depths measured, which before edges, sides and rims
// were looked at were 10 to 84 mm (the shape's whole depth) for meshes, height fields and cylinders.
static void check_ridge(const char *name, const char *shape, double laid_limit, double thrown_limit)
{
    for (int k = 0; k < 3; k++) {
        char what[2][128];
        snprintf(what[0], sizeof what[0], "%s laid on %s [m]", laids[k].name, name);
        snprintf(what[1], sizeof what[1], "%s thrown on %s at 2 m/s [m]", laids[k].name, name);
        check_below(what[0], depth_on(shape, laids + k, 0.0), laid_limit);
        check_below(what[1], depth_on(shape, laids + k, 2.0), thrown_limit);
    }
}

// As the fixed shape's or shapes' YAML.
static const char *const LYING = "rotation: {axis: [1, 0, 0], angle: 90 deg}";

static void test_convex(void **state)
{
    char shape[512];
    check_ridge("a ball", "position: [0, 0, -0.02], shape: {sphere: 0.02}", 1e-4, 1.2e-3);
    check_ridge("the edge of a box",
                "shape: {box: [0.08, 0.5, 0.08], position: [0, 0, -0.0565685], rotation: {euler: [0, 0.785398163, 0]}}",
                1e-4, 2.6e-3);
    check_ridge(
        "boxes of one body",
        "shapes: [{box: [0.08, 0.5, 0.08], position: [0, 0, -0.0565685], rotation: {euler: [0, 0.785398163, 0]}},"
        " {box: [0.04, 0.25, 0.04], position: [0, 0, -0.1]}]",
        1e-4, 2.6e-3);
    check_ridge("the edge of a hull",
                "shape: {hull: {points: [[-0.06, -0.25, -0.06], [0.06, -0.25, -0.06], [0.06, 0.25, -0.06],"
                " [-0.06, 0.25, -0.06], [0, -0.25, 0], [0, 0.25, 0]]}}",
                1e-4, 2.6e-3);
    snprintf(shape, sizeof shape, "shape: {capsule: {radius: 0.01, length: 0.5}, position: [0, 0, -0.01], %s}", LYING);
    check_ridge("a capsule", shape, 1e-4, 5e-3);
}

static void test_round(void **state)
{
    char shape[512];
    snprintf(shape, sizeof shape, "shape: {cylinder: {radius: 0.01, length: 0.5}, position: [0, 0, -0.01], %s}", LYING);
    check_ridge("the side of a cylinder", shape, 1e-4, 5e-3);
    snprintf(shape, sizeof shape, "shape: {cylinder: {radius: 0.2, length: 0.02}, position: [0, 0, -0.2], %s}", LYING);
    check_ridge("the two rims of a disc", shape, 1.6e-3, 7.5e-3);
    check_ridge("a tilted rim",
                "shape: {cylinder: {radius: 0.2, length: 0.2}, position: [0, 0, -0.223205],"
                " rotation: {axis: [1, 0, 0], angle: 60 deg}}",
                7e-3, 8e-3);
    check_ridge("a long ellipsoid", "shape: {ellipsoid: [0.02, 0.25, 0.02], position: [0, 0, -0.02]}", 4e-4, 5.5e-3);
    check_ridge("a flat ellipsoid", "shape: {ellipsoid: [0.02, 0.2, 0.2], position: [0, 0, -0.2]}", 3e-3, 8.5e-3);
}

static void test_surfaces(void **state)
{
    char text[512], shape[512];
    snprintf(text, sizeof text, "%s%s", ROOF, ROOF_BELOW);
    mesh_file files[4] = {write_mesh("roof", text), write_mesh("open", ROOF), write_box("wall", 0.002, 0.25, 0.1),
                          write_prism()};
    const char *const names[4] = {"the ridge of a mesh", "the ridge of an open mesh", "a wall of 4 mm",
                                  "a prism of 24 sides"};
    const double heights[4] = {0.0, 0.0, 0.1, 0.02};
    for (int i = 0; i < 4; i++) {
        snprintf(shape, sizeof shape, "position: [0, 0, %g], shape: {mesh: %s}", -heights[i], files[i].path);
        check_ridge(names[i], shape, 1e-4, i == 2 ? 1.95e-3 : i == 3 ? 5.5e-3 : 2.6e-3);
    }
    for (int i = 0; i < 4; i++) {
        unlink(files[i].path);
    }
    check_ridge("the crest of a height field", "shape: {heights: {size: [0.5, 0.5], points: [11, 3], z: \"-abs(x)\"}}",
                1e-4, 2.6e-3);
}

// A strip of six cells whose one end is pulled round the edge of a table by 85 degrees, 30 cm away from it.
static void test_pulled_round(void **state)
{
    mesh_file table = write_box("table", 0.4, 0.2, 0.2);
    const char *const shapes[] = {"box: [0.8, 0.4, 0.4]", table.path};
    for (int i = 0; i < 2; i++) {
        scenario s = scenario_open(
            "step: 10 ms\nsolver: {name: auto, tolerance: {momentum: 1e-8, natural: 1e-6}}\n"
            "materials: {rubber: {density: 1000, friction: 0.3}}\n"
            "bodies:\n  table: {fixed: true, material: rubber, position: [-0.4, 0, -0.2], shape: {%s%s}}\n"
            "  hand: {shape: {sphere: 0.01, collides: false}, motion:\n"
            "    {position: [\"0.3*cos(1.48*min(t, 1))\", 0, \"0.011 - 0.3*sin(1.48*min(t, 1))\"]}}\n"
            "soft:\n  strip: {grid: {size: [0.6, 0.1, 0.02], divisions: [6, 1, 1]}, position: [0, 0.013, 0.011],\n"
            "          young: 3e5, poisson: 0.3, material: rubber, damping: {stiffness: 2 ms},\n"
            "          attach: [{to: hand, where: {box: {low: [0.299, -1, -1], high: [1, 1, 1]}}}]}\n",
            i ? "mesh: " : "", shapes[i]);
        double worst = 0.0;
        for (int k = 0; k < 130; k++) {
            scenario_step(&s);
            worst = fmax(worst, deepest(&s));
        }
        check_below(i ? "strip pulled round the edge of a mesh [m]" : "strip pulled round the edge of a box [m]", worst,
                    1e-4);
        scenario_close(&s);
    }
    unlink(table.path);
}

// A plate rests on two crests of a height field, between its vertices: nothing trembles.
static void test_rest(void **state)
{
    scenario s =
        scenario_open("step: 10 ms\nsolver: {name: auto, tolerance: {momentum: 1e-9, natural: 1e-8}}\n"
                      "materials: {rubber: {density: 1000, friction: 0.5}}\n"
                      "bodies: {ground: {fixed: true, material: rubber, rotation: {axis: [0, 0, 1], angle: 0.3},\n"
                      "  shape: {heights: {size: [0.6, 0.6], points: [13, 3], z: \"-abs(abs(x) - 0.1)\"}}}}\n"
                      "soft:\n  plate: {grid: {size: [0.4, 0.4, 0.1], divisions: [2, 2, 1]}, material: rubber,\n"
                      "          position: [0.013, 0.021, 0.051], young: 1e5, poisson: 0.3,\n"
                      "          damping: {stiffness: 10 ms}}\n");
    double worst = 0.0, fastest = 0.0;
    int n = 0, changes = 0;
    for (int i = 0; i < 400; i++) {
        scenario_step(&s);
        worst = fmax(worst, deepest(&s));
        changes += i >= 300 && n != s.report.n_contacts;
        n = s.report.n_contacts;
        for (int k = 0; i >= 300 && k < 3 * s.model->n_blocks; k++) {
            fastest = fmax(fastest, fabs(s.state->v[k]));
        }
    }
    check_below("plate on two crests: depth [m]", worst, 1e-4);
    check_below("after 3 s: fastest node [m/s]", fastest, 1e-5);
    check_below("number of contacts changes in 100 steps", changes, 0);
    scenario_close(&s);
}

// Free round bodies and a soft plate meet in space: both momenta stay.
static void test_momentum(void **state)
{
    const char *const shapes[] = {"cylinder: {radius: 0.03, length: 0.2}", "cylinder: {radius: 0.08, length: 0.02}",
                                  "ellipsoid: [0.03, 0.1, 0.05]"};
    for (int i = 0; i < 3; i++) {
        scenario s =
            scenario_open("gravity: [0, 0, 0]\nstep: 2 ms\n"
                          "solver: {name: auto, max_iterations: 3000, tolerance: {momentum: 1e-10, natural: 1e-8}}\n"
                          "materials: {rubber: {density: 1000, friction: 0.5}}\n"
                          "bodies: {rod: {material: rubber, position: [0.01, 0.02, 0.18], velocity: [0, 0.1, -2],\n"
                          "               rotation: {euler: [1.2, 0.2, 0.3]}, shape: {%s}}}\n"
                          "soft:\n  plate: {grid: {size: [0.3, 0.3, 0.06], divisions: [2, 2, 1]}, young: 5e4,\n"
                          "          material: rubber, damping: {stiffness: 1 ms}}\n",
                          shapes[i]);
        double start[3], turn[3], drift = 0.0, turned = 0.0;
        int faces = 0, edges = 0;
        for (int k = 0; k < 80; k++) {
            scenario_step(&s);
            double d[3];
            if (k == 0) {
                tn_vec3_copy(start, s.report.energy.momentum);
                tn_vec3_copy(turn, s.report.energy.angular_momentum);
            }
            tn_vec3_sub(d, s.report.energy.momentum, start);
            drift = fmax(drift, tn_vec3_norm(d));
            tn_vec3_sub(d, s.report.energy.angular_momentum, turn);
            turned = fmax(turned, tn_vec3_norm(d));
            for (int c = 0; c < s.sim->solving.eq.list.n; c++) {
                faces += s.sim->solving.eq.list.contacts[c].soft_b->n == 3;
                edges += s.sim->solving.eq.list.contacts[c].soft_b->n == 2;
            }
        }
        print_message("%s: %d contacts in faces, %d on edges\n", shapes[i], faces, edges);
        assert_true(faces + edges > 20);
        check_below("momentum gained [N s]", drift, 1e-8);
        check_below("angular momentum gained, of 0.05 kg m^2/s and more [kg m^2/s]", turned, 1e-3);
        scenario_close(&s);
    }
}

static scenario mixed_open(int threads)
{
    return scenario_open(
        "step: 10 ms\nsolver: {name: auto, threads: %d}\n"
        "materials: {rubber: {density: 1000, friction: 0.5}}\n"
        "bodies:\n  ground: {fixed: true, material: rubber, rotation: {axis: [0, 0, 1], angle: 0.3},\n"
        "    shape: {heights: {size: [0.8, 0.8], points: [9, 9], z: \"0.05*cos(30*x)*cos(25*y) - 0.05\"}}}\n"
        "  coin: {material: rubber, position: [0.05, 0, 0.15], rotation: {euler: [1, 0.3, 0]},\n"
        "         shape: {cylinder: {radius: 0.05, length: 0.02}}}\n"
        "  egg: {material: rubber, position: [-0.08, 0.03, 0.16], shape: {ellipsoid: [0.03, 0.06, 0.04]}}\n"
        "soft:\n  plate: {grid: {size: [0.4, 0.4, 0.06], divisions: [4, 4, 1]}, position: [0.013, 0.021, 0.04],\n"
        "          young: 1e5, material: rubber, damping: {stiffness: 2 ms}}\n",
        threads);
}

// The same bits for any number of threads and after save, load, continue; no memory asked for in later steps.
static void test_same_bits(void **state)
{
    enum { STEPS = 60 };
    scenario one = mixed_open(1), two = mixed_open(2);
    tn_error error = {0};
    char path[64];
    snprintf(path, sizeof path, "soft_ridge_test_%d.checkpoint", (int)getpid());
    for (int i = 0; i < STEPS; i++) {
        scenario_step(&one);
        scenario_step(&two);
        if (i == STEPS / 2) {
            assert_int_equal(tn_state_save(two.state, path, &error), TN_OK);
            scenario_close(&two);
            two = mixed_open(2);
            assert_int_equal(tn_state_load(two.state, path, &error), TN_OK);
            unlink(path);
        }
    }
    print_message("%d contacts\n", one.report.n_contacts);
    assert_true(one.report.n_contacts > 10 && one.report.n_contacts == two.report.n_contacts);
    assert_memory_equal(one.state->x, two.state->x, 3 * (size_t)one.model->n_nodes * sizeof(double));
    assert_memory_equal(one.state->v, two.state->v, 3 * (size_t)one.model->n_blocks * sizeof(double));
    for (int i = 0; i < 2 * STEPS; i++) { // until the arenas have grown
        scenario_step(&one);
    }
    long before = tn_memory_count();
    scenario_steps(&one, 20);
    check_below("requests for memory in 20 steps", (double)(tn_memory_count() - before), 0.0);
    scenario_close(&one);
    scenario_close(&two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_convex),       cmocka_unit_test(test_round), cmocka_unit_test(test_surfaces),
        cmocka_unit_test(test_pulled_round), cmocka_unit_test(test_rest),  cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_same_bits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
