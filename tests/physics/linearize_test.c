// Derivatives of a step against closed forms; matrices, products and transposed products alike; kinks; the simulation
// that is asked stays as it is. tests/scenes/linearize_test.c has the gallery.
#include "scenario.h"

#include "tenon/tenon.h"

#include <math.h>
#include <string.h>

static tn_error e;

// A block on a floor at 1 m/s, or at rest: step 10 ms, friction 0.4, mass 4 kg.
static scenario block(double speed, double friction)
{
    return scenario_open("step: 10 ms\n"
                         "materials: {default: {density: 500, friction: %.17g}}\n"
                         "bodies:\n"
                         "  floor: {fixed: true, shape: {plane: {}}}\n"
                         "  block: {position: [0, 0, 0.1], velocity: [%g, 0, 0], shape: {box: [0.2, 0.2, 0.2]}}\n",
                         friction, speed);
}

enum { BODIES = 3, N = 12 * BODIES, BLOCK = 2, X = 6 * BLOCK, V = 6 * BODIES + X }; // numbers of the block

// Sliding: x' = x + h v', v' = v - mu g h + h f/m, and friction's share of mu.
static void test_sliding(void **unused)
{
    const double h = 0.01, mass = 4.0, g = 9.81, mu = 0.4;
    scenario s = block(1.0, mu), less = block(1.0, mu - 1e-6), more = block(1.0, mu + 1e-6);
    const tn_parameter friction = {less.model, more.model, 2e-6};
    double wrench[6 * BODIES] = {0}, A[N * N], B[N * 6 * BODIES], P[N];
    int n_rough = -1;
    tn_linearization *lin = tn_sim_linearize(s.sim, &(tn_input){.wrench = wrench}, s.state, 1, &friction, &e);
    assert_non_null(lin);
    assert_int_equal(tn_linearization_state_count(lin), N);
    assert_int_equal(tn_linearization_input_count(lin), 6 * BODIES);
    assert_int_equal(tn_linearization_matrices(lin, A, B, P, &n_rough, &e), TN_OK);
    check_near("dx'/dx", A[X * N + X], 1.0, 1e-8);
    check_near("dx'/dv", A[X * N + V], h, 1e-8);
    check_near("dv'/dv along", A[V * N + V], 1.0, 1e-8);
    // Across, friction turns with the velocity: what it takes, mu g h, along v'.
    check_near("dv'/dv across", A[(V + 1) * N + V + 1], (1.0 - mu * g * h) / 1.0, 1e-7);
    check_near("dv'/dv down", A[V * N + V + 2], mu, 1e-7);   // what presses more slows down more
    check_near("dz'/dz", A[(X + 2) * N + X + 2], 0.0, 1e-7); // it lands within the step
    check_near("dv'/df", B[V * 6 * BODIES + X], h / mass, 1e-9);
    check_near("dv'/dmu", P[V], -g * h, 1e-7);
    assert_int_equal(tn_sim_contact_count(tn_linearization_sim(lin)), 4);
    tn_contact_info contact;
    tn_sim_contact(tn_linearization_sim(lin), 0, &contact);
    assert_int_equal(contact.condition, TN_CONTACT_SLIDING);
    tn_linearization_destroy(lin);
    scenario_close(&s), scenario_close(&less), scenario_close(&more);
}

// At rest nothing moves it, whatever the push within the cone; it stays where it is put.
static void test_sticking(void **unused)
{
    scenario s = block(0.0, 0.4);
    double wrench[6 * BODIES] = {0}, A[N * N], B[N * 6 * BODIES];
    scenario_step(&s);
    tn_linearization *lin = tn_sim_linearize(s.sim, &(tn_input){.wrench = wrench}, s.state, 0, NULL, &e);
    assert_non_null(lin);
    assert_int_equal(tn_linearization_matrices(lin, A, B, NULL, NULL, &e), TN_OK);
    check_near("dv'/dv", A[V * N + V], 0.0, 1e-9);
    check_near("dx'/dx", A[X * N + X], 1.0, 1e-9);
    check_near("turned about z it stays so", A[(X + 5) * N + X + 5], 1.0, 1e-8);
    check_near("tilted it lies down again", A[(X + 3) * N + X + 3], 0.0, 1e-6);
    check_near("dv'/df", B[V * 6 * BODIES + X], 0.0, 1e-9);
    tn_linearization_destroy(lin);
    scenario_close(&s);
}

// A pendulum with a motor and a soft body in one scene: products of all kinds.
static void test_products(void **unused)
{
    scenario s = scenario_open(
        "step: 5 ms\n"
        "bodies:\n"
        "  floor: {fixed: true, shape: {plane: {}}}\n"
        "  arm: {mass: 2, position: [0.25, 3, 1], shape: {box: [0.5, 0.05, 0.05]}}\n"
        "joints: {hinge: {type: revolute, b: arm, anchor: [0, 3, 1], axis: [0, 1, 0]}}\n"
        "soft: {mat: {grid: {size: [0.2, 0.2, 0.1], divisions: [2, 2, 1]}, position: [0, 1, 0.05], young: 100 kPa}}\n");
    enum { NODES = 18, SIZE = 12 * 3 + 6 * NODES };
    double effort[1] = {0.5}, gravity[3] = {0.0, 0.1, -9.0};
    tn_input input = {.effort = effort, .gravity = gravity};
    static double A[SIZE * SIZE], B[SIZE * 4], x[SIZE], y[SIZE], g[SIZE], gx[SIZE], gu[4], u[4] = {0.3, 0.1, -0.2, 0.7};
    scenario_steps(&s, 3);
    uint64_t before = tn_state_hash(s.state);
    tn_linearization *lin = tn_sim_linearize(s.sim, &input, s.state, 0, NULL, &e);
    assert_non_null(lin);
    assert_int_equal(tn_linearization_state_count(lin), SIZE);
    for (int i = 0; i < SIZE; i++) { // of what moves
        bool moves = (i >= 12 && i < 18) || (i >= 18 && i < 18 + 3 * NODES) || i >= 18 + 3 * NODES + 12;
        x[i] = moves ? sin(1.0 + i) : 0.0;
        g[i] = cos(0.7 * i);
    }
    assert_int_equal(tn_linearization_matrices(lin, A, B, NULL, NULL, &e), TN_OK);
    assert_int_equal(tn_linearization_push(lin, x, u, NULL, y, NULL, &e), TN_OK);
    assert_int_equal(tn_linearization_pull(lin, g, gx, gu, NULL, &e), TN_OK);
    double off = 0.0, pushed = 0.0, pulled = 0.0;
    for (int i = 0; i < SIZE; i++) {
        double sum = 0.0;
        for (int j = 0; j < SIZE; j++) {
            sum += A[i * SIZE + j] * x[j];
        }
        for (int j = 0; j < 4; j++) {
            sum += B[i * 4 + j] * u[j];
        }
        off = fmax(off, fabs(sum - y[i]));
        pushed += g[i] * sum;
        pulled += gx[i] * x[i];
    }
    for (int j = 0; j < 4; j++) {
        pulled += gu[j] * u[j];
    }
    check_below("A x + B u against the product", off, 1e-5);
    check_near("g (A x + B u) both ways", pulled, pushed, 1e-9 * fabs(pushed));
    check_near("gravity moves a node's velocity", B[(SIZE - 1) * 4 + 3] > 0.0, 1.0, 0.0);
    assert_true(tn_state_hash(s.state) == before);
    tn_linearization_destroy(lin);
    scenario_close(&s);
}

// Without gap terms a contact takes part once it touches: a ball that just does so has a derivative on one side.
static void test_edge(void **unused)
{
    scenario s = scenario_open("gap: none\n"
                               "margin: 1 mm\n"
                               "bodies:\n"
                               "  floor: {fixed: true, shape: {plane: {}}}\n"
                               "  ball: {position: [0, 0, 0.1], velocity: [0, 0, -1], shape: {sphere: 0.1}}\n");
    double dx[N] = {0}, out[N];
    tn_linearization *lin = tn_sim_linearize(s.sim, NULL, s.state, 0, NULL, &e);
    assert_non_null(lin);
    dx[X + 2] = 1.0;
    tn_smoothness smooth = TN_SMOOTH_BOTH;
    assert_int_equal(tn_linearization_push(lin, dx, NULL, NULL, out, &smooth, &e), TN_OK);
    assert_int_equal(smooth, TN_SMOOTH_SIDE);
    check_near("dz'/dz, pressed", out[X + 2], 1.0, 1e-9);
    check_near("dv'/dz, pressed", out[V + 2], 0.0, 1e-9);
    tn_linearization_destroy(lin);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sliding),
        cmocka_unit_test(test_sticking),
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_edge),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
