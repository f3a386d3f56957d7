// Solving the step's problem: checks that name the body where a number is none, aims as fine as contacts ask for, the
// certificate. Why it is solved again is in again.h.
#include "base/hash.h"
#include "base/timer.h"
#include "kernels/block_product.h"
#include "math/blocks.h"
#include "math/mat3.h"
#include "math/sums.h"
#include "problem/own_scale.h"
#include "problem/problem.h"
#include "problem/rows.h"
#include "sim/sim.h"
#include "sim/tape.h"

#include <math.h>
#include <string.h>

static bool holds(double figure, double tolerance)
{
    return tolerance <= 0.0 || figure <= tolerance || isnan(figure);
}

static ptrdiff_t first_not_finite(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!isfinite(x[i])) {
            return (ptrdiff_t)i;
        }
    }
    return -1;
}

// The error of what is wrong at the model's block, such as "velocity", "is not finite".
static tn_status name_body(const tn_model *model, int block, const char *what, const char *is_wrong, tn_error *error)
{
    for (int b = 0; b < model->n_bodies; b++) {
        const tn_model_body *body = &model->bodies[b];
        if (block >= body->block && block < body->block + body->n_blocks) {
            return tn_error_set(error, TN_NUMERICS, "the %s of body '%s' %s", what, tn_model_body_name(model, b),
                                is_wrong);
        }
    }
    int i = 0;
    while (i + 1 < model->n_nodes && model->nodes[i].block != block) {
        i++;
    }
    int soft = model->node_soft[i];
    return tn_error_set(error, TN_NUMERICS, "the %s of body '%s' %s at its node %d", what, model->softs[soft].name,
                        is_wrong, i - model->softs[soft].first_node);
}

// x (3 n) of the problem's block rows is finite, or the error names the first body where it is not.
static tn_status check_bodies(const tn_model *model, const tn_sim_part *part, int n, const double *x, const char *what,
                              tn_error *error)
{
    ptrdiff_t at = first_not_finite(x, 3 * (size_t)n);
    return at < 0 ? TN_OK : name_body(model, part ? part->block[at / 3] : (int)(at / 3), what, "is not finite", error);
}

// Where a solver failed: the first body whose rows of A hold no number, or whose own block is not positive definite.
// Otherwise the solver's own words stay.
static void name_matrix(const tn_model *model, const tn_sim_part *part, const tn_blocks *A, tn_error *error)
{
    for (int i = 0; i < A->n_rows; i++) {
        int block = part ? part->block[i] : i;
        size_t n = 9 * (size_t)(A->start[i + 1] - A->start[i]);
        if (first_not_finite(A->value + 9 * (size_t)A->start[i], n) >= 0) {
            name_body(model, block, "inertia or stiffness", "is not finite", error);
            return;
        }
        double values[3], vectors[9];
        tn_mat3_eigen(tn_blocks_find(A, i, i), values, vectors);
        if (!(values[0] > 0.0)) {
            name_body(model, block, "inertia plus stiffness", "is not positive definite", error);
            return;
        }
    }
}

// x (contacts, 3) is finite, or the error names the bodies of the first contact where it is not.
static tn_status check_contacts(const tn_step_setup *setup, const tn_step_equations *eq, const tn_sim_part *part, int n,
                                const double *x, const char *what, tn_error *error)
{
    ptrdiff_t at = first_not_finite(x, 3 * (size_t)n);
    if (at < 0) {
        return TN_OK;
    }
    int m = part ? part->contact[at / 3] : (int)(at / 3);
    if (m >= eq->rows.contacts.n_triples - eq->rows.n_balls) {
        return tn_error_set(error, TN_NUMERICS, "the %s in joint '%s' is not finite", what,
                            setup->model->joints[eq->rows.source[m]].name);
    }
    const tn_contact *contact = &eq->list.contacts[eq->rows.source[m]];
    return tn_error_set(error, TN_NUMERICS, "the %s between bodies '%s' and '%s' is not finite", what,
                        tn_model_body_name(setup->model, contact->body_a),
                        tn_model_body_name(setup->model, contact->body_b));
}

// What joints prescribe is finite, or the error names the first joint that prescribes something else.
static tn_status check_joints(const tn_step_setup *setup, const tn_rows *rows, tn_error *error)
{
    ptrdiff_t at = rows ? first_not_finite(rows->offset, (size_t)rows->n_singles) : -1;
    return at < 0 ? TN_OK
                  : tn_error_set(error, TN_NUMERICS, "the motion that joint '%s' prescribes is not finite",
                                 setup->model->joints[rows->joint[at]].name);
}

static tn_status check_solution(const tn_step_setup *setup, const tn_step_equations *eq, const tn_sim_posed *posed,
                                tn_error *error)
{
    const tn_problem *p = posed->problem;
    const tn_solution *s = posed->solution;
    tn_status status = check_bodies(setup->model, posed->part, p->A->n_rows, s->v, "velocity", error);
    return status == TN_OK
               ? check_contacts(setup, eq, posed->part, p->rows->n_triples, s->lambda, "contact force", error)
               : status;
}

static double force_of(const tn_problem *p)
{
    return fmax(sqrt(tn_dot(3 * (size_t)p->A->n_rows, p->b, p->b)), p->force_scale);
}

// Solve, timed; scratch is given back.
static tn_status solve(const tn_step_setup *setup, tn_step_control *control, const tn_sim_posed *posed,
                       tn_solve_report *report, double *seconds, tn_error *error)
{
    double start = tn_timer_now();
    tn_arena *scratch = tn_sim_scratch(setup);
    tn_arena_mark mark = tn_arena_get_mark(scratch);
    tn_solve_options options = setup->model->settings.solve;
    options.tolerance.natural *= control->coarser;
    options.tolerance.momentum *= posed->whole ? fmin(1.0, force_of(posed->whole) / force_of(posed->problem)) : 1.0;
    options.max_iterations -= control->spent;
    control->again.solves++;
    tn_status status =
        tn_solver_solve(setup->solver, posed->problem, &options, posed->aims, scratch, posed->solution, report, error);
    tn_arena_release(scratch, mark);
    *seconds += tn_timer_now() - start;
    return status;
}

// Of the island that moves most.
static double natural_aim(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_control *control)
{
    const tn_solve_options *o = &setup->model->settings.solve;
    size_t n = (size_t)eq->problem.rows->n_triples + (size_t)eq->problem.rows->n_singles;
    double motion = o->moving > 0.0 && control->aims.motion ? tn_largest(n, control->aims.motion) : 0.0;
    return o->tolerance.natural > 0.0 ? fmax(o->tolerance.natural, motion * o->moving) : 0.0;
}

tn_status tn_sim_certify(const tn_step_setup *setup, const tn_step_solving *solving, const tn_sim_posed *posed,
                         const tn_sim_products *products, tn_solve_report *report, tn_step_report *times,
                         tn_error *error)
{
    const tn_step_answer *answer = &solving->answer;
    double start = tn_timer_now();
    tn_arena *scratch = tn_sim_scratch(setup);
    tn_arena_mark mark = tn_arena_get_mark(scratch);
    // fclib of a second solve only where the first has it too: M alone is always easy to invert.
    tn_certificate_options options = {.with_fclib = report == &times->solve || !isnan(times->solve.certificate.fclib),
                                      .n_threads = setup->model->settings.solve.n_threads,
                                      .product = products->product,
                                      .push = products->push,
                                      .u = products->u,
                                      .scale = products->scale};
    if (answer->reduced) {
        options.held = (posed->problem == &solving->eq.problem ? answer->reduced : answer->reduced_again)->held;
    }
    tn_status status =
        tn_certificate_compute_with(posed->problem, posed->solution, &options, scratch, &report->certificate);
    tn_arena_release(scratch, mark);
    times->certify_s += tn_timer_now() - start;
    if (status != TN_OK) {
        return tn_error_set(error, status, "no memory for the certificate of %d contacts",
                            posed->problem->rows->n_triples);
    }
    const tn_certificate *c = &report->certificate;
    const tn_tolerance *t = &setup->model->settings.solve.tolerance;
    report->converged = report->converged && holds(c->momentum, t->momentum) &&
                        holds(c->natural, natural_aim(setup, &solving->eq, &solving->control)) &&
                        holds(c->fclib, t->fclib) && holds(c->joint, t->joint);
    return TN_OK;
}

// What constraints are of, as far as their order in the problem does not say: contacts of the step's list, joint rows.
static uint64_t names_of(const tn_step_equations *eq, const tn_problem *problem, const tn_sim_part *part)
{
    uint64_t hash = tn_hash_long(TN_HASH_START, part != NULL);
    for (int m = 0; m < problem->rows->n_triples; m++) {
        hash = tn_hash_long(hash, eq->rows.source[part ? part->contact[m] : m]);
    }
    const tn_joint_step *joints = part ? part->joints : &eq->joints;
    for (int i = 0; i < problem->rows->n_singles; i++) {
        hash = tn_hash_long(hash, i < joints->rows.n_singles ? joints->source[i] : -1); // others: by their order
    }
    return hash;
}

// Solved; with a tape recorded, or taken from it.
static tn_status solve_or_answer(const tn_step_setup *setup, tn_step_control *control, const tn_sim_posed *posed,
                                 uint64_t names, tn_solve_report *report, double *seconds, tn_error *error)
{
    tn_tape *tape = control->tape;
    if (tape && tape->replay) {
        return tn_tape_answer(tape, posed->problem, names, posed->solution, error);
    }
    tn_status status = solve(setup, control, posed, report, seconds, error);
    return status == TN_OK && tape ? tn_tape_keep(tape, posed->problem, names, posed->solution, error) : status;
}

// What the problem takes is finite, or the error names where it is not.
static tn_status check_problem(const tn_step_setup *setup, const tn_step_equations *eq, const tn_sim_posed *posed,
                               tn_error *error)
{
    const tn_problem *p = posed->problem;
    tn_status status = check_bodies(setup->model, posed->part, p->A->n_rows, p->b, "applied force or motion", error);
    status = status == TN_OK ? check_contacts(setup, eq, posed->part, p->rows->n_triples, p->rows->offset,
                                              "surface motion of the contact", error)
                             : status;
    return status == TN_OK ? check_joints(setup, &eq->joints.rows, error) : status;
}

// The reduced problem; a second solve of the step's takes its matrix and rows over.
static tn_status reduce(const tn_step_setup *setup, const tn_step_solving *solving, const tn_sim_posed *posed,
                        tn_tree_problem *out)
{
    const tn_step_equations *eq = &solving->eq;
    const tn_tree_problem *first = solving->answer.reduced;
    bool again = first != out && first && first->all >= out->all && tn_tree_problem_serves(first, posed->problem);
    return again ? tn_tree_problem_again(first, posed->problem, posed->solution, posed->aims, setup->arena, out)
                 : tn_tree_problem_create(&eq->trees, posed->problem, &eq->joints, posed->solution, posed->aims,
                                          setup->arena, out);
}

// In the coordinates of mechanisms; again where limits or servos are reached that the first problem takes for granted.
static tn_status solve_reduced(const tn_step_setup *setup, tn_step_solving *solving, const tn_sim_posed *posed,
                               uint64_t names, tn_solve_report *report, tn_step_report *times, tn_error *error)
{
    const tn_step_equations *eq = &solving->eq;
    bool softs = setup->model->n_softs > 0;
    tn_tree_problem *reduced = TN_PUSH_RAW(setup->arena, tn_tree_problem, 1);
    *(posed->problem == &eq->problem ? &solving->answer.reduced : &solving->answer.reduced_again) = reduced;
    if (!reduced) {
        return TN_NO_MEMORY;
    }
    const tn_sim_posed solved = {.problem = &reduced->problem,
                                 .solution = &reduced->solution,
                                 .aims = posed->aims ? &reduced->aims : NULL,
                                 .whole = softs ? posed->problem : NULL};
    // Who refuses joint rows, or is to repeat a step, is given all of them in every step.
    bool takes = (setup->solver->sets & TN_TAKES_SINGLES) == TN_TAKES_SINGLES;
    reduced->all = !takes || solving->control.tape;
    for (int iterations = 0;; reduced->all = true) {
        tn_status status = reduce(setup, solving, posed, reduced);
        status = status == TN_OK ? tn_solver_check(setup->solver, solved.problem, error) : status;
        status = status == TN_OK
                     ? solve_or_answer(setup, &solving->control, &solved, names, report, &times->solve_s, error)
                     : status;
        report->iterations = iterations += report->iterations;
        if (status != TN_OK || reduced->all || !tn_tree_problem_is_beyond(reduced)) {
            return status == TN_OK ? tn_tree_problem_finish(reduced, setup->arena, posed->solution) : status;
        }
    }
}

// Of a problem whose parts are known: the same order as tn_solver_run, with the stages timed and failures named by
// body.
static tn_status run_known(const tn_step_setup *setup, tn_step_solving *solving, const tn_sim_posed *posed,
                           tn_solve_report *report, tn_step_report *times, tn_error *error)
{
    const tn_step_equations *eq = &solving->eq;
    bool reduces = setup->model->trees && !posed->part;
    if (!reduces && tn_solver_check(setup->solver, posed->problem, error) != TN_OK) {
        return TN_BAD_INPUT;
    }
    tn_status status = check_problem(setup, eq, posed, error);
    uint64_t names = solving->control.tape ? names_of(eq, posed->problem, posed->part) : 0;
    if (status == TN_OK && reduces) {
        status = solve_reduced(setup, solving, posed, names, report, times, error);
    } else if (status == TN_OK) {
        status = solve_or_answer(setup, &solving->control, posed, names, report, &times->solve_s, error);
    }
    if (status == TN_NO_MEMORY && reduces) {
        return tn_error_set(error, status, "no memory for the reduced coordinates of %d joints",
                            setup->model->n_joints);
    }
    if (status == TN_NUMERICS && !reduces) {
        name_matrix(setup->model, posed->part, posed->problem->A, error);
    }
    return status == TN_OK ? check_solution(setup, eq, posed, error) : status;
}

tn_status tn_sim_run_solver(const tn_step_setup *setup, tn_step_solving *solving, const tn_sim_posed *posed,
                            tn_solve_report *report, tn_step_report *times, tn_error *error)
{
    *report = (tn_solve_report){.solver = setup->solver->name, .converged = true, .theta = NAN};
    int n = posed->problem->A->n_rows;
    if (n == 0) {
        return TN_OK;
    }
    tn_sim_posed known = *posed;
    known.problem = tn_problem_with_parts(posed->problem, setup->arena); // second solves: A is not the model's
    return known.problem ? run_known(setup, solving, &known, report, times, error)
                         : tn_error_set(error, TN_NO_MEMORY, "no memory for the parts of %d block rows", n);
}

// The room of an earlier solve's products is given back where nothing else lies there.
static void drop_products(const tn_step_setup *setup, tn_step_answer *answer)
{
    answer->products = (tn_sim_products){0};
    if (tn_sim_after(setup) != setup->arena) {
        tn_arena_release(tn_sim_after(setup), 0);
    }
}

// Room for answer->products.
static tn_status push_products(const tn_step_setup *setup, const tn_step_equations *eq, tn_step_answer *answer,
                               tn_error *error)
{
    size_t n = 3 * (size_t)setup->model->n_blocks, n_rows = 3 * (size_t)eq->rows.contacts.n_triples;
    tn_arena *arena = tn_sim_after(setup);
    drop_products(setup, answer);
    answer->products = (tn_sim_products){.product = TN_PUSH_RAW(arena, double, n),
                                         .push = TN_PUSH_RAW(arena, double, n),
                                         .u = TN_PUSH_RAW(arena, double, n_rows),
                                         .scale = TN_PUSH_RAW(arena, double, eq->rows.contacts.n_triples)};
    bool ok = answer->products.product && answer->products.push && answer->products.u && answer->products.scale;
    return ok ? TN_OK : tn_error_set(error, TN_NO_MEMORY, "no memory for %zu velocities", n);
}

tn_status tn_sim_multiply(const tn_step_setup *setup, const tn_step_equations *eq, tn_step_answer *answer,
                          tn_error *error)
{
    tn_status status = push_products(setup, eq, answer, error);
    if (status != TN_OK) {
        return status;
    }
    const tn_sim_products *p = &answer->products;
    size_t n = 3 * (size_t)setup->model->n_blocks;
    if (answer->reduced) {
        memcpy(p->push, answer->reduced->held, n * sizeof *p->push);
    } else {
        memset(p->push, 0, n * sizeof *p->push);
    }
    tn_block_product(eq->balance.A, answer->solution.v, p->product, setup->model->settings.solve.n_threads);
    tn_problem_apply(&eq->problem, answer->solution.v, answer->solution.lambda, p->u, p->push);
    if (eq->problem.rows->n_singles > 0) {
        tn_singles_add_force(eq->problem.rows, tn_single_forces(eq->problem.rows, answer->solution.lambda), p->push);
    }
    return TN_OK;
}

static double norm(int n, const double *x)
{
    return sqrt(tn_dot((size_t)n, x, x));
}

bool tn_sim_aims_create(const tn_step_setup *setup, int n, tn_aims *out)
{
    *out = (tn_aims){.due = TN_PUSH(setup->arena, bool, n),
                     .part = TN_PUSH_RAW(setup->arena, double, n),
                     .motion = TN_PUSH(setup->arena, double, n)};
    for (int i = 0; out->part && i < n; i++) {
        out->part[i] = 1.0;
    }
    return out->due && out->part && out->motion;
}

// The natural figure is relative to the largest forces of an island. A contact of a light body in a heap, or under a
// weight a million times its own, is wrong by as much as it likes then: so each is judged on the scale of its own
// bodies as well, and by how far it lets them sink into one another; those that would do with a smaller part of the aim
// are due again, none where somebody has demanded how exact a step shall be. False: none.
static bool ask_finer(const tn_step_setup *setup, tn_step_solving *solving, const tn_solve_report *report)
{
    const tn_step_answer *answer = &solving->answer;
    const double at_rest = 1e-2; // of heaps' contacts one in a hundred thousand to one in three hundred is above it
    const double moving =
        500.0 *
        setup->model->settings.solve.moving; // rigid/stack100: 1000 leaves 2 cm; rigid/repose: 300 takes 1.3 times
    const double deep = 5e-3;                // of the smallest shape: what tests of misses forgive is twice that
    const tn_problem *p = &solving->eq.problem;
    const tn_rows *c = p->rows;
    tn_aims *aims = &solving->control.aims;
    double sinks = deep * setup->model->smallest / p->step; // [m/s]
    double all = report->certificate.natural * fmax(norm(3 * c->n_triples, answer->solution.lambda), p->force_scale);
    bool free = setup->model->settings.solve.enough > 0.0, any = false;
    aims->free = false;
    for (int m = 0; m < c->n_triples + c->n_singles; m++) {
        bool judged = free && aims->due[m] && m < c->n_triples - c->n_frictions;
        aims->due[m] = false;
        if (!judged) {
            continue;
        }
        const double *lambda = answer->solution.lambda + 3 * (size_t)m, *u = answer->products.u + 3 * (size_t)m;
        double allowed = fmax(at_rest, moving * aims->motion[m]);
        double scale = answer->products.scale[m] + (c->softness ? c->softness[9 * (size_t)m] : 0.0);
        bool idle = lambda[0] == 0.0 && lambda[1] == 0.0 && lambda[2] == 0.0 && u[0] >= 0.0;
        if (!idle && all * scale > fmin(allowed * p->change_scale, sinks)) { // it may be as bad as all of them together
            double wrong = tn_own_error(p, m, 1.0 / scale, lambda, u, allowed) / allowed;
            wrong = fmax(wrong, -u[0] / sinks);
            aims->due[m] = wrong > 1.0;
            aims->part[m] *= aims->due[m] ? 1.0 / wrong : 1.0;
            any = any || aims->due[m];
        }
    }
    return any;
}

// Solved and certified once.
static tn_status solve_once(const tn_step_setup *setup, tn_step_solving *solving, tn_step_report *report,
                            tn_error *error)
{
    tn_step_answer *answer = &solving->answer;
    const tn_sim_posed posed = {&solving->eq.problem, &answer->solution, &solving->control.aims, NULL, NULL};
    drop_products(setup, answer);
    tn_status status = tn_sim_run_solver(setup, solving, &posed, &report->solve, report, error);
    bool grows = status == TN_NUMERICS && solving->control.again.n[TN_AGAIN_SQUEEZED] == 0 &&
                 tn_sim_is_squeezed(setup, &solving->eq, answer);
    if (grows) { // without end, says the solver: nowhere to go
        report->solve.converged = false;
        status = TN_OK;
    }
    if (status == TN_OK && answer->reduced) {
        status = tn_sim_leave_overlaps(setup, &solving->eq, answer->reduced, error);
    }
    status = status == TN_OK ? push_products(setup, &solving->eq, answer, error) : status;
    return status == TN_OK ? tn_sim_certify(setup, solving, &posed, &answer->products, &report->solve, report, error)
                           : status;
}

// The same with aims as fine as it takes; on top of the report's iterations.
static tn_status solve_finely(const tn_step_setup *setup, tn_step_solving *solving, int iterations,
                              tn_step_report *report, tn_error *error)
{
    const tn_step_equations *eq = &solving->eq;
    tn_step_control *control = &solving->control;
    int n = eq->problem.rows->n_triples + eq->problem.rows->n_singles;
    bool converged = true;
    int solves = control->tape ? control->tape->n : 0;
    if (!tn_sim_aims_create(setup, n, &control->aims)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the aims of %d constraints", n);
    }
    control->aims.free = !control->joined;
    for (int i = 0; i < n; i++) {
        control->aims.due[i] = !control->joined || (i < eq->problem.rows->n_triples && control->joined[i]);
        control->aims.motion[i] = control->aims.due[i] ? 0.0 : 1.0; // of what was solved before nobody asks again
    }
    control->joined = NULL;
    control->spent = 0;
    for (;;) {
        tn_status status = solve_once(setup, solving, report, error);
        control->spent += report->solve.iterations;
        report->solve.iterations = iterations += report->solve.iterations;
        report->solve.converged = converged = converged && report->solve.converged;
        bool replays = control->tape && control->tape->replay;
        bool more = control->spent < setup->model->settings.solve.max_iterations;
        if (status != TN_OK || replays || !more || tn_sim_is_squeezed(setup, eq, &solving->answer) ||
            !tn_again_may(&control->again, TN_AGAIN_FINER) || !ask_finer(setup, solving, &report->solve)) {
            control->spent = 0;
            return status;
        }
        if (control->tape) {
            tn_tape_rewind(control->tape, solves);
        }
    }
}

tn_status tn_sim_own_offset(const tn_step_setup *setup, tn_step_equations *eq, tn_error *error)
{
    const tn_rows *c = &eq->rows.contacts;
    size_t n_rows = 3 * (size_t)c->n_triples + (size_t)eq->joints.rows.n_singles;
    if (eq->own_offset && eq->constraints.offset == eq->own_offset) {
        return TN_OK;
    }
    double *offset = TN_PUSH_RAW(setup->arena, double, n_rows);
    if (!offset) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the offsets of %d contacts", c->n_triples);
    }
    memcpy(offset, eq->problem.rows->offset, n_rows * sizeof *offset);
    eq->own_offset = offset;
    eq->rows.contacts.offset = eq->constraints.offset = offset;
    return TN_OK;
}

tn_status tn_sim_solve(const tn_step_setup *setup, tn_step_solving *solving, tn_step_report *report, tn_error *error)
{
    tn_step_equations *eq = &solving->eq;
    tn_step_control *control = &solving->control;
    tn_step_answer *answer = &solving->answer;
    control->coarser = 1.0;
    if (eq->problem.A->n_rows == 0) {
        report->solve = (tn_solve_report){.solver = setup->solver->name,
                                          .converged = true,
                                          .theta = NAN,
                                          .certificate = {.fclib = NAN, .drift = NAN}};
        return tn_sim_multiply(setup, eq, answer, error);
    }
    tn_status status = solve_finely(setup, solving, 0, report, error);
    while (status == TN_OK && tn_sim_is_squeezed(setup, eq, answer) &&
           tn_again_may(&control->again, TN_AGAIN_SQUEEZED)) {
        status = tn_sim_relieve(setup, eq, answer, error);
        status = status == TN_OK ? solve_finely(setup, solving, report->solve.iterations, report, error) : status;
    }
    report->spring_solves = 0;
    for (bool done = !eq->rows.spring; status == TN_OK && !done;) {
        status = tn_sim_yield(setup, solving, &done, report, error);
        if (status == TN_OK && !done) {
            status = solve_finely(setup, solving, report->solve.iterations, report, error);
        }
    }
    control->coarser = 1.0;
    return status;
}
