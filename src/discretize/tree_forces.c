// Forces of the joints of trees: what the balance of each body lacks, from the leaves to the base.
#include "discretize/tree_parts.h"

#include "math/blocks.h"
#include "math/mat3.h"
#include "math/vec3.h"
#include "problem/problem.h"
#include "problem/rows.h"

#include <math.h>
#include <string.h>

// The factors by which n columns of three add up to y, of which they bear all but rounding.
static void share(int n, const double columns[3][3], const double y[3], double out[3])
{
    double normal[9], inverse[9], right[3] = {0.0};
    tn_mat3_identity(normal);
    for (int i = 0; i < n; i++) {
        right[i] = tn_vec3_dot(columns[i], y);
        for (int j = 0; j < n; j++) {
            normal[3 * i + j] = tn_vec3_dot(columns[i], columns[j]);
        }
    }
    if (tn_mat3_inverse(inverse, normal)) {
        tn_mat3_vec(out, inverse, right);
    }
}

// The holds of a link's joint bear the wrench that its body lacks with all that hangs from it: slides the force, along
// axes of one frame, the others the moment that is left.
static void bear(const tn_tree_problem *p, int l, const tn_spatial wrench, double *f)
{
    const tn_tree_step *s = p->step;
    const tn_tree_link *link = &s->trees->link[l];
    const tn_rows singles = tn_rows_singles(p->whole->rows);
    int first = p->row_of_joint[link->joint], block = s->model->bodies[link->body].block;
    int n_turns = 0, turn[3];
    double moment[3], turns[3][3], shares[3] = {0.0};
    tn_vec3_cross(moment, s->arm[l], wrench + 3);
    tn_vec3_sub(moment, wrench, moment);
    tn_mat3_tvec(moment, s->turn[l], moment);
    for (int i = first; i < first + 6 - link->n_rates; i++) {
        double direction[3] = {0.0}, about[3] = {0.0};
        for (int e = singles.start[i]; e < singles.start[i + 1]; e++) {
            int at = singles.block[e] - block;
            if (at == 0 || at == 1) {
                tn_vec3_copy(at == 0 ? direction : about, singles.jacobian + 3 * (size_t)e);
            }
        }
        f[i] = tn_vec3_dot(direction, wrench + 3);
        if (tn_vec3_dot(direction, direction) > 0.0) {
            tn_vec3_madd(moment, moment, -f[i], about);
        } else {
            tn_vec3_copy(turns[n_turns], about);
            turn[n_turns++] = i;
        }
    }
    share(n_turns, turns, moment, shares);
    for (int k = 0; k < n_turns; k++) {
        f[turn[k]] = shares[k];
    }
}

tn_status tn_tree_hold_forces(const tn_tree_problem *p, const double *v, tn_arena *arena, double *lambda)
{
    const tn_tree_step *s = p->step;
    const tn_rows *rows = p->whole->rows;
    size_t n = 3 * (size_t)s->model->n_blocks;
    tn_arena_mark mark = tn_arena_get_mark(arena);
    double *lacking = TN_PUSH_RAW(arena, double, n), *pushed = TN_PUSH(arena, double, n);
    if (!lacking || !pushed) {
        return TN_NO_MEMORY;
    }
    memset(s->room, 0, (size_t)s->trees->n_links * sizeof *s->room);
    for (int l = 0; l < s->trees->n_links; l++) {
        const tn_tree_link *link = &s->trees->link[l];
        if (link->joint >= 0 && p->row_of_joint[link->joint] >= 0) {
            memset(lambda + 3 * (size_t)rows->n_triples + p->row_of_joint[link->joint], 0,
                   (size_t)(6 - link->n_rates) * sizeof *lambda);
        }
    }
    tn_blocks_mul(p->whole->A, v, lacking);
    tn_problem_add_contact_force(p->whole, lambda, pushed);
    if (rows->n_singles > 0) {
        tn_singles_add_force(rows, tn_single_forces(rows, lambda), pushed);
    }
    for (size_t i = 0; i < n; i++) {
        lacking[i] -= p->whole->b[i] + pushed[i];
    }
    for (int l = s->trees->n_links - 1; l >= 0; l--) { // children before parents
        const tn_tree_link *link = &s->trees->link[l];
        tn_tree_gather(s, l, lacking);
        if (link->joint >= 0 && p->row_of_joint[link->joint] >= 0) {
            bear(p, l, s->room[l], lambda + 3 * (size_t)rows->n_triples);
        }
    }
    tn_arena_release(arena, mark);
    return TN_OK;
}
