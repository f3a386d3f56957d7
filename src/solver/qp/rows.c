#include "solver/qp/rows.h"

#include "problem/problem.h"
#include "problem/rows.h"
#include "solver/facets.h"
#include "solver/qp/parts.h"

#include <math.h>
#include <string.h>

static void count_rows(tn_qp_rows *s, int *n_parts)
{
    const tn_problem *p = s->problem;
    const tn_rows *c = p->rows;
    s->n = *n_parts = 0;
    for (int m = 0; m < c->n_triples; ++m) {
        int count = tn_facets_count(p, m);
        s->first[m] = s->n;
        s->n += count > 0 ? count : 1;
        *n_parts += (count > 0 ? count : 1) * (c->start[m + 1] - c->start[m]);
    }
    s->first[c->n_triples] = s->n;
    s->n += tn_joint_row_count(p);
    *n_parts += p->rows->n_singles > 0
                    ? p->rows->start[p->rows->n_triples + p->rows->n_singles] - p->rows->start[p->rows->n_triples]
                    : 0;
}

static bool allocate(tn_qp_rows *s, tn_arena *arena)
{
    const tn_rows *c = s->problem->rows;
    int n_parts;
    s->first = TN_PUSH_RAW(arena, int, c->n_triples + 1);
    if (!s->first) {
        return false;
    }
    count_rows(s, &n_parts);
    size_t n = (size_t)s->n, most = 3 * (size_t)s->parts->largest * (size_t)n_parts;
    s->push = TN_PUSH_RAW(arena, double, 3 * n);
    s->scale = TN_PUSH_RAW(arena, double, n);
    s->lower = TN_PUSH(arena, double, n);
    s->upper = TN_PUSH_RAW(arena, double, n);
    s->c = TN_PUSH_RAW(arena, double, n);
    s->start = TN_PUSH_RAW(arena, int, n + 1);
    s->component = TN_PUSH_RAW(arena, int, n_parts);
    s->at = TN_PUSH_RAW(arena, size_t, n_parts);
    s->g = TN_PUSH_RAW(arena, double, most);
    s->w = TN_PUSH_RAW(arena, double, most);
    s->offset = TN_PUSH_RAW(arena, int, s->parts->n + 1);
    s->mark = TN_PUSH_RAW(arena, int, s->parts->n);
    s->number = TN_PUSH_RAW(arena, double, 3 * (size_t)s->problem->A->n_rows);
    return s->push && s->scale && s->lower && s->upper && s->c && s->start && s->component && s->at && s->g && s->w &&
           s->offset && s->mark && s->number;
}

// The numbers of row i in a component, zeros if it is new.
static double *part_of(tn_qp_rows *s, int i, int component, size_t *used)
{
    for (int k = s->start[i]; k < s->start[i + 1]; ++k) {
        if (s->component[k] == component) {
            return s->g + s->at[k];
        }
    }
    int k = s->start[i + 1]++, size = tn_qp_part_size(s, component);
    s->component[k] = component;
    s->at[k] = *used;
    memset(s->g + *used, 0, (size_t)size * sizeof *s->g);
    *used += (size_t)size;
    return s->g + s->at[k];
}

// Row i += three numbers at a block.
static void add_block(tn_qp_rows *s, int i, int block, const double value[3], size_t *used)
{
    double *to = part_of(s, i, s->parts->of_block[block], used) + 3 * s->parts->place[block];
    for (int k = 0; k < 3; ++k) {
        to[k] += value[k];
    }
}

static void fill_contact(tn_qp_rows *s, int m, size_t *used)
{
    const tn_problem *p = s->problem;
    const tn_rows *c = p->rows;
    for (int i = s->first[m]; i < s->first[m + 1]; ++i) {
        double *push = s->push + 3 * (size_t)i;
        tn_facets_ray(p, m, i - s->first[m], push);
        s->start[i + 1] = s->start[i];
        for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
            double value[3] = {0.0, 0.0, 0.0};
            tn_mat3_add_tvec(value, c->jacobian + 9 * (size_t)e, push);
            add_block(s, i, c->block[e], value, used);
        }
        s->c[i] = tn_vec3_dot(push, c->offset + 3 * (size_t)m);
        s->upper[i] = INFINITY;
    }
}

static void fill_joint(tn_qp_rows *s, int row, size_t *used)
{
    const tn_rows singles = tn_rows_singles(s->problem->rows), *joints = &singles;
    int i = s->first[s->problem->rows->n_triples] + row;
    s->start[i + 1] = s->start[i];
    for (int e = joints->start[row]; e < joints->start[row + 1]; ++e) {
        add_block(s, i, joints->block[e], joints->jacobian + 3 * (size_t)e, used);
    }
    s->c[i] = joints->offset[row];
    s->lower[i] = joints->lower[row];
    s->upper[i] = joints->upper[row];
}

// A's inverse on row i, its scale and free velocity.
static void finish_row(tn_qp_rows *s, int m, int i)
{
    double own = tn_qp_own_answer(s, m, i, i), free = s->c[i];
    for (int k = s->start[i]; k < s->start[i + 1]; ++k) {
        int component = s->component[k], size = tn_qp_part_size(s, component);
        double *g = s->g + s->at[k], *w = s->w + s->at[k];
        memcpy(w, g, (size_t)size * sizeof *w);
        tn_part_solve(&s->factors, component, w);
        own += tn_qp_dot(size, g, w);
        free += tn_qp_dot(size, g, s->number + s->offset[component]);
    }
    double scale = own > 0.0 ? 1.0 / sqrt(own) : 1.0;
    s->scale[i] = scale;
    s->c[i] = free * scale;
    s->lower[i] /= scale;
    s->upper[i] /= scale;
    for (int k = s->start[i]; k < s->start[i + 1]; ++k) {
        int size = tn_qp_part_size(s, s->component[k]);
        for (int j = 0; j < size; ++j) {
            s->g[s->at[k] + (size_t)j] *= scale;
            s->w[s->at[k] + (size_t)j] *= scale;
        }
    }
}

static void gather(const tn_qp_rows *s, const double *by_block, double *by_component)
{
    for (int c = 0; c < s->parts->n; ++c) {
        for (int k = s->parts->start[c]; k < s->parts->start[c + 1]; ++k) {
            double *to = by_component + s->offset[c] + 3 * (k - s->parts->start[c]);
            tn_vec3_copy(to, by_block + 3 * (size_t)s->parts->blocks[k]);
        }
    }
}

tn_status tn_qp_rows_create(const tn_problem *problem, tn_arena *arena, tn_qp_rows *out, tn_error *error)
{
    tn_qp_rows *s = out;
    *s = (tn_qp_rows){.problem = problem, .parts = tn_problem_parts(problem, arena)};
    if (!s->parts || !allocate(s, arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the rows of %d contacts", problem->rows->n_triples);
    }
    if (tn_parts_any_sparse(s->parts)) {
        return tn_error_set(error, TN_BAD_INPUT, TN_QP_ELASTIC);
    }
    tn_status status = tn_parts_factor(problem->A, s->parts, 1, arena, &s->factors, error);
    if (status != TN_OK) {
        return status;
    }
    s->offset[0] = 0;
    for (int c = 0; c < s->parts->n; ++c) {
        s->offset[c + 1] = s->offset[c] + 3 * tn_part_size(s->parts, c);
        s->mark[c] = -1;
    }
    gather(s, problem->b, s->number);
    for (int c = 0; c < s->parts->n; ++c) {
        tn_part_solve(&s->factors, c, s->number + s->offset[c]);
    }
    size_t used = 0;
    s->start[0] = 0;
    for (int m = 0; m < problem->rows->n_triples; ++m) {
        fill_contact(s, m, &used);
        for (int i = s->first[m]; i < s->first[m + 1]; ++i) {
            finish_row(s, m, i);
        }
    }
    for (int i = s->first[problem->rows->n_triples]; i < s->n; ++i) {
        fill_joint(s, i - s->first[problem->rows->n_triples], &used);
        finish_row(s, -1, i);
    }
    return TN_OK;
}
