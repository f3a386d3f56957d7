// Which contacts are central (kernels/contact/central_packs.h): the normal goes through both bodies' centres, and what
// they touch has the same inertia about every axis. Found in J and A's factors alone.
//
// J's columns for a body's spin are in the body's own axes. Central packs have all spins in world axes: the first
// contact of a body says how they lie, omega_world = axes omega, and all central ones of that body must agree.
#pragma once

#include "kernels/contact/packs.h"
#include "solver/packed/lines.h"
#include "solver/packed/order.h"

// A contact's share of its pack, but for the offset.
typedef struct tn_central_form {
    float n[3], t[3], push[2], turn[2];
} tn_central_form;

typedef struct tn_central {
    bool *is;              // (contacts)
    tn_central_form *form; // (contacts), where it is
    double *axes;          // (lines, 9), where known
    bool *known;           // (lines)
    tn_spare spare;        // axes and form, once the packs are filled
} tn_central;

// line (contacts, 2): the lines each contact touches, [0] = -2 for those that go into no pack. False: no memory.
bool tn_central_find(const tn_problem *problem, const tn_lines *lines, const int *line, int n_threads, tn_arena *arena,
                     tn_central *out);

// Everything of a lane but its offset.
void tn_central_fill(const tn_central_form *form, const int line[2], double mu, tn_central_pack *pack, int lane);
// The same lane's softness along the normal and across, which changes 1 / W_nn and 1 / S.
void tn_central_soften(const tn_central_form *form, const double R[2], tn_central_pack *pack,
                       tn_central_softness *softness, int lane);

// A row's three numbers for the spin of a line, from own to world axes, where the line has them.
static inline void tn_central_turn(const tn_central *central, int line, double *row, size_t stride)
{
    if (central->known[line]) {
        const double *Q = central->axes + 9 * (size_t)line, a = row[0], b = row[stride], c = row[2 * stride];
        for (size_t i = 0; i < 3; ++i) {
            row[stride * i] = Q[3 * i] * a + Q[3 * i + 1] * b + Q[3 * i + 2] * c;
        }
    }
}
