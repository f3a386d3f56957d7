// Balance, contact rows and the impact problem, stage by stage.
#include "stage.h"

#include "discretize/impact.h"
#include "math/mat3.h"
#include "problem/rows.h"

// A contact below a ball of radius 0.1 at the origin, on the floor (body 1), ball is body 2.
static tn_contact floor_contact(double gap, double restitution)
{
    static const double frame[9] = {0, 0, 1, 1, 0, 0, 0, 1, 0}, warm[3] = {1.0, 2.0, 3.0};
    static const tn_soft_point rigid;
    static tn_surface surface = {.mu1 = 0.5, .mu2 = 0.25};
    surface.restitution = restitution; // of all contacts of a test
    tn_contact c = {.body_a = 1,
                    .body_b = 2,
                    .shape_b = 1,
                    .soft_a = &rigid,
                    .soft_b = &rigid,
                    .surface = &surface,
                    .frame = frame,
                    .warm = warm,
                    .point = {0.0, 0.0, -0.1 - 0.5 * gap},
                    .gap = gap};
    return c;
}

// %s: settings; ball of 2 kg at the origin with velocity (1, 0, -2), where things may bounce
static stage ball_stage(const char *settings)
{
    char text[1000];
    snprintf(text, sizeof text,
             "%s\nstep: 0.01\nmaterials: {rubber: {restitution: 0.5}}\nbodies:\n  floor: {fixed: true, shape: {plane: "
             "{offset: -0.1}}}\n"
             "  ball: {mass: 2, velocity: [1, 0, -2], angular_velocity: [0, 5, 0], shape: {sphere: 0.1}}\n",
             settings);
    return open_stage(text);
}

static void test_balance_of_a_ball(void **unused)
{
    stage s = ball_stage("scheme: euler");
    check("A, linear m/h", s.balance.A->value[0], 200.0, 1e-12);
    check("A, angular I/h", s.balance.A->value[9 + 4], 0.4 * 2 * 0.01 / 0.01, 1e-12);
    check("b_z = m v/h + m g", s.balance.b[2], 2 * -2 / 0.01 - 2 * 9.81, 1e-11);
    check("predicted v_z", s.balance.predicted[2], -2 - 0.0981, 1e-14);
    check("predicted omega_y", s.balance.predicted[4], 5.0, 1e-14);
    close_stage(&s);
    s = ball_stage("scheme: midpoint");
    check("midpoint: A, linear 2 m/h", s.balance.A->value[0], 400.0, 1e-12);
    check("midpoint: predicted v_z", s.balance.predicted[2], -2 - 0.5 * 0.0981, 1e-14);
    close_stage(&s);
}

// A with springs: symmetric to the bit, positive definite along random directions, and A v^ = b is the implicit step.
static void test_balance_with_springs(void **unused)
{
    stage s = open_stage("gravity: [0, 0, 0]\nstep: 0.01\n"
                         "bodies:\n"
                         "  a: {shape: {box: [0.4, 0.2, 0.1]}, angular_velocity: [1, 2, 3]}\n"
                         "  b: {position: [1, 0.2, 0], shape: {sphere: 0.1}}\n"
                         "  c: {position: [1, 1, 0], confine: [0, 0, 1], shape: {sphere: 0.1}}\n"
                         "springs:\n"
                         "  s: {a: a, b: b, point_a: [0.1, 0.1, 0], stiffness: 1000, rest_length: 2}\n"
                         "  t: {a: b, b: c, point_b: [0.05, 0, 0], stiffness: 300, damping: 7}\n"
                         "  u: {a: c, point_b: [3, 3, 3], stiffness: 10, rest_length: 1}\n");
    const tn_blocks *A = s.balance.A;
    assert_int_equal(A->n_rows, 5);
    assert_true(tn_blocks_is_symmetric(A, 0.0));
    double lowest = INFINITY, x[15], y[15];
    for (int k = 0; k < 1000; k++) {
        double energy = 0.0, square = 0.0;
        for (int i = 0; i < 15; i++) {
            x[i] = sin(1.0 + 3.7 * k + 1.3 * i * (k % 17 + 1));
        }
        tn_blocks_mul(A, x, y);
        for (int i = 0; i < 15; i++) {
            energy += x[i] * y[i];
            square += x[i] * x[i];
        }
        lowest = fmin(lowest, energy / square);
    }
    printf("lowest Rayleigh quotient met: %.3g (limit: > 0)\n", lowest);
    assert_true(lowest > 0.0);
    close_stage(&s);
}

static void test_rows_of_one_contact(void **unused)
{
    stage s = ball_stage("gap: full");
    tn_contact c = floor_contact(0.003, 0.0);
    make_rows(&s, &c, 1);
    const tn_rows *rows = &s.rows.contacts;
    assert_int_equal(rows->n_triples, 1);
    assert_int_equal(rows->start[1], 2); // the floor has no blocks
    double u[3];
    tn_contact_velocity(rows, 0, s.state->v, u);
    check("u_n before", u[0], -2.0, 1e-14);
    check("u_t1 = v_x - omega_y r", u[1], 1.0 - 5.0 * 0.1015, 1e-14); // arm to the middle of the gap
    check("offset, full gap g/h", rows->offset[0], 0.3, 1e-15);
    check("mu2", rows->mu[1], 0.25, 0.0);
    assert_true(rows->softness == NULL);
    double lambda[3];
    tn_contact_list list = {.n = 1, .contacts = &c};
    tn_contact_rows_warm(&s.rows, &list, 1, lambda);
    check("warm start, normal", lambda[0], 3.0, 0.0);
    check("warm start, t2", lambda[2], 2.0, 0.0);
    close_stage(&s);
}

static double offset_of(const char *settings, double gap, double restitution)
{
    stage s = ball_stage(settings);
    tn_contact c = floor_contact(gap, restitution);
    make_rows(&s, &c, 1);
    double offset = s.rows.contacts.n_triples == 1 ? s.rows.contacts.offset[0] : NAN;
    close_stage(&s);
    return offset;
}

static void test_gap_terms(void **unused)
{
    check("none, touching", offset_of("gap: none", 0.0, 0.0), 0.0, 0.0);
    check("none, sunk in", offset_of("gap: none", -0.001, 0.0), 0.0, 0.0);
    assert_true(isnan(offset_of("gap: none", 0.001, 0.0))); // open: takes no part
    check("full, sunk in", offset_of("gap: full", -0.001, 0.0), -0.1, 1e-15);
    check("baumgarte, sunk in", offset_of("gap: baumgarte", -0.001, 0.0), -0.02, 1e-15);
    check("baumgarte, open", offset_of("gap: baumgarte", 0.001, 0.0), 0.1, 1e-15);
}

static void test_restitution_offsets(void **unused)
{
    // Approach 2 m/s, threshold 2 g h = 0.196 m/s, h = 10 ms; the way of a step is 0.02098 m.
    check("euler, eps 1: phi = u-", offset_of("gap: full", 0.01, 1.0), -2.0, 1e-14);
    check("without gravity: phi = eps u-", offset_of("gravity: [0, 0, 0]", 0.01, 0.5), -1.0, 1e-14);
    check("too far to close in the step", offset_of("gap: full", 0.03, 1.0), 3.0, 1e-14);
    check("below the threshold", offset_of("restitution_threshold: 3", 0.01, 1.0), 1.0, 1e-14);
    check("gap none closes within the step", offset_of("gravity: [0, 0, 0]\ngap: none", 0.01, 0.5), -1.0, 1e-14);
    // Energy at touch: (2 + g h/2)^2 + 2 g 0.01, a quarter of it comes back, less the climb to the gap.
    double in = 2 + 9.81 * 0.005, out = sqrt(0.25 * (in * in + 2 * 9.81 * 0.01) - 2 * 9.81 * 0.01);
    check("euler, eps 0.5", offset_of("gap: full", 0.01, 0.5), -(out - 9.81 * 0.005), 1e-13);
    check("midpoint, eps 0.5: half way", offset_of("scheme: midpoint", 0.01, 0.5), 0.5, 1e-14);
    check("midpoint, eps 0.5: never through", offset_of("scheme: midpoint", 0.001, 0.5), 0.1, 1e-14);
}

static void test_rebound(void **unused)
{
    check("elastic, any gap", tn_rebound(1.0, 3.0, 9.81, 0.1, 0.1), 3.0, 1e-14);
    check("on the floor", tn_rebound(0.5, 3.0, 9.81, 0.0, 0.0), 1.5, 1e-14);
    check("falls short of the gap", tn_rebound(0.1, 0.1, 9.81, 0.1, 0.1), 0.0, 0.0);
    check("overlaps count as touch", tn_rebound(0.5, 2.0, 9.81, -0.1, -0.1), 1.0, 1e-14);
}

// A kinematic floor's velocity, translation and rotation, enters all three rows with body a's sign.
static void test_surface_velocity(void **unused)
{
    stage s = open_stage("step: 0.01\nbodies:\n"
                         "  floor: {motion: {position: ['2 * t', '3 * t', '-4 * t'], axis: [0, 0, 1], angle: '5 * t'}, "
                         "shape: {plane: {}}}\n"
                         "  ball: {position: [0, 0, 0], shape: {sphere: 0.1}}\n");
    tn_contact c = floor_contact(0.0, 0.0);
    c.point[0] = 1.0;
    make_rows(&s, &c, 1);
    double w[3];
    tn_contact_rows_surface(&s.rows, 0, w);
    check("w_n", w[0], 4.0, 1e-12);
    check("w_t1", w[1], -2.0, 1e-12);
    check("w_t2 = -(3 + 5 x)", w[2], -8.0, 1e-12);
    close_stage(&s);
}

static void test_omega_and_scales(void **unused)
{
    stage s = ball_stage("omega: 1e-3");
    tn_contact c = floor_contact(0.0, 0.0);
    make_rows(&s, &c, 1);
    assert_non_null(s.rows.contacts.softness);
    check("Omega 11", s.rows.contacts.softness[0], 1e-3, 0.0);
    check("Omega 12", s.rows.contacts.softness[1], 0.0, 0.0);
    s.model->settings.k_v = 500.0;
    make_rows(&s, &c, 1);
    check("with a virtual node on the ball: Omega + 1/k_v", s.rows.contacts.softness[4], 3e-3, 1e-18);
    s.model->settings.omega = 0.0;
    c.body_a = 2;
    make_rows(&s, &c, 1);
    check("on both sides", s.rows.contacts.softness[8], 4e-3, 1e-18);
    tn_problem problem;
    tn_rows all;
    tn_error error;
    assert_int_equal(tn_step_problem(s.model, s.state, &s.balance, &s.rows, NULL, s.arena, &all, &problem, &error),
                     TN_OK);
    check("force scale |b|", problem.force_scale, 2 * 2 / 0.01 + 2 * 9.81, 1e-10);
    check("velocity scale h g + |v|", problem.velocity_scale, 0.0981 + 5.0, 1e-14);
    close_stage(&s);
}

// Nothing turns (tn_impact_first), for four bodies.
static const double turn[16] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0};

// Landing with midpoint: v^ = -gap/h; the impact asks for u_n >= 0 at v_{k+1} and starts from 2 v^ - v_k.
static void test_impact_problem(void **unused)
{
    stage s = ball_stage("scheme: midpoint");
    tn_contact contacts[2] = {floor_contact(0.005, 0.0), floor_contact(0.5, 0.0)};
    make_rows(&s, contacts, 2);
    double v[6], lambda[6] = {0}, product[6];
    memcpy(v, s.state->v, sizeof v);
    v[2] = -0.5;
    tn_blocks_mul(s.balance.A, v, product);
    lambda[0] = product[2] - s.balance.b[2];
    const tn_solution solution = {.v = v, .lambda = lambda};
    const tn_impact_first first = {.solution = &solution, .product = product, .turn = turn};
    tn_impact impact;
    tn_error error = {0};
    assert_int_equal(tn_impact_build(s.model, s.state, &s.balance, &s.rows, &first, s.arena, &impact, &error), TN_OK);
    assert_int_equal(impact.rows.n_triples, 1); // the far one is open
    assert_int_equal(impact.source[0], 0);
    assert_int_equal(impact.problem.A->n_rows, 2);
    check("A = m/h", impact.problem.A->value[0], 200.0, 1e-12);
    check("b = m v_k/h + m g", impact.problem.b[2], -2 * 200.0 - 2 * 9.81, 1e-9);
    check("offset without restitution", impact.rows.offset[0], 0.0, 0.0);
    check("start v = 2 v^ - v_k", impact.solution.v[2], 1.0, 1e-14);
    close_stage(&s);
}

// A disk in a plane (one block) and a ball (two) land: the disk's contact stands alone on its block and is solved at
// once, the ball's is left to the solver and comes first. With a second contact the disk is the solver's too.
static void test_impact_alone(void **unused)
{
    stage s =
        open_stage("scheme: midpoint\nstep: 0.01\nbodies:\n  floor: {fixed: true, shape: {plane: {offset: -0.1}}}\n"
                   "  disk: {mass: 2, confine: [0, 1, 0], velocity: [1, 0, -2], shape: {sphere: 0.1}}\n"
                   "  ball: {mass: 3, position: [1, 0, 0], velocity: [1, 0, -2], shape: {sphere: 0.1}}\n");
    tn_contact contacts[3] = {floor_contact(0.0, 0.0), floor_contact(0.0, 0.0), floor_contact(0.0, 0.0)};
    contacts[1].body_b = 3;
    contacts[1].shape_b = 2;
    contacts[1].point[0] = 1.0;
    contacts[2].point[0] = 0.01;
    double v[9], lambda[9] = {1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 0.0, 0.0}, product[9];
    memcpy(v, s.state->v, sizeof v);
    tn_blocks_mul(s.balance.A, v, product);
    const tn_solution solution = {.v = v, .lambda = lambda};
    const tn_impact_first first = {.solution = &solution, .product = product, .turn = turn};
    tn_error error = {0};
    tn_impact impact;
    make_rows(&s, contacts, 2);
    assert_int_equal(tn_impact_build(s.model, s.state, &s.balance, &s.rows, &first, s.arena, &impact, &error), TN_OK);
    assert_int_equal(impact.rows.n_triples, 2);
    assert_int_equal(impact.coupled_rows.n_triples, 1);
    assert_int_equal(impact.source[0], 1);
    assert_int_equal(impact.coupled.A->n_rows, 2);
    assert_int_equal(impact.problem.A->n_rows, 3);
    assert_int_equal(impact.block[2], 0);
    // The disk alone, to rounding of the local solver.
    const tn_rows *all = &impact.rows;
    const double *l = impact.solution.lambda + 3, *J = all->jacobian + 9 * (size_t)all->start[1];
    double u[3] = {all->offset[3], all->offset[4], all->offset[5]}, force[3] = {0.0};
    tn_mat3_add_vec(u, J, impact.v);
    tn_mat3_add_tvec(force, J, l);
    check("disk: u_n", u[0], 0.0, 1e-13);
    assert_true(l[0] > 0.0);
    assert_true((l[1] / 0.5) * (l[1] / 0.5) + (l[2] / 0.25) * (l[2] / 0.25) <= l[0] * l[0] * (1.0 + 1e-12));
    for (int i = 0; i < 3; i++) {
        check("disk: A v - b - J^T lambda", impact.problem.A->value[18 + 4 * i] * impact.v[i],
              impact.problem.b[6 + i] + force[i], 1e-10);
    }
    make_rows(&s, contacts, 3);
    assert_int_equal(tn_impact_build(s.model, s.state, &s.balance, &s.rows, &first, s.arena, &impact, &error), TN_OK);
    assert_int_equal(impact.coupled_rows.n_triples, 3);
    assert_int_equal(impact.coupled.A->n_rows, 3);
    tn_vec3_set(impact.solution.v, 7.0, 8.0, 9.0);
    tn_impact_finish(&impact);
    check("finish: to the model's block", impact.v[1], 8.0, 0.0);
    close_stage(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_balance_of_a_ball),   cmocka_unit_test(test_balance_with_springs),
        cmocka_unit_test(test_rows_of_one_contact), cmocka_unit_test(test_gap_terms),
        cmocka_unit_test(test_restitution_offsets), cmocka_unit_test(test_rebound),
        cmocka_unit_test(test_surface_velocity),    cmocka_unit_test(test_omega_and_scales),
        cmocka_unit_test(test_impact_problem),      cmocka_unit_test(test_impact_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
