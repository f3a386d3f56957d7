// Slips of the pen: which of the names that there are was meant.
#include "base/nearest.h"

#include <string.h>

enum { NAME_CAP = 40 };

// Edits (insert, drop, replace, swap two neighbours) that turn a into b; names longer than NAME_CAP never match.
static int edit_distance(const char *a, const char *b)
{
    int n = (int)strnlen(a, NAME_CAP + 1);
    int m = (int)strnlen(b, NAME_CAP + 1);
    if (n > NAME_CAP || m > NAME_CAP) {
        return NAME_CAP;
    }
    int row[3][NAME_CAP + 1];
    for (int j = 0; j <= m; j++) {
        row[0][j] = j;
    }
    for (int i = 1; i <= n; i++) {
        int *now = row[i % 3];
        const int *last = row[(i + 2) % 3];
        const int *before = row[(i + 1) % 3];
        now[0] = i;
        for (int j = 1; j <= m; j++) {
            int best = last[j - 1] + (a[i - 1] != b[j - 1]);
            best = last[j] + 1 < best ? last[j] + 1 : best;
            best = now[j - 1] + 1 < best ? now[j - 1] + 1 : best;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] && before[j - 2] + 1 < best) {
                best = before[j - 2] + 1;
            }
            now[j] = best;
        }
    }
    return row[n % 3][m];
}

const char *tn_name_nearest(const char *name, int n, const char *const *names)
{
    int length = (int)strnlen(name, NAME_CAP);
    int best = length / 3 + 1; // one slip in three letters
    const char *nearest = NULL;
    for (int i = 0; i < n; i++) {
        int distance = edit_distance(name, names[i]);
        if (distance <= best && distance < length) {
            best = distance - 1;
            nearest = names[i];
        }
    }
    return nearest;
}
