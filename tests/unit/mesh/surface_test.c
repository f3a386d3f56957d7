// OBJ and STL: one shape in every spelling, parts, what is merged; broken files say what and where.
#include "broken_files.h"

#include "mesh/trimesh_read.h"

#include <math.h>

static tn_trimesh parse(tn_trimesh_format format, const char *text, size_t size, double scale, bool by_part,
                        tn_arena *arena)
{
    const tn_mesh_file file = {"a", text, size};
    tn_error error = {0};
    tn_trimesh mesh = {0};
    if (tn_trimesh_parse(format, &file, scale, by_part, arena, &mesh, &error) != TN_OK) {
        fail_msg("%s:%d: %s", error.file, error.line, error.message);
    }
    return mesh;
}

static tn_trimesh parse_obj(const char *text, bool by_part, tn_arena *arena)
{
    return parse(TN_TRIMESH_OBJ, text, strlen(text), 1.0, by_part, arena);
}

static double volume(const tn_trimesh *mesh)
{
    double six = 0.0;
    for (int f = 0; f < mesh->n_faces; f++) {
        const double *a = mesh->vertices + 3 * mesh->faces[3 * f], *b = mesh->vertices + 3 * mesh->faces[3 * f + 1],
                     *c = mesh->vertices + 3 * mesh->faces[3 * f + 2];
        six += a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) +
               a[2] * (b[0] * c[1] - b[1] * c[0]);
    }
    return six / 6.0;
}

// A cube of edge 2 with its lower corner at (1, 1, 1): quadrilaterals, all three ways to say a corner, comments,
// negative numbers, a continued line, lines that end with a carriage return, a byte order mark.
static const char cube[] = "\xef\xbb\xbf# a cube\r\n"
                           "mtllib none.mtl\r\n"
                           "v 1 1 1\r\nv 3 1 1 1.0\r\nv 3 3 1 0.5 0.5 0.5\nv 1 3 1 # corner\n"
                           "v 1 1 \\\n  3\nv 3 1 3\nv 3 3 3\nv 1 3 3\nvt 0 0\nvn 0 0 1\n"
                           "o cube\ng first second\nusemtl red\ns off\n"
                           "f 1 4 3 2\nf 5/1 6/1 7/1 8/1\nf 1//1 2//1 6//1 5//1\n"
                           "g others\n"
                           "f 2/1/1 3/1/1 7/1/1 6/1/1\nf -6 -5 -1 -2\nf 4 1 \\\r\n5 8\n";

// A box of 2 x 3 x 5 by corners counted back, by corners counted from the first, and mixed: no two faces are alike.
static void obj_corners_counted_back(void **state)
{
    static const char vertices[] = "v 0 0 0\nv 2 0 0\nv 2 3 0\nv 0 3 0\nv 0 0 5\nv 2 0 5\nv 2 3 5\nv 0 3 5\n";
    static const char *const faces[3] = {
        "f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n",
        "f -8 -5 -6 -7\nf -4 -3 -2 -1\nf -8 -7 -3 -4\nf -7 -6 -2 -3\nf -6 -5 -1 -2\nf -5 -8 -4 -1\n",
        "f 1 -5 3 -7\nf 5 -3 7 -1\nf -8 2 -3 5\nf 2 -6 7 -3\nf -6 4 -1 7\nf 4 -8 5 -1\n"};
    tn_arena *arena = tn_arena_create(0);
    tn_trimesh first = {0};
    for (int k = 0; k < 3; k++) {
        char text[1000];
        snprintf(text, sizeof text, "%s%s", vertices, faces[k]);
        tn_trimesh mesh = parse_obj(text, false, arena);
        assert_int_equal(mesh.n_faces, 12);
        assert_true(volume(&mesh) == 30.0);
        first = k == 0 ? mesh : first;
        assert_memory_equal(mesh.faces, first.faces, 36 * sizeof *mesh.faces);
    }
    tn_arena_destroy(arena);
}

static void obj_in_every_spelling(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tn_trimesh mesh = parse_obj(cube, false, arena);
    assert_int_equal(mesh.n_vertices, 8);
    assert_int_equal(mesh.n_faces, 12);
    assert_int_equal(mesh.n_parts, 1);
    print_message("volume of a cube %.17g, expected 8 exactly\n", volume(&mesh));
    assert_true(volume(&mesh) == 8.0);
    tn_trimesh parts = parse_obj(cube, true, arena);
    assert_int_equal(parts.n_parts, 2);
    assert_string_equal(parts.parts[0].name, "first second");
    assert_string_equal(parts.parts[1].name, "others");
    assert_int_equal(parts.parts[0].n_faces, 6);
    assert_int_equal(parts.parts[1].first_vertex, 8);
    assert_int_equal(parts.parts[1].n_vertices, 8);
    assert_int_equal(parts.n_faces, 12);
    tn_trimesh points = parse_obj("v 0 0 0\nv 1 0 0\nv 0 0 1\n", true, arena);
    assert_true(points.n_vertices == 3 && points.n_faces == 0 && points.n_parts == 1);
    assert_int_equal(points.parts[0].n_vertices, 3);
    tn_arena_destroy(arena);
}

// Unmerged corners become one, -0 is 0, a triangle that loses its area by that goes, and unused vertices too.
static void corners_are_merged(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tn_trimesh mesh = parse_obj("v 9 9 9\nv 0 0 0\nv 1 0 0\nv 0 1 0\nv -0 0 0\nv 1 0 -0\nv 0 0 1\n"
                                "f 2 3 4\nf 5 6 7\nf 2 5 4\n",
                                false, arena);
    assert_int_equal(mesh.n_vertices, 4);
    assert_int_equal(mesh.n_faces, 2);
    const int expected[6] = {0, 1, 2, 0, 1, 3};
    assert_memory_equal(mesh.faces, expected, sizeof expected);
    tn_arena_destroy(arena);
}

static size_t binary_of(const tn_trimesh *mesh, const char *head, unsigned char *data)
{
    size_t n = 84;
    memset(data, 0, n);
    memcpy(data, head, strlen(head));
    for (int i = 0; i < 4; i++) {
        data[80 + i] = (unsigned char)(mesh->n_faces >> 8 * i);
    }
    for (int f = 0; f < mesh->n_faces; f++, n += 50) {
        memset(data + n, 0xff, 12); // normals are nan: nobody reads them
        memset(data + n + 48, 0, 2);
        for (int i = 0; i < 9; i++) {
            float x = (float)mesh->vertices[3 * mesh->faces[3 * f + i / 3] + i % 3];
            unsigned bits;
            memcpy(&bits, &x, 4);
            for (int b = 0; b < 4; b++) {
                data[n + 12 + 4 * (size_t)i + (size_t)b] = (unsigned char)(bits >> 8 * b);
            }
        }
    }
    return n;
}

static size_t ascii_of(const tn_trimesh *mesh, char *text, size_t size)
{
    size_t n = (size_t)snprintf(text, size, "\xef\xbb\xbfsolid  two words \n");
    for (int f = 0; f < mesh->n_faces; f++) {
        n += (size_t)snprintf(text + n, size - n, "facet normal nan nan nan\nOUTER LOOP\n");
        for (int k = 0; k < 3; k++) {
            const double *x = mesh->vertices + 3 * mesh->faces[3 * f + k];
            n += (size_t)snprintf(text + n, size - n, "vertex %.9e %.9e %.9e\n", x[0], x[1], x[2]);
        }
        n += (size_t)snprintf(text + n, size - n, "endloop\nendfacet\n");
    }
    return n + (size_t)snprintf(text + n, size - n, "endsolid two words\n");
}

static void stl_is_the_same(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    static unsigned char data[4096];
    static char text[8192];
    tn_trimesh mesh = parse_obj(cube, false, arena);
    const char *heads[2] = {"binary", "solid but binary"};
    for (int k = 0; k < 3; k++) {
        size_t size = k < 2 ? binary_of(&mesh, heads[k], data) : ascii_of(&mesh, text, sizeof text);
        tn_trimesh got = parse(TN_TRIMESH_STL, k < 2 ? (const char *)data : text, size, 0.5, true, arena);
        assert_int_equal(got.n_vertices, 8);
        assert_int_equal(got.n_faces, 12);
        print_message("STL, volume at half the scale %.17g, expected 1 exactly\n", volume(&got));
        assert_true(volume(&got) == 1.0);
        assert_string_equal(got.parts[0].name, k < 2 ? "" : "two words ");
    }
    tn_arena_destroy(arena);
}

// line: "NAME: LINE: MESSAGE"
static int check_line(char *line)
{
    char *colon = strstr(line, ": ");
    assert_non_null(colon);
    *colon = 0;
    tn_error error = {0};
    tn_trimesh mesh;
    tn_arena *arena = tn_arena_create(0);
    tn_status status = tn_trimesh_read(line, 1.0, false, arena, &mesh, &error);
    tn_arena_destroy(arena);
    char found[1400];
    snprintf(found, sizeof found, "%d: %s", error.line, error.message);
    int wrong = status != TN_BAD_INPUT || strcmp(found, colon + 2) != 0 || strcmp(error.file, line) != 0;
    if (wrong) {
        printf("%s: status %d\n  expected %s\n  found    %s: %s\n", line, status, colon + 2, line, found);
    }
    return wrong;
}

static void broken_files_say_what_and_where(void **state)
{
    broken_files_check(TENON_SOURCE_DIR "/tests/surfaces_broken", check_line, 35);
}

static void files_that_are_not_there(void **state)
{
    tn_error error = {0};
    tn_trimesh mesh;
    tn_arena *arena = tn_arena_create(0);
    assert_int_equal(tn_trimesh_read("/no/such.stl", 1.0, false, arena, &mesh, &error), TN_IO);
    assert_int_equal(tn_trimesh_read("a.obj", NAN, false, arena, &mesh, &error), TN_BAD_INPUT);
    tn_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(obj_corners_counted_back), cmocka_unit_test(obj_in_every_spelling),
        cmocka_unit_test(corners_are_merged),       cmocka_unit_test(stl_is_the_same),
        cmocka_unit_test(files_that_are_not_there), cmocka_unit_test(broken_files_say_what_and_where),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
