// Arena: bump allocation of a stage's memory, freed all at once.
//
// Grows by chunks until warm; tn_arena_reset joins the chunks into one of the peak size, so a steady
// step allocates nothing. Blocks are 64-byte aligned and zeroed. Names serve the peak report only.
#pragma once

#include "tenon/error.h"

#include <stddef.h>

typedef struct tn_arena tn_arena;
typedef size_t tn_arena_mark;

// NULL on failure. first_bytes may be 0.
tn_arena *tn_arena_create(const char *name, size_t first_bytes);
void tn_arena_destroy(tn_arena *arena); // NULL is fine

// bytes of zeroed memory, or NULL when the machine has none left. name: a string literal.
// count 0 yields a valid pointer that must not be read.
void *tn_arena_push(tn_arena *arena, size_t count, size_t size, const char *name);
#define TN_PUSH(arena, type, count) ((type *)tn_arena_push((arena), (size_t)(count), sizeof(type), #type))

// Free all that was pushed since the mark (scratch inside a stage), or everything.
tn_arena_mark tn_arena_get_mark(const tn_arena *arena);
void tn_arena_release(tn_arena *arena, tn_arena_mark mark);
void tn_arena_reset(tn_arena *arena);

size_t tn_arena_peak(const tn_arena *arena); // bytes, largest since creation
