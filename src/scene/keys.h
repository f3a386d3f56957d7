// Shorthand for the tables of spec.h: the columns that nearly every row has.
#pragma once

#include "base/most.h"
#include "scene/spec.h"

#define KEYS(table) .n_keys = (int)(sizeof(table) / sizeof *(table)), .keys = (table)
#define AT(type, field) .offset = offsetof(type, field)

// Units: powers of metre, kilogram, second and radian.
#define METRES .unit = {1, 0, 0, 0}
#define RADIANS .unit = {0, 0, 0, 1}
#define SECONDS .unit = {0, 0, 1, 0}
#define KILOGRAMS .unit = {0, 1, 0, 0}
#define M_PER_S .unit = {1, 0, -1, 0}
#define RAD_PER_S .unit = {0, 0, -1, 1}
#define NEWTONS .unit = {1, 1, -2, 0}
#define NEWTON_METRES .unit = {2, 1, -2, 0}
#define N_PER_M .unit = {0, 1, -2, 0}
#define N_S_PER_M .unit = {0, 1, -1, 0}
#define N_M_PER_RAD .unit = {2, 1, -2, -1}
#define N_M_S_PER_RAD .unit = {2, 1, -1, -1}
#define PASCALS .unit = {-1, 1, -2, 0}
#define KG_PER_M3 .unit = {-3, 1, 0, 0}

// Ranges: any number, and what `infinite` makes rigid.
#define ANY .low = -LARGE, .high = LARGE
#define UP_TO_RIGID .high = LARGE, .above = true, .infinite = true

enum { COUNT_MAX = 1000 * 1000 };
#define LARGE TN_MOST

// The smallest values that mean something, so that their inverses and products stay finite.
#define STEP_MIN 1e-12     // s: light goes a third of a millimetre
#define MASS_MIN 1e-18     // kg: a virus
#define DENSITY_MIN 1e-9   // kg/m^3: a high vacuum
#define RELATIVE_MIN 1e-16 // the rounding of a number: no residual gets below it
#define LENGTH_MIN 1e-18   // m, and m/s of velocities: the rounding of a centimetre
