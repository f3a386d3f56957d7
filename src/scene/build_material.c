// Materials and their pairs.
#include "math/vec3.h"
#include "scene/build.h"

#include <math.h>
#include <string.h>

// What a material is called when nobody names one.
static const char default_name[] = "default";

// friction NULL is not said: mu1, mu2, direction stay.
static bool read_friction(tn_build *build, const tn_raw_friction *friction, tn_place place, double *mu1, double *mu2,
                          double direction[3])
{
    if (!friction) {
        return true;
    }
    bool round = !isnan(friction->mu);
    int parts = !isnan(friction->mu1) + !isnan(friction->mu2) + !isnan(friction->direction[0]);
    if (round ? parts > 0 : parts != 3) {
        return tn_read_error(&build->reader, place, "'friction' takes either mu, or mu1, mu2 and direction");
    }
    *mu1 = round ? friction->mu : friction->mu1;
    *mu2 = round ? friction->mu : friction->mu2;
    tn_vec3_set(direction, 0.0, 0.0, 0.0);
    if (!round) {
        tn_vec3_scale(direction, 1.0 / tn_vec3_norm(friction->direction), friction->direction);
    }
    return true;
}

// Springs that differ along the surface need a direction to differ by.
static bool check_directed(tn_build *build, const tn_node *node, const tn_contact_spring *spring,
                           const double direction[3])
{
    return spring->tangential_stiffness == spring->tangential_stiffness2 || tn_vec3_dot(direction, direction) > 0.0 ||
           tn_read_error(&build->reader, tn_node_place_of(node, "tangential_stiffness2"),
                         "'tangential_stiffness2' is across a direction: give 'friction: {mu1, mu2, direction}'");
}

// The second solve of midpoint knows no moments, the relaxed laws no cone of five.
static bool check_rolling(tn_build *build, const tn_node *node, double rolling, double torsion)
{
    const tn_settings *settings = &build->scene->settings;
    if (!(rolling > 0.0 || torsion > 0.0)) {
        return true;
    }
    if (settings->scheme == TN_SCHEME_MIDPOINT) {
        return tn_read_error(&build->reader, node->place,
                             "rolling and torsional friction need 'scheme: euler' or 'scheme: implicit'");
    }
    return settings->law == TN_LAW_COULOMB ||
           tn_read_error(&build->reader, node->place, "rolling and torsional friction need 'law: coulomb'");
}

// What a section says of springs takes the place of what *out holds. A pair that gives one kind drops the others.
static bool read_spring(tn_build *build, const tn_raw_spring_law *raw, bool is_pair, tn_place place,
                        tn_contact_spring *out)
{
    double modulus = is_pair ? raw->contact_modulus : raw->young / (1.0 - raw->poisson * raw->poisson);
    bool linear = is_pair ? !isnan(raw->stiffness) : isfinite(raw->stiffness), hertz = isfinite(modulus);
    if (linear + hertz + (raw->foundation != NULL) > 1) {
        return tn_read_error(&build->reader, place, "contact has one kind of spring: 'stiffness', '%s' or 'foundation'",
                             is_pair ? "contact_modulus" : "young");
    }
    if (linear || hertz || raw->foundation) {
        out->stiffness = linear ? raw->stiffness : INFINITY;
        out->modulus = hertz ? modulus : INFINITY;
        out->bedding = raw->foundation ? raw->foundation->modulus / raw->foundation->depth : INFINITY;
        out->elements = raw->foundation ? raw->foundation->elements : 0;
    }
    out->damping = isnan(raw->damping) ? out->damping : raw->damping;
    out->hunt_crossley = isnan(raw->hunt_crossley) ? out->hunt_crossley : raw->hunt_crossley;
    out->tangential_damping = isnan(raw->tangential_damping) ? out->tangential_damping : raw->tangential_damping;
    if (!isnan(raw->tangential_stiffness) && isfinite(raw->tangential_stiffness) && isfinite(out->tangential_damping)) {
        return tn_read_error(&build->reader, place,
                             "contact has 'tangential_stiffness' or 'tangential_damping', not both");
    }
    if (!isnan(raw->tangential_stiffness)) {
        out->tangential_stiffness = out->tangential_stiffness2 = raw->tangential_stiffness;
    }
    out->tangential_stiffness2 =
        isnan(raw->tangential_stiffness2) ? out->tangential_stiffness2 : raw->tangential_stiffness2;
    out->relaxation = isnan(raw->relaxation) ? out->relaxation : raw->relaxation;
    out->radius = is_pair && !isnan(raw->radius) ? raw->radius : 0.0;
    return true;
}

static bool read_material(tn_build *build, const tn_node *key, const tn_node *node, tn_material *out)
{
    node = tn_build_with_defaults(build, node, build->raw.default_material);
    tn_raw_material raw = {0};
    if (!node || !tn_section_read(&build->reader, &tn_section_material, node, &raw)) {
        return false;
    }
    size_t size = strlen(key->text) + 1;
    out->name = tn_arena_push(build->reader.storage, size, 1);
    if (!out->name) {
        return tn_read_no_memory(&build->reader);
    }
    memcpy(out->name, key->text, size);
    out->density = raw.density;
    out->restitution = raw.restitution;
    out->rolling = raw.rolling;
    out->torsion = raw.torsion;
    out->color = raw.color;
    out->place = key->place;
    out->spring = tn_contact_spring_rigid;
    return read_spring(build, &raw.spring, false, node->place, &out->spring) &&
           check_rolling(build, node, out->rolling, out->torsion) &&
           read_friction(build, raw.friction, tn_node_place_of(node, "friction"), &out->mu1, &out->mu2,
                         out->direction) &&
           check_directed(build, node, &out->spring, out->direction);
}

bool tn_build_materials(tn_build *build)
{
    const tn_node *map = build->raw.materials;
    int n = map ? map->n : 0;
    if (n > TN_SCENE_MATERIALS_MAX) {
        return tn_read_error(&build->reader, map->place, "more than %d materials", TN_SCENE_MATERIALS_MAX);
    }
    bool given = map && tn_node_index(map, default_name) >= 0;
    tn_scene *scene = build->scene;
    scene->materials = TN_PUSH(build->reader.storage, tn_material, n + 1);
    const char **names = TN_PUSH(build->reader.scratch, const char *, n + 1);
    if (!scene->materials || !names) {
        return tn_read_no_memory(&build->reader);
    }
    for (int i = 0; i < n + !given; i++) {
        tn_place nowhere = {scene->path, 0, 0};
        tn_node empty = {.kind = TN_NODE_MAP, .place = nowhere};
        tn_node plain = {.kind = TN_NODE_SCALAR, .place = nowhere, .text = default_name};
        const tn_node *key = i < n ? map->key[i] : &plain;
        if (!tn_build_check_name(build, key, "a material") ||
            !read_material(build, key, i < n ? map->item[i] : &empty, &scene->materials[i])) {
            return false;
        }
        names[i] = scene->materials[i].name;
        scene->n_materials++;
    }
    return tn_names_create(&build->materials, scene->n_materials, names, build->reader.scratch) ||
           tn_read_no_memory(&build->reader);
}

static bool read_pair(tn_build *build, const tn_node *node, tn_pair *out)
{
    tn_raw_pair raw = {0};
    if (!tn_section_read(&build->reader, &tn_section_pair, node, &raw)) {
        return false;
    }
    out->material_a = tn_build_lookup(build, &build->materials, raw.materials->item[0], "material");
    out->material_b =
        out->material_a < 0 ? -1 : tn_build_lookup(build, &build->materials, raw.materials->item[1], "material");
    if (out->material_b < 0) {
        return false;
    }
    // What the pair does not say follows the combination rule.
    const tn_material *a = &build->scene->materials[out->material_a];
    const tn_material *b = &build->scene->materials[out->material_b];
    out->mu1 = sqrt(a->mu1 * b->mu1);
    out->mu2 = sqrt(a->mu2 * b->mu2);
    out->direction_of_b = !raw.friction && !tn_vec3_dot(a->direction, a->direction);
    tn_vec3_copy(out->direction, out->direction_of_b ? b->direction : a->direction);
    out->restitution = isnan(raw.restitution) ? fmax(a->restitution, b->restitution) : raw.restitution;
    out->rolling = isnan(raw.rolling) ? fmax(a->rolling, b->rolling) : raw.rolling;
    out->torsion = isnan(raw.torsion) ? fmax(a->torsion, b->torsion) : raw.torsion;
    out->adhesion = raw.adhesion;
    out->collide = raw.collide;
    out->place = node->place;
    out->spring = tn_contact_spring_combine(&a->spring, &b->spring);
    return read_spring(build, &raw.spring, true, node->place, &out->spring) &&
           check_rolling(build, node, out->rolling, out->torsion) &&
           read_friction(build, raw.friction, tn_node_place_of(node, "friction"), &out->mu1, &out->mu2,
                         out->direction) &&
           check_directed(build, node, &out->spring, out->direction);
}

static bool same_materials(const tn_pair *a, const tn_pair *b)
{
    return (a->material_a == b->material_a && a->material_b == b->material_b) ||
           (a->material_a == b->material_b && a->material_b == b->material_a);
}

bool tn_build_pairs(tn_build *build)
{
    const tn_node *list = build->raw.pairs;
    if (!list) {
        return true;
    }
    if (list->n > TN_SCENE_PAIRS_MAX) {
        return tn_read_error(&build->reader, list->place, "more than %d pairs", TN_SCENE_PAIRS_MAX);
    }
    tn_scene *scene = build->scene;
    scene->pairs = TN_PUSH(build->reader.storage, tn_pair, list->n);
    if (!scene->pairs) {
        return tn_read_no_memory(&build->reader);
    }
    for (int i = 0; i < list->n; i++) {
        if (!read_pair(build, list->item[i], &scene->pairs[i])) {
            return false;
        }
        for (int k = 0; k < i; k++) {
            if (same_materials(&scene->pairs[k], &scene->pairs[i])) {
                return tn_read_error(&build->reader, list->item[i]->place,
                                     "this pair of materials was given before, in line %d of %.200s",
                                     scene->pairs[k].place.line, scene->pairs[k].place.file);
            }
        }
        scene->n_pairs++;
    }
    return true;
}
