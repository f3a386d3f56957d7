#include "solver/newton/law.h"

#include <math.h>
#include <string.h>

static void project_strict(double mu, double z[3], double slope[9])
{
    memset(slope, 0, 9 * sizeof *slope);
    if (z[0] <= 0.0) {
        z[0] = z[1] = z[2] = 0.0;
        return;
    }
    slope[0] = 1.0;
    double radius = mu * z[0], length = sqrt(z[1] * z[1] + z[2] * z[2]);
    if (length <= radius) {
        slope[4] = slope[8] = 1.0;
        return;
    }
    double d[2] = {z[1] / length, z[2] / length}, ratio = radius / length;
    for (int i = 0; i < 2; ++i) {
        slope[3 * (i + 1)] = mu * d[i];
        for (int j = 0; j < 2; ++j) {
            slope[3 * (i + 1) + j + 1] = ratio * ((i == j) - d[i] * d[j]);
        }
        z[i + 1] = radius * d[i];
    }
}

static void project_convex(double mu, double z[3], double slope[9])
{
    memset(slope, 0, 9 * sizeof *slope);
    double n = z[0], length = sqrt(z[1] * z[1] + z[2] * z[2]);
    if (mu * length <= -n) {
        z[0] = z[1] = z[2] = 0.0;
        return;
    }
    if (length <= mu * n) {
        slope[0] = slope[4] = slope[8] = 1.0;
        return;
    }
    // p = s (1, mu d) with s = (n + mu |z_t|) / (1 + mu^2).
    double k = 1.0 / (1.0 + mu * mu), s = (n + mu * length) * k;
    double d[3] = {1.0, z[1] / length, z[2] / length};
    double p[3] = {1.0, mu * d[1], mu * d[2]};
    for (int i = 0; i < 3; ++i) {
        for (int j = 0; j < 3; ++j) {
            slope[3 * i + j] = k * p[i] * p[j];
            if (i > 0 && j > 0) {
                slope[3 * i + j] += mu * s / length * ((i == j) - d[i] * d[j]);
            }
        }
    }
    z[0] = s;
    z[1] = s * p[1];
    z[2] = s * p[2];
}

void tn_newton_project(tn_law law, double mu, double z[3], double slope[9])
{
    (law == TN_LAW_COULOMB ? project_strict : project_convex)(mu, z, slope);
}
