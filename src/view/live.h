// A running simulation, shown to pages while it runs (tenon/view.h): the header and the tables that do not change as of
// a recording (view/server.h), frames over WebSocket (/api/live, subprotocol `tenon-live`).
//
// The thread that simulates hands over its newest frame when somebody is ready for one, at most thirty times a second;
// a thread of the server sends it. Who comes gets every frame until he asks for a first one by the command `next`; from
// then on he gets one for each time he asks. A slow reader gets fewer frames; nothing ever waits for him.
//
// A frame is one binary message, little endian:
//
//     float64 time [s], steps; uint32 contacts, 0
//     float   poses, nodes, stress, joint_forces, series, contacts, patches, ahead    rows of the view's tables
//     (view/view.h)
//
// Messages to the page in text are JSON: {"state": "running" | "paused" | "ended", "solver", "law", "pace", "time",
// "message"}, and to a message that is no command {"error": why}. Those from the page: view/command.h.
#pragma once

#include "view/command.h"
