// The matrix of a problem's rows with choices.
#include "solver/dense/system.h"

#include "math/vec3.h"
#include "problem/rows.h"

#include <math.h>
#include <string.h>

// What a factor of an assembly may take; more are meshes of joints, for sparse factors.
static const double FACTOR_FLOPS = 3e7;
// Added to each bilateral row's softness, of its own mobility: holds apart rows that depend on one another. Corrections
// take it out again.
static const double GIVE = 1e-10;

const char *tn_dense_refusal(const tn_problem *problem)
{
    int bounded = 0;
    for (int i = 0; i < problem->rows->n_singles; i++) {
        bounded += problem->rows->lower[i] > -INFINITY || problem->rows->upper[i] < INFINITY;
    }
    return 3 * problem->rows->n_triples + bounded > TN_DENSE_ROWS
               ? "it is for few contacts and limits: use 'pgs' or 'ipm'"
               : NULL;
}

// ---- rows

static bool is_bounded(const tn_rows *rows, int i)
{
    return rows->lower[i] > -INFINITY || rows->upper[i] < INFINITY;
}

static bool choose_rows(tn_dense *s, tn_arena *arena)
{
    int *bounded = TN_PUSH_RAW(arena, int, s->singles.n_singles);
    for (int i = 0; bounded && i < s->singles.n_singles; i++) {
        if (is_bounded(&s->singles, i)) {
            bounded[s->n_bounded++] = i;
        }
    }
    s->bounded = bounded;
    s->size = 3 * s->n + s->n_bounded;
    s->stride = (s->size + 7) & ~7;
    return bounded != NULL;
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
                at[used] = s->assembly.block_at[c->block[e]];
                tn_vec3_copy(value + 3 * (size_t)used, c->jacobian + 9 * (size_t)e + 3 * k);
            }
        }
    }
    for (int k = 0; k < s->n_bounded; k++) {
        start[row++] = used;
        for (int e = j->start[s->bounded[k]]; e < j->start[s->bounded[k] + 1]; e++, used++) {
            at[used] = s->assembly.block_at[j->block[e]];
            tn_vec3_copy(value + 3 * (size_t)used, j->jacobian + 3 * (size_t)e);
        }
    }
    start[row] = used;
    s->row_start = start;
    s->row_at = at;
    s->row_value = value;
    return true;
}

// ---- the assembly

static bool fill_give(tn_dense *s, tn_arena *arena)
{
    double *mass = TN_PUSH_RAW(arena, double, s->singles.n_singles);
    if (!mass) {
        return false;
    }
    tn_singles_mass(&s->singles, s->problem->A, mass);
    for (int i = 0; i < s->singles.n_singles; i++) {
        s->give[i] = is_bounded(&s->singles, i) ? INFINITY : s->singles.compliance[i] + GIVE / mass[i];
    }
    return true;
}

static tn_status create_assembly(tn_dense *s, tn_arena *arena, bool *fits, tn_error *error)
{
    const tn_problem *p = s->problem;
    bool *taken = TN_PUSH_RAW(arena, bool, s->singles.n_singles);
    s->give = TN_PUSH_RAW(arena, double, s->singles.n_singles);
    if (!taken || !s->give || tn_components_of(p, arena, &s->components) != TN_OK) {
        return TN_NO_MEMORY;
    }
    for (int i = 0; i < s->singles.n_singles; i++) {
        taken[i] = !is_bounded(&s->singles, i);
    }
    if (!tn_assembly_create(&s->assembly, p->A, &s->components, &s->singles, taken, FACTOR_FLOPS, arena, fits)) {
        return *fits ? TN_NO_MEMORY : TN_OK;
    }
    s->z = TN_PUSH_RAW(arena, double, s->assembly.size);
    s->dz = TN_PUSH_RAW(arena, double, s->assembly.size);
    if (!s->z || !s->dz || !list_entries(s, arena) || !fill_give(s, arena)) {
        return TN_NO_MEMORY;
    }
    return tn_assembly_factor(&s->assembly, p->A, &s->singles, s->give)
               ? TN_OK
               : tn_error_set(error, TN_NUMERICS, "A is not positive definite to rounding");
}

// ---- the matrix

static void fill_panel(const tn_dense *s, int first, double *x)
{
    memset(x, 0, TN_ASSEMBLY_PANEL * (size_t)s->assembly.size * sizeof *x);
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
    double *x = TN_PUSH_RAW(arena, double, TN_ASSEMBLY_PANEL *(size_t)s->assembly.size);
    for (int first = 0; x && first < s->size; first += TN_ASSEMBLY_PANEL) {
        fill_panel(s, first, x);
        tn_assembly_solve_panel(&s->assembly, x);
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

// The triples' softness, and the rows' effective masses.
static void finish_matrix(tn_dense *s)
{
    const double *softness = s->problem->rows->softness;
    size_t stride = (size_t)s->stride;
    for (int m = 0; m < s->n; m++) {
        double *own = s->W + 3 * (size_t)m * (stride + 1);
        for (int d = 0; softness && d < 9; d++) {
            own[(size_t)(d / 3) * stride + (size_t)(d % 3)] += softness[9 * (size_t)m + (size_t)d];
        }
        s->rho[m] = inverse_of(fmax(own[0], fmax(own[stride + 1], own[2 * stride + 2])));
    }
    for (int i = 0; i < s->n_bounded; i++) {
        s->rho[s->n + i] = inverse_of(s->W[(size_t)(3 * s->n + i) * (stride + 1)]);
    }
}

static bool push_arrays(tn_dense *s, tn_arena *arena)
{
    size_t size = (size_t)s->size, stride = (size_t)s->stride;
    double **each[] = {&s->free, &s->x,     &s->velocity, &s->p,    &s->step,     &s->trial,
                       &s->best, &s->start, &s->rho,      &s->hard, &s->hard_free};
    bool ok = true;
    for (int k = 0; k < 11; k++) {
        ok = (*each[k] = TN_PUSH(arena, double, stride)) && ok;
    }
    s->W = TN_PUSH_RAW(arena, double, size *stride);
    s->matrix = TN_PUSH_RAW(arena, double, size *stride);
    s->map = TN_PUSH_RAW(arena, tn_projection, s->n);
    s->active = TN_PUSH_RAW(arena, int, size);
    s->pivot = TN_PUSH_RAW(arena, int, size);
    s->pinned = TN_PUSH_RAW(arena, bool, s->n_bounded);
    return ok && s->W && s->matrix && s->map && s->active && s->pivot && s->pinned;
}

tn_status tn_dense_create(tn_dense *s, const tn_problem *problem, tn_arena *arena, bool *fits, tn_error *error)
{
    *s = (tn_dense){.problem = problem, .singles = tn_rows_singles(problem->rows), .n = problem->rows->n_triples};
    *fits = true;
    if (!choose_rows(s, arena) || !push_arrays(s, arena)) {
        return TN_NO_MEMORY;
    }
    if (problem->W) {
        build_local(s);
        finish_matrix(s);
        return TN_OK;
    }
    tn_status status = create_assembly(s, arena, fits, error);
    if (status != TN_OK || !*fits) {
        return status;
    }
    if (!build_global(s, arena)) {
        return TN_NO_MEMORY;
    }
    finish_matrix(s);
    return TN_OK;
}
