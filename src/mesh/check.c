// Whether a mesh can be computed with. Messages number nodes and tetrahedra from 0.
#include "base/memory.h"
#include "mesh/coincide.h"
#include "mesh/faces.h"
#include "mesh/limits.h"
#include "mesh/tet.h"

#include <math.h>

static tn_status check_sizes(const tn_mesh *mesh, tn_error *error)
{
    if (mesh->n_tets < 1 || mesh->n_nodes < 4) {
        return tn_error_set(error, TN_BAD_INPUT,
                            "the mesh has %d nodes and %d tetrahedra: a body needs at least one tetrahedron",
                            mesh->n_nodes, mesh->n_tets);
    }
    if (mesh->n_nodes > TN_MESH_NODES_MAX || mesh->n_tets > TN_MESH_TETS_MAX) {
        return tn_error_set(error, TN_BAD_INPUT, "the mesh is too large: at most %d nodes and %d tetrahedra",
                            TN_MESH_NODES_MAX, TN_MESH_TETS_MAX);
    }
    return TN_OK;
}

static tn_status check_nodes(const tn_mesh *mesh, tn_error *error)
{
    const double largest = 1e100; // keeps a tetrahedron's volume finite
    for (int i = 0; i < mesh->n_nodes; i++) {
        const double *x = mesh->nodes + 3 * (size_t)i;
        for (int k = 0; k < 3; k++) {
            if (!(fabs(x[k]) <= largest)) {
                return tn_error_set(error, TN_BAD_INPUT, "node %d stands at (%g, %g, %g): give finite coordinates", i,
                                    x[0], x[1], x[2]);
            }
        }
    }
    return TN_OK;
}

static tn_status check_corners(const tn_mesh *mesh, int t, tn_error *error)
{
    const int *tet = mesh->tets + 4 * (size_t)t;
    for (int i = 0; i < 4; i++) {
        if (tet[i] < 0 || tet[i] >= mesh->n_nodes) {
            return tn_error_set(error, TN_BAD_INPUT, "tetrahedron %d names node %d of a mesh of %d nodes", t, tet[i],
                                mesh->n_nodes);
        }
        for (int j = 0; j < i; j++) {
            if (tet[i] == tet[j]) {
                return tn_error_set(error, TN_BAD_INPUT,
                                    "tetrahedron %d has node %d at two corners: remove it or mesh again", t, tet[i]);
            }
        }
    }
    return TN_OK;
}

static tn_status check_volume(const tn_mesh *mesh, int t, tn_error *error)
{
    const double flat = 1e-9; // of the longest edge's cube: beyond this its stiffness is rounding noise
    const int *tet = mesh->tets + 4 * (size_t)t;
    double volume = tn_tet_volume(mesh->nodes, tet);
    double square = tn_tet_edge_square(mesh->nodes, tet);
    double limit = flat * square * sqrt(square);
    if (volume > limit) {
        return TN_OK;
    }
    if (volume < -limit) {
        return tn_error_set(error, TN_BAD_INPUT,
                            "tetrahedron %d (nodes %d %d %d %d) is inverted, volume %g m^3: swap two of its nodes", t,
                            tet[0], tet[1], tet[2], tet[3], volume);
    }
    return tn_error_set(error, TN_BAD_INPUT,
                        "tetrahedron %d (nodes %d %d %d %d) is flat, volume %g m^3 with edges up to %g m: remove it "
                        "or mesh again",
                        t, tet[0], tet[1], tet[2], tet[3], volume, sqrt(square));
}

static tn_status check_tets(const tn_mesh *mesh, tn_error *error)
{
    for (int t = 0; t < mesh->n_tets; t++) {
        tn_status status = check_corners(mesh, t, error);
        status = status == TN_OK ? check_volume(mesh, t, error) : status;
        if (status != TN_OK) {
            return status;
        }
    }
    return TN_OK;
}

static tn_status check_used(const tn_mesh *mesh, tn_error *error)
{
    unsigned char *used = tn_calloc((size_t)mesh->n_nodes, 1);
    if (!used) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory to check the mesh");
    }
    for (int i = 0; i < 4 * mesh->n_tets; i++) {
        used[mesh->tets[i]] = 1;
    }
    int unused = 0;
    while (unused < mesh->n_nodes && used[unused]) {
        unused++;
    }
    tn_free(used);
    if (unused < mesh->n_nodes) {
        return tn_error_set(error, TN_BAD_INPUT, "node %d belongs to no tetrahedron: remove it", unused);
    }
    return TN_OK;
}

// Node of the face's tetrahedron that is not on the face.
static int opposite(const tn_mesh *mesh, const tn_mesh_face *face)
{
    return mesh->tets[face->corner];
}

// Tetrahedra of one face: two of them must lie on its two sides, more than two cannot.
static tn_status check_face(const tn_mesh *mesh, const tn_mesh_face *face, long run, tn_error *error)
{
    for (long i = 1; i < run; i++) {
        for (long j = 0; j < i; j++) {
            if (opposite(mesh, &face[i]) == opposite(mesh, &face[j])) {
                return tn_error_set(error, TN_BAD_INPUT, "tetrahedra %d and %d have the same nodes: remove one of them",
                                    face[j].corner / 4, face[i].corner / 4);
            }
        }
        if (i > 1) {
            return tn_error_set(error, TN_BAD_INPUT,
                                "the face of nodes %d %d %d belongs to three tetrahedra, %d, %d and %d: remove those "
                                "that overlap",
                                face->node[0], face->node[1], face->node[2], face[0].corner / 4, face[1].corner / 4,
                                face[2].corner / 4);
        }
    }
    return TN_OK;
}

static tn_status check_faces(const tn_mesh *mesh, tn_error *error)
{
    tn_mesh_face *faces = tn_mesh_faces_sort(mesh);
    if (!faces) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory to check the mesh");
    }
    tn_status status = TN_OK;
    const long n = 4L * mesh->n_tets;
    for (long i = 0, run; i < n && status == TN_OK; i += run) {
        run = tn_mesh_faces_run(faces, n, i);
        status = check_face(mesh, &faces[i], run, error);
    }
    tn_free(faces);
    return status;
}

tn_status tn_mesh_check(const tn_mesh *mesh, tn_error *error)
{
    tn_status (*const checks[])(const tn_mesh *, tn_error *) = {
        check_sizes, check_nodes, check_tets, check_used, check_faces, tn_mesh_check_coincident,
    };
    tn_status status = TN_OK;
    for (size_t i = 0; i < sizeof checks / sizeof *checks && status == TN_OK; i++) {
        status = checks[i](mesh, error);
    }
    return status;
}
