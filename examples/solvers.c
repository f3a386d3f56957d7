// One step's problem of a heap of balls that one falls onto, by every solver that takes it: what converges has the
// velocities of all others.
#include "common.h"

#include <math.h>
#include <string.h>

enum { MOST_V = 256, MOST_FORCES = 1024 };

int main(void)
{
    tn_model *model =
        model_of("step: 10 ms\n"
                 "materials: {default: {density: 500, friction: 0.5}}\n"
                 "defaults: {body: {shape: {sphere: 0.1}}}\n"
                 "bodies:\n"
                 "  floor: {fixed: true, shape: {plane: {}}}\n"
                 "  low: {position: [0, 0, 0.1], array: {count: [3, 3, 1], spacing: [0.2, 0.2, 0]}}\n"
                 "  middle: {position: [0.1, 0.1, 0.2415], array: {count: [2, 2, 1], spacing: [0.2, 0.2, 0]}}\n"
                 "  top: {position: [0.2, 0.2, 0.383], velocity: [0, 0, -1], angular_velocity: [0, 0, 5]}\n");
    tn_state *state = made(tn_state_create(model, &error));
    tn_sim *sim = made(tn_sim_create(model, &error));
    must(tn_sim_step(sim, NULL, state, NULL, &error));
    tn_stored_problem *stored = made(tn_stored_problem_copy(tn_sim_problem(sim, NULL), &error));
    const tn_problem *problem = tn_stored_problem_get(stored);
    tn_solve_options options = tn_solve_options_default();
    options.tolerance = (tn_tolerance){.momentum = 1e-10, .natural = 1e-10};
    options.max_iterations = 2000;
    static double first[MOST_V], v[MOST_V], lambda[MOST_FORCES];
    double apart = 0.0;
    int n_exact = 0, n_v = 3 * problem->A->n_rows;
    for (int i = 0; tn_solver_name(i); i++) {
        tn_solve_report report;
        tn_certificate certificate;
        tn_solution solution = {memset(v, 0, sizeof v), memset(lambda, 0, sizeof lambda)}; // a cold start
        if (tn_problem_solve(problem, tn_solver_name(i), &options, &solution, &report, &error) != TN_OK) {
            printf("%-10s %s\n", tn_solver_name(i), error.message);
            continue;
        }
        must(tn_problem_certify(problem, &solution, &certificate, &error)); // anybody's to ask, not the solver's
        printf("%-10s %5d iterations, natural map %.1e\n", tn_solver_name(i), report.iterations, certificate.natural);
        if (!report.converged) {
            continue;
        }
        for (int k = 0; k < n_v; k++) {
            first[k] = n_exact == 0 ? v[k] : first[k];
            apart = fmax(apart, fabs(v[k] - first[k]));
        }
        n_exact++;
    }
    printf("%d contacts; %d solvers reach 1e-10, their velocities differ by %.1e m/s\n", problem->rows->n_triples,
           n_exact, apart);
    tn_stored_problem_destroy(stored);
    tn_sim_destroy(sim), tn_state_destroy(state), tn_model_destroy(model);
    return n_exact >= 5 && apart < 1e-6 ? 0 : 1;
}
