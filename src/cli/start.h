// Velocities at the start that joints do not allow, in words.
#pragma once

#include "tenon/check.h"

// A line behind the label where there is something to say.
void cli_start_print(const tn_model *model, const tn_velocity_mismatch *start, const char *label);
