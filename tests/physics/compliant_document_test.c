// The compliant document's programs, literally (bench/compliant_document.h): where their optimum is the spring law's
// and where it is not. Figures of the defects are those of the derivation in docs/compliant-document.md.
#include "scenario.h"

#include "compliant_document.h"

static compliant_answer document_of(const compliant_problem *p)
{
    compliant_answer out;
    assert_true(compliant_document(p, &out));
    check_below("residual of the program's own conditions", out.residual, 1e-8);
    return out;
}

static compliant_answer law_of(const compliant_problem *p)
{
    compliant_answer out;
    assert_true(compliant_law(p, &out));
    check_below("residual of the law", out.residual, 1e-10);
    return out;
}

// By hand: the law has l_2 = 0 and l_1 = p_1/(S_11 + R) with p_1 = 9.81 + 0.15/h; the program is the least (l_1, l_2)
// on the line (S_11 + R) l_1 + S_12 l_2 = p_1.
static void coupled_rows(void **state)
{
    compliant_problem p = compliant_two_rows();
    compliant_answer law = law_of(&p), document = document_of(&p);
    const double a = 0.255, b = 0.095, p1 = 9.81 + 0.15 / 0.01;
    check_near("law, row 1 [N]", law.force[0], p1 / a, 1e-6);
    check_near("law, row 2 [N]", law.force[1], 0.0, 1e-8);
    check_near("program, row 1 [N]", document.force[0], p1 * a / (a * a + b * b), 1e-6);
    check_near("program, row 2 [N]", document.force[1], p1 * b / (a * a + b * b), 1e-6);
    check_near("to three digits: 97.3", law.force[0], 97.3, 0.05);
    check_near("85.4", document.force[0], 85.4, 0.05);
    check_near("31.8", document.force[1], 31.8, 0.05);
}

// Without coupling both agree.
static void uncoupled_rows_agree(void **state)
{
    compliant_problem p = compliant_two_rows();
    p.inverse_mass[1] = p.inverse_mass[2] = 0.0;
    compliant_answer law = law_of(&p), document = document_of(&p);
    for (int i = 0; i < 2; i++) {
        check_near("row [N]", document.force[i], law.force[i], 1e-6);
    }
}

// The program inflates the normal force until the cone holds the mass: m (g sin + v/h)/mu.
static void slope_sticks_and_throws_off(void **state)
{
    const double slope = 15.0 * PI / 180.0, mu = 0.125, h = 0.01;
    for (int moves = 0; moves < 2; moves++) {
        compliant_problem p = compliant_slope(slope, mu, moves);
        compliant_answer law = law_of(&p), document = document_of(&p);
        double normal = GRAVITY * cos(slope), pull = GRAVITY * sin(slope) + moves / h;
        check_near("law [N]", law.force[0], normal, 1e-6 * normal);
        check_near("law's friction [N]", -law.force[1], mu * normal, 1e-6 * normal);
        check_near("program [N]", document.force[0], pull / mu, 2e-6 * pull / mu); // of 1/(h B_t)
        check_near("sticks [m/s]", document.v[1], 0.0, 2e-6);
        check_near("is thrown off [m/s]", document.v[0], h * (pull / mu - normal), 2e-6 * pull);
        check_near(moves ? "820" : "20.31", document.force[0], moves ? 820.0 : 20.31, moves ? 0.5 : 0.005);
        check_near("9.48", law.force[0], 9.48, 0.005);
    }
}

// Friction that holds it: both agree.
static void slope_that_holds_agrees(void **state)
{
    compliant_problem p = compliant_slope(15.0 * PI / 180.0, 0.3, 0.0);
    compliant_answer law = law_of(&p), document = document_of(&p);
    for (int i = 0; i < 3; i++) {
        check_near("force [N]", document.force[i], law.force[i], 1e-4);
    }
}

// A mass that a bilateral spring joins to one that stands on a unilateral row: elimination and one row are exact.
static void bilateral_row_is_eliminated(void **state)
{
    compliant_problem p = {.n_v = 2,
                           .n_bilateral = 1,
                           .n_unilateral = 1,
                           .h = 0.01,
                           .inverse_mass = {0.5, 0.0, 0.0, 0.25},
                           .f = {-2.0 * GRAVITY, -4.0 * GRAVITY},
                           .v = {-0.1, -0.3},
                           .G = {-1.0, 1.0, 1.0, 0.0}, // the gap between them; the lower one above the ground
                           .K = {1e7, 1e9},
                           .B = {30.0, 5.0},
                           .phi = {1e-5, -1e-7}};
    compliant_answer law = law_of(&p), document = document_of(&p);
    for (int i = 0; i < 2; i++) {
        check_near("force [N]", document.force[i], law.force[i], 1e-8 * fabs(law.force[i]));
        check_near("velocity [m/s]", document.v[i], law.v[i], 1e-10);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(coupled_rows),
        cmocka_unit_test(uncoupled_rows_agree),
        cmocka_unit_test(slope_sticks_and_throws_off),
        cmocka_unit_test(slope_that_holds_agrees),
        cmocka_unit_test(bilateral_row_is_eliminated),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
