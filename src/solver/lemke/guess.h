// A solution of the polyhedral law near given forces: which contacts are open, stick or slide in which direction is
// read from them, the linear system of that guess solved, and the guess read anew (semismooth Newton on the map of
// Alart and Curnier). Redundant contacts are held by a proximal term that refinement takes out again.
#pragma once

#include "solver/lemke/force_form.h"

// lambda (contacts->n, 3) and f (n_bounded): start in, solution out. True: the law holds to rounding (1e-12 of the
// largest force); else lambda and f are spoilt. *rounds counts the systems solved.
bool tn_lemke_guess(const tn_force_form *form, tn_arena *arena, double *lambda, double *f, int *rounds);
