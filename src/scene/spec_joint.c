// Tables of joints: kinds, what acts on their free coordinates, gears.
#include "scene/joint_class.h"
#include "scene/keys.h"

#define JOINT(field) AT(tn_raw_joint, field)
#define DRIVE(field) AT(tn_raw_drive, field)
#define MOTOR(field) AT(tn_raw_motor, field)
#define ANY .low = -LARGE, .high = LARGE

static const tn_key slide_motor_keys[] = {
    {"position", TN_KEY_EXPRESSION, MOTOR(position), .unit = {1, 0, 0, 0}, ANY,
     .doc = "Prescribed coordinate; a number or an expression of t."},
    {"velocity", TN_KEY_EXPRESSION, MOTOR(velocity), .unit = M_PER_S, ANY, .doc = "Instead: its prescribed rate."},
    {"strength", TN_KEY_NUMBER, MOTOR(strength), .unit = {1, 1, -2, 0}, .high = LARGE, .infinite = true,
     .fallback = "infinite", .doc = "Most force that the motor gives."},
    {"stiffness", TN_KEY_NUMBER, MOTOR(stiffness), .unit = {0, 1, -2, 0}, .high = LARGE, .infinite = true,
     .fallback = "infinite",
     .doc =
         "Of a servo (PD control): force per length that is left to `position`, taken implicitly: stable at any step. "
         "`infinite`: the coordinate is prescribed as far as the strength allows."},
    {"damping", TN_KEY_NUMBER, MOTOR(damping), .unit = {0, 1, -1, 0}, .high = LARGE,
     .doc = "Of a servo: force per rate that is left to the target's. With `position` it needs a stiffness, default 0; "
            "with "
            "`velocity` it stands alone, default: the rate is prescribed."},
};
static const tn_section slide_motor_section = {"slide.motor", "A motor that moves a translation: one of the first two.",
                                               sizeof(tn_raw_motor), NULL, KEYS(slide_motor_keys)};

static const tn_key turn_motor_keys[] = {
    {"position", TN_KEY_EXPRESSION, MOTOR(position), .unit = {0, 0, 0, 1}, ANY,
     .doc = "Prescribed angle; a number or an expression of t."},
    {"velocity", TN_KEY_EXPRESSION, MOTOR(velocity), .unit = RAD_PER_S, ANY, .doc = "Instead: its prescribed rate."},
    {"strength", TN_KEY_NUMBER, MOTOR(strength), .unit = {2, 1, -2, 0}, .high = LARGE, .infinite = true,
     .fallback = "infinite", .doc = "Most torque that the motor gives."},
    {"stiffness", TN_KEY_NUMBER, MOTOR(stiffness), .unit = {2, 1, -2, -1}, .high = LARGE, .infinite = true,
     .fallback = "infinite",
     .doc =
         "Of a servo (PD control): torque per angle that is left to `position`, taken implicitly: stable at any step. "
         "`infinite`: the coordinate is prescribed as far as the strength allows."},
    {"damping", TN_KEY_NUMBER, MOTOR(damping), .unit = {2, 1, -1, -1}, .high = LARGE,
     .doc = "Of a servo: torque per rate that is left to the target's. With `position` it needs a stiffness, default "
            "0; with "
            "`velocity` it stands alone, default: the rate is prescribed."},
};
static const tn_section turn_motor_section = {"turn.motor", "A motor that turns a joint: one of the first two.",
                                              sizeof(tn_raw_motor), NULL, KEYS(turn_motor_keys)};

#define BEARING(field) AT(tn_raw_bearing, field)
static const char bearing_doc[] =
    "Dry friction of a bearing: what it bears at most is the sum of a constant and a part in proportion to the force "
    "that the joint held in the step before.";

static const tn_key slide_friction_keys[] = {
    {"force", TN_KEY_NUMBER, BEARING(least), .unit = {1, 1, -2, 0}, .high = LARGE, .fallback = "0",
     .doc = "The constant."},
    {"coefficient", TN_KEY_NUMBER, BEARING(coefficient), .high = 1e6, .fallback = "0",
     .doc = "Friction per force that the joint holds."},
};
static const tn_section slide_friction_section = {"slide.friction", bearing_doc, sizeof(tn_raw_bearing), "force",
                                                  KEYS(slide_friction_keys)};

static const tn_key turn_friction_keys[] = {
    {"torque", TN_KEY_NUMBER, BEARING(least), .unit = {2, 1, -2, 0}, .high = LARGE, .fallback = "0",
     .doc = "The constant."},
    {"coefficient", TN_KEY_NUMBER, BEARING(coefficient), .high = 1e6, .fallback = "0",
     .doc = "Friction per force that the joint holds, at the bearing's radius."},
    {"radius", TN_KEY_NUMBER, BEARING(radius), .unit = {1, 0, 0, 0}, .high = LARGE, .fallback = "0",
     .doc = "Of the bearing; `coefficient` times this times the force is a torque."},
};
static const tn_section turn_friction_section = {"turn.friction", bearing_doc, sizeof(tn_raw_bearing), "torque",
                                                 KEYS(turn_friction_keys)};

static const tn_key slide_keys[] = {
    {"limits", TN_KEY_NUMBERS, DRIVE(limits), .unit = {1, 0, 0, 0}, .infinite = true, .low_count = 2, .high_count = 2,
     .doc = "Least and most; `infinite` is none."},
    {"limit_stiffness", TN_KEY_NUMBER, DRIVE(limit_stiffness), .unit = {0, 1, -2, 0}, .low = 1 / LARGE, .high = LARGE,
     .infinite = true, .fallback = "infinite",
     .doc = "Of both limits: force per length beyond, taken implicitly. It never pulls."},
    {"limit_damping", TN_KEY_NUMBER, DRIVE(limit_damping), .unit = {0, 1, -1, 0}, .high = LARGE, .fallback = "0",
     .doc = "Force per rate while a limit with a stiffness is passed."},
    {"motor", TN_KEY_SECTION, DRIVE(motor), .section = &slide_motor_section, .doc = "See slide.motor."},
    {"friction", TN_KEY_SECTION, DRIVE(friction), .section = &slide_friction_section,
     .doc = "Dry friction: a force, or the keys of slide.friction."},
    {"stiffness", TN_KEY_NUMBER, DRIVE(stiffness), .unit = {0, 1, -2, 0}, .high = LARGE, .fallback = "0",
     .doc = "Of a spring, taken implicitly: stable at any step."},
    {"rest", TN_KEY_NUMBER, DRIVE(rest), .unit = {1, 0, 0, 0}, ANY, .fallback = "0",
     .doc = "Coordinate where the spring pulls nowhere."},
    {"damping", TN_KEY_NUMBER, DRIVE(damping), .unit = {0, 1, -1, 0}, .high = LARGE, .fallback = "0",
     .doc = "Force per rate."},
    {"armature", TN_KEY_NUMBER, DRIVE(armature), .unit = {0, 1, 0, 0}, .high = LARGE, .fallback = "0",
     .doc = "Inertia of what goes with the coordinate, as a motor's rotor behind a gear does: it bears armature times "
            "the coordinate's acceleration. It has no weight and no part in momentum."},
};
static const tn_section slide_section = {
    "slide", "What acts on a translation: of b along an axis of a, 0 at the start; of a distance its length.",
    sizeof(tn_raw_drive), NULL, KEYS(slide_keys)};

static const tn_key turn_keys[] = {
    {"limits", TN_KEY_NUMBERS, DRIVE(limits), .unit = {0, 0, 0, 1}, .infinite = true, .low_count = 2, .high_count = 2,
     .doc = "Least and most; `infinite` is none."},
    {"limit_stiffness", TN_KEY_NUMBER, DRIVE(limit_stiffness), .unit = {2, 1, -2, -1}, .low = 1 / LARGE, .high = LARGE,
     .infinite = true, .fallback = "infinite",
     .doc = "Of both limits: torque per angle beyond, taken implicitly. It never pulls."},
    {"limit_damping", TN_KEY_NUMBER, DRIVE(limit_damping), .unit = {2, 1, -1, -1}, .high = LARGE, .fallback = "0",
     .doc = "Torque per rate while a limit with a stiffness is passed."},
    {"motor", TN_KEY_SECTION, DRIVE(motor), .section = &turn_motor_section, .doc = "See turn.motor."},
    {"friction", TN_KEY_SECTION, DRIVE(friction), .section = &turn_friction_section,
     .doc = "Dry friction: a torque, or the keys of turn.friction."},
    {"stiffness", TN_KEY_NUMBER, DRIVE(stiffness), .unit = {2, 1, -2, -1}, .high = LARGE, .fallback = "0",
     .doc = "Of a spring, taken implicitly: stable at any step."},
    {"rest", TN_KEY_NUMBER, DRIVE(rest), .unit = {0, 0, 0, 1}, ANY, .fallback = "0",
     .doc = "Angle where the spring pulls nowhere."},
    {"damping", TN_KEY_NUMBER, DRIVE(damping), .unit = {2, 1, -1, -1}, .high = LARGE, .fallback = "0",
     .doc = "Torque per rate."},
    {"armature", TN_KEY_NUMBER, DRIVE(armature), .unit = {2, 1, 0, 0}, .high = LARGE, .fallback = "0",
     .doc = "Moment of inertia of what goes with the coordinate, as a motor's rotor behind a gear does (its own times "
            "the gear's ratio squared): it bears armature times the coordinate's acceleration. It has no weight and no "
            "part in momentum."},
};
static const tn_section turn_section = {"turn",
                                        "What acts on a rotation: of b relative to a about an axis, right-handed, 0 at "
                                        "the start; it counts full turns.",
                                        sizeof(tn_raw_drive), NULL, KEYS(turn_keys)};

#define BALL(field) AT(tn_raw_ball, field)
static const tn_key ball_keys[] = {
    {"torque", TN_KEY_NUMBER, BALL(torque), .unit = {2, 1, -2, 0}, .high = LARGE,
     .doc = "The constant of a spherical joint; default 0."},
    {"force", TN_KEY_NUMBERS, BALL(force), .unit = {1, 1, -2, 0}, .high = LARGE, .scalar = true, .low_count = 1,
     .high_count = 2,
     .doc = "The constant of a plane's slides; default 0. Two: along slide and slide2, as grooves have it; what lies "
            "between is bounded by the ellipse."},
    {"coefficient", TN_KEY_NUMBERS, BALL(coefficient), .high = 1e6, .scalar = true, .low_count = 1, .high_count = 2,
     .doc = "Friction per force that the joint holds, of a spherical joint at its radius; default 0. Two: likewise."},
    {"radius", TN_KEY_NUMBER, BALL(radius), .unit = {1, 0, 0, 0}, .high = LARGE,
     .doc = "Of a spherical joint's ball; `coefficient` times this times the force is a torque."},
};
static const tn_section ball_section = {
    "joints.friction",
    "Dry friction that opposes motion in any direction alike, as much as it takes to hold: of the rotation of a "
    "`spherical` joint, or of both slides of a `planar` one or `point_on_plane` together. What it bears at most is the "
    "sum of a constant and a part in proportion to the force that the joint held in the step before.",
    sizeof(tn_raw_ball), "torque", KEYS(ball_keys)};

static const tn_key joint_keys[] = {
    {"type", TN_KEY_CHOICE, JOINT(type), .choices = tn_joint_kind_names, .required = true,
     .doc =
         "What is left free: `revolute` turn; `prismatic` slide; `cylindrical` slide and turn; `spherical` all "
         "rotation; `universal` turn about `axis` of a and turn2 about `axis2` of b; `weld` nothing; `planar` "
         "slide and slide2 across the axis and turn about it; `point_on_line` slide and all rotation; "
         "`point_on_plane` slide, slide2 across the axis and all rotation. `distance` holds the length between two "
         "points, or what `slide` says of it. `screw` turn, and b goes along the axis by `pitch` a turn. `rolling` "
         "slide, slide2 across the axis and a rotation that goes with them: a ball about b's anchor rolls on a plane "
         "of a. `bushing` "
         "locks nothing: springs and dampers along and about all "
         "axes. `gear` couples two joints."},
    {"a", TN_KEY_NAME, JOINT(a), .doc = "A body, a soft body (with `where_a`), or `world` (the default)."},
    {"b", TN_KEY_NAME, JOINT(b),
     .doc = "Another body, a soft body (with `where_b`), or `world`. Forces are those on b."},
    {"where_a", TN_KEY_SECTION, JOINT(where_a), .section = &tn_section_region,
     .doc = "Where a is a soft body: which nodes. The joint holds their mean motion and leaves them free to deform."},
    {"where_b", TN_KEY_SECTION, JOINT(where_b), .section = &tn_section_region, .doc = "The same for b."},
    {"anchor", TN_KEY_VECTOR, JOINT(anchor), .unit = {1, 0, 0, 0}, ANY,
     .doc = "Where the joint is at the start, world axes; default: the origin of b (of a where b is the world), of "
            "nodes their center of mass."},
    {"point_a", TN_KEY_VECTOR, JOINT(point_a), .unit = {1, 0, 0, 0}, ANY,
     .doc = "Instead, for a: the point in a's frame. A distance asks for it; default `[0, 0, 0]` there."},
    {"point_b", TN_KEY_VECTOR, JOINT(point_b), .unit = {1, 0, 0, 0}, ANY, .doc = "The same for b."},
    {"axis", TN_KEY_VECTOR, JOINT(axis), .nonzero = true, ANY,
     .doc = "Axis of the joint at the start, world axes; a bushing without it has the world's."},
    {"axis2", TN_KEY_VECTOR, JOINT(axis2), .nonzero = true, ANY,
     .doc = "Second axis, as far as it is across the first (a universal joint's: at right angles); default: any."},
    {"length", TN_KEY_NUMBER, JOINT(length), .unit = {1, 0, 0, 0}, .high = LARGE, .above = true,
     .doc = "Of a distance; default: that at the start."},
    {"pitch", TN_KEY_NUMBER, JOINT(pitch), .unit = {1, 0, 0, 0}, ANY,
     .doc = "Of a screw: how far b goes along `axis` in a turn about it; positive: right-handed."},
    {"radius", TN_KEY_NUMBER, JOINT(radius), .unit = {1, 0, 0, 0}, .high = LARGE, .above = true,
     .doc = "Of what rolls: the plane is so far from the anchor, against `axis`."},
    {"slack", TN_KEY_NUMBER, JOINT(slack), .unit = {1, 0, 0, 0}, .high = LARGE, .fallback = "1e-6 m",
     .doc = "Error of the positions that is allowed at the start; it is then corrected by the stabilization."},
    {"collide", TN_KEY_FLAG, JOINT(collide), .fallback = "false",
     .doc = "Whether the two bodies touch each other in spite of the joint. A soft body counts whole."},
    {"compliance", TN_KEY_NUMBER, JOINT(compliance), .unit = {0, -1, 2, 0}, .high = LARGE, .fallback = "0",
     .doc = "Of what holds the points: length per force. 0: rigid."},
    {"turn_compliance", TN_KEY_NUMBER, JOINT(turn_compliance), .unit = {-2, -1, 2, 1}, .high = LARGE, .fallback = "0",
     .doc = "Of what holds the axes: angle per torque. 0: rigid."},
    {"stiffness", TN_KEY_NUMBERS, JOINT(stiffness), .unit = {0, 1, -2, 0}, ANY, .infinite = true, .scalar = true,
     .low_count = 1, .high_count = 9,
     .doc =
         "Instead of a compliance: force per length of what holds the points, taken implicitly; default `infinite`, "
         "which is rigid. Of a gear: of its second coordinate, where that is a translation. Of a bushing: one number "
         "for all of the joint's axes, 3, or 9 of a symmetric matrix that is not negative; default 0."},
    {"damping", TN_KEY_NUMBERS, JOINT(damping), .unit = {0, 1, -1, 0}, ANY, .scalar = true, .low_count = 1,
     .high_count = 9, .doc = "Force per rate of the same, where it is not rigid."},
    {"turn_stiffness", TN_KEY_NUMBERS, JOINT(turn_stiffness), .unit = {2, 1, -2, -1}, ANY, .infinite = true,
     .scalar = true, .low_count = 1, .high_count = 9,
     .doc = "Torque per angle of what holds the axes; of a gear whose second coordinate is an angle."},
    {"turn_damping", TN_KEY_NUMBERS, JOINT(turn_damping), .unit = {2, 1, -1, -1}, ANY, .scalar = true, .low_count = 1,
     .high_count = 9, .doc = "Torque per rate of the same, where it is not rigid."},
    {"stiffness_matrix", TN_KEY_NUMBERS, JOINT(stiffness_matrix), ANY, .low_count = 36, .high_count = 36,
     .doc =
         "Of a bushing, instead of `stiffness` and `turn_stiffness`: the whole symmetric matrix by rows, which is not "
         "negative, in SI units: forces along the joint's axes, then torques about them, per length, then per angle."},
    {"damping_matrix", TN_KEY_NUMBERS, JOINT(damping_matrix), ANY, .low_count = 36, .high_count = 36,
     .doc = "The same of `damping` and `turn_damping`."},
    {"slide", TN_KEY_SECTION, JOINT(drive[TN_AXIS_SLIDE]), .section = &slide_section,
     .doc = "What acts on the translation that is free."},
    {"slide2", TN_KEY_SECTION, JOINT(drive[TN_AXIS_SLIDE2]), .section = &slide_section, .doc = "On the second one."},
    {"turn", TN_KEY_SECTION, JOINT(drive[TN_AXIS_TURN]), .section = &turn_section,
     .doc = "What acts on the rotation that is free."},
    {"turn2", TN_KEY_SECTION, JOINT(drive[TN_AXIS_TURN2]), .section = &turn_section, .doc = "On the second one."},
    {"friction", TN_KEY_SECTION, JOINT(friction), .section = &ball_section,
     .doc = "Dry friction of a `spherical`, `planar` or `point_on_plane` joint: a torque, or the keys of "
            "joints.friction. That of one free coordinate goes with it: `turn: {friction: 1 N m}`."},
    {"joints", TN_KEY_NAMES, JOINT(joints), .low_count = 2, .high_count = 2,
     .doc = "The two joints of a gear, said before it."},
    {"coordinates", TN_KEY_NAMES, JOINT(coordinates), .low_count = 2, .high_count = 2,
     .doc = "Which of their coordinates (`slide`, `slide2`, `turn`, `turn2`); default: the first each."},
    {"ratio", TN_KEY_NUMBER, JOINT(ratio), ANY,
     .doc = "Of a gear: rate of the second over that of the first [m, rad, s]; -1 for two equal wheels, the radius for "
            "a pinion and its rack."},
};
const tn_section tn_section_joint = {"joints",
                                     "Named joints between two bodies, or a body and the world. They hold exactly "
                                     "unless a stiffness or compliance says otherwise.",
                                     sizeof(tn_raw_joint), NULL, KEYS(joint_keys)};
