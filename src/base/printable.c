#include "base/printable.h"

#include <stdbool.h>

// Bytes of the UTF-8 character that begins here; 0: none does. Overlong forms and surrogates do no harm here.
static int character_bytes(const unsigned char *c)
{
    int n = c[0] < 0x80                   ? 1
            : c[0] >= 0xc2 && c[0] < 0xe0 ? 2
            : (c[0] & 0xf0) == 0xe0       ? 3
            : (c[0] & 0xf8) == 0xf0       ? 4
                                          : 0;
    for (int k = 1; k < n; k++) {
        if ((c[k] & 0xc0) != 0x80) { // the final NUL as well
            return 0;
        }
    }
    return n;
}

char *tn_text_printable(char *text)
{
    for (unsigned char *c = (unsigned char *)text; *c;) {
        int n = character_bytes(c);
        bool control = (n == 1 && (c[0] < 0x20 || c[0] == 0x7f) && c[0] != '\t' && c[0] != '\n') ||
                       (n == 2 && c[0] == 0xc2 && c[1] < 0xa0);
        for (int k = 0; (control || n == 0) && k < (n ? n : 1); k++) {
            c[k] = '?';
        }
        c += n ? n : 1;
    }
    return text;
}
