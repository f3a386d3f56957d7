// MJCF: files that a file includes or attaches. What is attached gets a prefix to its names, with the rules and classes
// of its file as a model of its own.
#include "scene/file.h"
#include "scene/robot/mjcf.h"

#include <stdio.h>
#include <string.h>

enum { FILES_MAX = 100, PATH_CAP = 4096 };

// Sections that go on at the root, one needing only those before it: assets, then what names parts of bodies.
static const char *const sections[] = {"asset", "contact", "tendon", "equality", "actuator", "sensor", "keyframe"};
enum { SECTIONS = sizeof sections / sizeof *sections, KEYS = SECTIONS - 1 };

typedef struct model {
    const tn_xml *said; // <model>
    tn_xml *root;       // with all that it attaches itself
    int number;         // tn_xml's, of its own elements
} model;

typedef struct library {
    tn_mjcf *m;
    int n;
    model models[FILES_MAX]; // (n)
} library;

// A prefix that a file has been attached with: its assets, rules and classes are there, as models of the numbers
// `model` (m->n_models; -1: of none of its elements) by those that its elements have.
typedef struct attached {
    const struct model *from;
    const char *prefix;
    int *model;
    struct attached *next;
} attached;

// A tree that models are attached to.
typedef struct trunk {
    library *library;
    tn_xml *root, *section[SECTIONS]; // its own for what is attached
    const char *path;
    attached *done;
} trunk;

static bool include(tn_mjcf *m, const char *path, tn_xml *element);
static bool attach_all(library *l, tn_xml *root, const char *path);

static int folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? (int)(slash - path) + 1 : 0;
}

// The path of the file that an element names, from the main file's folder; `from`: that of the file that says it.
static const char *path_of(tn_mjcf *m, const tn_xml *element, const char *from)
{
    const char *name = tn_xml_need(m->reader, element, "file");
    return !name ? NULL : name[0] == '/' ? name : tn_robot_text(m->reader, "%.*s%s", folder_of(from), from, name);
}

// The file's root, what it includes in it. NULL with the error set.
static tn_xml *load(tn_mjcf *m, const tn_xml *element, const char *path, const char *base)
{
    tn_reader *reader = m->reader;
    const char *main = m->robot->file;
    char full[PATH_CAP];
    size_t length;
    if (m->files_left-- <= 0 ||
        snprintf(full, sizeof full, "%.*s%s", path[0] == '/' ? 0 : folder_of(main), main, path) >= PATH_CAP) {
        tn_read_error(reader, element->place, "more than %d files read (does one %s itself?), or a path too long",
                      FILES_MAX, tn_xml_is(element, "include") ? "include" : "attach");
        return NULL;
    }
    char *file = tn_arena_push(reader->storage, strlen(full) + 1, 1);
    char *text = file ? tn_scene_file(reader, memcpy(file, full, strlen(full)), &element->place, &length) : NULL;
    if (!file) {
        tn_read_no_memory(reader);
    }
    tn_xml *root = text ? tn_xml_parse(reader, text, length, file) : NULL;
    return root && include(m, base, root) ? root : NULL;
}

// Every <include> in the element, at any depth, becomes what it stands for: the children of that file's root.
static bool include(tn_mjcf *m, const char *path, tn_xml *element)
{
    int n = 0;
    for (int i = 0; i < element->n; i++) {
        tn_xml *child = element->child[i];
        if (tn_xml_is(child, "include")) {
            const char *file = path_of(m, child, path);
            child = element->child[i] = file ? load(m, child, file, path) : NULL;
        }
        if (!child) {
            return false;
        }
        bool root = child->place.file != element->place.file;
        if (!root && !include(m, path, child)) {
            return false;
        }
        n += root ? child->n : 1;
    }
    tn_xml **children = TN_PUSH(m->reader->scratch, tn_xml *, n);
    if (!children) {
        return tn_read_no_memory(m->reader);
    }
    n = 0;
    for (int i = 0; i < element->n; i++) {
        tn_xml *child = element->child[i];
        bool root = child->place.file != element->place.file;
        for (int k = 0; root && k < child->n; k++) {
            children[n++] = child->child[k];
        }
        if (!root) {
            children[n++] = child;
        }
    }
    element->child = children;
    element->n = n;
    return true;
}

// ---- attach

// That of its file without folder and ending. NULL with the error set.
static const char *asset_name(tn_mjcf *m, const tn_xml *asset)
{
    const char *file = tn_xml_get(asset, "file"), *slash = strrchr(file, '/');
    const char *stem = slash ? slash + 1 : file, *dot = strrchr(stem, '.');
    return tn_robot_text(m->reader, "%.*s", (int)(dot ? (size_t)(dot - stem) : strlen(stem)), stem);
}

// Assets called after their files say so, as copies are called otherwise.
static bool name_assets(tn_mjcf *m, const tn_xml *root)
{
    for (int s = 0; s < root->n; s++) {
        for (int i = 0; tn_xml_is(root->child[s], "asset") && i < root->child[s]->n; i++) {
            tn_xml *asset = root->child[s]->child[i];
            int n = asset->n_attributes;
            if (tn_xml_get(asset, "name") || !tn_xml_get(asset, "file")) {
                continue;
            }
            const char *name = asset_name(m, asset);
            tn_xml_attribute *list = TN_PUSH(m->reader->scratch, tn_xml_attribute, (size_t)n + 1);
            if (!list || !name) {
                return tn_read_no_memory(m->reader);
            }
            memcpy(list, asset->attribute, (size_t)n * sizeof *list);
            list[n] = (tn_xml_attribute){"name", name};
            asset->attribute = list;
            asset->n_attributes++;
        }
    }
    return true;
}

static void set_model(tn_xml *element, int number)
{
    element->model = number;
    for (int i = 0; i < element->n; i++) {
        set_model(element->child[i], number);
    }
}

// Another model; -1 with the error set.
static int start_rules(tn_mjcf *m, const char *folder, int within, tn_place place)
{
    if (m->n_models == TN_MJCF_MODELS_MAX) {
        tn_read_error(m->reader, place, "more than %d parts of files are attached", TN_MJCF_MODELS_MAX);
        return -1;
    }
    m->rules[m->n_models] = (tn_mjcf_rules){.autolimits = true,
                                            .euler = "xyz",
                                            .meshdir = "",
                                            .from_geoms = TN_MJCF_AUTO,
                                            .groups = {0.0, 5.0},
                                            .folder = folder,
                                            .within = within};
    return m->n_models++;
}

// NULL with the error set.
static const model *load_model(trunk *t, const tn_xml *said)
{
    library *l = t->library;
    tn_mjcf *m = l->m;
    const char *path = path_of(m, said, t->path);
    const char *folder = path ? tn_robot_text(m->reader, "%.*s", folder_of(path), path) : NULL;
    tn_xml *root = folder ? load(m, said, path, path) : NULL;
    if (!root) {
        return NULL;
    }
    if (!tn_xml_is(root, "mujoco")) {
        tn_mjcf_fail(m, root, "<%.60s> is no MJCF file, which is a <mujoco>: nothing else is attached", root->name);
        return NULL;
    }
    model *new = &l->models[l->n++]; // each costs one of FILES_MAX files: there is room
    *new = (model){said, root, start_rules(m, folder, t->root->model, said->place)};
    if (new->number < 0) {
        return NULL;
    }
    set_model(root, new->number);
    return attach_all(l, root, path) ? new : NULL;
}

// The model of that name, loaded where it is used first. NULL with the error set.
static const model *find_model(trunk *t, const tn_xml *element, const char *name)
{
    for (int s = 0; s < t->root->n; s++) {
        const tn_xml *part = t->root->child[s];
        for (int i = 0; tn_xml_is(part, "asset") && i < part->n; i++) {
            const tn_xml *said = part->child[i];
            const char *own = tn_xml_get(said, "name");
            if (!tn_xml_is(said, "model") || !own || strcmp(own, name) != 0) {
                continue;
            }
            for (int k = 0; k < t->library->n; k++) {
                if (t->library->models[k].said == said) {
                    return &t->library->models[k];
                }
            }
            return load_model(t, said);
        }
    }
    tn_mjcf_fail(t->library->m, element, "no <model> '%.100s' among the assets", name);
    return NULL;
}

// Numbers for the models that elements at any depth are of.
static bool number_models(tn_mjcf *m, const tn_xml *element, int *numbers)
{
    int *number = &numbers[element->model];
    *number = *number < 0 ? start_rules(m, m->rules[element->model].folder, -1, element->place) : *number;
    bool good = *number >= 0;
    for (int i = 0; good && i < element->n; i++) {
        good = number_models(m, element->child[i], numbers);
    }
    return good;
}

// How the model is attached with the prefix; *there: it has been before. NULL with the error set.
static attached *find_attached(trunk *t, const model *from, const char *prefix, bool *there)
{
    tn_mjcf *m = t->library->m;
    for (attached *a = t->done; a; a = a->next) {
        if (a->from == from && strcmp(a->prefix, prefix) == 0) {
            *there = true;
            return a;
        }
    }
    attached *new = TN_PUSH(m->reader->scratch, attached, 1);
    int *number = TN_PUSH(m->reader->scratch, int, TN_MJCF_MODELS_MAX);
    if (!new || !number) {
        tn_read_no_memory(m->reader);
        return NULL;
    }
    memset(number, -1, TN_MJCF_MODELS_MAX * sizeof *number);
    *new = (attached){from, prefix, number, t->done};
    *there = false;
    int n = m->n_models;
    if (!number_models(m, from->root, number)) {
        return NULL;
    }
    for (int k = 0; k < n; k++) {
        int within = m->rules[k].within;
        if (number[k] >= 0) {
            m->rules[number[k]].within = k == from->number ? t->root->model : within >= 0 ? number[within] : -1;
        }
    }
    return new;
}

// The <body> or <frame> of that name; NULL: there is none.
static const tn_xml *find_part(const tn_xml *element, const char *kind, const char *name)
{
    static const char *const tree[] = {"body", "frame", "worldbody", "replicate"};
    const char *own = tn_xml_is(element, kind) ? tn_xml_get(element, "name") : NULL;
    const tn_xml *found = own && strcmp(own, name) == 0 ? element : NULL;
    for (int i = 0; !found && i < element->n; i++) {
        int k = 0;
        while (k < 4 && !tn_xml_is(element->child[i], tree[k])) {
            k++;
        }
        found = k < 4 ? find_part(element->child[i], kind, name) : NULL;
    }
    return found;
}

// What the first class of a file is called.
static const char *first_class(const tn_xml *root, int number)
{
    const char *name = NULL;
    for (int i = 0; i < root->n && !name; i++) {
        bool own = root->child[i]->model == number && tn_xml_is(root->child[i], "default");
        name = own ? tn_xml_get(root->child[i], "class") : NULL;
    }
    return name ? name : "main";
}

// The body or frame, or all that stands in the world (NULL), as a <frame> with the names of the copy. NULL with the
// error set.
static tn_xml *frame_of(tn_mjcf *m, const model *from, const tn_xml *body, const tn_mjcf_naming *naming)
{
    tn_xml *frame = TN_PUSH(m->reader->scratch, tn_xml, 1);
    tn_xml_attribute *class = TN_PUSH(m->reader->scratch, tn_xml_attribute, 1);
    const tn_xml *root = from->root;
    if (!frame || !class) {
        tn_read_no_memory(m->reader);
        return NULL;
    }
    *class = (tn_xml_attribute){"childclass", first_class(root, from->number)};
    *frame = (tn_xml){.name = "frame",
                      .place = root->place,
                      .n_attributes = 1,
                      .attribute = class,
                      .model = naming->model[from->number]};
    bool good = !body || tn_mjcf_append(m, frame, tn_mjcf_copy(m, body, naming));
    for (int s = 0; !body && s < root->n; s++) {
        const tn_xml *part = root->child[s];
        for (int i = 0; good && tn_xml_is(part, "worldbody") && i < part->n; i++) {
            good = tn_mjcf_append(m, frame, tn_mjcf_copy(m, part->child[i], naming));
        }
    }
    return good ? frame : NULL;
}

// Room behind the root's children for so many more.
static bool make_room(trunk *t, int more)
{
    tn_reader *reader = t->library->m->reader;
    tn_xml **children = TN_PUSH(reader->scratch, tn_xml *, (size_t)t->root->n + (size_t)more);
    if (!children) {
        return tn_read_no_memory(reader);
    }
    for (int i = 0; i < t->root->n; i++) {
        children[i] = t->root->child[i];
    }
    t->root->child = children;
    return true;
}

// Rules and classes of the model, and of those that it attaches.
static bool add_rules(trunk *t, const tn_xml *from, const tn_mjcf_naming *naming)
{
    if (!make_room(t, from->n)) {
        return false;
    }
    for (int i = 0; i < from->n; i++) {
        bool rules = tn_xml_is(from->child[i], "compiler") || tn_xml_is(from->child[i], "default");
        if (rules && !(t->root->child[t->root->n++] = tn_mjcf_copy(t->library->m, from->child[i], naming))) {
            return false;
        }
    }
    return true;
}

// The names in the model's tree that none of the body has: *list, with room for those of all sections.
static bool find_outside(tn_mjcf *m, const tn_xml *root, const tn_xml *body, const char ***list, int *n)
{
    tn_arena *arena = m->reader->scratch;
    const char **all = TN_PUSH(arena, const char *, tn_mjcf_size(root));
    const char **inside = TN_PUSH(arena, const char *, tn_mjcf_size(body));
    tn_names names;
    int n_all = 0;
    if (!all || !inside || !tn_names_create(&names, tn_mjcf_list_names(body, 0, inside), inside, arena)) {
        return tn_read_no_memory(m->reader);
    }
    for (int s = 0; s < root->n; s++) {
        n_all = tn_xml_is(root->child[s], "worldbody") ? tn_mjcf_list_names(root->child[s], n_all, all) : n_all;
    }
    *n = 0;
    for (int i = 0; i < n_all; i++) {
        if (tn_names_find(&names, all[i]) < 0) {
            all[(*n)++] = all[i];
        }
    }
    *list = all;
    return true;
}

// Of the model's sections of a kind, those elements that are about nothing outside of what is attached; the names of
// others join those outside.
static bool add_section(trunk *t, const tn_xml *from, int kind, const tn_mjcf_naming *naming, const char **outside,
                        int *n_outside)
{
    tn_mjcf *m = t->library->m;
    tn_names names;
    if (!tn_names_create(&names, *n_outside, outside, m->reader->scratch)) {
        return tn_read_no_memory(m->reader);
    }
    for (int s = 0; s < from->n; s++) {
        const tn_xml *part = from->child[s];
        for (int i = 0; tn_xml_is(part, sections[kind]) && i < part->n; i++) {
            const tn_xml *element = part->child[i];
            if (tn_mjcf_refers(element, &names)) {
                *n_outside = tn_mjcf_list_names(element, *n_outside, outside);
            } else if (!tn_xml_is(element, "model") &&
                       !tn_mjcf_append(m, t->section[kind], tn_mjcf_copy(m, element, naming))) {
                return false;
            }
        }
    }
    return true;
}

// The trunk's own sections, before the first part is attached.
static bool start_sections(trunk *t, tn_place place)
{
    tn_reader *reader = t->library->m->reader;
    if (!make_room(t, SECTIONS)) {
        return false;
    }
    for (int k = 0; k < SECTIONS; k++) {
        tn_xml *section = TN_PUSH(reader->scratch, tn_xml, 1);
        if (!section) {
            return tn_read_no_memory(reader);
        }
        *section = (tn_xml){.name = sections[k], .place = place};
        t->root->child[t->root->n++] = t->section[k] = section;
    }
    return true;
}

static int count_joints(const tn_xml *element)
{
    return tn_xml_count(element, "joint") + tn_xml_count(element, "freejoint");
}

// Whether the model's keys are about what is attached: the body has all of its joints.
static bool has_all_joints(const tn_xml *from, const tn_xml *body)
{
    int n = body ? count_joints(body) : 0;
    for (int s = 0; body && s < from->n; s++) {
        n -= tn_xml_is(from->child[s], "worldbody") ? count_joints(from->child[s]) : 0;
    }
    return n == 0;
}

// What comes with the body (NULL: with all of the model): rules and assets, if they are not there, and what is about
// it.
static bool add_sections(trunk *t, const tn_xml *from, const tn_xml *body, const tn_mjcf_naming *naming, bool there)
{
    tn_mjcf *m = t->library->m;
    const char **outside = TN_PUSH(m->reader->scratch, const char *, 1);
    int n_outside = 0;
    if (!outside) {
        return tn_read_no_memory(m->reader);
    }
    if ((!there && !add_rules(t, from, naming)) || (body && !find_outside(m, from, body, &outside, &n_outside))) {
        return false;
    }
    bool keys = has_all_joints(from, body);
    if (!keys && tn_xml_child(from, "keyframe")) {
        tn_read_remark(m->reader, tn_xml_child(from, "keyframe")->place,
                       "keyframes are left out: not all joints of the file are attached");
    }
    for (int k = there ? 1 : 0; k < (keys ? SECTIONS : KEYS); k++) {
        if (!add_section(t, from, k, naming, outside, &n_outside)) {
            return false;
        }
    }
    return true;
}

static bool attach(trunk *t, tn_xml *parent, int i)
{
    tn_mjcf *m = t->library->m;
    const tn_xml *element = parent->child[i];
    const char *name = tn_xml_need(m->reader, element, "model");
    const char *prefix = name ? tn_xml_need(m->reader, element, "prefix") : NULL;
    const char *wanted = tn_xml_get(element, "body"), *kind = wanted ? "body" : "frame";
    wanted = wanted ? wanted : tn_xml_get(element, "frame");
    const model *from = prefix && tn_mjcf_check(m, element, NULL) ? find_model(t, element, name) : NULL;
    const tn_xml *body = from && wanted ? find_part(from->root, kind, wanted) : NULL;
    bool there;
    if (!from || !tn_mjcf_count_copies(m, from->root, 1, element->place)) {
        return false;
    }
    if (wanted && !body) {
        return tn_read_error(m->reader, element->place, "model '%.60s' has no %s '%.100s'", name, kind, wanted);
    }
    attached *as = find_attached(t, from, prefix, &there);
    if (!as || (!t->done && !start_sections(t, element->place))) {
        return false;
    }
    t->done = there ? t->done : as;
    const tn_mjcf_naming naming = {.prefix = prefix, .suffix = "", .model = as->model};
    parent->child[i] = frame_of(m, from, body, &naming);
    return parent->child[i] && add_sections(t, from->root, body, &naming, there);
}

static bool attach_below(trunk *t, tn_xml *element)
{
    for (int i = 0; i < element->n; i++) {
        if (!(tn_xml_is(element->child[i], "attach") ? attach(t, element, i) : attach_below(t, element->child[i]))) {
            return false;
        }
    }
    return true;
}

static bool attach_all(library *l, tn_xml *root, const char *path)
{
    trunk t = {.library = l, .root = root, .path = path};
    int n = root->n;
    if (!tn_mjcf_check_sections(l->m, root) || !name_assets(l->m, root)) {
        return false;
    }
    for (int s = 0; s < n; s++) {
        if (tn_xml_is(root->child[s], "worldbody") && !attach_below(&t, root->child[s])) {
            return false;
        }
    }
    return true;
}

bool tn_mjcf_read_files(tn_mjcf *m, tn_xml *root)
{
    library *l = TN_PUSH(m->reader->scratch, library, 1);
    m->rules = TN_PUSH(m->reader->scratch, tn_mjcf_rules, TN_MJCF_MODELS_MAX);
    if (!l || !m->rules) {
        return tn_read_no_memory(m->reader);
    }
    l->m = m;
    m->files_left = FILES_MAX;
    m->elements_left = TN_MJCF_COPIES_MAX;
    start_rules(m, "", -1, root->place);
    return include(m, "", root) && attach_all(l, root, "");
}
