// Shapes from files, lists and expressions: what they become, and where their files are looked for.
#include <math.h>

#include "../scene/parse.h"

#include "model/inertia.h"
#include "shape/heights.h"
#include "shape/hull.h"
#include "shape/triangles.h"
#include "test.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[64];

static void write_file(const char *name, const char *text, size_t size)
{
    char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(text, 1, size, file), size);
    fclose(file);
}

static tn_scene *load(const char *name, const char *text)
{
    char path[200];
    tn_error error = {0};
    write_file(name, text, strlen(text));
    snprintf(path, sizeof path, "%s/%s", folder, name);
    tn_scene *scene = tn_scene_load(path, 0, NULL, &error);
    if (!scene) {
        fail_msg("%s:%d:%d: %s", error.file, error.line, error.column, error.message);
    }
    return scene;
}

// An L of two boxes of edges 2 x 1 x 1 and 1 x 1 x 1, as two objects, and as one closed surface.
static const char parts[] =
    "o long\nv 0 0 0\nv 2 0 0\nv 2 1 0\nv 0 1 0\nv 0 0 1\nv 2 0 1\nv 2 1 1\nv 0 1 1\n"
    "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n"
    "o short\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1\nv 0 0 2\nv 1 0 2\nv 1 1 2\nv 0 1 2\n"
    "f -5 -6 -7 -8\nf -4 -3 -2 -1\nf -8 -7 -3 -4\nf -7 -6 -2 -3\nf -6 -5 -1 -2\nf -5 -8 -4 -1\n";
static const char whole[] = "v 0 0 0\nv 2 0 0\nv 2 0 1\nv 1 0 1\nv 1 0 2\nv 0 0 2\nv 0 0 1\nv 1 0 0\n"
                            "v 0 1 0\nv 2 1 0\nv 2 1 1\nv 1 1 1\nv 1 1 2\nv 0 1 2\nv 0 1 1\nv 1 1 0\n"
                            "f 1 8 4 7\nf 8 2 3 4\nf 7 4 5 6\n"
                            "f 15 12 16 9\nf 12 11 10 16\nf 14 13 12 15\n"
                            "f 1 9 16 8\nf 8 16 10 2\nf 2 10 11 3\nf 3 11 12 4\nf 4 12 13 5\nf 5 13 14 6\n"
                            "f 6 14 15 7\nf 7 15 9 1\n";
static const char stairs_txt[] = "\xef\xbb\xbf# three rows of two\n0 1\n10, 11\n\n20;21 # the last one\n";
// By zlib from Python: 3 x 5 of 16 bits, each row with another filter, the data in two pieces; 2 x 2 RGBA of 8 bits.
// clang-format off
static const unsigned char image_png[] = {0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00, 0x03, 0x00, 0x00, 0x00, 0x05, 0x10, 0x00, 0x00, 0x00, 0x00, 0xf5, 0x8a, 0xd5, 0x3d, 0x00, 0x00, 0x00, 0x07, 0x74, 0x45, 0x58, 0x74, 0x54, 0x69, 0x74, 0x6c, 0x65, 0x00, 0x78, 0x29, 0x7e, 0x4d, 0x3a, 0x00, 0x00, 0x00, 0x14, 0x49, 0x44, 0x41, 0x54, 0x78, 0xda, 0x63, 0x64, 0xbf, 0xc0, 0xf2, 0x82, 0xe5, 0x05, 0x13, 0xc7, 0x05, 0x51, 0xee, 0x28, 0x0b, 0x66, 0x01, 0x05, 0xf9, 0x30, 0xf6, 0x11, 0x00, 0x00, 0x00, 0x16, 0x49, 0x44, 0x41, 0x54, 0x29, 0xd3, 0x52, 0x5b, 0x16, 0x20, 0x2f, 0x33, 0xca, 0x82, 0x41, 0x5d, 0x20, 0xfe, 0x49, 0x45, 0x03, 0x00, 0xa8, 0xbf, 0x09, 0xcf, 0xa8, 0x12, 0xb9, 0x8b, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
static const unsigned char colour_png[] = {0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0x00, 0x00, 0x00, 0x0d, 0x49, 0x48, 0x44, 0x52, 0x00, 0x00, 0x00, 0x02, 0x00, 0x00, 0x00, 0x02, 0x08, 0x06, 0x00, 0x00, 0x00, 0x72, 0xb6, 0x0d, 0x24, 0x00, 0x00, 0x00, 0x1a, 0x49, 0x44, 0x41, 0x54, 0x78, 0x9c, 0x63, 0xe0, 0x62, 0x60, 0xf8, 0x7f, 0x82, 0x93, 0x93, 0x81, 0xc1, 0x88, 0x91, 0x91, 0xf1, 0x3f, 0x13, 0x13, 0x13, 0x00, 0x1f, 0x4f, 0x03, 0x1e, 0x2d, 0x10, 0x5a, 0x0e, 0x00, 0x00, 0x00, 0x00, 0x49, 0x45, 0x4e, 0x44, 0xae, 0x42, 0x60, 0x82};
// clang-format on
static const char image_pgm[] = "P2 # grey\n3 2\n100\n0 50 100\n25 75 100\n";
static const char image_bytes[] = {'P', '5',  ' ', '2', ' ', '2', ' ', '6', '5',       '5',      '3',
                                   '5', '\n', 0,   0,   0,   1,   1,   0,   (char)255, (char)255};

static int setup(void **state)
{
    snprintf(folder, sizeof folder, "/tmp/tenon_shapes_XXXXXX");
    char sub[200];
    if (!mkdtemp(folder)) {
        return -1;
    }
    snprintf(sub, sizeof sub, "%s/sub", folder);
    if (mkdir(sub, 0700) != 0) {
        return -1;
    }
    write_file("sub/parts.obj", parts, strlen(parts));
    write_file("sub/whole.obj", whole, strlen(whole));
    write_file("stairs.txt", stairs_txt, strlen(stairs_txt));
    write_file("image.pgm", image_pgm, strlen(image_pgm));
    write_file("bytes.pgm", image_bytes, sizeof image_bytes);
    write_file("image.png", (const char *)image_png, sizeof image_png);
    write_file("colour.png", (const char *)colour_png, sizeof colour_png);
    return 0;
}

static int teardown(void **state)
{
    static const char *const names[] = {"sub/parts.obj", "sub/whole.obj", "sub/part.yaml", "stairs.txt",
                                        "image.pgm",     "bytes.pgm",     "main.yaml",     "image.png",
                                        "colour.png",    "robot.xml",     "sub",           ""};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[200];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        remove(path);
    }
    return 0;
}

static void sizes_become_halves(void **state)
{
    tn_scene *scene = parse("bodies:\n"
                            "  log: {shape: {cylinder: {radius: 0.1, length: 0.5}, mass: 3}}\n"
                            "  egg: {shape: {ellipsoid: [1, 2, 3], surface_velocity: [1, 2, 3]}}\n");
    const tn_scene_shape *log = find_body(scene, "log")->shapes, *egg = find_body(scene, "egg")->shapes;
    assert_int_equal(log->shape.kind, TN_SHAPE_CYLINDER);
    assert_vector(log->shape.size, 0.1, 0.25, 0.0, 0.0);
    assert_true(fabs(log->density * tn_shape_volume(&log->shape) - 3.0) < 1e-14);
    assert_int_equal(egg->shape.kind, TN_SHAPE_ELLIPSOID);
    assert_vector(egg->shape.size, 1, 2, 3, 0.0);
    assert_vector(egg->surface_velocity, 1, 2, 3, 0.0);
    tn_scene_destroy(scene);
}

// Mass 3 rho, its centre, and the moments of the two boxes about it by the parallel axis theorem.
static void check_l(const tn_scene_body *body, double scale)
{
    tn_inertia got;
    tn_inertia_compose(body, &got);
    double m = 100.0 * scale * scale * scale, x = 5.0 / 6.0, z = 5.0 / 6.0;
    double box[2][3] = {{1.0, 0.5, 0.5}, {0.5, 0.5, 1.5}}, edge[2] = {2.0, 1.0}, wanted[3] = {0}, xz = 0.0;
    for (int k = 0; k < 2; k++) {
        double mass = m * edge[k], dx = box[k][0] - x, dz = box[k][2] - z;
        wanted[0] += mass * (2.0 / 12.0 + dz * dz);
        wanted[1] += mass * ((edge[k] * edge[k] + 1.0) / 12.0 + dx * dx + dz * dz);
        wanted[2] += mass * ((edge[k] * edge[k] + 1.0) / 12.0 + dx * dx);
        xz -= mass * dx * dz;
    }
    double square = scale * scale, worst = fabs(got.mass / (3 * m) - 1);
    for (int i = 0; i < 3; i++) {
        worst = fmax(worst, fabs(got.tensor[4 * i] / (square * wanted[i]) - 1));
        worst = fmax(worst, fabs(got.center[i] / scale - (i == 1 ? 0.5 : x)));
    }
    worst = fmax(worst, fabs(got.tensor[2] / (square * xz) - 1));
    print_message("%s: mass, centre, inertia of an L off by %.2e, limit 1e-13\n", body->name, worst);
    assert_true(worst < 1e-13);
}

static void hulls_and_meshes_of_files(void **state)
{
    write_file("sub/part.yaml", "bodies:\n  included: {shape: {hulls: parts.obj, density: 100}}\n", 61);
    tn_scene *scene = load("main.yaml", "include: sub/part.yaml\n"
                                        "defaults: {shape: {density: 100}}\n"
                                        "bodies:\n"
                                        "  hulls: {shape: {hulls: {file: sub/parts.obj, scale: 0.5}}}\n"
                                        "  mass: {shapes: [{mesh: sub/whole.obj, collides: false},\n"
                                        "    {hulls: sub/parts.obj, density: 0}]}\n"
                                        "  fixed: {fixed: true, position: [1, 2, 3],\n"
                                        "    shape: {mesh: sub/whole.obj, position: [0, 0, 1]}}\n"
                                        "  one: {shape: {hull: sub/parts.obj}}\n");
    const tn_scene_body *hulls = find_body(scene, "hulls"), *mass = find_body(scene, "mass");
    assert_int_equal(hulls->n_shapes, 2);
    assert_int_equal(hulls->shapes[1].shape.kind, TN_SHAPE_HULL);
    assert_int_equal(hulls->shapes[1].shape.hull->n_faces, 6);
    assert_vector(hulls->shapes[1].pose.position, 0.25, 0.25, 0.75, 1e-15);
    check_l(hulls, 0.5);
    check_l(find_body(scene, "included"), 1.0);
    assert_int_equal(mass->n_shapes, 3);
    check_l(mass, 1.0);
    const tn_scene_shape *mesh = find_body(scene, "fixed")->shapes;
    assert_true(mesh->shape.triangles->closed && mesh->shape.triangles->n_vertices == 16);
    assert_vector(mesh->pose.position, 5.0 / 6.0, 0.5, 1.0 + 5.0 / 6.0, 1e-14);
    // The hull of both boxes is the L and the wedge in its corner.
    print_message("volume of the hull of the L %.15g, wanted 3.5\n",
                  tn_shape_volume(&find_body(scene, "one")->shapes->shape));
    assert_true(fabs(tn_shape_volume(&find_body(scene, "one")->shapes->shape) - 3.5) < 1e-14);
    // What a recording keeps finds the files from the main file's folder.
    assert_non_null(strstr(scene->text, "sub/parts.obj"));
    assert_null(strstr(scene->text, ": parts.obj"));
    tn_scene_destroy(scene);
}

static const tn_heights *heights_of(const tn_scene *scene, const char *name)
{
    return find_body(scene, name)->shapes->shape.heights;
}

static void height_fields(void **state)
{
    tn_scene *scene =
        load("main.yaml", "defaults: {body: {fixed: true}}\n"
                          "bodies:\n"
                          "  stairs: {shape: {heights: {size: [1, 2], file: stairs.txt, scale: 10 cm}}}\n"
                          "  image: {shape: {heights: {size: [2, 2], file: image.pgm, scale: 4}}}\n"
                          "  bytes: {shape: {heights: {size: [2, 2], file: bytes.pgm}}}\n"
                          "  list: {shape: {heights: {size: [2, 2], values: [3, 4, 1, 2], points: [2, 2]}}}\n"
                          "  wave: {shape: {heights: {size: [2, 4], z: x^2 - y, points: [3, 5]}}}\n");
    const tn_heights *stairs = heights_of(scene, "stairs"), *image = heights_of(scene, "image"),
                     *wave = heights_of(scene, "wave"), *bytes = heights_of(scene, "bytes");
    const double rows[6] = {2.0, 2.1, 1.0, 1.1, 0.0, 0.1}, grey[6] = {1, 3, 4, 0, 2, 4};
    assert_true(stairs->n[0] == 2 && stairs->n[1] == 3 && image->n[0] == 3 && image->n[1] == 2);
    for (int i = 0; i < 6; i++) {
        assert_true(fabs(stairs->z[i] - rows[i]) < 1e-15 && fabs(image->z[i] - grey[i]) < 1e-15);
    }
    assert_true(bytes->z[0] == 256.0 / 65535.0 && bytes->z[1] == 1.0 && bytes->z[3] == 1.0 / 65535.0);
    const double *list = heights_of(scene, "list")->z;
    assert_true(list[0] == 1 && list[1] == 2 && list[2] == 3 && list[3] == 4);
    for (int j = 0; j < 5; j++) {
        for (int i = 0; i < 3; i++) {
            double x = i - 1.0, y = j - 2.0, point[3];
            tn_heights_point(wave, i, j, point);
            assert_vector(point, x, y, x * x - y, 1e-15);
        }
    }
    tn_scene_destroy(scene);
}

static void heights_of_png(void **state)
{
    static const int said[5][3] = {
        {2000, 3000, 4000}, {4000, 8387, 27096}, {6000, 13774, 50192}, {8000, 19161, 7752}, {10000, 24548, 30848}};
    static const char robot[] =
        "<mujoco><asset><hfield name='h' file='image.png' size='2 1 0.5 1'/></asset><worldbody><geom name='hill' "
        "type='hfield' hfield='h' pos='0 0 3'/></worldbody></mujoco>";
    write_file("robot.xml", robot, strlen(robot));
    tn_scene *scene =
        load("main.yaml", "robots: [robot.xml]\n"
                          "bodies:\n"
                          "  grey: {fixed: true, shape: {heights: {size: [2, 2], file: image.png, scale: 65535}}}\n"
                          "  colour: {fixed: true, shape: {heights: {size: [2, 2], file: colour.png, scale: 255}}}\n");
    const tn_heights *grey = heights_of(scene, "grey"), *colour = heights_of(scene, "colour"),
                     *hill = heights_of(scene, "hill");
    assert_true(grey->n[0] == 3 && grey->n[1] == 5 && colour->n[0] == 2 && colour->n[1] == 2);
    double lift = find_body(scene, "hill")->shapes->pose.position[2], low = INFINITY, high = -INFINITY;
    for (int i = 0; i < 15; i++) { // the shape's first row is the lowest
        assert_true(fabs(grey->z[i] - said[4 - i / 3][i % 3]) < 1e-9);
        low = fmin(low, lift + hill->z[i]);
        high = fmax(high, lift + hill->z[i]);
    }
    assert_true(fabs(colour->z[0] - 50) < 1e-12 && fabs(colour->z[1] - 255) < 1e-12 && fabs(colour->z[2] - 10) < 1e-12);
    double base = find_body(scene, "hill")->pose.position[2];
    assert_true(fabs(low + base - 3.0) < 1e-14 && fabs(high + base - 3.5) < 1e-14);
    tn_scene_destroy(scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_become_halves),
        cmocka_unit_test(hulls_and_meshes_of_files),
        cmocka_unit_test(height_fields),
        cmocka_unit_test(heights_of_png),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
