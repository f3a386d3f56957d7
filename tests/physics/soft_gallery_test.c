// Every scene of scenes/ opens and steps; the soft ones do what they are there for.
#include "gallery.h"

#include <dirent.h>
#include <string.h>

// A slab of a million degrees of freedom is for benches: here with fewer cells.
static int few_steps(const char *scene)
{
    bool slab = strcmp(scene, "soft/slab.yaml") == 0;
    const char *set[1] = {"soft.slab.grid.divisions=[20, 20, 2]"};
    scenario s = gallery_open(scene, slab ? 1 : 0, set);
    scenario_steps(&s, 3);
    double momentum = s.report.solve.certificate.momentum;
    print_message("%-28s momentum residual %.1e after 3 steps, limit 1e-2\n", scene, momentum);
    scenario_close(&s);
    return momentum <= 1e-2 ? 0 : 1; // finite, and not nonsense: 500 iterations need not do more in an impact
}

static void test_every_scene_steps(void **state)
{
    static const char *const folders[3] = {"rigid", "cond", "soft"};
    int scenes = 0, wrong = 0;
    for (int i = 0; i < 3; i++) {
        char path[4096], scene[600];
        snprintf(path, sizeof path, "%s/scenes/%s", TENON_SOURCE_DIR, folders[i]);
        DIR *folder = opendir(path);
        assert_non_null(folder);
        for (struct dirent *entry; (entry = readdir(folder));) {
            if (strstr(entry->d_name, ".yaml")) {
                snprintf(scene, sizeof scene, "%s/%s", folders[i], entry->d_name);
                wrong += few_steps(scene);
                scenes++;
            }
        }
        closedir(folder);
    }
    print_message("%d scenes, %d with a residual above the limit\n", scenes, wrong);
    assert_true(scenes >= 20);
    assert_int_equal(wrong, 0);
}

// The greatest energy [J] above the start's plus what hands and pulls brought in.
static double energy_gain(const scenario *s, double start)
{
    const tn_energy *e = &s->report.energy;
    return e->kinetic + e->gravity + e->elastic - e->injected - start;
}

// Gripped, lifted by `lift`, and held: at the end at the height that the hands bring it to, hardly moving.
static void check_lifted(const char *scene, const char *body, int n_set, const char *const *set, double lift,
                         double duration)
{
    scenario s = gallery_open(scene, n_set, set);
    int held = scenario_body(&s, body);
    double low = scenario_position(&s, held, 2);
    scenario_run(&s, duration);
    double rise = scenario_position(&s, held, 2) - low;
    print_message("%s: '%s' rises by %.1f mm of %.1f, must be 95 %% (what soft fingers may give way)\n", scene, body,
                  1e3 * rise, 1e3 * lift);
    assert_true(rise > 0.95 * lift && rise < 1.05 * lift);
    check_below("its speed at the end [m/s]", fabs(scenario_velocity(&s, held, 2)), 0.01);
    scenario_close(&s);
}

static void test_grippers_hold(void **state)
{
    // Cells twice as large: an eighth of the time.
    const char *coarse[1] = {"defaults.soft.finger.divisions=[3, 4, 19]"};
    check_lifted("cond/soft_gripper.yaml", "object", 1, coarse, 0.08, 1.5);
    check_lifted("cond/soft_ball.yaml", "ball", 0, NULL, 0.1, 1.5);
    check_lifted("soft/finger_pinch.yaml", "ball", 0, NULL, 0.08, 1.5);
}

// Down four stairs to the floor, where the contacts carry the weight.
static void test_cube_comes_down_the_stairs(void **state)
{
    scenario s = gallery_open("soft/stairs.yaml", 0, NULL);
    double start = 0.0, gain = -1.0;
    while (tn_state_time(s.state) < 2.5 - 1e-6) {
        scenario_step(&s);
        start = start == 0.0 ? s.report.energy.kinetic + s.report.energy.gravity + s.report.energy.elastic : start;
        gain = fmax(gain, energy_gain(&s, start));
    }
    check_below("stairs: energy gain over the start, relative", gain / start, 1e-6);
    check_near("stairs: height of the cube's center [m], 2 % sag", scenario_position(&s, scenario_body(&s, "cube"), 2),
               0.05, 1e-3);
    double force[3];
    scenario_force(&s, scenario_body(&s, "floor"), scenario_body(&s, "cube"), force);
    check_near("stairs: contact forces on the cube at rest [N], m g", force[2], 9.81, 1e-3);
    scenario_close(&s);
}

// The upper layer lies on the lower one, which no node of it has passed.
static void test_sheet_lies_on_itself(void **state)
{
    scenario s = gallery_open("soft/folded_sheet.yaml", 0, NULL);
    scenario_run(&s, 2.0);
    int sheet = scenario_body(&s, "sheet"), own = 0;
    for (int m = 0; m < tn_sim_contact_count(s.sim); m++) {
        tn_contact_info contact;
        tn_sim_contact(s.sim, m, &contact);
        own += contact.body_a == sheet && contact.body_b == sheet && contact.force[2] != 0.0;
    }
    print_message("folded sheet: %d contacts with itself that carry force, must be 5\n", own);
    assert_true(own >= 5);
    check_below("folded sheet: penetration [m]", s.report.solve.certificate.penetration, 1e-6);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_scene_steps),
        cmocka_unit_test(test_grippers_hold),
        cmocka_unit_test(test_cube_comes_down_the_stairs),
        cmocka_unit_test(test_sheet_lies_on_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
