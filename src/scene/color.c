// Colours: three numbers, six digits, or a name. The names are a palette that goes together on the viewer's ground, not
// the pure colours that the same names have elsewhere.
#include "scene/color.h"

#include "scene/units.h"

#include <stdlib.h>
#include <string.h>

const char *const tn_color_names[] = {"white",  "light-gray", "gray",  "dark-gray", "black", "red",
                                      "orange", "yellow",     "green", "teal",      "blue",  "purple",
                                      "pink",   "brown",      "wood",  "steel",     NULL};
static const unsigned values[] = {0xf2f3f4, 0xcfd5db, 0x8b949e, 0x46525e, 0x22282e, 0xd1495b, 0xe8873a, 0xe3b23c,
                                  0x5b8c3e, 0x2f9c8f, 0x3b7dc4, 0x7d5ba6, 0xd987a8, 0x8a6a58, 0xc69c6d, 0x9fb0c0};

static void split(unsigned value, double rgb[3])
{
    for (int c = 0; c < 3; c++) {
        rgb[c] = (double)(value >> (16 - 8 * c) & 0xff) / 255.0;
    }
}

static bool read_list(const tn_node *node, double rgb[3])
{
    for (int c = 0; c < 3 && node->n == 3; c++) {
        const tn_node *item = node->item[c];
        if (item->kind != TN_NODE_SCALAR || tn_number_parse(item->text, (tn_dimension){0}, &rgb[c]) != TN_NUMBER_OK ||
            !(rgb[c] >= 0.0 && rgb[c] <= 1.0)) {
            return false;
        }
    }
    return node->n == 3;
}

bool tn_color_read(const tn_node *node, double rgb[3])
{
    if (node->kind != TN_NODE_SCALAR) {
        return node->kind == TN_NODE_LIST && read_list(node, rgb);
    }
    const char *text = node->text;
    if (text[0] == '#' && strspn(text + 1, "0123456789abcdefABCDEF") == 6 && !text[7]) {
        split((unsigned)strtoul(text + 1, NULL, 16), rgb);
        return true;
    }
    for (int i = 0; tn_color_names[i]; i++) {
        if (strcmp(text, tn_color_names[i]) == 0) {
            split(values[i], rgb);
            return true;
        }
    }
    return false;
}
