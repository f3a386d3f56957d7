// For "did you mean".
#pragma once

// The nearest of n names by edit distance, NULL if none is near enough to be a slip of the pen.
const char *tn_name_nearest(const char *name, int n, const char *const *names);
