// Corotational tetrahedra: rotations by what defines them, forces and stiffness by differences of the energy.
#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "kernels/tets/parts.h"
#include "math/mat3.h"
#include "test.h"
#include "tets_mesh.h"

// Measured value beside its limit.
static void check(const char *what, double value, double limit)
{
    printf("%-58s %9.2e  limit %.1e\n", what, value, limit);
    assert_true(value <= limit);
}

// Dm of element e, edges from corner 0 as columns, when rest is kept [m].
static void rest_edges(const tn_tets *tets, size_t e, double edges[9])
{
    const int *node = tets->node + e / TN_TET_LANES * 4 * TN_TET_LANES + e % TN_TET_LANES;
    const double *origin = tets->rest + 4 * (size_t)node[0];
    for (size_t a = 0; a < 3; a++) {
        const double *corner = tets->rest + 4 * (size_t)node[(a + 1) * TN_TET_LANES];
        for (size_t i = 0; i < 3; i++) {
            edges[3 * i + a] = corner[i] - origin[i];
        }
    }
}

// R = sum_a g'_a d_a^T with the rest edges d_a, the columns of Dm: they are dual to the gradients.
static void rotations(const tn_tets *tets, const tn_tets_elastic *elastic, double *rotation)
{
    for (int e = 0; e < tets->n_tets; e++) {
        size_t pack = (size_t)e / TN_TET_LANES, lane = (size_t)e % TN_TET_LANES;
        const double *g = elastic->record + RECORD * (size_t)e + 3;
        double inverse[9], edges[9] = {0.0};
        for (int k = 0; tets->inverse && k < 9; k++) {
            inverse[k] = tets->inverse[(9 * pack + k) * TN_TET_LANES + lane];
        }
        if (tets->inverse) {
            tn_mat3_inverse(edges, inverse);
        } else {
            rest_edges(tets, (size_t)e, edges);
        }
        for (int i = 0; i < 9; i++) {
            int r = i / 3, c = 3 * (i % 3);
            rotation[9 * (size_t)e + i] = g[r] * edges[c] + g[3 + r] * edges[c + 1] + g[6 + r] * edges[c + 2];
        }
    }
}

static tn_tets *create(const tets_mesh *m, tn_arena *arena)
{
    tn_tets_input input = mesh_input(m);
    tn_tets *tets = NULL;
    tn_error error;
    if (tn_tets_create(&input, arena, &tets, &error)) {
        print_message("%s\n", error.message);
        assert_true(false);
    }
    return tets;
}

static tn_tets_elastic *evaluate(const tn_tets *tets, const double *x, tn_arena *arena)
{
    tn_tets_elastic *elastic = NULL;
    assert_int_equal(tn_tets_evaluate(tets, x, 1, arena, &elastic), TN_OK);
    return elastic;
}

static double largest(const double *a, int n)
{
    double m = 0.0;
    for (int i = 0; i < n; i++) {
        m = fmax(m, fabs(a[i]));
    }
    return m;
}

static double largest_difference(const double *a, const double *b, int n)
{
    double m = 0.0;
    for (int i = 0; i < n; i++) {
        m = fmax(m, fabs(a[i] - b[i]));
    }
    return m;
}

// --- Rotations ---

// Deformation gradients of every kind, number k.
static void odd_gradient(int k, double F[9])
{
    double size = pow(10.0, 6.0 * uniform(10, k)), A[9];
    for (int i = 0; i < 9; i++) {
        A[i] = uniform(11, 9 * k + i);
    }
    switch (k % 8) {
    case 1: // near the identity
        for (int i = 0; i < 9; i++) {
            A[i] = (i % 4 == 0) + 1e-3 * A[i];
        }
        break;
    case 2: // flat: third row nearly or quite the first one
        for (int i = 0; i < 3; i++) {
            A[6 + i] = A[i] + (k % 16 < 8 ? 0.0 : 1e-9 * A[6 + i]);
        }
        break;
    case 3: // a line
        for (int i = 0; i < 6; i++) {
            A[3 + i] = (i < 3 ? 2.0 : -3.0) * A[i % 3];
        }
        break;
    case 4: // a mirror image, nearly: several rotations are nearly the best
        for (int i = 0; i < 9; i++) {
            A[i] = (i % 4 == 0) * (i < 8 ? 1.0 : -1.0) + (k % 16 < 8 ? 0.0 : 1e-7 * A[i]);
        }
        break;
    case 5: // minus the identity, nearly
        for (int i = 0; i < 9; i++) {
            A[i] = -(i % 4 == 0) + (k % 16 < 8 ? 0.0 : 1e-5 * A[i]);
        }
        break;
    case 6: // zero, or nearly
        for (int i = 0; i < 9; i++) {
            A[i] *= k % 16 < 8 ? 0.0 : 1e-300;
        }
        break;
    default:
        break;
    }
    for (int i = 0; i < 9; i++) {
        F[i] = size * A[i];
    }
}

// How far R is from a rotation, and from the best one for F: R^T F symmetric, sums of two eigenvalues not negative.
typedef struct rotation_errors {
    double orthogonal, determinant, skew, sums;
} rotation_errors;

static void rotation_judge(const double F[9], const double R[9], rotation_errors *worst)
{
    double RR[9], S[9], s[3], V[9], scale = largest(F, 9), identity[9];
    tn_mat3_identity(identity);
    tn_mat3_mul_tn(RR, R, R);
    worst->orthogonal = fmax(worst->orthogonal, largest_difference(RR, identity, 9));
    worst->determinant = fmax(worst->determinant, fabs(tn_mat3_det(R) - 1.0));
    if (scale == 0.0) {
        assert_true(largest_difference(R, identity, 9) == 0.0);
        return;
    }
    double unit[9];
    for (int i = 0; i < 9; i++) {
        unit[i] = F[i] / scale;
    }
    tn_mat3_mul_tn(S, R, unit);
    worst->skew = fmax(worst->skew, fmax(fabs(S[1] - S[3]), fmax(fabs(S[2] - S[6]), fabs(S[5] - S[7]))));
    S[3] = S[1];
    S[6] = S[2];
    S[7] = S[5];
    tn_mat3_eigen(S, s, V);
    worst->sums = fmax(worst->sums, -(s[0] + s[1]));
}

static void rotation_report(const char *who, const rotation_errors *e)
{
    printf("%s\n", who);
    check("  |R^T R - 1| (a few roundings)", e->orthogonal, 1e-14);
    check("  |det R - 1|", e->determinant, 1e-14);
    check("  |skew R^T F|/|F|", e->skew, 1e-13);
    check("  -(s_1 + s_2)/|F|: 0 at the best rotation", e->sums, 1e-13);
}

static void rotation_is_the_best_one(void **state)
{
    enum { N = 20000 };
    tn_arena *arena = tn_arena_create(0);
    tets_mesh m = mesh_separate(N, true, arena);
    tn_tets *tets = create(&m, arena);
    double *x = TN_PUSH(arena, double, 12 * N), *R = TN_PUSH(arena, double, 9 * N), F[9], one[9];
    rotation_errors scalar = {0}, packed = {0};
    for (int e = 0; e < N; e++) {
        odd_gradient(e, F);
        tn_tet_rotation(F, one);
        rotation_judge(F, one, &scalar);
        for (int i = 0; i < 9; i++) {
            x[12 * e + 3 + 3 * (i % 3) + i / 3] = F[i];
        }
    }
    rotations(tets, evaluate(tets, x, arena), R);
    for (int e = 0; e < N; e++) {
        odd_gradient(e, F);
        rotation_judge(F, R + 9 * (size_t)e, &packed);
    }
    rotation_report("one by one", &scalar);
    rotation_report("in packs", &packed);
    tn_arena_destroy(arena);
}

static void rotation_of_extremes(void **state)
{
    const double huge[9] = {1e308, 0, 0, 0, 1e308, 0, 0, 0, 1e308},
                 tiny[9] = {5e-324, 0, 0, 0, 5e-324, 0, 0, 0, 5e-324};
    double R[9], identity[9], nan[9] = {(double)NAN, 0, 0, 0, 1, 0, 0, 0, 1};
    tn_mat3_identity(identity);
    tn_tet_rotation(huge, R);
    assert_true(largest_difference(R, identity, 9) < 1e-15);
    tn_tet_rotation(tiny, R);
    assert_true(largest_difference(R, identity, 9) < 1e-15);
    tn_tet_rotation(nan, R); // comes back
}

// --- Energy and force ---

static void turn(double degrees, double R[9])
{
    const double axis[3] = {2.0 / 7.0, 3.0 / 7.0, 6.0 / 7.0};
    double c = cos(degrees * M_PI / 180.0), s = sin(degrees * M_PI / 180.0);
    tn_mat3_skew(R, axis);
    for (int i = 0; i < 9; i++) {
        R[i] = s * R[i] + (1.0 - c) * axis[i / 3] * axis[i % 3] + (i % 4 == 0) * c;
    }
}

static void rigid_motion_is_free(void **state)
{
    const double young = 1e5, h = 0.1;
    tn_arena *arena = tn_arena_create(0);
    tets_mesh m = mesh_box(4, 3, 5, h, 0.2, arena);
    mesh_material(&m, young, 0.49, 1.0, 0.0);
    tn_tets *tets = create(&m, arena);
    double *x = TN_PUSH(arena, double, 3 * m.n_nodes), *f = TN_PUSH(arena, double, 3 * m.n_nodes), worst = 0.0;
    for (int step = 1; step <= 17; step++) {
        double R[9];
        turn(10.0 * step, R);
        for (int i = 0; i < m.n_nodes; i++) {
            tn_mat3_vec(x + 3 * i, R, m.rest + 3 * i);
            x[3 * i] += 0.3;
        }
        tn_tets_force(tets, evaluate(tets, x, arena), 1, f);
        worst = fmax(worst, largest(f, 3 * m.n_nodes) / (young * h * h));
    }
    check("force of rigid motions / (E h^2)", worst, 1e-10);
    tn_arena_destroy(arena);
}

// x = rest deformed at random by about amount h; from 1 on many elements are inverted.
static double *deformed(const tets_mesh *m, double amount, double stretch, tn_arena *arena)
{
    double *x = TN_PUSH(arena, double, 3 * m->n_nodes);
    for (int i = 0; i < 3 * m->n_nodes; i++) {
        x[i] = stretch * m->rest[i] + amount * uniform(20, i);
    }
    return x;
}

static int count_inverted(const tets_mesh *m, const double *x)
{
    int count = 0;
    for (int e = 0; e < m->n_tets; e++) {
        double D[9];
        for (int a = 0; a < 3; a++) {
            tn_vec3_sub(D + 3 * a, x + 3 * m->tets[4 * e + a + 1], x + 3 * m->tets[4 * e]);
        }
        count += tn_mat3_det(D) < 0.0;
    }
    return count;
}

static void force_is_the_slope_of_the_energy(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tets_mesh m = mesh_box(2, 2, 2, 0.1, 0.2, arena);
    const double amounts[3] = {1e-3, 0.02, 0.1}, d = 1e-6;
    tn_tets *tets = create(&m, arena);
    double *f = TN_PUSH(arena, double, 3 * m.n_nodes), *slope = TN_PUSH(arena, double, 3 * m.n_nodes);
    for (int k = 0; k < 3; k++) {
        double *x = deformed(&m, amounts[k], 1.0, arena);
        tn_tets_force(tets, evaluate(tets, x, arena), 1, f);
        for (int i = 0; i < 3 * m.n_nodes; i++) {
            double x0 = x[i];
            x[i] = x0 + d;
            double up = tn_tets_energy(tets, evaluate(tets, x, arena));
            x[i] = x0 - d;
            double down = tn_tets_energy(tets, evaluate(tets, x, arena));
            x[i] = x0;
            slope[i] = (down - up) / (2.0 * d);
        }
        printf("%d of %d elements inverted\n", count_inverted(&m, x), m.n_tets);
        check("force against the energy's difference, relative",
              largest_difference(f, slope, 3 * m.n_nodes) / largest(f, 3 * m.n_nodes), 1e-7);
    }
    tn_arena_destroy(arena);
}

static void force_has_no_sum_nor_couple(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tets_mesh m = mesh_box(5, 4, 3, 0.1, 0.2, arena);
    tn_tets *tets = create(&m, arena);
    double *x = deformed(&m, 0.1, 1.0, arena), *f = TN_PUSH(arena, double, 3 * m.n_nodes);
    double sum[3] = {0}, couple[3] = {0};
    tn_tets_force(tets, evaluate(tets, x, arena), 1, f);
    for (int i = 0; i < m.n_nodes; i++) {
        double c[3];
        tn_vec3_cross(c, x + 3 * i, f + 3 * i);
        tn_vec3_add(sum, sum, f + 3 * i);
        tn_vec3_add(couple, couple, c);
    }
    check("sum of forces / largest", largest(sum, 3) / largest(f, 3 * m.n_nodes), 1e-10);
    check("sum of couples / (largest force, 1 m)", largest(couple, 3) / largest(f, 3 * m.n_nodes), 1e-10);
    tn_arena_destroy(arena);
}

// x = G rest, then turned: one stress everywhere (R sigma R^T), no force inside.
static void patch_test(void **state)
{
    enum { N = 4 };
    tn_arena *arena = tn_arena_create(0);
    tets_mesh m = mesh_box(N, N, N, 0.1, 0.2, arena);
    tn_tets *tets = create(&m, arena);
    // Symmetric G, so that the polar rotation is the later turn alone.
    const double G[9] = {1.10, 0.03, -0.02, 0.03, 0.95, 0.01, -0.02, 0.01, 1.02};
    double R[9], F[9], e[9], sigma[9], T[9], B[9];
    turn(50.0, R);
    tn_mat3_mul(F, R, G);
    double trace = G[0] + G[4] + G[8] - 3.0;
    for (int i = 0; i < 9; i++) {
        e[i] = G[i] - (i % 4 == 0);
        sigma[i] = 2.0 * m.mu[0] * e[i] + (i % 4 == 0) * m.lambda[0] * trace;
    }
    tn_mat3_mul(B, R, sigma);
    tn_mat3_mul_nt(T, B, R);
    double *x = TN_PUSH(arena, double, 3 * m.n_nodes), *f = TN_PUSH(arena, double, 3 * m.n_nodes);
    double *stress = TN_PUSH(arena, double, 6 * m.n_tets), worst = 0.0, inside = 0.0, energy = 0.0;
    for (int i = 0; i < m.n_nodes; i++) {
        tn_mat3_vec(x + 3 * i, F, m.rest + 3 * i);
    }
    tn_tets_elastic *elastic = evaluate(tets, x, arena);
    tn_tets_force(tets, elastic, 1, f);
    tn_tets_stress(tets, elastic, stress);
    const double expected[6] = {T[0], T[4], T[8], T[5], T[2], T[1]};
    for (int k = 0; k < m.n_tets; k++) {
        worst = fmax(worst, largest_difference(stress + 6 * k, expected, 6));
        double D[9];
        for (int a = 0; a < 3; a++) {
            tn_vec3_sub(D + 3 * a, m.rest + 3 * m.tets[4 * k + a + 1], m.rest + 3 * m.tets[4 * k]);
        }
        for (int i = 0; i < 9; i++) {
            energy += tn_mat3_det(D) / 12.0 * sigma[i] * e[i];
        }
    }
    for (int i = 0; i < m.n_nodes; i++) {
        const int at[3] = {i % (N + 1), i / (N + 1) % (N + 1), i / (N + 1) / (N + 1)};
        bool within = at[0] % N && at[1] % N && at[2] % N;
        inside = within ? fmax(inside, largest(f + 3 * i, 3)) : inside;
    }
    check("patch: stress against the exact one, relative", worst / largest(T, 9), 1e-12);
    check("patch: force inside / largest outside", inside / largest(f, 3 * m.n_nodes), 1e-12);
    check("patch: energy, relative", fabs(tn_tets_energy(tets, elastic) / energy - 1.0), 1e-12);
    tn_arena_destroy(arena);
}

static void uniaxial_energy(void **state)
{
    const double young = 2e5, strain = 0.07, length = 0.3;
    tn_arena *arena = tn_arena_create(0);
    tets_mesh m = mesh_box(3, 3, 3, 0.1, 0.0, arena);
    mesh_material(&m, young, 0.0, 1.0, 0.0);
    tn_tets *tets = create(&m, arena);
    double *x = TN_PUSH(arena, double, 3 * m.n_nodes), *each = TN_PUSH(arena, double, m.n_tets), sum = 0.0;
    for (int i = 0; i < 3 * m.n_nodes; i++) {
        x[i] = m.rest[i] * (i % 3 == 1 ? 1.0 + strain : 1.0);
    }
    tn_tets_elastic *elastic = evaluate(tets, x, arena);
    tn_tets_energies(tets, elastic, each);
    for (int e = 0; e < m.n_tets; e++) {
        sum += each[e];
    }
    double exact = 0.5 * young * length * length * length * strain * strain;
    check("uniaxial: energy against E V eps^2/2", fabs(tn_tets_energy(tets, elastic) / exact - 1.0), 1e-12);
    check("uniaxial: sum of the elements", fabs(sum / tn_tets_energy(tets, elastic) - 1.0), 1e-14);
    tn_arena_destroy(arena);
}

// --- Stiffness ---

// One element's S (12 x 12) through the product.
static void dense(const tn_tets *tets, const tn_tets_elastic *elastic, int n, double *S)
{
    double v[12] = {0}, y[12];
    for (int j = 0; j < n; j++) {
        v[j] = 1.0;
        tn_tets_product(tets, elastic, 1, v, y);
        v[j] = 0.0;
        for (int i = 0; i < n; i++) {
            S[n * i + j] = y[i];
        }
    }
}

// Minus the force's differences at x.
static void difference_hessian(const tn_tets *tets, double *x, int n, double d, tn_arena *arena, double *H)
{
    double up[12], down[12];
    for (int j = 0; j < n; j++) {
        double x0 = x[j];
        x[j] = x0 + d;
        tn_tets_force(tets, evaluate(tets, x, arena), 1, up);
        x[j] = x0 - d;
        tn_tets_force(tets, evaluate(tets, x, arena), 1, down);
        x[j] = x0;
        for (int i = 0; i < n; i++) {
            H[n * i + j] = (down[i] - up[i]) / (2.0 * d);
        }
    }
}

// Smallest eigenvalue not below -shift: Cholesky of S + shift goes through.
static bool is_positive(const double *S, int n, double shift)
{
    double L[144];
    for (int j = 0; j < n; j++) {
        for (int i = j; i < n; i++) {
            double sum = 0.5 * (S[n * i + j] + S[n * j + i]) + (i == j) * shift;
            for (int k = 0; k < j; k++) {
                sum -= L[n * i + k] * L[n * j + k];
            }
            if (i == j && !(sum > 0.0)) {
                return false;
            }
            L[n * i + j] = i == j ? sqrt(sum) : sum / L[n * j + j];
        }
    }
    return true;
}

static tets_mesh single(double stiffness_time, double geometric_time, tn_arena *arena)
{
    tets_mesh m = mesh_separate(1, false, arena);
    mesh_material(&m, 1.0, 0.35, stiffness_time, geometric_time);
    return m;
}

// K = V B^T C B from the definition, R from the scalar rotation.
static void plain_stiffness(const tets_mesh *m, const double *x, double *K)
{
    double D[9], Dm[9], inverse[9], F[9], R[9], g[4][3] = {{0}};
    for (int i = 0; i < 9; i++) {
        int a = i % 3, r = i / 3;
        D[i] = x[3 * (a + 1) + r] - x[r];
        Dm[i] = m->rest[3 * (a + 1) + r] - m->rest[r];
    }
    assert_true(tn_mat3_inverse(inverse, Dm));
    tn_mat3_mul(F, D, inverse);
    tn_tet_rotation(F, R);
    for (int a = 1; a < 4; a++) {
        tn_mat3_vec(g[a], R, inverse + 3 * (a - 1));
        tn_vec3_sub(g[0], g[0], g[a]);
    }
    for (int p = 0; p < 12; p++) {
        for (int q = 0; q < 12; q++) {
            double sum = 0.0;
            for (int i = 0; i < 9; i++) {
                int r = i / 3, c = i % 3;
                double ep = 0.5 * ((r == p % 3) * g[p / 3][c] + (c == p % 3) * g[p / 3][r]);
                double eq = 0.5 * ((r == q % 3) * g[q / 3][c] + (c == q % 3) * g[q / 3][r]);
                sum += 2.0 * m->mu[0] * ep * eq;
            }
            sum += m->lambda[0] * g[p / 3][p % 3] * g[q / 3][q % 3];
            K[12 * p + q] = tn_mat3_det(Dm) / 6.0 * sum;
        }
    }
}

static void stiffness_with_held_rotation(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tets_mesh m = single(1.0, 0.0, arena);
    tn_tets *tets = create(&m, arena);
    double worst = 0.0, S[144], K[144];
    for (int k = 0; k < 50; k++) {
        double x[12];
        for (int i = 0; i < 12; i++) {
            x[i] = m.rest[i] + 0.8 * uniform(30, 12 * k + i);
        }
        dense(tets, evaluate(tets, x, arena), 12, S);
        plain_stiffness(&m, x, K);
        worst = fmax(worst, largest_difference(S, K, 144) / largest(K, 144));
    }
    check("K against V B^T C B, relative", worst, 1e-12);
    tn_arena_destroy(arena);
}

static void stretched_hessian_is_exact(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tets_mesh m = single(1.0, 1.0, arena);
    tn_tets *tets = create(&m, arena);
    double worst = 0.0, S[144], H[144];
    for (int k = 0; k < 50; k++) {
        double x[12];
        for (int i = 0; i < 12; i++) { // every tau_k > 0: nothing to project
            x[i] = 1.4 * m.rest[i] + 0.05 * uniform(31, 12 * k + i);
        }
        dense(tets, evaluate(tets, x, arena), 12, S);
        difference_hessian(tets, x, 12, 1e-5, arena, H);
        worst = fmax(worst, largest_difference(S, H, 144) / largest(H, 144));
    }
    // Central difference of 1e-5 edges: third derivatives 1e-10, rounding 1e-11.
    check("K + E against the force's differences, relative", worst, 1e-8);
    tn_arena_destroy(arena);
}

static void projection_takes_the_positive_part(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tets_mesh m = single(1.0, 1.0, arena), rigid = single(1.0, 0.0, arena);
    tn_tets *tets = create(&m, arena), *plain = create(&rigid, arena);
    double S[144], K[144], H[144], D[144];
    int indefinite = 0;
    for (int k = 0; k < 300; k++) {
        double x[12], size = 1.0 / (1 << k % 4);
        for (int i = 0; i < 12; i++) {
            x[i] = (0.8 + 0.4 * uniform(33, k)) * m.rest[i] + 0.6 * size * uniform(32, 12 * k + i);
        }
        dense(tets, evaluate(tets, x, arena), 12, S);
        dense(plain, evaluate(plain, x, arena), 12, K);
        difference_hessian(tets, x, 12, 1e-5, arena, H);
        indefinite += !is_positive(H, 12, 1e-6 * largest(H, 144));
        for (int i = 0; i < 144; i++) {
            D[i] = S[i] - K[i];
        }
        // Rounding of dense sums; differences lose accuracy where two singular values nearly cancel.
        assert_true(is_positive(S, 12, 1e-14 * largest(S, 144)));
        assert_true(is_positive(D, 12, 1e-14 * largest(S, 144)));
        for (int i = 0; i < 144; i++) {
            D[i] = S[i] - H[i];
        }
        assert_true(is_positive(D, 12, 1e-5 * largest(H, 144)));
    }
    printf("exact Hessian indefinite in %d of 300 cases, K + E never\n", indefinite);
    assert_true(indefinite > 30);
    tn_arena_destroy(arena);
}

// The projected rotations' stiffness of one element from its definition: sum of tau_k V q_k q_k^T over the positive
// tau_k, q_k(x) = w_k . (sum_a g'_a x x_a)/sqrt(2).
static void plain_spin(const tets_mesh *m, const double *x, double *E)
{
    double D[9], Dm[9], inverse[9], F[9], R[9], W[9], s[3], V[9], g[4][3] = {{0}};
    for (int i = 0; i < 9; i++) {
        int a = i % 3, r = i / 3;
        D[i] = x[3 * (a + 1) + r] - x[r];
        Dm[i] = m->rest[3 * (a + 1) + r] - m->rest[r];
    }
    assert_true(tn_mat3_inverse(inverse, Dm));
    tn_mat3_mul(F, D, inverse);
    tn_tet_rotation(F, R);
    for (int a = 1; a < 4; a++) {
        tn_mat3_vec(g[a], R, inverse + 3 * (a - 1));
        tn_vec3_sub(g[0], g[0], g[a]);
    }
    tn_mat3_mul_nt(W, F, R);
    tn_mat3_eigen(W, s, V);
    memset(E, 0, 144 * sizeof *E);
    for (int k = 0; k < 3; k++) {
        double trace = s[0] + s[1] + s[2], w[3] = {V[k], V[3 + k], V[6 + k]}, q[12];
        double tau =
            2.0 * m->mu[0] - 2.0 * (2.0 * m->mu[0] - m->lambda[0] * (trace - 3.0)) / fmax(trace - s[k], 0.0625);
        for (int p = 0; p < 12; p++) {
            double unit[3] = {p % 3 == 0, p % 3 == 1, p % 3 == 2}, c[3];
            tn_vec3_cross(c, g[p / 3], unit);
            q[p] = sqrt(0.5) * tn_vec3_dot(w, c);
        }
        for (int i = 0; i < 144 && tau > 0.0; i++) {
            E[i] += tau * tn_mat3_det(Dm) / 6.0 * q[i / 12] * q[i % 12];
        }
    }
}

// Edge stretches of every kind: three, two, one or no positive tau, equal ones, inverted elements.
static void stretch_of_every_kind(int k, double G[9])
{
    const double levels[6] = {1.0, 1.05, 0.9, 1.4, 0.3, -0.4}, shears[4] = {0.0, 1e-9, 1e-3, 0.3};
    for (int i = 0; i < 9; i++) { // along the axes, then sheared a little or much
        int level = i % 4 ? 0 : (k / (i == 0 ? 1 : i == 4 ? 6 : 36)) % 6;
        G[i] = (i % 4 == 0) * levels[level] + shears[k % 4] * uniform(50, 9 * k + i);
    }
}

// No strain but rounding: last bits along the axes, and across them what is far below a last bit of 1.
static void stretch_of_rounding(int k, double G[9])
{
    for (int i = 0; i < 3; i++) {
        int p = i == 0, q = i == 2 ? 1 : 2;
        G[4 * i] = 1.0 + 0x1p-53 * floor(7.0 * uniform(51, 3 * k + i));
        double across = k % 5 == i ? 0.0 : ldexp(uniform(52, 3 * k + i), -53 - k % 40);
        G[3 * p + q] = G[3 * q + p] = across;
    }
}

// The largest difference of S from its definition, relative to K, over the stretches 0..n-1.
static double worst_spin(double poisson, int n, void (*stretch)(int, double *), tn_arena *arena)
{
    tets_mesh m = single(0.0, 1.0, arena);
    mesh_material(&m, 1.0, poisson, 0.0, 1.0);
    if (stretch == stretch_of_rounding) { // so that the gradient is G to the bit
        const double corner[12] = {0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0};
        memcpy(m.rest, corner, sizeof corner);
    }
    tn_tets *tets = create(&m, arena);
    double S[144], E[144], K[144], worst = 0.0;
    for (int k = 0; k < n; k++) {
        double x[12], G[9], Q[9] = {1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0}, QG[9];
        if (stretch == stretch_of_every_kind) {
            turn(37.0 * k, Q);
        }
        stretch(k, G);
        tn_mat3_mul(QG, Q, G);
        for (int a = 0; a < 4; a++) {
            tn_mat3_vec(x + 3 * a, QG, m.rest + 3 * a);
        }
        dense(tets, evaluate(tets, x, arena), 12, S);
        plain_spin(&m, x, E);
        plain_stiffness(&m, x, K);
        worst = fmax(worst, largest_difference(S, E, 144) / largest(K, 144));
    }
    return worst;
}

static void spin_is_the_positive_part(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    check("E against the sum over eigenvectors, relative to K", worst_spin(0.35, 4000, stretch_of_every_kind, arena),
          1e-11);
    // E is then of the order of rounding itself.
    check("E without strain, Poisson's ratio 0.35", worst_spin(0.35, 8000, stretch_of_rounding, arena), 1e-13);
    check("E without strain, Poisson's ratio 0", worst_spin(0.0, 8000, stretch_of_rounding, arena), 1e-13);
    tn_arena_destroy(arena);
}

// A box with pinned nodes (no block), tied nodes, several materials, numbers of blocks in another order.
static tets_mesh mixed_box(tn_arena *arena)
{
    tets_mesh m = mesh_box(6, 5, 4, 0.1, 0.2, arena);
    int count = 0;
    for (int e = 0; e < m.n_tets; e++) {
        m.lambda[e] *= e % 3 ? 1.0 : 5.0;
        m.mu[e] *= e % 5 ? 1.0 : 0.5;
        m.stiffness_time[e] = e % 7 ? 1e-2 : 2e-2;
        m.geometric_time[e] = e % 2 ? 0.0 : 1e-2;
    }
    for (int i = m.n_nodes - 1; i >= 0; i--) {
        m.tied[i] = i % 11 == 0;
        m.block[i] = i % 11 == 0 || i % 13 == 1 ? -1 : count++;
    }
    mesh_pattern(&m, arena);
    return m;
}

static void blocks_agree_with_the_product(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tets_mesh m = mixed_box(arena);
    tn_tets *tets = create(&m, arena);
    tn_tets_elastic *elastic = evaluate(tets, deformed(&m, 0.06, 1.1, arena), arena);
    int n = m.n_nodes, n_rows = m.pattern->n_rows;
    double *inertia = TN_PUSH(arena, double, n), *v = TN_PUSH(arena, double, 3 * n), *y = TN_PUSH(arena, double, 3 * n);
    double *vb = TN_PUSH(arena, double, 3 * n_rows), *yb = TN_PUSH(arena, double, 3 * n_rows);
    for (int i = 0; i < n; i++) {
        inertia[i] = 100.0 * (2.0 + uniform(40, i));
    }
    tn_tets_stiffness(tets, elastic, inertia, 1, m.pattern->value);
    assert_true(tn_blocks_is_symmetric(m.pattern, 0.0));
    double worst = 0.0, least = INFINITY;
    for (int trial = 0; trial < 20; trial++) {
        memset(v, 0, 3 * (size_t)n * sizeof *v);
        for (int i = 0; i < 3 * n; i++) {
            if (m.block[i / 3] >= 0) {
                v[i] = vb[3 * m.block[i / 3] + i % 3] = uniform(41 + trial, i);
            }
        }
        tn_tets_product(tets, elastic, 1, v, y);
        tn_blocks_mul(m.pattern, vb, yb);
        double power = 0.0;
        for (int i = 0; i < 3 * n; i++) {
            power += v[i] * y[i];
            if (m.block[i / 3] >= 0) {
                double expected = y[i] + inertia[i / 3] * v[i];
                worst = fmax(worst, fabs(yb[3 * m.block[i / 3] + i % 3] - expected));
            }
        }
        least = fmin(least, power);
    }
    check("blocks against the product, relative", worst / largest(yb, 3 * n_rows), 1e-13);
    assert_true(least > 0.0);
    tn_arena_destroy(arena);
}

// Velocities of driven nodes alone: the product of all elements, bit by bit.
static void driven_product_is_the_product(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tets_mesh m = mixed_box(arena);
    tn_tets *tets = create(&m, arena);
    tn_tets_elastic *elastic = evaluate(tets, deformed(&m, 0.06, 1.1, arena), arena);
    double *v = TN_PUSH(arena, double, 3 * m.n_nodes), *y = TN_PUSH(arena, double, 3 * m.n_nodes);
    double *driven = TN_PUSH(arena, double, 3 * m.n_nodes);
    for (int i = 0; i < 3 * m.n_nodes; i++) {
        v[i] = m.block[i / 3] < 0 && !m.tied[i / 3] ? uniform(43, i) : 0.0;
    }
    tn_tets_product(tets, elastic, 1, v, y);
    tn_tets_product_driven(tets, elastic, v, driven);
    assert_true(tets->n_driven > 0 && tets->n_driven < tets->n_tets && largest(y, 3 * m.n_nodes) > 0.0);
    for (int i = 0; i < 3 * m.n_nodes; i++) {
        assert_true(y[i] == driven[i]); // 0 and -0 are the same
    }
    tn_arena_destroy(arena);
}

// Energies alone: the bits of the whole evaluation, inverted elements and rest shapes found anew among them.
static void energies_alone_are_the_same_bits(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tets_mesh m = mixed_box(arena);
    for (int anew = 0; anew < 2; anew++) {
        tn_tets_input input = mesh_input(&m);
        input.inverse_below = anew ? 1 : 0;
        tn_tets *tets = NULL;
        tn_tets_elastic *alone = NULL;
        tn_error error;
        assert_int_equal(tn_tets_create(&input, arena, &tets, &error), TN_OK);
        double *x = deformed(&m, 0.08, 1.1, arena), *energy = TN_PUSH(arena, double, 2 * m.n_tets);
        tn_tets_elastic *whole = evaluate(tets, x, arena);
        assert_int_equal(tn_tets_evaluate_energy(tets, x, 2, arena, &alone), TN_OK);
        assert_true(tn_tets_energy(tets, alone) == tn_tets_energy(tets, whole));
        tn_tets_energies(tets, alone, energy);
        tn_tets_energies(tets, whole, energy + m.n_tets);
        assert_memory_equal(energy, energy + m.n_tets, (size_t)m.n_tets * sizeof *energy);
    }
    tn_arena_destroy(arena);
}

static void tied_blocks_agree_with_the_product(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tets_mesh m = mixed_box(arena);
    tn_tets *tets = create(&m, arena);
    tn_tets_elastic *elastic = evaluate(tets, deformed(&m, 0.06, 1.1, arena), arena);
    const tn_tets_pair *pairs;
    int n = tn_tets_tied_pairs(tets, &pairs), found = 0;
    double *value = TN_PUSH(arena, double, 9 * n), *v = TN_PUSH(arena, double, 3 * m.n_nodes);
    double *y = TN_PUSH(arena, double, 3 * m.n_nodes), worst = 0.0;
    tn_tets_tied(tets, elastic, value);
    for (int i = 0; i < 3 * m.n_nodes; i++) { // column i of S
        v[i] = 1.0;
        tn_tets_product(tets, elastic, 1, v, y);
        v[i] = 0.0;
        for (int j = 0; j < m.n_nodes; j++) {
            int a = j < i / 3 ? j : i / 3, b = j < i / 3 ? i / 3 : j, k = 0;
            while (k < n && (pairs[k].node[0] != a || pairs[k].node[1] != b)) {
                k++;
            }
            bool wanted = (m.tied[a] && (m.tied[b] || m.block[b] >= 0)) || (m.tied[b] && m.block[a] >= 0);
            if (k == n) { // no pair: not wanted, or nothing in common
                assert_true(!wanted || largest(y + 3 * j, 3) == 0.0);
                continue;
            }
            assert_true(wanted);
            found++;
            for (int r = 0; r < 3; r++) {
                double s = j == a ? value[9 * k + 3 * r + i % 3] : value[9 * k + 3 * (i % 3) + r];
                worst = fmax(worst, fabs(s - y[3 * j + r]));
            }
        }
    }
    assert_true(n > 100 && found > 3 * n);
    check("tied blocks against the product, relative", worst / largest(value, 9 * n), 1e-13);
    tn_arena_destroy(arena);
}

// --- Threads, odd input ---

static void threads_change_no_bit(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tets_mesh m = mesh_box(13, 11, 6, 0.1, 0.2, arena); // 5148 elements: enough for a team
    mesh_material(&m, 1e5, 0.4, 1e-2, 1e-2);
    tn_tets *tets = create(&m, arena);
    double *x = deformed(&m, 0.05, 1.1, arena), *inertia = TN_PUSH(arena, double, m.n_nodes);
    size_t n = 3 * (size_t)m.n_nodes, n_value = 9 * (size_t)m.pattern->start[m.pattern->n_rows];
    double *out[3];
    for (int t = 0; t < 3; t++) {
        tn_tets_elastic *elastic;
        assert_int_equal(tn_tets_evaluate(tets, x, t + 1, arena, &elastic), TN_OK);
        out[t] = TN_PUSH(arena, double, 2 * n + n_value);
        tn_tets_force(tets, elastic, t + 1, out[t]);
        tn_tets_product(tets, elastic, t + 1, x, out[t] + n);
        tn_tets_stiffness(tets, elastic, inertia, t + 1, out[t] + 2 * n);
        assert_memory_equal(out[t], out[0], (2 * n + n_value) * sizeof(double));
    }
    tn_arena_destroy(arena);
}

// Each instruction set's kernels against the baseline's, bit by bit.
static void compare_instruction_sets(const tets_mesh *m, tn_arena *arena)
{
    tn_tets *tets = create(m, arena);
    size_t n = 3 * (size_t)m->n_nodes, n_value = 9 * (size_t)m->pattern->start[m->pattern->n_rows];
    double *x = deformed(m, 0.08, 1.1, arena), *inertia = TN_PUSH(arena, double, m->n_nodes);
    double *position = TN_PUSH(arena, double, 4 * m->n_nodes), *expected = TN_PUSH(arena, double, 2 * n + n_value);
    for (size_t i = 0; i < n; i++) {
        position[4 * (i / 3) + i % 3] = x[i];
        inertia[i / 3] = 0.1 * (double)(i / 3);
    }
    tn_tets_elastic *reference = evaluate(tets, x, arena), *elastic = evaluate(tets, x, arena);
    const char *kinds[] = {"baseline", "avx2", "avx512"};
    for (int k = 0; k < 3; k++) {
        const tet_kernels *kernels = tn_tets_kernels_named(kinds[k]);
        if (!kernels) {
            assert_true(k > 0);
            print_message("no %s here\n", kinds[k]);
            continue;
        }
        double *out = TN_PUSH(arena, double, 2 * n + n_value);
        kernels->packs(tets, position, elastic, 0, tets->n_packs);
        assert_memory_equal(elastic->record, reference->record, RECORD * (size_t)m->n_tets * sizeof(double));
        if (reference->spin) {
            assert_memory_equal(elastic->spin, reference->spin, SPIN * (size_t)m->n_tets * sizeof(double));
        }
        assert_memory_equal(elastic->energy, reference->energy, (size_t)m->n_tets * sizeof(double));
        kernels->rows->forces(tets, elastic, out, 0, m->n_nodes);
        kernels->rows->scatter(tets, elastic, x, out + n, 0, m->n_tets);
        for (int i = 0; i < m->n_nodes; i++) {
            double row[3], *y = memcpy(row, out + n + 3 * (size_t)i, sizeof row);
            kernels->rows->product(tets, elastic, x, out + n, i);
            assert_memory_equal(y, out + n + 3 * (size_t)i, sizeof row);
        }
        kernels->rows->edges(tets, elastic, out + 2 * n, 0, tets->n_edges);
        kernels->rows->diagonals(tets, elastic, inertia, out + 2 * n, 0, tets->n_diagonals);
        if (k == 0) {
            memcpy(expected, out, (2 * n + n_value) * sizeof(double));
        }
        assert_memory_equal(out, expected, (2 * n + n_value) * sizeof(double));
    }
}

// A box with inverted elements, several materials and spins; one material without spins, whose blocks AVX-512 sums in
// a way of its own.
static void instruction_sets_change_no_bit(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tets_mesh mixed = mixed_box(arena), plain = mesh_box(5, 4, 3, 0.1, 0.2, arena);
    compare_instruction_sets(&mixed, arena);
    mesh_material(&plain, 1e5, 0.3, 1e-2, 0.0);
    compare_instruction_sets(&plain, arena);
    assert_null(tn_tets_kernels_named("abacus"));
    printf("instruction set here: %s\n", tn_tets_kernels()->kind);
    tn_arena_destroy(arena);
}

// Rest shapes that are kept and those found anew: records to the last bit, rotations to rounding (cond Dm 1e-16), for
// every instruction set.
static void rest_shapes_found_anew_change_no_bit(void **state)
{
    const char *kinds[3] = {"avx512", "avx2", "baseline"};
    tn_arena *arena = tn_arena_create(0);
    tets_mesh m = mesh_box(5, 4, 3, 0.1, 0.2, arena);
    mesh_material(&m, 1e5, 0.3, 1e-2, 1e-2);
    tn_tets_input input = mesh_input(&m);
    tn_tets *kept = create(&m, arena), *anew = NULL;
    input.inverse_below = 1;
    assert_int_equal(tn_tets_create(&input, arena, &anew, NULL), TN_OK);
    assert_true(kept->inverse && !kept->rest && !anew->inverse && anew->rest);
    size_t slots = (size_t)kept->n_packs * TN_TET_LANES;
    double *position = TN_PUSH(arena, double, 4 * (size_t)m.n_nodes);
    for (int i = 0; i < 3 * m.n_nodes; i++) {
        position[i / 3 * 4 + i % 3] = m.rest[i] + 0.01 * sin(7.0 * i);
    }
    for (int k = 0; k < 3; k++) {
        const tet_kernels *kernels = tn_tets_kernels_named(kinds[k]);
        if (!kernels) {
            continue;
        }
        tn_tets_elastic out[2];
        double *rotation[2];
        for (int way = 0; way < 2; way++) {
            const tn_tets *tets = way ? anew : kept;
            out[way] = (tn_tets_elastic){TN_PUSH(arena, double, RECORD *slots), TN_PUSH(arena, double, slots),
                                         TN_PUSH(arena, double, SPIN *slots + 4)};
            rotation[way] = TN_PUSH(arena, double, 9 * (size_t)m.n_tets);
            kernels->packs(tets, position, &out[way], 0, tets->n_packs);
            rotations(tets, &out[way], rotation[way]);
        }
        assert_memory_equal(out[0].record, out[1].record, RECORD * slots * sizeof(double));
        assert_memory_equal(out[0].spin, out[1].spin, SPIN * slots * sizeof(double));
        check(kinds[k], largest_difference(rotation[0], rotation[1], 9 * m.n_tets), 1e-12);
    }
    tn_arena_destroy(arena);
}

static void nan_goes_through(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tets_mesh m = mesh_box(2, 2, 2, 0.1, 0.2, arena);
    mesh_material(&m, 1e5, 0.4, 1e-2, 1e-2);
    tn_tets *tets = create(&m, arena);
    double *x = deformed(&m, 0.0, 1.0, arena), *f = TN_PUSH(arena, double, 3 * m.n_nodes);
    x[0] = (double)NAN;
    x[10] = INFINITY;
    tn_tets_elastic *elastic = evaluate(tets, x, arena);
    tn_tets_force(tets, elastic, 1, f);
    tn_tets_stiffness(tets, elastic, f, 1, m.pattern->value);
    assert_true(isnan(f[0]));
    tn_arena_destroy(arena);
}

static void bad_input_is_named(void **state)
{
    tn_arena *arena = tn_arena_create(0);
    tets_mesh m = mesh_box(1, 1, 1, 0.1, 0.0, arena);
    tn_tets_input input = mesh_input(&m);
    tn_tets *tets;
    tn_error error;
    m.tets[5] = 99;
    assert_int_equal(tn_tets_create(&input, arena, &tets, &error), TN_BAD_INPUT);
    assert_non_null(strstr(error.message, "no node 99"));
    m.tets[5] = m.tets[4];
    assert_int_equal(tn_tets_create(&input, arena, &tets, &error), TN_BAD_INPUT);
    assert_non_null(strstr(error.message, "tetrahedron 1"));

    m = mesh_box(1, 1, 1, 0.1, 0.0, arena);
    input = mesh_input(&m);
    m.pattern->column[1] = 99;
    assert_int_equal(tn_tets_create(&input, arena, &tets, &error), TN_BAD_INPUT);
    assert_non_null(strstr(error.message, "pattern"));

    input = (tn_tets_input){.n_nodes = 0};
    assert_int_equal(tn_tets_create(&input, arena, &tets, &error), TN_OK);
    assert_int_equal(tets->n_tets, 0);
    assert_true(tn_tets_energy(tets, evaluate(tets, NULL, arena)) == 0.0);
    tn_arena_destroy(arena);
}

static void no_memory_is_reported(void **state)
{
    tn_arena *setup = tn_arena_create(0);
    tets_mesh m = mesh_box(8, 8, 8, 0.1, 0.0, setup);
    tn_tets_input input = mesh_input(&m);
    int failures = 0;
    for (int k = 0;; k++) {
        tn_arena *arena = tn_arena_create(0);
        tn_tets *tets;
        tn_tets_elastic *elastic;
        tn_error error;
        tn_memory_fail_after(k);
        tn_status status = tn_tets_create(&input, arena, &tets, &error);
        status = status ? status : tn_tets_evaluate(tets, m.rest, 1, arena, &elastic);
        tn_memory_fail_after(-1);
        tn_arena_destroy(arena);
        failures += status != TN_OK;
        assert_true(status == TN_OK || status == TN_NO_MEMORY);
        if (status == TN_OK && k > 20) {
            break;
        }
    }
    assert_true(failures > 0);
    tn_arena_destroy(setup);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rotation_is_the_best_one),
        cmocka_unit_test(rotation_of_extremes),
        cmocka_unit_test(rigid_motion_is_free),
        cmocka_unit_test(force_is_the_slope_of_the_energy),
        cmocka_unit_test(force_has_no_sum_nor_couple),
        cmocka_unit_test(patch_test),
        cmocka_unit_test(uniaxial_energy),
        cmocka_unit_test(stiffness_with_held_rotation),
        cmocka_unit_test(stretched_hessian_is_exact),
        cmocka_unit_test(projection_takes_the_positive_part),
        cmocka_unit_test(spin_is_the_positive_part),
        cmocka_unit_test(blocks_agree_with_the_product),
        cmocka_unit_test(driven_product_is_the_product),
        cmocka_unit_test(energies_alone_are_the_same_bits),
        cmocka_unit_test(tied_blocks_agree_with_the_product),
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(instruction_sets_change_no_bit),
        cmocka_unit_test(rest_shapes_found_anew_change_no_bit),
        cmocka_unit_test(nan_goes_through),
        cmocka_unit_test(bad_input_is_named),
        cmocka_unit_test(no_memory_is_reported),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
