#include "sim/tangent.h"

#include "base/hash.h"
#include "math/blocks.h"
#include "math/dense.h"
#include "math/vec3.h"
#include "problem/active.h"
#include "problem/rows.h"

#include <math.h>
#include <string.h>

enum { NEWTON_STEPS = 6, CORRECTIONS = 12 };
static const double SOFT = 1e-8;   // over the effective mass: keeps rows that depend on one another apart
static const double EXACT = 1e-14; // a correction that no longer counts

static int first_row(const tn_rows *rows, int i)
{
    return i < rows->n_triples ? 3 * i : 3 * rows->n_triples + (i - rows->n_triples);
}

static int row_count(const tn_rows *rows, int i)
{
    return i < rows->n_triples ? 3 : 1;
}

// Jacobian of row k of constraint i at its entry e.
static const double *entry(const tn_rows *rows, int i, int k, int e)
{
    int n_entries = rows->start[rows->n_triples];
    return i < rows->n_triples ? rows->jacobian + 9 * (ptrdiff_t)e + 3 * (ptrdiff_t)k
                               : rows->jacobian + 9 * (ptrdiff_t)n_entries + 3 * (ptrdiff_t)(e - n_entries);
}

// out (rows) = J v.
static void multiply(const tn_rows *rows, const double *v, double *out)
{
    for (int i = 0; i < rows->n_triples + rows->n_singles; i++) {
        for (int k = 0; k < row_count(rows, i); k++) {
            double sum = 0.0;
            for (int e = rows->start[i]; e < rows->start[i + 1]; e++) {
                sum += tn_vec3_dot(entry(rows, i, k, e), v + 3 * (ptrdiff_t)rows->block[e]);
            }
            out[first_row(rows, i) + k] = sum;
        }
    }
}

// out (n) += J^T f for the given constraint rows.
static void push(const tn_rows *rows, const double *f, double *out)
{
    for (int i = 0; i < rows->n_triples + rows->n_singles; i++) {
        for (int k = 0; k < row_count(rows, i); k++) {
            double force = f[first_row(rows, i) + k];
            for (int e = rows->start[i]; force != 0.0 && e < rows->start[i + 1]; e++) {
                double *to = out + 3 * (ptrdiff_t)rows->block[e];
                tn_vec3_madd(to, to, force, entry(rows, i, k, e));
            }
        }
    }
}

// R of constraint i at (k, l).
static double softness(const tn_rows *rows, int i, int k, int l)
{
    return i >= rows->n_triples ? rows->compliance[i - rows->n_triples]
           : rows->softness     ? rows->softness[9 * (ptrdiff_t)i + 3 * k + l]
                                : 0.0;
}

// y = J v + w + R f.
static void velocities(const tn_rows *rows, const double *v, const double *f, double *y)
{
    multiply(rows, v, y);
    for (int i = 0; i < rows->n_triples + rows->n_singles; i++) {
        int at = first_row(rows, i), n = row_count(rows, i);
        for (int k = 0; k < n; k++) {
            y[at + k] += rows->offset[at + k];
            for (int l = 0; l < n; l++) {
                y[at + k] += softness(rows, i, k, l) * f[at + l];
            }
        }
    }
}

uint64_t tn_tangent_shape(const tn_problem *problem, uint64_t names)
{
    const tn_rows *rows = problem->rows;
    int n = rows->n_triples + rows->n_singles;
    uint64_t hash = tn_hash_long(names, rows->n_triples);
    hash = tn_hash_long(hash, rows->n_frictions);
    hash = tn_hash_long(hash, problem->A->n_rows);
    if (n > 0) {
        hash = tn_hash_bytes(hash, rows->start, ((size_t)n + 1) * sizeof *rows->start);
        hash = tn_hash_bytes(hash, rows->block, (size_t)rows->start[n] * sizeof *rows->block);
    }
    return hash;
}

static void *copy(tn_arena *arena, const void *from, size_t bytes)
{
    char *to = TN_PUSH_RAW(arena, char, bytes);
    return to && bytes > 0 ? memcpy(to, from, bytes) : to;
}

// All but what depends on where the solution is.
static bool keep_problem(tn_tangent *t, const tn_problem *problem, tn_arena *arena)
{
    const tn_rows *from = problem->rows;
    int n = from->n_triples + from->n_singles, n_entries = n > 0 ? from->start[n] : 0;
    int of_triples = n > 0 ? from->start[from->n_triples] : 0;
    size_t numbers = 9 * (size_t)of_triples + 3 * (size_t)(n_entries - of_triples);
    tn_rows *rows = TN_PUSH(arena, tn_rows, 1);
    int *by = TN_PUSH_RAW(arena, int, n);
    t->n = 3 * problem->A->n_rows;
    t->n_rows = (int)tn_row_count(from);
    t->n_constraints = n;
    if (!rows || !by) {
        return false;
    }
    *rows = (tn_rows){.n_triples = from->n_triples, .n_singles = from->n_singles};
    rows->start = copy(arena, n > 0 ? from->start : (const int[]){0}, ((size_t)n + 1) * sizeof *from->start);
    rows->block = copy(arena, from->block, (size_t)n_entries * sizeof *from->block);
    rows->jacobian = copy(arena, from->jacobian, numbers * sizeof *from->jacobian);
    for (int i = 0; i < n; i++) {
        int k = i < from->n_triples ? i - (from->n_triples - from->n_frictions) : -1;
        by[i] = k >= 0 && from->pressed_by ? from->pressed_by[k] : -1;
    }
    t->rows = rows;
    t->pressed_by = by;
    t->v = TN_PUSH(arena, double, t->n);
    t->lambda = TN_PUSH(arena, double, t->n_rows);
    t->y = TN_PUSH(arena, double, t->n_rows);
    t->rho = TN_PUSH(arena, double, n);
    t->bound = TN_PUSH(arena, tn_bound, n);
    t->map = TN_PUSH(arena, tn_projection, n);
    t->active = TN_PUSH(arena, bool, n);
    t->idle = TN_PUSH(arena, bool, n);
    t->row = TN_PUSH(arena, int, t->n_rows);
    return rows->start && rows->block && rows->jacobian && t->v && t->lambda && t->y && t->rho && t->bound && t->map &&
           t->active && t->idle && t->row;
}

static void find_masses(tn_tangent *t, const tn_problem *problem)
{
    const tn_rows singles = tn_rows_singles(problem->rows);
    for (int m = 0; m < t->rows->n_triples; m++) {
        t->rho[m] = tn_contact_normal_mass(problem, m);
    }
    tn_singles_mass(&singles, problem->A, t->rho + t->rows->n_triples);
}

static bool any_slope(const tn_projection *map, int n)
{
    bool any = false;
    for (int k = 0; k < (n == 3 ? 9 : 1); k++) {
        any = any || map->slope[k] != 0.0;
    }
    for (int k = 0; k < n; k++) {
        any = any || map->pressed[k] != 0.0;
    }
    return any;
}

// c, where single row j is c times row i; 0: it is none such.
static double times(const tn_rows *rows, int i, int j)
{
    const double same = 1e-20; // squared
    int n = rows->start[i + 1] - rows->start[i];
    double ij = 0.0, ii = 0.0, jj = 0.0;
    if (rows->start[j + 1] - rows->start[j] != n) {
        return 0.0;
    }
    for (int e = 0; e < n; e++) {
        const double *a = entry(rows, i, 0, rows->start[i] + e), *b = entry(rows, j, 0, rows->start[j] + e);
        if (rows->block[rows->start[i] + e] != rows->block[rows->start[j] + e]) {
            return 0.0;
        }
        ii += tn_vec3_dot(a, a);
        ij += tn_vec3_dot(a, b);
        jj += tn_vec3_dot(b, b);
    }
    return ii * jj - ij * ij <= same * ii * jj ? ij / ii : 0.0;
}

// Row i, of friction that sticks or a rigid motor of some strength, along a limit that presses: which of them bears
// what is open, and where they come to want different rates one of them gives way. That is row i where it could not
// bear all, else the limit. What gives way keeps its force, as if it were no row. (A servo says by the rate what it
// bears.)
static void find_idle(tn_tangent *t, const tn_problem *problem, int i)
{
    const tn_rows *of = problem->rows;
    int first = of->n_triples, k = i - first;
    if (k < 0 || !t->active[i] || !of->joint || of->compliance[k] != 0.0 || !isfinite(of->lower[k]) ||
        !isfinite(of->upper[k])) {
        return;
    }
    for (int way = -1; way <= 1; way += 2) {
        for (int j = k + way; j >= 0 && j < of->n_singles && of->joint[j] == of->joint[k]; j += way) {
            bool limit = !isfinite(of->lower[j]) || !isfinite(of->upper[j]);
            double c = limit && of->compliance[j] == 0.0 && t->active[first + j] ? times(t->rows, i, first + j) : 0.0;
            if (c != 0.0) {
                double all = t->lambda[first_row(t->rows, i)] + c * t->lambda[first_row(t->rows, first + j)];
                t->idle[all < of->lower[k] || all > of->upper[k] ? i : first + j] = true;
            }
        }
    }
}

// Laws, slopes and active rows at the solution.
static void look(tn_tangent *t, const tn_problem *problem, const tn_solution *at)
{
    memcpy(t->v, at->v, (size_t)t->n * sizeof *t->v);
    if (t->n_rows > 0) {
        memcpy(t->lambda, at->lambda, (size_t)t->n_rows * sizeof *t->lambda);
    }
    velocities(problem->rows, t->v, t->lambda, t->y);
    t->n_active = 0;
    for (int i = 0; i < t->n_constraints; i++) {
        int first = first_row(t->rows, i), n = row_count(t->rows, i);
        const double rho[2] = {t->rho[i], t->rho[i]};
        t->map[i] = (tn_projection){.metric = {rho[0], rho[0], rho[0]}};
        t->bound[i] = tn_problem_bound(problem, i, t->lambda);
        tn_set_map(&t->bound[i], rho, t->lambda + first, t->y + first, &t->map[i]);
        t->active[i] = any_slope(&t->map[i], n);
        t->idle[i] = false;
    }
    for (int i = 0; i < t->n_constraints; i++) {
        find_idle(t, problem, i);
    }
    for (int i = 0; i < t->n_constraints; i++) {
        int first = first_row(t->rows, i), n = row_count(t->rows, i);
        t->active[i] = t->active[i] && !t->idle[i];
        for (int k = 0; t->active[i] && k < n; k++) {
            t->row[t->n_active++] = first + k;
        }
    }
}

// column (n_rows) of W + R for a unit force on row k of constraint i; of what is active only.
static bool find_column(tn_tangent *t, const tn_problem *problem, int i, int k, double *push_v, double *column)
{
    int first = first_row(t->rows, i);
    memset(push_v, 0, (size_t)t->n * sizeof *push_v);
    for (int e = t->rows->start[i]; e < t->rows->start[i + 1]; e++) {
        tn_vec3_copy(push_v + 3 * (ptrdiff_t)t->rows->block[e], entry(t->rows, i, k, e));
    }
    if (tn_cholesky_solve(t->factor, 1, push_v, push_v, NULL) != TN_OK) {
        return false;
    }
    multiply(t->rows, push_v, column);
    for (int l = 0; l < row_count(t->rows, i); l++) {
        column[first + l] += softness(problem->rows, i, l, k);
    }
    return true;
}

// Row numbers of active constraint i in the system begin at place[i].
static void find_places(const tn_tangent *t, int *place)
{
    for (int i = 0, at = 0; i < t->n_constraints; i++) {
        place[i] = t->active[i] ? at : -1;
        at += t->active[i] ? row_count(t->rows, i) : 0;
    }
}

// Rows of constraint i in a column of the matrix, which begins as a column of W + R: D M (W + R).
static void fill(const tn_tangent *t, int i, int at, const double *velocity, int column)
{
    int n = row_count(t->rows, i), first = first_row(t->rows, i);
    for (int k = 0; k < n; k++) {
        double sum = 0.0;
        for (int l = 0; l < n; l++) {
            sum += t->map[i].slope[n * k + l] * t->map[i].metric[l] * velocity[first + l];
        }
        t->matrix[(ptrdiff_t)(at + k) * t->n_active + column] = sum;
    }
}

// I - D + D M (W + R) - E.
static bool build(tn_tangent *t, const tn_problem *problem, tn_arena *scratch)
{
    int size = t->n_active, *place = TN_PUSH_RAW(scratch, int, t->n_constraints);
    double *push_v = TN_PUSH_RAW(scratch, double, t->n), *velocity = TN_PUSH_RAW(scratch, double, t->n_rows);
    if (!place || !push_v || !velocity) {
        return false;
    }
    find_places(t, place);
    for (int i = 0, column = 0; i < t->n_constraints; i++) {
        for (int k = 0; t->active[i] && k < row_count(t->rows, i); k++, column++) {
            if (!find_column(t, problem, i, k, push_v, velocity)) {
                return false;
            }
            for (int j = 0; j < t->n_constraints; j++) {
                if (place[j] >= 0) {
                    fill(t, j, place[j], velocity, column);
                }
            }
        }
    }
    for (int i = 0; i < t->n_constraints; i++) {
        int n = row_count(t->rows, i), by = t->pressed_by[i] >= 0 ? place[t->pressed_by[i]] : -1;
        for (int k = 0; place[i] >= 0 && k < n; k++) {
            double *row = t->matrix + (ptrdiff_t)(place[i] + k) * size;
            for (int l = 0; l < n; l++) {
                row[place[i] + l] += (k == l ? 1.0 : 0.0) - t->map[i].slope[n * k + l];
            }
            if (by >= 0) {
                row[by] -= t->map[i].pressed[k];
            }
        }
    }
    return true;
}

// The matrix softened, D SOFT on its diagonal blocks, and factored.
static bool factor(tn_tangent *t)
{
    memcpy(t->lu, t->matrix, (size_t)t->n_active * (size_t)t->n_active * sizeof *t->lu);
    for (int i = 0, at = 0; i < t->n_constraints; i++) {
        int n = row_count(t->rows, i);
        for (int k = 0; t->active[i] && k < n; k++) {
            for (int l = 0; l < n; l++) {
                t->lu[(ptrdiff_t)(at + k) * t->n_active + at + l] += SOFT * t->map[i].slope[n * k + l];
            }
        }
        at += t->active[i] ? n : 0;
    }
    return t->n_active == 0 || tn_dense_lu(t->n_active, t->lu, t->pivot);
}

static double norm(int n, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

// x (n_active) of matrix x = rhs, by corrections with the factor; room (n_active).
static void solve_rows(const tn_tangent *t, const double *rhs, double *x, double *room)
{
    int n = t->n_active;
    memset(x, 0, (size_t)n * sizeof *x);
    for (int c = 0; c < CORRECTIONS && n > 0; c++) {
        for (int i = 0; i < n; i++) {
            room[i] = rhs[i];
            for (int j = 0; j < n; j++) {
                room[i] -= t->matrix[(ptrdiff_t)i * n + j] * x[j];
            }
        }
        tn_dense_lu_solve(n, t->lu, t->pivot, room);
        for (int i = 0; i < n; i++) {
            x[i] += room[i];
        }
        if (norm(n, room) <= EXACT * norm(n, x)) {
            return;
        }
    }
}

// What the law of constraint i misses at the old forces, in a problem with velocities y (n_rows): change (3).
static void misses(const tn_tangent *t, const tn_problem *near, int i, const double *y, double miss[3])
{
    int n = row_count(t->rows, i), first = first_row(t->rows, i);
    tn_bound bound = tn_problem_bound(near, i, t->lambda);
    tn_projection at = t->map[i];
    const double rho[2] = {t->rho[i], t->rho[i]};
    if (memcmp(&bound, &t->bound[i], sizeof bound) != 0) {
        tn_set_map(&bound, rho, t->lambda + first, t->y + first, &at);
    }
    for (int k = 0; k < n; k++) {
        miss[k] = t->lambda[first + k] - at.p[k];
        for (int l = 0; l < n; l++) {
            miss[k] += t->map[i].slope[n * k + l] * t->map[i].metric[l] * (y[first + l] - t->y[first + l]);
        }
    }
}

// Scratch of a solve.
typedef struct room {
    double *momentum, *y, *change, *rhs, *x, *more; // (n), (n_rows) twice, (n_active) three times
} room;

static bool make_room(const tn_tangent *t, tn_arena *scratch, room *r)
{
    *r = (room){.momentum = TN_PUSH(scratch, double, t->n),
                .y = TN_PUSH(scratch, double, t->n_rows),
                .change = TN_PUSH(scratch, double, t->n_rows),
                .rhs = TN_PUSH(scratch, double, t->n_active),
                .x = TN_PUSH(scratch, double, t->n_active),
                .more = TN_PUSH(scratch, double, t->n_active)};
    return r->momentum && r->y && r->change && r->rhs && r->x && r->more;
}

// Right-hand sides: -dr into momentum, the misses of active rows into rhs; what is not active changes its force by what
// it misses, and pushes.
static void find_changes(const tn_tangent *t, const tn_problem *near, room *r)
{
    tn_blocks_mul(near->A, t->v, r->momentum);
    for (int i = 0; i < t->n; i++) {
        r->momentum[i] = near->b[i] - r->momentum[i];
    }
    push(near->rows, t->lambda, r->momentum);
    velocities(near->rows, t->v, t->lambda, r->y);
    for (int i = 0, at = 0; i < t->n_constraints; i++) {
        int n = row_count(t->rows, i), first = first_row(t->rows, i);
        double miss[3];
        misses(t, near, i, r->y, miss);
        for (int k = 0; k < n; k++) {
            r->change[first + k] = t->active[i] || t->idle[i] ? 0.0 : -miss[k];
            if (t->active[i]) {
                r->rhs[at++] = -miss[k];
            }
        }
    }
    push(t->rows, r->change, r->momentum);
}

// rhs -= D M J dv.
static void subtract_velocity(const tn_tangent *t, const double *Jv, double *rhs)
{
    for (int i = 0, at = 0; i < t->n_constraints; i++) {
        int n = row_count(t->rows, i), first = first_row(t->rows, i);
        for (int k = 0; t->active[i] && k < n; k++, at++) {
            for (int l = 0; l < n; l++) {
                rhs[at] -= t->map[i].slope[n * k + l] * t->map[i].metric[l] * Jv[first + l];
            }
        }
    }
}

bool tn_tangent_solve(const tn_tangent *t, const tn_problem *near, tn_arena *scratch, tn_solution *out)
{
    room r;
    tn_arena_mark mark = tn_arena_get_mark(scratch);
    bool ok = make_room(t, scratch, &r);
    if (ok) {
        find_changes(t, near, &r);
        ok = tn_cholesky_solve(t->factor, 1, r.momentum, r.momentum, NULL) == TN_OK;
    }
    if (ok) {
        multiply(t->rows, r.momentum, r.y); // of the motion without new forces
        subtract_velocity(t, r.y, r.rhs);
        solve_rows(t, r.rhs, r.x, r.more);
        memset(r.y, 0, (size_t)t->n_rows * sizeof *r.y);
        for (int i = 0; i < t->n_active; i++) {
            r.y[t->row[i]] = r.x[i];
            r.change[t->row[i]] = r.x[i];
        }
        for (int i = 0; i < t->n; i++) {
            out->v[i] = t->v[i] + r.momentum[i];
        }
        memset(r.momentum, 0, (size_t)t->n * sizeof *r.momentum);
        push(t->rows, r.y, r.momentum);
        ok = tn_cholesky_solve(t->factor, 1, r.momentum, r.momentum, NULL) == TN_OK;
    }
    for (int i = 0; ok && i < t->n; i++) {
        out->v[i] += r.momentum[i];
    }
    for (int i = 0; ok && i < t->n_rows; i++) {
        out->lambda[i] = t->lambda[i] + r.change[i];
    }
    tn_arena_release(scratch, mark);
    return ok;
}

bool tn_tangent_is_unique(const tn_tangent *t, tn_arena *scratch)
{
    const double still = 1e-5; // of the velocities that a regular change of forces makes
    tn_arena_mark mark = tn_arena_get_mark(scratch);
    double *x = TN_PUSH(scratch, double, t->n_active), *f = TN_PUSH(scratch, double, t->n_rows);
    double *push_v = TN_PUSH(scratch, double, t->n), *u = TN_PUSH(scratch, double, t->n_rows);
    bool unique = true;
    for (int i = 0; x && i < t->n_active; i++) {
        x[i] = sin(1.0 + i); // no direction in particular
    }
    for (int k = 0; x && f && push_v && u && k < 3 && t->n_active > 0; k++) {
        double size = norm(t->n_active, x);
        for (int i = 0; i < t->n_active; i++) {
            x[i] /= size;
        }
        tn_dense_lu_solve(t->n_active, t->lu, t->pivot, x);
    }
    // What the system hardly resists comes out large; it may not move anything.
    if (x && f && push_v && u && norm(t->n_active, x) > 1e-2 / SOFT) {
        for (int i = 0; i < t->n_active; i++) {
            f[t->row[i]] = x[i] / norm(t->n_active, x);
        }
        push(t->rows, f, push_v);
        unique = tn_cholesky_solve(t->factor, 1, push_v, push_v, NULL) == TN_OK;
        multiply(t->rows, push_v, u);
        double moved = 0.0;
        for (int i = 0; i < t->n_constraints; i++) {
            for (int k = 0; k < row_count(t->rows, i); k++) {
                double part = t->rho[i] * u[first_row(t->rows, i) + k];
                moved += part * part;
            }
        }
        unique = unique && sqrt(moved) < still;
    }
    tn_arena_release(scratch, mark);
    return unique;
}

// How far the laws are from holding at t, and momentum, each over its effective mass [m/s].
static double error_at(const tn_tangent *t, const tn_problem *problem, double *room_n)
{
    double sum = 0.0;
    for (int i = 0; i < t->n_constraints; i++) {
        for (int k = 0; k < row_count(t->rows, i); k++) {
            double miss = (t->lambda[first_row(t->rows, i) + k] - t->map[i].p[k]) / t->rho[i];
            sum += miss * miss;
        }
    }
    tn_blocks_mul(problem->A, t->v, room_n);
    for (int i = 0; i < t->n; i++) {
        room_n[i] = problem->b[i] - room_n[i];
    }
    push(problem->rows, t->lambda, room_n);
    if (tn_cholesky_solve(t->factor, 1, room_n, room_n, NULL) != TN_OK) {
        return INFINITY;
    }
    double moved = norm(t->n, room_n);
    return sqrt(sum + moved * moved);
}

// Matrix and factor at the solution. arena: of the square arrays.
static bool set_up(tn_tangent *t, const tn_problem *problem, tn_arena *arena)
{
    size_t square = (size_t)t->n_active * (size_t)t->n_active;
    t->matrix = TN_PUSH(arena, double, square);
    t->lu = TN_PUSH(arena, double, square);
    t->pivot = TN_PUSH(arena, int, t->n_active);
    tn_arena_mark mark = tn_arena_get_mark(arena);
    bool ok = t->matrix && t->lu && t->pivot && build(t, problem, arena) && factor(t);
    tn_arena_release(arena, mark);
    return ok;
}

// Newton steps while they lessen the error; the system is then that of the best solution, which goes to *solution.
static bool refine(tn_tangent *t, const tn_problem *problem, tn_arena *arena, tn_solution *solution)
{
    double *room_n = TN_PUSH_RAW(arena, double, t->n);
    tn_solution next = {TN_PUSH(arena, double, t->n), TN_PUSH(arena, double, t->n_rows)};
    tn_arena_mark mark = tn_arena_get_mark(arena);
    if (!room_n || !next.v || !next.lambda) {
        return false;
    }
    look(t, problem, solution);
    double least = error_at(t, problem, room_n);
    for (int k = 0;; k++) {
        tn_arena_release(arena, mark);
        if (!set_up(t, problem, arena) || !tn_tangent_solve(t, problem, arena, &next)) {
            return false;
        }
        look(t, problem, &next);
        double error = error_at(t, problem, room_n);
        bool better = error < least && k < NEWTON_STEPS;
        if (better) {
            least = error;
            memcpy(solution->v, next.v, (size_t)t->n * sizeof *next.v);
            memcpy(solution->lambda, next.lambda, (size_t)t->n_rows * sizeof *next.lambda);
        }
        if (!better || least == 0.0) {
            tn_arena_release(arena, mark);
            look(t, problem, solution);
            return set_up(t, problem, arena);
        }
    }
}

tn_status tn_tangent_create(const tn_problem *problem, uint64_t shape, tn_solution *solution, tn_arena *arena,
                            tn_tangent *out, tn_error *error)
{
    *out = (tn_tangent){.shape = shape};
    if (!keep_problem(out, problem, arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the derivatives of %d rows", out->n_rows);
    }
    out->factor = tn_cholesky_create(problem->A, error);
    tn_status status = out->factor ? tn_cholesky_factor(out->factor, problem->A, error) : TN_NO_MEMORY;
    if (status != TN_OK) {
        return status;
    }
    find_masses(out, problem);
    return refine(out, problem, arena, solution)
               ? TN_OK
               : tn_error_set(error, TN_NUMERICS, "no derivative of the step: no factor of its %d active rows",
                              out->n_active);
}

void tn_tangent_destroy(tn_tangent *t)
{
    tn_cholesky_destroy(t->factor);
    t->factor = NULL;
}
