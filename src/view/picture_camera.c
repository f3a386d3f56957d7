// Where a picture's camera stands: the rules of the page's first look (viewer/src/scene/camera.ts).
#include "math/quat.h"
#include "view/picture_parts.h"

static const double AIR = 1.12;          // around what is framed
static const double FAR = 3.0;           // of its own size: what goes further is framed where it is
static const double ROOM = 0.6;          // of its size: how far the frame grows to where things are at other times
static const double AROUND = 1.3;        // of its size: fixed things that reach no further are framed too
static const double HALF_ANGLE = 0.3153; // tangent of half the upright angle of view, 35 degrees
static const double OVERVIEW[3] = {0.6, -0.8, 0.36}, SUN[3] = {-1.3, -0.9, 2.1};

static void measure(picture *p)
{
    double diagonal[3];
    tn_vec3_sub(diagonal, p->high, p->low);
    p->size = fmax(tn_vec3_norm(diagonal), 1e-3);
    tn_vec3_madd(p->middle, p->low, 0.5, diagonal);
}

// To where things are at other times, but not after what flies away.
static void reach_out(picture *p)
{
    double room = ROOM * p->size;
    for (int i = 0; i < 3; i++) {
        p->low[i] = fmin(p->low[i], fmax(p->view->low[i], p->low[i] - room));
        p->high[i] = fmax(p->high[i], fmin(p->view->high[i], p->high[i] + room));
    }
}

static void add_surroundings(picture *p, const double low[3], const double high[3])
{
    double to_low[3], to_high[3];
    tn_vec3_sub(to_low, low, p->middle);
    tn_vec3_sub(to_high, high, p->middle);
    if (tn_vec3_norm(to_low) < AROUND * p->size &&
        tn_vec3_norm(to_high) < AROUND * p->size) { // not where there is none
        for (int i = 0; i < 3; i++) {
            p->low[i] = fmin(p->low[i], low[i]);
            p->high[i] = fmax(p->high[i], high[i]);
        }
    }
}

// From where a camera that looks against `way` sees all that is framed.
static double distance_of(const picture *p, const double way[3])
{
    double origin[3] = {0}, most = 1e-3, across = HALF_ANGLE * p->canvas.width / p->canvas.height;
    tn_camera camera = tn_camera_at(way, origin);
    for (int k = 0; k < 8; k++) {
        double corner[3], seen[3];
        for (int i = 0; i < 3; i++) {
            corner[i] = (k >> i & 1 ? 0.5 : -0.5) * (p->high[i] - p->low[i]);
        }
        tn_mat3_vec(seen, camera.axes, corner);
        most = fmax(most, -seen[2] + fmax(fabs(seen[0]) / across, fabs(seen[1]) / HALF_ANGLE));
    }
    return AIR * most;
}

static void place_camera(picture *p)
{
    static const tn_recorded_view none = {.eye = {NAN}, .target = {NAN}};
    const tn_recorded_view *own = p->r->n_views > 0 ? &p->r->views[0] : &none;
    double origin[3] = {0}, eye[3], way[3];
    if (own->follow > 0) {
        tn_vec3_copy(origin, p->poses + 7 * (size_t)own->follow);
        tn_vec3_copy(p->middle, origin);
    }
    if (!isnan(own->target[0])) {
        tn_vec3_add(p->middle, origin, own->target);
    }
    if (!isnan(own->eye[0])) {
        tn_vec3_add(eye, origin, own->eye);
    } else {
        tn_vec3_scale(way, 1.0 / tn_vec3_norm(OVERVIEW), OVERVIEW);
        tn_vec3_madd(eye, p->middle, distance_of(p, way), way);
    }
    p->camera = tn_camera_at(eye, p->middle);
    tn_vec3_sub(way, eye, p->middle);
    p->camera.near = 0.02 * tn_vec3_norm(way);
    p->camera.zoom = 0.5 * p->canvas.height / HALF_ANGLE;
}

static void place_sun(picture *p)
{
    double eye[3], middle[3], way = 10.0 * p->size / tn_vec3_norm(SUN);
    for (int i = 0; i < 3; i++) {
        middle[i] = 0.5 * (p->low[i] + p->high[i]);
        eye[i] = middle[i] + way * SUN[i];
    }
    p->sun = tn_camera_at(eye, middle);
    p->sun.parallel = true;
    p->sun.zoom = 0.5 * p->shade.width / (0.6 * p->size);
}

void picture_aim(picture *p, const double fixed_low[3], const double fixed_high[3])
{
    double travel[3];
    measure(p);
    tn_vec3_sub(travel, p->view->high, p->view->low);
    bool follows = p->r->n_views > 0 && p->r->views[0].follow > 0;
    if (!follows && tn_vec3_norm(travel) <= FAR * p->size) {
        reach_out(p);
        measure(p);
        add_surroundings(p, fixed_low, fixed_high);
        measure(p);
    }
    place_camera(p);
    place_sun(p);
}
