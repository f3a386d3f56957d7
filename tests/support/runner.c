// One program for the tests of a folder: PROGRAM NAME... runs NAME_test.c, without a name all of them. Each file's
// main() is called test_main_NAME here; test_list.h has a line TEST(NAME) for each (tests/CMakeLists.txt makes both).
#include <stdio.h>
#include <string.h>

#define TEST(name) int test_main_##name(void);
#include "test_list.h"
#undef TEST

static const struct {
    const char *name;
    int (*run)(void);
} tests[] = {
#define TEST(name) {#name, test_main_##name},
#include "test_list.h"
};

enum { N_TESTS = sizeof tests / sizeof *tests };

// What the test returns; 2: there is none of this name.
static int run_one(const char *name)
{
    for (int k = 0; k < N_TESTS; k++) {
        if (strcmp(name, tests[k].name) == 0) {
            return tests[k].run();
        }
    }
    fprintf(stderr, "no test '%s'; there are:", name);
    for (int k = 0; k < N_TESTS; k++) {
        fprintf(stderr, " %s", tests[k].name);
    }
    fprintf(stderr, "\n");
    return 2;
}

int main(int n, char **names)
{
    if (n == 2) {
        return run_one(names[1]);
    }
    int failed = 0;
    for (int k = 0; k < (n > 1 ? n - 1 : N_TESTS); k++) {
        failed |= run_one(n > 1 ? names[1 + k] : tests[k].name) != 0;
    }
    return failed;
}
