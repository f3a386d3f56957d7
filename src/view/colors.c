#include "view/colors.h"

#include "base/arena.h"
#include "scene/scene.h"

#include <math.h>
#include <string.h>

enum { PALETTE = 8 };
static const uint32_t palette[PALETTE] = {0x3b7dc4, 0xe8873a, 0x2f9c8f, 0xd1495b,
                                          0x7d5ba6, 0xe3b23c, 0x5b8c3e, 0x8a6a58};
static const uint32_t fixed_color = 0xb9c0c8, driven_color = 0x8f9a86, rope_color = 0xc98f3c;
static const uint32_t link_colors[2] = {0xeceff1, 0x46525e}; // from link to link

static void set(float rgb[3], uint32_t color)
{
    for (int c = 0; c < 3; c++) {
        rgb[c] = (float)(color >> (16 - 8 * c) & 0xff) / 255.0F;
    }
}

// Which moving bodies are joined: neighbours of b are other[first[b]] to other[first[b + 1] - 1].
typedef struct links {
    int *first; // (n_bodies + 1)
    int *other; // (2 n_joints)
    int *depth; // (n_bodies) from where the search began; -1: not seen yet
    int *queue; // (n_bodies)
    bool *rod;  // (n_bodies) a piece of one
} links;

static bool is_free(const tn_recording *r, int body)
{
    return body > 0 && r->kinds[body] == TN_BODY_FREE;
}

// Between two pieces of one rod: bodies name[0], name[1] ...
static bool joins_rod(const tn_recording *r, int joint, int a, int b)
{
    const char *end = strrchr(r->names[a], '['), *other_end = strrchr(r->names[b], '[');
    return strcmp(r->joint_types[joint], "bushing") == 0 && end && other_end &&
           end - r->names[a] == other_end - r->names[b] &&
           strncmp(r->names[a], r->names[b], (size_t)(end - r->names[a])) == 0;
}

// Counts (other NULL) or fills in.
static void list_links(const tn_recording *r, const links *l, int *count)
{
    for (int j = 0; j < r->n_joints && r->joint_bodies; j++) {
        int a = r->joint_bodies[2 * j], b = r->joint_bodies[2 * j + 1];
        if (!is_free(r, a) || !is_free(r, b)) {
            continue;
        }
        if (l->other) {
            l->other[l->first[a] + count[a]] = b;
            l->other[l->first[b] + count[b]] = a;
            bool piece = joins_rod(r, j, a, b);
            l->rod[a] = l->rod[a] || piece;
            l->rod[b] = l->rod[b] || piece;
        }
        count[a]++;
        count[b]++;
    }
}

// NULL other: no memory.
static void find_links(const tn_recording *r, tn_arena *arena, links *l)
{
    size_t n = (size_t)r->n_bodies + 1;
    *l = (links){.first = TN_PUSH(arena, int, n),
                 .depth = TN_PUSH(arena, int, n),
                 .queue = TN_PUSH(arena, int, n),
                 .rod = TN_PUSH(arena, bool, n)};
    int *count = TN_PUSH(arena, int, n);
    if (!l->first || !l->depth || !l->queue || !l->rod || !count) {
        return;
    }
    list_links(r, l, count);
    for (int b = 0; b < r->n_bodies; b++) {
        l->first[b + 1] = l->first[b] + count[b];
        l->depth[b] = -1;
    }
    memset(count, 0, n * sizeof *count);
    l->other = TN_PUSH(arena, int, l->first[r->n_bodies]);
    if (l->other) {
        list_links(r, l, count);
    }
}

static bool is_last(const links *l, int b)
{
    bool last = true;
    for (int k = l->first[b] + 1; k < l->first[b + 1]; k++) {
        last = last && l->other[k] == l->other[l->first[b]];
    }
    return last;
}

// Breadth first through the mechanism of this body.
static void color_mechanism(const links *l, int start, float *rgb)
{
    int n = 0;
    l->queue[n++] = start;
    l->depth[start] = 0;
    for (int k = 0; k < n; k++) {
        int b = l->queue[k];
        uint32_t link = is_last(l, b) ? palette[start % PALETTE] : link_colors[l->depth[b] % 2];
        set(rgb + 3 * (size_t)b, l->rod[b] ? rope_color : link);
        for (int i = l->first[b]; i < l->first[b + 1]; i++) {
            if (l->depth[l->other[i]] < 0) {
                l->depth[l->other[i]] = l->depth[b] + 1;
                l->queue[n++] = l->other[i];
            }
        }
    }
}

tn_status tn_view_color_bodies(const tn_recording *r, float *rgb, tn_error *error)
{
    links l = {0};
    tn_arena *arena = tn_arena_create(0);
    if (arena) {
        find_links(r, arena, &l);
    }
    bool ok = l.other != NULL;
    for (int b = 0; ok && b < r->n_bodies; b++) {
        if (l.first[b + 1] > l.first[b] && l.depth[b] < 0) {
            color_mechanism(&l, b, rgb);
        } else if (l.first[b + 1] == l.first[b]) {
            int kind = r->kinds[b];
            set(rgb + 3 * (size_t)b, kind == TN_BODY_FIXED       ? fixed_color
                                     : kind == TN_BODY_KINEMATIC ? driven_color
                                                                 : palette[b % PALETTE]);
        }
    }
    for (size_t b = 0; ok && b < (size_t)r->n_bodies; b++) {
        if (!isnan(r->rgb[3 * b])) {
            memcpy(rgb + 3 * b, r->rgb + 3 * b, 3 * sizeof *rgb);
        }
    }
    tn_arena_destroy(arena);
    return ok ? TN_OK : tn_error_set(error, TN_NO_MEMORY, "no memory for the colours of bodies");
}

double tn_color_to_light(double x)
{
    return x <= 0.04045 ? x / 12.92 : pow((x + 0.055) / 1.055, 2.4);
}

double tn_color_to_screen(double x)
{
    return x <= 0.0031308 ? 12.92 * x : 1.055 * pow(x, 1.0 / 2.4) - 0.055;
}
