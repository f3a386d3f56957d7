// Contact rows of a free rigid body's point, the innermost piece of a step's set-up: vectorised.
#pragma once

#include <stdbool.h>

// With v the body's linear velocity in the world and omega in its own axes (rotation: those axes as columns), arm from
// its centre to the point [m] and the three directions frame (rows, world):
//
//     sign * frame * velocity of the point = entry[0..8] v + entry[9..17] omega,
//     entry[0..8] = sign * frame, row i of entry[9..17] = rotation^T (arm x (sign * frame_i))
//
// sign is 1 or -1. In the scalar formula's own order: the bits are the same for every instruction set.
typedef void tn_point_rows_function(const double frame[9], const double rotation[9], const double arm[3], double sign,
                                    double entry[18]);

// The one for this processor.
tn_point_rows_function *tn_point_rows_best(void);
// "avx512", "avx2" or "baseline"; NULL where the processor lacks it. For tests.
tn_point_rows_function *tn_point_rows_with(const char *kind);
