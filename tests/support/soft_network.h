// Small elastic problems for solver tests: slabs of nodes tied by springs that slide and fall onto the ground, onto
// each other, and under a rigid plate. Header-only, no mesh and no scene: only A, b and contacts.
#pragma once

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "math/blocks.h"
#include "math/mat3.h"
#include "tenon/problem.h"

typedef enum soft_network_kind {
    SOFT_NETWORK_GROUND, // every bottom node against the ground
    SOFT_NETWORK_PAIR,   // two slabs, node on node, the lower one on the ground
    SOFT_NETWORK_PLATE,  // a rigid plate on face points (three nodes each) of a slab on the ground
    SOFT_NETWORK_KINDS,
} soft_network_kind;

enum { SOFT_NETWORK_SIDE = 5, SOFT_NETWORK_SLAB = 2 * SOFT_NETWORK_SIDE * SOFT_NETWORK_SIDE };
enum {
    SOFT_NETWORK_ROWS = 2 * SOFT_NETWORK_SLAB + 2,
    SOFT_NETWORK_CONTACTS = 4 * SOFT_NETWORK_SIDE * SOFT_NETWORK_SIDE,
};

typedef struct soft_network {
    tn_arena *arena;
    tn_problem problem;
    tn_rows contacts;
    tn_solution solution;
    double x[3 * SOFT_NETWORK_ROWS]; // where the nodes are [m]
    double b[3 * SOFT_NETWORK_ROWS], v[3 * SOFT_NETWORK_ROWS], lambda[3 * SOFT_NETWORK_CONTACTS];
    double frame[9 * SOFT_NETWORK_CONTACTS], offset[3 * SOFT_NETWORK_CONTACTS], mu[2 * SOFT_NETWORK_CONTACTS];
    double omega[9 * SOFT_NETWORK_CONTACTS];
    double jacobian[9 * 5 * SOFT_NETWORK_CONTACTS];
    int start[SOFT_NETWORK_CONTACTS + 1], block[5 * SOFT_NETWORK_CONTACTS];
    int n_entries;
    tn_blocks_entry *entries; // of A while it is made
} soft_network;

static inline double soft_network_random(uint64_t seed, uint64_t stream, int counter)
{
    return 2.0 * tn_random_uniform(seed, stream, (uint64_t)counter) - 1.0;
}

static inline void soft_network_entry(soft_network *s, int row, int column, const double value[9])
{
    tn_blocks_entry *e = &s->entries[s->n_entries++];
    *e = (tn_blocks_entry){.row = row, .column = column};
    memcpy(e->value, value, sizeof e->value);
}

// Nodes first.. at height z, spacing 1 cm, each 1 g; springs of stiffness k [N/m] within 2 cm, implicit over h = 10 ms.
static inline void soft_network_slab(soft_network *s, uint64_t seed, int first, double z, double k)
{
    const double h = 0.01, mass = 1e-3, fast = seed % 3 == 0 ? 0.05 : 1.0, slide[3] = {0.3 * fast, -0.1 * fast, 0.0};
    for (int i = 0; i < SOFT_NETWORK_SLAB; i++) {
        double *x = s->x + 3 * (first + i);
        int column = i % (SOFT_NETWORK_SIDE * SOFT_NETWORK_SIDE), layer = i / (SOFT_NETWORK_SIDE * SOFT_NETWORK_SIDE);
        tn_vec3_set(x, 0.01 * (column % SOFT_NETWORK_SIDE), 0.01 * (column / SOFT_NETWORK_SIDE), z + 0.01 * layer);
        for (int d = 0; d < 3; d++) {
            x[d] += 1e-3 * soft_network_random(seed, 1, 3 * (first + i) + d);
            s->b[3 * (first + i) + d] =
                mass * (slide[d] + 0.2 * fast * soft_network_random(seed, 2, 3 * (first + i) + d));
        }
        s->b[3 * (first + i) + 2] -= mass * h * 9.81;
        const double own[9] = {mass, 0, 0, 0, mass, 0, 0, 0, mass};
        soft_network_entry(s, first + i, first + i, own);
    }
    for (int i = first; i < first + SOFT_NETWORK_SLAB; i++) {
        for (int j = first; j < i; j++) {
            double d[3], tie[9], minus[9];
            tn_vec3_sub(d, s->x + 3 * i, s->x + 3 * j);
            double length2 = tn_vec3_dot(d, d);
            for (int e = 0; e < 9; e++) {
                tie[e] = h * h * k * d[e / 3] * d[e % 3] / length2;
                minus[e] = -tie[e];
            }
            if (length2 < 0.02 * 0.02) {
                soft_network_entry(s, i, i, tie);
                soft_network_entry(s, j, j, tie);
                soft_network_entry(s, i, j, minus);
                soft_network_entry(s, j, i, minus);
            }
        }
    }
}

static inline void soft_network_term(soft_network *s, int block, double weight, const double frame[9])
{
    int e = s->start[s->contacts.n_triples + 1]++;
    s->block[e] = block;
    for (int i = 0; i < 9; i++) {
        s->jacobian[9 * e + i] = weight * frame[i];
    }
}

// Begin contact n with a normal near z; terms follow, then contacts.n goes up.
static inline double *soft_network_contact(soft_network *s, uint64_t seed, double mu)
{
    int m = s->contacts.n_triples;
    double normal[3] = {0.1 * soft_network_random(seed, 3, 2 * m), 0.1 * soft_network_random(seed, 3, 2 * m + 1), 1.0};
    double length = sqrt(tn_vec3_dot(normal, normal));
    tn_vec3_scale(normal, 1.0 / length, normal);
    tn_mat3_frame(s->frame + 9 * m, normal);
    s->offset[3 * m] = 0.05 * soft_network_random(seed, 4, m); // gap / h [m/s]
    s->mu[2 * m] = s->mu[2 * m + 1] = mu * (0.5 + tn_random_uniform(seed, 5, (uint64_t)m));
    for (int i = 0; i < 9; i++) {
        s->omega[9 * m + i] = i % 4 == 0 ? 2.0 + i : 0.3;
    }
    s->start[m + 1] = s->start[m];
    return s->frame + 9 * m;
}

static inline void soft_network_on_ground(soft_network *s, uint64_t seed, double mu)
{
    for (int i = 0; i < SOFT_NETWORK_SIDE * SOFT_NETWORK_SIDE; i++, s->contacts.n_triples++) {
        soft_network_term(s, i, 1.0, soft_network_contact(s, seed, mu));
    }
}

// A plate of 50 g at blocks first, first + 1 on a point of each of the slab's top faces.
static inline void soft_network_plate(soft_network *s, uint64_t seed, int first, double mu)
{
    const double mass[9] = {0.05, 0, 0, 0, 0.05, 0, 0, 0, 0.05}, turn[9] = {2e-5, 0, 0, 0, 2e-5, 0, 0, 0, 4e-5};
    const double centre[3] = {0.02, 0.02, 0.015};
    soft_network_entry(s, first, first, mass);
    soft_network_entry(s, first + 1, first + 1, turn);
    s->b[3 * first + 1] = 0.05 * 0.2;
    s->b[3 * first + 2] = -0.05 * (0.3 + 0.0981);
    int side = SOFT_NETWORK_SIDE, top = side * side;
    for (int i = 0; i < side - 1; i++) {
        for (int j = 0; j < side - 1; j++, s->contacts.n_triples++) {
            const int nodes[3] = {top + i * side + j, top + i * side + j + 1, top + (i + 1) * side + j};
            const double weights[3] = {0.5, 0.2, 0.3};
            double point[3] = {0.0, 0.0, 0.0}, arm[3], cross[9], angular[9];
            const double *frame = soft_network_contact(s, seed, mu);
            for (int k = 0; k < 3; k++) {
                soft_network_term(s, nodes[k], -weights[k], frame);
                tn_vec3_madd(point, point, weights[k], s->x + 3 * nodes[k]);
            }
            tn_vec3_sub(arm, point, centre);
            tn_mat3_skew(cross, arm);
            tn_mat3_mul(angular, frame, cross); // velocity of the point = v - [arm] omega
            soft_network_term(s, first, 1.0, frame);
            soft_network_term(s, first + 1, -1.0, angular);
        }
    }
}

// k: stiffness of the springs [N/m]: 50 is soft (A near the masses), 5000 stiff.
static inline soft_network *soft_network_create(soft_network_kind kind, tn_law law, double k, double mu, uint64_t seed)
{
    soft_network *s = calloc(1, sizeof *s);
    s->arena = tn_arena_create(0);
    s->entries = calloc((size_t)SOFT_NETWORK_ROWS * SOFT_NETWORK_ROWS * 4, sizeof *s->entries);
    int n_rows = SOFT_NETWORK_SLAB;
    soft_network_slab(s, seed, 0, 0.0, k);
    soft_network_on_ground(s, seed, mu);
    if (kind == SOFT_NETWORK_PAIR) {
        soft_network_slab(s, seed, SOFT_NETWORK_SLAB, 0.02, k);
        n_rows = 2 * SOFT_NETWORK_SLAB;
        for (int i = 0; i < SOFT_NETWORK_SLAB / 2; i++, s->contacts.n_triples++) {
            const double *frame = soft_network_contact(s, seed, mu);
            soft_network_term(s, SOFT_NETWORK_SLAB / 2 + i, -1.0, frame);
            soft_network_term(s, SOFT_NETWORK_SLAB + i, 1.0, frame);
        }
    } else if (kind == SOFT_NETWORK_PLATE) {
        soft_network_plate(s, seed, SOFT_NETWORK_SLAB, mu);
        n_rows = SOFT_NETWORK_SLAB + 2;
    }
    int n = s->contacts.n_triples;
    s->contacts = (tn_rows){.n_triples = n, .frame = s->frame, .offset = s->offset, .mu = s->mu, .start = s->start};
    s->contacts.block = s->block;
    s->contacts.jacobian = s->jacobian;
    s->problem = (tn_problem){.A = tn_blocks_from_entries(n_rows, n_rows, s->n_entries, s->entries, s->arena)};
    s->problem.b = s->b;
    s->problem.rows = &s->contacts;
    s->problem.law = law;
    s->problem.step = 0.01;
    s->solution = (tn_solution){.v = s->v, .lambda = s->lambda};
    free(s->entries);
    s->entries = NULL;
    return s;
}

static inline void soft_network_destroy(soft_network *s)
{
    tn_arena_destroy(s->arena);
    free(s);
}
