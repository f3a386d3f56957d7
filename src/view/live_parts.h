// A live view behind its two threads; for the room's own files.
#pragma once

#include "record/frame_rows.h"
#include "view/frames.h"
#include "view/live.h"
#include "view/server.h"

#include <pthread.h>
#include <stdatomic.h>

enum { TN_LIVE_COMMANDS = 64, TN_LIVE_TEXT = 1024, TN_LIVE_HEADER = 24 };

struct tn_live {
    const tn_model *model;
    const tn_sim *sim;
    tn_recording *recording; // of the first frame: its tables that do not change are the live view's
    tn_view *view;
    tn_view_server *server;
    atomic_int viewers;
    atomic_int followers; // of them: who takes every frame
    atomic_bool newcomer; // somebody came who has seen nothing
    atomic_bool wanted;   // somebody asked for a frame, and none has been handed over since
    atomic_bool passed;   // the run has gone on since the last frame

    // Of the simulation's thread.
    tn_frame_rows *back;
    double shown_at; // wall clock [s]
    long shown_step;

    pthread_mutex_t lock; // of all below; held for a moment only
    tn_frame_rows *middle;
    unsigned shown; // frames handed over so far: number of the newest of middle and front
    char news[TN_LIVE_TEXT];
    unsigned news_number;
    int n_commands, first_command;
    tn_live_command commands[TN_LIVE_COMMANDS];

    // Of the server's thread.
    tn_frame_rows *front;
    unsigned front_shown;   // its number
    unsigned char *message; // room for libwebsockets, then the frame
    size_t message_size, message_room;
    unsigned frame_number; // of the message; 0: none yet

    tn_frame_rows rows[3];
};

// For the server's thread. The newest frame as a message, made if there is a newer one; false: none yet, or no memory.
bool tn_live_take_frame(tn_live *live, size_t padding);
// A page that has had frame number `had` asks for another: it is content with any whose number is above the returned
// one.
unsigned tn_live_want(tn_live *live, unsigned had);
// Somebody comes where nobody looked: what others asked last is not obeyed for him, and no hand pulls any more.
void tn_live_forget_commands(tn_live *live);
// A command of a page; NULL: it is accepted, else why not (static).
const char *tn_live_take_command(tn_live *live, const tn_live_command *command);
