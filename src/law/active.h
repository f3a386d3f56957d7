// Which bound of its force a row is at: the one place that decides whether a contact or limit is closed, whether a
// motor gives all it has, whether friction holds.
//
// A row's law is complementarity: force f within [lower, upper], velocity y = 0 inside, y >= 0 at the lower bound, y <=
// 0 at the upper. Solvers reach that to some accuracy only, and an interior point leaves a positive force on every open
// contact, so neither f nor y tells by itself. Both together do: with the row's own effective mass m = 1/(J A^-1 J^T)
// [kg/s, kg m^2/s] the force f - m y is the one that would take the velocity y away as well. Where that lies beyond a
// bound the row is at it; where the law holds to the accuracy e of the pairing this is right for any row that presses
// or parts by more than e.
#pragma once

#include <stdbool.h>

typedef enum tn_active {
    TN_ACTIVE_LOW = -1,   // at the lower bound: an open contact or limit, friction that slips, a motor at its strength
    TN_ACTIVE_INSIDE = 0, // holds: y = 0
    TN_ACTIVE_HIGH = 1,   // at the upper bound
} tn_active;

// mass > 0. lower <= upper may be infinite.
static inline tn_active tn_active_bound(double mass, double f, double y, double lower, double upper)
{
    double aim = f - mass * y;
    return aim <= lower ? TN_ACTIVE_LOW : aim >= upper ? TN_ACTIVE_HIGH : TN_ACTIVE_INSIDE;
}

// A contact or limit presses: normal force f_n [N], normal velocity with its gap term u_n [m/s], under the convex law
// less De Saxce's shift mu |u_t|.
static inline bool tn_active_closed(double mass, double f_n, double u_n)
{
    return f_n > mass * u_n;
}
