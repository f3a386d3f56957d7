// Which faces of a surface meet across which edges: as by the definition in random heaps of triangles, where edges are
// shared by many, and in time for half a million faces around one node or edge, or all at one place. (Searched one by
// one, they would take 10^11 steps: this test would run into its limit of time.)
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "shape/skin.h"
#include "test.h"

enum { MANY = 500000, HEAPS = 300, FACES = 60 };

static tn_skin create(int n_nodes, int n_faces, const int *faces, tn_arena *arena)
{
    tn_skin skin;
    double *rest = TN_PUSH(arena, double, 3 * (size_t)n_nodes);
    assert_non_null(rest);
    for (int i = 0; i < 3 * n_nodes; i++) {
        rest[i] = tn_random_uniform(3, 0, (uint64_t)i);
    }
    assert_int_equal(tn_skin_create(n_nodes, rest, n_faces, faces, arena, &skin, NULL), TN_OK);
    return skin;
}

// A side's neighbour by the definition: of the sides the other way round that are alone, that of the first face.
static void pair_plainly(int n_faces, const int *faces, int *neighbour)
{
    for (int i = 0; i < 3 * n_faces; i++) {
        neighbour[i] = -1;
    }
    for (int i = 0; i < 3 * n_faces; i++) {
        int p = faces[i], q = faces[i - i % 3 + (i + 1) % 3];
        for (int j = 0; j < 3 * n_faces && neighbour[i] < 0; j++) {
            if (faces[j] == q && faces[j - j % 3 + (j + 1) % 3] == p && neighbour[j] < 0) {
                neighbour[i] = j / 3;
                neighbour[j] = i / 3;
            }
        }
    }
}

static void test_heaps(void **state)
{
    long shared = 0;
    for (int heap = 0; heap < HEAPS; heap++) {
        tn_arena *arena = tn_arena_create(0);
        int faces[3 * FACES], expected[3 * FACES], n_nodes = 4 + heap % 12;
        for (int f = 0; f < FACES; f++) {
            int first = (int)(n_nodes * tn_random_uniform(7, (uint64_t)heap, (uint64_t)(3 * f)));
            int step = 1 + (int)((n_nodes - 2) * tn_random_uniform(7, (uint64_t)heap, (uint64_t)(3 * f + 1)));
            int other = 1 + (int)((n_nodes - 2) * tn_random_uniform(7, (uint64_t)heap, (uint64_t)(3 * f + 2)));
            faces[3 * f] = first;
            faces[3 * f + 1] = (first + step) % n_nodes;
            faces[3 * f + 2] = (first + (other < step ? other : other + 1)) % n_nodes;
        }
        tn_skin skin = create(n_nodes, FACES, faces, arena);
        pair_plainly(FACES, faces, expected);
        assert_memory_equal(skin.neighbour, expected, sizeof expected);
        for (int e = 0; e < skin.n_edges; e++) {
            shared += skin.edge_face[2 * e + 1] >= 0;
        }
        for (int i = 0; i < 3 * FACES; i++) {
            const int *edge = skin.edges + 2 * skin.face_edge[i], p = faces[i], q = faces[i - i % 3 + (i + 1) % 3];
            assert_true((edge[0] == p && edge[1] == q) || (edge[0] == q && edge[1] == p));
        }
        tn_arena_destroy(arena);
    }
    print_message("%ld edges between two of %d faces in %d heaps\n", shared, FACES, HEAPS);
    assert_true(shared > 10 * HEAPS);
}

static void test_many(void **state)
{
    for (int kind = 0; kind < 3; kind++) {
        tn_arena *arena = tn_arena_create(0);
        int *faces = TN_PUSH(arena, int, 3 * (size_t)MANY);
        assert_non_null(faces);
        for (int f = 0; f < MANY; f++) {
            const int kinds[3][3] = {{0, 1 + f, 1 + (f + 1) % MANY}, {0, 1, 2 + f}, {0, 1, 2}};
            memcpy(faces + 3 * f, kinds[kind], sizeof kinds[kind]);
        }
        tn_skin skin = create(MANY + 2, MANY, faces, arena);
        const int edges[3] = {2 * MANY, 3 * MANY, 3 * MANY}; // a fan's faces share spokes; the others turn the same way
        print_message("%d faces %s: %d edges\n", MANY,
                      kind == 0   ? "around a node"
                      : kind == 1 ? "around an edge"
                                  : "at one place",
                      skin.n_edges);
        assert_int_equal(skin.n_edges, edges[kind]);
        tn_arena_destroy(arena);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_heaps), cmocka_unit_test(test_many)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
