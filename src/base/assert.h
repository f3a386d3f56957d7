// TN_ASSERT: our own bugs. Live in debug and check builds (TN_CHECKS), free otherwise.
#pragma once

#ifdef TN_CHECKS
#include <stdio.h>
#include <stdlib.h>
#define TN_ASSERT(condition)                                                                                           \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: assertion failed: %s\n", __FILE__, __LINE__, #condition);                          \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)
#else
#define TN_ASSERT(condition) ((void)0)
#endif
