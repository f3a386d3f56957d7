// The matrices of a bushing: springs and dampers along and about the axes of a joint that locks nothing.
#include "math/pencil.h"
#include "scene/build.h"

#include <math.h>
#include <string.h>

// Stiffness or damping: its keys and where it goes.
typedef struct matrix {
    const char *key[2], *whole_key; // of translations, of rotations; of both
    const tn_numbers *part[2], *whole;
    double *to; // (6, 6)
} matrix;

static bool fails(tn_build *build, const tn_node *map, const char *key, const char *what)
{
    return tn_read_error(&build->reader, tn_node_place_of(map, key), "'%s' %s", key, what);
}

// One number for all axes, one each, or a matrix (3, 3), into that of the translations (at 0) or rotations (at 3).
static bool read_part(tn_build *build, const tn_numbers *numbers, const char *key, const tn_node *node, int at,
                      double *to)
{
    if (numbers->n != 0 && numbers->n != 1 && numbers->n != 3 && numbers->n != 9) {
        return fails(build, node, key, "of a bushing is one number, 3 of the axes, or 9 of a matrix");
    }
    for (int i = 0; i < 3 && numbers->n > 0; i++) {
        for (int j = 0; j < 3; j++) {
            double own = numbers->n == 9 ? numbers->value[3 * i + j]
                         : i == j        ? numbers->value[numbers->n == 3 ? i : 0]
                                         : 0.0;
            to[6 * (at + i) + at + j] = own;
        }
    }
    return true;
}

// The key that is to blame.
static bool check(tn_build *build, const char *key, const tn_node *node, double *A)
{
    for (int i = 0; i < 36; i++) {
        if (isinf(A[i])) {
            return fails(build, node, key, "of a bushing must be finite: joints of other kinds lock");
        }
    }
    if (!tn_pencil_is_symmetric(A)) {
        return fails(build, node, key, "must be a symmetric matrix");
    }
    if (!tn_pencil_is_semidefinite(A)) {
        return fails(build, node, key, "must not be negative along any direction (a positive semidefinite matrix)");
    }
    for (int i = 0; i < 6; i++) {
        for (int j = 0; j < i; j++) {
            A[6 * i + j] = A[6 * j + i] = 0.5 * (A[6 * i + j] + A[6 * j + i]);
        }
    }
    return true;
}

static bool read_matrix(tn_build *build, const matrix *m, const tn_node *own, const tn_node *node)
{
    if (m->whole->n > 0) {
        for (int i = 0; i < 2; i++) {
            if (tn_node_index(own, m->key[i]) >= 0) {
                return tn_read_error(&build->reader, tn_node_place_of(own, m->key[i]),
                                     "'%s' is part of '%s': leave one of them out", m->key[i], m->whole_key);
            }
        }
        memcpy(m->to, m->whole->value, 36 * sizeof *m->to);
        return check(build, m->whole_key, node, m->to);
    }
    for (int i = 0; i < 2; i++) {
        if (!read_part(build, m->part[i], m->key[i], node, 3 * i, m->to) || !check(build, m->key[i], node, m->to)) {
            return false;
        }
    }
    return true;
}

bool tn_build_bushing(tn_build *build, const tn_raw_joint *raw, const tn_node *own, const tn_node *node,
                      tn_scene_joint *out)
{
    static const char *const compliances[2] = {"compliance", "turn_compliance"};
    tn_scene_bushing *bushing = TN_PUSH(build->reader.storage, tn_scene_bushing, 1);
    if (!bushing) {
        return tn_read_no_memory(&build->reader);
    }
    for (int i = 0; i < 2; i++) {
        if (tn_node_index(own, compliances[i]) >= 0) {
            return fails(build, own, compliances[i], "has no say in a bushing, which takes 'stiffness'");
        }
    }
    const matrix stiffness = {{"stiffness", "turn_stiffness"},
                              "stiffness_matrix",
                              {&raw->stiffness, &raw->turn_stiffness},
                              &raw->stiffness_matrix,
                              bushing->stiffness};
    const matrix damping = {{"damping", "turn_damping"},
                            "damping_matrix",
                            {&raw->damping, &raw->turn_damping},
                            &raw->damping_matrix,
                            bushing->damping};
    if (!read_matrix(build, &stiffness, own, node) || !read_matrix(build, &damping, own, node)) {
        return false;
    }
    if (tn_node_index(node, "turned") >= 0) {
        memcpy(bushing->turned, raw->turned, sizeof bushing->turned);
    }
    double most = 0.0;
    for (int i = 0; i < 6; i++) {
        most = fmax(most, fmax(bushing->stiffness[7 * i], bushing->damping[7 * i]));
    }
    out->bushing = bushing;
    return most > 0.0 || tn_read_error(&build->reader, node->place, "a bushing needs a stiffness or a damping");
}
