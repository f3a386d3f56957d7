#include "solver/nodal/contacts.h"

#include "math/mat3.h"

#include <math.h>
#include <string.h>

enum { LANES = TN_SELL_LANES };

// J J^T = I: a rotation, or one turned over.
static bool is_rotation(const double j[9])
{
    static const double most = 1e-12;
    for (int i = 0; i < 3; i++) {
        for (int k = 0; k <= i; k++) {
            if (!(fabs(tn_vec3_dot(j + 3 * i, j + 3 * k) - (i == k ? 1.0 : 0.0)) < most)) {
                return false;
            }
        }
    }
    return true;
}

// Largest eigenvalue of a symmetric 3x3 matrix, from above: Newton's method on t^3 - 3 t = 2 r, lambda = mean + p t,
// from t = 2, where it falls monotonically; the last step is short, so what is left is shorter by far.
static double largest_eigenvalue(const double a[9])
{
    double mean = (a[0] + a[4] + a[8]) / 3.0;
    double off = a[1] * a[1] + a[2] * a[2] + a[5] * a[5];
    double d0 = a[0] - mean, d1 = a[4] - mean, d2 = a[8] - mean;
    double p = sqrt((d0 * d0 + d1 * d1 + d2 * d2 + 2.0 * off) / 6.0);
    if (!(p > 1e-12 * mean)) {
        return mean + 2.0 * p;
    }
    double determinant =
        d0 * (d1 * d2 - a[5] * a[5]) - a[1] * (a[1] * d2 - a[5] * a[2]) + a[2] * (a[1] * a[5] - d1 * a[2]);
    double r = determinant / (p * p * p), t = 2.0; // 2 r of the literature's normalised form
    for (double step = 1.0; step > 1e-2 && t > 1.0 + 1e-3; t -= step) {
        step = (t * t * t - 3.0 * t - r) / (3.0 * t * t - 3.0);
    }
    return mean + p * fmax(t, 1.0);
}

// r of a softness r I; 0 without, -1 where it is another matrix.
static double isotropic_softness(const tn_rows *c, int m)
{
    if (!c->softness) {
        return 0.0;
    }
    const double *softness = c->softness + 9 * m;
    for (int k = 1; k < 9; k++) {
        if (softness[k] != (k % 4 == 0 ? softness[0] : 0.0)) {
            return -1.0;
        }
    }
    return softness[0] >= 0.0 ? softness[0] : -1.0;
}

// node_of: the lane of the node of every contact that the sweep can take; -1 for the others. Returns how many others.
static int classify(const tn_nodal_system *s, int *uses, int *node_of)
{
    const tn_rows *c = s->problem->rows;
    int n_general = 0;
    for (int e = 0; e < (c->n_triples > 0 ? c->start[c->n_triples] : 0); e++) {
        uses[c->block[e]]++;
    }
    for (int m = 0; m < c->n_triples; m++) {
        int e = c->start[m];
        bool nodal = c->start[m + 1] == e + 1 && isotropic_softness(c, m) >= 0.0 && uses[c->block[e]] == 1 &&
                     (c->mu[2 * m] == c->mu[2 * m + 1] || s->problem->law == TN_LAW_FRICTIONLESS) &&
                     s->order->lane[c->block[e]] < LANES * s->order->n_large && is_rotation(c->jacobian + 9 * e);
        node_of[m] = nodal ? s->order->lane[c->block[e]] : -1;
        n_general += !nodal;
    }
    return n_general;
}

static tn_status fill_lanes(tn_nodal_system *s, tn_arena *arena)
{
    const tn_rows *c = s->problem->rows;
    int *of_slice = TN_PUSH(arena, int, s->order->n_slices);
    if (!of_slice) {
        return TN_NO_MEMORY;
    }
    int n = 0;
    memset(of_slice, -1, (size_t)s->order->n_slices * sizeof *of_slice);
    for (int m = 0; m < c->n_triples; m++) {
        int slice = s->node_of[m] / LANES;
        if (s->node_of[m] >= 0 && of_slice[slice] < 0) {
            of_slice[slice] = n++;
        }
    }
    tn_nodal_contacts *lanes = TN_PUSH(arena, tn_nodal_contacts, n);
    if (!lanes) {
        return TN_NO_MEMORY;
    }
    for (int k = 0; k < n; k++) {
        for (int lane = 0; lane < LANES; lane++) {
            lanes[k].w[lane] = lanes[k].share[lane] = 1.0;
        }
    }
    for (int m = 0; m < c->n_triples; m++) {
        if (s->node_of[m] < 0) {
            continue;
        }
        const double *J = c->jacobian + 9 * c->start[m];
        tn_nodal_contacts *to = &lanes[of_slice[s->node_of[m] / LANES]];
        int lane = s->node_of[m] % LANES;
        for (int k = 0; k < 3; k++) {
            to->normal[k][lane] = J[k];
        }
        to->mu[lane] = c->mu[2 * m];
        int own = s->order->source[LANES * (size_t)s->order->start[s->node_of[m] / LANES] + (size_t)lane]; // diagonal
        to->w[lane] = 1.0 / largest_eigenvalue(s->problem->A->value + 9 * (size_t)own);
        to->share[lane] = to->w[lane] / (to->w[lane] + isotropic_softness(c, m));
        to->mask[lane] = -1;
    }
    s->rows.contact_of_slice = of_slice;
    s->rows.contacts = lanes;
    s->n_contact_slices = n;
    return TN_OK;
}

// Whether the block row belongs to a large component.
static bool is_node(const tn_nodal_system *s, int block)
{
    return s->order->lane[block] < LANES * s->order->n_large;
}

// Rows whose velocity a force on `block` changes: its small part, or the row alone. Returns their number.
static int rows_of(const tn_nodal_system *s, const int *block, const int **rows)
{
    const tn_parts *parts = s->bodies.parts;
    if (is_node(s, *block)) {
        *rows = block;
        return 1;
    }
    int c = parts->of_block[*block];
    *rows = parts->blocks + parts->start[c];
    return tn_part_size(parts, c);
}

// part = S_(row, block) J^T
static void response_part(const tn_nodal_system *s, int row, int block, const double J[9], double part[9])
{
    const tn_parts *parts = s->bodies.parts;
    int lane = s->order->lane[block];
    const float *own = s->rows.inverse + 72 * (size_t)(lane / LANES) + lane % LANES;
    for (int i = 0; i < 3; i++) {
        double line[3];
        if (is_node(s, block)) {
            tn_vec3_set(line, (double)own[LANES * 3 * i], (double)own[LANES * (3 * i + 1)],
                        (double)own[LANES * (3 * i + 2)]);
        } else {
            int c = parts->of_block[block], n = 3 * tn_part_size(parts, c);
            tn_vec3_copy(line, s->bodies.inverse + s->bodies.inverse_start[c] + n * (3 * parts->place[row] + i) +
                                   3 * parts->place[block]);
        }
        tn_mat3_vec(part + 3 * i, J, line);
    }
}

static void set_response(tn_nodal_system *s, int g)
{
    const tn_rows *c = s->problem->rows;
    tn_nodal_general *general = &s->general;
    int m = general->id[g], first = general->response_start[g], last = first;
    for (int e = c->start[m]; e < c->start[m + 1]; e++) {
        const int *rows;
        int n = rows_of(s, c->block + e, &rows);
        for (int i = 0; i < n; i++) {
            double part[9];
            int at = first, place = 4 * s->order->lane[rows[i]];
            while (at < last && general->response_place[at] != place) {
                at++;
            }
            if (at == last) {
                general->response_place[last++] = place;
            }
            response_part(s, rows[i], c->block[e], c->jacobian + 9 * e, part);
            for (int k = 0; k < 9; k++) {
                general->response[9 * at + k] += part[k];
            }
        }
    }
    general->response_start[g + 1] = last;
}

static void set_operator(tn_nodal_system *s, int g)
{
    const tn_rows *c = s->problem->rows;
    tn_nodal_general *general = &s->general;
    int m = general->id[g];
    double *N = general->N + 9 * g;
    if (c->softness) {
        memcpy(N, c->softness + 9 * m, 9 * sizeof *N);
    }
    for (int e = c->start[m]; e < c->start[m + 1]; e++) {
        for (int r = general->response_start[g]; r < general->response_start[g + 1]; r++) {
            if (general->response_place[r] == 4 * s->order->lane[c->block[e]]) {
                double part[9];
                tn_mat3_mul(part, c->jacobian + 9 * e, general->response + 9 * r);
                for (int k = 0; k < 9; k++) {
                    N[k] += part[k];
                }
            }
        }
    }
    general->scale[g] = fmax(N[0], fmax(N[4], N[8]));
}

static tn_status fill_general(tn_nodal_system *s, int n, tn_arena *arena, tn_error *error)
{
    const tn_rows *c = s->problem->rows;
    tn_nodal_general *general = &s->general;
    int *id = TN_PUSH(arena, int, n);
    int *place_start = TN_PUSH(arena, int, n + 1);
    if (!id || !place_start) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for nodal's contacts");
    }
    int n_responses = 0, at = 0;
    for (int m = 0; m < c->n_triples; m++) {
        if (s->node_of[m] >= 0) {
            continue;
        }
        id[at] = m;
        place_start[at + 1] = place_start[at] + c->start[m + 1] - c->start[m];
        at++;
        for (int e = c->start[m]; e < c->start[m + 1]; e++) {
            const int *rows;
            n_responses += rows_of(s, c->block + e, &rows);
        }
    }
    *general = (tn_nodal_general){.n = n, .id = id, .place_start = place_start};
    general->response_start = TN_PUSH(arena, int, n + 1);
    general->response_place = TN_PUSH(arena, int, n_responses);
    general->response = TN_PUSH(arena, double, 9 * n_responses);
    general->N = TN_PUSH(arena, double, 9 * n);
    general->scale = TN_PUSH(arena, double, n);
    general->place = TN_PUSH(arena, int, place_start[n]);
    general->lambda = TN_PUSH(arena, double, 3 * n);
    general->u = TN_PUSH(arena, double, 3 * n);
    if (!general->response_start || !general->response_place || !general->response || !general->N || !general->scale ||
        !general->place || !general->lambda || !general->u) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for nodal's contacts");
    }
    for (int g = 0; g < n; g++) {
        for (int e = c->start[id[g]]; e < c->start[id[g] + 1]; e++) {
            general->place[place_start[g] + e - c->start[id[g]]] = 4 * s->order->lane[c->block[e]];
        }
        set_response(s, g);
        set_operator(s, g);
    }
    return TN_OK;
}

// Slices of the rows that general contacts move or push, and of their neighbours.
static tn_status mark_whole(tn_nodal_system *s, tn_arena *arena)
{
    const tn_blocks *A = s->problem->A;
    const tn_nodal_general *general = &s->general;
    bool *whole = TN_PUSH(arena, bool, s->order->n_slices), *seen = TN_PUSH(arena, bool, A->n_rows);
    if (!whole || !seen) {
        return TN_NO_MEMORY;
    }
    for (int r = 0; r < general->response_start[general->n]; r++) {
        int row = s->order->row[general->response_place[r] / 4];
        for (int e = A->start[row]; e < A->start[row + 1] && !seen[row]; e++) {
            whole[s->order->lane[A->column[e]] / LANES] = true;
        }
        seen[row] = true;
    }
    s->rows.whole = whole;
    return TN_OK;
}

tn_status tn_nodal_set_contacts(tn_nodal_system *s, tn_arena *arena, tn_error *error)
{
    int *uses = TN_PUSH(arena, int, s->order->n_rows);
    int *node_of = TN_PUSH(arena, int, s->problem->rows->n_triples);
    if (!uses || !node_of) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for nodal's contacts");
    }
    int n_general = classify(s, uses, node_of);
    s->node_of = node_of;
    if (fill_lanes(s, arena) != TN_OK) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for nodal's contacts");
    }
    tn_status status = n_general > 0 ? fill_general(s, n_general, arena, error) : TN_OK;
    if (status == TN_OK && n_general > 0 && mark_whole(s, arena) != TN_OK) {
        status = tn_error_set(error, TN_NO_MEMORY, "no memory for nodal's contacts");
    }
    return status;
}
