// Packs of central contacts: every lane against the general local solve on the rows that its vectors stand for, the
// same bits whatever the instruction set and the number of threads, sums against their definitions.
#include "kernels/contact/packs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "law/set.h"
#include "test.h"

// Central packs, two packs of eight each; enough in a round for two threads to share it, and no multiple of those that
// a sweep takes at a time.
enum { ROUNDS = 3, PER_ROUND = 41, N = ROUNDS * PER_ROUND, LINES = 2 * TN_CENTRAL * PER_ROUND };

static const int PRIME[ROUNDS] = {1, 7, 11}; // to LINES: rounds are permutations
// A round begins with bodies that the one before has ended with.
static const int START[ROUNDS] = {0, LINES - 32, LINES - 39};
static const double STEP = 0.01;

enum { PIECE = 4, PIECES = (2 * PER_ROUND + PIECE - 1) / PIECE }; // groups that a thread takes at a time; of a round

static int piece_start[ROUNDS * PIECES + 1], round_piece[ROUNDS + 1];

static tn_pack_pieces cut(void)
{
    for (int r = 0; r <= ROUNDS; ++r) {
        for (int k = 0; k < PIECES && r < ROUNDS; ++k) {
            piece_start[PIECES * r + k] = 2 * PER_ROUND * r + PIECE * k;
        }
        round_piece[r] = PIECES * r;
    }
    piece_start[ROUNDS * PIECES] = 2 * N;
    return (tn_pack_pieces){.n = ROUNDS * PIECES, .start = piece_start, .of_round = round_piece, .tiled = {-1, -1}};
}

typedef struct fixture {
    tn_contact_packs_single packs;
    float *anchor;
    tn_central_softness *softness;
    int group_start[2 * N + 1], round_start[ROUNDS + 1];
} fixture;

static double random_number(int stream, int counter)
{
    return 2.0 * tn_random_uniform(11, (uint64_t)stream, (uint64_t)counter) - 1.0;
}

static void unit(double *v)
{
    double length = sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    for (int i = 0; i < 3; ++i) {
        v[i] /= length;
    }
}

static void cross(const double *a, const double *b, double *out)
{
    out[0] = a[1] * b[2] - a[2] * b[1];
    out[1] = a[2] * b[0] - a[0] * b[2];
    out[2] = a[0] * b[1] - a[1] * b[0];
}

static void fill_lane(tn_central_pack *p, int lane, int number)
{
    double n[3], a[3], t[3], w = 0.0, spin = 0.0;
    for (int i = 0; i < 3; ++i) {
        n[i] = random_number(1, 3 * number + i);
        a[i] = random_number(2, 3 * number + i);
        p->offset[i][lane] = (float)(random_number(3, 3 * number + i) - (i == 0 ? 0.5 : 0.0));
    }
    unit(n);
    cross(n, a, t);
    unit(t);
    for (int i = 0; i < 3; ++i) {
        p->n[i][lane] = (float)n[i];
        p->t[i][lane] = (float)t[i];
    }
    for (int side = 0; side < 2; ++side) {
        bool body = (2 * number + side) % 10 != 5;
        p->push[side][lane] = body ? (float)((side ? 1.0 : -1.0) * (1.5 + random_number(4, 2 * number + side))) : 0.0F;
        p->turn[side][lane] = body ? (float)(1.5 + random_number(5, 2 * number + side)) : 0.0F;
        w += (double)p->push[side][lane] * (double)p->push[side][lane];
        spin += (double)p->turn[side][lane] * (double)p->turn[side][lane];
    }
    p->inverse_w[lane] = (float)(1.0 / w);
    p->inverse_s[lane] = (float)(1.0 / (w + spin));
    p->mu[lane] = number % 10 == 7 ? 0.0F : (float)fabs(random_number(6, number));
}

// Some contacts of soft ones give way along the normal alone, some across as well.
static void soften(fixture *f)
{
    for (int i = 0; i < TN_CENTRAL * N; ++i) {
        tn_central_pack *p = &f->packs.central[i / TN_CENTRAL];
        tn_central_softness *s = &f->softness[i / TN_CENTRAL];
        int lane = i % TN_CENTRAL;
        if (p->inverse_w[lane] > 0.0F) {
            s->n[lane] = (float)fabs(random_number(8, i));
            s->t[lane] = i % 3 == 0 ? (float)fabs(random_number(9, i)) : 0.0F;
            s->rho[lane] = p->inverse_s[lane];
            p->inverse_w[lane] = 1.0F / (1.0F / p->inverse_w[lane] + s->n[lane]);
            p->inverse_s[lane] = 1.0F / (1.0F / p->inverse_s[lane] + s->t[lane]);
        }
    }
    f->packs.central_softness = f->softness;
}

static fixture create(tn_law law, bool soft)
{
    fixture f = {.packs = {.law = law,
                           .step = STEP,
                           .n = 2 * N,
                           .n_lines = LINES,
                           .n_groups = 2 * N,
                           .n_rounds = ROUNDS,
                           .pieces = cut(),
                           .n_threads = 1}};
    size_t n_x = (LINES + 2 * N) * TN_PACK, n_lambda = 2 * 3 * N * TN_PACK;
    f.packs.central = aligned_alloc(64, N * sizeof *f.packs.central);
    f.packs.lambda = aligned_alloc(64, n_lambda * sizeof(float));
    f.packs.x = aligned_alloc(64, n_x * sizeof(float));
    f.anchor = aligned_alloc(64, n_lambda * sizeof(float));
    f.softness = aligned_alloc(64, N * sizeof *f.softness);
    assert_true(f.packs.central && f.packs.lambda && f.packs.x && f.anchor && f.softness);
    memset(f.softness, 0, N * sizeof *f.softness);
    memset(f.packs.central, 0, N * sizeof *f.packs.central);
    memset(f.packs.lambda, 0, n_lambda * sizeof(float));
    memset(f.anchor, 0, n_lambda * sizeof(float));
    f.packs.anchor = f.anchor;
    for (int g = 0; g <= 2 * N; ++g) {
        f.group_start[g] = g;
    }
    for (int r = 0; r <= ROUNDS; ++r) {
        f.round_start[r] = 2 * PER_ROUND * r;
    }
    for (int i = 0; i < TN_CENTRAL * N; ++i) {
        tn_central_pack *p = &f.packs.central[i / TN_CENTRAL];
        int lane = i % TN_CENTRAL, round = i / (TN_CENTRAL * PER_ROUND), in_round = i % (TN_CENTRAL * PER_ROUND);
        bool contact = i % 11 != 3;
        if (contact) {
            fill_lane(p, lane, i);
        }
        for (int side = 0; side < 2; ++side) {
            int line = ((2 * in_round + side) * PRIME[round] + START[round]) % LINES;
            bool body = contact && p->push[side][lane] != 0.0F;
            p->place[side][lane] = TN_PACK * (body ? line : LINES + 2 * (i / TN_CENTRAL));
        }
    }
    for (size_t i = 0; i < n_x; ++i) {
        f.packs.x[i] = i < LINES * TN_PACK && i % TN_PACK < 6 ? (float)(0.3 * random_number(7, (int)i)) : 0.0F;
    }
    if (soft) {
        soften(&f);
    }
    return f;
}

// The fixture's arrays of starts are its own: they move with it.
static tn_contact_packs_single *packs_of(fixture *f)
{
    f->packs.group_start = f->group_start;
    f->packs.round_start = f->round_start;
    return &f->packs;
}

static void destroy(fixture *f)
{
    free(f->packs.central);
    free(f->packs.lambda);
    free(f->packs.x);
    free(f->anchor);
    free(f->softness);
}

// Rows of H on both sides, six numbers each.
static void rows_of(const tn_central_pack *p, int lane, double H[3][12])
{
    double n[3], t[3], s[3];
    for (int i = 0; i < 3; ++i) {
        n[i] = (double)p->n[i][lane];
        t[i] = (double)p->t[i][lane];
    }
    cross(n, t, s);
    for (int side = 0; side < 2; ++side) {
        double push = (double)p->push[side][lane], turn = (double)p->turn[side][lane];
        for (int i = 0; i < 3; ++i) {
            H[0][6 * side + i] = push * n[i];
            H[1][6 * side + i] = push * t[i];
            H[2][6 * side + i] = push * s[i];
            H[0][6 * side + 3 + i] = 0.0;
            H[1][6 * side + 3 + i] = -turn * s[i];
            H[2][6 * side + 3 + i] = turn * t[i];
        }
    }
}

static double softness_of(const fixture *f, int i, int row)
{
    const tn_central_softness *s = &f->softness[i / TN_CENTRAL];
    return (double)(row > 0 ? s->t : s->n)[i % TN_CENTRAL];
}

static float *force_of(const fixture *f, int i)
{
    return f->packs.lambda + 3 * TN_PACK * (i / TN_PACK) + i % TN_PACK;
}

static void velocity_of(const fixture *f, int i, const double H[3][12], double u[3])
{
    const tn_central_pack *p = &f->packs.central[i / TN_CENTRAL];
    for (int row = 0; row < 3; ++row) {
        u[row] = (double)p->offset[row][i % TN_CENTRAL];
        for (int j = 0; j < 12; ++j) {
            u[row] += H[row][j] * (double)f->packs.x[p->place[j / 6][i % TN_CENTRAL] + j % 6];
        }
        u[row] += softness_of(f, i, row) * (double)force_of(f, i)[TN_PACK * row];
    }
}

// The sweep as it is defined, contact by contact; returns the largest difference of forces to what the kernel made.
static double compare_sweep(fixture *plain, const fixture *kernel)
{
    double worst = 0.0;
    for (int i = 0; i < TN_CENTRAL * N; ++i) {
        const tn_central_pack *p = &plain->packs.central[i / TN_CENTRAL];
        int lane = i % TN_CENTRAL;
        if (p->inverse_w[lane] == 0.0F) {
            continue;
        }
        double H[3][12], u[3], W[9] = {0.0}, q[3], old[3], r[3];
        rows_of(p, lane, H);
        velocity_of(plain, i, H, u);
        for (int k = 0; k < 9; ++k) {
            for (int j = 0; j < 12; ++j) {
                W[k] += H[k / 3][j] * H[k % 3][j];
            }
        }
        for (int k = 0; k < 3; ++k) {
            W[4 * k] += softness_of(plain, i, k);
            old[k] = r[k] = (double)force_of(plain, i)[TN_PACK * k];
        }
        for (int k = 0; k < 3; ++k) {
            q[k] = u[k] - (W[3 * k] * r[0] + W[3 * k + 1] * r[1] + W[3 * k + 2] * r[2]);
        }
        const double mu[2] = {(double)p->mu[lane], (double)p->mu[lane]};
        const tn_bound cone = tn_set_of_contact(plain->packs.law, 0, mu);
        tn_set_solve(&cone, W, q, r);
        for (int k = 0; k < 3; ++k) {
            worst = fmax(worst, fabs(r[k] - (double)force_of(kernel, i)[TN_PACK * k]));
            force_of(plain, i)[TN_PACK * k] = (float)r[k];
            for (int j = 0; j < 12; ++j) {
                float *x = &plain->packs.x[p->place[j / 6][lane] + j % 6];
                *x = (float)((double)*x + H[k][j] * (r[k] - old[k]));
            }
        }
    }
    return worst;
}

// Forces are about 1 and of single precision, 6e-8 each; three sweeps add some.
static void lanes_solve_as_the_law_says(void **state)
{
    for (int law = 0; law < 6; ++law) { // from 3 on soft
        fixture kernel = create((tn_law)(law % 3), law >= 3), plain = create((tn_law)(law % 3), law >= 3);
        double worst = 0.0;
        for (int sweep = 0; sweep < 3; ++sweep) {
            tn_contact_packs_single_sweep(packs_of(&kernel), 1);
            worst = fmax(worst, compare_sweep(&plain, &kernel));
        }
        printf("law %d: forces differ by %.1e (limit 1e-5)\n", law, worst);
        assert_true(worst <= 1e-5);
        destroy(&kernel);
        destroy(&plain);
    }
}

static void same_bits(void **state)
{
    static const char *const kinds[] = {"avx2", "avx512"};
    for (int law = 0; law < 6; ++law) { // from 3 on soft
        fixture first = create((tn_law)(law % 3), law >= 3);
        for (int sweep = 0; sweep < 3; ++sweep) {
            assert_true(tn_contact_packs_single_sweep_with("baseline", packs_of(&first)));
        }
        for (int k = 0; k < 3; ++k) {
            fixture other = create((tn_law)(law % 3), law >= 3);
            other.packs.n_threads = 2;
            bool there = true;
            for (int sweep = 0; sweep < 3 && there; ++sweep) {
                if (k < 2) {
                    there = tn_contact_packs_single_sweep_with(kinds[k], packs_of(&other));
                } else {
                    tn_contact_packs_single_sweep(packs_of(&other), 1);
                }
            }
            printf("law %d, %s: %s\n", law, k < 2 ? kinds[k] : "two threads",
                   there ? "compared" : "not on this machine");
            if (there) {
                assert_memory_equal(first.packs.lambda, other.packs.lambda, 2 * 3 * N * TN_PACK * sizeof(float));
                assert_memory_equal(first.packs.x, other.packs.x, (LINES + 2 * N) * TN_PACK * sizeof(float));
            }
            destroy(&other);
        }
        destroy(&first);
    }
}

// x that follows the sweeps is x of the forces made anew.
static void added_forces(void **state)
{
    fixture swept = create(TN_LAW_COULOMB, false), added = create(TN_LAW_COULOMB, false);
    for (int sweep = 0; sweep < 3; ++sweep) {
        tn_contact_packs_single_sweep(packs_of(&swept), 1);
    }
    memcpy(added.packs.lambda, swept.packs.lambda, 2 * 3 * N * TN_PACK * sizeof(float));
    tn_contact_packs_single_add(packs_of(&added));
    double worst = 0.0;
    for (int i = 0; i < (LINES + 2 * N) * TN_PACK; ++i) {
        worst = fmax(worst, fabs((double)swept.packs.x[i] - (double)added.packs.x[i]));
    }
    printf("velocities differ by %.1e (rounding of single precision: limit 1e-5)\n", worst);
    assert_true(worst <= 1e-5);
    destroy(&swept);
    destroy(&added);
}

// By definition, in double: the sums are of single precision, 1e-5 relative.
static void sums_by_definition(void **state)
{
    for (int law = 0; law < 6; ++law) { // from 3 on soft
        fixture f = create((tn_law)(law % 3), law >= 3);
        tn_contact_packs_single_sweep(packs_of(&f), 1);
        double sums[TN_PACK_SUMS], expected[TN_PACK_SUMS] = {0.0};
        tn_contact_packs_single_sums(packs_of(&f), true, sums);
        for (int i = 0; i < TN_CENTRAL * N; ++i) {
            const tn_central_pack *p = &f.packs.central[i / TN_CENTRAL];
            int lane = i % TN_CENTRAL;
            double H[3][12], u[3], r[3], e[3], alone = 0.0, natural;
            const double mu[2] = {(double)p->mu[lane], (double)p->mu[lane]};
            if (p->inverse_w[lane] == 0.0F) {
                continue;
            }
            rows_of(p, lane, H);
            velocity_of(&f, i, H, u);
            for (int k = 0; k < 3; ++k) {
                r[k] = (double)force_of(&f, i)[TN_PACK * k];
                expected[TN_PACK_FORCE] += r[k] * r[k];
                expected[TN_PACK_VELOCITY] += u[k] * u[k];
            }
            double rho = (double)(law < 3 ? p->inverse_s[lane] : f.softness[i / TN_CENTRAL].rho[lane]);
            const tn_bound own = tn_set_of_contact(f.packs.law, 0, mu), strict = {TN_SET_CONE, .bound = {mu[0], mu[1]}};
            tn_set_natural(&own, (const double[2]){rho, rho}, r, u, e);
            natural = e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
            if (f.packs.law == TN_LAW_COULOMB) {
                alone = r[0] - fmax(0.0, r[0] - rho * u[0]);
            }
            expected[TN_PACK_NATURAL] += fmax(natural, alone * alone);
            tn_set_natural(&strict, (const double[2]){1.0 / STEP, 1.0 / STEP}, r, u, e);
            expected[TN_PACK_FCLIB] += e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
        }
        for (int k = 0; k < TN_PACK_SUMS; ++k) {
            double off = fabs(sums[k] / expected[k] - 1.0);
            printf("law %d, sum %d: off by %.1e (limit 1e-5)\n", law, k, off);
            assert_true(off <= 1e-5);
        }
        destroy(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_solve_as_the_law_says),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(added_forces),
        cmocka_unit_test(sums_by_definition),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
