// Floors of many triangles are as smooth as planes; meshes, hulls and conveyors against what is known of them.
#include "scenario.h"

#include <stdio.h>
#include <unistd.h>

static const char *const RUNNERS =
    "gravity: [0, 0, -9.81]\n"
    "step: 5 ms\n"
    "solver: {tolerance: {momentum: 1e-11, natural: 1e-11}}\n"
    "materials: {default: {friction: 0.3}}\n"
    "bodies:\n"
    "  floor: {fixed: true, shape: {%s}}\n"
    "  ball: {position: [-1.5, 0.33, 0.1], velocity: [2, 0.3, 0], shape: {sphere: 0.1}}\n"
    "  box: {position: [-1.5, -0.33, 0.1], velocity: [2, 0.3, 0],\n"
    "        rotation: {axis: [0, 0, 1], angle: 0.2}, shape: {box: [0.3, 0.25, 0.2]}}\n"
    "  log: {position: [-1.5, -0.93, 0.1], velocity: [2, 0.1, 0],\n"
    "        rotation: {axis: [0, 1, 0], angle: 90 deg},\n"
    "        shape: {cylinder: {radius: 0.1, length: 0.3}}}\n"
    "  can: {position: [-1.5, 1.43, 0.1], velocity: [2, -0.1, 0],\n"
    "        shape: {cylinder: {radius: 0.15, length: 0.2}}}\n"
    "  egg: {position: [-1.5, 0.93, 0.1], velocity: [2, 0.1, 0],\n"
    "        shape: {ellipsoid: [0.2, 0.15, 0.1]}}\n"
    "  pill: {position: [-1.5, -1.5, 0.1], velocity: [2, 0.4, 0],\n"
    "         rotation: {euler: [1, 1.5707963267948966, 0]},\n"
    "         shape: {capsule: {radius: 0.1, length: 0.2}}}\n";

// A square of n x n cells around the origin as an OBJ file in the current folder.
static void write_floor(const char *path, int n, double cell)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    for (int j = 0; j <= n; j++) {
        for (int i = 0; i <= n; i++) {
            fprintf(file, "v %.17g %.17g 0\n", (i - 0.5 * n) * cell, (j - 0.5 * n) * cell);
        }
    }
    for (int j = 0; j < n; j++) {
        for (int i = 0; i < n; i++) {
            int a = j * (n + 1) + i + 1;
            fprintf(file, "f %d %d %d %d\n", a, a + 1, a + n + 2, a + n + 1);
        }
    }
    fclose(file);
}

// Velocities of the runners of a scene step by step against those over a plane.
static void race(const char *what, const char *floor)
{
    scenario plane = scenario_open(RUNNERS, "plane: {}"), other = scenario_open(RUNNERS, floor);
    static const char *const names[] = {"ball", "box", "log", "can", "egg", "pill"};
    double worst[6] = {0};
    for (int step = 0; step < 200; step++) {
        scenario_step(&plane);
        scenario_step(&other);
        for (int k = 0; k < 6; k++) {
            int a = scenario_body(&plane, names[k]), b = scenario_body(&other, names[k]);
            for (int i = 0; i < 3; i++) {
                worst[k] = fmax(worst[k], fabs(scenario_velocity(&plane, a, i) - scenario_velocity(&other, b, i)));
                worst[k] = fmax(worst[k], 0.1 * fabs(scenario_spin(&plane, a, i) - scenario_spin(&other, b, i)));
            }
        }
    }
    for (int k = 0; k < 6; k++) {
        char text[100];
        snprintf(text, sizeof text, "%s: velocity of the %s off that over a plane [m/s]", what, names[k]);
        check_below(text, worst[k], 1e-9); // measured 1e-12 and less: the same contacts but for rounding
    }
    scenario_close(&plane);
    scenario_close(&other);
}

static void test_floors_are_smooth(void **state)
{
    char path[64], mesh[128];
    snprintf(path, sizeof path, "terrain_test_%d.obj", (int)getpid());
    snprintf(mesh, sizeof mesh, "mesh: %s", path);
    write_floor(path, 40, 0.1);
    race("mesh", mesh);
    unlink(path);
    race("heights", "heights: {size: [4, 4], points: [41, 41], z: 0*x}");
}

static const char *const BELT =
    "gravity: [0, 0, -9.81]\n"
    "step: 1 ms\n"
    "solver: {tolerance: {momentum: 1e-11, natural: 1e-11}}\n"
    "materials: {default: {friction: 0.3}}\n"
    "bodies:\n"
    "  belt: {fixed: true, rotation: {axis: [0, 0, 1], angle: 90 deg},\n"
    "         shape: {%s, position: [0, 0, %g], rotation: {axis: [0, 0, 1], angle: 30 deg},\n"
    "                 surface_velocity: [1, 0, 0.5]}}\n"
    "  box: {position: [0, 0, 0.1], shape: {box: [0.4, 0.4, 0.2]}}\n"
    "  ball: {position: [1, 0, 0.1], shape: {sphere: 0.1}}\n";

// A box at rest on a belt is pulled along with mu g until it has the belt's speed at t = v / (mu g); a ball ends up
// rolling with 2/7 of it (friction gives it m v and turns it by r m v = 2/5 m r^2 w; v + r w = belt). The belt runs
// along x of its shape, which stands at 120 degrees; what it has across the surface is without effect.
static void run_belt(const char *what, const char *shape, double z)
{
    const double mu = 0.3, speed = 1.0, along[2] = {-0.5, 0.5 * sqrt(3.0)};
    scenario s = scenario_open(BELT, shape, z);
    int box = scenario_body(&s, "box"), ball = scenario_body(&s, "ball");
    double worst = 0.0, side = 0.0;
    for (int k = 1; k <= 600; k++) {
        scenario_step(&s);
        double wanted = fmin(speed, k * mu * GRAVITY * 1e-3);
        double v[2] = {scenario_velocity(&s, box, 0), scenario_velocity(&s, box, 1)};
        worst = fmax(worst, fabs(v[0] * along[0] + v[1] * along[1] - wanted));
        side = fmax(side, fabs(v[0] * along[1] - v[1] * along[0]));
        side = fmax(side, fabs(scenario_velocity(&s, box, 2)));
    }
    print_message("%s\n", what);
    check_below("conveyor: speed of the box off min(v, mu g t) [m/s]", worst, 1e-8);
    check_below("conveyor: speed of the box across [m/s]", side, 1e-8);
    double rolling = scenario_velocity(&s, ball, 0) * along[0] + scenario_velocity(&s, ball, 1) * along[1];
    check_near("conveyor: speed of the rolling ball [m/s]", rolling, 2.0 / 7.0 * speed, 1e-8);
    scenario_close(&s);
}

static void test_conveyor(void **state)
{
    run_belt("plane", "plane: {}", 0.0);
    run_belt("box", "box: [4, 4, 0.2]", -0.1);
    run_belt("heights", "heights: {size: [4, 4], points: [21, 21], z: 0*x}", 0.0);
}

static const char *const DROP =
    "gravity: [0, 0, -9.81]\n"
    "step: 2 ms\n"
    "solver: {tolerance: {momentum: 1e-11, natural: 1e-11}}\n"
    "materials: {default: {friction: 0.4, density: 500}}\n"
    "bodies:\n"
    "  table: {fixed: true, position: [0, 0, -0.1], rotation: {axis: [0, 1, 0], angle: 0.1},\n"
    "          shape: {%s}}\n"
    "  box: {position: [0, 0, 0.3], rotation: {euler: [0.3, 0.2, 0.1]}, velocity: [0.2, 0, 0],\n"
    "        angular_velocity: [1, 2, 3], shape: {%s}}\n";

static const char *const CUBE_OBJ = "v -0.5 -0.5 -0.1\nv 0.5 -0.5 -0.1\nv 0.5 0.5 -0.1\nv -0.5 0.5 -0.1\n"
                                    "v -0.5 -0.5 0.1\nv 0.5 -0.5 0.1\nv 0.5 0.5 0.1\nv -0.5 0.5 0.1\n"
                                    "f 4 3 2 1\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8\n";

// Largest difference of the boxes' velocities over a time.
static double part_ways(const char *table, const char *box, int steps, double *height)
{
    scenario a = scenario_open(DROP, "box: [1, 1, 0.2]", "box: [0.2, 0.15, 0.1]");
    scenario b = scenario_open(DROP, table, box);
    int id = scenario_body(&a, "box");
    double worst = 0.0;
    for (int k = 0; k < steps; k++) {
        scenario_step(&a);
        scenario_step(&b);
        for (int i = 0; i < 3; i++) {
            worst = fmax(worst, fabs(scenario_velocity(&a, id, i) - scenario_velocity(&b, id, i)));
        }
    }
    *height = scenario_position(&b, id, 2);
    scenario_close(&a);
    scenario_close(&b);
    return worst;
}

// A hull of a box's corners flies as the box; on landing both, and a mesh of the table, end at rest at one height.
static void test_hulls_and_meshes_of_boxes(void **state)
{
    static const char hull[] = "hull: {points: [[-0.1, -0.075, -0.05], [0.1, -0.075, -0.05], [-0.1, 0.075, -0.05], "
                               "[0.1, 0.075, -0.05], [-0.1, -0.075, 0.05], [0.1, -0.075, 0.05], [-0.1, 0.075, 0.05], "
                               "[0.1, 0.075, 0.05]]}";
    char path[64], mesh[128];
    double height[4];
    snprintf(path, sizeof path, "terrain_test_table_%d.obj", (int)getpid());
    snprintf(mesh, sizeof mesh, "mesh: %s", path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(CUBE_OBJ, file);
    fclose(file);
    check_below("a hull of a box in flight: velocity off the box's [m/s]",
                part_ways("box: [1, 1, 0.2]", hull, 80, &height[0]), 1e-13);
    part_ways("box: [1, 1, 0.2]", "box: [0.2, 0.15, 0.1]", 750, &height[0]);
    part_ways("box: [1, 1, 0.2]", hull, 750, &height[1]);
    part_ways(mesh, "box: [0.2, 0.15, 0.1]", 750, &height[2]);
    part_ways(mesh, hull, 750, &height[3]);
    unlink(path);
    for (int k = 1; k < 4; k++) {
        check_near("height at rest of hull on box, box on mesh, hull on mesh [m]", height[k], height[0], 1e-6);
    }
}

// Rollers over waves whose faces lean by less than 0.02 rad against each other: what is ahead in a valley counts before
// a roller is on it. Where it is missed a roller sinks in by that angle of its way in a step, 2.4e-4 m.
static void test_shallow_valleys(void **state)
{
    scenario s = scenario_open("step: 5 ms\nmaterials: {default: {friction: 0.8, density: 300}}\n"
                               "defaults: {body: {shape: {cylinder: {radius: 0.33, length: 0.5}}}}\n"
                               "bodies:\n"
                               "  hills: {fixed: true, shape: {heights: {size: [16, 6], points: [81, 31], "
                               "z: \"0.009*sin(3*x) + 0.003*sin(2*y)\"}}}\n"
                               "  one: {position: [-7, -2, 0.345], rotation: {euler: [90 deg, 0, 0]}, "
                               "velocity: [3, 0, 0], angular_velocity: [0, 9, 0]}\n"
                               "  two: {position: [-6.9, 0, 0.345], rotation: {euler: [90 deg, 0, 0.003]}, "
                               "velocity: [3, 0, 0], angular_velocity: [0, 9, 0]}\n"
                               "  three: {position: [-6.8, 2, 0.345], rotation: {euler: [90 deg, 0, -0.02]}, "
                               "velocity: [3, 0, 0], angular_velocity: [0, 9, 0]}\n");
    double deepest = 0.0;
    for (int k = 0; k < 800; k++) {
        scenario_step(&s);
        double here = s.report.solve.certificate.penetration;
        deepest = k > 20 && here > deepest ? here : deepest;
    }
    printf("way %.3g m; ", scenario_position(&s, scenario_body(&s, "one"), 0) + 7.0);
    check_below("rollers over shallow valleys sink in by [m]", deepest, 1e-4);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_floors_are_smooth),
        cmocka_unit_test(test_shallow_valleys),
        cmocka_unit_test(test_conveyor),
        cmocka_unit_test(test_hulls_and_meshes_of_boxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
