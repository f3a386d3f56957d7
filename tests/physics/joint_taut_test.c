// Taut chains of light links under heavy weights, at steps too long for the links' oscillations: f l / (m l^2 / 12)
// h^2 is 3 to 3000. Explicit steps are stable up to 4 at most.
#include "scenario.h"

#include <string.h>

// n links of 10 cm and 40 g from the origin along x, a weight [kg] welded to the last. kind: of their shapes.
static scenario open_chain(int n, double weight, double h, const char *kind)
{
    char *text = malloc(65536), *at = text;
    at += sprintf(at, "step: %g\nbodies:\n", h);
    for (int i = 0; i < n; i++) {
        at += sprintf(at, "  l%d: {position: [%g, 0, 0], shape: {%s, collides: false}, mass: 0.04}\n", i,
                      0.05 + 0.1 * i, kind);
    }
    bool planar = !strncmp(kind, "polygon", 7);
    at += sprintf(at, "  w: {position: [%g, 0, 0], shape: {%s: 0.05, collides: false}, mass: %g}\njoints:\n", 0.1 * n,
                  planar ? "disk" : "sphere", weight);
    for (int i = 0; i < n; i++) {
        char before[20] = "world";
        if (i > 0) {
            snprintf(before, sizeof before, "l%d", i - 1);
        }
        at += sprintf(at, "  j%d: {type: %s, a: %s, b: l%d, anchor: [%g, 0, 0]}\n", i,
                      planar ? "revolute, axis: [0, 1, 0]" : "spherical", before, i, 0.1 * i);
    }
    at += sprintf(at, "  jw: {type: weld, a: l%d, b: w}\n", n - 1);
    scenario s = scenario_open("%s", text);
    free(text);
    return s;
}

// Most energy gained [J]; drift: worst of the last second.
static double watch(scenario *s, double until, double *drift)
{
    double first = 0.0, gained = -INFINITY;
    for (int k = 0; tn_state_time(s->state) < until - 1e-6; k++) {
        scenario_step(s);
        double energy = s->report.energy.kinetic + s->report.energy.gravity;
        first = k == 0 ? energy : first;
        gained = fmax(gained, energy - first);
        if (tn_state_time(s->state) > until - 1.0) {
            *drift = fmax(*drift, s->report.solve.certificate.drift);
        }
    }
    return gained;
}

static void test_heavy_chains(void **unused)
{
    const char *kinds[2] = {"box: [0.1, 0.02, 0.02]", "polygon: {size: [0.1, 0.02]}"};
    const double weights[4] = {1.0, 10.0, 100.0, 1000.0}, steps[2] = {10e-3, 5e-3};
    for (int k = 0; k < 16; k++) {
        double drift = 0.0, weight = weights[k / 4];
        scenario s = open_chain(k % 4 == 3 ? 30 : 10, weight, steps[k % 2], kinds[k / 2 % 2]);
        double gained = watch(&s, 3.0, &drift);
        print_message("%s, %g kg, h %g s: ", kinds[k / 2 % 2], weight, steps[k % 2]);
        check_below("energy gained over m g l", gained / (weight * GRAVITY), 1e-3);
        check_below("drift of the last second [m, rad]", drift, 1e-2); // a tenth of a link
        scenario_close(&s);
    }
}

// Two balls of 1 kg on a rod of 1 g that turns by 0.1 rad a step: long for the rod alone (h^2 K / I = 60), not for what
// it carries. Nothing is added: the rod's block of A is its inertia over h, to the bit.
static void test_carried_rod_is_left_alone(void **unused)
{
    scenario s =
        scenario_open("gravity: [0, 0, 0]\nstep: 10 ms\n"
                      "bodies:\n"
                      "  a: {position: [-1, 0, 0], velocity: [0, -10, 0], mass: 1, inertia: [4e-3, 4e-3, 4e-3]}\n"
                      "  b: {position: [1, 0, 0], velocity: [0, 10, 0], mass: 1, inertia: [4e-3, 4e-3, 4e-3]}\n"
                      "  rod: {mass: 1e-3, inertia: [1e-7, 3e-4, 3e-4], angular_velocity: [0, 0, 10]}\n"
                      "joints:\n"
                      "  p: {type: spherical, a: a, b: rod, anchor: [-1, 0, 0]}\n"
                      "  q: {type: spherical, a: rod, b: b, anchor: [1, 0, 0]}\n");
    double worst = 0.0;
    for (int k = 0; k < 100; k++) {
        scenario_step(&s);
        const tn_blocks *A = tn_sim_problem(s.sim, NULL)->A;
        worst = fmax(worst, fabs(tn_blocks_find(A, 5, 5)[8] - 3e-4 / 10e-3));
    }
    check_below("rod's moment over h, off by [kg m^2/s]", worst, 1e-17);
    scenario_close(&s);
}

// A crane's light hook with a load on a rope, a `distance`, which lets the hook go across: the load is no inertia to
// that. Before, reduced coordinates ended the run after 0.3 s.
static void test_hook(void **unused)
{
    for (int k = 0; k < 4; k++) {
        double drift = 0.0, weight = k % 2 ? 2000.0 : 200.0;
        scenario s = scenario_open("step: 10 ms\ncoordinates: %s\nbodies:\n"
                                   "  hook: {shape: {box: [3 cm, 3 cm, 3 cm]}, mass: 0.08, velocity: [0.2, 0, 0]}\n"
                                   "  load: {shape: {sphere: 0.2}, mass: %g, position: [0, 0, -0.6]}\n"
                                   "joints:\n  hanger: {type: spherical, b: hook, anchor: [0, 0, 0.58]}\n"
                                   "  rope: {type: distance, a: hook, b: load}\n",
                                   k < 2 ? "maximal" : "reduced", weight);
        double gained = watch(&s, 3.0, &drift);
        print_message("hook, %g kg: ", weight);
        check_below("energy gained over m g l", gained / (weight * GRAVITY), 1e-4);
        check_below("drift of the last second [m, rad]", drift, 1e-8);
        scenario_close(&s);
    }
}

// Ropes of n beads of 20 g, d apart on distances (held, at their limits, on stiff springs), with 45 kg that swing at 1
// m/s. Before, they were torn apart by up to 10^5 J. What the step damps is of first order in it.
static void test_beads(void **unused)
{
    static const char *const kinds[] = {"", ", slide: {limits: [0, %g]}",
                                        ", slide: {stiffness: 1e6, damping: 100, rest: %g}"};
    for (int k = 0; k < 6; k++) {
        int n = k % 2 ? 10 : 3;
        double drift = 0.0, d = k % 2 ? 0.1 : 0.3;
        char text[8192], *at = text, acts[100];
        snprintf(acts, sizeof acts, kinds[k / 2], d);
        at += sprintf(at,
                      "step: 10 ms\nbodies:\n  w: {position: [0, 0, %g], shape: {sphere: 0.02}, mass: 45, "
                      "velocity: [1, 0, 0]}\n",
                      -(n + 1) * d);
        for (int i = 0; i < n; i++) {
            at += sprintf(at, "  b%d: {position: [0, 0, %g], shape: {sphere: 0.01}, mass: 0.02}\n", i, -(i + 1) * d);
        }
        at += sprintf(at, "joints:\n  j: {type: distance, a: b%d, b: w%s}\n", n - 1, acts);
        for (int i = 0; i < n; i++) {
            char before[20] = "world";
            if (i > 0) {
                snprintf(before, sizeof before, "b%d", i - 1);
            }
            at += sprintf(at, "  j%d: {type: distance, a: %s, b: b%d%s}\n", i, before, i, acts);
        }
        scenario s = scenario_open("%s", text);
        double gained = watch(&s, 3.0, &drift);
        print_message("%d beads%s: ", n, acts);
        check_below("energy gained over that of the swing", gained / 22.5, 0.05);
        check_below("drift of the last second [m]", drift, 1e-4);
        scenario_close(&s);
    }
}

// A rope through a light eye that carries a load, a gear over two distances.
static void test_eye(void **unused)
{
    double drift = 0.0;
    scenario s = scenario_open(
        "step: 10 ms\nbodies:\n  eye: {position: [0.5, 0, -0.5], shape: {sphere: 0.01}, mass: 0.02}\n"
        "  load: {position: [0.5, 0, -1], shape: {sphere: 0.1}, mass: 45, velocity: [1, 0.5, 0]}\njoints:\n"
        "  l: {type: distance, b: eye, slide: {}}\n"
        "  r: {type: distance, b: eye, point_a: [1, 0, 0], point_b: [0, 0, 0], slide: {}}\n"
        "  rope: {type: gear, joints: [l, r], ratio: [-1]}\n  hang: {type: distance, a: eye, b: load}\n");
    double gained = watch(&s, 3.0, &drift);
    check_below("energy gained over that of the swing", gained / 28.125, 0.05);
    check_below("drift of the last second [m]", drift, 1e-6);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heavy_chains),
        cmocka_unit_test(test_hook),
        cmocka_unit_test(test_beads),
        cmocka_unit_test(test_eye),
        cmocka_unit_test(test_carried_rod_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
