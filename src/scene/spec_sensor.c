// Tables of frames, and of sensors: where they sit, what they read, how noisy they are.
#include "scene/keys.h"

#define SENSOR(field) AT(tn_raw_sensor, field)

// In the order of tn_sensor_kind.
static const char *const types[] = {"coordinate",
                                    "rate",
                                    "motor",
                                    "effort",
                                    "force",
                                    "torque",
                                    "position",
                                    "orientation",
                                    "direction",
                                    "velocity",
                                    "angular_velocity",
                                    "acceleration",
                                    "angular_acceleration",
                                    "velocimeter",
                                    "gyroscope",
                                    "accelerometer",
                                    "contact_force",
                                    "touch",
                                    "range",
                                    "center",
                                    "center_velocity",
                                    "angular_momentum",
                                    NULL};

static const struct quantity {
    int width;
    tn_dimension unit, turning;
} quantities[TN_SENSOR_KINDS] = {
    [TN_SENSOR_COORDINATE] = {1, {1, 0, 0, 0}, {0, 0, 0, 1}},
    [TN_SENSOR_RATE] = {1, {1, 0, -1, 0}, {0, 0, -1, 1}},
    [TN_SENSOR_MOTOR] = {1, {1, 1, -2, 0}, {2, 1, -2, 0}},
    [TN_SENSOR_EFFORT] = {1, {1, 1, -2, 0}, {2, 1, -2, 0}},
    [TN_SENSOR_FORCE] = {3, {1, 1, -2, 0}, {0}},
    [TN_SENSOR_TORQUE] = {3, {2, 1, -2, 0}, {0}},
    [TN_SENSOR_POSITION] = {3, {1, 0, 0, 0}, {0}},
    [TN_SENSOR_ORIENTATION] = {4, {0}, {0}},
    [TN_SENSOR_DIRECTION] = {3, {0}, {0}},
    [TN_SENSOR_VELOCITY] = {3, {1, 0, -1, 0}, {0}},
    [TN_SENSOR_ANGULAR_VELOCITY] = {3, {0, 0, -1, 1}, {0}},
    [TN_SENSOR_ACCELERATION] = {3, {1, 0, -2, 0}, {0}},
    [TN_SENSOR_ANGULAR_ACCELERATION] = {3, {0, 0, -2, 1}, {0}},
    [TN_SENSOR_VELOCIMETER] = {3, {1, 0, -1, 0}, {0}},
    [TN_SENSOR_GYROSCOPE] = {3, {0, 0, -1, 1}, {0}},
    [TN_SENSOR_ACCELEROMETER] = {3, {1, 0, -2, 0}, {0}},
    [TN_SENSOR_CONTACT_FORCE] = {3, {1, 1, -2, 0}, {0}},
    [TN_SENSOR_TOUCH] = {1, {1, 1, -2, 0}, {0}},
    [TN_SENSOR_RANGE] = {1, {1, 0, 0, 0}, {0}},
    [TN_SENSOR_CENTER] = {3, {1, 0, 0, 0}, {0}},
    [TN_SENSOR_CENTER_VELOCITY] = {3, {1, 0, -1, 0}, {0}},
    [TN_SENSOR_ANGULAR_MOMENTUM] = {3, {2, 1, -1, 0}, {0}},
};

const char *tn_sensor_type(tn_sensor_kind kind)
{
    return types[kind];
}

int tn_sensor_width(tn_sensor_kind kind)
{
    return quantities[kind].width;
}

tn_dimension tn_sensor_dimension(tn_sensor_kind kind, bool turns)
{
    const struct quantity *q = quantities + kind;
    return turns && kind <= TN_SENSOR_EFFORT ? q->turning : q->unit;
}

#define MOUNT(field) AT(tn_raw_mount, field)
static const tn_key mount_keys[] = {
    {"body", TN_KEY_NAME, MOUNT(body), .required = true, .doc = "Body or `world`."},
    {"position", TN_KEY_VECTOR, MOUNT(position), METRES, ANY, .fallback = "[0, 0, 0]", .doc = "In the body's frame."},
    {"rotation", TN_KEY_SECTION, MOUNT(rotation), .section = &tn_section_rotation, .doc = "The same."},
};
static const tn_section mount_section = {"sensors.seen_from", "A frame that sees the sensor's mount.",
                                         sizeof(tn_raw_mount), "body", KEYS(mount_keys)};
const tn_section tn_section_frame = {"frames",
                                     "Named places on bodies, for programs that ask for them (tools, cameras).",
                                     sizeof(tn_raw_mount), "body", KEYS(mount_keys)};

static const tn_key sensor_keys[] = {
    {"type", TN_KEY_CHOICE, SENSOR(type), .choices = types, .required = true,
     .doc = "Of a joint: `coordinate`, `rate`, `effort` of a free coordinate (of springs, motor, friction, limits), "
            "`motor` (its motor, and what a program gives); `force`, `torque` on its second body. Of "
            "a mount on a body, world axes: `position`, `orientation` (w, x, y, z), `direction` of its z, `velocity`, "
            "`angular_velocity`, "
            "`acceleration`, `angular_acceleration`; mount's axes: `velocimeter`, `gyroscope`, `accelerometer` (at "
            "rest: g upward), `contact_force` on the body, `touch` (sum of normal forces), `range` (along z to the "
            "first other body). Of several bodies together, world axes: `center` of mass, `center_velocity`, "
            "`angular_momentum` about it."},
    {"joint", TN_KEY_NAME, SENSOR(joint), .doc = "The joint."},
    {"coordinate", TN_KEY_NAME, SENSOR(coordinate), .doc = "Default: the joint's first."},
    {"body", TN_KEY_NAME, SENSOR(body),
     .doc = "Body or `world` with the mount. For `force` and `torque`: axes and origin. Default: the joint's frame on "
            "its second body."},
    {"position", TN_KEY_VECTOR, SENSOR(position), METRES, ANY, .fallback = "[0, 0, 0]",
     .doc = "Of the mount in the body's frame."},
    {"rotation", TN_KEY_SECTION, SENSOR(rotation), .section = &tn_section_rotation, .doc = "The same."},
    {"seen_from", TN_KEY_SECTION, SENSOR(seen_from), .section = &mount_section,
     .doc = "`position` to `angular_velocity`: as seen from this frame, in its axes, as it moves. Default: the world."},
    {"bodies", TN_KEY_NAMES, SENSOR(bodies), .low_count = 1, .high_count = COUNT_MAX,
     .doc = "`center`, `center_velocity`, `angular_momentum`: rigid bodies with mass."},
    {"pad", TN_KEY_VECTOR, SENSOR(pad), METRES, .low = LENGTH_MIN, .high = LARGE,
     .doc = "`contact_force`, `touch`: box about the mount outside which contacts are ignored."},
    {"reach", TN_KEY_NUMBER, SENSOR(reach), METRES, UP_TO_RIGID, .fallback = "infinite",
     .doc = "`range`: reading where nothing is nearer."},
    {"scale", TN_KEY_NUMBER, SENSOR(scale), ANY, .fallback = "1",
     .doc = "`coordinate`, `rate`, `motor`, `effort`: the reading is so many times it,"},
    {"offset", TN_KEY_MEASURE, SENSOR(offset), .doc = "and this more."},
    {"noise", TN_KEY_MEASURE, SENSOR(noise),
     .doc = "Standard deviation of normal noise, by `seed`, sensor name, step and state of a batch; not for "
            "`orientation`."},
};
const tn_section tn_section_sensor = {"sensors",
                                      "Named sensors, read after each step and recorded. Forces are the step's; "
                                      "accelerations are velocity changes over it.",
                                      sizeof(tn_raw_sensor), NULL, KEYS(sensor_keys)};
