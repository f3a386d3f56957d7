// The two convergence theorems of the source (section IV), as statements about one step F of plain V-FPI:
//
//     theorem 1: strict operator, particles only: |F(v) - F(w)| < |v - w| once the time step is small (W = mass^-1)
//     theorem 2: proximal operator, W = alpha I with 0 < alpha < 2/lambda_max(A): |F(v) - F(w)| <= |I - alpha A| |v -
//     w|
//
// for any v, w whatsoever; so the iteration converges from anywhere to one solution (Banach).
#include <stdio.h>

#include "cond_problems.h"
#include "math/dense.h"
#include "solver/cond/cond.h"
#include "test.h"

enum { N_MAX = 3 * MAX_BLOCKS };

// `steps` plain steps with W = w I from v (in place), forces forgotten before.
static void iterate(small_problem *p, double w, int steps, double *v)
{
    tn_cond_options cond = tn_cond_options_default();
    cond.acceleration = TN_COND_PLAIN;
    cond.invert_bodies = false;
    cond.uniform_w = w;
    tn_solve_options options = {.max_iterations = steps, .n_threads = 1};
    double lambda[3 * MAX_CONTACTS] = {0.0};
    tn_solution solution = {.v = v, .lambda = lambda};
    tn_solve_report report = {0};
    tn_arena *arena = tn_arena_create(0);
    assert_int_equal(tn_cond_solve(&p->problem, &options, &cond, arena, &solution, &report, NULL), TN_OK);
    tn_arena_destroy(arena);
}

static double distance(int n, const double *v, const double *w)
{
    double square = 0.0;
    for (int i = 0; i < n; i++) {
        square += (v[i] - w[i]) * (v[i] - w[i]);
    }
    return sqrt(square);
}

static void eigenvalues(const tn_blocks *A, double *values)
{
    static double dense[N_MAX * N_MAX];
    int n = 3 * A->n_rows;
    memset(dense, 0, (size_t)n * (size_t)n * sizeof(double));
    for (int row = 0; row < A->n_rows; row++) {
        for (int e = A->start[row]; e < A->start[row + 1]; e++) {
            for (int k = 0; k < 9; k++) {
                dense[(3 * row + k / 3) * n + 3 * A->column[e] + k % 3] = A->value[9 * e + k];
            }
        }
    }
    assert_true(tn_dense_eigen(n, dense, values));
}

// Two velocities, `size` m/s large; near each other when `near`.
static void random_pair(int n, double size, bool near, uint64_t seed, double *v, double *w)
{
    int c = 0;
    for (int i = 0; i < n; i++) {
        v[i] = size * uniform(seed, &c);
        w[i] = near ? v[i] + 1e-3 * size * uniform(seed, &c) : size * uniform(seed, &c);
    }
}

// The largest |F(v) - F(w)| / |v - w| over random pairs of all sizes, far apart and near.
static double largest_ratio(small_problem *p, double w, uint64_t seed)
{
    static double a[N_MAX], b[N_MAX];
    int n = 3 * p->problem.A->n_rows;
    double worst = 0.0;
    for (int s = 0; s < 24; s++) {
        random_pair(n, pow(10.0, s % 6 - 3), s % 2, 100 * seed + (uint64_t)s, a, b);
        double before = distance(n, a, b);
        iterate(p, w, 1, a);
        iterate(p, w, 1, b);
        worst = fmax(worst, distance(n, a, b) / before);
    }
    return worst;
}

static void theorem_2_the_proximal_operator_always_contracts(void **state)
{
    static small_problem p;
    double worst = 0.0, smallest = 1.0;
    tn_arena *arena = tn_arena_create(0);
    for (int s = 0; s < 40; s++) {
        tn_arena_reset(arena);
        random_nodes(&p, TN_LAW_CONVEX, (uint64_t)s, false, arena); // S and D contacts, any friction
        for (int m = 0; m < p.contacts.n_triples; m++) {
            p.mu[2 * m] = p.mu[2 * m + 1] = 3.0 * p.mu[2 * m];
        }
        double values[N_MAX];
        eigenvalues(p.problem.A, values);
        double alpha = (0.05 + 1.9 * s / 40.0) / values[35];
        double rate = fmax(fabs(1.0 - alpha * values[0]), fabs(1.0 - alpha * values[35]));
        worst = fmax(worst, largest_ratio(&p, alpha, (uint64_t)s) / rate);
        smallest = fmin(smallest, rate);
    }
    printf(
        "theorem 2: largest |F(v) - F(w)| / (|I - W A| |v - w|) %.9f (limit 1 + 1e-9: rounding); |I - W A| from %.2f "
        "up\n",
        worst, smallest);
    assert_true(worst < 1.0 + 1e-9);
    assert_true(worst > 0.5); // the pairs do find what the bound is about
    tn_arena_destroy(arena);
}

// From two points 1e6 m/s away the distance falls by |I - alpha A| a step, to nothing.
static void theorem_2_converges_from_anywhere(void **state)
{
    static small_problem p;
    static double v[N_MAX], w[N_MAX], values[N_MAX];
    double worst = 0.0;
    tn_arena *arena = tn_arena_create(0);
    for (int s = 0; s < 10; s++) {
        tn_arena_reset(arena);
        random_nodes(&p, TN_LAW_CONVEX, (uint64_t)(50 + s), false, arena);
        eigenvalues(p.problem.A, values);
        double alpha = 1.5 / values[35];
        double rate = fmax(fabs(1.0 - alpha * values[0]), fabs(1.0 - alpha * values[35]));
        random_pair(36, 1e6, false, (uint64_t)s, v, w);
        double start = distance(36, v, w);
        int steps = (int)(log(1e-10 / start) / log(rate)) + 1; // what the theorem needs for 1e-10 m/s
        iterate(&p, alpha, steps, v);
        iterate(&p, alpha, steps, w);
        worst = fmax(worst, distance(36, v, w));
    }
    printf("theorem 2: two starts 1e6 m/s apart end %.1e m/s apart (limit 1e-9: 1e-10 and rounding)\n", worst);
    assert_true(worst < 1e-9);
    tn_arena_destroy(arena);
}

// A(h) = M/h + h K of the lattice: its A at 10 ms with another stiffness, scaled.
static void lattice_at(small_problem *p, double h, double mu, tn_arena *arena)
{
    const double stiffness = 200.0, built = 0.01;
    elastic_lattice(p, stiffness * (h / built) * (h / built), mu, arena);
    for (int i = 0; i < 9 * p->problem.A->start[p->problem.A->n_rows]; i++) {
        p->problem.A->value[i] *= built / h;
    }
    for (int i = 0; i < 3 * p->problem.A->n_rows; i++) {
        p->b[i] *= built / h;
    }
}

static void theorem_1_the_strict_operator_contracts_for_small_steps(void **state)
{
    static small_problem p;
    const double mass = 1.0 / 48.0, h[4] = {1e-2, 3e-3, 1e-3, 3e-4};
    tn_arena *arena = tn_arena_create(0);
    for (int f = 0; f < 3; f++) {
        double mu = 0.3 * pow(3.0, f), ratio[4], values[N_MAX];
        for (int i = 0; i < 4; i++) {
            tn_arena_reset(arena);
            lattice_at(&p, h[i], mu, arena);
            eigenvalues(p.problem.A, values);
            ratio[i] = largest_ratio(&p, h[i] / mass, (uint64_t)i);
            printf("theorem 1: mu %.1f, h %.0e s: |F(v) - F(w)| / |v - w| %.2e, |I - W A| %.2e\n", mu, h[i], ratio[i],
                   h[i] / mass * values[143] - 1.0);
        }
        // The proof: ratio <= zeta |I - W A|, zeta of the law alone, |I - W A| ~ h^2.
        assert_true(ratio[2] < 1.0 && ratio[3] < 1.0);
        assert_true(fabs(ratio[3] / ratio[2] / 0.09 - 1.0) < 0.3);

        // Hence one solution, from anywhere.
        static double v[N_MAX], w[N_MAX];
        random_pair(144, 1e3, false, (uint64_t)f, v, w);
        iterate(&p, h[3] / mass, 40, v);
        iterate(&p, h[3] / mass, 40, w);
        printf("           two starts 1e3 m/s apart end %.1e m/s apart (limit 1e-10)\n", distance(144, v, w));
        assert_true(distance(144, v, w) < 1e-10);
    }
    tn_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(theorem_2_the_proximal_operator_always_contracts),
        cmocka_unit_test(theorem_2_converges_from_anywhere),
        cmocka_unit_test(theorem_1_the_strict_operator_contracts_for_small_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
