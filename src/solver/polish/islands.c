#include "solver/polish/islands.h"

#include "problem/rows.h"

static int root_of(int *parent, int i)
{
    while (parent[i] != i) {
        i = parent[i] = parent[parent[i]];
    }
    return i;
}

// The smaller number stays.
static void join(int *parent, int a, int b)
{
    a = root_of(parent, a);
    b = root_of(parent, b);
    parent[a < b ? b : a] = a < b ? a : b;
}

// The entries' components become one. Returns one of them; -1: there is none.
static int join_entries(const tn_components *c, const int *block, int n, int *parent)
{
    for (int e = 1; e < n; e++) {
        join(parent, c->of_block[block[0]], c->of_block[block[e]]);
    }
    return n > 0 ? c->of_block[block[0]] : -1;
}

// A component of each row block and joint row, and who are one.
static void join_rows(const tn_problem *p, const tn_components *components, int *parent, int *of_contact, int *of_joint)
{
    const tn_rows *c = p->rows;
    for (int i = 0; i < components->n; i++) {
        parent[i] = i;
    }
    for (int m = 0; m < c->n_triples; m++) {
        of_contact[m] = join_entries(components, c->block + c->start[m], c->start[m + 1] - c->start[m], parent);
        int friction = m - (c->n_triples - c->n_frictions), by = friction < 0 ? -1 : c->pressed_by[friction];
        if (of_contact[m] >= 0 && by >= 0 && of_contact[by] >= 0) {
            join(parent, of_contact[m], of_contact[by]);
        }
    }
    for (int i = 0; i < tn_joint_row_count(p); i++) {
        const tn_rows singles = tn_rows_singles(p->rows), *j = &singles;
        of_joint[i] = join_entries(components, j->block + j->start[i], j->start[i + 1] - j->start[i], parent);
    }
}

// Lists of what belongs to each island, one after the other.
typedef struct lists {
    int *contact, *joint, *component;
} lists;

// island (components->n): the number of each root's island, -1 where it is not asked for.
static void fill(const tn_problem *p, const tn_components *components, int *parent, const int *of_contact,
                 const int *of_joint, const int *number, const lists *to, tn_polish_islands *out)
{
    int at[3] = {0, 0, 0};
    for (int k = 0; k < out->n; k++) { // counted: where their lists begin
        tn_polish_island *island = &out->island[k];
        island->contact = to->contact + at[0];
        island->joint = to->joint + at[1];
        island->component = to->component + at[2];
        at[0] += island->n;
        at[1] += island->n_joints;
        at[2] += island->n_components;
        island->n = island->n_joints = island->n_components = 0;
    }
    for (int i = 0; i < components->n; i++) {
        int k = number[root_of(parent, i)];
        if (k >= 0) {
            tn_polish_island *island = &out->island[k];
            to->component[island->component - to->component + island->n_components++] = i;
        }
    }
    for (int m = 0; m < p->rows->n_triples; m++) {
        int k = of_contact[m] < 0 ? -1 : number[root_of(parent, of_contact[m])];
        if (k >= 0) {
            tn_polish_island *island = &out->island[k];
            to->contact[island->contact - to->contact + island->n++] = m;
        }
    }
    for (int i = 0; i < tn_joint_row_count(p); i++) {
        int k = of_joint[i] < 0 ? -1 : number[root_of(parent, of_joint[i])];
        if (k >= 0) {
            tn_polish_island *island = &out->island[k];
            to->joint[island->joint - to->joint + island->n_joints++] = i;
        }
    }
}

// The whole of a problem in local form.
static bool take_all(const tn_problem *p, int max_rows, tn_arena *arena, tn_polish_islands *out)
{
    int n = p->rows->n_triples, *contact = TN_PUSH_RAW(arena, int, n);
    out->island = TN_PUSH_RAW(arena, tn_polish_island, 1);
    if (!contact || !out->island) {
        return false;
    }
    for (int m = 0; m < n; m++) {
        contact[m] = m;
    }
    out->n = n > 0 && 3 * n <= max_rows;
    out->most = out->n * 3 * n;
    out->island[0] = (tn_polish_island){.n = n, .contact = contact};
    return true;
}

bool tn_polish_islands_find(const tn_problem *p, const tn_components *components, int max_rows, tn_arena *arena,
                            tn_polish_islands *out)
{
    *out = (tn_polish_islands){.n = 0};
    if (p->W) {
        return take_all(p, max_rows, arena, out);
    }
    int n = components->n, n_contacts = p->rows->n_triples, n_joints = tn_joint_row_count(p);
    int *parent = TN_PUSH_RAW(arena, int, n), *number = TN_PUSH_RAW(arena, int, n);
    int *of_contact = TN_PUSH_RAW(arena, int, n_contacts), *of_joint = TN_PUSH_RAW(arena, int, n_joints);
    tn_polish_island *all = TN_PUSH(arena, tn_polish_island, n);
    lists to = {TN_PUSH_RAW(arena, int, n_contacts), TN_PUSH_RAW(arena, int, n_joints), TN_PUSH_RAW(arena, int, n)};
    if (!parent || !number || !of_contact || !of_joint || !all || !to.contact || !to.joint || !to.component) {
        return false;
    }
    join_rows(p, components, parent, of_contact, of_joint);
    for (int i = 0; i < n; i++) { // counted at their roots
        all[root_of(parent, i)].n_components++;
    }
    for (int m = 0; m < n_contacts; m++) {
        all[of_contact[m] < 0 ? 0 : root_of(parent, of_contact[m])].n += of_contact[m] >= 0;
    }
    for (int i = 0; i < n_joints; i++) {
        all[of_joint[i] < 0 ? 0 : root_of(parent, of_joint[i])].n_joints += of_joint[i] >= 0;
    }
    for (int i = 0; i < n; i++) {
        int rows = 3 * all[i].n + all[i].n_joints;
        number[i] = parent[i] == i && rows > 0 && rows <= max_rows ? out->n : -1;
        if (number[i] >= 0) {
            all[out->n++] = all[i];
            out->most = rows > out->most ? rows : out->most;
        }
    }
    out->island = all;
    fill(p, components, parent, of_contact, of_joint, number, &to, out);
    return true;
}
