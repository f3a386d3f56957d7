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

static void lessen_across_edges(const turning *t, int face)
{
    tn_facet facet;
    t->facets->get(t->facets->surface, face, &facet);
    for (int k = 0; k < 3; ++k) {
        int other = t->facets->across(t->facets->surface, face, k);
        double d[3];
        tn_vec3_sub(d, facet.corner[(k + 2) % 3], facet.corner[k]);
        if (other >= 0 && tn_vec3_dot(d, normal_of(t, other)) < SLACK * tn_vec3_norm(d)) {
            lessen(t, face, normal_of(t, other));
        }
    }
}

// What surrounds a node.
typedef struct fan {
    int n, face[FAN];
    double edge[FAN][3]; // unit: of each face that which leaves the node
    double normal[3];    // sum of the faces'
    bool turns;          // by more than what counts as a face's normal
} fan;

// False: it has a border, or too many faces.
static bool gather(const turning *t, int node, fan *out)
{
    *out = (fan){.n = 0};
    for (int face; (face = t->facets->around(t->facets->surface, node, out->n)) >= 0; ++out->n) {
        const double *normal = normal_of(t, face);
        tn_facet facet;
        if (out->n == FAN || tn_vec3_dot(normal, normal) == 0.0) {
            return false;
        }
        t->facets->get(t->facets->surface, face, &facet);
        int k = facet.node[0] == node ? 0 : facet.node[1] == node ? 1 : 2;
        double *edge = out->edge[out->n];
        tn_vec3_sub(edge, facet.corner[(k + 1) % 3], facet.corner[k]);
        tn_vec3_scale(edge, 1.0 / tn_vec3_norm(edge), edge);
        out->face[out->n] = face;
        tn_vec3_add(out->normal, out->normal, normal);
        for (int i = 0; i < out->n && !out->turns; ++i) {
            out->turns = tn_vec3_dot(normal, normal_of(t, out->face[i])) < 1.0 - 0.5 * tn_facet_near * tn_facet_near;
        }
    }
    return true;
}

static bool is_allowed(const fan *f, const double d[3])
{
    for (int k = 0; k < f->n; ++k) {
        if (tn_vec3_dot(d, f->edge[k]) > SLACK) {
            return false;
        }
    }
    return true;
}

// Which way a node's allowed directions point.
typedef struct ways {
    bool out, into; // of the surface; into it below a hollow
} ways;

static void try_ray(const turning *t, const fan *f, const double d[3], ways *found)
{
    bool out = tn_vec3_dot(d, f->normal) > 0.0;
    if (!is_allowed(f, d)) {
        return;
    }
    for (int k = 0; out && k < f->n; ++k) {
        lessen(t, f->face[k], d);
    }
    found->out = found->out || out;
    found->into = found->into || !out;
}

static ways lessen_to_rays(const turning *t, const fan *f)
{
    ways found = {false, false};
    for (int i = 1; i < f->n; ++i) {
        for (int j = 0; j < i; ++j) {
            double d[3];
            tn_vec3_cross(d, f->edge[i], f->edge[j]);
            double length = tn_vec3_norm(d);
            if (length > SLACK) { // else in one line: others' rays are upright on it as well
                tn_vec3_scale(d, 1.0 / length, d);
                try_ray(t, f, d, &found);
                tn_vec3_scale(d, -1.0, d);
                try_ray(t, f, d, &found);
            }
        }
    }
    return found;
}

static void lessen_to_all(const turning *t, int node)
{
    for (int i = 0, p; (p = t->facets->around(t->facets->surface, node, i)) >= 0; ++i) {
        for (int j = 0, q; (q = t->facets->around(t->facets->surface, node, j)) >= 0; ++j) {
            if (j != i) {
                lessen(t, p, normal_of(t, q));
            }
        }
    }
}

static void lessen_around(const turning *t, int node)
{
    fan f;
    bool known = gather(t, node, &f);
    if (known && f.turns) {
        ways found = lessen_to_rays(t, &f);
        known = !(found.out && found.into); // else what is between two rays may be farther off than either
    }
    if (!known) {
        lessen_to_all(t, node);
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
        lessen_across_edges(&t, f);
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
