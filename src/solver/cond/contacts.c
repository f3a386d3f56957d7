// The contacts of one solve: which the kernel takes, and what the general step needs for the others.
#include "math/mat3.h"
#include "solver/cond/system.h"

#include <math.h>
#include <string.h>

// J J^T = I: a rotation, a contact point that is a node.
static bool is_rotation(const double j[9])
{
    double p[9];
    tn_mat3_mul_nt(p, j, j);
    double worst = 0.0;
    for (int k = 0; k < 9; k++) {
        worst = fmax(worst, fabs(p[k] - (k % 4 == 0 ? 1.0 : 0.0)));
    }
    return worst < 1e-12;
}

static bool is_soft(const tn_rows *c, int m)
{
    bool soft = false;
    for (int k = 0; c->softness && k < 9; k++) {
        soft = soft || c->softness[9 * (size_t)m + (size_t)k] != 0.0;
    }
    return soft;
}

// Contact m is the kernel's: alone on one node, a rotation of it, one friction coefficient, nothing in series.
static bool is_nodal(const tn_cond_system *s, const int *uses, int m)
{
    const tn_rows *c = s->problem->rows;
    int e = c->start[m];
    return c->start[m + 1] == e + 1 && s->bodies.is_node[c->block[e]] && uses[c->block[e]] == 1 && !is_soft(c, m) &&
           (c->mu[2 * m] == c->mu[2 * m + 1]) && is_rotation(c->jacobian + 9 * (size_t)e);
}

// Contacts of the problem to those of the kernel and the general ones. TN_NO_MEMORY only.
static tn_status sort_contacts(tn_cond_system *s, tn_arena *arena)
{
    const tn_rows *c = s->problem->rows;
    int *uses = TN_PUSH(arena, int, s->n_rows);
    s->nodal = TN_PUSH(arena, int, c->n_triples);
    s->general_of = TN_PUSH(arena, int, c->n_triples);
    if (!uses || !s->nodal || !s->general_of) {
        return TN_NO_MEMORY;
    }
    for (int e = 0; c->n_triples > 0 && e < c->start[c->n_triples]; e++) {
        uses[c->block[e]]++;
    }
    for (int m = 0; m < c->n_triples; m++) {
        if (s->bodies.n_nodes > 0 && is_nodal(s, uses, m)) {
            s->nodal[s->n_nodal++] = m;
        } else {
            s->general_of[s->general.n_triples++] = m;
        }
    }
    return TN_OK;
}

// n rows of `from` (width numbers each), chosen by index.
static double *gather_rows(const double *from, int width, int n, const int *index, tn_arena *arena)
{
    double *to = TN_PUSH(arena, double, (size_t)width *(size_t)n);
    for (int i = 0; to && i < n; i++) {
        memcpy(to + (size_t)width * (size_t)i, from + (size_t)width * (size_t)index[i], (size_t)width * sizeof *to);
    }
    return to;
}

// The general contacts as contacts of their own.
static tn_status gather_general(tn_cond_system *s, tn_arena *arena)
{
    const tn_rows *c = s->problem->rows;
    int n = s->general.n_triples, n_entries = 0;
    for (int m = 0; m < n; m++) {
        n_entries += c->start[s->general_of[m] + 1] - c->start[s->general_of[m]];
    }
    int *start = TN_PUSH(arena, int, n + 1), *block = TN_PUSH(arena, int, n_entries);
    double *jacobian = TN_PUSH(arena, double, 9 * (size_t)n_entries);
    double *offset = gather_rows(c->offset, 3, n, s->general_of, arena);
    double *mu = gather_rows(c->mu, 2, n, s->general_of, arena);
    double *softness = c->softness ? gather_rows(c->softness, 9, n, s->general_of, arena) : NULL;
    if (!start || !block || !jacobian || !offset || !mu || (c->softness && !softness)) {
        return TN_NO_MEMORY;
    }
    for (int m = 0; m < n; m++) {
        int first = c->start[s->general_of[m]], count = c->start[s->general_of[m] + 1] - first;
        start[m + 1] = start[m] + count;
        memcpy(block + start[m], c->block + first, (size_t)count * sizeof *block);
        memcpy(jacobian + 9 * (size_t)start[m], c->jacobian + 9 * (size_t)first, 9 * (size_t)count * sizeof *jacobian);
    }
    s->general = (tn_rows){.n_triples = n,
                           .offset = offset,
                           .mu = mu,
                           .softness = softness,
                           .start = start,
                           .block = block,
                           .jacobian = jacobian};
    return TN_OK;
}

static void give_to_kernel(tn_cond_system *s)
{
    const tn_rows *c = s->problem->rows;
    for (int k = 0; k < s->n_nodal; k++) {
        int m = s->nodal[k], e = c->start[m];
        double shift[3] = {0.0, 0.0, 0.0};
        tn_mat3_add_tvec(shift, c->jacobian + 9 * (size_t)e, c->offset + 3 * (size_t)m);
        tn_fpi_add_contact(&s->fpi, s->lane[c->block[e]], c->jacobian + 9 * (size_t)e, shift, c->mu[2 * m]);
    }
}

// Rows of bodies and nodes of general contacts are held.
static tn_status hold_rows(tn_cond_system *s, tn_arena *arena)
{
    bool *is_held = TN_PUSH(arena, bool, s->n_rows);
    s->held = TN_PUSH(arena, int, s->n_rows);
    if (!is_held || !s->held) {
        return TN_NO_MEMORY;
    }
    for (int e = 0; s->general.n_triples > 0 && e < s->general.start[s->general.n_triples]; e++) {
        is_held[s->general.block[e]] = true;
    }
    for (int row = 0; row < s->n_rows; row++) {
        if (is_held[row] || !s->bodies.is_node[row]) {
            s->held[s->n_held++] = row;
            if (s->lane[row] < TN_SELL_LANES * s->fpi.n_slices) {
                tn_fpi_hold(&s->fpi, s->lane[row]);
            }
        }
    }
    s->before = TN_PUSH(arena, double, 3 * ((size_t)s->n_held + (size_t)s->general.n_triples));
    return s->before ? TN_OK : TN_NO_MEMORY;
}

// Rows of A whose velocity a force on `block` changes: all of its body, or the node alone.
static int rows_of(const tn_cond_bodies *bodies, const int *block, const int **rows)
{
    const tn_parts *parts = bodies->parts;
    int c = parts->of_block[*block];
    *rows = bodies->is_node[*block] ? block : parts->blocks + parts->start[c];
    return bodies->is_node[*block] ? 1 : tn_part_size(parts, c);
}

// part = S_(row, block) J^T
static void response_part(const tn_cond_system *s, int row, int block, const double j[9], double part[9])
{
    const tn_parts *parts = s->bodies.parts;
    int c = parts->of_block[block];
    int n = 3 * tn_part_size(parts, c);
    const double *inverse = s->bodies.inverse + s->bodies.inverse_start[c];
    double w = tn_cond_w(s, block);
    for (int a = 0; a < 3; a++) {
        if (s->bodies.is_node[block]) {
            tn_vec3_set(part + 3 * a, w * j[a], w * j[3 + a], w * j[6 + a]);
        } else {
            tn_mat3_vec(part + 3 * a, j, inverse + n * (3 * parts->place[row] + a) + 3 * parts->place[block]);
        }
    }
}

// Add part to the response of `row` among places [first, last); append the row if new. Returns the new last.
static int add_response(tn_cond_system *s, int first, int last, int row, const double part[9])
{
    int at = first;
    while (at < last && s->response_block[at] != row) {
        at++;
    }
    s->response_block[at] = row;
    for (int k = 0; k < 9; k++) {
        s->response[9 * (size_t)at + (size_t)k] += part[k];
    }
    return at < last ? last : last + 1;
}

static void set_response(tn_cond_system *s, int m)
{
    const tn_rows *c = &s->general;
    int first = s->response_start[m], last = first;
    for (int e = c->start[m]; e < c->start[m + 1]; e++) {
        const int *rows;
        int n = rows_of(&s->bodies, &c->block[e], &rows);
        for (int i = 0; i < n; i++) {
            double part[9];
            response_part(s, rows[i], c->block[e], c->jacobian + 9 * (size_t)e, part);
            last = add_response(s, first, last, rows[i], part);
        }
    }
    s->response_start[m + 1] = last;
}

static double largest_of_symmetric(const double a[9])
{
    double values[3], vectors[9], symmetric[9];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            symmetric[3 * i + j] = 0.5 * (a[3 * i + j] + a[3 * j + i]);
        }
    }
    tn_mat3_eigen(symmetric, values, vectors);
    return fmax(values[2], 0.0);
}

// gamma of contact m: the largest eigenvalue of its own block of J S J^T (+ Omega), bodies and nodes apart.
static void set_gamma(tn_cond_system *s, int m)
{
    const tn_rows *c = &s->general;
    double own[2][9] = {{0.0}, {0.0}};
    if (c->softness) {
        memcpy(own[0], c->softness + 9 * (size_t)m, sizeof own[0]);
    }
    for (int e = c->start[m]; e < c->start[m + 1]; e++) {
        for (int r = s->response_start[m]; r < s->response_start[m + 1]; r++) {
            if (s->response_block[r] == c->block[e]) {
                double part[9];
                tn_mat3_mul(part, c->jacobian + 9 * (size_t)e, s->response + 9 * (size_t)r);
                double *sum = own[s->bodies.is_node[c->block[e]]];
                for (int k = 0; k < 9; k++) {
                    sum[k] += part[k];
                }
            }
        }
    }
    s->gamma_body[m] = largest_of_symmetric(own[0]);
    s->gamma_node[m] = largest_of_symmetric(own[1]);
}

static int count_responses(const tn_cond_system *s)
{
    int count = 0;
    for (int e = 0; s->general.n_triples > 0 && e < s->general.start[s->general.n_triples]; e++) {
        const int *rows;
        count += rows_of(&s->bodies, &s->general.block[e], &rows);
    }
    return count;
}

tn_status tn_cond_set_contacts(tn_cond_system *s, tn_arena *arena)
{
    if (sort_contacts(s, arena) != TN_OK || gather_general(s, arena) != TN_OK) {
        return TN_NO_MEMORY;
    }
    give_to_kernel(s);
    int n_responses = count_responses(s);
    s->response_start = TN_PUSH(arena, int, s->general.n_triples + 1);
    s->response_block = TN_PUSH(arena, int, n_responses);
    s->response = TN_PUSH(arena, double, 9 * (size_t)n_responses);
    s->gamma_body = TN_PUSH(arena, double, s->general.n_triples);
    s->gamma_node = TN_PUSH(arena, double, s->general.n_triples);
    if (hold_rows(s, arena) != TN_OK || !s->response_start || !s->response_block || !s->response || !s->gamma_body ||
        !s->gamma_node) {
        return TN_NO_MEMORY;
    }
    for (int m = 0; m < s->general.n_triples; m++) {
        set_response(s, m);
        set_gamma(s, m);
    }
    return TN_OK;
}
