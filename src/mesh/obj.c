// Wavefront OBJ files: vertices (v), polygons (f), objects and groups (o, g). Polygons are cut into fans around their
// first corner, which suits convex ones. What only says how a surface looks is skipped.
// Source: Wavefront Technologies, Advanced Visualizer manual, appendix B1, "Object files (.obj)", 1995.
#include "mesh/trimesh_read.h"

#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v';
}

// Bytes of a backslash and the line end behind it, which continue the line; 0: there is none here.
static size_t continuation(const tn_source *source)
{
    size_t left = tn_source_left(source);
    if (left < 2 || *source->at != '\\') {
        return 0;
    }
    return source->at[1] == '\n' ? 2 : left > 2 && source->at[1] == '\r' && source->at[2] == '\n' ? 3 : 0;
}

static void skip_blanks(tn_source *source)
{
    size_t n = 0;
    while (source->at < source->end && (is_blank(*source->at) || (n = continuation(source)) > 0)) {
        source->line += n > 0;
        source->at += n > 0 ? n : 1;
        n = 0;
    }
}

// Next word of the line; false at its end or at a comment.
static bool line_word(tn_source *source, const char **word, size_t *length)
{
    skip_blanks(source);
    *word = source->at;
    while (source->at < source->end && !is_blank(*source->at) && *source->at != '\n' && *source->at != '#' &&
           continuation(source) == 0) {
        source->at++;
    }
    *length = (size_t)(source->at - *word);
    return *length > 0;
}

static void skip_statement(tn_source *source)
{
    const char *word;
    size_t length;
    while (line_word(source, &word, &length)) {
    }
    tn_source_skip_line(source);
}

// x y z, then w, or red green blue, or all four.
static bool read_vertex(tn_source *source, tn_tri_draft *draft)
{
    double x[3], more;
    const char *word;
    size_t length;
    for (int i = 0; i < 3; i++) {
        if (!line_word(source, &word, &length)) {
            return tn_source_fail(source, "a vertex needs three coordinates, not %d", i);
        }
        if (!tn_word_number(source, word, length, "a coordinate", &x[i])) {
            return false;
        }
    }
    for (int i = 3; line_word(source, &word, &length); i++) {
        if (i >= 7) {
            return tn_source_fail(source, "a vertex has more than seven numbers");
        }
        if (!tn_word_number(source, word, length, "a number of a vertex", &more)) {
            return false;
        }
    }
    return tn_tri_draft_add_vertex(draft, source, x);
}

// "7", "7/1", "7//3" or "7/1/3", the vertex counted from 1, or from the last one back if negative.
static bool read_corner(const tn_source *source, const tn_tri_draft *draft, const char *word, size_t length,
                        int *vertex)
{
    const char *slash = memchr(word, '/', length);
    int64_t number = 0;
    if (!tn_word_integer(source, word, slash ? (size_t)(slash - word) : length, "a vertex of a face", -INT32_MAX,
                         INT32_MAX, &number)) {
        return false;
    }
    int64_t index = number > 0 ? number - 1 : draft->n_vertices + number;
    if (number == 0 || index < 0 || index >= draft->n_vertices) {
        return tn_source_fail(source, "a face names vertex %lld, but %d stand before this line", (long long)number,
                              draft->n_vertices);
    }
    *vertex = (int)index;
    return true;
}

static bool read_face(tn_source *source, tn_tri_draft *draft)
{
    const char *word;
    size_t length;
    int first = -1, last = -1, n = 0;
    for (; line_word(source, &word, &length); n++) {
        int vertex = 0;
        if (!read_corner(source, draft, word, length, &vertex)) {
            return false;
        }
        if (n > 0 && (vertex == last || vertex == first)) {
            return tn_source_fail(source, "a face names vertex %d twice", vertex + 1);
        }
        if (n >= 2 && !tn_tri_draft_add_face(draft, source, first, last, vertex)) {
            return false;
        }
        first = n == 0 ? vertex : first;
        last = vertex;
    }
    return n >= 3 || tn_source_fail(source, "a face needs at least three vertices, not %d", n);
}

// The rest of the line is the name.
static bool read_part(tn_source *source, tn_tri_draft *draft)
{
    const char *word, *name;
    size_t length;
    skip_blanks(source);
    name = source->at;
    const char *end = name;
    while (line_word(source, &word, &length)) {
        end = word + length;
    }
    return tn_tri_draft_begin_part(draft, source, name, (size_t)(end - name));
}

static bool skip(tn_source *source, tn_tri_draft *draft)
{
    return true;
}

static bool refuse(tn_source *source, tn_tri_draft *draft)
{
    return tn_source_fail(source, "curved surfaces are not read: export polygons");
}

typedef struct statement {
    const char *word;
    bool (*read)(tn_source *source, tn_tri_draft *draft);
} statement;

static const statement *find_statement(const char *word, size_t length)
{
    static const statement statements[] = {
        {"v", read_vertex},   {"f", read_face},    {"fo", read_face},  {"o", read_part},   {"g", read_part},
        {"vt", skip},         {"vn", skip},        {"vp", skip},       {"s", skip},        {"l", skip},
        {"p", skip},          {"usemtl", skip},    {"mtllib", skip},   {"usemap", skip},   {"maplib", skip},
        {"lod", skip},        {"bevel", skip},     {"c_interp", skip}, {"d_interp", skip}, {"mg", skip},
        {"shadow_obj", skip}, {"trace_obj", skip}, {"cstype", refuse}, {"deg", refuse},    {"bmat", refuse},
        {"curv", refuse},     {"curv2", refuse},   {"surf", refuse},   {"step", refuse},   {"parm", refuse},
    };
    for (size_t i = 0; i < sizeof statements / sizeof *statements; i++) {
        if (tn_word_is(word, length, statements[i].word, false)) {
            return &statements[i];
        }
    }
    return NULL;
}

bool tn_read_obj(tn_source *source, tn_tri_draft *draft)
{
    const char *word;
    size_t length;
    while (tn_source_left(source) > 0) {
        if (line_word(source, &word, &length)) {
            const statement *s = find_statement(word, length);
            if (!s) {
                return tn_source_fail(source, "no statement of an OBJ file that is known: '%.*s'",
                                      length < 40 ? (int)length : 40, word);
            }
            if (!s->read(source, draft)) {
                return false;
            }
        }
        skip_statement(source);
    }
    return draft->n_vertices > 0 || tn_source_fail(source, "the file has no vertices (lines that begin with v)");
}
