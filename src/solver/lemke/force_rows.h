// Products R A^-1 R^T of all rows of a force form.
#pragma once

#include "solver/lemke/force_form.h"

// all (width, width): without Omega and compliances. A in small parts, or by its factor.
tn_status tn_force_rows_by_parts(const tn_force_form *form, double *all, tn_arena *arena, tn_error *error);
tn_status tn_force_rows_by_factor(const tn_force_form *form, double *all, tn_arena *arena, tn_error *error);
