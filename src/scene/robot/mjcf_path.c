// MJCF: lengths of tendons. A fixed one is a sum of joint coordinates; those that equalities couple follow one of them.
// A spatial one leads from site to site, straight or round a geom, its branches behind pulleys divided.
#include "scene/robot/mjcf_path.h"

#include "math/vec3.h"
#include "shape/pose.h"

#include <math.h>

static const char *name_of(const tn_xml *tendon)
{
    const char *name = tn_xml_get(tendon, "name");
    return name ? name : "";
}

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

static bool add_joint(tn_mjcf *m, const tn_xml *tendon, const tn_xml *part, tn_mjcf_path *out)
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

bool tn_mjcf_joint_path(tn_mjcf *m, const tn_xml *tendon, tn_mjcf_path *out)
{
    *out = (tn_mjcf_path){.n = 0};
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
    tn_pose_point(at.position, world_of(robot, from), x);
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
    const tn_robot_site *at = &m->robot->sites[side];
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
    tn_pose_point(tip, &geom->pose, tip);
    see(m->robot, geom->link, geom->pose.position, way->link_a, drum->center);
    see(m->robot, geom->link, tip, way->link_a, drum->axis);
    tn_vec3_sub(drum->axis, drum->axis, drum->center);
    drum->radius = geom->shape.size[0];
    way->round = true;
    return find_side(m, part, geom->link, way);
}

// The way from one site to the next, of which 1 / divisor counts, round a geom where one stands between them.
static bool add_way(tn_mjcf *m, const tn_xml *tendon, const int site[2], const tn_xml *round, double divisor,
                    tn_mjcf_path *out)
{
    const tn_robot_site *a = &m->robot->sites[site[0]], *b = &m->robot->sites[site[1]];
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

// The length while springs of joints are at rest, where the tendon's own spring is too if it does not say better.
static double length_at_rest(tn_mjcf *m, const tn_mjcf_path *length)
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

static bool read_divisor(tn_mjcf *m, const tn_xml *pulley, double *divisor)
{
    int n;
    return tn_xml_need(m->reader, pulley, "divisor") &&
           tn_xml_numbers(m->reader, pulley, "divisor", 1, 1, divisor, &n) &&
           (*divisor > 0.0 || tn_mjcf_fail(m, pulley, "the divisor of a pulley is above 0%s", ""));
}

// Behind a pulley it goes on as a branch of its own.
bool tn_mjcf_site_path(tn_mjcf *m, const tn_xml *tendon, tn_mjcf_path *out)
{
    double divisor = 1.0;
    int site[2] = {-1, -1}, n_ways = 0;
    const tn_xml *round = NULL; // the geom since the last site
    *out = (tn_mjcf_path){.n = 0};
    tn_robot_start(m->robot); // which links are one
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
        } else if (!tn_xml_is(part, "site")) {
            return tn_mjcf_fail(m, part, "a spatial tendon has site, geom and pulley, no <%.60s>", part->name);
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
    out->at_rest = length_at_rest(m, out);
    return (n_ways > 0 && !round) ||
           tn_mjcf_fail(m, tendon, "tendon '%.60s' does not lead from site to site", name_of(tendon));
}
