// A scene from YAML text, run step by step: the frame of every physics test. Header-only, for cmocka programs.
#pragma once

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "tenon/scene.h"
#include "tenon/sim.h"

#include "sim/sim.h"
#include "test.h"

static const double GRAVITY = 9.81;
static const double PI = 3.14159265358979323846;

// Sanitizers look at memory and make steps ten times slower. The longest tests, of averages over many grains, take a
// tenth of their steps there and judge nothing but that every step was done: the plain build, which CI runs first, does
// the very same arithmetic to the end.
#ifdef TN_SANITIZED
enum { BRIEF = 1 };
#else
enum { BRIEF = 0 };
#endif

static inline double brief_time(double time)
{
    return BRIEF ? 0.1 * time : time;
}

typedef struct scenario {
    tn_model *model;
    tn_state *state;
    tn_sim *sim;
    tn_step_report report; // of the last step
    int most_solves;       // of a step
    double worst_natural;  // over all steps so far
    const tn_input *input; // of the next steps; NULL: none
} scenario;

static inline void scenario_fail(const char *what, const tn_error *error)
{
    char text[1200];
    print_error("%s: %s\n", what, tn_error_text(error, text, sizeof text));
    fail();
}

static inline tn_scene *scenario_parse(const char *format, va_list arguments)
{
    char *text = malloc(65536);
    assert_true(vsnprintf(text, 65536, format, arguments) < 65536);
    tn_error error = {0};
    tn_scene *scene = tn_scene_parse(text, "test", 0, NULL, &error);
    free(text);
    if (!scene) {
        scenario_fail("scene", &error);
    }
    return scene;
}

// Model, initial state and simulation of a scene, which it takes.
static inline scenario scenario_start(tn_scene *scene, const char *what)
{
    tn_error error = {0};
    scenario s = {.model = tn_model_create(scene, &error)};
    if (!s.model || !(s.state = tn_state_create(s.model, &error)) || !(s.sim = tn_sim_create(s.model, &error))) {
        scenario_fail(what, &error);
    }
    return s;
}

// printf-style YAML.
__attribute__((format(printf, 1, 2))) static inline scenario scenario_open(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tn_scene *scene = scenario_parse(format, arguments);
    va_end(arguments);
    return scenario_start(scene, "model");
}

static inline void scenario_close(scenario *s)
{
    tn_sim_destroy(s->sim);
    tn_state_destroy(s->state);
    tn_model_destroy(s->model);
}

static inline void scenario_step(scenario *s)
{
    tn_error error = {0};
    if (tn_sim_step(s->sim, s->input, s->state, &s->report, &error) != TN_OK) {
        scenario_fail("step", &error);
    }
    s->worst_natural = fmax(s->worst_natural, s->report.solve.certificate.natural);
    assert_true(s->report.solves <= TN_STEP_SOLVES); // whatever the scene
    s->most_solves = s->report.solves > s->most_solves ? s->report.solves : s->most_solves;
}

static inline void scenario_steps(scenario *s, int n)
{
    for (int k = 0; k < n; ++k) {
        scenario_step(s);
    }
}

static inline void scenario_run(scenario *s, double until)
{
    // Half a microsecond of slack: times are multiples of the step up to rounding.
    while (tn_state_time(s->state) < until - 5e-7) {
        scenario_step(s);
    }
}

static inline int scenario_body(const scenario *s, const char *name)
{
    int body = tn_model_find_body(s->model, name);
    assert_true(body > 0);
    return body;
}

static inline double scenario_position(const scenario *s, int body, int axis)
{
    double position[3], quaternion[4];
    tn_state_body_pose(s->state, body, position, quaternion);
    return position[axis];
}

static inline double scenario_velocity(const scenario *s, int body, int axis)
{
    double linear[3], angular[3];
    tn_state_body_velocity(s->state, body, linear, angular);
    return linear[axis];
}

static inline double scenario_spin(const scenario *s, int body, int axis)
{
    double linear[3], angular[3];
    tn_state_body_velocity(s->state, body, linear, angular);
    return angular[axis];
}

// Angle between the body's present and upright orientation [rad].
static inline double scenario_tilt(const scenario *s, int body)
{
    double position[3], q[4];
    tn_state_body_pose(s->state, body, position, q);
    double up = 1.0 - 2.0 * (q[1] * q[1] + q[2] * q[2]); // z component of the body's z axis
    return acos(fmax(-1.0, fmin(1.0, up)));
}

// Sum of contact forces on body b's contacts with a (world axes), a < b.
static inline void scenario_force(const scenario *s, int a, int b, double force[3])
{
    force[0] = force[1] = force[2] = 0.0;
    for (int i = 0; i < tn_sim_contact_count(s->sim); i++) {
        tn_contact_info c;
        tn_sim_contact(s->sim, i, &c);
        if (c.body_a == a && c.body_b == b) {
            for (int k = 0; k < 3; k++) {
                force[k] += c.force[k];
            }
        }
    }
}

// Kinetic energy and that of gravity [J], as the state is.
static inline double scenario_energy(const scenario *s)
{
    tn_energy e;
    tn_error error = {0};
    if (tn_state_energy(s->state, &e, &error) != TN_OK) {
        scenario_fail("energy", &error);
    }
    return e.kinetic + e.gravity;
}

// Print measured value, limit and where the limit is from; fail when |value - wanted| > limit.
static inline void check_near(const char *what, double value, double wanted, double limit)
{
    print_message("%-52s %.10g, wanted %.10g +- %.2g (off by %.2g)\n", what, value, wanted, limit,
                  fabs(value - wanted));
    if (!(fabs(value - wanted) <= limit)) {
        fail_msg("%s: %.17g is not within %g of %.17g", what, value, limit, wanted);
    }
}

static inline void check_below(const char *what, double value, double limit)
{
    print_message("%-52s %.4g, limit %.4g\n", what, value, limit);
    if (!(value <= limit)) {
        fail_msg("%s: %.17g exceeds %g", what, value, limit);
    }
}
