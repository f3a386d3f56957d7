// Every scene of the gallery under every scheme and every solver that takes it: one table.
#include "gallery.h"

#include "base/memory.h"
#include "model/model.h"
#include "solver/solver.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

static const char *const SCHEMES[] = {"euler", "midpoint", "implicit"};
enum { N_SCHEMES = 3, MOST_SCENES = 200, NAME = 64 };

typedef struct names {
    int n;
    char name[MOST_SCENES][NAME];
} names;

static int by_name(const void *a, const void *b)
{
    return strcmp(a, b);
}

// "folder/scene" of all scene files in a folder of the scenes' folder.
static void add_folder(const char *scenes, const char *folder, names *out)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", scenes, folder);
    DIR *dir = opendir(path);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        size_t length = strlen(entry->d_name);
        if (length > 5 && !strcmp(entry->d_name + length - 5, ".yaml") && out->n < MOST_SCENES) {
            snprintf(out->name[out->n++], NAME, "%s/%.*s", folder, (int)length - 5, entry->d_name);
        }
    }
    if (dir) {
        closedir(dir);
    }
}

static void find_scenes(const char *scenes, names *out)
{
    out->n = 0;
    DIR *dir = opendir(scenes);
    for (struct dirent *entry; dir && (entry = readdir(dir));) {
        if (entry->d_name[0] != '.') {
            add_folder(scenes, entry->d_name, out);
        }
    }
    if (dir) {
        closedir(dir);
    }
    qsort(out->name, (size_t)out->n, NAME, by_name);
}

static bool is_scheme(const char *word, size_t length)
{
    for (int i = 0; i < N_SCHEMES; i++) {
        if (strlen(SCHEMES[i]) == length && !strncmp(SCHEMES[i], word, length)) {
            return true;
        }
    }
    return false;
}

static bool is_solver(const char *word, size_t length)
{
    char name[NAME];
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    return tn_solver_find(name) != NULL;
}

static bool is_part(const char *word, size_t length)
{
    static const char *const parts[] = {"steps", "runs", "speed"};
    for (int i = 0; i < 3; i++) {
        if (strlen(parts[i]) == length && !strncmp(word, parts[i], length)) {
            return true;
        }
    }
    return false;
}

static bool is_scene(const char *word, size_t length)
{
    return !is_scheme(word, length) && !is_solver(word, length) && !is_part(word, length);
}

// --only holds the name, or no name of its kind at all.
static bool wants(const bench_options *options, bool (*kind)(const char *, size_t), const char *name)
{
    bool any = false;
    for (const char *word = options->only; word && *word; word += word[strcspn(word, ",")] == ',') {
        size_t length = strcspn(word, ",");
        any = any || kind(word, length);
        word += length;
    }
    return !any || bench_listed(options->only, name);
}

bool gallery_wants(const bench_options *options, const char *name)
{
    return wants(options, is_solver, name);
}

void gallery_fail(gallery_cell *cell, gallery_failure failure)
{
    gallery_failures *f = cell->failures;
    if (f->n < GALLERY_FAILURES) {
        snprintf(failure.where, sizeof failure.where, "%.40s %s", cell->scene, cell->scheme);
        f->list[f->n++] = failure;
    }
}

tn_model *gallery_model(const bench_options *options, const gallery_cell *cell, double step, tn_error *error)
{
    char path[4096], scheme[64], length[64];
    const char *set[] = {"solver.accuracy=tight", "solver.threads=1", scheme, length}; // what solvers are compared by
    snprintf(path, sizeof path, "%s/%s.yaml", options->scenes, cell->scene);
    snprintf(scheme, sizeof scheme, "scheme=%s", cell->scheme);
    snprintf(length, sizeof length, "step=%.17g", step);
    tn_scene *scene = tn_scene_load(path, step > 0.0 ? 4 : 3, set, error);
    return scene ? tn_model_create(scene, error) : NULL;
}

static int print_cell(const gallery_cell *c, table *t)
{
    const int counts[] = {c->most_contacts, c->most_solvers, c->n_steps,   c->n_unsolved, c->n_compared,
                          c->n_agree,       c->n_loose,      c->n_another, c->n_missed,   c->n_wrong};
    int failures = c->n_wrong + c->n_broken + c->n_gained;
    table_word(t, "%.28s %s", c->scene, c->scheme);
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        table_number(t, "%.0f", counts[i]);
    }
    table_number(t, "%.1e", c->worst);
    table_number(t, "%.0f", c->n_runs);
    table_number(t, "%.0f", c->n_cut);
    table_number(t, "%.0f", c->n_short);
    table_number(t, "%.0f", c->n_broken);
    table_number(t, "%.1e", c->gain);
    table_number(t, "%.1e", c->half_gain);
    table_number(t, "%.1e", c->worst_gain);
    table_number(t, "%.1e", c->apart);
    table_number(t, "%.0f", failures);
    table_row(t);
    fflush(stdout);
    return failures;
}

static void print_failures(const gallery_failures *f, table *t)
{
    static const char *const heads[] = {"scene, scheme", "solver", "what", "time", "difference", "ratio", "figure"};
    table_open(t, "failures, and runs that stop short of the aim and gain energy or end", 7, heads);
    for (int i = 0; i < f->n; i++) {
        const gallery_failure *one = &f->list[i];
        table_word(t, "%.38s", one->where);
        table_word(t, "%s", one->solver);
        table_word(t, "%s", one->what);
        table_number(t, "%g", one->time);
        table_number(t, "%.1e", one->difference);
        table_number(t, "%.1e", one->ratio);
        table_number(t, "%.1e", one->figure);
        table_row(t);
        if (one->error[0]) {
            table_note(t, "%s, %s: %s", one->where, one->solver, one->error);
        }
    }
    table_close(t);
}

static int run_cell(const bench_options *options, gallery_cell *cell, table *t)
{
    if (gallery_is_euler(options, cell)) {
        return 0;
    }
    if (wants(options, is_part, "steps")) {
        gallery_steps(options, cell);
    }
    if (wants(options, is_part, "runs") && !cell->refused) {
        gallery_runs(options, cell);
    }
    if (cell->refused) {
        table_note(t, "%s does not take scheme %s", cell->scene, cell->scheme);
        return 0;
    }
    return print_cell(cell, t);
}

static bool wants_scene(const bench_options *options, const char *scene)
{
    return wants(options, is_scene, scene) || wants(options, is_scene, strchr(scene, '/') + 1);
}

static int run_scene(const bench_options *options, const char *scene, gallery_failures *all, table *t)
{
    int failures = 0;
    bool wanted = wants_scene(options, scene);
    for (int k = 0; k < N_SCHEMES && wanted; k++) {
        if (wants(options, is_scheme, SCHEMES[k])) {
            gallery_cell cell = {.scheme = SCHEMES[k], .failures = all};
            snprintf(cell.scene, sizeof cell.scene, "%s", scene);
            failures += run_cell(options, &cell, t);
        }
    }
    return failures;
}

static int speed(const bench_options *options, const names *scenes, table *t)
{
    static const char *const heads[] = {"scene",   "setting",    "contacts",      "collide ms", "discretize",
                                        "solve",   "certify",    "step ms",       "worst",      "x real time",
                                        "natural", "its median", "penetration mm"};
    int failures = 0;
    table_open(t, "every scene of the gallery as it stands, at each accuracy", 13, heads);
    for (int i = 0; i < scenes->n; i++) {
        failures += wants_scene(options, scenes->name[i]) ? gallery_speed(options, scenes->name[i], t) : 0;
    }
    table_note(t, "medians of the steps' wall times; other engines at their defaults: processor time, one thread");
    table_close(t);
    return failures;
}

static int judge(const bench_options *options, const names *scenes, gallery_failures *all, table *t)
{
    static const char *const heads[] = {"scene, scheme", "contacts", "solvers", "states",  "hard",
                                        "compared",      "agree",    "loose",   "another", "missed",
                                        "wrong",         "ratio",    "runs",    "cut",     "short",
                                        "ended",         "gain",     "others'", "apart m", "failures"};
    int failures = 0;
    table_open(t, "every scene of the gallery under every scheme and solver", 21, heads);
    for (int i = 0; i < scenes->n; i++) {
        failures += run_scene(options, scenes->name[i], all, t);
    }
    table_note(t, "scheme implicit without soft bodies is euler to the bit, which was checked: no row of its own");
    table_note(t, "failures: %d", failures);
    table_close(t);
    print_failures(all, t);
    return failures;
}

int bench_gallery(const bench_options *options, table *t)
{
    names *scenes = tn_malloc(sizeof *scenes);
    gallery_failures *all = tn_calloc(1, sizeof *all);
    int failures = 0;
    if (scenes && all) {
        find_scenes(options->scenes, scenes);
        failures += wants(options, is_part, "speed") ? speed(options, scenes, t) : 0;
        failures +=
            wants(options, is_part, "steps") || wants(options, is_part, "runs") ? judge(options, scenes, all, t) : 0;
    }
    tn_free(all);
    tn_free(scenes);
    return scenes && all ? failures : 1;
}
