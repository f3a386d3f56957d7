// The tables that a page gets, and a body over time, against the recording: contacts with slip, joint forces where a
// gear stands between the joints, forces on a body that is side a of some contacts and side b of others.
#include "view/view.h"

#include "recorded.h"
#include "state/state.h"
#include "tenon/sim.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char scene_text[] =
    "step: 5 ms\n"
    "bodies:\n"
    "  floor: {fixed: true, shape: {plane: {}}}\n"
    "  low: {position: [0, 0, 0.1], velocity: [1, 0.5, 0], shape: {box: [0.4, 0.3, 0.2]}}\n"
    "  high: {position: [0.05, 0, 0.25], velocity: [-1, 0.2, 0], shape: {box: [0.2, 0.3, 0.1]}}\n"
    "  one: {position: [0, 5, 1], mass: 2, shape: {sphere: 0.1}}\n"
    "  two: {position: [0, 7, 1], mass: 3, shape: {sphere: 0.1}}\n"
    "  bob: {position: [0.3, 9, 1], mass: 5, shape: {sphere: 0.1}}\n"
    "joints:\n"
    "  first: {type: prismatic, b: one, axis: [1, 0, 0]}\n"
    "  second: {type: prismatic, b: two, axis: [1, 0, 0]}\n"
    "  coupled: {type: gear, joints: [first, second], ratio: 2}\n"
    "  swing: {type: spherical, b: bob, anchor: [0, 9, 1]}\n";

enum { FRAMES = 20, MOST = 64 };

static tn_recording *record(const char *path)
{
    scenario s = scenario_open(scene_text);
    recorded_steps(&s, path, FRAMES - 1);
    scenario_close(&s);
    return recorded_read(path);
}

// Frame k's contacts as recorded.
typedef struct contacts {
    int n;
    double bodies[2 * MOST], point[3 * MOST], normal[3 * MOST], force[3 * MOST], velocity[3 * MOST];
} contacts;

static void column(const tn_recording *r, const char *name, long first, long n, double *out)
{
    tn_error error = {0};
    assert_int_equal(tn_recording_rows(r, name, first, n, out, &error), TN_OK);
}

static long read_contacts(const tn_recording *r, long frame, contacts *c)
{
    double range[2];
    column(r, "contacts/offset", frame, 2, range);
    long first = (long)range[0];
    c->n = (int)(range[1] - range[0]);
    assert_true(c->n < MOST);
    column(r, "contacts/bodies", first, c->n, c->bodies);
    column(r, "contacts/point", first, c->n, c->point);
    column(r, "contacts/normal", first, c->n, c->normal);
    column(r, "contacts/force", first, c->n, c->force);
    column(r, "contacts/velocity", first, c->n, c->velocity);
    return first;
}

static void near(double value, double wanted, double limit)
{
    if (!(fabs(value - wanted) <= limit)) {
        fail_msg("%.9g, wanted %.9g +- %.1g", value, wanted, limit);
    }
}

static void check_contacts(tn_view *view, const tn_recording *r)
{
    double slipped = 0.0;
    int seen = 0;
    for (long k = 1; k < FRAMES; k++) {
        static float rows[12 * MOST];
        contacts c;
        tn_error error = {0};
        long first = read_contacts(r, k, &c);
        assert_int_equal(tn_view_rows(view, TN_VIEW_CONTACTS, first, c.n, rows, &error), TN_OK);
        for (int i = 0; i < c.n; i++) {
            const float *row = rows + 12 * i;
            const double *v = c.velocity + 3 * i;
            near(row[0], c.bodies[2 * i], 0.0);
            near(row[1], c.bodies[2 * i + 1], 0.0);
            for (int j = 0; j < 3; j++) {
                near(row[2 + j], c.point[3 * i + j], 1e-6);
                near(row[5 + j], c.normal[3 * i + j], 1e-6);
                near(row[8 + j], c.force[3 * i + j], 1e-6 * (1.0 + fabs(c.force[3 * i + j])));
            }
            near(row[11], sqrt(v[1] * v[1] + v[2] * v[2]), 1e-6);
            slipped = fmax(slipped, row[11]);
            seen++;
        }
    }
    printf("%d contacts, slip of up to %g m/s\n", seen, slipped);
    assert_true(seen > 50 && slipped > 0.5);
}

// The gear has no place: the third row is the fourth joint's.
static void check_joints(tn_view *view, const tn_recording *r)
{
    static const int joint[3] = {0, 1, 3};
    float rows[9];
    double force[12];
    tn_error error = {0};
    assert_int_equal(tn_view_table_info(view, TN_VIEW_JOINT_FORCES).width, 9);
    assert_int_equal(tn_view_rows(view, TN_VIEW_JOINT_FORCES, FRAMES - 1, 1, rows, &error), TN_OK);
    column(r, "joints/force", FRAMES - 1, 1, force);
    for (int i = 0; i < 9; i++) {
        near(rows[i], force[3 * joint[i / 3] + i % 3], 1e-5);
    }
    assert_true(fabs(rows[6]) + fabs(rows[8]) > 0.1 && force[6] == 0.0); // of the pendulum, not the gear
}

// Body `low` presses on the floor as b and bears `high` as a.
static void check_body(tn_view *view, const tn_recording *r)
{
    enum { LOW = 2 };
    double rows[TN_VIEW_BODY_WIDTH * FRAMES];
    tn_error error = {0};
    int both = 0;
    assert_int_equal(tn_view_body_rows(view), FRAMES);
    assert_int_equal(tn_view_body(view, LOW, rows, &error), TN_OK);
    for (long k = 1; k < FRAMES; k++) {
        const double *row = rows + TN_VIEW_BODY_WIDTH * k;
        double sum[3] = {0.0}, pressed = 0.0, friction = 0.0, pose[7 * 7], sides[2] = {0.0, 0.0};
        contacts c;
        int n = 0;
        read_contacts(r, k, &c);
        column(r, "poses", k, 1, pose);
        for (int i = 0; i < c.n; i++) {
            const double *f = c.force + 3 * i, *m = c.normal + 3 * i;
            double sign = c.bodies[2 * i + 1] == LOW ? 1.0
                          : c.bodies[2 * i] == LOW   ? -1.0
                                                     : 0.0,
                   along = 0.0, square = 0.0;
            for (int j = 0; j < 3; j++) {
                sum[j] += sign * f[j];
                along += f[j] * m[j];
                square += f[j] * f[j];
            }
            pressed += sign != 0.0 ? along : 0.0;
            friction += sign != 0.0 ? sqrt(fmax(0.0, square - along * along)) : 0.0;
            sides[sign > 0.0] += sign != 0.0 ? along : 0.0;
            n += sign != 0.0;
        }
        for (int j = 0; j < 3; j++) {
            near(row[1 + j], pose[7 * LOW + j], 0.0);
        }
        near(row[4], sqrt(sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]), 1e-9 * pressed + 1e-12);
        near(row[5], pressed, 1e-9 * pressed);
        near(row[6], friction, 1e-6 * pressed);
        near(row[7], n, 0.0);
        both += sides[0] > 1.0 && sides[1] > 1.0;
    }
    printf("%d frames with forces from both sides\n", both);
    assert_true(both > FRAMES / 2);
}

static void tables(void **unused)
{
    char path[64];
    tn_error error = {0};
    snprintf(path, sizeof path, "rows_test_%d.h5", (int)getpid());
    tn_recording *recording = record(path);
    tn_view *view = tn_view_open(recording, 1, &error);
    assert_non_null(view);
    check_contacts(view, recording);
    check_joints(view, recording);
    check_body(view, recording);
    tn_view_close(view);
    tn_recording_close(recording);
    remove(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tables)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
