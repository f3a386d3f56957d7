// Grains: weight goes through to the floor (case G01 of the validation list), a silo's wall carries a part of it
// (G02, Janssen), the flow out of a hole grows with its width (G03, Beverloo), slopes with friction (G04). Small piles;
// `tenon bench rigid --only granular` has the list's sizes. Brief under sanitizers (scenario.h).
#include "gallery.h"

#include <string.h>

enum { SAMPLES = BRIEF ? 5 : 100 }; // steps over which forces are averaged

static const char *const SOLVER = "solver: {max_iterations: 200, tolerance: {momentum: 1e-6, natural: 1e-4}}\n";

// Sum of contact forces that body a, of the lower number, exerts on all others; added to sum [N].
static void add_force_of(const scenario *s, int a, double sum[3])
{
    for (int i = 0; i < tn_sim_contact_count(s->sim); i++) {
        tn_contact_info c;
        tn_sim_contact(s->sim, i, &c);
        for (int k = 0; c.body_a == a && k < 3; k++) {
            sum[k] += c.force[k];
        }
    }
}

static void test_g01_weight_transmission(void **state)
{
    scenario s =
        scenario_open("gravity: [0, 0, -9.81]\nstep: 5e-3\nseed: 3\n%s"
                      "materials: {ball: {density: 1000, friction: 0.3}, smooth: {friction: 0}}\n"
                      "bodies:\n"
                      "  floor: {fixed: true, material: smooth, shape: {plane: {}}}\n"
                      "  left: {fixed: true, material: smooth, position: [-0.55, 0, 0], shape: {plane: [1, 0, 0]}}\n"
                      "  right: {fixed: true, material: smooth, position: [0.55, 0, 0], shape: {plane: [-1, 0, 0]}}\n"
                      "  front: {fixed: true, material: smooth, position: [0, -0.55, 0], shape: {plane: [0, 1, 0]}}\n"
                      "  back: {fixed: true, material: smooth, position: [0, 0.55, 0], shape: {plane: [0, -1, 0]}}\n"
                      "  ball: {material: ball, position: [-0.42, -0.42, 0.11], shape: {sphere: {radius: 0.1}}, "
                      "array: {count: [5, 5, 6], spacing: [0.21, 0.21, 0.21], jitter: 4 mm}}\n",
                      SOLVER);
    const double weight = 150 * 1000 * 4.0 / 3.0 * PI * 1e-3 * GRAVITY;
    const char *names[5] = {"floor", "left", "right", "front", "back"};
    double sum[5][3] = {{0}};
    scenario_run(&s, brief_time(4.0));
    for (int k = 0; k < SAMPLES; k++) {
        scenario_step(&s);
        for (int w = 0; w < 5; w++) {
            add_force_of(&s, scenario_body(&s, names[w]), sum[w]);
        }
    }
    scenario_close(&s);
    if (BRIEF) {
        return;
    }
    double side = fabs(sum[1][0]) + fabs(sum[3][1]);
    check_near("G01 floor's force over the weight", sum[0][2] / SAMPLES / weight, 1.0, 1e-4);
    check_below("G01 left and right wall: difference over their force", fabs(sum[1][0] + sum[2][0]) / side, 1e-3);
    check_below("G01 front and back wall: difference over their force", fabs(sum[3][1] + sum[4][1]) / side, 1e-3);
    print_message("G01 a wall carries %.3f of the weight\n", 0.5 * side / SAMPLES / weight);
    assert_true(side > 0.0);
}

// Grains of diameter 0.1 m in a tube of 12 planes, 5 d wide. The floor sinks by 10 cm/s from 1.2 s on (the highest
// has come down after 1.1 s), so that friction at the wall acts upward all along it: at rest it is undetermined.
// Returns the floor's mean force over the second, a grain's diameter, after 1.6 s [N].
static double silo_load(int layers, double wall_friction, int seed, double *weight)
{
    char planes[2048] = "";
    for (int k = 0; k < 12; k++) {
        char line[128];
        snprintf(line, sizeof line, "      - {plane: {normal: [%.9f, %.9f, 0], offset: -0.25}}\n", cos(k * PI / 6),
                 sin(k * PI / 6));
        strcat(planes, line);
    }
    scenario s =
        scenario_open("gravity: [0, 0, -9.81]\nstep: 1e-2\nseed: %d\n%s"
                      "materials: {grain: {density: 2500, friction: 0.5}, wall: {friction: %g}}\n"
                      "bodies:\n"
                      "  floor: {material: wall, motion: {position: [0, 0, -0.1*ramp(t - 1.2)]}, shape: {plane: {}}}\n"
                      "  wall:\n    fixed: true\n    material: wall\n    shapes:\n%s"
                      "  grain: {material: grain, position: [-0.12, -0.12, 0.07], shape: {sphere: {radius: 0.05}}, "
                      "array: {count: [3, 3, %d], spacing: [0.12, 0.12, 0.12], jitter: 9 mm}}\n",
                      seed, "solver: {accuracy: draft}\n", wall_friction, planes, layers);
    *weight = 9 * layers * 2500 * PI / 6 * 1e-3 * GRAVITY;
    double sum[3] = {0};
    int floor = scenario_body(&s, "floor");
    scenario_run(&s, brief_time(1.6));
    for (int k = 0; k < SAMPLES; k++) {
        scenario_step(&s);
        add_force_of(&s, floor, sum);
    }
    scenario_close(&s);
    return sum[2] / SAMPLES;
}

// The ratio of two tubes' loads scatters from packing to packing: 0.87 to 1.12 over nine seeds, so the mean of three is
// within 0.15 of Janssen's 1.01 (of nine: 1.03). Loads that grow with height would have 1.5. Twelve diameters wide the
// bench has 0.996.
static void test_g02_janssen(void **state)
{
    double weight[3], load[3] = {0};
    int seeds = BRIEF ? 1 : 3;
    for (int seed = 8; seed < 8 + seeds; seed++) {
        load[0] += silo_load(46, 0.5, seed, &weight[0]) / seeds; // about 4 diameters
        load[1] += silo_load(69, 0.5, seed, &weight[1]) / seeds; // about 6
    }
    load[2] = silo_load(16, 0.0, 8, &weight[2]); // nothing is borne at any height
    print_message("G02 floor's load over the weight: %.3f at 4 D, %.3f at 6 D\n", load[0] / weight[0],
                  load[1] / weight[1]);
    if (BRIEF) {
        return;
    }
    check_below("G02 load at 6 D over load at 4 D", load[1] / load[0], 1.2);
    check_below("G02 load at 6 D over the weight", load[1] / weight[1], 0.7);
    check_near("G02 smooth wall: load over the weight", load[2] / weight[2], 1.0, 0.02);
}

static int grains_above(const scenario *s, const char *first, double z)
{
    int n = 0;
    for (int b = scenario_body(s, first); b < tn_model_body_count(s->model); b++) {
        n += scenario_position(s, b, 2) > z;
    }
    return n;
}

// Grains a second through a square hole, so many grain diameters wide, in the floor of a bin 16 d wide.
static double flow_rate(double width, double until)
{
    const double d = 0.05, edge = 0.5 * width * d + 1.0; // slabs are 2 m wide
    const char *walls[4] = {"left", "right", "front", "back"}, *set[13];
    char text[8][80];
    for (int k = 0; k < 8; k++) {
        double at = k < 4 ? 8.4 * d : edge, sign = k % 2 ? 1.0 : -1.0;
        snprintf(text[k], sizeof text[k], "bodies.%s%s.position=[%.6g,%.6g,%.6g]", k < 4 ? "" : "floor_", walls[k % 4],
                 k % 4 < 2 ? sign * at : 0.0, k % 4 < 2 ? 0.0 : sign * at, k < 4 ? 0.0 : -0.05);
        set[k] = text[k];
    }
    set[8] = "bodies.grain.position=[-0.39,-0.39,0.03]";
    set[9] = BRIEF ? "bodies.grain.array.count=[16,16,4]" : "bodies.grain.array.count=[16,16,12]";
    set[10] = "solver.max_iterations=60";
    set[11] = "solver.tolerance={momentum: 1e-6, natural: 1e-3}";
    set[12] = "step=10e-3";
    scenario s = gallery_open("rigid/hopper.yaml", 13, set);
    scenario_run(&s, brief_time(0.5));
    int before = grains_above(&s, "grain[0]", -0.1);
    scenario_run(&s, brief_time(until));
    double rate = (before - grains_above(&s, "grain[0]", -0.1)) / (until - 0.5);
    scenario_close(&s);
    return rate;
}

// rate = c (D - k d)^2.5 with k = 1.3 to 2.9 (Beverloo, Leniger and van de Velde 1961; Nedderman 1992). In full size
// the bench fits k = 1.3; in this size the narrow hole's rate scatters by 7 % from one rounding to another, k by 0.2.
static void test_g03_beverloo(void **state)
{
    double narrow = flow_rate(5.0, 1.5), wide = flow_rate(8.0, 1.0);
    print_message("G03 %.0f grains a second through 5 d, %.0f through 8 d\n", narrow, wide);
    if (BRIEF) {
        return;
    }
    double ratio = pow(wide / narrow, 1.0 / 2.5);
    check_near("G03 k of the power 2.5", (5.0 * ratio - 8.0) / (ratio - 1.0), 0.5 * (1.3 + 2.9),
               0.5 * (2.9 - 1.3) + 0.2);
}

// Angle of the slope that stays [deg]: least squares of the highest centres in cells of a diameter.
static double slope(const scenario *s)
{
    enum { CELLS_X = 12, CELLS_Y = 5 };
    const double low = 0.5, cell = 0.1;
    double top[CELLS_X * CELLS_Y], n = 0, sx = 0, sz = 0, sxx = 0, sxz = 0;
    for (int i = 0; i < CELLS_X * CELLS_Y; i++) {
        top[i] = -INFINITY;
    }
    for (int b = scenario_body(s, "small_a[0]"); b < tn_model_body_count(s->model); b++) {
        double u = (scenario_position(s, b, 0) - low) / cell, v = (scenario_position(s, b, 1) + 0.06) / cell;
        if (u >= 0.0 && u < CELLS_X && v >= 0.0 && v < CELLS_Y) {
            double *cell_top = &top[CELLS_Y * (int)u + (int)v];
            *cell_top = fmax(*cell_top, scenario_position(s, b, 2));
        }
    }
    for (int i = 0; i < CELLS_X * CELLS_Y; i++) {
        double x = low + cell * (i / CELLS_Y);
        if (isfinite(top[i])) {
            n += 1.0;
            sx += x;
            sz += top[i];
            sxx += x * x;
            sxz += x * top[i];
        }
    }
    return -atan((n * sxz - sx * sz) / (n * sxx - sx * sx)) * 180 / PI;
}

static double repose_angle(double friction, double time)
{
    char text[80];
    const char *set[] = {"bodies.back.position=[0,0.524,0]",
                         "bodies.gate.motion.position=[2.05, 0.3, 1.5 + 6*ramp(t - 0.5)]",
                         "bodies.plate.position=[0.69,0.29,-0.05]",
                         "bodies.rim.position=[1.95,0.29,-0.025]",
                         "bodies.small_a.array.count=[9,5,7]",
                         "bodies.large_a.array.count=[9,5,7]",
                         "bodies.small_b.array.count=[9,5,7]",
                         "bodies.large_b.array.count=[9,5,7]",
                         "solver.max_iterations=100",
                         "solver.tolerance={momentum: 1e-6, natural: 1e-3}",
                         "step=10e-3",
                         text};
    snprintf(text, sizeof text, "materials.grain.friction=%g", friction);
    scenario s = gallery_open("rigid/repose.yaml", sizeof set / sizeof *set, set);
    scenario_run(&s, brief_time(time));
    double angle = slope(&s);
    scenario_close(&s);
    return angle;
}

// The list: about 0, 15 to 25, 22 to 32, for large piles, which the bench shows. Small ones scatter by two degrees from
// seed to seed and between instruction sets; that is allowed on top. Measured -0.4, 20.8, 22.2 (at 5 ms 0.0, 22.5,
// 23.6); the last two stay from 2 s after the gate has opened. Without friction one to two layers are left: a layer's
// height over the length of the fit is 4.3 degrees.
static void test_g04_angle_of_repose(void **state)
{
    const double scatter = 2.0;
    double smooth = repose_angle(0.0, 2.5), some = repose_angle(0.3, 2.5), rough = repose_angle(0.7, 2.5);
    if (BRIEF) {
        return;
    }
    check_near("G04 friction 0: angle [deg]", smooth, 0.0, 4.3);
    check_near("G04 friction 0.3: angle [deg]", some, 20.0, 5.0 + scatter);
    check_near("G04 friction 0.7: angle [deg]", rough, 27.0, 5.0 + scatter);
    check_below("G04 angle at 0.3 less that at 0.7 [deg]", some - rough, scatter);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_g01_weight_transmission),
        cmocka_unit_test(test_g02_janssen),
        cmocka_unit_test(test_g03_beverloo),
        cmocka_unit_test(test_g04_angle_of_repose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
