// Gmsh .msh files, versions 2.2 and 4.1: header, sections, names of physical groups.
#include "mesh/gmsh.h"

#include "base/memory.h"
#include "mesh/read.h"

#include <stdio.h>
#include <string.h>

bool tn_gmsh_int(tn_gmsh *file, const char *what, int64_t *value)
{
    int32_t number = 0;
    if (!file->binary) {
        return tn_source_integer(file->source, what, INT32_MIN, INT32_MAX, value);
    }
    bool ok = tn_source_int32(file->source, what, &number);
    *value = number;
    return ok;
}

bool tn_gmsh_size(tn_gmsh *file, const char *what, int64_t *value)
{
    const int64_t high = INT64_C(1) << 53;
    if (!file->binary) {
        return tn_source_integer(file->source, what, 0, high, value);
    }
    int32_t number = 0;
    bool ok = file->size_bytes == 4 ? tn_source_int32(file->source, what, &number)
                                    : tn_source_int64(file->source, what, value);
    if (ok && file->size_bytes == 4) {
        *value = number;
    }
    return ok && ((*value >= 0 && *value <= high) ||
                  tn_source_fail(file->source, "%s is %lld: the file is damaged", what, (long long)*value));
}

bool tn_gmsh_double(tn_gmsh *file, const char *what, double *value)
{
    return file->binary ? tn_source_double(file->source, what, value) : tn_source_number(file->source, what, value);
}

bool tn_gmsh_holds(const tn_gmsh *file, const char *what, int64_t count, size_t words, size_t bytes)
{
    return tn_source_holds(file->source, what, count, file->binary ? bytes : 2 * words);
}

static bool read_header(tn_gmsh *file, int *version)
{
    tn_source *source = file->source;
    double number = 0.0;
    int64_t kind = 0, size = 0;
    if (!tn_source_number(source, "the version", &number)) {
        return false;
    }
    bool two = number >= 2.0 && number < 3.0;
    if (!two && !(number > 4.05 && number < 4.15)) {
        return tn_source_fail(
            source, "version %g of Gmsh's format is not read; save as 4.1 or 2.2 (Mesh.MshFileVersion = 4.1)", number);
    }
    *version = two ? 2 : 4;
    if (!tn_source_integer(source, "the file type", 0, 1, &kind) ||
        !tn_source_integer(source, "the size of numbers", 4, 8, &size)) {
        return false;
    }
    file->binary = kind == 1;
    file->size_bytes = (int)size;
    if ((size != 4 && size != 8) || (two && size != 8)) {
        return tn_source_fail(source, "numbers of %lld bytes are not read", (long long)size);
    }
    if (!file->binary) {
        return true;
    }
    int32_t one = 0;
    if (!tn_source_end_line(source) || !tn_source_int32(source, "the number one", &one)) {
        return false;
    }
    source->swap = one != 1;
    return one == 1 || one == 0x01000000 ||
           tn_source_fail(source, "the number one should stand here in binary, not %d", one);
}

// "name" in quotes, on one line.
static bool read_name(tn_gmsh *file, char *name, size_t size)
{
    tn_source *source = file->source;
    while (source->at < source->end && (*source->at == ' ' || *source->at == '\t')) {
        source->at++;
    }
    size_t left = tn_source_left(source);
    const char *line_end = memchr(source->at, '\n', left);
    const char *open = source->at < source->end && *source->at == '"' ? source->at + 1 : NULL;
    const char *close = open && line_end ? memchr(open, '"', (size_t)(line_end - open)) : NULL;
    if (!close) {
        return tn_source_fail(source, "the name of a physical group must stand here in quotes");
    }
    size_t length = (size_t)(close - open);
    if (length == 0 || length >= size || memchr(open, 0, length)) {
        return tn_source_fail(source, "the name of a physical group has 1 to %d letters", (int)size - 1);
    }
    memcpy(name, open, length);
    name[length] = 0;
    source->at = close + 1;
    return true;
}

static bool read_names(tn_gmsh *file)
{
    int64_t n = 0;
    if (!tn_source_integer(file->source, "the number of physical names", 0, INT32_MAX, &n)) {
        return false;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t dimension = 0, tag = 0;
        char name[sizeof file->draft->groups->name];
        if (!tn_source_integer(file->source, "the dimension of a physical group", 0, 3, &dimension) ||
            !tn_source_integer(file->source, "the number of a physical group", INT32_MIN, INT32_MAX, &tag) ||
            !read_name(file, name, sizeof name)) {
            return false;
        }
        int group = tn_draft_group_of(file->draft, file->source, (int)dimension, tag);
        if (group < 0) {
            return false;
        }
        memcpy(file->draft->groups[group].name, name, sizeof name);
    }
    return true;
}

// A section that is not used ("$Name"): to behind its $EndName.
static bool skip_section(tn_gmsh *file, const char *name, size_t length)
{
    tn_source *source = file->source;
    char wanted[80];
    snprintf(wanted, sizeof wanted, "$End%.*s", (int)(length < 60 ? length - 1 : 59), name + 1);
    size_t size = strlen(wanted);
    for (const char *p = source->at; (p = memchr(p, '$', (size_t)(source->end - p))); p++) {
        if ((size_t)(source->end - p) >= size && strncmp(p, wanted, size) == 0) {
            while (source->at < p) {
                tn_source_skip_line(source);
            }
            source->at = p + size;
            return true;
        }
    }
    return tn_source_fail(source, "the section ends nowhere: %s is missing", wanted);
}

static bool end_section(tn_gmsh *file, const char *name)
{
    const char *word;
    size_t length;
    file->source->binary = false; // the end is a word again
    bool found = tn_source_word(file->source, &word, &length);
    if (!found || !tn_word_is(word, length, name, false)) {
        file->source->binary = file->binary;
        return tn_source_fail(file->source, "%s should stand here", name);
    }
    return true;
}

typedef struct section {
    const char *name, *end;
    int version; // 0: any
    bool binary; // follows the header's kind of numbers
    bool (*read)(tn_gmsh *file);
} section;

static const section sections[] = {
    {"$PhysicalNames", "$EndPhysicalNames", 0, false, read_names},
    {"$Nodes", "$EndNodes", 2, true, tn_gmsh2_nodes},
    {"$Elements", "$EndElements", 2, true, tn_gmsh2_elements},
    {"$Entities", "$EndEntities", 4, true, tn_gmsh4_entities},
    {"$Nodes", "$EndNodes", 4, true, tn_gmsh4_nodes},
    {"$Elements", "$EndElements", 4, true, tn_gmsh4_elements},
};

static bool read_section(tn_gmsh *file, int version, const char *word, size_t length)
{
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++) {
        const section *s = &sections[i];
        if ((s->version == 0 || s->version == version) && tn_word_is(word, length, s->name, false)) {
            if (s->binary && file->binary && !tn_source_end_line(file->source)) {
                return false;
            }
            // Version 2.2 counts nodes and elements in words even in binary files: its readers switch themselves.
            file->source->binary = s->binary && file->binary && version == 4;
            return s->read(file) && end_section(file, s->end);
        }
    }
    return skip_section(file, word, length);
}

static bool read_sections(tn_gmsh *file)
{
    const char *word;
    size_t length;
    int version = 0;
    while (tn_source_word(file->source, &word, &length)) {
        if (tn_word_is(word, length, "$MeshFormat", false)) {
            if (!read_header(file, &version) || !end_section(file, "$EndMeshFormat")) {
                return false;
            }
        } else if (*word != '$' || length < 2) {
            return tn_source_fail(file->source, "a section ($Name) should begin here");
        } else if (tn_word_is(word, length, "$NOD", false)) {
            return tn_source_fail(file->source, "version 1 of Gmsh's format is not read; save as 4.1 or 2.2");
        } else if (version == 0 && !tn_word_is(word, length, "$Comments", false)) {
            return tn_source_fail(file->source, "$MeshFormat must come first");
        } else if (!read_section(file, version, word, length)) {
            return false;
        }
    }
    return version != 0 || tn_source_fail(file->source, "no Gmsh file: $MeshFormat is missing");
}

bool tn_read_gmsh(tn_source *source, tn_draft *draft)
{
    tn_gmsh file = {.source = source, .draft = draft};
    bool ok = read_sections(&file);
    tn_free(file.entities);
    return ok;
}
