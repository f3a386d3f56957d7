// Robots: the same MJCF files here and in MuJoCo, as plain steps a second and as simulated seconds a second at the same
// error (robots_even.c). Each side's error is the distance of its bodies from its own run with a far smaller step,
// since soft and rigid contacts do not end at the same place; how far those two are apart is said too.
#include "robots.h"

#include "bench.h"
#include "peer_robot.h"
#include "peers.h"
#include "tenon/scene.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { FINEST = 16, WARM = 10, REPEATS = 3, BODIES = 64 };
// Longest step, halved from there on; that of heaps; time between looks at bodies [s].
static const double COARSEST = 40e-3, HEAP = 5e-3, LOOK = 0.2;

typedef struct robot {
    const char *name, *file;
    double duration; // [s]
    double (*command)(const char *joint, double t);
    int heap;  // so many of them; 0: one
    bool even; // errors are compared too
} robot;

static double stay(const char *joint, double t)
{
    return 0.0;
}

// Each joint of the arm swings by its own period.
static double swing(const char *joint, double t)
{
    int number = 0;
    return sscanf(joint, "joint%d", &number) == 1 ? 0.3 * sin((1.0 + 0.3 * number) * t) : 0.0;
}

// Diagonal legs together, two steps a second: the knee draws in while the hip swings forward.
static double trot(const char *joint, double t)
{
    bool first = strncmp(joint, "FR", 2) == 0 || strncmp(joint, "RL", 2) == 0;
    double phase = 2.0 * acos(-1.0) * 2.0 * t + (first ? 0.0 : acos(-1.0)), ramp = fmin(t / 0.2, 1.0);
    double up = fmax(sin(phase), 0.0);
    return strstr(joint, "_knee")  ? -0.4 * ramp * up
           : strstr(joint, "_hip") ? ramp * (0.2 * up - 0.15 * cos(phase))
                                   : 0.0;
}

static const robot ROBOTS[] = {
    {"arm", "panda.xml", 1.0, swing, 0, true},
    {"humanoid", "humanoid.xml", 2.0, stay, 0, true},
    {"quadruped", "quadruped.xml", 1.0, trot, 0, true},
    {"heap", "humanoid.xml", 1.2, stay, 100, false},
};

// One side's run at one step.
typedef struct run {
    bool ok;
    double step, us, contacts; // us: thread time of a step, mean without the first ones [us]
    int n_looks;
    double *place; // (n_looks, BODIES, 3)
} run;

typedef struct side {
    const char *name;
    bool tight;
    run at[ROBOTS_STEPS], finest;
} side;

typedef struct stage {
    const robot *robot;
    char path[4096];
    int n_bodies;
    const char *body[BODIES];
    tn_model *model; // whose names they are
    bool quick;
} stage;

// ---- ours

static tn_model *load(const char *path, double h)
{
    char step[64], message[1200];
    snprintf(step, sizeof step, "step=%.17g", h);
    tn_error error = {0};
    tn_scene *scene = tn_scene_load(path, 3, (const char *[]){"coordinates=reduced", "solver.threads=1", step}, &error);
    tn_model *model = scene ? tn_model_create(scene, &error) : NULL;
    if (!model) {
        fprintf(stderr, "tenon-bench: %s\n", tn_error_text(&error, message, sizeof message));
    }
    return model;
}

// Targets of all coordinates that have a motor; NaN: the scene's.
static void aim(const robot *r, const tn_model *model, double t, double *target)
{
    for (int j = 0; j < tn_model_joint_count(model); j++) {
        for (int k = 0; k < tn_model_joint_coordinate_count(model, j); k++) {
            double way = r->command(tn_model_joint_name(model, j), t);
            target[tn_model_first_coordinate(model, j) + k] = way != 0.0 ? way : (double)NAN;
        }
    }
}

static void look(const stage *s, const tn_model *model, const tn_state *state, double *place)
{
    for (int b = 0; b < s->n_bodies; b++) {
        double turn[4];
        tn_state_body_pose(state, tn_model_find_body(model, s->body[b]), place + 3 * b, turn);
    }
}

static bool play(const stage *s, const peer_robot *p, double *seconds, double *place, double *contacts)
{
    tn_error error = {0};
    tn_model *model = load(p->path, p->step);
    tn_state *state = model ? tn_state_create(model, &error) : NULL;
    tn_sim *sim = state ? tn_sim_create(model, &error) : NULL;
    double *target = sim ? calloc((size_t)tn_model_coordinate_count(model) + 1, sizeof *target) : NULL;
    tn_status status = target ? TN_OK : TN_NO_MEMORY;
    *contacts = 0.0;
    for (int k = 0; status == TN_OK && k < p->n_steps; k++) {
        tn_step_report report;
        double start = peer_seconds();
        aim(s->robot, model, (k + 1) * p->step, target);
        status = tn_sim_step(sim, &(tn_input){.target = target}, state, &report, &error);
        seconds[k] = peer_seconds() - start;
        *contacts += (double)tn_sim_contact_count(sim) / p->n_steps;
        if ((k + 1) % p->every == 0) {
            look(s, model, state, place + 3 * (size_t)p->n_bodies * (size_t)((k + 1) / p->every - 1));
        }
    }
    if (status != TN_OK) {
        fprintf(stderr, "tenon-bench: %s: %s\n", s->robot->name, error.message);
    }
    free(target);
    tn_sim_destroy(sim);
    tn_state_destroy(state);
    tn_model_destroy(model);
    return status == TN_OK;
}

// ---- either

static bool is_ours(const side *by)
{
    return strcmp(by->name, "tenon") == 0;
}

static bool play_peer(const peer_robot *p, double *seconds, double *place, double *contacts)
{
#ifdef WITH_MUJOCO
    return peer_mujoco_robot(p, seconds, place, contacts) == 0;
#else
    return false;
#endif
}

static void play_side(const stage *s, const side *by, double h, run *out)
{
    peer_robot p = {.path = s->path,
                    .step = h,
                    .n_steps = (int)lround(s->robot->duration / h),
                    .every = (int)lround(LOOK / h),
                    .tight = by->tight,
                    .conjugate = s->robot->heap > 0,
                    .command = s->robot->command,
                    .n_bodies = s->n_bodies,
                    .body = s->body};
    double us = 0.0, *seconds = calloc((size_t)p.n_steps, sizeof *seconds);
    int n_looks = p.n_steps / p.every;
    out->place = out->place ? out->place : calloc(3 * (size_t)n_looks * BODIES, sizeof *out->place);
    out->ok = seconds && out->place &&
              (is_ours(by) ? play(s, &p, seconds, out->place, &out->contacts)
                           : play_peer(&p, seconds, out->place, &out->contacts));
    for (int k = WARM; k < p.n_steps; k++) {
        us += 1e6 * seconds[k] / (p.n_steps - WARM);
    }
    out->us = out->step > 0.0 ? fmin(out->us, us) : us;
    out->step = h;
    out->n_looks = n_looks;
    free(seconds);
}

// Mean distance of the bodies that both know, over all looks [m].
static double apart(const stage *s, const run *a, const run *b)
{
    double sum = 0.0;
    int n = 0;
    for (int i = 0; a->ok && b->ok && i < a->n_looks * s->n_bodies; i++) {
        const double *x = a->place + 3 * (size_t)i, *y = b->place + 3 * (size_t)i;
        double d = sqrt((x[0] - y[0]) * (x[0] - y[0]) + (x[1] - y[1]) * (x[1] - y[1]) + (x[2] - y[2]) * (x[2] - y[2]));
        if (!isnan(d)) {
            sum += d;
            n++;
        }
    }
    return n > 0 ? sum / n : (double)NAN;
}

static double pace(const run *r) // simulated seconds a second
{
    return r->ok ? 1e6 * r->step / r->us : (double)NAN;
}

static robots_curve curve_of(const stage *s, const side *by, int n_steps)
{
    robots_curve out = {.n = 0};
    for (int k = 0; k < n_steps; k++) {
        double error = apart(s, &by->at[k], &by->finest);
        if (by->at[k].ok && !isnan(error)) {
            out.step[out.n] = by->at[k].step;
            out.error[out.n] = error;
            out.pace[out.n++] = pace(&by->at[k]);
        }
    }
    return out;
}

// ---- the table

enum { OURS, DEFAULTS, TIGHTENED, SIDES };

// Simulated seconds a second at the error of a run, ours over theirs.
static double ahead(const robots_curve curve[SIDES], const side *by, const run *r, double error)
{
    if (is_ours(by)) {
        return pace(r) / fmax(robots_at(&curve[DEFAULTS], error).pace, robots_at(&curve[TIGHTENED], error).pace);
    }
    return robots_at(&curve[OURS], error).pace / pace(r);
}

static void add_row(table *t, const stage *s, const side *by, const run *r, const run *beside,
                    const robots_curve curve[SIDES])
{
    double error = apart(s, r, &by->finest);
    table_word(t, "%s", s->robot->name);
    table_word(t, "%s%s", by->name, by->tight ? " tight" : "");
    table_number(t, "%g", 1e3 * r->step);
    table_number(t, "%.1f", r->us);
    table_number(t, "%.0f", 1e6 / r->us);
    table_number(t, "%.2f", pace(r));
    table_number(t, "%.4f", 1e3 * error);
    table_number(t, "%.1f", r->contacts);
    table_number(t, "%.2f", is_ours(by) ? (double)NAN : r->us / beside->us);
    table_number(t, "%.2f", ahead(curve, by, r, error));
    table_row(t);
}

// False: ours failed.
static bool compare(const stage *s, table *t, robots_curve curve[SIDES])
{
    side sides[SIDES] = {{.name = "tenon"}, {.name = "mujoco"}, {.name = "mujoco", .tight = true}};
    int n_steps = s->robot->even ? ROBOTS_STEPS : 1, n_repeats = s->quick || s->robot->heap ? 1 : REPEATS;
    double coarsest = s->robot->even ? COARSEST : HEAP;
#ifdef WITH_MUJOCO
    int n_sides = s->robot->even ? SIDES : TIGHTENED;
#else
    int n_sides = 1;
#endif
    for (int k = 0; k < n_steps; k++) {
        for (int i = 0; i < n_repeats * n_sides; i++) { // in turns
            side *by = &sides[i % n_sides];
            play_side(s, by, coarsest / (1 << k), &by->at[k]);
        }
    }
    for (int i = 0; i < n_sides && s->robot->even; i++) {
        play_side(s, &sides[i], coarsest / (1 << (ROBOTS_STEPS - 1)) / FINEST, &sides[i].finest);
    }
    for (int i = 0; i < SIDES; i++) {
        curve[i] = curve_of(s, &sides[i], n_steps);
    }
    for (int k = 0; k < n_steps; k++) {
        for (int i = 0; i < n_sides; i++) {
            if (sides[i].at[k].ok) {
                add_row(t, s, &sides[i], &sides[i].at[k], &sides[OURS].at[k], curve);
            }
        }
    }
    if (s->robot->even && n_sides > 1) {
        table_note(t, "%s: the two sides' finest runs are %.2g mm apart\n", s->robot->name,
                   1e3 * apart(s, &sides[OURS].finest, &sides[TIGHTENED].finest));
    }
    bool ok = sides[OURS].at[0].ok;
    for (int i = 0; i < SIDES; i++) {
        for (int k = 0; k < ROBOTS_STEPS; k++) {
            free(sides[i].at[k].place);
        }
        free(sides[i].finest.place);
    }
    return ok;
}

// The heap's file lies in the folder for files that pass; path is where.
static bool write_heap(stage *s)
{
    const char *folder = getenv("TMPDIR");
    char *text = robots_heap(s->path, s->robot->heap);
    snprintf(s->path, sizeof s->path, "%s/tenon-bench-heap.xml", folder ? folder : "/tmp");
    FILE *file = text ? fopen(s->path, "w") : NULL;
    bool ok = file && fputs(text, file) >= 0;
    ok = file && fclose(file) == 0 && ok;
    free(text);
    return ok;
}

static bool run_robot(const bench_options *options, const robot *r, table *t, robots_curve curve[SIDES])
{
    stage s = {.robot = r, .quick = options->quick};
    snprintf(s.path, sizeof s.path, "%s/robots/models/%s", options->scenes, r->file);
    if (r->heap && !write_heap(&s)) {
        fprintf(stderr, "tenon-bench: %s cannot be written\n", s.path);
        return false;
    }
    s.model = load(s.path, COARSEST);
    for (int b = 1; s.model && b < tn_model_body_count(s.model) && s.n_bodies < BODIES; b++) {
        s.body[s.n_bodies++] = tn_model_body_name(s.model, b);
    }
    bool ok = s.model && compare(&s, t, curve);
    tn_model_destroy(s.model);
    if (r->heap) {
        remove(s.path);
    }
    return ok;
}

int bench_robots(const bench_options *options, table *t)
{
    enum { N = sizeof ROBOTS / sizeof *ROBOTS };
    const char *names[N];
    for (int i = 0; i < N; i++) {
        names[i] = ROBOTS[i].name;
    }
    if (!bench_knows(options, "robots", N, names)) {
        return BENCH_UNKNOWN;
    }
    table_open(t, "Robots in reduced coordinates, the same MJCF files in MuJoCo", 10,
               (const char *[]){"robot", "engine", "h ms", "us a step", "steps/s", "sim s/s", "error mm", "contacts",
                                "times as fast", "at its error"});
    int failures = 0;
    robots_curve curve[N][SIDES] = {{{.n = 0}}};
    for (int i = 0; i < N; i++) {
        if (!options->only || bench_listed(options->only, ROBOTS[i].name)) {
            failures += !run_robot(options, &ROBOTS[i], t, curve[i]);
        }
    }
#ifndef WITH_MUJOCO
    table_note(t, "MuJoCo was not found when this was built\n");
#endif
    table_note(t,
               "times as fast: steps of ours in the time of one of theirs; at its error: simulated seconds a second, "
               "ours over theirs, by the other side's step of the same error\n");
    table_close(t);
    robots_open_even(t);
    for (int i = 0; i < N; i++) {
        robots_add_even(t, ROBOTS[i].name, curve[i]);
    }
    table_note(t,
               "error: mean distance of the bodies from the engine's own run with a far smaller step; times as fast: "
               "ours over the better of theirs\n");
    table_close(t);
    return failures;
}
