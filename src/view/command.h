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

#include "tenon/view.h"

enum { TN_LIVE_COMMAND_BYTES = 512 };

// false: text (n bytes) is no command; *why says why (static).
bool tn_live_command_read(const char *text, size_t n, tn_live_command *out, const char **why);
