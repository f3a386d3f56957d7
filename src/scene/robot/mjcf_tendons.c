// MJCF: tendons, what acts along a length. One of a single joint acts on it, one of a single way from site to site is a
// distance of the scene, what is left is a gear of the scene that holds nothing.
#include "scene/robot/mjcf_path.h"

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

// The forces of a tendon itself, for each length.
typedef struct own {
    double stiffness, rest, damping, friction, armature, low, high;
    double limit_stiffness; // where the spring is slack from low to high; else INFINITY
} own;                      // rest NaN: not said

// A spring that is slack from one length to another is two limits that give way.
static bool make_slack(tn_mjcf *m, const tn_xml *tendon, const double spring[2], own *out)
{
    if (spring[0] > spring[1]) {
        return tn_mjcf_fail(m, tendon, "the springlength of tendon '%.60s' does not ascend", name_of(tendon));
    }
    if (out->low > -INFINITY || out->high < INFINITY) {
        return tn_mjcf_fail(m, tendon, "tendon '%.60s' has a range and a spring that is slack: say one of them",
                            name_of(tendon));
    }
    out->low = spring[0];
    out->high = spring[1];
    out->limit_stiffness = out->stiffness;
    out->stiffness = 0.0;
    return true;
}

static bool read_own(tn_mjcf *m, const tn_xml *tendon, own *out)
{
    double range[2] = {0.0, 0.0}, spring[2] = {-1.0, -1.0};
    bool limited = false;
    int n, n_spring, class = tn_mjcf_class_of(m, tendon, NULL);
    *out = (own){.low = -INFINITY, .high = INFINITY, .limit_stiffness = INFINITY};
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
    double ends[2] = {limited ? range[0] : -INFINITY, limited ? range[1] : INFINITY};
    if (ends[0] > ends[1]) {
        return tn_mjcf_fail(m, tendon, "the range of tendon '%.60s' does not ascend", name);
    }
    tn_mjcf_switch_off(m, &out->stiffness, &out->damping, &out->friction, ends);
    out->low = ends[0];
    out->high = ends[1];
    out->rest = spring[0] < 0.0 ? NAN : spring[0];
    return n_spring < 2 || spring[0] == spring[1] || out->stiffness == 0.0 || make_slack(m, tendon, spring, out);
}

static bool acts(const own *f)
{
    return f->stiffness > 0.0 || f->damping > 0.0 || f->friction > 0.0 || f->armature > 0.0 || f->low > -INFINITY ||
           f->high < INFINITY;
}

// On a coordinate of which the length is offset + ratio times it, beside what acts there already. at_rest: the length
// while springs of joints are at rest.
static void add_own(const tn_mjcf_length *length, const own *f, double at_rest)
{
    tn_robot_joint *of = length->of;
    double r = length->ratio, k = r * r * f->stiffness;
    double rest = ((isnan(f->rest) ? at_rest : f->rest) - length->offset) / r;
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
    if (f->limit_stiffness < INFINITY) {
        of->limit_stiffness = r * r * f->limit_stiffness;
    }
}

static tn_robot_tendon *add(tn_mjcf *m, const tn_xml *tendon, const tn_mjcf_path *length, tn_mjcf_length *out)
{
    tn_robot_tendon *made = &m->robot->tendons[m->robot->n_tendons++];
    const char *name = tn_xml_get(tendon, "name");
    *made = (tn_robot_tendon){.n = length->n, .of = tn_robot_joint_default()};
    memcpy(made->term, length->term, (size_t)length->n * sizeof *made->term);
    made->of.place = tendon->place;
    made->of.name = name ? name : tn_robot_text(m->reader, "tendon%d", m->robot->n_tendons);
    const tn_robot_term *last = length->n > 0 ? &length->term[length->n - 1] : NULL;
    made->of.freedom = last && last->joint >= 0 ? m->robot->joints[last->joint].freedom : TN_ROBOT_SLIDE;
    *out = (tn_mjcf_length){.of = &made->of, .ratio = last ? last->coefficient : 1.0, .offset = length->offset};
    return made;
}

// Whether something in a section names it by the attribute.
static bool is_used(const tn_mjcf *m, const char *section, const char *attribute, const char *name)
{
    tn_mjcf_cursor at = {0};
    for (const tn_xml *element; (element = tn_mjcf_next(m, section, &at));) {
        const char *of = tn_xml_get(element, attribute);
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
    bool idle = !acts(f) && !is_used(m, "actuator", "tendon", name) && !is_used(m, "sensor", "tendon", name) &&
                !is_used(m, "equality", "tendon1", name);
    if (idle) {
        leave_out(m, tendon);
    }
    return idle;
}

static bool read_spatial(tn_mjcf *m, const tn_xml *tendon, tn_mjcf_length *out)
{
    tn_mjcf_path length;
    own f;
    *out = (tn_mjcf_length){.of = NULL};
    if (!read_own(m, tendon, &f)) {
        return false;
    }
    if (is_idle(m, tendon, &f)) {
        return true;
    }
    if (!tn_mjcf_site_path(m, tendon, &length)) {
        return false;
    }
    f.low = f.low <= 0.0 ? -INFINITY : f.low; // no length is below
    const tn_robot_tendon *made = add(m, tendon, &length, out);
    add_own(out, &f, length.at_rest);
    return made->of.name != NULL;
}

static bool read_fixed(tn_mjcf *m, const tn_xml *tendon, tn_mjcf_length *out)
{
    tn_mjcf_path length;
    own f;
    *out = (tn_mjcf_length){.of = NULL};
    if (!tn_mjcf_joint_path(m, tendon, &length) || !read_own(m, tendon, &f)) {
        return false;
    }
    if (is_idle(m, tendon, &f)) {
        return true;
    }
    if (length.n == 1) {
        tn_robot_joint *of = &m->robot->joints[length.term[0].joint];
        *out = (tn_mjcf_length){of, length.term[0].coefficient, length.offset};
        if (f.limit_stiffness < INFINITY && (of->low > -INFINITY || of->high < INFINITY)) {
            return tn_mjcf_fail(m, tendon, "tendon '%.60s' has a spring that is slack on a joint with a range",
                                name_of(tendon));
        }
        add_own(out, &f, length.at_rest);
        return true;
    }
    const tn_robot_tendon *made = add(m, tendon, &length, out);
    add_own(out, &f, length.at_rest);
    return made->of.name != NULL;
}

// 1 / kg; 0 where it is fixed.
static double gives(const tn_robot *robot, int link)
{
    double mass = link < 0 || robot->links[link].fixed ? 0.0 : robot->links[robot->links[link].body].inertia.mass;
    return mass > 0.0 ? 1.0 / mass : 0.0;
}

bool tn_mjcf_give_way(tn_mjcf *m, const tn_xml *element, int class, double A, double spring[2])
{
    double solref[2] = {0.02, 1.0}, solimp[5] = {0.9, 0.95};
    int n;
    if (!tn_mjcf_numbers(m, element, class, "solref", 1, 2, solref, &n) ||
        !tn_mjcf_numbers(m, element, class, "solimp", 1, 5, solimp, &n)) {
        return false;
    }
    double d = solimp[0], most = solimp[1];
    bool direct = solref[0] <= 0.0; // stiffness and damping themselves
    double k = direct ? -solref[0] / (most * most) : 1.0 / pow(most * solref[0] * solref[1], 2.0);
    double b = direct ? -solref[1] / most : 2.0 / (most * solref[0]);
    if (!(d > 0.0 && d < 1.0 && most > 0.0 && most <= 1.0 && k > 0.0 && k < INFINITY && b >= 0.0) || A == 0.0) {
        return true; // rigid
    }
    spring[0] = k * d / (1.0 - d) / A;
    spring[1] = b * d / (1.0 - d) / A;
    return true;
}

// In the nets of composites rows between pins are straight, and nothing could bear what hangs on them: there a tendon
// gives way as MuJoCo's does.
static bool give_way(tn_mjcf *m, const tn_xml *element, tn_robot_tendon *tendon)
{
    const tn_robot_tie *ends = &tendon->term[0].ends;
    double A = gives(m->robot, ends->link_a) + gives(m->robot, ends->link_b);
    return tn_mjcf_give_way(m, element, -1, A, tendon->spring);
}

// What an equality holds at the length that it has without a keyframe: the coordinate of a joint, or a tendon.
static bool hold(tn_mjcf *m, const tn_xml *element, tn_robot_joint *of)
{
    const char *class = tn_xml_get(element, "class");
    if (of >= m->robot->joints && of < m->robot->joints + m->robot->n_joints) {
        of->low = of->high = of->zero;
        return true;
    }
    for (int i = 0; i < m->robot->n_tendons; i++) {
        tn_robot_tendon *tendon = &m->robot->tendons[i];
        if (&tendon->of == of) {
            tendon->held = true;
            tendon->length = tn_robot_tendon_length(m->robot, tendon);
            return !class || class[0] != ' ' || tendon->n != 1 || give_way(m, element, tendon);
        }
    }
    return true;
}

static bool read_equality(tn_mjcf *m, const tn_xml *element)
{
    double c[5] = {0.0};
    int n;
    tn_mjcf_length length = {.of = NULL};
    const char *active = tn_xml_get(element, "active");
    if (!tn_mjcf_check(m, element, "equality tendon") || !tn_xml_numbers(m->reader, element, "polycoef", 1, 5, c, &n) ||
        !tn_mjcf_length_of(m, element, -1, "tendon", "tendon1", m->tendons, &length)) {
        return false;
    }
    if (!length.of) {
        return tn_mjcf_fail(m, element, "an equality holds a tendon that is not read%s", "");
    }
    if (tn_xml_get(element, "tendon2") || c[0] != 0.0) {
        return tn_mjcf_fail(
            m, element, "an equality of two tendons, or of another length than without keyframe, is not read%s", "");
    }
    if (!m->no_equalities && !(active && strcmp(active, "false") == 0)) {
        return hold(m, element, length.of);
    }
    return true;
}

static bool read_equalities(tn_mjcf *m)
{
    tn_mjcf_cursor at = {0};
    for (const tn_xml *element; (element = tn_mjcf_next(m, "equality", &at));) {
        if (tn_xml_is(element, "tendon") && !read_equality(m, element)) {
            return false;
        }
    }
    return true;
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
        if (!tn_xml_is(element, "fixed") && !tn_xml_is(element, "spatial")) {
            return tn_mjcf_fail(m, element, "a tendon is fixed or spatial, not <%.60s>", element->name);
        }
        bool good =
            tn_xml_is(element, "fixed") ? read_fixed(m, element, m->tendons) : read_spatial(m, element, m->tendons);
        if (!good) {
            return false;
        }
    }
    m->tendons -= n;
    return read_equalities(m);
}

const tn_xml *tn_mjcf_length_of(tn_mjcf *m, const tn_xml *element, int class, const char *section,
                                const char *attribute, const tn_mjcf_length *lengths, tn_mjcf_length *out)
{
    const tn_xml *holder = tn_mjcf_holder(m, element, class, attribute);
    const char *wanted = holder ? tn_xml_get(holder, attribute) : tn_xml_need(m->reader, element, attribute);
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
