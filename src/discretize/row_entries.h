// Jacobian entries of one contact: how its bodies' and nodes' velocities move the touching points.
#pragma once

#include "collide/collide.h"
#include "discretize/balance.h"
#include "kernels/point_rows.h"

// What the sinks of one thread have in common. Contacts of one pair follow one another.
typedef struct tn_row_tools {
    tn_point_rows_function *rows;
    bool any_belt;         // any shape is a conveyor
    int body[2];           // whose rotation this is, of sides a and b; -1: none yet
    double rotation[2][9]; // of their principal axes
} tn_row_tools;

tn_row_tools tn_row_tools_of(const tn_model *model);

// Where a contact's entries and prescribed velocities go.
typedef struct tn_row_sink {
    const tn_model *model;
    const tn_state *state;
    const tn_balance *balance;
    tn_row_tools *tools; // tn_row_fill_point's
    const double *frame;
    int n;           // entries so far
    int *block;      // (n)
    double *entry;   // (n, 9)
    double *surface; // (3) velocity in the frame [m/s]; of a moment [rad/s]
} tn_row_sink;

// At most so many entries.
int tn_row_entry_count(const tn_model *model, const tn_contact *contact);
// Of the velocity of b's point relative to a's.
void tn_row_fill_point(tn_row_sink *sink, const tn_contact *contact);
// Of the angular velocity of b relative to a, both rigid: at most two entries.
void tn_row_fill_spin(tn_row_sink *sink, const tn_contact *contact);
