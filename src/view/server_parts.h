// The server behind its callbacks; for the room's own files.
#pragma once

#include "view/server.h"

#include <libwebsockets.h>
#include <pthread.h>
#include <stdatomic.h>

struct tn_view_server {
    tn_view *view;
    tn_live *live; // NULL: a recording
    char *header;
    struct lws_protocols protocols[3];
    struct lws_context *context;
    int port;
    atomic_bool stopping;
    pthread_t thread;
    bool running;
};

// The Host names this server, and a browser says that the request comes from our page, if it says anything.
bool tn_view_may_ask(const tn_view_server *server, struct lws *wsi);

// The protocol `tenon-live` (socket.c): what libwebsockets calls, and its memory of a connection.
int tn_live_on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length);
size_t tn_live_client_size(void);
