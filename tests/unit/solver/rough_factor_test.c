// Rough solves in a heap: K x = b to the demanded residual by each of the factors, whichever the contacts' weights call
// for, and the interior point method with them where it gets without them.
#include "heap_problem.h"

#include "problem/delassus.h"
#include "solver/ipm/interior.h"

enum { SIDE = 7, LAYERS = 7 };
static const double FLOPS = 1e12; // pretended of K's own factor: every product pays
static const double GOAL = 1e-9;  // of b

typedef struct bench {
    heap_problem *heap;
    tn_arena *arena;
    tn_contact_matrix K;
    double *C, *rho, *b, *x, *r;
    int n_v;
} bench;

static void set_up(bench *s)
{
    s->heap = heap_create(SIDE, LAYERS, 0.5, 1);
    s->arena = tn_arena_create(0);
    int n = s->heap->contacts.n_triples;
    s->n_v = 3 * s->heap->problem.A->n_rows;
    s->C = TN_PUSH(s->arena, double, 9 * n);
    s->rho = TN_PUSH(s->arena, double, n);
    s->b = TN_PUSH(s->arena, double, s->n_v);
    s->x = TN_PUSH(s->arena, double, s->n_v);
    s->r = TN_PUSH(s->arena, double, s->n_v);
    assert_true(tn_contact_matrix_create(&s->K, &s->heap->problem, s->arena));
    for (int m = 0; m < n; ++m) {
        s->rho[m] = s->heap->problem.A->value[0];
    }
    for (int i = 0; i < s->n_v; ++i) {
        s->b[i] = tn_random_uniform(3, 1, (uint64_t)i) - 0.5;
    }
}

// Every second contact `weak` times rho, the others `strong` times.
static void weigh(bench *s, double weak, double strong)
{
    for (int m = 0; m < s->heap->contacts.n_triples; ++m) {
        for (int i = 0; i < 9; i += 4) {
            s->C[9 * (size_t)m + (size_t)i] = s->rho[m] * (m % 2 ? weak : strong);
        }
    }
    tn_contact_matrix_fill(&s->K, s->C);
}

static double norm(int n, const double *x)
{
    double sum = 0.0;
    for (int i = 0; i < n; ++i) {
        sum += x[i] * x[i];
    }
    return sqrt(sum);
}

static void check_solve(bench *s, tn_rough_factor *rough, const char *name, int most)
{
    double size = norm(s->n_v, s->b);
    int before = rough->products;
    assert_true(tn_rough_factor_solve(rough, &s->K.K, s->b, GOAL * size, s->x));
    tn_blocks_mul(&s->K.K, s->x, s->r);
    for (int i = 0; i < s->n_v; ++i) {
        s->r[i] -= s->b[i];
    }
    double left = norm(s->n_v, s->r) / size;
    int products = rough->products - before;
    printf("%s: residual %.1e (limit %.1e, the goal and rounding) after %d products (limit %d)\n", name, left,
           1.1 * GOAL, products, most);
    assert_true(left <= 1.1 * GOAL && products <= most);
}

static void solves(void **state)
{
    bench s;
    tn_rough_factor rough;
    tn_error error = {0};
    tn_body_factor own;
    set_up(&s);
    assert_int_equal(tn_body_factor_create(&own, &s.K.K, s.arena, &error), TN_OK);
    own.flops = FLOPS;
    assert_true(tn_rough_factor_create(&rough, &s.K, s.rho, &own, s.arena));
    weigh(&s, 3.0, 30.0);
    assert_int_equal(tn_rough_factor_values(&rough, &s.K.K, s.C, &error), TN_OK);
    assert_int_equal(rough.kind, TN_ROUGH_INCOMPLETE);
    check_solve(&s, &rough, "incomplete factor, C 3 and 30", 60); // measured: 28
    for (int i = 0; i < s.n_v; ++i) {
        s.b[i] *= 1.0 + 1e-6 * tn_random_uniform(4, 1, (uint64_t)i);
    }
    check_solve(&s, &rough, "the same with b off by 1e-6, from the x before", 18); // measured: 12
    rough.most = 0;
    assert_int_equal(tn_rough_factor_values(&rough, &s.K.K, s.C, &error), TN_OK);
    check_solve(&s, &rough, "where the incomplete factor may take no product", 4); // measured: 2
    assert_true(rough.kind == TN_ROUGH_SINGLE && !rough.far);
    assert_int_equal(tn_rough_factor_values(&rough, &s.K.K, s.C, &error), TN_OK);
    assert_int_equal(rough.kind, TN_ROUGH_SINGLE);                         // no contact is weak
    check_solve(&s, &rough, "K's own in single precision, C 3 and 30", 4); // measured: 2
    rough.single = false;
    assert_int_equal(tn_rough_factor_values(&rough, &s.K.K, s.C, &error), TN_OK);
    assert_int_equal(rough.kind, TN_ROUGH_NONE); // the caller's turn
    rough.single = true;
    weigh(&s, 1e-3, 1e3);
    assert_int_equal(tn_rough_factor_values(&rough, &s.K.K, s.C, &error), TN_OK);
    assert_int_equal(rough.kind, TN_ROUGH_THIN);
    assert_true(rough.thin.n_kept == (s.heap->contacts.n_triples + 1) / 2);
    check_solve(&s, &rough, "without weak contacts, C 1e-3 and 1e3", 8); // measured: 5
    tn_rough_factor_destroy(&rough);
    tn_arena_destroy(s.arena);
    heap_destroy(s.heap);
}

// The convex law to a gap of 1e-9 of the first; u (contacts, 3). Returns the steps.
static int run(const heap_problem *heap, bool roughly, int *kinds, double *u, tn_arena *arena)
{
    tn_problem problem = heap->problem;
    problem.law = TN_LAW_CONVEX;
    tn_delassus delassus = {0};
    tn_check check;
    tn_interior s;
    tn_error error = {0};
    tn_tolerance tolerance = {.natural = 1e-8};
    int n = problem.rows->n_triples, steps = 0;
    assert_int_equal(tn_delassus_create(&problem, tn_delassus_choose(&problem, arena), arena, &delassus, &error),
                     TN_OK);
    assert_true(tn_check_create(&check, &problem, delassus.q, &tolerance, arena));
    assert_int_equal(tn_interior_create(&s, &problem, &check, check.q_norm / sqrt(n), arena, &error), TN_OK);
    if (roughly) {
        assert_non_null(s.rough);
        s.rough->most = 25; // so that a heap this small tries the incomplete factor
        s.rough->far = tn_incomplete_create(&s.rough->incomplete, &s.K.K, arena);
    } else if (s.rough) {
        tn_rough_factor_destroy(s.rough);
        s.rough = NULL;
    }
    double *v = TN_PUSH(arena, double, s.n_v);
    tn_interior_start(&s, v);
    while (steps < 40 && s.gap > 1e-9) {
        assert_int_equal(tn_interior_step(&s, NULL, &error), TN_OK);
        kinds[s.rough ? s.rough->kind : TN_ROUGH_NONE]++;
        ++steps;
    }
    assert_int_equal(tn_delassus_velocity(&delassus, s.lambda, u, arena, &error), TN_OK);
    tn_interior_destroy(&s);
    tn_delassus_destroy(&delassus);
    return steps;
}

static void same_solution(void **state)
{
    heap_problem *heap = heap_create(7, 7, 0.5, 1);
    tn_arena *arena = tn_arena_create(0);
    int n = 3 * heap->contacts.n_triples, kinds[4] = {0}, plain_kinds[4] = {0};
    double *plain = TN_PUSH(arena, double, n), *rough = TN_PUSH(arena, double, n), worst = 0.0, size = 0.0;
    int plain_steps = run(heap, false, plain_kinds, plain, arena), steps = run(heap, true, kinds, rough, arena);
    for (int i = 0; i < n; ++i) {
        worst = fmax(worst, fabs(plain[i] - rough[i]));
        size = fmax(size, fabs(plain[i]));
    }
    // Velocities of the convex law are unique; at a gap g they are off by about sqrt(g).
    printf("%d contacts: %d steps (%d incomplete, %d single, %d thin), %d with K's own factor (limit); velocities "
           "apart by %.1e "
           "(limit 3e-4: ten times the gap's root)\n",
           n / 3, steps, kinds[TN_ROUGH_INCOMPLETE], kinds[TN_ROUGH_SINGLE], kinds[TN_ROUGH_THIN], plain_steps,
           worst / size);
    assert_true(steps <= plain_steps && kinds[TN_ROUGH_INCOMPLETE] > 0 && kinds[TN_ROUGH_THIN] > 0);
    assert_true(worst <= 3e-4 * size);
    tn_arena_destroy(arena);
    heap_destroy(heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(solves), cmocka_unit_test(same_solution)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
