// Feeds every file of the folders (or files) on the command line to a fuzz target: the corpus as a test.
#include "fuzz.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

static int replay_file(const char *path)
{
    static uint8_t data[1 << 20];
    FILE *file = fopen(path, "rb");
    if (!file) {
        return 0;
    }
    size_t size = fread(data, 1, sizeof data, file);
    fclose(file);
    LLVMFuzzerTestOneInput(data, size);
    return 1;
}

static int replay_folder(const char *path)
{
    DIR *dir = opendir(path);
    int n = 0;
    if (!dir) {
        return replay_file(path);
    }
    for (struct dirent *entry; (entry = readdir(dir));) {
        char name[4096];
        if (entry->d_name[0] != '.' && snprintf(name, sizeof name, "%s/%s", path, entry->d_name) < (int)sizeof name) {
            n += replay_file(name);
        }
    }
    closedir(dir);
    return n;
}

int main(int argc, char **argv)
{
    int n = 0;
    for (int i = 1; i < argc; i++) {
        n += replay_folder(argv[i]);
    }
    printf("%d inputs replayed\n", n);
    return n > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
