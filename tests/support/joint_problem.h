// Random rigid bodies held by joints over a floor, as one step's problem. Header-only.
//
// A body is two blocks, linear and angular. Bodies hang in a tree (or with loops closed) of spherical joints, hinges
// and welds, some rows of which come twice; hinges carry limits, friction or motors of limited strength, some rows
// give (compliance). Contacts press points of bodies on the floor z = 0.
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "math/blocks.h"
#include "math/mat3.h"
#include "problem/rows.h"
#include "tenon/problem.h"
#include "test.h"

enum { JOINT_BODIES = 64, JOINT_ROWS = 1024, JOINT_CONTACTS = 128 };

typedef struct joint_problem {
    tn_arena *arena;
    tn_problem problem;
    tn_rows contacts;
    tn_rows rows; // contacts and joints, by joint_join
    tn_rows joints;
    tn_solution solution;
    double place[3 * JOINT_BODIES], b[6 * JOINT_BODIES], diagonal[18 * JOINT_BODIES];
    int start[JOINT_ROWS + 1], block[4 * JOINT_ROWS], joint[JOINT_ROWS];
    double jacobian[12 * JOINT_ROWS], offset[JOINT_ROWS], compliance[JOINT_ROWS], lower[JOINT_ROWS], upper[JOINT_ROWS];
    int contact_start[JOINT_CONTACTS + 1], contact_block[2 * JOINT_CONTACTS];
    double contact_jacobian[18 * JOINT_CONTACTS], contact_offset[3 * JOINT_CONTACTS], mu[2 * JOINT_CONTACTS];
    double v[6 * JOINT_BODIES], lambda[3 * JOINT_CONTACTS + JOINT_ROWS];
    double *f; // of the joints, in lambda
} joint_problem;

// Kinds of rows beside hard bilateral ones.
typedef struct joint_choice {
    int bodies;
    bool loops, twice, bounded, compliant;
    int contacts;
    double mu;
    double step;
} joint_choice;

static inline double joint_random(uint64_t seed, uint64_t stream, uint64_t k)
{
    return 2.0 * tn_random_uniform(seed, stream, k) - 1.0;
}

// Row g . (motion of body b - motion of body a) at point p (angular NULL) or of their angular velocities; a = -1: the
// world. Entries ascend by block where a < b.
static inline int joint_add_row(joint_problem *s, int a, int b, const double *g, const double *p)
{
    int i = s->joints.n_singles++, used = s->start[i];
    assert_true(i < JOINT_ROWS);
    for (int side = 0; side < 2; ++side) {
        int body = side == 0 ? a : b;
        double sign = side == 0 ? -1.0 : 1.0, arm[3], turn[3];
        if (body < 0) {
            continue;
        }
        if (p) {
            tn_vec3_scale(&s->jacobian[3 * used], sign, g);
            s->block[used++] = 2 * body;
            tn_vec3_sub(arm, p, &s->place[3 * body]);
            tn_vec3_cross(turn, arm, g);
        } else {
            tn_vec3_copy(turn, g);
        }
        tn_vec3_scale(&s->jacobian[3 * used], sign, turn);
        s->block[used++] = 2 * body + 1;
    }
    s->start[i + 1] = used;
    s->offset[i] = s->compliance[i] = 0.0;
    s->lower[i] = -INFINITY;
    s->upper[i] = INFINITY;
    return i;
}

static inline void joint_bound(joint_problem *s, uint64_t seed, int i)
{
    double F = 20.0 * tn_random_uniform(seed, 21, (uint64_t)i);
    switch ((int)(4.0 * tn_random_uniform(seed, 20, (uint64_t)i))) {
    case 0: // a limit
        s->lower[i] = 0.0;
        s->offset[i] = tn_random_uniform(seed, 22, (uint64_t)i);
        break;
    case 1: // the other limit
        s->upper[i] = 0.0;
        s->offset[i] = -tn_random_uniform(seed, 22, (uint64_t)i);
        break;
    case 2: // friction
        s->lower[i] = -F;
        s->upper[i] = F;
        break;
    default: // a weak motor
        s->lower[i] = -0.3 * F;
        s->upper[i] = F;
        s->offset[i] = joint_random(seed, 22, (uint64_t)i);
    }
}

// kind 0 spherical, 1 hinge, 2 weld.
static inline void joint_add(joint_problem *s, uint64_t seed, int number, int a, int b, const joint_choice *choice)
{
    static const double axes[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    int first = s->joints.n_singles, kind = (int)(3.0 * tn_random_uniform(seed, 10, (uint64_t)number));
    double p[3], frame[9], axis[3];
    for (int k = 0; k < 3; ++k) {
        double other = a < 0 ? s->place[3 * b + k] + 0.5 : s->place[3 * a + k];
        p[k] = 0.5 * (s->place[3 * b + k] + other) + 0.05 * joint_random(seed, 11, (uint64_t)(3 * number + k));
        axis[k] = joint_random(seed, 12, (uint64_t)(3 * number + k));
    }
    tn_vec3_scale(axis, 1.0 / tn_vec3_norm(axis), axis);
    tn_mat3_frame(frame, axis);
    for (int k = 0; k < 3; ++k) {
        joint_add_row(s, a, b, &axes[3 * k], p);
    }
    for (int k = 2; kind == 1 && k > 0; --k) {
        joint_add_row(s, a, b, &frame[3 * k], NULL);
    }
    for (int k = 0; kind == 2 && k < 3; ++k) {
        int i = joint_add_row(s, a, b, &axes[3 * k], NULL);
        s->compliance[i] = choice->compliant ? 0.01 * tn_random_uniform(seed, 13, (uint64_t)i) : 0.0;
    }
    int last = s->joints.n_singles;
    for (int i = first; choice->twice && number % 2 == 0 && i < last; ++i) {
        int copy = s->joints.n_singles++;
        int n = s->start[i + 1] - s->start[i], from = s->start[i], to = s->start[copy];
        memcpy(&s->block[to], &s->block[from], (size_t)n * sizeof *s->block);
        memcpy(&s->jacobian[3 * to], &s->jacobian[3 * from], 3 * (size_t)n * sizeof *s->jacobian);
        s->start[copy + 1] = to + n;
        s->offset[copy] = s->offset[i];
        s->compliance[copy] = s->compliance[i];
        s->lower[copy] = s->lower[i];
        s->upper[copy] = s->upper[i];
    }
    if (kind == 1 && choice->bounded) {
        joint_bound(s, seed, joint_add_row(s, a, b, frame, NULL));
    }
    for (int i = first; i < s->joints.n_singles; ++i) {
        s->joint[i] = number;
    }
}

static inline void joint_add_contact(joint_problem *s, uint64_t seed, int m, double mu)
{
    static const double frame[9] = {0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0};
    int body = (int)(s->problem.A->n_rows / 2 * tn_random_uniform(seed, 30, (uint64_t)m));
    double arm[3];
    for (int k = 0; k < 3; ++k) {
        arm[k] = 0.3 * joint_random(seed, 31, (uint64_t)(3 * m + k)) - (k == 2 ? 0.3 : 0.0);
    }
    s->contact_start[m + 1] = 2 * m + 2;
    s->contact_block[2 * m] = 2 * body;
    s->contact_block[2 * m + 1] = 2 * body + 1;
    for (int i = 0; i < 3; ++i) {
        double turn[3];
        tn_vec3_copy(&s->contact_jacobian[18 * m + 3 * i], &frame[3 * i]);
        tn_vec3_cross(turn, arm, &frame[3 * i]);
        tn_vec3_copy(&s->contact_jacobian[18 * m + 9 + 3 * i], turn);
    }
    s->contact_offset[3 * m] = 0.1 * tn_random_uniform(seed, 32, (uint64_t)m);
    s->mu[2 * m] = s->mu[2 * m + 1] = mu * tn_random_uniform(seed, 33, (uint64_t)m);
}

// Rows have been added or taken away.
static inline void joint_join(joint_problem *s)
{
    assert_int_equal(tn_rows_join(&s->contacts, &s->joints, s->arena, &s->rows), TN_OK);
}

static inline joint_problem *joint_create(uint64_t seed, const joint_choice *choice)
{
    joint_problem *s = calloc(1, sizeof *s);
    assert_true(s && choice->bodies <= JOINT_BODIES && choice->contacts <= JOINT_CONTACTS);
    s->arena = tn_arena_create(0);
    double h = choice->step;
    for (int i = 0; i < choice->bodies; ++i) {
        double m = 0.5 + 2.0 * tn_random_uniform(seed, 1, (uint64_t)i), *I = &s->diagonal[18 * i + 9];
        for (int k = 0; k < 3; ++k) {
            s->place[3 * i + k] = joint_random(seed, 2, (uint64_t)(3 * i + k)) + (k == 0 ? 0.5 * i : 0.0);
            s->diagonal[18 * i + 4 * k] = m / h;
            I[4 * k] = m * (0.02 + 0.03 * tn_random_uniform(seed, 3, (uint64_t)(3 * i + k))) / h;
        }
        I[1] = I[3] = 0.004 * m / h;
        for (int k = 0; k < 3; ++k) {
            s->b[6 * i + k] = m / h * joint_random(seed, 4, (uint64_t)(3 * i + k)) - (k == 2 ? 9.81 * m : 0.0);
            s->b[6 * i + 3 + k] = I[4 * k] * 3.0 * joint_random(seed, 5, (uint64_t)(3 * i + k));
        }
    }
    s->problem = (tn_problem){.b = s->b, .rows = &s->rows, .step = h};
    s->problem.velocity_scale = 9.81 * h;
    s->problem.force_scale = 9.81;
    s->problem.A = tn_blocks_from_diagonal(2 * choice->bodies, s->diagonal, s->arena);
    int number = 0;
    for (int i = 0; i < choice->bodies; ++i) {
        int parent = i == 0 ? -1 : (int)(i * tn_random_uniform(seed, 6, (uint64_t)i));
        joint_add(s, seed, number++, parent, i, choice);
        if (choice->loops && i > 2 && i % 3 == 0) {
            joint_add(s, seed, number++, i - 3 == parent ? i - 2 : i - 3, i, choice);
        }
    }
    for (int m = 0; m < choice->contacts; ++m) {
        joint_add_contact(s, seed, m, choice->mu);
    }
    s->contacts = (tn_rows){.n_triples = choice->contacts,
                            .offset = s->contact_offset,
                            .mu = s->mu,
                            .start = s->contact_start,
                            .block = s->contact_block,
                            .jacobian = s->contact_jacobian};
    s->joints.start = s->start;
    s->joints.block = s->block;
    s->joints.jacobian = s->jacobian;
    s->joints.offset = s->offset;
    s->joints.compliance = s->compliance;
    s->joints.lower = s->lower;
    s->joints.upper = s->upper;
    s->joints.joint = s->joint;
    joint_join(s);
    s->solution = (tn_solution){.v = s->v, .lambda = s->lambda};
    s->f = s->lambda + 3 * choice->contacts;
    return s;
}

static inline void joint_destroy(joint_problem *s)
{
    tn_arena_destroy(s->arena);
    free(s);
}

// From zero to the same tolerance of momentum, natural map and joints. Fails the test on any status but TN_OK.
static inline tn_solve_report joint_solve(joint_problem *s, const char *solver, double tolerance)
{
    joint_join(s);
    tn_solve_options options = tn_solve_options_default();
    options.tolerance = (tn_tolerance){.momentum = tolerance, .natural = tolerance, .joint = tolerance};
    options.max_iterations = 30000;
    memset(s->v, 0, sizeof s->v);
    memset(s->lambda, 0, sizeof s->lambda);
    tn_solve_report report = {0};
    tn_error error = {0};
    tn_status status = tn_problem_solve(&s->problem, solver, &options, &s->solution, &report, &error);
    if (status != TN_OK) {
        print_error("%s: %s\n", solver, error.message);
        fail();
    }
    return report;
}
