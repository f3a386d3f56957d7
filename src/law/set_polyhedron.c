// The polyhedral cone of friction: nearest points by trying its faces and edges, which are few.
#include "law/cone.h"
#include "law/law.h"
#include "law/polygon.h"
#include "law/polyhedron.h"
#include "law/set_table.h"
#include "math/vec3.h"

#include <string.h>

static double support(const tn_bound *b, const double y[3])
{
    tn_polygon g = tn_polygon_make(b->facets, b->bound);
    return tn_polygon_support(&g, y + 1);
}

double tn_polygon_support(const tn_polygon *g, const double t[2])
{
    double most = 0.0 * (t[0] + t[1]); // a NaN stays
    for (int i = 0; i < g->n; i++) {
        double c[2];
        tn_polygon_corner(g, i, c);
        most = fmax(most, -(c[0] * t[0] + c[1] * t[1]));
    }
    return most;
}

static bool is_inside(const tn_polygon *g, double n, const double t[2])
{
    bool inside = g->n > 2;
    for (int i = 0; inside && i < g->n; i++) {
        double a[2], b[2];
        tn_polygon_corner(g, i, a);
        tn_polygon_corner(g, i + 1, b);
        inside = (b[0] - a[0]) * (t[1] - n * a[1]) - (b[1] - a[1]) * (t[0] - n * a[0]) >= 0.0;
    }
    return inside;
}

// ---- the cone's nearest point

typedef struct nearest {
    double p[3], slope[9];
    double distance; // squared
} nearest;

static void consider(nearest *best, const double z[3], const nearest *other)
{
    double e[3];
    tn_vec3_sub(e, z, other->p);
    double distance = tn_vec3_dot(e, e);
    if (distance < best->distance) {
        *best = *other;
        best->distance = distance;
    }
}

// The plane of two neighbouring edges of the cone; false: the nearest point in it is not between them.
static bool on_face(const double a[3], const double b[3], const double z[3], nearest *to)
{
    double normal[3], side[3];
    tn_vec3_cross(normal, a, b);
    double nn = tn_vec3_dot(normal, normal), along = tn_vec3_dot(normal, z) / nn;
    tn_vec3_madd(to->p, z, -along, normal);
    tn_vec3_cross(side, normal, a);
    if (!(tn_vec3_dot(side, to->p) >= 0.0)) {
        return false;
    }
    tn_vec3_cross(side, b, normal);
    if (!(tn_vec3_dot(side, to->p) >= 0.0)) {
        return false;
    }
    for (int k = 0; k < 9; k++) {
        to->slope[k] = (k % 4 == 0 ? 1.0 : 0.0) - normal[k / 3] * normal[k % 3] / nn;
    }
    return true;
}

static bool on_ray(const double r[3], const double z[3], nearest *to)
{
    double rr = tn_vec3_dot(r, r), share = tn_vec3_dot(r, z) / rr;
    tn_vec3_scale(to->p, share, r);
    for (int k = 0; k < 9; k++) {
        to->slope[k] = r[k / 3] * r[k % 3] / rr;
    }
    return share > 0.0;
}

static void project_cone(const tn_polygon *g, double z[3], double slope[9])
{
    nearest best = {.distance = tn_vec3_dot(z, z)}, other; // the apex
    if (is_inside(g, z[0], z + 1)) {
        memcpy(best.p, z, sizeof best.p);
        best.slope[0] = best.slope[4] = best.slope[8] = 1.0;
    } else {
        double bad = 0.0 * best.distance;
        tn_vec3_set(best.p, bad, bad, bad);
        for (int i = 0; i < (g->n > 0 ? g->n : 1); i++) {
            double a[3] = {1.0}, b[3] = {1.0};
            if (g->n > 0) {
                tn_polygon_corner(g, i, a + 1);
                tn_polygon_corner(g, i + 1, b + 1);
            }
            if ((i < tn_polygon_edges(g) && on_face(a, b, z, &other)) || on_ray(a, z, &other)) {
                consider(&best, z, &other);
            }
        }
    }
    memcpy(z, best.p, sizeof best.p);
    memcpy(slope, best.slope, sizeof best.slope);
}

static void project(const tn_bound *b, double *f)
{
    tn_polygon g = tn_polygon_make(b->facets, b->bound);
    double slope[9];
    project_cone(&g, f, slope);
}

// ---- strict law for Newton: normal force first, then the polygon of that size

// Nearest point to z of the edge from a to b times n.
static void on_edge(const double a[2], const double b[2], const double z[3], nearest *to)
{
    double n = z[0], along[2] = {b[0] - a[0], b[1] - a[1]}, length = along[0] * along[0] + along[1] * along[1];
    double part = (along[0] * (z[1] - n * a[0]) + along[1] * (z[2] - n * a[1])) / (n * length);
    bool inside = part > 0.0 && part < 1.0;
    const double *end = part >= 1.0 ? b : a;
    double along_end = (along[0] * a[0] + along[1] * a[1]) / length;
    memset(to->slope, 0, sizeof to->slope);
    to->slope[0] = 1.0;
    to->p[0] = n;
    for (int k = 0; k < 2; k++) {
        to->p[k + 1] = inside ? n * (a[k] + part * along[k]) : n * end[k];
        to->slope[3 * (k + 1)] = inside ? a[k] - along[k] * along_end : end[k];
        for (int j = 0; j < 2; j++) {
            to->slope[3 * (k + 1) + j + 1] = inside ? along[k] * along[j] / length : 0.0;
        }
    }
}

static void project_section(const tn_polygon *g, double z[3], double slope[9])
{
    nearest best = {.distance = HUGE_VAL}, other;
    if (z[0] > 0.0 && is_inside(g, z[0], z + 1)) {
        memcpy(best.p, z, sizeof best.p);
        best.slope[0] = best.slope[4] = best.slope[8] = 1.0;
    } else if (!(z[0] <= 0.0)) {
        double bad = 0.0 * (z[1] + z[2]);
        tn_vec3_set(best.p, z[0], bad, bad); // without friction, or a NaN
        best.slope[0] = 1.0;
        for (int i = 0; i < tn_polygon_edges(g); i++) {
            double a[2], b[2];
            tn_polygon_corner(g, i, a);
            tn_polygon_corner(g, i + 1, b);
            on_edge(a, b, z, &other);
            consider(&best, z, &other);
        }
    }
    memcpy(z, best.p, sizeof best.p);
    memcpy(slope, best.slope, sizeof best.slope);
}

static void map(const tn_bound *b, const double rho[2], const double *f, const double *y, tn_projection *out)
{
    double s = b->associated && rho[0] != rho[1] ? sqrt(rho[1] / rho[0]) : 1.0;
    const double D[3] = {1.0, s, s}, mu[2] = {b->bound[0] / s, b->bound[1] / s};
    tn_polygon g = tn_polygon_make(b->facets, mu);
    for (int i = 0; i < 3; i++) {
        out->metric[i] = rho[i > 0];
        out->p[i] = (f[i] - out->metric[i] * y[i]) / D[i];
    }
    (b->associated ? project_cone : project_section)(&g, out->p, out->slope);
    tn_set_scale_back(D, out);
}

static tn_local_state solve(const tn_bound *b, const double *W, const double *q, double *f)
{
    tn_polygon g = tn_polygon_make(b->facets, b->bound);
    static const double none[2] = {0.0, 0.0};
    return g.n == 0 ? tn_cone_solve(b->associated, none, W, q, f) : tn_polyhedron_solve(&g, b->associated, W, q, f);
}

static const char *refusal(const tn_bound *b)
{
    if (!tn_facets_fit(b->facets)) {
        return "facets are " TN_FACETS_EXPECTED;
    }
    return tn_set_refuse_sizes(b);
}

const tn_set_class tn_set_polyhedron = {
    .rows = 3, .contact = true, .refusal = refusal, .support = support, .project = project, .map = map, .solve = solve};
