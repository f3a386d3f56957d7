// The document's QP and QCQP as second order cone programs: unknown forces x take the place of velocities, the cone
// mu l_n >= |l_t| is the dual of the contact law's cone with friction 1/mu, A x >= q and l_u >= 0 are limits. ipm
// solves it; the residual is computed from the program alone.
#include "compliant_document.h"

#include "math/blocks.h"
#include "math/dense.h"
#include "tenon/problem.h"

#include <math.h>
#include <string.h>

enum { MOST = COMPLIANT_MOST };

static int row_count(const compliant_problem *p)
{
    return p->n_bilateral + p->n_unilateral + 3 * p->n_contacts;
}

static double dot(int n, const double *a, const double *b)
{
    double sum = 0.0;
    for (int i = 0; i < n; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

static const double *row_of(const compliant_problem *p, int i)
{
    return p->G + (size_t)i * (size_t)p->n_v;
}

// out = M^-1 x
static void accelerate(const compliant_problem *p, const double *x, double *out)
{
    for (int i = 0; i < p->n_v; i++) {
        out[i] = dot(p->n_v, p->inverse_mass + (size_t)i * (size_t)p->n_v, x);
    }
}

// h^2 K + h B and K phi + (h K + B) (phi' + h G a) of row i for the acceleration a: l = -(base + stiff S l).
static double stiff(const compliant_problem *p, int i)
{
    return p->h * (p->h * p->K[i] + p->B[i]);
}

static double base(const compliant_problem *p, int i, const double *a)
{
    const double *G = row_of(p, i);
    return p->K[i] * p->phi[i] + (p->h * p->K[i] + p->B[i]) * (dot(p->n_v, G, p->v) + p->h * dot(p->n_v, G, a));
}

static void finish(const compliant_problem *p, compliant_answer *out)
{
    double push[MOST], a[MOST];
    memcpy(push, p->f, sizeof push);
    for (int i = 0; i < row_count(p); i++) {
        for (int k = 0; k < p->n_v; k++) {
            push[k] += out->force[i] * row_of(p, i)[k];
        }
    }
    accelerate(p, push, a);
    for (int k = 0; k < p->n_v; k++) {
        out->v[k] = p->v[k] + p->h * a[k];
    }
}

// ---- the bilateral rows, eliminated: l_b = C^-1 (c + D G*^T l*)

typedef struct elimination {
    const compliant_problem *p;
    double C[MOST * MOST], c[MOST]; // C factored; C^-1 c
    int pivot[MOST];
} elimination;

// D x for x = G^T l: -(h^2 K_b + h B_b) G_b M^-1 x
static void apply_d(const compliant_problem *p, const double *x, double *out)
{
    double a[MOST];
    accelerate(p, x, a);
    for (int i = 0; i < p->n_bilateral; i++) {
        out[i] = -stiff(p, i) * dot(p->n_v, row_of(p, i), a);
    }
}

static bool eliminate(const compliant_problem *p, elimination *e)
{
    double a[MOST];
    *e = (elimination){.p = p};
    accelerate(p, p->f, a);
    for (int j = 0; j < p->n_bilateral; j++) {
        double column[MOST];
        apply_d(p, row_of(p, j), column);
        for (int i = 0; i < p->n_bilateral; i++) {
            e->C[i * p->n_bilateral + j] = (i == j) - column[i];
        }
        e->c[j] = -base(p, j, a);
    }
    if (p->n_bilateral > 0 && !tn_dense_lu(p->n_bilateral, e->C, e->pivot)) {
        return false;
    }
    if (p->n_bilateral > 0) {
        tn_dense_lu_solve(p->n_bilateral, e->C, e->pivot, e->c);
    }
    return true;
}

// x + G_b^T y
static void add_bilateral(const compliant_problem *p, const double *y, double *x)
{
    for (int i = 0; i < p->n_bilateral; i++) {
        for (int k = 0; k < p->n_v; k++) {
            x[k] += y[i] * row_of(p, i)[k];
        }
    }
}

// Lambda x = M^-1 (G_b^T C^-1 D + I) x
static void apply_lambda(const elimination *e, const double *x, double *out)
{
    const compliant_problem *p = e->p;
    double y[MOST], push[MOST];
    memcpy(push, x, (size_t)p->n_v * sizeof *x);
    apply_d(p, x, y);
    if (p->n_bilateral > 0) {
        tn_dense_lu_solve(p->n_bilateral, e->C, e->pivot, y);
    }
    add_bilateral(p, y, push);
    accelerate(p, push, out);
}

// ---- the program: min 1/2 x^T H x + g^T x, A x >= q, l_u >= 0, x of each contact in its cone. Contacts come first.

typedef struct program {
    const compliant_problem *p;
    int n, n_blocks; // unknowns, and blocks of three with room for them
    int n_linear;    // rows of A: normals, unilaterals; then l_u >= 0
    double H[MOST * MOST], g[MOST], A[MOST * MOST], q[MOST];
    double x[MOST], y[MOST], z[MOST]; // answer: unknowns, multipliers of the rows of A, of the cones (n)
} program;

// The problem's row of unknown i.
static int row_of_unknown(const compliant_problem *p, int i)
{
    int first = p->n_bilateral + p->n_unilateral;
    return i < 3 * p->n_contacts ? first + i : p->n_bilateral + i - 3 * p->n_contacts;
}

static bool is_tangent(const compliant_problem *p, int i)
{
    return i < 3 * p->n_contacts && i % 3 > 0;
}

// e_i + stiff G_i Lambda G*^T of unknown i, over its diagonal where that is asked for: the same condition.
static void coupled_row(const elimination *e, int n, int i, double *out)
{
    const compliant_problem *p = e->p;
    for (int j = 0; j < n; j++) {
        double a[MOST];
        apply_lambda(e, row_of(p, row_of_unknown(p, j)), a);
        int row = row_of_unknown(p, i);
        out[j] = (i == j) + stiff(p, row) * dot(p->n_v, row_of(p, row), a);
    }
}

static void pose(const elimination *e, program *out)
{
    const compliant_problem *p = e->p;
    int n = 3 * p->n_contacts + p->n_unilateral;
    double push[MOST], a[MOST], zeta = 1.0 / p->h;
    *out = (program){.p = p, .n = n, .n_blocks = p->n_contacts + (p->n_unilateral + 2) / 3};
    memcpy(push, p->f, sizeof push);
    add_bilateral(p, e->c, push);
    accelerate(p, push, a);
    for (int i = 0; i < n; i++) {
        double row[MOST], free = base(p, row_of_unknown(p, i), a);
        coupled_row(e, n, i, row);
        out->H[i * n + i] += is_tangent(p, i) ? 1.0 : zeta;
        if (is_tangent(p, i)) {
            for (int j = 0; j < n; j++) {
                out->g[j] += row[j] * free;
                for (int k = 0; k < n; k++) {
                    out->H[j * n + k] += row[j] * row[k];
                }
            }
        } else {
            double *to = out->A + out->n_linear * n;
            for (int j = 0; j < n; j++) {
                to[j] = row[j] / row[i];
            }
            out->q[out->n_linear++] = -free / row[i];
        }
    }
    for (int i = 3 * p->n_contacts; i < n; i++) {
        out->A[out->n_linear++ * n + i] = 1.0;
    }
}

// What the interior point reads, in its own shapes.
typedef struct posed {
    double b[MOST + 3], offset[MOST + 3], frame[3 * MOST], mu[2 * MOST], jacobian[MOST * MOST];
    double lower[MOST], upper[MOST], compliance[MOST];
    int start[2 * MOST], block[MOST * MOST], joint[MOST];
    tn_rows rows;
} posed;

static tn_blocks *block_matrix(const program *o, tn_arena *arena)
{
    tn_blocks_entry entry[(MOST / 3 + 1) * (MOST / 3 + 1)];
    int n_entries = 0;
    for (int i = 0; i < o->n_blocks; i++) {
        for (int j = 0; j < o->n_blocks; j++) {
            tn_blocks_entry *e = &entry[n_entries++];
            *e = (tn_blocks_entry){.row = i, .column = j};
            for (int k = 0; k < 9; k++) {
                int r = 3 * i + k / 3, c = 3 * j + k % 3;
                e->value[k] = r < o->n && c < o->n ? o->H[r * o->n + c] : r == c;
            }
        }
    }
    return tn_blocks_from_entries(o->n_blocks, o->n_blocks, n_entries, entry, arena);
}

static void fill_rows(const program *o, posed *to)
{
    int n_c = o->p->n_contacts, entries = 0;
    *to = (posed){.b = {0.0}};
    for (int i = 0; i < o->n; i++) {
        to->b[i] = -o->g[i];
    }
    for (int m = 0; m < n_c; m++) {
        to->mu[2 * m] = to->mu[2 * m + 1] = 1.0 / o->p->mu[m];
        for (int k = 0; k < 9; k++) {
            to->frame[9 * m + k] = to->jacobian[9 * entries + k] = k % 4 == 0;
        }
        to->block[entries++] = m;
        to->start[m + 1] = entries;
    }
    for (int i = 0; i < o->n_linear; i++) {
        to->offset[3 * n_c + i] = -o->q[i];
        to->upper[i] = INFINITY;
        to->joint[i] = i;
        for (int k = 0; k < 3 * o->n_blocks; k++) {
            // Entries of singles lie behind those of triples, three numbers each.
            to->jacobian[9 * n_c + 3 * (entries - n_c) + k % 3] = k < o->n ? o->A[i * o->n + k] : 0.0;
            to->block[entries] = k / 3;
            entries += k % 3 == 2;
        }
        to->start[n_c + i + 1] = entries;
    }
    to->rows = (tn_rows){.n_triples = n_c,
                         .n_singles = o->n_linear,
                         .start = to->start,
                         .block = to->block,
                         .jacobian = to->jacobian,
                         .offset = to->offset,
                         .frame = to->frame,
                         .mu = to->mu,
                         .compliance = to->compliance,
                         .lower = to->lower,
                         .upper = to->upper,
                         .joint = to->joint};
}

static bool solve(const tn_problem *problem, double *v, double *lambda, tn_solve_report *report)
{
    tn_solve_options options = tn_solve_options_default();
    options.tolerance = (tn_tolerance){.momentum = 1e-14, .natural = 1e-13, .joint = 1e-13};
    tn_solution solution = {v, lambda};
    tn_error error;
    return tn_problem_solve(problem, "ipm", &options, &solution, report, &error) == TN_OK;
}

static bool solve_program(program *o)
{
    posed shapes;
    double v[MOST + 3] = {0.0}, lambda[2 * MOST] = {0.0};
    tn_arena *arena = tn_arena_create(0);
    tn_solve_report report;
    fill_rows(o, &shapes);
    tn_problem problem = {.A = arena ? block_matrix(o, arena) : NULL,
                          .b = shapes.b,
                          .rows = &shapes.rows,
                          .law = TN_LAW_CONVEX,
                          .step = 1.0};
    bool ok = problem.A && solve(&problem, v, lambda, &report);
    memcpy(o->x, v, (size_t)o->n * sizeof *v);
    memcpy(o->z, lambda, 3 * (size_t)o->p->n_contacts * sizeof *lambda);
    memcpy(o->y, lambda + 3 * (size_t)o->p->n_contacts, (size_t)o->n_linear * sizeof *lambda);
    tn_arena_destroy(arena);
    return ok;
}

// How far (x, y, z) is from H x + g = A^T y + z; A x >= q, y >= 0 and one of both zero in each row; x in the cone, z in
// its dual, x . z = 0. Relative: stationarity to the largest term, rows to the forces, products to both.
static double residual(const program *o)
{
    int n = o->n;
    double worst = 0.0, size = 0.0, most = 0.0, off[MOST];
    for (int i = 0; i < n; i++) {
        double curved = dot(n, o->H + i * n, o->x), held = i < 3 * o->p->n_contacts ? o->z[i] : 0.0;
        for (int k = 0; k < o->n_linear; k++) {
            held += o->A[k * n + i] * o->y[k];
        }
        off[i] = fabs(curved + o->g[i] - held);
        size = fmax(size, fmax(fabs(o->g[i]), fabs(held)));
        most = fmax(most, fabs(o->x[i]));
    }
    for (int i = 0; i < n; i++) {
        worst = fmax(worst, size > 0.0 ? off[i] / size : 0.0);
    }
    most = fmax(most, 1e-300);
    double pull = fmax(fmax(sqrt(dot(n, o->z, o->z)), sqrt(dot(o->n_linear, o->y, o->y))), 1e-300);
    for (int k = 0; k < o->n_linear; k++) {
        double slack = dot(n, o->A + k * n, o->x) - o->q[k];
        worst = fmax(worst, fmax(fmax(-slack / most, -o->y[k] / pull), fabs(slack * o->y[k]) / (most * pull)));
    }
    for (int m = 0; m < o->p->n_contacts; m++) {
        const double *x = o->x + 3 * m, *z = o->z + 3 * m;
        double mu = o->p->mu[m];
        worst = fmax(worst, (hypot(x[1], x[2]) - mu * x[0]) / most);
        worst = fmax(worst, (mu * hypot(z[1], z[2]) - z[0]) / pull);
        worst = fmax(worst, fabs(dot(3, x, z)) / (most * pull));
    }
    return worst;
}

bool compliant_document(const compliant_problem *p, compliant_answer *out)
{
    elimination e;
    program o;
    *out = (compliant_answer){.residual = INFINITY};
    if (!eliminate(p, &e)) {
        return false;
    }
    pose(&e, &o);
    if (!solve_program(&o)) {
        return false;
    }
    double push[MOST] = {0.0}, y[MOST];
    for (int i = 0; i < o.n; i++) {
        out->force[row_of_unknown(p, i)] = o.x[i];
        for (int k = 0; k < p->n_v; k++) {
            push[k] += o.x[i] * row_of(p, row_of_unknown(p, i))[k];
        }
    }
    apply_d(p, push, y);
    if (p->n_bilateral > 0) {
        tn_dense_lu_solve(p->n_bilateral, e.C, e.pivot, y);
    }
    for (int i = 0; i < p->n_bilateral; i++) {
        out->force[i] = e.c[i] + y[i];
    }
    out->residual = residual(&o);
    finish(p, out);
    return true;
}

// ---- the law: M/h v = M/h v_0 + f + G^T l, G v + K phi/(h K + B) + l/(h K + B) = 0 where l > 0

static tn_blocks *mass_matrix(const compliant_problem *p, tn_arena *arena)
{
    program o = {.p = p, .n = p->n_v, .n_blocks = (p->n_v + 2) / 3};
    int pivot[MOST];
    double factor[MOST * MOST];
    memcpy(factor, p->inverse_mass, sizeof factor);
    if (!tn_dense_lu(p->n_v, factor, pivot)) {
        return NULL;
    }
    for (int j = 0; j < p->n_v; j++) {
        double column[MOST] = {0.0};
        column[j] = 1.0;
        tn_dense_lu_solve(p->n_v, factor, pivot, column);
        for (int i = 0; i < p->n_v; i++) {
            o.H[i * p->n_v + j] = column[i] / p->h;
        }
    }
    for (int i = 0; i < p->n_v; i++) { // symmetric to the bit
        for (int j = 0; j < i; j++) {
            o.H[i * p->n_v + j] = o.H[j * p->n_v + i];
        }
    }
    return block_matrix(&o, arena);
}

// Part k of three of the velocities' block of row i.
static double entry(const compliant_problem *p, int i, int block, int k)
{
    return 3 * block + k < p->n_v ? row_of(p, i)[3 * block + k] : 0.0;
}

static void law_rows(const compliant_problem *p, double *softness, posed *to)
{
    int n_c = p->n_contacts, n_s = p->n_bilateral + p->n_unilateral, n_blocks = (p->n_v + 2) / 3, entries = 0;
    for (int m = 0; m < n_c; m++) {
        int row = n_s + 3 * m;
        double slope = p->h * p->K[row] + p->B[row];
        to->mu[2 * m] = to->mu[2 * m + 1] = p->mu[m];
        softness[9 * m] = 1.0 / slope;
        to->offset[3 * m] = p->K[row] * p->phi[row] / slope;
        for (int block = 0; block < n_blocks; block++) {
            for (int k = 0; k < 9; k++) {
                to->jacobian[9 * entries + k] = entry(p, row + k / 3, block, k % 3);
            }
            to->block[entries++] = block;
        }
        for (int k = 0; k < 9; k++) {
            to->frame[9 * m + k] = k % 4 == 0;
        }
        to->start[m + 1] = entries;
    }
    int of_triples = entries;
    for (int i = 0; i < n_s; i++) {
        double slope = p->h * p->K[i] + p->B[i];
        to->compliance[i] = 1.0 / slope;
        to->offset[3 * n_c + i] = p->K[i] * p->phi[i] / slope;
        to->lower[i] = i < p->n_bilateral ? -INFINITY : 0.0;
        to->upper[i] = INFINITY;
        to->joint[i] = i;
        for (int block = 0; block < n_blocks; block++) {
            for (int k = 0; k < 3; k++) {
                to->jacobian[9 * of_triples + 3 * (entries - of_triples) + k] = entry(p, i, block, k);
            }
            to->block[entries++] = block;
        }
        to->start[n_c + i + 1] = entries;
    }
    to->rows = (tn_rows){.n_triples = n_c,
                         .n_singles = n_s,
                         .start = to->start,
                         .block = to->block,
                         .jacobian = to->jacobian,
                         .offset = to->offset,
                         .frame = to->frame,
                         .mu = to->mu,
                         .softness = softness,
                         .compliance = to->compliance,
                         .lower = to->lower,
                         .upper = to->upper,
                         .joint = to->joint};
}

bool compliant_law(const compliant_problem *p, compliant_answer *out)
{
    posed shapes = {.b = {0.0}};
    double softness[9 * MOST] = {0.0}, v[MOST + 3] = {0.0}, lambda[2 * MOST] = {0.0};
    int n_c = p->n_contacts, n_s = p->n_bilateral + p->n_unilateral;
    tn_arena *arena = tn_arena_create(0);
    tn_solve_report report;
    *out = (compliant_answer){.residual = INFINITY};
    tn_blocks *A = arena ? mass_matrix(p, arena) : NULL;
    if (A) {
        double start[MOST + 3] = {0.0};
        memcpy(start, p->v, (size_t)p->n_v * sizeof *start);
        tn_blocks_mul(A, start, shapes.b);
    }
    for (int i = 0; i < p->n_v; i++) {
        shapes.b[i] += p->f[i];
    }
    law_rows(p, softness, &shapes);
    tn_problem problem = {.A = A, .b = shapes.b, .rows = &shapes.rows, .law = TN_LAW_COULOMB, .step = p->h};
    bool ok = A && solve(&problem, v, lambda, &report);
    if (ok) {
        memcpy(out->force, lambda + 3 * (size_t)n_c, (size_t)n_s * sizeof *lambda);
        memcpy(out->force + n_s, lambda, 3 * (size_t)n_c * sizeof *lambda);
        out->residual = fmax(fmax(report.certificate.momentum, report.certificate.natural), report.certificate.joint);
        finish(p, out);
    }
    tn_arena_destroy(arena);
    return ok;
}

// ---- examples

compliant_problem compliant_two_rows(void)
{
    // Unit rows: G M^-1 G^T = M^-1. R = 1/(h^2 K) = 0.005, so that S_11 + R = 0.255.
    return (compliant_problem){.n_v = 2,
                               .n_unilateral = 2,
                               .h = 0.01,
                               .inverse_mass = {0.25, 0.095, 0.095, 0.25},
                               .f = {-9.81 / 0.345, -9.81 / 0.345}, // both accelerated by -9.81 m/s^2
                               .v = {-0.15, 0.01},
                               .G = {1.0, 0.0, 0.0, 1.0},
                               .K = {2e6, 2e6}};
}

compliant_problem compliant_slope(double slope, double mu, double speed)
{
    const double h = 0.01, g = 9.81;
    return (compliant_problem){.n_v = 3,
                               .n_contacts = 1,
                               .h = h,
                               .inverse_mass = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0},
                               .f = {-g * cos(slope), g * sin(slope), 0.0},
                               .v = {0.0, speed, 0.0},
                               .G = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0},
                               .K = {1e12, 0.0, 0.0},
                               .B = {0.0, 1e6 / h, 1e6 / h},
                               .mu = {mu}};
}
