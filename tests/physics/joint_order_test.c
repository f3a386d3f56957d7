// How published mechanisms are approached as the step is halved, and their drift after 10 s: cases J05 to J12 of the
// list of validation cases (J01 and J02 have their slopes where they are compared with closed forms).
#include "mechanisms.h"

typedef struct mechanism {
    const char *name;
    scenario (*open)(const char *scheme, double h);
    double until; // [s] when figures are taken
    int body;     // whose place is one, -1: the turn of joint 0
    double part;  // of midpoint's first step: where errors of higher order have died out
} mechanism;

static scenario open_pushed_four_bar(const char *scheme, double h)
{
    return open_four_bar(scheme, h, 30.0, 2.0);
}

static const mechanism MECHANISMS[] = {
    {"J05 Bricard, x of the third bar", open_bricard, 1.0, 3, 1.0},
    {"J06 governor, slider", open_governor, 1.0, 2, 1.0},
    {"J07 slider-crank, slider", open_slider_crank, 0.4, 3, 0.25},
    {"J09 slanted pin, bar", open_slanted_pin, 1.0, 1, 1.0},
    {"J09 ball joint, bar", open_ball_joint, 1.0, 1, 1.0},
    {"J11 double pendulum, first angle", open_double_pendulum, 1.0, -1, 1.0},
    {"J11 slider pendulum, slide", open_slider_pendulum, 1.0, -1, 1.0},
    {"J12 four-bar, pushed, first angle", open_pushed_four_bar, 1.0, -1, 1.0},
};
enum { N = sizeof MECHANISMS / sizeof MECHANISMS[0] };

static void figures(const mechanism *m, const char *scheme, double h, double out[3])
{
    scenario s = m->open(scheme, h);
    double turn[3], rate[3];
    scenario_run(&s, m->until);
    tn_state_joint(s.state, 0, turn, rate);
    for (int k = 0; k < 3; k++) {
        out[k] = m->body >= 0 ? scenario_position(&s, m->body, k) : k == 0 ? turn[0] : 0.0;
    }
    scenario_close(&s);
}

static double distance(const double a[3], const double b[3])
{
    return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

// Between steps of h and h/2, h/2 and h/4 the results move by amounts whose ratio is 2^p where the error goes as h^p:
// 2 for euler (the list's range is 1.5 to 3; 4 where no forces but the joints' act, sim/shake.c), 4 for midpoint. Below
// 2e-6 m or rad rounding of the stiff springs' forces (8e5 N/m, 4e4 N s/m, joints to 1e-8) is what is left.
static void check_slope(const char *scheme, double largest, double low, double high)
{
    for (int i = 0; i < N; i++) {
        double x[3][3], h = largest * (low > 2.0 ? MECHANISMS[i].part : 1.0);
        for (int k = 0; k < 3; k++) {
            figures(&MECHANISMS[i], scheme, h / (1 << k), x[k]);
        }
        double first = distance(x[0], x[1]), second = distance(x[1], x[2]);
        print_message("%-9s %-34s %.2e, %.2e, ratio %.3f, range %g to %g\n", scheme, MECHANISMS[i].name, first, second,
                      first / second, low, high);
        bool faster = first / second >= high && second < 1e-6; // on the way down to rounding
        assert_true((first / second > low && first / second < high) || faster || fmax(first, second) < 2e-6);
    }
}

static void test_slopes_of_euler(void **unused)
{
    check_slope("euler", 1e-3, 1.5, 5.0);
}

static void test_slopes_of_midpoint(void **unused)
{
    check_slope("midpoint", 4e-3, 3.0, 5.0);
}

// Errors of position below 1e-6 m and rad in every step of 10 s, at 5 ms.
static void test_drift(void **unused)
{
    const char *schemes[2] = {"euler", "midpoint"};
    for (int k = 0; k < 2; k++) {
        for (int i = 0; i < N; i++) {
            scenario s = MECHANISMS[i].open(schemes[k], 5e-3);
            double drift = 0.0;
            while (tn_state_time(s.state) < 10.0 - 1e-6) {
                scenario_step(&s);
                drift = fmax(drift, s.report.solve.certificate.drift);
            }
            print_message("%-9s %-34s ", schemes[k], MECHANISMS[i].name);
            check_below("drift [m, rad]", drift, 1e-6);
            scenario_close(&s);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_slopes_of_euler),
        cmocka_unit_test(test_slopes_of_midpoint),
        cmocka_unit_test(test_drift),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
