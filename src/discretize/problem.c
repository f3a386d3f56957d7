#include "discretize/problem.h"

#include "math/sums.h"
#include "math/vec3.h"
#include "problem/rows.h"

#include <string.h>

tn_status tn_step_problem(const tn_model *model, const tn_state *state, const tn_balance *balance,
                          const tn_contact_rows *contacts, const tn_rows *joints, tn_arena *arena, tn_rows *all,
                          tn_problem *out, tn_error *error)
{
    double g = tn_vec3_norm(model->settings.gravity);
    double force = tn_largest(3 * (size_t)model->n_blocks, balance->b);
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
                        .velocity_scale = balance->h * g + tn_largest(3 * (size_t)model->n_blocks, state->v)};
    return tn_rows_join(&contacts->contacts, joints, arena, all) == TN_OK
               ? TN_OK
               : tn_error_set(error, TN_NO_MEMORY, "no memory for the rows of %d contacts and %d joint rows",
                              contacts->contacts.n_triples, joints ? joints->n_singles : 0);
}
