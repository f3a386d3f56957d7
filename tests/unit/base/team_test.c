// Loops shared by a team: every number once, at multiples of a piece, also in a loop within a loop, by several callers
// at once and in a child process, which has no threads but its own.
#include "base/team.h"
#include "test.h"

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
    static counted c;
    for (int n_threads = 0; n_threads <= MOST; n_threads++) {
        for (int round = 0; round < 200; round++) {
            assert_true(all_once(&c, n_threads, round * 50 % (N + 1), 1 + 7 * (round % 13)));
        }
    }
    assert_true(all_once(&c, 2, 0, 1) && all_once(&c, 1000, 3, 1) && all_once(&c, 3, N, 1));
}

enum { ROUNDS = 5, TIMES = 7 };
static const int START[ROUNDS + 1] = {0, 700, 700, 701, 940, 1000}; // a long one, none, one, two more

typedef struct turns {
    atomic_int done[1000]; // times that each was done
    atomic_int early;      // with a number of the round before, or the last round of the time before, still to come
} turns;

// Where the round before is not done as often as this one will be.
static bool is_early(const turns *t, int r, int times)
{
    int before = r > 0 ? r - 1 : ROUNDS - 1, wanted = r > 0 ? times : times - 1;
    bool early = false;
    for (int i = START[before]; i < START[before + 1]; i++) {
        early = early || t->done[i] < wanted;
    }
    return early;
}

static void take_turns(const void *context, int first, int end, int thread)
{
    turns *t = *(turns *const *)context;
    for (int i = first; i < end; i++) {
        int r = 0;
        while (START[r + 1] <= i) {
            r++;
        }
        t->early += is_early(t, r, t->done[i] + 1);
        t->done[i]++;
    }
}

static void test_rounds(void **unused)
{
    for (int n_threads = 1; n_threads <= MOST; n_threads++) {
        for (int piece = 1; piece < 100; piece += 9) {
            turns t = {.early = 0}, *at = &t;
            tn_team_share_rounds(n_threads, &(tn_team_rounds){ROUNDS, START, piece, TIMES}, take_turns, &at);
            for (int i = 0; i < START[ROUNDS]; i++) {
                assert_int_equal(t.done[i], TIMES);
            }
            assert_int_equal(t.early, 0);
        }
    }
}

// Others help where the machine has a core for them: pieces long enough for a thread to wake up.
static void dawdle(const void *context, int first, int end, int thread)
{
    atomic_int *by = *(atomic_int *const *)context;
    by[thread]++;
    usleep(2000);
}

static void test_help(void **unused)
{
    atomic_int by[2] = {0};
    atomic_int *at = by;
    for (int round = 0; round < 100 && by[1] == 0; round++) {
        tn_team_share(2, 20, 1, dawdle, &at);
    }
    assert_true(by[0] > 0 && by[1] > 0);
}

static void nest(const void *context, int first, int end, int thread)
{
    atomic_int *bad = *(atomic_int *const *)context;
    for (int i = first; i < end; i++) {
        counted *own = test_calloc(1, sizeof *own);
        *bad += !all_once(own, 3, 500, 10); // by this thread alone
        test_free(own);
    }
}

static void test_nested(void **unused)
{
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
    assert_in_range(tn_team_processors(), 1, 100000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_once),      cmocka_unit_test(test_rounds),
                                       cmocka_unit_test(test_help),      cmocka_unit_test(test_nested),
                                       cmocka_unit_test(test_callers),   cmocka_unit_test(test_fork),
                                       cmocka_unit_test(test_processors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
