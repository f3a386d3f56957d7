// Joints of the scene, compiled and checked.
#include "math/mat3.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "model/compile.h"
#include "model/joint_geometry.h"
#include "model/motion.h"
#include "scene/joint_class.h"
#include "shape/pose.h"

#include <math.h>
#include <string.h>

static const double TURN = 6.283185307179586;

static tn_status fail(const tn_scene_joint *joint, tn_error *error, const char *message)
{
    const tn_place *place = &joint->place;
    return tn_error_at(error, place->file ? place->file : "", place->line, place->column, "joint '%s' %s", joint->name,
                       message);
}

// The joint's frame in the body's principal frame: the point and the axes of the world.
static void compile_frame(const tn_model_body *body, const double point[3], const double axes[4], tn_pose *out)
{
    tn_pose to_principal, start, own = {.quaternion = {1.0, 0.0, 0.0, 0.0}};
    double undo[4];
    tn_pose_undo(&to_principal, &body->principal);
    tn_vec3_copy(own.position, point);
    tn_pose_join(out, &to_principal, &own);
    tn_motion_start_pose(body, &start);
    tn_quat_conjugate(undo, start.quaternion);
    tn_quat_mul(out->quaternion, undo, axes);
    tn_quat_normalize(out->quaternion);
}

static void axes_of(const tn_scene_joint *joint, double out[4])
{
    double third[3], columns[9];
    tn_vec3_cross(third, joint->axis, joint->axis2);
    for (int i = 0; i < 3; i++) {
        tn_vec3_set(columns + 3 * i, joint->axis[i], joint->axis2[i], third[i]);
    }
    tn_quat_from_mat3(out, columns);
}

// Positions are off by no more than the slack at the start; no motor or limit is elsewhere.
static tn_status check_start(const tn_model_joint *joint, const tn_joint_geometry *at, const double *start,
                             tn_error *error)
{
    const tn_scene_joint *said = joint->description;
    const tn_place *place = &said->place;
    const char *file = place->file ? place->file : "";
    double off[2] = {0.0, 0.0}, allowed = fmax(said->slack, 1e-6);
    for (int i = 0; at && i < joint->n_holds && !joint->bushing; i++) { // NULL: of a gear that holds nothing
        off[tn_joint_hold_turns(joint, i)] += at->violation[i] * at->violation[i];
    }
    if (sqrt(off[0]) > said->slack || sqrt(off[1]) > allowed) {
        return tn_error_at(error, file, place->line, place->column,
                           "joint '%s' is impossible at the start: it is off by %.6g m and %.6g rad (its slack allows "
                           "%.3g); move the bodies or the points",
                           said->name, sqrt(off[0]), sqrt(off[1]), said->slack);
    }
    for (int k = 0; k < joint->n_coordinates; k++) {
        const tn_scene_drive *drive = &said->drive[joint->axis[k]];
        double goal = drive->motor == TN_MOTOR_POSITION ? tn_value_at(&drive->target, 0.0) : start[k];
        if (tn_drive_prescribes(drive) && fabs(goal - start[k]) > allowed) {
            return tn_error_at(error, file, place->line, place->column,
                               "the motor of joint '%s' asks for %g at the start, where the coordinate is %g: start "
                               "there, or give the motor a strength or stiffness",
                               said->name, goal, start[k]);
        }
        bool outside = start[k] < drive->low - allowed || start[k] > drive->high + allowed;
        if (outside && drive->limit_compliance == 0.0) {
            return tn_error_at(error, file, place->line, place->column,
                               "joint '%s' starts at %g, outside its limits %g to %g", said->name, start[k], drive->low,
                               drive->high);
        }
    }
    return TN_OK;
}

static tn_status start_distance(tn_model_joint *joint, const tn_joint_geometry *at, tn_error *error)
{
    const tn_scene_joint *said = joint->description;
    double apart = at->value[0];
    joint->length = isnan(said->length) ? apart : said->length;
    return apart > 1e-9 && joint->length > 1e-9
               ? TN_OK
               : fail(said, error, "is a distance of nothing: give two points that are apart");
}

static void start_pose(const tn_model *model, int body, int set, tn_pose *out)
{
    if (set < 0) {
        tn_motion_pose(&model->bodies[body], 0.0, out);
        return;
    }
    tn_pose_set_identity(out);
    tn_vec3_copy(out->position, model->sets[set].center);
}

// Coordinates at the start, and whether it is possible.
static tn_status start_joint(const tn_model *model, tn_model_joint *joint, tn_error *error)
{
    tn_joint_geometry at;
    tn_pose a, b;
    double *start = model->joint_start + joint->first_coordinate;
    start_pose(model, joint->body_a, joint->set_a, &a);
    start_pose(model, joint->body_b, joint->set_b, &b);
    tn_joint_look(joint, &a, &b, &at);
    if (joint->kind == TN_JOINT_DISTANCE) {
        tn_status status = start_distance(joint, &at, error);
        if (status != TN_OK) {
            return status;
        }
        tn_joint_look(joint, &a, &b, &at);
    }
    memcpy(start, at.value, (size_t)joint->n_coordinates * sizeof *start);
    if (!joint->bushing) {
        memcpy(joint->off, at.violation, (size_t)joint->n_holds * sizeof *joint->off);
    }
    return check_start(joint, &at, start, error);
}

// Coordinate of a joint by its name, in the model's numbering.
static int coordinate_of(const tn_model_joint *joint, tn_joint_axis axis)
{
    int k = 0;
    while (k + 1 < joint->n_coordinates && joint->axis[k] != axis) {
        k++;
    }
    return joint->first_coordinate + k;
}

// The body or nodes of one side, and the joint's frame there.
static bool compile_side(tn_model *model, tn_model_joint *joint, bool is_a, const double axes[4], tn_arena *arena)
{
    const tn_scene_joint *said = joint->description;
    const tn_scene_nodes *nodes = is_a ? &said->nodes_a : &said->nodes_b;
    const double *point = is_a ? said->point_a : said->point_b;
    int *number = is_a ? &joint->body_a : &joint->body_b, *set = is_a ? &joint->set_a : &joint->set_b;
    tn_pose *frame = is_a ? &joint->frame_a : &joint->frame_b;
    *set = -1;
    *number = (is_a ? said->body_a : said->body_b) + 1;
    if (nodes->n == 0) {
        compile_frame(&model->bodies[*number], point, axes, frame);
        return true;
    }
    *set = model->n_sets++;
    *number = model->n_bodies + nodes->soft;
    if (!tn_model_compile_set(model, nodes, &model->sets[*set], arena)) {
        return false;
    }
    tn_pose_point(frame->position, &model->softs[nodes->soft].description->pose, point);
    tn_vec3_sub(frame->position, frame->position, model->sets[*set].center);
    memcpy(frame->quaternion, axes, sizeof frame->quaternion);
    return true;
}

// The drum of a distance as its frame on a sees it.
static bool compile_drum(const tn_model *model, tn_model_joint *joint, tn_arena *arena)
{
    const tn_drum *said = joint->description->drum;
    tn_drum *drum = TN_PUSH(arena, tn_drum, 1);
    tn_pose seen, to_principal;
    if (!drum) {
        return false;
    }
    tn_pose_undo(&seen, &joint->frame_a);
    tn_pose_undo(&to_principal, &model->bodies[joint->body_a].principal);
    tn_pose_join(&seen, &seen, &to_principal);
    tn_pose_point(drum->center, &seen, said->center);
    tn_pose_point(drum->side, &seen, said->side);
    tn_quat_rotate(drum->axis, seen.quaternion, said->axis);
    drum->radius = said->radius;
    joint->drum = drum;
    return true;
}

// Frames turned apart by what strains a bushing at the start, one half each.
static void strain_frames(const double turned[3], tn_model_joint *joint)
{
    double half[3], turn[4];
    tn_vec3_scale(half, 0.5, turned);
    tn_quat_exp(turn, half);
    tn_quat_mul(joint->frame_b.quaternion, joint->frame_b.quaternion, turn);
    tn_quat_conjugate(turn, turn);
    tn_quat_mul(joint->frame_a.quaternion, joint->frame_a.quaternion, turn);
}

// As many rows as springs and dampers act along, each with its own.
static bool compile_bushing(const tn_model *model, tn_model_joint *joint, tn_arena *arena)
{
    const tn_scene_bushing *said = joint->description->bushing;
    tn_pencil *bushing = TN_PUSH(arena, tn_pencil, 1);
    if (!bushing || !tn_pencil_split(said->stiffness, said->damping, model->settings.step, bushing)) {
        return false;
    }
    joint->bushing = bushing;
    joint->n_holds = bushing->n;
    return true;
}

// Both sides are bodies that A has whole or not at all, and the scheme takes the joint at the step's start.
static bool belongs_to_balance(const tn_model *model, const tn_model_joint *joint)
{
    const tn_scene_bushing *said = joint->description->bushing;
    return said->piece > 0.0 && model->settings.scheme != TN_SCHEME_MIDPOINT &&
           model->bodies[joint->body_a].n_blocks != 1 && model->bodies[joint->body_b].n_blocks != 1;
}

static bool compile_elastic(tn_model *model, tn_model_joint *joint, tn_arena *arena)
{
    const tn_scene_bushing *said = joint->description->bushing;
    tn_model_elastic *elastic = TN_PUSH(arena, tn_model_elastic, 1);
    for (int i = 0; elastic && i < 6; i++) {
        elastic->stiffness[i] = said->stiffness[7 * i];
        elastic->lag = said->damping[7 * i] / said->stiffness[7 * i];
    }
    if (elastic) {
        elastic->length = said->piece;
    }
    joint->elastic = elastic;
    joint->n_holds = 0;
    model->any_elastic = true;
    return elastic != NULL;
}

// Of a gear that holds nothing the difference is a coordinate.
static tn_status compile_gear(const tn_model *model, tn_model_joint *joint, tn_error *error)
{
    const tn_scene_joint *said = joint->description;
    joint->n_gear = said->n_gear;
    for (int i = 0; i < said->n_gear; i++) {
        joint->gear[i] = coordinate_of(&model->joints[said->gear_joint[i]], said->gear_axis[i]);
    }
    double start = joint->length = tn_gear_difference(joint, model->joint_start);
    if (joint->n_coordinates == 0) {
        return TN_OK;
    }
    joint->axis[0] = tn_gear_axis(said);
    model->joint_start[joint->first_coordinate] = start;
    return check_start(joint, NULL, &start, error);
}

static tn_status compile_joint(tn_model *model, int number, tn_arena *arena, tn_error *error)
{
    const tn_scene_joint *said = &model->scene->joints[number];
    tn_model_joint *joint = &model->joints[number];
    const tn_joint_class *c = &tn_joint_classes[said->kind];
    bool measured = c->tie == TN_TIE_DISTANCE && said->drive[TN_AXIS_SLIDE].said;    // its length is free
    bool driven = said->kind == TN_JOINT_GEAR && tn_gear_axis(said) < TN_AXIS_COUNT; // what it couples is free
    *joint = (tn_model_joint){.name = said->name,
                              .kind = said->kind,
                              .body_a = -1,
                              .body_b = -1,
                              .set_a = -1,
                              .set_b = -1,
                              .n_holds = measured || driven ? 0 : tn_joint_row_count(said->kind),
                              .n_coordinates = driven ? 1 : c->n_coordinates,
                              .first_coordinate = model->n_joint_coordinates,
                              .ball = -1,
                              .description = said};
    memcpy(joint->axis, c->axis, sizeof c->axis);
    model->n_joint_coordinates += joint->n_coordinates;
    if (said->kind == TN_JOINT_GEAR) {
        return compile_gear(model, joint, error);
    }
    double axes[4];
    axes_of(said, axes);
    if (!compile_side(model, joint, true, axes, arena) || !compile_side(model, joint, false, axes, arena) ||
        (said->drum && !compile_drum(model, joint, arena))) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the nodes of joint '%s'", said->name);
    }
    joint->length = said->kind == TN_JOINT_ROLLING ? said->radius : said->pitch / TURN;
    if (said->bushing) {
        strain_frames(said->bushing->turned, joint);
    }
    bool ok =
        said->kind != TN_JOINT_BUSHING || (belongs_to_balance(model, joint) ? compile_elastic(model, joint, arena)
                                                                            : compile_bushing(model, joint, arena));
    if (!ok) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for joint '%s'", said->name);
    }
    return start_joint(model, joint, error);
}

// The joint's rows: counted, and written where rows is not NULL.
static int list_rows(const tn_model_joint *joint, int number, tn_model_joint_row *rows)
{
    int n = 0;
    for (int i = 0; i < joint->n_holds; i++, n++) {
        if (rows) {
            rows[n] = (tn_model_joint_row){number, TN_ROLE_HOLD, i};
        }
    }
    for (int k = 0; k < joint->n_coordinates; k++) {
        const tn_scene_drive *drive = &joint->description->drive[joint->axis[k]];
        const struct {
            tn_joint_role role;
            bool wanted;
        } roles[] = {{TN_ROLE_SPRING, drive->stiffness > 0.0 || drive->damping > 0.0},
                     {TN_ROLE_ARMATURE, drive->armature > 0.0},
                     {TN_ROLE_MOTOR, drive->motor != TN_MOTOR_NONE},
                     {TN_ROLE_FRICTION, drive->friction > 0.0 || drive->friction_arm > 0.0},
                     {TN_ROLE_LOW, drive->low > -INFINITY},
                     {TN_ROLE_HIGH, drive->high < INFINITY}};
        for (size_t i = 0; i < sizeof roles / sizeof *roles; i++) {
            if (roles[i].wanted && rows) {
                rows[n] = (tn_model_joint_row){number, roles[i].role, k};
            }
            n += roles[i].wanted;
        }
    }
    bool straight = joint->kind == TN_JOINT_DISTANCE && !joint->drum && joint->set_a < 0 && joint->set_b < 0;
    for (int i = 0; straight && i < 2; i++, n++) {
        if (rows) {
            rows[n] = (tn_model_joint_row){number, TN_ROLE_ACROSS, i};
        }
    }
    return n;
}

// Entries of all rows of the joint at most.
static int count_entries(const tn_model *model, const tn_model_joint *joint)
{
    if (joint->kind != TN_JOINT_GEAR) {
        return joint->n_rows * tn_joint_entry_count(model, joint);
    }
    int k, n = 0;
    for (int i = 0; i < joint->n_gear; i++) {
        n += tn_joint_entry_count(model, tn_joint_of_coordinate(model, joint->gear[i], &k));
    }
    return joint->n_rows * n;
}

static bool parts(const tn_model_joint *joint)
{
    return joint->kind != TN_JOINT_GEAR && !joint->description->collide && joint->body_a != joint->body_b;
}

// Who is joined to whom.
static bool compile_joined(tn_model *model, tn_arena *arena)
{
    int n = model->n_bodies + model->n_softs;
    model->joined_start = TN_PUSH(arena, int, (size_t)n + 2);
    model->joined = TN_PUSH(arena, int, 2 * (size_t)model->n_joints);
    if (!model->joined_start || !model->joined) {
        return false;
    }
    // Counted one place late, so that filling moves each start to where it belongs.
    int *start = model->joined_start + 1;
    for (int i = 0; i < model->n_joints; i++) {
        const tn_model_joint *joint = &model->joints[i];
        if (parts(joint)) {
            model->joined_start[joint->body_a + 2]++;
            model->joined_start[joint->body_b + 2]++;
        }
    }
    for (int b = 0; b < n; b++) {
        start[b + 1] += start[b];
    }
    for (int i = 0; i < model->n_joints; i++) {
        const tn_model_joint *joint = &model->joints[i];
        if (parts(joint)) {
            model->joined[start[joint->body_a]++] = joint->body_b;
            model->joined[start[joint->body_b]++] = joint->body_a;
        }
    }
    return true;
}

// Whether what moves joints' bodies moves nodes with them.
static bool move_nodes(const tn_model *model)
{
    bool any = model->n_sets > 0;
    for (int i = 0, last = -1; !any && i < model->n_nodes; i++) {
        int body = model->nodes[i].body;
        bool free = body >= 0 && body != last && model->bodies[body].n_blocks > 0;
        for (int j = 0; free && j < model->n_joints; j++) {
            any = any || model->joints[j].body_a == body || model->joints[j].body_b == body;
        }
        last = body;
    }
    return any;
}

tn_status tn_model_compile_joints(tn_model *model, tn_arena *arena, tn_error *error)
{
    model->n_joints = model->scene->n_joints;
    if (model->n_joints == 0) {
        return TN_OK;
    }
    model->joints = TN_PUSH(arena, tn_model_joint, model->n_joints);
    model->joint_start = TN_PUSH(arena, double, TN_JOINT_COORDINATES *(size_t)model->n_joints);
    model->sets = TN_PUSH(arena, tn_model_set, 2 * (size_t)model->n_joints);
    if (!model->joints || !model->joint_start || !model->sets) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %d joints", model->n_joints);
    }
    for (int i = 0; i < model->n_joints; i++) {
        tn_status status = compile_joint(model, i, arena, error);
        if (status != TN_OK) {
            return status;
        }
        model->joints[i].first_row = model->n_joint_rows;
        model->joints[i].n_rows = list_rows(&model->joints[i], i, NULL);
        model->n_joint_rows += model->joints[i].n_rows;
        if (tn_joint_rubs(model->joints[i].description)) {
            model->joints[i].ball = model->n_joint_balls++;
            model->n_ball_entries += tn_joint_entry_count(model, &model->joints[i]);
        }
    }
    for (int i = 0; i < model->n_joints; i++) {
        model->n_joint_entries += count_entries(model, &model->joints[i]);
    }
    model->joints_move_nodes = move_nodes(model);
    model->joint_rows = TN_PUSH(arena, tn_model_joint_row, model->n_joint_rows);
    if (!model->joint_rows || !compile_joined(model, arena)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the rows of %d joints", model->n_joints);
    }
    for (int i = 0; i < model->n_joints; i++) {
        const tn_model_joint *joint = &model->joints[i];
        list_rows(joint, i, model->joint_rows + model->joints[i].first_row);
        for (int k = 0; k < joint->n_coordinates; k++) {
            model->any_armature = model->any_armature || joint->description->drive[joint->axis[k]].armature > 0.0;
        }
    }
    return TN_OK;
}
