// Raises the separation s(n) = n.between + (supports) to its maximum near a given normal, to rounding.
//
// At the maximum n is a face normal of one core, or at right angles to an edge (or normal to the side of a cylinder or
// cone) of one or both, or free. The simplex of the search tells which edges; then Newton's method on what freedom is
// left:
//     (H_a + H_b + s) step = t-part of (b(n) - a(n)),   H = second derivative of a core's support function,
// of a step in the tangent plane of the unit sphere. No step may lower s, so that nothing is lost by trying.
#include "shape/gjk.h"

#include "math/mat3.h"
#include "math/vec3.h"
#include "shape/patch.h"

enum { STEPS = 12 };
static const double nearly_same = 1.0 - 1e-5; // cosine of normals that the search could not tell apart
static const double slack = 1e-14;            // rounding of a separation, as a share of the extent

// What a core's part of the simplex allows the normal, if it is an edge: n . edge = level.
typedef struct restriction {
    bool has_edge;
    double edge[3]; // unit, world
    double level;   // 0: at right angles; the axis of a cone: the sine of its side
} restriction;

static const double *side_of(const tn_gjk_vertex *vertex, bool of_a)
{
    return of_a ? vertex->a : vertex->b;
}

// Two different vertices span an edge; with three the core's face is tried instead. A rimmed core's two rims: its side.
static restriction restriction_of(const tn_convex *c, const tn_gjk_result *found, bool of_a)
{
    restriction r = {.has_edge = false};
    if (c->class->form == TN_CORE_SMOOTH) {
        return r;
    }
    const tn_gjk_vertex *first = found->vertex, *second = NULL;
    unsigned number = of_a ? first->of_a : first->of_b;
    for (int i = 1; i < found->n; ++i) {
        unsigned here = of_a ? found->vertex[i].of_a : found->vertex[i].of_b;
        second = here != number ? found->vertex + i : second;
    }
    if (!second) {
        return r;
    }
    if (c->class->form == TN_CORE_RIMMED) {
        tn_vec3_set(r.edge, c->rotation[2], c->rotation[5], c->rotation[8]);
        r.level = of_a ? c->rims.side[1] : -c->rims.side[1];
    } else {
        tn_vec3_sub(r.edge, side_of(second, of_a), side_of(first, of_a));
        tn_vec3_scale(r.edge, 1.0 / tn_vec3_norm(r.edge), r.edge);
    }
    r.has_edge = true;
    return r;
}

static double separation(const tn_gjk_pair *pair, const double n[3], tn_gjk_vertex *at)
{
    tn_gjk_support(pair, n, at);
    return -tn_vec3_dot(n, at->w);
}

// Takes the unit normal n if it separates by more than handicap beyond the best.
static bool try_normal(const tn_gjk_pair *pair, const double n[3], double handicap, tn_gjk_result *out)
{
    tn_gjk_vertex at;
    double here = separation(pair, n, &at);
    if (!(here >= out->distance + handicap)) {
        return false;
    }
    tn_vec3_copy(out->normal, n);
    out->distance = here;
    return true;
}

// Second derivative of the separation's loss in n along one or two unit tangents: (0, 0), (0, 1), (1, 1).
typedef struct curvature {
    double m[3];
} curvature;

// Of a rim, r / |d_t| along its tangent.
static void add_rim_curvature(const tn_convex *c, const double n[3], double tangent[2][3], curvature *out)
{
    double axis[3], along[3];
    tn_vec3_set(axis, c->rotation[2], c->rotation[5], c->rotation[8]);
    tn_vec3_cross(along, axis, n);
    double across = tn_vec3_norm(along), local[3] = {across, 0.0, tn_vec3_dot(axis, n)};
    if (across > 1e-9) {
        double x = tn_vec3_dot(along, tangent[0]), y = tn_vec3_dot(along, tangent[1]);
        double s = c->rims.radius[tn_rims_farthest(&c->rims, local)] / (across * across * across);
        out->m[0] += s * x * x;
        out->m[1] += s * x * y;
        out->m[2] += s * y * y;
    }
}

// Adds a core's: t_i . H t_j, with H the second derivative of its support function.
static void add_curvature(const tn_convex *c, const double n[3], double tangent[2][3], curvature *out)
{
    double d[3], t[2][3], x[2] = {0.0, 0.0};
    if (!tn_convex_is_curved(c)) {
        return;
    }
    if (c->class->form == TN_CORE_RIMMED) {
        add_rim_curvature(c, n, tangent, out);
        return;
    }
    tn_mat3_tvec(d, c->rotation, n);
    tn_mat3_tvec(t[0], c->rotation, tangent[0]);
    tn_mat3_tvec(t[1], c->rotation, tangent[1]);
    // (D^2 - x x^T) / q,   q = |D d|, x = D^2 d / q the support point
    double q = 0.0, m[3] = {0.0, 0.0, 0.0};
    for (int k = 0; k < 3; ++k) {
        double square = c->size[k] * c->size[k];
        q += square * d[k] * d[k];
        x[0] += square * d[k] * t[0][k];
        x[1] += square * d[k] * t[1][k];
        m[0] += square * t[0][k] * t[0][k];
        m[1] += square * t[0][k] * t[1][k];
        m[2] += square * t[1][k] * t[1][k];
    }
    double inverse = 1.0 / sqrt(q);
    out->m[0] += inverse * (m[0] - x[0] * x[0] / q);
    out->m[1] += inverse * (m[1] - x[0] * x[1] / q);
    out->m[2] += inverse * (m[2] - x[1] * x[1] / q);
}

// The step along the tangents; false where s has no maximum nearby in these.
static bool newton_step(const curvature *h, double s, const double residual[3], int n_tangents, double tangent[2][3],
                        double step[3])
{
    double g0 = tn_vec3_dot(tangent[0], residual), g1 = tn_vec3_dot(tangent[1], residual);
    double m0 = h->m[0] + s, m1 = h->m[1], m2 = h->m[2] + s;
    if (n_tangents == 1) {
        tn_vec3_scale(step, g0 / m0, tangent[0]);
        return m0 > 0.0;
    }
    double det = m0 * m2 - m1 * m1;
    if (!(m0 > 0.0 && det > 0.0)) {
        return false;
    }
    tn_vec3_scale(step, (g0 * m2 - g1 * m1) / det, tangent[0]);
    tn_vec3_madd(step, step, (g1 * m0 - g0 * m1) / det, tangent[1]);
    return true;
}

static void normalize(double n[3])
{
    tn_vec3_scale(n, 1.0 / tn_vec3_norm(n), n);
}

// To the nearest normal that the edge allows.
static void restrict_normal(double n[3], const restriction *to)
{
    tn_vec3_madd(n, n, -tn_vec3_dot(n, to->edge), to->edge);
    normalize(n);
    if (to->level != 0.0) {
        tn_vec3_scale(n, sqrt(1.0 - to->level * to->level), n);
        tn_vec3_madd(n, n, to->level, to->edge);
    }
}

// The normals that an edge allows are a circle, which bends by more than the sphere does where its level is not 0.
static double bend(const restriction *on, double s, const double residual[3])
{
    double level = on ? on->level : 0.0;
    return level == 0.0 ? s : (s - level * tn_vec3_dot(on->edge, residual)) / (1.0 - level * level);
}

// on: NULL, or what n keeps to.
static void climb(const tn_gjk_pair *pair, const restriction *on, double handicap, tn_gjk_result *out)
{
    double n[3], frame[9];
    tn_gjk_vertex at;
    tn_vec3_copy(n, out->normal);
    if (on) {
        restrict_normal(n, on);
    }
    double s = separation(pair, n, &at), last = INFINITY;
    for (int k = 0; k < STEPS; ++k) {
        double tangent[2][3], residual[3], step[3], next[3], back[3] = {-n[0], -n[1], -n[2]};
        curvature h = {{0.0, 0.0, 0.0}};
        tn_gjk_vertex there;
        if (on) {
            tn_vec3_cross(tangent[0], n, on->edge);
            tn_vec3_scale(tangent[0], 1.0 / sqrt(1.0 - on->level * on->level), tangent[0]);
            tn_vec3_copy(tangent[1], on->edge);
        } else {
            tn_mat3_frame(frame, n);
            tn_vec3_copy(tangent[0], frame + 3);
            tn_vec3_copy(tangent[1], frame + 6);
        }
        add_curvature(pair->a, n, tangent, &h);
        add_curvature(pair->b, back, tangent, &h);
        tn_vec3_scale(residual, -1.0, at.w);
        if (!newton_step(&h, bend(on, s, residual), residual, on ? 1 : 2, tangent, step)) {
            break;
        }
        double length = tn_vec3_norm(step);
        if (!(length < 0.5 * last)) {
            break; // rounding, or no convergence
        }
        last = length;
        tn_vec3_madd(next, n, 1.0, step);
        normalize(next);
        if (on && on->level != 0.0) {
            restrict_normal(next, on);
        }
        double higher = separation(pair, next, &there);
        if (!(higher >= s - slack * pair->scale)) {
            break;
        }
        s = higher;
        at = there;
        tn_vec3_copy(n, next);
        if (length < 1e-9) { // the next would be shorter than rounding
            break;
        }
    }
    if (s > out->distance + handicap) {
        out->distance = s;
        tn_vec3_copy(out->normal, n);
    }
}

// The face of one core that looks nearly along the normal.
static bool try_face(const tn_gjk_pair *pair, const tn_convex *c, double sign, tn_gjk_result *out)
{
    double n[3], face[3];
    tn_vec3_scale(n, sign, out->normal);
    if (!(tn_patch_facing(c, n, face) > nearly_same)) {
        return false;
    }
    tn_vec3_scale(n, sign, face);
    return try_normal(pair, n, -slack * pair->scale, out);
}

// The normal that an edge of each core allows, if it is nearly the one that there is.
static void try_edges(const tn_gjk_pair *pair, const restriction *a, const restriction *b, double handicap,
                      tn_gjk_result *out)
{
    double n[3];
    tn_vec3_cross(n, a->edge, b->edge);
    double length = tn_vec3_norm(n), cosine = tn_vec3_dot(a->edge, b->edge);
    if (!(length > 1e-7)) {
        return;
    }
    tn_vec3_scale(n, (tn_vec3_dot(n, out->normal) < 0.0 ? -1.0 : 1.0) / length, n);
    if (a->level != 0.0 || b->level != 0.0) { // the parts along the edges, and what is left across both
        double of_a = (a->level - cosine * b->level) / (length * length),
               of_b = (b->level - cosine * a->level) / (length * length);
        double square = of_a * a->level + of_b * b->level;
        tn_vec3_scale(n, sqrt(fmax(0.0, 1.0 - square)), n);
        tn_vec3_madd(n, n, of_a, a->edge);
        tn_vec3_madd(n, n, of_b, b->edge);
        normalize(n);
    }
    if (tn_vec3_dot(n, out->normal) > nearly_same) {
        try_normal(pair, n, handicap, out);
    }
}

// The search's distance is an upper bound of the signed distance, any separation a lower one: where they meet, the
// normal is proved. Faces win ties, so that rounding alone never turns a normal away from a face's.
void tn_gjk_refine(const tn_gjk_pair *pair, tn_gjk_result *out)
{
    tn_gjk_vertex at;
    double high = out->distance, low = separation(pair, out->normal, &at), rounding = slack * pair->scale;
    bool curved = tn_convex_is_curved(pair->a) || tn_convex_is_curved(pair->b);
    out->distance = curved ? low : high;
    bool of_a = try_face(pair, pair->a, 1.0, out);
    bool of_face = of_a || try_face(pair, pair->b, -1.0, out);
    if (of_face && out->distance >= high - rounding) {
        return;
    }
    double handicap = of_face ? rounding : -rounding;
    restriction a = restriction_of(pair->a, out, true), b = restriction_of(pair->b, out, false);
    if (a.has_edge && b.has_edge) {
        try_edges(pair, &a, &b, handicap, out);
    }
    if (curved && out->distance < high - rounding) {
        if (a.has_edge) {
            climb(pair, &a, handicap, out);
        }
        if (b.has_edge) {
            climb(pair, &b, handicap, out);
        }
        climb(pair, NULL, handicap, out);
    }
}
