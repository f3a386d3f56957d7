// Planar polygons that stand for a minute: stacks, walls, arches, whose corners and edges coincide to rounding, upright
// and with everything turned by an odd angle, gravity too.
#include "scenario.h"

#include <string.h>

enum { STONES = 40 };

// A scene as it is written: stones in a plane, which is turned as a whole.
typedef struct yard {
    char bodies[60000];
    double angle; // of everything, from x to z
    double noise; // [m] in every stone's place
    int n, seed;
} yard;

static void turned(double out[2], const double x[2], double angle)
{
    double c = cos(angle), s = sin(angle), u = x[0], w = x[1];
    out[0] = c * u - s * w;
    out[1] = s * u + c * w;
}

static void add(yard *y, bool fixed, double x, double z, double angle, const char *shape)
{
    double at[2] = {x, z};
    for (int i = 0; i < 2 && !fixed; i++) { // a pseudo-random sign for each
        y->seed = (int)(((unsigned)y->seed * 1103515245u + 12345u) & 0x7fffffffu);
        at[i] += y->seed & 0x10000 ? y->noise : -y->noise;
    }
    turned(at, at, y->angle);
    snprintf(
        y->bodies + strlen(y->bodies), sizeof y->bodies - strlen(y->bodies),
        "  s%d: {fixed: %s, position: [%.17g, 0, %.17g], rotation: {axis: [0, 1, 0], angle: %.17g}, shape: {%s}}\n",
        y->n++, fixed ? "true" : "false", at[0], at[1], -y->angle - angle, shape);
}

// A polygon of n corners at (n, 2), given about the corners' mean.
static void add_corners(yard *y, bool fixed, int n, const double *x)
{
    char shape[2000] = "polygon: {points: [";
    double middle[2] = {0.0, 0.0};
    for (int i = 0; i < 2 * n; i++) {
        middle[i % 2] += x[i] / n;
    }
    for (int i = 0; i < n; i++) {
        snprintf(shape + strlen(shape), 80, "%s[%.17g, %.17g]", i ? ", " : "", x[2 * i] - middle[0],
                 x[2 * i + 1] - middle[1]);
    }
    add(y, fixed, middle[0], middle[1], 0.0, strcat(shape, "]}"));
}

// Largest way of any body from its start within the time [m].
static double run_yard(const yard *y, double friction, const char *settings, double seconds)
{
    double gravity[2] = {0.0, -GRAVITY}, start[STONES + 1][2], most = 0.0;
    turned(gravity, gravity, y->angle);
    scenario s = scenario_open("%sgravity: [%.17g, 0, %.17g]\nmaterials: {default: {friction: %g}}\nbodies:\n%s",
                               settings, gravity[0], gravity[1], friction, y->bodies);
    int n = tn_model_body_count(s.model);
    for (int b = 1; b < n; b++) {
        start[b][0] = scenario_position(&s, b, 0);
        start[b][1] = scenario_position(&s, b, 2);
    }
    while (tn_state_time(s.state) < seconds - 5e-7) {
        scenario_step(&s);
        for (int b = 1; b < n; b++) {
            double dx = scenario_position(&s, b, 0) - start[b][0], dz = scenario_position(&s, b, 2) - start[b][1];
            most = fmax(most, sqrt(dx * dx + dz * dz));
        }
    }
    scenario_close(&s);
    return most;
}

// Small problems are solved to rounding: what stands stays in its place.
static const double micron = 1e-6;

// In larger ones forces are known to 1e-6 of the largest, at most `load` weights of a stone: it may creep with
// 1e-6 load g h.
static double creep(double load, double step)
{
    return 1e-6 * load * GRAVITY * step * 60.0;
}

// 60 s with everything but the step by default.
static void check_stands(const char *what, const yard *y, double friction, double step, double limit)
{
    char text[100], settings[40];
    snprintf(text, sizeof text, "%s, turned by %.4g: 60 s [m]", what, y->angle);
    snprintf(settings, sizeof settings, "step: %g\n", step);
    check_below(text, run_yard(y, friction, settings, brief_time(60.0)), limit);
}

static const double odd_angle = 0.7391;
static const char square[] = "polygon: {size: [1, 1]}";

static void floor_of(yard *y)
{
    y->n = 0;
    y->bodies[0] = '\0';
    add(y, true, 0.0, 0.0, 0.0, "plane: {}");
}

// Ten at 1 ms, where at the third step a side's normal with a gap of -1 m came up and threw them apart at 13 m/s.
static void test_stacks(void **state)
{
    static const double noise[4] = {0.0, 1e-16, 1e-13, 1e-9};
    yard y = {.seed = 1};
    floor_of(&y);
    for (int k = 0; k < 10; k++) {
        add(&y, false, 0.0, k + 0.5, 0.0, square);
    }
    check_below("ten squares, 1 ms: 1 s [m]", run_yard(&y, 0.5, "step: 1 ms\n", 1.0), 1e-6);
    for (int k = 0; k < 4; k++) {
        int n = k == 3 ? 20 : 8;
        y = (yard){.seed = 1 + k, .angle = k % 2 ? odd_angle : 0.0, .noise = noise[k]};
        floor_of(&y);
        for (int i = 0; i < n; i++) {
            add(&y, false, 0.0, i + 0.5, 0.0, square);
        }
        check_stands(n == 20 ? "stack of 20" : "stack of 8", &y, 0.5, n == 20 ? 0.02 : 0.01, micron);
    }
}

// Half a ring of stones, 0.3 thick round 1; or fewer.
static void test_arches(void **state)
{
    for (int k = 0; k < 2; k++) {
        int n = k ? 20 : 7;
        yard y = {.angle = k ? odd_angle : 0.0};
        floor_of(&y);
        for (int i = 0; i < n; i++) {
            double x[8];
            for (int c = 0; c < 4; c++) {
                int joint = i + (c == 2 || c == 3);
                double r = c == 1 || c == 2 ? 1.3 : 1.0, angle = PI * joint / n;
                x[2 * c] = r * cos(angle);
                x[2 * c + 1] = joint == n ? 0.0 : r * sin(angle);
            }
            add_corners(&y, false, 4, x);
        }
        // Of the large one some steps stay short of rounding.
        check_stands(n == 20 ? "arch of 20" : "arch of 7", &y, 0.7, n == 20 ? 0.02 : 0.01,
                     (n == 20 ? 10.0 : 1.0) * micron);
    }
}

// Courses of bricks with joints over the bricks' middles, tilted back by 15 degrees against a slab.
static void test_leaning_wall(void **state)
{
    const double lean = PI / 12.0, slabs[2][4] = {{-2.0, -1.0, 6.0, 0.0}, {-1.0, 0.0, 0.0, 3.0}};
    yard y = {.angle = odd_angle};
    for (int i = 0; i < 2 + 4 * 3; i++) {
        int course = (i - 2) / 3, brick = (i - 2) % 3;
        double half = course % 2 ? 0.5 : 0.0, low = fmax(0.0, brick - half), high = fmin(3.0, brick + 1.0 - half);
        double box[4] = {low, 0.5 * course, high, 0.5 * course + 0.5}, x[8];
        const double *b = i < 2 ? slabs[i] : box;
        for (int c = 0; c < 4; c++) {
            x[2 * c] = c == 1 || c == 2 ? b[2] : b[0];
            x[2 * c + 1] = c >= 2 ? b[3] : b[1];
            turned(x + 2 * c, x + 2 * c, lean);
        }
        add_corners(&y, i < 2, 4, x);
    }
    check_stands("leaning wall", &y, 0.7, 0.04, creep(12.0, 0.04));
}

// Triangle to dodecagon, side by side on a polygon as floor; and one more on each of an even number of corners.
static void test_regular_polygons(void **state)
{
    yard y = {.angle = odd_angle, .noise = 1e-15};
    add(&y, true, 0.0, -0.5, 0.0, "polygon: {size: [40, 1]}");
    for (int n = 3; n <= 12; n++) {
        double height = cos(PI / n);
        for (int level = 0; level < (n % 2 ? 1 : 2); level++) {
            double x[24];
            for (int i = 0; i < n; i++) {
                double angle = 2.0 * PI * (i + 0.5) / n - 0.5 * PI;
                x[2 * i] = 0.5 * cos(angle) + 1.2 * n;
                x[2 * i + 1] = 0.5 * sin(angle) + height * (0.5 + level);
            }
            add_corners(&y, false, n, x);
        }
    }
    check_stands("polygons of 3 to 12 sides", &y, 0.5, 0.02, micron);
}

// Disks and an ellipse on the joints of squares, where two corners meet, and between squares; a beam lies on the disks.
static void test_round_between_squares(void **state)
{
    yard y = {.angle = 0.0};
    floor_of(&y);
    for (int i = 0; i < 5; i++) {
        add(&y, false, i, 0.5, 0.0, square);
    }
    add(&y, false, 0.0, 1.5, 0.0, square);
    add(&y, false, 1.0, 1.5, 0.0, "disk: 0.5");
    add(&y, false, 2.0, 1.25, 0.0, "ellipse: [0.5, 0.25]");
    add(&y, false, 3.0, 1.5, 0.0, "disk: 0.5");
    add(&y, false, 4.0, 1.5, 0.0, square);
    add(&y, false, 2.0, 2.5, 0.0, "polygon: {size: [5, 1]}");
    check_stands("round between squares", &y, 0.5, 0.04, creep(12.0, 0.04));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_stacks),
        cmocka_unit_test(test_arches),
        cmocka_unit_test(test_leaning_wall),
        cmocka_unit_test(test_regular_polygons),
        cmocka_unit_test(test_round_between_squares),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
