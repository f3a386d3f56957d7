// A step once recorded and then taken again from states that are near, with what touches, sticks and slides frozen: so
// its derivatives are differences of smooth functions (linearize.c).
//
// Recording keeps the contact list and, of every problem that the step solves, the linear system at its solution
// (sim/tangent.h). A step that replays finds the same contacts where they are now and answers each problem by that
// system, to first order; all else of the step, whatever its scheme, runs as ever.
#pragma once

#include "collide/collide.h"
#include "sim/tangent.h"
#include "tenon/sim.h"

struct tn_sim_part;

typedef struct tn_tape {
    tn_arena *arena, *room; // what is kept; scratch
    bool replay;
    int n, next; // recorded; the next one that is asked for
    tn_tangent solve[TN_STEP_SOLVES];
    tn_contact_list list; // of the recorded step
    bool *presses;        // (list.n) closed in the recorded step's first problem
    bool *lost;           // (list.n) not found again in this replay
    bool broken;          // this replay asked for a problem that the recorded step has not solved
} tn_tape;

tn_tape *tn_tape_create(tn_error *error);
void tn_tape_destroy(tn_tape *tape); // NULL is fine
// Forgets the solves from number n on.
void tn_tape_rewind(tn_tape *tape, int n);
// Keep what was solved, with the solution made exact; or, in a replay, answer: *answered.
tn_status tn_tape_keep(tn_tape *tape, const tn_problem *problem, uint64_t names, tn_solution *solution,
                       tn_error *error);
tn_status tn_tape_answer(tn_tape *tape, const tn_problem *problem, uint64_t names, tn_solution *solution,
                         tn_error *error);
// After the recorded step: its contacts, and which of them press.
tn_status tn_tape_keep_list(tn_tape *tape, const tn_contact_list *list, tn_error *error);
// The contacts of a replay become those of the recorded step, in its order: where they are now, or where they were,
// if they are lost. Their tangents go with the normal.
tn_status tn_tape_match(tn_tape *tape, tn_contact_list *list, tn_arena *arena, tn_error *error);
// Whether this replay has lost a contact that presses, or its way.
bool tn_tape_switched(const tn_tape *tape);
