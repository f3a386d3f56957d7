// Rolling and torsional friction of one contact: a moment limited by the contact's normal force.
//
// Vectors hold [0] about the contact normal (torsion) and [1], [2] about the tangents (rolling): m a moment [N m], w
// the relative angular velocity of B [rad/s], W w's answer to m [1/(kg m^2 / s)]. With the normal force f_n,
// |m_0| <= limit[0] and |(m_1, m_2)| <= limit[1], limit = f_n times the torsional and the rolling length [m]. Inside
// its limit a part holds its w at zero; at the limit it opposes it: maximal dissipation. Together with the contact's
// own law this is Coulomb's law on the cone of five (six) rows.
#pragma once

// Minimises m . W m / 2 + q . m within the limits (N m, >= 0) exactly (to rounding). W symmetric, positive
// semi-definite. m: start in, result out.
void tn_moment_solve(const double limit[2], const double W[9], const double q[3], double m[3]);

// Replace m by the nearest moment within the limits.
void tn_moment_project(const double limit[2], double m[3]);

// How far (m, w) is from the law: out = m - P(m - rho w), rho [kg m^2 / s] > 0. Zero exactly when the law holds.
void tn_moment_natural(const double limit[2], double rho, const double m[3], const double w[3], double out[3]);
