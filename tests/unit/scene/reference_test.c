// The reference page and the schema come from the reader's table: both name every key, and the page is the one in
// docs/.
#include <math.h>

#include "parse.h"

#include "scene/print.h"
#include "test.h"

#include <ctype.h>
#include <stdlib.h>

typedef struct buffer {
    size_t n;
    char text[1 << 18];
} buffer;

static void append(void *user, const char *text, size_t length)
{
    buffer *b = user;
    assert_true(b->n + length < sizeof b->text);
    memcpy(b->text + b->n, text, length);
    b->n += length;
    b->text[b->n] = 0;
}

static void page_is_the_one_in_docs(void **state)
{
    static buffer made;
    static char stored[sizeof made.text];
    tn_scene_reference_markdown(append, &made);
    FILE *file = fopen(TENON_SOURCE_DIR "/docs/scene.md", "r");
    assert_non_null(file);
    stored[fread(stored, 1, sizeof stored - 1, file)] = 0;
    fclose(file);
    if (strcmp(stored, made.text) != 0) {
        printf("docs/scene.md is out of date: tenon info --scene-reference > docs/scene.md\n");
    }
    assert_string_equal(stored, made.text);
}

// ---- a strict JSON reader that keeps nothing

static const char *skip_space(const char *p)
{
    return p + strspn(p, " \t\r\n");
}

static const char *skip_string(const char *p)
{
    assert_int_equal(*p, '"');
    for (p++; *p != '"'; p++) {
        assert_true((unsigned char)*p >= 32);
        if (*p == '\\') {
            p++;
            assert_non_null(strchr("\"\\/bfnrt", *p));
        }
    }
    return p + 1;
}

static const char *skip_value(const char *p);

static const char *skip_members(const char *p, char close, int named)
{
    p = skip_space(p + 1);
    if (*p == close) {
        return p + 1;
    }
    for (;;) {
        if (named) {
            p = skip_space(skip_string(skip_space(p)));
            assert_int_equal(*p, ':');
            p++;
        }
        p = skip_space(skip_value(p));
        if (*p == close) {
            return p + 1;
        }
        assert_int_equal(*p, ',');
        p++;
    }
}

static const char *skip_value(const char *p)
{
    p = skip_space(p);
    if (*p == '{' || *p == '[') {
        return skip_members(p, *p == '{' ? '}' : ']', *p == '{');
    }
    if (*p == '"') {
        return skip_string(p);
    }
    static const char *const words[] = {"true", "false", "null"};
    for (int i = 0; i < 3; i++) {
        if (strncmp(p, words[i], strlen(words[i])) == 0) {
            return p + strlen(words[i]);
        }
    }
    char *end = NULL;
    assert_true(*p == '-' || isdigit((unsigned char)*p));
    strtod(p, &end);
    assert_true(end > p);
    return end;
}

static void schema_is_json_with_every_key(void **state)
{
    static buffer made;
    tn_scene_schema_json(append, &made);
    assert_string_equal(skip_space(skip_value(made.text)), "");
    const tn_section *list[TN_SECTIONS_MAX];
    int n = tn_sections_list(&tn_section_scene, list), keys = 0;
    for (int i = 0; i < n; i++) {
        char quoted[100];
        snprintf(quoted, sizeof quoted, "\"%s\": {\"description\"", list[i]->name);
        assert_non_null(strstr(made.text, quoted));
        for (int k = 0; k < list[i]->n_keys; k++) {
            snprintf(quoted, sizeof quoted, "\"%s\": {\"description\"", list[i]->keys[k].name);
            assert_non_null(strstr(made.text, quoted));
            keys++;
        }
    }
    printf("schema: %zu bytes of JSON, %d sections, %d keys\n", made.n, n, keys);
    assert_true(n >= 20 && keys >= 90);
}

static void tables_are_sound(void **state)
{
    const tn_section *list[TN_SECTIONS_MAX];
    int n = tn_sections_list(&tn_section_scene, list);
    for (int i = 0; i < n; i++) {
        for (int k = 0; k < list[i]->n_keys; k++) {
            const tn_key *key = &list[i]->keys[k];
            int is_section = key->type >= TN_KEY_GROUP;
            assert_true(key->doc && key->doc[0]);
            assert_true(!is_section || key->section);
            assert_true((key->type == TN_KEY_CHOICE || key->type == TN_KEY_WORD) == (key->choices != NULL));
            assert_true(key->low <= key->high && !(key->required && key->fallback));
            assert_true(tn_section_key(list[i], key->name) == key); // no name twice
        }
        assert_true(!list[i]->shorthand || tn_section_key(list[i], list[i]->shorthand));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(page_is_the_one_in_docs),
        cmocka_unit_test(schema_is_json_with_every_key),
        cmocka_unit_test(tables_are_sound),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
