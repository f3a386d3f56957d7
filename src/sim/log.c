// Lines for a caller's log: what a step misses by far, a motion that jumps, joints that give way. The report holds the
// same as numbers.
#include "sim/sim.h"

#include <stdio.h>

enum { LINE = 512 };

tn_status tn_sim_set_log(tn_sim *sim, tn_log_function log, void *user, tn_error *error)
{
    if (!sim) {
        return tn_error_set(error, TN_BAD_INPUT, "a log needs a simulation");
    }
    sim->log.tell = log;
    sim->log.user = user;
    return TN_OK;
}

const char *tn_step_miss_text(const tn_step_miss *miss, const tn_model *model, char *text, size_t size)
{
    static const struct {
        const char *name, *unit;
    } figures[] = {
        [TN_MISS_NATURAL] = {"natural map", ""},
        [TN_MISS_COMPLEMENTARITY] = {"complementarity", " m/s"},
        [TN_MISS_PENETRATION] = {"penetration", " m"},
    };
    const int last = (int)(sizeof figures / sizeof *figures) - 1;
    if (!text || size == 0) {
        return "";
    }
    text[0] = '\0';
    if (!miss || !model || miss->kind <= TN_MISS_NONE || (int)miss->kind > last) {
        return text;
    }
    int n = snprintf(text, size, "%s %.3g%s (limit %.3g)", figures[miss->kind].name, miss->value,
                     figures[miss->kind].unit, miss->limit);
    const char *a = tn_model_body_name(model, miss->body_a), *b = tn_model_body_name(model, miss->body_b);
    if (a && b && n >= 0 && (size_t)n < size) {
        snprintf(text + n, size - (size_t)n, ", at the contact of bodies '%s' and '%s'", a, b);
    }
    return text;
}

void tn_sim_tell(const tn_sim *sim, const tn_step_report *r)
{
    char text[LINE];
    if (!sim->log.tell) {
        return;
    }
    if (r->miss.kind != TN_MISS_NONE) {
        sim->log.tell(sim->log.user, r, tn_step_miss_text(&r->miss, sim->whole, text, sizeof text));
    }
    if (r->jump.n > 0) {
        snprintf(text, LINE, "the prescribed motion of %s '%s' jumps by %.3g %s", r->jump.owner, r->jump.name,
                 r->jump.distance, r->jump.turns ? "rad" : "m");
        sim->log.tell(sim->log.user, r, text);
    }
    if (r->joint_yielding >= 0) {
        snprintf(text, LINE, "joint '%s' gives way by %.3g m/s or rad/s: %s",
                 tn_model_joint_name(sim->whole, r->joint_yielding), r->joint_yield,
                 r->joints_contradict ? "it contradicts others" : "its load is too much for the masses that it holds");
        sim->log.tell(sim->log.user, r, text);
    }
}
