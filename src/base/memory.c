#include "base/memory.h"

#include <limits.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#if defined(__GLIBC__)
#include <malloc.h>
#endif
#if defined(__linux__)
#include <sys/mman.h>
#endif

// The two counters are the only mutable statics of the library: bookkeeping for tests, no influence on results.
static atomic_long request_count;
static atomic_long fail_after = -1;

// [B]; blocks from MAPPED on come from the system rather than from the C library's heap, which keeps freed ones.
enum { ALIGNMENT = 64, PAGE = 4096, MAPPED = 1 << 16, HUGE_PAGE = 2 << 20 };
enum { FIRST_ROOM = 64 }; // of a list that grows

// No request above this is honest: it comes from an overflow or a broken file. (The C library refuses at four times.)
static const size_t LARGEST = PTRDIFF_MAX / 4;

static int request_fails(size_t count, size_t size)
{
    if (size && count > LARGEST / size) {
        return 1;
    }
    atomic_fetch_add_explicit(&request_count, 1, memory_order_relaxed);
    if (atomic_load_explicit(&fail_after, memory_order_relaxed) < 0) {
        return 0;
    }
    return atomic_fetch_sub(&fail_after, 1) == 0;
}

void *tn_malloc(size_t bytes)
{
    return request_fails(1, bytes) ? NULL : malloc(bytes ? bytes : 1);
}

void *tn_calloc(size_t count, size_t size)
{
    return request_fails(count, size) ? NULL : calloc(count ? count : 1, size ? size : 1);
}

void *tn_aligned_malloc(size_t bytes)
{
    return request_fails(1, bytes) ? NULL : aligned_alloc(ALIGNMENT, (bytes + ALIGNMENT) / ALIGNMENT * ALIGNMENT);
}

#if defined(__linux__)
// The whole of `bytes`, a multiple of 4 kB, at a multiple of `alignment`: what is too much at both ends goes back.
static void *map_aligned(size_t bytes, size_t alignment)
{
    size_t spare = alignment > PAGE ? alignment : 0;
    char *all = mmap(NULL, bytes + spare, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) {
        return NULL;
    }
    size_t before = spare > 0 ? (alignment - (uintptr_t)all % alignment) % alignment : 0, after = spare - before;
    if (before > 0) {
        munmap(all, before);
    }
    if (after > 0) {
        munmap(all + before + bytes, after);
    }
    return all + before;
}

static size_t whole_pages(size_t bytes)
{
    return (bytes + PAGE - 1) / PAGE * PAGE;
}

// Blocks from 2 MB on in pages of that size where the system gives them: a step of ten thousand bodies walks through
// 30 MB.
void *tn_pages_malloc(size_t bytes)
{
    if (bytes < MAPPED) {
        return tn_aligned_malloc(bytes);
    }
    size_t alignment = bytes < HUGE_PAGE ? PAGE : HUGE_PAGE;
    void *block = request_fails(1, bytes) ? NULL : map_aligned(whole_pages(bytes), alignment);
    if (block && alignment == HUGE_PAGE) {
        madvise(block, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE); // a wish: without it all works as well
    }
    return block;
}

void tn_pages_free(void *block, size_t bytes)
{
    if (bytes < MAPPED) {
        tn_free(block);
    } else if (block) {
        munmap(block, whole_pages(bytes));
    }
}
#else
void *tn_pages_malloc(size_t bytes)
{
    return tn_aligned_malloc(bytes);
}

void tn_pages_free(void *block, size_t bytes)
{
    tn_free(block);
}
#endif

void *tn_realloc(void *block, size_t bytes)
{
    return request_fails(1, bytes) ? NULL : realloc(block, bytes ? bytes : 1);
}

void tn_free(void *block)
{
    free(block);
}

void *tn_grown(void *list, int n, int *room, size_t size)
{
    if (n < *room) {
        return list;
    }
    int more = *room < FIRST_ROOM ? FIRST_ROOM : *room <= INT_MAX / 2 ? 2 * *room : INT_MAX;
    void *longer = n < more ? tn_realloc(list, (size_t)more * size) : NULL;
    *room = longer ? more : *room;
    return longer;
}

void tn_memory_trim(void)
{
#if defined(__GLIBC__)
    malloc_trim(0);
#endif
}

char *tn_strdup(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = tn_malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

long tn_memory_count(void)
{
    return atomic_load(&request_count);
}

void tn_memory_fail_after(long count)
{
    atomic_store(&fail_after, count);
}
