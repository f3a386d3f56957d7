// Frames and commands of a live view over WebSocket; all on the server's thread.
#include "view/live_parts.h"
#include "view/server_parts.h"

#include <stdio.h>
#include <string.h>

enum { CLIENTS_MAX = 32, WORD = 128 };

// A page that looks; zero at first.
typedef struct live_client {
    bool welcome; // it got past the door
    bool pulls;
    bool asks, wants;     // it asks for each frame; it waits for one
    unsigned after;       // that is newer than this
    unsigned frame, news; // numbers of the last ones sent
    const char *why;      // what was wrong with its last message; NULL: nothing to say
    size_t n_heard;
    char heard[TN_LIVE_COMMAND_BYTES + 1]; // of a message in pieces; full: too long
} live_client;

size_t tn_live_client_size(void)
{
    return sizeof(live_client);
}

static bool may_enter(tn_view_server *server, struct lws *wsi)
{
    char uri[16] = "";
    return server->live && tn_live_viewers(server->live) < CLIENTS_MAX && tn_view_may_ask(server, wsi) &&
           lws_hdr_copy(wsi, uri, sizeof uri, WSI_TOKEN_GET_URI) > 0 && strcmp(uri, "/api/live") == 0;
}

static int send_text(struct lws *wsi, const char *text, size_t n)
{
    unsigned char buffer[LWS_PRE + TN_LIVE_TEXT];
    memcpy(buffer + LWS_PRE, text, n);
    lws_callback_on_writable(wsi); // there may be more to say
    return lws_write(wsi, buffer + LWS_PRE, n, LWS_WRITE_TEXT) < (int)n;
}

static bool is_new(const live_client *client, unsigned frame)
{
    return client->asks ? (int)(frame - client->after) > 0 : frame != client->frame;
}

// One message at a time: libwebsockets calls again when the last one has gone out, however slow the reader.
static int send_next(tn_live *live, live_client *client, struct lws *wsi)
{
    char text[TN_LIVE_TEXT];
    if (client->why) {
        int n = snprintf(text, sizeof text, "{\"error\": \"%.100s\"}", client->why);
        client->why = NULL;
        return send_text(wsi, text, (size_t)n);
    }
    pthread_mutex_lock(&live->lock);
    bool news = client->news != live->news_number;
    client->news = live->news_number;
    memcpy(text, live->news, sizeof text);
    pthread_mutex_unlock(&live->lock);
    if (news) {
        return send_text(wsi, text, strlen(text));
    }
    if (!(client->asks && !client->wants) && tn_live_take_frame(live, LWS_PRE) && is_new(client, live->frame_number)) {
        client->frame = live->frame_number;
        client->wants = false;
        return lws_write(wsi, live->message + LWS_PRE, live->message_size, LWS_WRITE_BINARY) < (int)live->message_size;
    }
    return 0;
}

static void want(tn_live *live, live_client *client, struct lws *wsi)
{
    atomic_fetch_sub(&live->followers, client->asks ? 0 : 1);
    client->asks = client->wants = true;
    client->after = tn_live_want(live, client->frame);
    lws_callback_on_writable(wsi); // there may be one already
}

static void obey(tn_live *live, live_client *client, struct lws *wsi)
{
    tn_live_command command;
    const char *why = NULL;
    bool ok = tn_live_command_read(client->heard, client->n_heard, &command, &why);
    if (ok && command.action == TN_LIVE_NEXT) {
        want(live, client, wsi);
        why = NULL;
    } else if (ok) {
        why = tn_live_take_command(live, &command);
        client->pulls = command.action == TN_LIVE_PULL || (client->pulls && command.action != TN_LIVE_RELEASE);
    }
    client->n_heard = 0;
    if (why) {
        client->why = why;
        lws_callback_on_writable(wsi);
    }
}

static void hear(tn_live *live, live_client *client, struct lws *wsi, const char *piece, size_t n)
{
    size_t room = sizeof client->heard - client->n_heard;
    n = n < room ? n : room;
    memcpy(client->heard + client->n_heard, piece, n);
    client->n_heard += n;
    if (lws_is_final_fragment(wsi) && lws_remaining_packet_payload(wsi) == 0) {
        obey(live, client, wsi);
    }
}

// Who pulled lets go.
static void leave(tn_live *live, live_client *client)
{
    if (client->welcome) {
        if (client->pulls) {
            tn_live_take_command(live, &(tn_live_command){.action = TN_LIVE_RELEASE});
        }
        client->welcome = false;
        atomic_fetch_sub(&live->followers, client->asks ? 0 : 1);
        atomic_fetch_sub(&live->viewers, 1);
    }
}

int tn_live_on_event(struct lws *wsi, enum lws_callback_reasons reason, void *user, void *in, size_t length)
{
    tn_view_server *server = lws_context_user(lws_get_context(wsi));
    live_client *client = user;
    switch (reason) {
    case LWS_CALLBACK_FILTER_PROTOCOL_CONNECTION:
        return !may_enter(server, wsi);
    case LWS_CALLBACK_ESTABLISHED:
        *client = (live_client){.welcome = true};
        if (atomic_fetch_add(&server->live->viewers, 1) == 0) {
            tn_live_forget_commands(server->live);
        }
        atomic_fetch_add(&server->live->followers, 1);
        atomic_store(&server->live->newcomer, true);
        lws_callback_on_writable(wsi);
        return 0;
    case LWS_CALLBACK_SERVER_WRITEABLE:
        return send_next(server->live, client, wsi);
    case LWS_CALLBACK_RECEIVE:
        hear(server->live, client, wsi, in, length);
        return 0;
    case LWS_CALLBACK_CLOSED:
        leave(server->live, client);
        return 0;
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED: // the simulation has something new
        if (server && server->live) {
            lws_callback_on_writable_all_protocol(lws_get_context(wsi), lws_get_protocol(wsi));
        }
        return 0;
    default:
        return 0;
    }
}
