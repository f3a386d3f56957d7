#include "scene/robot/mechanism.h"
bool tn_robot_read_mjcf(tn_robot *robot, const tn_xml *root)
{
    return tn_read_error(robot->reader, root->place, "MJCF is not read yet");
}
