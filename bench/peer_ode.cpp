// Open Dynamics Engine: Debian's libode-dev.
#include "peers.h"

#include <ode/ode.h>

#include <algorithm>
#include <vector>

namespace
{
enum { POINTS = 8 }; // most contacts of a pair

class ode
{
  public:
    ode(const peer_scene *scene, const peer_settings *settings)
        : friction(scene->friction), direct(settings->variant == 1), reading(false)
    {
        dInitODE2(0);
        id = dWorldCreate();
        space = dHashSpaceCreate(nullptr);
        group = dJointGroupCreate(0);
        dWorldSetGravity(id, 0, 0, -9.81);
        dWorldSetQuickStepNumIterations(id, settings->iterations > 0 ? settings->iterations : 20);
        if (settings->stiffness > 0) {
            dWorldSetERP(id, settings->stiffness);
        }
        for (int i = 0; i < scene->n_bodies; i++) {
            add(scene->bodies[i], i);
        }
    }

    ~ode()
    {
        dJointGroupDestroy(group);
        dSpaceDestroy(space);
        dWorldDestroy(id);
        dCloseODE();
    }

    void step(double h)
    {
        feedback.clear();
        geometry.clear();
        if (reading) {
            feedback.reserve(geoms.size() * 64); // joints keep pointers into it
        }
        dSpaceCollide(space, this, [](void *data, dGeomID a, dGeomID b) { static_cast<ode *>(data)->meet(a, b); });
        if (direct) {
            dWorldStep(id, h);
        } else {
            dWorldQuickStep(id, h);
        }
        dJointGroupEmpty(group);
    }

    void read_forces()
    {
        reading = true;
    }

    void motion(std::vector<peer_motion> &out) const
    {
        for (size_t i = 0; i < bodies.size(); i++) {
            peer_motion m = {};
            if (bodies[i]) {
                std::copy_n(dBodyGetPosition(bodies[i]), 3, m.position);
                std::copy_n(dBodyGetQuaternion(bodies[i]), 4, m.quaternion);
                std::copy_n(dBodyGetLinearVel(bodies[i]), 3, m.linear);
                std::copy_n(dBodyGetAngularVel(bodies[i]), 3, m.angular);
            }
            out[i] = m;
        }
    }

    // From the joints' feedback: forces on their first body.
    void contacts(double h, std::vector<peer_contact> &out) const
    {
        out.clear();
        for (size_t i = 0; i < geometry.size(); i++) {
            const dContactGeom &g = geometry[i];
            peer_contact c;
            bool swapped = !dGeomGetBody(g.g1); // the force is then on the only body there is
            c.a = number(swapped ? g.g1 : g.g2);
            c.b = number(swapped ? g.g2 : g.g1);
            const dReal *force = swapped ? feedback[i].f2 : feedback[i].f1;
            for (int k = 0; k < 3; k++) {
                c.point[k] = g.pos[k];
                c.normal[k] = swapped ? -g.normal[k] : g.normal[k];
                c.impulse[k] = h * force[k];
            }
            out.push_back(c);
        }
    }

  private:
    static int number(dGeomID geom)
    {
        return static_cast<int>(reinterpret_cast<size_t>(dGeomGetData(geom)));
    }

    dGeomID make_geom(const peer_body &b)
    {
        switch (b.shape) {
        case PEER_BOX:
            return dCreateBox(space, 2 * b.size[0], 2 * b.size[1], 2 * b.size[2]);
        case PEER_CAPSULE:
            return dCreateCapsule(space, b.size[0], 2 * b.size[1]);
        case PEER_PLANE: {
            dMatrix3 r;
            dQtoR(b.quaternion, r);
            return dCreatePlane(space, r[2], r[6], r[10],
                                r[2] * b.position[0] + r[6] * b.position[1] + r[10] * b.position[2]);
        }
        default:
            return dCreateSphere(space, b.size[0]);
        }
    }

    void add(const peer_body &b, int index)
    {
        dGeomID geom = make_geom(b);
        dGeomSetData(geom, reinterpret_cast<void *>(static_cast<size_t>(index)));
        geoms.push_back(geom);
        bodies.push_back(nullptr);
        if (!b.is_fixed) {
            dMass mass;
            if (b.shape == PEER_BOX) {
                dMassSetBoxTotal(&mass, b.mass, 2 * b.size[0], 2 * b.size[1], 2 * b.size[2]);
            } else if (b.shape == PEER_CAPSULE) {
                dMassSetCapsuleTotal(&mass, b.mass, 3, b.size[0], 2 * b.size[1]);
            } else {
                dMassSetSphereTotal(&mass, b.mass, b.size[0]);
            }
            bodies.back() = dBodyCreate(id);
            dBodySetMass(bodies.back(), &mass);
            dGeomSetBody(geom, bodies.back());
        }
        if (b.shape != PEER_PLANE) {
            dGeomSetPosition(geom, b.position[0], b.position[1], b.position[2]);
            dGeomSetQuaternion(geom, b.quaternion);
        }
    }

    void meet(dGeomID a, dGeomID b)
    {
        dContact contact[POINTS];
        if (!dGeomGetBody(a) && !dGeomGetBody(b)) {
            return;
        }
        int n = dCollide(a, b, POINTS, &contact[0].geom, sizeof(dContact));
        for (int i = 0; i < n; i++) {
            contact[i].surface.mode = dContactApprox1;
            contact[i].surface.mu = friction;
            dJointID joint = dJointCreateContact(id, group, &contact[i]);
            dJointAttach(joint, dGeomGetBody(a), dGeomGetBody(b));
            if (reading && feedback.size() < feedback.capacity()) {
                feedback.emplace_back();
                geometry.push_back(contact[i].geom);
                dJointSetFeedback(joint, &feedback.back());
            }
        }
    }

    dWorldID id;
    dSpaceID space;
    dJointGroupID group;
    double friction;
    bool direct, reading;
    std::vector<dBodyID> bodies; // null: fixed
    std::vector<dGeomID> geoms;
    std::vector<dJointFeedback> feedback;
    std::vector<dContactGeom> geometry;
};
} // namespace

extern "C" int peer_ode(const peer_scene *scene, const peer_settings *settings, peer_watch *watch, void *context,
                        double *seconds)
{
    ode engine(scene, settings);
    std::vector<peer_motion> before(static_cast<size_t>(scene->n_bodies)), after(before.size());
    std::vector<peer_contact> contacts;
    for (int k = 0; k < scene->n_steps + scene->n_watched; k++) {
        int counted = k - (scene->n_steps - scene->n_averaged);
        if (k == scene->n_steps) {
            engine.read_forces();
        }
        engine.motion(before);
        double start = peer_seconds();
        engine.step(scene->step);
        double took = peer_seconds() - start;
        if (counted < 0) {
            continue;
        }
        engine.motion(after);
        if (k < scene->n_steps) {
            seconds[counted] = took;
            watch(context, before.data(), after.data(), -1, nullptr);
        } else {
            engine.contacts(scene->step, contacts);
            watch(context, before.data(), after.data(), static_cast<int>(contacts.size()), contacts.data());
        }
    }
    return 0;
}
