// Dual active set for a quadratic program (qp.h). All signs follow L(v, lambda) = 1/2 |v|^2 + lambda (M v - d), so that
// v = -M_W^T lambda and the active rows' multipliers solve M_W M_W^T lambda = -d_W; the factor of M_W M_W^T gains a row
// with each row added and is made triangular again by rotations when one leaves.
#include "control/qp.h"

#include "base/timer.h"
#include "math/dense.h"
#include "math/sums.h"

#include <math.h>
#include <string.h>

static const double CURVATURE = 1e-7;     // eps relative to the diagonal of H
static const double DEPENDENT = 1e-11;    // squared sine of a row against the active ones that counts as zero
static const double VIOLATION = 1e-10;    // of a row, relative to its scale
static const double ROUNDING = 1e-13;     // of v, relative: mpc/two_finger_catch took turns between two rows for less
static const double PROXIMAL_GAP = 1e-11; // what the proximal term may still cost, relative to 1 + |value|
static const double FAR_OFF = 1e4;        // of active rows, over what counts as a violation
static const double UNBOUNDED = 1e4;
static const double RISE = 1e-14; // of the dual, relative, that counts as one
enum { PROXIMAL_MAX = 30, STILL_MAX = 20 };

typedef struct vector {
    double **at;
    size_t n;
} vector;

static bool make_vectors(tn_arena *arena, const vector *vectors, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!(*vectors[i].at = TN_PUSH(arena, double, vectors[i].n))) {
            return false;
        }
    }
    return true;
}

static bool make_data(tn_arena *arena, tn_qp *qp)
{
    const size_t columns = (size_t)qp->n, rows = (size_t)qp->m;
    const vector vectors[] = {{&qp->eps, columns},         {&qp->g, columns},           {&qp->z_low, columns},
                              {&qp->z_high, columns},      {&qp->norm, rows},           {&qp->scale, rows},
                              {&qp->H, columns * columns}, {&qp->L, columns * columns}, {&qp->G, rows * columns},
                              {&qp->M, rows * columns}};
    qp->first = TN_PUSH(arena, int, rows);
    qp->unit = TN_PUSH(arena, int, rows);
    qp->live = TN_PUSH(arena, int, rows);
    return make_vectors(arena, vectors, sizeof vectors / sizeof *vectors) && qp->first && qp->unit && qp->live;
}

static bool make_state(tn_arena *arena, tn_qp *qp)
{
    const size_t side = (size_t)qp->n + 1, rows = (size_t)qp->m;
    const vector vectors[] = {{&qp->low, rows},    {&qp->high, rows}, {&qp->shift, rows},   {&qp->lambda, side},
                              {&qp->center, side}, {&qp->z, side},    {&qp->y, side},       {&qp->v, side},
                              {&qp->target, side}, {&qp->p, side},    {&qp->R, side * side}};
    qp->active = TN_PUSH(arena, int, side);
    qp->is_active = TN_PUSH(arena, bool, rows);
    return make_vectors(arena, vectors, sizeof vectors / sizeof *vectors) && qp->active && qp->is_active;
}

bool tn_qp_create(tn_arena *arena, int n, int m, tn_qp *qp)
{
    *qp = (tn_qp){.n = n, .m = m, .ceiling = INFINITY, .deadline = INFINITY};
    return make_data(arena, qp) && make_state(arena, qp);
}

bool tn_qp_share(tn_arena *arena, const tn_qp *of, tn_qp *qp)
{
    *qp = *of;
    qp->n_active = 0;
    return make_state(arena, qp);
}

void tn_qp_follow(tn_qp *qp, const tn_qp *of)
{
    tn_qp_forget(qp);
    qp->n_live = of->n_live;
    qp->ceiling = of->ceiling;
    qp->deadline = of->deadline;
    qp->stop = of->stop;
    qp->user = of->user;
    qp->is_late = of->is_late;
    qp->iterations = 0;
}

// Of the numbers from `from` up to `to`.
static double dot(int from, int to, const double *a, const double *b)
{
    return tn_dot((size_t)(to - from), a + from, b + from);
}

void tn_qp_factor_row(tn_qp *qp, int row)
{
    const int n = qp->n, first = qp->first[row];
    const double *G = qp->G + (size_t)row * (size_t)n;
    double *M = qp->M + (size_t)row * (size_t)n;
    memset(M, 0, (size_t)n * sizeof *M);
    for (int i = first; i < n; i++) {
        const double *L = qp->L + (size_t)i * (size_t)n;
        M[i] = (G[i] - dot(first, i, L, M)) / L[i];
    }
    qp->norm[row] = sqrt(dot(first, n, M, M));
    qp->is_factored = false;
}

bool tn_qp_factor(tn_qp *qp)
{
    const int n = qp->n;
    double largest = 0.0;
    for (int i = 0; i < n; i++) {
        largest = fmax(largest, qp->H[(size_t)i * (size_t)n + (size_t)i]);
    }
    largest = largest > 0.0 ? largest : 1.0;
    memcpy(qp->L, qp->H, (size_t)n * (size_t)n * sizeof *qp->L);
    for (int i = 0; i < n; i++) {
        double *pivot = qp->L + (size_t)i * (size_t)n + i;
        qp->eps[i] = CURVATURE * fmax(*pivot, 1e-3 * largest);
        *pivot += qp->eps[i];
    }
    if (n > 0 && !tn_dense_cholesky(n, qp->L)) {
        return false;
    }
    for (int row = 0; row < qp->m; row++) {
        tn_qp_factor_row(qp, row);
    }
    return true;
}

void tn_qp_find_live(tn_qp *qp)
{
    qp->n_live = 0;
    for (int row = 0; row < qp->m; row++) {
        if (qp->low[row] > -INFINITY || qp->high[row] < INFINITY) {
            qp->live[qp->n_live++] = row;
        }
    }
}

void tn_qp_forget(tn_qp *qp)
{
    for (int j = 0; j < qp->n_active; j++) {
        qp->is_active[qp->active[j]] = false;
    }
    qp->n_active = 0;
    qp->is_factored = false;
    memset(qp->center, 0, (size_t)qp->n * sizeof *qp->center);
}

// The bound that the sign of the multiplier stands for, in v.
static double active_bound(const tn_qp *qp, int row, double sign)
{
    return (sign > 0.0 ? qp->high[row] : qp->low[row]) + qp->shift[row];
}

static void find_shift(tn_qp *qp, int row)
{
    qp->shift[row] = dot(qp->first[row], qp->n, qp->M + (size_t)row * (size_t)qp->n, qp->y);
}

// Whether a multiplier has the sign of a bound that is there.
static bool sign_fits(const tn_qp *qp, int row, double lambda)
{
    return qp->low[row] == qp->high[row] || (signbit(lambda) ? qp->low[row] > -INFINITY : qp->high[row] < INFINITY);
}

static double *factor_row(const tn_qp *qp, int j)
{
    return qp->R + (size_t)j * (size_t)(qp->n + 1);
}

// Products of `row` with the active ones, from j on forward-eliminated, into the factor's row at. Returns what remains
// of its squared norm.
static double eliminate_row(const tn_qp *qp, int row, int at)
{
    const int n = qp->n;
    const double *M = qp->M + (size_t)row * (size_t)n;
    double *r = factor_row(qp, at);
    double rest = qp->norm[row] * qp->norm[row];
    for (int j = 0; j < at; j++) {
        const int other = qp->active[j];
        const int from = qp->first[other] > qp->first[row] ? qp->first[other] : qp->first[row];
        const double *factor = factor_row(qp, j);
        r[j] = (dot(from, n, M, qp->M + (size_t)other * (size_t)n) - dot(0, j, factor, r)) / factor[j];
        rest -= r[j] * r[j];
    }
    return rest;
}

// False: it depends on the active ones.
static bool append(tn_qp *qp, int row, double lambda)
{
    const int at = qp->n_active;
    if (at >= qp->n) {
        return false;
    }
    const double rest = eliminate_row(qp, row, at);
    if (!(rest > DEPENDENT * qp->norm[row] * qp->norm[row])) {
        return false;
    }
    factor_row(qp, at)[at] = sqrt(rest);
    qp->active[at] = row;
    qp->lambda[at] = lambda;
    qp->is_active[row] = true;
    find_shift(qp, row);
    qp->n_active++;
    return true;
}

// The rows of the factor below j move up; Givens rotations make them triangular again.
static void drop(tn_qp *qp, int j)
{
    qp->is_active[qp->active[j]] = false;
    const int last = --qp->n_active;
    for (int i = j; i < last; i++) {
        qp->active[i] = qp->active[i + 1];
        qp->lambda[i] = qp->lambda[i + 1];
        memcpy(factor_row(qp, i), factor_row(qp, i + 1), (size_t)(i + 2) * sizeof *qp->R);
    }
    for (int k = j; k < last; k++) {
        double *pivot = factor_row(qp, k);
        const double a = pivot[k], b = pivot[k + 1], r = sqrt(a * a + b * b), c = a / r, s = b / r;
        for (int i = k; i < last; i++) {
            double *row = factor_row(qp, i);
            const double p = row[k], q = row[k + 1];
            row[k] = c * p + s * q;
            row[k + 1] = c * q - s * p;
        }
        pivot[k] = r;
    }
}

// factor factor^T x = x in place, of the first k rows.
static void solve_forward(const tn_qp *qp, int k, double *x)
{
    for (int i = 0; i < k; i++) {
        const double *r = factor_row(qp, i);
        x[i] = (x[i] - dot(0, i, r, x)) / r[i];
    }
}

static void solve_back(const tn_qp *qp, int k, double *x)
{
    for (int i = k - 1; i >= 0; i--) {
        const double *r = factor_row(qp, i);
        x[i] /= r[i];
        tn_add_scaled((size_t)i, -x[i], r, x);
    }
}

// y = L^-1 (g - eps center)
static void recenter(tn_qp *qp)
{
    const int n = qp->n;
    for (int i = 0; i < n; i++) {
        const double *L = qp->L + (size_t)i * (size_t)n;
        qp->y[i] = (qp->g[i] - qp->eps[i] * qp->center[i] - dot(0, i, L, qp->y)) / L[i];
    }
    for (int j = 0; j < qp->n_active; j++) {
        find_shift(qp, qp->active[j]);
    }
}

// v and z of the multipliers; returns the value of the dual with its proximal term.
static double evaluate(tn_qp *qp)
{
    const int n = qp->n;
    memset(qp->v, 0, (size_t)n * sizeof *qp->v);
    double value = 0.0;
    for (int j = 0; j < qp->n_active; j++) {
        const int row = qp->active[j];
        const double *M = qp->M + (size_t)row * (size_t)n, lambda = qp->lambda[j];
        const int first = qp->first[row];
        tn_add_scaled((size_t)(n - first), -lambda, M + first, qp->v + first);
        value -= lambda * (lambda != 0.0 ? active_bound(qp, row, lambda) : 0.0);
    }
    const double size = dot(0, n, qp->v, qp->v) + dot(0, n, qp->y, qp->y);
    value -= 0.5 * size;
    qp->rounding = ROUNDING * sqrt(size);
    for (int i = 0; i < n; i++) {
        qp->z[i] = qp->v[i] - qp->y[i];
        value += 0.5 * qp->eps[i] * qp->center[i] * qp->center[i];
    }
    for (int i = n - 1; i >= 0; i--) {
        const double *L = qp->L + (size_t)i * (size_t)n;
        qp->z[i] /= L[i];
        tn_add_scaled((size_t)i, -qp->z[i], L, qp->z);
    }
    return value;
}

// The row that z violates most, in the metric of v; -1: none, but for rounding. *sign: of its multiplier.
static int most_violated(const tn_qp *qp, double *sign)
{
    int worst = -1;
    double largest = qp->rounding;
    for (int k = 0; k < qp->n_live; k++) {
        const int row = qp->live[k], unit = qp->unit[row];
        if (qp->is_active[row]) {
            continue;
        }
        const double value =
            unit >= 0 ? qp->z[unit] : dot(qp->first[row], qp->n, qp->G + (size_t)row * (size_t)qp->n, qp->z);
        const double over = value - qp->high[row], under = qp->low[row] - value;
        const double by = over > under ? over : under;
        if (by > VIOLATION * qp->scale[row] && by > largest * qp->norm[row]) {
            largest = by / qp->norm[row];
            worst = row;
            *sign = over > under ? 1.0 : -1.0;
        }
    }
    return worst;
}

// How far active rows are off their bounds, over what counts as a violation; what each misses into p.
static double active_off(const tn_qp *qp)
{
    double most = 0.0;
    for (int j = 0; j < qp->n_active; j++) {
        const int row = qp->active[j], unit = qp->unit[row];
        const double value =
            unit >= 0 ? qp->z[unit] : dot(qp->first[row], qp->n, qp->G + (size_t)row * (size_t)qp->n, qp->z);
        const double miss = (signbit(qp->lambda[j]) ? qp->low[row] : qp->high[row]) - value;
        qp->p[j] = -miss;
        most = fmax(most, fabs(miss) / fmax(VIOLATION * qp->scale[row], qp->rounding * qp->norm[row]));
    }
    return most;
}

// Moves multipliers by a step of direction p that keeps signs; -1: all of the step, else who stops it.
static int limit_step(const tn_qp *qp, double *step)
{
    int stops = -1;
    for (int j = 0; j < qp->n_active; j++) {
        const double after = qp->lambda[j] + *step * qp->p[j];
        const int row = qp->active[j];
        // A multiplier of zero has the sign of the bound that it was added for, kept as the sign of the zero.
        if (qp->low[row] != qp->high[row] && (signbit(qp->lambda[j]) ? after > 0.0 : after < 0.0)) {
            *step = -qp->lambda[j] / qp->p[j];
            stops = j;
        }
    }
    return stops;
}

// A multiplier to a value, zero where that has another sign than it may have.
static void put(tn_qp *qp, int j, double after)
{
    const int row = qp->active[j];
    const bool keeps = qp->low[row] != qp->high[row];
    qp->lambda[j] = keeps && signbit(after) != signbit(qp->lambda[j]) ? copysign(0.0, qp->lambda[j]) : after;
}

static void move(tn_qp *qp, double step)
{
    for (int j = 0; j < qp->n_active; j++) {
        put(qp, j, qp->lambda[j] + step * qp->p[j]);
    }
}

// Multipliers to the maximum of the dual on the active set, dropping who changes sign on the way.
static void settle(tn_qp *qp)
{
    for (;;) {
        const int k = qp->n_active;
        for (int j = 0; j < k; j++) {
            const double sign = signbit(qp->lambda[j]) ? -1.0 : 1.0;
            qp->target[j] = -active_bound(qp, qp->active[j], sign);
        }
        solve_forward(qp, k, qp->target);
        solve_back(qp, k, qp->target);
        for (int j = 0; j < k; j++) {
            qp->p[j] = qp->target[j] - qp->lambda[j];
        }
        double step = 1.0;
        const int stops = limit_step(qp, &step);
        qp->iterations++;
        if (stops < 0) {
            for (int j = 0; j < k; j++) {
                put(qp, j, qp->target[j]);
            }
            return;
        }
        move(qp, step);
        drop(qp, stops);
    }
}

typedef enum added { ADDED, NO_POINT, LOST } added;

// Whether the bounds of the active rows hold a row, which is the sum of -p times them, beyond its own bound: counted
// anew from the rows themselves, since p comes from a factor that may be hardly regular. What p leaves of the row
// counts as far as points may be, and of each bound what is no violation.
static bool proves_no_point(const tn_qp *qp, int row, double sign)
{
    double *left = qp->target, beyond = -VIOLATION * qp->scale[row] - (sign > 0.0 ? qp->high[row] : -qp->low[row]);
    for (int i = 0; i < qp->n; i++) {
        left[i] = sign * qp->G[(size_t)row * (size_t)qp->n + (size_t)i];
    }
    for (int j = 0; j < qp->n_active; j++) {
        const int other = qp->active[j];
        const double p = qp->p[j], bound = p < 0.0 ? qp->low[other] : qp->high[other];
        if (p != 0.0 && isfinite(bound)) { // else it is next to nothing
            tn_add_scaled((size_t)qp->n, p, qp->G + (size_t)other * (size_t)qp->n, left);
            beyond -= p * bound + fabs(p) * VIOLATION * qp->scale[other];
        }
    }
    for (int i = 0; i < qp->n; i++) {
        beyond -= fabs(left[i]) * fmin(fmax(qp->z_high[i], -qp->z_low[i]), UNBOUNDED);
    }
    return beyond > 0.0;
}

// A violated row joins the active ones. Where it depends on them the dual rises along a ray until a multiplier stops it
// and leaves; a ray without end proves that no point is feasible, unless that is rounding.
static added add(tn_qp *qp, int row, double sign)
{
    double along = 0.0;
    for (int tries = 0; tries <= qp->n; tries++) {
        if (append(qp, row, sign * (along > 0.0 ? along : 0.0))) {
            return ADDED;
        }
        const int k = qp->n_active;
        eliminate_row(qp, row, k);
        memcpy(qp->p, factor_row(qp, k), (size_t)k * sizeof *qp->p);
        solve_back(qp, k, qp->p);
        for (int j = 0; j < k; j++) {
            qp->p[j] *= -sign;
        }
        double step = INFINITY;
        int stops = -1;
        for (int j = 0; j < k; j++) {
            const int other = qp->active[j];
            if (qp->low[other] != qp->high[other] && signbit(qp->lambda[j]) != signbit(qp->p[j]) &&
                fabs(qp->p[j]) * qp->norm[other] > 1e-9 * qp->norm[row] && -qp->lambda[j] / qp->p[j] < step) {
                step = -qp->lambda[j] / qp->p[j];
                stops = j;
            }
        }
        if (stops < 0) {
            return proves_no_point(qp, row, sign) ? NO_POINT : LOST;
        }
        move(qp, step);
        along += step;
        drop(qp, stops);
    }
    return LOST;
}

// The factor squares the condition of the active rows. Where it leaves them off by far: corrections with what is left,
// while these halve it and no other row comes to be violated (*row -1). False: they stay off by far.
static bool refine(tn_qp *qp, double *dual, int *row, double *sign)
{
    double last = INFINITY, off = active_off(qp);
    while (*row < 0 && off > FAR_OFF && off < 0.5 * last) {
        solve_forward(qp, qp->n_active, qp->p);
        solve_back(qp, qp->n_active, qp->p);
        double step = 1.0;
        const int stops = limit_step(qp, &step);
        move(qp, step);
        last = stops < 0 ? off : INFINITY;
        if (stops >= 0) {
            drop(qp, stops);
        }
        *dual = evaluate(qp);
        *row = most_violated(qp, sign);
        off = active_off(qp);
    }
    return *row >= 0 || off <= FAR_OFF;
}

// Farthest that a feasible point may be from y in entry i. Where that is not known bounds hold for points within
// UNBOUNDED of it, which costs them what the proximal term makes of that.
static double reach(const tn_qp *qp, int i, double y)
{
    return fmin(fmax(qp->z_high[i] - y, y - qp->z_low[i]), UNBOUNDED);
}

// What the proximal term adds to the cost of a feasible point at most.
static double proximal_most(const tn_qp *qp)
{
    double sum = 0.0;
    for (int i = 0; i < qp->n; i++) {
        const double off = reach(qp, i, qp->center[i]);
        sum += 0.5 * qp->eps[i] * off * off;
    }
    return sum;
}

// The minimum without the proximal term is below that at z by this at most: the term's gradient times the way there.
static double proximal_loss(const tn_qp *qp)
{
    double loss = 0.0;
    for (int i = 0; i < qp->n; i++) {
        loss += qp->eps[i] * fabs(qp->z[i] - qp->center[i]) * reach(qp, i, qp->z[i]);
    }
    return loss;
}

bool tn_qp_is_late(tn_qp *qp)
{
    qp->is_late =
        qp->is_late || (qp->deadline < INFINITY && tn_timer_now() >= qp->deadline) || (qp->stop && qp->stop(qp->user));
    return qp->is_late;
}

// One proximal step: TN_QP_SOLVED with z its minimiser.
static tn_qp_status solve_centered(tn_qp *qp, double cutoff, double *dual)
{
    const long cap = qp->iterations + 20L * (qp->n + 10);
    const double most = proximal_most(qp);
    double best = -INFINITY;
    for (int still = 0; still < STILL_MAX; still++) {
        settle(qp);
        *dual = evaluate(qp);
        if (best == -INFINITY || *dual > best + RISE * fabs(best)) {
            still = 0;
            best = *dual;
        }
        qp->bound = fmax(qp->bound, *dual - most);
        if (qp->bound > qp->ceiling) {
            return TN_QP_INFEASIBLE;
        }
        if (qp->bound > cutoff || tn_qp_is_late(qp)) {
            return TN_QP_CUT;
        }
        double sign = 1.0;
        int row = most_violated(qp, &sign);
        if (row < 0) {
            const bool good = refine(qp, dual, &row, &sign);
            if (row < 0) {
                return good ? TN_QP_SOLVED : TN_QP_STUCK;
            }
        }
        if (qp->iterations > cap) {
            return TN_QP_STUCK;
        }
        const added result = add(qp, row, sign);
        if (result != ADDED) {
            return result == NO_POINT ? TN_QP_INFEASIBLE : TN_QP_STUCK;
        }
    }
    return TN_QP_STUCK; // rows that depend on one another to rounding take turns
}

// The factor of the active rows and multipliers that are there, what it has of them kept; what no longer fits leaves.
static void rebuild(tn_qp *qp)
{
    const int k = qp->n_active;
    int kept = 0;
    while (qp->is_factored && kept < k && sign_fits(qp, qp->active[kept], qp->lambda[kept])) {
        kept++;
    }
    memcpy(qp->target, qp->lambda, (size_t)k * sizeof *qp->target);
    qp->n_active = kept;
    for (int j = kept; j < k; j++) {
        qp->is_active[qp->active[j]] = false;
    }
    for (int j = kept; j < k; j++) {
        const int row = qp->active[j]; // appending writes at or before j
        if (sign_fits(qp, row, qp->target[j])) {
            append(qp, row, qp->target[j]);
        }
    }
    qp->is_factored = true;
}

tn_qp_status tn_qp_solve(tn_qp *qp, double cutoff)
{
    qp->bound = -INFINITY;
    if (tn_qp_is_late(qp)) {
        return TN_QP_CUT;
    }
    rebuild(qp);
    for (int step = 0;; step++) {
        recenter(qp);
        double dual;
        const tn_qp_status status = solve_centered(qp, cutoff, &dual);
        if (status == TN_QP_INFEASIBLE) {
            qp->bound = INFINITY;
        }
        if (status != TN_QP_SOLVED) {
            return status;
        }
        const double loss = proximal_loss(qp);
        qp->value = dual;
        for (int i = 0; i < qp->n; i++) {
            const double off = qp->z[i] - qp->center[i];
            qp->value -= 0.5 * qp->eps[i] * off * off;
        }
        qp->bound = fmax(qp->bound, qp->value - loss);
        memcpy(qp->center, qp->z, (size_t)qp->n * sizeof *qp->center);
        if (loss <= PROXIMAL_GAP * (1.0 + fabs(qp->value)) || step == PROXIMAL_MAX) {
            return TN_QP_SOLVED;
        }
        if (qp->bound > cutoff) {
            return TN_QP_CUT;
        }
    }
}
