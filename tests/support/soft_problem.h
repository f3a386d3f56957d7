// One step of small soft scenes for tests of solvers: slabs of linear tetrahedra, rigid boxes, all kinds of contacts.
//
// A = 2 M / h + h K / 2 and b = 2 M v / h + M g of the midpoint scheme, undeformed slabs. Begin, add bodies, finish
// the matrix, add contacts, solve. All memory from the arena.
#pragma once

#include "base/arena.h"
#include "math/blocks.h"
#include "math/mat3.h"
#include "problem/hints.h"
#include "tenon/problem.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct soft_problem {
    tn_problem problem;
    tn_parts parts;
    tn_hints hints;
    tn_rows contacts;
    tn_arena *arena;
    double step;    // h [s]
    int n_rows;     //
    int max_rows;   //
    double *b;      // (max_rows, 3)
    double *place;  // (max_rows, 3)
    double *v;      // (max_rows, 3) solution
    double *lambda; // (max_contacts, 3) solution
    int max_contacts, max_contact_entries;
    int *start, *block;
    double *jacobian, *frame, *offset, *gap, *mu;
    int n_entries, max_entries;
    tn_blocks_entry *entries;
} soft_problem;

// A slab: its nodes are first + (i ny + j) nz + k at origin + (i, j, k) spacing.
typedef struct soft_slab {
    int first, nx, ny, nz;
} soft_slab;

static inline int slab_node(const soft_slab *s, int i, int j, int k)
{
    return s->first + (i * s->ny + j) * s->nz + k;
}

static inline void soft_begin(soft_problem *p, tn_law law, double step, int max_rows, int max_contacts, tn_arena *arena)
{
    *p = (soft_problem){.arena = arena, .step = step, .max_rows = max_rows, .max_contacts = max_contacts};
    p->max_entries = 120 * max_rows;
    p->max_contact_entries = 6 * max_contacts;
    p->b = TN_PUSH(arena, double, 3 * max_rows);
    p->place = TN_PUSH(arena, double, 3 * max_rows);
    p->v = TN_PUSH(arena, double, 3 * max_rows);
    p->entries = TN_PUSH(arena, tn_blocks_entry, p->max_entries);
    p->lambda = TN_PUSH(arena, double, 3 * max_contacts);
    p->start = TN_PUSH(arena, int, max_contacts + 1);
    p->block = TN_PUSH(arena, int, p->max_contact_entries);
    p->jacobian = TN_PUSH(arena, double, 9 * p->max_contact_entries);
    p->frame = TN_PUSH(arena, double, 9 * max_contacts);
    p->offset = TN_PUSH(arena, double, 3 * max_contacts);
    p->gap = TN_PUSH(arena, double, max_contacts);
    p->mu = TN_PUSH(arena, double, 2 * max_contacts);
    p->problem.law = law;
}

static inline void soft_add_entry(soft_problem *p, int row, int column, const double value[9])
{
    tn_blocks_entry *entry = &p->entries[p->n_entries++];
    if (p->n_entries > p->max_entries) {
        abort();
    }
    entry->row = row;
    entry->column = column;
    memcpy(entry->value, value, sizeof entry->value);
}

static inline void soft_add_mass(soft_problem *p, int row, double mass, const double v[3])
{
    double value[9] = {0.0};
    value[0] = value[4] = value[8] = 2.0 * mass / p->step;
    soft_add_entry(p, row, row, value);
    for (int i = 0; i < 3; i++) {
        p->b[3 * row + i] += 2.0 * mass / p->step * v[i] - (i == 2 ? 9.81 * mass : 0.0);
    }
}

// Stiffness and a quarter of the mass at each corner of one tetrahedron; x (4, 3).
static inline void soft_add_tet(soft_problem *p, const int node[4], double lambda, double mu, double density,
                                const double v[3])
{
    double D[9], inverse[9], g[12] = {0.0};
    for (int a = 0; a < 3; a++) {
        for (int i = 0; i < 3; i++) {
            D[3 * i + a] = p->place[3 * node[a + 1] + i] - p->place[3 * node[0] + i];
        }
    }
    double volume = fabs(tn_mat3_det(D)) / 6.0;
    tn_mat3_inverse(inverse, D);
    for (int a = 0; a < 3; a++) {
        for (int i = 0; i < 3; i++) {
            g[3 * (a + 1) + i] = inverse[3 * a + i];
            g[i] -= inverse[3 * a + i];
        }
    }
    for (int a = 0; a < 4; a++) {
        soft_add_mass(p, node[a], density * volume / 4.0, v);
        for (int c = 0; c < 4; c++) {
            double value[9], dot = tn_vec3_dot(g + 3 * a, g + 3 * c), s = 0.5 * p->step * volume;
            for (int k = 0; k < 9; k++) {
                value[k] = s * (lambda * g[3 * a + k / 3] * g[3 * c + k % 3] +
                                mu * g[3 * c + k / 3] * g[3 * a + k % 3] + (k % 4 == 0 ? mu * dot : 0.0));
            }
            soft_add_entry(p, node[a], node[c], value);
        }
    }
}

// Moves with velocity v; Young [Pa], Poisson 0.35, 1000 kg/m^3.
static inline soft_slab soft_add_slab(soft_problem *p, int nx, int ny, int nz, const double origin[3], double spacing,
                                      double young, const double v[3])
{
    static const int corner[6][4] = {{0, 1, 3, 7}, {0, 1, 5, 7}, {0, 2, 3, 7},
                                     {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 4, 6, 7}};
    soft_slab s = {.first = p->n_rows, .nx = nx, .ny = ny, .nz = nz};
    const double nu = 0.35, lambda = young * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), mu = young / (2.0 * (1.0 + nu));
    for (int i = 0; i < nx; i++) {
        for (int j = 0; j < ny; j++) {
            for (int k = 0; k < nz; k++) {
                double *x = p->place + 3 * slab_node(&s, i, j, k);
                tn_vec3_set(x, origin[0] + i * spacing, origin[1] + j * spacing, origin[2] + k * spacing);
            }
        }
    }
    p->n_rows += nx * ny * nz;
    for (int cell = 0; cell < (nx - 1) * (ny - 1) * (nz - 1) * 6; cell++) {
        int i = cell / 6 / (nz - 1) / (ny - 1), j = cell / 6 / (nz - 1) % (ny - 1), k = cell / 6 % (nz - 1), node[4];
        for (int a = 0; a < 4; a++) {
            int c = corner[cell % 6][a];
            node[a] = slab_node(&s, i + (c & 1), j + (c >> 1 & 1), k + (c >> 2 & 1));
        }
        soft_add_tet(p, node, lambda, mu, 1000.0, v);
    }
    return s;
}

// A rigid cube of that side; returns its linear block, the angular one follows.
static inline int soft_add_box(soft_problem *p, double mass, double side, const double v[3])
{
    int row = p->n_rows;
    double value[9] = {0.0};
    p->n_rows += 2;
    soft_add_mass(p, row, mass, v);
    value[0] = value[4] = value[8] = 2.0 * mass * side * side / 6.0 / p->step;
    soft_add_entry(p, row + 1, row + 1, value);
    p->place[3 * row] = p->place[3 * row + 3] = NAN;
    return row;
}

static inline int soft_compare_entries(const void *a, const void *b)
{
    const tn_blocks_entry *x = a, *y = b;
    return x->row != y->row ? x->row - y->row : x->column - y->column;
}

// After the bodies, before the contacts.
static inline void soft_finish_matrix(soft_problem *p)
{
    qsort(p->entries, (size_t)p->n_entries, sizeof *p->entries, soft_compare_entries);
    p->problem.A = tn_blocks_from_entries(p->n_rows, p->n_rows, p->n_entries, p->entries, p->arena);
    p->problem.b = p->b;
    p->problem.step = p->step;
    tn_parts_find(p->problem.A, p->arena, &p->parts);
    p->hints = (tn_hints){.parts = &p->parts, .place = p->place};
    p->problem.hints = &p->hints;
    p->problem.rows = &p->contacts;
    p->contacts = (tn_rows){.frame = p->frame,
                            .offset = p->offset,
                            .gap = p->gap,
                            .mu = p->mu,
                            .start = p->start,
                            .block = p->block,
                            .jacobian = p->jacobian};
}

static inline void soft_begin_contact(soft_problem *p, const double normal[3], double mu, double offset)
{
    int m = p->contacts.n_triples;
    if (m + 1 > p->max_contacts) {
        abort();
    }
    tn_mat3_frame(p->frame + 9 * m, normal);
    p->mu[2 * m] = p->mu[2 * m + 1] = mu;
    p->offset[3 * m] = offset;
    p->start[m + 1] = p->start[m];
}

// weight times the velocity of a node.
static inline void soft_add_node(soft_problem *p, int node, double weight)
{
    int m = p->contacts.n_triples, e = p->start[m + 1]++;
    p->block[e] = node;
    for (int k = 0; k < 9; k++) {
        p->jacobian[9 * e + k] = weight * p->frame[9 * m + k];
    }
}

// sign times the velocity of a point of a box, r from its centre.
static inline void soft_add_point(soft_problem *p, int box, double sign, const double r[3])
{
    double cross[9];
    soft_add_node(p, box, sign);
    int m = p->contacts.n_triples, e = p->start[m + 1]++;
    p->block[e] = box + 1;
    tn_mat3_skew(cross, r);
    tn_mat3_mul(p->jacobian + 9 * e, p->frame + 9 * m, cross);
    for (int k = 0; k < 9; k++) {
        p->jacobian[9 * e + k] *= -sign;
    }
}

static inline void soft_finish_contact(soft_problem *p)
{
    p->contacts.n_triples++;
}

// Every node of the slab's lowest layer on the ground.
static inline void soft_on_ground(soft_problem *p, const soft_slab *s, double mu)
{
    const double up[3] = {0.0, 0.0, 1.0};
    for (int i = 0; i < s->nx; i++) {
        for (int j = 0; j < s->ny; j++) {
            soft_begin_contact(p, up, mu, 0.002 * sin(1.3 * i + 0.7 * j));
            soft_add_node(p, slab_node(s, i, j, 0), 1.0);
            soft_finish_contact(p);
        }
    }
}

// A plate of n x n x 2 nodes, 0.4 m wide, one cell thick, dragged over the ground with v.
static inline void soft_plate(soft_problem *p, int n, double young, const double v[3], tn_arena *arena)
{
    const double origin[3] = {0.0, 0.0, 0.0};
    soft_begin(p, TN_LAW_COULOMB, 0.01, 2 * n * n, n * n, arena);
    soft_slab s = soft_add_slab(p, n, n, 2, origin, 0.4 / (n - 1), young, v);
    soft_finish_matrix(p);
    soft_on_ground(p, &s, 0.3);
}

// A rigid box on a soft mat on the ground, both sliding: contacts of nodes with the box, of nodes with the ground.
static inline void soft_box_on_mat(soft_problem *p, tn_law law, double young, tn_arena *arena)
{
    const double origin[3] = {0.0, 0.0, 0.0}, v_mat[3] = {0.0, 0.0, -0.1}, v_box[3] = {0.5, 0.1, -0.4};
    const double down[3] = {0.0, 0.0, -1.0}, centre[3] = {0.1, 0.1, 0.09};
    soft_begin(p, law, 0.01, 7 * 7 * 3 + 2, 2 * 49, arena);
    soft_slab s = soft_add_slab(p, 7, 7, 3, origin, 0.03, young, v_mat);
    int box = soft_add_box(p, 0.5, 0.06, v_box);
    soft_finish_matrix(p);
    soft_on_ground(p, &s, 0.5);
    for (int i = 2; i < 5; i++) {
        for (int j = 2; j < 5; j++) {
            int node = slab_node(&s, i, j, 2);
            double r[3];
            tn_vec3_sub(r, p->place + 3 * node, centre);
            soft_begin_contact(p, down, 0.4, 0.001 * (i - j));
            soft_add_node(p, node, 1.0);
            soft_add_point(p, box, -1.0, r);
            soft_finish_contact(p);
        }
    }
}

// A slab on a slab with another mesh, on the ground: nodes of the upper one against faces of the lower.
static inline void soft_stack(soft_problem *p, tn_law law, double young, tn_arena *arena)
{
    const double low[3] = {0.0, 0.0, 0.0}, high[3] = {0.013, 0.011, 0.06};
    const double v_low[3] = {0.0, 0.0, 0.0}, v_high[3] = {0.3, 0.0, -0.5}, up[3] = {0.0, 0.0, 1.0};
    soft_begin(p, law, 0.01, 6 * 6 * 3 + 5 * 5 * 3, 36 + 25, arena);
    soft_slab a = soft_add_slab(p, 6, 6, 3, low, 0.03, young, v_low);
    soft_slab b = soft_add_slab(p, 5, 5, 3, high, 0.03, 2.0 * young, v_high);
    soft_finish_matrix(p);
    soft_on_ground(p, &a, 0.3);
    for (int i = 0; i < 5; i++) {
        for (int j = 0; j < 5; j++) {
            int node = slab_node(&b, i, j, 0);
            const double *x = p->place + 3 * node;
            int ci = (int)(x[0] / 0.03), cj = (int)(x[1] / 0.03);
            double s = x[0] / 0.03 - ci, t = x[1] / 0.03 - cj;
            soft_begin_contact(p, up, 0.3, 0.001 * sin(i + 2 * j));
            soft_add_node(p, node, 1.0);
            soft_add_node(p, slab_node(&a, ci, cj, 2), s > t ? s - 1.0 : t - 1.0);
            soft_add_node(p, slab_node(&a, ci + 1, cj + 1, 2), s > t ? -t : -s);
            soft_add_node(p, s > t ? slab_node(&a, ci + 1, cj, 2) : slab_node(&a, ci, cj + 1, 2),
                          s > t ? t - s : s - t);
            soft_finish_contact(p);
        }
    }
}

// A cube pushed into the edge of ground and wall: the nodes of one edge have two contacts each.
static inline void soft_in_corner(soft_problem *p, tn_law law, double young, tn_arena *arena)
{
    const double origin[3] = {0.0, 0.0, 0.0}, v[3] = {-0.6, 0.2, -0.5}, right[3] = {1.0, 0.0, 0.0};
    soft_begin(p, law, 0.01, 125, 50, arena);
    soft_slab s = soft_add_slab(p, 5, 5, 5, origin, 0.03, young, v);
    soft_finish_matrix(p);
    soft_on_ground(p, &s, 0.3);
    for (int j = 0; j < 5; j++) {
        for (int k = 0; k < 5; k++) {
            soft_begin_contact(p, right, 0.2, 0.001 * cos(j + k));
            soft_add_node(p, slab_node(&s, 0, j, k), 1.0);
            soft_finish_contact(p);
        }
    }
}
