// A set of a soft body's nodes as a joint sees it: the rigid motion that fits the nodes best.
//
// With the weights w_i (share of the mass), the places x_i and the arms X_i from the center at the start,
//
//     c = sum w_i x_i,   F = sum w_i (x_i - c) X_i^T = S R   (R the rotation that minimises sum w_i |x_i - c - R
//     X_i|^2),
//
// the frame is (c, R), and its velocity is exactly (F R^T symmetric, so that K is)
//
//     v_c = sum w_i v_i,   omega = K^-1 sum w_i a_i x v_i,   a_i = R X_i,   K = tr(F R^T) 1 - F R^T.
//
// Undeformed this is the angular velocity of least squares. A force f at c and a torque tau on the frame are therefore
// the nodes' forces w_i (f + (K^-1 tau) x a_i), whose sum is f and whose moment about c is tau (for any deformation:
// sum w_i (x_i - c) x (k x a_i) = K k): momentum and angular momentum are kept to rounding. The nodes are free to
// deform otherwise. R by Horn, "Closed-form solution of absolute orientation using unit quaternions" (1987): it needs
// no full rank, so that the nodes of a face will do, but not those of a line.
#pragma once

#include "model/model.h"

typedef struct tn_set_frame {
    tn_pose pose;      // (c, R)
    double inverse[9]; // K^-1 [1/m^2]; 0 where the nodes lie on a line
} tn_set_frame;

// x (3 n_nodes) the model's nodes.
void tn_set_look(const tn_model_set *set, const double *x, tn_set_frame *out);
