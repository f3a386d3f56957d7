#include "solver/pieces/walk.h"

#include "math/blocks.h"
#include "math/vec3.h"
#include "problem/problem.h"

#include <math.h>
#include <string.h>

// Forces in a heap exceed what its slow contacts would need by orders of magnitude: z weighs both alike.
static const double STIFFNESS = 500.0; // of rho, in a contact's own inertia
static const double EXACT = 1e-11, ON_FACE = 1e-12, BEYOND = 1e-9;
static const double TURN = 0.5; // of a slipping contact's direction in a step, at most
static const double STALE = 0.4, SHRINK = 0.4, STRAY = 3.0, SMALL = 1e-7, NO_STEP = 1e-13;
enum { CORRECTIONS = 14, TRIES = 40, START_STEPS = 40, NO_STEPS = 20 };

static bool push_point(tn_piece_point *p, size_t n_v, size_t n, tn_arena *arena)
{
    p->v = TN_PUSH(arena, double, n_v);
    p->z = TN_PUSH(arena, double, 3 * n);
    return p->v && p->z;
}

bool tn_piece_walk_create(tn_piece_walk *w, const tn_problem *problem, double speed, double mobility, tn_arena *arena)
{
    size_t n = (size_t)problem->rows->n_triples, n_v = 3 * (size_t)problem->A->n_rows;
    *w = (tn_piece_walk){.problem = problem, .n = (int)n, .n_v = (int)n_v};
    w->rho = STIFFNESS / mobility;
    w->speed = speed * sqrt((double)n);
    w->force = w->speed / mobility;
    w->piece = TN_PUSH(arena, int, n);
    double **vectors[] = {&w->dv, &w->cv, &w->nv, &w->R_v},
           **contacts[] = {&w->dz, &w->cz, &w->nz, &w->R_u, &w->rate, &w->lambda};
    bool ok = w->piece && push_point(&w->at, n_v, n, arena) && push_point(&w->from, n_v, n, arena);
    for (size_t i = 0; i < sizeof vectors / sizeof vectors[0]; ++i) {
        *vectors[i] = TN_PUSH(arena, double, n_v);
        ok = ok && *vectors[i];
    }
    for (size_t i = 0; i < sizeof contacts / sizeof contacts[0]; ++i) {
        *contacts[i] = TN_PUSH(arena, double, 3 * n);
        ok = ok && *contacts[i];
    }
    return ok && tn_piece_system_create(&w->system, problem, mobility, arena);
}

static double mu_of(const tn_piece_walk *w, int m)
{
    return w->problem->rows->mu[2 * (size_t)m];
}

static tn_piece_law law_of(const tn_piece_walk *w, int m)
{
    return (tn_piece_law){.mu = mu_of(w, m), .rho = w->rho, .t = w->at.t, .held = w->held[m]};
}

// Residuals, forces and rates at `at`.
static double evaluate(tn_piece_walk *w)
{
    double sum = 0.0, force = 0.0;
    for (int m = 0; m < w->n; ++m) {
        tn_piece_law law = law_of(w, m);
        tn_piece_value value;
        tn_piece_evaluate(&law, (tn_piece)w->piece[m], w->at.z + 3 * (size_t)m, &value);
        memcpy(w->lambda + 3 * (size_t)m, value.lambda, sizeof value.lambda);
        memcpy(w->R_u + 3 * (size_t)m, value.u, sizeof value.u);
        w->rate[3 * (size_t)m] = value.rate;
    }
    tn_problem_velocity(w->problem, w->at.v, NULL, w->cz);
    for (int i = 0; i < 3 * w->n; ++i) {
        w->R_u[i] -= w->cz[i];
        sum += w->R_u[i] * w->R_u[i];
    }
    tn_blocks_mul(w->problem->A, w->at.v, w->R_v);
    memcpy(w->cv, w->problem->b, (size_t)w->n_v * sizeof *w->cv);
    tn_problem_add_contact_force(w->problem, w->lambda, w->cv);
    for (int i = 0; i < w->n_v; ++i) {
        w->R_v[i] -= w->cv[i];
        force += w->R_v[i] * w->R_v[i];
    }
    w->residual = sqrt(sum) / w->speed + sqrt(force) / w->force;
    return w->residual;
}

// Slopes of `at`, factored, and the tangent with dt = 1. Returns the determinant's sign.
static int factor(tn_piece_walk *w)
{
    for (int m = 0; m < w->n; ++m) {
        tn_piece_law law = law_of(w, m);
        tn_piece_slopes(&law, (tn_piece)w->piece[m], w->at.z + 3 * (size_t)m, w->system.B + 9 * (size_t)m,
                        w->system.C + 9 * (size_t)m);
    }
    return tn_piece_system_factor(&w->system);
}

static void find_tangent(tn_piece_walk *w)
{
    for (int i = 0; i < 3 * w->n; ++i) {
        w->cz[i] = -w->rate[i];
    }
    tn_piece_system_solve(&w->system, NULL, w->cz, w->nv, w->nz);
}

static void find_correction(tn_piece_walk *w)
{
    for (int i = 0; i < w->n_v; ++i) {
        w->R_v[i] = -w->R_v[i];
    }
    for (int i = 0; i < 3 * w->n; ++i) {
        w->R_u[i] = -w->R_u[i];
    }
    tn_piece_system_solve(&w->system, w->R_v, w->R_u, w->cv, w->cz);
}

static double dot(const tn_piece_walk *w, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < 3 * w->n; ++i) {
        sum += a[i] * b[i];
    }
    return sum / (w->force * w->force);
}

static void copy_point(const tn_piece_walk *w, const tn_piece_point *from, tn_piece_point *to)
{
    memcpy(to->v, from->v, (size_t)w->n_v * sizeof *to->v);
    memcpy(to->z, from->z, 3 * (size_t)w->n * sizeof *to->z);
    to->t = from->t;
}

// at += a (dv, dz, dt)
static void advance(tn_piece_walk *w, double a, const double *dv, const double *dz, double dt)
{
    for (int i = 0; i < w->n_v; ++i) {
        w->at.v[i] += a * dv[i];
    }
    for (int i = 0; i < 3 * w->n; ++i) {
        w->at.z[i] += a * dz[i];
    }
    w->at.t += a * dt;
}

static void classify(tn_piece_walk *w)
{
    for (int m = 0; m < w->n; ++m) {
        w->piece[m] = tn_piece_of(mu_of(w, m), w->at.z + 3 * (size_t)m);
    }
}

bool tn_piece_walk_start(tn_piece_walk *w, const double *held, const double *v, const double *lambda)
{
    w->held = held;
    w->at.t = 1.0;
    memcpy(w->at.v, v, (size_t)w->n_v * sizeof *v);
    tn_problem_velocity(w->problem, v, NULL, w->at.z);
    for (int m = 0; m < w->n; ++m) {
        double *z = w->at.z + 3 * (size_t)m;
        z[0] += held[m];
        tn_vec3_madd(z, lambda + 3 * (size_t)m, -w->rho, z);
    }
    classify(w);
    double before = evaluate(w);
    for (int k = 0; k < START_STEPS && before > EXACT; ++k) {
        if (factor(w) == 0) {
            return false;
        }
        find_correction(w);
        copy_point(w, &w->at, &w->from);
        memcpy(w->dv, w->cv, (size_t)w->n_v * sizeof *w->cv);
        memcpy(w->dz, w->cz, 3 * (size_t)w->n * sizeof *w->cz);
        double a = 1.0, now;
        do {
            copy_point(w, &w->from, &w->at);
            advance(w, a, w->dv, w->dz, 0.0);
            classify(w);
            now = evaluate(w);
            a *= 0.5;
        } while (!(now < before) && a > 1e-3);
        if (!(now < before)) {
            return before <= BEYOND;
        }
        before = now;
    }
    return before <= BEYOND;
}

typedef struct piece_step {
    double length;
    int contact; // that changes, -1: none
    tn_piece_face face;
    bool last; // to t = 0
} piece_step;

// How far the tangent leads until a contact reaches a face, t = 0, or the slipping ones turn too far.
static piece_step plan(const tn_piece_walk *w)
{
    piece_step s = {.length = w->reach, .contact = -1, .face = TN_FACE_NONE};
    if (w->dt < 0.0 && -w->from.t / w->dt < s.length) {
        s.length = -w->from.t / w->dt;
        s.last = true;
    }
    for (int m = 0; m < w->n; ++m) {
        const double *z = w->from.z + 3 * (size_t)m, *d = w->dz + 3 * (size_t)m;
        if (w->piece[m] == TN_PIECE_SLIP) {
            double turn = fabs(z[1] * d[2] - z[2] * d[1]), size = z[1] * z[1] + z[2] * z[2];
            if (turn * s.length > TURN * size) {
                s = (piece_step){.length = TURN * size / turn, .contact = -1, .face = TN_FACE_NONE};
            }
        }
        tn_piece_face face = TN_FACE_NONE;
        double a = tn_piece_leave(mu_of(w, m), (tn_piece)w->piece[m], z, d, &face);
        if (a < s.length) {
            s = (piece_step){.length = a, .contact = m, .face = face};
        }
    }
    return s;
}

// Distance to the face that the step is to end on, in units, and its slope.
static double miss(const tn_piece_walk *w, const piece_step *s, double slope[3])
{
    int m = s->contact;
    return tn_piece_inside(mu_of(w, m), (tn_piece)w->piece[m], s->face, w->at.z + 3 * (size_t)m, slope) / w->force;
}

// Newton's corrections of `at`: onto the path across the tangent, on the face, or at t = 0. False: they fail.
static bool correct(tn_piece_walk *w, const piece_step *s, int *needed)
{
    double last = HUGE_VAL, slope[3];
    bool fresh = false;
    for (int k = 0; k < CORRECTIONS; ++k) {
        double now = evaluate(w), off = s->contact >= 0 ? miss(w, s, slope) : 0.0;
        *needed = k;
        if (now <= EXACT && fabs(off) <= ON_FACE) {
            return true;
        }
        if (!(now < 1.0) || (fresh && k > 3 && now > 0.9 * last)) {
            return false;
        }
        fresh = now > STALE * last;
        if (fresh && factor(w) == 0) {
            return false;
        }
        last = now;
        double along = 0.0;
        if (!s->last && (k == 0 || fresh)) {
            find_tangent(w);
        }
        find_correction(w);
        if (s->contact >= 0) {
            const double *c = w->cz + 3 * (size_t)s->contact, *n = w->nz + 3 * (size_t)s->contact;
            along = -(off * w->force + tn_vec3_dot(slope, c)) / tn_vec3_dot(slope, n);
        } else if (!s->last) {
            along = -dot(w, w->cz, w->dz) / (dot(w, w->nz, w->dz) + w->dt);
        }
        if (!isfinite(along)) {
            return false;
        }
        advance(w, 1.0, w->cv, w->cz, 0.0);
        if (along != 0.0) {
            advance(w, along, w->nv, w->nz, 1.0);
        }
    }
    return false;
}

// Whether every contact but the one that changes is in its piece, and the point is where the step led.
static bool is_near(tn_piece_walk *w, const piece_step *s)
{
    double sum = 0.0;
    for (int m = 0; m < w->n; ++m) {
        double excess = tn_piece_excess(mu_of(w, m), (tn_piece)w->piece[m], w->at.z + 3 * (size_t)m);
        if (m != s->contact && excess > BEYOND * w->force) {
            return false;
        }
    }
    for (int i = 0; i < 3 * w->n; ++i) {
        double moved = (w->at.z[i] - w->from.z[i]) / w->force;
        sum += moved * moved;
    }
    return s->length < SMALL || sqrt(sum) < STRAY * s->length;
}

// The unit tangent at `at`, the way the orientation says. False: singular.
static bool face_on(tn_piece_walk *w)
{
    int sign = factor(w);
    if (sign == 0) {
        return false;
    }
    evaluate(w);
    find_tangent(w);
    double over = 1.0 / sqrt(1.0 + dot(w, w->nz, w->nz));
    if (w->orientation == 0) {
        w->orientation = -sign; // t falls first
    }
    over = sign == w->orientation ? over : -over;
    bool before = w->dt < 0.0;
    w->dt = over;
    w->turns += before != (w->dt < 0.0);
    for (int i = 0; i < w->n_v; ++i) {
        w->dv[i] = over * w->nv[i];
    }
    for (int i = 0; i < 3 * w->n; ++i) {
        w->dz[i] = over * w->nz[i];
    }
    return isfinite(over);
}

// One step from `at`. False: lost.
static bool step(tn_piece_walk *w, piece_step *s)
{
    copy_point(w, &w->at, &w->from);
    *s = plan(w);
    int tries = 0, needed = 0;
    double planned = s->length;
    bool on = false;
    while (!on && tries++ < TRIES) {
        copy_point(w, &w->from, &w->at);
        advance(w, s->length, w->dv, w->dz, w->dt);
        w->at.t = s->last ? 0.0 : w->at.t;
        on = correct(w, s, &needed) && is_near(w, s);
        if (!on) {
            *s = (piece_step){.length = SHRINK * s->length, .contact = -1, .face = TN_FACE_NONE};
        }
    }
    bool shorter = s->length < planned || s->contact < 0;
    double growth = needed <= 4 ? 3.0 : needed <= 7 ? 2.0 : 1.0;
    w->reach = shorter || needed > 5 ? s->length * growth : fmax(w->reach, 2.0 * s->length);
    w->steps++;
    return on;
}

tn_piece_end tn_piece_walk_go(tn_piece_walk *w, int most)
{
    w->reach = HUGE_VAL;
    w->dt = -1.0;
    w->orientation = 0;
    piece_step s = {.last = false};
    int n_short = 0; // one after the other
    while (!s.last) {
        if (w->system.factorisations >= most) {
            return TN_PIECE_TIRED;
        }
        if (!face_on(w) || !step(w, &s)) {
            return TN_PIECE_LOST;
        }
        n_short = s.length < NO_STEP ? n_short + 1 : 0;
        if (n_short > NO_STEPS) {
            return TN_PIECE_LOST;
        }
        if (s.contact >= 0) {
            w->piece[s.contact] = tn_piece_beyond((tn_piece)w->piece[s.contact], s.face);
            w->changes++;
        }
    }
    return TN_PIECE_ARRIVED;
}
