// Islands: a heap, a jointed figure and a soft ball in one scene beside each alone; twenty heaps and twenty figures on
// two threads; a heap that sleeps until a ball wakes it.
#include "peers.h"
#include "rigid.h"

#include "base/timer.h"
#include "tenon/scene.h"

#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1 << 17, STEPS = 400, GROUPS = 20 };

typedef struct text {
    char bodies[TEXT], joints[TEXT], rest[1024];
} text;

__attribute__((format(printf, 2, 3))) static void add(char *to, const char *format, ...)
{
    size_t n = strlen(to);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(to + n, TEXT - n, format, arguments);
    va_end(arguments);
}

static void add_heap(text *s, int number, const char *count, double x)
{
    add(s->bodies,
        "  heap%d: {position: [%g, -0.6, 0.15], shape: {box: [0.2, 0.2, 0.2]},\n"
        "    array: {count: %s, spacing: [0.24, 0.24, 0.23], jitter: 1 cm, rotation_jitter: 8 deg}}\n",
        number, x, count);
}

// Of scenes/joints/ragdoll.yaml: trunk, head, two arms, hands, thighs and shins.
static void add_figure(text *s, int i, double x)
{
    add(s->bodies,
        "  trunk%d: {position: [%g, 0, 1.6], angular_velocity: [0.5, 2, 0.3], shape: {box: [0.22, 0.34, 0.55]}}\n", i,
        x);
    add(s->bodies, "  head%d: {position: [%g, 0, 2.03], shape: {sphere: 0.12}}\n", i, x);
    add(s->joints,
        "  neck%d: {type: universal, a: trunk%d, b: head%d, anchor: [%g, 0, 1.89], axis: [0, 1, 0], axis2: [1, 0, 0],\n"
        "    turn: {limits: [-40 deg, 40 deg], friction: 1}, turn2: {limits: [-30 deg, 30 deg], friction: 1}}\n",
        i, i, i, x);
    for (int side = -1; side <= 1; side += 2) {
        char c = side < 0 ? 'r' : 'l';
        const char *turned = "rotation: {axis: [1, 0, 0], angle: 90 deg}";
        add(s->bodies, "  arm%d%c: {position: [%g, %g, 1.8], shape: {capsule: {radius: 5 cm, length: 0.28}, %s}}\n", i,
            c, x, 0.39 * side, turned);
        add(s->bodies, "  hand%d%c: {position: [%g, %g, 1.8], shape: {capsule: {radius: 4 cm, length: 0.25}, %s}}\n", i,
            c, x, 0.74 * side, turned);
        add(s->bodies, "  thigh%d%c: {position: [%g, %g, 1.09], shape: {capsule: {radius: 7 cm, length: 0.3}}}\n", i, c,
            x, 0.1 * side);
        add(s->bodies, "  shin%d%c: {position: [%g, %g, 0.66], shape: {capsule: {radius: 5 cm, length: 0.3}}}\n", i, c,
            x, 0.1 * side);
        add(s->joints, "  shoulder%d%c: {type: spherical, a: trunk%d, b: arm%d%c, anchor: [%g, %g, 1.8]}\n", i, c, i, i,
            c, x, 0.2 * side);
        add(s->joints,
            "  elbow%d%c: {type: revolute, a: arm%d%c, b: hand%d%c, anchor: [%g, %g, 1.8], axis: [0, 0, %d],\n"
            "    turn: {limits: [0 deg, 140 deg], friction: 0.5}}\n",
            i, c, i, c, i, c, x, 0.58 * side, side);
        add(s->joints,
            "  hip%d%c: {type: universal, a: trunk%d, b: thigh%d%c, anchor: [%g, %g, 1.3], axis: [0, 1, 0],\n"
            "    axis2: [%d, 0, 0], turn: {limits: [-110 deg, 30 deg], friction: 2},\n"
            "    turn2: {limits: [-20 deg, 50 deg], friction: 2}}\n",
            i, c, i, i, c, x, 0.1 * side, side);
        add(s->joints,
            "  knee%d%c: {type: revolute, a: thigh%d%c, b: shin%d%c, anchor: [%g, %g, 0.875], axis: [0, 1, 0],\n"
            "    turn: {limits: [0 deg, 140 deg], friction: 1}}\n",
            i, c, i, c, i, c, x, 0.1 * side);
    }
}

static void add_ball(text *s)
{
    add(s->rest, "soft:\n  ball: {ball: {radius: 0.05, divisions: 7}, position: [0, 10, 0.08], material: m,\n"
                 "    young: 1 MPa, poisson: 0.35, damping: {stiffness: 0.2 ms}}\n");
}

typedef struct world {
    tn_model *model;
    tn_state *state;
    tn_sim *sim;
    tn_step_report report;
} world;

// The margin is given, since what is automatic looks at the smallest shape of the scene.
static bool open_world(const text *s, int threads, const char *sleep, world *out)
{
    char *all = malloc(2 * TEXT + 4096);
    tn_error error = {0};
    snprintf(
        all, 2 * TEXT + 4096,
        "step: 5 ms\nmargin: 2 mm\nseed: 7\nsolver: {threads: %d}\n%smaterials: {m: {density: 500, friction: 0.5}}\n"
        "defaults: {body: {material: m}}\nbodies:\n  floor: {fixed: true, shape: {plane: {}}}\n%s%s%s%s",
        threads, sleep, s->bodies, s->joints[0] ? "joints:\n" : "", s->joints, s->rest);
    tn_scene *scene = tn_scene_parse(all, NULL, 0, NULL, &error);
    free(all);
    *out = (world){.model = scene ? tn_model_create(scene, &error) : NULL};
    out->state = out->model ? tn_state_create(out->model, &error) : NULL;
    out->sim = out->state ? tn_sim_create(out->model, &error) : NULL;
    if (!out->sim) {
        fprintf(stderr, "tenon-bench: islands: line %d: %s\n", error.line, error.message);
    }
    return out->sim != NULL;
}

static void close_world(world *w)
{
    tn_sim_destroy(w->sim);
    tn_state_destroy(w->state);
    tn_model_destroy(w->model);
}

static bool step_world(world *w)
{
    tn_error error = {0};
    bool ok = tn_sim_step(w->sim, NULL, w->state, &w->report, &error) == TN_OK;
    if (!ok) {
        fprintf(stderr, "tenon-bench: islands: %s\n", error.message);
    }
    return ok;
}

// ---- in company

static bool company(int n_steps, table *t)
{
    enum { WORLDS = 4 };
    static const char *const names[WORLDS] = {"heap of 200 boxes", "jointed figure", "soft ball", "all in one scene"};
    static text s[WORLDS];
    world w[WORLDS] = {{.sim = NULL}};
    double seconds[WORLDS] = {0.0};
    memset(s, 0, sizeof s);
    for (int i = 0; i < WORLDS; i += 3) {
        add_heap(&s[i], 0, "[5, 5, 8]", -0.6);
        add_figure(&s[i ? i : 1], 0, 10.0);
        add_ball(&s[i ? i : 2]);
    }
    bool ok = true;
    for (int i = 0; i < WORLDS && ok; i++) {
        ok = open_world(&s[i], 1, "", &w[i]);
    }
    for (int k = 0; k < n_steps && ok; k++) {
        for (int i = 0; i < WORLDS && ok; i++) {
            double start = peer_seconds();
            ok = step_world(&w[i]);
            seconds[i] += peer_seconds() - start;
        }
    }
    for (int i = 0; i < WORLDS; i++) {
        if (ok) {
            table_word(t, "%s", names[i]);
            table_number(t, "%.3f", 1e3 * seconds[i] / n_steps);
            table_number(t, "%.3f", i < 3 ? NAN : seconds[3] / (seconds[0] + seconds[1] + seconds[2]));
            table_row(t);
        }
        close_world(&w[i]);
    }
    return ok;
}

// ---- threads

static bool threads(const char *name, bool figures, int n_steps, table *t)
{
    static text s;
    world one, two = {.sim = NULL};
    static double a[STEPS], b[STEPS], ratio[STEPS];
    memset(&s, 0, sizeof s);
    for (int i = 0; i < GROUPS; i++) {
        if (figures) {
            add_figure(&s, i, 3.0 * i);
        } else {
            add_heap(&s, i, "[3, 2, 5]", 3.0 * i);
        }
    }
    bool ok = open_world(&s, 1, "", &one) && open_world(&s, 2, "", &two);
    for (int k = 0; k < n_steps && ok; k++) {
        double start = tn_timer_now();
        ok = step_world(&one);
        double between = tn_timer_now();
        ok = ok && step_world(&two);
        a[k] = 1e3 * (between - start);
        b[k] = 1e3 * (tn_timer_now() - between);
        ratio[k] = a[k] / b[k];
    }
    if (ok) {
        table_word(t, "%s", name);
        table_number(t, "%.3f", bench_median(n_steps, a));
        table_number(t, "%.3f", bench_median(n_steps, b));
        table_number(t, "%.2f", bench_median(n_steps, ratio));
        table_row(t);
    }
    close_world(&one);
    close_world(&two);
    return ok;
}

// ---- sleep

// Ten layers that lock into one heap, and a ball on its way down while they sleep.
static bool sleep_and_wake(table *t)
{
    enum { MOST = 1500 };
    static text s;
    world w = {.sim = NULL};
    static double awake[MOST], asleep[MOST];
    int n_awake = 0, n_asleep = 0, woken = -1, ball;
    memset(&s, 0, sizeof s);
    for (int side = 0; side < 4; side++) {
        add(s.bodies, "  wall%d: {fixed: true, position: [%g, %g, 1], shape: {box: [%g, %g, 2]}}\n", side,
            side < 2 ? 1.25 * (2 * side - 1) : 0.0, side < 2 ? 0.0 : 1.25 * (2 * side - 5), side < 2 ? 0.1 : 2.6,
            side < 2 ? 2.6 : 0.1);
    }
    add(s.bodies, "  box: {position: [-1.06, -1.06, 0.15], shape: {box: [0.2, 0.2, 0.2]}, array: {count: [10, 10, 5],\n"
                  "    spacing: [0.224, 0.224, 0.46], jitter: 2 mm, rotation_jitter: 4 deg}}\n"
                  "  odd: {position: [-0.95, -0.95, 0.38], shape: {box: [0.2, 0.2, 0.2]}, array: {count: [10, 10, 5],\n"
                  "    spacing: [0.224, 0.224, 0.46], jitter: 2 mm, rotation_jitter: 4 deg}}\n"
                  "  ball: {position: [0, 0, 45], shape: {sphere: 0.2}}\n");
    bool ok = open_world(&s, 1, "sleep: {after: 0.3 s, speed: 2 cm/s, spin: 0.1 rad/s}\n", &w);
    for (int k = 0; k < MOST && ok && woken < 0; k++) {
        double start = peer_seconds();
        ok = step_world(&w);
        double ms = 1e3 * (peer_seconds() - start);
        if (w.report.n_asleep == 1000) {
            asleep[n_asleep++] = ms;
        } else if (n_asleep == 0) {
            awake[n_awake++] = ms;
        } else {
            woken = k;
        }
    }
    ball = ok ? tn_model_find_body(w.model, "ball") : 0;
    if (ok) {
        double position[3], quaternion[4];
        tn_state_body_pose(w.state, ball, position, quaternion);
        table_number(t, "%.2f", bench_median(n_awake, awake));
        table_number(t, "%.4f", n_asleep > 0 ? bench_median(n_asleep, asleep) : NAN);
        table_number(t, "%.0f", n_asleep);
        table_number(t, "%.2f", woken >= 0 ? position[2] : NAN);
        table_row(t);
    }
    close_world(&w);
    return ok && n_asleep > 0 && woken >= 0;
}

int rigid_islands(const bench_options *options, table *t)
{
    int n = options->quick ? 100 : STEPS, failures = 0;
    table_open(t, "rigid: alone and in company, 5 ms, one thread, processor time", 3,
               (const char *[]){"scene", "ms a step (mean)", "of the sum alone"});
    failures += !company(n, t);
    table_note(t, "%d steps, in turns", n);
    table_close(t);
    table_open(t, "rigid: twenty islands on two threads, wall time", 4,
               (const char *[]){"islands", "one thread ms", "two threads ms", "times (median)"});
    failures += !threads("20 heaps of 30 boxes", false, n, t);
    failures += !threads("20 jointed figures", true, n, t);
    table_note(t, "%d steps, in turns; other programs on the machine count", n);
    table_close(t);
    table_open(t, "rigid: a heap of 1000 boxes that sleeps, one thread, processor time", 4,
               (const char *[]){"awake ms (median)", "asleep ms (median)", "steps asleep", "woken by a ball at [m]"});
    failures += !sleep_and_wake(t);
    table_close(t);
    return failures;
}
