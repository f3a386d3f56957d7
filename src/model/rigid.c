#include "model/rigid.h"

#include "math/mat3.h"
#include "math/quat.h"
#include "model/gyro.h"

#include <string.h>

void tn_body_mass(const tn_model_body *body, double diagonal[6])
{
    if (body->planar) {
        tn_vec3_set(diagonal, body->mass, body->mass, body->inertia[0]);
    } else {
        tn_vec3_set(diagonal, body->mass, body->mass, body->mass);
        tn_vec3_copy(diagonal + 3, body->inertia);
    }
}

// Columns frame e1, frame e2, frame (normal x arm).
static void planar_jacobian(const tn_model_body *body, const double frame[9], const double arm[3], double sign,
                            double entry[9])
{
    const double *axes = body->plane_axes;
    double turn[3], column[3][3];
    tn_vec3_cross(turn, axes + 6, arm);
    tn_mat3_vec(column[0], frame, axes);
    tn_mat3_vec(column[1], frame, axes + 3);
    tn_mat3_vec(column[2], frame, turn);
    for (int i = 0; i < 3; i++) {
        const double *row = frame + 3 * i, *normal = axes + 6;
        bool across = row[0] == normal[0] && row[1] == normal[1] && row[2] == normal[2]; // not even by rounding
        for (int j = 0; j < 3; j++) {
            entry[3 * i + j] = across ? 0.0 : sign * column[j][i];
        }
    }
}

// Velocity of the point = v + omega x arm, and f . (omega x arm) = (arm x f) . omega for each row f of the frame;
// sign * frame is the entry of v.
static void free_jacobian(const tn_pose *pose, const double frame[9], const double arm[3], double sign,
                          double entry[2][9])
{
    double rotation[9];
    tn_quat_to_mat3(rotation, pose->quaternion);
    for (int i = 0; i < 3; i++) {
        double moment[3];
        tn_vec3_scale(entry[0] + 3 * i, sign, frame + 3 * i);
        tn_vec3_cross(moment, arm, entry[0] + 3 * i);
        tn_mat3_tvec(entry[1] + 3 * i, rotation, moment);
    }
}

int tn_body_point_jacobian(const tn_model_body *body, const tn_pose *pose, const double frame[9], const double point[3],
                           double sign, double entry[2][9])
{
    if (body->n_blocks == 0) {
        return 0;
    }
    double arm[3];
    tn_vec3_sub(arm, point, pose->position);
    if (body->planar) {
        planar_jacobian(body, frame, arm, sign, entry[0]);
    } else {
        free_jacobian(pose, frame, arm, sign, entry);
    }
    return body->n_blocks;
}

int tn_body_spin_jacobian(const tn_model_body *body, const tn_pose *pose, const double frame[9], double sign,
                          double entry[2][9])
{
    memset(entry, 0, 18 * sizeof **entry);
    if (body->n_blocks == 0) {
        return 0;
    }
    if (body->planar) {
        double turn[3];
        tn_mat3_vec(turn, frame, body->plane_axes + 6);
        for (int i = 0; i < 3; i++) {
            entry[0][3 * i + 2] = sign * turn[i];
        }
        return 1;
    }
    double rotation[9];
    tn_quat_to_mat3(rotation, pose->quaternion);
    tn_mat3_mul(entry[1], frame, rotation);
    for (int i = 0; i < 9; i++) {
        entry[1][i] *= sign;
    }
    return 2;
}

// The center of mass of a free body and its turn.
static void move_free(const double way[3], const double turn[4], tn_pose *pose)
{
    tn_vec3_add(pose->position, pose->position, way);
    tn_quat_mul(pose->quaternion, pose->quaternion, turn);
    tn_quat_normalize(pose->quaternion);
}

static void move_planar(const tn_model_body *body, const double *way, tn_pose *pose)
{
    const double *axes = body->plane_axes;
    double vector[3], turn[4];
    tn_vec3_madd(pose->position, pose->position, way[0], axes);
    tn_vec3_madd(pose->position, pose->position, way[1], axes + 3);
    tn_vec3_scale(vector, way[2], axes + 6);
    tn_quat_exp(turn, vector);
    tn_quat_mul(pose->quaternion, turn, pose->quaternion); // about a world axis: from the left
    tn_quat_normalize(pose->quaternion);
}

void tn_body_move(const tn_model_body *body, const double *way, tn_pose *pose)
{
    if (body->planar) {
        move_planar(body, way, pose);
    } else if (body->n_blocks > 0) {
        double turn[4];
        tn_quat_exp(turn, way + 3);
        move_free(way, turn, pose);
    }
}

void tn_body_advance(const tn_model_body *body, const double *x, double h, tn_pose *pose, double *turn)
{
    double way[3], own[4];
    tn_vec3_scale(way, h, x);
    if (body->planar) {
        move_planar(body, way, pose);
    } else if (body->n_blocks > 0) {
        turn = turn ? turn : own;
        tn_gyro_turn(body->inertia, x + 3, h, turn);
        move_free(way, turn, pose);
    }
}

void tn_body_rate(const tn_model_body *body, const tn_pose *from, const tn_pose *to, double h, double *x,
                  double turn[4])
{
    tn_vec3_sub(x, to->position, from->position);
    tn_vec3_scale(x, 1.0 / h, x);
    tn_quat_conjugate(turn, from->quaternion);
    tn_quat_mul(turn, turn, to->quaternion);
    tn_gyro_rate(body->inertia, turn, h, x + 3);
}

void tn_body_carry(const tn_model_body *body, const double turn[4], double *x)
{
    if (body->n_blocks == 2) {
        tn_gyro_carry(body->inertia, turn, x + 3, x + 3);
    }
}
