// Siconos beside our solvers on the same friction problems: the public FCLIB files and piles of spheres; time to an
// error, which our certificate measures for both.
#include "problem/fclib.h"
#include "rigid_pile.h"
#include "siconos_parts.h"
#include "track.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

enum { GOALS = 3, FILES_MAX = 256 };
static const double GOAL[GOALS] = {1e-4, 1e-6, 1e-8};

// count NULL: the table of Lemke.
static int rows_of(table *t, siconos_problem *j, bool planar, siconos_tally *count)
{
    tn_error error = {0};
    bool ok = siconos_make_local(j, &error);
    if (!ok) {
        fprintf(stderr, "tenon-bench: %s: %s\n", j->name, error.message);
    }
    if (ok && !count) {
        siconos_lemke_row(t, j, planar);
    }
    for (int g = 0; g < GOALS && ok && count; g++) {
        siconos_friction_row(t, j, GOAL[g], count);
    }
    return !ok;
}

static int run_file(const char *folder, const char *file, table *t, siconos_tally *count)
{
    char path[4096], name[64];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    snprintf(name, sizeof name, "%.*s", (int)(strstr(file, ".hdf5") - file), file);
    siconos_problem j = {.name = name, .arena = tn_arena_create(0), .scratch = tn_arena_create(0)};
    tn_fclib_problem loaded;
    tn_error error = {0};
    int failures = 0;
    if (tn_fclib_read(path, j.arena, &loaded, &error) != TN_OK) {
        fprintf(stderr, "tenon-bench: %s\n", error.message);
        failures = 1;
    } else if (loaded.space_dimension == 3 || !count) {
        j.problem = &loaded.problem;
        failures = rows_of(t, &j, loaded.space_dimension == 2, count);
    }
    tn_arena_destroy(j.arena);
    tn_arena_destroy(j.scratch);
    return failures;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int run_files(const bench_options *options, table *t, siconos_tally *count)
{
    DIR *folder = opendir(options->data);
    if (!folder) {
        fprintf(stderr, "tenon-bench: no folder %s\n", options->data);
        return 1;
    }
    char *names[FILES_MAX];
    int n = 0, failures = 0;
    for (struct dirent *entry; n < FILES_MAX && (entry = readdir(folder));) {
        if (strstr(entry->d_name, ".hdf5")) {
            names[n++] = strdup(entry->d_name);
        }
    }
    closedir(folder);
    qsort(names, (size_t)n, sizeof *names, by_name);
    for (int i = 0; i < n; i++) {
        failures += names[i] ? run_file(options->data, names[i], t, count) : 1;
        free(names[i]);
    }
    return failures;
}

// The last step's problem of a scene.
static int run_scene(const bench_options *options, table *t, const char *name, const char *scene, int n_set,
                     const char *const *set, int steps, siconos_tally *count)
{
    track settled;
    bool ok = track_open(&settled, options, scene, n_set, set);
    for (int k = 0; k < (options->quick ? 60 : steps) && ok; k++) {
        ok = track_step(&settled);
    }
    int failures = !ok;
    if (ok) {
        siconos_problem j = {.name = name,
                             .problem = &settled.sim->solving.eq.problem,
                             .arena = settled.kept,
                             .scratch = settled.solver};
        failures += rows_of(t, &j, false, count);
    }
    track_close(&settled);
    return failures;
}

// still: settled so that nearly nothing slips (rigid_pile.h).
static int run_pile(const bench_options *options, table *t, int i, bool still, siconos_tally *count)
{
    pile p;
    char name[64];
    pile_of(&p, PILE_SIDE[i], PILE_SIDE[i], PILE_SIDE[i]);
    if (still) {
        pile_add(&p, PILE_STILL);
    }
    snprintf(name, sizeof name, "%d spheres%s", PILE_SIDE[i] * PILE_SIDE[i] * PILE_SIDE[i], still ? ", still" : "");
    return run_scene(options, t, name, "rigid/balls1000.yaml", p.n_set, p.set, still ? PILE_STILL_STEPS[i] : 500,
                     count);
}

// Flat sides and stacks: what sweeps find hard.
static int run_stacks(const bench_options *options, table *t, siconos_tally *count)
{
    static const char *const stacks[][2] = {{"heap of boxes", "rigid/box_heap.yaml"},
                                            {"arch", "rigid/arch.yaml"},
                                            {"card house", "rigid/card_house.yaml"},
                                            {"balls and boxes", "ccp/heap.yaml"}};
    int failures = 0;
    for (int i = 0; i < (options->quick ? 2 : 4); i++) {
        const char *law = "law=coulomb";
        failures += run_scene(options, t, stacks[i][0], stacks[i][1], 1, &law, 200, count);
    }
    return failures;
}

static int compare_lemke(const bench_options *options, table *t)
{
    const char *heads[] = {"problem", "contacts", "facets",     "Siconos ms",    "natural",
                           "ours ms", "natural",  "our pivots", "Siconos / ours"};
    table_open(t, "Siconos: Lemke on the polyhedral law", 9, heads);
    int failures = 0;
    for (int i = 0; i < 1; i++) {
        failures += run_pile(options, t, i, false, NULL);
    }
    failures += run_files(options, t, NULL);
    table_note(t,
               "lcp_lexicolemke against lemke, at most %d contacts; natural map of the polyhedral law; a ratio where "
               "Siconos reaches 1e-8",
               siconos_lemke_contacts());
    table_close(t);
    return failures;
}

// A part of the friction table: all of it, or by its name.
static bool wanted(const bench_options *options, const char *part)
{
    return !options->only || bench_listed(options->only, "friction") || bench_listed(options->only, part);
}

static int compare_friction(const bench_options *options, table *t)
{
    const char *heads[] = {"problem", "contacts",    "goal",     "NSGS ms", "reached",
                           "auto ms", "its reached", "our best", "ms",      "NSGS / ours"};
    table_open(t, "Siconos: time to an fclib error, from zero forces", 10, heads);
    siconos_tally count = {0};
    int failures = 0;
    for (int i = 0; i < (options->quick ? 2 : PILES) && wanted(options, "piles"); i++) {
        failures += run_pile(options, t, i, false, &count);
    }
    for (int i = 0; i < PILES && !options->quick && wanted(options, "piles"); i++) {
        failures += run_pile(options, t, i, true, &count);
    }
    if (wanted(options, "stacks")) {
        failures += run_stacks(options, t, &count);
    }
    if (wanted(options, "files")) {
        failures += run_files(options, t, &count);
    }
    table_note(
        t, "%d rows: ours at least 3 times faster on %d, only ours gets there on %d, only NSGS on %d, neither on %d",
        count.rows, count.faster, count.only_ours, count.only_theirs, count.neither);
    table_note(t,
               "NSGS: Siconos 4.4, default options, on W, fc3d_driver with its own error; at most %.0f s. Ours: "
               "tn_problem_solve by auto, pgs, ipm, newton with the check of the input and the certificate; on bodies "
               "with the set-up of W or what stands for it, or on W like NSGS without",
               (double)SICONOS_PATIENCE);
#ifndef WITH_SICONOS
    table_note(t, "built without Siconos (Debian: libsiconos-numerics-dev)");
#endif
    table_close(t);
    return failures;
}

int bench_siconos(const bench_options *options, table *t)
{
    static const char *const names[] = {"friction", "piles", "stacks", "files", "lemke"};
    if (!bench_knows(options, "siconos", 5, names)) {
        return BENCH_UNKNOWN;
    }
    int failures = 0;
    if (wanted(options, "piles") || wanted(options, "stacks") || wanted(options, "files")) {
        failures += compare_friction(options, t);
    }
    if (!options->only || bench_listed(options->only, "lemke")) {
        failures += compare_lemke(options, t);
    }
    return failures;
}
