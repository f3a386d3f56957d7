// What the public headers tell of a scene, a state, a run and its recording, against what the scene says.
#include "scenario.h"

#include "tenon/tenon.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char SCENE[] =
    "title: Facts\n"
    "law: convex\n"
    "scheme: midpoint\n"
    "step: 4 ms\n"
    "seed: 5\n"
    "solver: {accuracy: draft}\n"
    "materials: {wood: {density: 500, friction: 0.5}}\n"
    "bodies:\n"
    "  floor: {fixed: true, shape: {plane: {}}}\n"
    "  box: {position: [0, 0, 0.09], velocity: [0.5, 0, 0], material: wood, shape: {box: [0.2, 0.2, 0.2]}}\n"
    "  disk: {position: [3, 0, 2], mass: 2, shape: {sphere: 0.1}, confine: {normal: [0, 1, 0]}}\n"
    "  hammer: {motion: {angle: 1 * t}, position: [9, 0, 2], shape: {sphere: 0.1}}\n"
    "  arm: {position: [0.5, 3, 1], velocity: [0, 1, 0], shape: {box: [1, 0.1, 0.1]}}\n"
    "joints:\n"
    "  hinge: {type: revolute, b: arm, anchor: [0, 3, 1], axis: [0, 1, 0]}\n"
    "  again: {type: revolute, b: arm, anchor: [0, 3, 1], axis: [0, 1, 0]}\n"
    "soft: {mat: {grid: {size: [0.2, 0.2, 0.1], divisions: [2, 2, 1]}, position: [0, 1, 0.05], young: 100 kPa}}\n";

static void test_model(void **unused)
{
    scenario s = scenario_open("%s", SCENE);
    const tn_model *m = s.model;
    const tn_scene *scene = tn_model_scene(m);
    static const char *const kinds[] = {"fixed", "fixed", "free", "free", "kinematic", "free", "soft"};
    for (int b = 0; b < 7; b++) {
        assert_string_equal(tn_model_body_kind(m, b), kinds[b]);
        assert_int_equal(tn_model_body_planar(m, b), b == 3);
    }
    assert_string_equal(tn_scene_title(scene), "Facts");
    assert_int_equal(tn_scene_count(scene, "bodies"), 5);
    assert_int_equal(tn_scene_count(scene, "joints"), 2);
    assert_int_equal(tn_scene_count(scene, "soft"), 1);
    tn_model_method method;
    tn_model_get_method(m, &method);
    assert_string_equal(method.law, "convex");
    assert_string_equal(method.law, tn_law_name(TN_LAW_CONVEX));
    assert_string_equal(method.scheme, "midpoint");
    assert_string_equal(method.accuracy, "draft");
    assert_string_equal(method.solver, "auto");
    assert_true(method.step == 4e-3 && method.gravity[2] == -9.81 && method.seed == 5 && method.threads >= 1);
    double mass = 0.0;
    for (int b = 0; b < 7; b++) {
        mass += tn_model_body_moves(m, b) ? tn_model_body_mass(m, b) : 0.0;
    }
    assert_true(fabs(tn_model_mass(m) - mass) < 1e-12 * mass);
    tn_soft_info soft;
    tn_model_get_soft(m, 6, &soft);
    assert_int_equal(soft.n_nodes, 18);
    assert_int_equal(soft.n_elements, tn_model_element_count(m, 6));
    assert_int_equal(soft.n_faces, tn_model_face_total(m)); // of a box: two a square
    assert_int_equal(tn_model_face_count(m, 6), 2 * (2 * 4 + 4 * 2));
    assert_true(fabs(soft.volume - 0.004) < 1e-15 && soft.young == 1e5 && soft.mass == tn_model_body_mass(m, 6));
    assert_true(fabs(soft.shortest_edge - 0.1) < 1e-12 && soft.longest_edge < 0.1 * sqrt(3.0) + 1e-12);
    for (int k = 0; k < 3 * soft.n_faces; k++) {
        assert_true(tn_model_faces(m)[k] >= 0 && tn_model_faces(m)[k] < 18);
    }
    scenario_close(&s);
}

static void test_parts(void **unused)
{
    scenario s = scenario_open(
        "materials:\n"
        "  wood: {density: 500, friction: 0.4, restitution: 0.1}\n"
        "  ice: {density: 900, friction: 0.1, restitution: 0.3}\n"
        "pairs: [{materials: [ice, ice], friction: 0.02}]\n"
        "bodies:\n"
        "  beam: {material: wood, shapes: [{box: [1, 0.1, 0.2], position: [0.5, 0, 0]}]}\n"
        "  tent: {material: ice, position: [0, 3, 0], shape: {hull: {points: [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, "
        "1]]}}}\n"
        "joints:\n"
        "  slide: {type: prismatic, b: beam, anchor: [0, 0, 0], axis: [0, 0, 1], slide: {limits: [-2, 3]}}\n"
        "  free: {type: revolute, a: beam, b: tent, anchor: [0, 3, 0], axis: [0, 0, 1]}\n");
    const tn_model *m = s.model;
    double center[3], axes[4], moments[3], sum = 0.0, frame_a[7], frame_b[7], limits[2], points[12], volume = 0.0;
    tn_model_body_inertia(m, 1, center, axes, moments);
    double mass = tn_model_body_mass(m, 1);
    for (int i = 0; i < 3; i++) {
        sum += moments[i]; // m (x^2 + y^2 + z^2) / 6, whatever the order
    }
    assert_true(fabs(mass - 10.0) < 1e-12 && fabs(center[0] - 0.5) < 1e-12);
    assert_true(fabs(sum - mass * (1.0 + 0.01 + 0.04) / 6.0) < 1e-12);
    int a, b, triangles[12];
    tn_model_joint_bodies(m, 1, &a, &b);
    assert_true(a == 1 && b == 2);
    tn_model_joint_frames(m, 1, frame_a, frame_b);
    assert_true(fabs(frame_a[1] - 3.0) < 1e-12 && fabs(frame_b[1]) < 1e-12); // the anchor in either body
    tn_model_joint_limits(m, 0, 0, limits);
    assert_true(limits[0] == -2.0 && limits[1] == 3.0);
    tn_model_joint_limits(m, 1, 0, limits);
    assert_true(limits[0] == -INFINITY && limits[1] == INFINITY);
    assert_int_equal(tn_model_shape_point_count(m, 0), 0);
    assert_int_equal(tn_model_shape_point_count(m, 1), 4);
    assert_int_equal(tn_model_shape_triangle_count(m, 1), 4);
    tn_model_shape_geometry(m, 1, points, triangles);
    for (int k = 0; k < 4; k++) { // six times the volume under each triangle, outward
        const double *p = points + 3 * triangles[3 * k], *q = points + 3 * triangles[3 * k + 1],
                     *r = points + 3 * triangles[3 * k + 2];
        volume += p[0] * (q[1] * r[2] - q[2] * r[1]) + p[1] * (q[2] * r[0] - q[0] * r[2]) +
                  p[2] * (q[0] * r[1] - q[1] * r[0]);
    }
    assert_true(fabs(volume - 1.0) < 1e-12);
    int wood = tn_model_shape_material(m, 0), ice = tn_model_shape_material(m, 1);
    assert_string_equal(tn_model_material_name(m, wood), "wood");
    assert_string_equal(tn_model_material_name(m, ice), "ice");
    tn_material_pair pair;
    tn_model_get_pair(m, wood, ice, &pair);
    assert_true(pair.collides && fabs(pair.friction[0] - 0.2) < 1e-12 && pair.restitution == 0.3); // mean, and largest
    tn_model_get_pair(m, ice, ice, &pair);
    assert_true(pair.friction[0] == 0.02 && pair.friction[1] == 0.02);
    scenario_close(&s);
}

static void test_start(void **unused)
{
    scenario s = scenario_open("%s", SCENE);
    tn_error error = {0};
    tn_overlaps overlaps;
    tn_joint_census joints;
    tn_velocity_mismatch velocity;
    assert_int_equal(tn_state_overlaps(s.state, &overlaps, &error), TN_OK);
    printf("%d contacts, deepest %.9g m, taken out at %g m/s\n", overlaps.n_contacts, overlaps.deepest, overlaps.speed);
    assert_true(overlaps.matters && fabs(overlaps.deepest - 0.01) < 1e-12 && overlaps.n_pairs == 1);
    assert_true(overlaps.body_a == 1 && overlaps.body_b == 2 && !overlaps.joint_matters);
    assert_int_equal(tn_state_joint_census(s.state, &joints, &error), TN_OK);
    assert_true(joints.n_rows == 10 && joints.n_dependent == 5 && joints.contradiction < 1e-9);
    // The arm's velocity along the axis of its hinge is all that the hinge does not allow.
    assert_int_equal(tn_state_velocity_mismatch(s.state, &velocity, &error), TN_OK);
    double arm = 0.5 * tn_model_body_mass(s.model, 5);
    assert_true(velocity.matters && fabs(velocity.mismatch - 1.0) < 1e-9 && fabs(velocity.change - arm) < 1e-9 * arm);
    assert_true(fabs(velocity.kinetic - velocity.allowed - arm) < 1e-9 * arm);
    tn_energy energy;
    assert_int_equal(tn_state_energy(s.state, &energy, &error), TN_OK);
    assert_true(fabs(energy.kinetic - velocity.kinetic) < 1e-12 * energy.kinetic);
    // The arm is put 0.25 m beside its hinges.
    double pose[7 * 7];
    tn_state_get_bodies(s.state, pose, NULL);
    pose[7 * 5 + 1] += 0.25;
    assert_int_equal(tn_state_set_bodies(s.state, pose, NULL, &error), TN_OK);
    assert_int_equal(tn_state_overlaps(s.state, &overlaps, &error), TN_OK);
    assert_true(overlaps.joint_matters && fabs(overlaps.joint_off - 0.25) < 1e-12 && overlaps.joint == 0);
    scenario_close(&s);
}

// The hand lifts the sphere's weight a little above where it hangs, and nothing else.
static void test_hand(void **unused)
{
    scenario s = scenario_open("bodies: {ball: {position: [0, 0, 1], mass: 2, shape: {sphere: 0.1}}}");
    tn_grab grab;
    double wrench[12], at[3] = {0.0, 0.0, 1.0}, quaternion[4];
    assert_true(tn_grab_start(s.state, 1, at, &grab));
    grab.target[2] = 1.1;
    for (int k = 0; k < 400; k++) {
        tn_error error = {0};
        memset(wrench, 0, sizeof wrench);
        tn_grab_pull(&grab, s.state, wrench, NULL);
        assert_int_equal(tn_sim_step(s.sim, &(tn_input){.wrench = wrench}, s.state, NULL, &error), TN_OK);
    }
    tn_state_body_pose(s.state, 1, at, quaternion);
    double rate = 4.0 * acos(-1.0); // 2 pi 2 Hz
    printf("hangs %.6f m below the hand\n", 1.1 - at[2]);
    assert_true(fabs(1.1 - at[2] - 9.81 / (rate * rate)) < 1e-6);
    assert_int_equal(tn_state_step_count(s.state), 400);
    scenario_close(&s);
}

static void test_sleepers(void **unused)
{
    scenario s = scenario_open("sleep: {after: 0.1 s}\n"
                               "bodies:\n"
                               "  floor: {fixed: true, shape: {plane: {}}}\n"
                               "  one: {position: [0, 0, 0.1], shape: {box: [0.2, 0.2, 0.2]}}\n"
                               "  two: {position: [1, 0, 0.1], shape: {box: [0.2, 0.2, 0.2]}}\n");
    tn_error error = {0};
    scenario_steps(&s, 60);
    assert_true(tn_state_asleep(s.state, 2) && tn_state_asleep(s.state, 3));
    assert_int_equal(tn_state_wake(s.state, 2, &error), TN_OK);
    assert_true(!tn_state_asleep(s.state, 2) && tn_state_asleep(s.state, 3));
    assert_int_equal(tn_state_wake(s.state, -1, &error), TN_OK);
    assert_false(tn_state_asleep(s.state, 3));
    scenario_close(&s);
}

// A filter keeps what it names apart, and nothing else: to the bit the motion of a scene in which they do not touch.
typedef struct keep_apart {
    int a, b;
    long asked;
} keep_apart;

static bool may_touch(void *user, int a, int b)
{
    keep_apart *k = user;
    k->asked++;
    assert_true(a <= b);
    return a != k->a || b != k->b;
}

// Of several threads.
static bool may_touch_quietly(void *user, int a, int b)
{
    const keep_apart *k = user;
    return a != k->a || b != k->b;
}

static void test_filter(void **unused)
{
    const char scene[] = "materials: {ghost: {}, solid: {}, ground: {}}\n"
                         "%s"
                         "bodies:\n"
                         "  floor: {fixed: true, material: ground, shape: {plane: {}}}\n"
                         "  one: {position: [0, 0, 0.3], material: solid, shape: {box: [0.2, 0.2, 0.2]}}\n"
                         "  two: {position: [2, 0, 0.3], material: ghost, shape: {box: [0.2, 0.2, 0.2]}}\n"
                         "  on_top: {position: [0.05, 0, 0.6], material: solid, shape: {sphere: 0.1}}\n"
                         "soft: {mat: {grid: {size: [0.2, 0.2, 0.1], divisions: [2, 2, 1]}, position: [0, 1, 0.1],\n"
                         "             material: ground, young: 100 kPa, density: 500}}\n";
    scenario asked = scenario_open(scene, ""),
             said = scenario_open(scene, "pairs: [{materials: [ghost, ground], collide: false}]\n");
    keep_apart two = {.a = 1, .b = 3};
    tn_error error = {0};
    tn_batch *batch = tn_batch_create(asked.model, 2, 2, &error);
    keep_apart many = two;
    const tn_input input = {.may_touch = may_touch, .user = &two};
    for (int k = 0; k < 60; k++) {
        assert_int_equal(tn_sim_step(asked.sim, &input, asked.state, NULL, &error), TN_OK);
        assert_int_equal(tn_sim_step(said.sim, NULL, said.state, NULL, &error), TN_OK);
    }
    double pose[7 * 5], other[7 * 5];
    tn_state_get_bodies(asked.state, pose, NULL);
    tn_state_get_bodies(said.state, other, NULL);
    printf("asked %ld times; two is at %.3f m, one at %.3f m\n", two.asked, pose[7 * 3 + 2], pose[7 * 2 + 2]);
    assert_memory_equal(pose, other, sizeof pose);
    assert_true(pose[7 * 3 + 2] < -0.5 && fabs(pose[7 * 2 + 2] - 0.1) < 1e-3 && two.asked > 0);
    assert_int_equal(
        tn_batch_step(batch, 60, &(tn_input){.may_touch = may_touch_quietly, .user = &many}, NULL, NULL, &error),
        TN_OK);
    tn_state_get_bodies(tn_batch_state(batch, 1), other, NULL);
    assert_memory_equal(pose, other, sizeof pose);
    tn_batch_destroy(batch);
    scenario_close(&asked), scenario_close(&said);
}

typedef struct heard {
    int n;
    long step[8];
    char text[8][200];
} heard;

static void hear(void *user, const tn_step_report *report, const char *text)
{
    heard *h = user;
    assert_true(h->n < 8);
    h->step[h->n] = report->step;
    snprintf(h->text[h->n++], sizeof h->text[0], "%s", text);
}

// A gate that jumps in step 3: the log is told of that and of nothing else, and what is stepped is the same with and
// without. Then it is taken away.
static void test_log(void **unused)
{
    const char scene[] = "gravity: [0, 0, 0]\n"
                         "step: 10 ms\n"
                         "bodies:\n"
                         "  gate: {motion: {position: ['step(t - 0.025)', 0, 0]}, shape: {sphere: 0.1}}\n"
                         "  arm: {position: [0, 3, 0], velocity: [0.1, 0, 0], shape: {sphere: 0.1}}\n%s";
    scenario with = scenario_open(scene, ""), without = scenario_open(scene, "");
    tn_error error = {0};
    heard h = {.n = 0};
    assert_int_equal(tn_sim_set_log(with.sim, hear, &h, &error), TN_OK);
    for (int k = 0; k < 5; k++) {
        assert_int_equal(tn_sim_step(with.sim, NULL, with.state, NULL, &error), TN_OK);
        assert_int_equal(tn_sim_step(without.sim, NULL, without.state, NULL, &error), TN_OK);
    }
    assert_int_equal(h.n, 1);
    assert_int_equal(h.step[0], 3);
    assert_non_null(strstr(h.text[0], "body 'gate' jumps by 1 m"));
    assert_true(tn_state_hash(with.state) == tn_state_hash(without.state));
    scenario_close(&with), scenario_close(&without);
}

// One sweep leaves a heavy box on a light one wrong by far: every line names them. A log that is taken away is silent.
static void test_log_of_misses(void **unused)
{
    const char scene[] = "law: coulomb\n"
                         "solver: {name: pgs, max_iterations: 1}\n"
                         "bodies:\n"
                         "  floor: {fixed: true, shape: {plane: {}}}\n"
                         "  light: {position: [0, 0, 0.1], mass: 0.01, shape: {box: [0.2, 0.2, 0.2]}}\n"
                         "  heavy: {position: [0, 0, 0.3], mass: 1000, shape: {box: [0.2, 0.2, 0.2]}}\n%s";
    scenario s = scenario_open(scene, "");
    tn_error error = {0};
    tn_step_report report;
    heard h = {.n = 0};
    assert_int_equal(tn_sim_set_log(s.sim, hear, &h, &error), TN_OK);
    assert_int_equal(tn_sim_step(s.sim, NULL, s.state, &report, &error), TN_OK);
    assert_int_equal(h.n, 1);
    printf("%s\n", h.text[0]);
    assert_true(report.miss.kind == TN_MISS_COMPLEMENTARITY && strstr(h.text[0], "complementarity") == h.text[0]);
    assert_true(strstr(h.text[0], "'light'") || strstr(h.text[0], "'heavy'"));
    char words[200];
    assert_string_equal(h.text[0], tn_step_miss_text(&report.miss, s.model, words, sizeof words));
    assert_int_equal(tn_sim_set_log(s.sim, NULL, NULL, &error), TN_OK);
    assert_int_equal(tn_sim_step(s.sim, NULL, s.state, &report, &error), TN_OK);
    assert_true(report.miss.kind != TN_MISS_NONE && h.n == 1);
    scenario_close(&s);
}

// Curves are the quantities' columns, the summary is that of the frames, notes are read back.
static void test_recording(void **unused)
{
    enum { STEPS = 20 };
    scenario s = scenario_open("%ssensors: {tilt: {type: gyroscope, body: arm}}\n", SCENE);
    const char path[] = "api_facts_test.h5";
    tn_error error = {0};
    tn_step_report report;
    tn_summary summary;
    tn_summarizer *sums = tn_summarizer_create(&error);
    tn_recorder *recorder = tn_recorder_create(path, s.model, &error);
    assert_true(sums && recorder);
    assert_int_equal(tn_summarizer_start(sums, s.state, &error), TN_OK);
    assert_int_equal(tn_recorder_append(recorder, s.sim, s.state, NULL, &error), TN_OK);
    for (int k = 0; k < STEPS; k++) {
        assert_int_equal(tn_sim_step(s.sim, NULL, s.state, &report, &error), TN_OK);
        assert_int_equal(tn_summarizer_add(sums, &report, &error), TN_OK);
        assert_int_equal(tn_recorder_append(recorder, s.sim, s.state, &report, &error), TN_OK);
    }
    tn_summarizer_finish(sums, &summary);
    tn_summarizer_destroy(sums);
    assert_int_equal(tn_recorder_close(recorder, &error), TN_OK);
    assert_int_equal(tn_recording_note(path, 1, &(tn_note){"outcome", "tried", 0.0}, &error), TN_OK);

    tn_recording *r = tn_recording_open(path, &error);
    assert_non_null(r);
    assert_string_equal(tn_recording_title(r), "Facts");
    assert_int_equal(tn_recording_body_count(r), 7);
    assert_int_equal(tn_recording_find_body(r, "mat"), 6);
    assert_string_equal(tn_recording_body_name(r, 6), "mat");
    double z[STEPS + 1], n[STEPS + 1], natural[STEPS + 1], energy[STEPS + 1], poses[(STEPS + 1) * 7 * 7];
    tn_curve curve;
    assert_int_equal(tn_recording_find_curve(r, "body:box:z", &curve, &error), TN_OK);
    assert_string_equal(curve.quantity, "poses");
    assert_true(curve.width == 49 && curve.place == 16);
    assert_int_equal(tn_recording_read_curve(r, "body:box:z", z, &error), TN_OK);
    assert_int_equal(tn_recording_read(r, "poses", 0, STEPS + 1, poses, &error), TN_OK);
    assert_int_equal(tn_recording_read_curve(r, "contacts", n, &error), TN_OK);
    assert_int_equal(tn_recording_read_curve(r, "certificate/natural", natural, &error), TN_OK);
    assert_int_equal(tn_recording_read_curve(r, "energy/kinetic", energy, &error), TN_OK);
    assert_int_equal(tn_recording_find_curve(r, "joint:hinge:turn.rate", &curve, &error), TN_OK);
    assert_int_equal(tn_recording_find_curve(r, "sensor:tilt:x", &curve, &error), TN_OK);
    assert_int_equal(tn_recording_find_curve(r, "body:bax:z", &curve, &error), TN_BAD_INPUT);
    assert_non_null(strstr(error.message, "did you mean 'box'?"));
    double most = 0.0, worst = 0.0;
    for (int k = 0; k <= STEPS; k++) {
        assert_true(z[k] == poses[49 * k + 16]);
        most = fmax(most, n[k]);
        worst = fmax(worst, natural[k]); // NaN of the first frame is left out
    }
    int figure = 0;
    while (strcmp(tn_figure_name(figure), "natural") != 0) {
        figure++;
    }
    assert_true(summary.n_steps == STEPS && fabs(summary.time - STEPS * 4e-3) < 1e-12);
    assert_true(summary.contacts.max == most && summary.certificate[figure].max == worst);
    assert_true(tn_figure_of(&report.solve.certificate, figure) == report.solve.certificate.natural);
    tn_recording_close(r);
    remove(path);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_model), cmocka_unit_test(test_parts),         cmocka_unit_test(test_start),
        cmocka_unit_test(test_hand),  cmocka_unit_test(test_sleepers),      cmocka_unit_test(test_filter),
        cmocka_unit_test(test_log),   cmocka_unit_test(test_log_of_misses), cmocka_unit_test(test_recording),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
