// Von Mises stress of soft bodies at their nodes, worked out from the nodes' places: every recording has it.
#pragma once

#include "record/recording.h"

typedef struct tn_node_stress tn_node_stress;
// In arena; scratch is for the call.
tn_status tn_node_stress_create(const tn_recording *recording, tn_arena *arena, tn_arena *scratch,
                                tn_node_stress **stress, tn_error *error);
// x (n_nodes, 3) [m]; out (n_nodes) [Pa].
tn_status tn_node_stress_at(const tn_node_stress *stress, const double *x, tn_arena *scratch, float *out,
                            tn_error *error);
