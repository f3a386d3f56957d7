// MJCF: copies of elements under other names, with what refers to them.
#include "scene/robot/mjcf.h"

#include <string.h>

// Attributes that name parts of bodies, or elements of sections; and those that name assets.
static const char *const references[] = {"joint",   "joint1",   "joint2",     "jointinparent", "site",    "site1",
                                         "site2",   "sidesite", "slidersite", "cranksite",     "refsite", "body",
                                         "body1",   "body2",    "geom",       "geom1",         "geom2",   "objname",
                                         "refname", "tendon",   "target",     "tendon1",       "tendon2", "actuator"};
static const char *const assets[] = {"mesh", "hfield", "material", "texture"};
enum { REFERENCES = sizeof references / sizeof *references, ASSETS = sizeof assets / sizeof *assets };

static bool is_one_of(const char *word, int n, const char *const *words)
{
    int k = 0;
    while (k < n && strcmp(words[k], word) != 0) {
        k++;
    }
    return k < n;
}

int tn_mjcf_size(const tn_xml *element)
{
    int n = 1;
    for (int i = 0; i < element->n; i++) {
        n += tn_mjcf_size(element->child[i]);
    }
    return n;
}

bool tn_mjcf_count_copies(tn_mjcf *m, const tn_xml *of, int count, tn_place place)
{
    int size = tn_mjcf_size(of);
    if (size > m->elements_left / count) {
        return tn_read_error(m->reader, place, "copies of more than %d elements", TN_MJCF_COPIES_MAX);
    }
    m->elements_left -= size * count;
    return true;
}

int tn_mjcf_list_names(const tn_xml *element, int n, const char **list)
{
    const char *name = tn_xml_get(element, "name");
    if (name && name[0]) {
        list[n++] = name;
    }
    for (int i = 0; i < element->n; i++) {
        n = tn_mjcf_list_names(element->child[i], n, list);
    }
    return n;
}

static bool refers(const tn_xml_attribute *a, const tn_names *known)
{
    return is_one_of(a->name, REFERENCES, references) && tn_names_find(known, a->value) >= 0;
}

bool tn_mjcf_refers(const tn_xml *element, const tn_names *known)
{
    for (int i = 0; i < element->n_attributes; i++) {
        if (refers(&element->attribute[i], known)) {
            return true;
        }
    }
    for (int i = 0; i < element->n; i++) {
        if (tn_mjcf_refers(element->child[i], known)) {
            return true;
        }
    }
    return false;
}

static bool is_renamed(const tn_xml_attribute *a, const tn_mjcf_naming *naming)
{
    bool all = !naming->known, named = strcmp(a->name, "name") == 0;
    if (named || (all && is_one_of(a->name, ASSETS, assets))) {
        return a->value[0] != 0;
    }
    return all ? is_one_of(a->name, REFERENCES, references) && strcmp(a->value, "world") != 0
               : refers(a, naming->known);
}

tn_xml *tn_mjcf_copy(tn_mjcf *m, const tn_xml *from, const tn_mjcf_naming *naming)
{
    tn_arena *arena = m->reader->scratch;
    tn_xml *to = TN_PUSH(arena, tn_xml, 1);
    tn_xml_attribute *list = TN_PUSH(arena, tn_xml_attribute, from->n_attributes);
    tn_xml **child = TN_PUSH(arena, tn_xml *, from->n);
    if (!to || !list || !child) {
        tn_read_no_memory(m->reader);
        return NULL;
    }
    *to = *from;
    to->model = naming->model ? naming->model[from->model] : from->model;
    to->attribute = list;
    to->child = child;
    for (int i = 0; i < from->n_attributes; i++) {
        const tn_xml_attribute *a = &from->attribute[i];
        list[i] = *a;
        if (is_renamed(a, naming) &&
            !(list[i].value = tn_robot_text(m->reader, "%s%s%s", naming->prefix, a->value, naming->suffix))) {
            return NULL;
        }
    }
    for (int i = 0; i < from->n; i++) {
        if (!(child[i] = tn_mjcf_copy(m, from->child[i], naming))) {
            return NULL;
        }
    }
    return to;
}

bool tn_mjcf_append(tn_mjcf *m, tn_xml *parent, tn_xml *child)
{
    bool full = (parent->n & (parent->n - 1)) == 0; // room for the next power of two
    tn_xml **children =
        full && child ? TN_PUSH(m->reader->scratch, tn_xml *, 2 * (size_t)parent->n + 1) : parent->child;
    if (!child) {
        return false;
    }
    if (!children) {
        return tn_read_no_memory(m->reader);
    }
    for (int i = 0; full && i < parent->n; i++) {
        children[i] = parent->child[i];
    }
    parent->child = children;
    parent->child[parent->n++] = child;
    return true;
}
