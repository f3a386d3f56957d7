// Curves of a recording by name: quantities with one number a row, and the numbers of a body, a joint, a sensor.
#include "record/recording.h"

#include "base/memory.h"
#include "base/nearest.h"

#include <stdio.h>
#include <string.h>

static tn_status choose_body(const tn_recording *r, int body, const char *name, tn_curve *out, tn_error *error)
{
    static const char *const components[] = {"x", "y", "z", "qw", "qx", "qy", "qz", "vx", "vy", "vz", "wx", "wy", "wz"};
    int first_soft = r->n_bodies - r->n_softs;
    if (strcmp(name, "strain_energy") == 0 && body >= first_soft) {
        *out = (tn_curve){"soft/energy", "strain energy [J]", r->n_softs, body - first_soft};
        return TN_OK;
    }
    name = strcmp(name, "height") == 0 ? "z" : name;
    for (int k = 0; k < (int)(sizeof components / sizeof *components); k++) {
        if (strcmp(name, components[k]) == 0) {
            const char *label = k < 3    ? "position [m]"
                                : k < 7  ? "quaternion"
                                : k < 10 ? "velocity [m/s]"
                                         : "angular velocity [rad/s]";
            *out = k < 7 ? (tn_curve){"poses", label, 7 * r->n_bodies, 7 * body + k}
                         : (tn_curve){"velocities", label, 6 * r->n_bodies, 6 * body + k - 7};
            return TN_OK;
        }
    }
    return tn_error_set(error, TN_BAD_INPUT,
                        "a body has no component '%s'; there are: x y z qw qx qy qz vx vy vz wx wy wz, and of soft "
                        "bodies strain_energy",
                        name);
}

static tn_status choose_joint(const tn_recording *r, int joint, const char *name, tn_curve *out, tn_error *error)
{
    static const char *const forces[] = {"fx", "fy", "fz", "tx", "ty", "tz"};
    for (int k = 0; k < 6; k++) {
        if (strcmp(name, forces[k]) == 0) {
            *out = (tn_curve){k < 3 ? "joints/force" : "joints/torque", k < 3 ? "force on b [N]" : "torque on b [N m]",
                              3 * r->n_joints, 3 * joint + k % 3};
            return TN_OK;
        }
    }
    for (int q = r->joint_first[joint]; q < r->joint_first[joint + 1]; q++) {
        size_t length = strlen(r->coordinate_names[q]);
        const char *rest = name + length;
        bool slide = r->coordinate_names[q][0] == 's';
        if (strncmp(name, r->coordinate_names[q], length) != 0) {
            continue;
        }
        const char *column = !*rest                         ? "joints/coordinate"
                             : strcmp(rest, ".rate") == 0   ? "joints/rate"
                             : strcmp(rest, ".effort") == 0 ? "joints/effort"
                                                            : NULL;
        if (column) {
            *out = (tn_curve){column, slide ? "coordinate [m, m/s, N]" : "coordinate [rad, rad/s, N m]",
                              r->n_coordinates, q};
            return TN_OK;
        }
    }
    return tn_error_set(error, TN_BAD_INPUT,
                        "a joint has no component '%s'; there are: fx fy fz tx ty tz and, of its free coordinates, "
                        "slide slide2 turn turn2, each also with .rate and .effort",
                        name);
}

// Components go by number, or x y z of three and w x y z of four.
static tn_status choose_reading(const tn_recording *r, int sensor, const char *name, tn_curve *out, tn_error *error)
{
    static const char *const letters[] = {"w", "x", "y", "z"};
    int first = r->sensor_first[sensor], width = r->sensor_first[sensor + 1] - first;
    for (int k = 0; k < width; k++) {
        char number[12];
        snprintf(number, sizeof number, "%d", k);
        bool letter = width >= 3 && strcmp(name, letters[4 - width + k]) == 0;
        if (letter || strcmp(name, number) == 0) {
            const char *unit = r->sensor_units[sensor];
            *out = (tn_curve){"sensors/reading", unit[0] ? unit : r->sensor_types[sensor], r->n_readings, first + k};
            return TN_OK;
        }
    }
    return tn_error_set(error, TN_BAD_INPUT, "sensor '%s' has no component '%s': it reads %d number%s, from 0%s",
                        r->sensor_names[sensor], name, width, width == 1 ? "" : "s",
                        width == 3   ? ", or x y z"
                        : width == 4 ? ", or w x y z"
                                     : "");
}

// What has numbers of its own: KIND:NAME:COMPONENT.
typedef struct thing {
    const char *kind, *example;
    int (*find)(const tn_recording *r, const char *name); // -1: none
    tn_status (*choose)(const tn_recording *r, int which, const char *component, tn_curve *out, tn_error *error);
    int n;
    char **names;
} thing;

// NAME may hold brackets and dots, but no colon.
static tn_status find_thing(const tn_recording *r, const thing *is, const char *what, tn_curve *out, tn_error *error)
{
    char name[256];
    const char *begin = strchr(what, ':') + 1, *colon = strrchr(begin, ':');
    if (!colon || colon == begin || colon - begin >= (long)sizeof name) {
        return tn_error_set(error, TN_BAD_INPUT, "'%s' names no curve: write %s:NAME:COMPONENT, e.g. %s", what,
                            is->kind, is->example);
    }
    snprintf(name, sizeof name, "%.*s", (int)(colon - begin), begin);
    int which = is->find(r, name);
    if (which < 0) {
        const char *near = tn_name_nearest(name, is->n, (const char *const *)is->names);
        return tn_error_set(error, TN_BAD_INPUT, "%s has no %s '%s'%s%s%s", r->path, is->kind, name,
                            near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    return is->choose(r, which, colon + 1, out, error);
}

static const char contacts[] = "contacts", offsets[] = "contacts/offset";

tn_status tn_recording_find_curve(const tn_recording *recording, const char *name, tn_curve *out, tn_error *error)
{
    if (!recording || !name || !out) {
        return tn_error_set(error, TN_BAD_INPUT, "no recording, or no name of a curve");
    }
    const tn_recording *r = recording;
    const thing things[] = {
        {"body", "body:box:z", tn_recording_find_body, choose_body, r->n_bodies, r->names},
        {"joint", "joint:pin:turn", tn_recording_find_joint, choose_joint, r->n_joints, r->joint_names},
        {"sensor", "sensor:imu:x", tn_recording_find_sensor, choose_reading, r->n_sensors, r->sensor_names},
    };
    for (size_t k = 0; k < sizeof things / sizeof *things; k++) {
        size_t length = strlen(things[k].kind);
        if (strncmp(name, things[k].kind, length) == 0 && name[length] == ':') {
            return find_thing(r, &things[k], name, out, error);
        }
    }
    tn_quantity q;
    if (strcmp(name, contacts) == 0) {
        *out = (tn_curve){offsets, contacts, 1, 0};
        return TN_OK;
    }
    if (tn_recording_find(r, name, &q, NULL) != TN_OK || q.width != 1 || q.rows != r->n_frames) {
        return tn_error_set(error, TN_BAD_INPUT, "the recording has no curve '%s'", name);
    }
    *out = (tn_curve){q.name, q.about, 1, 0};
    return TN_OK;
}

// Of each frame, from where the contacts of all begin.
static tn_status count_contacts(const tn_recording *r, double *out, tn_error *error)
{
    double end;
    tn_status status = tn_recording_rows(r, offsets, 0, r->n_frames, out, error);
    status = status == TN_OK ? tn_recording_rows(r, offsets, r->n_frames, 1, &end, error) : status;
    for (long k = 0; status == TN_OK && k < r->n_frames; k++) {
        out[k] = (k + 1 < r->n_frames ? out[k + 1] : end) - out[k];
    }
    return status;
}

tn_status tn_recording_read_curve(const tn_recording *recording, const char *name, double *out, tn_error *error)
{
    tn_curve c;
    if (!out || tn_recording_find_curve(recording, name, &c, error) != TN_OK) {
        return out ? TN_BAD_INPUT : tn_error_set(error, TN_BAD_INPUT, "no room for a curve");
    }
    if (strcmp(name, contacts) == 0) {
        return count_contacts(recording, out, error);
    }
    if (c.width == 1) {
        return tn_recording_rows(recording, c.quantity, 0, recording->n_frames, out, error);
    }
    double *row = tn_calloc((size_t)c.width, sizeof *row);
    tn_status status = row ? TN_OK : tn_error_set(error, TN_NO_MEMORY, "no memory left to read '%s'", name);
    for (long frame = 0; status == TN_OK && frame < recording->n_frames; frame++) {
        status = tn_recording_rows(recording, c.quantity, frame, 1, row, error);
        out[frame] = row[c.place];
    }
    tn_free(row);
    return status;
}
