// Bullet's rigid body world with its default sequential impulse solver: Debian's libbullet-dev.
#include "peers.h"

#include <btBulletDynamicsCommon.h>

#include <memory>
#include <vector>

namespace
{
btVector3 vector(const double v[3])
{
    return btVector3(btScalar(v[0]), btScalar(v[1]), btScalar(v[2]));
}

btQuaternion rotation(const double q[4])
{
    return btQuaternion(btScalar(q[1]), btScalar(q[2]), btScalar(q[3]), btScalar(q[0]));
}

void store(const btVector3 &v, double out[3])
{
    for (int c = 0; c < 3; c++) {
        out[c] = v[c];
    }
}

btCollisionShape *make_shape(const peer_body &b)
{
    switch (b.shape) {
    case PEER_BOX:
        return new btBoxShape(vector(b.size));
    case PEER_CAPSULE:
        return new btCapsuleShapeZ(btScalar(b.size[0]), btScalar(2 * b.size[1]));
    case PEER_PLANE:
        return new btStaticPlaneShape(btVector3(0, 0, 1), 0);
    default:
        return new btSphereShape(btScalar(b.size[0]));
    }
}

class bullet
{
  public:
    bullet(const peer_scene *scene, const peer_settings *settings)
        : dispatcher(&configuration), world(&dispatcher, &broadphase, &solver, &configuration)
    {
        world.setGravity(btVector3(0, 0, btScalar(-9.81)));
        if (settings->iterations > 0) {
            world.getSolverInfo().m_numIterations = settings->iterations;
        }
        if (settings->variant == 1) {
            world.getSolverInfo().m_solverMode |= SOLVER_USE_2_FRICTION_DIRECTIONS;
        }
        for (int i = 0; i < scene->n_bodies; i++) {
            add(scene->bodies[i], scene->friction, i);
        }
    }

    ~bullet()
    {
        for (auto &body : bodies) {
            world.removeRigidBody(body.get());
        }
    }

    void step(double h)
    {
        world.stepSimulation(btScalar(h), 0, btScalar(h));
    }

    void motion(std::vector<peer_motion> &out) const
    {
        for (size_t i = 0; i < bodies.size(); i++) {
            const btTransform &pose = bodies[i]->getWorldTransform();
            btQuaternion q = pose.getRotation();
            store(pose.getOrigin(), out[i].position);
            const double row[4] = {q.w(), q.x(), q.y(), q.z()};
            std::copy(row, row + 4, out[i].quaternion);
            store(bodies[i]->getLinearVelocity(), out[i].linear);
            store(bodies[i]->getAngularVelocity(), out[i].angular);
        }
    }

    // Impulses of the last step, kept in the manifolds.
    void contacts(std::vector<peer_contact> &out)
    {
        out.clear();
        for (int m = 0; m < dispatcher.getNumManifolds(); m++) {
            const btPersistentManifold *manifold = dispatcher.getManifoldByIndexInternal(m);
            for (int k = 0; k < manifold->getNumContacts(); k++) {
                const btManifoldPoint &p = manifold->getContactPoint(k);
                // Bullet's normal points from its body 1 to its body 0, on which the impulse acts.
                btVector3 impulse = p.m_normalWorldOnB * p.m_appliedImpulse +
                                    p.m_lateralFrictionDir1 * p.m_appliedImpulseLateral1 +
                                    p.m_lateralFrictionDir2 * p.m_appliedImpulseLateral2;
                peer_contact c;
                c.a = manifold->getBody1()->getUserIndex();
                c.b = manifold->getBody0()->getUserIndex();
                store(btScalar(0.5) * (p.getPositionWorldOnA() + p.getPositionWorldOnB()), c.point);
                store(p.m_normalWorldOnB, c.normal);
                store(impulse, c.impulse);
                out.push_back(c);
            }
        }
    }

  private:
    void add(const peer_body &b, double friction, int index)
    {
        shapes.emplace_back(make_shape(b));
        btScalar mass = btScalar(b.is_fixed ? 0 : b.mass);
        btVector3 inertia(0, 0, 0);
        if (mass > 0) {
            shapes.back()->calculateLocalInertia(mass, inertia);
        }
        motions.emplace_back(new btDefaultMotionState(btTransform(rotation(b.quaternion), vector(b.position))));
        bodies.emplace_back(new btRigidBody(mass, motions.back().get(), shapes.back().get(), inertia));
        btRigidBody *body = bodies.back().get();
        // Bullet combines friction as a product; the square root on each gives the scene's coefficient.
        body->setFriction(btSqrt(btScalar(friction)));
        body->setActivationState(DISABLE_DEACTIVATION);
        body->setDamping(0, 0);
        body->setUserIndex(index);
        world.addRigidBody(body);
    }

    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher;
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world;
    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btMotionState>> motions;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
};
} // namespace

extern "C" int peer_bullet(const peer_scene *scene, const peer_settings *settings, peer_watch *watch, void *context,
                           double *seconds)
{
    bullet engine(scene, settings);
    std::vector<peer_motion> before(static_cast<size_t>(scene->n_bodies)), after(before.size());
    std::vector<peer_contact> contacts;
    for (int k = 0; k < scene->n_steps + scene->n_watched; k++) {
        int counted = k - (scene->n_steps - scene->n_averaged);
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
            engine.contacts(contacts);
            watch(context, before.data(), after.data(), static_cast<int>(contacts.size()), contacts.data());
        }
    }
    return 0;
}
