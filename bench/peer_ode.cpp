// Open Dynamics Engine, quickstep: Debian's libode-dev.
#include "peers.h"

#include <ode/ode.h>

#include <chrono>
#include <vector>

namespace
{
struct world {
    dWorldID id;
    dSpaceID space;
    dJointGroupID contacts;
    double friction;
};

void near_callback(void *data, dGeomID a, dGeomID b)
{
    auto *w = static_cast<world *>(data);
    dContact contact[8];
    int n = dCollide(a, b, 8, &contact[0].geom, sizeof(dContact));
    for (int i = 0; i < n; i++) {
        contact[i].surface.mode = dContactApprox1;
        contact[i].surface.mu = w->friction;
        dJointID joint = dJointCreateContact(w->id, w->contacts, &contact[i]);
        dJointAttach(joint, dGeomGetBody(a), dGeomGetBody(b));
    }
}
} // namespace

extern "C" int peer_ode(const peer_scene *scene, peer_watch *watch, void *context, double *seconds)
{
    dInitODE2(0);
    world w = {dWorldCreate(), dHashSpaceCreate(nullptr), dJointGroupCreate(0), scene->friction};
    dWorldSetGravity(w.id, 0, 0, -9.81);
    dWorldSetQuickStepNumIterations(w.id, 20);
    std::vector<dBodyID> bodies(scene->n_bodies, nullptr);
    std::vector<dGeomID> geoms(scene->n_bodies);
    for (int i = 0; i < scene->n_bodies; i++) {
        const peer_body &b = scene->bodies[i];
        geoms[i] = b.is_box ? dCreateBox(w.space, 2 * b.size[0], 2 * b.size[1], 2 * b.size[2])
                            : dCreateSphere(w.space, b.size[0]);
        if (!b.is_fixed) {
            bodies[i] = dBodyCreate(w.id);
            dMass mass;
            if (b.is_box) {
                dMassSetBoxTotal(&mass, b.mass, 2 * b.size[0], 2 * b.size[1], 2 * b.size[2]);
            } else {
                dMassSetSphereTotal(&mass, b.mass, b.size[0]);
            }
            dBodySetMass(bodies[i], &mass);
            dGeomSetBody(geoms[i], bodies[i]);
        }
        dGeomSetPosition(geoms[i], b.position[0], b.position[1], b.position[2]);
        dQuaternion q = {b.quaternion[0], b.quaternion[1], b.quaternion[2], b.quaternion[3]};
        dGeomSetQuaternion(geoms[i], q);
    }
    for (int i = 0; i < scene->n_planes; i++) {
        const peer_plane &p = scene->planes[i];
        dCreatePlane(w.space, p.normal[0], p.normal[1], p.normal[2], p.offset);
    }
    std::vector<double> poses(7 * static_cast<size_t>(scene->n_bodies));
    for (int k = 0; k < scene->n_steps; k++) {
        auto start = std::chrono::steady_clock::now();
        dSpaceCollide(w.space, &w, near_callback);
        dWorldQuickStep(w.id, scene->step);
        dJointGroupEmpty(w.contacts);
        std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        int counted = k - (scene->n_steps - scene->n_averaged);
        if (counted >= 0) {
            seconds[counted] = took.count();
            for (int i = 0; i < scene->n_bodies; i++) {
                const dReal *p = dGeomGetPosition(geoms[i]);
                dQuaternion q;
                dGeomGetQuaternion(geoms[i], q);
                for (int c = 0; c < 3; c++) {
                    poses[7 * i + c] = p[c];
                }
                for (int c = 0; c < 4; c++) {
                    poses[7 * i + 3 + c] = q[c];
                }
            }
            watch(context, poses.data());
        }
    }
    dJointGroupDestroy(w.contacts);
    dSpaceDestroy(w.space);
    dWorldDestroy(w.id);
    dCloseODE();
    return 0;
}
