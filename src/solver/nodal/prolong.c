#include "solver/nodal/prolong.h"

#include "math/mat3.h"

#include <math.h>
#include <string.h>

// A slave's row of P meets at most this many groups; a contact that would need more holds its rows.
enum { LANES = TN_SELL_LANES, ENTRIES_MAX = 16, BLOCK = 24, FREE = -1, HELD = -2 };

// One row of P.
typedef struct row_of_p {
    int n;
    int group[ENTRIES_MAX];
    double value[ENTRIES_MAX][BLOCK];
} row_of_p;

// Without the part along a contact's normal.
static void cut_normal(const tn_nodal_contacts *contacts, int lane, double *B)
{
    double n[3] = {contacts->normal[0][lane], contacts->normal[1][lane], contacts->normal[2][lane]};
    for (int j = 0; j < 6; j++) {
        double dot = n[0] * B[j] + n[1] * B[8 + j] + n[2] * B[16 + j];
        B[j] -= dot * n[0];
        B[8 + j] -= dot * n[1];
        B[16 + j] -= dot * n[2];
    }
}

// The row of a node or body as its group moves it, cut by its nodal contact if it has one.
static void group_row(const tn_nodal_coarse *c, int row, row_of_p *out)
{
    const tn_nodal_system *s = c->system;
    int group = c->groups.of_row[row], unit = c->groups.unit[row];
    bool affine = group < c->groups.n_affine;
    out->n = 0;
    double *B = out->value[0];
    if (unit >= 0) {
        memset(B, 0, sizeof out->value[0]);
        B[unit] = B[9 + unit] = B[18 + unit] = 1.0;
    } else {
        tn_coarse_row(affine, c->groups.arm + 4 * (size_t)row, B);
    }
    int lane = s->order->lane[row], slice = lane / LANES, k = s->rows.contact_of_slice[slice];
    tn_nodal_state state = k >= 0 ? (tn_nodal_state)s->rows.contacts[k].state[lane % LANES] : TN_NODAL_OPEN;
    if (state == TN_NODAL_STICK) {
        return;
    }
    out->n = affine ? 2 : 1;
    for (int b = 0; b < out->n; b++) {
        out->group[b] = tn_coarse_block(c->groups.n_affine, group) + b;
        if (state == TN_NODAL_SLIDE) {
            cut_normal(&s->rows.contacts[k], lane % LANES, out->value[b]);
        }
    }
}

static void free_row(const tn_nodal_coarse *c, int row, row_of_p *out)
{
    out->n = 0;
    if (c->slave_of_row[row] != HELD) {
        group_row(c, row, out);
    }
}

// out += M row; false: too many groups.
static bool add_times(row_of_p *out, const double M[9], const row_of_p *row)
{
    for (int p = 0; p < row->n; p++) {
        int at = 0;
        while (at < out->n && out->group[at] != row->group[p]) {
            at++;
        }
        if (at == ENTRIES_MAX) {
            return false;
        }
        if (at == out->n) {
            out->group[out->n++] = row->group[p];
            memset(out->value[at], 0, sizeof out->value[at]);
        }
        const double *B = row->value[p];
        for (int i = 0; i < 3; i++) {
            for (int j = 0; j < 6; j++) {
                out->value[at][8 * i + j] += M[3 * i] * B[j] + M[3 * i + 1] * B[8 + j] + M[3 * i + 2] * B[16 + j];
            }
        }
    }
    return true;
}

// May this entry's row be the slave: a node of a large component, free, no master of an earlier contact, alone in J.
static bool may_serve(const tn_nodal_coarse *c, int e, const bool *is_master)
{
    const tn_rows *contacts = c->system->problem->rows;
    int row = contacts->block[e];
    double inverse[9];
    return c->groups.unit[row] < 0 && c->slave_of_row[row] == FREE && !is_master[row] &&
           tn_mat3_inverse(inverse, contacts->jacobian + 9 * e);
}

// Slaves of the closed contacts: the entry with the largest weight. Contacts without one hold all their rows: false
// when that made a choice before it wrong, and everything must be chosen anew.
static bool choose_slaves(tn_nodal_coarse *c, bool *is_master)
{
    const tn_nodal_system *s = c->system;
    const tn_rows *contacts = s->problem->rows;
    bool good = true;
    for (int i = 0; i < s->order->n_rows; i++) {
        is_master[i] = false;
        c->slave_of_row[i] = c->slave_of_row[i] == HELD ? HELD : FREE;
    }
    for (int g = 0; g < s->general.n; g++) {
        int m = s->general.id[g], best = -1;
        double weight = 0.0;
        c->slave[g] = -1;
        if (c->general[g] == TN_NODAL_OPEN) {
            continue;
        }
        for (int e = contacts->start[m]; e < contacts->start[m + 1]; e++) {
            double square = tn_vec3_dot(contacts->jacobian + 9 * e, contacts->jacobian + 9 * e);
            if (square > weight && may_serve(c, e, is_master)) {
                best = e;
                weight = square;
            }
        }
        for (int e = contacts->start[m]; e < contacts->start[m + 1]; e++) {
            int row = contacts->block[e];
            if (best < 0 && c->slave_of_row[row] != HELD) {
                good = false;
                c->slave_of_row[row] = HELD;
            }
            is_master[row] = true;
        }
        if (best >= 0) {
            c->slave[g] = contacts->block[best];
            c->slave_entry[g] = best;
            c->slave_of_row[c->slave[g]] = g;
        }
    }
    return good;
}

// The slave of contact g: J_s v_s = -sum of J_e v_e where it sticks; where it slides only along the normal, the rest
// of its motion its group's. rows: of all slaves so far.
static bool slave_row(const tn_nodal_coarse *c, int g, const row_of_p *rows, row_of_p *out)
{
    const tn_rows *contacts = c->system->problem->rows;
    int m = c->system->general.id[g];
    const double *J = contacts->jacobian + 9 * c->slave_entry[g];
    double inverse[9] = {0.0}, M[9];
    out->n = 0;
    if (c->general[g] == TN_NODAL_STICK) {
        tn_mat3_inverse(inverse, J);
    } else {
        // v_s = (1 - n n^T) group - n (sum of the others' normal rows) / |j|, n = j / |j|.
        double square = tn_vec3_dot(J, J);
        row_of_p own;
        group_row(c, c->slave[g], &own);
        for (int k = 0; k < 9; k++) {
            M[k] = (k % 4 == 0 ? 1.0 : 0.0) - J[k / 3] * J[k % 3] / square;
        }
        if (!add_times(out, M, &own)) {
            return false;
        }
        for (int i = 0; i < 3; i++) {
            inverse[3 * i] = J[i] / square; // picks the normal row of what follows
        }
    }
    for (int e = contacts->start[m]; e < contacts->start[m + 1]; e++) {
        int row = contacts->block[e];
        if (e == c->slave_entry[g]) {
            continue;
        }
        row_of_p plain;
        const row_of_p *master = &plain;
        if (c->slave_of_row[row] >= 0) {
            master = rows + c->slave_of_row[row];
        } else {
            free_row(c, row, &plain);
        }
        tn_mat3_mul(M, inverse, contacts->jacobian + 9 * e);
        for (int k = 0; k < 9; k++) {
            M[k] = -M[k];
        }
        if (!add_times(out, M, master)) {
            return false;
        }
    }
    return true;
}

// Normal of a sliding contact, and across: friction F against the slip t turns with it, which is a stiffness F / |t|
// across t (and none along it). secant: along t, too.
static void set_sliding(const tn_nodal_coarse *coarse, int row, bool secant, const tn_nodal_contacts *c, int lane)
{
    static const double MOST = 10.0; // of the node's own stiffness
    double *normal = coarse->normal + 4 * (size_t)row, *across = coarse->across + 4 * (size_t)row;
    double *along = coarse->along + 4 * (size_t)row, t[3], push[3];
    for (int k = 0; k < 3; k++) {
        normal[k] = c->normal[k][lane];
        t[k] = c->slip[k][lane];
        push[k] = c->push[k][lane];
    }
    normal[3] = across[3] = along[3] = 0.0;
    tn_vec3_madd(t, t, -tn_vec3_dot(normal, t), normal);
    tn_vec3_madd(push, push, -tn_vec3_dot(normal, push), normal);
    double slip = tn_vec3_norm(t), friction = tn_vec3_norm(push);
    tn_vec3_cross(across, normal, t);
    double scale = friction > 0.0 && slip > 0.0 ? sqrt(fmin(friction / slip, MOST) / c->w[lane]) / slip : 0.0;
    tn_vec3_scale(across, scale, across);
    tn_vec3_scale(along, secant ? scale : 0.0, t);
}

// How each row moves: the states of nodal contacts, and rows that go by blocks of their own.
static void set_motion(tn_nodal_coarse *c, bool secant)
{
    const tn_nodal_system *s = c->system;
    const tn_rows *contacts = s->problem->rows;
    memset(c->motion, TN_ROW_RIGID, (size_t)s->order->n_rows);
    for (int m = 0; m < contacts->n_triples; m++) {
        if (s->node_of[m] < 0) {
            continue;
        }
        int row = contacts->block[contacts->start[m]], lane = s->node_of[m] % LANES;
        const tn_nodal_contacts *own = &s->rows.contacts[s->rows.contact_of_slice[s->node_of[m] / LANES]];
        if (own->state[lane] == TN_NODAL_STICK) {
            c->motion[row] = TN_ROW_HELD;
        } else if (own->state[lane] == TN_NODAL_SLIDE) {
            c->motion[row] = TN_ROW_SLIDES;
            set_sliding(c, row, secant, own, lane);
        }
    }
    c->P.n_others = 0;
    for (int i = 0; i < s->order->n_rows; i++) {
        if (c->groups.unit[i] >= 0 || c->slave_of_row[i] != FREE) {
            c->motion[i] = TN_ROW_OTHER;
            c->place[i] = c->P.n_others;
            c->other[c->P.n_others++] = i;
        }
    }
}

// Blocks that a row meets in P; pair: room for two. Returns how many.
static int blocks_of(const tn_nodal_coarse *c, int row, int pair[2], const int **blocks)
{
    const tn_prolongation *P = &c->P;
    if (c->motion[row] == TN_ROW_OTHER) {
        *blocks = P->group + P->start[c->place[row]];
        return P->start[c->place[row] + 1] - P->start[c->place[row]];
    }
    pair[0] = tn_coarse_block(P->n_affine, c->groups.of_row[row]);
    pair[1] = pair[0] + 1;
    *blocks = pair;
    return c->motion[row] == TN_ROW_HELD ? 0 : c->groups.of_row[row] < P->n_affine ? 2 : 1;
}

// Envelope: what A couples by the groups, and more where slaves tie groups together.
static void set_envelope(const tn_nodal_coarse *c, int *first)
{
    const tn_blocks *A = c->system->problem->A;
    memcpy(first, c->groups.first, (size_t)c->groups.n_blocks * sizeof *first);
    for (int k = 0; k < c->P.n_others; k++) {
        const int *own, *others;
        int row = c->P.other[k], pair[2], other_pair[2], n_own = blocks_of(c, row, pair, &own);
        for (int e = A->start[row]; e < A->start[row + 1]; e++) {
            int n_others = blocks_of(c, A->column[e], other_pair, &others);
            for (int p = 0; p < n_own; p++) {
                for (int q = 0; q < n_others; q++) {
                    int a = own[p], b = others[q], low = a < b ? a : b, high = a < b ? b : a;
                    first[high] = low < first[high] ? low : first[high];
                }
            }
        }
    }
}

static tn_status assemble(tn_nodal_coarse *c, bool secant, const row_of_p *slaves, int *first)
{
    c->P.n_affine = c->groups.n_affine;
    c->P.of_row = c->groups.of_row;
    c->P.arm = c->groups.arm;
    c->P.motion = c->motion;
    c->P.normal = c->normal;
    c->P.across = c->across;
    c->P.along = c->along;
    c->P.other = c->other;
    c->P.place = c->place;
    set_motion(c, secant);
    int n = 0;
    for (int k = 0; k < c->P.n_others; k++) {
        int slave = c->slave_of_row[c->other[k]];
        n += slave >= 0 ? slaves[slave].n : 1;
    }
    int *start = TN_PUSH(c->arena, int, c->P.n_others + 1);
    int *group = TN_PUSH(c->arena, int, n);
    double *value = TN_PUSH_RAW(c->arena, double, BLOCK *(size_t)n);
    if (!start || !group || !value) {
        return TN_NO_MEMORY;
    }
    int at = 0;
    for (int k = 0; k < c->P.n_others; k++) {
        row_of_p unit;
        const row_of_p *row = &unit;
        int i = c->other[k];
        if (c->slave_of_row[i] >= 0) {
            row = slaves + c->slave_of_row[i];
        } else {
            free_row(c, i, &unit);
        }
        memcpy(group + at, row->group, (size_t)row->n * sizeof *group);
        memcpy(value + BLOCK * (size_t)at, row->value, BLOCK * (size_t)row->n * sizeof *value);
        at += row->n;
        start[k + 1] = at;
    }
    c->P.start = start;
    c->P.group = group;
    c->P.value = value;
    set_envelope(c, first);
    return TN_OK;
}

tn_status tn_nodal_prolong(tn_nodal_coarse *c, bool secant, int *first)
{
    int n_rows = c->system->order->n_rows, n_general = c->system->general.n;
    bool *is_master = TN_PUSH(c->arena, bool, n_rows);
    row_of_p *slaves = TN_PUSH_RAW(c->arena, row_of_p, n_general);
    if (!is_master || !slaves) {
        return TN_NO_MEMORY;
    }
    memset(c->slave_of_row, -1, (size_t)n_rows * sizeof *c->slave_of_row);
    bool good = false;
    // Each round holds at least one row more, so it ends.
    while (!good) {
        good = choose_slaves(c, is_master);
        for (int g = 0; g < n_general && good; g++) {
            if (c->slave[g] >= 0 && !slave_row(c, g, slaves, slaves + g)) {
                int m = c->system->problem->rows->start[c->system->general.id[g]];
                for (int e = m; e < c->system->problem->rows->start[c->system->general.id[g] + 1]; e++) {
                    c->slave_of_row[c->system->problem->rows->block[e]] = HELD;
                }
                good = false;
            }
        }
    }
    return assemble(c, secant, slaves, first);
}
