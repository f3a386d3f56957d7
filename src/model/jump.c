#include "model/jump.h"

#include <math.h>

static const double LEAST = 1e-12;    // [m, rad] what is less is no way
static const double ROUNDING = 1e-14; // of the values
enum { HALVINGS = 20 };               // of a step: what happens within a millionth of it is a jump

// Change over [a, b] beyond what the least of three rates there explains, which is all of a jump's: a kink or a ramp
// may show a large rate at one of them.
static double sudden(const tn_value *value, double a, double b)
{
    double rate = tn_value_rate(value, a);
    const double others[2] = {tn_value_rate(value, 0.5 * (a + b)), tn_value_rate(value, b)};
    for (int k = 0; k < 2; k++) {
        rate = fabs(others[k]) < fabs(rate) ? others[k] : rate;
    }
    return tn_value_at(value, b) - tn_value_at(value, a) - (b - a) * rate;
}

// Rates by Simpson's rule explain the way over [a, b]: smooth, as nearly every step is.
static bool is_smooth(const tn_value *value, double a, double b)
{
    const double part = 1e-3;
    double first = tn_value_rate(value, a), middle = tn_value_rate(value, 0.5 * (a + b)),
           last = tn_value_rate(value, b);
    double change = tn_value_at(value, b) - tn_value_at(value, a), h = b - a;
    double way = fabs(change) + h * (fabs(first) + fabs(middle) + fabs(last));
    return fabs(change - h / 6.0 * (first + 4.0 * middle + last)) <= part * way;
}

bool tn_value_jump(const tn_value *value, double from, double to, double *size, double *time)
{
    const double part = 1e-3; // of the way in the step: smaller jumps are none
    double a = from, b = to;
    if (!value->program || is_smooth(value, a, b)) {
        return false;
    }
    double middle = 0.5 * (a + b), start = tn_value_at(value, a), end = tn_value_at(value, b);
    double way = fabs(tn_value_at(value, middle) - start) + fabs(end - tn_value_at(value, middle));
    for (int k = 0; k < HALVINGS && middle > a && middle < b; k++) {
        if (fabs(sudden(value, a, middle)) > fabs(sudden(value, middle, b))) {
            b = middle;
        } else {
            a = middle;
        }
        middle = 0.5 * (a + b);
    }
    *size = sudden(value, a, b);
    *time = b;
    return fabs(*size) > fmax(part * way, LEAST + ROUNDING * (fabs(start) + fabs(end)));
}
