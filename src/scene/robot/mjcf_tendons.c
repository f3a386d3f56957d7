// MJCF: tendons. The length of a fixed one is a sum of joint coordinates; those that equalities couple follow one of
// them. What is left of one joint acts on it, what is left of two is a gear of the scene that holds nothing. A spatial
// one that runs straight from one site to another is a distance of the scene.
#include "math/vec3.h"
#include "scene/robot/mjcf.h"

#include <math.h>
#include <string.h>

static const char *name_of(const tn_xml *tendon)
{
    const char *name = tn_xml_get(tendon, "name");
    return name ? name : "";
}

static void leave_out(tn_mjcf *m, const tn_xml *tendon)
{
    tn_read_remark(m->reader, tendon->place, "tendon '%.60s' has no force of its own: it is left out", name_of(tendon));
}

// Whether a tendon, or a default of tendons in the element, pulls or holds by itself.
static bool pulls(const tn_xml *element)
{
    static const char *const words[] = {"stiffness", "damping", "frictionloss", "range", "armature"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *said = tn_xml_get(element, words[i]);
        if (said && strcmp(said, "0") != 0) {
            return true;
        }
    }
    return false;
}

static bool default_pulls(const tn_xml *element)
{
    for (int i = 0; i < element->n; i++) {
        const tn_xml *child = element->child[i];
        if ((tn_xml_is(child, "tendon") && pulls(child)) || (tn_xml_is(child, "default") && default_pulls(child))) {
            return true;
        }
    }
    return false;
}

// From site to site, round nothing.
static bool is_straight(const tn_xml *tendon)
{
    return tn_xml_is(tendon, "spatial") && tendon->n == 2 && tn_xml_is(tendon->child[0], "site") &&
           tn_xml_is(tendon->child[1], "site");
}

bool tn_mjcf_check_tendons(tn_mjcf *m, const tn_xml *section)
{
    for (int i = 0; i < section->n; i++) {
        const tn_xml *tendon = section->child[i];
        const char *name = tn_xml_get(tendon, "name");
        if (tn_xml_is(tendon, "fixed") || is_straight(tendon)) {
            continue;
        }
        if (pulls(tendon) || default_pulls(m->root)) {
            return tn_mjcf_fail(
                m, tendon, "spatial tendons over more than two sites are not read: take %.60s and what uses it out",
                name ? tn_robot_text(m->reader, "'%s'", name) : "it");
        }
        leave_out(m, tendon);
    }
    return true;
}

// What a tendon's length is: coefficients of joints that are free of each other, and its value at springs' rest.
typedef struct sum {
    int n, joint[2];
    double coefficient[2], offset, at_rest;
} sum;

// A joint's coordinate by that of the one which it follows in the end: offset + ratio times it.
static void follow(const tn_robot *robot, int *joint, double *ratio, double *offset)
{
    *ratio = 1.0;
    *offset = 0.0;
    for (int k = 0; k < robot->n_couplings; k++) { // in circles no further than there are couplings
        for (int i = 0; i < robot->n_couplings; i++) {
            const tn_robot_coupling *c = &robot->couplings[i];
            if (c->joint_b == *joint) {
                const double zero_a = robot->joints[c->joint_a].zero, zero_b = robot->joints[c->joint_b].zero;
                *offset += *ratio * (zero_b + c->offset - c->ratio * zero_a);
                *ratio *= c->ratio;
                *joint = c->joint_a;
                break;
            }
        }
    }
}

static bool add_joint(tn_mjcf *m, const tn_xml *tendon, const tn_xml *part, sum *out)
{
    double coefficient = 1.0, ratio, offset;
    int k = 0, n, joint = tn_mjcf_lookup(m, part, "joint", &m->joints, "joint");
    if (joint < 0 || !tn_xml_need(m->reader, part, "coef") ||
        !tn_xml_numbers(m->reader, part, "coef", 1, 1, &coefficient, &n)) {
        return false;
    }
    if (m->robot->joints[joint].freedom < TN_ROBOT_HINGE) {
        return tn_mjcf_fail(m, part, "tendon '%.60s' is of a ball or free joint: only hinges and slides have a length",
                            name_of(tendon));
    }
    out->at_rest += coefficient * m->robot->joints[joint].rest;
    follow(m->robot, &joint, &ratio, &offset);
    out->offset += coefficient * offset;
    while (k < out->n && out->joint[k] != joint) {
        k++;
    }
    if (k == 2) {
        return tn_mjcf_fail(m, part,
                            "tendon '%.60s' is of three joints or more that no equality couples: at most two are read",
                            name_of(tendon));
    }
    out->joint[k] = joint;
    out->coefficient[k] = (k < out->n ? out->coefficient[k] : 0.0) + coefficient * ratio;
    out->n += k == out->n;
    return true;
}

static bool read_sum(tn_mjcf *m, const tn_xml *tendon, sum *out)
{
    *out = (sum){.n = 0};
    for (int i = 0; i < tendon->n; i++) {
        if (!add_joint(m, tendon, tendon->child[i], out)) {
            return false;
        }
    }
    for (int k = out->n - 1; k >= 0; k--) { // what cancels is no part
        if (out->coefficient[k] == 0.0) {
            out->joint[k] = out->joint[out->n - 1];
            out->coefficient[k] = out->coefficient[--out->n];
        }
    }
    return out->n > 0 || tn_mjcf_fail(m, tendon, "tendon '%.60s' has no joints", name_of(tendon));
}

// The forces of a tendon itself, for each length.
typedef struct own {
    double stiffness, rest, damping, friction, armature, low, high;
} own;

static bool read_own(tn_mjcf *m, const tn_xml *tendon, const sum *length, own *out)
{
    double range[2] = {0.0, 0.0}, spring[2] = {-1.0, -1.0};
    bool limited = false;
    int n, n_spring, class = tn_mjcf_class_of(m, tendon, NULL);
    *out = (own){.low = -INFINITY, .high = INFINITY};
    if (class < 0 || !tn_mjcf_check(m, tendon, NULL) ||
        !tn_mjcf_number(m, tendon, class, "stiffness", &out->stiffness) ||
        !tn_mjcf_number(m, tendon, class, "damping", &out->damping) ||
        !tn_mjcf_number(m, tendon, class, "frictionloss", &out->friction) ||
        !tn_mjcf_number(m, tendon, class, "armature", &out->armature) ||
        !tn_mjcf_numbers(m, tendon, class, "springlength", 1, 2, spring, &n_spring) ||
        !tn_mjcf_limited(m, tendon, class, "limited", "range", &limited) ||
        !tn_mjcf_numbers(m, tendon, class, "range", 2, 2, range, &n)) {
        return false;
    }
    const char *name = name_of(tendon);
    if (out->stiffness < 0.0 || out->damping < 0.0 || out->friction < 0.0 || out->armature < 0.0) {
        return tn_mjcf_fail(m, tendon, "tendon '%.60s' has a stiffness, damping, frictionloss or armature below 0",
                            name);
    }
    if (n_spring == 2 && spring[0] != spring[1]) {
        return tn_mjcf_fail(m, tendon, "the spring of tendon '%.60s' is slack over a 'springlength': that is not read",
                            name);
    }
    if (limited) {
        out->low = range[0];
        out->high = range[1];
    }
    double ends[2] = {out->low, out->high};
    tn_mjcf_switch_off(m, &out->stiffness, &out->damping, &out->friction, ends);
    out->low = ends[0];
    out->high = ends[1];
    out->rest = spring[0] < 0.0 ? length->at_rest : spring[0];
    return !limited || range[0] <= range[1] ||
           tn_mjcf_fail(m, tendon, "the range of tendon '%.60s' does not ascend", name);
}

static bool acts(const own *f)
{
    return f->stiffness > 0.0 || f->damping > 0.0 || f->friction > 0.0 || f->armature > 0.0 || f->low > -INFINITY ||
           f->high < INFINITY;
}

// On a coordinate of which the length is offset + ratio times it, beside what acts there already.
static void add_own(const tn_mjcf_length *length, const own *f)
{
    tn_robot_joint *of = length->of;
    double r = length->ratio, k = r * r * f->stiffness, rest = (f->rest - length->offset) / r;
    if (k > 0.0) {
        of->rest = (of->stiffness * of->rest + k * rest) / (of->stiffness + k);
        of->stiffness += k;
    }
    of->damping += r * r * f->damping;
    of->armature += r * r * f->armature;
    of->friction += fabs(r) * f->friction;
    double one = (f->low - length->offset) / r, other = (f->high - length->offset) / r;
    of->low = fmax(of->low, fmin(one, other));
    of->high = fmin(of->high, fmax(one, other));
}

static tn_robot_tendon *add(tn_mjcf *m, const tn_xml *tendon)
{
    tn_robot_tendon *made = &m->robot->tendons[m->robot->n_tendons++];
    const char *name = tn_xml_get(tendon, "name");
    *made = (tn_robot_tendon){.of = tn_robot_joint_default()};
    made->of.place = tendon->place;
    made->of.name = name ? name : tn_robot_text(m->reader, "tendon%d", m->robot->n_tendons);
    return made;
}

// The coordinate of a gear: that of the second joint less `ratio` times that of the first.
static void join(tn_mjcf *m, const tn_xml *tendon, const sum *length, tn_mjcf_length *out)
{
    tn_robot_tendon *made = add(m, tendon);
    made->joint_a = length->joint[0];
    made->joint_b = length->joint[1];
    made->ratio = -length->coefficient[0] / length->coefficient[1];
    made->of.freedom = m->robot->joints[length->joint[1]].freedom;
    *out = (tn_mjcf_length){.of = &made->of, .ratio = length->coefficient[1], .offset = length->offset};
}

// Whether an actuator or a sensor (section) is of it.
static bool is_used(const tn_mjcf *m, const char *section, const char *name)
{
    tn_mjcf_cursor at = {0};
    for (const tn_xml *element; (element = tn_mjcf_next(m, section, &at));) {
        const char *of = tn_xml_get(element, "tendon");
        if (of && strcmp(of, name) == 0) {
            return true;
        }
    }
    return false;
}

// Nothing needs it: a remark says so.
static bool is_idle(tn_mjcf *m, const tn_xml *tendon, const own *f)
{
    const char *name = name_of(tendon);
    bool idle = !acts(f) && !is_used(m, "actuator", name) && !is_used(m, "sensor", name);
    if (idle) {
        leave_out(m, tendon);
    }
    return idle;
}

// The length while springs of joints are at rest, where the tendon's own spring is too if it does not say better.
static double length_at_rest(tn_mjcf *m, const tn_robot_tie *ends)
{
    tn_robot *robot = m->robot;
    for (int i = 0; i < robot->n_joints; i++) { // their start is at zero so far
        robot->joints[i].start = robot->joints[i].freedom < TN_ROBOT_HINGE ? 0.0 : robot->joints[i].rest;
    }
    tn_robot_start(robot);
    double length = tn_robot_distance(robot, ends);
    for (int i = 0; i < robot->n_joints; i++) {
        robot->joints[i].start = robot->joints[i].zero;
    }
    tn_robot_start(robot);
    return length;
}

static bool read_straight(tn_mjcf *m, const tn_xml *tendon, tn_mjcf_length *out)
{
    int site[2];
    own f;
    *out = (tn_mjcf_length){.of = NULL};
    for (int k = 0; k < 2; k++) {
        site[k] = tn_mjcf_lookup(m, tendon->child[k], "site", &m->site_names, "site");
        if (site[k] < 0) {
            return false;
        }
    }
    tn_robot_tie ends = {.link_a = m->sites[site[0]].link, .link_b = m->sites[site[1]].link};
    tn_vec3_copy(ends.point_a, m->sites[site[0]].pose.position);
    tn_vec3_copy(ends.point_b, m->sites[site[1]].pose.position);
    const sum length = {.at_rest = length_at_rest(m, &ends)};
    if (!read_own(m, tendon, &length, &f)) {
        return false;
    }
    if (is_idle(m, tendon, &f)) {
        return true;
    }
    f.low = f.low <= 0.0 ? -INFINITY : f.low; // no length is below
    tn_robot_tendon *made = add(m, tendon);
    made->straight = true;
    made->ends = ends;
    made->of.freedom = TN_ROBOT_SLIDE;
    *out = (tn_mjcf_length){.of = &made->of, .ratio = 1.0};
    add_own(out, &f);
    return made->of.name != NULL;
}

static bool read_fixed(tn_mjcf *m, const tn_xml *tendon, tn_mjcf_length *out)
{
    sum length;
    own f;
    *out = (tn_mjcf_length){.of = NULL};
    if (!read_sum(m, tendon, &length) || !read_own(m, tendon, &length, &f)) {
        return false;
    }
    if (is_idle(m, tendon, &f)) {
        return true;
    }
    if (length.n == 1) {
        *out = (tn_mjcf_length){&m->robot->joints[length.joint[0]], length.coefficient[0], length.offset};
        add_own(out, &f);
        return true;
    }
    join(m, tendon, &length, out);
    add_own(out, &f);
    return out->of->name != NULL;
}

bool tn_mjcf_read_tendons(tn_mjcf *m)
{
    tn_mjcf_cursor at = {0};
    int n = 0;
    while (tn_mjcf_next(m, "tendon", &at)) {
        n++;
    }
    m->tendons = TN_PUSH(m->reader->scratch, tn_mjcf_length, n);
    m->robot->tendons = TN_PUSH(m->reader->scratch, tn_robot_tendon, n);
    if (!m->tendons || !m->robot->tendons) {
        return tn_read_no_memory(m->reader);
    }
    at = (tn_mjcf_cursor){0};
    for (const tn_xml *element; (element = tn_mjcf_next(m, "tendon", &at)); m->tendons++) {
        bool good = is_straight(element)          ? read_straight(m, element, m->tendons)
                    : tn_xml_is(element, "fixed") ? read_fixed(m, element, m->tendons)
                                                  : true;
        if (!good) {
            return false;
        }
    }
    m->tendons -= n;
    return true;
}

const tn_xml *tn_mjcf_length_of(tn_mjcf *m, const tn_xml *element, int class, const char *section,
                                const tn_mjcf_length *lengths, tn_mjcf_length *out)
{
    const tn_xml *holder = tn_mjcf_holder(m, element, class, section);
    const char *wanted = holder ? tn_xml_get(holder, section) : tn_xml_need(m->reader, element, section);
    tn_mjcf_cursor at = {0};
    int k = 0;
    for (const tn_xml *one; wanted && (one = tn_mjcf_next(m, section, &at)); k++) {
        const char *name = tn_xml_get(one, "name");
        if (name && strcmp(name, wanted) == 0) {
            *out = lengths[k];
            return one;
        }
    }
    if (wanted) {
        tn_read_error(m->reader, element->place, "no %s '%.100s'", section, wanted);
    }
    return NULL;
}
