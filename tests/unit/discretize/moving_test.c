// What moves by itself, in contact rows: belts, kinematic bodies, driven nodes, as side a and as side b, at skew
// places; the point where far contacts act; the limit of the push-out. The contacts are those that collide finds.
#include "stage.h"

#include "discretize/bends.h"
#include "math/mat3.h"
#include "math/quat.h"
#include "math/vec3.h"
#include "problem/rows.h"

// Contact rows of what touches in the scene.
static tn_contact_list touch(stage *s)
{
    tn_error error = {0};
    tn_contact_list list;
    assert_int_equal(tn_collide(s->model, s->state, 1, s->arena, s->arena, &list, &error), TN_OK);
    assert_int_equal(tn_contact_rows_build(s->model, s->state, &list, &s->balance, NULL, s->arena, &s->rows, &error),
                     TN_OK);
    assert_true(s->rows.contacts.n_triples > 0);
    return list;
}

static void to_world(const double frame[9], const double in[3], double out[3])
{
    tn_vec3_set(out, 0.0, 0.0, 0.0);
    tn_mat3_add_tvec(out, frame, in);
}

static void check_vector(const char *what, const double got[3], const double wanted[3], double limit)
{
    double difference[3];
    tn_vec3_sub(difference, got, wanted);
    printf("%-56s (%.9g %.9g %.9g), off by %.2g, limit %.1g\n", what, got[0], got[1], got[2], tn_vec3_norm(difference),
           limit);
    assert_true(tn_vec3_norm(difference) <= limit);
}

// Two bodies in both orders: the first printed has the lower number.
static void in_order(char *text, size_t size, const char *head, const char *one, const char *other, int order)
{
    snprintf(text, size, "%s\nbodies:\n%s%s", head, order == 0 ? one : other, order == 0 ? other : one);
}

// A belt on a turned shape of a turned body under a ball: relative to b's point, a's surface runs at -v, b's at +v.
static void belts(void **unused)
{
    const double body_axis[3] = {1, 2, 3}, shape_axis[3] = {3, -1, 1}, above[3] = {0.1, 0.05, 0.2};
    double body[4], shape[4], both[4], place[3], along[3], normal[3];
    tn_quat_from_axis_angle(body, body_axis, 0.7);
    tn_quat_from_axis_angle(shape, shape_axis, 0.4);
    tn_quat_mul(both, body, shape);
    tn_quat_rotate(place, both, above);
    tn_quat_rotate(along, both, (const double[3]){0.5, -0.2, 0.0}); // the part of 0.3 across the surface does not count
    tn_quat_rotate(normal, both, (const double[3]){0.0, 0.0, 1.0});
    for (int kind = 0; kind < 2; kind++) {
        for (int order = 0; order < 2; order++) {
            char belt[400], ball[200], text[1000];
            snprintf(belt, sizeof belt,
                     "  belt: {%s, rotation: {axis: [1, 2, 3], angle: 0.7}, shape: {box: [1, 1, 0.2], "
                     "rotation: {axis: [3, -1, 1], angle: 0.4}, surface_velocity: [0.5, -0.2, 0.3]}}\n",
                     kind == 0 ? "fixed: true" : "velocity: [0, 0, 0]");
            snprintf(ball, sizeof ball, "  ball: {position: [%.17g, %.17g, %.17g], shape: {sphere: 0.1}}\n", place[0],
                     place[1], place[2]);
            in_order(text, sizeof text, "step: 0.01", belt, ball, order);
            stage s = open_stage(text);
            tn_contact_list list = touch(&s);
            assert_int_equal(s.rows.contacts.n_triples, 1);
            double w[3], got[3], wanted[3];
            tn_contact_rows_surface(&s.rows, 0, w);
            to_world(list.contacts[0].frame, w, got);
            tn_vec3_scale(wanted, order == 0 ? -1.0 : 1.0, along);
            check("the normal is the turned surface's", fabs(tn_vec3_dot(list.contacts[0].frame, normal)), 1.0, 1e-12);
            check_vector(order == 0 ? "belt as shape a" : "belt as shape b", got, wanted, 1e-12);
            close_stage(&s);
        }
    }
}

static const char turning[] =
    "  hand: {motion: {position: ['1 + 2 * t', '3 * t^2', '0.5 - 4 * t'], axis: [1, 2, 2], angle: "
    "'t + 5 * t^2'}, rotation: {axis: [2, 1, 0], angle: 0.3}, shape: {box: [1, 1, 0.2]}}\n";
// Of this motion over the first step of 10 ms: the mean velocity and angular velocity.
static const double hand_start[3] = {1, 0, 0.5}, hand_linear[3] = {2, 0.03, -4};
static const double hand_angular[3] = {1.05 / 3, 2.1 / 3, 2.1 / 3};

// Where something 0.1 above the hand's upper face is, off its middle.
static void above_hand(double out[3])
{
    double turn[4];
    tn_quat_from_axis_angle(turn, (const double[3]){2, 1, 0}, 0.3);
    tn_quat_rotate(out, turn, (const double[3]){0.3, -0.2, 0.2});
    tn_vec3_add(out, out, hand_start);
}

// A kinematic body that moves, turns ever faster and is turned: contact and, with rolling friction, moment.
static void kinematic_bodies(void **unused)
{
    double place[3];
    above_hand(place);
    for (int order = 0; order < 2; order++) {
        char ball[200], text[1000];
        snprintf(ball, sizeof ball, "  ball: {position: [%.17g, %.17g, %.17g], shape: {sphere: 0.1}}\n", place[0],
                 place[1], place[2]);
        in_order(text, sizeof text, "step: 0.01\nmaterials: {default: {rolling: 1 mm, torsion: 2 mm}}", turning, ball,
                 order);
        stage s = open_stage(text);
        tn_contact_list list = touch(&s);
        assert_int_equal(s.rows.contacts.n_triples, 2);
        assert_int_equal(s.rows.contacts.n_frictions, 1);
        double w[3], got[3], wanted[3], arm[3], sign = order == 0 ? -1.0 : 1.0;
        const tn_contact *c = list.contacts;
        tn_vec3_sub(arm, c->point, hand_start);
        tn_vec3_cross(wanted, hand_angular, arm);
        tn_vec3_add(wanted, wanted, hand_linear);
        tn_vec3_scale(wanted, sign, wanted);
        tn_contact_rows_surface(&s.rows, 0, w);
        to_world(c->frame, w, got);
        check_vector(order == 0 ? "kinematic body as a: its point" : "kinematic body as b: its point", got, wanted,
                     1e-11);
        tn_vec3_scale(wanted, sign, hand_angular);
        to_world(c->frame, s.rows.contacts.offset + 3, got);
        check_vector(order == 0 ? "kinematic body as a: its turning" : "kinematic body as b: its turning", got, wanted,
                     1e-12);
        close_stage(&s);
    }
}

// A point that moves with the hand: the mean velocity over the step is the way of its turned arm, not omega x arm.
static void driven_velocity(const double x[3], double out[3])
{
    double arm[3], turn[4], end[3] = {1.02, 3e-4, 0.46};
    tn_vec3_sub(arm, x, hand_start);
    tn_quat_from_axis_angle(turn, (const double[3]){1, 2, 2}, 0.0105);
    tn_quat_rotate(arm, turn, arm);
    tn_vec3_add(end, end, arm);
    tn_vec3_sub(out, end, x);
    tn_vec3_scale(out, 1.0 / 0.01, out);
}

static void soft_place(const tn_state *state, const tn_soft_point *at, double x[3])
{
    tn_vec3_set(x, 0.0, 0.0, 0.0);
    for (int i = 0; i < at->n; i++) {
        tn_vec3_madd(x, x, at->weight[i], state->x + 3 * (size_t)at->node[i]);
    }
}

// Contacts of the driven soft body number `driven` with what moves freely.
static void check_driven(const char *what, const char *text, int driven)
{
    stage s = open_stage(text);
    tn_contact_list list = touch(&s);
    double worst = 0.0;
    for (int m = 0; m < s.rows.contacts.n_triples; m++) {
        const tn_contact *c = list.contacts + s.rows.source[m];
        bool is_b = c->body_b == s.model->n_bodies + driven;
        double x[3], wanted[3], w[3], got[3], difference[3];
        assert_true(is_b || c->body_a == s.model->n_bodies + driven);
        soft_place(s.state, is_b ? c->soft_b : c->soft_a, x);
        driven_velocity(x, wanted);
        tn_vec3_scale(wanted, is_b ? 1.0 : -1.0, wanted);
        tn_contact_rows_surface(&s.rows, m, w);
        to_world(c->frame, w, got);
        tn_vec3_sub(difference, got, wanted);
        worst = fmax(worst, tn_vec3_norm(difference));
    }
    printf("%s: %d contacts\n", what, s.rows.contacts.n_triples);
    check("driven nodes in contact rows, worst", worst, 0.0, 1e-11);
    close_stage(&s);
}

// A soft slab all of whose nodes the hand drives, under a free box, and under and above another soft slab.
static void driven_nodes(void **unused)
{
    static const char hand[] = "step: 0.01\nmargin: 2 mm\nbodies:\n"
                               "  hand: {motion: {position: ['1 + 2 * t', '3 * t^2', '0.5 - 4 * t'], axis: [1, 2, 2], "
                               "angle: 't + 5 * t^2'}}\n";
    static const char held[] =
        "  held: {grid: {size: [1, 1, 0.2], divisions: [2, 2, 1]}, young: 1e5, position: [1.3, 0, "
        "0.5], attach: [{to: hand, where: {all: true}}]}\n";
    static const char loose[] = "  loose: {grid: {size: [0.4, 0.4, 0.2], divisions: [1, 1, 1]}, young: 1e5, position: "
                                "[1.3, 0.03, 0.7]}\n";
    char text[1200];
    snprintf(text, sizeof text, "%s  box: {position: [1.3, 0, 0.7], shape: {box: [0.4, 0.4, 0.2]}}\nsoft:\n%s", hand,
             held);
    check_driven("a free box on a driven slab", text, 0);
    snprintf(text, sizeof text, "%ssoft:\n%s%s", hand, held, loose);
    check_driven("a soft body on a driven one", text, 0);
    snprintf(text, sizeof text, "%ssoft:\n%s%s", hand, loose, held);
    check_driven("the same named in the other order", text, 1);
}

// Soft nodes tied to a free body that moves and turns: what touches them sees the body's velocity at that point.
static void nodes_on_a_free_body(void **unused)
{
    stage s = open_stage(
        "step: 0.01\nmargin: 2 mm\nbodies:\n  floor: {fixed: true, shape: {plane: {}}}\n"
        "  head: {position: [0.1, 0.2, 0.5], velocity: [0.3, -0.2, 0.1], angular_velocity: [1, 2, 3], shape: "
        "{box: [0.1, 0.2, 0.3]}}\n"
        "soft: {foot: {grid: {size: [0.4, 0.6, 0.2], divisions: [1, 1, 1]}, young: 1e5, position: [0.2, 0.1, "
        "0.1], attach: [{to: head, where: {all: true}}]}}\n");
    tn_contact_list list = touch(&s);
    double linear[3], angular[3], worst = 0.0;
    tn_state_center_velocity(s.state, 2, s.state->v, linear, angular);
    for (int m = 0; m < s.rows.contacts.n_triples; m++) {
        const tn_contact *c = list.contacts + s.rows.source[m];
        double x[3], arm[3], wanted[3], u[3], got[3];
        soft_place(s.state, c->soft_b, x);
        tn_vec3_sub(arm, x, s.state->pose[2].position);
        tn_vec3_cross(wanted, angular, arm);
        tn_vec3_add(wanted, wanted, linear);
        tn_contact_velocity(&s.rows.contacts, m, s.state->v, u);
        to_world(c->frame, u, got);
        tn_vec3_sub(got, got, wanted);
        worst = fmax(worst, tn_vec3_norm(got));
    }
    printf("%d contacts\n", s.rows.contacts.n_triples);
    assert_true(s.rows.contacts.n_triples >= 4);
    check("velocity of nodes on a free body, worst", worst, 0.0, 1e-13);
    close_stage(&s);
}

// Ways that bend (bends.h): two bodies that turn about parallel axes at different rates; attached nodes, by their
// weights.
static void bends(void **unused)
{
    const double h = 0.01, frame[9] = {1, 0, 0, 0, 1, 0, 0, 0, 1}, part = 1.0 - 0.5 * 0.5 / (2.0 * 2.5);
    const tn_soft_point none = {.n = 0}, nodes = {3, {0, 1, 3}, {0.2, 0.3, 0.5}};
    stage s = open_stage("step: 0.01\nbodies:\n  hand: {motion: {angle: 2*t}}\n"
                         "  top: {position: [0.3, 0.1, 0.2], angular_velocity: [0, 0, 2.5], shape: {box: [1, 1, 1]}}\n"
                         "soft: {held: {grid: {size: [1, 1, 0.2], divisions: [2, 2, 1]}, young: 1e5, position: [1.3, "
                         "0, 0.5], attach: [{to: hand, where: {all: true}}]}}\n");
    const tn_bend *found = tn_bends_find(s.model, s.state, &(tn_contact_list){.n = 0}, s.arena);
    tn_contact c = {.body_a = 1, .body_b = 2, .soft_a = &none, .soft_b = &none, .frame = frame, .point = {1, 2, 3}};
    double got[3], wanted[3], x[3];
    tn_bends_motion(s.state, found, &c, got);
    tn_vec3_set(wanted, 0.3, 0.1, 0.0);
    tn_vec3_scale(wanted, 0.5 * h * part * 2.25 * 2.25, wanted);
    check_vector("bodies that turn at 2 and 2.5 rad/s", got, wanted, 1e-14);
    c.body_a = 0;
    c.soft_b = &nodes;
    tn_bends_motion(s.state, found, &c, got);
    soft_place(s.state, &nodes, x);
    tn_vec3_set(wanted, -0.5 * h * 4.0 * x[0], -0.5 * h * 4.0 * x[1], 0.0);
    check_vector("nodes that go round at 2 rad/s", got, wanted, 1e-14);
    close_stage(&s);
}

// omega is on the whole diagonal of every contact, and nowhere else.
static void invertible_contacts(void **unused)
{
    stage s = open_stage("step: 0.01\nomega: 1e-3\nbodies:\n  floor: {fixed: true, shape: {plane: {}}}\n"
                         "  box: {position: [0, 0, 0.1], shape: {box: [0.2, 0.2, 0.2]}}\n");
    touch(&s);
    assert_int_equal(s.rows.contacts.n_triples, 4);
    for (int i = 0; i < 36; i++) {
        assert_true(s.rows.contacts.softness[i] == (i % 9 % 4 == 0 ? 1e-3 : 0.0));
    }
    close_stage(&s);
}

// Velocity of the ball's contact point relative to the floor's, world axes, of a ball that only spins about y.
static void spin_at_contact(double radius, double height, double speed, int order, double out[3])
{
    char ball[300], text[1000];
    snprintf(ball, sizeof ball,
             "  ball: {position: [0, 0, %.17g], velocity: [0, 0, %.17g], angular_velocity: [0, 5, 0], shape: {sphere: "
             "%g}}\n",
             height, -speed, radius);
    in_order(text, sizeof text, "step: 0.01\nmargin: 1 mm", "  floor: {fixed: true, shape: {plane: {}}}\n", ball,
             order);
    stage s = open_stage(text);
    tn_contact_list list = touch(&s);
    double u[3];
    tn_contact_velocity(&s.rows.contacts, 0, s.state->v, u);
    to_world(list.contacts[s.rows.source[0]].frame, u, out);
    tn_vec3_scale(out, order == 0 ? 1.0 : -1.0, out);
    close_stage(&s);
}

// The point midway is the lever where that is near; where half the gap is longer than the body's own lever, its
// surface.
static void far_contacts(void **unused)
{
    for (int order = 0; order < 2; order++) {
        double u[3];
        spin_at_contact(0.1, 0.1005, 0.0, order, u);
        check("within the margin: midway", u[0], -5.0 * 0.10025, 1e-13);
        spin_at_contact(0.5, 0.8, 100.0, order, u);
        check("large and far, half the gap below its radius: midway", u[0], -5.0 * 0.65, 1e-12);
        check("its approach", u[2], -100.0, 1e-12);
        spin_at_contact(0.01, 0.5, 100.0, order, u);
        check("small and far: its own surface", u[0], -5.0 * 0.01, 1e-12);
    }
}

// An overlap deeper than the margin counts as the margin, in every mode that removes overlaps; and `push_out` is the
// fastest that it is removed.
static void deep_overlaps(void **unused)
{
    const struct {
        const char *settings;
        double depth, wanted;
    } cases[] = {
        {"gap: full", 1e-3, -0.1},
        {"gap: full", 7e-3, -0.2},
        {"gap: baumgarte", 7e-3, -0.04},
        {"gap: baumgarte\nbaumgarte: 0.5", 7e-3, -0.1},
        {"gap: none", 7e-3, 0.0},
        {"gap: full\npush_out: 0.05", 7e-3, -0.05}, // m/s
        {"gap: full\npush_out: 0.05", 3e-4, -0.03},
        {"gap: full\npush_out: infinite", 7e-3, -0.2},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        char text[500];
        snprintf(text, sizeof text,
                 "%s\nstep: 0.01\nmargin: 2 mm\nbodies:\n  floor: {fixed: true, shape: {plane: {}}}\n"
                 "  ball: {position: [0, 0, %.17g], shape: {sphere: 0.1}}\n",
                 cases[k].settings, 0.1 - cases[k].depth);
        stage s = open_stage(text);
        touch(&s);
        check(cases[k].settings, s.rows.contacts.offset[0], cases[k].wanted, 1e-12);
        close_stage(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(belts),        cmocka_unit_test(kinematic_bodies),
        cmocka_unit_test(driven_nodes), cmocka_unit_test(nodes_on_a_free_body),
        cmocka_unit_test(bends),        cmocka_unit_test(invertible_contacts),
        cmocka_unit_test(far_contacts), cmocka_unit_test(deep_overlaps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
