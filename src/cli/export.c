#include "cli/command.h"
int cli_export(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return 2;
}
int cli_plot(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return 2;
}
