// Shorthand for the tables of spec.h: the columns that nearly every row has.
#pragma once

#include "scene/spec.h"

#define KEYS(table) .n_keys = (int)(sizeof(table) / sizeof *(table)), .keys = (table)
#define AT(type, field) .offset = offsetof(type, field)
#define M_PER_S                                                                                                        \
    {                                                                                                                  \
        1, 0, -1, 0                                                                                                    \
    }
#define RAD_PER_S                                                                                                      \
    {                                                                                                                  \
        0, 0, -1, 1                                                                                                    \
    }

enum { COUNT_MAX = 1000 * 1000 };
#define LARGE 1e30 // beyond any scene: keeps products finite
