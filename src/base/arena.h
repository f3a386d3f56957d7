// Arena: bump allocation of a stage's memory, freed all at once.
//
// Grows by chunks until warm; tn_arena_reset joins the chunks into one of the peak size, and tn_arena_release keeps
// what it frees for the next push, so a steady step allocates nothing either way. Blocks are 64-byte aligned and
// zeroed.
#pragma once

#include "tenon/error.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct tn_arena tn_arena;
typedef size_t tn_arena_mark;

// NULL on failure. first_bytes may be 0.
tn_arena *tn_arena_create(size_t first_bytes);
// In the caller's memory, 64-byte aligned and at least 4 KiB: asks for none of its own until that is full. What it then
// asked for destroy gives back; it must come before the memory goes.
tn_arena *tn_arena_create_in(void *memory, size_t bytes);
void tn_arena_destroy(tn_arena *arena); // NULL is fine
// An arena for the scratch of thread k of a team; 0: this one itself. Made when first asked for, by one thread alone;
// reset and destroyed with this one. NULL: no memory.
tn_arena *tn_arena_beside(tn_arena *arena, int k);
// Room in those of threads 1 to n, all made, for the most that any of them has held so far: a steady step asks for no
// memory then, whichever thread does what. false: no memory.
bool tn_arena_level(tn_arena *arena, int n);

// count times size bytes of zeroed memory, or NULL when the machine has none left.
// count 0 yields a valid pointer that must not be read.
void *tn_arena_push(tn_arena *arena, size_t count, size_t size);
#define TN_PUSH(arena, type, count) ((type *)tn_arena_push((arena), (size_t)(count), sizeof(type)))
// The same without the zeros, for large arrays that are written whole before they are read.
void *tn_arena_push_raw(tn_arena *arena, size_t count, size_t size);
#define TN_PUSH_RAW(arena, type, count) ((type *)tn_arena_push_raw((arena), (size_t)(count), sizeof(type)))
// count zeroed doubles for each of n arrays; false: no memory. TN_PUSH_EACH(arena, 3 * n, &s->x, &s->y) names them.
bool tn_arena_push_each(tn_arena *arena, size_t count, size_t n, double **const arrays[]);
#define TN_PUSH_EACH(arena, count, ...)                                                                                \
    tn_arena_push_each((arena), (size_t)(count), sizeof((double **[]){__VA_ARGS__}) / sizeof(double **),               \
                       (double **[]){__VA_ARGS__})

// Free all that was pushed since the mark (scratch inside a stage), or everything.
tn_arena_mark tn_arena_get_mark(const tn_arena *arena);
void tn_arena_release(tn_arena *arena, tn_arena_mark mark);
void tn_arena_reset(tn_arena *arena);

size_t tn_arena_peak(const tn_arena *arena); // bytes, largest since creation
