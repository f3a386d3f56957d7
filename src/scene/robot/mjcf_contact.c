// MJCF: who touches whom beside what contype and conaffinity say (pair, exclude, bodies that joints join), and loops
// (equality).
#include "math/vec3.h"
#include "scene/robot/emit.h"
#include "scene/robot/mjcf.h"

#include <math.h>
#include <string.h>

int tn_mjcf_lookup(tn_mjcf *m, const tn_xml *element, const char *attribute, const tn_names *names, const char *what)
{
    const char *name = tn_xml_need(m->reader, element, attribute);
    int id = name ? tn_names_find(names, name) : -1;
    if (name && id < 0) {
        char hint[160];
        tn_read_error(m->reader, element->place, "no %s '%.100s'%s", what, name,
                      tn_read_hint(tn_names_nearest(names, name), hint, sizeof hint));
    }
    return id;
}

static int own_of_body(tn_robot *robot, int link)
{
    tn_robot_link *of = &robot->links[link];
    of->own = of->own ? of->own : ++robot->n_own;
    return of->own;
}

static int own_of_geom(tn_robot *robot, int geom)
{
    tn_robot_surface *of = &robot->geoms[geom].surface;
    of->own_geom = of->own_geom ? of->own_geom : ++robot->n_own;
    return of->own_geom;
}

static void part(tn_robot *robot, int a, int b, tn_place place)
{
    robot->meetings[robot->n_meetings++] =
        (tn_robot_meeting){.own = {own_of_body(robot, a), own_of_body(robot, b)}, .place = place};
}

static bool read_exclude(tn_mjcf *m, const tn_xml *element)
{
    int a = tn_mjcf_lookup(m, element, "body1", &m->links, "body");
    int b = a < 0 ? -1 : tn_mjcf_lookup(m, element, "body2", &m->links, "body");
    if (b >= 0) {
        part(m->robot, a, b, element->place);
    }
    return b >= 0 && tn_mjcf_check(m, element, NULL);
}

static bool read_pair(tn_mjcf *m, const tn_xml *element)
{
    int class = tn_mjcf_class_of(m, element, NULL), n;
    int a = class < 0 ? -1 : tn_mjcf_lookup(m, element, "geom1", &m->geoms, "geom");
    int b = a < 0 ? -1 : tn_mjcf_lookup(m, element, "geom2", &m->geoms, "geom");
    if (b < 0 || !tn_mjcf_check(m, element, NULL)) {
        return false;
    }
    tn_robot_geom *one = &m->robot->geoms[a], *two = &m->robot->geoms[b];
    double condim = 3.0, f[5] = {fmax(one->surface.mu, two->surface.mu), 0.0, 0.005, 0.0001, 0.0001};
    if (!tn_mjcf_numbers(m, element, class, "friction", 1, 5, f, &n) ||
        !tn_mjcf_number(m, element, class, "condim", &condim)) {
        return false;
    }
    one->collides = two->collides = one->drawn = two->drawn = !m->untouchable;
    m->robot->meetings[m->robot->n_meetings++] =
        (tn_robot_meeting){.of_geoms = true,
                           .own = {own_of_geom(m->robot, a), own_of_geom(m->robot, b)},
                           .collide = true,
                           .mu = condim > 1.0 ? f[0] : 0.0,
                           .torsion = condim > 3.0 ? f[2] : 0.0,
                           .rolling = condim > 4.0 ? f[3] : 0.0,
                           .place = element->place};
    return true;
}

// A body and its parent do not touch; where one joint of the scene joins them that goes without saying.
static void part_from_parents(tn_mjcf *m)
{
    tn_robot_group group[TN_ROBOT_CHAIN_MAX];
    for (int i = 0; i < m->robot->n_links; i++) {
        const tn_robot_link *link = &m->robot->links[i];
        if (link->parent >= 0 && link->n_joints > 1 && !m->robot->links[link->parent].fixed &&
            tn_robot_groups(m->robot, link, group) > 1) {
            part(m->robot, link->parent, i, link->place);
            tn_read_remark(m->reader, link->place,
                           "body '%.60s' has several joints: each frame between two of them carries 0.1 %% of its mass",
                           link->name);
        }
    }
}

bool tn_mjcf_read_contacts(tn_mjcf *m)
{
    tn_mjcf_cursor at = {0};
    for (const tn_xml *element; (element = tn_mjcf_next(m, "contact", &at));) {
        bool exclude = tn_xml_is(element, "exclude");
        if (!exclude && !tn_xml_is(element, "pair")) {
            return tn_mjcf_fail(m, element, "<contact> has pair and exclude, no <%.60s>", element->name);
        }
        if (!(exclude ? read_exclude(m, element) : read_pair(m, element))) {
            return false;
        }
    }
    part_from_parents(m);
    return true;
}

// ---- loops

// NULL with the error set.
static const char *name_of(tn_mjcf *m, const tn_xml *element)
{
    const char *name = tn_xml_get(element, "name");
    return name ? name : tn_robot_text(m->reader, "loop%d", m->robot->n_ties + m->robot->n_couplings + 1);
}

// Two bodies at a point of the first: where that is on the second, the place without keyframe tells.
static bool read_tie(tn_mjcf *m, const tn_xml *element, bool weld)
{
    tn_robot_tie tie = {.place = element->place, .weld = weld, .link_b = -1};
    int class = tn_mjcf_class_of(m, element, NULL), n;
    if (class < 0 || !tn_mjcf_check(m, element, NULL)) {
        return false;
    }
    if (tn_xml_get(element, "site1") || tn_xml_get(element, "relpose")) {
        return tn_mjcf_fail(m, element, "<%.40s> by sites or with 'relpose' is not read: give body1, body2, anchor",
                            element->name);
    }
    tie.link_a = tn_mjcf_lookup(m, element, "body1", &m->links, "body");
    if (tie.link_a >= 0 && tn_xml_get(element, "body2")) {
        tie.link_b = tn_mjcf_lookup(m, element, "body2", &m->links, "body");
    }
    if (tie.link_a < 0 || (tie.link_b < 0 && tn_xml_get(element, "body2")) ||
        (!weld && !tn_xml_need(m->reader, element, "anchor")) ||
        !tn_xml_numbers(m->reader, element, "anchor", 3, 3, weld ? tie.point_b : tie.point_a, &n)) {
        return false;
    }
    tie.name = name_of(m, element);
    const tn_robot_link *links = m->robot->links;
    const tn_pose *a = &links[tie.link_a].world,
                  *b = tie.link_b < 0 ? &m->robot->options->pose : &links[tie.link_b].world;
    tn_pose point = {.quaternion = {1.0, 0.0, 0.0, 0.0}}, local;
    tn_robot_point(point.position, weld ? b : a, weld ? tie.point_b : tie.point_a);
    tn_robot_relative(&local, weld ? a : b, &point);
    tn_vec3_copy(weld ? tie.point_a : tie.point_b, local.position);
    m->robot->ties[m->robot->n_ties++] = tie;
    return tie.name != NULL;
}

// q1 - zero1 = c0 + c1 (q2 - zero2); without a second joint q1 stays.
static bool read_coupling(tn_mjcf *m, const tn_xml *element)
{
    double c[5] = {0.0, 1.0, 0.0, 0.0, 0.0};
    int class = tn_mjcf_class_of(m, element, NULL), n;
    int b = class < 0 ? -1 : tn_mjcf_lookup(m, element, "joint1", &m->joints, "joint");
    if (b < 0 || !tn_mjcf_check(m, element, "equality joint")) {
        return false;
    }
    if (!tn_xml_get(element, "joint2")) {
        return tn_mjcf_fail(m, element, "<joint> needs a 'joint2': one that stays where it is needs no joint%s", "");
    }
    int a = tn_mjcf_lookup(m, element, "joint2", &m->joints, "joint");
    if (a < 0 || !tn_mjcf_numbers(m, element, class, "polycoef", 1, 5, c, &n)) {
        return false;
    }
    const tn_robot_joint *joints = m->robot->joints;
    if (joints[a].freedom < TN_ROBOT_HINGE || joints[b].freedom < TN_ROBOT_HINGE) {
        return tn_mjcf_fail(m, element, "a coupling is of hinges and slides%s", "");
    }
    if (c[2] != 0.0 || c[3] != 0.0 || c[4] != 0.0 || c[1] == 0.0) {
        return tn_mjcf_fail(m, element, "'polycoef' beyond a line is not read, nor one without slope%s", "");
    }
    m->robot->couplings[m->robot->n_couplings] = (tn_robot_coupling){.name = name_of(m, element),
                                                                     .place = element->place,
                                                                     .joint_a = a,
                                                                     .joint_b = b,
                                                                     .ratio = c[1],
                                                                     .offset = c[0]};
    return m->robot->couplings[m->robot->n_couplings++].name != NULL;
}

bool tn_mjcf_read_equalities(tn_mjcf *m)
{
    tn_mjcf_cursor at = {0};
    for (const tn_xml *element; (element = tn_mjcf_next(m, "equality", &at));) {
        const char *active = tn_xml_get(element, "active");
        bool weld = tn_xml_is(element, "weld"), connect = tn_xml_is(element, "connect");
        if (!weld && !connect && !tn_xml_is(element, "joint")) {
            return tn_mjcf_fail(m, element, "an equality of <%.60s> is not read: connect, weld, joint", element->name);
        }
        if (active && strcmp(active, "false") == 0) {
            tn_read_remark(m->reader, element->place, "an equality that is not active is left out");
        } else if (!(weld || connect ? read_tie(m, element, weld) : read_coupling(m, element))) {
            return false;
        }
    }
    return true;
}
