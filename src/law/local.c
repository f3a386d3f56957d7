// One contact's cone in the table of sets, named by the problem's law.
#include "law/local.h"

#include "law/set.h"

static tn_bound cone(tn_law law, const double mu[2])
{
    tn_bound b = {.set = TN_SET_CONE, .associated = law == TN_LAW_CONVEX};
    if (law != TN_LAW_FRICTIONLESS) {
        b.bound[0] = mu[0];
        b.bound[1] = mu[1];
    }
    return b;
}

void tn_local_project(tn_law law, const double mu[2], double z[3])
{
    tn_bound b = cone(law, mu);
    tn_set_project(&b, z);
}

void tn_local_natural(tn_law law, const double mu[2], double rho, const double r[3], const double u[3], double out[3])
{
    tn_bound b = cone(law, mu);
    tn_set_natural(&b, (const double[2]){rho, rho}, r, u, out);
}

tn_local_state tn_local_solve(tn_law law, const double mu[2], const double W[9], const double q[3], double r[3])
{
    tn_bound b = cone(law, mu);
    return tn_set_solve(&b, W, q, r);
}
