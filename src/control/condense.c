// The problem as a QP in inputs and contact forces alone: states are put in (condensing). A pair has a row for each of
// its quantities, c, w and a guard, and one for each two sides of zero that no mode has both, a / a_most + b / b_most
// <= 1: all that the big-M form with its binaries relaxed to [0, 1] says (Fourier, Motzkin), so that the binaries need
// no variables.
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
    memset(p->Gx, 0, (size_t)(n_c * n_x) * sizeof *p->Gx);
    memset(p->Gu, 0, (size_t)(n_c * n_u) * sizeof *p->Gu);
    memcpy(p->og, s->guard_offset, (size_t)n_c * sizeof *p->og);
    multiply_add(n_c, n_x, n_x, 1.0, s->guard, s->A, p->Gx, (size_t)n_x);
    multiply_add(n_c, n_x, n_u, 1.0, s->guard, s->B, p->Gu, (size_t)n_u);
    multiply_add(n_c, n_x, 1, 1.0, s->guard, s->F, p->og, 1);
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

// A row of x_k and u_k.
static void make_row(tn_planner *p, int row, int k, const double *by_x, const double *by_u)
{
    const int at = tn_planner_u(p, k);
    const size_t n = (size_t)p->qp.n;
    multiply_add(1, p->n_x, (int)n, 1.0, by_x, state_rows(p, k), row_of(p, row), n);
    place(1, p->n_u, by_u, row_of(p, row), n, at);
    p->qp.first[row] = at;
}

static void make_rows_of_pair(tn_planner *p, int pair)
{
    const int n_x = p->n_x, n_u = p->n_u, n_c = p->n_c, k = pair / n_c, i = pair % n_c;
    const int w = TN_PAIR_W * p->n_pairs + pair, at = tn_planner_u(p, k);
    unit_row(p, TN_PAIR_C * p->n_pairs + pair, tn_planner_c(p, pair));
    make_row(p, w, k, p->Dx + i * n_x, p->Hw + i * n_u);
    place(1, n_c, p->Ew + i * n_c, row_of(p, w), (size_t)p->qp.n, at + n_u);
    if (p->n_quantities > TN_PAIR_GUARD) {
        make_row(p, TN_PAIR_GUARD * p->n_pairs + pair, k, p->Gx + i * n_x, p->Gu + i * n_u);
    }
    for (int conflict = 0; conflict < p->n_conflicts; conflict++) {
        p->qp.first[p->row_sum + conflict * p->n_pairs + pair] = at;
    }
}

static void make_rows_of_step(tn_planner *p, const tn_plan_problem *problem, int k)
{
    const int n_x = p->n_x, n_u = p->n_u, at = tn_planner_u(p, k);
    const size_t n = (size_t)p->qp.n;
    for (int i = 0; i < p->n_c; i++) {
        make_rows_of_pair(p, k * p->n_c + i);
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

// A quantity's row from its bounds, as far as the pair's modes let it go.
static void bound_quantity(tn_planner *p, int row, int pair, int above, int below, double constant)
{
    const int sides = tn_sides_of(p->modes[pair]);
    const double high = above < TN_SIDES && sides >> above & 1 ? p->most[above][pair] : 0.0;
    const double low = below < TN_SIDES && sides >> below & 1 ? -p->most[below][pair] : 0.0;
    bound(p, row, low, high, constant);
    p->zero[row] = -constant;
}

// Sides of zero that no mode has both.
static const int conflicts[TN_CONFLICTS][2] = {{TN_SIDE_C, TN_SIDE_W},
                                               {TN_SIDE_C, TN_SIDE_W_BELOW},
                                               {TN_SIDE_C, TN_SIDE_GUARD},
                                               {TN_SIDE_W_BELOW, TN_SIDE_GUARD_BELOW}};

// The row a / a_most + b / b_most <= 1 of a conflict; without bounds it says nothing.
static void bound_conflict(tn_planner *p, int pair, const int conflict[2], int row)
{
    const int sides = tn_sides_of(p->modes[pair]);
    double *G = row_of(p, row), by[2], limit = 1.0, size = 1.0;
    int of[2];
    p->low[row] = -INFINITY;
    p->high[row] = INFINITY;
    for (int i = 0; i < 2; i++) {
        const double most = p->most[conflict[i]][pair];
        of[i] = tn_sides[conflict[i]].quantity * p->n_pairs + pair;
        if (!(sides >> conflict[i] & 1) || !(most < INFINITY) || most < 1e-6) {
            return;
        }
        by[i] = tn_sides[conflict[i]].sign / most;
        limit += by[i] * p->zero[of[i]];
        size += fabs(by[i] * p->zero[of[i]]);
    }
    for (int i = p->qp.first[row]; i < p->qp.n; i++) {
        G[i] = by[0] * row_of(p, of[0])[i] + by[1] * row_of(p, of[1])[i];
    }
    p->high[row] = limit;
    p->qp.scale[row] = size;
    tn_qp_factor_row(&p->qp, row);
}

static void bound_pair(tn_planner *p, int pair)
{
    const size_t n_x = (size_t)p->n_x, i = (size_t)(pair % p->n_c);
    const double *x = p->free + (size_t)(pair / p->n_c) * n_x;
    bound_quantity(p, TN_PAIR_C * p->n_pairs + pair, pair, TN_SIDE_C, TN_SIDES, 0.0);
    bound_quantity(p, TN_PAIR_W * p->n_pairs + pair, pair, TN_SIDE_W, TN_SIDE_W_BELOW,
                   p->ow[i] + tn_dot(n_x, p->Dx + i * n_x, x));
    const int guard = TN_PAIR_GUARD * p->n_pairs + pair;
    if (p->n_quantities > TN_PAIR_GUARD && p->og[i] > -INFINITY) {
        bound_quantity(p, guard, pair, TN_SIDE_GUARD, TN_SIDE_GUARD_BELOW, p->og[i] + tn_dot(n_x, p->Gx + i * n_x, x));
    } else if (p->n_quantities > TN_PAIR_GUARD) {
        tn_planner_leave_out(p, guard, 1);
    }
    for (int k = 0; k < p->n_conflicts; k++) {
        bound_conflict(p, pair, conflicts[k], p->row_sum + k * p->n_pairs + pair);
    }
}

void tn_planner_leave_out(tn_planner *p, int row, int n)
{
    for (int i = row; i < row + n; i++) {
        p->low[i] = -INFINITY;
        p->high[i] = INFINITY;
        if (i < p->row_sum) {
            p->zero[i] = INFINITY;
        }
    }
}

static void bound_rows_of_step(tn_planner *p, const tn_plan_problem *problem, int k)
{
    const int n_x = p->n_x, n_u = p->n_u;
    const double *next = p->free + (size_t)(k + 1) * (size_t)n_x;
    for (int i = 0; i < p->n_c; i++) {
        bound_pair(p, k * p->n_c + i);
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
            p->qp.z_high[tn_planner_c(p, k * p->n_c + i)] = p->most[TN_SIDE_C][k * p->n_c + i];
        }
    }
    p->qp.ceiling = find_ceiling(p, problem);
    tn_planner_free_all(p);
}

void tn_planner_free_all(tn_planner *p)
{
    memcpy(p->qp.low, p->low, (size_t)p->qp.m * sizeof *p->low);
    memcpy(p->qp.high, p->high, (size_t)p->qp.m * sizeof *p->high);
    for (int pair = 0; pair < p->n_pairs; pair++) { // to no mode: each row that binds in one
        tn_planner_fix(p, pair, 0);
    }
    tn_qp_find_live(&p->qp);
    tn_planner_fix_all(p, p->modes);
}
