// Neighbours, normals and names of the triangles of a surface.
#include "shape/facets.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "shape/triangle.h"

tn_facets tn_facets_of(const tn_shape *shape)
{
    return tn_class_of(shape)->facets(shape);
}

void tn_facet_normal(const tn_facet *facet, double normal[3])
{
    tn_triangle_area(normal, facet->corner[0], facet->corner[1], facet->corner[2]);
    double length = tn_vec3_norm(normal);
    tn_vec3_scale(normal, length > 0.0 ? 1.0 / length : 0.0, normal);
}

// Is the face in the plane of the seed through p with unit normal n?
static bool in_plane(const tn_facet *facet, const double p[3], const double n[3])
{
    const double slack = 1e-9; // of the face's size, and of the angle's cosine: 5e-5 rad
    double normal[3], size = 0.0, off = 0.0;
    tn_facet_normal(facet, normal);
    for (int k = 0; k < 3; ++k) {
        double d[3], e[3];
        tn_vec3_sub(d, facet->corner[k], p);
        tn_vec3_sub(e, facet->corner[k], facet->corner[(k + 1) % 3]);
        off = fmax(off, fabs(tn_vec3_dot(d, n)));
        size = fmax(size, tn_vec3_norm(e));
    }
    return tn_vec3_dot(normal, n) > 1.0 - slack && off <= slack * size;
}

// From each seed, the lowest face that has no patch yet, across edges as far as the plane goes.
void tn_facets_patches(const tn_facets *facets, int *patch, int *queue)
{
    for (int f = 0; f < facets->n_faces; ++f) {
        patch[f] = -1;
    }
    for (int seed = 0; seed < facets->n_faces; ++seed) {
        if (patch[seed] >= 0) {
            continue;
        }
        tn_facet facet;
        double normal[3], place[3];
        facets->get(facets->surface, seed, &facet);
        tn_facet_normal(&facet, normal);
        tn_vec3_copy(place, facet.corner[0]);
        int n = 0;
        queue[n++] = seed;
        patch[seed] = seed;
        while (n > 0) {
            int face = queue[--n];
            for (int k = 0; k < 3; ++k) {
                int other = facets->across(facets->surface, face, k);
                if (other >= 0 && patch[other] < 0) {
                    facets->get(facets->surface, other, &facet);
                    if (in_plane(&facet, place, normal)) {
                        patch[other] = seed;
                        queue[n++] = other;
                    }
                }
            }
        }
    }
}

tn_facet_point tn_facet_point_of(const tn_facet *facet, int face, const double weight[3], double slack)
{
    tn_facet_point p = {.face = face};
    bool on[3];
    for (int k = 0; k < 3; ++k) {
        on[k] = weight[k] > slack;
        p.n += on[k];
        tn_vec3_madd(p.x, p.x, weight[k], facet->corner[k]);
    }
    if (p.n == 2) {
        p.k = !on[2] ? 0 : !on[0] ? 1 : 2;
    } else if (p.n < 2) {
        p.k = weight[0] >= weight[1] && weight[0] >= weight[2] ? 0 : weight[1] >= weight[2] ? 1 : 2;
        p.n = 1;
    }
    return p;
}

// Direction into the facet from its edge k, upright on the edge; unit.
static void inward(const tn_facet *facet, int k, double out[3])
{
    double e[3], d[3];
    tn_vec3_sub(e, facet->corner[(k + 1) % 3], facet->corner[k]);
    tn_vec3_sub(d, facet->corner[(k + 2) % 3], facet->corner[k]);
    tn_vec3_madd(out, d, -tn_vec3_dot(d, e) / tn_vec3_dot(e, e), e);
    tn_vec3_scale(out, 1.0 / tn_vec3_norm(out), out);
}

// The other facet's edge that runs from q to p.
static int edge_from(const tn_facet *other, int q, int p)
{
    int k = 0;
    while (k < 2 && (other->node[k] != q || other->node[(k + 1) % 3] != p)) {
        k++;
    }
    return k;
}

static bool edge_allows(const tn_facets *facets, const tn_facet *facet, const tn_facet_point *point,
                        const double direction[3], double slack)
{
    int k = point->k, other = facets->across(facets->surface, point->face, k);
    double into[3];
    inward(facet, k, into);
    if (tn_vec3_dot(into, direction) > slack) {
        return false;
    }
    if (other < 0) {
        return true;
    }
    if (facets->patch[other] == facets->patch[point->face]) {
        return false;
    }
    tn_facet beyond;
    facets->get(facets->surface, other, &beyond);
    inward(&beyond, edge_from(&beyond, facet->node[(k + 1) % 3], facet->node[k]), into);
    return tn_vec3_dot(into, direction) <= slack;
}

static bool corner_allows(const tn_facets *facets, const tn_facet *facet, const tn_facet_point *point,
                          const double direction[3], double slack)
{
    int node = facet->node[point->k], own = facets->patch[point->face];
    bool ridge = false;
    for (int i = 0, face; (face = facets->around(facets->surface, node, i)) >= 0; ++i) {
        tn_facet f;
        facets->get(facets->surface, face, &f);
        ridge |= facets->patch[face] != own;
        for (int k = 0; k < 3; ++k) {
            double e[3];
            ridge |= (f.node[k] == node || f.node[(k + 1) % 3] == node) && facets->across(facets->surface, face, k) < 0;
            tn_vec3_sub(e, f.corner[k], facet->corner[point->k]);
            if (tn_vec3_dot(e, direction) > slack * tn_vec3_norm(e)) {
                return false;
            }
        }
    }
    return ridge;
}

static double angle_at(const tn_facet *facet, int k)
{
    double p[3], q[3], turned[3];
    tn_vec3_sub(p, facet->corner[(k + 1) % 3], facet->corner[k]);
    tn_vec3_sub(q, facet->corner[(k + 2) % 3], facet->corner[k]);
    tn_vec3_cross(turned, p, q);
    return atan2(tn_vec3_norm(turned), tn_vec3_dot(p, q));
}

static void corner_normal(const tn_facets *facets, int node, double normal[3], bool *border)
{
    tn_vec3_set(normal, 0.0, 0.0, 0.0);
    for (int i = 0, face; (face = facets->around(facets->surface, node, i)) >= 0; ++i) {
        tn_facet f;
        double n[3];
        facets->get(facets->surface, face, &f);
        tn_facet_normal(&f, n);
        for (int k = 0; k < 3; ++k) {
            if (f.node[k] == node) {
                tn_vec3_madd(normal, normal, angle_at(&f, k), n);
            }
            *border |=
                (f.node[k] == node || f.node[(k + 1) % 3] == node) && facets->across(facets->surface, face, k) < 0;
        }
    }
}

void tn_facet_point_normal(const tn_facets *facets, const tn_facet *facet, const tn_facet_point *point,
                           double normal[3], bool *border)
{
    *border = false;
    tn_facet_normal(facet, normal);
    if (point->n == 1) {
        corner_normal(facets, facet->node[point->k], normal, border);
    } else if (point->n == 2) {
        int other = facets->across(facets->surface, point->face, point->k);
        *border = other < 0;
        if (other >= 0) {
            tn_facet beyond;
            double n[3];
            facets->get(facets->surface, other, &beyond);
            tn_facet_normal(&beyond, n);
            tn_vec3_add(normal, normal, n);
        }
    }
    double length = tn_vec3_norm(normal);
    tn_vec3_scale(normal, length > 0.0 ? 1.0 / length : 0.0, normal);
}

bool tn_facet_point_allows(const tn_facets *facets, const tn_facet *facet, const tn_facet_point *point,
                           const double direction[3], double slack)
{
    double normal[3];
    bool border;
    tn_facet_normal(facet, normal);
    if (tn_vec3_dot(normal, direction) >= 1.0 - 0.5 * slack * slack) {
        return true;
    }
    if (point->n == 3) {
        return false;
    }
    bool allowed = point->n == 2 ? edge_allows(facets, facet, point, direction, slack)
                                 : corner_allows(facets, facet, point, direction, slack);
    if (!allowed) {
        return false;
    }
    tn_facet_point_normal(facets, facet, point, normal, &border);
    return tn_vec3_dot(normal, direction) > (border ? -slack : 0.0); // else through the solid, from a valley behind it
}

typedef struct survey {
    const tn_facets *facets;
    int face; // the first; -1: none yet
    bool plane;
} survey;

static bool survey_face(void *user, int face)
{
    survey *s = user;
    const tn_facets *facets = s->facets;
    s->face = s->face < 0 ? face : s->face;
    int own = facets->patch[s->face];
    for (int k = 0; s->plane && k < 3; ++k) {
        int other = facets->across(facets->surface, face, k);
        s->plane = other >= 0 && facets->patch[other] == own && facets->patch[face] == own;
    }
    return s->plane;
}

int tn_facets_plane(const tn_facets *facets, const double low[3], const double high[3])
{
    survey s = {.facets = facets, .face = -1, .plane = true};
    facets->visit(facets->surface, low, high, survey_face, &s);
    return s.plane ? s.face : -1;
}

bool tn_facet_point_is_inner(const tn_facets *facets, const tn_facet *facet, const tn_facet_point *point)
{
    int own = facets->patch[point->face];
    if (point->n == 3) {
        return true;
    }
    if (point->n == 2) {
        int other = facets->across(facets->surface, point->face, point->k);
        return other >= 0 && facets->patch[other] == own;
    }
    int node = facet->node[point->k];
    for (int i = 0, face; (face = facets->around(facets->surface, node, i)) >= 0; ++i) {
        tn_facet f;
        facets->get(facets->surface, face, &f);
        for (int k = 0; k < 3; ++k) {
            bool touches = f.node[k] == node || f.node[(k + 1) % 3] == node;
            if (facets->patch[face] != own || (touches && facets->across(facets->surface, face, k) < 0)) {
                return false;
            }
        }
    }
    return true;
}

// Faces and edges count 4 a face, edges from the lower face; corners are odd ones out.
unsigned tn_facet_point_name(const tn_facets *facets, const tn_facet *facet, const tn_facet_point *point)
{
    if (point->n == 3) {
        return 4u * (unsigned)facets->patch[point->face];
    }
    if (point->n == 1) {
        return 0x80000000u | (unsigned)facet->node[point->k];
    }
    int other = facets->across(facets->surface, point->face, point->k);
    if (other < 0 || other > point->face) {
        return 4u * (unsigned)point->face + 1u + (unsigned)point->k;
    }
    tn_facet beyond;
    facets->get(facets->surface, other, &beyond);
    int k = edge_from(&beyond, facet->node[(point->k + 1) % 3], facet->node[point->k]);
    return 4u * (unsigned)other + 1u + (unsigned)k;
}

double tn_facets_distance(const tn_facets *facets, const double x[3], double most, double normal[3])
{
    double weight[3], d[3], n[3];
    int face = facets->nearest(facets->surface, x, most, weight);
    if (face < 0) {
        tn_vec3_set(normal, 0.0, 0.0, 0.0);
        return INFINITY;
    }
    tn_facet facet;
    bool border;
    facets->get(facets->surface, face, &facet);
    tn_facet_point point = tn_facet_point_of(&facet, face, weight, 0.0);
    tn_facet_point_normal(facets, &facet, &point, n, &border);
    tn_vec3_sub(d, x, point.x);
    double along = tn_vec3_dot(d, n), length = tn_vec3_norm(d);
    if (point.n == 3) { // the difference may be but rounding
        tn_vec3_copy(normal, n);
        return along;
    }
    if (!(length > 0.0)) {
        tn_vec3_copy(normal, n);
        return 0.0;
    }
    double distance = along < 0.0 && !border ? -length : length;
    tn_vec3_scale(normal, 1.0 / distance, d);
    return distance;
}

double tn_facets_distance_placed(const tn_placed *placed, const double x[3], double normal[3])
{
    tn_facets facets = tn_facets_of(placed->shape);
    double d[3], local[3], n[3];
    tn_vec3_sub(d, x, placed->position);
    tn_mat3_tvec(local, placed->rotation, d);
    double distance = tn_facets_distance(&facets, local, INFINITY, n);
    tn_mat3_vec(normal, placed->rotation, n);
    return distance;
}

void tn_facets_bounds(const tn_placed *placed, const double low[3], const double high[3], double out_low[3],
                      double out_high[3])
{
    for (int i = 0; i < 3; ++i) {
        out_low[i] = out_high[i] = placed->position[i];
        for (int k = 0; k < 3; ++k) {
            double r = placed->rotation[3 * i + k];
            out_low[i] += r * (r > 0.0 ? low[k] : high[k]);
            out_high[i] += r * (r > 0.0 ? high[k] : low[k]);
        }
    }
}
