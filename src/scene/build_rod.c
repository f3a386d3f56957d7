// Rods: rigid segments as bodies, bushings between them. A joint stands for the piece of rod from the middle of one
// segment to the middle of the next; the body that clamps an end takes the place of a segment there, whose middle is
// the end. A piece that bends gives way across, too, by L^3/(12 E I) in its middle (MacNeal's residual bending
// flexibility, 1978): small static bends are then exact for any number of segments, all else is of second order.
#include "math/quat.h"
#include "math/vec3.h"
#include "scene/build.h"

#include <math.h>
#include <string.h>

// A rod while it is made.
typedef struct work {
    tn_build *build;
    const tn_raw_rod *raw;
    const tn_node *node;
    tn_scene_rod *rod;
    tn_scene_body *bodies;  // (n) its segments, z along the rod
    double *length;         // (n) of the segments [m]
    double piece;           // length of rod that a joint stands for [m]
    double area, second[2]; // of the section [m^2], [m^4]
    double torsion, shear;  // J [m^4]; shear factor
    double density;         // [kg/m^3]
    int holder[2];          // bodies that hold the ends, -1: the world
} work;

// ---- the section

static void find_profile(work *w)
{
    const tn_raw_profile *said = w->raw->profile;
    double r2 = w->raw->radius * w->raw->radius, nu = w->raw->poisson;
    w->area = M_PI * r2;
    w->second[0] = w->second[1] = 0.25 * w->area * r2;
    w->shear = 6.0 * (1.0 + nu) / (7.0 + 6.0 * nu); // a circle's: Cowper 1966
    if (said) {
        w->area = said->area;
        w->second[0] = said->second_moments.value[0];
        w->second[1] = said->second_moments.value[1];
        w->shear = said->shear_factor;
    }
    w->torsion = said && !isnan(said->torsion) ? said->torsion : w->second[0] + w->second[1];
}

// ---- segments

// The least turn from one direction to another.
static void turn_between(const double from[3], const double to[3], double out[4])
{
    tn_vec3_cross(out + 1, from, to);
    out[0] = 1.0 + tn_vec3_dot(from, to);
    if (out[0] < 1e-12) { // back on itself: about any axis across
        double other[3] = {fabs(from[0]) < 0.5, fabs(from[0]) >= 0.5, 0.0};
        tn_vec3_cross(out + 1, from, other);
        out[0] = 0.0;
    }
    tn_quat_normalize(out);
}

static bool place_segments(work *w, const double *ends)
{
    const double z[3] = {0.0, 0.0, 1.0};
    double direction[3], last[3], turn[4], q[4];
    tn_vec3_copy(last, z);
    tn_quat_identity(q);
    for (int i = 0; i < w->rod->n_bodies; i++) {
        const double *from = ends + 3 * (size_t)i, *to = from + 3;
        tn_pose *pose = &w->bodies[i].pose;
        tn_vec3_sub(direction, to, from);
        w->length[i] = tn_vec3_norm(direction);
        if (!(w->length[i] > 0.0)) {
            return tn_read_error(&w->build->reader, w->node->place, "segment %d of the rod has no length", i);
        }
        tn_vec3_scale(direction, 1.0 / w->length[i], direction);
        turn_between(last, direction, turn);
        tn_quat_mul(q, turn, q);
        tn_quat_normalize(q);
        tn_vec3_copy(last, direction);
        tn_vec3_add(pose->position, from, to);
        tn_vec3_scale(pose->position, 0.5, pose->position);
        memcpy(pose->quaternion, q, sizeof q);
    }
    return true;
}

// From the frame of the line to the world.
static bool move_segments(work *w)
{
    double q[4];
    if (!tn_build_rotation(w->build, w->raw->rotation, tn_node_place_of(w->node, "rotation"), q)) {
        return false;
    }
    for (int i = 0; i < w->rod->n_bodies; i++) {
        tn_pose *pose = &w->bodies[i].pose;
        tn_quat_rotate(pose->position, q, pose->position);
        tn_vec3_add(pose->position, pose->position, w->raw->position);
        tn_quat_mul(pose->quaternion, q, pose->quaternion);
    }
    return true;
}

// A capsule with the mass and the moments of a piece of the rod.
static bool make_segment(work *w, int i, char *name, const tn_scene_velocity *velocity, int material)
{
    tn_arena *storage = w->build->reader.storage;
    tn_scene_shape *shape = TN_PUSH(storage, tn_scene_shape, 1);
    tn_scene_inertia *inertia = TN_PUSH(storage, tn_scene_inertia, 1);
    tn_scene_body *body = &w->bodies[i];
    double l = w->length[i], line = w->density * w->area;
    if (!shape || !inertia) {
        return tn_read_no_memory(&w->build->reader);
    }
    *shape = (tn_scene_shape){.shape = {.kind = TN_SHAPE_CAPSULE, .size = {w->raw->radius, 0.5 * l}},
                              .pose.quaternion = {1.0, 0.0, 0.0, 0.0},
                              .material = material,
                              .collides = w->raw->collides,
                              .color = w->raw->color.said ? w->raw->color : w->build->scene->materials[material].color,
                              .place = w->node->place};
    inertia->mass = line * l;
    inertia->tensor[0] = l * (w->density * w->second[0] + line * l * l / 12.0);
    inertia->tensor[4] = l * (w->density * w->second[1] + line * l * l / 12.0);
    inertia->tensor[8] = l * w->density * (w->second[0] + w->second[1]);
    body->name = name;
    body->kind = TN_BODY_FREE;
    body->n_shapes = 1;
    body->shapes = shape;
    body->inertia = inertia;
    body->velocity = velocity;
    body->place = w->node->place;
    return true;
}

static bool make_segments(work *w)
{
    tn_build *build = w->build;
    size_t size = 0;
    int n = w->rod->n_bodies;
    const tn_node plain = {.text = "default"};
    const tn_node *said = w->raw->material;
    int material = tn_build_lookup(build, &build->materials, said ? said : &plain, "material");
    double *ends = TN_PUSH(build->reader.scratch, double, 3 * (size_t)(n + 1));
    tn_scene_velocity *velocity = TN_PUSH(build->reader.storage, tn_scene_velocity, 1);
    char *names = material >= 0 ? tn_build_copy_names(build, w->rod->name, n, &size) : NULL;
    if (!names || !ends || !velocity) {
        return material >= 0 && tn_read_no_memory(&build->reader);
    }
    w->density = isnan(w->raw->density) ? build->scene->materials[material].density : w->raw->density;
    if (!(w->density > 0.0)) {
        return tn_read_error(&build->reader, w->node->place,
                             "a rod needs mass: give it a density, its material has none");
    }
    tn_vec3_copy(velocity->linear, w->raw->velocity);
    if (!tn_build_rod_line(build, w->raw, w->node, ends, &w->piece) || !place_segments(w, ends) || !move_segments(w)) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        if (!make_segment(w, i, names + (size_t)i * size, velocity, material)) {
            return false;
        }
    }
    return true;
}

// ---- joints

// How b stands to a at the start: a rotation vector in the axes of either.
static void bend_between(const tn_scene_body *a, const tn_scene_body *b, double out[3])
{
    double undo[4], turn[4];
    tn_quat_conjugate(undo, a->pose.quaternion);
    tn_quat_mul(turn, undo, b->pose.quaternion);
    tn_quat_log(out, turn);
}

// Stiffness and damping of a piece of rod along the joint's axes: the rod's, then the section's.
static void fill_bushing(const work *w, tn_scene_bushing *out)
{
    out->piece = w->piece;
    double L = w->piece, E = w->raw->young, G = 0.5 * E / (1.0 + w->raw->poisson), GA = w->shear * G * w->area;
    const double *I = w->second;
    double give[6] = {1.0 / (E * w->area),
                      1.0 / GA + L * L / (12.0 * E * I[1]),
                      1.0 / GA + L * L / (12.0 * E * I[0]),
                      1.0 / (G * w->torsion),
                      1.0 / (E * I[0]),
                      1.0 / (E * I[1])};
    for (int i = 0; i < 6; i++) {
        out->stiffness[7 * i] = 1.0 / (give[i] * L);
        out->damping[7 * i] = w->raw->damping / (give[i] * L);
    }
}

// What strains it at the start: the bend (in the section's axes) beyond the natural one.
static void fill_strain(const work *w, const double bend[3], tn_scene_bushing *out)
{
    for (int k = 0; k < 3 && !isnan(w->raw->natural[0]); k++) {
        out->turned[(k + 1) % 3] = bend[k] - w->piece * w->raw->natural[k];
    }
}

static void place_on(const tn_scene_body *body, const double world[3], double out[3])
{
    tn_vec3_copy(out, world);
    if (body) {
        tn_vec3_sub(out, world, body->pose.position);
        tn_quat_rotate_inverse(out, body->pose.quaternion, out);
    }
}

// Between two bodies (ids; -1: the world) at the end of segment i where side = 0.5, at its start where -0.5. Pinned: it
// holds the place alone, and rigidly.
static bool make_joint(work *w, int a, int b, int i, double side, const double bend[3], bool pinned,
                       tn_scene_joint *out)
{
    const tn_scene_body *bodies = w->build->scene->bodies, *own = &w->bodies[i];
    tn_scene_bushing *bushing = pinned ? NULL : TN_PUSH(w->build->reader.storage, tn_scene_bushing, 1);
    const double point[3] = {0.0, 0.0, side * w->length[i]}, x[3] = {1.0, 0.0, 0.0}, z[3] = {0.0, 0.0, 1.0};
    double half[3], turn[4], world[3];
    if (!pinned && !bushing) {
        return tn_read_no_memory(&w->build->reader);
    }
    if (bushing) {
        fill_bushing(w, bushing);
        fill_strain(w, bend, bushing);
    }
    *out = (tn_scene_joint){.name = out->name,
                            .kind = pinned ? TN_JOINT_SPHERICAL : TN_JOINT_BUSHING,
                            .body_a = a,
                            .body_b = b,
                            .length = (double)NAN,
                            .bushing = bushing,
                            .slack = 1e-9 * w->piece, // for rounding
                            .place = w->node->place};
    // The axes half-way between the segments.
    tn_vec3_scale(half, side, bend);
    tn_quat_exp(turn, half);
    tn_quat_mul(turn, own->pose.quaternion, turn);
    tn_quat_rotate(out->axis, turn, z);
    tn_quat_rotate(out->axis2, turn, x);
    tn_quat_rotate(world, own->pose.quaternion, point);
    tn_vec3_add(world, world, own->pose.position);
    place_on(a < 0 ? NULL : &bodies[a], world, out->point_a);
    place_on(b < 0 ? NULL : &bodies[b], world, out->point_b);
    for (int k = 0; k < TN_AXIS_COUNT; k++) {
        out->drive[k].low = -INFINITY;
        out->drive[k].high = INFINITY;
    }
    return true;
}

// A held end. Where it is clamped the rod bends on as at the first joint beside it.
static bool make_end(work *w, int end, tn_scene_joint *out)
{
    int n = w->rod->n_bodies, first = w->rod->first_body, i = end ? n - 1 : 0;
    double bend[3];
    bend_between(&w->bodies[end ? n - 2 : 0], &w->bodies[end ? n - 1 : 1], bend);
    int a = end ? first + i : w->holder[0], b = end ? w->holder[1] : first;
    return make_joint(w, a, b, i, end ? 0.5 : -0.5, bend, !tn_build_rod_clamped(w->raw, end), out);
}

static bool make_joints(work *w)
{
    int n = w->rod->n_bodies, first = w->rod->first_body;
    tn_scene_joint *out = w->build->scene->joints + w->rod->first_joint;
    for (int end = 0; end < 2; end++) {
        if (w->raw->end[end] && !make_end(w, end, end ? out + w->rod->n_joints - 1 : out)) {
            return false;
        }
    }
    out += w->raw->end[0] != NULL;
    for (int i = 0; i < n - !w->raw->closed; i++) {
        int next = (i + 1) % n;
        double bend[3];
        bend_between(&w->bodies[i], &w->bodies[next], bend);
        if (!make_joint(w, first + i, first + next, i, 0.5, bend, false, out++)) {
            return false;
        }
    }
    return true;
}

// ---- rods

bool tn_build_rod_clamped(const tn_raw_rod *raw, int end)
{
    return raw->end[end] && raw->end[end]->hold == 0;
}

static bool check_rod(tn_build *build, const tn_node *key, const tn_node *node, const tn_raw_rod *raw)
{
    if (!tn_build_check_name(build, key, "a rod")) {
        return false;
    }
    if (strcmp(key->text, "world") == 0 || tn_names_find(&build->bodies, key->text) >= 0 ||
        (build->raw.bodies && tn_node_index(build->raw.bodies, key->text) >= 0) ||
        (build->raw.softs && tn_node_index(build->raw.softs, key->text) >= 0)) {
        return tn_read_error(&build->reader, key->place, "the name '%s' is taken; rods and bodies need different names",
                             key->text);
    }
    if (raw->closed && (raw->end[0] || raw->end[1])) {
        return tn_read_error(&build->reader, tn_node_place_of(node, "closed"), "a closed rod has no ends to hold");
    }
    return true;
}

static bool add_rod(tn_build *build, const tn_node *key, const tn_node *node, const tn_raw_rod *raw)
{
    tn_scene *scene = build->scene;
    tn_scene_rod *rod = &scene->rods[scene->n_rods++];
    work w = {.build = build, .raw = raw, .node = node, .rod = rod};
    *rod = (tn_scene_rod){.name = tn_build_keep_name(build, key->text),
                          .first_body = scene->n_bodies,
                          .n_bodies = raw->segments,
                          .first_joint = scene->n_joints,
                          .n_joints = raw->segments - !raw->closed + (raw->end[0] != NULL) + (raw->end[1] != NULL),
                          .closed = raw->closed};
    w.bodies = scene->bodies + rod->first_body;
    w.length = TN_PUSH(build->reader.scratch, double, raw->segments);
    if (!rod->name || !w.length) {
        return tn_read_no_memory(&build->reader);
    }
    find_profile(&w);
    for (int end = 0; end < 2; end++) {
        if (raw->end[end] && !tn_build_find_body(build, raw->end[end]->to, &w.holder[end])) {
            return false;
        }
    }
    if (!make_segments(&w)) {
        return false;
    }
    // Bent to a half circle of its own radius it would just touch itself.
    double pieces = floor(M_PI * raw->radius / w.piece) + 1.0;
    rod->reach = raw->self_contact && pieces < raw->segments ? (int)pieces : raw->segments;
    size_t size;
    char *names = tn_build_copy_names(build, rod->name, rod->n_joints, &size);
    for (int i = 0; names && i < rod->n_joints; i++) {
        scene->joints[rod->first_joint + i].name = names + (size_t)i * size;
    }
    scene->n_bodies += rod->n_bodies;
    scene->n_joints += rod->n_joints;
    return names && make_joints(&w);
}

// Room for all rods' bodies behind the others, and for their joints.
static bool make_room(tn_build *build, const tn_node *map, const tn_raw_rod *raw)
{
    tn_scene *scene = build->scene;
    const tn_scene_body *bodies = scene->bodies;
    size_t total = 0;
    for (int i = 0; i < map->n; i++) {
        total += (size_t)raw[i].segments;
    }
    if (total + (size_t)scene->n_bodies > TN_SCENE_BODIES_MAX) {
        return tn_read_error(&build->reader, map->place, "more than %d bodies", TN_SCENE_BODIES_MAX);
    }
    scene->rods = TN_PUSH(build->reader.storage, tn_scene_rod, map->n);
    scene->bodies = TN_PUSH(build->reader.storage, tn_scene_body, total + (size_t)scene->n_bodies);
    scene->joints = TN_PUSH(build->reader.storage, tn_scene_joint, total + 2 * (size_t)map->n);
    if (!scene->rods || !scene->bodies || !scene->joints) {
        return tn_read_no_memory(&build->reader);
    }
    memcpy(scene->bodies, bodies, (size_t)scene->n_bodies * sizeof *bodies);
    return true;
}

bool tn_build_rods(tn_build *build)
{
    const tn_node *map = build->raw.rods;
    int n = map ? map->n : 0;
    tn_raw_rod *raw = TN_PUSH(build->reader.scratch, tn_raw_rod, n);
    if (!raw) {
        return tn_read_no_memory(&build->reader);
    }
    for (int i = 0; i < n; i++) {
        if (!tn_section_read(&build->reader, &tn_section_rod, map->item[i], &raw[i]) ||
            !check_rod(build, map->key[i], map->item[i], &raw[i])) {
            return false;
        }
    }
    if (n == 0) {
        return true;
    }
    if (!make_room(build, map, raw)) {
        return false;
    }
    for (int i = 0; i < n; i++) {
        if (!add_rod(build, map->key[i], map->item[i], &raw[i])) {
            return false;
        }
    }
    return tn_build_index_bodies(build);
}
