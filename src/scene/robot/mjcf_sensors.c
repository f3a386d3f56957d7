// MJCF: sensors of the kinds that a scene has too; others are left out, and remarked.
#include "math/quat.h"
#include "math/vec3.h"
#include "scene/robot/mjcf.h"

#include <math.h>
#include <string.h>

static const double PI = 3.14159265358979323846;

static const struct word {
    const char *name;
    tn_sensor_kind kind;
} words[] = {
    {"accelerometer", TN_SENSOR_ACCELEROMETER},
    {"gyro", TN_SENSOR_GYROSCOPE},
    {"velocimeter", TN_SENSOR_VELOCIMETER},
    {"force", TN_SENSOR_FORCE},
    {"torque", TN_SENSOR_TORQUE},
    {"touch", TN_SENSOR_TOUCH},
    {"rangefinder", TN_SENSOR_RANGE},
    {"jointpos", TN_SENSOR_COORDINATE},
    {"jointvel", TN_SENSOR_RATE},
    {"tendonpos", TN_SENSOR_COORDINATE},
    {"tendonvel", TN_SENSOR_RATE},
    {"actuatorpos", TN_SENSOR_COORDINATE},
    {"actuatorvel", TN_SENSOR_RATE},
    {"jointactuatorfrc", TN_SENSOR_MOTOR},
    {"tendonactuatorfrc", TN_SENSOR_MOTOR},
    {"actuatorfrc", TN_SENSOR_MOTOR},
    {"ballquat", TN_SENSOR_ORIENTATION},
    {"framepos", TN_SENSOR_POSITION},
    {"framequat", TN_SENSOR_ORIENTATION},
    {"framexaxis", TN_SENSOR_DIRECTION},
    {"frameyaxis", TN_SENSOR_DIRECTION},
    {"framezaxis", TN_SENSOR_DIRECTION},
    {"framelinvel", TN_SENSOR_VELOCITY},
    {"frameangvel", TN_SENSOR_ANGULAR_VELOCITY},
    {"framelinacc", TN_SENSOR_ACCELERATION},
    {"frameangacc", TN_SENSOR_ANGULAR_ACCELERATION},
    {"subtreecom", TN_SENSOR_CENTER},
    {"subtreelinvel", TN_SENSOR_CENTER_VELOCITY},
    {"subtreeangmom", TN_SENSOR_ANGULAR_MOMENTUM},
};
enum { N_WORDS = sizeof words / sizeof *words };

// Not read: false, with a remark; the run goes on without it.
static bool leave_out(tn_mjcf *m, const tn_xml *element)
{
    const char *name = tn_xml_get(element, "name");
    tn_read_remark(m->reader, element->place, "sensor '%.60s' (%.40s) is left out", name ? name : "", element->name);
    return false;
}

static bool take_site(tn_mjcf *m, const tn_xml *element, tn_robot_sensor *out, bool *good)
{
    int site = tn_mjcf_lookup(m, element, "site", &m->site_names, "site");
    *good = site >= 0;
    if (*good) {
        out->link = m->robot->sites[site].link;
        out->mount = m->robot->sites[site].pose;
        for (int k = 0; k < 3 && out->kind == TN_SENSOR_TOUCH; k++) {
            out->pad[k] = 2.0 * m->robot->sites[site].size[k];
        }
    }
    return *good;
}

// A frame by the attributes that tell its type and name: of a site, of a geom (not of a file, which MuJoCo turns into
// principal axes), a body's own frame, or (body) its center of mass, whose axes, the principal ones, nobody reads here.
// False with *good: it is none of these.
static bool find_frame(tn_mjcf *m, const tn_xml *element, const char *const attribute[2], bool axes, int *link,
                       tn_pose *mount, bool *good)
{
    static const char *const types[] = {"site", "geom", "xbody", "body"};
    const tn_names *const names[] = {&m->site_names, &m->geoms, &m->links, &m->links};
    const char *type = tn_xml_get(element, attribute[0]);
    int k = type ? 0 : 4;
    while (k < 4 && strcmp(types[k], type) != 0) {
        k++;
    }
    if (k == 4 || (k == 3 && axes)) {
        return leave_out(m, element);
    }
    const char *name = tn_xml_get(element, attribute[1]);
    bool world = k > 1 && name && strcmp(name, "world") == 0;
    int id = world ? -1 : tn_mjcf_lookup(m, element, attribute[1], names[k], k > 1 ? "body" : types[k]);
    *good = world || id >= 0;
    if (k == 0 && *good) {
        *link = m->robot->sites[id].link;
        *mount = m->robot->sites[id].pose;
    } else if (k == 1 && *good) {
        const tn_robot_geom *geom = &m->robot->geoms[id];
        *link = geom->link;
        *mount = geom->pose;
        return (geom->shape.kind != TN_SHAPE_HULL && geom->shape.kind != TN_SHAPE_HEIGHTS) || leave_out(m, element);
    } else if (*good) {
        *link = id;
        tn_vec3_copy(mount->position, k == 3 && !world ? m->robot->links[id].inertia.center : mount->position);
    }
    return *good;
}

// Of frames, in the world's axes; the mount's z goes where the axis is that is read.
static bool take_frame(tn_mjcf *m, const tn_xml *element, tn_robot_sensor *out, bool *good)
{
    static const char *const object[2] = {"objtype", "objname"}, *const reference[2] = {"reftype", "refname"};
    bool axes = out->kind == TN_SENSOR_ORIENTATION || out->kind == TN_SENSOR_DIRECTION;
    out->seen = tn_xml_get(element, "reftype") != NULL;
    if (out->kind == TN_SENSOR_ACCELERATION) {
        tn_read_remark(m->reader, element->place, "<framelinacc> reads the motion alone: at rest 0, not g upward");
    }
    if (!find_frame(m, element, object, axes, &out->link, &out->mount, good) ||
        (out->seen && !find_frame(m, element, reference, true, &out->seen_link, &out->seen_mount, good))) {
        return false;
    }
    if (out->kind == TN_SENSOR_DIRECTION && element->name[5] != 'z') {
        static const double x[3] = {1.0, 0.0, 0.0}, y[3] = {0.0, 1.0, 0.0};
        double turn[4];
        bool of_x = element->name[5] == 'x';
        tn_quat_from_axis_angle(turn, of_x ? y : x, of_x ? 0.5 * PI : -0.5 * PI);
        tn_quat_mul(out->mount.quaternion, out->mount.quaternion, turn);
    }
    return true;
}

static bool take_joint(tn_mjcf *m, const tn_xml *element, tn_robot_sensor *out, bool *good)
{
    int joint = tn_mjcf_lookup(m, element, "joint", &m->joints, "joint");
    *good = joint >= 0;
    out->of = joint < 0 ? NULL : &m->robot->joints[joint];
    if (*good && out->of->freedom < TN_ROBOT_HINGE) {
        *good = tn_mjcf_fail(m, element, "<%.40s> is of a hinge or slide", element->name);
    }
    return *good;
}

// The quaternion of a ball joint: of its link, as what carries it sees it, counted from where the joint is at zero.
static bool take_ball(tn_mjcf *m, const tn_xml *element, tn_robot_sensor *out, bool *good)
{
    int joint = tn_mjcf_lookup(m, element, "joint", &m->joints, "joint");
    const tn_robot_joint *of = joint < 0 ? NULL : &m->robot->joints[joint];
    *good = of && (of->freedom == TN_ROBOT_BALL || tn_mjcf_fail(m, element, "<%.40s> is of a ball joint", "ballquat"));
    if (!*good) {
        return false;
    }
    const tn_robot_link *link = &m->robot->links[of->link];
    out->link = of->link;
    out->seen = true;
    out->seen_link = link->parent;
    out->seen_mount = link->pose;
    return link->n_joints == 1 || leave_out(m, element);
}

// Whether a tendon pulls at points.
static bool has_cord(const tn_robot *robot)
{
    bool any = false;
    for (int i = 0; i < robot->n_tendons; i++) {
        any = any || (robot->tendons[i].n > 0 && robot->tendons[i].term[0].joint < 0);
    }
    return any;
}

// How many actuators act on a coordinate.
static int n_drivers(const tn_mjcf *m, const tn_robot_joint *of)
{
    int n = 0;
    for (int k = 0; k < m->n_controls; k++) {
        n += m->actuators[k].of == of;
    }
    return n;
}

// The length of a tendon, or what an actuator acts on times its gear; the force along it.
static bool take_length(tn_mjcf *m, const tn_xml *element, tn_robot_sensor *out, bool *good)
{
    bool tendon = element->name[0] == 't';
    tn_mjcf_length length = {.of = NULL};
    *good = tn_mjcf_length_of(m, element, -1, tendon ? "tendon" : "actuator", tendon ? "tendon" : "actuator",
                              tendon ? m->tendons : m->actuators, &length) != NULL;
    out->of = length.of;
    out->scale = length.ratio;
    out->offset = length.offset;
    bool force =
        out->kind == TN_SENSOR_MOTOR; // along the length; of one of several that act on a joint nobody knows it
    if (force) {
        out->scale = length.ratio != 0.0 ? 1.0 / length.ratio : 1.0;
        out->offset = 0.0;
    }
    return (length.of && (!force || n_drivers(m, length.of) == 1)) || (*good && leave_out(m, element));
}

// Of a body and all that hangs on it, which is one with nothing else.
static bool take_subtree(tn_mjcf *m, const tn_xml *element, tn_robot_sensor *out, bool *good)
{
    const char *name = tn_xml_get(element, "body");
    bool world = name && strcmp(name, "world") == 0;
    out->link = world ? -1 : tn_mjcf_lookup(m, element, "body", &m->links, "body");
    *good = world || out->link >= 0;
    const tn_robot_link *links = m->robot->links;
    double still = 0.0, moving = 0.0;
    for (int i = 0; *good && i < m->robot->n_links; i++) {
        if (tn_robot_hangs_on(m->robot, i, out->link)) {
            *(links[i].fixed ? &still : &moving) += links[i].inertia.mass;
        }
    }
    if (*good && (moving == 0.0 || (!world && !links[out->link].fixed && links[out->link].body != out->link))) {
        return leave_out(m, element);
    }
    if (still > 0.0) {
        tn_read_remark(m->reader, element->place, "<%.40s> is without the mass of what stands still", element->name);
    }
    return *good;
}

// Whether it is a sensor of the scene; false with *good: it is left out.
static bool take(tn_mjcf *m, const tn_xml *element, tn_robot_sensor *out, bool *good)
{
    if (out->kind <= TN_SENSOR_MOTOR) {
        return (element->name[0] == 'j' ? take_joint : take_length)(m, element, out, good);
    }
    if (tn_xml_is(element, "ballquat")) {
        return take_ball(m, element, out, good);
    }
    if (strncmp(element->name, "frame", 5) == 0) {
        return take_frame(m, element, out, good);
    }
    if (out->kind >= TN_SENSOR_CENTER) {
        return take_subtree(m, element, out, good);
    }
    if (!tn_xml_get(element, "site")) {
        return leave_out(m, element); // a rangefinder of a camera
    }
    if (!take_site(m, element, out, good)) {
        return false;
    }
    bool wrench = out->kind == TN_SENSOR_FORCE || out->kind == TN_SENSOR_TORQUE;
    const tn_robot_link *link = out->link < 0 ? NULL : &m->robot->links[out->link];
    const tn_robot_joint *joint = link && link->n_joints > 0 ? &m->robot->joints[link->first_joint] : NULL;
    bool held = link && (link->apart || (joint && joint->freedom != TN_ROBOT_FREE));
    if (out->kind == TN_SENSOR_TORQUE && joint && joint->freedom == TN_ROBOT_BALL &&
        joint->stiffness + joint->damping > 0.0) {
        tn_read_remark(m->reader, element->place, "<torque> is without that of the ball's spring and damper");
    }
    if (wrench && held && has_cord(m->robot)) {
        tn_read_remark(m->reader, element->place, "<%.40s> is of the joint alone: spatial tendons pass it by",
                       element->name);
    }
    return !wrench || held || leave_out(m, element);
}

static bool is_wrench(const tn_xml *element)
{
    return (tn_xml_is(element, "force") || tn_xml_is(element, "torque")) && tn_xml_get(element, "site");
}

// Parts of one body whose weight is not taken off alike: the force acts at their own center of mass.
static bool mark_lifted(tn_mjcf *m)
{
    tn_robot_link *links = m->robot->links;
    int *with = TN_PUSH(m->reader->scratch, int, m->robot->n_links); // the first link of what each is one with
    double *lift = TN_PUSH(m->reader->scratch, double, m->robot->n_links);
    if (!with || !lift) {
        return tn_read_no_memory(m->reader);
    }
    for (int i = 0; i < m->robot->n_links; i++) { // parents come first
        bool joined = links[i].n_joints == 0 && links[i].parent >= 0, heavy = links[i].inertia.mass > 0.0;
        with[i] = joined ? with[links[i].parent] : i;
        lift[i] = NAN; // of the first part that weighs something
        links[i].apart = joined && heavy && fabs(links[i].lift - lift[with[i]]) > 0.0;
        with[i] = links[i].apart ? i : with[i];
        if (heavy && isnan(lift[with[i]])) {
            lift[with[i]] = links[i].lift;
        }
    }
    return true;
}

bool tn_mjcf_mark_apart(tn_mjcf *m)
{
    tn_robot_link *links = m->robot->links;
    double *mass = TN_PUSH(m->reader->scratch, double, m->robot->n_links); // with all that is welded to it
    if (!mass) {
        return tn_read_no_memory(m->reader);
    }
    if (!mark_lifted(m)) {
        return false;
    }
    for (int i = m->robot->n_links - 1; i >= 0; i--) { // parents come first
        mass[i] += links[i].inertia.mass;
        if (links[i].n_joints == 0 && links[i].parent >= 0) {
            mass[links[i].parent] += mass[i];
        }
    }
    tn_mjcf_cursor at = {0};
    for (const tn_xml *element; (element = tn_mjcf_next(m, "sensor", &at));) {
        tn_robot_sensor sensor = {.link = -1};
        bool good;
        if (is_wrench(element) && !take_site(m, element, &sensor, &good)) {
            return false;
        }
        if (sensor.link >= 0 && mass[sensor.link] > 0.0) {
            links[sensor.link].apart = true;
        }
    }
    return true;
}

// False with the error set.
static bool read_sensor(tn_mjcf *m, const tn_xml *element)
{
    int k = 0, n;
    while (k < N_WORDS && !tn_xml_is(element, words[k].name)) {
        k++;
    }
    if (k == N_WORDS) {
        return !leave_out(m, element);
    }
    const char *name = tn_xml_get(element, "name");
    double cutoff = 0.0;
    bool good = true;
    tn_robot_sensor sensor = {.name = name ? name : tn_robot_text(m->reader, "sensor%d", m->robot->n_sensors + 1),
                              .place = element->place,
                              .kind = words[k].kind,
                              .scale = 1.0,
                              .link = -1,
                              .mount = {.quaternion = {1.0, 0.0, 0.0, 0.0}},
                              .seen_link = -1,
                              .seen_mount = {.quaternion = {1.0, 0.0, 0.0, 0.0}},
                              .reach = INFINITY};
    if (!sensor.name || !tn_mjcf_check(m, element, "sensor") ||
        !tn_xml_numbers(m->reader, element, "noise", 1, 1, &sensor.noise, &n) ||
        !tn_xml_numbers(m->reader, element, "cutoff", 1, 1, &cutoff, &n)) {
        return false;
    }
    if (!(sensor.noise >= 0.0) || !(cutoff >= 0.0)) {
        return tn_mjcf_fail(m, element, "'noise' and 'cutoff' of <%.40s> are not negative", element->name);
    }
    if (cutoff > 0.0 && sensor.kind == TN_SENSOR_RANGE) {
        sensor.reach = cutoff;
    } else if (cutoff > 0.0) {
        tn_read_remark(m->reader, element->place, "'cutoff' of <%.40s> is left out", element->name);
    }
    sensor.noise = sensor.kind == TN_SENSOR_ORIENTATION ? 0.0 : sensor.noise;
    if (take(m, element, &sensor, &good)) {
        m->robot->sensors[m->robot->n_sensors++] = sensor;
    }
    return good;
}

bool tn_mjcf_read_sensors(tn_mjcf *m)
{
    tn_mjcf_cursor at = {0};
    int n = 0;
    while (tn_mjcf_next(m, "sensor", &at)) {
        n++;
    }
    m->robot->sensors = TN_PUSH(m->reader->scratch, tn_robot_sensor, n);
    if (!m->robot->sensors) {
        return tn_read_no_memory(m->reader);
    }
    at = (tn_mjcf_cursor){0};
    for (const tn_xml *element; (element = tn_mjcf_next(m, "sensor", &at));) {
        if (!read_sensor(m, element)) {
            return false;
        }
    }
    return true;
}
