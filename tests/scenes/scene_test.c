// A scene of the gallery, FOLDER/NAME on the command line: the same bits again from the same state in a used
// simulation, for two threads, and after save, load, continue; no allocation in a warm step. Warm is a simulation that
// has been through the very same steps before.
#include "digest.h"
#include "gallery.h"

#include "base/memory.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

// All requests for memory of the process, libraries' included (not counted under sanitizers, which have their own).
static atomic_long n_mallocs;

#if !defined(__SANITIZE_ADDRESS__) && defined(__GLIBC__)
extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *block, size_t bytes);

void *malloc(size_t bytes)
{
    atomic_fetch_add(&n_mallocs, 1);
    return __libc_malloc(bytes);
}

void *calloc(size_t count, size_t size)
{
    atomic_fetch_add(&n_mallocs, 1);
    return __libc_calloc(count, size);
}

void *realloc(void *block, size_t bytes)
{
    atomic_fetch_add(&n_mallocs, 1);
    return __libc_realloc(block, bytes);
}
#endif

// Bits and memory show in few steps too, where each is slow; the plain build goes on until things touch.
enum { STEPS = 60, SETS = 6, SHARE = BRIEF ? 2 : 1 };

// Scenes that are made smaller, or need more steps before something touches.
static const struct plan {
    const char *name;
    int n_steps;
    const char *set[SETS];
    bool asks; // a solver of it asks for memory in every step: newton, whose sparse factors are made anew
} PLANS[] = {
    {.name = "rigid/balls1000", .n_steps = 60, .set = {"bodies.ball.array.count=[10,10,6]"}},
    {.name = "rigid/boxes1000",
     .n_steps = 40,
     .set = {"bodies.box.array.count=[5,5,2]", "bodies.odd.array.count=[5,5,2]"}},
    {.name = "rigid/hopper", .n_steps = 40, .set = {"bodies.grain.array.count=[24,24,4]", "solver.max_iterations=60"}},
    {.name = "rigid/silo",
     .n_steps = 40,
     .set = {"bodies.middle.array.count=[7,7,8]", "bodies.sides.array.count=[5,2,8]", "bodies.ends.array.count=[2,5,8]",
             "solver.max_iterations=60"}},
    {.name = "rigid/repose", .n_steps = 40, .set = {"solver.max_iterations=60"}},
    {.name = "rigid/terrain", .n_steps = 200, .set = {"solver.max_iterations=60"}},
    {.name = "rigid/mixed1000", .n_steps = 60, .set = {"solver.max_iterations=60"}},
    {.name = "rigid/sleeping_heap", // asleep after 0.4 s, woken after 0.7 s
     .n_steps = 160,
     .set = {"sleep.after=0.05", "bodies.box.array.count=[3,3,2]", "bodies.ball.position=[4,0,0.3]"}},
    {.name = "joints/ragdoll", .n_steps = 60, .asks = true},
    {.name = "robots/figure", .n_steps = 60, .set = {"initial.velocities=given"}}, // completing them asks
    {.name = "rods/knot", .n_steps = 60, .asks = true},
    {.name = "rods/rope_over_pulley", .n_steps = 40, .asks = true},
    {.name = "compliant/foundation", .n_steps = 40, .asks = true},
};

static const char *scene_name; // of the command line

static struct plan plan_of(const char *name)
{
    for (size_t i = 0; i < sizeof PLANS / sizeof *PLANS; i++) {
        if (!strcmp(PLANS[i].name, name)) {
            return PLANS[i];
        }
    }
    return (struct plan){.name = name, .n_steps = STEPS};
}

static scenario open_scene(const struct plan *plan, int n_threads)
{
    char path[256], threads[32];
    const char *set[SETS + 1] = {threads};
    int n = 1;
    snprintf(path, sizeof path, "%s.yaml", plan->name);
    snprintf(threads, sizeof threads, "solver.threads=%d", n_threads);
    for (int k = 0; k < SETS && plan->set[k]; k++) {
        set[n++] = plan->set[k];
    }
    return gallery_open(path, n, set);
}

static void save(const scenario *s, const char *path)
{
    tn_error error = {0};
    if (tn_state_save(s->state, path, &error) != TN_OK) {
        scenario_fail("save", &error);
    }
}

static void load(scenario *s, const char *path)
{
    tn_error error = {0};
    if (tn_state_load(s->state, path, &error) != TN_OK) {
        scenario_fail("load", &error);
    }
}

static void test_bits_and_memory(void **state)
{
    struct plan plan = plan_of(scene_name);
    plan.n_steps /= SHARE;
    int first = plan.n_steps / 2, second = plan.n_steps - first;
    char start[] = "/tmp/tenon_start_XXXXXX", middle[] = "/tmp/tenon_middle_XXXXXX";
    uint64_t digest[2], again[2];
    int files[2] = {mkstemp(start), mkstemp(middle)};
    assert_true(files[0] >= 0 && files[1] >= 0);
    close(files[0]);
    close(files[1]);

    scenario s = open_scene(&plan, 1);
    save(&s, start);
    digest[0] = digest_run(&s, first, TN_HASH_START);
    save(&s, middle);
    digest[1] = digest_run(&s, second, TN_HASH_START);
    print_message("%s: %d steps, %d contacts at last, solver %s, at most %d solves a step (limit %d)\n", plan.name,
                  plan.n_steps, s.report.n_contacts, s.report.solve.solver, s.most_solves, TN_STEP_SOLVES);

    // An arena that has grown in pieces may need one more round to become one.
    long ours = 1, all = 0;
    for (int round = 0; round < 3 && ours > 0; round++) {
        load(&s, start);
        ours = tn_memory_count();
        all = n_mallocs;
        again[0] = digest_run(&s, first, TN_HASH_START);
        again[1] = digest_run(&s, second, TN_HASH_START);
        ours = tn_memory_count() - ours;
        all = n_mallocs - all;
    }
    assert_true(digest[0] == again[0]);
    assert_true(digest[1] == again[1]);
    scenario_close(&s);

    s = open_scene(&plan, 1);
    load(&s, middle);
    again[1] = digest_run(&s, second, TN_HASH_START);
    assert_true(digest[1] == again[1]);
    scenario_close(&s);

    s = open_scene(&plan, 2);
    again[0] = digest_run(&s, first, TN_HASH_START);
    again[1] = digest_run(&s, second, TN_HASH_START);
    assert_true(digest[0] == again[0]);
    assert_true(digest[1] == again[1]);
    assert_true(digest[0] != digest[1]); // the digest tells steps apart
    scenario_close(&s);
    unlink(start);
    unlink(middle);
    if (plan.asks) {
        printf("requests for memory in steps done before: %ld own, %ld in all, not judged\n", ours, all);
        return;
    }
    check_below("own requests for memory in steps done before", (double)ours, 0.0);
    check_below("all requests, libraries' included", (double)all, 0.0);
}

int main(int n, char **arguments)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_bits_and_memory)};
    if (n != 2) {
        fprintf(stderr, "usage: %s SCENE\n", arguments[0]);
        return 2;
    }
    scene_name = arguments[1];
    return cmocka_run_group_tests_name(arguments[1], tests, NULL, NULL);
}
