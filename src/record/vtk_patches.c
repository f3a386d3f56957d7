// The pressure on a foundation: a quad each of its elements, with the normal force over the area. What else touches has
// no patch and is left out.
#include "math/vec3.h"
#include "record/vtk_file.h"
#include "record/vtk_layers.h"

// Elements of one frame, as VTK wants them.
typedef struct quads {
    size_t n;
    float *corner;   // (n, 4, 3) [m]
    float *pressure; // (n) [Pa]
    int *bodies;     // (n, 2)
    int *index;      // (n, 4), then (n) each quad's end
} quads;

// A contact's columns as read, (n, width) each.
typedef struct patch_rows {
    double *point, *normal, *force, *bodies, *patch;
} patch_rows;

static void add_quad(quads *q, const patch_rows *rows, size_t k)
{
    static const double side[4][2] = {{-0.5, -0.5}, {0.5, -0.5}, {0.5, 0.5}, {-0.5, 0.5}};
    const double *edge = rows->patch + 6 * k;
    double across[3];
    tn_vec3_cross(across, edge, edge + 3);
    double area = tn_vec3_norm(across);
    if (!(area > 0.0)) {
        return;
    }
    for (size_t c = 0; c < 4; c++) {
        double x[3];
        tn_vec3_madd(x, rows->point + 3 * k, side[c][0], edge);
        tn_vec3_madd(x, x, side[c][1], edge + 3);
        for (size_t i = 0; i < 3; i++) {
            q->corner[12 * q->n + 3 * c + i] = (float)x[i];
        }
        q->index[4 * q->n + c] = (int)(4 * q->n + c);
    }
    q->pressure[q->n] = (float)(tn_vec3_dot(rows->force + 3 * k, rows->normal + 3 * k) / area);
    q->bodies[2 * q->n] = (int)rows->bodies[2 * k];
    q->bodies[2 * q->n + 1] = (int)rows->bodies[2 * k + 1];
    q->n++;
}

static tn_status write_quads(const quads *q, const char *path, tn_error *error)
{
    FILE *out = tn_vtk_open(path, error);
    if (!out) {
        return TN_IO;
    }
    int *end = q->index + 4 * q->n;
    for (size_t k = 0; k < q->n; k++) {
        end[k] = (int)(4 * (k + 1));
    }
    tn_vtk_begin(out, (long)(4 * q->n), (long)q->n);
    fprintf(out, "<CellData Scalars=\"pressure\">\n");
    tn_vtk_array(out, "pressure", TN_VTK_FLOAT32, 1, q->n, q->pressure);
    tn_vtk_array(out, "bodies", TN_VTK_INT32, 2, 2 * q->n, q->bodies);
    fprintf(out, "</CellData>\n");
    tn_vtk_put_points(out, 4 * q->n, q->corner);
    tn_vtk_put_cells(out, 4 * q->n, q->index, q->n, end, TN_VTK_QUAD);
    return tn_vtk_end(out, path, error);
}

tn_status tn_vtk_write_patches(const tn_recording *recording, long frame, const char *path, tn_arena *arena,
                               tn_error *error)
{
    size_t n = 0;
    patch_rows rows = {0};
    const tn_vtk_part parts[] = {{"contacts/point", 3, &rows.point},
                                 {"contacts/normal", 3, &rows.normal},
                                 {"contacts/force", 3, &rows.force},
                                 {"contacts/bodies", 2, &rows.bodies},
                                 {"contacts/patch", 6, &rows.patch}};
    tn_status status = tn_vtk_read_contacts(recording, frame, 5, parts, arena, &n, error);
    if (status != TN_OK) {
        return status;
    }
    quads q = {.corner = TN_PUSH(arena, float, 12 * n),
               .pressure = TN_PUSH(arena, float, n),
               .bodies = TN_PUSH(arena, int, 2 * n),
               .index = TN_PUSH(arena, int, 5 * n)};
    if (!q.corner || !q.pressure || !q.bodies || !q.index) {
        return tn_vtk_no_memory(error);
    }
    for (size_t k = 0; k < n; k++) {
        add_quad(&q, &rows, k);
    }
    return write_quads(&q, path, error);
}
