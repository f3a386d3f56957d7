// Pulls on nodes and damping by mass against closed forms: what a soft body gains and loses is known to the last
// digits.
#include "soft.h"

#include <string.h>

static const char block[] = "grid: {size: [0.1, 0.2, 0.3], divisions: [1, 2, 3]}, young: 1e6, density: 1000";

// Three pulls on two soft bodies in free flight: all momentum gained is the sum of force times time, whatever the share
// of a node. Forces that depend on time count at t + theta h.
static void momentum_of_pulls(void **unused)
{
    const char *schemes[2] = {"euler", "midpoint"};
    for (int k = 0; k < 2; k++) {
        scenario s =
            scenario_open("scheme: %s\nstep: 2 ms\ngravity: [0, 0, 0]\n"
                          "soft:\n"
                          "  one: {%s, pull: [{force: [0.5, 0, 0], where: {nodes: [3]}}, {force: [0, '40 * t', 0], "
                          "where: {nodes: [0, "
                          "5, 7, 11, 2]}}]}\n"
                          "  two: {%s, position: [3, 0, 0], pull: [{force: [0, 0, -2], where: {all: true}}]}\n",
                          schemes[k], block, block);
        double h = 0.002;
        int n = 50;
        scenario_steps(&s, n);
        const double *p = s.report.energy.momentum;
        double ramp = k == 0 ? 0.5 * h * h * n * (n + 1) : 0.5 * h * h * n * n; // sum of h t over the steps
        print_message("%s:\n", schemes[k]);
        check_near("momentum along x: 0.5 N on one node", p[0], 0.5 * n * h, 1e-13);
        check_near("along y: 40 t N on five nodes", p[1], 40.0 * ramp, 1e-12);
        check_near("along z: 2 N on all nodes", p[2], -2.0 * n * h, 1e-12);
        scenario_close(&s);
    }
}

// A pull counts as injected energy: a rigid motion gains all of its work.
static void work_of_a_pull(void **unused)
{
    scenario s =
        scenario_open("scheme: midpoint\nstep: 2 ms\ngravity: [0, 0, 0]\nsoft:\n  one: {%s, velocity: [0.3, 0, 0], "
                      "pull: [{force: [12, 0, 0], where: {all: true}}], damping: {stiffness: 1 ms}}\n",
                      block);
    double start = 0.5 * 6.0 * 0.09;
    scenario_steps(&s, 100);
    const tn_energy *e = &s.report.energy;
    double way = soft_mean_near(&s, (const double[3]){0, 0, 0}, 1.0, 0); // mean of nodes: shares differ from masses
    print_message("mean way %.6g m\n", way);
    check_near("injected = gained + lost", e->injected, e->kinetic + e->elastic + e->dissipated - start, 1e-9);
    check_near("momentum", e->momentum[0], 6.0 * 0.3 + 12.0 * 0.2, 1e-12);
    scenario_close(&s);
}

// alpha M: a soft body that moves as one slows down as v_{k+1} = v_k - h alpha v^, and what it loses is booked:
// euler: h alpha m v_{k+1}^2, midpoint: exactly what the kinetic energy loses.
static void damping_by_mass(void **unused)
{
    const char *schemes[3] = {"euler", "midpoint", "implicit"};
    const double alpha = 3.0, h = 0.005, m = 6.0;
    enum { N = 80 };
    for (int k = 0; k < 3; k++) {
        scenario s = scenario_open("scheme: %s\nstep: 5 ms\ngravity: [0, 0, 0]\nsoft:\n  one: {%s, velocity: [1, -2, "
                                   "0.5], damping: {mass: 3 Hz}}\n",
                                   schemes[k], block);
        double lost = 0.0, v = sqrt(5.25), start = 0.5 * m * v * v,
               factor = (1 - 0.5 * alpha * h) / (1 + 0.5 * alpha * h);
        for (int i = 0; i < N; i++) {
            scenario_step(&s);
            double next = k == 1 ? v * factor : v / (1 + alpha * h), mean = k == 1 ? 0.5 * (v + next) : next;
            lost += h * alpha * m * mean * mean;
            v = next;
        }
        const tn_energy *e = &s.report.energy;
        print_message("%s:\n", schemes[k]);
        check_near("momentum along y, discrete closed form", e->momentum[1], -2.0 / sqrt(5.25) * v * m, 1e-10);
        check_near("momentum against e^(-alpha t)", e->momentum[1], -2.0 * m * exp(-alpha * N * h),
                   (k == 1 ? 2e-4 : 1.2e-2) * 2.0 * m * exp(-alpha * N * h)); // alpha^2 h t/2, and its square's order
        check_near("booked as dissipated", e->dissipated, lost, 1e-9);
        if (k == 1) {
            check_near("kinetic and dissipated energy together", e->kinetic + e->dissipated, start, 1e-9);
        }
        scenario_close(&s);
    }
}

// The same where some nodes are tied to a free body: alpha acts on free nodes alone.
static void damping_by_mass_when_tied(void **unused)
{
    scenario s =
        scenario_open("scheme: midpoint\nstep: 1 ms\ngravity: [0, 0, 0]\n"
                      "bodies: {head: {mass: 3, velocity: [0, 0, 1], shape: {box: [0.1, 0.2, 0.1]}, position: [0, "
                      "0, 0.2]}}\n"
                      "soft:\n  one: {%s, velocity: [0, 0, 1], damping: {mass: 5 Hz, stiffness: 1 ms}, attach: "
                      "[{to: head, where: {box: {low: [-1, -1, 0.149], high: [1, 1, 1]}}}]}\n",
                      block);
    tn_energy start;
    tn_error error = {0};
    assert_int_equal(tn_state_energy(s.state, &start, &error), TN_OK);
    check_near("kinetic energy at the start", start.kinetic, 0.5 * 9.0, 1e-12);
    scenario_steps(&s, 300);
    const tn_energy *e = &s.report.energy;
    double lost = start.kinetic - e->kinetic - e->elastic;
    check_near("booked as dissipated", e->dissipated, lost,
               1e-4 * lost); // midpoint keeps the energy of the linear parts
    assert_true(lost > 2.0);
    scenario_close(&s);
}

// A soft body thrown up: its potential energy is m g times the height of its center, and midpoint keeps the sum.
static void energy_of_a_throw(void **unused)
{
    scenario s = scenario_open(
        "scheme: midpoint\nstep: 5 ms\nsoft:\n  one: {%s, position: [1, 2, 3], velocity: [1, 0, 2]}\n", block);
    scenario_steps(&s, 100);
    const tn_energy *e = &s.report.energy;
    double t = 0.5, z = 3.0 + 2.0 * t - 0.5 * GRAVITY * t * t, v = 2.0 - GRAVITY * t;
    check_near("gravity", e->gravity, 6.0 * GRAVITY * z, 1e-9);
    check_near("kinetic", e->kinetic, 0.5 * 6.0 * (1.0 + v * v), 1e-9);
    check_near("nothing is lost in a step", e->balance, 0.0, 1e-10);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(momentum_of_pulls), cmocka_unit_test(work_of_a_pull),
        cmocka_unit_test(damping_by_mass),   cmocka_unit_test(damping_by_mass_when_tied),
        cmocka_unit_test(energy_of_a_throw),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
