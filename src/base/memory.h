// The one door to malloc: counted, so that a test can demand "no allocation in this step", and
// able to fail the n-th request, so that a test can walk every out-of-memory path.
#pragma once

#include <stddef.h>

void *tn_malloc(size_t bytes);               // NULL on failure, not zeroed
void *tn_calloc(size_t count, size_t size);  // NULL on failure or overflow
void *tn_aligned_malloc(size_t bytes);       // 64-byte aligned, not zeroed; NULL on failure
void *tn_realloc(void *block, size_t bytes); // NULL on failure, block stays
void tn_free(void *block);                   // NULL is fine
// Room for one more of `size` bytes in a list of n that doubles: where it is now. NULL: no memory; it stays.
void *tn_grown(void *list, int n, int *room, size_t size);
// 64-byte aligned, not zeroed; NULL on failure. Large ones are had from the system, in pages that count once they are
// written to, and go back to it when freed. Free with the same number of bytes.
void *tn_pages_malloc(size_t bytes);
void tn_pages_free(void *block, size_t bytes); // NULL is fine
char *tn_strdup(const char *text);
// Give freed memory back to the system, where the C library keeps large blocks for itself (glibc does up to 32 MB of
// them, once some were freed). For the few moments when much was freed that will not be wanted again.
void tn_memory_trim(void);

long tn_memory_count(void);            // requests since the start of the process (all threads)
void tn_memory_fail_after(long count); // the request after `count` more fails, once; -1: never (default). For tests
