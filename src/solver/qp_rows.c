#include "solver/qp_rows.h"

#include "math/mat3.h"
#include "problem/joint_rows.h"
#include "problem/problem.h"
#include "solver/facets.h"

#include <math.h>
#include <string.h>

bool tn_qp_rows_small_components(const tn_blocks *A)
{
    for (int i = 0; i < A->n_rows; ++i) {
        int reached[TN_COMPONENT_BLOCKS] = {i}, n = 1;
        for (int k = 0; k < n; ++k) {
            for (int e = A->start[reached[k]]; e < A->start[reached[k] + 1]; ++e) {
                int j = 0;
                while (j < n && reached[j] != A->column[e]) {
                    ++j;
                }
                if (j == n && n == TN_COMPONENT_BLOCKS) {
                    return false;
                }
                if (j == n) {
                    reached[n++] = A->column[e];
                }
            }
        }
    }
    return true;
}

// ---- which rows

static void count_rows(tn_qp_rows *s, int *n_parts)
{
    const tn_problem *p = s->problem;
    const tn_contacts *c = p->contacts;
    s->n = *n_parts = 0;
    for (int m = 0; m < c->n; ++m) {
        int count = tn_facets_count(p, m);
        s->first[m] = s->n;
        s->n += count > 0 ? count : 1;
        *n_parts += (count > 0 ? count : 1) * (c->start[m + 1] - c->start[m]);
    }
    s->first[c->n] = s->n;
    s->n += tn_joint_row_count(p);
    *n_parts += p->joints && p->joints->n > 0 ? p->joints->start[p->joints->n] : 0;
}

static bool allocate(tn_qp_rows *s, tn_arena *arena)
{
    const tn_contacts *c = s->problem->contacts;
    int n_parts;
    s->first = TN_PUSH_RAW(arena, int, c->n + 1);
    if (!s->first) {
        return false;
    }
    count_rows(s, &n_parts);
    size_t n = (size_t)s->n, most = 3 * TN_COMPONENT_BLOCKS * (size_t)n_parts;
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
    s->offset = TN_PUSH_RAW(arena, int, s->components.n + 1);
    s->mark = TN_PUSH_RAW(arena, int, s->components.n);
    s->number = TN_PUSH_RAW(arena, double, 3 * (size_t)s->problem->A->n_rows);
    return s->push && s->scale && s->lower && s->upper && s->c && s->start && s->component && s->at && s->g && s->w &&
           s->offset && s->mark && s->number;
}

static int size_of(const tn_qp_rows *s, int component)
{
    return s->offset[component + 1] - s->offset[component];
}

// The numbers of row i in a component, zeros if it is new.
static double *part_of(tn_qp_rows *s, int i, int component, size_t *used)
{
    for (int k = s->start[i]; k < s->start[i + 1]; ++k) {
        if (s->component[k] == component) {
            return s->g + s->at[k];
        }
    }
    int k = s->start[i + 1]++, size = size_of(s, component);
    s->component[k] = component;
    s->at[k] = *used;
    memset(s->g + *used, 0, (size_t)size * sizeof *s->g);
    *used += (size_t)size;
    return s->g + s->at[k];
}

// Row i += three numbers at a block.
static void add_block(tn_qp_rows *s, int i, int block, const double value[3], size_t *used)
{
    double *to = part_of(s, i, s->components.of_block[block], used) + 3 * s->components.place[block];
    for (int k = 0; k < 3; ++k) {
        to[k] += value[k];
    }
}

static void fill_contact(tn_qp_rows *s, int m, size_t *used)
{
    const tn_problem *p = s->problem;
    const tn_contacts *c = p->contacts;
    int count = tn_facets_count(p, m);
    double mu = tn_facets_mu(p, m);
    for (int i = s->first[m]; i < s->first[m + 1]; ++i) {
        double *push = s->push + 3 * (size_t)i, d[2] = {0.0, 0.0};
        if (count > 0) {
            tn_facets_direction(p, m, i - s->first[m], d);
        }
        tn_vec3_set(push, 1.0, mu * d[0], mu * d[1]);
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
    const tn_joint_rows *joints = s->problem->joints;
    int i = s->first[s->problem->contacts->n] + row;
    s->start[i + 1] = s->start[i];
    for (int e = joints->start[row]; e < joints->start[row + 1]; ++e) {
        add_block(s, i, joints->block[e], joints->jacobian + 3 * (size_t)e, used);
    }
    s->c[i] = joints->offset[row];
    s->lower[i] = joints->lower[row];
    s->upper[i] = joints->upper[row];
}

// ---- numbers

static double dot(int n, const double *x, const double *y)
{
    if (n == 6) { // a rigid body
        return ((x[0] * y[0] + x[2] * y[2]) + x[4] * y[4]) + ((x[1] * y[1] + x[3] * y[3]) + x[5] * y[5]);
    }
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * y[i];
    }
    return sum;
}

// What Omega and compliance add between rows i and j of one contact, or to a joint row itself; before scaling.
static double own_answer(const tn_qp_rows *s, int m, int i, int j)
{
    const tn_contacts *c = s->problem->contacts;
    if (m < 0) {
        return i == j ? s->problem->joints->compliance[i - s->first[c->n]] : 0.0;
    }
    if (!c->omega) {
        return 0.0;
    }
    double turned[3];
    tn_mat3_vec(turned, c->omega + 9 * (size_t)m, s->push + 3 * (size_t)j);
    return tn_vec3_dot(s->push + 3 * (size_t)i, turned);
}

// A's inverse on row i, its scale and free velocity.
static void finish_row(tn_qp_rows *s, int m, int i)
{
    double own = own_answer(s, m, i, i), free = s->c[i];
    for (int k = s->start[i]; k < s->start[i + 1]; ++k) {
        int component = s->component[k], size = size_of(s, component);
        double *g = s->g + s->at[k], *w = s->w + s->at[k];
        memcpy(w, g, (size_t)size * sizeof *w);
        tn_components_solve_one(&s->components, component, w);
        own += dot(size, g, w);
        free += dot(size, g, s->number + s->offset[component]);
    }
    double scale = own > 0.0 ? 1.0 / sqrt(own) : 1.0;
    s->scale[i] = scale;
    s->c[i] = free * scale;
    s->lower[i] /= scale;
    s->upper[i] /= scale;
    for (int k = s->start[i]; k < s->start[i + 1]; ++k) {
        int size = size_of(s, s->component[k]);
        for (int j = 0; j < size; ++j) {
            s->g[s->at[k] + (size_t)j] *= scale;
            s->w[s->at[k] + (size_t)j] *= scale;
        }
    }
}

static void gather(const tn_qp_rows *s, const double *by_block, double *by_component)
{
    for (int c = 0; c < s->components.n; ++c) {
        for (int k = s->components.start[c]; k < s->components.start[c + 1]; ++k) {
            double *to = by_component + s->offset[c] + 3 * (k - s->components.start[c]);
            tn_vec3_copy(to, by_block + 3 * (size_t)s->components.blocks[k]);
        }
    }
}

tn_status tn_qp_rows_create(const tn_problem *problem, tn_arena *arena, tn_qp_rows *out, tn_error *error)
{
    tn_qp_rows *s = out;
    *s = (tn_qp_rows){.problem = problem};
    tn_status status = tn_components_of(problem, arena, &s->components);
    if (status != TN_OK || !allocate(s, arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the rows of %d contacts", problem->contacts->n);
    }
    status = tn_components_factor(problem->A, arena, &s->components, error);
    if (status != TN_OK) {
        return status;
    }
    s->offset[0] = 0;
    for (int c = 0; c < s->components.n; ++c) {
        s->offset[c + 1] = s->offset[c] + 3 * (s->components.start[c + 1] - s->components.start[c]);
        s->mark[c] = -1;
    }
    gather(s, problem->b, s->number);
    for (int c = 0; c < s->components.n; ++c) {
        tn_components_solve_one(&s->components, c, s->number + s->offset[c]);
    }
    size_t used = 0;
    s->start[0] = 0;
    for (int m = 0; m < problem->contacts->n; ++m) {
        fill_contact(s, m, &used);
        for (int i = s->first[m]; i < s->first[m + 1]; ++i) {
            finish_row(s, m, i);
        }
    }
    for (int i = s->first[problem->contacts->n]; i < s->n; ++i) {
        fill_joint(s, i - s->first[problem->contacts->n], &used);
        finish_row(s, -1, i);
    }
    return TN_OK;
}

// ---- products

// The contact of row i, -1: a joint row.
static int contact_of(const tn_qp_rows *s, int i)
{
    int n = s->problem->contacts->n, low = 0, high = n;
    if (i >= s->first[n]) {
        return -1;
    }
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (s->first[middle] <= i) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

void tn_qp_rows_column(const tn_qp_rows *s, int p, int n_of, const int *of, double *out)
{
    int m = contact_of(s, p);
    for (int k = s->start[p]; k < s->start[p + 1]; ++k) {
        s->mark[s->component[k]] = k;
    }
    for (int l = 0; l < n_of; ++l) {
        int i = of[l];
        double sum = 0.0;
        for (int k = s->start[i]; k < s->start[i + 1]; ++k) {
            int other = s->mark[s->component[k]];
            if (other >= 0) {
                sum += dot(size_of(s, s->component[k]), s->g + s->at[k], s->w + s->at[other]);
            }
        }
        bool together = m < 0 ? i == p : i >= s->first[m] && i < s->first[m + 1];
        out[l] = together ? sum + own_answer(s, m, i, p) * s->scale[i] * s->scale[p] : sum;
    }
    for (int k = s->start[p]; k < s->start[p + 1]; ++k) {
        s->mark[s->component[k]] = -1;
    }
}

static void add_own(const tn_qp_rows *s, int i, double change, double *y)
{
    int m = contact_of(s, i);
    if (m < 0) {
        y[i] += own_answer(s, m, i, i) * s->scale[i] * s->scale[i] * change;
        return;
    }
    for (int j = s->first[m]; s->problem->contacts->omega && j < s->first[m + 1]; ++j) {
        y[j] += own_answer(s, m, j, i) * s->scale[i] * s->scale[j] * change;
    }
}

void tn_qp_rows_add(const tn_qp_rows *s, int n_of, const int *of, const double *change, double *y)
{
    memset(s->number, 0, 3 * (size_t)s->problem->A->n_rows * sizeof *s->number);
    for (int l = 0; l < n_of; ++l) {
        int i = of[l];
        for (int k = s->start[i]; change[l] != 0.0 && k < s->start[i + 1]; ++k) {
            double *to = s->number + s->offset[s->component[k]];
            const double *w = s->w + s->at[k];
            for (int j = 0; j < size_of(s, s->component[k]); ++j) {
                to[j] += w[j] * change[l];
            }
        }
        if (change[l] != 0.0) {
            add_own(s, i, change[l], y);
        }
    }
    for (int i = 0; i < s->n; ++i) {
        for (int k = s->start[i]; k < s->start[i + 1]; ++k) {
            int component = s->component[k];
            y[i] += dot(size_of(s, component), s->g + s->at[k], s->number + s->offset[component]);
        }
    }
}

// number += w of row i times change.
static void add_response(const tn_qp_rows *s, int i, double change)
{
    for (int k = s->start[i]; k < s->start[i + 1]; ++k) {
        double *to = s->number + s->offset[s->component[k]];
        const double *w = s->w + s->at[k];
        for (int j = 0; j < size_of(s, s->component[k]); ++j) {
            to[j] += w[j] * change;
        }
    }
}

void tn_qp_rows_sweep(const tn_qp_rows *s, int sweeps, double *f)
{
    int joints = s->first[s->problem->contacts->n];
    memset(s->number, 0, 3 * (size_t)s->problem->A->n_rows * sizeof *s->number);
    for (int i = 0; i < s->n; ++i) {
        add_response(s, i, f[i]);
    }
    for (int sweep = 0; sweep < sweeps; ++sweep) {
        for (int i = 0; i < s->n; ++i) {
            double y = s->c[i];
            for (int k = s->start[i]; k < s->start[i + 1]; ++k) {
                int component = s->component[k];
                y += dot(size_of(s, component), s->g + s->at[k], s->number + s->offset[component]);
            }
            if (i >= joints) {
                y += own_answer(s, -1, i, i) * s->scale[i] * s->scale[i] * f[i];
            }
            double moved = fmax(s->lower[i], fmin(s->upper[i], f[i] - y)), change = moved - f[i];
            if (change != 0.0) {
                f[i] = moved;
                add_response(s, i, change);
            }
        }
    }
}

// ---- from and to a solution

// lambda as a sum of rays: the two directions on either side of lambda_t, what is left of lambda_n on a pair of
// opposite ones.
static void read_contact(const tn_qp_rows *s, int m, const double *lambda, double *f)
{
    const tn_problem *p = s->problem;
    int n = s->first[m + 1] - s->first[m], half = n / 2, at = 0;
    double mu = tn_facets_mu(p, m), left = fmax(lambda[0], 0.0), part[2] = {0.0, 0.0};
    memset(f, 0, (size_t)n * sizeof *f);
    if (n == 1) {
        f[0] = left;
        return;
    }
    for (int i = 0; i < n; ++i) {
        double a[2], b[2];
        tn_facets_direction(p, m, i, a);
        tn_facets_direction(p, m, (i + 1) % n, b);
        double det = n == 2 ? a[0] : a[0] * b[1] - a[1] * b[0];
        if (fabs(det) < 1e-12) {
            continue; // a flat cone
        }
        double x = n == 2 ? lambda[1] / det : (lambda[1] * b[1] - lambda[2] * b[0]) / det;
        double y = n == 2 ? 0.0 : (a[0] * lambda[2] - a[1] * lambda[1]) / det;
        if (x >= 0.0 && y >= 0.0) {
            at = i;
            part[0] = x / mu;
            part[1] = y / mu;
            break;
        }
    }
    double sum = part[0] + part[1], shrink = sum > left ? left / sum : 1.0;
    left = fmax(0.0, left - sum);
    f[at] += part[0] * shrink + 0.5 * left;
    f[(at + 1) % n] += part[1] * shrink;
    f[(at + half) % n] += 0.5 * left;
}

void tn_qp_rows_read(const tn_qp_rows *s, const tn_solution *solution, double *f)
{
    int n = s->problem->contacts->n;
    for (int m = 0; m < n; ++m) {
        read_contact(s, m, solution->lambda + 3 * (size_t)m, f + s->first[m]);
    }
    for (int i = s->first[n]; i < s->n; ++i) {
        f[i] = tn_joint_row_clamp(s->problem->joints, i - s->first[n], solution->joint[i - s->first[n]]);
    }
    for (int i = 0; i < s->n; ++i) {
        f[i] /= s->scale[i];
    }
}

void tn_qp_rows_write(const tn_qp_rows *s, const double *f, tn_solution *solution)
{
    const tn_problem *p = s->problem;
    int n = p->contacts->n;
    for (int m = 0; m < n; ++m) {
        double *lambda = solution->lambda + 3 * (size_t)m;
        tn_vec3_set(lambda, 0.0, 0.0, 0.0);
        for (int i = s->first[m]; i < s->first[m + 1]; ++i) {
            tn_vec3_madd(lambda, lambda, f[i] * s->scale[i], s->push + 3 * (size_t)i);
        }
    }
    memcpy(solution->v, p->b, 3 * (size_t)p->A->n_rows * sizeof *solution->v);
    tn_problem_add_contact_force(p, solution->lambda, solution->v);
    for (int i = s->first[n]; i < s->n; ++i) {
        double force = f[i] * s->scale[i];
        solution->joint[i - s->first[n]] = force;
        tn_joint_row_push(p->joints, i - s->first[n], force, solution->v);
    }
    tn_components_solve(&s->components, solution->v);
}
