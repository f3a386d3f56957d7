#include "solver/nodal/coarse.h"

#include "law/cone.h"
#include "math/mat3.h"
#include "problem/hints.h"
#include "solver/nodal/prolong.h"

#include <math.h>
#include <string.h>

enum { LANES = TN_SELL_LANES };
static const double DROPPED = 1e-11; // pivots below this part of the largest

tn_status tn_nodal_coarse_create(tn_nodal_system *system, int size, tn_arena *arena, tn_nodal_coarse *out)
{
    const tn_problem *p = system->problem;
    *out = (tn_nodal_coarse){.system = system, .arena = arena};
    out->state = TN_PUSH(arena, int64_t, LANES * system->n_contact_slices);
    out->general = TN_PUSH(arena, signed char, system->general.n);
    out->slave = TN_PUSH(arena, int, system->general.n);
    out->slave_entry = TN_PUSH(arena, int, system->general.n);
    out->slave_of_row = TN_PUSH(arena, int, p->A->n_rows);
    out->motion = TN_PUSH(arena, signed char, p->A->n_rows);
    out->normal = TN_PUSH_RAW(arena, double, 4 * (size_t)p->A->n_rows);
    out->across = TN_PUSH_RAW(arena, double, 4 * (size_t)p->A->n_rows);
    out->along = TN_PUSH_RAW(arena, double, 4 * (size_t)p->A->n_rows);
    out->other = TN_PUSH_RAW(arena, int, p->A->n_rows);
    out->place = TN_PUSH_RAW(arena, int, p->A->n_rows);
    if (!out->state || !out->general || !out->slave || !out->slave_entry || !out->slave_of_row || !out->motion ||
        !out->normal || !out->across || !out->along || !out->other || !out->place ||
        tn_nodal_groups_create(p->A, system->layout, p->hints ? p->hints->place : NULL, size, arena, &out->groups) !=
            TN_OK) {
        return TN_NO_MEMORY;
    }
    out->y = TN_PUSH(arena, float, TN_SKYLINE_STRIDE * out->groups.n_blocks);
    out->mark = tn_arena_get_mark(arena);
    return out->y ? TN_OK : TN_NO_MEMORY;
}

static tn_nodal_state general_state(const tn_nodal_system *s, int g, const double lambda[3])
{
    const double *mu = s->problem->rows->mu + 2 * s->general.id[g];
    if (!(lambda[0] > 0.0)) {
        return TN_NODAL_OPEN;
    }
    if (s->problem->law == TN_LAW_FRICTIONLESS || !(mu[0] > 0.0) || !(mu[1] > 0.0)) {
        return TN_NODAL_SLIDE;
    }
    double a = lambda[1] / mu[0], b = lambda[2] / mu[1];
    return sqrt(a * a + b * b) < (1.0 - 1e-9) * lambda[0] ? TN_NODAL_STICK : TN_NODAL_SLIDE;
}

double tn_nodal_coarse_change(const tn_nodal_coarse *c)
{
    const tn_nodal_system *s = c->system;
    if (!c->built) {
        return 1.0;
    }
    int changed = 0, closed = 0, n = s->n_contact_slices;
    for (int k = 0; k < LANES * n; k++) {
        int64_t now = s->rows.contacts[k / LANES].state[k % LANES];
        closed += now != TN_NODAL_OPEN;
        changed += now != c->state[k];
    }
    return changed / (closed + 1.0);
}

bool tn_nodal_coarse_ties_changed(const tn_nodal_coarse *c, const double *lambda)
{
    for (int g = 0; g < c->system->general.n; g++) {
        if (general_state(c->system, g, lambda + 3 * g) != (tn_nodal_state)c->general[g]) {
            return true;
        }
    }
    return false;
}

tn_status tn_nodal_coarse_build(tn_nodal_coarse *c, bool secant, const double *lambda)
{
    tn_nodal_system *s = c->system;
    for (int k = 0; k < s->n_contact_slices; k++) {
        memcpy(c->state + LANES * k, s->rows.contacts[k].state, LANES * sizeof *c->state);
    }
    for (int g = 0; g < s->general.n; g++) {
        c->general[g] = (signed char)general_state(s, g, lambda + 3 * g);
    }
    tn_arena_release(c->arena, c->mark);
    c->built = false;
    int *first = TN_PUSH(c->arena, int, c->groups.n_blocks);
    if (!first || tn_nodal_prolong(c, secant, first) != TN_OK ||
        !tn_skyline_create(&c->factor, c->groups.n_blocks, first, c->arena)) {
        return TN_NO_MEMORY;
    }
    tn_galerkin_add(s->problem->A, &c->P, &c->groups.runs, &c->factor, s->n_threads);
    tn_skyline_factor(&c->factor, DROPPED);
    c->built = true;
    return TN_OK;
}

// y += sign B^T f of a node that moves with its group.
static void add_plain(const tn_nodal_coarse *c, int row, float sign, const float *f, float *y)
{
    bool affine = c->groups.of_row[row] < c->groups.n_affine;
    double B[2 * TN_SKYLINE_STRIDE * 3];
    tn_coarse_row(affine, c->groups.arm + 4 * (size_t)row, B);
    int at = tn_coarse_block(c->groups.n_affine, c->groups.of_row[row]);
    for (int b = 0; b < (affine ? 2 : 1); b++) {
        float *to = y + TN_SKYLINE_STRIDE * (size_t)(at + b);
        for (int j = 0; j < 6; j++) {
            const double *column = B + 24 * b + j;
            to[j] += sign * (float)(column[0] * (double)f[0] + column[8] * (double)f[1] + column[16] * (double)f[2]);
        }
    }
}

// y as if all nodes moved with their groups.
static void sum_groups(const tn_nodal_coarse *c, const float *g)
{
    int n_affine = c->groups.n_affine, n_blocks = c->groups.n_blocks;
    if (n_affine == 0) {
        tn_rigid_groups_sum(&c->groups.rigid, g, c->y, c->system->n_threads);
        return;
    }
    tn_affine_groups_sum(&c->groups.rigid, n_affine, g, c->y, c->system->n_threads);
    memset(c->y + TN_SKYLINE_STRIDE * 2 * (size_t)n_affine, 0,
           TN_SKYLINE_STRIDE * (size_t)(n_blocks - 2 * n_affine) * sizeof *c->y);
}

// y = P^T g: first as if all nodes moved with their groups.
static void restrict_to_groups(const tn_nodal_coarse *c, const float *g)
{
    sum_groups(c, g);
    for (int k = 0; k < c->P.n_others; k++) {
        int row = c->P.other[k];
        const float *f = g + 4 * (size_t)c->system->order->lane[row];
        if (c->groups.unit[row] < 0) {
            add_plain(c, row, -1.0F, f, c->y);
        }
        for (int p = c->P.start[k]; p < c->P.start[k + 1]; p++) {
            const double *B = c->P.value + 24 * (size_t)p;
            float *to = c->y + TN_SKYLINE_STRIDE * (size_t)c->P.group[p];
            for (int j = 0; j < 6; j++) {
                to[j] += (float)(B[j] * (double)f[0] + B[8 + j] * (double)f[1] + B[16 + j] * (double)f[2]);
            }
        }
    }
}

// d = P y.
static void prolong_to_nodes(const tn_nodal_coarse *c, float *d)
{
    if (c->groups.n_affine > 0) {
        tn_affine_groups_move(&c->groups.rigid, c->groups.n_affine, c->y, d, c->system->n_threads);
    } else {
        tn_rigid_groups_move(&c->groups.rigid, c->y, d, c->system->n_threads);
    }
    for (int k = 0; k < c->P.n_others; k++) {
        int row = c->P.other[k];
        double sum[3] = {0.0, 0.0, 0.0};
        for (int p = c->P.start[k]; p < c->P.start[k + 1]; p++) {
            const double *B = c->P.value + 24 * (size_t)p;
            const float *y = c->y + TN_SKYLINE_STRIDE * (size_t)c->P.group[p];
            for (int j = 0; j < 6; j++) {
                sum[0] += B[j] * (double)y[j];
                sum[1] += B[8 + j] * (double)y[j];
                sum[2] += B[16 + j] * (double)y[j];
            }
        }
        float *to = d + 4 * (size_t)c->system->order->lane[row];
        for (int j = 0; j < 3; j++) {
            to[j] = (float)sum[j];
        }
    }
}

void tn_nodal_coarse_solve(const tn_nodal_coarse *c, const float *g, float *d)
{
    restrict_to_groups(c, g);
    tn_skyline_solve(&c->factor, c->y);
    prolong_to_nodes(c, d);
}

// Slip before the move by d, and its change, of general contact g.
static void slip_of(const tn_nodal_system *s, int g, const double lambda[3], const float *x, const float *d,
                    double before[3], double change[3])
{
    const tn_rows *contacts = s->problem->rows;
    const double *J = contacts->jacobian + 9 * contacts->start[s->general.id[g]];
    double u[3];
    tn_nodal_velocity(s, g, x, lambda, u);
    tn_vec3_set(change, 0.0, 0.0, 0.0);
    for (int e = s->general.place_start[g]; e < s->general.place_start[g + 1]; e++, J += 9) {
        double moved[3];
        tn_nodal_widen(moved, d + s->general.place[e]);
        tn_mat3_add_vec(change, J, moved);
    }
    tn_vec3_sub(before, u, change);
}

double tn_nodal_coarse_friction_slope(const tn_nodal_coarse *c, const double *lambda, const float *x, const float *d,
                                      double alpha, bool *turned)
{
    const tn_nodal_system *s = c->system;
    double sum = 0.0;
    for (int g = 0; g < s->general.n; g++) {
        if (c->slave[g] < 0 || c->general[g] != TN_NODAL_SLIDE || s->problem->law == TN_LAW_FRICTIONLESS) {
            continue;
        }
        double t[3], change[3];
        const double *l = lambda + 3 * g;
        slip_of(s, g, l, x, d, t, change);
        double moved[2] = {t[1] + alpha * change[1], t[2] + alpha * change[2]};
        double before = sqrt(t[1] * t[1] + t[2] * t[2]), after = sqrt(moved[0] * moved[0] + moved[1] * moved[1]);
        double along = t[1] * change[1] + t[2] * change[2];
        if (turned) {
            *turned = *turned || along < -before * before;
        }
        if (before > 0.0 && after > 0.0) {
            double force = sqrt(l[1] * l[1] + l[2] * l[2]);
            sum += force * ((moved[0] * change[1] + moved[1] * change[2]) / after - along / before);
        }
    }
    return sum;
}

// r = (A x - f) of one row.
static void row_residual(const tn_nodal_system *s, int row, const float *x, double r[3])
{
    const tn_blocks *A = s->problem->A;
    double v[3];
    tn_nodal_widen(v, s->f + 4 * (size_t)s->order->lane[row]);
    tn_vec3_scale(r, -1.0, v);
    for (int e = A->start[row]; e < A->start[row + 1]; e++) {
        tn_nodal_widen(v, x + 4 * (size_t)s->order->lane[A->column[e]]);
        tn_mat3_add_vec(r, A->value + 9 * (size_t)e, v);
    }
}

// Keep the force in its cone; a sliding one also on it, in its old direction.
static void limit_force(const tn_nodal_system *s, int g, bool slides, double lambda[3])
{
    const double *mu = s->problem->rows->mu + 2 * s->general.id[g];
    if (s->problem->law == TN_LAW_FRICTIONLESS) {
        tn_cone_frictionless(lambda);
        return;
    }
    if (slides && mu[0] > 0.0 && mu[1] > 0.0) {
        double a = lambda[1] / mu[0], b = lambda[2] / mu[1], length = sqrt(a * a + b * b);
        double scale = length > 0.0 ? fmax(lambda[0], 0.0) / length : 0.0;
        lambda[1] *= scale;
        lambda[2] *= scale;
    }
    tn_cone_strict(mu, lambda);
}

static bool meets_body(const tn_nodal_coarse *c, int g)
{
    const tn_rows *contacts = c->system->problem->rows;
    int m = c->system->general.id[g];
    for (int e = contacts->start[m]; e < contacts->start[m + 1]; e++) {
        if (c->groups.unit[contacts->block[e]] >= 0) {
            return true;
        }
    }
    return false;
}

void tn_nodal_coarse_forces(const tn_nodal_coarse *c, const float *x, double *lambda)
{
    tn_nodal_system *s = c->system;
    for (int g = 0; g < s->general.n; g++) {
        if (c->slave[g] < 0 || !meets_body(c, g)) {
            continue;
        }
        const double *J = s->problem->rows->jacobian + 9 * c->slave_entry[g];
        double r[3], change[3], inverse[9], *l = lambda + 3 * g;
        bool slides = c->general[g] == TN_NODAL_SLIDE;
        row_residual(s, c->slave[g], x, r);
        if (slides) {
            l[0] += tn_vec3_dot(J, r) / tn_vec3_dot(J, J);
        } else if (tn_mat3_inverse(inverse, J)) {
            tn_mat3_tvec(change, inverse, r);
            tn_vec3_add(l, l, change);
        }
        limit_force(s, g, slides, l);
    }
    tn_nodal_set_force(s, lambda);
}
