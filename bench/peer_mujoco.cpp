// MuJoCo: Debian's libmujoco-dev. Its contact law is a convex, compliant one.
#include "peer_mujoco.h"
#include "peers.h"

#include <mujoco/mujoco.h>

#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace
{
__attribute__((format(printf, 2, 3))) void append(std::string &text, const char *format, ...)
{
    char line[512];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    text += line;
}

void append_geom(std::string &text, const peer_body &b)
{
    switch (b.shape) {
    case PEER_BOX:
        append(text, "type='box' size='%.17g %.17g %.17g'", b.size[0], b.size[1], b.size[2]);
        break;
    case PEER_CAPSULE:
        append(text, "type='capsule' size='%.17g %.17g'", b.size[0], b.size[1]);
        break;
    case PEER_PLANE:
        append(text, "type='plane' size='0 0 1'");
        break;
    default:
        append(text, "type='sphere' size='%.17g'", b.size[0]);
    }
}

std::string describe(const peer_scene *scene, const peer_settings *settings)
{
    std::string text = "<mujoco>";
    // Version 2.2 takes squares of njmax and addresses less than 2 GiB: enough for three contacts a body.
    int n_contacts = 3 * scene->n_bodies + 100;
    append(text, "<size nconmax='%d' njmax='%d' nstack='%d'/>", n_contacts, 3 * n_contacts,
           20000 * scene->n_bodies + 1000000);
    append(text, "<option timestep='%.17g' gravity='0 0 -9.81' cone='elliptic' jacobian='sparse' solver='%s'",
           scene->step, settings->variant == 1 ? "Newton" : "CG");
    if (settings->iterations > 0) {
        append(text, " iterations='%d'", settings->iterations);
    }
    append(text, "/><default><geom condim='3' friction='%.17g 0 0'", scene->friction);
    if (settings->stiffness > 0) {
        append(text, " solref='%.17g 1'", settings->stiffness * scene->step);
    }
    text += "/></default><worldbody>";
    for (int i = 0; i < scene->n_bodies; i++) {
        const peer_body &b = scene->bodies[i];
        append(text, "<body pos='%.17g %.17g %.17g' quat='%.17g %.17g %.17g %.17g'>%s<geom mass='%.17g' ",
               b.position[0], b.position[1], b.position[2], b.quaternion[0], b.quaternion[1], b.quaternion[2],
               b.quaternion[3], b.is_fixed ? "" : "<freejoint/>", b.is_fixed ? 0.0 : b.mass);
        append_geom(text, b);
        text += "/></body>";
    }
    return text + "</worldbody></mujoco>";
}

mjModel *compile(const std::string &text)
{
    auto files = std::make_unique<mjVFS>(); // too large for the stack
    mj_defaultVFS(files.get());
    int size = static_cast<int>(text.size()) + 1;
    if (mj_makeEmptyFileVFS(files.get(), "scene.xml", size) != 0) {
        return nullptr;
    }
    memcpy(files->filedata[mj_findFileVFS(files.get(), "scene.xml")], text.c_str(), static_cast<size_t>(size));
    char error[1000] = "";
    mjModel *model = mj_loadXML("scene.xml", files.get(), error, sizeof error);
    mj_deleteVFS(files.get());
    if (!model) {
        fprintf(stderr, "tenon-bench: MuJoCo: %s\n", error);
    }
    return model;
}

// Body 0 is MuJoCo's world; ours follow in order.
void motion(const mjModel *m, const mjData *d, std::vector<peer_motion> &out)
{
    for (size_t i = 0; i < out.size(); i++) {
        peer_motion &to = out[i] = {};
        int joint = m->body_jntadr[i + 1];
        if (joint < 0) {
            continue;
        }
        const mjtNum *q = d->qpos + m->jnt_qposadr[joint], *v = d->qvel + m->jnt_dofadr[joint];
        mju_copy(to.position, q, 3);
        mju_copy(to.quaternion, q + 3, 4);
        mju_copy(to.linear, v, 3);
        mju_rotVecQuat(to.angular, v + 3, q + 3); // MuJoCo's are body axes
    }
}

void read_contacts(const mjModel *m, const mjData *d, std::vector<peer_contact> &out)
{
    out.clear();
    for (int i = 0; i < d->ncon; i++) {
        mjtNum force[6];
        const mjContact &from = d->contact[i];
        mj_contactForce(m, d, i, force);
        peer_contact c;
        c.a = m->geom_bodyid[from.geom1] - 1;
        c.b = m->geom_bodyid[from.geom2] - 1;
        mju_copy(c.point, from.pos, 3);
        mju_copy(c.normal, from.frame, 3);
        mju_mulMatTVec(c.impulse, from.frame, force, 3, 3);
        mju_scl(c.impulse, c.impulse, m->opt.timestep, 3);
        out.push_back(c);
    }
}

int play(const peer_scene *scene, const mjModel *m, mjData *d, peer_watch *watch, void *context, double *seconds)
{
    std::vector<peer_motion> before(static_cast<size_t>(scene->n_bodies)), after(before.size());
    std::vector<peer_contact> contacts;
    for (int k = 0; k < scene->n_steps + scene->n_watched; k++) {
        int counted = k - (scene->n_steps - scene->n_averaged);
        motion(m, d, before);
        double start = peer_seconds();
        mj_step(m, d);
        double took = peer_seconds() - start;
        if (counted < 0) {
            continue;
        }
        motion(m, d, after);
        if (k < scene->n_steps) {
            seconds[counted] = took;
            watch(context, before.data(), after.data(), -1, nullptr);
        } else {
            read_contacts(m, d, contacts);
            watch(context, before.data(), after.data(), static_cast<int>(contacts.size()), contacts.data());
        }
    }
    return peer_mujoco_warned(d) ? 1 : 0;
}
} // namespace

extern "C" int peer_mujoco(const peer_scene *scene, const peer_settings *settings, peer_watch *watch, void *context,
                           double *seconds)
{
    mjModel *model = compile(describe(scene, settings));
    mjData *data = model ? mj_makeData(model) : nullptr;
    int status = data ? play(scene, model, data, watch, context, seconds) : 1;
    mj_deleteData(data);
    mj_deleteModel(model);
    return status;
}
