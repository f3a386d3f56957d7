#include "view/server.h"

#include "base/memory.h"
#include "base/plain.h"
#include "solver/solver.h"
#include "view/page.h"
#include "view/server_parts.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_BYTES_MAX = 64 << 20, PIECE = 64 << 10, HEADERS = 1024 };

// An answer under way; libwebsockets keeps one a connection.
typedef struct tn_answer {
    void *owned;               // freed with the answer; NULL: the body lives elsewhere
    const unsigned char *body; //
    size_t size, sent;
} tn_answer;

// ---- who may ask

static bool is_own_host(const char *host, int port)
{
    static const char *const names[] = {"127.0.0.1", "localhost", "[::1]"};
    char own[64];
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        snprintf(own, sizeof own, "%s:%d", names[k], port);
        if (strcmp(host, own) == 0) {
            return true;
        }
    }
    return false;
}

// The Host names this server (a page of elsewhere that points its own name here does not), and a browser says that the
// request comes from our page, if it says anything.
bool tn_view_may_ask(const tn_view_server *server, struct lws *wsi)
{
    char host[128] = "", origin[128] = "";
    if (lws_hdr_copy(wsi, host, sizeof host, WSI_TOKEN_HOST) <= 0 || !is_own_host(host, server->port)) {
        return false;
    }
    if (lws_hdr_total_length(wsi, WSI_TOKEN_ORIGIN) == 0) {
        return true;
    }
    return lws_hdr_copy(wsi, origin, sizeof origin, WSI_TOKEN_ORIGIN) > 0 && strncmp(origin, "http://", 7) == 0 &&
           is_own_host(origin + 7, server->port);
}

// ---- answers. Each returns what the callback returns: -1 closes the connection. (1 does not where libwebsockets calls
// back to write: the connection would stay, and as nobody reads its end, the thread would run round until it times
// out.)

static int answer(struct lws *wsi, tn_answer *a, unsigned code, const char *type, void *owned, const void *body,
                  size_t size)
{
    unsigned char headers[LWS_PRE + HEADERS], *start = headers + LWS_PRE, *p = start, *end = start + HEADERS;
    *a = (tn_answer){.owned = owned, .body = body, .size = size};
    static const char no_store[] = "no-store", no_sniff[] = "nosniff";
    if (lws_add_http_common_headers(wsi, code, type, size, &p, end) ||
        lws_add_http_header_by_name(wsi, (const unsigned char *)"cache-control:", (const unsigned char *)no_store,
                                    (int)strlen(no_store), &p, end) ||
        lws_add_http_header_by_name(wsi, (const unsigned char *)"x-content-type-options:",
                                    (const unsigned char *)no_sniff, (int)strlen(no_sniff), &p, end) ||
        lws_finalize_write_http_header(wsi, start, &p, end)) {
        return -1;
    }
    lws_callback_on_writable(wsi);
    return 0;
}

static int refuse(struct lws *wsi, tn_answer *a, unsigned code, const char *why)
{
    return answer(wsi, a, code, "text/plain; charset=utf-8", NULL, why, strlen(why));
}

static void forget(tn_answer *a)
{
    if (a) {
        tn_free(a->owned);
        *a = (tn_answer){0};
    }
}

// The next piece of the body; a slow reader is not waited for.
static int go_on(struct lws *wsi, tn_answer *a)
{
    unsigned char piece[LWS_PRE + PIECE];
    size_t n = a->size - a->sent < PIECE ? a->size - a->sent : PIECE;
    bool last = a->sent + n == a->size;
    if (n > 0) {
        memcpy(piece + LWS_PRE, a->body + a->sent, n);
    }
    if (lws_write(wsi, piece + LWS_PRE, n, last ? LWS_WRITE_HTTP_FINAL : LWS_WRITE_HTTP) < (int)n) {
        return -1;
    }
    a->sent += n;
    if (!last) {
        lws_callback_on_writable(wsi);
        return 0;
    }
    forget(a);
    return lws_http_transaction_completed(wsi) ? -1 : 0;
}

// ---- rows

// A whole number of the query; -1: absent or not one.
static long query_number(struct lws *wsi, const char *name)
{
    char buffer[40], *end;
    const char *text = lws_get_urlarg_by_name(wsi, name, buffer, sizeof buffer);
    if (!text || !*text) {
        return -1;
    }
    long value = strtol(text, &end, 10);
    return *end == 0 && value >= 0 ? value : -1;
}

static int find_table(const tn_view *view, const char *name)
{
    for (int t = 0; t < TN_VIEW_TABLES; t++) {
        if (strcmp(tn_view_table_info(view, (tn_view_table)t).name, name) == 0) {
            return t;
        }
    }
    return -1;
}

static int send_rows(tn_view_server *server, struct lws *wsi, tn_answer *a, const char *name)
{
    int table = find_table(server->view, name);
    if (table < 0) {
        return refuse(wsi, a, HTTP_STATUS_NOT_FOUND, "there is no such table\n");
    }
    tn_view_info info = tn_view_table_info(server->view, (tn_view_table)table);
    if (server->live && (info.by_frame || table == TN_VIEW_CONTACTS)) {
        return refuse(wsi, a, HTTP_STATUS_NOT_FOUND, "a live view sends its frames by WebSocket\n");
    }
    long first = query_number(wsi, "first="), n = query_number(wsi, "n=");
    if (first < 0 || n < 0 || first > info.rows || n > info.rows - first) {
        return refuse(wsi, a, HTTP_STATUS_BAD_REQUEST, "first and n must name rows of the table\n");
    }
    size_t size = (size_t)(n * info.width) * (info.type == TN_VIEW_FLOAT64 ? 8 : 4);
    if (info.by_frame && n > 1 && size > ROWS_BYTES_MAX) {
        return refuse(wsi, a, HTTP_STATUS_BAD_REQUEST, "too many rows at once\n");
    }
    tn_error error = {0};
    void *rows = tn_calloc(size + 8, 1);
    if (!rows || tn_view_rows(server->view, (tn_view_table)table, first, n, rows, &error) != TN_OK) {
        tn_free(rows);
        return refuse(wsi, a, HTTP_STATUS_INTERNAL_SERVER_ERROR, "the rows cannot be read\n");
    }
    return answer(wsi, a, HTTP_STATUS_OK, "application/octet-stream", rows, rows, size);
}

static int send_body(tn_view_server *server, struct lws *wsi, tn_answer *a)
{
    if (server->live) {
        return refuse(wsi, a, HTTP_STATUS_NOT_FOUND, "a live view sends its frames by WebSocket\n");
    }
    long body = query_number(wsi, "body=");
    size_t size = (size_t)tn_view_body_rows(server->view) * TN_VIEW_BODY_WIDTH * sizeof(double);
    tn_error error = {0};
    double *rows = tn_calloc(size + 1, 1);
    tn_status status = TN_BAD_INPUT;
    if (rows && body >= 0 && body < INT_MAX) {
        status = tn_view_body(server->view, (int)body, rows, &error);
    }
    if (status != TN_OK) {
        tn_free(rows);
        return refuse(wsi, a, HTTP_STATUS_BAD_REQUEST, "body must be the number of one\n");
    }
    return answer(wsi, a, HTTP_STATUS_OK, "application/octet-stream", rows, rows, size);
}

static int on_request(tn_view_server *server, struct lws *wsi, tn_answer *a, const char *uri)
{
    static const char rows[] = "/api/rows/";
    if (!tn_view_may_ask(server, wsi)) {
        return refuse(wsi, a, HTTP_STATUS_FORBIDDEN, "this server answers its own page only\n");
    }
    if (lws_hdr_total_length(wsi, WSI_TOKEN_GET_URI) == 0) {
        lws_return_http_status(wsi, HTTP_STATUS_METHOD_NOT_ALLOWED, "GET only"); // at once: no body is waited for
        return -1;
    }
    if (strcmp(uri, "/") == 0) {
        return answer(wsi, a, HTTP_STATUS_OK, "text/html; charset=utf-8", NULL, tn_view_page, strlen(tn_view_page));
    }
    if (strcmp(uri, "/api/header") == 0) {
        return answer(wsi, a, HTTP_STATUS_OK, "application/json", NULL, server->header, strlen(server->header));
    }
    if (strncmp(uri, rows, strlen(rows)) == 0) {
        return send_rows(server, wsi, a, uri + strlen(rows));
    }
    if (strcmp(uri, "/api/body") == 0) {
        return send_body(server, wsi, a);
    }
    return refuse(wsi, a, HTTP_STATUS_NOT_FOUND, "there is nothing here\n");
}

static int on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length)
{
    switch (reason) {
    case LWS_CALLBACK_HTTP:
        return on_request(lws_context_user(lws_get_context(wsi)), wsi, user, in);
    case LWS_CALLBACK_HTTP_WRITEABLE:
        return go_on(wsi, user);
    case LWS_CALLBACK_CLOSED_HTTP:
    case LWS_CALLBACK_HTTP_DROP_PROTOCOL:
        forget(user);
        return 0;
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION: // no WebSocket but that of socket.c
        return 1;
    default:
        return lws_callback_http_dummy(wsi, reason, user, in, length);
    }
}

// ---- start and stop

static void *run(void *data)
{
    tn_view_server *server = data;
    const tn_plain plain = tn_plain_begin(); // numbers of commands
    while (!atomic_load(&server->stopping)) {
        lws_service(server->context, 0);
    }
    tn_plain_end(plain);
    return NULL;
}

static tn_status start(tn_view_server *server, int port, tn_error *error)
{
    const struct lws_protocols protocols[] = {
        {.name = "http", .callback = on_event, .per_session_data_size = sizeof(tn_answer)},
        {.name = "tenon-live", .callback = tn_live_on_event, .per_session_data_size = tn_live_client_size()},
        {0}};
    memcpy(server->protocols, protocols, sizeof protocols);
    struct lws_context_creation_info info = {.port = port,
                                             .iface = "127.0.0.1",
                                             .protocols = server->protocols,
                                             .gid = (gid_t)-1,
                                             .uid = (uid_t)-1,
                                             .user = server,
                                             .timeout_secs = 10,
                                             .keepalive_timeout = 30,
                                             .options = LWS_SERVER_OPTION_DISABLE_IPV6 |
                                                        LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND |
                                                        LWS_SERVER_OPTION_EXPLICIT_VHOSTS};
    lws_set_log_level(0, NULL);
    server->context = lws_create_context(&info);
    struct lws_vhost *host = server->context ? lws_create_vhost(server->context, &info) : NULL;
    if (!host) {
        return tn_error_set(error, TN_IO, "cannot listen on 127.0.0.1 port %d; is it taken?", port);
    }
    server->port = lws_get_vhost_listen_port(host);
    if (server->port <= 0) {
        return tn_error_set(error, TN_IO, "cannot listen on 127.0.0.1: no file descriptor is left (ulimit -n)?");
    }
    server->running = pthread_create(&server->thread, NULL, run, server) == 0;
    return server->running ? TN_OK : tn_error_set(error, TN_NO_MEMORY, "no thread for the server");
}

// What a live view's header has besides: what the page may choose from.
static void put_live(tn_json *json, const void *context)
{
    if (context) {
        tn_json_open(json, "live", '{');
        tn_json_open(json, "solvers", '[');
        for (int k = 0; tn_solver_at(k); k++) {
            tn_json_text(json, NULL, tn_solver_at(k)->name);
        }
        tn_json_close(json, ']');
        tn_json_open(json, "laws", '[');
        for (int k = 0; tn_law_name(k); k++) {
            tn_json_text(json, NULL, tn_law_name(k));
        }
        tn_json_close(json, ']');
        tn_json_close(json, '}');
    }
}

tn_view_server *tn_view_serve(tn_view *view, tn_live *live, int port, tn_error *error)
{
    tn_view_server *server = tn_calloc(1, sizeof *server);
    if (!server) {
        tn_error_set(error, TN_NO_MEMORY, "no memory for the server");
        return NULL;
    }
    server->view = view;
    server->live = live;
    server->header = tn_view_header(view, put_live, live, error);
    if (!server->header || start(server, port, error) != TN_OK) {
        tn_view_server_stop(server);
        return NULL;
    }
    return server;
}

void tn_view_server_stop(tn_view_server *server)
{
    if (server) {
        atomic_store(&server->stopping, true);
        if (server->running) {
            lws_cancel_service(server->context);
            pthread_join(server->thread, NULL);
        }
        if (server->context) {
            lws_context_destroy(server->context);
        }
        tn_free(server->header);
        tn_free(server);
    }
}

int tn_view_server_port(const tn_view_server *server)
{
    return server->port;
}

void tn_view_server_wake(tn_view_server *server)
{
    lws_cancel_service(server->context);
}
