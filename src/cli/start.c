#include "cli/start.h"
#include "cli/say.h"

#include <stdio.h>

void cli_start_print(const tn_model *model, const tn_start_velocity *start, const char *label)
{
    if (!tn_start_velocity_matters(start)) {
        return;
    }
    bool completed = model->settings.initial_velocities == TN_INITIAL_PROJECT;
    cli_say("%svelocities at the start contradict joints, most at '%s' by %.3g m/s or rad/s; %s %.3g J of kinetic "
            "energy, what joints "
            "allow %.3g J%s\n",
            label, model->joints[start->joint].name, start->mismatch, completed ? "they had" : "they have",
            start->kinetic, start->consistent,
            completed ? ": completed to that" : " (initial: {velocities: project} completes them)");
}
