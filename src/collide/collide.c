// Where everything is, which pairs are near, where they touch: one list.
#include "collide/collide.h"

#include "collide/narrow.h"

tn_status tn_collide(const tn_model *model, const tn_state *state, int n_threads, tn_arena *arena, tn_arena *scratch,
                     tn_contact_list *out, tn_error *error)
{
    return tn_collide_some(model, state, NULL, n_threads, arena, scratch, out, error);
}

tn_status tn_collide_some(const tn_model *model, const tn_state *state, const bool *sought, int n_threads,
                          tn_arena *arena, tn_arena *scratch, tn_contact_list *out, tn_error *error)
{
    tn_collide_view view;
    tn_pair_list pairs;
    tn_arena_mark mark = tn_arena_get_mark(scratch);
    *out = (tn_contact_list){0};
    tn_status status = tn_collide_view_set(&view, model, state, n_threads, scratch, error);
    if (!status) {
        const tn_broad_input input = {.model = model,
                                      .bounds = view.bounds,
                                      .sought = sought,
                                      .has_balls = true,
                                      .n_half_spaces = view.n_half_spaces,
                                      .half_spaces = view.half_spaces,
                                      .n_threads = view.n_threads};
        status = tn_broad_phase(&input, scratch, &pairs, error);
    }
    if (!status) {
        status = tn_narrow_phase(&view, &pairs, arena, out, error);
    }
    if (scratch != arena) {
        tn_arena_release(scratch, mark);
    }
    return status;
}
