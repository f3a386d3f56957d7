#include "base/base64.h"

#include <string.h>

static void put_group(tn_base64 *b)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    unsigned word = (unsigned)b->held[0] << 16 | (unsigned)b->held[1] << 8 | b->held[2];
    char text[4];
    for (int k = 0; k < 4; k++) {
        text[k] = k <= b->n_held ? digits[word >> (18 - 6 * k) & 63] : '=';
    }
    fwrite(text, 1, 4, b->out);
    memset(b->held, 0, 3);
    b->n_held = 0;
}

void tn_base64_put(tn_base64 *b, const void *data, size_t n)
{
    const unsigned char *bytes = data;
    for (size_t k = 0; k < n; k++) {
        b->held[b->n_held++] = bytes[k];
        if (b->n_held == 3) {
            put_group(b);
        }
    }
}

void tn_base64_end(tn_base64 *b)
{
    if (b->n_held > 0) {
        put_group(b);
    }
}
