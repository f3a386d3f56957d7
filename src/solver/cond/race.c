// Which acceleration is in use: the first, rests, and the race between Chebyshev and Anderson.
#include "solver/cond/run.h"

#include <math.h>
#include <string.h>

enum {
    STALL = 60, // iterations without a better merit before a rest from acceleration
    FEW = 64,   // nodes that Anderson deals with at once
    REST = 20   // plain iterations of a rest
};

static const double ANDERSON_COST = 3.0; // of its step, in steps of Chebyshev

void tn_cond_use(tn_cond_run *it, tn_cond_acceleration kind)
{
    it->kind = kind;
    tn_cond_chebyshev_restart(&it->chebyshev);
    tn_cond_mix_restart(&it->mix);
    memcpy(it->out, it->x, (size_t)it->n * sizeof *it->x);
}

void tn_cond_go_back(tn_cond_run *it, tn_cond_acceleration kind)
{
    memcpy(it->x, it->kept, (size_t)it->n * sizeof *it->x);
    it->goes_on = false;
    tn_cond_use(it, kind);
}

// Adaptive: on many nodes with contacts of their own Chebyshev is the first, since its steps cost a third; where bodies
// or shared nodes take part it never pays, and Anderson works alone.
tn_cond_acceleration tn_cond_first_acceleration(tn_cond_run *it)
{
    if (it->options.acceleration != TN_COND_ADAPTIVE) {
        return it->options.acceleration;
    }
    bool nodes = it->system->bodies.n_nodes > 0, alone = it->system->general.n_triples == 0;
    if (nodes && !alone) {
        it->options.acceleration = TN_COND_ANDERSON;
    }
    return it->system->bodies.n_nodes > FEW && alone ? TN_COND_CHEBYSHEV : TN_COND_ANDERSON;
}

// alpha of (IV-C2) in the metric of W: s^T W^-1 s / s^T z and s^T z / z^T W z in turn, z = A s.
double tn_cond_barzilai_borwein(tn_cond_run *it, int l)
{
    const tn_cond_system *system = it->system;
    if (system->bodies.n_nodes == 0) {
        return 1.0;
    }
    double ss = 0.0, sz = 0.0, zz = 0.0;
    tn_cond_product(system, it->x, it->Av);
    for (int row = 0; row < system->n_rows; row++) {
        double w = tn_cond_w(system, row);
        for (int i = 4 * system->lane[row]; w > 0.0 && i < 4 * system->lane[row] + 3; i++) {
            double s = it->x[i] - it->s[i], z = it->Av[i] - it->z[i];
            ss += s * s / w;
            sz += s * z;
            zz += z * z * w;
        }
    }
    memcpy(it->s, it->x, (size_t)system->n_packed * sizeof(double));
    memcpy(it->z, it->Av, (size_t)system->n_packed * sizeof(double));
    if (l == 0 || !(sz > 0.0)) {
        return 1.0;
    }
    double alpha = l % 2 ? ss / sz : sz / zz;
    return fmin(fmax(alpha, 0.1), 1e3);
}

// A stalled acceleration rests: plain steps clear what it learnt about contacts that have changed since.
void tn_cond_rest_or_resume(tn_cond_run *it, int l)
{
    bool resting = it->kind == TN_COND_PLAIN, adaptive = it->options.acceleration == TN_COND_ADAPTIVE;
    if (resting && l == it->rest_until) {
        tn_cond_use(it, adaptive ? TN_COND_CHEBYSHEV : it->options.acceleration);
        it->best_at = l;
        it->phase_merit = it->best_merit;
    } else if (!resting && !adaptive && l - it->best_at > STALL) {
        tn_cond_use(it, TN_COND_PLAIN);
        it->rest_until = l + REST;
    }
}

// At the end of a phase: go on with the acceleration that reduced the merit faster in its last phase, for its cost. The
// memory of the idle one grows, so that it gets another chance when the other slows down. When neither gets on with
// bodies, plain steps, twice as many each time: some contacts change state too slowly for what an acceleration learns
// to stay true.
void tn_cond_race(tn_cond_run *it, int l)
{
    if (it->kind == TN_COND_PLAIN || ++it->phase < TN_COND_PHASE) {
        return;
    }
    bool anderson = it->kind == TN_COND_ANDERSON, nodes = it->system->bodies.n_nodes > 0;
    double rate = log(it->phase_merit / it->best_merit) / (anderson && nodes ? ANDERSON_COST : 1.0);
    it->phase = 0;
    it->phase_merit = it->best_merit;
    it->idle_rate = fmax(1.25 * it->idle_rate, 0.01);
    if (rate > it->idle_rate) {
        return;
    }
    bool hopeless = !nodes && fmax(rate, it->idle_rate) < 0.1;
    it->idle_rate = rate;
    it->plain_steps = hopeless ? 2 * it->plain_steps : TN_COND_PHASE;
    it->rest_until = l + it->plain_steps;
    tn_cond_use(it, hopeless ? TN_COND_PLAIN : anderson ? TN_COND_CHEBYSHEV : TN_COND_ANDERSON);
}
