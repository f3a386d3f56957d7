#include "solver/packed/packed.h"

#include "base/team.h"
#include "kernels/contact/products.h"
#include "kernels/mixer/mixer.h"
#include "problem/rows.h"

#include <math.h>
#include <stdatomic.h>
#include <string.h>

// R over a contact's mobility up to which sweeps go in single precision: forces are rounded to 6e-8 of themselves.
static const float SOFTEST = 30.0F;

// Threads for what is done contact by contact.
// What a thread takes at a time.
enum { GROUPS = 16, LANES = 1024 };

// Where the normal force that presses each one left lies among all forces; -1: nothing does.
static bool find_pressed(const tn_packed *packed, tn_arena *arena, int *pressed)
{
    const tn_rows *c = packed->problem->rows;
    const tn_pack_order *order = &packed->order;
    int *left = TN_PUSH_RAW(arena, int, c->n_triples);
    for (int k = 0; left && k < order->n_left; ++k) {
        left[order->left[k]] = 3 * TN_PACK * order->n + 3 * k;
    }
    for (int k = 0; left && k < order->n_left; ++k) {
        int friction = order->left[k] - (c->n_triples - c->n_frictions);
        int presses = friction < 0 ? -1 : c->pressed_by[friction];
        int place = presses < 0 ? -1 : order->place[presses];
        pressed[k] = presses < 0 ? -1 : place < 0 ? left[presses] : 3 * TN_PACK * (place / TN_PACK) + place % TN_PACK;
    }
    return left != NULL;
}

// Of the contacts left and the joints; where their forces lie. central: as in tn_rest_place.
static bool build_rest(tn_packed *packed, const tn_central *central, tn_arena *arena)
{
    const tn_pack_order *order = &packed->order;
    int *pressed = TN_PUSH(arena, int, order->n_left), n = 3 * TN_PACK * order->n;
    packed->n_contact_numbers = tn_mixer_room(n + 3 * order->n_left);
    packed->n_numbers = packed->n_contact_numbers + tn_mixer_room(packed->problem->rows->n_singles);
    const tn_rest_place place = {n, packed->n_contact_numbers, pressed, central};
    return pressed && find_pressed(packed, arena, pressed) &&
           tn_rest_create(&packed->rest, packed->problem, &packed->lines, order->n_left, order->left, place, arena);
}

// Contacts that do not fit after all are added to those left.
static void leave(tn_pack_order *order)
{
    for (int i = 0; i < TN_PACK * order->n; ++i) {
        if (order->id[i] < -1) {
            order->left[order->n_left++] = -2 - order->id[i];
            order->place[-2 - order->id[i]] = -1;
            order->id[i] = -1;
        }
    }
}

// Groups of packs to be written: in double to packs, or with offsets at v to the packed problem's single ones.
typedef struct building {
    tn_packed *packed;
    tn_contact_pack *packs;
    const double *v;
    atomic_bool *any_left; // something did not fit
} building;

static void build_groups(const void *context, int first, int end, int thread)
{
    const building *b = context;
    tn_pack_order *order = &b->packed->order;
    for (int g = first; g < end; ++g) {
        if (!tn_pack_fill(&b->packed->filler, order, g, NULL, b->packed->turn, b->packs + order->group_start[g])) {
            *b->any_left = true;
        }
    }
}

// All packs in double.
static void build(tn_packed *packed, tn_contact_pack *packs)
{
    atomic_bool any_left = false;
    const building b = {.packed = packed, .packs = packs, .any_left = &any_left};
    tn_team_share(packed->n_threads, packed->order.n_groups, GROUPS, build_groups, &b);
    if (any_left) {
        leave(&packed->order);
    }
}

static void round_softness(const tn_packed *packed, int k)
{
    double R[2 * TN_PACK];
    tn_pack_softness(&packed->filler, &packed->order, k, R);
    for (int i = 0; i < 2 * TN_PACK; ++i) {
        packed->single_softness[2 * TN_PACK * (size_t)k + (size_t)i] = (float)R[i];
    }
}

static void build_single_groups(const void *context, int first, int end, int thread)
{
    const building *b = context;
    tn_packed *packed = b->packed;
    tn_pack_order *order = &packed->order;
    for (int g = first; g < end; ++g) {
        tn_contact_pack room[TN_PACK_DEPTH];
        if (!tn_pack_fill(&packed->filler, order, g, b->v, packed->turn, room)) {
            *b->any_left = true;
        }
        for (int k = order->group_start[g]; k < order->group_start[g + 1]; ++k) {
            tn_contact_pack_round(room + (k - order->group_start[g]), packed->single + k);
            if (packed->single_softness) {
                round_softness(packed, k);
            }
        }
    }
}

// In single precision, offsets at v.
static void build_single(tn_packed *packed, const double *v)
{
    tn_pack_order *order = &packed->order;
    atomic_bool any_left = false;
    const building b = {.packed = packed, .v = v, .any_left = &any_left};
    tn_team_share(packed->n_threads, order->n_full_groups, GROUPS, build_single_groups, &b);
    tn_pack_fill_central(&packed->filler, order, v, packed->n_threads, packed->central, packed->central_softness);
    if (any_left) {
        leave(order);
    }
}

// Room for the turns of n packs.
static bool push_turn(tn_packed *packed, int n, tn_arena *arena)
{
    packed->n_turned = n;
    packed->turn = TN_PUSH_RAW(arena, double, 2 * TN_PACK * (size_t)n);
    return packed->turn != NULL;
}

typedef struct softening {
    const tn_packed *packed;
    double *softness;
} softening;

static void soften_packs(const void *context, int first, int end, int thread)
{
    const softening *s = context;
    for (int k = first; k < end; ++k) {
        tn_pack_softness(&s->packed->filler, &s->packed->order, k, s->softness + 2 * TN_PACK * (size_t)k);
    }
}

bool tn_packed_complete(tn_packed *packed, tn_arena *arena)
{
    if (packed->packs.packs) {
        return true;
    }
    const tn_pack_order *order = &packed->order;
    const tn_problem *problem = packed->problem;
    tn_contact_pack *packs = TN_PUSH_RAW(arena, tn_contact_pack, order->n);
    size_t n_x = TN_PACK * (size_t)packed->lines.n;
    double *x_free = TN_PUSH(arena, double, n_x);
    packed->x = TN_PUSH(arena, double, n_x + TN_PACK * (size_t)order->n);
    if (!packs || !x_free || !packed->x) {
        return false;
    }
    if (!push_turn(packed, order->n, arena)) { // central packs are full ones now
        return false;
    }
    build(packed, packs);
    double *softness = NULL;
    if (problem->rows->softness) {
        softness = TN_PUSH_RAW(arena, double, 2 * TN_PACK * (size_t)order->n);
        if (!softness) {
            return false;
        }
        const softening s = {.packed = packed, .softness = softness};
        tn_team_share(packed->n_threads, order->n, LANES / TN_PACK, soften_packs, &s);
    }
    packed->lambda = build_rest(packed, NULL, arena) ? TN_PUSH(arena, double, packed->n_numbers) : NULL;
    if (!packed->lambda) {
        return false;
    }
    if (packed->single) {
        tn_packed_set(packed, packed->forces);
        packed->single = NULL;
    }
    tn_lines_free(&packed->lines, problem->b, x_free);
    packed->x_free = x_free;
    packed->packs = (tn_contact_packs){.law = problem->law,
                                       .step = problem->step > 0.0 ? problem->step : 1.0,
                                       .n = order->n,
                                       .n_lines = packed->lines.n,
                                       .n_groups = order->n_groups,
                                       .group_start = order->group_start,
                                       .n_rounds = order->n_rounds,
                                       .round_start = order->round_start,
                                       .pieces = order->pieces,
                                       .packs = packs,
                                       .softness = softness,
                                       .lambda = packed->lambda,
                                       .x = packed->x,
                                       .n_threads = packed->n_threads};
    tn_packed_refresh(packed);
    return true;
}

// What the sweeps can start from: no friction where there is none (a normal that turns leaves some).
static void drop_friction(const tn_problem *problem, double *out)
{
    const tn_rows *c = problem->rows;
    for (size_t m = 0; m < (size_t)(c->n_triples - c->n_frictions); ++m) {
        if (problem->law == TN_LAW_FRICTIONLESS || !(c->mu[2 * m] > 0.0)) {
            out[3 * m + 1] = out[3 * m + 2] = 0.0;
        }
    }
}

static bool push_single_softness(tn_packed *packed, int n_full, tn_arena *arena)
{
    const tn_pack_order *order = &packed->order;
    if (!packed->problem->rows->softness) {
        return true;
    }
    packed->single_softness = TN_PUSH_RAW(arena, float, 2 * TN_PACK * (size_t)n_full);
    packed->central_softness = TN_PUSH_RAW(arena, tn_central_softness, (order->n_groups - order->n_full_groups) / 2);
    return packed->single_softness && packed->central_softness;
}

// Whether a contact is so soft beside its bodies' mobility that what single precision rounds off its force shows in the
// natural figure, which has rho by the mobility alone.
static bool is_too_soft(const tn_packed *packed)
{
    const tn_pack_order *order = &packed->order;
    int n_full = order->group_start[order->n_full_groups], n_central = (order->n - n_full) / 2;
    float most = 0.0F;
    if (!packed->problem->rows->softness) {
        return false;
    }
    for (int i = 0; i < 2 * TN_PACK * n_full; ++i) {
        const float *rho = packed->single[i / (2 * TN_PACK)].rho;
        most = fmaxf(most, packed->single_softness[i] * rho[i % TN_PACK]);
    }
    for (int i = 0; i < TN_CENTRAL * n_central; ++i) {
        const tn_central_softness *s = &packed->central_softness[i / TN_CENTRAL];
        most = fmaxf(most, fmaxf(s->n[i % TN_CENTRAL], s->t[i % TN_CENTRAL]) * s->rho[i % TN_CENTRAL]);
    }
    for (int k = 0; k < packed->rest.n_contacts; ++k) {
        int row = packed->rest.item[k].first_row;
        const double *R = packed->problem->rows->softness + 9 * (size_t)packed->rest.id[row];
        most = fmaxf(most, (float)(fmax(R[0], fmax(R[4], R[8])) * packed->rest.rho[row]));
    }
    return most > SOFTEST;
}

static bool create(tn_packed *packed, const tn_solution *solution, tn_arena *arena)
{
    tn_pack_order *order = &packed->order;
    const tn_problem *problem = packed->problem;
    if (!tn_pack_filler_create(&packed->filler, problem, &packed->lines, packed->n_threads, arena) ||
        !tn_pack_order_create(problem->rows->n_triples, packed->lines.n, packed->filler.line, packed->filler.central.is,
                              arena, order)) {
        return false;
    }
    int n_full = order->group_start[order->n_full_groups];
    packed->v = solution->v;
    packed->forces = solution->lambda;
    packed->single = TN_PUSH_RAW(arena, tn_contact_pack_single, n_full);
    packed->central = TN_PUSH_RAW(arena, tn_central_pack, (order->n_groups - order->n_full_groups) / 2);
    if (!packed->single || !packed->central || !push_single_softness(packed, n_full, arena) ||
        !push_turn(packed, n_full, arena)) {
        return false;
    }
    drop_friction(problem, packed->forces);
    tn_packed_recover(packed, packed->forces, packed->v);
    build_single(packed, packed->v);
    if (!build_rest(packed, &packed->filler.central, arena)) {
        return false;
    }
    tn_rest_set_offsets(&packed->rest, packed->v);
    packed->single = is_too_soft(packed) ? NULL : packed->single;
    if (!packed->single) {
        if (!tn_packed_complete(packed, arena)) {
            return false;
        }
        tn_packed_set(packed, solution->lambda);
    }
    return true;
}

tn_status tn_packed_create(tn_packed *packed, const tn_problem *problem, const tn_solution *solution, int n_threads,
                           tn_arena *arena, tn_error *error)
{
    *packed = (tn_packed){.problem = problem, .n_threads = n_threads};
    tn_status status = tn_lines_create(problem, n_threads, arena, &packed->lines, error);
    if (status == TN_OK && !create(packed, solution, arena)) {
        status = tn_error_set(error, TN_NO_MEMORY, "no memory for the contacts of the sweep");
    }
    return status;
}

void tn_packed_turn_in(const tn_packed *p, int i, const double r[3], double out[3])
{
    const double *turn = tn_packed_turn(p, i / TN_PACK) + i % TN_PACK;
    bool slippery = p->problem->law == TN_LAW_FRICTIONLESS;
    bool friction = !slippery && p->problem->rows->mu[2 * (size_t)p->order.id[i]] > 0.0;
    out[0] = r[0];
    out[1] = friction ? turn[0] * r[1] + turn[TN_PACK] * r[2] : 0.0;
    out[2] = friction ? turn[0] * r[2] - turn[TN_PACK] * r[1] : 0.0;
}

void tn_packed_turn_out(const tn_packed *p, int i, const double r[3], double out[3])
{
    const double *turn = tn_packed_turn(p, i / TN_PACK) + i % TN_PACK;
    out[0] = r[0];
    out[1] = turn[0] * r[1] - turn[TN_PACK] * r[2];
    out[2] = turn[0] * r[2] + turn[TN_PACK] * r[1];
}

// Contact in lane i of all: forces in, tangents turned.
static void put_lane(tn_packed *p, int i, const double *lambda)
{
    double *to = p->lambda + 3 * TN_PACK * (size_t)(i / TN_PACK) + i % TN_PACK, r[3];
    if (p->order.id[i] >= 0) {
        tn_packed_turn_in(p, i, lambda + 3 * (size_t)p->order.id[i], r);
        to[0] = r[0];
        to[TN_PACK] = r[1];
        to[2 * TN_PACK] = r[2];
    }
}

typedef struct loading {
    tn_packed *packed;
    const double *lambda;
} loading;

static void put_lanes(const void *context, int first, int end, int thread)
{
    const loading *l = context;
    for (int i = first; i < end; ++i) {
        put_lane(l->packed, i, l->lambda);
    }
}

static int row_id(const tn_packed *p, int k, int i)
{
    return p->rest.id[p->rest.item[k].first_row + i];
}

// Where the force of a rest's row lies among those of the problem.
static size_t problem_force(const tn_packed *p, int k, int i)
{
    int id = row_id(p, k, i);
    return k < p->rest.n_contacts ? 3 * (size_t)id + (size_t)i : 3 * (size_t)p->problem->rows->n_triples + (size_t)id;
}

void tn_packed_put_rest(const tn_packed *p, const double *lambda, tn_pack_numbers to)
{
    for (int k = 0; k < p->rest.n; ++k) {
        for (int i = 0; i < p->rest.item[k].n_rows; ++i) {
            int at = p->rest.force[p->rest.item[k].first_row + i];
            double force = lambda[problem_force(p, k, i)];
            if (to.f) {
                to.f[at] = (float)force;
            } else {
                to.d[at] = force;
            }
        }
    }
}

void tn_packed_get_rest(const tn_packed *p, const double *from, const float *single, double *lambda)
{
    for (int k = 0; k < p->rest.n; ++k) {
        for (int i = 0; i < p->rest.item[k].n_rows; ++i) {
            int at = p->rest.force[p->rest.item[k].first_row + i];
            double force = single ? (double)single[at] : from[at];
            bool bounded = k >= p->rest.n_contacts; // single precision may round beyond a bound
            lambda[problem_force(p, k, i)] =
                bounded ? tn_single_clamp(p->problem->rows, row_id(p, k, i), force) : force;
        }
    }
}

void tn_packed_set(tn_packed *p, const double *lambda)
{
    tn_team_share(p->n_threads, TN_PACK * p->order.n, LANES, put_lanes, &(loading){p, lambda});
    tn_packed_put_rest(p, lambda, (tn_pack_numbers){p->lambda, NULL});
    if (p->packs.packs) {
        tn_packed_refresh(p);
    }
}

// Lane i of three numbers a contact, from turned tangents to the problem's.
static void unpack_lane(const tn_packed *p, int i, const double *packed, double *out)
{
    const double *from = packed + 3 * TN_PACK * (size_t)(i / TN_PACK) + i % TN_PACK;
    const double turned[3] = {from[0], from[TN_PACK], from[2 * TN_PACK]};
    if (p->order.id[i] >= 0) {
        tn_packed_turn_out(p, i, turned, out + 3 * (size_t)p->order.id[i]);
    }
}

typedef struct unpacking {
    const tn_packed *packed;
    const double *from;
    double *out;
} unpacking;

static void unpack_lanes(const void *context, int first, int end, int thread)
{
    const unpacking *u = context;
    for (int i = first; i < end; ++i) {
        unpack_lane(u->packed, i, u->from, u->out);
    }
}

static void unpack(const tn_packed *p, const double *packed, double *out)
{
    tn_team_share(p->n_threads, TN_PACK * p->order.n, LANES, unpack_lanes, &(unpacking){p, packed, out});
}

void tn_packed_get(const tn_packed *p, double *lambda)
{
    if (p->single) {
        memmove(lambda, p->forces, tn_row_count(p->problem->rows) * sizeof *lambda);
        return;
    }
    unpack(p, p->lambda, lambda);
    tn_packed_get_rest(p, p->lambda, NULL, lambda);
}

void tn_packed_refresh(tn_packed *p)
{
    memcpy(p->x, p->x_free, TN_PACK * (size_t)p->lines.n * sizeof *p->x);
    tn_contact_packs_add(&p->packs);
    tn_rest_add(&p->rest, (tn_pack_numbers){p->lambda, NULL}, (tn_pack_numbers){0}, (tn_pack_numbers){p->x, NULL});
}

void tn_packed_sweep(tn_packed *p)
{
    tn_contact_packs_sweep(&p->packs);
    tn_rest_sweep(&p->rest, (tn_pack_numbers){p->lambda, NULL}, (tn_pack_numbers){p->x, NULL});
}

tn_check_sums tn_packed_check_sums(const double sums[TN_PACK_SUMS])
{
    return (tn_check_sums){.natural = sums[TN_PACK_NATURAL],
                           .fclib = sums[TN_PACK_FCLIB],
                           .force = sums[TN_PACK_FORCE],
                           .velocity = sums[TN_PACK_VELOCITY]};
}

void tn_packed_sums(const tn_packed *p, tn_check_sums *sums)
{
    double packed[TN_PACK_SUMS];
    tn_contact_packs_sums(&p->packs, packed);
    *sums = tn_packed_check_sums(packed);
    tn_rest_add_sums(&p->rest, (tn_pack_numbers){p->lambda, NULL}, (tn_pack_numbers){p->x, NULL}, sums);
}

double tn_packed_settle_joints(const tn_packed *p, double tolerance, tn_solution *solution, tn_arena *arena)
{
    enum { PASSES = 50 };
    const tn_pack_numbers lambda = {.d = TN_PUSH(arena, double, p->n_numbers)};
    const tn_pack_numbers x = {.d = TN_PUSH(arena, double, TN_PACK *(size_t)p->lines.n)};
    tn_rest rest = p->rest;
    if (!lambda.d || !x.d) {
        return NAN;
    }
    tn_packed_put_rest(p, solution->lambda, lambda);
    tn_rest_set_offsets(&rest, solution->v);
    double error = tn_rest_joint_error(&rest, lambda, x);
    for (int k = 0; k < PASSES && error > tolerance; ++k) {
        tn_rest_sweep_joints(&rest, lambda, x);
        error = tn_rest_joint_error(&rest, lambda, x);
    }
    tn_packed_get_rest(p, lambda.d, NULL, solution->lambda);
    tn_packed_recover(p, solution->lambda, solution->v);
    return error;
}

void tn_packed_recover(const tn_packed *p, const double *lambda, double *v)
{
    int n_blocks = p->problem->A->n_rows;
    memcpy(v, p->problem->b, 3 * (size_t)n_blocks * sizeof *v);
    tn_contact_products_run(
        p->problem->rows,
        &(tn_contact_products){.lambda = lambda, .force = v, .n_threads = p->n_threads, .n_blocks = n_blocks});
    if (p->problem->rows->n_singles > 0) {
        tn_singles_add_force(p->problem->rows, lambda + 3 * (size_t)p->problem->rows->n_triples, v);
    }
    tn_lines_solve(&p->lines, p->n_threads, v);
}
