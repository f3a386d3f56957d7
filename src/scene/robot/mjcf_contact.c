// MJCF: who touches whom beside what contype and conaffinity say (pair, exclude, bodies that joints join), and loops
// (equality).
#include "math/vec3.h"
#include "scene/robot/emit.h"
#include "scene/robot/mjcf.h"
#include "shape/pose.h"

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

static int own_of_geom(tn_robot *robot, int geom)
{
    tn_robot_surface *of = &robot->geoms[geom].surface;
    of->own_geom = of->own_geom ? of->own_geom : ++robot->n_own;
    return of->own_geom;
}

// A body's number; -1: the world, which the name `world` says and, where it need not be there, an absent attribute.
static bool find_body(tn_mjcf *m, const tn_xml *element, const char *attribute, bool needed, int *link)
{
    const char *name = tn_xml_get(element, attribute);
    *link = -1;
    if (name ? strcmp(name, "world") == 0 : !needed) {
        return true;
    }
    *link = tn_mjcf_lookup(m, element, attribute, &m->links, "body");
    return *link >= 0;
}

static bool read_exclude(tn_mjcf *m, const tn_xml *element)
{
    int a, b;
    if (!tn_mjcf_check(m, element, NULL) || !find_body(m, element, "body1", true, &a) ||
        !find_body(m, element, "body2", true, &b)) {
        return false;
    }
    if (a >= 0 && b >= 0) {
        return tn_robot_part(m->robot, a, b, element->place);
    }
    for (int i = 0; a + b > -2 && i < m->robot->n_links; i++) { // the world's geoms are links of their own
        if (m->robot->links[i].ground && !tn_robot_part(m->robot, i, a >= 0 ? a : b, element->place)) {
            return false;
        }
    }
    return true;
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
    const tn_robot_surface s = tn_robot_surface_between(&one->surface, &two->surface); // where the pair says nothing
    double condim = s.condim, f[5] = {s.mu, s.mu, s.torsion, s.rolling, s.rolling};
    if (!tn_mjcf_numbers(m, element, class, "friction", 1, 5, f, &n) ||
        !tn_mjcf_number(m, element, class, "condim", &condim)) {
        return false;
    }
    if (n > 1 && f[1] != f[0]) {
        tn_read_remark(m->reader, element->place, "the second 'friction' of <pair> is left out: the first counts");
    }
    one->collides = two->collides = !m->untouchable;
    const tn_robot_meeting pair = {.of_geoms = true,
                                   .own = {own_of_geom(m->robot, a), own_of_geom(m->robot, b)},
                                   .collide = true,
                                   .mu = condim > 1.0 ? f[0] : 0.0,
                                   .torsion = condim > 3.0 ? f[2] : 0.0,
                                   .rolling = condim > 4.0 ? f[3] : 0.0,
                                   .place = element->place};
    return tn_robot_add_meeting(m->robot, &pair);
}

// Every link of the one body with every one of the other; next: from a link to the next of its body, -1 at the end.
static bool part_bodies(tn_mjcf *m, int a, int b, const int *next, tn_place place)
{
    for (int i = a; i >= 0; i = next[i]) {
        for (int k = b; k >= 0; k = next[k]) {
            if (!tn_robot_part(m->robot, i, k, place)) {
                return false;
            }
        }
    }
    return true;
}

// The link that its joints move together with all that is welded to it.
static int moved_by(const tn_robot_link *links, int i)
{
    while (links[i].apart) {
        i = links[links[i].parent].body;
    }
    return i;
}

// What a sensor's weld cuts in two touches as little as if it were one.
static bool part_welded(tn_mjcf *m, const int *next)
{
    const tn_robot_link *links = m->robot->links;
    for (int i = 0; i < m->robot->n_links; i++) {
        for (int k = 0; k < i; k++) {
            if (links[i].body != i || links[k].body != k || links[i].fixed || links[k].fixed) {
                continue;
            }
            const int a = moved_by(links, i), b = moved_by(links, k);
            const int parent_a = links[a].parent, parent_b = links[b].parent;
            bool near = a == b || (parent_a >= 0 && moved_by(links, links[parent_a].body) == b) ||
                        (parent_b >= 0 && moved_by(links, links[parent_b].body) == a);
            if ((a != i || b != k) && near && !part_bodies(m, i, k, next, links[i].place)) {
                return false;
            }
        }
    }
    return true;
}

// A body and its parent do not touch; where one joint of the scene joins them that goes without saying.
static bool part_from_parents(tn_mjcf *m)
{
    const tn_robot_link *links = m->robot->links;
    int n = m->robot->n_links, *next = TN_PUSH(m->reader->scratch, int, n);
    tn_robot_group group[TN_ROBOT_CHAIN_MAX];
    if (!next) {
        return tn_read_no_memory(m->reader);
    }
    for (int i = 0; i < n; i++) {
        next[i] = -1;
    }
    for (int i = n - 1; i >= 0; i--) { // lists that begin with the link that heads the body
        if (links[i].body != i) {
            next[i] = next[links[i].body];
            next[links[i].body] = i;
        }
    }
    for (int i = 0; i < n; i++) {
        const tn_robot_link *link = &links[i];
        if (link->n_joints < 2 || tn_robot_groups(m->robot, link, group) < 2) {
            continue;
        }
        tn_read_remark(
            m->reader, link->place,
            "body '%.60s' has several joints: each frame between two of them carries at most 0.01 %% of its mass",
            link->name);
        if (link->parent >= 0 && !links[link->parent].fixed &&
            !part_bodies(m, links[link->parent].body, i, next, link->place)) {
            return false;
        }
    }
    return part_welded(m, next);
}

bool tn_mjcf_read_contacts(tn_mjcf *m)
{
    tn_mjcf_cursor at = {0};
    for (const tn_xml *element; (element = tn_mjcf_next(m, "contact", &at));) {
        bool exclude = tn_xml_is(element, "exclude");
        if (!exclude && !tn_xml_is(element, "pair")) {
            return tn_mjcf_fail(m, element, "<contact> has pair and exclude, no <%.60s>", element->name);
        }
        if (!exclude && m->no_pairs) {
            continue;
        }
        if (!(exclude ? read_exclude(m, element) : read_pair(m, element))) {
            return false;
        }
    }
    return part_from_parents(m);
}

// ---- loops

static const double SAME = 1e-4; // between poses that a file says with some digits [m, 1]

// NULL with the error set.
static const char *name_of(tn_mjcf *m, const tn_xml *element)
{
    const char *name = tn_xml_get(element, "name");
    return name ? name : tn_robot_text(m->reader, "loop%d", m->robot->n_ties + m->robot->n_couplings + 1);
}

// The two ends of a tie where sites say them.
static bool find_sites(tn_mjcf *m, const tn_xml *element, tn_robot_tie *tie)
{
    int a = tn_mjcf_lookup(m, element, "site1", &m->site_names, "site");
    int b = a < 0 ? -1 : tn_mjcf_lookup(m, element, "site2", &m->site_names, "site");
    if (b < 0) {
        return false;
    }
    tie->link_a = m->robot->sites[a].link;
    tie->link_b = m->robot->sites[b].link;
    tn_vec3_copy(tie->point_a, m->robot->sites[a].pose.position);
    tn_vec3_copy(tie->point_b, m->robot->sites[b].pose.position);
    return true;
}

// Two bodies at a point of the first (of a weld: of the second): where that is on the other one, the place without
// keyframe tells.
static bool find_bodies(tn_mjcf *m, const tn_xml *element, tn_robot_tie *tie)
{
    int n;
    bool weld = tie->weld;
    if (!find_body(m, element, "body1", true, &tie->link_a) || !find_body(m, element, "body2", false, &tie->link_b) ||
        (!weld && !tn_xml_need(m->reader, element, "anchor")) ||
        !tn_xml_numbers(m->reader, element, "anchor", 3, 3, weld ? tie->point_b : tie->point_a, &n)) {
        return false;
    }
    const tn_robot_link *links = m->robot->links;
    if (m->rules[element->model].global && n > 0) {
        const tn_pose seen = tn_mjcf_world(m, weld ? tie->link_b : tie->link_a);
        tn_pose_point(weld ? tie->point_b : tie->point_a, &seen, weld ? tie->point_b : tie->point_a);
    }
    const tn_pose *world = &m->robot->options->pose;
    const tn_pose *a = tie->link_a < 0 ? world : &links[tie->link_a].world;
    const tn_pose *b = tie->link_b < 0 ? world : &links[tie->link_b].world;
    tn_pose point = {.quaternion = {1.0, 0.0, 0.0, 0.0}}, local;
    tn_pose_point(point.position, weld ? b : a, weld ? tie->point_b : tie->point_a);
    tn_robot_relative(&local, weld ? a : b, &point);
    tn_vec3_copy(weld ? tie->point_a : tie->point_b, local.position);
    return true;
}

// The pose of b as seen from a that a weld may say, for which the start's counts here: they are the same (the
// quaternion 0 says nothing).
static bool check_relative(tn_mjcf *m, const tn_xml *element, const tn_robot_tie *tie)
{
    const tn_pose *world = &m->robot->options->pose;
    const tn_pose *a = tie->link_a < 0 ? world : &m->robot->links[tie->link_a].world;
    const tn_pose *b = tie->link_b < 0 ? world : &m->robot->links[tie->link_b].world;
    double said[7] = {0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0}, off[3];
    int n;
    if (!tn_xml_numbers(m->reader, element, "relpose", 7, 7, said, &n)) {
        return false;
    }
    tn_pose start;
    tn_robot_relative(&start, a, b);
    double length = sqrt(said[3] * said[3] + tn_vec3_dot(said + 4, said + 4));
    const double *q = start.quaternion;
    double along = fabs(said[3] * q[0] + tn_vec3_dot(said + 4, q + 1));
    tn_vec3_sub(off, said, start.position);
    return length == 0.0 || (tn_vec3_norm(off) < SAME && along > (1.0 - SAME) * length) ||
           tn_mjcf_fail(m, element,
                        "'relpose' of a weld is not the pose at the start, which it holds here: start there%s",
                        ", or leave it out");
}

static bool is_mocap(const tn_robot *robot, int link)
{
    return link >= 0 && robot->links[robot->links[link].body].mocap;
}

// A tie is rigid, but one to a mocap body: a program may move that to where the robot cannot follow. A weld's angles
// count half there.
static bool give_way(tn_mjcf *m, const tn_xml *element, int class, double torques, tn_robot_tie *tie)
{
    static const char *const words[] = {"solref", "solimp"};
    bool first = is_mocap(m->robot, tie->link_a);
    if (!first && !is_mocap(m->robot, tie->link_b)) {
        for (int k = 0; k < 2; k++) {
            if (tn_xml_get(element, words[k])) {
                tn_read_remark(m->reader, element->place, "'%s' of <%s> is left out", words[k], element->name);
            }
        }
        return true;
    }
    double gives[2] = {0.0, 0.0}, half = 0.5 * torques;
    int moved = first ? tie->link_b : tie->link_a;
    const tn_robot_response *response = moved < 0 ? NULL : tn_robot_respond(m->robot, tn_robot_root(m->robot, moved));
    if (!response) {
        return moved < 0;
    }
    tn_robot_link_gives(m->robot, response, moved, gives);
    return tn_mjcf_give_way(m, element, class, gives[0], tie->spring) &&
           (!tie->weld || tn_mjcf_give_way(m, element, class, gives[1] / (half * half), tie->turn_spring));
}

static bool read_tie(tn_mjcf *m, const tn_xml *element, bool weld)
{
    tn_robot_tie tie = {.place = element->place, .weld = weld};
    int class = tn_mjcf_class_of(m, element, NULL);
    if (class < 0 || !tn_mjcf_check(m, element, NULL)) {
        return false;
    }
    double torques = 1.0;
    int n;
    if (!(tn_xml_get(element, "site1") ? find_sites(m, element, &tie) : find_bodies(m, element, &tie)) ||
        !tn_xml_numbers(m->reader, element, "torquescale", 1, 1, &torques, &n) ||
        (torques != 0.0 && !check_relative(m, element, &tie)) || !(tie.name = name_of(m, element))) {
        return false;
    }
    tie.weld = weld && torques != 0.0; // without torques it holds the point alone
    if (!give_way(m, element, class, torques, &tie)) {
        return false;
    }
    m->robot->ties[m->robot->n_ties++] = tie;
    return true;
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
    bool two = tn_xml_get(element, "joint2") != NULL;
    int a = two ? tn_mjcf_lookup(m, element, "joint2", &m->joints, "joint") : b;
    if (a < 0 || !tn_mjcf_numbers(m, element, class, "polycoef", 1, 5, c, &n)) {
        return false;
    }
    tn_robot_joint *joints = m->robot->joints;
    if (joints[a].freedom < TN_ROBOT_HINGE || joints[b].freedom < TN_ROBOT_HINGE) {
        return tn_mjcf_fail(m, element, "a coupling is of hinges and slides%s", "");
    }
    bool line = c[2] == 0.0 && c[3] == 0.0 && c[4] == 0.0;
    if (!two || (line && c[1] == 0.0)) { // held by its limits
        joints[b].low = joints[b].high = joints[b].zero + c[0];
        return true;
    }
    if (!line) {
        return tn_mjcf_fail(m, element, "'polycoef' beyond a line is not read%s", "");
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
        if (!weld && !connect && !tn_xml_is(element, "joint") && !tn_xml_is(element, "tendon")) {
            return tn_mjcf_fail(m, element, "an equality of <%.60s> is not read: connect, weld, joint, tendon",
                                element->name);
        }
        if (m->no_equalities) {
            continue;
        }
        if (active && strcmp(active, "false") == 0) {
            tn_read_remark(m->reader, element->place, "an equality that is not active is left out");
        } else if (!tn_xml_is(element, "tendon") &&
                   !(weld || connect ? read_tie(m, element, weld) : read_coupling(m, element))) {
            return false;
        }
    }
    return true;
}
