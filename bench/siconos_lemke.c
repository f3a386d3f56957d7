// Rows of Lemke's table: the polyhedral law by pivoting on both sides.
#include "peer_siconos.h"
#include "peers.h"
#include "problem/certificate.h"
#include "siconos_parts.h"
#include "solver/solver.h"

#include <math.h>
#include <string.h>

enum { FACETS = 4, LEMKE_CONTACTS = 100 };

#ifdef WITH_SICONOS
// The LCP of the polyhedral law in (c_n, beta, lambda) of W and q; directions evenly turned from the first tangent.
// M (size, size) and q (size), size = n (2 + facets).
static void make_lcp(const siconos_problem *j, int facets, double *M, double *q)
{
    int n = j->contacts.n_triples;
    size_t size = (size_t)n * (size_t)(2 + facets);
    const tn_blocks *W = j->local.W;
    for (int i = 0; i < n; i++) {
        for (int row = 0; row <= facets; row++) {
            double angle = row == 0 ? 0.0 : 2.0 * M_PI * (row - 1) / facets;
            double left[3] = {row == 0, row == 0 ? 0.0 : cos(angle), row == 0 ? 0.0 : sin(angle)};
            size_t at = row == 0 ? (size_t)i : (size_t)(n + i * facets + row - 1);
            const double *own = &j->contacts.offset[3 * (size_t)i];
            q[at] = left[0] * own[0] + left[1] * own[1] + left[2] * own[2];
            for (int e = W->start[i]; e < W->start[i + 1]; e++) {
                const double *w = &W->value[9 * (size_t)e];
                for (int column = 0; column <= facets; column++) {
                    double turn = column == 0 ? 0.0 : 2.0 * M_PI * (column - 1) / facets, sum = 0.0;
                    double right[3] = {column == 0, column == 0 ? 0.0 : cos(turn), column == 0 ? 0.0 : sin(turn)};
                    for (int k = 0; k < 9; k++) {
                        sum += left[k / 3] * w[k] * right[k % 3];
                    }
                    int k = W->column[e];
                    M[at * size + (column == 0 ? (size_t)k : (size_t)(n + k * facets + column - 1))] = sum;
                }
            }
            if (row > 0) {
                size_t bound = (size_t)(n + n * facets + i);
                M[at * size + bound] = 1.0;
                M[bound * size + at] = -1.0;
                M[bound * size + (size_t)i] = j->mu[i];
            }
        }
    }
}

#endif

static double polyhedral_error(siconos_problem *j, const double *r)
{
    tn_certificate c;
    tn_solution solution = {.lambda = (double *)r};
    tn_status status = tn_certificate_compute(&j->local, &solution, false, j->scratch, &c);
    tn_arena_reset(j->scratch);
    return status == TN_OK ? c.natural : NAN;
}

static siconos_attempt their_lemke(siconos_problem *j, int facets)
{
    siconos_attempt a = {.seconds = NAN, .reached = NAN};
#ifdef WITH_SICONOS
    int n = j->contacts.n_triples, size = n * (2 + facets);
    double *M = TN_PUSH(j->arena, double, (size_t)size *(size_t)size), *q = TN_PUSH(j->arena, double, size);
    double *z = TN_PUSH(j->arena, double, size);
    if (!M || !q || !z) {
        return a;
    }
    make_lcp(j, facets, M, q);
    siconos_run run = siconos_lemke(size, M, q, 1e-12, z);
    a.seconds = run.seconds;
    a.iterations = run.iterations;
    for (int i = 0; i < n; i++) {
        double *r = &j->r[3 * (size_t)i];
        r[0] = z[i];
        r[1] = r[2] = 0.0;
        for (int k = 0; k < facets; k++) {
            r[1] += cos(2.0 * M_PI * k / facets) * z[n + i * facets + k];
            r[2] += sin(2.0 * M_PI * k / facets) * z[n + i * facets + k];
        }
    }
    a.reached = polyhedral_error(j, j->r);
#else
#endif
    return a;
}

static siconos_attempt our_lemke(siconos_problem *j)
{
    siconos_attempt a = {.seconds = NAN, .reached = NAN};
    tn_solution solution = {.lambda = j->r};
    tn_solve_options options = tn_solve_options_default();
    tn_solve_report report = {.iterations = 0};
    memset(j->r, 0, 3 * (size_t)j->contacts.n_triples * sizeof *j->r);
    double start = peer_seconds();
    tn_status status = tn_solver_find("lemke")->solve(&j->local, &options, j->scratch, &solution, &report, NULL);
    a.seconds = peer_seconds() - start;
    tn_arena_reset(j->scratch);
    a.iterations = report.iterations;
    a.reached = status == TN_OK ? polyhedral_error(j, j->r) : NAN;
    return a;
}

void siconos_lemke_row(table *t, siconos_problem *j, bool planar)
{
    if (j->contacts.n_triples > LEMKE_CONTACTS) {
        return;
    }
    j->local.facets = planar ? 2 : FACETS;
    siconos_attempt they = their_lemke(j, j->local.facets), we = our_lemke(j);
    table_word(t, "%s", j->name);
    table_number(t, "%.0f", j->contacts.n_triples);
    table_number(t, "%.0f", j->local.facets);
    table_number(t, "%.3f", 1e3 * they.seconds);
    table_number(t, "%.1e", they.reached);
    table_number(t, "%.3f", 1e3 * we.seconds);
    table_number(t, "%.1e", we.reached);
    table_number(t, "%.0f", we.iterations);
    table_number(t, "%.1f", they.reached <= 1e-8 ? they.seconds / we.seconds : NAN);
    table_row(t);
    j->local.facets = 0;
}

int siconos_lemke_contacts(void)
{
    return LEMKE_CONTACTS;
}
