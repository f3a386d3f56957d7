// TetGen's .node and .ele files (Si, TetGen user's manual, "File formats"): counts, then one line for each node or
// tetrahedron; numbers begin with 0 or 1; '#' begins a comment. Nodes with a boundary marker that is not 0 form the
// group of the marker's name.
#include "mesh/read.h"

enum { ATTRIBUTES_MAX = 1000 };

static bool integer(tn_source *source, const char *what, int64_t low, int64_t high, int64_t *value)
{
    tn_source_skip_comments(source);
    return tn_source_integer(source, what, low, high, value);
}

static bool number(tn_source *source, const char *what, double *value)
{
    tn_source_skip_comments(source);
    return tn_source_number(source, what, value);
}

static bool skip_numbers(tn_source *source, const char *what, int64_t n)
{
    double x = 0.0;
    for (int64_t i = 0; i < n; i++) {
        if (!number(source, what, &x)) {
            return false;
        }
    }
    return true;
}

static bool read_node(tn_source *source, tn_draft *draft, int index, int64_t n_attributes, bool marked)
{
    double *x = draft->nodes + 3 * (size_t)index;
    int64_t marker = 0;
    if (!integer(source, "the number of a node", 0, INT32_MAX, &draft->tags.tag[index]) ||
        !number(source, "a coordinate", &x[0]) || !number(source, "a coordinate", &x[1]) ||
        !number(source, "a coordinate", &x[2]) || !skip_numbers(source, "an attribute", n_attributes) ||
        (marked && !integer(source, "a boundary marker", INT32_MIN, INT32_MAX, &marker))) {
        return false;
    }
    if (marker == 0) {
        return true;
    }
    int group = tn_draft_group_of(draft, source, 0, marker);
    return group >= 0 && tn_draft_add_member(draft, source, group, index);
}

bool tn_read_tetgen_nodes(tn_source *source, tn_draft *draft)
{
    int64_t n = 0, dimension = 0, n_attributes = 0, markers = 0;
    if (!integer(source, "the number of nodes", 0, INT32_MAX, &n) ||
        !integer(source, "the dimension", 2, 3, &dimension) ||
        !integer(source, "the number of attributes", 0, ATTRIBUTES_MAX, &n_attributes) ||
        !integer(source, "whether there are boundary markers", 0, 1, &markers)) {
        return false;
    }
    if (dimension != 3) {
        return tn_source_fail(source, "the nodes are in the plane: a mesh of tetrahedra needs three coordinates");
    }
    if (!tn_source_holds(source, "nodes", n, 8) || !tn_draft_reserve_nodes(draft, source, n)) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        if (!read_node(source, draft, i, n_attributes, markers == 1)) {
            return false;
        }
    }
    return tn_draft_index_nodes(draft, source);
}

bool tn_read_tetgen_tets(tn_source *source, tn_draft *draft)
{
    int64_t n = 0, corners = 0, n_attributes = 0, tag = 0;
    if (!integer(source, "the number of tetrahedra", 0, INT32_MAX, &n) ||
        !integer(source, "the number of nodes of a tetrahedron", 1, 100, &corners) ||
        !integer(source, "the number of attributes", 0, ATTRIBUTES_MAX, &n_attributes)) {
        return false;
    }
    if (corners != 4) {
        return tn_source_fail(source, "tetrahedra of %lld nodes: only those of four are read; run tetgen without -o2",
                              (long long)corners);
    }
    if (!tn_source_holds(source, "tetrahedra", n, 10)) {
        return false;
    }
    for (int64_t t = 0; t < n; t++) {
        int tet[4];
        if (!integer(source, "the number of a tetrahedron", 0, INT32_MAX, &tag)) {
            return false;
        }
        for (int i = 0; i < 4; i++) {
            if (!integer(source, "a node of a tetrahedron", 0, INT32_MAX, &tag)) {
                return false;
            }
            tet[i] = tn_draft_find_node(draft, source, tag);
            if (tet[i] < 0) {
                return false;
            }
        }
        if (!skip_numbers(source, "an attribute", n_attributes) || !tn_draft_add_tet(draft, source, tet)) {
            return false;
        }
    }
    return true;
}
