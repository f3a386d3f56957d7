// Every pair of convex shapes against the largest separation over all directions; see reference.h.
#include "hulls.h"
#include "shape/convex.h"
#include "test.h"

#include <stdio.h>
#include <string.h>

static hull_set hulls;
static const double margin = 0.1;
// Of lengths below 2 m; a rim beside a face within 1e-7 rad is found that well. Of cones, whose rims are sharp: twice.
static double rounding = 5e-8;

enum { FEW = REFERENCE_SLOW ? 50 : 400 };

static tn_shape roll_convex(dice *d, tn_shape_kind kind)
{
    tn_shape shape = roll_shape(d, kind);
    if (kind == TN_SHAPE_HULL) {
        shape.hull = &hulls.hull[(int)roll(d, 0.0, HULLS)];
    } else if (roll(d, 0.0, 1.0) < 0.2) { // thin ones
        shape.size[(int)roll(d, 0.0, 3.0)] *= 0.01;
    }
    if (kind == TN_SHAPE_CONE && roll(d, 0.0, 1.0) < 0.4) { // an apex, above or below
        shape.size[roll(d, 0.0, 1.0) < 0.7 ? 2 : 0] = 0.0;
    }
    return shape;
}

typedef struct outcome {
    double worst_low, worst_high; // of the gap below and above the reference [m]
    double worst_normal;          // of the separation along the contact's own normal, below the gap [m]
    double worst_points;          // of the two surface points, outside of their shapes [m]
    int contacts, apart, bad;
} outcome;

// Directions at one angle to an axis, whose cosine is level: t1, t2 and the axis are an orthonormal frame.
typedef struct circle {
    double axis[3], t1[3], t2[3], level;
} circle;

// Separation at the angle round the axis, from t1 towards t2.
static double at_angle(const two_shapes *two, const circle *c, double angle)
{
    double n[3], radius = sqrt(1.0 - c->level * c->level);
    tn_vec3_scale(n, radius * cos(angle), c->t1);
    tn_vec3_madd(n, n, radius * sin(angle), c->t2);
    tn_vec3_madd(n, n, c->level, c->axis);
    return separation(two, n);
}

// The largest separation on such a circle: 64 angles, then a golden section about the best.
static double circle_distance(const two_shapes *two, const double axis[3], double level)
{
    const double golden = 0.6180339887498949, step = 2.0 * M_PI / 64.0;
    circle c = {.level = level};
    double probe[3] = {0.0, 0.0, 0.0}, best = -INFINITY, middle = 0.0;
    probe[fabs(axis[0]) < 0.6 ? 0 : 1] = 1.0;
    tn_vec3_copy(c.axis, axis);
    tn_vec3_cross(c.t1, axis, probe);
    tn_vec3_scale(c.t1, 1.0 / tn_vec3_norm(c.t1), c.t1);
    tn_vec3_cross(c.t2, axis, c.t1);
    for (int i = 0; i < 64; ++i) {
        double here = at_angle(two, &c, i * step);
        middle = here > best ? i * step : middle;
        best = fmax(best, here);
    }
    double low = middle - step, high = middle + step;
    for (int i = 0; i < 50; ++i) {
        double p = high - golden * (high - low), q = low + golden * (high - low);
        double sp = at_angle(two, &c, p), sq = at_angle(two, &c, q);
        best = fmax(best, fmax(sp, sq));
        if (sp > sq) {
            high = q;
        } else {
            low = p;
        }
    }
    return best;
}

// Round shapes against edges: the support function has a corner all along the circle across the edge.
static double circles_distance(const two_shapes *two)
{
    double best = -INFINITY, axis[3];
    for (int side = 0; side < 2; ++side) {
        const tn_shape *shape = side ? &two->b : &two->a;
        const tn_pose *pose = side ? &two->pose_b : &two->pose_a;
        const tn_hull *hull = shape->kind == TN_SHAPE_HULL ? shape->hull : NULL;
        for (int i = 0; i < (hull ? hull->n_edges : 3); ++i) {
            tn_vec3_set(axis, i == 0, i == 1, i == 2);
            if (hull) {
                tn_vec3_sub(axis, hull->vertices + 3 * hull->edge[2 * i + 1], hull->vertices + 3 * hull->edge[2 * i]);
                tn_vec3_scale(axis, 1.0 / tn_vec3_norm(axis), axis);
            }
            tn_quat_rotate(axis, pose->quaternion, axis);
            best = fmax(best, circle_distance(two, axis, 0.0));
            if (shape->kind == TN_SHAPE_CONE && i == 2) { // its side's normals, seen from a
                double in = shape->size[0] - shape->size[2], up = 2.0 * shape->size[1],
                       level = in / sqrt(in * in + up * up);
                best = fmax(best, circle_distance(two, axis, side ? -level : level));
            }
        }
    }
    return best;
}

static double reference_distance(const two_shapes *two, double known, double gap)
{
    double distance = fmax(known, fmax(axes_distance(two), corners_distance(two)));
    if (fabs(gap - distance) > rounding) {
        distance = fmax(distance, sampled_distance(two, 200, 8, 1e-11));
    }
    if (gap > distance + rounding) {
        distance = fmax(distance, circles_distance(two));
    }
    if (gap > distance + rounding) {
        distance = fmax(distance, sampled_distance(two, 3000, 32, 1e-11));
    }
    return distance;
}

// No contact within the margin: asked for farther ones, the code must offer a direction that proves it.
static void judge_apart(const two_shapes *two, outcome *out)
{
    tn_contact_point points[TN_MANIFOLD_MAX];
    double distance = -INFINITY;
    for (int i = 0, n = contact(two, 10.0, points); i < n; ++i) {
        distance = fmax(distance, separation(two, points[i].normal));
    }
    out->apart++;
    out->bad += distance < margin - rounding;
}

static void judge(const two_shapes *two, outcome *out)
{
    tn_contact_point points[TN_MANIFOLD_MAX];
    int n = contact(two, margin, points);
    if (n == 0) {
        judge_apart(two, out);
        return;
    }
    const tn_contact_point *p = points + deepest(n, points);
    double low = separation(two, p->normal), distance = reference_distance(two, low, p->gap);
    double error = p->gap - distance;
    out->contacts++;
    out->worst_low = fmin(out->worst_low, error);
    out->worst_high = fmax(out->worst_high, error);
    out->worst_normal = fmax(out->worst_normal, p->gap - low);
    out->bad += !(fabs(error) <= rounding);
    if (fabs(error) > rounding && out->bad < 6) {
        printf("    gap %.12g reference %.12g along %.12g; hull %ld %ld\n", p->gap, distance, low,
               two->a.hull ? two->a.hull - hulls.hull : -1, two->b.hull ? two->b.hull - hulls.hull : -1);
    }
    assert_true(n <= 8);
}

static int check_pair(tn_shape_kind a, tn_shape_kind b)
{
    outcome out = {0};
    rounding = b == TN_SHAPE_CONE ? 1e-7 : 5e-8;
    dice d = {.seed = 100 + 10 * (uint64_t)a + (uint64_t)b};
    for (int i = 0; i < FEW; ++i) {
        two_shapes two = {.a = roll_convex(&d, a), .b = roll_convex(&d, b)};
        roll_pose(&d, 0.0, &two.pose_a);
        roll_pose(&d, 0.6, &two.pose_b);
        prepare(&two);
        judge(&two, &out);
    }
    printf("%s-%s: %d in contact, %d apart, %d bad; gap - reference in [%.2e, %.2e] m (limit %.0e); along its own "
           "normal at "
           "most %.2e less\n",
           tn_shape_name(a), tn_shape_name(b), out.contacts, out.apart, out.bad, out.worst_low, out.worst_high,
           rounding, out.worst_normal);
    assert_true(out.contacts > FEW / 20);
    return out.bad;
}

static void gaps_of_all_pairs(void **state)
{
    static const tn_shape_kind kinds[7] = {TN_SHAPE_SPHERE,    TN_SHAPE_BOX,  TN_SHAPE_CAPSULE, TN_SHAPE_CYLINDER,
                                           TN_SHAPE_ELLIPSOID, TN_SHAPE_HULL, TN_SHAPE_CONE};
    int bad = 0;
    for (int a = 0; a < 7; ++a) {
        for (int b = a > 3 ? a : 3; b < 7; ++b) {
            bad += check_pair(kinds[a], kinds[b]);
        }
    }
    assert_int_equal(bad, 0);
}

static const tn_shape_kind all_kinds[8] = {TN_SHAPE_PLANE,    TN_SHAPE_SPHERE,    TN_SHAPE_BOX,  TN_SHAPE_CAPSULE,
                                           TN_SHAPE_CYLINDER, TN_SHAPE_ELLIPSOID, TN_SHAPE_HULL, TN_SHAPE_CONE};

// Calls the function for every pair of kinds of which one is new.
static void for_all_pairs(void (*check)(tn_shape_kind a, tn_shape_kind b))
{
    for (int a = 0; a < 8; ++a) {
        for (int b = a > 4 ? a : 4; b < 8; ++b) {
            check(all_kinds[a], all_kinds[b]);
        }
    }
}

static two_shapes roll_two(dice *d, tn_shape_kind a, tn_shape_kind b)
{
    two_shapes two = {.a = roll_convex(d, a), .b = roll_convex(d, b)};
    roll_pose(d, 0.1, &two.pose_a);
    roll_pose(d, 0.6, &two.pose_b);
    prepare(&two);
    return two;
}

// How far outside of the shape x is [m], and inside, by the shape's own distance (tested in point_test).
static double off_surface(const tn_shape *shape, const tn_pose *pose, const double x[3])
{
    double normal[3], nearest[3];
    return fabs(tn_shape_distance(shape, pose, x, normal, nearest));
}

// Two rods side by side have contacts at their ends too, that lie on their surfaces up to the square of their angle.
static bool is_rod(tn_shape_kind kind)
{
    return kind == TN_SHAPE_CAPSULE || kind == TN_SHAPE_CYLINDER;
}

// Exchanging the shapes gives the same least gap with the normal turned round; a small motion changes the gap by no
// more than itself; both surface points of the deepest contact lie on the surfaces where its normal is proved.
static void check_manifold(tn_shape_kind a, tn_shape_kind b)
{
    dice d = {.seed = 300 + 10 * (uint64_t)a + (uint64_t)b};
    double exchanged = 0.0, moved = -INFINITY, off = 0.0;
    int seen = 0;
    for (int i = 0; i < FEW; ++i) {
        two_shapes two = roll_two(&d, a, b), next = two;
        tn_contact_point ab[TN_MANIFOLD_MAX], ba[TN_MANIFOLD_MAX];
        int n = contact(&two, margin, ab);
        int m = tn_shape_contact(&two.b, &two.pose_b, &two.a, &two.pose_a, margin, ba);
        assert_true((n > 0) == (m > 0) && n <= 9);
        if (n == 0) {
            continue;
        }
        seen++;
        const tn_contact_point *p = ab + deepest(n, ab);
        exchanged = fmax(exchanged, fabs(p->gap - ba[deepest(m, ba)].gap));
        for (int k = 0; k < n; ++k) {
            assert_true(fabs(tn_vec3_norm(ab[k].normal) - 1.0) < 1e-12 && ab[k].gap <= margin);
            assert_true(k == 0 || ab[k - 1].feature < ab[k].feature);
        }
        if (p->gap <= separation(&two, p->normal) + 1e-12 && a != TN_SHAPE_PLANE && p->gap > -0.05 &&
            !(is_rod(a) && is_rod(b))) {
            double pa[3], pb[3];
            tn_vec3_madd(pa, p->point, -0.5 * p->gap, p->normal);
            tn_vec3_madd(pb, p->point, 0.5 * p->gap, p->normal);
            double here = fmax(off_surface(&two.a, &two.pose_a, pa), off_surface(&two.b, &two.pose_b, pb));
            off = fmax(off, here);
        }
        double way = pow(10.0, roll(&d, -8.0, -2.0)), axis[3], turn[4];
        roll_direction(&d, axis);
        tn_vec3_madd(next.pose_b.position, next.pose_b.position, way, axis);
        roll_direction(&d, axis);
        tn_quat_from_axis_angle(turn, axis, way);
        tn_quat_mul(next.pose_b.quaternion, turn, next.pose_b.quaternion);
        n = contact(&next, margin + 0.1, ba);
        assert_true(n > 0);
        moved = fmax(moved, fabs(ba[deepest(n, ba)].gap - p->gap) - way * (1.0 + 1.1)); // no shape is larger than 1.1 m
    }
    printf("%s-%s: %d poses; exchanged %.1e m, change beyond the motion %.1e m (limits 5e-8), off surfaces %.1e m\n",
           tn_shape_name(a), tn_shape_name(b), seen, exchanged, moved, off);
    assert_true(seen > FEW / 20 && exchanged < 5e-8 && moved < 5e-8 && off < 1e-6);
}

static void manifolds_of_all_pairs(void **state)
{
    for_all_pairs(check_manifold);
}

static tn_pose upright(double x, double y, double z)
{
    return (tn_pose){{x, y, z}, {1.0, 0.0, 0.0, 0.0}};
}

// Shapes that stand: how far they reach above and below their centre.
typedef struct standing {
    tn_shape shape;
    double above, below;
} standing;

enum { STANDING = 8 };

static void set_standing(standing out[STANDING])
{
    const tn_shape shapes[STANDING] = {{.kind = TN_SHAPE_SPHERE, .size = {0.2}},
                                       {.kind = TN_SHAPE_BOX, .size = {0.3, 0.2, 0.25}},
                                       {.kind = TN_SHAPE_CAPSULE, .size = {0.1, 0.3}},
                                       {.kind = TN_SHAPE_CYLINDER, .size = {0.3, 0.15}},
                                       {.kind = TN_SHAPE_ELLIPSOID, .size = {0.3, 0.2, 0.1}},
                                       {.kind = TN_SHAPE_HULL, .hull = &hulls.hull[1]},
                                       {.kind = TN_SHAPE_HULL, .hull = &hulls.hull[4]},
                                       {.kind = TN_SHAPE_CONE, .size = {0.3, 0.15, 0.1}}};
    const double half[STANDING] = {0.2, 0.25, 0.4, 0.15, 0.1, 0.3, 0.2};
    for (int k = 0; k < STANDING; ++k) {
        out[k] = (standing){.shape = shapes[k], .above = half[k], .below = half[k]};
    }
    out[7].below = 0.25 * 0.3 * (0.09 + 0.06 + 0.03) / (0.09 + 0.03 + 0.01); // h/4 (a^2 + 2 a b + 3 b^2) / ...
    out[7].above = 0.3 - out[7].below;
}

// One on the other nearly level, by any angle up to a tenth, in the middle or off it: of overlaps the least depth,
// where normals in between the two faces' part them by almost as much.
static void gaps_of_stacks(void **state)
{
    enum { STACKS = 4 * STANDING * STANDING };
    standing all[STANDING];
    outcome out = {0};
    dice d = {.seed = 77};
    set_standing(all);
    rounding = 1e-7;
    for (int k = 0; k < STACKS; ++k) {
        const standing *a = all + k / 4 / STANDING, *b = all + k / 4 % STANDING;
        double aside = k & 1 ? 0.3 : 0.0, gap = k & 2 ? -0.02 * roll(&d, 0.0, 1.0) : pow(10.0, roll(&d, -9.0, -2.0)),
               axis[3];
        two_shapes two = {.a = a->shape, .b = b->shape, .pose_a = upright(0.0, 0.0, 0.0)};
        two.pose_b = upright(aside * roll(&d, -1.0, 1.0), aside * roll(&d, -1.0, 1.0), a->above + b->below + gap);
        roll_direction(&d, axis);
        tn_quat_from_axis_angle(two.pose_b.quaternion, axis, pow(10.0, roll(&d, -9.0, -1.0)));
        prepare(&two);
        judge(&two, &out);
    }
    printf("stacks: %d in contact, %d apart, %d bad; gap - reference in [%.2e, %.2e] m (limit %.0e)\n", out.contacts,
           out.apart, out.bad, out.worst_low, out.worst_high, rounding);
    assert_true(out.contacts > STACKS / 2);
    assert_int_equal(out.bad, 0);
}

// The rim of a cone in the edge of a box that is turned by half a thousandth: a coarse search ends with a vertex that
// is not the nearest one, and the refinement leads away from it.
static void refined_away(void **state)
{
    outcome out = {0};
    rounding = 1e-9;
    two_shapes two = {
        .a = {.kind = TN_SHAPE_BOX, .size = {0.51707160968371568, 0.57575761530475478, 0.80881400889627653}},
        .b = {.kind = TN_SHAPE_CONE, .size = {0.8676123237105966, 0.37481710005370894, 0.0}},
        .pose_a = {{1.29879964, 0.916465532, -0.996037424},
                   {-0.00025949873130966413, 0.9999999058212008, -0.00029727682549587507, -0.00018067785433544887}},
        .pose_b = upright(0.0, 0.0, 0.0)};
    prepare(&two);
    judge(&two, &out);
    printf("gap - reference in [%.2e, %.2e] m (limit %.0e)\n", out.worst_low, out.worst_high, rounding);
    assert_int_equal(out.contacts, 1);
    assert_int_equal(out.bad, 0);
}

// One on the other in exact alignment: the gap and the normal by hand, no lateral error at all.
static void exact_stacks(void **state)
{
    standing all[STANDING];
    double worst_gap = 0.0, worst_normal = 0.0;
    set_standing(all);
    for (int k = 0; k < STANDING * STANDING * 5; ++k) {
        const standing *a = all + k / 5 / STANDING, *b = all + k / 5 % STANDING;
        double gap = (const double[5]){0.01, 1e-9, 0.0, -1e-9, -0.01}[k % 5];
        two_shapes two = {.a = a->shape,
                          .b = b->shape,
                          .pose_a = upright(0.1, 0.2, 0.0),
                          .pose_b = upright(0.1, 0.2, a->above + b->below + gap)};
        tn_contact_point p[TN_MANIFOLD_MAX];
        int n = contact(&two, margin, p);
        assert_true(n > 0);
        const tn_contact_point *deep = p + deepest(n, p);
        double lateral = sqrt(deep->normal[0] * deep->normal[0] + deep->normal[1] * deep->normal[1]);
        worst_gap = fmax(worst_gap, fabs(deep->gap - gap));
        worst_normal = fmax(worst_normal, lateral);
        assert_true(deep->normal[2] > 0.999 && fabs(deep->point[2] - a->above - 0.5 * gap) < 1e-9);
    }
    printf("stacks: gap off by %.1e m, normal by %.1e (limit 1e-14)\n", worst_gap, worst_normal);
    assert_true(worst_gap < 1e-14 && worst_normal < 1e-14);
}

// The least push that parts shapes of one centre is by hand along z, where both are thinnest; and whatever they are,
// the contact is finite.
static void coincident_centres(void **state)
{
    standing all[STANDING];
    set_standing(all);
    for (int a = 0; a < STANDING; ++a) {
        for (int b = 0; b < STANDING; ++b) {
            two_shapes two = {
                .a = all[a].shape, .b = all[b].shape, .pose_a = upright(0, 0, 0), .pose_b = upright(0, 0, 0)};
            tn_contact_point p[TN_MANIFOLD_MAX];
            int n = contact(&two, margin, p);
            prepare(&two);
            assert_true(n > 0);
            const tn_contact_point *deep = p + deepest(n, p);
            double reference =
                fmax(fmax(axes_distance(&two), corners_distance(&two)), sampled_distance(&two, 500, 8, 1e-11));
            assert_true(isfinite(deep->point[0] + deep->point[1] + deep->point[2]));
            assert_true(fabs(tn_vec3_norm(deep->normal) - 1.0) < 1e-12);
            if (fabs(deep->gap - reference) > 1e-7) {
                printf("%s in %s: %.9g, reference %.9g\n", tn_shape_name(two.b.kind), tn_shape_name(two.a.kind),
                       deep->gap, reference);
            }
            assert_true(fabs(deep->gap - reference) < 1e-7);
        }
    }
}

// Jittered by a millionth, what rests keeps the names of its contacts, but for the nearest point of a round shape.
static void names_of_resting_shapes_stay(void **state)
{
    standing all[STANDING];
    set_standing(all);
    for (int k = 0; k < STANDING * STANDING; ++k) {
        const standing *a = all + k / STANDING, *b = all + k % STANDING;
        dice d = {.seed = 50 + (uint64_t)k};
        int same = 0, total = 0, most = 0, n_before = 0;
        unsigned before[TN_MANIFOLD_MAX];
        for (int i = 0; i < 200; ++i) {
            two_shapes two = {.a = a->shape, .b = b->shape, .pose_a = upright(0, 0, 0)};
            double axis[3], turn[4] = {1.0, 0.0, 0.0, 0.0};
            tn_contact_point p[TN_MANIFOLD_MAX];
            tn_quat_from_axis_angle(two.pose_b.quaternion, (double[3]){0.0, 0.0, 1.0}, 0.1);
            for (int c = 0; c < 3; ++c) {
                two.pose_b.position[c] = roll(&d, -1e-6, 1e-6) + (c == 2 ? a->above + b->below - 1e-6 : 0.02 * (c + 1));
            }
            if (a->shape.kind == TN_SHAPE_SPHERE || a->shape.kind == TN_SHAPE_ELLIPSOID ||
                a->shape.kind == TN_SHAPE_CAPSULE) {
                two.pose_b.position[0] = two.pose_b.position[1] = 0.0;
            }
            roll_direction(&d, axis);
            tn_quat_from_axis_angle(turn, axis, 1e-6);
            tn_quat_mul(two.pose_b.quaternion, turn, two.pose_b.quaternion);
            int n = contact(&two, 1e-3, p), n_here = 0;
            unsigned here[TN_MANIFOLD_MAX];
            for (int j = 0; j < n; ++j) {
                bool nearest = p[j].feature >> 30 == TN_FEATURE_NEAREST;
                if (!nearest || n == 1) {
                    here[n_here++] = p[j].feature;
                }
            }
            for (int j = 0; i > 0 && j < n_here; ++j) {
                total++;
                for (int q = 0; q < n_before; ++q) {
                    same += before[q] == here[j];
                }
            }
            most = n > most ? n : most;
            n_before = n_here;
            memcpy(before, here, sizeof here);
        }
        if (same < total) {
            printf("%s on %s: %d of %d names found again, at most %d points\n", tn_shape_name(b->shape.kind),
                   tn_shape_name(a->shape.kind), same, total, most);
        }
        assert_true(total > 0 && same >= 0.95 * total); // the deepest of many is always kept, and changes
    }
}

// Sizes apart by 10^4: the gap of the small one to rounding of the large one.
static void sizes_far_apart(void **state)
{
    dice d = {.seed = 77};
    double worst = 0.0;
    int seen = 0;
    for (int i = 0; i < FEW; ++i) {
        tn_shape_kind kinds[5] = {TN_SHAPE_BOX, TN_SHAPE_CYLINDER, TN_SHAPE_ELLIPSOID, TN_SHAPE_CAPSULE, TN_SHAPE_CONE};
        two_shapes two = {.a = roll_shape(&d, kinds[i % 5]), .b = roll_shape(&d, kinds[i / 5 % 5])};
        tn_contact_point p[TN_MANIFOLD_MAX];
        for (int k = 0; k < 3; ++k) {
            two.a.size[k] = roll(&d, 0.5, 1.0);
            two.b.size[k] *= 1e-4;
        }
        roll_pose(&d, 0.0, &two.pose_a);
        roll_pose(&d, 1.0, &two.pose_b);
        int n = contact(&two, 10.0, p); // then to where they touch
        if (n == 0 || p[deepest(n, p)].gap < 0.0) {
            continue;
        }
        const tn_contact_point *deep = p + deepest(n, p);
        tn_vec3_madd(two.pose_b.position, two.pose_b.position, -(deep->gap + roll(&d, -2e-5, 2e-5)), deep->normal);
        prepare(&two);
        n = contact(&two, 1e-4, p);
        assert_true(n > 0);
        deep = p + deepest(n, p);
        double known = separation(&two, deep->normal);
        if (deep->gap > known + 1e-12) { // a face that stands in for the truth, or points of rods
            known = fmax(known, fmax(axes_distance(&two), circles_distance(&two)));
        }
        if (deep->gap > known + 1e-12) {
            known = fmax(known, sampled_distance(&two, 500, 8, 1e-12));
        }
        worst = fmax(worst, fabs(deep->gap - known));
        seen++;
    }
    printf("sizes 10^4 apart: %d poses, gap off by %.1e m (limit 1e-9)\n", seen, worst);
    assert_true(seen > FEW / 4 && worst < 1e-9);
}

static int set_up(void **state)
{
    hulls_create(&hulls);
    return 0;
}

static int tear_down(void **state)
{
    tn_arena_destroy(hulls.arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(gaps_of_all_pairs),
        cmocka_unit_test(manifolds_of_all_pairs),
        cmocka_unit_test(gaps_of_stacks),
        cmocka_unit_test(refined_away),
        cmocka_unit_test(exact_stacks),
        cmocka_unit_test(coincident_centres),
        cmocka_unit_test(names_of_resting_shapes_stay),
        cmocka_unit_test(sizes_far_apart),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
