// A folder of broken files with a list `expected`: a line a file, its name and what the reader says.
#pragma once

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "test.h"

// check_line (the line without its end, inside the folder): 1 if the reader says something else. At least so many
// files.
static inline void broken_files_check(const char *folder, int (*check_line)(char *line), int at_least)
{
    char here[4096], line[1024];
    assert_non_null(getcwd(here, sizeof here));
    assert_int_equal(chdir(folder), 0);
    FILE *list = fopen("expected", "r");
    assert_non_null(list);
    int files = 0, wrong = 0;
    while (fgets(line, sizeof line, list)) {
        line[strcspn(line, "\n")] = 0;
        files++;
        wrong += check_line(line);
    }
    fclose(list);
    assert_int_equal(chdir(here), 0);
    printf("%d broken files, %d with another message or place (limit 0)\n", files, wrong);
    assert_int_equal(wrong, 0);
    assert_true(files >= at_least);
}
