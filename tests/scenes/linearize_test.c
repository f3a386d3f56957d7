// Derivatives of a step of a scene of the gallery, FOLDER/NAME on the command line, against central differences of
// whole steps, at 1e-6.
//
// The scene runs for a while; then columns of the derivative are compared with steps from states, or with inputs, a
// little to both sides, Richardson's extrapolation of two such differences. A column counts where all these steps have
// the contacts and limits that press in the step between them, in the same condition, and are solved to rounding: else
// there is no derivative, or nothing to compare with. A scene for which too few columns count stands in the table, and
// what the table says of it is tested.
#include "gallery.h"

#include "tenon/tenon.h"

#include <math.h>
#include <string.h>

static const double LIMIT = 1e-6;   // of the largest number of a column, at least 1
static const double SOLVED = 1e-11; // natural map and joints of steps that serve to compare with
// What their contacts give way by [m/s], of what their columns may be off by: rigid/mass_ratio, whose figure is
// relative to forces a thousand times those that move the light boxes.
static const double GIVES_WAY = 0.1;
enum { COLUMNS = BRIEF ? 6 : 24, OF_SOFT = BRIEF ? 4 : 8, MOST = 50, SETS = 2 };

// Why there is nothing to compare with.
typedef enum reason {
    COUNTS,
    OPEN_FORCES, // more points than needed slide at once: forces are not unique, and move bodies
    UNSOLVED,    // redundant contacts with friction: no solver brings the steps beside it below SOLVED
} reason;

// side: [m, rad, m/s, rad/s], 1e-6 where 0; of soft bodies more, whose stiffness magnifies rounding in these steps.
static const struct plan {
    const char *name;
    int n_steps; // 40 where 0
    double side;
    const char *set[SETS];
    reason reason;
} PLANS[] = {
    {.name = "ccp/chain_over_drum", .n_steps = 6}, // later its second solves leave too much for a comparison
    {.name = "cond/arm_mat", .set = {"soft.mat.grid.divisions=[13,13,1]"}}, // 26 take seventeen times as long
    {.name = "cond/chebyshev", .side = 1e-5, .set = {"soft.mat.grid.divisions=[13,13,1]"}},
    {.name = "cond/invertible_ball", .side = 3e-5, .set = {"soft.ball.ball.divisions=4"}},
    {.name = "cond/invertible_mat", .side = 1e-5, .set = {"soft.mat.grid.divisions=[13,13,1]"}},
    {.name = "cond/soft_ball", .side = 3e-5},
    {.name = "cond/soft_gripper", .side = 3e-5, .set = {"defaults.soft.finger.divisions=[3,4,19]"}},
    {.name = "cond/soft_mat", .side = 1e-5, .set = {"soft.mat.grid.divisions=[13,13,1]"}},
    {.name = "joints/soft_pendulum", .side = 3e-5},
    {.name = "robots/humanoid", .set = {"coordinates=reduced"}}, // frames between joints of a billionth of their body
    {.name = "robots/arm_pushes", .n_steps = 20, .side = 3e-6},
    {.name = "rods/cantilever",
     .n_steps = 20}, // at other times a joint is about to be taut: a kink of the scheme's own
    {.name = "soft/dropped_ball", .set = {"soft.ball.ball.divisions=4"}},
    {.name = "soft/lifted_sheet", .set = {"soft.sheet.grid.divisions=[10,10,1]"}},
    {.name = "soft/dragged_mat", .side = 1e-4, .set = {"soft.mat.grid.divisions=[8,8,1]"}},
    {.name = "compliant/elastic_robot", .reason = OPEN_FORCES},
    {.name = "lcp/disks21", .reason = OPEN_FORCES},
    {.name = "rigid/conveyor", .n_steps = 60}, // at 40 a parcel slides on more points than it needs
    {.name = "rigid/arch", .side = 3e-5},      // redundant friction magnifies it as well
    {.name = "rigid/card_house", .reason = UNSOLVED},
};

static const char *scene_name;

static struct plan plan_of(const char *name)
{
    for (size_t i = 0; i < sizeof PLANS / sizeof *PLANS; i++) {
        if (!strcmp(PLANS[i].name, name)) {
            return PLANS[i];
        }
    }
    return (struct plan){.name = name};
}

// What presses and how: contacts, then limits and motors.
typedef struct set {
    int n, n_coordinates;
    int *bodies, *condition, *joint;
    unsigned *feature;
} set;

static set set_of(const tn_sim *sim, const tn_state *state, const tn_model *model)
{
    int n = tn_sim_contact_count(sim), n_q = tn_model_coordinate_count(model);
    set s = {.n_coordinates = n_q};
    int *bodies = calloc(2 * (size_t)n + 1, sizeof *bodies), *condition = calloc((size_t)n + 1, sizeof *condition);
    unsigned *feature = calloc((size_t)n + 1, sizeof *feature);
    s.bodies = bodies, s.condition = condition, s.feature = feature;
    s.joint = calloc((size_t)n_q + 1, sizeof *s.joint);
    tn_sim_get_contacts(sim, 0, n, &(tn_contact_results){.bodies = bodies, .condition = condition, .feature = feature});
    for (int i = 0; i < n; i++) {
        if (condition[i] != TN_CONTACT_OPEN) {
            bodies[2 * s.n] = bodies[2 * i], bodies[2 * s.n + 1] = bodies[2 * i + 1];
            condition[s.n] = condition[i];
            feature[s.n++] = feature[i];
        }
    }
    tn_sim_get_joints(sim, state, &(tn_joint_results){.condition = s.joint});
    return s;
}

static bool is_equal(const void *a, const void *b, size_t bytes)
{
    return bytes == 0 || memcmp(a, b, bytes) == 0;
}

static bool is_same(const set *a, const set *b)
{
    size_t n = (size_t)a->n;
    return a->n == b->n && a->n_coordinates == b->n_coordinates &&
           is_equal(a->bodies, b->bodies, 2 * n * sizeof *a->bodies) &&
           is_equal(a->condition, b->condition, n * sizeof *a->condition) &&
           is_equal(a->feature, b->feature, n * sizeof *a->feature) &&
           is_equal(a->joint, b->joint, (size_t)a->n_coordinates * sizeof *a->joint);
}

static void free_set(set *s)
{
    free(s->bodies), free(s->condition), free(s->feature), free(s->joint);
}

// A state as arrays.
typedef struct places {
    double *pose, *velocity, *x, *v;
} places;

typedef struct world {
    const tn_model *model;
    tn_sim *sim;
    tn_state *start, *work;
    double side;
    double left;      // by the solves of the steps of a column
    double gives_way; // there: contacts, by what they should not [m/s]
    int n_bodies, n_nodes, n_state, n_input;
    places at, low, high;
    double *wrench, *node_force, *effort;
} world;

static double *numbers(int n)
{
    return calloc((size_t)n + 1, sizeof(double));
}

static places make_places(const world *w)
{
    return (places){numbers(7 * w->n_bodies), numbers(6 * w->n_bodies), numbers(3 * w->n_nodes),
                    numbers(3 * w->n_nodes)};
}

static void free_places(places *p)
{
    free(p->pose), free(p->velocity), free(p->x), free(p->v);
}

static void read(const tn_state *state, places *p)
{
    tn_state_get_bodies(state, p->pose, p->velocity);
    tn_state_get_nodes(state, p->x, p->v);
}

// The rotation vector r as a quaternion times q.
static void turn(const double r[3], const double q[4], double out[4])
{
    double angle = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2]), s = angle > 0.0 ? sin(0.5 * angle) / angle : 0.5;
    double a[4] = {cos(0.5 * angle), s * r[0], s * r[1], s * r[2]};
    out[0] = a[0] * q[0] - a[1] * q[1] - a[2] * q[2] - a[3] * q[3];
    out[1] = a[0] * q[1] + a[1] * q[0] + a[2] * q[3] - a[3] * q[2];
    out[2] = a[0] * q[2] - a[1] * q[3] + a[2] * q[0] + a[3] * q[1];
    out[3] = a[0] * q[3] + a[1] * q[2] - a[2] * q[1] + a[3] * q[0];
}

// Moves w->work by `side` along number i of a change of the state. False: it cannot (a planar body off its plane).
static bool move(world *w, int i, double side)
{
    int half = 6 * w->n_bodies + 3 * w->n_nodes, k = i % half;
    bool velocity = i >= half, body = k < 6 * w->n_bodies;
    int at = body ? k / 6 : (k - 6 * w->n_bodies) / 3, axis = body ? k % 6 : (k - 6 * w->n_bodies) % 3;
    tn_error error = {0};
    if (!body) {
        places moved = {.x = numbers(3 * w->n_nodes), .v = numbers(3 * w->n_nodes)};
        memcpy(moved.x, w->at.x, 3 * (size_t)w->n_nodes * sizeof(double));
        memcpy(moved.v, w->at.v, 3 * (size_t)w->n_nodes * sizeof(double));
        (velocity ? moved.v : moved.x)[3 * at + axis] += side;
        bool ok = tn_state_set_nodes(w->work, moved.x, moved.v, &error) == TN_OK;
        free(moved.x), free(moved.v);
        return ok;
    }
    double *pose = numbers(7 * w->n_bodies), *rate = numbers(6 * w->n_bodies), r[3] = {0.0};
    for (int b = 0; b < w->n_bodies; b++) {
        pose[7 * b] = rate[6 * b] = NAN;
    }
    memcpy(pose + 7 * at, w->at.pose + 7 * at, 7 * sizeof *pose);
    memcpy(rate + 6 * at, w->at.velocity + 6 * at, 6 * sizeof *rate);
    if (velocity) {
        rate[6 * at + axis] += side;
    } else if (axis < 3) {
        pose[7 * at + axis] += side;
    } else {
        r[axis - 3] = side;
        turn(r, w->at.pose + 7 * at + 3, pose + 7 * at + 3);
    }
    bool ok = tn_state_set_bodies(w->work, pose, rate, &error) == TN_OK;
    free(pose), free(rate);
    return ok;
}

// The step from `side` along column i, where it goes, and whether the same presses. False: there is no such step.
static bool go(world *w, int i, double side, const set *between, places *out, bool *same)
{
    tn_error error = {0};
    tn_input input = {.wrench = w->wrench, .node_force = w->node_force, .effort = w->effort};
    double *of[3] = {w->wrench, w->node_force, w->effort}, *changed = NULL;
    int size[3] = {6 * w->n_bodies, 3 * w->n_nodes, tn_model_coordinate_count(w->model)};
    bool ok =
        tn_state_copy(w->work, w->start, &error) == TN_OK && tn_state_set_bodies(w->work, NULL, NULL, &error) == TN_OK;
    if (i >= w->n_state) {
        int k = i - w->n_state, a = 0;
        while (k >= size[a]) {
            k -= size[a++];
        }
        changed = of[a] + k;
        *changed = side;
    } else if (i >= 0) {
        ok = ok && move(w, i, side);
    }
    tn_step_report report;
    ok = ok && tn_sim_step(w->sim, &input, w->work, &report, &error) == TN_OK;
    if (ok) {
        w->left = fmax(w->left, fmax(report.solve.certificate.natural, report.solve.certificate.joint));
        w->gives_way = fmax(w->gives_way, report.solve.certificate.complementarity);
    }
    if (changed) {
        *changed = 0.0;
    }
    if (ok) {
        set s = set_of(w->sim, w->work, w->model);
        *same = is_same(&s, between);
        free_set(&s);
        read(w->work, out);
    }
    return ok;
}

static void difference(const world *w, double distance, double *out)
{
    double *velocity = out + 6 * w->n_bodies + 3 * w->n_nodes, *x = out + 6 * w->n_bodies,
           *v = velocity + 6 * w->n_bodies;
    for (int b = 0; b < w->n_bodies; b++) {
        const double *p = w->low.pose + 7 * b, *q = w->high.pose + 7 * b;
        const double undo[4] = {p[3], -p[4], -p[5], -p[6]};
        // 2 (q p^-1) for a small turn.
        double t[3] = {-q[3] * p[4] + q[4] * p[3] - q[5] * p[6] + q[6] * p[5],
                       -q[3] * p[5] + q[4] * p[6] + q[5] * p[3] - q[6] * p[4],
                       -q[3] * p[6] - q[4] * p[5] + q[5] * p[4] + q[6] * p[3]};
        double cosine = q[3] * undo[0] + q[4] * p[4] + q[5] * p[5] + q[6] * p[6];
        for (int k = 0; k < 3; k++) {
            out[6 * b + k] = (q[k] - p[k]) / distance;
            out[6 * b + 3 + k] = (cosine < 0.0 ? -2.0 : 2.0) * t[k] / distance;
        }
    }
    for (int k = 0; k < 6 * w->n_bodies; k++) {
        velocity[k] = (w->high.velocity[k] - w->low.velocity[k]) / distance;
    }
    for (int k = 0; k < 3 * w->n_nodes; k++) {
        x[k] = (w->high.x[k] - w->low.x[k]) / distance;
        v[k] = (w->high.v[k] - w->low.v[k]) / distance;
    }
}

// Column i by steps w->side and twice that to both sides (Richardson's extrapolation). *same: all with the same
// contacts. False: there are no such steps.
static bool expect(world *w, int i, const set *between, double *out, bool *same)
{
    double *wide = numbers(w->n_state);
    bool ok = true;
    *same = true;
    w->left = w->gives_way = 0.0;
    for (int k = 1; ok && k <= 2; k++) {
        bool low, high;
        ok = go(w, i, -k * w->side, between, &w->low, &low) && go(w, i, k * w->side, between, &w->high, &high);
        if (ok) {
            difference(w, 2.0 * k * w->side, k == 1 ? out : wide);
            *same = *same && low && high;
        }
    }
    for (int n = 0; ok && n < w->n_state; n++) {
        out[n] = (4.0 * out[n] - wide[n]) / 3.0;
    }
    free(wide);
    return ok;
}

static double largest(int n, const double *x, const double *less)
{
    double most = 0.0;
    for (int i = 0; i < n; i++) {
        double size = fabs(x[i] - (less ? less[i] : 0.0));
        most = size > most || isnan(size) ? size : most;
    }
    return most;
}

// Body or node, and number, of the next column: of what moves. A few are of inputs.
static int draw(const world *w, unsigned *seed)
{
    for (;;) {
        *seed = *seed * 1664525u + 1013904223u;
        int i = (int)((*seed >> 8) % (unsigned)(w->n_state + w->n_input));
        int half = 6 * w->n_bodies + 3 * w->n_nodes, k = i % half;
        if (i >= w->n_state || k >= 6 * w->n_bodies || tn_model_body_moves(w->model, k / 6)) {
            return i;
        }
    }
}

static void open_world(world *w, const scenario *s)
{
    tn_error error = {0};
    w->model = s->model;
    w->n_bodies = tn_model_body_count(s->model);
    w->n_nodes = tn_model_node_total(s->model);
    w->n_state = 12 * w->n_bodies + 6 * w->n_nodes;
    w->n_input = 6 * w->n_bodies + 3 * w->n_nodes + tn_model_coordinate_count(s->model);
    w->sim = s->sim;
    w->start = s->state;
    w->work = tn_state_create(s->model, &error);
    w->wrench = numbers(6 * w->n_bodies);
    w->node_force = numbers(3 * w->n_nodes);
    w->effort = numbers(tn_model_coordinate_count(s->model));
    w->at = make_places(w);
    w->low = make_places(w);
    w->high = make_places(w);
    read(w->start, &w->at);
}

static void close_world(world *w)
{
    tn_state_destroy(w->work);
    free(w->wrench), free(w->node_force), free(w->effort);
    free_places(&w->at), free_places(&w->low), free_places(&w->high);
}

static scenario open_scene(const struct plan *plan)
{
    char path[256];
    const char *sets[SETS + 3] = {"solver.tolerance.natural=1e-13", "solver.tolerance.momentum=1e-13",
                                  "solver.tolerance.joint=1e-13"};
    int n_sets = 3;
    for (int k = 0; k < SETS && plan->set[k]; k++) {
        sets[n_sets++] = plan->set[k];
    }
    snprintf(path, sizeof path, "%s.yaml", plan->name);
    return gallery_open(path, n_sets, sets);
}

static bool is_small(const tn_model *model)
{
    int moving = 0;
    for (int b = 1; b < tn_model_body_count(model); b++) {
        moving += tn_model_body_moves(model, b);
    }
    return moving <= MOST && tn_model_node_total(model) <= 5000;
}

// Columns by what became of them.
typedef struct tally {
    int counted, kinks, unsolved;
    double worst;
} tally;

static void compare(world *w, tn_linearization *lin, const set *between, int i, tally *t)
{
    double *column = numbers(w->n_state), *direction = numbers(w->n_state + w->n_input),
           *expected = numbers(w->n_state);
    tn_error error = {0};
    tn_smoothness smooth;
    bool same;
    if (expect(w, i, between, expected, &same)) {
        direction[i] = 1.0;
        assert_int_equal(tn_linearization_push(lin, direction, direction + w->n_state, NULL, column, &smooth, &error),
                         TN_OK);
        double off = largest(w->n_state, column, expected) / fmax(1.0, largest(w->n_state, expected, NULL));
        bool counts = same && w->left <= SOLVED && w->gives_way <= GIVES_WAY * LIMIT * w->side;
        t->kinks += !same;
        t->unsolved += same && !counts;
        t->counted += counts;
        if (counts && !(off <= LIMIT)) {
            printf("  column %d (of %d and %d): off by %.2e of %.3g\n", i, w->n_state, w->n_input, off,
                   largest(w->n_state, expected, NULL));
        }
        t->worst = counts && !(off <= t->worst) ? off : t->worst;
    }
    free(column), free(direction), free(expected);
}

static void test_columns(void **unused)
{
    tn_error error = {0};
    struct plan plan = plan_of(scene_name);
    scenario s = open_scene(&plan);
    if (!is_small(s.model)) {
        scenario_close(&s);
        skip();
    }
    for (int k = 0; k < (plan.n_steps > 0 ? plan.n_steps : 40); k++) {
        assert_int_equal(tn_sim_step(s.sim, NULL, s.state, NULL, &error), TN_OK);
    }
    world w = {.side = plan.side > 0.0 ? plan.side : 1e-6};
    open_world(&w, &s);
    tn_input input = {.wrench = w.wrench, .node_force = w.node_force, .effort = w.effort};
    tn_linearization *lin = tn_sim_linearize(w.sim, &input, w.start, 0, NULL, &error);
    if (!lin) {
        scenario_fail(scene_name, &error);
    }
    bool same, unique = tn_linearization_is_unique(lin);
    set none = {0};
    assert_true(go(&w, -1, 0.0, &none, &w.low, &same));
    set between = set_of(w.sim, w.work, w.model);
    tally t = {0};
    unsigned seed = 1;
    int columns = w.n_nodes > 0 ? OF_SOFT : COLUMNS;
    for (int k = 0; k < columns; k++) {
        compare(&w, lin, &between, draw(&w, &seed), &t);
    }
    printf(
        "%s: %d contacts and limits press, %d columns off by at most %.1e (limit %.0e), %d at kinks, %d not solved%s\n",
        scene_name, between.n, t.counted, t.worst, LIMIT, t.kinks, t.unsolved, unique ? "" : ", forces not unique");
    assert_true(unique == (plan.reason != OPEN_FORCES));
    assert_true(plan.reason == OPEN_FORCES || t.worst <= LIMIT);
    if (plan.reason == UNSOLVED) {
        assert_true(t.kinks + t.unsolved > columns / 2);
    } else {
        // Of so few columns as sanitizers get none may count where forces are not unique.
        assert_true(t.counted >= columns / 4 || (BRIEF && plan.reason == OPEN_FORCES));
    }
    free_set(&between);
    tn_linearization_destroy(lin);
    close_world(&w);
    scenario_close(&s);
}

int main(int n_args, char **args)
{
    scene_name = n_args > 1 ? args[1] : "rigid/top";
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_columns)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
