// Equilibria of soft bodies: patch, cantilever (F02), Cook's membrane (F05), hung bar (F08) of the validation list;
// closed forms of textbooks, sources named there. A step of 1e4 s without gravity's inertia is the static problem: A =
// h K.
#include "soft.h"

// F01 b: boundary displacement u = A x (MacNeal and Harder's), one interior solve; the interior nodes follow exactly.
static void roughen(double x[3])
{
    // Interior nodes of the unit cube's 4^3 grid are moved off the grid; the boundary stays.
    bool inside = fabs(x[0]) < 0.49 && fabs(x[1]) < 0.49 && fabs(x[2]) < 0.49;
    for (int k = 0; inside && k < 3; k++) {
        x[k] += 0.05 * sin(37.0 * x[(k + 1) % 3] + 11.0 * x[k] + 5.0 * k);
    }
}

static const double PATCH[9] = {1e-4, 0.5e-4, 0.2e-4, 0.5e-4, 1e-4, 0.3e-4, 0.2e-4, 0.3e-4, 1e-4};

static void test_f01_patch(void **state)
{
    scenario s =
        soft_open(roughen, "gravity: [0, 0, 0]\nstep: 1e4\nsolver: {name: auto, tolerance: {momentum: 1e-12}}\n"
                           "soft:\n  cube: {grid: {size: [1, 1, 1], divisions: [4, 4, 4]}, young: 1e6, poisson: 0.3,\n"
                           "         geometric: none, density: 1}\n");
    // No scene key prescribes an affine field: the boundary is moved by hand, and the elements' forces are looked at.
    double *x = s.state->x;
    for (int i = 0; i < 3 * s.model->n_nodes; i++) {
        const double *rest = s.model->node_rest + 3 * (i / 3);
        x[i] = rest[i % 3] + tn_vec3_dot(PATCH + 3 * (i % 3), rest);
    }
    tn_arena *arena = tn_arena_create(0);
    tn_tets_elastic *elastic = NULL;
    double *force = calloc(3 * (size_t)s.model->n_nodes, sizeof *force);
    double *stress = calloc(6 * (size_t)s.model->n_tets, sizeof *stress);
    assert_int_equal(tn_tets_evaluate(s.model->elements, x, 1, arena, &elastic), TN_OK);
    tn_tets_force(s.model->elements, elastic, 1, force);
    tn_tets_stress(s.model->elements, elastic, stress);
    double worst = 0.0, spread = 0.0;
    for (int i = 0; i < s.model->n_nodes; i++) {
        const double *rest = s.model->node_rest + 3 * i;
        bool inside = fabs(rest[0]) < 0.49 && fabs(rest[1]) < 0.49 && fabs(rest[2]) < 0.49;
        for (int k = 0; inside && k < 3; k++) {
            worst = fmax(worst, fabs(force[3 * i + k]));
        }
    }
    for (int t = 0; t < 6 * s.model->n_tets; t++) {
        spread = fmax(spread, fabs(stress[t] - stress[t % 6]));
    }
    // Forces of a strain of 1e-4 on a face of (1/4 m)^2 are 6 N.
    check_below("F01 b force on interior nodes [N] (of 6)", worst, 6e-10);
    check_below("F01 b spread of the stress [Pa] (of 100)", spread, 1e-8);
    double wanted[6] = {0};
    double shear = 1e6 / 2.6, lambda = 2.0 * shear * 0.3 / 0.4, trace = 3e-4;
    const double strain[6] = {1e-4, 1e-4, 1e-4, 0.3e-4, 0.2e-4, 0.5e-4};
    for (int k = 0; k < 6; k++) {
        wanted[k] = 2.0 * shear * strain[k] + (k < 3 ? lambda * trace : 0.0);
        check_near("F01 b stress against Hooke's law [Pa]", stress[k], wanted[k], 1e-7);
    }
    free(force);
    free(stress);
    tn_arena_destroy(arena);
    scenario_close(&s);
}

// F02: clamped beam with a tip load; Timoshenko's deflection. Linear tetrahedra come from below.
static double beam_deflection(int k, double load)
{
    scenario s = soft_open(NULL,
                           "gravity: [0, 0, 0]\nstep: 1e4\nsolver: {name: auto, tolerance: {momentum: 1e-9}}\n"
                           "soft:\n  beam:\n    grid: {size: [0.4, 0.025, 0.012], divisions: [%d, %d, %d]}\n"
                           "    young: 2.002e11\n    poisson: 0.3157895\n    density: 7800\n"
                           "    attach: [{where: {box: {low: [-0.2, -1, -1], high: [-0.2, 1, 1]}}}]\n"
                           "    pull: [{force: [0, 0, %g], where: {box: {low: [0.2, -1, -1], high: [0.2, 1, 1]}}}]\n",
                           24 * k, k, k, load);
    scenario_step(&s);
    const double tip[3] = {0.2, 0.0, 0.0};
    double deflection = soft_mean_near(&s, tip, 0.02, 2);
    scenario_close(&s);
    return deflection;
}

static void test_f02_cantilever(void **state)
{
    const double wanted = -5.924128e-5;
    double d[3];
    for (int i = 0; i < 3; i++) {
        d[i] = beam_deflection(2 << i, -2.0);
        print_message("F02 %2d cells through the depth: %.4f of Timoshenko's deflection\n", 2 << i, d[i] / wanted);
    }
    assert_true(d[0] / wanted < d[1] / wanted && d[1] / wanted < d[2] / wanted && d[2] / wanted < 1.0);
    // The stiffness that is too much falls with the square of the mesh size.
    double stiff[3] = {wanted / d[0], wanted / d[1], wanted / d[2]};
    double ratio = (stiff[0] - stiff[1]) / (stiff[1] - stiff[2]);
    print_message("F02 order of the excess stiffness %.2f\n", log2(ratio));
    assert_true(ratio > 3.0 && ratio < 5.0);
    check_near("F02 extrapolated stiffness / Timoshenko's", stiff[2] - (stiff[1] - stiff[2]) / (ratio - 1.0), 1.0,
               0.05);
    check_near("F02 linear in the load", beam_deflection(2, -10.0) / d[0], 5.0, 5e-3);
}

// F05: the unit square becomes the quadrilateral (0,0), (48,44), (48,60), (0,44).
static void cook(double x[3])
{
    double s = x[0] + 0.5, t = x[1] + 0.5, low = 44.0 * s, high = 44.0 + 16.0 * s;
    x[0] = 48.0 * s;
    x[1] = low + t * (high - low);
}

static double cook_deflection(int n)
{
    scenario s = soft_open(cook,
                           "gravity: [0, 0, 0]\nstep: 1e4\nsolver: {name: auto, tolerance: {momentum: 1e-9}}\n"
                           "soft:\n  plate:\n    grid: {size: [1, 1, 1], divisions: [%d, %d, 1]}\n"
                           "    young: 1\n    poisson: 0.333333333333\n    density: 1e-6\n"
                           "    attach: [{where: {box: {low: [-0.5, -1, -1], high: [-0.5, 1, 1]}}}]\n"
                           "    pull: [{force: [0, 1e-3, 0], where: {box: {low: [0.5, -1, -1], high: [0.5, 1, 1]}}}]\n",
                           n, n);
    scenario_step(&s);
    const double middle[3] = {48.0, 52.0, 0.0};
    double deflection = soft_mean_near(&s, middle, 0.6, 1);
    scenario_close(&s);
    return deflection;
}

static void test_f05_cook(void **state)
{
    double d[3];
    for (int i = 0; i < 3; i++) {
        d[i] = cook_deflection(16 << i);
        print_message("F05 %2d divisions: %.3f F\n", 16 << i, d[i] / 1e-3);
    }
    assert_true(d[0] < d[1] && d[1] < d[2]);
    check_near("F05 extrapolated deflection / F", (d[2] + (d[2] - d[1]) / 3.0) / 1e-3, 23.96, 0.01 * 23.96);
}

// F08: a bar hung by its upper end: rho g L^2 / (2 E).
static void test_f08_hung_bar(void **state)
{
    scenario s =
        soft_open(NULL, "gravity: [0, 0, -9.81]\nstep: 1e4\nsolver: {name: auto, tolerance: {momentum: 1e-9}}\n"
                        "soft:\n  bar:\n    grid: {size: [0.05, 0.05, 1], divisions: [1, 1, 20]}\n"
                        "    young: 1e6\n    poisson: 0\n    density: 1000\n"
                        "    attach: [{where: {box: {low: [-1, -1, 0.5], high: [1, 1, 0.5]}}}]\n");
    scenario_step(&s);
    const double tip[3] = {0.0, 0.0, -0.5};
    double wanted = 1000.0 * GRAVITY / (2.0 * 1e6);
    check_near("F08 extension under its own weight [m]", -soft_mean_near(&s, tip, 0.03, 2), wanted, 0.02 * wanted);
    scenario_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_f01_patch),
        cmocka_unit_test(test_f02_cantilever),
        cmocka_unit_test(test_f05_cook),
        cmocka_unit_test(test_f08_hung_bar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
