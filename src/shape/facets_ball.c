// Balls - a sphere, or each of a body's contact points - against triangles: the places where the surface's distance to
// the centre has a local minimum.
#include "math/mat3.h"
#include "math/vec3.h"
#include "shape/facets.h"
#include "shape/triangle.h"

enum { MINIMA = 64 };

typedef struct minimum {
    double normal[3], distance;
    unsigned name;
} minimum;

typedef struct gathering {
    const tn_facets *facets;
    double x[3], reach;
    int n;
    minimum list[MINIMA];
} gathering;

// One a name, the nearest.
static void keep(gathering *g, const minimum *m)
{
    int slot = 0, farthest = 0;
    for (; slot < g->n && g->list[slot].name != m->name; ++slot) {
        farthest = g->list[slot].distance > g->list[farthest].distance ? slot : farthest;
    }
    if (slot == MINIMA) {
        slot = farthest;
    }
    if (slot == g->n) {
        g->list[g->n++] = *m;
    } else if (m->distance < g->list[slot].distance) {
        g->list[slot] = *m;
    }
}

// Is the box around the facet farther away? Most of those in a ball's box are.
static bool out_of_reach(const tn_facet *facet, const double x[3], double reach)
{
    const double rounding = 1e-9;
    double square = 0.0;
    for (int i = 0; i < 3; ++i) {
        double a = facet->corner[0][i] - x[i], b = facet->corner[1][i] - x[i], c = facet->corner[2][i] - x[i];
        double low = a, high = a;
        low = b < low ? b : low;
        high = b > high ? b : high;
        low = c < low ? c : low;
        high = c > high ? c : high;
        double off = low > -high ? low : -high; // beyond the box: where that is positive
        off = 0.5 * (off + fabs(off));
        square += off * off;
    }
    return square * (1.0 - rounding) > reach * reach;
}

static bool try_face(void *user, int face)
{
    const double slack = 1e-6; // of a direction: neither face may lose a point that lies between them
    gathering *g = user;
    tn_facet facet;
    double weight[3], d[3], normal[3];
    g->facets->get(g->facets->surface, face, &facet);
    if (out_of_reach(&facet, g->x, g->reach)) {
        return true;
    }
    double square = tn_triangle_closest(facet.corner[0], facet.corner[1], facet.corner[2], g->x, weight);
    if (!(square <= g->reach * g->reach)) {
        return true;
    }
    tn_facet_point point = tn_facet_point_of(&facet, face, weight, 1e-12);
    tn_facet_normal(&facet, normal);
    tn_vec3_sub(d, g->x, point.x);
    double along = tn_vec3_dot(d, normal), length = tn_vec3_norm(d);
    minimum m = {.distance = length};
    if (along >= (1.0 - 0.5 * slack * slack) * length) { // over the face, or over the border within its plane
        point.n = 3;
        m.distance = along;
        tn_vec3_copy(m.normal, normal);
    } else {
        tn_vec3_scale(m.normal, 1.0 / length, d);
        if (!tn_facet_point_allows(g->facets, &facet, &point, m.normal, slack)) {
            return true;
        }
    }
    m.name = tn_facet_point_name(g->facets, &facet, &point);
    keep(g, &m);
    return true;
}

static void sort_by_name(int n, minimum *list)
{
    for (int i = 1; i < n; ++i) {
        minimum m = list[i];
        int j = i;
        for (; j > 0 && list[j - 1].name > m.name; --j) {
            list[j] = list[j - 1];
        }
        list[j] = m;
    }
}

// Several points of a body may touch one face: the point's number is part of the name.
static unsigned feature_of(unsigned name, unsigned index)
{
    return name + index * 0x9E3779B1u;
}

static void add(const tn_placed *a, const double centre[3], double radius, const minimum *m, unsigned index,
                tn_manifold *out)
{
    double normal[3], point[3], gap = m->distance - radius;
    tn_mat3_vec(normal, a->rotation, m->normal);
    tn_vec3_madd(point, centre, -(radius + 0.5 * gap), normal);
    tn_manifold_add(out, normal, point, gap, feature_of(m->name, index));
}

// Where the surface is a plane as far as the ball can see.
static void add_plane(const tn_facets *facets, const tn_placed *a, const gathering *g, const double centre[3],
                      double radius, int face, unsigned index, tn_manifold *out)
{
    tn_facet facet;
    minimum m = {.name = 4u * (unsigned)facets->patch[face]};
    double d[3];
    facets->get(facets->surface, facets->patch[face], &facet);
    tn_facet_normal(&facet, m.normal);
    tn_vec3_sub(d, g->x, facet.corner[0]);
    m.distance = tn_vec3_dot(d, m.normal);
    add(a, centre, radius, &m, index, out);
}

// From inside, the nearest place alone; behind an open surface only as far as the ball still reaches it.
static void add_ball(const tn_facets *facets, const tn_placed *a, const double centre[3], double radius, unsigned index,
                     tn_manifold *out)
{
    gathering g = {.facets = facets, .reach = fmax(0.0, radius + tn_manifold_reach(out))};
    double d[3], low[3], high[3];
    minimum inside = {.name = 0};
    tn_vec3_sub(d, centre, a->position);
    tn_mat3_tvec(g.x, a->rotation, d);
    for (int i = 0; i < 3; ++i) {
        low[i] = g.x[i] - g.reach;
        high[i] = g.x[i] + g.reach;
    }
    int plane = tn_facets_plane(facets, low, high);
    if (plane >= 0) {
        add_plane(facets, a, &g, centre, radius, plane, index, out);
        return;
    }
    inside.distance = tn_facets_distance(facets, g.x, g.reach, inside.normal);
    if (!(inside.distance <= g.reach)) {
        return;
    }
    if (inside.distance < 0.0) {
        if (facets->closed || -inside.distance <= radius + g.reach) {
            add(a, centre, radius, &inside, index, out);
        }
        return;
    }
    facets->visit(facets->surface, low, high, try_face, &g);
    sort_by_name(g.n, g.list);
    for (int i = 0; i < g.n; ++i) {
        add(a, centre, radius, &g.list[i], index, out);
    }
}

void tn_pair_facets_ball(const tn_placed *a, const tn_placed *b, tn_manifold *out)
{
    tn_facets facets = tn_facets_of(a->shape);
    double radius = b->shape->size[0];
    if (tn_shape_is_sphere(b->shape)) {
        add_ball(&facets, a, b->position, radius, 0, out);
        return;
    }
    for (int p = 0; p < b->shape->n_points; ++p) {
        double x[3];
        tn_mat3_vec(x, b->rotation, b->shape->points + 3 * p);
        tn_vec3_add(x, x, b->position);
        add_ball(&facets, a, x, radius, (unsigned)p, out);
    }
}
