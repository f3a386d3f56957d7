#include "problem/joint_rows.h"

#include "math/blocks.h"
#include "math/mat3.h"

double tn_joint_row_velocity(const tn_joint_rows *joints, int i, const double *v)
{
    double y = joints->offset[i];
    for (int e = joints->start[i]; e < joints->start[i + 1]; ++e) {
        y += tn_vec3_dot(&joints->jacobian[3 * (size_t)e], &v[3 * (size_t)joints->block[e]]);
    }
    return y;
}

void tn_joint_row_push(const tn_joint_rows *joints, int i, double f, double *force)
{
    for (int e = joints->start[i]; e < joints->start[i + 1]; ++e) {
        const double *g = &joints->jacobian[3 * (size_t)e];
        double *to = &force[3 * (size_t)joints->block[e]];
        for (int k = 0; k < 3; ++k) {
            to[k] += f * g[k];
        }
    }
}

void tn_joint_rows_velocity(const tn_joint_rows *joints, const double *v, const double *f, double *y)
{
    for (int i = 0; i < joints->n; ++i) {
        y[i] = tn_joint_row_velocity(joints, i, v) + (f ? joints->compliance[i] * f[i] : 0.0);
    }
}

void tn_joint_rows_add_force(const tn_joint_rows *joints, const double *f, double *force)
{
    for (int i = 0; i < joints->n; ++i) {
        tn_joint_row_push(joints, i, f[i], force);
    }
}

// Inverses of the diagonal blocks met last: the rows of a joint follow one another.
typedef struct known_inverse {
    int block;
    double inverse[9]; // 0 where there is none
} known_inverse;

enum { KNOWN = 8 };

static const double *inverse_of(const tn_blocks *A, int block, known_inverse *known)
{
    known_inverse *k = &known[block % KNOWN];
    if (k->block != block) {
        const double *own = tn_blocks_find(A, block, block);
        k->block = block;
        if (!own || !tn_mat3_inverse(k->inverse, own)) {
            for (int i = 0; i < 9; ++i) {
                k->inverse[i] = 0.0;
            }
        }
    }
    return k->inverse;
}

void tn_joint_rows_mass(const tn_joint_rows *joints, const tn_blocks *A, double *rho)
{
    known_inverse known[KNOWN];
    for (int k = 0; k < KNOWN; ++k) {
        known[k].block = -1;
    }
    for (int i = 0; i < joints->n; ++i) {
        double answer = joints->compliance[i];
        for (int e = joints->start[i]; e < joints->start[i + 1]; ++e) {
            const double *g = &joints->jacobian[3 * (size_t)e];
            double x[3];
            tn_mat3_vec(x, inverse_of(A, joints->block[e], known), g);
            answer += tn_vec3_dot(g, x);
        }
        rho[i] = answer > 0.0 && isfinite(1.0 / answer) ? 1.0 / answer : 1.0;
    }
}

double tn_joint_rows_driven(const tn_joint_rows *joints, const double *f)
{
    double sum = 0.0;
    for (int i = 0; joints && f && i < joints->n; ++i) {
        double driven = tn_joint_row_driven(joints, i, f[i]);
        for (int e = joints->start[i]; driven > 0.0 && e < joints->start[i + 1]; ++e) {
            const double *g = &joints->jacobian[3 * (size_t)e];
            sum += driven * driven * tn_vec3_dot(g, g);
        }
    }
    return sqrt(sum);
}

// ---- is it well formed

static tn_status check_row(const tn_joint_rows *joints, int i, int n_blocks, tn_error *error)
{
    for (int e = joints->start[i]; e < joints->start[i + 1]; ++e) {
        if (joints->block[e] < 0 || joints->block[e] >= n_blocks) {
            return tn_error_set(error, TN_BAD_INPUT, "problem: joint row %d acts on block %d, expected 0 to %d", i,
                                joints->block[e], n_blocks - 1);
        }
        for (int k = 0; k < 3; ++k) {
            if (!isfinite(joints->jacobian[3 * (size_t)e + (size_t)k])) {
                return tn_error_set(error, TN_BAD_INPUT, "problem: the Jacobian of joint row %d is not finite", i);
            }
        }
    }
    if (!isfinite(joints->offset[i]) || !isfinite(joints->compliance[i]) || joints->compliance[i] < 0.0) {
        return tn_error_set(error, TN_BAD_INPUT,
                            "problem: joint row %d has offset %g and compliance %g, expected finite numbers, the "
                            "second at least 0",
                            i, joints->offset[i], joints->compliance[i]);
    }
    if (!(joints->lower[i] <= joints->upper[i]) || joints->lower[i] == INFINITY || joints->upper[i] == -INFINITY) {
        return tn_error_set(error, TN_BAD_INPUT, "problem: the force of joint row %d is bounded by %g and %g", i,
                            joints->lower[i], joints->upper[i]);
    }
    return TN_OK;
}

tn_status tn_joint_rows_check(const tn_joint_rows *joints, int n_blocks, tn_error *error)
{
    if (joints->n < 0 || (joints->n > 0 && (!joints->start || !joints->block || !joints->jacobian || !joints->offset ||
                                            !joints->compliance || !joints->lower || !joints->upper))) {
        return tn_error_set(error, TN_BAD_INPUT, "problem: an array of the joint rows is missing");
    }
    for (int i = 0; i < joints->n; ++i) {
        if (joints->start[0] != 0 || joints->start[i + 1] < joints->start[i]) {
            return tn_error_set(error, TN_BAD_INPUT, "problem: the row pointers of the joints fall at row %d", i);
        }
    }
    tn_status status = TN_OK;
    for (int i = 0; status == TN_OK && i < joints->n; ++i) {
        status = check_row(joints, i, n_blocks, error);
    }
    return status;
}
