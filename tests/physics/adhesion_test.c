// Contacts that pull: a magnet holds its pull and lets go at it, and friction under it is bounded by f_n + a.
#include "scenario.h"

// The block weighs 1 kg; the pull of its four contact points is given in all.
static const char *const BLOCK =
    "step: 10 ms\n"
    "scheme: %s\n"
    "solver: {name: %s, max_iterations: 10000, tolerance: {momentum: 1e-10, natural: 1e-10}}\n"
    "materials: {steel: {density: 1000, friction: 0.5}, magnet: {density: 1000, friction: 0.5}}\n"
    "pairs: [{materials: [steel, magnet], adhesion: %.17g N}]\n"
    "bodies:\n"
    "  support: {fixed: true, position: %s, shape: {box: {size: [1, 1, 1]}, material: steel}}\n"
    "  block: {position: [0.05, 0, -0.05], shape: {box: {size: [0.1, 0.1, 0.1]}, material: magnet}%s}\n";
static const char *const CEILING = "[0.05, 0, 0.5]", *const WALL = "[-0.5, 0, 0]";

static const char *const SCHEMES[] = {"euler", "midpoint", "implicit"};
static const char *const SOLVERS[] = {"auto", "pgs", "newton", "ipm", "cond"};

static void holds_its_pull_and_lets_go(void **state)
{
    for (int i = 0; i < 3; i++) {
        scenario s = scenario_open(BLOCK, SCHEMES[i], "auto", 9.81 * (1.0 + 1e-6), CEILING, "");
        int block = scenario_body(&s, "block");
        double off = 0.0;
        for (int k = 0; k < 100; k++) {
            scenario_step(&s);
            off = fmax(off, fabs(scenario_position(&s, block, 2) + 0.05));
        }
        printf("%s, pull above the weight: ", SCHEMES[i]);
        check_below("moved by [m]", off, 1e-12);
        scenario_close(&s);

        s = scenario_open(BLOCK, SCHEMES[i], "auto", 9.81 * (1.0 - 1e-6), CEILING, "");
        block = scenario_body(&s, "block");
        scenario_steps(&s, 100);
        printf("%s, pull below the weight: ", SCHEMES[i]);
        assert_true(scenario_position(&s, block, 2) < -0.05 - 1e-6); // gone: midpoint by what is left of its weight
        scenario_close(&s);
    }
}

// A force that grows by 10 N/s beyond the weight: it lets go in the step whose mean force exceeds the pull.
static void lets_go_at_the_pull(void **state)
{
    scenario s = scenario_open(BLOCK, "euler", "auto", 20.0, CEILING, ", force: [0, 0, \"-10 * t\"]");
    int block = scenario_body(&s, "block"), gone = 0;
    for (int k = 1; k <= 200 && !gone; k++) {
        scenario_step(&s);
        gone = scenario_velocity(&s, block, 2) < -1e-9 ? k : 0;
    }
    double at = (20.0 - 9.81) / 10.0;
    printf("lets go in step %d, the pull is reached at %.4f s\n", gone, at);
    check_near("time when it lets go [s]", 0.01 * gone, at, 0.0101);
    scenario_close(&s);
}

// On a wall nothing presses but the magnet: it sticks below mu a, and above it slides with g - mu a / m.
static void friction_grows_with_the_pull(void **state)
{
    for (int i = 0; i < 5; i++) {
        scenario s = scenario_open(BLOCK, "euler", SOLVERS[i], 19.62 * (1.0 + 1e-3), WALL, "");
        int block = scenario_body(&s, "block");
        scenario_steps(&s, 50);
        printf("%s, mu a above the weight: ", SOLVERS[i]);
        check_below("slid by [m]", fabs(scenario_position(&s, block, 2) + 0.05), 1e-9);
        scenario_close(&s);

        s = scenario_open(BLOCK, "euler", SOLVERS[i], 19.0, WALL, "");
        block = scenario_body(&s, "block");
        scenario_steps(&s, 50);
        printf("%s, mu a below the weight: ", SOLVERS[i]);
        check_near("velocity [m/s]", scenario_velocity(&s, block, 2), -0.5 * (9.81 - 9.5), 1e-8);
        scenario_close(&s);
    }
}

static int count_of(const scenario *s, tn_contact_condition wanted)
{
    int condition[16], found = 0, n = tn_sim_get_contacts(s->sim, 0, 16, &(tn_contact_results){.condition = condition});
    for (int i = 0; i < n; i++) {
        found += condition[i] == (int)wanted;
    }
    return found;
}

// What hangs from a magnet, and what its friction alone holds on a wall, sticks though nothing presses.
static void conditions_count_the_pull(void **state)
{
    const struct {
        double pull;
        const char *place;
        tn_contact_condition wanted;
    } cases[] = {{20.0, CEILING, TN_CONTACT_STUCK}, {20.0, WALL, TN_CONTACT_STUCK}, {19.0, WALL, TN_CONTACT_SLIDING}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        scenario s = scenario_open(BLOCK, "euler", "auto", cases[i].pull, cases[i].place, "");
        scenario_steps(&s, 5);
        assert_int_equal(count_of(&s, cases[i].wanted), 4);
        scenario_close(&s);
    }
}

// Two blocks that spin as one, pulled by far less than they bear: the step's tangents lead apart what goes round.
static void holds_what_spins(void **state)
{
    scenario s =
        scenario_open("step: 10 ms\ngravity: [0, 0, 0]\nmaterials: {glue: {friction: 0.9}}\n"
                      "pairs: [{materials: [glue, glue], adhesion: 500 N}]\n"
                      "defaults: {body: {material: glue, mass: 1}, shape: {box: [0.2, 0.2, 0.2]}}\nbodies:\n"
                      "  a: {position: [-0.1, 0, 0], velocity: [0, -0.5, 0], angular_velocity: [0, 0, 5], shape: {}}\n"
                      "  b: {position: [0.1, 0, 0], velocity: [0, 0.5, 0], angular_velocity: [0, 0, 5], shape: {}, "
                      "force: [20, 0, 0]}\n");
    int a = scenario_body(&s, "a"), b = scenario_body(&s, "b");
    scenario_steps(&s, 100);
    double x = scenario_position(&s, b, 0) - scenario_position(&s, a, 0);
    check_near("distance of their centres after 1 s [m]",
               hypot(x, scenario_position(&s, b, 1) - scenario_position(&s, a, 1)), 0.2,
               1e-4); // they let go in the first step
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(holds_its_pull_and_lets_go), cmocka_unit_test(holds_what_spins),
        cmocka_unit_test(lets_go_at_the_pull),        cmocka_unit_test(friction_grows_with_the_pull),
        cmocka_unit_test(conditions_count_the_pull),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
