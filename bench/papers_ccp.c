// The experiments that belong to the ccp document, which prints no tables: the convex law's hover, a heap whose forces
// are not unique, a chain of joints over a drum.
#include "papers.h"
#include "peers.h"
#include "problem/rows.h"
#include "solver/solver.h"
#include "track.h"

#include <math.h>
#include <string.h>

// ---- gliding: the box hovers at mu |v| h under the convex law

typedef struct hover {
    bool ok;
    double least, most; // of the height over mu |v| h while it slides; under the strict law the height [m] itself
} hover;

static hover slide(const bench_options *options, const char *law, const char *solver, double h)
{
    char set[4][96];
    snprintf(set[0], sizeof set[0], "law=%s", law);
    snprintf(set[1], sizeof set[1], "solver.name=%s", solver);
    snprintf(set[2], sizeof set[2], "step=%.17g", h);
    snprintf(set[3], sizeof set[3], "bodies.box.position=[0, 0, %.17g]", 0.25 + 0.5 * 5.0 * h);
    const char *const all[] = {set[0], set[1], set[2], set[3], "solver.tolerance.natural=1e-9"};
    track t;
    hover out = {.ok = track_open(&t, options, "ccp/gliding.yaml", 5, all), .least = INFINITY, .most = -INFINITY};
    bool convex = !strcmp(law, "convex");
    int box = out.ok ? tn_model_find_body(t.model, "box") : 0;
    for (int k = 0; out.ok && tn_state_time(t.state) < 0.5; k++) {
        out.ok = track_step(&t);
        double p[3], q[4], v[3], w[3];
        tn_state_body_pose(t.state, box, p, q);
        tn_state_body_velocity(t.state, box, v, w);
        if (tn_state_time(t.state) > 0.05) { // the strict law's box has fallen the 2.5 mm
            double height = (p[2] - 0.25) / (convex ? 0.5 * fabs(v[0]) * h : 1.0);
            out.least = fmin(out.least, height);
            out.most = fmax(out.most, height);
        }
    }
    track_close(&t);
    return out;
}

int papers_gliding(const bench_options *options, table *t)
{
    static const char *const solvers[] = {"auto", "ipm", "apgd", "pgs", "newton", "ccs"};
    const char *heads[] = {"solver", "h ms", "convex, least", "most", "strict, highest mm"};
    table_open(t, "ccp: a sliding box's height over mu |v| h", 5, heads);
    int failures = 0;
    for (int s = 0; s < (int)(sizeof solvers / sizeof *solvers); s++) {
        for (int k = 0; k < 2; k++) {
            double h = k ? 5e-4 : 1e-3;
            hover convex = slide(options, "convex", solvers[s], h), strict = slide(options, "coulomb", solvers[s], h);
            failures += !convex.ok || !strict.ok;
            table_word(t, "%s", solvers[s]);
            table_number(t, "%.1f", 1e3 * h);
            table_number(t, "%.4f", convex.least);
            table_number(t, "%.4f", convex.most);
            table_number(t, "%.1e", 1e3 * strict.most);
            table_row(t);
        }
    }
    table_note(t, "predicted: convex 1 (1 %% asked), strict 0; the height itself halves with h");
    table_close(t);
    return failures;
}

// ---- one step's problem by every solver

typedef struct answer {
    bool ok;
    double ms;
    tn_solve_report report;
    tn_solution solution;
} answer;

static answer solve(track *t, const char *name, double tolerance, int repeats)
{
    const tn_problem *p = &t->sim->solving.eq.problem;
    size_t n_v = 3 * (size_t)p->A->n_rows, n_rows = tn_row_count(p->rows);
    answer a = {.ms = INFINITY};
    a.solution = (tn_solution){.v = TN_PUSH(t->kept, double, n_v + 1), .lambda = TN_PUSH(t->kept, double, n_rows + 1)};
    const tn_solver *solver = tn_solver_find(name);
    a.ok = solver && !tn_solver_refusal(solver, p) && a.solution.v && a.solution.lambda;
    tn_solve_options options = tn_solve_options_default();
    options.tolerance.natural = tolerance;
    options.max_iterations = 100000;
    for (int k = 0; k < repeats && a.ok; k++) {
        tn_error error = {0};
        memset(a.solution.v, 0, n_v * sizeof(double));
        memset(a.solution.lambda, 0, n_rows * sizeof(double));
        double start = peer_seconds();
        a.ok = tn_solver_run(solver, p, &options, t->solver, &a.solution, &a.report, &error) == TN_OK;
        a.ms = fmin(a.ms, 1e3 * (peer_seconds() - start));
        tn_arena_reset(t->solver);
        if (!a.ok) {
            fprintf(stderr, "tenon-bench: %s: %s\n", name, error.message);
        }
    }
    return a;
}

static double size_of(size_t n, const double *x, const double *from)
{
    double sum = 0.0;
    for (size_t i = 0; i < n; i++) {
        double d = x[i] - (from ? from[i] : 0.0);
        sum += d * d;
    }
    return sqrt(sum);
}

// The last step's problem, each solver from zero, judged against the first one's answer.
static int compare(track *t, table *out, int n, const char *const solvers[], double tolerance, int repeats)
{
    const tn_problem *p = &t->sim->solving.eq.problem;
    size_t n_v = 3 * (size_t)p->A->n_rows, n_lambda = 3 * (size_t)p->rows->n_triples;
    answer reference = {.ok = false};
    int failures = 0;
    for (int s = 0; s < n; s++) {
        answer a = solve(t, solvers[s], tolerance, s == 0 ? 1 : repeats);
        reference = s == 0 ? a : reference;
        const tn_certificate *c = &a.report.certificate;
        failures += s == 0 && !a.ok;
        table_word(out, "%s%s", solvers[s], s == 0 ? " (reference)" : "");
        table_number(out, "%.2f", a.ok ? a.ms : NAN);
        table_number(out, "%.0f", a.ok ? a.report.iterations : NAN);
        table_number(out, "%.1e", a.ok ? c->momentum : NAN);
        table_number(out, "%.1e", a.ok ? c->natural : NAN);
        table_number(out, "%.1e", a.ok ? c->joint : NAN);
        table_number(out, "%.1e",
                     a.ok ? size_of(n_v, a.solution.v, reference.solution.v) / size_of(n_v, reference.solution.v, NULL)
                          : NAN);
        table_number(out, "%.4f", a.ok ? size_of(n_lambda, a.solution.lambda, NULL) : NAN);
        table_row(out);
    }
    return failures;
}

static const char *const HEADS[] = {"solver",  "ms",    "iterations", "momentum",
                                    "natural", "joint", "v off by",   "|forces| N"};

int papers_ccp_heap(const bench_options *options, table *t)
{
    static const char *const solvers[] = {"ipm", "ipm", "apgd", "pgs", "auto", "newton", "ccs"};
    track heap;
    table_open(t, "ccp: a heap of 96 balls and boxes at rest, convex law, one step's problem from zero", 8, HEADS);
    bool ok = track_open(&heap, options, "ccp/heap.yaml", 0, NULL);
    for (int k = 0; k < (options->quick ? 60 : 200) && ok; k++) {
        ok = track_step(&heap);
    }
    int failures = ok ? compare(&heap, t, 7, solvers, 1e-6, options->quick ? 1 : 3) : 1;
    if (ok) {
        table_note(t, "%d contacts on %d unknown velocities: forces are not unique, velocities are",
                   heap.sim->solving.eq.problem.rows->n_triples, heap.model->n_dof);
    }
    table_close(t);
    track_close(&heap);
    return failures;
}

int papers_ccp_chain(const bench_options *options, table *t)
{
    static const char *const solvers[] = {"newton", "auto", "ipm", "newton", "pgs", "ccs", "apgd"};
    track chain;
    table_open(t, "ccp: a chain of 32 links over a drum, ball joints and contacts, one step's problem from zero", 8,
               HEADS);
    bool ok = track_open(&chain, options, "ccp/chain_over_drum.yaml", 0, NULL);
    double drift = 0.0;
    for (int k = 0; k < (options->quick ? 100 : 300) && ok; k++) {
        ok = track_step(&chain);
        drift = fmax(drift, chain.report.solve.certificate.drift);
    }
    int failures = ok ? compare(&chain, t, 7, solvers, 1e-6, options->quick ? 1 : 3) : 1;
    if (ok) {
        table_note(t,
                   "%d contacts, %d rows of joints; largest drift of the joints so far %.1e m, with two corrections of "
                   "the positions a step",
                   chain.sim->solving.eq.problem.rows->n_triples, tn_joint_row_count(&chain.sim->solving.eq.problem),
                   drift);
    }
    table_close(t);
    track_close(&chain);
    return failures;
}
