#include "base/arena.h"

#include "base/assert.h"
#include "base/memory.h"

#include <stdint.h>
#include <string.h>

enum { ALIGNMENT = 64, FIRST_CHUNK = 1 << 16 };

typedef struct chunk {
    struct chunk *previous;
    char *block;
    size_t base; // logical offset of block[0] in the arena
    size_t size;
} chunk;

struct tn_arena {
    const char *name;
    chunk *top;
    size_t used; // logical offset of the next free byte
    size_t peak;
};

static size_t align_up(size_t bytes)
{
    return (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
}

static int chunk_add(tn_arena *arena, size_t size)
{
    chunk *c = tn_malloc(sizeof *c);
    char *block = c ? tn_aligned_calloc(size) : NULL;
    if (!block) {
        tn_free(c);
        return 0;
    }
    *c = (chunk){.previous = arena->top, .block = block, .base = arena->used, .size = size};
    arena->top = c;
    return 1;
}

static void chunk_drop(tn_arena *arena)
{
    chunk *c = arena->top;
    arena->top = c->previous;
    tn_free(c->block);
    tn_free(c);
}

tn_arena *tn_arena_create(const char *name, size_t first_bytes)
{
    tn_arena *arena = tn_calloc(1, sizeof *arena);
    if (!arena) {
        return NULL;
    }
    arena->name = name;
    if (!chunk_add(arena, align_up(first_bytes ? first_bytes : FIRST_CHUNK))) {
        tn_free(arena);
        return NULL;
    }
    return arena;
}

void tn_arena_destroy(tn_arena *arena)
{
    if (!arena) {
        return;
    }
    while (arena->top) {
        chunk_drop(arena);
    }
    tn_free(arena);
}

void *tn_arena_push(tn_arena *arena, size_t count, size_t size, const char *name)
{
    (void)name;
    if (size && count > (SIZE_MAX / 4) / size) {
        return NULL;
    }
    size_t bytes = align_up(count * size + 1);
    if (arena->used - arena->top->base + bytes > arena->top->size) {
        // Double the arena, so that growth takes few chunks.
        size_t wanted = bytes > arena->used ? bytes : arena->used;
        if (!chunk_add(arena, align_up(wanted > FIRST_CHUNK ? wanted : FIRST_CHUNK))) {
            return NULL;
        }
    }
    char *block = arena->top->block + (arena->used - arena->top->base);
    arena->used += bytes;
    if (arena->used > arena->peak) {
        arena->peak = arena->used;
    }
    return memset(block, 0, bytes);
}

tn_arena_mark tn_arena_get_mark(const tn_arena *arena)
{
    return arena->used;
}

void tn_arena_release(tn_arena *arena, tn_arena_mark mark)
{
    TN_ASSERT(mark <= arena->used);
    // Chunks above the mark stay until the reset joins them: releasing must not free and reallocate.
    while (arena->top->previous && arena->top->base > mark) {
        chunk_drop(arena);
    }
    arena->used = mark;
}

void tn_arena_reset(tn_arena *arena)
{
    if (arena->top->previous || arena->top->size < arena->peak) {
        // A quarter more than the peak, so that slow growth does not reallocate at every step.
        size_t wanted = align_up(arena->peak + arena->peak / 4);
        arena->used = 0;
        if (chunk_add(arena, wanted)) {
            chunk *joined = arena->top;
            arena->top = joined->previous;
            while (arena->top) {
                chunk_drop(arena);
            }
            joined->previous = NULL;
            arena->top = joined;
        } else {
            while (arena->top->previous) {
                chunk_drop(arena);
            }
        }
        arena->top->base = 0;
    }
    arena->used = 0;
}

size_t tn_arena_peak(const tn_arena *arena)
{
    return arena->peak;
}
