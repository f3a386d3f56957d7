// Problems from files: the example's file is the example of the tests; errors with line and column.
#include <stdio.h>
#include <unistd.h>

#include "control_solve.h"
#include "test.h"

static tn_error e;

static void test_example(void **unused)
{
    tn_plan_problem read, made = control_three_coordinates(15, 0.3);
    assert_int_equal(tn_plan_problem_load(TENON_SOURCE_DIR "/scenes/mpc/problems/three_coordinates.yaml", &read, &e),
                     TN_OK);
    assert_true(read.lcs.step == 0.1 && read.horizon == 15);
    tn_plan a = control_solve_by(&read, TN_PLAN_MIQP), b = control_solve_by(&made, TN_PLAN_MIQP);
    print_message("cost %.12g, made in code %.12g\n", a.cost, b.cost);
    assert_true(a.status == TN_PLAN_OPTIMAL && fabs(a.cost - b.cost) < 1e-9);
    tn_plan_destroy(&a), tn_plan_destroy(&b);
    tn_plan_problem_destroy(&read), tn_plan_problem_destroy(&made);
}

// The same example at the velocity level: its file is what the tests make of it.
static void test_velocity_level(void **unused)
{
    tn_plan_problem read, made = control_three_coordinates(15, 0.3);
    control_to_velocity_level(&made);
    assert_int_equal(
        tn_plan_problem_load(TENON_SOURCE_DIR "/scenes/mpc/problems/three_coordinates_velocity.yaml", &read, &e),
        TN_OK);
    for (int i = 0; i < 12; i++) {
        assert_true(read.lcs.guard[i] == made.lcs.guard[i] && read.lcs.D[i] == made.lcs.D[i]);
        assert_true(fabs(read.lcs.guard_offset[i % 2] - made.lcs.guard_offset[i % 2]) < 1e-15);
    }
    tn_plan_problem_destroy(&read), tn_plan_problem_destroy(&made);
}

static tn_status load(const char *text, tn_plan_problem *p)
{
    char path[] = "/tmp/tenon-problem-XXXXXX";
    const int file = mkstemp(path);
    assert_true(file >= 0 && write(file, text, strlen(text)) == (ssize_t)strlen(text));
    close(file);
    e = (tn_error){0};
    const tn_status status = tn_plan_problem_load(path, p, &e);
    unlink(path);
    return status;
}

static void test_all_keys(void **unused)
{
    tn_plan_problem p;
    assert_int_equal(load("title: all\nhorizon: 2\nstep: 0.5\n"
                          "system: {A: [[1, 2], [3, 4]], B: [[5], [6]], C: [[7], [8]], F: [9, 10], D: [[11, 12]],\n"
                          "  D0: [[13, 14]], H: [[15]], E: [[16]], offset: [17],\n"
                          "  guard: [[18, 19]], guard_offset: [-infinite]}\n"
                          "X: {low: [-1, -infinite], high: [1, 2], G: [[1, 1], [1, -1]], g: [3, 4]}\n"
                          "U: {low: [-3], G: [[1]], g: [5]}\n"
                          "weights: {Q: [[2, 1], [1, 2]], R: [3], Qf: [4, 5]}\n"
                          "reference: {x: [[1, 2], [3, 4], [5, 6]], u: [7]}\nstart: [0.1, 0.2]\n",
                          &p),
                     TN_OK);
    const tn_lcs *s = &p.lcs;
    assert_true(s->A[2] == 3 && s->B[1] == 6 && s->C[0] == 7 && s->F[1] == 10 && s->D[1] == 12 && s->D0[0] == 13);
    assert_true(s->H[0] == 15 && s->E[0] == 16 && s->offset[0] == 17 && s->step == 0.5);
    assert_true(s->guard[1] == 19 && s->guard_offset[0] == -INFINITY);
    assert_true(p.X.low[1] == -INFINITY && p.X.high[1] == 2 && p.X.G[3] == -1 && p.X.g[1] == 4);
    assert_true(p.U.low[0] == -3 && p.U.high[0] == INFINITY && p.U.G[0] == 1 && p.U.g[0] == 5);
    assert_true(p.Q[1] == 1 && p.Q[3] == 2 && p.Qf[0] == 4 && p.Qf[1] == 0 && p.Qf[3] == 5 && p.R[0] == 3);
    assert_true(p.x_ref[3] == 4 && p.x_ref[5] == 6 && p.u_ref[0] == 7 && p.u_ref[1] == 7 && p.x0[1] == 0.2);
    tn_plan_problem_destroy(&p);
}

static void test_errors(void **unused)
{
    static const struct {
        const char *text;
        int line, column;
        const char *says;
    } cases[] = {
        {"horizon: 2\nsystem: {A: [[1]]}\nweights: {}\n", 1, 1, "'start' is missing"},
        {"horizon: 2.5\nsystem: {A: [[1]]}\nweights: {}\nstart: [1]\n", 1, 10, "a whole number"},
        {"horizon: 2\nsystem: {A: [[1]], B: [[1], [2]]}\nweights: {}\nstart: [1]\n", 2, 23, "a list of 1 rows of 1"},
        {"horizon: 2\nsystem: {A: [[1, 2], [3, x]]}\nweights: {}\nstart: [1, 2]\n", 2, 26, "numbers without unit"},
        {"horizon: 2\nsystem: {A: [[1]]}\nweihgts: {}\nstart: [1]\n", 3, 1, "did you mean 'weights'"},
        {"horizon: 2\nsystem: {A: [[1]], G: [1]}\nweights: {}\nstart: [1]\n", 2, 20, "unknown key 'G'"},
        {"horizon: 2\nsystem: {A: [[1]]}\nweights: {Q: [-1]}\nstart: [1]\n", 3, 14, "Q is not positive semidefinite"},
        {"horizon: 2\nsystem: {A: [[infinite]]}\nweights: {}\nstart: [1]\n", 2, 13, "A: entry 0 is not finite"},
        {"horizon: 2\nsystem: {A: [[1]]}\nX: {low: [2], high: [1]}\nweights: {}\nstart: [1]\n", 3, 4, "hold nothing"},
        {"horizon: 2\nsystem: {A: [[1]]}\nweights: {}\nstart: [infinite]\n", 4, 8, "x0: entry 0"},
        {"horizon: 2\nsystem: {A: []}\nweights: {}\nstart: []\n", 2, 13, "sizes 0, 0, 0"},
        {"horizon: [\n", 2, 1, ""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tn_plan_problem p;
        assert_int_equal(load(cases[i].text, &p), TN_BAD_INPUT);
        print_message("%d:%d %s\n", e.line, e.column, e.message);
        assert_true(strstr(e.message, cases[i].says) && e.file[0] && !p.x0);
        assert_int_equal(e.line, cases[i].line);
        assert_int_equal(e.column, cases[i].column);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_example), cmocka_unit_test(test_velocity_level),
                                       cmocka_unit_test(test_all_keys), cmocka_unit_test(test_errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
