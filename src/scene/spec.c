#include "law/law.h"
#include "scene/keys.h"

#include <string.h>

static const char *const initial_velocities[] = {"given", "project", "rates", NULL};
static const char *const schemes[] = {"euler", "midpoint", "implicit", "pbd", NULL};
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
     .doc = "Relative residual of the momentum balance. 0: solvers aim at 1e-6."},
    {"natural", TN_KEY_NUMBER, FIELD(settings.demanded.natural), .least = RELATIVE_MIN, .high = 1.0, .fallback = "0",
     .doc = "Relative natural map residual of the contact law. 0: solvers aim at what `solver.accuracy` says."},
    {"fclib", TN_KEY_NUMBER, FIELD(settings.demanded.fclib), .least = RELATIVE_MIN, .high = 1.0, .fallback = "0",
     .doc = "Error as FCLIB and Siconos define it."},
    {"joint", TN_KEY_NUMBER, FIELD(settings.demanded.joint), .least = RELATIVE_MIN, .high = 1.0, .fallback = "0",
     .doc = "Relative velocity error of joints. 0: solvers aim at 1e-8."},
    {"penetration", TN_KEY_NUMBER, FIELD(settings.demanded.penetration), METRES, .least = LENGTH_MIN, .high = 1e3,
     .fallback = "0", .doc = "Deepest penetration after a step."},
    {"theta", TN_KEY_NUMBER, FIELD(settings.demanded.theta), M_PER_S, .least = LENGTH_MIN, .high = 1e3, .fallback = "0",
     .doc = "Stopping rule of `cond` and `nodal`: length of the last iterate's step. No error measure."},
};
static const tn_section tolerance_section = {
    "solver.tolerance",
    "What each step must reach; 0 demands nothing. A run that misses a demanded value ends with exit code 1.", 0, NULL,
    KEYS(tolerance_keys)};

static const tn_key solver_keys[] = {
    {"name", TN_KEY_WORD, FIELD(settings.solver), .fallback = "auto", .choices = solvers,
     .doc = "`auto` chooses by the structure of the problem ([solvers](solvers.md))."},
    {"accuracy", TN_KEY_CHOICE, FIELD(accuracy), .fallback = "standard", .choices = accuracies,
     .doc = "Natural map residual to aim at while contacts move: `draft` 1e-3, `standard` 1e-4, `tight` 1e-6. Contacts "
            "at rest are solved to 1e-6 with all three ([rule](solvers.md#accuracy)). Without effect where `tolerance` "
            "demands one."},
    {"max_iterations", TN_KEY_INTEGER, FIELD(settings.solve.max_iterations), .low = 1, .high = 1e9, .fallback = "500",
     .doc = "Cap on iterations of a step; the best iterate is kept."},
    {"facets", TN_KEY_INTEGER, FIELD(settings.facets), .high = TN_FACETS_MAX, .fallback = "0",
     .doc = "Directions of a polyhedral friction cone: 2, or even and at least 4. 0: the round cone."},
    {"facets_align", TN_KEY_CHOICE, FIELD(facets_align), .fallback = "none", .choices = facets_aligns,
     .doc = "`slip`: turn the directions of each contact (isotropic friction) so that one opposes the predicted slip."},
    {"k_v", TN_KEY_NUMBER, FIELD(settings.k_v), N_S_PER_M, UP_TO_RIGID, .fallback = "infinite",
     .doc = "Damper between a rigid body and each of its contact points (virtual nodes of `cond`): contacts creep by "
            "f/k_v on each side."},
    {"penalty_stiffness", TN_KEY_NUMBER, FIELD(settings.solve.penalty_stiffness), N_PER_M, .high = LARGE,
     .fallback = "1e5", .doc = "Contact stiffness of `penalty`; 0: chosen for each contact."},
    {"penalty_damping", TN_KEY_NUMBER, FIELD(settings.solve.penalty_damping), N_S_PER_M, .high = LARGE,
     .fallback = "1e2", .doc = "Contact damping of `penalty`; 0: chosen for each contact."},
    {"threads", TN_KEY_INTEGER, FIELD(settings.solve.n_threads), .high = 1024, .fallback = "0",
     .doc = "At most; 0: as many as the process may use, up to 4. Any number gives the same result to the last bit."},
    {"tolerance", TN_KEY_GROUP, .section = &tolerance_section, .doc = "Demanded tolerances."},
};
static const tn_section solver_section = {"solver", "How each step is solved.", 0, "name", KEYS(solver_keys)};

static const tn_key start_keys[] = {
    {"coordinate", TN_KEY_MEASURE, AT(tn_raw_start, coordinate), .scalar = true,
     .doc = "One number for each free coordinate, in the order slide, slide2, turn, turn2; for a `spherical` joint the "
            "rotation vector of b in the joint's axes on a. Default: as drawn."},
    {"rate", TN_KEY_MEASURE, AT(tn_raw_start, rate), .scalar = true,
     .doc = "The same for the rates. Default: from the bodies' velocities."},
};
const tn_section tn_section_start = {"initial.joints",
                                     "Joint coordinates at the start, counted from the drawn pose. Bodies further "
                                     "along the tree (of a free robot from the body that is no joint's `b`) move "
                                     "along; closed loops must fit. One of several coordinates also by the "
                                     "name that it has in a robot's file: `shoulder_roll: 0.2`.",
                                     sizeof(tn_raw_start), "coordinate", KEYS(start_keys)};

static const tn_key initial_keys[] = {
    {"velocities", TN_KEY_CHOICE, FIELD(initial_velocities), .fallback = "given", .choices = initial_velocities,
     .doc = "`given`: the bodies' velocities; what joints forbid is lost in the first step. `project`: first projected "
            "(in the mass metric) onto what rigid joints allow; contacts and limits are ignored. `rates`: of bodies "
            "that hang from one another "
            "the rates of their joints count, as `joints` below says them (mechanisms up to 96 degrees of freedom); so "
            "do those of MJCF files' keyframes."},
    {"joints", TN_KEY_NAMED, FIELD(starts), .section = &tn_section_start, .doc = "Joint coordinates."},
};
static const tn_section initial_section = {"initial", "The state at the start.", 0, NULL, KEYS(initial_keys)};

static const tn_key newton_keys[] = {
    {"max", TN_KEY_INTEGER, FIELD(settings.max_newton), .low = 1, .high = 1e6, .fallback = "20",
     .doc = "Most Newton iterations in a time step."},
    {"tolerance", TN_KEY_NUMBER, FIELD(settings.newton_tolerance), .low = RELATIVE_MIN, .high = 1.0, .fallback = "1e-8",
     .doc = "Relative residual of the momentum balance at which they stop."},
};
static const tn_section newton_section = {"newton", "Newton's method of `scheme: implicit`.", 0, NULL,
                                          KEYS(newton_keys)};

static const tn_key pbd_keys[] = {
    {"substeps", TN_KEY_INTEGER, FIELD(settings.pbd_substeps), .low = 1, .high = 1e6, .fallback = "20",
     .doc = "Substeps of a time step."},
    {"iterations", TN_KEY_INTEGER, FIELD(settings.pbd_iterations), .low = 1, .high = 1e6, .fallback = "1",
     .doc = "Passes over all constraints in a substep."},
};
static const tn_section pbd_section = {"pbd", "Position-based dynamics, `scheme: pbd`.", 0, "substeps", KEYS(pbd_keys)};

static const tn_key sleep_keys[] = {
    {"after", TN_KEY_NUMBER, FIELD(settings.sleep_after), SECONDS, .least = STEP_MIN, .high = 1e12, .fallback = "0",
     .doc = "How long an island must stay below `speed` and `spin` before it sleeps. 0: never."},
    {"speed", TN_KEY_NUMBER, FIELD(settings.sleep_speed), M_PER_S, .high = LARGE, .fallback = "0.01 m/s",
     .doc = "Of centers of mass."},
    {"spin", TN_KEY_NUMBER, FIELD(settings.sleep_spin), RAD_PER_S, .high = LARGE, .fallback = "0.05 rad/s",
     .doc = "Angular velocity."},
};
static const tn_section sleep_section = {"sleep",
                                         "Rigid bodies at rest are skipped, island by island, until something awake "
                                         "touches or moves them ([physics](physics.md#sleeping)).",
                                         0, "after", KEYS(sleep_keys)};

static const char *const precisions[] = {"single", "double", NULL};

static const tn_key record_keys[] = {
    {"every", TN_KEY_INTEGER, FIELD(settings.record_every), .low = 1, .high = 1e9, .fallback = "1",
     .doc = "Steps from one recorded frame to the next."},
    {"contacts", TN_KEY_FLAG, FIELD(settings.record_contacts), .fallback = "true", .doc = "Record contacts."},
    {"stress", TN_KEY_FLAG, FIELD(settings.record_stress), .fallback = "false",
     .doc = "Record the stress of each tetrahedron."},
    {"precision", TN_KEY_CHOICE, FIELD(record_precision), .fallback = "single", .choices = precisions,
     .doc = "Of bodies, nodes and contacts: `single` rounds lengths to 2.4e-7 of the smallest shape and forces to 1e-6 "
            "of their size. Other data is double."},
};
static const tn_section record_section = {"record", "What is recorded.", 0, NULL, KEYS(record_keys)};

#define FRICTION(field) AT(tn_raw_friction, field)
static const tn_key friction_keys[] = {
    {"mu", TN_KEY_NUMBER, FRICTION(mu), .high = 1e6, .doc = "Isotropic coefficient."},
    {"mu1", TN_KEY_NUMBER, FRICTION(mu1), .high = 1e6, .doc = "Coefficient along `direction`."},
    {"mu2", TN_KEY_NUMBER, FRICTION(mu2), .high = 1e6, .doc = "Coefficient across `direction`."},
    {"direction", TN_KEY_VECTOR, FRICTION(direction), .nonzero = true, ANY,
     .doc =
         "In the axes of the body that has the material (of a pair, and where both have one: the first one). On faces "
         "across it: another of its axes."},
};
static const tn_section friction_section = {"friction", "Coulomb friction: `mu`, or `mu1`, `mu2` and `direction`.",
                                            sizeof(tn_raw_friction), "mu", KEYS(friction_keys)};

#define FOUNDATION(field) AT(tn_raw_foundation, field)
static const tn_key foundation_keys[] = {
    {"modulus", TN_KEY_NUMBER, FOUNDATION(modulus), PASCALS, .high = LARGE, .above = true, .required = true,
     .doc = "Pressure per strain of the layer."},
    {"depth", TN_KEY_NUMBER, FOUNDATION(depth), METRES, .low = LENGTH_MIN, .high = LARGE, .required = true,
     .doc = "Thickness of the layer."},
    {"elements", TN_KEY_INTEGER, FOUNDATION(elements), .low = 1, .high = 200, .fallback = "10",
     .doc = "Elements along each edge of a face; of two materials the larger number."},
};
static const tn_section foundation_section = {"foundation",
                                              "Winkler's elastic foundation between a box's face and a plane: each "
                                              "element is a contact of stiffness modulus times area over depth.",
                                              sizeof(tn_raw_foundation), NULL, KEYS(foundation_keys)};

#define MATERIAL(field) AT(tn_raw_material, field)
static const tn_key material_keys[] = {
    {"density", TN_KEY_NUMBER, MATERIAL(density), KG_PER_M3, .least = DENSITY_MIN, .high = 1e12, .fallback = "1000",
     .doc = "Density."},
    {"friction", TN_KEY_SECTION, MATERIAL(friction), .section = &friction_section, .fallback = "0.5",
     .doc = "Of two materials: the geometric mean."},
    {"restitution", TN_KEY_NUMBER, MATERIAL(restitution), .high = 1.0, .fallback = "0",
     .doc = "Newton's coefficient. Of two materials: the larger."},
    {"rolling", TN_KEY_NUMBER, MATERIAL(rolling), METRES, .high = 1e6, .fallback = "0",
     .doc = "Rolling friction of rigid bodies: the largest moment across the normal is this times the normal force. Of "
            "two materials: the larger."},
    {"torsion", TN_KEY_NUMBER, MATERIAL(torsion), METRES, .high = 1e6, .fallback = "0",
     .doc = "The same about the normal."},
    {"stiffness", TN_KEY_NUMBER, MATERIAL(spring.stiffness), N_PER_M, UP_TO_RIGID, .fallback = "infinite",
     .doc = "Normal spring of each contact point. Of two materials: in series. A contact with a spring has no "
            "restitution."},
    {"damping", TN_KEY_NUMBER, MATERIAL(spring.damping), N_S_PER_M, .high = LARGE, .fallback = "0",
     .doc = "Damper beside it. Of two materials: the larger."},
    {"hunt_crossley", TN_KEY_NUMBER, MATERIAL(spring.hunt_crossley), .unit = {-1, 0, 1, 0}, .high = LARGE,
     .fallback = "0",
     .doc = "Damping proportional to the spring's force (Hunt and Crossley): f = F (1 + 3/2 a rate). Of two materials: "
            "the larger."},
    {"tangential_damping", TN_KEY_NUMBER, MATERIAL(spring.tangential_damping), N_S_PER_M, UP_TO_RIGID,
     .fallback = "infinite",
     .doc = "Tangential damper of contacts with a spring: sticking contacts creep. Of two materials: in series."},
    {"tangential_stiffness", TN_KEY_NUMBER, MATERIAL(spring.tangential_stiffness), N_PER_M, UP_TO_RIGID,
     .fallback = "infinite",
     .doc = "Tangential spring of contacts with a normal spring, bounded by friction. Of two materials: in series."},
    {"tangential_stiffness2", TN_KEY_NUMBER, MATERIAL(spring.tangential_stiffness2), N_PER_M, UP_TO_RIGID,
     .doc = "The same across friction's `direction`. Default: isotropic."},
    {"relaxation", TN_KEY_NUMBER, MATERIAL(spring.relaxation), METRES, UP_TO_RIGID, .fallback = "infinite",
     .doc = "Relaxation length of `tangential_stiffness` in rolling (a tyre's): stiffness times this is the slip "
            "stiffness. Of two materials: the smaller."},
    {"young", TN_KEY_NUMBER, MATERIAL(spring.young), PASCALS, UP_TO_RIGID, .fallback = "infinite",
     .doc = "Young's modulus for Hertzian contact of spheres and round contact points with each other and with flat "
            "faces."},
    {"poisson", TN_KEY_NUMBER, MATERIAL(spring.poisson), .low = -0.99, .high = 0.5, .fallback = "0.3",
     .doc = "Poisson's ratio, with `young`."},
    {"foundation", TN_KEY_SECTION, MATERIAL(spring.foundation), .section = &foundation_section,
     .doc = "A layer of springs. Of two materials: in series."},
    {"color", TN_KEY_COLOR, MATERIAL(color), .doc = "For shapes without a colour of their own."},
};
const tn_section tn_section_material = {"materials", "Named materials. `default` is that of shapes that name none.",
                                        sizeof(tn_raw_material), NULL, KEYS(material_keys)};

#define PAIR(field) AT(tn_raw_pair, field)
static const tn_key pair_keys[] = {
    {"materials", TN_KEY_NAMES, PAIR(materials), .required = true, .low_count = 2, .high_count = 2,
     .doc = "Two names, may be the same."},
    {"friction", TN_KEY_SECTION, PAIR(friction), .section = &friction_section,
     .doc = "Replaces the combined value, as all keys below."},
    {"restitution", TN_KEY_NUMBER, PAIR(restitution), .high = 1.0, .doc = "As for materials."},
    {"rolling", TN_KEY_NUMBER, PAIR(rolling), METRES, .high = 1e6, .doc = "As for materials."},
    {"torsion", TN_KEY_NUMBER, PAIR(torsion), METRES, .high = 1e6, .doc = "As for materials."},
    {"adhesion", TN_KEY_NUMBER, PAIR(adhesion), NEWTONS, .high = 1e12, .fallback = "0",
     .doc = "Pull that two touching bodies withstand, shared by their touching points. Friction is bounded by `mu` "
            "times (normal force + share)."},
    {"stiffness", TN_KEY_NUMBER, PAIR(spring.stiffness), N_PER_M, UP_TO_RIGID,
     .doc = "Of the contact point as a whole; `infinite`: rigid."},
    {"damping", TN_KEY_NUMBER, PAIR(spring.damping), N_S_PER_M, .high = LARGE, .doc = "As for materials."},
    {"hunt_crossley", TN_KEY_NUMBER, PAIR(spring.hunt_crossley), .unit = {-1, 0, 1, 0}, .high = LARGE,
     .doc = "As for materials."},
    {"tangential_damping", TN_KEY_NUMBER, PAIR(spring.tangential_damping), N_S_PER_M, UP_TO_RIGID,
     .doc = "As for materials."},
    {"tangential_stiffness", TN_KEY_NUMBER, PAIR(spring.tangential_stiffness), N_PER_M, UP_TO_RIGID,
     .doc = "As for materials."},
    {"tangential_stiffness2", TN_KEY_NUMBER, PAIR(spring.tangential_stiffness2), N_PER_M, UP_TO_RIGID,
     .doc = "As for materials."},
    {"relaxation", TN_KEY_NUMBER, PAIR(spring.relaxation), METRES, UP_TO_RIGID, .doc = "As for materials."},
    {"contact_modulus", TN_KEY_NUMBER, PAIR(spring.contact_modulus), PASCALS, .high = LARGE, .above = true,
     .doc = "E* of Hertz's law: 1/E* = (1 - nu_a^2)/E_a + (1 - nu_b^2)/E_b."},
    {"radius", TN_KEY_NUMBER, PAIR(spring.radius), METRES, .low = LENGTH_MIN, .high = LARGE,
     .doc = "Effective radius of Hertz's law, 1/r = 1/r_a + 1/r_b. Default: from the shapes."},
    {"foundation", TN_KEY_SECTION, PAIR(spring.foundation), .section = &foundation_section, .doc = "Of both together."},
    {"collide", TN_KEY_FLAG, PAIR(collide), .fallback = "true", .doc = "`false`: they never touch."},
};
const tn_section tn_section_pair = {"pairs", "Contact parameters of two given materials.", sizeof(tn_raw_pair), NULL,
                                    KEYS(pair_keys)};

#define ROTATION(field) AT(tn_raw_rotation, field)
static const tn_key rotation_keys[] = {
    {"axis", TN_KEY_VECTOR, ROTATION(axis), .nonzero = true, ANY, .doc = "Rotation axis."},
    {"angle", TN_KEY_NUMBER, ROTATION(angle), RADIANS, .low = -1e6, .high = 1e6, .doc = "Angle about `axis`."},
    {"euler", TN_KEY_VECTOR, ROTATION(euler), RADIANS, .low = -1e6, .high = 1e6,
     .doc = "Roll, pitch, yaw about the fixed x, y, z axes in turn."},
    {"quaternion", TN_KEY_NUMBERS, ROTATION(quaternion), ANY, .low_count = 4, .high_count = 4,
     .doc = "w, x, y, z; normalised."},
};
const tn_section tn_section_rotation = {
    "rotation", "From the frame's own axes to its parent's: `axis` and `angle`, `euler`, or `quaternion`.",
    sizeof(tn_raw_rotation), "euler", KEYS(rotation_keys)};

#define ROBOT(field) AT(tn_raw_robot, field)
static const tn_key robot_keys[] = {
    {"file", TN_KEY_TEXT, ROBOT(file), .required = true, .doc = "URDF or MJCF file, relative to this one."},
    {"prefix", TN_KEY_TEXT, ROBOT(prefix), .doc = "For all its names; needed if one file is used twice."},
    {"position", TN_KEY_VECTOR, ROBOT(position), METRES, ANY, .fallback = "[0, 0, 0]",
     .doc = "Of the file's world in this one."},
    {"rotation", TN_KEY_SECTION, ROBOT(rotation), .section = &tn_section_rotation, .doc = "The same."},
    {"fixed", TN_KEY_FLAG, ROBOT(fixed), .fallback = "false",
     .doc = "`true`: hold what the file leaves free (URDF root, `freejoint`)."},
    {"keyframe", TN_KEY_TEXT, ROBOT(keyframe), .doc = "MJCF keyframe to start from. Default: the first."},
    {"set", TN_KEY_NAMES, ROBOT(set), .low_count = 1, .high_count = 1000,
     .doc = "Overrides as `--set` takes them, names with prefix: `joints.elbow.turn.motor.position=sin(t)`."},
};
const tn_section tn_section_robot = {
    "robots", "Robots from [URDF and MJCF files](robots.md). Settings of this file win over theirs.",
    sizeof(tn_raw_robot), "file", KEYS(robot_keys)};

static const tn_key confine_keys[] = {
    {"normal", TN_KEY_VECTOR, AT(tn_raw_confine, normal), .nonzero = true, .required = true, ANY,
     .doc = "Of the plane through the body's origin, world axes."},
};
static const tn_section confine_section = {"confine",
                                           "Planar motion: the body moves in a plane and turns about its normal.",
                                           sizeof(tn_raw_confine), "normal", KEYS(confine_keys)};

#define MOTION(field) AT(tn_raw_motion, field)
static const tn_key motion_keys[] = {
    {"position", TN_KEY_EXPRESSIONS, MOTION(position), METRES, ANY,
     .doc = "Of the origin, world. Default: the body's `position`."},
    {"axis", TN_KEY_VECTOR, MOTION(axis), .nonzero = true, ANY, .fallback = "[0, 0, 1]",
     .doc = "World axis of `angle`."},
    {"angle", TN_KEY_EXPRESSION, MOTION(angle), RADIANS, ANY, .fallback = "0",
     .doc = "Added to the initial `rotation`."},
    {"teleport", TN_KEY_FLAG, MOTION(teleport), .fallback = "false",
     .doc = "`true`: jumps have no velocity. `false`: a jump sweeps through the space between in one step, with a "
            "warning."},
};
static const tn_section motion_section = {
    "motion", "Prescribed motion (a kinematic body). Contacts see its mean velocity over each step.",
    sizeof(tn_raw_motion), NULL, KEYS(motion_keys)};

#define ARRAY(field) AT(tn_raw_array, field)
static const tn_key array_keys[] = {
    {"count", TN_KEY_COUNTS, ARRAY(count), .low = 1, .high = COUNT_MAX, .required = true,
     .doc = "Copies along x, y, z."},
    {"spacing", TN_KEY_VECTOR, ARRAY(spacing), METRES, ANY, .required = true, .doc = "Between copies."},
    {"jitter", TN_KEY_NUMBER, ARRAY(jitter), METRES, .high = LARGE, .fallback = "0",
     .doc = "Random shift of each coordinate, at most this."},
    {"rotation_jitter", TN_KEY_NUMBER, ARRAY(rotation_jitter), RADIANS, .high = 1e3, .fallback = "0",
     .doc = "Random angle about a random axis, at most this."},
};
const tn_section tn_section_array = {"array",
                                     "Copies on a grid, `name[0]`, `name[1]`, ..., x fastest; the first at `position`.",
                                     sizeof(tn_raw_array), NULL, KEYS(array_keys)};

#define SCATTER(field) AT(tn_raw_scatter, field)
static const tn_key scatter_keys[] = {
    {"count", TN_KEY_INTEGER, SCATTER(count), .low = 1, .high = COUNT_MAX, .required = true,
     .doc = "Number of copies."},
    {"low", TN_KEY_VECTOR, SCATTER(low), METRES, ANY, .required = true, .doc = "Lower corner, from `position`."},
    {"high", TN_KEY_VECTOR, SCATTER(high), METRES, ANY, .required = true, .doc = "Upper corner."},
    {"turn", TN_KEY_FLAG, SCATTER(turn), .fallback = "false", .doc = "`true`: random orientations, uniform."},
};
static const tn_section scatter_section = {"scatter",
                                           "Copies at random places (by `seed` and body name). They may overlap.",
                                           sizeof(tn_raw_scatter), NULL, KEYS(scatter_keys)};

static const char *const textures[] = {"plain", "checker", NULL};

#define BODY(field) AT(tn_raw_body, field)
static const tn_key body_keys[] = {
    {"fixed", TN_KEY_FLAG, BODY(fixed), .fallback = "false", .doc = "`true`: it does not move."},
    {"position", TN_KEY_VECTOR, BODY(position), METRES, ANY, .doc = "Of the origin, world. Default: `[0, 0, 0]`."},
    {"rotation", TN_KEY_SECTION, BODY(rotation), .section = &tn_section_rotation, .doc = "Of the body, world."},
    {"velocity", TN_KEY_VECTOR, BODY(velocity), M_PER_S, ANY, .doc = "Initial, of the origin, world axes. Default: 0."},
    {"angular_velocity", TN_KEY_VECTOR, BODY(angular_velocity), RAD_PER_S, ANY,
     .doc = "Initial, world axes. Default: 0."},
    {"shape", TN_KEY_ONE, BODY(shape), .section = &tn_section_shape, .doc = "One shape."},
    {"shapes", TN_KEY_LIST, BODY(shapes), .section = &tn_section_shape, .doc = "Several."},
    {"visual", TN_KEY_LIST, BODY(visual), .section = &tn_section_shape,
     .doc = "Shown instead of the shapes, without other effect."},
    {"color", TN_KEY_COLOR, BODY(color), .doc = "In pictures. Default: the material's, else the viewer's choice."},
    {"texture", TN_KEY_CHOICE, BODY(texture), .fallback = "plain", .choices = textures, .doc = "In pictures."},
    {"material", TN_KEY_NAME, BODY(material), .doc = "Of shapes that name none."},
    {"density", TN_KEY_NUMBER, BODY(density), KG_PER_M3, .least = DENSITY_MIN, .high = 1e12,
     .doc = "Of shapes that give none. Default: the material's."},
    {"mass", TN_KEY_NUMBER, BODY(mass), KILOGRAMS, .low = MASS_MIN, .high = 1e12,
     .doc = "Total mass; without `inertia` densities are scaled to it."},
    {"center", TN_KEY_VECTOR, BODY(center), METRES, ANY,
     .doc = "Center of mass in the body's frame, with `inertia`. Default: 0."},
    {"inertia", TN_KEY_NUMBERS, BODY(inertia), .unit = {2, 1, 0, 0}, ANY, .low_count = 3, .high_count = 6,
     .doc = "About the center of mass, body axes, with `mass`: Ixx, Iyy, Izz[, Ixy, Ixz, Iyz]."},
    {"contact_points", TN_KEY_POINTS, BODY(contact_points), METRES, ANY, .low_count = 1, .high_count = COUNT_MAX,
     .doc = "Points that touch instead of the shapes, body frame."},
    {"contact_radius", TN_KEY_NUMBER, BODY(contact_radius), METRES, .high = 1e9, .fallback = "0",
     .doc = "Their radius."},
    {"confine", TN_KEY_SECTION, BODY(confine), .section = &confine_section,
     .doc = "Planar motion: the plane's normal."},
    {"force", TN_KEY_EXPRESSIONS, BODY(force), NEWTONS, ANY, .fallback = "[0, 0, 0]",
     .doc = "At the center of mass, world axes."},
    {"force_body", TN_KEY_EXPRESSIONS, BODY(force_body), NEWTONS, ANY, .fallback = "[0, 0, 0]",
     .doc = "The same, body axes."},
    {"torque", TN_KEY_EXPRESSIONS, BODY(torque), NEWTON_METRES, ANY, .fallback = "[0, 0, 0]", .doc = "World axes."},
    {"motion", TN_KEY_SECTION, BODY(motion), .section = &motion_section, .doc = "Prescribed motion."},
    {"array", TN_KEY_SECTION, BODY(array), .section = &tn_section_array, .doc = "Copies on a grid."},
    {"scatter", TN_KEY_SECTION, BODY(scatter), .section = &scatter_section, .doc = "Copies at random places."},
};
const tn_section tn_section_body = {
    "bodies", "Named bodies, free unless `fixed` or with a `motion`. Names: letters, digits, `_`, `-`; not `world`.",
    sizeof(tn_raw_body), NULL, KEYS(body_keys)};

#define SPRING(field) AT(tn_raw_spring, field)
static const tn_key spring_keys[] = {
    {"a", TN_KEY_NAME, SPRING(a), .required = true, .doc = "A body, or `world`."},
    {"b", TN_KEY_NAME, SPRING(b), .doc = "Another one. Default: `world`."},
    {"point_a", TN_KEY_VECTOR, SPRING(point_a), METRES, ANY, .fallback = "[0, 0, 0]", .doc = "In a's frame."},
    {"point_b", TN_KEY_VECTOR, SPRING(point_b), METRES, ANY, .fallback = "[0, 0, 0]", .doc = "In b's frame."},
    {"stiffness", TN_KEY_NUMBER, SPRING(stiffness), N_PER_M, .high = LARGE, .fallback = "0", .doc = "Linear."},
    {"damping", TN_KEY_NUMBER, SPRING(damping), N_S_PER_M, .high = LARGE, .fallback = "0", .doc = "Along the spring."},
    {"rest_length", TN_KEY_NUMBER, SPRING(rest_length), METRES, .high = LARGE, .fallback = "0",
     .doc = "Unloaded length."},
};
const tn_section tn_section_spring = {"springs", "Named spring-dampers between two points, implicit.",
                                      sizeof(tn_raw_spring), NULL, KEYS(spring_keys)};

static const tn_key defaults_keys[] = {
    {"material", TN_KEY_DEFAULTS, FIELD(default_material), .section = &tn_section_material,
     .doc = "For every material."},
    {"body", TN_KEY_DEFAULTS, FIELD(default_body), .section = &tn_section_body, .doc = "For every body."},
    {"shape", TN_KEY_DEFAULTS, FIELD(default_shape), .section = &tn_section_shape, .doc = "For every shape."},
    {"spring", TN_KEY_DEFAULTS, FIELD(default_spring), .section = &tn_section_spring, .doc = "For every spring."},
    {"joint", TN_KEY_DEFAULTS, FIELD(default_joint), .section = &tn_section_joint, .doc = "For every joint."},
    {"soft", TN_KEY_DEFAULTS, FIELD(default_soft), .section = &tn_section_soft, .doc = "For every soft body."},
};
static const tn_section defaults_section = {"defaults", "Values for every item that does not set the key itself.", 0,
                                            NULL, KEYS(defaults_keys)};

static const char *const coordinates[] = {"auto", "maximal", "reduced", NULL}; // in the order of tn_coordinates

static const tn_key scene_keys[] = {
    {"title", TN_KEY_TEXT, FIELD(title), .doc = "One line."},
    {"include", TN_KEY_NAMES, FIELD(include), .low_count = 1, .high_count = 100,
     .doc = "Files to add, relative to this one. This file's values win, then later files'; names must be unique."},
    {"gravity", TN_KEY_VECTOR, FIELD(settings.gravity), .unit = {1, 0, -2, 0}, .low = -1e6, .high = 1e6,
     .fallback = "[0, 0, -9.81]", .doc = "Acceleration."},
    {"step", TN_KEY_NUMBER, FIELD(settings.step), SECONDS, .low = STEP_MIN, .high = 1e6, .fallback = "10 ms",
     .doc = "Time step h."},
    {"duration", TN_KEY_NUMBER, FIELD(settings.duration), SECONDS, .high = 1e12, .fallback = "1 s",
     .doc = "Simulated time."},
    {"scheme", TN_KEY_CHOICE, FIELD(scheme), .fallback = "euler", .choices = schemes,
     .doc = "[Time stepping](physics.md#time-stepping): symplectic Euler; second order without contact; backward "
            "Euler; position-based baseline."},
    {"initial", TN_KEY_GROUP, .section = &initial_section, .doc = "State at the start."},
    {"newton", TN_KEY_GROUP, .section = &newton_section, .doc = "For `scheme: implicit`."},
    {"pbd", TN_KEY_GROUP, .section = &pbd_section, .doc = "For `scheme: pbd`."},
    {"law", TN_KEY_CHOICE, FIELD(law), .fallback = "coulomb", .choices = tn_law_words,
     .doc = "Contact law: strict, relaxed (sliding bodies hover), or without friction."},
    {"gap", TN_KEY_CHOICE, FIELD(gap_term), .fallback = "full", .choices = gap_terms,
     .doc = "Gap term of contacts: none, gap/h, or `baumgarte` of a penetration."},
    {"baumgarte", TN_KEY_NUMBER, FIELD(settings.baumgarte), .high = 1.0, .fallback = "0.2",
     .doc = "Part of an error that `baumgarte` removes in a step."},
    {"push_out", TN_KEY_NUMBER, FIELD(settings.push_out), M_PER_S, .high = 1e9, .above = true, .infinite = true,
     .fallback = "3",
     .doc = "Fastest correction of penetrations (at most the margin in a step) and of joint errors within `slack` at "
            "the start (angles: rad/s). Adds no velocity above 0.05 m/s, nor one that rises by more than the margin, "
            "except with `restitution_law: poisson`."},
    {"gain_limit", TN_KEY_NUMBER, FIELD(settings.gain_limit), .high = 1e300, .above = true, .infinite = true,
     .fallback = "10",
     .doc = "A run ends when the energy gained exceeds this times the energy put in ([rule](physics.md#energy))."},
    {"stabilization", TN_KEY_CHOICE, FIELD(stabilization), .fallback = "full", .choices = gap_terms,
     .doc = "The same for joints; `none` lets them drift."},
    {"coordinates", TN_KEY_CHOICE, FIELD(coordinates), .fallback = "auto", .choices = coordinates,
     .doc = "`maximal`: each body's velocities, joints as rows. `reduced`: joint coordinates of trees ([which "
            "joints](physics.md#reduced-coordinates)); other joints are rows. `auto`: `reduced` where it is quicker."},
    {"projection", TN_KEY_INTEGER, FIELD(settings.projection), .low = 0, .high = 100, .fallback = "1",
     .doc = "Most Newton corrections of joint positions after a step, made above 1e-9 m or rad (a millionth of the "
            "smallest half width, if less); `euler` first corrects "
            "by forces (SHAKE). Loops in reduced coordinates: at least 20."},
    {"margin", TN_KEY_NUMBER, FIELD(settings.margin), METRES, .high = 1e9, .fallback = "0",
     .doc = "Contacts are made for gaps up to this. 0: the larger of 2 % of the smallest shape and g h^2."},
    {"restitution_law", TN_KEY_CHOICE, FIELD(restitution_law), .fallback = "newton", .choices = restitution_laws,
     .doc = "Of velocities, or of impulses (`euler` only)."},
    {"restitution_threshold", TN_KEY_NUMBER, FIELD(settings.restitution_threshold), M_PER_S, .high = 1e9,
     .fallback = "0", .doc = "Slower impacts do not bounce. 0: 2 g h."},
    {"omega", TN_KEY_NUMBER, FIELD(settings.omega), .unit = {0, -1, 1, 0}, .high = 1e9, .fallback = "0",
     .doc = "Invertible contact: added to the diagonal of the Delassus operator."},
    {"sleep", TN_KEY_GROUP, .section = &sleep_section, .doc = "Skipping bodies at rest."},
    {"solver", TN_KEY_GROUP, .section = &solver_section, .doc = "Solver and its options."},
    {"record", TN_KEY_GROUP, .section = &record_section, .doc = "Recording."},
    {"seed", TN_KEY_SEED, FIELD(settings.seed), .fallback = "1", .doc = "Of all random numbers, 0 to 2^64 - 1."},
    {"defaults", TN_KEY_GROUP, .section = &defaults_section, .doc = "Values for every item."},
    {"materials", TN_KEY_NAMED, FIELD(materials), .section = &tn_section_material, .doc = "Materials."},
    {"pairs", TN_KEY_LIST, FIELD(pairs), .section = &tn_section_pair, .doc = "Pairs of materials."},
    {"bodies", TN_KEY_NAMED, FIELD(bodies), .section = &tn_section_body, .doc = "Rigid bodies."},
    {"frames", TN_KEY_NAMED, FIELD(frames), .section = &tn_section_frame, .doc = "Places on bodies."},
    {"springs", TN_KEY_NAMED, FIELD(springs), .section = &tn_section_spring, .doc = "Spring-dampers."},
    {"joints", TN_KEY_NAMED, FIELD(joints), .section = &tn_section_joint, .doc = "Joints."},
    {"soft", TN_KEY_NAMED, FIELD(softs), .section = &tn_section_soft, .doc = "Soft bodies."},
    {"robots", TN_KEY_LIST, FIELD(robots), .section = &tn_section_robot, .doc = "URDF and MJCF files."},
    {"rods", TN_KEY_NAMED, FIELD(rods), .section = &tn_section_rod, .doc = "Elastic rods."},
    {"sensors", TN_KEY_NAMED, FIELD(sensors), .section = &tn_section_sensor, .doc = "Sensors."},
    {"views", TN_KEY_NAMED, FIELD(views), .section = &tn_section_view, .doc = "Cameras."},
    {"mpc", TN_KEY_ONE, FIELD(mpc), .section = &tn_section_mpc, .doc = "Controller."},
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
    return word(tn_law_words, i);
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
