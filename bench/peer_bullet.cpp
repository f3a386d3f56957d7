// Bullet's rigid body world with its default sequential impulse solver: Debian's libbullet-dev.
#include "peers.h"

#include <btBulletDynamicsCommon.h>

#include <chrono>
#include <memory>
#include <vector>

extern "C" int peer_bullet(const peer_scene *scene, peer_watch *watch, void *context, double *seconds)
{
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    btDbvtBroadphase broadphase;
    btSequentialImpulseConstraintSolver solver;
    btDiscreteDynamicsWorld world(&dispatcher, &broadphase, &solver, &configuration);
    world.setGravity(btVector3(0, 0, btScalar(-9.81)));

    std::vector<std::unique_ptr<btCollisionShape>> shapes;
    std::vector<std::unique_ptr<btMotionState>> motions;
    std::vector<std::unique_ptr<btRigidBody>> bodies;
    auto add = [&](btCollisionShape *shape, double mass, const btTransform &pose) {
        shapes.emplace_back(shape);
        btVector3 inertia(0, 0, 0);
        if (mass > 0) {
            shape->calculateLocalInertia(btScalar(mass), inertia);
        }
        motions.emplace_back(new btDefaultMotionState(pose));
        bodies.emplace_back(new btRigidBody(btScalar(mass), motions.back().get(), shape, inertia));
        bodies.back()->setFriction(btScalar(scene->friction));
        bodies.back()->setActivationState(DISABLE_DEACTIVATION);
        bodies.back()->setDamping(0, 0);
        world.addRigidBody(bodies.back().get());
    };
    for (int i = 0; i < scene->n_bodies; i++) {
        const peer_body &b = scene->bodies[i];
        btTransform pose(btQuaternion(btScalar(b.quaternion[1]), btScalar(b.quaternion[2]), btScalar(b.quaternion[3]),
                                      btScalar(b.quaternion[0])),
                         btVector3(btScalar(b.position[0]), btScalar(b.position[1]), btScalar(b.position[2])));
        btCollisionShape *shape = nullptr;
        if (b.is_box) {
            shape = new btBoxShape(btVector3(btScalar(b.size[0]), btScalar(b.size[1]), btScalar(b.size[2])));
        } else {
            shape = new btSphereShape(btScalar(b.size[0]));
        }
        add(shape, b.is_fixed ? 0 : b.mass, pose);
    }
    for (int i = 0; i < scene->n_planes; i++) {
        const peer_plane &p = scene->planes[i];
        btVector3 normal(btScalar(p.normal[0]), btScalar(p.normal[1]), btScalar(p.normal[2]));
        add(new btStaticPlaneShape(normal, btScalar(p.offset)), 0, btTransform::getIdentity());
    }
    // Bullet combines friction as a product; the square root on each gives the scene's coefficient.
    for (auto &body : bodies) {
        body->setFriction(btSqrt(btScalar(scene->friction)));
    }
    std::vector<double> poses(7 * static_cast<size_t>(scene->n_bodies));
    for (int k = 0; k < scene->n_steps; k++) {
        auto start = std::chrono::steady_clock::now();
        world.stepSimulation(btScalar(scene->step), 0, btScalar(scene->step));
        std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
        int counted = k - (scene->n_steps - scene->n_averaged);
        if (counted < 0) {
            continue;
        }
        seconds[counted] = took.count();
        for (int i = 0; i < scene->n_bodies; i++) {
            const btTransform &pose = bodies[static_cast<size_t>(i)]->getWorldTransform();
            btQuaternion q = pose.getRotation();
            const double row[7] = {
                pose.getOrigin().x(), pose.getOrigin().y(), pose.getOrigin().z(), q.w(), q.x(), q.y(), q.z()};
            for (int c = 0; c < 7; c++) {
                poses[7 * static_cast<size_t>(i) + static_cast<size_t>(c)] = row[c];
            }
        }
        watch(context, poses.data());
    }
    for (auto &body : bodies) {
        world.removeRigidBody(body.get());
    }
    return 0;
}
