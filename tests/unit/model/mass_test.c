// A body so light that its inverse leaves the numbers is refused by name, however its mass comes about; one that is
// just heavy enough is taken.
#include "compile_text.h"

static void test_lightest(void **state)
{
    must_fail("bodies:\n"
              "  mote: {shape: {sphere: {radius: 1e-8}, density: 1e-3}}\n",
              2, "body 'mote' weighs 4.18879e-27 kg: at least 1e-18 kg");
    must_fail("bodies:\n"
              "  mote: {shape: {disk: 1e-4, density: 1e-9}, confine: [0, 1, 0]}\n"
              "  grain: {shape: {disk: 1e-6, density: 1e-9}, confine: [0, 1, 0]}\n",
              3, "body 'grain' weighs 3.14159e-21 kg");
    tn_model_destroy(must_compile("bodies:\n"
                                  "  mote: {mass: 1e-18, inertia: [1e-36, 1e-36, 1e-36]}\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lightest)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
