// Numbers with units: "10 ms", "20 deg", "80 kPa", "1e5 N s/m"; SI where no unit is given.
#pragma once

#include <stdbool.h>
#include <stddef.h>

// Powers of metre, kilogram, second and radian. Angles are a dimension of their own, so that "20 deg" is no length.
typedef struct tn_dimension {
    signed char m, kg, s, rad;
} tn_dimension;

typedef enum tn_number_status {
    TN_NUMBER_OK,
    TN_NUMBER_NOT,      // text does not begin like a number
    TN_NUMBER_LARGE,    // beyond a double's range, inf or nan
    TN_NUMBER_UNIT,     // the unit is unknown
    TN_NUMBER_MISMATCH, // the unit measures something else
} tn_number_status;

// Length of the number that text begins with (sign, digits, point, exponent), 0 if it begins otherwise.
size_t tn_number_length(const char *text);

// value of text in SI units, checked against dimension.
tn_number_status tn_number_parse(const char *text, tn_dimension dimension, double *value);

// The SI unit of a dimension, e.g. "N s/m", "m/s^2", "" if it has none. For messages and the reference.
const char *tn_dimension_unit(tn_dimension dimension, char *text, size_t size);

// Names of all units, for the reference. Returns their number.
int tn_unit_names(const char *const **names);
