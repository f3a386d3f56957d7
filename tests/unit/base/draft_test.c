// A draft comes to its place whole or not at all, and never in place of another kind of file.
#include "base/draft.h"
#include "test.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct fixture {
    char folder[64], place[96];
    tn_error error;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    strcpy(f->folder, "/tmp/tenon_draft_XXXXXX");
    assert_non_null(mkdtemp(f->folder));
    snprintf(f->place, sizeof f->place, "%s/a.txt", f->folder);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    remove(f->place);
    assert_int_equal(rmdir(f->folder), 0); // so no draft is left either
    free(f);
    return 0;
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fputs(text, file);
    fclose(file);
}

static void expect_text(const char *path, const char *text)
{
    char found[64] = "";
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    found[fread(found, 1, sizeof found - 1, file)] = 0;
    fclose(file);
    assert_string_equal(found, text);
}

static void test_whole_or_not_at_all(void **state)
{
    fixture *f = *state;
    tn_draft draft;
    size_t size = 0;
    assert_int_equal(tn_draft_open(&draft, f->place, &f->error), TN_OK);
    fputs("first", draft.out);
    assert_int_not_equal(access(f->place, F_OK), 0);
    assert_int_equal(tn_draft_close(&draft, TN_OK, &size, &f->error), TN_OK);
    assert_int_equal(size, 5);
    expect_text(f->place, "first");
    assert_int_equal(tn_draft_open(&draft, f->place, &f->error), TN_OK);
    fputs("second", draft.out);
    assert_int_equal(tn_draft_close(&draft, TN_BAD_INPUT, NULL, &f->error), TN_BAD_INPUT);
    expect_text(f->place, "first");
}

static void test_kinds(void **state)
{
    fixture *f = *state;
    assert_int_equal(tn_draft_check(f->place, "letter", "Dear", &f->error), TN_OK);
    put(f->place, "");
    assert_int_equal(tn_draft_check(f->place, "letter", "Dear", &f->error), TN_OK);
    put(f->place, "DEAR SIR");
    assert_int_equal(tn_draft_check(f->place, "letter", "Dear", &f->error), TN_OK);
    for (int k = 0; k < 2; k++) {
        put(f->place, k ? "Dea" : "To whom it may concern");
        assert_int_equal(tn_draft_check(f->place, "letter", "Dear", &f->error), TN_IO);
        assert_non_null(strstr(f->error.message, "exists and is no letter"));
    }
    assert_int_equal(tn_draft_check(f->place, "letter", "", &f->error), TN_OK);
    assert_int_equal(tn_draft_check(f->folder, "letter", "Dear", &f->error), TN_IO);
    assert_int_equal(tn_draft_check("/nonexistent/a", "letter", "Dear", &f->error), TN_IO);
}

// A link stays one; what it points to is written, if it is of the right kind. A pipe stays one.
static void test_links_and_pipes(void **state)
{
    fixture *f = *state;
    char link[96];
    struct stat info;
    tn_draft draft;
    snprintf(link, sizeof link, "%s/link", f->folder);
    put(f->place, "old");
    assert_int_equal(symlink(f->place, link), 0);
    assert_int_equal(tn_draft_check(link, "letter", "Dear", &f->error), TN_IO);
    assert_int_equal(tn_draft_open(&draft, link, &f->error), TN_OK);
    fputs("new", draft.out);
    assert_int_equal(tn_draft_close(&draft, TN_OK, NULL, &f->error), TN_OK);
    expect_text(f->place, "new");
    assert_true(lstat(link, &info) == 0 && S_ISLNK(info.st_mode));
    remove(link);
    assert_int_equal(mkfifo(link, 0600), 0);
    assert_int_equal(tn_draft_check(link, "letter", "Dear", &f->error), TN_OK);
    assert_true(lstat(link, &info) == 0 && S_ISFIFO(info.st_mode));
    remove(link);
}

// A program that is killed while it writes leaves nothing, where the file system allows it.
static void test_killed(void **state)
{
    fixture *f = *state;
    int nameless = open(f->folder, O_TMPFILE | O_WRONLY, 0666);
    if (nameless < 0) {
        skip();
    }
    close(nameless);
    pid_t child = fork();
    if (child == 0) {
        tn_draft draft;
        bool opened = tn_draft_open(&draft, f->place, &f->error) == TN_OK && fputs("half", draft.out) > 0;
        fflush(draft.out);
        _exit(opened ? 0 : 1); // as by a signal: nothing is tidied up
    }
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result) && WEXITSTATUS(result) == 0); // teardown finds the folder empty
}

// Two that write to one place at once do not mix: the last one's file is there.
static void test_two_at_once(void **state)
{
    fixture *f = *state;
    tn_draft one, other;
    assert_int_equal(tn_draft_open(&one, f->place, &f->error), TN_OK);
    pid_t child = fork();
    if (child == 0) {
        bool fine = tn_draft_open(&other, f->place, &f->error) == TN_OK && fputs("the other", other.out) > 0 &&
                    tn_draft_close(&other, TN_OK, NULL, &f->error) == TN_OK;
        _exit(fine ? 0 : 1);
    }
    int result;
    assert_int_equal(waitpid(child, &result, 0), child);
    assert_true(WIFEXITED(result) && WEXITSTATUS(result) == 0);
    expect_text(f->place, "the other");
    fputs("one", one.out);
    assert_int_equal(tn_draft_close(&one, TN_OK, NULL, &f->error), TN_OK);
    expect_text(f->place, "one");
}

// Writing to a full disk is an error whatever the writer says.
static void test_full_disk(void **state)
{
    fixture *f = *state;
    char link[96];
    tn_draft draft;
    snprintf(link, sizeof link, "%s/full", f->folder);
    if (access("/dev/full", W_OK) != 0 || symlink("/dev/full", link) != 0) {
        skip();
    }
    assert_int_equal(tn_draft_open(&draft, link, &f->error), TN_OK);
    fputs("more than fits", draft.out);
    assert_int_equal(tn_draft_close(&draft, TN_OK, NULL, &f->error), TN_IO);
    assert_non_null(strstr(f->error.message, "No space left"));
    remove(link);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_whole_or_not_at_all, setup, teardown),
        cmocka_unit_test_setup_teardown(test_kinds, setup, teardown),
        cmocka_unit_test_setup_teardown(test_links_and_pipes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_killed, setup, teardown),
        cmocka_unit_test_setup_teardown(test_two_at_once, setup, teardown),
        cmocka_unit_test_setup_teardown(test_full_disk, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
