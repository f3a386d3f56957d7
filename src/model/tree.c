// Trees by depth-first search over the joints that can be reduced, from bodies that do not move, then from a free body
// of what is left; where joints place their bodies.
#include "model/tree.h"

#include "math/parts.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "model/compile.h"
#include "model/joint_geometry.h"
#include "model/motion.h"
#include "scene/joint_class.h"
#include "shape/pose.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_RATES = 3 * TN_PART_BLOCKS }; // of a tree that a step takes

// May be a link: planar bodies are none of trees that a step reduces.
static bool can_hang(const tn_model_body *body, tn_tree_bases bases)
{
    return body->n_blocks == 2 || (body->planar && body->n_blocks > 0 && bases == TN_BASES_CARRIERS);
}

static bool can_be_reduced(const tn_model *model, const tn_model_joint *joint, tn_tree_bases bases)
{
    const tn_scene_joint *said = joint->description;
    if (!tn_joint_classes[joint->kind].complete || joint->set_a >= 0 || joint->set_b >= 0 || said->compliance > 0.0 ||
        said->turn_compliance > 0.0 || joint->body_a == joint->body_b) {
        return false;
    }
    const tn_model_body *a = &model->bodies[joint->body_a], *b = &model->bodies[joint->body_b];
    return ((!a->planar && !b->planar) || bases == TN_BASES_CARRIERS) && (can_hang(a, bases) || can_hang(b, bases));
}

// Joints of each body that can be reduced, compressed.
typedef struct search {
    const tn_model *model;
    tn_tree_bases bases;
    int *start, *joint; // (n_bodies + 1), (2 n_joints)
    int *stack;         // (n_bodies) links whose joints are still to be followed
    int *next;          // (n_bodies) where in `joint` a link goes on
    int *base;          // (n_bodies) the order in which they become bases
    tn_trees *out;
} search;

typedef struct weighed {
    double weight;
    int body;
} weighed;

static int heavier_first(const void *a, const void *b)
{
    const weighed *x = a, *y = b;
    return x->weight != y->weight ? (x->weight > y->weight ? -1 : 1) : x->body - y->body;
}

// A heavy body on a light one's swinging arm would get energy from a long step (physics.trees). What says where robots
// are goes by their joints, which hang b from a, in whatever order a scene has the bodies.
static bool order_bases(search *s, tn_arena *scratch)
{
    int n = s->model->n_bodies;
    bool by_mass = s->bases == TN_BASES_HEAVIEST || s->bases == TN_BASES_CARRIERS;
    weighed *list = TN_PUSH_RAW(scratch, weighed, n);
    s->base = TN_PUSH_RAW(scratch, int, n);
    if (!list || !s->base) {
        return false;
    }
    for (int b = 0; b < n; b++) {
        list[b] = (weighed){by_mass ? s->model->bodies[b].mass : 1.0, b};
    }
    for (int k = s->start[0]; k < s->start[n] && !by_mass; k++) {
        list[s->model->joints[s->joint[k]].body_b].weight = 0.0;
    }
    qsort(list, (size_t)n, sizeof *list, heavier_first);
    for (int b = 0; b < n; b++) {
        s->base[b] = list[b].body;
    }
    return true;
}

static bool find_joints(search *s, tn_arena *scratch)
{
    const tn_model *model = s->model;
    int n = model->n_bodies;
    s->start = TN_PUSH(scratch, int, (size_t)n + 2);
    s->joint = TN_PUSH_RAW(scratch, int, 2 * (size_t)model->n_joints);
    s->stack = TN_PUSH_RAW(scratch, int, n);
    s->next = TN_PUSH_RAW(scratch, int, n);
    if (!s->start || !s->joint || !s->stack || !s->next) {
        return false;
    }
    // Counted one place late, so that filling moves each start to where it belongs.
    for (int pass = 0; pass < 2; pass++) {
        for (int j = 0; j < model->n_joints; j++) {
            const tn_model_joint *joint = &model->joints[j];
            if (!can_be_reduced(model, joint, s->bases)) {
                continue;
            }
            int ends[2] = {joint->body_a, joint->body_b};
            for (int k = 0; k < 2; k++) {
                if (pass == 0) {
                    s->start[ends[k] + 2]++;
                } else {
                    s->joint[s->start[ends[k] + 1]++] = j;
                }
            }
        }
        for (int b = 0; pass == 0 && b < n; b++) {
            s->start[b + 2] += s->start[b + 1];
        }
    }
    return true;
}

// The next link, which hangs from `from` by a joint; -1, -1: a free base.
static void add_link(search *s, int body, int from, int joint)
{
    const tn_model *model = s->model;
    tn_trees *out = s->out;
    tn_tree *tree = &out->tree[out->n - 1];
    int number = out->n_links++;
    out->link[number] = (tn_tree_link){.body = body,
                                       .joint = joint,
                                       .from = from,
                                       .parent = from >= 0 ? out->link_of[from] : -1,
                                       .is_a = joint >= 0 && model->joints[joint].body_a == body,
                                       .tree = out->n - 1,
                                       .rate = tree->n_rates, // in its tree, until that has its blocks
                                       .n_rates = joint >= 0 ? tn_joint_rate_count(model->joints[joint].kind) : 6};
    tree->n_rates += out->link[number].n_rates;
    tree->n_links++;
    out->link_of[body] = number;
    if (joint >= 0) {
        out->link_of_joint[joint] = number;
    }
}

// All that hangs from `root`, each body before what hangs from it.
static void follow(search *s, int root)
{
    const tn_model *model = s->model;
    int depth = 0;
    s->stack[depth++] = root;
    s->next[root] = s->start[root];
    while (depth > 0) {
        int body = s->stack[depth - 1];
        if (s->next[body] == s->start[body + 1]) {
            depth--;
            continue;
        }
        int j = s->joint[s->next[body]++];
        const tn_model_joint *joint = &model->joints[j];
        int other = joint->body_a == body ? joint->body_b : joint->body_a;
        if (can_hang(&model->bodies[other], s->bases) && s->out->link_of[other] < 0) {
            add_link(s, other, body, j);
            s->stack[depth++] = other;
            s->next[other] = s->start[other];
        }
    }
}

static void begin_tree(tn_trees *out)
{
    out->tree[out->n++] = (tn_tree){.first_link = out->n_links};
}

static void begin_free_tree(search *s, int base)
{
    begin_tree(s->out);
    add_link(s, base, -1, -1);
    follow(s, base);
}

// Bodies that a joint holds which no tree can have are trees of one free base: what closes loops acts on trees alone.
static void add_lone(search *s, const tn_model_joint *joint)
{
    const tn_scene_joint *said = joint->description;
    const int bodies[2] = {joint->body_a, joint->body_b};
    bool rigid = joint->n_holds > 0 && said->compliance == 0.0 && said->turn_compliance == 0.0 && !joint->bushing;
    for (int i = 0; rigid && joint->kind != TN_JOINT_GEAR && i < 2; i++) {
        bool on_nodes = (i == 0 ? joint->set_a : joint->set_b) >= 0;
        if (!on_nodes && can_hang(&s->model->bodies[bodies[i]], s->bases) && s->out->link_of[bodies[i]] < 0) {
            begin_free_tree(s, bodies[i]);
        }
    }
}

// Trees on bodies that do not move, one a joint there; then those with free bases.
static void find_links(search *s)
{
    const tn_model *model = s->model;
    tn_trees *out = s->out;
    for (int b = 0; b < model->n_bodies; b++) {
        for (int k = s->start[b]; model->bodies[b].n_blocks == 0 && k < s->start[b + 1]; k++) {
            const tn_model_joint *joint = &model->joints[s->joint[k]];
            int other = joint->body_a == b ? joint->body_b : joint->body_a;
            if (out->link_of[other] < 0) {
                begin_tree(out);
                add_link(s, other, b, s->joint[k]);
                follow(s, other);
            }
        }
    }
    for (int i = 0; i < model->n_bodies; i++) {
        const int b = s->base[i];
        if (can_hang(&model->bodies[b], s->bases) && out->link_of[b] < 0 &&
            (s->bases == TN_BASES_LONE || s->start[b] < s->start[b + 1])) {
            begin_free_tree(s, b);
        }
    }
    for (int j = 0; s->bases == TN_BASES_HEAVIEST && out->n > 0 && j < model->n_joints; j++) {
        add_lone(s, &model->joints[j]);
    }
}

// Whether joint j holds its bodies by rows of a step: it is none of a tree's, nor a gear between two of its rates.
static bool stays_rows(const tn_model *model, const tn_trees *trees, int j)
{
    const tn_model_joint *joint = &model->joints[j];
    int rate[2];
    return joint->n_holds > 0 && !joint->bushing && trees->link_of_joint[j] < 0 &&
           !tn_trees_gear(model, trees, joint, rate);
}

static bool all_in_trees(const tn_model *model, const tn_trees *trees)
{
    bool all = true;
    for (int j = 0; j < model->n_joints; j++) {
        all = all && !stays_rows(model, trees, j);
    }
    return all;
}

// What a joint may start off without slack. Within its slack: as rows it closes, a tree takes it as it is drawn.
static const double DRAWN = 1e-6;

static bool is_of_joints(const tn_trees *trees, int t)
{
    return trees->tree[t].n_links > 1 || trees->link[trees->tree[t].first_link].joint >= 0;
}

// Whether what a joint holds acts on bodies that do not move and on links that hang together, where it acts at all.
static bool closes_loop(const tn_model *model, const tn_trees *trees, const tn_model_joint *joint)
{
    const int bodies[2] = {joint->body_a, joint->body_b};
    bool closes = joint->set_a < 0 && joint->set_b < 0;
    for (int i = 0; closes && joint->kind != TN_JOINT_GEAR && i < 2; i++) {
        int l = trees->link_of[bodies[i]];
        closes = model->bodies[bodies[i]].n_blocks == 0 || (l >= 0 && is_of_joints(trees, trees->link[l].tree));
    }
    return closes;
}

// Where the scene leaves it open, a step takes rates where the trees' joints have fewer of them than rows (with chains
// of balls rows are quicker, 1.4 times for 30 on a drum) and nothing but springs holds bodies besides, but for joints
// that close loops of them (a quadruped with parallelograms for legs takes 0.2 of the time).
static bool is_better(const tn_model *model, const tn_trees *trees)
{
    bool small = true, drawn = true, loops = true;
    int more = 0; // rates than rows
    for (int t = 0; t < trees->n; t++) {
        small = small && trees->tree[t].n_rates <= MOST_RATES;
    }
    for (int l = 0; l < trees->n_links; l++) {
        if (trees->link[l].joint >= 0) {
            more += 2 * trees->link[l].n_rates - 6;
            drawn = drawn && tn_joint_start_off(&model->joints[trees->link[l].joint]) <= DRAWN;
        }
    }
    for (int j = 0; j < model->n_joints; j++) {
        loops = loops && (!stays_rows(model, trees, j) || closes_loop(model, trees, &model->joints[j]));
    }
    return small && drawn && loops && more < 0;
}

static void keep_block(tn_trees *out, int block)
{
    out->source[out->n_blocks] = block;
    out->block[block] = out->n_blocks++;
}

// Blocks of the reduced velocity: trees where their first body is, what belongs to none in the order it has.
static void number_blocks(const tn_model *model, tn_trees *out)
{
    int n_rigid = model->n_rigid_blocks;
    memset(out->block, -1, (size_t)model->n_blocks * sizeof *out->block);
    memset(out->link_of_block, -1, (size_t)model->n_blocks * sizeof *out->link_of_block);
    for (int t = 0; t < out->n; t++) {
        out->tree[t].block = -1;
    }
    for (int b = 0; b < model->n_bodies; b++) {
        const tn_model_body *body = &model->bodies[b];
        int link = out->link_of[b];
        tn_tree *tree = link >= 0 ? &out->tree[out->link[link].tree] : NULL;
        if (tree && tree->block < 0) {
            tree->block = out->n_blocks;
            tree->n_blocks = (tree->n_rates + 2) / 3;
            for (int i = 0; i < tree->n_blocks; i++) {
                out->source[out->n_blocks++] = -1;
            }
        }
        for (int i = 0; i < body->n_blocks; i++) {
            out->link_of_block[body->block + i] = link;
            if (link < 0) {
                keep_block(out, body->block + i);
            }
        }
    }
    for (int i = n_rigid; i < model->n_blocks; i++) {
        keep_block(out, i);
    }
    for (int l = 0; l < out->n_links; l++) {
        out->link[l].rate += 3 * out->tree[out->link[l].tree].block;
    }
}

static tn_status check_sizes(const tn_model *model, const tn_trees *trees, tn_error *error)
{
    for (int t = 0; t < trees->n; t++) {
        const tn_tree *tree = &trees->tree[t];
        if (tree->n_rates > MOST_RATES) {
            const tn_scene_body *said = model->bodies[trees->link[tree->first_link].body].description;
            return tn_error_at(error, said->place.file ? said->place.file : "", said->place.line, said->place.column,
                               "the mechanism of body '%s' has %d degrees of freedom; 'coordinates: reduced' takes at "
                               "most %d: leave it maximal",
                               said->name, tree->n_rates, MOST_RATES);
        }
    }
    return TN_OK;
}

bool tn_trees_gear(const tn_model *model, const tn_trees *trees, const tn_model_joint *joint, int rate[2])
{
    bool both = joint->n_gear == 2;
    for (int i = 0; both && i < 2; i++) {
        int k, l = trees->link_of_joint[tn_joint_of_coordinate(model, joint->gear[i], &k) - model->joints];
        rate[i] = l < 0 ? -1 : trees->link[l].rate + k;
        both = l >= 0;
    }
    return both;
}

tn_status tn_trees_find(const tn_model *model, tn_tree_bases bases, tn_arena *arena, tn_trees **out, tn_error *error)
{
    *out = NULL;
    const tn_settings *settings = &model->settings;
    bool open = settings->coordinates == TN_COORDINATES_AUTO && bases == TN_BASES_HEAVIEST;
    bool any = bases == TN_BASES_CARRIERS || settings->coordinates == TN_COORDINATES_REDUCED ||
               (open && (settings->scheme == TN_SCHEME_EULER || settings->scheme == TN_SCHEME_IMPLICIT));
    if (!any || (model->n_joints == 0 && bases != TN_BASES_LONE)) {
        return TN_OK;
    }
    tn_arena *scratch = tn_arena_create(0);
    tn_trees *trees = TN_PUSH(arena, tn_trees, 1);
    search s = {.model = model, .bases = bases, .out = trees};
    bool done = scratch && trees && find_joints(&s, scratch) && order_bases(&s, scratch);
    if (done) {
        size_t n = (size_t)model->n_bodies, n_blocks = (size_t)model->n_blocks;
        *trees = (tn_trees){.tree = TN_PUSH_RAW(arena, tn_tree, n),
                            .link = TN_PUSH_RAW(arena, tn_tree_link, n),
                            .link_of = TN_PUSH_RAW(arena, int, n),
                            .link_of_joint = TN_PUSH_RAW(arena, int, model->n_joints),
                            .block = TN_PUSH_RAW(arena, int, n_blocks),
                            .link_of_block = TN_PUSH_RAW(arena, int, n_blocks),
                            .source = TN_PUSH_RAW(arena, int, n_blocks)};
        done = trees->source && trees->tree && trees->link && trees->link_of && trees->block && trees->link_of_block &&
               trees->link_of_joint;
    }
    if (done) {
        memset(trees->link_of, -1, (size_t)model->n_bodies * sizeof *trees->link_of);
        memset(trees->link_of_joint, -1, (size_t)model->n_joints * sizeof *trees->link_of_joint);
        find_links(&s);
    }
    if (done && bases != TN_BASES_CARRIERS) {
        number_blocks(model, trees);
        trees->all = all_in_trees(model, trees);
    }
    tn_arena_destroy(scratch);
    if (!done) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the trees of %d joints", model->n_joints);
    }
    *out = trees->n > 0 && (!open || is_better(model, trees)) ? trees : NULL;
    return bases == TN_BASES_CARRIERS || !*out ? TN_OK : check_sizes(model, trees, error);
}

// What the slack has allowed at the start goes into the joint's frame on b.
static void fit(const tn_model *model, tn_model_joint *joint)
{
    tn_pose a, b, at, relative;
    double undo[4];
    tn_motion_pose(&model->bodies[joint->body_a], 0.0, &a);
    tn_motion_pose(&model->bodies[joint->body_b], 0.0, &b);
    tn_pose_join(&at, &a, &joint->frame_a);
    tn_pose_join(&relative, &b, &joint->frame_b);
    tn_quat_conjugate(undo, at.quaternion);
    tn_quat_mul(relative.quaternion, undo, relative.quaternion);
    tn_joint_place(joint, model->joint_start + joint->first_coordinate, relative.quaternion, &relative);
    tn_pose_join(&at, &at, &relative);
    tn_pose_undo(&b, &b);
    tn_pose_join(&joint->frame_b, &b, &at);
    memset(joint->off, 0, sizeof joint->off);
}

// The nodes of a soft body that are attached to links of trees, into out; their number.
static int find_attached(const tn_model *model, const tn_trees *trees, const tn_model_soft *soft, int *out)
{
    int n = 0;
    for (int i = soft->first_node; i < soft->first_node + soft->n_nodes; i++) {
        int body = model->nodes[i].body;
        if (body >= 0 && trees->link_of[body] >= 0) {
            out[n++] = i;
        }
    }
    return n;
}

// The way from a node to the nearest of the attached ones, as the scene draws them.
static double way_to_attached(const tn_model *model, int n, const int *attached, int node)
{
    double least = INFINITY, way[3];
    for (int k = 0; k < n; k++) {
        tn_vec3_sub(way, model->node_rest + 3 * (size_t)node, model->node_rest + 3 * (size_t)attached[k]);
        least = fmin(least, tn_vec3_dot(way, way));
    }
    return sqrt(least);
}

static bool find_hanging(const tn_model *model, tn_trees *trees, tn_arena *arena)
{
    trees->hanging = TN_PUSH(arena, double, model->n_softs);
    tn_arena_mark mark = tn_arena_get_mark(arena);
    int *attached = TN_PUSH(arena, int, model->n_nodes);
    for (int s = 0; trees->hanging && attached && s < model->n_softs; s++) {
        const tn_model_soft *soft = &model->softs[s];
        int n = find_attached(model, trees, soft, attached);
        for (int i = soft->first_node; n > 0 && i < soft->first_node + soft->n_nodes; i++) {
            trees->hanging[s] = fmax(trees->hanging[s], way_to_attached(model, n, attached, i));
        }
    }
    tn_arena_release(arena, mark);
    return trees->hanging && attached;
}

tn_status tn_model_compile_trees(tn_model *model, tn_arena *arena, tn_error *error)
{
    tn_trees *trees, *carriers = NULL;
    tn_status status = tn_trees_find(model, TN_BASES_HEAVIEST, arena, &trees, error);
    for (int l = 0; status == TN_OK && trees && l < trees->n_links; l++) {
        if (trees->link[l].joint >= 0) {
            fit(model, &model->joints[trees->link[l].joint]);
        }
    }
    model->trees = trees;
    status = status == TN_OK ? tn_trees_find(model, TN_BASES_CARRIERS, arena, &carriers, error) : status;
    model->carriers = carriers;
    if (status == TN_OK && trees && model->n_softs > 0 &&
        (!find_hanging(model, trees, arena) || tn_trees_keep_pattern(model, trees, arena) != TN_OK)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the pattern of %d reduced velocities",
                            3 * trees->n_blocks);
    }
    return status;
}

// ---- where links are

// A turn about an axis of the pose's own.
static void turn_about(tn_pose *pose, int axis, double angle)
{
    double s = sin(0.5 * angle), c = cos(0.5 * angle), *q = pose->quaternion;
    int i = 1 + axis, j = 1 + (axis + 1) % 3, k = 1 + (axis + 2) % 3;
    double w = q[0], x = q[i], y = q[j], z = q[k];
    q[0] = w * c - x * s;
    q[i] = x * c + w * s;
    q[j] = y * c + z * s;
    q[k] = z * c - y * s;
}

static void slide_along(tn_pose *pose, int axis, double way)
{
    double step[3] = {0.0, 0.0, 0.0};
    step[axis] = way;
    tn_pose_point(pose->position, pose, step);
}

// From the joint's frame on a to that on b, where pose is.
static void go_through(const tn_model_joint *joint, const double *coordinates, const double turn[4], tn_pose *pose)
{
    if (joint->kind == TN_JOINT_SPHERICAL) {
        tn_quat_mul(pose->quaternion, pose->quaternion, turn);
        return;
    }
    for (int k = 0; k < joint->n_coordinates; k++) {
        double q = coordinates[k];
        switch (joint->axis[k]) {
        case TN_AXIS_SLIDE:
        case TN_AXIS_SLIDE2:
            slide_along(pose, tn_joint_slide_axis(joint->kind, joint->axis[k]), q);
            break;
        case TN_AXIS_TURN:
            turn_about(pose, 0, q);
            if (joint->kind == TN_JOINT_SCREW) {
                slide_along(pose, 0, joint->length * q);
            }
            break;
        default: // about the second axis of b
            turn_about(pose, 1, q);
            break;
        }
    }
}

void tn_joint_place(const tn_model_joint *joint, const double *coordinates, const double turn[4], tn_pose *out)
{
    tn_pose_set_identity(out);
    go_through(joint, coordinates, turn, out);
}

void tn_joint_turn(const tn_model_joint *joint, const tn_pose *poses, double out[4])
{
    tn_pose a, b;
    tn_pose_join(&a, &poses[joint->body_a], &joint->frame_a);
    tn_pose_join(&b, &poses[joint->body_b], &joint->frame_b);
    tn_quat_conjugate(out, a.quaternion);
    tn_quat_mul(out, out, b.quaternion);
}

// pose goes on by `way` in its own axes; its quaternion is left at the length that rounding makes of it.
static void go_on(tn_pose *pose, const tn_pose *way)
{
    tn_pose_point(pose->position, pose, way->position);
    tn_quat_mul(pose->quaternion, pose->quaternion, way->quaternion);
}

// Back by `way`.
static void go_back(tn_pose *pose, const tn_pose *way)
{
    double undo[4], arm[3];
    tn_quat_conjugate(undo, way->quaternion);
    tn_quat_mul(pose->quaternion, pose->quaternion, undo);
    tn_quat_rotate(arm, pose->quaternion, way->position);
    tn_vec3_sub(pose->position, pose->position, arm);
}

void tn_tree_place(const tn_model *model, const tn_tree_link *link, const tn_pose *from, const double *coordinates,
                   const double turn[4], tn_pose *out)
{
    const tn_model_joint *joint = &model->joints[link->joint];
    const double *q = coordinates + joint->first_coordinate;
    *out = *from;
    go_on(out, link->is_a ? &joint->frame_b : &joint->frame_a);
    if (link->is_a) {
        tn_pose step;
        tn_joint_place(joint, q, turn, &step);
        go_back(out, &step);
    } else {
        go_through(joint, q, turn, out);
    }
    go_back(out, link->is_a ? &joint->frame_a : &joint->frame_b);
    tn_quat_normalize(out->quaternion);
}
