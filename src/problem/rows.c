#include "problem/rows.h"

#include "math/blocks.h"
#include "math/mat3.h"
#include "math/vec3.h"

#include <string.h>

tn_status tn_rows_join(const tn_rows *triples, const tn_rows *singles, tn_arena *arena, tn_rows *out)
{
    *out = triples ? *triples : (tn_rows){.n_triples = 0};
    out->n_singles = 0;
    if (!singles || singles->n_singles == 0) {
        return TN_OK;
    }
    const tn_rows s = tn_rows_singles(singles);
    out->n_singles = s.n_singles;
    out->compliance = s.compliance;
    out->lower = s.lower;
    out->upper = s.upper;
    out->joint = s.joint;
    if (out->n_triples == 0 && singles->n_triples == 0) {
        out->start = s.start;
        out->block = s.block;
        out->jacobian = s.jacobian;
        out->offset = s.offset;
        return TN_OK;
    }
    size_t n = (size_t)out->n_triples, m = (size_t)s.n_singles;
    size_t first = n > 0 ? (size_t)triples->start[n] : 0, begin = (size_t)s.start[0];
    size_t more = (size_t)s.start[m] - begin;
    int *start = TN_PUSH_RAW(arena, int, n + m + 1), *block = TN_PUSH_RAW(arena, int, first + more);
    double *jacobian = TN_PUSH_RAW(arena, double, 9 * first + 3 * more);
    double *offset = TN_PUSH_RAW(arena, double, 3 * n + m);
    if (!start || !block || !jacobian || !offset) {
        return TN_NO_MEMORY;
    }
    if (n > 0) {
        memcpy(start, triples->start, n * sizeof *start);
        memcpy(block, triples->block, first * sizeof *block);
        memcpy(jacobian, triples->jacobian, 9 * first * sizeof *jacobian);
        memcpy(offset, triples->offset, 3 * n * sizeof *offset);
    }
    for (size_t i = 0; i <= m; ++i) {
        start[n + i] = (int)(first + (size_t)s.start[i] - begin);
    }
    memcpy(block + first, s.block + begin, more * sizeof *block);
    memcpy(jacobian + 9 * first, s.jacobian + 3 * begin, 3 * more * sizeof *jacobian);
    memcpy(offset + 3 * n, s.offset, m * sizeof *offset);
    out->start = start;
    out->block = block;
    out->jacobian = jacobian;
    out->offset = offset;
    return TN_OK;
}

// Numbers of chosen things, `width` each; from NULL: NULL. False: no memory.
static bool gather(const double *from, int n, const int *chosen, int width, tn_arena *arena, const double **out)
{
    double *to = from ? TN_PUSH_RAW(arena, double, (size_t)n *(size_t)width) : NULL;
    for (int i = 0; to && i < n; i++) {
        for (int k = 0; k < width;
             k++) { // memcpy of a few numbers takes longer: compilers make it a string instruction
            to[(size_t)i * (size_t)width + (size_t)k] = from[(size_t)chosen[i] * (size_t)width + (size_t)k];
        }
    }
    *out = to;
    return !from || to;
}

// The last of the triples that are no contacts: their sets, and the new number of the contact that presses each.
static bool choose_frictions(const tn_rows *rows, int n_triples, const int *triple, tn_arena *arena, tn_rows *out)
{
    int contacts = rows->n_triples - rows->n_frictions, n = 0;
    while (n < n_triples && triple[n_triples - 1 - n] >= contacts) {
        n++;
    }
    if (n == 0) {
        return true;
    }
    int *pressed_by = TN_PUSH_RAW(arena, int, n), at = 0;
    unsigned char *set = TN_PUSH_RAW(arena, unsigned char, n);
    if (!pressed_by || !set) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        int from = triple[n_triples - n + i] - contacts, by = rows->pressed_by[from];
        for (at = by < 0 ? 0 : at; by >= 0 && triple[at] != by;) {
            at = at + 1 < n_triples - n ? at + 1 : 0; // they come in order, mostly
        }
        pressed_by[i] = by < 0 ? -1 : at;
        set[i] = rows->friction_set ? rows->friction_set[from] : 0;
    }
    out->n_frictions = n;
    out->pressed_by = pressed_by;
    out->friction_set = rows->friction_set ? set : NULL;
    return true;
}

bool tn_rows_choose(const tn_rows *rows, int n, const int *triple, int m, const int *single, tn_arena *arena,
                    tn_rows *out)
{
    int *joint = rows->joint ? TN_PUSH_RAW(arena, int, m) : NULL;
    *out = (tn_rows){.n_triples = n, .n_singles = m, .joint = joint};
    if (rows->joint && !joint) {
        return false;
    }
    for (int i = 0; joint && i < m; i++) {
        joint[i] = rows->joint[single[i]];
    }
    out->offset = tn_rows_gather(rows, rows->offset, n, triple, m, single, arena);
    return out->offset && choose_frictions(rows, n, triple, arena, out) &&
           gather(rows->frame, n, triple, 9, arena, &out->frame) && gather(rows->gap, n, triple, 1, arena, &out->gap) &&
           gather(rows->mu, n, triple, 2, arena, &out->mu) &&
           gather(rows->softness, n, triple, 9, arena, &out->softness) &&
           gather(rows->preload, n, triple, 1, arena, &out->preload) &&
           gather(rows->compliance, m, single, 1, arena, &out->compliance) &&
           gather(rows->lower, m, single, 1, arena, &out->lower) &&
           gather(rows->upper, m, single, 1, arena, &out->upper);
}

double *tn_rows_gather(const tn_rows *rows, const double *from, int n, const int *triple, int m, const int *single,
                       tn_arena *arena)
{
    double *to = from ? TN_PUSH_RAW(arena, double, 3 * (size_t)n + (size_t)m) : NULL;
    for (int i = 0; to && i < n; i++) {
        memcpy(to + 3 * (size_t)i, from + 3 * (size_t)triple[i], 3 * sizeof *to);
    }
    for (int i = 0; to && i < m; i++) {
        to[3 * n + i] = from[3 * (size_t)rows->n_triples + (size_t)single[i]];
    }
    return to;
}

void tn_contact_velocity(const tn_rows *rows, int m, const double *v, double u[3])
{
    tn_vec3_set(u, 0.0, 0.0, 0.0);
    for (int e = rows->start[m]; e < rows->start[m + 1]; e++) {
        tn_mat3_add_vec(u, rows->jacobian + 9 * (size_t)e, v + 3 * (size_t)rows->block[e]);
    }
}

double tn_single_velocity(const tn_rows *rows, int i, const double *v)
{
    int at = rows->n_triples + i;
    const double *jacobian = rows->jacobian + tn_rows_before_singles(rows);
    double y = rows->offset[2 * (size_t)rows->n_triples + (size_t)at];
    for (int e = rows->start[at]; e < rows->start[at + 1]; ++e) {
        y += tn_vec3_dot(jacobian + 3 * (size_t)e, &v[3 * (size_t)rows->block[e]]);
    }
    return y;
}

void tn_single_push(const tn_rows *rows, int i, double f, double *force)
{
    int at = rows->n_triples + i;
    const double *jacobian = rows->jacobian + tn_rows_before_singles(rows);
    for (int e = rows->start[at]; e < rows->start[at + 1]; ++e) {
        const double *g = jacobian + 3 * (size_t)e;
        double *to = &force[3 * (size_t)rows->block[e]];
        for (int k = 0; k < 3; ++k) {
            to[k] += f * g[k];
        }
    }
}

void tn_singles_add_force(const tn_rows *joints, const double *f, double *force)
{
    for (int i = 0; i < joints->n_singles; ++i) {
        if (f[i] != 0.0) {
            tn_single_push(joints, i, f[i], force);
        }
    }
}

// Inverses of the diagonal blocks met last: the rows of a joint follow one another.
typedef struct known_inverse {
    int block;
    double inverse[9]; // 0 where there is none
} known_inverse;

enum { KNOWN = 32 };

static const double *inverse_of(const tn_blocks *A, int block, known_inverse *known)
{
    known_inverse *k = &known[block % KNOWN];
    if (k->block != block) {
        const double *own = tn_blocks_find(A, block, block);
        k->block = block;
        if (!own || !tn_mat3_inverse(k->inverse, own)) {
            for (int i = 0; i < 9; ++i) {
                k->inverse[i] = 0.0;
            }
        }
    }
    return k->inverse;
}

void tn_singles_mass(const tn_rows *rows, const tn_blocks *A, double *rho)
{
    tn_singles_mass_of(rows, A, NULL, rho);
}

void tn_singles_mass_of(const tn_rows *rows, const tn_blocks *A, const bool *wanted, double *rho)
{
    const tn_rows shifted = tn_rows_singles(rows), *joints = &shifted;
    known_inverse known[KNOWN];
    for (int k = 0; k < KNOWN; ++k) {
        known[k].block = -1;
    }
    for (int i = 0; i < joints->n_singles; ++i) {
        double answer = joints->compliance[i];
        if (wanted && !wanted[i]) {
            continue;
        }
        for (int e = joints->start[i]; e < joints->start[i + 1]; ++e) {
            const double *g = &joints->jacobian[3 * (size_t)e];
            double x[3];
            tn_mat3_vec(x, inverse_of(A, joints->block[e], known), g);
            answer += tn_vec3_dot(g, x);
        }
        rho[i] = answer > 0.0 && isfinite(1.0 / answer) ? 1.0 / answer : 1.0;
    }
}

double tn_singles_driven(const tn_rows *rows, const double *f)
{
    const tn_rows shifted = tn_rows_singles(rows), *joints = &shifted;
    double sum = 0.0;
    for (int i = 0; f && i < joints->n_singles; ++i) {
        double driven = tn_single_driven(joints, i, f[i]);
        for (int e = joints->start[i]; driven > 0.0 && e < joints->start[i + 1]; ++e) {
            const double *g = &joints->jacobian[3 * (size_t)e];
            sum += driven * driven * tn_vec3_dot(g, g);
        }
    }
    return sqrt(sum);
}

// ---- is it well formed

static tn_status check_row(const tn_rows *joints, int i, int n_blocks, tn_error *error)
{
    for (int e = joints->start[i]; e < joints->start[i + 1]; ++e) {
        if (joints->block[e] < 0 || joints->block[e] >= n_blocks) {
            return tn_error_set(error, TN_BAD_INPUT, "problem: joint row %d acts on block %d, expected 0 to %d", i,
                                joints->block[e], n_blocks - 1);
        }
        for (int k = 0; k < 3; ++k) {
            if (!isfinite(joints->jacobian[3 * (size_t)e + (size_t)k])) {
                return tn_error_set(error, TN_BAD_INPUT, "problem: the Jacobian of joint row %d is not finite", i);
            }
        }
    }
    if (!isfinite(joints->offset[i]) || !isfinite(joints->compliance[i]) || joints->compliance[i] < 0.0) {
        return tn_error_set(error, TN_BAD_INPUT,
                            "problem: joint row %d has offset %g and compliance %g, expected finite numbers, the "
                            "second at least 0",
                            i, joints->offset[i], joints->compliance[i]);
    }
    return TN_OK;
}

tn_status tn_singles_check(const tn_rows *rows, int n_blocks, tn_error *error)
{
    if (rows->n_singles < 0 ||
        (rows->n_singles > 0 && (!rows->start || !rows->block || !rows->jacobian || !rows->offset ||
                                 !rows->compliance || !rows->lower || !rows->upper))) {
        return tn_error_set(error, TN_BAD_INPUT, "problem: an array of the joint rows is missing");
    }
    const tn_rows shifted = tn_rows_singles(rows), *joints = &shifted;
    for (int i = 0; i < joints->n_singles; ++i) {
        if ((rows->n_triples == 0 && rows->start[0] != 0) || joints->start[i + 1] < joints->start[i]) {
            return tn_error_set(error, TN_BAD_INPUT, "problem: the row pointers of the joints fall at row %d", i);
        }
    }
    tn_status status = TN_OK;
    for (int i = 0; status == TN_OK && i < joints->n_singles; ++i) {
        status = check_row(joints, i, n_blocks, error);
    }
    return status;
}
