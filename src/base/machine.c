#include "base/machine.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

// From /proc/cpuinfo, where Linux has a line for it (x86 does).
static int processor_name(char *name, int size)
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[256];
    name[0] = '\0';
    while (file && !name[0] && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (colon && strncmp(line, "model name", 10) == 0) {
            colon += strspn(colon, ": ");
            snprintf(name, (size_t)size, "%.*s", (int)strcspn(colon, "\n"), colon);
        }
    }
    if (file) {
        fclose(file);
    }
    return name[0] != '\0';
}

void tn_machine_describe(char text[TN_MACHINE_SIZE])
{
    struct utsname system = {0};
    char name[80];
    uname(&system);
    if (!processor_name(name, sizeof name)) {
        snprintf(name, sizeof name, "%.60s", system.machine);
    }
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    snprintf(text, TN_MACHINE_SIZE, "%s, %ld processor%s, %.20s %.32s", name, n, n == 1 ? "" : "s", system.sysname,
             system.release);
}
