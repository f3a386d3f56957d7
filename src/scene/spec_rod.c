// Tables of rods: centre line, section, elasticity, ends.
#include "scene/keys.h"

#define ROD(field) AT(tn_raw_rod, field)
#define PROFILE(field) AT(tn_raw_profile, field)
#define METRES .unit = {1, 0, 0, 0}

static const tn_key profile_keys[] = {
    {"area", TN_KEY_NUMBER, PROFILE(area), .unit = {2, 0, 0, 0}, .high = LARGE, .above = true, .required = true,
     .doc = "Area of the cross-section."},
    {"second_moments", TN_KEY_NUMBERS, PROFILE(second_moments), .unit = {4, 0, 0, 0}, .high = LARGE, .above = true,
     .low_count = 2, .high_count = 2, .required = true,
     .doc = "Second moments of area I1, I2 for bending about the first and second axis of the section."},
    {"torsion_constant", TN_KEY_NUMBER, PROFILE(torsion), .unit = {4, 0, 0, 0}, .high = LARGE, .above = true,
     .doc = "J of the torsional stiffness G J; default I1 + I2, which holds for circles."},
    {"shear_factor", TN_KEY_NUMBER, PROFILE(shear_factor), .high = 1.0, .above = true, .fallback = "0.8333",
     .doc = "k of the shear stiffness k G A."},
};
static const tn_section profile_section = {"section",
                                           "A cross-section that is no full circle. Its first axis stands across the "
                                           "rod as the x axis of the first segment's body does.",
                                           sizeof(tn_raw_profile), NULL, KEYS(profile_keys)};

static const char *const holds[] = {"clamped", "pinned", NULL};
static const tn_key end_keys[] = {
    {"hold", TN_KEY_CHOICE, AT(tn_raw_rod_end, hold), .fallback = "clamped", .choices = holds,
     .doc = "`clamped`: place and direction; `pinned`: the place alone."},
    {"to", TN_KEY_NAME, AT(tn_raw_rod_end, to),
     .doc = "A body, which the end then moves with as it stands to it at the start; default `world`."},
};
static const tn_section end_section = {"start, end", "How an end of a rod is held. Left out it is free.",
                                       sizeof(tn_raw_rod_end), "hold", KEYS(end_keys)};

static const tn_key rod_keys[] = {
    {"points", TN_KEY_POINTS, ROD(points), METRES, .low = -LARGE, .high = LARGE, .low_count = 2,
     .high_count = COUNT_MAX, .doc = "Its centre line: straight from point to point."},
    {"curve", TN_KEY_EXPRESSIONS, ROD(curve), METRES, .low = -LARGE, .high = LARGE,
     .doc = "Instead: expressions of t, which goes from 0 at the start to 1 at the end."},
    {"closed", TN_KEY_FLAG, ROD(closed), .fallback = "false",
     .doc = "`true`: a ring; the line ends where it starts, and there is a joint, too."},
    {"position", TN_KEY_VECTOR, ROD(position), METRES, .low = -LARGE, .high = LARGE, .fallback = "[0, 0, 0]",
     .doc = "Of the line's origin in the world."},
    {"rotation", TN_KEY_SECTION, ROD(rotation), .section = &tn_section_rotation, .doc = "Of the line in the world."},
    {"velocity", TN_KEY_VECTOR, ROD(velocity), .unit = M_PER_S, .low = -LARGE, .high = LARGE, .fallback = "[0, 0, 0]",
     .doc = "At the start, world axes."},
    {"segments", TN_KEY_INTEGER, ROD(segments), .low = 2, .high = 100000, .required = true,
     .doc = "Rigid pieces that it is made of, of equal length along the line; half as long at ends that are not "
            "clamped. A "
            "clamping body takes the place of half a segment."},
    {"radius", TN_KEY_NUMBER, ROD(radius), METRES, .low = LENGTH_MIN, .high = 1e9, .required = true,
     .doc = "Of the capsules that touch others; and of the section, unless that is said."},
    {"section", TN_KEY_SECTION, ROD(profile), .section = &profile_section,
     .doc = "A cross-section that is no full circle."},
    {"young", TN_KEY_NUMBER, ROD(young), .unit = {-1, 1, -2, 0}, .high = 1e15, .above = true, .required = true,
     .doc = "Young's modulus."},
    {"poisson", TN_KEY_NUMBER, ROD(poisson), .low = -0.99, .high = 0.5, .fallback = "0.3", .doc = "Poisson's ratio."},
    {"density", TN_KEY_NUMBER, ROD(density), .unit = {-3, 1, 0, 0}, .low = DENSITY_MIN, .high = 1e12,
     .doc = "Instead of the material's."},
    {"damping", TN_KEY_NUMBER, ROD(damping), .unit = {0, 0, 1, 0}, .high = 1e9, .fallback = "0",
     .doc = "Of deformation: each stiffness has a damper of so many seconds times it."},
    {"natural_curvature", TN_KEY_VECTOR, ROD(natural), .unit = {-1, 0, 0, 0}, .low = -LARGE, .high = LARGE,
     .doc = "Curvatures about the section's first and second axis and twist, each in radians a metre, that it has when "
            "nothing bends it; `[0, 0, 0]` is straight. Default: as it is at the start."},
    {"start", TN_KEY_SECTION, ROD(end[0]), .section = &end_section, .doc = "How its first end is held."},
    {"end", TN_KEY_SECTION, ROD(end[1]), .section = &end_section, .doc = "How its last end is held."},
    {"material", TN_KEY_NAME, ROD(material), .doc = "Of the surface, and for the density; else `default`."},
    {"color", TN_KEY_COLOR, ROD(color), .doc = "In pictures; else of the material, else the viewer chooses."},
    {"collides", TN_KEY_FLAG, ROD(collides), .fallback = "true", .doc = "`false`: it touches nothing."},
    {"self_contact", TN_KEY_FLAG, ROD(self_contact), .fallback = "true",
     .doc = "Whether it touches itself. Segments nearer along the rod than half the circle of its radius never do."},
};
const tn_section tn_section_rod = {
    "rods",
    "Named elastic rods (Cosserat): rigid segments, bodies `name[0]`, `name[1]`, ..., with bushings `name[0]`, ... "
    "between them that stretch, shear, bend and twist. Held ends come first and last among the bushings. Either "
    "`points` or `curve` says where it is.",
    sizeof(tn_raw_rod), NULL, KEYS(rod_keys)};
