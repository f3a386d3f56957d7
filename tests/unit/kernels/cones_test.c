// Cones four at a time, by what defines each result: the scaling's equations, the boundary that a step ends on,
// products of given factors. Any number of cones gives the bits that each gives by itself.
#include "friction_problem.h"

#include "kernels/cones.h"
#include "math/mat3.h"

enum { N = 1003 };
static const double MARGIN = 1e-3; // least distance from the boundary, of a cone's size: errors grow with 1 / MARGIN

typedef struct bench {
    tn_cones cones;
    double x[3 * N], y[3 * N], S[3 * N], q[3 * N], spread[N], l[3 * N], C[9 * N];
    double a[3 * N], b[3 * N], dx[3 * N], dy[3 * N], extra[3 * N]; // dx = W a, dy = W^-1 b
} bench;

static void random_inside(uint64_t stream, int k, double x[3])
{
    double size = pow(10.0, 2.0 * friction_random(1, stream, (uint64_t)(4 * k)));
    double angle = 3.2 * friction_random(1, stream, (uint64_t)(4 * k + 1));
    double radius = size * (1.0 - pow(MARGIN, tn_random_uniform(1, stream, (uint64_t)(4 * k + 2))));
    tn_vec3_set(x, size, radius * cos(angle), radius * sin(angle));
}

static void make_W(const bench *s, int m, double W[9])
{
    const double *q = s->q + 3 * m;
    double size = sqrt(s->spread[m]);
    for (int i = 0; i < 9; ++i) {
        int r = i / 3, c = i % 3;
        W[i] = r == 0 ? q[c] : c == 0 ? q[r] : (r == c ? size : 0.0) + q[r] * q[c] / (size + q[0]);
    }
}

static void product(const double a[3], const double b[3], double out[3])
{
    tn_vec3_set(out, tn_vec3_dot(a, b), a[0] * b[1] + b[0] * a[1], a[0] * b[2] + b[0] * a[2]);
}

static double distance(const double a[3], const double b[3])
{
    double d[3];
    tn_vec3_sub(d, a, b);
    return tn_vec3_norm(d);
}

static bench *create(void)
{
    bench *s = calloc(1, sizeof *s);
    assert_non_null(s);
    s->cones = (tn_cones){.n = N, .x = s->x, .y = s->y, .S = s->S, .q = s->q, .spread = s->spread, .l = s->l};
    for (int m = 0; m < N; ++m) {
        random_inside(1, m, s->x + 3 * m);
        random_inside(2, m, s->y + 3 * m);
        tn_vec3_set(s->S + 3 * m, 1.0 + 0.3 * friction_random(1, 3, (uint64_t)m), 1.0, 0.7);
    }
    for (int i = 0; i < 3 * N; ++i) {
        s->a[i] = friction_random(1, 4, (uint64_t)i);
        s->b[i] = friction_random(1, 5, (uint64_t)i);
        s->extra[i] = friction_random(1, 6, (uint64_t)i);
    }
    tn_cones_scale(&s->cones, s->C);
    for (int m = 0; m < N; ++m) {
        double W[9], inverse[9];
        make_W(s, m, W);
        for (int i = 0; i < 9; ++i) {
            inverse[i] = ((i / 3 == 0) == (i % 3 == 0) ? W[i] : -W[i]) / s->spread[m];
        }
        tn_mat3_vec(s->dx + 3 * m, W, s->a + 3 * m);
        tn_mat3_vec(s->dy + 3 * m, inverse, s->b + 3 * m);
    }
    return s;
}

// W y = l, W l = x, C = S W W S.
static void scaling(void **state)
{
    bench *s = create();
    double worst = 0.0;
    for (int m = 0; m < N; ++m) {
        double W[9], image[3], E[9];
        make_W(s, m, W);
        tn_mat3_vec(image, W, s->y + 3 * m);
        worst = fmax(worst, distance(image, s->l + 3 * m) / tn_vec3_norm(image));
        tn_mat3_vec(image, W, s->l + 3 * m);
        worst = fmax(worst, distance(image, s->x + 3 * m) / tn_vec3_norm(image));
        tn_mat3_mul(E, W, W);
        for (int i = 0; i < 9; ++i) {
            double own = s->S[3 * m + i / 3] * E[i] * s->S[3 * m + i % 3];
            worst = fmax(worst, fabs(s->C[9 * m + i] - own) / (E[0] + s->spread[m]));
        }
    }
    printf("W y = l, W l = x, C = S W W S off by %.1e (limit 1e-11: rounding over the margin, twice)\n", worst);
    assert_true(worst <= 1e-11);
    free(s);
}

// target y^-1 - x + W (l \ extra): y o (its first part) and l o (its last) are what they shall be.
static void aiming(void **state)
{
    bench *s = create();
    static double plain[3 * N], centring[3 * N], push[3 * N], off[3 * N];
    double worst = 0.0, target = 0.3;
    memcpy(off, s->dy, sizeof off);
    tn_cones_aim(&s->cones, target, NULL, off, plain, push);
    tn_cones_aim(&s->cones, target, s->extra, off, centring, push);
    for (int m = 0; m < N; ++m) {
        double W[9], part[3], more[3], back[3], wanted[3] = {target, 0.0, 0.0}, pushed[3];
        make_W(s, m, W);
        tn_vec3_add(part, plain + 3 * m, s->x + 3 * m);
        product(s->y + 3 * m, part, back);
        worst = fmax(worst, distance(back, wanted) / (tn_vec3_norm(s->y + 3 * m) * tn_vec3_norm(part)));
        // l o (l \ extra), by W's image of the difference.
        tn_vec3_sub(part, centring + 3 * m, plain + 3 * m);
        for (int i = 0; i < 9; ++i) {
            W[i] *= ((i / 3 == 0) == (i % 3 == 0) ? 1.0 : -1.0) / s->spread[m];
        }
        tn_mat3_vec(more, W, part);
        product(s->l + 3 * m, more, back);
        worst = fmax(worst, distance(back, s->extra + 3 * m) / (tn_vec3_norm(s->l + 3 * m) * tn_vec3_norm(more)));
        // push = S (centring + W W W^-1 b) = S (centring + W b)
        make_W(s, m, W);
        tn_mat3_vec(pushed, W, s->b + 3 * m);
        for (int i = 0; i < 3; ++i) {
            pushed[i] = s->S[3 * m + i] * (pushed[i] + centring[3 * m + i]);
        }
        worst = fmax(worst, distance(push + 3 * m, pushed) / (tn_vec3_norm(pushed) + tn_vec3_norm(part)));
    }
    printf("y o, l o and push off by %.1e (limit 1e-8: rounding over the margin, three times)\n", worst);
    assert_true(worst <= 1e-8);
    free(s);
}

// dx = centring - W W dy in one go, and by a change afterwards.
static void following(void **state)
{
    bench *s = create();
    static double dx[3 * N], dy[3 * N];
    double worst = 0.0;
    memcpy(dy, s->a, sizeof dy); // as J dv
    tn_cones_follow(&s->cones, s->extra, s->b, dx, dy);
    tn_cones_refine(&s->cones, s->extra, dx, dy);
    for (int m = 0; m < N; ++m) {
        double E[9], W[9], change[3], force[3], wanted[3];
        make_W(s, m, W);
        tn_mat3_mul(E, W, W);
        for (int i = 0; i < 3; ++i) {
            change[i] = s->S[3 * m + i] * (s->a[3 * m + i] + s->extra[3 * m + i]) - s->b[3 * m + i];
        }
        worst = fmax(worst, distance(change, dy + 3 * m) / (1.0 + tn_vec3_norm(change)));
        tn_mat3_vec(force, E, change);
        tn_vec3_sub(wanted, s->extra + 3 * m, force);
        worst = fmax(worst, distance(wanted, dx + 3 * m) / (E[0] + s->spread[m]));
    }
    printf("dx, dy off by %.1e (limit 1e-11: rounding over the margin)\n", worst);
    assert_true(worst <= 1e-11);
    free(s);
}

// The step ends on a boundary of x or y, and both are inside before it.
static void reach(void **state)
{
    bench *s = create();
    double worst = 0.0;
    int bounded = 0;
    for (int m = 0; m < N; ++m) {
        tn_cones one = {.n = 1, .x = s->x + 3 * m, .y = s->y + 3 * m};
        double a = tn_cones_reach(&one, s->a + 3 * m, s->b + 3 * m, 1e3), nearest = HUGE_VAL;
        for (int side = 0; side < 2; ++side) {
            const double *from = side ? one.y : one.x, *along = (side ? s->b : s->a) + 3 * m;
            double at[3];
            for (int j = 1; j < 10; ++j) {
                tn_vec3_madd(at, from, 0.1 * j * a, along);
                assert_true(at[0] > sqrt(at[1] * at[1] + at[2] * at[2]));
            }
            tn_vec3_madd(at, from, a, along);
            double left = at[0] - sqrt(at[1] * at[1] + at[2] * at[2]);
            nearest = fmin(nearest, fabs(left) / (from[0] + a * tn_vec3_norm(along)));
        }
        if (a < 1e3) {
            worst = fmax(worst, nearest);
            ++bounded;
        }
    }
    printf("%d steps end on the boundary to %.1e (limit 1e-7: root of the rounding at the apex)\n", bounded, worst);
    assert_true(bounded > N / 2 && worst <= 1e-7);
    free(s);
}

// extra = -a o b of dx = W a, dy = W^-1 b; outliers against their eigenvalues one by one.
static void products(void **state)
{
    bench *s = create();
    static double extra[3 * N];
    const tn_cones_outliers how = {.reach = 0.8, .target = 0.5, .spread = 4.0};
    double worst = 0.0, worst_outlier = 0.0;
    tn_cones_second_order(&s->cones, s->dx, s->dy, extra);
    for (int m = 0; m < N; ++m) {
        double wanted[3];
        product(s->a + 3 * m, s->b + 3 * m, wanted);
        tn_vec3_scale(wanted, -1.0, wanted);
        worst = fmax(worst, distance(wanted, extra + 3 * m));
    }
    memcpy(extra, s->extra, sizeof extra);
    tn_cones_add_outliers(&s->cones, &how, s->dx, s->dy, extra);
    for (int m = 0; m < N; ++m) {
        double left[3], right[3], p[3], wanted[3] = {0.0, 0.0, 0.0};
        tn_vec3_madd(left, s->l + 3 * m, how.reach, s->a + 3 * m);
        tn_vec3_madd(right, s->l + 3 * m, how.reach, s->b + 3 * m);
        product(left, right, p);
        double t = sqrt(p[1] * p[1] + p[2] * p[2]);
        for (int sign = -1; sign <= 1; sign += 2) {
            double value = p[0] + sign * t, more = 0.0;
            if (value < how.target / how.spread) {
                more = how.target / how.spread - value;
            } else if (value > how.target * how.spread) {
                more = fmax(how.target * how.spread - value, -how.target * how.spread);
            }
            double frame[3] = {0.5, 0.5 * sign * p[1] / t, 0.5 * sign * p[2] / t};
            tn_vec3_madd(wanted, wanted, more, frame);
        }
        tn_vec3_add(wanted, wanted, s->extra + 3 * m);
        worst_outlier = fmax(worst_outlier, distance(wanted, extra + 3 * m) / (1.0 + fabs(p[0])));
    }
    printf("-a o b off by %.1e, outliers by %.1e (limits 1e-8: rounding over the margin, twice)\n", worst,
           worst_outlier);
    assert_true(worst <= 1e-8 && worst_outlier <= 1e-8);
    free(s);
}

// The first n cones alone: the same bits, and nothing beyond them is written.
static void any_number(void **state)
{
    bench *s = create();
    static double dx[3 * N], dy[3 * N], part_x[3 * N], part_y[3 * N];
    memcpy(dy, s->a, sizeof dy);
    tn_cones_follow(&s->cones, s->extra, s->b, dx, dy);
    for (int n = 1; n <= 9; ++n) {
        tn_cones some = s->cones;
        some.n = n;
        memset(part_x, 0, sizeof part_x);
        memcpy(part_y, s->a, sizeof part_y);
        tn_cones_follow(&some, s->extra, s->b, part_x, part_y);
        assert_memory_equal(part_x, dx, 3 * (size_t)n * sizeof *dx);
        assert_memory_equal(part_y, dy, 3 * (size_t)n * sizeof *dy);
        assert_true(part_x[3 * n] == 0.0 && part_y[3 * n] == s->a[3 * n]);
    }
    free(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scaling), cmocka_unit_test(aiming),   cmocka_unit_test(following),
        cmocka_unit_test(reach),   cmocka_unit_test(products), cmocka_unit_test(any_number),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
