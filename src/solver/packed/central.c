#include "solver/packed/central.h"

#include "base/fetch.h"
#include "base/team.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

// Relative error to which J must have the form. Sweeps in single precision round more than that.
static const double EXACT = 1e-9;

// From so many contacts on they come from memory; so far ahead they are asked for.
enum { MANY = 8192, AHEAD = 8 };

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
    const tn_rows *c = b->problem->rows;
    entry[0] = entry[1] = NULL;
    for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
        unsigned at = (unsigned)b->lines->at[c->block[e]], half = at % TN_PACK / 3;
        if (at / TN_PACK == (unsigned)line) {
            if (entry[half]) {
                return false;
            }
            entry[half] = c->jacobian + 9 * (size_t)e;
        }
    }
    return entry[0] && entry[1];
}

// a = factor b, to an error relative to the root of square.
static bool are_equal(const double a[3], double factor, const double b[3], double square)
{
    double d[3] = {a[0] - factor * b[0], a[1] - factor * b[1], a[2] - factor * b[2]};
    return tn_vec3_dot(d, d) <= EXACT * EXACT * square;
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

// Whether the normal goes through the line's centre; *square: the turn's.
static bool is_through_centre(const double *entry, double *square)
{
    *square = tn_vec3_dot(entry + 3, entry + 3);
    return *square > 0.0 && tn_vec3_dot(entry, entry) <= EXACT * EXACT * *square;
}

// J of a contact.
TN_FETCH_INLINE void fetch_rows(const tn_rows *c, int m)
{
    int first = c->start[m], end = c->start[m + 1];
    tn_fetch(c->block + first, 1);
    tn_fetch(c->jacobian + 9 * (size_t)first, 9 * (size_t)(end - first) * sizeof *c->jacobian);
}

// A line's axes, from the first contact on it.
static bool find_axes(const finder *b, int line, int m)
{
    const double *entry[2];
    double frame[9], square;
    if (!b->round[line] || m < 0 || !find_entries(b, m, line, entry) || !is_through_centre(entry[1], &square) ||
        !read_frame(entry[0], frame)) {
        return false;
    }
    set_axes(frame, entry[1], sqrt(square), b->central->axes + 9 * (size_t)line);
    return fabs(tn_vec3_dot(entry[1] + 6, entry[1] + 6) - square) <= EXACT * square &&
           fabs(tn_vec3_dot(entry[1] + 3, entry[1] + 6)) <= EXACT * square;
}

// One side, whose line is known.
static bool read_side(const finder *b, int m, int line, rows *f, int side)
{
    const double *entry[2];
    double square, own[6];
    if (!find_entries(b, m, line, entry) || !is_through_centre(entry[1], &square) ||
        (side == 0 && !read_frame(entry[0], f->frame))) {
        return false;
    }
    f->push[side] = tn_vec3_dot(entry[0], f->frame) > 0.0 ? 1.0 : -1.0;
    for (int i = 0; i < 9 && side > 0; i += 3) {
        if (!are_equal(entry[0] + i, f->push[side], f->frame + i, 1.0)) {
            return false;
        }
    }
    const double *Q = b->central->axes + 9 * (size_t)line;
    to_own(Q, f->frame + 3, own);
    to_own(Q, f->frame + 6, own + 3);
    f->turn[side] = tn_vec3_dot(entry[1] + 6, own);
    return are_equal(entry[1] + 6, f->turn[side], own, square) &&
           are_equal(entry[1] + 3, -f->turn[side], own + 3, square);
}

static bool read_form(const finder *b, int m, const int line[2], rows *f)
{
    memset(f, 0, sizeof *f);
    return read_side(b, m, line[0], f, 0) && (line[1] < 0 || read_side(b, m, line[1], f, 1));
}

// Scaled by the bodies' factors, in single precision.
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
    }
}

// The first contact on each line, -1: none.
static void find_first(int n, const int *line, int n_lines, int *first)
{
    for (int i = 0; i < n_lines; ++i) {
        first[i] = -1;
    }
    for (int m = n - 1; m >= 0; --m) {
        const int *l = line + 2 * (size_t)m;
        for (int side = 0; side < 2 && l[0] != -2; ++side) {
            if (l[side] >= 0) {
                first[l[side]] = m;
            }
        }
    }
}

// What the contact some places on will need.
TN_FETCH_INLINE void fetch_ahead(const finder *b, const int *line, int m)
{
    const tn_rows *c = b->problem->rows;
    if (c->n_triples >= MANY && m + AHEAD < c->n_triples) {
        fetch_rows(c, m + AHEAD);
        for (int side = 0; side < 2; ++side) {
            int l = line[2 * (size_t)(m + AHEAD) + (size_t)side];
            if (l >= 0) {
                tn_fetch(b->central->axes + 9 * (size_t)l, 9 * sizeof *b->central->axes);
                tn_fetch(b->lines->factors + l, sizeof *b->lines->factors);
            }
        }
    }
}

// The same for lines, which take the first contact of each.
TN_FETCH_INLINE void fetch_first(const finder *b, const int *first, int i)
{
    if (b->problem->rows->n_triples >= MANY && i + AHEAD < b->lines->n && first[i + AHEAD] >= 0) {
        fetch_rows(b->problem->rows, first[i + AHEAD]);
    }
}

static void find_line(const finder *b, bool *round, const int *first, int i)
{
    fetch_first(b, first, i);
    round[i] = is_round(&b->lines->factors[i]);
    b->central->known[i] = find_axes(b, i, first[i]);
}

static void find_contact(const finder *b, const int *line, int m)
{
    const int *own = line + 2 * (size_t)m;
    const bool *known = b->central->known;
    b->central->is[m] = false;
    if (own[0] >= 0 && known[own[0]] && (own[1] < 0 || known[own[1]])) {
        rows f;
        fetch_ahead(b, line, m);
        b->central->is[m] = read_form(b, m, own, &f);
        if (b->central->is[m]) {
            keep(b, m, own, &f);
        }
    }
}

// Of lines and their first contacts, of contacts and their lines.
typedef struct finding {
    const finder *b;
    bool *round;
    const int *first, *line;
} finding;

static void find_lines(const void *context, int first, int end, int thread)
{
    const finding *f = context;
    for (int i = first; i < end; ++i) {
        find_line(f->b, f->round, f->first, i);
    }
}

static void find_contacts(const void *context, int first, int end, int thread)
{
    const finding *f = context;
    for (int m = first; m < end; ++m) {
        find_contact(f->b, f->line, m);
    }
}

bool tn_central_find(const tn_problem *problem, const tn_lines *lines, const int *line, int n_threads, tn_arena *arena,
                     tn_central *out)
{
    int n = problem->rows->n_triples;
    bool *round = TN_PUSH_RAW(arena, bool, lines->n);
    int *first = TN_PUSH_RAW(arena, int, lines->n);
    size_t n_axes = 9 * (size_t)lines->n, bytes = n_axes * sizeof *out->axes + (size_t)n * sizeof *out->form;
    *out = (tn_central){.is = TN_PUSH_RAW(arena, bool, n), .known = TN_PUSH_RAW(arena, bool, lines->n)};
    out->spare = (tn_spare){TN_PUSH_RAW(arena, char, bytes), bytes};
    if (!round || !first || !out->is || !out->known || !out->spare.at) {
        return false;
    }
    out->axes = (void *)out->spare.at;
    out->form = (tn_central_form *)(out->axes + n_axes);
    const finder b = {problem, lines, round, out};
    find_first(n, line, lines->n, first);
    const finding f = {.b = &b, .round = round, .first = first, .line = line};
    tn_team_share(n_threads, lines->n, 256, find_lines, &f);
    tn_team_share(n_threads, n, 512, find_contacts, &f);
    return true;
}

// W_nn and S of what is rigid.
static void mobility_of(const tn_central_form *form, double *w, double *s)
{
    double spin = 0.0;
    *w = 0.0;
    for (int side = 0; side < 2; ++side) {
        double push = (double)form->push[side], turn = (double)form->turn[side];
        *w += push * push;
        spin += turn * turn;
    }
    *s = *w + spin;
}

void tn_central_soften(const tn_central_form *form, const double R[2], tn_central_pack *p,
                       tn_central_softness *softness, int lane)
{
    double w, s;
    mobility_of(form, &w, &s);
    softness->n[lane] = (float)R[0];
    softness->t[lane] = (float)R[1];
    softness->rho[lane] = (float)(1.0 / s);
    p->inverse_w[lane] = (float)(1.0 / (w + R[0]));
    p->inverse_s[lane] = (float)(1.0 / (s + R[1]));
}

void tn_central_fill(const tn_central_form *form, const int line[2], double mu, tn_central_pack *p, int lane)
{
    double w, s;
    mobility_of(form, &w, &s);
    for (int side = 0; side < 2 && line[side] >= 0; ++side) {
        p->push[side][lane] = form->push[side];
        p->turn[side][lane] = form->turn[side];
        p->place[side][lane] = TN_PACK * line[side];
    }
    for (int i = 0; i < 3; ++i) {
        p->n[i][lane] = form->n[i];
        p->t[i][lane] = form->t[i];
    }
    p->inverse_w[lane] = (float)(1.0 / w);
    p->inverse_s[lane] = (float)(1.0 / s);
    p->mu[lane] = (float)mu;
}
