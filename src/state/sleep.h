// Which bodies are asleep, and what is kept of their islands until they wake.
#pragma once

#include "state/state.h"
#include "tenon/sim.h"

// A contact of a sleeping island as it was in its last step.
typedef struct tn_sleep_contact {
    int island;
    tn_contact_memory memory;
    tn_contact_info info;
} tn_sleep_contact;

typedef struct tn_sleep_island {
    int name;                         // its lowest body
    double gravity, contacts, joints; // its energy: potential, springs of contacts, springs in joints [J]
    tn_certificate certificate;       // of the step in which it fell asleep
} tn_sleep_island;

typedef struct tn_sleep {
    int *still;  // (n_bodies) steps in a row in which a free body was slow and nothing drove it
    int *island; // (n_bodies) the island of a sleeping body; 0: awake; negative at a name while it is marked
    int n_islands;
    tn_sleep_island *islands; // (n_islands, room for n_bodies) in the order in which they fell asleep
    int n_contacts, capacity;
    tn_sleep_contact *contacts; // (n_contacts) likewise
    tn_joint_info *joints;      // (n_joints) of joints of sleeping bodies
    uint64_t key;               // of all but still: what is made of it is good while this stays
} tn_sleep;

// All awake, in arena, but for contacts, which grow (tn_free). NULL: no memory.
tn_sleep *tn_sleep_create(const tn_model *model, tn_arena *arena);
tn_status tn_sleep_copy(const tn_model *model, tn_sleep *to, const tn_sleep *from, tn_error *error);
// Room for n contacts; those that are there are kept.
tn_status tn_sleep_reserve(tn_sleep *sleep, int n, tn_error *error);
uint64_t tn_sleep_hash(const tn_model *model, const tn_sleep *sleep, uint64_t hash);
// Once it has changed.
void tn_sleep_set_key(const tn_model *model, tn_sleep *sleep);

static inline bool tn_state_sleeps(const tn_state *state, int body)
{
    return state->sleep && body < state->model->n_bodies && state->sleep->island[body] > 0;
}
bool tn_sleep_has_joint(const tn_state *state, int joint);
int tn_sleep_count(const tn_state *state); // bodies asleep
// The island of a body, if it sleeps, is to wake; then all such wake. TN_NO_MEMORY: they sleep on.
void tn_sleep_mark(tn_state *state, int body);
tn_status tn_sleep_wake_marked(tn_state *state, tn_error *error);

// Checkpoints: bytes of what is asleep, to a buffer and from it (room is reserved).
size_t tn_sleep_bytes(const tn_model *model, size_t n_islands, size_t n_contacts);
void tn_sleep_move(bool pack, const tn_model *model, tn_sleep *sleep, char *buffer);
// Bytes in the direction of packing or of unpacking; returns the place behind. And a contact of the last step.
char *tn_state_move(bool pack, char *at, void *data, size_t size);
char *tn_state_move_memory(bool pack, char *at, tn_contact_memory *memory);
