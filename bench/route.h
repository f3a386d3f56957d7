// One problem by auto and by every other solver, each in a process of its own that ends with its patience.
#pragma once

#include "bench.h"

#include "tenon/problem.h"

enum { ROUTE_NAME = 36, ROUTE_SOLVERS = 32 };
enum { ROUTE_RATIO = 2 }; // times the best from which auto is slow

typedef struct route_answer {
    bool ended, reached; // by itself; every figure of the certificate is within the goal
    double seconds;      // processor time, fastest of some; NaN where it did not end
    double natural;
    char solver[16]; // of the report
} route_answer;

typedef struct route_row {
    char name[ROUTE_NAME];
    double goal;
    route_answer own, best; // auto's; the fastest that reached the goal, auto's where none did sooner
    route_answer alike;     // where auto is slow: the fastest of those that take islands one by one, each to its own
                            // figures, as auto does
} route_row;

typedef struct route_problem {
    const char *name;
    const tn_problem *problem;
    const double *v, *lambda; // start; NULL: zeros
    bool out[ROUTE_SOLVERS];  // that missed a looser goal, or do not take it
} route_problem;

// Rows of the problem at the goal; most [s]: what a solver may take where auto does not reach it.
route_row route_run(route_problem *of, double goal, double most);
void route_print(const route_row *row, const tn_problem *problem, table *t);
