// The Flexible Collision Library's contact of two objects, and libccd's of two convex ones.
#include "peer_pairs.h"

#include <ccd/ccd.h>
#include <fcl/fcl.h>

#include <algorithm>
#include <memory>

namespace
{
using vector3 = fcl::Vector3d;

fcl::Transform3d transform(const peer_place &p)
{
    fcl::Transform3d out = fcl::Transform3d::Identity();
    const double *q = p.quaternion;
    out.linear() = fcl::Quaterniond(q[0], q[1], q[2], q[3]).toRotationMatrix();
    out.translation() = vector3(p.position[0], p.position[1], p.position[2]);
    return out;
}

std::vector<vector3> points_of(const peer_solid &s)
{
    std::vector<vector3> points;
    for (int i = 0; i < s.n_points; i++) {
        points.emplace_back(s.point[3 * i], s.point[3 * i + 1], s.point[3 * i + 2]);
    }
    return points;
}

std::shared_ptr<fcl::CollisionGeometryd> make_mesh(const peer_solid &s)
{
    auto mesh = std::make_shared<fcl::BVHModel<fcl::OBBRSSd>>();
    std::vector<fcl::Triangle> triangles;
    for (int f = 0; f < s.n_faces; f++) {
        const int *face = s.face + 3 * f;
        triangles.emplace_back(face[0], face[1], face[2]);
    }
    mesh->beginModel();
    mesh->addSubModel(points_of(s), triangles);
    mesh->endModel();
    return mesh;
}

std::shared_ptr<fcl::CollisionGeometryd> make(const peer_solid &s)
{
    switch (s.form) {
    case PEER_PAIR_SPHERE:
        return std::make_shared<fcl::Sphered>(s.size[0]);
    case PEER_PAIR_BOX:
        return std::make_shared<fcl::Boxd>(2 * s.size[0], 2 * s.size[1], 2 * s.size[2]);
    case PEER_PAIR_CAPSULE:
        return std::make_shared<fcl::Capsuled>(s.size[0], 2 * s.size[1]);
    case PEER_PAIR_CYLINDER:
        return std::make_shared<fcl::Cylinderd>(s.size[0], 2 * s.size[1]);
    case PEER_PAIR_ELLIPSOID:
        return std::make_shared<fcl::Ellipsoidd>(s.size[0], s.size[1], s.size[2]);
    case PEER_PAIR_HULL: {
        auto faces = std::make_shared<std::vector<int>>();
        for (int f = 0; f < s.n_faces; f++) {
            faces->push_back(3);
            faces->insert(faces->end(), s.face + 3 * f, s.face + 3 * f + 3);
        }
        auto points = std::make_shared<const std::vector<vector3>>(points_of(s));
        return std::make_shared<fcl::Convexd>(points, s.n_faces, faces);
    }
    default:
        return make_mesh(s);
    }
}

// A shape for libccd: its support mapping.
struct mapped {
    const peer_solid *solid;
    peer_place place;
};

void local_support(const peer_solid &s, const ccd_vec3_t &d, ccd_vec3_t &out)
{
    const double *size = s.size, *v = d.v;
    double length = ccdVec3Len2(&d) > 0 ? std::sqrt(ccdVec3Len2(&d)) : 1, flat = std::hypot(v[0], v[1]);
    switch (s.form) {
    case PEER_PAIR_BOX:
        ccdVec3Set(&out, std::copysign(size[0], v[0]), std::copysign(size[1], v[1]), std::copysign(size[2], v[2]));
        break;
    case PEER_PAIR_CAPSULE:
        ccdVec3Set(&out, size[0] / length * v[0], size[0] / length * v[1],
                   size[0] / length * v[2] + std::copysign(size[1], v[2]));
        break;
    case PEER_PAIR_CYLINDER:
        flat = flat > 0 ? size[0] / flat : 0;
        ccdVec3Set(&out, flat * v[0], flat * v[1], std::copysign(size[1], v[2]));
        break;
    case PEER_PAIR_ELLIPSOID: {
        double x = size[0] * v[0], y = size[1] * v[1], z = size[2] * v[2], l = std::sqrt(x * x + y * y + z * z);
        l = l > 0 ? 1 / l : 0;
        ccdVec3Set(&out, size[0] * x * l, size[1] * y * l, size[2] * z * l);
        break;
    }
    case PEER_PAIR_HULL: {
        int best = 0;
        double most = -1e300;
        for (int i = 0; i < s.n_points; i++) {
            const double *p = s.point + 3 * i;
            double along = p[0] * v[0] + p[1] * v[1] + p[2] * v[2];
            best = along > most ? i : best;
            most = std::max(most, along);
        }
        ccdVec3Set(&out, s.point[3 * best], s.point[3 * best + 1], s.point[3 * best + 2]);
        break;
    }
    default:
        ccdVec3Set(&out, size[0] / length * v[0], size[0] / length * v[1], size[0] / length * v[2]);
    }
}

void support(const void *object, const ccd_vec3_t *direction, ccd_vec3_t *out)
{
    const auto *m = static_cast<const mapped *>(object);
    const double *q = m->place.quaternion, *x = m->place.position;
    ccd_quat_t turn, back;
    ccdQuatSet(&turn, q[1], q[2], q[3], q[0]);
    ccdQuatInvert2(&back, &turn);
    ccd_vec3_t d = *direction, at;
    ccdQuatRotVec(&d, &back);
    local_support(*m->solid, d, *out);
    ccdQuatRotVec(out, &turn);
    ccdVec3Set(&at, x[0], x[1], x[2]);
    ccdVec3Add(out, &at);
}

void center(const void *object, ccd_vec3_t *out)
{
    const double *x = static_cast<const mapped *>(object)->place.position;
    ccdVec3Set(out, x[0], x[1], x[2]);
}
} // namespace

extern "C" int peer_fcl_touch(const peer_pair *pair, peer_found *found, double *depth)
{
    fcl::CollisionObjectd a(make(pair->a)), b(make(pair->b));
    fcl::CollisionRequestd request(8, true);
    *found = {};
    double start = peer_seconds();
    for (int k = 0; k < pair->n_pairs * pair->n_frames; k++) {
        a.setTransform(transform(pair->place[2 * k]));
        b.setTransform(transform(pair->place[2 * k + 1]));
        fcl::CollisionResultd result;
        found->points += double(fcl::collide(&a, &b, request, result));
        depth[k] = 0;
        for (size_t c = 0; c < result.numContacts(); c++) {
            depth[k] = std::max(depth[k], result.getContact(c).penetration_depth);
        }
    }
    found->seconds = peer_seconds() - start;
    return 0;
}

extern "C" int peer_ccd_touch(const peer_pair *pair, peer_found *found, double *depth)
{
    if (pair->a.form == PEER_PAIR_MESH || pair->b.form == PEER_PAIR_MESH) {
        return 1;
    }
    ccd_t ccd;
    CCD_INIT(&ccd);
    ccd.support1 = ccd.support2 = support;
    ccd.center1 = ccd.center2 = center;
    ccd.max_iterations = 100;
    *found = {};
    double start = peer_seconds();
    for (int k = 0; k < pair->n_pairs * pair->n_frames; k++) {
        mapped a = {&pair->a, pair->place[2 * k]}, b = {&pair->b, pair->place[2 * k + 1]};
        ccd_vec3_t direction, at;
        depth[k] = 0;
        found->points += ccdMPRPenetration(&a, &b, &ccd, &depth[k], &direction, &at) == 0;
    }
    found->seconds = peer_seconds() - start;
    return 0;
}

extern "C" int peer_fcl_query(const peer_solid *mesh, double radius, int n, const double *points, double seconds[2],
                              double *hits)
{
    double start = peer_seconds();
    fcl::CollisionObjectd surface(make(*mesh));
    seconds[0] = peer_seconds() - start;
    fcl::CollisionObjectd ball(std::make_shared<fcl::Sphered>(radius));
    fcl::CollisionRequestd request(100, false);
    *hits = 0;
    start = peer_seconds();
    for (int i = 0; i < n; i++) {
        ball.setTranslation(vector3(points[3 * i], points[3 * i + 1], points[3 * i + 2]));
        fcl::CollisionResultd result;
        *hits += double(fcl::collide(&surface, &ball, request, result));
    }
    seconds[1] = peer_seconds() - start;
    return 0;
}
