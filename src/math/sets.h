// Disjoint sets of numbers (union-find). parent[i] is i at first, later a smaller number of i's set; the smallest one
// stands for the set and is its own parent.
#pragma once

// The number that stands for i's set; halves the way to it.
static inline int tn_set_of(int *parent, int i)
{
    while (parent[i] != i) {
        i = parent[i] = parent[parent[i]];
    }
    return i;
}

static inline void tn_sets_join(int *parent, int a, int b)
{
    if (parent[a] == parent[b]) {
        return;
    }
    a = tn_set_of(parent, a);
    b = tn_set_of(parent, b);
    parent[a > b ? a : b] = a < b ? a : b;
}
