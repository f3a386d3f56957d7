// The scenes of scenes/ do what they are there for.
#include "gallery.h"

// cond, Table I (gap term none): mean position errors against the discrete solution of the rigid problem.
typedef struct mean_error {
    double x, y, z; // [m]
} mean_error;

static mean_error box_sliding(const char *k_v, const char *gap)
{
    char set_k[64], set_gap[32];
    snprintf(set_k, sizeof set_k, "solver.k_v=%s", k_v);
    snprintf(set_gap, sizeof set_gap, "gap=%s", gap);
    const char *set[3] = {set_k, set_gap, "solver.tolerance.natural=1e-11"};
    scenario s = gallery_open("cond/box_sliding.yaml", 3, set);
    int box = scenario_body(&s, "box");
    const double a = 2.0 / 0.5 - 0.2 * GRAVITY;
    mean_error mean = {0};
    for (int k = 0; k < 100; k++) {
        scenario_step(&s);
        double t = tn_state_time(s.state);
        mean.x += fabs(scenario_position(&s, box, 0)) / 101; // the start counts, with no error
        mean.y += fabs(scenario_position(&s, box, 1) - 0.5 * a * t * t) / 101;
        mean.z += fabs(scenario_position(&s, box, 2) - 0.1) / 101;
    }
    scenario_close(&s);
    return mean;
}

static void test_table_1(void **state)
{
    // The document's figures, Table I of cond [mm]; 5 % because its force is not in the text.
    const struct {
        const char *k_v;
        double y, z;
    } rows[3] = {{"1e3", 0.1226e-3, 0.6131e-3}, {"1e4", 0.0122e-3, 0.0612e-3}, {"1e5", 0.0012e-3, 0.0061e-3}};
    double last_z = 0.0;
    for (int i = 0; i < 3; i++) {
        mean_error mean = box_sliding(rows[i].k_v, "none");
        print_message("k_v %s\n", rows[i].k_v);
        check_near("Table I y [m]", mean.y, rows[i].y, 0.05 * rows[i].y);
        check_near("Table I z [m]", mean.z, rows[i].z, 0.05 * rows[i].z);
        check_below("Table I x [m]", mean.x, 1e-9);
        if (i > 0) {
            check_near("Table I: z falls by 10 a decade", last_z / mean.z, 10.0, 0.5);
        }
        last_z = mean.z;
    }
    mean_error exact = box_sliding("infinite", "none");
    check_below("Table I, condensed contacts: x + y + z [m]", exact.x + exact.y + exact.z, 1e-10);
    double full = box_sliding("1e3", "full").z;
    print_message("with the full gap term z is %.3g m, %.0f times smaller; must be 20 times at least\n", full,
                  0.6131e-3 / full);
    assert_true(full < 0.6131e-3 / 20);
}

// Maximal dissipation on an ellipse: the force is (mu1^2 v1, mu2^2 v2) N / sqrt(mu1^2 v1^2 + mu2^2 v2^2), against v.
static void test_anisotropic_box(void **state)
{
    const double mu1 = 0.1, mu2 = 0.3, h = 1e-5;
    const char *set[1] = {"step=1e-3"};
    scenario s = gallery_open("cond/anisotropic_box.yaml", 1, set);
    int box = scenario_body(&s, "box");
    scenario_run(&s, 0.4);
    double v[2] = {1, 1}, x[2] = {0, 0};
    for (int k = 0; k < 40000; k++) {
        double d = sqrt(mu1 * mu1 * v[0] * v[0] + mu2 * mu2 * v[1] * v[1]);
        v[0] -= h * GRAVITY * mu1 * mu1 * v[0] / d;
        v[1] -= h * GRAVITY * mu2 * mu2 * v[1] / d;
        x[0] += h * v[0];
        x[1] += h * v[1];
    }
    check_near("anisotropic box: x after 0.4 s [m], O(h)", scenario_position(&s, box, 0), x[0], 2e-3);
    check_near("anisotropic box: y after 0.4 s [m], O(h)", scenario_position(&s, box, 1), x[1], 2e-3);
    print_message("the path curves: x - y = %.4f m\n", x[0] - x[1]);
    scenario_close(&s);
}

static void test_dominoes_all_fall(void **state)
{
    scenario s = gallery_open("rigid/dominoes.yaml", 0, NULL);
    scenario_run(&s, 3.0);
    double least = 1e9;
    for (int k = 0; k < 20; k++) {
        char name[32];
        snprintf(name, sizeof name, "domino[%d]", k);
        least = fmin(least, scenario_tilt(&s, scenario_body(&s, name)));
    }
    print_message("dominoes: least tilt after 3 s %.1f deg, must exceed 45\n", least * 180 / PI);
    assert_true(least > PI / 4);
    scenario_close(&s);
}

static void test_cradle(void **state)
{
    scenario s = gallery_open("rigid/cradle.yaml", 0, NULL);
    scenario_run(&s, 0.5);
    check_near("cradle: last ball's velocity [m/s]", scenario_velocity(&s, scenario_body(&s, "ball[3]"), 0), 0.5, 1e-6);
    check_below("cradle: first ball's speed [m/s]", fabs(scenario_velocity(&s, scenario_body(&s, "first"), 0)), 1e-6);
    scenario_close(&s);
}

static void test_top_stays_up(void **state)
{
    // A top without spin falls over (tilt 90 deg) within half a second; with spin it must stand for 2 s.
    scenario s = gallery_open("rigid/top.yaml", 0, NULL);
    int top = scenario_body(&s, "top");
    double worst = 0.0, e0 = 0.0, gain = 0.0;
    while (tn_state_time(s.state) < 2.0 - 1e-6) {
        scenario_step(&s);
        double e = s.report.energy.kinetic + s.report.energy.gravity;
        e0 = e0 == 0.0 ? e : e0;
        gain = fmax(gain, e - e0);
        worst = fmax(worst, scenario_tilt(&s, top));
    }
    check_below("top: worst tilt in 2 s [deg]", worst * 180 / PI, 25.0);
    check_below("top: energy gain over the start, relative", gain / e0, 1e-3);
    scenario_close(&s);
}

static void test_heap_comes_to_rest(void **state)
{
    scenario s = gallery_open("rigid/box_heap.yaml", 0, NULL);
    double deepest = 0.0, worst_momentum = 0.0;
    while (tn_state_time(s.state) < 3.0 - 1e-6) {
        scenario_step(&s);
        deepest = fmax(deepest, s.report.solve.certificate.penetration);
        worst_momentum = fmax(worst_momentum, s.report.solve.certificate.momentum);
    }
    check_below("heap of 200: kinetic energy at the end, a box [J]", s.report.energy.kinetic / 200, 1e-3);
    check_below("heap of 200: penetration [m]", deepest, 1e-3);
    check_below("heap of 200: momentum residual", worst_momentum, 1e-6);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table_1),           cmocka_unit_test(test_anisotropic_box),
        cmocka_unit_test(test_dominoes_all_fall), cmocka_unit_test(test_cradle),
        cmocka_unit_test(test_top_stays_up),      cmocka_unit_test(test_heap_comes_to_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
