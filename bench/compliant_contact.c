// The compliant document's contacts: a box on an incline (Fig. 9) and stacks of spheres (Fig. 10).
#include "compliant.h"

#include "papers_lcp.h"
#include "peers.h"
#include "rigid.h"

#include <string.h>

static const double GRAVITY = 9.81;
#define TIGHT "solver={tolerance: {momentum: 1e-12, natural: 1e-12}}"

// ---- Fig. 9

typedef struct slide {
    bool ok;
    double friction, load, depth; // means: force up the incline over the normal force; of a foot [N]; [m]
    double way, creep;            // [m]; largest speed along the incline in the second half [m/s]
    double cone, law;             // largest friction beyond the cone [N]; largest residual of the springs' law
} slide;

static slide slide_down(const bench_options *options, double mu, const char *pair, plot_curve *curve)
{
    char friction[PLAY_SET];
    snprintf(friction, sizeof friction, "materials.steel.friction=%g", mu);
    const char *set[] = {friction, TIGHT, pair};
    const double angle = 15.0 * M_PI / 180.0, down[3] = {cos(angle), 0.0, -sin(angle)};
    play p;
    slide out = {.ok = play_file(&p, options, "compliant/incline.yaml", pair ? 3 : 2, set)};
    double start[3] = {0.0}, loads = 0.0, across = 0.0;
    if (out.ok) {
        play_motion m = play_body(&p, "box");
        memcpy(start, m.x, sizeof start);
    }
    for (int i = 1; i <= 100 && out.ok; i++) {
        out.ok = play_step(&p);
        play_motion m = play_body(&p, "box");
        out.way = 0.0;
        for (int e = 0; e < 3; e++) {
            out.way += down[e] * (m.x[e] - start[e]);
        }
        for (int c = 0; c < tn_sim_contact_count(p.sim); c++) {
            tn_contact_info info;
            tn_sim_contact(p.sim, c, &info);
            double normal = 0.0, square = 0.0;
            for (int e = 0; e < 3; e++) {
                normal += info.force[e] * info.normal[e];
            }
            for (int e = 0; e < 3; e++) {
                double part = info.force[e] - normal * info.normal[e];
                square += part * part;
                across -= part * down[e];
            }
            double aside = sqrt(square);
            loads += normal;
            out.depth += i > 50 ? -info.gap / 200.0 : 0.0;
            out.cone = fmax(out.cone, aside - mu * normal);
            out.creep = i > 50 ? fmax(out.creep, fabs(info.velocity[1])) : 0.0;
        }
        out.law = fmax(out.law, p.report.spring_residual);
        plot_add_point(curve, 0.01 * i, out.way);
    }
    out.load = loads / 400.0;
    out.friction = across / loads;
    play_close(&p);
    return out;
}

int compliant_incline(const bench_options *options, table *t)
{
    static const char *const DOCUMENT_MODULUS =
        "pairs=[{materials: [steel, steel], contact_modulus: 7.5e10, damping: 1}]";
    static const char *const DAMPERS =
        "pairs=[{materials: [steel, steel], contact_modulus: 1e11, damping: 1, tangential_damping: 1e8}]";
    const struct {
        double mu;
        const char *pair, *label;
    } runs[] = {{0.0, NULL, "rigid tangents"},  {0.125, NULL, "rigid tangents"},
                {0.25, NULL, "rigid tangents"}, {0.375, NULL, "rigid tangents"},
                {0.375, DAMPERS, "B_t 1e6/h"},  {0.375, DOCUMENT_MODULUS, "k = E* sqrt(r)"}};
    const char *heads[] = {"mu",       "tangents",  "force / N", "N a foot",        "way m", "discrete m",
                           "relative", "creep m/s", "depth m",   "over the cone N", "law"};
    table_open(t, "compliant, Fig. 9: box on an incline of 15 degrees, four Hertzian feet, h 10 ms, 1 s", 11, heads);
    plot *picture = lcp_plot_start(options);
    plot_panel *panel = lcp_panel(picture, "Box on an incline", "time [s]", "way [m]");
    int failures = 0;
    for (int k = 0; k < 6; k++) {
        char label[PLOT_TEXT];
        snprintf(label, sizeof label, "mu %g", runs[k].mu);
        slide s = slide_down(options, runs[k].mu, runs[k].pair, k < 4 ? plot_add_curve(panel, label) : NULL);
        double angle = 15.0 * M_PI / 180.0, a = GRAVITY * (sin(angle) - runs[k].mu * cos(angle));
        double discrete = fmax(0.0, a) * 0.01 * 0.01 * 100.0 * 101.0 / 2.0;
        failures += !s.ok;
        table_number(t, "%.3f", runs[k].mu);
        table_word(t, "%s", runs[k].label);
        table_number(t, "%.6f", s.friction);
        table_number(t, "%.4f", s.load);
        table_number(t, "%.9g", s.way);
        table_number(t, "%.9g", discrete);
        table_number(t, "%.1e", discrete > 0.0 ? s.way / discrete - 1.0 : (double)NAN);
        table_number(t, "%.1e", s.creep);
        table_number(t, "%.3e", s.depth);
        table_number(t, "%.1e", s.cone);
        table_number(t, "%.1e", s.law);
        table_row(t);
    }
    double load = GRAVITY * cos(M_PI / 12.0) / 4.0;
    table_note(t, "document: no force at mu 0, sticks at 0.375 without creep, \"around 2.5 N\" a foot, deformation "
                  "\"around 1e-8 m\"");
    table_note(t,
               "closed forms: m g cos 15 / 4 = %.4f N; depth %.3g m by the document's f = E* sqrt(r d^3), %.3g m with "
               "Hertz's 4/3; creep by B_t = 1e6/h m g sin 15 / (4 B_t) = %.3g m/s",
               load, pow(load / 1e10, 2.0 / 3.0), pow(load / (4e10 / 3.0), 2.0 / 3.0),
               GRAVITY * sin(M_PI / 12.0) / 4e8);
    table_note(t,
               "discrete: a h^2 n (n + 1)/2; way: of the box's centre, from the start on, the first step in which the "
               "feet are pressed in included");
    table_close(t);
    return failures + lcp_plot_finish(options, picture, "incline");
}

// ---- Fig. 10

typedef struct stack {
    bool ok;
    double seconds, solves, iterations; // of all steps; means of a step
    double gained, natural, law;        // worst of a step [J]
    double off, aside;                  // of the centres at the end: from Hertz's statics, from the axis [m]
} stack;

static void compare_to_statics(const play *p, int n, stack *out)
{
    const double floor = 4.0 / 3.0 * 1e11 * sqrt(0.1), between = 4.0 / 3.0 * 1e11 * sqrt(0.05);
    const double weight = 1000.0 * 4.0 / 3.0 * M_PI * 1e-3 * GRAVITY;
    double height = 0.1;
    for (int i = 0; i < n; i++) {
        char name[32];
        snprintf(name, sizeof name, "sphere[%d]", i);
        play_motion m = play_body(p, tn_model_find_body(p->model, name) < 0 ? "sphere" : name);
        height += (i ? 0.2 : 0.0) - pow((n - i) * weight / (i ? between : floor), 2.0 / 3.0);
        out->off = fmax(out->off, fabs(m.x[2] - height));
        out->aside = fmax(out->aside, sqrt(m.x[0] * m.x[0] + m.x[1] * m.x[1]));
    }
}

static stack drop_stack(const bench_options *options, int n, const char *solver)
{
    char count[PLAY_SET];
    snprintf(count, sizeof count, "bodies.sphere.array.count=[1, 1, %d]", n);
    const char *set[] = {count, solver};
    play p;
    stack out = {.ok = play_file(&p, options, "compliant/sphere_stack.yaml", 2, set)};
    for (int i = 0; i < 500 && out.ok; i++) {
        double start = peer_seconds();
        out.ok = play_step(&p);
        out.seconds += peer_seconds() - start;
        out.gained = fmax(out.gained, p.report.energy.balance);
        out.natural = fmax(out.natural, p.report.solve.certificate.natural);
        out.law = fmax(out.law, p.report.spring_residual);
        out.solves += p.report.spring_solves / 500.0;
        out.iterations += p.report.solve.iterations / 500.0;
    }
    if (out.ok) {
        compare_to_statics(&p, n, &out);
    }
    play_close(&p);
    return out;
}

int compliant_spheres(const bench_options *options, table *t)
{
    enum { RUNS = 7 };
    const int counts[RUNS] = {1, 2, 5, 10, 20, 50, 100};
    static const char *const solvers[2][2] = {
        {"auto", "solver=auto"},
        {"newton, 1e-10", "solver={name: newton, tolerance: {momentum: 1e-10, natural: 1e-10}}"}};
    const char *heads[] = {"solver",          "spheres",         "s of 500 steps", "ms a step",
                           "times real time", "solves a step",   "iterations",     "height off m",
                           "aside m",         "energy gained J", "worst natural",  "spring law"};
    table_open(t, "compliant, Fig. 10: stack of elastic spheres, E* 1e11 Pa, B 1 N s/m, 500 steps of 10 ms", 12, heads);
    plot *picture = lcp_plot_start(options);
    plot_panel *panel = lcp_panel(picture, "Stack of spheres", "spheres", "time of 500 steps [s]");
    int failures = 0, runs = options->quick ? 5 : RUNS;
    for (int s = 0; s < 2; s++) {
        double x[RUNS], y[RUNS];
        plot_curve *curve = plot_add_curve(panel, solvers[s][0]);
        for (int k = 0; k < runs; k++) {
            stack a = drop_stack(options, counts[k], solvers[s][1]);
            const double cells[] = {a.off, a.aside, a.gained, a.natural, a.law};
            failures += !a.ok;
            table_word(t, "%s", solvers[s][0]);
            table_number(t, "%.0f", counts[k]);
            table_number(t, "%.4f", a.seconds);
            table_number(t, "%.4f", 2.0 * a.seconds);
            table_number(t, "%.1f", 5.0 / a.seconds);
            table_number(t, "%.2f", a.solves);
            table_number(t, "%.1f", a.iterations);
            for (int i = 0; i < 5; i++) {
                table_number(t, "%.1e", cells[i]);
            }
            table_row(t);
            plot_add_point(curve, counts[k], a.seconds);
            x[k] = counts[k];
            y[k] = a.seconds;
        }
        table_note(t, "%s: time grows as count^%.2f from 1 to %d spheres, as count^%.2f from 10 on", solvers[s][0],
                   rigid_exponent(runs, x, y), counts[runs - 1], rigid_exponent(runs - 3, x + 3, y + 3));
    }
    table_note(t,
               "document: Fig. 10, a curve without printed numbers, near linear; height off: against Hertz's statics "
               "at the end");
    table_close(t);
    return failures + lcp_plot_finish(options, picture, "spheres");
}
