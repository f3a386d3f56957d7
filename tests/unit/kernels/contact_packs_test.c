// Packs of contacts: every lane against the general local solve, the same bits whatever the instruction set and the
// number of threads, sums against their definitions.
#include "kernels/contact/packs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/random.h"
#include "law/set.h"
#include "test.h"

// Groups of one, two and three packs, so many times in each round.
enum { ROUNDS = 3, PARTS = 40, IN_PART = 3, PER_ROUND = 6 * PARTS, N = ROUNDS * PER_ROUND };
enum { GROUPS = ROUNDS * IN_PART * PARTS, LINES = 2 * TN_PACK * IN_PART * PARTS };

static const int PRIME[ROUNDS] = {1, 7, 11}; // to LINES: rounds are permutations

enum { PIECE = 6, PIECES = IN_PART * PARTS / PIECE }; // groups that a thread takes at a time; of a round

static int piece_start[ROUNDS * PIECES + 1], round_piece[ROUNDS + 1];

static tn_pack_pieces cut(void)
{
    for (int k = 0; k <= ROUNDS * PIECES; ++k) {
        piece_start[k] = PIECE * k;
    }
    for (int r = 0; r <= ROUNDS; ++r) {
        round_piece[r] = PIECES * r;
    }
    return (tn_pack_pieces){.n = ROUNDS * PIECES, .start = piece_start, .of_round = round_piece, .tiled = {-1, -1}};
}

typedef struct fixture {
    tn_contact_packs packs;
    double *turn, *softness;
    bool *regular;
    int group_start[GROUPS + 1], round_start[ROUNDS + 1];
} fixture;

static double random_number(int stream, int counter)
{
    return 2.0 * tn_random_uniform(7, (uint64_t)stream, (uint64_t)counter) - 1.0;
}

static int group_of(const fixture *f, int k)
{
    int g = 0;
    while (f->group_start[g + 1] <= k) {
        g++;
    }
    return g;
}

// As in the plane: a tangent of a lane along which nothing moves and is moved; 0: there is none.
static int still_tangent(int number)
{
    return number % 10 == 1 ? 1 : number % 10 == 9 ? 2 : 0;
}

// In a round every line occurs in one group, in another order each time; every tenth side of a group is empty, and
// every tenth lane of a pack.
static void fill(fixture *f, double mu_max, bool soft)
{
    for (int k = 0; k < N; ++k) {
        tn_contact_pack *p = &f->packs.packs[k];
        int group = group_of(f, k), round = group / (IN_PART * PARTS), in_round = group % (IN_PART * PARTS);
        for (int lane = 0; lane < TN_PACK; ++lane) {
            int number = TN_PACK * k + lane;
            bool contact = number % 10 != 3;
            for (int side = 0; side < 2; ++side) {
                int place = (TN_PACK * in_round + lane) * 2 + side;
                bool body = place % 10 != 5;
                p->line[side][lane] = body ? (place * PRIME[round] + 5 * round) % LINES : LINES + f->group_start[group];
                // Lanes without friction whose tangents nothing moves: the natural map's trap of mu = 0.
                for (int i = 0; body && contact && i < (number % 10 == 7 ? 6 : 18); ++i) {
                    bool still = i / 6 > 0 && i / 6 == still_tangent(number);
                    p->H[i / 6][side][i % 6][lane] = still ? 0.0 : random_number(1 + side, 18 * number + i);
                }
            }
            for (int i = 0; contact && i < (number % 10 == 7 ? 1 : 3); ++i) {
                p->offset[i][lane] = random_number(3, 3 * number + i) - (i == 0 ? 0.5 : 0.0);
            }
            if (still_tangent(number) > 0) {
                p->offset[still_tangent(number)][lane] = 0.0;
            }
            p->mu[lane] = contact && number % 10 != 7 ? mu_max * fabs(random_number(4, number)) : 0.0;
        }
    }
    for (int i = 0; i < TN_PACK * LINES; ++i) {
        f->packs.x[i] = i % TN_PACK < 6 ? 0.3 * random_number(5, i) : 0.0;
    }
    // Some give way along the normal alone, some across as well.
    for (int i = 0; i < 2 * TN_PACK * N; ++i) {
        f->softness[i] = i % 3 == 0 || i / TN_PACK % 2 == 0 ? fabs(random_number(6, i)) : 0.0;
    }
    f->packs.softness = soft ? f->softness : NULL;
    tn_contact_packs_prepare(f->packs.law, N, f->packs.softness, f->packs.packs, f->turn, f->regular);
}

static fixture create(tn_law law, double mu_max, bool soft)
{
    fixture f = {.packs = {.law = law,
                           .step = 0.01,
                           .n = N,
                           .n_lines = LINES,
                           .n_groups = GROUPS,
                           .n_rounds = ROUNDS,
                           .pieces = cut(),
                           .n_threads = 1}};
    f.packs.packs = aligned_alloc(64, N * sizeof *f.packs.packs);
    f.packs.lambda = aligned_alloc(64, 3 * N * TN_PACK * sizeof(double));
    f.packs.x = aligned_alloc(64, (LINES + N) * TN_PACK * sizeof(double));
    f.turn = calloc(2 * N * TN_PACK, sizeof *f.turn);
    f.regular = calloc(N * TN_PACK, sizeof *f.regular);
    f.softness = aligned_alloc(64, 2 * N * TN_PACK * sizeof *f.softness);
    assert_true(f.packs.packs && f.packs.lambda && f.packs.x && f.turn && f.regular && f.softness);
    memset(f.packs.packs, 0, N * sizeof *f.packs.packs);
    memset(f.packs.lambda, 0, 3 * N * TN_PACK * sizeof(double));
    memset(f.packs.x, 0, (LINES + N) * TN_PACK * sizeof(double));
    for (int r = 0; r <= ROUNDS; ++r) {
        f.round_start[r] = r * IN_PART * PARTS;
    }
    for (int g = 0; g < GROUPS; ++g) {
        f.group_start[g + 1] = f.group_start[g] + 1 + (g + 1) / 2 % IN_PART; // some neighbours as deep, some not
    }
    fill(&f, mu_max, soft);
    return f;
}

static void destroy(fixture *f)
{
    free(f->packs.packs);
    free(f->packs.lambda);
    free(f->packs.x);
    free(f->turn);
    free(f->regular);
    free(f->softness);
}

static double softness_of(const fixture *f, int k, int lane, int row)
{
    return f->packs.softness ? f->softness[2 * TN_PACK * k + (row > 0 ? TN_PACK : 0) + lane] : 0.0;
}

static void velocity_of(const fixture *f, int k, int lane, double u[3])
{
    const tn_contact_pack *p = &f->packs.packs[k];
    for (int i = 0; i < 3; ++i) {
        u[i] = p->offset[i][lane];
        for (int j = 0; j < 12; ++j) {
            u[i] += p->H[i][j / 6][j % 6][lane] * f->packs.x[TN_PACK * p->line[j / 6][lane] + j % 6];
        }
        u[i] += softness_of(f, k, lane, i) * f->packs.lambda[3 * TN_PACK * k + TN_PACK * i + lane];
    }
}

static void product_of(const tn_contact_pack *p, int lane, double W[9])
{
    memset(W, 0, 9 * sizeof *W);
    for (int i = 0; i < 9; ++i) {
        for (int j = 0; j < 12; ++j) {
            W[i] += p->H[i / 3][j / 6][j % 6][lane] * p->H[i % 3][j / 6][j % 6][lane];
        }
    }
}

// The sweep as it is defined, contact by contact; returns the largest difference of forces to what the kernel made.
static double compare_sweep(fixture *f, const double *lambda_after)
{
    double worst = 0.0;
    for (int k = 0; k < N; ++k) {
        for (int lane = 0; lane < TN_PACK; ++lane) {
            const tn_contact_pack *p = &f->packs.packs[k];
            double u[3], W[9], q[3], *now = f->packs.lambda + 3 * TN_PACK * k + lane;
            double old[3] = {now[0], now[TN_PACK], now[2 * TN_PACK]}, r[3] = {old[0], old[1], old[2]};
            velocity_of(f, k, lane, u);
            product_of(p, lane, W);
            for (int i = 0; i < 3; ++i) {
                W[4 * i] += softness_of(f, k, lane, i);
            }
            for (int i = 0; i < 3; ++i) {
                q[i] = u[i] - (W[3 * i] * r[0] + W[3 * i + 1] * r[1] + W[3 * i + 2] * r[2]);
            }
            const tn_bound cone = tn_set_of_contact(f->packs.law, 0, (const double[2]){p->mu[lane], p->mu[lane]});
            tn_set_solve(&cone, W, q, r);
            for (int i = 0; i < 3; ++i) {
                worst = fmax(worst, fabs(r[i] - lambda_after[3 * TN_PACK * k + TN_PACK * i + lane]));
                now[TN_PACK * i] = r[i];
                for (int j = 0; j < 12; ++j) {
                    double *x = &f->packs.x[TN_PACK * p->line[j / 6][lane] + j % 6];
                    *x += p->H[i][j / 6][j % 6][lane] * (r[i] - old[i]);
                }
            }
        }
    }
    return worst;
}

// Forces are about 1; the local solves stop at 1e-12 relative, and a few contacts are nearly singular.
static void lanes_solve_as_the_law_says(void **state)
{
    for (int law = 0; law < 6; ++law) { // from 3 on soft
        fixture kernel = create((tn_law)(law % 3), 1.0, law >= 3), plain = create((tn_law)(law % 3), 1.0, law >= 3);
        kernel.packs.round_start = kernel.round_start;
        kernel.packs.group_start = kernel.group_start;
        for (int i = 0; i < N * TN_PACK; ++i) {
            bool moves = kernel.packs.packs[i / TN_PACK].inverse_w[i % TN_PACK] > 0.0;
            assert_true(kernel.regular[i] || !moves || still_tangent(i) == 0);
        }
        double worst = 0.0;
        for (int sweep = 0; sweep < 4; ++sweep) {
            tn_contact_packs_sweep(&kernel.packs);
            worst = fmax(worst, compare_sweep(&plain, kernel.packs.lambda));
        }
        printf("law %d: forces differ by %.1e (limit 1e-8)\n", law, worst);
        assert_true(worst <= 1e-8);
        destroy(&kernel);
        destroy(&plain);
    }
}

static void same_bits(void **state)
{
    static const char *const kinds[] = {"baseline", "avx2", "avx512"};
    for (int law = 0; law < 6; ++law) { // from 3 on soft
        fixture first = create((tn_law)(law % 3), 1.0, law >= 3);
        first.packs.group_start = first.group_start;
        for (int k = 0; k < 4; ++k) {
            fixture other = create((tn_law)(law % 3), 1.0, law >= 3);
            other.packs.round_start = other.round_start;
            other.packs.group_start = other.group_start;
            other.packs.n_threads = 2;
            bool there = true;
            for (int sweep = 0; sweep < 3 && there; ++sweep) {
                if (k == 0) {
                    assert_true(tn_contact_packs_sweep_with("baseline", &first.packs));
                }
                if (k < 3) {
                    there = tn_contact_packs_sweep_with(kinds[k], &other.packs);
                } else {
                    tn_contact_packs_sweep(&other.packs);
                }
            }
            printf("law %d, %s: %s\n", law, k < 3 ? kinds[k] : "two threads",
                   there ? "compared" : "not on this machine");
            if (there) {
                assert_memory_equal(first.packs.lambda, other.packs.lambda, 3 * N * TN_PACK * sizeof(double));
                assert_memory_equal(first.packs.x, other.packs.x, (LINES + N) * TN_PACK * sizeof(double));
            }
            destroy(&other);
        }
        destroy(&first);
    }
}

static tn_contact_packs_single create_single(const fixture *f)
{
    tn_contact_packs_single s = {.law = f->packs.law,
                                 .step = f->packs.step,
                                 .n = N,
                                 .n_lines = LINES,
                                 .n_groups = GROUPS,
                                 .n_full_groups = GROUPS,
                                 .group_start = f->group_start,
                                 .n_rounds = ROUNDS,
                                 .round_start = f->round_start,
                                 .pieces = cut(),
                                 .packs = aligned_alloc(64, N * sizeof *s.packs),
                                 .n_threads = 1};
    s.lambda = aligned_alloc(64, 3 * N * TN_PACK * sizeof(float));
    s.x = aligned_alloc(64, (LINES + N) * TN_PACK * sizeof(float));
    assert_true(s.packs && s.lambda && s.x);
    memset(s.lambda, 0, 3 * N * TN_PACK * sizeof(float));
    for (int i = 0; i < (LINES + N) * TN_PACK; ++i) {
        s.x[i] = (float)f->packs.x[i];
    }
    for (int k = 0; k < N; ++k) {
        tn_contact_pack_round(&f->packs.packs[k], &s.packs[k]);
    }
    float *softness = aligned_alloc(64, 2 * N * TN_PACK * sizeof *softness);
    assert_non_null(softness);
    for (int i = 0; i < 2 * N * TN_PACK; ++i) {
        softness[i] = (float)f->softness[i];
    }
    s.softness = f->packs.softness ? softness : NULL;
    if (!s.softness) {
        free(softness);
    }
    return s;
}

static void destroy_single(tn_contact_packs_single *s)
{
    free(s->packs);
    free((void *)s->softness);
    free(s->lambda);
    free(s->x);
}

// The natural map's sum at forces of single precision, x rebuilt from them.
static double natural_of(tn_law law, bool soft, const float *lambda)
{
    double sums[TN_PACK_SUMS];
    fixture f = create(law, 1.0, soft);
    f.packs.round_start = f.round_start;
    f.packs.group_start = f.group_start;
    for (int i = 0; i < 3 * N * TN_PACK; ++i) {
        f.packs.lambda[i] = (double)lambda[i];
    }
    tn_contact_packs_add(&f.packs);
    tn_contact_packs_sums(&f.packs, sums);
    destroy(&f);
    return sums[TN_PACK_NATURAL];
}

// In single precision a sliding contact takes one or two of Newton's steps a sweep: it gets to where the double sweeps
// get. Limit: a tenth more residual after as many sweeps.
static void check_convergence(tn_law law, bool soft)
{
    enum { SWEEPS = 40 };
    fixture f = create(law, 1.0, soft);
    f.packs.round_start = f.round_start;
    f.packs.group_start = f.group_start;
    tn_contact_packs_single single = create_single(&f);
    double sums[TN_PACK_SUMS];
    tn_contact_packs_sums(&f.packs, sums);
    double start = sqrt(sums[TN_PACK_NATURAL]);
    for (int k = 0; k < SWEEPS; ++k) {
        tn_contact_packs_single_sweep(&single, 1);
        tn_contact_packs_sweep(&f.packs);
    }
    tn_contact_packs_sums(&f.packs, sums);
    double there = sqrt(natural_of(law, soft, single.lambda)), limit = 1.1 * sqrt(sums[TN_PACK_NATURAL]);
    printf("law %d: natural map at the start %.1e, after %d sweeps %.1e in single precision (limit %.1e)\n", law, start,
           SWEEPS, there, limit);
    assert_true(there <= limit && limit < 0.5 * start);
    destroy_single(&single);
    destroy(&f);
}

static void single_precision_converges(void **state)
{
    for (int law = 0; law < 2; ++law) { // Coulomb's and the convex one
        check_convergence((tn_law)law, false);
        check_convergence((tn_law)law, true);
    }
}

// One sweep in single precision against the same in double: what sliding contacts leave to the next sweep, 0.03 of
// their force; more where a contact is nearly singular. All but one force in a thousand within 0.05. And the same bits
// for every instruction set and two threads.
static void single_precision(void **state)
{
    static const char *const kinds[] = {"baseline", "avx2", "avx512"};
    for (int law = 0; law < 6; ++law) { // from 3 on soft
        fixture f = create((tn_law)(law % 3), 1.0, law >= 3);
        f.packs.round_start = f.round_start;
        f.packs.group_start = f.group_start;
        tn_contact_packs_single first = create_single(&f);
        assert_true(tn_contact_packs_single_sweep_with("baseline", &first));
        for (int k = 1; k < 4; ++k) {
            tn_contact_packs_single other = create_single(&f);
            other.n_threads = 2;
            bool there = true;
            if (k < 3) {
                there = tn_contact_packs_single_sweep_with(kinds[k], &other);
            } else {
                tn_contact_packs_single_sweep(&other, 1);
            }
            if (there) {
                assert_memory_equal(first.lambda, other.lambda, 3 * N * TN_PACK * sizeof(float));
                assert_memory_equal(first.x, other.x, (LINES + N) * TN_PACK * sizeof(float));
            }
            destroy_single(&other);
        }
        tn_contact_packs_sweep(&f.packs);
        int far = 0;
        for (int i = 0; i < 3 * N * TN_PACK; ++i) {
            double force = f.packs.lambda[i];
            far += !(fabs(force - (double)first.lambda[i]) <= 0.05 * (1.0 + fabs(force)));
        }
        printf("law %d: %d of %d forces differ by more than 0.05 (limit %d)\n", law, far, 3 * N * TN_PACK,
               3 * N * TN_PACK / 1000);
        assert_true(far <= 3 * N * TN_PACK / 1000);
        destroy_single(&first);
        destroy(&f);
    }
}

// x += H^T lambda undoes itself, and the sums are those of the lanes' own numbers.
static void sums_by_lanes(void **state)
{
    for (int law = 0; law < 6; ++law) { // from 3 on soft
        fixture f = create((tn_law)(law % 3), 1.0, law >= 3);
        f.packs.round_start = f.round_start;
        f.packs.group_start = f.group_start;
        tn_contact_packs_sweep(&f.packs);
        double sums[TN_PACK_SUMS], expected[TN_PACK_SUMS] = {0.0};
        for (int k = 0; k < N; ++k) {
            for (int lane = 0; lane < TN_PACK; ++lane) {
                const tn_contact_pack *p = &f.packs.packs[k];
                double v[3], r[3], e[3];
                const double mu[2] = {p->mu[lane], p->mu[lane]}, rho[2] = {p->rho[lane], p->rho[lane]};
                const double h = f.packs.step;
                const tn_bound own = tn_set_of_contact(f.packs.law, 0, mu),
                               strict = {TN_SET_CONE, .bound = {mu[0], mu[1]}};
                velocity_of(&f, k, lane, v);
                for (int i = 0; i < 3; ++i) {
                    r[i] = f.packs.lambda[3 * TN_PACK * k + TN_PACK * i + lane];
                    expected[TN_PACK_FORCE] += r[i] * r[i];
                    expected[TN_PACK_VELOCITY] += v[i] * v[i];
                }
                tn_set_natural(&own, rho, r, v, e);
                double normal = f.packs.law == TN_LAW_COULOMB ? r[0] - fmax(0.0, r[0] - p->rho[lane] * v[0]) : 0.0;
                expected[TN_PACK_NATURAL] += fmax(e[0] * e[0] + e[1] * e[1] + e[2] * e[2], normal * normal);
                tn_set_natural(&strict, (const double[2]){1.0 / h, 1.0 / h}, r, v, e);
                expected[TN_PACK_FCLIB] += e[0] * e[0] + e[1] * e[1] + e[2] * e[2];
            }
        }
        tn_contact_packs_sums(&f.packs, sums);
        for (int s = 0; s < TN_PACK_SUMS; ++s) {
            printf("law %d, sum %d: %.15e, by definition %.15e (limit 1e-12 relative)\n", law, s, sums[s], expected[s]);
            assert_true(fabs(sums[s] - expected[s]) <= 1e-12 * expected[s]);
        }
        tn_contact_packs_single single = create_single(&f);
        for (int i = 0; i < 3 * N * TN_PACK; ++i) {
            single.lambda[i] = (float)f.packs.lambda[i];
        }
        tn_contact_packs_single_sums(&single, true, sums);
        for (int s = 0; s < TN_PACK_SUMS; ++s) {
            printf("law %d, sum %d in single precision: %.9e (limit 1e-5 relative)\n", law, s, sums[s]);
            assert_true(fabs(sums[s] - expected[s]) <= 1e-5 * expected[s]);
        }
        destroy_single(&single);
        destroy(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lanes_solve_as_the_law_says),
        cmocka_unit_test(same_bits),
        cmocka_unit_test(single_precision),
        cmocka_unit_test(single_precision_converges),
        cmocka_unit_test(sums_by_lanes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
