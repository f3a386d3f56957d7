// nodal against an independent reference, and its own promises.
#include <stdio.h>

#include "base/memory.h"
#include "cond_problems.h"
#include "problem/certificate.h"
#include "soft_problem.h"
#include "solver/cond/cond.h"
#include "solver/nodal/nodal.h"
#include "solver/solvers.h"
#include "test.h"

enum { PROBLEMS = 200 };

static const char *const law_names[] = {"coulomb", "convex", "frictionless"};

static tn_solve_options tight(double tolerance)
{
    return (tn_solve_options){
        .tolerance = {.momentum = tolerance, .natural = tolerance}, .max_iterations = 20000, .n_threads = 1};
}

static tn_status run(small_problem *p, const tn_solve_options *options, int coarse_after, tn_solve_report *report)
{
    tn_arena *arena = tn_arena_create(0);
    assert_non_null(arena);
    tn_solution solution = {.v = p->v, .lambda = p->lambda};
    tn_error error = {0};
    tn_nodal_options nodal = tn_nodal_options_default();
    nodal.coarse_after = coarse_after;
    *report = (tn_solve_report){0};
    tn_status status = tn_nodal_solve(&p->problem, options, &nodal, arena, &solution, report, &error);
    tn_arena_destroy(arena);
    return status;
}

// Solve p by the reference and by nodal from zeros; returns the largest difference in v [m/s].
static double against_reference(small_problem *p, int coarse_after, int *iterations)
{
    double v[3 * MAX_BLOCKS];
    double change = reference_solve(p, 20000);
    assert_true(change < 1e-13);
    memcpy(v, p->v, sizeof v);
    cold(p);
    tn_solve_options options = tight(1e-12);
    tn_solve_report report;
    assert_int_equal(run(p, &options, coarse_after, &report), TN_OK);
    assert_true(report.converged);
    *iterations = report.iterations > *iterations ? report.iterations : *iterations;
    return difference(p, v);
}

// mu <= 0.3 and W well conditioned: the solution is unique, so whoever finds one finds this one.
static void compare(int coarse_after)
{
    static small_problem p;
    tn_arena *arena = tn_arena_create(0);
    for (int law = TN_LAW_COULOMB; law <= TN_LAW_FRICTIONLESS; law++) {
        for (int kind = 0; kind < 4; kind++) {
            double worst = 0.0;
            int iterations = 0;
            for (int s = kind; s < PROBLEMS; s += 4) {
                tn_arena_reset(arena);
                make_random(&p, kind, (tn_law)law, (uint64_t)s, arena);
                worst = fmax(worst, against_reference(&p, coarse_after, &iterations));
            }
            printf("%-12s %d: largest |dv| of %d problems %.1e m/s (limit 1e-8), at most %d iterations\n",
                   law_names[law], kind, PROBLEMS / 4, worst, iterations);
            assert_true(worst < 1e-8);
        }
    }
    tn_arena_destroy(arena);
}

static void random_problems_agree_with_the_reference(void **state)
{
    compare(TN_NODAL_COARSE_NEVER);
}

// The same with the coarse level from the first step on: slaves of all kinds, groups without places.
static void with_coarse_level(void **state)
{
    compare(0);
}

// Two friction coefficients and a full Omega on every contact: all of them general.
static void anisotropic_and_invertible_contacts_agree_with_the_reference(void **state)
{
    static small_problem p;
    tn_arena *arena = tn_arena_create(0);
    double worst = 0.0;
    int iterations = 0;
    for (int s = 0; s < 120; s++) {
        tn_arena_reset(arena);
        make_random(&p, s % 4, s / 4 % 2 ? TN_LAW_CONVEX : TN_LAW_COULOMB, (uint64_t)(1000 + s), arena);
        p.contacts.softness = s % 8 < 4 ? p.omega : NULL;
        for (int m = 0; m < p.contacts.n_triples; m++) {
            p.mu[2 * m + 1] = 0.3 * p.mu[2 * m];
            for (int k = 0; k < 9; k++) {
                p.omega[9 * m + k] = k % 4 == 0 ? 0.02 * (1 + k) : 0.005;
            }
        }
        int coarse_after = s < 60 ? TN_NODAL_COARSE_NEVER : 0;
        worst = fmax(worst, against_reference(&p, coarse_after, &iterations));
    }
    printf("anisotropic, Omega: largest |dv| %.1e m/s (limit 1e-8), at most %d iterations\n", worst, iterations);
    assert_true(worst < 1e-8);
    tn_arena_destroy(arena);
}

// Omega = omega I keeps a contact in the sweep.
static void contacts_with_a_number_for_omega_agree_with_the_reference(void **state)
{
    static small_problem p;
    tn_arena *arena = tn_arena_create(0);
    double worst = 0.0;
    int iterations = 0;
    for (int s = 0; s < 120; s++) {
        tn_arena_reset(arena);
        make_random(&p, 2 + s % 2, (tn_law)(s % 3), (uint64_t)(2000 + s), arena);
        p.contacts.softness = p.omega;
        for (int k = 0; k < 9 * p.contacts.n_triples; k++) {
            p.omega[k] = k % 9 % 4 == 0 ? 0.01 * (1 + k / 9) : 0.0;
        }
        worst = fmax(worst, against_reference(&p, s < 60 ? TN_NODAL_COARSE_NEVER : 0, &iterations));
    }
    printf("Omega = omega I: largest |dv| %.1e m/s (limit 1e-8), at most %d iterations\n", worst, iterations);
    assert_true(worst < 1e-8);
    tn_arena_destroy(arena);
}

static const char *const scene_names[] = {"plate", "box on mat", "stack", "corner"};

static void make_scene(soft_problem *p, int scene, tn_law law, double young, tn_arena *arena)
{
    const double v[3] = {0.3, 0.0, -0.1};
    switch (scene) {
    case 0:
        soft_plate(p, 12, young, v, arena);
        p->problem.law = law;
        break;
    case 1:
        soft_box_on_mat(p, law, young, arena);
        break;
    case 2:
        soft_stack(p, law, young, arena);
        break;
    default:
        soft_in_corner(p, law, young, arena);
        break;
    }
}

static void solve_scene(soft_problem *p, double *v, double tolerance, int coarse_after, tn_solve_report *report)
{
    tn_solve_options options = tight(tolerance);
    tn_nodal_options nodal = tn_nodal_options_default();
    nodal.coarse_after = coarse_after;
    memset(p->v, 0, 3 * (size_t)p->n_rows * sizeof(double));
    memset(p->lambda, 0, 3 * (size_t)p->contacts.n_triples * sizeof(double));
    tn_solution solution = {.v = p->v, .lambda = p->lambda};
    *report = (tn_solve_report){0};
    tn_arena *arena = tn_arena_create(0);
    assert_int_equal(tn_nodal_solve(&p->problem, &options, &nodal, arena, &solution, report, NULL), TN_OK);
    tn_arena_destroy(arena);
    memcpy(v, p->v, 3 * (size_t)p->n_rows * sizeof(double));
}

static double largest_difference(int n, const double *a, const double *b)
{
    double worst = 0.0;
    for (int i = 0; i < n; i++) {
        worst = fmax(worst, fabs(a[i] - b[i]));
    }
    return worst;
}

// Soft scenes with contacts of nodes, of nodes with rigid bodies and faces, two on a node: sweeps alone, with the
// coarse level and by choice find the solution that cond finds.
static void soft_scenes_agree_with_cond(void **state)
{
    enum { ROWS = 400 };
    static double v[3 * ROWS], w[3 * ROWS];
    static const int levels[3] = {TN_NODAL_COARSE_NEVER, 0, TN_NODAL_COARSE_WHEN_IT_PAYS};
    tn_arena *arena = tn_arena_create(0);
    for (int scene = 0; scene < 4; scene++) {
        for (int law = TN_LAW_COULOMB; law <= TN_LAW_FRICTIONLESS; law++) {
            soft_problem p;
            tn_arena_reset(arena);
            make_scene(&p, scene, (tn_law)law, 1e5, arena);
            assert_true(p.n_rows <= ROWS);
            tn_solution solution = {.v = p.v, .lambda = p.lambda};
            tn_solve_options options = tight(1e-12);
            options.max_iterations = 100000;
            tn_solve_report report = {0};
            tn_cond_options cond = tn_cond_options_default();
            tn_arena_mark mark = tn_arena_get_mark(arena);
            assert_int_equal(tn_cond_solve(&p.problem, &options, &cond, arena, &solution, &report, NULL), TN_OK);
            tn_arena_release(arena, mark);
            assert_true(report.converged);
            memcpy(v, p.v, 3 * (size_t)p.n_rows * sizeof *v);
            printf("%-10s %-12s: cond %5d;", scene_names[scene], law_names[law], report.iterations);
            for (int k = 0; k < 3; k++) {
                solve_scene(&p, w, 1e-12, levels[k], &report);
                double error = largest_difference(3 * p.n_rows, v, w);
                printf(" %4d, |dv| %.0e;", report.iterations, error);
                assert_true(report.converged);
                assert_true(error < 1e-8);
            }
            printf(" (limit 1e-8 m/s)\n");
        }
    }
    tn_arena_destroy(arena);
}

// Stiff scenes, 10 MPa: the coarse level keeps the number of steps small, and the stop is honest: the default choice
// at a rough tolerance leaves less than the error of 1e-3 that is never accepted.
static void stiff_scenes_converge_honestly(void **state)
{
    enum { ROWS = 1000 };
    static double v[3 * ROWS], w[3 * ROWS];
    tn_arena *arena = tn_arena_create(0);
    for (int scene = 0; scene < 4; scene++) {
        soft_problem p;
        tn_solve_report exact, rough, sweeps;
        tn_arena_reset(arena);
        make_scene(&p, scene, TN_LAW_COULOMB, 1e7, arena);
        assert_true(p.n_rows <= ROWS);
        solve_scene(&p, v, 1e-12, 0, &exact);
        solve_scene(&p, w, 1e-12, TN_NODAL_COARSE_NEVER, &sweeps);
        double difference = largest_difference(3 * p.n_rows, v, w);
        solve_scene(&p, w, 1e-4, TN_NODAL_COARSE_WHEN_IT_PAYS, &rough);
        double error = 0.0, size = 0.0;
        for (int i = 0; i < 3 * p.n_rows; i++) {
            error += (v[i] - w[i]) * (v[i] - w[i]);
            size += v[i] * v[i];
        }
        printf("%-10s: 1e-12 in %d steps, sweeps alone %d (|dv| %.1e, limit 1e-7); momentum 1e-4 in %d steps, "
               "relative error %.1e (limit 1e-3)\n",
               scene_names[scene], exact.iterations, sweeps.iterations, difference, rough.iterations,
               sqrt(error / size));
        assert_true(exact.converged && rough.converged && sweeps.converged);
        assert_true(difference < 1e-7);
        assert_true(exact.iterations <= 500);
        assert_true(sqrt(error / size) < 1e-3);
    }
    tn_arena_destroy(arena);
}

// A finer plate needs hardly more steps with the coarse level.
static void steps_hardly_grow_with_the_mesh(void **state)
{
    int iterations[2];
    const double v[3] = {0.3, 0.1, -0.1};
    tn_arena *arena = tn_arena_create(0);
    for (int k = 0; k < 2; k++) {
        soft_problem p;
        tn_arena_reset(arena);
        soft_plate(&p, k ? 32 : 16, 1e7, v, arena);
        double *w = TN_PUSH(arena, double, 3 * p.n_rows);
        tn_solve_report report;
        solve_scene(&p, w, 1e-6, 0, &report);
        assert_true(report.converged);
        iterations[k] = report.iterations;
    }
    printf("plate of 16 x 16 and 32 x 32: %d and %d steps (limit 2 times)\n", iterations[0], iterations[1]);
    assert_true(iterations[1] <= 2 * iterations[0]);
    tn_arena_destroy(arena);
}

static void thread_count_does_not_change_a_bit(void **state)
{
    const double drag[3] = {0.3, 0.1, -0.1};
    double *v[2];
    tn_arena *arena = tn_arena_create(0);
    for (int k = 0; k < 2; k++) {
        soft_problem p;
        soft_plate(&p, 44, 1e6, drag, arena); // large enough for a team
        tn_solve_options options = tight(1e-8);
        options.n_threads = k + 1;
        tn_solution solution = {.v = p.v, .lambda = p.lambda};
        tn_solve_report report = {0};
        assert_int_equal(tn_solver_nodal.solve(&p.problem, &options, arena, &solution, &report, NULL), TN_OK);
        assert_true(report.converged);
        v[k] = TN_PUSH(arena, double, 3 * p.n_rows);
        memcpy(v[k], p.v, 3 * (size_t)p.n_rows * sizeof(double));
    }
    assert_memory_equal(v[0], v[1], 3 * 2 * 44 * 44 * sizeof(double));
    tn_arena_destroy(arena);
}

// A product that is at hand saves one and changes no bit; one of another velocity than the start's is not used.
static void known_product_changes_no_bit(void **state)
{
    const double drag[3] = {0.3, 0.1, -0.1};
    tn_arena *arena = tn_arena_create(0);
    double *v[3];
    for (int k = 0; k < 3; k++) {
        soft_problem p;
        soft_plate(&p, 12, 1e5, drag, arena);
        double *known = TN_PUSH(arena, double, 3 * p.n_rows), *product = TN_PUSH(arena, double, 3 * p.n_rows);
        for (int i = 0; i < 3 * p.n_rows; i++) {
            p.v[i] = 0.01 * (i % 7);
            known[i] = p.v[i] + (k == 2 && i == 5 ? 1e-9 : 0.0);
        }
        tn_blocks_mul(p.problem.A, p.v, product);
        product[0] += k == 2 ? 1e3 : 0.0; // would be seen
        p.hints.known_v = k > 0 ? known : NULL;
        p.hints.known_product = product;
        tn_solve_options options = tight(1e-9);
        tn_solution solution = {.v = p.v, .lambda = p.lambda};
        tn_solve_report report = {0};
        assert_int_equal(tn_solver_nodal.solve(&p.problem, &options, arena, &solution, &report, NULL), TN_OK);
        assert_true(report.converged);
        v[k] = p.v;
        assert_memory_equal(v[k], v[0], 3 * (size_t)p.n_rows * sizeof(double));
    }
    tn_arena_destroy(arena);
}

static void stop_rules(void **state)
{
    soft_problem p;
    tn_solve_report report;
    tn_arena *arena = tn_arena_create(0);
    soft_box_on_mat(&p, TN_LAW_COULOMB, 1e6, arena);
    tn_solution solution = {.v = p.v, .lambda = p.lambda};
    tn_nodal_options nodal = tn_nodal_options_default();

    // The certificate's figures hold, by the certificate itself.
    tn_solve_options options = tight(1e-10);
    tn_certificate certificate;
    report = (tn_solve_report){0};
    assert_int_equal(tn_nodal_solve(&p.problem, &options, &nodal, arena, &solution, &report, NULL), TN_OK);
    assert_int_equal(tn_certificate_compute(&p.problem, &solution, false, arena, &certificate), TN_OK);
    printf("momentum %.1e, natural %.1e (limits 1e-10): %d steps\n", certificate.momentum, certificate.natural,
           report.iterations);
    assert_true(report.converged && certificate.momentum <= 1e-10 && certificate.natural <= 1e-10);
    int full = report.iterations;

    // A solution as warm start needs no more than a few steps to be recognised.
    assert_int_equal(tn_nodal_solve(&p.problem, &options, &nodal, arena, &solution, &report, NULL), TN_OK);
    printf("from the solution: %d steps\n", report.iterations);
    assert_true(report.converged && report.iterations <= 9);

    // theta alone: the length of the step.
    memset(p.v, 0, 3 * (size_t)p.n_rows * sizeof(double));
    memset(p.lambda, 0, 3 * (size_t)p.contacts.n_triples * sizeof(double));
    options.tolerance = (tn_tolerance){.theta = 1e-4};
    assert_int_equal(tn_nodal_solve(&p.problem, &options, &nodal, arena, &solution, &report, NULL), TN_OK);
    assert_true(report.converged && report.theta < 1e-4 && report.iterations < full);

    // Too few iterations are said to be; nothing demanded runs them all.
    memset(p.v, 0, 3 * (size_t)p.n_rows * sizeof(double));
    options = tight(1e-12);
    options.max_iterations = 3;
    assert_int_equal(tn_nodal_solve(&p.problem, &options, &nodal, arena, &solution, &report, NULL), TN_OK);
    assert_false(report.converged);
    options.tolerance = (tn_tolerance){0};
    options.max_iterations = 17;
    assert_int_equal(tn_nodal_solve(&p.problem, &options, &nodal, arena, &solution, &report, NULL), TN_OK);
    assert_int_equal(report.iterations, 17);

    // Patience ends what has come to rest at rounding, 30 steps after it last fell to a third.
    options = tight(1e-40);
    options.max_iterations = 1000;
    nodal.patience = 30;
    memset(p.v, 0, 3 * (size_t)p.n_rows * sizeof(double));
    assert_int_equal(tn_nodal_solve(&p.problem, &options, &nodal, arena, &solution, &report, NULL), TN_OK);
    assert_int_equal(tn_certificate_compute(&p.problem, &solution, false, arena, &certificate), TN_OK);
    printf("gave up after %d steps at momentum %.1e (limits 300, 1e-12)\n", report.iterations, certificate.momentum);
    assert_true(!report.converged && report.iterations < 300 && certificate.momentum < 1e-12);
    tn_arena_destroy(arena);
}

static void bad_numbers_are_numerical_failures(void **state)
{
    static small_problem p;
    tn_arena *arena = tn_arena_create(0);
    tn_solve_options options = tight(1e-8);
    tn_solve_report report;

    random_nodes(&p, TN_LAW_COULOMB, 1, false, arena);
    p.b[4] = NAN;
    p.v[0] = 7.0;
    assert_int_equal(run(&p, &options, 0, &report), TN_NUMERICS);
    assert_true(p.v[0] == 7.0);

    random_nodes(&p, TN_LAW_COULOMB, 1, false, arena);
    p.problem.A->value[4] = -1.0;
    assert_int_equal(run(&p, &options, 0, &report), TN_NUMERICS);
    box_on_corners(&p, TN_LAW_COULOMB, 0.2, 100.0, arena);
    p.problem.A->value[4] = -1.0;
    assert_int_equal(run(&p, &options, 0, &report), TN_NUMERICS);

    tn_problem local = {.rows = &p.contacts, .W = p.problem.A};
    assert_non_null(tn_solver_refusal(&tn_solver_nodal, &local));
    assert_null(tn_solver_refusal(&tn_solver_nodal, &p.problem));
    tn_arena_destroy(arena);
}

// Friction and Omega far beyond what is sensible, and too few iterations for any of it: always finite, never worse
// than a start from zero by the momentum figure.
static void never_diverges(void **state)
{
    static small_problem p;
    tn_arena *arena = tn_arena_create(0);
    double worst = 0.0;
    for (int s = 0; s < 200; s++) {
        tn_arena_reset(arena);
        make_random(&p, s % 4, (tn_law)(s % 3), (uint64_t)(5000 + s), arena);
        for (int m = 0; m < p.contacts.n_triples; m++) {
            p.mu[2 * m] = p.mu[2 * m + 1] = s % 5 == 0 ? 1e6 : 3.0;
            p.offset[3 * m] *= 100.0;
        }
        tn_solve_options options = tight(1e-12);
        options.max_iterations = 1 + s % 60;
        tn_solve_report report;
        cold(&p);
        assert_int_equal(run(&p, &options, s % 2 ? 0 : TN_NODAL_COARSE_NEVER, &report), TN_OK);
        for (int i = 0; i < 3 * p.problem.A->n_rows; i++) {
            worst = fmax(worst, fabs(p.v[i]));
        }
    }
    printf("largest |v| after few steps of wild problems %.1e m/s (limit 1e4: offsets of 100 m/s)\n", worst);
    assert_true(worst < 1e4);
    tn_arena_destroy(arena);
}

// Everything lies still: the relative error of v = 0 means nothing, and no scale of velocities is given.
static void rest_is_recognised(void **state)
{
    static small_problem p;
    tn_arena *arena = tn_arena_create(0);
    for (int coarse_after = TN_NODAL_COARSE_NEVER; coarse_after <= 0; coarse_after++) {
        elastic_lattice(&p, 1e6, 10.0, arena);
        const double up[3] = {0.0, 0.0, 1.0};
        p.contacts.n_triples = 0;
        for (int i = 0; i < 48; i++) {
            tn_vec3_set(p.b + 3 * i, 0.0, 0.0, i < 16 ? -1.0 : 0.0);
        }
        for (int m = 0; m < 16; m++) {
            begin_contact(&p, up, 10.0, 0.0);
            add_entry(&p, m, 1.0, p.frame + 9 * m);
            finish_contact(&p);
            tn_vec3_set(p.v + 3 * m, 0.1, 0.0, 0.0);
        }
        tn_solve_options options = tight(1e-10);
        tn_solve_report report;
        assert_int_equal(run(&p, &options, coarse_after, &report), TN_OK);
        printf("rest: %d steps, theta %.1e\n", report.iterations, report.theta);
        assert_true(report.converged && report.iterations < 1000);
    }
    tn_arena_destroy(arena);
}

static void no_contacts_is_the_linear_solve(void **state)
{
    static small_problem p;
    tn_arena *arena = tn_arena_create(0);
    random_nodes(&p, TN_LAW_COULOMB, 3, false, arena);
    p.contacts.n_triples = 0;
    p.contacts.start = NULL;
    tn_solve_options options = tight(1e-12);
    tn_solve_report report;
    assert_int_equal(run(&p, &options, 0, &report), TN_OK);
    double r[36], worst = 0.0;
    tn_blocks_mul(p.problem.A, p.v, r);
    for (int i = 0; i < 36; i++) {
        worst = fmax(worst, fabs(r[i] - p.b[i]));
    }
    printf("no contacts: |A v - b| %.1e N (limit 1e-9)\n", worst);
    assert_true(report.converged && worst < 1e-9);
    tn_arena_destroy(arena);
}

// The second solve with the same arena asks for no memory at all.
static void a_warm_arena_allocates_nothing(void **state)
{
    soft_problem p;
    tn_arena *arena = tn_arena_create(0), *scratch = tn_arena_create(0);
    soft_box_on_mat(&p, TN_LAW_COULOMB, 1e6, arena);
    tn_solution solution = {.v = p.v, .lambda = p.lambda};
    tn_solve_options options = tight(1e-10);
    tn_solve_report report = {0};
    assert_int_equal(tn_solver_nodal.solve(&p.problem, &options, scratch, &solution, &report, NULL), TN_OK);
    tn_arena_reset(scratch);
    memset(p.v, 0, 3 * (size_t)p.n_rows * sizeof(double));
    memset(p.lambda, 0, 3 * (size_t)p.contacts.n_triples * sizeof(double));
    tn_memory_fail_after(0);
    tn_status status = tn_solver_nodal.solve(&p.problem, &options, scratch, &solution, &report, NULL);
    tn_memory_fail_after(-1);
    assert_int_equal(status, TN_OK);
    assert_true(report.converged);
    tn_arena_destroy(scratch);
    tn_arena_destroy(arena);
}

// Every request for memory may fail: always TN_NO_MEMORY, never a crash or a leak (the sanitizers look).
static void running_out_of_memory_is_reported(void **state)
{
    soft_problem p;
    tn_arena *arena = tn_arena_create(0);
    soft_box_on_mat(&p, TN_LAW_COULOMB, 1e6, arena);
    tn_solve_options options = tight(1e-8);
    int failures = 0;
    for (long n = 0; n < 60; n++) {
        tn_arena *scratch = tn_arena_create(64);
        tn_solution solution = {.v = p.v, .lambda = p.lambda};
        tn_solve_report report = {0};
        tn_memory_fail_after(n);
        tn_status status = tn_solver_nodal.solve(&p.problem, &options, scratch, &solution, &report, NULL);
        tn_memory_fail_after(-1);
        tn_arena_destroy(scratch);
        assert_true(status == TN_OK || status == TN_NO_MEMORY);
        failures += status == TN_NO_MEMORY;
    }
    printf("out of memory reported %d times\n", failures);
    assert_true(failures > 0);
    tn_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_problems_agree_with_the_reference),
        cmocka_unit_test(with_coarse_level),
        cmocka_unit_test(anisotropic_and_invertible_contacts_agree_with_the_reference),
        cmocka_unit_test(contacts_with_a_number_for_omega_agree_with_the_reference),
        cmocka_unit_test(soft_scenes_agree_with_cond),
        cmocka_unit_test(stiff_scenes_converge_honestly),
        cmocka_unit_test(steps_hardly_grow_with_the_mesh),
        cmocka_unit_test(thread_count_does_not_change_a_bit),
        cmocka_unit_test(known_product_changes_no_bit),
        cmocka_unit_test(stop_rules),
        cmocka_unit_test(bad_numbers_are_numerical_failures),
        cmocka_unit_test(never_diverges),
        cmocka_unit_test(rest_is_recognised),
        cmocka_unit_test(no_contacts_is_the_linear_solve),
        cmocka_unit_test(a_warm_arena_allocates_nothing),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
