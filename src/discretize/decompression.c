#include "discretize/decompression.h"

#include "math/mat3.h"
#include "problem/active.h"
#include "problem/problem.h"
#include "problem/rows.h"
#include "solver/check.h"
#include "solver/facets.h"

#include <math.h>
#include <string.h>

enum { ROUND = 16 }; // facets for a round cone
static const double HALF_TURN = 3.14159265358979323846;

// The arrays behind the joint rows while they are written.
typedef struct row_arrays {
    int *start, *block, *joint, *contact;
    double *jacobian, *offset, *compliance, *lower, *upper, *along;
    int n, entries;
} row_arrays;

// ---- who bounces

// Some contact that approaches faster than the threshold has been stopped: the step has an impact.
static bool has_impact(const tn_contact_rows *rows, const tn_problem *first, const tn_solution *solution)
{
    bool any = false;
    for (int m = 0; rows->restitution && m < rows->contacts.n_triples; m++) {
        any = any || (rows->restitution[m] > 0.0 && tn_contact_is_closed(first, m, solution->v, solution->lambda));
    }
    return any;
}

// returned (n) = e c, or part of it; their number.
static int find_returned(const tn_model *model, const tn_contact_list *list, const tn_contact_rows *rows,
                         const tn_problem *first, const double *lambda, const double *rest, const double *part,
                         double *returned)
{
    int n = first->rows->n_triples - first->rows->n_frictions, found = 0;
    for (int m = 0; m < n; m++) {
        double eps = list->contacts[rows->source[m]].surface->restitution;
        double excess = lambda[3 * m] - fmax(rest[3 * m], 0.0);
        bool bounces = eps > 0.0 && excess > 0.0 && excess > model->restitution_threshold * tn_check_rho(first, m);
        returned[m] = bounces ? eps * excess * (part ? part[m] : 1.0) : 0.0;
        found += returned[m] > 0.0;
    }
    return found;
}

// ---- friction of what is returned

// Friction rows of contact m: so many segments make the polygon.
static int segment_count(const tn_problem *p, int m)
{
    const double *mu = p->rows->mu + 2 * (size_t)m;
    if (p->law == TN_LAW_FRICTIONLESS || (mu[0] == 0.0 && mu[1] == 0.0)) {
        return 0;
    }
    return p->facets == 2 || (p->facets == 0 && tn_facets_planar(p, m)) ? 1 : (p->facets > 0 ? p->facets : ROUND) / 2;
}

static bool allocate(const tn_problem *p, const double *returned, tn_arena *arena, row_arrays *to)
{
    const tn_rows *c = p->rows;
    int own = tn_joint_row_count(p);
    size_t n = (size_t)own, friction = 0;
    size_t entries = own > 0 ? (size_t)(c->start[c->n_triples + own] - c->start[c->n_triples]) : 0;
    for (int m = 0; m < c->n_triples - c->n_frictions; m++) {
        size_t rows = returned[m] > 0.0 ? (size_t)segment_count(p, m) : 0;
        friction += rows;
        entries += rows * (size_t)(c->start[m + 1] - c->start[m]);
    }
    n += friction;
    *to = (row_arrays){.start = TN_PUSH(arena, int, n + 1),
                       .block = TN_PUSH_RAW(arena, int, entries),
                       .joint = TN_PUSH_RAW(arena, int, n),
                       .contact = TN_PUSH_RAW(arena, int, friction),
                       .jacobian = TN_PUSH_RAW(arena, double, 3 * entries),
                       .offset = TN_PUSH_RAW(arena, double, n),
                       .compliance = TN_PUSH(arena, double, n),
                       .lower = TN_PUSH_RAW(arena, double, n),
                       .upper = TN_PUSH_RAW(arena, double, n),
                       .along = TN_PUSH_RAW(arena, double, 2 * friction)};
    return to->start && to->block && to->joint && to->contact && to->jacobian && to->offset && to->compliance &&
           to->lower && to->upper && to->along;
}

// The step's rows; their bounds count what the compression has used up.
static void copy_own(const tn_problem *p, const double *force, row_arrays *to)
{
    const tn_rows singles = tn_rows_singles(p->rows), *from = &singles;
    to->n = tn_joint_row_count(p);
    if (to->n == 0) {
        return;
    }
    size_t n = (size_t)to->n, first = (size_t)from->start[0], entries = (size_t)from->start[n] - first;
    to->entries = (int)entries;
    for (size_t i = 0; i <= n; i++) {
        to->start[i] = from->start[i] - (int)first;
    }
    memcpy(to->block, from->block + first, entries * sizeof *to->block);
    memcpy(to->jacobian, from->jacobian + 3 * first, 3 * entries * sizeof *to->jacobian);
    memcpy(to->compliance, from->compliance, n * sizeof *to->compliance);
    memcpy(to->joint, from->joint, n * sizeof *to->joint);
    for (size_t i = 0; i < n; i++) {
        to->offset[i] = from->offset[i] + from->compliance[i] * force[i];
        to->lower[i] = from->lower[i] - force[i];
        to->upper[i] = from->upper[i] - force[i];
    }
}

// One row: contact m's velocity along (t1, t2), its force within +- bound.
static void add_row(const tn_problem *p, int n_own, int m, const double along[2], double bound, row_arrays *to)
{
    const tn_rows *c = p->rows;
    int i = to->n++, first = to->start[i];
    for (int e = c->start[m]; e < c->start[m + 1]; e++) {
        const double *J = c->jacobian + 9 * (size_t)e;
        int k = first;
        while (k < to->entries && to->block[k] != c->block[e]) {
            k++;
        }
        double *g = to->jacobian + 3 * (size_t)k;
        if (k == to->entries) {
            to->block[to->entries++] = c->block[e];
            tn_vec3_set(g, 0.0, 0.0, 0.0);
        }
        for (int j = 0; j < 3; j++) {
            g[j] += along[0] * J[3 + j] + along[1] * J[6 + j];
        }
    }
    to->start[i + 1] = to->entries;
    to->offset[i] = along[0] * c->offset[3 * (size_t)m + 1] + along[1] * c->offset[3 * (size_t)m + 2];
    to->lower[i] = -bound;
    to->upper[i] = bound;
    to->joint[i] = (n_own > 0 ? p->rows->joint[n_own - 1] : -1) + 1 + m;
    to->contact[i - n_own] = m;
    memcpy(to->along + 2 * (size_t)(i - n_own), along, 2 * sizeof *along);
}

// The polygon of friction mu e c as a sum of segments at right angles to its edges' normals.
static void add_friction(const tn_problem *p, int n_own, int m, double returned, row_arrays *to)
{
    const double *mu = p->rows->mu + 2 * (size_t)m;
    int n = segment_count(p, m);
    if (n == 1) {
        add_row(p, n_own, m, (const double[]){1.0, 0.0}, mu[0] * returned, to);
        return;
    }
    for (int k = 0; k < n; k++) {
        double angle = HALF_TURN * (0.5 + (k + 0.5) / n);
        double x = mu[0] * cos(angle), y = mu[1] * sin(angle), size = sqrt(x * x + y * y);
        if (size > 0.0) {
            add_row(p, n_own, m, (const double[]){x / size, y / size}, returned * sin(0.5 * HALF_TURN / n) * size, to);
        }
    }
}

// ---- the second problem

static bool fill_problem(const tn_problem *first, const tn_solution *solution, const double *returned,
                         const tn_rows *singles, tn_arena *arena, tn_decompression *out)
{
    size_t size = 3 * (size_t)first->A->n_rows;
    int n = first->rows->n_triples;
    double *b = TN_PUSH_RAW(arena, double, size);
    out->solution.v = TN_PUSH_RAW(arena, double, size);
    out->solution.lambda = TN_PUSH(arena, double, 3 * (size_t)n + (size_t)singles->n_singles);
    double *push = TN_PUSH_RAW(arena, double, 3 * (size_t)n);
    if (!b || !out->solution.v || !out->solution.lambda || !push) {
        return false;
    }
    int kept = n - out->n_anew;
    memset(push, 0, 3 * (size_t)n * sizeof *push);
    memcpy(push, solution->lambda, 3 * (size_t)kept * sizeof *push);
    memcpy(out->solution.lambda + 3 * (size_t)kept, solution->lambda + 3 * (size_t)kept,
           3 * (size_t)out->n_anew * sizeof *push);
    for (int m = 0; m < kept; m++) {
        push[3 * m] += returned[m];
    }
    memcpy(b, first->b, size * sizeof *b);
    memcpy(out->solution.v, solution->v, size * sizeof *b);
    tn_problem_add_contact_force(first, push, b);
    if (out->n_own > 0) {
        tn_singles_add_force(first->rows, tn_single_forces(first->rows, solution->lambda), b);
    }
    out->problem = *first;
    out->problem.b = b;
    out->problem.rows = &out->rows;
    return tn_rows_join(first->rows, singles, arena, &out->rows) == TN_OK;
}

tn_status tn_decompression_build(const tn_model *model, const tn_contact_list *list, const tn_contact_rows *rows,
                                 const tn_problem *first, const tn_solution *solution, const double *rest,
                                 const double *part, tn_arena *arena, tn_decompression *out, tn_error *error)
{
    const tn_rows *c = first->rows;
    row_arrays to;
    *out = (tn_decompression){.n_own = tn_joint_row_count(first), .n_anew = rows->n_balls};
    double *returned = TN_PUSH(arena, double, c->n_triples);
    if (!returned) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the impulses of %d contacts", c->n_triples);
    }
    if (!has_impact(rows, first, solution)) {
        return TN_OK;
    }
    out->n_bounces = find_returned(model, list, rows, first, solution->lambda, rest, part, returned);
    if (out->n_bounces == 0) {
        return TN_OK;
    }
    if (!allocate(first, returned, arena, &to)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the friction of %d contacts", out->n_bounces);
    }
    copy_own(first, tn_single_forces(c, solution->lambda), &to);
    for (int m = 0; m < c->n_triples - c->n_frictions; m++) {
        if (returned[m] > 0.0 && segment_count(first, m) > 0) {
            add_friction(first, out->n_own, m, returned[m], &to);
        }
    }
    out->returned = returned;
    out->contact = to.contact;
    out->along = to.along;
    const tn_rows singles = {.n_singles = to.n,
                             .start = to.start,
                             .block = to.block,
                             .jacobian = to.jacobian,
                             .offset = to.offset,
                             .compliance = to.compliance,
                             .lower = to.lower,
                             .upper = to.upper,
                             .joint = to.joint};
    return fill_problem(first, solution, returned, &singles, arena, out)
               ? TN_OK
               : tn_error_set(error, TN_NO_MEMORY, "no memory for the decompression of %d contacts", c->n_triples);
}

void tn_decompression_add(const tn_decompression *decompression, tn_solution *solution)
{
    const tn_decompression *d = decompression;
    int n = d->problem.rows->n_triples, kept = n - d->n_anew;
    memcpy(solution->v, d->solution.v, 3 * (size_t)d->problem.A->n_rows * sizeof *solution->v);
    memset(solution->lambda + 3 * (size_t)kept, 0, 3 * (size_t)d->n_anew * sizeof *solution->lambda);
    for (int i = 0; i < 3 * n; i++) {
        solution->lambda[i] += d->solution.lambda[i] + (i % 3 == 0 ? d->returned[i / 3] : 0.0);
    }
    const double *singles = tn_single_forces(&d->rows, d->solution.lambda);
    for (int i = 0; i < d->n_own; i++) {
        solution->lambda[3 * n + i] += singles[i];
    }
    for (int k = 0; k < d->rows.n_singles - d->n_own; k++) {
        double *lambda = solution->lambda + 3 * (size_t)d->contact[k], force = singles[d->n_own + k];
        lambda[1] += d->along[2 * k] * force;
        lambda[2] += d->along[2 * k + 1] * force;
    }
}
