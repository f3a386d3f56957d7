#include "view/command.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// A flat object's text, read from left to right; ends in '\0'.
typedef struct reader {
    const char *at;
    const char *why;
} reader;

enum { HAS_COMMAND = 1, HAS_NAME = 2, HAS_VALUE = 4, HAS_BODY = 8, HAS_POINT = 16, HAS_TARGET = 32 };

static bool fail(reader *r, const char *why)
{
    r->why = r->why ? r->why : why;
    return false;
}

static void skip_blanks(reader *r)
{
    r->at += strspn(r->at, " \t\r\n");
}

static bool take(reader *r, char c)
{
    skip_blanks(r);
    if (*r->at != c) {
        return fail(r, "a message is one flat JSON object");
    }
    r->at++;
    return true;
}

static bool next_is(reader *r, char c)
{
    skip_blanks(r);
    return *r->at == c;
}

// No escapes: no name of ours has any.
static bool read_text(reader *r, char out[TN_LIVE_NAME])
{
    if (!take(r, '"')) {
        return false;
    }
    size_t n = strcspn(r->at, "\"\\");
    if (r->at[n] != '"' || n >= TN_LIVE_NAME) {
        return fail(r, "a name is too long or has an escape");
    }
    memcpy(out, r->at, n);
    out[n] = '\0';
    r->at += n + 1;
    return true;
}

static bool read_number(reader *r, double *out)
{
    char *end;
    skip_blanks(r);
    size_t n = strspn(r->at, "+-.0123456789eE");
    *out = strtod(r->at, &end);
    if (n == 0 || end != r->at + n || !isfinite(*out)) {
        return fail(r, "a number is none, or not finite");
    }
    r->at = end;
    return true;
}

static bool read_place(reader *r, double out[3])
{
    bool ok = take(r, '[');
    for (int i = 0; ok && i < 3; i++) {
        ok = (i == 0 || take(r, ',')) && read_number(r, &out[i]);
    }
    return ok && take(r, ']');
}

static int find_action(const char *name)
{
    static const char *const names[TN_LIVE_ACTIONS] = {"pause",  "resume", "step", "reset", "release",
                                                       "solver", "law",    "pace", "pull",  "next"};
    for (int k = 0; k < TN_LIVE_ACTIONS; k++) {
        if (strcmp(names[k], name) == 0) {
            return k;
        }
    }
    return -1;
}

static bool read_action(reader *r, tn_live_command *out)
{
    char name[TN_LIVE_NAME];
    if (!read_text(r, name)) {
        return false;
    }
    int action = find_action(name);
    out->action = action >= 0 ? (tn_live_action)action : out->action;
    return action >= 0 || fail(r, "there is no such command");
}

static bool read_body(reader *r, int *out)
{
    double number;
    if (!read_number(r, &number) || !(number >= 0.0 && number <= 1e9 && floor(number) == number)) {
        return fail(r, "a body is a whole number");
    }
    *out = (int)number;
    return true;
}

static bool read_member(reader *r, tn_live_command *out, unsigned *has)
{
    char key[TN_LIVE_NAME];
    if (!read_text(r, key) || !take(r, ':')) {
        return false;
    }
    const struct {
        const char *key;
        unsigned bit;
    } keys[] = {{"command", HAS_COMMAND}, {"name", HAS_NAME},   {"value", HAS_VALUE},
                {"body", HAS_BODY},       {"point", HAS_POINT}, {"target", HAS_TARGET}};
    unsigned bit = 0;
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        bit = strcmp(keys[k].key, key) == 0 ? keys[k].bit : bit;
    }
    if (bit & *has) {
        return fail(r, "a member is there twice");
    }
    *has |= bit;
    switch (bit) {
    case HAS_COMMAND:
        return read_action(r, out);
    case HAS_NAME:
        return read_text(r, out->name);
    case HAS_VALUE:
        return read_number(r, &out->value);
    case HAS_BODY:
        return read_body(r, &out->body);
    case HAS_POINT:
        return read_place(r, out->point);
    case HAS_TARGET:
        return read_place(r, out->target);
    default:
        return fail(r, "there is an unknown member");
    }
}

static bool is_complete(reader *r, const tn_live_command *command, unsigned has)
{
    static const unsigned wanted[TN_LIVE_ACTIONS] = {[TN_LIVE_SOLVER] = HAS_NAME,
                                                     [TN_LIVE_LAW] = HAS_NAME,
                                                     [TN_LIVE_PACE] = HAS_VALUE,
                                                     [TN_LIVE_PULL] = HAS_BODY | HAS_POINT | HAS_TARGET};
    if (!(has & HAS_COMMAND)) {
        return fail(r, "there is no command");
    }
    if (has != (HAS_COMMAND | wanted[command->action])) {
        return fail(r, "the command's members are others");
    }
    bool pace = command->action == TN_LIVE_PACE;
    return !pace || (command->value >= 0.0 && command->value <= 1e6) || fail(r, "a pace is 0 to 1e6");
}

bool tn_live_command_read(const char *text, size_t n, tn_live_command *out, const char **why)
{
    char copy[TN_LIVE_COMMAND_BYTES + 1];
    reader r = {.at = copy};
    unsigned has = 0;
    *out = (tn_live_command){0};
    bool ok = n <= TN_LIVE_COMMAND_BYTES || fail(&r, "a message is at most 512 bytes long");
    if (ok) {
        memcpy(copy, text, n);
        copy[n] = '\0';
        ok = take(&r, '{');
    }
    while (ok && !next_is(&r, '}')) {
        ok = read_member(&r, out, &has) && (next_is(&r, '}') || take(&r, ','));
    }
    ok = ok && take(&r, '}');
    skip_blanks(&r);
    ok = ok && ((size_t)(r.at - copy) == n || fail(&r, "there is more after the object"));
    ok = ok && is_complete(&r, out, has);
    *why = ok ? "" : r.why;
    return ok;
}
