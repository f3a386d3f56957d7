// MJCF: <replicate> becomes its copies, each in a frame; what names their parts elsewhere is copied with them.
#include "math/quat.h"
#include "math/vec3.h"
#include "scene/robot/mjcf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const sections[] = {"contact", "tendon", "equality", "actuator", "sensor"}; // users of names
enum { SECTIONS = sizeof sections / sizeof *sections };

typedef struct copier {
    tn_mjcf *m;
    int n_list;
    const char **list;   // names of all that is copied, and
    tn_names names;      // the same to be found in
    const char **suffix; // (count)
    int count;
} copier;

static bool index_names(copier *c)
{
    return tn_names_create(&c->names, c->n_list, c->list, c->m->reader->scratch) || tn_read_no_memory(c->m->reader);
}

static tn_xml *copy(copier *c, const tn_xml *from, const char *suffix)
{
    return tn_mjcf_copy(c->m, from, &(tn_mjcf_naming){.prefix = "", .suffix = suffix, .known = &c->names});
}

// Child i becomes `count` children. False with the error set.
static bool make_room(copier *c, tn_xml *parent, int i)
{
    tn_xml **children = TN_PUSH(c->m->reader->scratch, tn_xml *, (size_t)parent->n + (size_t)c->count);
    if (!tn_mjcf_count_copies(c->m, parent->child[i], c->count, parent->child[i]->place)) {
        return false;
    }
    if (!children) {
        return tn_read_no_memory(c->m->reader);
    }
    for (int k = 0; k < parent->n; k++) {
        children[k < i ? k : k + c->count - 1] = parent->child[k]; // child i: written over with the copies
    }
    parent->child = children;
    parent->n += c->count - 1;
    return true;
}

// What names parts of the copies in a section: once for each.
static bool copy_users(copier *c, tn_xml *section)
{
    for (int i = 0; i < section->n; i++) {
        tn_xml *user = section->child[i];
        if (!tn_mjcf_refers(user, &c->names)) {
            continue;
        }
        if (!make_room(c, section, i)) {
            return false;
        }
        for (int k = 0; k < c->count; k++) {
            if (!(section->child[i + k] = copy(c, user, c->suffix[k]))) {
                return false;
            }
        }
        c->n_list = tn_mjcf_list_names(user, c->n_list, c->list);
        i += c->count - 1;
    }
    return index_names(c);
}

static bool copy_all_users(copier *c)
{
    const tn_xml *root = c->m->root;
    for (int k = 0; k < SECTIONS; k++) {
        for (int s = 0; s < root->n; s++) {
            if (tn_xml_is(root->child[s], sections[k]) && !copy_users(c, root->child[s])) {
                return false;
            }
        }
    }
    return true;
}

// "0" to "9", "00" to "99" and so on, after what `sep` says; as many digits as `count` has.
static bool make_suffixes(copier *c, const tn_xml *element)
{
    const char *separator = tn_xml_get(element, "sep");
    int digits = snprintf(NULL, 0, "%d", c->count);
    c->suffix = TN_PUSH(c->m->reader->scratch, const char *, c->count);
    for (int k = 0; c->suffix && k < c->count; k++) {
        c->suffix[k] = tn_robot_text(c->m->reader, "%s%0*d", separator ? separator : "", digits, k);
        if (!c->suffix[k]) {
            return false;
        }
    }
    return c->suffix || tn_read_no_memory(c->m->reader);
}

// The element as a <frame> at the pose. NULL with the error set.
static tn_xml *frame_of(copier *c, const tn_xml *element, const tn_pose *pose, const char *suffix)
{
    tn_xml *frame = copy(c, element, suffix);
    tn_xml_attribute *list = TN_PUSH(c->m->reader->scratch, tn_xml_attribute, 3);
    const char *class = tn_xml_get(element, "childclass");
    const double *p = pose->position, *q = pose->quaternion;
    if (!frame || !list) {
        return NULL;
    }
    frame->name = "frame";
    frame->n_attributes = class ? 3 : 2;
    frame->attribute = list;
    list[0] = (tn_xml_attribute){"pos", tn_robot_text(c->m->reader, "%.17g %.17g %.17g", p[0], p[1], p[2])};
    list[1] =
        (tn_xml_attribute){"quat", tn_robot_text(c->m->reader, "%.17g %.17g %.17g %.17g", q[0], q[1], q[2], q[3])};
    list[2] = (tn_xml_attribute){"childclass", class};
    return list[0].value && list[1].value ? frame : NULL;
}

// offset, euler: from each copy to the next, zero where it is not said.
static bool read_stride(copier *c, const tn_xml *element, double offset[3], double euler[3])
{
    double count;
    int n;
    if (!tn_mjcf_check(c->m, element, NULL) || !tn_xml_need(c->m->reader, element, "count") ||
        !tn_xml_numbers(c->m->reader, element, "count", 1, 1, &count, &n) ||
        !tn_xml_numbers(c->m->reader, element, "offset", 3, 3, offset, &n) ||
        !tn_xml_numbers(c->m->reader, element, "euler", 3, 3, euler, &n)) {
        return false;
    }
    if (!(count >= 1.0 && count <= TN_MJCF_COPIES_MAX && count == floor(count))) {
        return tn_mjcf_fail(c->m, element, "'count' is a whole number from 1 to 200000%s", "");
    }
    c->count = (int)count;
    return true;
}

static bool expand(copier *c, tn_xml *parent, int i)
{
    tn_xml *element = parent->child[i];
    double offset[3] = {0.0}, euler[3] = {0.0}, turned[3], step[3];
    tn_pose pose = {.quaternion = {1.0, 0.0, 0.0, 0.0}};
    c->n_list = tn_mjcf_list_names(element, 0, c->list);
    if (!index_names(c) || !read_stride(c, element, offset, euler) || !make_suffixes(c, element) ||
        !make_room(c, parent, i)) {
        return false;
    }
    for (int k = 0; k < c->count; k++) {
        if (!(parent->child[i + k] = frame_of(c, element, &pose, c->suffix[k]))) {
            return false;
        }
        // As MuJoCo has it: the k-th copy is turned by k times the angles, and the way to the next is turned like it.
        tn_quat_rotate(step, pose.quaternion, offset);
        tn_vec3_add(pose.position, pose.position, step);
        tn_vec3_scale(turned, k + 1.0, euler);
        tn_mjcf_euler(c->m, element, turned, pose.quaternion);
    }
    return copy_all_users(c);
}

// Those inside first: they are part of what the outer one copies.
static bool expand_all(copier *c, tn_xml *element)
{
    for (int i = element->n - 1; i >= 0; i--) {
        tn_xml *child = element->child[i];
        if (!expand_all(c, child) || (tn_xml_is(child, "replicate") && !expand(c, element, i))) {
            return false;
        }
    }
    return true;
}

bool tn_mjcf_replicate(tn_mjcf *m)
{
    if (tn_xml_count(m->root, "replicate") == 0) {
        return true;
    }
    copier c = {.m = m,
                .list = TN_PUSH(m->reader->scratch, const char *, (size_t)tn_mjcf_size(m->root) + TN_MJCF_COPIES_MAX)};
    if (!c.list) {
        return tn_read_no_memory(m->reader);
    }
    for (int i = 0; i < m->root->n; i++) {
        if (tn_xml_is(m->root->child[i], "worldbody") && !expand_all(&c, m->root->child[i])) {
            return false;
        }
    }
    return true;
}
