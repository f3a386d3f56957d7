// Integrators of differential equations: SUNDIALS, where it was found when this was built.
#pragma once

#include <stdbool.h>

typedef enum ode_method {
    ODE_BDF1, // CVODE: backward differences, order limited to 1
    ODE_BDF,  // CVODE: up to order 5
    ODE_RK45, // ARKODE: Dormand and Prince, explicit
} ode_method;

typedef struct ode_task {
    int n;
    double end; // from t = 0 [s]
    double relative, absolute;
    void (*rates)(void *user, double t, const double *y, double *dy);
    void *user;
    double budget; // processor time that it may take [s]
} ode_task;

typedef struct ode_result {
    bool ok;        // false: failed, or out of its budget
    double seconds; // of this thread's processor time
    long steps;
} ode_result;

ode_result ode_solve(ode_method method, const ode_task *task, double *y); // y (n): start, then end
