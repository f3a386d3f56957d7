#include "solver/packed_central.h"

#include "math/vec3.h"

#include <math.h>
#include <string.h>

// Relative error to which J must have the form. Sweeps in single precision round more than that.
static const double EXACT = 1e-9;

// A contact's rows n, t1, t2, and its two sides.
typedef struct rows {
    double frame[9];
    double push[2], turn[2]; // as in tn_central_pack, without the bodies' factors
} rows;

typedef struct finder {
    const tn_problem *problem;
    const tn_lines *lines;
    const bool *round; // (lines) the same inertia about every axis
    tn_central *central;
} finder;

static bool is_round(const tn_line_factor *f)
{
    const double *v = f->block[0], *w = f->block[1];
    double push = EXACT * v[0], turn = EXACT * w[0];
    return f->diagonal && fabs(v[2] - v[0]) <= push && fabs(v[5] - v[0]) <= push && fabs(w[2] - w[0]) <= turn &&
           fabs(w[5] - w[0]) <= turn;
}

// The entries of a line's velocity and spin; false unless the contact has each once.
static bool find_entries(const finder *b, int m, int line, const double *entry[2])
{
    const tn_contacts *c = b->problem->contacts;
    entry[0] = entry[1] = NULL;
    for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
        int at = b->lines->at[c->block[e]], half = at % TN_PACK / 3;
        if (at / TN_PACK == line) {
            if (entry[half]) {
                return false;
            }
            entry[half] = c->jacobian + 9 * (size_t)e;
        }
    }
    return entry[0] && entry[1];
}

static bool are_equal(const double a[3], double factor, const double b[3], double scale)
{
    double d[3] = {a[0] - factor * b[0], a[1] - factor * b[1], a[2] - factor * b[2]};
    return tn_vec3_dot(d, d) <= EXACT * EXACT * scale * scale;
}

// J's rows for a velocity: the frame or its opposite, which is left-handed.
static bool read_frame(const double *entry, double frame[9])
{
    double third[3];
    tn_vec3_cross(third, entry, entry + 3);
    double sign = tn_vec3_dot(third, entry + 6) > 0.0 ? 1.0 : -1.0;
    for (int i = 0; i < 9; ++i) {
        frame[i] = sign * entry[i];
    }
    bool units =
        fabs(tn_vec3_dot(frame, frame) - 1.0) <= EXACT && fabs(tn_vec3_dot(frame + 3, frame + 3) - 1.0) <= EXACT;
    return units && fabs(tn_vec3_dot(frame, frame + 3)) <= EXACT && are_equal(third, 1.0, frame + 6, 1.0);
}

// How a body's own axes lie, from J's rows for its spin: -turn t2 and turn t1.
static void set_axes(const double *frame, const double *entry, double turn, double Q[9])
{
    double own[9]; // n, t1, t2 in own axes
    tn_vec3_scale(own + 3, 1.0 / turn, entry + 6);
    tn_vec3_scale(own + 6, -1.0 / turn, entry + 3);
    tn_vec3_cross(own, own + 3, own + 6);
    for (int i = 0; i < 9; ++i) {
        int row = i / 3, column = i % 3;
        Q[i] = frame[row] * own[column] + frame[3 + row] * own[3 + column] + frame[6 + row] * own[6 + column];
    }
}

static void to_own(const double Q[9], const double world[3], double own[3])
{
    for (int i = 0; i < 3; ++i) {
        own[i] = Q[i] * world[0] + Q[3 + i] * world[1] + Q[6 + i] * world[2];
    }
}

// One side. A line's axes are made here where they are not known yet.
static bool read_side(const finder *b, int m, int line, rows *f, int side)
{
    const double *entry[2];
    if (!b->round[line] || !find_entries(b, m, line, entry)) {
        return false;
    }
    double length = tn_vec3_norm(entry[1] + 3);
    if (!(length > 0.0) || tn_vec3_dot(entry[1], entry[1]) > EXACT * EXACT * length * length ||
        (side == 0 && !read_frame(entry[0], f->frame))) {
        return false;
    }
    f->push[side] = tn_vec3_dot(entry[0], f->frame) > 0.0 ? 1.0 : -1.0;
    for (int i = 0; i < 9 && side > 0; i += 3) {
        if (!are_equal(entry[0] + i, f->push[side], f->frame + i, 1.0)) {
            return false;
        }
    }
    double *Q = b->central->axes + 9 * (size_t)line, own[6];
    if (!b->central->known[line]) {
        set_axes(f->frame, entry[1], length, Q);
        f->turn[side] = length;
        return fabs(tn_vec3_norm(entry[1] + 6) - length) <= EXACT * length &&
               fabs(tn_vec3_dot(entry[1] + 3, entry[1] + 6)) <= EXACT * length * length;
    }
    to_own(Q, f->frame + 3, own);
    to_own(Q, f->frame + 6, own + 3);
    f->turn[side] = tn_vec3_dot(entry[1] + 6, own);
    return are_equal(entry[1] + 6, f->turn[side], own, length) &&
           are_equal(entry[1] + 3, -f->turn[side], own + 3, length);
}

static bool read_form(const finder *b, int m, const int line[2], rows *f)
{
    memset(f, 0, sizeof *f);
    return line[0] >= 0 && read_side(b, m, line[0], f, 0) && (line[1] < 0 || read_side(b, m, line[1], f, 1));
}

// Scaled by the bodies' factors, in single precision; the axes of both sides are known from now on.
static void keep(const finder *b, int m, const int line[2], const rows *f)
{
    tn_central_form *to = b->central->form + m;
    memset(to, 0, sizeof *to);
    for (int i = 0; i < 3; ++i) {
        to->n[i] = (float)f->frame[i];
        to->t[i] = (float)f->frame[3 + i];
    }
    for (int side = 0; side < 2 && line[side] >= 0; ++side) {
        const tn_line_factor *factor = &b->lines->factors[line[side]];
        to->push[side] = (float)(f->push[side] * factor->block[0][0]);
        to->turn[side] = (float)(f->turn[side] * factor->block[1][0]);
        b->central->known[line[side]] = true;
    }
}

bool tn_central_find(const tn_problem *problem, const tn_lines *lines, const int *line, tn_arena *arena,
                     tn_central *out)
{
    int n = problem->contacts->n;
    bool *round = TN_PUSH(arena, bool, lines->n);
    *out = (tn_central){.is = TN_PUSH(arena, bool, n),
                        .form = TN_PUSH_RAW(arena, tn_central_form, n),
                        .axes = TN_PUSH_RAW(arena, double, 9 * (size_t)lines->n),
                        .known = TN_PUSH(arena, bool, lines->n)};
    if (!round || !out->is || !out->form || !out->axes || !out->known) {
        return false;
    }
    for (int i = 0; i < lines->n; ++i) {
        round[i] = is_round(&lines->factors[i]);
    }
    const finder b = {problem, lines, round, out};
    for (int m = 0; m < n; ++m) {
        rows f;
        out->is[m] = read_form(&b, m, line + 2 * (size_t)m, &f);
        if (out->is[m]) {
            keep(&b, m, line + 2 * (size_t)m, &f);
        }
    }
    return true;
}

void tn_central_fill(const tn_central_form *form, const int line[2], double mu, tn_central_pack *p, int lane)
{
    double w = 0.0, spin = 0.0;
    for (int side = 0; side < 2 && line[side] >= 0; ++side) {
        double push = (double)form->push[side], turn = (double)form->turn[side];
        p->push[side][lane] = form->push[side];
        p->turn[side][lane] = form->turn[side];
        p->place[side][lane] = TN_PACK * line[side];
        w += push * push;
        spin += turn * turn;
    }
    for (int i = 0; i < 3; ++i) {
        p->n[i][lane] = form->n[i];
        p->t[i][lane] = form->t[i];
    }
    p->inverse_w[lane] = (float)(1.0 / w);
    p->inverse_s[lane] = (float)(1.0 / (w + spin));
    p->mu[lane] = (float)mu;
}
