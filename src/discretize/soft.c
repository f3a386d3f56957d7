#include "discretize/soft.h"

#include "discretize/arc.h"
#include "kernels/block_product.h"
#include "math/mat3.h"
#include "model/motion.h"
#include "model/rigid.h"
#include "shape/pose.h"

#include <string.h>

static bool moves_by_itself(const tn_model *model, const tn_model_node *node)
{
    return node->body >= 0 && model->bodies[node->body].kind == TN_BODY_KINEMATIC;
}

// Mean velocities over the step of the nodes on kinematic bodies, zero elsewhere; NULL in *drive where there are none.
static bool find_drive(const tn_model *model, const tn_state *state, tn_arena *arena, double **drive)
{
    *drive = NULL;
    int last = -1;
    tn_pose pose;
    for (int i = 0; i < model->n_nodes; i++) {
        const tn_model_node *node = &model->nodes[i];
        if (!moves_by_itself(model, node)) {
            continue;
        }
        if (!*drive && !(*drive = TN_PUSH(arena, double, 3 * (size_t)model->n_nodes))) {
            return false;
        }
        if (node->body != last) {
            last = node->body;
            tn_motion_pose(&model->bodies[last], state->time + model->settings.step, &pose);
        }
        double place[3];
        tn_pose_point(place, &pose, node->arm);
        tn_vec3_sub(place, place, state->x + 3 * (size_t)i);
        tn_vec3_scale(*drive + 3 * (size_t)i, 1.0 / model->settings.step, place);
    }
    return true;
}

// Each pull's share on its nodes, added to force (n_nodes, 3).
static void add_pulls(const tn_model *model, double t, double *force)
{
    for (int s = 0; s < model->n_softs; s++) {
        const tn_scene_soft *said = model->softs[s].description;
        for (int p = 0; p < said->n_pulls; p++) {
            const tn_scene_pull *pull = &said->pulls[p];
            double whole[3];
            for (int k = 0; k < 3; k++) {
                whole[k] = tn_value_at(&pull->force[k], t);
            }
            for (int i = 0; i < pull->n; i++) {
                double *f = force + 3 * (size_t)(model->softs[s].first_node + pull->nodes[i]);
                tn_vec3_madd(f, f, 1.0 / pull->n, whole);
            }
        }
    }
}

// Entries P_i of an attached node: its velocity is the sum of entry times its body's blocks.
static int attached_jacobian(const tn_model *model, const tn_state *state, int i, int block[2], double entry[2][9])
{
    static const double unit[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
    const tn_model_node *node = &model->nodes[i];
    if (node->block >= 0) {
        block[0] = node->block;
        memcpy(entry[0], unit, sizeof unit);
        return 1;
    }
    const tn_model_body *body = &model->bodies[node->body];
    int n = tn_body_point_jacobian(body, &state->pose[node->body], unit, state->x + 3 * (size_t)i, 1.0, entry);
    for (int k = 0; k < n; k++) {
        block[k] = body->block + k;
    }
    return n;
}

// What a force on a node is to the velocities it moves with, added to `to`.
static void push_node(const tn_model *model, const tn_state *state, int i, const double force[3], double *to)
{
    int block[2];
    double entry[2][9];
    int n = attached_jacobian(model, state, i, block, entry);
    for (int k = 0; k < n; k++) {
        tn_mat3_add_tvec(to + 3 * (size_t)block[k], entry[k], force);
    }
}

// b (and applied) of the nodes: inertia, weight, pulls, and force, which holds the elements' own.
static void add_nodes(const tn_model *model, const tn_state *state, const double *force, const double *pull,
                      tn_balance *out)
{
    const double *g = model->settings.gravity;
    double reach = out->theta * out->h;
    for (int i = 0; i < model->n_nodes; i++) {
        const tn_model_node *node = &model->nodes[i];
        const double *f = force + 3 * (size_t)i, *p = pull + 3 * (size_t)i;
        if (node->block < 0) {
            push_node(model, state, i, f, out->b);
            push_node(model, state, i, p, out->b);
            push_node(model, state, i, p, out->applied);
            continue;
        }
        size_t at = 3 * (size_t)node->block;
        double mass = model->node_mass[i], inertia = mass / reach, gain = reach / mass;
        for (size_t k = 0; k < 3; k++) {
            double v = state->v[at + k], outer = mass * g[k] + p[k];
            out->mass[at + k] = mass;
            out->applied[at + k] = p[k];
            out->predicted[at + k] = v + gain * outer;
            out->b[at + k] = inertia * v + outer + f[k];
        }
    }
}

// += P_r^T S P_c to block (r, c) and its transpose to (c, r).
static void add_product(tn_blocks *A, int r, int c, const double P_r[9], const double S[9], const double P_c[9],
                        double weight)
{
    double turned[9], product[9];
    tn_mat3_mul(turned, S, P_c);
    tn_mat3_mul_tn(product, P_r, turned);
    double *upper = tn_blocks_find(A, r, c), *lower = tn_blocks_find(A, c, r);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            upper[3 * i + j] += weight * product[3 * i + j];
            lower[3 * j + i] += weight * product[3 * i + j];
        }
    }
}

// Blocks of A of pairs of nodes with at least one on a free body.
static tn_status add_tied(const tn_model *model, const tn_state *state, tn_arena *arena, tn_balance *out)
{
    const tn_tets_pair *pairs;
    int n_pairs = tn_tets_tied_pairs(model->elements, &pairs);
    double *S = TN_PUSH(arena, double, 9 * (size_t)n_pairs);
    if (!S) {
        return TN_NO_MEMORY;
    }
    tn_tets_tied(model->elements, out->elastic, S);
    for (int p = 0; p < n_pairs; p++) {
        int block[2][2], n[2];
        double entry[2][2][9];
        for (int side = 0; side < 2; side++) {
            n[side] = attached_jacobian(model, state, pairs[p].node[side], block[side], entry[side]);
        }
        // A pair of a node with itself holds each product and its mirror already.
        double weight = pairs[p].node[0] == pairs[p].node[1] ? 0.5 : 1.0;
        for (int r = 0; r < n[0]; r++) {
            for (int c = 0; c < n[1]; c++) {
                add_product(out->A, block[0][r], block[1][c], entry[0][r], S + 9 * (size_t)p, entry[1][c], weight);
            }
        }
    }
    return TN_OK;
}

double tn_soft_damped_part(const tn_balance *balance, const tn_scene_soft *said)
{
    return said->stiffness_damping / (balance->kappa * balance->h + said->stiffness_damping);
}

// known_v and its product with A, which is complete but for tied pairs.
static void multiply_known(const tn_model *model, const tn_state *state, tn_balance *out)
{
    memcpy(out->hints.known_v, state->v_hat, 3 * (size_t)model->n_blocks * sizeof *out->hints.known_v);
    for (int i = 0; i < model->n_nodes; i++) {
        if (model->nodes[i].block >= 0) {
            tn_vec3_copy(out->hints.known_v + 3 * (size_t)model->nodes[i].block, out->moved + 3 * (size_t)i);
        }
    }
    tn_block_product(out->A, out->hints.known_v, out->hints.known_product, model->settings.solve.n_threads);
}

// pushed = S moved by A known_v, which lacks inertia (n_nodes) and what the driven nodes do: elements at these give
// their own rows, and, with the other nodes held, their part of the others'.
static bool push_by_balance(const tn_model *model, const tn_state *state, const double *inertia, tn_arena *arena,
                            tn_balance *out)
{
    const double *driven = NULL;
    multiply_known(model, state, out);
    if (out->drive) {
        size_t n = 3 * (size_t)model->n_nodes;
        double *v = TN_PUSH(arena, double, n), *part = TN_PUSH_RAW(arena, double, n);
        if (!v || !part) {
            return false;
        }
        for (int i = 0; i < model->n_nodes; i++) {
            if (model->nodes[i].block < 0) {
                tn_vec3_copy(v + 3 * (size_t)i, out->moved + 3 * (size_t)i);
            }
        }
        tn_tets_product_driven(model->elements, out->elastic, out->moved, out->pushed);
        tn_tets_product_driven(model->elements, out->elastic, v, part);
        driven = part;
    }
    for (int i = 0; i < model->n_nodes; i++) {
        double *to = out->pushed + 3 * (size_t)i;
        if (model->nodes[i].block >= 0) {
            tn_vec3_madd(to, out->hints.known_product + 3 * (size_t)model->nodes[i].block, -inertia[i],
                         out->moved + 3 * (size_t)i);
        } else if (!driven) {
            tn_vec3_set(to, 0.0, 0.0, 0.0);
        }
        if (driven && model->nodes[i].block >= 0) {
            tn_vec3_add(to, to, driven + 3 * (size_t)i);
        }
    }
    return true;
}

// pushed = S moved, by A where all elements' nodes have rows of their own or are driven.
static bool push_moved(const tn_model *model, const tn_state *state, const double *inertia, tn_arena *arena,
                       tn_balance *out)
{
    if (!out->moved) {
        return true;
    }
    if (out->hints.known_v) {
        return push_by_balance(model, state, inertia, arena, out);
    }
    tn_tets_product(model->elements, out->elastic, model->settings.solve.n_threads, out->moved, out->pushed);
    return true;
}

// The chords of the balance's arcs, and what the elements make of them.
static void find_chords(const tn_model *model, const tn_state *state, tn_balance *out)
{
    out->chords = tn_arcs_velocities(model, state, out->h, out->arcs, out->chord);
    if (out->chords) {
        tn_tets_product(model->elements, out->elastic, model->settings.solve.n_threads, out->chord, out->chord_force);
    }
}

// The arcs at the step's start.
static bool find_arcs(const tn_model *model, const tn_state *state, tn_arena *arena, tn_balance *out)
{
    if (model->settings.scheme != TN_SCHEME_EULER) {
        return true;
    }
    out->arcs = TN_PUSH_RAW(arena, tn_arc, model->n_softs);
    out->chord = TN_PUSH_RAW(arena, double, 3 * (size_t)model->n_nodes);
    out->chord_force = TN_PUSH_RAW(arena, double, 3 * (size_t)model->n_nodes);
    if (!out->arcs || !out->chord || !out->chord_force) {
        return false;
    }
    tn_arcs_find(model, state, state->v, out->h, out->arcs);
    find_chords(model, state, out);
    return true;
}

// force += (S - D) v_0 + S w - S drive.
static void add_motion(const tn_model *model, const tn_balance *balance, double *force)
{
    if (balance->moved) {
        for (int s = 0; s < model->n_softs; s++) {
            double rest = 1.0 - tn_soft_damped_part(balance, model->softs[s].description);
            size_t first = 3 * (size_t)model->softs[s].first_node, n = 3 * (size_t)model->softs[s].n_nodes;
            for (size_t i = first; i < first + n; i++) {
                force[i] += rest * balance->pushed[i];
            }
        }
    }
    for (size_t i = 0; balance->chords && i < 3 * (size_t)model->n_nodes; i++) {
        force[i] += balance->chord_force[i];
    }
    if (balance->drive) {
        tn_tets_product_driven(model->elements, balance->elastic, balance->drive, balance->dragged);
        for (size_t i = 0; i < 3 * (size_t)model->n_nodes; i++) {
            force[i] -= balance->dragged[i];
        }
    }
}

// Where each block's node is; NaN for rigid bodies'.
static void fill_places(const tn_model *model, const tn_state *state, double *place)
{
    for (int b = 0; b < model->n_bodies; b++) {
        const tn_model_body *body = &model->bodies[b];
        for (int i = body->block; i < body->block + body->n_blocks; i++) {
            tn_vec3_set(place + 3 * (size_t)i, NAN, NAN, NAN);
        }
    }
    for (int i = 0; i < model->n_nodes; i++) {
        if (model->nodes[i].block >= 0) {
            tn_vec3_copy(place + 3 * (size_t)model->nodes[i].block, state->x + 3 * (size_t)i);
        }
    }
}

// What only the building of the balance needs.
typedef struct soft_scratch {
    double *force, *pull; // (n_nodes, 3) elements' forces, pulls [N]
    double *inertia;      // (n_nodes) [kg/s]
} soft_scratch;

static bool allocate_scratch(const tn_model *model, const tn_balance *balance, tn_arena *arena, soft_scratch *scratch)
{
    size_t n = (size_t)model->n_nodes;
    *scratch = (soft_scratch){.force = balance->held ? balance->held : TN_PUSH_RAW(arena, double, 3 * n),
                              .pull = TN_PUSH(arena, double, 3 * n),
                              .inertia = TN_PUSH_RAW(arena, double, n)};
    return scratch->force && scratch->pull && scratch->inertia;
}

// What the input exerts on the nodes (n_nodes, 3), added. The mass of attached ones is their bodies'.
static void add_input(const tn_model *model, const tn_input *input, double *pull)
{
    for (int i = 0; i < 3 * model->n_nodes; i++) {
        bool free = model->nodes[i / 3].block >= 0;
        double extra = input->gravity && free ? input->gravity[i % 3] - model->settings.gravity[i % 3] : 0.0;
        pull[i] += model->node_mass[i / 3] * extra + (input->node_force ? input->node_force[i] : 0.0);
    }
}

static tn_status add_all(const tn_model *model, const tn_state *state, tn_arena *arena, tn_balance *out)
{
    soft_scratch scratch;
    int n_threads = model->settings.solve.n_threads;
    if (!allocate_scratch(model, out, arena, &scratch)) {
        return TN_NO_MEMORY;
    }
    for (int i = 0; i < model->n_nodes; i++) {
        double alpha = model->softs[model->node_soft[i]].description->mass_damping;
        scratch.inertia[i] = model->node_mass[i] * (1.0 / (out->theta * out->h) + alpha);
    }
    tn_tets_force(model->elements, out->elastic, n_threads, scratch.force);
    tn_tets_stiffness(model->elements, out->elastic, scratch.inertia, n_threads, out->A->value);
    if (!push_moved(model, state, scratch.inertia, arena, out)) {
        return TN_NO_MEMORY;
    }
    add_motion(model, out, scratch.force);
    add_pulls(model, state->time + out->theta * out->h, scratch.pull);
    if (out->input) {
        add_input(model, out->input, scratch.pull);
    }
    add_nodes(model, state, scratch.force, scratch.pull, out);
    return add_tied(model, state, arena, out);
}

// Room for known_v where it is wanted.
static bool allocate_known(const tn_model *model, tn_arena *arena, tn_balance *out)
{
    const tn_tets_pair *pairs;
    if (!out->moved || tn_tets_tied_pairs(model->elements, &pairs) > 0) {
        return true;
    }
    out->hints.known_v = TN_PUSH_RAW(arena, double, 3 * (size_t)model->n_blocks);
    out->hints.known_product = TN_PUSH_RAW(arena, double, 3 * (size_t)model->n_blocks);
    return out->hints.known_v && out->hints.known_product;
}

tn_status tn_balance_add_softs(const tn_model *model, const tn_state *state, tn_arena *arena, tn_balance *out,
                               tn_error *error)
{
    size_t n = 3 * (size_t)model->n_nodes;
    out->pushed = out->moved ? TN_PUSH_RAW(arena, double, n) : NULL;
    out->hints.place = TN_PUSH_RAW(arena, double, 3 * (size_t)model->n_blocks);
    bool room = out->hints.place && (out->pushed || !out->moved) && allocate_known(model, arena, out) &&
                find_drive(model, state, arena, &out->drive) && find_arcs(model, state, arena, out);
    if (room && out->drive) {
        out->dragged = TN_PUSH_RAW(arena, double, n);
        out->held = TN_PUSH_RAW(arena, double, n);
        room = out->dragged && out->held;
    }
    if (!room) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the motion of %d nodes", model->n_nodes);
    }
    fill_places(model, state, out->hints.place);
    tn_arena_mark mark = tn_arena_get_mark(arena);
    tn_status status = add_all(model, state, arena, out);
    tn_arena_release(arena, mark);
    return status == TN_OK ? TN_OK
                           : tn_error_set(error, status, "no memory for the forces of %d nodes", model->n_nodes);
}

tn_status tn_balance_turn_arcs(const tn_model *model, const tn_state *state, const tn_arc *arcs, tn_arena *arena,
                               tn_balance *balance, tn_error *error)
{
    size_t n = 3 * (size_t)model->n_nodes;
    tn_arena_mark mark = tn_arena_get_mark(arena);
    double *change = TN_PUSH(arena, double, n);
    if (!change) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the motion of %d nodes", model->n_nodes);
    }
    for (size_t i = 0; balance->chords && i < n; i++) {
        change[i] = -balance->chord_force[i];
    }
    memcpy(balance->arcs, arcs, (size_t)model->n_softs * sizeof *arcs);
    find_chords(model, state, balance);
    for (size_t i = 0; i < n; i++) {
        change[i] += balance->chords ? balance->chord_force[i] : 0.0;
        if (balance->held) {
            balance->held[i] += change[i];
        }
    }
    for (int i = 0; i < model->n_nodes; i++) {
        push_node(model, state, i, change + 3 * (size_t)i, balance->b);
    }
    tn_arena_release(arena, mark);
    return TN_OK;
}
