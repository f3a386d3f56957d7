// The words of kernels' vectors. TN_VECTOR(INLINE, NAME, NUMBER, BYTES) makes the type NAME of BYTES / sizeof(NUMBER)
// lanes, and NAME_load, NAME_store (from and to any address) and NAME_all (the same number in each lane);
// TN_VECTOR_MASK(INLINE, NAME, INTEGER, BYTES) the type NAME_mask that comparisons of NAMEs give, and NAME_choose.
// INLINE: how they are declared, with the instruction set of the file where vectors are wider than 32 bytes.
#pragma once

#include <string.h>

// Not every file needs all of them.
#define TN_MAYBE __attribute__((unused))

#define TN_VECTOR(INLINE, NAME, NUMBER, BYTES)                                                                         \
    typedef NUMBER NAME __attribute__((vector_size(BYTES)));                                                           \
    TN_MAYBE INLINE NAME NAME##_load(const NUMBER p[])                                                                 \
    {                                                                                                                  \
        NAME x;                                                                                                        \
        memcpy(&x, p, sizeof x);                                                                                       \
        return x;                                                                                                      \
    }                                                                                                                  \
    TN_MAYBE INLINE void NAME##_store(NUMBER p[], NAME x)                                                              \
    {                                                                                                                  \
        memcpy(p, &x, sizeof x);                                                                                       \
    }                                                                                                                  \
    TN_MAYBE INLINE NAME NAME##_all(NUMBER a)                                                                          \
    {                                                                                                                  \
        return a - (NAME){0};                                                                                          \
    }

// Lanes of a mask are -1 or 0.
#define TN_VECTOR_MASK(INLINE, NAME, INTEGER, BYTES)                                                                   \
    typedef INTEGER NAME##_mask __attribute__((vector_size(BYTES)));                                                   \
    TN_MAYBE INLINE NAME NAME##_choose(NAME##_mask mask, NAME yes, NAME no)                                            \
    {                                                                                                                  \
        return (NAME)((mask & (NAME##_mask)yes) | (~mask & (NAME##_mask)no));                                          \
    }
