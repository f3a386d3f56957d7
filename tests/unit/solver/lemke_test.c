// lemke: the polyhedral law by the certificate's natural map on random problems, agreement with solvers of the round
// cone where both cones are the same, redundant contacts, joints, refusals.
#include "facets_problem.h"

#include "problem/rows.h"

// Up to 60 contacts in space on as many blocks: full rank, so the cone is pointed.
static void random_space(void **state)
{
    for (int law = 0; law < 3; ++law) {
        double worst = 0.0, momentum = 0.0, strict = 0.0;
        int rounds = 0, sliding = 0, open = 0;
        for (uint64_t seed = 1; seed <= 24; ++seed) {
            static const int facets[] = {4, 6, 8, 12};
            int n = 2 + (int)(seed * 23 % 59), l = facets[seed % 4];
            n = l > 8 && n > 30 ? 30 : n;
            friction_problem *f = friction_global(seed, n, n, seed % 2 == 1, 0.9);
            tn_solve_report r = facets_solve(f, "lemke", (tn_law)law, l);
            assert_true(r.converged);
            worst = fmax(worst, r.certificate.natural);
            strict = fmax(strict, r.certificate.strict_natural);
            momentum = fmax(momentum, r.certificate.momentum);
            rounds = r.iterations > rounds ? r.iterations : rounds;
            double u[3 * FRICTION_CONTACTS];
            friction_velocity(&f->problem, f->lambda, u);
            for (int m = 0; m < n; ++m) {
                open += f->lambda[3 * m] == 0.0;
                sliding += f->lambda[3 * m] > 0.0 && fabs(u[3 * m + 1]) + fabs(u[3 * m + 2]) > 1e-6;
            }
            friction_destroy(f);
        }
        printf(
            "law %d, up to 60 contacts: natural %.1e (limit %.0e), momentum %.1e, round cone's %.1e; at most %d rounds "
            "of pivots; %d open, %d sliding\n",
            law, worst, FACETS_LIMIT, momentum, strict, rounds, open, sliding);
        assert_true(worst <= FACETS_LIMIT && momentum <= FACETS_LIMIT && open > 50 && sliding > 50);
    }
}

// Sweeps with the exact solve of each contact's polyhedral cone come to the same solutions: the velocity of the convex
// law is unique, that of the strict one at low friction.
static void sweeps_agree(void **state)
{
    static const int facets[] = {2, 4, 6, 8, 12};
    static const char *const names[] = {"strict", "convex", "frictionless"};
    for (int law = 0; law < 3; ++law) {
        double worst = 0.0, natural = 0.0;
        int converged = 0;
        for (uint64_t seed = 1; seed <= 40; ++seed) {
            int n = 2 + (int)(seed * 7 % 23);
            friction_problem *f = friction_global(seed, n, n, seed % 2 == 1, law == TN_LAW_COULOMB ? 0.2 : 0.9);
            double v[3 * FRICTION_ROWS];
            assert_true(facets_solve(f, "lemke", (tn_law)law, facets[seed % 5]).converged);
            memcpy(v, f->v, sizeof v);
            memset(f->lambda, 0, sizeof f->lambda);
            tn_solve_report r = facets_solve(f, "pgs", (tn_law)law, facets[seed % 5]);
            converged += r.converged;
            if (r.converged) {
                natural = fmax(natural, r.certificate.natural);
                worst = fmax(worst, facets_difference(3 * n, v, f->v));
            }
            friction_destroy(f);
        }
        printf("%s: pgs reaches %d of 40, natural %.1e (limit %.0e), v %.1e from lemke's (limit 1e-7)\n", names[law],
               converged, natural, FACETS_LIMIT, worst);
        assert_true(converged >= 38 && natural <= FACETS_LIMIT && worst <= 1e-7);
    }
}

// Twice as many contacts as blocks, and W of rank below its size: forces are not unique.
static void random_dependent(void **state)
{
    double worst = 0.0;
    int solved = 0, rays = 0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        int n = 6 + (int)(seed * 5 % 55);
        friction_problem *f = friction_global(seed, n / 3, n, seed % 2 == 1, 0.4);
        f->problem.facets = 4 + 2 * (int)(seed % 3);
        tn_solve_options options = tn_solve_options_default();
        tn_solve_report report;
        tn_error error = {0};
        tn_status status = tn_problem_solve(&f->problem, "lemke", &options, &f->solution, &report, &error);
        if (status == TN_OK) {
            ++solved;
            worst = fmax(worst, report.certificate.natural);
            assert_true(report.converged);
        } else {
            assert_int_equal(status, TN_NUMERICS);
            assert_non_null(strstr(error.message, "ray"));
            ++rays;
        }
        friction_destroy(f);
    }
    printf("three contacts a block: %d solved, natural %.1e (limit %.0e), %d rays (contacts that contradict)\n", solved,
           worst, FACETS_LIMIT, rays);
    assert_true(worst <= FACETS_LIMIT && solved > 0);
}

// In the plane two facets are the round cone: the same v as newton's.
static void planar(void **state)
{
    double worst = 0.0, natural = 0.0;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        int n = 2 + (int)(seed % 20);
        friction_problem *f = friction_global(seed, n, n, seed % 2 == 1, 0.3);
        double v[3 * FRICTION_ROWS];
        facets_make_planar(f);
        tn_law law = seed % 3 == 0 ? TN_LAW_CONVEX : TN_LAW_COULOMB;
        assert_true(facets_solve(f, "newton", law, 0).converged);
        memcpy(v, f->v, sizeof v);
        for (int facets = 0; facets <= 2; facets += 2) {
            tn_solve_report r = facets_solve(f, "lemke", law, facets);
            assert_true(r.converged);
            natural = fmax(natural, fmax(r.certificate.natural, r.certificate.strict_natural * (law == 0)));
            worst = fmax(worst, facets_difference(3 * n, f->v, v));
        }
        friction_destroy(f);
    }
    printf("planar: v %.1e from newton's (limit 1e-8: tolerance 1e-10 times the condition of N), natural %.1e\n", worst,
           natural);
    assert_true(worst <= 1e-8 && natural <= FACETS_LIMIT);
}

static void frictionless(void **state)
{
    double worst = 0.0;
    for (uint64_t seed = 1; seed <= 30; ++seed) {
        friction_problem *f = friction_global(seed, 12, 18, seed % 2 == 1, 0.3);
        double v[3 * FRICTION_ROWS];
        facets_solve(f, "newton", TN_LAW_FRICTIONLESS, 0);
        memcpy(v, f->v, sizeof v);
        assert_true(facets_solve(f, "lemke", TN_LAW_FRICTIONLESS, 0).converged);
        worst = fmax(worst, facets_difference(36, f->v, v));
        friction_destroy(f);
    }
    printf("frictionless: v %.1e from newton's (limit 1e-8)\n", worst);
    assert_true(worst <= 1e-8);
}

// More facets come closer to the round cone. A sliding force may be off by half the angle between two directions, so
// the error falls with their number.
static void facets_to_round(void **state)
{
    enum { SEEDS = 12 };
    double first = 0.0, mean = 0.0;
    for (int facets = 4; facets <= 64; facets *= 4) {
        mean = 0.0;
        for (uint64_t seed = 1; seed <= SEEDS; ++seed) {
            friction_problem *f = friction_global(seed, 6, 6, false, 0.3);
            double v[3 * FRICTION_ROWS];
            facets_solve(f, "newton", TN_LAW_CONVEX, 0);
            memcpy(v, f->v, sizeof v);
            assert_true(facets_solve(f, "lemke", TN_LAW_CONVEX, facets).converged);
            mean += facets_difference(18, f->v, v) / SEEDS;
            friction_destroy(f);
        }
        first = facets == 4 ? mean : first;
        printf("%2d facets: v %.1e from the round cone's on average\n", facets, mean);
    }
    assert_true(mean < first / 8.0);
}

// Local form, W symmetric and not.
static void local_form(void **state)
{
    double worst = 0.0;
    for (uint64_t seed = 1; seed <= 20; ++seed) {
        enum { N = 10, SIZE = 3 * N };
        static double W[SIZE * SIZE], q[SIZE];
        for (int i = 0; i < SIZE; ++i) {
            q[i] = friction_random(seed, 30, (uint64_t)i);
            for (int j = 0; j < SIZE; ++j) {
                double skew = seed % 2 ? 0.1 * friction_random(seed, 31, (uint64_t)(i * SIZE + j)) : 0.0;
                W[i * SIZE + j] = (i == j ? 1.0 : 0.0) + skew;
                for (int k = 0; k < SIZE; ++k) {
                    W[i * SIZE + j] += 0.05 * friction_random(seed, 32, (uint64_t)(i * SIZE + k)) *
                                       friction_random(seed, 32, (uint64_t)(j * SIZE + k));
                }
            }
        }
        friction_problem *f = friction_local(N, W, q, 0.7);
        tn_solve_report r = facets_solve(f, "lemke", TN_LAW_COULOMB, 8);
        assert_true(r.converged);
        worst = fmax(worst, r.certificate.natural);
        friction_destroy(f);
    }
    printf("local form, half of them not symmetric: natural %.1e (limit %.0e)\n", worst, FACETS_LIMIT);
    assert_true(worst <= FACETS_LIMIT);
}

// A stack of boxes on the ground, half a metre each, four contacts an interface: forces are redundant, ties everywhere.
static friction_problem *make_stack(int boxes, uint64_t seed)
{
    friction_problem *f = calloc(1, sizeof *f);
    assert_true(f && 4 * boxes <= FRICTION_CONTACTS && 2 * boxes <= FRICTION_ROWS);
    f->arena = tn_arena_create(0);
    tn_blocks_entry *entries = calloc((size_t)(2 * boxes), sizeof *entries);
    assert_true(entries && f->arena);
    double h = 0.01, mass = 2.0;
    for (int b = 0; b < boxes; ++b) {
        entries[2 * b] = (tn_blocks_entry){2 * b, 2 * b, {mass / h, 0, 0, 0, mass / h, 0, 0, 0, mass / h}};
        double inertia = mass * 0.25 / 6.0 / h;
        entries[2 * b + 1] = (tn_blocks_entry){2 * b + 1, 2 * b + 1, {inertia, 0, 0, 0, inertia, 0, 0, 0, inertia}};
        f->b[6 * b + 2] = -9.81 * mass;
        if (seed > 0) { // seed 0: all ties stay
            f->b[6 * b] = 8.0 * friction_random(seed, 40, (uint64_t)b);
            f->b[6 * b + 1] = 8.0 * friction_random(seed, 41, (uint64_t)b);
        }
    }
    int used = 0, n = 0;
    static const double frame[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}; // n = z, t1 = x, t2 = y
    for (int b = 0; b < boxes; ++b) {
        for (int corner = 0; corner < 4; ++corner, ++n) {
            f->start[n] = used;
            f->mu[2 * n] = f->mu[2 * n + 1] = 0.5;
            for (int side = b > 0 ? 0 : 1; side < 2; ++side) { // below, then the box
                double sign = side ? 1.0 : -1.0;
                double r[3] = {corner & 1 ? 0.25 : -0.25, corner & 2 ? 0.25 : -0.25, side ? -0.25 : 0.25};
                f->block[used] = 2 * (b - 1 + side);
                f->block[used + 1] = f->block[used] + 1;
                for (int i = 0; i < 3; ++i) {
                    const double *d = frame + 3 * i;
                    double spin[3] = {r[1] * d[2] - r[2] * d[1], r[2] * d[0] - r[0] * d[2], r[0] * d[1] - r[1] * d[0]};
                    for (int k = 0; k < 3; ++k) {
                        f->jacobian[9 * used + 3 * i + k] = sign * d[k];
                        f->jacobian[9 * used + 9 + 3 * i + k] = sign * spin[k];
                    }
                }
                used += 2;
            }
        }
    }
    f->start[n] = used;
    f->contacts = (tn_rows){.n_triples = n, .offset = f->offset, .mu = f->mu, .start = f->start, .block = f->block};
    f->contacts.jacobian = f->jacobian;
    f->problem = (tn_problem){.A = tn_blocks_from_entries(2 * boxes, 2 * boxes, 2 * boxes, entries, f->arena),
                              .b = f->b,
                              .rows = &f->contacts,
                              .step = h};
    f->solution = (tn_solution){.v = f->v, .lambda = f->lambda};
    free(entries);
    return f;
}

static void redundant_stacks(void **state)
{
    double worst = 0.0;
    int rounds = 0;
    for (uint64_t seed = 0; seed < 16; ++seed) {
        int boxes = 1 + (int)(seed % 8);
        friction_problem *f = make_stack(boxes, seed / 2);
        for (int law = 0; law < 2; ++law) {
            tn_solve_report r = facets_solve(f, "lemke", (tn_law)law, seed % 3 == 0 ? 4 : 8);
            worst = fmax(worst, r.certificate.natural);
            rounds = r.iterations > rounds ? r.iterations : rounds;
            assert_true(r.converged);
            double weight = 0.0;
            for (int m = 0; m < 4; ++m) {
                weight += f->lambda[3 * m];
            }
            assert_true(seed / 2 > 0 || fabs(weight - 9.81 * 2.0 * boxes) < 1e-8 * weight);
        }
        friction_destroy(f);
    }
    printf("stacks of up to 8 boxes: natural %.1e (limit %.0e), at most %d rounds of pivots (limit 60)\n", worst,
           FACETS_LIMIT, rounds);
    assert_true(worst <= FACETS_LIMIT && rounds <= 60);
}

// From the solution of a problem a little different: systems of guessed contact states instead of pivots.
static void warm(void **state)
{
    double worst = 0.0, apart = 0.0;
    int cold = 0, few = 0, total = 0;
    for (uint64_t seed = 1; seed <= 60; ++seed) {
        static const int facets[] = {2, 4, 6, 12};
        int n = 4 + (int)(seed % 20);
        friction_problem *f = friction_global(seed, n, n, seed % 2 == 1, 0.3);
        tn_law law = seed % 3 == 0 ? TN_LAW_CONVEX : TN_LAW_COULOMB;
        facets_solve(f, "lemke", law, facets[seed % 4]);
        for (int i = 0; i < 3 * n; ++i) {
            f->b[i] += 0.05 * friction_random(seed, 50, (uint64_t)i);
        }
        tn_solve_options options = tn_solve_options_default();
        tn_solve_report report;
        tn_error error = {0};
        assert_int_equal(tn_problem_solve(&f->problem, "lemke", &options, &f->solution, &report, &error), TN_OK);
        double v[3 * FRICTION_ROWS];
        memcpy(v, f->v, sizeof v);
        assert_true(report.converged);
        worst = fmax(worst, report.certificate.natural);
        ++total;
        few += report.iterations <= 4;
        cold += report.iterations > 12;
        facets_solve(f, "lemke", law, facets[seed % 4]);
        apart = fmax(apart, facets_difference(3 * n, v, f->v)); // N well-conditioned and mu <= 0.3: v is unique
        friction_destroy(f);
    }
    printf("warm: natural %.1e (limit %.0e), v %.1e from the cold start's (limit 1e-9), at most 4 systems in %d of %d, "
           "%d had to pivot\n",
           worst, FACETS_LIMIT, apart, few, total, cold);
    assert_true(worst <= FACETS_LIMIT && apart <= 1e-9 && few > total / 2);
}

// A stack, solved again from its solution: redundant contacts make the guess's system singular.
static void warm_stack(void **state)
{
    for (uint64_t seed = 0; seed < 4; ++seed) {
        friction_problem *f = make_stack(6, seed);
        facets_solve(f, "lemke", TN_LAW_COULOMB, 8);
        double v[3 * FRICTION_ROWS];
        memcpy(v, f->v, sizeof v);
        tn_solve_options options = tn_solve_options_default();
        tn_solve_report report;
        tn_error error = {0};
        assert_int_equal(tn_problem_solve(&f->problem, "lemke", &options, &f->solution, &report, &error), TN_OK);
        double moved = 0.0;
        for (int i = 0; i < 36; ++i) {
            moved = fmax(moved, fabs(f->v[i] - v[i]));
        }
        printf("stack, seed %d, solved again: %d systems (limit 3), v moved by %.1e (limit 1e-12)\n", (int)seed,
               report.iterations, moved);
        assert_true(report.converged && report.iterations <= 3 && moved <= 1e-12);
        friction_destroy(f);
    }
}

// ---- joints

typedef struct rows {
    tn_rows rows, all; // all: with the contacts
    int start[16], block[32], joint[16];
    double jacobian[96], offset[16], compliance[16], lower[16], upper[16];
    double *force; // in the solution, after the contacts
} rows;

static void add_row(rows *r, int block, const double g[3], double offset, double lower, double upper)
{
    int i = r->rows.n_singles++;
    r->block[r->start[i]] = block;
    memcpy(r->jacobian + 3 * r->start[i], g, 3 * sizeof *g);
    r->start[i + 1] = r->start[i] + 1;
    r->offset[i] = offset;
    r->lower[i] = lower;
    r->upper[i] = upper;
    r->joint[i] = i;
}

static rows *make_rows(friction_problem *f)
{
    rows *r = calloc(1, sizeof *r);
    assert_non_null(r);
    r->rows = (tn_rows){.start = r->start,
                        .block = r->block,
                        .jacobian = r->jacobian,
                        .offset = r->offset,
                        .compliance = r->compliance,
                        .lower = r->lower,
                        .upper = r->upper,
                        .joint = r->joint};
    r->force = f->lambda + 3 * f->contacts.n_triples;
    return r;
}

// Bilateral rows, one of them twice and one the sum of two others; a limit, an upper limit and a friction force.
static void joints(void **state)
{
    double worst = 0.0, natural = 0.0, uneven = 0.0, apart = 0.0;
    int at_bound = 0, between = 0, compared = 0;
    for (uint64_t seed = 1; seed <= 30; ++seed) {
        friction_problem *f = friction_global(seed, 8, 6, seed % 2 == 1, 0.4);
        rows *r = make_rows(f);
        const double x[3] = {1, 0, 0}, y[3] = {0, 1, 0}, xy[3] = {1, 1, 0}, z[3] = {0.3, 0.2, 1};
        add_row(r, 6, x, 0.1, -INFINITY, INFINITY);
        add_row(r, 6, x, 0.1, -INFINITY, INFINITY);
        add_row(r, 7, x, 0.0, -INFINITY, INFINITY);
        add_row(r, 7, y, 0.2, -INFINITY, INFINITY);
        add_row(r, 7, xy, 0.2, -INFINITY, INFINITY);
        add_row(r, 5, z, 0.1, 0.0, INFINITY);
        add_row(r, 4, z, -0.1, -INFINITY, 0.0);
        add_row(r, 3, x, 0.0, -0.3, 0.4);
        add_row(r, 2, y, 0.0, 0.7, 0.7);
        r->compliance[5] = 0.2;
        assert_int_equal(tn_rows_join(&f->contacts, &r->rows, f->arena, &r->all), TN_OK);
        f->problem.rows = &r->all;
        tn_solve_report report = facets_solve(f, "lemke", TN_LAW_COULOMB, 8);
        assert_true(report.converged);
        worst = fmax(worst, report.certificate.joint);
        natural = fmax(natural, fmax(report.certificate.natural, report.certificate.momentum));
        uneven = fmax(uneven, fabs(r->force[0] - r->force[1]));
        at_bound += fabs(r->force[7] - 0.4) < 1e-12 || fabs(r->force[7] + 0.3) < 1e-12;
        between += fabs(r->force[7]) < 0.29;
        assert_true(r->force[8] == 0.7);
        // The same without friction and with the method of multipliers.
        double v[3 * FRICTION_ROWS];
        assert_true(facets_solve(f, "lemke", TN_LAW_FRICTIONLESS, 0).converged);
        memcpy(v, f->v, sizeof v);
        if (friction_solve(f, "newton", 1e-8).converged) { // the method of multipliers may end short of it
            ++compared;
            apart = fmax(apart, facets_difference(24, v, f->v));
        }
        free(r);
        friction_destroy(f);
    }
    printf("joint rows: %.1e, natural and momentum %.1e (limits %.0e), twin rows' forces differ by %.1e (limit 1e-9); "
           "friction row at its bound %d times, between them %d; v %.1e from newton's with multipliers (limit 1e-6, of "
           "1e-8 and a condition of 100)\n",
           worst, natural, FACETS_LIMIT, uneven, at_bound, between, apart);
    assert_true(apart <= 1e-6 && compared >= 20);
    assert_true(worst <= FACETS_LIMIT && natural <= FACETS_LIMIT && uneven <= 1e-9 && at_bound > 2 && between > 2);
}

// ---- what it does not take

static void refusals(void **state)
{
    friction_problem *f = friction_global(1, 4, 4, false, 0.5);
    tn_solve_options options = tn_solve_options_default();
    tn_solve_report report;
    tn_error error = {0};
    assert_int_equal(tn_problem_solve(&f->problem, "lemke", &options, &f->solution, &report, &error), TN_BAD_INPUT);
    assert_non_null(strstr(error.message, "solver.facets"));
    f->problem.facets = 8;
    assert_int_equal(tn_problem_solve(&f->problem, "ccs", &options, &f->solution, &report, &error), TN_BAD_INPUT);
    assert_non_null(strstr(error.message, "facets"));
    friction_destroy(f);
}

// Two walls that close in on a block: no velocity will do.
static void contradiction(void **state)
{
    friction_problem *f = friction_global(1, 2, 2, false, 0.0);
    memset(f->jacobian, 0, sizeof f->jacobian);
    f->start[1] = 1;
    f->start[2] = 2;
    f->block[0] = f->block[1] = 0;
    for (int k = 0; k < 3; ++k) {
        f->jacobian[4 * k] = 1.0;
        f->jacobian[9 + 4 * k] = k < 2 ? -1.0 : 1.0;
    }
    f->offset[0] = f->offset[3] = -1.0;
    f->problem.facets = 8;
    tn_solve_options options = tn_solve_options_default();
    tn_solve_report report;
    tn_error error = {0};
    assert_int_equal(tn_problem_solve(&f->problem, "lemke", &options, &f->solution, &report, &error), TN_NUMERICS);
    printf("%s\n", error.message);
    assert_non_null(strstr(error.message, "ray"));
    friction_destroy(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_space), cmocka_unit_test(sweeps_agree),     cmocka_unit_test(random_dependent),
        cmocka_unit_test(planar),       cmocka_unit_test(frictionless),     cmocka_unit_test(facets_to_round),
        cmocka_unit_test(local_form),   cmocka_unit_test(redundant_stacks), cmocka_unit_test(joints),
        cmocka_unit_test(refusals),     cmocka_unit_test(contradiction),    cmocka_unit_test(warm),
        cmocka_unit_test(warm_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
