// What the files that fill contact rows share (rows.h): contacts first, then springs and adhesion, then frictions.
#pragma once

#include "discretize/rows.h"

// The arrays behind tn_rows while they are written.
typedef struct tn_row_arrays {
    double *offset, *gap, *mu, *preload, *softness, *jacobian, *frame;
    int *start, *block, *pressed_by;
    unsigned char *friction_set;
} tn_row_arrays;

// What the rows of a step are made of.
typedef struct tn_row_work {
    const tn_model *model;
    const tn_state *state;
    const tn_contact_list *list;
    const tn_balance *balance;
    const tn_joint_step *joints;
    const struct tn_bend *bends; // (n_bodies)
    double touch;
    tn_row_arrays rows;
    tn_contact_rows *out;
} tn_row_work;

// Rolling and torsional friction of the list's contacts: how many of them have it; and behind the contacts.
int tn_rows_count_moments(const tn_model *model, const tn_contact_list *list);
void tn_rows_add_moments(const tn_row_work *work);
// Dry friction of spherical and planar joints, behind these. False: no memory.
bool tn_rows_add_balls(const tn_row_work *work, tn_arena *arena);

// Preload of contacts that pull, and the rows of those that give way; before frictions.
void tn_rows_share_adhesion(const tn_row_work *work);
void tn_rows_give_springs(const tn_row_work *work);
