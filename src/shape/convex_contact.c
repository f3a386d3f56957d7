// Contact points of two convex shapes: the nearest points to rounding, and where a face or line of one looks along the
// normal, all points of the other's face or line over it.
#include "math/vec3.h"
#include "shape/convex_nearest.h"
#include "shape/patch.h"
#include "shape/reduce.h"

// Cosine between contact normal and face normal from which on the face's points count.
static const double faces_contact = 0.9;
// Sine of the angle between two lines below which the ends of their overlap count.
static const double nearly_parallel = 0.1;

// False where neither has a face that looks along the contact normal.
static bool choose_face(const tn_convex_pair *w, bool *of_a, double outward[3])
{
    double back[3], face_a[3], face_b[3];
    tn_vec3_scale(back, -1.0, w->near.normal);
    double cosine_a = tn_patch_facing(w->a, w->near.normal, face_a);
    double cosine_b = tn_patch_facing(w->b, back, face_b);
    *of_a = cosine_a + 1e-9 >= cosine_b; // ties (stacks) go to a
    tn_vec3_copy(outward, *of_a ? face_a : face_b);
    return fmax(cosine_a, cosine_b) > faces_contact;
}

// Points over the face. Returns the least distance among them. Where the face is slightly askew to the true normal they
// may lie deeper than the overlap itself: by a little they count as deep as it, by more they are left out.
static double add_face(const tn_convex_pair *w, tn_face_points *out)
{
    tn_patch face, other;
    tn_patch_point points[TN_PATCH_POINTS];
    double outward[3], back[3], at[3], least = INFINITY, distance = w->near.distance;
    bool of_a;
    out->n = 0;
    if (!choose_face(w, &of_a, outward)) {
        return least;
    }
    tn_vec3_scale(back, -1.0, outward);
    tn_vec3_scale(at, of_a ? 1.0 : -1.0, w->pair.between);
    tn_patch_set(of_a ? w->a : w->b, outward, &face);
    tn_patch_set(of_a ? w->b : w->a, back, &other);
    int n = tn_patch_clip(&face, &other, at, tn_face_slack * w->least, of_a, points);
    double floor = distance - 1e-6 * w->least - 1e-3 * fabs(distance);
    // The points are b's if the face is a's, and the other way round; all from a's centre, at the other's surface.
    double way = of_a ? -1.0 : 1.0, radius = of_a ? w->b->radius : w->a->radius, normal[3];
    tn_vec3_scale(normal, -way, outward);
    for (int i = 0; i < n; ++i) {
        double height = fmax(points[i].height, distance), x[3];
        if (points[i].height >= floor) {
            tn_vec3_madd(x, points[i].x, -radius, outward);
            tn_vec3_add(x, x, of_a ? w->a->centre : w->b->centre);
            tn_face_points_add(out, normal, x, way, height - w->radius, points[i].feature);
            least = fmin(least, height);
        }
    }
    return least;
}

// The line of a capsule or cylinder's side: its axis and radius, if the normal is nearly across it.
static bool axis_line(const tn_convex *c, const double normal[3], double half[3], double *radius)
{
    bool even = c->class->form == TN_CORE_RIMMED && c->rims.side[1] == 0.0;
    if ((!even && !c->class->rounded) || c->size[1] == 0.0) {
        return false;
    }
    tn_vec3_set(half, c->rotation[2], c->rotation[5], c->rotation[8]);
    bool beside = fabs(tn_vec3_dot(half, normal)) < nearly_parallel;
    tn_vec3_scale(half, c->size[1], half);
    *radius = c->size[0];
    return beside;
}

// Contact of the slices of two rods at points of their axes, pa and pb from a's centre: across both.
static double add_slices(const tn_convex_pair *w, const double pa[3], const double ha[3], const double pb[3],
                         const double hb[3], unsigned feature, tn_face_points *out)
{
    double n[3], point[3];
    tn_vec3_sub(n, pb, pa);
    double length = tn_vec3_norm(n), reach[2];
    if (!(length > 0.5 * fmin(w->a->size[0], w->b->size[0]))) {
        return INFINITY; // too deep to tell the side
    }
    tn_vec3_scale(n, 1.0 / length, n);
    for (int k = 0; k < 2; ++k) { // how far a slice, or a ball, reaches along n
        const tn_convex *c = k ? w->b : w->a;
        double sine = tn_vec3_dot(n, k ? hb : ha) / c->size[1];
        reach[k] = c->size[0] * (c->class->form == TN_CORE_RIMMED ? sqrt(fmax(0.0, 1.0 - sine * sine)) : 1.0);
    }
    double floor = w->near.distance - w->radius;
    double gap = fmax(length - reach[0] - reach[1], floor);
    tn_vec3_madd(point, pa, reach[0], n);
    tn_vec3_add(point, point, w->a->centre);
    tn_face_points_add(out, n, point, 1.0, gap, feature);
    return gap;
}

// Two rods side by side: the ends of each over the other. Returns the least gap among them, from core to core.
static double add_lines(const tn_convex_pair *w, tn_face_points *out)
{
    double ha[3], hb[3], ra, rb, cross[3], least = INFINITY;
    if (!axis_line(w->a, w->near.normal, ha, &ra) || !axis_line(w->b, w->near.normal, hb, &rb)) {
        return least;
    }
    double la = w->a->size[1], lb = w->b->size[1];
    tn_vec3_cross(cross, ha, hb);
    if (!(tn_vec3_norm(cross) < nearly_parallel * la * lb)) {
        return least;
    }
    for (unsigned k = 0; k < 4; ++k) {
        bool of_a = k < 2;
        double sign = k & 1 ? 1.0 : -1.0, pa[3], pb[3], d[3];
        if (of_a) { // an end of a and its foot on b
            tn_vec3_scale(pa, sign, ha);
            tn_vec3_sub(d, pa, w->pair.between);
        } else {
            tn_vec3_madd(pb, w->pair.between, sign, hb);
            tn_vec3_copy(d, pb);
        }
        double along = of_a ? tn_vec3_dot(d, hb) / (lb * lb) : tn_vec3_dot(d, ha) / (la * la);
        if (fabs(along) > 1.0 + 1e-9) {
            continue;
        }
        if (of_a) {
            tn_vec3_madd(pb, w->pair.between, along, hb);
        } else {
            tn_vec3_scale(pa, along, ha);
        }
        unsigned feature = of_a ? tn_feature(TN_FEATURE_VERTEX_A, k & 1, 0) : tn_feature(TN_FEATURE_VERTEX_B, 0, k & 1);
        least = fmin(least, add_slices(w, pa, ha, pb, hb, feature, out));
    }
    return least + w->radius;
}

static tn_contact_point nearest_point(const tn_convex_pair *w)
{
    tn_contact_point p = {.gap = w->near.distance - w->radius, .feature = w->feature};
    tn_vec3_copy(p.normal, w->near.normal);
    tn_vec3_madd(p.point, w->pb, -(w->b->radius + 0.5 * p.gap), p.normal);
    tn_vec3_add(p.point, p.point, w->a->centre);
    return p;
}

// nearest: whether the nearest points are known.
static void add_points(const tn_convex_pair *w, bool nearest, tn_manifold *out)
{
    tn_face_points face;
    double least = add_face(w, &face);
    least = fmin(least, add_lines(w, &face));
    tn_contact_point point = nearest_point(w);
    // Where the nearest points are known by the search alone, the face's points stand for them as well as any.
    double slack = w->exact ? 1e-9 * w->least : 1e-6 * w->pair.scale;
    bool alone = !tn_convex_is_curved(w->a) && !tn_convex_is_curved(w->b) && least <= w->near.distance + slack;
    face.most = alone ? TN_PAIR_POINTS : TN_PAIR_POINTS - 1; // the same with and without a round shape's nearest point
    tn_face_points_finish(&face, nearest && least > w->near.distance + slack ? &point : NULL, out);
}

void tn_convex_contact(const tn_convex *a, const tn_convex *b, tn_manifold *out)
{
    tn_convex_pair w;
    if (!tn_convex_nearest(a, b, tn_manifold_reach(out), &w)) {
        return;
    }
    if (out->deepest) { // no other point lies deeper
        tn_contact_point p = nearest_point(&w);
        tn_manifold_add(out, p.normal, p.point, p.gap, p.feature);
    } else {
        add_points(&w, true, out);
    }
}

void tn_convex_contact_along(const tn_convex *a, const tn_convex *b, const double normal[3], double distance,
                             const double *nearest, unsigned vertex, tn_manifold *out)
{
    tn_convex_pair w = {.a = a,
                        .b = b,
                        .pair = tn_gjk_pair_of(a, b),
                        .near = {.distance = distance},
                        .radius = a->radius + b->radius,
                        .least = fmin(a->least, b->least),
                        .exact = true};
    tn_vec3_copy(w.near.normal, normal);
    if (nearest) {
        tn_vec3_add(w.pb, w.pair.between, nearest);
        w.feature =
            tn_convex_is_curved(b) ? tn_feature(TN_FEATURE_NEAREST, 0, 0) : tn_feature(TN_FEATURE_VERTEX_B, 0, vertex);
    }
    add_points(&w, nearest != NULL, out);
}

void tn_pair_convex(const tn_placed *a, const tn_placed *b, tn_manifold *out)
{
    tn_convex ca = tn_convex_of(a), cb = tn_convex_of(b);
    tn_convex_contact(&ca, &cb, out);
}
