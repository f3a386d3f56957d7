// A running solve of cond, and what steers it: which acceleration is in use (race.c) and what happens when the
// iteration does not get on or diverges (guard.c). Only iterate.c and these two look inside.
#pragma once

#include "solver/check.h"
#include "solver/cond/chebyshev.h"
#include "solver/cond/check.h"
#include "solver/cond/mix.h"
#include "solver/cond/system.h"

enum { TN_COND_PHASE = 64 }; // iterations of one acceleration before it is compared with the other

typedef struct tn_cond_run {
    tn_cond_system *system;
    const tn_tolerance *tolerance;
    tn_cond_options options;
    tn_arena *arena;
    tn_cond_check check;
    tn_cond_acceleration kind; // in use; PLAIN while it rests
    tn_cond_chebyshev chebyshev;
    tn_cond_mix mix;
    double alpha, gamma;       // step sizes, as damped by guard and divergences
    int n;                     // numbers of an iterate
    double *x, *out;           // (n) they change places: out holds the iterate before x until the next step's end
    double *kept;              // (n) the best iterate, or nearly
    double *Av;                // (n_packed) A v
    double *s, *z;             // (n_packed) Barzilai-Borwein: last v and last A v
    double kept_merit;         //
    double best_merit;         // smallest so far
    int best_at;               // iteration of it
    double contacts_merit;     // of the last look at the general contacts
    double demand;             // merit that makes the next step plain and looked at closely; falls when it fails
    bool closing;              // the next step is plain: what is demanded seems to be reached
    bool goes_on;              // x is what the last step wrote, with the same reference
    bool guarded;              // lambda_max(W A) is known
    int reference_at;          // iteration of the last reference
    double reference_residual; // largest residual since
    int rest_until;            // plain until this iteration
    int divergences;           //
    double least_residual;     // of the balance [N]
    double window_least;       // smallest theta of this window and the last
    double last_least;         //
    int phase;                 // iterations since the race's last phase ended
    double phase_merit;        // best merit then
    int plain_steps;           // length of its next rest
    double idle_rate;          // log reduction of the merit in the last phase of the one that is not in use
} tn_cond_run;

// Another acceleration, from the iterate as it is; it has no memory.
void tn_cond_use(tn_cond_run *it, tn_cond_acceleration kind);
// The same from the kept iterate.
void tn_cond_go_back(tn_cond_run *it, tn_cond_acceleration kind);
// The one to begin with. Settles, too, whether there is a race.
tn_cond_acceleration tn_cond_first_acceleration(tn_cond_run *it);
// After iteration l: a stalled acceleration rests, a rested one resumes.
void tn_cond_rest_or_resume(tn_cond_run *it, int l);
// After iteration l, adaptive acceleration: the better of the two continues.
void tn_cond_race(tn_cond_run *it, int l);
// What to change after iteration l, which did not end the solve. give_up: no safer setting is left.
tn_status tn_cond_control(tn_cond_run *it, int l, const tn_fpi_sums *sums, bool *give_up, tn_error *error);
// Factor of W for iteration l by Barzilai and Borwein.
double tn_cond_barzilai_borwein(tn_cond_run *it, int l);
