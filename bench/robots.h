// What the bench of robots plays.
#pragma once

// The humanoid of `path`, n times, turned at random and in layers above one another, as one MJCF text; the caller frees
// it. NULL: the file cannot be read.
char *robots_heap(const char *path, int n);
