#include "scene/keys.h"

#include <string.h>

static const char *const initial_velocities[] = {"given", "project", NULL};
static const char *const schemes[] = {"euler", "midpoint", "implicit", "pbd", NULL};
static const char *const laws[] = {"coulomb", "convex", "frictionless", NULL};
static const char *const restitution_laws[] = {"newton", "poisson", NULL};
static const char *const facets_aligns[] = {"none", "slip", NULL};
static const char *const accuracies[] = {"draft", "standard", "tight", NULL};
static const char *const gap_terms[] = {"none", "full", "baumgarte", NULL};
// Those of solver/table.c, which this room cannot see; a test compares.
static const char *const solvers[] = {"auto",   "cond",       "nodal",  "ccs", "pgs", "pgs-dense",
                                      "apgd",   "apgd-dense", "newton", "ipm", "few", "dense",
                                      "direct", "penalty",    "lemke",  "qp",  NULL};

#define FIELD(field) AT(tn_raw_scene, field)

static const tn_key tolerance_keys[] = {
    {"momentum", TN_KEY_NUMBER, FIELD(settings.demanded.momentum), .least = RELATIVE_MIN, .high = 1.0, .fallback = "0",
     .doc = "Relative error of the momentum balance. 0: not demanded; solvers then aim at 1e-6."},
    {"natural", TN_KEY_NUMBER, FIELD(settings.demanded.natural), .least = RELATIVE_MIN, .high = 1.0, .fallback = "0",
     .doc = "Relative natural map residual of the contact law. 0: not demanded; solvers then aim at what "
            "`solver.accuracy` "
            "says, large heaps at 1e-4 after a while."},
    {"fclib", TN_KEY_NUMBER, FIELD(settings.demanded.fclib), .least = RELATIVE_MIN, .high = 1.0, .fallback = "0",
     .doc = "The error that FCLIB and Siconos report. 0: not demanded."},
    {"joint", TN_KEY_NUMBER, FIELD(settings.demanded.joint), .least = RELATIVE_MIN, .high = 1.0, .fallback = "0",
     .doc = "Relative error of the joints' velocities. 0: not demanded; solvers then aim at 1e-8."},
    {"penetration", TN_KEY_NUMBER, FIELD(settings.demanded.penetration), .unit = {1, 0, 0, 0}, .least = LENGTH_MIN,
     .high = 1e3, .fallback = "0", .doc = "Deepest overlap after a step; checked by the simulation. 0: not demanded."},
    {"theta", TN_KEY_NUMBER, FIELD(settings.demanded.theta), .unit = M_PER_S, .least = LENGTH_MIN, .high = 1e3,
     .fallback = "0",
     .doc = "Step length between iterates at which `cond` stops; a rule of thumb, no error measure. 0: not used."},
};
static const tn_section tolerance_section = {
    "solver.tolerance",
    "What every step must reach: a figure that is not 0 is demanded, and a run that misses it says so (exit code 1).",
    0, NULL, KEYS(tolerance_keys)};

static const tn_key solver_keys[] = {
    {"name", TN_KEY_WORD, FIELD(settings.solver), .fallback = "auto", .choices = solvers,
     .doc = "Which solver; `auto` chooses by the structure of the problem."},
    {"accuracy", TN_KEY_CHOICE, FIELD(accuracy), .fallback = "standard", .choices = accuracies,
     .doc =
         "How exact a step is while contacts move, where `tolerance` demands nothing of the contact law. Natural map "
         "residual that solvers aim at where contacts move against one another by h |g| or faster, and what the "
         "worst contact may be off by, relative to h |g| or to its own velocities: `draft` 1e-3 and 0.5, `standard` "
         "1e-4 and 0.05, `tight` 1e-6 and 0.01. The slower they are the finer: what is at rest is solved as with "
         "`tight`, whatever is chosen."},
    {"max_iterations", TN_KEY_INTEGER, FIELD(settings.solve.max_iterations), .low = 1, .high = 1e9, .fallback = "500",
     .doc = "Cap on iterations (sweeps) of a step; the best iterate is kept, with its certificate."},
    {"facets", TN_KEY_INTEGER, FIELD(settings.facets), .high = 1000, .fallback = "0",
     .doc =
         "Directions of a polyhedral friction cone, evenly turned from the first tangent: 2, or even and at least 4. "
         "0: the round cone."},
    {"facets_align", TN_KEY_CHOICE, FIELD(facets_align), .fallback = "none", .choices = facets_aligns,
     .doc = "`slip`: the directions of a contact with isotropic friction are turned in each step until one opposes the "
            "slip that its bodies' free motion predicts, so that a contact that slides straight has exact friction."},
    {"k_v", TN_KEY_NUMBER, FIELD(settings.k_v), .unit = {0, 1, -1, 0}, .high = LARGE, .above = true, .infinite = true,
     .fallback = "infinite",
     .doc = "Damper between a rigid body and each of its contact points (the virtual nodes of `cond`'s source): "
            "contacts creep "
            "by f/k_v on each side. `infinite`: none."},
    {"penalty_stiffness", TN_KEY_NUMBER, FIELD(settings.solve.penalty_stiffness), .unit = {0, 1, -2, 0}, .high = LARGE,
     .fallback = "1e5", .doc = "Contact spring of the `penalty` baseline."},
    {"penalty_damping", TN_KEY_NUMBER, FIELD(settings.solve.penalty_damping), .unit = {0, 1, -1, 0}, .high = LARGE,
     .fallback = "1e2", .doc = "Contact damper of the `penalty` baseline."},
    {"threads", TN_KEY_INTEGER, FIELD(settings.solve.n_threads), .low = 1, .high = 1024, .fallback = "1",
     .doc = "Threads; the result is the same to the last bit for any number."},
    {"tolerance", TN_KEY_GROUP, .section = &tolerance_section, .doc = "See solver.tolerance."},
};
static const tn_section solver_section = {"solver", "How each step's contact problem is solved.", 0, "name",
                                          KEYS(solver_keys)};

static const tn_key start_keys[] = {
    {"coordinate", TN_KEY_MEASURE, AT(tn_raw_start, coordinate), .scalar = true,
     .doc = "Of the joint: one number for each free coordinate, in the order slide, slide2, turn, turn2; of a "
            "`spherical` joint the rotation vector of b about the joint's axes on a. Default: as drawn."},
    {"rate", TN_KEY_MEASURE, AT(tn_raw_start, rate), .scalar = true,
     .doc = "Likewise, per time. Default: that of the bodies' velocities."},
};
const tn_section tn_section_start = {
    "initial.joints",
    "Where joints are at the start, counted from where the bodies are drawn, and how fast. Bodies that hang from one "
    "another by joints are moved along; joints that close loops must fit. Works in both kinds of `coordinates`.",
    sizeof(tn_raw_start), "coordinate", KEYS(start_keys)};

static const tn_key initial_keys[] = {
    {"velocities", TN_KEY_CHOICE, FIELD(initial_velocities), .fallback = "given", .choices = initial_velocities,
     .doc =
         "`given`: as the bodies say; what joints do not allow goes in the first step, with its energy. `project`: "
         "completed to the nearest (in terms of the mass) that rigid joints allow. Contacts and limits take no part."},
    {"joints", TN_KEY_NAMED, FIELD(starts), .section = &tn_section_start,
     .doc = "Coordinates of joints: numbers, or the keys of initial.joints."},
};
static const tn_section initial_section = {"initial", "The state at the start.", 0, NULL, KEYS(initial_keys)};

static const tn_key newton_keys[] = {
    {"max", TN_KEY_INTEGER, FIELD(settings.max_newton), .low = 1, .high = 1e6, .fallback = "20",
     .doc = "Most Newton steps within a step of time."},
    {"tolerance", TN_KEY_NUMBER, FIELD(settings.newton_tolerance), .low = RELATIVE_MIN, .high = 1.0, .fallback = "1e-8",
     .doc = "Relative residual of the momentum balance to stop at."},
};
static const tn_section newton_section = {"newton", "Newton's method of `scheme: implicit`.", 0, NULL,
                                          KEYS(newton_keys)};

static const tn_key pbd_keys[] = {
    {"substeps", TN_KEY_INTEGER, FIELD(settings.pbd_substeps), .low = 1, .high = 1e6, .fallback = "20",
     .doc = "Parts of a step; contacts are sought once a step."},
    {"iterations", TN_KEY_INTEGER, FIELD(settings.pbd_iterations), .low = 1, .high = 1e6, .fallback = "1",
     .doc = "Rounds over all constraints in each part."},
};
static const tn_section pbd_section = {"pbd", "Position-based dynamics, `scheme: pbd`.", 0, "substeps", KEYS(pbd_keys)};

static const tn_key sleep_keys[] = {
    {"after", TN_KEY_NUMBER, FIELD(settings.sleep_after), .unit = {0, 0, 1, 0}, .least = STEP_MIN, .high = 1e12,
     .fallback = "0",
     .doc = "How long all bodies of an island must have been slower than `speed` and `spin` before it falls asleep. 0: "
            "never."},
    {"speed", TN_KEY_NUMBER, FIELD(settings.sleep_speed), .unit = M_PER_S, .high = LARGE, .fallback = "0.01 m/s",
     .doc = "Of centers of mass."},
    {"spin", TN_KEY_NUMBER, FIELD(settings.sleep_spin), .unit = RAD_PER_S, .high = LARGE, .fallback = "0.05 rad/s",
     .doc = "Angular velocity."},
};
static const tn_section sleep_section = {
    "sleep",
    "Rigid bodies at rest are left out of the steps, with all that contacts, joints and springs tie them to, until "
    "something awake touches or moves them. What is taken from their velocities counts as dissipated.",
    0, "after", KEYS(sleep_keys)};

static const char *const precisions[] = {"single", "double", NULL};

static const tn_key record_keys[] = {
    {"every", TN_KEY_INTEGER, FIELD(settings.record_every), .low = 1, .high = 1e9, .fallback = "1",
     .doc = "Steps from one recorded frame to the next."},
    {"contacts", TN_KEY_FLAG, FIELD(settings.record_contacts), .fallback = "true",
     .doc = "Whether contacts are recorded."},
    {"stress", TN_KEY_FLAG, FIELD(settings.record_stress), .fallback = "false",
     .doc = "Whether the stress in each tetrahedron of soft bodies is recorded."},
    {"precision", TN_KEY_CHOICE, FIELD(record_precision), .fallback = "single", .choices = precisions,
     .doc = "Of bodies, nodes and contacts. `single`: rounded to 2.4e-7 of the smallest shape (speeds: of that in a "
            "step) and a millionth of each contact force, a fifth of the bytes. `double`: as they were reckoned. All "
            "other figures are double."},
};
static const tn_section record_section = {"record", "What goes into the recording.", 0, NULL, KEYS(record_keys)};

static const tn_key friction_keys[] = {
    {"mu", TN_KEY_NUMBER, AT(tn_raw_friction, mu), .high = 1e6, .doc = "The same friction in all directions."},
    {"mu1", TN_KEY_NUMBER, AT(tn_raw_friction, mu1), .high = 1e6, .doc = "Friction along `direction`."},
    {"mu2", TN_KEY_NUMBER, AT(tn_raw_friction, mu2), .high = 1e6, .doc = "Friction across `direction`."},
    {"direction", TN_KEY_VECTOR, AT(tn_raw_friction, direction), .nonzero = true, .high = LARGE, .low = -LARGE,
     .doc = "Axis of `mu1`, in the axes of the body that carries the material (in a pair: of the first one)."},
};
static const tn_section friction_section = {"friction",
                                            "Coulomb friction: `mu` alone, or `mu1`, `mu2` and `direction` together.",
                                            sizeof(tn_raw_friction), "mu", KEYS(friction_keys)};

static const tn_key foundation_keys[] = {
    {"modulus", TN_KEY_NUMBER, AT(tn_raw_foundation, modulus), .unit = {-1, 1, -2, 0}, .high = LARGE, .above = true,
     .required = true, .doc = "Pressure per strain of the layer."},
    {"depth", TN_KEY_NUMBER, AT(tn_raw_foundation, depth), .unit = {1, 0, 0, 0}, .low = LENGTH_MIN, .high = LARGE,
     .required = true, .doc = "Thickness of the layer."},
    {"elements", TN_KEY_INTEGER, AT(tn_raw_foundation, elements), .low = 1, .high = 200, .fallback = "10",
     .doc = "Elements along each edge of a face: 10 make 100 contacts. Of two materials the finer one counts."},
};
static const tn_section foundation_section = {
    "foundation",
    "Winkler's elastic foundation: a layer of springs side by side between the face of a box and a plane. Each element "
    "is a contact of stiffness modulus times area over depth, with a gap of its own.",
    sizeof(tn_raw_foundation), NULL, KEYS(foundation_keys)};

static const tn_key material_keys[] = {
    {"density", TN_KEY_NUMBER, AT(tn_raw_material, density), .unit = {-3, 1, 0, 0}, .least = DENSITY_MIN, .high = 1e12,
     .fallback = "1000", .doc = "Mass per volume of shapes that do not give their own."},
    {"friction", TN_KEY_SECTION, AT(tn_raw_material, friction), .section = &friction_section, .fallback = "0.5",
     .doc = "A number, or the keys of friction. Two materials combine to the geometric mean unless a pair says more."},
    {"restitution", TN_KEY_NUMBER, AT(tn_raw_material, restitution), .high = 1.0, .fallback = "0",
     .doc = "Newton's coefficient of restitution. Two materials combine to the larger one unless a pair says more."},
    {"rolling", TN_KEY_NUMBER, AT(tn_raw_material, rolling), .unit = {1, 0, 0, 0}, .high = 1e6, .fallback = "0",
     .doc =
         "Rolling friction between rigid bodies: the moment across the normal that a contact can bear is this length "
         "times its normal force. Two materials combine to the larger one unless a pair says more."},
    {"torsion", TN_KEY_NUMBER, AT(tn_raw_material, torsion), .unit = {1, 0, 0, 0}, .high = 1e6, .fallback = "0",
     .doc = "Torsional friction between rigid bodies: the same for the moment about the normal."},
    {"stiffness", TN_KEY_NUMBER, AT(tn_raw_material, spring.stiffness), .unit = {0, 1, -2, 0}, .high = LARGE,
     .above = true, .infinite = true, .fallback = "infinite",
     .doc = "Spring along the normal of each contact point that this material's half gives way by; two halves are one "
            "behind the other. With any spring a contact has no restitution: spring and damper make the bounce."},
    {"damping", TN_KEY_NUMBER, AT(tn_raw_material, spring.damping), .unit = {0, 1, -1, 0}, .high = LARGE,
     .fallback = "0", .doc = "Damper beside each contact's spring. Of two materials the larger one counts."},
    {"hunt_crossley", TN_KEY_NUMBER, AT(tn_raw_material, spring.hunt_crossley), .unit = {-1, 0, 1, 0}, .high = LARGE,
     .fallback = "0",
     .doc = "Damping in proportion to the spring's force, so that it vanishes at touch-down (Hunt and Crossley): the "
            "force counts 1 + 3/2 of this times the rate of compression. Of two materials the larger one counts."},
    {"tangential_damping", TN_KEY_NUMBER, AT(tn_raw_material, spring.tangential_damping), .unit = {0, 1, -1, 0},
     .high = LARGE, .above = true, .infinite = true, .fallback = "infinite",
     .doc = "Damper across the normal of contacts that have a spring: what sticks creeps by force over this. Two "
            "halves are one behind the other."},
    {"tangential_stiffness", TN_KEY_NUMBER, AT(tn_raw_material, spring.tangential_stiffness), .unit = {0, 1, -2, 0},
     .high = LARGE, .above = true, .infinite = true, .fallback = "infinite",
     .doc = "Spring across the normal of contacts that have a spring, strained by what the surfaces move past each "
            "other while the contact lasts, within friction (stick memory). Two halves are one behind the other."},
    {"tangential_stiffness2", TN_KEY_NUMBER, AT(tn_raw_material, spring.tangential_stiffness2), .unit = {0, 1, -2, 0},
     .high = LARGE, .above = true, .infinite = true,
     .doc = "The same across friction's `direction`, which then counts along it; default: alike."},
    {"relaxation", TN_KEY_NUMBER, AT(tn_raw_material, spring.relaxation), .unit = {1, 0, 0, 0}, .high = LARGE,
     .above = true, .infinite = true, .fallback = "infinite",
     .doc =
         "Length of rolling in which `tangential_stiffness` forgets: a tyre's relaxation length. Stiffness times this "
         "is the slip stiffness, force per slip. Of two materials the smaller one counts."},
    {"young", TN_KEY_NUMBER, AT(tn_raw_material, spring.young), .unit = {-1, 1, -2, 0}, .high = LARGE, .above = true,
     .infinite = true, .fallback = "infinite",
     .doc = "Young's modulus for contact by Hertz's law, of rigid bodies' spheres and contact points with a radius "
            "among themselves and on flat faces. A soft body has a modulus of its own."},
    {"poisson", TN_KEY_NUMBER, AT(tn_raw_material, spring.poisson), .low = -0.99, .high = 0.5, .fallback = "0.3",
     .doc = "Poisson's ratio, with `young`."},
    {"foundation", TN_KEY_SECTION, AT(tn_raw_material, spring.foundation), .section = &foundation_section,
     .doc = "A layer of springs; two layers are one behind the other."},
    {"color", TN_KEY_COLOR, AT(tn_raw_material, color),
     .doc = "Of what is made of it and has no colour of its own, in pictures."},
};
const tn_section tn_section_material = {
    "materials",
    "Named materials. The name `default` is the material of shapes that name none; it need not be written.",
    sizeof(tn_raw_material), NULL, KEYS(material_keys)};

static const tn_key pair_keys[] = {
    {"materials", TN_KEY_NAMES, AT(tn_raw_pair, materials), .required = true, .low_count = 2, .high_count = 2,
     .doc = "The two materials, e.g. `[steel, ice]`; both may be the same."},
    {"friction", TN_KEY_SECTION, AT(tn_raw_pair, friction), .section = &friction_section,
     .doc = "Replaces the combination of the two materials' friction."},
    {"restitution", TN_KEY_NUMBER, AT(tn_raw_pair, restitution), .high = 1.0,
     .doc = "Replaces the combination of the two materials' restitution."},
    {"rolling", TN_KEY_NUMBER, AT(tn_raw_pair, rolling), .unit = {1, 0, 0, 0}, .high = 1e6,
     .doc = "Replaces the combination of the two materials' rolling friction."},
    {"torsion", TN_KEY_NUMBER, AT(tn_raw_pair, torsion), .unit = {1, 0, 0, 0}, .high = 1e6,
     .doc = "Replaces the combination of the two materials' torsional friction."},
    {"adhesion", TN_KEY_NUMBER, AT(tn_raw_pair, adhesion), .unit = {1, 1, -2, 0}, .high = 1e12, .fallback = "0",
     .doc = "Pull that two touching bodies bear before they part, as a magnet's or a glue's; their contact points that "
            "touch share it equally. Friction grows with it: it is bounded by `mu` times the normal force plus the "
            "pull."},
    {"stiffness", TN_KEY_NUMBER, AT(tn_raw_pair, spring.stiffness), .unit = {0, 1, -2, 0}, .high = LARGE, .above = true,
     .infinite = true, .doc = "Replaces what the materials' springs make of each contact point; `infinite`: rigid."},
    {"damping", TN_KEY_NUMBER, AT(tn_raw_pair, spring.damping), .unit = {0, 1, -1, 0}, .high = LARGE,
     .doc = "Replaces the combination of the two materials' damping."},
    {"hunt_crossley", TN_KEY_NUMBER, AT(tn_raw_pair, spring.hunt_crossley), .unit = {-1, 0, 1, 0}, .high = LARGE,
     .doc = "Replaces the combination of the two materials' `hunt_crossley`."},
    {"tangential_damping", TN_KEY_NUMBER, AT(tn_raw_pair, spring.tangential_damping), .unit = {0, 1, -1, 0},
     .high = LARGE, .above = true, .infinite = true,
     .doc = "Replaces the combination of the two materials' `tangential_damping`."},
    {"tangential_stiffness", TN_KEY_NUMBER, AT(tn_raw_pair, spring.tangential_stiffness), .unit = {0, 1, -2, 0},
     .high = LARGE, .above = true, .infinite = true,
     .doc = "Replaces the combination of the two materials' `tangential_stiffness`."},
    {"tangential_stiffness2", TN_KEY_NUMBER, AT(tn_raw_pair, spring.tangential_stiffness2), .unit = {0, 1, -2, 0},
     .high = LARGE, .above = true, .infinite = true, .doc = "The same across friction's `direction`; default: alike."},
    {"relaxation", TN_KEY_NUMBER, AT(tn_raw_pair, spring.relaxation), .unit = {1, 0, 0, 0}, .high = LARGE,
     .above = true, .infinite = true, .doc = "Replaces the combination of the two materials' `relaxation`."},
    {"contact_modulus", TN_KEY_NUMBER, AT(tn_raw_pair, spring.contact_modulus), .unit = {-1, 1, -2, 0}, .high = LARGE,
     .above = true,
     .doc = "E* of Hertz's law, 1/E* = (1 - poisson_a^2)/young_a + (1 - poisson_b^2)/young_b, in place of what the "
            "materials' springs make."},
    {"radius", TN_KEY_NUMBER, AT(tn_raw_pair, spring.radius), .unit = {1, 0, 0, 0}, .low = LENGTH_MIN, .high = LARGE,
     .doc = "Effective radius of curvature of Hertz's law, 1/r = 1/r_a + 1/r_b, in place of the shapes' own."},
    {"foundation", TN_KEY_SECTION, AT(tn_raw_pair, spring.foundation), .section = &foundation_section,
     .doc = "In place of what the materials' springs make."},
    {"collide", TN_KEY_FLAG, AT(tn_raw_pair, collide), .fallback = "true", .doc = "`false`: these never touch."},
};
const tn_section tn_section_pair = {"pairs", "What holds where two given materials meet.", sizeof(tn_raw_pair), NULL,
                                    KEYS(pair_keys)};

static const tn_key rotation_keys[] = {
    {"axis", TN_KEY_VECTOR, AT(tn_raw_rotation, axis), .nonzero = true, .low = -LARGE, .high = LARGE,
     .doc = "Axis of the rotation by `angle`."},
    {"angle", TN_KEY_NUMBER, AT(tn_raw_rotation, angle), .unit = {0, 0, 0, 1}, .low = -1e6, .high = 1e6,
     .doc = "Angle about `axis`."},
    {"euler", TN_KEY_VECTOR, AT(tn_raw_rotation, euler), .unit = {0, 0, 0, 1}, .low = -1e6, .high = 1e6,
     .doc = "Roll, pitch, yaw: turn about the fixed x, then y, then z axis."},
    {"quaternion", TN_KEY_NUMBERS, AT(tn_raw_rotation, quaternion), .low = -LARGE, .high = LARGE, .low_count = 4,
     .high_count = 4, .doc = "w, x, y, z; need not have unit length."},
};
const tn_section tn_section_rotation = {
    "rotation", "One of: `axis` with `angle`; `euler`; `quaternion`. From the frame's own axes to those around it.",
    sizeof(tn_raw_rotation), "euler", KEYS(rotation_keys)};

static const tn_key robot_keys[] = {
    {"file", TN_KEY_TEXT, AT(tn_raw_robot, file), .required = true,
     .doc = "A URDF or MJCF file, relative to this one."},
    {"prefix", TN_KEY_TEXT, AT(tn_raw_robot, prefix),
     .doc = "In front of the names of its bodies, joints and materials: two of one file need two."},
    {"position", TN_KEY_VECTOR, AT(tn_raw_robot, position), .unit = {1, 0, 0, 0}, .low = -LARGE, .high = LARGE,
     .fallback = "[0, 0, 0]", .doc = "Of the file's world in this one."},
    {"rotation", TN_KEY_SECTION, AT(tn_raw_robot, rotation), .section = &tn_section_rotation,
     .doc = "Of the file's world in this one."},
    {"fixed", TN_KEY_FLAG, AT(tn_raw_robot, fixed), .fallback = "false",
     .doc = "`true`: bodies that the file leaves free (the root of a URDF file, `freejoint`) stay where they are."},
    {"keyframe", TN_KEY_TEXT, AT(tn_raw_robot, keyframe),
     .doc = "Name of the keyframe of a MJCF file at which it starts; default: the first, if there is one."},
    {"set", TN_KEY_NAMES, AT(tn_raw_robot, set), .low_count = 1, .high_count = 1000,
     .doc = "Changes what becomes of the file, as `--set` does: a list of path=value, e.g. "
            "`joints.elbow.turn.motor.position=sin(t)`. Names are those with the prefix."},
};
const tn_section tn_section_robot = {
    "robots", "Robots from URDF and MJCF files (docs/robots.md). Their settings count where this file has none.",
    sizeof(tn_raw_robot), "file", KEYS(robot_keys)};

static const tn_key confine_keys[] = {
    {"normal", TN_KEY_VECTOR, AT(tn_raw_confine, normal), .nonzero = true, .required = true, .low = -LARGE,
     .high = LARGE, .doc = "Normal of the plane through the body's origin, world axes."},
};
static const tn_section confine_section = {"confine", "The body moves in a plane and turns about its normal only: 2D.",
                                           sizeof(tn_raw_confine), "normal", KEYS(confine_keys)};

static const tn_key motion_keys[] = {
    {"position", TN_KEY_EXPRESSIONS, AT(tn_raw_motion, position), .unit = {1, 0, 0, 0}, .low = -LARGE, .high = LARGE,
     .doc = "World position of the body's origin in time; default: stays at `position`."},
    {"axis", TN_KEY_VECTOR, AT(tn_raw_motion, axis), .nonzero = true, .low = -LARGE, .high = LARGE,
     .fallback = "[0, 0, 1]", .doc = "World axis of the rotation by `angle`."},
    {"angle", TN_KEY_EXPRESSION, AT(tn_raw_motion, angle), .unit = {0, 0, 0, 1}, .low = -LARGE, .high = LARGE,
     .fallback = "0", .doc = "Angle in time, after the initial `rotation`."},
    {"teleport", TN_KEY_FLAG, AT(tn_raw_motion, teleport), .fallback = "false",
     .doc = "Jumps of position and angle set the body there without a velocity. Else it sweeps through what lies "
            "between within one step, and the run says so."},
};
static const tn_section motion_section = {"motion",
                                          "Prescribed motion: the body is kinematic, nothing pushes it. What it "
                                          "touches in a step sees its mean velocity over "
                                          "that step, which is recorded too.",
                                          sizeof(tn_raw_motion), NULL, KEYS(motion_keys)};

static const tn_key array_keys[] = {
    {"count", TN_KEY_COUNTS, AT(tn_raw_array, count), .low = 1, .high = COUNT_MAX, .required = true,
     .doc = "Copies along x, y, z."},
    {"spacing", TN_KEY_VECTOR, AT(tn_raw_array, spacing), .unit = {1, 0, 0, 0}, .low = -LARGE, .high = LARGE,
     .required = true, .doc = "From one copy to the next along x, y, z."},
    {"jitter", TN_KEY_NUMBER, AT(tn_raw_array, jitter), .unit = {1, 0, 0, 0}, .high = LARGE, .fallback = "0",
     .doc = "Each coordinate is shifted by a random number up to this, either way."},
    {"rotation_jitter", TN_KEY_NUMBER, AT(tn_raw_array, rotation_jitter), .unit = {0, 0, 0, 1}, .high = 1e3,
     .fallback = "0", .doc = "Turned about a random axis by a random angle up to this, either way."},
};
const tn_section tn_section_array = {
    "array", "Copies of the body on a grid, `name[0]`, `name[1]`, ... with x running fastest; the first at `position`.",
    sizeof(tn_raw_array), NULL, KEYS(array_keys)};

static const tn_key scatter_keys[] = {
    {"count", TN_KEY_INTEGER, AT(tn_raw_scatter, count), .low = 1, .high = COUNT_MAX, .required = true,
     .doc = "Number of copies."},
    {"low", TN_KEY_VECTOR, AT(tn_raw_scatter, low), .unit = {1, 0, 0, 0}, .low = -LARGE, .high = LARGE,
     .required = true, .doc = "Lower corner of the region, from `position`."},
    {"high", TN_KEY_VECTOR, AT(tn_raw_scatter, high), .unit = {1, 0, 0, 0}, .low = -LARGE, .high = LARGE,
     .required = true, .doc = "Upper corner of the region, from `position`."},
    {"turn", TN_KEY_FLAG, AT(tn_raw_scatter, turn), .fallback = "false",
     .doc = "Whether each copy is turned at random, all orientations alike."},
};
static const tn_section scatter_section = {
    "scatter", "Copies of the body at random places, the same for the same `seed` and body name. They may overlap.",
    sizeof(tn_raw_scatter), NULL, KEYS(scatter_keys)};

static const char *const textures[] = {"plain", "checker", NULL};

#define BODY(field) AT(tn_raw_body, field)
static const tn_key body_keys[] = {
    {"fixed", TN_KEY_FLAG, BODY(fixed), .fallback = "false", .doc = "Whether it stays where it is."},
    {"position", TN_KEY_VECTOR, BODY(position), .unit = {1, 0, 0, 0}, .low = -LARGE, .high = LARGE,
     .doc = "Of the body's origin in the world; default `[0, 0, 0]`."},
    {"rotation", TN_KEY_SECTION, BODY(rotation), .section = &tn_section_rotation, .doc = "Of the body in the world."},
    {"velocity", TN_KEY_VECTOR, BODY(velocity), .unit = M_PER_S, .low = -LARGE, .high = LARGE,
     .doc = "Initial velocity of its origin, world axes; default `[0, 0, 0]`."},
    {"angular_velocity", TN_KEY_VECTOR, BODY(angular_velocity), .unit = RAD_PER_S, .low = -LARGE, .high = LARGE,
     .doc = "Initial angular velocity, world axes; default `[0, 0, 0]`."},
    {"shape", TN_KEY_ONE, BODY(shape), .section = &tn_section_shape, .doc = "Its shape; see shape."},
    {"shapes", TN_KEY_LIST, BODY(shapes), .section = &tn_section_shape, .doc = "Instead: a list of shapes."},
    {"visual", TN_KEY_LIST, BODY(visual), .section = &tn_section_shape,
     .doc = "Shapes that are shown in place of the body's, and do nothing else: meshes from files, open ones too."},
    {"color", TN_KEY_COLOR, BODY(color), .doc = "In pictures; else of the material, else the viewer chooses."},
    {"texture", TN_KEY_CHOICE, BODY(texture), .fallback = "plain", .choices = textures,
     .doc = "In pictures; a checker lets rolling be seen."},
    {"material", TN_KEY_NAME, BODY(material), .doc = "Of shapes that name none; else `default`."},
    {"density", TN_KEY_NUMBER, BODY(density), .unit = {-3, 1, 0, 0}, .least = DENSITY_MIN, .high = 1e12,
     .doc = "Of shapes that give none, instead of the material's."},
    {"mass", TN_KEY_NUMBER, BODY(mass), .unit = {0, 1, 0, 0}, .low = MASS_MIN, .high = 1e12,
     .doc = "Total mass. Without `inertia` the shapes' densities are scaled to it."},
    {"center", TN_KEY_VECTOR, BODY(center), .unit = {1, 0, 0, 0}, .low = -LARGE, .high = LARGE,
     .doc = "Center of mass in the body's frame, with `inertia`; default `[0, 0, 0]`."},
    {"inertia", TN_KEY_NUMBERS, BODY(inertia), .unit = {2, 1, 0, 0}, .low = -LARGE, .high = LARGE, .low_count = 3,
     .high_count = 6,
     .doc = "About the center of mass in body axes, with `mass`: Ixx, Iyy, Izz, and if not zero Ixy, Ixz, Iyz."},
    {"contact_points", TN_KEY_POINTS, BODY(contact_points), .unit = {1, 0, 0, 0}, .low = -LARGE, .high = LARGE,
     .low_count = 1, .high_count = COUNT_MAX,
     .doc = "Points in the body's frame that touch instead of the shapes, which then only give the mass."},
    {"contact_radius", TN_KEY_NUMBER, BODY(contact_radius), .unit = {1, 0, 0, 0}, .high = 1e9, .fallback = "0",
     .doc = "Radius of the contact points."},
    {"confine", TN_KEY_SECTION, BODY(confine), .section = &confine_section,
     .doc = "Normal of the plane in which the body moves."},
    {"force", TN_KEY_EXPRESSIONS, BODY(force), .unit = {1, 1, -2, 0}, .low = -LARGE, .high = LARGE,
     .fallback = "[0, 0, 0]", .doc = "Force at the center of mass, world axes; numbers or expressions of t."},
    {"force_body", TN_KEY_EXPRESSIONS, BODY(force_body), .unit = {1, 1, -2, 0}, .low = -LARGE, .high = LARGE,
     .fallback = "[0, 0, 0]", .doc = "Force at the center of mass, body axes."},
    {"torque", TN_KEY_EXPRESSIONS, BODY(torque), .unit = {2, 1, -2, 0}, .low = -LARGE, .high = LARGE,
     .fallback = "[0, 0, 0]", .doc = "Torque, world axes."},
    {"motion", TN_KEY_SECTION, BODY(motion), .section = &motion_section, .doc = "Prescribed motion."},
    {"array", TN_KEY_SECTION, BODY(array), .section = &tn_section_array, .doc = "Copies on a grid."},
    {"scatter", TN_KEY_SECTION, BODY(scatter), .section = &scatter_section, .doc = "Copies at random places."},
};
const tn_section tn_section_body = {
    "bodies",
    "Named bodies: free unless `fixed` or with a `motion`. Names hold letters, digits, `_` and `-`; `world` is taken.",
    sizeof(tn_raw_body), NULL, KEYS(body_keys)};

static const tn_key spring_keys[] = {
    {"a", TN_KEY_NAME, AT(tn_raw_spring, a), .required = true, .doc = "A body, or `world`."},
    {"b", TN_KEY_NAME, AT(tn_raw_spring, b), .doc = "Another body, or `world` (the default)."},
    {"point_a", TN_KEY_VECTOR, AT(tn_raw_spring, point_a), .unit = {1, 0, 0, 0}, .low = -LARGE, .high = LARGE,
     .fallback = "[0, 0, 0]", .doc = "Where it is tied to a, in a's frame."},
    {"point_b", TN_KEY_VECTOR, AT(tn_raw_spring, point_b), .unit = {1, 0, 0, 0}, .low = -LARGE, .high = LARGE,
     .fallback = "[0, 0, 0]", .doc = "Where it is tied to b, in b's frame."},
    {"stiffness", TN_KEY_NUMBER, AT(tn_raw_spring, stiffness), .unit = {0, 1, -2, 0}, .high = LARGE, .fallback = "0",
     .doc = "Force per elongation."},
    {"damping", TN_KEY_NUMBER, AT(tn_raw_spring, damping), .unit = {0, 1, -1, 0}, .high = LARGE, .fallback = "0",
     .doc = "Force per speed of elongation."},
    {"rest_length", TN_KEY_NUMBER, AT(tn_raw_spring, rest_length), .unit = {1, 0, 0, 0}, .high = LARGE, .fallback = "0",
     .doc = "Length without force."},
};
const tn_section tn_section_spring = {"springs", "Named spring-dampers between two points.", sizeof(tn_raw_spring),
                                      NULL, KEYS(spring_keys)};

static const tn_key defaults_keys[] = {
    {"material", TN_KEY_DEFAULTS, FIELD(default_material), .section = &tn_section_material,
     .doc = "Keys for every material."},
    {"body", TN_KEY_DEFAULTS, FIELD(default_body), .section = &tn_section_body, .doc = "Keys for every body."},
    {"shape", TN_KEY_DEFAULTS, FIELD(default_shape), .section = &tn_section_shape, .doc = "Keys for every shape."},
    {"spring", TN_KEY_DEFAULTS, FIELD(default_spring), .section = &tn_section_spring, .doc = "Keys for every spring."},
    {"joint", TN_KEY_DEFAULTS, FIELD(default_joint), .section = &tn_section_joint, .doc = "Keys for every joint."},
    {"soft", TN_KEY_DEFAULTS, FIELD(default_soft), .section = &tn_section_soft, .doc = "Keys for every soft body."},
};
static const tn_section defaults_section = {
    "defaults", "Keys that every material, body, shape, spring, joint or soft body has unless it says otherwise.", 0,
    NULL, KEYS(defaults_keys)};

static const char *const coordinates[] = {"maximal", "reduced", NULL}; // in the order of tn_coordinates

static const tn_key scene_keys[] = {
    {"title", TN_KEY_TEXT, FIELD(title), .doc = "One line for people."},
    {"include", TN_KEY_NAMES, FIELD(include), .low_count = 1, .high_count = 100,
     .doc = "Files whose content is added, relative to this one. What this file says goes before what they say, later "
            "files before earlier ones; names must not occur twice."},
    {"gravity", TN_KEY_VECTOR, FIELD(settings.gravity), .unit = {1, 0, -2, 0}, .low = -1e6, .high = 1e6,
     .fallback = "[0, 0, -9.81]", .doc = "Acceleration of free fall."},
    {"step", TN_KEY_NUMBER, FIELD(settings.step), .unit = {0, 0, 1, 0}, .low = STEP_MIN, .high = 1e6,
     .fallback = "10 ms", .doc = "Step of time h."},
    {"duration", TN_KEY_NUMBER, FIELD(settings.duration), .unit = {0, 0, 1, 0}, .high = 1e12, .fallback = "1 s",
     .doc = "Time to simulate."},
    {"scheme", TN_KEY_CHOICE, FIELD(scheme), .fallback = "euler", .choices = schemes,
     .doc = "`euler`: symplectic, first order. `midpoint`: second order without contact. `implicit`: backward Euler; "
            "each step solved by Newton's method. `pbd`: position-based dynamics, a baseline without a solver."},
    {"initial", TN_KEY_GROUP, .section = &initial_section, .doc = "The state at the start."},
    {"newton", TN_KEY_GROUP, .section = &newton_section, .doc = "When the Newton steps of `scheme: implicit` stop."},
    {"pbd", TN_KEY_GROUP, .section = &pbd_section,
     .doc = "Substeps of `scheme: pbd`: their number, or the keys of pbd."},
    {"law", TN_KEY_CHOICE, FIELD(law), .fallback = "coulomb", .choices = laws,
     .doc = "`coulomb`: strict. `convex`: relaxed, hovers while sliding. `frictionless`."},
    {"gap", TN_KEY_CHOICE, FIELD(gap_term), .fallback = "full", .choices = gap_terms,
     .doc = "Gap term of the contact law: `none`, `full` (gap / h) or `baumgarte` (a part of overlaps)."},
    {"baumgarte", TN_KEY_NUMBER, FIELD(settings.baumgarte), .high = 1.0, .fallback = "0.2",
     .doc = "Part of an overlap that `gap: baumgarte` removes in a step, or of a joint's error."},
    {"push_out", TN_KEY_NUMBER, FIELD(settings.push_out), .unit = M_PER_S, .high = 1e9, .above = true, .infinite = true,
     .fallback = "3",
     .doc = "Fastest that overlaps are pushed apart (in a step by the margin at most), and that joints which start off "
            "by their slack are drawn together (angles: rad/s). What overlaps is moved; but for 0.05 m/s it keeps no "
            "velocity of that (with `restitution_law: poisson` it does)."},
    {"gain_limit", TN_KEY_NUMBER, FIELD(settings.gain_limit), .high = 1e300, .above = true, .infinite = true,
     .fallback = "10",
     .doc =
         "A run ends with an error where more energy has come from nowhere than so many times what there was: at the "
         "start, from gravity and from what moves bodies. No step is right then. `infinite`: it goes on."},
    {"stabilization", TN_KEY_CHOICE, FIELD(stabilization), .fallback = "full", .choices = gap_terms,
     .doc = "The same for joints: `none` (they hold on velocities alone, and drift), `full` or `baumgarte`."},
    {"coordinates", TN_KEY_CHOICE, FIELD(coordinates), .fallback = "maximal", .choices = coordinates,
     .doc = "Unknowns of bodies that rigid joints hold together. `maximal`: each body's own, and the joints are rows. "
            "`reduced`: those of the joints (revolute, prismatic, cylindrical, spherical, universal, weld, planar, "
            "screw), as far as they form trees; joints that close loops are rows. The motion is the same; joints of "
            "trees are exact to rounding."},
    {"projection", TN_KEY_INTEGER, FIELD(settings.projection), .low = 0, .high = 100, .fallback = "1",
     .doc =
         "Most Newton corrections of the positions of joints after a step; made while a joint is off by more than "
         "1e-9 m or rad; above 0 with reduced coordinates and loops 20 at least. Above 0, scheme `euler` first takes "
         "errors away by forces of the step (SHAKE)."},
    {"margin", TN_KEY_NUMBER, FIELD(settings.margin), .unit = {1, 0, 0, 0}, .high = 1e9, .fallback = "0",
     .doc = "Contacts are made for gaps up to this. 0: automatic."},
    {"restitution_law", TN_KEY_CHOICE, FIELD(restitution_law), .fallback = "newton", .choices = restitution_laws,
     .doc = "Of velocities (`newton`) or of impulses (`poisson`, a second solve; `scheme: euler`)."},
    {"restitution_threshold", TN_KEY_NUMBER, FIELD(settings.restitution_threshold), .unit = M_PER_S, .high = 1e9,
     .fallback = "0", .doc = "Slower approach does not bounce. 0: automatic, twice what gravity adds in a step."},
    {"omega", TN_KEY_NUMBER, FIELD(settings.omega), .unit = {0, -1, 1, 0}, .high = 1e9, .fallback = "0",
     .doc = "Invertible contact: added to the Delassus operator's diagonal. 0: off."},
    {"sleep", TN_KEY_GROUP, .section = &sleep_section, .doc = "When bodies at rest are left out of the steps."},
    {"solver", TN_KEY_GROUP, .section = &solver_section, .doc = "A solver's name, or the keys of solver."},
    {"record", TN_KEY_GROUP, .section = &record_section, .doc = "What goes into the recording."},
    {"seed", TN_KEY_SEED, FIELD(settings.seed), .fallback = "1", .doc = "Of all random numbers; 0 to 2^64 - 1."},
    {"defaults", TN_KEY_GROUP, .section = &defaults_section,
     .doc = "Keys for every material, body, shape, spring, joint, soft body."},
    {"materials", TN_KEY_NAMED, FIELD(materials), .section = &tn_section_material, .doc = "Named materials."},
    {"pairs", TN_KEY_LIST, FIELD(pairs), .section = &tn_section_pair, .doc = "Pairs of materials."},
    {"bodies", TN_KEY_NAMED, FIELD(bodies), .section = &tn_section_body, .doc = "Named bodies."},
    {"springs", TN_KEY_NAMED, FIELD(springs), .section = &tn_section_spring, .doc = "Named spring-dampers."},
    {"joints", TN_KEY_NAMED, FIELD(joints), .section = &tn_section_joint, .doc = "Named joints."},
    {"soft", TN_KEY_NAMED, FIELD(softs), .section = &tn_section_soft, .doc = "Named soft bodies."},
    {"robots", TN_KEY_LIST, FIELD(robots), .section = &tn_section_robot,
     .doc = "Robots from URDF and MJCF files, added as by `include`."},
    {"rods", TN_KEY_NAMED, FIELD(rods), .section = &tn_section_rod, .doc = "Named elastic rods."},
    {"sensors", TN_KEY_NAMED, FIELD(sensors), .section = &tn_section_sensor, .doc = "Named sensors."},
    {"views", TN_KEY_NAMED, FIELD(views), .section = &tn_section_view,
     .doc = "Named cameras; pictures begin with the first."},
    {"mpc", TN_KEY_ONE, FIELD(mpc), .section = &tn_section_mpc, .doc = "A controller that plans through contact."},
};
const tn_section tn_section_scene = {"scene", "The file itself.", sizeof(tn_raw_scene), NULL, KEYS(scene_keys)};

const tn_key *tn_section_key(const tn_section *section, const char *name)
{
    for (int i = 0; i < section->n_keys; i++) {
        if (strcmp(section->keys[i].name, name) == 0) {
            return &section->keys[i];
        }
    }
    return NULL;
}

// Of a list that NULL ends.
static const char *word(const char *const *words, int i)
{
    int n = 0;
    while (n < i && words[n]) {
        n++;
    }
    return i >= 0 ? words[n] : NULL;
}

const char *tn_law_name(int i)
{
    return word(laws, i);
}

const char *tn_scheme_name(int i)
{
    return word(schemes, i);
}

const char *tn_accuracy_name(int i)
{
    return word(accuracies, i);
}

const char *tn_shape_kind_name(int i)
{
    return i >= 0 && i < TN_SHAPE_COUNT ? tn_shape_name((tn_shape_kind)i) : NULL;
}
