// Loops that a team of threads shares, and that one thread runs without one: OpenMP's team of one costs 0.3 us and a
// system call each time (libgomp 12), a third of a small scene's step.
#pragma once

#define TN_TEAM_PRAGMA(text) _Pragma(#text)

// NOLINTBEGIN(bugprone-macro-parentheses): a name and a block cannot stand in parentheses

// for (int i = 0; i < n; i++) body, in any order and at once where n_threads > 1. schedule: OpenMP's, such as (static).
#define TN_TEAM_FOR(schedule_kind, n_threads, i, n, body)                                                              \
    do {                                                                                                               \
        const int tn_team_threads = (n_threads), tn_team_end = (n);                                                    \
        if (tn_team_threads < 2) {                                                                                     \
            for (int i = 0; i < tn_team_end; i++)                                                                      \
                body                                                                                                   \
        } else {                                                                                                       \
            TN_TEAM_PRAGMA(omp parallel for schedule schedule_kind num_threads(tn_team_threads))                       \
            for (int i = 0; i < tn_team_end; i++)                                                                      \
                body                                                                                                   \
        }                                                                                                              \
    } while (0)

// NOLINTEND(bugprone-macro-parentheses)
