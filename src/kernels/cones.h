// What an interior point method does with many second-order cones of three numbers, four at a time: the formulas of
// solver/ipm/interior_cone.h.
//
// Vectors are (n, 3), n cones one behind the other, x and y inside their cones. A scaling W of Nesterov and Todd, with
// W y = W^-1 x = l, is kept as its first row q (n, 3) and its square's determinant `spread` (n), det W = spread^(3/2):
//
//     W = [q_0, q_t^T; q_t, size I + q_t q_t^T / (size + q_0)],  size = sqrt(spread),  W W = 2 q q^T - spread diag(1,
//     -1, -1)
//
// Without fused multiply-adds: the same bits for any processor.
#pragma once

typedef struct tn_cones {
    int n;
    const double *x, *y;
    const double *S;    // (n, 3) forces are S x
    double *q, *spread; // of the scaling
    double *l;          // (n, 3)
} tn_cones;

// q, spread, l, and C (n, 9) = S W W S.
void tn_cones_scale(const tn_cones *cones, double *C);
// The change of x with y held, out = target y^-1 - x + W (l divides extra), from W W off: centring = out, and
// push = S (out + W W off). extra NULL: none.
void tn_cones_aim(const tn_cones *cones, double target, const double *extra, const double *off, double *centring,
                  double *push);
// dy holds J dv on entry: dy = S J dv - off, dx = centring - W W dy.
void tn_cones_follow(const tn_cones *cones, const double *centring, const double *off, double *dx, double *dy);
// The same for a change of dv, by itself: to rounding of the change. dy += S u, dx -= W W S u; u (n, 3) = J times it.
void tn_cones_refine(const tn_cones *cones, const double *u, double *dx, double *dy);
// The largest a <= most with x + a dx and y + a dy inside their cones.
double tn_cones_reach(const tn_cones *cones, const double *dx, const double *dy, double most);
// extra = -(W^-1 dx) o (W dy): Mehrotra's second-order term.
void tn_cones_second_order(const tn_cones *cones, const double *dx, const double *dy, double *extra);
// extra += what brings eigenvalues of x o y after a step of length `reach` that lie outside target / spread to target
// spread back to those, by at most target spread each (Gondzio).
typedef struct tn_cones_outliers {
    double reach, target, spread;
} tn_cones_outliers;
void tn_cones_add_outliers(const tn_cones *cones, const tn_cones_outliers *how, const double *dx, const double *dy,
                           double *extra);
