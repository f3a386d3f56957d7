// The light of a picture: sun and sky on mat surfaces, a shadow, lines on the ground, the sky. Colours are those of the
// page's light theme (viewer/src/scene/colours.ts), lights those of its plain pictures (plain.ts).
#include "base/team.h"
#include "view/colors.h"
#include "view/picture_parts.h"

static const double SUN_LIGHT = 2.1 / M_PI, SKY_LIGHT = 1.15 / M_PI, EVERYWHERE = 0.2 / M_PI; // of a mat white surface
static const double REACH = 30.0; // of what is framed: there the ground is the horizon

typedef struct colors {
    double sun[3], above[3], below[3], ground[3], line[3], horizon[3], zenith[3];
} colors;

static void set(double out[3], unsigned color)
{
    for (int c = 0; c < 3; c++) {
        out[c] = tn_color_to_light((double)(color >> (16 - 8 * c) & 0xff) / 255.0);
    }
}

static colors choose_colors(void)
{
    colors c;
    set(c.sun, 0xfff6ea);
    set(c.above, 0xf2f6ff);
    set(c.below, 0x6f6a66);
    set(c.ground, 0xe9ecef);
    set(c.line, 0xa3afbc);
    set(c.horizon, 0xeef2f6);
    set(c.zenith, 0x9dbde0);
    return c;
}

static double smoothstep(double from, double to, double x)
{
    double t = fmin(fmax((x - from) / (to - from), 0.0), 1.0);
    return t * t * (3.0 - 2.0 * t);
}

static void blend(double out[3], const double a[3], const double b[3], double part)
{
    for (int c = 0; c < 3; c++) {
        out[c] = a[c] + part * (b[c] - a[c]);
    }
}

// Whether the sun sees a point: nothing in its picture is nearer to it there.
static bool is_lit(const picture *p, const double point[3])
{
    double seen[3];
    tn_camera_project(&p->sun, &p->shade, point, seen);
    if (!(seen[0] >= 0.0 && seen[1] >= 0.0 && seen[0] < p->shade.width && seen[1] < p->shade.height)) {
        return true;
    }
    const tn_pixel *there = p->shade.pixel + (size_t)seen[1] * (size_t)p->shade.width + (size_t)seen[0];
    return (double)there->near < seen[2] + 3.0 / p->sun.zoom; // three of its pixels: it has steps on slopes
}

static void light(const picture *p, const colors *c, const double point[3], const double normal[3], double rgb[3])
{
    double high = 0.5 + 0.5 * normal[2], sun = -tn_vec3_dot(p->sun.axes + 6, normal);
    sun = sun > 0.0 && is_lit(p, point) ? sun * SUN_LIGHT : 0.0;
    for (int i = 0; i < 3; i++) {
        double sky = c->below[i] + high * (c->above[i] - c->below[i]);
        rgb[i] = fmin(1.0, rgb[i] * (sky * SKY_LIGHT + EVERYWHERE + sun * c->sun[i]));
    }
}

// ---- the ground

// How pixels see it: what is linear in them, by x, y and the rest.
typedef struct ground_view {
    double near[3];     // of a pixel there
    double along[2][3]; // from the camera along the ground's axes, times near [m]
    double from[2];     // of the camera along them [m]
    double cell;        // between its lines [m]
} ground_view;

static ground_view view_ground(const picture *p)
{
    const picture_ground *g = &p->ground;
    ground_view v = {.cell = pow(10.0, nearbyint(log10(p->size / 4.0)))};
    double way[3][3], from[3];
    for (int k = 0; k < 3; k++) {
        tn_camera_point(&p->camera, &p->canvas, k == 0, k == 1, 1.0, way[k]);
        tn_vec3_sub(way[k], way[k], p->camera.eye);
    }
    tn_vec3_sub(way[0], way[0], way[2]);
    tn_vec3_sub(way[1], way[1], way[2]);
    tn_vec3_sub(from, p->camera.eye, g->at);
    for (int k = 0; k < 3; k++) {
        v.near[k] = -tn_vec3_dot(g->axes + 6, way[k]) / tn_vec3_dot(g->axes + 6, from);
        for (int i = 0; i < 2; i++) {
            v.along[i][k] = tn_vec3_dot(g->axes + 3 * (size_t)i, way[k]);
        }
    }
    for (int i = 0; i < 2; i++) {
        v.from[i] = tn_vec3_dot(g->axes + 3 * (size_t)i, from);
    }
    return v;
}

static double linear(const double by[3], int x, int y)
{
    return by[0] * x + by[1] * y + by[2];
}

// How much of a line so many pixels wide is at on, in cells; wide: of a pixel, in cells. None where they would crowd.
static double line_at(const double on[2], const double wide[2], double cell, double pixels)
{
    double nearest = INFINITY, crowd = 0.0;
    for (int i = 0; i < 2; i++) {
        double w = fmax(wide[i] / cell, 1e-6), off = on[i] / cell;
        nearest = fmin(nearest, fabs(off - nearbyint(off)) / w);
        crowd = fmax(crowd, w);
    }
    return (1.0 - smoothstep(pixels - 0.5, pixels + 0.5, nearest)) * (1.0 - smoothstep(0.15, 0.5, crowd));
}

static double lines_at(const ground_view *v, int x, int y, double near)
{
    double on[2], wide[2];
    for (int i = 0; i < 2; i++) {
        double along = linear(v->along[i], x, y) / near;
        on[i] = v->from[i] + along;
        wide[i] = 2.0 * // two of the canvas are one
                  (fabs(v->along[i][0] - along * v->near[0]) + fabs(v->along[i][1] - along * v->near[1])) / near;
    }
    return fmax(0.3 * line_at(on, wide, v->cell, 0.6), 0.6 * line_at(on, wide, 5.0 * v->cell, 0.8));
}

// ---- pixels

enum { SHADES = 4096 };

// All that the pixels of a picture have in common. screen: of light from 0 to 1.
typedef struct lighting {
    const picture *p;
    const tn_picture *out;
    colors colors;
    ground_view ground;
    unsigned char screen[SHADES];
} lighting;

static void light_ground(const lighting *l, int x, int y, double near, double rgb[3])
{
    const picture *p = l->p;
    const colors *c = &l->colors;
    double point[3], away[3], normal[3];
    tn_camera_point(&p->camera, &p->canvas, x, y, near, point);
    tn_vec3_sub(away, point, p->middle);
    double gone = smoothstep(0.12, 1.0, tn_vec3_norm(away) / (REACH * p->size));
    double face = tn_vec3_dot(p->ground.axes + 6, p->camera.axes + 6) > 0.0 ? -1.0 : 1.0;
    tn_vec3_scale(normal, face, p->ground.axes + 6);
    blend(rgb, c->ground, c->line, lines_at(&l->ground, x, y, near));
    light(p, c, point, normal, rgb);
    blend(rgb, rgb, c->horizon, gone);
}

static void light_surface(const picture *p, const colors *c, int x, int y, const tn_pixel *at, double rgb[3])
{
    double point[3], normal[3] = {at->normal[0], at->normal[1], at->normal[2]}, way[3];
    tn_camera_point(&p->camera, &p->canvas, x, y, at->near, point);
    tn_vec3_sub(way, point, p->camera.eye);
    double size = tn_vec3_norm(normal);
    tn_vec3_scale(normal, (tn_vec3_dot(normal, way) > 0.0 ? -1.0 : 1.0) / (size > 0.0 ? size : 1.0), normal);
    tn_vec3_set(rgb, at->rgb[0], at->rgb[1], at->rgb[2]);
    light(p, c, point, normal, rgb);
}

static void light_pixel(const lighting *l, int x, int y, double rgb[3])
{
    const picture *p = l->p;
    const tn_pixel *at = p->canvas.pixel + (size_t)y * (size_t)p->canvas.width + (size_t)x;
    double near = p->ground.there ? linear(l->ground.near, x, y) : 0.0, way[3];
    if (near > 0.0 && near > (double)at->near) {
        light_ground(l, x, y, near, rgb);
    } else if (at->near > 0.0F) {
        light_surface(p, &l->colors, x, y, at, rgb);
    } else {
        tn_camera_point(&p->camera, &p->canvas, x, y, 1.0, way);
        tn_vec3_sub(way, way, p->camera.eye);
        blend(rgb, l->colors.horizon, l->colors.zenith, smoothstep(0.0, 0.7, way[2] / tn_vec3_norm(way)));
    }
}

static void light_rows(const void *context, int first, int end, int thread)
{
    const lighting *l = context;
    unsigned char *to = l->out->rgb + 3 * (size_t)first * (size_t)l->out->width;
    for (int y = first; y < end; y++) {
        for (int x = 0; x < l->out->width; x++) {
            double sum[3] = {0}, rgb[3];
            for (int k = 0; k < 4; k++) {
                light_pixel(l, 2 * x + k % 2, 2 * y + k / 2, rgb);
                tn_vec3_madd(sum, sum, 0.25, rgb);
            }
            for (int i = 0; i < 3; i++) {
                *to++ = l->screen[(int)nearbyint((SHADES - 1) * fmin(fmax(sum[i], 0.0), 1.0))];
            }
        }
    }
}

void picture_light(const picture *p, const tn_picture *out)
{
    lighting l = {.p = p, .out = out, .colors = choose_colors()};
    if (p->ground.there) {
        l.ground = view_ground(p);
    }
    for (int k = 0; k < SHADES; k++) {
        l.screen[k] = (unsigned char)nearbyint(255.0 * tn_color_to_screen(k / (SHADES - 1.0)));
    }
    tn_team_share(tn_team_processors(), out->height, 8, light_rows, &l);
}
