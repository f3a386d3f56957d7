#include "foundation.h"

#include <math.h>
#include <string.h>

static const double MASS = 8.0, INERTIA = 8.0 / 6.0, GRAVITY = 9.81, HALF = 0.5;

foundation foundation_create(double force, int elements, double modulus)
{
    return (foundation){.force = force, .K = modulus / ((double)elements * elements), .B = 1.0, .elements = elements};
}

void foundation_start(double y[FOUNDATION_STATE])
{
    memset(y, 0, FOUNDATION_STATE * sizeof *y);
    y[2] = HALF;
    y[6] = 1.0;
}

// Sum of the elements' forces l, and of l times their places p and q on the face.
typedef struct load {
    double sum, p, q;
} load;

// Along a row gap and force are straight lines of the place: value at the first element, and per element.
typedef struct line {
    double first, step;
} line;

static void add_plainly(line gap, line force, int n, double p, load *out)
{
    for (int j = 0; j < n; j++) {
        double l = force.first + j * force.step;
        if (gap.first + j * gap.step < 0.0 && l > 0.0) {
            out->sum += l;
            out->p += p * l;
            out->q += ((2 * j + 1.0) / n - 1.0) * HALF * l;
        }
    }
}

// Elements low..high are those where the line is above 0 (strictly).
static void cut(line l, int *low, int *high)
{
    if (l.step == 0.0) {
        *high = l.first > 0.0 ? *high : *low - 1;
        return;
    }
    double zero = -l.first / l.step;
    if (l.step > 0.0) {
        *low = zero < *low ? *low : zero >= *high ? *high + 1 : (int)floor(zero) + 1;
    } else {
        *high = zero > *high ? *high : zero <= *low ? *low - 1 : (int)ceil(zero) - 1;
    }
}

static void add_row(line gap, line force, int n, double p, load *out)
{
    int low = 0, high = n - 1;
    cut((line){-gap.first, -gap.step}, &low, &high);
    if (low <= high) {
        cut(force, &low, &high);
    }
    if (low > high) {
        return;
    }
    double count = high - low + 1, middle = 0.5 * (low + high), at_middle = force.first + middle * force.step;
    double sum = count * at_middle, spread = count * (count * count - 1.0) / 12.0; // of (j - middle)^2
    out->sum += sum;
    out->p += p * sum;
    out->q += (((2.0 * middle + 1.0) / n - 1.0) * sum + 2.0 / n * spread * force.step) * HALF;
}

void foundation_rates(foundation *f, double t, const double *y, double *dy)
{
    double w = y[6], a = y[7], b = y[8], c = y[9];
    // Scaled by the quaternion's norm, so that it need not stay 1.
    double s = 2.0 / (w * w + a * a + b * b + c * c);
    double R[3][3] = {{1 - s * (b * b + c * c), s * (a * b - w * c), s * (a * c + w * b)},
                      {s * (a * b + w * c), 1 - s * (a * a + c * c), s * (b * c - w * a)},
                      {s * (a * c - w * b), s * (b * c + w * a), 1 - s * (a * a + b * b)}};
    const double *v = y + 3, *o = y + 10;
    // Height and its rate of the face's point (p, q, -1/2): linear in p and q.
    double height[3] = {R[2][0], R[2][1], y[2] - HALF * R[2][2]}, rate[3];
    for (int j = 0; j < 3; j++) {
        double turned = o[0] * R[1][j] - o[1] * R[0][j];
        rate[j] = j < 2 ? turned : v[2] - HALF * turned;
    }
    load l = {0};
    int n = f->elements;
    double side = 2.0 * HALF / n, q = (1.0 / n - 1.0) * HALF;
    for (int i = 0; i < n; i++) {
        double p = ((2 * i + 1.0) / n - 1.0) * HALF;
        line gap = {height[2] + p * height[0] + q * height[1], side * height[1]};
        line closing = {rate[2] + p * rate[0] + q * rate[1], side * rate[1]};
        line force = {-f->K * gap.first - f->B * closing.first, -f->K * gap.step - f->B * closing.step};
        (f->plainly ? add_plainly : add_row)(gap, force, n, p, &l);
    }
    double aside[2] = {HALF * cos(10.0 * t), HALF * sin(10.0 * t)}, torque[2], arm[2];
    for (int i = 0; i < 2; i++) { // arms of the foundation's force times that force, and of the load
        arm[i] = R[i][0] * l.p + R[i][1] * l.q - HALF * R[i][2] * l.sum;
        aside[i] = f->body_point ? HALF * (R[i][0] * cos(10.0 * t) + R[i][1] * sin(10.0 * t) + R[i][2]) : aside[i];
    }
    torque[0] = arm[1] - f->force * aside[1];
    torque[1] = -arm[0] + f->force * aside[0];
    const double out[FOUNDATION_STATE] = {v[0],
                                          v[1],
                                          v[2],
                                          0.0,
                                          0.0,
                                          (l.sum - f->force) / MASS - GRAVITY,
                                          -0.5 * (o[0] * a + o[1] * b + o[2] * c),
                                          0.5 * (o[0] * w + o[1] * c - o[2] * b),
                                          0.5 * (-o[0] * c + o[1] * w + o[2] * a),
                                          0.5 * (o[0] * b - o[1] * a + o[2] * w),
                                          torque[0] / INERTIA,
                                          torque[1] / INERTIA,
                                          0.0};
    memcpy(dy, out, sizeof out);
    f->evaluations++;
}

void foundation_solve(foundation *f, double end, int n, double y[FOUNDATION_STATE])
{
    double h = end / n, d[4][FOUNDATION_STATE], u[FOUNDATION_STATE];
    for (int i = 0; i < n; i++) {
        double t = i * h;
        foundation_rates(f, t, y, d[0]);
        for (int s = 1; s < 4; s++) {
            double part = s == 3 ? h : 0.5 * h;
            for (int j = 0; j < FOUNDATION_STATE; j++) {
                u[j] = y[j] + part * d[s - 1][j];
            }
            foundation_rates(f, t + part, u, d[s]);
        }
        for (int j = 0; j < FOUNDATION_STATE; j++) {
            y[j] += h / 6.0 * (d[0][j] + 2.0 * d[1][j] + 2.0 * d[2][j] + d[3][j]);
        }
    }
}

double foundation_distance(const double a[FOUNDATION_STATE], const double b[FOUNDATION_STATE])
{
    double square = 0.0;
    for (int j = 0; j < 10; j++) {
        square += j < 3 || j > 5 ? (a[j] - b[j]) * (a[j] - b[j]) : 0.0;
    }
    return sqrt(square);
}
