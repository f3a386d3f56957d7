// What other engines explode on: stiff and soft balls dropped at 10 ms, a ball pressed flat, inverted elements.
#include "soft.h"

#include "math/vec3.h"

#include <string.h>

// Dropped from 1 m at 10 ms. docs/physics.md: euler is stable by itself; midpoint wants damping of a fifth of the step
// and geometric stiffness.
static void drop(const char *scheme, const char *damping, double young)
{
    scenario s = soft_open(NULL,
                           "step: 10 ms\nscheme: %s\n"
                           "materials: {rubber: {density: 1000, friction: 0.5}}\n"
                           "bodies: {floor: {fixed: true, material: rubber, shape: {plane: {}}}}\n"
                           "soft:\n  ball:\n    ball: {radius: 0.05, divisions: 5}\n    position: [0, 0, 1.05]\n"
                           "    material: rubber\n    young: %g\n    poisson: 0.4\n    %s\n",
                           scheme, young, damping);
    double start = s.model->softs[0].mass * GRAVITY * 1.05, highest = 0.0, gain = 0.0, last = INFINITY;
    for (int i = 0; i < 150; i++) {
        scenario_step(&s); // fails on NaN
        double now = s.report.energy.kinetic + s.report.energy.elastic + s.report.energy.gravity;
        highest = fmax(highest, now);
        gain = i > 0 ? fmax(gain, now - last) : 0.0;
        last = now;
    }
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < s.model->n_nodes; i++) {
        low = fmin(low, s.state->x[3 * i + 2]);
        high = fmax(high, s.state->x[3 * i + 2]);
    }
    print_message(
        "%-8s %7.0e Pa: highest energy %.6f, gain in a step %.1e, at the end %.4f of the start's; from %.1e to "
        "%.4f m\n",
        scheme, young, highest / start, gain / start, last / start, low, high);
    assert_true(highest / start <= 1.0 + 1e-5);
    // The solver aims at 1e-6 of the forces; at 100 MPa these are large.
    assert_true(gain / start <= (strcmp(scheme, "midpoint") == 0 ? 1e-2 : 1e-3));
    assert_true(low > -1e-3 && high < 0.15);
    scenario_close(&s);
}

static void test_drop(void **state)
{
    for (double young = 1e4; young < 2e8; young *= 10.0) {
        drop("euler", "damping: {}", young);
        drop("midpoint", "damping: {stiffness: 2 ms}\n    geometric: projected", young);
    }
}

// A plate presses the ball to a fifth of its height and goes: the ball takes its shape again.
static void test_squeeze(void **state)
{
    scenario s = soft_open(
        NULL, "gravity: [0, 0, -1]\nstep: 10 ms\n"
              "materials: {rubber: {density: 1000, friction: 0.5}}\n"
              "defaults: {body: {material: rubber}}\n"
              "bodies:\n  floor: {fixed: true, shape: {plane: {}}}\n"
              "  plate:\n    shape: {box: {size: [0.4, 0.4, 0.02]}}\n"
              "    motion: {position: [0, 0, \"0.115 - 0.085*clamp(t/0.5, 0, 1) + 0.3*clamp((t - 0.7)/0.3, 0, "
              "1)\"]}\n"
              "soft:\n  ball:\n    ball: {radius: 0.05, divisions: 5}\n    position: [0, 0, 0.05]\n"
              "    material: rubber\n    young: 1e5\n    poisson: 0.4\n    damping: {stiffness: 2 ms}\n");
    double flattest = INFINITY, pressed = 0.0;
    for (int i = 0; i < 300; i++) {
        scenario_step(&s);
        double low = INFINITY, high = -INFINITY;
        for (int n = 0; n < s.model->n_nodes; n++) {
            low = fmin(low, s.state->x[3 * n + 2]);
            high = fmax(high, s.state->x[3 * n + 2]);
        }
        flattest = fmin(flattest, high - low);
        pressed = fmax(pressed, s.report.energy.elastic);
    }
    print_message("elastic energy pressed flat: %.2f J\n", pressed);
    check_near("flattest height of the ball of 10 cm [m]", flattest, 0.02, 2e-3);
    // Its weight W of 0.5 N alone stores about W^2 / (2 E R) = 3e-5 J.
    check_below("elastic energy left [J]", s.report.energy.elastic, 2e-4);
    // Distances between nodes as at rest: 1 cm is a fifth of the radius.
    double worst = 0.0;
    for (int i = 1; i < s.model->n_nodes; i++) {
        double now[3], rest[3];
        tn_vec3_sub(now, s.state->x + 3 * i, s.state->x);
        tn_vec3_sub(rest, s.model->node_rest + 3 * i, s.model->node_rest);
        worst = fmax(worst, fabs(tn_vec3_norm(now) - tn_vec3_norm(rest)));
    }
    check_below("distances between nodes off the rest shape's [m]", worst, 5e-4);
    scenario_close(&s);
}

// All nodes thrown together, inside out: the ball unfolds (its own weight apart).
static void test_inverted(void **state)
{
    scenario s =
        soft_open(NULL, "gravity: [0, 0, 0]\nstep: 10 ms\n"
                        "soft:\n  ball:\n    ball: {radius: 0.05, divisions: 3}\n    young: 1e5\n    poisson: 0.3\n"
                        "    density: 1000\n    damping: {stiffness: 5 ms}\n");
    for (int i = 0; i < s.model->n_nodes; i++) {
        s.state->x[3 * i + 2] *= -0.3; // mirrored and flat
    }
    scenario_step(&s);
    double first = s.report.energy.elastic;
    scenario_steps(&s, 400);
    print_message("elastic energy %.3g J after a step, %.3g J after 4 s\n", first, s.report.energy.elastic);
    assert_true(first > 1e-2);
    // A mirrored ball may come to rest inside out in parts; nearly all of its energy must go.
    check_below("elastic energy left", s.report.energy.elastic / first, 1e-3);
    scenario_close(&s);
}

// A stiff sheet lands flat, all 225 nodes at once: no iterate of nodal is worth anything then, and a solve that stays
// open throws the sheet into the air with any energy (thousands of times its own, before newton began anew).
static void land_flat(const char *scheme, const char *damping, double young, double poisson, double h)
{
    scenario s = soft_open(NULL,
                           "step: %g\nscheme: %s\n"
                           "materials: {rubber: {density: 1000, friction: 0.5}}\n"
                           "bodies: {floor: {fixed: true, material: rubber, shape: {plane: {}}}}\n"
                           "soft:\n  sheet:\n    grid: {size: [0.3, 0.3, 0.004], divisions: [14, 14, 1]}\n"
                           "    position: [0, 0, 0.4]\n    material: rubber\n    young: %g\n    poisson: %g\n    %s\n",
                           h, scheme, young, poisson, damping);
    double start = s.model->softs[0].mass * GRAVITY * 0.4, highest = 0.0, momentum = 0.0;
    while (tn_state_time(s.state) < 0.4 - 1e-6) {
        scenario_step(&s);
        highest = fmax(highest, s.report.energy.kinetic + s.report.energy.elastic + s.report.energy.gravity);
        momentum = fmax(momentum, s.report.solve.certificate.momentum);
    }
    print_message("sheet, %-8s %g Pa, Poisson %g, h %g s: highest energy %.6f of the start's\n", scheme, young, poisson,
                  h, highest / start);
    check_below("worst momentum residual, aimed at 1e-6", momentum, 1e-5);
    assert_true(highest / start <= 1.0 + 1e-5);
    scenario_close(&s);
}

static void test_land_flat(void **state)
{
    land_flat("midpoint", "damping: {stiffness: 2 ms}\n    geometric: projected", 1e7, 0.49, 0.01);
    land_flat("midpoint", "damping: {stiffness: 2 ms}\n    geometric: projected", 1e8, 0.49, 0.01);
    land_flat("euler", "damping: {}", 1e7, 0.45, 0.02);
    land_flat("euler", "damping: {}", 1e8, 0.49, 0.02);
}

// Vertices that bounce are pulled back by the ball within a later step: nobody knows of them at its start. They sank in
// by up to 15 mm.
static void test_bounce(void **state)
{
    double deepest = 0.0;
    for (int k = 0; k < 3; k++) {
        scenario s =
            soft_open(NULL,
                      "step: 10 ms\nmaterials: {default: {friction: 0.6, restitution: 0.4}}\n"
                      "bodies: {floor: {fixed: true, shape: {plane: {}}}}\n"
                      "soft: {ball: {ball: {radius: 0.12, divisions: 3}, position: [0, 0, 0.17],\n"
                      "  velocity: [0, 0, %d], young: 280 kPa, density: 5700, damping: {stiffness: 0.3 ms}}}\n",
                      -2 - 2 * k);
        for (int i = 0; i < 40; i++) {
            scenario_step(&s);
            deepest = fmax(deepest, s.report.solve.certificate.penetration);
        }
        scenario_close(&s);
    }
    check_below("penetration of a bouncing soft ball [m]", deepest, 1e-12);
}

// Without gravity, the scene's or that of its steps, nothing but the plate moves in the first step: its balance is
// relative to what the plate brings, or to the weight, not to the rounding of elements' forces at rest (2.3e-3 was left
// of that).
static void plate_closes(double gravity)
{
    const double none[3] = {0.0, 0.0, 0.0};
    scenario s = soft_open(
        NULL,
        "gravity: [0, 0, %g]\nstep: 10 ms\nmaterials: {default: {friction: 0, density: 1000}}\nbodies:\n"
        "  floor: {fixed: true, position: [0, 0, -0.1], shape: {plane: {}}}\n"
        "  top: {shape: {box: [0.4, 0.4, 0.1], position: [0, 0, 0.05]}, "
        "motion: {position: [0, 0, \"0.1 - 0.004*t\"]}}\n"
        "soft: {s: {ball: {radius: 0.1, divisions: 3}, young: 1e6, poisson: 0.3, damping: {stiffness: 0.01}}}\n",
        gravity);
    s.input = &(tn_input){.gravity = none};
    for (int i = 0; i < 3; i++) {
        scenario_step(&s);
        assert_true(tn_sim_contact_count(s.sim) > 0);
        check_below("a plate closes on a soft ball: balance", s.report.solve.certificate.momentum, 1e-5);
    }
    scenario_close(&s);
}

static void test_plate_closes(void **state)
{
    plate_closes(0.0);
    plate_closes(-9.81);
}

// Fingers as stiff as plastics close on a ball, which they squeeze by 2 mm. Without interior point steps on J A^-1 J^T
// 18 of 24 steps miss their aim, with energy gained.
static void test_stiff_grip(void **state)
{
    scenario s = soft_open(
        NULL, "step: 10 ms\nmaterials: {m: {density: 1000, friction: 2}}\n"
              "defaults:\n  body: {material: m}\n"
              "  soft: {material: m, young: 1e10, poisson: 0.42, damping: {stiffness: 1 ms},\n"
              "    finger: {length: 0.11, width: 0.03, thickness_root: 0.026, thickness_tip: 0.016, notches: 0, "
              "divisions: [3, 4, 12]}}\n"
              "bodies:\n  floor: {fixed: true, shape: {plane: {}}}\n"
              "  ball: {position: [0, 0, 0.025], shape: {sphere: 0.025}}\n"
              "  left: {motion: {position: [\"-0.05 + 0.1*t\", 0, 0.12]}}\n"
              "  right: {motion: {position: [\"0.05 - 0.1*t\", 0, 0.12]}}\n"
              "soft:\n"
              "  a: {position: [-0.05, 0, 0.12], rotation: {axis: [1, 0, 0], angle: 180 deg},\n"
              "    attach: [{to: left, where: {box: {low: [-1, -1, -1e-6], high: [1, 1, 0.004]}}}]}\n"
              "  b: {position: [0.05, 0, 0.12], rotation: {axis: [0, 1, 0], angle: 180 deg},\n"
              "    attach: [{to: right, where: {box: {low: [-1, -1, -1e-6], high: [1, 1, 0.004]}}}]}\n");
    tn_energy first;
    assert_int_equal(tn_state_energy(s.state, &first, NULL), TN_OK);
    double start = first.kinetic + first.elastic + first.gravity, worst = 0.0, gained = 0.0;
    for (int i = 0; i < 24; i++) {
        scenario_step(&s);
        worst = fmax(worst, s.report.solve.certificate.natural);
        const tn_energy *e = &s.report.energy;
        gained = fmax(gained, e->kinetic + e->elastic + e->gravity - e->injected - start);
    }
    assert_true(s.report.energy.elastic > 100.0);
    check_below("fingers of 10 GPa: natural map", worst, 1e-5);
    check_below("energy gained [J]", gained, 1e-6);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_drop),       cmocka_unit_test(test_squeeze), cmocka_unit_test(test_inverted),
        cmocka_unit_test(test_land_flat),  cmocka_unit_test(test_bounce),  cmocka_unit_test(test_plate_closes),
        cmocka_unit_test(test_stiff_grip),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
