// The matrix of a problem's rows with choices, their velocities at given forces.
#include "solver/dense/system.h"

#include "math/mat3.h"
#include "math/vec3.h"
#include "problem/bound.h"
#include "problem/hints.h"
#include "problem/rows.h"

#include <math.h>
#include <string.h>

int tn_dense_row_count(const tn_problem *problem)
{
    int n = 3 * problem->rows->n_triples;
    for (int i = 0; i < problem->rows->n_singles; i++) {
        n += tn_single_is_bounded(problem->rows, i);
    }
    return n;
}

const char *tn_dense_refusal(const tn_problem *problem)
{
    const tn_parts *parts = problem->hints ? problem->hints->parts : NULL;
    bool elastic = parts && parts->largest_sparse > TN_ASSEMBLY_BLOCKS;
    for (int i = 0; problem->A && !parts && i < problem->A->n_rows; i++) {
        elastic = elastic || problem->A->start[i + 1] - problem->A->start[i] > TN_ASSEMBLY_BLOCKS;
    }
    if (elastic) {
        return "it does not take soft bodies: use 'newton'";
    }
    return tn_dense_row_count(problem) > TN_DENSE_ROWS ? "it is for few contacts and limits: use 'pgs' or 'ipm'" : NULL;
}

// ---- rows

static bool choose_rows(tn_dense *s, const tn_solution *last, tn_arena *arena)
{
    const double *f = tn_single_forces(s->problem->rows, last->lambda);
    int *triple = TN_PUSH_RAW(arena, int, s->n), *bounded = TN_PUSH_RAW(arena, int, s->singles.n_singles);
    bool *held = TN_PUSH_RAW(arena, bool, s->singles.n_singles);
    for (int m = 0; triple && m < s->n; m++) {
        triple[m] = m;
    }
    for (int i = 0; bounded && held && i < s->singles.n_singles; i++) {
        held[i] = !tn_single_is_bounded(&s->singles, i);
        if (!held[i] && (!s->awake || !tn_dense_sleeps(s->problem, i, s->awake, last->v, f[i]))) {
            bounded[s->n_bounded++] = i;
        }
    }
    s->triple = triple;
    s->bounded = bounded;
    s->held = held;
    s->size = 3 * s->n + s->n_bounded;
    s->stride = (s->size + 7) & ~7;
    return triple && bounded && held;
}

// The rows of J one by one, their blocks by places in the assembly.
static bool list_entries(tn_dense *s, tn_arena *arena)
{
    const tn_rows *c = s->problem->rows, *j = &s->singles;
    int n = c->n_triples > 0 ? 3 * c->start[c->n_triples] : 0, used = 0, row = 0;
    for (int k = 0; k < s->n_bounded; k++) {
        n += j->start[s->bounded[k] + 1] - j->start[s->bounded[k]];
    }
    int *start = TN_PUSH_RAW(arena, int, s->size + 1), *at = TN_PUSH_RAW(arena, int, n);
    double *value = TN_PUSH_RAW(arena, double, 3 * (size_t)n);
    if (!start || !at || !value) {
        return false;
    }
    for (int m = 0; m < s->n; m++) {
        for (int k = 0; k < 3; k++) {
            start[row++] = used;
            for (int e = c->start[m]; e < c->start[m + 1]; e++, used++) {
                at[used] = s->motion.assembly.block_at[c->block[e]];
                tn_vec3_copy(value + 3 * (size_t)used, c->jacobian + 9 * (size_t)e + 3 * k);
            }
        }
    }
    for (int k = 0; k < s->n_bounded; k++) {
        start[row++] = used;
        for (int e = j->start[s->bounded[k]]; e < j->start[s->bounded[k] + 1]; e++, used++) {
            at[used] = s->motion.assembly.block_at[j->block[e]];
            tn_vec3_copy(value + 3 * (size_t)used, j->jacobian + 3 * (size_t)e);
        }
    }
    start[row] = used;
    s->row_start = start;
    s->row_at = at;
    s->row_value = value;
    return true;
}

// ---- the matrix

static void fill_panel(const tn_dense *s, int first, double *x)
{
    memset(x, 0, TN_ASSEMBLY_PANEL * (size_t)s->motion.assembly.size * sizeof *x);
    for (int c = 0; c < TN_ASSEMBLY_PANEL && first + c < s->size; c++) {
        for (int e = s->row_start[first + c]; e < s->row_start[first + c + 1]; e++) {
            double *to = x + TN_ASSEMBLY_PANEL * (size_t)s->row_at[e] + c;
            const double *g = s->row_value + 3 * (size_t)e;
            to[0] += g[0];
            to[TN_ASSEMBLY_PANEL] += g[1];
            to[2 * TN_ASSEMBLY_PANEL] += g[2];
        }
    }
}

static bool build_global(tn_dense *s, tn_arena *arena)
{
    double *x = TN_PUSH_RAW(arena, double, TN_ASSEMBLY_PANEL *(size_t)s->motion.assembly.size);
    for (int first = 0; x && first < s->size; first += TN_ASSEMBLY_PANEL) {
        fill_panel(s, first, x);
        tn_assembly_solve_panel(&s->motion.assembly, x);
        tn_assembly_multiply_panel(s->size, s->row_start, s->row_at, s->row_value, x, (size_t)s->stride, s->W + first);
    }
    for (int i = 0; i < s->n_bounded; i++) {
        s->W[(size_t)(3 * s->n + i) * (size_t)(s->stride + 1)] += s->singles.compliance[s->bounded[i]];
    }
    return x != NULL;
}

static void build_local(tn_dense *s)
{
    const tn_blocks *W = s->problem->W;
    size_t stride = (size_t)s->stride;
    memset(s->W, 0, (size_t)s->size * stride * sizeof *s->W);
    for (int i = 0; i < s->n; i++) {
        for (int k = W->start[i]; k < W->start[i + 1]; k++) {
            double *to = s->W + 3 * (size_t)i * stride + 3 * (size_t)W->column[k];
            for (int d = 0; d < 9; d++) {
                to[(size_t)(d / 3) * stride + (size_t)(d % 3)] = W->value[9 * (size_t)k + (size_t)d];
            }
        }
    }
}

static double inverse_of(double mobility)
{
    return mobility > 0.0 && isfinite(1.0 / mobility) ? 1.0 / mobility : 1.0;
}

// No contact moves anything along its second tangent.
static bool is_planar(const tn_dense *s)
{
    bool planar = s->problem->rows->n_frictions == 0;
    for (int m = 0; planar && m < s->n; m++) {
        planar = s->W[(3 * (size_t)m + 2) * (size_t)(s->stride + 1)] == 0.0;
    }
    return planar;
}

// The triples' softness, and the rows' effective masses.
static void finish_matrix(tn_dense *s)
{
    const double *softness = s->problem->rows->softness;
    size_t stride = (size_t)s->stride;
    for (int m = 0; m < s->n; m++) {
        double *own = s->W + 3 * (size_t)m * (stride + 1);
        for (int d = 0; softness && d < 9; d++) {
            own[(size_t)(d / 3) * stride + (size_t)(d % 3)] += softness[9 * (size_t)s->triple[m] + (size_t)d];
        }
        double slide = fmax(own[stride + 1], own[2 * stride + 2]), press = own[0];
        int friction = m - (s->n - s->problem->rows->n_frictions);
        if (friction >= 0 && tn_set_has_one_metric(tn_friction_set(s->problem->rows, friction))) {
            slide = press = fmax(slide, press);
        }
        s->rho[3 * m] = inverse_of(press);
        s->rho[3 * m + 1] = s->rho[3 * m + 2] = inverse_of(slide);
    }
    for (int i = 0; i < s->n_bounded; i++) {
        s->rho[3 * s->n + i] = inverse_of(s->W[(size_t)(3 * s->n + i) * (stride + 1)]);
    }
    s->wide = is_planar(s) ? 2 : 3;
}

static bool push_arrays(tn_dense *s, tn_arena *arena)
{
    size_t size = (size_t)s->size, stride = (size_t)s->stride;
    bool ok = TN_PUSH_EACH(arena, stride, &s->free, &s->x, &s->velocity, &s->p, &s->step, &s->sizes, &s->best,
                           &s->start, &s->rho, &s->hard, &s->hard_free);
    s->W = TN_PUSH_RAW(arena, double, size *stride); // whole in either form
    s->matrix = TN_PUSH_RAW(arena, double, size *(stride + 8));
    s->map = TN_PUSH_RAW(arena, tn_projection, s->n);
    s->bound = TN_PUSH_RAW(arena, tn_bound, s->n);
    s->active = TN_PUSH_RAW(arena, int, size);
    s->runs = TN_PUSH_RAW(arena, tn_dense_run, size);
    s->pinned = TN_PUSH_RAW(arena, bool, s->n_bounded);
    for (int m = 0; s->bound && m < s->n; m++) {
        s->bound[m] = tn_problem_bound(s->problem, m, NULL);
    }
    return ok && s->W && s->matrix && s->map && s->bound && s->active && s->runs && s->pinned;
}

static tn_status create(tn_dense *s, const tn_problem *problem, const bool *awake, const tn_solution *last,
                        tn_arena *arena, bool *fits, tn_error *error)
{
    *s = (tn_dense){
        .problem = problem, .singles = tn_rows_singles(problem->rows), .awake = awake, .n = problem->rows->n_triples};
    if (fits) {
        *fits = true;
    }
    if (!choose_rows(s, last, arena) || !push_arrays(s, arena)) {
        return TN_NO_MEMORY;
    }
    if (problem->W) {
        return TN_OK;
    }
    tn_status status = tn_motion_create(&s->motion, problem, s->held, s->held, arena, fits);
    if (status != TN_OK || (fits && !*fits)) {
        return status;
    }
    if (!tn_motion_factor(&s->motion)) {
        return tn_error_set(error, TN_NUMERICS, "A is not positive definite to rounding");
    }
    return list_entries(s, arena) ? TN_OK : TN_NO_MEMORY;
}

static tn_status no_memory(const tn_dense *s, tn_error *error)
{
    return tn_error_set(error, TN_NO_MEMORY, "no memory for a dense matrix of %d rows", s->size);
}

tn_status tn_dense_begin(tn_dense *s, const tn_problem *problem, const bool *awake, const tn_solution *last,
                         tn_arena *arena, bool *fits, tn_error *error)
{
    tn_status status = create(s, problem, awake, last, arena, fits, error);
    return status == TN_NO_MEMORY ? no_memory(s, error) : status;
}

tn_status tn_dense_build(tn_dense *s, tn_arena *arena, tn_error *error)
{
    if (s->problem->W) {
        build_local(s);
    } else if (!build_global(s, arena)) {
        return no_memory(s, error);
    }
    finish_matrix(s);
    return TN_OK;
}

tn_status tn_dense_create(tn_dense *s, const tn_problem *problem, const bool *awake, const tn_solution *last,
                          tn_arena *arena, bool *fits, tn_error *error)
{
    tn_status status = tn_dense_begin(s, problem, awake, last, arena, fits, error);
    return status != TN_OK || (fits && !*fits) ? status : tn_dense_build(s, arena, error);
}

// ---- forces and velocities

static double offset_of(const tn_dense *s, int r)
{
    return r < 3 * s->n ? s->problem->rows->offset[3 * s->triple[r / 3] + r % 3]
                        : s->singles.offset[s->bounded[r - 3 * s->n]];
}

// The motion at the forces x.
static void find_motion(tn_dense *s)
{
    double *push = s->motion.push;
    for (int i = 0; i < s->problem->A->n_rows; i++) {
        tn_vec3_copy(push + s->motion.assembly.block_at[i], s->problem->b + 3 * (size_t)i);
    }
    for (int r = 0; r < s->size; r++) {
        for (int e = s->row_start[r]; e < s->row_start[r + 1]; e++) {
            double *to = push + s->row_at[e];
            tn_vec3_madd(to, to, s->x[r], s->row_value + 3 * (size_t)e);
        }
    }
    tn_motion_find(&s->motion);
}

// Velocities of the rows by the motion.
static void find_velocities(tn_dense *s)
{
    const double *softness = s->problem->rows->softness;
    for (int r = 0; r < s->size; r++) {
        double y = offset_of(s, r);
        for (int e = s->row_start[r]; e < s->row_start[r + 1]; e++) {
            y += tn_vec3_dot(s->row_value + 3 * (size_t)e, s->motion.z + s->row_at[e]);
        }
        s->velocity[r] = y;
    }
    for (int m = 0; softness && m < s->n; m++) {
        tn_mat3_add_vec(s->velocity + 3 * m, softness + 9 * (size_t)s->triple[m], s->x + 3 * m);
    }
    for (int k = 0; k < s->n_bounded; k++) {
        s->velocity[3 * s->n + k] += s->singles.compliance[s->bounded[k]] * s->x[3 * s->n + k];
    }
}

static void move(tn_dense *s)
{
    if (s->problem->A) {
        find_motion(s);
        find_velocities(s);
        s->fastest = fmax(tn_motion_fastest(&s->motion), s->problem->velocity_scale);
    }
}

void tn_dense_settle(tn_dense *s)
{
    if (!s->problem->A) {
        memcpy(s->free, s->problem->rows->offset, (size_t)s->size * sizeof *s->free);
        tn_dense_set(s, s->x);
        return;
    }
    tn_dense_product(s->size, s->stride, s->W, s->x, s->free);
    for (int r = 0; r < s->size; r++) {
        s->free[r] = s->velocity[r] - s->free[r];
    }
    tn_dense_judge(s);
}

void tn_dense_refresh(tn_dense *s)
{
    move(s);
    tn_dense_settle(s);
}

void tn_dense_start(tn_dense *s, const tn_solution *solution)
{
    const double *f = tn_single_forces(s->problem->rows, solution->lambda);
    memcpy(s->x, solution->lambda, 3 * (size_t)s->n * sizeof *s->x);
    for (int k = 0; k < s->n_bounded; k++) {
        s->x[3 * s->n + k] = f[s->bounded[k]];
    }
    move(s);
}

void tn_dense_take(tn_dense *s, const tn_solution *solution)
{
    tn_dense_start(s, solution);
    tn_dense_settle(s);
}

bool tn_dense_serves(tn_dense *s, const double *rho)
{
    for (int i = 0; i < 3 * s->n; i++) {
        s->rho[i] = rho[i / 3];
    }
    tn_dense_judge(s);
    if (s->n_bounded > 0 || !tn_dense_is_open(s)) {
        return false;
    }
    memcpy(s->x, s->p, (size_t)s->size * sizeof *s->x);
    move(s);
    tn_dense_judge(s);
    return true;
}

void tn_dense_obey(tn_dense *s)
{
    memcpy(s->x, s->p, (size_t)s->size * sizeof *s->x);
    tn_dense_refresh(s);
}

void tn_dense_put(const tn_dense *s, tn_solution *solution)
{
    double *f = tn_single_forces(s->problem->rows, solution->lambda);
    memset(solution->lambda, 0, 3 * (size_t)s->problem->rows->n_triples * sizeof *s->x);
    for (int m = 0; m < s->n; m++) {
        tn_vec3_copy(solution->lambda + 3 * (size_t)s->triple[m], s->x + 3 * (size_t)m);
    }
    for (int k = 0; k < s->n_bounded; k++) {
        f[s->bounded[k]] = s->x[3 * s->n + k];
    }
    if (s->problem->A) {
        tn_motion_put(&s->motion, solution->v, f);
    }
}
