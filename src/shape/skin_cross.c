// Straight edges across edges of a skin.
#include "math/vec3.h"
#include "shape/segment.h"
#include "shape/skin.h"

static const double fold_slack = 0.1; // a sine

void tn_skin_edge(const tn_skin_view *view, int edge, double middle[3], double half[3])
{
    const int *ends = view->skin->edges + 2 * (size_t)edge;
    const double *p = view->x + 3 * (size_t)ends[0], *q = view->x + 3 * (size_t)ends[1];
    tn_segment_halves(p, q, middle, half);
}

bool tn_skin_each_face(const tn_skin_view *view, const tn_skin_box *box, tn_skin_visitor *visitor, void *user)
{
    const tn_skin *skin = view->skin;
    for (int b = 0; b < skin->n_boxes;) {
        const tn_skin_box *own = view->box + b;
        bool meets = true;
        for (int k = 0; k < 3; ++k) {
            meets &= own->low[k] <= box->high[k] && box->low[k] <= own->high[k];
        }
        for (int k = 0; meets && k < skin->count[b]; ++k) {
            if (!visitor(user, skin->order[skin->first[b] + k])) {
                return false;
            }
        }
        b = meets ? b + 1 : skin->skip[b];
    }
    return true;
}

bool tn_skin_edges_of(const tn_skin_view *view, int face, tn_skin_visitor *visitor, void *user)
{
    const tn_skin *skin = view->skin;
    for (int k = 0; k < 3; ++k) {
        int edge = skin->face_edge[3 * face + k];
        if (skin->edge_face[2 * edge] == face && !visitor(user, edge)) {
            return false;
        }
    }
    return true;
}

typedef struct edge_visit {
    const tn_skin_view *view;
    tn_skin_visitor *visitor;
    void *user;
} edge_visit;

static bool visit_edges(void *user, int face)
{
    const edge_visit *visit = user;
    return tn_skin_edges_of(visit->view, face, visit->visitor, visit->user);
}

bool tn_skin_each_edge(const tn_skin_view *view, const tn_skin_box *box, tn_skin_visitor *visitor, void *user)
{
    edge_visit visit = {view, visitor, user};
    return tn_skin_each_face(view, box, visit_edges, &visit);
}

// Smallest and largest sine by which a direction across the edge leans over its faces.
static void lean(const tn_skin_view *view, int edge, const double direction[3], double *least, double *most)
{
    const tn_skin *skin = view->skin;
    const int *ends = skin->edges + 2 * (size_t)edge;
    const double *p = view->x + 3 * (size_t)ends[0];
    double e[3];
    tn_vec3_sub(e, view->x + 3 * (size_t)ends[1], p);
    *least = INFINITY;
    *most = -INFINITY;
    for (int k = 0; k < 2; ++k) {
        int face = skin->edge_face[2 * edge + k];
        for (int c = 0; face >= 0 && c < 3; ++c) {
            int node = skin->faces[3 * face + c];
            if (node != ends[0] && node != ends[1]) {
                double inward[3]; // across the edge into the face
                tn_vec3_sub(inward, view->x + 3 * (size_t)node, p);
                tn_vec3_madd(inward, inward, -tn_vec3_dot(inward, e) / tn_vec3_dot(e, e), e);
                double along = tn_vec3_dot(inward, direction), length = tn_vec3_norm(inward);
                *least = fmin(*least, along / length);
                *most = fmax(*most, along / length);
            }
        }
    }
}

bool tn_skin_within_fold(const tn_skin_view *view, int edge, const double direction[3])
{
    double least, most;
    lean(view, edge, direction, &least, &most);
    return most <= fold_slack;
}

bool tn_skin_between_faces(const tn_skin_view *view, int edge, const double outward[3])
{
    const double shallow = 0.5; // a sine; deeper down the faces meet it first
    double least, most;
    lean(view, edge, outward, &least, &most);
    return most <= fold_slack || (least >= -fold_slack && most <= shallow);
}

void tn_skin_edge_normal(const tn_skin_view *view, int edge, double normal[3])
{
    const int *faces = view->skin->edge_face + 2 * (size_t)edge;
    tn_skin_face_normal(view, faces[0], normal);
    if (faces[1] >= 0) {
        double other[3];
        tn_skin_face_normal(view, faces[1], other);
        tn_vec3_add(normal, normal, other);
        double length = tn_vec3_norm(normal);
        tn_vec3_scale(normal, length > 0.0 ? 1.0 / length : 0.0, normal);
    }
}

// Along what is across both edges, out of the skin, whatever the sign of the distance: where they just touch, the
// direction from point to point is but rounding. Nearly parallel edges do not count: ends and faces speak for them.
bool tn_skin_cross(const tn_skin_view *view, int edge, const double middle[3], const double half[3], double reach,
                   double depth, tn_skin_crossing *out)
{
    const double least_sine = 0.05, end = 1.0 - 1e-9;
    double own_middle[3], own_half[3], n[3], d[3], outward[3];
    tn_skin_edge(view, edge, own_middle, own_half);
    tn_vec3_cross(n, half, own_half);
    double length = tn_vec3_norm(n);
    if (!(length > least_sine * tn_vec3_norm(half) * tn_vec3_norm(own_half))) {
        return false;
    }
    double square = tn_segment_closest(middle, half, own_middle, own_half, &out->s, &out->t);
    double farthest = fmax(reach, depth);
    if (!(square <= farthest * farthest) || !(fabs(out->s) < end && fabs(out->t) < end)) {
        return false;
    }
    tn_skin_edge_normal(view, edge, outward);
    tn_vec3_scale(out->normal, (tn_vec3_dot(n, outward) < 0.0 ? -1.0 : 1.0) / length, n);
    tn_vec3_sub(d, middle, own_middle);
    tn_vec3_madd(d, d, out->s, half);
    tn_vec3_madd(d, d, -out->t, own_half);
    out->distance = tn_vec3_dot(out->normal, d);
    return out->distance <= reach && out->distance >= -depth && tn_skin_between_faces(view, edge, out->normal);
}
