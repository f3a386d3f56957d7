// SHA-256 of all that a step leaves: states, contacts, certificate, iterations; times are no part of it. On top of
// scenario.h.
#pragma once

#include "scenario.h"

#include "base/sha256.h"

static inline void digest_step(tn_sha256 *sha, const scenario *s)
{
    for (int b = 0; b < tn_model_body_count(s->model); b++) {
        double row[13];
        tn_state_body_pose(s->state, b, row, row + 3);
        tn_state_body_velocity(s->state, b, row + 7, row + 10);
        tn_sha256_add(sha, row, sizeof row);
    }
    for (int b = tn_model_body_count(s->model); b < tn_model_body_count(s->model) + tn_model_soft_count(s->model);
         b++) {
        size_t bytes = 3 * (size_t)tn_model_node_count(s->model, b) * sizeof(double);
        tn_sha256_add(sha, tn_state_nodes(s->state, b), bytes);
    }
    for (int i = 0; i < tn_sim_contact_count(s->sim); i++) {
        tn_contact_info c;
        tn_sim_contact(s->sim, i, &c);
        const int bodies[2] = {c.body_a, c.body_b};
        tn_sha256_add(sha, bodies, sizeof bodies);
        tn_sha256_add(sha, c.point, sizeof c.point);
        tn_sha256_add(sha, c.normal, sizeof c.normal);
        tn_sha256_add(sha, &c.gap, sizeof c.gap);
        tn_sha256_add(sha, c.force, sizeof c.force);
        tn_sha256_add(sha, c.velocity, sizeof c.velocity);
    }
    tn_sha256_add(sha, &s->report.solve.certificate, sizeof s->report.solve.certificate);
    tn_sha256_add(sha, &s->report.solve.iterations, sizeof s->report.solve.iterations);
    tn_sha256_add(sha, &s->report.energy, sizeof s->report.energy);
}

// n_steps steps, all of them in the digest text.
static inline void digest_run(scenario *s, int n_steps, char text[65])
{
    tn_sha256 sha;
    unsigned char bytes[32];
    tn_sha256_start(&sha);
    for (int k = 0; k < n_steps; k++) {
        scenario_step(s);
        digest_step(&sha, s);
    }
    tn_sha256_finish(&sha, bytes);
    tn_sha256_hex(bytes, text);
}
