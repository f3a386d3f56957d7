// Which of auto's routes problems take: small islands, planar grains under the convex law, towers that sweeps leave.
#include "friction_problem.h"

#include "math/vec3.h"
#include "solver/auto/kinds.h"
#include "solver/ipm/ipm.h"

enum { BOXES = 12 };
static const double STEP = 0.01, GRAVITY = 9.81, HALF = 0.5;

// A row of a contact at r from a box' centre: velocity along d.
static void put_row(double *linear, double *angular, int row, const double d[3], const double r[3], double sign)
{
    double turn[3];
    tn_vec3_cross(turn, r, d);
    for (int k = 0; k < 3; ++k) {
        linear[3 * row + k] = sign * d[k];
        angular[3 * row + k] = sign * turn[k];
    }
}

// Boxes on one another, four contacts a pair, each `ratio` times as heavy as the one below; planar: they slide along x
// alone.
static friction_problem *tower_of(int boxes, double ratio, bool planar)
{
    static const double axes[3][3] = {{0.0, 0.0, 1.0}, {1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}};
    friction_problem *f = friction_global(1, 2 * boxes, 4 * boxes, false, 0.5);
    int used = 0;
    memset(f->jacobian, 0, sizeof f->jacobian);
    for (int m = 0; m < 4 * boxes; ++m) {
        int upper = m / 4;
        double side[2] = {m % 2 ? HALF : -HALF, m % 4 < 2 ? HALF : -HALF};
        f->start[m] = used;
        for (int box = upper > 0 ? upper - 1 : upper; box <= upper; ++box) {
            double r[3] = {side[0], planar ? 0.0 : side[1], box == upper ? -HALF : HALF};
            for (int row = 0; row < (planar ? 2 : 3); ++row) {
                put_row(f->jacobian + 9 * used, f->jacobian + 9 * (used + 1), row, axes[row], r,
                        box == upper ? 1.0 : -1.0);
            }
            f->block[used++] = 2 * box;
            f->block[used++] = 2 * box + 1;
        }
        f->mu[2 * m] = f->mu[2 * m + 1] = 0.5;
        tn_vec3_set(f->offset + 3 * m, 0.0, 0.0, 0.0);
    }
    f->start[4 * boxes] = used;
    tn_blocks *A = (tn_blocks *)f->problem.A;
    memset(f->b, 0, sizeof f->b);
    double mass = 1.0;
    for (int box = 0; box < boxes; ++box, mass *= ratio) {
        for (int block = 2 * box; block < 2 * box + 2; ++block) {
            for (int e = A->start[block]; e < A->start[block + 1]; ++e) {
                for (int k = 0; k < 9; ++k) {
                    bool own = A->column[e] == block && k % 4 == 0;
                    A->value[9 * e + k] = own ? mass / STEP / (block % 2 ? 6.0 : 1.0) : 0.0;
                }
            }
        }
        f->b[6 * box] = 0.1 * mass * GRAVITY;
        f->b[6 * box + 2] = -mass * GRAVITY;
    }
    return f;
}

static friction_problem *tower(double ratio, bool planar)
{
    return tower_of(BOXES, ratio, planar);
}

static void test_small_islands(void **state)
{
    enum { MOST = 40 };
    double *W = calloc(9 * MOST * MOST, sizeof *W), q[3 * MOST];
    for (int n = 1; n <= MOST; n += n < 5 ? 1 : 7) {
        for (int i = 0; i < 9 * n * n; ++i) {
            W[i] = i % (3 * n + 1) == 0 ? 2.0 : 0.01;
        }
        for (int i = 0; i < 3 * n; ++i) {
            q[i] = i % 3 == 0 ? -1.0 : 0.1 * (i % 5);
        }
        friction_problem *f = friction_local(n, W, q, 0.4);
        tn_solve_report report = friction_solve(f, "auto", 1e-8);
        assert_true(report.converged);
        assert_string_equal(report.solver, n <= 3 ? "few" : "dense");
        friction_destroy(f);
    }
    free(W);
}

static void test_planar_convex(void **state)
{
    friction_problem *f = tower(1.0, true);
    f->problem.law = TN_LAW_CONVEX;
    tn_solve_report report = friction_solve(f, "auto", 1e-8);
    printf("convex law, planar: %s, natural %.1e (limit 1e-12)\n", report.solver, report.certificate.natural);
    assert_string_equal(report.solver, "qp");
    assert_true(report.converged && report.certificate.natural <= 1e-12);
    friction_destroy(f);
}

// In the plane they are swept first, from 20 contacts on, and end as exactly all the same.
static void test_small_planar_islands(void **state)
{
    for (int k = 0; k < 4; ++k) {
        int boxes = k % 2 ? 10 : 4;
        bool planar = k < 2;
        friction_problem *f = tower_of(boxes, 1.0, planar);
        tn_solve_options options = tn_solve_options_default();
        tn_traits traits = tn_traits_of(&f->problem, &options, f->arena);
        assert_true(tn_is_planar_and_small(&traits) == (planar && boxes == 10));
        tn_solve_report report = friction_solve(f, "auto", 1e-8);
        assert_true(report.converged);
        if (planar) {
            printf("%d planar boxes: %s, %d iterations, natural %.1e (limit 1e-12)\n", boxes, report.solver,
                   report.iterations, report.certificate.natural);
            assert_true(report.certificate.natural <= 1e-12);
        }
        friction_destroy(f);
    }
}

// Masses that double upward: sweeps alone need twenty times as many steps and more.
static void test_tower_leaves_sweeps(void **state)
{
    friction_problem *f = tower(2.0, false);
    tn_solve_report swept = friction_solve(f, "pgs", 1e-6), report = friction_solve(f, "auto", 1e-6);
    printf("heavy on light: pgs %d sweeps, auto %d steps by %s, natural %.1e\n", swept.iterations, report.iterations,
           report.solver, report.certificate.natural);
    assert_true(report.converged);
    assert_string_equal(report.solver, "ipm");
    assert_true(20 * report.iterations < swept.iterations);
    friction_destroy(f);
}

// Proximal steps go on beyond their share of the work as long as they get on.
static void test_proximal_steps_get_on(void **state)
{
    friction_problem *f = tower(2.0, false);
    tn_solve_options options = tn_solve_options_default();
    options.tolerance = (tn_tolerance){.natural = 1e-6};
    options.max_iterations = 1000;
    const tn_ipm_options limits = {.first_sweeps = 100, .work = 2e7};
    tn_solve_report report = {.solver = "ipm"};
    assert_int_equal(tn_ipm_solve(&f->problem, &options, &limits, f->arena, &f->solution, &report, NULL), TN_OK);
    printf("ipm within little work: %d iterations, %s\n", report.iterations, report.converged ? "done" : "open");
    assert_true(report.converged);
    friction_destroy(f);
}

// Equal masses that start from their solution: sweeps stay.
static void test_easy_tower_is_swept(void **state)
{
    friction_problem *f = tower(1.0, false);
    tn_solve_options options = tn_solve_options_default();
    options.tolerance = (tn_tolerance){.momentum = 1e-4, .natural = 1e-4};
    friction_solve(f, "ipm", 1e-9);
    tn_solve_report report;
    assert_int_equal(tn_problem_solve(&f->problem, "auto", &options, &f->solution, &report, NULL), TN_OK);
    assert_string_equal(report.solver, "pgs");
    assert_true(report.converged && report.iterations <= 5);
    friction_destroy(f);
}

// A motor turns the upper box of a tower: sweeps, which leave the rows of joints held. Of many joints they are not
// tried.
static void test_few_joints_are_swept(void **state)
{
    enum { TOWER = 15, CONTACTS = 4 * TOWER };
    static const double free_of[] = {0.0}, lower[] = {-0.05}, upper[] = {0.05};
    friction_problem *f = tower_of(TOWER, 1.0, false);
    int used = f->start[CONTACTS], box = TOWER - 1;
    double *row = f->jacobian + 9 * used, spins[2] = {0.0, 0.0};
    tn_vec3_set(row, 0.0, 0.0, 1.0);
    f->block[used] = 2 * box + 1;
    f->start[CONTACTS + 1] = used + 1;
    f->contacts.n_singles = 1;
    f->contacts.compliance = free_of;
    f->contacts.lower = lower;
    f->contacts.upper = upper;
    tn_solve_options options = tn_solve_options_default();
    options.tolerance.natural = 1e-3;
    tn_traits traits = tn_traits_of(&f->problem, &options, f->arena);
    assert_true(tn_is_jointed_and_crowded(&traits));
    traits.n_singles = CONTACTS;
    assert_false(tn_is_jointed_and_crowded(&traits));
    for (int k = 0; k < 2; ++k) { // the motor is too weak, then not
        double speed = k == 0 ? 1.0 : 1e-4;
        f->offset[3 * CONTACTS] = -speed;
        memset(f->lambda, 0, sizeof f->lambda);
        memset(f->v, 0, sizeof f->v);
        tn_solve_report report;
        assert_int_equal(tn_problem_solve(&f->problem, "auto", &options, &f->solution, &report, NULL), TN_OK);
        spins[k] = f->v[6 * box + 5];
        printf("motor on a tower: %s, %d sweeps, force %g of 0.05, rate %g of %g, joint %.1e (limit 1e-8)\n",
               report.solver, report.iterations, f->lambda[3 * CONTACTS], spins[k], speed, report.certificate.joint);
        assert_string_equal(report.solver, "pgs");
        assert_true(report.converged && report.certificate.joint <= 1e-8 && report.certificate.natural <= 1e-3);
        assert_true(k == 0 ? f->lambda[3 * CONTACTS] == 0.05 : fabs(spins[k] - speed) <= 1e-8);
    }
    friction_destroy(f);
}

static void test_kinds(void **state)
{
    friction_problem *f = tower(1.0, false), *loose = friction_global(7, 40, 60, false, 0.5);
    tn_solve_options options = tn_solve_options_default();
    options.tolerance.natural = 1e-6;
    tn_traits boxes = tn_traits_of(&f->problem, &options, f->arena);
    tn_traits others = tn_traits_of(&loose->problem, &options, loose->arena);
    assert_true(boxes.rigid && boxes.stacked && others.rigid && !others.stacked);
    assert_true(tn_is_tight(&boxes)); // nothing else will be enough
    options.enough = 1e-4;
    assert_false(tn_is_tight(&boxes));
    options.tolerance.natural = 1e-7;
    assert_true(tn_is_tight(&boxes));
    assert_false(tn_is_slow(&boxes)); // not before sweeps have handed over
    options.tolerance.natural = 1e-6;
    boxes.handed_over = true;
    assert_true(tn_is_slow(&boxes));
    // What ipm leaves is for dense, unless it will do.
    assert_true(tn_is_hard(&boxes) && tn_is_stubborn(&boxes));
    boxes.enough = true;
    assert_false(tn_is_hard(&boxes) || tn_is_stubborn(&boxes));
    // To the last digits what sweeps leave is for all of ipm at once, of large stacks too.
    tn_traits stack = boxes;
    stack.n = 120;
    stack.enough = false;
    options.tolerance.natural = 1e-6;
    assert_true(stack.tame && tn_is_slow(&stack));
    options.tolerance.natural = 1e-8;
    assert_true(tn_is_stubborn(&stack) && !tn_is_slow(&stack));
    friction_destroy(f);
    friction_destroy(loose);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_small_islands),
        cmocka_unit_test(test_small_planar_islands),
        cmocka_unit_test(test_planar_convex),
        cmocka_unit_test(test_tower_leaves_sweeps),
        cmocka_unit_test(test_easy_tower_is_swept),
        cmocka_unit_test(test_proximal_steps_get_on),
        cmocka_unit_test(test_kinds),
        cmocka_unit_test(test_few_joints_are_swept),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
