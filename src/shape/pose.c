#include "shape/pose.h"

#include "math/quat.h"
#include "math/vec3.h"

void tn_pose_set_identity(tn_pose *out)
{
    tn_vec3_set(out->position, 0.0, 0.0, 0.0);
    tn_quat_identity(out->quaternion);
}

void tn_pose_point(double out[3], const tn_pose *pose, const double x[3])
{
    double turned[3];
    tn_quat_rotate(turned, pose->quaternion, x);
    tn_vec3_add(out, pose->position, turned);
}

void tn_pose_join(tn_pose *out, const tn_pose *outer, const tn_pose *inner)
{
    tn_pose joined;
    tn_pose_point(joined.position, outer, inner->position);
    tn_quat_mul(joined.quaternion, outer->quaternion, inner->quaternion);
    tn_quat_normalize(joined.quaternion);
    *out = joined;
}

void tn_pose_undo(tn_pose *out, const tn_pose *pose)
{
    tn_pose inverse;
    double turned[3];
    tn_quat_conjugate(inverse.quaternion, pose->quaternion);
    tn_quat_rotate(turned, inverse.quaternion, pose->position);
    tn_vec3_scale(inverse.position, -1.0, turned);
    *out = inverse;
}
