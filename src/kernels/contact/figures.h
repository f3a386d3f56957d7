// The figures' parts of CONTACT_WIDTH contacts at once, as solver/check.c has them for one. For the files that say what
// a pack is, after lanes.h.
#pragma once

#if defined(CONTACT_SINGLE)
#define TINY 1e-30F
#else
#define TINY 1e-300
#endif

TN_INLINE lanes square_of(const lanes v[3])
{
    return v[0] * v[0] + v[1] * v[1] + v[2] * v[2];
}

// |r - P_K(z)|^2, K the cone of mu.
TN_INLINE lanes cone_distance(lanes mu, const lanes r[3], const lanes z[3])
{
    const lanes zero = zeros(), one = zero + (real)1.0;
    lanes length = roots(z[1] * z[1] + z[2] * z[2]);
    // Apart goes first: with mu = 0 and z_n < 0 a contact without tangential force is inside too, 0 <= -0.
    lanes_mask apart = mu * length <= -z[0], inside = length <= mu * z[0];
    lanes n = (z[0] + mu * length) / (one + mu * mu);
    lanes scale = mu * n / larger(length, zero + TINY);
    n = lanes_choose(apart, zero, lanes_choose(inside, z[0], n));
    scale = lanes_choose(apart, zero, lanes_choose(inside, one, scale));
    const lanes e[3] = {r[0] - n, r[1] - scale * z[1], r[2] - scale * z[2]};
    return square_of(e);
}

// Forces r, velocities u. per_step: 1 / h.
TN_INLINE void figures_of(tn_law law, bool fclib, lanes mu, lanes rho, double per_step, const lanes r[3],
                          const lanes u[3], lanes out[TN_PACK_SUMS])
{
    const lanes zero = zeros();
    lanes shifted = u[0] + mu * roots(u[1] * u[1] + u[2] * u[2]), natural;
    lanes alone = r[0] - larger(r[0] - rho * u[0], zero);
    if (law == TN_LAW_FRICTIONLESS) {
        const lanes e[3] = {alone, r[1], r[2]};
        natural = square_of(e);
    } else {
        const lanes z[3] = {r[0] - rho * (law == TN_LAW_COULOMB ? shifted : u[0]), r[1] - rho * u[1],
                            r[2] - rho * u[2]};
        natural = cone_distance(mu, r, z);
    }
    // The normal row counts by itself as well: check.c.
    out[TN_PACK_NATURAL] = law == TN_LAW_COULOMB ? larger(natural, alone * alone) : natural;
    out[TN_PACK_FCLIB] = zero;
    if (fclib) {
        const real scale = (real)per_step;
        const lanes h[3] = {r[0] - scale * shifted, r[1] - scale * u[1], r[2] - scale * u[2]};
        out[TN_PACK_FCLIB] = cone_distance(mu, r, h);
    }
    out[TN_PACK_FORCE] = square_of(r);
    out[TN_PACK_VELOCITY] = square_of(u);
}

// In one order whatever the width.
TN_INLINE double sum_of_lanes(const double lane[TN_PACK])
{
    return ((lane[0] + lane[4]) + (lane[1] + lane[5])) + ((lane[2] + lane[6]) + (lane[3] + lane[7]));
}
