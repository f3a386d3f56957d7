#include "cli/start.h"
#include "cli/say.h"

void cli_start_print(const tn_model *model, const tn_velocity_mismatch *start, const char *label)
{
    tn_model_method method;
    if (!start->matters) {
        return;
    }
    tn_model_get_method(model, &method);
    bool completed = method.projects_velocities;
    cli_say("%svelocities at the start contradict joints, most at '%s' by %.3g m/s or rad/s; %s %.3g J of kinetic "
            "energy, what joints "
            "allow %.3g J%s\n",
            label, tn_model_joint_name(model, start->joint), start->mismatch, completed ? "they had" : "they have",
            start->kinetic, start->allowed,
            completed ? ": completed to that" : " (initial: {velocities: project} completes them)");
}
