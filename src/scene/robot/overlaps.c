// Links of URDF files that overlap as they are drawn. The format cannot say which links may touch: meshes of a hip
// reach into the pelvis two joints away, and would push it all along. So links that overlap at the start do not touch.
#include "math/vec3.h"
#include "scene/robot/mechanism.h"
#include "shape/manifold.h"
#include "shape/pose.h"

#include <math.h>

// Overlaps that remain contacts [m]: of fingers that touch, say; what a step calls far off (tolerance of penetration).
static const double SHALLOW = 1e-3;

static bool place(const tn_robot *robot, const tn_robot_geom *geom, tn_placed *placed)
{
    bool hull = geom->shape.kind == TN_SHAPE_HULL;
    if (!geom->collides || (hull && !geom->shape.hull)) { // a file of several objects is read by the scene
        return false;
    }
    tn_pose pose;
    double origin[3];
    tn_pose_join(&pose, &robot->links[geom->link].world, &geom->pose);
    if (hull) { // whose origin is its centroid
        tn_pose_point(origin, &pose, geom->centroid);
        tn_vec3_copy(pose.position, origin);
    }
    return tn_placed_set(placed, &geom->shape, &pose);
}

static bool boxes_meet(const tn_placed *at)
{
    double low[2][3], high[2][3];
    for (int i = 0; i < 2; i++) {
        tn_class_of(at[i].shape)->bounds(&at[i], low[i], high[i]);
    }
    for (int i = 0; i < 3; i++) {
        if (low[0][i] > high[1][i] || low[1][i] > high[0][i]) {
            return false;
        }
    }
    return true;
}

// [m]; 0: they are apart, or touch no more than SHALLOW.
static double depth(const tn_robot *robot, const tn_robot_geom *a, const tn_robot_geom *b)
{
    tn_placed at[2];
    return place(robot, a, &at[0]) && place(robot, b, &at[1]) && boxes_meet(at)
               ? tn_placed_depth(&at[0], &at[1], SHALLOW)
               : 0.0;
}

// Whether something could touch that no joint keeps apart.
static bool may_touch(const tn_robot *robot, int a, int b)
{
    const tn_robot_link *links = robot->links;
    const int body_a = links[a].body, body_b = links[b].body;
    const int parent_a = links[body_a].parent, parent_b = links[body_b].parent;
    bool joined =
        (parent_a >= 0 && links[parent_a].body == body_b) || (parent_b >= 0 && links[parent_b].body == body_a);
    return body_a != body_b && !joined;
}

bool tn_robot_part_overlaps(tn_robot *robot)
{
    const int n = robot->n_links;
    double *deepest = TN_PUSH(robot->reader->scratch, double, (size_t)n *(size_t)n);
    if (!deepest) {
        return tn_read_no_memory(robot->reader);
    }
    for (int i = 0; i < robot->n_geoms; i++) {
        for (int k = 0; k < i; k++) {
            const tn_robot_geom *a = &robot->geoms[i], *b = &robot->geoms[k];
            const int low = a->link < b->link ? a->link : b->link, high = a->link < b->link ? b->link : a->link;
            if (may_touch(robot, low, high)) {
                double *most = &deepest[low * n + high];
                *most = fmax(*most, depth(robot, a, b));
            }
        }
    }
    for (int i = 0; i < n * n; i++) {
        const tn_robot_link *a = &robot->links[i / n], *b = &robot->links[i % n];
        if (deepest[i] > SHALLOW) {
            tn_read_remark(robot->reader, b->place,
                           "links '%.60s' and '%.60s' overlap by %.2g m at the start: they do not touch each other",
                           a->name, b->name, deepest[i]);
            if (!tn_robot_part(robot, i / n, i % n, b->place)) {
                return false;
            }
        }
    }
    return true;
}
