// Tables of shapes: one section a kind. A new shape is a section, a row in shape_keys and one in
// build_solid.c's builders.
#include "scene/keys.h"

#define SOLID(field) AT(tn_raw_solid, field)
#define LENGTH METRES, .low = 1e-9, .high = 1e9, .required = true

static const tn_key plane_keys[] = {
    {"normal", TN_KEY_VECTOR, SOLID(normal), .nonzero = true, ANY, .fallback = "[0, 0, 1]",
     .doc = "Points out of the solid."},
    {"offset", TN_KEY_NUMBER, SOLID(offset), METRES, ANY, .fallback = "0", .doc = "Of the surface along the normal."},
};
static const tn_section plane_section = {"plane", "A half space, for fixed and kinematic bodies.", sizeof(tn_raw_solid),
                                         "normal", KEYS(plane_keys)};

static const tn_key sphere_keys[] = {
    {"radius", TN_KEY_NUMBER, SOLID(radius), LENGTH, .doc = "Radius."},
};
static const tn_section sphere_section = {"sphere", "A ball.", sizeof(tn_raw_solid), "radius", KEYS(sphere_keys)};

static const tn_key box_keys[] = {
    {"size", TN_KEY_VECTOR, SOLID(size), LENGTH, .doc = "Full edge lengths."},
};
static const tn_section box_section = {"box", "A box.", sizeof(tn_raw_solid), "size", KEYS(box_keys)};

static const tn_key capsule_keys[] = {
    {"radius", TN_KEY_NUMBER, SOLID(radius), LENGTH, .doc = "Radius."},
    {"length", TN_KEY_NUMBER, SOLID(length), LENGTH, .doc = "Between the centers of the caps."},
};
static const tn_section capsule_section = {"capsule", "A capsule along z.", sizeof(tn_raw_solid), NULL,
                                           KEYS(capsule_keys)};

static const tn_key cylinder_keys[] = {
    {"radius", TN_KEY_NUMBER, SOLID(radius), LENGTH, .doc = "Radius."},
    {"length", TN_KEY_NUMBER, SOLID(length), LENGTH, .doc = "Along z."},
};
static const tn_section cylinder_section = {"shape.cylinder", "A cylinder along z.", sizeof(tn_raw_solid), NULL,
                                            KEYS(cylinder_keys)};

static const tn_key cone_keys[] = {
    {"radius", TN_KEY_NUMBER, SOLID(radius), LENGTH, .doc = "Of the lower end."},
    {"height", TN_KEY_NUMBER, SOLID(length), LENGTH, .doc = "Along z."},
    {"top_radius", TN_KEY_NUMBER, SOLID(top_radius), METRES, .high = 1e9, .least = 1e-9, .fallback = "0",
     .doc = "Of the upper end; 0: an apex."},
};
static const tn_section cone_section = {"shape.cone",
                                        "A cone or truncated cone along z; the origin is the middle of its axis.",
                                        sizeof(tn_raw_solid), NULL, KEYS(cone_keys)};

static const tn_key ellipsoid_keys[] = {
    {"semi_axes", TN_KEY_VECTOR, SOLID(size), LENGTH, .doc = "Along x, y, z."},
};
static const tn_section ellipsoid_section = {"shape.ellipsoid", "An ellipsoid.", sizeof(tn_raw_solid), "semi_axes",
                                             KEYS(ellipsoid_keys)};

static const char file_doc[] = "OBJ or STL file.";
static const char scale_doc[] = "Metres per unit of the file.";

static const tn_key hull_keys[] = {
    {"points", TN_KEY_POINTS, SOLID(points), METRES, ANY, .low_count = 1, .high_count = COUNT_MAX,
     .doc = "Their convex hull."},
    {"file", TN_KEY_TEXT, SOLID(file), .doc = "OBJ or STL file: hull of all vertices."},
    {"scale", TN_KEY_NUMBER, SOLID(scale), .low = 0.0, .high = 1e9, .above = true, .fallback = "1", .doc = scale_doc},
};
static const tn_section hull_section = {"shape.hull", "A convex polyhedron: `points` or `file`.", sizeof(tn_raw_solid),
                                        "file", KEYS(hull_keys)};

static const tn_key file_keys[] = {
    {"file", TN_KEY_TEXT, SOLID(file), .required = true, .doc = file_doc},
    {"scale", TN_KEY_NUMBER, SOLID(scale), .low = 0.0, .high = 1e9, .above = true, .fallback = "1", .doc = scale_doc},
};
static const tn_section hulls_section = {"shape.hulls",
                                         "A convex decomposition: one hull for each object or group of the file.",
                                         sizeof(tn_raw_solid), "file", KEYS(file_keys)};
static const tn_section mesh_section = {"shape.mesh",
                                        "A triangle mesh. Closed: solid, with mass; open: one-sided. It collides only "
                                        "on fixed and kinematic bodies, not with planes or other meshes.",
                                        sizeof(tn_raw_solid), "file", KEYS(file_keys)};

static const tn_key heights_keys[] = {
    {"size", TN_KEY_NUMBERS, SOLID(extent), METRES, .low = 1e-9, .high = 1e9, .low_count = 2, .high_count = 2,
     .required = true, .doc = "Extent along x and y, around the origin."},
    {"file", TN_KEY_TEXT, SOLID(file),
     .doc = "Image (PNG, PGM; white is `scale` high) or text with a row a line; first row at greatest y."},
    {"values", TN_KEY_NUMBERS, SOLID(values), ANY, .low_count = 4, .high_count = COUNT_MAX,
     .doc = "Instead: row by row in the same order, with `points`."},
    {"z", TN_KEY_NAME, SOLID(z), .doc = "Instead: an expression of x and y, with `points`."},
    {"points", TN_KEY_NUMBERS, SOLID(count), .low = 2, .high = 10000, .low_count = 2, .high_count = 2,
     .doc = "Number of heights along x and y."},
    {"scale", TN_KEY_NUMBER, SOLID(scale), METRES, .low = -1e9, .high = 1e9, .fallback = "1",
     .doc = "Height of a value of 1, of white."},
};
static const tn_section heights_section = {
    "shape.heights", "A height field, solid below, for fixed and kinematic bodies: `file`, `values` or `z`.",
    sizeof(tn_raw_solid), NULL, KEYS(heights_keys)};

static const tn_key disk_keys[] = {
    {"radius", TN_KEY_NUMBER, SOLID(radius), LENGTH, .doc = "Radius."},
};
static const tn_section disk_section = {"shape.disk", "A planar [shape](#shapepolygon).", sizeof(tn_raw_solid),
                                        "radius", KEYS(disk_keys)};

static const tn_key ellipse_keys[] = {
    {"semi_axes", TN_KEY_NUMBERS, SOLID(extent), METRES, .low = 1e-9, .high = 1e9, .low_count = 2, .high_count = 2,
     .required = true, .doc = "Along x and z."},
};
static const tn_section ellipse_section = {"shape.ellipse", "A planar [shape](#shapepolygon).", sizeof(tn_raw_solid),
                                           "semi_axes", KEYS(ellipse_keys)};

static const tn_key polygon_keys[] = {
    {"points", TN_KEY_PLANE_POINTS, SOLID(points), METRES, ANY, .low_count = 2, .high_count = 1000,
     .doc = "Their convex hull; two make a segment, which has mass only with a radius."},
    {"size", TN_KEY_NUMBERS, SOLID(extent), METRES, .low = 1e-9, .high = 1e9, .low_count = 2, .high_count = 2,
     .doc = "Instead: a rectangle around the origin."},
    {"radius", TN_KEY_NUMBER, SOLID(radius), METRES, .high = 1e9, .fallback = "0",
     .doc = "Rounds the corners outwards."},
};
static const tn_section polygon_section = {
    "shape.polygon",
    "A convex planar shape in x and z of its frame. Free bodies with planar shapes (disk, ellipse, polygon) are "
    "confined to their plane. Planar shapes touch each other in the same plane, and planes perpendicular to it; they "
    "must not meet other shapes. Mass is that of a plate 1 m thick.",
    sizeof(tn_raw_solid), "points", KEYS(polygon_keys)};

#define SHAPE(field) AT(tn_raw_shape, field)
static const tn_key shape_keys[] = {
    {"plane", TN_KEY_SECTION, SHAPE(solid[TN_SHAPE_PLANE]), .section = &plane_section,
     .doc = "A half space; `{}`: solid below z = 0."},
    {"sphere", TN_KEY_SECTION, SHAPE(solid[TN_SHAPE_SPHERE]), .section = &sphere_section, .doc = "A ball."},
    {"box", TN_KEY_SECTION, SHAPE(solid[TN_SHAPE_BOX]), .section = &box_section, .doc = "A box."},
    {"capsule", TN_KEY_SECTION, SHAPE(solid[TN_SHAPE_CAPSULE]), .section = &capsule_section, .doc = "A capsule."},
    {"cylinder", TN_KEY_SECTION, SHAPE(solid[TN_SHAPE_CYLINDER]), .section = &cylinder_section, .doc = "A cylinder."},
    {"cone", TN_KEY_SECTION, SHAPE(solid[TN_SHAPE_CONE]), .section = &cone_section, .doc = "A cone, truncated or not."},
    {"ellipsoid", TN_KEY_SECTION, SHAPE(solid[TN_SHAPE_ELLIPSOID]), .section = &ellipsoid_section,
     .doc = "An ellipsoid."},
    {"hull", TN_KEY_SECTION, SHAPE(solid[TN_SHAPE_HULL]), .section = &hull_section, .doc = "A convex polyhedron."},
    {"hulls", TN_KEY_SECTION, SHAPE(hulls), .section = &hulls_section, .doc = "Several."},
    {"mesh", TN_KEY_SECTION, SHAPE(solid[TN_SHAPE_TRIANGLES]), .section = &mesh_section,
     .doc = "Triangles; on a free body only with `collides: false`, for its mass."},
    {"heights", TN_KEY_SECTION, SHAPE(solid[TN_SHAPE_HEIGHTS]), .section = &heights_section, .doc = "A height field."},
    {"disk", TN_KEY_SECTION, SHAPE(solid[TN_SHAPE_DISK]), .section = &disk_section, .doc = "Planar."},
    {"ellipse", TN_KEY_SECTION, SHAPE(solid[TN_SHAPE_ELLIPSE]), .section = &ellipse_section, .doc = "Planar."},
    {"polygon", TN_KEY_SECTION, SHAPE(solid[TN_SHAPE_POLYGON]), .section = &polygon_section, .doc = "Planar, convex."},
    {"material", TN_KEY_NAME, SHAPE(material), .doc = "Default: the body's."},
    {"density", TN_KEY_NUMBER, SHAPE(density), KG_PER_M3, .least = DENSITY_MIN, .high = 1e12,
     .doc = "Default: the body's or material's."},
    {"mass", TN_KEY_NUMBER, SHAPE(mass), KILOGRAMS, .least = MASS_MIN, .high = 1e12, .doc = "Instead of a density."},
    {"position", TN_KEY_VECTOR, SHAPE(position), METRES, ANY, .fallback = "[0, 0, 0]",
     .doc = "Of the shape in the body's frame."},
    {"rotation", TN_KEY_SECTION, SHAPE(rotation), .section = &tn_section_rotation, .doc = "The same."},
    {"collides", TN_KEY_FLAG, SHAPE(collides), .fallback = "true", .doc = "`false`: it only gives mass."},
    {"surface_velocity", TN_KEY_VECTOR, SHAPE(surface_velocity), M_PER_S, ANY, .fallback = "[0, 0, 0]",
     .doc = "Of a conveyor belt, shape frame; the tangential part counts."},
    {"color", TN_KEY_COLOR, SHAPE(color), .doc = "Default: the body's."},
};
const tn_section tn_section_shape = {"shape", "One of the first 14 keys, and the others.", sizeof(tn_raw_shape), NULL,
                                     KEYS(shape_keys)};
