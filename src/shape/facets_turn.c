// How far the directions that a surface allows at the border of a face lean from its normal: what a search for contact
// at the border needs to know in advance.
//
// Across an edge those are between the two faces' normals where it is convex, and none where it is a valley. At a node
// they are a cone, { d : d . e <= 0 for all edges e from it }, whose extreme rays are upright on two edges. Normals of
// the faces around it where it is convex, none where it is hollow or a saddle: so most faces of a valley know that
// nothing leans there.
#include "math/vec3.h"
#include "shape/facets.h"

// Edges from a node; with more all faces around it are compared.
enum { FAN = 16 };
// Sine by which an edge may rise towards a direction that counts as allowed: ten times what the search forgives.
static const double SLACK = 1e-3;

// A face's normal: zero at the border of an open surface, at right angles to all others.
static void normal_within(const tn_facets *facets, int face, double normal[3])
{
    tn_facet facet;
    facets->get(facets->surface, face, &facet);
    tn_facet_normal(&facet, normal);
    for (int k = 0; k < 3; ++k) {
        if (facets->across(facets->surface, face, k) < 0) {
            tn_vec3_set(normal, 0.0, 0.0, 0.0);
        }
    }
}

typedef struct turning {
    const tn_facets *facets;
    const double *normals; // (n_faces, 3)
    float *cosine;         // (n_faces)
} turning;

static const double *normal_of(const turning *t, int face)
{
    return t->normals + 3 * (size_t)face;
}

static void lessen(const turning *t, int face, const double direction[3])
{
    float here = (float)tn_vec3_dot(normal_of(t, face), direction);
    t->cosine[face] = here < t->cosine[face] ? here : t->cosine[face];
}

// What surrounds a node.
typedef struct fan {
    int n, face[FAN];
    double edge[FAN][3]; // of each face that which leaves the node [m]
    double normal[3];    // sum of the faces'
    bool ridge, valley;  // whether any edge is one; what lies flat is neither
} fan;

static void add_face(const turning *t, int node, int face, fan *out)
{
    tn_facet facet;
    double into[3], *edge = out->edge[out->n];
    t->facets->get(t->facets->surface, face, &facet);
    int k = facet.node[0] == node ? 0 : facet.node[1] == node ? 1 : 2;
    const double *beyond = normal_of(t, t->facets->across(t->facets->surface, face, k));
    tn_vec3_sub(edge, facet.corner[(k + 1) % 3], facet.corner[k]);
    tn_vec3_sub(into, facet.corner[(k + 2) % 3], facet.corner[k]);
    double rises = tn_vec3_dot(into, beyond), flat = SLACK * tn_vec3_norm(into);
    if (rises < flat) {
        lessen(t, face, beyond);
    }
    out->ridge = out->ridge || rises < -flat;
    out->valley = out->valley || rises > flat;
    tn_vec3_add(out->normal, out->normal, normal_of(t, face));
    out->face[out->n++] = face;
}

// False: the node has a border, or too many faces. Faces learn what is allowed across their edges from the node.
static bool gather(const turning *t, int node, fan *out)
{
    out->n = 0;
    out->ridge = out->valley = false;
    tn_vec3_set(out->normal, 0.0, 0.0, 0.0);
    for (int face; (face = t->facets->around(t->facets->surface, node, out->n)) >= 0;) {
        const double *normal = normal_of(t, face);
        if (out->n == FAN || tn_vec3_dot(normal, normal) == 0.0) {
            return false;
        }
        add_face(t, node, face, out);
    }
    return true;
}

// Which way a node's allowed directions point.
typedef struct ways {
    bool out, into; // of the surface; into it below a hollow
} ways;

// d (unit) is allowed.
static void take_ray(const turning *t, const fan *f, const double d[3], ways *found)
{
    bool out = tn_vec3_dot(d, f->normal) > 0.0;
    for (int k = 0; out && k < f->n; ++k) {
        lessen(t, f->face[k], d);
    }
    found->out = found->out || out;
    found->into = found->into || !out;
}

// Both directions upright on two edges. One line: others' rays are upright on it as well.
static void try_rays(const turning *t, const fan *f, int i, int j, ways *found)
{
    const double *p = f->edge[i], *q = f->edge[j], limit = SLACK * SLACK;
    double d[3];
    tn_vec3_cross(d, p, q);
    double square = tn_vec3_dot(d, d);
    bool one_line = !(square > limit * tn_vec3_dot(p, p) * tn_vec3_dot(q, q)), rises = one_line, falls = one_line;
    for (int k = 0; k < f->n && !(rises && falls); ++k) {
        double along = tn_vec3_dot(d, f->edge[k]);
        bool leans = along * along > limit * square * tn_vec3_dot(f->edge[k], f->edge[k]);
        rises = rises || (leans && along > 0.0);
        falls = falls || (leans && along < 0.0);
    }
    if (rises && falls) {
        return;
    }
    tn_vec3_scale(d, 1.0 / sqrt(square), d);
    if (!rises) {
        take_ray(t, f, d, found);
    }
    if (!falls) {
        tn_vec3_scale(d, -1.0, d);
        take_ray(t, f, d, found);
    }
}

static ways lessen_to_rays(const turning *t, const fan *f)
{
    ways found = {false, false};
    for (int i = 1; i < f->n; ++i) {
        for (int j = 0; j < i; ++j) {
            try_rays(t, f, i, j, &found);
        }
    }
    return found;
}

static void lessen_to_all(const turning *t, int node)
{
    for (int i = 1, p; (p = t->facets->around(t->facets->surface, node, i)) >= 0; ++i) {
        for (int j = 0; j < i; ++j) {
            int q = t->facets->around(t->facets->surface, node, j);
            lessen(t, p, normal_of(t, q));
            lessen(t, q, normal_of(t, p));
        }
    }
}

static void lessen_around(const turning *t, int node)
{
    fan f;
    bool all = !gather(t, node, &f) || !f.valley;
    if (all) {
        lessen_to_all(t, node);
    } else if (f.ridge) {
        ways found = lessen_to_rays(t, &f);
        for (int k = 0; found.out && found.into && k < f.n; ++k) {
            lessen(t, f.face[k], (double[3]){0.0, 0.0, 0.0}); // what is between two rays may be farther off than either
        }
    }
}

void tn_facets_turns(const tn_facets *facets, double *normals, float *turn)
{
    const turning t = {facets, normals, turn};
    for (int f = 0; f < facets->n_faces; ++f) {
        normal_within(facets, f, normals + 3 * (size_t)f);
        turn[f] = 1.0f;
    }
    for (int f = 0; f < facets->n_faces; ++f) {
        tn_facet facet;
        facets->get(facets->surface, f, &facet);
        for (int k = 0; k < 3; ++k) {
            if (facets->around(facets->surface, facet.node[k], 0) == f) { // each node once
                lessen_around(&t, facet.node[k]);
            }
        }
    }
    for (int f = 0; f < facets->n_faces; ++f) {
        turn[f] = acosf(fmaxf(turn[f], -1.0f));
    }
}
