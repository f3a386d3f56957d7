// What rests on something that moves by itself, in both orders of the bodies: belts, driven soft bodies, turntables,
// turning arms. Closed forms of sliding: the step gives mu g h until the support's speed is reached.
#include "soft.h"

#include "math/vec3.h"

// Bodies in both orders.
static void two_bodies(char *out, size_t size, const char *one, const char *other, int order)
{
    snprintf(out, size, "%s%s", order == 0 ? one : other, order == 0 ? other : one);
}

// A box that something carries along x at `speed`: its speed is mu g t, then that of the support, and it goes nowhere
// else. mu = 0.2, reached after speed/(mu g).
static void check_carried(const char *what, scenario *s, const char *name, double speed)
{
    int box = scenario_body(s, name);
    double reached = speed / (0.2 * GRAVITY), worst = 0.0;
    for (int n = 1; n <= 60; n++) {
        scenario_step(s);
        double wanted = n * 0.01 < reached ? 0.2 * GRAVITY * n * 0.01 : speed;
        worst = fmax(worst, fabs(scenario_velocity(s, box, 0) - wanted));
        for (int k = 0; k < tn_sim_contact_count(s->sim); k++) { // what contacts say of their slip
            tn_contact_info c;
            tn_sim_contact(s->sim, k, &c);
            double slip = sqrt(c.velocity[1] * c.velocity[1] + c.velocity[2] * c.velocity[2]);
            worst = fmax(worst, fabs(slip - (speed - wanted)));
        }
        worst = fmax(worst, fabs(scenario_velocity(s, box, 1)));
        worst = fmax(worst, fabs(scenario_velocity(s, box, 2)));
    }
    check_below(what, worst, 1e-6); // natural map 1e-8 of the forces, a moment's rotation
    scenario_close(s);
}

static void belts(void **unused)
{
    for (int order = 0; order < 2; order++) {
        char bodies[600];
        two_bodies(bodies, sizeof bodies,
                   "  belt: {fixed: true, shape: {box: [9, 1, 0.2], surface_velocity: [0.6, 0, 0]}}\n",
                   "  box: {position: [0, 0, 0.11], shape: {box: [0.4, 0.4, 0.02]}}\n", order);
        scenario s = scenario_open(
            "solver: {tolerance: {natural: 1e-9}}\nmaterials: {default: {friction: 0.2}}\nbodies:\n%s", bodies);
        check_carried(order == 0 ? "box on a belt, the belt is a" : "box on a belt, the belt is b", &s, "box", 0.6);
    }
}

// The support is a soft slab all of whose nodes a moving body drives.
static void driven_slabs(void **unused)
{
    static const char head[] =
        "solver: {tolerance: {natural: 1e-9}}\nmaterials: {default: {friction: 0.2}}\nbodies:\n  hand: "
        "{motion: {position: ['0.6 * t', 0, 0]}}\n";
    static const char held[] =
        "  held: {grid: {size: [3, 1, 0.2], divisions: [6, 2, 1]}, young: 1e5, attach: [{to: hand, "
        "where: {all: true}}]}\n";
    scenario s =
        scenario_open("%s  box: {position: [0, 0, 0.11], shape: {box: [0.4, 0.4, 0.02]}}\nsoft:\n%s", head, held);
    check_carried("box on a driven soft slab", &s, "box", 0.6);
}

// A soft block between two driven jaws that move along: it goes with them. The jaws' nodes are soft and driven too.
static void gripped_block(void **unused)
{
    for (int order = 0; order < 2; order++) {
        char softs[900];
        two_bodies(
            softs, sizeof softs,
            "  jaw: {grid: {size: [0.3, 0.3, 0.1], divisions: [2, 2, 1]}, young: 1e6, attach: [{to: hand, where: {all: "
            "true}}]}\n",
            "  block: {grid: {size: [0.1, 0.1, 0.1], divisions: [1, 1, 1]}, young: 1e6, position: [0.01, 0.02, 0.1], "
            "damping: {stiffness: 5 ms}}\n",
            order);
        scenario s =
            scenario_open("solver: {tolerance: {natural: 1e-8}}\nmaterials: {default: {friction: 0.8}}\nbodies:\n"
                          "  hand: {motion: {position: ['0.5 * t', '-0.25 * t', 0]}}\nsoft:\n%s",
                          softs);
        scenario_run(&s, 0.5);
        int block = scenario_body(&s, "block");
        print_message("%s:\n", order == 0 ? "the jaw is a" : "the jaw is b");
        check_near("block's velocity along x", scenario_velocity(&s, block, 0), 0.5, 1e-3);
        check_near("along y", scenario_velocity(&s, block, 1), -0.25, 1e-3);
        // It was carried from rest: behind by the way of its sliding, v^2/(2 mu g), less v h/2 as velocities of a
        // step's end count; and it deforms a little.
        double lag = 0.3125 / (2 * 0.8 * GRAVITY) * 0.5 / sqrt(0.3125);
        check_near("block's place along x", scenario_position(&s, block, 0), 0.01 + 0.25 - lag + 0.0025, 5e-4);
        scenario_close(&s);
    }
}

// A ball in the middle of a turntable, carried round by torsional friction alone: c m g h/I a step, then the table's
// rate.
static void turntable(void **unused)
{
    for (int order = 0; order < 2; order++) {
        char bodies[600];
        two_bodies(bodies, sizeof bodies,
                   "  table: {motion: {axis: [0, 0, 1], angle: '3 * t'}, shape: {box: [1, 1, 0.2]}}\n",
                   "  ball: {position: [0, 0, 0.2], shape: {sphere: 0.1}}\n", order);
        scenario s =
            scenario_open("solver: {tolerance: {natural: 1e-9}}\nmaterials: {default: {friction: 0.2, torsion: 1 mm, "
                          "rolling: 0.5 mm}}\nbodies:\n%s",
                          bodies);
        int ball = scenario_body(&s, "ball");
        double rate = 1e-3 * GRAVITY / (0.4 * 0.01), worst = 0.0; // [rad/s^2]
        for (int n = 1; n <= 150; n++) {
            scenario_step(&s);
            worst = fmax(worst, fabs(scenario_spin(&s, ball, 2) - fmin(rate * n * 0.01, 3.0)));
            worst = fmax(worst, fabs(scenario_spin(&s, ball, 0)) + fabs(scenario_spin(&s, ball, 1)));
        }
        check_below(order == 0 ? "ball on a turntable, the table is a" : "ball on a turntable, the table is b", worst,
                    1e-5);
        scenario_close(&s);
    }
}

// A ball tied by a damper to the tip of a turning arm, straight ahead of it: v = h c u/(m + h c), u the tip's speed.
static void damper_on_a_turning_arm(void **unused)
{
    for (int order = 0; order < 2; order++) {
        scenario s = scenario_open("gravity: [0, 0, 0]\nbodies:\n  arm: {motion: {axis: [0, 0, 1], angle: '4 * t'}}\n"
                                   "  ball: {mass: 2, position: [0.5, 0.3, 0], shape: {sphere: 0.1}}\n"
                                   "springs: {s: {a: %s, b: %s, point_%s: [0.5, 0, 0], damping: 30}}\n",
                                   order == 0 ? "arm" : "ball", order == 0 ? "ball" : "arm", order == 0 ? "a" : "b");
        scenario_step(&s);
        check_near("ball's speed after a step", scenario_velocity(&s, scenario_body(&s, "ball"), 1),
                   30 * 0.5 * sin(0.04) / (2 + 0.01 * 30), 1e-12); // of the way of the arm's end in the step
        scenario_close(&s);
    }
}

// What is welded to a body that moves and turns ever faster stays where it was in its frame.
static void welded_to_a_turning_arm(void **unused)
{
    const char *schemes[2] = {"euler", "midpoint"};
    for (int k = 0; k < 4; k++) {
        int order = k % 2;
        scenario s = scenario_open("scheme: %s\nbodies:\n  arm: {motion: {position: ['t^2', 0, '0.5 * t'], axis: [0, "
                                   "3, 4], angle: '2 * t^2'}}\n"
                                   "  beam: {position: [0.4, 0.1, 0.2], rotation: {axis: [1, 1, 0], angle: 0.4}, "
                                   "shape: {box: [0.4, 0.1, 0.2]}}\n"
                                   "joints: {j: {type: weld, a: %s, b: %s, anchor: [0.3, 0, 0.1]}}\n",
                                   schemes[k / 2], order == 0 ? "arm" : "beam", order == 0 ? "beam" : "arm");
        scenario_run(&s, 0.5);
        const double n[3] = {0, 0.6, 0.8}, p[3] = {0.4, 0.1, 0.2}; // turned by 0.5 rad: Rodrigues' formula
        double cross[3], along = tn_vec3_dot(n, p), worst = 0.0;
        tn_vec3_cross(cross, n, p);
        for (int i = 0; i < 3; i++) {
            double wanted = cos(0.5) * p[i] + sin(0.5) * cross[i] + (1 - cos(0.5)) * along * n[i] +
                            (i == 0 ? 0.25 : 0.0) + (i == 2 ? 0.25 : 0.0);
            worst = fmax(worst, fabs(scenario_position(&s, scenario_body(&s, "beam"), i) - wanted));
        }
        print_message("%s, the arm is %c: ", schemes[k / 2], order == 0 ? 'a' : 'b');
        check_below("place of the welded beam", worst, 1e-8);
        scenario_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(belts),
        cmocka_unit_test(driven_slabs),
        cmocka_unit_test(gripped_block),
        cmocka_unit_test(turntable),
        cmocka_unit_test(damper_on_a_turning_arm),
        cmocka_unit_test(welded_to_a_turning_arm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
