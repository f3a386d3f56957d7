// The library's own pictures, against what a pinhole camera must see: outline of a sphere, what hides what, shadow,
// what is cut off behind the camera; and the colours of bodies.
#include "view/picture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <math.h>

#include "base/memory.h"
#include "recorded.h"
#include "scene/scene.h"
#include "view/colors.h"

enum { WIDTH = 320, HEIGHT = 200, BYTES = 3 * WIDTH * HEIGHT };
static const double zoom = 0.5 * HEIGHT / 0.3153; // pixels at distance 1: an upright angle of 35 degrees

// The picture of the scene's first frame.
static unsigned char *picture_of(const char *text)
{
    char path[] = "/tmp/tenon_picture_XXXXXX";
    close(mkstemp(path));
    tn_error error = {0};
    scenario s = scenario_open("%s", text);
    recorded_steps(&s, path, 0);
    scenario_close(&s);
    tn_recording *recording = recorded_read(path);
    tn_view *view = recording ? tn_view_open(recording, 1, &error) : NULL;
    assert_non_null(view);
    tn_picture picture = {WIDTH, HEIGHT, calloc(BYTES, 1)};
    unsigned char *again = calloc(BYTES, 1);
    assert_int_equal(tn_picture_draw(view, 0, &picture, &error), TN_OK);
    assert_int_equal(tn_picture_draw(view, 0, &(tn_picture){WIDTH, HEIGHT, again}, &error), TN_OK);
    assert_memory_equal(picture.rgb, again, BYTES);
    free(again);
    tn_view_close(view);
    tn_recording_close(recording);
    unlink(path);
    return picture.rgb;
}

// Pixels in which one channel, red 0 to blue 2, is more than twice each other one.
static int count(const unsigned char *rgb, int channel)
{
    int n = 0;
    for (int k = 0; k < BYTES; k += 3) {
        int a = rgb[k + channel], b = rgb[k + (channel + 1) % 3], c = rgb[k + (channel + 2) % 3];
        n += a > 2 * b && a > 2 * c;
    }
    return n;
}

#define VIEW "views: {own: {eye: [0, -10, 0], target: [0, 0, 0]}}\ngravity: [0, 0, 0]\nbodies:\n"
#define RED "  red: {position: [0, 0, 0], color: [1, 0, 0], shape: {sphere: 1}}\n"
#define BLUE(y) "  blue: {position: [0, " #y ", 0], color: [0, 0, 1], shape: {box: [1, 0.1, 1]}}\n"

static void a_sphere_has_its_size(void **unused)
{
    unsigned char *rgb = picture_of(VIEW RED);
    double radius = zoom / sqrt(100.0 - 1.0), area = M_PI * radius * radius; // r / sqrt(d^2 - r^2)
    int n = count(rgb, 0);
    print_message("%d red pixels, a sphere has %.0f (it is drawn by facets inside it: 6 %% less at most)\n", n, area);
    assert_true(n / area > 0.94 && n / area < 1.005);
    const unsigned char *top = rgb + 3 * ((HEIGHT / 2 - 20) * WIDTH + WIDTH / 2), *bottom = top + 3 * 40 * WIDTH;
    assert_true(top[0] > bottom[0] + 20); // the sun is above
    free(rgb);
}

static void what_is_nearer_hides(void **unused)
{
    unsigned char *before = picture_of(VIEW RED BLUE(-2)), *behind = picture_of(VIEW RED BLUE(2));
    int side = (int)(zoom / 7.95); // of the box's face at distance 10 - 2 - 0.05
    print_message("box before: %d blue, %d red; behind: %d blue, %d red\n", count(before, 2), count(before, 0),
                  count(behind, 2), count(behind, 0));
    assert_true(abs(count(before, 2) - side * side) < 3 * side);
    assert_true(count(before, 0) > 0 && count(before, 0) < count(behind, 0));
    assert_int_equal(count(behind, 2), 0);
    free(before);
    free(behind);
}

static void the_ground_is_in_shadow(void **unused)
{
    static const char ground[] = "  ground: {fixed: true, shape: {plane: {}}}\n";
    char text[600];
    snprintf(text, sizeof text, "%s%s%s", "views: {own: {eye: [0, 0, 20], target: [0, 0, 0]}}\nbodies:\n", ground,
             "  red: {position: [0, 0, 1.5], color: [1, 0, 0], shape: {box: [1, 1, 0.2]}}\n");
    unsigned char *rgb = picture_of(text);
    // The sun's way is (-1.3, -0.9, 2.1): the shadow of the middle lies at 1.5 / 2.1 of (1.3, 0.9), its mirror in
    // light.
    double there[2] = {1.3 * 1.5 / 2.1, 0.9 * 1.5 / 2.1}, pixel = zoom / 20.0;
    int x = (int)lround(there[0] * pixel), y = (int)lround(there[1] * pixel);
    const unsigned char *middle = rgb + 3 * (HEIGHT / 2 * WIDTH + WIDTH / 2);
    const unsigned char *dark = middle + 3 * (x - y * WIDTH), *lit = middle - 3 * (x - y * WIDTH);
    print_message("ground %d in the shadow, %d in the light\n", dark[1], lit[1]);
    assert_true(dark[1] + 30 < lit[1]);
    free(rgb);
}

// A long floor that begins behind the camera is seen as far as it is before it.
static void what_is_behind_is_cut_off(void **unused)
{
    unsigned char *rgb = picture_of(
        VIEW RED "  floor: {fixed: true, position: [0, 0, -3], color: [0, 1, 0], shape: {box: [60, 60, 0.2]}}\n");
    const unsigned char *at = rgb + 3 * ((HEIGHT - 1) * WIDTH + WIDTH / 2), *above = rgb + 3 * (5 * WIDTH + 5);
    print_message("below %d %d %d, above %d %d %d\n", at[0], at[1], at[2], above[0], above[1], above[2]);
    assert_true(at[1] > 2 * at[0] && above[0] > 100);
    free(rgb);
}

// A wall that is named before the ground does not stand in for it: the pixel at the bottom is the same as without.
static void walls_are_no_ground(void **unused)
{
    static const char ground[] = "  ground: {fixed: true, position: [0, 0, -1], shape: {plane: {}}}\n";
    char with[700], without[600];
    snprintf(without, sizeof without, "%s%s%s", VIEW, RED, ground);
    snprintf(with, sizeof with, "%s%s%s%s", VIEW,
             "  wall: {fixed: true, position: [0, 2, 0], shape: {plane: [0, -1, 0]}}\n", RED, ground);
    unsigned char *a = picture_of(with), *b = picture_of(without);
    const size_t at = 3 * ((size_t)(HEIGHT - 3) * WIDTH + WIDTH / 2);
    print_message("%d %d %d beside %d %d %d\n", a[at], a[at + 1], a[at + 2], b[at], b[at + 1], b[at + 2]);
    assert_memory_equal(a + at, b + at, 3);
    free(a);
    free(b);
}

static void bodies_have_their_colors(void **unused)
{
    char *names[] = {"world", "r[0]", "r[1]", "r[2]", "arm", "fore", "hand", "red"};
    char *types[] = {"bushing", "bushing", "revolute", "revolute"};
    uint8_t kinds[] = {TN_BODY_FIXED, 0, 0, 0, 0, 0, 0, 0};
    float own[24], rgb[24];
    int joined[] = {1, 2, 2, 3, 4, 5, 5, 6};
    for (int k = 0; k < 24; k++) {
        own[k] = k < 21 ? NAN : k == 21 ? 1.0F : 0.0F;
    }
    tn_recording r = {.n_bodies = 8,
                      .names = names,
                      .kinds = kinds,
                      .rgb = own,
                      .n_joints = 4,
                      .joint_types = types,
                      .joint_bodies = joined};
    assert_int_equal(tn_view_color_bodies(&r, rgb, NULL), TN_OK);
    assert_true(rgb[21] == 1.0F && rgb[22] == 0.0F && rgb[23] == 0.0F);
    assert_memory_equal(rgb + 3, rgb + 6, 12); // one colour for a rod
    assert_memory_equal(rgb + 3, rgb + 9, 12);
    assert_memory_equal(rgb + 12, rgb + 18, 12); // both ends of a mechanism
    assert_memory_not_equal(rgb + 12, rgb + 15, 12);
    assert_memory_not_equal(rgb + 12, rgb + 3, 12);
    for (int k = 0; k <= 100; k++) {
        assert_true(fabs(tn_color_to_screen(tn_color_to_light(0.01 * k)) - 0.01 * k) < 1e-6);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sphere_has_its_size),   cmocka_unit_test(what_is_nearer_hides),
        cmocka_unit_test(the_ground_is_in_shadow), cmocka_unit_test(what_is_behind_is_cut_off),
        cmocka_unit_test(walls_are_no_ground),     cmocka_unit_test(bodies_have_their_colors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
