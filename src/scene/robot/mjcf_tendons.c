// MJCF: tendons. The length of a fixed one is a sum of joint coordinates; those that equalities couple follow one of
// them. What is left of one joint acts on it, what is left of more is a gear of the scene that holds nothing. A spatial
// one from site to site, straight or round a geom, is a distance of the scene, or a gear of several.
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

// What a tendon's length is: coefficients of joints that are free of each other, and its value at springs' rest.
typedef struct sum {
    int n;
    tn_robot_term term[TN_GEAR_MOST];
    double offset, at_rest;
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

static bool fail_long(tn_mjcf *m, const tn_xml *element, const char *name)
{
    return tn_read_error(m->reader, element->place, "tendon '%.60s' is of more than %d moving parts", name,
                         TN_GEAR_MOST);
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
    while (k < out->n && out->term[k].joint != joint) {
        k++;
    }
    if (k == TN_GEAR_MOST) {
        return fail_long(m, part, name_of(tendon));
    }
    out->term[k].joint = joint;
    out->term[k].coefficient += coefficient * ratio;
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
        if (out->term[k].coefficient == 0.0) {
            out->term[k] = out->term[--out->n];
        }
    }
    return out->n > 0 || tn_mjcf_fail(m, tendon, "tendon '%.60s' has no joints", name_of(tendon));
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

static tn_robot_tendon *add(tn_mjcf *m, const tn_xml *tendon, const sum *length, tn_mjcf_length *out)
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

// Two links are one body, or both fixed.
static bool stay_together(const tn_robot *robot, int a, int b)
{
    bool fixed_a = a < 0 || robot->links[a].fixed, fixed_b = b < 0 || robot->links[b].fixed;
    return (fixed_a && fixed_b) || (!fixed_a && !fixed_b && robot->links[a].body == robot->links[b].body);
}

static const tn_pose *world_of(const tn_robot *robot, int link)
{
    return link < 0 ? &robot->options->pose : &robot->links[link].world;
}

// A point of one link as another one sees it.
static void see(const tn_robot *robot, int from, const double x[3], int to, double out[3])
{
    tn_pose at = {.quaternion = {1.0, 0.0, 0.0, 0.0}}, seen;
    tn_robot_point(at.position, world_of(robot, from), x);
    tn_robot_relative(&seen, world_of(robot, to), &at);
    tn_vec3_copy(out, seen.position);
}

static bool find_side(tn_mjcf *m, const tn_xml *part, int link, tn_robot_tie *way)
{
    tn_drum *drum = &way->drum;
    tn_vec3_set(drum->side, NAN, NAN, NAN);
    if (!tn_xml_get(part, "sidesite")) {
        return true;
    }
    int side = tn_mjcf_lookup(m, part, "sidesite", &m->site_names, "site");
    if (side < 0) {
        return false;
    }
    const tn_mjcf_site *at = &m->sites[side];
    if (!stay_together(m->robot, at->link, link)) {
        tn_read_remark(m->reader, part->place, "the side of the tendon goes with the geom from the start on");
    }
    see(m->robot, at->link, at->pose.position, way->link_a, drum->side);
    return !tn_drum_contains(drum, drum->side) ||
           tn_mjcf_fail(m, part, "a tendon inside of a geom is not read: '%.60s' is inside",
                        tn_xml_get(part, "sidesite"));
}

// The geom of one of the bodies that the way leads between, which becomes the first.
static bool find_drum(tn_mjcf *m, const tn_xml *part, tn_robot_tie *way)
{
    int id = tn_mjcf_lookup(m, part, "geom", &m->geoms, "geom");
    if (id < 0) {
        return false;
    }
    const tn_robot_geom *geom = &m->robot->geoms[id];
    bool cylinder = geom->shape.kind == TN_SHAPE_CYLINDER;
    if (!cylinder && geom->shape.kind != TN_SHAPE_SPHERE) {
        return tn_mjcf_fail(m, part, "tendons lead round spheres and cylinders, '%.60s' is neither", geom->name);
    }
    if (!stay_together(m->robot, geom->link, way->link_a)) {
        const tn_robot_tie back = *way;
        way->link_a = back.link_b;
        way->link_b = back.link_a;
        tn_vec3_copy(way->point_a, back.point_b);
        tn_vec3_copy(way->point_b, back.point_a);
    }
    if (!stay_together(m->robot, geom->link, way->link_a)) {
        return tn_mjcf_fail(m, part,
                            "geom '%.60s' is of neither body whose sites are beside it: lead the tendon over a site "
                            "of its own",
                            geom->name);
    }
    tn_drum *drum = &way->drum;
    double tip[3] = {0.0, 0.0, cylinder ? 1.0 : 0.0};
    tn_robot_point(tip, &geom->pose, tip);
    see(m->robot, geom->link, geom->pose.position, way->link_a, drum->center);
    see(m->robot, geom->link, tip, way->link_a, drum->axis);
    tn_vec3_sub(drum->axis, drum->axis, drum->center);
    drum->radius = geom->shape.size[0];
    way->round = true;
    return find_side(m, part, geom->link, way);
}

// The way from one site to the next, of which 1 / divisor counts, round a geom where one stands between them.
static bool add_way(tn_mjcf *m, const tn_xml *tendon, const int site[2], const tn_xml *round, double divisor, sum *out)
{
    const tn_mjcf_site *a = &m->sites[site[0]], *b = &m->sites[site[1]];
    tn_robot_term way = {.coefficient = 1.0 / divisor, .joint = -1, .ends = {.link_a = a->link, .link_b = b->link}};
    tn_vec3_copy(way.ends.point_a, a->pose.position);
    tn_vec3_copy(way.ends.point_b, b->pose.position);
    if (round && !find_drum(m, round, &way.ends)) {
        return false;
    }
    if (stay_together(m->robot, a->link, b->link)) {
        out->offset += way.coefficient * tn_robot_distance(m->robot, &way.ends);
        return true;
    }
    if (out->n == TN_GEAR_MOST) {
        return fail_long(m, tendon, name_of(tendon));
    }
    out->term[out->n++] = way;
    return true;
}

static bool read_divisor(tn_mjcf *m, const tn_xml *pulley, double *divisor)
{
    int n;
    return tn_xml_need(m->reader, pulley, "divisor") &&
           tn_xml_numbers(m->reader, pulley, "divisor", 1, 1, divisor, &n) &&
           (*divisor > 0.0 || tn_mjcf_fail(m, pulley, "the divisor of a pulley is above 0%s", ""));
}

// Behind a pulley it goes on as a branch of its own.
static bool read_ways(tn_mjcf *m, const tn_xml *tendon, sum *out)
{
    double divisor = 1.0;
    int site[2] = {-1, -1}, n_ways = 0;
    const tn_xml *round = NULL; // the geom since the last site
    *out = (sum){.n = 0};
    for (int i = 0; i < tendon->n; i++) {
        const tn_xml *part = tendon->child[i];
        bool geom = tn_xml_is(part, "geom"), pulley = tn_xml_is(part, "pulley");
        if ((geom || pulley) && (round || (geom && site[0] < 0))) {
            return tn_mjcf_fail(m, part, "a geom of a tendon stands between two sites%s", "");
        }
        if (geom) {
            round = part;
        } else if (pulley) {
            site[0] = -1;
            if (!read_divisor(m, part, &divisor)) {
                return false;
            }
        } else {
            site[1] = tn_mjcf_lookup(m, part, "site", &m->site_names, "site");
            if (site[1] < 0 || (site[0] >= 0 && !add_way(m, tendon, site, round, divisor, out))) {
                return false;
            }
            n_ways += site[0] >= 0;
            site[0] = site[1];
            round = NULL;
        }
    }
    return (n_ways > 0 && !round) ||
           tn_mjcf_fail(m, tendon, "tendon '%.60s' does not lead from site to site", name_of(tendon));
}

// The length while springs of joints are at rest, where the tendon's own spring is too if it does not say better.
static double length_at_rest(tn_mjcf *m, const sum *length)
{
    tn_robot *robot = m->robot;
    double at_rest = length->offset;
    for (int i = 0; i < robot->n_joints; i++) { // their start is at zero so far
        robot->joints[i].start = robot->joints[i].freedom < TN_ROBOT_HINGE ? 0.0 : robot->joints[i].rest;
    }
    tn_robot_start(robot);
    for (int k = 0; k < length->n; k++) {
        at_rest += length->term[k].coefficient * tn_robot_distance(robot, &length->term[k].ends);
    }
    for (int i = 0; i < robot->n_joints; i++) {
        robot->joints[i].start = robot->joints[i].zero;
    }
    tn_robot_start(robot);
    return at_rest;
}

static bool read_spatial(tn_mjcf *m, const tn_xml *tendon, tn_mjcf_length *out)
{
    sum length;
    own f;
    *out = (tn_mjcf_length){.of = NULL};
    if (!read_own(m, tendon, &f)) {
        return false;
    }
    if (is_idle(m, tendon, &f)) {
        return true;
    }
    tn_robot_start(m->robot); // which links are one
    if (!read_ways(m, tendon, &length)) {
        return false;
    }
    length.at_rest = length_at_rest(m, &length);
    f.low = f.low <= 0.0 ? -INFINITY : f.low; // no length is below
    const tn_robot_tendon *made = add(m, tendon, &length, out);
    add_own(out, &f, length.at_rest);
    return made->of.name != NULL;
}

static bool read_fixed(tn_mjcf *m, const tn_xml *tendon, tn_mjcf_length *out)
{
    sum length;
    own f;
    *out = (tn_mjcf_length){.of = NULL};
    if (!read_sum(m, tendon, &length) || !read_own(m, tendon, &f)) {
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

// What an equality holds at the length that it has without a keyframe: the coordinate of a joint, or a tendon.
static void hold(tn_mjcf *m, tn_robot_joint *of)
{
    if (of >= m->robot->joints && of < m->robot->joints + m->robot->n_joints) {
        of->low = of->high = of->zero;
        return;
    }
    for (int i = 0; i < m->robot->n_tendons; i++) {
        tn_robot_tendon *tendon = &m->robot->tendons[i];
        if (&tendon->of == of) {
            tendon->held = true;
            tendon->length = tn_robot_tendon_length(m->robot, tendon);
        }
    }
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
        hold(m, length.of);
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
