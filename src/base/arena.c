#include "base/arena.h"

#include "base/assert.h"
#include "base/memory.h"

#include <stdint.h>
#include <string.h>

enum { ALIGNMENT = 64, FIRST_CHUNK = 1 << 12, LARGE = 1 << 16, DOUBLING = 1 << 22 };

typedef struct chunk {
    struct chunk *previous;
    char *block;
    size_t base; // logical offset of block[0] in the arena
    size_t size;
    bool lent; // in the caller's memory
} chunk;

struct tn_arena {
    chunk *top;
    chunk *spare; // a released chunk, kept for the next push that needs one
    size_t used;  // logical offset of the next free byte
    size_t peak;
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

tn_arena *tn_arena_create(size_t first_bytes)
{
    tn_arena *arena = tn_calloc(1, sizeof *arena);
    if (!arena) {
        return NULL;
    }
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
} lent_front;

tn_arena *tn_arena_create_in(void *memory, size_t bytes)
{
    lent_front *front = memory;
    size_t used = align_up(sizeof *front);
    TN_ASSERT((uintptr_t)memory % ALIGNMENT == 0 && bytes > used);
    front->top = (chunk){.block = (char *)memory + used, .size = (bytes - used) / ALIGNMENT * ALIGNMENT, .lent = true};
    front->arena = (tn_arena){.top = &front->top, .lent = true};
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
    if (!arena->lent) {
        tn_free(arena);
    }
}

tn_arena *tn_arena_beside(tn_arena *arena, int k)
{
    for (; arena && k > 0; k--) {
        arena->beside = arena->beside ? arena->beside : tn_arena_create(0);
        arena = arena->beside;
    }
    return arena;
}

// Room for count times size bytes; *bytes: what it takes.
static void *push(tn_arena *arena, size_t count, size_t size, size_t *taken)
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
    arena->peak = arena->used > arena->peak ? arena->used : arena->peak;
    *taken = bytes;
    return block;
}

void *tn_arena_push(tn_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    void *block = push(arena, count, size, &bytes);
    return block ? memset(block, 0, bytes) : NULL;
}

void *tn_arena_push_raw(tn_arena *arena, size_t count, size_t size)
{
    size_t bytes;
    void *block = push(arena, count, size, &bytes);
#ifdef TN_CHECKS
    if (block) {
        memset(block, 0xff, bytes); // NaNs: who reads before writing is found
    }
#endif
    return block;
}

bool tn_arena_push_each(tn_arena *arena, size_t count, size_t n, double **const arrays[])
{
    bool ok = true;
    for (size_t i = 0; i < n; i++) {
        ok = (*arrays[i] = TN_PUSH(arena, double, count)) && ok;
    }
    return ok;
}

tn_arena_mark tn_arena_get_mark(const tn_arena *arena)
{
    return arena->used;
}

void tn_arena_release(tn_arena *arena, tn_arena_mark mark)
{
    TN_ASSERT(mark <= arena->used);
    while (arena->top->previous && arena->top->base >= mark) {
        chunk_drop(arena);
    }
    arena->used = mark;
}

bool tn_arena_level(tn_arena *arena, int n)
{
    size_t most = 0;
    bool ok = true;
    for (int k = 1; k <= n; k++) {
        size_t peak = tn_arena_beside(arena, k)->peak;
        most = peak > most ? peak : most;
    }
    for (int k = 1; k <= n; k++) {
        tn_arena *one = tn_arena_beside(arena, k);
        tn_arena_mark mark = one->used;
        ok = (one->peak >= most || tn_arena_push_raw(one, 1, most - mark - 1)) && ok; // of whole lines, as all
        tn_arena_release(one, mark);
    }
    return ok;
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
