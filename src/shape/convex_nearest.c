// The search goes from coarse to fine: GJK (and EPA where the cores overlap), refinement of the normal, then the
// points.
#include "shape/convex_nearest.h"

#include "math/mat3.h"
#include "math/vec3.h"
#include "shape/epa.h"
#include "shape/patch.h"
#include "shape/segment.h"

// How exact the search must be before the refinement, as shares of the smaller core's extent; of both: polyhedra.
static const double coarse = 2e-3, fine = 1e-7, polyhedra = 1e-14;

// Each search after one that was not proved, in units of that; the first one of overlaps in units of the finest.
static const double finer = 0.01, first_depth = 1e5;

// Places that differ by no more than this share of the extent of both are one.
static const double same_place = 1e-11;

// What of a core the nearest points may be chosen from.
typedef enum part { PART_POINT, PART_LINE, PART_FACE } part;

// The part of the core that looks along the unit direction, as far as it is exact: a round surface's point, a vertex,
// a line, else a face. name: of its first vertex.
static part part_of(const tn_convex *c, const double direction[3], int n_names, unsigned name, double point[3])
{
    double d[3];
    if (c->class->form == TN_CORE_SMOOTH) {
        tn_convex_support(c, direction, point);
        return PART_POINT;
    }
    if (c->class->form == TN_CORE_RIMMED) {
        tn_convex_support(c, direction, point);
        tn_mat3_tvec(d, c->rotation, direction);
        double across = sqrt(d[0] * d[0] + d[1] * d[1]);
        if (across < 1e-9) {
            return c->rims.radius[d[2] > 0.0] > 0.0 ? PART_FACE : PART_POINT;
        }
        return n_names > 1 && fabs(d[2] - c->rims.side[1]) < 1e-9 ? PART_LINE : PART_POINT;
    }
    tn_convex_vertex(c, name, point);
    return n_names == 1 ? PART_POINT : n_names == 2 ? PART_LINE : PART_FACE;
}

// Different vertices of one core in the simplex; the first two are given.
static int count_names(const tn_gjk_result *near, bool of_a, unsigned names[4])
{
    int n = 0;
    for (int i = 0; i < near->n; ++i) {
        unsigned name = of_a ? near->vertex[i].of_a : near->vertex[i].of_b;
        bool known = false;
        for (int k = 0; k < n; ++k) {
            known |= names[k] == name;
        }
        if (!known) {
            names[n++] = name;
        }
    }
    return n;
}

// Middle and half of a core's line.
static void line_of(const tn_convex *c, const double direction[3], const unsigned names[4], double middle[3],
                    double half[3])
{
    double end[2][3];
    if (c->class->form == TN_CORE_RIMMED) {
        tn_patch line;
        tn_patch_set(c, direction, &line);
        tn_vec3_copy(end[0], line.x[0]);
        tn_vec3_copy(end[1], line.x[1]);
    } else {
        tn_convex_vertex(c, names[0], end[0]);
        tn_convex_vertex(c, names[1], end[1]);
    }
    for (int i = 0; i < 3; ++i) {
        middle[i] = 0.5 * (end[0][i] + end[1][i]);
        half[i] = 0.5 * (end[1][i] - end[0][i]);
    }
}

// The core's point nearest to x: its only one, or of its line, or the foot on its face. Where that is not over the
// face the simplex's point, which weights gives, is all there is, and false is returned.
typedef struct end {
    const tn_convex *core;
    part kind;
    unsigned names[4];
    int n_names;
    double point[3];           // of a point
    double middle[3], half[3]; // of a line
    double mixed[3];           // of the simplex
} end;

static end end_of(const tn_convex_pair *w, bool of_a)
{
    end e = {.core = of_a ? w->a : w->b};
    double direction[3];
    tn_vec3_scale(direction, of_a ? 1.0 : -1.0, w->near.normal);
    e.n_names = count_names(&w->near, of_a, e.names);
    e.kind = part_of(e.core, direction, e.n_names, e.names[0], e.point);
    if (e.kind == PART_LINE) {
        line_of(e.core, direction, e.names, e.middle, e.half);
    }
    if (!of_a) {
        tn_vec3_add(e.point, e.point, w->pair.between);
        tn_vec3_add(e.middle, e.middle, w->pair.between);
    }
    for (int i = 0; i < w->near.n; ++i) {
        tn_vec3_madd(e.mixed, e.mixed, w->near.weight[i], of_a ? w->near.vertex[i].a : w->near.vertex[i].b);
    }
    return e;
}

static void nearest_of_line(const end *e, const double x[3], double out[3])
{
    double d[3], square = tn_vec3_dot(e->half, e->half);
    tn_vec3_sub(d, x, e->middle);
    double s = square > 0.0 ? tn_vec3_dot(d, e->half) / square : 0.0;
    tn_vec3_madd(out, e->middle, s < -1.0 ? -1.0 : s > 1.0 ? 1.0 : s, e->half);
}

// The counterpart of the other core's only point x, which lies way along the normal from it.
static bool nearest_of_end(const tn_convex_pair *w, const end *e, const double x[3], double way, double out[3])
{
    if (e->kind == PART_POINT) {
        tn_vec3_copy(out, e->point);
        return true;
    }
    if (e->kind == PART_LINE) {
        nearest_of_line(e, x, out);
        return true;
    }
    double local[3], normal[3], on[3];
    tn_vec3_madd(out, x, way * w->near.distance, w->near.normal);
    tn_vec3_scale(normal, -way, w->near.normal);
    tn_vec3_copy(local, out);
    if (way > 0.0) {
        tn_vec3_sub(local, local, w->pair.between);
    }
    tn_convex_support(e->core, normal, on);
    if (fabs(tn_vec3_dot(normal, on) - tn_vec3_dot(normal, local)) > same_place * w->pair.scale) {
        return false; // the refinement has left the simplex, and x is not the other core's farthest point
    }
    return tn_convex_inside_face(e->core, normal, local) >= 0.0;
}

// The nearest points, and whether they prove the separation: exact where a core has a single point there, or both a
// line, else from the simplex.
static void set_nearest(tn_convex_pair *w)
{
    end a = end_of(w, true), b = end_of(w, false);
    double d[3], s, t;
    w->proved = true;
    tn_vec3_copy(w->pa, a.mixed);
    tn_vec3_copy(w->pb, b.mixed);
    if (a.kind == PART_POINT) {
        tn_vec3_copy(w->pa, a.point);
        w->proved = nearest_of_end(w, &b, w->pa, 1.0, w->pb);
    } else if (b.kind == PART_POINT) {
        tn_vec3_copy(w->pb, b.point);
        w->proved = nearest_of_end(w, &a, w->pb, -1.0, w->pa);
    } else if (a.kind == PART_LINE && b.kind == PART_LINE) {
        tn_segment_closest(a.middle, a.half, b.middle, b.half, &s, &t);
        tn_vec3_madd(w->pa, a.middle, s, a.half);
        tn_vec3_madd(w->pb, b.middle, t, b.half);
    } else {
        w->proved = false;
    }
    tn_vec3_sub(d, w->pb, w->pa);
    double distance = w->near.distance;
    w->proved = w->proved && fabs(tn_vec3_norm(d) - fabs(distance)) <= same_place * w->pair.scale &&
                fabs(tn_vec3_dot(d, w->near.normal) - distance) <= same_place * w->pair.scale;
    w->exact = w->proved;
    if (!w->proved) { // such as a rim beside a face that is nearly parallel: where the search found them
        tn_vec3_copy(w->pb, b.mixed);
        tn_vec3_madd(w->pa, b.mixed, -distance, w->near.normal);
    }
    unsigned *names_a = a.names, *names_b = b.names;
    int n_a = a.n_names, n_b = b.n_names;
    bool curved = tn_convex_is_curved(w->a) || tn_convex_is_curved(w->b);
    w->feature = tn_feature(TN_FEATURE_NEAREST, 0, 0);
    if (!curved && n_b == 1) {
        w->feature = tn_feature(TN_FEATURE_VERTEX_B, 0, names_b[0]);
    } else if (!curved && n_a == 1) {
        w->feature = tn_feature(TN_FEATURE_VERTEX_A, names_a[0], 0);
    } else if (!curved && n_a == 2 && n_b == 2) {
        w->feature = tn_feature(TN_FEATURE_EDGES, tn_patch_edge_name(w->a, names_a[0], names_a[1]),
                                tn_patch_edge_name(w->b, names_b[0], names_b[1]));
    }
}

// Is the depth found surely the least one, though only the normals nearby were tried? With one core a ball of any size
// rolled inside an ellipsoid, that is so until the ellipsoid without the ball's radius overlaps the other core too: the
// separation of what is left is largest along the same normal.
static bool is_shallow(const tn_convex_pair *w)
{
    double depth = -w->near.distance;
    for (int k = 0; k < 2; ++k) {
        const tn_convex *c = k ? w->b : w->a;
        double most = c->extent, least = c->least;
        if (c->class->form == TN_CORE_SMOOTH && depth < 0.5 * least * least / most) { // the least radius of curvature
            return true;
        }
    }
    return false;
}

static void refine(tn_convex_pair *w)
{
    tn_gjk_refine(&w->pair, &w->near);
    set_nearest(w);
    w->proved = w->proved && (w->near.distance >= 0.0 || is_shallow(w));
}

// A core that is a point has none.
static double smaller_extent(const tn_convex_pair *w)
{
    double a = w->a->extent, b = w->b->extent;
    return a > 0.0 && b > 0.0 ? fmin(a, b) : a + b;
}

// Half of the axis of a capsule's or a cylinder's core; false: it is another one.
static bool axis_of(const tn_convex *c, bool cylinder, double half[3])
{
    bool even = c->class->form == TN_CORE_RIMMED && c->rims.side[1] == 0.0;
    for (int i = 0; i < 3; ++i) {
        half[i] = c->size[1] * c->rotation[3 * i + 2];
    }
    return c->size[1] > 0.0 && (cylinder ? even : c->class->rounded);
}

// A capsule beside a cylinder: nearest where the axes are, as long as that is between the cylinder's ends.
static bool is_beside(tn_convex_pair *w)
{
    static const double origin[3] = {0.0, 0.0, 0.0};
    double ha[3], hb[3], s, t, d[3];
    bool of_a = axis_of(w->a, true, ha) && axis_of(w->b, false, hb);
    if (!of_a && !(axis_of(w->a, false, ha) && axis_of(w->b, true, hb))) {
        return false;
    }
    double square = tn_segment_closest(origin, ha, w->pair.between, hb, &s, &t), length = sqrt(square);
    double radius = of_a ? w->a->size[0] : w->b->size[0];
    if (!(fabs(of_a ? s : t) < 1.0 - 1e-9 && length > 1.001 * radius)) { // inside of it another face may be nearer
        return false;
    }
    tn_vec3_scale(w->pa, s, ha);
    tn_vec3_madd(w->pb, w->pair.between, t, hb);
    tn_vec3_sub(d, w->pb, w->pa);
    tn_vec3_scale(w->near.normal, 1.0 / length, d);
    tn_vec3_madd(of_a ? w->pa : w->pb, of_a ? w->pa : w->pb, of_a ? radius : -radius, w->near.normal);
    w->near.distance = length - radius;
    w->feature = tn_feature(TN_FEATURE_NEAREST, 0, 0);
    w->exact = w->proved = true;
    return true;
}

// Is the depth that was refined the least one, to the tolerance?
static bool is_least(const tn_convex_pair *w, tn_epa *polytope, double tolerance)
{
    tn_gjk_vertex foot = {.of_a = w->near.vertex[0].of_a, .of_b = w->near.vertex[0].of_b};
    tn_vec3_copy(foot.a, w->pa);
    tn_vec3_copy(foot.b, w->pb);
    tn_vec3_sub(foot.w, w->pa, w->pb);
    return w->exact && tn_epa_proves(polytope, &foot, w->near.normal, -w->near.distance, tolerance);
}

// From coarse to fine, until no other depth can be less by more than the tolerance.
static void find_depth(tn_convex_pair *w, double tolerance)
{
    tn_epa polytope;
    tn_convex_pair best;
    if (!tn_epa_start(&polytope, &w->pair, &w->near)) {
        refine(w);
        return;
    }
    best.near.distance = -INFINITY;
    bool curved = tn_convex_is_curved(w->a) || tn_convex_is_curved(w->b);
    double now = curved ? first_depth * tolerance : tolerance;
    for (;; now = fmax(tolerance, finer * now)) {
        tn_epa_expand(&polytope, now, &w->near);
        refine(w);
        if (w->near.distance < best.near.distance - tolerance) {
            *w = best;
        }
        if (now <= tolerance || is_least(w, &polytope, tolerance)) {
            return;
        }
        best = *w;
    }
}

// Round shapes: a coarse search will do where the points that the refinement leads to prove its distance. False:
// farther apart than reach.
static bool find_nearest(tn_convex_pair *w, double reach)
{
    bool curved = tn_convex_is_curved(w->a) || tn_convex_is_curved(w->b);
    double least = polyhedra * w->pair.scale, small = smaller_extent(w);
    tn_gjk_outcome outcome = TN_GJK_APART;
    w->near.n = 0;
    for (double now = curved ? coarse : 0.0; outcome == TN_GJK_APART; now *= finer) {
        w->pair.tolerance = fmax(least, now * small);
        outcome = tn_gjk_distance(&w->pair, reach, &w->near);
        if (outcome == TN_GJK_APART) {
            refine(w);
            if (w->proved || now <= fine) {
                break;
            }
        }
    }
    if (outcome == TN_GJK_APART && curved && !w->proved && !(w->near.distance > 0.0)) {
        outcome = TN_GJK_OVERLAP;
    }
    if (outcome == TN_GJK_OVERLAP) {
        find_depth(w, curved ? fmax(least, fine * small) : least);
    }
    return outcome != TN_GJK_FAR && w->near.distance <= reach;
}

// A simplex that spreads around the normal that is refined, with the centres' difference as its fourth vertex.
static void spread(const tn_convex_pair *w, tn_gjk_result *out)
{
    static const double tilt = 0.5, h = 0.86602540378443865, turn[3][2] = {{1.0, 0.0}, {-0.5, h}, {-0.5, -h}};
    double frame[9], n[3];
    tn_mat3_frame(frame, w->near.normal);
    for (int k = 0; k < 3; ++k) {
        tn_vec3_madd(n, w->near.normal, tilt * turn[k][0], frame + 3);
        tn_vec3_madd(n, n, tilt * turn[k][1], frame + 6);
        tn_gjk_support(&w->pair, n, &out->vertex[k]);
    }
    out->vertex[3] = (tn_gjk_vertex){.of_a = 0};
    tn_vec3_copy(out->vertex[3].b, w->pair.between);
    tn_vec3_scale(out->vertex[3].w, -1.0, w->pair.between);
    out->n = 4;
}

// Between two faces that look at each other, the better of which is in near, its refinement may be all that is needed:
// stacks of cylinders, whose rims lie over each other.
static bool find_between(tn_convex_pair *w)
{
    tn_epa polytope;
    if (!tn_convex_is_curved(w->a) && !tn_convex_is_curved(w->b)) {
        return false;
    }
    w->near.distance = INFINITY; // no upper bound is known
    refine(w);
    if (w->proved || !w->exact) {
        return w->proved;
    }
    spread(w, &w->near);
    return tn_epa_start(&polytope, &w->pair, &w->near) && is_least(w, &polytope, fine * smaller_extent(w));
}

bool tn_convex_nearest(const tn_convex *a, const tn_convex *b, double margin, tn_convex_pair *out)
{
    out->a = a;
    out->b = b;
    out->pair = tn_gjk_pair_of(a, b);
    out->radius = a->radius + b->radius;
    out->exact = out->proved = false;
    double reach = margin + out->radius;
    if (tn_vec3_norm(out->pair.between) - out->pair.scale > reach) {
        return false;
    }
    out->least = fmin(a->least, b->least);
    if (is_beside(out)) {
        return out->near.distance <= reach;
    }
    tn_face_outcome face = tn_convex_face_nearest(out, reach);
    bool found = face == TN_FACE_FOUND || (face == TN_FACE_NEARLY && find_between(out));
    return found ? out->near.distance <= reach : face != TN_FACE_FAR && find_nearest(out, reach);
}
