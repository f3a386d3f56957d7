// Assemblies against dense linear algebra: random trees, loops and redundant rows; the factor grows as the joints do.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/random.h"
#include "math/blocks.h"
#include "math/dense.h"
#include "problem/assembly.h"
#include "test.h"

enum { BODIES = 24, ROWS = 200, SIZE = 6 * BODIES + ROWS };

typedef struct mechanism {
    tn_arena *arena;
    int n_bodies;
    tn_blocks *A;
    tn_rows rows;
    int start[ROWS + 1], block[4 * ROWS], joint[ROWS];
    double jacobian[12 * ROWS], offset[ROWS], compliance[ROWS], lower[ROWS], upper[ROWS], give[ROWS];
    tn_parts parts;
    tn_assembly assembly;
} mechanism;

static double number(uint64_t seed, uint64_t k)
{
    return 2.0 * tn_random_uniform(seed, 7, k) - 1.0;
}

static void add_joint(mechanism *m, uint64_t seed, int a, int b, int n_rows)
{
    static int joints;
    tn_rows *r = &m->rows;
    joints++;
    for (int k = 0; k < n_rows; k++) {
        int i = r->n_singles++, e = m->start[i];
        for (int side = 0; side < 2; side++) {
            int body = side ? b : a;
            for (int part = 0; part < 2 && body >= 0; part++, e++) {
                m->block[e] = 2 * body + part;
                for (int d = 0; d < 3; d++) {
                    m->jacobian[3 * e + d] = number(seed, (uint64_t)(97 * i + 13 * side + 5 * part + d));
                }
            }
        }
        m->start[i + 1] = e;
        m->joint[i] = joints;
        m->offset[i] = number(seed, (uint64_t)(3000 + i));
        m->compliance[i] = i % 5 == 4 ? 0.3 : 0.0;
        m->lower[i] = -INFINITY;
        m->upper[i] = INFINITY;
    }
}

static void open(mechanism *m, uint64_t seed, int n_bodies)
{
    memset(m, 0, sizeof *m);
    m->arena = tn_arena_create(0);
    m->n_bodies = n_bodies;
    tn_blocks_entry entries[2 * BODIES];
    for (int i = 0; i < 2 * n_bodies; i++) {
        entries[i] = (tn_blocks_entry){.row = i, .column = i};
        for (int d = 0; d < 3; d++) {
            entries[i].value[4 * d] = 1.0 + fabs(number(seed, (uint64_t)(5000 + 3 * i + d)));
        }
    }
    m->A = tn_blocks_from_entries(2 * n_bodies, 2 * n_bodies, 2 * n_bodies, entries, m->arena);
    m->rows = (tn_rows){.start = m->start,
                        .block = m->block,
                        .jacobian = m->jacobian,
                        .offset = m->offset,
                        .compliance = m->compliance,
                        .lower = m->lower,
                        .upper = m->upper,
                        .joint = m->joint};
}

static void create(mechanism *m, double give)
{
    bool fits;
    assert_int_equal(tn_parts_find(m->A, m->arena, &m->parts), TN_OK);
    assert_true(tn_assembly_create(&m->assembly, m->A, &m->parts, &m->rows, NULL, 1e9, m->arena, &fits) && fits);
    assert_int_equal(m->assembly.size, 6 * m->n_bodies + m->rows.n_singles);
    for (int i = 0; i < m->rows.n_singles; i++) {
        m->give[i] = m->compliance[i] + give;
    }
    assert_true(tn_assembly_factor(&m->assembly, m->A, &m->rows, m->give));
}

// The system as a dense matrix, in the assembly's own places.
static void fill_dense(const mechanism *m, double *K)
{
    int n = m->assembly.size;
    memset(K, 0, (size_t)n * (size_t)n * sizeof *K);
    for (int i = 0; i < m->A->n_rows; i++) {
        for (int d = 0; d < 9; d++) {
            K[(m->assembly.block_at[i] + d / 3) * n + m->assembly.block_at[i] + d % 3] = m->A->value[9 * i + d];
        }
    }
    for (int i = 0; i < m->rows.n_singles; i++) {
        int row = m->assembly.row_at[i];
        K[row * n + row] = -m->give[i];
        for (int e = m->start[i]; e < m->start[i + 1]; e++) {
            for (int d = 0; d < 3; d++) {
                int column = m->assembly.block_at[m->block[e]] + d;
                K[row * n + column] = K[column * n + row] = m->jacobian[3 * e + d];
            }
        }
    }
}

// One right-hand side and a panel against LAPACK; the largest difference.
static double compare(mechanism *m)
{
    static double K[SIZE * SIZE], b[SIZE], x[SIZE], panel[SIZE * TN_ASSEMBLY_PANEL];
    int pivot[SIZE], n = m->assembly.size;
    double worst = 0.0, size = 0.0;
    fill_dense(m, K);
    for (int i = 0; i < n; i++) {
        b[i] = x[i] = number(11, (uint64_t)i);
        for (int k = 0; k < TN_ASSEMBLY_PANEL; k++) {
            panel[TN_ASSEMBLY_PANEL * i + k] = (k + 1) * b[i];
        }
    }
    assert_true(tn_dense_solve(n, K, b, pivot));
    tn_assembly_solve(&m->assembly, x);
    tn_assembly_solve_panel(&m->assembly, panel);
    for (int i = 0; i < n; i++) {
        size = fmax(size, fabs(b[i]));
        worst = fmax(worst, fabs(x[i] - b[i]));
        for (int k = 0; k < TN_ASSEMBLY_PANEL; k++) {
            worst = fmax(worst, fabs(panel[TN_ASSEMBLY_PANEL * i + k] / (k + 1) - b[i]));
        }
    }
    return worst / size;
}

static void trees_and_loops_as_dense(void **state)
{
    double worst = 0.0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        mechanism m;
        int n = 1 + (int)(seed % BODIES);
        open(&m, seed, n);
        for (int i = 0; i < n; i++) { // to an earlier body or to the world
            int parent = (int)((i + 1) * tn_random_uniform(seed, 3, (uint64_t)i)) - 1;
            add_joint(&m, seed, parent, i, 1 + (int)(5.9 * tn_random_uniform(seed, 4, (uint64_t)i)));
        }
        for (int k = 0; k < n / 4; k++) { // loops, within the degrees of freedom that are left
            add_joint(&m, seed, (int)(n * tn_random_uniform(seed, 5, (uint64_t)k)),
                      (int)(n * tn_random_uniform(seed, 6, (uint64_t)k)) / 2, 1);
        }
        create(&m, 1e-3);
        worst = fmax(worst, compare(&m));
        tn_arena_destroy(m.arena);
    }
    printf("trees and loops: off by %.1e of the largest (limit 1e-9)\n", worst);
    assert_true(worst <= 1e-9);
}

// Rows of a ball joint between points of two bodies, or of the world (a -1) and b.
static void add_ball(mechanism *m, uint64_t seed, int a, int b)
{
    int first = m->rows.n_singles;
    add_joint(m, seed, a, b, 3);
    for (int i = first; i < m->rows.n_singles; i++) {
        m->compliance[i] = 0.0;
        for (int e = m->start[i], k = i - first; e < m->start[i + 1]; e += 2) {
            double sign = m->block[e] == 2 * b ? 1.0 : -1.0, *g = m->jacobian + 3 * (size_t)e, r[3];
            for (int d = 0; d < 3; d++) {
                r[d] = number(seed, (uint64_t)(7000 + 50 * first + 5 * (sign > 0.0) + d));
                g[d] = sign * (d == k);
            }
            g[3 + k] = 0.0;
            g[3 + (k + 1) % 3] = sign * r[(k + 2) % 3];
            g[3 + (k + 2) % 3] = -sign * r[(k + 1) % 3];
        }
    }
}

// Two ball joints on one body leave it one rotation: six rows that are independent only with the next body. Factors
// took them for borne by the first one, with a pivot of rounding.
static void chains_of_balls(void **state)
{
    double worst = 0.0;
    for (uint64_t seed = 1; seed <= 40; seed++) {
        mechanism m;
        int n = 2 + (int)(seed % 9);
        open(&m, seed, n);
        for (int i = 0; i < n; i++) {
            add_ball(&m, seed, i - 1, i);
        }
        create(&m, 1e-10);
        worst = fmax(worst, compare(&m));
        tn_arena_destroy(m.arena);
    }
    printf("chains of ball joints: off by %.1e of the largest (limit 1e-11)\n", worst);
    assert_true(worst <= 1e-11);
}

// A row left out: as if it were not there.
static void left_out(void **state)
{
    mechanism m;
    open(&m, 3, 2);
    add_joint(&m, 3, -1, 0, 3);
    add_joint(&m, 3, 0, 1, 4);
    create(&m, 1e-4);
    m.give[5] = INFINITY;
    assert_true(tn_assembly_factor(&m.assembly, m.A, &m.rows, m.give));
    double x[SIZE], y[SIZE];
    for (int i = 0; i < m.assembly.size; i++) {
        x[i] = y[i] = i == m.assembly.row_at[5] ? 0.0 : number(12, (uint64_t)i);
    }
    tn_assembly_solve(&m.assembly, x);
    assert_true(x[m.assembly.row_at[5]] == 0.0);
    m.give[5] = 1e30;
    assert_true(tn_assembly_factor(&m.assembly, m.A, &m.rows, m.give));
    tn_assembly_solve(&m.assembly, y);
    for (int i = 0; i < m.assembly.size; i++) {
        assert_true(fabs(x[i] - y[i]) <= 1e-12);
    }
    tn_arena_destroy(m.arena);
}

static void not_definite(void **state)
{
    mechanism m;
    open(&m, 4, 2);
    add_joint(&m, 4, 0, 1, 5);
    create(&m, 1e-6);
    m.A->value[0] = -1.0;
    assert_false(tn_assembly_factor(&m.assembly, m.A, &m.rows, m.give));
    tn_arena_destroy(m.arena);
}

// Operations of a factor: chains and rings of hinges, exactly proportional to the links but for the ends.
static double flops_of(int n, bool ring)
{
    tn_arena *arena = tn_arena_create(0);
    int n_joints = ring ? n : n - 1, n_rows = 5 * n_joints;
    tn_blocks_entry *entries = TN_PUSH(arena, tn_blocks_entry, 2 * n);
    int *start = TN_PUSH(arena, int, n_rows + 1), *block = TN_PUSH(arena, int, 4 * n_rows);
    int *joint = TN_PUSH(arena, int, n_rows);
    assert_true(entries && start && block && joint);
    for (int i = 0; i < 2 * n; i++) {
        entries[i] = (tn_blocks_entry){.row = i, .column = i};
    }
    tn_blocks *A = tn_blocks_from_entries(2 * n, 2 * n, 2 * n, entries, arena);
    for (int i = 0; i < n_rows; i++) {
        joint[i] = i / 5;
        start[i + 1] = 4 * (i + 1);
        for (int e = 0; e < 4; e++) {
            block[4 * i + e] = 2 * ((i / 5 + e / 2) % n) + e % 2;
        }
    }
    tn_rows rows = {.n_singles = n_rows, .start = start, .block = block, .joint = joint};
    tn_parts parts;
    tn_assembly assembly;
    bool fits;
    assert_int_equal(tn_parts_find(A, arena, &parts), TN_OK);
    assert_true(tn_assembly_create(&assembly, A, &parts, &rows, NULL, 1e12, arena, &fits));
    double flops = assembly.flops;
    tn_arena_destroy(arena);
    return flops;
}

static void work_is_linear(void **state)
{
    for (int ring = 0; ring < 2; ring++) {
        double few = flops_of(100, ring), many = flops_of(10000, ring);
        printf("%s of 100 and 10000 links: %.3g and %.3g operations\n", ring ? "ring" : "chain", few, many);
        assert_true(many <= 101.5 * few);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_and_loops_as_dense),
        cmocka_unit_test(chains_of_balls),
        cmocka_unit_test(left_out),
        cmocka_unit_test(not_definite),
        cmocka_unit_test(work_is_linear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
