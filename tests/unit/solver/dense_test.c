// dense: random mechanisms with limits, friction, motors and contacts from zero forces to rounding; limits that look
// far off and contacts that stay open at first, which it leaves out, hold bodies that do reach them.
#include "joint_problem.h"

#include "solver/solver.h"

static tn_solve_report solve(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena,
                             tn_solution *solution)
{
    tn_solve_report report = {0};
    tn_error error = {0};
    assert_int_equal(tn_solver_call(tn_solver_find("dense"), problem, options, arena, solution, &report, &error),
                     TN_OK);
    return report;
}

// Half of them have more contacts than their motion can tell apart.
static void test_mechanisms(void **state)
{
    enum { PROBLEMS = 120, MOST_LEFT = 4 };
    tn_solve_options options = tn_solve_options_default();
    options.tolerance = (tn_tolerance){.momentum = 1e-10, .natural = 1e-10, .joint = 1e-10};
    int left = 0, steps = 0;
    for (int k = 0; k < PROBLEMS; k++) {
        const joint_choice choice = {.bodies = 3 + k % 10,
                                     .contacts = 2 + k % 23,
                                     .bounded = true,
                                     .loops = k % 3 == 0,
                                     .mu = 0.7,
                                     .step = 1e-2};
        joint_problem *s = joint_create((uint64_t)(500 + k), &choice);
        tn_solve_report report = solve(&s->problem, &options, s->arena, &s->solution);
        left += !report.converged;
        steps += report.iterations;
        joint_destroy(s);
    }
    printf("%d of %d left open, %d iterations (limit %d)\n", left, PROBLEMS, steps, MOST_LEFT);
    assert_true(left <= MOST_LEFT);
}

// A body of 2 kg on a rail at -5 m/s, 1 m/s of which would take it to a stop within the step. From rest the stop looks
// far off; the force that holds it there is 2 kg (5 - 1) m/s.
static void test_far_limit(void **state)
{
    const double diagonal[9] = {2.0, 0.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 2.0}, b[3] = {-10.0, 3.0, 4.0};
    const int start[4] = {0, 1, 2, 3}, block[3] = {0, 0, 0}, joint[3] = {0, 0, 0};
    const double jacobian[9] = {0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0, 0.0}, offset[3] = {0.0, 0.0, 1.0};
    const double none[3] = {0.0, 0.0, 0.0}, lower[3] = {-INFINITY, -INFINITY, 0.0};
    const double upper[3] = {INFINITY, INFINITY, INFINITY};
    double v[3] = {0.0, 0.0, 0.0}, f[3] = {0.0, 0.0, 0.0};
    tn_rows rows = {.n_singles = 3,
                    .start = start,
                    .block = block,
                    .jacobian = jacobian,
                    .offset = offset,
                    .compliance = none,
                    .lower = lower,
                    .upper = upper,
                    .joint = joint};
    tn_arena *arena = tn_arena_create(0);
    tn_problem problem = {.A = tn_blocks_from_diagonal(1, diagonal, arena), .b = b, .rows = &rows, .step = 1.0};
    tn_solution solution = {.v = v, .lambda = f};
    const tn_solve_options options = tn_solve_options_default();
    tn_solve_report report = solve(&problem, &options, arena, &solution);
    printf("v %.17g %g %g, f %.17g\n", v[0], v[1], v[2], f[2]);
    assert_true(fabs(v[0] + 1.0) <= 1e-14 && fabs(v[1]) <= 1e-14 && fabs(v[2]) <= 1e-14);
    assert_true(fabs(f[2] - 8.0) <= 1e-13 && report.converged);
    tn_arena_destroy(arena);
}

// A plank of 1 kg and 2 m (1/3 kg m^2) falls at 1 m/s on supports without friction under its ends, 0.1 and 1.05 m
// below. Within the step of 1 s it would meet the first alone, which turns it onto the second: v = -0.575 m/s, w =
// -0.475 rad/s, forces 7/24 and 2/15 N s.
static void test_turned_onto_contact(void **state)
{
    const double diagonal[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0 / 3.0}, b[3] = {0.0, -1.0, 0.0};
    const int start[3] = {0, 1, 2}, block[2] = {0, 0};
    const double jacobian[18] = {0.0, 1.0, -1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0,
                                 0.0, 1.0, 1.0,  1.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    const double offset[6] = {0.1, 0.0, 0.0, 1.05, 0.0, 0.0}, mu[4] = {0.0, 0.0, 0.0, 0.0};
    double v[3] = {0.0, 0.0, 0.0}, f[6] = {0.0, 0.0, 0.0, 0.0, 0.0, 0.0};
    tn_rows rows = {.n_triples = 2, .start = start, .block = block, .jacobian = jacobian, .offset = offset, .mu = mu};
    tn_arena *arena = tn_arena_create(0);
    tn_problem problem = {.A = tn_blocks_from_diagonal(1, diagonal, arena), .b = b, .rows = &rows, .step = 1.0};
    tn_solution solution = {.v = v, .lambda = f};
    const tn_solve_options options = tn_solve_options_default();
    tn_solve_report report = solve(&problem, &options, arena, &solution);
    printf("v %.17g, w %.17g, f %.17g %.17g\n", v[1], v[2], f[0], f[3]);
    assert_true(fabs(v[0]) <= 1e-14 && fabs(v[1] + 0.575) <= 1e-14 && fabs(v[2] + 0.475) <= 1e-14);
    assert_true(fabs(f[0] - 7.0 / 24.0) <= 1e-14 && fabs(f[3] - 2.0 / 15.0) <= 1e-14 && report.converged);
    tn_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mechanisms), cmocka_unit_test(test_far_limit),
                                       cmocka_unit_test(test_turned_onto_contact)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
