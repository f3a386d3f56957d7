// An effort along a coordinate q with the rate G v is the generalized force G^T effort.
#include "discretize/joint_effort.h"

#include "model/joint_geometry.h"

#include <string.h>

static void add(tn_balance *balance, const tn_joint_entries *entries)
{
    double reach = balance->theta * balance->h;
    for (int e = 0; e < entries->n; e++) {
        size_t at = 3 * (size_t)entries->block[e];
        for (size_t i = 0; i < 3; i++) {
            double force = entries->entry[e][i];
            balance->b[at + i] += force;
            balance->applied[at + i] += force;
            if (balance->predicted) {
                balance->predicted[at + i] += reach * force / balance->mass[at + i];
            }
        }
    }
}

tn_status tn_balance_add_efforts(const tn_model *model, const tn_state *state, const double *effort, tn_arena *arena,
                                 tn_balance *balance, tn_error *error)
{
    const tn_joint_sides sides = {state->pose, state->x};
    size_t n_coordinates = (size_t)model->n_joint_coordinates;
    double *copy = TN_PUSH_RAW(arena, double, n_coordinates);
    if (!copy) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the efforts of %d joints", model->n_joints);
    }
    balance->effort = memcpy(copy, effort, n_coordinates * sizeof *copy);
    tn_arena_mark mark = tn_arena_get_mark(arena);
    for (int c = 0; c < model->n_joint_coordinates; c++) {
        if (effort[c] == 0.0) {
            continue;
        }
        int k;
        const tn_model_joint *of = tn_joint_of_coordinate(model, c, &k);
        tn_joint_share share[TN_GEAR_MOST];
        int n_shares = tn_joint_shares(model, of, k, share);
        for (int i = 0; i < n_shares; i++) {
            const tn_model_joint *joint = share[i].joint;
            int n = tn_joint_entry_count(model, joint);
            tn_joint_geometry geometry;
            tn_joint_entries entries = {.block = TN_PUSH_RAW(arena, int, n)};
            entries.entry = (double(*)[3])TN_PUSH_RAW(arena, double, 3 * (size_t)n);
            if (!entries.block || !entries.entry) {
                return tn_error_set(error, TN_NO_MEMORY, "no memory for the efforts of %d joints", model->n_joints);
            }
            tn_joint_look_at(model, joint, &sides, &geometry);
            tn_joint_add_entries(model, joint, state->pose, &geometry, &geometry.coordinate[share[i].k],
                                 share[i].factor * effort[c], &entries);
            add(balance, &entries);
            tn_arena_release(arena, mark);
        }
    }
    return TN_OK;
}
