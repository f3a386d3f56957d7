#include "discretize/problem.h"

#include "math/sums.h"
#include "math/vec3.h"
#include "problem/rows.h"

#include <math.h>
#include <string.h>

// Largest speed of kinematic surfaces at contacts [m/s].
static double fastest_surface(const tn_contact_rows *rows)
{
    double most = tn_largest(rows->contacts.n_triples, rows->surface);
    for (int m = 0; m < rows->contacts.n_triples; m++) {
        const double *w = rows->contacts.offset + 3 * (size_t)m;
        most = fmax(most, fmax(fabs(w[1]), fabs(w[2])));
    }
    return most;
}

// Size of the step's forces [N]. Where b is 0 but for rounding: the weight, or without gravity what brings all to the
// speed of kinematic bodies in a step (a plate that closes on a soft ball, whose elements' forces are rounding: 381
// iterations in its first step).
static double force_scale(const tn_model *model, const tn_balance *balance, double g, double driven)
{
    const double NOISE = 1e-9;
    double force = tn_largest(3 * (size_t)model->n_blocks, balance->b);
    double least = model->total_mass * (g > 0.0 ? g : driven / balance->h);
    return force > NOISE * least ? force : least;
}

tn_status tn_step_problem(const tn_model *model, const tn_state *state, const tn_balance *balance,
                          const tn_contact_rows *contacts, const tn_rows *joints, tn_arena *arena, tn_rows *all,
                          tn_problem *out, tn_error *error)
{
    double g = tn_vec3_norm(model->settings.gravity), driven = g > 0.0 ? 0.0 : fastest_surface(contacts);
    double speed = balance->h * g + tn_largest(3 * (size_t)model->n_blocks, state->v);
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
                        .force_scale = force_scale(model, balance, g, driven),
                        .change_scale = balance->h * g,
                        .start_v = start_v,
                        .velocity_scale = speed > 0.0 ? speed : driven};
    return tn_rows_join(&contacts->contacts, joints, arena, all) == TN_OK
               ? TN_OK
               : tn_error_set(error, TN_NO_MEMORY, "no memory for the rows of %d contacts and %d joint rows",
                              contacts->contacts.n_triples, joints ? joints->n_singles : 0);
}
