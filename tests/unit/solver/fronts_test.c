// Sparse factors by fronts: they solve what they were made of, in both precisions, for graphs in one piece and in many,
// with nodes of one and of two block rows; a second factor may borrow the first one's numbers; what is not positive
// definite is told.
#include "heap_problem.h"

#include "kernels/fronts/fronts.h"
#include "solver/contact_matrix.h"

typedef struct bench {
    heap_problem *heap;
    tn_arena *arena;
    tn_contact_matrix K;
    double *C, *b, *x, *r;
    int *of, n_nodes, n_v;
} bench;

// joined: a body's two block rows are one node.
static void set_up(bench *s, int side, int layers, bool joined)
{
    s->heap = heap_create(side, layers, 0.5, 1);
    s->arena = tn_arena_create(0);
    int n_rows = s->heap->problem.A->n_rows;
    s->n_v = 3 * n_rows;
    s->C = TN_PUSH(s->arena, double, 9 * s->heap->contacts.n_triples);
    s->b = TN_PUSH(s->arena, double, s->n_v);
    s->x = TN_PUSH(s->arena, double, s->n_v);
    s->r = TN_PUSH(s->arena, double, s->n_v);
    s->of = TN_PUSH(s->arena, int, n_rows);
    s->n_nodes = joined ? n_rows / 2 : n_rows;
    assert_true(tn_contact_matrix_create(&s->K, &s->heap->problem, s->arena));
    for (int i = 0; i < n_rows; ++i) {
        s->of[i] = joined ? i / 2 : i;
    }
    for (int i = 0; i < s->n_v; ++i) {
        s->b[i] = tn_random_uniform(3, 1, (uint64_t)i) - 0.5;
    }
}

// Weights over four digits; `cut`: none between layers, which makes many pieces.
static void weigh(bench *s, uint64_t seed, bool cut)
{
    double own = s->heap->problem.A->value[0];
    for (int m = 0; m < s->heap->contacts.n_triples; ++m) {
        for (int i = 0; i < 9; i += 4) {
            double weight = own * pow(10.0, 4.0 * tn_random_uniform(seed, 2, (uint64_t)m) - 2.0);
            s->C[9 * (size_t)m + (size_t)i] = cut && m % 3 ? 0.0 : weight;
        }
    }
    tn_contact_matrix_fill(&s->K, s->C);
}

static void tear_down(bench *s)
{
    tn_arena_destroy(s->arena);
    heap_destroy(s->heap);
}

static double left(bench *s)
{
    double sum = 0.0, size = 0.0;
    tn_blocks_mul(&s->K.K, s->x, s->r);
    for (int i = 0; i < s->n_v; ++i) {
        sum += (s->r[i] - s->b[i]) * (s->r[i] - s->b[i]);
        size += s->b[i] * s->b[i];
    }
    return sqrt(sum / size);
}

static void solves(void **state)
{
    static const int sides[][2] = {{1, 1}, {2, 3}, {4, 4}, {7, 6}};
    for (size_t i = 0; i < sizeof sides / sizeof *sides; ++i) {
        for (int joined = 0; joined < 2; ++joined) {
            bench s;
            tn_fronts fronts;
            double off[2];
            set_up(&s, sides[i][0], sides[i][1], joined);
            assert_true(tn_fronts_create(&fronts, &s.K.K, NULL, s.n_nodes, s.of, NULL, s.arena));
            for (int p = 0; p < 2; ++p) {
                weigh(&s, (uint64_t)p, p == 1);
                assert_true(tn_fronts_factor(&fronts, &s.K.K, p ? TN_PRECISION_SINGLE : TN_PRECISION_DOUBLE));
                memcpy(s.x, s.b, (size_t)s.n_v * sizeof *s.x);
                tn_fronts_solve(&fronts, s.x, s.x); // in place
                off[p] = left(&s);
            }
            printf("%d bodies, %d nodes, %d fronts: residual %.1e (limit 1e-12), in single precision %.1e (limit "
                   "1e-3): rounding of weights over four digits\n",
                   s.heap->n_bodies, s.n_nodes, fronts.tree.n_fronts, off[0], off[1]);
            assert_true(off[0] <= 1e-12 && off[1] <= 1e-3);
            tear_down(&s);
        }
    }
}

// A matrix of no coupling: a front for each node, none with a parent.
static void pieces(void **state)
{
    bench s;
    tn_fronts fronts;
    set_up(&s, 3, 3, false);
    const tn_blocks *A = s.heap->problem.A;
    assert_true(tn_fronts_create(&fronts, A, NULL, s.n_nodes, s.of, NULL, s.arena));
    assert_int_equal(fronts.tree.n_fronts, s.n_nodes);
    assert_true(tn_fronts_factor(&fronts, A, TN_PRECISION_DOUBLE));
    tn_fronts_solve(&fronts, s.b, s.x);
    for (int i = 0; i < s.n_v; ++i) {
        double exact = s.b[i] / A->value[9 * (size_t)(i / 3)];
        assert_true(fabs(s.x[i] - exact) <= 1e-15 * fabs(exact));
    }
    tear_down(&s);
}

// The second factor takes the first one's room, and the first can be made again; the same input gives the same bits.
static void lent_numbers(void **state)
{
    bench s;
    tn_fronts own, other;
    set_up(&s, 5, 5, true);
    weigh(&s, 1, false);
    double *before = TN_PUSH(s.arena, double, s.n_v);
    assert_true(tn_fronts_create(&own, &s.K.K, NULL, s.n_nodes, s.of, NULL, s.arena));
    assert_true(tn_fronts_create(&other, &s.K.K, NULL, s.n_nodes, s.of, &own, s.arena));
    assert_ptr_equal(own.value, other.value);
    assert_true(tn_fronts_factor(&own, &s.K.K, TN_PRECISION_DOUBLE));
    tn_fronts_solve(&own, s.b, before);
    assert_true(tn_fronts_factor(&other, &s.K.K, TN_PRECISION_SINGLE));
    tn_fronts_solve(&other, s.b, s.x);
    assert_true(left(&s) <= 1e-4);
    assert_true(tn_fronts_factor(&own, &s.K.K, TN_PRECISION_DOUBLE));
    tn_fronts_solve(&own, s.b, s.x);
    assert_memory_equal(before, s.x, (size_t)s.n_v * sizeof *s.x);
    tear_down(&s);
}

static void not_positive_definite(void **state)
{
    bench s;
    tn_fronts fronts;
    set_up(&s, 3, 3, true);
    assert_true(tn_fronts_create(&fronts, &s.K.K, NULL, s.n_nodes, s.of, NULL, s.arena));
    static const double bad[] = {-1e6, NAN};
    for (int i = 0; i < 2; ++i) {
        weigh(&s, 1, false);
        *tn_blocks_find(&s.K.K, 7, 7) = bad[i];
        assert_false(tn_fronts_factor(&fronts, &s.K.K, TN_PRECISION_DOUBLE));
        assert_false(tn_fronts_factor(&fronts, &s.K.K, TN_PRECISION_SINGLE));
    }
    tear_down(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(solves), cmocka_unit_test(pieces),
                                       cmocka_unit_test(lent_numbers), cmocka_unit_test(not_positive_definite)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
