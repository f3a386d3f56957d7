// Cells of a VTK file: which nodes, which type; the tetrahedra among them.
#include "mesh/vtk.h"

#include "base/memory.h"

// A cell's node; its number is checked when tetrahedra are made, after all points are there.
static bool read_node(tn_vtk *file, int bytes, int *node)
{
    int64_t value = 0;
    if (!tn_vtk_whole(file, "a node of a cell", bytes, &value)) {
        return false;
    }
    if (value < 0 || value > INT32_MAX) {
        return tn_source_fail(file->source, "a cell names node %lld", (long long)value);
    }
    *node = (int)value;
    return true;
}

static bool reserve_cells(tn_vtk *file, int64_t n_cells, int64_t n_nodes)
{
    if (file->start) {
        return tn_source_fail(file->source, "the cells come a second time");
    }
    file->n_cells = (int)n_cells;
    file->start = tn_calloc((size_t)n_cells + 1, sizeof *file->start);
    file->nodes = tn_malloc((size_t)n_nodes * sizeof *file->nodes);
    return (file->start && file->nodes) || tn_source_no_memory(file->source);
}

// count node node ... for each cell; size numbers in all
static bool read_cell_list(tn_vtk *file, int64_t n, int64_t size)
{
    if (size < n) {
        return tn_source_fail(file->source, "%lld cells cannot have %lld numbers in all", (long long)n,
                              (long long)size);
    }
    if (!tn_vtk_begin_data(file) || !tn_vtk_holds(file, "numbers of cells", size, 4) ||
        !reserve_cells(file, n, size - n)) {
        return false;
    }
    for (int64_t c = 0; c < n; c++) {
        int64_t count = 0;
        if (!tn_vtk_whole(file, "a cell's number of nodes", 4, &count)) {
            return false;
        }
        if (count < 0 || count > size - n - file->start[c]) {
            return tn_source_fail(file->source, "a cell of %lld nodes, more than the line CELLS says in all",
                                  (long long)count);
        }
        for (int64_t i = 0; i < count; i++) {
            if (!read_node(file, 4, &file->nodes[file->start[c] + i])) {
                return false;
            }
        }
        file->start[c + 1] = file->start[c] + count;
    }
    return true;
}

static bool read_array_type(tn_vtk *file, const char *name, int *bytes)
{
    const tn_vtk_type *type = NULL;
    if (!tn_vtk_expect(file, name) || !tn_vtk_type_of(file, &type)) {
        return false;
    }
    *bytes = type->bytes;
    return (!type->real && type->bytes >= 4) ||
           tn_source_fail(file->source, "%s of type %s are not read", name, type->name);
}

// OFFSETS type, n_offsets numbers; CONNECTIVITY type, size numbers
static bool read_cell_offsets(tn_vtk *file, int64_t n_offsets, int64_t size)
{
    int bytes = 0;
    if (!read_array_type(file, "OFFSETS", &bytes) || !tn_vtk_begin_data(file) ||
        !tn_vtk_holds(file, "offsets", n_offsets, bytes)) {
        return false;
    }
    if (n_offsets < 1) {
        return tn_source_fail(file->source, "there are no cells");
    }
    tn_vtk_end_data(file);
    // The nodes stand behind: that they are there is asked before memory is taken.
    if (!tn_source_holds(file->source, "nodes of cells", size, 2) || !reserve_cells(file, n_offsets - 1, size)) {
        return false;
    }
    file->source->binary = file->binary;
    for (int64_t c = 0; c < n_offsets; c++) {
        if (!tn_vtk_whole(file, "an offset", bytes, &file->start[c])) {
            return false;
        }
        if (file->start[c] < (c ? file->start[c - 1] : 0) || file->start[c] > size || (c == 0 && file->start[0] != 0)) {
            return tn_source_fail(file->source, "offset %lld is out of order", (long long)file->start[c]);
        }
    }
    tn_vtk_end_data(file);
    if (file->start[n_offsets - 1] != size) {
        return tn_source_fail(file->source, "the last offset is %lld, not the number of nodes %lld",
                              (long long)file->start[n_offsets - 1], (long long)size);
    }
    if (!read_array_type(file, "CONNECTIVITY", &bytes) || !tn_vtk_begin_data(file)) {
        return false;
    }
    for (int64_t i = 0; i < size; i++) {
        if (!read_node(file, bytes, &file->nodes[i])) {
            return false;
        }
    }
    return true;
}

bool tn_vtk_cells(tn_vtk *file)
{
    int64_t n = 0, size = 0;
    if (!tn_source_integer(file->source, "the number of cells", 0, INT32_MAX - 1, &n) ||
        !tn_source_integer(file->source, "the size of the cells", 0, INT32_MAX - 1, &size)) {
        return false;
    }
    // Version 5.1 goes on with a word, the versions before with numbers.
    tn_source ahead = *file->source;
    const char *text;
    size_t length;
    bool offsets = tn_source_word(&ahead, &text, &length) && tn_word_is(text, length, "OFFSETS", true);
    bool ok = offsets ? read_cell_offsets(file, n, size) : read_cell_list(file, n, size);
    if (ok) {
        tn_vtk_end_data(file);
    }
    return ok;
}

bool tn_vtk_kinds(tn_vtk *file)
{
    int64_t n = 0;
    if (!tn_source_integer(file->source, "the number of cells", 0, INT32_MAX - 1, &n)) {
        return false;
    }
    if (file->kind || !file->start || n != file->n_cells) {
        return tn_source_fail(file->source, "%lld types of cells, but %d cells before them", (long long)n,
                              file->n_cells);
    }
    if (!tn_vtk_begin_data(file) || !tn_vtk_holds(file, "types of cells", n, 4)) {
        return false;
    }
    file->kind = tn_malloc((size_t)n * sizeof *file->kind);
    if (!file->kind) {
        return tn_source_no_memory(file->source);
    }
    for (int64_t c = 0; c < n; c++) {
        int64_t kind = 0;
        if (!tn_vtk_whole(file, "a type of cell", 4, &kind)) {
            return false;
        }
        if (kind < 0 || kind > 255) {
            return tn_source_fail(file->source, "cell type %lld is not known", (long long)kind);
        }
        file->kind[c] = (int)kind;
    }
    tn_vtk_end_data(file);
    return true;
}

// Cell types: 10 is the tetrahedron; up to 9 and some later ones are points, lines and faces.
static bool is_below_solid(int kind)
{
    static const int flat[] = {21, 22, 23, 28, 30, 34, 35, 36, 68, 69, 70, 75};
    for (size_t i = 0; i < sizeof flat / sizeof *flat; i++) {
        if (kind == flat[i]) {
            return true;
        }
    }
    return kind <= 9;
}

bool tn_vtk_add_tets(tn_vtk *file)
{
    enum { TETRA = 10, QUADRATIC_TETRA = 24, LAGRANGE_TETRA = 71 };
    if (!file->kind) {
        return tn_source_fail(file->source, "%s is missing", file->start ? "CELL_TYPES" : "CELLS");
    }
    file->source->line = 0; // behind the whole file: messages name the cell
    for (int c = 0; c < file->n_cells; c++) {
        const int kind = file->kind[c];
        if (is_below_solid(kind)) {
            continue;
        }
        int tet[4];
        if (kind == QUADRATIC_TETRA || kind == LAGRANGE_TETRA) {
            return tn_source_fail(file->source,
                                  "cell %d is a tetrahedron of higher order: only those of four nodes "
                                  "are read",
                                  c);
        }
        if (kind != TETRA || file->start[c + 1] - file->start[c] != 4) {
            return tn_source_fail(file->source, "cell %d (type %d, %lld nodes) is no tetrahedron: only they are read",
                                  c, kind, (long long)(file->start[c + 1] - file->start[c]));
        }
        for (int i = 0; i < 4; i++) {
            tet[i] = file->nodes[file->start[c] + i];
            if (tet[i] >= file->draft->n_nodes) {
                return tn_source_fail(file->source, "cell %d names point %d of %d (both count from 0)", c, tet[i],
                                      file->draft->n_nodes);
            }
        }
        if (!tn_draft_add_tet(file->draft, file->source, tet)) {
            return false;
        }
    }
    return true;
}
