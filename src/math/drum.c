// Unrolled, a helix is a straight line: across the axis the way is one round a circle, and it rises evenly along it.
#include "math/drum.h"

#include "math/vec3.h"

#include <math.h>

static const double TURN = 6.283185307179586;

// The plane across the axis, of a sphere that of its center and both ends, with the center at 0.
typedef struct plane {
    double x[3], y[3];
} plane;

typedef struct point {
    double x, y;
} point;

static double dot(point a, point b)
{
    return a.x * b.x + a.y * b.y;
}

static double cross(point a, point b)
{
    return a.x * b.y - a.y * b.x;
}

static point sum(point a, double factor, point b)
{
    return (point){a.x + factor * b.x, a.y + factor * b.y};
}

static point project(const tn_drum *drum, const plane *at, const double x[3])
{
    double way[3];
    tn_vec3_sub(way, x, drum->center);
    return (point){tn_vec3_dot(way, at->x), tn_vec3_dot(way, at->y)};
}

// Unit vector across n, along `wish` as far as that goes.
static void across(const double n[3], const double wish[3], double out[3])
{
    tn_vec3_madd(out, wish, -tn_vec3_dot(wish, n), n);
    if (tn_vec3_norm(out) < 1e-12 * tn_vec3_norm(wish)) {
        const double other[3] = {n[1], n[2], -n[0]};
        tn_vec3_madd(out, other, -tn_vec3_dot(other, n), n);
    }
    tn_vec3_scale(out, 1.0 / tn_vec3_norm(out), out);
}

static plane find_plane(const tn_drum *drum, const double p[3], const double q[3])
{
    plane out = {.x = {0.0}};
    double to_p[3], to_q[3];
    tn_vec3_sub(to_p, p, drum->center);
    tn_vec3_sub(to_q, q, drum->center);
    if (tn_vec3_norm(drum->axis) > 0.0) {
        across(drum->axis, (double[3]){1.0, 0.0, 0.0}, out.x);
        tn_vec3_cross(out.y, drum->axis, out.x);
        return out;
    }
    double far = tn_vec3_norm(to_p);
    tn_vec3_scale(out.x, far > 0.0 ? 1.0 / far : 0.0, to_p);
    across(out.x, to_q, out.y);
    return out;
}

// x turned by an angle, at a distance from 0.
static point turned(point x, double angle, double radius)
{
    double c = radius * cos(angle) / hypot(x.x, x.y), s = radius * sin(angle) / hypot(x.x, x.y);
    return (point){c * x.x - s * x.y, s * x.x + c * x.y};
}

static bool cut(point a, point b, point c, point d)
{
    point along = sum(b, -1.0, a), other = sum(d, -1.0, c);
    return cross(along, sum(c, -1.0, a)) * cross(along, sum(d, -1.0, a)) < 0.0 &&
           cross(other, sum(a, -1.0, c)) * cross(other, sum(b, -1.0, c)) < 0.0;
}

// The way round the circle, counterclockwise or (turn -1) clockwise; from there to q by `end`.
typedef struct detour {
    double length, arc; // [m, rad]
    point end, middle;  // unit vector; direction to the middle of the arc's ends
    bool crossed;       // its straight parts cross
} detour;

static detour find_detour(point p, point q, double radius, double turn)
{
    double far_p = sqrt(dot(p, p)), far_q = sqrt(dot(q, q));
    point from = turned(p, turn * acos(radius / far_p), radius), to = turned(q, -turn * acos(radius / far_q), radius);
    double arc = turn * atan2(cross(from, to), dot(from, to));
    arc += arc < 0.0 ? TURN : 0.0;
    return (detour){.arc = arc,
                    .length =
                        sqrt(far_p * far_p - radius * radius) + radius * arc + sqrt(far_q * far_q - radius * radius),
                    .end = {-turn * to.y / radius, turn * to.x / radius},
                    .middle = sum(from, 1.0, to),
                    .crossed = cut(p, from, q, to)};
}

// False: it is straight.
static bool goes_round(const tn_drum *drum, const plane *at, point p, point q, detour *out)
{
    double r = drum->radius, square = r * r;
    if (dot(p, p) <= square || dot(q, q) <= square) {
        return false;
    }
    bool sided = !isnan(drum->side[0]);
    point side = sided ? project(drum, at, drum->side) : (point){0.0, 0.0}, way = sum(q, -1.0, p);
    double part = fmin(fmax(-dot(p, way) / fmax(dot(way, way), 1e-300), 0.0), 1.0);
    point nearest = sum(p, part, way);
    if (dot(nearest, nearest) >= square && (!sided || dot(side, nearest) >= 0.0)) {
        return false;
    }
    detour one = find_detour(p, q, r, 1.0), other = find_detour(p, q, r, -1.0);
    double good = sided ? dot(one.middle, side) / sqrt(dot(one.middle, one.middle)) : -one.arc;
    double better = sided ? dot(other.middle, side) / sqrt(dot(other.middle, other.middle)) : -other.arc;
    bool second = other.crossed == one.crossed ? better > good : one.crossed;
    *out = second ? other : one;
    return !out->crossed;
}

bool tn_drum_contains(const tn_drum *drum, const double x[3])
{
    double way[3];
    tn_vec3_sub(way, x, drum->center);
    tn_vec3_madd(way, way, -tn_vec3_dot(way, drum->axis), drum->axis);
    return tn_vec3_norm(way) < drum->radius;
}

double tn_drum_way(const tn_drum *drum, const double p[3], const double q[3], double direction[3])
{
    const plane at = find_plane(drum, p, q);
    double way[3], length;
    detour way_round;
    tn_vec3_sub(way, q, p);
    if (!goes_round(drum, &at, project(drum, &at, p), project(drum, &at, q), &way_round)) {
        length = tn_vec3_norm(way);
        tn_vec3_scale(direction, 1.0 / length, way);
        return length;
    }
    double rise = tn_vec3_dot(way, drum->axis);
    length = sqrt(way_round.length * way_round.length + rise * rise);
    tn_vec3_scale(direction, rise / length, drum->axis);
    tn_vec3_madd(direction, direction, way_round.length / length * way_round.end.x, at.x);
    tn_vec3_madd(direction, direction, way_round.length / length * way_round.end.y, at.y);
    return length;
}
