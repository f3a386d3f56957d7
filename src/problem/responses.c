#include "problem/responses.h"

#include "base/assert.h"
#include "math/vec3.h"

#include <string.h>

// The distinct parts that contact i touches, in the order of its entries. At most one per entry.
static int touched_parts(const tn_rows *c, int i, const tn_parts *p, int *touched)
{
    int n = 0;
    for (int e = c->start[i]; e < c->start[i + 1]; ++e) {
        int part = p->of_block[c->block[e]];
        bool known = false;
        for (int k = 0; k < n; ++k) {
            known = known || touched[k] == part;
        }
        if (!known) {
            touched[n++] = part;
        }
    }
    return n;
}

// A_p^-1 J_p^T of contact i on one part: its blocks, 9 numbers each, to out.
static void solve_part(const tn_rows *c, int i, const tn_part_factors *factors, int part, double *out)
{
    const tn_parts *p = factors->parts;
    int size = tn_part_size(p, part);
    for (int row = 0; row < 3; ++row) { // each row of J is a right-hand side
        double x[3 * TN_PART_BLOCKS];
        memset(x, 0, 3 * (size_t)size * sizeof *x);
        for (int e = c->start[i]; e < c->start[i + 1]; ++e) {
            if (p->of_block[c->block[e]] == part) {
                double *at = &x[3 * p->place[c->block[e]]];
                tn_vec3_add(at, at, c->jacobian + 9 * (size_t)e + 3 * row);
            }
        }
        tn_part_solve(factors, part, x);
        for (int k = 0; k < 3 * size; ++k) {
            out[3 * k + row] = x[k];
        }
    }
}

bool tn_responses_create(const tn_rows *c, int n, const tn_part_factors *factors, tn_arena *arena, tn_responses *out)
{
    const tn_parts *parts = factors->parts;
    int most = 0; // entries of one contact
    for (int i = 0; i < n; ++i) {
        most = c->start[i + 1] - c->start[i] > most ? c->start[i + 1] - c->start[i] : most;
    }
    int *start = TN_PUSH(arena, int, (size_t)n + 1), *touched = TN_PUSH(arena, int, most);
    if (!start || !touched) {
        return false;
    }
    for (int i = 0; i < n; ++i) {
        int count = touched_parts(c, i, parts, touched);
        start[i + 1] = start[i];
        for (int k = 0; k < count; ++k) {
            start[i + 1] += tn_part_size(parts, touched[k]);
        }
    }
    int *block = TN_PUSH(arena, int, start[n]);
    double *value = TN_PUSH(arena, double, 9 * (size_t)start[n]);
    if (!block || !value) {
        return false;
    }
    for (int i = 0; i < n; ++i) {
        int at = start[i], count = touched_parts(c, i, parts, touched);
        for (int k = 0; k < count; ++k) {
            solve_part(c, i, factors, touched[k], value + 9 * (size_t)at);
            for (int b = parts->start[touched[k]]; b < parts->start[touched[k] + 1]; ++b) {
                block[at++] = parts->blocks[b];
            }
        }
        TN_ASSERT(at == start[i + 1]);
    }
    *out = (tn_responses){start, block, value};
    return true;
}
