// Table of the section `mpc`: a controller by receding horizon.
#include "scene/keys.h"

#define MPC(field) AT(tn_raw_mpc, field)
#define LIST(field) TN_KEY_NUMBERS, MPC(field), ANY, .low_count = 1, .high_count = 128, .scalar = true

// In the order of tn_plan_method; a test compares.
static const char *const levels[] = {"position", "velocity", NULL};
static const char *const methods[] = {"miqp", "admm", "mpcc", NULL};
static const char *const terminals[] = {"weights", "riccati", NULL};

static const tn_key mpc_keys[] = {
    {"coordinates", TN_KEY_NAMES, MPC(coordinates), .required = true, .low_count = 1, .high_count = 64,
     .doc = "Planned coordinates, all others held: `JOINT:slide`, `:slide2`, `:turn`, `:turn2`; `BODY:x`, `:y`, `:z`, "
            "`:rx`, `:ry`, `:rz` of free bodies; `BODY:1`, `:2`, `:turn` of planar ones."},
    {"inputs", TN_KEY_NAMES, MPC(inputs), .required = true, .low_count = 1, .high_count = 64,
     .doc = "A coordinate (force along it), `JOINT:slide.target` of a position motor, `BODY.fx` ... `BODY.tz` at the "
            "center of mass."},
    {"step", TN_KEY_NUMBER, MPC(step), SECONDS, .low = STEP_MIN, .high = 1e6, .required = true,
     .doc = "Step of the plan and time between solves: a multiple of the scene's."},
    {"horizon", TN_KEY_INTEGER, MPC(horizon), .low = 1, .high = 1000, .fallback = "10", .doc = "Steps of a plan."},
    {"method", TN_KEY_CHOICE, MPC(method), .fallback = "miqp", .choices = methods,
     .doc = "Planner ([methods](planning.md#methods))."},
    {"terminal", TN_KEY_CHOICE, MPC(terminal), .fallback = "weights", .choices = terminals,
     .doc = "Final cost: the weights, or the cost-to-go of the LQR without contact."},
    {"goal", LIST(goal), .doc = "Target coordinates, rates zero. Default: 0."},
    {"place", LIST(place), .doc = "Weights of squared coordinate errors. Default: 1."},
    {"rate", LIST(rate), .doc = "Weights of squared rates. Default: 0."},
    {"input", LIST(input), .doc = "Weights of squared inputs. Default: 1."},
    {"final_place", LIST(final_place), .doc = "At the horizon's end. Default: `place`."},
    {"final_rate", LIST(final_rate), .doc = "At the horizon's end. Default: `rate`."},
    {"resistance", LIST(resistance), .doc = "Dry friction of coordinates in the plan [N, N m]. Default: the joints'."},
    {"place_low", LIST(place_low), .doc = "Bound on coordinates."},
    {"place_high", LIST(place_high), .doc = "The same."},
    {"rate_low", LIST(rate_low), .doc = "Bound on rates."},
    {"rate_high", LIST(rate_high), .doc = "The same."},
    {"input_low", LIST(input_low), .doc = "Bound on inputs."},
    {"input_high", LIST(input_high), .doc = "The same."},
    {"level", TN_KEY_CHOICE, MPC(level), .fallback = "position", .choices = levels,
     .doc = "Contacts keep the gap open over the whole motion (`position`), or stop the approach when the gap closes "
            "(`velocity`; not with `mpcc`)."},
    {"points", TN_KEY_INTEGER, MPC(points), .low = 1, .high = 32, .fallback = "1",
     .doc = "Contact points of a pair of shapes; several let faces resist tipping."},
    {"facets", TN_KEY_INTEGER, MPC(facets), .high = 64, .fallback = "0", .doc = "Friction directions: 0 or even."},
    {"friction", TN_KEY_NUMBER, MPC(friction), .high = 1e6, .doc = "Coefficient in the plan. Default: the materials'."},
    {"margin", TN_KEY_NUMBER, MPC(margin), METRES, .high = LARGE, .fallback = "0",
     .doc = "Pairs nearer than this take part. 0: all."},
    {"budget", TN_KEY_NUMBER, MPC(budget), SECONDS, .high = 1e6, .fallback = "0",
     .doc = "Wall time of a solve, which then returns its best plan (not repeatable to the bit). 0: no limit."},
    {"nodes", TN_KEY_INTEGER, MPC(nodes), .high = 1e9, .fallback = "0",
     .doc = "Most branch-and-bound nodes of a solve. 0: no limit."},
    {"threads", TN_KEY_INTEGER, MPC(threads), .low = 1, .high = 64, .fallback = "1", .doc = "Of a solve."},
    {"motions", TN_KEY_INTEGER, MPC(motions), .high = 1e9, .fallback = "0",
     .doc = "`miqp`, `admm`: random motions about the best plan tried first; helps where friction couples contacts."},
    {"push_body", TN_KEY_NAME, MPC(push_body), .doc = "Body with random pushes unknown to the planner."},
    {"push_impulse", TN_KEY_VECTOR, MPC(push_impulse), .unit = {1, 1, -1, 0}, .high = LARGE, .fallback = "[0, 0, 0]",
     .doc = "Standard deviations of a push, world axes."},
    {"push_every", TN_KEY_NUMBER, MPC(push_every), SECONDS, .low = STEP_MIN, .high = 1e6, .fallback = "0.5 s",
     .doc = "Time between pushes."},
};
const tn_section tn_section_mpc = {"mpc",
                                   "Receding horizon control for `tenon mpc` ([planning](planning.md)); other commands "
                                   "ignore it. Lists: one number, or one for each coordinate or input, SI.",
                                   sizeof(tn_raw_mpc), NULL, KEYS(mpc_keys)};
