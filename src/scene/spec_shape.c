// Tables of shapes: one section a kind. A new shape is a section, a row in shape_keys and a case in build_shape.c.
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

static const tn_key ellipsoid_keys[] = {
    {"semi_axes", TN_KEY_VECTOR, SOLID(size), LENGTH, .doc = "From the center to the surface along x, y, z."},
};
static const tn_section ellipsoid_section = {"shape.ellipsoid", "An ellipsoid around the origin.", sizeof(tn_raw_solid),
                                             "semi_axes", KEYS(ellipsoid_keys)};

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
    {"ellipsoid", TN_KEY_SECTION, AT(tn_raw_shape, solid[TN_SHAPE_ELLIPSOID]), .section = &ellipsoid_section,
     .doc = "An ellipsoid: its semi-axes."},
    {"material", TN_KEY_NAME, AT(tn_raw_shape, material), .doc = "Name of its material; else the body's."},
    {"density", TN_KEY_NUMBER, AT(tn_raw_shape, density), .unit = {-3, 1, 0, 0}, .high = 1e12,
     .doc = "Instead of the body's or the material's."},
    {"mass", TN_KEY_NUMBER, AT(tn_raw_shape, mass), .unit = {0, 1, 0, 0}, .high = 1e12, .doc = "Instead of a density."},
    {"position", TN_KEY_VECTOR, AT(tn_raw_shape, position), METRES, ANYWHERE, .fallback = "[0, 0, 0]",
     .doc = "Of the shape's origin in the body's frame."},
    {"rotation", TN_KEY_SECTION, AT(tn_raw_shape, rotation), .section = &tn_section_rotation,
     .doc = "Of the shape in the body's frame."},
    {"collides", TN_KEY_FLAG, AT(tn_raw_shape, collides), .fallback = "true",
     .doc = "`false`: the shape gives mass only."},
};
const tn_section tn_section_shape = {"shape", "Exactly one of the first keys says which shape.", sizeof(tn_raw_shape),
                                     NULL, KEYS(shape_keys)};
