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
    sim->log = log;
    sim->log_user = user;
    return TN_OK;
}

static void tell_miss(const tn_sim *sim, const tn_step_miss *miss, char text[LINE])
{
    static const char *const what[] = {[TN_MISS_NATURAL] = "natural map",
                                       [TN_MISS_COMPLEMENTARITY] = "complementarity",
                                       [TN_MISS_PENETRATION] = "penetration"};
    static const char *const unit[] = {
        [TN_MISS_NATURAL] = "", [TN_MISS_COMPLEMENTARITY] = " m/s", [TN_MISS_PENETRATION] = " m"};
    int n =
        snprintf(text, LINE, "%s %.3g%s, more than %.3g", what[miss->kind], miss->value, unit[miss->kind], miss->limit);
    if (miss->body_a >= 0 && miss->body_b >= 0 && n < LINE) {
        snprintf(text + n, (size_t)(LINE - n), ", at the contact of bodies '%s' and '%s'",
                 tn_model_body_name(sim->whole, miss->body_a), tn_model_body_name(sim->whole, miss->body_b));
    }
}

void tn_sim_tell(const tn_sim *sim, const tn_step_report *r)
{
    char text[LINE];
    if (!sim->log) {
        return;
    }
    if (r->miss.kind != TN_MISS_NONE) {
        tell_miss(sim, &r->miss, text);
        sim->log(sim->log_user, r, text);
    }
    if (r->jump.n > 0) {
        snprintf(text, LINE, "the prescribed motion of %s '%s' jumps by %.3g %s", r->jump.owner, r->jump.name,
                 r->jump.distance, r->jump.turns ? "rad" : "m");
        sim->log(sim->log_user, r, text);
    }
    if (r->joint_yielding >= 0) {
        snprintf(text, LINE, "joint '%s' gives way by %.3g m/s or rad/s: %s",
                 tn_model_joint_name(sim->whole, r->joint_yielding), r->joint_yield,
                 r->joints_contradict ? "it contradicts others" : "its load is too much for the masses that it holds");
        sim->log(sim->log_user, r, text);
    }
}
