// The expanding polytope: a hull of points of C around the origin, grown at the face nearest to the origin until that
// face lies in C's own surface.
//
// A new point removes the faces that see it by more than rounding. It then lies above the plane of each face
// removed, so that no new face is without area.
//
// A depth d that is known along n is proved by the same polytope: with d n as a vertex, no face may be nearer than d.
// Faces at that vertex that lean by t from n are as far as d cos t, so points a small t away from n close them.
#include "shape/epa.h"

#include "math/vec3.h"

#include <string.h>

typedef tn_epa polytope;
typedef tn_epa_face face;

// Takes a place for a face and sets its plane; -1: none left, or no area.
static int add_face(polytope *p, int i, int j, int k)
{
    double u[3], v[3];
    if (p->n_free == 0 && p->n_faces == TN_EPA_FACES) {
        return -1;
    }
    int number = p->n_free > 0 ? p->free[--p->n_free] : p->n_faces++;
    face *f = p->face + number;
    *f = (face){.vertex = {i, j, k}, .beside = {-1, -1, -1}};
    tn_vec3_sub(u, p->vertex[j].w, p->vertex[i].w);
    tn_vec3_sub(v, p->vertex[k].w, p->vertex[i].w);
    tn_vec3_cross(f->normal, u, v);
    double area = tn_vec3_norm(f->normal);
    if (!(area > 0.0)) {
        return -1;
    }
    tn_vec3_scale(f->normal, 1.0 / area, f->normal);
    f->distance = tn_vec3_dot(f->normal, p->vertex[i].w);
    return number;
}

static bool sees(const polytope *p, int number, const double w[3])
{
    const face *f = p->face + number;
    return tn_vec3_dot(f->normal, w) - f->distance > p->seen;
}

// Removes the faces that see w, from this one on, entered through its edge; lists the border counter-clockwise.
static void remove_seen(polytope *p, int number, int entered, const double w[3])
{
    face *f = p->face + number;
    f->distance = INFINITY;
    p->free[p->n_free++] = number;
    for (int step = entered < 0 ? 0 : 1; step < 3; ++step) {
        int edge = entered < 0 ? step : (entered + step) % 3, other = f->beside[edge], back = 0;
        while (back < 3 && p->face[other].beside[back] != number) {
            back++;
        }
        if (p->face[other].distance == INFINITY) {
            continue;
        }
        if (back < 3 && sees(p, other, w)) {
            remove_seen(p, other, back, w);
        } else if (back < 3 && p->n_rim < TN_EPA_HORIZON) {
            p->rim_face[p->n_rim] = other;
            p->rim_edge[p->n_rim++] = back;
        } else {
            p->broken = true;
        }
    }
}

// Faces from the border to the new vertex. The removed faces' places are not reused before all links are known.
static void close_over(polytope *p, int vertex)
{
    int first = -1, last = -1;
    for (int r = 0; r < p->n_rim && !p->broken; ++r) {
        int other = p->rim_face[r], edge = p->rim_edge[r];
        // The border's edge runs the other way round in the face beyond it.
        int from = p->face[other].vertex[(edge + 1) % 3], to = p->face[other].vertex[edge];
        int number = add_face(p, from, to, vertex);
        p->broken = number < 0 || (last >= 0 && p->face[last].vertex[1] != from);
        if (p->broken) {
            return;
        }
        p->face[number].beside[0] = other;
        p->face[other].beside[edge] = number;
        if (last >= 0) {
            p->face[last].beside[1] = number;
            p->face[number].beside[2] = last;
        }
        first = first < 0 ? number : first;
        last = number;
    }
    p->broken |= first < 0 || p->face[last].vertex[1] != p->face[first].vertex[0];
    if (!p->broken) {
        p->face[last].beside[1] = first;
        p->face[first].beside[2] = last;
    }
}

static int nearest_face(const polytope *p)
{
    int best = 0;
    for (int f = 1; f < p->n_faces; ++f) {
        best = p->face[f].distance < p->face[best].distance ? f : best;
    }
    return best;
}

// A tetrahedron with its faces outwards.
static bool set_tetrahedron(polytope *p)
{
    static const int corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {1, 3, 2}};
    static const int beside[4][3] = {{1, 3, 2}, {2, 3, 0}, {0, 3, 1}, {1, 2, 0}};
    double u[3], v[3], n[3], s[3];
    tn_vec3_sub(u, p->vertex[1].w, p->vertex[0].w);
    tn_vec3_sub(v, p->vertex[2].w, p->vertex[0].w);
    tn_vec3_sub(s, p->vertex[3].w, p->vertex[0].w);
    tn_vec3_cross(n, u, v);
    if (tn_vec3_dot(n, s) > 0.0) { // the fourth above the first three: exchange two of these
        tn_gjk_vertex swap = p->vertex[1];
        p->vertex[1] = p->vertex[2];
        p->vertex[2] = swap;
    }
    for (int f = 0; f < 4; ++f) {
        int number = add_face(p, corner[f][0], corner[f][1], corner[f][2]);
        if (number < 0) {
            return false;
        }
        memcpy(p->face[number].beside, beside[f], sizeof beside[f]);
    }
    return true;
}

// A unit vector across d.
static void across(double out[3], const double d[3])
{
    double e[3] = {0.0, 0.0, 0.0};
    int least = fabs(d[1]) < fabs(d[0]) ? 1 : 0;
    least = fabs(d[2]) < fabs(d[least]) ? 2 : least;
    e[least] = 1.0;
    tn_vec3_cross(out, d, e);
    tn_vec3_scale(out, 1.0 / tn_vec3_norm(out), out);
}

// Adds the farther of the points along +-n if it leads away from the simplex by more than rounding.
static bool grow_along(const tn_gjk_pair *pair, const double n[3], tn_gjk_vertex *vertex, int *n_vertices)
{
    tn_gjk_vertex best = {.w = {0}};
    double most = 1e-9 * pair->scale, d[3];
    bool found = false;
    for (int sign = -1; sign <= 1; sign += 2) {
        tn_gjk_vertex here;
        double m[3] = {sign * n[0], sign * n[1], sign * n[2]};
        tn_gjk_support(pair, m, &here);
        tn_vec3_sub(d, here.w, vertex[0].w);
        if (tn_vec3_dot(d, m) > most) {
            most = tn_vec3_dot(d, m);
            best = here;
            found = true;
        }
    }
    if (found) {
        vertex[(*n_vertices)++] = best;
    }
    return found;
}

// Makes a simplex of n points one of four, as GJK leaves fewer where the origin lies on it. Where C is flat, n is one
// of its normals and false is returned.
static bool grow(const tn_gjk_pair *pair, tn_gjk_vertex *vertex, int *n_vertices, double n[3])
{
    static const double axes[3][3] = {{0.0, 0.0, 1.0}, {0.0, 1.0, 0.0}, {1.0, 0.0, 0.0}};
    double d[3], e[3];
    for (int k = 0; k < 3 && *n_vertices < 2; ++k) {
        tn_vec3_copy(n, axes[k]);
        grow_along(pair, n, vertex, n_vertices);
    }
    if (*n_vertices < 2) {
        return false;
    }
    if (*n_vertices == 2) {
        tn_vec3_sub(d, vertex[1].w, vertex[0].w);
        across(n, d);
        if (!grow_along(pair, n, vertex, n_vertices)) {
            tn_vec3_cross(e, d, n);
            tn_vec3_scale(n, 1.0 / tn_vec3_norm(e), e);
            if (!grow_along(pair, n, vertex, n_vertices)) {
                return false;
            }
        }
    }
    if (*n_vertices == 3) {
        tn_vec3_sub(d, vertex[1].w, vertex[0].w);
        tn_vec3_sub(e, vertex[2].w, vertex[0].w);
        tn_vec3_cross(n, d, e);
        double area = tn_vec3_norm(n);
        if (!(area > 0.0)) {
            across(n, d);
            return false;
        }
        tn_vec3_scale(n, 1.0 / area, n);
        return grow_along(pair, n, vertex, n_vertices);
    }
    return true;
}

// C is flat with this normal: of its two sides the better one, towards b on a tie.
static void take_normal(const tn_gjk_pair *pair, const double n[3], tn_gjk_result *out)
{
    double toward = tn_vec3_dot(n, pair->between) < 0.0 ? -1.0 : 1.0;
    out->distance = -INFINITY;
    for (int side = 0; side < 2; ++side) {
        double m[3], sign = side ? -toward : toward;
        tn_gjk_vertex here;
        tn_vec3_scale(m, sign, n);
        tn_gjk_support(pair, m, &here);
        double separation = -tn_vec3_dot(m, here.w);
        if (separation > out->distance) {
            out->distance = separation;
            tn_vec3_copy(out->normal, m);
        }
    }
    for (int k = 0; out->n == 4 && k < 4; ++k) { // a flat tetrahedron came without weights
        out->weight[k] = 0.25;
    }
}

static void take_face(const polytope *p, const face *f, tn_gjk_result *out)
{
    const tn_gjk_vertex *corner[3];
    out->n = 3;
    for (int k = 0; k < 3; ++k) {
        corner[k] = p->vertex + f->vertex[k];
        out->vertex[k] = *corner[k];
    }
    if (!tn_gjk_within(3, corner, out->weight)) {
        // Rounding, or a thin face: the middle is as good as any point of it.
        tn_vec3_set(out->weight, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 3.0);
    }
    tn_vec3_copy(out->normal, f->normal);
    out->distance = -f->distance;
}

static bool is_corner(const polytope *p, const face *f, const tn_gjk_vertex *vertex)
{
    for (int k = 0; k < 3; ++k) {
        const double *w = p->vertex[f->vertex[k]].w;
        if (w[0] == vertex->w[0] && w[1] == vertex->w[1] && w[2] == vertex->w[2]) {
            return true;
        }
    }
    return false;
}

// Takes the vertex beyond the last, which the face sees.
static void add_vertex(polytope *p, int number)
{
    p->n_rim = 0;
    remove_seen(p, number, -1, p->vertex[p->n_vertices].w);
    close_over(p, p->n_vertices++);
}

bool tn_epa_start(tn_epa *p, const tn_gjk_pair *pair, tn_gjk_result *out)
{
    double n[3] = {0.0, 0.0, 1.0};
    p->pair = pair;
    p->seen = 1e-13 * pair->scale;
    p->n_faces = p->n_free = 0;
    p->broken = false;
    p->n_vertices = out->n;
    memcpy(p->vertex, out->vertex, (size_t)out->n * sizeof *p->vertex);
    if (!grow(pair, p->vertex, &p->n_vertices, n) || !set_tetrahedron(p)) {
        take_normal(pair, n, out);
        return false;
    }
    return true;
}

void tn_epa_expand(tn_epa *p, double tolerance, tn_gjk_result *out)
{
    while (!p->broken) {
        tn_gjk_vertex *next = &p->vertex[p->n_vertices];
        int number = nearest_face(p);
        const face nearest = p->face[number];
        tn_gjk_support(p->pair, nearest.normal, next);
        double higher = tn_vec3_dot(nearest.normal, next->w) - nearest.distance;
        bool enough = higher <= fmax(tolerance, 10.0 * p->seen) || is_corner(p, &nearest, next) ||
                      p->n_vertices == TN_EPA_VERTICES;
        if (!enough) {
            add_vertex(p, number);
        }
        if (enough || p->broken) {
            take_face(p, &nearest, out);
            return;
        }
    }
}

// The face that the point is highest above.
static int face_below(const polytope *p, const double w[3])
{
    int best = -1;
    double highest = p->seen;
    for (int f = 0; f < p->n_faces; ++f) {
        double height = tn_vec3_dot(p->face[f].normal, w) - p->face[f].distance;
        best = height > highest ? f : best;
        highest = height > highest ? height : highest;
    }
    return best;
}

// Where to look for a vertex beyond a face: along its normal, or as far towards that from n as matters around a foot.
static void way_beyond(const double n[3], double tilt, const double normal[3], double out[3])
{
    double cosine = tn_vec3_dot(n, normal), aside[3];
    tn_vec3_madd(aside, normal, -cosine, n);
    double sine = tn_vec3_norm(aside);
    tn_vec3_copy(out, normal);
    if (cosine > 0.0 && sine > 2.0 * tilt * cosine) {
        tn_vec3_madd(out, n, tilt / sine, aside);
        tn_vec3_scale(out, 1.0 / tn_vec3_norm(out), out);
    }
}

bool tn_epa_proves(tn_epa *p, const tn_gjk_vertex *foot, const double n[3], double depth, double tolerance)
{
    enum { STEPS = 24 }; // leaves room for more of the search
    int most = p->n_vertices + STEPS < TN_EPA_VERTICES ? p->n_vertices + STEPS : TN_EPA_VERTICES;
    int below = p->broken || p->n_vertices == most ? -1 : face_below(p, foot->w), apex = -1;
    double tilt = fmin(0.5, sqrt(2.0 * tolerance / depth));
    if (below >= 0) {
        apex = p->n_vertices;
        p->vertex[apex] = *foot;
        add_vertex(p, below);
    }
    while (!p->broken && p->n_vertices < most) {
        int number = nearest_face(p);
        const face *f = p->face + number;
        if (f->distance >= depth - tolerance) {
            return true;
        }
        tn_gjk_vertex *next = &p->vertex[p->n_vertices];
        double way[3];
        bool of_foot = f->vertex[0] == apex || f->vertex[1] == apex || f->vertex[2] == apex;
        way_beyond(n, of_foot ? tilt : INFINITY, f->normal, way);
        tn_gjk_support(p->pair, way, next);
        if (!sees(p, number, next->w)) {
            tn_vec3_copy(way, f->normal);
            tn_gjk_support(p->pair, way, next);
        }
        if (tn_vec3_dot(way, next->w) < depth - tolerance || !sees(p, number, next->w)) {
            return false;
        }
        add_vertex(p, number);
    }
    return false;
}
