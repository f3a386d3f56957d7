// What the narrow phase reads of every surface, gathered once a step; and the list of contacts while it grows. Private
// to this room.
#pragma once

#include "collide/broad.h"
#include "collide/collide.h"
#include "collide/motion.h"
#include "shape/class.h"
#include "shape/skin.h"

enum { TN_CHUNK = 32 }; // vertices of a soft body that are bounded and worked on as one

// How the vertices of a soft body move.
typedef struct tn_soft_motion {
    double mean[3];   // [m/s]
    double deviation; // largest from the mean [m/s]
    double speed;     // largest [m/s]
} tn_soft_motion;

// A sphere or disk, in one cache line: most pairs of these are dealt with by it alone.
typedef struct tn_ball {
    double centre[3], velocity[3]; // of the centre [m], [m/s]
    double radius;                 // [m]; INFINITY: the shape is neither
    float spin;                    // of its body, or a little more [rad/s]
    bool is_sphere;
} tn_ball;

// Memory that the pairs use one after the other.
typedef enum tn_scratch_use {
    TN_SCRATCH_HITS,
    TN_SCRATCH_COUNTS,
    TN_SCRATCH_FLAGS,
    TN_SCRATCH_LIST,
    TN_SCRATCH_FOUND,
    TN_SCRATCH_USES
} tn_scratch_use;

typedef struct tn_collide_view {
    const tn_model *model;
    const tn_state *state;
    tn_arena *arena;
    int n_threads;
    bool joining;               // only what may join a list is wanted: tn_collide_joining
    double step;                // h [s]
    double fall;                // h^2 |g|: what gravity adds to any way [m]
    int n_listed, *listed;      // (n_listed) surfaces that something moving may meet, ascending; of other shapes of
                                // fixed bodies, and of these bodies, nothing of what follows is set
    tn_body_motion *motion;     // (n_bodies)
    tn_pose *pose;              // (n_shapes) world
    tn_placed *placed;          // (n_shapes) the same, spelled out; only where the bounds are numbers
    double *way;                // (tn_side_count) most that a point of the surface may go within the step [m]
    tn_ball *ball;              // (n_shapes)
    tn_bounds *bounds;          // (tn_side_count) grown by the way (joining: half of it) and half the margin
    int n_half_spaces;          // planes
    tn_half_space *half_spaces; // (n_half_spaces) grown likewise
    tn_soft_motion *soft;       // (n_softs)
    int *first_chunk;           // (n_softs + 1)
    tn_bounds *chunk;           // (first_chunk[n_softs]) of the vertices, not grown
    tn_skin *skins;             // (n_softs) of the model, or NULL until asked for: soft_hit.h
    tn_skin_view *skin;         // (n_softs) likewise
    void *scratch[TN_SCRATCH_USES];
    size_t scratch_bytes[TN_SCRATCH_USES];
} tn_collide_view;

// The caller sets model, state, arena, n_threads and joining.
tn_status tn_collide_view_set(tn_collide_view *view, tn_error *error);

// What the bounds of a shape are grown by besides half the margin [m]. For what may join a list bodies go as they do,
// without the blows and the fall that double the way.
static inline double tn_bounds_growth(const tn_collide_view *view, int shape)
{
    return view->joining ? 0.5 * view->way[shape] : view->way[shape];
}

// count times size bytes that hold until the next call for this use; contents are not kept. NULL: no memory.
void *tn_collide_scratch(tn_collide_view *view, tn_scratch_use use, size_t count, size_t size);

// A contact with a soft side and what it will point to.
typedef struct tn_soft_contact {
    tn_contact contact;
    double frame[9];
    tn_soft_point a, b;
} tn_soft_contact;

typedef struct tn_contact_buffer {
    int n, capacity;
    tn_soft_contact *contacts;
    tn_arena *arena;
} tn_contact_buffer;

// Room for n more contacts; false: no memory.
bool tn_contact_buffer_reserve(tn_contact_buffer *buffer, int n);

// Makes the contacts of a pair: what they have in common, and the last frame, which the next one often shares.
typedef struct tn_contact_maker {
    const tn_collide_view *view;
    tn_soft_contact last; // without soft points
} tn_contact_maker;

void tn_contact_maker_set(tn_contact_maker *maker, const tn_collide_view *view, const tn_shape_pair *pair);

// All of a contact but where it acts on soft bodies. point: midway between the surfaces [m].
void tn_contact_make(tn_contact_maker *maker, uint32_t feature, const double normal[3], const double point[3],
                     double gap, tn_soft_contact *out);
