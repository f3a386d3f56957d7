// One step, stage by stage: collide, discretize, solve, certify, integrate, account, commit.
#include "base/timer.h"
#include "math/mat3.h"
#include "model/prescribed.h"
#include "sim/sim.h"
#include "sim/tape.h"
#include "tenon/check.h"

#include <math.h>
#include <string.h>

// Room for the solution but for its forces; last step's v^ as the start of the solver.
static tn_status make_room(tn_sim *sim, const tn_state *state, tn_error *error)
{
    size_t n = 3 * (size_t)sim->model->n_blocks;
    sim->guess = state->v;
    sim->turn = NULL;
    sim->next_pose = sim->model->n_softs > 0 ? TN_PUSH_RAW(sim->arena, tn_pose, sim->model->n_bodies) : NULL;
    sim->solution.v = TN_PUSH_RAW(sim->arena, double, n);
    sim->next_coordinate = TN_PUSH(sim->arena, double, sim->model->n_joint_coordinates);
    sim->next_x = TN_PUSH(sim->arena, double, 3 * (size_t)sim->model->n_nodes);
    if (!sim->solution.v || !sim->next_coordinate || !sim->next_x || (sim->model->n_softs > 0 && !sim->next_pose)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the step's solution");
    }
    memcpy(sim->solution.v, state->v_hat, n * sizeof *state->v_hat);
    return TN_OK;
}

tn_status tn_sim_contacts_build(tn_sim *sim, const tn_state *state, tn_error *error)
{
    sim->contact_mark = tn_arena_get_mark(sim->arena);
    sim->own_offset = NULL;
    tn_status status = tn_contact_rows_build(sim->model, state, &sim->list, &sim->balance, &sim->joints, sim->arena,
                                             &sim->rows, error);
    if (status != TN_OK) {
        return status;
    }
    // All joint rows: midpoint's come and go from solve to solve.
    size_t n_rows = 3 * (size_t)sim->rows.contacts.n_triples + (size_t)sim->model->n_joint_rows;
    sim->solution.lambda = TN_PUSH(sim->arena, double, n_rows);
    if (!sim->solution.lambda) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the forces of %d contacts",
                            sim->rows.contacts.n_triples);
    }
    return tn_step_problem(sim->model, state, &sim->balance, &sim->rows, &sim->joints.rows, sim->arena,
                           &sim->constraints, &sim->problem, error);
}

// Balance, joint and contact rows, and the problem made of them.
static tn_status discretize(tn_sim *sim, const tn_state *state, tn_error *error)
{
    const double *moved = NULL;
    bool halfway = sim->model->settings.scheme == TN_SCHEME_MIDPOINT;
    tn_status status = tn_sim_elastic(sim, state->x, !halfway, error);
    sim->energy_before = sim->elastic_energy;
    if (status == TN_OK && halfway && sim->model->n_softs > 0) {
        status = tn_sim_elastic_halfway(sim, state, &moved, error);
    }
    if (status == TN_OK) {
        status = tn_balance_build(sim->model, state, sim->elastic, moved, sim->input, sim->arena, &sim->balance, error);
    }
    if (status == TN_OK) {
        status = tn_sim_joints_build(sim, state, error);
    }
    if (status == TN_OK) {
        status = make_room(sim, state, error);
    }
    return status == TN_OK ? tn_sim_contacts_build(sim, state, error) : status;
}

// Solve; again while bodies are thrown against others that the list did not hold (deflected.c).
static tn_status solve_all(tn_sim *sim, const tn_state *state, tn_step_report *report, tn_error *error)
{
    sim->joined = NULL;
    memset(sim->again.n, 0, sizeof sim->again.n);
    for (int iterations = 0;;) {
        bool found = false;
        tn_status status = tn_sim_arcs_solve(sim, state, report, error);
        report->solve.iterations = iterations += report->solve.iterations;
        report->rounds++;
        if (status != TN_OK || (sim->tape && sim->tape->replay) || !tn_again_may(&sim->again, TN_AGAIN_PAIRS)) {
            return status;
        }
        status = tn_sim_collide_again(sim, state, &found, report, error);
        if (status != TN_OK || !found) {
            return status;
        }
        if (sim->tape) {
            tn_tape_rewind(sim->tape, 0);
        }
        size_t n = 3 * (size_t)sim->model->n_blocks;
        double *guess = TN_PUSH_RAW(sim->arena, double, n); // behind the rows, that the next list replaces with it
        if (!guess) {
            return tn_error_set(error, TN_NO_MEMORY, "no memory for %zu velocities", n);
        }
        sim->guess = memcpy(guess, sim->solution.v, n * sizeof *guess);
    }
}

static tn_status account(tn_sim *sim, const tn_state *state, tn_energy *out, tn_error *error)
{
    tn_energy before;
    double dissipated, injected;
    tn_energy_at(sim->model, state->pose, state->x, state->v, state->time,
                 sim->energy_before + tn_sim_joints_energy_at(state), &before);
    tn_spring_books springs = {0.0, 0.0, 0.0};
    tn_status status = tn_energy_work(sim, state, &dissipated, &injected, &springs, error);
    injected += status == TN_OK ? tn_sim_push_out_work(sim, state) : 0.0;
    // The next step wants the elements there, except halfway.
    bool whole = sim->model->settings.scheme != TN_SCHEME_MIDPOINT;
    status = status == TN_OK ? tn_sim_elastic(sim, sim->next_x, whole, error) : status;
    if (status != TN_OK) {
        return status;
    }
    sim->joint_elastic = tn_sim_joints_energy(sim, -1);
    double end = (double)(state->step_count + 1) * sim->model->settings.step;
    tn_energy_at(sim->model, sim->next_pose, sim->next_x, sim->next_v, end, sim->elastic_energy + sim->joint_elastic,
                 out);
    tn_energy_add_momentum(sim->model, sim->next_pose, sim->next_x, sim->next_v, out);
    before.elastic += springs.before;
    out->elastic += springs.after;
    double change = (out->kinetic - before.kinetic) + (out->gravity - before.gravity) + (out->elastic - before.elastic);
    out->balance = change - injected + dissipated;
    out->dissipated = state->dissipated + dissipated;
    out->injected = state->injected + injected;
    before.injected = state->injected;
    return tn_sim_check_gain(sim, &before, out, error);
}

// Contact forces, world axes, for the next step's warm start. Room must be reserved.
static void remember(const tn_sim *sim, tn_state *state)
{
    state->n_memory = 0;
    for (int m = 0; m < tn_sim_awake_contacts(sim); m++) {
        const double *lambda = sim->solution.lambda + 3 * m;
        if (lambda[0] == 0.0 && lambda[1] == 0.0 && lambda[2] == 0.0) {
            continue; // a force of zero is what an unknown contact starts from
        }
        const tn_contact *contact = &sim->list.contacts[sim->rows.source[m]];
        tn_contact_memory *memory = &state->memory[state->n_memory++];
        *memory = (tn_contact_memory){.key_shapes = (uint64_t)contact->shape_a << 32 | (uint32_t)contact->shape_b,
                                      .key_feature = contact->feature};
        tn_mat3_tvec(memory->force, contact->frame, lambda);
        tn_vec3_copy(memory->point, contact->point);
    }
}

// The only place that writes the state; nothing in it can fail.
static void commit(const tn_sim *sim, tn_state *state, const tn_energy *energy)
{
    const tn_model *model = sim->model;
    size_t n = 3 * (size_t)model->n_blocks;
    memcpy(state->pose, sim->next_pose, (size_t)model->n_bodies * sizeof *state->pose);
    memcpy(state->x, sim->next_x, 3 * (size_t)model->n_nodes * sizeof *state->x);
    memcpy(state->v, sim->next_v, n * sizeof *state->v);
    if (model->n_softs > 0) {
        memcpy(state->v_hat_before, state->v_hat, n * sizeof *state->v_hat);
    }
    memcpy(state->v_hat, sim->solution.v, n * sizeof *state->v_hat);
    tn_sim_carry(sim, state->v_hat);
    state->dissipated = energy->dissipated;
    state->injected = energy->injected;
    state->joint_elastic = sim->joint_elastic;
    state->step_count++;
    state->time = (double)state->step_count * model->settings.step;
    remember(sim, state);
    tn_sim_joints_remember(sim, state);
}

static bool reached(double figure, double demanded)
{
    return demanded <= 0.0 || figure <= demanded || isnan(figure); // NaN: the figure does not apply
}

static bool tolerances_held(const tn_tolerance *demanded, const tn_solve_report *solve)
{
    const tn_certificate *c = &solve->certificate;
    return reached(c->momentum, demanded->momentum) && reached(c->natural, demanded->natural) &&
           reached(c->fclib, demanded->fclib) && reached(c->joint, demanded->joint) &&
           reached(c->penetration, demanded->penetration) && reached(solve->theta, demanded->theta);
}

// Joints that do not hold, and whether it is because their rows contradict one another: that has no solution.
static tn_status report_yield(const tn_sim *sim, tn_step_report *r, tn_error *error)
{
    const double seen = 1e-4, cancel = 1e-2, least = 1e-6; // least: [m/s, rad/s]
    double fastest = sim->problem.velocity_scale;
    for (int i = 0; i < 3 * sim->model->n_blocks; i++) {
        fastest = fmax(fastest, fabs(sim->solution.v[i]));
    }
    tn_joint_yield yield = tn_joint_step_yield(sim->model, &sim->joints, sim->solution.v);
    r->joint_yield = yield.speed;
    r->joint_yielding = -1;
    if (yield.speed > fmax(least, seen * fastest)) {
        double *room = TN_PUSH_RAW(sim->arena, double, 3 * (size_t)sim->model->n_blocks);
        if (!room) {
            return tn_error_set(error, TN_NO_MEMORY, "no memory for the forces of %d joints", sim->model->n_joints);
        }
        r->joint_yielding = yield.joint;
        r->joints_contradict = tn_joint_step_net(sim->model, &sim->joints, tn_sim_joint_forces(sim), room) < cancel;
    }
    return TN_OK;
}

// Of the schemes with a problem to solve: from that to places and velocities. Ends early where sim->touched.
static tn_status advance(tn_sim *sim, const tn_state *state, tn_step_report *r, tn_error *error)
{
    const tn_model *model = sim->model;
    tn_status status = solve_all(sim, state, r, error);
    sim->touched = status == TN_OK && tn_sim_meets_sleepers(sim);
    if (sim->touched) {
        return TN_OK;
    }
    if (status == TN_OK && model->settings.restitution_law == TN_RESTITUTION_POISSON) {
        status = tn_sim_decompress(sim, r, error);
    }
    if (status == TN_OK && model->settings.scheme == TN_SCHEME_IMPLICIT && model->n_softs > 0) {
        status = tn_sim_newton(sim, state, r, error);
    }
    status = status == TN_OK && model->n_joints > 0 ? report_yield(sim, r, error) : status;
    return status == TN_OK ? tn_sim_integrate(sim, state, r, error) : status;
}

// The stages of a step, on a whole state or on what of it is awake. Ends early where sim->touched.
static tn_status run_stages(tn_sim *sim, tn_state *state, tn_step_report *r, tn_error *error)
{
    const tn_model *model = sim->model;
    double start = tn_timer_now();
    // Elements may wait in the other arena for this step.
    tn_arena *scratch = model->n_softs > 0 ? sim->arena : tn_sim_scratch(sim);
    tn_status status = tn_sim_keep_poses(sim, state, error);
    status = status == TN_OK
                 ? tn_collide(model, state, model->settings.solve.n_threads, sim->arena, scratch, &sim->list, error)
                 : status;
    if (status == TN_OK) {
        tn_sim_filter(sim, &sim->list);
    }
    if (status == TN_OK && sim->tape && sim->tape->replay) {
        status = tn_tape_match(sim->tape, &sim->list, sim->arena, error);
    }
    double collided = tn_timer_now();
    r->collide_s += collided - start;
    sim->touched = status == TN_OK && tn_sim_meets_sleepers(sim);
    if (sim->touched) {
        return TN_OK;
    }

    status = status == TN_OK ? discretize(sim, state, error) : status;
    if (status == TN_OK) {
        tn_contact_rows_warm(&sim->rows, &sim->list, model->settings.solve.n_threads, sim->solution.lambda);
        tn_sim_joints_warm(sim, state, sim->solution.lambda);
    }
    status = status == TN_OK ? tn_sim_extrapolate(sim, state, error) : status;
    r->discretize_s += tn_timer_now() - collided;

    tn_status (*stepper)(tn_sim *, const tn_state *, tn_step_report *, tn_error *) =
        model->settings.scheme == TN_SCHEME_PBD ? tn_sim_pbd : advance;
    status = status == TN_OK ? stepper(sim, state, r, error) : status;
    if (sim->touched) {
        return status;
    }
    return status == TN_OK ? tn_state_reserve_memory(state, sim->rows.contacts.n_triples, error) : status;
}

// After the solve: books, figures, the new state.
static tn_status finish(tn_sim *sim, tn_state *state, tn_step_report *r, tn_error *error)
{
    const tn_model *model = sim->model;
    double solved = tn_timer_now();
    tn_status status = account(sim, state, &r->energy, error);
    if (status != TN_OK) {
        return status;
    }
    r->solve.certificate.penetration = tn_sim_penetration(sim);
    if (model->n_joints > 0) {
        r->solve.certificate.drift =
            tn_joints_drift(model, &(tn_joint_sides){sim->next_pose, sim->next_x}, sim->next_coordinate);
    }
    r->certify_s += tn_timer_now() - solved;
    tn_sim_judge(sim, state, r);
    commit(sim, state, &r->energy);
    return TN_OK;
}

// A step, or nothing where sim->touched.
static tn_status step(tn_sim *sim, tn_state *state, tn_step_report *r, tn_error *error)
{
    tn_status status = run_stages(sim, state, r, error);
    status = status == TN_OK && !sim->touched ? finish(sim, state, r, error) : status;
    if (status != TN_OK) {
        sim->rows.contacts.n_triples = sim->rows.contacts.n_frictions = sim->rows.n_balls = 0; // nothing to ask for
        sim->joints.rows.n_singles = 0;
        sim->solution.lambda = NULL;
        sim->balance.elastics = NULL;
        sim->joint_rest = sim->joint_held = NULL;
        sim->holds = NULL;
    }
    return status;
}

// A step of what is awake; wakes what it touches instead, where sim->touched.
static tn_status step_awake(tn_sim *sim, tn_state *state, tn_step_report *r, tn_error *error)
{
    bool some_sleep = state->sleep && state->sleep->n_islands > 0;
    tn_arena_reset(sim->arena);
    sim->unbalanced = sim->burden = NULL;
    if (sim->whole->n_softs == 0) {
        tn_arena_reset(sim->elastic_arena);
    }
    sim->model = sim->whole;
    sim->n_asleep = 0;
    if (!some_sleep) {
        return step(sim, state, r, error);
    }
    tn_status status = tn_awake_take(state, sim->arena, &sim->awake, error);
    if (status != TN_OK) {
        return status;
    }
    sim->model = &sim->awake.model;
    status = step(sim, &sim->awake.state, r, error);
    tn_awake_put(&sim->awake, status == TN_OK && !sim->touched, state);
    if (status == TN_OK && sim->touched) {
        return tn_sim_wake_met(sim, state, error);
    }
    sim->n_asleep = status == TN_OK ? sim->awake.n_contacts : 0;
    r->joint_yielding = r->joint_yielding >= 0 ? sim->awake.joint[r->joint_yielding] : -1;
    return status;
}

static tn_status step_whole(tn_sim *sim, const tn_input *input, tn_state *state, tn_step_report *report,
                            tn_error *error)
{
    const tn_model *model = sim->whole;
    double start = tn_timer_now(), time = state->time;
    double end = (double)(state->step_count + 1) * model->settings.step;
    tn_step_report r;
    sim->input = input;
    sim->again = (tn_again){.solves = 0};
    tn_status status = tn_model_check_prescribed(model, time, end, error);
    status = status == TN_OK ? tn_state_project_velocities(state, error) : status;
    status = status == TN_OK ? tn_sim_rouse(sim, state, error) : status;
    tn_sim_keep_sensors(sim->whole, state, sim->sensor_velocity);
    do { // each time that something is touched it wakes
        r = (tn_step_report){.step = state->step_count + 1, .joint_yielding = -1};
        sim->touched = false;
        status = status == TN_OK ? step_awake(sim, state, &r, error) : status;
    } while (status == TN_OK && sim->touched);
    if (status != TN_OK) {
        return status;
    }
    tn_model_find_jumps(model, time, end, &r.jump);
    tn_sim_rest(sim, state, &r);
    r.tolerances_held = tolerances_held(&model->settings.demanded, &r.solve);
    r.n_contacts = tn_sim_contact_count(sim);
    r.solves = sim->again.solves;
    r.time = state->time;
    r.total_s = tn_timer_now() - start;
    tn_sim_tell(sim, &r);
    if (report) {
        *report = r;
    }
    return TN_OK;
}

tn_status tn_sim_step(tn_sim *sim, const tn_input *input, tn_state *state, tn_step_report *report, tn_error *error)
{
    if (!sim || !state) {
        return tn_error_set(error, TN_BAD_INPUT, "a step needs a simulation and a state");
    }
    if (state->model != sim->given) {
        return tn_error_set(error, TN_BAD_INPUT, "cannot step a state of one model in a simulation of another");
    }
    const tn_model *whole = sim->whole, *moved = whole;
    tn_status status = tn_sim_check_input(whole, input, error);
    status = status == TN_OK ? tn_sim_move_bodies(sim, input, state, &moved, error) : status;
    if (status != TN_OK) {
        return status;
    }
    state->model = sim->whole = moved; // with this simulation's options, and the input's motions
    status = step_whole(sim, input, state, report, error);
    sim->model = sim->model == moved ? whole : sim->model;
    sim->whole = whole;
    state->model = sim->given;
    return status;
}

tn_status tn_sim_replay(tn_sim *sim, const tn_input *input, tn_state *state, tn_error *error)
{
    const tn_model *whole = sim->whole, *moved = whole;
    double time = state->time, end = (double)(state->step_count + 1) * whole->settings.step;
    tn_step_report r = {.joint_yielding = -1};
    sim->input = input;
    sim->again = (tn_again){.solves = 0};
    tn_status status = tn_sim_move_bodies(sim, input, state, &moved, error);
    status = status == TN_OK ? tn_model_check_prescribed(moved, time, end, error) : status;
    state->model = sim->whole = sim->model = moved;
    status = status == TN_OK ? tn_state_project_velocities(state, error) : status;
    tn_arena_reset(sim->arena);
    sim->unbalanced = sim->burden = NULL;
    sim->n_asleep = 0;
    if (moved->n_softs == 0) {
        tn_arena_reset(sim->elastic_arena);
    }
    status = status == TN_OK ? run_stages(sim, state, &r, error) : status;
    if (status == TN_OK) {
        sim->joint_elastic = NAN;
        commit(sim, state, &(tn_energy){.dissipated = state->dissipated, .injected = state->injected});
    }
    sim->model = sim->whole = whole;
    state->model = sim->given;
    return status;
}
