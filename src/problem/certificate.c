#include "problem/certificate.h"

#include "kernels/block_product.h"
#include "kernels/contact/products.h"
#include "math/blocks.h"
#include "math/sums.h"
#include "problem/certificate_blocks.h"
#include "problem/certificate_contacts.h"
#include "problem/certificate_figures.h"
#include "problem/problem.h"
#include "problem/rows.h"

#include <math.h>
#include <string.h>

// ---- momentum

// |A v - b - J^T lambda - G^T f| / max(|b|, f0, TN_JOINT_SCALE of the drives' forces).
double tn_certificate_momentum(const tn_problem *p, const double *product, const double *push, const double *joint)
{
    const double *b = p->b;
    size_t n = 3 * (size_t)p->A->n_rows;
    double sum[3] = {0.0, 0.0, 0.0}; // by axis: they do not wait for one another
    for (size_t i = 0; i < n; i += 3) {
        for (size_t k = 0; k < 3; ++k) {
            double balance = product[i + k] - (b[i + k] + push[i + k]);
            sum[k] += balance * balance;
        }
    }
    double scale = tn_certificate_worse(sqrt(tn_dot(n, b, b)), p->force_scale);
    return tn_certificate_ratio(sqrt(sum[0] + sum[1] + sum[2]),
                                tn_certificate_worse(scale, tn_singles_driven(p->rows, joint)));
}

// ---- joints

// Largest |f - clamp(f - rho y)| / rho over the rows, over the largest velocity, at least TN_JOINT_SCALE of what a
// drive's force makes; 0 without rows. A bilateral row's part is |y| whatever rho.
static tn_status add_joints(const tn_problem *p, const tn_solution *s, tn_arena *arena, tn_certificate *out)
{
    const tn_rows singles = tn_rows_singles(p->rows), *joints = &singles;
    if (!joints || joints->n_singles == 0) {
        return TN_OK;
    }
    double *rho = TN_PUSH_RAW(arena, double, joints->n_singles), *y = TN_PUSH_RAW(arena, double, joints->n_singles);
    bool *wanted = TN_PUSH_RAW(arena, bool, joints->n_singles);
    if (!rho || !y || !wanted) {
        return TN_NO_MEMORY;
    }
    const double *forces = tn_single_forces(p->rows, s->lambda);
    for (int i = 0; i < joints->n_singles; ++i) {
        y[i] = tn_single_velocity(joints, i, s->v) + joints->compliance[i] * forces[i];
        bool idle = forces[i] == 0.0 && y[i] >= 0.0 && joints->lower[i] == 0.0; // right by itself
        bool bounded = tn_single_is_bounded(joints, i);
        wanted[i] = !idle && (bounded || joints->compliance[i] > 0.0);
        rho[i] = 1.0; // of what is idle, or holds rigidly, it is the same whatever it is
    }
    tn_singles_mass_of(joints, p->A, wanted, rho);
    double most = 0.0, fastest = p->velocity_scale;
    for (int i = 0; i < joints->n_singles; ++i) {
        double f = forces[i], pushed = f - rho[i] * y[i];
        double low = f - joints->lower[i], high = f - joints->upper[i]; // of f beyond its bounds
        double residual = pushed < joints->lower[i] ? low / rho[i] : pushed > joints->upper[i] ? high / rho[i] : y[i];
        most = tn_certificate_worse(most, fabs(residual));
        fastest = tn_certificate_worse(fastest, tn_single_driven(joints, i, f) / rho[i]);
    }
    for (int i = 0; i < 3 * p->A->n_rows; ++i) {
        fastest = tn_certificate_worse(fastest, fabs(s->v[i]));
    }
    out->joint = tn_certificate_ratio(most, fastest);
    return TN_OK;
}

// ---- scales of contacts

// One that nothing answers to (no mass moves, or A has a singular block) gets 1 s/kg: the residual's zero set is the
// same for any scale.
static double sound_scale(double scale)
{
    return scale > 0.0 && isfinite(scale) ? scale : 1.0;
}

static void scale_by_rows(const tn_blocks *W, double *scale)
{
    for (int i = 0; i < W->n_rows; ++i) {
        const double *w = tn_blocks_find(W, i, i);
        scale[i] = sound_scale(w ? tn_certificate_worse(w[0], tn_certificate_worse(w[4], w[8])) : 0.0);
    }
}

// ---- global form

// v that balances the forces to rounding is A^-1 (b + J^T lambda); above this momentum figure that is found anew.
static const double BALANCED = 1e-14;

// What the figures of the global form are made of.
typedef struct products {
    double *product, *push;    // (3 A->n_rows) A v; J^T lambda + G^T f, and
    const double *held;        // what the options say of it
    double *u, *free, *loaded; // (contacts->n, 3)
    double *scale;             // (contacts->n)
    tn_certificate_blocks blocks;
    tn_certificate_motion motion;
} products;

// Room for them; what the options keep lies where they say.
static bool make_room(const tn_problem *p, const tn_certificate_options *options, tn_arena *arena, products *out)
{
    size_t size = 3 * (size_t)p->A->n_rows, n = (size_t)p->rows->n_triples;
    *out = (products){.held = options->held,
                      .product = options->product ? options->product : TN_PUSH_RAW(arena, double, size),
                      .push = options->push ? options->push : TN_PUSH_RAW(arena, double, size),
                      .u = options->u ? options->u : TN_PUSH_RAW(arena, double, 3 * n),
                      .scale = options->scale ? options->scale : TN_PUSH_RAW(arena, double, n)};
    return out->product && out->push && out->u && out->scale;
}

// All that takes a reading of the Jacobians, in one.
static tn_status multiply_contacts(const tn_problem *p, const tn_solution *s, tn_arena *arena, products *out)
{
    const tn_rows *c = p->rows;
    int n_threads = out->blocks.n_threads;
    tn_contact_products ask = {.v = s->v,
                               .u = out->u,
                               .lambda = s->lambda,
                               .force = out->push,
                               .n_threads = n_threads,
                               .n_blocks = p->A->n_rows};
    if (out->blocks.regular) {
        ask.inverse = out->blocks.inverse;
        ask.diagonal = out->blocks.diagonal;
        ask.scale = out->scale;
    } else {
        memset(out->scale, 0, (size_t)c->n_triples * sizeof *out->scale);
    }
    bool apart = !out->blocks.regular; // no inverses: another reading
    if (out->motion.known) {
        out->free = TN_PUSH_RAW(arena, double, 3 * (size_t)c->n_triples);
        if (!out->free) {
            return TN_NO_MEMORY;
        }
        ask.v_free = apart ? NULL : out->motion.free;
        ask.u_free = apart ? NULL : out->free;
    }
    size_t n = 3 * (size_t)p->A->n_rows;
    if (out->held) {
        memcpy(out->push, out->held, n * sizeof *out->push);
    } else {
        memset(out->push, 0, n * sizeof *out->push);
    }
    tn_contact_products_run(c, &ask);
    tn_problem_add_softness(p, s->lambda, out->u);
    if (out->free && apart) {
        tn_problem_velocity(p, out->motion.free, NULL, out->free);
    }
    for (int i = 0; i < c->n_triples; i++) {
        out->scale[i] = sound_scale(out->scale[i]);
    }
    if (p->rows->n_singles > 0) {
        tn_singles_add_force(p->rows, tn_single_forces(p->rows, s->lambda), out->push);
    }
    return TN_OK;
}

// out->loaded, which for a v that balances the forces is u.
static tn_status find_loaded(const tn_problem *p, const tn_solution *s, bool balanced, tn_arena *arena, products *out)
{
    out->loaded = out->u;
    if (!out->motion.known || balanced) {
        return TN_OK;
    }
    double *v = TN_PUSH_RAW(arena, double, 3 * (size_t)p->A->n_rows);
    out->loaded = TN_PUSH_RAW(arena, double, 3 * (size_t)p->rows->n_triples);
    if (!v || !out->loaded) {
        return TN_NO_MEMORY;
    }
    for (size_t i = 0; i < 3 * (size_t)p->A->n_rows; ++i) {
        v[i] = p->b[i] + out->push[i];
    }
    tn_certificate_motion_solve(p, &out->blocks, &out->motion, v);
    tn_contact_products_run(
        p->rows,
        &(tn_contact_products){.v = v, .u = out->loaded, .n_threads = out->blocks.n_threads, .n_blocks = p->A->n_rows});
    tn_problem_add_softness(p, s->lambda, out->loaded);
    return TN_OK;
}

// The forces that the contacts' law is about: f_n + a where the contact pulls with a. False: no memory.
static bool judged_forces(const tn_rows *rows, const double *lambda, tn_arena *arena, const double **out)
{
    *out = lambda;
    if (!rows->preload) {
        return true;
    }
    double *judged = TN_PUSH_RAW(arena, double, 3 * (size_t)rows->n_triples);
    for (size_t i = 0; judged && i < 3 * (size_t)rows->n_triples; ++i) {
        judged[i] = lambda[i] + (i % 3 == 0 ? rows->preload[i / 3] : 0.0);
    }
    *out = judged;
    return judged != NULL;
}

static tn_status compute_global(const tn_problem *p, const tn_solution *s, const tn_certificate_options *options,
                                tn_arena *arena, tn_certificate *out)
{
    products x;
    bool with_fclib = options->with_fclib && p->rows->n_frictions == 0 && tn_joint_row_count(p) == 0 &&
                      !p->rows->preload && !options->held;
    if (!make_room(p, options, arena, &x) ||
        tn_certificate_blocks_create(p->A, p->rows, options->n_threads, arena, &x.blocks) != TN_OK) {
        return TN_NO_MEMORY;
    }
    tn_status status = with_fclib ? tn_certificate_find_motion(p, &x.blocks, arena, &x.motion) : TN_OK;
    tn_block_product(p->A, s->v, x.product, options->n_threads);
    status = status == TN_OK ? multiply_contacts(p, s, arena, &x) : status;
    if (status != TN_OK) {
        return status;
    }
    out->momentum = tn_certificate_momentum(p, x.product, x.push, tn_single_forces(p->rows, s->lambda));
    status = find_loaded(p, s, out->momentum <= BALANCED, arena, &x);
    const double *judged;
    status = judged_forces(p->rows, s->lambda, arena, &judged) ? status : TN_NO_MEMORY;
    if (status == TN_OK) {
        tn_certificate_rows rows = {.lambda = judged, .u = x.u, .scale = x.scale, .free = x.free, .loaded = x.loaded};
        status = tn_certificate_add_contacts(p, &rows, options->n_threads, arena, out);
    }
    return status == TN_OK ? add_joints(p, s, arena, out) : status;
}

// ---- local form

enum { FEW = 16 }; // contacts whose numbers have room on the stack

static tn_status compute_local(const tn_problem *p, const double *lambda, tn_arena *arena, tn_certificate *out)
{
    size_t n = (size_t)p->rows->n_triples;
    double few[4 * FEW], *u = n <= FEW ? few : TN_PUSH_RAW(arena, double, 4 * n);
    if (!u) {
        return TN_NO_MEMORY;
    }
    double *scale = u + 3 * n;
    tn_problem_velocity(p, NULL, lambda, u);
    scale_by_rows(p->W, scale);
    out->momentum = (double)NAN;
    const double *judged;
    if (!judged_forces(p->rows, lambda, arena, &judged)) {
        return TN_NO_MEMORY;
    }
    tn_certificate_rows rows = {.lambda = judged,
                                .u = u,
                                .scale = scale,
                                .free = p->rows->n_frictions == 0 && !p->rows->preload ? p->rows->offset : NULL,
                                .loaded = u};
    return tn_certificate_add_contacts(p, &rows, 1, arena, out);
}

// ---- both

tn_status tn_certificate_compute_with(const tn_problem *problem, const tn_solution *solution,
                                      const tn_certificate_options *options, tn_arena *arena,
                                      tn_certificate *certificate)
{
    *certificate = (tn_certificate){.fclib = (double)NAN, .penetration = (double)NAN, .drift = (double)NAN};
    tn_arena_mark mark = tn_arena_get_mark(arena);
    tn_status status = problem->W ? compute_local(problem, solution->lambda, arena, certificate)
                                  : compute_global(problem, solution, options, arena, certificate);
    tn_arena_release(arena, mark);
    return status;
}

tn_status tn_certificate_compute(const tn_problem *problem, const tn_solution *solution, bool with_fclib,
                                 tn_arena *arena, tn_certificate *certificate)
{
    const tn_certificate_options options = {.with_fclib = with_fclib, .n_threads = 1};
    return tn_certificate_compute_with(problem, solution, &options, arena, certificate);
}
