#include "scene/build.h"

#include "math/quat.h"

#include <math.h>
#include <string.h>

bool tn_build_check_name(tn_build *build, const tn_node *key, const char *what)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";
    size_t length = strlen(key->text);
    if (!length || length > TN_SCENE_NAME_MAX || strspn(key->text, letters) != length) {
        return tn_read_error(&build->reader, key->place,
                             "'%.100s' is no name for %s: use 1 to %d letters, digits, '_' and '-'", key->text, what,
                             TN_SCENE_NAME_MAX);
    }
    return true;
}

void *tn_build_named(tn_build *build, const tn_node *map, const char *what, size_t size, tn_build_reader read, int *n)
{
    size_t count = map ? (size_t)map->n : 0;
    char *things = tn_arena_push(build->reader.storage, count, size);
    if (!things) {
        tn_read_no_memory(&build->reader);
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        if ((what && !tn_build_check_name(build, map->key[i], what)) ||
            !read(build, map->key[i], map->item[i], things + i * size)) {
            return NULL;
        }
        ++*n;
    }
    return things;
}

const tn_node *tn_build_with_defaults(tn_build *build, const tn_node *map, const tn_node *defaults)
{
    if (!defaults || defaults->kind != TN_NODE_MAP || map->kind != TN_NODE_MAP) {
        return map;
    }
    tn_node *merged = tn_node_copy(build->reader.scratch, map, defaults->n);
    for (int i = 0; merged && i < defaults->n; i++) {
        if (tn_node_index(map, defaults->key[i]->text) < 0) {
            tn_node_append(merged, defaults->key[i], defaults->item[i]);
        }
    }
    if (!merged) {
        tn_read_no_memory(&build->reader);
    }
    return merged;
}

int tn_build_lookup(tn_build *build, const tn_names *names, const tn_node *name, const char *what)
{
    int id = tn_names_find(names, name->text);
    if (id < 0) {
        char hint[160];
        tn_read_error(&build->reader, name->place, "no %s '%.100s'%s", what, name->text,
                      tn_read_hint(tn_names_nearest(names, name->text), hint, sizeof hint));
    }
    return id;
}

char *tn_build_keep_name(tn_build *build, const char *name)
{
    size_t size = strlen(name) + 1;
    char *copy = tn_arena_push(build->reader.storage, size, 1);
    if (!copy) {
        tn_read_no_memory(&build->reader);
        return NULL;
    }
    return memcpy(copy, name, size);
}

bool tn_build_find_body(tn_build *build, const tn_node *name, int *id)
{
    *id = -1;
    if (!name || strcmp(name->text, "world") == 0) {
        return true;
    }
    if (build->raw.softs && tn_node_index(build->raw.softs, name->text) >= 0) {
        return tn_read_error(&build->reader, name->place,
                             "'%.100s' is a soft body: only bodies and world can be tied to", name->text);
    }
    *id = tn_build_lookup(build, &build->bodies, name, "body");
    return *id >= 0;
}

static void quaternion_from_euler(double out[4], const double euler[3])
{
    // R = Rz(yaw) Ry(pitch) Rx(roll): turns about fixed axes, x first.
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    tn_quat_identity(out);
    for (int i = 0; i < 3; i++) {
        double turn[4];
        tn_quat_from_axis_angle(turn, axes[i], euler[i]);
        tn_quat_mul(out, turn, out);
    }
}

bool tn_build_rotation(tn_build *build, const tn_raw_rotation *rotation, tn_place place, double quaternion[4])
{
    tn_quat_identity(quaternion);
    if (!rotation) {
        return true;
    }
    bool axis = !isnan(rotation->axis[0]);
    bool angle = !isnan(rotation->angle);
    bool euler = !isnan(rotation->euler[0]);
    bool quat = rotation->quaternion.n > 0;
    if (axis != angle || axis + euler + quat != 1) {
        return tn_read_error(&build->reader, place, "'rotation' takes either axis and angle, or euler, or quaternion");
    }
    if (axis) {
        tn_quat_from_axis_angle(quaternion, rotation->axis, rotation->angle);
    } else if (euler) {
        quaternion_from_euler(quaternion, rotation->euler);
    } else {
        double square = 0.0;
        for (int i = 0; i < 4; i++) {
            quaternion[i] = rotation->quaternion.value[i];
            square += quaternion[i] * quaternion[i];
        }
        if (!(square > 1e-24)) {
            return tn_read_error(&build->reader, place, "'quaternion' must not be zero");
        }
    }
    tn_quat_normalize(quaternion);
    return true;
}
