#include "solver/packed.h"

#include "math/vec3.h"
#include "problem/problem.h"
#include "solver/packed_order.h"

#include <math.h>
#include <string.h>

// Over-relaxation of contacts that stick; a body's only contact is solved at once without. 1000 boxes, 40 sweeps a
// step: a natural figure of 3.4e-3 with 1, 2.4e-3 with 1.3, 2.7e-3 with 1.5, 3.4e-3 with 1.7; piles of spheres take 1.3
// too.
static const double RELAX = 1.3;

typedef struct builder {
    const tn_problem *problem;
    tn_packed *packed;
    int *line;   // (contacts, 2)
    int *degree; // (lines) contacts
    tn_arena *arena;
} builder;

// The lines that a contact touches; [0] = -2 where the packs' formulas do not hold.
static void find_lines(const builder *b, int m, int line[2])
{
    const tn_contacts *c = b->problem->contacts;
    const tn_lines *lines = &b->packed->lines;
    line[0] = line[1] = -1;
    if (m >= c->n - c->n_moments) {
        line[0] = -2;
        return;
    }
    for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
        int l = lines->at[c->block[e]] / TN_PACK;
        if (l == line[0] || l == line[1]) {
            continue;
        }
        int side = line[0] < 0 ? 0 : 1;
        if (lines->large[l] || line[side] >= 0) {
            line[0] = -2;
            return;
        }
        line[side] = l;
    }
    for (int side = 0; side < 2; ++side) {
        if (line[side] >= 0) {
            b->degree[line[side]]++;
        }
    }
    if (c->omega || c->mu[2 * (size_t)m] != c->mu[2 * (size_t)m + 1]) {
        line[0] = -2;
    }
}

// One line's part of H, for a diagonal factor entry by entry.
static void fill_diagonal(const builder *b, int m, int line, tn_contact_pack *p, int side, int lane)
{
    const tn_contacts *c = b->problem->contacts;
    const tn_lines *lines = &b->packed->lines;
    for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
        int at = lines->at[c->block[e]], first = at % TN_PACK;
        if (at / TN_PACK != line) {
            continue;
        }
        const double *J = c->jacobian + 9 * (size_t)e, *f = lines->factors[line].block[first / 3];
        const double d[3] = {f[0], f[2], f[5]};
        for (int i = 0; i < 3; ++i) {
            for (int k = 0; k < 3; ++k) {
                p->H[i][side][first + k][lane] += J[3 * i + k] * d[k];
            }
        }
    }
}

static void fill_line(const builder *b, int m, int line, tn_contact_pack *p, int side, int lane)
{
    const tn_contacts *c = b->problem->contacts;
    const tn_lines *lines = &b->packed->lines;
    double row[3][6] = {{0.0}};
    for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
        int at = lines->at[c->block[e]];
        for (int i = 0; i < 9 && at / TN_PACK == line; ++i) {
            row[i / 3][at % TN_PACK + i % 3] += c->jacobian[9 * (size_t)e + (size_t)i];
        }
    }
    for (int i = 0; i < 3; ++i) {
        tn_line_forward(&lines->factors[line], row[i]);
        for (int k = 0; k < 6; ++k) {
            p->H[i][side][k][lane] = row[i][k];
        }
    }
}

// H, offset and mu of one lane.
static void fill_lane(const builder *b, int m, tn_contact_pack *p, int lane)
{
    const tn_contacts *c = b->problem->contacts;
    for (int side = 0; side < 2; ++side) {
        int line = b->line[2 * (size_t)m + (size_t)side];
        if (line < 0) {
            continue; // H stays zero
        }
        p->line[side][lane] = line;
        if (b->packed->lines.factors[line].diagonal) {
            fill_diagonal(b, m, line, p, side, lane);
        } else {
            fill_line(b, m, line, p, side, lane);
        }
    }
    for (int i = 0; i < 3; ++i) {
        p->offset[i][lane] = c->offset[3 * (size_t)m + (size_t)i];
    }
    p->mu[lane] = c->mu[2 * (size_t)m];
}

// The natural map's scale takes A's diagonal blocks; W's diagonal has the whole component.
static bool is_coupled(const builder *b, int m)
{
    for (int side = 0; side < 2; ++side) {
        int line = b->line[2 * (size_t)m + (size_t)side];
        if (line >= 0 && b->packed->lines.factors[line].coupled) {
            return true;
        }
    }
    return false;
}

static void fill_packs(const builder *b, const int *id)
{
    tn_contact_packs *packs = &b->packed->packs;
    for (int g = 0; g < packs->n_groups; ++g) {
        int first = packs->group_start[g];
        const tn_contact_pack *all = &packs->packs[first];
        for (int k = first; k < packs->group_start[g + 1]; ++k) {
            tn_contact_pack *p = &packs->packs[k];
            for (int lane = 0; lane < TN_PACK; ++lane) {
                int m = id[TN_PACK * k + lane];
                p->line[0][lane] = p->line[1][lane] = packs->n_lines + first;
                if (m >= 0) {
                    fill_lane(b, m, p, lane);
                    p->rho[lane] = is_coupled(b, m) ? tn_check_rho(b->problem, m) : 0.0;
                }
            }
            if (k > first) { // lanes with fewer contacts too
                memcpy(p->line, all->line, sizeof p->line);
            }
        }
    }
}

// Whether another contact moves one of its bodies.
static bool has_neighbours(const builder *b, int m)
{
    const int *line = b->line + 2 * (size_t)m;
    return (line[0] >= 0 && b->degree[line[0]] > 1) || (line[1] >= 0 && b->degree[line[1]] > 1);
}

static void relax_some(const builder *b, const int *id)
{
    tn_contact_packs *packs = &b->packed->packs;
    for (int i = 0; i < TN_PACK * packs->n; ++i) {
        if (id[i] >= 0 && has_neighbours(b, id[i])) {
            packs->packs[i / TN_PACK].relax[i % TN_PACK] = RELAX;
        }
    }
}

// Take a contact out of its pack again. Its lines remain, those of the lane's other contacts.
static void clear_lane(tn_contact_packs *packs, int k, int lane)
{
    tn_contact_pack *p = &packs->packs[k];
    double *numbers = &p->H[0][0][0][0];
    for (size_t i = 0; i < offsetof(tn_contact_pack, line) / (TN_PACK * sizeof *numbers); ++i) {
        numbers[TN_PACK * i + (size_t)lane] = 0.0;
    }
}

static bool build_packs(const builder *b, tn_pack_order *order)
{
    tn_packed *packed = b->packed;
    tn_contact_packs *packs = &packed->packs;
    size_t lanes = TN_PACK * (size_t)order->n;
    packs->n = order->n;
    packs->n_lines = packed->lines.n;
    packs->n_groups = order->n_groups;
    packs->group_start = order->group_start;
    packs->n_rounds = order->n_rounds;
    packs->round_start = order->round_start;
    packs->packs = TN_PUSH(b->arena, tn_contact_pack, order->n);
    packs->x = packed->x = TN_PUSH(b->arena, double, TN_PACK *(size_t)(packed->lines.n + order->n));
    double *turn = TN_PUSH(b->arena, double, 2 * lanes);
    bool *regular = TN_PUSH(b->arena, bool, lanes);
    if (!packs->packs || !packs->x || !turn || !regular) {
        return false;
    }
    fill_packs(b, order->id);
    tn_contact_packs_prepare(packs, turn, regular);
    relax_some(b, order->id);
    for (size_t i = 0; i < lanes; ++i) {
        if (order->id[i] >= 0 && !regular[i]) {
            clear_lane(packs, (int)(i / TN_PACK), (int)(i % TN_PACK));
            order->left[order->n_left++] = order->id[i];
            order->id[i] = -1;
        }
    }
    packed->turn = turn;
    packed->id = order->id;
    return true;
}

// Where the normal force of each contact lies among all forces, for the moments it presses.
static bool find_pressed(const builder *b, const tn_pack_order *order, int *pressed)
{
    const tn_contacts *c = b->problem->contacts;
    int *place = TN_PUSH_RAW(b->arena, int, c->n);
    for (int i = 0; place && i < TN_PACK * order->n; ++i) {
        if (order->id[i] >= 0) {
            place[order->id[i]] = 3 * TN_PACK * (i / TN_PACK) + i % TN_PACK;
        }
    }
    for (int k = 0; place && k < order->n_left; ++k) {
        place[order->left[k]] = 3 * TN_PACK * order->n + 3 * k;
    }
    for (int k = 0; place && k < order->n_left; ++k) {
        int moment = order->left[k] - (c->n - c->n_moments);
        pressed[k] = moment < 0 ? -1 : place[c->pressed_by[moment]];
    }
    return place != NULL;
}

static bool build_rest(const builder *b, const tn_pack_order *order)
{
    tn_packed *packed = b->packed;
    double *rho = TN_PUSH(b->arena, double, order->n_left);
    int *pressed = TN_PUSH(b->arena, int, order->n_left);
    if (!rho || !pressed || !find_pressed(b, order, pressed) ||
        !tn_rest_create(&packed->rest, b->problem, &packed->lines, order->n_left, order->left, pressed, b->arena)) {
        return false;
    }
    for (int k = 0; k < order->n_left; ++k) {
        rho[k] = tn_check_rho(b->problem, order->left[k]);
    }
    packed->rest_rho = rho;
    packed->n_numbers = (3 * TN_PACK * packed->packs.n + 3 * order->n_left + 15) / 16 * 16;
    packed->lambda = packed->packs.lambda = TN_PUSH(b->arena, double, packed->n_numbers);
    double *x_free = TN_PUSH(b->arena, double, TN_PACK *(size_t)packed->lines.n);
    if (!packed->lambda || !x_free) {
        return false;
    }
    tn_lines_free(&packed->lines, b->problem->b, x_free);
    packed->x_free = x_free;
    return true;
}

tn_status tn_packed_create(tn_packed *packed, const tn_problem *problem, int n_threads, tn_arena *arena,
                           tn_error *error)
{
    int n = problem->contacts->n;
    *packed = (tn_packed){.problem = problem};
    packed->packs = (tn_contact_packs){
        .law = problem->law, .step = problem->step > 0.0 ? problem->step : 1.0, .n_threads = n_threads};
    tn_status status = tn_lines_create(problem, arena, &packed->lines, error);
    if (status != TN_OK) {
        return status;
    }
    builder b = {.problem = problem, .packed = packed, .arena = arena};
    b.line = TN_PUSH(arena, int, 2 * (size_t)n);
    b.degree = TN_PUSH(arena, int, packed->lines.n);
    for (int m = 0; b.line && b.degree && m < n; ++m) {
        find_lines(&b, m, b.line + 2 * (size_t)m);
    }
    tn_pack_order order;
    if (!b.line || !b.degree || !tn_pack_order_create(n, packed->lines.n, b.line, arena, &order) ||
        !build_packs(&b, &order) || !build_rest(&b, &order)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the contacts of the sweep");
    }
    memcpy(packed->x, packed->x_free, TN_PACK * (size_t)packed->lines.n * sizeof *packed->x);
    return TN_OK;
}

static double *rest_lambda(const tn_packed *p)
{
    return p->lambda + 3 * TN_PACK * (size_t)p->packs.n;
}

void tn_packed_set(tn_packed *p, const double *lambda)
{
    bool slippery = p->problem->law == TN_LAW_FRICTIONLESS;
    for (int i = 0; i < TN_PACK * p->packs.n; ++i) {
        int k = i / TN_PACK, lane = i % TN_PACK;
        double *to = p->lambda + 3 * TN_PACK * (size_t)k + lane;
        if (p->id[i] >= 0) {
            const double *r = lambda + 3 * (size_t)p->id[i];
            const double *turn = p->turn + 2 * TN_PACK * (size_t)k + lane;
            bool friction = !slippery && p->packs.packs[k].mu[lane] > 0.0;
            to[0] = r[0];
            to[TN_PACK] = friction ? turn[0] * r[1] + turn[TN_PACK] * r[2] : 0.0;
            to[2 * TN_PACK] = friction ? turn[0] * r[2] - turn[TN_PACK] * r[1] : 0.0;
        }
    }
    for (int k = 0; k < p->rest.n; ++k) {
        tn_vec3_copy(rest_lambda(p) + 3 * (size_t)k, lambda + 3 * (size_t)p->rest.id[k]);
    }
    tn_packed_refresh(p);
}

// Three numbers a contact, from turned tangents to the problem's.
static void unpack(const tn_packed *p, const double *packed, double *out)
{
    for (int i = 0; i < TN_PACK * p->packs.n; ++i) {
        int k = i / TN_PACK, lane = i % TN_PACK;
        const double *from = packed + 3 * TN_PACK * (size_t)k + lane;
        if (p->id[i] >= 0) {
            double *r = out + 3 * (size_t)p->id[i];
            const double *turn = p->turn + 2 * TN_PACK * (size_t)k + lane;
            r[0] = from[0];
            r[1] = turn[0] * from[TN_PACK] - turn[TN_PACK] * from[2 * TN_PACK];
            r[2] = turn[0] * from[2 * TN_PACK] + turn[TN_PACK] * from[TN_PACK];
        }
    }
}

void tn_packed_get(const tn_packed *p, double *lambda)
{
    unpack(p, p->lambda, lambda);
    for (int k = 0; k < p->rest.n; ++k) {
        tn_vec3_copy(lambda + 3 * (size_t)p->rest.id[k], rest_lambda(p) + 3 * (size_t)k);
    }
}

void tn_packed_refresh(tn_packed *p)
{
    memcpy(p->x, p->x_free, TN_PACK * (size_t)p->lines.n * sizeof *p->x);
    tn_contact_packs_add(&p->packs);
    tn_rest_add(&p->rest, rest_lambda(p), p->x);
}

void tn_packed_sweep(tn_packed *p)
{
    tn_contact_packs_sweep(&p->packs);
    tn_rest_sweep(&p->rest, p->lambda, rest_lambda(p), p->x);
}

bool tn_packed_velocity(const tn_packed *p, tn_arena *arena, double *u)
{
    tn_arena_mark mark = tn_arena_get_mark(arena);
    double *packed = TN_PUSH(arena, double, 3 * TN_PACK * (size_t)p->packs.n);
    if (!packed) {
        return false;
    }
    tn_contact_packs_velocity(&p->packs, packed);
    unpack(p, packed, u);
    tn_arena_release(arena, mark);
    for (int k = 0; k < p->rest.n; ++k) {
        tn_rest_velocity(&p->rest, k, rest_lambda(p), p->x, u + 3 * (size_t)p->rest.id[k]);
    }
    return true;
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
    tn_contact_packs_sums(&p->packs, NULL, packed);
    *sums = tn_packed_check_sums(packed);
    for (int k = 0; k < p->rest.n; ++k) {
        double u[3], *lambda = rest_lambda(p) + 3 * (size_t)k;
        tn_rest_velocity(&p->rest, k, rest_lambda(p), p->x, u);
        if (p->rest.pressed[k] < 0) {
            tn_check_add(p->problem, p->rest.id[k], p->rest_rho[k], lambda, u, sums);
        } else {
            double pressed = p->lambda[p->rest.pressed[k]];
            tn_check_add_moment(p->problem, p->rest.id[k], p->rest_rho[k], pressed, lambda, u, sums);
        }
    }
}

void tn_packed_recover(const tn_packed *p, const double *lambda, double *v)
{
    memcpy(v, p->problem->b, 3 * (size_t)p->problem->A->n_rows * sizeof *v);
    tn_problem_add_contact_force(p->problem, lambda, v);
    tn_components_solve(&p->lines.components, v);
}
