// Triangles as a camera sees them: at each pixel the nearest surface, its normal and its colour.
#pragma once

#include "math/mat3.h"

typedef struct tn_camera {
    double eye[3];
    double axes[9]; // rows: to the right, down, and where it looks
    double zoom;    // pixels from the middle at distance 1; of a parallel one: at any
    double near;    // what is nearer is not seen; of a parallel camera everything is [m]
    bool parallel;
} tn_camera;

typedef struct tn_pixel {
    float near; // 1 / distance along the camera's axis, of a parallel one -distance [1/m, m]; -INFINITY: nothing there
    float normal[3], rgb[3];
} tn_pixel;

typedef struct tn_canvas {
    int width, height;
    tn_pixel *pixel; // (height, width)
} tn_canvas;

// Looks at target from eye, z upwards.
tn_camera tn_camera_at(const double eye[3], const double target[3]);
void tn_canvas_clear(tn_canvas *canvas);
// Where the camera sees a point: pixels from the left and the top, `near` of a pixel.
void tn_camera_project(const tn_camera *camera, const tn_canvas *canvas, const double point[3], double out[3]);
// The point that is seen in a pixel, near > -INFINITY.
void tn_camera_point(const tn_camera *camera, const tn_canvas *canvas, int x, int y, double near, double out[3]);
// at, normal: of the three corners, world axes. What lies behind `near` is cut off.
void tn_canvas_triangle(tn_canvas *canvas, const tn_camera *camera, double at[3][3], double normal[3][3],
                        const float rgb[3]);
