// Energy from nowhere: a run that gains far more than its bodies ever had has blown up.
//
// What moves and strains, kinetic and elastic energy, comes from what was there, from gravity and from what is
// injected; more of it is the time discretisation's own error. (What is pushed out of an overlap may rise against
// gravity without a cause in the books: that counts as no gain.) It is compared with what the sim has seen first, anew
// where the state is not the one that the last step left, and not while an input pushes (a hand's spring, a controller:
// explicit forces that follow the motion). What there was to move: kinetic and elastic energy then, what
// gravity has given since, what was injected; at least what bodies have that start to fall for a step, or are pushed
// out of an overlap.
#include "math/vec3.h"
#include "sim/sim.h"

#include <math.h>

static double least_scale(const tn_model *model)
{
    const tn_settings *s = &model->settings;
    double fall = s->step * tn_vec3_norm(s->gravity), push = fmin(s->push_out, model->margin / s->step);
    return 0.5 * model->total_mass * (fall * fall + push * push);
}

static double kinetic_of(const tn_step_equations *eq, const tn_step_next *next, int first, int end)
{
    double sum = 0.0;
    for (int i = first; i < end; i++) {
        sum += 0.5 * eq->balance.mass[i] * next->v[i] * next->v[i];
    }
    return sum;
}

// Body with most of the kinetic energy, soft bodies counted behind the rigid ones; -1: unknown.
static int fastest_body(const tn_solved_step *step)
{
    const tn_model *model = step->setup->model;
    double most = 0.0;
    int fastest = -1;
    for (int b = 0; step->eq->balance.mass && b < model->n_bodies; b++) {
        const tn_model_body *body = &model->bodies[b];
        double here = kinetic_of(step->eq, step->next, 3 * body->block, 3 * (body->block + body->n_blocks));
        if (here > most) {
            most = here;
            fastest = b;
        }
    }
    for (int s = 0; step->eq->balance.mass && s < model->n_softs; s++) {
        const tn_model_soft *soft = &model->softs[s];
        double here = 0.0;
        for (int i = soft->first_node; i < soft->first_node + soft->n_nodes; i++) {
            int block = model->nodes[i].block;
            here += block >= 0 ? kinetic_of(step->eq, step->next, 3 * block, 3 * block + 3) : 0.0;
        }
        if (here > most) {
            most = here;
            fastest = model->n_bodies + s;
        }
    }
    return fastest;
}

static const char *remedy(const tn_model *model)
{
    if (model->settings.scheme != TN_SCHEME_MIDPOINT) {
        return "take a smaller step or finer tolerances";
    }
    return model->n_softs > 0 ? "take a smaller step, scheme euler, or give soft bodies damping"
                              : "take a smaller step or scheme euler";
}

// Whether this step goes on from where the last one ended.
static bool goes_on(const tn_energy_watch *watch, const tn_energy *before)
{
    return before->kinetic == watch->kinetic_left && before->gravity == watch->gravity_left;
}

tn_status tn_sim_check_gain(const tn_solved_step *step, tn_energy_watch *watch, const tn_energy *before,
                            const tn_energy *after, tn_error *error)
{
    const tn_model *model = step->setup->model;
    const tn_input *input = step->setup->input;
    bool pushed = input && (input->wrench || input->node_force || input->effort);
    if (!goes_on(watch, before)) {
        *watch = (tn_energy_watch){before->kinetic, before->elastic, before->gravity, before->injected, NAN, NAN};
    }
    watch->kinetic_left = pushed ? NAN : after->kinetic;
    watch->gravity_left = after->gravity;
    double given = fmax(watch->gravity - after->gravity, 0.0), injected = after->injected - watch->injected;
    double gain = after->kinetic + after->elastic - watch->kinetic - watch->elastic - given - injected;
    double there = watch->kinetic + watch->elastic + given + fabs(injected) + least_scale(model);
    bool still = model->n_blocks == 0; // all sleep: no scale, and nothing to blow up
    if (!(gain > model->settings.gain_limit * there) || pushed || still) {
        return TN_OK;
    }
    int body = fastest_body(step);
    return tn_error_set(error, TN_NUMERICS,
                        "%.3g J of energy have come from nowhere, %.3g times what there was%s%s%s: %s (gain_limit)",
                        gain, gain / there, body >= 0 ? ", most of it in body '" : "",
                        body >= 0 ? tn_model_body_name(model, body) : "", body >= 0 ? "'" : "", remedy(model));
}
