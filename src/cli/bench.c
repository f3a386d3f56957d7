// `tenon bench`: starts the program tenon-bench, which links what other engines there are.
#include "cli/command.h"
#include "tenon/error.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

// Where this program lies, with the final '/'. false: unknown.
static int own_folder(char path[PATH_SIZE])
{
    ssize_t length = readlink("/proc/self/exe", path, PATH_SIZE - 1);
    if (length <= 0) {
        return 0;
    }
    path[length] = '\0';
    char *slash = strrchr(path, '/');
    if (!slash) {
        return 0;
    }
    slash[1] = '\0';
    return 1;
}

// The benchmarks are a program of their own (they link rival engines): beside this one in a build folder and in an
// installation, else on the PATH. argv is passed on as it is.
int cli_bench(int argc, char **argv)
{
    char folder[PATH_SIZE], path[PATH_SIZE + 64];
    argv[0] = (char[]){"tenon-bench"};
    if (own_folder(folder)) {
        snprintf(path, sizeof path, "%stenon-bench", folder);
        execv(path, argv);
    }
    execvp("tenon-bench", argv);
    tn_error error = {0};
    if (errno == ENOENT) {
        tn_error_set(&error, TN_BAD_INPUT,
                     "the program tenon-bench is not installed; build Tenon with -DTENON_BENCH=ON (make bench)");
    } else {
        tn_error_set(&error, TN_BAD_INPUT, "cannot start tenon-bench: %s", strerror(errno));
    }
    return cli_report(&error);
}
