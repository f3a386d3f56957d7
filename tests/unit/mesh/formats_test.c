// A ball written in every format and read again: the same mesh to the last bit, with its groups.
#include "mesh_write.h"

#include "mesh/read.h"
#include "test.h"

#include <math.h>
#include <unistd.h>

typedef struct sample {
    tn_arena *arena;
    tn_mesh mesh;
    tn_mesh_surface skin;
} sample;

static sample make_ball(int divisions)
{
    sample s = {.arena = tn_arena_create(0)};
    tn_error error = {0};
    assert_int_equal(tn_mesh_ball(0.05, divisions, s.arena, &s.mesh, &error), TN_OK);
    assert_int_equal(tn_mesh_get_surface(&s.mesh, s.arena, &s.skin, &error), TN_OK);
    return s;
}

static tn_mesh read_text(const sample *s, tn_mesh_format format, const mesh_text *a, const mesh_text *b)
{
    const tn_mesh_file file = {"a", a->data, a->size};
    const tn_mesh_file second = {"b", b ? b->data : NULL, b ? b->size : 0};
    tn_error error = {0};
    tn_mesh mesh = {0};
    if (tn_mesh_parse(format, &file, &second, 1.0, s->arena, &mesh, &error) != TN_OK) {
        fail_msg("%s:%d: %s", error.file, error.line, error.message);
    }
    return mesh;
}

// limit: of each coordinate [m].
static void assert_same(const tn_mesh *a, const tn_mesh *b, double limit)
{
    assert_int_equal(a->n_nodes, b->n_nodes);
    assert_int_equal(a->n_tets, b->n_tets);
    assert_memory_equal(a->tets, b->tets, 4 * (size_t)a->n_tets * sizeof(int));
    double worst = 0.0;
    for (int i = 0; i < 3 * a->n_nodes; i++) {
        worst = fmax(worst, fabs(a->nodes[i] - b->nodes[i]));
    }
    if (worst > limit) {
        fail_msg("nodes differ by %g m, limit %g", worst, limit);
    }
}

static const tn_mesh_group *find_group(const tn_mesh *mesh, const char *name)
{
    for (int g = 0; g < mesh->n_groups; g++) {
        if (strcmp(mesh->groups[g].name, name) == 0) {
            return &mesh->groups[g];
        }
    }
    return NULL;
}

static void assert_skin(const sample *s, const tn_mesh *mesh, const char *name)
{
    const tn_mesh_group *group = find_group(mesh, name);
    assert_non_null(group);
    assert_int_equal(group->n, s->skin.n_vertices);
    assert_memory_equal(group->nodes, s->skin.vertices, (size_t)group->n * sizeof(int));
}

static void gmsh(void **state)
{
    sample s = make_ball(4);
    const mesh_variant variants[] = {
        {.base = 1, .stride = 1, .size_bytes = 8},
        {.base = 1000000, .stride = -3, .size_bytes = 8},
        {.binary = true, .base = 1, .stride = 1, .size_bytes = 8},
        {.binary = true, .other = true, .base = 7, .stride = 2, .size_bytes = 8},
        {.binary = true, .base = 1, .stride = 1, .size_bytes = 4},
        {.binary = true, .other = true, .base = 1, .stride = 1, .size_bytes = 4},
    };
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++) {
        for (int version = 2; version <= 4; version += 2) {
            mesh_text text = {0};
            if (version == 2 && variants[i].size_bytes != 8) {
                continue;
            }
            (version == 2 ? write_gmsh22 : write_gmsh41)(&text, &variants[i], &s.mesh, &s.skin);
            tn_mesh mesh = read_text(&s, TN_MESH_GMSH, &text, NULL);
            assert_same(&s.mesh, &mesh, 0.0);
            assert_int_equal(mesh.n_groups, 2);
            assert_skin(&s, &mesh, "the skin");
            assert_int_equal(find_group(&mesh, "flesh")->n, s.mesh.n_nodes);
            free(text.data);
        }
    }
    tn_arena_destroy(s.arena);
}

static void tetgen(void **state)
{
    sample s = make_ball(3);
    for (int base = 0; base < 2; base++) {
        mesh_text nodes = {0}, tets = {0};
        write_tetgen(&nodes, &tets, &(mesh_variant){.base = base, .stride = 1}, &s.mesh, &s.skin);
        tn_mesh mesh = read_text(&s, TN_MESH_TETGEN, &nodes, &tets);
        assert_same(&s.mesh, &mesh, 0.0);
        assert_int_equal(mesh.n_groups, 1);
        assert_skin(&s, &mesh, "5");
        free(nodes.data);
        free(tets.data);
    }
    tn_arena_destroy(s.arena);
}

static void vtk(void **state)
{
    sample s = make_ball(3);
    for (int version = 2; version <= 5; version++) {
        for (int binary = 0; binary < 2; binary++) {
            mesh_text text = {0};
            write_vtk(&text, &(mesh_variant){.binary = binary, .version = version}, &s.mesh, &s.skin);
            tn_mesh mesh = read_text(&s, TN_MESH_VTK, &text, NULL);
            // Version 2 is written in float: half a unit in the last place of 0.05.
            assert_same(&s.mesh, &mesh, version == 2 ? 0.05 * 6e-8 : 0.0);
            free(text.data);
        }
    }
    tn_arena_destroy(s.arena);
}

// Carriage returns, further sections, groups without names, repeated tetrahedra of two groups, inverted ones, nodes of
// no tetrahedron.
static const char odd_gmsh[] = "$Comments\nwhatever\n$EndComments\r\n$MeshFormat\r\n2.2 0 8\r\n$EndMeshFormat\r\n"
                               "$PhysicalNames\n3\n3 1 \"body\"\n3 2 \"half\"\n2 4 \"body\"\n$EndPhysicalNames\n"
                               "$Nodes\n6\n10 0 0 0\n20 1 0 0\n30 0 1 0\n40 0 0 1\n50 1e1 +1.5E-3 -2\n60 1 1 1\n"
                               "$EndNodes\n$Periodic\n0\n$EndPeriodic\n"
                               "$Elements\n5\n1 15 2 3 1 50\n2 4 2 1 1 10 30 20 40\n3 4 2 2 1 10 30 20 40\n"
                               "4 2 0 10 20 30\n5 4 3 2 1 0 20 30 40 60\n$EndElements\n";

static void odd_files(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    const tn_mesh_file file = {"odd", odd_gmsh, sizeof odd_gmsh - 1};
    tn_error error = {0};
    tn_mesh mesh;
    if (tn_mesh_parse(TN_MESH_GMSH, &file, NULL, 1e-3, arena, &mesh, &error) != TN_OK) {
        fail_msg("%s:%d: %s", error.file, error.line, error.message);
    }
    assert_int_equal(mesh.n_nodes, 5);
    assert_int_equal(mesh.n_tets, 2);
    assert_true(mesh.nodes[3] == 1e-3 && mesh.nodes[12] == 1e-3);
    assert_int_equal(mesh.n_groups, 2); // group 3 has no node of a tetrahedron
    assert_int_equal(find_group(&mesh, "body")->n, 4);
    assert_int_equal(find_group(&mesh, "half")->n, 5);
    // The corner tetrahedron has 1/6, the other one the height 2/sqrt 3 over the same face: 1/3.
    double error_of_volume = fabs(tn_mesh_volume(&mesh) - 0.5e-9);
    printf("volume off by %.1e m^3 (limit 1e-24: rounding)\n", error_of_volume);
    assert_true(error_of_volume < 1e-24);
    tn_arena_destroy(arena);
}

static void write_file(const char *path, const char *mark, const mesh_text *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_true(fputs(mark, file) >= 0);
    assert_int_equal(fwrite(text->data, 1, text->size, file), text->size);
    fclose(file);
}

// On disk, with and without a byte order mark, TetGen by either of its names; what has another name is known by its
// content.
static void files(void **state)
{
    sample s = make_ball(2);
    char folder[] = "/tmp/tenon_mesh_XXXXXX";
    assert_non_null(mkdtemp(folder));
    char path[4][64];
    const char *const names[] = {"m.1.node", "m.1.ele", "skin.msh", "other.dat"};
    mesh_text text[4] = {{0}, {0}, {0}, {0}};
    const mesh_variant variant = {.base = 1, .stride = 1, .size_bytes = 8, .version = 4, .binary = true};
    write_tetgen(&text[0], &text[1], &variant, &s.mesh, &s.skin);
    write_gmsh41(&text[2], &variant, &s.mesh, &s.skin);
    write_vtk(&text[3], &variant, &s.mesh, &s.skin);
    for (int marked = 1; marked >= 0; marked--) {
        for (int i = 0; i < 4; i++) {
            snprintf(path[i], sizeof path[i], "%s/%s", folder, names[i]);
            write_file(path[i], marked ? "\xef\xbb\xbf" : "", &text[i]);
        }
        for (int i = 0; i < 4; i++) {
            tn_error error = {0};
            tn_mesh mesh;
            assert_int_equal(tn_mesh_read(path[i], 1.0, s.arena, &mesh, &error), TN_OK);
            assert_same(&s.mesh, &mesh, 0.0);
        }
    }
    tn_error error = {0};
    tn_mesh mesh;
    unlink(path[1]);
    assert_int_equal(tn_mesh_read(path[0], 1.0, s.arena, &mesh, &error), TN_IO);
    assert_non_null(strstr(error.message, path[1]));
    assert_int_equal(tn_mesh_read(folder, 1.0, s.arena, &mesh, &error), TN_IO);
    assert_int_equal(tn_mesh_read(path[2], 0.0, s.arena, &mesh, &error), TN_BAD_INPUT);
    assert_int_equal(tn_mesh_read("/nowhere/at.msh", 1.0, s.arena, &mesh, NULL), TN_IO);
    for (int i = 0; i < 4; i++) {
        unlink(path[i]);
        free(text[i].data);
    }
    rmdir(folder);
    tn_arena_destroy(s.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gmsh),      cmocka_unit_test(tetgen), cmocka_unit_test(vtk),
        cmocka_unit_test(odd_files), cmocka_unit_test(files),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
