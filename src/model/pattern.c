// The pattern of A: which blocks of v share a spring, a tetrahedron or nothing but themselves.
#include "kernels/nodal/groups.h"
#include "math/vec3.h"
#include "model/compile.h"
#include "model/tree.h"

#include <math.h>
#include <string.h>

enum { CLIQUE_MAX = 8 }; // four nodes of a tetrahedron, each on a body of two blocks

// Appends the blocks of body b that are not there yet.
static int add_body_blocks(const tn_model *model, int b, int n, int blocks[CLIQUE_MAX])
{
    const tn_model_body *body = &model->bodies[b];
    for (int i = 0; i < n; i++) {
        if (blocks[i] == body->block) {
            return n;
        }
    }
    for (int i = 0; i < body->n_blocks; i++) {
        blocks[n++] = body->block + i;
    }
    return n;
}

// Clique number c: springs first, then joints, then tetrahedra. All its blocks couple.
static int clique_blocks(const tn_model *model, int c, int blocks[CLIQUE_MAX])
{
    int n = 0;
    if (c < model->scene->n_springs) {
        const tn_scene_spring *spring = &model->scene->springs[c];
        n = add_body_blocks(model, spring->body_a + 1, n, blocks);
        return add_body_blocks(model, spring->body_b + 1, n, blocks);
    }
    int j = c - model->scene->n_springs;
    if (j < model->n_joints) {
        const tn_model_joint *joint = &model->joints[j];
        n = joint->elastic ? add_body_blocks(model, joint->body_a, n, blocks) : 0;
        return joint->elastic ? add_body_blocks(model, joint->body_b, n, blocks) : 0;
    }
    const int *tet = model->tets + 4 * (size_t)(j - model->n_joints);
    for (int i = 0; i < 4; i++) {
        const tn_model_node *node = &model->nodes[tet[i]];
        if (node->block >= 0) {
            blocks[n++] = node->block;
        } else {
            n = add_body_blocks(model, node->body, n, blocks);
        }
    }
    return n;
}

// Cliques of each block, compressed.
typedef struct incidence {
    int *start, *clique;
} incidence;

static bool find_incidence(const tn_model *model, tn_arena *scratch, incidence *out)
{
    int n_cliques = model->scene->n_springs + model->n_joints + model->n_tets, blocks[CLIQUE_MAX];
    out->start = TN_PUSH(scratch, int, (size_t)model->n_blocks + 2);
    if (!out->start) {
        return false;
    }
    // Counted one place late, so that filling moves each start to where it belongs.
    int *start = out->start + 1;
    for (int c = 0; c < n_cliques; c++) {
        int n = clique_blocks(model, c, blocks);
        for (int i = 0; i < n; i++) {
            out->start[blocks[i] + 2]++;
        }
    }
    for (int b = 0; b < model->n_blocks; b++) {
        start[b + 1] += start[b];
    }
    out->clique = TN_PUSH(scratch, int, start[model->n_blocks]);
    if (!out->clique) {
        return false;
    }
    for (int c = 0; c < n_cliques; c++) {
        int n = clique_blocks(model, c, blocks);
        for (int i = 0; i < n; i++) {
            out->clique[start[blocks[i]]++] = c;
        }
    }
    return true;
}

static void sort_ascending(int *x, int n)
{
    for (int i = 1; i < n; i++) {
        int value = x[i], k = i;
        for (; k > 0 && x[k - 1] > value; k--) {
            x[k] = x[k - 1];
        }
        x[k] = value;
    }
}

// Columns of row b into column (may be NULL: count only); seen[c] == b marks what is there already.
static int row_columns(const tn_model *model, const incidence *touching, int b, int *seen, int *column)
{
    int n = 0, blocks[CLIQUE_MAX];
    seen[b] = b;
    if (column) {
        column[0] = b;
    }
    n = 1;
    for (int k = touching->start[b]; k < touching->start[b + 1]; k++) {
        int size = clique_blocks(model, touching->clique[k], blocks);
        for (int i = 0; i < size; i++) {
            if (seen[blocks[i]] != b) {
                seen[blocks[i]] = b;
                if (column) {
                    column[n] = blocks[i];
                }
                n++;
            }
        }
    }
    if (column) {
        sort_ascending(column, n);
    }
    return n;
}

bool tn_model_find_pattern(const tn_model *model, tn_arena *scratch, tn_arena *arena, tn_blocks *out)
{
    int n = model->n_blocks;
    incidence touching;
    int *seen = TN_PUSH(scratch, int, n);
    int *start = TN_PUSH(arena, int, (size_t)n + 1);
    if (!seen || !start || !find_incidence(model, scratch, &touching)) {
        return false;
    }
    memset(seen, -1, (size_t)n * sizeof *seen);
    for (int b = 0; b < n; b++) {
        start[b + 1] = start[b] + row_columns(model, &touching, b, seen, NULL);
    }
    int *column = TN_PUSH(arena, int, start[n]);
    if (!column) {
        return false;
    }
    memset(seen, -1, (size_t)n * sizeof *seen);
    for (int b = 0; b < n; b++) {
        row_columns(model, &touching, b, seen, column + start[b]);
    }
    *out = (tn_blocks){.n_rows = n, .n_cols = n, .start = start, .column = column};
    return true;
}

// The reduced block of a block; without trees itself.
static int reduced(const tn_trees *trees, int block)
{
    return trees ? trees->block[block] : block;
}

// Groups of nodes that are near each other at rest.
static bool add_groups(const tn_model *model, const tn_trees *trees, const tn_blocks *pattern, tn_arena *scratch,
                       tn_arena *arena, tn_layout *layout)
{
    tn_groups *groups = TN_PUSH(arena, tn_groups, 1);
    double *place = TN_PUSH(scratch, double, 3 * (size_t)pattern->n_rows);
    if (!groups || !place) {
        return false;
    }
    for (int i = 0; i < 3 * pattern->n_rows; i++) {
        place[i] = NAN; // rigid bodies, trees
    }
    for (int i = 0; i < model->n_nodes; i++) {
        if (model->nodes[i].block >= 0) {
            tn_vec3_copy(place + 3 * (size_t)reduced(trees, model->nodes[i].block), model->node_rest + 3 * (size_t)i);
        }
    }
    layout->groups = groups;
    return tn_groups_create(pattern, layout, place, 0, scratch, arena, groups) == TN_OK;
}

// tn_model_order_near of reduced blocks: trees first. NULL: no memory.
static const int *order_near(const tn_model *model, const tn_trees *trees, tn_arena *scratch)
{
    const int *near = tn_model_order_near(model, scratch);
    if (!near || !trees) {
        return near;
    }
    int *order = TN_PUSH_RAW(scratch, int, trees->n_blocks), n = 0;
    for (int i = 0; order && i < trees->n_blocks; i++) {
        if (trees->source[i] < 0) {
            order[n++] = i;
        }
    }
    for (int i = 0; order && i < model->n_blocks; i++) {
        if (trees->block[near[i]] >= 0) {
            order[n++] = trees->block[near[i]];
        }
    }
    return order;
}

tn_status tn_model_find_layout(const tn_model *model, const tn_trees *trees, const tn_blocks *pattern,
                               const tn_parts *parts, tn_arena *arena, const tn_layout **out)
{
    tn_arena *scratch = tn_arena_create(0);
    tn_layout *layout = NULL;
    const int *near = scratch ? order_near(model, trees, scratch) : NULL;
    bool done = near && tn_layout_create(pattern, parts, near, arena, &layout) == TN_OK &&
                add_groups(model, trees, pattern, scratch, arena, layout);
    *out = layout;
    tn_arena_destroy(scratch);
    return done ? TN_OK : TN_NO_MEMORY;
}

tn_status tn_model_compile_pattern(tn_model *model, tn_arena *arena, tn_error *error)
{
    tn_arena *scratch = tn_arena_create(0);
    bool done = scratch && tn_model_find_pattern(model, scratch, arena, &model->pattern) &&
                tn_parts_find(&model->pattern, arena, &model->parts) == TN_OK;
    if (done && model->n_softs > 0) {
        done = tn_model_find_layout(model, NULL, &model->pattern, &model->parts, arena, &model->layout) == TN_OK;
    }
    tn_arena_destroy(scratch);
    return done ? TN_OK
                : tn_error_set(error, TN_NO_MEMORY, "no memory for the pattern of a model of %d velocities",
                               3 * model->n_blocks);
}
