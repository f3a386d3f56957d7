// Velocities at the start that joints do not allow, in words.
#pragma once

#include "sim/start_velocity.h"

// A line behind the label where there is something to say.
void cli_start_print(const tn_model *model, const tn_start_velocity *start, const char *label);
