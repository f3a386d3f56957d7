#include "solver/cond/system.h"

#include "kernels/block_product.h"
#include "math/mat3.h"
#include "problem/problem.h"

#include <string.h>

// Nodes: A in the sliced format, W, b. Where there are none every row is a lane of its own and no format is needed.
static tn_status set_nodes(tn_cond_system *s, const tn_cond_options *cond, tn_arena *arena)
{
    const tn_problem *p = s->problem;
    const tn_layout *layout = p->hints ? p->hints->layout : NULL;
    const tn_ordering *order = layout && layout->plain.n_rows > 0 ? &layout->plain : &s->own_order;
    if (order == &s->own_order && tn_ordering_create(p->A, s->bodies.parts, arena, &s->own_order) != TN_OK) {
        return TN_NO_MEMORY;
    }
    int n_slices = cond->invert_bodies ? order->n_large : order->n_slices;
    bool single = s->bodies.n_nodes >= cond->single_from;
    double *squares = TN_PUSH(arena, double, TN_SELL_LANES * order->n_slices);
    s->v = TN_PUSH(arena, double, single ? 3 * s->n_rows : 0);
    s->Av = TN_PUSH(arena, double, single ? 3 * s->n_rows : 0);
    if (!squares || !s->v || !s->Av || tn_sell_create(order, single, arena, &s->matrix) != TN_OK ||
        tn_fpi_create(&s->matrix, n_slices, p->rows->n_triples + s->n_rows, p->law, arena, &s->fpi) != TN_OK) {
        return TN_NO_MEMORY;
    }
    tn_sell_fill(&s->matrix, p->A, squares, s->n_threads);
    tn_fpi_set_b(&s->fpi, p->b);
    tn_fpi_set_frobenius_w(&s->fpi, squares);
    for (int at = 0; at < TN_SELL_LANES * n_slices; at++) {
        if (order->row[at] >= 0 && cond->uniform_w > 0.0) {
            s->fpi.w[at] = cond->uniform_w;
        }
        if (order->row[at] < 0 || !s->bodies.is_node[order->row[at]]) {
            s->fpi.w[at] = 0.0;
        }
    }
    s->lane = order->lane;
    s->n_packed = tn_sell_packed_size(order);
    return TN_OK;
}

static tn_status set_bodies_alone(tn_cond_system *s, tn_arena *arena)
{
    int *lane = TN_PUSH(arena, int, s->n_rows);
    for (int row = 0; lane && row < s->n_rows; row++) {
        lane[row] = row;
    }
    s->lane = lane;
    s->n_packed = 4 * s->n_rows;
    return lane ? TN_OK : TN_NO_MEMORY;
}

tn_status tn_cond_system_create(const tn_problem *problem, const tn_cond_options *cond, int n_threads, tn_arena *arena,
                                tn_cond_system *out, tn_error *error)
{
    tn_cond_system *s = out;
    *s = (tn_cond_system){.problem = problem, .n_rows = problem->A->n_rows, .n_threads = n_threads};
    tn_status status = tn_cond_bodies_create(s->problem, cond->invert_bodies, arena, &s->bodies, error);
    if (status != TN_OK) {
        return status;
    }
    status = s->bodies.n_nodes > 0 ? set_nodes(s, cond, arena) : set_bodies_alone(s, arena);
    if (status == TN_OK) {
        s->f = TN_PUSH(arena, double, s->n_packed);
        status = s->f ? tn_cond_set_contacts(s, arena) : TN_NO_MEMORY;
    }
    return status == TN_OK ? TN_OK : tn_error_set(error, status, "no memory to prepare cond");
}

void tn_cond_pack(const tn_cond_system *s, const tn_solution *solution, double *x)
{
    memset(x, 0, (size_t)s->n_packed * sizeof *x);
    for (int row = 0; row < s->n_rows; row++) {
        memcpy(x + 4 * (size_t)s->lane[row], solution->v + 3 * (size_t)row, 3 * sizeof *x);
    }
    for (int m = 0; m < s->general.n_triples; m++) {
        memcpy(x + s->n_packed + 3 * m, solution->lambda + 3 * (size_t)s->general_of[m], 3 * sizeof *x);
    }
}

// The force of a contact of the kernel: push / (alpha w) in world axes.
static void nodal_force(const tn_cond_system *s, int m, double alpha, double lambda[3])
{
    const tn_rows *contacts = s->problem->rows;
    int e = contacts->start[m], lane = s->lane[contacts->block[e]];
    double push[3], scale = 1.0 / (alpha * s->fpi.w[lane]);
    tn_fpi_get_push(&s->fpi, lane, push);
    tn_mat3_vec(lambda, contacts->jacobian + 9 * (size_t)e, push);
    for (int i = 0; i < 3; i++) {
        lambda[i] *= scale;
    }
}

void tn_cond_unpack(const tn_cond_system *s, const double *x, double alpha, tn_solution *solution)
{
    for (int row = 0; row < s->n_rows; row++) {
        memcpy(solution->v + 3 * (size_t)row, x + 4 * (size_t)s->lane[row], 3 * sizeof *x);
    }
    for (int m = 0; m < s->general.n_triples; m++) {
        memcpy(solution->lambda + 3 * (size_t)s->general_of[m], x + s->n_packed + 3 * m, 3 * sizeof *x);
    }
    for (int k = 0; k < s->n_nodal; k++) {
        nodal_force(s, s->nodal[k], alpha, solution->lambda + 3 * (size_t)s->nodal[k]);
    }
}

// Numbers of the rows to their lanes.
static void scatter_rows(const tn_cond_system *s, const double *y, double *Av)
{
    for (int row = 0; row < s->n_rows; row++) {
        memcpy(Av + 4 * (size_t)s->lane[row], y + 3 * (size_t)row, 3 * sizeof *Av);
    }
}

bool tn_cond_known_product(const tn_cond_system *s, const double *v, double *Av)
{
    const tn_problem *p = s->problem;
    if (!p->hints || !p->hints->known_v || memcmp(p->hints->known_v, v, 3 * (size_t)s->n_rows * sizeof *v) != 0) {
        return false;
    }
    scatter_rows(s, p->hints->known_product, Av);
    return true;
}

void tn_cond_product(const tn_cond_system *s, const double *v, double *Av)
{
    if (s->matrix.value) {
        tn_sell_product(&s->matrix, v, Av, s->n_threads);
        return;
    }
    const tn_blocks *A = s->problem->A;
    if (s->matrix.single) {
        tn_sell_unpack(s->matrix.order, v, s->v);
        tn_block_product(A, s->v, s->Av, s->n_threads);
        scatter_rows(s, s->Av, Av);
        return;
    }
    for (int row = 0; row < s->n_rows; row++) {
        double *y = Av + 4 * (size_t)s->lane[row];
        tn_vec3_set(y, 0.0, 0.0, 0.0);
        for (int e = A->start[row]; e < A->start[row + 1]; e++) {
            tn_mat3_add_vec(y, A->value + 9 * (size_t)e, v + 4 * (size_t)s->lane[A->column[e]]);
        }
    }
}

void tn_cond_set_reference(tn_cond_system *s, const double *x, const double *Ax)
{
    if (s->matrix.single) {
        tn_fpi_set_reference(&s->fpi, s->problem->b, x, Ax);
    }
}
