// Every public function with what it must not be given: NULL, numbers that are not there, sizes that are none, NaN. An
// error or nothing, never a crash. tests/house/symbols.py looks that no function is missing.
#include "scenario.h"

#include "tenon/tenon.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define CASE(function, condition)                                                                                      \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fail_msg("%s: %s", #function, #condition);                                                                 \
        }                                                                                                              \
        cases++;                                                                                                       \
    } while (0)

static const char SCENE[] =
    "bodies:\n"
    "  floor: {fixed: true, shape: {plane: {}}}\n"
    "  box: {position: [0, 0, 0.1], shape: {box: [0.2, 0.2, 0.2]}}\n"
    "  arm: {position: [0.5, 3, 1], shape: {box: [1, 0.1, 0.1]}}\n"
    "joints: {hinge: {type: revolute, b: arm, anchor: [0, 3, 1], axis: [0, 1, 0]}}\n"
    "soft: {mat: {grid: {size: [0.2, 0.2, 0.1], divisions: [2, 2, 1]}, position: [0, 1, 0.05], young: 100 kPa}}\n";

enum { BODIES = 4, NODES = 18, FAR = 1 << 20 };

static int cases;
static tn_error e;
static double numbers[4096];
static int integers[4096];

static bool refuses(tn_status status)
{
    bool said = status == TN_BAD_INPUT && e.status == TN_BAD_INPUT && e.message[0];
    e = (tn_error){0};
    return said;
}

static bool refused(const void *handle)
{
    bool said = !handle && e.status != TN_OK && e.message[0];
    e = (tn_error){0};
    return said;
}

static void test_errors_and_scenes(void **unused)
{
    static const char *const holes[2] = {"step=1 ms", NULL};
    char text[8] = "before";
    CASE(tn_error_set, tn_error_set(NULL, TN_IO, "%d", 1) == TN_IO);
    CASE(tn_error_at, tn_error_at(NULL, NULL, -1, -1, "%s", "x") == TN_BAD_INPUT);
    CASE(tn_error_at, tn_error_at(&e, NULL, -1, -1, "%s", "x") == TN_BAD_INPUT && e.file[0] == '\0');
    e = (tn_error){0};
    CASE(tn_error_text, tn_error_text(NULL, NULL, 0)[0] == '\0' && tn_error_text(&e, text, 0)[0] == '\0');
    CASE(tn_error_text, strlen(tn_error_text(NULL, text, sizeof text)) < sizeof text);
    tn_log_write(NULL, TN_LOG_INFO, "x");
    CASE(tn_log_write, (tn_log_write(&(tn_log){0}, TN_LOG_INFO, "x"), true));
    CASE(tn_scene_load, refused(tn_scene_load(NULL, 0, NULL, &e)));
    CASE(tn_scene_load, !tn_scene_load("/nowhere", 0, NULL, NULL));
    CASE(tn_scene_load, refused(tn_scene_load("/nowhere", 1, NULL, &e)));
    CASE(tn_scene_parse, refused(tn_scene_parse(NULL, NULL, 0, NULL, &e)));
    CASE(tn_scene_parse, refused(tn_scene_parse("", NULL, 2, holes, &e)));
    CASE(tn_scene_parse, refused(tn_scene_parse("", NULL, -1, holes, &e)));
    CASE(tn_scene_destroy, (tn_scene_destroy(NULL), true));
    CASE(tn_scene_text, !tn_scene_text(NULL));
    CASE(tn_scene_title, !tn_scene_title(NULL)[0]);
    CASE(tn_scene_path, !tn_scene_path(NULL));
    CASE(tn_scene_count, tn_scene_count(NULL, "bodies") == 0);
    CASE(tn_law_name, tn_law_name(0) && !tn_law_name(-1) && !tn_law_name(FAR));
    CASE(tn_scheme_name, tn_scheme_name(0) && !tn_scheme_name(-1) && !tn_scheme_name(FAR));
    CASE(tn_shape_kind_name, tn_shape_kind_name(0) && !tn_shape_kind_name(-1) && !tn_shape_kind_name(FAR));
    CASE(tn_scene_write, refuses(tn_scene_write(NULL, "/tmp/scene.yaml", &e)));
    CASE(tn_scene_remark, !tn_scene_remark(NULL, 0, NULL, 0));
    CASE(tn_scene_reference_markdown, (tn_scene_reference_markdown(NULL, NULL), true));
    CASE(tn_scene_schema_json, (tn_scene_schema_json(NULL, NULL), true));
    tn_builder *builder = tn_builder_create(NULL);
    CASE(tn_builder_create, builder);
    CASE(tn_builder_destroy, (tn_builder_destroy(NULL), true));
    CASE(tn_builder_set, refuses(tn_builder_set(NULL, "step", "1", &e)));
    CASE(tn_builder_set, refuses(tn_builder_set(builder, NULL, "1", &e)));
    CASE(tn_builder_set, refuses(tn_builder_set(builder, "step", NULL, &e)));
    CASE(tn_builder_set, tn_builder_set(builder, "nothing", "1", NULL) == TN_BAD_INPUT);
    CASE(tn_builder_add, refuses(tn_builder_add(NULL, "bodies", "a", "{}", &e)));
    CASE(tn_builder_add, refuses(tn_builder_add(builder, NULL, "a", "{}", &e)));
    CASE(tn_builder_add, refuses(tn_builder_add(builder, "bodies", "a", NULL, &e)));
    CASE(tn_builder_add, refuses(tn_builder_add(builder, "bodies", "", "{", &e)));
    CASE(tn_builder_merge, refuses(tn_builder_merge(NULL, "", NULL, &e)));
    CASE(tn_builder_merge, refuses(tn_builder_merge(builder, NULL, NULL, &e)));
    CASE(tn_builder_merge, refuses(tn_builder_merge(builder, "[", NULL, &e)));
    CASE(tn_builder_scene, refused(tn_builder_scene(NULL, &e)));
    tn_builder_destroy(builder);
}

static void test_models(void **unused)
{
    scenario s = scenario_open("%s", SCENE);
    const tn_model *m = s.model;
    const int bad[] = {-1, FAR};
    double size[3] = {7.0}, q[4];
    CASE(tn_model_create, refused(tn_model_create(NULL, &e)));
    CASE(tn_model_destroy, (tn_model_destroy(NULL), true));
    CASE(tn_model_body_count, tn_model_body_count(NULL) == 0);
    CASE(tn_model_soft_count, tn_model_soft_count(NULL) == 0);
    CASE(tn_model_find_body, tn_model_find_body(NULL, "box") == -1 && tn_model_find_body(m, NULL) == -1);
    tn_model_method method = {.threads = 7};
    tn_soft_info soft = {.n_nodes = 7};
    CASE(tn_model_mass, tn_model_mass(NULL) == 0.0);
    CASE(tn_model_scene, !tn_model_scene(NULL));
    CASE(tn_scene_count, tn_scene_count(tn_model_scene(m), NULL) == 0);
    CASE(tn_scene_count, tn_scene_count(tn_model_scene(m), "bodys") == 0);
    CASE(tn_model_get_method, (tn_model_get_method(m, NULL), tn_model_get_method(NULL, &method), method.threads == 7));
    CASE(tn_model_get_soft, (tn_model_get_soft(m, BODIES, NULL), tn_model_get_soft(m, 1, &soft), soft.n_nodes == 7));
    CASE(tn_model_face_total, tn_model_face_total(NULL) == 0);
    CASE(tn_model_faces, !tn_model_faces(NULL));
    CASE(tn_model_dof, tn_model_dof(NULL) == 0);
    CASE(tn_model_step, tn_model_step(NULL) == 0.0);
    CASE(tn_model_hash, tn_model_hash(NULL) == 0);
    CASE(tn_model_duration, tn_model_duration(NULL) == 0.0);
    CASE(tn_model_joint_count, tn_model_joint_count(NULL) == 0);
    CASE(tn_model_find_joint, tn_model_find_joint(NULL, "hinge") == -1 && tn_model_find_joint(m, NULL) == -1);
    CASE(tn_model_coordinate_count, tn_model_coordinate_count(NULL) == 0);
    CASE(tn_model_find_coordinate, tn_model_find_coordinate(NULL, "hinge:turn") == -1 &&
                                       tn_model_find_coordinate(m, NULL) == -1 &&
                                       tn_model_find_coordinate(m, "hinge:") == -1);
    CASE(tn_model_node_total, tn_model_node_total(NULL) == 0);
    CASE(tn_model_element_total, tn_model_element_total(NULL) == 0);
    CASE(tn_model_elements, !tn_model_elements(NULL));
    CASE(tn_model_shape_count, tn_model_shape_count(NULL) == 0);
    CASE(tn_model_joint_coordinate_name, !tn_model_joint_coordinate_name(m, 0, 1));
    CASE(tn_model_joint_coordinate_name, !tn_model_joint_coordinate_name(m, 0, -1));
    CASE(tn_model_shape_pose, (tn_model_shape_pose(m, 0, NULL, NULL), true));
    CASE(tn_model_shape_size, (tn_model_shape_size(m, 0, NULL), true));
    tn_material_pair pair = {.restitution = 7.0};
    double frame[7] = {7.0}, limits[2] = {7.0};
    int a = 7, b = 7;
    CASE(tn_model_material_count, tn_model_material_count(NULL) == 0);
    CASE(tn_model_body_inertia, (tn_model_body_inertia(m, 2, NULL, q, size), size[0] == 7.0));
    CASE(tn_model_body_inertia, (tn_model_body_inertia(m, 1, size, q, size), size[0] == 7.0)); // it is fixed
    CASE(tn_model_joint_bodies, (tn_model_joint_bodies(m, 0, NULL, &b), b == 7));
    CASE(tn_model_joint_frames, (tn_model_joint_frames(m, 0, frame, NULL), frame[0] == 7.0));
    CASE(tn_model_joint_limits, (tn_model_joint_limits(m, 0, 1, limits), tn_model_joint_limits(m, 0, 0, NULL), true));
    CASE(tn_model_joint_limits, (tn_model_joint_limits(m, 0, -1, limits), limits[0] == 7.0));
    CASE(tn_model_shape_geometry, (tn_model_shape_geometry(m, 0, NULL, NULL), true));
    CASE(tn_model_get_pair, (tn_model_get_pair(m, 0, 0, NULL), tn_model_get_pair(m, 0, -1, &pair), true));
    CASE(tn_model_get_pair, (tn_model_get_pair(m, FAR, 0, &pair), pair.restitution == 7.0));
    for (int i = 0; i < 3; i++) { // a model without the number, then no model
        int n = bad[i % 2];
        const tn_model *of = i < 2 ? m : NULL;
        CASE(tn_model_body_name, !tn_model_body_name(of, n));
        CASE(tn_model_body_mass, tn_model_body_mass(of, n) == 0.0);
        CASE(tn_model_body_moves, !tn_model_body_moves(of, n));
        CASE(tn_model_body_kind, !tn_model_body_kind(of, n));
        CASE(tn_model_body_planar, !tn_model_body_planar(of, n));
        CASE(tn_model_get_soft, (tn_model_get_soft(of, n, &soft), soft.n_nodes == 7));
        CASE(tn_model_face_count, tn_model_face_count(of, n) == 0);
        CASE(tn_model_first_face, tn_model_first_face(of, n) == 0);
        CASE(tn_model_joint_name, !tn_model_joint_name(of, n));
        CASE(tn_model_joint_type, !tn_model_joint_type(of, n));
        CASE(tn_model_joint_coordinate_count, tn_model_joint_coordinate_count(of, n) == 0);
        CASE(tn_model_joint_coordinate_name, !tn_model_joint_coordinate_name(of, n, 0));
        CASE(tn_model_first_coordinate, tn_model_first_coordinate(of, n) == 0);
        CASE(tn_model_node_count, tn_model_node_count(of, n) == 0);
        CASE(tn_model_first_node, tn_model_first_node(of, n) == 0);
        CASE(tn_model_element_count, tn_model_element_count(of, n) == 0);
        CASE(tn_model_first_element, tn_model_first_element(of, n) == 0);
        CASE(tn_model_body_shape_count, tn_model_body_shape_count(of, n) == 0);
        CASE(tn_model_first_shape, tn_model_first_shape(of, n) == 0);
        CASE(tn_model_shape_body, tn_model_shape_body(of, n) == 0);
        CASE(tn_model_body_inertia, (tn_model_body_inertia(of, n, size, q, size), size[0] == 7.0));
        CASE(tn_model_joint_bodies, (tn_model_joint_bodies(of, n, &a, &b), a == 7));
        CASE(tn_model_joint_frames, (tn_model_joint_frames(of, n, frame, frame), frame[0] == 7.0));
        CASE(tn_model_joint_limits, (tn_model_joint_limits(of, n, 0, limits), limits[0] == 7.0));
        CASE(tn_model_shape_point_count, tn_model_shape_point_count(of, n) == 0);
        CASE(tn_model_shape_triangle_count, tn_model_shape_triangle_count(of, n) == 0);
        CASE(tn_model_shape_geometry, (tn_model_shape_geometry(of, n, size, integers), size[0] == 7.0));
        CASE(tn_model_material_name, !tn_model_material_name(of, n));
        CASE(tn_model_shape_material, tn_model_shape_material(of, n) == -1);
        CASE(tn_model_soft_material, tn_model_soft_material(of, n) == -1);
        CASE(tn_model_shape_kind, !tn_model_shape_kind(of, n));
        CASE(tn_model_shape_pose, (tn_model_shape_pose(of, n, size, q), size[0] == 7.0));
        CASE(tn_model_shape_size, (tn_model_shape_size(of, n, size), size[0] == 7.0));
    }
    scenario_close(&s);
}

static void test_states(void **unused)
{
    scenario s = scenario_open("%s", SCENE), other = scenario_open("%s", SCENE);
    tn_state *state = s.state;
    const int bad[] = {-1, FAR, 0};
    uint64_t before = tn_state_hash(state);
    double x[3] = {7.0}, q[4] = {7.0}, nan[7 * BODIES + 3 * NODES] = {0};
    const double huge[6 * BODIES + 3 * NODES] = {[6 * 2 + 4] = 1e200};
    CASE(tn_state_create, refused(tn_state_create(NULL, &e)));
    CASE(tn_state_destroy, (tn_state_destroy(NULL), true));
    CASE(tn_state_copy, refuses(tn_state_copy(NULL, state, &e)) && refuses(tn_state_copy(state, NULL, &e)));
    CASE(tn_state_copy, refuses(tn_state_copy(state, other.state, &e)));
    CASE(tn_state_time, tn_state_time(NULL) == 0.0);
    CASE(tn_state_hash, tn_state_hash(NULL) == 0);
    CASE(tn_state_body_pose, (tn_state_body_pose(state, 1, NULL, NULL), true));
    CASE(tn_state_body_velocity, (tn_state_body_velocity(state, 1, NULL, NULL), true));
    CASE(tn_state_joint, (tn_state_joint(state, 0, NULL, NULL), true));
    for (int i = 0; i < 3; i++) {
        const tn_state *of = i < 2 ? state : NULL;
        CASE(tn_state_body_pose, (tn_state_body_pose(of, bad[i], x, q), x[0] == 7.0));
        CASE(tn_state_body_velocity, (tn_state_body_velocity(of, bad[i], x, q), x[0] == 7.0));
        CASE(tn_state_joint, (tn_state_joint(of, bad[i], x, q), x[0] == 7.0));
        CASE(tn_state_nodes, !tn_state_nodes(of, bad[i]));
        CASE(tn_state_asleep, !tn_state_asleep(of, bad[i]));
    }
    tn_energy energy;
    tn_overlaps overlaps;
    tn_joint_census census;
    tn_velocity_mismatch mismatch;
    tn_grab grab = {.body = 7};
    CASE(tn_state_step_count, tn_state_step_count(NULL) == 0);
    CASE(tn_state_wake, refuses(tn_state_wake(NULL, 0, &e)) && refuses(tn_state_wake(state, FAR, &e)));
    CASE(tn_state_wake, refuses(tn_state_wake(state, -2, &e)) && tn_state_wake(state, -1, &e) == TN_OK);
    CASE(tn_state_energy, refuses(tn_state_energy(NULL, &energy, &e)) && refuses(tn_state_energy(state, NULL, &e)));
    CASE(tn_state_overlaps, refuses(tn_state_overlaps(NULL, &overlaps, &e)));
    CASE(tn_state_overlaps, refuses(tn_state_overlaps(state, NULL, &e)));
    CASE(tn_state_joint_census, refuses(tn_state_joint_census(NULL, &census, &e)));
    CASE(tn_state_joint_census, refuses(tn_state_joint_census(state, NULL, &e)));
    CASE(tn_state_velocity_mismatch, refuses(tn_state_velocity_mismatch(NULL, &mismatch, &e)));
    CASE(tn_state_velocity_mismatch, refuses(tn_state_velocity_mismatch(state, NULL, &e)));
    CASE(tn_state_project_velocities, refuses(tn_state_project_velocities(NULL, &e)));
    CASE(tn_grab_start, !tn_grab_start(NULL, 2, x, &grab) && !tn_grab_start(state, FAR, x, &grab) && grab.body == 7);
    CASE(tn_grab_start, !tn_grab_start(state, 2, NULL, &grab) && !tn_grab_start(state, 2, x, NULL));
    CASE(tn_grab_start, !tn_grab_start(state, 1, x, &grab) && !tn_grab_start(state, 2, (double[3]){NAN}, &grab));
    CASE(tn_grab_pull, (tn_grab_pull(NULL, state, nan, nan), tn_grab_pull(&grab, NULL, nan, nan), nan[0] == 0.0));
    grab = (tn_grab){.body = BODIES, .n = FAR};
    CASE(tn_grab_pull, (tn_grab_pull(&grab, state, nan, nan), nan[0] == 0.0));
    grab = (tn_grab){.body = BODIES, .n = 1, .node = {FAR}};
    CASE(tn_grab_pull, (tn_grab_pull(&grab, state, nan, nan), nan[0] == 0.0));
    grab = (tn_grab){.body = FAR};
    CASE(tn_grab_pull, (tn_grab_pull(&grab, state, nan, nan), nan[0] == 0.0));
    CASE(tn_state_save_check, refuses(tn_state_save_check(NULL, &e)));
    CASE(tn_state_save, refuses(tn_state_save(NULL, "x", &e)) && refuses(tn_state_save(state, NULL, &e)));
    CASE(tn_state_save, tn_state_save(state, "/nowhere/at/all", NULL) == TN_IO);
    CASE(tn_state_load, refuses(tn_state_load(NULL, "x", &e)) && refuses(tn_state_load(state, NULL, &e)));
    CASE(tn_state_load, tn_state_load(state, "/nowhere", NULL) == TN_IO);
    CASE(tn_state_get_bodies, (tn_state_get_bodies(NULL, x, q), tn_state_get_bodies(state, NULL, NULL), x[0] == 7.0));
    CASE(tn_state_get_nodes, (tn_state_get_nodes(NULL, x, q), tn_state_get_nodes(state, NULL, NULL), x[0] == 7.0));
    CASE(tn_state_get_coordinates,
         (tn_state_get_coordinates(NULL, x, q), tn_state_get_coordinates(state, NULL, NULL), x[0] == 7.0));
    CASE(tn_state_get_elements, refuses(tn_state_get_elements(NULL, numbers, NULL, &e)));
    CASE(tn_state_get_elements, tn_state_get_elements(state, NULL, NULL, NULL) == TN_OK);
    nan[7 * 2 + 1] = NAN, nan[7 * 2 + 3] = 1.0;
    CASE(tn_state_set_bodies, refuses(tn_state_set_bodies(NULL, NULL, NULL, &e)));
    CASE(tn_state_set_bodies, refuses(tn_state_set_bodies(state, nan, NULL, &e)));
    CASE(tn_state_set_bodies, refuses(tn_state_set_bodies(state, NULL, huge, &e)));
    CASE(tn_state_set_nodes, refuses(tn_state_set_nodes(state, huge, NULL, &e)));
    nan[2] = INFINITY;
    CASE(tn_state_set_nodes, refuses(tn_state_set_nodes(NULL, NULL, NULL, &e)));
    CASE(tn_state_set_nodes, refuses(tn_state_set_nodes(state, nan, NULL, &e)));
    CASE(tn_state_set_nodes, refuses(tn_state_set_nodes(state, NULL, nan, &e)));
    CASE(tn_state_hash, tn_state_hash(state) == before);
    scenario_close(&s), scenario_close(&other);
}

static void test_sims(void **unused)
{
    scenario s = scenario_open("%s", SCENE), other = scenario_open("%s", SCENE);
    tn_contact_info contact = {.body_a = 7};
    tn_joint_info joint = {.body_a = 7};
    tn_unbalance left = {.part = 7.0};
    const tn_step_miss miss = {.kind = TN_MISS_PENETRATION, .value = 0.1, .limit = 0.01, .body_a = -1, .body_b = 99};
    char text[200];
    double bad[6 * BODIES] = {[7] = NAN};
    uint64_t before = tn_state_hash(s.state);
    CASE(tn_sim_create, refused(tn_sim_create(NULL, &e)));
    CASE(tn_sim_destroy, (tn_sim_destroy(NULL), true));
    CASE(tn_sim_set_log, refuses(tn_sim_set_log(NULL, NULL, NULL, &e)));
    CASE(tn_step_miss_text, !*tn_step_miss_text(NULL, s.model, text, sizeof text));
    CASE(tn_step_miss_text, !*tn_step_miss_text(&miss, NULL, text, sizeof text));
    CASE(tn_step_miss_text, !*tn_step_miss_text(&miss, s.model, NULL, 5));
    CASE(tn_step_miss_text, !strcmp(tn_step_miss_text(&miss, s.model, text, 5), "pene"));
    CASE(tn_step_miss_text, !strstr(tn_step_miss_text(&miss, s.model, text, sizeof text), "bodies"));
    CASE(tn_step_miss_text, !*tn_step_miss_text(&(tn_step_miss){.kind = 9}, s.model, text, sizeof text));
    CASE(tn_sim_set, refuses(tn_sim_set(NULL, 0, NULL, &e)) && refuses(tn_sim_set(s.sim, 1, NULL, &e)));
    CASE(tn_sim_set, refuses(tn_sim_set(s.sim, -1, NULL, &e)));
    for (int i = 0; i < 2; i++) { // before a step, and after one
        CASE(tn_sim_step, refuses(tn_sim_step(NULL, NULL, s.state, NULL, &e)));
        CASE(tn_sim_step, refuses(tn_sim_step(s.sim, NULL, NULL, NULL, &e)));
        CASE(tn_sim_step, refuses(tn_sim_step(s.sim, NULL, other.state, NULL, &e)));
        CASE(tn_sim_step, refuses(tn_sim_step(s.sim, &(tn_input){.wrench = bad}, s.state, NULL, &e)));
        CASE(tn_sim_step, refuses(tn_sim_step(s.sim, &(tn_input){.node_force = bad}, s.state, NULL, &e)));
        CASE(tn_sim_step, refuses(tn_sim_step(s.sim, &(tn_input){.effort = bad + 7}, s.state, NULL, &e)));
        CASE(tn_sim_step, refuses(tn_sim_step(s.sim, &(tn_input){.target = bad}, s.state, NULL, &e)));
        CASE(tn_sim_step, refuses(tn_sim_step(s.sim, &(tn_input){.gravity = bad + 6}, s.state, NULL, &e)));
        CASE(tn_sim_contact_count, tn_sim_contact_count(NULL) == 0);
        CASE(tn_sim_contact, (tn_sim_contact(NULL, 0, &contact), contact.body_a == 7));
        CASE(tn_sim_contact, (tn_sim_contact(s.sim, -1, &contact), contact.body_a == 7));
        CASE(tn_sim_contact, (tn_sim_contact(s.sim, FAR, &contact), contact.body_a == 7));
        CASE(tn_sim_contact, (tn_sim_contact(s.sim, 0, NULL), true));
        CASE(tn_sim_get_contacts, tn_sim_get_contacts(NULL, 0, 1, &(tn_contact_results){0}) == 0);
        CASE(tn_sim_get_contacts, tn_sim_get_contacts(s.sim, 0, 1, NULL) == 0);
        CASE(tn_sim_get_contacts, tn_sim_get_contacts(s.sim, -1, 1, &(tn_contact_results){.gap = numbers}) == 0);
        CASE(tn_sim_get_contacts, tn_sim_get_contacts(s.sim, 0, -1, &(tn_contact_results){.gap = numbers}) == 0);
        CASE(tn_sim_get_contacts, tn_sim_get_contacts(s.sim, FAR, 1, &(tn_contact_results){.gap = numbers}) == 0);
        CASE(tn_sim_joint, (tn_sim_joint(NULL, s.state, 0, &joint), joint.body_a == 7));
        CASE(tn_sim_joint, (tn_sim_joint(s.sim, NULL, 0, &joint), joint.body_a == 7));
        CASE(tn_sim_joint, (tn_sim_joint(s.sim, other.state, 0, &joint), joint.body_a == 7));
        CASE(tn_sim_joint, (tn_sim_joint(s.sim, s.state, -1, &joint), joint.body_a == 7));
        CASE(tn_sim_joint, (tn_sim_joint(s.sim, s.state, 1, &joint), joint.body_a == 7));
        CASE(tn_sim_joint, (tn_sim_joint(s.sim, s.state, 0, NULL), true));
        CASE(tn_sim_get_joints, (tn_sim_get_joints(NULL, s.state, &(tn_joint_results){0}), true));
        CASE(tn_sim_get_joints, (tn_sim_get_joints(s.sim, NULL, &(tn_joint_results){0}), true));
        CASE(tn_sim_get_joints, (tn_sim_get_joints(s.sim, s.state, NULL), true));
        CASE(tn_sim_problem, !tn_sim_problem(NULL, NULL) && tn_sim_problem(s.sim, NULL));
        CASE(tn_sim_forces, refuses(tn_sim_forces(NULL, s.state, NULL, NULL, &e)));
        CASE(tn_sim_forces, refuses(tn_sim_forces(s.sim, NULL, NULL, NULL, &e)));
        CASE(tn_sim_forces, refuses(tn_sim_forces(s.sim, other.state, NULL, NULL, &e)));
        CASE(tn_sim_unbalance, (tn_sim_unbalance(NULL, s.state, 2, &left), left.part == 7.0));
        CASE(tn_sim_unbalance, (tn_sim_unbalance(s.sim, NULL, 2, &left), left.part == 7.0));
        CASE(tn_sim_unbalance, (tn_sim_unbalance(s.sim, s.state, 2, NULL), true));
        CASE(tn_sim_unbalance, (tn_sim_unbalance(s.sim, s.state, FAR, &left), left.part == 0.0));
        left.part = 7.0;
        CASE(tn_state_hash, tn_state_hash(s.state) == before);
        scenario_step(&s);
        before = tn_state_hash(s.state);
    }
    scenario_close(&s), scenario_close(&other);
}

static void test_queries(void **unused)
{
    scenario s = scenario_open("%s", SCENE), other = scenario_open("%s", SCENE);
    tn_query *query = tn_query_create(s.model, &e);
    tn_nearest d;
    int n;
    const double pose[7] = {[3] = 1.0}, nothing[7] = {0}, bad[7] = {NAN, [3] = 1.0}, down[3] = {0.0, 0.0, -1.0};
    const tn_ray_results out = {.body = integers};
    CASE(tn_query_create, refused(tn_query_create(NULL, &e)));
    CASE(tn_query_destroy, (tn_query_destroy(NULL), true));
    CASE(tn_query_distance, refuses(tn_query_distance(query, 1, 2, 1.0, &d, &e))); // not updated yet
    CASE(tn_query_pairs, refuses(tn_query_pairs(query, 0.0, 0, NULL, &n, &e)));
    CASE(tn_query_rays, refuses(tn_query_rays(query, 1, pose, down, NULL, &out, &e)));
    CASE(tn_query_update, refuses(tn_query_update(NULL, s.state, &e)) && refuses(tn_query_update(query, NULL, &e)));
    CASE(tn_query_update, refuses(tn_query_update(query, other.state, &e)));
    assert_int_equal(tn_query_update(query, s.state, &e), TN_OK);
    CASE(tn_query_distance, refuses(tn_query_distance(NULL, 1, 2, 1.0, &d, &e)));
    CASE(tn_query_distance, refuses(tn_query_distance(query, 1, 2, 1.0, NULL, &e)));
    CASE(tn_query_distance, refuses(tn_query_distance(query, -1, 2, 1.0, &d, &e)));
    CASE(tn_query_distance, refuses(tn_query_distance(query, 1, FAR, 1.0, &d, &e)));
    CASE(tn_query_distance, refuses(tn_query_distance(query, 1, 2, -1.0, &d, &e)));
    CASE(tn_query_distance, refuses(tn_query_distance(query, 1, 2, NAN, &d, &e)));
    CASE(tn_query_pairs, refuses(tn_query_pairs(NULL, 0.0, 0, NULL, &n, &e)));
    CASE(tn_query_pairs, refuses(tn_query_pairs(query, NAN, 0, NULL, &n, &e)));
    CASE(tn_query_pairs, refuses(tn_query_pairs(query, 0.0, 1, NULL, &n, &e)));
    CASE(tn_query_pairs, refuses(tn_query_pairs(query, 0.0, -1, integers, &n, &e)));
    CASE(tn_query_pairs, refuses(tn_query_pairs(query, 0.0, 1, integers, NULL, &e)));
    CASE(tn_query_rays, refuses(tn_query_rays(NULL, 1, pose, down, NULL, &out, &e)));
    CASE(tn_query_rays, refuses(tn_query_rays(query, -1, pose, down, NULL, &out, &e)));
    CASE(tn_query_rays, refuses(tn_query_rays(query, 1, NULL, down, NULL, &out, &e)));
    CASE(tn_query_rays, refuses(tn_query_rays(query, 1, pose, NULL, NULL, &out, &e)));
    CASE(tn_query_rays, refuses(tn_query_rays(query, 1, pose, down, NULL, NULL, &e)));
    CASE(tn_query_rays, refuses(tn_query_rays(query, 1, bad, down, NULL, &out, &e)));
    CASE(tn_query_rays, refuses(tn_query_rays(query, 1, pose, nothing, NULL, &out, &e)));
    CASE(tn_query_rays, refuses(tn_query_rays(query, 1, pose, down, &(tn_ray_options){.reach = NAN}, &out, &e)));
    CASE(tn_query_rays, tn_query_rays(query, 0, NULL, NULL, NULL, NULL, &e) == TN_OK);
    CASE(tn_shape_distances, refuses(tn_shape_distances(NULL, 0, 1, 1, pose, NULL, 1.0, &d, &e)));
    CASE(tn_shape_distances, refuses(tn_shape_distances(s.model, -1, 1, 1, pose, NULL, 1.0, &d, &e)));
    CASE(tn_shape_distances, refuses(tn_shape_distances(s.model, 0, FAR, 1, pose, NULL, 1.0, &d, &e)));
    CASE(tn_shape_distances, refuses(tn_shape_distances(s.model, 0, 1, -1, pose, NULL, 1.0, &d, &e)));
    CASE(tn_shape_distances, refuses(tn_shape_distances(s.model, 0, 1, 1, NULL, NULL, 1.0, &d, &e)));
    CASE(tn_shape_distances, refuses(tn_shape_distances(s.model, 0, 1, 1, pose, NULL, 1.0, NULL, &e)));
    CASE(tn_shape_distances, refuses(tn_shape_distances(s.model, 0, 1, 1, bad, NULL, 1.0, &d, &e)));
    CASE(tn_shape_distances, refuses(tn_shape_distances(s.model, 0, 1, 1, nothing, NULL, 1.0, &d, &e)));
    CASE(tn_shape_distances, refuses(tn_shape_distances(s.model, 0, 1, 1, pose, bad, 1.0, &d, &e)));
    CASE(tn_shape_distances, refuses(tn_shape_distances(s.model, 0, 1, 1, pose, NULL, NAN, &d, &e)));
    CASE(tn_shape_support, refuses(tn_shape_support(NULL, 1, 1, down, numbers, &e)));
    CASE(tn_shape_support, refuses(tn_shape_support(s.model, 0, 1, down, numbers, &e))); // a plane
    CASE(tn_shape_support, refuses(tn_shape_support(s.model, FAR, 1, down, numbers, &e)));
    CASE(tn_shape_support, refuses(tn_shape_support(s.model, 1, -1, down, numbers, &e)));
    CASE(tn_shape_support, refuses(tn_shape_support(s.model, 1, 1, NULL, numbers, &e)));
    CASE(tn_shape_support, refuses(tn_shape_support(s.model, 1, 1, nothing, numbers, &e)));
    CASE(tn_state_point_jacobian, refuses(tn_state_point_jacobian(NULL, 2, pose, numbers, &e)));
    CASE(tn_state_point_jacobian, refuses(tn_state_point_jacobian(s.state, 4, pose, numbers, &e))); // soft
    CASE(tn_state_point_jacobian, refuses(tn_state_point_jacobian(s.state, 2, bad, numbers, &e)));
    CASE(tn_state_point_jacobian, refuses(tn_state_point_jacobian(s.state, 2, pose, NULL, &e)));
    CASE(tn_state_joint_jacobian, refuses(tn_state_joint_jacobian(NULL, 3, pose, numbers, &e)));
    CASE(tn_state_joint_jacobian, refuses(tn_state_joint_jacobian(s.state, -1, pose, numbers, &e)));
    CASE(tn_state_joint_jacobian, refuses(tn_state_joint_jacobian(s.state, 3, NULL, numbers, &e)));
    CASE(tn_state_joint_jacobian,
         refuses(tn_state_joint_jacobian(s.state, 2, pose, numbers, &e))); // hangs from nothing
    tn_query_destroy(query);
    scenario_close(&s), scenario_close(&other);
}

static void test_sensors(void **unused)
{
    scenario s = scenario_open("%sframes: {tip: world}\nsensors: {imu: {type: accelerometer, body: box}}\n", SCENE);
    scenario other = scenario_open("bodies: {one: {shape: {sphere: 1}}}");
    tn_sensors *sensors = tn_sensors_create(s.model, &e);
    CASE(tn_model_frame_count, tn_model_frame_count(NULL) == 0);
    CASE(tn_model_find_frame, tn_model_find_frame(NULL, "tip") == -1 && tn_model_find_frame(s.model, NULL) == -1);
    CASE(tn_model_frame_name, !tn_model_frame_name(NULL, 0) && !tn_model_frame_name(s.model, 1));
    CASE(tn_model_frame, tn_model_frame(s.model, -1, NULL) == -1 && tn_model_frame(s.model, 0, NULL) == 0);
    CASE(tn_state_frame, (tn_state_frame(NULL, 0, NULL, NULL), tn_state_frame(s.state, 1, NULL, NULL), true));
    CASE(tn_model_sensor_count, tn_model_sensor_count(NULL) == 0);
    CASE(tn_model_find_sensor, tn_model_find_sensor(NULL, "imu") == -1 && tn_model_find_sensor(s.model, NULL) == -1);
    CASE(tn_model_sensor_name, !tn_model_sensor_name(NULL, 0) && !tn_model_sensor_name(s.model, 1));
    CASE(tn_model_sensor_type, !tn_model_sensor_type(NULL, 0) && !tn_model_sensor_type(s.model, -1));
    CASE(tn_model_sensor_unit, !tn_model_sensor_unit(NULL, 0) && !tn_model_sensor_unit(s.model, FAR));
    CASE(tn_model_sensor_width, tn_model_sensor_width(NULL, 0) == 0 && tn_model_sensor_width(s.model, 1) == 0);
    CASE(tn_model_first_reading, tn_model_first_reading(NULL, 0) == 0 && tn_model_first_reading(s.model, FAR) == 0);
    CASE(tn_model_reading_count, tn_model_reading_count(NULL) == 0);
    CASE(tn_sensors_create, sensors && refused(tn_sensors_create(NULL, &e)));
    CASE(tn_sensors_destroy, (tn_sensors_destroy(NULL), true));
    CASE(tn_sensors_read, tn_sensors_read(sensors, NULL, s.state, numbers, &e) == TN_OK);
    CASE(tn_sensors_read, refuses(tn_sensors_read(NULL, s.sim, s.state, numbers, &e)));
    CASE(tn_sensors_read, refuses(tn_sensors_read(sensors, s.sim, NULL, numbers, &e)));
    CASE(tn_sensors_read, refuses(tn_sensors_read(sensors, s.sim, other.state, numbers, &e)));
    CASE(tn_sensors_read, refuses(tn_sensors_read(sensors, other.sim, s.state, numbers, &e)));
    CASE(tn_sensors_read, refuses(tn_sensors_read(sensors, s.sim, s.state, NULL, &e)));
    tn_sensors_destroy(sensors);
    scenario_close(&s), scenario_close(&other);
}

static bool never(void *user, int a, int b)
{
    return false;
}

static void test_derivatives(void **unused)
{
    scenario s = scenario_open("%s", SCENE), other = scenario_open("bodies: {one: {shape: {sphere: 1}}}");
    const tn_parameter odd = {other.model, other.model, 1.0}, same = {s.model, s.model, 0.0};
    double bad[6 * BODIES] = {[7] = NAN};
    tn_linearization *lin = tn_sim_linearize(s.sim, NULL, s.state, 0, NULL, &e);
    CASE(tn_sim_linearize, lin);
    CASE(tn_sim_linearize, refused(tn_sim_linearize(NULL, NULL, s.state, 0, NULL, &e)));
    CASE(tn_sim_linearize, refused(tn_sim_linearize(s.sim, NULL, NULL, 0, NULL, &e)));
    CASE(tn_sim_linearize, refused(tn_sim_linearize(s.sim, NULL, other.state, 0, NULL, &e)));
    CASE(tn_sim_linearize, refused(tn_sim_linearize(s.sim, NULL, s.state, -1, NULL, &e)));
    CASE(tn_sim_linearize, refused(tn_sim_linearize(s.sim, NULL, s.state, 1, NULL, &e)));
    CASE(tn_sim_linearize, refused(tn_sim_linearize(s.sim, NULL, s.state, 1, &odd, &e)));
    CASE(tn_sim_linearize, refused(tn_sim_linearize(s.sim, NULL, s.state, 1, &same, &e)));
    CASE(tn_sim_linearize, refused(tn_sim_linearize(s.sim, &(tn_input){.wrench = bad}, s.state, 0, NULL, &e)));
    CASE(tn_sim_linearize, refused(tn_sim_linearize(s.sim, &(tn_input){.may_touch = never}, s.state, 0, NULL, &e)));
    CASE(tn_linearization_destroy, (tn_linearization_destroy(NULL), true));
    CASE(tn_linearization_state_count, tn_linearization_state_count(NULL) == 0);
    CASE(tn_linearization_input_count, tn_linearization_input_count(NULL) == 0);
    CASE(tn_linearization_sim, !tn_linearization_sim(NULL));
    CASE(tn_linearization_next, !tn_linearization_next(NULL));
    CASE(tn_linearization_is_unique, !tn_linearization_is_unique(NULL));
    CASE(tn_linearization_push, refuses(tn_linearization_push(NULL, NULL, NULL, NULL, numbers, NULL, &e)));
    CASE(tn_linearization_push, refuses(tn_linearization_push(lin, NULL, NULL, NULL, NULL, NULL, &e)));
    numbers[3] = NAN;
    CASE(tn_linearization_push, refuses(tn_linearization_push(lin, numbers, NULL, NULL, numbers, NULL, &e)));
    numbers[3] = 0.0;
    CASE(tn_linearization_matrices, refuses(tn_linearization_matrices(NULL, numbers, NULL, NULL, NULL, &e)));
    CASE(tn_linearization_matrices, tn_linearization_matrices(lin, NULL, NULL, NULL, NULL, &e) == TN_OK);
    CASE(tn_linearization_pull, refuses(tn_linearization_pull(NULL, numbers, numbers, NULL, NULL, &e)));
    CASE(tn_linearization_pull, refuses(tn_linearization_pull(lin, NULL, numbers, NULL, NULL, &e)));
    tn_linearization_destroy(lin);
    scenario_close(&s), scenario_close(&other);
}

static void test_dynamics(void **unused)
{
    scenario s = scenario_open("%s", SCENE), other = scenario_open("%s", SCENE);
    double bad[3] = {NAN}, point[3] = {0.0}, endless = INFINITY, one = 1.0, no_turn[4] = {0.0};
    tn_dynamics *d = tn_dynamics_create(s.model, &e);
    tn_centroid centroid;
    tn_reach target = {.body = 3, .position = point}, wrong = {.body = 3, .position = bad};
    CASE(tn_dynamics_create, refused(tn_dynamics_create(NULL, &e)));
    CASE(tn_dynamics_destroy, (tn_dynamics_destroy(NULL), true));
    CASE(tn_dynamics_rate_count, tn_dynamics_rate_count(NULL) == 0 && tn_dynamics_rate_count(d) == 1);
    CASE(tn_dynamics_rate, refuses(tn_dynamics_rate(NULL, 0, integers, integers, integers, integers, &e)));
    CASE(tn_dynamics_rate, refuses(tn_dynamics_rate(d, 1, NULL, NULL, NULL, NULL, &e)));
    CASE(tn_dynamics_rate, refuses(tn_dynamics_rate(d, -1, NULL, NULL, NULL, NULL, &e)));
    CASE(tn_dynamics_mass, refuses(tn_dynamics_mass(d, numbers, &e))); // of no state yet
    CASE(tn_dynamics_update, refuses(tn_dynamics_update(NULL, s.state, &e)));
    CASE(tn_dynamics_update, refuses(tn_dynamics_update(d, NULL, &e)));
    CASE(tn_dynamics_update, refuses(tn_dynamics_update(d, other.state, &e)));
    CASE(tn_dynamics_update, tn_dynamics_update(d, s.state, &e) == TN_OK);
    CASE(tn_dynamics_rates, refuses(tn_dynamics_rates(NULL, numbers, &e)) && refuses(tn_dynamics_rates(d, NULL, &e)));
    CASE(tn_dynamics_mass, refuses(tn_dynamics_mass(NULL, numbers, &e)) && refuses(tn_dynamics_mass(d, NULL, &e)));
    CASE(tn_dynamics_inverse, refuses(tn_dynamics_inverse(NULL, NULL, numbers, &e)));
    CASE(tn_dynamics_inverse, refuses(tn_dynamics_inverse(d, NULL, NULL, &e)));
    CASE(tn_dynamics_inverse, refuses(tn_dynamics_inverse(d, bad, numbers, &e)));
    CASE(tn_dynamics_forward, refuses(tn_dynamics_forward(NULL, NULL, numbers, &e)));
    CASE(tn_dynamics_forward, refuses(tn_dynamics_forward(d, NULL, NULL, &e)));
    CASE(tn_dynamics_forward, refuses(tn_dynamics_forward(d, bad, numbers, &e)));
    CASE(tn_dynamics_jacobian, refuses(tn_dynamics_jacobian(NULL, 3, point, numbers, &e)));
    CASE(tn_dynamics_jacobian, refuses(tn_dynamics_jacobian(d, BODIES, point, numbers, &e)));
    CASE(tn_dynamics_jacobian, refuses(tn_dynamics_jacobian(d, -1, point, numbers, &e)));
    CASE(tn_dynamics_jacobian, refuses(tn_dynamics_jacobian(d, 3, NULL, numbers, &e)));
    CASE(tn_dynamics_jacobian, refuses(tn_dynamics_jacobian(d, 3, bad, numbers, &e)));
    CASE(tn_dynamics_jacobian, refuses(tn_dynamics_jacobian(d, 3, point, NULL, &e)));
    CASE(tn_dynamics_centroid, refuses(tn_dynamics_centroid(NULL, &centroid, &e)));
    CASE(tn_dynamics_centroid, refuses(tn_dynamics_centroid(d, NULL, &e)));
    CASE(tn_dynamics_set, refuses(tn_dynamics_set(NULL, s.state, &one, NULL, &e)));
    CASE(tn_dynamics_set, refuses(tn_dynamics_set(d, NULL, &one, NULL, &e)));
    CASE(tn_dynamics_set, refuses(tn_dynamics_set(d, other.state, &one, NULL, &e)));
    CASE(tn_dynamics_set, refuses(tn_dynamics_set(d, s.state, &endless, NULL, &e)));
    CASE(tn_dynamics_set, refuses(tn_dynamics_set(d, s.state, NULL, &endless, &e)));
    CASE(tn_dynamics_reach, refuses(tn_dynamics_reach(NULL, s.state, 1, &target, NULL, NULL, &e)));
    CASE(tn_dynamics_reach, refuses(tn_dynamics_reach(d, NULL, 1, &target, NULL, NULL, &e)));
    CASE(tn_dynamics_reach, refuses(tn_dynamics_reach(d, s.state, -1, &target, NULL, NULL, &e)));
    CASE(tn_dynamics_reach, refuses(tn_dynamics_reach(d, s.state, 1, NULL, NULL, NULL, &e)));
    CASE(tn_dynamics_reach, refuses(tn_dynamics_reach(d, s.state, 1, &wrong, NULL, NULL, &e)));
    wrong = (tn_reach){.body = FAR, .position = point};
    CASE(tn_dynamics_reach, refuses(tn_dynamics_reach(d, s.state, 1, &wrong, NULL, NULL, &e)));
    wrong = (tn_reach){.body = 3, .orientation = no_turn};
    CASE(tn_dynamics_reach, refuses(tn_dynamics_reach(d, s.state, 1, &wrong, NULL, NULL, &e)));
    wrong = (tn_reach){.body = 3, .position = point, .weight = -1.0};
    CASE(tn_dynamics_reach, refuses(tn_dynamics_reach(d, s.state, 1, &wrong, NULL, NULL, &e)));
    tn_dynamics_destroy(d);
    scenario_close(&s), scenario_close(&other);
}

static void test_plans(void **unused)
{
    tn_plan_problem p = {0};
    tn_plan plan = {0};
    CASE(tn_lcs_create, refuses(tn_lcs_create(1, 1, 1, NULL, &e)) && refuses(tn_lcs_create(-1, 1, 1, &p.lcs, &e)));
    CASE(tn_lcs_check, refuses(tn_lcs_check(NULL, &e)) && refuses(tn_lcs_check(&p.lcs, &e)));
    CASE(tn_lcs_has_guards, !tn_lcs_has_guards(NULL) && !tn_lcs_has_guards(&p.lcs));
    CASE(tn_lcs_destroy, (tn_lcs_destroy(NULL), tn_lcs_destroy(&p.lcs), true));
    CASE(tn_plan_problem_create, refuses(tn_plan_problem_create(1, 1, 1, 1, 0, 0, NULL, &e)));
    CASE(tn_plan_problem_create, refuses(tn_plan_problem_create(1, 1, 1, -1, 0, 0, &p, &e)));
    CASE(tn_plan_problem_check, refuses(tn_plan_problem_check(NULL, &e)) && refuses(tn_plan_problem_check(&p, &e)));
    CASE(tn_plan_problem_destroy, (tn_plan_problem_destroy(NULL), tn_plan_problem_destroy(&p), true));
    CASE(tn_plan_problem_load, refuses(tn_plan_problem_load(NULL, &p, &e)) && !p.x0);
    CASE(tn_plan_problem_load, refuses(tn_plan_problem_load("/nowhere", NULL, &e)));
    CASE(tn_plan_problem_load, tn_plan_problem_load("/nowhere", &p, NULL) == TN_IO);
    CASE(tn_plan_method_find, tn_plan_method_find(NULL) == -1 && tn_plan_method_find("") == -1);
    CASE(tn_plan_method_name, !tn_plan_method_name((tn_plan_method)77)[0]);
    CASE(tn_plan_has_mpcc, (tn_plan_has_mpcc(), true));
    CASE(tn_plan_status_name, !tn_plan_status_name((tn_plan_status)-1)[0]);
    CASE(tn_plan_options_default, tn_plan_options_default().gap > 0.0);
    CASE(tn_plan_create, refuses(tn_plan_create(NULL, &plan, &e)) && refuses(tn_plan_create(&p, &plan, &e)));
    CASE(tn_plan_destroy, (tn_plan_destroy(NULL), tn_plan_destroy(&plan), true));
    CASE(tn_planner_create, refused(tn_planner_create(NULL, &e)) && refused(tn_planner_create(&p, &e)));
    CASE(tn_planner_solve, refuses(tn_planner_solve(NULL, &p, NULL, &plan, &e)));
    CASE(tn_planner_bounds,
         refuses(tn_planner_bounds(NULL, &p, &(tn_plan_bounds){.c_high = numbers, .w_high = numbers}, NULL, &e)));
    CASE(tn_planner_destroy, (tn_planner_destroy(NULL), true));
}

static void test_lcs_source(void **unused)
{
    tn_lcs lcs = {0};
    tn_lcs_row row;
    tn_lcs_options odd = tn_lcs_options_default();
    CASE(tn_lcs_options_default, odd.friction < 0.0);
    odd.facets = 3;
    CASE(tn_lcs_source_create, refused(tn_lcs_source_create(NULL, NULL, &e)));
    CASE(tn_lcs_source_create, refused(tn_lcs_source_create(NULL, &odd, &e)));
    CASE(tn_lcs_source_coordinate_count, tn_lcs_source_coordinate_count(NULL) == 0);
    CASE(tn_lcs_source_input_count, tn_lcs_source_input_count(NULL) == 0);
    CASE(tn_lcs_source_coordinate_name, !tn_lcs_source_coordinate_name(NULL, 0));
    CASE(tn_lcs_source_read, refuses(tn_lcs_source_read(NULL, NULL, numbers, &e)));
    CASE(tn_lcs_source_write, refuses(tn_lcs_source_write(NULL, numbers, NULL, &e)));
    CASE(tn_lcs_source_linearize, refuses(tn_lcs_source_linearize(NULL, NULL, NULL, &lcs, &e)));
    CASE(tn_lcs_source_row, refuses(tn_lcs_source_row(NULL, 0, &row, &e)));
    CASE(tn_lcs_source_step, refuses(tn_lcs_source_step(NULL, NULL, NULL, 0, numbers, NULL, &e)));
    CASE(tn_recorder_plan, refuses(tn_recorder_plan(NULL, NULL, NULL, &e)));
    CASE(tn_recorder_plan_poses, refuses(tn_recorder_plan_poses(NULL, NULL, &e)));
    CASE(tn_mpc_poses, refuses(tn_mpc_poses(NULL, NULL, 0, numbers, &e)));
    tn_mpc_info info = {.n_inputs = 7};
    CASE(tn_mpc_get_info, (tn_mpc_get_info(NULL, &info), tn_mpc_get_info(NULL, NULL), info.n_inputs == 7));
    CASE(tn_mpc_create, refused(tn_mpc_create(NULL, &e)));
    CASE(tn_mpc_set_stop, (tn_mpc_set_stop(NULL, NULL, NULL), true));
    CASE(tn_mpc_solve, refuses(tn_mpc_solve(NULL, NULL, &e)));
    CASE(tn_mpc_hold, refuses(tn_mpc_hold(NULL, numbers, &e)));
    CASE(tn_mpc_input, !tn_mpc_input(NULL, NULL));
    CASE(tn_mpc_state, !tn_mpc_state(NULL, NULL, numbers));
    CASE(tn_mpc_plan, !tn_mpc_plan(NULL));
    CASE(tn_mpc_rows, !tn_mpc_rows(NULL));
    CASE(tn_mpc_destroy, (tn_mpc_destroy(NULL), true));
    CASE(tn_lcs_source_destroy, (tn_lcs_source_destroy(NULL), true));
}

static void test_views_and_summaries(void **unused)
{
    scenario s = scenario_open("%s", SCENE);
    tn_live *live = tn_live_start(s.model, s.sim, s.state, 0, &e);
    tn_live_command command;
    assert_non_null(live);
    CASE(tn_live_start, refused(tn_live_start(NULL, s.sim, s.state, 0, &e)));
    CASE(tn_live_start, refused(tn_live_start(s.model, NULL, s.state, 0, &e)));
    CASE(tn_live_start, refused(tn_live_start(s.model, s.sim, NULL, 0, &e)));
    CASE(tn_live_start, refused(tn_live_start(s.model, s.sim, s.state, -1, &e)));
    CASE(tn_live_stop, (tn_live_stop(NULL), true));
    CASE(tn_live_port, tn_live_port(NULL) == 0 && tn_live_port(live) > 0);
    CASE(tn_live_viewers, tn_live_viewers(NULL) == 0 && tn_live_viewers(live) == 0);
    CASE(tn_live_show, refuses(tn_live_show(NULL, s.state, NULL, &e)) && refuses(tn_live_show(live, NULL, NULL, &e)));
    CASE(tn_live_say, (tn_live_say(NULL, &(tn_live_news){.pace = 0.0}), tn_live_say(live, NULL), true));
    CASE(tn_live_say, (tn_live_say(live, &(tn_live_news){.state = (tn_live_state)77}), true));
    CASE(tn_live_next, !tn_live_next(NULL, &command) && !tn_live_next(live, NULL) && !tn_live_next(live, &command));
    tn_live_stop(live);

    tn_summary summary = {.n_steps = 7};
    tn_step_report step = {0};
    tn_summarizer *sums = tn_summarizer_create(NULL);
    CASE(tn_summarizer_create, sums);
    CASE(tn_summarizer_destroy, (tn_summarizer_destroy(NULL), true));
    CASE(tn_summarizer_start, refuses(tn_summarizer_start(NULL, s.state, &e)));
    CASE(tn_summarizer_start, refuses(tn_summarizer_start(sums, NULL, &e)));
    CASE(tn_summarizer_add, refuses(tn_summarizer_add(NULL, &step, &e)));
    CASE(tn_summarizer_add, refuses(tn_summarizer_add(sums, NULL, &e)) && tn_summarizer_add(sums, &step, &e) == TN_OK);
    CASE(tn_summarizer_finish, (tn_summarizer_finish(NULL, &summary), tn_summarizer_finish(sums, NULL), true));
    CASE(tn_summarizer_finish, summary.n_steps == 7);
    tn_summarizer_destroy(sums);
    CASE(tn_figure_name, !tn_figure_name(-1) && !tn_figure_name(TN_N_FIGURES));
    CASE(tn_figure_unit, !tn_figure_unit(-1) && !tn_figure_unit(TN_N_FIGURES));
    CASE(tn_figure_of, isnan(tn_figure_of(NULL, 0)) && isnan(tn_figure_of(&(tn_certificate){0}, -1)));
    scenario_close(&s);
}

static void test_the_others(void **unused)
{
    scenario s = scenario_open("%s", SCENE);
    tn_batch *batch = tn_batch_create(s.model, 2, 1, &e);
    double bad[2 * 6 * BODIES] = {[6 * BODIES] = NAN};
    CASE(tn_batch_create, refused(tn_batch_create(NULL, 1, 1, &e)) && refused(tn_batch_create(s.model, 0, 1, &e)));
    CASE(tn_batch_create, refused(tn_batch_create(s.model, 1, -1, &e)));
    CASE(tn_batch_destroy, (tn_batch_destroy(NULL), true));
    CASE(tn_batch_count, tn_batch_count(NULL) == 0);
    CASE(tn_batch_state, !tn_batch_state(NULL, 0) && !tn_batch_state(batch, -1) && !tn_batch_state(batch, 2));
    CASE(tn_batch_set, refuses(tn_batch_set(NULL, 0, NULL, &e)) && refuses(tn_batch_set(batch, 1, NULL, &e)));
    CASE(tn_batch_step, refuses(tn_batch_step(NULL, 1, NULL, NULL, NULL, &e)));
    CASE(tn_batch_step, refuses(tn_batch_step(batch, -1, NULL, NULL, NULL, &e)));
    CASE(tn_batch_step, refuses(tn_batch_step(batch, 1, &(tn_input){.wrench = bad}, NULL, NULL, &e)));
    CASE(tn_batch_get, (tn_batch_get(NULL, &(tn_batch_arrays){.pose = numbers}), tn_batch_get(batch, NULL), true));
    tn_batch_destroy(batch);

    CASE(tn_recorder_create, refused(tn_recorder_create(NULL, s.model, &e)));
    CASE(tn_recorder_create, refused(tn_recorder_create("/nowhere/at/all.h5", s.model, &e)));
    CASE(tn_recorder_append, refuses(tn_recorder_append(NULL, s.sim, s.state, NULL, &e)));
    CASE(tn_recorder_flush, tn_recorder_flush(NULL, &e) == TN_OK);
    CASE(tn_recorder_close, tn_recorder_close(NULL, &e) == TN_OK);

    tn_quantity q;
    CASE(tn_recording_open, refused(tn_recording_open(NULL, &e)) && refused(tn_recording_open("/nowhere.h5", &e)));
    CASE(tn_recording_set_watch, (tn_recording_set_watch(NULL, NULL, NULL), true));
    CASE(tn_recording_close, (tn_recording_close(NULL), true));
    CASE(tn_recording_frame_count, tn_recording_frame_count(NULL) == 0);
    CASE(tn_recording_frame_at, tn_recording_frame_at(NULL, 0.0) == -1);
    CASE(tn_recording_quantity_count, tn_recording_quantity_count(NULL) == 0);
    CASE(tn_recording_quantity, refuses(tn_recording_quantity(NULL, 0, &q, &e)));
    CASE(tn_recording_find, refuses(tn_recording_find(NULL, "time", &q, &e)));
    CASE(tn_recording_read, refuses(tn_recording_read(NULL, "time", 0, 1, numbers, &e)));
    CASE(tn_recording_export, refuses(tn_recording_export(NULL, TN_EXPORT_CSV, "/tmp/x", 1, NULL, &e)));
    tn_curve curve;
    const tn_note note = {"mine", "x", 0.0}, nameless = {NULL, "x", 0.0}, needed = {"format", "x", 0.0};
    CASE(tn_recording_skip_exit_cleanup, (tn_recording_skip_exit_cleanup(), true));
    CASE(tn_recording_title, !tn_recording_title(NULL)[0]);
    CASE(tn_recording_body_count, tn_recording_body_count(NULL) == 0);
    CASE(tn_recording_body_name, !tn_recording_body_name(NULL, 0));
    CASE(tn_recording_find_body, tn_recording_find_body(NULL, "box") == -1);
    CASE(tn_recording_find_curve, refuses(tn_recording_find_curve(NULL, "time", &curve, &e)));
    CASE(tn_recording_read_curve, refuses(tn_recording_read_curve(NULL, "time", numbers, &e)));
    CASE(tn_recording_note, refuses(tn_recording_note(NULL, 1, &note, &e)));
    CASE(tn_recording_note, tn_recording_note("/nowhere.h5", 1, &note, NULL) == TN_IO);
    CASE(tn_viewer_start, refused(tn_viewer_start(NULL, 1, 0, &e)));
    CASE(tn_viewer_stop, (tn_viewer_stop(NULL), true));
    CASE(tn_viewer_port, tn_viewer_port(NULL) == 0);
    const char path[] = "/tmp/tenon_api_abuse.h5";
    tn_recorder *recorder = tn_recorder_create(path, s.model, &e);
    assert_non_null(recorder);
    assert_int_equal(tn_recorder_append(recorder, s.sim, s.state, NULL, &e), TN_OK);
    assert_int_equal(tn_recorder_close(recorder, &e), TN_OK);
    CASE(tn_recording_note, refuses(tn_recording_note(path, -1, &note, &e)));
    CASE(tn_recording_note, refuses(tn_recording_note(path, 1, NULL, &e)));
    CASE(tn_recording_note, refuses(tn_recording_note(path, 1, &nameless, &e)));
    CASE(tn_recording_note, refuses(tn_recording_note(path, 1, &needed, &e)));
    tn_recording *r = tn_recording_open(path, &e);
    assert_non_null(r);
    CASE(tn_recording_body_name, !tn_recording_body_name(r, -1) && !tn_recording_body_name(r, FAR));
    CASE(tn_recording_find_body, tn_recording_find_body(r, NULL) == -1);
    CASE(tn_recording_find_curve, refuses(tn_recording_find_curve(r, NULL, &curve, &e)));
    CASE(tn_recording_find_curve, refuses(tn_recording_find_curve(r, "time", NULL, &e)));
    CASE(tn_recording_find_curve, refuses(tn_recording_find_curve(r, "body:", &curve, &e)));
    CASE(tn_recording_find_curve, refuses(tn_recording_find_curve(r, "poses", &curve, &e)));
    CASE(tn_recording_read_curve, refuses(tn_recording_read_curve(r, "nothing", numbers, &e)));
    CASE(tn_recording_read_curve, refuses(tn_recording_read_curve(r, "time", NULL, &e)));
    CASE(tn_viewer_start, refused(tn_viewer_start(r, 0, 0, &e)) && refused(tn_viewer_start(r, 1, 1 << 16, &e)));
    CASE(tn_recording_frame_at, tn_recording_frame_at(r, NAN) == -1);
    CASE(tn_recording_quantity, refuses(tn_recording_quantity(r, -1, &q, &e)));
    CASE(tn_recording_quantity, refuses(tn_recording_quantity(r, FAR, &q, &e)));
    CASE(tn_recording_quantity, refuses(tn_recording_quantity(r, 0, NULL, &e)));
    CASE(tn_recording_find, refuses(tn_recording_find(r, "nothing", &q, &e)));
    CASE(tn_recording_find, refuses(tn_recording_find(r, NULL, &q, &e)));
    CASE(tn_recording_read, refuses(tn_recording_read(r, "time", 0, 2, numbers, &e)));
    CASE(tn_recording_read, refuses(tn_recording_read(r, "time", -1, 1, numbers, &e)));
    CASE(tn_recording_read, refuses(tn_recording_read(r, "time", 0, 1, NULL, &e)));
    CASE(tn_recording_export, refuses(tn_recording_export(r, TN_EXPORT_CSV, NULL, 1, NULL, &e)));
    CASE(tn_recording_export, refuses(tn_recording_export(r, TN_EXPORT_CSV, "/tmp/x", 0, NULL, &e)));
    CASE(tn_recording_export, refuses(tn_recording_export(r, (tn_export_format)77, "/tmp/x", 1, NULL, &e)));
    CASE(tn_report_write, refuses(tn_report_write(1, NULL, "/tmp/x.html", NULL, &e)));
    CASE(tn_report_write, refuses(tn_report_write(0, (const tn_recording *[]){r}, "/tmp/x.html", NULL, &e)));
    CASE(tn_report_write, refuses(tn_report_write(2, (const tn_recording *[]){r, NULL}, "/tmp/x.html", NULL, &e)));
    CASE(tn_report_write, refuses(tn_report_write(1, (const tn_recording *[]){r}, NULL, NULL, &e)));
    CASE(tn_report_write_tables, refuses(tn_report_write_tables(NULL, "/tmp/x.html", NULL, &e)));
    CASE(tn_report_write_tables, refuses(tn_report_write_tables("{}", NULL, NULL, &e)));
    tn_recording_close(r);
    remove(path);

    tn_solve_options options = tn_solve_options_default();
    tn_solution solution = {0};
    tn_solve_report report;
    CASE(tn_solve_options_default, options.max_iterations > 0);
    scenario_step(&s);
    const tn_problem *problem = tn_sim_problem(s.sim, NULL);
    CASE(tn_problem_solve, refuses(tn_problem_solve(NULL, "auto", &options, &solution, &report, &e)));
    CASE(tn_problem_solve, refuses(tn_problem_solve(problem, NULL, &options, &solution, &report, &e)));
    CASE(tn_problem_solve, refuses(tn_problem_solve(problem, "none", &options, &solution, &report, &e)));
    CASE(tn_problem_solve, refuses(tn_problem_solve(problem, "auto", &options, NULL, &report, &e)));
    CASE(tn_problem_solve, refuses(tn_problem_solve(problem, "auto", NULL, &solution, NULL, &e))); // no room
    CASE(tn_problem_solve, refuses(tn_problem_solve(&(tn_problem){0}, "auto", &options, &solution, &report, &e)));

    tn_certificate certificate;
    tn_stored_info info = {.dimension = 7};
    CASE(tn_stored_problem_read, refused(tn_stored_problem_read(NULL, &e)));
    CASE(tn_stored_problem_read, refused(tn_stored_problem_read("/nowhere.hdf5", &e)));
    CASE(tn_stored_problem_copy, refused(tn_stored_problem_copy(NULL, &e)));
    CASE(tn_stored_problem_copy, refused(tn_stored_problem_copy(&(tn_problem){0}, &e)));
    CASE(tn_stored_problem_destroy, (tn_stored_problem_destroy(NULL), true));
    CASE(tn_stored_problem_get, !tn_stored_problem_get(NULL));
    CASE(tn_stored_problem_info, (tn_stored_problem_info(NULL, &info), info.dimension == 7));
    CASE(tn_stored_problem_write_check, refuses(tn_stored_problem_write_check(NULL, &e)));
    CASE(tn_stored_problem_write, refuses(tn_stored_problem_write(NULL, "/tmp/x.hdf5", NULL, NULL, &e)));
    tn_stored_problem *stored = tn_stored_problem_copy(problem, &e);
    assert_non_null(stored);
    CASE(tn_stored_problem_info, (tn_stored_problem_info(stored, NULL), true));
    CASE(tn_stored_problem_set_law, refuses(tn_stored_problem_set_law(NULL, TN_LAW_CONVEX, 0, &e)));
    CASE(tn_stored_problem_set_law, refuses(tn_stored_problem_set_law(stored, (tn_law)7, 0, &e)));
    CASE(tn_stored_problem_set_law, refuses(tn_stored_problem_set_law(stored, TN_LAW_CONVEX, 7, &e)));
    CASE(tn_stored_problem_write, refuses(tn_stored_problem_write(stored, NULL, NULL, NULL, &e)));
    CASE(tn_stored_problem_write, refuses(tn_stored_problem_write(stored, "/tmp/x.hdf5", NULL, &solution, &e)));
    tn_stored_problem_destroy(stored);
    CASE(tn_problem_certify, refuses(tn_problem_certify(NULL, &solution, &certificate, &e)));
    CASE(tn_problem_certify, refuses(tn_problem_certify(problem, NULL, &certificate, &e)));
    CASE(tn_problem_certify, refuses(tn_problem_certify(problem, &solution, NULL, &e)));
    CASE(tn_problem_certify, refuses(tn_problem_certify(problem, &solution, &certificate, &e))); // no arrays
    CASE(tn_problem_certify, refuses(tn_problem_certify(&(tn_problem){0}, &solution, &certificate, &e)));
    CASE(tn_solver_name, tn_solver_name(0) && !tn_solver_name(-1) && !tn_solver_name(FAR));
    CASE(tn_solver_summary, tn_solver_summary(0) && !tn_solver_summary(-1) && !tn_solver_summary(FAR));
    print_message("%d cases\n", cases);
    scenario_close(&s);
}

// What several threads may share, a model and a query of a state, is asked by all at once, with right and with wrong
// arguments, while each steps a state of its own.
enum { THREADS = 4, ROUNDS = 40 };
typedef struct shared {
    const tn_model *model;
    const tn_query *query;
    uint64_t hash; // of the thread's state at the end
    int refusals;
} shared;

static void *ask(void *context)
{
    shared *s = context;
    tn_error error = {0};
    tn_state *state = tn_state_create(s->model, &error);
    tn_sim *sim = tn_sim_create(s->model, &error);
    const double from[3] = {0.0, 0.0, 5.0}, down[3] = {0.0, 0.0, -1.0}, bad[6 * BODIES] = {[7] = NAN};
    for (int k = 0; state && sim && k < ROUNDS; k++) {
        tn_nearest near;
        int body, pairs[64], n;
        double pose[7 * BODIES];
        const tn_ray_results hit = {.body = &body};
        s->refusals += tn_sim_step(sim, &(tn_input){.wrench = bad}, state, NULL, &error) == TN_BAD_INPUT;
        s->refusals += tn_query_distance(s->query, 1, FAR, 1.0, &near, &error) == TN_BAD_INPUT;
        s->refusals += tn_query_rays(s->query, 1, bad + 6, down, NULL, &hit, &error) == TN_BAD_INPUT;
        s->refusals += !tn_model_body_name(s->model, FAR);
        s->refusals += tn_query_distance(s->query, 1, 2, 9.0, &near, &error) != TN_OK;
        s->refusals += tn_query_rays(s->query, 1, from, down, NULL, &hit, &error) != TN_OK;
        s->refusals += tn_query_pairs(s->query, 0.1, 32, pairs, &n, &error) != TN_OK;
        s->refusals += tn_sim_step(sim, NULL, state, NULL, &error) != TN_OK;
        tn_state_get_bodies(state, pose, NULL);
    }
    s->hash = tn_state_hash(state);
    tn_sim_destroy(sim);
    tn_state_destroy(state);
    return NULL;
}

static void test_threads(void **unused)
{
    scenario s = scenario_open("%s", SCENE);
    tn_query *query = tn_query_create(s.model, &e);
    assert_int_equal(tn_query_update(query, s.state, &e), TN_OK);
    pthread_t thread[THREADS];
    shared all[THREADS];
    for (int k = 0; k < THREADS; k++) {
        all[k] = (shared){.model = s.model, .query = query};
        assert_int_equal(pthread_create(&thread[k], NULL, ask, &all[k]), 0);
    }
    for (int k = 0; k < THREADS; k++) {
        pthread_join(thread[k], NULL);
        assert_int_equal(all[k].refusals, 4 * ROUNDS);
        assert_true(all[k].hash != 0 && all[k].hash == all[0].hash);
    }
    tn_query_destroy(query);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors_and_scenes),
        cmocka_unit_test(test_models),
        cmocka_unit_test(test_states),
        cmocka_unit_test(test_sims),
        cmocka_unit_test(test_queries),
        cmocka_unit_test(test_sensors),
        cmocka_unit_test(test_derivatives),
        cmocka_unit_test(test_dynamics),
        cmocka_unit_test(test_plans),
        cmocka_unit_test(test_lcs_source),
        cmocka_unit_test(test_views_and_summaries),
        cmocka_unit_test(test_the_others),
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
