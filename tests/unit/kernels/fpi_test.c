// The fused iteration against its definition, contact by contact with forces and frames as law/cone.h has them.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/arena.h"
#include "base/random.h"
#include "kernels/fpi.h"
#include "law/cone.h"
#include "layout.h"
#include "math/blocks.h"
#include "math/mat3.h"
#include "test.h"

enum { ROWS = 203, PROBLEMS = 60 };

// A band of SPD blocks, some rows with a contact, some held.
typedef struct problem {
    tn_blocks *A;
    tn_layout *layout;
    double b[3 * ROWS], v[3 * ROWS], previous[3 * ROWS];
    bool contact[ROWS], held[ROWS];
    double J[ROWS][9], w[ROWS][3], mu[ROWS]; // Jacobian (perhaps a reflection), offset of u in the frame
    tn_law law;
    tn_sell sell;
    tn_fpi fpi;
    double *x, *x_previous, *out; // packed
} problem;

static double number(uint64_t seed, int *counter)
{
    return 2.0 * tn_random_uniform(seed, 5, (uint64_t)(*counter)++) - 1.0;
}

static tn_blocks *band(uint64_t seed, tn_arena *arena)
{
    tn_blocks_entry *entry = TN_PUSH(arena, tn_blocks_entry, 7 * ROWS);
    int count = 0, counter = 0;
    for (int i = 0; i < ROWS; i++) {
        entry[count++] = (tn_blocks_entry){.row = i, .column = i, .value = {9, 0, 0, 0, 10, 0, 0, 0, 11}};
        for (int j = i + 1; j < ROWS && j <= i + 3; j++) {
            entry[count] = (tn_blocks_entry){.row = i, .column = j};
            entry[count + 1] = (tn_blocks_entry){.row = j, .column = i};
            for (int k = 0; k < 9; k++) {
                entry[count].value[k] = number(seed, &counter);
                entry[count + 1].value[k % 3 * 3 + k / 3] = entry[count].value[k];
            }
            count += 2;
        }
    }
    return tn_blocks_from_entries(ROWS, ROWS, count, entry, arena);
}

static void make_contact(problem *p, int i, uint64_t seed, int *counter)
{
    double normal[3] = {number(seed, counter), number(seed, counter), number(seed, counter)};
    double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
    for (int k = 0; k < 3; k++) {
        normal[k] /= length;
        p->w[i][k] = 0.3 * number(seed, counter);
    }
    tn_mat3_frame(p->J[i], normal);
    for (int k = 0; k < 9 && i % 2; k++) {
        p->J[i][k] = -p->J[i][k]; // the node is body A
    }
    p->mu[i] = i % 7 == 0 ? 0.0 : fabs(number(seed, counter));
}

static void make_problem(problem *p, uint64_t seed, tn_arena *arena)
{
    int counter = 0;
    memset(p, 0, sizeof *p);
    p->law = (tn_law)(seed % 3);
    p->A = band(seed, arena);
    p->layout = layout_of(p->A, NULL, arena);
    for (int i = 0; i < 3 * ROWS; i++) {
        p->b[i] = 5.0 * number(seed + 1000, &counter);
        p->v[i] = number(seed + 1000, &counter);
        p->previous[i] = p->v[i] + 0.1 * number(seed + 1000, &counter);
    }
    for (int i = 0; i < ROWS; i++) {
        double kind = number(seed + 1000, &counter);
        p->contact[i] = kind > 0.2;
        p->held[i] = kind < -0.8;
        if (p->contact[i]) {
            make_contact(p, i, seed + 1000, &counter);
        }
    }
    if (seed % 5 == 0) { // a contact on a node that rests on it: no slip, nothing to divide by
        memset(p->v, 0, sizeof p->v);
        memset(p->b, 0, sizeof p->b);
        memset(p->w, 0, sizeof p->w);
    }
}

static void make_kernel(problem *p, const tn_ordering *order, bool single, tn_arena *arena)
{
    double *squares = TN_PUSH(arena, double, TN_SELL_LANES * order->n_slices);
    assert_int_equal(tn_sell_create(order, single, arena, &p->sell), TN_OK);
    tn_sell_fill(&p->sell, p->A, squares, 1);
    assert_int_equal(tn_fpi_create(&p->sell, order->n_slices, ROWS, p->law, arena, &p->fpi), TN_OK);
    tn_fpi_set_b(&p->fpi, p->b);
    tn_fpi_set_frobenius_w(&p->fpi, squares);
    for (int i = 0; i < ROWS; i++) {
        if (p->contact[i]) {
            double shift[3] = {0.0, 0.0, 0.0};
            tn_mat3_add_tvec(shift, p->J[i], p->w[i]);
            tn_fpi_add_contact(&p->fpi, order->lane[i], p->J[i], shift, p->mu[i]);
        } else if (p->held[i]) {
            tn_fpi_hold(&p->fpi, order->lane[i]);
        }
    }
    size_t n = (size_t)tn_sell_packed_size(order);
    p->x = TN_PUSH(arena, double, n);
    p->x_previous = TN_PUSH(arena, double, n);
    p->out = TN_PUSH(arena, double, n);
    tn_sell_pack(order, p->v, p->x);
    tn_sell_pack(order, p->previous, p->x_previous);
}

// The definition, one row after the other: lambda = P(-(J u + w) / gamma), F = u + gamma J^T lambda.
static void define(const problem *p, const tn_fpi_step *step, double *F, double *lambda, tn_fpi_sums *sums)
{
    double Av[3 * ROWS];
    tn_blocks_mul(p->A, p->v, Av);
    *sums = (tn_fpi_sums){0.0, 0.0};
    for (int i = 0; i < ROWS; i++) {
        double gamma = step->alpha * p->fpi.w[p->sell.order->lane[i]], *l = lambda + 3 * i, u[3], mu[2];
        for (int k = 0; k < 3; k++) {
            u[k] = p->v[3 * i + k] - gamma * (Av[3 * i + k] - p->b[3 * i + k]);
        }
        mu[0] = mu[1] = p->mu[i];
        tn_vec3_set(l, 0.0, 0.0, 0.0);
        if (p->contact[i]) {
            tn_mat3_vec(l, p->J[i], u);
            for (int k = 0; k < 3; k++) {
                l[k] = -(l[k] + p->w[i][k]) / gamma;
            }
            p->law == TN_LAW_COULOMB  ? (void)tn_cone_strict(mu, l)
            : p->law == TN_LAW_CONVEX ? (void)tn_cone_proximal(mu, l)
                                      : (void)tn_cone_frictionless(l);
        }
        double push[3] = {0.0, 0.0, 0.0};
        tn_mat3_add_tvec(push, p->J[i], l);
        for (int k = 0; k < 3; k++) {
            double v = p->v[3 * i + k], before = p->previous[3 * i + k], full = u[k] + gamma * push[k];
            double residual = Av[3 * i + k] - p->b[3 * i + k] - push[k];
            bool combines = !step->plain && !p->held[i];
            F[3 * i + k] = combines ? step->nu * (step->relaxation * (full - v) + v - before) + before : full;
            sums->theta += p->held[i] ? 0.0 : (F[3 * i + k] - v) * (F[3 * i + k] - v);
            sums->residual += p->held[i] ? 0.0 : residual * residual;
        }
    }
}

// Largest difference of a pass from the definition: velocities, forces (relative), sums (relative).
static void compare(problem *p, const tn_fpi_step *step, double worst[3])
{
    double F[3 * ROWS], lambda[3 * ROWS], v[3 * ROWS];
    tn_fpi_sums sums, expected;
    define(p, step, F, lambda, &expected);
    tn_fpi_pass(&p->fpi, step, p->x, p->x_previous, p->out, 1, &sums);
    tn_sell_unpack(p->sell.order, p->out, v);
    for (int i = 0; i < 3 * ROWS; i++) {
        worst[0] = fmax(worst[0], fabs(v[i] - F[i]));
    }
    for (int i = 0; i < ROWS && step->record; i++) {
        double push[3], l[3], scale = step->alpha * p->fpi.w[p->sell.order->lane[i]];
        tn_fpi_get_push(&p->fpi, p->sell.order->lane[i], push);
        tn_mat3_vec(l, p->J[i], push);
        for (int k = 0; k < 3 && p->contact[i]; k++) {
            worst[1] = fmax(worst[1], fabs(l[k] / scale - lambda[3 * i + k]));
        }
    }
    worst[2] = fmax(worst[2], fabs(sums.theta - expected.theta) / (1e-30 + expected.theta));
    worst[2] = fmax(worst[2], fabs(sums.residual - expected.residual) / (1e-30 + expected.residual));
}

static void a_pass_is_its_definition(void **state)
{
    static problem p;
    double worst[3] = {0.0, 0.0, 0.0};
    tn_arena *arena = tn_arena_create(0);
    for (int s = 0; s < PROBLEMS; s++) {
        tn_arena_reset(arena);
        make_problem(&p, (uint64_t)s, arena);
        make_kernel(&p, s % 2 ? &p.layout->coloured : &p.layout->plain, false, arena);
        tn_fpi_step step = {.alpha = s % 4 == 3 ? 0.7 : 1.0, .plain = true, .record = true};
        compare(&p, &step, worst);
        step = (tn_fpi_step){.alpha = step.alpha, .nu = 1.6, .relaxation = 0.9};
        compare(&p, &step, worst);
    }
    printf("%d problems of %d rows: |dv| %.1e m/s (limit 1e-14), |dlambda| %.1e N (limit 1e-12: forces to 10, over w), "
           "sums %.1e (limit 1e-12)\n",
           PROBLEMS, ROWS, worst[0], worst[1], worst[2]);
    assert_true(worst[0] < 1e-14 && worst[1] < 1e-12 && worst[2] < 1e-12);
    tn_arena_destroy(arena);
}

static void instruction_sets_and_threads_agree_to_the_bit(void **state)
{
    static problem p;
    static const char *const kinds[] = {"baseline", "avx2", "avx512"};
    tn_arena *arena = tn_arena_create(0);
    for (int s = 0; s < 12; s++) {
        tn_arena_reset(arena);
        make_problem(&p, (uint64_t)s, arena);
        make_kernel(&p, &p.layout->plain, s % 3 == 0, arena);
        tn_fpi_step step = {.alpha = 1.0, .plain = s % 2 == 0, .nu = 1.6, .relaxation = 1.0};
        size_t bytes = (size_t)tn_sell_packed_size(&p.layout->plain) * sizeof(double);
        double *other = tn_arena_push(arena, bytes, 1);
        tn_fpi_sums sums, sums_other;
        assert_true(tn_fpi_pass_with("baseline", &p.fpi, &step, p.x, p.x_previous, p.out, &sums));
        assert_false(tn_fpi_pass_with("none", &p.fpi, &step, p.x, p.x_previous, other, &sums_other));
        for (int k = 1; k < 3; k++) {
            if (tn_fpi_pass_with(kinds[k], &p.fpi, &step, p.x, p.x_previous, other, &sums_other)) {
                assert_memory_equal(p.out, other, bytes);
                assert_memory_equal(&sums, &sums_other, sizeof sums);
            }
        }
        for (int threads = 1; threads <= 3; threads++) {
            tn_fpi_pass(&p.fpi, &step, p.x, p.x_previous, other, threads, &sums_other);
            assert_memory_equal(p.out, other, bytes);
            assert_memory_equal(&sums, &sums_other, sizeof sums);
        }
    }
    tn_arena_destroy(arena);
}

// A pass that goes on takes the difference that the last one left, and what was written since: the same bits as from
// the velocities themselves; in place of the iterate before, too.
static void a_pass_that_goes_on_is_the_same(void **state)
{
    static problem p;
    tn_arena *arena = tn_arena_create(0);
    for (int s = 0; s < 6; s++) {
        tn_arena_reset(arena);
        make_problem(&p, (uint64_t)s, arena);
        make_kernel(&p, &p.layout->plain, s % 2 == 0, arena);
        tn_fpi_step step = {.alpha = 1.0, .nu = 1.6, .relaxation = 1.0};
        size_t bytes = (size_t)tn_sell_packed_size(&p.layout->plain) * sizeof(double);
        double *last = tn_arena_push(arena, bytes, 1), *other = tn_arena_push(arena, bytes, 1);
        tn_fpi_sums sums, sums_other;
        int lane = p.layout->plain.lane[s];
        for (int threads = 1; threads <= 2; threads++) {
            step.goes_on = false;
            tn_fpi_pass(&p.fpi, &step, p.x, p.x_previous, last, threads, &sums);
            for (int k = 0; k < 3; k++) {
                last[4 * lane + k] += 0.1;
            }
            tn_fpi_pass(&p.fpi, &step, last, p.x, p.out, threads, &sums);
            tn_fpi_pass(&p.fpi, &step, p.x, p.x_previous, last, threads, &sums_other);
            for (int k = 0; k < 3; k++) {
                last[4 * lane + k] += 0.1;
            }
            tn_fpi_rewrite(&p.fpi, lane, last + 4 * lane);
            memcpy(other, p.x, bytes);
            step.goes_on = true;
            tn_fpi_pass(&p.fpi, &step, last, other, other, threads, &sums_other);
            assert_memory_equal(p.out, other, bytes);
            assert_memory_equal(&sums, &sums_other, sizeof sums);
        }
    }
    tn_arena_destroy(arena);
}

// The error of single precision shrinks with the distance to the reference: to nothing at the reference itself.
static void single_precision_is_relative_to_its_reference(void **state)
{
    static problem p;
    const double away[3] = {1.0, 1e-3, 0.0}, limit[3] = {1e-6, 1e-9, 1e-14};
    tn_arena *arena = tn_arena_create(0);
    for (int k = 0; k < 3; k++) {
        double worst[3] = {0.0, 0.0, 0.0};
        for (int s = 0; s < 20; s++) {
            tn_arena_reset(arena);
            make_problem(&p, (uint64_t)s, arena);
            make_kernel(&p, &p.layout->plain, true, arena);
            double x[3 * ROWS], Ax[3 * ROWS];
            for (int i = 0; i < 3 * ROWS; i++) {
                x[i] = p.v[i] + away[k] * sin(i);
            }
            tn_blocks_mul(p.A, x, Ax);
            size_t n = (size_t)tn_sell_packed_size(&p.layout->plain);
            double *packed = TN_PUSH(arena, double, n), *packed_Ax = TN_PUSH(arena, double, n);
            tn_sell_pack(&p.layout->plain, x, packed);
            tn_sell_pack(&p.layout->plain, Ax, packed_Ax);
            tn_fpi_set_reference(&p.fpi, p.b, packed, packed_Ax);
            tn_fpi_step step = {.alpha = 1.0, .plain = true, .record = true};
            compare(&p, &step, worst);
        }
        printf("%.0e m/s from the reference: |dv| %.1e m/s (limit %.0e)\n", away[k], worst[0], limit[k]);
        assert_true(worst[0] < limit[k]);
    }
    tn_arena_destroy(arena);
}

// After a plain step contacts that touch do not approach: n.(v + c) = 0 to the last bit of a velocity.
static void closed_contacts_do_not_approach(void **state)
{
    static problem p;
    double worst = 0.0;
    int closed = 0;
    tn_arena *arena = tn_arena_create(0);
    for (int s = 0; s < 30; s++) {
        tn_arena_reset(arena);
        make_problem(&p, (uint64_t)s, arena);
        make_kernel(&p, &p.layout->plain, s % 2, arena);
        tn_fpi_step step = {.alpha = 1.0, .plain = true};
        tn_fpi_sums sums;
        tn_fpi_pass(&p.fpi, &step, p.x, p.x_previous, p.out, 1, &sums);
        for (int i = 0; i < ROWS; i++) {
            double u[3];
            tn_mat3_vec(u, p.J[i], p.out + 4 * p.sell.order->lane[i]);
            u[0] += p.w[i][0];
            closed += p.contact[i] && u[0] < 1e-9;
            worst = fmax(worst, p.contact[i] ? -u[0] : 0.0);
        }
    }
    printf("%d closed contacts approach at %.1e m/s at most (limit 1e-15)\n", closed, worst);
    assert_true(closed > 100 && worst < 1e-15);
    tn_arena_destroy(arena);
}

// A NaN anywhere reaches the sums, where the solver looks.
static void a_nan_reaches_the_sums(void **state)
{
    static problem p;
    tn_arena *arena = tn_arena_create(0);
    for (int s = 0; s < 6; s++) {
        tn_arena_reset(arena);
        make_problem(&p, (uint64_t)(s + 1), arena);
        p.held[10 * s] = false;
        p.v[3 * 10 * s + s % 3] = NAN;
        make_kernel(&p, &p.layout->plain, s % 4 > 1, arena);
        tn_fpi_step step = {.alpha = 1.0, .plain = s % 2, .nu = 1.6, .relaxation = 1.0};
        tn_fpi_sums sums;
        tn_fpi_pass(&p.fpi, &step, p.x, p.x_previous, p.out, 1, &sums);
        assert_true(isnan(sums.theta) && isnan(sums.residual));
    }
    tn_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pass_is_its_definition),
        cmocka_unit_test(instruction_sets_and_threads_agree_to_the_bit),
        cmocka_unit_test(a_pass_that_goes_on_is_the_same),
        cmocka_unit_test(single_precision_is_relative_to_its_reference),
        cmocka_unit_test(closed_contacts_do_not_approach),
        cmocka_unit_test(a_nan_reaches_the_sums),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
