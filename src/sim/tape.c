#include "sim/tape.h"

#include "base/memory.h"
#include "math/vec3.h"
#include "sim/sim.h"

#include <string.h>

// Tangents that turn by more have been chosen anew, not moved.
static const double CHOSEN_ANEW = 0.01;

tn_tape *tn_tape_create(tn_error *error)
{
    tn_tape *tape = tn_calloc(1, sizeof *tape);
    if (tape) {
        tape->arena = tn_arena_create(0);
        tape->room = tn_arena_create(0);
    }
    if (!tape || !tape->arena || !tape->room) {
        tn_error_set(error, TN_NO_MEMORY, "no memory for the derivatives of a step");
        tn_tape_destroy(tape);
        return NULL;
    }
    return tape;
}

void tn_tape_destroy(tn_tape *tape)
{
    if (tape) {
        tn_tape_rewind(tape, 0);
        tn_arena_destroy(tape->arena);
        tn_arena_destroy(tape->room);
        tn_free(tape);
    }
}

void tn_tape_rewind(tn_tape *tape, int n)
{
    while (tape->n > n) {
        tn_tangent_destroy(&tape->solve[--tape->n]);
    }
}

tn_status tn_tape_keep(tn_tape *tape, const tn_problem *problem, uint64_t names, tn_solution *solution, tn_error *error)
{
    if (tape->n == TN_STEP_SOLVES) {
        return tn_error_set(error, TN_NUMERICS, "no derivative of a step of more than %d solves", TN_STEP_SOLVES);
    }
    return tn_tangent_create(problem, tn_tangent_shape(problem, names), solution, tape->arena, &tape->solve[tape->n++],
                             error);
}

// The recorded solve that answers next: the first of the shape from `next` on, else the last one before. Steps that
// iterate may do so once more or less than the recorded one, as far as their stopping rules see rounding.
static const tn_tangent *find_solve(tn_tape *tape, uint64_t shape)
{
    int at = tape->next;
    while (at < tape->n && tape->solve[at].shape != shape) {
        at++;
    }
    if (at < tape->n) {
        tape->next = at + 1;
        return &tape->solve[at];
    }
    for (at = tape->next - 1; at >= 0 && tape->solve[at].shape != shape;) {
        at--;
    }
    return at >= 0 ? &tape->solve[at] : NULL;
}

tn_status tn_tape_answer(tn_tape *tape, const tn_problem *problem, uint64_t names, tn_solution *solution,
                         tn_error *error)
{
    const tn_tangent *t = find_solve(tape, tn_tangent_shape(problem, names));
    if (!t) {
        tape->broken = true;
        return tn_error_set(error, TN_NUMERICS, "the step near by solves other problems");
    }
    return tn_tangent_solve(t, problem, tape->room, solution)
               ? TN_OK
               : tn_error_set(error, TN_NO_MEMORY, "no memory for the derivatives of %d rows", t->n_rows);
}

static bool keep_points(tn_tape *tape, tn_contact *contact)
{
    static const double zero[3] = {0.0};
    tn_soft_point *points = TN_PUSH_RAW(tape->arena, tn_soft_point, 2);
    if (points) {
        points[0] = *contact->soft_a;
        points[1] = *contact->soft_b;
        contact->soft_a = points;
        contact->soft_b = points + 1;
        contact->warm = zero;
    }
    return points;
}

tn_status tn_tape_keep_list(tn_tape *tape, const tn_contact_list *list, tn_error *error)
{
    size_t n = (size_t)list->n;
    tape->list = (tn_contact_list){.n = list->n,
                                   .contacts = TN_PUSH_RAW(tape->arena, tn_contact, n),
                                   .frames = TN_PUSH_RAW(tape->arena, double, 9 * n),
                                   .room = list->n};
    tape->presses = TN_PUSH(tape->arena, bool, n);
    tape->lost = TN_PUSH(tape->arena, bool, n);
    bool ok = tape->list.contacts && tape->list.frames && tape->presses && tape->lost;
    for (size_t i = 0; ok && i < n; i++) {
        tn_contact *contact = &tape->list.contacts[i];
        *contact = list->contacts[i];
        memcpy(tape->list.frames + 9 * i, contact->frame, 9 * sizeof *contact->frame);
        contact->frame = tape->list.frames + 9 * i;
        ok = keep_points(tape, contact);
    }
    return ok ? TN_OK : tn_error_set(error, TN_NO_MEMORY, "no memory for the derivatives of %d contacts", list->n);
}

// Tangents that were chosen anew for a normal that has hardly moved become the old ones, turned with it.
static void keep_tangents(double frame[9], const double old[9])
{
    double change[3], along[3];
    tn_vec3_sub(change, frame + 3, old + 3);
    if (tn_vec3_norm(change) < CHOSEN_ANEW) {
        return;
    }
    tn_vec3_scale(along, tn_vec3_dot(old + 3, frame), frame);
    tn_vec3_sub(frame + 3, old + 3, along);
    tn_vec3_scale(frame + 3, 1.0 / tn_vec3_norm(frame + 3), frame + 3);
    tn_vec3_cross(frame + 6, frame, frame + 3);
}

tn_status tn_tape_match(tn_tape *tape, tn_contact_list *list, tn_arena *arena, tn_error *error)
{
    int n = tape->list.n;
    tn_contact_list out = {.n = n,
                           .contacts = TN_PUSH_RAW(arena, tn_contact, n),
                           .frames = TN_PUSH_RAW(arena, double, 9 * (size_t)n),
                           .room = n};
    if (!out.contacts || !out.frames) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %d contacts", n);
    }
    for (int i = 0, k = 0; i < n; i++) {
        const tn_contact *old = &tape->list.contacts[i];
        while (k < list->n && tn_sim_compare_contacts(&list->contacts[k], old) < 0) {
            k++;
        }
        tape->lost[i] = k == list->n || tn_sim_compare_contacts(&list->contacts[k], old) != 0;
        double *frame = out.frames + 9 * (size_t)i;
        out.contacts[i] = tape->lost[i] ? *old : list->contacts[k];
        memcpy(frame, out.contacts[i].frame, 9 * sizeof *frame);
        keep_tangents(frame, old->frame);
        out.contacts[i].frame = frame;
    }
    *list = out;
    return TN_OK;
}

bool tn_tape_switched(const tn_tape *tape)
{
    bool lost = tape->broken;
    for (int i = 0; i < tape->list.n; i++) {
        lost = lost || (tape->lost[i] && tape->presses[i]);
    }
    return lost;
}
