#include "mesh/mesh.h"
tn_status tn_mesh_cylinder(double radius, double length, int divisions_across, int divisions_along, tn_arena *arena,
                           tn_mesh *out, tn_error *error)
{
    (void)radius, (void)length, (void)divisions_across, (void)divisions_along, (void)arena, (void)out;
    return tn_error_set(error, TN_BAD_INPUT, "not yet");
}
tn_status tn_mesh_finger(const tn_mesh_finger_options *options, tn_arena *arena, tn_mesh *out, tn_error *error)
{
    (void)options, (void)arena, (void)out;
    return tn_error_set(error, TN_BAD_INPUT, "not yet");
}
