// Nodes with keys and numbers, and the scene's sections in order.
#include "scene/robot/emit.h"

#include "math/vec3.h"
#include "scene/override.h"
#include "scene/read_value.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static tn_node *collection(tn_robot_emitter *emit, tn_node_kind kind)
{
    tn_node *node = tn_node_collection(emit->robot->reader->scratch, kind, emit->place, 4);
    emit->failed = emit->failed || !node;
    return node;
}

tn_node *tn_emit_map(tn_robot_emitter *emit)
{
    return collection(emit, TN_NODE_MAP);
}

tn_node *tn_emit_list(tn_robot_emitter *emit)
{
    return collection(emit, TN_NODE_LIST);
}

static void append(tn_robot_emitter *emit, tn_node *to, tn_node *key, tn_node *item)
{
    bool room = tn_node_grow(emit->robot->reader->scratch, to);
    emit->failed = emit->failed || !room;
    if (room) {
        tn_node_append(to, key, item);
    }
}

static tn_node *scalar(tn_robot_emitter *emit, const char *text, bool quoted)
{
    tn_node *node = tn_node_scalar(emit->robot->reader->scratch, emit->place, text, strlen(text));
    emit->failed = emit->failed || !node;
    if (node) {
        node->quoted = quoted;
    }
    return node;
}

void tn_emit_put(tn_robot_emitter *emit, tn_node *map, const char *key, tn_node *item)
{
    tn_node *name = scalar(emit, key, false);
    if (map && name && item) {
        append(emit, map, name, item);
    }
}

void tn_emit_add(tn_robot_emitter *emit, tn_node *list, tn_node *item)
{
    if (list && item) {
        append(emit, list, NULL, item);
    }
}

void tn_emit_text(tn_robot_emitter *emit, tn_node *map, const char *key, const char *text)
{
    tn_emit_put(emit, map, key, scalar(emit, text, true));
}

void tn_emit_word(tn_robot_emitter *emit, tn_node *map, const char *key, const char *text)
{
    tn_emit_put(emit, map, key, scalar(emit, text, false));
}

// The shortest text that reads back as the same number.
static tn_node *number(tn_robot_emitter *emit, double value)
{
    char text[40] = "infinite";
    if (isinf(value)) {
        return scalar(emit, value > 0.0 ? "infinite" : "-infinite", false);
    }
    double again = NAN;
    for (int digits = 15; digits <= 17 && again != value; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, value == 0.0 ? 0.0 : value);
        tn_number_parse(text, (tn_dimension){0}, &again);
    }
    return scalar(emit, text, false);
}

void tn_emit_number(tn_robot_emitter *emit, tn_node *map, const char *key, double value)
{
    tn_emit_put(emit, map, key, number(emit, value));
}

tn_node *tn_emit_list_of(tn_robot_emitter *emit, int n, const double *value)
{
    tn_node *list = tn_emit_list(emit);
    for (int i = 0; i < n; i++) {
        tn_emit_add(emit, list, number(emit, value[i]));
    }
    return list;
}

void tn_emit_numbers(tn_robot_emitter *emit, tn_node *map, const char *key, int n, const double *value)
{
    tn_emit_put(emit, map, key, tn_emit_list_of(emit, n, value));
}

void tn_emit_names(tn_robot_emitter *emit, tn_node *map, const char *key, int n, const char *const *name)
{
    tn_node *list = tn_emit_list(emit);
    for (int i = 0; i < n; i++) {
        tn_emit_add(emit, list, scalar(emit, name[i], false));
    }
    tn_emit_put(emit, map, key, list);
}

const char *tn_emit_name(tn_robot_emitter *emit, const char *name, const char *suffix, int number)
{
    const char *prefix = emit->robot->options->prefix;
    size_t size = strlen(prefix) + strlen(name) + strlen(suffix) + 16;
    char *text = tn_arena_push(emit->robot->reader->scratch, size, 1);
    if (!text) {
        emit->failed = true;
        return "";
    }
    int length = snprintf(text, size, "%s%s%s", prefix, name, suffix);
    if (number > 0) {
        snprintf(text + length, size - (size_t)length, "%d", number);
    }
    for (char *p = text; *p; p++) {
        bool good = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9') || *p == '-';
        *p = good ? *p : '_';
    }
    return text;
}

const char *tn_emit_free_name(tn_robot_emitter *emit, const tn_node *map, const char *name)
{
    const char *text = tn_emit_name(emit, name, "", 0);
    for (int number = 2; !emit->failed && tn_node_index(map, text) >= 0; number++) {
        text = tn_emit_name(emit, name, "-", number);
    }
    return text;
}

// No two of a section bear one name: what the file keeps apart, other letters or our own names may join.
static bool check_names(tn_reader *reader, const tn_node *section, const char *what)
{
    bool no_memory = false;
    const tn_node *twice = tn_node_duplicate(section, &no_memory);
    if (no_memory) {
        return tn_read_no_memory(reader);
    }
    return !twice ||
           tn_read_error(reader, twice->place, "two %s would be called '%.100s': rename one", what, twice->text);
}

static bool moves_along_joints(const tn_robot *robot)
{
    bool any = false;
    for (int i = 0; i < robot->n_links; i++) {
        const tn_robot_link *link = &robot->links[i];
        bool loose = link->n_joints > 0 && robot->joints[link->first_joint].freedom == TN_ROBOT_FREE;
        any = any || (link->n_joints > 0 && !loose && tn_vec3_norm(link->velocity) + tn_vec3_norm(link->spin) > 0.0);
    }
    return any;
}

static void put_settings(tn_robot_emitter *emit, tn_node *root)
{
    const tn_robot *robot = emit->robot;
    if (robot->title) {
        tn_emit_text(emit, root, "title", robot->title);
    }
    emit->place = robot->settings.file ? robot->settings : emit->place;
    if (!isnan(robot->gravity[0])) {
        tn_emit_numbers(emit, root, "gravity", 3, robot->gravity);
    }
    if (!isnan(robot->step)) {
        tn_emit_number(emit, root, "step", robot->step);
    }
    if (moves_along_joints(robot)) {
        tn_node *initial = tn_emit_map(emit);
        tn_emit_word(emit, initial, "velocities", "rates");
        tn_emit_put(emit, root, "initial", initial);
    }
}

// That of the scene which lists the file, else the file's own, with overrides; root has the latter.
static bool find_gravity(tn_robot_emitter *emit, const tn_node *root)
{
    tn_reader *reader = emit->robot->reader;
    tn_node *map = tn_emit_map(emit);
    if (!map) {
        return tn_read_no_memory(reader);
    }
    int own = tn_node_index(root, "gravity");
    tn_node *said = reader->gravity ? reader->gravity : own >= 0 ? root->item[own] : NULL;
    if (said) {
        tn_emit_put(emit, map, "gravity", said);
    }
    for (int i = 0; map && i < reader->n_set; i++) {
        const char *set = reader->set[i];
        if (strncmp(set, "gravity.", 8) == 0 || strncmp(set, "gravity=", 8) == 0) {
            map = tn_override_apply(reader, map, set, (tn_place){"--set", i + 1, 1});
        }
    }
    const tn_node *gravity = map ? tn_node_find(map, "gravity") : NULL;
    tn_vec3_set(emit->gravity, 0.0, 0.0, -9.81);
    return map &&
           (!gravity || tn_read_value(reader, tn_section_key(&tn_section_scene, "gravity"), gravity, emit->gravity));
}

// What moves needs a mass; of the fixed nobody asks.
static bool check_masses(tn_robot *robot, const tn_robot_inertia *inertia)
{
    for (int i = 0; i < robot->n_links; i++) {
        const tn_robot_link *link = &robot->links[i];
        if (link->body == i && !link->fixed && !(inertia[i].mass > 0.0)) {
            return tn_read_error(robot->reader, link->place,
                                 "'%.100s' moves but has no mass: give it one, or something that is fixed to it",
                                 link->name);
        }
    }
    return true;
}

tn_node *tn_robot_emit(tn_robot *robot)
{
    tn_reader *reader = robot->reader;
    tn_robot_emitter emit = {.robot = robot, .place = {robot->file, 1, 0}};
    const char **material = TN_PUSH(reader->scratch, const char *, robot->n_geoms);
    const char **body = TN_PUSH(reader->scratch, const char *, robot->n_links);
    tn_robot_inertia *inertia = TN_PUSH(reader->scratch, tn_robot_inertia, robot->n_links);
    tn_node *root = tn_emit_map(&emit);
    tn_node *bodies = tn_emit_map(&emit);
    tn_node *joints = tn_emit_map(&emit);
    if (!material || !body || !inertia || emit.failed) {
        tn_read_no_memory(reader);
        return NULL;
    }
    tn_robot_gather_inertia(robot, inertia);
    put_settings(&emit, root);
    if (!find_gravity(&emit, root) || !check_masses(robot, inertia) || !tn_emit_surfaces(&emit, root, material)) {
        return NULL;
    }
    tn_emit_bodies(&emit, bodies, inertia, material, body);
    tn_emit_joints(&emit, joints, bodies, inertia, body);
    tn_emit_put(&emit, root, "bodies", bodies);
    tn_emit_put(&emit, root, "joints", joints);
    tn_node *sensors = tn_emit_map(&emit), *frames = tn_emit_frames(&emit, body);
    if (frames && frames->n > 0) {
        tn_emit_put(&emit, root, "frames", frames);
    }
    if (robot->n_sensors) {
        tn_emit_sensors(&emit, sensors, body);
        tn_emit_put(&emit, root, "sensors", sensors);
    }
    if (emit.failed) {
        tn_read_no_memory(reader);
        return NULL;
    }
    return check_names(reader, bodies, "bodies") && check_names(reader, joints, "joints") &&
                   check_names(reader, sensors, "sensors")
               ? root
               : NULL;
}
