// tn_mesh_check finds each fault and names it; sound meshes pass.
#include "mesh/mesh.h"
#include "test.h"

#include <math.h>
#include <string.h>

// Two tetrahedra on the two sides of the face 1 2 3, and room for more.
typedef struct pair {
    double nodes[10][3];
    int tets[5][4];
    tn_mesh mesh;
} pair;

static pair make_pair(void)
{
    return (pair){.nodes = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 1, 1}},
                  .tets = {{0, 1, 2, 3}, {1, 2, 3, 4}},
                  .mesh = {.n_nodes = 5, .n_tets = 2}};
}

static void expect(pair *p, const char *part)
{
    tn_error error = {0};
    p->mesh.nodes = p->nodes[0];
    p->mesh.tets = p->tets[0];
    tn_status status = tn_mesh_check(&p->mesh, &error);
    assert_int_equal(status, part ? TN_BAD_INPUT : TN_OK);
    if (part && !strstr(error.message, part)) {
        fail_msg("'%s' does not say '%s'", error.message, part);
    }
}

static void sound(void **state)
{
    pair p = make_pair();
    expect(&p, NULL);
    // Two bodies in one mesh, and two that touch in a node or an edge only.
    p.mesh.n_nodes = 9;
    p.mesh.n_tets = 3;
    const double apart[4][3] = {{5, 0, 0}, {6, 0, 0}, {5, 1, 0}, {5, 0, 1}};
    memcpy(p.nodes[5], apart, sizeof apart);
    memcpy(p.tets[2], (int[4]){5, 6, 7, 8}, sizeof p.tets[2]);
    expect(&p, NULL);
    p.mesh.n_nodes = 8;
    memcpy(p.tets[2], (int[4]){5, 6, 7, 4}, sizeof p.tets[2]);
    expect(&p, NULL);
}

static void sizes(void **state)
{
    pair p = make_pair();
    p.mesh.n_tets = 0;
    expect(&p, "at least one tetrahedron");
    p = make_pair();
    p.mesh.n_tets = 1;
    expect(&p, "node 4 belongs to no tetrahedron");
}

static void places(void **state)
{
    const double values[3] = {(double)NAN, (double)INFINITY, -1e200};
    for (int i = 0; i < 3; i++) {
        pair p = make_pair();
        p.nodes[3][1] = values[i];
        expect(&p, "node 3 stands at");
    }
}

static void corners(void **state)
{
    pair p = make_pair();
    p.tets[1][2] = 5;
    expect(&p, "tetrahedron 1 names node 5 of a mesh of 5 nodes");
    p.tets[1][2] = -1;
    expect(&p, "tetrahedron 1 names node -1");
    p.tets[1][2] = 2;
    expect(&p, "tetrahedron 1 has node 2 at two corners");
}

static void volumes(void **state)
{
    pair p = make_pair();
    p.tets[1][2] = 4;
    p.tets[1][3] = 3;
    expect(&p, "tetrahedron 1 (nodes 1 2 4 3) is inverted");
    p = make_pair();
    p.nodes[4][0] = p.nodes[4][1] = p.nodes[4][2] = 1.0 / 3.0;
    expect(&p, "tetrahedron 1 (nodes 1 2 3 4) is flat");
    // The limit is relative: 1e-9 of the longest edge's cube, volume = height * area / 3 with area sqrt(3)/2 and edges
    // sqrt 2, so the height 1e-9 * 2.83 / 0.289 = 9.8e-9.
    const double scale[3] = {1e-6, 1.0, 1e6};
    for (int i = 0; i < 3; i++) {
        for (int above = 0; above < 2; above++) {
            p = make_pair();
            double shift = (above ? 10.5e-9 : 9e-9) / sqrt(3.0);
            for (int k = 0; k < 3; k++) {
                p.nodes[4][k] = 1.0 / 3.0 + shift;
            }
            for (int k = 0; k < 15; k++) {
                p.nodes[k / 3][k % 3] *= scale[i];
            }
            expect(&p, above ? NULL : "is flat");
        }
    }
}

static void topology(void **state)
{
    pair p = make_pair();
    p.mesh.n_tets = 3;
    memcpy(p.tets[2], (int[4]){2, 3, 1, 4}, sizeof p.tets[2]);
    expect(&p, "tetrahedra 1 and 2 have the same nodes");
    p.mesh.n_nodes = 6;
    memcpy(p.nodes[5], (double[3]){2, 2, 3}, sizeof p.nodes[5]);
    p.tets[2][3] = 5;
    expect(&p, "the face of nodes 1 2 3 belongs to three tetrahedra, 0, 1 and 2");
}

static void unmerged(void **state)
{
    pair p = make_pair();
    p.mesh.n_nodes = 8;
    memcpy(p.nodes[5], p.nodes[1], 3 * sizeof p.nodes[1]);
    memcpy(p.tets[1], (int[4]){5, 6, 7, 4}, sizeof p.tets[1]);
    expect(&p, "two faces lie on each other with nodes of their own, 1 2 3 and 5 7 6");
    p.nodes[5][0] += 1e-6; // a crack that is open at one corner may be meant
    expect(&p, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound),   cmocka_unit_test(sizes),    cmocka_unit_test(places),   cmocka_unit_test(corners),
        cmocka_unit_test(volumes), cmocka_unit_test(topology), cmocka_unit_test(unmerged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
