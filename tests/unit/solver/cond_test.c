// cond against an independent reference, the source's Table I, and its own promises.
#include <stdio.h>

#include "base/memory.h"
#include "cond_problems.h"
#include "layout.h"
#include "problem/certificate.h"
#include "problem/hints.h"
#include "solver/cond/cond.h"
#include "solver/cond/system.h"
#include "solver/solvers.h"
#include "test.h"

enum { PROBLEMS = 200 };

static const char *const law_names[] = {"coulomb", "convex", "frictionless"};

static tn_solve_options tight(double tolerance)
{
    return (tn_solve_options){
        .tolerance = {.momentum = tolerance, .natural = tolerance}, .max_iterations = 20000, .n_threads = 1};
}

static tn_status run(small_problem *p, const tn_solve_options *options, const tn_cond_options *cond,
                     tn_solve_report *report)
{
    tn_arena *arena = tn_arena_create(0);
    assert_non_null(arena);
    tn_solution solution = {.v = p->v, .lambda = p->lambda};
    tn_error error = {0};
    *report = (tn_solve_report){0};
    tn_status status = tn_cond_solve(&p->problem, options, cond, arena, &solution, report, &error);
    tn_arena_destroy(arena);
    return status;
}

// Solve p by the reference and by cond from zeros; returns the largest difference in v [m/s].
static double against_reference(small_problem *p, const tn_cond_options *cond, int *iterations)
{
    double v[3 * MAX_BLOCKS];
    double change = reference_solve(p, 20000);
    assert_true(change < 1e-13);
    memcpy(v, p->v, sizeof v);
    cold(p);
    tn_solve_options options = tight(1e-12);
    tn_solve_report report;
    assert_int_equal(run(p, &options, cond, &report), TN_OK);
    assert_true(report.converged);
    *iterations = report.iterations > *iterations ? report.iterations : *iterations;
    return difference(p, v);
}

// mu <= 0.3 and W well conditioned: the solution is unique, so whoever finds one finds this one.
static void random_problems_agree_with_the_reference(void **state)
{
    static small_problem p;
    tn_cond_options cond = tn_cond_options_default();
    tn_arena *arena = tn_arena_create(0);
    for (int law = TN_LAW_COULOMB; law <= TN_LAW_FRICTIONLESS; law++) {
        double worst = 0.0;
        int iterations = 0;
        for (int s = 0; s < PROBLEMS; s++) {
            tn_arena_reset(arena);
            make_random(&p, s % 4, (tn_law)law, (uint64_t)s, arena);
            worst = fmax(worst, against_reference(&p, &cond, &iterations));
        }
        printf("%-12s: largest |dv| of %d problems %.1e m/s (limit 1e-8), at most %d iterations\n", law_names[law],
               PROBLEMS, worst, iterations);
        assert_true(worst < 1e-8);
    }
    tn_arena_destroy(arena);
}

// Two friction coefficients and a full Omega on every contact: gamma grows by Omega, the projection is the ellipse's.
static void anisotropic_and_invertible_contacts_agree_with_the_reference(void **state)
{
    static small_problem p;
    tn_cond_options cond = tn_cond_options_default();
    tn_arena *arena = tn_arena_create(0);
    double worst = 0.0;
    int iterations = 0;
    for (int s = 0; s < 60; s++) {
        tn_arena_reset(arena);
        make_random(&p, s % 4, s / 4 % 2 ? TN_LAW_CONVEX : TN_LAW_COULOMB, (uint64_t)(1000 + s), arena);
        p.contacts.softness = s % 8 < 4 ? p.omega : NULL;
        for (int m = 0; m < p.contacts.n_triples; m++) {
            p.mu[2 * m + 1] = 0.3 * p.mu[2 * m];
            for (int k = 0; k < 9; k++) {
                p.omega[9 * m + k] = k % 4 == 0 ? 0.02 * (1 + k) : 0.005;
            }
        }
        worst = fmax(worst, against_reference(&p, &cond, &iterations));
    }
    printf("anisotropic, Omega: largest |dv| %.1e m/s (limit 1e-8), at most %d iterations\n", worst, iterations);
    assert_true(worst < 1e-8);
    tn_arena_destroy(arena);
}

static void every_acceleration_finds_the_same_solution(void **state)
{
    static small_problem p;
    static const char *const names[] = {"plain", "chebyshev", "barzilai-borwein", "anderson", "adaptive"};
    tn_arena *arena = tn_arena_create(0);
    for (int kind = TN_COND_PLAIN; kind <= TN_COND_ADAPTIVE; kind++) {
        tn_cond_options cond = tn_cond_options_default();
        cond.acceleration = (tn_cond_acceleration)kind;
        double worst = 0.0;
        int iterations = 0;
        for (int s = 0; s < 30; s++) {
            tn_arena_reset(arena);
            make_random(&p, s % 4, TN_LAW_COULOMB, (uint64_t)s, arena);
            worst = fmax(worst, against_reference(&p, &cond, &iterations));
        }
        printf("%-17s |dv| %.1e m/s (limit 1e-8), at most %d iterations\n", names[kind], worst, iterations);
        assert_true(worst < 1e-8);
    }
    tn_arena_destroy(arena);
}

// A rounded to single precision iterates, double precision decides: the solution is the same to 1e-12.
static void single_precision_finds_the_same_solution(void **state)
{
    static small_problem p;
    tn_arena *arena = tn_arena_create(0);
    for (int kind = TN_COND_PLAIN; kind <= TN_COND_ADAPTIVE; kind++) {
        tn_cond_options cond = tn_cond_options_default();
        cond.acceleration = (tn_cond_acceleration)kind;
        cond.single_from = 1;
        double worst = 0.0;
        int iterations = 0;
        for (int s = 0; s < 40; s++) {
            tn_arena_reset(arena);
            make_random(&p, s % 4, (tn_law)(s % 3), (uint64_t)s, arena);
            worst = fmax(worst, against_reference(&p, &cond, &iterations));
        }
        tn_arena_reset(arena);
        elastic_lattice(&p, 1e3, 0.3, arena);
        double lattice = against_reference(&p, &cond, &iterations);
        printf("single, acceleration %d: |dv| %.1e, lattice %.1e m/s (limit 1e-8), at most %d iterations\n", kind,
               worst, lattice, iterations);
        assert_true(worst < 1e-8 && lattice < 1e-8);
    }
    tn_arena_destroy(arena);
}

// Stiffness 1e4 N/m: modes ten thousand times slower than the fastest. What acceleration is for.
static void stiff_lattice_needs_acceleration(void **state)
{
    static small_problem p;
    tn_arena *arena = tn_arena_create(0);
    int iterations[5] = {0};
    for (int kind = TN_COND_PLAIN; kind <= TN_COND_ADAPTIVE; kind++) {
        tn_arena_reset(arena);
        elastic_lattice(&p, 1e4, 0.3, arena);
        tn_cond_options cond = tn_cond_options_default();
        cond.acceleration = (tn_cond_acceleration)kind;
        double error = against_reference(&p, &cond, &iterations[kind]);
        printf("lattice, acceleration %d: |dv| %.1e m/s (limit 1e-8), %d iterations\n", kind, error, iterations[kind]);
        assert_true(error < 1e-8);
    }
    assert_true(2 * iterations[TN_COND_ADAPTIVE] < iterations[TN_COND_PLAIN]);
    tn_arena_destroy(arena);
}

// Four corners of one rigid box: 12 rows on 6 velocities, N has rank 6. v is unique all the same: v_y by balance.
static void box_on_four_corners_is_exact(void **state)
{
    static small_problem p;
    tn_arena *arena = tn_arena_create(0);
    const double h = 0.01, mass = 0.5, g = 9.81, mu = 0.2, force[2] = {0.5, 2.0};
    tn_cond_options cond = tn_cond_options_default();
    for (int i = 0; i < 2; i++) {
        box_on_corners(&p, TN_LAW_COULOMB, mu, 1.0 / h, arena);
        p.b[1] = force[i];
        p.b[2] = -mass * g;
        tn_solve_options options = tight(1e-12);
        tn_solve_report report;
        assert_int_equal(run(&p, &options, &cond, &report), TN_OK);
        assert_true(report.converged);
        double expected[6] = {0.0, h / mass * fmax(0.0, force[i] - mu * mass * g), 0.0, 0.0, 0.0, 0.0};
        double error = difference(&p, expected);
        printf("box, %.1f N: v_y %.12f, error %.1e m/s (limit 1e-10), %d iterations\n", force[i], p.v[1], error,
               report.iterations);
        assert_true(error < 1e-10);
    }
    tn_arena_destroy(arena);
}

typedef struct slide {
    double error[3]; // mean over time of the distance to the exact sliding box [m]
    int iterations;  // largest
} slide;

// Table I's box over 1 s by hand: midpoint, h = 10 ms, gap term none. The exact answer is 1/2 (F/m - mu g) t^2.
static slide slide_box(double k_v, const tn_cond_options *cond)
{
    static small_problem p;
    const double h = 0.01, mass = 0.5, inertia = 0.5 * 0.04 / 6.0, g = 9.81, mu = 0.2, force = 2.0;
    double v[6] = {0.0}, x[3] = {0.0}, warm[6] = {0.0}, lambda[12] = {0.0};
    slide result = {0};
    tn_arena *arena = tn_arena_create(0);
    for (int k = 1; k <= 100; k++) {
        box_on_corners(&p, TN_LAW_COULOMB, mu, 2.0 / h, arena);
        for (int i = 0; i < 6; i++) {
            p.b[i] = 2.0 * (i < 3 ? mass : inertia) / h * v[i];
        }
        p.b[1] += force;
        p.b[2] -= mass * g;
        memcpy(p.v, warm, sizeof warm);
        memcpy(p.lambda, lambda, sizeof lambda);
        double softness[36] = {0.0};
        for (int i = 0; i < 36; i++) {
            softness[i] = i % 9 % 4 == 0 ? 1.0 / k_v : 0.0;
        }
        p.contacts.softness = softness;
        tn_solve_options options = tight(isfinite(k_v) ? 1e-10 : 1e-13);
        tn_solve_report report;
        assert_int_equal(run(&p, &options, cond, &report), TN_OK);
        assert_true(report.converged);
        result.iterations = report.iterations > result.iterations ? report.iterations : result.iterations;
        memcpy(warm, p.v, sizeof warm);
        memcpy(lambda, p.lambda, sizeof lambda);
        for (int i = 0; i < 6; i++) {
            x[i % 3] += i < 3 ? h * p.v[i] : 0.0;
            v[i] = 2.0 * p.v[i] - v[i];
        }
        double exact[3] = {0.0, 0.5 * (force / mass - mu * g) * k * h * k * h, 0.0};
        for (int i = 0; i < 3; i++) {
            result.error[i] += fabs(x[i] - exact[i]) / 101.0; // the start, without error, is one of 101 positions
        }
        tn_arena_reset(arena);
    }
    tn_arena_destroy(arena);
    return result;
}

// Table I of the source: mean position error for three gains of the virtual nodes, eliminated: a softness of 1/k_v.
static void table_1_and_the_exact_limit(void **state)
{
    static const double k_v[3] = {1e3, 1e4, 1e5};
    static const double y_mm[3] = {0.1226, 0.0122, 0.0012}, z_mm[3] = {0.6131, 0.0612, 0.0061};
    tn_cond_options cond = tn_cond_options_default();
    for (int i = 0; i < 3; i++) {
        slide s = slide_box(k_v[i], &cond);
        printf("k_v %.0e: y %.5f mm (Table I %.4f), z %.5f mm (%.4f), x %.1e mm, at most %d iterations\n", k_v[i],
               1e3 * s.error[1], y_mm[i], 1e3 * s.error[2], z_mm[i], 1e3 * s.error[0], s.iterations);
        // 5 % of the table; its last digit is up to 5 % of its smallest numbers.
        assert_true(fabs(1e3 * s.error[1] - y_mm[i]) < 0.05 * y_mm[i]);
        assert_true(fabs(1e3 * s.error[2] - z_mm[i]) < 0.05 * z_mm[i]);
        // Proportional to 1/k_v: m g/4 / k_v times the mean time, friction mu times that along y.
        double exact_z = 0.5 * 9.81 / 4.0 / k_v[i] * 0.5;
        assert_true(fabs(s.error[2] / exact_z - 1.0) < 0.01);
        assert_true(fabs(s.error[1] / (0.2 * exact_z) - 1.0) < 0.02);
    }
    slide s = slide_box(INFINITY, &cond);
    printf("k_v infinite: x %.1e y %.1e z %.1e m (limit 1e-10)\n", s.error[0], s.error[1], s.error[2]);
    assert_true(s.error[0] < 1e-10 && s.error[1] < 1e-10 && s.error[2] < 1e-10);
}

// A = (1 - c) I + c 11^T: Frobenius W leaves lambda_max(W A) = 2.77 here, where plain V-FPI diverges.
static void make_frobenius_trap(small_problem *p, tn_arena *arena)
{
    static tn_blocks_entry entries[144];
    begin_problem(p, TN_LAW_COULOMB);
    for (int i = 0; i < 144; i++) {
        entries[i].row = i / 12;
        entries[i].column = i % 12;
        for (int k = 0; k < 9; k++) {
            entries[i].value[k] = i / 12 == i % 12 && k % 4 == 0 ? 1.0 : 0.3;
        }
    }
    p->problem.A = tn_blocks_from_entries(12, 12, 144, entries, arena);
    for (int m = 0; m < 4; m++) {
        const double up[3] = {0.0, 0.0, 1.0};
        begin_contact(p, up, 0.2, 0.1);
        add_entry(p, m, 1.0, p->frame + 9 * m);
        finish_contact(p);
    }
    for (int i = 0; i < 36; i++) {
        p->b[i] = sin(i) - (i % 3 == 2 ? 1.0 : 0.0);
    }
}

static void frobenius_w_is_guarded(void **state)
{
    static small_problem p;
    tn_arena *arena = tn_arena_create(0);
    make_frobenius_trap(&p, arena);
    tn_cond_options cond = tn_cond_options_default();
    tn_cond_system system;
    assert_int_equal(tn_cond_system_create(&p.problem, &cond, 1, arena, &system, NULL), TN_OK);
    double eigenvalue = tn_cond_largest_eigenvalue(&system, arena);
    printf("lambda_max(W A) %.3f before the guard (theory 2.771)\n", eigenvalue);
    assert_true(fabs(eigenvalue - 11.5 / 4.15) < 1e-3);

    // Unguarded a plain iteration grows 1.77 times a step.
    int iterations = 0;
    cond.acceleration = TN_COND_PLAIN;
    assert_true(against_reference(&p, &cond, &iterations) < 1e-8);
    tn_arena_destroy(arena);
}

// A W for which the iteration diverges: the solver notices, makes itself safe, and still finds the solution.
static void divergence_falls_back_to_a_safe_setting(void **state)
{
    static small_problem p;
    tn_arena *arena = tn_arena_create(0);
    make_frobenius_trap(&p, arena);
    for (int kind = TN_COND_PLAIN; kind <= TN_COND_ADAPTIVE; kind++) {
        tn_cond_options cond = tn_cond_options_default();
        cond.acceleration = (tn_cond_acceleration)kind;
        cond.uniform_w = 5.0 / 11.5;
        int iterations = 0;
        double error = against_reference(&p, &cond, &iterations);
        printf("W 2.5 times too large, acceleration %d: |dv| %.1e (limit 1e-8), %d iterations\n", kind, error,
               iterations);
        assert_true(error < 1e-8);
    }
    // Stopped in the middle of the trouble it returns its best iterate, not the last, and says no.
    tn_cond_options cond = tn_cond_options_default();
    cond.acceleration = TN_COND_PLAIN;
    cond.uniform_w = 5.0 / 11.5;
    tn_solve_options options = tight(1e-12);
    options.max_iterations = 49;
    cold(&p);
    tn_solve_report report;
    assert_int_equal(run(&p, &options, &cond, &report), TN_OK);
    assert_false(report.converged);
    double size = 0.0;
    for (int i = 0; i < 36; i++) {
        size = fmax(size, fabs(p.v[i]));
    }
    printf("best iterate while diverging: |v| %.2g m/s (limit 1e3; the last one is 1e8)\n", size);
    assert_true(size < 1e3);
    tn_arena_destroy(arena);
}

static void stop_rules(void **state)
{
    static small_problem p;
    tn_arena *arena = tn_arena_create(0);
    random_nodes(&p, TN_LAW_COULOMB, 5, false, arena);
    tn_cond_options cond = tn_cond_options_default();
    tn_solve_report report;

    // theta alone: the document's rule.
    tn_solve_options options = {.tolerance = {.theta = 1e-4}, .max_iterations = 1000, .n_threads = 1};
    cond.acceleration = TN_COND_CHEBYSHEV;
    assert_int_equal(run(&p, &options, &cond, &report), TN_OK);
    assert_true(report.converged && report.theta < 1e-4);
    int rough = report.iterations;

    // The certificate's figures: many more iterations, and they hold.
    options = tight(1e-10);
    cold(&p);
    assert_int_equal(run(&p, &options, &cond, &report), TN_OK);
    assert_true(report.converged);
    tn_certificate certificate;
    tn_solution solution = {.v = p.v, .lambda = p.lambda};
    assert_int_equal(tn_certificate_compute(&p.problem, &solution, false, arena, &certificate), TN_OK);
    printf("theta 1e-4: %d iterations; momentum %.1e, natural %.1e (limits 1e-10): %d\n", rough, certificate.momentum,
           certificate.natural, report.iterations);
    assert_true(certificate.momentum <= 1e-10 && certificate.natural <= 1e-10 && report.iterations > rough);

    // A solution as warm start is recognised at the first look.
    assert_int_equal(run(&p, &options, &cond, &report), TN_OK);
    assert_int_equal(report.iterations, 1);

    // The balance of a rigid body always holds: momentum alone demands the contact law as well.
    static small_problem box;
    box_on_corners(&box, TN_LAW_COULOMB, 0.2, 100.0, arena);
    box.b[1] = 2.0;
    box.b[2] = -4.905;
    options.tolerance = (tn_tolerance){.momentum = 1e-10};
    assert_int_equal(run(&box, &options, &cond, &report), TN_OK);
    solution = (tn_solution){.v = box.v, .lambda = box.lambda};
    assert_int_equal(tn_certificate_compute(&box.problem, &solution, false, arena, &certificate), TN_OK);
    printf("momentum alone on a rigid box: natural %.1e (limit 1e-10)\n", certificate.natural);
    assert_true(certificate.natural <= 1e-10);

    // Too few iterations are said to be; nothing demanded runs them all.
    cold(&p);
    options = tight(1e-10);
    options.max_iterations = 3;
    assert_int_equal(run(&p, &options, &cond, &report), TN_OK);
    assert_false(report.converged);
    options.tolerance = (tn_tolerance){0};
    options.max_iterations = 17;
    assert_int_equal(run(&p, &options, &cond, &report), TN_OK);
    assert_int_equal(report.iterations, 17);
    tn_arena_destroy(arena);
}

static void bad_numbers_are_numerical_failures(void **state)
{
    static small_problem p;
    tn_arena *arena = tn_arena_create(0);
    tn_cond_options cond = tn_cond_options_default();
    tn_solve_options options = tight(1e-8);
    tn_solve_report report;

    random_nodes(&p, TN_LAW_COULOMB, 1, false, arena);
    p.b[4] = NAN;
    p.v[0] = 7.0;
    assert_int_equal(run(&p, &options, &cond, &report), TN_NUMERICS);
    assert_true(p.v[0] == 7.0);

    box_on_corners(&p, TN_LAW_COULOMB, 0.2, 100.0, arena);
    p.problem.A->value[4] = -1.0;
    assert_int_equal(run(&p, &options, &cond, &report), TN_NUMERICS);

    tn_problem local = {.rows = &p.contacts, .W = p.problem.A};
    assert_non_null(tn_solver_refusal(&tn_solver_cond, &local));
    assert_null(tn_solver_refusal(&tn_solver_cond, &p.problem));
    tn_arena_destroy(arena);
}

static void no_contacts_is_the_linear_solve(void **state)
{
    static small_problem p;
    tn_arena *arena = tn_arena_create(0);
    random_nodes(&p, TN_LAW_COULOMB, 3, false, arena);
    p.contacts.n_triples = 0;
    p.contacts.start = NULL;
    tn_cond_options cond = tn_cond_options_default();
    tn_solve_options options = tight(1e-12);
    tn_solve_report report;
    assert_int_equal(run(&p, &options, &cond, &report), TN_OK);
    double r[36], worst = 0.0;
    tn_blocks_mul(p.problem.A, p.v, r);
    for (int i = 0; i < 36; i++) {
        worst = fmax(worst, fabs(r[i] - p.b[i]));
    }
    printf("no contacts: |A v - b| %.1e N (limit 1e-9)\n", worst);
    assert_true(report.converged && worst < 1e-9);
    tn_arena_destroy(arena);
}

static void thread_count_does_not_change_a_bit(void **state)
{
    static small_problem p;
    static double v[3 * MAX_BLOCKS];
    tn_arena *arena = tn_arena_create(0);
    for (int n_threads = 1; n_threads <= 2; n_threads++) {
        random_nodes(&p, TN_LAW_COULOMB, 11, true, arena);
        tn_cond_options cond = tn_cond_options_default();
        tn_solve_options options = tight(1e-10);
        options.n_threads = n_threads;
        tn_solve_report report;
        assert_int_equal(run(&p, &options, &cond, &report), TN_OK);
        if (n_threads == 1) {
            memcpy(v, p.v, sizeof v);
        }
    }
    assert_memory_equal(v, p.v, sizeof v);
    tn_arena_destroy(arena);
}

// What the layout does not hold cond makes itself: layouts of large meshes have no plain ordering.
static void ordering_may_come_from_anywhere(void **state)
{
    static small_problem p;
    static double v[3 * MAX_BLOCKS];
    tn_arena *arena = tn_arena_create(0);
    for (int kind = 0; kind < 3; kind++) {
        random_nodes(&p, TN_LAW_COULOMB, 11, true, arena);
        tn_layout *layout = layout_of(p.problem.A, NULL, arena);
        if (kind == 1) {
            layout->plain = (tn_ordering){0};
        }
        const tn_hints hints = {.parts = layout->parts, .layout = layout};
        p.problem.hints = kind < 2 ? &hints : NULL;
        tn_cond_options cond = tn_cond_options_default();
        tn_solve_options options = tight(1e-10);
        tn_solve_report report;
        assert_int_equal(run(&p, &options, &cond, &report), TN_OK);
        if (kind == 0) {
            memcpy(v, p.v, sizeof v);
        }
        assert_memory_equal(v, p.v, sizeof v);
    }
    p.problem.hints = NULL;
    tn_arena_destroy(arena);
}

// Every request for memory may fail: always TN_NO_MEMORY, never a crash or a leak (the sanitizers look).
static void running_out_of_memory_is_reported(void **state)
{
    static small_problem p;
    tn_arena *arena = tn_arena_create(0);
    random_nodes(&p, TN_LAW_COULOMB, 2, true, arena);
    tn_cond_options cond = tn_cond_options_default();
    tn_solve_options options = tight(1e-8);
    int failures = 0;
    for (long n = 0; n < 40; n++) {
        tn_arena *scratch = tn_arena_create(64);
        tn_solution solution = {.v = p.v, .lambda = p.lambda};
        tn_solve_report report = {0};
        tn_memory_fail_after(n);
        tn_status status = tn_cond_solve(&p.problem, &options, &cond, scratch, &solution, &report, NULL);
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
        cmocka_unit_test(anisotropic_and_invertible_contacts_agree_with_the_reference),
        cmocka_unit_test(every_acceleration_finds_the_same_solution),
        cmocka_unit_test(single_precision_finds_the_same_solution),
        cmocka_unit_test(stiff_lattice_needs_acceleration),
        cmocka_unit_test(box_on_four_corners_is_exact),
        cmocka_unit_test(table_1_and_the_exact_limit),
        cmocka_unit_test(frobenius_w_is_guarded),
        cmocka_unit_test(divergence_falls_back_to_a_safe_setting),
        cmocka_unit_test(stop_rules),
        cmocka_unit_test(bad_numbers_are_numerical_failures),
        cmocka_unit_test(no_contacts_is_the_linear_solve),
        cmocka_unit_test(thread_count_does_not_change_a_bit),
        cmocka_unit_test(ordering_may_come_from_anywhere),
        cmocka_unit_test(running_out_of_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
