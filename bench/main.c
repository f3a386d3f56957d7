// tenon-bench: the tables of the documents, soft and rigid bodies, other engines on the same scenes, the kernels.
#include "bench.h"
#include "view/page_file.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const USAGE =
    "usage: tenon bench [papers|soft|rigid|robots|plan|siconos|kernels|gallery] [--only NAME] [--trials N] [--quick] "
    "[--json]\n"
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
    "  siconos  Siconos' solvers on the same friction problems: settled piles, and --data DIR: FCLIB files\n"
    "           (--only friction, or piles|stacks|files of it; lemke)\n"
    "  kernels  the hot loops against this machine's limits\n"
    "  gallery  every scene at each accuracy, under every scheme and solver, an hour; only when it is named\n"
    "           (--only, any of: steps|runs|speed, scenes, schemes, solvers)\n";

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

double bench_median(int n, double *values)
{
    qsort(values, (size_t)n, sizeof *values, compare);
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
    tn_scene *loaded = tn_scene_load(path, n_set, set, &error);
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

int main(int argc, char **argv)
{
    bench_options options = {.scenes =
                                 access(TENON_SCENES_SOURCE, R_OK) == 0 ? TENON_SCENES_SOURCE : TENON_SCENES_INSTALLED};
    const char *what = NULL;
    for (int i = 1; i < argc; i++) {
        if (!strcmp(argv[i], "--quick")) {
            options.quick = true;
        } else if (!strcmp(argv[i], "--json")) {
            options.json = true;
        } else if (!strcmp(argv[i], "--only") && i + 1 < argc) {
            options.only = argv[++i];
        } else if (!strcmp(argv[i], "--svg") && i + 1 < argc) {
            options.svg = argv[++i];
        } else if (!strcmp(argv[i], "--html") && i + 1 < argc) {
            options.html = argv[++i];
        } else if (!strcmp(argv[i], "--trials") && i + 1 < argc && atoi(argv[i + 1]) > 0) {
            options.trials = atoi(argv[++i]);
        } else if (!strcmp(argv[i], "--data") && i + 1 < argc) {
            options.data = argv[++i];
        } else if (!strcmp(argv[i], "--scenes") && i + 1 < argc) {
            options.scenes = argv[++i];
        } else if (!strcmp(argv[i], "--help") || !strcmp(argv[i], "-h")) {
            fputs(USAGE, stdout);
            return 0;
        } else if (argv[i][0] != '-' && !what) {
            what = argv[i];
        } else {
            return usage("unknown or incomplete argument");
        }
    }
    const struct {
        const char *name;
        int (*run)(const bench_options *, table *);
    } suites[] = {{"papers", bench_papers},   {"soft", bench_soft},      {"kernels", bench_kernels},
                  {"robots", bench_robots},   {"plan", bench_plan},      {"rigid", bench_rigid},
                  {"siconos", bench_siconos}, {"gallery", bench_gallery}};
    if (options.only && !what) {
        return usage("--only goes with one of the suites");
    }
    table t;
    int failures = 0, n_run = 0;
    for (int i = 0; i < (int)(sizeof suites / sizeof *suites); i++) {
        bool all = !what && suites[i].run != bench_gallery;
        if (!all && (!what || strcmp(what, suites[i].name) != 0)) {
            continue;
        }
        if (n_run++ == 0) {
            table_start(&t, options.json);
            if (!start_page(&t, &options, what)) {
                return 2;
            }
        }
        int failed = suites[i].run(&options, &t);
        if (failed == BENCH_UNKNOWN) {
            return 2;
        }
        failures += failed;
    }
    if (n_run == 0) {
        return usage("unknown suite");
    }
    table_end(&t);
    if (options.html && !table_write_page(&t, options.html)) {
        return 2;
    }
    return failures ? 1 : 0;
}
