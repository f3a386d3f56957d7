// Tables of shapes: one section a kind. A new shape is a section, a row in shape_keys and one in
// build_solid.c's builders.
#include "scene/keys.h"

#define SOLID(field) AT(tn_raw_solid, field)
#define METRES .unit = {1, 0, 0, 0}
#define LENGTH METRES, .low = 1e-9, .high = 1e9, .required = true
#define ANYWHERE .low = -LARGE, .high = LARGE

static const tn_key plane_keys[] = {
    {"normal", TN_KEY_VECTOR, SOLID(normal), .nonzero = true, ANYWHERE, .fallback = "[0, 0, 1]",
     .doc = "Points out of the solid."},
    {"offset", TN_KEY_NUMBER, SOLID(offset), METRES, ANYWHERE, .fallback = "0",
     .doc = "Distance of the surface from the origin along the normal."},
};
static const tn_section plane_section = {"plane", "A half space; only on fixed and kinematic bodies.",
                                         sizeof(tn_raw_solid), "normal", KEYS(plane_keys)};

static const tn_key sphere_keys[] = {
    {"radius", TN_KEY_NUMBER, SOLID(radius), LENGTH, .doc = "Radius."},
};
static const tn_section sphere_section = {"sphere", "A ball around the origin.", sizeof(tn_raw_solid), "radius",
                                          KEYS(sphere_keys)};

static const tn_key box_keys[] = {
    {"size", TN_KEY_VECTOR, SOLID(size), LENGTH, .doc = "Full edge lengths."},
};
static const tn_section box_section = {"box", "A box around the origin.", sizeof(tn_raw_solid), "size", KEYS(box_keys)};

static const tn_key capsule_keys[] = {
    {"radius", TN_KEY_NUMBER, SOLID(radius), LENGTH, .doc = "Radius."},
    {"length", TN_KEY_NUMBER, SOLID(length), LENGTH, .doc = "Distance between the centers of the two caps."},
};
static const tn_section capsule_section = {"capsule", "A cylinder along z with round caps.", sizeof(tn_raw_solid), NULL,
                                           KEYS(capsule_keys)};

static const tn_key cylinder_keys[] = {
    {"radius", TN_KEY_NUMBER, SOLID(radius), LENGTH, .doc = "Radius."},
    {"length", TN_KEY_NUMBER, SOLID(length), LENGTH, .doc = "Along z, from one flat end to the other."},
};
static const tn_section cylinder_section = {"shape.cylinder", "A cylinder along z with flat ends, around the origin.",
                                            sizeof(tn_raw_solid), NULL, KEYS(cylinder_keys)};

static const tn_key cone_keys[] = {
    {"radius", TN_KEY_NUMBER, SOLID(radius), LENGTH, .doc = "Radius of the lower end."},
    {"height", TN_KEY_NUMBER, SOLID(length), LENGTH, .doc = "Along z, from one end to the other."},
    {"top_radius", TN_KEY_NUMBER, SOLID(top_radius), METRES, .high = 1e9, .least = 1e-9, .fallback = "0",
     .doc = "Radius of the upper end: 0 is an apex, another one cuts the cone off."},
};
static const tn_section cone_section = {
    "shape.cone", "A cone along z with flat ends, of which one may be an apex; the origin is the middle of its axis.",
    sizeof(tn_raw_solid), NULL, KEYS(cone_keys)};

static const tn_key ellipsoid_keys[] = {
    {"semi_axes", TN_KEY_VECTOR, SOLID(size), LENGTH, .doc = "From the center to the surface along x, y, z."},
};
static const tn_section ellipsoid_section = {"shape.ellipsoid", "An ellipsoid around the origin.", sizeof(tn_raw_solid),
                                             "semi_axes", KEYS(ellipsoid_keys)};

static const char file_doc[] = "OBJ or STL file, relative to the scene file.";
static const char scale_doc[] = "Lengths of the file times this: 0.001 for a file in millimetres.";

static const tn_key hull_keys[] = {
    {"points", TN_KEY_POINTS, SOLID(points), METRES, ANYWHERE, .low_count = 1, .high_count = COUNT_MAX,
     .doc = "The hull is the smallest convex body that holds these points."},
    {"file", TN_KEY_TEXT, SOLID(file),
     .doc = "Instead: all vertices of an OBJ or STL file, relative to the scene file."},
    {"scale", TN_KEY_NUMBER, SOLID(scale), .low = 0.0, .high = 1e9, .above = true, .fallback = "1", .doc = scale_doc},
};
static const tn_section hull_section = {"shape.hull", "A convex polyhedron: give `points` or `file`.",
                                        sizeof(tn_raw_solid), "file", KEYS(hull_keys)};

static const tn_key file_keys[] = {
    {"file", TN_KEY_TEXT, SOLID(file), .required = true, .doc = file_doc},
    {"scale", TN_KEY_NUMBER, SOLID(scale), .low = 0.0, .high = 1e9, .above = true, .fallback = "1", .doc = scale_doc},
};
static const tn_section hulls_section = {
    "shape.hulls", "Several convex polyhedra, one for each object or group of the file: a convex decomposition.",
    sizeof(tn_raw_solid), "file", KEYS(file_keys)};
static const tn_section mesh_section = {
    "shape.mesh",
    "A surface of triangles, of polygons cut into triangles. A closed one is solid and has mass; what is behind an "
    "open one is pushed out in front of it. It collides only on fixed and kinematic bodies, and not with planes or "
    "other meshes.",
    sizeof(tn_raw_solid), "file", KEYS(file_keys)};

static const tn_key heights_keys[] = {
    {"size", TN_KEY_NUMBERS, SOLID(extent), METRES, .low = 1e-9, .high = 1e9, .low_count = 2, .high_count = 2,
     .required = true, .doc = "Extent along x and y, around the origin."},
    {"file", TN_KEY_TEXT, SOLID(file),
     .doc = "Heights: an image (.pgm) whose white is `scale` high, or a text file with a row of numbers in each line. "
            "The first row is the one of greatest y. Relative to the scene file."},
    {"values", TN_KEY_NUMBERS, SOLID(values), .low = -LARGE, .high = LARGE, .low_count = 4, .high_count = COUNT_MAX,
     .doc = "Instead: the heights row by row, the first row the one of greatest y; with `points`."},
    {"z", TN_KEY_NAME, SOLID(z), .doc = "Instead: an expression of x and y; with `points`."},
    {"points", TN_KEY_NUMBERS, SOLID(count), .low = 2, .high = 10000, .low_count = 2, .high_count = 2,
     .doc = "Number of heights along x and y."},
    {"scale", TN_KEY_NUMBER, SOLID(scale), METRES, .low = -1e9, .high = 1e9, .fallback = "1",
     .doc = "Height of a value of 1 (of white in an image)."},
};
static const tn_section heights_section = {
    "shape.heights",
    "A height field over x and y, solid below, two triangles between each four heights; only on fixed and kinematic "
    "bodies. Give `file`, `values` or `z`.",
    sizeof(tn_raw_solid), NULL, KEYS(heights_keys)};

static const tn_key disk_keys[] = {
    {"radius", TN_KEY_NUMBER, SOLID(radius), LENGTH, .doc = "Radius."},
};
static const tn_section disk_section = {"shape.disk", "A planar shape: see [polygon](#shapepolygon).",
                                        sizeof(tn_raw_solid), "radius", KEYS(disk_keys)};

static const tn_key ellipse_keys[] = {
    {"semi_axes", TN_KEY_NUMBERS, SOLID(extent), METRES, .low = 1e-9, .high = 1e9, .low_count = 2, .high_count = 2,
     .required = true, .doc = "From the center to the curve along x and z."},
};
static const tn_section ellipse_section = {"shape.ellipse", "A planar shape: see [polygon](#shapepolygon).",
                                           sizeof(tn_raw_solid), "semi_axes", KEYS(ellipse_keys)};

static const tn_key polygon_keys[] = {
    {"points", TN_KEY_PLANE_POINTS, SOLID(points), METRES, ANYWHERE, .low_count = 2, .high_count = 1000,
     .doc = "The smallest convex polygon that holds these points; two make a segment, which has mass only with a "
            "radius."},
    {"size", TN_KEY_NUMBERS, SOLID(extent), METRES, .low = 1e-9, .high = 1e9, .low_count = 2, .high_count = 2,
     .doc = "Instead: a rectangle around the origin, its edges along x and z."},
    {"radius", TN_KEY_NUMBER, SOLID(radius), METRES, .high = 1e9, .fallback = "0",
     .doc = "Rounds the corners: all points within this distance belong to the shape too."},
};
static const tn_section polygon_section = {
    "shape.polygon",
    "A convex planar shape in the x-z plane of its frame: give `points` or `size`. A free body that carries planar "
    "shapes (disk, ellipse, polygon) moves in their plane, as if `confine` said so. They touch other planar shapes of "
    "the same plane, and planes at right angles to it; other shapes in the scene must not collide with them. Their "
    "mass is that of a plate of 1 m thickness: `density` per volume is mass per area.",
    sizeof(tn_raw_solid), "points", KEYS(polygon_keys)};

static const tn_key shape_keys[] = {
    {"plane", TN_KEY_SECTION, AT(tn_raw_shape, solid[TN_SHAPE_PLANE]), .section = &plane_section,
     .doc = "A half space: its normal, or the keys of plane, or `{}` for solid below z = 0."},
    {"sphere", TN_KEY_SECTION, AT(tn_raw_shape, solid[TN_SHAPE_SPHERE]), .section = &sphere_section,
     .doc = "A ball: its radius."},
    {"box", TN_KEY_SECTION, AT(tn_raw_shape, solid[TN_SHAPE_BOX]), .section = &box_section,
     .doc = "A box: its full edge lengths."},
    {"capsule", TN_KEY_SECTION, AT(tn_raw_shape, solid[TN_SHAPE_CAPSULE]), .section = &capsule_section,
     .doc = "A capsule: radius and length."},
    {"cylinder", TN_KEY_SECTION, AT(tn_raw_shape, solid[TN_SHAPE_CYLINDER]), .section = &cylinder_section,
     .doc = "A cylinder with flat ends: radius and length."},
    {"cone", TN_KEY_SECTION, AT(tn_raw_shape, solid[TN_SHAPE_CONE]), .section = &cone_section,
     .doc = "A cone, cut off or not: radius, height and top_radius."},
    {"ellipsoid", TN_KEY_SECTION, AT(tn_raw_shape, solid[TN_SHAPE_ELLIPSOID]), .section = &ellipsoid_section,
     .doc = "An ellipsoid: its semi-axes."},
    {"hull", TN_KEY_SECTION, AT(tn_raw_shape, solid[TN_SHAPE_HULL]), .section = &hull_section,
     .doc = "A convex polyhedron: a file's name, or points."},
    {"hulls", TN_KEY_SECTION, AT(tn_raw_shape, hulls), .section = &hulls_section,
     .doc = "Several: a file's name, one for each of its objects."},
    {"mesh", TN_KEY_SECTION, AT(tn_raw_shape, solid[TN_SHAPE_TRIANGLES]), .section = &mesh_section,
     .doc = "A surface of triangles: a file's name. On a free body only with `collides: false`, for its mass."},
    {"heights", TN_KEY_SECTION, AT(tn_raw_shape, solid[TN_SHAPE_HEIGHTS]), .section = &heights_section,
     .doc = "A height field: `size`, and `file`, `values` or `z`."},
    {"disk", TN_KEY_SECTION, AT(tn_raw_shape, solid[TN_SHAPE_DISK]), .section = &disk_section,
     .doc = "A planar disk: its radius."},
    {"ellipse", TN_KEY_SECTION, AT(tn_raw_shape, solid[TN_SHAPE_ELLIPSE]), .section = &ellipse_section,
     .doc = "A planar ellipse: its two semi-axes."},
    {"polygon", TN_KEY_SECTION, AT(tn_raw_shape, solid[TN_SHAPE_POLYGON]), .section = &polygon_section,
     .doc = "A planar convex polygon: its points [x, z], or `size`, `radius`."},
    {"material", TN_KEY_NAME, AT(tn_raw_shape, material), .doc = "Name of its material; else the body's."},
    {"density", TN_KEY_NUMBER, AT(tn_raw_shape, density), .unit = {-3, 1, 0, 0}, .least = DENSITY_MIN, .high = 1e12,
     .doc = "Instead of the body's or the material's."},
    {"mass", TN_KEY_NUMBER, AT(tn_raw_shape, mass), .unit = {0, 1, 0, 0}, .least = MASS_MIN, .high = 1e12,
     .doc = "Instead of a density."},
    {"position", TN_KEY_VECTOR, AT(tn_raw_shape, position), METRES, ANYWHERE, .fallback = "[0, 0, 0]",
     .doc = "Of the shape's origin in the body's frame."},
    {"rotation", TN_KEY_SECTION, AT(tn_raw_shape, rotation), .section = &tn_section_rotation,
     .doc = "Of the shape in the body's frame."},
    {"collides", TN_KEY_FLAG, AT(tn_raw_shape, collides), .fallback = "true",
     .doc = "`false`: the shape gives mass only."},
    {"surface_velocity", TN_KEY_VECTOR, AT(tn_raw_shape, surface_velocity), .unit = M_PER_S, ANYWHERE,
     .fallback = "[0, 0, 0]",
     .doc = "Of a conveyor belt: how fast the surface runs along itself, in the shape's frame. Only its part along the "
            "surface counts."},
    {"color", TN_KEY_COLOR, AT(tn_raw_shape, color), .doc = "Instead of the body's, in pictures."},
};
const tn_section tn_section_shape = {"shape", "Exactly one of the first keys says which shape.", sizeof(tn_raw_shape),
                                     NULL, KEYS(shape_keys)};
