// P^T A P and its envelope factor against dense algebra; Anderson's mixing on a linear iteration.
#include <stdio.h>

#include "base/random.h"
#include "kernels/mixer/mixer.h"
#include "kernels/nodal/galerkin.h"
#include "math/blocks.h"
#include "math/dense.h"
#include "math/vec3.h"
#include "test.h"

#include <math.h>
#include <string.h>

enum { ROWS = 60, GROUPS = 12, SIZE = 12 * GROUPS, CHAIN = 4 };

static double uniform(uint64_t k)
{
    return 2.0 * tn_random_uniform(5, 2, k) - 1.0;
}

// A chain: every row coupled with the CHAIN before and after it; symmetric, diagonally dominant.
static tn_blocks *make_chain(tn_arena *arena)
{
    tn_blocks_entry *entries = TN_PUSH(arena, tn_blocks_entry, ROWS * (2 * CHAIN + 1));
    int n = 0;
    for (int i = 0; i < ROWS; i++) {
        for (int j = i - CHAIN < 0 ? 0 : i - CHAIN; j < ROWS && j <= i + CHAIN; j++) {
            int low = i < j ? i : j, high = i < j ? j : i;
            entries[n].row = i;
            entries[n].column = j;
            for (int k = 0; k < 9; k++) {
                int at = i <= j ? k : k / 3 + 3 * (k % 3);
                entries[n].value[k] =
                    i == j ? (k % 4 == 0 ? 40.0 : 0.0) : uniform((uint64_t)(9 * (ROWS * low + high) + at));
            }
            n++;
        }
    }
    return tn_blocks_from_entries(ROWS, ROWS, n, entries, arena);
}

// Row i belongs to group i / 5. Of every eleven rows one is held, one slides, one goes by blocks of its own and two
// groups, one by no block. n_affine: 0 or all groups.
static tn_prolongation make_prolongation(int n_affine, tn_arena *arena)
{
    int *of_row = TN_PUSH(arena, int, ROWS), *other = TN_PUSH(arena, int, ROWS), *place = TN_PUSH(arena, int, ROWS);
    int *start = TN_PUSH(arena, int, ROWS + 1), *group = TN_PUSH(arena, int, 2 * ROWS), n = 0, n_others = 0;
    double *value = TN_PUSH(arena, double, 48 * ROWS), *arm = TN_PUSH(arena, double, 4 * ROWS);
    double *normal = TN_PUSH(arena, double, 4 * ROWS), *across = TN_PUSH(arena, double, 4 * ROWS);
    double *along = TN_PUSH(arena, double, 4 * ROWS);
    signed char *motion = TN_PUSH(arena, signed char, ROWS);
    for (int i = 0; i < ROWS; i++) {
        of_row[i] = i / 5;
        double square = 0.0;
        for (int k = 0; k < 3; k++) {
            arm[4 * i + k] = uniform((uint64_t)(50000 + 4 * i + k));
            normal[4 * i + k] = uniform((uint64_t)(60000 + 4 * i + k));
            square += normal[4 * i + k] * normal[4 * i + k];
        }
        for (int k = 0; k < 3; k++) {
            normal[4 * i + k] /= sqrt(square);
        }
        tn_vec3_cross(across + 4 * i, normal + 4 * i, arm + 4 * i);
        tn_vec3_cross(along + 4 * i, normal + 4 * i, across + 4 * i);
        switch (i % 11) {
        case 1:
            motion[i] = TN_ROW_HELD;
            break;
        case 4:
            motion[i] = TN_ROW_SLIDES;
            break;
        case 6:
        case 9:
            motion[i] = TN_ROW_OTHER;
            break;
        default:
            motion[i] = TN_ROW_RIGID;
            break;
        }
        if (motion[i] != TN_ROW_OTHER) {
            continue;
        }
        for (int p = 0; p < (i % 11 == 6 ? 2 : 0); p++, n++) {
            int g = i / 5 - p < 0 ? 1 : i / 5 - p;
            group[n] = tn_coarse_block(n_affine, g) + (n_affine > 0 && i % 2);
            for (int k = 0; k < 24; k++) {
                value[24 * n + k] = k % 8 < 6 ? uniform((uint64_t)(70000 + 24 * n + k)) : 0.0;
            }
        }
        place[i] = n_others;
        other[n_others++] = i;
        start[n_others] = n;
    }
    return (tn_prolongation){.n_affine = n_affine,
                             .of_row = of_row,
                             .arm = arm,
                             .motion = motion,
                             .normal = normal,
                             .across = across,
                             .along = along,
                             .n_others = n_others,
                             .other = other,
                             .place = place,
                             .start = start,
                             .group = group,
                             .value = value};
}

// Row i of P, (3, SIZE) += .
static void write_out(const tn_prolongation *P, int i, double (*full)[SIZE])
{
    if (P->motion[i] == TN_ROW_OTHER) {
        for (int p = P->start[P->place[i]]; p < P->start[P->place[i] + 1]; p++) {
            for (int k = 0; k < 18; k++) {
                full[k / 6][6 * P->group[p] + k % 6] += P->value[24 * p + 8 * (k / 6) + k % 6];
            }
        }
        return;
    }
    bool affine = P->n_affine > 0;
    for (int k = 0; k < (affine ? 12 : 6) && P->motion[i] != TN_ROW_HELD; k++) {
        // The k-th unit motion: a velocity, or a spin times the arm, or a velocity that grows along an axis.
        const double *e = P->arm + 4 * i, *n = P->normal + 4 * i;
        int a = k % 3, b = (a + 1) % 3, c = (a + 2) % 3;
        double v[3] = {0.0};
        if (k < 3) {
            v[a] = 1.0;
        } else if (affine) {
            v[a] = e[k / 3 - 1];
        } else {
            v[b] = -e[c];
            v[c] = e[b];
        }
        double along = P->motion[i] == TN_ROW_SLIDES ? n[0] * v[0] + n[1] * v[1] + n[2] * v[2] : 0.0;
        for (int r = 0; r < 3; r++) {
            full[r][(affine ? 12 : 6) * P->of_row[i] + k] += v[r] - along * n[r];
        }
    }
}

// What row i adds to entry k of its block e: s s^T + t t^T on the diagonal where it slides.
static double stiffer(const tn_prolongation *P, const tn_blocks *A, int i, int e, int k)
{
    bool adds = A->column[e] == i && P->motion[i] == TN_ROW_SLIDES;
    const double *s = P->across + 4 * i, *t = P->along + 4 * i;
    return adds ? s[k / 3] * s[k % 3] + t[k / 3] * t[k % 3] : 0.0;
}

// dense (SIZE, SIZE) = P^T A P.
static void multiply_plainly(const tn_blocks *A, const tn_prolongation *P, double *dense)
{
    static double full[3 * ROWS][SIZE];
    memset(full, 0, sizeof full);
    memset(dense, 0, SIZE * SIZE * sizeof *dense);
    for (int i = 0; i < ROWS; i++) {
        write_out(P, i, full + 3 * i);
    }
    for (int i = 0; i < ROWS; i++) {
        for (int e = A->start[i]; e < A->start[i + 1]; e++) {
            for (int k = 0; k < 9; k++) {
                for (int r = 0; r < SIZE; r++) {
                    for (int c = 0; c < SIZE; c++) {
                        dense[SIZE * r + c] += full[3 * i + k / 3][r] * (A->value[9 * e + k] + stiffer(P, A, i, e, k)) *
                                               full[3 * A->column[e] + k % 3][c];
                    }
                }
            }
        }
    }
}

static void compare_with_dense_algebra(int n_affine)
{
    static double dense[SIZE * SIZE];
    tn_arena *arena = tn_arena_create(0);
    tn_blocks *A = make_chain(arena);
    tn_prolongation P = make_prolongation(n_affine, arena);
    int first[2 * GROUPS], n = GROUPS + n_affine, size = 6 * n, reach = n_affine > 0 ? 7 : 3;
    for (int g = 0; g < n; g++) {
        first[g] = g < reach ? 0 : g - reach;
    }
    tn_skyline s;
    assert_true(tn_skyline_create(&s, n, first, arena));
    tn_group_runs runs;
    assert_int_equal(tn_group_runs_create(A, GROUPS, P.of_row, arena, arena, &runs), TN_OK);
    tn_galerkin_add(A, &P, &runs, &s, 1);
    multiply_plainly(A, &P, dense);
    double worst = 0.0;
    for (int r = 0; r < size; r++) {
        for (int c = 0; c <= r; c++) {
            double value = c / 6 < first[r / 6] ? 0.0 : tn_skyline_block(&s, r / 6, c / 6)[8 * (c % 6) + r % 6];
            worst = fmax(worst, fabs(value - dense[SIZE * r + c]));
        }
    }
    double limit = n_affine > 0 ? 1e-3 : 1e-10; // of 1e3; affine groups are summed in single precision
    printf("%d affine groups, P^T A P: off by %.1e (limit %.0e of 1e3)\n", n_affine, worst, limit);
    assert_true(worst < limit);

    if (n_affine > 0) { // five nodes a group, some of them held, cannot move in twelve ways: singular
        tn_arena_destroy(arena);
        return;
    }
    float x[8 * GROUPS] = {0.0F};
    double y[SIZE];
    for (int i = 0; i < size; i++) {
        y[i] = x[8 * (i / 6) + i % 6] = (float)uniform((uint64_t)(90000 + i));
    }
    tn_skyline_factor(&s, 1e-12);
    tn_skyline_solve(&s, x);
    for (int r = 1; r < size; r++) { // the rows in use, one behind the other
        memmove(dense + (size_t)(size * r), dense + (size_t)(SIZE * r), (size_t)size * sizeof *dense);
    }
    assert_true(tn_dense_cholesky(size, dense));
    tn_dense_cholesky_solve(size, dense, y);
    worst = 0.0;
    for (int i = 0; i < size; i++) {
        worst = fmax(worst, fabs((double)x[8 * (i / 6) + i % 6] - y[i]));
    }
    printf("solution: off by %.1e (limit 1e-6: single precision)\n", worst);
    assert_true(worst < 1e-6);
    tn_arena_destroy(arena);
}

static void coarse_matrix_and_factor_are_those_of_dense_algebra(void **state)
{
    compare_with_dense_algebra(0);
    compare_with_dense_algebra(GROUPS);
}

// An unknown that nothing determines is dropped: zero, and no influence on the others.
static void vanishing_pivots_drop_their_unknown(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    const int first[2] = {0, 0};
    tn_skyline s;
    assert_true(tn_skyline_create(&s, 2, first, arena));
    for (int j = 0; j < 6; j++) {
        tn_skyline_block(&s, 0, 0)[9 * j] = j == 2 ? 0.0 : 4.0;
        tn_skyline_block(&s, 1, 1)[9 * j] = 5.0;
        tn_skyline_block(&s, 1, 0)[9 * j] = j == 2 ? 0.0 : 2.0;
    }
    float x[16] = {1, 1, 1, 1, 1, 1, 0, 0, 1, 1, 1, 1, 1, 1, 0, 0};
    tn_skyline_factor(&s, 1e-11);
    tn_skyline_solve(&s, x);
    // (4 2; 2 5) z = (1; 1): z = (3/16, 1/8); the dropped one leaves 5 z = 1.
    for (int j = 0; j < 6; j++) {
        assert_true(fabs((double)x[j] - (j == 2 ? 0.0 : 3.0 / 16.0)) < 1e-7);
        assert_true(fabs((double)x[8 + j] - (j == 2 ? 0.2 : 0.125)) < 1e-7);
    }
    tn_arena_destroy(arena);
}

// x <- D x + c with four different numbers on D: Anderson of depth 4 is GMRES here and all but done after five steps
// (the ridge and floats leave 1e-4), where the plain iteration still has 0.99^5. Later it gets on more slowly, but
// floats must not stop it.
static void mixing_solves_a_linear_iteration(void **state)
{
    enum { NUMBERS = 4800, STEPS = 41 };
    static const double rate[4] = {0.99, -0.5, 0.9, 0.3};
    tn_arena *arena = tn_arena_create(0);
    double last[2];
    for (int k = 0; k < 2; k++) {
        tn_mixer mixer;
        assert_true(tn_mixer_create(&mixer, &(tn_mixer_options){.n = NUMBERS, .depth = 4, .n_threads = k + 1}, arena));
        double *x = TN_PUSH(arena, double, NUMBERS), *g = TN_PUSH(arena, double, NUMBERS), length[STEPS];
        for (int l = 0; l < STEPS; l++) {
            for (int i = 0; i < NUMBERS; i++) {
                g[i] = rate[i % 4] * x[i] + 1.0 + 0.1 * uniform((uint64_t)i);
            }
            length[l] = tn_mixer_advance(&mixer, x, g);
        }
        printf("%d threads: |f| falls to %.1e of its start in 5 steps (limit 1e-3), %.1e in 40 (limit 1e-8)\n", k + 1,
               length[5] / length[0], length[40] / length[0]);
        assert_true(length[5] < 1e-3 * length[0] && length[40] < 1e-8 * length[0]);
        assert_true(x[5] == g[5]);
        last[k] = x[77];
    }
    assert_true(last[0] == last[1]);
    tn_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coarse_matrix_and_factor_are_those_of_dense_algebra),
        cmocka_unit_test(vanishing_pivots_drop_their_unknown),
        cmocka_unit_test(mixing_solves_a_linear_iteration),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
