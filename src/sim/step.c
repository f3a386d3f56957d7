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
static tn_status make_room(const tn_step_setup *setup, tn_step_equations *eq, tn_step_answer *answer,
                           tn_step_next *next, const tn_state *state, tn_error *error)
{
    size_t n = 3 * (size_t)setup->model->n_blocks;
    eq->guess = state->v;
    next->turn = NULL;
    next->holds = NULL;
    next->pose = setup->model->n_softs > 0 ? TN_PUSH_RAW(setup->arena, tn_pose, setup->model->n_bodies) : NULL;
    answer->solution.v = TN_PUSH_RAW(setup->arena, double, n);
    next->coordinate = TN_PUSH(setup->arena, double, setup->model->n_joint_coordinates);
    next->bend = TN_PUSH(setup->arena, double, setup->model->n_joint_coordinates);
    next->x = TN_PUSH(setup->arena, double, 3 * (size_t)setup->model->n_nodes);
    if (!answer->solution.v || !next->coordinate || !next->bend || !next->x ||
        (setup->model->n_softs > 0 && !next->pose)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the step's solution");
    }
    memcpy(answer->solution.v, state->v_hat, n * sizeof *state->v_hat);
    return TN_OK;
}

tn_status tn_sim_contacts_build(const tn_step_setup *setup, tn_step_equations *eq, tn_step_answer *answer,
                                const tn_state *state, tn_error *error)
{
    eq->contact_mark = tn_arena_get_mark(setup->arena);
    eq->own_offset = NULL;
    eq->squeezed = NULL;
    tn_status status = tn_contact_rows_build(setup->model, state, &eq->list, &eq->balance, &eq->joints, setup->arena,
                                             &eq->rows, error);
    if (status != TN_OK) {
        return status;
    }
    // All joint rows: midpoint's come and go from solve to solve.
    size_t n_rows = 3 * (size_t)eq->rows.contacts.n_triples + (size_t)setup->model->n_joint_rows;
    answer->solution.lambda = TN_PUSH(setup->arena, double, n_rows);
    if (!answer->solution.lambda) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the forces of %d contacts",
                            eq->rows.contacts.n_triples);
    }
    return tn_step_problem(setup->model, state, &eq->balance, &eq->rows, &eq->joints.rows, setup->arena,
                           &eq->constraints, &eq->problem, error);
}

// Balance, joint and contact rows, and the problem made of them.
static tn_status discretize(const tn_step_setup *setup, const tn_step_control *control, tn_step_equations *eq,
                            tn_step_answer *answer, tn_step_next *next, const tn_state *state, tn_error *error)
{
    const double *moved = NULL;
    bool halfway = setup->model->settings.scheme == TN_SCHEME_MIDPOINT;
    tn_status status = tn_sim_elastic(setup, state->x, !halfway, error);
    eq->energy_before = setup->memory->energy;
    if (status == TN_OK && halfway && setup->model->n_softs > 0) {
        status = tn_sim_elastic_halfway(setup, state, &moved, error);
    }
    if (status == TN_OK) {
        status = tn_balance_build(setup->model, state, setup->memory->elements, moved, setup->input, setup->arena,
                                  &eq->balance, error);
    }
    if (status == TN_OK) {
        // What is repeated, and who refuses joint rows, is given all of them in every step.
        bool takes = (setup->solver->sets & TN_TAKES_SINGLES) == TN_TAKES_SINGLES;
        bool all = !takes || control->tape || setup->model->n_softs > 0;
        status = tn_sim_joints_build(setup, all, eq, answer, state, error);
    }
    if (status == TN_OK) {
        status = make_room(setup, eq, answer, next, state, error);
    }
    return status == TN_OK ? tn_sim_contacts_build(setup, eq, answer, state, error) : status;
}

// Solve; again while bodies are thrown against others that the list did not hold (deflected.c).
static tn_status solve_all(const tn_step_setup *setup, tn_step_solving *solving, const tn_state *state,
                           tn_step_report *report, tn_error *error)
{
    tn_step_control *control = &solving->control;
    control->joined = NULL;
    memset(control->again.n, 0, sizeof control->again.n);
    for (int iterations = 0;;) {
        bool found = false;
        tn_status status = tn_sim_bounces_solve(setup, solving, state, report, error);
        report->solve.iterations = iterations += report->solve.iterations;
        report->rounds++;
        if (status != TN_OK || (control->tape && control->tape->replay) ||
            !tn_again_may(&control->again, TN_AGAIN_PAIRS)) {
            return status;
        }
        status = tn_sim_collide_again(setup, solving, state, &found, report, error);
        if (status != TN_OK || !found) {
            return status;
        }
        if (control->tape) {
            tn_tape_rewind(control->tape, 0);
        }
        size_t n = 3 * (size_t)setup->model->n_blocks;
        double *guess = TN_PUSH_RAW(setup->arena, double, n); // behind the rows, that the next list replaces with it
        if (!guess) {
            return tn_error_set(error, TN_NO_MEMORY, "no memory for %zu velocities", n);
        }
        solving->eq.guess = memcpy(guess, solving->answer.solution.v, n * sizeof *guess);
    }
}

// What a step has to say of energy.
typedef struct step_books {
    tn_energy energy;     // at its end
    double joint_elastic; // there [J]
    tn_energy_watch watch;
} step_books;

static tn_status account(const tn_solved_step *step, const tn_state *state, step_books *books, tn_error *error)
{
    const tn_step_setup *setup = step->setup;
    const tn_step_next *next = step->next;
    const tn_settings *settings = &setup->model->settings;
    tn_energy before, *out = &books->energy;
    tn_energy_at(setup->model, state->pose, state->x, state->v, state->time,
                 step->eq->energy_before + tn_sim_joints_energy_at(state), &before);
    tn_step_work work = {.dissipated = 0.0};
    tn_status status = tn_energy_work(step, state, &work, error);
    work.injected += status == TN_OK ? tn_sim_push_out_work(step, state) : 0.0;
    // The next step wants the elements there, except halfway.
    bool whole = settings->scheme != TN_SCHEME_MIDPOINT;
    status = status == TN_OK ? tn_sim_elastic(setup, next->x, whole, error) : status;
    if (status != TN_OK) {
        return status;
    }
    books->joint_elastic = tn_sim_joints_energy(step, -1);
    double end = (double)(state->step_count + 1) * settings->step;
    tn_energy_at(setup->model, next->pose, next->x, next->v, end, setup->memory->energy + books->joint_elastic, out);
    tn_energy_add_momentum(setup->model, next->pose, next->x, next->v, out);
    before.elastic += work.springs.before;
    out->elastic += work.springs.after;
    double change = (out->kinetic - before.kinetic) + (out->gravity - before.gravity) + (out->elastic - before.elastic);
    out->balance = change - work.injected + work.dissipated;
    out->dissipated = state->dissipated + work.dissipated;
    out->injected = state->injected + work.injected;
    before.injected = state->injected;
    books->watch = state->watch;
    return tn_sim_check_gain(step, &books->watch, &before, out, error);
}

// Room for what is remembered. The list's last forces lie in the room of before (tn_contact.warm): nobody reads them
// from here on.
static tn_status reserve(const tn_solved_step *step, tn_state *state, tn_error *error)
{
    return tn_state_reserve_memory(state, step->eq->rows.contacts.n_triples, error);
}

// Contact forces, world axes, for the next step's warm start. Room must be reserved.
static void remember(const tn_step_equations *eq, const tn_step_answer *answer, tn_state *state)
{
    state->n_memory = 0;
    for (int m = 0; m < tn_sim_awake_contacts(eq); m++) {
        const double *lambda = answer->solution.lambda + 3 * m;
        if (lambda[0] == 0.0 && lambda[1] == 0.0 && lambda[2] == 0.0) {
            continue; // a force of zero is what an unknown contact starts from
        }
        const tn_contact *contact = &eq->list.contacts[eq->rows.source[m]];
        tn_contact_memory *memory = &state->memory[state->n_memory++];
        *memory = (tn_contact_memory){.key_shapes = (uint64_t)contact->shape_a << 32 | (uint32_t)contact->shape_b,
                                      .key_feature = contact->feature};
        tn_mat3_tvec(memory->force, contact->frame, lambda);
        tn_vec3_copy(memory->point, contact->point);
    }
}

// The only place that writes the state; nothing in it can fail.
static void commit(const tn_solved_step *step, tn_state *state, const step_books *books)
{
    const tn_model *model = step->setup->model;
    size_t n = 3 * (size_t)model->n_blocks;
    memcpy(state->pose, step->next->pose, (size_t)model->n_bodies * sizeof *state->pose);
    memcpy(state->x, step->next->x, 3 * (size_t)model->n_nodes * sizeof *state->x);
    memcpy(state->v, step->next->v, n * sizeof *state->v);
    if (model->n_softs > 0) {
        memcpy(state->v_hat_before, state->v_hat, n * sizeof *state->v_hat);
    }
    memcpy(state->v_hat, step->answer->solution.v, n * sizeof *state->v_hat);
    tn_sim_carry(step->setup, step->next, state->v_hat);
    state->dissipated = books->energy.dissipated;
    state->injected = books->energy.injected;
    state->joint_elastic = books->joint_elastic;
    state->watch = books->watch;
    state->step_count++;
    state->time = (double)state->step_count * model->settings.step;
    remember(step->eq, step->answer, state);
    tn_sim_joints_remember(step, state);
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
static tn_status report_yield(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer,
                              tn_step_report *r, tn_error *error)
{
    const double seen = 1e-4, cancel = 1e-2, least = 1e-6; // least: [m/s, rad/s]
    double fastest = eq->problem.velocity_scale;
    for (int i = 0; i < 3 * setup->model->n_blocks; i++) {
        fastest = fmax(fastest, fabs(answer->solution.v[i]));
    }
    tn_joint_yield yield = tn_joint_step_yield(setup->model, &eq->joints, answer->solution.v);
    r->joint_yield = yield.speed;
    r->joint_yielding = -1;
    if (yield.speed > fmax(least, seen * fastest)) {
        double *room = TN_PUSH_RAW(setup->arena, double, 3 * (size_t)setup->model->n_blocks);
        if (!room) {
            return tn_error_set(error, TN_NO_MEMORY, "no memory for the forces of %d joints", setup->model->n_joints);
        }
        r->joint_yielding = yield.joint;
        r->joints_contradict =
            tn_joint_step_net(setup->model, &eq->joints, tn_sim_joint_forces(eq, answer), room) < cancel;
    }
    return TN_OK;
}

// Of the schemes with a problem to solve: from that to places and velocities. *touched: it ends early, since something
// awake has met something that sleeps.
static tn_status advance(const tn_step_setup *setup, tn_step_solving *solving, tn_step_next *next,
                         const tn_state *state, bool *touched, tn_step_report *r, tn_error *error)
{
    const tn_model *model = setup->model;
    tn_status status = solve_all(setup, solving, state, r, error);
    *touched = status == TN_OK && tn_sim_meets_sleepers(model, &solving->eq.list);
    if (*touched) {
        return TN_OK;
    }
    if (status == TN_OK && model->settings.restitution_law == TN_RESTITUTION_POISSON) {
        status = tn_sim_decompress(setup, solving, state, r, error);
    }
    if (status == TN_OK && model->settings.scheme == TN_SCHEME_IMPLICIT && model->n_softs > 0) {
        status = tn_sim_newton(setup, solving, next, state, r, error);
    }
    status =
        status == TN_OK && model->n_joints > 0 ? report_yield(setup, &solving->eq, &solving->answer, r, error) : status;
    return status == TN_OK ? tn_sim_integrate(setup, solving, next, state, r, error) : status;
}

// The stages of a step, on a whole state or on what of it is awake. Ends early where *touched.
static tn_status run_stages(const tn_step_setup *setup, tn_step_solving *solving, tn_step_next *next, tn_state *state,
                            bool *touched, tn_step_report *r, tn_error *error)
{
    tn_step_equations *eq = &solving->eq;
    const tn_step_control *control = &solving->control;
    tn_step_answer *answer = &solving->answer;
    const tn_model *model = setup->model;
    double start = tn_timer_now();
    // Elements may wait in the other arena for this step.
    tn_arena *scratch = model->n_softs > 0 ? setup->arena : tn_sim_scratch(setup);
    tn_status status = tn_sim_keep_poses(setup, eq, state, error);
    status = status == TN_OK
                 ? tn_collide(model, state, model->settings.solve.n_threads, setup->arena, scratch, &eq->list, error)
                 : status;
    if (status == TN_OK) {
        tn_sim_filter(setup, &eq->list);
    }
    if (status == TN_OK && control->tape && control->tape->replay) {
        status = tn_tape_match(control->tape, &eq->list, setup->arena, error);
    }
    double collided = tn_timer_now();
    r->collide_s += collided - start;
    *touched = status == TN_OK && tn_sim_meets_sleepers(model, &eq->list);
    if (*touched) {
        return TN_OK;
    }

    status = status == TN_OK ? discretize(setup, control, eq, answer, next, state, error) : status;
    if (status == TN_OK) {
        tn_contact_rows_warm(&eq->rows, &eq->list, model->settings.solve.n_threads, answer->solution.lambda);
        tn_sim_joints_warm(setup, eq, state, answer->solution.lambda);
    }
    status = status == TN_OK ? tn_sim_extrapolate(setup, eq, answer, state, error) : status;
    r->discretize_s += tn_timer_now() - collided;

    if (status == TN_OK) {
        status = model->settings.scheme == TN_SCHEME_PBD ? tn_sim_pbd(setup, solving, next, state, r, error)
                                                         : advance(setup, solving, next, state, touched, r, error);
    }
    return status;
}

// After the solve: books, figures, the new state.
static tn_status finish(const tn_solved_step *step, tn_state *state, tn_step_report *r, tn_error *error)
{
    const tn_model *model = step->setup->model;
    const tn_step_next *next = step->next;
    step_books books;
    double solved = tn_timer_now();
    tn_status status = account(step, state, &books, error);
    status = status == TN_OK ? reserve(step, state, error) : status;
    if (status != TN_OK) {
        return status;
    }
    r->energy = books.energy;
    r->solve.certificate.penetration = tn_sim_penetration(step);
    if (model->n_joints > 0) {
        r->solve.certificate.drift = tn_joints_drift(model, &(tn_joint_sides){next->pose, next->x}, next->coordinate);
    }
    r->certify_s += tn_timer_now() - solved;
    tn_sim_judge(step, state, r);
    commit(step, state, &books);
    return TN_OK;
}

// A step, or nothing where *touched.
static tn_status step(tn_sim *sim, tn_state *state, bool *touched, tn_step_report *r, tn_error *error)
{
    const tn_solved_step solved = tn_sim_solved(sim);
    tn_status status = run_stages(&sim->setup, &sim->solving, &sim->next, state, touched, r, error);
    status = status == TN_OK && !*touched ? finish(&solved, state, r, error) : status;
    if (status != TN_OK) {
        tn_sim_forget(&sim->solving, &sim->next);
    }
    return status;
}

// A step of what is awake; wakes what it touches instead, where *touched.
static tn_status step_awake(tn_sim *sim, tn_state *state, bool *touched, tn_step_report *r, tn_error *error)
{
    bool some_sleep = state->sleep && state->sleep->n_islands > 0;
    tn_arena_reset(sim->setup.arena);
    sim->at_rest = (tn_forces_left){NULL, NULL};
    if (sim->whole->n_softs == 0) {
        tn_arena_reset(sim->memory.scratch);
    }
    sim->setup.model = sim->whole;
    sim->n_asleep = 0;
    if (!some_sleep) {
        return step(sim, state, touched, r, error);
    }
    tn_status status = tn_awake_take(state, sim->setup.arena, &sim->awake, error);
    if (status != TN_OK) {
        return status;
    }
    sim->setup.model = &sim->awake.model;
    status = step(sim, &sim->awake.state, touched, r, error);
    tn_awake_put(&sim->awake, status == TN_OK && !*touched, state);
    if (status == TN_OK && *touched) {
        return tn_sim_wake_met(&sim->solving.eq.list, state, error);
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
    sim->setup.input = input;
    sim->solving.control.again = (tn_again){.solves = 0};
    tn_status status = tn_model_check_prescribed(model, time, end, error);
    status = status == TN_OK ? tn_state_project_velocities(state, error) : status;
    status = status == TN_OK ? tn_sim_rouse(input, state, error) : status;
    tn_sim_keep_sensors(sim->whole, state, sim->sensor_velocity);
    bool touched = false;
    do { // each time that something is touched it wakes
        r = (tn_step_report){.step = state->step_count + 1, .joint_yielding = -1};
        status = status == TN_OK ? step_awake(sim, state, &touched, &r, error) : status;
    } while (status == TN_OK && touched);
    if (status != TN_OK) {
        return status;
    }
    tn_model_find_jumps(model, time, end, &r.jump);
    tn_sim_rest(sim, state, &r);
    r.tolerances_held = tolerances_held(&model->settings.demanded, &r.solve);
    r.n_contacts = tn_sim_contact_count(sim);
    r.solves = sim->solving.control.again.solves;
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
    status = status == TN_OK ? tn_sim_move_bodies(sim->whole, &sim->moved, input, state, &moved, error) : status;
    if (status != TN_OK) {
        return status;
    }
    state->model = sim->whole = moved; // with this simulation's options, and the input's motions
    status = step_whole(sim, input, state, report, error);
    sim->setup.model = sim->setup.model == moved ? whole : sim->setup.model;
    sim->whole = whole;
    state->model = sim->given;
    return status;
}

tn_status tn_sim_replay(tn_sim *sim, const tn_input *input, tn_state *state, tn_error *error)
{
    const tn_model *whole = sim->whole, *moved = whole;
    double time = state->time, end = (double)(state->step_count + 1) * whole->settings.step;
    tn_step_report r = {.joint_yielding = -1};
    const tn_solved_step solved = tn_sim_solved(sim);
    bool touched = false; // nobody sleeps
    sim->setup.input = input;
    sim->solving.control.again = (tn_again){.solves = 0};
    tn_status status = tn_sim_move_bodies(sim->whole, &sim->moved, input, state, &moved, error);
    status = status == TN_OK ? tn_model_check_prescribed(moved, time, end, error) : status;
    state->model = sim->whole = sim->setup.model = moved;
    status = status == TN_OK ? tn_state_project_velocities(state, error) : status;
    tn_arena_reset(sim->setup.arena);
    sim->at_rest = (tn_forces_left){NULL, NULL};
    sim->n_asleep = 0;
    if (moved->n_softs == 0) {
        tn_arena_reset(sim->memory.scratch);
    }
    status = status == TN_OK ? run_stages(&sim->setup, &sim->solving, &sim->next, state, &touched, &r, error) : status;
    status = status == TN_OK ? reserve(&solved, state, error) : status;
    if (status == TN_OK) {
        commit(&solved, state,
               &(step_books){.energy = {.dissipated = state->dissipated, .injected = state->injected},
                             .joint_elastic = NAN,
                             .watch = {.kinetic_left = NAN}});
    }
    sim->setup.model = sim->whole = whole;
    state->model = sim->given;
    return status;
}
