// Sums over groups of nodes and their motion against the plain formulas, and against each other.
#include <stdio.h>

#include "base/arena.h"
#include "base/random.h"
#include "kernels/nodal/rigid_motion.h"
#include "test.h"

#include <math.h>
#include <string.h>

// More nodes than a team of threads needs; groups of 0 to 6 nodes.
enum { GROUPS = 8000, MOST = 7 * GROUPS };

typedef struct fixture {
    tn_arena *arena;
    tn_rigid_groups groups;
    int n;
    float *g, *y, *d;
} fixture;

static float uniform(int k)
{
    return (float)(2.0 * tn_random_uniform(7, 3, (uint64_t)k) - 1.0);
}

static fixture make(void)
{
    fixture f = {.arena = tn_arena_create(0)};
    int *start = TN_PUSH(f.arena, int, GROUPS + 1), *place = TN_PUSH(f.arena, int, MOST);
    float *arm = TN_PUSH(f.arena, float, 4 * MOST);
    for (int k = 0; k < GROUPS; k++) {
        for (int i = 0; i < (k * 5) % 7; i++, f.n++) {
            for (int j = 0; j < 3; j++) {
                arm[4 * f.n + j] = uniform(4 * f.n + j);
            }
        }
        start[k + 1] = f.n;
    }
    for (int i = 0; i < f.n; i++) {
        place[i] = 4 * (f.n - 1 - i);
    }
    f.groups = (tn_rigid_groups){.n = GROUPS, .start = start, .place = place, .arm = arm};
    f.g = TN_PUSH(f.arena, float, 4 * f.n);
    f.d = TN_PUSH(f.arena, float, 4 * f.n);
    f.y = TN_PUSH(f.arena, float, 8 * GROUPS);
    for (int i = 0; i < 4 * f.n; i++) {
        f.g[i] = i % 4 == 3 ? 0.0F : uniform(1000000 + i);
    }
    return f;
}

static void a_sum_is_force_and_moment(void **state)
{
    fixture f = make();
    double worst = 0.0;
    tn_rigid_groups_sum(&f.groups, f.g, f.y, 1);
    for (int k = 0; k < GROUPS; k++) {
        double sum[6] = {0.0};
        for (int i = f.groups.start[k]; i < f.groups.start[k + 1]; i++) {
            const float *e = f.groups.arm + 4 * i, *p = f.g + f.groups.place[i];
            for (int a = 0; a < 3; a++) {
                int b = (a + 1) % 3, c = (a + 2) % 3;
                sum[a] += (double)p[a];
                sum[3 + a] += (double)e[b] * (double)p[c] - (double)e[c] * (double)p[b];
            }
        }
        for (int j = 0; j < 8; j++) {
            worst = fmax(worst, fabs((double)f.y[8 * k + j] - (j < 6 ? sum[j] : 0.0)));
        }
    }
    printf("%d nodes in %d groups: off by %.1e (limit 2e-6: sums of six in single precision)\n", f.n, GROUPS, worst);
    assert_true(f.n > 20000 && worst < 2e-6);
    tn_arena_destroy(f.arena);
}

// What moves the nodes does the work that the sums do: (P y) . g = y . P^T g.
static void motion_and_sum_are_adjoint(void **state)
{
    fixture f = make();
    float *y = TN_PUSH(f.arena, float, 8 * GROUPS);
    for (int i = 0; i < 8 * GROUPS; i++) {
        y[i] = i % 8 < 6 ? uniform(2000000 + i) : 0.0F;
    }
    tn_rigid_groups_sum(&f.groups, f.g, f.y, 1);
    tn_rigid_groups_move(&f.groups, y, f.d, 1);
    double worst = 0.0;
    for (int k = 0; k < GROUPS; k++) {
        double nodes = 0.0, group = 0.0;
        for (int j = 0; j < 6; j++) {
            group += (double)y[8 * k + j] * (double)f.y[8 * k + j];
        }
        for (int i = f.groups.start[k]; i < f.groups.start[k + 1]; i++) {
            for (int j = 0; j < 4; j++) {
                nodes += (double)f.d[f.groups.place[i] + j] * (double)f.g[f.groups.place[i] + j];
            }
            assert_true(f.d[f.groups.place[i] + 3] == 0.0F);
        }
        worst = fmax(worst, fabs(nodes - group));
    }
    printf("work of nodes and groups: off by %.1e (limit 1e-5)\n", worst);
    assert_true(worst < 1e-5);
    tn_arena_destroy(f.arena);
}

// Affine groups: the sums by their definition, and again that what moves the nodes does the work that the sums do.
static void affine_sums_and_motion(void **state)
{
    fixture f = make();
    float *sums = TN_PUSH(f.arena, float, 16 * GROUPS), *y = TN_PUSH(f.arena, float, 16 * GROUPS);
    double worst = 0.0, work = 0.0;
    for (int i = 0; i < 16 * GROUPS; i++) {
        y[i] = i % 8 < 6 ? uniform(3000000 + i) : 0.0F;
    }
    tn_affine_groups_sum(&f.groups, GROUPS, f.g, sums, 1);
    tn_affine_groups_move(&f.groups, GROUPS, y, f.d, 1);
    for (int k = 0; k < GROUPS; k++) {
        double expected[16] = {0.0}, nodes = 0.0, group = 0.0;
        for (int i = f.groups.start[k]; i < f.groups.start[k + 1]; i++) {
            const float *e = f.groups.arm + 4 * i, *p = f.g + f.groups.place[i];
            for (int m = 0; m < 4; m++) {
                for (int a = 0; a < 3; a++) {
                    expected[8 * (m / 2) + 3 * (m % 2) + a] += (m == 0 ? 1.0 : (double)e[m - 1]) * (double)p[a];
                }
            }
            for (int a = 0; a < 3; a++) {
                nodes += (double)f.d[f.groups.place[i] + a] * (double)p[a];
            }
        }
        for (int j = 0; j < 16; j++) {
            worst = fmax(worst, fabs((double)sums[16 * k + j] - expected[j]));
            group += (double)y[16 * k + j] * (double)sums[16 * k + j];
        }
        work = fmax(work, fabs(nodes - group));
    }
    printf("affine sums off by %.1e (limit 2e-6), work by %.1e (limit 1e-5)\n", worst, work);
    assert_true(worst < 2e-6 && work < 1e-5);
    tn_arena_destroy(f.arena);
}

static void threads_do_not_change_a_bit(void **state)
{
    fixture f = make();
    float *y = TN_PUSH(f.arena, float, 8 * GROUPS), *d = TN_PUSH(f.arena, float, 4 * f.n);
    tn_rigid_groups_sum(&f.groups, f.g, f.y, 1);
    tn_rigid_groups_sum(&f.groups, f.g, y, 3);
    assert_memory_equal(y, f.y, 8 * GROUPS * sizeof *y);
    tn_rigid_groups_move(&f.groups, y, f.d, 1);
    tn_rigid_groups_move(&f.groups, y, d, 3);
    assert_memory_equal(d, f.d, 4 * (size_t)f.n * sizeof *d);
    tn_arena_destroy(f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sum_is_force_and_moment),
        cmocka_unit_test(motion_and_sum_are_adjoint),
        cmocka_unit_test(affine_sums_and_motion),
        cmocka_unit_test(threads_do_not_change_a_bit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
