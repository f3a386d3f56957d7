// Messages to the log that a caller gave, up to the level that it asked for.
#include "tenon/error.h"

#include <stdarg.h>
#include <stdio.h>

void tn_log_write(const tn_log *log, tn_log_level level, const char *format, ...)
{
    if (!log || !log->function || level > log->level) {
        return;
    }
    char message[1024];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    log->function(log->user, level, message);
}
