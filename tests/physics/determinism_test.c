// The same to the last bit for 1 and 2 threads, and after save, load, continue; no allocation in a warm step.
#include "gallery.h"

#include "base/memory.h"
#include "base/sha256.h"

#include <string.h>
#include <unistd.h>

// All that a step leaves: states, contacts, certificate, iterations; times are no part of it.
static void digest_step(tn_sha256 *sha, const scenario *s)
{
    for (int b = 0; b < tn_model_body_count(s->model); b++) {
        double row[13];
        tn_state_body_pose(s->state, b, row, row + 3);
        tn_state_body_velocity(s->state, b, row + 7, row + 10);
        tn_sha256_add(sha, row, sizeof row);
    }
    for (int i = 0; i < tn_sim_contact_count(s->sim); i++) {
        tn_contact_info c;
        tn_sim_contact(s->sim, i, &c);
        const int bodies[2] = {c.body_a, c.body_b};
        tn_sha256_add(sha, bodies, sizeof bodies);
        tn_sha256_add(sha, c.point, sizeof c.point);
        tn_sha256_add(sha, c.normal, sizeof c.normal);
        tn_sha256_add(sha, &c.gap, sizeof c.gap);
        tn_sha256_add(sha, c.force, sizeof c.force);
        tn_sha256_add(sha, c.velocity, sizeof c.velocity);
    }
    tn_sha256_add(sha, &s->report.solve.certificate, sizeof s->report.solve.certificate);
    tn_sha256_add(sha, &s->report.solve.iterations, sizeof s->report.solve.iterations);
    tn_sha256_add(sha, &s->report.energy, sizeof s->report.energy);
}

static void run(scenario *s, int n_steps, tn_sha256 *sha)
{
    for (int k = 0; k < n_steps; k++) {
        scenario_step(s);
        digest_step(sha, s);
    }
}

// The digest of 100 steps: straight (split 0), or saved after `split` steps and continued by a fresh state and
// simulation.
static void digest(const char *scene, const char *scheme, int threads, int split, char text[65])
{
    char set_threads[64], set_scheme[64];
    snprintf(set_threads, sizeof set_threads, "solver.threads=%d", threads);
    snprintf(set_scheme, sizeof set_scheme, "scheme=%s", scheme);
    // A short cap: what must agree is every bit of the iterates, not their accuracy.
    const char *set[3] = {set_threads, set_scheme, "solver.max_iterations=60"};
    scenario s = gallery_open(scene, 3, set);
    tn_sha256 sha;
    tn_sha256_start(&sha);
    run(&s, split ? split : 100, &sha);
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
        s = gallery_open(scene, 3, set);
        if (tn_state_load(s.state, path, &error) != TN_OK) {
            scenario_fail("load", &error);
        }
        unlink(path);
        run(&s, 100 - split, &sha);
    }
    print_message("%s %s, %d thread(s)%s: contacts %d, ", scene, scheme, threads, split ? ", saved and loaded" : "",
                  s.report.n_contacts);
    assert_true(s.report.n_contacts > 0);
    scenario_close(&s);
    unsigned char bytes[32];
    tn_sha256_finish(&sha, bytes);
    tn_sha256_hex(bytes, text);
    print_message("%.16s...\n", text);
}

static void test_same_bits(void **state)
{
    const struct {
        const char *scene, *scheme;
    } runs[] = {{"rigid/box_heap.yaml", "euler"},
                {"rigid/dominoes.yaml", "midpoint"},
                {"rigid/top.yaml", "euler"},
                {"cond/box_sliding.yaml", "midpoint"}};
    for (size_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        char one[65], two[65], continued[65];
        digest(runs[i].scene, runs[i].scheme, 1, 0, one);
        digest(runs[i].scene, runs[i].scheme, 2, 0, two);
        digest(runs[i].scene, runs[i].scheme, 1, 50, continued);
        assert_string_equal(one, two);
        assert_string_equal(one, continued);
    }
}

static void test_digest_tells_runs_apart(void **state)
{
    // The digest must be able to tell runs apart.
    char one[65], other[65];
    digest("rigid/dominoes.yaml", "euler", 1, 0, one);
    digest("rigid/dominoes.yaml", "midpoint", 1, 0, other);
    assert_string_not_equal(one, other);
}

static void test_no_allocation_when_warm(void **state)
{
    // By step 300 the number of contacts has stopped growing, and with it the arenas.
    const char *scenes[3] = {"rigid/box_heap.yaml", "cond/box_sliding.yaml", "rigid/top.yaml"};
    const char *set[1] = {"solver.max_iterations=60"};
    for (int i = 0; i < 3; i++) {
        scenario s = gallery_open(scenes[i], 1, set);
        for (int k = 0; k < 300; k++) {
            scenario_step(&s);
        }
        long before = tn_memory_count();
        for (int k = 0; k < 50; k++) {
            scenario_step(&s);
        }
        check_below("requests in 50 warm steps", (double)(tn_memory_count() - before), 0.0);
        scenario_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same_bits),
        cmocka_unit_test(test_digest_tells_runs_apart),
        cmocka_unit_test(test_no_allocation_when_warm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
