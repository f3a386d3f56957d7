// The islands of problem/islands.h as lists of contacts, joint rows and parts, those that are not too large.
#include "solver/polish/islands.h"

#include "problem/islands.h"
#include "problem/rows.h"

// The whole of a problem in local form.
static bool take_all(const tn_problem *p, int max_rows, tn_arena *arena, tn_polish_islands *out)
{
    int n = p->rows->n_triples, *contact = TN_PUSH_RAW(arena, int, n);
    out->island = TN_PUSH_RAW(arena, tn_polish_island, 1);
    if (!contact || !out->island) {
        return false;
    }
    for (int m = 0; m < n; m++) {
        contact[m] = m;
    }
    out->n = n > 0 && 3 * n <= max_rows;
    out->most = out->n * 3 * n;
    out->island[0] = (tn_polish_island){.n = n, .contact = contact};
    return true;
}

// Of rows[start .. end), numbered from `first` on, those that move any block, to `to`. Returns how many.
static int moving(const tn_rows *c, const int *rows, int start, int end, int first, int *to)
{
    int n = 0;
    for (int i = start; i < end; i++) {
        if (c->start[first + rows[i] + 1] > c->start[first + rows[i]]) {
            to[n++] = rows[i];
        }
    }
    return n;
}

// The parts of block[start .. end), ascending: each at its first block.
static int parts_of(const tn_parts *c, const int *block, int start, int end, int *to)
{
    int n = 0;
    for (int i = start; i < end; i++) {
        int own = c->of_block[block[i]];
        if (c->blocks[c->start[own]] == block[i]) {
            to[n++] = own;
        }
    }
    return n;
}

bool tn_polish_islands_find(const tn_problem *p, const tn_parts *parts, int max_rows, tn_arena *arena,
                            tn_polish_islands *out)
{
    *out = (tn_polish_islands){.n = 0};
    if (p->W) {
        return take_all(p, max_rows, arena, out);
    }
    const tn_rows *c = p->rows;
    tn_islands all;
    int *contact = TN_PUSH_RAW(arena, int, c->n_triples), *joint = TN_PUSH_RAW(arena, int, c->n_singles);
    int *part = TN_PUSH_RAW(arena, int, parts->n);
    if (!contact || !joint || !part || tn_islands_find(p, arena, &all) != TN_OK) {
        return false;
    }
    out->island = TN_PUSH_RAW(arena, tn_polish_island, all.n);
    for (int k = 0; out->island && k < all.n; k++) {
        tn_polish_island island = {.contact = contact, .joint = joint, .part = part};
        island.n = moving(c, all.triple, all.triple_start[k], all.triple_start[k + 1], 0, contact);
        island.n_joints = moving(c, all.single, all.single_start[k], all.single_start[k + 1], c->n_triples, joint);
        int rows = 3 * island.n + island.n_joints;
        if (rows > 0 && rows <= max_rows) {
            island.n_parts = parts_of(parts, all.block, all.block_start[k], all.block_start[k + 1], part);
            contact += island.n;
            joint += island.n_joints;
            part += island.n_parts;
            out->island[out->n++] = island;
            out->most = rows > out->most ? rows : out->most;
        }
    }
    return out->island != NULL;
}
