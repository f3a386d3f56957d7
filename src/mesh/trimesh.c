// Triangle mesh files: which format, and the draft that both readers fill.
#include "base/memory.h"
#include "mesh/trimesh_read.h"

#include <math.h>
#include <string.h>
#include <strings.h>

static bool refuse(const tn_source *source)
{
    return tn_source_fail(source, "more than %d vertices or triangles", TN_TRIMESH_MAX);
}

bool tn_tri_draft_add_vertex(tn_tri_draft *draft, const tn_source *source, const double x[3])
{
    if (draft->n_vertices >= TN_TRIMESH_MAX) {
        return refuse(source);
    }
    double *vertices = tn_grown(draft->vertices, draft->n_vertices, &draft->room_vertices, 3 * sizeof *x);
    if (!vertices) {
        return tn_source_no_memory(source);
    }
    draft->vertices = vertices;
    memcpy(draft->vertices + 3 * (size_t)draft->n_vertices++, x, 3 * sizeof *x);
    return true;
}

bool tn_tri_draft_add_face(tn_tri_draft *draft, const tn_source *source, int a, int b, int c)
{
    if (draft->n_faces >= TN_TRIMESH_MAX) {
        return refuse(source);
    }
    int *faces = tn_grown(draft->faces, draft->n_faces, &draft->room_faces, 3 * sizeof *faces);
    if (!faces) {
        return tn_source_no_memory(source);
    }
    draft->faces = faces;
    int *face = faces + 3 * (size_t)draft->n_faces++;
    face[0] = a;
    face[1] = b;
    face[2] = c;
    return true;
}

bool tn_tri_draft_begin_part(tn_tri_draft *draft, const tn_source *source, const char *name, size_t length)
{
    if (draft->n_parts > 0 && draft->parts[draft->n_parts - 1].first_face == draft->n_faces) {
        draft->n_parts--;
    }
    tn_tri_part *parts = tn_grown(draft->parts, draft->n_parts, &draft->room_parts, sizeof *parts);
    if (!parts) {
        return tn_source_no_memory(source);
    }
    draft->parts = parts;
    tn_tri_part *part = &draft->parts[draft->n_parts++];
    *part = (tn_tri_part){.first_face = draft->n_faces};
    length = length < sizeof part->name ? length : sizeof part->name - 1;
    for (size_t i = 0; i < length; i++) { // it may stand in messages
        part->name[i] = (char)((unsigned char)name[i] < ' ' ? '?' : name[i]);
    }
    return true;
}

static void draft_free(tn_tri_draft *draft)
{
    tn_free(draft->vertices);
    tn_free(draft->faces);
    tn_free(draft->parts);
}

tn_status tn_trimesh_parse(tn_trimesh_format format, const tn_mesh_file *file, double scale, bool by_part,
                           tn_arena *arena, tn_trimesh *out, tn_error *error)
{
    tn_error found = {0};
    tn_tri_draft draft = {0};
    tn_source source = tn_source_create(file->path, file->text, file->size, &found);
    bool ok = format == TN_TRIMESH_OBJ ? tn_read_obj(&source, &draft) : tn_read_stl(&source, &draft);
    tn_source_close(&source);
    if (draft.n_parts > 0 && draft.parts[draft.n_parts - 1].first_face == draft.n_faces) {
        draft.n_parts--; // without faces
    }
    draft.n_parts = by_part ? draft.n_parts : 0;
    tn_status status = ok ? tn_tri_draft_finish(&draft, file->path, scale, arena, out, &found) : found.status;
    draft_free(&draft);
    if (status != TN_OK && error) {
        *error = found;
    }
    return status;
}

static bool has_ending(const char *path, const char *ending)
{
    size_t n = strlen(path), m = strlen(ending);
    return n > m && strcasecmp(path + n - m, ending) == 0;
}

tn_status tn_trimesh_read(const char *path, double scale, bool by_part, tn_arena *arena, tn_trimesh *out,
                          tn_error *error)
{
    if (!(scale > 0.0) || !isfinite(scale)) {
        return tn_error_at(error, path, 0, 0, "the scale of a mesh must be positive, not %g", scale);
    }
    bool obj = has_ending(path, ".obj");
    if (!obj && !has_ending(path, ".stl")) {
        return tn_error_at(error, path, 0, 0, "no surface that is known: files are named .obj or .stl");
    }
    tn_mesh_file file;
    tn_status status = tn_mesh_file_load(path, &file, error);
    if (status == TN_OK) {
        status = tn_trimesh_parse(obj ? TN_TRIMESH_OBJ : TN_TRIMESH_STL, &file, scale, by_part, arena, out, error);
    }
    tn_mesh_file_unload(&file);
    return status;
}
