// Case G05 of the validation list, the Brazil nut: shaken at 10 Hz with 3 g, a disk of three diameters rises from the
// floor to the top of a bed of small ones where they rub, and does not where they do not. `tenon bench papers --only
// g05` has the list's minute, a deeper bed and a disk of equal size. Brief under sanitizers.
//
// Sizes and places are drawn from a seed, and a bed is chaotic: another processor's rounding is another run. With
// friction 10 of 10 seeds come on top, after 11 to 20 s; without it none of 20 does in 30 s, and at most 62 % of the
// grains come to lie lower than the nut's top, in 17 of the 20 never more than 35 %. 1e-4 is needed: with solves to
// 1e-3 one seed of six comes on top without friction too, and one nearly (13 % above it).
#include "base/random.h"
#include "scenario.h"

#include <string.h>

enum { N_GRAINS = 120, COLUMNS = 10, SEED = 7 };
enum { SECONDS = BRIEF ? 1 : 30, STEPS = BRIEF ? 20 : 200 }; // of a run; of a second
enum { SEEN = 3 };                                           // seconds over which shares are averaged
static const double GRAIN = 4e-3, NUT = 12e-3;               // radii [m]
static const double TOP = 0.1; // on top: at most this share of the grains has its centre above the nut's top

typedef struct rise {
    int on_top;    // after so many seconds; SECONDS + 1: never
    double lowest; // least share of the grains above its top
} rise;

// Grain k's own random number of a kind, from -1 to 1.
static double drawn(int seed, int kind, int k)
{
    return 2.0 * tn_random_uniform((uint64_t)seed, (uint64_t)kind, (uint64_t)k) - 1.0;
}

// Rows of grains with radii that differ by up to 20 % (equal ones order as in a crystal), around the nut on the floor.
static void write_grains(char *text, size_t size, int seed)
{
    const double pitch = 9.8e-3, first = 5e-3, room = NUT + 1.3 * GRAIN;
    size_t used = 0;
    for (int place = 0, k = 0; k < N_GRAINS; place++) {
        int row = place / COLUMNS;
        double x = (place % COLUMNS - 0.5 * (COLUMNS - 1)) * pitch, z = first + row * pitch;
        if (x * x + (z - NUT) * (z - NUT) < room * room) {
            continue;
        }
        used += (size_t)snprintf(
            text + used, size - used, "  g%03d: {position: [%.6f, 0, %.6f], shape: {disk: %.4e}}\n", k,
            x + 1e-4 * drawn(seed, 1, k), z + 1e-4 * drawn(seed, 2, k), GRAIN * (1 + 0.2 * drawn(seed, 0, k)));
        assert_true(used < size);
        k++;
    }
}

static scenario open_bed(int seed, double friction, double wall_friction)
{
    char grains[16384];
    write_grains(grains, sizeof grains, seed);
    return scenario_open("step: 5 ms\nsolver: {max_iterations: 300, tolerance: {momentum: 1e-4, natural: 1e-4}}\n"
                         "materials: {default: {friction: %g, restitution: 0.2}, wall: {restitution: 0.2}}\n"
                         "pairs: [{materials: [default, wall], friction: %g}]\n"
                         "bodies:\n"
                         "  box:\n"
                         "    motion: {position: [0, 0, \"7.4546e-3*sin(20*pi*t)\"]}\n"
                         "    material: wall\n"
                         "    shapes:\n"
                         "      - {polygon: {size: [0.164, 0.032]}, position: [0, 0, -0.016]}\n"
                         "      - {polygon: {size: [0.032, 0.48]}, position: [-0.066, 0, 0.232]}\n"
                         "      - {polygon: {size: [0.032, 0.48]}, position: [0.066, 0, 0.232]}\n"
                         "  nut: {position: [0, 0, 0.0122], shape: {disk: %g}}\n%s",
                         friction, wall_friction, NUT, grains);
}

static double share_above(const scenario *s, int nut)
{
    double top = scenario_position(s, nut, 2) + NUT;
    int above = 0;
    for (int b = nut + 1; b <= nut + N_GRAINS; b++) {
        above += scenario_position(s, b, 2) > top;
    }
    return (double)above / N_GRAINS;
}

// Shakes until it is on top, at most for so many seconds.
static rise shake(int seed, double friction, double wall_friction, int seconds)
{
    scenario s = open_bed(seed, friction, wall_friction);
    rise r = {.on_top = SECONDS + 1, .lowest = 1.0};
    double of_second[SECONDS + SEEN] = {0}, mean = 1.0;
    int nut = scenario_body(&s, "nut");
    for (int second = 0; second < seconds && r.on_top > SECONDS; second++) {
        for (int k = 0; k < STEPS; k++) {
            scenario_step(&s);
            of_second[second] += share_above(&s, nut) / STEPS;
        }
        mean = 0.0;
        for (int k = second; k > second - SEEN && k >= 0; k--) {
            mean += of_second[k] / SEEN;
        }
        if (second >= SEEN - 1) {
            r.lowest = fmin(r.lowest, mean);
            r.on_top = mean <= TOP ? second + 1 : r.on_top;
        }
    }
    print_message("friction %g: above the nut's top at first %.2f, at last %.2f of the grains; natural map %.1e\n",
                  friction, of_second[0], mean, s.worst_natural);
    scenario_close(&s);
    return r;
}

static void test_rises_with_friction(void **state)
{
    rise r = shake(SEED, 0.6, 0.95, SECONDS);
    if (!BRIEF) {
        check_below("G05 with friction: on top after [s]", r.on_top, SECONDS);
    }
}

// As long as the slowest with friction takes.
static void test_stays_down_without(void **state)
{
    rise r = shake(SEED, 0.0, 0.0, SECONDS - SECONDS / 3);
    if (!BRIEF) {
        // Half way between the worst of the seeds tried and the top.
        check_below("G05 without friction: share lower than its top", 1.0 - r.lowest, 0.76);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rises_with_friction),
        cmocka_unit_test(test_stays_down_without),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
