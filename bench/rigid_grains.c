#include "rigid_grains.h"

#include "state/state.h"

#include <math.h>
#include <stdarg.h>
#include <string.h>

void overrides_add(overrides *o, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    if (o->n < GRAINS_SETS) {
        o->set[o->n] = o->text[o->n];
        vsnprintf(o->text[o->n++], GRAINS_SET, format, arguments);
    }
    va_end(arguments);
}

grains grains_open(const bench_options *options, const char *scene, overrides *o)
{
    tn_error error = {0};
    overrides all = {0};
    overrides_add(&all, "solver.tolerance={momentum: 1e-6, natural: 1e-3}");
    overrides_add(&all, "solver.max_iterations=100");
    for (int i = 0; i < o->n; i++) {
        overrides_add(&all, "%s", o->set[i]);
    }
    grains g = {.model = bench_model(options, scene, all.n, all.set)};
    g.state = g.model ? tn_state_create(g.model, &error) : NULL;
    g.sim = g.state ? tn_sim_create(g.model, &error) : NULL;
    g.ok = g.sim != NULL;
    return g;
}

void grains_close(grains *g)
{
    tn_sim_destroy(g->sim);
    tn_state_destroy(g->state);
    tn_model_destroy(g->model);
}

void grains_step(grains *g)
{
    tn_error error = {0};
    tn_step_report report;
    g->ok = g->ok && tn_sim_step(g->sim, NULL, g->state, &report, &error) == TN_OK;
    if (g->ok) {
        g->seconds += report.total_s;
        g->n_steps++;
    } else if (error.message[0]) {
        fprintf(stderr, "tenon-bench: %s\n", error.message);
    }
}

void grains_run(grains *g, double time)
{
    while (g->ok && tn_state_time(g->state) < time - 1e-9) {
        grains_step(g);
    }
}

void grains_forces(grains *g, int n_steps, int n, const char *const *names, double force[][3])
{
    int body[GRAINS_BODIES] = {0};
    for (int k = 0; k < n; k++) {
        body[k] = g->ok ? tn_model_find_body(g->model, names[k]) : -1;
        force[k][0] = force[k][1] = force[k][2] = 0.0;
    }
    for (int step = 0; step < n_steps && g->ok; step++) {
        grains_step(g);
        for (int i = 0; g->ok && i < tn_sim_contact_count(g->sim); i++) {
            tn_contact_info c;
            tn_sim_contact(g->sim, i, &c);
            for (int k = 0; k < 3 * n; k++) {
                if (c.body_a == body[k / 3]) {
                    force[k / 3][k % 3] += c.force[k % 3] / n_steps;
                }
            }
        }
    }
}

int grains_above(const grains *g, double z)
{
    int n = 0;
    for (int b = 1; b < g->model->n_bodies; b++) {
        n += g->model->bodies[b].kind == TN_BODY_FREE && g->state->pose[b].position[2] > z;
    }
    return n;
}

double grains_ms(const grains *g)
{
    return g->n_steps ? 1e3 * g->seconds / (double)g->n_steps : NAN;
}
