// Meshes of tetrahedra for the tests of the element kernels, with all that tn_tets_input asks for.
#pragma once

#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "kernels/tets/tets.h"
#include "math/blocks.h"
#include "math/mat3.h"

typedef struct tets_mesh {
    int n_nodes, n_tets;
    double *rest; // (n_nodes, 3)
    int *tets;    // (n_tets, 4)
    double *lambda, *mu, *stiffness_time, *geometric_time;
    int *block;
    bool *tied;
    tn_blocks *pattern;
} tets_mesh;

static double uniform(int stream, int k) // -1 to 1
{
    return 2.0 * tn_random_uniform(7, (uint64_t)stream, (uint64_t)k) - 1.0;
}

static void mesh_arrays(tets_mesh *m, int n_nodes, int n_tets, tn_arena *arena)
{
    m->n_nodes = n_nodes;
    m->n_tets = n_tets;
    m->rest = TN_PUSH(arena, double, 3 * n_nodes);
    m->tets = TN_PUSH(arena, int, 4 * n_tets);
    m->lambda = TN_PUSH(arena, double, n_tets);
    m->mu = TN_PUSH(arena, double, n_tets);
    m->stiffness_time = TN_PUSH(arena, double, n_tets);
    m->geometric_time = TN_PUSH(arena, double, n_tets);
    m->block = TN_PUSH(arena, int, n_nodes);
    m->tied = TN_PUSH(arena, bool, n_nodes);
}

static void mesh_material(tets_mesh *m, double young, double poisson, double stiffness_time, double geometric_time)
{
    for (int e = 0; e < m->n_tets; e++) {
        m->lambda[e] = young * poisson / ((1.0 + poisson) * (1.0 - 2.0 * poisson));
        m->mu[e] = young / (2.0 * (1.0 + poisson));
        m->stiffness_time[e] = stiffness_time;
        m->geometric_time[e] = geometric_time;
    }
}

// Every node with a block, none tied.
static void mesh_all_free(tets_mesh *m)
{
    for (int i = 0; i < m->n_nodes; i++) {
        m->block[i] = i;
        m->tied[i] = false;
    }
}

// The pattern of the nodes that have blocks.
static void mesh_pattern(tets_mesh *m, tn_arena *arena)
{
    int n_rows = 0, count = 0;
    for (int i = 0; i < m->n_nodes; i++) {
        n_rows = m->block[i] >= n_rows ? m->block[i] + 1 : n_rows;
    }
    tn_blocks_entry *entries = TN_PUSH(arena, tn_blocks_entry, (size_t)m->n_tets * 16 + (size_t)m->n_nodes);
    for (int k = 0; k < 16 * m->n_tets; k++) {
        int row = m->block[m->tets[k / 16 * 4 + k % 4]], column = m->block[m->tets[k / 16 * 4 + k / 4 % 4]];
        if (row >= 0 && column >= 0) {
            entries[count++] = (tn_blocks_entry){.row = row, .column = column};
        }
    }
    for (int i = 0; i < n_rows; i++) {
        entries[count++] = (tn_blocks_entry){.row = i, .column = i};
    }
    m->pattern = tn_blocks_from_entries(n_rows, n_rows, count, entries, arena);
}

static tn_tets_input mesh_input(const tets_mesh *m)
{
    return (tn_tets_input){.n_nodes = m->n_nodes,
                           .rest = m->rest,
                           .n_tets = m->n_tets,
                           .tets = m->tets,
                           .lambda = m->lambda,
                           .mu = m->mu,
                           .stiffness_time = m->stiffness_time,
                           .geometric_time = m->geometric_time,
                           .block = m->block,
                           .tied = m->tied,
                           .pattern = m->pattern};
}

// A box of nx ny nz cubes of edge h, six tetrahedra each (Kuhn), inner and outer nodes moved by up to jitter h.
static tets_mesh mesh_box(int nx, int ny, int nz, double h, double jitter, tn_arena *arena)
{
    const int orders[6][3] = {{0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}};
    const int n[3] = {nx + 1, ny + 1, nz + 1};
    tets_mesh m;
    mesh_arrays(&m, n[0] * n[1] * n[2], 6 * nx * ny * nz, arena);
    for (int i = 0; i < m.n_nodes; i++) {
        const int at[3] = {i % n[0], i / n[0] % n[1], i / n[0] / n[1]};
        for (int k = 0; k < 3; k++) {
            m.rest[3 * i + k] = h * (at[k] + jitter * uniform(k, i));
        }
    }
    for (int e = 0; e < m.n_tets; e++) {
        int cell = e / 6, at[3] = {cell % nx, cell / nx % ny, cell / nx / ny};
        for (int a = 0; a < 4; a++) {
            m.tets[4 * e + a] = at[0] + n[0] * (at[1] + n[1] * at[2]);
            at[orders[e % 6][a % 3]]++;
        }
        if (e % 6 >= 3) { // odd permutation: the other orientation
            int swap = m.tets[4 * e];
            m.tets[4 * e] = m.tets[4 * e + 1];
            m.tets[4 * e + 1] = swap;
        }
    }
    mesh_material(&m, 1e5, 0.3, 1.0, 0.0);
    mesh_all_free(&m);
    mesh_pattern(&m, arena);
    return m;
}

// n separate elements of random shapes; unit: all with the unit vectors as edges, where F's columns are the edges.
static tets_mesh mesh_separate(int n, bool unit, tn_arena *arena)
{
    tets_mesh m;
    mesh_arrays(&m, 4 * n, n, arena);
    for (int i = 0; i < 4 * n; i++) {
        m.tets[i] = i;
        for (int k = 0; k < 3; k++) {
            m.rest[3 * i + k] = (i % 4 == k + 1) + (unit ? 0.0 : 0.25 * uniform(k + 3, i));
        }
    }
    mesh_material(&m, 1e5, 0.3, 1.0, 0.0);
    mesh_all_free(&m);
    mesh_pattern(&m, arena);
    return m;
}
