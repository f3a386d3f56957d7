// Tables of rods: centre line, section, elasticity, ends.
#include "scene/keys.h"

#define ROD(field) AT(tn_raw_rod, field)
#define PROFILE(field) AT(tn_raw_profile, field)

static const tn_key profile_keys[] = {
    {"area", TN_KEY_NUMBER, PROFILE(area), .unit = {2, 0, 0, 0}, .high = LARGE, .above = true, .required = true,
     .doc = "Area."},
    {"second_moments", TN_KEY_NUMBERS, PROFILE(second_moments), .unit = {4, 0, 0, 0}, .high = LARGE, .above = true,
     .low_count = 2, .high_count = 2, .required = true, .doc = "I1, I2 for bending about the section's two axes."},
    {"torsion_constant", TN_KEY_NUMBER, PROFILE(torsion), .unit = {4, 0, 0, 0}, .high = LARGE, .above = true,
     .doc = "J of G J. Default: I1 + I2 (circles)."},
    {"shear_factor", TN_KEY_NUMBER, PROFILE(shear_factor), .high = 1.0, .above = true, .fallback = "0.8333",
     .doc = "k of k G A."},
};
static const tn_section profile_section = {
    "section", "A cross-section other than a full circle. Its first axis is the x axis of the first segment.",
    sizeof(tn_raw_profile), NULL, KEYS(profile_keys)};

static const char *const holds[] = {"clamped", "pinned", NULL};
static const tn_key end_keys[] = {
    {"hold", TN_KEY_CHOICE, AT(tn_raw_rod_end, hold), .fallback = "clamped", .choices = holds,
     .doc = "Position and direction, or position alone."},
    {"to", TN_KEY_NAME, AT(tn_raw_rod_end, to), .doc = "A body. Default: `world`."},
};
static const tn_section end_section = {"start, end", "How an end is held. Default: free.", sizeof(tn_raw_rod_end),
                                       "hold", KEYS(end_keys)};

static const tn_key rod_keys[] = {
    {"points", TN_KEY_POINTS, ROD(points), METRES, ANY, .low_count = 2, .high_count = COUNT_MAX,
     .doc = "Polyline of the centre line."},
    {"curve", TN_KEY_EXPRESSIONS, ROD(curve), METRES, ANY, .doc = "Instead: expressions of t from 0 to 1."},
    {"closed", TN_KEY_FLAG, ROD(closed), .fallback = "false", .doc = "`true`: a ring."},
    {"position", TN_KEY_VECTOR, ROD(position), METRES, ANY, .fallback = "[0, 0, 0]",
     .doc = "Of the line's origin, world."},
    {"rotation", TN_KEY_SECTION, ROD(rotation), .section = &tn_section_rotation, .doc = "The same."},
    {"velocity", TN_KEY_VECTOR, ROD(velocity), M_PER_S, ANY, .fallback = "[0, 0, 0]", .doc = "Initial, world axes."},
    {"segments", TN_KEY_INTEGER, ROD(segments), .low = 2, .high = 100000, .required = true,
     .doc = "Rigid segments of equal length, half as long at ends that are not clamped."},
    {"radius", TN_KEY_NUMBER, ROD(radius), METRES, .low = LENGTH_MIN, .high = 1e9, .required = true,
     .doc = "Of the colliding capsules, and of the section."},
    {"section", TN_KEY_SECTION, ROD(profile), .section = &profile_section, .doc = "Another cross-section."},
    {"young", TN_KEY_NUMBER, ROD(young), PASCALS, .high = 1e15, .above = true, .required = true,
     .doc = "Young's modulus."},
    {"poisson", TN_KEY_NUMBER, ROD(poisson), .low = -0.99, .high = 0.5, .fallback = "0.3", .doc = "Poisson's ratio."},
    {"density", TN_KEY_NUMBER, ROD(density), KG_PER_M3, .low = DENSITY_MIN, .high = 1e12,
     .doc = "Default: the material's."},
    {"damping", TN_KEY_NUMBER, ROD(damping), SECONDS, .high = 1e9, .fallback = "0",
     .doc = "Damper of each stiffness K: this times K."},
    {"natural_curvature", TN_KEY_VECTOR, ROD(natural), .unit = {-1, 0, 0, 0}, ANY,
     .doc = "Unloaded curvature about the section's axes, and twist. Default: as at the start."},
    {"start", TN_KEY_SECTION, ROD(end[0]), .section = &end_section, .doc = "First end."},
    {"end", TN_KEY_SECTION, ROD(end[1]), .section = &end_section, .doc = "Last end."},
    {"material", TN_KEY_NAME, ROD(material), .doc = "Of the surface; gives the density."},
    {"color", TN_KEY_COLOR, ROD(color), .doc = "As for bodies."},
    {"collides", TN_KEY_FLAG, ROD(collides), .fallback = "true", .doc = "`false`: it touches nothing."},
    {"self_contact", TN_KEY_FLAG, ROD(self_contact), .fallback = "true",
     .doc = "Between segments farther apart along the rod than pi times its radius."},
};
const tn_section tn_section_rod = {"rods",
                                   "Named Cosserat rods: segments (bodies) `name[0]`, ... joined by bushings "
                                   "`name[0]`, ...; held ends are the first and last bushing. `points` or `curve`.",
                                   sizeof(tn_raw_rod), NULL, KEYS(rod_keys)};
