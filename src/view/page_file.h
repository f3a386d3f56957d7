// A page with data inside, as one HTML file that needs no network.
#pragma once

#include "tenon/error.h"

#include <stddef.h>
#include <stdio.h>

// Writes what takes the marker's place.
typedef tn_status (*tn_page_put)(FILE *out, void *context, tn_error *error);

// Whether a page can be written to path: nothing is there but an older page, and the folder takes files.
tn_status tn_page_check(const char *path, tn_error *error);
// page (HTML) with put's output in place of its line marker, to path: beside it first, so that a failure leaves no half
// a file and an older one whole. An existing file that is no HTML page is not overwritten (TN_IO). size [bytes] of the
// file; may be NULL.
tn_status tn_page_write(const char *page, const char *marker, tn_page_put put, void *context, const char *path,
                        size_t *size, tn_error *error);
