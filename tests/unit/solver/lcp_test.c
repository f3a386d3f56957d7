// Lemke's method: the definition of an LCP on random matrices, all solutions of small ones by enumeration, cycling
// examples, rays.
#include "friction_problem.h"

#include "solver/lemke/lcp.h"

enum { MOST = 120 };

static double random_entry(uint64_t seed, int i)
{
    return friction_random(seed, 20, (uint64_t)i);
}

static tn_lcp_end solve(int n, const double *M, const double *q, double *z, tn_lcp_report *report)
{
    double cover[MOST];
    for (int i = 0; i < n; ++i) {
        cover[i] = 1.0;
    }
    tn_arena *arena = tn_arena_create(0);
    assert_non_null(arena);
    const tn_lcp lcp = {.n = n, .M = M, .q = q};
    tn_lcp_end end = tn_lcp_lemke(&lcp, cover, 0.0, 100 * n, arena, z, report);
    tn_arena_destroy(arena);
    return end;
}

// M = B B^T + skew, of full or of low rank: positive semidefinite, q in its range plus something positive, so there is
// a solution.
static void make_monotone(uint64_t seed, int n, int rank, double *M, double *q)
{
    for (int i = 0; i < n; ++i) {
        q[i] = 0.5 * fmax(0.0, random_entry(seed, 100000 + i));
        for (int j = 0; j < n; ++j) {
            M[i * n + j] = i < j ? random_entry(seed, i * n + j) : i > j ? -random_entry(seed, j * n + i) : 0.0;
            for (int k = 0; k < rank; ++k) {
                M[i * n + j] += random_entry(seed, 20000 + i * n + k) * random_entry(seed, 20000 + j * n + k) / rank;
            }
        }
    }
    for (int j = 0; j < n; ++j) { // minus M z0 with z0 >= 0: feasible
        double z0 = fmax(0.0, random_entry(seed, 200000 + j));
        for (int i = 0; i < n; ++i) {
            q[i] -= M[i * n + j] * z0;
        }
    }
}

static void monotone(void **state)
{
    static double M[MOST * MOST], q[MOST], z[MOST];
    double worst = 0.0;
    int most = 0;
    for (uint64_t seed = 1; seed <= 300; ++seed) {
        int n = 2 + (int)(seed * 7 % (MOST - 1));
        make_monotone(seed, n, seed % 3 == 0 ? n : (n + 2) / 3, M, q);
        tn_lcp_report report;
        assert_int_equal(solve(n, M, q, z, &report), TN_LCP_SOLVED);
        worst = fmax(worst, report.residual);
        most = report.pivots > most * n ? report.pivots / n + 1 : most;
    }
    printf(
        "monotone LCPs up to %d unknowns: residual %.1e (limit 1e-11: rounding of 120 numbers below 10), at most %d n "
        "pivots\n",
        MOST, worst, most);
    assert_true(worst <= 1e-11);
}

// All complementary bases of n unknowns.
static int enumerate(int n, const double *M, const double *q, const double *z, double *nearest)
{
    int found = 0;
    *nearest = INFINITY;
    for (int set = 0; set < 1 << n; ++set) {
        double A[100], x[10], w, off = 0.0;
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                A[i * n + j] = set >> j & 1 ? M[i * n + j] : i == j ? -1.0 : 0.0;
            }
            x[i] = -q[i];
        }
        friction_gauss(n, A, x);
        bool ok = true;
        for (int i = 0; i < n; ++i) {
            ok = ok && x[i] >= -1e-10;
            w = set >> i & 1 ? x[i] : 0.0;
            off = fmax(off, fabs(w - z[i]));
        }
        found += ok;
        *nearest = ok && off < *nearest ? off : *nearest;
    }
    return found;
}

// P-matrices have one solution; matrices with positive entries (strictly copositive) at least one.
static void enumerated(void **state)
{
    double worst = 0.0;
    int several = 0;
    for (uint64_t seed = 1; seed <= 400; ++seed) {
        int n = 2 + (int)(seed % 7);
        double M[64], q[8], z[8];
        for (int i = 0; i < n * n; ++i) {
            M[i] = fabs(random_entry(seed, i)) + 0.01;
        }
        for (int i = 0; i < n; ++i) {
            q[i] = random_entry(seed, 1000 + i);
        }
        tn_lcp_report report;
        double off;
        assert_int_equal(solve(n, M, q, z, &report), TN_LCP_SOLVED);
        int found = enumerate(n, M, q, z, &off);
        assert_true(found >= 1);
        several += found > 1;
        worst = fmax(worst, off);
    }
    printf("copositive LCPs: %.1e from one of the enumerated solutions (limit 1e-9), %d of 400 have several\n", worst,
           several);
    assert_true(worst <= 1e-9 && several > 20);
}

// Kostreva's matrix, on which Lemke's method cycles without a rule for ties (q with equal entries), and totally
// degenerate systems with repeated rows.
static void degenerate(void **state)
{
    const double K[9] = {1, 2, 0, 0, 1, 2, 2, 0, 1}, ones[3] = {-1, -1, -1};
    double z[MOST];
    tn_lcp_report report;
    assert_int_equal(solve(3, K, ones, z, &report), TN_LCP_SOLVED);
    printf("cyclic matrix: %d pivots, z = %.15f %.15f %.15f (1/3 each)\n", report.pivots, z[0], z[1], z[2]);
    assert_true(fabs(z[0] - 1.0 / 3.0) < 1e-14 && report.residual < 1e-14);
    static double M[MOST * MOST], q[MOST];
    int most = 0;
    double worst = 0.0;
    for (uint64_t seed = 1; seed <= 60; ++seed) { // g g^T with small integers, each row four times, q all the same
        int n = 60, rank = 5;
        for (int i = 0; i < n; ++i) {
            q[i] = -1.0;
            for (int j = 0; j < n; ++j) {
                M[i * n + j] = 0.0;
                for (int k = 0; k < rank; ++k) {
                    double a = round(1.6 * random_entry(seed, i / 4 * rank + k));
                    double b = round(1.6 * random_entry(seed, j / 4 * rank + k));
                    M[i * n + j] += (k == 0 ? 1.0 : a) * (k == 0 ? 1.0 : b);
                }
            }
        }
        assert_int_equal(solve(n, M, q, z, &report), TN_LCP_SOLVED);
        most = report.pivots > most ? report.pivots : most;
        worst = fmax(worst, report.residual);
    }
    printf("60 rows, each four times: at most %d pivots (limit 240), residual %.1e (limit 1e-11)\n", most, worst);
    assert_true(most <= 240 && worst <= 1e-11);
}

static void rays(void **state)
{
    const double M[4] = {0, 1, -1, 0}, q[2] = {-1, -1}; // w_2 = -1 - z_1
    const double negative[1] = {-1}, below[1] = {-1};
    double z[2];
    tn_lcp_report report;
    assert_int_equal(solve(2, M, q, z, &report), TN_LCP_RAY);
    assert_int_equal(solve(1, negative, below, z, &report), TN_LCP_RAY);
    const double none[1] = {0};
    assert_int_equal(solve(1, negative, none, z, &report), TN_LCP_SOLVED);
    assert_int_equal(report.pivots, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(monotone), cmocka_unit_test(enumerated),
                                       cmocka_unit_test(degenerate), cmocka_unit_test(rays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
