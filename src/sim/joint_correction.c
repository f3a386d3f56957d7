// Corrections of positions: one factor of the bodies and joints for all errors of the same rows; solver direct where
// limits have to be held as well or soft bodies go along.
#include "sim/joint_correction.h"

#include "math/blocks.h"
#include "math/vec3.h"
#include "problem/rows.h"

#include <math.h>
#include <string.h>

// Of an error, what a correction with the whole A may leave: it is of first order anyway.
static const double ROUGH = 1e-4;

double tn_joint_correction_span(const tn_step_setup *setup, const tn_step_equations *eq)
{
    return setup->model->joints_move_nodes ? eq->balance.h : 1.0;
}

// The blocks that rows act on, numbered anew.
typedef struct part {
    int n;
    int *block;  // (n) the model's
    int *number; // (model->n_blocks) and back; -1
} part;

static bool find_part(const tn_model *model, tn_rows *rows, tn_arena *arena, part *out)
{
    int n_entries = rows->start[rows->n_singles];
    int *block = TN_PUSH_RAW(arena, int, n_entries);
    *out =
        (part){.block = TN_PUSH_RAW(arena, int, model->n_blocks), .number = TN_PUSH_RAW(arena, int, model->n_blocks)};
    if (!block || !out->block || !out->number) {
        return false;
    }
    memset(out->number, -1, (size_t)model->n_blocks * sizeof *out->number);
    for (int e = 0; e < n_entries; e++) {
        int *number = &out->number[rows->block[e]];
        if (*number < 0) {
            *number = out->n;
            out->block[out->n++] = rows->block[e];
        }
        block[e] = *number;
    }
    rows->block = block;
    return true;
}

// M of the part's blocks, or as the step has it: h times those of A, which tension in joints adds to.
static tn_blocks *part_mass(const tn_step_setup *setup, const tn_step_equations *eq, const part *p, bool as_in_step)
{
    double *diagonal = TN_PUSH(setup->arena, double, 9 * (size_t)p->n);
    for (int i = 0; diagonal && i < p->n; i++) {
        const double *A = tn_blocks_find(eq->balance.A, p->block[i], p->block[i]);
        for (int k = 0; k < 9; k++) {
            double mass = k % 4 == 0 ? eq->balance.mass[3 * p->block[i] + k / 4] : 0.0;
            diagonal[9 * i + k] = as_in_step ? eq->balance.h * A[k] : mass;
        }
    }
    return diagonal ? tn_blocks_from_diagonal(p->n, diagonal, setup->arena) : NULL;
}

// What errors are weighed by: M of the blocks that rows act on, numbered anew. With nodes of soft bodies the whole A:
// moved alone they would strain the elements round them, and midpoint keep that as an oscillation.
static bool weigh(const tn_step_setup *setup, const tn_step_equations *eq, bool as_in_step, tn_joint_correction *c)
{
    part p = {.n = setup->model->n_blocks};
    c->problem = (tn_problem){.rows = &c->rows, .step = 1.0};
    if (setup->model->joints_move_nodes) {
        c->problem.A = eq->problem.A;
        c->problem.hints = eq->problem.hints;
    } else {
        c->problem.A =
            find_part(setup->model, &c->rows, setup->arena, &p) ? part_mass(setup, eq, &p, as_in_step) : NULL;
    }
    c->block = p.block;
    c->problem.b = TN_PUSH(setup->arena, double, 3 * (size_t)p.n);
    c->way = TN_PUSH(setup->arena, double, 3 * (size_t)p.n);
    c->force = TN_PUSH(setup->arena, double, c->rows.n_singles);
    return c->problem.A && c->problem.b && c->way && c->force;
}

// All rows hold, whatever the force.
static bool are_free(const tn_rows *rows, bool *held)
{
    bool free = true;
    for (int i = 0; i < rows->n_singles; i++) {
        held[i] = true;
        free = free && rows->lower[i] == -INFINITY && rows->upper[i] == INFINITY;
    }
    return free;
}

tn_status tn_joint_correction_create(const tn_step_setup *setup, const tn_step_equations *eq, const tn_rows *rows,
                                     bool as_in_step, const tn_joint_correction *last, tn_joint_correction *out)
{
    *out = (tn_joint_correction){.rows = *rows};
    bool *held = TN_PUSH_RAW(setup->arena, bool, rows->n_singles);
    if (!held || !weigh(setup, eq, as_in_step, out)) {
        return TN_NO_MEMORY;
    }
    if (setup->model->joints_move_nodes || !are_free(rows, held)) {
        return TN_OK;
    }
    bool fits = last && last->factored;
    tn_status status = TN_OK;
    if (fits) {
        out->motion = last->motion;
    }
    if (!fits || !tn_motion_renew(&out->motion, &out->problem, held)) {
        status = tn_motion_create(&out->motion, &out->problem, NULL, held, setup->arena, &fits);
    }
    out->factored = status == TN_OK && fits && tn_motion_factor(&out->motion);
    return status;
}

static tn_status solve(const tn_step_setup *setup, tn_joint_correction *c, tn_error *error)
{
    tn_solve_report report = {.converged = true};
    tn_solution solution = {.v = c->way, .lambda = c->force};
    tn_arena *scratch = tn_sim_scratch(setup);
    tn_arena_mark mark = tn_arena_get_mark(scratch);
    tn_solve_options options = setup->model->settings.solve;
    options.tolerance.joint = setup->model->joints_move_nodes ? ROUGH : options.tolerance.joint;
    tn_status status =
        tn_solver_call(tn_solver_find("direct"), &c->problem, &options, scratch, &solution, &report, error);
    tn_arena_release(scratch, mark);
    return status;
}

tn_status tn_joint_correction_find(const tn_step_setup *setup, tn_joint_correction *c, double *v, tn_error *error)
{
    tn_status status = TN_OK;
    if (c->factored) {
        tn_motion_find_rough(&c->motion); // of first order in the errors anyway
        tn_motion_put(&c->motion, c->way, c->force);
    } else {
        status = solve(setup, c, error);
    }
    for (int i = 0; status == TN_OK && i < c->problem.A->n_rows; i++) {
        tn_vec3_copy(v + 3 * (size_t)(c->block ? c->block[i] : i), c->way + 3 * (size_t)i);
    }
    return status;
}
