// Mesh files: which format, the file into memory, the reader of the format.
#include "mesh/read.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

tn_status tn_mesh_parse(tn_mesh_format format, const tn_mesh_file *file, const tn_mesh_file *elements, double scale,
                        tn_arena *arena, tn_mesh *out, tn_error *error)
{
    tn_error found = {0};
    tn_draft draft = {0};
    tn_source source = tn_source_create(file->path, file->text, file->size, &found);
    bool ok = false;
    if (format == TN_MESH_GMSH) {
        ok = tn_read_gmsh(&source, &draft);
    } else if (format == TN_MESH_VTK) {
        ok = tn_read_vtk(&source, &draft);
    } else {
        tn_source second = tn_source_create(elements->path, elements->text, elements->size, &found);
        ok = tn_read_tetgen_nodes(&source, &draft) && tn_read_tetgen_tets(&second, &draft);
        tn_source_close(&second);
    }
    tn_source_close(&source);
    const char *path = format == TN_MESH_TETGEN ? elements->path : file->path;
    tn_status status = ok ? tn_draft_finish(&draft, path, scale, arena, out, &found) : found.status;
    tn_draft_free(&draft);
    if (status != TN_OK && error) {
        *error = found;
    }
    return status;
}

static tn_status cannot(tn_error *error, const char *path, const char *why)
{
    return tn_error_set(error, TN_IO, "cannot read '%.300s': %s", path, why);
}

static bool read_all(int fd, char *text, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t got = read(fd, text + done, size - done);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return false;
        }
        done += (size_t)got;
    }
    return true;
}

tn_status tn_mesh_file_load(const char *path, tn_mesh_file *file, tn_error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    struct stat info;
    *file = (tn_mesh_file){.path = path};
    if (fd < 0) {
        return cannot(error, path, strerror(errno));
    }
    tn_status status = TN_OK;
    if (fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        status = cannot(error, path, "it is no regular file");
    } else {
        char *text = tn_malloc((size_t)info.st_size + 1);
        file->text = text;
        file->size = (size_t)info.st_size;
        if (!text) {
            status = tn_error_set(error, TN_NO_MEMORY, "no memory for the mesh '%.200s'", path);
        } else if (!read_all(fd, text, file->size)) {
            status = cannot(error, path, "reading fails");
        } else {
            text[file->size] = 0;
        }
    }
    close(fd);
    return status;
}

void tn_mesh_file_unload(tn_mesh_file *file)
{
    tn_free((char *)file->text); // const protects it from the readers only
}

static bool has_ending(const char *path, const char *ending)
{
    size_t n = strlen(path);
    size_t m = strlen(ending);
    return n > m && strcasecmp(path + n - m, ending) == 0;
}

static tn_status read_tetgen(const char *path, double scale, tn_arena *arena, tn_mesh *out, tn_error *error)
{
    size_t stem = strrchr(path, '.') ? (size_t)(strrchr(path, '.') - path) : 0;
    size_t size = stem + sizeof ".node";
    char *names = tn_calloc(2, size);
    if (!names) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the mesh '%.200s'", path);
    }
    char *node_path = names;
    char *tet_path = names + size;
    snprintf(node_path, size, "%.*s.node", (int)stem, path);
    snprintf(tet_path, size, "%.*s.ele", (int)stem, path);
    // The path that was given stays as it is, upper case and all.
    bool given_nodes = has_ending(path, ".node");
    tn_mesh_file nodes = {0}, tets = {0};
    tn_status status = tn_mesh_file_load(given_nodes ? path : node_path, &nodes, error);
    status = status == TN_OK ? tn_mesh_file_load(given_nodes ? tet_path : path, &tets, error) : status;
    status = status == TN_OK ? tn_mesh_parse(TN_MESH_TETGEN, &nodes, &tets, scale, arena, out, error) : status;
    tn_mesh_file_unload(&nodes);
    tn_mesh_file_unload(&tets);
    tn_free(names);
    return status;
}

static bool begins(const tn_mesh_file *file, const char *text)
{
    return strncmp(tn_source_start(file->text, file->size), text, strlen(text)) == 0; // a NUL is behind the file
}

tn_status tn_mesh_read(const char *path, double scale, tn_arena *arena, tn_mesh *out, tn_error *error)
{
    if (!(scale > 0.0) || !isfinite(scale)) {
        return tn_error_at(error, path, 0, 0, "the scale of a mesh must be positive, not %g", scale);
    }
    if (has_ending(path, ".node") || has_ending(path, ".ele")) {
        return read_tetgen(path, scale, arena, out, error);
    }
    tn_mesh_file file;
    tn_status status = tn_mesh_file_load(path, &file, error);
    if (status == TN_OK && begins(&file, "# vtk")) {
        status = tn_mesh_parse(TN_MESH_VTK, &file, NULL, scale, arena, out, error);
    } else if (status == TN_OK && (begins(&file, "$") || has_ending(path, ".msh"))) {
        status = tn_mesh_parse(TN_MESH_GMSH, &file, NULL, scale, arena, out, error);
    } else if (status == TN_OK && (begins(&file, "<VTKFile") || begins(&file, "<?xml"))) {
        status = tn_error_at(error, path, 1, 0, "XML files of VTK are not read: save as legacy .vtk");
    } else if (status == TN_OK) {
        status = tn_error_at(error, path, 1, 0,
                             "no mesh that is known: Gmsh files begin with $MeshFormat, VTK files with '# vtk DataFile "
                             "Version', TetGen files are named .node and .ele");
    }
    tn_mesh_file_unload(&file);
    return status;
}
