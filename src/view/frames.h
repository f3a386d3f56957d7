// The struct behind tn_view; for the room's own files.
#pragma once

#include "base/arena.h"
#include "record/columns.h"
#include "view/geometry.h"
#include "view/stress.h"
#include "view/view.h"

#include <math.h>

enum { TN_VIEW_CONTACT_WIDTH = 12, TN_VIEW_PATCH_WIDTH = 6 };

// A joint that is drawn, at its place in body a (side 0), or in body b where a is made of nodes or b rolls on it.
typedef struct tn_view_joint {
    int joint; // of the recording
    int side;
} tn_view_joint;

struct tn_view {
    const tn_recording *recording;
    tn_arena *arena;
    tn_arena *scratch; // of a call
    long every, n_frames;
    long *frame; // (n_frames) of the recording
    int n_rigid; // bodies with a pose, with the world
    double extent;
    double low[3], high[3]; // where moving bodies and nodes are, in some hundred frames [m]; low > high: none
    double force;           // of three in four frames the largest contact or joint force is smaller [N]; 0: none
    tn_view_geometries geometries;
    float *rgb;             // (recording->n_bodies, 3) of the screen
    tn_node_stress *stress; // NULL: no soft bodies
    double *time;           // (n_frames)
    int n_placed;           // joints of a body with a pose: a gear is nowhere
    tn_view_joint *placed;  // (n_placed)
    int n_series;
    const tn_column *series[TN_COLUMN_COUNT];
    long *contact_first; // (n_frames) first contact in the recording
    uint32_t *contact;   // (n_frames + 1) first contact of the view's frame
};

// What shape s is shown in, of the screen: its own colour, else its body's.
static inline const float *tn_view_shape_color(const tn_view *view, int s)
{
    const tn_recorded_shape *shape = &view->recording->shapes[s];
    return isnan(shape->rgb[0]) ? view->rgb + 3 * (size_t)shape->body : shape->rgb;
}

// extent, low, high. The frames are chosen.
tn_status tn_view_find_extent(tn_view *view, tn_error *error);
// force. The contacts are counted, the joints chosen.
tn_status tn_view_find_force(tn_view *view, tn_error *error);
