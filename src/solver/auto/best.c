// Copies of solutions, and which is the best: by the certificate, which tells those of different solvers apart.
#include "solver/auto/best.h"

#include "problem/certificate.h"

#include <math.h>
#include <string.h>

static size_t velocities(const tn_problem *problem)
{
    return problem->A ? 3 * (size_t)problem->A->n_rows : 0;
}

static size_t forces(const tn_problem *problem)
{
    return 3 * (size_t)problem->rows->n_triples + (size_t)problem->rows->n_singles;
}

void tn_auto_copy(const tn_problem *problem, const tn_solution *from, tn_solution *to)
{
    if (problem->A) {
        memcpy(to->v, from->v, velocities(problem) * sizeof *to->v);
    }
    memcpy(to->lambda, from->lambda, forces(problem) * sizeof *to->lambda);
}

tn_status tn_auto_keep(const tn_problem *problem, const tn_solution *from, tn_arena *arena, tn_solution *to,
                       tn_error *error)
{
    *to = (tn_solution){.v = TN_PUSH_RAW(arena, double, velocities(problem)),
                        .lambda = TN_PUSH_RAW(arena, double, forces(problem))};
    if (!to->v || !to->lambda) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for solver 'auto'");
    }
    tn_auto_copy(problem, from, to);
    return TN_OK;
}

static double ratio(double figure, double tolerance)
{
    return tolerance > 0.0 && !isnan(figure) ? figure / tolerance : 0.0;
}

tn_status tn_auto_score(const tn_problem *problem, const tn_tolerance *tolerance, const tn_solution *solution,
                        tn_arena *arena, double *score, tn_error *error)
{
    tn_certificate c;
    if (tn_certificate_compute(problem, solution, tolerance->fclib > 0.0, arena, &c) != TN_OK) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for solver 'auto'");
    }
    // Where only the law is demanded the balance counts as much, and where nothing is the law.
    double law = fmax(tolerance->natural, tolerance->fclib);
    double momentum = tolerance->momentum > 0.0 ? tolerance->momentum : law > 0.0 ? law : 1e-8;
    double natural = tolerance->natural > 0.0 || law > 0.0 ? tolerance->natural : 1e-8;
    *score = fmax(fmax(ratio(c.natural, natural), ratio(c.fclib, tolerance->fclib)),
                  fmax(ratio(c.momentum, momentum), ratio(c.joint, tolerance->joint)));
    *score = isnan(c.natural) || (problem->A && isnan(c.momentum)) ? HUGE_VAL : *score;
    return TN_OK;
}

tn_status tn_auto_best_keep(tn_auto_best *best, const tn_problem *problem, const tn_tolerance *tolerance,
                            const tn_solution *solution, tn_arena *arena, tn_error *error)
{
    double score = HUGE_VAL;
    tn_status status = tn_auto_score(problem, tolerance, solution, arena, &score, error);
    if (status == TN_OK && !best->solution.lambda) {
        status = tn_auto_keep(problem, solution, arena, &best->solution, error);
        best->score = score;
    } else if (status == TN_OK && score < best->score) {
        best->score = score;
        tn_auto_copy(problem, solution, &best->solution);
    }
    return status;
}

tn_status tn_auto_best_go_back(tn_auto_best *best, const tn_problem *problem, const tn_tolerance *tolerance,
                               tn_solution *solution, tn_arena *arena, tn_error *error)
{
    tn_status status = tn_auto_best_keep(best, problem, tolerance, solution, arena, error);
    if (status == TN_OK) {
        tn_auto_copy(problem, &best->solution, solution);
    }
    return status;
}
