// Passes over packs of contacts: one body each, compiled without friction (a row a contact) and with it (three).
#include "kernels/crowd.h"

#include "kernels/processor.h"
#include "kernels/quad.h"
#include "math/blocks.h"
#include "math/mat3.h"

#include <stddef.h>

enum { LANES = 4, COLUMNS = 3 * TN_CROWD_BLOCKS };
// Numbers of a contact, each four times, in a pack's `own`.
enum {
    RHO,
    MU,
    W,
    OMEGA = W + 3,
    HELD = OMEGA + 9,
    Z = HELD + 3,
    Y = Z + 3,
    C = Y + 3,
    AIM = C + 9,
    KEPT = AIM + 3,
    OWN = KEPT + 3
};
#define RUN(name, kind) ((kind) ? TN_NAMED(name, kind) : TN_BEST(name))
// Compliance of rigid rows, and the least of soft ones, relative to 1 / rho. With their own a step goes straight to the
// solution once it is known what presses, but forces are known to rounding over it.
static const double DELTA = 1e-4, LEAST = 1e-7;

// ---- packs

static bool same_blocks(const tn_rows *rows, int a, int b)
{
    int n = rows->start[a + 1] - rows->start[a];
    const int *at_a = rows->block + rows->start[a], *at_b = rows->block + rows->start[b];
    return rows->start[b + 1] - rows->start[b] == n && memcmp(at_a, at_b, (size_t)n * sizeof *at_a) == 0;
}

// The contacts from `first` on that share its pack.
static int count_pack(const tn_rows *rows, int first)
{
    int n = 1;
    while (n < LANES && first + n < rows->n_triples && same_blocks(rows, first, first + n)) {
        n++;
    }
    return n;
}

bool tn_crowd_takes(const tn_rows *rows)
{
    bool takes = rows->n_frictions == 0;
    for (int m = 0; takes && m < rows->n_triples; m++) {
        takes = rows->start[m + 1] - rows->start[m] <= TN_CROWD_BLOCKS && rows->mu[2 * m] == rows->mu[2 * m + 1];
    }
    return takes;
}

static bool any_friction(const tn_problem *problem)
{
    bool any = false;
    for (int m = 0; !any && m < problem->rows->n_triples; m++) {
        any = problem->rows->mu[2 * (size_t)m] > 0.0;
    }
    return any && problem->law != TN_LAW_FRICTIONLESS;
}

// ---- a pack's numbers

// p[0], p[stride], ... of n contacts; those beyond hold `rest`.
TN_QUAD_INLINE quad column(const double *p, size_t stride, int n, double rest)
{
    if (n == LANES) {
        return (quad){p[0], p[stride], p[2 * stride], p[3 * stride]};
    }
    double second = n > 1 ? p[stride] : rest, third = n > 2 ? p[2 * stride] : rest;
    return (quad){p[0], second, third, rest};
}

TN_QUAD_INLINE quad get(const double *numbers, int i)
{
    return quad_load(numbers + (ptrdiff_t)LANES * i);
}

TN_QUAD_INLINE void put(double *numbers, int i, quad x)
{
    quad_store(numbers + (ptrdiff_t)LANES * i, x);
}

// Largest diagonal of J inverse J^T over a contact's rows.
TN_QUAD_INLINE quad mobility(const tn_crowd_pack *pack, const double *inverse)
{
    quad most = {0.0};
    for (int i = 0; i < 3; i++) {
        quad sum = {0.0};
        for (int e = 0; e < pack->n_blocks; e++) {
            const double *B = inverse + 9 * (size_t)pack->block[e];
            int at = 3 * (i * pack->n_blocks + e);
            quad x = get(pack->J, at), y = get(pack->J, at + 1), z = get(pack->J, at + 2);
            sum += x * (B[0] * x + B[1] * y + B[2] * z) + y * (B[3] * x + B[4] * y + B[5] * z) +
                   z * (B[6] * x + B[7] * y + B[8] * z);
        }
        most = quad_larger(most, sum);
    }
    return most;
}

// The contacts that are missing are open and move nothing.
TN_QUAD_INLINE void fill_part(const tn_rows *rows, const double *inverse, tn_crowd_pack *pack, int n)
{
    size_t first = (size_t)pack->first, stride = 9 * (size_t)pack->n_blocks;
    const double *J = rows->jacobian + 9 * (size_t)rows->start[pack->first];
    for (int e = 0; e < pack->n_blocks; e++) {
        for (int k = 0; k < 9; k++) {
            put(pack->J, 3 * (k / 3 * pack->n_blocks + e) + k % 3, column(J + 9 * e + k, stride, n, 0.0));
        }
    }
    quad most = mobility(pack, inverse), one = {1.0, 1.0, 1.0, 1.0};
    put(pack->own, RHO, quad_choose(most > 0.0 * one, one / most, one));
    put(pack->own, MU, column(rows->mu + 2 * first, 2, n, 0.0));
    for (int k = 0; k < 9; k++) {
        put(pack->own, OMEGA + k, column(rows->softness + 9 * first + k, 9, n, 0.0));
    }
    for (int i = 0; i < 3; i++) {
        put(pack->own, W + i, column(rows->offset + 3 * first + i, 3, n, 1.0));
        put(pack->own, HELD + i, 0.0 * one);
    }
}

TN_QUAD_INLINE void fill_body(const tn_rows *rows, const double *inverse, tn_crowd_pack *pack)
{
    if (pack->n == LANES) {
        fill_part(rows, inverse, pack, LANES);
    } else {
        fill_part(rows, inverse, pack, pack->n);
    }
}

TN_VARIANTS(fill, (const tn_rows *rows, const double *inverse, tn_crowd_pack *pack), (rows, inverse, pack))

// Inverses of A's diagonal blocks; zero where there is none.
static double *invert_blocks(const tn_blocks *A, tn_arena *arena)
{
    double *inverse = TN_PUSH(arena, double, 9 * (size_t)A->n_rows);
    for (int i = 0; inverse && i < A->n_rows; i++) {
        const double *own = tn_blocks_find(A, i, i);
        double found[9];
        if (own && tn_mat3_inverse(found, own)) {
            memcpy(inverse + 9 * (size_t)i, found, sizeof found);
        }
    }
    return inverse;
}

bool tn_crowd_create(tn_crowd *crowd, const tn_problem *problem, const double *lambda, const char *kind,
                     tn_arena *arena)
{
    const tn_rows *rows = problem->rows;
    *crowd = (tn_crowd){.rows = rows, .associated = problem->law == TN_LAW_CONVEX, .friction = any_friction(problem)};
    crowd->kind = kind;
    const double *inverse = invert_blocks(problem->A, arena);
    size_t columns = 0;
    for (int m = 0, n; m < rows->n_triples; m += n, crowd->n_packs++) {
        n = count_pack(rows, m);
        columns += 3 * (size_t)(rows->start[m + 1] - rows->start[m]);
    }
    crowd->pack = TN_PUSH_RAW(arena, tn_crowd_pack, crowd->n_packs);
    double *numbers = TN_PUSH_RAW(arena, double, LANES *(3 * columns + OWN * (size_t)crowd->n_packs));
    if (!inverse || !crowd->pack || !numbers) {
        return false;
    }
    fill_function *fill = RUN(fill, kind);
    int m = 0;
    for (int i = 0; i < crowd->n_packs; m += crowd->pack[i++].n) {
        tn_crowd_pack *pack = &crowd->pack[i];
        *pack = (tn_crowd_pack){.first = m,
                                .n = count_pack(rows, m),
                                .n_blocks = rows->start[m + 1] - rows->start[m],
                                .joins = i > 0 && same_blocks(rows, crowd->pack[i - 1].first, m),
                                .block = rows->block + rows->start[m],
                                .own = numbers};
        pack->J = numbers + LANES * OWN;
        numbers = pack->J + 9 * LANES * (size_t)pack->n_blocks;
        fill(rows, inverse, pack);
    }
    tn_crowd_hold(crowd, lambda);
    return true;
}

// ---- the law

// The law's map at z into y, by which of its parts (masks).
typedef struct mapped {
    quad y[3], length;       // |z_t|
    quad_mask open, sliding; // neither: sticks
} mapped;

TN_QUAD_INLINE mapped map_strictly(quad mu, const quad z[3], int n_rows)
{
    const quad zero = {0.0};
    mapped out = {.open = z[0] <= zero};
    out.y[0] = quad_choose(out.open, zero, z[0]);
    if (n_rows == 1) {
        return out;
    }
    quad radius = mu * out.y[0];
    out.length = quad_root(z[1] * z[1] + z[2] * z[2]);
    out.sliding = ~out.open & ~(out.length <= radius);
    quad shrink = quad_choose(out.open, zero, quad_choose(out.sliding, radius / out.length, zero + 1.0));
    for (int i = 1; i < 3; i++) {
        out.y[i] = quad_choose(out.open, zero, shrink * z[i]);
    }
    return out;
}

// Nearest point of the cone.
TN_QUAD_INLINE mapped map_convexly(quad mu, const quad z[3])
{
    const quad zero = {0.0};
    mapped out = {.length = quad_root(z[1] * z[1] + z[2] * z[2])};
    out.open = mu * out.length <= -z[0];
    out.sliding = ~out.open & ~(out.length <= mu * z[0]);
    quad s = (z[0] + mu * out.length) / (1.0 + mu * mu), share = mu * s / out.length;
    out.y[0] = quad_choose(out.open, zero, quad_choose(out.sliding, s, z[0]));
    for (int i = 1; i < 3; i++) {
        out.y[i] = quad_choose(out.open, zero, quad_choose(out.sliding, share * z[i], z[i]));
    }
    return out;
}

TN_QUAD_INLINE mapped map(bool associated, quad mu, const quad z[3], int n_rows)
{
    return associated && n_rows == 3 ? map_convexly(mu, z) : map_strictly(mu, z, n_rows);
}

// P' where it is known to have three rows.
TN_QUAD_INLINE void slopes(bool associated, quad mu, const quad z[3], const mapped *at, quad P[9])
{
    const quad zero = {0.0}, one = zero + 1.0;
    quad d[3] = {one, z[1] / at->length, z[2] / at->length}, k = one / (1.0 + mu * mu);
    quad turn = mu * at->y[0] / at->length; // of the tangent's direction
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            quad unit = i == j ? one : zero, slide;
            quad across = i > 0 && j > 0 ? turn * (unit - d[i] * d[j]) : zero;
            if (associated) {
                slide = k * (i > 0 ? mu * d[i] : one) * (j > 0 ? mu * d[j] : one) + across;
            } else {
                slide = j == 0 ? (i > 0 ? mu * d[i] : one) : across;
            }
            P[3 * i + j] = quad_choose(at->open, zero, quad_choose(at->sliding, slide, unit));
        }
    }
}

// Square of the natural map's residual; the strict law's normal row counts by itself as well (solver/check.c).
TN_QUAD_INLINE quad residual(bool associated, quad rho, quad mu, const quad f[3], const quad u[3], int n_rows)
{
    const quad zero = {0.0};
    quad pushed = f[0] - rho * u[0], normal = f[0] - quad_larger(zero, pushed);
    if (n_rows == 1) {
        return normal * normal;
    }
    quad shift = associated ? zero : mu * quad_root(u[1] * u[1] + u[2] * u[2]), sum = zero;
    quad z[3] = {f[0] - rho * (u[0] + shift), f[1] - rho * u[1], f[2] - rho * u[2]};
    mapped near = map_convexly(mu, z);
    for (int i = 0; i < 3; i++) {
        sum += (f[i] - near.y[i]) * (f[i] - near.y[i]);
    }
    return associated ? sum : quad_larger(normal * normal, sum);
}

// ---- passes

// J x of row i.
TN_QUAD_INLINE quad row_velocity(const tn_crowd_pack *pack, int i, const double *x)
{
    quad sum = {0.0};
    for (int e = 0; e < pack->n_blocks; e++) {
        const double *own = x + 3 * (size_t)pack->block[e];
        int at = 3 * (i * pack->n_blocks + e);
        sum += get(pack->J, at) * own[0] + get(pack->J, at + 1) * own[1] + get(pack->J, at + 2) * own[2];
    }
    return sum;
}

// out (3 blocks) += J^T f
TN_QUAD_INLINE void add_force(const tn_crowd_pack *pack, int n_rows, const quad f[3], double *out)
{
    for (int k = 0; k < 3 * pack->n_blocks; k++) {
        quad sum = {0.0};
        for (int i = 0; i < n_rows; i++) {
            sum += get(pack->J, 3 * i * pack->n_blocks + k) * f[i];
        }
        out[3 * pack->block[k / 3] + k % 3] += quad_sum(sum);
    }
}

// Omega f of row i
TN_QUAD_INLINE quad give(const double *own, int i, const quad f[3], int n_rows)
{
    quad sum = get(own, OMEGA + 3 * i) * f[0];
    for (int j = 1; j < n_rows; j++) {
        sum += get(own, OMEGA + 3 * i + j) * f[j];
    }
    return sum;
}

TN_QUAD_INLINE void look_pack(const tn_crowd *crowd, const tn_crowd_pack *pack, int n_rows, const double *v,
                              double *push, quad sums[2])
{
    double *own = pack->own;
    quad u[3], z[3], held[3], rho = get(own, RHO), mu = get(own, MU);
    for (int i = 0; i < n_rows; i++) {
        u[i] = row_velocity(pack, i, v) + get(own, W + i);
        held[i] = get(own, HELD + i);
    }
    for (int i = 0; i < n_rows; i++) {
        z[i] = held[i] - crowd->factor * rho * (u[i] + give(own, i, held, n_rows));
        put(own, Z + i, z[i]);
    }
    mapped at = map(crowd->associated, mu, z, n_rows);
    for (int i = 0; i < n_rows; i++) {
        u[i] += give(own, i, at.y, n_rows);
        put(own, Y + i, at.y[i]);
        sums[1] += at.y[i] * at.y[i];
    }
    sums[0] += residual(crowd->associated, rho, mu, at.y, u, n_rows);
    add_force(pack, n_rows, at.y, push);
}

TN_QUAD_INLINE void look_body(const tn_crowd *crowd, const double *v, double *push, tn_crowd_figures *out)
{
    quad sums[2] = {{0.0}, {0.0}};
    for (int i = 0; i < crowd->n_packs; i++) {
        if (crowd->friction) {
            look_pack(crowd, &crowd->pack[i], 3, v, push, sums);
        } else {
            look_pack(crowd, &crowd->pack[i], 1, v, push, sums);
        }
    }
    *out = (tn_crowd_figures){quad_sum(sums[0]), quad_sum(sums[1])};
}

TN_VARIANTS(look, (const tn_crowd *crowd, const double *v, double *push, tn_crowd_figures *out), (crowd, v, push, out))

tn_crowd_figures tn_crowd_look(tn_crowd *crowd, const double *v, double *push)
{
    tn_crowd_figures out;
    RUN(look, crowd->kind)(crowd, v, push, &out);
    return out;
}

// inverse = M^-1; the unit matrix where it has none
TN_QUAD_INLINE void invert(const quad M[9], quad inverse[9])
{
    const quad zero = {0.0};
    quad det = zero;
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            int a = (j + 1) % 3, b = (j + 2) % 3, c = (i + 1) % 3, d = (i + 2) % 3;
            inverse[3 * i + j] = M[3 * a + c] * M[3 * b + d] - M[3 * a + d] * M[3 * b + c];
        }
    }
    for (int j = 0; j < 3; j++) {
        det += M[j] * inverse[3 * j];
    }
    quad_mask regular = (det > zero) | (det < zero);
    for (int i = 0; i < 9; i++) {
        inverse[i] = quad_choose(regular, inverse[i] / det, zero + (i % 4 == 0 ? 1.0 : 0.0));
    }
}

// What to add to a row's compliance rho Omega.
TN_QUAD_INLINE quad delta_of(quad compliance, bool damped)
{
    const quad zero = {0.0};
    quad soft = damped ? zero + DELTA : quad_larger(LEAST - compliance, zero);
    return quad_choose(compliance > zero, soft, zero + DELTA);
}

// C and aim of a pack without friction
TN_QUAD_INLINE void eliminate_normal(const tn_crowd *crowd, double *own, quad aim[3])
{
    const quad zero = {0.0};
    quad rho = crowd->factor * get(own, RHO), held = get(own, HELD), y = get(own, Y);
    quad_mask open = get(own, Z) <= zero;
    quad compliance = rho * get(own, OMEGA);
    quad M = quad_choose(open, zero + 1.0, compliance + delta_of(compliance, crowd->damped));
    put(own, C, quad_choose(open, zero, rho / M));
    aim[0] = held - (held - y) / M;
}

// The same with three rows.
TN_QUAD_INLINE void eliminate_all(const tn_crowd *crowd, double *own, quad aim[3])
{
    quad P[9], M[9], inverse[9], z[3], rho = crowd->factor * get(own, RHO), mu = get(own, MU);
    for (int i = 0; i < 3; i++) {
        z[i] = get(own, Z + i);
    }
    mapped at = map(crowd->associated, mu, z, 3);
    slopes(crowd->associated, mu, z, &at, P);
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            quad delta = delta_of(rho * get(own, OMEGA + 4 * j), crowd->damped);
            quad sum = (i == j ? 1.0 : 0.0) + P[3 * i + j] * (delta - 1.0);
            for (int k = 0; k < 3; k++) {
                sum += P[3 * i + k] * rho * get(own, OMEGA + 3 * k + j);
            }
            M[3 * i + j] = sum;
        }
    }
    invert(M, inverse);
    for (int i = 0; i < 3; i++) {
        aim[i] = get(own, HELD + i);
        for (int j = 0; j < 3; j++) {
            put(own, C + 3 * i + j,
                rho * (inverse[3 * i] * P[j] + inverse[3 * i + 1] * P[3 + j] + inverse[3 * i + 2] * P[6 + j]));
            aim[i] -= inverse[3 * i + j] * (get(own, HELD + j) - at.y[j]);
        }
    }
}

// sum (columns, columns) += J^T C J
TN_QUAD_INLINE void add_matrix(const tn_crowd_pack *pack, int n_rows, quad *sum)
{
    int columns = 3 * pack->n_blocks;
    for (int i = 0; i < n_rows; i++) {
        quad right[COLUMNS];
        for (int c = 0; c < columns; c++) {
            right[c] = get(pack->own, C + 3 * i) * get(pack->J, c);
            for (int j = 1; j < n_rows; j++) {
                right[c] += get(pack->own, C + 3 * i + j) * get(pack->J, j * columns + c);
            }
        }
        for (int r = 0; r < columns; r++) {
            quad left = get(pack->J, i * columns + r);
            for (int c = 0; c < columns; c++) {
                sum[COLUMNS * r + c] += left * right[c];
            }
        }
    }
}

static void add_blocks(const tn_crowd_pack *pack, const quad *sum, int stride, double *K)
{
    for (int r = 0; r < 3 * pack->n_blocks; r++) {
        double *row = K + (ptrdiff_t)stride * (3 * pack->block[r / 3] + r % 3);
        for (int c = 0; c < 3 * pack->n_blocks; c++) {
            row[3 * pack->block[c / 3] + c % 3] += quad_sum(sum[COLUMNS * r + c]);
        }
    }
}

TN_QUAD_INLINE void linearise_pack(const tn_crowd *crowd, const tn_crowd_pack *pack, int n_rows, double *force,
                                   quad *sum)
{
    quad aim[3];
    if (n_rows == 1) {
        eliminate_normal(crowd, pack->own, aim);
    } else {
        eliminate_all(crowd, pack->own, aim);
    }
    for (int i = 0; i < n_rows; i++) {
        put(pack->own, AIM + i, aim[i]);
    }
    add_force(pack, n_rows, aim, force);
    add_matrix(pack, n_rows, sum);
}

TN_QUAD_INLINE void linearise_body(const tn_crowd *crowd, int stride, double *K, double *force)
{
    for (int i = 0; i < crowd->n_packs;) {
        const tn_crowd_pack *first = &crowd->pack[i];
        quad sum[COLUMNS * COLUMNS];
        memset(sum, 0, sizeof sum);
        do {
            if (crowd->friction) {
                linearise_pack(crowd, &crowd->pack[i], 3, force, sum);
            } else {
                linearise_pack(crowd, &crowd->pack[i], 1, force, sum);
            }
        } while (++i < crowd->n_packs && crowd->pack[i].joins);
        add_blocks(first, sum, stride, K);
    }
}

TN_VARIANTS(linearise, (const tn_crowd *crowd, int stride, double *K, double *force), (crowd, stride, K, force))

void tn_crowd_linearise(tn_crowd *crowd, int stride, double *K, double *force)
{
    RUN(linearise, crowd->kind)(crowd, stride, K, force);
}

TN_QUAD_INLINE void follow_body(const tn_crowd *crowd, const double *dv)
{
    int n_rows = crowd->friction ? 3 : 1;
    for (int p = 0; p < crowd->n_packs; p++) {
        const tn_crowd_pack *pack = &crowd->pack[p];
        quad du[3];
        for (int i = 0; i < n_rows; i++) {
            du[i] = row_velocity(pack, i, dv);
        }
        for (int i = 0; i < n_rows; i++) {
            quad held = get(pack->own, AIM + i);
            for (int j = 0; j < n_rows; j++) {
                held -= get(pack->own, C + 3 * i + j) * du[j];
            }
            put(pack->own, HELD + i, held);
        }
    }
}

TN_VARIANTS(follow, (const tn_crowd *crowd, const double *dv), (crowd, dv))

void tn_crowd_follow(tn_crowd *crowd, const double *dv)
{
    RUN(follow, crowd->kind)(crowd, dv);
}

void tn_crowd_hold(tn_crowd *crowd, const double *lambda)
{
    for (int p = 0; p < crowd->n_packs; p++) {
        const tn_crowd_pack *pack = &crowd->pack[p];
        for (int k = 0; k < 3 * pack->n; k++) {
            pack->own[LANES * (HELD + k % 3) + k / 3] = lambda[3 * (size_t)pack->first + (size_t)k];
        }
    }
}

static void copy_three(tn_crowd *crowd, int from, int to)
{
    for (int i = 0; i < crowd->n_packs; i++) {
        double *own = crowd->pack[i].own;
        memcpy(own + LANES * to, own + LANES * from, 3 * LANES * sizeof *own);
    }
}

void tn_crowd_keep(tn_crowd *crowd)
{
    copy_three(crowd, Y, KEPT);
}

void tn_crowd_go_back(tn_crowd *crowd)
{
    copy_three(crowd, KEPT, HELD);
}

void tn_crowd_forces(const tn_crowd *crowd, double *lambda)
{
    for (int p = 0; p < crowd->n_packs; p++) {
        const tn_crowd_pack *pack = &crowd->pack[p];
        for (int k = 0; k < 3 * pack->n; k++) {
            bool bears = crowd->friction || k % 3 == 0;
            lambda[3 * (size_t)pack->first + (size_t)k] = bears ? pack->own[LANES * (KEPT + k % 3) + k / 3] : 0.0;
        }
    }
}
