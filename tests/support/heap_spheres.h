// Heaps of spheres as one step's problem, without a simulation: places of a face-centred cubic packing moved at random
// by a few hundredths of the radius, everything within touch a contact. Header-only, for tests and for `tenon bench`.
#pragma once

#include "base/arena.h"
#include "base/random.h"
#include "math/blocks.h"
#include "math/mat3.h"
#include "tenon/problem.h"

#include <math.h>
#include <stdlib.h>

typedef struct heap_problem {
    tn_arena *arena;
    tn_problem problem;
    tn_rows contacts;
    int n_bodies;
    double *place; // (n_bodies, 3)
    double *b, *jacobian, *offset, *mu;
    int *start, *block;
    int n_entries;
} heap_problem;

static const double HEAP_RADIUS = 0.05, HEAP_STEP = 5e-3;

// Contact between a (-1: the world) and b with normal n at distance gap.
static inline void heap_add(heap_problem *s, int a, int b, const double n[3], double gap, double mu)
{
    double frame[9];
    int m = s->contacts.n_triples++;
    tn_mat3_frame(frame, n);
    for (int side = 0; side < 2; ++side) {
        int body = side == 0 ? a : b;
        double sign = side == 0 ? -1.0 : 1.0, arm[3];
        if (body < 0) {
            continue;
        }
        tn_vec3_scale(arm, -sign * HEAP_RADIUS, n);
        for (int i = 0; i < 3; ++i) {
            double *linear = &s->jacobian[9 * (size_t)s->n_entries + 3 * (size_t)i], *turn = linear + 9, row[3];
            tn_vec3_scale(linear, sign, &frame[3 * i]);
            tn_vec3_cross(row, arm, &frame[3 * i]);
            tn_vec3_scale(turn, sign, row);
        }
        s->block[s->n_entries++] = 2 * body;
        s->block[s->n_entries++] = 2 * body + 1;
    }
    s->start[m + 1] = s->n_entries;
    s->offset[3 * (size_t)m] = fmax(gap, 0.0) / HEAP_STEP;
    s->mu[2 * (size_t)m] = s->mu[2 * (size_t)m + 1] = mu;
}

// side x side spheres a layer, `layers` of them, in a box. NULL: no memory.
static inline heap_problem *heap_create(int side, int layers, double mu, uint64_t seed)
{
    heap_problem *s = calloc(1, sizeof *s);
    if (!s) {
        return NULL;
    }
    int n = s->n_bodies = side * side * layers;
    size_t most = 8 * (size_t)n + 64;
    s->arena = tn_arena_create(0);
    s->place = TN_PUSH(s->arena, double, 3 * (size_t)n);
    s->b = TN_PUSH(s->arena, double, 6 * (size_t)n);
    s->jacobian = TN_PUSH(s->arena, double, 36 * most);
    s->offset = TN_PUSH(s->arena, double, 3 * most);
    s->mu = TN_PUSH(s->arena, double, 2 * most);
    s->start = TN_PUSH(s->arena, int, most + 1);
    s->block = TN_PUSH(s->arena, int, 4 * most);
    double *diagonal = TN_PUSH(s->arena, double, 18 * (size_t)n), r = HEAP_RADIUS, h = HEAP_STEP;
    double touch = 0.006 * r, d = 2.0 * r, mass = 4.0 / 3.0 * 3.14159265 * r * r * r * 2000.0;
    for (int i = 0; i < n; ++i) {
        int layer = i / (side * side), x = i % side, y = i / side % side;
        double *p = &s->place[3 * i];
        tn_vec3_set(p, d * (x + 0.5 * (layer % 2)), d * (y + 0.5 * (layer % 2)), r + layer * d * sqrt(0.5));
        for (int k = 0; k < 3; ++k) {
            p[k] += 0.003 * r * (2.0 * tn_random_uniform(seed, 1, (uint64_t)(3 * i + k)) - 1.0);
            diagonal[18 * i + 4 * k] = mass / h;
            diagonal[18 * i + 9 + 4 * k] = 0.4 * mass * r * r / h;
        }
        s->b[6 * i + 2] = -9.81 * mass;
    }
    s->problem = (tn_problem){.A = tn_blocks_from_diagonal(2 * n, diagonal, s->arena), .b = s->b, .step = h};
    s->problem.rows = &s->contacts;
    s->problem.force_scale = 9.81 * mass;
    s->problem.velocity_scale = 9.81 * h;
    for (int i = 0; i < n; ++i) {
        const double up[3] = {0.0, 0.0, 1.0}, *p = &s->place[3 * i];
        int layer = i / (side * side), x = i % side, y = i / side % side;
        for (int j = i + 1; j < n && j < i + 2 * side * side + side; ++j) {
            double apart[3], distance;
            tn_vec3_sub(apart, &s->place[3 * j], p);
            distance = tn_vec3_norm(apart);
            if (distance < d + touch) {
                tn_vec3_scale(apart, 1.0 / distance, apart);
                heap_add(s, i, j, apart, distance - d, mu);
            }
        }
        if (layer == 0) {
            heap_add(s, -1, i, up, 0.0, mu);
        }
        for (int k = 0; k < 2; ++k) { // walls, which the even layers touch
            int at = k == 0 ? x : y;
            double n_wall[3] = {0.0, 0.0, 0.0};
            n_wall[k] = at == 0 ? 1.0 : -1.0;
            if ((at == 0 && layer % 2 == 0) || (at == side - 1 && layer % 2 == 1)) {
                heap_add(s, -1, i, n_wall, 0.0, mu);
            }
        }
    }
    s->contacts.offset = s->offset;
    s->contacts.mu = s->mu;
    s->contacts.start = s->start;
    s->contacts.block = s->block;
    s->contacts.jacobian = s->jacobian;
    return s;
}

static inline void heap_destroy(heap_problem *s)
{
    tn_arena_destroy(s->arena);
    free(s);
}
