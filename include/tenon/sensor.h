// Sensors of a scene: coordinates and forces of joints, motion of points of bodies, contact forces, distances along
// rays; with the noise that the scene gives them.
#pragma once

#include "tenon/sim.h"

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) // all else is hidden

// Sensors are numbered in the order of the scene.
int tn_model_sensor_count(const tn_model *model);
int tn_model_find_sensor(const tn_model *model, const char *name); // -1: none
const char *tn_model_sensor_name(const tn_model *model, int sensor);
const char *tn_model_sensor_type(const tn_model *model, int sensor); // the scene's word
const char *tn_model_sensor_unit(const tn_model *model, int sensor); // SI
int tn_model_sensor_width(const tn_model *model, int sensor);        // numbers that it reads, 1 to 4
// A reading of all sensors: how many numbers, and where those of one begin.
int tn_model_reading_count(const tn_model *model);
int tn_model_first_reading(const tn_model *model, int sensor);

// What reading them works with: one a thread.
typedef struct tn_sensors tn_sensors;
tn_sensors *tn_sensors_create(const tn_model *model, tn_error *error); // NULL on failure
void tn_sensors_destroy(tn_sensors *sensors);                          // NULL is fine
// All sensors into out (tn_model_reading_count), after the simulation's last step, which led to the state. Forces are
// those of that step, accelerations the change of velocity over it; what wants a step is NaN where sim is NULL or has
// none. Readings follow from state and step alone: noise is the same after a checkpoint, by the seed of the scene or of
// tn_sim_set. Allocates nothing but at first. TN_BAD_INPUT: the state is of another model.
tn_status tn_sensors_read(tn_sensors *sensors, const tn_sim *sim, const tn_state *state, double *out, tn_error *error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
