// The columns of a recording: one table that the writer, the reader and docs/recording.md share.
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef enum tn_column_id {
    TN_COLUMN_STEP,
    TN_COLUMN_POSES,
    TN_COLUMN_VELOCITIES,
    TN_COLUMN_ITERATIONS,
    TN_COLUMN_TOLERANCES_HELD,
    TN_COLUMN_CERTIFICATE,                         // first of the certificate's figures, in the order of tn_certificate
    TN_COLUMN_TIMING = TN_COLUMN_CERTIFICATE + 11, // collide, discretize, solve, certify, total
    TN_COLUMN_ENERGY = TN_COLUMN_TIMING + 5,       // kinetic, gravity, elastic, dissipated, injected, balance
    TN_COLUMN_MOMENTUM = TN_COLUMN_ENERGY + 6,
    TN_COLUMN_ANGULAR_MOMENTUM,
    TN_COLUMN_PLAN, // first of the planner's figures, in the order of tn_plan_note; only of scenes with `mpc`
    TN_COLUMN_PLAN_POSES = TN_COLUMN_PLAN + 9,
    TN_COLUMN_ASLEEP,            // only in recordings of scenes whose bodies may sleep
    TN_COLUMN_CERTIFICATE_JOINT, // the figures of joints, only in recordings with joints
    TN_COLUMN_CERTIFICATE_DRIFT,
    TN_COLUMN_JOINT_FORCE,
    TN_COLUMN_JOINT_TORQUE,
    TN_COLUMN_JOINT_VIOLATION,
    TN_COLUMN_JOINT_COORDINATE,
    TN_COLUMN_JOINT_RATE,
    TN_COLUMN_JOINT_EFFORT,
    TN_COLUMN_JOINT_CONDITION,
    TN_COLUMN_SOFT_ENERGY,
    TN_COLUMN_NODE_POSITIONS,
    TN_COLUMN_NODE_VELOCITIES,
    TN_COLUMN_STRESS,
    TN_COLUMN_SENSOR_READING,
    TN_COLUMN_CONTACT_BODIES, // contacts from here on: a row a contact
    TN_COLUMN_CONTACT_POINT,
    TN_COLUMN_CONTACT_NORMAL,
    TN_COLUMN_CONTACT_GAP,
    TN_COLUMN_CONTACT_FORCE,
    TN_COLUMN_CONTACT_VELOCITY,
    TN_COLUMN_CONTACT_PATCH,  // only in recordings with a foundation
    TN_COLUMN_CONTACT_OFFSET, // a row a frame again
    TN_COLUMN_TIME,           // written last: a frame counts when its time is there
    TN_COLUMN_COUNT
} tn_column_id;

enum { TN_PLAN_FIGURES = TN_COLUMN_PLAN_POSES - TN_COLUMN_PLAN };

typedef enum tn_column_type { TN_COLUMN_F64, TN_COLUMN_F32, TN_COLUMN_I64, TN_COLUMN_I32, TN_COLUMN_U8 } tn_column_type;

// What a column has numbers for. Frames and contacts: a row each; edges: a row a contact; the others: a row a frame
// that holds them all.
typedef enum tn_column_per {
    TN_PER_FRAME,
    TN_PER_CONTACT,
    TN_PER_EDGE,    // a row a contact: of the element of a foundation that it stands for
    TN_PER_BODY,    // rigid and soft ones
    TN_PER_JOINTED, // once a frame where there are joints
    TN_PER_SLEEPY,  // once a frame where bodies may sleep
    TN_PER_PLANNED, // once a frame where there is a controller
    TN_PER_AHEAD,   // likewise, for each rigid body at each of TN_PLAN_POSES times of the plan
    TN_PER_JOINT,
    TN_PER_COORDINATE, // free ones of joints
    TN_PER_READING,    // numbers of sensors
    TN_PER_SOFT,
    TN_PER_NODE,
    TN_PER_TET,
    TN_PER_COUNT
} tn_column_per;

// Items a row, by tn_column_per: 1 for frames and contacts. A column of no items is not in the file; tetrahedra count
// 0 unless stress is recorded.
typedef struct tn_column_items {
    int n[TN_PER_COUNT];
} tn_column_items;

typedef struct tn_column {
    const char *path; // in the file, without the leading '/'
    const char *unit;
    const char *about;
    tn_column_type type;
    int width; // numbers an item; 1: the dataset has no dimension for it
    tn_column_per per;
    int n_written; // rows there from the start: 1 for contacts/offset
} tn_column;

extern const tn_column tn_columns[TN_COLUMN_COUNT];

static inline bool tn_column_by_contact(const tn_column *column) // a row a contact
{
    return column->per == TN_PER_CONTACT || column->per == TN_PER_EDGE;
}

static inline bool tn_column_once(const tn_column *column) // once a frame, in recordings that have it
{
    return column->per == TN_PER_FRAME || column->per == TN_PER_JOINTED || column->per == TN_PER_SLEEPY ||
           column->per == TN_PER_PLANNED;
}

size_t tn_column_row_bytes(const tn_column *column, const tn_column_items *items); // 0: the column is not there
// The dataset's dimensions: dims[0] is left to the caller, unused ones are 1. Returns how many there are.
int tn_column_dims(const tn_column *column, const tn_column_items *items, size_t dims[3]);
