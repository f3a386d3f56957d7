// One body compiled for each instruction set, and which of them this processor runs.
//
// For .c files of kernels. Multiplications and additions are not fused: the bits are the same in every variant.
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

typedef enum tn_instructions { TN_BASELINE, TN_AVX2, TN_AVX512 } tn_instructions;

static inline bool tn_processor_has(tn_instructions set)
{
#if defined(__x86_64__)
    switch (set) {
    case TN_AVX512:
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vl");
    case TN_AVX2:
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
    default:
        return true;
    }
#else
    return set == TN_BASELINE;
#endif
}

// The same by name: "avx512", "avx2", "baseline".
static inline bool tn_processor_runs(const char *kind)
{
    return strcmp(kind, "avx512") == 0 ? tn_processor_has(TN_AVX512)
           : strcmp(kind, "avx2") == 0 ? tn_processor_has(TN_AVX2)
                                       : strcmp(kind, "baseline") == 0;
}

// NAME_body, an inlined function, becomes NAME_baseline, NAME_avx2 and NAME_avx512. TN_BEST(NAME) is the one for this
// processor, TN_NAMED(NAME, kind) that of a name, NULL if unknown or the processor lacks it.
// TN_WIDE_VARIANTS: the body's first argument says whether the set has vectors of 32 bytes (kernels/sell_rows.h).
#define TN_VARIANTS(name, parameters, arguments) TN_EACH_VARIANT(name, parameters, arguments, arguments)
#define TN_WIDE_VARIANTS(name, parameters, ...)                                                                        \
    TN_EACH_VARIANT(name, parameters, (false, __VA_ARGS__), (true, __VA_ARGS__))
#if defined(__x86_64__)
#define TN_EACH_VARIANT(name, parameters, narrow, wide)                                                                \
    typedef void name##_function parameters;                                                                           \
    static void name##_baseline parameters                                                                             \
    {                                                                                                                  \
        name##_body narrow;                                                                                            \
    }                                                                                                                  \
    __attribute__((target("avx2"))) static void name##_avx2 parameters                                                 \
    {                                                                                                                  \
        name##_body wide;                                                                                              \
    }                                                                                                                  \
    __attribute__((target("avx512f,avx512vl"))) static void name##_avx512 parameters                                   \
    {                                                                                                                  \
        name##_body wide;                                                                                              \
    }
#define TN_BEST(name)                                                                                                  \
    (tn_processor_has(TN_AVX512) ? name##_avx512 : tn_processor_has(TN_AVX2) ? name##_avx2 : name##_baseline)
#define TN_NAMED(name, kind)                                                                                           \
    (!tn_processor_runs(kind)      ? NULL                                                                              \
     : strcmp(kind, "avx512") == 0 ? name##_avx512                                                                     \
     : strcmp(kind, "avx2") == 0   ? name##_avx2                                                                       \
                                   : name##_baseline)
#else
#define TN_EACH_VARIANT(name, parameters, narrow, wide)                                                                \
    typedef void name##_function parameters;                                                                           \
    static void name##_baseline parameters                                                                             \
    {                                                                                                                  \
        name##_body narrow;                                                                                            \
    }
#define TN_BEST(name) (name##_baseline)
#define TN_NAMED(name, kind) (tn_processor_runs(kind) ? name##_baseline : NULL)
#endif
