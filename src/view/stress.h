// Von Mises stress of soft bodies at their nodes, worked out from the nodes' places: every recording has it.
#pragma once

#include "record/recording.h"

typedef struct tn_node_stress tn_node_stress;
tn_node_stress *tn_node_stress_create(const tn_recording *recording, tn_error *error); // NULL on failure
void tn_node_stress_destroy(tn_node_stress *stress);                                   // NULL is fine
// x (n_nodes, 3) [m]; out (n_nodes) [Pa].
tn_status tn_node_stress_at(tn_node_stress *stress, const double *x, float *out, tn_error *error);
