// The gliding artefact of the convex law, through every solver of the convex law, and none under the strict law,
// through every solver of that: case R09 of the validation list, and 30's outer fixed point for apgd and ipm.
#include "scenario.h"

static const double H = 1e-3, MU = 0.5, SPEED = 5.0, HALF = 0.25;

static const char *const BOX =
    "gravity: [0, 0, -9.81]\n"
    "step: %g\n"
    "law: %s\n"
    "gap: full\n"
    "solver: {name: %s, tolerance: {momentum: 1e-9, natural: 1e-9}}\n"
    "materials: {rough: {density: 8, friction: 0.5}}\n"
    "defaults: {body: {material: rough}}\n"
    "bodies:\n"
    "  floor: {fixed: true, shape: {plane: {}}}\n"
    "  box: {position: [0, 0, %.17g], velocity: [%g, 0, 0], shape: {box: {size: [0.5, 0.5, 0.5]}}}\n";

static const char *const SOLVERS[] = {"auto", "ipm", "apgd", "newton", "pgs", "ccs", "cond"};
enum { N_SOLVERS = sizeof SOLVERS / sizeof SOLVERS[0] };

// Started at mu |v| h it stays there: phi / h + u_n = mu |u_t| step after step is gap = mu |v| h with the new velocity.
static void glide(const char *solver, double h)
{
    scenario s = scenario_open(BOX, h, "convex", solver, HALF + MU * SPEED * h, SPEED);
    int box = scenario_body(&s, "box");
    double worst = 0.0;
    for (int k = 0; k < 200; k++) {
        scenario_step(&s);
        double gap = scenario_position(&s, box, 2) - HALF;
        worst = fmax(worst, fabs(gap / (MU * scenario_velocity(&s, box, 0) * h) - 1.0));
    }
    print_message("solver %s, step %g s\n", solver, h);
    check_below("convex law: gap / (mu |v| h) off 1", worst, 0.01);
    check_below("natural map", s.worst_natural, 1e-9);
    scenario_close(&s);
}

static void test_convex_law_glides(void **state)
{
    for (int i = 0; i < N_SOLVERS; i++) {
        glide(SOLVERS[i], H);
        glide(SOLVERS[i], 0.5 * H);
    }
}

// On the floor it stays there, and slows down by mu g; let go at mu |v| h it falls.
static void test_strict_law_does_not(void **state)
{
    for (int i = 0; i < N_SOLVERS; i++) {
        for (int high = 0; high < 2; high++) {
            scenario s = scenario_open(BOX, H, "coulomb", SOLVERS[i], HALF + high * MU * SPEED * H, SPEED);
            int box = scenario_body(&s, "box");
            double worst = 0.0;
            for (int k = 1; k <= 200; k++) {
                scenario_step(&s);
                bool landed = !high || k > 40; // falls 2.5 mm in 23 steps
                worst = landed ? fmax(worst, fabs(scenario_position(&s, box, 2) - HALF)) : worst;
            }
            print_message("solver %s, %s\n", SOLVERS[i], high ? "let go at mu |v| h" : "started on the floor");
            check_below("strict law: gap [m]", worst, 1e-8);
            if (!high) {
                check_near("strict law: v0 - mu g t [m/s]", scenario_velocity(&s, box, 0), SPEED - MU * GRAVITY * 0.2,
                           1e-6); // 200 steps of 5 m/s times 1e-9
            }
            scenario_close(&s);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_convex_law_glides),
        cmocka_unit_test(test_strict_law_does_not),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
