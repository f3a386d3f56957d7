#include "scene/units.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct unit {
    const char *name;
    double factor; // to SI
    tn_dimension dimension;
} unit;

#define PI 3.14159265358979323846

// Metre, kilogram, second, radian.
#define LENGTH                                                                                                         \
    {                                                                                                                  \
        1, 0, 0, 0                                                                                                     \
    }
#define MASS                                                                                                           \
    {                                                                                                                  \
        0, 1, 0, 0                                                                                                     \
    }
#define TIME                                                                                                           \
    {                                                                                                                  \
        0, 0, 1, 0                                                                                                     \
    }
#define ANGLE                                                                                                          \
    {                                                                                                                  \
        0, 0, 0, 1                                                                                                     \
    }
#define RATE                                                                                                           \
    {                                                                                                                  \
        0, 0, -1, 0                                                                                                    \
    }
#define FORCE                                                                                                          \
    {                                                                                                                  \
        1, 1, -2, 0                                                                                                    \
    }
#define PRESSURE                                                                                                       \
    {                                                                                                                  \
        -1, 1, -2, 0                                                                                                   \
    }
#define ENERGY                                                                                                         \
    {                                                                                                                  \
        2, 1, -2, 0                                                                                                    \
    }

static const unit units[] = {
    {"m", 1.0, LENGTH},     {"km", 1e3, LENGTH},       {"cm", 1e-2, LENGTH},
    {"mm", 1e-3, LENGTH},   {"um", 1e-6, LENGTH},      {"kg", 1.0, MASS},
    {"g", 1e-3, MASS},      {"mg", 1e-6, MASS},        {"t", 1e3, MASS},
    {"s", 1.0, TIME},       {"ms", 1e-3, TIME},        {"us", 1e-6, TIME},
    {"min", 60.0, TIME},    {"rad", 1.0, ANGLE},       {"deg", PI / 180, ANGLE},
    {"mrad", 1e-3, ANGLE},  {"rev", 2 * PI, ANGLE},    {"rpm", 2 * PI / 60, {0, 0, -1, 1}},
    {"Hz", 1.0, RATE},      {"N", 1.0, FORCE},         {"kN", 1e3, FORCE},
    {"mN", 1e-3, FORCE},    {"MN", 1e6, FORCE},        {"Pa", 1.0, PRESSURE},
    {"kPa", 1e3, PRESSURE}, {"MPa", 1e6, PRESSURE},    {"GPa", 1e9, PRESSURE},
    {"J", 1.0, ENERGY},     {"W", 1.0, {2, 1, -3, 0}},
};
enum { N_UNITS = (int)(sizeof units / sizeof *units) };

// strtod alone would also take hexadecimal, "infinity" and "nan(...)".
size_t tn_number_length(const char *text)
{
    const char *p = text;
    size_t digits = 0;
    p += *p == '+' || *p == '-';
    for (; *p >= '0' && *p <= '9'; p++) {
        digits++;
    }
    if (*p == '.') {
        for (p++; *p >= '0' && *p <= '9'; p++) {
            digits++;
        }
    }
    if (!digits) {
        return 0;
    }
    if (*p == 'e' || *p == 'E') {
        const char *q = p + 1;
        q += *q == '+' || *q == '-';
        if (*q >= '0' && *q <= '9') {
            p = q + strspn(q, "0123456789");
        }
    }
    return (size_t)(p - text);
}

static double number_value(const char *text)
{
    // Not strtod: a program that embeds us may have set a locale with a decimal comma.
    locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
    double value = plain ? strtod_l(text, NULL, plain) : strtod(text, NULL);
    if (plain) {
        freelocale(plain);
    }
    return value;
}

static const unit *find_unit(const char *name, size_t length)
{
    for (int i = 0; i < N_UNITS; i++) {
        if (strlen(units[i].name) == length && strncmp(units[i].name, name, length) == 0) {
            return &units[i];
        }
    }
    return NULL;
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// One factor of a unit, e.g. "s^2"; *p moves past it. sign -1 divides.
static bool parse_factor(const char **p, int sign, double *scale, int power[4])
{
    const char *name = *p;
    while (is_letter(**p)) {
        ++*p;
    }
    const unit *u = find_unit(name, (size_t)(*p - name));
    if (!u) {
        return false;
    }
    int exponent = 1;
    if (**p == '^') {
        ++*p;
        int minus = **p == '-';
        *p += minus;
        if (**p < '1' || **p > '4') {
            return false;
        }
        exponent = (minus ? -1 : 1) * (*(*p)++ - '0');
    }
    exponent *= sign;
    *scale *= pow(u->factor, exponent);
    power[0] += exponent * u->dimension.m;
    power[1] += exponent * u->dimension.kg;
    power[2] += exponent * u->dimension.s;
    power[3] += exponent * u->dimension.rad;
    return true;
}

// Factors joined by a space or '*', or by '/', which divides by the one factor that follows.
static bool parse_unit(const char *p, double *scale, int power[4])
{
    int sign = 1;
    for (int factors = 0; factors < 8; factors++) {
        if (!parse_factor(&p, sign, scale, power)) {
            return false;
        }
        p += strspn(p, " ");
        if (!*p) {
            return true;
        }
        sign = *p == '/' ? -1 : 1;
        p += *p == '/' || *p == '*';
        p += strspn(p, " ");
    }
    return false;
}

tn_number_status tn_number_parse(const char *text, tn_dimension dimension, double *value)
{
    static const char *const not_finite[] = {".inf", "-.inf", "+.inf", ".nan", "inf", "-inf", "nan", ".Inf", ".NaN"};
    for (size_t i = 0; i < sizeof not_finite / sizeof *not_finite; i++) {
        if (strcmp(text, not_finite[i]) == 0) {
            return TN_NUMBER_LARGE;
        }
    }
    size_t length = tn_number_length(text);
    if (!length) {
        return TN_NUMBER_NOT;
    }
    double x = number_value(text);
    const char *rest = text + length;
    rest += strspn(rest, " ");
    if (*rest) {
        double scale = 1.0;
        int power[4] = {0};
        if (!parse_unit(rest, &scale, power)) {
            return TN_NUMBER_UNIT;
        }
        if (power[0] != dimension.m || power[1] != dimension.kg || power[2] != dimension.s ||
            power[3] != dimension.rad) {
            return TN_NUMBER_MISMATCH;
        }
        x *= scale;
    }
    if (!isfinite(x)) {
        return TN_NUMBER_LARGE;
    }
    *value = x;
    return TN_NUMBER_OK;
}

static bool same_dimension(tn_dimension a, tn_dimension b)
{
    return a.m == b.m && a.kg == b.kg && a.s == b.s && a.rad == b.rad;
}

const char *tn_dimension_unit(tn_dimension dimension, char *text, size_t size)
{
    // The dimensions that scenes use, in the words that people use.
    static const struct {
        tn_dimension dimension;
        const char *name;
    } named[] = {
        {{0, 0, 0, 0}, ""},
        {LENGTH, "m"},
        {MASS, "kg"},
        {TIME, "s"},
        {ANGLE, "rad"},
        {{2, 0, 0, 0}, "m^2"},
        {{4, 0, 0, 0}, "m^4"},
        {{-1, 0, 0, 0}, "1/m"},
        {{1, 0, -1, 0}, "m/s"},
        {{1, 1, -1, 0}, "N s"},
        {{0, 0, -1, 1}, "rad/s"},
        {{0, 0, -2, 1}, "rad/s^2"},
        {{1, 0, -2, 0}, "m/s^2"},
        {{-3, 1, 0, 0}, "kg/m^3"},
        {{2, 1, 0, 0}, "kg m^2"},
        {FORCE, "N"},
        {ENERGY, "N m"},
        {{0, 1, -2, 0}, "N/m"},
        {{0, 1, -1, 0}, "N s/m"},
        {{0, -1, 1, 0}, "s/kg"},
        {{-1, 0, 1, 0}, "s/m"},
        {{0, -1, 2, 0}, "m/N"},
        {{-2, -1, 2, 1}, "rad/N/m"},
        {{2, 1, -2, -1}, "N m/rad"},
        {{2, 1, -1, -1}, "N m s/rad"},
        {{0, 0, -1, 0}, "Hz"},
        {PRESSURE, "Pa"},
    };
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        if (same_dimension(named[i].dimension, dimension)) {
            snprintf(text, size, "%s", named[i].name);
            return text;
        }
    }
    snprintf(text, size, "m^%d kg^%d s^%d rad^%d", dimension.m, dimension.kg, dimension.s, dimension.rad);
    return text;
}

int tn_unit_names(const char *const **names)
{
    static const char *const list[] = {"m",  "km", "cm",  "mm",  "um",  "kg",   "g",   "mg",  "t",  "s",
                                       "ms", "us", "min", "rad", "deg", "mrad", "rev", "rpm", "Hz", "N",
                                       "kN", "mN", "MN",  "Pa",  "kPa", "MPa",  "GPa", "J",   "W"};
    _Static_assert(sizeof list / sizeof *list == N_UNITS, "a unit is missing in the list");
    *names = list;
    return N_UNITS;
}
