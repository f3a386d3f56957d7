// MJCF: <composite> becomes the elements that it stands for: particles, a grid that tendons hold, a rope or a loop of
// links. They take nothing from the file's defaults.
#include "scene/robot/mjcf.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { BODIES_MAX = 25 * 1000, OWN_MAX = 8 }; // of one; attributes that an element has of its own
static const double TURN = 6.283185307179586;
static const char CLASS[] = " composite"; // no name in a file begins with a space: equalities that give way

typedef struct maker {
    tn_mjcf *m;
    const tn_xml *from;
    const char *prefix;
    int count[3], dim;
    double spacing, offset[3];
    const tn_xml *geom, *site, *joint, *twist, *stretch, *tendon, *shear; // what it says of them; NULL: nothing
    tn_xml *frame, *tendons, *equality, *contact;                         // what takes the new elements
    bool failed;                                                          // no memory
} maker;

// Behind the parent's other children, with room for attributes that `like` says (NULL: none) and its own. NULL without
// memory.
static tn_xml *add(maker *k, tn_xml *parent, const char *name, const tn_xml *like)
{
    tn_arena *arena = k->m->reader->scratch;
    int n = like ? like->n_attributes : 0;
    tn_xml *made = TN_PUSH(arena, tn_xml, 1);
    tn_xml_attribute *list = TN_PUSH(arena, tn_xml_attribute, (size_t)n + OWN_MAX);
    bool full = parent && (parent->n & (parent->n - 1)) == 0; // room for the next power of two
    tn_xml **children = full ? TN_PUSH(arena, tn_xml *, 2 * (size_t)parent->n + 1) : parent ? parent->child : NULL;
    if (!made || !list || !children) {
        k->failed = true;
        return NULL;
    }
    for (int i = 0; full && i < parent->n; i++) {
        children[i] = parent->child[i];
    }
    parent->child = children;
    parent->child[parent->n++] = made;
    *made = (tn_xml){.name = name, .place = k->from->place, .attribute = list, .model = k->from->model};
    for (int i = 0; i < n; i++) {
        const char *key = like->attribute[i].name;
        if (strcmp(key, "kind") != 0 && strcmp(key, "solreffix") != 0 && strcmp(key, "solimpfix") != 0) {
            list[made->n_attributes++] = like->attribute[i];
        }
    }
    return made;
}

// An attribute of its own; later ones of a name count where `like` said one too.
static void say(maker *k, tn_xml *element, const char *key, const char *value)
{
    if (!element || !value) {
        k->failed = true;
        return;
    }
    tn_xml_attribute *list = element->attribute; // of add()
    int i = 0;
    while (i < element->n_attributes && strcmp(list[i].name, key) != 0) {
        i++;
    }
    list[i] = (tn_xml_attribute){key, value};
    element->n_attributes += i == element->n_attributes;
}

static void say_point(maker *k, tn_xml *element, const char *key, double x, double y, double z)
{
    say(k, element, key, tn_robot_text(k->m->reader, "%.17g %.17g %.17g", x, y, z));
}

// The name of what stands at (i, j) of the grid, or at i of a rope (j < 0).
static const char *name_at(maker *k, const char *kind, int i, int j)
{
    return j < 0 ? tn_robot_text(k->m->reader, "%s%s%d", k->prefix, kind, i)
                 : tn_robot_text(k->m->reader, "%s%s%d_%d", k->prefix, kind, i, j);
}

static tn_xml *add_own(maker *k, tn_xml *parent, const char *name, const tn_xml *like)
{
    tn_xml *made = add(k, parent, name, like);
    say(k, made, "class", CLASS);
    return made;
}

static tn_xml *add_geom(maker *k, tn_xml *body, const char *type)
{
    tn_xml *geom = add_own(k, body, "geom", k->geom);
    if (type) {
        say(k, geom, "type", type);
    }
    return geom;
}

// ---- particles, alone or in a grid: below the world they are free, which they are not elsewhere

static void add_slides(maker *k, tn_xml *body, bool world)
{
    for (int i = 0; i < (world ? 1 : 3); i++) {
        tn_xml *joint = add_own(k, body, "joint", k->joint);
        say(k, joint, "type", world ? "free" : "slide");
        if (!world) {
            say_point(k, joint, "axis", i == 0, i == 1, i == 2);
        }
    }
}

static void add_particle(maker *k, int ix, int iy, int iz, bool world)
{
    const double s = k->spacing, *o = k->offset;
    tn_xml *body = add(k, k->frame, "body", NULL);
    say_point(k, body, "pos", o[0] + s * (ix - 0.5 * k->count[0]), o[1] + s * (iy - 0.5 * k->count[1]),
              o[2] + s * (iz - 0.5 * k->count[2]));
    tn_xml *geom = add_geom(k, body, "sphere");
    if (!k->geom || !tn_xml_get(k->geom, "condim")) {
        say(k, geom, "condim", "1");
    }
    if (!k->geom || !tn_xml_get(k->geom, "priority")) {
        say(k, geom, "priority", "1");
    }
    add_slides(k, body, world);
}

static void make_particles(maker *k, bool world)
{
    for (int i = 0; i < k->count[0] * k->count[1] * k->count[2] && !k->failed; i++) {
        int plane = k->count[1] * k->count[2];
        add_particle(k, i / plane, i % plane / k->count[2], i % k->count[2], world);
    }
}

static bool is_pinned(maker *k, int ix, int iy, bool *good)
{
    bool pinned = false;
    for (int i = 0; i < k->from->n && *good; i++) {
        double at[2] = {-1.0, 0.0};
        int n;
        if (tn_xml_is(k->from->child[i], "pin")) {
            *good = tn_xml_numbers(k->m->reader, k->from->child[i], "coord", 1, 2, at, &n);
            pinned = pinned || (at[0] == ix && at[1] == iy);
        }
    }
    return pinned;
}

// Between the sites of two of its particles.
static void tie(maker *k, bool shear, const char *name, const char *site, const char *other)
{
    const tn_xml *like = shear ? k->shear : k->tendon;
    tn_xml *tendon = add_own(k, k->tendons, "spatial", like), *held = add_own(k, k->equality, "tendon", NULL);
    const char *solref = like ? tn_xml_get(like, "solreffix") : NULL;
    const char *solimp = like ? tn_xml_get(like, "solimpfix") : NULL;
    say(k, tendon, "name", name);
    say(k, held, "tendon1", name);
    say(k, held, "solref", solref ? solref : shear ? "0.02 1" : "0.01 1");
    say(k, held, "solimp", solimp ? solimp : shear ? "0.9 0.95" : "0.99 0.99");
    say(k, add(k, tendon, "site", NULL), "site", site);
    say(k, add(k, tendon, "site", NULL), "site", other);
}

static void tie_at(maker *k, int ix, int iy)
{
    const char *own = name_at(k, "S", ix, iy);
    bool right = ix + 1 < k->count[0], up = iy + 1 < k->count[1];
    if (right) {
        tie(k, false, name_at(k, "T0_", ix, iy), own, name_at(k, "S", ix + 1, iy));
    }
    if (up) {
        tie(k, false, name_at(k, "T1_", ix, iy), own, name_at(k, "S", ix, iy + 1));
    }
    if (right && up && k->shear) {
        tie(k, true, name_at(k, "TS", ix, iy), own, name_at(k, "S", ix + 1, iy + 1));
    }
}

static bool make_grid(maker *k, bool world)
{
    bool good = true;
    for (int i = 0; i < k->count[0] * k->count[1] && good && !k->failed; i++) {
        int ix = i / k->count[1], iy = i % k->count[1];
        tn_xml *body = add(k, k->frame, "body", NULL);
        say(k, body, "name", name_at(k, "B", ix, iy));
        say_point(k, body, "pos", k->offset[0] + k->spacing * (ix - 0.5 * k->count[0]),
                  k->offset[1] + k->spacing * (iy - 0.5 * k->count[1]), k->offset[2]);
        say(k, add_geom(k, body, "sphere"), "name", name_at(k, "G", ix, iy));
        say(k, add_own(k, body, "site", k->site), "name", name_at(k, "S", ix, iy));
        if (!is_pinned(k, ix, iy, &good)) {
            add_slides(k, body, world);
        }
        tie_at(k, ix, iy);
    }
    return good;
}

// ---- ropes and loops

static void add_hinge(maker *k, tn_xml *body, const tn_xml *like, const char *name, const char *type, int axis,
                      double at)
{
    tn_xml *joint = add_own(k, body, "joint", like);
    say(k, joint, "name", name);
    say(k, joint, "type", type);
    say_point(k, joint, "pos", at, 0.0, 0.0);
    say_point(k, joint, "axis", axis == 0, axis == 1, axis == 2);
    if (axis == 0) {
        say(k, add(k, k->equality, "joint", NULL), "joint1", name);
    }
}

static void put_link_geom(maker *k, tn_xml *body, int i)
{
    tn_xml *geom = add_geom(k, body, NULL);
    say(k, geom, "name", name_at(k, "G", i, -1));
    say(k, geom, "quat", "1 0 1 0");
}

// Link i beside the one before it, by whose end it hangs.
static tn_xml *add_link(maker *k, tn_xml *parent, int before, int i, bool loop)
{
    double step = k->spacing * (i - before), half = loop ? (i - before) * 0.5 * TURN / k->count[0] : 0.0;
    double R = loop ? k->spacing * cos(half) : fabs(step); // from one middle to the next
    tn_xml *body = add(k, parent, "body", NULL);
    say(k, body, "name", name_at(k, "B", i, -1));
    say_point(k, body, "pos", (i - before) * R * cos(half), R * fabs(sin(half)), 0.0);
    say(k, body, "quat", tn_robot_text(k->m->reader, "%.17g 0 0 %.17g", cos(half), sin(half)));
    put_link_geom(k, body, i);
    add_hinge(k, body, k->joint, name_at(k, "J0_", i, -1), "hinge", 1, -0.5 * step);
    add_hinge(k, body, k->joint, name_at(k, "J1_", i, -1), "hinge", 2, -0.5 * step);
    if (k->twist) {
        add_hinge(k, body, k->twist, name_at(k, "JT", i, -1), "hinge", 0, -0.5 * step);
    }
    if (k->stretch) {
        add_hinge(k, body, k->stretch, name_at(k, "JS", i, -1), "slide", 0, -0.5 * step);
    }
    return body;
}

// The body that it stands in is one of the links: "B3" is the one of number 3.
static bool find_root(maker *k, const tn_xml *parent, int *root)
{
    const char *name = tn_xml_get(parent, "name");
    size_t n = strlen(k->prefix);
    char *end = NULL;
    long number = -1;
    if (name && strncmp(name, k->prefix, n) == 0 && name[n] == 'B' && name[n + 1] >= '0' && name[n + 1] <= '9') {
        number = strtol(name + n + 1, &end, 10);
    }
    *root = (int)number;
    return (number >= 0 && number < k->count[0] && *end == 0) ||
           tn_read_error(k->m->reader, k->from->place,
                         "a rope or loop stands in a body whose name is '%.60sB' and the number of its link, 0 to %d",
                         k->prefix, k->count[0] - 1);
}

static bool make_rope(maker *k, const tn_xml *parent, bool loop)
{
    int root, last = k->count[0] - 1;
    if (!find_root(k, parent, &root)) {
        return false;
    }
    put_link_geom(k, k->frame, root);
    tn_xml *body = k->frame;
    for (int i = root + 1; i <= last && !k->failed; i++) {
        body = add_link(k, body, i - 1, i, loop);
    }
    body = k->frame;
    for (int i = root - 1; i >= 0 && !k->failed; i--) {
        body = add_link(k, body, i + 1, i, loop);
    }
    if (loop && !k->failed) {
        const char *first = name_at(k, "B", 0, -1), *end = name_at(k, "B", last, -1);
        tn_xml *closed = add(k, k->equality, "connect", NULL), *apart = add(k, k->contact, "exclude", NULL);
        say(k, closed, "body1", first);
        say(k, closed, "body2", end);
        say_point(k, closed, "anchor", -0.5 * k->spacing, 0.0, 0.0);
        say(k, apart, "body1", first);
        say(k, apart, "body2", end);
    }
    return true;
}

// ---- what it says

static const tn_xml *part_of(const tn_xml *from, const char *name, const char *kind)
{
    for (int i = 0; i < from->n; i++) {
        const char *said = tn_xml_get(from->child[i], "kind");
        if (tn_xml_is(from->child[i], name) && (!kind || (said && strcmp(said, kind) == 0))) {
            return from->child[i];
        }
    }
    return NULL;
}

static bool read_counts(maker *k)
{
    double count[3] = {1.0, 1.0, 1.0};
    int n;
    if (!tn_xml_need(k->m->reader, k->from, "count") || !tn_xml_need(k->m->reader, k->from, "spacing") ||
        !tn_xml_numbers(k->m->reader, k->from, "count", 1, 3, count, &n) ||
        !tn_xml_numbers(k->m->reader, k->from, "spacing", 1, 1, &k->spacing, &n) ||
        !tn_xml_numbers(k->m->reader, k->from, "offset", 3, 3, k->offset, &n)) {
        return false;
    }
    bool good = k->spacing > 0.0 && count[0] * count[1] * count[2] <= BODIES_MAX;
    for (int i = 0; i < 3; i++) {
        good = good && count[i] >= 1.0 && count[i] <= BODIES_MAX && count[i] == floor(count[i]);
        k->count[i] = good ? (int)count[i] : 1;
        k->dim += k->count[i] > 1;
    }
    return good || tn_mjcf_fail(k->m, k->from, "'count' is three whole numbers from 1 of at most 25000 elements%s",
                                ", 'spacing' above 0");
}

static bool read(maker *k)
{
    const tn_xml *from = k->from;
    const char *prefix = tn_xml_get(from, "prefix");
    k->prefix = prefix ? prefix : "";
    k->geom = part_of(from, "geom", NULL);
    k->site = part_of(from, "site", NULL);
    k->joint = part_of(from, "joint", "main");
    k->twist = part_of(from, "joint", "twist");
    k->stretch = part_of(from, "joint", "stretch");
    k->tendon = part_of(from, "tendon", "main");
    k->shear = part_of(from, "tendon", "shear");
    return tn_mjcf_check(k->m, from, NULL) && tn_xml_need(k->m->reader, from, "type");
}

// What is free below the world can turn, which three slides cannot: it shows where there is friction.
static void remark_turns(maker *k, bool grid)
{
    const char *condim = k->geom ? tn_xml_get(k->geom, "condim") : NULL;
    if (condim ? strcmp(condim, "1") != 0 : grid) {
        tn_read_remark(k->m->reader, k->from->place, "the particles of the composite can turn");
    }
}

static bool is_type(const maker *k, const char *type)
{
    return strcmp(tn_xml_get(k->from, "type"), type) == 0;
}

static bool make(maker *k, const tn_xml *parent, bool world)
{
    bool loop = is_type(k, "loop");
    bool grid = is_type(k, "grid"), particles = is_type(k, "particle");
    if (!grid && !particles && !loop && !is_type(k, "rope")) {
        return tn_mjcf_fail(k->m, k->from,
                            "a composite '%.40s' is not read (particle, grid, rope, loop): a scene has 'soft' bodies "
                            "and 'rods'",
                            tn_xml_get(k->from, "type"));
    }
    if (!read_counts(k)) {
        return false;
    }
    if (world && (grid || particles)) {
        remark_turns(k, grid);
    }
    if (particles) {
        make_particles(k, world);
        return true;
    }
    if (grid ? k->dim > 2 : k->dim != 1) {
        return tn_mjcf_fail(k->m, k->from, "%s",
                            grid ? "a grid has one or two counts above 1" : "a rope or loop has one count above 1");
    }
    return grid ? make_grid(k, world) : make_rope(k, parent, loop);
}

static tn_xml *add_section(tn_mjcf *m, tn_xml *root, const char *name, tn_place place)
{
    tn_xml *section = TN_PUSH(m->reader->scratch, tn_xml, 1);
    tn_xml **children = TN_PUSH(m->reader->scratch, tn_xml *, (size_t)root->n + 1);
    if (!section || !children) {
        return NULL;
    }
    for (int i = 0; i < root->n; i++) {
        children[i] = root->child[i];
    }
    *section = (tn_xml){.name = name, .place = place};
    children[root->n++] = section;
    root->child = children;
    return section;
}

static bool expand(tn_mjcf *m, tn_xml *root, tn_xml *parent, int i, bool world)
{
    maker k = {.m = m, .from = parent->child[i], .frame = TN_PUSH(m->reader->scratch, tn_xml, 1)};
    k.tendons = add_section(m, root, "tendon", k.from->place);
    k.equality = add_section(m, root, "equality", k.from->place);
    k.contact = add_section(m, root, "contact", k.from->place);
    if (!k.frame || !k.tendons || !k.equality || !k.contact) {
        return tn_read_no_memory(m->reader);
    }
    *k.frame = (tn_xml){.name = "frame", .place = k.from->place, .model = k.from->model};
    parent->child[i] = k.frame;
    return read(&k) && make(&k, parent, world) && (!k.failed || tn_read_no_memory(m->reader));
}

// world: it stands in no body.
static bool expand_all(tn_mjcf *m, tn_xml *root, tn_xml *element, bool world)
{
    for (int i = 0; i < element->n; i++) {
        tn_xml *child = element->child[i];
        bool below = world && !tn_xml_is(child, "body");
        if (!(tn_xml_is(child, "composite") ? expand(m, root, element, i, world) : expand_all(m, root, child, below))) {
            return false;
        }
    }
    return true;
}

// A class that stands in no other one and says nothing.
static bool add_class(tn_mjcf *m)
{
    tn_mjcf_class *classes = TN_PUSH(m->reader->scratch, tn_mjcf_class, m->n_classes + 1);
    if (!classes) {
        return tn_read_no_memory(m->reader);
    }
    memcpy(classes, m->classes, (size_t)m->n_classes * sizeof *classes);
    classes[m->n_classes++] = (tn_mjcf_class){.name = CLASS, .model = -1, .parent = -1};
    m->classes = classes;
    return true;
}

bool tn_mjcf_expand_composites(tn_mjcf *m, tn_xml *root)
{
    if (tn_xml_count(root, "composite") == 0) {
        return true;
    }
    int n = root->n;
    bool good = add_class(m);
    for (int i = 0; i < n && good; i++) {
        good = !tn_xml_is(root->child[i], "worldbody") || expand_all(m, root, root->child[i], true);
    }
    return good;
}
