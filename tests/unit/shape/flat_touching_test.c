// Planar shapes that touch where corners and edges coincide to rounding, as in stacks, walls and arches; and what every
// planar contact must satisfy: a small motion changes it little, its points lie on both surfaces.
#include "flats.h"

#include "shape/convex.h"
#include "test.h"

#include <stdio.h>

static const tn_shape_kind kinds[3] = {TN_SHAPE_DISK, TN_SHAPE_ELLIPSE, TN_SHAPE_POLYGON};
enum { TRIES = REFERENCE_SLOW ? 2000 : 20000, SIDES = 12 };

// A polygon with one edge on a line from 0 to its length, all of it above the line.
typedef struct stone {
    tn_shape shape;
    tn_pose pose;
    double points[3 * SIDES];
} stone;

static void set_stone(stone *out, int n, const double *corners)
{
    tn_area area = tn_polygon_area(n, corners, 0.0);
    for (int i = 0; i < n; ++i) {
        tn_vec3_set(out->points + 3 * i, corners[2 * i] - area.centroid[0], 0.0, corners[2 * i + 1] - area.centroid[1]);
    }
    out->shape = (tn_shape){.kind = TN_SHAPE_POLYGON, .n_points = n, .points = out->points};
    out->pose = (tn_pose){{area.centroid[0], 0.0, area.centroid[1]}, {1.0, 0.0, 0.0, 0.0}};
}

// A rectangle, or corners on an arc over the edge.
static void roll_stone(dice *d, double length, stone *out)
{
    double height = length * roll(d, 0.3, 1.5), middle = 0.5 * length, centre = height - middle, corners[2 * SIDES];
    int n = (int)roll(d, 3.0, SIDES + 0.999);
    if (roll(d, 0.0, 1.0) < 0.3) {
        set_stone(out, 4, (const double[8]){length, 0.0, length, height, 0.0, height, 0.0, 0.0});
        return;
    }
    double radius = sqrt(centre * centre + middle * middle), first = atan2(-centre, middle);
    for (int i = 0; i < n; ++i) {
        double angle = first + (M_PI - 2.0 * first) * i / (n - 1);
        corners[2 * i] = i == n - 1 ? 0.0 : middle + radius * cos(angle);
        corners[2 * i + 1] = i == 0 || i == n - 1 ? 0.0 : centre + radius * sin(angle);
    }
    set_stone(out, n, corners);
}

// Turned by the angle (from x to z) about the origin, then moved.
static void put(tn_pose *pose, double angle, const double way[3])
{
    const double across[3] = {0.0, 1.0, 0.0};
    double turn[4];
    tn_quat_from_axis_angle(turn, across, -angle);
    tn_quat_rotate(pose->position, turn, pose->position);
    tn_quat_mul(pose->quaternion, turn, pose->quaternion);
    tn_quat_normalize(pose->quaternion);
    tn_vec3_add(pose->position, pose->position, way);
}

typedef struct touch {
    stone below, above;
    double low, high;       // the part of the line that both edges share
    double size;            // length of the lower edge
    double along[3], up[3]; // the line, and from the lower stone to the upper one
    double start[3];        // of the line
    double rounding;        // of places [m]
    double noise;           // by how much the upper stone is moved and, times its size, turned [m]
} touch;

enum { EQUAL, FROM_LOW, TO_HIGH, INSIDE, END_TO_END, WAYS };

// Stones on both sides of a line, with noise of any size up to `noisiest` times their own.
static void roll_touch(dice *d, int way, double noisiest, touch *t)
{
    const double far = (const double[4]){0.0, 1.0, 1e3, 1e6}[(int)roll(d, 0.0, 4.0)];
    double size = pow(10.0, roll(d, -3.0, 1.0)), other = way == EQUAL ? size : size * pow(10.0, roll(d, -2.0, 0.0));
    const double starts[WAYS] = {0.0, 0.0, size - other, (size - other) * roll(d, 0.0, 1.0), size};
    double angle = roll(d, 0.0, 1.0) < 0.3 ? 0.5 * M_PI * (int)roll(d, 0.0, 4.0) : roll(d, -4.0, 4.0);
    t->size = size;
    t->low = starts[way];
    t->high = way == END_TO_END ? t->low : t->low + other;
    double kind_of_noise = roll(d, 0.0, 1.0);
    t->noise = kind_of_noise < 0.2   ? 0.0
               : kind_of_noise < 0.6 ? size * roll(d, 0.0, 3e-14) // what the code allows for rounding, and about it
                                     : size * noisiest * pow(10.0, roll(d, -12.0, 0.0));
    t->rounding = 1e-15 * size + 4e-16 * far;
    tn_vec3_set(t->along, cos(angle), 0.0, sin(angle));
    tn_vec3_set(t->up, -sin(angle), 0.0, cos(angle));
    tn_vec3_set(t->start, roll(d, -far, far), 0.0, roll(d, -far, far));
    roll_stone(d, size, &t->below);
    roll_stone(d, other, &t->above);
    put(&t->below.pose, M_PI, (const double[3]){size, 0.0, 0.0}); // its edge is its top
    put(&t->below.pose, angle, t->start);
    t->above.pose.position[0] += t->low;
    put(&t->above.pose, angle, t->start);
    double n = t->noise, from[3], off[3] = {roll(d, -n, n), 0.0, roll(d, -n, n)};
    tn_vec3_copy(from, t->above.pose.position);
    tn_vec3_sub(t->above.pose.position, t->above.pose.position, from);
    put(&t->above.pose, roll(d, -n, n) / size, from);
    tn_vec3_add(t->above.pose.position, t->above.pose.position, off);
}

static int touching(const touch *t, double margin, tn_contact_point p[TN_MANIFOLD_MAX])
{
    return tn_shape_contact(&t->below.shape, &t->below.pose, &t->above.shape, &t->above.pose, margin, p);
}

// Edges that meet: the line's normal, gaps of the size of the noise, and two points at the ends of what both share; a
// side's edge never, however rounding puts the corners. Turned by noise / size a stone moves by at most 2.6 times the
// noise (it is at most 1.5 sizes wide or high), displaced by 1.5 times: 5 in all.
static void shared_edges(void **state)
{
    dice d = {.seed = 21};
    double normal = 0.0, gap = 0.0, ends = 0.0;
    for (int k = 0; k < TRIES; ++k) {
        touch t;
        tn_contact_point p[TN_MANIFOLD_MAX];
        roll_touch(&d, k % END_TO_END, 1e-5, &t);
        double limit = 5.0 * t.noise + 20.0 * t.rounding, from[2] = {INFINITY, -INFINITY};
        assert_int_equal(touching(&t, 1.01 * limit, p), 2);
        for (int i = 0; i < 2; ++i) {
            double off[3], at[3];
            tn_vec3_sub(off, p[i].normal, t.up);
            tn_vec3_sub(at, p[i].point, t.start);
            normal = fmax(normal, tn_vec3_norm(off) / (t.noise / t.size + 1e-14));
            gap = fmax(gap, fmax(fabs(p[i].gap), fabs(tn_vec3_dot(at, t.up))) / limit);
            from[0] = fmin(from[0], tn_vec3_dot(at, t.along));
            from[1] = fmax(from[1], tn_vec3_dot(at, t.along));
        }
        ends = fmax(ends, fmax(fabs(from[0] - t.low), fabs(from[1] - t.high)) / limit);
        // Exchanged, the normals turn round and the points stay.
        tn_contact_point q[TN_MANIFOLD_MAX];
        const stone *a = &t.above, *b = &t.below;
        assert_int_equal(tn_shape_contact(&a->shape, &a->pose, &b->shape, &b->pose, 1.01 * limit, q), 2);
        for (int i = 0; i < 2; ++i) {
            double sum[3], one[3], two[3];
            tn_vec3_add(sum, q[i].normal, t.up);
            tn_vec3_sub(one, q[i].point, p[0].point);
            tn_vec3_sub(two, q[i].point, p[1].point);
            normal = fmax(normal, tn_vec3_norm(sum) / (t.noise / t.size + 1e-14));
            ends = fmax(ends, fmin(tn_vec3_norm(one), tn_vec3_norm(two)) / limit);
        }
    }
    printf("by what was put in: normal off by %.2g, gap %.2g, ends %.2g (limit 1)\n", normal, gap, ends);
    assert_true(normal <= 1.0 && gap <= 1.0 && ends <= 1.0);
}

// The same with gaps and overlaps of nothing but rounding, about what the code allows for it: 32 units of coordinates
// of up to three sizes are 2e-14 of a size.
static void overlaps_of_rounding(void **state)
{
    dice d = {.seed = 25};
    double normal = 0.0;
    for (int k = 0; k < TRIES; ++k) {
        touch t;
        tn_contact_point p[TN_MANIFOLD_MAX];
        roll_touch(&d, k % END_TO_END, 0.0, &t);
        const tn_pose exact = t.above.pose;
        for (int i = 0; i < 20; ++i) {
            tn_vec3_madd(t.above.pose.position, exact.position, roll(&d, -3e-14, 3e-14) * t.size, t.up);
            assert_int_equal(touching(&t, 1e-5 * t.size, p), 2);
            for (int c = 0; c < 3; ++c) {
                normal = fmax(normal, fmax(fabs(p[0].normal[c] - t.up[c]), fabs(p[1].normal[c] - t.up[c])));
            }
        }
    }
    printf("normal off by %.1e (limit 1e-12)\n", normal);
    assert_true(normal < 1e-12);
}

// Corner at corner every normal between those of the edges is as good. The gap is the signed distance, and the stones
// are as far apart along the normal; the point lies at the corner. Edges within 32 units of rounding (2e-14 of a size)
// of the best count as equal: 40 in all with what the places lose. The gap is a separation, of which the signed
// distance is the largest; the samples may miss that by a little.
static void shared_corners(void **state)
{
    dice d = {.seed = 22};
    double gap = 0.0, apart = 0.0, place = 0.0;
    for (int k = 0; k < TRIES / 4; ++k) {
        touch t;
        tn_contact_point p[TN_MANIFOLD_MAX];
        roll_touch(&d, END_TO_END, 1e-5, &t);
        const stone *a = &t.below, *b = &t.above;
        double limit = 5.0 * t.noise + 20.0 * t.rounding, corner[3], off[3];
        int n = touching(&t, 1.01 * limit, p), deep = deepest(n, p);
        assert_true(n == 1 ||
                    (n == 2 && t.noise > 1e-8 * t.size)); // what they share is less than 1e-4 of the smaller one
        const double *normal = p[deep].normal;
        double expected = signed_distance(&a->shape, &a->pose, &b->shape, &b->pose);
        double here = apart_along(&a->shape, &a->pose, &b->shape, &b->pose, atan2(normal[2], normal[0]));
        tn_vec3_madd(corner, t.start, t.size, t.along);
        tn_vec3_sub(off, p[deep].point, corner);
        gap = fmax(gap, (expected - p[deep].gap) / (40.0 * t.rounding));
        apart = fmax(apart, fabs(p[deep].gap - here) / (40.0 * t.rounding));
        place = fmax(place, tn_vec3_norm(off) / limit);
    }
    printf("gap too small by %.2g, off along its normal by %.2g of rounding; place by %.2g of the noise (limit 1)\n",
           gap, apart, place);
    assert_true(gap <= 1.0 && apart <= 1.0 && place <= 1.0);
}

// A disk or an ellipse on the end of an edge, as on the joint of two stones: the edge's normal but for what the noise
// turns it, which is noise over the least radius of curvature.
static void round_on_corners(void **state)
{
    dice d = {.seed = 26};
    double normal = 0.0, gap = 0.0;
    for (int k = 0; k < TRIES; ++k) {
        touch t;
        tn_contact_point p[TN_MANIFOLD_MAX];
        roll_touch(&d, EQUAL, 1e-6, &t);
        double a = t.size * roll(&d, 0.2, 1.0), b = a * roll(&d, 0.2, 1.0), n = t.noise, limit = n + 20.0 * t.rounding;
        const double none[3] = {0.0, 0.0, 0.0};
        tn_shape round = {.kind = k % 2 ? TN_SHAPE_ELLIPSE : TN_SHAPE_DISK, .size = {k % 2 ? a : b, b}};
        tn_pose pose = {.quaternion = {1.0, 0.0, 0.0, 0.0}};
        put(&pose, atan2(t.along[2], t.along[0]), none);
        double end = k / 2 % 3 == 0 ? 0.0 : k / 2 % 3 == 1 ? t.size : roll(&d, 0.0, t.size);
        tn_vec3_madd(pose.position, t.start, end + roll(&d, -n, n), t.along);
        tn_vec3_madd(pose.position, pose.position, b + roll(&d, -n, n), t.up);
        assert_int_equal(tn_shape_contact(&t.below.shape, &t.below.pose, &round, &pose, 2.0 * limit, p), 1);
        double off[3], least = k % 2 ? b * b / a : b;
        tn_vec3_sub(off, p[0].normal, t.up);
        normal = fmax(normal, tn_vec3_norm(off) / (2.0 * limit / least + 1e-12));
        gap = fmax(gap, fabs(p[0].gap) / (2.0 * limit));
    }
    printf("by what was put in: normal off by %.2g, gap %.2g (limit 1)\n", normal, gap);
    assert_true(normal <= 1.0 && gap <= 1.0);
}

// Whichever corner is inside, the contacts keep their names: forces are remembered by them.
static void names_stay(void **state)
{
    dice d = {.seed = 23};
    for (int k = 0; k < TRIES; ++k) {
        touch t;
        tn_contact_point p[2][TN_MANIFOLD_MAX];
        roll_touch(&d, k % INSIDE, 1e-8, &t); // below 1e-4 of the least extent of the smallest stone
        assert_int_equal(touching(&t, 1e-5 * t.size, p[0]), 2);
        tn_vec3_madd(t.above.pose.position, t.above.pose.position, roll(&d, -1e-8, 1e-8) * t.size, t.along);
        tn_vec3_madd(t.above.pose.position, t.above.pose.position, roll(&d, -1e-8, 1e-8) * t.size, t.up);
        assert_int_equal(touching(&t, 1e-5 * t.size, p[1]), 2);
        assert_true(p[0][0].feature == p[1][0].feature && p[0][1].feature == p[1][1].feature);
        assert_true(p[0][0].feature != p[0][1].feature);
    }
}

// One in the other, the same or turned by multiples of a side: the least push that parts them, whichever way.
static void one_in_the_other(void **state)
{
    dice d = {.seed = 24};
    double worst = 0.0, along = 0.0;
    for (int k = 0; k < 1000; ++k) {
        stone a, b;
        tn_contact_point p[TN_MANIFOLD_MAX];
        double corners[2 * SIDES], share = k % 4 == 3 ? roll(&d, 1e-3, 0.9) : 1.0;
        int n = 3 + k % 10;
        for (int s = 0; s < 2; ++s) {
            for (int i = 0; i < n; ++i) {
                corners[2 * i] = (s ? share : 1.0) * cos(2.0 * M_PI * i / n);
                corners[2 * i + 1] = (s ? share : 1.0) * sin(2.0 * M_PI * i / n);
            }
            set_stone(s ? &b : &a, n, corners);
        }
        const double none[3] = {0.0, 0.0, 0.0}, off[3] = {k % 2 ? 0.0 : roll(&d, -1e-15, 1e-15), 0.0, 0.0};
        put(&a.pose, roll(&d, 0.0, 1.0) < 0.3 ? 0.0 : roll(&d, -4.0, 4.0), none);
        b.pose = a.pose;
        put(&b.pose, 2.0 * M_PI / n * (int)roll(&d, 0.0, n), off);
        int found = tn_shape_contact(&a.shape, &a.pose, &b.shape, &b.pose, 0.0, p);
        assert_true(found > 0 && found <= 2);
        const tn_contact_point *deep = p + deepest(found, p);
        double expected = signed_distance(&a.shape, &a.pose, &b.shape, &b.pose), *normal = p[deepest(found, p)].normal;
        worst = fmax(worst, fabs(deep->gap - expected));
        along = fmax(along,
                     fabs(deep->gap - apart_along(&a.shape, &a.pose, &b.shape, &b.pose, atan2(normal[2], normal[0]))));
    }
    printf("gap off by %.1e, along its normal by %.1e m (limits 1e-12: the samples, 1e-14)\n", worst, along);
    assert_true(worst < 1e-12 && along < 1e-14);
}

// How far a shape reaches from its origin, and the radius around its core.
static double extent(const tn_shape *s)
{
    double most = 0.0;
    for (int i = 0; s->kind == TN_SHAPE_POLYGON && i < s->n_points; ++i) {
        most = fmax(most, tn_vec3_norm(s->points + 3 * i));
    }
    return s->kind == TN_SHAPE_ELLIPSE ? fmax(s->size[0], s->size[1]) : most + s->size[0];
}

static double core_radius(const tn_shape *s)
{
    return s->kind == TN_SHAPE_ELLIPSE ? 0.0 : s->size[0];
}

// A distance changes by no more than the motion, way + angle * extent. The vector between the nearest points of cores
// that are apart by D is the shortest one of a convex set, which moves with the way: so the normal changes by no more
// than 2 way / D. Where D - s is rounding a corner counts as over an edge: that turns it by sqrt(2 rounding / D).
static void small_motion_small_change(void **state)
{
    for (int pair = 0; pair < 9; ++pair) {
        dice d = {.seed = 30 + (uint64_t)pair};
        double gap = -INFINITY, normal = 0.0;
        int apart = 0;
        for (int k = 0; k < TRIES; ++k) {
            flat_shape a, b;
            tn_pose pa, pb, moved;
            tn_contact_point p[2][TN_MANIFOLD_MAX];
            roll_flat(&d, kinds[pair / 3], &a);
            roll_flat(&d, kinds[pair % 3], &b);
            roll_flat_pose(&d, 0.4, &pa);
            roll_flat_pose(&d, 0.7, &pb);
            int n = tn_shape_contact(&a.shape, &pa, &b.shape, &pb, 0.1, p[0]);
            if (n == 0) {
                continue;
            }
            double way = pow(10.0, roll(&d, -12.0, -2.0)), angle = k % 2 ? way : 0.0, off[3] = {0.0, 0.0, 0.0};
            double towards = roll(&d, 0.0, 2.0 * M_PI), turn[3] = {way * cos(towards), 0.0, way * sin(towards)};
            moved = pb;
            tn_vec3_set(moved.position, 0.0, 0.0, 0.0);
            put(&moved, angle, pb.position);
            tn_vec3_add(moved.position, moved.position, turn);
            int m = tn_shape_contact(&a.shape, &pa, &b.shape, &moved, 0.2, p[1]);
            assert_true(m > 0);
            const tn_contact_point *before = p[0] + deepest(n, p[0]), *after = p[1] + deepest(m, p[1]);
            gap = fmax(gap, fabs(after->gap - before->gap) - way - angle * extent(&b.shape));
            double cores = before->gap + core_radius(&a.shape) + core_radius(&b.shape);
            if (cores > 10.0 * way && angle == 0.0) {
                tn_vec3_sub(off, after->normal, before->normal);
                normal = fmax(normal, tn_vec3_norm(off) / (2.0 * way / (cores - way) + 2.0 * sqrt(2e-14 / cores)));
                apart++;
            }
        }
        printf("%s-%s: gap changes by %.1e m more than the motion (limit 1e-12); %d times apart, normal by %.2g of its "
               "limit\n",
               tn_shape_name(kinds[pair / 3]), tn_shape_name(kinds[pair % 3]), gap, apart, normal);
        assert_true(gap < 1e-12 && apart > TRIES / 40 && normal <= 1.0);
    }
}

// Both surface points of a contact lie on the surfaces, by the shapes' own distance. Of two points of rounded polygons
// the farther one may lie inside: it is below a corner whose edges look elsewhere.
static void points_on_surfaces(void **state)
{
    for (int pair = 0; pair < 9; ++pair) {
        dice d = {.seed = 50 + (uint64_t)pair};
        double off = 0.0;
        int seen = 0;
        for (int k = 0; k < TRIES; ++k) {
            flat_shape s[2];
            tn_pose pose[2];
            tn_contact_point p[TN_MANIFOLD_MAX];
            for (int i = 0; i < 2; ++i) {
                roll_flat(&d, kinds[i ? pair % 3 : pair / 3], &s[i]);
                roll_flat_pose(&d, 0.4, &pose[i]);
            }
            int n = tn_shape_contact(&s[0].shape, &pose[0], &s[1].shape, &pose[1], 0.1, p);
            bool round = s[0].shape.kind == TN_SHAPE_POLYGON && s[0].shape.size[0] + s[1].shape.size[0] > 0.0;
            for (int i = 0; i < 2 * n; ++i) {
                const tn_contact_point *c = p + i / 2;
                double x[3], normal[3], near[3];
                if (round && i / 2 != deepest(n, p)) {
                    continue;
                }
                tn_vec3_madd(x, c->point, (i % 2 ? 0.5 : -0.5) * c->gap, c->normal);
                off = fmax(off, fabs(tn_shape_distance(&s[i % 2].shape, &pose[i % 2], x, normal, near)));
                seen++;
            }
        }
        printf("%s-%s: %d points, off the surfaces by %.1e m (limit 1e-12)\n", tn_shape_name(kinds[pair / 3]),
               tn_shape_name(kinds[pair % 3]), seen, off);
        assert_true(seen > TRIES / 20 && off < 1e-12);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shared_edges),       cmocka_unit_test(overlaps_of_rounding),
        cmocka_unit_test(shared_corners),     cmocka_unit_test(round_on_corners),
        cmocka_unit_test(names_stay),         cmocka_unit_test(one_in_the_other),
        cmocka_unit_test(points_on_surfaces), cmocka_unit_test(small_motion_small_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
