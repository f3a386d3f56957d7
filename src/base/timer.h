// Monotonic wall clock for the timings in reports; never an input of the physics.
#pragma once

double tn_timer_now(void); // [s]
