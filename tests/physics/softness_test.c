// Springs and dampers of every kind of joint row against the closed form of the implicit scheme, from soft to as good
// as rigid: one mass m at x under K, D and a constant force F,
//
//     m (v^ - v) = theta h (F - K (x + kappa h v^) - D v^),   x+ = x + h v^,
//
// theta = kappa = 1 for euler and implicit, 1/2 for midpoint, whose v+ = 2 v^ - v.
#include "scenario.h"

#include "state/state.h"

#include <string.h>

enum { STEPS = 50, STIFFNESSES = 6 };
static const double STIFFNESS[STIFFNESSES] = {1.0, 1e3, 1e6, 1e9, 1e12, 1e15};
static const double STEP = 1e-3, MASS = 1.0, FORCE = 10.0;
static const char *const SCHEMES[3] = {"euler", "midpoint", "implicit"};

// The reference. K = 1/c, so that nothing cancels however large it is.
typedef struct oscillator {
    double x, v, v_hat, c, D, F, share; // share: theta = kappa
} oscillator;

static void go(oscillator *o)
{
    double h = STEP, part = o->share * h, den = o->c * (MASS + part * o->D) + part * part;
    o->v_hat = (o->c * (MASS * o->v + part * o->F) - part * o->x) / den;
    if (o->share == 1.0) {
        o->x = o->c * ((MASS + h * o->D) * o->x + h * (MASS * o->v + h * o->F)) / den;
        o->v = o->v_hat;
    } else {
        o->x += h * o->v_hat;
        o->v = 2.0 * o->v_hat - o->v;
    }
}

// One degree of freedom along x, or about it, of a body of 1 kg and 1 kg m^2.
typedef struct row {
    const char *what, *joints; // printf: the stiffness and damping
    const char *bodies;        // NULL: `mass` alone
    bool turns;
    bool apart;   // starts at x = 0.1, else at 0
    bool limit;   // one-sided: x >= 0
    double first; // of two bodies: what the first one's x counts in x
} row;

#define ALONG "type: prismatic, axis: [1, 0, 0], point_a: [0, 0, 0], point_b: [0, 0, 0], b: mass"
#define ABOUT "type: revolute, axis: [1, 0, 0], b: mass"
#define APART "b: mass, point_a: [0, 0, 0], point_b: [0, 0, 0], slack: 1 m"
#define BALL "mass: 1, inertia: [1, 1, 1]"
static const row ROWS[] = {
    {"weld, points", "j: {type: weld, " APART ", stiffness: %.17g, damping: %.17g}", .apart = true},
    {"hinge, points", "j: {type: revolute, axis: [1, 0, 0], " APART ", stiffness: %.17g, damping: %.17g}",
     .apart = true},
    {"weld, turns", "j: {type: weld, b: mass, turn_stiffness: %.17g, turn_damping: %.17g}", .turns = true},
    {"distance",
     "j: {type: distance, b: mass, point_a: [-1, 0, 0], length: 1, slack: 1 m, stiffness: %.17g, damping: "
     "%.17g}",
     .apart = true},
    {"gear of slides",
     "s: {" ALONG "}\n  t: {type: prismatic, axis: [1, 0, 0], b: other}\n"
     "  j: {type: gear, joints: [t, s], ratio: 1, stiffness: %.17g, damping: %.17g}",
     "mass: {mass: 2, inertia: [1, 1, 1], velocity: [0.5, 0, 0], force: [10, 0, 0]}\n"
     "  other: {mass: 2, inertia: [1, 1, 1], velocity: [-0.5, 0, 0], force: [-10, 0, 0]}\n",
     .first = -1.0},
    {"gear of turns",
     "s: {" ABOUT "}\n  t: {type: revolute, axis: [1, 0, 0], b: other}\n"
     "  j: {type: gear, joints: [t, s], ratio: 1, turn_stiffness: %.17g, turn_damping: %.17g}",
     "mass: {mass: 1, inertia: [2, 2, 2], angular_velocity: [0.5, 0, 0], torque: [10, 0, 0]}\n"
     "  other: {mass: 1, inertia: [2, 2, 2], angular_velocity: [-0.5, 0, 0], torque: [-10, 0, 0]}\n",
     .turns = true, .first = -1.0},
    {"bushing", "j: {type: bushing, " APART ", stiffness: [%.17g, 7, 1e15], damping: [%.17g, 0, 1], turn_stiffness: 3}",
     .apart = true},
    {"bushing that turns", "j: {type: bushing, b: mass, turn_stiffness: [%.17g, 7, 1e15], turn_damping: [%.17g, 0, 1]}",
     .turns = true},
    {"spring", "j: {" ALONG ", slide: {stiffness: %.17g, damping: %.17g}}", .apart = true},
    {"motor", "j: {" ALONG ", slide: {motor: {position: 0, stiffness: %.17g, damping: %.17g}}}", .apart = true},
    {"motor that turns", "j: {" ABOUT ", turn: {motor: {position: 0, stiffness: %.17g, damping: %.17g}}}",
     .turns = true},
    {"limit", "j: {" ALONG ", slide: {limits: [-infinite, 0], limit_stiffness: %.17g, limit_damping: %.17g}}",
     .limit = true},
    {"limit that is passed at the start",
     "j: {" ALONG ", slide: {limits: [-infinite, 0], limit_stiffness: %.17g, limit_damping: %.17g}}", .apart = true,
     .limit = true},
    {"limit of a turn", "j: {" ABOUT ", turn: {limits: [-infinite, 0], limit_stiffness: %.17g, limit_damping: %.17g}}",
     .turns = true, .limit = true},
};
enum { N = sizeof ROWS / sizeof *ROWS };

static scenario open(const row *r, const char *scheme, double K, double D)
{
    char body[400], joints[800];
    snprintf(body, sizeof body, "mass: {" BALL ", position: [%g, 0, 0], %s: [1, 0, 0], %s: [%g, 0, 0]}\n",
             r->apart ? 0.1 : 0.0, r->turns ? "angular_velocity" : "velocity", r->turns ? "torque" : "force", FORCE);
    snprintf(joints, sizeof joints, r->joints, K, D);
    return scenario_open("gravity: [0, 0, 0]\nscheme: %s\nstep: %.17g\nprojection: 0\ncoordinates: maximal\nbodies:\n  "
                         "%s\njoints:\n  %s\n",
                         scheme, STEP, r->bodies ? r->bodies : body, joints);
}

static double angle(const scenario *s, int body)
{
    const double *q = s->state->pose[body].quaternion;
    return 2.0 * atan2(q[1], q[0]);
}

static double place(const scenario *s, const row *r)
{
    double own = r->turns ? angle(s, 1) : scenario_position(s, 1, 0);
    return r->first == 0.0 ? own : own + r->first * (r->turns ? angle(s, 2) : scenario_position(s, 2, 0));
}

static double speed(const scenario *s, const row *r)
{
    double own = r->turns ? scenario_spin(s, 1, 0) : scenario_velocity(s, 1, 0);
    return r->first == 0.0 ? own : own + r->first * (r->turns ? scenario_spin(s, 2, 0) : scenario_velocity(s, 2, 0));
}

// One-sided: where the spring and damper would pull, or the limit is not reached in the step, nothing acts. Before it
// is reached: R as ever, but with the room over h.
static void go_limited(oscillator *o)
{
    oscillator free = *o, soft = *o;
    free.c = 1.0, free.D = 0.0;
    double h = STEP, part = o->share * h;
    free.v_hat = o->v + part * o->F / MASS;
    if (o->x < 0.0) { // (m + part / R) (v^ - v_free) = -part/R (v_free + x/h), 1/R = (part + c D)/c
        double stiff = part * (part + o->c * o->D);
        free.v_hat -= fmax(0.0, stiff / (o->c * MASS + stiff) * (free.v_hat + o->x / h));
    } else {
        go(&soft);
        if (soft.v_hat < free.v_hat) {
            *o = soft;
            return;
        }
    }
    o->v_hat = free.v_hat;
    o->x += h * o->v_hat;
    o->v = o->share == 1.0 ? o->v_hat : 2.0 * o->v_hat - o->v;
}

// Largest difference from the reference of place and velocity, each relative to its largest value; of the place at
// least the way of a step, as v^ cannot be nearer than its rounding.
static double compare(const row *r, int scheme, double K, double D)
{
    scenario s = open(r, SCHEMES[scheme], K, D);
    oscillator o = {
        .x = r->apart ? 0.1 : 0.0, .v = 1.0, .c = 1.0 / K, .D = D, .F = FORCE, .share = scheme == 1 ? 0.5 : 1.0};
    double off[2] = {0.0, 0.0}, most[2] = {fabs(o.x), fabs(o.v)};
    for (int k = 0; k < STEPS; k++) {
        scenario_step(&s);
        (r->limit ? go_limited : go)(&o);
        off[0] = fmax(off[0], fabs(place(&s, r) - o.x));
        off[1] = fmax(off[1], fabs(speed(&s, r) - o.v));
        most[0] = fmax(most[0], fabs(o.x));
        most[1] = fmax(most[1], fabs(o.v));
    }
    scenario_close(&s);
    return fmax(off[0] / fmax(most[0], STEP * most[1]), off[1] / most[1]);
}

// midpoint keeps a stiff row ringing at ever higher speeds, where the solver's forces are exact to some 1e-9.
static const double LIMIT[3] = {1e-10, 1e-9, 1e-10};

static void rows_are_the_implicit_scheme(void **state)
{
    for (int i = 0; i < N; i++) {
        for (int scheme = 0; scheme < 3; scheme++) {
            double worst = 0.0;
            for (int k = 0; k < STIFFNESSES; k++) {
                double K = STIFFNESS[k];
                worst = fmax(worst, compare(&ROWS[i], scheme, K, 0.0));
                worst = fmax(worst, compare(&ROWS[i], scheme, K, 2.0 * sqrt(K * MASS)));
            }
            print_message("%-34s %-8s off by %.2g of the largest (limit %.0e)\n", ROWS[i].what, SCHEMES[scheme], worst,
                          LIMIT[scheme]);
            assert_true(worst <= LIMIT[scheme]);
        }
    }
}

// As K grows a soft row comes to the rigid one: what it gives way by under a force goes as 1/K, to rounding.
static void stiff_rows_tend_to_rigid_ones(void **state)
{
    for (int i = 0; i < N; i++) {
        if (ROWS[i].apart) {
            continue;
        }
        double last = NAN;
        for (double K = 1e8; K <= 1e15; K *= 10.0) {
            scenario s = open(&ROWS[i], "euler", K, 2.0 * sqrt(K * MASS));
            scenario_steps(&s, 400);
            double way = place(&s, &ROWS[i]);
            scenario_close(&s);
            double slope = log10(last / way), times = K * way / FORCE;
            print_message("%-20s K %.0e: gives way by %.6g, %.12g of F/K, slope %.10f\n", ROWS[i].what, K, way, times,
                          slope);
            // Angles are exact to 1e-16, where F/K is 1e-14.
            assert_true(fabs(times - 1.0) <= fmax(1e-6, 1e-15 / way));
            last = way;
        }
    }
}

// What is stored, lost and brought in adds up: exactly in midpoint; euler leaves its own terms of first order,
// h/2 (K x+ + D v+)(v+ - v) - 1/2 K (h v+)^2.
static void energy_adds_up(void **state)
{
    const double stiffness[3] = {1.0, 30.0, 300.0};
    for (int i = 0; i < N; i++) {
        for (int scheme = 0; scheme < 2; scheme++) {
            double worst = 0.0, lost = 0.0;
            for (int k = 0; k < 6; k++) {
                double K = stiffness[k / 2], D = k % 2 ? 2.0 * sqrt(K * MASS) : 0.0;
                scenario s = open(&ROWS[i], SCHEMES[scheme], K, D);
                bool motor = strstr(ROWS[i].what, "motor") != NULL;
                double x = place(&s, &ROWS[i]), v = speed(&s, &ROWS[i]);
                for (int n = 0; n < STEPS; n++) {
                    scenario_step(&s);
                    double x1 = place(&s, &ROWS[i]), v1 = speed(&s, &ROWS[i]), own = 0.0;
                    own += 0.5 * STEP * (K * x1 + D * v1) * (v1 - v) - 0.5 * K * STEP * STEP * v1 * v1;
                    worst = fmax(worst, fabs(s.report.energy.balance - (scheme == 0 && !motor ? own : 0.0)));
                    x = x1, v = v1;
                }
                if (!motor) {
                    double stored = 0.5 * K * x * x;
                    assert_true(fabs(s.report.energy.elastic - stored) <= 1e-12 * (1.0 + stored));
                    lost = D > 0.0 ? s.report.energy.dissipated : lost;
                    assert_true(D > 0.0 ? lost > 0.0 : fabs(s.report.energy.dissipated) <= 1e-12);
                }
                scenario_close(&s);
            }
            print_message("%-34s %-8s off by %.2g J a step (limit 1e-12)\n", ROWS[i].what, SCHEMES[scheme], worst);
            assert_true(worst <= 1e-12);
        }
    }
}

// A mass runs into a soft stop: it is never pulled, and no scheme makes energy, however stiff the stop.
static void soft_stops_push_only(void **state)
{
    for (int scheme = 0; scheme < 3; scheme++) {
        for (int k = 0; k < 2 * STIFFNESSES; k++) {
            double K = STIFFNESS[k / 2], D = k % 2 ? 2.0 * sqrt(K * MASS) : 0.0, least = 0.0, gained = 0.0;
            scenario s = scenario_open(
                "gravity: [0, 0, 0]\nscheme: %s\nstep: %.17g\nbodies:\n  mass: {" BALL ", velocity: [-1, 0, 0]}\n"
                "joints: {j: {" ALONG ", slide: {limits: [-0.0105, infinite], limit_stiffness: %.17g, "
                "limit_damping: %.17g}}}\n",
                SCHEMES[scheme], STEP, K, D);
            double first = 0.5 * MASS, before = 0.0;
            for (int n = 0; n < 10 || (n < 4000 && scenario_position(&s, 1, 0) < 0.0); n++) {
                scenario_step(&s);
                tn_joint_info info;
                tn_sim_joint(s.sim, s.state, 0, &info);
                least = fmin(least, info.effort[0]);
                before += n < 10 ? fabs(info.effort[0]) : 0.0;
                const tn_energy *e = &s.report.energy;
                gained = fmax(gained, e->kinetic + e->elastic + e->dissipated - first);
            }
            print_message("%-8s K %.0e D %.2g: least force %g N, energy gained %.2g J (limit 1e-9), out at %.6f m/s\n",
                          SCHEMES[scheme], K, D, least, gained, scenario_velocity(&s, 1, 0));
            assert_true(least >= 0.0 && before == 0.0 && gained <= 1e-9);
            scenario_close(&s);
        }
    }
}

// A servo follows f = K (target - q) + D (target' - q') at the step's end, no further than its strength; one of a rate
// f = D (target - q').
static void servos_follow(void **state)
{
    const double strengths[2] = {INFINITY, 30.0};
    for (int i = 0; i < 3; i++) {
        char motor[200], strength[40] = "infinite";
        double K = i < 2 ? 1e4 : 0.0, D = 50.0, most = strengths[i % 2], h = STEP, x = 0.0, v = 0.0, worst = 0.0;
        if (most < INFINITY) {
            snprintf(strength, sizeof strength, "%g", most);
        }
        snprintf(motor, sizeof motor,
                 i < 2 ? "position: 0.1*sin(20*t), stiffness: %g, damping: %g" : "velocity: %g + 3*t, damping: %g",
                 i < 2 ? K : 1.0, D);
        scenario s = scenario_open("gravity: [0, 0, 0]\nscheme: euler\nstep: %.17g\nbodies: {mass: {" BALL "}}\n"
                                   "joints: {j: {" ALONG ", slide: {motor: {%s, strength: %s}}}}\n",
                                   h, motor, strength);
        int saturated = 0;
        for (int n = 0; n < 200; n++) {
            double t = n * h, goal = 0.1 * sin(20.0 * (t + h)), rate = (goal - 0.1 * sin(20.0 * t)) / h;
            rate = i < 2 ? rate : 1.0 + 3.0 * (t + 0.5 * h);
            double after = (MASS * v + h * (K * (goal - x) + D * rate)) / (MASS + h * D + h * h * K);
            double f = fmax(-most, fmin(most, MASS * (after - v) / h));
            v += h * f / MASS;
            x += h * v;
            scenario_step(&s);
            tn_joint_info info;
            tn_sim_joint(s.sim, s.state, 0, &info);
            worst = fmax(worst, fabs(scenario_position(&s, 1, 0) - x) + 1e-3 * fabs(info.effort[0] - f));
            assert_true((info.condition[0] == TN_JOINT_SATURATED) == (fabs(f) == most));
            saturated += fabs(f) == most;
        }
        print_message("%s, strength %s: saturated in %d steps of 200, off by %.2g (limit 1e-12)\n", motor, strength,
                      saturated, worst);
        assert_true(worst <= 1e-12 && (saturated > 0) == (most < INFINITY && i < 2));
        scenario_close(&s);
    }
}

// (m 1 + theta h D + theta kappa h^2 K) v^ = m v + theta h (F - K x), three by three, by elimination.
static void go_coupled(double share, const double *K, const double *D, const double *F, double *x, double *v)
{
    double h = STEP, part = share * h, A[3][4];
    for (int i = 0; i < 3; i++) {
        A[i][3] = MASS * v[i] + part * F[i];
        for (int j = 0; j < 3; j++) {
            A[i][j] = (i == j ? MASS : 0.0) + part * D[3 * i + j] + part * part * K[3 * i + j];
            A[i][3] -= part * K[3 * i + j] * x[j];
        }
    }
    for (int k = 0; k < 3; k++) { // positive definite: no pivots
        for (int i = 0; i < 3; i++) {
            double factor = A[i][k] / A[k][k];
            for (int j = k; j < 4 && i != k; j++) {
                A[i][j] -= factor * A[k][j];
            }
        }
    }
    for (int i = 0; i < 3; i++) {
        double hat = A[i][3] / A[i][i];
        x[i] += h * hat;
        v[i] = share == 1.0 ? hat : 2.0 * hat - v[i];
    }
}

// Springs and dampers of a bushing that do not lie along the same directions.
static void bushings_couple(void **state)
{
    const double K[9] = {500.0, 200.0, -100.0, 200.0, 300.0, 50.0, -100.0, 50.0, 400.0};
    const double D[9] = {4.0, -1.0, 0.0, -1.0, 2.0, 1.0, 0.0, 1.0, 1.0}, F[3] = {1.0, 2.0, -3.0};
    for (int scheme = 0; scheme < 3; scheme++) {
        scenario s = scenario_open(
            "gravity: [0, 0, 0]\nscheme: %s\nstep: %.17g\nbodies:\n"
            "  mass: {" BALL ", position: [0.1, 0.2, 0], velocity: [0, 0, 1], force: [1, 2, -3]}\n"
            "joints:\n  j: {type: bushing, " APART ",\n"
            "    stiffness: [500, 200, -100, 200, 300, 50, -100, 50, 400], damping: [4, -1, 0, -1, 2, 1, 0, 1, 1]}\n",
            SCHEMES[scheme], STEP);
        double x[3] = {0.1, 0.2, 0.0}, v[3] = {0.0, 0.0, 1.0}, worst = 0.0, balance = 0.0, stored = 0.0;
        for (int n = 0; n < STEPS; n++) {
            go_coupled(scheme == 1 ? 0.5 : 1.0, K, D, F, x, v);
            scenario_step(&s);
            balance = fmax(balance, fabs(s.report.energy.balance));
            for (int i = 0; i < 3; i++) {
                worst = fmax(worst, fabs(scenario_position(&s, 1, i) - x[i]));
                worst = fmax(worst, fabs(scenario_velocity(&s, 1, i) - v[i]));
            }
        }
        for (int i = 0; i < 9; i++) {
            stored += 0.5 * x[i / 3] * K[i] * x[i % 3];
        }
        tn_joint_info info;
        tn_sim_joint(s.sim, s.state, 0, &info);
        for (int i = 0; i < 3 && scheme == 0; i++) {
            double f = 0.0;
            for (int j = 0; j < 3; j++) {
                f -= K[3 * i + j] * x[j] + D[3 * i + j] * v[j];
            }
            check_near("force", info.force[i], f, 1e-10 * 500.0);
        }
        check_near("stored", s.report.energy.elastic, stored, 1e-12);
        check_near("largest violation", info.violation[0], fmax(fabs(x[0]), fmax(fabs(x[1]), fabs(x[2]))), 1e-12);
        assert_true(s.report.energy.dissipated > 0.0 && (scheme != 1 || balance < 1e-12));
        print_message("%-8s off by %.2g (limit 1e-12), energy by %.2g J a step\n", SCHEMES[scheme], worst, balance);
        assert_true(worst <= 1e-12);
        scenario_close(&s);
    }
}

// A screw: a spring between the way along x and the turn about it.
static void bushings_couple_turns(void **state)
{
    const double K[9] = {500.0, 100.0, 0.0, 100.0, 80.0, 0.0, 0.0, 0.0, 0.0}, D[9] = {2.0, [4] = 1.0};
    const double F[3] = {0.0, 0.0, 0.0};
    scenario s = scenario_open("gravity: [0, 0, 0]\nscheme: euler\nstep: %.17g\nbodies:\n"
                               "  mass: {" BALL ", position: [0.1, 0, 0], angular_velocity: [1, 0, 0]}\n"
                               "joints:\n  j: {type: bushing, " APART ", damping: [2, 0, 0], turn_damping: [1, 0, 0],\n"
                               "    stiffness_matrix: [500, 0, 0, 100, 0, 0,  0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0,\n"
                               "                       100, 0, 0, 80, 0, 0,  0, 0, 0, 0, 0, 0,  0, 0, 0, 0, 0, 0]}\n",
                               STEP);
    double x[3] = {0.1, 0.0, 0.0}, v[3] = {0.0, 1.0, 0.0}, worst = 0.0;
    for (int n = 0; n < STEPS; n++) {
        go_coupled(1.0, K, D, F, x, v);
        scenario_step(&s);
        worst = fmax(worst, fabs(scenario_position(&s, 1, 0) - x[0]));
        worst = fmax(worst, fabs(angle(&s, 1) - x[1]));
    }
    tn_joint_info info;
    tn_sim_joint(s.sim, s.state, 0, &info);
    check_near("force", info.force[0], -500.0 * x[0] - 100.0 * x[1] - 2.0 * v[0], 1e-10);
    check_near("torque", info.torque[0], -100.0 * x[0] - 80.0 * x[1] - v[1], 1e-10);
    check_below("off", worst, 1e-12);
    scenario_close(&s);
}

// Dampers alone take angular velocity, as far as the body has turned; a spring is at rest where `turned` says.
static void dampers_forget_turns(void **state)
{
    const double I = 0.4, D = 2.0, K = 30.0;
    scenario s = scenario_open("gravity: [0, 0, 0]\nscheme: euler\nstep: 1 ms\nbodies:\n"
                               "  mass: {mass: 1, inertia: [0.4, 0.4, 0.4], angular_velocity: [0, 3, 0]}\n"
                               "joints:\n  j: {type: bushing, b: mass, turn_damping: 2, turned: [2.5, 0, 0]}\n");
    double rate = 3.0;
    for (int n = 0; n < 100; n++) {
        scenario_step(&s);
        rate /= 1.0 + 1e-3 * D / I;
    }
    check_near("rate across the turn [rad/s]", scenario_spin(&s, 1, 1), rate, 1e-9);
    scenario_close(&s);
    s = scenario_open("gravity: [0, 0, 0]\nscheme: euler\nstep: 1 ms\nbodies:\n"
                      "  mass: {mass: 1, inertia: [0.4, 0.4, 0.4]}\n"
                      "joints:\n  j: {type: bushing, b: mass, turn_stiffness: 30, turned: [0.6, -1.2, 0.9]}\n");
    scenario_step(&s);
    double most = 0.5 * K * (0.36 + 1.44 + 0.81), turn = 0.6 / (1.0 + 1e-6 * K / I);
    check_near("turned about x after a step [rad]", 0.6 + 1e-3 * scenario_spin(&s, 1, 0), turn, 1e-9);
    check_near("energy of the spring [J]", s.report.energy.elastic, most * turn * turn / 0.36, 1e-6);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_are_the_implicit_scheme),
        cmocka_unit_test(stiff_rows_tend_to_rigid_ones),
        cmocka_unit_test(energy_adds_up),
        cmocka_unit_test(soft_stops_push_only),
        cmocka_unit_test(servos_follow),
        cmocka_unit_test(bushings_couple),
        cmocka_unit_test(bushings_couple_turns),
        cmocka_unit_test(dampers_forget_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
