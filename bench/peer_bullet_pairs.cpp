// Bullet's narrow phase: the algorithm that its dispatcher picks for a pair, which keeps its manifold between frames.
#include "peer_pairs.h"

#include <btBulletCollisionCommon.h>

#include <algorithm>
#include <memory>

namespace
{
btTransform transform(const peer_place &p)
{
    const double *q = p.quaternion, *x = p.position;
    return btTransform(btQuaternion(btScalar(q[1]), btScalar(q[2]), btScalar(q[3]), btScalar(q[0])),
                       btVector3(btScalar(x[0]), btScalar(x[1]), btScalar(x[2])));
}

// A shape with the triangles that it reads.
struct solid {
    std::unique_ptr<btTriangleMesh> triangles;
    std::unique_ptr<btCollisionShape> shape;
};

solid make(const peer_solid &s)
{
    solid out;
    auto radius = btScalar(s.size[0]), half = btScalar(s.size[1]);
    auto at = [&](int i) {
        const double *x = s.point + 3 * i;
        return btVector3(btScalar(x[0]), btScalar(x[1]), btScalar(x[2]));
    };
    switch (s.form) {
    case PEER_PAIR_SPHERE:
        out.shape = std::make_unique<btSphereShape>(radius);
        break;
    case PEER_PAIR_BOX:
        out.shape = std::make_unique<btBoxShape>(btVector3(radius, half, btScalar(s.size[2])));
        break;
    case PEER_PAIR_CAPSULE:
        out.shape = std::make_unique<btCapsuleShapeZ>(radius, 2 * half);
        break;
    case PEER_PAIR_CYLINDER:
        out.shape = std::make_unique<btCylinderShapeZ>(btVector3(radius, radius, half));
        break;
    case PEER_PAIR_HULL: {
        auto hull = std::make_unique<btConvexHullShape>();
        for (int i = 0; i < s.n_points; i++) {
            hull->addPoint(at(i), false);
        }
        hull->recalcLocalAabb();
        out.shape = std::move(hull);
        break;
    }
    case PEER_PAIR_MESH:
        out.triangles = std::make_unique<btTriangleMesh>();
        for (int f = 0; f < s.n_faces; f++) {
            const int *face = s.face + 3 * f;
            out.triangles->addTriangle(at(face[0]), at(face[1]), at(face[2]));
        }
        out.shape = std::make_unique<btBvhTriangleMeshShape>(out.triangles.get(), true);
        break;
    default:
        break;
    }
    return out;
}

class pair_algorithm
{
  public:
    pair_algorithm(btCollisionDispatcher &owner, btCollisionShape *a, btCollisionShape *b) : dispatcher(owner)
    {
        object[0].setCollisionShape(a);
        object[1].setCollisionShape(b);
        auto wrap_a = wrapper(0), wrap_b = wrapper(1);
        algorithm = dispatcher.findAlgorithm(&wrap_a, &wrap_b, nullptr, BT_CONTACT_POINT_ALGORITHMS);
    }

    ~pair_algorithm()
    {
        algorithm->~btCollisionAlgorithm();
        dispatcher.freeCollisionAlgorithm(algorithm);
    }

    // Number of points; how deep the deepest is.
    int touch(const peer_place *place, double *depth)
    {
        object[0].setWorldTransform(transform(place[0]));
        object[1].setWorldTransform(transform(place[1]));
        auto wrap_a = wrapper(0), wrap_b = wrapper(1);
        btManifoldResult result(&wrap_a, &wrap_b);
        btDispatcherInfo info;
        algorithm->processCollision(&wrap_a, &wrap_b, info, &result);
        manifolds.resize(0);
        algorithm->getAllContactManifolds(manifolds);
        int n = 0;
        *depth = 0;
        for (int m = 0; m < manifolds.size(); m++) {
            n += manifolds[m]->getNumContacts();
            for (int k = 0; k < manifolds[m]->getNumContacts(); k++) {
                *depth = std::max(*depth, -double(manifolds[m]->getContactPoint(k).getDistance()));
            }
        }
        return n;
    }

  private:
    btCollisionObjectWrapper wrapper(int i)
    {
        return btCollisionObjectWrapper(nullptr, object[i].getCollisionShape(), &object[i],
                                        object[i].getWorldTransform(), -1, -1);
    }

    btCollisionDispatcher &dispatcher;
    btCollisionObject object[2];
    btCollisionAlgorithm *algorithm;
    btManifoldArray manifolds;
};

struct hit_counter : btTriangleCallback {
    double hits = 0;
    void processTriangle(btVector3 *, int, int) override
    {
        hits += 1;
    }
};
} // namespace

extern "C" int peer_bullet_touch(const peer_pair *pair, peer_found *found, double *depth)
{
    solid a = make(pair->a), b = make(pair->b);
    if (!a.shape || !b.shape) {
        return 1;
    }
    btDefaultCollisionConfiguration configuration;
    btCollisionDispatcher dispatcher(&configuration);
    *found = {};
    for (int i = 0; i < pair->n_pairs; i++) {
        pair_algorithm algorithm(dispatcher, a.shape.get(), b.shape.get());
        double start = peer_seconds();
        for (int k = i * pair->n_frames; k < (i + 1) * pair->n_frames; k++) {
            found->points += algorithm.touch(pair->place + 2 * k, depth + k);
        }
        found->seconds += peer_seconds() - start;
    }
    return 0;
}

extern "C" int peer_bullet_query(const peer_solid *mesh, double radius, int n, const double *points, double seconds[2],
                                 double *hits)
{
    double start = peer_seconds();
    solid s = make(*mesh);
    seconds[0] = peer_seconds() - start;
    auto *shape = static_cast<btBvhTriangleMeshShape *>(s.shape.get());
    hit_counter counter;
    auto r = btScalar(radius);
    start = peer_seconds();
    for (int i = 0; i < n; i++) {
        btVector3 x(btScalar(points[3 * i]), btScalar(points[3 * i + 1]), btScalar(points[3 * i + 2]));
        shape->processAllTriangles(&counter, x - btVector3(r, r, r), x + btVector3(r, r, r));
    }
    seconds[1] = peer_seconds() - start;
    *hits = counter.hits;
    return 0;
}
