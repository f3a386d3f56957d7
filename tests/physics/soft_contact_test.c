// Soft bodies in contact: Hertz (F07), a dropped ball (F10), momentum between rigid and soft, soft and soft, and within
// one body. Cases of the validation list.
#include "soft.h"

#include "math/vec3.h"

#include <string.h>

static void total_force(const scenario *s, double force[3])
{
    tn_vec3_set(force, 0.0, 0.0, 0.0);
    for (int i = 0; i < tn_sim_contact_count(s->sim); i++) {
        tn_contact_info c;
        tn_sim_contact(s->sim, i, &c);
        tn_vec3_add(force, force, c.force);
    }
}

// F07: a block of 40 a x 40 a x 20 a whose cells shrink towards the middle of the top; a rigid sphere pressed into it
// is Hertz's problem of the same E* as a sphere of that material on a rigid plane.
static const double HERTZ_R = 0.1, HERTZ_E = 1e6, HERTZ_NU = 0.3, HERTZ_A = 8.804423e-3, HERTZ_D = 7.751786e-4;

static double graded(double x)
{
    return 20.0 * HERTZ_A * x * (0.055 + 0.945 * x * x); // |x| <= 1: eighteen times finer in the middle
}

static void grade_block(double x[3])
{
    x[0] = graded(2.0 * x[0]);
    x[1] = graded(2.0 * x[1]);
    x[2] = -graded(0.5 - x[2]); // top at 0
}

// Force on the sphere pressed in by d [N], and the radius of the outermost loaded vertex [m].
static double hertz_force(double d, double *radius)
{
    scenario s = soft_open(grade_block,
                           "gravity: [0, 0, 0]\nstep: 1e3\nlaw: frictionless\nmargin: 4e-3\n"
                           "solver: {name: pgs, max_iterations: 5000, tolerance: {momentum: 1e-8, natural: 1e-7}}\n"
                           "bodies:\n  ball:\n    shape: {sphere: {radius: %g}}\n"
                           "    motion: {position: [0, 0, \"%.17g - %.17g*min(t/1e3, 1)\"]}\n"
                           "soft:\n  block:\n    grid: {size: [1, 1, 1], divisions: [24, 24, 12]}\n"
                           "    young: %g\n    poisson: %g\n    density: 1000\n"
                           "    attach: [{where: {box: {low: [-1, -1, -1], high: [1, 1, -0.4999]}}}]\n",
                           HERTZ_R, HERTZ_R, d, HERTZ_E, HERTZ_NU);
    scenario_step(&s);
    double force[3];
    total_force(&s, force);
    *radius = 0.0;
    for (int i = 0; i < tn_sim_contact_count(s.sim); i++) {
        tn_contact_info c;
        tn_sim_contact(s.sim, i, &c);
        if (tn_vec3_norm(c.force) > 1e-6 * fabs(force[2])) {
            *radius = fmax(*radius, hypot(c.point[0], c.point[1]));
        }
    }
    scenario_close(&s);
    return fabs(force[2]);
}

static void test_f07_hertz(void **state)
{
    double radius[2], force[2];
    const double times[2] = {0.316227766, 1.0};
    for (int i = 0; i < 2; i++) {
        force[i] = hertz_force(HERTZ_D * times[i], &radius[i]);
        double wanted = 10.0 * pow(times[i], 1.5);
        print_message("F07 pressed in by %.4g m: force %.4g N, Hertz %.4g N\n", HERTZ_D * times[i], force[i], wanted);
    }
    // Eleven cells across the radius a. What the body approaches at 10 N, by Hertz's own power of the force.
    double approach = HERTZ_D * pow(10.0 / force[1], 2.0 / 3.0);
    check_near("F07 approach under 10 N [m]", approach, HERTZ_D, 0.1 * HERTZ_D);
    check_near("F07 radius of the contact [m]", radius[1], HERTZ_A, 0.1 * HERTZ_A);
    double exponent = log(times[1] / times[0]) / log(force[1] / force[0]);
    check_near("F07 exponent of d ~ F^n", exponent, 2.0 / 3.0, 0.03);
}

// F10: a ball falls on the floor; what the contacts give is what the momentum gains.
static void test_f10_drop(void **state)
{
    const char *const schemes[] = {"euler", "midpoint", "implicit"};
    for (int k = 0; k < 3; k++) {
        scenario s =
            soft_open(NULL,
                      "step: 2 ms\nscheme: %s\nnewton: {tolerance: 1e-10}\n"
                      "solver: {name: auto, max_iterations: 3000, tolerance: {momentum: 1e-11, natural: 1e-9}}\n"
                      "materials: {rubber: {density: 1000, friction: 0.5}}\n"
                      "bodies: {floor: {fixed: true, material: rubber, shape: {plane: {}}}}\n"
                      "soft:\n  ball:\n    ball: {radius: 0.05, divisions: 4}\n    position: [0, 0, 0.06]\n"
                      "    velocity: [0.3, 0, -1]\n    material: rubber\n    young: 5e4\n    poisson: 0.3\n"
                      "    damping: {stiffness: 1 ms}\n",
                      schemes[k]);
        double mass = s.model->softs[0].mass, before[3] = {0.3 * mass, 0.0, -mass}, impulse[3] = {0.0, 0.0, 0.0};
        double energy = INFINITY, gain = 0.0, off = 0.0, strongest = 0.0;
        for (int i = 1; i <= 60; i++) {
            scenario_step(&s);
            double force[3], change[3];
            total_force(&s, force);
            tn_vec3_madd(impulse, impulse, 2e-3, force);
            tn_vec3_sub(change, s.report.energy.momentum, before);
            tn_vec3_sub(change, change, impulse);
            change[2] += mass * GRAVITY * 2e-3 * i;
            off = fmax(off, tn_vec3_norm(change) / mass);
            strongest = fmax(strongest, force[2]);
            double now = s.report.energy.kinetic + s.report.energy.elastic + s.report.energy.gravity;
            gain = i > 1 ? fmax(gain, now - energy) : 0.0;
            energy = now;
        }
        print_message("scheme %s: strongest force %.2f times the weight\n", schemes[k], strongest / (mass * GRAVITY));
        assert_true(strongest > 3.0 * mass * GRAVITY);
        check_below("F10 momentum off impulses and gravity, relative to 1 m/s", off, 1e-8);
        // 0.55 m/s^2 of the 1 m/s fall is kinetic; midpoint is not dissipative by itself, only damped.
        check_below("F10 energy gained in a step, relative", gain / (0.5 * mass), k == 1 ? 2e-3 : 1e-6);
        scenario_close(&s);
    }
}

// Two bodies meet in free flight; total linear momentum stays to the solver's tolerance.
static void keep_momentum(const char *what, const char *bodies, double limit)
{
    scenario s =
        soft_open(NULL,
                  "gravity: [0, 0, 0]\nstep: 4 ms\nsolver: {name: auto, max_iterations: 3000, tolerance: {momentum: "
                  "1e-10, natural: 1e-8}}\n"
                  "materials: {rubber: {density: 1000, friction: 0.5}}\n%s",
                  bodies);
    double start[3], turn[3], worst = 0.0, turned = 0.0;
    int touching = 0;
    for (int i = 0; i < 60; i++) {
        scenario_step(&s);
        if (i == 0) {
            tn_vec3_copy(start, s.report.energy.momentum);
            tn_vec3_copy(turn, s.report.energy.angular_momentum);
        }
        double off[3], spin[3];
        tn_vec3_sub(off, s.report.energy.momentum, start);
        tn_vec3_sub(spin, s.report.energy.angular_momentum, turn);
        worst = fmax(worst, tn_vec3_norm(off));
        turned = fmax(turned, tn_vec3_norm(spin));
        touching += s.report.n_contacts > 0;
    }
    print_message("%s: contacts in %d of 60 steps, angular momentum drifts by %.2e kg m^2/s\n", what, touching, turned);
    assert_true(touching > 5);
    check_below(what, worst, limit);
    scenario_close(&s);
}

static void test_momentum(void **state)
{
    keep_momentum("rigid box and soft ball [N s]",
                  "bodies:\n  box: {material: rubber, position: [0, 0, -0.045], velocity: [0, 0, 1],\n"
                  "        shape: {box: {size: [0.08, 0.08, 0.03]}}}\n"
                  "soft:\n  ball: {ball: {radius: 0.03, divisions: 4}, position: [0.01, 0, 0], young: 5e4,\n"
                  "         material: rubber, velocity: [0.2, 0, -0.5], damping: {stiffness: 1 ms}}\n",
                  1e-8);
    keep_momentum("soft ball and soft block [N s]",
                  "soft:\n  ball: {ball: {radius: 0.03, divisions: 4}, position: [0.01, 0.004, 0.05], young: 5e4,\n"
                  "         material: rubber, velocity: [0.2, 0, -1], damping: {stiffness: 1 ms}}\n"
                  "  block: {grid: {size: [0.1, 0.1, 0.03], divisions: [5, 5, 2]}, young: 3e4,\n"
                  "          material: rubber, damping: {stiffness: 1 ms}}\n",
                  1e-8);
}

// A strip closes on itself: its ends fly towards each other around a soft hinge.
static void test_self_contact(void **state)
{
    scenario s =
        soft_open(NULL, "gravity: [0, 0, 0]\nstep: 4 ms\n"
                        "solver: {name: auto, max_iterations: 3000, tolerance: {momentum: 1e-10, natural: 1e-8}}\n"
                        "materials: {rubber: {density: 1000, friction: 0.3}}\n"
                        "soft:\n  strip: {grid: {size: [0.3, 0.05, 0.01], divisions: [24, 4, 1]}, young: 2e4,\n"
                        "          poisson: 0.3, material: rubber, self_contact: true, damping: {stiffness: 2 ms}}\n");
    // Fold it: both halves upright, 4 cm apart, then let the ends approach at 1 m/s each.
    for (int i = 0; i < s.model->n_nodes; i++) {
        double *x = s.state->x + 3 * i, along = x[0], up = x[2];
        double radius = 0.02, arc = 0.5 * PI * radius, side = along < 0.0 ? -1.0 : 1.0;
        if (fabs(along) < arc) {
            double angle = along / radius;
            x[0] = (radius - up) * sin(angle);
            x[2] = radius - (radius - up) * cos(angle);
        } else {
            x[0] = side * (radius - up);
            x[2] = radius + fabs(along) - arc;
        }
        s.state->v[3 * s.model->nodes[i].block] = -side * fmax(0.0, x[2] - radius) / 0.1;
    }
    memcpy(s.state->v_hat, s.state->v, 3 * (size_t)s.model->n_blocks * sizeof(double));
    double momentum[3], worst = 0.0, deepest = 0.0;
    int touching = 0;
    for (int i = 0; i < 50; i++) {
        scenario_step(&s);
        if (i == 0) {
            tn_vec3_copy(momentum, s.report.energy.momentum);
        }
        double off[3];
        tn_vec3_sub(off, s.report.energy.momentum, momentum);
        worst = fmax(worst, tn_vec3_norm(off));
        deepest = fmax(deepest, s.report.solve.certificate.penetration);
        touching += s.report.n_contacts > 0;
        // The two halves must not pass through each other: the free ends keep their order.
    }
    double left = 0.0, right = 0.0;
    for (int i = 0; i < s.model->n_nodes; i++) {
        double along = s.model->node_rest[3 * i];
        left = along < -0.149 ? left + s.state->x[3 * i] : left;
        right = along > 0.149 ? right + s.state->x[3 * i] : right;
    }
    print_message("contacts in %d of 50 steps; ends %.4f m apart on average\n", touching, (right - left) / 10.0);
    assert_true(touching > 5);
    assert_true(right > left);
    check_below("self contact: linear momentum gained [N s]", worst, 1e-8);
    check_below("self contact: deepest overlap [m] (strip 1 cm thick)", deepest, 1e-3);
    scenario_close(&s);
}

// A rod of 0.52 m bent to a loop: three quarters of a circle and two straight ends that cross at right angles, 14 mm
// apart.
static void bend_to_loop(double x[3])
{
    const double radius = 0.06, most = 0.75 * PI;
    double angle = fmax(-most, fmin(x[0] / radius, most)), beyond = x[0] - radius * angle, out = radius - x[1];
    double rise = 0.05 * x[0] / 0.26;
    tn_vec3_set(x, out * sin(angle) + beyond * cos(angle), -out * cos(angle) + beyond * sin(angle), x[2] + rise);
}

static void test_crossed_ends(void **state)
{
    scenario s = soft_open(
        bend_to_loop, "gravity: [0, 0, 0]\nstep: 4 ms\n"
                      "solver: {name: auto, max_iterations: 3000, tolerance: {momentum: 1e-10, natural: 1e-8}}\n"
                      "materials: {rubber: {density: 1000, friction: 0.3}}\n"
                      "soft:\n  loop: {grid: {size: [0.52, 0.02, 0.02], divisions: [14, 1, 1]}, young: 2e4,\n"
                      "          poisson: 0.3, material: rubber, self_contact: true, damping: {stiffness: 2 ms}}\n");
    for (int i = 0; i < s.model->n_nodes; i++) { // the ends fly towards each other at 1 m/s each
        s.state->v[3 * s.model->nodes[i].block + 2] = -30.0 * s.model->node_rest[3 * i + 2];
    }
    memcpy(s.state->v_hat, s.state->v, 3 * (size_t)s.model->n_blocks * sizeof(double));
    double momentum[3], worst = 0.0, least = INFINITY;
    int edges = 0;
    for (int i = 0; i < 60; i++) {
        scenario_step(&s);
        if (i == 0) {
            tn_vec3_copy(momentum, s.report.energy.momentum);
        }
        double off[3], height[2] = {0.0, 0.0};
        int n[2] = {0, 0};
        tn_vec3_sub(off, s.report.energy.momentum, momentum);
        worst = fmax(worst, tn_vec3_norm(off));
        for (int k = 0; k < s.model->n_nodes; k++) {
            double rest = s.model->node_rest[3 * k + 2];
            if (fabs(rest) > 0.035) {
                height[rest > 0.0] += s.state->x[3 * k + 2];
                n[rest > 0.0]++;
            }
        }
        least = fmin(least, height[1] / n[1] - height[0] / n[0]);
        for (int c = 0; c < s.sim->solving.eq.list.n; c++) {
            edges +=
                s.sim->solving.eq.list.contacts[c].soft_a->n == 2 && s.sim->solving.eq.list.contacts[c].soft_b->n == 2;
        }
    }
    print_message("%d contacts of edges; without them the ends pass through each other\n", edges);
    assert_true(edges > 10);
    check_below("crossed ends of a rod of 2 cm: nearest, less than touch [m]", 0.02 - least, 0.012);
    check_below("crossed ends: linear momentum gained [N s]", worst, 1e-8);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_f07_hertz),    cmocka_unit_test(test_f10_drop),     cmocka_unit_test(test_momentum),
        cmocka_unit_test(test_self_contact), cmocka_unit_test(test_crossed_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
