// Forces of the joints of trees: what the balance of each body lacks, from the leaves to the base.
#include "discretize/tree_parts.h"

#include "math/mat3.h"
#include "math/vec3.h"
#include "problem/problem.h"
#include "problem/rows.h"

#include <string.h>

static double *holds_of(const tn_tree_problem *p, const tn_tree_link *link)
{
    return p->hold + p->step->model->joints[link->joint].first_row;
}

// The holds of a link's joint bear the wrench that its body lacks with all that hangs from it: slides the force, along
// axes of one frame, the others the moment that is left. Their axes are at right angles but for what the joint is off
// by, which the second pass takes. force, moment: what they do to the link, about its center of mass.
static void bear(const tn_tree_problem *p, int l, const tn_spatial wrench, double force[3], double moment[3])
{
    const tn_tree_step *s = p->step;
    const tn_tree_link *link = &s->trees->link[l];
    const tn_joint_motion *holds = p->joints[link->joint].hold;
    double *f = holds_of(p, link), sign = link->is_a ? -1.0 : 1.0, left[3];
    int n = 6 - link->n_rates;
    tn_vec3_cross(moment, s->arm[l], wrench + 3);
    tn_vec3_sub(moment, wrench, moment);
    tn_vec3_copy(left, moment);
    tn_vec3_set(force, 0.0, 0.0, 0.0);
    for (int i = 0; i < n; i++) {
        f[i] = 0.0;
        if (!holds[i].turn) {
            f[i] = sign * tn_vec3_dot(holds[i].direction, wrench + 3);
            tn_vec3_madd(force, force, sign * f[i], holds[i].direction);
            tn_vec3_madd(left, left, -sign * f[i], link->is_a ? holds[i].about_a : holds[i].about_b);
        }
    }
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < n; i++) {
            if (holds[i].turn) {
                const double *about = link->is_a ? holds[i].about_a : holds[i].about_b;
                double more = sign * tn_vec3_dot(about, left);
                f[i] += more;
                tn_vec3_madd(left, left, -sign * more, about);
            }
        }
    }
    tn_vec3_sub(moment, moment, left);
}

// A force and a moment, world axes, on a link.
static void add_held(const tn_tree_problem *p, int l, double sign, const double force[3], const double moment[3])
{
    const tn_tree_step *s = p->step;
    double own[3], *to = p->held + 3 * (size_t)s->model->bodies[s->trees->link[l].body].block;
    tn_vec3_madd(to, to, sign, force);
    tn_mat3_tvec(own, s->turn[l], moment);
    tn_vec3_madd(to + 3, to + 3, sign, own);
}

// What a link's joint does to both of its bodies: on the other one the same force at the same place.
static void hold(const tn_tree_problem *p, int l, const double force[3], const double moment[3])
{
    const tn_tree_step *s = p->step;
    int parent = s->trees->link[l].parent;
    add_held(p, l, 1.0, force, moment);
    if (parent >= 0) {
        double between[3], other[3];
        tn_vec3_sub(between, s->arm[l], s->arm[parent]);
        tn_vec3_cross(other, between, force);
        tn_vec3_add(other, other, moment);
        add_held(p, parent, -1.0, force, other);
    }
}

void tn_tree_product(const tn_tree_problem *p, int t, const double *v, double *out)
{
    const tn_blocks *A = p->whole->A;
    const tn_tree *tree = &p->step->trees->tree[t];
    for (int l = tree->first_link; l < tree->first_link + tree->n_links; l++) {
        int block = p->step->model->bodies[p->step->trees->link[l].body].block;
        for (int row = block; row < block + 2; row++) {
            double *to = out + 3 * (size_t)row;
            tn_vec3_set(to, 0.0, 0.0, 0.0);
            for (int e = A->start[row]; e < A->start[row + 1]; e++) {
                tn_mat3_add_vec(to, A->value + 9 * (size_t)e, v + 3 * (size_t)A->column[e]);
            }
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
    double *lacking = TN_PUSH(arena, double, n), *pushed = TN_PUSH(arena, double, n);
    if (!lacking || !pushed) {
        return TN_NO_MEMORY;
    }
    memset(p->held, 0, n * sizeof *p->held);
    for (int g = 0; g < p->n_gears; g++) {
        if (p->gear[g].gone) {
            singles[p->gear[g].single] = 0.0;
        }
    }
    for (int t = 0; t < s->trees->n; t++) {
        tn_tree_product(p, t, v, lacking);
    }
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
        double force[3], moment[3];
        bear(p, l, s->room[l], force, moment);
        hold(p, l, force, moment);
    }
    tn_arena_release(arena, mark);
    return TN_OK;
}
