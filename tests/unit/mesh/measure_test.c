// Volumes of a cut box, node by node, and the quality of known tetrahedra.
#include "mesh/tet.h"
#include "test.h"

#include <math.h>
#include <stdio.h>

// One cell is six tetrahedra of V/6 round the diagonal from corner 0 to corner 7: these have a quarter of all six, the
// other corners a quarter of two.
static void node_volumes(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    const double size[3] = {0.2, 0.3, 0.5};
    const int divisions[3] = {1, 1, 1};
    tn_error error = {0};
    tn_mesh mesh;
    double volume[8];
    assert_int_equal(tn_mesh_grid(size, divisions, arena, &mesh, &error), TN_OK);
    tn_mesh_node_volumes(&mesh, volume);
    for (int i = 0; i < 8; i++) {
        double wanted = i == 0 || i == 7 ? 0.03 / 4 : 0.03 / 12;
        printf("node %d: %.17g m^3, wanted %.17g\n", i, volume[i], wanted);
        assert_true(fabs(volume[i] - wanted) <= 1e-17);
    }
    assert_true(fabs(tn_mesh_volume(&mesh) - 0.03) <= 1e-16);
    tn_arena_destroy(arena);
}

// 1 for the regular one; of a corner of a cube with edges 1, 1, 1, sqrt 2 three times: 6 sqrt 2 V / (root mean
// square)^3, V = 1/6, mean square 1.5.
static void quality(void **state)
{
    const double regular[12] = {1, 1, 1, 1, -1, -1, -1, 1, -1, -1, -1, 1};
    const double corner[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
    const int order[4] = {0, 1, 2, 3}, turned[4] = {0, 2, 1, 3};
    double of_regular = tn_tet_quality(regular, order), other = tn_tet_quality(regular, turned);
    printf("regular %.17g and %.17g, corner of a cube %.17g\n", of_regular, other, tn_tet_quality(corner, order));
    assert_true(fabs(fabs(of_regular) - 1.0) <= 1e-14 && of_regular == -other);
    assert_true(fabs(tn_tet_quality(corner, order) - sqrt(2.0) / (1.5 * sqrt(1.5))) <= 1e-14);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(node_volumes), cmocka_unit_test(quality)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
