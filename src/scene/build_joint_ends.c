// What a joint of two bodies holds: bodies, the world, or nodes of soft bodies; and where.
#include "math/mat3.h"
#include "math/quat.h"
#include "scene/build.h"
#include "scene/joint_class.h"

#include <math.h>
#include <string.h>

// Nodes whose spread across a line is less than this, of that along it, lie on the line.
static const double NARROW = 1e-6;

// One side of a joint while it is read.
typedef struct end {
    const tn_node *name;          // NULL: the world
    const tn_raw_region *where;   // NULL: not said
    tn_place where_place;         //
    const char *where_key;        //
    double *point, said_point[3]; // [m] in the side's own frame
    int *body;                    // id
    tn_scene_nodes *nodes;
    const tn_pose *pose;   // of the side's own frame; NULL: the world
    double center[3];      // of the nodes' mass, or 0, in the side's own frame [m]
    bool moves, on_a_line; // on_a_line: it has no rotation
} end;

typedef struct work {
    tn_build *build;
    const tn_raw_joint *raw;
    const tn_node *node;
    tn_joint_kind kind;
    bool rubs; // it has dry friction in all directions
} work;

// Number of a soft body; -1: none has the name.
static int find_soft(const tn_scene *scene, const char *name)
{
    int s = 0;
    while (s < scene->n_softs && strcmp(scene->softs[s].name, name) != 0) {
        s++;
    }
    return s < scene->n_softs ? s : -1;
}

// ---- nodes of soft bodies

// A node that is attached to a body already is that body's.
static bool check_free(const work *w, const end *e, const tn_scene_soft *soft)
{
    for (int i = 0; i < soft->n_attachments; i++) {
        const tn_scene_attachment *attachment = &soft->attachments[i];
        for (int k = 0, m = 0; k < attachment->n && m < e->nodes->n;) {
            int other = attachment->nodes[k], own = e->nodes->nodes[m];
            if (other == own) {
                const double *x = soft->mesh.nodes + 3 * (size_t)own;
                return tn_read_error(&w->build->reader, e->where_place,
                                     "node %d at (%g, %g, %g) is attached to '%.100s': let the joint hold that", own,
                                     x[0], x[1], x[2],
                                     attachment->body < 0 ? "world" : w->build->scene->bodies[attachment->body].name);
            }
            k += other < own;
            m += own < other;
        }
    }
    return true;
}

// Center of mass, and whether there is a rotation: the middle one of the second moments is not nothing.
static bool find_spread(const work *w, const tn_scene_soft *soft, end *e)
{
    tn_arena *scratch = w->build->reader.scratch;
    tn_arena_mark mark = tn_arena_get_mark(scratch);
    double *volume = TN_PUSH(scratch, double, soft->mesh.n_nodes), whole = 0.0, moments[9] = {0.0};
    if (!volume) {
        return tn_read_no_memory(&w->build->reader);
    }
    tn_mesh_node_volumes(&soft->mesh, volume);
    for (int i = 0; i < e->nodes->n; i++) {
        int id = e->nodes->nodes[i];
        tn_vec3_madd(e->center, e->center, volume[id], soft->mesh.nodes + 3 * (size_t)id);
        whole += volume[id];
    }
    tn_vec3_scale(e->center, 1.0 / whole, e->center);
    for (int i = 0; i < e->nodes->n; i++) {
        int id = e->nodes->nodes[i];
        double r[3];
        tn_vec3_sub(r, soft->mesh.nodes + 3 * (size_t)id, e->center);
        for (int k = 0; k < 9; k++) {
            moments[k] += volume[id] / whole * r[k / 3] * r[k % 3];
        }
    }
    double values[3], vectors[9];
    tn_mat3_eigen(moments, values, vectors);
    e->on_a_line = !(values[1] > NARROW * NARROW * values[2]);
    tn_arena_release(scratch, mark);
    return true;
}

static bool read_nodes(const work *w, int id, end *e)
{
    const tn_scene_soft *soft = &w->build->scene->softs[id];
    if (!e->where) {
        return tn_read_error(&w->build->reader, e->name->place,
                             "'%.100s' is a soft body: say with '%s' which of its nodes the joint holds", e->name->text,
                             e->where_key);
    }
    e->nodes->soft = id;
    e->pose = &soft->pose;
    e->moves = true;
    return tn_build_region(w->build, e->where, e->where_place, &soft->mesh, &e->nodes->n, &e->nodes->nodes) &&
           check_free(w, e, soft) && find_spread(w, soft, e);
}

// ---- sides

static bool read_end(const work *w, end *e)
{
    int soft = e->name ? find_soft(w->build->scene, e->name->text) : -1;
    *e->body = -1;
    if (soft >= 0) {
        return read_nodes(w, soft, e);
    }
    if (!tn_build_find_body(w->build, e->name, e->body)) {
        return false;
    }
    if (e->where) {
        return tn_read_error(&w->build->reader, e->where_place,
                             "'%s' chooses nodes of a soft body, which '%.100s' is not", e->where_key,
                             e->name ? e->name->text : "world");
    }
    const tn_scene_body *body = *e->body < 0 ? NULL : &w->build->scene->bodies[*e->body];
    e->pose = body ? &body->pose : NULL;
    e->moves = body && body->kind == TN_BODY_FREE;
    return true;
}

static bool check_different(const work *w, const end *a, const end *b)
{
    const tn_scene_nodes *one = a->nodes, *other = b->nodes;
    if (one->n == 0 && other->n == 0) {
        return *a->body != *b->body || tn_read_error(&w->build->reader, b->name->place,
                                                     "a joint needs two different bodies, or one and the world");
    }
    for (int i = 0, k = 0; one->soft == other->soft && i < one->n && k < other->n;) {
        int x = one->nodes[i], y = other->nodes[k];
        if (x == y) {
            return tn_read_error(&w->build->reader, b->where_place,
                                 "node %d is on both sides of the joint: choose different ones", x);
        }
        i += x < y;
        k += y < x;
    }
    return true;
}

static bool check_moves(const work *w, const end *a, const end *b)
{
    return a->moves || b->moves ||
           tn_read_error(&w->build->reader, w->node->place,
                         "neither of the joint's bodies can move freely: it has nothing to hold");
}

// ---- points

static void to_world(const end *e, const double own[3], double out[3])
{
    tn_vec3_copy(out, own);
    if (e->pose) {
        tn_quat_rotate(out, e->pose->quaternion, own);
        tn_vec3_add(out, out, e->pose->position);
    }
}

static void to_own(const end *e, const double world[3], double out[3])
{
    tn_vec3_copy(out, world);
    if (e->pose) {
        tn_vec3_sub(out, world, e->pose->position);
        tn_quat_rotate_inverse(out, e->pose->quaternion, out);
    }
}

static bool is_said(const end *e)
{
    return !isnan(e->said_point[0]);
}

// Where nothing is said: at nodes, else at b, else at a.
static const end *default_end(const end *a, const end *b)
{
    const end *body = b->pose ? b : a;
    return b->nodes->n > 0 ? b : a->nodes->n > 0 ? a : body;
}

static bool read_points(const work *w, const tn_node *own, end *a, end *b)
{
    bool anchored = !isnan(w->raw->anchor[0]);
    double anchor[3];
    if (w->kind == TN_JOINT_DISTANCE) {
        tn_vec3_copy(a->point, is_said(a) ? a->said_point : a->center);
        tn_vec3_copy(b->point, is_said(b) ? b->said_point : b->center);
        return tn_node_index(own, "anchor") < 0 ||
               tn_read_error(&w->build->reader, tn_node_place_of(own, "anchor"),
                             "'anchor' is not for a distance: give point_a and point_b");
    }
    if (anchored && is_said(a) && is_said(b)) {
        return tn_read_error(&w->build->reader, tn_node_place_of(w->node, "anchor"),
                             "'anchor' says what point_a and point_b say already: leave one out");
    }
    if (anchored) {
        tn_vec3_copy(anchor, w->raw->anchor);
    } else if (is_said(b) || is_said(a)) {
        const end *e = is_said(b) ? b : a;
        to_world(e, e->said_point, anchor);
    } else {
        const end *e = default_end(a, b);
        to_world(e, e->center, anchor);
    }
    for (int side = 0; side < 2; side++) {
        end *e = side == 0 ? a : b;
        to_own(e, anchor, e->point);
        tn_vec3_copy(e->point, is_said(e) ? e->said_point : e->point);
    }
    return true;
}

// Whether a joint of the kind asks for the rotation of this side, but for an arm.
static bool turns(const work *w, bool is_a)
{
    const tn_joint_class *c = &tn_joint_classes[w->kind];
    if (c->turning != TN_TURNING_FREE) {
        return true;
    }
    return w->kind == TN_JOINT_SPHERICAL ? w->rubs : c->has_axis && is_a; // it has the line
}

static bool check_rotation(const work *w, const end *e, bool is_a)
{
    double arm[3];
    if (e->nodes->n == 0 || !e->on_a_line) {
        return true;
    }
    if (turns(w, is_a)) {
        return tn_read_error(&w->build->reader, e->where_place,
                             "this kind of joint holds the nodes' rotation: choose at least three that do not lie on a "
                             "line (there are %d)",
                             e->nodes->n);
    }
    tn_vec3_sub(arm, e->point, e->center);
    return tn_vec3_norm(arm) <= 1e-9 ||
           tn_read_error(&w->build->reader, e->where_place,
                         "the joint is %.3g m from the nodes' center of mass, and as they lie on a line they have no "
                         "rotation to carry it: leave the point out, or choose others",
                         tn_vec3_norm(arm));
}

bool tn_build_joint_ends(tn_build *build, const tn_raw_joint *raw, const tn_node *own, const tn_node *node,
                         tn_scene_joint *out)
{
    const work w = {build, raw, node, out->kind, tn_joint_rubs(out)};
    end a = {.name = raw->a,
             .where = raw->where_a,
             .where_place = tn_node_place_of(node, "where_a"),
             .where_key = "where_a",
             .point = out->point_a,
             .body = &out->body_a,
             .nodes = &out->nodes_a};
    end b = {.name = raw->b,
             .where = raw->where_b,
             .where_place = tn_node_place_of(node, "where_b"),
             .where_key = "where_b",
             .point = out->point_b,
             .body = &out->body_b,
             .nodes = &out->nodes_b};
    tn_vec3_copy(a.said_point, raw->point_a);
    tn_vec3_copy(b.said_point, raw->point_b);
    if (!raw->b) {
        return tn_read_error(&build->reader, node->place, "a joint needs its body 'b'");
    }
    return read_end(&w, &a) && read_end(&w, &b) && check_different(&w, &a, &b) && check_moves(&w, &a, &b) &&
           read_points(&w, own, &a, &b) && check_rotation(&w, &a, true) && check_rotation(&w, &b, false);
}
