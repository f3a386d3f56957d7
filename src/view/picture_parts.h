// A picture between its halves: what is drawn (picture.c), from where (picture_camera.c), its light (picture_light.c).
#pragma once

#include "view/canvas.h"
#include "view/picture.h"

typedef struct picture_ground {
    bool there;
    double at[3], axes[9]; // rows: along it, along it, upwards
} picture_ground;

typedef struct picture {
    const tn_view *view;
    const tn_recording *r;
    double *poses;          // (n_bodies, 7) of the frame
    double *nodes;          // (n_nodes, 3)
    double *at, *normal;    // (vertices, 3) of the surface that is drawn
    double low[3], high[3]; // what is framed [m]
    double size, middle[3]; // its diagonal [m], where the camera looks
    picture_ground ground;
    tn_camera camera, sun;
    tn_canvas canvas, shade; // as the camera and the sun see it
} picture;

// Where the camera and the sun stand. low, high: of what moves; fixed_low, fixed_high: of what does not, low > high:
// there is none of it.
void picture_aim(picture *p, const double fixed_low[3], const double fixed_high[3]);
// From what the camera sees in each pixel to the colours, four pixels of the canvas to one.
void picture_light(const picture *p, const tn_picture *out);
