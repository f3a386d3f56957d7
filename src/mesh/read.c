// Reader of mesh files.
#include "mesh/mesh.h"

tn_status tn_mesh_read(const char *path, double scale, tn_arena *arena, tn_mesh *out, tn_error *error)
{
    (void)scale;
    (void)arena;
    (void)out;
    return tn_error_at(error, path, 0, 0, "mesh files are not read yet");
}
