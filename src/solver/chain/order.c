#include "solver/chain/order.h"

#include "kernels/chain.h"

#include <string.h>

// Neighbours of body k: at most two, *n of them. False: more.
static bool find_neighbours(const tn_blocks *A, int k, int out[2], int *n)
{
    *n = 0;
    for (int e = A->start[2 * k]; e < A->start[2 * k + 2]; e++) {
        int other = A->column[e] / 2;
        if (other != k && (*n < 1 || out[0] != other) && (*n < 2 || out[1] != other)) {
            if (*n == 2) {
                return false;
            }
            out[(*n)++] = other;
        }
    }
    return true;
}

// Chains from one end to the other; the order of the bodies where it is there already. What is left is rings.
static bool walk(const tn_blocks *A, tn_chain_order *out)
{
    int n = 0, next[2], count;
    for (int start = 0; start < out->n; start++) {
        if (out->place[start] >= 0) {
            continue;
        }
        if (!find_neighbours(A, start, next, &count)) {
            return false;
        }
        for (int k = start; count < 2 && k >= 0 && out->place[k] < 0;) {
            out->place[k] = n;
            out->body[n++] = k;
            int m, at[2];
            if (!find_neighbours(A, k, at, &m)) {
                return false;
            }
            k = m > 0 && out->place[at[0]] < 0 ? at[0] : m > 1 && out->place[at[1]] < 0 ? at[1] : -1;
        }
    }
    return n == out->n;
}

// A block into rows of the chain's.
static void copy_block(const double from[9], double *to)
{
#pragma GCC unroll 9
    for (int k = 0; k < 9; k++) {
        to[TN_CHAIN_ROW * (k / 3) + k % 3] = from[k];
    }
}

// Blocks of A from each body to the one that lies so many places on, where there are any.
static void gather(const tn_blocks *A, const tn_chain_order *order, int on, double *out)
{
    for (int row = 0; row < A->n_rows; row++) {
        int place = order->place[row / 2];
        double *to = out + (size_t)TN_CHAIN_BLOCK * (size_t)place + (size_t)(TN_CHAIN_ROW * 3 * (row % 2));
        for (int e = A->start[row]; e < A->start[row + 1]; e++) {
            if (order->place[A->column[e] / 2] == place + on) {
                copy_block(A->value + 9 * (size_t)e, to + 3 * (A->column[e] % 2));
            }
        }
    }
}

void tn_chain_own_blocks(const tn_blocks *A, const tn_chain_order *order, double *D)
{
    memset(D, 0, (size_t)TN_CHAIN_BLOCK * (size_t)order->n * sizeof *D);
    gather(A, order, 0, D);
}

// Whose body each constraint is.
static void find_places(const tn_rows *rows, tn_chain_order *out)
{
    for (int m = 0; m < rows->n_triples + rows->n_singles; m++) {
        out->place_of[m] = -1;
        for (int e = rows->start[m]; e < rows->start[m + 1]; e++) {
            int place = out->place[rows->block[e] / 2];
            bool other = e > rows->start[m] && out->place_of[m] != place;
            out->place_of[m] = place;
            if (other) {
                out->place_of[m] = -1;
                break;
            }
        }
    }
}

tn_status tn_chain_order_find(const tn_problem *problem, tn_arena *arena, tn_chain_order *out, bool *fits)
{
    const tn_blocks *A = problem->A;
    int n = A->n_rows / 2;
    size_t numbers = (size_t)TN_CHAIN_BLOCK * (size_t)n;
    *fits = A->n_rows % 2 == 0;
    if (!*fits) {
        return TN_OK;
    }
    *out = (tn_chain_order){
        .n = n,
        .body = TN_PUSH_RAW(arena, int, n),
        .place = TN_PUSH_RAW(arena, int, n),
        .place_of = TN_PUSH_RAW(arena, int, (size_t)problem->rows->n_triples + (size_t)problem->rows->n_singles)};
    if (!out->body || !out->place || !out->place_of) {
        return TN_NO_MEMORY;
    }
    memset(out->place, -1, (size_t)n * sizeof *out->place);
    *fits = walk(A, out);
    if (!*fits) {
        return TN_OK;
    }
    find_places(problem->rows, out);
    out->U = TN_PUSH(arena, double, numbers);
    if (!out->U) {
        return TN_NO_MEMORY;
    }
    gather(A, out, 1, out->U);
    return TN_OK;
}
