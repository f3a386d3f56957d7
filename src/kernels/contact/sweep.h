// The contact kernels, once for each instruction set: sweep_NAME.c says CONTACT_WIDTH, CONTACT_TARGET and NAME
// and includes this file. The variants differ in how many of a pack's eight lanes they take at a time.
#pragma once

#include <stdbool.h>

#include "kernels/contact/lanes.h"
#include "kernels/contact/variants.h"

typedef tn_contact_pack pack;
typedef tn_contact_packs pack_list;
#define SOLVE_LANE tn_contact_solve_lane
#define SLIDE_TOLERANCE 1e-12
#define SLIDE_ENOUGH 1e-12

#include "kernels/contact/figures.h"
#include "kernels/contact/solve.h"
#include "kernels/contact/sums.h"

CONTACT_TARGET static void add(const tn_contact_packs *packs, int first, int end)
{
    for (int k = packs->group_start[first]; k < packs->group_start[end]; k++) {
        const tn_contact_pack *p = packs->packs + k;
        for (int i = 0; i < TN_PACK; i += CONTACT_WIDTH) {
            lanes x[2][6], r[3];
            read_bodies(packs, p, i, x);
            read_three(packs->lambda + 3 * TN_PACK * (size_t)k, i, r);
            push_bodies(p, i, r, x);
            write_bodies(packs, p, i, x);
        }
    }
}

// W_ij of the rows.
TN_INLINE lanes product_of_rows(const tn_contact_pack *p, int i, int row, int column)
{
    lanes sum[2];
    TN_UNROLL
    for (int side = 0; side < 2; side++) {
        sum[side] = lanes_load(p->H[row][side][0] + i) * lanes_load(p->H[column][side][0] + i);
        TN_UNROLL
        for (int k = 1; k < 6; k++) {
            sum[side] += lanes_load(p->H[row][side][k] + i) * lanes_load(p->H[column][side][k] + i);
        }
    }
    return sum[0] + sum[1];
}

// Cosine and sine of the turn that makes S diagonal, half the angle of (s00 - s11, 2 s01); none where S is a multiple
// of the identity to rounding.
TN_INLINE void turn_of(lanes s00, lanes s01, lanes s11, lanes *cosine, lanes *sine)
{
    const lanes zero = zeros(), one = zero + 1.0;
    lanes d = s00 - s11, o = s01 + s01, h = roots(d * d + o * o);
    lanes_mask none = h <= 1e-12 * (s00 + s11);
    lanes big = roots(0.5 + 0.5 * lanes_choose(d < zero, -d, d) / h), small = 0.5 * o / (h * big);
    // The larger of the two comes from the root: no cancellation.
    lanes_mask swap = d < zero, minus = o < zero;
    lanes c = lanes_choose(swap, lanes_choose(minus, -small, small), big),
          s = lanes_choose(swap, lanes_choose(minus, -big, big), small);
    *cosine = lanes_choose(none, one, c);
    *sine = lanes_choose(none, zero, s);
}

TN_INLINE void turn_rows(double *first, double *second, lanes cosine, lanes sine)
{
    lanes a = lanes_load(first), b = lanes_load(second);
    lanes_store(first, cosine * a + sine * b);
    lanes_store(second, cosine * b - sine * a);
}

// softness: of the lanes from `i` on, NULL: none.
TN_INLINE lanes_mask prepare_lanes(tn_law law, const double *softness, tn_contact_pack *p, int i, double *cosine,
                                   double *sine)
{
    const lanes zero = zeros(), one = zero + 1.0;
    lanes w = product_of_rows(p, i, 0, 0), w11 = product_of_rows(p, i, 1, 1), w22 = product_of_rows(p, i, 2, 2);
    lanes w01 = product_of_rows(p, i, 0, 1), w02 = product_of_rows(p, i, 0, 2), w12 = product_of_rows(p, i, 1, 2);
    lanes largest = larger(w, larger(w11, w22)), given = lanes_load(p->rho + i);
    lanes rho = lanes_choose(given > zero, given, lanes_choose(largest > zero, one / largest, one));
    if (softness) { // the same across in all directions, so that the turn below is S's all the same
        w += lanes_load(softness);
        w11 += lanes_load(softness + TN_PACK);
        w22 += lanes_load(softness + TN_PACK);
    }
    lanes_mask moves = w > zero;
    lanes iw = lanes_choose(moves, one / w, zero);
    lanes s00 = w11 - w01 * w01 * iw, s01 = w12 - w01 * w02 * iw, s11 = w22 - w02 * w02 * iw, c, s;
    // In the plane nothing moves along one tangent, where any S will do.
    lanes_mask none1 = (w11 == zero) & (lanes_load(p->offset[1] + i) == zero) & (s11 > 1e-12 * w22);
    lanes_mask none2 = (w22 == zero) & (lanes_load(p->offset[2] + i) == zero) & (s00 > 1e-12 * w11);
    s00 = lanes_choose(none1, s11, s00);
    s11 = lanes_choose(none2, s00, s11);
    turn_of(s00, s01, s11, &c, &s);
    TN_UNROLL
    for (int side = 0; side < 2; side++) {
        TN_UNROLL
        for (int k = 0; k < 6; k++) {
            turn_rows(p->H[1][side][k] + i, p->H[2][side][k] + i, c, s);
        }
    }
    turn_rows(p->offset[1] + i, p->offset[2] + i, c, s);
    lanes trace = s00 + s11, along = 2.0 * c * s * s01;
    lanes s1 = c * c * s00 + along + s * s * s11, s2 = s * s * s00 - along + c * c * s11;
    lanes_mask friction = (lanes_mask)(zero > one);
    if (law != TN_LAW_FRICTIONLESS) {
        friction = lanes_load(p->mu + i) > zero;
    }
    lanes_mask regular = moves & (~friction | (s1 * s2 > 1e-12 * trace * trace));
    friction &= regular;
    lanes_store(p->inverse_w + i, iw);
    lanes_store(p->rho + i, rho);
    lanes_store(p->c[0] + i, lanes_choose(friction, c * w01 + s * w02, zero));
    lanes_store(p->c[1] + i, lanes_choose(friction, c * w02 - s * w01, zero));
    lanes_store(p->s[0] + i, lanes_choose(friction, s1, zero));
    lanes_store(p->s[1] + i, lanes_choose(friction, s2, zero));
    lanes_store(p->inverse_s[0] + i, lanes_choose(friction, one / s1, zero));
    lanes_store(p->inverse_s[1] + i, lanes_choose(friction, one / s2, zero));
    lanes_store(p->relax + i, one);
    lanes_store(p->slide + i, zero);
    lanes_store(cosine, c);
    lanes_store(sine, s);
    return regular;
}

CONTACT_TARGET static void prepare(tn_law law, int n, const double *softness, tn_contact_pack *packs, double *turn,
                                   bool *regular)
{
    for (int k = 0; k < n; k++) {
        double *cosine = turn + 2 * TN_PACK * (size_t)k, *sine = cosine + TN_PACK;
        for (int i = 0; i < TN_PACK; i += CONTACT_WIDTH) {
            const double *R = softness ? softness + 2 * TN_PACK * (size_t)k + i : NULL;
            lanes_mask good = prepare_lanes(law, R, packs + k, i, cosine + i, sine + i);
            for (int lane = 0; lane < CONTACT_WIDTH; lane++) {
                regular[TN_PACK * k + i + lane] = good[lane] != 0;
            }
        }
    }
}

const tn_contact_variant CONTACT_NAME = {CONTACT_KIND, add, sweep, prepare, sums};
