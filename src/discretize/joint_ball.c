// Triples of joints' dry friction (joint_ball.h): rows from the joint's motions, bound from the last step's forces.
#include "discretize/joint_ball.h"

#include "discretize/joint_law.h"
#include "math/mat3.h"
#include "math/quat.h"
#include "shape/pose.h"

#include <string.h>

// Turns about the joint's axes on a, which is at pose_a.
static void find_turns(const tn_model_joint *joint, const tn_pose *pose_a, tn_joint_motion motion[3])
{
    tn_pose frame;
    double R[9];
    tn_pose_join(&frame, pose_a, &joint->frame_a);
    tn_quat_to_mat3(R, frame.quaternion);
    for (int i = 0; i < 3; i++) {
        motion[i].turn = true;
        tn_vec3_set(motion[i].direction, R[i], R[3 + i], R[6 + i]);
        tn_vec3_copy(motion[i].about_a, motion[i].direction);
        tn_vec3_copy(motion[i].about_b, motion[i].direction);
    }
}

// What the rows are the rates of; returns how many there are.
static int find_motions(const tn_joint_step *joints, const tn_model_joint *joint, const tn_joint_geometry *at,
                        tn_joint_motion motion[3])
{
    if (joint->kind == TN_JOINT_SPHERICAL) {
        find_turns(joint, joint->set_a < 0 ? &joints->sides.poses[joint->body_a] : &at->set_a.pose, motion);
        return 3;
    }
    memcpy(motion, at->coordinate, 2 * sizeof *motion); // slide, slide2
    return 2;
}

// Row i of all entries from the motion's, which for all motions of a joint are of the same blocks in the same order.
static double fill_row(const tn_model *model, const tn_joint_step *joints, const tn_model_joint *joint,
                       const tn_joint_geometry *at, const tn_joint_motion *motion, int i, tn_joint_ball *out)
{
    double answer = 0.0;
    tn_joint_entries entries = {.block = out->block, .entry = out->row};
    tn_joint_add_entries(model, joint, joints->sides.poses, at, motion, 1.0, &entries);
    out->n = entries.n;
    for (int e = 0; e < entries.n; e++) {
        tn_vec3_copy(out->entry + 9 * (size_t)e + 3 * i, out->row[e]);
        answer += tn_vec3_dot(out->row[e], out->row[e]);
    }
    return answer;
}

static void find_bound(const tn_model_joint *joint, const tn_state *state, tn_joint_ball *out)
{
    const tn_scene_joint *said = joint->description;
    double load = tn_joint_load(joint, state->joint_force);
    bool round = said->friction[0] == said->friction[1] && said->friction_arm[0] == said->friction_arm[1];
    out->set = round ? TN_SET_BALL : TN_SET_ELLIPSE;
    out->bound[0] = said->friction[0] + said->friction_arm[0] * load;
    out->bound[1] = round ? 0.0 : said->friction[1] + said->friction_arm[1] * load;
}

bool tn_joint_ball_fill(const tn_model *model, const tn_state *state, const tn_joint_step *joints, double h, int number,
                        tn_joint_ball *out)
{
    const tn_model_joint *joint = &model->joints[number];
    const tn_joint_geometry *at = &joints->geometry[number];
    tn_joint_motion motion[3];
    double answer = 0.0;
    int n = find_motions(joints, joint, at, motion);
    tn_vec3_set(out->driven, 0.0, 0.0, 0.0);
    memset(out->entry, 0, 9 * (size_t)tn_joint_entry_count(model, joint) * sizeof *out->entry);
    for (int i = 0; i < n; i++) {
        answer += fill_row(model, joints, joint, at, &motion[i], i, out);
        out->driven[i] = tn_joint_prescribed(model, joint, &motion[i], state->time, h);
        tn_vec3_copy(out->frame + 3 * i, motion[i].direction);
    }
    if (n == 2) {
        tn_vec3_cross(out->frame + 6, out->frame, out->frame + 3);
    }
    find_bound(joint, state, out);
    return answer > 1e-20;
}
