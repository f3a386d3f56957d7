// Many humanoids in one MJCF file: copies of the only body of the world, their names numbered.
#include "robots.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct text {
    char *data;
    size_t n, room;
} text;

static void add_part(text *t, const char *from, size_t n)
{
    if (t->data && t->n + n + 1 > t->room) {
        t->room = 2 * (t->n + n + 1);
        char *more = realloc(t->data, t->room);
        if (!more) {
            free(t->data);
        }
        t->data = more;
    }
    if (t->data) {
        memcpy(t->data + t->n, from, n);
        t->data[t->n += n] = '\0';
    }
}

__attribute__((format(printf, 2, 3))) static void add(text *t, const char *format, ...)
{
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    add_part(t, line, strlen(line));
}

// What lies between two places of the text, "-number" behind each name.
static void add_numbered(text *t, const char *from, const char *to, int number)
{
    static const char *const NAMES[] = {" name=\"", " body1=\"", " body2=\""};
    while (from < to) {
        const char *next = to;
        for (int k = 0; k < 3; k++) {
            const char *found = strstr(from, NAMES[k]);
            const char *end = found ? strchr(found + strlen(NAMES[k]), '"') : NULL;
            next = end && end < next ? end : next;
        }
        add_part(t, from, (size_t)(next - from));
        if (next < to) {
            add(t, "-%d\"", number);
        }
        from = next < to ? next + 1 : to;
    }
}

static char *read_all(const char *path)
{
    enum { LARGEST = 1 << 20 };
    FILE *file = fopen(path, "r");
    char *all = file ? calloc(1, LARGEST) : NULL;
    if (all && fread(all, 1, LARGEST - 1, file) == 0) {
        free(all);
        all = NULL;
    }
    if (file) {
        fclose(file);
    }
    return all;
}

// Five to a side and layer; turned about all axes, and so far apart that none touches another at first.
static void add_copies(text *t, const char *body, const char *end, int n)
{
    const double APART = 2.4; // [m]
    const char *inside = strstr(body, " childclass");
    unsigned random = 1;
    for (int i = 0; i < n; i++) {
        double turn[4];
        for (int k = 0; k < 4; k++) {
            random = 1664525u * random + 1013904223u;
            turn[k] = (double)(random >> 8) / (1 << 24) - 0.5;
        }
        add(t, "<body name=\"torso-%d\" pos=\"%g %g %g\" quat=\"%g %g %g %g\"", i, APART * (i % 5), APART * (i / 5 % 5),
            1.4 + APART * (i / 25), turn[0], turn[1], turn[2], turn[3]);
        add_numbered(t, inside, end, i);
    }
}

char *robots_heap(const char *path, int n)
{
    char *all = read_all(path);
    const char *option = all ? strstr(all, "<option") : NULL, *body = all ? strstr(all, "<body") : NULL;
    const char *end = all ? strstr(all, "</worldbody>") : NULL, *excludes = all ? strstr(all, "<exclude") : NULL;
    const char *excluded = all ? strstr(all, "</contact>") : NULL;
    text t = {.data = calloc(1, 1), .room = 1};
    if (option && body && end && excludes && excluded && strstr(body, " childclass")) {
        add_part(&t, all, (size_t)(option - all));
        add(&t, "<size njmax=\"%d\" nconmax=\"%d\" nstack=\"100000000\"/>", 100 * n, 20 * n);
        add_part(&t, option, (size_t)(body - option));
        add_copies(&t, body, end, n);
        add(&t, "</worldbody><contact>");
        for (int i = 0; i < n; i++) {
            add_numbered(&t, excludes, excluded, i);
        }
        add(&t, "</contact></mujoco>");
    }
    free(all);
    if (t.n == 0) {
        free(t.data);
        return NULL;
    }
    return t.data;
}
