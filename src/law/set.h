// The laws of constraints: a table of sets (tenon/set.h), the same operations for each.
//
// f is a force [N, N m] and y a velocity [m/s, rad/s] of a constraint, of one row or three: functions read and write
// the set's rows only. rho (2) > 0 is an effective mass [kg/s, kg m^2/s] for the first row and one for the other two;
// BALL and ELLIPSE want them equal. Nothing here allocates, keeps state or knows a problem. A NaN stays one.
#pragma once

#include "law/active.h"
#include "law/local_state.h"
#include "tenon/problem.h"
#include "tenon/set.h"

// The law of one constraint with its numbers.
typedef struct tn_bound {
    tn_set set;
    bool associated; // CONE, POLYHEDRON: without De Saxce's shift; the others know one law only
    int facets;      // POLYHEDRON
    double bound[2]; // as in tenon/set.h
    double preload;  // a of CONE, POLYHEDRON [N]
    double pressed;  // p of FRICTION, MOMENT, BALL [N]; below zero counts as zero
} tn_bound;

// A contact under a problem's law with mu along t1 and t2: the cone, polyhedral with facets > 0.
static inline tn_bound tn_set_of_contact(tn_law law, int facets, const double mu[2])
{
    bool slides = law != TN_LAW_FRICTIONLESS;
    return (tn_bound){.set = facets > 0 ? TN_SET_POLYHEDRON : TN_SET_CONE,
                      .associated = law == TN_LAW_CONVEX,
                      .facets = facets,
                      .bound = {slides ? mu[0] : 0.0, slides ? mu[1] : 0.0}};
}

int tn_set_rows(tn_set set);            // 1 or 3
bool tn_set_has_one_metric(tn_set set); // wants rho[0] = rho[1]
// NULL, or what is wrong with the numbers.
const char *tn_set_refusal(const tn_bound *b);
// One row: least and largest force.
void tn_set_limits(const tn_bound *b, double limit[2]);

// Replace f by the nearest point of the set.
void tn_set_project(const tn_bound *b, double *f);

// How far (f, y) is from the law [N]: out = f - P(f - rho (y + shift)), P the nearest point in the metric 1/rho. Zero
// exactly where the law holds. The residual is its norm.
void tn_set_natural(const tn_bound *b, const double rho[2], const double *f, const double *y, double *out);
double tn_set_residual(const tn_bound *b, const double rho[2], const double *f, const double *y);

// The same for Newton's method: the law holds where f = p, p = P(z), z = f - metric y. Of a strict law P is Alart and
// Curnier's: the normal force first, then the nearest point of the section it gives.
typedef struct tn_projection {
    double p[3];
    double slope[9];   // one element of dP/dz, row-major; slope[0] = 0 exactly where a contact is open
    double metric[3];  // rho, and of elliptic friction less along the weaker tangent, so that P is a disc's
    double pressed[3]; // dP/d pressed
} tn_projection;
void tn_set_map(const tn_bound *b, const double rho[2], const double *f, const double *y, tn_projection *out);

// Solves one constraint: f in the set and y = W f + q that obey the law, W ((1) or (9), row-major) being its own block
// of the Delassus matrix [s/kg] with its softness. Rank 0 to 3; symmetric and positive semi-definite, but for strict
// laws any matrix. f: start of the safe iteration in, result out, in the set to rounding. Contacts with W_nn <= 0 get
// no force beyond the preload's. The strict law may have several solutions: open is preferred, then stick. One row that
// nothing answers and no finite force satisfies has TN_LOCAL_FAILED and the force nearest to zero.
tn_local_state tn_set_solve(const tn_bound *b, const double *W, const double *q, double *f);

// Which bound is active (law/active.h). One row: its bound. CONE, POLYHEDRON: TN_ACTIVE_LOW is open, else
// TN_ACTIVE_INSIDE, whether it sticks or slides. MOMENT, BALL, ELLIPSE: TN_ACTIVE_HIGH where some part slides.
tn_active tn_set_active(const tn_bound *b, const double rho[2], const double *f, const double *y);
