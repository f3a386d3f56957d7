// A view over HTTP, on this machine only: GET / is the page, /api/header the header, /api/rows/TABLE?first=F&n=N rows
// of a table as they lie in memory (little endian), /api/body?body=B body B over time (tn_view_body, float64). Anything
// else is 404, a request with another Host or from another page 403, rows and bodies that are not there 400. Of a live
// view /api/live is the WebSocket (view/live.h), and what changes with time is not there.
#pragma once

#include "view/live.h"
#include "view/view.h"

typedef struct tn_view_server tn_view_server;

// live: NULL for a recording. port 0: a free one. NULL on failure (the port is taken). The view must outlive the
// server; requests are answered by one thread of the server.
tn_view_server *tn_view_serve(tn_view *view, tn_live *live, int port, tn_error *error);
void tn_view_server_stop(tn_view_server *server); // NULL is fine
void tn_view_server_wake(tn_view_server *server); // from any thread: there is something new to send
int tn_view_server_port(const tn_view_server *server);
