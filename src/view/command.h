// What a page asks of a running simulation: one flat JSON object a message.
//
//     {"command": "pause"}, "resume", "step", "reset", "release"
//     {"command": "solver", "name": "nodal"}, {"command": "law", "name": "convex"}
//     {"command": "pace", "value": 1}      simulated seconds a second at most; 0: as fast as it can
//     {"command": "pull", "body": 3, "point": [x, y, z], "target": [x, y, z]}      [m], world axes
//     {"command": "next"}      the newest frame, when there is one that this page has not had; who has said so once
//     gets
//                              no frames but those that he asks for
#pragma once

#include <stdbool.h>
#include <stddef.h>

typedef enum tn_live_action {
    TN_LIVE_PAUSE,
    TN_LIVE_RESUME,
    TN_LIVE_STEP,
    TN_LIVE_RESET,
    TN_LIVE_RELEASE,
    TN_LIVE_SOLVER,
    TN_LIVE_LAW,
    TN_LIVE_PACE,
    TN_LIVE_PULL,
    TN_LIVE_NEXT,
    TN_LIVE_ACTIONS
} tn_live_action;

enum { TN_LIVE_NAME = 32, TN_LIVE_COMMAND_BYTES = 512 };

typedef struct tn_live_command {
    tn_live_action action;
    char name[TN_LIVE_NAME];
    double value;
    int body;
    double point[3], target[3];
} tn_live_command;

// false: text (n bytes) is no command; *why says why (static).
bool tn_live_command_read(const char *text, size_t n, tn_live_command *out, const char **why);
