// MJCF: <replicate> becomes its copies, each in a frame; what names their parts elsewhere is copied with them.
#include "math/quat.h"
#include "math/vec3.h"
#include "scene/robot/mjcf.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { ELEMENTS_MAX = 200 * 1000 }; // that all copies have together

// Sections whose elements name parts of bodies or of sections before them, and attributes that do.
static const char *const sections[] = {"contact", "tendon", "equality", "actuator", "sensor"};
static const char *const references[] = {"joint",   "joint1",   "joint2",     "jointinparent", "site",    "site1",
                                         "site2",   "sidesite", "slidersite", "cranksite",     "refsite", "body",
                                         "body1",   "body2",    "geom",       "geom1",         "geom2",   "objname",
                                         "refname", "tendon",   "target",     "tendon1",       "tendon2", "actuator"};
enum { SECTIONS = sizeof sections / sizeof *sections, REFERENCES = sizeof references / sizeof *references };

typedef struct copier {
    tn_mjcf *m;
    int n_left; // of ELEMENTS_MAX
    int n_list;
    const char **list;   // names of all that is copied, and
    tn_names names;      // the same to be found in
    const char **suffix; // (count)
    int count;
} copier;

static int size_of(const tn_xml *element)
{
    int n = 1;
    for (int i = 0; i < element->n; i++) {
        n += size_of(element->child[i]);
    }
    return n;
}

static void list_names(copier *c, const tn_xml *element)
{
    const char *name = tn_xml_get(element, "name");
    if (name && name[0]) {
        c->list[c->n_list++] = name;
    }
    for (int i = 0; i < element->n; i++) {
        list_names(c, element->child[i]);
    }
}

static bool index_names(copier *c)
{
    return tn_names_create(&c->names, c->n_list, c->list, c->m->reader->scratch) || tn_read_no_memory(c->m->reader);
}

static bool is_copied(const copier *c, const tn_xml_attribute *a)
{
    for (int i = 0; i < REFERENCES; i++) {
        if (strcmp(a->name, references[i]) == 0) {
            return tn_names_find(&c->names, a->value) >= 0;
        }
    }
    return false;
}

// Its names, and what names a part of what is copied, get the suffix. NULL with the error set.
static tn_xml *copy(copier *c, const tn_xml *from, const char *suffix)
{
    tn_arena *arena = c->m->reader->scratch;
    tn_xml *to = TN_PUSH(arena, tn_xml, 1);
    tn_xml_attribute *list = TN_PUSH(arena, tn_xml_attribute, from->n_attributes);
    tn_xml **child = TN_PUSH(arena, tn_xml *, from->n);
    if (!to || !list || !child) {
        tn_read_no_memory(c->m->reader);
        return NULL;
    }
    *to = *from;
    to->attribute = list;
    to->child = child;
    for (int i = 0; i < from->n_attributes; i++) {
        const tn_xml_attribute *a = &from->attribute[i];
        bool own = strcmp(a->name, "name") == 0 && a->value[0];
        list[i] = *a;
        if ((own || is_copied(c, a)) && !(list[i].value = tn_robot_text(c->m->reader, "%s%s", a->value, suffix))) {
            return NULL;
        }
    }
    for (int i = 0; i < from->n; i++) {
        if (!(child[i] = copy(c, from->child[i], suffix))) {
            return NULL;
        }
    }
    return to;
}

static bool uses_copied(const copier *c, const tn_xml *element)
{
    for (int i = 0; i < element->n_attributes; i++) {
        if (is_copied(c, &element->attribute[i])) {
            return true;
        }
    }
    for (int i = 0; i < element->n; i++) {
        if (uses_copied(c, element->child[i])) {
            return true;
        }
    }
    return false;
}

// Child i becomes `count` children. False with the error set.
static bool make_room(copier *c, tn_xml *parent, int i, int size)
{
    tn_xml **children = TN_PUSH(c->m->reader->scratch, tn_xml *, (size_t)parent->n + (size_t)c->count);
    if (size > c->n_left / c->count) {
        return tn_read_error(c->m->reader, parent->child[i]->place, "copies of more than %d elements", ELEMENTS_MAX);
    }
    if (!children) {
        return tn_read_no_memory(c->m->reader);
    }
    c->n_left -= size * c->count;
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
        if (!uses_copied(c, user)) {
            continue;
        }
        if (!make_room(c, section, i, size_of(user))) {
            return false;
        }
        for (int k = 0; k < c->count; k++) {
            if (!(section->child[i + k] = copy(c, user, c->suffix[k]))) {
                return false;
            }
        }
        list_names(c, user);
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
    if (!(count >= 1.0 && count <= ELEMENTS_MAX && count == floor(count))) {
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
    c->n_list = 0;
    list_names(c, element);
    if (!index_names(c) || !read_stride(c, element, offset, euler) || !make_suffixes(c, element) ||
        !make_room(c, parent, i, size_of(element))) {
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
        tn_mjcf_euler(c->m, turned, pose.quaternion);
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
                .n_left = ELEMENTS_MAX,
                .list = TN_PUSH(m->reader->scratch, const char *, (size_t)size_of(m->root) + ELEMENTS_MAX)};
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
