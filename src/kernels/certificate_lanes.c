// Four contacts of the strict law with round cones at a time: the formulas of problem/certificate_contacts.c
// and problem/certificate_cone.c in lanes.
#include "kernels/certificate_lanes.h"

#include <math.h>
#include <string.h>

enum { LANES = 4 };

// As wide as AVX2's: compilers take comparisons of wider ones apart, lane by lane, even with AVX-512 (measured: 4 times
// slower with AVX2). One source for all instruction sets, without fused multiply-adds: the same bits.
typedef double lanes __attribute__((vector_size(32)));
typedef long long lane_masks __attribute__((vector_size(32))); // -1 or 0 a lane

#define TN_INLINE static inline __attribute__((always_inline))

TN_INLINE lanes load(const double *p)
{
    lanes x;
    memcpy(&x, p, sizeof x);
    return x;
}

TN_INLINE lanes choose(lane_masks mask, lanes yes, lanes no)
{
    return (lanes)((mask & (lane_masks)yes) | (~mask & (lane_masks)no));
}

TN_INLINE lanes larger(lanes a, lanes b)
{
    return choose(a > b, a, b);
}

TN_INLINE lanes roots(lanes x)
{
    return (lanes){sqrt(x[0]), sqrt(x[1]), sqrt(x[2]), sqrt(x[3])};
}

TN_INLINE double sum_of_lanes(lanes x)
{
    return (x[0] + x[2]) + (x[1] + x[3]);
}

TN_INLINE bool any_of(lane_masks m)
{
    return ((m[0] | m[2]) | (m[1] | m[3])) != 0;
}

typedef struct three {
    lanes x[3];
} three;

// Figures of many contacts, lane by lane.
typedef struct round_sums {
    lanes natural, fclib, free, loaded, force;
    lanes primal, dual, complementarity, cone, dissipation;
} round_sums;

// Four vectors of three, one behind the other.
TN_INLINE three load_vectors(const double *p)
{
    lanes a = load(p), b = load(p + 4), c = load(p + 8);
    lanes x = __builtin_shufflevector(a, b, 0, 3, 6, 6), y = __builtin_shufflevector(a, b, 1, 4, 7, 7);
    lanes z = __builtin_shufflevector(a, b, 2, 5, 5, 5);
    return (three){{__builtin_shufflevector(x, c, 0, 1, 2, 5), __builtin_shufflevector(y, c, 0, 1, 2, 6),
                    __builtin_shufflevector(z, c, 0, 1, 4, 7)}};
}

TN_INLINE lanes positive(lanes x)
{
    const lanes zero = {0.0};
    return larger(x, zero);
}

TN_INLINE lanes magnitude(lanes x)
{
    return larger(x, -x);
}

TN_INLINE lanes squares(three a)
{
    return a.x[0] * a.x[0] + a.x[1] * a.x[1] + a.x[2] * a.x[2];
}

TN_INLINE lanes tangent(three a)
{
    return roots(a.x[1] * a.x[1] + a.x[2] * a.x[2]);
}

// |f - P_K(f - s (u + shift e_n))|^2
TN_INLINE lanes squared_residual(lanes mu, lanes s, three f, three u, lanes shift)
{
    const lanes zero = {0.0};
    three x = {{f.x[0] - s * (u.x[0] + shift), f.x[1] - s * u.x[1], f.x[2] - s * u.x[2]}};
    lanes t = tangent(x);
    lane_masks polar = ~(mu * t > -x.x[0]), inside = ~(t > mu * x.x[0]);
    lanes normal = (x.x[0] + mu * t) / (1.0 + mu * mu);
    lanes share = choose(polar, zero, choose(inside, zero + 1.0, mu * normal / t));
    normal = choose(polar, zero, choose(inside, x.x[0], normal));
    three d = {{f.x[0] - normal, f.x[1] - share * x.x[1], f.x[2] - share * x.x[2]}};
    return squares(d);
}

// Where a number is not finite.
TN_INLINE lane_masks strange(three a)
{
    lanes nothing = 0.0 * a.x[0] + 0.0 * a.x[1] + 0.0 * a.x[2]; // 0, else no number
    return ~(nothing < 1.0);
}

TN_INLINE void add_force_figures(const tn_problem *p, lanes mu, lanes m, three f, three u, lanes shift, lane_masks idle,
                                 round_sums *s)
{
    const lanes zero = {0.0};
    double floor = p->force_scale / p->contacts->n;
    lanes strict = choose(u.x[0] > m * f.x[0], m * f.x[0], u.x[0]);
    lanes excess = positive(tangent(f) - mu * f.x[0]);
    s->primal = larger(s->primal, choose(idle, zero, -u.x[0]));
    s->dual = larger(s->dual, -f.x[0]);
    s->complementarity = larger(s->complementarity, choose(idle, zero, magnitude(strict)));
    if (any_of(excess > zero)) {
        lanes part = choose(excess > zero, excess / larger(f.x[0], zero + floor), zero);
        s->cone = larger(s->cone, part);
    }
    s->dissipation = larger(s->dissipation, f.x[0] * shift + f.x[1] * u.x[1] + f.x[2] * u.x[2]);
    s->natural += choose(idle, zero, squared_residual(mu, 1.0 / m, f, u, shift));
}

TN_INLINE void add_impulse_figures(double step, lanes mu, three f, three free, three loaded, lanes shift, round_sums *s)
{
    const lanes zero = {0.0};
    three r = {{step * f.x[0], step * f.x[1], step * f.x[2]}};
    lane_masks idle = ~((squares(f) > zero) | (loaded.x[0] < zero));
    s->free += squares(free);
    s->loaded += squares(loaded);
    if (any_of(~idle)) {
        s->fclib += choose(idle, zero, squared_residual(mu, zero + 1.0, r, loaded, shift));
    }
}

// Four contacts; false: not such as these lanes are for.
TN_INLINE bool add_four(const tn_problem *p, const tn_certificate_rows *rows, size_t i, round_sums *s)
{
    const lanes zero = {0.0};
    const double *own = &p->contacts->mu[2 * i];
    lanes low = load(own), high = load(own + LANES);
    lanes mu = __builtin_shufflevector(low, high, 0, 2, 4, 6), across = __builtin_shufflevector(low, high, 1, 3, 5, 7);
    three f = load_vectors(&rows->lambda[3 * i]), u = load_vectors(&rows->u[3 * i]);
    if (any_of((mu < across) | (mu > across) | strange(f) | strange(u))) {
        return false;
    }
    lanes force = squares(f), shift = mu * tangent(u);
    lane_masks idle = ~((force > zero) | (u.x[0] < zero));
    if (rows->free) {
        three free = load_vectors(&rows->free[3 * i]), loaded = u;
        lanes loaded_shift = shift;
        if (rows->loaded != rows->u) {
            loaded = load_vectors(&rows->loaded[3 * i]);
            loaded_shift = mu * tangent(loaded);
        }
        if (any_of(strange(free) | strange(loaded))) {
            return false;
        }
        add_impulse_figures(p->step, mu, f, free, loaded, loaded_shift, s);
    }
    s->force += force;
    if (any_of(~idle)) {
        add_force_figures(p, mu, load(&rows->scale[i]), f, u, shift, idle, s);
    }
    return true;
}

static double largest_of(lanes x)
{
    double most = x[0];
    for (int i = 1; i < LANES; i++) {
        most = x[i] > most ? x[i] : most;
    }
    return most;
}

static void raise(double *figure, lanes x)
{
    double most = largest_of(x);
    *figure = most > *figure ? most : *figure; // a NaN there stays
}

static void collect(const round_sums *s, tn_certificate_sums *sums, tn_certificate *out)
{
    double natural = sum_of_lanes(s->natural);
    sums->natural += natural;
    sums->strict_natural += natural;
    sums->fclib += sum_of_lanes(s->fclib);
    sums->free += sum_of_lanes(s->free);
    sums->loaded += sum_of_lanes(s->loaded);
    sums->force += sum_of_lanes(s->force);
    raise(&out->signorini_primal, s->primal);
    raise(&out->signorini_dual, s->dual);
    raise(&out->complementarity, s->complementarity);
    raise(&out->strict_complementarity, s->complementarity);
    raise(&out->cone, s->cone);
    raise(&out->dissipation, s->dissipation);
}

TN_INLINE void round_body(const tn_problem *p, const tn_certificate_rows *rows, int *next, int end, round_sums *s)
{
    round_sums sums = *s;
    int i = *next;
    while (i + LANES <= end && add_four(p, rows, (size_t)i, &sums)) {
        i += LANES;
    }
    *s = sums;
    *next = i;
}

typedef void round_function(const tn_problem *p, const tn_certificate_rows *rows, int *next, int end, round_sums *s);

static void round_baseline(const tn_problem *p, const tn_certificate_rows *rows, int *next, int end, round_sums *s)
{
    round_body(p, rows, next, end, s);
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void round_avx2(const tn_problem *p, const tn_certificate_rows *rows, int *next,
                                                       int end, round_sums *s)
{
    round_body(p, rows, next, end, s);
}
#endif

static round_function *best_round(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        return round_avx2;
    }
#endif
    return round_baseline;
}

int tn_certificate_add_round(const tn_problem *problem, const tn_certificate_rows *rows, int first, int end,
                             tn_certificate_sums *sums, tn_certificate *out)
{
    if (problem->law != TN_LAW_COULOMB || problem->facets > 0) {
        return first;
    }
    round_sums s;
    memset(&s, 0, sizeof s);
    round_function *add = best_round();
    int next = first;
    add(problem, rows, &next, end, &s);
    if (next > first) {
        collect(&s, sums, out);
    }
    return next;
}
