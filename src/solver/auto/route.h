// Routes of auto: what is tried for problems of a kind.
#pragma once

#include "solver/solver.h"

// What a problem is, by counts, and what a route leaves for the next ones to know.
typedef struct tn_traits {
    const tn_problem *problem;
    const tn_solve_options *options;
    int n, n_frictions, n_singles; // triples, those of them that are no contacts, single rows
    bool elastic;                  // A holds soft bodies, or more than a few bodies tied by springs
    bool rigid;                    // it holds none; neither in local form
    bool stacked;                  // rigid, most contacts share their bodies with the one before: boxes on boxes
    bool tame; // rigid without joints, few contacts or stacked: one interior point solve, or Newton's steps, mostly do
    bool enough;      // what routes have reached so far would do (options->enough)
    bool handed_over; // sweeps have ended because others are cheaper from there on
    bool moves;       // and far from what leaves bodies at rest
    bool apart;       // sweeps have ended because they do not hold joints
    bool unsettled;   // they leave joints off by more than their tolerance
} tn_traits;

// The first that fits is taken. What it leaves open goes on with the next that fits, from the best point so far.
typedef struct tn_route {
    const char *name;
    const char *shown_by; // what is missed, or so many times slower, without it: scene or stored problem, goal
    bool (*fits)(const tn_traits *);
    const tn_solver *solver; // named by the report
    int most;                // of its iterations; 0: all that are left
    // Of t->problem; NULL: tn_solver_call.
    tn_status (*solve)(tn_traits *t, const tn_solve_options *options, tn_arena *arena, tn_solution *solution,
                       tn_solve_report *report, tn_error *error);
} tn_route;

tn_traits tn_traits_of(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena);
