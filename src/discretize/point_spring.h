// The spring and damper of one contact along its normal, integrated implicitly.
//
// With the gap g at the step's start and the depth d at its end, d = -(g + h u_n), the contact bears
//
//     f = F(d) + (B + 3/2 a F(d)) (d - d_0)/h,   F(d) = k d^p,   d_0 = max(0, -g),   f >= 0, d >= 0
//
// p = 1 is a linear spring, p = 3/2 Hertz's; B is a damper, a Hunt and Crossley's factor. The rate of compression is
// counted from touch-down on: nothing is braked ahead of it. f grows with d wherever it is positive. As a row of the
// step's problem, u_n + w + R f = 0, the law is taken along its tangent at some depth; for p = 1 and a = 0 that is
// the law itself, R = 1/(h k + B) and, of what is compressed, w = k g/(h k + B).
//
// Along the surface a spring K that is strained while the contact lasts bears f_t = -K z, z' = u_t - |V|/s z with the
// speed V at which the bodies roll over the place and the length s in which it forgets (s infinite: it never does).
// With the last step's f_0 = -K z_0 this is a row as well: u_t + w + R f = 0 with
//
//     R = (1 + h |V|/s)/(h K),   w = -f_0/(h K)
//
// and friction bounds f. A wheel that rolls on with slip u/V bears K s u/V: K s is its slip stiffness (the brush model
// of a tyre with relaxation length s; Pacejka 2012, "Tire and Vehicle Dynamics", ch. 7).
#pragma once

#include "collide/collide.h"

#include <math.h>

typedef struct tn_point_spring {
    double k;             // [N/m^p]
    double power;         // p; 0: rigid
    double damping;       // B [N s/m]
    double hunt_crossley; // a [s/m]
    double softness_t[2]; // R of the tangents [m/(s N)]
    double tangential[2]; // K along them [N/m]; INFINITY: none
    double relaxation;    // s [m]
    double held[2];       // w of those springs [m/s]
} tn_point_spring;

// Its law is a straight line, the same row at any depth.
static inline bool tn_point_spring_is_straight(const tn_point_spring *spring)
{
    return spring->power == 1.0 && spring->hunt_crossley == 0.0;
}

// It has springs along the surface.
static inline bool tn_point_spring_holds_along(const tn_point_spring *spring)
{
    return isfinite(spring->tangential[0]) || isfinite(spring->tangential[1]);
}

// Of a contact by its surface, shapes and, on a foundation, its element.
tn_point_spring tn_point_spring_of(const tn_model *model, const tn_contact *contact);

// Sets R of the tangents and `held` where they have springs, with the last step's f_0 (2) [N] and |V| [m/s].
void tn_point_spring_hold(tn_point_spring *spring, double h, const double before[2], double rolling);
// The last step's f_0 along a contact's tangents, of its frame (9) and force in world axes (3).
void tn_point_spring_before(const double frame[9], const double warm[3], double out[2]);
double tn_point_spring_energy_along(const tn_point_spring *spring, const double f[2]); // of those springs at f_t [J]

// F [N], 0 for depth < 0
static inline double tn_point_spring_force(const tn_point_spring *spring, double depth)
{
    if (!(depth > 0.0)) {
        return 0.0;
    }
    return spring->power == 1.0 ? spring->k * depth : spring->k * depth * sqrt(depth);
}

// Its integral [J].
static inline double tn_point_spring_energy(const tn_point_spring *spring, double depth)
{
    return depth > 0.0 ? tn_point_spring_force(spring, depth) * depth / (spring->power + 1.0) : 0.0;
}

// d that the force f >= 0 takes [m]; of f = 0 the largest.
double tn_point_spring_depth(const tn_point_spring *spring, double h, double gap, double f);
// w [m/s] and R [m/(s N)] of the tangent at the depth > 0.
void tn_point_spring_row(const tn_point_spring *spring, double h, double gap, double depth, double *w, double *R);
