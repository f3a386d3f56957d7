// Any message of a page to a running simulation: it is a command within its bounds, or refused with a reason. Twice the
// same bytes are twice the same.
#include "fuzz.h"

#include "view/command.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void check_command(const tn_live_command *c)
{
    demand(c->action >= 0 && c->action < TN_LIVE_ACTIONS, "an action that there is not");
    demand(memchr(c->name, 0, sizeof c->name) != NULL, "a name without end");
    demand(c->action != TN_LIVE_PACE || (c->value >= 0.0 && c->value <= 1e6), "a pace out of bounds");
    demand(c->body >= 0, "a body below zero");
    for (int k = 0; k < 3; k++) {
        demand(isfinite(c->point[k]) && isfinite(c->target[k]), "a place that is not finite");
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tn_live_command command, again;
    const char *why = NULL, *why_again = NULL;
    char *text = malloc(size ? size : 1); // of its own, so that a read beyond the end is found
    memcpy(text, data, size);
    bool ok = tn_live_command_read(text, size, &command, &why);
    demand(why && ok == (why[0] == 0), "accepted with a complaint, or refused without");
    if (ok) {
        check_command(&command);
        demand(tn_live_command_read(text, size, &again, &why_again) && memcmp(&command, &again, sizeof again) == 0,
               "the same message is another command");
    }
    free(text);
    return 0;
}
