// What a midpoint step of soft bodies takes from products that are there, against the elements themselves.
#include "scenario.h"

#include "kernels/block_product.h"
#include "math/blocks.h"
#include "math/vec3.h"
#include "sim/sim.h"

#include <string.h>

static scenario mat_at(const char *height, bool tied)
{
    return scenario_open("scheme: midpoint\nstep: 10 ms\nduration: 1 s\n"
                         "materials: {m: {density: 1000, friction: 0.3}}\n"
                         "bodies:\n"
                         "  floor: {fixed: true, material: m, shape: {plane: {}}}\n"
                         "  hand: {motion: {position: [\"0.3*t\", 0, \"0.5*t\"], axis: [0, 1, 0], angle: \"3*t\"}}\n"
                         "  wall: {fixed: true}\n"
                         "  box: {position: [0, 0, 1], material: m, shape: {box: [0.05, 0.05, 0.05]}}\n"
                         "soft:\n"
                         "  mat:\n"
                         "    grid: {size: [0.4, 0.2, 0.02], divisions: [8, 4, 1]}\n"
                         "    position: [0, 0, %s]\n"
                         "    material: m\n"
                         "    young: 75 kPa\n"
                         "    poisson: 0.35\n"
                         "    damping: {stiffness: 1 ms, mass: 0.5 Hz}\n"
                         "    attach:\n"
                         "      - {to: hand, where: {box: {low: [-0.2, -0.1, -0.01], high: [-0.19, 0.1, 0.01]}}}\n"
                         "      - {to: %s, where: {box: {low: [0.19, 0, -0.01], high: [0.2, 0.1, 0.01]}}}\n",
                         height, tied ? "box" : "wall");
}

static scenario mat(bool tied)
{
    return mat_at(tied ? "1" : "0.011", tied);
}

// S of the step, at the nodes' places before it, times what its balance was linearised at.
static double product_error(const scenario *s, const double *x, tn_arena *arena)
{
    const tn_balance *balance = &s->sim->solving.eq.balance;
    int n = 3 * s->model->n_nodes;
    double *half = TN_PUSH(arena, double, n), *product = TN_PUSH(arena, double, n), worst = 0.0, scale = 0.0;
    tn_tets_elastic *elastic = NULL;
    for (int i = 0; i < n; i++) {
        half[i] = x[i] + 0.5 * balance->h * balance->moved[i];
    }
    assert_int_equal(tn_tets_evaluate(s->model->elements, half, 1, arena, &elastic), TN_OK);
    tn_tets_product(s->model->elements, elastic, 1, balance->moved, product);
    for (int i = 0; i < n; i++) {
        const tn_model_node *node = &s->model->nodes[i / 3];
        bool counts = node->block >= 0 || s->model->bodies[node->body].kind == TN_BODY_KINEMATIC;
        scale = fmax(scale, fabs(product[i]));
        worst = counts ? fmax(worst, fabs(product[i] - balance->pushed[i])) : worst;
    }
    assert_true(scale > 0.0);
    return worst / scale;
}

static void known_product_serves_the_elements(void **unused)
{
    scenario s = mat(false);
    tn_arena *arena = tn_arena_create(0);
    int n = 3 * s.model->n_blocks, n_x = 3 * s.model->n_nodes;
    double *x = TN_PUSH(arena, double, n_x), *v = TN_PUSH(arena, double, n), *y = TN_PUSH(arena, double, n);
    tn_arena_mark mark = tn_arena_get_mark(arena);
    double worst = 0.0;
    for (int step = 0; step < 12; step++) {
        memcpy(x, s.state->x, (size_t)n_x * sizeof *x);
        memcpy(v, s.state->v_hat, (size_t)n * sizeof *v);
        scenario_step(&s);
        const tn_balance *balance = &s.sim->solving.eq.balance;
        assert_non_null(balance->hints.known_v);
        assert_memory_equal(balance->hints.known_v, v, (size_t)n * sizeof *v);
        tn_block_product(balance->A, balance->hints.known_v, y, 1);
        assert_memory_equal(balance->hints.known_product, y, (size_t)n * sizeof *y);
        worst = fmax(worst, step > 0 ? product_error(&s, x, arena) : 0.0);
        tn_arena_release(arena, mark);
    }
    // Rounding of A v, whose part of inertia is taken off again.
    check_below("S v by A's product against the elements', relative", worst, 1e-12);
    tn_arena_destroy(arena);
    scenario_close(&s);
}

// Rows of nodes on a free body are the body's: the elements multiply.
static void tied_nodes_take_the_elements_own_product(void **unused)
{
    scenario s = mat(true);
    tn_arena *arena = tn_arena_create(0);
    int n_x = 3 * s.model->n_nodes;
    double *x = TN_PUSH(arena, double, n_x), worst = 0.0;
    for (int step = 0; step < 4; step++) {
        memcpy(x, s.state->x, (size_t)n_x * sizeof *x);
        scenario_step(&s);
        assert_null(s.sim->solving.eq.balance.hints.known_v);
        worst = fmax(worst, step > 0 ? product_error(&s, x, arena) : 0.0);
    }
    check_below("S v with a free body against the elements', relative", worst, 0.0);
    tn_arena_destroy(arena);
    scenario_close(&s);
}

// The elements' energy at the step's end, of which midpoint wants nothing else.
static void energy_is_that_of_the_whole_evaluation(void **unused)
{
    scenario s = mat(false);
    tn_arena *arena = tn_arena_create(0);
    for (int step = 0; step < 5; step++) {
        scenario_step(&s);
        tn_tets_elastic *elastic = NULL;
        assert_int_equal(tn_tets_evaluate(s.model->elements, s.state->x, 1, arena, &elastic), TN_OK);
        double energy = tn_tets_energy(s.model->elements, elastic);
        assert_true(energy > 0.0 && energy == s.report.energy.elastic);
        tn_arena_reset(arena);
    }
    tn_arena_destroy(arena);
    scenario_close(&s);
}

// 1/2 v A v - b v of the step's problem; Av (3 n_blocks) is set.
static double energy_of(const scenario *s, const double *v, double *Av)
{
    double sum = 0.0;
    tn_blocks_mul(s->sim->solving.eq.balance.A, v, Av);
    for (int i = 0; i < 3 * s->model->n_blocks; i++) {
        sum += v[i] * (0.5 * Av[i] - s->sim->solving.eq.balance.b[i]);
    }
    return sum;
}

// Steps from a start that goes on along the last change: how many moved, the largest error of the known product and,
// without contacts, the largest rise of the energy, both relative. (With contacts it would want the warm start's
// forces.)
static int play_starts(const char *height, double *worst, double *rise)
{
    scenario s = mat_at(height, false);
    tn_arena *arena = tn_arena_create(0);
    int n = 3 * s.model->n_blocks, moved = 0;
    double *v = TN_PUSH(arena, double, n), *y = TN_PUSH(arena, double, n);
    for (int step = 0; step < 20; step++) {
        memcpy(v, s.state->v_hat, (size_t)n * sizeof *v);
        scenario_step(&s);
        const tn_problem *p = &s.sim->solving.eq.problem;
        double before = energy_of(&s, v, y), after = energy_of(&s, p->hints->known_v, y), scale = 0.0;
        for (int i = 0; i < n; i++) {
            scale = fmax(scale, fabs(y[i]));
        }
        for (int i = 0; i < n; i++) {
            *worst = fmax(*worst, fabs(y[i] - p->hints->known_product[i]) / scale);
        }
        moved += memcmp(v, p->hints->known_v, (size_t)n * sizeof *v) != 0;
        *rise = p->rows->n_triples == 0 ? fmax(*rise, (after - before) / fabs(before)) : *rise;
    }
    tn_arena_destroy(arena);
    scenario_close(&s);
    return moved;
}

static void start_goes_on_along_the_last_change(void **unused)
{
    double worst = 0.0, rise = -INFINITY;
    int moved = play_starts("2", &worst, &rise) + play_starts("0.011", &worst, &rise);
    check_below("known product against A at the start, relative", worst, 1e-12);
    check_below("rise of the energy by the move, relative", rise, 1e-12);
    print_message("%d of 40 steps moved their start\n", moved);
    assert_true(moved >= 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_product_serves_the_elements),
        cmocka_unit_test(tied_nodes_take_the_elements_own_product),
        cmocka_unit_test(start_goes_on_along_the_last_change),
        cmocka_unit_test(energy_is_that_of_the_whole_evaluation),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
