// The certificate's figures of contacts, from forces and velocities that are there.
#pragma once

#include "base/arena.h"
#include "kernels/certificate_lanes.h"
#include "tenon/problem.h"

// All figures but momentum and joint; out is zero in them, fclib NaN. TN_NO_MEMORY only.
tn_status tn_certificate_add_contacts(const tn_problem *problem, const tn_certificate_rows *rows, int n_threads,
                                      tn_arena *arena, tn_certificate *out);
