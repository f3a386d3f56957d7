#include "discretize/problem.h"

#include "math/vec3.h"

static double largest(const double *x, int n)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(x[i]));
    }
    return most;
}

void tn_step_problem(const tn_model *model, const tn_state *state, const tn_balance *balance,
                     const tn_contact_rows *rows, tn_problem *out)
{
    double g = tn_vec3_norm(model->settings.gravity);
    double force = largest(balance->b, 3 * model->n_blocks);
    *out = (tn_problem){.A = balance->A,
                        .b = balance->b,
                        .contacts = &rows->contacts,
                        .law = model->settings.law,
                        .step = balance->h,
                        .layout = model->layout,
                        .place = balance->place,
                        .force_scale = force > 0.0 ? force : g * model->total_mass,
                        .velocity_scale = balance->h * g + largest(state->v, 3 * model->n_blocks)};
}
