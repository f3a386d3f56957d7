// Recordings as files for other programs, one call for all formats.
#include "record/export.h"
#include "base/plain.h"
#include "view/page.h"
#include "view/view.h"

// The page that plays in a browser, or the glTF file.
static tn_status export_view(const tn_recording *recording, bool gltf, const char *path, long every, long *written,
                             tn_error *error)
{
    tn_error own = {0};
    size_t size = 0;
    tn_view *view = tn_view_open(recording, every, &own);
    tn_status status = !view  ? own.status
                       : gltf ? tn_view_write_gltf(view, path, &size, &own)
                              : tn_view_write_html(view, tn_view_page, path, &size, &own);
    if (status != TN_OK && error) {
        *error = own;
    }
    tn_view_close(view);
    *written = (long)size;
    return status;
}

tn_status tn_recording_export(const tn_recording *recording, tn_export_format format, const char *path, long every,
                              long *written, tn_error *error)
{
    char name[256];
    long n = 0;
    tn_status status = TN_BAD_INPUT;
    if (!recording || !path || every < 1) {
        return tn_error_set(error, status, "an export needs a recording, a path and every at least 1, not %ld", every);
    }
    const tn_plain plain = tn_plain_begin();
    switch (format) {
    case TN_EXPORT_VTK:
        tn_recording_base_name(recording, sizeof name, name);
        status = tn_export_vtk(recording, path, name, every, &n, error);
        break;
    case TN_EXPORT_CSV:
        status = tn_export_csv(recording, path, every, error);
        n = (recording->n_frames + every - 1) / every;
        break;
    case TN_EXPORT_HTML:
    case TN_EXPORT_GLTF:
        status = export_view(recording, format == TN_EXPORT_GLTF, path, every, &n, error);
        break;
    case TN_EXPORT_FCLIB:
        status = tn_export_fclib(recording, path, every, &n, error);
        break;
    default:
        status = tn_error_set(error, TN_BAD_INPUT, "there is no export format %d", (int)format);
    }
    tn_plain_end(plain);
    if (written) {
        *written = n;
    }
    return status;
}
