// Soft bodies: mesh, elasticity, attachments, pulls, copies.
#include "math/vec3.h"
#include "scene/build.h"

#include <math.h>
#include <string.h>

static bool find_place(tn_build *build, const tn_raw_soft *raw, const tn_node *node, tn_scene_soft *soft)
{
    const tn_node plain = {.text = "default"};
    soft->material = tn_build_lookup(build, &build->materials, raw->material ? raw->material : &plain, "material");
    if (soft->material < 0) {
        return false;
    }
    soft->density = isnan(raw->density) ? build->scene->materials[soft->material].density : raw->density;
    if (!(soft->density > 0.0)) {
        return tn_read_error(&build->reader, tn_node_place_of(node, "material"),
                             "a soft body needs mass: give it a density, its material has none");
    }
    soft->color = raw->color.said ? raw->color : build->scene->materials[soft->material].color;
    tn_vec3_copy(soft->pose.position, raw->position);
    tn_vec3_copy(soft->velocity, raw->velocity);
    tn_vec3_copy(soft->angular_velocity, raw->angular_velocity);
    return tn_build_rotation(build, raw->rotation, tn_node_place_of(node, "rotation"), soft->pose.quaternion);
}

static void copy_elasticity(const tn_raw_soft *raw, tn_scene_soft *soft)
{
    soft->young = raw->young;
    soft->poisson = raw->poisson;
    soft->mass_damping = raw->mass_damping;
    soft->stiffness_damping = raw->stiffness_damping;
    soft->geometric = (tn_geometric)raw->geometric;
    soft->collides = raw->collides;
    soft->self_contact = raw->self_contact;
}

// taken (n_nodes) marks the nodes of earlier attachments.
static bool read_attachment(tn_build *build, const tn_node *node, const tn_mesh *mesh, unsigned char *taken,
                            tn_scene_attachment *out)
{
    tn_raw_attach raw = {0};
    if (!tn_section_read(&build->reader, &tn_section_attach, node, &raw) ||
        !tn_build_find_body(build, raw.to, &out->body)) {
        return false;
    }
    if (out->body >= 0 && build->scene->bodies[out->body].plane_normal) {
        return tn_read_error(&build->reader, raw.to->place,
                             "'%.100s' is confined to a plane: nodes can only be tied to bodies that move freely, "
                             "are fixed or have a motion",
                             raw.to->text);
    }
    out->place = node->place;
    tn_place where = tn_node_place_of(node, "where");
    if (!tn_build_region(build, raw.where, where, mesh, &out->n, &out->nodes)) {
        return false;
    }
    for (int i = 0; i < out->n; i++) {
        int id = out->nodes[i];
        if (taken[id]) {
            const double *x = mesh->nodes + 3 * (size_t)id;
            return tn_read_error(&build->reader, where,
                                 "node %d at (%g, %g, %g) is already in another attachment of this body", id, x[0],
                                 x[1], x[2]);
        }
        taken[id] = 1;
    }
    return true;
}

static bool read_attachments(tn_build *build, const tn_node *list, tn_scene_soft *soft)
{
    int n = list ? list->n : 0;
    unsigned char *taken = TN_PUSH(build->reader.scratch, unsigned char, soft->mesh.n_nodes);
    soft->attachments = TN_PUSH(build->reader.storage, tn_scene_attachment, n);
    if (!taken || !soft->attachments) {
        return tn_read_no_memory(&build->reader);
    }
    for (int i = 0; i < n; i++) {
        if (!read_attachment(build, list->item[i], &soft->mesh, taken, &soft->attachments[soft->n_attachments++])) {
            return false;
        }
    }
    return true;
}

static bool read_pulls(tn_build *build, const tn_node *list, tn_scene_soft *soft)
{
    int n = list ? list->n : 0;
    soft->pulls = TN_PUSH(build->reader.storage, tn_scene_pull, n);
    if (!soft->pulls) {
        return tn_read_no_memory(&build->reader);
    }
    for (int i = 0; i < n; i++) {
        const tn_node *node = list->item[i];
        tn_scene_pull *out = &soft->pulls[soft->n_pulls++];
        tn_raw_pull raw = {0};
        if (!tn_section_read(&build->reader, &tn_section_pull, node, &raw) ||
            !tn_build_region(build, raw.where, tn_node_place_of(node, "where"), &soft->mesh, &out->n, &out->nodes)) {
            return false;
        }
        memcpy(out->force, raw.force, sizeof out->force);
        out->place = node->place;
    }
    return true;
}

// The model holds all copies' nodes and tetrahedra in arrays that int counts.
static bool check_total(tn_build *build, const tn_scene_soft *soft, int count)
{
    const double limit = 2e8;
    double nodes = (double)count * soft->mesh.n_nodes, tets = (double)count * soft->mesh.n_tets;
    for (int i = 0; i < build->scene->n_softs; i++) {
        nodes += build->scene->softs[i].mesh.n_nodes;
        tets += build->scene->softs[i].mesh.n_tets;
    }
    if (nodes > limit || tets > limit) {
        return tn_read_error(&build->reader, soft->place,
                             "too many nodes or tetrahedra in all (%.3g and %.3g): at most %g each", nodes, tets,
                             limit);
    }
    return true;
}

static bool add_copies(tn_build *build, const tn_raw_soft *raw, const tn_scene_soft *soft, int count)
{
    tn_scene *scene = build->scene;
    if (!raw->array) {
        scene->softs[scene->n_softs++] = *soft;
        return true;
    }
    const tn_copies copies = {.name = soft->name, .array = raw->array};
    size_t size = 0;
    char *names = tn_build_copy_names(build, soft->name, count, &size);
    for (int k = 0; names && k < count; k++) {
        tn_scene_soft *out = &scene->softs[scene->n_softs++];
        *out = *soft; // mesh and node lists are shared
        out->name = names + (size_t)k * size;
        tn_build_copy_pose(build, &copies, k, &out->pose);
    }
    return names != NULL;
}

static bool add_soft(tn_build *build, const tn_node *key, const tn_node *node, const tn_raw_soft *raw)
{
    tn_scene_soft soft = {.place = key->place, .name = tn_build_keep_name(build, key->text)};
    int count = tn_build_copy_count(raw->array, NULL);
    copy_elasticity(raw, &soft);
    return soft.name && find_place(build, raw, node, &soft) && tn_build_mesh(build, raw, node, &soft.mesh) &&
           check_total(build, &soft, count) && read_attachments(build, raw->attach, &soft) &&
           read_pulls(build, raw->pull, &soft) && add_copies(build, raw, &soft, count);
}

static bool check_name(tn_build *build, const tn_node *key)
{
    if (!tn_build_check_name(build, key, "a soft body")) {
        return false;
    }
    if (strcmp(key->text, "world") == 0) {
        return tn_read_error(&build->reader, key->place,
                             "'world' is the name of what everything stands in; take another one");
    }
    if (build->raw.bodies && tn_node_index(build->raw.bodies, key->text) >= 0) {
        return tn_read_error(&build->reader, key->place,
                             "there is a body '%s' already; bodies and soft bodies need different names", key->text);
    }
    return true;
}

// The map's entries read once, and how many soft bodies they become.
static bool read_raw(tn_build *build, const tn_node *map, const tn_node **nodes, tn_raw_soft *raw, int *total)
{
    for (int i = 0; i < map->n; i++) {
        nodes[i] = tn_build_with_defaults(build, map->item[i], build->raw.default_soft);
        if (!check_name(build, map->key[i]) || !nodes[i] ||
            !tn_section_read(&build->reader, &tn_section_soft, nodes[i], &raw[i])) {
            return false;
        }
        int count = tn_build_copy_count(raw[i].array, NULL);
        if (count < 0 || count > TN_SCENE_SOFTS_MAX - *total) {
            return tn_read_error(&build->reader, map->key[i]->place, "more than %d soft bodies", TN_SCENE_SOFTS_MAX);
        }
        *total += count;
    }
    return true;
}

bool tn_build_softs(tn_build *build)
{
    const tn_node *map = build->raw.softs;
    int n = map ? map->n : 0;
    int total = 0;
    tn_raw_soft *raw = TN_PUSH(build->reader.scratch, tn_raw_soft, n);
    const tn_node **nodes = TN_PUSH(build->reader.scratch, const tn_node *, n);
    if (!raw || !nodes) {
        return tn_read_no_memory(&build->reader);
    }
    if (n && !read_raw(build, map, nodes, raw, &total)) {
        return false;
    }
    build->scene->softs = TN_PUSH(build->reader.storage, tn_scene_soft, total);
    if (!build->scene->softs) {
        return tn_read_no_memory(&build->reader);
    }
    for (int i = 0; i < n; i++) {
        if (!add_soft(build, map->key[i], nodes[i], &raw[i])) {
            return false;
        }
    }
    return true;
}
