// Errors of the library (tenon/error.h): set with a message, and a place in a file where there is one; told as one
// line of text.
#include "tenon/error.h"

#include "base/printable.h"

#include <stdarg.h>
#include <stdio.h>

tn_status tn_error_set(tn_error *error, tn_status status, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        *error = (tn_error){.status = status};
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return status;
}

tn_status tn_error_at(tn_error *error, const char *file, int line, int column, const char *format, ...)
{
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        *error = (tn_error){.status = TN_BAD_INPUT, .line = line, .column = column};
        snprintf(error->file, sizeof error->file, "%s", file ? file : "");
        vsnprintf(error->message, sizeof error->message, format, arguments);
        va_end(arguments);
    }
    return TN_BAD_INPUT;
}

const char *tn_error_text(const tn_error *error, char *text, size_t size)
{
    static const tn_error none = {.message = "there is no error"};
    error = error ? error : &none;
    if (!text || size == 0) {
        return "";
    }
    if (error->file[0] && error->line > 0 && error->column == 0) {
        snprintf(text, size, "%s:%d: error: %s", error->file, error->line, error->message);
    } else if (error->file[0] && error->line > 0) {
        snprintf(text, size, "%s:%d:%d: error: %s", error->file, error->line, error->column, error->message);
    } else if (error->file[0]) {
        snprintf(text, size, "%s: error: %s", error->file, error->message);
    } else {
        snprintf(text, size, "error: %s", error->message);
    }
    return tn_text_printable(text);
}
