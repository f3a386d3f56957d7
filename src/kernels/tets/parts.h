// Private to the tets*.c files: tables, and what an evaluation leaves.
//
// Corners of an element are 0..3; its shape functions' gradients at rest g_1..g_3 are the rows of Dm^-1 (edges from
// corner 0 as columns of Dm), g_0 = -(g_1 + g_2 + g_3). A prime means rotated to the world: g' = R g.
#pragma once

#include "kernels/tets/tets.h"

typedef struct tet_material {
    double lambda, mu;                     // [Pa]
    double stiffness_time, geometric_time; // [s]
    double ratio;                          // lambda/mu
} tet_material;

// One element at one of its corners, or with a pair of corners: 16 element + 4 a + b.
typedef int tet_corners;
static inline int tet_of(tet_corners code)
{
    return code >> 4;
}

// The elements around an edge, node[0] < node[1]; the codes' corner a is node[0]. first, end: range of around.
typedef struct tet_edge {
    int first, end;
    int upper, lower; // blocks of the pattern: (block of node[0], block of node[1]) and its mirror image
} tet_edge;

// A range of codes and where the block goes: a node's own block, a tied pair's.
typedef struct tet_range {
    int first, end;
} tet_range;

struct tn_tets {
    int n_nodes, n_tets, n_packs;
    int *node;               // (n_packs, 4, TN_TET_LANES); the last pack is filled up with its last element
    double *inverse;         // (n_packs, 9, TN_TET_LANES) Dm^-1 [1/m]; NULL: found from rest whenever it is needed
    double *rest;            // (n_nodes, 4) the fourth number of no meaning [m]; NULL with inverse
    double *volume;          // (n_packs, TN_TET_LANES) [m^3]
    int *material;           // (n_packs, TN_TET_LANES) of materials
    int n_materials;         //
    tet_material *materials; // (n_materials) neighbours in the list of elements that agree share one
    bool geometric;          // some element has a geometric_time
    bool one_ratio;          // elements that meet have the same lambda/mu: the blocks of both are then summed as one
    int *corner_start;       // (n_nodes + 1) of corners
    tet_corners *corners;    // (4 n_tets) elements of each node, ascending; b = a
    tet_corners *around;     // (6 n_tets) elements of each edge; edges ascend by (node[0], node[1])
    int n_driven;            // elements with a node that has no block and is not tied
    int *driven;             // (n_driven) ascending
    int n_edges;             // between two nodes with blocks
    tet_edge *edges;         // (n_edges)
    int n_diagonals;         // nodes with blocks
    int *diagonal_node;      // (n_diagonals)
    int *diagonal_block;     // (n_diagonals) block of the pattern
    int n_pairs;
    tn_tets_pair *pairs;   // (n_pairs) tied pairs, ascending
    tet_range *pair_range; // (n_pairs) of around; of corners where both nodes are equal
};

// What an element leaves, in RECORD numbers: rotated gradients g'_0..g'_3 [1/m]; volume times stress xx xy xz yy yz zz
// in the world [N m]; stiffness_time volume lambda, stiffness_time volume mu [N m s].
enum { RECORD_GRADIENT = 0, RECORD_STRESS = 12, RECORD_LAMBDA = 18, RECORD_MU = 19, RECORD = 20 };
// Rotation's own stiffness: E_ab = [g'_a] M [g'_b]^T with [.] the cross product's matrix and M symmetric [N m s],
// geometric_time volume / 2 within. Three rows of four numbers x y z x: four numbers from 1 on are y z x.
enum { SPIN = 12 };

struct tn_tets_elastic {
    double *record; // (8 n_packs, RECORD); NULL: only energies are wanted
    double *energy; // (8 n_packs) [J]; what fills up the last pack repeats its last element's
    double *spin;   // (8 n_packs, SPIN) and four more, NULL without geometric elements or record
};

// Rows of corners, edges and pairs from the elements' nodes; the rest of *tets is set. input: for blocks and ties.
tn_status tn_tets_tables(const tn_tets_input *input, tn_tets *tets, tn_arena *arena, tn_error *error);

// Whether all elements of a node are among first..end-1; corners ascend.
static inline bool tn_tets_all_within(const tn_tets *tets, int node, int first, int end)
{
    int start = tets->corner_start[node], stop = tets->corner_start[node + 1];
    return start == stop || (tet_of(tets->corners[start]) >= first && tet_of(tets->corners[stop - 1]) < end);
}

// Kernels of one instruction set; all give the same bits.
typedef struct tet_rows {
    // Nodes first..end-1 of force (n_nodes, 3).
    void (*forces)(const tn_tets *tets, const tn_tets_elastic *elastic, double *force, int first, int end);
    // y = S v, both (n_nodes, 3): elements first..end-1 added onto the nodes that lie within; one node's row. Same
    // bits.
    void (*scatter)(const tn_tets *tets, const tn_tets_elastic *elastic, const double *v, double *y, int first,
                    int end);
    void (*product)(const tn_tets *tets, const tn_tets_elastic *elastic, const double *v, double *y, int node);
    // Elements listed (n), ascending, added onto all their nodes.
    void (*scatter_listed)(const tn_tets *tets, const tn_tets_elastic *elastic, const double *v, double *y,
                           const int *listed, int n);
    // Blocks of edges, of diagonals first..end-1 into the pattern's value.
    void (*edges)(const tn_tets *tets, const tn_tets_elastic *elastic, double *value, int first, int end);
    void (*diagonals)(const tn_tets *tets, const tn_tets_elastic *elastic, const double *inertia, double *value,
                      int first, int end);
    // S = sum over codes (n) of the elements' 3x3 blocks, row corner a, column corner b.
    void (*block)(const tn_tets *tets, const tn_tets_elastic *elastic, const tet_corners *codes, int n,
                  double block[9]);
} tet_rows;

typedef struct tet_kernels {
    const char *kind;
    // Records (and spins) of packs first..end-1 from positions (n_nodes, 4; the fourth number of no meaning).
    void (*packs)(const tn_tets *tets, const double *position, tn_tets_elastic *out, int first, int end);
    const tet_rows *rows;
} tet_kernels;

// The best that this processor has; the one of that name ("avx512", "avx2", "baseline"), NULL where it has not.
const tet_kernels *tn_tets_kernels(void);
const tet_kernels *tn_tets_kernels_named(const char *kind);

void tn_tets_packs_baseline(const tn_tets *tets, const double *position, tn_tets_elastic *out, int first, int end);
void tn_tets_packs_avx2(const tn_tets *tets, const double *position, tn_tets_elastic *out, int first, int end);
void tn_tets_packs_avx512(const tn_tets *tets, const double *position, tn_tets_elastic *out, int first, int end);
void tn_tets_edges_avx512(const tn_tets *tets, const tn_tets_elastic *elastic, double *value, int first, int end);
void tn_tets_diagonals_avx512(const tn_tets *tets, const tn_tets_elastic *elastic, const double *inertia, double *value,
                              int first, int end);
extern const tet_rows tn_tets_rows_baseline, tn_tets_rows_avx2, tn_tets_rows_avx512;

// Elements worth a team of threads; no influence on results.
enum { TET_WORTH_A_TEAM = 2000 };

static inline int tn_tets_team(const tn_tets *tets, int n_threads)
{
    return tets->n_tets >= TET_WORTH_A_TEAM ? n_threads : 1;
}
