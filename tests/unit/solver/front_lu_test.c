// LU by fronts of unsymmetric matrices of bodies: it solves what it was made of; the determinant has the sign that
// dense elimination finds; a factor made anew for a few rows alone is the whole one to the last bit; matrices without
// an inverse are told.
#include "heap_problem.h"

#include "math/blocks.h"
#include "solver/contact_matrix.h"
#include "solver/pieces/front_lu.h"

typedef struct bench {
    heap_problem *heap;
    tn_arena *arena;
    tn_contact_matrix K;
    double *C, *b, *x, *r;
    int *of, n_v;
    tn_front_lu lu;
} bench;

static void set_up(bench *s, int side, int layers)
{
    s->heap = heap_create(side, layers, 0.5, 1);
    s->arena = tn_arena_create("front_lu", 0);
    int n_rows = s->heap->problem.A->n_rows;
    s->n_v = 3 * n_rows;
    s->C = TN_PUSH(s->arena, double, 9 * s->heap->contacts.n_triples);
    s->b = TN_PUSH(s->arena, double, s->n_v);
    s->x = TN_PUSH(s->arena, double, s->n_v);
    s->r = TN_PUSH(s->arena, double, s->n_v);
    s->of = TN_PUSH(s->arena, int, n_rows);
    assert_true(tn_contact_matrix_create(&s->K, &s->heap->problem, s->arena));
    for (int i = 0; i < n_rows; ++i) {
        s->of[i] = i / 2;
    }
    for (int i = 0; i < s->n_v; ++i) {
        s->b[i] = tn_random_uniform(3, 1, (uint64_t)i) - 0.5;
    }
    assert_true(tn_front_lu_create(&s->lu, &s->K.K, n_rows / 2, s->of, s->arena));
}

static void tear_down(bench *s)
{
    tn_arena_destroy(s->arena);
    heap_destroy(s->heap);
}

// Unsymmetric 3x3 matrices over four digits, as slipping contacts have them.
static void weigh(bench *s, uint64_t seed)
{
    double own = s->heap->problem.A->value[0];
    for (int m = 0; m < s->heap->contacts.n_triples; ++m) {
        double weight = own * pow(10.0, 4.0 * tn_random_uniform(seed, 2, (uint64_t)m) - 2.0);
        for (int k = 0; k < 9; ++k) {
            double part = k % 4 == 0 ? 1.0 : 0.8 * tn_random_uniform(seed, 3, (uint64_t)(9 * m + k)) - 0.4;
            s->C[9 * (size_t)m + (size_t)k] = weight * part;
        }
    }
    tn_contact_matrix_fill(&s->K, s->C);
}

// |K x - b| / |b| of a solve.
static double left(bench *s)
{
    double sum = 0.0, size = 0.0;
    tn_front_lu_solve(&s->lu, s->b, s->x);
    tn_blocks_mul(&s->K.K, s->x, s->r);
    for (int i = 0; i < s->n_v; ++i) {
        sum += (s->r[i] - s->b[i]) * (s->r[i] - s->b[i]);
        size += s->b[i] * s->b[i];
    }
    return sqrt(sum / size);
}

static void solves(void **state)
{
    (void)state;
    bench s;
    set_up(&s, 6, 6);
    double worst = 0.0;
    for (uint64_t seed = 0; seed < 5; ++seed) {
        weigh(&s, seed);
        assert_int_not_equal(tn_front_lu_factor(&s.lu, &s.K.K, NULL), 0);
        worst = fmax(worst, left(&s));
    }
    printf("%d rows in %d fronts: |K x - b| %.1e of |b| (limit 1e-10: weights over 4 digits, rounding)\n", s.n_v,
           s.lu.tree.n_fronts, worst);
    assert_true(worst < 1e-10);
    tear_down(&s);
}

// By elimination with row exchanges, apart from the library.
static int sign_of(int n, double *a)
{
    int sign = 1;
    for (int k = 0; k < n; ++k) {
        int p = k;
        for (int i = k + 1; i < n; ++i) {
            p = fabs(a[n * i + k]) > fabs(a[n * p + k]) ? i : p;
        }
        for (int j = 0; j < n && p != k; ++j) {
            double x = a[n * k + j];
            a[n * k + j] = a[n * p + j];
            a[n * p + j] = x;
        }
        sign = (p != k) != (a[n * k + k] < 0.0) ? -sign : sign;
        for (int i = k + 1; i < n; ++i) {
            double f = a[n * i + k] / a[n * k + k];
            for (int j = k; j < n; ++j) {
                a[n * i + j] -= f * a[n * k + j];
            }
        }
    }
    return sign;
}

static void determinants(void **state)
{
    (void)state;
    bench s;
    set_up(&s, 3, 3);
    size_t n = (size_t)s.n_v;
    double *dense = TN_PUSH(s.arena, double, n *n);
    int negative = 0;
    for (uint64_t seed = 0; seed < 40; ++seed) {
        weigh(&s, seed);
        const tn_blocks *K = &s.K.K;
        int e = (int)(seed * 7) % K->start[K->n_rows]; // one block much larger: a determinant of either sign
        double own = K->value[9 * (size_t)e];
        K->value[9 * (size_t)e] += 300.0 * own * (tn_random_uniform(seed, 4, 0) - 0.5);
        memset(dense, 0, n * n * sizeof *dense);
        for (int row = 0; row < K->n_rows; ++row) {
            for (int f = K->start[row]; f < K->start[row + 1]; ++f) {
                for (int k = 0; k < 9; ++k) {
                    size_t i = (size_t)(3 * row + k / 3), j = (size_t)(3 * K->column[f] + k % 3);
                    dense[n * i + j] = K->value[9 * (size_t)f + (size_t)k];
                }
            }
        }
        int sign = tn_front_lu_factor(&s.lu, K, NULL);
        assert_int_equal(sign, sign_of((int)n, dense));
        negative += sign < 0;
    }
    printf("40 matrices of %zu rows: signs as by dense elimination, %d negative\n", n, negative);
    assert_true(negative > 3 && negative < 37);
    tear_down(&s);
}

static void changes_alone(void **state)
{
    (void)state;
    bench s, whole;
    set_up(&s, 6, 6);
    set_up(&whole, 6, 6);
    bool *changed = TN_PUSH(s.arena, bool, s.K.K.n_rows);
    const tn_rows *c = &s.heap->contacts;
    weigh(&s, 1);
    weigh(&whole, 1);
    tn_front_lu_factor(&s.lu, &s.K.K, NULL);
    long before = s.lu.renewed;
    for (int m = 10; m < c->n_triples; m += 37) {
        memset(changed, 0, (size_t)s.K.K.n_rows * sizeof *changed);
        for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
            changed[c->block[e]] = true;
        }
        s.C[9 * (size_t)m + 1] *= 3.0;
        whole.C[9 * (size_t)m + 1] *= 3.0;
        tn_contact_matrix_fill(&s.K, s.C);
        tn_contact_matrix_fill(&whole.K, whole.C);
        int sign = tn_front_lu_factor(&s.lu, &s.K.K, changed);
        assert_int_equal(sign, tn_front_lu_factor(&whole.lu, &whole.K.K, NULL));
        tn_front_lu_solve(&s.lu, s.b, s.x);
        tn_front_lu_solve(&whole.lu, whole.b, whole.x);
        assert_memory_equal(s.x, whole.x, (size_t)s.n_v * sizeof *s.x);
    }
    printf("changes of one contact: %ld fronts renewed in place of %ld, the same bits\n", s.lu.renewed - before,
           whole.lu.renewed);
    assert_true(2 * (s.lu.renewed - before) < whole.lu.renewed);
    tear_down(&whole);
    tear_down(&s);
}

static void without_inverse(void **state)
{
    (void)state;
    bench s;
    set_up(&s, 3, 3);
    weigh(&s, 1);
    double *first = s.K.K.value, kept = first[4];
    first[4] = NAN;
    assert_int_equal(tn_front_lu_factor(&s.lu, &s.K.K, NULL), 0);
    first[4] = INFINITY;
    assert_int_equal(tn_front_lu_factor(&s.lu, &s.K.K, NULL), 0);
    first[4] = kept;
    assert_int_not_equal(tn_front_lu_factor(&s.lu, &s.K.K, NULL), 0);
    memset(first, 0, 9 * (size_t)s.K.K.start[s.K.K.n_rows] * sizeof *first);
    assert_int_equal(tn_front_lu_factor(&s.lu, &s.K.K, NULL), 0);
    tear_down(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(solves), cmocka_unit_test(determinants),
                                       cmocka_unit_test(changes_alone), cmocka_unit_test(without_inverse)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
