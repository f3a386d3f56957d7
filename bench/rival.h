// One scene in one engine, ours or another: its time, and its errors judged by one and the same geometry and law.
#pragma once

#include "bench.h"
#include "peers.h"

typedef struct rival_length {
    int n_steps, n_averaged; // steps in all; of the last of them time and penetration count
    int n_watched;           // more steps, of which the impulses are judged
} rival_length;

typedef struct rival_verdict {
    bool ok;
    double ms, worst_ms;  // median and largest thread time of a counted step
    double penetration;   // deepest overlap after a counted step [m]
    double resting;       // the same of the watched steps [m]
    double momentum;      // root mean square over the watched steps: linear momentum that no impulse explains, relative
    double friction;      // the same: distance of the tangential impulses from Coulomb's law, relative; NaN: not read
    double speed;         // largest of a body in the watched steps [m/s]
    double height, aside; // at the end: of the highest centre; farthest horizontal way of a centre from its start [m]
    double natural, contacts, iterations; // ours only: median, means
} rival_verdict;

// Ours: scene file with overrides.
rival_verdict rival_ours(const bench_options *options, const char *scene, int n_set, const char *const *set,
                         rival_length length);
// Whether other engines can be given the scene as it is.
bool rival_can_play(const tn_model *model);
// Another engine on the same scene. Of each body the one shape at its origin counts.
rival_verdict rival_play(const tn_model *model, peer_engine *engine, const peer_settings *settings,
                         rival_length length);

// The engines that were found when this was built.
typedef struct rival_engine {
    const char *name;
    peer_engine *run;
} rival_engine;
extern const rival_engine RIVALS[];
extern const int N_RIVALS;
