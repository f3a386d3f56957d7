// Tables of soft bodies: meshes, regions, attachments.
#include "scene/keys.h"

#define MESH(field) AT(tn_raw_mesh, field)
#define METRES .unit = {1, 0, 0, 0}
#define POSITIVE .low = 0.0, .high = 1e9, .above = true, .required = true
enum { DIVISIONS_MAX = 100 * 1000 };

static const tn_key grid_keys[] = {
    {"size", TN_KEY_VECTOR, MESH(size), METRES, POSITIVE, .doc = "Full edge lengths."},
    {"divisions", TN_KEY_COUNTS, MESH(divisions), .low = 1, .high = DIVISIONS_MAX, .required = true,
     .doc = "Cells along x, y, z; each becomes six tetrahedra."},
};
static const tn_section grid_section = {"grid", "A box around the origin.", sizeof(tn_raw_mesh), NULL, KEYS(grid_keys)};

static const tn_key ball_keys[] = {
    {"radius", TN_KEY_NUMBER, MESH(radius), METRES, POSITIVE, .doc = "Radius."},
    {"divisions", TN_KEY_INTEGER, MESH(across), .low = 1, .high = 200, .required = true,
     .doc = "Layers n from the center to the surface: 20 n^3 tetrahedra."},
};
static const tn_section ball_section = {"ball", "A ball around the origin.", sizeof(tn_raw_mesh), NULL,
                                        KEYS(ball_keys)};

static const tn_key cylinder_keys[] = {
    {"radius", TN_KEY_NUMBER, MESH(radius), METRES, POSITIVE, .doc = "Radius."},
    {"length", TN_KEY_NUMBER, MESH(length), METRES, POSITIVE, .doc = "Along z; the origin is in the middle."},
    {"divisions_across", TN_KEY_INTEGER, MESH(across), .low = 1, .high = 10000, .required = true,
     .doc = "Cells across the diameter; an odd number is rounded up."},
    {"divisions_along", TN_KEY_INTEGER, MESH(along), .low = 1, .high = DIVISIONS_MAX, .required = true,
     .doc = "Cells along z."},
};
static const tn_section cylinder_section = {"cylinder", "A cylinder along z.", sizeof(tn_raw_mesh), NULL,
                                            KEYS(cylinder_keys)};

static const tn_key finger_keys[] = {
    {"length", TN_KEY_NUMBER, MESH(length), METRES, POSITIVE, .doc = "Along z, from the root at z = 0."},
    {"width", TN_KEY_NUMBER, MESH(width), METRES, POSITIVE, .doc = "Along y."},
    {"thickness_root", TN_KEY_NUMBER, MESH(thickness_root), METRES, POSITIVE, .doc = "Along x at the root."},
    {"thickness_tip", TN_KEY_NUMBER, MESH(thickness_tip), METRES, POSITIVE, .doc = "Along x at the tip."},
    {"notches", TN_KEY_INTEGER, MESH(notches), .low = 0, .high = 1000, .fallback = "0",
     .doc = "Notches on the back, evenly spaced."},
    {"notch_depth", TN_KEY_NUMBER, MESH(notch_depth), .high = 0.7, .fallback = "0.5", .doc = "Part of the thickness."},
    {"divisions", TN_KEY_COUNTS, MESH(divisions), .low = 1, .high = DIVISIONS_MAX, .required = true,
     .doc = "Cells along x, along y, and along z between two notches."},
};
static const tn_section finger_section = {
    "finger",
    "A bending finger of a gripper: along z, its back with notches at x = 0, its palm side with ridges towards +x.",
    sizeof(tn_raw_mesh), NULL, KEYS(finger_keys)};

static const tn_key mesh_keys[] = {
    {"file", TN_KEY_TEXT, MESH(file), .required = true,
     .doc = "Path relative to the scene file: Gmsh `.msh` (2.2 and 4.1), TetGen `.node` with `.ele` beside it, legacy "
            "`.vtk`; ASCII or binary."},
    {"scale", TN_KEY_NUMBER, MESH(scale), .high = 1e9, .above = true, .fallback = "1",
     .doc = "Metres of the file's unit of length, e.g. `1e-3` for a file in mm."},
};
static const tn_section mesh_section = {"mesh", "A tetrahedral mesh from a file.", sizeof(tn_raw_mesh), "file",
                                        KEYS(mesh_keys)};

static const tn_key region_box_keys[] = {
    {"low", TN_KEY_VECTOR, AT(tn_raw_region_box, low), METRES, .infinite = true,
     .doc = "Lower corner; `-infinite` for no bound along an axis. Default: no bounds."},
    {"high", TN_KEY_VECTOR, AT(tn_raw_region_box, high), METRES, .infinite = true,
     .doc = "Upper corner; `infinite` for no bound along an axis. Default: no bounds."},
};
static const tn_section region_box_section = {"where.box", "Nodes inside a box, or on it to 1e-9 of the mesh's size.",
                                              sizeof(tn_raw_region_box), NULL, KEYS(region_box_keys)};
static const tn_key region_ball_keys[] = {
    {"center", TN_KEY_VECTOR, AT(tn_raw_region_ball, center), METRES, .low = -LARGE, .high = LARGE,
     .fallback = "[0, 0, 0]", .doc = "Center."},
    {"radius", TN_KEY_NUMBER, AT(tn_raw_region_ball, radius), METRES, .high = LARGE, .required = true,
     .doc = "Radius."},
};
static const tn_section region_ball_section = {"where.ball",
                                               "Nodes inside a ball, or on it to 1e-9 of the mesh's size.",
                                               sizeof(tn_raw_region_ball), NULL, KEYS(region_ball_keys)};

#define REGION(field) AT(tn_raw_region, field)
static const tn_key region_keys[] = {
    {"box", TN_KEY_SECTION, REGION(box), .section = &region_box_section, .doc = "Nodes in a box."},
    {"ball", TN_KEY_SECTION, REGION(ball), .section = &region_ball_section, .doc = "Nodes in a ball."},
    {"group", TN_KEY_NAME, REGION(group), .doc = "Nodes of a named group (physical group) of the mesh file."},
    {"nodes", TN_KEY_NUMBERS, REGION(nodes), .high = 1e9, .low_count = 1, .high_count = COUNT_MAX,
     .doc = "Node numbers, counted from 0 in the order of the mesh."},
    {"surface", TN_KEY_FLAG, REGION(surface), .fallback = "false", .doc = "`true`: all nodes of the surface."},
    {"all", TN_KEY_FLAG, REGION(all), .fallback = "false", .doc = "`true`: all nodes."},
};
const tn_section tn_section_region = {"where",
                                      "Nodes of a soft body, chosen at rest in the mesh's own frame. Exactly one key.",
                                      sizeof(tn_raw_region), "group", KEYS(region_keys)};

static const tn_key attach_keys[] = {
    {"to", TN_KEY_NAME, AT(tn_raw_attach, to), .doc = "A body that is not confined to a plane, or `world` (default)."},
    {"where", TN_KEY_SECTION, AT(tn_raw_attach, where), .section = &tn_section_region, .required = true,
     .doc = "The nodes."},
};
const tn_section tn_section_attach = {
    "attach",
    "Nodes that move rigidly with a body: they stay where they are at the start in its frame. `world` and fixed bodies "
    "pin them, a body with a `motion` drives them, a free body carries them.",
    sizeof(tn_raw_attach), NULL, KEYS(attach_keys)};

static const tn_key pull_keys[] = {
    {"force", TN_KEY_EXPRESSIONS, AT(tn_raw_pull, force), .unit = {1, 1, -2, 0}, .low = -LARGE, .high = LARGE,
     .required = true, .doc = "Force on all these nodes together, world axes; numbers or expressions of t."},
    {"where", TN_KEY_SECTION, AT(tn_raw_pull, where), .section = &tn_section_region, .required = true,
     .doc = "The nodes, which share the force evenly."},
};
const tn_section tn_section_pull = {"pull", "A force on some nodes.", sizeof(tn_raw_pull), NULL, KEYS(pull_keys)};

#define SOFT(field) AT(tn_raw_soft, field)
static const tn_key damping_keys[] = {
    {"mass", TN_KEY_NUMBER, SOFT(mass_damping), .unit = {0, 0, -1, 0}, .high = 1e9, .fallback = "0",
     .doc = "alpha of alpha M: damps slow motion, against the world."},
    {"stiffness", TN_KEY_NUMBER, SOFT(stiffness_damping), .unit = {0, 0, 1, 0}, .high = 1e9, .fallback = "0",
     .doc = "beta of beta K: damps deformation, fast modes most."},
};
static const tn_section damping_section = {"damping", "Rayleigh damping alpha M + beta K.", 0, NULL,
                                           KEYS(damping_keys)};

static const char *const geometrics[] = {"none", "projected", NULL};

static const tn_key soft_keys[] = {
    {"grid", TN_KEY_SECTION, SOFT(mesh[TN_MESH_GRID]), .section = &grid_section, .doc = "Its mesh: a box."},
    {"ball", TN_KEY_SECTION, SOFT(mesh[TN_MESH_BALL]), .section = &ball_section, .doc = "Its mesh: a ball."},
    {"cylinder", TN_KEY_SECTION, SOFT(mesh[TN_MESH_CYLINDER]), .section = &cylinder_section,
     .doc = "Its mesh: a cylinder."},
    {"finger", TN_KEY_SECTION, SOFT(mesh[TN_MESH_FINGER]), .section = &finger_section,
     .doc = "Its mesh: a finger of a gripper."},
    {"mesh", TN_KEY_SECTION, SOFT(mesh[TN_MESH_FILE]), .section = &mesh_section, .doc = "Its mesh: a file."},
    {"position", TN_KEY_VECTOR, SOFT(position), METRES, .low = -LARGE, .high = LARGE, .fallback = "[0, 0, 0]",
     .doc = "Of the mesh's origin in the world at the start."},
    {"rotation", TN_KEY_SECTION, SOFT(rotation), .section = &tn_section_rotation,
     .doc = "Of the mesh in the world at the start."},
    {"velocity", TN_KEY_VECTOR, SOFT(velocity), .unit = M_PER_S, .low = -LARGE, .high = LARGE, .fallback = "[0, 0, 0]",
     .doc = "Initial velocity of the mesh's origin, world axes."},
    {"angular_velocity", TN_KEY_VECTOR, SOFT(angular_velocity), .unit = RAD_PER_S, .low = -LARGE, .high = LARGE,
     .fallback = "[0, 0, 0]", .doc = "Initial angular velocity, world axes."},
    {"young", TN_KEY_NUMBER, SOFT(young), .unit = {-1, 1, -2, 0}, .high = 1e15, .above = true, .required = true,
     .doc = "Young's modulus."},
    {"poisson", TN_KEY_NUMBER, SOFT(poisson), .low = -0.99, .high = 0.49, .fallback = "0.3", .doc = "Poisson's ratio."},
    {"density", TN_KEY_NUMBER, SOFT(density), .unit = {-3, 1, 0, 0}, .low = DENSITY_MIN, .high = 1e12,
     .doc = "Instead of the material's."},
    {"damping", TN_KEY_GROUP, .section = &damping_section, .doc = "Rayleigh damping."},
    {"geometric", TN_KEY_CHOICE, SOFT(geometric), .fallback = "none", .choices = geometrics,
     .doc = "Damping by geometric stiffness, which large steps of taut bodies need: `none`, or `projected` to its "
            "positive part."},
    {"material", TN_KEY_NAME, SOFT(material), .doc = "Of the surface, and for the density; else `default`."},
    {"color", TN_KEY_COLOR, SOFT(color), .doc = "In pictures; else of the material, else the viewer chooses."},
    {"collides", TN_KEY_FLAG, SOFT(collides), .fallback = "true", .doc = "`false`: it touches nothing."},
    {"self_contact", TN_KEY_FLAG, SOFT(self_contact), .fallback = "false",
     .doc = "Whether its surface touches itself."},
    {"attach", TN_KEY_LIST, SOFT(attach), .section = &tn_section_attach, .doc = "Nodes tied to bodies or the world."},
    {"pull", TN_KEY_LIST, SOFT(pull), .section = &tn_section_pull, .doc = "Forces on nodes."},
    {"array", TN_KEY_SECTION, SOFT(array), .section = &tn_section_array, .doc = "Copies on a grid."},
};
const tn_section tn_section_soft = {
    "soft",
    "Named elastic bodies of tetrahedra (corotational linear elasticity). Exactly one of the first keys says which "
    "mesh. They share their names' space with `bodies`.",
    sizeof(tn_raw_soft), NULL, KEYS(soft_keys)};
