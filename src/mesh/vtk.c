// Legacy VTK files with an unstructured grid, ASCII or binary (big-endian), versions 2 to 5.1 ("VTK File Formats",
// vtk.org). Cells of version 5 are OFFSETS and CONNECTIVITY, before that a list of counts and nodes.
#include "mesh/vtk.h"
#include "mesh/read.h"

#include "base/memory.h"

#include <string.h>
#include <strings.h>

static const tn_vtk_type number_types[] = {
    {"float", 4, true},           {"double", 8, true},         {"int", 4, false},           {"vtktypeint64", 8, false},
    {"vtktypeint32", 4, false},   {"vtkidtype", 4, false},     {"long", 8, false},          {"unsigned_int", 4, false},
    {"unsigned_long", 8, false},  {"char", 1, false},          {"unsigned_char", 1, false}, {"short", 2, false},
    {"unsigned_short", 2, false}, {"vtktypeuint64", 8, false},
};

typedef struct vtk {
    tn_source *source;
    tn_draft *draft;
    bool binary;
    int n_cells;
    int64_t *start; // (n_cells + 1) first node of each cell in nodes
    int *nodes;     // of all cells, one after the other
    int *kind;      // (n_cells)
} vtk;

static bool vtk_word(tn_vtk *file, const char *what, const char **text, size_t *length)
{
    return tn_source_word(file->source, text, length) ||
           tn_source_fail(file->source, "the file ends where %s should stand", what);
}

bool tn_vtk_expect(tn_vtk *file, const char *text)
{
    const char *found;
    size_t length;
    return vtk_word(file, text, &found, &length) &&
           (tn_word_is(found, length, text, true) || tn_source_fail(file->source, "%s should stand here", text));
}

bool tn_vtk_type_of(tn_vtk *file, const tn_vtk_type **type)
{
    const char *text;
    size_t length;
    if (!vtk_word(file, "a type of numbers", &text, &length)) {
        return false;
    }
    for (size_t i = 0; i < sizeof number_types / sizeof *number_types; i++) {
        *type = &number_types[i];
        if (tn_word_is(text, length, number_types[i].name, true)) {
            return true;
        }
    }
    return tn_source_fail(file->source, "a type of numbers should stand here, such as float or double");
}

// The data of a keyword's line: binary numbers begin behind the line's end.
bool tn_vtk_begin_data(tn_vtk *file)
{
    if (!file->binary) {
        return true;
    }
    bool ok = tn_source_end_line(file->source);
    file->source->binary = ok;
    return ok;
}

void tn_vtk_end_data(tn_vtk *file)
{
    file->source->binary = false;
}

static bool read_real(tn_vtk *file, const tn_vtk_type *type, double *x)
{
    if (!file->binary) {
        return tn_source_number(file->source, "a coordinate", x);
    }
    return type->bytes == 4 ? tn_source_float(file->source, "a coordinate", x)
                            : tn_source_double(file->source, "a coordinate", x);
}

bool tn_vtk_whole(tn_vtk *file, const char *what, int bytes, int64_t *value)
{
    if (!file->binary) {
        return tn_source_integer(file->source, what, INT32_MIN, INT64_C(1) << 53, value);
    }
    if (bytes == 8) {
        return tn_source_int64(file->source, what, value);
    }
    int32_t number = 0;
    bool ok = tn_source_int32(file->source, what, &number);
    *value = number;
    return ok;
}

bool tn_vtk_holds(const tn_vtk *file, const char *what, int64_t n, int bytes)
{
    return tn_source_holds(file->source, what, n, file->binary ? (size_t)bytes : 2);
}

static bool read_points(tn_vtk *file)
{
    int64_t n = 0;
    const tn_vtk_type *type = NULL;
    if (!tn_source_integer(file->source, "the number of points", 0, INT32_MAX, &n) || !tn_vtk_type_of(file, &type)) {
        return false;
    }
    if (!type->real) {
        return tn_source_fail(file->source, "points of type %s are not read: write them as float or double",
                              type->name);
    }
    if (!tn_vtk_begin_data(file) || !tn_vtk_holds(file, "points", n, 3 * type->bytes) ||
        !tn_draft_reserve_nodes(file->draft, file->source, n)) {
        return false;
    }
    for (int64_t i = 0; i < 3 * n; i++) {
        if (!read_real(file, type, &file->draft->nodes[i])) {
            return false;
        }
    }
    for (int i = 0; i < n; i++) {
        file->draft->tags.tag[i] = i;
    }
    tn_vtk_end_data(file);
    return tn_draft_index_nodes(file->draft, file->source);
}

// FIELD name n; then n arrays: name components tuples type, numbers.
static bool skip_field(tn_vtk *file)
{
    const char *text;
    size_t length;
    int64_t n = 0, components = 0, tuples = 0;
    if (!vtk_word(file, "a field's name", &text, &length) ||
        !tn_source_integer(file->source, "the number of arrays", 0, INT32_MAX, &n)) {
        return false;
    }
    for (int64_t a = 0; a < n; a++) {
        const tn_vtk_type *type = NULL;
        if (!vtk_word(file, "an array's name", &text, &length) ||
            !tn_source_integer(file->source, "the number of components", 0, INT32_MAX, &components) ||
            !tn_source_integer(file->source, "the number of tuples", 0, INT32_MAX, &tuples) ||
            !tn_vtk_type_of(file, &type) || !tn_vtk_begin_data(file)) {
            return false;
        }
        int64_t count = components * tuples; // both below 2^31: no overflow
        if (!tn_vtk_holds(file, "numbers of an array", count, type->bytes) ||
            (file->binary && !tn_source_skip_bytes(file->source, "an array", (uint64_t)(count * type->bytes)))) {
            return false;
        }
        for (int64_t i = 0; i < count && !file->binary; i++) {
            if (!vtk_word(file, "a number", &text, &length)) {
                return false;
            }
        }
        tn_vtk_end_data(file);
    }
    return true;
}

// METADATA: lines up to an empty one.
static void skip_metadata(tn_vtk *file)
{
    tn_source *source = file->source;
    tn_source_skip_line(source);
    while (source->at < source->end && *source->at != '\n' && *source->at != '\r') {
        tn_source_skip_line(source);
    }
}

// Lines before the data: version, title, ASCII or BINARY, DATASET.
static bool read_header(tn_vtk *file)
{
    static const char first[] = "# vtk DataFile Version ";
    tn_source *source = file->source;
    double version = 0.0;
    if (tn_source_left(source) < strlen(first) || strncasecmp(source->at, first, strlen(first)) != 0) {
        return tn_source_fail(source, "no VTK file: '# vtk DataFile Version' should stand here");
    }
    source->at += strlen(first);
    if (!tn_source_number(source, "the version", &version)) {
        return false;
    }
    if (!(version >= 1.0 && version < 6.0)) {
        return tn_source_fail(source, "version %g of VTK's format is not read", version);
    }
    tn_source_skip_line(source);
    tn_source_skip_line(source); // the title
    const char *text;
    size_t length;
    if (!vtk_word(file, "ASCII or BINARY", &text, &length)) {
        return false;
    }
    file->binary = tn_word_is(text, length, "BINARY", true);
    if (!file->binary && !tn_word_is(text, length, "ASCII", true)) {
        return tn_source_fail(source, "ASCII or BINARY should stand here");
    }
    const uint16_t probe = 1;
    source->swap = *(const unsigned char *)&probe == 1; // the file is big-endian
    return true;
}

static bool read_dataset(tn_vtk *file)
{
    const char *text;
    size_t length;
    return vtk_word(file, "UNSTRUCTURED_GRID", &text, &length) &&
           (tn_word_is(text, length, "UNSTRUCTURED_GRID", true) ||
            tn_source_fail(file->source, "only data sets of type UNSTRUCTURED_GRID are read"));
}

static bool read_sections(tn_vtk *file)
{
    static const struct {
        const char *name;
        bool (*read)(tn_vtk *file);
    } sections[] = {
        {"DATASET", read_dataset}, {"POINTS", read_points},      {"CELLS", tn_vtk_cells},
        {"FIELD", skip_field},     {"CELL_TYPES", tn_vtk_kinds},
    };
    const size_t n_sections = sizeof sections / sizeof *sections;
    const char *text;
    size_t length;
    while (tn_source_word(file->source, &text, &length)) {
        if (tn_word_is(text, length, "POINT_DATA", true) || tn_word_is(text, length, "CELL_DATA", true)) {
            break; // behind the mesh
        }
        if (tn_word_is(text, length, "METADATA", true)) {
            skip_metadata(file);
            continue;
        }
        size_t i = 0;
        while (i < n_sections && !tn_word_is(text, length, sections[i].name, true)) {
            i++;
        }
        if (i == n_sections) {
            return tn_source_fail(file->source, "POINTS, CELLS or CELL_TYPES should stand here");
        }
        if (!sections[i].read(file)) {
            return false;
        }
    }
    return true;
}

bool tn_read_vtk(tn_source *source, tn_draft *draft)
{
    tn_vtk file = {.source = source, .draft = draft};
    bool ok = read_header(&file) && read_sections(&file) && tn_vtk_add_tets(&file);
    tn_free(file.start);
    tn_free(file.nodes);
    tn_free(file.kind);
    return ok;
}
