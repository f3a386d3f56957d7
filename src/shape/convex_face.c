// Nearest points of two convex cores where one of them lies on a face of the other: found by trying the face that the
// other core's centre is over, without a search.
//
// Apart, a point over the face is as near as the face's plane, and no normal separates more. Where the cores overlap by
// depth, C = { a - b } has a face with the same normal n in the distance `depth` from the origin. Let C hold a disk of
// radius r of this face about the origin's foot. Along a direction at an angle of t to n it then reaches at least
//     depth cos t + r sin t >= depth   as long as   tan(t / 2) <= r / depth,
// and what is left is around -n, where C reaches as far as the centres' difference, which is one of its points.
#include "math/mat3.h"
#include "math/vec3.h"
#include "shape/convex_nearest.h"
#include "shape/patch.h"

// Cosine between the normals of two faces that make the better one a good guess.
static const double nearly_parallel = 0.98;

double tn_convex_inside_face(const tn_convex *c, const double normal[3], const double x[3])
{
    tn_patch face;
    double d[3], inside = INFINITY;
    if (c->class->form == TN_CORE_RIMMED) {
        tn_mat3_tvec(d, c->rotation, normal);
        double r = c->rims.radius[d[2] > 0.0];
        tn_mat3_tvec(d, c->rotation, x);
        return r - sqrt(d[0] * d[0] + d[1] * d[1]);
    }
    tn_patch_set(c, normal, &face);
    tn_vec3_sub(d, face.normal, normal);
    if (!(face.n > 2 && tn_vec3_dot(d, d) < 1e-24)) {
        return -INFINITY;
    }
    for (int k = 0; k < face.n; ++k) {
        double edge[3], to[3], out[3];
        tn_vec3_sub(edge, face.x[(k + 1) % face.n], face.x[k]);
        tn_vec3_sub(to, x, face.x[k]);
        tn_vec3_cross(out, edge, face.normal);
        inside = fmin(inside, -tn_vec3_dot(out, to) / tn_vec3_norm(edge));
    }
    return inside;
}

// Is no depth less than that along the normal? inside: the disk's radius.
static bool is_least(const tn_convex_pair *w, double inside)
{
    const double *n = w->near.normal, *between = w->pair.between;
    double depth = -w->near.distance, t = depth / inside, beside[3];
    double behind = tn_vec3_dot(between, n);
    tn_vec3_madd(beside, between, -behind, n);
    return inside > 0.0 && behind * (1.0 - t * t) - 2.0 * tn_vec3_norm(beside) * t >= depth * (1.0 + t * t);
}

// A face of one core and the other's point along it.
typedef struct candidate {
    double normal[3], distance; // as in tn_gjk_result
    tn_gjk_vertex at;
} candidate;

// The face that the other core's centre is over. NONE where there is no face.
static tn_face_outcome find_face(const tn_convex_pair *w, bool of_a, double reach, candidate *out)
{
    const tn_convex *c = of_a ? w->a : w->b;
    double way = of_a ? 1.0 : -1.0, x[3], outward[3];
    tn_vec3_scale(x, way, w->pair.between);
    if (!c->class->below || !c->class->below(c, x, outward)) {
        return TN_FACE_NONE;
    }
    tn_vec3_scale(out->normal, way, outward);
    tn_gjk_support(&w->pair, out->normal, &out->at);
    out->distance = -tn_vec3_dot(out->normal, out->at.w);
    return out->distance > reach ? TN_FACE_FAR : TN_FACE_FOUND;
}

// False: it is not known to be the nearest.
static bool take_face(tn_convex_pair *w, bool of_a, const candidate *face)
{
    double outward[3], x[3];
    const double *at = of_a ? face->at.b : face->at.a, way = of_a ? 1.0 : -1.0;
    tn_vec3_scale(outward, way, face->normal);
    tn_vec3_madd(x, at, of_a ? 0.0 : -1.0, w->pair.between);
    double inside = tn_convex_inside_face(of_a ? w->a : w->b, outward, x);
    w->near.distance = face->distance;
    tn_vec3_copy(w->near.normal, face->normal);
    if (!(face->distance >= 0.0 ? inside >= 0.0 : is_least(w, inside))) {
        return false;
    }
    tn_vec3_madd(w->pa, at, of_a ? -face->distance : 0.0, face->normal);
    tn_vec3_madd(w->pb, at, of_a ? 0.0 : face->distance, face->normal);
    w->feature = tn_convex_is_curved(w->a) || tn_convex_is_curved(w->b) ? tn_feature(TN_FEATURE_NEAREST, 0, 0)
                 : of_a ? tn_feature(TN_FEATURE_VERTEX_B, 0, face->at.of_b)
                        : tn_feature(TN_FEATURE_VERTEX_A, face->at.of_a, 0);
    w->exact = w->proved = true;
    return true;
}

tn_face_outcome tn_convex_face_nearest(tn_convex_pair *w, double reach)
{
    candidate face[2];
    tn_face_outcome outcome[2];
    for (int k = 0; k < 2; ++k) {
        outcome[k] = find_face(w, k == 0, reach, &face[k]);
        if (outcome[k] == TN_FACE_FAR || (outcome[k] == TN_FACE_FOUND && take_face(w, k == 0, &face[k]))) {
            return outcome[k];
        }
    }
    if (outcome[0] == TN_FACE_NONE || outcome[1] == TN_FACE_NONE ||
        !(tn_vec3_dot(face[0].normal, face[1].normal) > nearly_parallel)) {
        return TN_FACE_NONE;
    }
    const candidate *better = face[1].distance > face[0].distance ? &face[1] : &face[0];
    tn_vec3_copy(w->near.normal, better->normal);
    w->near.distance = better->distance;
    w->near.vertex[0] = better->at;
    w->near.weight[0] = 1.0;
    w->near.n = 1;
    return TN_FACE_NEARLY;
}
