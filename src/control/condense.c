// The problem as a QP in inputs and contact forces alone: states are put in (condensing). One pair of complementary
// numbers has three rows: c >= 0, w >= 0, and c / c_high + w / w_high <= 1, all that the big-M form with its binary
// relaxed to [0, 1] says of (c, w); so the binaries need no variables.
#include "control/lcs.h"
#include "control/planner.h"

#include <math.h>
#include <string.h>

// y (m, q) += s * a (m, n) b (n, q), rows of b and y `stride` apart.
static void multiply_add(int m, int n, int q, double s, const double *a, const double *b, double *y, size_t stride)
{
    for (int i = 0; i < m; i++) {
        for (int k = 0; k < n; k++) {
            const double f = s * a[i * n + k];
            for (int j = 0; j < q && f != 0.0; j++) {
                y[(size_t)i * stride + (size_t)j] += f * b[(size_t)k * stride + (size_t)j];
            }
        }
    }
}

static void place(int m, int n, const double *a, double *y, size_t stride, int column)
{
    for (int i = 0; i < m; i++) {
        for (int j = 0; j < n; j++) {
            y[(size_t)i * stride + (size_t)(column + j)] += a[i * n + j];
        }
    }
}

static double *state_rows(const tn_planner *p, int k)
{
    return p->S + (size_t)k * (size_t)p->n_x * (size_t)p->qp.n;
}

// w with the next state put in.
static void put_next_state_in(tn_planner *p, const tn_lcs *s)
{
    const int n_x = p->n_x, n_u = p->n_u, n_c = p->n_c;
    memcpy(p->Dx, s->D0, (size_t)(n_c * n_x) * sizeof *p->Dx);
    memcpy(p->Hw, s->H, (size_t)(n_c * n_u) * sizeof *p->Hw);
    memcpy(p->Ew, s->E, (size_t)(n_c * n_c) * sizeof *p->Ew);
    memcpy(p->ow, s->offset, (size_t)n_c * sizeof *p->ow);
    multiply_add(n_c, n_x, n_x, 1.0, s->D, s->A, p->Dx, (size_t)n_x);
    multiply_add(n_c, n_x, n_u, 1.0, s->D, s->B, p->Hw, (size_t)n_u);
    multiply_add(n_c, n_x, n_c, 1.0, s->D, s->C, p->Ew, (size_t)n_c);
    multiply_add(n_c, n_x, 1, 1.0, s->D, s->F, p->ow, 1);
}

static void make_states(tn_planner *p, const tn_lcs *s)
{
    const size_t n = (size_t)p->qp.n;
    memset(p->S, 0, (size_t)(p->N + 1) * (size_t)p->n_x * n * sizeof *p->S);
    for (int k = 0; k < p->N; k++) {
        double *next = state_rows(p, k + 1);
        multiply_add(p->n_x, p->n_x, (int)n, 1.0, s->A, state_rows(p, k), next, n);
        place(p->n_x, p->n_u, s->B, next, n, tn_planner_u(p, k));
        place(p->n_x, p->n_c, s->C, next, n, tn_planner_u(p, k) + p->n_u);
    }
}

// H = 2 (sum S^T Q S + R), from its first column that is not zero on.
static void make_hessian(tn_planner *p, const tn_plan_problem *problem)
{
    const int n = p->qp.n, n_x = p->n_x, n_u = p->n_u;
    double *H = p->qp.H, *row = p->trial;
    memset(H, 0, (size_t)n * (size_t)n * sizeof *H);
    for (int k = 1; k <= p->N; k++) {
        const double *S = state_rows(p, k), *Q = k < p->N ? problem->Q : problem->Qf;
        const int first = tn_planner_u(p, k - 1);
        for (int i = 0; i < n_x; i++) {
            memset(row, 0, (size_t)n * sizeof *row);
            multiply_add(1, n_x, n, 2.0, Q + (size_t)i * (size_t)n_x, S, row, (size_t)n);
            for (int a = first; a < n; a++) {
                const double s = S[(size_t)i * (size_t)n + (size_t)a];
                for (int b = first; b < n && s != 0.0; b++) {
                    H[(size_t)a * (size_t)n + (size_t)b] += s * row[b];
                }
            }
        }
    }
    for (int k = 0; k < p->N; k++) {
        for (int i = 0; i < n_u; i++) {
            for (int j = 0; j < n_u; j++) {
                H[(size_t)(tn_planner_u(p, k) + i) * (size_t)n + (size_t)(tn_planner_u(p, k) + j)] +=
                    2.0 * problem->R[i * n_u + j];
            }
        }
    }
}

static double *row_of(tn_planner *p, int row)
{
    return p->qp.G + (size_t)row * (size_t)p->qp.n;
}

static void unit_row(tn_planner *p, int row, int column)
{
    row_of(p, row)[column] = 1.0;
    p->qp.first[row] = p->qp.unit[row] = column;
}

static void make_rows_of_step(tn_planner *p, const tn_plan_problem *problem, int k)
{
    const int n_x = p->n_x, n_u = p->n_u, n_c = p->n_c, at = tn_planner_u(p, k);
    const size_t n = (size_t)p->qp.n;
    for (int i = 0; i < n_c; i++) {
        const int pair = k * n_c + i;
        unit_row(p, p->row_c + pair, at + n_u + i);
        double *w = row_of(p, p->row_w + pair);
        multiply_add(1, n_x, (int)n, 1.0, p->Dx + (size_t)i * (size_t)n_x, state_rows(p, k), w, n);
        place(1, n_u, p->Hw + (size_t)i * (size_t)n_u, w, n, at);
        place(1, n_c, p->Ew + (size_t)i * (size_t)n_c, w, n, at + n_u);
        p->qp.first[p->row_w + pair] = p->qp.first[p->row_sum + pair] = at;
    }
    for (int i = 0; i < n_u; i++) {
        unit_row(p, p->row_u + k * n_u + i, at + i);
    }
    for (int i = 0; i < p->n_U; i++) {
        place(1, n_u, problem->U.G + (size_t)i * (size_t)n_u, row_of(p, p->row_U + k * p->n_U + i), n, at);
        p->qp.first[p->row_U + k * p->n_U + i] = at;
    }
    for (int i = 0; i < n_x; i++) {
        memcpy(row_of(p, p->row_x + k * n_x + i), state_rows(p, k + 1) + (size_t)i * n, n * sizeof(double));
        p->qp.first[p->row_x + k * n_x + i] = at;
    }
    for (int i = 0; i < p->n_X; i++) {
        multiply_add(1, n_x, (int)n, 1.0, problem->X.G + (size_t)i * (size_t)n_x, state_rows(p, k + 1),
                     row_of(p, p->row_X + k * p->n_X + i), n);
        p->qp.first[p->row_X + k * p->n_X + i] = at;
    }
}

static size_t remember_one(tn_planner *p, size_t at, const double *from, size_t count, bool *same)
{
    const size_t size = count * sizeof *from;
    if (size > 0 && memcmp(p->known + at, from, size) != 0) {
        memcpy(p->known + at, from, size);
        *same = false;
    }
    return at + size;
}

// Whether H and G would be those of the last problem; keeps the numbers they depend on.
static bool is_same(tn_planner *p, const tn_plan_problem *problem)
{
    const tn_lcs *s = &problem->lcs;
    const size_t n_x = (size_t)p->n_x, n_u = (size_t)p->n_u;
    bool same = p->is_known;
    size_t at = remember_one(p, 0, s->A, tn_lcs_numbers(s), &same);
    at = remember_one(p, at, problem->Q, 2 * n_x * n_x + n_u * n_u, &same);
    at = remember_one(p, at, problem->X.G, (size_t)p->n_X * n_x, &same);
    at = remember_one(p, at, problem->U.G, (size_t)p->n_U * n_u, &same);
    p->is_known = true;
    return same && at <= p->known_size;
}

static void make_free_motion(tn_planner *p, const tn_plan_problem *problem)
{
    const int n_x = p->n_x;
    memcpy(p->free, problem->x0, (size_t)n_x * sizeof *p->free);
    for (int k = 0; k < p->N; k++) {
        double *next = p->free + (size_t)(k + 1) * (size_t)n_x;
        memcpy(next, problem->lcs.F, (size_t)n_x * sizeof *next);
        multiply_add(n_x, n_x, 1, 1.0, problem->lcs.A, next - n_x, next, 1);
    }
}

// g = 2 sum S^T Q (free - x_ref) - 2 R u_ref, and the cost at z = 0.
static void make_gradient(tn_planner *p, const tn_plan_problem *problem)
{
    const int n = p->qp.n, n_x = p->n_x, n_u = p->n_u;
    memset(p->qp.g, 0, (size_t)n * sizeof *p->qp.g);
    p->constant = 0.0;
    for (int k = 0; k <= p->N; k++) {
        const double *S = state_rows(p, k), *Q = k < p->N ? problem->Q : problem->Qf;
        const double *x = p->free + (size_t)k * (size_t)n_x, *ref = problem->x_ref + (size_t)k * (size_t)n_x;
        for (int i = 0; i < n_x; i++) {
            double f = 0.0;
            for (int j = 0; j < n_x; j++) {
                f += Q[i * n_x + j] * (x[j] - ref[j]);
            }
            p->constant += f * (x[i] - ref[i]);
            for (int a = 0; a < n && f != 0.0; a++) {
                p->qp.g[a] += 2.0 * f * S[(size_t)i * (size_t)n + (size_t)a];
            }
        }
    }
    for (int k = 0; k < p->N; k++) {
        const double *ref = problem->u_ref + (size_t)k * (size_t)n_u;
        for (int i = 0; i < n_u; i++) {
            for (int j = 0; j < n_u; j++) {
                p->qp.g[tn_planner_u(p, k) + i] -= 2.0 * problem->R[i * n_u + j] * ref[j];
                p->constant += ref[i] * problem->R[i * n_u + j] * ref[j];
            }
        }
    }
}

static void bound(tn_planner *p, int row, double low, double high, double constant)
{
    p->low[row] = low - constant;
    p->high[row] = high - constant;
    p->qp.scale[row] = 1.0 + fabs(constant);
}

// The row c / c_high + w / w_high <= 1; without bounds it says nothing.
static void bound_sum(tn_planner *p, int pair, double constant)
{
    const int row = p->row_sum + pair, n = p->qp.n;
    const double c = p->c_high[pair], w = p->w_high[pair];
    double *G = row_of(p, row);
    p->low[row] = -INFINITY;
    p->high[row] = INFINITY;
    if (!(c < INFINITY) || !(w < INFINITY) || c < 1e-6 || w < 1e-6) {
        return;
    }
    const double *of_w = row_of(p, p->row_w + pair);
    for (int i = p->qp.first[row]; i < n; i++) {
        G[i] = of_w[i] / w;
    }
    G[tn_planner_c(p, pair)] += 1.0 / c;
    p->high[row] = 1.0 - constant / w;
    p->qp.scale[row] = 1.0 + fabs(constant) / w;
    tn_qp_factor_row(&p->qp, row);
}

static void bound_rows_of_step(tn_planner *p, const tn_plan_problem *problem, int k)
{
    const int n_x = p->n_x, n_u = p->n_u, n_c = p->n_c;
    const double *x = p->free + (size_t)k * (size_t)n_x, *next = x + n_x;
    for (int i = 0; i < n_c; i++) {
        const int pair = k * n_c + i;
        const double constant = p->ow[i] + tn_dot((size_t)n_x, p->Dx + (size_t)i * (size_t)n_x, x);
        bound(p, p->row_c + pair, 0.0, p->c_high[pair], 0.0);
        bound(p, p->row_w + pair, 0.0, p->w_high[pair], constant);
        bound_sum(p, pair, constant);
    }
    for (int i = 0; i < n_u; i++) {
        bound(p, p->row_u + k * n_u + i, problem->U.low[i], problem->U.high[i], 0.0);
    }
    for (int i = 0; i < p->n_U; i++) {
        bound(p, p->row_U + k * p->n_U + i, -INFINITY, problem->U.g[i], 0.0);
    }
    for (int i = 0; i < n_x; i++) {
        bound(p, p->row_x + k * n_x + i, problem->X.low[i], problem->X.high[i], next[i]);
    }
    for (int i = 0; i < p->n_X; i++) {
        bound(p, p->row_X + k * p->n_X + i, -INFINITY, problem->X.g[i],
              tn_dot((size_t)n_x, problem->X.G + (size_t)i * (size_t)n_x, next));
    }
}

tn_status tn_planner_condense(tn_planner *p, const tn_plan_problem *problem, tn_error *error)
{
    if (!is_same(p, problem)) {
        put_next_state_in(p, &problem->lcs);
        tn_planner_invert_blocks(p);
        make_states(p, &problem->lcs);
        make_hessian(p, problem);
        memset(p->qp.G, 0, (size_t)p->qp.m * (size_t)p->qp.n * sizeof *p->qp.G);
        memset(p->qp.unit, -1, (size_t)p->qp.m * sizeof *p->qp.unit);
        for (int k = 0; k < p->N; k++) {
            make_rows_of_step(p, problem, k);
        }
        if (!tn_qp_factor(&p->qp)) {
            p->is_known = false;
            return tn_error_set(error, TN_BAD_INPUT, "the weights lead to numbers beyond what double precision holds");
        }
    }
    make_free_motion(p, problem);
    make_gradient(p, problem);
    return TN_OK;
}

// Most that a weight makes of a box around its reference.
static double most(int n, const double *Q, const double *low, const double *high, const double *ref)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < n; j++) {
            const double a = fmax(fabs(high[i] - ref[i]), fabs(low[i] - ref[i]));
            const double b = fmax(fabs(high[j] - ref[j]), fabs(low[j] - ref[j]));
            sum += Q[i * n + j] != 0.0 ? fabs(Q[i * n + j]) * a * b : 0.0;
        }
    }
    return sum;
}

static double find_ceiling(const tn_planner *p, const tn_plan_problem *problem)
{
    double sum = 0.0;
    for (int k = 0; k <= p->N; k++) {
        const int at = k * p->n_x;
        const bool last = k == p->N;
        sum += most(p->n_x, last ? problem->Qf : problem->Q, p->x_low + at, p->x_high + at, problem->x_ref + at);
        sum += last ? 0.0 : most(p->n_u, problem->R, p->u_low, p->u_high, problem->u_ref + k * p->n_u);
    }
    return sum * (1.0 + 1e-6) - p->constant;
}

void tn_planner_bound_rows(tn_planner *p, const tn_plan_problem *problem)
{
    for (int k = 0; k < p->N; k++) {
        bound_rows_of_step(p, problem, k);
        for (int i = 0; i < p->n_u; i++) {
            p->qp.z_low[tn_planner_u(p, k) + i] = p->u_low[i];
            p->qp.z_high[tn_planner_u(p, k) + i] = p->u_high[i];
        }
        for (int i = 0; i < p->n_c; i++) {
            p->qp.z_low[tn_planner_c(p, k * p->n_c + i)] = 0.0;
            p->qp.z_high[tn_planner_c(p, k * p->n_c + i)] = p->c_high[k * p->n_c + i];
        }
    }
    p->qp.ceiling = find_ceiling(p, problem);
    tn_planner_fix_all(p, NULL);
    tn_qp_find_live(&p->qp);
}

void tn_planner_fix(tn_planner *p, int pair, int how)
{
    const int c = p->row_c + pair, w = p->row_w + pair;
    p->qp.high[c] = how == TN_PAIR_OPEN ? p->low[c] : p->high[c];
    p->qp.high[w] = how == TN_PAIR_CLOSED && p->low[w] > -INFINITY ? p->low[w] : p->high[w];
}

void tn_planner_fix_all(tn_planner *p, const uint8_t *how)
{
    memcpy(p->qp.low, p->low, (size_t)p->qp.m * sizeof *p->low);
    memcpy(p->qp.high, p->high, (size_t)p->qp.m * sizeof *p->high);
    for (int pair = 0; pair < p->n_pairs && how; pair++) {
        tn_planner_fix(p, pair, how[pair]);
    }
}

double tn_planner_w(const tn_planner *p, int pair, const double *z)
{
    const int row = p->row_w + pair, first = p->qp.first[row];
    if (!(p->low[row] > -INFINITY)) {
        return -INFINITY;
    }
    return tn_dot((size_t)(p->qp.n - first), p->qp.G + (size_t)row * (size_t)p->qp.n + first, z + first) - p->low[row];
}
