// Tables of joints: kinds, what acts on their free coordinates, gears.
#include "scene/joint_class.h"
#include "scene/keys.h"

#define JOINT(field) AT(tn_raw_joint, field)
#define DRIVE(field) AT(tn_raw_drive, field)
#define MOTOR(field) AT(tn_raw_motor, field)

static const tn_key slide_motor_keys[] = {
    {"position", TN_KEY_EXPRESSION, MOTOR(position), METRES, ANY, .doc = "Prescribed coordinate."},
    {"velocity", TN_KEY_EXPRESSION, MOTOR(velocity), M_PER_S, ANY, .doc = "Instead: prescribed rate."},
    {"strength", TN_KEY_NUMBER, MOTOR(strength), NEWTONS, .high = LARGE, .infinite = true, .fallback = "infinite",
     .doc = "Largest force. `infinite`: all it takes, but rigid limits stop it."},
    {"stiffness", TN_KEY_NUMBER, MOTOR(stiffness), N_PER_M, .high = LARGE, .infinite = true, .fallback = "infinite",
     .doc = "Servo (PD): force per error of `position`, implicit. `infinite`: the coordinate is prescribed within "
            "`strength`."},
    {"damping", TN_KEY_NUMBER, MOTOR(damping), N_S_PER_M, .high = LARGE,
     .doc = "Servo: force per error of the rate. With `position` it needs a stiffness, default 0; with `velocity` "
            "default: the rate is prescribed."},
};
static const tn_section slide_motor_section = {"slide.motor", "A motor: `position` or `velocity`.",
                                               sizeof(tn_raw_motor), NULL, KEYS(slide_motor_keys)};

static const tn_key turn_motor_keys[] = {
    {"position", TN_KEY_EXPRESSION, MOTOR(position), RADIANS, ANY, .doc = "Prescribed angle."},
    {"velocity", TN_KEY_EXPRESSION, MOTOR(velocity), RAD_PER_S, ANY, .doc = "Instead: prescribed rate."},
    {"strength", TN_KEY_NUMBER, MOTOR(strength), NEWTON_METRES, .high = LARGE, .infinite = true, .fallback = "infinite",
     .doc = "Largest torque. `infinite`: all it takes, but rigid limits stop it."},
    {"stiffness", TN_KEY_NUMBER, MOTOR(stiffness), N_M_PER_RAD, .high = LARGE, .infinite = true, .fallback = "infinite",
     .doc = "As in slide.motor."},
    {"damping", TN_KEY_NUMBER, MOTOR(damping), N_M_S_PER_RAD, .high = LARGE, .doc = "As in slide.motor."},
};
static const tn_section turn_motor_section = {"turn.motor", "A motor: `position` or `velocity`.", sizeof(tn_raw_motor),
                                              NULL, KEYS(turn_motor_keys)};

#define BEARING(field) AT(tn_raw_bearing, field)
static const char bearing_doc[] =
    "Dry friction of a bearing: a constant plus a part proportional to the joint's force in the previous step.";

static const tn_key slide_friction_keys[] = {
    {"force", TN_KEY_NUMBER, BEARING(least), NEWTONS, .high = LARGE, .fallback = "0", .doc = "Constant part."},
    {"coefficient", TN_KEY_NUMBER, BEARING(coefficient), .high = 1e6, .fallback = "0",
     .doc = "Times the joint's force."},
};
static const tn_section slide_friction_section = {"slide.friction", bearing_doc, sizeof(tn_raw_bearing), "force",
                                                  KEYS(slide_friction_keys)};

static const tn_key turn_friction_keys[] = {
    {"torque", TN_KEY_NUMBER, BEARING(least), NEWTON_METRES, .high = LARGE, .fallback = "0", .doc = "Constant part."},
    {"coefficient", TN_KEY_NUMBER, BEARING(coefficient), .high = 1e6, .fallback = "0",
     .doc = "Times `radius` and the joint's force."},
    {"radius", TN_KEY_NUMBER, BEARING(radius), METRES, .high = LARGE, .fallback = "0", .doc = "Of the bearing."},
};
static const tn_section turn_friction_section = {"turn.friction", bearing_doc, sizeof(tn_raw_bearing), "torque",
                                                 KEYS(turn_friction_keys)};

static const tn_key slide_keys[] = {
    {"limits", TN_KEY_NUMBERS, DRIVE(limits), METRES, .infinite = true, .low_count = 2, .high_count = 2,
     .doc = "Lower, upper; `infinite`: none."},
    {"limit_stiffness", TN_KEY_NUMBER, DRIVE(limit_stiffness), N_PER_M, .low = 1 / LARGE, .high = LARGE,
     .infinite = true, .fallback = "infinite", .doc = "Of both limits, implicit; a limit never pulls."},
    {"limit_damping", TN_KEY_NUMBER, DRIVE(limit_damping), N_S_PER_M, .high = LARGE, .fallback = "0",
     .doc = "While a limit with a stiffness is passed."},
    {"motor", TN_KEY_SECTION, DRIVE(motor), .section = &slide_motor_section, .doc = "Motor or servo."},
    {"friction", TN_KEY_SECTION, DRIVE(friction), .section = &slide_friction_section, .doc = "Dry friction."},
    {"stiffness", TN_KEY_NUMBER, DRIVE(stiffness), N_PER_M, .high = LARGE, .fallback = "0", .doc = "Spring, implicit."},
    {"rest", TN_KEY_NUMBER, DRIVE(rest), METRES, ANY, .fallback = "0", .doc = "Its rest position."},
    {"damping", TN_KEY_NUMBER, DRIVE(damping), N_S_PER_M, .high = LARGE, .fallback = "0", .doc = "Viscous."},
    {"armature", TN_KEY_NUMBER, DRIVE(armature), KILOGRAMS, .high = LARGE, .fallback = "0",
     .doc = "Inertia of the coordinate (a rotor behind its gear); no weight, no part in momentum."},
    {"called", TN_KEY_NAME, DRIVE(called),
     .doc = "A name by which programs find the coordinate, beside `joint:slide`; robots' files have one where several "
            "of their joints are one here."},
};
static const tn_section slide_section = {
    "slide", "Translation of b along an axis of a, 0 at the start; of a `distance` its length.", sizeof(tn_raw_drive),
    NULL, KEYS(slide_keys)};

static const tn_key turn_keys[] = {
    {"limits", TN_KEY_NUMBERS, DRIVE(limits), RADIANS, .infinite = true, .low_count = 2, .high_count = 2,
     .doc = "Lower, upper; `infinite`: none."},
    {"limit_stiffness", TN_KEY_NUMBER, DRIVE(limit_stiffness), N_M_PER_RAD, .low = 1 / LARGE, .high = LARGE,
     .infinite = true, .fallback = "infinite", .doc = "As in slide."},
    {"limit_damping", TN_KEY_NUMBER, DRIVE(limit_damping), N_M_S_PER_RAD, .high = LARGE, .fallback = "0",
     .doc = "As in slide."},
    {"motor", TN_KEY_SECTION, DRIVE(motor), .section = &turn_motor_section, .doc = "Motor or servo."},
    {"friction", TN_KEY_SECTION, DRIVE(friction), .section = &turn_friction_section, .doc = "Dry friction."},
    {"stiffness", TN_KEY_NUMBER, DRIVE(stiffness), N_M_PER_RAD, .high = LARGE, .fallback = "0",
     .doc = "Spring, implicit."},
    {"rest", TN_KEY_NUMBER, DRIVE(rest), RADIANS, ANY, .fallback = "0", .doc = "Its rest angle."},
    {"damping", TN_KEY_NUMBER, DRIVE(damping), N_M_S_PER_RAD, .high = LARGE, .fallback = "0", .doc = "Viscous."},
    {"armature", TN_KEY_NUMBER, DRIVE(armature), .unit = {2, 1, 0, 0}, .high = LARGE, .fallback = "0",
     .doc = "As in slide (rotor inertia times gear ratio squared)."},
    {"called", TN_KEY_NAME, DRIVE(called), .doc = "As in slide."},
};
static const tn_section turn_section = {
    "turn", "Rotation of b relative to a about an axis, right-handed, 0 at the start; full turns count.",
    sizeof(tn_raw_drive), NULL, KEYS(turn_keys)};

#define BALL(field) AT(tn_raw_ball, field)
static const tn_key ball_keys[] = {
    {"torque", TN_KEY_NUMBER, BALL(torque), NEWTON_METRES, .high = LARGE,
     .doc = "Constant part, `spherical`. Default: 0."},
    {"force", TN_KEY_NUMBERS, BALL(force), NEWTONS, .high = LARGE, .scalar = true, .low_count = 1, .high_count = 2,
     .doc = "Constant part of the slides. Default: 0. Two values: along slide and slide2, with an ellipse between."},
    {"coefficient", TN_KEY_NUMBERS, BALL(coefficient), .high = 1e6, .scalar = true, .low_count = 1, .high_count = 2,
     .doc = "Times the joint's force (`spherical`: and `radius`). Default: 0. Two values: likewise."},
    {"radius", TN_KEY_NUMBER, BALL(radius), METRES, .high = LARGE, .doc = "Of a `spherical` joint's ball."},
};
static const tn_section ball_section = {
    "joints.friction",
    "Isotropic dry friction of a `spherical` joint's rotation, or of both slides of `planar` and `point_on_plane`. The "
    "bound is a constant plus a part proportional to the joint's force in the previous step.",
    sizeof(tn_raw_ball), "torque", KEYS(ball_keys)};

#define ROUND(field) AT(tn_raw_round, field)
static const tn_key round_keys[] = {
    {"radius", TN_KEY_NUMBER, ROUND(radius), METRES, .high = LARGE, .above = true, .required = true, .doc = "Radius."},
    {"center", TN_KEY_VECTOR, ROUND(center), METRES, ANY, .fallback = "[0, 0, 0]", .doc = "In a's frame."},
    {"axis", TN_KEY_VECTOR, ROUND(axis), .nonzero = true, ANY,
     .doc = "Of a cylinder without ends, in a's frame. Default: a sphere."},
    {"side", TN_KEY_VECTOR, ROUND(side), METRES, ANY,
     .doc = "A point outside, in a's frame, on whose side the rope passes. Default: the shorter way, which another "
            "place of the ends may change."},
};
static const tn_section round_section = {
    "joints.round",
    "A cylinder or sphere of a that a `distance` leads round, taut and without friction; straight where it does not "
    "touch. Without effect on contacts.",
    sizeof(tn_raw_round), NULL, KEYS(round_keys)};

static const tn_key joint_keys[] = {
    {"type", TN_KEY_CHOICE, JOINT(type), .choices = tn_joint_kind_names, .required = true,
     .doc = "Free coordinates: `revolute` turn; `prismatic` slide; `cylindrical` slide, turn; `spherical` all "
            "rotation; `universal` turn about `axis` of a, turn2 about `axis2` of b; `weld` none; `planar` slide, "
            "slide2 across the axis, turn about it; `point_on_line` slide, all rotation; `point_on_plane` slide, "
            "slide2, all rotation; `screw` turn, with `pitch`; `rolling` a ball about b's anchor rolls on a plane of "
            "a. `distance` holds the length between two points, or what `slide` says. `bushing` is springs and dampers "
            "in all directions. `gear` couples joints."},
    {"a", TN_KEY_NAME, JOINT(a), .doc = "Body, soft body (with `where_a`), or `world` (default)."},
    {"b", TN_KEY_NAME, JOINT(b), .doc = "The other one. Forces are those on b."},
    {"where_a", TN_KEY_SECTION, JOINT(where_a), .section = &tn_section_region,
     .doc = "Nodes of a soft body; the joint holds their mean motion."},
    {"where_b", TN_KEY_SECTION, JOINT(where_b), .section = &tn_section_region, .doc = "The same for b."},
    {"anchor", TN_KEY_VECTOR, JOINT(anchor), METRES, ANY,
     .doc =
         "Position at the start, world. Default: origin of b (of a if b is the world); of nodes their center of mass."},
    {"point_a", TN_KEY_VECTOR, JOINT(point_a), METRES, ANY,
     .doc = "Instead, for a: in a's frame. Required by `distance`, default 0 there."},
    {"point_b", TN_KEY_VECTOR, JOINT(point_b), METRES, ANY, .doc = "The same for b."},
    {"axis", TN_KEY_VECTOR, JOINT(axis), .nonzero = true, ANY,
     .doc = "At the start, world axes. Default for a bushing: the world's."},
    {"axis2", TN_KEY_VECTOR, JOINT(axis2), .nonzero = true, ANY,
     .doc = "Second axis, its part perpendicular to `axis`. Default: any."},
    {"length", TN_KEY_NUMBER, JOINT(length), METRES, .high = LARGE, .above = true,
     .doc = "Of a `distance`. Default: as at the start."},
    {"round", TN_KEY_SECTION, JOINT(round), .section = &round_section,
     .doc = "Of a `distance`: round a cylinder or sphere of a."},
    {"pitch", TN_KEY_NUMBER, JOINT(pitch), METRES, ANY,
     .doc = "Of a `screw`: travel of b per turn; positive: right-handed."},
    {"radius", TN_KEY_NUMBER, JOINT(radius), METRES, .high = LARGE, .above = true,
     .doc = "Of `rolling`: distance of the plane from the anchor, against `axis`."},
    {"slack", TN_KEY_NUMBER, JOINT(slack), METRES, .high = LARGE, .fallback = "1e-6 m",
     .doc = "Position error allowed at the start; stabilization removes it."},
    {"collide", TN_KEY_FLAG, JOINT(collide), .fallback = "false",
     .doc = "`true`: the two bodies may touch each other."},
    {"compliance", TN_KEY_NUMBER, JOINT(compliance), .unit = {0, -1, 2, 0}, .high = LARGE, .fallback = "0",
     .doc = "Of held translations. 0: rigid."},
    {"turn_compliance", TN_KEY_NUMBER, JOINT(turn_compliance), .unit = {-2, -1, 2, 1}, .high = LARGE, .fallback = "0",
     .doc = "Of held rotations. 0: rigid."},
    {"stiffness", TN_KEY_NUMBERS, JOINT(stiffness), N_PER_M, ANY, .infinite = true, .scalar = true, .low_count = 1,
     .high_count = 9,
     .doc = "Instead of a compliance, implicit. Default: rigid. Of a `gear`: of its last coordinate. Of a `bushing`: "
            "1, 3 or 9 numbers (symmetric, positive semidefinite), default 0."},
    {"damping", TN_KEY_NUMBERS, JOINT(damping), N_S_PER_M, ANY, .scalar = true, .low_count = 1, .high_count = 9,
     .doc = "Beside the stiffness."},
    {"turn_stiffness", TN_KEY_NUMBERS, JOINT(turn_stiffness), N_M_PER_RAD, ANY, .infinite = true, .scalar = true,
     .low_count = 1, .high_count = 9, .doc = "The same for rotations."},
    {"turn_damping", TN_KEY_NUMBERS, JOINT(turn_damping), N_M_S_PER_RAD, ANY, .scalar = true, .low_count = 1,
     .high_count = 9, .doc = "Beside it."},
    {"stiffness_matrix", TN_KEY_NUMBERS, JOINT(stiffness_matrix), ANY, .low_count = 36, .high_count = 36,
     .doc = "Of a `bushing`: symmetric positive semidefinite 6 x 6 by rows, SI, translations before rotations, joint "
            "axes."},
    {"damping_matrix", TN_KEY_NUMBERS, JOINT(damping_matrix), ANY, .low_count = 36, .high_count = 36,
     .doc = "The same of damping."},
    {"turned", TN_KEY_VECTOR, JOINT(turned), RADIANS, .low = -3.1416, .high = 3.1416,
     .doc = "Of a `bushing`: rotation vector, in the joint's axes, from where its springs are at rest to the start."},
    {"slide", TN_KEY_SECTION, JOINT(drive[TN_AXIS_SLIDE]), .section = &slide_section,
     .doc = "Acting on the free translation; of a `gear`: as `turn`."},
    {"slide2", TN_KEY_SECTION, JOINT(drive[TN_AXIS_SLIDE2]), .section = &slide_section, .doc = "On the second one."},
    {"turn", TN_KEY_SECTION, JOINT(drive[TN_AXIS_TURN]), .section = &turn_section,
     .doc =
         "Acting on the free rotation. A `gear` with it holds nothing: it acts on the difference of its coordinates."},
    {"turn2", TN_KEY_SECTION, JOINT(drive[TN_AXIS_TURN2]), .section = &turn_section, .doc = "On the second one."},
    {"friction", TN_KEY_SECTION, JOINT(friction), .section = &ball_section,
     .doc = "Isotropic dry friction of `spherical`, `planar`, `point_on_plane`. Of one coordinate: `turn: {friction: 1 "
            "N m}`."},
    {"joints", TN_KEY_NAMES, JOINT(joints), .low_count = 2, .high_count = TN_GEAR_MOST,
     .doc = "Of a `gear`: two joints or more, defined before it; of a rope over pulleys its ways, each a `distance`."},
    {"coordinates", TN_KEY_NAMES, JOINT(coordinates), .low_count = 2, .high_count = TN_GEAR_MOST,
     .doc = "Of a `gear`: their coordinates. Default: the first of each."},
    {"ratio", TN_KEY_NUMBERS, JOINT(ratio), ANY, .scalar = true, .low_count = 1, .high_count = TN_GEAR_MOST - 1,
     .doc = "Of a `gear`: rate of the last one over each other one [m, rad, s]; of more than two joints a list."},
};
const tn_section tn_section_joint = {
    "joints",
    "Named joints between two bodies, or a body and the world; rigid unless a stiffness or compliance is given.",
    sizeof(tn_raw_joint), NULL, KEYS(joint_keys)};
