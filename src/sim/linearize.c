// Derivatives of a step: recorded once with its active set (tape.h), then taken again from states and inputs to both
// sides, whose difference over their distance is the derivative.
#include "base/memory.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "model/tree.h"
#include "problem/active.h"
#include "sim/sim.h"
#include "sim/tape.h"
#include "tenon/derivative.h"

#include <math.h>
#include <string.h>

// How far to each side [m, rad, m/s, rad/s], and so much of what changes velocities by as much; of rigid bodies the
// first two. Bodies that touch bend where they are curved (with 4e-6 alone rigid/gears is off by 2e-5). In soft bodies
// stiffness magnifies rounding (with 1e-6 alone cond/soft_ball is off by 8e-6), where they slide slowly friction bends
// (with 3e-5 alone cond/soft_mat is off by 5e-4).
enum { SIDES = 4, RIGID_SIDES = 2 };
static const double SIDE[SIDES] = {1e-6, 5e-6, 25e-6, 125e-6};

// Arrays of tn_input that have columns.
enum { WRENCH, NODE_FORCE, EFFORT, TARGET, TARGET_RATE, GRAVITY, N_ARRAYS };

// Bodies and nodes of a state as arrays.
typedef struct places {
    double *pose, *velocity, *x, *v; // (n_bodies, 7), (n_bodies, 6), (n_nodes, 3), (n_nodes, 3)
} places;

struct tn_linearization {
    const tn_model *model; // the states'
    int n_state, n_input, n_parameters;
    tn_parameter *parameters;
    tn_tape *tape;
    tn_sim *base, *near;           // of the recorded step, of those taken again
    tn_state *start, *next, *work; //
    places at, after, plus, minus, moved;
    double *input[N_ARRAYS], *changed[N_ARRAYS]; // as given, and on one side; NULL: not given
    int size[N_ARRAYS];
    double *mass;                // (2, n_bodies) scratch
    double *unit;                // (n_input) change of each input that counts as SIDE
    double *differences, *finer; // (SIDES, n_state), (n_state) scratch
    double *direction, *column;  // (n_state) of a matrix' columns; (n_input + n_state)
    void *memory;                // all these arrays
};

static void count(const tn_model *model, int size[N_ARRAYS])
{
    size[WRENCH] = 6 * model->n_bodies;
    size[NODE_FORCE] = 3 * model->n_nodes;
    size[EFFORT] = size[TARGET] = size[TARGET_RATE] = model->n_joint_coordinates;
    size[GRAVITY] = 3;
}

static void list_arrays(const tn_input *input, const double *array[N_ARRAYS])
{
    const tn_input none = {0}, *in = input ? input : &none;
    const double *all[N_ARRAYS] = {in->wrench, in->node_force, in->effort, in->target, in->target_rate, in->gravity};
    memcpy(array, all, sizeof all);
}

// ---- what changes velocities by as much

static double lightest(const tn_model_body *body)
{
    double least = body->n_blocks > 0 ? body->mass : INFINITY;
    for (int k = 0; k < 3 && body->n_blocks > 0; k++) {
        least = body->inertia[k] > 0.0 ? fmin(least, body->inertia[k]) : least;
    }
    return least;
}

static double or_one(double x)
{
    return x > 0.0 && isfinite(x) ? x : 1.0;
}

// Of each body, with all that hangs from it: a frame between two joints of a robot has next to no mass of its own, and
// what would move that alone is rounding to the rest (robots/humanoid in reduced coordinates: off by two thirds).
static void find_masses(const tn_model *model, double *mass, double *least)
{
    for (int b = 0; b < model->n_bodies; b++) {
        mass[b] = model->bodies[b].mass;
        least[b] = lightest(&model->bodies[b]);
    }
    for (int l = model->carriers ? model->carriers->n_links - 1 : -1; l >= 0; l--) {
        const tn_tree_link *link = &model->carriers->link[l];
        if (link->from >= 0) {
            mass[link->from] += mass[link->body];
            least[link->from] += least[link->body];
        }
    }
}

static void set_units(tn_linearization *lin)
{
    const tn_model *model = lin->model;
    double h = model->settings.step, *unit = lin->unit, *mass = lin->mass, *least = lin->mass + model->n_bodies;
    find_masses(model, mass, least);
    for (int b = 0; lin->input[WRENCH] && b < model->n_bodies; b++, unit += 6) {
        for (int k = 0; k < 6; k++) {
            unit[k] = or_one(k < 3 ? mass[b] : least[b]) / h;
        }
    }
    for (int i = 0; lin->input[NODE_FORCE] && i < model->n_nodes; i++, unit += 3) {
        unit[0] = unit[1] = unit[2] = or_one(model->node_mass[i]) / h;
    }
    for (int j = 0; lin->input[EFFORT] && j < model->n_joints; j++) {
        const tn_model_joint *joint = &model->joints[j];
        double lighter = INFINITY;
        if (joint->kind != TN_JOINT_GEAR && joint->body_a < model->n_bodies && joint->body_b < model->n_bodies) {
            lighter = fmin(least[joint->body_a], least[joint->body_b]);
        }
        for (int k = 0; k < joint->n_coordinates; k++) {
            unit[joint->first_coordinate + k] = or_one(lighter) / h;
        }
    }
    unit += lin->input[EFFORT] ? model->n_joint_coordinates : 0;
    for (int array = TARGET; array <= GRAVITY; array++) {
        for (int k = 0; lin->input[array] && k < lin->size[array]; k++) {
            *unit++ = array == GRAVITY ? 1.0 / h : 1.0;
        }
    }
}

// ---- made and freed

static size_t places_size(const tn_model *model)
{
    return 13 * (size_t)model->n_bodies + 6 * (size_t)model->n_nodes;
}

static double *take_places(const tn_model *model, double *memory, places *out)
{
    size_t bodies = (size_t)model->n_bodies, nodes = 3 * (size_t)model->n_nodes;
    out->pose = memory;
    out->velocity = out->pose + 7 * bodies;
    out->x = out->velocity + 6 * bodies;
    out->v = out->x + nodes;
    return out->v + nodes;
}

// All arrays from one piece.
static bool make_arrays(tn_linearization *lin, const double *const array[N_ARRAYS])
{
    const tn_model *model = lin->model;
    size_t all = 5 * places_size(model) + 3 * (size_t)lin->n_input + (3 + SIDES) * (size_t)lin->n_state +
                 (size_t)lin->n_input + 2 * (size_t)model->n_bodies;
    double *to = lin->memory = tn_calloc(all + 1, sizeof *to);
    if (!to) {
        return false;
    }
    for (places *p = &lin->at; p <= &lin->moved; p++) {
        to = take_places(model, to, p);
    }
    for (int a = 0; a < N_ARRAYS; a++) {
        size_t n = (size_t)lin->size[a];
        lin->input[a] = array[a] ? memcpy(to, array[a], n * sizeof *to) : NULL;
        lin->changed[a] = array[a] ? to + n : NULL;
        to += array[a] ? 2 * n : 0;
    }
    lin->mass = to;
    lin->unit = lin->mass + 2 * model->n_bodies;
    lin->direction = lin->unit + lin->n_input;
    lin->column = lin->direction + lin->n_state + lin->n_input;
    lin->finer = lin->column + lin->n_state;
    lin->differences = lin->finer + lin->n_state;
    return true;
}

// A simulation with the options of another.
static tn_sim *alike(const tn_sim *sim, tn_tape *tape, tn_error *error)
{
    tn_sim *out = tn_sim_create(sim->given, error);
    if (out) {
        out->whole = out->setup.model = sim->whole;
        out->setup.solver = sim->setup.solver;
        out->solving.control.tape = tape;
    }
    return out;
}

static bool is_same_shape(const tn_model *a, const tn_model *b)
{
    return a && b && a->n_bodies == b->n_bodies && a->n_blocks == b->n_blocks && a->n_nodes == b->n_nodes &&
           a->n_joint_coordinates == b->n_joint_coordinates && a->n_joint_rows == b->n_joint_rows;
}

static tn_status check(const tn_sim *sim, const tn_input *input, const tn_state *state, int n, const tn_parameter *of,
                       tn_error *error)
{
    if (!sim || !state || state->model != sim->given || n < 0 || (n > 0 && !of)) {
        return tn_error_set(error, TN_BAD_INPUT, "derivatives need a simulation and a state of the same model");
    }
    for (int i = 0; i < n; i++) {
        bool fits = is_same_shape(of[i].less, sim->given) && is_same_shape(of[i].more, sim->given);
        if (!fits || !(fabs(of[i].difference) > 0.0) || !isfinite(of[i].difference)) {
            return tn_error_set(error, TN_BAD_INPUT,
                                "parameter %d: its models have other bodies, joints or meshes, or do not differ", i);
        }
    }
    if (sim->given->settings.scheme == TN_SCHEME_PBD) {
        return tn_error_set(error, TN_BAD_INPUT, "there are no derivatives of 'scheme: pbd': take euler");
    }
    if (input && input->may_touch) {
        return tn_error_set(error, TN_BAD_INPUT, "derivatives know no filter of contacts (may_touch)");
    }
    return tn_sim_check_input(sim->whole, input, error);
}

static void read_places(const tn_state *state, const places *out)
{
    tn_state_get_bodies(state, out->pose, out->velocity);
    tn_state_get_nodes(state, out->x, out->v);
}

static tn_input input_of(double *const array[N_ARRAYS])
{
    return (tn_input){.wrench = array[WRENCH],
                      .node_force = array[NODE_FORCE],
                      .effort = array[EFFORT],
                      .target = array[TARGET],
                      .target_rate = array[TARGET_RATE],
                      .gravity = array[GRAVITY]};
}

// The step itself.
static tn_status record(tn_linearization *lin, tn_error *error)
{
    const tn_input input = input_of(lin->input);
    const tn_step_equations *eq = &lin->base->solving.eq;
    const tn_solution *solution = &lin->base->solving.answer.solution;
    tn_status status = tn_state_copy(lin->next, lin->start, error);
    status = status == TN_OK ? tn_sim_replay(lin->base, &input, lin->next, error) : status;
    status = status == TN_OK ? tn_tape_keep_list(lin->tape, &eq->list, error) : status;
    for (int m = 0; status == TN_OK && m < tn_sim_awake_contacts(eq); m++) {
        lin->tape->presses[eq->rows.source[m]] = tn_contact_is_closed(&eq->problem, m, solution->v, solution->lambda);
    }
    lin->tape->replay = true;
    read_places(lin->start, &lin->at);
    read_places(lin->next, &lin->after);
    return status;
}

static bool make(tn_linearization *lin, const tn_sim *sim, const tn_state *state, tn_error *error)
{
    lin->tape = tn_tape_create(error);
    lin->base = lin->tape ? alike(sim, lin->tape, error) : NULL;
    lin->near = lin->base ? alike(sim, lin->tape, error) : NULL;
    lin->start = lin->near ? tn_state_create(lin->model, error) : NULL;
    lin->next = lin->start ? tn_state_create(lin->model, error) : NULL;
    lin->work = lin->next ? tn_state_create(lin->model, error) : NULL;
    return lin->work && tn_state_copy(lin->start, state, error) == TN_OK &&
           tn_state_set_bodies(lin->start, NULL, NULL, error) == TN_OK && record(lin, error) == TN_OK;
}

tn_linearization *tn_sim_linearize(const tn_sim *sim, const tn_input *input, const tn_state *state, int n_parameters,
                                   const tn_parameter *parameters, tn_error *error)
{
    if (check(sim, input, state, n_parameters, parameters, error) != TN_OK) {
        return NULL;
    }
    const double *array[N_ARRAYS];
    tn_linearization *lin = tn_calloc(1, sizeof *lin);
    tn_parameter *copy = tn_calloc((size_t)n_parameters + 1, sizeof *copy);
    list_arrays(input, array);
    if (lin) {
        lin->model = sim->given;
        lin->n_state = 12 * lin->model->n_bodies + 6 * lin->model->n_nodes;
        lin->n_parameters = n_parameters;
        lin->parameters = copy;
        count(lin->model, lin->size);
        for (int a = 0; a < N_ARRAYS; a++) {
            lin->n_input += array[a] ? lin->size[a] : 0;
        }
    }
    if (!lin || !copy || !make_arrays(lin, array)) {
        tn_error_set(error, TN_NO_MEMORY, "no memory for the derivatives of a step");
        tn_free(lin ? NULL : copy);
        tn_linearization_destroy(lin);
        return NULL;
    }
    if (n_parameters > 0) {
        memcpy(copy, parameters, (size_t)n_parameters * sizeof *copy);
    }
    set_units(lin);
    if (!make(lin, sim, state, error)) {
        tn_linearization_destroy(lin);
        return NULL;
    }
    return lin;
}

void tn_linearization_destroy(tn_linearization *lin)
{
    if (lin) {
        tn_sim_destroy(lin->base);
        tn_sim_destroy(lin->near);
        tn_state_destroy(lin->start);
        tn_state_destroy(lin->next);
        tn_state_destroy(lin->work);
        tn_tape_destroy(lin->tape);
        tn_free(lin->parameters);
        tn_free(lin->memory);
        tn_free(lin);
    }
}

int tn_linearization_state_count(const tn_linearization *lin)
{
    return lin ? lin->n_state : 0;
}

int tn_linearization_input_count(const tn_linearization *lin)
{
    return lin ? lin->n_input : 0;
}

const tn_sim *tn_linearization_sim(const tn_linearization *lin)
{
    return lin ? lin->base : NULL;
}

const tn_state *tn_linearization_next(const tn_linearization *lin)
{
    return lin ? lin->next : NULL;
}

bool tn_linearization_is_unique(const tn_linearization *lin)
{
    bool unique = lin;
    for (int i = 0; lin && i < lin->tape->n; i++) {
        unique = unique && tn_tangent_is_unique(&lin->tape->solve[i], lin->tape->room);
    }
    return unique;
}

// ---- to one side

// Numbers of a change: of poses, of nodes, of velocities, of nodes' velocities.
typedef struct parts {
    const double *pose, *x, *velocity, *v;
} parts;

static parts parts_of(const tn_model *model, const double *dx)
{
    size_t bodies = 6 * (size_t)model->n_bodies, nodes = 3 * (size_t)model->n_nodes;
    return (parts){dx, dx + bodies, dx + bodies + nodes, dx + 2 * bodies + nodes};
}

static bool any(const double *x, int n)
{
    bool is = false;
    for (int k = 0; k < n; k++) {
        is = is || x[k] != 0.0;
    }
    return is;
}

// What of a change (6) a planar body can do.
static void keep_in_plane(const tn_model_body *body, double change[6])
{
    const double *normal = body->plane_axes + 6;
    if (body->planar) {
        tn_vec3_madd(change, change, -tn_vec3_dot(change, normal), normal);
        tn_vec3_scale(change + 3, tn_vec3_dot(change + 3, normal), normal);
    }
}

static void move_body(const tn_linearization *lin, int b, const double *pose, const double *velocity, double side)
{
    const double *from = lin->at.pose + 7 * (size_t)b, *rate = lin->at.velocity + 6 * (size_t)b;
    double *to = lin->moved.pose + 7 * (size_t)b, *to_rate = lin->moved.velocity + 6 * (size_t)b;
    double way[6], faster[6], turn[4];
    memcpy(way, pose, sizeof way);
    memcpy(faster, velocity, sizeof faster);
    keep_in_plane(&lin->model->bodies[b], way);
    keep_in_plane(&lin->model->bodies[b], faster);
    tn_vec3_madd(to, from, side, way);
    tn_vec3_scale(way + 3, side, way + 3);
    tn_quat_exp(turn, way + 3);
    tn_quat_mul(to + 3, turn, from + 3);
    for (int k = 0; k < 6; k++) {
        to_rate[k] = rate[k] + side * faster[k];
    }
}

// lin->work: the start moved by side times dx.
static tn_status move_state(tn_linearization *lin, const double *dx, double side, tn_error *error)
{
    const tn_model *model = lin->model;
    parts p = parts_of(model, dx);
    bool bodies = false, nodes = false;
    for (int b = 0; b < model->n_bodies; b++) {
        size_t at = 6 * (size_t)b;
        bool moves = model->bodies[b].n_blocks > 0 && (any(p.pose + at, 6) || any(p.velocity + at, 6));
        lin->moved.pose[7 * (size_t)b] = lin->moved.velocity[at] = NAN; // stays
        if (moves) {
            move_body(lin, b, p.pose + at, p.velocity + at, side);
        }
        bodies = bodies || moves;
    }
    for (size_t i = 0; i < 3 * (size_t)model->n_nodes; i++) {
        lin->moved.x[i] = lin->at.x[i] + side * p.x[i];
        lin->moved.v[i] = lin->at.v[i] + side * p.v[i];
        nodes = nodes || p.x[i] != 0.0 || p.v[i] != 0.0;
    }
    tn_status status = bodies ? tn_state_set_bodies(lin->work, lin->moved.pose, lin->moved.velocity, error) : TN_OK;
    return status == TN_OK && nodes ? tn_state_set_nodes(lin->work, lin->moved.x, lin->moved.v, error) : status;
}

static tn_input move_input(tn_linearization *lin, const double *du, double side)
{
    for (int a = 0, at = 0; a < N_ARRAYS; a++) {
        for (int k = 0; lin->input[a] && k < lin->size[a]; k++, at++) {
            lin->changed[a][k] = lin->input[a][k] + (du ? side * du[at] : 0.0); // a NaN stays one
        }
    }
    return input_of(lin->changed);
}

// The step from there; *there: with the recorded contacts. model: with a changed parameter, or the usual one.
static tn_status go(tn_linearization *lin, const tn_model *model, const double *dx, const double *du, double side,
                    const places *out, bool *there, tn_error *error)
{
    const tn_model *whole = lin->near->whole, *given = lin->near->given;
    tn_error own = {0};
    tn_status status = tn_state_copy(lin->work, lin->start, error);
    status = status == TN_OK && dx ? move_state(lin, dx, side, error) : status;
    if (status != TN_OK) {
        return status;
    }
    tn_input input = move_input(lin, du, side);
    if (model) {
        lin->near->given = lin->near->whole = lin->near->setup.model = model;
        lin->near->memory.elements = NULL;
    }
    lin->tape->next = 0;
    lin->tape->broken = false;
    status = tn_sim_replay(lin->near, &input, lin->work, &own);
    lin->near->memory.elements = model ? NULL : lin->near->memory.elements;
    lin->near->given = given;
    lin->near->whole = lin->near->setup.model = whole;
    lin->work->model = given;
    *there = status == TN_OK && !tn_tape_switched(lin->tape);
    read_places(lin->work, out);
    if (status == TN_NO_MEMORY && error) {
        *error = own;
    }
    return status == TN_NO_MEMORY ? status : TN_OK; // else that side has no step like it
}

// ---- differences

// out (n_state) += (b - a) times scale.
static void subtract(const tn_model *model, const places *a, const places *b, double scale, double *out)
{
    double *velocity = out + 6 * (size_t)model->n_bodies + 3 * (size_t)model->n_nodes;
    for (int i = 0; i < model->n_bodies; i++) {
        const double *pa = a->pose + 7 * (size_t)i, *pb = b->pose + 7 * (size_t)i;
        double undo[4], turn[4], vector[3], way[3], *to = out + 6 * (size_t)i;
        tn_vec3_sub(way, pb, pa);
        tn_quat_conjugate(undo, pa + 3);
        tn_quat_mul(turn, pb + 3, undo);
        tn_quat_log(vector, turn);
        tn_vec3_madd(to, to, scale, way);
        tn_vec3_madd(to + 3, to + 3, scale, vector);
    }
    for (size_t k = 0; k < 6 * (size_t)model->n_bodies; k++) {
        velocity[k] += scale * (b->velocity[k] - a->velocity[k]);
    }
    double *x = out + 6 * (size_t)model->n_bodies, *v = velocity + 6 * (size_t)model->n_bodies;
    for (size_t k = 0; k < 3 * (size_t)model->n_nodes; k++) {
        x[k] += scale * (b->x[k] - a->x[k]);
        v[k] += scale * (b->v[k] - a->v[k]);
    }
}

// The two sides as a derivative, added to out.
static tn_smoothness take_sides(const tn_linearization *lin, const bool there[2], double distance, double *out)
{
    const places *low = there[0] ? &lin->minus : &lin->after, *high = there[1] ? &lin->plus : &lin->after;
    if (!there[0] && !there[1]) {
        for (int i = 0; i < lin->n_state; i++) {
            out[i] = NAN;
        }
        return TN_SMOOTH_NOT;
    }
    subtract(lin->model, low, high, (there[0] && there[1] ? 1.0 : 2.0) / distance, out);
    return there[0] && there[1] ? TN_SMOOTH_BOTH : TN_SMOOTH_SIDE;
}

static void worsen(tn_smoothness *smooth, tn_smoothness by)
{
    *smooth = by < *smooth ? by : *smooth;
}

static tn_status push_parameter(tn_linearization *lin, int p, double scale, double *out, tn_smoothness *smooth,
                                tn_error *error)
{
    const tn_parameter *of = &lin->parameters[p];
    bool there[2];
    tn_status status = go(lin, of->less, NULL, NULL, 0.0, &lin->minus, &there[0], error);
    status = status == TN_OK ? go(lin, of->more, NULL, NULL, 0.0, &lin->plus, &there[1], error) : status;
    if (status == TN_OK) {
        worsen(smooth, take_sides(lin, there, of->difference / scale, out));
    }
    return status;
}

static double largest_change(int n, const double *a, const double *b)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(a[i] - b[i]));
    }
    return most;
}

// The best of the differences of n sides that grow fivefold, extrapolated: the one that changes least from one
// extrapolation to the next (Ridders 1982, "Accurate computation of F'(x) and F'(x) F''(x)").
static void extrapolate(tn_linearization *lin, int n, double *out)
{
    size_t size = (size_t)lin->n_state;
    double least = INFINITY, power = 1.0, *finer = lin->finer;
    memcpy(out, lin->differences, size * sizeof *out);
    for (int i = 1; i < n; i++) {
        power *= 25.0;
        for (int k = 0; k + i < n; k++) { // difference k: of sides k to k + i - 1, becomes that of k to k + i
            double *d = lin->differences + (size_t)k * size, *wider = d + size;
            for (size_t r = 0; r < size; r++) {
                finer[r] = d[r] + (d[r] - wider[r]) / (power - 1.0);
            }
            double change = fmax(largest_change((int)size, finer, d), largest_change((int)size, finer, wider));
            memcpy(d, finer, size * sizeof *d);
            if (change < least) {
                least = change;
                memcpy(out, finer, size * sizeof *out);
            }
        }
    }
}

// The largest number of a direction, each in its unit; NaN where one is not finite.
static double size_of(const tn_linearization *lin, const double *dx, const double *du)
{
    double most = 0.0, finite = 0.0; // 0 x is 0 for finite x, NaN otherwise
    for (int i = 0; dx && i < lin->n_state; i++) {
        most = fmax(most, fabs(dx[i]));
        finite += 0.0 * dx[i];
    }
    for (int i = 0; du && i < lin->n_input; i++) {
        most = fmax(most, fabs(du[i]) / lin->unit[i]);
        finite += 0.0 * du[i];
    }
    return most + finite;
}

// Difference number n, of sides SIDE[n] of the direction's unit.
static tn_status find_difference(tn_linearization *lin, const double *dx, const double *du, double size, int n,
                                 tn_smoothness *smooth, tn_error *error)
{
    bool there[2];
    double side = SIDE[n] / size, *difference = lin->differences + (size_t)n * (size_t)lin->n_state;
    tn_status status = go(lin, NULL, dx, du, -side, &lin->minus, &there[0], error);
    status = status == TN_OK ? go(lin, NULL, dx, du, side, &lin->plus, &there[1], error) : status;
    if (status == TN_OK) {
        memset(difference, 0, (size_t)lin->n_state * sizeof *difference);
        *smooth = take_sides(lin, there, 2.0 * side, difference);
    }
    return status;
}

// The size of a change of the input by what it does: a torque on a light link of a heavy mechanism hardly moves it, and
// its difference would be one of rounding (robots/humanoid: off by 4e-5).
static tn_status find_size(tn_linearization *lin, const double *du, double *size, tn_error *error)
{
    const double least = 0.1, most = 1e-4; // of the unit
    double answer = 0.0;
    tn_smoothness smooth;
    tn_status status = find_difference(lin, NULL, du, *size, 0, &smooth, error);
    for (int i = 0; i < lin->n_state; i++) {
        answer = fmax(answer, fabs(lin->differences[i]) / *size);
    }
    if (status == TN_OK && smooth == TN_SMOOTH_BOTH && answer < least) {
        *size *= fmax(answer, most);
    }
    return status;
}

// Of state and input, `size` long. Sides whose contacts are not there are left out, but for the smallest.
static tn_status push_sides(tn_linearization *lin, const double *dx, const double *du, double size, double *out,
                            tn_smoothness *smooth, tn_error *error)
{
    int n = 0, most = lin->model->n_softs > 0 ? SIDES : RIGID_SIDES;
    tn_smoothness found = TN_SMOOTH_BOTH;
    tn_status status = du && size_of(lin, dx, NULL) == 0.0 ? find_size(lin, du, &size, error) : TN_OK;
    for (; status == TN_OK && n < most && found == TN_SMOOTH_BOTH; n += found == TN_SMOOTH_BOTH || n == 0) {
        status = find_difference(lin, dx, du, size, n, &found, error);
        if (n == 0) {
            *smooth = found;
        }
    }
    if (status == TN_OK) {
        extrapolate(lin, n, out);
    }
    return status;
}

tn_status tn_linearization_push(tn_linearization *lin, const double *dx, const double *du, const double *dp,
                                double *out, tn_smoothness *smooth, tn_error *error)
{
    if (!lin || !out) {
        return tn_error_set(error, TN_BAD_INPUT, "a derivative needs a linearization and room");
    }
    double size = size_of(lin, dx, du);
    if (!isfinite(size)) {
        return tn_error_set(error, TN_BAD_INPUT, "a change of state or input is not finite");
    }
    tn_smoothness worst = TN_SMOOTH_BOTH;
    tn_status status = TN_OK;
    memset(out, 0, (size_t)lin->n_state * sizeof *out);
    if (size > 0.0) {
        status = push_sides(lin, dx, du, size, out, &worst, error);
    }
    for (int p = 0; dp && status == TN_OK && p < lin->n_parameters; p++) {
        status = dp[p] != 0.0 ? push_parameter(lin, p, dp[p], out, &worst, error) : TN_OK;
    }
    if (smooth) {
        *smooth = worst;
    }
    return status;
}

// Column number i of [A B P] into lin->column.
static tn_status find_column(tn_linearization *lin, int i, tn_smoothness *smooth, tn_error *error)
{
    double *dx = lin->direction, *du = dx + lin->n_state;
    int of_input = i - lin->n_state, parameter = of_input - lin->n_input;
    if (parameter >= 0) {
        *smooth = TN_SMOOTH_BOTH;
        memset(lin->column, 0, (size_t)lin->n_state * sizeof *lin->column);
        return push_parameter(lin, parameter, 1.0, lin->column, smooth, error);
    }
    dx[i] = of_input < 0 ? 1.0 : lin->unit[of_input];
    tn_status status = tn_linearization_push(lin, dx, du, NULL, lin->column, smooth, error);
    dx[i] = 0.0;
    for (int k = 0; of_input >= 0 && k < lin->n_state; k++) {
        lin->column[k] /= lin->unit[of_input];
    }
    return status;
}

// Whether column i of [A B P] is not simply zero: of bodies and nodes that move.
static bool is_wanted(const tn_linearization *lin, int i)
{
    const tn_model *model = lin->model;
    int half = 6 * model->n_bodies + 3 * model->n_nodes, k = i < half ? i : i - half;
    if (i >= lin->n_state) {
        return true;
    }
    return k < 6 * model->n_bodies ? model->bodies[k / 6].n_blocks > 0
                                   : model->nodes[(k - 6 * model->n_bodies) / 3].block >= 0;
}

tn_status tn_linearization_matrices(tn_linearization *lin, double *A, double *B, double *P, int *n_rough,
                                    tn_error *error)
{
    if (!lin) {
        return tn_error_set(error, TN_BAD_INPUT, "there is no linearization");
    }
    const struct {
        double *matrix;
        int first, n;
    } of[3] = {
        {A, 0, lin->n_state}, {B, lin->n_state, lin->n_input}, {P, lin->n_state + lin->n_input, lin->n_parameters}};
    int rough = 0;
    for (int m = 0; m < 3; m++) {
        for (int j = 0; of[m].matrix && j < of[m].n; j++) {
            tn_smoothness smooth = TN_SMOOTH_BOTH;
            memset(lin->column, 0, (size_t)lin->n_state * sizeof *lin->column);
            tn_status status =
                is_wanted(lin, of[m].first + j) ? find_column(lin, of[m].first + j, &smooth, error) : TN_OK;
            if (status != TN_OK) {
                return status;
            }
            rough += smooth != TN_SMOOTH_BOTH;
            for (int i = 0; i < lin->n_state; i++) {
                of[m].matrix[(size_t)i * (size_t)of[m].n + (size_t)j] = lin->column[i];
            }
        }
    }
    if (n_rough) {
        *n_rough = rough;
    }
    return TN_OK;
}

tn_status tn_linearization_pull(tn_linearization *lin, const double *g, double *gx, double *gu, double *gp,
                                tn_error *error)
{
    if (!lin || !g) {
        return tn_error_set(error, TN_BAD_INPUT, "a transposed derivative needs a linearization and a gradient");
    }
    const struct {
        double *out;
        int first, n;
    } of[3] = {
        {gx, 0, lin->n_state}, {gu, lin->n_state, lin->n_input}, {gp, lin->n_state + lin->n_input, lin->n_parameters}};
    for (int m = 0; m < 3; m++) {
        for (int j = 0; of[m].out && j < of[m].n; j++) {
            tn_smoothness smooth;
            bool wanted = is_wanted(lin, of[m].first + j);
            tn_status status = wanted ? find_column(lin, of[m].first + j, &smooth, error) : TN_OK;
            if (status != TN_OK) {
                return status;
            }
            of[m].out[j] = 0.0;
            for (int i = 0; wanted && i < lin->n_state; i++) {
                of[m].out[j] += g[i] * lin->column[i];
            }
        }
    }
    return TN_OK;
}
