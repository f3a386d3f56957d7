// Loops shared by a team: every number once, at multiples of a piece, also in a loop within a loop, by several callers
// at once and in a child process, which has no threads but its own.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/team.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { N = 10000, MOST = 5 };

typedef struct counted {
    atomic_int done[N];
    int n, piece, n_threads;
    atomic_int wrong; // not cut at multiples, or no such thread
} counted;

static void count(const void *context, int first, int end, int thread)
{
    counted *c = *(counted *const *)context;
    if (first % c->piece != 0 || (end % c->piece != 0 && end != c->n) || thread < 0 || thread >= c->n_threads) {
        c->wrong++;
        return;
    }
    for (int i = first; i < end; i++) {
        c->done[i]++;
    }
}

// Whether each of n numbers is done once.
static bool all_once(counted *c, int n_threads, int n, int piece)
{
    memset(c, 0, sizeof *c);
    c->n = n;
    c->piece = piece;
    c->n_threads = n_threads < 1 ? 1 : n_threads;
    tn_team_share(n_threads, n, piece, count, &c);
    int missed = 0;
    for (int i = 0; i < N; i++) {
        missed += c->done[i] != (i < n);
    }
    return missed == 0 && c->wrong == 0;
}

static void test_once(void **unused)
{
    (void)unused;
    static counted c;
    for (int n_threads = 0; n_threads <= MOST; n_threads++) {
        for (int round = 0; round < 200; round++) {
            assert_true(all_once(&c, n_threads, round * 50 % (N + 1), 1 + 7 * (round % 13)));
        }
    }
    assert_true(all_once(&c, 2, 0, 1) && all_once(&c, 1000, 3, 1) && all_once(&c, 3, N, 1));
}

// Others help where the machine has a core for them: pieces long enough for a thread to wake up.
static void dawdle(const void *context, int first, int end, int thread)
{
    (void)end;
    (void)first;
    atomic_int *by = *(atomic_int *const *)context;
    by[thread]++;
    usleep(2000);
}

static void test_help(void **unused)
{
    (void)unused;
    atomic_int by[2] = {0};
    atomic_int *at = by;
    for (int round = 0; round < 100 && by[1] == 0; round++) {
        tn_team_share(2, 20, 1, dawdle, &at);
    }
    assert_true(by[0] > 0 && by[1] > 0);
}

static void nest(const void *context, int first, int end, int thread)
{
    (void)thread;
    atomic_int *bad = *(atomic_int *const *)context;
    for (int i = first; i < end; i++) {
        counted *own = test_calloc(1, sizeof *own);
        *bad += !all_once(own, 3, 500, 10); // by this thread alone
        test_free(own);
    }
}

static void test_nested(void **unused)
{
    (void)unused;
    atomic_int bad = 0;
    atomic_int *at = &bad;
    tn_team_share(3, 40, 1, nest, &at);
    assert_int_equal(bad, 0);
}

static void *call(void *wrong)
{
    counted *own = test_calloc(1, sizeof *own);
    for (int round = 0; round < 200; round++) {
        *(atomic_int *)wrong += !all_once(own, 3, N, 100);
    }
    test_free(own);
    return NULL;
}

static void test_callers(void **unused)
{
    (void)unused;
    pthread_t other[3];
    atomic_int wrong = 0;
    for (int k = 0; k < 3; k++) {
        assert_int_equal(pthread_create(&other[k], NULL, call, &wrong), 0);
    }
    for (int k = 0; k < 3; k++) {
        pthread_join(other[k], NULL);
    }
    assert_int_equal(wrong, 0);
}

static void test_fork(void **unused)
{
    (void)unused;
    static counted c;
    assert_true(all_once(&c, 4, N, 10)); // there are threads now
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        bool ok = true;
        for (int round = 0; round < 100; round++) {
            ok = ok && all_once(&c, 4, N, 10);
        }
        _exit(ok ? 0 : 1);
    }
    int status = -1;
    assert_true(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void test_processors(void **unused)
{
    (void)unused;
    assert_in_range(tn_team_processors(), 1, 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_once),   cmocka_unit_test(test_help),
                                       cmocka_unit_test(test_nested), cmocka_unit_test(test_callers),
                                       cmocka_unit_test(test_fork),   cmocka_unit_test(test_processors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
