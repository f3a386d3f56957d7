// What slides or rolls over a floor of tiles moves as on one piece: seams between level faces are no obstacles, ledges
// are.
#include "scenario.h"

// Tiles of 30 cm, those at x > 0 higher by `ledge`; one: a slab of the same size.
static scenario open_floor(bool one, double ledge, const char *tile, const char *body)
{
    char *text = malloc(65536), *at = text;
    at += sprintf(
        at, "step: 5 ms\nmaterials: {default: {friction: 0.2}}\nbodies:\n  b: {%s}\n  floor:\n    fixed: true\n", body);
    at += sprintf(at, "    shapes:\n");
    if (one) {
        at += sprintf(at, "      - {box: [3, 3, 0.1], position: [0, 0, -0.05]}\n");
    }
    for (int i = 0; i < 100 && !one; i++) {
        double x = -1.35 + 0.3 * (i / 10), y = -1.35 + 0.3 * (i % 10);
        at += sprintf(at, "      - {%s, position: [%g, %g, %g]}\n", tile, x, y, -0.05 + (x > 0.0 ? ledge : 0.0));
    }
    scenario s = scenario_open("%s", text);
    free(text);
    return s;
}

#define BOX "box: [0.3, 0.3, 0.1]"
#define HULL                                                                                                           \
    "hull: {points: [[-0.15, -0.15, -0.05], [0.15, -0.15, -0.05], [-0.15, 0.15, -0.05], [0.15, 0.15, -0.05], "         \
    "[-0.15, -0.15, 0.05], [0.15, -0.15, 0.05], [-0.15, 0.15, 0.05], [0.15, 0.15, 0.05]]}"
#define GOES "position: [-0.5, 0.03, 0.1], velocity: [2, 0.3, 0], "

static void test_seams(void **state)
{
    // A body that turns as it slides is borne at the seam a little ahead of its edge for a step.
    static const struct {
        const char *body;
        double off;
    } goes[] = {{GOES "shape: {sphere: 0.1}", 1e-9},
                {GOES "shape: {box: [0.2, 0.2, 0.2]}, angular_velocity: [0, 0, 1]", 2e-3},
                {GOES "shape: {cylinder: {radius: 0.1, length: 0.2}}, angular_velocity: [0, 0, 3]", 2e-3},
                {"position: [-0.5, 0.03, 0.1], velocity: [2, 0, 0], shape: {cylinder: {radius: 0.1, length: 0.2}}, "
                 "rotation: {axis: [1, 0, 0], angle: 90 deg}, angular_velocity: [0, 20, 0]",
                 1e-9}};
    static const char *const tiles[2] = {BOX, HULL};
    for (int k = 0; k < 8; k++) {
        scenario s = open_floor(false, 0.0, tiles[k % 2], goes[k / 2].body);
        scenario one = open_floor(true, 0.0, BOX, goes[k / 2].body);
        int b = scenario_body(&s, "b");
        double rises = 0.0, off = 0.0;
        for (int n = 0; n < 200; n++) {
            scenario_step(&s), scenario_step(&one);
            rises = fmax(rises, fabs(scenario_position(&s, b, 2) - 0.1));
        }
        for (int i = 0; i < 2; i++) {
            off = fmax(off, fabs(scenario_position(&s, b, i) - scenario_position(&one, b, i)));
        }
        print_message("%s on %s\n", goes[k / 2].body, tiles[k % 2]);
        check_below("off its height [m]", rises, 1e-6);
        check_below("off its place on one slab after 1 s [m]", off, goes[k / 2].off);
        scenario_close(&s), scenario_close(&one);
    }
}

// Two height fields, one beside a box in either order, or one box of both; level, and joined at x = 0.
static scenario open_border(int floor, double ledge, const char *body)
{
    static const char field[] = "heights: {size: [2, 2], points: [9, 9], z: '0'}", box[] = "box: [2, 2, 0.1]",
                      slab[] = "box: [4, 2, 0.1]";
    const char *left = floor == 0   ? slab
                       : floor == 2 ? box
                                    : field,
               *right = floor == 0   ? slab
                        : floor == 3 ? box
                                     : field;
    return scenario_open("step: 5 ms\nmaterials: {default: {friction: 0.2}}\nbodies:\n  b: {%s}\n  floor:\n"
                         "    fixed: true\n    shapes:\n"
                         "      - {%s, position: [%g, 0, %g]}\n      - {%s, position: [%g, 0, %g]}\n",
                         body, left, floor == 0 ? 0.0 : -1.0, left == field ? 0.0 : -0.05, right,
                         floor == 0 ? 0.0 : 1.0, (right == field ? 0.0 : -0.05) + ledge);
}

static void test_borders(void **state)
{
    static const char *const goes[] = {
        GOES "shape: {sphere: 0.1}", GOES "shape: {box: [0.2, 0.2, 0.2]}, angular_velocity: [0, 0, 1]",
        GOES "shape: {cylinder: {radius: 0.1, length: 0.2}}, rotation: {axis: [1, 0, 0], angle: 90 deg}, "
             "angular_velocity: [0, 0, 1]",
        GOES "shape: {capsule: {radius: 0.1, length: 0.4}}, rotation: {axis: [1, 0, 0], angle: 90 deg}, "
             "angular_velocity: [0, 0, 1]"};
    // Where what lies across the border is borne there too, friction slows its turning a little otherwise.
    static const double off[4] = {1e-9, 2e-3, 2e-3, 5e-3};
    for (int k = 0; k < 4; k++) {
        for (int floor = 1; floor < 4; floor++) {
            scenario s = open_border(floor, 0.0, goes[k]), one = open_border(0, 0.0, goes[k]);
            int b = scenario_body(&s, "b");
            double rises = 0.0;
            for (int n = 0; n < 200; n++) {
                scenario_step(&s), scenario_step(&one);
                rises = fmax(rises, fabs(scenario_position(&s, b, 2) - 0.1));
            }
            print_message("%s, floor %d\n", goes[k], floor);
            check_below("off its height [m]", rises, 1e-6);
            for (int i = 0; i < 2; i++) {
                double there = scenario_position(&one, b, i);
                check_near("place after 1 s [m]", scenario_position(&s, b, i), there, off[k]);
            }
            scenario_close(&s), scenario_close(&one);
        }
    }
}

// Over tiles, where the corners of four meet, too.
static void test_bends(void **state)
{
    static const char wheel[] = GOES "shape: {cylinder: {radius: 0.1, length: 0.2}}, angular_velocity: [0, 0, 1], "
                                     "rotation: {axis: [1, 0, 0], angle: 90 deg}";
    scenario s = open_floor(false, 0.0, BOX, wheel), one = open_floor(true, 0.0, BOX, wheel);
    int b = scenario_body(&s, "b");
    double rises = 0.0;
    for (int n = 0; n < 200; n++) {
        scenario_step(&s), scenario_step(&one);
        rises = fmax(rises, fabs(scenario_position(&s, b, 2) - 0.1));
    }
    check_below("off its height [m]", rises, 5e-5);
    for (int i = 0; i < 2; i++) {
        check_near("place after 1 s [m]", scenario_position(&s, b, i), scenario_position(&one, b, i), 1e-3);
    }
    scenario_close(&s), scenario_close(&one);
}

// Tiles of which no two sides are opposite: none has the other's direction.
static void test_planar(void **state)
{
    static const char *const bodies[2] = {"shape: {polygon: {size: [0.2, 0.2]}}",
                                          "shape: {disk: 0.1}, angular_velocity: [0, 15, 0]"};
    for (int k = 0; k < 2; k++) {
        char text[4096], *at = text;
        at += sprintf(at, "step: 5 ms\nmaterials: {default: {friction: 0.2}}\nbodies:\n");
        at += sprintf(at, "  b: {position: [-1, 0, 0.1], velocity: [1.5, 0, 0], %s}\n", bodies[k]);
        for (int i = 0; i < 16; i++) {
            at += sprintf(at, "  t%d: {fixed: true, position: [%g, 0, 0], shape: {polygon: %s}}\n", i, -1.5 + 0.25 * i,
                          i % 2 ? "[[-0.125, 0], [0.125, 0], [0, -0.1]]" : "[[-0.125, 0], [0.125, 0], [0.1, -0.1]]");
        }
        scenario s = scenario_open("%s", text);
        int b = scenario_body(&s, "b");
        double rises = 0.0;
        for (int n = 0; n < 160; n++) {
            scenario_step(&s);
            rises = fmax(rises, fabs(scenario_position(&s, b, 2) - 0.1));
        }
        check_below("off its height [m]", rises, 1e-9);
        // The box comes to rest after 153 steps: v^2/(2 mu g), and the half step that Euler's first one is ahead.
        double way = k == 0 ? 1.5 * 1.5 / (2.0 * 0.2 * GRAVITY) : 1.5 * 0.8;
        check_near("way [m]", scenario_position(&s, b, 0) + 1.0, way, k == 0 ? 5e-3 : 1e-9);
        scenario_close(&s);
    }
}

// A soft or rigid block slides over a soft bed, whose vertices its front rim passes over, as Coulomb's law says.
static void test_soft_bed(void **state)
{
    static const char soft[] = "  block: {grid: {size: [0.3, 0.3, 0.1], divisions: [4, 4, 2]}, position: [0, 0, 0.05], "
                               "young: 1e6, damping: {stiffness: 2 ms}}\n",
                      rigid[] = "bodies:\n  block: {position: [0, 0, 0.05], shape: {box: [0.3, 0.3, 0.1]}}\n";
    const double mu = 0.4, slope = 1.5 * mu, g = GRAVITY / hypot(1.0, slope);
    for (int k = 0; k < 2; k++) {
        scenario s = scenario_open("step: 5 ms\ngravity: [%g, 0, %g]\nmaterials: {default: {friction: %g}}\nsoft:\n"
                                   "  bed: {grid: {size: [2, 0.4, 0.1], divisions: [32, 8, 1]}, "
                                   "position: [0.7, 0, -0.05], young: 1e6, damping: {stiffness: 2 ms}, "
                                   "attach: [{where: {box: {high: [infinite, infinite, -0.049]}}}]}\n%s",
                                   slope * g, -g, mu, k ? rigid : soft);
        scenario_steps(&s, 200);
        double x[3], q[4];
        tn_state_body_pose(s.state, scenario_body(&s, "block"), x, q);
        check_near("way in 1 s [m]", x[0], 0.5 * (slope - mu) * g, 0.01); // it was 0.05, rigid 0.25
        scenario_close(&s);
    }
}

static scenario slide_cube(const char *floor)
{
    scenario s =
        scenario_open("step: 10 ms\nmaterials: {default: {friction: 0.2}}\nbodies:\n%s\n"
                      "soft:\n  cube: {grid: {size: [0.1, 0.1, 0.1], divisions: [3, 3, 3]}, young: 1e6, "
                      "position: [0, 0, 0.05], rotation: {axis: [0, 0, 1], angle: 0.4}, velocity: [1.5, 0, 0], "
                      "damping: {stiffness: 2 ms}}\n",
                      floor);
    for (int n = 0; n < 100; n++) {
        scenario_step(&s);
        check_below("penetration of a soft cube [m]", s.report.solve.certificate.penetration, 1e-4);
    }
    return s;
}

static double cube_place(const scenario *s)
{
    double x[3], q[4];
    tn_state_body_pose(s->state, scenario_body(s, "cube"), x, q);
    return x[0];
}

// A soft cube goes over tiles, which it was stopped by within 0.1 to 0.25 m, as over a slab; not up a ledge or wall.
static void test_soft_cube(void **state)
{
    static const char tiles[] = "  tile: {fixed: true, position: [-0.3, -0.3, -0.05], shape: {box: [0.13, 0.13, 0.1]}, "
                                "array: {count: [12, 6, 1], spacing: [0.13, 0.13, 1]}}\n";
    const char *const level[] = {
        "  slab: {fixed: true, shape: {box: [4, 4, 0.1], position: [0, 0, -0.05]}}", tiles,
        "  field: {fixed: true, position: [-0.4, 0, 0], shape: {heights: {size: [1, 2], z: '0', points: [6, 6]}}, "
        "array: {count: [3, 1, 1], spacing: [1, 1, 1]}}",
        "  ground: {fixed: true, position: [0, 0, -0.1], shape: {plane: {}}}\n"
        "  box: {position: [-0.1, 0, -0.05], mass: 20, shape: {box: [0.2, 0.5, 0.1]}, "
        "array: {count: [5, 1, 1], spacing: [0.2, 1, 1]}}"};
    double way = 0.0;
    for (int k = 0; k < 4; k++) {
        scenario s = slide_cube(level[k]);
        way = k == 0 ? cube_place(&s) : way;
        check_near("way of a soft cube [m]", cube_place(&s), way, 1e-3);
        scenario_close(&s);
    }
    check_near("its way on a slab [m]", way, 1.5 * 1.5 / (2.0 * 0.2 * GRAVITY), 0.01);
    for (int k = 0; k < 2; k++) { // at x = 0.285
        char text[1024];
        snprintf(text, sizeof text, "%s  high: {fixed: true, position: [0.785, 0, %g], shape: {box: [1, 2, 0.2]}}",
                 tiles, k ? 0.1 : -0.099);
        scenario s = slide_cube(text);
        check_below("place of a soft cube before a ledge or wall [m]", cube_place(&s), 0.285);
        scenario_close(&s);
    }
}

// A soft block falls onto three posts, one of them lower: the rim of a higher one counts where vertices beyond it are
// borne, but lower (taken for level it came 5.2 mm deep).
static void test_soft_posts(void **state)
{
    scenario s = scenario_open(
        "step: 5 ms\nmaterials: {default: {friction: 0.28}}\nbodies:\n"
        "  one: {fixed: true, position: [-0.24, 0, 0], rotation: {axis: [0, 0, 1], angle: 1.57}, shape: {cylinder: "
        "{radius: 0.06, length: 0.1}}}\n"
        "  two: {fixed: true, position: [-0.12, -0.12, -0.04], shape: {cylinder: {radius: 0.06, length: 0.1}}}\n"
        "  low: {fixed: true, position: [0, -0.12, -0.05], shape: {box: [0.12, 0.12, 0.1]}}\n"
        "soft: {block: {grid: {size: [0.15, 0.15, 0.1], divisions: [4, 4, 3]}, position: [0.016651554, 0, 0.2],\n"
        "  rotation: [0.24, -0.3, 0.57], velocity: [-1.31, -0.75, -0.5], young: 433.76 kPa, damping: {stiffness: 2 "
        "ms}}}\n");
    double deepest = 0.0;
    for (int n = 0; n < 34; n++) {
        scenario_step(&s);
        deepest = fmax(deepest, s.report.solve.certificate.penetration);
    }
    check_below("penetration of a soft block on posts [m]", deepest, 1e-3); // 0.49 mm
    scenario_close(&s);
}

// A ledge of a tenth of a millimetre stops a box, which would go on to x = 0.5.
static void test_ledge(void **state)
{
    scenario s =
        open_floor(false, 1e-4, BOX, "position: [-0.5, 0.03, 0.1], velocity: [2, 0, 0], shape: {box: [0.2, 0.2, 0.2]}");
    int b = scenario_body(&s, "b");
    double farthest = -1.0;
    for (int n = 0; n < 60; n++) {
        scenario_step(&s);
        farthest = fmax(farthest, scenario_position(&s, b, 0));
    }
    check_near("place of its centre where its edge is at the ledge [m]", farthest, -0.1, 0.1);
    assert_true(scenario_position(&s, b, 0) < 0.05);
    scenario_close(&s);
    s = open_border(1, 1e-4, GOES "shape: {box: [0.2, 0.2, 0.2]}");
    scenario_steps(&s, 60);
    check_below("place of its centre after a ledge between height fields [m]", scenario_position(&s, b, 0), 0.05);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seams),     cmocka_unit_test(test_borders),    cmocka_unit_test(test_bends),
        cmocka_unit_test(test_planar),    cmocka_unit_test(test_soft_bed),   cmocka_unit_test(test_ledge),
        cmocka_unit_test(test_soft_cube), cmocka_unit_test(test_soft_posts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
