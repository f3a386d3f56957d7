// Copies of a body: on a grid with jitter, or scattered. Random numbers depend on the seed, the body's name and the
// copy's number alone, so that another body does not change them.
#include "base/random.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "scene/build.h"

#include <stdio.h>
#include <string.h>

typedef struct dice {
    uint64_t seed, stream, counter;
} dice;

// FNV-1a.
static uint64_t name_hash(const char *name)
{
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char *p = name; *p; p++) {
        hash = (hash ^ (unsigned char)*p) * 0x100000001b3u;
    }
    return hash;
}

static double uniform(dice *d)
{
    return tn_random_uniform(d->seed, d->stream, d->counter++);
}

static double normal(dice *d)
{
    return tn_random_normal(d->seed, d->stream ^ 0x6e6f726d616cu, d->counter++);
}

int tn_build_copy_count(const tn_raw_array *array, const tn_raw_scatter *scatter)
{
    long long count = 1;
    for (int i = 0; array && i < 3; i++) {
        count *= array->count[i]; // each at most a million: no overflow
        if (count > TN_SCENE_BODIES_MAX) {
            return -1;
        }
    }
    return scatter ? scatter->count : (int)count;
}

static void turn(tn_pose *pose, const double rotation[4])
{
    tn_quat_mul(pose->quaternion, rotation, pose->quaternion);
    tn_quat_normalize(pose->quaternion);
}

// A body in a plane turns about its normal only.
static void turn_randomly(dice *d, const double *plane, double most, tn_pose *pose)
{
    double axis[3] = {normal(d), normal(d), normal(d)}, rotation[4];
    tn_quat_from_axis_angle(rotation, plane ? plane : axis, most * (2.0 * uniform(d) - 1.0));
    if (most > 0.0) {
        turn(pose, rotation);
    }
}

// Jitter does not lead out of the plane of a body that moves in one; spacing may.
static void place_in_array(const tn_copies *copies, int index, dice *d, tn_pose *pose)
{
    const tn_raw_array *array = copies->array;
    int cell[3] = {index % array->count[0], index / array->count[0] % array->count[1],
                   index / array->count[0] / array->count[1]};
    double jitter[3];
    for (int i = 0; i < 3; i++) {
        jitter[i] = array->jitter * (2.0 * uniform(d) - 1.0);
    }
    if (copies->plane) {
        tn_vec3_madd(jitter, jitter, -tn_vec3_dot(jitter, copies->plane), copies->plane);
    }
    for (int i = 0; i < 3; i++) {
        pose->position[i] += cell[i] * array->spacing[i] + jitter[i];
    }
    turn_randomly(d, copies->plane, array->rotation_jitter, pose);
}

static void place_in_region(const tn_copies *copies, dice *d, tn_pose *pose)
{
    const tn_raw_scatter *scatter = copies->scatter;
    for (int i = 0; i < 3; i++) {
        pose->position[i] += scatter->low[i] + uniform(d) * (scatter->high[i] - scatter->low[i]);
    }
    if (copies->plane) {
        turn_randomly(d, copies->plane, scatter->turn ? M_PI : 0.0, pose);
        return;
    }
    // Four normal numbers, normalised, are uniform on the quaternions' sphere.
    double rotation[4] = {normal(d), normal(d), normal(d), normal(d)};
    if (scatter->turn) {
        tn_quat_normalize(rotation);
        turn(pose, rotation);
    }
}

void tn_build_copy_pose(const tn_build *build, const tn_copies *copies, int index, tn_pose *pose)
{
    enum { DRAWS = 16 }; // more than a copy draws
    dice d = {build->scene->settings.seed, name_hash(copies->name), (uint64_t)index * DRAWS};
    if (copies->array) {
        place_in_array(copies, index, &d, pose);
    } else {
        place_in_region(copies, &d, pose);
    }
}

char *tn_build_copy_names(tn_build *build, const char *name, int n, size_t *size)
{
    *size = strlen(name) + 12;
    char *names = tn_arena_push(build->reader.storage, (size_t)n, *size);
    for (int k = 0; names && k < n; k++) {
        snprintf(names + (size_t)k * *size, *size, "%s[%d]", name, k);
    }
    if (!names) {
        tn_read_no_memory(&build->reader);
    }
    return names;
}

// A motion about the copy's own place.
static bool move_copy(tn_build *build, tn_scene_body *copy)
{
    tn_scene_motion *motion = TN_PUSH(build->reader.storage, tn_scene_motion, 1);
    if (!motion) {
        return tn_read_no_memory(&build->reader);
    }
    *motion = *copy->motion;
    for (int i = 0; i < 3; i++) {
        motion->position[i] = (tn_value){.constant = copy->pose.position[i]};
    }
    copy->motion = motion;
    return true;
}

bool tn_build_copies(tn_build *build, const tn_raw_body *raw, const tn_scene_body *body, tn_scene_body *out)
{
    const tn_copies copies = {body->name, raw->array, raw->scatter, body->plane_normal};
    int n = tn_build_copy_count(raw->array, raw->scatter);
    for (int i = 0; raw->scatter && i < 3; i++) {
        if (raw->scatter->low[i] > raw->scatter->high[i]) {
            return tn_read_error(&build->reader, body->place, "'low' of scatter must not be above 'high'");
        }
    }
    size_t size = 0;
    char *names = tn_build_copy_names(build, body->name, n, &size);
    if (!names) {
        return false;
    }
    for (int k = 0; k < n; k++) {
        out[k] = *body; // shapes are shared
        out[k].name = names + (size_t)k * size;
        tn_build_copy_pose(build, &copies, k, &out[k].pose);
        if (body->motion && !move_copy(build, &out[k])) {
            return false;
        }
    }
    return true;
}
