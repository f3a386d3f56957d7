// Any convex shape but a ball against triangles, one after the other.
//
// A triangle alone pushes sideways at its border, where the surface goes on. So each of its contacts counts only if the
// surface as a whole allows its direction there (facets.h); within an angle of the face's normal it is the normal.
#include "math/mat3.h"
#include "math/vec3.h"
#include "shape/convex.h"
#include "shape/facets.h"
#include "shape/patch.h"
#include "shape/triangle.h"

enum { ROOM = 160 }; // contacts gathered before they are reduced

typedef struct gathering {
    const tn_facets *facets;
    const tn_placed *a; // the surface
    tn_convex b;
    tn_placed local;        // b in the surface's frame
    double low[3], high[3]; // box around b in its own frame
    double margin, size;
    const tn_sweep *sweep; // in the surface's frame, or NULL
    double reach;          // what counts at the face at hand: at most the margin
    double beyond;         // overlaps of at most that are not of interest
    int n;
    tn_facet_contact *list; // (ROOM)
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
    const double slack = 1e-4; // of directions
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
        upright = along >= 1.0 - 0.5 * tn_facet_near * tn_facet_near;
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
    if (!(height - g->b.radius <= g->reach)) {
        return;
    }
    double square = tn_triangle_closest(facet->corner[0], facet->corner[1], facet->corner[2], local, weight);
    if (square > height * height + slack * slack || -height > g->b.least || g->n >= ROOM) {
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

// Where b is lowest along a face's normal.
typedef struct lowest {
    double normal[3]; // world
    double x[3];      // of b's core, from its centre, world axes
    unsigned vertex;
    double height;    // above the face's plane, of the core [m]
    double foot[3];   // the same point in the surface's frame
    double weight[3]; // of the facet's point nearest to it
    double out[3];    // from there to the foot, along the facet, unit, world axes
    double beyond;    // as far [m]
} lowest;

// Is all of b above the face's plane by more than the reach, or below it by no more than is of interest; or behind an
// open surface by more than it is wide, on the other side?
static bool out_of_reach(const gathering *g, const tn_facet *facet, lowest *at)
{
    double normal[3], down[3], d[3];
    tn_facet_normal(facet, normal);
    tn_vec3_sub(d, g->local.position, facet->corner[0]);
    double height = tn_vec3_dot(d, normal);
    if (!g->facets->closed && height < -(g->size + g->reach)) {
        return true;
    }
    tn_mat3_vec(at->normal, g->a->rotation, normal);
    tn_vec3_scale(down, -1.0, at->normal);
    at->vertex = tn_convex_support(&g->b, down, at->x);
    at->height = height - tn_vec3_dot(down, at->x);
    return at->height - g->b.radius > (g->beyond > 0.0 ? -g->beyond : g->reach);
}

// The facet's point nearest to b's lowest one; returns how far that is from the facet's border, or less [m].
static double set_foot(const gathering *g, const tn_facet *facet, lowest *at)
{
    double world[3], area[3], longest = 0.0;
    tn_vec3_add(world, g->b.centre, at->x);
    to_frame(g, world, true, at->foot);
    tn_triangle_closest(facet->corner[0], facet->corner[1], facet->corner[2], at->foot, at->weight);
    for (int k = 0; k < 3; ++k) {
        double e[3];
        tn_vec3_sub(e, facet->corner[(k + 1) % 3], facet->corner[k]);
        longest = fmax(longest, tn_vec3_dot(e, e));
    }
    tn_triangle_area(area, facet->corner[0], facet->corner[1], facet->corner[2]);
    return fmin(at->weight[0], fmin(at->weight[1], at->weight[2])) * tn_vec3_norm(area) / sqrt(longest);
}

// The way from the facet to a foot beyond its border. False: there is none to speak of.
static bool set_way_out(const gathering *g, const tn_facet *facet, lowest *at)
{
    double along[3], normal[3];
    tn_vec3_copy(along, at->foot);
    for (int k = 0; k < 3; ++k) {
        tn_vec3_madd(along, along, -at->weight[k], facet->corner[k]);
    }
    tn_facet_normal(facet, normal);
    tn_vec3_madd(along, along, -tn_vec3_dot(along, normal), normal);
    at->beyond = tn_vec3_norm(along);
    tn_vec3_set(at->out, 0.0, 0.0, 0.0);
    if (!(at->beyond > 1e-9 * g->size)) {
        return false;
    }
    tn_mat3_vec(at->out, g->a->rotation, along);
    tn_vec3_scale(at->out, 1.0 / at->beyond, at->out);
    return true;
}

// How far beyond the border another point of b is.
static double beyond_of(const lowest *at, const double x[3])
{
    return at->beyond + tn_vec3_dot(at->out, x) - tn_vec3_dot(at->out, at->x);
}

// Whether no direction that the surface allows at the facet's border leads to b, whose lowest point is beyond it. What
// is lowest of a convex body goes to the left as the direction leans to the right: if it stays beyond an edge at the
// most lean that is allowed, it does so at less. At a corner, which may be passed on two sides, at twice as much.
static bool passes_by(const gathering *g, int face, const lowest *at)
{
    const double most = 0.5;
    bool at_edge = (at->weight[0] > 0.0) + (at->weight[1] > 0.0) + (at->weight[2] > 0.0) == 2;
    double lean = (at_edge ? 1.0 : 2.0) * fmax(g->facets->turn[face], tn_facet_near), down[3], x[3];
    if (lean > most) {
        return false;
    }
    tn_vec3_scale(down, -1.0, at->normal);
    tn_vec3_madd(down, down, -lean, at->out);
    tn_convex_support(&g->b, down, x);
    return beyond_of(at, x) > lean * (g->reach + g->b.radius);
}

// Is what of b looks down a face that lies level, or a line that is not all beyond the border?
static bool looks_down(const gathering *g, const lowest *at)
{
    const double steep = 0.4; // sine of a line's slope
    double down[3], along[3];
    tn_patch patch;
    tn_vec3_scale(down, -1.0, at->normal);
    tn_patch_set(&g->b, down, &patch);
    if (patch.n != 2) {
        return patch.n > 2 && tn_vec3_dot(patch.normal, down) >= 1.0 - 0.5 * tn_facet_near * tn_facet_near;
    }
    tn_vec3_sub(along, patch.x[1], patch.x[0]);
    double least = fmin(beyond_of(at, patch.x[0]), beyond_of(at, patch.x[1]));
    return least < 1e-3 * g->b.least && fabs(tn_vec3_dot(along, down)) <= steep * tn_vec3_norm(along);
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
        double low = g->low[i] - g->reach, high = g->high[i] + g->reach;
        if ((x[0][i] > high && x[1][i] > high && x[2][i] > high) || (x[0][i] < low && x[1][i] < low && x[2][i] < low)) {
            return true;
        }
    }
    return false;
}

// In the world.
static tn_convex triangle_of(const gathering *g, const tn_facet *facet)
{
    double corner[9];
    for (int k = 0; k < 3; ++k) {
        tn_mat3_vec(corner + 3 * k, g->a->rotation, facet->corner[k]);
        tn_vec3_add(corner + 3 * k, corner + 3 * k, g->a->position);
    }
    return tn_convex_triangle(corner);
}

// Finds the points where it is plain which direction is nearest, or that the surface does not allow it. False: it has
// to be searched for.
static bool find_plain(gathering *g, const tn_facet *facet, int face, lowest *at, tn_manifold *out)
{
    const double shallow = 1e-3 * g->b.least;
    double inside = set_foot(g, facet, at);
    if (inside > 0.0) { // nearest at the foot, as long as b overlaps by less than would push it out at the border
        bool is_shallow = -at->height <= fmin(shallow, 0.1 * inside);
        if (is_shallow) {
            tn_convex triangle = triangle_of(g, facet);
            tn_convex_contact_along(&triangle, &g->b, at->normal, at->height, at->x, at->vertex, out);
        }
        return is_shallow;
    }
    bool aside = set_way_out(g, facet, at) && passes_by(g, face, at);
    if (!aside && g->facets->turn[face] > tn_facet_near) {
        return false;
    }
    if (looks_down(g, at)) {
        tn_convex triangle = triangle_of(g, facet);
        tn_convex_contact_along(&triangle, &g->b, at->normal, at->height, NULL, 0, out);
    }
    bool whole = aside || (out->n > 0 && at->beyond > g->reach);
    for (int i = 0; i < out->n; ++i) {
        double height = out->points[i].gap + g->b.radius;
        if (height < -shallow) {
            out->n = 0;
            return false;
        }
        whole = whole || height <= at->height + 1e-6 * g->b.least;
    }
    if (aside && g->b.n_vertices > 0) { // the lowest point itself is not over the face
        make_room(g);
        add_vertices(g, facet, face);
    }
    out->n = whole ? out->n : 0;
    return whole;
}

// |v| is a convex function: over the face it is largest at a corner.
static double reach_at(const tn_sweep *sweep, const tn_facet *facet)
{
    double way = 0.0;
    for (int i = 0; i < 2; ++i) {
        const double *linear = sweep->body[i].linear, *angular = sweep->body[i].angular;
        double square = 0.0;
        bool moves = tn_vec3_dot(linear, linear) + tn_vec3_dot(angular, angular) > 0.0;
        for (int k = 0; moves && k < 3; ++k) {
            double arm[3], v[3];
            tn_vec3_sub(arm, facet->corner[k], sweep->body[i].position);
            tn_vec3_cross(v, angular, arm);
            tn_vec3_add(v, v, linear);
            double here = tn_vec3_dot(v, v);
            square = here > square ? here : square;
        }
        way += sweep->time * sqrt(square);
    }
    return sweep->still + way;
}

static bool try_face(void *user, int face)
{
    gathering *g = user;
    tn_facet facet;
    g->facets->get(g->facets->surface, face, &facet);
    g->reach = g->sweep ? fmin(g->margin, reach_at(g->sweep, &facet)) : g->margin;
    lowest at;
    if (beside(g, &facet) || out_of_reach(g, &facet, &at)) {
        return true;
    }
    tn_contact_point points[TN_MANIFOLD_MAX];
    tn_manifold manifold = {.margin = g->reach, .every = true, .points = points};
    if (!find_plain(g, &facet, face, &at, &manifold)) {
        tn_convex triangle = triangle_of(g, &facet);
        tn_convex_contact(&triangle, &g->b, &manifold);
    }
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

// Where b is in the frame of the surface, and its box there, grown by the margin, and in its own frame.
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
        g->low[i] -= rounding;
        g->high[i] += rounding;
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
    g->n = tn_placed_contact(&plane, b, g->margin, NULL, points);
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

static tn_sweep sweep_in_frame(const gathering *g, const tn_sweep *sweep)
{
    tn_sweep out = {.still = sweep->still, .time = sweep->time};
    for (int i = 0; i < 2; ++i) {
        to_frame(g, sweep->body[i].position, true, out.body[i].position);
        to_frame(g, sweep->body[i].linear, false, out.body[i].linear);
        to_frame(g, sweep->body[i].angular, false, out.body[i].angular);
    }
    return out;
}

void tn_pair_facets_convex(const tn_placed *a, const tn_placed *b, tn_manifold *out)
{
    tn_facets facets = tn_facets_of(a->shape);
    tn_facet_contact list[ROOM];
    gathering g = {.facets = &facets, .a = a, .b = tn_convex_of(b), .margin = out->margin, .list = list};
    g.beyond = out->deepest ? out->beyond : 0.0;
    double low[3], high[3];
    tn_sweep sweep;
    if (out->sweep) {
        sweep = sweep_in_frame(&g, out->sweep);
        g.sweep = &sweep;
    }
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
