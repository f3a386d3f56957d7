// Optimal control problems with contact for tests and benches: the document's example, a cart with a pole between
// walls, and random ones.
#pragma once

#include "base/random.h"
#include "tenon/plan.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The example of the mpc document: a middle coordinate q1 between two walls that inputs move,
// f = (dmax - o1 - q1 - q2, q1 - q3 - dmin - o2) >= 0 with o1 = o2 = 1, masses 1, implicit Euler. dmax = -dmin = 1.3,
// step, weights, sets and starts are ours. q1 starts at `start` off the middle.
static inline tn_plan_problem control_three_coordinates(int N, double start)
{
    static const double J[2][3] = {{-1, -1, 0}, {1, 0, -1}};
    const double h = 0.1;
    tn_plan_problem p;
    if (tn_plan_problem_create(6, 2, 2, N, 0, 0, &p, NULL) != TN_OK) {
        abort();
    }
    tn_lcs *s = &p.lcs;
    s->step = h;
    for (int i = 0; i < 3; i++) {
        s->A[i * 6 + i] = s->A[(3 + i) * 6 + 3 + i] = 1.0;
        s->A[i * 6 + 3 + i] = h;
        for (int j = 0; j < 2; j++) {
            s->C[i * 2 + j] = h * J[j][i];
            s->C[(3 + i) * 2 + j] = J[j][i];
            s->D[j * 6 + i] = J[j][i];
        }
        p.X.low[i] = -2.0, p.X.high[i] = 2.0;
        p.X.low[3 + i] = -5.0, p.X.high[3 + i] = 5.0;
    }
    for (int j = 0; j < 2; j++) { // the walls q2 and q3
        s->B[(1 + j) * 2 + j] = h * h;
        s->B[(4 + j) * 2 + j] = h;
        s->offset[j] = 1.3 - 1.0;
        p.U.low[j] = -20.0, p.U.high[j] = 20.0;
        p.R[j * 2 + j] = 0.01;
    }
    static const double q[6] = {10, 0.1, 0.1, 1, 0.1, 0.1};
    for (int i = 0; i < 6; i++) {
        p.Q[i * 6 + i] = q[i];
        p.Qf[i * 6 + i] = 10.0 * q[i];
    }
    p.x0[0] = start;
    p.x0[1] = -start, p.x0[2] = start; // the walls with it
    p.x0[3] = start;
    return p;
}

// A problem with x = (q, v) and gaps D q + offset to the velocity level: rates D v, where guards, the gaps after a step
// without contacts, are negative.
static inline void control_to_velocity_level(tn_plan_problem *p)
{
    tn_lcs *s = &p->lcs;
    const int n = s->n_x / 2;
    memcpy(s->guard, s->D, (size_t)(s->n_c * s->n_x) * sizeof *s->D);
    memcpy(s->guard_offset, s->offset, (size_t)s->n_c * sizeof *s->offset);
    for (int i = 0; i < s->n_c; i++) {
        for (int j = 0; j < n; j++) {
            s->D[i * s->n_x + n + j] = s->D[i * s->n_x + j];
            s->D[i * s->n_x + j] = 0.0;
        }
        s->offset[i] = 0.0;
    }
}

// A cart with a pole, linearised upright, between two soft walls that the pole's tip meets (Aydinoglu and Posa 2022).
static inline tn_plan_problem control_cart_pole(int N, const double x0[4])
{
    const double mc = 0.978, mp = 0.411, length = 0.6, com = 0.4267, g = 9.81, wall = 0.35, stiffness = 100.0, h = 0.05;
    tn_plan_problem p;
    if (tn_plan_problem_create(4, 1, 2, N, 0, 0, &p, NULL) != TN_OK) {
        abort();
    }
    tn_lcs *s = &p.lcs;
    s->step = h;
    // (mc + mp) a - mp com t = u, -mp com a + mp com^2 t = mp g com theta + length c
    const double Minv[2][2] = {{1.0 / mc, 1.0 / (mc * com)}, {1.0 / (mc * com), (mc + mp) / (mp * mc * com * com)}};
    const double fall[2] = {Minv[0][1] * mp * g * com, Minv[1][1] * mp * g * com};
    const double push[2] = {Minv[0][0], Minv[1][0]};
    for (int i = 0; i < 2; i++) {
        s->A[i * 4 + i] = s->A[(2 + i) * 4 + 2 + i] = 1.0;
        s->A[i * 4 + 2 + i] = h;
        s->A[(2 + i) * 4 + 1] += h * fall[i];
        s->A[i * 4 + 1] += h * h * fall[i];
        s->B[2 + i] = h * push[i];
        s->B[i] = h * h * push[i];
        for (int j = 0; j < 2; j++) {
            const double side = j == 0 ? 1.0 : -1.0; // the tip is at x - length theta
            const double force = -side * Minv[i][0] + side * length * Minv[i][1];
            s->C[(2 + i) * 2 + j] = h * force;
            s->C[i * 2 + j] = h * h * force;
        }
    }
    for (int j = 0; j < 2; j++) {
        const double side = j == 0 ? 1.0 : -1.0;
        s->D[j * 4] = -side;
        s->D[j * 4 + 1] = side * length;
        s->E[j * 2 + j] = 1.0 / stiffness;
        s->offset[j] = wall;
    }
    static const double q[4] = {10, 3, 1, 1}, high[4] = {1, 1, 5, 5};
    for (int i = 0; i < 4; i++) {
        p.Q[i * 4 + i] = q[i];
        p.Qf[i * 4 + i] = 20.0 * q[i];
        p.X.low[i] = -high[i], p.X.high[i] = high[i];
        p.x0[i] = x0[i];
    }
    p.R[0] = 0.1;
    p.U.low[0] = -20.0, p.U.high[0] = 20.0;
    return p;
}

static inline double control_normal(uint64_t stream, int *at)
{
    return tn_random_normal(77, stream, (uint64_t)(*at)++);
}

// Asymmetric random data; with tight sets every few of them have no plan.
static inline tn_plan_problem control_random(uint64_t seed, int n_x, int n_u, int n_c, int N, double x_high)
{
    tn_plan_problem p;
    if (tn_plan_problem_create(n_x, n_u, n_c, N, 1, 1, &p, NULL) != TN_OK) {
        abort();
    }
    tn_lcs *s = &p.lcs;
    int at = 0;
    double *const fill[] = {s->A, s->B, s->C, s->F, s->D, s->D0, s->H, s->E, s->offset};
    const int n[] = {n_x * n_x, n_x * n_u, n_x * n_c, n_x, n_c * n_x, n_c * n_x, n_c * n_u, n_c * n_c, n_c};
    const double size[] = {0.5, 1.0, 1.0, 0.1, 1.0, 0.3, 0.3, 0.2, 0.3};
    for (int f = 0; f < 9; f++) {
        for (int i = 0; i < n[f]; i++) {
            fill[f][i] = size[f] * control_normal(seed, &at);
        }
    }
    for (int i = 0; i < n_c; i++) {
        for (int j = 0; j < n_x; j++) {
            s->C[j * n_c + i] = s->D[i * n_x + j] + 0.2 * s->C[j * n_c + i]; // forces open what they act on
        }
    }
    for (int i = 0; i < n_x; i++) {
        p.Q[i * n_x + i] = fabs(control_normal(seed, &at));
        p.Qf[i * n_x + i] = 3.0 * fabs(control_normal(seed, &at));
        p.X.low[i] = -x_high, p.X.high[i] = 0.9 * x_high;
        p.X.G[i] = control_normal(seed, &at);
        p.x0[i] = control_normal(seed, &at);
        for (int k = 0; k <= N; k++) {
            p.x_ref[k * n_x + i] = 0.3 * control_normal(seed, &at);
        }
    }
    p.X.g[0] = x_high;
    for (int i = 0; i < n_u; i++) {
        p.R[i * n_u + i] = 0.1 + fabs(control_normal(seed, &at));
        p.U.low[i] = -1.0, p.U.high[i] = 1.5;
        p.U.G[i] = 1.0;
        p.u_ref[i] = 0.2;
    }
    p.U.g[0] = 1.2;
    return p;
}

// Guards on the last pairs, all but `without`.
static inline void control_random_guards(tn_plan_problem *p, uint64_t seed, int without)
{
    tn_lcs *s = &p->lcs;
    int at = 10000;
    for (int i = without; i < s->n_c; i++) {
        for (int j = 0; j < s->n_x; j++) {
            s->guard[i * s->n_x + j] = control_normal(seed, &at);
        }
        s->guard_offset[i] = 0.5 * control_normal(seed, &at);
    }
}
