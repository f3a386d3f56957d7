// What every reader of mesh files promises of its errors.
#pragma once

#include "fuzz.h"
#include "tenon/error.h"

static inline void check_file_error(tn_status status, const tn_error *error)
{
    demand(status == error->status, "status and error differ");
    demand(status == TN_BAD_INPUT || status == TN_NO_MEMORY, "neither bad input nor memory");
    demand(error->message[0] != 0, "an error without message");
    demand(status == TN_NO_MEMORY || error->file[0], "an error without file");
    demand(error->line >= 0, "an error before the first line");
    for (const char *p = error->message; *p; p++) {
        demand((unsigned char)*p >= ' ', "a message with control characters");
    }
}
