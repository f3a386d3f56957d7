// A friction problem in local form, as Siconos takes it, and the error of forces by our certificate.
#include "problem/certificate.h"
#include "problem/delassus.h"
#include "siconos_parts.h"

#include <math.h>

double siconos_fclib(siconos_problem *j, const double *r)
{
    tn_certificate c;
    tn_solution solution = {.lambda = (double *)r};
    tn_status status = tn_certificate_compute(&j->local, &solution, true, j->scratch, &c);
    tn_arena_reset(j->scratch);
    return status == TN_OK ? c.fclib : NAN;
}

bool siconos_make_local(siconos_problem *j, tn_error *error)
{
    const tn_problem *p = j->problem;
    int n = p->rows->n_triples;
    tn_delassus delassus = {.n = 0};
    if (tn_delassus_create(p, TN_DELASSUS_EXPLICIT, j->arena, &delassus, error) != TN_OK) {
        return false;
    }
    tn_blocks *W = TN_PUSH(j->arena, tn_blocks, 1);
    size_t n_values = 9 * (size_t)delassus.N->start[n];
    double *value = TN_PUSH(j->arena, double, n_values);
    j->mu = TN_PUSH(j->arena, double, n);
    j->r = TN_PUSH(j->arena, double, 3 * (size_t)n);
    if (!W || !value || !j->mu || !j->r) {
        tn_delassus_destroy(&delassus);
        return false;
    }
    *W = *delassus.N;
    W->value = value;
    for (size_t k = 0; k < n_values; k++) {
        value[k] = delassus.N->value[k] / p->step;
    }
    for (int m = 0; m < n; m++) {
        j->mu[m] = p->rows->mu[2 * (size_t)m];
    }
    j->contacts = (tn_rows){.n_triples = n, .offset = delassus.q, .mu = p->rows->mu};
    j->local = (tn_problem){.W = W, .rows = &j->contacts, .law = TN_LAW_COULOMB, .step = 1.0};
    tn_delassus_destroy(&delassus);
    return true;
}
