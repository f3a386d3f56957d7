#include "discretize/impact.h"

#include "law/local.h"
#include "math/mat3.h"

#include <math.h>
#include <string.h>

// The closed contacts on their way into the problem.
typedef struct closed {
    int n, n_coupled;            // the coupled ones come first
    int *source;                 // (n) number in the first problem
    double *offset;              // (n, 3) w of Newton's law
    double *lambda;              // (n, 3) start; alone: solved
    bool *alone;                 // (n) while they are sorted
    int *load;                   // (model->n_blocks) how many act on each block
    double *momentum;            // (3 model->n_blocks) M v_k/h + f
    const double *mass;          // (3 model->n_blocks)
    const double *held;          // (3 model->n_blocks) joints' forces that stay; NULL: none
    const tn_joint_rows *joints; // at the step's end; NULL: none
    const double *joint_start;   // (joints->n)
    double h;
} closed;

static int joint_entries(const closed *c)
{
    return c->joints ? c->joints->start[c->joints->n] : 0;
}

// Gap of contact m at the step's end, linear in v^ [m].
static double end_gap(const tn_contact_rows *rows, const tn_solution *first, double h, int m)
{
    double u[3];
    tn_contact_velocity(&rows->contacts, m, first->v, u);
    return rows->contacts.gap[m] + h * (u[0] + rows->surface[m]);
}

// Newton's law for v_{k+1}: the normal velocity after the step that contact m asks for.
static double demanded_speed(const tn_contact_rows *rows, double gap_after, int m)
{
    double eps = rows->restitution ? rows->restitution[m] : 0.0;
    return eps > 0.0 ? tn_rebound(eps, rows->before[m], rows->pull[m], rows->contacts.gap[m], gap_after) : 0.0;
}

static bool allocate_closed(int n_contacts, int n_blocks, tn_arena *arena, closed *out)
{
    out->source = TN_PUSH_RAW(arena, int, n_contacts);
    out->offset = TN_PUSH_RAW(arena, double, 3 * (size_t)n_contacts);
    out->lambda = TN_PUSH_RAW(arena, double, 3 * (size_t)n_contacts);
    out->alone = TN_PUSH(arena, bool, n_contacts);
    out->load = TN_PUSH(arena, int, n_blocks);
    out->momentum = TN_PUSH_RAW(arena, double, 3 * (size_t)n_blocks);
    return out->source && out->offset && out->lambda && out->alone && out->load && out->momentum;
}

static void find_closed(const tn_contact_rows *rows, const tn_solution *first, double touch, closed *out)
{
    const tn_contacts *all = &rows->contacts;
    for (int m = 0; m < all->n; m++) {
        double gap = end_gap(rows, first, out->h, m);
        if (!(first->lambda[3 * m] > 0.0 || gap <= touch)) {
            continue;
        }
        int k = out->n++;
        out->source[k] = m;
        tn_vec3_copy(out->lambda + 3 * k, first->lambda + 3 * m);
        tn_contact_rows_surface(rows, m, out->offset + 3 * k);
        out->offset[3 * k] -= demanded_speed(rows, gap, m);
        for (int e = all->start[m]; e < all->start[m + 1]; e++) {
            out->load[all->block[e]]++;
        }
    }
}

// v = v_k + h M^-1 f of all blocks.
static void apply_forces(const tn_state *state, const tn_balance *balance, const double *v_hat, int n, closed *c,
                         double *v)
{
    const double *b = balance->b, *product = balance->product, *mass = balance->mass, *v_k = state->v;
    double h = balance->h, of_v_hat = 1.0 / (balance->theta * h), of_v_k = 1.0 / h - of_v_hat;
    double *restrict momentum = c->momentum, *restrict to = v;
    for (int i = 0; i < n; i++) {
        double force = b[i] - product[i] + (c->held ? c->held[i] : 0.0);
        momentum[i] = force + mass[i] * (of_v_hat * v_hat[i] + of_v_k * v_k[i]);
        to[i] = momentum[i] * h / mass[i];
    }
}

// Coulomb's law in closed form for W = w 1 (a node: its mass is the same in all directions) and round friction; false:
// it is something else.
static bool solve_round(tn_law law, const double mu[2], const double W[9], const double q[3], double lambda[3])
{
    double w = W[0], tiny = 1e-14 * w;
    bool round = fabs(W[4] - w) <= tiny && fabs(W[8] - w) <= tiny && fabs(W[1]) <= tiny && fabs(W[2]) <= tiny &&
                 fabs(W[5]) <= tiny;
    if (!round || !(w > 0.0) || law == TN_LAW_CONVEX || mu[0] != mu[1]) {
        return false;
    }
    double normal = fmax(-q[0], 0.0) / w, most = law == TN_LAW_FRICTIONLESS ? 0.0 : mu[0] * normal;
    double stick = sqrt(q[1] * q[1] + q[2] * q[2]) / w, part = stick > most ? most / stick : 1.0;
    tn_vec3_set(lambda, normal, -part * q[1] / w, -part * q[2] / w);
    return true;
}

// Contact k, which acts on one block alone, from v without it; false: the local solver found nothing.
static bool solve_alone(const tn_problem *first, int k, closed *c, double *v)
{
    const tn_contacts *all = first->contacts;
    int m = c->source[k], at = 3 * all->block[all->start[m]];
    const double *J = all->jacobian + 9 * (size_t)all->start[m];
    double W[9], scaled[9], q[3], lambda[3], push[3] = {0.0};
    for (int i = 0; i < 9; i++) {
        scaled[i] = J[i] * c->h / c->mass[at + i % 3];
    }
    tn_mat3_mul_nt(W, scaled, J);
    for (int i = 0; all->omega && i < 9; i++) {
        W[i] += all->omega[9 * m + i];
    }
    tn_vec3_copy(q, c->offset + 3 * k);
    tn_mat3_add_vec(q, J, v + at);
    tn_vec3_copy(lambda, c->lambda + 3 * k);
    if (!solve_round(first->law, all->mu + 2 * m, W, q, lambda) &&
        tn_local_solve(first->law, all->mu + 2 * m, W, q, lambda) == TN_LOCAL_FAILED) {
        return false;
    }
    tn_mat3_add_tvec(push, J, lambda);
    for (int i = 0; i < 3; i++) {
        v[at + i] = (c->momentum[at + i] + push[i]) * c->h / c->mass[at + i];
    }
    tn_vec3_copy(c->lambda + 3 * k, lambda);
    return true;
}

static void solve_all_alone(const tn_problem *first, closed *c, double *v)
{
    const tn_contacts *all = first->contacts;
    for (int k = 0; k < c->n; k++) {
        int m = c->source[k];
        bool single = all->start[m + 1] == all->start[m] + 1;
        c->alone[k] = single && c->load[all->block[all->start[m]]] == 1 && solve_alone(first, k, c, v);
    }
}

// The coupled ones first, both parts in their order.
static bool sort_closed(tn_arena *arena, closed *c)
{
    closed old = *c;
    c->source = TN_PUSH_RAW(arena, int, c->n);
    c->offset = TN_PUSH_RAW(arena, double, 3 * (size_t)c->n);
    c->lambda = TN_PUSH_RAW(arena, double, 3 * (size_t)c->n);
    if (!c->source || !c->offset || !c->lambda) {
        return false;
    }
    int to = 0;
    for (int turn = 0; turn < 2; turn++) {
        for (int k = 0; k < c->n; k++) {
            if (old.alone[k] == (turn == 1)) {
                c->source[to] = old.source[k];
                tn_vec3_copy(c->offset + 3 * to, old.offset + 3 * k);
                tn_vec3_copy(c->lambda + 3 * to, old.lambda + 3 * k);
                to++;
            }
        }
        c->n_coupled = turn == 0 ? to : c->n_coupled;
    }
    return true;
}

// Numbers the blocks: those that coupled contacts and joints act on ascending, then the others. load becomes number
// + 1.
static void number_blocks(const tn_contacts *all, int n_blocks, closed *c, int *block, int *n_coupled, int *n)
{
    memset(c->load, 0, (size_t)n_blocks * sizeof *c->load);
    for (int k = 0; k < c->n_coupled; k++) {
        for (int e = all->start[c->source[k]]; e < all->start[c->source[k] + 1]; e++) {
            c->load[all->block[e]] = 1;
        }
    }
    for (int e = 0; e < joint_entries(c); e++) {
        c->load[c->joints->block[e]] = 1;
    }
    *n = 0;
    for (int i = 0; i < n_blocks && (c->n_coupled > 0 || c->joints); i++) {
        if (c->load[i]) {
            block[(*n)++] = i;
            c->load[i] = *n;
        }
    }
    *n_coupled = *n;
    for (int k = c->n_coupled; k < c->n; k++) {
        int i = all->block[all->start[c->source[k]]];
        block[(*n)++] = i;
        c->load[i] = *n;
    }
}

// The arrays behind tn_contacts while they are written.
typedef struct impact_arrays {
    double *frame, *gap, *mu, *omega, *jacobian;
    int *start, *block;
} impact_arrays;

static bool allocate_contacts(const tn_contacts *all, const closed *c, tn_arena *arena, impact_arrays *arrays)
{
    size_t n = (size_t)c->n, entries = 0;
    for (size_t k = 0; k < n; k++) {
        entries += (size_t)(all->start[c->source[k] + 1] - all->start[c->source[k]]);
    }
    *arrays = (impact_arrays){.frame = TN_PUSH_RAW(arena, double, 9 * n),
                              .gap = TN_PUSH_RAW(arena, double, n),
                              .mu = TN_PUSH_RAW(arena, double, 2 * n),
                              .omega = all->omega ? TN_PUSH_RAW(arena, double, 9 * n) : NULL,
                              .jacobian = TN_PUSH_RAW(arena, double, 9 * entries),
                              .start = TN_PUSH_RAW(arena, int, n + 1),
                              .block = TN_PUSH_RAW(arena, int, entries)};
    return arrays->frame && arrays->gap && arrays->mu && (arrays->omega || !all->omega) && arrays->jacobian &&
           arrays->start && arrays->block;
}

static void copy_contact(const tn_contacts *from, const closed *c, int k, impact_arrays *to)
{
    int m = c->source[k], begin = from->start[m], count = from->start[m + 1] - begin, at = to->start[k];
    memcpy(to->frame + 9 * k, from->frame + 9 * m, 9 * sizeof(double));
    to->gap[k] = from->gap[m];
    memcpy(to->mu + 2 * k, from->mu + 2 * m, 2 * sizeof(double));
    memcpy(to->jacobian + 9 * (size_t)at, from->jacobian + 9 * (size_t)begin, 9 * (size_t)count * sizeof(double));
    for (int e = 0; e < count; e++) {
        to->block[at + e] = c->load[from->block[begin + e]] - 1;
    }
    if (to->omega) {
        memcpy(to->omega + 9 * k, from->omega + 9 * m, 9 * sizeof(double));
    }
    to->start[k + 1] = at + count;
}

static bool copy_contacts(const tn_contacts *all, const closed *c, tn_arena *arena, tn_impact *out)
{
    impact_arrays arrays;
    if (!allocate_contacts(all, c, arena, &arrays)) {
        return false;
    }
    arrays.start[0] = 0;
    for (int k = 0; k < c->n; k++) {
        copy_contact(all, c, k, &arrays);
    }
    out->contacts = (tn_contacts){.n = c->n,
                                  .frame = arrays.frame,
                                  .offset = c->offset,
                                  .gap = arrays.gap,
                                  .mu = arrays.mu,
                                  .omega = arrays.omega,
                                  .start = arrays.start,
                                  .block = arrays.block,
                                  .jacobian = arrays.jacobian};
    out->source = c->source;
    out->solution.lambda = c->lambda;
    return true;
}

// The joints' rows with the blocks' new numbers.
static bool copy_joints(const closed *c, tn_arena *arena, tn_impact *out)
{
    if (!c->joints) {
        return true;
    }
    int n = joint_entries(c);
    int *block = TN_PUSH_RAW(arena, int, n);
    out->solution.joint = TN_PUSH(arena, double, c->joints->n);
    if (!block || !out->solution.joint) {
        return false;
    }
    for (int e = 0; e < n; e++) {
        block[e] = c->load[c->joints->block[e]] - 1;
    }
    memcpy(out->solution.joint, c->joint_start, (size_t)c->joints->n * sizeof *c->joint_start);
    out->joints = *c->joints;
    out->joints.block = block;
    out->problem.joints = &out->joints;
    return true;
}

// A = M/h, b and v of n blocks; the start of the coupled ones is 2 v^ - v_k.
static bool fill_balance(const tn_state *state, const tn_balance *balance, const double *v_hat, const closed *c, int n,
                         int n_coupled, tn_arena *arena, tn_impact *out)
{
    double *b = TN_PUSH_RAW(arena, double, 3 * n);
    double *diagonal = TN_PUSH(arena, double, 9 * (size_t)n);
    double *v = TN_PUSH_RAW(arena, double, 3 * n);
    if (!b || !diagonal || !v) {
        return false;
    }
    for (int i = 0; i < 3 * n; i++) {
        int at = 3 * out->block[i / 3] + i % 3;
        b[i] = c->momentum[at];
        diagonal[9 * (i / 3) + 4 * (i % 3)] = c->mass[at] / c->h;
        v[i] = i < 3 * n_coupled ? state->v[at] + (v_hat[at] - state->v[at]) / balance->theta : out->v[at];
    }
    out->solution.v = v;
    out->problem.b = b;
    out->problem.A = tn_blocks_from_diagonal(n, diagonal, arena);
    return out->problem.A != NULL;
}

static bool build_problem(const tn_model *model, const tn_state *state, const tn_balance *balance, const double *v_hat,
                          const tn_contacts *all, closed *c, tn_arena *arena, tn_impact *out)
{
    int n, n_coupled;
    out->block = TN_PUSH_RAW(arena, int, model->n_blocks);
    if (!out->block || !sort_closed(arena, c)) {
        return false;
    }
    number_blocks(all, model->n_blocks, c, out->block, &n_coupled, &n);
    if (!copy_contacts(all, c, arena, out) || !copy_joints(c, arena, out) ||
        !fill_balance(state, balance, v_hat, c, n, n_coupled, arena, out)) {
        return false;
    }
    out->problem.contacts = &out->contacts;
    out->coupled_A = *out->problem.A;
    out->coupled_A.n_rows = out->coupled_A.n_cols = n_coupled;
    out->coupled_contacts = out->contacts;
    out->coupled_contacts.n = c->n_coupled;
    out->coupled = out->problem;
    out->coupled.A = &out->coupled_A;
    out->coupled.contacts = &out->coupled_contacts;
    return true;
}

// What stays of the joints' forces, and who of their rows acts on which block.
static void add_joints(const tn_impact_joints *joints, closed *c)
{
    if (!joints) {
        return;
    }
    c->held = joints->held;
    c->joints = joints->end->n > 0 ? joints->end : NULL;
    c->joint_start = joints->start;
    for (int e = 0; e < joint_entries(c); e++) {
        c->load[c->joints->block[e]]++;
    }
}

static bool build(const tn_model *model, const tn_state *state, const tn_balance *balance, const tn_contact_rows *rows,
                  const tn_solution *first, const tn_impact_joints *joints, tn_arena *arena, tn_impact *out)
{
    int n = 3 * model->n_blocks;
    closed c = {.mass = balance->mass, .h = balance->h};
    out->v = TN_PUSH_RAW(arena, double, n);
    if (!out->v || !allocate_closed(rows->contacts.n, model->n_blocks, arena, &c)) {
        return false;
    }
    add_joints(joints, &c);
    find_closed(rows, first, tn_contact_touch(model), &c);
    if (c.n == 0 && !c.joints) {
        for (int i = 0; i < n; i++) {
            out->v[i] = state->v[i] + (first->v[i] - state->v[i]) / balance->theta;
        }
        return true;
    }
    apply_forces(state, balance, first->v, n, &c, out->v);
    solve_all_alone(&out->problem, &c, out->v);
    return build_problem(model, state, balance, first->v, &rows->contacts, &c, arena, out);
}

tn_status tn_impact_build(const tn_model *model, const tn_state *state, const tn_balance *balance,
                          const tn_contact_rows *rows, const tn_solution *first, const tn_impact_joints *joints,
                          tn_arena *arena, tn_impact *out, tn_error *error)
{
    *out = (tn_impact){0};
    tn_step_problem(model, state, balance, rows, NULL, &out->problem);
    out->problem.layout = NULL; // A is M/h here, block by block
    out->problem.place = NULL;
    out->problem.known_v = out->problem.known_product = NULL;
    return build(model, state, balance, rows, first, joints, arena, out)
               ? TN_OK
               : tn_error_set(error, TN_NO_MEMORY, "no memory for the impact of %d contacts", rows->contacts.n);
}

void tn_impact_finish(tn_impact *impact)
{
    for (int i = 0; i < impact->coupled_A.n_rows; i++) {
        tn_vec3_copy(impact->v + 3 * (size_t)impact->block[i], impact->solution.v + 3 * (size_t)i);
    }
}
