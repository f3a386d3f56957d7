// Many states of one model, stepped side by side: for learning, control by sampling, Monte Carlo.
#pragma once

#include "tenon/sim.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) // all else is hidden

// n states and a simulation for each thread. One thread at a time may call it; it makes its own. Every state's steps
// have the same bits as a simulation of one thread gives them, whatever the number of threads.
typedef struct tn_batch tn_batch;

// n initial states, at least 1. n_threads 0: one a processor. model stays the caller's and must outlive the batch. NULL
// on failure.
tn_batch *tn_batch_create(const tn_model *model, int n, int n_threads, tn_error *error);
void tn_batch_destroy(tn_batch *batch); // NULL is fine
int tn_batch_count(const tn_batch *batch);
// State number i (0 <= i < n), the batch's own: read it, write it, copy to it, save it between steps. NULL: none.
tn_state *tn_batch_state(tn_batch *batch, int i);
// tn_sim_set of all its simulations.
tn_status tn_batch_set(tn_batch *batch, int n_set, const char *const *set, tn_error *error);

// Every state by n_steps. input: arrays as in tn_input with n rows of each, one behind the other (wrench (n,
// tn_model_body_count, 6), effort (n, tn_model_coordinate_count), ..., gravity (n, 3)); NULL: nothing. They hold for
// all n_steps. reports (n), of the last step each has done, and statuses (n) may be NULL. Once warm it allocates
// nothing. A state whose step fails stays as it was before that step, the others go on. Returns TN_OK, or the status
// and error of the failed state with the lowest number, which the message names.
tn_status tn_batch_step(tn_batch *batch, int n_steps, const tn_input *input, tn_step_report *reports,
                        tn_status *statuses, tn_error *error);

// Of all states at once, into arrays of the caller (n rows of those of tn_state_get_bodies and its neighbours, one
// behind the other); what is NULL is left out.
typedef struct tn_batch_arrays {
    double *pose, *velocity;   // (n, tn_model_body_count, 7) and (.., 6) [m], [m/s, rad/s]
    double *x, *v;             // (n, tn_model_node_total, 3) [m], [m/s]
    double *coordinate, *rate; // (n, tn_model_coordinate_count) [m, rad], [m/s, rad/s]
    double *reading;           // (n, tn_model_reading_count) of sensors (tenon/sensor.h), after each state's last step
                               // in the batch; before the first of the start, NaN where a step is wanted. Noise is
                               // each state's own, by its number; that of number 0 is a single simulation's
} tn_batch_arrays;
void tn_batch_get(const tn_batch *batch, const tn_batch_arrays *out);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
