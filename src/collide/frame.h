// The contact frame: the tangents' directions.
#pragma once

#include "state/state.h"

// Whether what acts along it differs by direction: friction, or the springs beside it.
bool tn_surface_is_directed(const tn_surface *surface);

// Rows n, t1, t2, right-handed. t1 along the surface's direction where it is directed; where a body is confined
// to a plane, t1 lies in that plane, and where n does so too (1e-9) it is put there exactly and t2 is the plane's
// normal; else tn_mat3_frame. Numbers of soft bodies (n_bodies + s) are fine.
void tn_contact_frame(double frame[9], const tn_state *state, const tn_surface *surface, int body_a, int body_b,
                      const double normal[3]);

// True where bodies that are confined to planes, or do not move, meet along the planes' normal (1e-6 rad): they cannot
// give way, and what they press with the planes bear.
bool tn_contact_held(const tn_model *model, int body_a, int body_b, const double normal[3]);
