// tenon-bench: the tables of the documents, soft and rigid bodies, other engines on the same scenes, the kernels.
#include "base/order.h"
#include "bench.h"
#include "view/page_file.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const USAGE =
    "usage: tenon bench [papers|soft|rigid|robots|plan|siconos|kernels|gallery] [--only NAME] [--trials N] [--quick] "
    "[--json [FILE.json]]\n"
    "                   [--html FILE] [--svg FILE] [--data DIR] [--scenes DIR]\n"
    "  papers   the documents' tables with their numbers beside ours (--only cond; --trials N: randomised, default "
    "20)\n"
    "  soft     soft bodies: speed, stiffness, accuracy per time, size\n"
    "           (--only speed|stiff|accuracy (of it mat, ball, gripper)|lifted|slab; --svg FILE: chart of accuracy per "
    "time)\n"
    "  rigid    rigid bodies: speed and accuracy beside other engines from Debian's packages, columns, heaps, size\n"
    "           (--only speed|stack|heap|fclib|scaling|threads|interior|terrain|graphs|routes|pairs|granular; --svg "
    "FILE: chart of accuracy per time)\n"
    "  robots   the same MJCF files here and in MuJoCo: steps a second, simulated seconds a second at the same error\n"
    "           (--only arm|humanoid|quadruped|heap)\n"
    "  plan     optimal control through contact: the planners on the same problems, a budget of time\n"
    "           (--only document|walls|budget|push|catch)\n"
    "  siconos  Siconos' solvers on the same friction problems: settled piles and FCLIB files (--data DIR: others)\n"
    "           (--only friction, or piles|stacks|files of it; lemke)\n"
    "  kernels  the hot loops against this machine's limits\n"
    "  gallery  every scene at each accuracy, under every scheme and solver, an hour; only when it is named\n"
    "           (--only, any of: steps|runs|speed, scenes, schemes, solvers)\n";

double bench_median(int n, double *values)
{
    qsort(values, (size_t)n, sizeof *values, tn_order_doubles);
    return n == 0 ? 0.0 : n % 2 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

bool bench_listed(const char *list, const char *name)
{
    size_t n = strlen(name);
    for (const char *word = list; word; word = strchr(word, ',') ? strchr(word, ',') + 1 : NULL) {
        if (strncmp(word, name, n) == 0 && (word[n] == ',' || word[n] == '\0')) {
            return true;
        }
    }
    return false;
}

bool bench_knows(const bench_options *options, const char *suite, int n, const char *const names[])
{
    const char *word = options->only;
    while (word) {
        size_t length = strcspn(word, ",");
        bool known = false;
        for (int i = 0; i < n; i++) {
            known = known || (strlen(names[i]) == length && strncmp(names[i], word, length) == 0);
        }
        if (!known) {
            fprintf(stderr, "tenon-bench: %s has%s", suite, n ? "" : " no parts");
            for (int i = 0; i < n; i++) {
                fprintf(stderr, "%s %s", i ? "," : "", names[i]);
            }
            fprintf(stderr, "%s; not '%.*s'\n", n ? ", alone or as a list with commas" : "", (int)length, word);
            return false;
        }
        word = word[length] ? word + length + 1 : NULL;
    }
    return true;
}

tn_model *bench_model(const bench_options *options, const char *scene, int n_set, const char *const *set)
{
    char path[4096], text[1200];
    snprintf(path, sizeof path, "%s/%s", options->scenes, scene);
    tn_error error = {0};
    const char **all = malloc((size_t)(1 + n_set) * sizeof *all);
    if (!all) {
        return NULL;
    }
    all[0] = "solver.threads=1"; // as other engines have, unless set says more
    for (int i = 0; i < n_set; i++) {
        all[1 + i] = set[i];
    }
    tn_scene *loaded = tn_scene_load(path, 1 + n_set, all, &error);
    free(all);
    tn_model *model = loaded ? tn_model_create(loaded, &error) : NULL;
    if (!model) {
        fprintf(stderr, "tenon-bench: %s\n", tn_error_text(&error, text, sizeof text));
    }
    return model;
}

static int usage(const char *what)
{
    fprintf(stderr, "tenon-bench: %s\n%s", what, USAGE);
    return 2;
}

// false: the page could not be written in the end, better said now.
static bool start_page(table *t, const bench_options *options, const char *what)
{
    char title[160];
    snprintf(title, sizeof title, "tenon bench%s%s%s%.80s%s", what ? " " : "", what ? what : "",
             options->only ? " --only " : "", options->only ? options->only : "", options->quick ? " --quick" : "");
    tn_error error = {0};
    if (!options->html) {
        return true;
    }
    if (tn_page_check(options->html, &error) != TN_OK) {
        fprintf(stderr, "tenon-bench: %s\n", error.message);
        return false;
    }
    table_start_page(t, title);
    return true;
}

// NULL: it cannot be written, and standard error says why.
static FILE *open_json(const char *path)
{
    FILE *out = strcmp(path, "-") == 0 ? stdout : fopen(path, "w");
    if (!out) {
        fprintf(stderr, "tenon-bench: cannot write %s: %s\n", path, strerror(errno));
    }
    return out;
}

// Where the text of such an option goes; NULL: it takes none.
static const char **text_of(bench_options *options, const char *name)
{
    const struct {
        const char *name, **text;
    } texts[] = {{"--only", &options->only},
                 {"--svg", &options->svg},
                 {"--html", &options->html},
                 {"--data", &options->data},
                 {"--scenes", &options->scenes}};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        if (!strcmp(name, texts[i].name)) {
            return texts[i].text;
        }
    }
    return NULL;
}

static bool is_json_file(const char *name)
{
    const char *end = name ? strrchr(name, '.') : NULL;
    return end && !strcmp(end, ".json");
}

// false: an argument is unknown or lacks its value. help is set where it is asked for.
static bool read_arguments(int argc, char **argv, bench_options *options, const char **suite, bool *help)
{
    for (int i = 1; i < argc && !*help; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : NULL, **text = text_of(options, argv[i]);
        if (text && next) {
            *text = next;
            i++;
        } else if (!strcmp(argv[i], "--quick")) {
            options->quick = true;
        } else if (!strcmp(argv[i], "--json")) {
            options->json = is_json_file(next) ? argv[++i] : "-";
        } else if (!strcmp(argv[i], "--trials") && next && atoi(next) > 0) {
            options->trials = atoi(argv[++i]);
        } else if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            *help = true;
        } else if (argv[i][0] != '-' && !*suite) {
            *suite = argv[i];
        } else {
            return false;
        }
    }
    return true;
}

typedef struct suite {
    const char *name;
    int (*run)(const bench_options *, table *);
} suite;
static const suite SUITES[] = {{"papers", bench_papers},   {"soft", bench_soft},      {"kernels", bench_kernels},
                               {"robots", bench_robots},   {"plan", bench_plan},      {"rigid", bench_rigid},
                               {"siconos", bench_siconos}, {"gallery", bench_gallery}};
enum { N_SUITES = sizeof SUITES / sizeof *SUITES };

// Without a name all but the gallery's.
static bool is_wanted(const suite *s, const char *name)
{
    return name ? strcmp(name, s->name) == 0 : s->run != bench_gallery;
}

// The exit code. what: a suite's name, NULL: all.
static int run_suites(const bench_options *options, const char *what)
{
    table t;
    int failures = 0;
    FILE *json = options->json ? open_json(options->json) : NULL;
    if (options->json && !json) {
        return 2;
    }
    table_start(&t, json);
    if (!start_page(&t, options, what)) {
        return 2;
    }
    for (int i = 0; i < N_SUITES; i++) {
        int failed = is_wanted(&SUITES[i], what) ? SUITES[i].run(options, &t) : 0;
        if (failed == BENCH_UNKNOWN) {
            return 2;
        }
        failures += failed;
    }
    if (!table_end(&t)) {
        fprintf(stderr, "tenon-bench: cannot write %s: %s\n", options->json, strerror(errno));
        return 2;
    }
    if (options->html && !table_write_page(&t, options->html)) {
        return 2;
    }
    return failures ? 1 : 0;
}

int main(int argc, char **argv)
{
    bench_options options = {.data = TENON_PROBLEMS "/fclib",
                             .scenes =
                                 access(TENON_SCENES_SOURCE, R_OK) == 0 ? TENON_SCENES_SOURCE : TENON_SCENES_INSTALLED};
    const char *what = NULL;
    bool help = false, known = false;
    if (!read_arguments(argc, argv, &options, &what, &help)) {
        return usage("unknown or incomplete argument");
    }
    if (help) {
        fputs(USAGE, stdout);
        return 0;
    }
    if (options.only && !what) {
        return usage("--only goes with one of the suites");
    }
    for (int i = 0; i < N_SUITES; i++) {
        known = known || is_wanted(&SUITES[i], what);
    }
    return known ? run_suites(&options, what) : usage("unknown suite");
}
