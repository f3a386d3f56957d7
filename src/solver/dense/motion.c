// The motion of an assembly: its factor, and corrections that make up for what the factor adds.
#include "solver/dense/motion.h"

#include "math/vec3.h"
#include "problem/problem.h"
#include "problem/rows.h"

#include <math.h>
#include <string.h>

// What a factor of an assembly may take, at least and of each block row (four-bars of 10^4 links: 1800); more are
// meshes of joints, for sparse factors.
static const double FACTOR_FLOPS = 3e7, FACTOR_FLOPS_A_ROW = 5e3;
// Added to each bilateral row's softness, of its own mobility: holds apart rows that depend on one another. Corrections
// of the motion take it out again. Where some do depend, their forces get rounding over it, so they get more, and less
// again where corrections lessen slowly.
static const double GIVE = 1e-10, MUCH = 1e-6, STIFFEN = 1e-2;
// Pivot over what is given, below which a row follows from others.
static const double DEPENDENT = 100.0;
// Corrections of a motion: until the next one would change velocities by less than AIM of the fastest, or they no
// longer lessen by SLOW (rows that contradict one another by rounding). Where they lessen slowly, the rows of long
// chains, the factor's rows give less.
enum { CORRECTIONS = 40 };
static const double AIM = 1e-16, SLOW = 0.5, TARDY = 0.05;

tn_status tn_motion_create(tn_motion *s, const tn_problem *problem, const bool *taken, const bool *held,
                           tn_arena *arena, bool *fits)
{
    *s = (tn_motion){.problem = problem, .singles = tn_rows_singles(problem->rows), .held = held};
    bool ignored, *small = fits ? fits : &ignored;
    *small = true;
    const tn_parts *parts = tn_problem_parts(problem, arena);
    if (!parts) {
        return TN_NO_MEMORY;
    }
    double flops = fits ? fmax(FACTOR_FLOPS, FACTOR_FLOPS_A_ROW * problem->A->n_rows) : INFINITY;
    if (!tn_assembly_create(&s->assembly, problem->A, parts, &s->singles, taken, flops, arena, small)) {
        return *small ? TN_NO_MEMORY : TN_OK;
    }
    double **of_row[] = {&s->mass, &s->give}, **of_system[] = {&s->push, &s->z, &s->dz};
    bool ok = true;
    for (int k = 0; k < 2; k++) {
        ok = (*of_row[k] = TN_PUSH_RAW(arena, double, s->singles.n_singles)) && ok;
    }
    for (int k = 0; k < 3; k++) {
        ok = (*of_system[k] = TN_PUSH(arena, double, s->assembly.size)) && ok;
    }
    if (ok) {
        tn_singles_mass_of(&s->singles, problem->A, taken, s->mass);
    }
    return ok ? TN_OK : TN_NO_MEMORY;
}

static bool factor(tn_motion *s, double soft)
{
    s->soft = soft;
    for (int i = 0; i < s->singles.n_singles; i++) {
        s->give[i] = s->held[i] ? s->singles.compliance[i] + soft / s->mass[i] : INFINITY;
    }
    return tn_assembly_factor(&s->assembly, s->problem->A, &s->singles, s->give);
}

static bool has_dependent(const tn_motion *s)
{
    for (int i = 0; i < s->singles.n_singles; i++) {
        if (s->held[i] && tn_assembly_pivot(&s->assembly, i) > -DEPENDENT * s->soft / s->mass[i]) {
            return true;
        }
    }
    return false;
}

bool tn_motion_factor(tn_motion *s)
{
    return factor(s, GIVE) && (!has_dependent(s) || factor(s, MUCH));
}

static bool stiffen(tn_motion *s)
{
    return s->soft > GIVE && factor(s, fmax(STIFFEN * s->soft, GIVE));
}

// dz: what z leaves of the right-hand side, push - A v + G^T f and -(G v + c + R f).
static void find_residual(tn_motion *s)
{
    const tn_blocks *A = s->problem->A;
    const tn_rows *j = &s->singles;
    const int *block_at = s->assembly.block_at, *row_at = s->assembly.row_at;
    memcpy(s->dz, s->push, (size_t)s->assembly.size * sizeof *s->dz);
    for (int i = 0; i < A->n_rows; i++) {
        double *r = s->dz + block_at[i];
        for (int e = A->start[i]; e < A->start[i + 1]; e++) {
            const double *a = A->value + 9 * (size_t)e, *v = s->z + block_at[A->column[e]];
            tn_vec3_set(r, r[0] - tn_vec3_dot(a, v), r[1] - tn_vec3_dot(a + 3, v), r[2] - tn_vec3_dot(a + 6, v));
        }
    }
    for (int i = 0; i < j->n_singles; i++) {
        if (!s->held[i]) {
            continue;
        }
        double f = -s->z[row_at[i]], y = j->offset[i] + j->compliance[i] * f;
        for (int e = j->start[i]; e < j->start[i + 1]; e++) {
            const double *g = j->jacobian + 3 * (size_t)e;
            double *to = s->dz + block_at[j->block[e]];
            y += tn_vec3_dot(g, s->z + block_at[j->block[e]]);
            tn_vec3_madd(to, to, f, g);
        }
        s->dz[row_at[i]] = -y;
    }
}

static double largest_velocity(const tn_motion *s, const double *z)
{
    double most = 0.0;
    for (int i = 0; i < s->problem->A->n_rows; i++) {
        const double *v = z + s->assembly.block_at[i];
        most = fmax(most, fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2]))));
    }
    return most;
}

void tn_motion_find(tn_motion *s)
{
    double last = HUGE_VAL;
    if (s->assembly.size == 3 * s->problem->A->n_rows) { // no rows: the factor adds nothing
        tn_motion_find_rough(s);
        return;
    }
    memset(s->z, 0, (size_t)s->assembly.size * sizeof *s->z);
    for (int k = 0; k < CORRECTIONS; k++) {
        find_residual(s);
        tn_assembly_solve(&s->assembly, s->dz);
        for (int i = 0; i < s->assembly.size; i++) {
            s->z[i] += s->dz[i];
        }
        double change = largest_velocity(s, s->dz);
        bool small = last < HUGE_VAL && change * fmin(1.0, change / last) <= AIM * largest_velocity(s, s->z);
        bool stiffer = change > TARDY * last && stiffen(s); // its corrections are other ones, perhaps larger
        if (small || change == 0.0 || (!stiffer && change > SLOW * last)) {
            return;
        }
        last = stiffer ? HUGE_VAL : change;
    }
}

void tn_motion_find_rough(tn_motion *s)
{
    memset(s->z, 0, (size_t)s->assembly.size * sizeof *s->z);
    find_residual(s);
    memcpy(s->z, s->dz, (size_t)s->assembly.size * sizeof *s->z);
    tn_assembly_solve(&s->assembly, s->z);
}

double tn_motion_fastest(const tn_motion *s)
{
    return largest_velocity(s, s->z);
}

void tn_motion_put(const tn_motion *s, double *v, double *f)
{
    for (int i = 0; i < s->singles.n_singles; i++) {
        f[i] = s->held[i] ? -s->z[s->assembly.row_at[i]] : f[i];
    }
    for (int i = 0; i < s->problem->A->n_rows; i++) {
        tn_vec3_copy(v + 3 * (size_t)i, s->z + s->assembly.block_at[i]);
    }
}
