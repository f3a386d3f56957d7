// Small problems that cond's tests share: random ones of several structures, and an independent reference solver.
#pragma once

#include "base/arena.h"
#include "base/random.h"
#include "math/blocks.h"
#include "math/dense.h"
#include "math/mat3.h"
#include "problem/bound.h"
#include "tenon/problem.h"

#include <math.h>
#include <string.h>

enum { MAX_CONTACTS = 16, MAX_ENTRIES = 64, MAX_BLOCKS = 64 };

typedef struct small_problem {
    tn_problem problem;
    tn_rows contacts;
    double frame[9 * MAX_CONTACTS], offset[3 * MAX_CONTACTS], gap[MAX_CONTACTS], mu[2 * MAX_CONTACTS];
    double omega[9 * MAX_CONTACTS];
    int start[MAX_CONTACTS + 1], block[MAX_ENTRIES];
    double jacobian[9 * MAX_ENTRIES];
    double b[3 * MAX_BLOCKS];
    double v[3 * MAX_BLOCKS], lambda[3 * MAX_CONTACTS];
} small_problem;

static inline double uniform(uint64_t seed, int *counter)
{
    return 2.0 * tn_random_uniform(seed, 7, (uint64_t)(*counter)++) - 1.0;
}

static inline void add_entry(small_problem *p, int block, double sign, const double jacobian[9])
{
    int e = p->start[p->contacts.n_triples + 1]++;
    p->block[e] = block;
    for (int k = 0; k < 9; k++) {
        p->jacobian[9 * e + k] = sign * jacobian[k];
    }
}

// Begin contact n with a frame around normal, friction mu and a normal offset; entries follow, then finish_contact.
static inline void begin_contact(small_problem *p, const double normal[3], double mu, double offset)
{
    int m = p->contacts.n_triples;
    tn_mat3_frame(p->frame + 9 * m, normal);
    p->mu[2 * m] = p->mu[2 * m + 1] = mu;
    p->offset[3 * m] = offset;
    p->start[m + 1] = p->start[m];
}

// Entries of a point at r from the centre of a body whose blocks are first (linear) and first + 1 (angular).
static inline void add_body_point(small_problem *p, int first, double sign, const double r[3])
{
    double cross[9], angular[9];
    const double *R = p->frame + 9 * p->contacts.n_triples;
    tn_mat3_skew(cross, r);
    tn_mat3_mul(angular, R, cross); // velocity of the point = v + omega x r = v - [r] omega
    add_entry(p, first, sign, R);
    add_entry(p, first + 1, -sign, angular);
}

static inline void finish_contact(small_problem *p)
{
    p->contacts.n_triples++;
}

static inline void begin_problem(small_problem *p, tn_law law)
{
    memset(p, 0, sizeof *p);
    p->contacts = (tn_rows){.frame = p->frame,
                            .offset = p->offset,
                            .gap = p->gap,
                            .mu = p->mu,
                            .start = p->start,
                            .block = p->block,
                            .jacobian = p->jacobian};
    p->problem = (tn_problem){.b = p->b, .rows = &p->contacts, .law = law, .step = 0.01};
}

static inline void random_normal(double n[3], uint64_t seed, int *c)
{
    double length;
    do {
        tn_vec3_set(n, uniform(seed, c), uniform(seed, c), uniform(seed, c));
        length = tn_vec3_norm(n);
    } while (length < 0.1);
    tn_vec3_scale(n, 1.0 / length, n);
}

// Dense SPD Q of k blocks, diagonally shifted, into A at first.. (every pair of blocks couples).
static inline int random_spd(tn_blocks_entry *entries, int n, int first, int k, uint64_t seed, int *c)
{
    double g[3 * MAX_BLOCKS][3 * MAX_BLOCKS];
    int size = 3 * k;
    for (int i = 0; i < size; i++) {
        for (int j = 0; j < size; j++) {
            g[i][j] = uniform(seed, c);
        }
    }
    for (int i = 0; i < k; i++) {
        for (int j = 0; j < k; j++) {
            tn_blocks_entry *entry = &entries[n++];
            entry->row = first + i;
            entry->column = first + j;
            for (int a = 0; a < 9; a++) {
                int row = 3 * i + a / 3, column = 3 * j + a % 3;
                double sum = row == column ? 0.3 * size : 0.0;
                for (int m = 0; m < size; m++) {
                    sum += g[row][m] * g[column][m];
                }
                entry->value[a] = sum;
            }
        }
    }
    return n;
}

// Bodies of two blocks with random 6x6 inertias and at most two contacts each, between bodies or with the world.
static inline void random_bodies(small_problem *p, tn_law law, uint64_t seed, tn_arena *arena)
{
    int c = 0;
    begin_problem(p, law);
    int n_contacts = 1 + (int)(tn_random_u64(seed, 1, 0) % 6);
    int n_bodies = (n_contacts + 1) / 2 + 1;
    tn_blocks_entry entries[4 * MAX_BLOCKS];
    int n_entries = 0;
    for (int i = 0; i < n_bodies; i++) {
        n_entries = random_spd(entries, n_entries, 2 * i, 2, seed, &c);
    }
    p->problem.A = tn_blocks_from_entries(2 * n_bodies, 2 * n_bodies, n_entries, entries, arena);
    for (int i = 0; i < 6 * n_bodies; i++) {
        p->b[i] = 5.0 * uniform(seed, &c);
    }
    for (int m = 0; m < n_contacts; m++) {
        double normal[3], r[3];
        random_normal(normal, seed, &c);
        begin_contact(p, normal, 0.15 + 0.15 * uniform(seed, &c), uniform(seed, &c));
        tn_vec3_set(r, uniform(seed, &c), uniform(seed, &c), uniform(seed, &c));
        add_body_point(p, 2 * (m / 2), 1.0, r);
        if (m % 2) {
            tn_vec3_set(r, uniform(seed, &c), uniform(seed, &c), uniform(seed, &c));
            add_body_point(p, 2 * (m / 2 + 1), -1.0, r);
        }
        finish_contact(p);
    }
}

// One elastic body of fully coupled nodes. Contacts on nodes of their own (S and D), or points inside a face.
static inline void random_nodes(small_problem *p, tn_law law, uint64_t seed, bool faces, tn_arena *arena)
{
    int c = 0;
    begin_problem(p, law);
    int n_contacts = 1 + (int)(tn_random_u64(seed, 1, 0) % 6);
    int n_blocks = 12;
    tn_blocks_entry entries[12 * 12];
    p->problem.A =
        tn_blocks_from_entries(n_blocks, n_blocks, random_spd(entries, 0, 0, n_blocks, seed, &c), entries, arena);
    for (int i = 0; i < 3 * n_blocks; i++) {
        p->b[i] = 20.0 * uniform(seed, &c);
    }
    for (int m = 0; m < n_contacts; m++) {
        double normal[3];
        random_normal(normal, seed, &c);
        begin_contact(p, normal, 0.15 + 0.15 * uniform(seed, &c), uniform(seed, &c));
        const double *R = p->frame + 9 * m;
        if (faces && m % 2) {
            add_entry(p, 2 * m, 0.5, R);
            add_entry(p, 2 * m + 1, 0.3, R);
            add_entry(p, (2 * m + 2) % n_blocks, 0.2, R);
        } else {
            add_entry(p, 2 * m, 1.0, R);
            if (m % 3 == 2) {
                add_entry(p, 2 * m + 1, -1.0, R);
            }
        }
        finish_contact(p);
    }
}

// One elastic body of eight nodes and two rigid bodies; contacts between node and body, body and world, and with two
// contacts on one node.
static inline void random_mixed(small_problem *p, tn_law law, uint64_t seed, tn_arena *arena)
{
    int c = 0;
    begin_problem(p, law);
    int n_contacts = 2 + (int)(tn_random_u64(seed, 1, 0) % 5);
    tn_blocks_entry entries[4 * MAX_BLOCKS];
    int n_entries = random_spd(entries, 0, 0, 8, seed, &c);
    n_entries = random_spd(entries, n_entries, 8, 2, seed, &c);
    n_entries = random_spd(entries, n_entries, 10, 2, seed, &c);
    p->problem.A = tn_blocks_from_entries(12, 12, n_entries, entries, arena);
    for (int i = 0; i < 36; i++) {
        p->b[i] = 10.0 * uniform(seed, &c);
    }
    for (int m = 0; m < n_contacts; m++) {
        double normal[3], r[3];
        random_normal(normal, seed, &c);
        tn_vec3_set(r, uniform(seed, &c), uniform(seed, &c), uniform(seed, &c));
        begin_contact(p, normal, 0.15 + 0.15 * uniform(seed, &c), uniform(seed, &c));
        if (m % 3 == 2) {
            add_body_point(p, 8 + 2 * (m % 2), 1.0, r);
        } else {
            add_entry(p, m / 2, 1.0, p->frame + 9 * m);
            add_body_point(p, 8 + 2 * (m % 2), -1.0, r);
        }
        finish_contact(p);
    }
}

// A block of 4 x 4 x 3 nodes (1 kg in all) joined by springs of stiffness k to all their neighbours, set down on the
// ground with a sideways velocity that varies: A = M/h + h K, h = 10 ms. Large k: slow bending modes.
static inline void elastic_lattice(small_problem *p, double k, double mu, tn_arena *arena)
{
    begin_problem(p, TN_LAW_COULOMB);
    static tn_blocks_entry entries[48 + 48 * 26 * 4];
    const double h = 0.01, mass = 1.0 / 48.0;
    int n = 0;
    memset(entries, 0, sizeof entries);
    for (int a = 0; a < 48; a++) {
        entries[n].row = entries[n].column = a;
        entries[n].value[0] = entries[n].value[4] = entries[n].value[8] = mass / h;
        n++;
        for (int b = 0; b < a; b++) {
            double d[3] = {a % 4 - b % 4, a / 4 % 4 - b / 4 % 4, a / 16 - b / 16};
            double square = tn_vec3_dot(d, d);
            for (int s = 0; s < 4 && fmax(fabs(d[0]), fmax(fabs(d[1]), fabs(d[2]))) <= 1.0; s++) {
                entries[n].row = s & 1 ? a : b;
                entries[n].column = s & 2 ? a : b;
                for (int i = 0; i < 9; i++) {
                    entries[n].value[i] = (s % 3 ? -1.0 : 1.0) * h * k * d[i / 3] * d[i % 3] / square;
                }
                n++;
            }
        }
        p->b[3 * a] = mass / h * (1.0 + 0.3 * sin(a));
        p->b[3 * a + 1] = mass / h * 0.5 * cos(3 * a);
        p->b[3 * a + 2] = -mass * 9.81 - mass / h * 0.1;
    }
    p->problem.A = tn_blocks_from_entries(48, 48, n, entries, arena);
    for (int m = 0; m < 16; m++) {
        const double up[3] = {0.0, 0.0, 1.0};
        begin_contact(p, up, mu, 0.01 * sin(0.7 * m));
        add_entry(p, m, 1.0, p->frame + 9 * m);
        finish_contact(p);
    }
}

// A box of 0.5 kg and 0.2 m on its four bottom corners, flat on the floor. A = M scale, b given by the caller.
static inline void box_on_corners(small_problem *p, tn_law law, double mu, double scale, tn_arena *arena)
{
    begin_problem(p, law);
    const double mass = 0.5, side = 0.2, inertia = mass * side * side / 6.0;
    double diagonal[18] = {0.0};
    for (int i = 0; i < 3; i++) {
        diagonal[4 * i] = scale * mass;
        diagonal[9 + 4 * i] = scale * inertia;
    }
    p->problem.A = tn_blocks_from_diagonal(2, diagonal, arena);
    for (int m = 0; m < 4; m++) {
        const double up[3] = {0.0, 0.0, 1.0};
        double r[3] = {m % 2 ? 0.1 : -0.1, m / 2 ? 0.1 : -0.1, -0.1};
        begin_contact(p, up, mu, 0.0);
        add_body_point(p, 0, 1.0, r);
        finish_contact(p);
    }
}

// Reference: dense Gauss-Seidel on N = J A^-1 J^T with the exact local solve; shares no code with cond. Returns the
// last change relative to the force.
static inline double reference_solve(small_problem *p, int sweeps)
{
    int n = 3 * p->problem.A->n_rows, nc = p->contacts.n_triples;
    static double J[3 * MAX_CONTACTS][3 * MAX_BLOCKS], X[3 * MAX_CONTACTS + 1][3 * MAX_BLOCKS];
    static double A[9 * MAX_BLOCKS * MAX_BLOCKS];
    memset(A, 0, sizeof A);
    memset(J, 0, sizeof J);
    for (int i = 0; i < p->problem.A->n_rows; i++) {
        for (int e = p->problem.A->start[i]; e < p->problem.A->start[i + 1]; e++) {
            for (int k = 0; k < 9; k++) {
                A[(3 * i + k / 3) * n + 3 * p->problem.A->column[e] + k % 3] = p->problem.A->value[9 * e + k];
            }
        }
    }
    for (int m = 0; m < nc; m++) {
        for (int e = p->start[m]; e < p->start[m + 1]; e++) {
            for (int k = 0; k < 9; k++) {
                J[3 * m + k / 3][3 * p->block[e] + k % 3] += p->jacobian[9 * e + k];
            }
        }
    }
    tn_dense_cholesky(n, A);
    for (int i = 0; i <= 3 * nc; i++) {
        memcpy(X[i], i < 3 * nc ? J[i] : p->b, (size_t)n * sizeof(double));
        tn_dense_cholesky_solve(n, A, X[i]);
    }
    double *l = p->lambda, change = 0.0, force = 0.0;
    memset(l, 0, sizeof p->lambda);
    for (int s = 0; s < sweeps; s++) {
        change = force = 0.0;
        for (int m = 0; m < nc; m++) {
            double W[9], q[3], old[3];
            tn_vec3_copy(old, l + 3 * m);
            for (int i = 0; i < 3; i++) {
                double sum = p->offset[3 * m + i];
                for (int k = 0; k < n; k++) {
                    double v = X[3 * nc][k];
                    for (int j = 0; j < 3 * nc; j++) {
                        v += j / 3 == m ? 0.0 : X[j][k] * l[j];
                    }
                    sum += J[3 * m + i][k] * v;
                }
                q[i] = sum;
                for (int j = 0; j < 3; j++) {
                    W[3 * i + j] = p->contacts.softness ? p->omega[9 * m + 3 * i + j] : 0.0;
                    for (int k = 0; k < n; k++) {
                        W[3 * i + j] += J[3 * m + i][k] * X[3 * m + j][k];
                    }
                }
            }
            tn_bound bound = tn_problem_bound(&p->problem, m, NULL);
            tn_set_solve(&bound, W, q, l + 3 * m);
            for (int i = 0; i < 3; i++) {
                change += fabs(l[3 * m + i] - old[i]);
                force += fabs(l[3 * m + i]);
            }
        }
        if (change <= 1e-15 * force) {
            break;
        }
    }
    for (int k = 0; k < n; k++) {
        p->v[k] = X[3 * nc][k];
        for (int j = 0; j < 3 * nc; j++) {
            p->v[k] += X[j][k] * l[j];
        }
    }
    return force > 0.0 ? change / force : 0.0;
}

// Start values of zero.
static inline void cold(small_problem *p)
{
    memset(p->v, 0, sizeof p->v);
    memset(p->lambda, 0, sizeof p->lambda);
}

// Largest difference from v [m/s].
static inline double difference(const small_problem *p, const double *v)
{
    double worst = 0.0;
    for (int i = 0; i < 3 * p->problem.A->n_rows; i++) {
        worst = fmax(worst, fabs(p->v[i] - v[i]));
    }
    return worst;
}

// kind 0: bodies, 1: bodies and nodes, 2: nodes, 3: nodes among each other.
static inline void make_random(small_problem *p, int kind, tn_law law, uint64_t seed, tn_arena *arena)
{
    if (kind == 0) {
        random_bodies(p, law, seed, arena);
    } else if (kind == 1) {
        random_mixed(p, law, seed, arena);
    } else {
        random_nodes(p, law, seed, kind == 3, arena);
    }
}
