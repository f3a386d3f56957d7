// One team for the process, as large as anybody has asked for. A job is a range cut into a share for each thread;
// shares are taken piece by piece, first the own one (whose data are near), then those of others. Threads without a job
// spin for a while, as a step has many jobs with little between them, and then sleep.
#include "base/team.h"

#include "base/timer.h"

#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>

enum { TEAM_MAX = 255, LINE = 64 };

// What is left of a thread's share, in pieces; on a cache line of its own.
typedef struct share {
    _Alignas(LINE) atomic_int next;
    int end;
} share;

// The team's state in one word, so that a thread joins a job that is open or none: the job's number, how many threads
// it is for, whether it is open, how many others are at work.
#define AT_WORK UINT64_C(0xff)
#define OPEN UINT64_C(0x100)
enum { THREADS_SHIFT = 9, NUMBER_SHIFT = 17 };

static struct {
    _Alignas(LINE) _Atomic uint64_t state;
    _Alignas(LINE) atomic_bool taken; // by a caller
    _Atomic double rests_until;       // [s] others have its cores
    atomic_int n_asleep;
    int n_others;        // threads that were made
    tn_team_work *work;  // of the job
    const void *context; //
    int n, piece;        //
    share shares[TEAM_MAX];
    pthread_mutex_t door; // of those asleep
    pthread_cond_t wake;
} team = {.door = PTHREAD_MUTEX_INITIALIZER, .wake = PTHREAD_COND_INITIALIZER};

static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

void tn_team_lock(void)
{
    pthread_mutex_lock(&one_at_a_time);
}

void tn_team_unlock(void)
{
    pthread_mutex_unlock(&one_at_a_time);
}

static void relax(void)
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

static int threads_of(uint64_t state)
{
    return (int)(state >> THREADS_SHIFT & AT_WORK);
}

// The job's pieces, as long as there are any: the own share, then the others'.
static void take_pieces(int thread, int n_threads)
{
    for (int k = 0; k < n_threads; k++) {
        share *s = team.shares + (thread + k) % n_threads;
        while (atomic_load_explicit(&s->next, memory_order_relaxed) < s->end) {
            int piece = atomic_fetch_add_explicit(&s->next, 1, memory_order_relaxed);
            if (piece < s->end) {
                int first = piece * team.piece;
                team.work(team.context, first, team.n - first < team.piece ? team.n : first + team.piece, thread);
            }
        }
    }
}

// Whether thread joined the open job of this state. On true it is at work until it leaves.
static bool join(int thread, uint64_t state)
{
    return state & OPEN && thread < threads_of(state) &&
           atomic_compare_exchange_strong_explicit(&team.state, &state, state + 1, memory_order_acq_rel,
                                                   memory_order_relaxed);
}

static void sleep_until_job(uint64_t number)
{
    pthread_mutex_lock(&team.door);
    atomic_fetch_add(&team.n_asleep, 1);
    while (atomic_load(&team.state) >> NUMBER_SHIFT == number) {
        pthread_cond_wait(&team.wake, &team.door);
    }
    atomic_fetch_sub(&team.n_asleep, 1);
    pthread_mutex_unlock(&team.door);
}

static void rest(double now)
{
    const double pause = 0.1; // [s]
    atomic_store_explicit(&team.rests_until, now + pause, memory_order_relaxed);
}

// Until there is a job other than `number`. Others that want the core get it; where they keep it for a slice of time,
// they would in the middle of a job too.
static void wait_for_job(uint64_t number)
{
    enum { LOOKS = 64 };
    const double patience = 3e-4; // [s], what lies between two jobs of a step that shares most of its work
    const double slice = 5e-4;    // [s]
    double start = tn_timer_now(), last, now = start;
    do {
        for (int i = 0; i < LOOKS; i++) {
            if (atomic_load_explicit(&team.state, memory_order_relaxed) >> NUMBER_SHIFT != number) {
                return;
            }
            relax();
        }
        sched_yield();
        last = now;
        now = tn_timer_now();
    } while (now < start + patience);
    if (now > last + slice) {
        rest(now);
    }
    sleep_until_job(number);
}

static void *live(void *argument)
{
    int thread = (int)(intptr_t)argument;
    for (;;) {
        uint64_t state = atomic_load_explicit(&team.state, memory_order_acquire);
        if (join(thread, state)) {
            take_pieces(thread, threads_of(state));
            atomic_fetch_sub_explicit(&team.state, 1, memory_order_release);
        } else if (state & OPEN && thread < threads_of(state)) {
            continue; // somebody else came or went
        }
        wait_for_job(state >> NUMBER_SHIFT);
    }
    return NULL;
}

// In a child process: the threads stayed behind.
static void begin_anew(void)
{
    team.n_others = 0;
    atomic_store(&team.state, 0);
    atomic_store(&team.taken, false);
    atomic_store(&team.n_asleep, 0);
    pthread_mutex_init(&team.door, NULL);
    pthread_mutex_init(&one_at_a_time, NULL);
    pthread_cond_init(&team.wake, NULL);
}

static void watch_forks(void)
{
    pthread_atfork(NULL, NULL, begin_anew);
}

// Signals are for the program's own threads.
static void hire(int n_threads)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    pthread_t thread;
    while (team.n_others < n_threads - 1 &&
           pthread_create(&thread, NULL, live, (void *)(intptr_t)(team.n_others + 1)) == 0) { // NOLINT: its number
        pthread_detach(thread);
        team.n_others++;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

static void open_job(int n_threads, int n_pieces)
{
    for (int t = 0; t < n_threads; t++) {
        atomic_store_explicit(&team.shares[t].next, (int)((int64_t)n_pieces * t / n_threads), memory_order_relaxed);
        team.shares[t].end = (int)((int64_t)n_pieces * (t + 1) / n_threads);
    }
    uint64_t number = (atomic_load_explicit(&team.state, memory_order_relaxed) >> NUMBER_SHIFT) + 1;
    atomic_store(&team.state, number << NUMBER_SHIFT | (uint64_t)n_threads << THREADS_SHIFT | OPEN);
    if (atomic_load(&team.n_asleep) > 0) {
        pthread_mutex_lock(&team.door);
        pthread_cond_broadcast(&team.wake);
        pthread_mutex_unlock(&team.door);
    }
}

// Nobody joins any more; who is at work ends its piece. One that lost its core in the middle of a piece keeps the
// caller waiting until it gets it back, far longer than the job took so far: the team rests for some time.
static void close_job(double begun)
{
    enum { LOOKS = 256 };
    const double too_long = 1e-3, times = 2.0; // [s], of the job
    atomic_fetch_and_explicit(&team.state, ~OPEN, memory_order_acq_rel);
    for (int i = 0; atomic_load_explicit(&team.state, memory_order_acquire) & AT_WORK; i++) {
        if (i >= LOOKS) {
            double start = tn_timer_now();
            while (atomic_load_explicit(&team.state, memory_order_acquire) & AT_WORK) {
                sched_yield();
            }
            double end = tn_timer_now();
            if (end > start + too_long && end - start > times * (start - begun)) {
                rest(end);
            }
            return;
        }
        relax();
    }
}

// Whether the team is the caller's until it gives it back.
static bool take(void)
{
    if (atomic_load_explicit(&team.taken, memory_order_relaxed) || atomic_exchange(&team.taken, true)) {
        return false;
    }
    if (tn_timer_now() < atomic_load_explicit(&team.rests_until, memory_order_relaxed)) {
        atomic_store(&team.taken, false);
        return false;
    }
    return true;
}

void tn_team_share(int n_threads, int n, int piece, tn_team_work *work, const void *context)
{
    if (n < 1) {
        return;
    }
    int n_pieces = (n - 1) / piece + 1;
    n_threads = n_threads < n_pieces ? n_threads : n_pieces;
    n_threads = n_threads < TEAM_MAX ? n_threads : TEAM_MAX;
    if (n_threads < 2 || !take()) {
        work(context, 0, n, 0);
        return;
    }
    if (team.n_others < n_threads - 1) {
        hire(n_threads);
    }
    team.work = work;
    team.context = context;
    team.n = n;
    team.piece = piece;
    double begun = tn_timer_now();
    open_job(n_threads, n_pieces);
    take_pieces(0, n_threads);
    close_job(begun);
    atomic_store(&team.taken, false);
}

// Processors' worth of time that the control group grants, where a limit is set (Linux: "200000 100000", both in us).
static double granted(void)
{
    double quota, period;
    FILE *file = fopen("/sys/fs/cgroup/cpu.max", "r");
    bool limited = file && fscanf(file, "%lf %lf", &quota, &period) == 2 && period > 0.0; // NOLINT: "max" is no number
    if (file) {
        fclose(file);
    }
    return limited ? quota / period : INFINITY;
}

int tn_team_processors(void)
{
    long n = sysconf(_SC_NPROCESSORS_ONLN);
#ifdef CPU_COUNT // Linux
    cpu_set_t mask;
    n = sched_getaffinity(0, sizeof mask, &mask) == 0 ? CPU_COUNT(&mask) : n;
#endif
    return (int)fmax(1.0, fmin((double)n, granted()));
}
