// The order in which solvers number the nodes of soft bodies (model/near.c).
#include "compile_text.h"
#include "kernels/sell.h"
#include "layout.h"
#include "model/compile.h"

#include <math.h>

static const char SHEET[] = "bodies:\n  floor: {fixed: true, shape: {plane: {}}}\n"
                            "  hand: {mass: 1, position: [0, 0, 1], shape: {sphere: {radius: 0.1}}}\n"
                            "soft:\n  sheet:\n    grid: {size: [0.4, 0.4, 0.01], divisions: [26, 26, 1]}\n"
                            "    position: [0, 0, 0.005]\n    young: 80 kPa\n    poisson: 0.35\n    density: 1000\n"
                            "  ball:\n    ball: {radius: 0.1, divisions: 7}\n    position: [2, 0, 0.1]\n"
                            "    young: 80 kPa\n    poisson: 0.35\n    density: 1000\n";

static int *order_of(const tn_model *model, tn_arena *arena)
{
    int *order = tn_model_order_near(model, arena);
    assert_non_null(order);
    return order;
}

static void every_row_comes_once(void **state)
{
    tn_model *model = must_compile(SHEET);
    tn_arena *arena = tn_arena_create(0);
    const int *order = order_of(model, arena);
    int *seen = TN_PUSH(arena, int, model->n_blocks);
    for (int k = 0; k < model->n_blocks; k++) {
        assert_in_range(order[k], 0, model->n_blocks - 1);
        seen[order[k]]++;
    }
    for (int k = 0; k < model->n_blocks; k++) {
        assert_int_equal(seen[k], 1);
    }
    for (int k = 0; k < model->n_rigid_blocks; k++) {
        assert_int_equal(order[k], k);
    }
    tn_arena_destroy(arena);
    tn_model_destroy(model);
}

// Slices of an ordering that hold a node of the patch.
static int slices_of_patch(const tn_model *model, const tn_ordering *o, const bool *in_patch, tn_arena *arena)
{
    bool *touched = TN_PUSH(arena, bool, o->n_slices);
    int n = 0;
    for (int i = 0; i < model->n_nodes; i++) {
        int slice = model->nodes[i].block >= 0 ? o->lane[model->nodes[i].block] / TN_SELL_LANES : -1;
        if (slice >= 0 && in_patch[i]) {
            n += !touched[slice];
            touched[slice] = true;
        }
    }
    return n;
}

// Nodes of the sheet's lower side beyond x; of the ball's surface below z.
static int mark_patch(const tn_model *model, double x, double z, bool *in_patch)
{
    int n = 0;
    for (int i = 0; i < model->n_nodes; i++) {
        const double *at = model->node_rest + 3 * (size_t)i;
        double d[3] = {at[0] - 2.0, at[1], at[2] - 0.1}, radius = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
        in_patch[i] = model->node_soft[i] == 0 ? at[0] > x && at[2] < 0.001 : at[2] < z && radius > 0.0999;
        n += in_patch[i];
    }
    return n;
}

// How full a patch of contact leaves the lanes of its slices: the rest is work for nothing. Rows in their own order
// take 1.9 times as many on the part of the sheet (its rows run the other way).
static void a_patch_of_contact_fills_few_slices(void **state)
{
    tn_model *model = must_compile(SHEET);
    tn_arena *arena = tn_arena_create(0);
    tn_layout *plain = layout_of(&model->pattern, NULL, arena);
    bool *in_patch = TN_PUSH(arena, bool, model->n_nodes);
    const double x[2] = {0.03, HUGE_VAL}, z[2] = {-HUGE_VAL, 0.04};
    const double most[2] = {1.6, 3.0}; // measured 1.4 and 2.3; own order 2.4 and 3.1
    for (int k = 0; k < 2; k++) {
        int n = mark_patch(model, x[k], z[k], in_patch);
        double least = ceil(n / (double)TN_SELL_LANES);
        double near = slices_of_patch(model, &model->layout->coloured, in_patch, arena) / least;
        double own = slices_of_patch(model, &plain->coloured, in_patch, arena) / least;
        printf("%d nodes: %.2f times the fewest slices (at most %.1f); rows in their own order %.2f\n", n, near,
               most[k], own);
        assert_true(near <= most[k] && near < own);
    }
    tn_arena_destroy(arena);
    tn_model_destroy(model);
}

// All nodes of a body in one place give no axis to cut across.
static void bodies_without_extent_come_to_an_end(void **state)
{
    tn_model *model = must_compile(SHEET);
    tn_arena *arena = tn_arena_create(0);
    memset(model->node_rest, 0, 3 * (size_t)model->n_nodes * sizeof *model->node_rest);
    const int *order = order_of(model, arena);
    long long sum = 0, n = model->n_blocks;
    for (int k = 0; k < model->n_blocks; k++) {
        sum += order[k];
    }
    assert_true(sum == n * (n - 1) / 2);
    tn_arena_destroy(arena);
    tn_model_destroy(model);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_row_comes_once),
        cmocka_unit_test(a_patch_of_contact_fills_few_slices),
        cmocka_unit_test(bodies_without_extent_come_to_an_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
