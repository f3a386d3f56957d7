// Kinds of problems that auto's routes are for. What one takes for granted is excluded by those before it in the table.
#pragma once

#include "solver/auto/route.h"

enum {
    TN_AUTO_EARLY_CONTACTS = 100, // rigid bodies: others take over from sweeps whatever the contacts are like
    TN_AUTO_FEW_CONTACTS = 200,   // an explicit J A^-1 J^T of elastic bodies, or any solve of rigid ones, is affordable
};

bool tn_is_polyhedral(const tn_problem *problem); // for pivots: facets, and no friction beside the contacts'
// A figure is demanded that sweeps hardly reach in a heap of rigid bodies.
bool tn_is_tight(const tn_traits *t);

// No contacts.
bool tn_is_large_and_free(const tn_traits *t);
bool tn_is_mechanism(const tn_traits *t);
bool tn_is_free(const tn_traits *t);

bool tn_is_for_pivots(const tn_traits *t);

// Joints and contacts.
bool tn_is_jointed_and_small(const tn_traits *t);
bool tn_is_jointed_and_crowded(const tn_traits *t); // of these
bool tn_is_jointed_and_rubs(const tn_traits *t);    // rigid, not too many contacts
bool tn_is_jointed_for_sweeps(const tn_traits *t);
bool tn_is_jointed_and_elastic(const tn_traits *t);
bool tn_is_jointed_and_thick(const tn_traits *t); // of these: tetrahedra, for sweeps over nodes
bool tn_is_thin(const tn_blocks *A);              // of rods, not of tetrahedra
bool tn_is_jointed(const tn_traits *t);           // of rigid ones, those that others leave

bool tn_rolls(const tn_traits *t);

// Contacts alone.
bool tn_is_elastic(const tn_traits *t);
bool tn_is_crowd(const tn_traits *t);
bool tn_is_a_few(const tn_traits *t);
bool tn_is_planar_and_small(const tn_traits *t);
bool tn_is_small(const tn_traits *t);
bool tn_is_program(const tn_traits *t);
bool tn_has_rows(const tn_traits *t);
// After sweeps.
bool tn_is_slow(const tn_traits *t);
bool tn_is_hard(const tn_traits *t);
bool tn_is_stubborn(const tn_traits *t);
bool tn_is_stubborn_and_local(const tn_traits *t);
