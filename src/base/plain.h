// Numbers with a decimal point, as files have them, whatever locale the program around has set (de_DE has a comma).
#pragma once

#include <locale.h>

// The locale "C" for what this thread prints and reads until tn_plain_end; without memory for it all stays as it is.
typedef struct tn_plain {
    locale_t own, before;
} tn_plain;

static inline tn_plain tn_plain_begin(void)
{
    tn_plain plain = {.own = newlocale(LC_ALL_MASK, "C", (locale_t)0)};
    plain.before = plain.own ? uselocale(plain.own) : (locale_t)0;
    return plain;
}

static inline void tn_plain_end(tn_plain plain)
{
    if (plain.own) {
        uselocale(plain.before);
        freelocale(plain.own);
    }
}
