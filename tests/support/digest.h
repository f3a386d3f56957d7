// Hash of all that a step leaves: states, contacts, certificate, iterations; times are no part of it. On top of
// scenario.h.
#pragma once

#include "scenario.h"

#include "base/hash.h"

static inline uint64_t digest_step(uint64_t hash, const scenario *s)
{
    for (int b = 0; b < tn_model_body_count(s->model); b++) {
        double row[13];
        tn_state_body_pose(s->state, b, row, row + 3);
        tn_state_body_velocity(s->state, b, row + 7, row + 10);
        hash = tn_hash_bytes(hash, row, sizeof row);
    }
    for (int b = tn_model_body_count(s->model); b < tn_model_body_count(s->model) + tn_model_soft_count(s->model);
         b++) {
        size_t bytes = 3 * (size_t)tn_model_node_count(s->model, b) * sizeof(double);
        hash = tn_hash_bytes(hash, tn_state_nodes(s->state, b), bytes);
    }
    for (int i = 0; i < tn_sim_contact_count(s->sim); i++) {
        tn_contact_info c;
        tn_sim_contact(s->sim, i, &c);
        const int bodies[2] = {c.body_a, c.body_b};
        hash = tn_hash_bytes(hash, bodies, sizeof bodies);
        hash = tn_hash_bytes(hash, c.point, sizeof c.point);
        hash = tn_hash_bytes(hash, c.normal, sizeof c.normal);
        hash = tn_hash_bytes(hash, &c.gap, sizeof c.gap);
        hash = tn_hash_bytes(hash, c.force, sizeof c.force);
        hash = tn_hash_bytes(hash, c.velocity, sizeof c.velocity);
    }
    hash = tn_hash_bytes(hash, &s->report.solve.certificate, sizeof s->report.solve.certificate);
    hash = tn_hash_bytes(hash, &s->report.solve.iterations, sizeof s->report.solve.iterations);
    hash = tn_hash_bytes(hash, &s->report.energy, sizeof s->report.energy);
    return hash;
}

// Of n_steps steps.
static inline uint64_t digest_run(scenario *s, int n_steps, uint64_t hash)
{
    for (int k = 0; k < n_steps; k++) {
        scenario_step(s);
        hash = digest_step(hash, s);
    }
    return hash;
}
