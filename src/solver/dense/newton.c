// Steps towards forces that obey their laws: semismooth Newton on the natural map, and Gauss-Seidel sweeps.
#include "kernels/dense_solve.h"
#include "math/sums.h"
#include "math/vec3.h"
#include "problem/hints.h"
#include "problem/rows.h"
#include "solver/dense/system.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Proximal term, relative to a row's own mobility: it holds forces that redundant rows leave open.
static const double DAMPING = 1e-3, LEAST_DAMPING = 1e-9;
// Rounds of singles that a step takes to their bounds.
enum { PINS = 6 };
// Times what rounding makes of the residual: exact. Of the forces' length, above which nobody need ask.
static const double EXACT = 8.0, NEAR = 1e-9;

// ---- residual

// The row block that presses row block m; -1: nothing.
static int pressing(const tn_dense *s, int m)
{
    const tn_rows *c = s->problem->rows;
    int friction = m - (c->n_triples - c->n_frictions);
    return friction < 0 ? -1 : c->pressed_by[friction];
}

static const tn_bound *bound_at(tn_dense *s, int m, const double *x)
{
    int by = pressing(s, m);
    s->bound[m].pressed = by < 0 ? 0.0 : x[3 * by];
    return &s->bound[m];
}

// p and map at x and the velocities that are there. Returns the norm.
static double judge(tn_dense *s, const double *x)
{
    double sum = 0.0;
    s->version++;
    for (int m = 0; m < s->n; m++) {
        const double *f = x + 3 * (size_t)m, *u = s->velocity + 3 * (size_t)m;
        tn_set_map(bound_at(s, m, x), s->rho + 3 * m, f, u, &s->map[m]);
        tn_vec3_copy(s->p + 3 * (size_t)m, s->map[m].p);
    }
    for (int at = 3 * s->n; at < s->size; at++) {
        s->p[at] = tn_single_clamp(&s->singles, s->bounded[at - 3 * s->n], x[at] - s->rho[at] * s->velocity[at]);
    }
    for (int i = 0; i < s->size; i++) {
        sum += (x[i] - s->p[i]) * (x[i] - s->p[i]) / s->rho[i];
    }
    return sqrt(sum);
}

// velocity, p and map at x. Returns the norm.
static double evaluate(tn_dense *s, const double *x)
{
    tn_dense_product(s->size, s->stride, s->W, x, s->velocity);
    for (int i = 0; i < s->size; i++) {
        s->velocity[i] += s->free[i];
    }
    return judge(s, x);
}

// What rounding makes of velocities, and so of the norm; open contacts and limits far off have none.
static double find_rounding(const tn_dense *s)
{
    double sum = 0.0;
    tn_dense_sizes(s->size, s->stride, s->W, s->x, s->sizes);
    for (int i = 0; i < s->size; i++) {
        int first = i < 3 * s->n ? i - i % 3 : i;
        if (s->x[first] != 0.0 || s->p[first] != 0.0) {
            double all = fabs(s->free[i]) + fabs(s->velocity[i]) + s->sizes[i];
            sum += s->rho[i] * all * all;
        }
    }
    return DBL_EPSILON * sqrt(sum);
}

void tn_dense_set(tn_dense *s, const double *x)
{
    if (x != s->x) {
        memcpy(s->x, x, (size_t)s->size * sizeof *x);
    }
    s->norm = evaluate(s, s->x);
}

void tn_dense_judge(tn_dense *s)
{
    s->norm = judge(s, s->x);
}

static double length_of(const tn_dense *s)
{
    double sum = 0.0;
    for (int i = 0; i < s->size; i++) {
        sum += s->x[i] * s->x[i] / s->rho[i];
    }
    return sqrt(sum);
}

bool tn_dense_is_exact(const tn_dense *s)
{
    return s->norm <= NEAR * length_of(s) && s->norm <= EXACT * find_rounding(s);
}

// ---- Newton's method

static bool is_active(const tn_projection *map)
{
    return map->slope[0] != 0.0 || map->slope[4] != 0.0 || map->slope[8] != 0.0 || map->pressed[0] != 0.0 ||
           map->pressed[1] != 0.0 || map->pressed[2] != 0.0;
}

// x = p, *moved if that is new.
static void settle(const double *p, double *x, int n, bool *moved)
{
    for (int i = 0; i < n; i++) {
        *moved = *moved || x[i] != p[i];
        x[i] = p[i];
    }
}

// Rows whose force another force moves; the others take theirs, zero or a bound, at once. Returns their number.
static int choose_active(tn_dense *s, bool *moved)
{
    int n = 0;
    *moved = false;
    for (int m = 0; m < s->n; m++) {
        int wide = is_active(&s->map[m]) ? s->wide : 0;
        for (int k = 0; k < wide; k++) {
            s->active[n++] = 3 * m + k;
        }
        settle(s->p + 3 * m + wide, s->x + 3 * m + wide, 3 - wide, moved);
    }
    for (int i = 0; i < s->n_bounded; i++) {
        int at = 3 * s->n + i, number = s->bounded[i];
        if (s->pinned[i]) {
            continue;
        }
        if (s->p[at] > s->singles.lower[number] && s->p[at] < s->singles.upper[number]) {
            s->active[n++] = at;
        } else {
            settle(s->p + at, s->x + at, 1, moved);
        }
    }
    return n;
}

// The active columns as runs; returns how many.
static int find_runs(tn_dense *s, int n_active)
{
    int n = 0;
    for (int a = 0; a < n_active; a++) {
        if (a == 0 || s->active[a] != s->active[a - 1] + 1) {
            s->runs[n++] = (tn_dense_run){.from = s->active[a]};
        }
        s->runs[n - 1].n++;
    }
    return n;
}

// Row a of the linear system, of a single: d(x - P)/dx over the active columns.
static void fill_single(const tn_dense *s, int n_active, int a, double alpha, double *out)
{
    int r = s->active[a];
    const double *W = s->W + (size_t)r * (size_t)s->stride;
    for (int b = 0; b < n_active; b++) {
        out[b] = s->rho[r] * W[s->active[b]];
    }
    out[a] += alpha;
}

// Rows a to a + 2, of a triple; of a planar one the third has no column, and gives way to the next row.
static void fill_triple(const tn_dense *s, int n_active, int n_runs, int a, double alpha, size_t width, double *out)
{
    int m = s->active[a] / 3, by = pressing(s, m);
    const tn_projection *map = &s->map[m];
    double scaled[9];
    for (int i = 0; i < 9; i++) {
        scaled[i] = map->slope[i] * map->metric[i % 3];
    }
    tn_dense_combine(n_runs, s->runs, scaled, s->stride, s->W + 3 * (size_t)m * (size_t)s->stride, (int)width, out);
    for (int k = 0; k < 3; k++) {
        double *row = out + (size_t)k * width;
        for (int i = 0; i < s->wide; i++) { // its own columns are there
            row[a + i] += (i == k) - (1.0 - alpha) * map->slope[3 * k + i];
        }
        for (int b = 0; by >= 0 && b < n_active; b++) {
            row[b] -= s->active[b] == 3 * by ? map->pressed[k] : 0.0;
        }
    }
}

// s->step of the active rows; n: how many. False: none.
static bool find_step(tn_dense *s, double alpha, int *n)
{
    bool moved;
    *n = choose_active(s, &moved);
    int n_runs = find_runs(s, *n);
    size_t stride = ((size_t)*n + 8) & ~(size_t)7;
    for (int a = 0; a < *n;) { // with the slopes that chose
        double *row = s->matrix + (size_t)a * stride;
        if (s->active[a] < 3 * s->n) {
            fill_triple(s, *n, n_runs, a, alpha, stride, row);
            a += s->wide;
        } else {
            fill_single(s, *n, a++, alpha, row);
        }
    }
    s->norm = moved ? evaluate(s, s->x) : s->norm;
    for (int a = 0; a < *n; a++) {
        double *right = s->matrix + (size_t)a * stride + *n;
        memset(right, 0, (stride - (size_t)*n) * sizeof *right);
        *right = s->p[s->active[a]] - s->x[s->active[a]];
    }
    return *n == 0 || tn_dense_eliminate(*n, (int)stride, s->matrix, s->step);
}

// Singles that the step would take out of their bounds stay there for the rest of it. True: some do.
static bool pin(tn_dense *s, int n)
{
    bool any = false;
    for (int a = n - 1; a >= 0 && s->active[a] >= 3 * s->n; a--) {
        int at = s->active[a], i = at - 3 * s->n;
        double x = s->x[at] + s->step[a], bound = tn_single_clamp(&s->singles, s->bounded[i], x);
        if (x != bound) {
            s->pinned[i] = any = true;
            s->x[at] = bound;
        }
    }
    return any;
}

double tn_dense_damping(const tn_dense *s)
{
    return fmax(LEAST_DAMPING, DAMPING * s->norm / fmax(length_of(s), s->norm));
}

bool tn_dense_is_open(const tn_dense *s)
{
    const tn_parts *parts = s->problem->hints ? s->problem->hints->parts : NULL;
    int n = 0;
    if (!s->problem->A || !parts || parts->largest <= TN_PART_FEW || s->soft) {
        return false;
    }
    for (int m = 0; m < s->n; m++) {
        n += is_active(&s->map[m]) ? 3 : 0;
    }
    return n > 3 * s->problem->A->n_rows;
}

// Of rows that act along the same axis, such as a joint's limit and its friction, only one can hold: the step of both
// has no end, and takes the other one to its bound.
bool tn_dense_step(tn_dense *s, double alpha)
{
    int n;
    memset(s->pinned, 0, (size_t)s->n_bounded * sizeof *s->pinned);
    bool solved = find_step(s, alpha, &n);
    for (int k = 0; k < PINS && solved && pin(s, n); k++) {
        s->norm = evaluate(s, s->x);
        solved = find_step(s, alpha, &n);
    }
    for (int a = 0; a < n && solved; a++) {
        s->x[s->active[a]] += s->step[a];
    }
    s->norm = n > 0 ? evaluate(s, s->x) : s->norm;
    return solved && isfinite(s->norm);
}

static bool sticks(const tn_projection *map)
{
    return map->slope[0] == 1.0 && map->slope[4] == 1.0 && map->slope[8] == 1.0;
}

// Where a force lies on the edge of what friction bears, both are slopes of P there: those of a contact that sticks,
// and of one that slides on.
bool tn_dense_slide_on(tn_dense *s)
{
    const double OUT = 1e-9;
    bool any = false;
    for (int m = 0; m < s->n - s->problem->rows->n_frictions; m++) {
        const double *f = s->x + 3 * (size_t)m, *u = s->velocity + 3 * (size_t)m, *rho = s->rho + 3 * (size_t)m;
        double against[3] = {0.0, -OUT * f[1] / rho[1], -OUT * f[2] / rho[1]}, *p = s->p + 3 * (size_t)m;
        tn_projection edge;
        if (!(f[0] > 0.0) || !sticks(&s->map[m])) {
            continue;
        }
        tn_set_map(bound_at(s, m, s->x), rho, f, against, &edge);
        if (!sticks(&edge)) {
            s->map[m] = edge;
            for (int k = 0; k < 3; k++) {
                const double *slope = edge.slope + 3 * k;
                p[k] = f[k] - (slope[0] * edge.metric[0] * u[0] + slope[1] * edge.metric[1] * u[1] +
                               slope[2] * edge.metric[2] * u[2]);
            }
            any = true;
        }
    }
    return any;
}

// ---- proximal point

void tn_dense_soften(tn_dense *s, double alpha)
{
    s->soft = true;
    for (int i = 0; i < s->size; i++) {
        double give = alpha / s->rho[i], *own = &s->W[(size_t)i * (size_t)(s->stride + 1)];
        s->hard[i] = *own;
        s->hard_free[i] = s->free[i];
        *own += give;
        s->free[i] -= give * s->x[i];
    }
    tn_dense_set(s, s->x);
}

void tn_dense_harden(tn_dense *s)
{
    s->soft = false;
    for (int i = 0; i < s->size; i++) {
        s->W[(size_t)i * (size_t)(s->stride + 1)] = s->hard[i];
        s->free[i] = s->hard_free[i];
    }
    tn_dense_set(s, s->x);
}

// ---- Gauss-Seidel

static void solve_triple(tn_dense *s, int m)
{
    size_t size = (size_t)s->size, stride = (size_t)s->stride;
    double own[9], q[3], *f = s->x + 3 * (size_t)m;
    for (size_t k = 0; k < 3; k++) {
        const double *row = s->W + (3 * (size_t)m + k) * stride;
        tn_vec3_copy(own + 3 * k, row + 3 * (size_t)m);
        q[k] = s->free[3 * (size_t)m + k] + tn_dot(size, row, s->x) - tn_vec3_dot(own + 3 * k, f);
    }
    tn_set_solve(bound_at(s, m, s->x), own, q, f);
}

static void solve_single(tn_dense *s, int i)
{
    size_t at = 3 * (size_t)s->n + (size_t)i;
    double y = s->free[at] + tn_dot((size_t)s->size, s->W + at * (size_t)s->stride, s->x);
    s->x[at] = tn_single_clamp(&s->singles, s->bounded[i], s->x[at] - s->rho[at] * y);
}

void tn_dense_sweep(tn_dense *s)
{
    for (int m = 0; m < s->n; m++) {
        solve_triple(s, m);
    }
    for (int i = 0; i < s->n_bounded; i++) {
        solve_single(s, i);
    }
}
