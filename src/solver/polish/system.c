#include "solver/polish/system.h"

#include "math/dense.h"
#include "math/mat3.h"
#include "math/sums.h"
#include "math/vec3.h"
#include "problem/bound.h"
#include "problem/rows.h"
#include "solver/few/newton.h"

#include <float.h>
#include <math.h>
#include <string.h>

// Proximal term, relative to a row's own mobility: it holds forces that redundant rows leave open.
static const double DAMPING = 1e-3, LEAST_DAMPING = 1e-13;
// Halvings of a step, and the part of the length by which the norm has to fall.
enum { CUTS = 4 };
static const double DECREASE = 0.05;
enum { SMALL = 30 }; // unknowns below which LAPACK's call costs more than it saves

// ---- rows

// Entries of scalar row r: blocks, and vectors of three.
typedef struct row {
    int n, stride;
    const int *block;
    const double *vector; // of entry e at stride e
} row;

static row row_of(const tn_polish_system *s, int r)
{
    const tn_rows *c = s->problem->rows;
    if (r < 3 * s->n) {
        int m = s->island->contact[r / 3], first = c->start[m];
        return (row){.n = c->start[m + 1] - first,
                     .stride = 9,
                     .block = c->block + first,
                     .vector = c->jacobian + 9 * (size_t)first + 3 * (size_t)(r % 3)};
    }
    const tn_rows singles = tn_rows_singles(s->problem->rows), *j = &singles;
    int i = s->island->joint[r - 3 * s->n], first = j->start[i];
    return (row){.n = j->start[i + 1] - first,
                 .stride = 3,
                 .block = j->block + first,
                 .vector = j->jacobian + 3 * (size_t)first};
}

static double times(const row *r, const double *x)
{
    double sum = 0.0;
    for (int e = 0; e < r->n; e++) {
        sum += tn_vec3_dot(r->vector + r->stride * e, x + 3 * (size_t)r->block[e]);
    }
    return sum;
}

static void add(const row *r, double f, double *x)
{
    for (int e = 0; e < r->n; e++) {
        double *to = x + 3 * (size_t)r->block[e];
        tn_vec3_madd(to, to, f, r->vector + r->stride * e);
    }
}

// x = A^-1 x of part k.
static void solve_part(const tn_part_factors *factors, int k, double *x)
{
    const tn_parts *c = factors->parts;
    double local[3 * TN_PART_BLOCKS];
    int first = c->start[k], size = c->start[k + 1] - first;
    for (int i = 0; i < size; i++) {
        tn_vec3_copy(local + 3 * i, x + 3 * (size_t)c->blocks[first + i]);
    }
    tn_part_solve(factors, k, local);
    for (int i = 0; i < size; i++) {
        tn_vec3_copy(x + 3 * (size_t)c->blocks[first + i], local + 3 * i);
    }
}

// x = A^-1 r^T on the parts that r touches; x is zero there before.
static void respond(const tn_part_factors *factors, const row *r, double *x)
{
    const int *of_block = factors->parts->of_block;
    add(r, 1.0, x);
    for (int e = 0; e < r->n; e++) {
        bool done = false;
        for (int k = 0; k < e; k++) {
            done = done || of_block[r->block[k]] == of_block[r->block[e]];
        }
        if (!done) {
            solve_part(factors, of_block[r->block[e]], x);
        }
    }
}

static void clear(const tn_parts *c, const row *r, double *x)
{
    for (int e = 0; e < r->n; e++) {
        int of = c->of_block[r->block[e]];
        for (int k = c->start[of]; k < c->start[of + 1]; k++) {
            tn_vec3_set(x + 3 * (size_t)c->blocks[k], 0.0, 0.0, 0.0);
        }
    }
}

// ---- the matrix

static void build_global(tn_polish_system *s)
{
    size_t size = (size_t)s->size;
    for (int i = 0; i < s->size; i++) {
        row r = row_of(s, i);
        respond(s->factors, &r, s->response);
        for (int j = 0; j <= i; j++) {
            row other = row_of(s, j);
            s->W[(size_t)i * size + (size_t)j] = s->W[(size_t)j * size + (size_t)i] = times(&other, s->response);
        }
        clear(s->factors->parts, &r, s->response);
    }
    for (int i = 0; i < s->n_joints; i++) {
        s->W[(size_t)(3 * s->n + i) * (size + 1)] += s->problem->rows->compliance[s->island->joint[i]];
    }
}

static void build_local(tn_polish_system *s)
{
    const tn_blocks *W = s->problem->W;
    size_t size = (size_t)s->size;
    memset(s->W, 0, size * size * sizeof *s->W);
    for (int i = 0; i < s->n; i++) {
        for (int k = W->start[i]; k < W->start[i + 1]; k++) {
            double *to = s->W + 3 * (size_t)i * size + 3 * (size_t)W->column[k];
            for (int d = 0; d < 9; d++) {
                to[(size_t)(d / 3) * size + (size_t)(d % 3)] = W->value[9 * (size_t)k + (size_t)d];
            }
        }
    }
}

static double inverse_of(double mobility)
{
    return mobility > 0.0 && isfinite(1.0 / mobility) ? 1.0 / mobility : 1.0;
}

// Omega, and the rows' effective masses.
static void finish_matrix(tn_polish_system *s)
{
    const double *softness = s->problem->rows->softness;
    size_t size = (size_t)s->size;
    for (int m = 0; m < s->n; m++) {
        double *own = s->W + 3 * (size_t)m * (size + 1);
        for (int d = 0; softness && d < 9; d++) {
            own[(size_t)(d / 3) * size + (size_t)(d % 3)] += softness[9 * (size_t)s->island->contact[m] + (size_t)d];
        }
        s->rho[m] = inverse_of(fmax(own[0], fmax(own[size + 1], own[2 * size + 2])));
    }
    for (int i = 0; i < s->n_joints; i++) {
        s->rho[s->n + i] = inverse_of(s->W[(size_t)(3 * s->n + i) * (size + 1)]);
    }
}

bool tn_polish_room(tn_polish_system *s, const tn_problem *problem, const tn_part_factors *factors, int most,
                    tn_arena *arena)
{
    size_t size = (size_t)most, n_v = problem->A ? 3 * (size_t)problem->A->n_rows : 0;
    *s = (tn_polish_system){.problem = problem, .factors = factors};
    s->W = TN_PUSH_RAW(arena, double, size *size);
    s->matrix = TN_PUSH_RAW(arena, double, size *size);
    s->map = TN_PUSH_RAW(arena, tn_projection, size / 3);
    s->rho = TN_PUSH_RAW(arena, double, size);
    s->v = TN_PUSH_RAW(arena, double, n_v);
    s->response = TN_PUSH(arena, double, n_v);
    s->place = TN_PUSH_RAW(arena, int, problem->rows->n_triples);
    s->active = TN_PUSH_RAW(arena, int, 2 * size);
    double *numbers = TN_PUSH_RAW(arena, double, 6 * size);
    if (!s->W || !s->matrix || !s->map || !s->rho || !s->v || !s->response || !s->place || !s->active || !numbers) {
        return false;
    }
    s->x = numbers;
    s->velocity = numbers + size;
    s->p = numbers + 2 * size;
    s->step = numbers + 3 * size;
    s->trial = numbers + 4 * size;
    s->best = numbers + 5 * size;
    s->pivot = s->active + size;
    return true;
}

// ---- the natural map

static double square_of(const double *x, const double *p, int n)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += (x[i] - p[i]) * (x[i] - p[i]);
    }
    return sum;
}

// v of the forces x on the island's bodies; global form.
static void find_motion(const tn_polish_system *s, const double *x, double *v)
{
    const tn_parts *c = s->factors->parts;
    for (int k = 0; k < s->island->n_parts; k++) {
        for (int i = c->start[s->island->part[k]]; i < c->start[s->island->part[k] + 1]; i++) {
            tn_vec3_copy(v + 3 * (size_t)c->blocks[i], s->problem->b + 3 * (size_t)c->blocks[i]);
        }
    }
    for (int i = 0; i < s->size; i++) {
        row r = row_of(s, i);
        add(&r, x[i], v);
    }
    for (int k = 0; k < s->island->n_parts; k++) {
        solve_part(s->factors, s->island->part[k], v);
    }
}

// w, q, c of scalar row i.
static double offset_of(const tn_polish_system *s, int i)
{
    return i < 3 * s->n ? s->problem->rows->offset[3 * (size_t)s->island->contact[i / 3] + (size_t)(i % 3)]
                        : tn_rows_singles(s->problem->rows).offset[s->island->joint[i - 3 * s->n]];
}

// Through v where there is one: beside a light body's mobility W has lost digits of a heavy one's.
static void find_velocities(tn_polish_system *s, const double *x)
{
    const double *softness = s->problem->rows->softness;
    size_t size = (size_t)s->size;
    if (s->problem->W) {
        for (size_t i = 0; i < size; i++) {
            s->velocity[i] = tn_dot(size, s->W + i * size, x) + offset_of(s, (int)i);
        }
        return;
    }
    find_motion(s, x, s->v);
    for (int i = 0; i < s->size; i++) {
        row r = row_of(s, i);
        s->velocity[i] = times(&r, s->v) + offset_of(s, i);
    }
    for (int m = 0; softness && m < s->n; m++) {
        tn_mat3_add_vec(s->velocity + 3 * m, softness + 9 * (size_t)s->island->contact[m], x + 3 * m);
    }
    for (int i = 3 * s->n; i < s->size; i++) {
        s->velocity[i] += s->problem->rows->compliance[s->island->joint[i - 3 * s->n]] * x[i];
    }
}

// Local number of what presses row block m; -1: nothing.
static int pressing(const tn_polish_system *s, int m)
{
    const tn_rows *c = s->problem->rows;
    int friction = s->island->contact[m] - (c->n_triples - c->n_frictions),
        by = friction < 0 ? -1 : c->pressed_by[friction];
    return by < 0 ? -1 : s->place[by];
}

// velocity, p and map at x. Returns the norm.
static double evaluate(tn_polish_system *s, const double *x)
{
    double sum = 0.0;
    s->force = s->speed = 0.0;
    find_velocities(s, x);
    for (int m = 0; m < s->n; m++) {
        const double *f = x + 3 * (size_t)m, *u = s->velocity + 3 * (size_t)m;
        int by = pressing(s, m);
        tn_bound bound = tn_problem_bound(s->problem, s->island->contact[m], NULL);
        bound.pressed = by < 0 ? 0.0 : x[3 * by];
        tn_set_map(&bound, (const double[2]){s->rho[m], s->rho[m]}, f, u, &s->map[m]);
        tn_vec3_copy(s->p + 3 * (size_t)m, s->map[m].p);
        double square = square_of(f, s->map[m].p, 3);
        sum += square / s->rho[m];
        s->force += by < 0 ? square : 0.0;
        s->speed = fmax(s->speed, square / (s->rho[m] * s->rho[m]));
    }
    for (int i = 0; i < s->n_joints; i++) {
        size_t at = 3 * (size_t)s->n + (size_t)i;
        double rho = s->rho[s->n + i];
        s->p[at] = tn_single_clamp(s->problem->rows, s->island->joint[i], x[at] - rho * s->velocity[at]);
        double square = square_of(x + at, s->p + at, 1);
        sum += square / rho;
        s->speed = fmax(s->speed, square / (rho * rho));
    }
    s->force = sqrt(s->force);
    s->speed = sqrt(s->speed);
    return sqrt(sum);
}

static double rho_of(const tn_polish_system *s, int i)
{
    return s->rho[i < 3 * s->n ? i / 3 : i - 2 * s->n];
}

// What rounding makes of velocities, and so of the norm.
static double find_rounding(const tn_polish_system *s)
{
    size_t size = (size_t)s->size;
    double sum = 0.0;
    for (int i = 0; i < s->size; i++) {
        double all = fabs(offset_of(s, i)) + fabs(s->velocity[i]);
        for (size_t k = 0; k < size; k++) {
            all += fabs(s->W[(size_t)i * size + k] * s->x[k]);
        }
        sum += rho_of(s, i) * all * all;
    }
    return DBL_EPSILON * sqrt(sum);
}

void tn_polish_take(tn_polish_system *s, const tn_polish_island *island, const tn_solution *solution)
{
    s->island = island;
    s->n = island->n;
    s->n_joints = island->n_joints;
    s->size = 3 * s->n + s->n_joints;
    (s->problem->W ? build_local : build_global)(s);
    finish_matrix(s);
    for (int m = 0; m < s->n; m++) {
        s->place[island->contact[m]] = m;
        tn_vec3_copy(s->x + 3 * m, solution->lambda + 3 * (size_t)island->contact[m]);
    }
    const double *f = tn_single_forces(s->problem->rows, solution->lambda);
    for (int i = 0; i < s->n_joints; i++) {
        s->x[3 * s->n + i] = f[island->joint[i]];
    }
    s->norm = evaluate(s, s->x);
    s->rounding = find_rounding(s);
}

// ---- a step

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
static int choose_active(tn_polish_system *s, bool *moved)
{
    *moved = false;
    const tn_rows singles = tn_rows_singles(s->problem->rows), *j = &singles;
    int n = 0;
    for (int m = 0; m < s->n; m++) {
        if (is_active(&s->map[m])) {
            for (int k = 0; k < 3; k++) {
                s->active[n++] = 3 * m + k;
            }
        } else {
            settle(s->p + 3 * (size_t)m, s->x + 3 * (size_t)m, 3, moved);
        }
    }
    for (int i = 0; i < s->n_joints; i++) {
        int at = 3 * s->n + i, number = s->island->joint[i];
        if (s->p[at] > j->lower[number] && s->p[at] < j->upper[number]) {
            s->active[n++] = at;
        } else {
            settle(s->p + at, s->x + at, 1, moved);
        }
    }
    return n;
}

// Row a of the linear system: d(x - P)/dx over the active columns.
static void fill_row(const tn_polish_system *s, int n_active, int a, double alpha, double *out)
{
    size_t size = (size_t)s->size;
    int r = s->active[a], m = r / 3, k = r % 3;
    if (r >= 3 * s->n) {
        double rho = s->rho[s->n + r - 3 * s->n];
        for (int b = 0; b < n_active; b++) {
            out[b] = rho * s->W[(size_t)r * size + (size_t)s->active[b]];
        }
        out[a] += alpha;
        return;
    }
    const tn_projection *map = &s->map[m];
    const double *slope = map->slope + 3 * k, *W = s->W + 3 * (size_t)m * size;
    double scaled[3];
    for (int i = 0; i < 3; i++) {
        scaled[i] = slope[i] * map->metric[i];
    }
    int by = pressing(s, m), pressed_by = by < 0 ? -1 : 3 * by;
    for (int b = 0; b < n_active; b++) {
        size_t column = (size_t)s->active[b];
        out[b] = scaled[0] * W[column] + scaled[1] * W[size + column] + scaled[2] * W[2 * size + column];
        if (s->active[b] / 3 == m && s->active[b] < 3 * s->n) {
            int i = s->active[b] % 3;
            out[b] += (i == k) - (1.0 - alpha) * slope[i];
        }
        out[b] -= s->active[b] == pressed_by ? map->pressed[k] : 0.0;
    }
}

// x along step: 1, 1/2, ... of it.
static bool search(tn_polish_system *s, int n_active)
{
    double length = 1.0, before = s->norm;
    for (int cut = 0; cut <= CUTS; cut++, length *= 0.5) {
        memcpy(s->trial, s->x, (size_t)s->size * sizeof *s->trial);
        for (int a = 0; a < n_active; a++) {
            s->trial[s->active[a]] += length * s->step[a];
        }
        double norm = evaluate(s, s->trial);
        if (norm < (1.0 - DECREASE * length) * before) {
            memcpy(s->x, s->trial, (size_t)s->size * sizeof *s->trial);
            s->norm = norm;
            return true;
        }
    }
    return false;
}

bool tn_polish_step(tn_polish_system *s, bool free)
{
    double size = 0.0, before = s->norm;
    bool moved;
    int n = choose_active(s, &moved);
    for (int i = 0; i < s->size; i++) {
        size += s->x[i] * s->x[i] / rho_of(s, i);
    }
    size = fmax(sqrt(size), before);
    double alpha = fmax(LEAST_DAMPING, size > 0.0 ? DAMPING * before / size : 0.0);
    for (int a = 0; a < n; a++) { // with the slopes that chose
        fill_row(s, n, a, alpha, s->matrix + (size_t)a * (size_t)n);
    }
    s->norm = moved ? evaluate(s, s->x) : s->norm;
    for (int a = 0; a < n; a++) {
        s->step[a] = s->p[s->active[a]] - s->x[s->active[a]];
    }
    bool solved = n == 0 || (n <= SMALL ? tn_few_eliminate(n, s->matrix, s->step)
                                        : tn_dense_solve(n, s->matrix, s->step, s->pivot));
    if (free && solved) {
        for (int a = 0; a < n; a++) {
            s->x[s->active[a]] += s->step[a];
        }
        s->norm = evaluate(s, s->x);
        return isfinite(s->norm);
    }
    return (solved && n > 0 && search(s, n)) || s->norm < before;
}

void tn_polish_set(tn_polish_system *s, const double *x)
{
    memcpy(s->x, x, (size_t)s->size * sizeof *x);
    s->norm = evaluate(s, s->x);
}

static void put_forces(const tn_polish_system *s, const double *x, tn_solution *solution)
{
    for (int m = 0; m < s->n; m++) {
        tn_vec3_copy(solution->lambda + 3 * (size_t)s->island->contact[m], x + 3 * m);
    }
    double *f = tn_single_forces(s->problem->rows, solution->lambda);
    for (int i = 0; i < s->n_joints; i++) {
        f[s->island->joint[i]] = x[3 * s->n + i];
    }
}

void tn_polish_settle(tn_polish_system *s, tn_solution *solution)
{
    bool moved;
    choose_active(s, &moved);
    put_forces(s, s->x, solution);
}

void tn_polish_put(tn_polish_system *s, tn_solution *solution)
{
    put_forces(s, s->p, solution);
    if (s->problem->A) {
        find_motion(s, s->p, solution->v);
    }
}
