// Distances round a drum: a pendulum whose rope winds up on a cylinder or a sphere against its equation of motion, and
// momentum where both ends and the drum are free.
#include "math/vec3.h"
#include "scenario.h"

static const double G = 9.81, R = 0.3, L0 = 1.0, FI = 0.2, END = 0.4;

// The angle from the drum's top at which the rope leaves it, l its free part: (l fi') l = ..., that is
// l fi'' = R fi'^2 + G cos fi, l = L0 - R fi. By Runge and Kutta.
static void slope(const double y[2], double out[2])
{
    out[0] = y[1];
    out[1] = (R * y[1] * y[1] + G * cos(y[0])) / (L0 - R * y[0]);
}

static double wound(void)
{
    double y[2] = {FI, 0.0};
    const int n = 4000;
    for (int i = 0; i < n; i++) {
        double k[4][2], at[2], h = END / n;
        const double part[4] = {0.0, 0.5, 0.5, 1.0};
        for (int s = 0; s < 4; s++) {
            for (int j = 0; j < 2; j++) {
                at[j] = y[j] + (s > 0 ? part[s] * h * k[s - 1][j] : 0.0);
            }
            slope(at, k[s]);
        }
        for (int j = 0; j < 2; j++) {
            y[j] += h / 6.0 * (k[0][j] + 2.0 * k[1][j] + 2.0 * k[2][j] + k[3][j]);
        }
    }
    return y[0];
}

static void place(double fi, double out[3])
{
    tn_vec3_set(out, R * sin(fi) + (L0 - R * fi) * cos(fi), 0.0, R * cos(fi) - (L0 - R * fi) * sin(fi));
}

// How far the bob is off after END.
static double off(const char *scheme, const char *axis, double h)
{
    double x[3], q[4], wanted[3], start[3];
    place(FI, start);
    scenario s = scenario_open("scheme: %s\nstep: %.17g\nsolver: {accuracy: tight}\nbodies:\n"
                               "  bob: {mass: 2, inertia: [0.1, 0.1, 0.1], position: [%.17g, 0, %.17g]}\njoints:\n"
                               "  rope: {type: distance, point_a: [-0.5, 0, 0.3], b: bob, round: {radius: 0.3%s}}\n",
                               scheme, h, start[0], start[2], axis);
    scenario_steps(&s, (int)(END / h + 0.5));
    place(wound(), wanted);
    tn_state_body_pose(s.state, scenario_body(&s, "bob"), x, q);
    tn_vec3_sub(x, x, wanted);
    scenario_close(&s);
    return tn_vec3_norm(x);
}

static void ropes_wind_up(void **unused)
{
    const char *const axes[] = {", side: [0, 0, 1]", ", axis: [0, 3, 0], side: [1, 5, 2]"};
    for (int k = 0; k < 2; k++) {
        double one = off("euler", axes[k], 1e-3), half = off("euler", axes[k], 5e-4);
        check_near("order of euler", log2(one / half), 1.0, 0.1);
        check_below("off at 0.5 ms [m]", half, 1e-3);
        one = off("midpoint", axes[k], 4e-3), half = off("midpoint", axes[k], 2e-3);
        check_near("order of midpoint", log2(one / half), 2.0, 0.1);
        check_below("off at 2 ms [m]", half, 1e-5);
    }
}

// Momenta of all bodies, whose moments of inertia are 0.2, 0.3 in all directions.
static void momenta(const scenario *s, double linear[3], double angular[3])
{
    static const double mass[] = {2.0, 3.0}, moment[] = {0.2, 0.3};
    tn_vec3_set(linear, 0.0, 0.0, 0.0);
    tn_vec3_set(angular, 0.0, 0.0, 0.0);
    for (int i = 0; i < 2; i++) {
        double x[3], q[4], v[3], w[3], moved[3];
        tn_state_body_pose(s->state, i + 1, x, q);
        tn_state_body_velocity(s->state, i + 1, v, w);
        tn_vec3_cross(moved, x, v);
        tn_vec3_madd(linear, linear, mass[i], v);
        tn_vec3_madd(angular, angular, mass[i], moved);
        tn_vec3_madd(angular, angular, moment[i], w);
    }
}

static void momentum_stays(void **unused)
{
    double before[2][3], after[2][3];
    scenario s = scenario_open(
        "scheme: midpoint\ngravity: [0, 0, 0]\nstep: 1 ms\nsolver: {accuracy: tight}\nbodies:\n"
        "  reel: {mass: 2, inertia: [0.2, 0.2, 0.2], angular_velocity: [0.5, 3, 1]}\n"
        "  bob: {mass: 3, inertia: [0.3, 0.3, 0.3], position: [1, 0.2, -0.8], velocity: [0, 0, -1]}\njoints:\n"
        "  rope: {type: distance, a: reel, point_a: [-0.5, 0, 0.3], b: bob, point_b: [0, 0.2, 0.1],\n"
        "         round: {radius: 0.25, axis: [0.1, 1, 0], center: [0, 0, 0.05], side: [0, 0, 1]},\n"
        "         slide: {stiffness: 100, rest: 1.2}}\n");
    momenta(&s, before[0], before[1]);
    double lost = 0.0;
    for (int n = 0; n < 400; n++) {
        scenario_step(&s);
        lost = fmax(lost, fabs(s.report.energy.balance));
    }
    momenta(&s, after[0], after[1]);
    for (int k = 0; k < 2; k++) {
        tn_vec3_sub(after[k], after[k], before[k]);
        check_below(k ? "angular momentum lost [N m s]" : "momentum lost [N s]", tn_vec3_norm(after[k]),
                    k ? 1e-4 : 1e-12);
    }
    check_below("energy that a step loses or gains, of 18 J [J]", lost, 1e-3);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ropes_wind_up), cmocka_unit_test(momentum_stays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
