// Boxes and capsules against a box: the exact signed distance of the cores, and where a face of one looks at the
// other, all points of the facing face above it.
#include "math/vec3.h"
#include "shape/clip.h"
#include "shape/core.h"
#include "shape/manifold.h"
#include "shape/reduce.h"

// Cosine between contact normal and face normal from which on the face's points count.
static const double faces_contact = 0.9;

typedef struct core_pair {
    tn_core a, b;
    tn_nearness near;
    double scale;  // of tolerances [m]
    double radius; // of both roundings [m]
} core_pair;

// The face of core whose outward normal is nearest to direction; returns the cosine, -1 for a segment.
static double best_face(const tn_core *core, const double direction[3], int *axis, double *side)
{
    double best = -1.0;
    for (int i = 0; core->first == 0 && i < 3; ++i) {
        double cosine = tn_vec3_dot(direction, core->axis[i]);
        if (fabs(cosine) > best) {
            best = fabs(cosine);
            *axis = i;
            *side = cosine < 0.0 ? -1.0 : 1.0;
        }
    }
    return best;
}

// False where neither has a face that looks along the contact normal.
static bool choose_face(const core_pair *pair, tn_clip_face *face)
{
    double back[3], side_a = 1.0, side_b = 1.0;
    int axis_a = 0, axis_b = 0;
    tn_vec3_scale(back, -1.0, pair->near.normal);
    double cosine_a = best_face(&pair->a, pair->near.normal, &axis_a, &side_a);
    double cosine_b = best_face(&pair->b, back, &axis_b, &side_b);
    if (!(cosine_a > faces_contact || cosine_b > faces_contact)) {
        return false;
    }
    bool of_a = cosine_a + 1e-9 >= cosine_b; // ties (stacks) go to a
    face->core = of_a ? &pair->a : &pair->b;
    face->other = of_a ? &pair->b : &pair->a;
    face->core_is_a = of_a;
    face->axis = of_a ? axis_a : axis_b;
    face->side = of_a ? side_a : side_b;
    face->along[0] = (face->axis + 1) % 3;
    face->along[1] = (face->axis + 2) % 3;
    return true;
}

// Points over the face. Returns the least distance among them. Where the face is slightly askew to the true normal
// they may lie deeper than the overlap itself: by a little they count as deep as it, by more they are left out.
static double add_face(const core_pair *pair, tn_face_points *out)
{
    tn_clip_face face;
    tn_clip_outline over;
    double normal[3], outward[3], least = INFINITY;
    out->n = 0;
    if (!choose_face(pair, &face)) {
        return least;
    }
    tn_clip(&face, tn_face_slack * pair->scale, &over);
    double distance = pair->near.distance;
    double floor = distance - 1e-6 * pair->scale - 1e-3 * fabs(distance);
    tn_vec3_scale(outward, face.side, face.core->axis[face.axis]);
    tn_vec3_scale(normal, face.core_is_a ? 1.0 : -1.0, outward);
    for (int i = 0; i < over.room[0].n; ++i) {
        const tn_clip_point *p = over.points + over.room[0].point[i];
        double x[3], w = p->x[2] > distance ? p->x[2] : distance, gap = w - pair->radius;
        if (p->x[2] >= floor) {
            const double surface[3] = {p->x[0], p->x[1], p->x[2] - face.other->radius};
            tn_clip_to_world(x, &face, surface);
            tn_face_points_add(out, normal, x, face.core_is_a ? -1.0 : 1.0, gap, p->feature);
            least = w < least ? w : least;
        }
    }
    return least;
}

// The closest points themselves.
static tn_contact_point nearest_point(const core_pair *pair)
{
    const tn_nearness *near = &pair->near;
    tn_contact_point p = {.gap = near->distance - pair->radius, .feature = near->feature};
    tn_vec3_copy(p.normal, near->normal);
    tn_vec3_madd(p.point, near->point_b, -(pair->b.radius + 0.5 * p.gap), near->normal);
    return p;
}

// Features: tn_feature. Cores that are apart: where a point over the best face lies as near as the face's plane, that
// is the distance. If none does, the search for the nearest points decides.
void tn_pair_cores(const tn_placed *a, const tn_placed *b, tn_manifold *out)
{
    core_pair pair;
    tn_face_points face;
    tn_core_set(&pair.a, a);
    tn_core_set(&pair.b, b);
    pair.radius = pair.a.radius + pair.b.radius;
    double size_a = tn_core_size(&pair.a), size_b = tn_core_size(&pair.b);
    pair.scale = size_a < size_b ? size_a : size_b;
    // The axes that part them by more end the search.
    if (!tn_core_nearness(&pair.a, &pair.b, tn_manifold_reach(out) + pair.radius, &pair.near)) {
        return;
    }
    if (out->deepest && pair.near.proved) {
        tn_contact_point nearest = nearest_point(&pair);
        tn_manifold_add(out, nearest.normal, nearest.point, nearest.gap, nearest.feature);
        return;
    }
    double least = add_face(&pair, &face);
    if (least <= pair.near.distance + 1e-9 * pair.scale) {
        face.most = TN_PAIR_POINTS;
        tn_face_points_finish(&face, NULL, out);
    } else if (pair.near.proved) {
        tn_contact_point nearest = nearest_point(&pair);
        face.most = TN_PAIR_POINTS - 1;
        tn_face_points_finish(&face, &nearest, out);
    } else {
        tn_pair_convex(a, b, out);
    }
}
