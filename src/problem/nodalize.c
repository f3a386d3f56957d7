#include "problem/nodalize.h"

#include "math/blocks.h"
#include "math/mat3.h"

#include <math.h>

// How exactly J J^T must be a multiple of the identity to count as a rotation: Jacobians come from rounded products.
static const double ROTATION = 1e-9;

// Side numbers of one contact's entries: body A and B by sign, further sides by component.
enum { SIDE_A = 0, SIDE_B = 1, SIDE_NONE = -1 };

typedef struct builder {
    const tn_problem *old;
    const int *component; // (A->n_rows)
    bool *taken;          // (A->n_rows) block already stands for a contact's node
    int *side;            // (entries of one contact, at most) scratch
    double *scale;        // (same) s of J = s Q, Q a rotation or its negative; 0: neither
    // Result, counted first (arrays NULL), then filled.
    int n_virtual, n_ties, n_entries, n_blocks;
    double k_v;
    tn_blocks_entry *blocks; // A's, then the ties'
    int *tie_start, *tie_block;
    double *tie;
    int *start, *block; // the new contacts'
    double *jacobian;
} builder;

// s where J = s Q with Q orthonormal, negative where det Q < 0; 0 for any other matrix.
static double rotation_scale(const double *j)
{
    double gram[9];
    tn_mat3_mul_nt(gram, j, j);
    double mean = (gram[0] + gram[4] + gram[8]) / 3.0;
    for (int d = 0; d < 9; ++d) {
        if (!(fabs(gram[d] - (d % 4 == 0 ? mean : 0.0)) <= ROTATION * mean)) {
            return 0.0;
        }
    }
    return tn_mat3_det(j) < 0.0 ? -sqrt(mean) : sqrt(mean);
}

// The side that a general entry (not a rotation) goes with; SIDE_NONE if it stands alone.
static int companion_side(const builder *w, int first, int count, int e)
{
    const int *block = &w->old->rows->block[first];
    for (int k = 0; k < count; ++k) { // a rigid body's linear block
        if (w->scale[k] != 0.0 && block[k] == block[e] - 1) {
            return w->side[k];
        }
    }
    for (int k = 0; k < count; ++k) {
        if ((k < e || w->scale[k] != 0.0) && w->side[k] != SIDE_NONE &&
            w->component[block[k]] == w->component[block[e]]) {
            return w->side[k];
        }
    }
    return SIDE_NONE;
}

// Fill w->side and w->scale for the contact's entries. Returns the number of sides: side numbers lie below it, some of
// them may be unused.
static int find_sides(builder *w, int contact)
{
    const tn_rows *c = w->old->rows;
    int first = c->start[contact];
    int count = c->start[contact + 1] - first;
    for (int e = 0; e < count; ++e) {
        w->scale[e] = rotation_scale(&c->jacobian[9 * (size_t)(first + e)]);
        w->side[e] = w->scale[e] == 0.0 ? SIDE_NONE : w->scale[e] < 0.0 ? SIDE_A : SIDE_B;
    }
    int n_sides = 2;
    for (int e = 0; e < count; ++e) {
        if (w->side[e] == SIDE_NONE) {
            int side = companion_side(w, first, count, e);
            w->side[e] = side == SIDE_NONE ? n_sides++ : side;
        }
    }
    return n_sides;
}

static void copy9(double *to, double factor, const double *from)
{
    for (int d = 0; d < 9; ++d) {
        to[d] = factor * from[d];
    }
}

static void add_entry(builder *w, int block, double factor, const double *jacobian)
{
    if (w->jacobian) {
        w->block[w->n_entries] = block;
        copy9(&w->jacobian[9 * (size_t)w->n_entries], factor, jacobian);
    }
    w->n_entries++;
}

static void add_block(builder *w, int row, int column, double factor, const double *value)
{
    if (w->blocks) {
        tn_blocks_entry *e = &w->blocks[w->n_blocks];
        e->row = row;
        e->column = column;
        copy9(e->value, factor, value);
    }
    w->n_blocks++;
}

// Whether the side is one block with a rotation that no earlier contact stands on; e: its only entry.
static bool is_node(const builder *w, int first, int count, int side, int *e)
{
    int n = 0;
    for (int k = 0; k < count; ++k) {
        if (w->side[k] == side) {
            *e = first + k;
            n++;
        }
    }
    return n == 1 && fabs(fabs(w->scale[*e - first]) - 1.0) <= ROTATION && !w->taken[w->old->rows->block[*e]];
}

// Damper between the virtual node and the entries of its side: all blocks of k_v [Jv, -I]^T [Jv, -I].
static void add_damper(builder *w, int node, const int *tie_block, const double *tie, int n)
{
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    add_block(w, node, node, w->k_v, identity);
    for (int i = 0; i < n; ++i) {
        double product[9], transposed[9];
        tn_mat3_mul_tn(transposed, &tie[9 * (size_t)i], identity);
        add_block(w, node, tie_block[i], -w->k_v, &tie[9 * (size_t)i]);
        add_block(w, tie_block[i], node, -w->k_v, transposed);
        for (int k = 0; k < n; ++k) {
            tn_mat3_mul_tn(product, &tie[9 * (size_t)i], &tie[9 * (size_t)k]);
            add_block(w, tie_block[i], tie_block[k], w->k_v, product);
        }
    }
}

// A virtual node for one side: its velocity is sign R^T sum J_e v, and the contact sees it through sign R.
static void add_virtual_node(builder *w, int contact, int side, int count)
{
    const double identity[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1};
    const tn_rows *c = w->old->rows;
    const double *frame = c->frame ? &c->frame[9 * (size_t)contact] : identity;
    double sign = side == SIDE_A ? -1.0 : 1.0;
    int node = w->old->A->n_rows + w->n_virtual;
    int first_tie = w->n_ties;
    for (int k = 0; k < count; ++k) {
        if (w->side[k] != side) {
            continue;
        }
        int e = c->start[contact] + k;
        if (w->tie) {
            double point[9];
            tn_mat3_mul_tn(point, frame, &c->jacobian[9 * (size_t)e]);
            copy9(&w->tie[9 * (size_t)w->n_ties], sign, point);
            w->tie_block[w->n_ties] = c->block[e];
        }
        w->n_ties++;
    }
    int n = w->n_ties - first_tie;
    if (w->tie) {
        w->tie_start[w->n_virtual + 1] = w->n_ties;
        add_damper(w, node, &w->tie_block[first_tie], &w->tie[9 * (size_t)first_tie], n);
    } else {
        w->n_blocks += n * n + 2 * n + 1;
    }
    add_entry(w, node, sign, frame);
    w->n_virtual++;
}

static void add_contact(builder *w, int contact)
{
    const tn_rows *c = w->old->rows;
    int first = c->start[contact];
    int count = c->start[contact + 1] - first;
    int n_sides = find_sides(w, contact);
    for (int side = 0; side < n_sides; ++side) {
        bool used = false;
        for (int k = 0; k < count; ++k) {
            used = used || w->side[k] == side;
        }
        int e = 0;
        if (used && is_node(w, first, count, side, &e)) {
            w->taken[c->block[e]] = true;
            add_entry(w, c->block[e], 1.0, &c->jacobian[9 * (size_t)e]);
        } else if (used) {
            add_virtual_node(w, contact, side, count);
        }
    }
    if (w->start) {
        w->start[contact + 1] = w->n_entries;
    }
}

// One pass over all blocks of A and all contacts: counts, or fills where the arrays are there.
static void pass(builder *w)
{
    const tn_blocks *A = w->old->A;
    w->n_virtual = w->n_ties = w->n_entries = w->n_blocks = 0;
    for (int i = 0; i < A->n_rows; ++i) {
        w->taken[i] = false;
        for (int k = A->start[i]; k < A->start[i + 1]; ++k) {
            add_block(w, i, A->column[k], 1.0, &A->value[9 * (size_t)k]);
        }
    }
    for (int i = 0; i < w->old->rows->n_triples; ++i) {
        add_contact(w, i);
    }
}

static bool push_scratch(builder *w, tn_arena *arena)
{
    const tn_rows *c = w->old->rows;
    int rows = w->old->A->n_rows;
    int most = 0;
    for (int i = 0; i < c->n_triples; ++i) {
        most = c->start[i + 1] - c->start[i] > most ? c->start[i + 1] - c->start[i] : most;
    }
    int *component = TN_PUSH(arena, int, rows);
    w->component = component;
    w->taken = TN_PUSH(arena, bool, rows);
    w->side = TN_PUSH(arena, int, most);
    w->scale = TN_PUSH(arena, double, most);
    return component && w->taken && w->side && w->scale && tn_blocks_components(w->old->A, component, arena) >= 0;
}

static bool push_result(builder *w, tn_arena *arena)
{
    w->tie_start = TN_PUSH(arena, int, (size_t)w->n_virtual + 1);
    w->tie_block = TN_PUSH(arena, int, w->n_ties);
    w->tie = TN_PUSH(arena, double, 9 * (size_t)w->n_ties);
    w->start = TN_PUSH(arena, int, (size_t)w->old->rows->n_triples + 1);
    w->block = TN_PUSH(arena, int, w->n_entries);
    w->jacobian = TN_PUSH(arena, double, 9 * (size_t)w->n_entries);
    w->blocks = TN_PUSH(arena, tn_blocks_entry, w->n_blocks);
    return w->tie_start && w->tie_block && w->tie && w->start && w->block && w->jacobian && w->blocks;
}

static void assemble(const builder *w, const tn_blocks *A, const double *b, tn_nodalized *out)
{
    const tn_problem *old = w->old;
    *out = (tn_nodalized){.problem = *old,
                          .contacts = *old->rows,
                          .n_original = old->A->n_rows,
                          .n_virtual = w->n_virtual,
                          .tie_start = w->tie_start,
                          .tie_block = w->tie_block,
                          .tie = w->tie};
    out->contacts.start = w->start;
    out->contacts.block = w->block;
    out->contacts.jacobian = w->jacobian;
    out->problem.A = A;
    out->problem.b = b;
    out->problem.known_v = out->problem.known_product = NULL;
    out->problem.rows = &out->contacts;
}

tn_status tn_nodalize(const tn_problem *problem, double k_v, tn_arena *arena, tn_nodalized *out, tn_error *error)
{
    if (!problem->A) {
        return tn_error_set(error, TN_BAD_INPUT, "a local problem (W, q, mu) has no bodies to put virtual nodes on");
    }
    if (!(k_v > 0.0) || !isfinite(k_v)) {
        return tn_error_set(error, TN_BAD_INPUT, "k_v is %g N s/m, expected a finite positive damper", k_v);
    }
    builder w = {.old = problem, .k_v = k_v};
    if (!push_scratch(&w, arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for virtual nodes");
    }
    pass(&w);
    if (!push_result(&w, arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for virtual nodes");
    }
    pass(&w);
    int rows = problem->A->n_rows + w.n_virtual;
    tn_blocks *A = tn_blocks_from_entries(rows, rows, w.n_blocks, w.blocks, arena);
    double *b = TN_PUSH(arena, double, 3 * (size_t)rows);
    if (!A || !b) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the augmented balance matrix");
    }
    for (size_t i = 0; i < 3 * (size_t)problem->A->n_rows; ++i) {
        b[i] = problem->b[i];
    }
    assemble(&w, A, b, out);
    return TN_OK;
}

void tn_nodalize_lift(const tn_nodalized *nodalized, const double *v, double *v_augmented)
{
    for (size_t i = 0; i < 3 * (size_t)nodalized->n_original; ++i) {
        v_augmented[i] = v[i];
    }
    for (int k = 0; k < nodalized->n_virtual; ++k) {
        double *node = &v_augmented[3 * ((size_t)nodalized->n_original + (size_t)k)];
        tn_vec3_set(node, 0.0, 0.0, 0.0);
        for (int e = nodalized->tie_start[k]; e < nodalized->tie_start[k + 1]; ++e) {
            tn_mat3_add_vec(node, &nodalized->tie[9 * (size_t)e], &v[3 * (size_t)nodalized->tie_block[e]]);
        }
    }
}
