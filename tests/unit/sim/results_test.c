// Results as arrays: the same as one by one; what of contacts sticks, slides, is open; stress and strain.
#include "scenario.h"

#include <string.h>

static const char TRIO[] = // on a tilted plane: one sticks, one slides, one falls onto it
    "gravity: [2, 0, -9.81]\nstep: 2 ms\n%s\nmaterials: {m: {density: 500, friction: 0.5}, ice: {density: 500, "
    "friction: "
    "0.01}}\npairs: [{materials: [m, ice], friction: 0.1}]\n"
    "defaults: {body: {material: m}}\n"
    "bodies:\n"
    "  floor: {fixed: true, shape: {plane: {}}}\n"
    "  holds: {position: [0, 0, 0.1], shape: {box: [0.2, 0.2, 0.2]}}\n"
    "  slides: {position: [0, 1, 0.1], material: ice, shape: {box: [0.2, 0.2, 0.2]}}\n"
    "  near: {position: [0, 2, 0.1002], velocity: [0, 0, 1], shape: {box: [0.2, 0.2, 0.2]}}\n";

static void test_conditions(void **unused)
{
    static const char *const options[] = {"", "scheme: midpoint", "solver: {name: ipm}", "solver: {facets: 8}",
                                          "law: convex"};
    for (int o = 0; o < 5; o++) {
        scenario s = scenario_open(TRIO, options[o]);
        scenario_run(&s, 0.004);
        int n = tn_sim_contact_count(s.sim), seen[3] = {0};
        for (int i = 0; i < n; i++) {
            tn_contact_info c;
            tn_sim_contact(s.sim, i, &c);
            const char *name = tn_model_body_name(s.model, c.body_b);
            tn_contact_condition wanted = name[0] == 'h'   ? TN_CONTACT_STUCK
                                          : name[0] == 's' ? TN_CONTACT_SLIDING
                                                           : TN_CONTACT_OPEN;
            // Of four corners a vertex of the polyhedral law's solutions may leave one without a force.
            wanted = c.force[2] < 1e-9 ? TN_CONTACT_OPEN : wanted;
            if (c.condition != wanted) {
                print_message("%s: %s, force %g %g %g, velocity %g %g %g, gap %g\n", options[o], name, c.force[0],
                              c.force[1], c.force[2], c.velocity[0], c.velocity[1], c.velocity[2], c.gap);
            }
            assert_int_equal(c.condition, wanted);
            seen[wanted]++;
        }
        print_message("%s: %d open, %d stuck, %d sliding\n", options[o], seen[0], seen[1], seen[2]);
        assert_true(seen[1] >= 3 && seen[2] >= 3);
        scenario_close(&s);
    }
}

// Without friction nothing sticks.
static void test_frictionless(void **unused)
{
    scenario s = scenario_open("law: frictionless\nbodies: {floor: {fixed: true, shape: {plane: {}}}, "
                               "box: {position: [0, 0, 0.1], shape: {box: [0.2, 0.2, 0.2]}}}\n");
    scenario_step(&s);
    for (int i = 0; i < tn_sim_contact_count(s.sim); i++) {
        tn_contact_info c;
        tn_sim_contact(s.sim, i, &c);
        assert_int_equal(c.condition, TN_CONTACT_SLIDING);
    }
    scenario_close(&s);
}

enum { MOST = 64 };

// All of them in arrays are what each is alone; force (MOST, 3) receives the forces.
static int check_arrays(const scenario *s, double force[MOST][3])
{
    static int bodies[MOST][2], condition[MOST];
    static unsigned feature[MOST];
    static double point[MOST][3], normal[MOST][3], gap[MOST], velocity[MOST][3], patch[MOST][2][3];
    const tn_contact_results all = {bodies[0], condition, feature,     point[0],   normal[0],
                                    gap,       force[0],  velocity[0], patch[0][0]};
    int n = tn_sim_contact_count(s->sim);
    assert_true(n < MOST);
    assert_int_equal(tn_sim_get_contacts(s->sim, 0, MOST, &all), n);
    for (int i = 0; i < n; i++) {
        tn_contact_info c;
        tn_sim_contact(s->sim, i, &c);
        assert_int_equal(bodies[i][0], c.body_a);
        assert_int_equal(bodies[i][1], c.body_b);
        assert_int_equal(condition[i], c.condition);
        assert_int_equal(feature[i], c.feature);
        assert_memory_equal(point[i], c.point, sizeof c.point);
        assert_memory_equal(normal[i], c.normal, sizeof c.normal);
        assert_memory_equal(&gap[i], &c.gap, sizeof c.gap);
        assert_memory_equal(force[i], c.force, sizeof c.force);
        assert_memory_equal(velocity[i], c.velocity, sizeof c.velocity);
        assert_memory_equal(patch[i], c.patch, sizeof c.patch);
    }
    return n;
}

static void test_contacts(void **unused)
{
    static double force[MOST][3];
    scenario s = scenario_open(TRIO, "");
    scenario_run(&s, 0.01);
    int n = check_arrays(&s, force);
    assert_true(n >= 8);
    // Some of them, and no more than there are.
    double two[2][3];
    assert_int_equal(tn_sim_get_contacts(s.sim, 3, 2, &(tn_contact_results){.force = two[0]}), 2);
    assert_memory_equal(two, force[3], sizeof two);
    assert_int_equal(tn_sim_get_contacts(s.sim, n - 1, 2, &(tn_contact_results){.force = two[0]}), 1);
    assert_int_equal(tn_sim_get_contacts(s.sim, n + 1, 2, &(tn_contact_results){.force = two[0]}), 0);
    scenario_close(&s);
}

static void test_joints(void **unused)
{
    scenario s = scenario_open(
        "bodies: {arm: {position: [0.5, 0, 0], shape: {box: [1, 0.1, 0.1]}}, "
        "hand: {position: [1.2, 0, 0], shape: {box: [0.4, 0.1, 0.1]}}}\n"
        "joints: {shoulder: {type: revolute, b: arm, anchor: [0, 0, 0], axis: [0, 1, 0], turn: {friction: 1}},\n"
        "  wrist: {type: cylindrical, a: arm, b: hand, anchor: [1, 0, 0], axis: [1, 0, 0], turn: {stiffness: 2}}}\n");
    scenario_run(&s, 0.1);
    double point[2][3], force[2][3], torque[2][3], violation[2][2], effort[3], motor[3];
    int condition[3], at = 0;
    tn_sim_get_joints(s.sim, s.state,
                      &(tn_joint_results){point[0], force[0], torque[0], violation[0], effort, motor, condition});
    for (int j = 0; j < 2; j++) {
        tn_joint_info info;
        tn_sim_joint(s.sim, s.state, j, &info);
        assert_memory_equal(point[j], info.point, sizeof info.point);
        assert_memory_equal(force[j], info.force, sizeof info.force);
        assert_memory_equal(torque[j], info.torque, sizeof info.torque);
        assert_memory_equal(violation[j], info.violation, sizeof info.violation);
        for (int k = 0; k < j + 1; k++, at++) {
            assert_memory_equal(&effort[at], &info.effort[k], sizeof *effort);
            assert_memory_equal(&motor[at], &info.motor[k], sizeof *motor);
            assert_int_equal(condition[at], info.condition[k]);
        }
    }
    tn_sim_get_joints(s.sim, s.state, &(tn_joint_results){0}); // nothing wanted, nothing written
    scenario_close(&s);
}

// A mat sheared and turned: the strain is that of its own axes, turned along; of two materials.
static void test_stress(void **unused)
{
    scenario s =
        scenario_open("soft:\n  first: {grid: {size: [0.2, 0.2, 0.1], divisions: [1, 1, 1]}, young: 10 Pa}\n"
                      "  mat: {grid: {size: [0.2, 0.3, 0.1], divisions: [2, 2, 1]}, young: 1 kPa, poisson: 0.3}\n");
    enum { NODES = 8 + 18 };
    double x[NODES][3], stress[MOST][6], strain[MOST][6], turn = 0.7, c = cos(turn), d = sin(turn), shear = 1e-4;
    int mat = tn_model_find_body(s.model, "mat"), n = tn_model_element_count(s.model, mat),
        first = tn_model_first_element(s.model, mat);
    assert_int_equal(first, tn_model_element_count(s.model, mat - 1));
    assert_int_equal(first + n, tn_model_element_total(s.model));
    assert_true(tn_model_elements(s.model)[4 * first] >= tn_model_first_node(s.model, mat));
    tn_state_get_nodes(s.state, x[0], NULL);
    for (int i = tn_model_first_node(s.model, mat); i < NODES; i++) {
        double y[3] = {x[i][0] + shear * x[i][1], x[i][1] + shear * x[i][0], x[i][2]}; // e_xy = shear
        x[i][0] = c * y[0] - d * y[1], x[i][1] = d * y[0] + c * y[1];
    }
    tn_error error = {0};
    assert_int_equal(tn_state_set_nodes(s.state, x[0], NULL, &error), TN_OK);
    assert_int_equal(tn_state_get_elements(s.state, stress[0], strain[0], &error), TN_OK);
    double G = 1000.0 / 2.6, worst[2] = {0.0, 0.0}, e = shear * sin(2 * turn), f = shear * cos(2 * turn);
    const double wanted[6] = {-e, e, 0.0, 0.0, 0.0, f};
    for (int t = first; t < first + n; t++) {
        for (int k = 0; k < 6; k++) {
            worst[0] = fmax(worst[0], fabs(strain[t][k] - wanted[k]));
            worst[1] = fmax(worst[1], fabs(stress[t][k] - 2.0 * G * wanted[k]));
        }
    }
    check_below("strain off", worst[0], 1e-13); // rounding of places over edges
    check_below("stress off [Pa]", worst[1], 1e-10);
    check_near("the other's stress [Pa]", stress[0][0], 0.0, 1e-13);
    scenario_close(&s);
}

// A sleeping box's four contacts come behind those of one that slides.
static void test_asleep(void **unused)
{
    static double force[MOST][3];
    scenario s = scenario_open("sleep: {after: 0.1 s}\nbodies:\n  floor: {fixed: true, shape: {plane: {}}}\n"
                               "  slides: {position: [0, 0, 0.1], velocity: [9, 0, 0], shape: {box: [0.2, 0.2, 0.2]}}\n"
                               "  rests: {position: [0, 1, 0.1], mass: 3, shape: {box: [0.2, 0.2, 0.2]}}\n");
    scenario_run(&s, 0.3);
    assert_int_equal(s.report.n_asleep, 1);
    int first = check_arrays(&s, force) - 4;
    assert_true(first >= 1);
    double two[2][3];
    assert_int_equal(tn_sim_get_contacts(s.sim, first - 1, 2, &(tn_contact_results){.force = two[0]}), 2);
    assert_memory_equal(two, force[first - 1], sizeof two);
    double brake = 0.0, held = 0.0;
    for (int i = 0; i < first + 4; i++) {
        *(i < first ? &brake : &held) += force[i][0];
    }
    print_message("friction on the one that slides %g N, on the one asleep %g N\n", brake, held);
    assert_true(brake < -1.0 && fabs(held) < 1e-9);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_conditions), cmocka_unit_test(test_frictionless), cmocka_unit_test(test_contacts),
        cmocka_unit_test(test_asleep),     cmocka_unit_test(test_joints),       cmocka_unit_test(test_stress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
