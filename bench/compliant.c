// The compliant document's figures with their sources, and what its experiments share.
#include "compliant.h"

#include "papers.h"

#include <stdarg.h>
#include <string.h>

const foundation_figures FOUNDATION_FIGURES[FOUNDATIONS] = {
    {5, 10, 1e7, .331, .302, 28.0, 2.96e-5, 2.65e-5, NAN}, {5, 10, 1e11, .286, .189, 27.4, 2.91e-7, 2.60e-7, NAN},
    {5, 30, 1e7, 7.40, 4.75, 829, 1.98e-5, 1.77e-5, NAN},  {5, 30, 1e11, 8.23, 1.10, 17100, 2.71e-9, 2.42e-9, NAN},
    {50, 10, 1e7, .332, 9.55, 15.5, .813, .724, 3.14e-3},  {50, 10, 1e11, .396, 5550, 621, .814, .728, 9.22e-5},
    {50, 30, 1e7, 12.98, 27.3, 346, 1.0e-2, 8.87e-3, NAN}, {50, 30, 1e11, 26.00, 2.31, 17400, 1.0e-2, 8.95e-3, NAN},
};

static bool play_start(play *p, tn_error *error)
{
    char text[1200];
    p->state = p->model ? tn_state_create(p->model, error) : NULL;
    p->sim = p->state ? tn_sim_create(p->model, error) : NULL;
    if (!p->sim && error->message[0]) {
        fprintf(stderr, "tenon-bench: %s\n", tn_error_text(error, text, sizeof text));
    }
    return p->sim != NULL;
}

bool play_file(play *p, const bench_options *options, const char *scene, int n_set, const char *const *set)
{
    tn_error error = {0};
    *p = (play){.model = bench_model(options, scene, n_set, set)};
    return play_start(p, &error);
}

bool play_text(play *p, const char *format, ...)
{
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    tn_error error = {0};
    tn_scene *scene = tn_scene_parse(text, NULL, 0, NULL, &error);
    *p = (play){.model = scene ? tn_model_create(scene, &error) : NULL};
    return play_start(p, &error);
}

bool play_step(play *p)
{
    tn_error error = {0};
    bool ok = tn_sim_step(p->sim, NULL, p->state, &p->report, &error) == TN_OK;
    if (!ok) {
        fprintf(stderr, "tenon-bench: %s\n", error.message);
    }
    return ok;
}

void play_close(play *p)
{
    tn_sim_destroy(p->sim);
    tn_state_destroy(p->state);
    tn_model_destroy(p->model);
}

play_motion play_body(const play *p, const char *name)
{
    play_motion m;
    int body = tn_model_find_body(p->model, name);
    tn_state_body_pose(p->state, body, m.x, m.q);
    tn_state_body_velocity(p->state, body, m.v, m.w);
    return m;
}

typedef struct figure_row {
    const char *what, *figure, *source, *part;
} figure_row;

int compliant_figures(const bench_options *options, table *t)
{
    static const figure_row rows[] = {
        {"explicit Euler, b 1", "unstable", "Fig. 1", "oscillator"},
        {"explicit Euler, b 10", "somewhat more stable", "sec. 3.1.1", "oscillator"},
        {"explicit Euler, b 2e5", "stable", "Fig. 1", "oscillator"},
        {"explicit Euler, b 2.1e5", "unstable", "Fig. 1", "oscillator"},
        {"semi-implicit Euler, k 1e6 / 1e7", "stable / unstable", "Fig. 2", "oscillator"},
        {"implicit Euler", "stable at any h", "Fig. 3", "oscillator"},
        {"pendulum's deviation", "scales with h^2", "Fig. 4", "swing"},
        {"pendulum's energy error", "precisely zero", "sec. 4.4", "swing"},
        {"soft limit", "dead from h 1e-5, elastic below", "Fig. 6", "limit"},
        {"soft limit's accuracy", "linear in h", "sec. 5.4", "limit"},
        {"foundation, times", "8 rows", "Table 1", "foundation"},
        {"foundation, errors", "8 rows, two more at h 1e-3", "Table 2", "foundation"},
        {"foundation, growth with elements", "cubic", "sec. 5.5", "foundation"},
        {"incline, force of a foot", "2.5 N", "sec. 6.4", "incline"},
        {"incline, deformation", "1e-8 m", "sec. 6.4", "incline"},
        {"incline, creep at mu 0.375", "none", "sec. 6.4", "incline"},
        {"incline, ways over mu", "fall with mu", "Fig. 9", "incline"},
        {"stack, 1 to 100 spheres", "stands, near linear", "Fig. 10", "spheres"},
    };
    const char *heads[] = {"the document's", "figure", "source", "table here"};
    table_open(t, "compliant: the document's figures", 4, heads);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        table_word(t, "%s", rows[i].what);
        table_word(t, "%s", rows[i].figure);
        table_word(t, "%s", rows[i].source);
        table_word(t, "%s", rows[i].part);
        table_row(t);
    }
    table_note(t, "source: E. M. Drumwright, An Unconditionally Stable First-Order Constraint Solver for Multibody "
                  "Systems; times are MATLAB's");
    table_close(t);
    return 0;
}
