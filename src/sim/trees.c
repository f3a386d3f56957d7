// Mechanisms in reduced coordinates after the solve: their joints' coordinates move on by the rates, and the bodies are
// where these say (schemes euler and implicit).
//
// The bodies' velocities then are those by which they got there, and the balance is to hold for these, with the forces
// of the joints along S of the step's start:
//
//     S^T (A v - b - J^T lambda) = 0,   q_k (+) h v = place(coordinates + h nu)
//
// as in maximal coordinates, where SHAKE does it (shake.c): momentum is kept, and the motion of a mechanism is
// symplectic. nu starts with the solution and is corrected by the matrix of the solve; each round leaves about the turn
// of a step of an error, and trees with bodies that turn far go by secants too. v follows from the ways in closed form.
// Joints that close loops and rigid gears are held at the step's end by more of their forces (ties.h).
#include "math/dense.h"
#include "math/quat.h"
#include "math/secants.h"
#include "math/vec3.h"
#include "model/rigid.h"
#include "problem/rows.h"
#include "sim/carried.h"
#include "sim/ties.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 12, FAR_ROUNDS = 20 };
// What a correction of the joints' rates leaves, by the rate at which they shrink [m/s, rad/s].
static const double SETTLED = 1e-10;
// What is left of the first correction where the rounds lead to an end, if late: a chain of eight links that whips at 5
// ms would lose 2.9 J instead of 0.09 without it. By what part of its energy such a tree may get faster by them (a ring
// of six links that folds at 10 ms would get 1.6 times its energy by one step; physics.trees).
static const double SHRUNK = 0.1, GAIN = 0.05;

typedef struct advance {
    const tn_step_placing *at;
    const tn_step_setup *setup;
    const tn_step_equations *eq;
    tn_step_answer *answer;
    tn_step_next *next;
    const tn_state *state;
    const tn_trees *trees;
    bool *far;       // (trees->n) has bodies that turn far within the step
    bool *given_up;  // (trees->n) keeps the velocity of the solve
    bool *moves;     // (trees->n) takes part in the round
    double *left;    // (trees->n) what the last round leaves of the rates, by the rate at which they shrink, and
    double *last;    // their largest change in it, and
    double *first;   // in the first round
    double *nu;      // (3 trees->n_blocks)
    double *start;   // (3 n_blocks) v of the solve
    double *change;  // (2, 3 n_blocks) scratch, as
    double *lacking; // (3 trees->n_blocks + ties.n) the same, of rates and of ties' forces
    tn_carried carried;
    tn_ties ties;
    bool *joined; // (ties.n_groups) scratch
    bool any_far;
    tn_secants secants; // where any tree turns far: of rates and ties' forces by what the rates lack,
    double *step;       // (3 trees->n_blocks + ties.n) and their change in a round
} advance;

static bool make_room(advance *a, tn_arena *arena)
{
    const tn_model *model = a->setup->model;
    size_t n = 3 * (size_t)model->n_blocks, m = 3 * (size_t)a->trees->n_blocks;
    a->far = TN_PUSH(arena, bool, a->trees->n);
    a->given_up = TN_PUSH(arena, bool, a->trees->n);
    a->moves = TN_PUSH_RAW(arena, bool, a->trees->n);
    a->left = TN_PUSH_RAW(arena, double, a->trees->n);
    a->last = TN_PUSH(arena, double, a->trees->n);
    a->first = TN_PUSH(arena, double, a->trees->n);
    for (int t = 0; a->moves && a->left && t < a->trees->n; t++) {
        a->moves[t] = true;
        a->left[t] = INFINITY;
    }
    a->nu = TN_PUSH_RAW(arena, double, m);
    a->start = TN_PUSH_RAW(arena, double, n);
    a->change = TN_PUSH_RAW(arena, double, 2 * n);
    a->lacking = TN_PUSH(arena, double, m + (size_t)a->ties.n);
    a->joined = TN_PUSH_RAW(arena, bool, a->ties.n_groups);
    return a->far && a->given_up && a->moves && a->left && a->last && a->first && a->nu && a->start && a->change &&
           a->lacking && a->joined;
}

// Trees of mechanisms that anything ties: what is so of one of them is so of all.
static void join(const advance *a, bool *flag)
{
    if (a->ties.n == 0) {
        return;
    }
    memset(a->joined, 0, (size_t)a->ties.n_groups * sizeof *a->joined);
    for (int t = 0; t < a->trees->n; t++) {
        a->joined[a->ties.group[t]] = a->joined[a->ties.group[t]] || flag[t];
    }
    for (int t = 0; t < a->trees->n; t++) {
        flag[t] = a->joined[a->ties.group[t]];
    }
}

// Of a spherical joint: how b stands to a at the step's end, its rates about the axes of the frame on a.
static void turn_on(const tn_model_joint *joint, const tn_pose *poses, double h, const double *rate, double out[4])
{
    double vector[3], turn[4];
    tn_joint_turn(joint, poses, out);
    tn_vec3_scale(vector, h, rate);
    tn_quat_exp(turn, vector);
    tn_quat_mul(out, turn, out);
}

static double *turn_of(const advance *a, int body)
{
    return a->next->turn ? a->next->turn + 4 * (size_t)body : NULL;
}

// Of a free base. Its rates are means over the step, like those of joints: its velocity follows in closed form.
static void place_base(const advance *a, const tn_tree_link *link, tn_pose *pose)
{
    const tn_model_body *body = &a->setup->model->bodies[link->body];
    const double h = a->eq->balance.h, *nu = a->nu + link->rate;
    *pose = a->state->pose[link->body];
    if (a->given_up[link->tree]) {
        tn_body_advance(body, nu, h, pose, turn_of(a, link->body));
    } else {
        tn_body_move(body, (double[6]){h * nu[0], h * nu[1], h * nu[2], h * nu[3], h * nu[4], h * nu[5]}, pose);
    }
}

// Plain rounds do for round bodies: of a bob that a stiff spring throws round by 5 rad in its first step secants would
// make half as much again as the spring had.
static void find_far(advance *a)
{
    for (int l = 0; l < a->trees->n_links; l++) {
        const tn_tree_link *link = &a->trees->link[l];
        const double *I = a->setup->model->bodies[link->body].inertia;
        bool round = I[0] == I[1] && I[1] == I[2];
        bool far = !round && tn_sim_turns_far(a->setup, a->eq, a->answer, link->body);
        a->far[link->tree] = a->far[link->tree] || far;
        a->any_far = a->any_far || far;
    }
    join(a, a->far);
}

// Where the rates lead: coordinates and poses of all links.
static void place(advance *a)
{
    const tn_model *model = a->setup->model;
    double h = a->eq->balance.h;
    for (int l = 0; l < a->trees->n_links; l++) {
        const tn_tree_link *link = &a->trees->link[l];
        tn_pose *pose = &a->next->pose[link->body];
        if (!a->moves[link->tree]) {
            continue;
        }
        if (link->joint < 0) {
            place_base(a, link, pose);
            continue;
        }
        const tn_model_joint *joint = &model->joints[link->joint];
        double turn[4];
        for (int k = 0; k < joint->n_coordinates; k++) {
            int c = joint->first_coordinate + k;
            a->next->coordinate[c] = a->state->joint_coordinate[c] + h * a->nu[link->rate + k];
        }
        if (joint->kind == TN_JOINT_SPHERICAL) {
            turn_on(joint, a->state->pose, h, a->nu + link->rate, turn);
        }
        tn_tree_place(model, link, &a->next->pose[link->from], a->next->coordinate, turn, pose);
    }
}

// The velocity of each link becomes what leads to its place.
static void follow(advance *a, double *v)
{
    for (int l = 0; l < a->trees->n_links; l++) {
        const tn_tree_link *link = &a->trees->link[l];
        const tn_model_body *body = &a->setup->model->bodies[link->body];
        double *own = v + 3 * (size_t)body->block, room[4], *turn = turn_of(a, link->body);
        if (!a->moves[link->tree]) {
            continue;
        }
        tn_body_rate(body, &a->state->pose[link->body], &a->next->pose[link->body], a->eq->balance.h, own,
                     turn ? turn : room);
    }
    tn_carried_follow(a->at, &a->carried, a->start, v);
}

static bool is_tied(const advance *a, int t)
{
    return a->ties.n > 0 && a->ties.block[t] >= 0;
}

// What the rates lack becomes the change of them, and of ties' forces.
static void yield_to(advance *a)
{
    for (int t = 0; t < a->trees->n; t++) {
        const tn_tree *tree = &a->trees->tree[t];
        if (a->moves[t] && !is_tied(a, t)) {
            tn_dense_tree_solve(3 * tree->n_blocks, a->answer->reduced->inertia[t],
                                a->lacking + 3 * (size_t)tree->block);
        }
    }
    if (a->ties.n > 0) {
        tn_ties_look(a->at, &a->ties);
        tn_ties_change(a->at, &a->ties, a->moves, a->lacking, a->lacking + 3 * (size_t)a->trees->n_blocks);
    }
}

// Which trees go into the next round. False: none.
static bool go_on(advance *a, int round)
{
    bool any = false;
    for (int t = 0; t < a->trees->n; t++) {
        a->moves[t] = a->left[t] > SETTLED && round < (a->far[t] ? FAR_ROUNDS : ROUNDS);
        any = any || a->moves[t];
    }
    join(a, a->moves);
    return any;
}

// What the rates of the trees that move lack for the balance to hold for v, to first order.
static void find_lacking(advance *a, const double *v)
{
    const tn_tree_problem *reduced = a->answer->reduced;
    size_t n = 3 * (size_t)a->setup->model->n_blocks;
    double *product = a->change + n;
    for (size_t i = 0; i < n; i++) {
        a->change[i] = a->start[i] - v[i];
    }
    memset(a->lacking, 0, 3 * (size_t)a->trees->n_blocks * sizeof *a->lacking);
    for (int t = 0; t < a->trees->n; t++) {
        if (a->moves[t]) {
            tn_tree_product(reduced, t, a->change, product);
            tn_carried_add_product(a->at, &a->carried, t, a->change, product);
            tn_tree_project_one(&a->eq->trees, t, product, a->lacking);
        }
    }
    for (int k = 0; k < reduced->n_own; k++) {
        int row = reduced->own[k];
        if (!a->moves[reduced->own_tree[k]]) {
            continue;
        }
        double rate = tn_single_velocity(&a->eq->joints.rows, row, a->change) - a->eq->joints.rows.offset[row];
        a->lacking[reduced->own_rate[k]] += reduced->own_weight[k] * rate;
    }
    for (int i = a->ties.n_rigid; i < a->ties.n; i++) {
        int row = a->ties.single[i];
        double rate = tn_single_velocity(&a->eq->joints.rows, row, a->change) - a->eq->joints.rows.offset[row];
        a->ties.force[i] = rate / a->eq->joints.rows.compliance[row];
    }
    yield_to(a);
}

// How much that is, and what a round leaves of it.
static void judge(advance *a)
{
    for (int t = 0; t < a->trees->n; t++) {
        const tn_tree *tree = &a->trees->tree[t];
        double most = 0.0;
        for (int k = 3 * tree->block; a->moves[t] && k < 3 * tree->block + tree->n_rates; k++) {
            most = fmax(most, fabs(a->lacking[k]));
        }
        a->left[t] = a->moves[t] ? most * fmin(1.0, most / a->last[t]) : 0.0;
        a->first[t] = a->last[t] > 0.0 ? a->first[t] : most;
        a->last[t] = most;
    }
}

// A round.
static void balance(advance *a, const double *v)
{
    size_t n = 3 * (size_t)a->trees->n_blocks + (size_t)a->ties.n;
    const double *more = a->lacking + 3 * (size_t)a->trees->n_blocks;
    find_lacking(a, v);
    judge(a);
    if (a->any_far) {
        tn_secants_ask(&a->secants, a->lacking, a->step);
        for (size_t i = 0; i < n; i++) {
            a->lacking[i] = a->step[i] += a->lacking[i];
        }
        tn_secants_tell(&a->secants, a->step);
    }
    for (int t = 0; t < a->trees->n; t++) {
        const tn_tree *tree = &a->trees->tree[t];
        for (int k = 3 * tree->block; a->moves[t] && k < 3 * tree->block + tree->n_rates; k++) {
            a->nu[k] += a->lacking[k];
        }
    }
    for (int i = 0; i < a->ties.n_rigid; i++) {
        a->ties.force[i] += a->moves[a->ties.tree[i]] ? more[i] : 0.0;
    }
}

// Secants of trees that turn far, each by itself unless anything ties them to one another. Rates count by their
// inertia.
static bool make_secants(advance *a, tn_arena *arena)
{
    int m = 3 * a->trees->n_blocks, n = m + a->ties.n, *group = TN_PUSH(arena, int, n);
    double *weight = TN_PUSH(arena, double, n);
    a->step = TN_PUSH(arena, double, n);
    for (int t = 0; group && weight && t < a->trees->n; t++) {
        const tn_tree *tree = &a->trees->tree[t];
        for (int k = 0; a->far[t] && k < tree->n_rates; k++) {
            group[3 * tree->block + k] = a->ties.n > 0 ? a->ties.group[t] : t;
            weight[3 * tree->block + k] = a->answer->reduced->inertia[t][k * (3 * tree->n_blocks + 1)];
        }
    }
    for (int i = 0; group && i < a->ties.n; i++) {
        group[m + i] = a->ties.group[a->ties.tree[i]];
    }
    a->secants = (tn_secants){.most = FAR_ROUNDS,
                              .n_groups = a->ties.n > 0 ? a->ties.n_groups : a->trees->n,
                              .n_steps = n,
                              .n_residuals = n,
                              .group_of_step = group,
                              .group_of_residual = group,
                              .weight = weight};
    return group && weight && a->step && tn_secants_create(arena, &a->secants);
}

static tn_status factor(advance *a, tn_error *error)
{
    for (int t = 0; t < a->setup->model->trees->n; t++) {
        const tn_tree *tree = &a->setup->model->trees->tree[t];
        if (!is_tied(a, t) && !tn_dense_tree_factor(3 * tree->n_blocks, a->answer->reduced->inertia[t])) {
            int body = a->setup->model->trees->link[tree->first_link].body;
            return tn_error_set(error, TN_NUMERICS, "the inertia of the mechanism of body '%s' is not positive",
                                tn_model_body_name(a->setup->model, body));
        }
    }
    return TN_OK;
}

// The forces of the joints for the velocities as they are now, in the solution and in what it pushes.
static tn_status renew_forces(advance *a, tn_arena *arena)
{
    const tn_rows *rows = &a->eq->joints.rows;
    size_t n = 3 * (size_t)a->setup->model->n_blocks;
    double *force = tn_sim_joint_forces(a->eq, a->answer), *before = TN_PUSH_RAW(arena, double, rows->n_singles);
    double *push = a->answer->products.push;
    if (!before) {
        return TN_NO_MEMORY;
    }
    for (int i = 0; i < rows->n_singles; i++) {
        before[i] = force[i];
    }
    for (size_t i = 0; i < n; i++) {
        push[i] -= a->answer->reduced->held[i];
    }
    for (int i = 0; i < a->ties.n_rigid; i++) {
        force[a->ties.single[i]] += a->ties.force[i]; // of what is gone found anew
    }
    tn_tree_own_forces(a->answer->reduced, a->answer->solution.v, a->answer->solution.lambda);
    tn_status status =
        tn_tree_hold_forces(a->answer->reduced, a->answer->solution.v, arena, a->answer->solution.lambda);
    for (size_t i = 0; i < n; i++) {
        push[i] += a->answer->reduced->held[i];
    }
    for (int i = 0; status == TN_OK && i < rows->n_singles; i++) {
        if (force[i] != before[i]) {
            tn_single_push(rows, i, force[i] - before[i], push);
        }
    }
    return status;
}

// Turns of bodies that keep the velocity of the solve; the others go on.
static void turn_alone(advance *a, const double *v)
{
    for (int l = 0; l < a->trees->n_links; l++) {
        int b = a->trees->link[l].body;
        const tn_model_body *body = &a->setup->model->bodies[b];
        tn_pose reached = a->state->pose[b];
        if (a->given_up[a->trees->link[l].tree]) {
            tn_body_advance(body, v + 3 * (size_t)body->block, a->eq->balance.h, &reached, turn_of(a, b));
        }
    }
}

// Twice the step times the kinetic energy of a tree at velocities v, and what they make of its springs and dampers.
static double tree_energy(const advance *a, int t, const double *v)
{
    double *product = a->change + 3 * (size_t)a->setup->model->n_blocks, sum = 0.0;
    tn_tree_product(a->answer->reduced, t, v, product);
    for (int l = 0; l < a->trees->n_links; l++) {
        const tn_model_body *body = &a->setup->model->bodies[a->trees->link[l].body];
        for (int k = 3 * body->block; a->trees->link[l].tree == t && k < 3 * (body->block + body->n_blocks); k++) {
            sum += v[k] * product[k];
        }
    }
    return sum;
}

// Whether what the rounds have come to is not taken: trees that they do not bring to where v leads, and that get faster
// by them (a chain of six links that whips at 36 rad/s, at 10 ms), or that turn far and leap.
static bool is_astray(const advance *a, int t, const double *v)
{
    bool lost = a->left[t] > SETTLED, flies = lost && !(a->last[t] <= SHRUNK * a->first[t]);
    if (!lost && !a->far[t]) {
        return false;
    }
    double gain = flies ? 0.0 : lost ? GAIN : TN_SIM_LEAP;
    return !(tree_energy(a, t, v) <= (1.0 + gain) * tree_energy(a, t, a->start));
}

// Such trees keep the velocity of the solve.
static void give_up(advance *a, double *v)
{
    bool any = false;
    for (int t = 0; t < a->trees->n; t++) {
        a->moves[t] = is_astray(a, t, v);
        any = any || a->moves[t];
    }
    if (!any) {
        return;
    }
    join(a, a->moves);
    tn_tree_rates(&a->eq->trees, a->start, a->lacking);
    for (int t = 0; t < a->trees->n; t++) {
        const tn_tree *tree = &a->trees->tree[t];
        a->given_up[t] = a->moves[t];
        for (int k = 3 * tree->block; a->moves[t] && k < 3 * tree->block + tree->n_rates; k++) {
            a->nu[k] = a->lacking[k];
        }
    }
    for (int l = 0; l < a->trees->n_links; l++) {
        const tn_model_body *body = &a->setup->model->bodies[a->trees->link[l].body];
        size_t at = 3 * (size_t)body->block;
        if (a->moves[a->trees->link[l].tree]) {
            memcpy(v + at, a->start + at, 3 * (size_t)body->n_blocks * sizeof *v);
        }
    }
    for (int i = 0; i < a->ties.n; i++) {
        a->ties.force[i] = a->moves[a->ties.tree[i]] ? 0.0 : a->ties.force[i];
    }
    place(a);
    turn_alone(a, v);
    tn_carried_follow(a->at, &a->carried, a->start, v);
}

static void keep_rates(const advance *a, double *rates)
{
    for (int l = 0; l < a->trees->n_links; l++) {
        const tn_tree_link *link = &a->trees->link[l];
        const tn_model_joint *joint = link->joint < 0 ? NULL : &a->setup->model->joints[link->joint];
        for (int k = 0; joint && k < joint->n_coordinates; k++) {
            rates[joint->first_coordinate + k] = a->nu[link->rate + k];
        }
    }
}

tn_status tn_sim_trees_advance(const tn_step_placing *at, double *rates, tn_error *error)
{
    const tn_step_setup *setup = at->setup;
    advance a = {.at = at,
                 .setup = setup,
                 .eq = at->eq,
                 .answer = at->answer,
                 .next = at->next,
                 .state = at->state,
                 .trees = setup->model->trees};
    tn_arena_mark mark = tn_arena_get_mark(setup->arena);
    tn_status status = tn_carried_find(at, setup->arena, &a.carried);
    status = status == TN_OK ? tn_ties_create(at, &a.ties) : status;
    if (status == TN_NUMERICS) {
        return tn_error_set(error, status, "the inertia of mechanisms that joints tie is not positive");
    }
    if (status != TN_OK || !make_room(&a, setup->arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the poses of %d bodies", setup->model->n_bodies);
    }
    double *v = at->answer->solution.v;
    memcpy(a.start, v, 3 * (size_t)setup->model->n_blocks * sizeof *v);
    tn_tree_rates(&at->eq->trees, v, a.nu);
    keep_rates(&a, rates);
    find_far(&a);
    place(&a);
    if (a.any_far && !make_secants(&a, setup->arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the rates of %d bodies", setup->model->n_bodies);
    }
    status = factor(&a, error);
    follow(&a, v);
    for (int k = 0; status == TN_OK && go_on(&a, k); k++) {
        balance(&a, v);
        place(&a);
        follow(&a, v);
    }
    give_up(&a, v);
    status = status == TN_OK ? renew_forces(&a, setup->arena) : status;
    tn_arena_release(setup->arena, mark);
    return status;
}
