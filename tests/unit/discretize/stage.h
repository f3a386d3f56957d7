// The first stages of a step one by one: model, state, balance, contact rows. Header-only, for cmocka programs.
#pragma once

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "discretize/rows.h"
#include "tenon/sim.h"
#include "test.h"

typedef struct stage {
    tn_model *model;
    tn_state *state;
    tn_arena *arena;
    tn_balance balance;
    tn_contact_rows rows;
} stage;

// Model and state of a scene, and its balance.
static inline stage open_stage(const char *text)
{
    tn_error error = {0};
    tn_tets_elastic *elastic = NULL;
    stage s = {.arena = tn_arena_create(0)};
    tn_scene *scene = tn_scene_parse(text, "test", 0, NULL, &error);
    s.model = scene ? tn_model_create(scene, &error) : NULL;
    s.state = s.model ? tn_state_create(s.model, &error) : NULL;
    if (s.state && s.model->n_softs > 0) {
        assert_int_equal(tn_tets_evaluate(s.model->elements, s.state->x, 1, s.arena, &elastic), TN_OK);
    }
    if (!s.state || tn_balance_build(s.model, s.state, elastic, NULL, NULL, s.arena, &s.balance, &error) != TN_OK) {
        fail_msg("%s", error.message);
    }
    return s;
}

static inline void close_stage(stage *s)
{
    tn_arena_destroy(s->arena);
    tn_state_destroy(s->state);
    tn_model_destroy(s->model);
}

static inline void make_rows(stage *s, tn_contact *contacts, int n)
{
    tn_error error = {0};
    tn_contact_list list = {.n = n, .contacts = contacts, .frames = TN_PUSH(s->arena, double, 9 * n)};
    for (int i = 0; i < n; i++) {
        memcpy(list.frames + 9 * i, contacts[i].frame, 9 * sizeof *list.frames);
    }
    assert_int_equal(tn_contact_rows_build(s->model, s->state, &list, &s->balance, NULL, s->arena, &s->rows, &error),
                     TN_OK);
}

static inline void check(const char *what, double value, double wanted, double limit)
{
    printf("%-44s %.12g, wanted %.12g +- %.1g\n", what, value, wanted, limit);
    assert_true(fabs(value - wanted) <= limit);
}
