#include "solver/packed/rest.h"

#include "math/mat3.h"
#include "problem/bound.h"

#include <string.h>

// The components that a contact touches, each once; their number.
static int find_touched(const tn_problem *problem, const tn_parts *p, int m, int *touched)
{
    const tn_rows *c = problem->rows;
    int n = 0;
    for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
        int component = p->of_block[c->block[e]], k = 0;
        while (k < n && touched[k] != component) {
            ++k;
        }
        if (k == n) {
            touched[n++] = component;
        }
    }
    return n;
}

// The entries of contact m in one component: H = J L^-T, which fills all blocks of the component.
static void fill_entries(const tn_problem *problem, const tn_lines *lines, int m, int component, int *at, double *H)
{
    const tn_rows *c = problem->rows;
    const tn_parts *p = lines->parts;
    for (int i = 0; i < 3; ++i) {
        double row[3 * TN_PART_BLOCKS];
        memset(row, 0, 3 * (size_t)tn_part_size(p, component) * sizeof *row);
        for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
            if (p->of_block[c->block[e]] == component) {
                double *part = row + 3 * p->place[c->block[e]];
                tn_vec3_add(part, part, c->jacobian + 9 * (size_t)e + 3 * i);
            }
        }
        tn_lines_forward(lines, component, row);
        for (int k = 0; k < 3 * tn_part_size(p, component); ++k) {
            H[9 * (k / 3) + 3 * (k % 3) + i] = row[k];
        }
    }
    for (int k = 0; k < tn_part_size(p, component); ++k) {
        at[k] = lines->at[p->blocks[p->start[component] + k]];
    }
}

static void fill_own(const tn_rest *r, int k, double W[9])
{
    const double *softness = r->problem->rows->softness;
    for (int e = r->start[k]; e < r->start[k + 1]; ++e) {
        const double *H = r->H + 9 * (size_t)e;
        for (int i = 0; i < 9; ++i) {
            W[i] += H[i / 3] * H[i % 3] + H[3 + i / 3] * H[3 + i % 3] + H[6 + i / 3] * H[6 + i % 3];
        }
    }
    for (int i = 0; softness && i < 9; ++i) {
        W[i] += softness[9 * (size_t)r->id[k] + (size_t)i];
    }
}

bool tn_rest_create(tn_rest *r, const tn_problem *problem, const tn_lines *lines, int n, const int *id,
                    const int *pressed, tn_arena *arena)
{
    const tn_rows *c = problem->rows;
    const tn_parts *p = lines->parts;
    *r = (tn_rest){.n = n, .problem = problem, .id = id, .pressed = pressed};
    int most = 0;
    for (int k = 0; k < n; ++k) {
        int entries = c->start[id[k] + 1] - c->start[id[k]];
        most = entries > most ? entries : most;
    }
    int *start = TN_PUSH(arena, int, n + 1), *touched = TN_PUSH(arena, int, most);
    if (!start || !touched) {
        return false;
    }
    for (int k = 0; k < n; ++k) {
        int count = find_touched(problem, p, id[k], touched);
        start[k + 1] = start[k];
        for (int i = 0; i < count; ++i) {
            start[k + 1] += tn_part_size(p, touched[i]);
        }
    }
    int *at = TN_PUSH(arena, int, start[n]);
    double *H = TN_PUSH(arena, double, 9 * (size_t)start[n]), *W = TN_PUSH(arena, double, 9 * (size_t)n);
    if (!at || !H || !W) {
        return false;
    }
    r->start = start;
    r->at = at;
    r->H = H;
    r->W = W;
    for (int k = 0; k < n; ++k) {
        int first = start[k], count = find_touched(problem, p, id[k], touched);
        for (int i = 0; i < count; ++i) {
            fill_entries(problem, lines, id[k], touched[i], at + first, H + 9 * (size_t)first);
            first += tn_part_size(p, touched[i]);
        }
        fill_own(r, k, W + 9 * (size_t)k);
    }
    return true;
}

static void push(const tn_rest *r, int k, const double f[3], double *x)
{
    for (int e = r->start[k]; e < r->start[k + 1]; ++e) {
        const double *H = r->H + 9 * (size_t)e;
        double *to = x + r->at[e];
        to[0] += H[0] * f[0] + H[1] * f[1] + H[2] * f[2];
        to[1] += H[3] * f[0] + H[4] * f[1] + H[5] * f[2];
        to[2] += H[6] * f[0] + H[7] * f[1] + H[8] * f[2];
    }
}

void tn_rest_add(const tn_rest *r, const double *lambda, double *x)
{
    for (int k = 0; k < r->n; ++k) {
        push(r, k, lambda + 3 * (size_t)k, x);
    }
}

void tn_rest_velocity(const tn_rest *r, int k, const double *lambda, const double *x, double u[3])
{
    const tn_rows *c = r->problem->rows;
    tn_vec3_copy(u, c->offset + 3 * (size_t)r->id[k]);
    for (int e = r->start[k]; e < r->start[k + 1]; ++e) {
        const double *H = r->H + 9 * (size_t)e, *from = x + r->at[e];
        for (int i = 0; i < 3; ++i) {
            u[i] += H[i] * from[0] + H[3 + i] * from[1] + H[6 + i] * from[2];
        }
    }
    if (c->softness) {
        tn_mat3_add_vec(u, c->softness + 9 * (size_t)r->id[k], lambda + 3 * (size_t)k);
    }
}

static void solve(const tn_rest *r, int k, const double *all, const double q[3], double *now)
{
    tn_bound bound = tn_problem_bound(r->problem, r->id[k], NULL);
    bound.pressed = r->pressed[k] < 0 ? 0.0 : all[r->pressed[k]];
    tn_set_solve(&bound, r->W + 9 * (size_t)k, q, now);
}

void tn_rest_sweep(const tn_rest *r, const double *all, double *lambda, double *x)
{
    for (int k = 0; k < r->n; ++k) {
        double *now = lambda + 3 * (size_t)k, u[3], own[3], change[3];
        tn_rest_velocity(r, k, lambda, x, u);
        tn_mat3_vec(own, r->W + 9 * (size_t)k, now);
        tn_vec3_sub(u, u, own);
        tn_vec3_copy(change, now);
        solve(r, k, all, u, now);
        tn_vec3_sub(change, now, change);
        push(r, k, change, x);
    }
}
