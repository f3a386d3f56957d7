#include "solver/lemke/lcp.h"

#include "kernels/pivot.h"
#include "problem/problem.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

// Variables: w_i is i, z_i is n + i, the covering z_0 is 2 n.
//
// The dictionary T (n, width): basic_i = T[i][n + 1] + sum_j T[i][j] nonbasic_j, j = 0 .. n.
typedef struct dictionary {
    const tn_lcp *lcp;
    const double *cover;
    int n;
    size_t width;   // numbers a row, padded
    double *T;      // (n, width)
    double *row;    // (width) the pivot row
    double *excess; // (n) scratch
    double *x;      // (n + 1) values of z and z_0; scratch
    int *basic;     // (n) variable of each row
    int *nonbasic;  // (n + 1) variable of each column
    int *row_of;    // (2 n + 1) row of each basic variable, else -1
    int *column_of; // (2 n + 1) column of each nonbasic variable, else -1
    int ray;        // column that no row blocks; -1: none yet
    int *candidate; // (n) scratch
    tn_lcp_report *report;
} dictionary;

// Everything below is relative to |q|_inf = 1 and M's entries about 1.
static const double RATIO = 1e-12;   // differences of the right-hand side that count as ties
static const double ENTRY = 1e-10;   // of the column's largest entry: smaller ones count as zero
static const double ORDER = 1e-9;    // differences that count as ties in the lexicographic comparison
static const double EXACT = 1e-14;   // residual that needs no correction
static const double TRUSTED = 1e-11; // residual after a correction that a sound dictionary stays below
static const double FAR = 1e9;       // z of the variable that grows most, where a ray is told of
enum { CHECK_EVERY = 32 };

static double *entry(const dictionary *d, int i, int j)
{
    return d->T + (size_t)i * d->width + (size_t)j;
}

static bool create(dictionary *d, const tn_lcp *lcp, const double *cover, tn_lcp_report *report, tn_arena *arena)
{
    int n = lcp->n;
    size_t width = ((size_t)n + 2 + 7) / 8 * 8;
    *d = (dictionary){.lcp = lcp, .cover = cover, .n = n, .width = width, .ray = -1, .report = report};
    d->T = TN_PUSH_RAW(arena, double, (size_t)n *width);
    d->row = TN_PUSH(arena, double, width);
    d->excess = TN_PUSH_RAW(arena, double, n);
    d->x = TN_PUSH_RAW(arena, double, n + 1);
    d->basic = TN_PUSH_RAW(arena, int, n);
    d->nonbasic = TN_PUSH_RAW(arena, int, n + 1);
    d->row_of = TN_PUSH_RAW(arena, int, 2 * n + 1);
    d->column_of = TN_PUSH_RAW(arena, int, 2 * n + 1);
    d->candidate = TN_PUSH_RAW(arena, int, n);
    return d->T && d->row && d->excess && d->x && d->basic && d->nonbasic && d->row_of && d->column_of && d->candidate;
}

// The dictionary with all w basic.
static void start(dictionary *d)
{
    int n = d->n;
    for (int i = 0; i < n; ++i) {
        double *to = entry(d, i, 0);
        memcpy(to, d->lcp->M + (size_t)i * (size_t)n, (size_t)n * sizeof *to);
        memset(to + n, 0, (d->width - (size_t)n) * sizeof *to);
        to[n] = d->cover[i];
        to[n + 1] = d->lcp->q[i];
        d->basic[i] = i;
        d->nonbasic[i] = n + i;
        d->row_of[i] = i;
        d->row_of[n + i] = -1;
        d->column_of[i] = -1;
        d->column_of[n + i] = i;
    }
    d->nonbasic[n] = 2 * n;
    d->row_of[2 * n] = -1;
    d->column_of[2 * n] = n;
}

// Exchange the basic variable of row r and the nonbasic one of column c.
static void pivot(dictionary *d, int r, int c)
{
    double *from = entry(d, r, 0), inverse = 1.0 / from[c];
    for (size_t j = 0; j < d->width; ++j) {
        d->row[j] = -from[j] * inverse;
    }
    d->row[c] = inverse;
    tn_pivot_rows(d->n, d->width, d->T, r, c, d->row);
    memcpy(from, d->row, d->width * sizeof *from);
    int in = d->nonbasic[c], out = d->basic[r];
    d->basic[r] = in;
    d->nonbasic[c] = out;
    d->row_of[in] = r;
    d->column_of[in] = -1;
    d->row_of[out] = -1;
    d->column_of[out] = c;
    ++d->report->pivots;
}

// ---- rounding

// excess = q + M z + d z_0 - w of the basic solution; returns its largest.
static double find_excess(dictionary *d)
{
    int n = d->n;
    for (int j = 0; j <= n; ++j) {
        int row = d->row_of[n + j];
        d->x[j] = row < 0 ? 0.0 : *entry(d, row, n + 1);
    }
    double most = 0.0;
    for (int i = 0; i < n; ++i) {
        const double *m = d->lcp->M + (size_t)i * (size_t)n;
        double sum = d->lcp->q[i] + d->cover[i] * d->x[n];
        for (int j = 0; j < n; ++j) {
            sum += m[j] * d->x[j];
        }
        d->excess[i] = sum - (d->row_of[i] < 0 ? 0.0 : *entry(d, d->row_of[i], n + 1));
        most = fmax(most, fabs(d->excess[i]));
    }
    return most;
}

// Row i of the basis' inverse, number k: how basic_i answers to q_k.
static double inverse_entry(const dictionary *d, int i, int k)
{
    return d->column_of[k] >= 0 ? -*entry(d, i, d->column_of[k]) : d->basic[i] == k ? 1.0 : 0.0;
}

static void correct(dictionary *d)
{
    for (int i = 0; i < d->n; ++i) {
        double sum = 0.0;
        for (int k = 0; k < d->n; ++k) {
            sum += d->excess[k] == 0.0 ? 0.0 : inverse_entry(d, i, k) * d->excess[k];
        }
        *entry(d, i, d->n + 1) += sum;
    }
}

// Makes the right-hand side exact to rounding. False: the basis is lost.
static bool refresh(dictionary *d)
{
    double off = find_excess(d);
    for (int k = 0; k < 3 && off > EXACT; ++k) {
        correct(d);
        double now = find_excess(d);
        if (!(now < 0.5 * off)) {
            off = now;
            break;
        }
        off = now;
    }
    return off <= TRUSTED;
}

// ---- the ratio test

// Rows i and k, both blocking with ratio a = entries' sizes: negative if i comes first in lexicographic order.
static int compare(const dictionary *d, int i, int k, double ai, double ak)
{
    for (int j = 0; j < d->n; ++j) {
        double x = inverse_entry(d, i, j) / ai, y = inverse_entry(d, k, j) / ak;
        if (fabs(x - y) > ORDER * (1.0 + fabs(x) + fabs(y))) {
            return x < y ? -1 : 1;
        }
    }
    return 0;
}

// The row that blocks column c first; -1: none does. first: the start, where c is z_0 and all rows count.
static int choose_row(dictionary *d, int c, bool at_start)
{
    int n = d->n, candidates = 0;
    double largest = 0.0, least = INFINITY;
    for (int i = 0; i < n; ++i) {
        largest = fmax(largest, fabs(*entry(d, i, c)));
    }
    double zero = ENTRY * largest, sign = at_start ? 1.0 : -1.0;
    for (int i = 0; i < n; ++i) {
        double a = sign * *entry(d, i, c), q = *entry(d, i, n + 1);
        if (a > zero) {
            double ratio = at_start ? q / a : (fmax(q, 0.0) + RATIO) / a;
            least = fmin(least, ratio);
        }
    }
    for (int i = 0; i < n; ++i) {
        double a = sign * *entry(d, i, c), q = *entry(d, i, n + 1);
        if (a > zero && q / a <= (at_start ? least + RATIO : least)) {
            if (d->basic[i] == 2 * n) {
                return i; // z_0 may leave: done
            }
            d->candidate[candidates++] = i;
        }
    }
    if (candidates == 0) {
        return -1;
    }
    int best = d->candidate[0];
    for (int k = 1; k < candidates; ++k) {
        int i = d->candidate[k];
        if (compare(d, i, best, fabs(*entry(d, i, c)), fabs(*entry(d, best, c))) < 0) {
            best = i;
        }
    }
    return best;
}

// ---- the method

static tn_lcp_end follow(dictionary *d, int max_pivots)
{
    int n = d->n, row = choose_row(d, n, true), leaving = d->basic[row];
    pivot(d, row, n);
    while (leaving != 2 * n) {
        if (d->report->pivots >= max_pivots || (d->lcp->of && tn_problem_stopped(d->lcp->of))) {
            return TN_LCP_CAP;
        }
        if (d->report->pivots % CHECK_EVERY == 0 && !refresh(d)) {
            return TN_LCP_LOST;
        }
        int c = d->column_of[leaving < n ? leaving + n : leaving - n]; // the complement enters
        row = choose_row(d, c, false);
        if (row < 0) {
            d->ray = c;
            return TN_LCP_RAY;
        }
        leaving = d->basic[row];
        pivot(d, row, c);
    }
    return refresh(d) ? TN_LCP_SOLVED : TN_LCP_LOST;
}

// z far out on the ray: who grows without end is told apart by it.
static void follow_ray(const dictionary *d, double *z)
{
    int n = d->n, entering = d->nonbasic[d->ray];
    double most = entering >= n ? 1.0 : 0.0;
    for (int i = 0; i < n; ++i) {
        most = d->basic[i] >= n ? fmax(most, *entry(d, i, d->ray)) : most;
    }
    double way = most > 0.0 ? FAR / most : 0.0;
    for (int j = 0; j < n; ++j) {
        int row = d->row_of[n + j];
        double value = row < 0 ? 0.0 : *entry(d, row, n + 1) + way * *entry(d, row, d->ray);
        z[j] = n + j == entering ? way : fmax(0.0, value);
    }
}

// max |min(z, q + M z)|.
static double residual_of(const tn_lcp *lcp, const double *z)
{
    double most = 0.0;
    for (int i = 0; i < lcp->n; ++i) {
        const double *m = lcp->M + (size_t)i * (size_t)lcp->n;
        double w = lcp->q[i];
        for (int j = 0; j < lcp->n; ++j) {
            w += m[j] * z[j];
        }
        most = fmax(most, fabs(fmin(z[i], w)));
    }
    return most;
}

// q, and a share of spread between a half and one for each.
static bool spread_out(const tn_lcp *lcp, double spread, tn_arena *arena, tn_lcp *out)
{
    double *q = TN_PUSH_RAW(arena, double, lcp->n);
    for (int i = 0; q && i < lcp->n; ++i) {
        unsigned mixed = ((unsigned)i + 1u) * 2654435761u >> 12;
        q[i] = lcp->q[i] + spread * (0.5 + (double)(mixed % 65536u) / 131072.0);
    }
    *out = (tn_lcp){.n = lcp->n, .M = lcp->M, .q = q};
    return q != NULL;
}

tn_lcp_end tn_lcp_lemke(const tn_lcp *lcp, const double *cover, double spread, int max_pivots, tn_arena *arena,
                        double *z, tn_lcp_report *report)
{
    int n = lcp->n;
    *report = (tn_lcp_report){0};
    double least = 0.0;
    for (int i = 0; i < n; ++i) {
        least = fmin(least, lcp->q[i]);
        z[i] = 0.0;
    }
    if (least >= 0.0) {
        return TN_LCP_SOLVED;
    }
    tn_arena_mark mark = tn_arena_get_mark(arena);
    dictionary d;
    tn_lcp apart = *lcp;
    tn_lcp_end end = TN_LCP_MEMORY;
    if ((spread == 0.0 || spread_out(lcp, spread, arena, &apart)) && create(&d, &apart, cover, report, arena)) {
        start(&d);
        end = follow(&d, max_pivots);
        d.lcp = lcp;
        if (end == TN_LCP_SOLVED && spread > 0.0 && !refresh(&d)) {
            end = TN_LCP_LOST;
        }
        if (end == TN_LCP_RAY) {
            follow_ray(&d, z);
        }
        for (int j = 0; end == TN_LCP_SOLVED && j < n; ++j) {
            int row = d.row_of[n + j];
            z[j] = row < 0 ? 0.0 : fmax(0.0, *entry(&d, row, n + 1));
        }
    }
    tn_arena_release(arena, mark);
    report->residual = residual_of(lcp, z);
    return end;
}
