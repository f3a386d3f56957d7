// Planar scenes: the rimless wheel (case R25), and what the document of the stabilized scheme proves about a step.
#include "gallery.h"

#include <string.h>

// omega just after each of n impacts from the spin `start`, 8 spokes of 1 m, 1 kg, moment I at the hub.
static void run_wheel(double inertia, double start, int n, double h, double *after, double *steps)
{
    const double a = PI / 8.0, slope = 0.08;
    char corners[1000] = "";
    for (int k = 0; k < 8; k++) {
        double angle = (2 * k + 1) * a;
        snprintf(corners + strlen(corners), 60, "[%.17g, %.17g]%s", cos(angle), sin(angle), k < 7 ? ", " : "");
    }
    scenario s = scenario_open(
        "step: %.17g\ngravity: [%.17g, 0, %.17g]\nsolver: {tolerance: {momentum: 1e-10, natural: 1e-10}}\n"
        "materials: {default: {friction: 1.5}}\n"
        "bodies:\n"
        "  slope: {fixed: true, shape: {plane: {}}}\n"
        "  wheel: {position: [0, 0, %.17g], angular_velocity: [0, %.17g, 0], velocity: [%.17g, 0, %.17g], mass: 1,\n"
        "          inertia: [%g, %g, %g], shape: {polygon: [%s]}}\n",
        h, GRAVITY * sin(slope), -GRAVITY * cos(slope), cos(a), start, start * cos(a), start * sin(a), inertia, inertia,
        inertia, corners);
    double before = start, place = 0.0;
    for (int k = 0; k < n;) {
        scenario_step(&s);
        double now = scenario_spin(&s, 2, 1);
        assert_true(tn_state_time(s.state) < 60.0);
        if (now < 0.9 * before) { // an impact takes a quarter of the spin
            // it may take two steps: the foot lands within the first
            scenario_step(&s);
            after[k] = scenario_spin(&s, 2, 1);
            steps[k++] = scenario_position(&s, 2, 0) - place;
            place = scenario_position(&s, 2, 0);
            now = after[k - 1];
        }
        before = now;
    }
    scenario_close(&s);
}

// Fixed point just after impact, eta / sqrt(1 - eta^2) sqrt(4 m g l sin a sin slope / (I + m l^2)).
static double fixed_point(double inertia)
{
    const double a = PI / 8.0;
    double eta = (inertia + cos(2 * a)) / (inertia + 1.0);
    return eta / sqrt(1.0 - eta * eta) * sqrt(4.0 * GRAVITY * sin(a) * sin(0.08) / (inertia + 1.0));
}

static void test_r25_rimless_wheel(void **unused)
{
    static const double moments[2] = {0.1, 1e-4};
    check_near("R25 fixed point for I = 0.1 [rad/s]", fixed_point(0.1), 1.127951, 1e-6);
    check_near("R25 fixed point for I = 0 [rad/s]", fixed_point(0.0), 1.095463, 1e-6);
    for (int k = 0; k < 2; k++) {
        double after[20], steps[20], wanted = fixed_point(moments[k]);
        run_wheel(moments[k], wanted, 20, 2.5e-4, after, steps);
        check_near("R25 spin after 20 impacts [rad/s]", after[19], wanted, 0.01 * wanted);
        check_near("R25 length of a step [m]", steps[19], 0.765367, 0.01 * 0.765367);
        run_wheel(moments[k], 1.3 * wanted, 2, 1e-3, after, steps);
        print_message("too fast: %.4f, %.4f, %.4f\n", 1.3 * wanted, after[0], after[1]);
        assert_true(after[0] < 1.3 * wanted && after[1] < after[0]);
        run_wheel(moments[k], 0.9 * wanted, 2, 1e-3, after, steps);
        print_message("too slow: %.4f, %.4f, %.4f\n", 0.9 * wanted, after[0], after[1]);
        assert_true(after[0] > 0.9 * wanted && after[1] > after[0]);
    }
}

// Gap of the ellipse of semi-axes 4 and 2 above z = 0.
static double ellipse_gap(const scenario *s)
{
    double x[3], q[4];
    tn_state_body_pose(s->state, 2, x, q);
    double turn = 2.0 * atan2(q[2], q[0]), u = 4.0 * sin(turn), w = 2.0 * cos(turn);
    return x[2] - sqrt(u * u + w * w);
}

static scenario open_ellipse(const char *gap, double h, double omega)
{
    return scenario_open(
        "step: %.17g\ngap: %s\nomega: %.17g\nmargin: 2 m\nsolver: {tolerance: {momentum: 1e-12, natural: 1e-12}}\n"
        "materials: {default: {density: 1, friction: 0.3}}\n"
        "bodies:\n"
        "  table: {fixed: true, shape: {plane: {}}}\n"
        "  egg: {position: [0, 0, 8], angular_velocity: [0, 3, 0], shape: {ellipse: [4, 2]}}\n",
        h, gap, omega);
}

typedef struct infeasibility {
    double worst, last; // [m] deepest, and mean of the last two seconds
    double C;           // largest I / (h omega)^2 [m], h omega the turn of the step
    double energy;      // largest excess over the energy bound, in m (I / h)^2; -INFINITY: never
} infeasibility;

// Angle of the body about y, within half a turn [rad].
static double angle_of(const scenario *s, int body)
{
    double x[3], q[4];
    tn_state_body_pose(s->state, body, x, q);
    return 2.0 * atan2(q[2], q[0]);
}

// The whole overlap is taken out in one step where the margin, its cap, is wide. The document's: dropped from 8 with
// angular velocity 3, for 20 s. Energy bound: v+ M v+ <= v M v + 2 h v k + h^2 k k / m + c I^2 / h^2, with c the
// contact's effective mass, at most the body's.
static infeasibility run_ellipse(const char *gap, double h)
{
    infeasibility out = {.energy = -INFINITY};
    scenario s = open_ellipse(gap, h, 0.0);
    const double mass = 8.0 * PI, moment = mass * 5.0;
    int n = 0;
    while (tn_state_time(s.state) < 20.0 - 1e-9) {
        double before = fmax(0.0, -ellipse_gap(&s)), v[2], w[2], spin[2];
        v[0] = scenario_velocity(&s, 2, 0);
        v[1] = scenario_velocity(&s, 2, 2);
        double old = scenario_spin(&s, 2, 1), start = angle_of(&s, 2);
        scenario_step(&s);
        w[0] = scenario_velocity(&s, 2, 0);
        w[1] = scenario_velocity(&s, 2, 2);
        spin[0] = scenario_spin(&s, 2, 1);
        double left = mass * (w[0] * w[0] + w[1] * w[1]) + moment * spin[0] * spin[0];
        double right = mass * (v[0] * v[0] + v[1] * v[1]) + moment * old * old - 2.0 * h * v[1] * mass * GRAVITY +
                       h * h * mass * GRAVITY * GRAVITY;
        double I = fmax(0.0, -ellipse_gap(&s)), excess = left - right - 1e-9 * right;
        if (excess > 0.0) {
            out.energy = fmax(out.energy, excess * h * h / (mass * before * before));
        }
        out.worst = fmax(out.worst, I);
        if (I > 1e-12) {
            double turned = remainder(angle_of(&s, 2) - start, 2.0 * PI); // h v^: v+ keeps no push out of overlaps
            out.C = fmax(out.C, I / (turned * turned));
        }
        if (tn_state_time(s.state) > 18.0) {
            out.last += I;
            n++;
        }
    }
    out.last /= n;
    scenario_close(&s);
    return out;
}

// I(q+) <= C |h v^|^2: the gap bends by at most (a^2 - b^2) / b = 6 m per rad^2, so C = 3 m whatever the step. Without
// stabilization the body sinks by what each landing leaves.
static void test_ellipse(void **unused)
{
    for (double h = 0.1; h > 0.01; h *= 0.5) {
        infeasibility none = run_ellipse("none", h), full = run_ellipse("full", h);
        print_message("h %.4f s: deepest %.3g m without, %.3g m with stabilization; at the end %.3g, %.3g m\n", h,
                      none.worst, full.worst, none.last, full.last);
        check_below("C of I <= C (h omega)^2 [m] (3: curvature)", full.C, 3.0 * (1.0 + 1e-9));
        check_below("excess over the energy bound, in m I^2/h^2", full.energy, 1.0 + 1e-6);
        assert_true(none.worst > 5.0 * full.worst && none.last > 100.0 * full.last);
    }
}

// Bodies that are no contact in a step are not inside each other after it, where the active set is wide enough for
// their speeds (margin >= 2 h V): 24 disks that fall and fly.
static void test_inactive_contacts_stay_feasible(void **unused)
{
    enum { N = 24, FIRST = 2 };
    scenario s =
        scenario_open("step: 20 ms\nmargin: 0.4\nsolver: {max_iterations: 5000, tolerance: {momentum: 1e-9, natural: "
                      "1e-9}}\n"
                      "materials: {default: {friction: 0.4, density: 100}}\n"
                      "bodies:\n"
                      "  tub: {fixed: true, shapes: [{polygon: {size: [6, 1]}, position: [0, 0, -0.5]}, "
                      "{polygon: {size: [1, 9]}, position: [-2.5, 0, 3]}, {polygon: {size: [1, 9]}, position: "
                      "[2.5, 0, 3]}]}\n"
                      "  disk: {shape: {disk: 0.15}, position: [-1.8, 0, 0.5], velocity: [2, 0, -6], array: "
                      "{count: [6, 1, 4], spacing: [0.37, 0, 0.7], jitter: 0.02}}\n");
    double worst = INFINITY;
    long checked = 0;
    bool active[N][N];
    for (int step = 0; step < 100; step++) {
        scenario_step(&s);
        memset(active, 0, sizeof active);
        for (int i = 0; i < tn_sim_contact_count(s.sim); i++) {
            tn_contact_info c;
            tn_sim_contact(s.sim, i, &c);
            if (c.body_a >= FIRST) {
                active[c.body_a - FIRST][c.body_b - FIRST] = true;
            }
        }
        for (int a = 0; a < N; a++) {
            for (int b = a + 1; b < N; b++) {
                double dx = scenario_position(&s, FIRST + a, 0) - scenario_position(&s, FIRST + b, 0);
                double dz = scenario_position(&s, FIRST + a, 2) - scenario_position(&s, FIRST + b, 2);
                if (!active[a][b]) {
                    worst = fmin(worst, sqrt(dx * dx + dz * dz) - 0.3);
                    checked++;
                }
            }
        }
    }
    print_message("%ld pairs without contact\n", checked);
    check_below("deepest overlap of pairs that were no contact [m]", fmax(0.0, -worst), 0.0);
    scenario_close(&s);
}

// The step with contact springs K on the linearized gap (backward Euler): f = -K (g + h u), that is u + g / h + f / (h
// K) = 0, Omega = 1 / (h K). For K to infinity it becomes the stabilized step, with an error of 1 / K.
static void test_limit_of_the_penalty_step(void **unused)
{
    const double h = 0.02;
    double v[7][3];
    for (int k = 0; k < 7; k++) {
        double stiffness = pow(10.0, 4 + k); // [N/m]
        scenario s = open_ellipse("full", h, k < 6 ? 1.0 / (h * stiffness) : 0.0);
        scenario_run(&s, 1.1); // lands at 1.05 s
        v[k][0] = scenario_velocity(&s, 2, 0);
        v[k][1] = scenario_velocity(&s, 2, 2);
        v[k][2] = scenario_spin(&s, 2, 1);
        assert_true(tn_sim_contact_count(s.sim) > 0);
        scenario_close(&s);
    }
    double error[6];
    for (int k = 0; k < 6; k++) {
        error[k] = fmax(fabs(v[k][0] - v[6][0]), fmax(fabs(v[k][1] - v[6][1]), fabs(v[k][2] - v[6][2])));
        print_message("K = 1e%d N/m: velocities off by %.3e\n", 4 + k, error[k]);
    }
    check_near("order in 1 / K", log10(error[3] / error[4]), 1.0, 0.05);
    check_below("K = 1e9 N/m [m/s]", error[5], 1e-3);
}

// 21 disks on a plank, stacked like cannonballs: every contact's neighbours are ties of the pivoting. The LCP is solved
// at every step, to rounding.
static void test_cannonballs(void **unused)
{
    tn_error error = {0};
    tn_scene *scene = tn_scene_load(TENON_SOURCE_DIR "/scenes/lcp/disks21.yaml", 0, NULL, &error);
    if (!scene) {
        scenario_fail("scene", &error);
    }
    scenario s = scenario_start(scene, "disks21");
    double overlap = 0.0;
    int contacts = 0, most = 0;
    for (int k = 0; k < 200; k++) {
        scenario_step(&s);
        assert_true(s.report.solve.converged);
        contacts = s.report.n_contacts > contacts ? s.report.n_contacts : contacts;
        most = s.report.solve.iterations > most ? s.report.solve.iterations : most;
        overlap = fmax(overlap, s.report.solve.certificate.penetration);
    }
    print_message("at most %d contacts, %d pivots for each\n", contacts, most);
    check_below("natural map of the polyhedral law, worst step", s.worst_natural, 1e-10);
    check_below("deepest overlap [m]", overlap, 1e-10);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_r25_rimless_wheel),
        cmocka_unit_test(test_ellipse),
        cmocka_unit_test(test_inactive_contacts_stay_feasible),
        cmocka_unit_test(test_limit_of_the_penalty_step),
        cmocka_unit_test(test_cannonballs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
