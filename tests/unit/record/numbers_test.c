// Numbers of a recording against the simulation's own, every column of bodies, joints, contacts, figures, in a scene
// whose data are all different; the stress at nodes against a strain known in closed form.

#include "base/memory.h"
#include "recorded.h"
#include "state/state.h"

#include <string.h>
#include <unistd.h>

enum { N_STEPS = 60, MOST = 64 };

// A tilted belt with a box and a rolling ball, an arm that falls on its limit, a slide with a motor, three sweeps a
// step: steps with many contacts miss their tolerance, those in the air hold it.
static const char text[] =
    "step: 5 ms\n"
    "solver: {name: pgs, max_iterations: 3, tolerance: {natural: 1e-10}}\n"
    "materials: {default: {friction: 0.3, rolling: 1 mm}}\n"
    "record: {precision: double}\n"
    "bodies:\n"
    "  belt: {fixed: true, rotation: {axis: [1, 2, 0], angle: 0.1}, shape: {box: [4, 4, 0.2], surface_velocity: [0.7, "
    "0.2, 0]}}\n"
    "  box: {position: [0.2, 0.1, 0.25], velocity: [0.1, -0.4, 0], shape: {box: [0.2, 0.2, 0.2]}}\n"
    "  ball: {position: [-0.6, 0.3, 0.35], angular_velocity: [1, 2, 3], shape: {sphere: 0.1}}\n"
    "  arm: {position: [0.5, 3, 3], mass: 2, shape: {box: [1, 0.1, 0.1]}}\n"
    "  cart: {position: [0, -3, 3], mass: 3, shape: {sphere: 0.1}}\n"
    "joints:\n"
    "  hinge: {type: revolute, b: arm, anchor: [0, 3, 3], axis: [0, 1, 0], turn: {limits: [-1, 0.1]}}\n"
    "  rail: {type: prismatic, b: cart, axis: [1, 1, 0], slide: {motor: {velocity: 0.5, strength: 4}, friction: 1}}\n";

static void rows(const tn_recording *r, const char *column, long first, long n, double *out)
{
    tn_error error = {0};
    if (tn_recording_rows(r, column, first, n, out, &error) != TN_OK) {
        scenario_fail(column, &error);
    }
}

// The column's rows [first, first + n), w wide, are these numbers to the bit (NaN for NaN).
static void same(const tn_recording *r, const char *column, long first, long n, int w, const double *wanted)
{
    double got[7 * MOST];
    assert_true(n * w <= 7 * MOST);
    rows(r, column, first, n, got);
    for (long i = 0; i < n * w; i++) {
        if (!(got[i] == wanted[i] || (isnan(got[i]) && isnan(wanted[i])))) {
            fail_msg("%s, row %ld: %.17g, wanted %.17g", column, first + i / w, got[i], wanted[i]);
        }
    }
}

// What a frame must hold.
typedef struct frame {
    tn_step_report report;
    double pose[7 * 6], velocity[6 * 6], q[2], rate[2], time;
    tn_joint_info joint[2];
    int n_contacts;
    tn_contact_info contact[MOST];
} frame;

static void keep(const scenario *s, frame *f)
{
    f->report = s->report;
    f->time = tn_state_time(s->state);
    for (int b = 0; b < 6; b++) {
        tn_state_body_pose(s->state, b, f->pose + 7 * b, f->pose + 7 * b + 3);
        tn_state_body_velocity(s->state, b, f->velocity + 6 * b, f->velocity + 6 * b + 3);
    }
    for (int j = 0; j < 2; j++) {
        double q[3], rate[3];
        tn_state_joint(s->state, j, q, rate);
        f->q[j] = q[0];
        f->rate[j] = rate[0];
        tn_sim_joint(s->sim, s->state, j, &f->joint[j]);
    }
    f->n_contacts = tn_sim_contact_count(s->sim);
    assert_true(f->n_contacts < MOST);
    for (int k = 0; k < f->n_contacts; k++) {
        tn_sim_contact(s->sim, k, &f->contact[k]);
    }
}

static void check_figures(const tn_recording *r, long row, const frame *f)
{
    const tn_certificate *c = &f->report.solve.certificate;
    const tn_energy *e = &f->report.energy;
    const struct {
        const char *column;
        double value;
    } numbers[] = {
        {"time", f->time},
        {"step", (double)f->report.step},
        {"iterations", f->report.solve.iterations},
        {"tolerances_held", f->report.tolerances_held},
        {"certificate/momentum", c->momentum},
        {"certificate/signorini_primal", c->signorini_primal},
        {"certificate/signorini_dual", c->signorini_dual},
        {"certificate/complementarity", c->complementarity},
        {"certificate/cone", c->cone},
        {"certificate/dissipation", c->dissipation},
        {"certificate/natural", c->natural},
        {"certificate/fclib", c->fclib},
        {"certificate/strict_natural", c->strict_natural},
        {"certificate/strict_complementarity", c->strict_complementarity},
        {"certificate/penetration", c->penetration},
        {"certificate/joint", c->joint},
        {"certificate/drift", c->drift},
        {"timings/collide", f->report.collide_s},
        {"timings/discretize", f->report.discretize_s},
        {"timings/solve", f->report.solve_s},
        {"timings/certify", f->report.certify_s},
        {"timings/total", f->report.total_s},
        {"energy/kinetic", e->kinetic},
        {"energy/gravity", e->gravity},
        {"energy/elastic", e->elastic},
        {"energy/dissipated", e->dissipated},
        {"energy/injected", e->injected},
        {"energy/balance", e->balance},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        same(r, numbers[i].column, row, 1, 1, &numbers[i].value);
    }
    same(r, "momentum", row, 1, 3, e->momentum);
    same(r, "angular_momentum", row, 1, 3, e->angular_momentum);
}

static void check_joints(const tn_recording *r, long row, const frame *f)
{
    double force[6], torque[6], violation[4], effort[2], condition[2];
    for (int j = 0; j < 2; j++) {
        memcpy(force + 3 * j, f->joint[j].force, 24);
        memcpy(torque + 3 * j, f->joint[j].torque, 24);
        memcpy(violation + 2 * j, f->joint[j].violation, 16);
        effort[j] = f->joint[j].effort[0];
        condition[j] = f->joint[j].condition[0];
    }
    same(r, "joints/force", row, 1, 6, force);
    same(r, "joints/torque", row, 1, 6, torque);
    same(r, "joints/violation", row, 1, 4, violation);
    same(r, "joints/effort", row, 1, 2, effort);
    same(r, "joints/condition", row, 1, 2, condition);
    same(r, "joints/coordinate", row, 1, 2, f->q);
    same(r, "joints/rate", row, 1, 2, f->rate);
}

static void check_contacts(const tn_recording *r, long first, const frame *f)
{
    for (int k = 0; k < f->n_contacts; k++) {
        const tn_contact_info *c = f->contact + k;
        const double bodies[2] = {c->body_a, c->body_b};
        same(r, "contacts/bodies", first + k, 1, 2, bodies);
        same(r, "contacts/point", first + k, 1, 3, c->point);
        same(r, "contacts/normal", first + k, 1, 3, c->normal);
        same(r, "contacts/gap", first + k, 1, 1, &c->gap);
        same(r, "contacts/force", first + k, 1, 3, c->force);
        same(r, "contacts/velocity", first + k, 1, 3, c->velocity);
    }
}

static void all_columns(void **unused)
{
    char path[64];
    static frame frames[N_STEPS];
    tn_error error = {0};
    snprintf(path, sizeof path, "numbers_test_%d.h5", (int)getpid());
    scenario s = scenario_open("%s", text);
    tn_recorder *recorder = recorded_open(&s, path);
    assert_int_equal(tn_recorder_append(recorder, s.sim, s.state, NULL, &error), TN_OK);
    int n_held = 0, n_limit = 0, n_contacts = 0;
    for (int k = 0; k < N_STEPS; k++) {
        recorded_step(&s, recorder);
        keep(&s, frames + k);
        n_held += s.report.tolerances_held;
        n_limit += frames[k].joint[0].condition[0] == TN_JOINT_AT_HIGH;
    }
    assert_int_equal(tn_recorder_close(recorder, &error), TN_OK);
    tn_recording *r = recorded_read(path);
    assert_int_equal(r->n_frames, N_STEPS + 1);
    for (int k = 0; k < N_STEPS; k++) {
        double offset[2];
        same(r, "poses", k + 1, 1, 42, frames[k].pose);
        same(r, "velocities", k + 1, 1, 36, frames[k].velocity);
        check_figures(r, k + 1, frames + k);
        check_joints(r, k + 1, frames + k);
        rows(r, "contacts/offset", k + 1, 2, offset);
        assert_int_equal((int)offset[0], n_contacts);
        n_contacts += frames[k].n_contacts;
        assert_int_equal((int)offset[1], n_contacts);
        check_contacts(r, (long)offset[0], frames + k);
    }
    print_message("%d of %d steps hold their tolerance, %d contacts, %d steps at the limit\n", n_held, N_STEPS,
                  n_contacts, n_limit);
    assert_true(n_held > 5 && n_held < N_STEPS - 5 && n_contacts > 50 && n_limit > 5);
    tn_recording_close(r);
    remove(path);
    scenario_close(&s);
}

// A step counts as held exactly when every demanded figure is reached: each figure alone, on both sides.
static void tolerances_held(void **unused)
{
    const char *figures[4] = {"momentum", "natural", "fclib", "penetration"};
    for (int k = 0; k < 4; k++) {
        for (int tight = 0; tight < 2; tight++) {
            scenario s =
                scenario_open("gap: baumgarte\nbaumgarte: 0.5\nsolver: {name: pgs, max_iterations: 1, tolerance: "
                              "{%s: %s}}\nbodies:\n  floor: {fixed: true, shape: {plane: {}}}\n  box: {position: "
                              "[0, 0, 99.97 mm], velocity: [1, 0.5, 0], angular_velocity: [0.1, 0, 2], shape: "
                              "{box: [0.4, 0.3, 0.2]}}\n",
                              figures[k], tight ? "1e-16" : "1");
            scenario_step(&s);
            print_message("%s %s: %s\n", figures[k], tight ? "1e-16" : "1",
                          s.report.tolerances_held ? "held" : "missed");
            assert_int_equal(s.report.tolerances_held, !tight);
            scenario_close(&s);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all_columns), cmocka_unit_test(tolerances_held)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
