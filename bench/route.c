// Answers come through a pipe. What takes longer than auto did is stopped, for it cannot be the best.
#include "route.h"

#include "peers.h"
#include "solver/solver.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static const double REPEAT = 0.02; // of processor time for one answer, the median of at most MOST_ANSWERS [s]
enum { MOST_ANSWERS = 101 };
static const double CLOCK = 0.05;  // the timer's steps are coarse: what any solver may take at least [s]
static const double LONGER = 10.0; // than auto took, where it did not reach the goal

static bool is_within(double figure, double goal)
{
    return isnan(figure) || figure <= goal;
}

static void set_timer(double seconds)
{
    struct itimerval timer = {.it_value = {(time_t)seconds, (suseconds_t)(1e6 * (seconds - floor(seconds)))}};
    setitimer(ITIMER_PROF, &timer, NULL); // its signal ends the process
}

static bool solve_once(const route_problem *of, const tn_solver *solver, double goal, tn_arena *arena,
                       route_answer *out)
{
    const tn_problem *p = of->problem;
    size_t n_v = p->A ? 3 * (size_t)p->A->n_rows : 0,
           n_lambda = 3 * (size_t)p->rows->n_triples + (size_t)p->rows->n_singles;
    tn_solution solution = {.v = calloc(n_v + 1, sizeof(double)), .lambda = calloc(n_lambda + 1, sizeof(double))};
    tn_solve_options options = tn_solve_options_default();
    options.tolerance = (tn_tolerance){.momentum = goal, .natural = goal, .joint = goal};
    if (of->lambda) {
        memcpy(solution.v, of->v, n_v * sizeof(double));
        memcpy(solution.lambda, of->lambda, n_lambda * sizeof(double));
    }
    tn_solve_report report = {.solver = solver->name};
    tn_error error;
    double start = peer_seconds();
    tn_status status = tn_solver_run(solver, p, &options, arena, &solution, &report, &error);
    out->seconds = peer_seconds() - start;
    tn_arena_reset(arena);
    free(solution.v);
    free(solution.lambda);
    const tn_certificate *c = &report.certificate;
    out->ended = true;
    out->natural = status == TN_OK ? c->natural : NAN;
    out->reached =
        status == TN_OK && is_within(c->momentum, goal) && is_within(c->natural, goal) && is_within(c->joint, goal);
    snprintf(out->solver, sizeof out->solver, "%s", report.solver);
    return out->reached;
}

static void answer_into(int to, const route_problem *of, const tn_solver *solver, double goal, double most)
{
    route_answer answer = {.seconds = INFINITY};
    tn_arena *arena = tn_arena_create(0);
    set_timer(fmax(most, CLOCK));
    bool again = arena && solve_once(of, solver, goal, arena, &answer) && answer.seconds < REPEAT;
    set_timer(0.0);
    double seconds[MOST_ANSWERS];
    int n = 0;
    for (double start = peer_seconds(); again && n < MOST_ANSWERS && peer_seconds() - start < REPEAT; n++) {
        solve_once(of, solver, goal, arena, &answer);
        seconds[n] = answer.seconds;
    }
    answer.seconds = n > 0 ? bench_median(n, seconds) : answer.seconds; // processor time is coarse while the timer runs
    ssize_t written = write(to, &answer, sizeof answer);
    _exit(written == sizeof answer ? 0 : 1);
}

static route_answer ask(const route_problem *of, const tn_solver *solver, double goal, double most)
{
    route_answer answer = {.seconds = NAN, .natural = NAN}, read_answer;
    int ends[2];
    fflush(NULL);
    if (pipe(ends) != 0) {
        return answer;
    }
    pid_t child = fork();
    if (child == 0) {
        answer_into(ends[1], of, solver, goal, most);
    }
    close(ends[1]);
    if (child > 0 && read(ends[0], &read_answer, sizeof read_answer) == sizeof read_answer) {
        answer = read_answer;
    }
    close(ends[0]);
    if (child > 0) {
        waitpid(child, NULL, 0);
    }
    return answer;
}

// Baselines, and what follows a law of its own, are no routes.
static bool is_route(const tn_solver *solver)
{
    static const char *const not [] = {"auto", "penalty", "pgs-dense", "apgd-dense"};
    for (int i = 0; i < 4; i++) {
        if (!strcmp(solver->name, not [i])) {
            return false;
        }
    }
    return true;
}

// Of all solvers and auto's own answer. Who misses the goal is out; by islands nobody is.
static route_answer find_best(route_problem *of, const route_answer *own, double goal, double most, bool by_islands)
{
    route_answer best = *own;
    double spent = own->ended ? own->seconds : most;
    for (int i = 0; tn_solver_at(i) && i < ROUTE_SOLVERS; i++) {
        tn_solver solver = *tn_solver_at(i);
        if (of->out[i] || !is_route(&solver) || tn_solver_refusal(&solver, of->problem)) {
            continue;
        }
        solver.by_islands = solver.by_islands || by_islands;
        double patience = best.reached ? best.seconds : fmin(most, LONGER * spent);
        route_answer a = ask(of, &solver, goal, patience);
        of->out[i] = !by_islands && ((a.ended && !a.reached) || (!a.ended && !best.reached));
        if (a.reached && (!best.reached || a.seconds < best.seconds)) {
            best = a;
            snprintf(best.solver, sizeof best.solver, "%s", solver.name);
        }
    }
    return best;
}

route_row route_run(route_problem *of, double goal, double most)
{
    route_row row = {.goal = goal};
    snprintf(row.name, sizeof row.name, "%s", of->name);
    row.own = ask(of, tn_solver_find("auto"), goal, most);
    row.best = find_best(of, &row.own, goal, most, false);
    bool slow = row.own.reached && row.own.seconds > ROUTE_RATIO * row.best.seconds;
    row.alike = slow ? find_best(of, &row.own, goal, most, true) : row.best;
    return row;
}

void route_print(const route_row *row, const tn_problem *problem, table *t)
{
    table_word(t, "%s", row->name);
    table_number(t, "%.0f", problem->rows->n_triples);
    table_number(t, "%.0f", problem->rows->n_singles);
    table_number(t, "%.0e", row->goal);
    table_word(t, "%s", row->own.ended ? row->own.solver : "-");
    table_number(t, "%.4g", 1e3 * row->own.seconds);
    table_number(t, "%.1e", row->own.natural);
    table_word(t, "%s", row->own.reached ? "yes" : row->best.reached ? "no" : "none does");
    table_word(t, "%s", row->best.reached ? row->best.solver : "-");
    table_number(t, "%.4g", row->best.reached ? 1e3 * row->best.seconds : NAN);
    table_number(t, "%.2f", row->best.reached ? row->own.seconds / row->best.seconds : NAN);
    table_row(t);
}
