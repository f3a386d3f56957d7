// The table of kinds of joints: a new one is a row here, and geometry of its own only where its rows are none of those
// that model/joint_geometry.c knows.
#include "scene/joint_class.h"

const char *const tn_joint_kind_names[TN_JOINT_KINDS + 1] = {
    [TN_JOINT_REVOLUTE] = "revolute",
    [TN_JOINT_PRISMATIC] = "prismatic",
    [TN_JOINT_CYLINDRICAL] = "cylindrical",
    [TN_JOINT_SPHERICAL] = "spherical",
    [TN_JOINT_UNIVERSAL] = "universal",
    [TN_JOINT_WELD] = "weld",
    [TN_JOINT_PLANAR] = "planar",
    [TN_JOINT_POINT_ON_LINE] = "point_on_line",
    [TN_JOINT_POINT_ON_PLANE] = "point_on_plane",
    [TN_JOINT_DISTANCE] = "distance",
    [TN_JOINT_SCREW] = "screw",
    [TN_JOINT_ROLLING] = "rolling",
    [TN_JOINT_BUSHING] = "bushing",
    [TN_JOINT_GEAR] = "gear",
};

const char *const tn_joint_axis_names[TN_AXIS_COUNT] = {"slide", "slide2", "turn", "turn2"};

#define KIND(axis_, complete_, first, end, tie_, turning_, n, ...)                                                     \
    {                                                                                                                  \
        .has_axis = axis_, .complete = complete_, .held_first = first, .held_end = end, .tie = TN_TIE_##tie_,          \
        .turning = TN_TURNING_##turning_, .n_coordinates = n, .axis = {                                                \
            __VA_ARGS__                                                                                                \
        }                                                                                                              \
    }

// The fields in their order: axis, complete, held from, to, tie, turning, coordinates.
const tn_joint_class tn_joint_classes[TN_JOINT_KINDS] = {
    [TN_JOINT_REVOLUTE] = KIND(true, true, 0, 3, NONE, AXIS, 1, TN_AXIS_TURN),
    [TN_JOINT_PRISMATIC] = KIND(true, true, 1, 3, NONE, LOCKED, 1, TN_AXIS_SLIDE),
    [TN_JOINT_CYLINDRICAL] = KIND(true, true, 1, 3, NONE, AXIS, 2, TN_AXIS_SLIDE, TN_AXIS_TURN),
    [TN_JOINT_SPHERICAL] = KIND(false, true, 0, 3, NONE, FREE, 0, 0),
    [TN_JOINT_UNIVERSAL] = KIND(true, true, 0, 3, NONE, ACROSS, 2, TN_AXIS_TURN, TN_AXIS_TURN2),
    [TN_JOINT_WELD] = KIND(false, true, 0, 3, NONE, LOCKED, 0, 0),
    [TN_JOINT_PLANAR] = KIND(true, true, 0, 1, NONE, AXIS, 3, TN_AXIS_SLIDE, TN_AXIS_SLIDE2, TN_AXIS_TURN),
    [TN_JOINT_POINT_ON_LINE] = KIND(true, false, 1, 3, NONE, FREE, 1, TN_AXIS_SLIDE),
    [TN_JOINT_POINT_ON_PLANE] = KIND(true, false, 0, 1, NONE, FREE, 2, TN_AXIS_SLIDE, TN_AXIS_SLIDE2),
    [TN_JOINT_DISTANCE] = KIND(false, false, 0, 0, DISTANCE, FREE, 1, TN_AXIS_SLIDE),
    [TN_JOINT_SCREW] = KIND(true, true, 1, 3, SCREW, AXIS, 1, TN_AXIS_TURN),
    [TN_JOINT_ROLLING] = KIND(true, false, 0, 1, ROLLING, FREE, 2, TN_AXIS_SLIDE, TN_AXIS_SLIDE2),
    // Motions that springs and dampers act along; as many rows as have some.
    [TN_JOINT_BUSHING] = KIND(true, false, 0, 3, NONE, LOCKED, 0, 0),
    [TN_JOINT_GEAR] = KIND(false, false, 0, 0, COORDINATES, FREE, 0, 0),
};
