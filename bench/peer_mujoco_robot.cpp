// A robot's MJCF file in MuJoCo, at its first keyframe.
#include "peer_mujoco.h"
#include "peer_robot.h"
#include "peers.h"

#include <mujoco/mujoco.h>

#include <cmath>
#include <cstddef>
#include <cstdio>

namespace
{
mjModel *load(const peer_robot *robot)
{
    char error[1000] = "";
    mjModel *m = mj_loadXML(robot->path, nullptr, error, sizeof error);
    if (!m) {
        fprintf(stderr, "tenon-bench: MuJoCo: %s\n", error);
        return nullptr;
    }
    m->opt.timestep = robot->step;
    if (robot->tight) {
        m->opt.iterations = 1000;
        m->opt.tolerance = 1e-14;
    }
    m->opt.solver = robot->conjugate ? mjSOL_CG : m->opt.solver;
    return m;
}

void command(const peer_robot *robot, const mjModel *m, mjData *d)
{
    for (int i = 0; i < m->nu; i++) {
        const char *joint = mj_id2name(m, mjOBJ_JOINT, m->actuator_trnid[2 * i]);
        double before = m->nkey > 0 ? m->key_ctrl[i] : 0.0;
        d->ctrl[i] = before + (joint ? robot->command(joint, d->time + m->opt.timestep) : 0.0);
    }
}

void look(const peer_robot *robot, const mjModel *m, mjData *d, double *place)
{
    mj_kinematics(m, d); // poses after a step are those before it
    for (int b = 0; b < robot->n_bodies; b++) {
        int id = mj_name2id(m, mjOBJ_BODY, robot->body[b]);
        for (int i = 0; i < 3; i++) {
            place[3 * b + i] = id >= 0 ? d->xpos[3 * id + i] : NAN;
        }
    }
}

int play(const peer_robot *robot, const mjModel *m, mjData *d, double *seconds, double *place, double *contacts)
{
    if (m->nkey > 0) {
        mj_resetDataKeyframe(m, d, 0);
    }
    *contacts = 0.0;
    for (int k = 0; k < robot->n_steps; k++) {
        double start = peer_seconds();
        command(robot, m, d);
        mj_step(m, d);
        seconds[k] = peer_seconds() - start;
        *contacts += static_cast<double>(d->ncon) / robot->n_steps;
        if ((k + 1) % robot->every == 0) {
            look(robot, m, d, place + static_cast<std::ptrdiff_t>(3) * robot->n_bodies * ((k + 1) / robot->every - 1));
        }
    }
    return peer_mujoco_warned(d) ? 1 : 0;
}
} // namespace

int peer_mujoco_robot(const peer_robot *robot, double *seconds, double *place, double *contacts)
{
    mjModel *model = load(robot);
    mjData *data = model ? mj_makeData(model) : nullptr;
    int status = data ? play(robot, model, data, seconds, place, contacts) : 1;
    mj_deleteData(data);
    mj_deleteModel(model);
    return status;
}
