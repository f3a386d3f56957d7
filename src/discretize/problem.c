#include "discretize/problem.h"

#include "math/vec3.h"
#include "problem/rows.h"

#include <string.h>

// Largest |x_i|; a NaN does not count. Four at a time: they do not wait for one another.
static double largest(const double *x, int n)
{
    double most[4] = {0.0};
    int i = 0;
    for (; i + 4 <= n; i += 4) {
        for (int k = 0; k < 4; k++) {
            double size = fabs(x[i + k]);
            most[k] = size > most[k] ? size : most[k];
        }
    }
    for (; i < n; i++) {
        double size = fabs(x[i]);
        most[0] = size > most[0] ? size : most[0];
    }
    return fmax(fmax(most[0], most[1]), fmax(most[2], most[3]));
}

tn_status tn_step_problem(const tn_model *model, const tn_state *state, const tn_balance *balance,
                          const tn_contact_rows *contacts, const tn_rows *joints, tn_arena *arena, tn_rows *all,
                          tn_problem *out, tn_error *error)
{
    double g = tn_vec3_norm(model->settings.gravity);
    double force = largest(balance->b, 3 * model->n_blocks);
    double *start_v = TN_PUSH_RAW(arena, double, 3 * (size_t)model->n_blocks); // the problem outlives them
    if (!start_v) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %d velocities", 3 * model->n_blocks);
    }
    memcpy(start_v, state->v, 3 * (size_t)model->n_blocks * sizeof *start_v);
    *out = (tn_problem){.A = balance->A,
                        .b = balance->b,
                        .rows = all,
                        .law = model->settings.law,
                        .facets = model->settings.facets,
                        .step = balance->h,
                        .hints = &balance->hints,
                        .force_scale = force > 0.0 ? force : g * model->total_mass,
                        .change_scale = balance->h * g,
                        .start_v = start_v,
                        .velocity_scale = balance->h * g + largest(state->v, 3 * model->n_blocks)};
    return tn_rows_join(&contacts->contacts, joints, arena, all) == TN_OK
               ? TN_OK
               : tn_error_set(error, TN_NO_MEMORY, "no memory for the rows of %d contacts and %d joint rows",
                              contacts->contacts.n_triples, joints ? joints->n_singles : 0);
}
