// A recording's viewer: its view and the server of it.
#include "tenon/view.h"

#include "base/memory.h"
#include "view/server.h"

struct tn_viewer {
    tn_view *view;
    tn_view_server *server;
};

tn_viewer *tn_viewer_start(const tn_recording *recording, long every, int port, tn_error *error)
{
    if (!recording || every < 1 || port < 0 || port > 65535) {
        tn_error_set(error, TN_BAD_INPUT, "a viewer needs a recording, every at least 1 and a port up to 65535");
        return NULL;
    }
    tn_viewer *viewer = tn_calloc(1, sizeof *viewer);
    if (!viewer) {
        tn_error_set(error, TN_NO_MEMORY, "no memory for the viewer");
        return NULL;
    }
    viewer->view = tn_view_open(recording, every, error);
    viewer->server = viewer->view ? tn_view_serve(viewer->view, NULL, port, error) : NULL;
    if (!viewer->server) {
        tn_viewer_stop(viewer);
        return NULL;
    }
    return viewer;
}

void tn_viewer_stop(tn_viewer *viewer)
{
    if (viewer) {
        tn_view_server_stop(viewer->server);
        tn_view_close(viewer->view);
        tn_free(viewer);
    }
}

int tn_viewer_port(const tn_viewer *viewer)
{
    return viewer ? tn_view_server_port(viewer->server) : 0;
}
