#include "track.h"

#include "math/mat3.h"
#include "state/state.h"

#include <stdint.h>
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
        t->kept = tn_arena_create(0);
        t->solver = tn_arena_create(0);
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

// The forces that the step started from. A contact names its place in the state's memory, which has the new forces by
// now: `memory` is where that was before the step; the state before it still has what it held.
static void copy_warm(track *t, const tn_contact_memory *memory)
{
    const tn_contact_rows *rows = &t->sim->solving.eq.rows;
    for (int m = 0; m < rows->contacts.n_triples - rows->contacts.n_frictions; m++) {
        uintptr_t place = (uintptr_t)t->sim->solving.eq.list.contacts[rows->source[m]].warm, first = (uintptr_t)memory;
        size_t k = (place - first) / sizeof *memory;
        if (place >= first && k < (size_t)t->before->n_memory) {
            tn_mat3_vec(t->warm_lambda + 3 * m, rows->contacts.frame + 9 * m, t->before->memory[k].force);
        }
    }
}

bool track_step(track *t)
{
    tn_error error = {0};
    const tn_contact_memory *memory = t->state->memory;
    if (tn_state_copy(t->before, t->state, &error) != TN_OK ||
        tn_sim_step(t->sim, NULL, t->state, &t->report, &error) != TN_OK) {
        return say(t, error.message);
    }
    tn_arena_reset(t->kept);
    size_t n = 3 * (size_t)t->model->n_blocks;
    t->warm_v = TN_PUSH(t->kept, double, n);
    t->warm_lambda = TN_PUSH(t->kept, double, 3 * (size_t)t->sim->solving.eq.rows.contacts.n_triples);
    if (!t->warm_v || !t->warm_lambda) {
        return say(t, "out of memory");
    }
    memcpy(t->warm_v, t->before->v_hat, n * sizeof *t->warm_v);
    copy_warm(t, memory);
    return true;
}

double track_dynamics(const track *t)
{
    return t->report.collide_s + t->report.discretize_s;
}
