// What nodal's loop decides after looking at its last steps: figures, coarse level, reference, passes, end.
#pragma once

#include "solver/nodal/run.h"

// Whether v is good in itself: small residuals hide slow modes. With the coarse level |f| is honest to a factor 2 to
// 4; without, what is to come is extrapolated from the rate. l: steps done; margin: of the error, 1.
bool tn_nodal_is_settled(const tn_nodal_run *it, int l, double margin);

// Choice between sweeps alone and the coarse level before step l.
tn_status tn_nodal_choose_level(tn_nodal_run *it, int l);

// The coarse level gets a new truncation and an empty memory when it does not get on, and then a rest: where contacts
// flip between states for ever, sweeps alone settle them (not where these are too few passes over the contacts).
void tn_nodal_watch_coarse(tn_nodal_run *it, int l, double length);

// Whether to look at the figures of step l: at every step with the coarse level, whose residual is there anyway; else
// seldom while they are far from the tolerances, supposing that they fall like |f|.
bool tn_nodal_is_time_to_look(const tn_nodal_run *it, int l);

// Where the length of a step alone is demanded: whether step l may well be short enough.
bool tn_nodal_may_end(const tn_nodal_run *it, int l);

// Whether the reference moves to the end of step l, whose figures are about `merit` of what is demanded (infinite: not
// looked at): at the last step, where the solve may be done, and else to keep single precision exact.
bool tn_nodal_is_time_to_move(const tn_nodal_run *it, int l, double merit, bool last);

// Bodies far lighter than the nodes they touch (a ball in stiff fingers) are thrown from contact to contact by one pass
// over these a sweep: more of them where that makes steps slow. Not from the start: while contacts still close and
// open, many passes make them flip.
void tn_nodal_watch_contacts(tn_nodal_run *it, int l);

// Whether step l is the last of so many that got the figures (else |f|) nowhere.
bool tn_nodal_is_hopeless(tn_nodal_run *it, int l);
