// Soft bodies for the collide tests: grids of tetrahedra, bent by hand; model arrays as model/ compiles them.
#pragma once

#include "mesh/mesh.h"
#include "model/skins.h"
#include "test.h"
#include "world.h"

#include <stdio.h>

enum { SOFT_MAX = 16, SOFT_NODES = 40000, SOFT_FACES = 40000 };

typedef struct soft_world {
    world rigid;
    tn_model_soft softs[SOFT_MAX];
    tn_model_node nodes[SOFT_NODES];
    double rest[3 * SOFT_NODES], x[3 * SOFT_NODES], v[3 * SOFT_NODES + 6 * WORLD_MAX];
    int node_soft[SOFT_NODES], vertices[SOFT_NODES], faces[3 * SOFT_FACES];
} soft_world;

// A world with its body 0, without shapes.
static inline void soft_begin(soft_world *s)
{
    tn_pose origin = pose_at(0.0, 0.0, 0.0);
    memset(s, 0, sizeof *s);
    world_begin(&s->rigid);
    world_body(&s->rigid, &origin, 0);
    tn_model *m = &s->rigid.model;
    m->softs = s->softs;
    m->nodes = s->nodes;
    m->node_rest = s->rest;
    m->node_soft = s->node_soft;
    m->vertices = s->vertices;
    m->faces = s->faces;
    s->rigid.state.x = s->x;
    s->rigid.state.v = s->v;
}

// A soft body of material 0, its mesh moved by offset; all nodes free and at rest. Returns its surface number... of the
// soft body; contacts number it n_shapes + s.
static inline int soft_add(soft_world *s, const tn_mesh *mesh, const double offset[3], tn_arena *arena)
{
    tn_model *m = &s->rigid.model;
    tn_mesh_surface surface;
    assert_int_equal(tn_mesh_get_surface(mesh, arena, &surface, NULL), TN_OK);
    assert_true(m->n_softs < SOFT_MAX && m->n_nodes + mesh->n_nodes <= SOFT_NODES &&
                m->n_faces + surface.n_faces <= SOFT_FACES);
    s->softs[m->n_softs] = (tn_model_soft){.name = "soft",
                                           .first_node = m->n_nodes,
                                           .n_nodes = mesh->n_nodes,
                                           .first_face = m->n_faces,
                                           .n_faces = surface.n_faces,
                                           .first_vertex = m->n_vertices,
                                           .n_vertices = surface.n_vertices,
                                           .collides = true};
    for (int i = 0; i < mesh->n_nodes; ++i) {
        int node = m->n_nodes + i;
        tn_vec3_add(s->rest + 3 * node, mesh->nodes + 3 * i, offset);
        tn_vec3_copy(s->x + 3 * node, s->rest + 3 * node);
        s->nodes[node] = (tn_model_node){.block = m->n_blocks++, .body = -1};
        s->node_soft[node] = m->n_softs;
    }
    for (int i = 0; i < 3 * surface.n_faces; ++i) {
        s->faces[3 * m->n_faces + i] = m->n_nodes + surface.faces[i];
    }
    for (int i = 0; i < surface.n_vertices; ++i) {
        s->vertices[m->n_vertices + i] = m->n_nodes + surface.vertices[i];
    }
    m->n_nodes += mesh->n_nodes;
    m->n_faces += surface.n_faces;
    m->n_vertices += surface.n_vertices;
    return m->n_softs++;
}

static inline int soft_grid(soft_world *s, const double size[3], const int divisions[3], const double offset[3],
                            tn_arena *arena)
{
    tn_mesh mesh;
    assert_int_equal(tn_mesh_grid(size, divisions, arena, &mesh, NULL), TN_OK);
    return soft_add(s, &mesh, offset, arena);
}

// A ball: the grid of a cube whose shells become spheres.
static inline int soft_ball(soft_world *s, double radius, int divisions, const double offset[3], tn_arena *arena)
{
    tn_mesh mesh;
    assert_int_equal(
        tn_mesh_grid((double[3]){2.0, 2.0, 2.0}, (int[3]){divisions, divisions, divisions}, arena, &mesh, NULL), TN_OK);
    double *nodes = TN_PUSH(arena, double, 3 * (size_t)mesh.n_nodes);
    for (int i = 0; i < mesh.n_nodes; ++i) {
        const double *x = mesh.nodes + 3 * i;
        double shell = fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2]))), length = tn_vec3_norm(x);
        tn_vec3_scale(nodes + 3 * i, length > 0.0 ? radius * shell / length : 0.0, x);
    }
    mesh.nodes = nodes;
    return soft_add(s, &mesh, offset, arena);
}

// What the model keeps of the surfaces; without it, each step makes it anew.
static inline void soft_keep_skins(soft_world *s, tn_arena *arena)
{
    assert_int_equal(tn_skins_create(&s->rigid.model, arena, &s->rigid.model.skins, NULL), TN_OK);
}

static inline tn_contact_list soft_collide(const soft_world *s, int n_threads, tn_arena *arena)
{
    tn_contact_list list;
    tn_error error = {0};
    tn_arena_reset(arena);
    assert_int_equal(tn_collide(&s->rigid.model, &s->rigid.state, n_threads, arena, arena, &list, &error), TN_OK);
    return list;
}

static inline double soft_gap(const soft_world *s, const tn_contact *contact)
{
    return tn_contact_gap(&s->rigid.model, s->rigid.pose, s->x, contact);
}

static inline void soft_check_same_point(const tn_soft_point *a, const tn_soft_point *b)
{
    assert_true(a->n == b->n && memcmp(a->node, b->node, (size_t)a->n * sizeof *a->node) == 0 &&
                memcmp(a->weight, b->weight, (size_t)a->n * sizeof *a->weight) == 0);
}

// Two lists are the same to the last bit.
static inline void soft_check_same(const tn_contact_list *one, const tn_contact_list *two)
{
    assert_int_equal(one->n, two->n);
    for (int i = 0; i < one->n; ++i) {
        const tn_contact *a = one->contacts + i, *b = two->contacts + i;
        assert_true(a->body_a == b->body_a && a->body_b == b->body_b && a->shape_a == b->shape_a &&
                    a->shape_b == b->shape_b && a->feature == b->feature && a->surface == b->surface);
        assert_true(memcmp(a->point, b->point, sizeof a->point) == 0 && memcmp(&a->gap, &b->gap, sizeof a->gap) == 0);
        assert_true(memcmp(a->frame, b->frame, 9 * sizeof *a->frame) == 0);
        assert_true(memcmp(a->warm, b->warm, 3 * sizeof *a->warm) == 0);
        soft_check_same_point(a->soft_a, b->soft_a);
        soft_check_same_point(a->soft_b, b->soft_b);
    }
}

// Every contact of soft bodies: order, weights, points and frames; action and reaction.
static inline void soft_check_list(const soft_world *s, const tn_contact_list *list)
{
    double worst = 0.0;
    for (int i = 0; i < list->n; ++i) {
        const tn_contact *c = list->contacts + i, *p = c - 1;
        const tn_soft_point *sides[2] = {c->soft_a, c->soft_b};
        assert_true(c->shape_a <= c->shape_b && c->body_a <= c->body_b);
        assert_true(i == 0 || p->shape_a < c->shape_a ||
                    (p->shape_a == c->shape_a &&
                     (p->shape_b < c->shape_b || (p->shape_b == c->shape_b && p->feature < c->feature))));
        for (int k = 0; k < 2; ++k) {
            double sum = 0.0, place[3] = {0}, expected[3], d[3];
            if (sides[k]->n == 0) {
                continue;
            }
            for (int j = 0; j < sides[k]->n; ++j) {
                sum += sides[k]->weight[j];
                assert_true(sides[k]->weight[j] >= 0.0);
                tn_vec3_madd(place, place, sides[k]->weight[j], s->x + 3 * sides[k]->node[j]);
            }
            tn_vec3_madd(expected, c->point, (k ? 0.5 : -0.5) * c->gap, c->frame);
            tn_vec3_sub(d, place, expected);
            worst = fmax(worst, fmax(fabs(sum - 1.0), tn_vec3_norm(d)));
        }
    }
    printf("%d contacts: weights and points off by %.1e (limit 1e-12, rounding)\n", list->n, worst);
    assert_true(worst < 1e-12);
}
