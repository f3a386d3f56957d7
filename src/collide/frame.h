// The contact frame: the tangents' directions.
#pragma once

#include "state/state.h"

// Rows n, t1, t2, right-handed. t1 along mu1's direction where friction is anisotropic; where a body is confined
// to a plane, t1 lies in that plane; else tn_mat3_frame. Numbers of soft bodies (n_bodies + s) are fine.
void tn_contact_frame(double frame[9], const tn_state *state, const tn_surface *surface, int body_a, int body_b,
                      const double normal[3]);
