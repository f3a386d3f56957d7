// Jumps of what is prescribed: ways that an expression of time makes in no time.
#pragma once

#include "scene/scene.h"

#include <stdbool.h>

// The largest jump of value within (from, to] [s], and just after it *time [s]; false: there is none above a thousandth
// of the way in the step. What happens within a millionth of a step is a jump; kinks and wider ramps are none.
bool tn_value_jump(const tn_value *value, double from, double to, double *size, double *time);
