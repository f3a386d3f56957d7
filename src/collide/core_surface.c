#include "collide/core_surface.h"

#include "math/vec3.h"
#include "shape/facets.h"
#include "shape/segment.h"

typedef struct visit {
    tn_facets facets;
    const tn_core_visitor *visitor;
    bool more;
} visit;

// Only of the lower face of the two.
static bool is_ridge(const visit *v, const tn_facet *facet, int face, int k)
{
    const tn_facets *facets = &v->facets;
    int other = facets->across(facets->surface, face, k);
    if (other < face || facets->patch[other] == facets->patch[face]) {
        return other < 0;
    }
    tn_facet beyond;
    double normal[3], d[3];
    facets->get(facets->surface, other, &beyond);
    tn_facet_normal(facet, normal);
    bool falls = false; // the face beyond, seen from this one
    for (int i = 0; i < 3; ++i) {
        bool shared = beyond.node[i] == facet->node[k] || beyond.node[i] == facet->node[(k + 1) % 3];
        tn_vec3_sub(d, beyond.corner[i], facet->corner[k]);
        falls |= !shared && tn_vec3_dot(d, normal) < 0.0;
    }
    return falls;
}

// A node is taken with the first of its faces, an edge with the lower: they meet the box if the node lies in it, or
// part of the edge.
static bool visit_face(void *user, int face)
{
    visit *v = user;
    const tn_facets *facets = &v->facets;
    tn_facet facet;
    facets->get(facets->surface, face, &facet);
    for (int k = 0; k < 3 && v->more; ++k) {
        tn_facet_point point = {.face = face, .n = 1, .k = k};
        if (facets->around(facets->surface, facet.node[k], 0) == face &&
            !tn_facet_point_is_inner(facets, &facet, &point)) {
            v->more = v->visitor->corner(v->visitor->user, facet.node[k], facet.corner[k]);
        }
        if (v->more && is_ridge(v, &facet, face, k)) {
            v->more = v->visitor->ridge(v->visitor->user, 3 * face + k);
        }
    }
    return v->more;
}

bool tn_core_visit_surface(const tn_shape *surface, const double low[3], const double high[3],
                           const tn_core_visitor *visitor)
{
    visit v = {.facets = tn_facets_of(surface), .visitor = visitor, .more = true};
    v.facets.visit(v.facets.surface, low, high, visit_face, &v);
    return v.more;
}

void tn_core_surface_edge(const tn_shape *surface, int edge, double middle[3], double half[3])
{
    tn_facets facets = tn_facets_of(surface);
    tn_facet facet;
    facets.get(facets.surface, edge / 3, &facet);
    tn_segment_halves(facet.corner[edge % 3], facet.corner[(edge + 1) % 3], middle, half);
}

bool tn_core_surface_edge_open(const tn_shape *surface, int edge, const double outward[3], double slack)
{
    tn_facets facets = tn_facets_of(surface);
    tn_facet facet;
    tn_facet_point point = {.face = edge / 3, .n = 2, .k = edge % 3};
    facets.get(facets.surface, point.face, &facet);
    return tn_facet_point_allows(&facets, &facet, &point, outward, slack);
}

bool tn_core_surface_edge_normal(const tn_shape *surface, int edge, double normal[3])
{
    tn_facets facets = tn_facets_of(surface);
    tn_facet facet;
    tn_facet_point point = {.face = edge / 3, .n = 2, .k = edge % 3};
    bool border;
    facets.get(facets.surface, point.face, &facet);
    tn_facet_point_normal(&facets, &facet, &point, normal, &border);
    return !border;
}
