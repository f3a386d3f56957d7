// auto beside every single solver: on stored problems, settled piles and steps of the scenes, to natural figures of
// 1e-4, 1e-6 and 1e-8; where another is faster, where another reaches what auto misses.
#include "problem/fclib.h"
#include "rigid.h"
#include "rigid_pile.h"
#include "route.h"
#include "track.h"

#include <dirent.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GOALS = 3, MOST_ROWS = 2000, WORST = 20, FRAMES = 3 };
static const double GOAL[GOALS] = {1e-4, 1e-6, 1e-8};
// What a solver may take where auto misses [s]; of problems of more than MANY contacts, and --quick.
static const double PATIENCE = 20.0, PATIENCE_OF_MANY = 4.0, PATIENCE_QUICK = 0.3;
enum { MANY = 500 };
// Steps of a scene, and sum of their contacts, after which the last frame is taken.
enum { STEPS = 200, STEPS_QUICK = 40, WORK = 300000, WORK_QUICK = 20000 };
// Of the still pile: steps to 3e-5, then to 1e-8.
enum { PILE_SETTLES = 700, PILE_RESTS = 100 };

typedef struct routes {
    const bench_options *options;
    table *t;
    int n, n_missed, n_none, n_slower, n_slower_alike;
    double seconds_own, seconds_best; // of rows that auto reaches
    route_row rows[MOST_ROWS];
} routes;

static double score(const route_row *row)
{
    return row->own.reached && row->best.reached ? row->own.seconds / row->best.seconds : 0.0;
}

static void try_all(routes *r, route_problem *of)
{
    bool many = of->problem->rows->n_triples > MANY;
    double most = r->options->quick ? PATIENCE_QUICK : many ? PATIENCE_OF_MANY : PATIENCE;
    for (int g = 0; g < GOALS && r->n < MOST_ROWS; g++) {
        route_row *row = &r->rows[r->n];
        if (r->options->quick && g != 1) {
            continue;
        }
        *row = route_run(of, GOAL[g], most);
        route_print(row, of->problem, r->t);
        r->n++;
        r->n_none += !row->best.reached;
        r->n_missed += !row->own.reached && row->best.reached;
        r->n_slower += score(row) > ROUTE_RATIO;
        r->n_slower_alike += score(row) > ROUTE_RATIO && row->own.seconds > ROUTE_RATIO * row->alike.seconds;
        r->seconds_own += row->own.reached ? row->own.seconds : 0.0;
        r->seconds_best += row->own.reached ? row->best.seconds : 0.0;
        if (!row->best.reached) {
            break; // nor will the tighter ones be
        }
    }
}

// ---- stored problems

static int is_stored(const struct dirent *entry)
{
    return strstr(entry->d_name, ".hdf5") != NULL;
}

static int run_stored(routes *r, const char *folder, const char *file)
{
    char path[4096], name[ROUTE_NAME];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    snprintf(name, sizeof name, "%.*s", (int)(strstr(file, ".hdf5") - file), file);
    tn_arena *arena = tn_arena_create(0);
    tn_fclib_problem loaded;
    tn_error error = {0};
    bool ok = arena && tn_fclib_read(path, arena, &loaded, &error) == TN_OK;
    if (ok) {
        try_all(r, &(route_problem){.name = name, .problem = &loaded.problem});
    } else {
        fprintf(stderr, "tenon-bench: %s\n", error.message);
    }
    tn_arena_destroy(arena);
    return !ok;
}

static int run_folder(routes *r, const char *folder)
{
    struct dirent **entries;
    int n = scandir(folder, &entries, is_stored, alphasort), failures = n < 0;
    if (n < 0) {
        fprintf(stderr, "tenon-bench: no folder %s\n", folder);
    }
    for (int i = 0; i < n; i++) {
        failures += run_stored(r, folder, entries[i]->d_name);
        free(entries[i]);
    }
    if (n >= 0) {
        free(entries);
    }
    return failures;
}

// ---- steps of scenes

// The last step's problem, from the forces that the step began with; cold: from none.
static bool try_step(routes *r, track *k, const char *name, bool cold)
{
    const tn_problem *p = &k->sim->solving.eq.problem;
    size_t n_triples = (size_t)p->rows->n_triples, n_singles = (size_t)p->rows->n_singles;
    double *lambda = TN_PUSH(k->kept, double, 3 * n_triples + n_singles);
    if (!lambda) {
        return false;
    }
    if (n_singles > 0) {
        tn_sim_joints_warm(&k->sim->setup, &k->sim->solving.eq, k->before, lambda);
    }
    for (size_t i = 0; i < 3 * (size_t)k->sim->solving.eq.rows.contacts.n_triples; i++) {
        lambda[i] = lambda[i] == 0.0 ? k->warm_lambda[i] : lambda[i];
    }
    route_problem of = {.name = name, .problem = p, .v = k->warm_v, .lambda = cold ? NULL : lambda};
    try_all(r, &of);
    return true;
}

static int run_scene(routes *r, const char *folder, const char *file)
{
    char path[512], name[ROUTE_NAME];
    snprintf(path, sizeof path, "%s/%s", folder, file);
    track k;
    bool ok = track_open(&k, r->options, path, 0, NULL);
    int most = r->options->quick ? STEPS_QUICK : STEPS,
        n = ok ? (int)lround(k.model->settings.duration / k.model->settings.step) : 0;
    long work = 0;
    n = n < most ? n : most;
    for (int i = 0; i < n && ok; i++) {
        ok = track_step(&k);
        work += ok ? k.sim->solving.eq.problem.rows->n_triples : 0;
        bool last = i == n - 1 || work > (r->options->quick ? WORK_QUICK : WORK);
        bool few = ok && k.sim->solving.eq.problem.rows->n_triples <= MANY && !r->options->quick;
        bool empty = ok && k.sim->solving.eq.problem.rows->n_triples + k.sim->solving.eq.problem.rows->n_singles == 0;
        if (ok && !empty && (last || (few && (i == n / 6 || i == n / 2)))) {
            snprintf(name, sizeof name, "%.24s, step %d", file, i);
            ok = try_step(r, &k, name, false);
        }
        if (last) {
            break;
        }
    }
    track_close(&k);
    return !ok;
}

static int is_scene(const struct dirent *entry)
{
    return strstr(entry->d_name, ".yaml") != NULL;
}

static int run_scenes(routes *r, const char *folder)
{
    char path[4096];
    struct dirent **entries;
    snprintf(path, sizeof path, "%s/%s", r->options->scenes, folder);
    int failures = 0, n = scandir(path, &entries, is_scene, alphasort);
    for (int i = 0; i < n; i++) {
        failures += run_scene(r, folder, entries[i]->d_name);
        free(entries[i]);
    }
    if (n >= 0) {
        free(entries);
    }
    return failures + (n <= 0);
}

static int run_pile(routes *r, int side)
{
    pile p;
    track k;
    char name[ROUTE_NAME];
    pile_of(&p, side, side, side);
    pile_add(&p, "solver.tolerance.natural=3e-5");
    bool ok = track_open(&k, r->options, "rigid/balls1000.yaml", p.n_set, p.set);
    for (int i = 0; i < (r->options->quick ? 60 : PILE_SETTLES + PILE_RESTS) && ok; i++) {
        if (i == PILE_SETTLES) {
            k.model->settings.solve.tolerance.natural = 1e-8;
        }
        ok = track_step(&k);
    }
    snprintf(name, sizeof name, "%d still spheres", side * side * side);
    ok = ok && try_step(r, &k, name, true);
    track_close(&k);
    return !ok;
}

// ---- what came of it

static int by_score(const void *a, const void *b)
{
    double x = score(a), y = score(b);
    return (x < y) - (x > y);
}

static void print_short(table *t, const route_row *row)
{
    table_word(t, "%s", row->name);
    table_number(t, "%.0e", row->goal);
    table_word(t, "%s", row->own.ended ? row->own.solver : "-");
    table_number(t, "%.4g", 1e3 * row->own.seconds);
    table_number(t, "%.1e", row->own.natural);
    table_word(t, "%s", row->best.solver);
    table_number(t, "%.4g", 1e3 * row->best.seconds);
    table_number(t, "%.2f", row->own.seconds / row->best.seconds);
    table_number(t, "%.2f", row->own.seconds / row->alike.seconds);
    table_row(t);
}

static void summarise(routes *r)
{
    const char *heads[] = {"problem", "goal", "auto by", "auto ms", "natural", "best", "ms", "ratio", "alike"};
    table *t = r->t;
    table_open(t, "rigid: routes of auto that miss what another solver reaches", 9, heads);
    for (int i = 0; i < r->n; i++) {
        if (!r->rows[i].own.reached && r->rows[i].best.reached) {
            print_short(t, &r->rows[i]);
        }
    }
    table_close(t);
    table_open(t, "rigid: routes of auto, the worst ratios", 9, heads);
    qsort(r->rows, (size_t)r->n, sizeof *r->rows, by_score);
    for (int i = 0; i < r->n && i < WORST && score(&r->rows[i]) > 1.0; i++) {
        print_short(t, &r->rows[i]);
    }
    table_note(t,
               "%d rows: auto more than %d times as slow as the best in %d, in %d where that takes islands one by one "
               "too, each to its own figures (alike); misses what another reaches in %d, no solver reaches the goal in "
               "%d",
               r->n, ROUTE_RATIO, r->n_slower, r->n_slower_alike, r->n_missed, r->n_none);
    table_note(t, "where it reaches the goal auto takes %.3f s in all, the best of each row %.3f s", r->seconds_own,
               r->seconds_best);
    table_close(t);
}

int rigid_routes(const bench_options *options, table *t)
{
    static const char *const folders[] = {"ccp", "joints", "lcp", "rigid"};
    const char *heads[] = {"problem", "contacts", "joint rows", "goal", "auto by", "auto ms",
                           "natural", "reached",  "best",       "ms",   "ratio"};
    routes *r = calloc(1, sizeof *r);
    if (!r) {
        return 1;
    }
    r->options = options;
    r->t = t;
    table_open(t, "rigid: auto beside every single solver", 11, heads);
    int failures =
        run_folder(r, options->data) + run_folder(r, TENON_PROBLEMS "/piles") + run_pile(r, options->quick ? 4 : 8);
    for (int i = 0; i < 4; i++) {
        failures += run_scenes(r, folders[i]);
    }
    table_note(t, "processor time with check and certificate; momentum, natural and joint figure within the goal by "
                  "the certificate; 10 000 iterations; files and still spheres from zero forces, steps from their own "
                  "start");
    table_note(t,
               "a solver is stopped where it takes longer than the best so far, or where none gets there, ten times "
               "auto's time or %.0f s (over %d contacts %.0f s); what missed a goal is not asked for a tighter one",
               PATIENCE, MANY, PATIENCE_OF_MANY);
    table_close(t);
    summarise(r);
    free(r);
    return failures;
}
