// Where everything is, which pairs are near, where they touch: one list.
#include "collide/collide.h"

#include "collide/narrow.h"

// Where bodies sleep: what is awake, which alone meets anything. NULL: no memory.
static bool *find_awake(const tn_model *model, tn_arena *arena)
{
    int n = tn_side_count(model);
    bool *awake = TN_PUSH_RAW(arena, bool, n);
    for (int i = 0; awake && i < n; ++i) {
        awake[i] = (tn_side_motion(model, i) & (TN_SIDE_MOVES | TN_SIDE_DRIVEN)) != 0;
    }
    return awake;
}

static tn_status collide(tn_collide_view *view, const bool *sought, tn_arena *arena, tn_contact_list *out,
                         tn_error *error)
{
    tn_pair_list pairs;
    tn_arena_mark mark = tn_arena_get_mark(view->arena);
    *out = (tn_contact_list){0};
    tn_status status = tn_collide_view_set(view, error);
    if (!status && !sought && view->model->any_asleep) {
        sought = find_awake(view->model, view->arena);
        status = sought ? TN_OK : tn_error_set(error, TN_NO_MEMORY, "no memory for the surfaces that are awake");
    }
    if (!status) {
        const tn_broad_input input = {.model = view->model,
                                      .bounds = view->bounds,
                                      .n_listed = view->n_listed,
                                      .listed = view->listed,
                                      .sought = sought,
                                      .has_balls = true,
                                      .n_half_spaces = view->n_half_spaces,
                                      .half_spaces = view->half_spaces,
                                      .n_threads = view->n_threads};
        status = tn_broad_phase(&input, view->arena, &pairs, error);
    }
    if (!status) {
        status = tn_narrow_phase(view, &pairs, arena, out, error);
    }
    if (view->arena != arena) {
        tn_arena_release(view->arena, mark);
    }
    return status;
}

tn_status tn_collide(const tn_model *model, const tn_state *state, int n_threads, tn_arena *arena, tn_arena *scratch,
                     tn_contact_list *out, tn_error *error)
{
    tn_collide_view view = {
        .model = model, .state = state, .arena = scratch, .n_threads = n_threads > 1 ? n_threads : 1};
    return collide(&view, NULL, arena, out, error);
}

tn_status tn_collide_joining(const tn_model *model, const tn_state *state, const bool *sought, int n_threads,
                             tn_arena *arena, tn_contact_list *out, tn_error *error)
{
    tn_collide_view view = {
        .model = model, .state = state, .arena = arena, .n_threads = n_threads > 1 ? n_threads : 1, .joining = true};
    return collide(&view, sought, arena, out, error);
}
