// What a pack of contacts is made of: rows of J and the factors of A.
#include "solver/packed/fill.h"

#include "base/fetch.h"
#include "base/team.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "problem/problem.h"
#include "problem/repeats.h"
#include "solver/check.h"

#include <string.h>

// Over-relaxation of contacts that stick, where bodies touch at several points: 1000 boxes, 40 sweeps a step, a natural
// figure of 3.4e-3 with 1, 2.4e-3 with 1.3, 2.7e-3 with 1.5, 3.4e-3 with 1.7. Spheres take 1: piles of 216 and 512,
// cold to fclib 1e-4, 734 and 723 sweeps with 1, 801 and 869 with 1.3, 804 and 946 with 1.5.
static const double RELAX = 1.3;

// The lines that a contact touches; false: a large one, more than two, or a moment.
static bool touch_lines(const tn_pack_filler *b, int m, int line[2])
{
    const tn_rows *c = b->problem->rows;
    const tn_lines *lines = b->lines;
    line[0] = line[1] = -1;
    for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
        int l = (int)((unsigned)lines->at[c->block[e]] / TN_PACK);
        if (l == line[0] || l == line[1]) {
            continue;
        }
        int side = line[0] < 0 ? 0 : 1;
        if (lines->large[l] || line[side] >= 0) {
            return false;
        }
        line[side] = l;
    }
    return m < c->n_triples - c->n_frictions;
}

// Packs know one R along the normal and one across.
static bool fits_softness(const double R[9])
{
    bool straight = R[1] == 0.0 && R[2] == 0.0 && R[3] == 0.0 && R[5] == 0.0 && R[6] == 0.0 && R[7] == 0.0;
    return straight && R[4] == R[8] && R[0] >= 0.0 && R[4] >= 0.0;
}

// known: those of the contact before, whose blocks are the same; or NULL.
static void find_lines(const tn_pack_filler *b, int m, const int *known, int line[2])
{
    const tn_rows *c = b->problem->rows;
    if (known) {
        memcpy(line, known, 2 * sizeof *line);
    }
    if ((!known && !touch_lines(b, m, line)) || (c->softness && !fits_softness(c->softness + 9 * (size_t)m)) ||
        b->problem->facets > 0 || c->mu[2 * (size_t)m] != c->mu[2 * (size_t)m + 1]) {
        line[0] = -2;
    }
}

// Where an entry of J goes in a lane of H, and what it is multiplied by.
typedef struct lane_entry {
    int to;
    const double *factor; // of its block (tn_line_factor)
    const double *v;      // its block's velocity
} lane_entry;

// The entries of a contact whose bodies have diagonal factors.
typedef struct lane_plan {
    int n; // -1: another factor, or entries that meet
    lane_entry entry[4];
} lane_plan;

// v: NULL: none.
static void make_plan(const tn_pack_filler *b, int m, const int line[2], const double *v, lane_plan *plan)
{
    static const double still[3];
    const tn_rows *c = b->problem->rows;
    unsigned seen = 0;
    plan->n = 0;
    for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
        unsigned at = (unsigned)b->lines->at[c->block[e]], half = at % TN_PACK / 3;
        unsigned side = at / TN_PACK == (unsigned)line[0] ? 0 : 1, bit = 1u << (2 * side + half);
        const tn_line_factor *f = &b->lines->factors[line[side]];
        if (!f->diagonal || (seen & bit)) {
            plan->n = -1;
            return;
        }
        seen |= bit;
        plan->entry[plan->n++] = (lane_entry){.to = (int)(TN_PACK * (6 * side + 3 * half)),
                                              .factor = f->block[half],
                                              .v = v ? v + 3 * (size_t)c->block[e] : still};
    }
}

// J of a contact straight into H = J L^-T; u += J v.
static void fill_planned(const lane_plan *plan, const double *J, double *restrict H, double *restrict u)
{
    double u0 = u[0], u1 = u[1], u2 = u[2];
    for (int k = 0; k < plan->n; ++k, J += 9) {
        const lane_entry *entry = &plan->entry[k];
        const double x = entry->v[0], y = entry->v[1], z = entry->v[2];
        const double d0 = entry->factor[0], d1 = entry->factor[2], d2 = entry->factor[5];
        double *to = H + entry->to;
        for (int i = 0; i < 3; ++i) {
            to[TN_PACK * 12 * i] = J[3 * i] * d0;
            to[TN_PACK * (12 * i + 1)] = J[3 * i + 1] * d1;
            to[TN_PACK * (12 * i + 2)] = J[3 * i + 2] * d2;
        }
        u0 += J[0] * x + J[1] * y + J[2] * z;
        u1 += J[3] * x + J[4] * y + J[5] * z;
        u2 += J[6] * x + J[7] * y + J[8] * z;
    }
    tn_vec3_set(u, u0, u1, u2);
}

static void fill_any(const tn_pack_filler *b, int m, const int line[2], double *H)
{
    const tn_rows *c = b->problem->rows;
    double rows[3][12] = {{0.0}};
    for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
        int at = b->lines->at[c->block[e]], first = at % TN_PACK + (at / TN_PACK == line[0] ? 0 : 6);
        for (int i = 0; i < 9; ++i) {
            rows[i / 3][first + i % 3] += c->jacobian[9 * (size_t)e + (size_t)i];
        }
    }
    for (int i = 0; i < 3; ++i) {
        for (int side = 0; side < 2 && line[side] >= 0; ++side) {
            tn_line_forward(&b->lines->factors[line[side]], rows[i] + 6 * side);
        }
        for (int k = 0; k < 12; ++k) {
            H[TN_PACK * (12 * i + k)] = rows[i][k];
        }
    }
}

// H's columns for spins, into the axes that central contacts have given a body.
static void turn_spins(const tn_pack_filler *b, const int line[2], double *H)
{
    for (int side = 0; side < 2 && line[side] >= 0; ++side) {
        for (int row = 0; row < 3; ++row) {
            tn_central_turn(&b->central, line[side], H + TN_PACK * (12 * row + 6 * side + 3), TN_PACK);
        }
    }
}

// H, offset and mu of one lane. v: the offset is the velocity there, J v + w; or NULL: w alone.
static void fill_lane(const tn_pack_filler *b, int m, const lane_plan *plan, const double *v, tn_contact_pack *p,
                      int lane)
{
    const tn_rows *c = b->problem->rows;
    const int *line = b->line + 2 * (size_t)m;
    const double *J = c->jacobian + 9 * (size_t)c->start[m];
    double *H = &p->H[0][0][0][lane], u[3];
    tn_vec3_copy(u, c->offset + 3 * (size_t)m);
    if (plan->n >= 0) {
        fill_planned(plan, J, H, u);
    } else {
        fill_any(b, m, line, H);
    }
    if (v && plan->n < 0) {
        tn_contact_row_velocity(b->problem, m, v, NULL, u);
    }
    if (v) {
        turn_spins(b, line, H);
    }
    for (int i = 0; i < 3; ++i) {
        p->offset[i][lane] = u[i];
    }
    p->mu[lane] = c->mu[2 * (size_t)m];
}

// The natural map's scale takes A's diagonal blocks; W's diagonal has the whole component.
static bool is_coupled(const tn_pack_filler *b, int m)
{
    for (int side = 0; side < 2; ++side) {
        int line = b->line[2 * (size_t)m + (size_t)side];
        if (line >= 0 && b->lines->factors[line].coupled) {
            return true;
        }
    }
    return false;
}

// Whether another contact moves one of its bodies.
static bool has_neighbours(const tn_pack_filler *b, int m)
{
    const int *line = b->line + 2 * (size_t)m;
    return (line[0] >= 0 && b->degree[line[0]] > 1) || (line[1] >= 0 && b->degree[line[1]] > 1);
}

// Contacts of each line, those that go into no pack for their law too.
static void count_contacts(const tn_pack_filler *b, int n)
{
    for (int m = 0; m < n; ++m) {
        int again[2];
        const int *line = b->line + 2 * (size_t)m;
        if (line[0] == -2) {
            line = touch_lines(b, m, again) ? again : NULL;
        }
        for (int side = 0; line && side < 2; ++side) {
            if (line[side] >= 0) {
                b->degree[line[side]]++;
            }
        }
    }
}

static void find_lines_of_all(const void *context, int first, int end, int thread)
{
    const tn_pack_filler *b = context;
    int n_contacts = b->problem->rows->n_triples - b->problem->rows->n_frictions;
    for (int m = first; m < end; ++m) {
        int *line = b->line + 2 * (size_t)m;
        bool same = m > first && m < n_contacts && line[-2] != -2 && tn_rows_repeat(b->problem->rows, m);
        find_lines(b, m, same ? line - 2 : NULL, line);
    }
}

bool tn_pack_filler_create(tn_pack_filler *b, const tn_problem *problem, const tn_lines *lines, int n_threads,
                           tn_arena *arena)
{
    int n = problem->rows->n_triples;
    *b = (tn_pack_filler){.problem = problem, .lines = lines};
    b->line = TN_PUSH_RAW(arena, int, 2 * (size_t)n);
    b->degree = TN_PUSH(arena, int, lines->n);
    if (!b->line || !b->degree) {
        return false;
    }
    tn_team_share(n_threads, n, 512, find_lines_of_all, b);
    count_contacts(b, n);
    return tn_central_find(problem, lines, b->line, n_threads, arena, &b->central);
}

TN_FETCH_INLINE void prefetch(const void *first, const void *end)
{
    for (const char *at = first; at < (const char *)end; at += 64) {
        __builtin_prefetch(at);
    }
}

// Ask for what a lane's contacts need, which lies far from what those of the lane before did.
TN_FETCH_INLINE void prefetch_lane(const tn_pack_filler *b, const int *id, int n)
{
    const tn_rows *c = b->problem->rows;
    int first = id[0], last = first;
    for (int k = 1; k < n; ++k) {
        last = id[TN_PACK * k] >= 0 ? id[TN_PACK * k] : last;
    }
    size_t m = (size_t)first, end = (size_t)last + 1;
    prefetch(c->jacobian + 9 * (size_t)c->start[m], c->jacobian + 9 * (size_t)c->start[end]);
    prefetch(c->block + c->start[m], c->block + c->start[end]);
    prefetch(c->offset + 3 * m, c->offset + 3 * end);
    prefetch(c->mu + 2 * m, c->mu + 2 * end);
    prefetch(b->line + 2 * m, b->line + 2 * end);
}

// A lane without contact. Its lines remain, those of the lane's other contacts.
static void clear_lane(tn_contact_pack *p, int lane)
{
    double *numbers = &p->H[0][0][0][0];
    for (size_t i = 0; i < offsetof(tn_contact_pack, line) / (TN_PACK * sizeof *numbers); ++i) {
        numbers[TN_PACK * i + (size_t)lane] = 0.0;
    }
}

// One lane's contacts in the n packs of a group. Its lines are the same in all of them, or the spare one.
static void fill_lanes(const tn_pack_filler *b, const int *id, int n, int lane, int spare, const double *v,
                       tn_contact_pack *packs)
{
    int line[2] = {spare, spare};
    lane_plan plan = {.n = 0};
    for (int k = 0, last = -2; k < n; ++k) {
        int m = id[TN_PACK * k + lane];
        if (m >= 0 && !(m == last + 1 && tn_rows_repeat(b->problem->rows, m))) {
            make_plan(b, m, b->line + 2 * (size_t)m, v, &plan);
        }
        if (m < 0 || plan.n < 4) {
            clear_lane(packs + k, lane);
        }
        for (int side = 0; side < 2 && m >= 0; ++side) {
            int own = b->line[2 * (size_t)m + (size_t)side];
            line[side] = own >= 0 ? own : line[side];
        }
        if (m >= 0) {
            fill_lane(b, m, &plan, v, packs + k, lane);
            packs[k].rho[lane] = is_coupled(b, m) ? tn_check_rho(b->problem, m) : 0.0;
        }
        last = m >= 0 ? m : -2;
    }
    for (int k = 0; k < n; ++k) {
        packs[k].line[0][lane] = line[0];
        packs[k].line[1][lane] = line[1];
    }
}

void tn_pack_softness(const tn_pack_filler *b, const tn_pack_order *order, int pack, double R[2 * TN_PACK])
{
    const double *all = b->problem->rows->softness;
    for (int lane = 0; lane < TN_PACK; ++lane) {
        int m = order->id[TN_PACK * (size_t)pack + (size_t)lane];
        R[lane] = m < 0 ? 0.0 : all[9 * (size_t)m];
        R[TN_PACK + lane] = m < 0 ? 0.0 : all[9 * (size_t)m + 4];
    }
}

bool tn_pack_fill(const tn_pack_filler *b, const tn_pack_order *order, int group, const double *v, double *turn,
                  tn_contact_pack *packs)
{
    bool all = true;
    int first = order->group_start[group], n = order->group_start[group + 1] - first, spare = b->lines->n + first;
    const int *ids = order->id + TN_PACK * (size_t)first;
    for (int lane = 0; lane < TN_PACK; ++lane) {
        const int *next = lane + 1 < TN_PACK ? ids + lane + 1 : ids + TN_PACK * n;
        if (next < order->id + TN_PACK * (size_t)order->n && *next >= 0) {
            prefetch_lane(b, next, lane + 1 < TN_PACK ? n : 1);
        }
        fill_lanes(b, ids, n, lane, spare, v, packs);
    }
    bool regular[TN_PACK * TN_PACK_DEPTH], soft = b->problem->rows->softness != NULL;
    double R[2 * TN_PACK * TN_PACK_DEPTH];
    for (int k = 0; soft && k < n; ++k) {
        tn_pack_softness(b, order, first + k, R + 2 * TN_PACK * k);
    }
    tn_contact_packs_prepare(b->problem->law, n, soft ? R : NULL, packs, turn + 2 * TN_PACK * (size_t)first, regular);
    for (int i = 0; i < TN_PACK * n; ++i) {
        int *id = order->id + TN_PACK * (size_t)first + i;
        if (*id >= 0 && !regular[i]) {
            clear_lane(packs + i / TN_PACK, i % TN_PACK);
            *id = -2 - *id;
            all = false;
        } else if (*id >= 0 && n > 1 && ids[TN_PACK + i % TN_PACK] != -1 && has_neighbours(b, *id)) {
            packs[i / TN_PACK].relax[i % TN_PACK] = RELAX;
        }
    }
    return all;
}

static void clear_central(const tn_pack_filler *b, int first, tn_central_pack *pack)
{
    int spare = TN_PACK * (b->lines->n + first);
    memset(pack, 0, sizeof *pack);
    for (int lane = 0; lane < TN_CENTRAL; ++lane) {
        pack->place[0][lane] = pack->place[1][lane] = spare;
    }
}

// Central packs to be written.
typedef struct central_fill {
    const tn_pack_filler *b;
    const tn_pack_order *order;
    const double *v;
    int n_full; // packs before them
    tn_central_pack *packs;
    tn_central_softness *softness; // or NULL
} central_fill;

static void clear_packs(const void *context, int first, int end, int thread)
{
    const central_fill *f = context;
    for (int i = first; i < end; ++i) {
        clear_central(f->b, f->n_full + 2 * i, f->packs + i);
        if (f->softness) {
            memset(f->softness + i, 0, sizeof *f->softness);
        }
    }
}

static void fill_central(const central_fill *f, int m)
{
    const tn_pack_filler *b = f->b;
    int at = f->order->place[m] - TN_PACK * f->n_full, lane = at % TN_CENTRAL;
    tn_central_pack *pack = f->packs + at / TN_CENTRAL;
    double u[3];
    tn_central_fill(&b->central.form[m], b->line + 2 * (size_t)m, b->problem->rows->mu[2 * (size_t)m], pack, lane);
    if (f->softness) {
        const double *R = b->problem->rows->softness + 9 * (size_t)m;
        tn_central_soften(&b->central.form[m], (const double[2]){R[0], R[4]}, pack, f->softness + at / TN_CENTRAL,
                          lane);
    }
    tn_contact_row_velocity(b->problem, m, f->v, NULL, u);
    for (int i = 0; i < 3; ++i) {
        pack->offset[i][lane] = (float)u[i];
    }
}

static void fill_contacts(const void *context, int first, int end, int thread)
{
    const central_fill *f = context;
    for (int m = first; m < end; ++m) {
        if (f->b->central.is[m] && f->order->place[m] >= 0) {
            fill_central(f, m);
        }
    }
}

// Contact by contact, as J lies in memory.
void tn_pack_fill_central(const tn_pack_filler *b, const tn_pack_order *order, const double *v, int n_threads,
                          tn_central_pack *packs, tn_central_softness *softness)
{
    int n_full = order->group_start[order->n_full_groups];
    const central_fill f = {.b = b, .order = order, .v = v, .n_full = n_full, .packs = packs, .softness = softness};
    tn_team_share(n_threads, (order->n - n_full + 1) / 2, 64, clear_packs, &f);
    tn_team_share(n_threads, b->problem->rows->n_triples, 256, fill_contacts, &f);
}
