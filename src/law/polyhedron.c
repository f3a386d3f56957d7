// Enumeration: open, stick, sliding on each corner and on each edge of the section; each is a linear system of as many
// unknowns as the force has, 0 to 3. What violates the law least wins. Where W is symmetric and positive semi-definite
// and the law has a solution, one of these systems that is regular has it: forces along which nothing changes lead from
// the cone's inside to a face, from there to an edge.
#include "law/polyhedron.h"

#include "math/mat3.h"
#include "math/sums.h"

#include <math.h>

static const double EXACT = 1e-14, ACCEPT = 1e-7; // violations, relative

typedef struct search {
    const tn_polygon *g;
    bool associated;
    const double *W, *q;
    double speed, mobility; // of q and W, the largest
    double r[3], violation;
    tn_local_state state;
} search;

static double norm2(const double t[2])
{
    return sqrt(t[0] * t[0] + t[1] * t[1]);
}

// u of r; returns the scale of its rounding.
static double velocity(const search *s, const double r[3], double u[3])
{
    tn_mat3_vec(u, s->W, r);
    tn_vec3_add(u, u, s->q);
    return s->speed + s->mobility * tn_largest(3, r);
}

static void judge(search *s, const double r[3], tn_local_state state, double violation)
{
    if (violation < s->violation) {
        tn_vec3_copy(s->r, r);
        s->violation = violation;
        s->state = state;
    }
}

// From corner or edge's sliding velocity to neighbour's: how far -u_t turns from the corner c towards `other`.
static double beyond_corner(const double c[2], const double other[2], const double u[3])
{
    double e[2] = {other[0] - c[0], other[1] - c[1]};
    return -(e[0] * u[1] + e[1] * u[2]) / norm2(e);
}

static void try_open(search *s)
{
    static const double none[3] = {0.0, 0.0, 0.0};
    double needed = s->associated ? tn_polygon_support(s->g, s->q + 1) : 0.0;
    judge(s, none, TN_LOCAL_OPEN, s->speed > 0.0 ? (needed - s->q[0]) / s->speed : 0.0);
}

static void try_stick(search *s)
{
    double inverse[9], r[3], u[3], worst = 0.0;
    if (s->g->n == 2 || !tn_mat3_inverse(inverse, s->W)) {
        return;
    }
    tn_mat3_vec(r, inverse, (const double[3]){-s->q[0], -s->q[1], -s->q[2]});
    velocity(s, r, u); // once more, for what the inverse has lost
    tn_mat3_vec(u, inverse, (const double[3]){-u[0], -u[1], -u[2]});
    tn_vec3_add(r, r, u);
    double speed = velocity(s, r, u), size = tn_largest(3, r);
    for (int i = 0; i < s->g->n; i++) {
        double a[2], b[2];
        tn_polygon_corner(s->g, i, a);
        tn_polygon_corner(s->g, i + 1, b);
        double e[2] = {b[0] - a[0], b[1] - a[1]};
        double outside = e[1] * (r[1] - r[0] * a[0]) - e[0] * (r[2] - r[0] * a[1]);
        worst = fmax(worst, outside / (norm2(e) * size));
    }
    judge(s, r, TN_LOCAL_STICK, fmax(worst, tn_largest(3, u) / speed));
}

static void try_corner(search *s, int i)
{
    double c[3] = {1.0}, before[2], after[2], Wc[3], r[3], u[3];
    tn_polygon_corner(s->g, i, c + 1);
    tn_polygon_corner(s->g, i + s->g->n - 1, before);
    tn_polygon_corner(s->g, i + 1, after);
    tn_mat3_vec(Wc, s->W, c);
    double answer = s->associated ? tn_vec3_dot(c, Wc) : Wc[0], asked = s->associated ? tn_vec3_dot(c, s->q) : s->q[0];
    if (!(answer > 0.0)) {
        return;
    }
    tn_vec3_scale(r, fmax(-asked / answer, 0.0), c);
    double speed = velocity(s, r, u), normal = s->associated ? tn_vec3_dot(c, u) : u[0];
    double turn = fmax(beyond_corner(c + 1, before, u), beyond_corner(c + 1, after, u));
    judge(s, r, TN_LOCAL_SLIDE, fmax(fabs(normal), turn) / speed);
}

// The force between corners i and i + 1; of a segment that is its inside, where the contact sticks.
static void try_edge(search *s, int i)
{
    double a[3] = {1.0}, b[3] = {1.0}, Wa[3], Wb[3], r[3], u[3];
    tn_polygon_corner(s->g, i, a + 1);
    tn_polygon_corner(s->g, i + 1, b + 1);
    double along[3] = {0.0, b[1] - a[1], b[2] - a[2]}, length = norm2(along + 1);
    const double normal[3] = {1.0, 0.0, 0.0};
    const double *first = s->associated ? a : normal;
    tn_mat3_vec(Wa, s->W, a);
    tn_mat3_vec(Wb, s->W, b);
    double m00 = tn_vec3_dot(first, Wa), m01 = tn_vec3_dot(first, Wb), m10 = tn_vec3_dot(along, Wa);
    double m11 = tn_vec3_dot(along, Wb), c0 = -tn_vec3_dot(first, s->q), c1 = -tn_vec3_dot(along, s->q);
    double determinant = m00 * m11 - m01 * m10;
    if (!(fabs(determinant) > 1e-15 * (fabs(m00 * m11) + fabs(m01 * m10)))) {
        return;
    }
    double x = (c0 * m11 - m01 * c1) / determinant, y = (m00 * c1 - c0 * m10) / determinant;
    double outside = fmax(fmax(-x, -y), 0.0) / (fabs(x) + fabs(y));
    tn_vec3_scale(r, fmax(x, 0.0), a);
    tn_vec3_madd(r, r, fmax(y, 0.0), b);
    double speed = velocity(s, r, u), turn = 0.0;
    if (s->g->n > 2) { // -u_t points out of the polygon
        turn = (along[2] * u[1] - along[1] * u[2]) / length;
    }
    double error = fmax(fabs(tn_vec3_dot(first, u)), fabs(tn_vec3_dot(along, u)) / length);
    judge(s, r, s->g->n == 2 ? TN_LOCAL_STICK : TN_LOCAL_SLIDE, fmax(outside, fmax(error, turn) / speed));
}

tn_local_state tn_polyhedron_solve(const tn_polygon *g, bool associated, const double W[9], const double q[3],
                                   double r[3])
{
    search s = {.g = g,
                .associated = associated,
                .W = W,
                .q = q,
                .speed = tn_largest(3, q),
                .mobility = tn_largest(9, W),
                .violation = HUGE_VAL};
    if (!(W[0] > 0.0)) {
        tn_vec3_set(r, 0.0, 0.0, 0.0);
        return TN_LOCAL_OPEN;
    }
    try_open(&s);
    if (s.violation > EXACT) {
        try_stick(&s);
    }
    for (int i = 0; i < tn_polygon_edges(g) && s.violation > EXACT; i++) {
        try_edge(&s, i);
    }
    for (int i = 0; i < g->n && s.violation > EXACT; i++) {
        try_corner(&s, i);
    }
    if (!(s.violation <= ACCEPT)) {
        return TN_LOCAL_FAILED;
    }
    tn_vec3_copy(r, s.r);
    return s.state;
}
