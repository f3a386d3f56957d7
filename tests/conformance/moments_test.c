// Rolling friction: case C15 of the validation list (Siconos, two stored problems), judged by the natural map on the
// cone of five rows, { r : |r_t| <= mu r_n, |m| <= mu_r r_n }, with a projection of this test's own.
#include "tenon/problem.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { CONTACTS_MAX = 4, ROWS = 5, SIZE = ROWS * CONTACTS_MAX };

typedef struct rolling_problem {
    int n;
    double W[SIZE][SIZE], q[SIZE], mu[CONTACTS_MAX], rolling[CONTACTS_MAX];
} rolling_problem;

// Storage (README of the data): dimension, contacts, kind, sizes twice, matrix by columns, q, mu, mu_r.
static void read_problem(const char *name, rolling_problem *p)
{
    char path[4096];
    snprintf(path, sizeof path, TENON_PROBLEMS "/rolling/%s", name);
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    int head[7];
    for (int i = 0; i < 7; ++i) {
        assert_int_equal(fscanf(file, "%d", &head[i]), 1);
    }
    p->n = head[1];
    assert_int_equal(head[0], ROWS);
    assert_in_range(p->n, 1, CONTACTS_MAX);
    int size = ROWS * p->n;
    for (int j = 0; j < size; ++j) {
        for (int i = 0; i < size; ++i) {
            assert_int_equal(fscanf(file, "%lf", &p->W[i][j]), 1);
        }
    }
    for (int i = 0; i < size; ++i) {
        assert_int_equal(fscanf(file, "%lf", &p->q[i]), 1);
    }
    for (int i = 0; i < p->n; ++i) {
        assert_int_equal(fscanf(file, "%lf", &p->mu[i]), 1);
    }
    for (int i = 0; i < p->n; ++i) {
        assert_int_equal(fscanf(file, "%lf", &p->rolling[i]), 1);
    }
    fclose(file);
}

// Nearest point of the cone: its normal part x minimises (x - f_n)^2 + (|f_t| - mu x)_+^2 + (|m| - mu_r x)_+^2.
static double cone_slope(double x, const double f[3], double mu, double rolling)
{
    return x - f[0] - mu * fmax(0.0, f[1] - mu * x) - rolling * fmax(0.0, f[2] - rolling * x);
}

static void project(double mu, double rolling, const double z[ROWS], double out[ROWS])
{
    double t = sqrt(z[1] * z[1] + z[2] * z[2]), m = sqrt(z[3] * z[3] + z[4] * z[4]);
    const double f[3] = {z[0], t, m};
    double low = 0.0, high = fabs(z[0]) + t + m + 1.0;
    for (int k = 0; k < 200 && cone_slope(0.0, f, mu, rolling) < 0.0; ++k) {
        double middle = 0.5 * (low + high);
        *(cone_slope(middle, f, mu, rolling) < 0.0 ? &low : &high) = middle;
    }
    out[0] = low;
    double shrink_t = t > mu * low ? mu * low / t : 1.0, shrink_m = m > rolling * low ? rolling * low / m : 1.0;
    out[1] = shrink_t * z[1];
    out[2] = shrink_t * z[2];
    out[3] = shrink_m * z[3];
    out[4] = shrink_m * z[4];
}

// M6 of the validation list with the five-row cone and De Saxce's shift mu |u_t| + mu_r |w|.
static double m6(const rolling_problem *p, const double *r)
{
    double u[SIZE], error = 0.0, q2 = 0.0, r2 = 0.0, u2 = 0.0;
    int size = ROWS * p->n;
    for (int i = 0; i < size; ++i) {
        u[i] = p->q[i];
        for (int j = 0; j < size; ++j) {
            u[i] += p->W[i][j] * r[j];
        }
        q2 += p->q[i] * p->q[i];
        r2 += r[i] * r[i];
        u2 += u[i] * u[i];
    }
    for (int c = 0; c < p->n; ++c) {
        const double *v = u + ROWS * c, *f = r + ROWS * c;
        double z[ROWS], y[ROWS];
        for (int i = 0; i < ROWS; ++i) {
            z[i] = f[i] - v[i];
        }
        z[0] -= p->mu[c] * sqrt(v[1] * v[1] + v[2] * v[2]) + p->rolling[c] * sqrt(v[3] * v[3] + v[4] * v[4]);
        project(p->mu[c], p->rolling[c], z, y);
        for (int i = 0; i < ROWS; ++i) {
            error += (f[i] - y[i]) * (f[i] - y[i]);
        }
    }
    return sqrt(error) / sqrt(fmax(q2, fmax(r2, u2)));
}

// Row i of contact c in the numbering of tn_problem: contacts, then moments (torsion, which is absent here, first).
static int place(const rolling_problem *p, int c, int i)
{
    return i < 3 ? 3 * c + i : 3 * (p->n + c) + i - 2;
}

typedef struct stored {
    tn_rows contacts;
    tn_blocks W;
    tn_problem problem;
    int start[2 * CONTACTS_MAX + 1], column[4 * CONTACTS_MAX * CONTACTS_MAX], pressed_by[CONTACTS_MAX];
    double value[9 * 4 * CONTACTS_MAX * CONTACTS_MAX], offset[6 * CONTACTS_MAX], mu[4 * CONTACTS_MAX];
} stored;

static void to_problem(const rolling_problem *p, stored *s)
{
    memset(s, 0, sizeof *s);
    int n = 2 * p->n;
    for (int i = 0; i < n; ++i) {
        s->start[i + 1] = n * (i + 1);
        for (int j = 0; j < n; ++j) {
            s->column[n * i + j] = j;
        }
    }
    for (int a = 0; a < ROWS * p->n; ++a) {
        int i = place(p, a / ROWS, a % ROWS);
        s->offset[i] = p->q[a];
        for (int b = 0; b < ROWS * p->n; ++b) {
            int j = place(p, b / ROWS, b % ROWS);
            s->value[9 * (n * (i / 3) + j / 3) + 3 * (i % 3) + j % 3] = p->W[a][b];
        }
    }
    for (int c = 0; c < p->n; ++c) {
        s->mu[2 * c] = s->mu[2 * c + 1] = p->mu[c];
        s->mu[2 * (p->n + c) + 1] = p->rolling[c];
        s->pressed_by[c] = c;
    }
    s->W = (tn_blocks){.n_rows = n, .n_cols = n, .start = s->start, .column = s->column, .value = s->value};
    s->contacts =
        (tn_rows){.n_triples = n, .offset = s->offset, .mu = s->mu, .n_frictions = p->n, .pressed_by = s->pressed_by};
    s->problem = (tn_problem){.W = &s->W, .rows = &s->contacts, .step = 1.0};
}

static void check_file(const char *name, const char *solver)
{
    rolling_problem p;
    read_problem(name, &p);
    stored s;
    to_problem(&p, &s);
    double lambda[6 * CONTACTS_MAX] = {0}, r[SIZE];
    tn_solution solution = {.lambda = lambda};
    tn_solve_report report;
    tn_error error = {0};
    tn_solve_options options = tn_solve_options_default();
    options.tolerance = (tn_tolerance){.natural = 1e-11};
    assert_int_equal(tn_problem_solve(&s.problem, solver, &options, &solution, &report, &error), TN_OK);
    for (int a = 0; a < ROWS * p.n; ++a) {
        r[a] = lambda[place(&p, a / ROWS, a % ROWS)];
    }
    double figure = m6(&p, r);
    print_message("C15 %s, %s: M6 %.2g (limit 1e-8), natural %.2g, %d sweeps\n", name, solver, figure,
                  report.certificate.natural, report.iterations);
    assert_true(figure <= 1e-8);
    assert_true(report.converged);
    for (int c = 0; c < p.n; ++c) {
        assert_true(lambda[3 * (p.n + c)] == 0.0); // no torsion where its length is zero
    }
}

static void test_c15(void **state)
{
    check_file("RFC3D_sphere_1.dat", "auto");
    check_file("RFC3D_sphere_1.dat", "pgs");
    check_file("RFC3D_cube_1.dat", "auto");
}

static void test_others_refuse(void **state)
{
    const rolling_problem p = {.n = 1, .W = {{1}, {0, 1}, {0, 0, 1}, {0, 0, 0, 1}, {0, 0, 0, 0, 1}}, .q = {-1}};
    stored s;
    to_problem(&p, &s);
    double lambda[6] = {0};
    tn_solution solution = {.lambda = lambda};
    tn_solve_report report;
    tn_error error = {0};
    tn_solve_options options = tn_solve_options_default();
    assert_int_equal(tn_problem_solve(&s.problem, "apgd", &options, &solution, &report, &error), TN_BAD_INPUT);
    assert_non_null(strstr(error.message, "rolling and torsional friction"));
    s.problem.law = TN_LAW_CONVEX;
    assert_int_equal(tn_problem_solve(&s.problem, "pgs", &options, &solution, &report, &error), TN_BAD_INPUT);
    s.problem.law = TN_LAW_COULOMB;
    s.pressed_by[0] = 1; // a moment cannot press
    assert_int_equal(tn_problem_solve(&s.problem, "pgs", &options, &solution, &report, &error), TN_BAD_INPUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_c15), cmocka_unit_test(test_others_refuse)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
