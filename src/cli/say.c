#include "cli/say.h"

#include "base/printable.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

void cli_say(const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    int length = vasprintf(&text, format, arguments);
    va_end(arguments);
    if (length >= 0) {
        fputs(tn_text_printable(text), stdout);
        free(text);
    }
}
