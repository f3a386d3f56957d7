// One-step simulators of a model's linear complementarity system, both levels, beside the engine: accelerations, first
// order in h, the predictor.
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "tenon/lcs_source.h"
#include "tenon/query.h"
#include "tenon/sim.h"
#include "test.h"

static tn_error e;

// A double pendulum whose tip falls on a ball: mass and gap's rate change with the place.
static const char PENDULUM[] =
    "coordinates: reduced\nstep: 1 ms\n"
    "defaults: {body: {mass: 1, shape: {box: [0.05, 0.05, 0.5], collides: false}}}\n"
    "materials: {ice: {friction: 0}}\n"
    "bodies:\n"
    "  upper: {position: [0.25, 0, 1], rotation: {axis: [0, 1, 0], angle: 90 deg}}\n"
    "  lower: {position: [0.75, 0, 1], rotation: {axis: [0, 1, 0], angle: 90 deg}, mass: 0.5, shape: {sphere: 0.05, "
    "position: [0, 0, 0.25], material: ice}}\n"
    "  rock: {fixed: true, position: [0.9, 0, 0.55], shape: {sphere: 0.4, material: ice}}\n"
    "joints:\n"
    "  one: {type: revolute, b: upper, anchor: [0, 0, 1], axis: [0, 1, 0], turn: {damping: 0.3}}\n"
    "  two: {type: revolute, a: upper, b: lower, anchor: [0.5, 0, 1], axis: [0, 1, 0], turn: {stiffness: 2}}\n";

// A ball that slides and rolls on a floor: a free body and a round cone, which on a straight way eight facets contain.
static const char BALL[] = "step: 1 ms\nmaterials: {wood: {friction: 0.3, density: 800}}\n"
                           "bodies:\n"
                           "  floor: {fixed: true, material: wood, shape: {plane: {}}}\n"
                           "  ball: {position: [0, 0, 0.1], velocity: [1, 0, 0], "
                           "material: wood, shape: {sphere: 0.1}}\n";

// A disk in a plane against a slope, with friction.
static const char DISK[] =
    "step: 1 ms\nmaterials: {wood: {friction: 0.2, density: 800}}\n"
    "bodies:\n"
    "  slope: {fixed: true, material: wood, rotation: {axis: [0, 1, 0], angle: 0.5}, shape: {plane: {}}}\n"
    "  disk: {position: [0.0479425538604203, 0, 0.0877582561890373], material: wood, shape: {disk: 0.1}}\n";

// A cart with a servo and dry friction, its pole falling against soft walls and to a limit.
static const char CART[] =
    "coordinates: reduced\nstep: 1 ms\n"
    "materials: {felt: {friction: 0.2, stiffness: 2000, damping: 20}}\n"
    "bodies:\n"
    "  cart: {mass: 1, position: [0, 0, 0], shape: {box: [0.2, 0.1, 0.1], collides: false}}\n"
    "  pole: {mass: 0.3, position: [0, 0, 0.25], shape: {sphere: 0.05, position: [0, 0, 0.25], material: felt}}\n"
    "  right: {fixed: true, position: [0.2, 0, 0.5], material: felt, shape: {plane: {normal: [-1, 0, 0]}}}\n"
    "  left: {fixed: true, position: [-0.2, 0, 0.5], material: felt, shape: {plane: {normal: [1, 0, 0]}}}\n"
    "joints:\n"
    "  rail: {type: prismatic, b: cart, anchor: [0, 0, 0], axis: [1, 0, 0], slide: {friction: 1, motor: {position: "
    "0.05, "
    "stiffness: 50, damping: 5}}}\n"
    "  hinge: {type: revolute, a: cart, b: pole, anchor: [0, 0, 0], axis: [0, 1, 0], turn: {limits: [-0.35, 0.9]}}\n";

typedef struct run {
    tn_model *model;
    tn_state *state;
    tn_lcs_options options;
} run;

static void start(run *r, const char *scene, double h)
{
    char set[32];
    const char *sets[] = {set};
    snprintf(set, sizeof set, "step=%.17g", h);
    tn_scene *made = tn_scene_parse(scene, NULL, 1, sets, &e);
    if (!made) {
        print_message("%d:%d %s\n", e.line, e.column, e.message);
    }
    assert_non_null(made);
    r->model = tn_model_create(made, &e);
    if (!r->model) {
        print_message("%s\n", e.message);
    }
    assert_non_null(r->model);
    r->state = tn_state_create(r->model, &e);
    assert_non_null(r->state);
    r->options = tn_lcs_options_default();
}

static void end(run *r)
{
    tn_state_destroy(r->state);
    tn_model_destroy(r->model);
}

// x after `seconds` of the engine (iterations < 0) or of a discretisation.
static int simulate(const char *scene, double h, double seconds, const tn_lcs_options *options, int iterations,
                    double *x)
{
    run r;
    start(&r, scene, h);
    tn_lcs_source *source = tn_lcs_source_create(r.model, options, &e);
    assert_non_null(source);
    tn_sim *sim = tn_sim_create(r.model, &e);
    int n = tn_lcs_source_coordinate_count(source), steps = (int)lround(seconds / h);
    for (int k = 0; k < steps; k++) {
        if (iterations < 0) {
            assert_int_equal(tn_sim_step(sim, NULL, r.state, NULL, &e), TN_OK);
        } else {
            if (tn_lcs_source_step(source, r.state, NULL, iterations, x, NULL, &e) != TN_OK) {
                print_message("step %d: %s\n", k, e.message);
            }
            assert_int_equal(tn_lcs_source_write(source, x, r.state, &e), TN_OK);
        }
    }
    assert_int_equal(tn_lcs_source_read(source, r.state, x, &e), TN_OK);
    tn_sim_destroy(sim);
    tn_lcs_source_destroy(source);
    end(&r);
    return n;
}

static double difference(const char *scene, double h, double seconds, const tn_lcs_options *options, int iterations)
{
    double x[64], y[64], most = 0.0;
    int n = simulate(scene, h, seconds, options, -1, x);
    simulate(scene, h, seconds, options, iterations, y);
    for (int i = 0; i < 2 * n; i++) {
        most = fmax(most, fabs(x[i] - y[i]));
    }
    return most;
}

// Both levels, gaps at q or ahead, inertia at q or ahead: what they end at differs from the engine's by first order.
static void test_first_order(void **unused)
{
    const struct {
        const char *name, *scene;
        double seconds;
        bool flat; // all is linear within a step: nothing is left to differ but rounding
    } cases[] = {{"pendulum", PENDULUM, 0.4, false},
                 {"cart", CART, 0.5, false},
                 {"ball", BALL, 0.3, true},
                 {"disk", DISK, 0.3, true}};
    for (int k = 0; k < 4 * 8; k++) {
        tn_lcs_options o = tn_lcs_options_default();
        int c = k / 8, iterations = k % 2 ? 4 : 0;
        o.facets = 8;
        o.level = k / 2 % 2 ? TN_LCS_VELOCITY : TN_LCS_POSITION;
        o.inertia_ahead = k / 4 % 2;
        double d[3];
        for (int i = 0; i < 3; i++) {
            d[i] = difference(cases[c].scene, 0.004 / (1 << i), cases[c].seconds, &o, iterations);
        }
        printf("%s, %s level, gaps %s, inertia %s: %.3g, %.3g, %.3g\n", cases[c].name,
               o.level ? "velocity" : "position", iterations ? "ahead" : "at q", o.inertia_ahead ? "ahead" : "at q",
               d[0], d[1], d[2]);
        if (cases[c].flat) {
            assert_true(d[0] < 1e-12 && d[1] < 1e-12 && d[2] < 1e-12);
        } else {
            assert_true(d[0] > 1.5 * d[1] && d[0] < 2.5 * d[1] && d[1] > 1.6 * d[2] && d[1] < 2.4 * d[2]);
        }
    }
}

// Where the tip touches the rock: each round of the predictor brings it nearer to the place it leads to, in the end the
// gap there is exactly closed, which it is not to second order in h with the rates at q.
static void test_predictor(void **unused)
{
    run r;
    start(&r, PENDULUM, 0.004);
    tn_lcs_source *source = tn_lcs_source_create(r.model, &r.options, &e);
    tn_query *query = tn_query_create(r.model, &e);
    int a = tn_model_find_body(r.model, "lower"), b = tn_model_find_body(r.model, "rock");
    double x[4], off[9], gap[9];
    for (int k = 0; k < 120; k++) {
        assert_int_equal(tn_lcs_source_step(source, r.state, NULL, 20, x, NULL, &e), TN_OK);
        assert_int_equal(tn_lcs_source_write(source, x, r.state, &e), TN_OK);
    }
    tn_state *next = tn_state_create(r.model, &e);
    for (int i = 0; i <= 8; i++) {
        tn_nearest near;
        assert_int_equal(tn_lcs_source_step(source, r.state, NULL, i, x, &off[i], &e), TN_OK);
        assert_int_equal(tn_state_copy(next, r.state, &e), TN_OK);
        assert_int_equal(tn_lcs_source_write(source, x, next, &e), TN_OK);
        assert_int_equal(tn_query_update(query, next, &e), TN_OK);
        assert_int_equal(tn_query_distance(query, a, b, INFINITY, &near, &e), TN_OK);
        gap[i] = fabs(near.distance);
        printf("%d rounds: prediction off by %.3g m, gap %.3g m\n", i, off[i], gap[i]);
    }
    assert_true(gap[0] > 1e-6);
    for (int i = 2; i <= 5; i++) {
        assert_true(off[i] < 0.1 * off[i - 1] || off[i] < 1e-14);
    }
    assert_true(off[8] < 1e-14 && gap[8] < 1e-13);
    tn_state_destroy(next);
    tn_query_destroy(query);
    tn_lcs_source_destroy(source);
    end(&r);
}

// A change of x and u goes through the matrices as through a step from there, to second order.
static void test_linear(void **unused)
{
    run r;
    start(&r, CART, 0.002);
    const char *coordinates[] = {"hinge:turn", "rail:slide"},
               *inputs[] = {"rail:slide.target", "hinge:turn", "pole.fx"};
    r.options.n_coordinates = 2;
    r.options.coordinates = coordinates;
    r.options.n_inputs = 3;
    r.options.inputs = inputs;
    tn_lcs_source *source = tn_lcs_source_create(r.model, &r.options, &e);
    assert_non_null(source);
    double x0[4], rest[2];
    assert_int_equal(tn_lcs_source_read(source, r.state, x0, &e), TN_OK);
    const double way[4] = {0.3, -0.2, 0.5, 0.7}, push[3] = {0.1, -0.4, 0.8};
    tn_lcs lcs = {0};
    assert_int_equal(tn_lcs_source_linearize(source, r.state, NULL, &lcs, &e), TN_OK);
    assert_true(lcs.n_x == 4 && lcs.n_u == 3 && lcs.step == 0.002);
    tn_state *other = tn_state_create(r.model, &e);
    for (int k = 0; k < 2; k++) {
        double x[4], u[3], found[4], scale = 0.01 / (1 << k);
        for (int i = 0; i < 4; i++) {
            x[i] = x0[i] + scale * way[i];
        }
        for (int i = 0; i < 3; i++) {
            u[i] = push[i];
        }
        assert_int_equal(tn_lcs_source_write(source, x, other, &e), TN_OK);
        assert_int_equal(tn_lcs_source_step(source, other, u, 0, found, NULL, &e), TN_OK);
        rest[k] = 0.0;
        for (int i = 0; i < 4; i++) {
            double linear = lcs.F[i];
            for (int j = 0; j < 4; j++) {
                linear += lcs.A[4 * i + j] * x[j];
            }
            for (int j = 0; j < 3; j++) {
                linear += lcs.B[3 * i + j] * u[j];
            }
            rest[k] = fmax(rest[k], fabs(linear - found[i]));
        }
    }
    printf("off by %.3g, half the way %.3g\n", rest[0], rest[1]);
    assert_true(rest[0] > 0.0 && rest[0] < 1e-4 && rest[1] < 0.6 * rest[0]);
    tn_lcs_destroy(&lcs);
    tn_state_destroy(other);
    tn_lcs_source_destroy(source);
    end(&r);
}

static void test_rows(void **unused)
{
    run r;
    start(&r, CART, 0.002);
    r.options.facets = 2;
    tn_lcs_source *source = tn_lcs_source_create(r.model, &r.options, &e);
    tn_lcs lcs = {0};
    assert_int_equal(tn_lcs_source_linearize(source, r.state, NULL, &lcs, &e), TN_OK);
    int count[6] = {0};
    tn_lcs_row row;
    for (int i = 0; i < lcs.n_c; i++) {
        assert_int_equal(tn_lcs_source_row(source, i, &row, &e), TN_OK);
        count[row.kind]++;
    }
    assert_int_equal(tn_lcs_source_row(source, lcs.n_c, &row, &e), TN_BAD_INPUT);
    assert_true(count[TN_LCS_NORMAL] == 2 && count[TN_LCS_FRICTION] == 4 && count[TN_LCS_SLIP] == 2);
    assert_true(count[TN_LCS_LIMIT] == 2 && count[TN_LCS_DRY] == 1 && count[TN_LCS_DRY_SLIP] == 1);
    tn_lcs_destroy(&lcs);
    tn_lcs_source_destroy(source);
    end(&r);
}

// A box that is pushed over a table, well above its middle.
static const char BOX[] = "step: 2 ms\nmaterials: {wood: {friction: 0.3}}\n"
                          "bodies:\n"
                          "  table: {fixed: true, material: wood, shape: {plane: {}}}\n"
                          "  box: {position: [0, 0, 0.1], mass: 2, material: wood, shape: {box: [0.3, 0.3, 0.2]}}\n";

// x of the box after 0.2 s of a force and a torque, by the engine (points 0) or the discretisation with so many points.
static void push_box(int points, double force, double torque, double *x)
{
    static const char *const inputs[] = {"box.fx", "box.ty"};
    const double u[2] = {force, torque};
    run r;
    start(&r, BOX, 0.002);
    r.options.n_inputs = 2;
    r.options.inputs = inputs;
    r.options.facets = 4;
    r.options.points = points;
    tn_lcs_source *source = tn_lcs_source_create(r.model, &r.options, &e);
    assert_non_null(source);
    tn_sim *sim = tn_sim_create(r.model, &e);
    double wrench[18] = {[12] = force, [16] = torque};
    const tn_input input = {.wrench = wrench};
    for (int k = 0; k < 100; k++) {
        if (points == 0) {
            assert_int_equal(tn_sim_step(sim, &input, r.state, NULL, &e), TN_OK);
        } else {
            assert_int_equal(tn_lcs_source_step(source, r.state, u, 0, x, NULL, &e), TN_OK);
            assert_int_equal(tn_lcs_source_write(source, x, r.state, &e), TN_OK);
        }
    }
    assert_int_equal(tn_lcs_source_read(source, r.state, x, &e), TN_OK);
    tn_sim_destroy(sim);
    tn_lcs_source_destroy(source);
    end(&r);
}

// Four points bear what one cannot: the box slides level as the engine's does, and tips over an edge where that does.
static void test_points(void **unused)
{
    double one[12], four[12], engine[12], off = 0.0;
    push_box(0, 12.0, 1.5, engine);
    push_box(4, 12.0, 1.5, four);
    push_box(1, 12.0, 1.5, one);
    for (int i = 0; i < 12; i++) {
        off = fmax(off, fabs(four[i] - engine[i]));
    }
    printf("pushed: %.4g m, tilt %.2g rad; the engine's %.4g m; with one point tilt %.2g rad; four are off by %.2g\n",
           four[0], four[4], engine[0], one[4], off);
    assert_true(engine[0] > 0.05 && fabs(engine[4]) < 1e-6 && off < 1e-6 && fabs(one[4]) > 1e-3);
    push_box(0, 3.0, 3.5, engine);
    push_box(4, 3.0, 3.5, four);
    printf("tipped: %.4g rad, the engine's %.4g rad\n", four[4], engine[4]);
    assert_true(engine[4] > 0.05 && fabs(four[4] - engine[4]) < 0.05 * engine[4]);
}

static void refused(const char *scene, const char *coordinate, const char *input, const char *text)
{
    run r;
    start(&r, scene, 0.01);
    r.options.n_coordinates = coordinate != NULL;
    r.options.coordinates = &coordinate;
    r.options.n_inputs = input != NULL;
    r.options.inputs = &input;
    assert_null(tn_lcs_source_create(r.model, &r.options, &e));
    if (!strstr(e.message, text)) {
        print_message("'%s' instead of '%s'\n", e.message, text);
    }
    assert_non_null(strstr(e.message, text));
    end(&r);
}

static void test_refused(void **unused)
{
    assert_null(tn_lcs_source_create(NULL, NULL, &e));
    assert_int_equal(tn_lcs_source_linearize(NULL, NULL, NULL, NULL, &e), TN_BAD_INPUT);
    assert_int_equal(tn_lcs_source_step(NULL, NULL, NULL, 0, NULL, NULL, &e), TN_BAD_INPUT);
    assert_true(tn_lcs_source_coordinate_count(NULL) == 0 && !tn_lcs_source_coordinate_name(NULL, 0));
    refused(CART, "rail:turn", NULL, "no coordinate 'rail:turn'");
    refused(CART, NULL, "cart.f", "input 'cart.f'");
    refused(CART, NULL, "hinge:turn.target", "no position motor");
    refused("soft:\n  mat: {grid: {size: [1, 1, 1], divisions: [1, 1, 1]}, young: 1 MPa}\n", NULL, NULL, "soft bodies");
    refused("bodies: {a: {shape: {sphere: 1}}}\nsprings: {s: {a: a, b: world, stiffness: 1}}\n", NULL, NULL, "springs");
    refused("bodies: {a: {fixed: true, shape: {sphere: 1}}}\n", NULL, NULL, "nothing in it moves");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_first_order), cmocka_unit_test(test_predictor),
                                       cmocka_unit_test(test_linear),      cmocka_unit_test(test_rows),
                                       cmocka_unit_test(test_points),      cmocka_unit_test(test_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
