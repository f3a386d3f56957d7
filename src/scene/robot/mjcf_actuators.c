// MJCF: the keyframe at which all starts, and actuators. An actuator's force is gain ctrl + b0 + b1 l + b2 l', with l
// the coordinate times the gear ratio; those of one joint add up to a motor of the scene, a servo with the ctrl of the
// start.
#include "math/quat.h"
#include "scene/robot/mjcf.h"

#include <math.h>
#include <string.h>

static const int sizes[] = {[TN_ROBOT_FREE] = 7, [TN_ROBOT_BALL] = 4, [TN_ROBOT_HINGE] = 1, [TN_ROBOT_SLIDE] = 1};
static const int rates[] = {[TN_ROBOT_FREE] = 6, [TN_ROBOT_BALL] = 3, [TN_ROBOT_HINGE] = 1, [TN_ROBOT_SLIDE] = 1};

// *n: how many numbers; *value: them, or NULL where the key does not say any.
static bool read_list(tn_mjcf *m, const char *attribute, int count, const double **value)
{
    double *list = TN_PUSH(m->reader->scratch, double, count + 1);
    int n;
    *value = NULL;
    if (!list) {
        return tn_read_no_memory(m->reader);
    }
    if (!tn_xml_get(m->key, attribute)) {
        return true;
    }
    if (!tn_xml_numbers(m->reader, m->key, attribute, 0, count + 1, list, &n)) {
        return false;
    }
    *value = list;
    return n == count || tn_read_error(m->reader, m->key->place, "'%s' has %d number%s, the model has %d", attribute, n,
                                       n == 1 ? "" : "s", count);
}

// A quaternion of zero is no turn.
static void normalize(double turn[4])
{
    if (turn[0] * turn[0] + turn[1] * turn[1] + turn[2] * turn[2] + turn[3] * turn[3] > 1e-18) {
        tn_quat_normalize(turn);
    } else {
        tn_quat_identity(turn);
    }
}

static void set_coordinates(tn_robot_joint *joint, const double *q)
{
    if (joint->freedom == TN_ROBOT_FREE) {
        memcpy(joint->start_pose, q, 7 * sizeof *q);
    } else if (joint->freedom == TN_ROBOT_BALL) {
        memcpy(joint->start_pose + 3, q, 4 * sizeof *q);
    } else {
        joint->start = q[0];
    }
    normalize(joint->start_pose + 3);
}

static void set_rates(tn_robot_joint *joint, const double *v)
{
    if (joint->freedom == TN_ROBOT_FREE) {
        memcpy(joint->start_rates, v, 6 * sizeof *v);
    } else if (joint->freedom == TN_ROBOT_BALL) {
        memcpy(joint->start_rates + 3, v, 3 * sizeof *v);
    } else {
        joint->rate = v[0];
    }
}

bool tn_mjcf_is_within(const tn_mjcf *m, int model, int of)
{
    while (model >= 0 && model != of) {
        model = m->rules[model].within;
    }
    return model == of;
}

// Whether the key is about what is of the model: one that came with an attached part is about that.
static bool is_of_key(const tn_mjcf *m, int model)
{
    return tn_mjcf_is_within(m, model, m->key->model);
}

// Bodies without joints that a key places in the world, in the order of the file.
static bool place_mocap(tn_mjcf *m)
{
    const double *place, *turn;
    int n = 0;
    for (int i = 0; i < m->robot->n_links; i++) {
        n += m->robot->links[i].mocap && is_of_key(m, m->link_model[i]);
    }
    if (!read_list(m, "mpos", 3 * n, &place) || !read_list(m, "mquat", 4 * n, &turn)) {
        return false;
    }
    for (int i = 0, k = 0; i < m->robot->n_links; i++) {
        tn_robot_link *link = &m->robot->links[i];
        if (!link->mocap || !is_of_key(m, m->link_model[i])) {
            continue;
        }
        if (place) {
            memcpy(link->pose.position, place + 3 * (size_t)k, sizeof link->pose.position);
        }
        if (turn) {
            memcpy(link->pose.quaternion, turn + 4 * (size_t)k, sizeof link->pose.quaternion);
            normalize(link->pose.quaternion);
        }
        k++;
    }
    return true;
}

static bool find_key(tn_mjcf *m)
{
    const char *wanted = m->robot->options->keyframe;
    tn_mjcf_cursor at = {0};
    for (const tn_xml *element; !m->key && (element = tn_mjcf_next(m, "keyframe", &at));) {
        const char *name = tn_xml_get(element, "name");
        if (tn_xml_is(element, "key") && (!wanted || (name && strcmp(name, wanted) == 0))) {
            m->key = element;
        }
    }
    return m->key || !wanted || tn_mjcf_fail(m, m->root, "no keyframe '%.100s'", wanted);
}

// Controls of all actuators, 0 where the key is not about them.
static bool read_controls(tn_mjcf *m)
{
    double *all = TN_PUSH(m->reader->scratch, double, m->n_controls);
    const double *said;
    tn_mjcf_cursor at = {0};
    int n = 0, k = 0;
    for (const tn_xml *element; (element = tn_mjcf_next(m, "actuator", &at));) {
        n += is_of_key(m, element->model);
    }
    if (!all) {
        return tn_read_no_memory(m->reader);
    }
    if (!read_list(m, "ctrl", n, &said)) {
        return false;
    }
    at = (tn_mjcf_cursor){0};
    for (const tn_xml *element; said && (element = tn_mjcf_next(m, "actuator", &at)); k++) {
        all[k] = is_of_key(m, element->model) ? *said++ : 0.0;
    }
    m->controls = all;
    return true;
}

bool tn_mjcf_read_key(tn_mjcf *m)
{
    const double *q, *v;
    int n_q = 0, n_v = 0;
    tn_mjcf_cursor at = {0};
    while (tn_mjcf_next(m, "actuator", &at)) {
        m->n_controls++;
    }
    if (!find_key(m) || !m->key) {
        return !m->key && !m->robot->options->keyframe;
    }
    for (int i = 0; i < m->robot->n_joints; i++) {
        bool counts = is_of_key(m, m->link_model[m->robot->joints[i].link]);
        n_q += counts ? sizes[m->robot->joints[i].freedom] : 0;
        n_v += counts ? rates[m->robot->joints[i].freedom] : 0;
    }
    if (!tn_mjcf_check(m, m->key, NULL) || !read_list(m, "qpos", n_q, &q) || !read_list(m, "qvel", n_v, &v) ||
        !read_controls(m) || !place_mocap(m)) {
        return false;
    }
    for (int i = 0; i < m->robot->n_joints; i++) {
        tn_robot_joint *joint = &m->robot->joints[i];
        if (!is_of_key(m, m->link_model[joint->link])) {
            continue;
        }
        if (q) {
            set_coordinates(joint, q);
            q += sizes[joint->freedom];
        }
        if (v) {
            set_rates(joint, v);
            v += rates[joint->freedom];
        }
    }
    return true;
}

// ---- actuators

// All ways to write an actuator say parts of this, those of its class first.
typedef struct affine {
    const char *dynamics, *gain_type, *bias_type;
    double gain[10],
        bias[10];    // of length and rate from [1] on; bias[2] above 0: a damping ratio, where bias[1] is -gain
    bool integrates; // its control moves what it aims at, the activation
} affine;

static bool own_number(tn_mjcf *m, const tn_xml *element, const char *attribute, double *value)
{
    int n;
    return tn_xml_numbers(m->reader, element, attribute, 1, 1, value, &n);
}

static bool say_general(tn_mjcf *m, const tn_xml *element, affine *a)
{
    static const char *const types[] = {"dyntype", "gaintype", "biastype"};
    const char **type[] = {&a->dynamics, &a->gain_type, &a->bias_type};
    int n;
    for (int i = 0; i < 3; i++) {
        const char *said = tn_xml_get(element, types[i]);
        *type[i] = said ? said : *type[i];
    }
    return tn_xml_numbers(m->reader, element, "gainprm", 1, 10, a->gain, &n) &&
           tn_xml_numbers(m->reader, element, "biasprm", 1, 10, a->bias, &n);
}

static bool say_position(tn_mjcf *m, const tn_xml *element, affine *a)
{
    double kv = 0.0, ratio = 0.0, lag = 0.0;
    bool damped = tn_xml_get(element, "kv") != NULL, by_ratio = tn_xml_get(element, "dampratio") != NULL;
    if (!own_number(m, element, "kp", &a->gain[0]) || !own_number(m, element, "kv", &kv) ||
        !own_number(m, element, "dampratio", &ratio) || !own_number(m, element, "timeconst", &lag)) {
        return false;
    }
    if (!(ratio >= 0.0) || (damped && by_ratio)) {
        return tn_mjcf_fail(m, element, "'dampratio' is not negative, and stands instead of 'kv'%s", "");
    }
    if (!(kv >= 0.0)) {
        return tn_mjcf_fail(m, element, "'kv' of <%.40s> is not negative", element->name);
    }
    a->bias[1] = -a->gain[0];
    a->bias[2] = damped ? -kv : by_ratio ? ratio : a->bias[2];
    a->gain_type = "fixed", a->bias_type = "affine";
    if (tn_xml_is(element, "intvelocity")) {
        a->dynamics = "integrator";
    } else if (tn_xml_get(element, "timeconst")) {
        a->dynamics = lag > 0.0 ? "filterexact" : "none";
    }
    return true;
}

// MuJoCo's OneActuator (xml_native_reader.cc): what an element says of itself, over what is said so far.
static bool say(tn_mjcf *m, const tn_xml *element, affine *a)
{
    if (tn_xml_is(element, "general")) {
        return say_general(m, element, a);
    }
    if (tn_xml_is(element, "position") || tn_xml_is(element, "intvelocity")) {
        return say_position(m, element, a);
    }
    if (tn_xml_is(element, "muscle")) {
        a->dynamics = a->gain_type = a->bias_type = "muscle";
        return true;
    }
    a->dynamics = a->bias_type = "none", a->gain_type = "fixed";
    if (tn_xml_is(element, "velocity")) {
        a->bias_type = "affine";
        a->bias[1] = 0.0;
        a->bias[0] = 0.0;
        if (!own_number(m, element, "kv", &a->gain[0])) {
            return false;
        }
        a->bias[2] = -a->gain[0];
    } else if (tn_xml_is(element, "damper")) {
        double kv = 0.0; // whatever a class says of it
        if (!own_number(m, element, "kv", &kv)) {
            return false;
        }
        a->gain_type = "affine";
        a->gain[0] = a->gain[1] = 0.0;
        a->gain[2] = -kv;
    } else {
        a->gain[0] = 1.0;
    }
    return true;
}

static bool say_classes(tn_mjcf *m, int class, affine *a)
{
    const tn_xml *node = m->classes[class].node;
    if (m->classes[class].parent >= 0 && !say_classes(m, m->classes[class].parent, a)) {
        return false;
    }
    for (int i = 0; node && i < node->n; i++) {
        if (tn_mjcf_is_actuator(node->child[i]) && !say(m, node->child[i], a)) {
            return false;
        }
    }
    return true;
}

static bool read_kind(tn_mjcf *m, const tn_xml *element, int class, affine *a)
{
    *a = (affine){.dynamics = "none", .gain_type = "fixed", .bias_type = "none", .gain = {1.0}};
    if (!say_classes(m, class, a) || !say(m, element, a)) {
        return false;
    }
    a->integrates = strcmp(a->dynamics, "integrator") == 0;
    return true;
}

// Only what is a servo by the control of the start.
static bool check_kind(tn_mjcf *m, const tn_xml *element, double control, affine *a)
{
    bool filters = strcmp(a->dynamics, "filter") == 0 || strcmp(a->dynamics, "filterexact") == 0;
    if (filters && tn_xml_is(element, "general")) {
        tn_read_remark(m->reader, element->place, "'dyntype' %s is left out: the control acts at once", a->dynamics);
    }
    if (!filters && !a->integrates && strcmp(a->dynamics, "none") != 0) {
        return tn_mjcf_fail(m, element, "an actuator with 'dyntype' %.40s is not read: none, integrator, filters",
                            a->dynamics);
    }
    if (tn_xml_is(element, "damper")) {
        a->bias[2] = a->gain[2] * control;
        return true;
    }
    if (strcmp(a->gain_type, "fixed") != 0) {
        return tn_mjcf_fail(m, element,
                            "an actuator with 'gaintype' %.40s is not read: only fixed (make it a <motor>, whose force "
                            "your program gives)",
                            a->gain_type);
    }
    if (strcmp(a->bias_type, "none") == 0) {
        memset(a->bias, 0, sizeof a->bias);
    } else if (strcmp(a->bias_type, "affine") != 0) {
        return tn_mjcf_fail(m, element, "an actuator with 'biastype' %.40s is not read: none or affine", a->bias_type);
    }
    return true;
}

// Controls of a servo that reach as far as its joint or tendon, or a part of that, about the middle.
static bool inherit(tn_mjcf *m, const tn_xml *element, int class, const tn_mjcf_length *of, bool *limited,
                    double range[2])
{
    double part = 0.0;
    const tn_robot_joint *joint = of->of;
    if (!tn_xml_is(element, "position")) {
        return true;
    }
    if (!tn_mjcf_number(m, element, class, "inheritrange", &part)) {
        return false;
    }
    if (part > 0.0 && !*limited && joint->low > -INFINITY && joint->high < INFINITY) {
        double one = of->offset + of->ratio * joint->low, other = of->offset + of->ratio * joint->high;
        *limited = true;
        range[0] = 0.5 * (one + other) - 0.5 * part * fabs(other - one);
        range[1] = 0.5 * (one + other) + 0.5 * part * fabs(other - one);
    }
    return true;
}

static bool read_limits(tn_mjcf *m, const tn_xml *element, int class, const tn_mjcf_length *of, double *strength,
                        double *control)
{
    bool limited = false, forced = false;
    double range[2], force[2];
    int n;
    if (!tn_mjcf_limited(m, element, class, "ctrllimited", "ctrlrange", &limited) ||
        !tn_mjcf_numbers(m, element, class, "ctrlrange", 2, 2, range, &n) ||
        !tn_mjcf_limited(m, element, class, "forcelimited", "forcerange", &forced) ||
        !tn_mjcf_numbers(m, element, class, "forcerange", 2, 2, force, &n) ||
        !inherit(m, element, class, of, &limited, range)) {
        return false;
    }
    if (limited) {
        *control = fmin(fmax(*control, range[0]), range[1]);
    }
    if (forced && force[0] != -force[1]) {
        tn_read_remark(m->reader, element->place,
                       "a motor is as strong either way: the larger end of 'forcerange' counts");
    }
    *strength = forced ? fmax(fabs(force[0]), fabs(force[1])) : INFINITY;
    return true;
}

static bool read_length(tn_mjcf *m, const tn_xml *element, int class, tn_mjcf_length *out)
{
    const char *name = tn_mjcf_get(m, element, class, "joint"), *tendon = tn_mjcf_get(m, element, class, "tendon");
    const char *attribute = name ? "joint" : "jointinparent";
    if (!name && tendon) {
        return tn_mjcf_length_of(m, element, class, "tendon", "tendon", m->tendons, out) &&
               (out->of ||
                tn_mjcf_fail(m, element, "<%.40s> drives a spatial tendon: that is not read", element->name));
    }
    if (!name && !tn_mjcf_get(m, element, class, attribute)) {
        bool crank = tn_mjcf_get(m, element, class, "cranksite") != NULL;
        return tn_mjcf_fail(m, element,
                            crank ? "<%.40s> drives a slider-crank: make the slider a body, with a <connect> to the "
                                    "crank"
                                  : "<%.40s> drives neither a joint nor a tendon",
                            element->name);
    }
    int joint = tn_mjcf_lookup(m, tn_mjcf_holder(m, element, class, attribute), attribute, &m->joints, "joint");
    *out = (tn_mjcf_length){.of = joint < 0 ? NULL : &m->robot->joints[joint], .ratio = 1.0};
    return joint >= 0;
}

// What a length feels of the joint's inertia, all other joints at rest, where its rate is ratio times the joint's.
static bool add_felt(tn_mjcf *m, const tn_robot_joint *joint, double ratio, double *felt)
{
    double inertia;
    if (!tn_robot_joint_inertia(m->robot, joint, &inertia)) {
        return false;
    }
    *felt += ratio != 0.0 ? (joint->armature + inertia) / (ratio * ratio) : 0.0;
    return true;
}

// The same of all joints of a fixed tendon.
static bool add_felt_of_tendon(tn_mjcf *m, const tn_xml *element, int class, double gear, double *felt)
{
    tn_mjcf_length length;
    const tn_xml *tendon = tn_mjcf_length_of(m, element, class, "tendon", "tendon", m->tendons, &length);
    if (!tendon) {
        return false;
    }
    if (!tn_xml_is(tendon, "fixed")) {
        return tn_mjcf_fail(m, element, "'dampratio' on a spatial tendon is not read: say 'kv'%s", "");
    }
    for (int i = 0; i < tendon->n; i++) {
        double coefficient = 0.0;
        int n, joint = tn_mjcf_lookup(m, tendon->child[i], "joint", &m->joints, "joint");
        if (joint < 0 || !tn_xml_numbers(m->reader, tendon->child[i], "coef", 1, 1, &coefficient, &n) ||
            !add_felt(m, &m->robot->joints[joint], gear * coefficient, felt)) {
            return false;
        }
    }
    return true;
}

// Damping from `dampratio`: 2 times it times the root of kp times the inertia that what is driven feels.
static bool read_damping(tn_mjcf *m, const tn_xml *element, int class, const tn_robot_joint *joint, double gear,
                         affine *a)
{
    double felt = 0.0;
    if (!(a->bias[2] > 0.0) || a->bias[1] != -a->gain[0]) {
        return true;
    }
    bool tendon = !tn_mjcf_get(m, element, class, "joint") && tn_mjcf_get(m, element, class, "tendon");
    if (!(tendon ? add_felt_of_tendon(m, element, class, gear, &felt) : add_felt(m, joint, gear, &felt))) {
        return false;
    }
    a->bias[2] *= -2.0 * sqrt(a->gain[0] * felt);
    return true;
}

// A motor at a site (a propeller, a thruster), or on a free or ball joint: its wrench comes from the program too.
static bool only_pushes(tn_mjcf *m, const tn_xml *element, const affine *a, const tn_mjcf_length *of)
{
    const char *name = tn_xml_get(element, "name");
    bool servo = strcmp(a->bias_type, "none") != 0 || tn_xml_is(element, "damper");
    bool elsewhere = of->of ? of->of->freedom < TN_ROBOT_HINGE : tn_xml_get(element, "site") != NULL;
    if (elsewhere && !servo) {
        tn_read_remark(m->reader, element->place, "motor '%.60s' is left out: give its body a wrench from your program",
                       name ? name : "");
    }
    return elsewhere && !servo;
}

// A muscle, or what sticks to what it touches: its force too is the program's. What a muscle bears when it is slack is
// part of that.
static bool is_alive(tn_mjcf *m, const tn_xml *element, const affine *a)
{
    const char *type[] = {a->dynamics, a->gain_type, a->bias_type}, *name = tn_xml_get(element, "name");
    bool muscle = false, sticks = tn_xml_is(element, "adhesion");
    for (int i = 0; i < 3; i++) {
        muscle = muscle || strcmp(type[i], "muscle") == 0;
    }
    if (muscle || sticks) {
        tn_read_remark(m->reader, element->place, "%s '%.60s' is left out: %s", sticks ? "adhesion" : "muscle",
                       name ? name : "",
                       sticks ? "a pair of materials may have an adhesion"
                              : "its force, active and passive, comes from your program");
    }
    return muscle || sticks;
}

// What an integrator starts from and stays at.
static double activation(tn_mjcf *m, const tn_xml *element, int number, double control)
{
    if (control != 0.0) {
        tn_read_remark(m->reader, element->place,
                       "what '%.60s' aims at stays where it starts: your program moves it on",
                       tn_xml_get(element, "name") ? tn_xml_get(element, "name") : element->name);
    }
    return m->activations[number];
}

// What it does to its coordinate, by the control or activation of the start.
static void add_drive(tn_mjcf *m, const tn_xml *element, const affine *a, double strength, double control,
                      const tn_mjcf_length *length)
{
    tn_robot_joint *joint = length->of;
    double g = length->ratio, most = fmin(fabs(g) * strength, joint->strength_most);
    bool servo = a->bias[1] != 0.0 || a->bias[2] != 0.0;
    if (!servo && a->gain[0] * control + a->bias[0] != 0.0) {
        tn_read_remark(m->reader, element->place,
                       "the force of '%.60s' at the start is left out: forces of motors come from your program",
                       tn_xml_get(element, "name") ? tn_xml_get(element, "name") : "a motor");
    }
    if (servo) {
        joint->drive[0] += g * (a->gain[0] * control + a->bias[0] + a->bias[1] * length->offset);
        joint->drive[1] -= g * g * a->bias[1];
        joint->drive[2] -= g * g * a->bias[2];
        joint->strength = joint->n_motors++ ? joint->strength + most : most;
    }
}

static bool read_actuator(tn_mjcf *m, const tn_xml *element, double control, tn_mjcf_length *length)
{
    double gear[6] = {1.0}, group = 0.0, strength;
    affine a;
    int n;
    if (!tn_mjcf_is_actuator(element)) {
        return tn_mjcf_fail(m, element,
                            "an actuator <%.40s> is not read: give its force from your program, by a <motor>",
                            element->name);
    }
    tn_mjcf_length of = {.of = NULL};
    int class = tn_mjcf_class_of(m, element, NULL);
    bool at_site = tn_xml_get(element, "site") != NULL, sticks = tn_xml_is(element, "adhesion");
    if (class < 0 || !tn_mjcf_check(m, element, NULL) || !read_kind(m, element, class, &a) ||
        (!at_site && !sticks && !read_length(m, element, class, &of))) {
        return false;
    }
    bool counts = !m->key || is_of_key(m, element->model);
    int number = counts ? m->n_activations : m->n_controls;
    m->n_activations += counts && strcmp(a.dynamics, "none") != 0;
    if (is_alive(m, element, &a)) {
        *length = of;
        return true;
    }
    if (only_pushes(m, element, &a, &of)) {
        return true;
    }
    if (at_site || !of.of) {
        return tn_mjcf_fail(m, element,
                            "<%.40s> holds a site, which only motors drive: a 'bushing' of a scene can hold it",
                            element->name);
    }
    tn_robot_joint *joint = of.of;
    if (joint->freedom < TN_ROBOT_HINGE) {
        return tn_mjcf_fail(m, element, "<%.40s> drives a free or ball joint: only hinges and slides have motors",
                            element->name);
    }
    if (!read_limits(m, element, class, &of, &strength, &control) || !check_kind(m, element, control, &a) ||
        !tn_mjcf_numbers(m, element, class, "gear", 1, 6, gear, &n) ||
        !tn_mjcf_number(m, element, class, "group", &group) || !read_damping(m, element, class, joint, gear[0], &a)) {
        return false;
    }
    if (a.bias[1] > 0.0 || a.bias[2] > 0.0) {
        return tn_mjcf_fail(m, element, "an actuator that drives its joint away (biasprm above 0) is not read%s", "");
    }
    *length = (tn_mjcf_length){joint, gear[0] * of.ratio, gear[0] * of.offset};
    bool idle = m->no_motors || (group >= 0.0 && group <= 30.0 && (m->idle_groups >> (unsigned)group & 1U));
    if (!idle) {
        add_drive(m, element, &a, strength, a.integrates ? activation(m, element, number, control) : control, length);
    }
    return true;
}

bool tn_mjcf_read_actuators(tn_mjcf *m)
{
    tn_mjcf_cursor at = {0};
    int k = 0, n = 0;
    m->actuators = TN_PUSH(m->reader->scratch, tn_mjcf_length, m->n_controls);
    m->activations = TN_PUSH(m->reader->scratch, double, m->n_controls + 1);
    if (!m->actuators || !m->activations) {
        return tn_read_no_memory(m->reader);
    }
    if (m->key && !tn_xml_numbers(m->reader, m->key, "act", 0, m->n_controls, m->activations, &n)) {
        return false;
    }
    for (const tn_xml *element; (element = tn_mjcf_next(m, "actuator", &at)); k++) {
        if (!read_actuator(m, element, m->controls ? m->controls[k] : 0.0, &m->actuators[k])) {
            return false;
        }
    }
    return n == 0 || n == m->n_activations ||
           tn_read_error(m->reader, m->key->place, "'act' has %d number%s, the model has %d", n, n == 1 ? "" : "s",
                         m->n_activations);
}
