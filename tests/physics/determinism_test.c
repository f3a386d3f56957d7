// The same to the last bit for 1 and 2 threads, and after save, load, continue; no allocation in a warm step; nothing
// is read from memory that has moved.
#include "digest.h"
#include "gallery.h"

#include "base/memory.h"
#include "state/state.h"

#include <malloc.h>
#include <string.h>
#include <unistd.h>

enum { STEPS = 100, SOFT_STEPS = 16 };

// The digest of all steps: straight (split 0), or saved after `split` steps and continued by a fresh state and
// simulation.
static uint64_t digest(const char *scene, const char *scheme, const char *solver, int threads, bool splits)
{
    char set_threads[64], set_scheme[64], set_solver[64];
    snprintf(set_threads, sizeof set_threads, "solver.threads=%d", threads);
    snprintf(set_scheme, sizeof set_scheme, "scheme=%s", scheme);
    // A short cap: what must agree is every bit of the iterates, not their accuracy.
    snprintf(set_solver, sizeof set_solver, "solver.name=%s", solver);
    const char *set[4] = {set_threads, set_scheme, set_solver, "solver.max_iterations=60"};
    scenario s = gallery_open(scene, 4, set);
    int n_steps = tn_model_soft_count(s.model) > 0 ? SOFT_STEPS : STEPS, split = splits ? n_steps / 2 : 0;
    uint64_t hash = digest_run(&s, split ? split : n_steps, TN_HASH_START);
    if (split) {
        char path[] = "/tmp/tenon_checkpoint_XXXXXX";
        int file = mkstemp(path);
        assert_true(file >= 0);
        close(file);
        tn_error error = {0};
        if (tn_state_save(s.state, path, &error) != TN_OK) {
            scenario_fail("save", &error);
        }
        scenario_close(&s);
        s = gallery_open(scene, 4, set);
        if (tn_state_load(s.state, path, &error) != TN_OK) {
            scenario_fail("load", &error);
        }
        unlink(path);
        hash = digest_run(&s, n_steps - split, hash);
    }
    print_message("%s %s %s, %d thread(s)%s: contacts %d, ", scene, scheme, solver, threads,
                  split ? ", saved and loaded" : "", s.report.n_contacts);
    assert_true(s.report.n_contacts > 0);
    scenario_close(&s);
    print_message("%016llx\n", (unsigned long long)hash);
    return hash;
}

static void test_same_bits(void **state)
{
    const struct {
        const char *scene, *scheme, *solver;
    } runs[] = {{"rigid/box_heap.yaml", "euler", "auto"},      {"rigid/dominoes.yaml", "midpoint", "auto"},
                {"rigid/top.yaml", "euler", "auto"},           {"cond/box_sliding.yaml", "midpoint", "cond"},
                {"cond/soft_mat.yaml", "midpoint", "nodal"},   {"cond/soft_mat.yaml", "euler", "cond"},
                {"cond/soft_mat.yaml", "implicit", "nodal"},   {"cond/soft_ball.yaml", "euler", "nodal"},
                {"cond/soft_gripper.yaml", "midpoint", "auto"}};
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        uint64_t one = digest(runs[i].scene, runs[i].scheme, runs[i].solver, 1, false);
        uint64_t two = digest(runs[i].scene, runs[i].scheme, runs[i].solver, 2, false);
        uint64_t continued = digest(runs[i].scene, runs[i].scheme, runs[i].solver, 1, true);
        assert_true(one == two);
        assert_true(one == continued);
    }
}

static void test_digest_tells_runs_apart(void **state)
{
    // The digest must be able to tell runs apart.
    assert_true(digest("rigid/dominoes.yaml", "euler", "auto", 1, false) !=
                digest("rigid/dominoes.yaml", "midpoint", "auto", 1, false));
}

static void test_no_allocation_when_warm(void **state)
{
    // By then the number of contacts has stopped growing, and with it the arenas.
    const struct {
        const char *scene, *solver;
        int warm;
    } runs[] = {{"rigid/box_heap.yaml", "solver.name=auto", 300},   {"cond/box_sliding.yaml", "solver.name=cond", 300},
                {"rigid/top.yaml", "solver.name=auto", 300},        {"soft/lifted_sheet.yaml", "solver.name=auto", 40},
                {"soft/lifted_sheet.yaml", "solver.name=cond", 40}, {"cond/soft_mat.yaml", "solver.name=auto", 40},
                {"cond/soft_ball.yaml", "solver.name=auto", 20}}; // it is touched for the first time after 27 steps
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        const char *set[2] = {"solver.max_iterations=60", runs[i].solver};
        scenario s = gallery_open(runs[i].scene, 2, set);
        print_message("%s %s\n", runs[i].scene, runs[i].solver);
        scenario_steps(&s, runs[i].warm);
        long before = tn_memory_count();
        scenario_steps(&s, 20);
        check_below("requests in 20 warm steps", (double)(tn_memory_count() - before), 0.0);
        scenario_close(&s);
    }
}

// What springs along the surface bore in the last step lies in the state's memory, which moves as contacts become more:
// a state that has room from the start comes to the same books. Freed memory is overwritten (mallopt).
static void test_memory_that_moves(void **state)
{
    enum { BALLS = 100, PINS = 256 };
    void *pin[PINS];
    static const char *const scene =
        "step: 5 ms\ngravity: [0, 0, 0]\nmaterials: {default: {stiffness: 200, tangential_stiffness: 200}}\n"
        "bodies:\n  floor: {fixed: true, shape: {plane: [0.004, 0, 1]}}\n"
        "  ball: {position: [0, 0, 0.1], velocity: [0.3, 0, -0.5], shape: {sphere: 0.1}, "
        "array: {count: [100, 1, 1], spacing: [0.5, 0, 0]}}\n";
    uint64_t hash[2];
    mallopt(M_PERTURB, 0x55);
    for (int k = 0; k < 2; k++) {
        scenario s = scenario_open("%s", scene);
        tn_error error = {0};
        assert_int_equal(k == 0 ? TN_OK : tn_state_reserve_memory(s.state, 2 * BALLS, &error), TN_OK);
        scenario_steps(&s, 30);
        assert_in_range(s.report.n_contacts, 1, BALLS / 2);
        for (int i = 0; i < PINS; i++) { // no room is left behind the memory
            pin[i] = malloc(i % 2 ? 4096 : 64);
        }
        scenario_steps(&s, 50);
        for (int i = 0; i < PINS; i++) {
            free(pin[i]);
        }
        assert_in_range(s.report.n_contacts, BALLS / 2, BALLS);
        hash[k] = tn_state_hash(s.state);
        scenario_close(&s);
    }
    mallopt(M_PERTURB, 0);
    assert_true(hash[0] == hash[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_digest_tells_runs_apart),
        cmocka_unit_test(test_no_allocation_when_warm),
        cmocka_unit_test(test_memory_that_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
