#include "track.h"

#include <string.h>

static bool say(const track *t, const char *what)
{
    fprintf(stderr, "tenon-bench: %s: %s\n", t->model ? t->model->scene->title : "scene", what);
    return false;
}

bool track_open(track *t, const bench_options *options, const char *scene, int n_set, const char *const *set)
{
    *t = (track){.model = bench_model(options, scene, n_set, set)};
    tn_error error = {0};
    if (t->model) {
        t->state = tn_state_create(t->model, &error);
        t->before = tn_state_create(t->model, &error);
        t->sim = tn_sim_create(t->model, &error);
        t->kept = tn_arena_create("bench step", 0);
        t->solver = tn_arena_create("bench solver", 0);
    }
    return t->state && t->before && t->sim && t->kept && t->solver ? true : say(t, error.message);
}

void track_close(track *t)
{
    tn_arena_destroy(t->solver);
    tn_arena_destroy(t->kept);
    tn_sim_destroy(t->sim);
    tn_state_destroy(t->before);
    tn_state_destroy(t->state);
    tn_model_destroy(t->model);
}

bool track_step(track *t)
{
    tn_error error = {0};
    if (tn_state_copy(t->before, t->state, &error) != TN_OK ||
        tn_sim_step(t->sim, t->state, &t->report, &error) != TN_OK) {
        return say(t, error.message);
    }
    tn_arena_reset(t->kept);
    size_t n = 3 * (size_t)t->model->n_blocks;
    t->warm_v = TN_PUSH(t->kept, double, n);
    t->warm_lambda = TN_PUSH(t->kept, double, 3 * (size_t)t->sim->rows.contacts.n);
    if (!t->warm_v || !t->warm_lambda) {
        return say(t, "out of memory");
    }
    memcpy(t->warm_v, t->before->v_hat, n * sizeof *t->warm_v);
    tn_contact_rows_warm(&t->sim->rows, &t->sim->list, 1, t->warm_lambda);
    return true;
}

double track_dynamics(const track *t)
{
    return t->report.collide_s + t->report.discretize_s;
}
