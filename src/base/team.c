// One team for the process, as large as anybody has asked for. A job is one range or several in turn, its rounds. A
// round is cut into a share for each thread; shares are taken piece by piece, first the own one (whose data are near),
// then those of others. Threads without a job spin for a while, as a step has many jobs with little between them, and
// then sleep.
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

// On cache lines of their own: others look at both.
typedef struct share {
    _Alignas(LINE) _Atomic uint64_t taken; // of the thread's share: the round, counted from 1, and pieces of it
    _Alignas(LINE) _Atomic int64_t done;   // numbers that the thread has done, of any share, of all rounds so far
} share;
enum { ROUND_SHIFT = 32 };

// The team's state in one word, so that a thread joins a job that is open or none: the job's number, how many threads
// it is for, whether it is open, how many others are at work.
#define AT_WORK UINT64_C(0xff)
#define OPEN UINT64_C(0x100)
enum { THREADS_SHIFT = 9, NUMBER_SHIFT = 17 };

static struct {
    _Alignas(LINE) _Atomic uint64_t state;
    _Alignas(LINE) atomic_bool taken; // by a caller
    _Atomic double rests_until;       // [s] others have its cores
    _Atomic double pause;             // [s] the last one
    atomic_int core;                  // of the caller
    atomic_int n_asleep;
    int n_others;        // threads that were made
    tn_team_work *work;  // of the job
    const void *context; //
    tn_team_rounds rounds;
    double begun; // [s]
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

// Others have a core of the team's. The more often that happens, the longer it rests.
static void rest(double now)
{
    const double least = 2e-3, most = 0.1, soon = 8.0; // [s]; of the last pause
    double pause = atomic_load_explicit(&team.pause, memory_order_relaxed);
    double since = now - atomic_load_explicit(&team.rests_until, memory_order_relaxed);
    pause = since < soon * pause ? fmin(2.0 * pause, most) : least;
    atomic_store_explicit(&team.pause, pause, memory_order_relaxed);
    atomic_store_explicit(&team.rests_until, now + pause, memory_order_relaxed);
}

// Whether a piece of the share, of `n` in this round, is the caller's, and which.
static bool take_piece(share *s, uint64_t round, int n, int *piece)
{
    uint64_t taken = atomic_load_explicit(&s->taken, memory_order_relaxed), none = (round + 1) << ROUND_SHIFT;
    for (;;) {
        uint64_t now = taken > none ? taken : none;
        if (now >= none + (uint64_t)n) {
            return false;
        }
        if (atomic_compare_exchange_weak_explicit(&s->taken, &taken, now + 1, memory_order_relaxed,
                                                  memory_order_relaxed)) {
            *piece = (int)(now - none);
            return true;
        }
    }
}

// A round's pieces, as long as there are any: the own share, then the others'.
static void take_pieces(uint64_t round, int from, int end, int thread, int n_threads)
{
    int64_t n_pieces = (end - from + team.rounds.piece - 1) / team.rounds.piece;
    share *own = team.shares + thread;
    for (int k = 0; k < n_threads; k++) {
        int t = (thread + k) % n_threads, piece;
        int first_piece = (int)(n_pieces * t / n_threads), n = (int)(n_pieces * (t + 1) / n_threads) - first_piece;
        while (take_piece(team.shares + t, round, n, &piece)) {
            int first = from + (first_piece + piece) * team.rounds.piece;
            int last = end - first < team.rounds.piece ? end : first + team.rounds.piece;
            team.work(team.context, first, last, thread);
            int64_t done = atomic_load_explicit(&own->done, memory_order_relaxed);
            atomic_store_explicit(&own->done, done + last - first, memory_order_release);
        }
    }
}

static bool are_done(int64_t numbers, int n_threads)
{
    for (int t = 0; t < n_threads && numbers > 0; t++) {
        numbers -= atomic_load_explicit(&team.shares[t].done, memory_order_acquire);
    }
    return numbers <= 0;
}

enum { ALL_AT_REST = -1 };

// Until all threads together have done so many numbers, or (ALL_AT_REST) none is at work any more. One that lost its
// core in the middle of a piece keeps the others waiting until it gets it back, far longer than the job took so far:
// the team rests for some time.
static void wait_for_others(int64_t numbers, int n_threads)
{
    enum { LOOKS = 256 };
    const double too_long = 1e-3, times = 2.0; // [s], of the job
    double start = 0.0;
    for (int i = 0; numbers == ALL_AT_REST ? atomic_load_explicit(&team.state, memory_order_acquire) & AT_WORK
                                           : !are_done(numbers, n_threads);
         i++) {
        if (i < LOOKS) {
            relax();
            continue;
        }
        start = i == LOOKS ? tn_timer_now() : start;
        sched_yield();
    }
    if (start > 0.0) {
        double end = tn_timer_now();
        if (end > start + too_long && end - start > times * (start - team.begun)) {
            rest(end);
        }
    }
}

static void go_through_rounds(int thread, int n_threads)
{
    const tn_team_rounds *rounds = &team.rounds;
    int64_t n = rounds->start[rounds->n];
    uint64_t round = 0;
    for (int time = 0; time < rounds->times; time++) {
        for (int r = 0; r < rounds->n; r++, round++) {
            if (round > 0) {
                wait_for_others(time * n + rounds->start[r], n_threads);
            }
            take_pieces(round, rounds->start[r], rounds->start[r + 1], thread, n_threads);
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

static int core_of_this(void)
{
#ifdef CPU_COUNT // Linux
    return sched_getcpu();
#else
    return -1;
#endif
}

// Off the caller's core, where the scheduler may have put this thread and would leave it, as it gives way whenever the
// caller has work.
static void step_aside(void)
{
#ifdef CPU_COUNT // Linux
    int core = core_of_this();
    if (core != atomic_load_explicit(&team.core, memory_order_relaxed)) {
        return;
    }
    cpu_set_t mask;
    if (sched_getaffinity(getpid(), sizeof mask, &mask) == 0 && CPU_COUNT(&mask) > 1) {
        CPU_CLR((unsigned)core, &mask);
        sched_setaffinity(0, sizeof mask, &mask);
    }
#endif
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
        step_aside();
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
        step_aside();
        uint64_t state = atomic_load_explicit(&team.state, memory_order_acquire);
        if (join(thread, state)) {
            go_through_rounds(thread, threads_of(state));
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

static void open_job(int n_threads)
{
    for (int t = 0; t < n_threads; t++) {
        atomic_store_explicit(&team.shares[t].taken, 0, memory_order_relaxed);
        atomic_store_explicit(&team.shares[t].done, 0, memory_order_relaxed);
    }
    uint64_t number = (atomic_load_explicit(&team.state, memory_order_relaxed) >> NUMBER_SHIFT) + 1;
    atomic_store(&team.state, number << NUMBER_SHIFT | (uint64_t)n_threads << THREADS_SHIFT | OPEN);
    if (atomic_load(&team.n_asleep) > 0) {
        pthread_mutex_lock(&team.door);
        pthread_cond_broadcast(&team.wake);
        pthread_mutex_unlock(&team.door);
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

// Pieces of the largest round.
static int most_pieces(const tn_team_rounds *rounds)
{
    int most = 0;
    for (int r = 0; r < rounds->n; r++) {
        int n = rounds->start[r + 1] - rounds->start[r];
        most = n > most ? n : most;
    }
    return most > 0 ? (most - 1) / rounds->piece + 1 : 0;
}

void tn_team_share_rounds(int n_threads, const tn_team_rounds *rounds, tn_team_work *work, const void *context)
{
    int n = rounds->start[rounds->n], n_pieces = most_pieces(rounds);
    n_threads = n_threads < n_pieces ? n_threads : n_pieces;
    n_threads = n_threads < TEAM_MAX ? n_threads : TEAM_MAX;
    if (n_threads < 2 || !take()) {
        for (int time = 0; time < rounds->times && n > 0; time++) {
            work(context, 0, n, 0);
        }
        return;
    }
    atomic_store_explicit(&team.core, core_of_this(), memory_order_relaxed);
    if (team.n_others < n_threads - 1) {
        hire(n_threads);
    }
    team.work = work;
    team.context = context;
    team.rounds = *rounds;
    team.begun = tn_timer_now();
    open_job(n_threads);
    go_through_rounds(0, n_threads);
    // Nobody joins any more; who is at work ends its piece.
    atomic_fetch_and_explicit(&team.state, ~OPEN, memory_order_acq_rel);
    wait_for_others(ALL_AT_REST, n_threads);
    atomic_store(&team.taken, false);
}

void tn_team_share(int n_threads, int n, int piece, tn_team_work *work, const void *context)
{
    const int start[2] = {0, n};
    tn_team_share_rounds(n_threads, &(tn_team_rounds){.n = 1, .start = start, .piece = piece, .times = 1}, work,
                         context);
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
