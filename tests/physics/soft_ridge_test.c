// Soft bodies with large faces on edges and rims of every rigid shape: how deep those are in the faces, wherever the
// soft body has no vertex, at steps of 10 ms.
#include "soft.h"

#include "collide/motion.h"
#include "shape/shape.h"
#include "state/state.h"

#include <string.h>
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
        n += snprintf(text + n, sizeof text - (size_t)n, "v %g %g %g\n", i & 1 ? x : -x, i & 2 ? y : -y, i & 4 ? z : -z);
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

// Largest depth of a point of the soft bodies' faces in a rigid shape [m]. Points of a lattice on every face.
static double deepest(const scenario *s)
{
    enum { PARTS = 12 };
    const tn_model *m = s->model;
    double worst = 0.0;
    for (int b = 0; b < m->n_shapes; b++) {
        tn_pose pose;
        tn_shape_world_pose(&pose, s->state, b);
        for (int f = 0; f < m->n_faces; f++) {
            for (int i = 0; i <= PARTS; i++) {
                for (int j = 0; i + j <= PARTS; j++) {
                    const double weight[3] = {(double)i / PARTS, (double)j / PARTS, (double)(PARTS - i - j) / PARTS};
                    double x[3] = {0.0, 0.0, 0.0}, normal[3], nearest[3];
                    for (int k = 0; k < 3; k++) {
                        tn_vec3_madd(x, x, weight[k], s->state->x + 3 * (size_t)m->faces[3 * f + k]);
                    }
                    worst = fmax(worst, -tn_shape_distance(&m->shapes[b].shape, &pose, x, normal, nearest));
                }
            }
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

int main(void){
    mesh_file roof, open, wall, prism;
    char text[1024], shapes[16][512]; const char *names[16]; int n = 0;
    snprintf(text, sizeof text, "%s%s", ROOF, ROOF_BELOW);
    roof = write_mesh("roof", text); open = write_mesh("open", ROOF); wall = write_box("wall", 0.002, 0.25, 0.1); prism = write_prism();
#define ADD(label, ...) names[n] = label; sprintf(shapes[n++], __VA_ARGS__)
    const char *y45 = "rotation: {axis: [0, 1, 0], angle: 45 deg}", *lie = "rotation: {axis: [1,0,0], angle: 90 deg}";
    ADD("sphere", "position: [0,0,-0.02], shape: {sphere: 0.02}");
    ADD("box edge", "shape: {box: [0.08, 0.5, 0.08], position: [0, 0, -0.0565685], %s}", y45);
    ADD("box wall", "shape: {box: [0.004, 0.5, 0.2], position: [0, 0, -0.1]}");
    ADD("capsule", "shape: {capsule: {radius: 0.01, length: 0.5}, position: [0,0,-0.01], %s}", lie);
    ADD("cyl lying", "shape: {cylinder: {radius: 0.01, length: 0.5}, position: [0,0,-0.01], %s}", lie);
    ADD("cyl rim", "shape: {cylinder: {radius: 0.2, length: 0.02}, position: [0,0,-0.2], %s}", lie);
    ADD("cyl tilted rim", "shape: {cylinder: {radius: 0.2, length: 0.2}, position: [0,0,-0.223205], rotation: {axis: [1,0,0], angle: 60 deg}}");
    ADD("ellipsoid", "shape: {ellipsoid: [0.02, 0.25, 0.02], position: [0,0,-0.02]}");
    ADD("disk ellipsoid", "shape: {ellipsoid: [0.02, 0.2, 0.2], position: [0,0,-0.2]}");
    ADD("hull wedge", "shape: {hull: {points: [[-0.06,-0.25,-0.06],[0.06,-0.25,-0.06],[0.06,0.25,-0.06],[-0.06,0.25,-0.06],[0,-0.25,0],[0,0.25,0]]}}");
    ADD("compound", "shapes: [{box: [0.08, 0.5, 0.08], position: [0, 0, -0.0565685], %s}, {box: [0.04, 0.25, 0.04], position: [0,0,-0.1]}]", y45);
    ADD("mesh roof", "shape: {mesh: %s}", roof.path);
    ADD("mesh open", "shape: {mesh: %s}", open.path);
    ADD("mesh wall", "position: [0,0,-0.1], shape: {mesh: %s}", wall.path);
    ADD("mesh prism24", "position: [0,0,-0.02], shape: {mesh: %s}", prism.path);
    ADD("heights crest", "shape: {heights: {size: [0.5, 0.5], points: [11, 3], z: \"-abs(x)\"}}");
    for (int i = 0; i < n; i++) { printf("%-16s", names[i]);
        for (int j = 0; j < 3; j++) for (int v = 0; v < 2; v++) { printf(" %7.2f", 1e3 * depth_on(shapes[i], laids + j, 2.0 * v)); fflush(stdout); }
        printf("\n"); }
    unlink(roof.path); unlink(open.path); unlink(wall.path); unlink(prism.path);
}
