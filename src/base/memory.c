#include "base/memory.h"

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

enum { HUGE_PAGE = 2 << 20 }; // [B]

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

// Large blocks in pages of 2 MB where the system gives them: a step of ten thousand bodies walks through 40 MB.
void *tn_aligned_malloc(size_t bytes)
{
    size_t alignment = bytes < HUGE_PAGE ? 64 : HUGE_PAGE;
    void *block =
        request_fails(1, bytes) ? NULL : aligned_alloc(alignment, (bytes + alignment) / alignment * alignment);
#if defined(MADV_HUGEPAGE)
    if (block && alignment == HUGE_PAGE) {
        madvise(block, bytes / HUGE_PAGE * HUGE_PAGE, MADV_HUGEPAGE); // a wish: without it all works as well
    }
#endif
    return block;
}

void *tn_realloc(void *block, size_t bytes)
{
    return request_fails(1, bytes) ? NULL : realloc(block, bytes ? bytes : 1);
}

void tn_free(void *block)
{
    free(block);
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
