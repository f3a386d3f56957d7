// The sweep against plain loops over rows and contacts, and for every instruction set.
#include <stdio.h>

#include "base/random.h"
#include "kernels/nodal/sweep.h"
#include "layout.h"
#include "math/blocks.h"
#include "math/mat3.h"
#include "test.h"

#include <string.h>

enum { SIDE = 6, N = SIDE * SIDE * SIDE };

static double uniform(uint64_t k)
{
    return 2.0 * tn_random_uniform(3, 1, k) - 1.0;
}

// Nodes of a cube, each coupled with its neighbours by a random block; diagonally dominant.
static tn_blocks *make_matrix(tn_arena *arena)
{
    tn_blocks_entry *entries = TN_PUSH(arena, tn_blocks_entry, 14 * N);
    int n = 0;
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < 9; k++) {
            entries[n].value[k] = k % 4 == 0 ? 30.0 + uniform((uint64_t)(9 * i + k)) : 0.0;
        }
        entries[n].row = entries[n].column = i;
        n++;
        for (int axis = 0; axis < 3; axis++) {
            int stride = axis == 0 ? 1 : axis == 1 ? SIDE : SIDE * SIDE;
            if (i / stride % SIDE + 1 == SIDE) {
                continue;
            }
            for (int k = 0; k < 9; k++) {
                double value = uniform((uint64_t)(100000 + 27 * i + 9 * axis + k));
                entries[n].value[k] = value;
                entries[n + 1].value[k / 3 + 3 * (k % 3)] = value;
            }
            entries[n].row = entries[n + 1].column = i;
            entries[n].column = entries[n + 1].row = i + stride;
            n += 2;
        }
    }
    return tn_blocks_from_entries(N, N, n, entries, arena);
}

typedef struct fixture {
    tn_arena *arena;
    tn_blocks *A;
    tn_layout *layout;
    tn_sell sell;
    tn_nodal_rows rows;
    float *b, *x; // packed
} fixture;

// Every third node has a contact.
static void add_contacts(fixture *f)
{
    int n_slices = f->layout->coloured.n_slices;
    int *of_slice = TN_PUSH(f->arena, int, n_slices);
    tn_nodal_contacts *contacts = TN_PUSH(f->arena, tn_nodal_contacts, n_slices);
    for (int s = 0; s < n_slices; s++) {
        of_slice[s] = s;
        for (int lane = 0; lane < TN_SELL_LANES; lane++) {
            int row = f->layout->coloured.row[TN_SELL_LANES * s + lane];
            double n[3] = {uniform((uint64_t)row), uniform((uint64_t)row + 500), 1.5};
            contacts[s].w[lane] = contacts[s].share[lane] = 1.0;
            if (row < 0 || row % 3) {
                continue;
            }
            contacts[s].mask[lane] = -1;
            contacts[s].w[lane] = 1.0 / 32.0;
            contacts[s].share[lane] = row % 2 ? 1.0 : 0.7;
            contacts[s].mu[lane] = 0.4;
            tn_vec3_scale(n, 1.0 / tn_vec3_norm(n), n);
            for (int k = 0; k < 3; k++) {
                contacts[s].normal[k][lane] = n[k];
                contacts[s].offset[k][lane] = 0.1 * uniform((uint64_t)(3 * row + k + 9000));
                contacts[s].base[k][lane] = 0.05 * uniform((uint64_t)(3 * row + k + 12000));
            }
        }
    }
    f->rows.contact_of_slice = of_slice;
    f->rows.contacts = contacts;
}

// (N, 3) random numbers of that size, packed.
static float *random_packed(const fixture *f, double size, uint64_t first)
{
    float *x = TN_PUSH(f->arena, float, tn_sell_packed_size(&f->layout->coloured));
    for (int i = 0; i < 3 * N; i++) {
        x[4 * f->layout->coloured.lane[i / 3] + i % 3] = (float)(size * uniform(first + (uint64_t)i));
    }
    return x;
}

static void setup(fixture *f, tn_law law)
{
    f->arena = tn_arena_create(0);
    f->A = make_matrix(f->arena);
    f->layout = layout_of(f->A, NULL, f->arena);
    assert_int_equal(tn_sell_create(&f->layout->coloured, true, f->arena, &f->sell), TN_OK);
    tn_sell_fill(&f->sell, f->A, NULL, 1);
    float *inverse = TN_PUSH(f->arena, float, 72 * f->layout->coloured.n_slices);
    assert_int_equal(tn_nodal_invert(&f->layout->coloured, f->A, inverse), -1);
    f->rows = (tn_nodal_rows){.sell = &f->sell, .inverse = inverse, .law = law, .relaxation = 1.25F};
    add_contacts(f);
    f->x = random_packed(f, 1.0, 20000);
    f->b = random_packed(f, 20.0, 40000);
}

// One node by the formulas of the header, in doubles.
static void step_plainly(const fixture *f, int row, double *x, double push[3])
{
    const tn_ordering *o = &f->layout->coloured;
    const tn_nodal_contacts *c = &f->rows.contacts[o->lane[row] / TN_SELL_LANES];
    int lane = o->lane[row] % TN_SELL_LANES;
    double *v = x + 4 * o->lane[row], r[3], inverse[9];
    for (int k = 0; k < 3; k++) {
        r[k] = -(double)f->b[4 * o->lane[row] + k];
    }
    for (int e = f->A->start[row]; e < f->A->start[row + 1]; e++) {
        tn_mat3_add_vec(r, f->A->value + 9 * e, x + 4 * o->lane[f->A->column[e]]);
    }
    tn_vec3_set(push, 0.0, 0.0, 0.0);
    if (!c->mask[lane]) {
        double d[3];
        tn_mat3_inverse(inverse, tn_blocks_find(f->A, row, row));
        tn_mat3_vec(d, inverse, r);
        tn_vec3_madd(v, v, -(double)f->rows.relaxation, d);
        return;
    }
    double n[3] = {c->normal[0][lane], c->normal[1][lane], c->normal[2][lane]}, u[3], t[3];
    for (int k = 0; k < 3; k++) {
        u[k] = v[k] - c->w[lane] * r[k] + c->offset[k][lane] - c->base[k][lane];
    }
    double u_n = tn_vec3_dot(n, u), p = fmax(0.0, -u_n), mu = f->rows.law == TN_LAW_FRICTIONLESS ? 0.0 : c->mu[lane];
    tn_vec3_madd(t, u, -u_n, n);
    double slip = tn_vec3_norm(t), taken = slip > 0.0 ? fmin(1.0, mu * p / slip) : 0.0;
    if (f->rows.law == TN_LAW_CONVEX && slip > -mu * u_n) {
        p = fmax(0.0, (mu * slip - u_n) / (1.0 + mu * mu));
        taken = mu * p / slip;
    } else if (f->rows.law == TN_LAW_CONVEX) {
        taken = 1.0;
    }
    for (int k = 0; k < 3; k++) {
        push[k] = c->share[lane] * (p * n[k] - taken * t[k]);
        v[k] = u[k] + push[k] - c->offset[k][lane];
    }
}

static void sweep_is_gauss_seidel_by_colours(void **state)
{
    for (int law = TN_LAW_COULOMB; law <= TN_LAW_FRICTIONLESS; law++) {
        fixture f;
        setup(&f, (tn_law)law);
        const tn_ordering *o = &f.layout->coloured;
        int n = tn_sell_packed_size(o);
        double *plain = TN_PUSH(f.arena, double, n), *push = TN_PUSH(f.arena, double, 3 * N);
        for (int i = 0; i < n; i++) {
            plain[i] = (double)f.x[i];
        }
        for (int at = 0; at < TN_SELL_LANES * o->n_slices; at++) {
            if (o->row[at] >= 0) {
                step_plainly(&f, o->row[at], plain, push + 3 * o->row[at]);
            }
        }
        tn_nodal_sweep(&f.rows, f.b, f.x, 1);
        double worst = 0.0;
        int closed = 0;
        for (int i = 0; i < n; i++) {
            worst = fmax(worst, fabs((double)f.x[i] - plain[i]));
        }
        for (int i = 0; i < 3 * N; i++) {
            int at = o->lane[i / 3];
            const tn_nodal_contacts *c = &f.rows.contacts[at / TN_SELL_LANES];
            int lane = at % TN_SELL_LANES, k = i % 3;
            worst = fmax(worst, fabs(c->push[k][lane] - push[i]));
            if (c->mask[lane]) {
                worst = fmax(worst, fabs(c->slip[k][lane] - (double)f.x[4 * at + k] - c->offset[k][lane]));
            }
            closed += k == 0 && c->state[lane] != TN_NODAL_OPEN;
        }
        printf("law %d: lanes - loops %.1e m/s (limit 1e-6: single precision), %d of %d contacts closed\n", law, worst,
               closed, N / 3);
        assert_true(worst < 1e-6);
        assert_true(closed > 10 && closed < N / 3 - 10);
        tn_arena_destroy(f.arena);
    }
}

static void every_instruction_set_and_thread_count_gives_the_same_bits(void **state)
{
    static const char *const kinds[] = {"avx2", "avx512"};
    fixture f;
    setup(&f, TN_LAW_COULOMB);
    size_t n = (size_t)tn_sell_packed_size(&f.layout->coloured);
    float *portable = TN_PUSH(f.arena, float, n), *x = TN_PUSH(f.arena, float, n);
    memcpy(portable, f.x, n * sizeof *x);
    assert_true(tn_nodal_sweep_with("baseline", &f.rows, f.b, portable));
    for (int k = 0; k < 2; k++) {
        memcpy(x, f.x, n * sizeof *x);
        bool ran = tn_nodal_sweep_with(kinds[k], &f.rows, f.b, x);
        printf("%s: %s\n", kinds[k], ran ? "same bits" : "not on this processor");
        assert_true(!ran || memcmp(x, portable, n * sizeof *x) == 0);
    }
    assert_false(tn_nodal_sweep_with("abacus", &f.rows, f.b, x));
    memcpy(x, f.x, n * sizeof *x);
    tn_nodal_sweep(&f.rows, f.b, x, 2);
    assert_memory_equal(x, portable, n * sizeof *x);
    tn_arena_destroy(f.arena);
}

// After many sweeps the residual is the contacts' forces, and nothing is left.
static void sweeps_converge_to_the_balance(void **state)
{
    fixture f;
    setup(&f, TN_LAW_COULOMB);
    float *r = TN_PUSH(f.arena, float, tn_sell_packed_size(&f.layout->coloured));
    tn_nodal_residual(&f.rows, f.b, f.x, r, 1);
    double before = sqrt(tn_nodal_balance(&f.rows, r));
    for (int k = 0; k < 60; k++) {
        tn_nodal_sweep(&f.rows, f.b, f.x, 1);
    }
    tn_nodal_residual(&f.rows, f.b, f.x, r, 1);
    double after = sqrt(tn_nodal_balance(&f.rows, r));
    printf("balance %.1e N before, %.1e N after 60 sweeps (limit 1e-4: single precision)\n", before, after);
    assert_true(after < 1e-4 && before > 1.0);
    tn_arena_destroy(f.arena);
}

// From the sweep's trace alone, and where something else moved a row behind it.
static void traced_residual_is_the_residual(void **state)
{
    fixture f;
    setup(&f, TN_LAW_COULOMB);
    const tn_ordering *o = &f.layout->coloured;
    size_t n = (size_t)tn_sell_packed_size(o);
    float *plain = TN_PUSH(f.arena, float, n), *swept = TN_PUSH(f.arena, float, n);
    bool *whole = TN_PUSH(f.arena, bool, o->n_slices);
    tn_nodal_trace trace = {.r = TN_PUSH(f.arena, float, n), .change = TN_PUSH(f.arena, float, n + 4 * TN_SELL_LANES)};
    memcpy(swept, f.x, n * sizeof *swept);
    tn_nodal_sweep(&f.rows, f.b, swept, 1);
    for (int moved = 0; moved < 2; moved++) {
        float *x = TN_PUSH(f.arena, float, n);
        memcpy(x, f.x, n * sizeof *x);
        tn_nodal_sweep_traced(&f.rows, f.b, x, &trace, 2);
        assert_memory_equal(x, swept, n * sizeof *x);
        for (int e = f.A->start[40]; e < f.A->start[41] && moved; e++) {
            whole[o->lane[f.A->column[e]] / TN_SELL_LANES] = true;
        }
        f.rows.whole = moved ? whole : NULL;
        x[4 * o->lane[40] + 1] += moved ? 0.5F : 0.0F;
        tn_nodal_residual_traced(&f.rows, f.b, x, &trace, 2);
        tn_nodal_residual(&f.rows, f.b, x, plain, 1);
        double worst = 0.0, size = 0.0;
        for (size_t i = 0; i < n; i++) {
            worst = fmax(worst, fabs((double)trace.r[i] - (double)plain[i]));
            size = fmax(size, fabs((double)plain[i]));
        }
        printf("%s: traced - plain %.1e of %.1f N (limit 2e-5: single precision, rows of 30 kg/s)\n",
               moved ? "one row moved" : "sweep alone", worst, size);
        assert_true(worst < 2e-5 && size > 1.0);
    }
    printf("columns read %d of %d\n", o->later_start[o->n_slices], o->start[o->n_slices]);
    assert_true(4 * o->later_start[o->n_slices] < 3 * o->start[o->n_slices]);
    tn_arena_destroy(f.arena);
}

static void a_block_that_is_not_definite_is_found(void **state)
{
    fixture f;
    setup(&f, TN_LAW_COULOMB);
    tn_blocks_find(f.A, 17, 17)[4] = -1.0;
    float *inverse = TN_PUSH(f.arena, float, 72 * f.layout->coloured.n_slices);
    assert_int_equal(tn_nodal_invert(&f.layout->coloured, f.A, inverse), 17);
    tn_arena_destroy(f.arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sweep_is_gauss_seidel_by_colours),
        cmocka_unit_test(every_instruction_set_and_thread_count_gives_the_same_bits),
        cmocka_unit_test(sweeps_converge_to_the_balance),
        cmocka_unit_test(traced_residual_is_the_residual),
        cmocka_unit_test(a_block_that_is_not_definite_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
