// A pendulum swings up by a weak torque, which pumps energy in, and balances by feedback.
#include "common.h"

#include <math.h>

int main(void)
{
    const double mass = 1.0, length = 1.0, strength = 3.0; // the weight's torque is up to 9.8 N m
    const double half_turn = acos(-1.0);
    tn_model *model = model_of("step: 5 ms\n"
                               "scheme: midpoint\n"
                               "bodies: {bob: {mass: 1, position: [0, 0, -1], shape: {sphere: 0.05}}}\n"
                               "joints: {pivot: {type: revolute, b: bob, anchor: [0, 0, 0], axis: [0, 1, 0]}}\n");
    tn_state *state = made(tn_state_create(model, &error));
    tn_sim *sim = made(tn_sim_create(model, &error));
    double inertia = mass * length * length + 0.4 * mass * 0.05 * 0.05, top = mass * 9.81 * length;
    double angle = 0.0, rate = 0.0, off = half_turn;
    for (int step = 0; step < 4000; step++) {
        double energy = 0.5 * inertia * rate * rate - top * cos(angle);
        double balance = -30.0 * off - 8.0 * rate, pump = 2.0 * (top - energy) * (rate < 0.0 ? -1.0 : 1.0);
        double effort = fabs(off) < 0.3 && fabs(rate) < 2.0 ? balance : pump;
        effort = fmin(fmax(effort, -strength), strength);
        must(tn_sim_step(sim, &(tn_input){.effort = &effort}, state, NULL, &error));
        tn_state_get_coordinates(state, &angle, &rate);
        off = remainder(angle - half_turn, 2.0 * half_turn); // from upright
    }
    printf("%.1e rad from upright, %.1e rad/s\n", off, rate);
    tn_sim_destroy(sim), tn_state_destroy(state), tn_model_destroy(model);
    return fabs(off) < 1e-3 && fabs(rate) < 1e-3 ? 0 : 1;
}
