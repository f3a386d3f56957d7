// STL files, ASCII and binary (3D Systems, "StereoLithography Interface Specification", 1988). Normals are not read:
// the order of the corners says where outside is.
#include "mesh/trimesh_read.h"

#include <string.h>

enum { HEADER = 80, TRIANGLE = 50 }; // bytes

static bool expect(tn_source *source, const char *wanted)
{
    const char *word;
    size_t length;
    if (!tn_source_word(source, &word, &length)) {
        return tn_source_fail(source, "the file ends where '%s' should stand", wanted);
    }
    return tn_word_is(word, length, wanted, true) || tn_source_fail(source, "'%s' should stand here", wanted);
}

static bool add_triangle(tn_source *source, tn_tri_draft *draft)
{
    int n = draft->n_vertices;
    return tn_tri_draft_add_face(draft, source, n - 3, n - 2, n - 1);
}

// Behind the word "facet".
static bool read_facet(tn_source *source, tn_tri_draft *draft)
{
    const char *word;
    size_t length;
    if (!expect(source, "normal")) {
        return false;
    }
    for (int i = 0; i < 3; i++) { // some programs write nan for triangles without area
        if (!tn_source_word(source, &word, &length)) {
            return tn_source_fail(source, "the file ends within a normal");
        }
    }
    if (!expect(source, "outer") || !expect(source, "loop")) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        double x[3];
        if (!expect(source, "vertex") || !tn_source_number(source, "a coordinate", &x[0]) ||
            !tn_source_number(source, "a coordinate", &x[1]) || !tn_source_number(source, "a coordinate", &x[2]) ||
            !tn_tri_draft_add_vertex(draft, source, x)) {
            return false;
        }
    }
    return expect(source, "endloop") && expect(source, "endfacet") && add_triangle(source, draft);
}

// The rest of the line, a name that may hold anything.
static bool read_name(tn_source *source, tn_tri_draft *draft)
{
    while (source->at < source->end && (*source->at == ' ' || *source->at == '\t')) {
        source->at++;
    }
    const char *name = source->at, *end = name;
    while (end < source->end && *end != '\n' && *end != '\r') {
        end++;
    }
    tn_source_skip_line(source);
    return tn_tri_draft_begin_part(draft, source, name, (size_t)(end - name));
}

// Behind the word "solid".
static bool read_solid(tn_source *source, tn_tri_draft *draft)
{
    const char *word;
    size_t length;
    if (!read_name(source, draft)) {
        return false;
    }
    while (tn_source_word(source, &word, &length)) {
        if (tn_word_is(word, length, "endsolid", true)) {
            tn_source_skip_line(source);
            return true;
        }
        if (!tn_word_is(word, length, "facet", true)) {
            return tn_source_fail(source, "'facet' or 'endsolid' should stand here");
        }
        if (!read_facet(source, draft)) {
            return false;
        }
    }
    return tn_source_fail(source, "the file ends where 'endsolid' should stand");
}

static bool read_ascii(tn_source *source, tn_tri_draft *draft)
{
    const char *word;
    size_t length;
    while (tn_source_word(source, &word, &length)) {
        if (!tn_word_is(word, length, "solid", true)) {
            return tn_source_fail(source, "'solid' should stand here");
        }
        if (!read_solid(source, draft)) {
            return false;
        }
    }
    return draft->n_faces > 0 || tn_source_fail(source, "the file has no triangles");
}

static bool read_binary(tn_source *source, int64_t n, tn_tri_draft *draft)
{
    if (!tn_source_holds(source, "triangles", n, TRIANGLE)) {
        return false;
    }
    for (int64_t t = 0; t < n; t++) {
        double x[12];
        for (int i = 0; i < 12; i++) { // the normal first
            if (i < 3) {
                if (!tn_source_skip_bytes(source, "a normal", 4)) {
                    return false;
                }
            } else if (!tn_source_float(source, "a coordinate", &x[i])) {
                return false;
            }
        }
        for (int i = 1; i < 4; i++) {
            if (!tn_tri_draft_add_vertex(draft, source, x + 3 * (size_t)i)) {
                return false;
            }
        }
        if (!tn_source_skip_bytes(source, "an attribute", 2) || !add_triangle(source, draft)) {
            return false;
        }
    }
    return n > 0 || tn_source_fail(source, "the file has no triangles");
}

// The number of triangles that a binary file would have; -1: too short for one.
static int64_t binary_count(const tn_source *source)
{
    if (tn_source_left(source) < HEADER + 4) {
        return -1;
    }
    const unsigned char *b = (const unsigned char *)source->begin + HEADER;
    return (int64_t)b[0] | (int64_t)b[1] << 8 | (int64_t)b[2] << 16 | (int64_t)b[3] << 24;
}

static bool begins_solid(const tn_source *source)
{
    const char *p = source->at;
    while (p < source->end && (*p == ' ' || *p == '\t' || *p == '\r' || *p == '\n')) {
        p++;
    }
    return (size_t)(source->end - p) >= 5 && tn_word_is(p, 5, "solid", true);
}

// Binary files may begin with "solid" too: then the size tells, or a zero where a text has none.
bool tn_read_stl(tn_source *source, tn_tri_draft *draft)
{
    int64_t n = binary_count(source);
    bool fits = n >= 0 && tn_source_left(source) == HEADER + 4 + (size_t)n * TRIANGLE;
    size_t left = tn_source_left(source), head = left < HEADER + 4 ? left : HEADER + 4;
    if (!fits && begins_solid(source) && !memchr(source->at, 0, head)) {
        return read_ascii(source, draft);
    }
    if (n < 0) {
        return tn_source_fail(source, "no STL file: neither 'solid' nor a header of %d bytes", HEADER + 4);
    }
    const uint16_t probe = 1;
    source->swap = *(const unsigned char *)&probe == 0; // the file is little-endian
    source->binary = true;
    source->at = source->begin + HEADER + 4;
    return read_binary(source, n, draft);
}
