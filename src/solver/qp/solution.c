// Forces on the rows of tn_qp_rows from a solution, and back.
#include "problem/problem.h"
#include "problem/rows.h"
#include "solver/facets.h"
#include "solver/qp/parts.h"

#include <math.h>
#include <string.h>

// lambda as a sum of rays: the two directions on either side of lambda_t, what is left of lambda_n on a pair of
// opposite ones.
static void read_contact(const tn_qp_rows *s, int m, const double *lambda, double *f)
{
    const tn_problem *p = s->problem;
    int n = s->first[m + 1] - s->first[m], half = n / 2, at = 0;
    double mu = tn_facets_mu(p, m), left = fmax(lambda[0], 0.0), part[2] = {0.0, 0.0};
    memset(f, 0, (size_t)n * sizeof *f);
    if (n == 1) {
        f[0] = left;
        return;
    }
    for (int i = 0; i < n; ++i) {
        double a[2], b[2];
        tn_facets_direction(p, m, i, a);
        tn_facets_direction(p, m, (i + 1) % n, b);
        double det = n == 2 ? a[0] : a[0] * b[1] - a[1] * b[0];
        if (fabs(det) < 1e-12) {
            continue; // a flat cone
        }
        double x = n == 2 ? lambda[1] / det : (lambda[1] * b[1] - lambda[2] * b[0]) / det;
        double y = n == 2 ? 0.0 : (a[0] * lambda[2] - a[1] * lambda[1]) / det;
        if (x >= 0.0 && y >= 0.0) {
            at = i;
            part[0] = x / mu;
            part[1] = y / mu;
            break;
        }
    }
    double sum = part[0] + part[1], shrink = sum > left ? left / sum : 1.0;
    left = fmax(0.0, left - sum);
    f[at] += part[0] * shrink + 0.5 * left;
    f[(at + 1) % n] += part[1] * shrink;
    f[(at + half) % n] += 0.5 * left;
}

void tn_qp_rows_read(const tn_qp_rows *s, const tn_solution *solution, double *f)
{
    int n = s->problem->rows->n_triples;
    for (int m = 0; m < n; ++m) {
        read_contact(s, m, solution->lambda + 3 * (size_t)m, f + s->first[m]);
    }
    const double *singles = tn_single_forces(s->problem->rows, solution->lambda);
    for (int i = s->first[n]; i < s->n; ++i) {
        f[i] = tn_single_clamp(s->problem->rows, i - s->first[n], singles[i - s->first[n]]);
    }
    for (int i = 0; i < s->n; ++i) {
        f[i] /= s->scale[i];
    }
}

void tn_qp_rows_write(const tn_qp_rows *s, const double *f, tn_solution *solution)
{
    const tn_problem *p = s->problem;
    int n = p->rows->n_triples;
    for (int m = 0; m < n; ++m) {
        double *lambda = solution->lambda + 3 * (size_t)m;
        tn_vec3_set(lambda, 0.0, 0.0, 0.0);
        for (int i = s->first[m]; i < s->first[m + 1]; ++i) {
            tn_vec3_madd(lambda, lambda, f[i] * s->scale[i], s->push + 3 * (size_t)i);
        }
    }
    memcpy(solution->v, p->b, 3 * (size_t)p->A->n_rows * sizeof *solution->v);
    tn_problem_add_contact_force(p, solution->lambda, solution->v);
    double *singles = tn_single_forces(p->rows, solution->lambda);
    for (int i = s->first[n]; i < s->n; ++i) {
        double force = f[i] * s->scale[i];
        singles[i - s->first[n]] = force;
        tn_single_push(p->rows, i - s->first[n], force, solution->v);
    }
    tn_parts_solve(&s->factors, solution->v);
}
