// Gaps of contacts of soft bodies after the step, by the features that a contact names.
#include "collide/soft_core.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "shape/pose.h"
#include "shape/segment.h"
#include "shape/triangle.h"

// Nodes of a side at the new places.
typedef struct feature {
    int n;
    double x[3][3];
} feature;

static feature feature_of(const double *x, const tn_soft_point *point)
{
    feature f = {.n = point->n};
    for (int i = 0; i < f.n; ++i) {
        tn_vec3_copy(f.x[i], x + 3 * (size_t)point->node[i]);
    }
    return f;
}

static tn_pose shape_pose(const tn_model *model, const tn_pose *poses, int shape)
{
    tn_pose pose;
    tn_pose_join(&pose, poses + model->shapes[shape].body, &model->shapes[shape].pose);
    return pose;
}

// Signed distance of x to the nearest point of the feature; outward: out of the feature's body, as the contact had it.
// Over a face its own normal counts. Beside it, the point is inside only if it went below rather than past the rim.
static double distance_to(const feature *f, const double outward[3], const double x[3])
{
    double weight[3], normal[3], d[3];
    const double *b = f->x[f->n > 1 ? 1 : 0], *c = f->x[f->n > 2 ? 2 : 0];
    tn_vec3_copy(normal, outward);
    double square = tn_triangle_closest(f->x[0], b, c, x, weight);
    if (f->n == 3) {
        tn_triangle_area(normal, f->x[0], b, c);
        double length = tn_vec3_norm(normal);
        tn_vec3_scale(normal, length > 0.0 ? 1.0 / length : 0.0, normal);
    }
    tn_vec3_sub(d, x, f->x[0]);
    tn_vec3_madd(d, d, -weight[1], b);
    tn_vec3_madd(d, d, weight[1], f->x[0]);
    tn_vec3_madd(d, d, -weight[2], c);
    tn_vec3_madd(d, d, weight[2], f->x[0]);
    double along = tn_vec3_dot(normal, d);
    bool below = along < 0.0 && 2.0 * along * along >= square;
    return below ? -sqrt(square) : sqrt(square);
}

// Of two straight edges, from middle - half to middle + half, along what is across both, turned the contact's way.
// place: on the first, -1 and 1 its ends, and on the second, 0 and 1, where the lines are nearest; NULL: not wanted.
static double edges_gap(const double middle_a[3], const double half_a[3], const double p[3], const double q[3],
                        const double normal[3], double *place)
{
    double half_b[3], n[3], d[3], m[3];
    tn_vec3_sub(half_b, q, p);
    tn_vec3_cross(n, half_a, half_b);
    double square = tn_vec3_dot(n, n);
    tn_vec3_sub(d, p, middle_a);
    if (!(square > 0.0)) {
        return tn_vec3_dot(normal, d);
    }
    if (place) {
        tn_vec3_cross(m, d, half_b);
        place[0] = tn_vec3_dot(m, n) / square;
        tn_vec3_cross(m, d, half_a);
        place[1] = tn_vec3_dot(m, n) / square;
    }
    return (tn_vec3_dot(n, normal) < 0.0 ? -1.0 : 1.0) * tn_vec3_dot(n, d) / sqrt(square);
}

// An edge of the shape, curved or not, and one of the soft body from p to q. Once they have passed each other's ends
// they are apart, however their lines lie: then the nearest point of the soft edge counts, against the shape as a
// whole.
static double shape_edge_gap(const tn_shape *shape, const tn_pose *pose, const tn_contact *contact, const double p[3],
                             const double q[3])
{
    enum { TRIES = 6 }; // as when it was found
    int edge = contact->soft_a->node[0];
    tn_core_edge of_shape = tn_core_points_edge(shape, edge, 0.0);
    double at = contact->soft_a->weight[0], turn = of_shape.turn, gap = 0.0, place[2] = {0.0, 0.5};
    for (int i = 0; i < (turn > 0.0 ? TRIES : 1); ++i) {
        of_shape = tn_core_points_edge(shape, edge, at);
        tn_pose_point(of_shape.middle, pose, of_shape.middle);
        tn_quat_rotate(of_shape.half, pose->quaternion, of_shape.half);
        gap = edges_gap(of_shape.middle, of_shape.half, p, q, contact->frame, place);
        at += atan(place[0]);
    }
    if (place[1] < 0.0 || place[1] > 1.0 || (!(turn > 0.0) && fabs(place[0]) > 1.0)) {
        double x[3], normal[3], nearest[3], t = fmax(0.0, fmin(place[1], 1.0));
        tn_vec3_scale(x, 1.0 - t, p);
        tn_vec3_madd(x, x, t, q);
        return tn_shape_distance(shape, pose, x, normal, nearest);
    }
    return gap - of_shape.radius;
}

// The point of the shape that touches the face: point number i, or the one of a round part that is lowest towards it.
static void core_point(const tn_shape *shape, const tn_pose *pose, int i, const feature *f, double out[3])
{
    int first = tn_core_points_of(shape).n, parts = tn_core_round_parts(shape);
    tn_vec3_set(out, 0.0, 0.0, 0.0);
    if (parts > 0 && i >= first) {
        double down[3], back[4];
        tn_triangle_area(down, f->x[0], f->x[2], f->x[1]);
        double length = tn_vec3_norm(down);
        tn_vec3_scale(down, length > 0.0 ? 1.0 / length : 0.0, down);
        tn_quat_conjugate(back, pose->quaternion);
        tn_quat_rotate(down, back, down);
        tn_core_round_point(shape, (i - first) % 2, down, out);
    } else {
        tn_core_point(shape, i, out);
    }
    tn_pose_point(out, pose, out);
}

// A point of the shape and a face, or an edge of each; an ellipsoid has none.
static double core_gap(const tn_model *model, const tn_pose *poses, const double *x, const tn_contact *contact)
{
    const tn_shape *shape = &model->shapes[contact->shape_a].shape;
    tn_pose pose = shape_pose(model, poses, contact->shape_a);
    feature f = feature_of(x, contact->soft_b);
    double point[3], outward[3], nearest[3];
    if ((contact->feature & TN_FEATURE_EDGE) != TN_FEATURE_EDGE) {
        core_point(shape, &pose, (int)((contact->feature & ~TN_FEATURE_CORE) >> 5), &f, point);
        tn_vec3_scale(outward, -1.0, contact->frame);
        return distance_to(&f, outward, point) - tn_core_points_of(shape).radius;
    }
    if (tn_core_points_of(shape).n_edges > 0 || tn_core_is_surface(shape)) {
        return shape_edge_gap(shape, &pose, contact, f.x[0], f.x[1]);
    }
    tn_vec3_scale(point, contact->soft_b->weight[0], f.x[0]);
    tn_vec3_madd(point, point, contact->soft_b->weight[1], f.x[1]);
    return tn_shape_distance(shape, &pose, point, outward, nearest);
}

static double shape_gap(const tn_model *model, const tn_pose *poses, const double *x, const tn_contact *contact)
{
    tn_pose pose = shape_pose(model, poses, contact->shape_a);
    double normal[3], nearest[3];
    const double *vertex = x + 3 * (size_t)contact->soft_b->node[0];
    return tn_shape_distance(&model->shapes[contact->shape_a].shape, &pose, vertex, normal, nearest);
}

static double softs_gap(const double *x, const tn_contact *contact)
{
    feature a = feature_of(x, contact->soft_a), b = feature_of(x, contact->soft_b);
    double back[3];
    if (contact->feature & TN_FEATURE_CORE) {
        double middle[3], half[3];
        tn_segment_halves(a.x[0], a.x[1], middle, half);
        return edges_gap(middle, half, b.x[0], b.x[1], contact->frame, NULL);
    }
    if (contact->feature & TN_FEATURE_SECOND) {
        return distance_to(&a, contact->frame, b.x[0]);
    }
    tn_vec3_scale(back, -1.0, contact->frame);
    return distance_to(&b, back, a.x[0]);
}

double tn_contact_gap(const tn_model *model, const tn_pose *poses, const double *x, const tn_contact *contact)
{
    if (contact->shape_a >= model->n_shapes) {
        return softs_gap(x, contact);
    }
    return contact->feature & TN_FEATURE_CORE ? core_gap(model, poses, x, contact)
                                              : shape_gap(model, poses, x, contact);
}
