// Which contact goes into which pack: what may be swept at once shares no line.
#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "solver/packed/order.h"
#include "test.h"

enum { MOST = 60000 };

static int line[2 * MOST], owner[MOST];
static bool central[MOST], seen[MOST];

static int random_below(int k, int stream, int n)
{
    return (int)(tn_random_u64(11, (uint64_t)stream, (uint64_t)k) % (uint64_t)n);
}

// Some contacts are central, some stand on a floor, some name the pair of the one before, some fit no pack.
static void strew(int n, int n_lines)
{
    for (int m = 0; m < n; ++m) {
        int a = random_below(m, 0, n_lines), kind = random_below(m, 1, 20);
        int near = a + 1 + random_below(m, 2, kind < 15 ? 30 : n_lines), b = near % n_lines;
        line[2 * m] = kind == 19 ? -2 : a;
        line[2 * m + 1] = kind == 18 || b == a ? -1 : b;
        central[m] = a % 2 == 0;
        if (m > 0 && kind < 4) {
            line[2 * m] = line[2 * m - 2];
            line[2 * m + 1] = line[2 * m - 1];
            central[m] = central[m - 1];
        }
    }
}

// Groups first..end-1 are taken by `own`; none of their lines has another owner yet.
static void own_lines(const tn_pack_order *o, int first, int end, int own)
{
    for (int i = TN_PACK * o->group_start[first]; i < TN_PACK * o->group_start[end]; ++i) {
        for (int side = 0; side < 2 && o->id[i] >= 0; ++side) {
            int l = line[2 * o->id[i] + side];
            assert_true(l < 0 || owner[l] < 0 || owner[l] == own);
            owner[l >= 0 ? l : MOST - 1] = own;
        }
    }
}

static void clear_owners(void)
{
    for (int i = 0; i < MOST; ++i) {
        owner[i] = -1;
    }
}

// Lanes of a group share no line, nor do groups of a round or pieces of a round of tiles.
static void rounds_hold(const tn_pack_order *o)
{
    for (int g = 0; g < o->n_groups; ++g) {
        clear_owners();
        for (int k = o->group_start[g]; k < o->group_start[g + 1]; ++k) {
            for (int i = TN_PACK * k; i < TN_PACK * (k + 1); ++i) {
                for (int side = 0; side < 2 && o->id[i] >= 0; ++side) {
                    int l = line[2 * o->id[i] + side];
                    assert_true(l < 0 || owner[l] < 0 || owner[l] == i % TN_PACK);
                    owner[l >= 0 ? l : MOST - 1] = i % TN_PACK;
                }
            }
        }
    }
    assert_int_equal(o->round_start[0], 0);
    assert_int_equal(o->round_start[o->n_rounds], o->n_groups);
    for (int r = 0; r < o->n_rounds; ++r) {
        const int *piece = o->pieces.start;
        int first = o->pieces.of_round[r], end = o->pieces.of_round[r + 1];
        bool tiled = r == o->pieces.tiled[0] || r == o->pieces.tiled[1];
        clear_owners();
        assert_int_equal(piece[first], o->round_start[r]);
        assert_int_equal(piece[end], o->round_start[r + 1]);
        for (int k = first; k < end; ++k) {
            bool is_central = o->round_start[r] >= o->n_full_groups;
            assert_true(tiled ? piece[k] <= piece[k + 1] : piece[k] < piece[k + 1]);
            assert_true(!is_central || (piece[k] - o->n_full_groups) % 2 == 0);
            for (int g = piece[k]; g < piece[k + 1] && !tiled; ++g) {
                own_lines(o, g, g + 1, g);
            }
            if (tiled) {
                own_lines(o, piece[k], piece[k + 1], k);
            }
        }
    }
}

static void each_has_its_place(const tn_pack_order *o, int n)
{
    for (int m = 0; m < n; ++m) {
        seen[m] = false;
    }
    for (int i = 0; i < TN_PACK * o->n; ++i) {
        int m = o->id[i];
        bool in_full = i < TN_PACK * o->group_start[o->n_full_groups];
        assert_true(m < 0 || (!seen[m] && o->place[m] == i && central[m] != in_full && line[2 * m] != -2));
        seen[m >= 0 ? m : MOST - 1] = true;
    }
    for (int k = 0; k < o->n_left; ++k) {
        assert_true(!seen[o->left[k]] && o->place[o->left[k]] == -1);
        seen[o->left[k]] = true;
    }
    for (int m = 0; m < n; ++m) {
        assert_true(seen[m]);
    }
}

static void nothing_shares_a_line(void **state)
{
    const int lines[] = {1, 20, 300, 4095, 4096, 40000}, contacts[] = {5, 60, 900, 3000, 6000, 50000};
    tn_arena *arena = tn_arena_create(0);
    for (int k = 0; k < 6; ++k) {
        tn_pack_order o;
        int n = contacts[k];
        tn_arena_reset(arena);
        strew(n, lines[k]);
        assert_true(tn_pack_order_create(n, lines[k], line, central, arena, &o));
        rounds_hold(&o);
        each_has_its_place(&o, n);
        printf("%d lines, %d contacts: %d rounds, %d packs, %d pieces, %d left\n", lines[k], n, o.n_rounds, o.n,
               o.pieces.n, o.n_left);
        assert_true((o.pieces.tiled[0] >= 0 || o.pieces.tiled[1] >= 0) == (lines[k] >= 4096));
    }
    tn_arena_destroy(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_shares_a_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
