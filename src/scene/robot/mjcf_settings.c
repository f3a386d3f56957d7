// MJCF: compiler, option, and the tree of default classes; how attributes are looked up in it.
#include "math/mat3.h"
#include "math/quat.h"
#include "scene/robot/mjcf.h"
#include "shape/pose.h"

#include <math.h>
#include <string.h>

bool tn_mjcf_fail(tn_mjcf *m, const tn_xml *element, const char *format, const char *text)
{
    return tn_read_error(m->reader, element->place, format, text);
}

const tn_xml *tn_mjcf_next(const tn_mjcf *m, const char *section, tn_mjcf_cursor *at)
{
    for (; at->section < m->root->n; at->section++, at->child = 0) {
        const tn_xml *part = m->root->child[at->section];
        if (tn_xml_is(part, section) && at->child < part->n) {
            return part->child[at->child++];
        }
    }
    return NULL;
}

int tn_mjcf_class_of(tn_mjcf *m, const tn_xml *element, const char *childclass)
{
    const char *name = tn_xml_get(element, "class");
    name = name ? name : childclass;
    for (int i = 0; name && i < m->n_classes; i++) {
        bool own = m->classes[i].model == element->model || m->classes[i].model < 0;
        if (own && strcmp(m->classes[i].name, name) == 0) {
            return i;
        }
    }
    if (name) {
        tn_mjcf_fail(m, element, "no default class '%.100s'", name);
    }
    return name ? -1 : m->rules[element->model].class;
}

bool tn_mjcf_is_actuator(const tn_xml *element)
{
    static const char *const kinds[] = {"motor",       "position", "velocity", "general",
                                        "intvelocity", "damper",   "muscle",   "adhesion"};
    size_t k = 0, n = sizeof kinds / sizeof *kinds;
    while (k < n && !tn_xml_is(element, kinds[k])) {
        k++;
    }
    return k < n;
}

// Whether a default is of an element's kind. Actuators are of one kind, written in several ways.
static bool is_default_of(const tn_xml *node, const tn_xml *element)
{
    bool tendon = tn_xml_is(element, "fixed") || tn_xml_is(element, "spatial");
    return tn_xml_is(node, tendon ? "tendon" : element->name) ||
           (tn_mjcf_is_actuator(element) && tn_mjcf_is_actuator(node));
}

const tn_xml *tn_mjcf_holder(const tn_mjcf *m, const tn_xml *element, int class, const char *attribute)
{
    if (tn_xml_get(element, attribute)) {
        return element;
    }
    for (int c = class; c >= 0; c = m->classes[c].parent) {
        const tn_xml *node = m->classes[c].node;
        for (int i = node ? node->n - 1 : -1; i >= 0; i--) {
            if (is_default_of(node->child[i], element) && tn_xml_get(node->child[i], attribute)) {
                return node->child[i];
            }
        }
    }
    return NULL;
}

const char *tn_mjcf_get(const tn_mjcf *m, const tn_xml *element, int class, const char *attribute)
{
    const tn_xml *holder = tn_mjcf_holder(m, element, class, attribute);
    return holder ? tn_xml_get(holder, attribute) : NULL;
}

bool tn_mjcf_numbers(tn_mjcf *m, const tn_xml *element, int class, const char *attribute, int low, int high,
                     double *value, int *n)
{
    const tn_xml *holder = tn_mjcf_holder(m, element, class, attribute);
    *n = 0;
    return !holder || tn_xml_numbers(m->reader, holder, attribute, low, high, value, n);
}

bool tn_mjcf_number(tn_mjcf *m, const tn_xml *element, int class, const char *attribute, double *value)
{
    int n;
    return tn_mjcf_numbers(m, element, class, attribute, 1, 1, value, &n);
}

static bool choose(tn_mjcf *m, const tn_xml *element, int class, const char *attribute, tn_mjcf_choice *value)
{
    static const char *const words[] = {"false", "true", "auto"};
    const tn_xml *holder = tn_mjcf_holder(m, element, class, attribute);
    if (!holder) {
        return true;
    }
    for (int i = 0; i < 3; i++) {
        if (strcmp(tn_xml_get(holder, attribute), words[i]) == 0) {
            *value = (tn_mjcf_choice)i;
            return true;
        }
    }
    return tn_read_error(m->reader, holder->place, "'%s' is '%.40s', expected true, false or auto", attribute,
                         tn_xml_get(holder, attribute));
}

bool tn_mjcf_limited(tn_mjcf *m, const tn_xml *element, int class, const char *word, const char *range, bool *limited)
{
    tn_mjcf_choice said = TN_MJCF_AUTO;
    double ends[2] = {0.0, 0.0};
    int n;
    if (!tn_mjcf_numbers(m, element, class, range, 2, 2, ends, &n) || !choose(m, element, class, word, &said)) {
        return false;
    }
    bool there = ends[0] != 0.0 || ends[1] != 0.0; // two zeros say none, where a class says some
    if (said == TN_MJCF_AUTO && there && !m->rules[element->model].autolimits) {
        return tn_read_error(m->reader, element->place, "'%s' needs %s=\"true\" beside it, as 'autolimits' is off",
                             range, word);
    }
    if (said == TN_MJCF_YES && !there) {
        return tn_read_error(m->reader, element->place, "%s=\"true\" needs a '%s'", word, range);
    }
    *limited = said == TN_MJCF_YES || (said == TN_MJCF_AUTO && there);
    return true;
}

double tn_mjcf_angle(const tn_mjcf *m, const tn_xml *element, double value)
{
    return m->rules[element->model].radians ? value : value * (M_PI / 180.0);
}

// Turns one after another, about axes that turn along (small letters) or stay (capitals).
void tn_mjcf_euler(const tn_mjcf *m, const tn_xml *element, const double angle[3], double q[4])
{
    const char *order = m->rules[element->model].euler;
    tn_quat_identity(q);
    for (int i = 0; i < 3; i++) {
        bool small = order[i] >= 'x';
        int axis = order[i] - (small ? 'x' : 'X');
        double turn[4], along[3] = {axis == 0, axis == 1, axis == 2};
        tn_quat_from_axis_angle(turn, along, tn_mjcf_angle(m, element, angle[i]));
        tn_quat_mul(q, small ? q : turn, small ? turn : q);
    }
}

// x and y, the latter as far as it is across.
static bool axes_quaternion(const double v[6], double q[4])
{
    double x[3], y[3], z[3], columns[9];
    double length = tn_vec3_norm(v);
    tn_vec3_scale(x, 1.0 / length, v);
    tn_vec3_madd(y, v + 3, -tn_vec3_dot(v + 3, x), x);
    double across = tn_vec3_norm(y);
    tn_vec3_scale(y, 1.0 / across, y);
    tn_vec3_cross(z, x, y);
    for (int i = 0; i < 3; i++) {
        columns[3 * i] = x[i];
        columns[3 * i + 1] = y[i];
        columns[3 * i + 2] = z[i];
    }
    tn_quat_from_mat3(q, columns);
    return length > 1e-9 && across > 1e-9 * tn_vec3_norm(v + 3);
}

// The least turn from z to the direction.
static bool z_quaternion(const double v[3], double q[4])
{
    double axis[3], length = tn_vec3_norm(v);
    tn_vec3_cross(axis, (double[3]){0.0, 0.0, 1.0}, v);
    double across = tn_vec3_norm(axis);
    if (across < 1e-12 * length) {
        tn_vec3_set(axis, 1.0, 0.0, 0.0);
    }
    tn_quat_from_axis_angle(q, axis, atan2(across, v[2]));
    return length > 1e-9;
}

static bool orientation(tn_mjcf *m, const tn_xml *holder, const char *attribute, int count, double q[4])
{
    double v[6];
    int n;
    bool good = true;
    if (!tn_xml_numbers(m->reader, holder, attribute, count, count, v, &n)) {
        return false;
    }
    switch (attribute[0]) {
    case 'q':
        good = v[0] * v[0] + v[1] * v[1] + v[2] * v[2] + v[3] * v[3] > 1e-18;
        memcpy(q, v, 4 * sizeof *q);
        break;
    case 'a':
        good = tn_vec3_norm(v) > 1e-9;
        tn_quat_from_axis_angle(q, v, tn_mjcf_angle(m, holder, v[3]));
        break;
    case 'e':
        tn_mjcf_euler(m, holder, v, q);
        break;
    case 'x':
        good = axes_quaternion(v, q);
        break;
    default:
        good = z_quaternion(v, q);
    }
    if (good) {
        tn_quat_normalize(q);
    }
    return good || tn_read_error(m->reader, holder->place, "'%s' gives no orientation", attribute);
}

// The element's own way of saying it goes before its class's.
static bool find_orientation(tn_mjcf *m, const tn_xml *element, int class, double q[4])
{
    static const struct {
        const char *name;
        int count;
    } ways[] = {{"quat", 4}, {"axisangle", 4}, {"euler", 3}, {"xyaxes", 6}, {"zaxis", 3}};
    const tn_xml *holder = NULL;
    size_t way = 0;
    int said = 0;
    for (size_t i = 0; i < 5; i++) {
        const tn_xml *h = tn_mjcf_holder(m, element, class, ways[i].name);
        said += h == element;
        if (h && (!holder || h == element)) {
            holder = h;
            way = i;
        }
    }
    tn_quat_identity(q);
    if (said > 1) {
        return tn_mjcf_fail(m, element, "<%.60s> says its orientation twice", element->name);
    }
    return !holder || orientation(m, holder, ways[way].name, ways[way].count, q);
}

bool tn_mjcf_pose(tn_mjcf *m, const tn_xml *element, int class, const tn_pose *frame, tn_pose *pose)
{
    int n;
    *pose = (tn_pose){.quaternion = {1.0, 0.0, 0.0, 0.0}};
    if (!tn_mjcf_numbers(m, element, class, "pos", 3, 3, pose->position, &n) ||
        !find_orientation(m, element, class, pose->quaternion)) {
        return false;
    }
    if (frame) {
        tn_pose_join(pose, frame, pose);
    }
    return true;
}

// ---- sections

static bool read_flag(tn_mjcf *m, const tn_xml *element, const char *attribute, bool *value)
{
    tn_mjcf_choice choice = *value ? TN_MJCF_YES : TN_MJCF_NO;
    bool good = choose(m, element, -1, attribute, &choice);
    *value = choice == TN_MJCF_YES;
    return good;
}

static bool read_words(tn_mjcf *m, const tn_xml *element)
{
    const char *angle = tn_xml_get(element, "angle"), *coordinate = tn_xml_get(element, "coordinate");
    const char *euler = tn_xml_get(element, "eulerseq");
    tn_mjcf_rules *rules = &m->rules[element->model];
    if (angle) {
        rules->radians = strcmp(angle, "radian") == 0;
        if (!rules->radians && strcmp(angle, "degree") != 0) {
            return tn_mjcf_fail(m, element, "'angle' is '%.40s', expected degree or radian", angle);
        }
    }
    rules->global = coordinate ? strcmp(coordinate, "global") == 0 : rules->global;
    if (rules->global && element->model > 0) {
        return tn_mjcf_fail(m, element, "a file with coordinate=\"global\" is not attached%s", "");
    }
    if (coordinate && !rules->global && strcmp(coordinate, "local") != 0) {
        return tn_mjcf_fail(m, element, "'coordinate' is '%.40s', expected local or global", coordinate);
    }
    if (euler) {
        if (strlen(euler) != 3 || strspn(euler, "xyzXYZ") != 3) {
            return tn_mjcf_fail(m, element, "'eulerseq' is '%.40s', expected three of x y z X Y Z", euler);
        }
        rules->euler = euler;
    }
    const char *assets = tn_xml_get(element, "assetdir"), *meshes = tn_xml_get(element, "meshdir");
    rules->meshdir = meshes ? meshes : assets ? assets : rules->meshdir;
    return true;
}

// What the compiler does with all bodies; the main file says it.
static bool read_bounds(tn_mjcf *m, const tn_xml *element)
{
    static const char *const words[] = {"balanceinertia", "boundmass", "boundinertia", "settotalmass"};
    int n;
    for (int i = 0; element->model > 0 && i < 4; i++) {
        if (tn_xml_get(element, words[i])) {
            tn_read_remark(m->reader, element->place, "'%s' of an attached file is left out", words[i]);
        }
    }
    return element->model > 0 ||
           (read_flag(m, element, "balanceinertia", &m->robot->balance) &&
            tn_xml_numbers(m->reader, element, "boundmass", 1, 1, &m->robot->least_mass, &n) &&
            tn_xml_numbers(m->reader, element, "boundinertia", 1, 1, &m->robot->least_inertia, &n) &&
            tn_xml_numbers(m->reader, element, "settotalmass", 1, 1, &m->robot->total_mass, &n));
}

static bool read_compiler(tn_mjcf *m, const tn_xml *element)
{
    tn_mjcf_rules *rules = &m->rules[element->model];
    int n;
    return tn_mjcf_check(m, element, NULL) && read_words(m, element) &&
           read_flag(m, element, "autolimits", &rules->autolimits) &&
           read_flag(m, element, "strippath", &rules->strippath) &&
           read_flag(m, element, "fitaabb", &rules->fits_boxes) && read_bounds(m, element) &&
           choose(m, element, -1, "inertiafromgeom", &rules->from_geoms) &&
           tn_xml_numbers(m->reader, element, "inertiagrouprange", 2, 2, rules->groups, &n);
}

static bool is_off(const tn_xml *flag, const char *name)
{
    const char *said = tn_xml_get(flag, name);
    return said && strcmp(said, "disable") == 0;
}

static void switch_off(const tn_xml *flag, const char *name, const char *all, bool *off)
{
    *off = *off || is_off(flag, name) || is_off(flag, all);
}

static void read_flags(tn_mjcf *m, const tn_xml *flag)
{
    if (is_off(flag, "gravity")) {
        tn_vec3_set(m->robot->gravity, 0.0, 0.0, 0.0);
    }
    if (is_off(flag, "filterparent")) {
        tn_read_remark(m->reader, flag->place, "flag 'filterparent' is left out: a body and its parent do not touch");
    }
    switch_off(flag, "contact", "constraint", &m->untouchable);
    switch_off(flag, "equality", "constraint", &m->no_equalities);
    switch_off(flag, "limit", "constraint", &m->no_limits);
    switch_off(flag, "frictionloss", "constraint", &m->no_friction);
    switch_off(flag, "spring", "passive", &m->no_springs);
    switch_off(flag, "damper", "passive", &m->no_dampers);
    switch_off(flag, "gravcomp", "passive", &m->no_lift);
    switch_off(flag, "actuation", "actuation", &m->no_motors);
}

// Groups of actuators that do nothing, 0 to 30.
static bool read_idle_groups(tn_mjcf *m, const tn_xml *element)
{
    double group[31];
    int n = 0;
    if (!tn_xml_numbers(m->reader, element, "actuatorgroupdisable", 0, 31, group, &n)) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        if (!(group[i] >= 0.0 && group[i] <= 30.0)) {
            return tn_mjcf_fail(m, element, "groups of 'actuatorgroupdisable' are from 0 to 30%s", "");
        }
        m->idle_groups |= 1U << (unsigned)group[i];
    }
    return true;
}

static bool read_option(tn_mjcf *m, const tn_xml *element)
{
    int n;
    if (!tn_mjcf_check(m, element, NULL) ||
        !tn_xml_numbers(m->reader, element, "timestep", 1, 1, &m->robot->step, &n) ||
        !tn_xml_numbers(m->reader, element, "gravity", 3, 3, m->robot->gravity, &n) || !read_idle_groups(m, element)) {
        return false;
    }
    const char *collision = tn_xml_get(element, "collision");
    m->pairs_alone = collision ? strcmp(collision, "predefined") == 0 : m->pairs_alone;
    m->no_pairs = collision ? strcmp(collision, "dynamic") == 0 : m->no_pairs;
    if (collision && !m->pairs_alone && !m->no_pairs && strcmp(collision, "all") != 0) {
        return tn_mjcf_fail(m, element, "'collision' is '%.40s', expected all, predefined or dynamic", collision);
    }
    m->robot->settings = element->place;
    read_flags(m, tn_xml_child(element, "flag"));
    return true;
}

void tn_mjcf_switch_off(const tn_mjcf *m, double *stiffness, double *damping, double *friction, double range[2])
{
    *stiffness = m->no_springs ? 0.0 : *stiffness;
    *damping = m->no_dampers ? 0.0 : *damping;
    *friction = m->no_friction ? 0.0 : *friction;
    if (m->no_limits) {
        range[0] = -INFINITY;
        range[1] = INFINITY;
    }
}

// The children of both, those of `more` last: they count where both say something.
static const tn_xml *join(tn_mjcf *m, const tn_xml *first, const tn_xml *more)
{
    tn_xml *both = TN_PUSH(m->reader->scratch, tn_xml, 1);
    tn_xml **child = TN_PUSH(m->reader->scratch, tn_xml *, first->n + more->n);
    if (!both || !child) {
        tn_read_no_memory(m->reader);
        return NULL;
    }
    for (int i = 0; i < first->n + more->n; i++) {
        child[i] = i < first->n ? first->child[i] : more->child[i - first->n];
    }
    *both = *first;
    both->child = child;
    both->n = first->n + more->n;
    return both;
}

// Classes in the order of the file, so that a class comes after the one that it stands in. Of several sections at the
// top of a file each goes on with the one before.
static bool add_class(tn_mjcf *m, const tn_xml *element, int parent)
{
    const char *name = tn_xml_get(element, "class");
    int number = parent < 0 ? m->rules[element->model].class : m->n_classes++;
    if (parent >= 0 && !name) {
        return tn_mjcf_fail(m, element, "a <default> in another one needs a 'class'%s", "");
    }
    tn_mjcf_class *class = &m->classes[number];
    if (parent >= 0 || !class->node) {
        *class =
            (tn_mjcf_class){.name = name ? name : "main", .model = element->model, .parent = parent, .node = element};
    } else if (name && strcmp(name, class->name) != 0) {
        return tn_mjcf_fail(m, element, "a second <default> at the top has another class, '%.100s'", name);
    } else if (!(class->node = join(m, class->node, element))) {
        return false;
    }
    for (int i = 0; i < number; i++) {
        if (m->classes[i].model == class->model && strcmp(m->classes[i].name, class->name) == 0) {
            return tn_mjcf_fail(m, element, "a second default class '%.100s'", class->name);
        }
    }
    for (int i = 0; i < element->n; i++) {
        const tn_xml *child = element->child[i];
        if (!(tn_xml_is(child, "default") ? add_class(m, child, number) : tn_mjcf_check(m, child, NULL))) {
            return false;
        }
    }
    return true;
}

bool tn_mjcf_read_settings(tn_mjcf *m)
{
    m->classes = TN_PUSH(m->reader->scratch, tn_mjcf_class, tn_xml_count(m->root, "default") + m->n_models);
    if (!m->classes) {
        return tn_read_no_memory(m->reader);
    }
    for (int k = 0; k < m->n_models; k++) {
        m->rules[k].class = m->n_classes++;
        m->classes[k] = (tn_mjcf_class){.name = "main", .model = k, .parent = -1};
    }
    for (int i = 0; i < m->root->n; i++) {
        const tn_xml *part = m->root->child[i];
        if ((tn_xml_is(part, "compiler") && !read_compiler(m, part)) ||
            (tn_xml_is(part, "option") && !read_option(m, part)) ||
            (tn_xml_is(part, "default") && !add_class(m, part, -1))) {
            return false;
        }
    }
    return true;
}
