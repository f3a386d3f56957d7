// What the coarse level of nodal does with packed vectors: only what the contacts, as the last sweep left them, leave
// free. Vectors are as in kernels/nodal/sweep.h.
#pragma once

#include "kernels/nodal/sweep.h"

// r = A x - b becomes the gradient on what the contacts leave free: zero where they stick; where they slide without its
// normal part and with the friction of the reaction.
void tn_nodal_truncate(const tn_nodal_rows *rows, const float *x, float *r);
// x -= d on what the contacts leave free, and no open contact penetrates; d becomes the change of x. Returns whether a
// sliding contact turned back.
bool tn_nodal_apply(const tn_nodal_rows *rows, float *x, float *d);
// Slope of the friction's power along d, after x has moved by d [W]:
//     sum of friction (t + alpha d_t) . d_t / |t + alpha d_t|,   t the slip before
double tn_nodal_friction_slope(const tn_nodal_rows *rows, const float *x, const float *d, double alpha);
