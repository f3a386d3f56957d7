#include "view/canvas.h"

#include <string.h>

tn_camera tn_camera_at(const double eye[3], const double target[3])
{
    tn_camera c = {.zoom = 1.0};
    double *right = c.axes, *down = c.axes + 3, *ahead = c.axes + 6;
    memcpy(c.eye, eye, sizeof c.eye);
    tn_vec3_sub(ahead, target, eye);
    tn_vec3_scale(ahead, 1.0 / tn_vec3_norm(ahead), ahead);
    tn_vec3_set(right, ahead[1], -ahead[0], 0.0);
    double size = tn_vec3_norm(right);
    if (size < 1e-9) { // from straight above
        tn_vec3_set(right, size = 1.0, 0.0, 0.0);
    }
    tn_vec3_scale(right, 1.0 / size, right);
    tn_vec3_cross(down, ahead, right);
    return c;
}

void tn_canvas_clear(tn_canvas *canvas)
{
    for (size_t k = 0; k < (size_t)canvas->width * (size_t)canvas->height; k++) {
        canvas->pixel[k] = (tn_pixel){.near = -INFINITY};
    }
}

void tn_camera_project(const tn_camera *camera, const tn_canvas *canvas, const double point[3], double out[3])
{
    double from[3], seen[3];
    tn_vec3_sub(from, point, camera->eye);
    tn_mat3_vec(seen, camera->axes, from);
    double scale = camera->parallel ? camera->zoom : camera->zoom / seen[2];
    out[0] = 0.5 * canvas->width + scale * seen[0];
    out[1] = 0.5 * canvas->height + scale * seen[1];
    out[2] = camera->parallel ? -seen[2] : 1.0 / seen[2];
}

void tn_camera_point(const tn_camera *camera, const tn_canvas *canvas, int x, int y, double near, double out[3])
{
    double distance = camera->parallel ? -near : 1.0 / near;
    double scale = camera->parallel ? 1.0 / camera->zoom : distance / camera->zoom;
    double seen[3] = {scale * (x + 0.5 - 0.5 * canvas->width), scale * (y + 0.5 - 0.5 * canvas->height), distance};
    tn_mat3_tvec(out, camera->axes, seen);
    tn_vec3_add(out, out, camera->eye);
}

static int clamp(double x, int most)
{
    return x < 0.0 ? 0 : x > most ? most : (int)x;
}

// Twice the area of a, b, (x, y), positive where these go clockwise on the screen.
static double side(const double a[3], const double b[3], double x, double y)
{
    return (b[0] - a[0]) * (y - a[1]) - (b[1] - a[1]) * (x - a[0]);
}

static void mix(float out[3], double normal[3][3], const double part[3])
{
    for (int i = 0; i < 3; i++) {
        out[i] = (float)(part[0] * normal[0][i] + part[1] * normal[1][i] + part[2] * normal[2][i]);
    }
}

// p: corners as projected.
static void fill(tn_canvas *canvas, double p[3][3], double normal[3][3], const float rgb[3])
{
    double area = side(p[0], p[1], p[2][0], p[2][1]);
    if (area == 0.0 || !isfinite(area)) {
        return;
    }
    int left = clamp(fmin(p[0][0], fmin(p[1][0], p[2][0])) - 0.5, canvas->width);
    int right = clamp(fmax(p[0][0], fmax(p[1][0], p[2][0])) + 0.5, canvas->width);
    int top = clamp(fmin(p[0][1], fmin(p[1][1], p[2][1])) - 0.5, canvas->height);
    int bottom = clamp(fmax(p[0][1], fmax(p[1][1], p[2][1])) + 0.5, canvas->height);
    for (int y = top; y < bottom; y++) {
        tn_pixel *row = canvas->pixel + (size_t)y * (size_t)canvas->width;
        for (int x = left; x < right; x++) {
            double part[3] = {side(p[1], p[2], x + 0.5, y + 0.5) / area, side(p[2], p[0], x + 0.5, y + 0.5) / area};
            part[2] = 1.0 - part[0] - part[1];
            double near = part[0] * p[0][2] + part[1] * p[1][2] + part[2] * p[2][2];
            if (part[0] >= 0.0 && part[1] >= 0.0 && part[2] >= 0.0 && near > (double)row[x].near) {
                row[x].near = (float)near;
                mix(row[x].normal, normal, part);
                memcpy(row[x].rgb, rgb, sizeof row[x].rgb);
            }
        }
    }
}

static double ahead_of(const tn_camera *camera, const double at[3])
{
    double from[3];
    tn_vec3_sub(from, at, camera->eye);
    return tn_vec3_dot(camera->axes + 6, from) - camera->near;
}

// The corners of what is not behind the camera, at most four; how many.
static int cut(const tn_camera *camera, double at[3][3], double normal[3][3], double corner[4][3], double turned[4][3])
{
    int n = 0;
    for (int k = 0; k < 3; k++) {
        int next = (k + 1) % 3;
        double a = ahead_of(camera, at[k]), b = ahead_of(camera, at[next]);
        if (a >= 0.0) {
            tn_vec3_copy(corner[n], at[k]);
            tn_vec3_copy(turned[n++], normal[k]);
        }
        if ((a >= 0.0) != (b >= 0.0)) {
            for (int i = 0; i < 3; i++) {
                corner[n][i] = at[k][i] + a / (a - b) * (at[next][i] - at[k][i]);
                turned[n][i] = normal[k][i] + a / (a - b) * (normal[next][i] - normal[k][i]);
            }
            n++;
        }
    }
    return n;
}

void tn_canvas_triangle(tn_canvas *canvas, const tn_camera *camera, double at[3][3], double normal[3][3],
                        const float rgb[3])
{
    double corner[4][3], turned[4][3];
    int n = 3;
    if (camera->parallel) {
        memcpy(corner, at, 3 * sizeof *corner);
        memcpy(turned, normal, 3 * sizeof *turned);
    } else {
        n = cut(camera, at, normal, corner, turned);
    }
    for (int k = 1; k + 1 < n; k++) { // a fan
        double seen[3][3], own[3][3];
        const int of[3] = {0, k, k + 1};
        for (int i = 0; i < 3; i++) {
            tn_camera_project(camera, canvas, corner[of[i]], seen[i]);
            tn_vec3_copy(own[i], turned[of[i]]);
        }
        fill(canvas, seen, own, rgb);
    }
}
