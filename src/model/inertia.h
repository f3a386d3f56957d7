// Mass, center and inertia of a body, composed of its shapes or as given; principal axes.
#pragma once

#include "scene/scene.h"

typedef struct tn_inertia {
    double mass;      // [kg]
    double center[3]; // of mass, in the body's frame [m]
    double tensor[9]; // about the center, body axes [kg m^2]
} tn_inertia;

// As given, else the sum over the body's shapes; all zero when these have no volume or density.
void tn_inertia_compose(const tn_scene_body *body, tn_inertia *out);

// Adds a point of the given mass; place in the body's frame.
void tn_inertia_add_point(tn_inertia *inertia, double mass, const double place[3]);

// Principal frame (center, principal axes) in the body's frame and the moments in its axes. A tensor that is diagonal
// already keeps the body's axes, so that spheres and boxes need no turn (and isotropic bodies get no arbitrary one).
void tn_inertia_principal(const tn_inertia *inertia, tn_pose *principal, double moments[3]);

// Moment about the unit axis (body axes) through the center [kg m^2].
double tn_inertia_about(const tn_inertia *inertia, const double axis[3]);
