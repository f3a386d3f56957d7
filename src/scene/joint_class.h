// What each kind of joint holds and leaves free: one row of the table in joint_class.c. Keys, rows, coordinates, trees
// and Jacobians ask it. With a_0, a_1, a_2 the axes of the joint's frame on body a, b_0, b_1, b_2 those on b, and d the
// way from a's origin to b's (model/joint_geometry.h has the formulas).
#pragma once

#include "scene/scene.h"

// What is held of the rotation; so many rows.
typedef enum tn_joint_turning {
    TN_TURNING_FREE,
    TN_TURNING_ACROSS, // b_1 across a_0
    TN_TURNING_AXIS,   // b_0 along a_0
    TN_TURNING_LOCKED,
} tn_joint_turning;

// One more row, with those of translations; of what rolls two.
typedef enum tn_joint_tie {
    TN_TIE_NONE,
    TN_TIE_SCREW,       // d . a_0 to the angle about it
    TN_TIE_DISTANCE,    // |d|, in place of d . a_i
    TN_TIE_ROLLING,     // the velocities of both bodies' material where a ball about b's origin touches a plane of a
    TN_TIE_COORDINATES, // of two other joints
} tn_joint_tie;

typedef struct tn_joint_class {
    bool has_axis;            // a scene says one; else that of a is the world's x
    bool complete;            // coordinates, of a sphere its rotation, say all of how b stands to a
    int held_first, held_end; // d . a_i is held for held_first <= i < held_end
    tn_joint_tie tie;
    tn_joint_turning turning;
    int n_coordinates;
    tn_joint_axis axis[TN_JOINT_COORDINATES]; // of its coordinates, ascending
} tn_joint_class;

extern const tn_joint_class tn_joint_classes[TN_JOINT_KINDS];
extern const char *const tn_joint_kind_names[TN_JOINT_KINDS + 1]; // the last is NULL
extern const char *const tn_joint_axis_names[TN_AXIS_COUNT];

// Rows of translations, which come first, and all that it holds.
static inline int tn_joint_slide_rows(tn_joint_kind kind)
{
    const tn_joint_class *c = &tn_joint_classes[kind];
    return c->held_end - c->held_first + (c->tie != TN_TIE_NONE) + (c->tie == TN_TIE_ROLLING);
}
static inline int tn_joint_row_count(tn_joint_kind kind)
{
    return tn_joint_slide_rows(kind) + (int)tn_joint_classes[kind].turning;
}

// Which of a's axes a translation that is free goes along: the first one, or two, that are not held.
static inline int tn_joint_slide_axis(tn_joint_kind kind, tn_joint_axis slide)
{
    const tn_joint_class *c = &tn_joint_classes[kind];
    return (c->held_first > 0 ? 0 : c->held_end) + (slide == TN_AXIS_SLIDE2);
}

// Whether it leaves this coordinate free.
static inline bool tn_joint_has_axis(tn_joint_kind kind, tn_joint_axis axis)
{
    const tn_joint_class *c = &tn_joint_classes[kind];
    bool has = false;
    for (int k = 0; k < c->n_coordinates; k++) {
        has = has || c->axis[k] == axis;
    }
    return has;
}

// Rates of a tree's joint: of its coordinates, of a sphere the three of its rotation.
static inline int tn_joint_rate_count(tn_joint_kind kind)
{
    return kind == TN_JOINT_SPHERICAL ? 3 : tn_joint_classes[kind].n_coordinates;
}

// What a gear that holds nothing acts along, slide or turn; TN_AXIS_COUNT: it holds.
static inline tn_joint_axis tn_gear_axis(const tn_scene_joint *gear)
{
    return gear->drive[TN_AXIS_SLIDE].said  ? TN_AXIS_SLIDE
           : gear->drive[TN_AXIS_TURN].said ? TN_AXIS_TURN
                                            : TN_AXIS_COUNT;
}
