// Forces of the joints of trees: what the balance of each body lacks, from the leaves to the base.
#include "discretize/tree_parts.h"

#include "math/blocks.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "problem/problem.h"
#include "problem/rows.h"

#include <math.h>
#include <string.h>

static double *holds_of(const tn_tree_problem *p, const tn_tree_link *link)
{
    return p->hold + p->step->model->joints[link->joint].first_row;
}

// The holds of a link's joint bear the wrench that its body lacks with all that hangs from it: slides the force, along
// axes of one frame, the others the moment that is left. Their axes are at right angles but for what the joint is off
// by, which the second pass takes.
static void bear(const tn_tree_problem *p, int l, const tn_spatial wrench)
{
    const tn_tree_step *s = p->step;
    const tn_tree_link *link = &s->trees->link[l];
    const tn_joint_motion *holds = p->joints[link->joint].hold;
    double *f = holds_of(p, link), sign = link->is_a ? -1.0 : 1.0, moment[3];
    int n = 6 - link->n_rates;
    tn_vec3_cross(moment, s->arm[l], wrench + 3);
    tn_vec3_sub(moment, wrench, moment);
    for (int i = 0; i < n; i++) {
        f[i] = holds[i].turn ? 0.0 : sign * tn_vec3_dot(holds[i].direction, wrench + 3);
        tn_vec3_madd(moment, moment, -sign * f[i], link->is_a ? holds[i].about_a : holds[i].about_b);
    }
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < n; i++) {
            const double *about = link->is_a ? holds[i].about_a : holds[i].about_b;
            double more = holds[i].turn ? sign * tn_vec3_dot(about, moment) : 0.0;
            f[i] += more;
            tn_vec3_madd(moment, moment, -sign * more, about);
        }
    }
}

// A force and a moment, world axes, on a body; turn: its principal axes.
static void add_held(const tn_tree_problem *p, int body, const double turn[9], double sign, const double force[3],
                     const double moment[3])
{
    double own[3], *to = p->held + 3 * (size_t)p->step->model->bodies[body].block;
    tn_vec3_madd(to, to, sign, force);
    tn_mat3_tvec(own, turn, moment);
    tn_vec3_madd(to + 3, to + 3, sign, own);
}

// What the holds of a link's joint do to both of its bodies.
static void hold(const tn_tree_problem *p, int l)
{
    const tn_tree_step *s = p->step;
    const tn_tree_link *link = &s->trees->link[l];
    const tn_joint_geometry *at = &p->joints[link->joint];
    const double *f = holds_of(p, link);
    double force[3] = {0.0}, on_a[3] = {0.0}, on_b[3] = {0.0}, sign = link->is_a ? -1.0 : 1.0;
    for (int i = 0; i < 6 - link->n_rates; i++) {
        const tn_joint_motion *motion = &at->hold[i];
        if (!motion->turn) {
            tn_vec3_madd(force, force, f[i], motion->direction);
        }
        tn_vec3_madd(on_a, on_a, f[i], motion->about_a);
        tn_vec3_madd(on_b, on_b, f[i], motion->about_b);
    }
    add_held(p, link->body, s->turn[l], sign, force, link->is_a ? on_a : on_b);
    if (link->parent >= 0) {
        add_held(p, link->from, s->turn[link->parent], -sign, force, link->is_a ? on_b : on_a);
    }
}

void tn_tree_product(const tn_tree_problem *p, const double *v, double *out)
{
    const tn_blocks *A = p->whole->A;
    for (int row = 0; row < A->n_rows; row++) {
        double *to = out + 3 * (size_t)row;
        tn_vec3_set(to, 0.0, 0.0, 0.0);
        for (int e = A->start[row]; p->step->trees->link_of_block[row] >= 0 && e < A->start[row + 1]; e++) {
            tn_mat3_add_vec(to, A->value + 9 * (size_t)e, v + 3 * (size_t)A->column[e]);
        }
    }
}

tn_status tn_tree_hold_forces(const tn_tree_problem *p, const double *v, tn_arena *arena, double *lambda)
{
    const tn_tree_step *s = p->step;
    const tn_rows *rows = p->whole->rows;
    size_t n = 3 * (size_t)s->model->n_blocks;
    double *singles = tn_single_forces(rows, lambda);
    tn_arena_mark mark = tn_arena_get_mark(arena);
    double *lacking = TN_PUSH_RAW(arena, double, n), *pushed = TN_PUSH(arena, double, n);
    if (!lacking || !pushed) {
        return TN_NO_MEMORY;
    }
    memset(p->held, 0, n * sizeof *p->held);
    for (int l = 0; l < s->trees->n_links; l++) {
        const tn_tree_link *link = &s->trees->link[l];
        if (link->joint >= 0 && p->row_of_joint[link->joint] >= 0) {
            memset(singles + p->row_of_joint[link->joint], 0, (size_t)(6 - link->n_rates) * sizeof *singles);
        }
    }
    for (int g = 0; g < p->n_gears; g++) {
        if (p->gear[g].gone) {
            singles[p->gear[g].single] = 0.0;
        }
    }
    tn_tree_product(p, v, lacking);
    tn_problem_add_contact_force(p->whole, lambda, pushed);
    if (rows->n_singles > 0) {
        tn_singles_add_force(rows, singles, pushed);
    }
    for (size_t i = 0; i < n; i++) {
        lacking[i] -= p->whole->b[i] + pushed[i];
    }
    if (!tn_tree_gear_forces(p, arena, singles, lacking)) {
        return TN_NO_MEMORY;
    }
    memset(s->room, 0, (size_t)s->trees->n_links * sizeof *s->room);
    for (int l = s->trees->n_links - 1; l >= 0; l--) { // children before parents
        const tn_tree_link *link = &s->trees->link[l];
        tn_tree_gather(s, l, lacking);
        if (link->joint < 0) {
            continue;
        }
        int row = p->row_of_joint[link->joint];
        bear(p, l, s->room[l]);
        if (row < 0) {
            hold(p, l);
        } else {
            memcpy(singles + row, holds_of(p, link), (size_t)(6 - link->n_rates) * sizeof *singles);
        }
    }
    tn_arena_release(arena, mark);
    return TN_OK;
}
