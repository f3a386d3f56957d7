// Surfaces of all bodies of a frame, a VTK file.
#include "record/vtk_file.h"
#include "record/vtk_layers.h"

tn_status tn_vtk_write_surfaces(const tn_surface_mesh *s, const char *path, tn_error *error)
{
    size_t n_points = (size_t)s->mesh.n_points, n_polygons = (size_t)s->mesh.n_polygons;
    FILE *out = tn_vtk_open(path, error);
    if (!out) {
        return TN_IO;
    }
    tn_vtk_begin(out, s->mesh.n_points, s->mesh.n_polygons);
    fprintf(out, "<PointData Vectors=\"velocity\">\n");
    tn_vtk_array(out, "velocity", TN_VTK_FLOAT32, 3, 3 * n_points, s->velocity);
    fprintf(out, "</PointData>\n<CellData Scalars=\"body\">\n");
    tn_vtk_array(out, "body", TN_VTK_INT32, 1, n_polygons, s->cell_body);
    fprintf(out, "</CellData>\n");
    tn_vtk_put_points(out, n_points, s->position);
    tn_vtk_put_cells(out, (size_t)s->mesh.n_indices, s->mesh.index, n_polygons, s->mesh.offset, TN_VTK_POLYGON);
    return tn_vtk_end(out, path, error);
}
