// The sets that forces of constraints stay in.
//
// A constraint's law joins its force f (on body B, in the constraint's frame) and its velocity y (of B relative to A,
// the part of its own softness included): f lies in a set, y is zero while f is inside and opposes it at the border.
// The meaning of `bound` (2) and of `pressed` p, the normal force [N] of the constraint that presses this one:
//
//     set           rows  f in                                                     y
//     FREE          1     everything                                               0
//     RAY           1     f >= bound[0], finite                                    >= 0 at the bound
//     BOX           1     bound[0] <= f <= bound[1], not both infinite alike       >= 0 at the lower, <= 0 at the upper
//     FRICTION      1     |f| <= bound[0] + bound[1] p                             against f at the bound
//     CONE          3     |(f_1 / mu_1, f_2 / mu_2)| <= f_n, mu = bound            see below
//     POLYHEDRON    3     f_t in f_n times a polygon of `facets` corners           see below
//     MOMENT        3     |f_0| <= bound[0] p, |(f_1, f_2)| <= bound[1] p          against f at the bound, part by part
//     BALL          3     |f| <= bound[0] + bound[1] p                             against f at the bound
//     ELLIPSE       3     |(f_0 / bound[0], f_1 / bound[1])| <= 1, f_2 = 0         f takes the most power
//
// Rows of CONE and POLYHEDRON are along the normal, tangent 1, tangent 2; of MOMENT about them. FRICTION and BALL are
// dry friction of joints, of an axis and of a sphere; of a plane: a BALL whose third row is zero, or an ELLIPSE where
// it depends on the direction. bound[i] = 0 means f_i = 0 there.
//
// CONE and POLYHEDRON are contacts. mu_i = 0 means f_i = 0, so {0, 0} is without friction. The polygon's corners are
// evenly turned from t1, at (mu_1 cos a_i, mu_2 sin a_i), a_i = 2 pi i / facets, facets even from 4; or 2: along t1
// alone. A preload a >= 0 lets the contact pull: f_n >= -a, and f_n + a stands for f_n in the set (adhesion).
// With sigma(y) = max -c . y_t over the section f_t = c at f_n = 1 (sqrt(mu_1^2 y_1^2 + mu_2^2 y_2^2) of the cone) the
// law is
//
//     f in K,   y' in K's dual cone,   f . y' = 0
//
// with y'_n = y_n + sigma(y) (strict: Signorini's and Coulomb's law in De Saxce's form) or y' = y (associated: the
// optimality conditions of a convex program; sliding contacts part at the speed sigma).
#pragma once

typedef enum tn_set {
    TN_SET_FREE,
    TN_SET_RAY,
    TN_SET_BOX,
    TN_SET_FRICTION,
    TN_SET_CONE,
    TN_SET_POLYHEDRON,
    TN_SET_MOMENT,
    TN_SET_BALL,
    TN_SET_ELLIPSE,
} tn_set;
