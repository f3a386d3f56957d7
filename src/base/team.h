// Loops that a team of threads shares. The caller is one of them and never waits for a thread that has not begun to
// help: what others do not come to take, it does itself. So a core that other programs have taken costs the others'
// help, no more; nor does a fork harm, after which a process has no threads but its own.
#pragma once

// Of a loop's numbers first to end - 1. thread: who does it, 0 (the caller) to n_threads - 1, one piece at a time.
typedef void tn_team_work(const void *context, int first, int end, int thread);

// work over 0 to n - 1, cut at multiples of `piece` (>= 1; what is worth a microsecond or more), in any order and by up
// to n_threads (255 at most) at once; all of it at once by the caller where n_threads < 2, where there is one piece,
// where the team is at work already (for another caller, or within work) and where others have its cores.
void tn_team_share(int n_threads, int n, int piece, tn_team_work *work, const void *context);

// Loops of which each needs all of the one before, and all of them `times` times: as one job, whose threads wait for
// one another from round to round, where a job for each would cost a microsecond more.
typedef struct tn_team_rounds {
    int n;            // (>= 1)
    const int *start; // (n + 1) a round's first number; [0] = 0
    int piece;        // of numbers, from the beginning of a round on
    int times;
} tn_team_rounds;

// work over all rounds' numbers, a piece at a time; the caller alone does them as one range, `times` times.
void tn_team_share_rounds(int n_threads, const tn_team_rounds *rounds, tn_team_work *work, const void *context);

// For the rare moments when those at work ask for something that only one may have at a time.
void tn_team_lock(void);
void tn_team_unlock(void);

// Processors that this process may use: those of its mask, and no more than its control group's share of time.
int tn_team_processors(void);
