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
// of the motion take it out again.
static const double GIVE = 1e-10;
// Pivot over what is given, below which a row follows from others.
static const double DEPENDENT = 100.0;
// Corrections of a motion: until the next one would change velocities by less than AIM of the fastest, or they no
// longer lessen by SLOW (rows that contradict one another by rounding). Where they lessen by no more than TARDY, as in
// long loops, all that are to come are summed up by conjugate gradients, until rows are off by HELD of the fastest: but
// not along motions that rows hold by less than STIFF of what the factor adds, those of loops whose axes are off a
// little, which would lock (physics.redundant).
enum { CORRECTIONS = 40, STEPS = 20 };
static const double AIM = 1e-16, SLOW = 0.5, TARDY = 1e-3, HELD = 1e-13, STIFF = 1e-2;

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
    double **of_row[] = {&s->mass, &s->give};
    bool ok = TN_PUSH_EACH(arena, s->assembly.size, &s->push, &s->z, &s->dz, &s->r, &s->p, &s->w);
    for (int k = 0; k < 2; k++) {
        ok = (*of_row[k] = TN_PUSH_RAW(arena, double, s->singles.n_singles)) && ok;
    }
    if (ok) {
        tn_singles_mass_of(&s->singles, problem->A, taken, s->mass);
    }
    return ok ? TN_OK : TN_NO_MEMORY;
}

// Rows of the same joints on the same blocks.
static bool are_alike(const tn_rows *a, const tn_rows *b)
{
    size_t n = (size_t)a->n_singles;
    return a->n_singles == b->n_singles && n > 0 && memcmp(a->start, b->start, (n + 1) * sizeof *a->start) == 0 &&
           memcmp(a->block, b->block, (size_t)a->start[n] * sizeof *a->block) == 0 &&
           (a->joint && b->joint ? memcmp(a->joint, b->joint, n * sizeof *a->joint) == 0 : a->joint == b->joint);
}

bool tn_motion_renew(tn_motion *s, const tn_problem *problem, const bool *held)
{
    const tn_blocks *A = problem->A, *last = s->problem->A;
    const tn_rows singles = tn_rows_singles(problem->rows);
    size_t n = (size_t)A->n_rows;
    if (A->n_rows != last->n_rows || memcmp(A->start, last->start, (n + 1) * sizeof *A->start) != 0 ||
        memcmp(A->column, last->column, (size_t)A->start[n] * sizeof *A->column) != 0 ||
        !are_alike(&singles, &s->singles)) {
        return false;
    }
    s->problem = problem;
    s->singles = singles;
    s->held = held;
    tn_singles_mass_of(&s->singles, A, NULL, s->mass);
    return true;
}

static bool has_dependent(const tn_motion *s)
{
    for (int i = 0; i < s->singles.n_singles; i++) {
        if (s->held[i] && tn_assembly_pivot(&s->assembly, i) > -DEPENDENT * GIVE / s->mass[i]) {
            return true;
        }
    }
    return false;
}

bool tn_motion_factor(tn_motion *s)
{
    for (int i = 0; i < s->singles.n_singles; i++) {
        s->give[i] = s->held[i] ? s->singles.compliance[i] + GIVE / s->mass[i] : INFINITY;
    }
    bool good = tn_assembly_factor(&s->assembly, s->problem->A, &s->singles, s->give);
    s->dependent = good && has_dependent(s);
    return good;
}

// dz: what z leaves of the right-hand side, push - A v + G^T f and -(G v + c + R f). The largest of the latter.
static double find_residual(tn_motion *s)
{
    double most = 0.0;
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
        most = fmax(most, fabs(y));
    }
    return most;
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

// What a correction by z leaves to do, E z, into `rest`: the motion for what the factor adds to rows under z's forces.
static void find_rest(const tn_motion *s, const double *z, double *rest)
{
    memset(rest, 0, (size_t)s->assembly.size * sizeof *rest);
    for (int i = 0; i < s->singles.n_singles; i++) {
        int at = s->assembly.row_at[i];
        if (s->held[i]) {
            rest[at] = -GIVE / s->mass[i] * z[at];
        }
    }
    tn_assembly_solve(&s->assembly, rest);
}

// x . y by the energy of their motions, v^T A v + f^T R f: E is symmetric in it, and it does not see forces that
// balance one another.
static double product(const tn_motion *s, const double *x, const double *y)
{
    const tn_blocks *A = s->problem->A;
    const int *block_at = s->assembly.block_at, *row_at = s->assembly.row_at;
    double sum = 0.0;
    for (int i = 0; i < A->n_rows; i++) {
        const double *u = x + block_at[i];
        for (int e = A->start[i]; e < A->start[i + 1]; e++) {
            const double *a = A->value + 9 * (size_t)e, *v = y + block_at[A->column[e]];
            sum += u[0] * tn_vec3_dot(a, v) + u[1] * tn_vec3_dot(a + 3, v) + u[2] * tn_vec3_dot(a + 6, v);
        }
    }
    for (int i = 0; i < s->singles.n_singles; i++) {
        sum += s->held[i] ? s->singles.compliance[i] * x[row_at[i]] * y[row_at[i]] : 0.0;
    }
    return sum;
}

// Conjugate gradients for (1 - E) x = b, x in dz.
typedef struct gradients {
    double rr, pp;     // r . r of what is left, p . p of the direction
    double in_x, in_p; // what x and p have of r's forces that balance one another
} gradients;

// One step of them. False: nothing holds p.
static bool step_on(tn_motion *s, gradients *g)
{
    int n = s->assembly.size;
    double *x = s->dz, *r = s->r, *p = s->p, *w = s->w, last = g->rr;
    find_rest(s, p, w);
    double pw = g->pp - product(s, p, w);
    if (!(pw > STIFF * g->pp)) {
        return false;
    }
    double alpha = last / pw;
    for (int i = 0; i < n; i++) {
        r[i] -= alpha * (p[i] - w[i]);
    }
    g->rr = product(s, r, r);
    double beta = g->rr / last;
    for (int i = 0; i < n; i++) {
        x[i] += alpha * p[i];
        p[i] = r[i] + beta * p[i];
    }
    g->in_x += alpha * g->in_p;
    g->in_p = 1.0 + beta * g->in_p;
    g->pp = g->rr + beta * beta * g->pp;
    return true;
}

// dz, the first of corrections each of which is E times the one before, becomes their sum, (1 - E)^-1 dz, until `least`
// of dz is left of it or after so many steps. E leaves forces as they are that balance one another (rows that depend on
// one another): what rounding brought in of them, over what the factor adds, is all that is left in the end, and goes.
static void sum_up(tn_motion *s, double least, int most)
{
    size_t n = (size_t)s->assembly.size;
    double aim = least * least * product(s, s->dz, s->dz);
    find_rest(s, s->dz, s->r);
    memcpy(s->p, s->r, n * sizeof *s->p);
    double rr = product(s, s->r, s->r);
    gradients g = {.rr = rr, .pp = rr, .in_x = 1.0, .in_p = 1.0};
    for (int k = 0; k < most && g.rr > aim && step_on(s, &g); k++) {
    }
    double rest = s->dependent ? -g.in_x : 1.0;
    for (size_t i = 0; i < n; i++) {
        s->dz[i] += rest * s->r[i];
    }
}

typedef struct progress {
    double last; // change of velocities by the last correction
    bool summed;
} progress;

// One correction of z. False: it is as good as it gets.
static bool correct(tn_motion *s, progress *p)
{
    double off = find_residual(s);
    if (p->summed && off <= HELD * fmax(largest_velocity(s, s->z), s->problem->velocity_scale)) {
        return false;
    }
    tn_assembly_solve(&s->assembly, s->dz);
    double change = largest_velocity(s, s->dz), aim = AIM * fmax(change, largest_velocity(s, s->z));
    bool first = p->last == HUGE_VAL, slow = change > SLOW * p->last, sum = s->dependent || change > TARDY * p->last;
    bool small = !first && !sum && change * fmin(1.0, change / p->last) <= aim;
    if (sum && change > 0.0) {
        sum_up(s, aim / change, first || slow ? 0 : STEPS);
    }
    for (int i = 0; i < s->assembly.size; i++) {
        s->z[i] += s->dz[i];
    }
    *p = (progress){.last = change, .summed = sum && !first};
    return !small && !slow && change > 0.0;
}

void tn_motion_find(tn_motion *s)
{
    if (s->assembly.size == 3 * s->problem->A->n_rows) { // no rows: the factor adds nothing
        tn_motion_find_rough(s);
        return;
    }
    memset(s->z, 0, (size_t)s->assembly.size * sizeof *s->z);
    progress p = {.last = HUGE_VAL};
    for (int k = 0; k < CORRECTIONS && correct(s, &p); k++) {
    }
}

void tn_motion_find_rough(tn_motion *s)
{
    memcpy(s->dz, s->push, (size_t)s->assembly.size * sizeof *s->dz);
    for (int i = 0; i < s->singles.n_singles; i++) {
        if (s->held[i]) {
            s->dz[s->assembly.row_at[i]] = -s->singles.offset[i];
        }
    }
    tn_assembly_solve(&s->assembly, s->dz);
    if (s->dependent) {
        sum_up(s, 0.0, 0);
    }
    memcpy(s->z, s->dz, (size_t)s->assembly.size * sizeof *s->z);
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
