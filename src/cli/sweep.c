// Sweeps are the Python package's (python/tenon/sweep.py): its interpreter takes this program's place.
#include "cli/command.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define INSTALL                                                                                                        \
    "Debian's packages python3, python3-numpy and python3-yaml are needed, and the package tenon: `make python` in "   \
    "Tenon's source builds it and says how to install it"

static const char program[] =
    "import sys\n"
    "try:\n"
    "    from tenon.sweep import main\n"
    "except ImportError as error:\n"
    "    print(f\"tenon: error: {sys.executable} cannot run sweeps: {error}; " INSTALL "\", file=sys.stderr)\n"
    "    sys.exit(2)\n"
    "sys.exit(main())\n";

// The interpreter is the first python3 of the PATH, which in an environment of its own is that environment's. -P: no
// folder `tenon` of the place that the command is called from.
int cli_sweep(int argc, char **argv)
{
    enum { MOST = 64 };
    char *call[MOST] = {"python3", "-P", "-c", (char *)program};
    tn_error error = {0};
    if (argc > MOST - 4) {
        tn_error_set(&error, TN_BAD_INPUT, "sweep takes one study; see `tenon sweep --help`");
        return cli_report(&error);
    }
    memcpy(call + 4, argv + 1, (size_t)argc * sizeof *call); // with the NULL behind the last
    execvp(call[0], call);
    tn_error_set(&error, TN_BAD_INPUT, "cannot start python3 (%s); " INSTALL, strerror(errno));
    return cli_report(&error);
}
