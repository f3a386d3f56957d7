#include "base/arena.h"

#include "base/assert.h"
#include "base/memory.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { ALIGNMENT = 64, FIRST_CHUNK = 1 << 12, LARGE = 1 << 16, DOUBLING = 1 << 22, FIRST_NOTES = 16, LENT_NOTES = 64 };

typedef struct chunk {
    struct chunk *previous;
    char *block;
    size_t base; // logical offset of block[0] in the arena
    size_t size;
    bool lent; // in the caller's memory
} chunk;

// A pushed block: who pushed it and where it ends.
typedef struct note {
    const char *name;
    size_t end;
} note;

typedef struct notes {
    note *item; // (capacity)
    size_t n, capacity;
    bool lent; // in the caller's memory
} notes;

struct tn_arena {
    const char *name;
    chunk *top;
    chunk *spare; // a released chunk, kept for the next push that needs one
    size_t used;  // logical offset of the next free byte
    size_t peak;
    notes live;       // the blocks in use
    notes at_peak;    // those in use when the peak was reached; taken when the first of them is released
    bool peak_grew;   // at_peak is older than peak
    bool lent;        // this lies in the caller's memory
    tn_arena *beside; // for the next thread; NULL: not yet
};

static size_t align_up(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static void chunk_free(chunk *c)
{
    if (c && !c->lent) {
        tn_pages_free(c->block, c->size);
        tn_free(c);
    }
}

static chunk *chunk_create(size_t size)
{
    chunk *c = tn_malloc(sizeof *c);
    if (!c) {
        return NULL;
    }
    *c = (chunk){.block = tn_pages_malloc(size), .size = size};
    if (!c->block) {
        tn_free(c);
        return NULL;
    }
    return c;
}

// Put a chunk of at least size bytes on top: the spare one if it is large enough, else a new one of wanted bytes.
static bool chunk_add(tn_arena *arena, size_t size, size_t wanted)
{
    chunk *c = arena->spare;
    if (c && c->size >= size) {
        arena->spare = NULL;
    } else {
        c = chunk_create(wanted > size ? wanted : size);
        if (!c) {
            return false;
        }
    }
    c->previous = arena->top;
    c->base = arena->used;
    arena->top = c;
    return true;
}

// Take the top chunk off; the larger of it and the spare one becomes the spare one.
static void chunk_drop(tn_arena *arena)
{
    chunk *c = arena->top;
    arena->top = c->previous;
    bool keep = !arena->spare || arena->spare->size < c->size;
    chunk_free(keep ? arena->spare : c);
    arena->spare = keep ? c : arena->spare;
}

static void notes_free(notes *list)
{
    if (!list->lent) {
        tn_free(list->item);
    }
}

tn_arena *tn_arena_create(const char *name, size_t first_bytes)
{
    tn_arena *arena = tn_calloc(1, sizeof *arena);
    if (!arena) {
        return NULL;
    }
    arena->name = name;
    if (!chunk_add(arena, align_up(first_bytes ? first_bytes : FIRST_CHUNK), 0)) {
        tn_free(arena);
        return NULL;
    }
    return arena;
}

// What lies at the front of the caller's memory.
typedef struct lent_front {
    tn_arena arena;
    chunk top;
    note live[LENT_NOTES], at_peak[LENT_NOTES];
} lent_front;

tn_arena *tn_arena_create_in(const char *name, void *memory, size_t bytes)
{
    lent_front *front = memory;
    size_t used = align_up(sizeof *front);
    TN_ASSERT((uintptr_t)memory % ALIGNMENT == 0 && bytes > used);
    front->top = (chunk){.block = (char *)memory + used, .size = (bytes - used) / ALIGNMENT * ALIGNMENT, .lent = true};
    front->arena = (tn_arena){.name = name,
                              .top = &front->top,
                              .live = {.item = front->live, .capacity = LENT_NOTES, .lent = true},
                              .at_peak = {.item = front->at_peak, .capacity = LENT_NOTES, .lent = true},
                              .lent = true};
    return &front->arena;
}

void tn_arena_destroy(tn_arena *arena)
{
    if (!arena) {
        return;
    }
    while (arena->top) {
        chunk_drop(arena);
    }
    tn_arena_destroy(arena->beside);
    chunk_free(arena->spare);
    notes_free(&arena->live);
    notes_free(&arena->at_peak);
    if (!arena->lent) {
        tn_free(arena);
    }
}

tn_arena *tn_arena_beside(tn_arena *arena, int k)
{
    for (; arena && k > 0; k--) {
        arena->beside = arena->beside ? arena->beside : tn_arena_create(arena->name, 0);
        arena = arena->beside;
    }
    return arena;
}

// Room for n notes. Without memory the report gets shorter, nothing worse.
static bool notes_reserve(notes *list, size_t n)
{
    if (n <= list->capacity) {
        return true;
    }
    size_t capacity = n < FIRST_NOTES ? FIRST_NOTES : n + n / 2;
    note *item = tn_realloc(list->lent ? NULL : list->item, capacity * sizeof *item);
    if (item && list->lent) {
        memcpy(item, list->item, list->n * sizeof *item);
        list->lent = false;
    }
    if (item) {
        list->item = item;
        list->capacity = capacity;
    }
    return item != NULL;
}

// At the first release after a peak: note who was there.
static void keep_peak(tn_arena *arena)
{
    if (!arena->peak_grew) {
        return;
    }
    arena->peak_grew = false;
    arena->at_peak.n = 0;
    if (arena->live.n > 0 && notes_reserve(&arena->at_peak, arena->live.n)) {
        memcpy(arena->at_peak.item, arena->live.item, arena->live.n * sizeof(note));
        arena->at_peak.n = arena->live.n;
    }
}

// Room for count times size bytes; *bytes: what it takes.
static void *push(tn_arena *arena, size_t count, size_t size, const char *name, size_t *taken)
{
    if (size && count > (SIZE_MAX / 4) / size) {
        return NULL;
    }
    size_t bytes = align_up(count * size + 1);
    if (arena->used - arena->top->base + bytes > arena->top->size) {
        // What the peak known so far still needs, so that a step that only marks and releases finds one spare chunk
        // for all of it. A new chunk is an eighth of the arena at least: growth takes few, and what stays forever
        // leaves little room unused. Large arenas double: pages nobody touches cost nothing, chunks that the next one
        // outgrows do.
        size_t known = arena->peak > arena->used ? arena->peak - arena->used : 0;
        size_t more = arena->used < DOUBLING ? arena->used / 8 : arena->used;
        if (!chunk_add(arena, bytes > known ? bytes : known, align_up(more > FIRST_CHUNK ? more : FIRST_CHUNK))) {
            return NULL;
        }
    }
    char *block = arena->top->block + (arena->used - arena->top->base);
    arena->used += bytes;
    if (notes_reserve(&arena->live, arena->live.n + 1)) {
        arena->live.item[arena->live.n++] = (note){.name = name, .end = arena->used};
    }
    if (arena->used > arena->peak) {
        arena->peak = arena->used;
        arena->peak_grew = true;
    }
    *taken = bytes;
    return block;
}

void *tn_arena_push(tn_arena *arena, size_t count, size_t size, const char *name)
{
    size_t bytes;
    void *block = push(arena, count, size, name, &bytes);
    return block ? memset(block, 0, bytes) : NULL;
}

void *tn_arena_push_raw(tn_arena *arena, size_t count, size_t size, const char *name)
{
    size_t bytes;
    void *block = push(arena, count, size, name, &bytes);
#ifdef TN_CHECKS
    if (block) {
        memset(block, 0xff, bytes); // NaNs: who reads before writing is found
    }
#endif
    return block;
}

tn_arena_mark tn_arena_get_mark(const tn_arena *arena)
{
    return arena->used;
}

void tn_arena_release(tn_arena *arena, tn_arena_mark mark)
{
    TN_ASSERT(mark <= arena->used);
    keep_peak(arena);
    while (arena->top->previous && arena->top->base >= mark) {
        chunk_drop(arena);
    }
    while (arena->live.n > 0 && arena->live.item[arena->live.n - 1].end > mark) {
        arena->live.n--;
    }
    arena->used = mark;
}

void tn_arena_reset(tn_arena *arena)
{
    bool grew = false;
    if (arena->beside) {
        tn_arena_reset(arena->beside);
    }
    tn_arena_release(arena, 0);
    if (arena->top->size < arena->peak) {
        // An eighth more than the peak, so that slow growth does not reallocate at every step.
        chunk *joined = chunk_create(align_up(arena->peak + arena->peak / 8));
        if (joined) {
            chunk_free(arena->top);
            arena->top = joined;
        }
        grew = arena->peak >= LARGE;
    }
    // Nothing needs the spare chunk once the first one holds the peak.
    if (arena->top->size >= arena->peak) {
        chunk_free(arena->spare);
        arena->spare = NULL;
    }
    if (grew) {
        tn_memory_trim();
    }
}

size_t tn_arena_peak(const tn_arena *arena)
{
    return arena->peak;
}

const char *tn_arena_name(const tn_arena *arena)
{
    return arena->name;
}

static size_t note_bytes(const notes *list, size_t i)
{
    return list->item[i].end - (i > 0 ? list->item[i - 1].end : 0);
}

// The first note with the same name as note i.
static size_t first_of_name(const notes *list, size_t i)
{
    size_t j = 0;
    while (strcmp(list->item[j].name, list->item[i].name) != 0) {
        j++;
    }
    return j;
}

void tn_arena_report(const tn_arena *arena, tn_arena_report_line *line, void *user)
{
    const notes *list = arena->peak_grew ? &arena->live : &arena->at_peak;
    size_t noted = 0;
    for (size_t i = 0; i < list->n; i++) {
        if (first_of_name(list, i) != i) {
            continue;
        }
        size_t bytes = 0, count = 0;
        for (size_t j = i; j < list->n; j++) {
            if (strcmp(list->item[j].name, list->item[i].name) == 0) {
                bytes += note_bytes(list, j);
                count++;
            }
        }
        noted += bytes;
        line(user, list->item[i].name, bytes, count);
    }
    if (noted < arena->peak) {
        line(user, "(unnamed)", arena->peak - noted, 0);
    }
}
