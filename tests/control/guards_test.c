// The velocity level in the planners: pairs with guards, whose modes are three. Branch and bound against all modes one
// by one, bounds, conflicts, and the plan as the one-step simulator of a scene has it.
#include "control_solve.h"
#include "tenon/lcs_source.h"
#include "test.h"

static tn_error e;

typedef struct tally {
    double worst; // difference of costs, relative
    int none, modes[3];
} tally;

static void compare(const tn_plan_problem *problem, tally *t)
{
    tn_plan a = control_solve_by(problem, TN_PLAN_MIQP), b = control_solve_by(problem, TN_PLAN_ENUMERATE);
    assert_int_equal(a.status, b.status);
    t->none += a.status == TN_PLAN_INFEASIBLE;
    if (a.status == TN_PLAN_OPTIMAL) {
        t->worst = fmax(t->worst, fabs(a.cost - b.cost) / (1.0 + fabs(b.cost)));
        assert_true(a.residual < 1e-8 && a.bound <= a.cost && a.gap <= 1e-9);
        for (int i = 0; i < a.horizon * a.n_c; i++) {
            t->modes[a.mode[i]]++;
        }
    }
    tn_plan_destroy(&a), tn_plan_destroy(&b);
}

static void test_document(void **unused)
{
    for (int N = 2; N <= 5; N++) {
        for (int side = -1; side <= 1; side += 2) {
            tally t = {0};
            tn_plan_problem p = control_three_coordinates(N, 0.3 * side);
            p.x0[1] = p.x0[2] = 0.0; // one wall is near, the other one far
            control_to_velocity_level(&p);
            compare(&p, &t);
            print_message("N = %d, side %d: %.1e of 1e-8, %d open, %d closed, %d off\n", N, side, t.worst, t.modes[0],
                          t.modes[1], t.modes[2]);
            assert_true(t.worst < 1e-8 && t.none == 0);
            tn_plan_problem_destroy(&p);
        }
    }
}

static void test_random(void **unused)
{
    tally t = {0};
    for (int seed = 0; seed < 300; seed++) {
        tn_plan_problem p = control_random((uint64_t)seed, 3, 1 + seed % 2, 1 + seed % 3, 2 + seed % 2, 0.8 + seed % 4);
        control_random_guards(&p, (uint64_t)seed, seed % 3 == 2);
        compare(&p, &t);
        tn_plan_problem_destroy(&p);
    }
    print_message("300 problems, %d without a plan: costs differ by %.1e of 1e-8; %d open, %d closed, %d off\n", t.none,
                  t.worst, t.modes[0], t.modes[1], t.modes[2]);
    assert_true(t.worst < 1e-8);
    assert_true(t.none > 20 && t.none < 250 && t.modes[0] > 30 && t.modes[1] > 30 && t.modes[2] > 30);
}

// Plans of every mode stay within the bounds that a big-M form would take, and come near them.
static void test_bounds(void **unused)
{
    double nearest[5] = {INFINITY, INFINITY, INFINITY, INFINITY, INFINITY};
    int plans = 0;
    for (int seed = 0; seed < 400; seed++) {
        tn_plan_problem p = control_random((uint64_t)(1000 + seed), 3, 1, 2, 2, 1.0 + seed % 3);
        control_random_guards(&p, (uint64_t)seed, 0);
        for (int i = 0; i < 9; i++) {
            p.x_ref[i] *= 30.0; // towards the border of X
        }
        p.R[0] = 1e-3;
        tn_planner *planner = tn_planner_create(&p, &e);
        double c_high[4], w_high[4], w_low[4], guard_low[4], guard_high[4];
        const tn_plan_bounds bounds = {
            .c_high = c_high, .w_high = w_high, .w_low = w_low, .guard_low = guard_low, .guard_high = guard_high};
        bool feasible;
        assert_int_equal(tn_planner_bounds(planner, &p, &bounds, &feasible, &e), TN_OK);
        tn_plan plan = control_solve_by(&p, TN_PLAN_ENUMERATE);
        assert_true(feasible || plan.status == TN_PLAN_INFEASIBLE);
        for (int i = 0; i < 4 && plan.status == TN_PLAN_OPTIMAL; i++) {
            const double *x = plan.x + i / 2 * 3, *u = plan.u + i / 2, *of = p.lcs.guard + i % 2 * 3;
            double guard = p.lcs.guard_offset[i % 2];
            for (int j = 0; j < 9; j++) {
                guard += of[j / 3] * p.lcs.A[j] * x[j % 3];
            }
            for (int j = 0; j < 3; j++) {
                guard += of[j] * (p.lcs.B[j] * u[0] + p.lcs.F[j]);
            }
            const double room[5] = {c_high[i] - plan.c[i], w_high[i] - plan.w[i], plan.w[i] - w_low[i],
                                    guard - guard_low[i], guard_high[i] - guard};
            for (int k = 0; k < 5; k++) {
                assert_true(room[k] > -1e-9 && room[k] < INFINITY);
                nearest[k] = fmin(nearest[k], k > 0 || plan.c[i] > 0.1 ? room[k] : INFINITY);
            }
            plans++;
        }
        tn_plan_destroy(&plan);
        tn_planner_destroy(planner);
        tn_plan_problem_destroy(&p);
    }
    print_message("%d pairs; nearest to the bounds of c, w, w below, guard below, above: %.1e %.1e %.1e %.1e %.1e\n",
                  plans, nearest[0], nearest[1], nearest[2], nearest[3], nearest[4]);
    for (int k = 0; k < 5; k++) {
        assert_true(nearest[k] < 1e-2); // bounds that nothing comes near would show nothing
    }
}

// A guard that is always negative changes nothing.
static void test_always(void **unused)
{
    for (int seed = 0; seed < 60; seed++) {
        tn_plan_problem p = control_random((uint64_t)seed, 3, 2, 2, 3, 4.0);
        tn_plan without = control_solve_by(&p, TN_PLAN_MIQP);
        p.lcs.guard_offset[0] = -1e3;
        tn_plan with = control_solve_by(&p, TN_PLAN_MIQP);
        assert_true(tn_lcs_has_guards(&p.lcs) && with.status == without.status);
        assert_true(with.status != TN_PLAN_OPTIMAL || fabs(with.cost - without.cost) < 1e-8 * (1.0 + without.cost));
        tn_plan_destroy(&with), tn_plan_destroy(&without);
        tn_plan_problem_destroy(&p);
    }
}

// Three blocks on a rail, the outer ones driven: the document's example as a scene.
static const char BLOCKS[] =
    "step: 0.1\ngravity: [0, 0, 0]\nmaterials: {ice: {friction: 0}}\n"
    "defaults: {body: {mass: 1, shape: {sphere: 0.1, material: ice}}}\n"
    "bodies:\n  left: {position: [-0.5, 0, 0]}\n  middle: {}\n  right: {position: [0.5, 0, 0]}\n"
    "joints:\n  one: {type: prismatic, b: left, axis: [1, 0, 0]}\n  two: {type: prismatic, b: middle, axis: [1, 0, "
    "0]}\n"
    "  three: {type: prismatic, b: right, axis: [1, 0, 0]}\n";

static tn_plan_problem blocks_problem(const tn_lcs *lcs, const double *x0)
{
    static const double q[6] = {0.1, 10, 0.1, 0.1, 1, 0.1};
    tn_plan_problem p;
    assert_int_equal(tn_plan_problem_create(6, 2, lcs->n_c, 8, 0, 0, &p, &e), TN_OK);
    const tn_lcs *to = &p.lcs;
    const struct {
        double *to;
        const double *from;
        int n;
    } all[] = {{to->A, lcs->A, 36},
               {to->B, lcs->B, 12},
               {to->C, lcs->C, 6 * lcs->n_c},
               {to->F, lcs->F, 6},
               {to->D, lcs->D, 6 * lcs->n_c},
               {to->guard, lcs->guard, 6 * lcs->n_c},
               {to->guard_offset, lcs->guard_offset, lcs->n_c},
               {to->offset, lcs->offset, lcs->n_c}};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        memcpy(all[i].to, all[i].from, (size_t)all[i].n * sizeof(double));
    }
    for (int i = 0; i < 6; i++) {
        p.Q[i * 7] = q[i];
        p.Qf[i * 7] = 10.0 * q[i];
        p.X.low[i] = -5.0, p.X.high[i] = 5.0;
        p.x0[i] = x0[i];
    }
    for (int i = 0; i < 2; i++) {
        p.R[i * 3] = 0.01;
        p.U.low[i] = -20.0, p.U.high[i] = 20.0;
    }
    return p;
}

// Least distance of a guard from zero in a step of a plan.
static double switch_distance(const tn_lcs *s, const double *x, const double *u)
{
    double least = INFINITY;
    for (int i = 0; i < s->n_c; i++) {
        double guard = s->guard_offset[i];
        for (int a = 0; a < s->n_x; a++) {
            double next = s->F[a];
            for (int b = 0; b < s->n_x; b++) {
                next += s->A[a * s->n_x + b] * x[b];
            }
            for (int b = 0; b < s->n_u; b++) {
                next += s->B[a * s->n_u + b] * u[b];
            }
            guard += s->guard[i * s->n_x + a] * next;
        }
        least = fmin(least, fabs(guard));
    }
    return least;
}

// Each step of the optimum is the step of the scene's one-step simulator under its inputs, which switches and solves
// the complementarity by itself. Optima like to touch just where the guard is zero; there a plan may take either mode,
// and the simulator takes one by rounding: those steps are left out.
static void test_simulator(void **unused)
{
    static const char *const names[] = {"one:slide", "two:slide", "three:slide"}, *const inputs[] = {"one:slide",
                                                                                                     "three:slide"};
    tn_scene *scene = tn_scene_parse(BLOCKS, NULL, 0, NULL, &e);
    tn_model *model = scene ? tn_model_create(scene, &e) : NULL;
    if (!model) {
        print_message("%d:%d %s\n", e.line, e.column, e.message);
    }
    assert_non_null(model);
    tn_state *state = tn_state_create(model, &e);
    tn_lcs_options o = tn_lcs_options_default();
    o.n_coordinates = 3, o.coordinates = names, o.n_inputs = 2, o.inputs = inputs, o.level = TN_LCS_VELOCITY;
    tn_lcs_source *source = tn_lcs_source_create(model, &o, &e);
    int modes[3] = {0};
    double worst = 0.0;
    for (int start = 0; start < 12; start++) {
        const double x0[6] = {0, 0.02 * start - 0.1, 0, 0, 1.5 - 0.3 * start, 0};
        tn_lcs lcs = {0};
        assert_int_equal(tn_lcs_source_write(source, x0, state, &e), TN_OK);
        assert_int_equal(tn_lcs_source_linearize(source, state, NULL, &lcs, &e), TN_OK);
        assert_true(tn_lcs_has_guards(&lcs));
        tn_plan_problem p = blocks_problem(&lcs, x0);
        tn_plan plan = control_solve_by(&p, TN_PLAN_MIQP);
        assert_int_equal(plan.status, TN_PLAN_OPTIMAL);
        for (int k = 0; k < 8; k++) {
            double x[6];
            if (switch_distance(&p.lcs, plan.x + 6 * k, plan.u + 2 * k) < 1e-9) {
                continue;
            }
            assert_int_equal(tn_lcs_source_write(source, plan.x + 6 * k, state, &e), TN_OK);
            assert_int_equal(tn_lcs_source_step(source, state, plan.u + 2 * k, 0, x, NULL, &e), TN_OK);
            for (int i = 0; i < 6; i++) {
                worst = fmax(worst, fabs(x[i] - plan.x[6 * (k + 1) + i]));
            }
            for (int i = 0; i < plan.n_c; i++) {
                modes[plan.mode[k * plan.n_c + i]]++;
            }
        }
        tn_plan_destroy(&plan);
        tn_plan_problem_destroy(&p);
        tn_lcs_destroy(&lcs);
    }
    print_message("%d open, %d closed, %d off: the simulator's steps differ by %.1e\n", modes[0], modes[1], modes[2],
                  worst);
    assert_true(modes[TN_PLAN_CLOSED] > 3 && modes[TN_PLAN_OFF] > 100 && worst < 1e-7);
    tn_lcs_source_destroy(source);
    tn_state_destroy(state);
    tn_model_destroy(model);
}

// Another local method finds plans too, one says that it does not have guards.
static void test_others(void **unused)
{
    tn_plan_problem p = control_three_coordinates(10, 0.3);
    control_to_velocity_level(&p);
    tn_plan best = control_solve_by(&p, TN_PLAN_MIQP), local = control_solve_by(&p, TN_PLAN_ADMM);
    print_message("cost %.9g, %.9g by ADMM\n", best.cost, local.cost);
    assert_true(best.status == TN_PLAN_OPTIMAL && local.status == TN_PLAN_FEASIBLE && local.residual < 1e-8);
    assert_true(local.cost >= best.cost * (1.0 - 1e-9) && local.cost < 1.03 * best.cost);
    tn_planner *planner = tn_planner_create(&p, &e);
    tn_plan_options o = tn_plan_options_default();
    o.method = TN_PLAN_MPCC;
    assert_int_equal(tn_planner_solve(planner, &p, &o, &best, &e), TN_BAD_INPUT);
    tn_planner_destroy(planner);
    tn_plan_destroy(&best), tn_plan_destroy(&local);
    tn_plan_problem_destroy(&p);
}

// A mass above a wall that takes its speed within the step in which it would go through.
static tn_plan_problem mass(int N)
{
    tn_plan_problem p;
    assert_int_equal(tn_plan_problem_create(2, 1, 1, N, 0, 0, &p, NULL), TN_OK);
    const double A[4] = {1, 0.1, 0, 1};
    memcpy(p.lcs.A, A, sizeof A);
    p.lcs.B[0] = 0.01, p.lcs.B[1] = 0.1;
    p.lcs.C[0] = 0.1, p.lcs.C[1] = 1.0;
    p.lcs.D[0] = 1.0;
    control_to_velocity_level(&p);
    p.Q[0] = p.R[0] = 1.0;
    p.x0[0] = 0.05, p.x0[1] = -1.0;
    for (int i = 0; i < 2; i++) {
        p.X.low[i] = -10.0, p.X.high[i] = 10.0;
    }
    p.U.low[0] = -1.0, p.U.high[0] = 1.0;
    return p;
}

static void expect(const tn_plan_problem *p, tn_plan_set set, int step)
{
    tn_plan plan = control_solve_by(p, TN_PLAN_MIQP);
    print_message("%s: '%s'\n", tn_plan_status_name(plan.status), plan.conflict_text);
    assert_int_equal(plan.status, set == TN_PLAN_SET_NONE ? TN_PLAN_OPTIMAL : TN_PLAN_INFEASIBLE);
    assert_int_equal(plan.conflict, set);
    assert_true(set == TN_PLAN_SET_NONE || plan.conflict_step == step);
    tn_plan_destroy(&plan);
}

static void test_conflicts(void **unused)
{
    tn_plan_problem p = mass(4);
    expect(&p, TN_PLAN_SET_NONE, 0);
    p.X.high[0] = 0.03; // the position level gets there; here it stops at 0.05
    expect(&p, TN_PLAN_SET_X, 1);
    p.lcs.guard_offset[0] = 1.0; // far from the wall all is free
    expect(&p, TN_PLAN_SET_NONE, 0);
    tn_plan_problem_destroy(&p);
    p = mass(3);
    p.lcs.guard[0] = p.lcs.D[1] = 0.0, p.lcs.guard_offset[0] = -1.0, p.lcs.offset[0] = -2.0; // acts, and w = -2
    expect(&p, TN_PLAN_SET_COMPLEMENTARITY, 0);
    p.lcs.guard_offset[0] = 1.0;
    expect(&p, TN_PLAN_SET_NONE, 0);
    tn_plan_problem_destroy(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_document),  cmocka_unit_test(test_random),    cmocka_unit_test(test_bounds),
        cmocka_unit_test(test_always),    cmocka_unit_test(test_simulator), cmocka_unit_test(test_others),
        cmocka_unit_test(test_conflicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
