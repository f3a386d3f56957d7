#include "discretize/align.h"

#include <math.h>
#include <stddef.h>

// Rows 1 and 2, `width` numbers each.
static void turn_rows(double c, double s, int width, double *t1, double *t2)
{
    for (int k = 0; k < width; k++) {
        double x = t1[k], y = t2[k];
        t1[k] = c * x + s * y;
        t2[k] = c * y - s * x;
    }
}

void tn_contact_align(const double slip[2], double least, int n, double *entry, double w[3], double frame[9])
{
    double speed = sqrt(slip[0] * slip[0] + slip[1] * slip[1]), sign = slip[0] < 0.0 ? -1.0 : 1.0;
    if (!(speed > least) || slip[1] == 0.0) {
        return;
    }
    double c = sign * slip[0] / speed, s = sign * slip[1] / speed;
    for (int e = 0; e < n; e++) {
        turn_rows(c, s, 3, entry + 9 * (size_t)e + 3, entry + 9 * (size_t)e + 6);
    }
    turn_rows(c, s, 1, w + 1, w + 2);
    turn_rows(c, s, 3, frame + 3, frame + 6);
}
