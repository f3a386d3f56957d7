// Any convex shape but a ball against triangles, one after the other.
//
// A triangle alone pushes sideways at its border, where the surface goes on. So each of its contacts counts only if the
// surface as a whole allows its direction there (facets.h); within an angle of the face's normal it is the normal.
#include "math/mat3.h"
#include "math/vec3.h"
#include "shape/convex.h"
#include "shape/facets.h"
#include "shape/triangle.h"

enum { ROOM = 160 }; // contacts gathered before they are reduced

typedef struct gathering {
    const tn_facets *facets;
    const tn_placed *a; // the surface
    tn_convex b;
    tn_placed local;        // b in the surface's frame
    double low[3], high[3]; // box around b in its own frame, grown by the margin
    double margin, size;
    int n;
    tn_facet_contact list[ROOM];
} gathering;

// The deepest stay, in the order they are in.
static void drop_shallow(gathering *g, int most)
{
    while (g->n > most) {
        int worst = 0;
        for (int i = 1; i < g->n; ++i) {
            worst = g->list[i].gap > g->list[worst].gap ? i : worst;
        }
        for (int i = worst; i + 1 < g->n; ++i) {
            g->list[i] = g->list[i + 1];
        }
        g->n--;
    }
}

static void make_room(gathering *g)
{
    if (g->n > ROOM - TN_MANIFOLD_MAX) {
        g->n = tn_facet_contacts_reduce(g->n, g->list, g->size);
        drop_shallow(g, ROOM / 2);
    }
}

// World direction and point to the surface's frame.
static void to_frame(const gathering *g, const double x[3], bool is_point, double out[3])
{
    double d[3];
    tn_vec3_copy(d, x);
    if (is_point) {
        tn_vec3_sub(d, d, g->a->position);
    }
    tn_mat3_tvec(out, g->a->rotation, d);
}

// False: the surface does not allow it.
static bool take(gathering *g, const tn_facet *facet, int face, const tn_contact_point *p)
{
    const double slack = 1e-4, near = 0.02; // of directions; near: as good as the face's normal
    double direction[3], on[3], x[3], weight[3], normal[3];
    to_frame(g, p->normal, false, direction);
    tn_facet_normal(facet, normal);
    double along = tn_vec3_dot(normal, direction);
    if (!(along > -slack)) {
        return false;
    }
    tn_vec3_madd(on, p->point, -0.5 * p->gap, p->normal);
    to_frame(g, on, true, x);
    tn_triangle_closest(facet->corner[0], facet->corner[1], facet->corner[2], x, weight);
    tn_facet_point point = tn_facet_point_of(facet, face, weight, 1e-6);
    tn_facet_contact c = {.gap = p->gap, .local = p->feature};
    tn_vec3_copy(c.point, p->point);
    tn_vec3_copy(c.normal, p->normal);
    bool upright = along >= 1.0 - 0.5 * slack * slack;
    if (!upright && !tn_facet_point_allows(g->facets, facet, &point, direction, slack)) {
        upright = along >= 1.0 - 0.5 * near * near;
        if (!upright) {
            return false;
        }
    }
    if (upright) {
        c.upright = true;
        unsigned kind = p->feature >> 30;
        c.inner = kind == TN_FEATURE_NEAREST ||
                  (point.n < 3 && kind != TN_FEATURE_VERTEX_B && tn_facet_point_is_inner(g->facets, facet, &point));
        point.n = 3;
        tn_mat3_vec(c.normal, g->a->rotation, normal);
    }
    c.group = tn_facet_point_name(g->facets, facet, &point);
    g->list[g->n++] = c;
    return true;
}

// Vertex of b at x from its centre: a contact along the face's normal if it is above the face, or below it and no other
// is nearer.
static void add_vertex(gathering *g, const tn_facet *facet, int face, unsigned vertex, const double x[3])
{
    double normal[3], world[3], local[3], d[3], weight[3];
    tn_facet_normal(facet, normal);
    tn_vec3_add(world, g->b.centre, x);
    to_frame(g, world, true, local);
    tn_vec3_sub(d, local, facet->corner[0]);
    double height = tn_vec3_dot(d, normal), slack = 1e-6 * g->size;
    double square = tn_triangle_closest(facet->corner[0], facet->corner[1], facet->corner[2], local, weight);
    if (!(height - g->b.radius <= g->margin) || square > height * height + slack * slack || -height > g->b.least ||
        g->n >= ROOM) {
        return;
    }
    if (height < 0.0 && height < 1.02 * tn_facets_distance(g->facets, local, INFINITY, d) - slack) {
        return;
    }
    tn_facet_contact c = {
        .gap = height - g->b.radius, .local = tn_feature(TN_FEATURE_VERTEX_B, 0, vertex), .upright = true};
    tn_mat3_vec(c.normal, g->a->rotation, normal);
    tn_vec3_madd(c.point, world, -(g->b.radius + 0.5 * c.gap), c.normal);
    c.group = 4u * (unsigned)g->facets->patch[face];
    g->list[g->n++] = c;
}

// Where b is nearest to a triangle at its border, or overlaps it by more than it is wide, the triangle alone pushes it
// sideways: what stands over it or has sunk in is found vertex by vertex.
static void add_vertices(gathering *g, const tn_facet *facet, int face)
{
    double normal[3], down[3], x[3];
    tn_facet_normal(facet, normal);
    tn_mat3_vec(down, g->a->rotation, normal);
    tn_vec3_scale(down, -1.0, down);
    unsigned lowest = tn_convex_support(&g->b, down, x);
    add_vertex(g, facet, face, lowest, x);
    for (unsigned v = 0; v < (unsigned)g->b.n_vertices; ++v) {
        tn_convex_vertex(&g->b, v, x);
        if (v != lowest && g->n < ROOM) {
            add_vertex(g, facet, face, v, x);
        }
    }
}

// Is all of b above the face's plane by more than the margin; or behind an open surface by more than it is wide, on the
// other side?
static bool out_of_reach(const gathering *g, const tn_facet *facet)
{
    double normal[3], down[3], d[3], lowest[3];
    tn_facet_normal(facet, normal);
    tn_vec3_sub(d, g->local.position, facet->corner[0]);
    double height = tn_vec3_dot(d, normal);
    if (!g->facets->closed && height < -(g->size + g->margin)) {
        return true;
    }
    tn_mat3_vec(down, g->a->rotation, normal);
    tn_vec3_scale(down, -1.0, down);
    tn_convex_support(&g->b, down, lowest);
    return height - tn_vec3_dot(down, lowest) - g->b.radius > g->margin;
}

// Is the facet beyond one side of b's own box? Most of those in the box along the surface's axes are.
static bool beside(const gathering *g, const tn_facet *facet)
{
    double x[3][3];
    for (int k = 0; k < 3; ++k) {
        double d[3];
        tn_vec3_sub(d, facet->corner[k], g->local.position);
        tn_mat3_tvec(x[k], g->local.rotation, d);
    }
    for (int i = 0; i < 3; ++i) {
        if ((x[0][i] > g->high[i] && x[1][i] > g->high[i] && x[2][i] > g->high[i]) ||
            (x[0][i] < g->low[i] && x[1][i] < g->low[i] && x[2][i] < g->low[i])) {
            return true;
        }
    }
    return false;
}

static bool try_face(void *user, int face)
{
    gathering *g = user;
    tn_facet facet;
    double corner[9];
    g->facets->get(g->facets->surface, face, &facet);
    if (beside(g, &facet) || out_of_reach(g, &facet)) {
        return true;
    }
    for (int k = 0; k < 3; ++k) {
        tn_mat3_vec(corner + 3 * k, g->a->rotation, facet.corner[k]);
        tn_vec3_add(corner + 3 * k, corner + 3 * k, g->a->position);
    }
    tn_contact_point points[TN_MANIFOLD_MAX];
    tn_manifold manifold = {.margin = g->margin, .every = true, .points = points};
    tn_convex triangle = tn_convex_triangle(corner);
    tn_convex_contact(&triangle, &g->b, &manifold);
    make_room(g);
    bool sideways = false;
    for (int i = 0; i < manifold.n; ++i) {
        sideways |= !take(g, &facet, face, &points[i]);
    }
    if (sideways) {
        make_room(g);
        add_vertices(g, &facet, face);
    }
    return true;
}

// Where b is in the frame of the surface, and its box there and in its own frame, grown by the margin.
static void place_in_frame(gathering *g, const tn_placed *b, double low[3], double high[3])
{
    const double rounding = 1e-9 * g->size;
    const tn_placed own = {.shape = b->shape, .rotation = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}};
    const tn_shape_class *class = tn_class_of(b->shape);
    g->local.shape = b->shape;
    to_frame(g, b->position, true, g->local.position);
    tn_mat3_mul_tn(g->local.rotation, g->a->rotation, b->rotation);
    class->bounds(&g->local, low, high);
    class->bounds(&own, g->low, g->high);
    for (int i = 0; i < 3; ++i) {
        low[i] -= g->margin;
        high[i] += g->margin;
        g->low[i] -= g->margin + rounding;
        g->high[i] += g->margin + rounding;
    }
}

// 32 bits of a group and the local feature: never twice in a manifold.
static unsigned name_of(const tn_facet_contact *c, const tn_manifold *out)
{
    unsigned name = c->group * 0x9E3779B1u ^ c->local;
    for (int i = 0; i < out->n; ++i) {
        if (out->points[i].feature == name) {
            name++;
            i = -1;
        }
    }
    return name;
}

// Where the surface is a plane as far as b can see, the contacts are the plane's.
static void add_plane(gathering *g, const tn_placed *b, int face)
{
    const tn_shape shape = {.kind = TN_SHAPE_PLANE};
    tn_placed plane = {.shape = &shape};
    tn_facet facet;
    double n[3], normal[3], frame[9];
    g->facets->get(g->facets->surface, g->facets->patch[face], &facet);
    tn_facet_normal(&facet, n);
    tn_mat3_vec(normal, g->a->rotation, n);
    tn_mat3_frame(frame, normal);
    for (int i = 0; i < 3; ++i) { // its z axis is the normal
        plane.rotation[3 * i] = frame[3 + i];
        plane.rotation[3 * i + 1] = frame[6 + i];
        plane.rotation[3 * i + 2] = frame[i];
    }
    tn_mat3_vec(plane.position, g->a->rotation, facet.corner[0]);
    tn_vec3_add(plane.position, plane.position, g->a->position);
    tn_contact_point points[TN_MANIFOLD_MAX];
    g->n = tn_placed_contact(&plane, b, g->margin, points);
    for (int i = 0; i < g->n; ++i) {
        tn_facet_contact *c = &g->list[i];
        *c = (tn_facet_contact){.gap = points[i].gap,
                                .group = 4u * (unsigned)g->facets->patch[face],
                                .local = points[i].feature,
                                .upright = true};
        tn_vec3_copy(c->normal, points[i].normal);
        tn_vec3_copy(c->point, points[i].point);
    }
}

void tn_pair_facets_convex(const tn_placed *a, const tn_placed *b, tn_manifold *out)
{
    tn_facets facets = tn_facets_of(a->shape);
    gathering g = {.facets = &facets, .a = a, .b = tn_convex_of(b), .margin = out->margin};
    double low[3], high[3];
    g.size = tn_shape_spin_radius(b->shape) + b->shape->size[0];
    place_in_frame(&g, b, low, high);
    int plane = tn_facets_plane(&facets, low, high);
    if (plane >= 0) {
        add_plane(&g, b, plane);
    } else {
        facets.visit(facets.surface, low, high, try_face, &g);
        g.n = tn_facet_contacts_reduce(g.n, g.list, g.size);
        drop_shallow(&g, TN_MANIFOLD_MAX);
    }
    for (int i = 0; i < g.n; ++i) {
        tn_manifold_add(out, g.list[i].normal, g.list[i].point, g.list[i].gap, name_of(&g.list[i], out));
    }
}
