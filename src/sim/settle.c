// Overlaps that come out fast, passed limits and joints that start off leave no kinetic energy behind.
//
// v^ takes them out and moves the bodies. Where it does so faster than a little, the velocity after the step is that of
// a second solve of the same balance, in which overlaps need not grow but nothing pushes them apart. Scheme midpoint
// has such a solve anyway (discretize/impact.h).
#include "body/force.h"
#include "math/vec3.h"
#include "problem/islands.h"
#include "problem/rows.h"
#include "sim/sim.h"

#include <math.h>
#include <string.h>

// Slower ways out are kept, for the sake of time: what a fall of a tenth of a millimetre gives [m/s], or of the margin
// where that is less, so that what is small is not thrown up by many times its size.
static const double KEPT = 0.05;

static double kept(const tn_model *model)
{
    double rise = 2.0 * tn_vec3_norm(model->settings.gravity) * model->margin;
    return rise > 0.0 ? fmin(KEPT, sqrt(rise)) : KEPT;
}

// Contact m overlaps and is pushed apart by so much more than it bounces [m/s]; those that give way bear what their
// overlap says.
static double push_of(const tn_settings *settings, const tn_step_equations *eq, int m)
{
    bool gives_way = tn_sim_is_sprung(eq, m) || (eq->squeezed && eq->squeezed[m]);
    return gives_way ? 0.0 : tn_contact_rows_push(&eq->rows, settings, m);
}

// Whether a contact or a joint row comes out faster than what is kept.
static bool is_pushed(const tn_model *model, const tn_step_equations *eq)
{
    const tn_settings *settings = &model->settings;
    const double speed = kept(model), *gap = eq->rows.contacts.gap;
    for (int m = 0; m < tn_sim_awake_contacts(eq); m++) {
        if (gap[m] < 0.0 && push_of(settings, eq, m) > speed) {
            return true;
        }
    }
    for (int i = 0; i < eq->joints.rows.n_singles; i++) {
        if (fabs(eq->joints.push[i]) > speed) {
            return true;
        }
    }
    return false;
}

// The step's problem without pushes, its solution started from the first one's.
typedef struct quiet {
    tn_rows rows;
    tn_problem problem;
    tn_solution solution;
    tn_aims aims; // due: the islands where something comes out fast
    bool *due;    // (n_blocks) bodies and nodes of those islands
} quiet;

static double *copy_of(const tn_step_setup *setup, const double *x, size_t n)
{
    double *copy = TN_PUSH_RAW(setup->arena, double, n);
    return copy && n > 0 ? memcpy(copy, x, n * sizeof *x) : copy;
}

// Constraint i's push, of contacts, then of joint rows [m/s].
static double push_at(const tn_settings *settings, const tn_step_equations *eq, int i)
{
    int k = i - eq->rows.contacts.n_triples;
    return k >= 0 ? fabs(eq->joints.push[k]) : i < tn_sim_awake_contacts(eq) ? push_of(settings, eq, i) : 0.0;
}

// Constraints of the problem that islands are found in, as the step's are numbered.
static int triple_of(const tn_step_answer *answer, int m)
{
    return answer->reduced ? answer->reduced->triple[m] : m;
}

static int single_of(const tn_step_answer *answer, int i)
{
    return answer->reduced ? answer->reduced->single[i] : i;
}

// Block row of the reduced problem that has the model's block b, the first one of a tree for all of it.
static int reduced_block(const tn_trees *trees, int b)
{
    return trees->block[b] >= 0 ? trees->block[b] : trees->tree[trees->link[trees->link_of_block[b]].tree].block;
}

static bool set_aims(const tn_step_setup *setup, const tn_step_solving *solving, tn_aims *aims, bool *due)
{
    const tn_step_equations *eq = &solving->eq;
    const tn_step_answer *answer = &solving->answer;
    int n = eq->rows.contacts.n_triples;
    const tn_problem *problem = answer->reduced ? &answer->reduced->problem : &eq->problem;
    bool *solved = TN_PUSH(setup->arena, bool, problem->A->n_rows); // block rows of what is due
    tn_islands islands;
    if (!solved || !tn_sim_aims_create(setup, n + eq->joints.rows.n_singles, aims) ||
        tn_islands_find(problem, setup->arena, &islands) != TN_OK) {
        return false;
    }
    const double least = kept(setup->model);
    for (int k = 0; k < islands.n; k++) {
        int from = islands.triple_start[k], to = islands.triple_start[k + 1];
        int first = islands.single_start[k], end = islands.single_start[k + 1];
        double most = 0.0;
        for (int i = from; i < to; i++) {
            most = fmax(most, push_at(&setup->model->settings, eq, triple_of(answer, islands.triple[i])));
        }
        for (int i = first; i < end; i++) {
            most = fmax(most, push_at(&setup->model->settings, eq, n + single_of(answer, islands.single[i])));
        }
        for (int i = from; i < to; i++) {
            aims->due[triple_of(answer, islands.triple[i])] = most > least;
        }
        for (int i = first; i < end; i++) {
            aims->due[n + single_of(answer, islands.single[i])] = most > least;
        }
        for (int i = islands.block_start[k]; i < islands.block_start[k + 1]; i++) {
            solved[islands.block[i]] = most > least;
        }
    }
    for (int b = 0; b < setup->model->n_blocks; b++) {
        due[b] = solved[answer->reduced ? reduced_block(setup->model->trees, b) : b];
    }
    for (int i = 0; i < n + eq->joints.rows.n_singles; i++) {
        aims->part[i] = solving->control.aims.part[i];
    }
    return true;
}

static bool set_up(const tn_step_setup *setup, const tn_step_solving *solving, const tn_solution *solved, quiet *out)
{
    const tn_step_equations *eq = &solving->eq;
    out->due = TN_PUSH(setup->arena, bool, setup->model->n_blocks);
    if (!out->due || !set_aims(setup, solving, &out->aims, out->due)) {
        return false;
    }
    size_t n = (size_t)eq->rows.contacts.n_triples;
    size_t n_rows = tn_row_count(eq->problem.rows);
    double *offset = copy_of(setup, eq->problem.rows->offset, n_rows);
    out->solution = (tn_solution){.v = copy_of(setup, solved->v, 3 * (size_t)setup->model->n_blocks),
                                  .lambda = copy_of(setup, solved->lambda, n_rows)};
    if (!offset || !out->solution.v || !out->solution.lambda) {
        return false;
    }
    for (int m = 0; m < tn_sim_awake_contacts(eq); m++) {
        offset[3 * (size_t)m] += out->aims.due[m] ? push_of(&setup->model->settings, eq, m) : 0.0;
    }
    for (int i = 0; i < eq->joints.rows.n_singles; i++) {
        offset[3 * n + (size_t)i] -= out->aims.due[n + (size_t)i] ? eq->joints.push[i] : 0.0;
    }
    out->rows = *eq->problem.rows;
    out->rows.offset = offset;
    out->problem = eq->problem;
    out->problem.rows = &out->rows;
    // Little is left to bear: judged by the forces of the first solve.
    for (size_t i = 0; i < 3 * n; i++) {
        out->problem.force_scale = fmax(out->problem.force_scale, fabs(solved->lambda[i]));
    }
    out->problem.start_force = solved->lambda;
    return true;
}

bool tn_sim_settles(const tn_step_setup *setup, const tn_step_equations *eq)
{
    const tn_settings *settings = &setup->model->settings;
    // What Poisson's law gives back belongs to the first solve's forces.
    return settings->scheme != TN_SCHEME_MIDPOINT && settings->restitution_law != TN_RESTITUTION_POISSON &&
           is_pushed(setup->model, eq);
}

// Of trees that were not solved again: what holds their joints is as the step's first problem has it.
static void take_holds(const tn_model *model, tn_step_answer *answer, const bool *due)
{
    const tn_trees *trees = model->trees;
    for (int j = 0; j < model->n_joints; j++) {
        const tn_model_joint *joint = &model->joints[j];
        const int l = trees->link_of_joint[j];
        if (l >= 0 && !due[model->bodies[trees->link[l].body].block]) {
            memcpy(answer->reduced_again->hold + joint->first_row, answer->reduced->hold + joint->first_row,
                   (size_t)joint->n_rows * sizeof *answer->reduced->hold);
        }
    }
}

// Of what was not solved again velocities and forces are those of the first solve with joints' corrections, which its
// certificate does not know.
static void take_corrections(const tn_model *model, tn_step_answer *answer, quiet *q, double *push)
{
    const int n = q->rows.n_triples;
    for (int i = n; i < n + q->rows.n_singles; i++) {
        if (!q->aims.due[i]) {
            q->solution.lambda[2 * n + i] = answer->solution.lambda[2 * n + i];
        }
    }
    for (int b = 0; b < model->n_blocks; b++) {
        if (!q->due[b]) {
            tn_vec3_copy(q->solution.v + 3 * (size_t)b, answer->solution.v + 3 * (size_t)b);
            tn_vec3_copy(push + 3 * (size_t)b, answer->products.push + 3 * (size_t)b);
        }
    }
    if (answer->reduced) {
        take_holds(model, answer, q->due);
    }
}

tn_status tn_sim_settle(const tn_step_setup *setup, tn_step_solving *solving, tn_step_next *next,
                        const tn_solution *solved, tn_step_report *report, tn_error *error)
{
    tn_step_answer *answer = &solving->answer;
    tn_solve_report second;
    quiet q;
    double *push = TN_PUSH_RAW(setup->arena, double, 3 * (size_t)setup->model->n_blocks);
    if (!push || !set_up(setup, solving, solved, &q)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the second solve of %d contacts",
                            solving->eq.rows.contacts.n_triples);
    }
    const tn_sim_posed posed = {&q.problem, &q.solution, &q.aims, NULL, NULL};
    tn_sim_products products = {.push = push};
    tn_status status = tn_sim_run_solver(setup, solving, &posed, &second, report, error);
    status = status == TN_OK ? tn_sim_certify(setup, solving, &posed, &products, &second, report, error) : status;
    if (status == TN_OK && solved->v != answer->solution.v) {
        take_corrections(setup->model, answer, &q, push);
    }
    if (status == TN_OK) {
        tn_sim_merge_reports(&report->solve, &second);
        status = tn_sim_set_velocity(setup, next, q.solution.v, error);
        next->force = q.solution.lambda;
        next->push = push;
        next->holds = answer->reduced_again;
        next->joint_held = tn_single_forces(&q.rows, q.solution.lambda);
    }
    return status;
}

// What the way of a block beyond its velocity lifts: force (3) of gravity, moved at v^ less what the velocities say.
static double lifted(const tn_solved_step *step, const tn_state *state, int block, const double force[3])
{
    bool halfway = step->setup->model->settings.scheme == TN_SCHEME_MIDPOINT;
    double work = 0.0;
    for (size_t i = 3 * (size_t)block, k = 0; k < 3; i++, k++) {
        double said = halfway ? 0.5 * (state->v[i] + step->next->v[i]) : step->next->v[i];
        work -= step->eq->balance.h * force[k] * (step->answer->solution.v[i] - said);
    }
    return work;
}

double tn_sim_push_out_work(const tn_solved_step *step, const tn_state *state)
{
    const tn_model *model = step->setup->model;
    double work = 0.0;
    if (!is_pushed(model, step->eq)) {
        return 0.0;
    }
    for (int b = 0; b < model->n_bodies; b++) {
        const tn_model_body *body = &model->bodies[b];
        double force[6];
        if (body->n_blocks > 0) {
            tn_force_gravity(body, model->settings.gravity, force);
            work += lifted(step, state, body->block, force);
        }
    }
    for (int i = 0; i < model->n_nodes; i++) {
        double force[3];
        tn_vec3_scale(force, model->node_mass[i], model->settings.gravity);
        work += model->nodes[i].block >= 0 ? lifted(step, state, model->nodes[i].block, force) : 0.0;
    }
    return fmax(work, 0.0);
}
