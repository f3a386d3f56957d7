// Tables of soft bodies: meshes, regions, attachments.
#include "scene/keys.h"

#define MESH(field) AT(tn_raw_mesh, field)
#define POSITIVE .low = 0.0, .high = 1e9, .above = true, .required = true
enum { DIVISIONS_MAX = 100 * 1000 };

static const tn_key grid_keys[] = {
    {"size", TN_KEY_VECTOR, MESH(size), METRES, POSITIVE, .doc = "Full edge lengths."},
    {"divisions", TN_KEY_COUNTS, MESH(divisions), .low = 1, .high = DIVISIONS_MAX, .required = true,
     .doc = "Cells along x, y, z, six tetrahedra each."},
};
static const tn_section grid_section = {"grid", "A box.", sizeof(tn_raw_mesh), NULL, KEYS(grid_keys)};

static const tn_key ball_keys[] = {
    {"radius", TN_KEY_NUMBER, MESH(radius), METRES, POSITIVE, .doc = "Radius."},
    {"divisions", TN_KEY_INTEGER, MESH(across), .low = 1, .high = 200, .required = true,
     .doc = "Layers n from the center to the surface: 20 n^3 tetrahedra."},
};
static const tn_section ball_section = {"ball", "A ball around the origin.", sizeof(tn_raw_mesh), NULL,
                                        KEYS(ball_keys)};

static const tn_key cylinder_keys[] = {
    {"radius", TN_KEY_NUMBER, MESH(radius), METRES, POSITIVE, .doc = "Radius."},
    {"length", TN_KEY_NUMBER, MESH(length), METRES, POSITIVE, .doc = "Along z."},
    {"divisions_across", TN_KEY_INTEGER, MESH(across), .low = 1, .high = 10000, .required = true,
     .doc = "Cells across the diameter, rounded up to even."},
    {"divisions_along", TN_KEY_INTEGER, MESH(along), .low = 1, .high = DIVISIONS_MAX, .required = true,
     .doc = "Cells along z."},
};
static const tn_section cylinder_section = {"cylinder", "A cylinder along z.", sizeof(tn_raw_mesh), NULL,
                                            KEYS(cylinder_keys)};

static const tn_key finger_keys[] = {
    {"length", TN_KEY_NUMBER, MESH(length), METRES, POSITIVE, .doc = "Along z, root at z = 0."},
    {"width", TN_KEY_NUMBER, MESH(width), METRES, POSITIVE, .doc = "Along y."},
    {"thickness_root", TN_KEY_NUMBER, MESH(thickness_root), METRES, POSITIVE, .doc = "Along x."},
    {"thickness_tip", TN_KEY_NUMBER, MESH(thickness_tip), METRES, POSITIVE, .doc = "Along x."},
    {"notches", TN_KEY_INTEGER, MESH(notches), .low = 0, .high = 1000, .fallback = "0", .doc = "On the back."},
    {"notch_depth", TN_KEY_NUMBER, MESH(notch_depth), .high = 0.7, .fallback = "0.5", .doc = "Part of the thickness."},
    {"divisions", TN_KEY_COUNTS, MESH(divisions), .low = 1, .high = DIVISIONS_MAX, .required = true,
     .doc = "Cells along x, y, and along z between two notches."},
};
static const tn_section finger_section = {
    "finger", "A gripper's bending finger along z: notches on its back at x = 0, ridges towards +x.",
    sizeof(tn_raw_mesh), NULL, KEYS(finger_keys)};

static const tn_key mesh_keys[] = {
    {"file", TN_KEY_TEXT, MESH(file), .required = true,
     .doc = "Gmsh `.msh` (2.2, 4.1), TetGen `.node` and `.ele`, legacy `.vtk`; relative to the scene file."},
    {"scale", TN_KEY_NUMBER, MESH(scale), .high = 1e9, .above = true, .fallback = "1",
     .doc = "Metres per unit of the file."},
};
static const tn_section mesh_section = {"mesh", "A tetrahedral mesh from a file.", sizeof(tn_raw_mesh), "file",
                                        KEYS(mesh_keys)};

static const tn_key region_box_keys[] = {
    {"low", TN_KEY_VECTOR, AT(tn_raw_region_box, low), METRES, .infinite = true,
     .doc = "Default: no bounds; `-infinite` for one axis."},
    {"high", TN_KEY_VECTOR, AT(tn_raw_region_box, high), METRES, .infinite = true,
     .doc = "Default: no bounds; `infinite` for one axis."},
};
static const tn_section region_box_section = {"where.box", "Nodes in a box.", sizeof(tn_raw_region_box), NULL,
                                              KEYS(region_box_keys)};
static const tn_key region_ball_keys[] = {
    {"center", TN_KEY_VECTOR, AT(tn_raw_region_ball, center), METRES, ANY, .fallback = "[0, 0, 0]", .doc = "Center."},
    {"radius", TN_KEY_NUMBER, AT(tn_raw_region_ball, radius), METRES, .high = LARGE, .required = true,
     .doc = "Radius."},
};
static const tn_section region_ball_section = {"where.ball", "Nodes in a ball.", sizeof(tn_raw_region_ball), NULL,
                                               KEYS(region_ball_keys)};

#define REGION(field) AT(tn_raw_region, field)
static const tn_key region_keys[] = {
    {"box", TN_KEY_SECTION, REGION(box), .section = &region_box_section, .doc = "Nodes in a box."},
    {"ball", TN_KEY_SECTION, REGION(ball), .section = &region_ball_section, .doc = "Nodes in a ball."},
    {"group", TN_KEY_NAME, REGION(group), .doc = "Physical group of the mesh file."},
    {"nodes", TN_KEY_NUMBERS, REGION(nodes), .high = 1e9, .low_count = 1, .high_count = COUNT_MAX,
     .doc = "Node numbers from 0."},
    {"surface", TN_KEY_FLAG, REGION(surface), .fallback = "false", .doc = "`true`: the surface's nodes."},
    {"all", TN_KEY_FLAG, REGION(all), .fallback = "false", .doc = "`true`: all nodes."},
};
const tn_section tn_section_region = {"where", "Nodes of a soft body at rest, in the mesh's frame: exactly one key.",
                                      sizeof(tn_raw_region), "group", KEYS(region_keys)};

static const tn_key attach_keys[] = {
    {"to", TN_KEY_NAME, AT(tn_raw_attach, to), .doc = "A body that is not planar. Default: `world`."},
    {"where", TN_KEY_SECTION, AT(tn_raw_attach, where), .section = &tn_section_region, .required = true,
     .doc = "The nodes."},
};
const tn_section tn_section_attach = {"attach", "Nodes fixed in the frame of a body: fixed, kinematic or free.",
                                      sizeof(tn_raw_attach), NULL, KEYS(attach_keys)};

static const tn_key pull_keys[] = {
    {"force", TN_KEY_EXPRESSIONS, AT(tn_raw_pull, force), NEWTONS, ANY, .required = true,
     .doc = "Total force, world axes."},
    {"where", TN_KEY_SECTION, AT(tn_raw_pull, where), .section = &tn_section_region, .required = true,
     .doc = "Nodes that share it evenly."},
};
const tn_section tn_section_pull = {"pull", "A force on some nodes.", sizeof(tn_raw_pull), NULL, KEYS(pull_keys)};

#define SOFT(field) AT(tn_raw_soft, field)
static const tn_key damping_keys[] = {
    {"mass", TN_KEY_NUMBER, SOFT(mass_damping), .unit = {0, 0, -1, 0}, .high = 1e9, .fallback = "0", .doc = "alpha."},
    {"stiffness", TN_KEY_NUMBER, SOFT(stiffness_damping), SECONDS, .high = 1e9, .fallback = "0", .doc = "beta."},
};
static const tn_section damping_section = {"damping", "Rayleigh damping alpha M + beta K.", 0, NULL,
                                           KEYS(damping_keys)};

static const char *const geometrics[] = {"none", "projected", NULL};

static const tn_key soft_keys[] = {
    {"grid", TN_KEY_SECTION, SOFT(mesh[TN_MESH_GRID]), .section = &grid_section, .doc = "Mesh: a box."},
    {"ball", TN_KEY_SECTION, SOFT(mesh[TN_MESH_BALL]), .section = &ball_section, .doc = "Mesh: a ball."},
    {"cylinder", TN_KEY_SECTION, SOFT(mesh[TN_MESH_CYLINDER]), .section = &cylinder_section,
     .doc = "Mesh: a cylinder."},
    {"finger", TN_KEY_SECTION, SOFT(mesh[TN_MESH_FINGER]), .section = &finger_section,
     .doc = "Mesh: a gripper's finger."},
    {"mesh", TN_KEY_SECTION, SOFT(mesh[TN_MESH_FILE]), .section = &mesh_section, .doc = "Mesh: a file."},
    {"position", TN_KEY_VECTOR, SOFT(position), METRES, ANY, .fallback = "[0, 0, 0]",
     .doc = "Of the mesh at the start, world."},
    {"rotation", TN_KEY_SECTION, SOFT(rotation), .section = &tn_section_rotation, .doc = "The same."},
    {"velocity", TN_KEY_VECTOR, SOFT(velocity), M_PER_S, ANY, .fallback = "[0, 0, 0]",
     .doc = "Initial, of the mesh's origin, world axes."},
    {"angular_velocity", TN_KEY_VECTOR, SOFT(angular_velocity), RAD_PER_S, ANY, .fallback = "[0, 0, 0]",
     .doc = "Initial, world axes."},
    {"young", TN_KEY_NUMBER, SOFT(young), PASCALS, .high = 1e15, .above = true, .required = true,
     .doc = "Young's modulus."},
    {"poisson", TN_KEY_NUMBER, SOFT(poisson), .low = -0.99, .high = 0.49, .fallback = "0.3", .doc = "Poisson's ratio."},
    {"density", TN_KEY_NUMBER, SOFT(density), KG_PER_M3, .low = DENSITY_MIN, .high = 1e12,
     .doc = "Default: the material's."},
    {"damping", TN_KEY_GROUP, .section = &damping_section, .doc = "Rayleigh damping."},
    {"geometric", TN_KEY_CHOICE, SOFT(geometric), .fallback = "none", .choices = geometrics,
     .doc = "`projected`: adds the positive part of the geometric stiffness, for large steps of taut bodies."},
    {"material", TN_KEY_NAME, SOFT(material), .doc = "Of the surface; gives the density."},
    {"color", TN_KEY_COLOR, SOFT(color), .doc = "As for bodies."},
    {"collides", TN_KEY_FLAG, SOFT(collides), .fallback = "true", .doc = "`false`: it touches nothing."},
    {"self_contact", TN_KEY_FLAG, SOFT(self_contact), .fallback = "false",
     .doc = "`true`: its surface touches itself."},
    {"attach", TN_KEY_LIST, SOFT(attach), .section = &tn_section_attach, .doc = "Nodes fixed to bodies or the world."},
    {"pull", TN_KEY_LIST, SOFT(pull), .section = &tn_section_pull, .doc = "Forces on nodes."},
    {"array", TN_KEY_SECTION, SOFT(array), .section = &tn_section_array, .doc = "Copies on a grid."},
};
const tn_section tn_section_soft = {"soft",
                                    "Named elastic bodies of linear tetrahedra (corotational). One of the first five "
                                    "keys is the mesh. Names are unique among `bodies` too.",
                                    sizeof(tn_raw_soft), NULL, KEYS(soft_keys)};
