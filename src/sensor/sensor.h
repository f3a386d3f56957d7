// Readings of states of a batch, private to this room.
#pragma once

#include "tenon/sensor.h"

// tn_sensors_read with noise of its own for each number from 0; 0 is that of tn_sensors_read.
tn_status tn_sensors_read_of(tn_sensors *sensors, const tn_sim *sim, const tn_state *state, int number, double *out,
                             tn_error *error);
