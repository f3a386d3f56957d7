#include "law/impact.h"

double tn_impact_velocity(double restitution, double threshold, double u_before)
{
    if (u_before != u_before) {
        return u_before; // a NaN stays
    }
    return u_before < -threshold ? -restitution * u_before : 0.0;
}

double tn_impact_representative(double theta, double u_before, double u_after)
{
    return (1.0 - theta) * u_before + theta * u_after;
}
