// One V-FPI step: the kernel's pass over the nodes, then bodies and general contacts one after the other.
#include "solver/cond/system.h"

#include "law/cone.h"
#include "math/mat3.h"

#include <string.h>

// out += m x. Here, not in math/: the sweep lives on it being inlined.
static inline void add_product(double out[3], const double m[9], const double x[3])
{
    out[0] += m[0] * x[0] + m[1] * x[1] + m[2] * x[2];
    out[1] += m[3] * x[0] + m[4] * x[1] + m[5] * x[2];
    out[2] += m[6] * x[0] + m[7] * x[1] + m[8] * x[2];
}

static inline double *row_of(const tn_cond_system *s, double *x, int row)
{
    return x + 4 * (size_t)s->lane[row];
}

void tn_cond_velocity(const tn_cond_system *s, int m, const double *x, const double lambda_m[3], double u[3])
{
    const tn_rows *c = &s->general;
    memcpy(u, c->offset + 3 * (size_t)m, 3 * sizeof *u);
    if (c->softness) {
        add_product(u, c->softness + 9 * (size_t)m, lambda_m);
    }
    for (int e = c->start[m]; e < c->start[m + 1]; e++) {
        add_product(u, c->jacobian + 9 * (size_t)e, x + 4 * (size_t)s->lane[c->block[e]]);
    }
}

// The rows of body c from f by its inverse.
static void solve_body(const tn_cond_system *s, int c, const double *f, double *x)
{
    const tn_cond_bodies *bodies = &s->bodies;
    const int *rows = bodies->parts->blocks + bodies->parts->start[c];
    int n = 3 * tn_part_size(bodies->parts, c);
    const double *line = bodies->inverse + bodies->inverse_start[c];
    for (int i = 0; i < n; i++, line += n) {
        double sum = 0.0;
        for (int j = 0; j < n; j++) {
            sum += line[j] * f[4 * (size_t)s->lane[rows[j / 3]] + (size_t)(j % 3)];
        }
        row_of(s, x, rows[i / 3])[i % 3] = sum;
    }
}

// Bodies by A^-1 (b + J^T lambda).
static void predict_bodies(const tn_cond_system *s, const double *lambda, double *out)
{
    const tn_rows *c = &s->general;
    for (int k = 0; k < s->n_held; k++) {
        memcpy(row_of(s, s->f, s->held[k]), s->problem->b + 3 * (size_t)s->held[k], 3 * sizeof(double));
    }
    for (int m = 0; m < c->n_triples; m++) {
        for (int e = c->start[m]; e < c->start[m + 1]; e++) {
            tn_mat3_add_tvec(row_of(s, s->f, c->block[e]), c->jacobian + 9 * (size_t)e, lambda + 3 * m);
        }
    }
    for (int k = 0; k < s->bodies.parts->n; k++) {
        if (s->bodies.inverse_start[k + 1] > s->bodies.inverse_start[k]) {
            solve_body(s, k, s->f, out);
        }
    }
}

// What the old forces do to the nodes of general contacts: the kernel's step knows nothing of them.
static void push_nodes(const tn_cond_system *s, double alpha, const double *lambda, double *out)
{
    const tn_rows *c = &s->general;
    for (int m = 0; m < c->n_triples; m++) {
        for (int e = c->start[m]; e < c->start[m + 1]; e++) {
            double w = alpha * tn_cond_w(s, c->block[e]);
            double force[3] = {w * lambda[3 * m], w * lambda[3 * m + 1], w * lambda[3 * m + 2]};
            if (w > 0.0) {
                tn_mat3_add_tvec(row_of(s, out, c->block[e]), c->jacobian + 9 * (size_t)e, force);
            }
        }
    }
}

// The source's operators: strict (normal first, then the disc at that normal force) or proximal (nearest point).
static void project(tn_law law, const double mu[2], double f[3])
{
    switch (law) {
    case TN_LAW_COULOMB:
        tn_cone_strict(mu, f);
        break;
    case TN_LAW_CONVEX:
        tn_cone_proximal(mu, f);
        break;
    case TN_LAW_FRICTIONLESS:
        tn_cone_frictionless(f);
        break;
    }
}

// One after the other: contacts that share a body or a node see each other's change. All at once, a box on its four
// corners diverges.
static void sweep(const tn_cond_system *s, const tn_cond_step_options *options, double *out, double *lambda)
{
    double alpha = options->fpi.alpha;
    for (int m = 0; m < s->general.n_triples; m++) {
        double gamma = options->gamma * (s->gamma_body[m] + alpha * s->gamma_node[m]);
        if (!(gamma > 0.0)) {
            continue; // a contact that moves nothing
        }
        double u[3], old[3], change[3];
        double *l = lambda + 3 * m;
        tn_cond_velocity(s, m, out, l, u);
        for (int i = 0; i < 3; i++) {
            old[i] = l[i];
            l[i] -= u[i] / gamma;
        }
        project(s->problem->law, s->general.mu + 2 * (size_t)m, l);
        for (int i = 0; i < 3; i++) {
            change[i] = l[i] - old[i];
        }
        for (int r = s->response_start[m]; r < s->response_start[m + 1]; r++) {
            int block = s->response_block[r];
            double scale = s->bodies.is_node[block] ? alpha : 1.0;
            double scaled[3] = {scale * change[0], scale * change[1], scale * change[2]};
            add_product(row_of(s, out, block), s->response + 9 * (size_t)r, scaled);
        }
    }
}

// Chebyshev's combination of one number.
static inline double combine(const tn_fpi_step *step, double F, double x, double previous)
{
    return step->plain ? F : step->nu * (step->relaxation * (F - x) + x - previous) + previous;
}

// Held rows and forces of the iterate before x, which out holds until the kernel's pass.
static void keep_held(const tn_cond_system *s, const double *out)
{
    for (int k = 0; k < s->n_held; k++) {
        memcpy(s->before + 3 * (size_t)k, out + 4 * (size_t)s->lane[s->held[k]], 3 * sizeof *out);
    }
    memcpy(s->before + 3 * (size_t)s->n_held, out + s->n_packed, 3 * (size_t)s->general.n_triples * sizeof *out);
}

// Held rows and forces from F to the combination; their part of the sums.
static void combine_held(tn_cond_system *s, const tn_fpi_step *step, const double *x, double *out, tn_fpi_sums *sums)
{
    const double *before = s->before;
    for (int k = 0; k < s->n_held; k++) {
        size_t at = 4 * (size_t)s->lane[s->held[k]];
        double w = step->alpha * tn_cond_w(s, s->held[k]);
        for (size_t i = at; i < at + 3; i++) {
            double F = out[i], next = combine(step, F, x[i], *before++);
            double residual = w > 0.0 ? (F - x[i]) / w : 0.0;
            sums->theta += (next - x[i]) * (next - x[i]);
            sums->residual += residual * residual;
            out[i] = next;
        }
        if (s->bodies.n_nodes > 0) {
            tn_fpi_rewrite(&s->fpi, s->lane[s->held[k]], out + at);
        }
    }
    for (int i = s->n_packed; i < tn_cond_size(s); i++) {
        out[i] = combine(step, out[i], x[i], *before++);
    }
}

void tn_cond_step(tn_cond_system *s, const tn_cond_step_options *options, const double *x, double *out,
                  tn_fpi_sums *sums)
{
    double *lambda = out + s->n_packed;
    *sums = (tn_fpi_sums){0.0, 0.0};
    if (!options->fpi.plain) {
        keep_held(s, out);
    }
    if (s->bodies.n_nodes > 0) {
        tn_fpi_pass(&s->fpi, &options->fpi, x, out, out, s->n_threads, sums);
    }
    if (s->n_held == 0) {
        return;
    }
    for (int k = 0; k < s->n_held; k++) {
        if (!s->bodies.is_node[s->held[k]]) {
            memcpy(row_of(s, out, s->held[k]), x + 4 * (size_t)s->lane[s->held[k]], 3 * sizeof *x);
        }
    }
    memcpy(lambda, x + s->n_packed, 3 * (size_t)s->general.n_triples * sizeof *x);
    if (options->refresh) {
        predict_bodies(s, lambda, out);
    }
    push_nodes(s, options->fpi.alpha, lambda, out);
    sweep(s, options, out, lambda);
    combine_held(s, &options->fpi, x, out, sums);
}
