#include "solver/polish/law.h"

#include "solver/facets.h"
#include "solver/newton/law.h"

#include <math.h>
#include <string.h>

bool tn_polish_knows(const tn_problem *problem)
{
    return problem->facets == 0 || problem->law != TN_LAW_CONVEX;
}

// ---- polyhedral cone, strict law: normal force first, then the polygon of that size

// Corner i of the polygon of size 1 of contact m.
static void corner(const tn_problem *p, int m, int i, double out[2])
{
    double mu = tn_facets_mu(p, m);
    tn_facets_direction(p, m, i % tn_facets_count(p, m), out);
    out[0] *= mu;
    out[1] *= mu;
}

// Nearest point of the edge between corners i and i + 1 to z, of the polygon of size n. Returns its squared distance.
static double nearest_on_edge(const tn_problem *p, int m, int i, double n, const double z[2], tn_polish_map *out)
{
    double a[2], b[2], along[2], length = 0.0, way = 0.0;
    corner(p, m, i, a);
    corner(p, m, i + 1, b);
    for (int k = 0; k < 2; k++) {
        along[k] = b[k] - a[k];
        length += along[k] * along[k];
        way += along[k] * (z[k] - n * a[k]);
    }
    double part = length > 0.0 ? way / (n * length) : 0.0; // of the edge
    bool inside = part > 0.0 && part < 1.0;
    const double *end = part >= 1.0 ? b : a;
    double along_end = length > 0.0 ? (along[0] * a[0] + along[1] * a[1]) / length : 0.0, distance = 0.0;
    memset(out->slope, 0, sizeof out->slope);
    out->slope[0] = 1.0;
    for (int k = 0; k < 2; k++) {
        out->p[k + 1] = inside ? n * (a[k] + part * along[k]) : n * end[k];
        out->slope[3 * (k + 1)] = inside ? a[k] - along[k] * along_end : end[k];
        for (int j = 0; j < 2; j++) {
            out->slope[3 * (k + 1) + j + 1] = inside ? along[k] * along[j] / length : 0.0;
        }
        distance += (z[k] - out->p[k + 1]) * (z[k] - out->p[k + 1]);
    }
    return distance;
}

static bool is_inside(const tn_problem *p, int m, double n, const double z[2])
{
    const double *mu = p->rows->mu + 2 * (size_t)m;
    int n_corners = tn_facets_count(p, m);
    bool inside = n_corners > 2 && mu[0] > 0.0 && mu[1] > 0.0;
    for (int i = 0; inside && i < n_corners; i++) {
        double a[2], b[2];
        corner(p, m, i, a);
        corner(p, m, i + 1, b);
        inside = (b[0] - a[0]) * (z[1] - n * a[1]) - (b[1] - a[1]) * (z[0] - n * a[0]) >= 0.0;
    }
    return inside;
}

static void project_polygon(const tn_problem *p, int m, tn_polish_map *out)
{
    double n = out->p[0], z[2] = {out->p[1], out->p[2]}, least = INFINITY;
    memset(out->slope, 0, sizeof out->slope);
    if (n <= 0.0) {
        out->p[0] = out->p[1] = out->p[2] = 0.0;
        return;
    }
    if (is_inside(p, m, n, z)) {
        out->slope[0] = out->slope[4] = out->slope[8] = 1.0;
        return;
    }
    for (int i = 0; i < tn_facets_count(p, m); i++) {
        tn_polish_map edge = *out;
        double distance = nearest_on_edge(p, m, i, n, z, &edge);
        if (distance < least) {
            least = distance;
            *out = edge;
        }
    }
}

// ---- round cones

// Elliptic friction is round in scaled tangents, f = D y: P(z) = D P_round(D^-1 z), metric rho D^2.
static void project_round(const tn_problem *p, const double mu[2], tn_polish_map *out)
{
    double most = fmax(mu[0], mu[1]), D[3] = {1.0, 0.0, 0.0}, y[3];
    bool friction = most > 0.0 && p->law != TN_LAW_FRICTIONLESS;
    for (int k = 1; friction && k < 3; k++) {
        D[k] = mu[k - 1] / most;
    }
    for (int k = 0; k < 3; k++) {
        y[k] = D[k] > 0.0 ? out->p[k] / D[k] : 0.0;
    }
    tn_newton_project(p->law, friction ? most : 0.0, y, out->slope);
    for (int k = 0; k < 3; k++) {
        out->p[k] = D[k] * y[k];
        for (int j = 0; j < 3; j++) {
            out->slope[3 * k + j] *= D[j] > 0.0 ? D[k] / D[j] : 0.0;
        }
    }
}

void tn_polish_contact(const tn_problem *p, int m, double rho, const double f[3], const double u[3], tn_polish_map *out)
{
    static const double none[2] = {0.0, 0.0};
    bool polygon = p->facets > 0 && tn_facets_mu(p, m) > 0.0;
    const double *mu = p->facets > 0 ? none : p->rows->mu + 2 * (size_t)m;
    double most = fmax(mu[0], mu[1]);
    for (int k = 0; k < 3; k++) {
        double part = k > 0 && most > 0.0 ? mu[k - 1] / most : 1.0;
        out->metric[k] = rho * part * part;
        out->p[k] = f[k] - out->metric[k] * u[k];
        out->pressed[k] = 0.0;
    }
    if (polygon) {
        project_polygon(p, m, out);
    } else {
        project_round(p, mu, out);
    }
}

// ---- moments: torsion between two bounds, rolling within a disc, both as large as what presses

void tn_polish_moment(const tn_problem *p, int m, double rho, double pressed, const double f[3], const double u[3],
                      tn_polish_map *out)
{
    const double *length = p->rows->mu + 2 * (size_t)m;
    double n = fmax(pressed, 0.0), torsion = length[0] * n, disc[3], slope[9];
    memset(out, 0, sizeof *out);
    for (int k = 0; k < 3; k++) {
        out->metric[k] = rho;
        out->p[k] = f[k] - rho * u[k];
    }
    double sign = out->p[0] > torsion ? 1.0 : out->p[0] < -torsion ? -1.0 : 0.0;
    out->slope[0] = sign == 0.0;
    out->pressed[0] = pressed > 0.0 ? sign * length[0] : 0.0;
    out->p[0] = sign == 0.0 ? out->p[0] : sign * torsion;
    disc[0] = n;
    disc[1] = out->p[1];
    disc[2] = out->p[2];
    tn_newton_project(TN_LAW_COULOMB, length[1], disc, slope);
    for (int k = 1; k < 3; k++) {
        out->p[k] = disc[k];
        out->pressed[k] = pressed > 0.0 ? slope[3 * k] : 0.0;
        out->slope[3 * k + 1] = slope[3 * k + 1];
        out->slope[3 * k + 2] = slope[3 * k + 2];
    }
}
