// Table of the section `mpc`: a controller by receding horizon.
#include "scene/keys.h"

#define MPC(field) AT(tn_raw_mpc, field)
#define LIST(field)                                                                                                    \
    TN_KEY_NUMBERS, MPC(field), .low = -LARGE, .high = LARGE, .low_count = 1, .high_count = 128, .scalar = true

// In the order of tn_plan_method; a test compares.
static const char *const levels[] = {"position", "velocity", NULL};
static const char *const methods[] = {"miqp", "admm", "mpcc", NULL};
static const char *const terminals[] = {"weights", "riccati", NULL};

static const tn_key mpc_keys[] = {
    {"coordinates", TN_KEY_NAMES, MPC(coordinates), .required = true, .low_count = 1, .high_count = 64,
     .doc = "What the planner sees: `JOINT:slide`, `:slide2`, `:turn`, `:turn2` of joints, `BODY:x`, `:y`, `:z`, "
            "`:rx`, `:ry`, `:rz` of free bodies, `BODY:1`, `:2`, `:turn` of planar ones. All others count as held."},
    {"inputs", TN_KEY_NAMES, MPC(inputs), .required = true, .low_count = 1, .high_count = 64,
     .doc = "What it gives: a coordinate (force along it), `JOINT:slide.target` of a position motor, `BODY.fx` ... "
            "`BODY.tz` of a force or torque at a center of mass."},
    {"step", TN_KEY_NUMBER, MPC(step), .unit = {0, 0, 1, 0}, .low = STEP_MIN, .high = 1e6, .required = true,
     .doc = "Step of the planner's system, and time from one solve to the next: a multiple of the scene's."},
    {"horizon", TN_KEY_INTEGER, MPC(horizon), .low = 1, .high = 1000, .fallback = "10",
     .doc = "Steps that a plan looks ahead."},
    {"method", TN_KEY_CHOICE, MPC(method), .fallback = "miqp", .choices = methods,
     .doc = "Planner: `miqp` branch and bound, `admm` consensus over the complementarity, `mpcc` relaxed "
            "complementarity by Ipopt."},
    {"terminal", TN_KEY_CHOICE, MPC(terminal), .fallback = "weights", .choices = terminals,
     .doc = "What the horizon's end costs: `weights`, or what the linear-quadratic regulator of the system without "
            "contact pays from there on (`riccati`)."},
    {"goal", LIST(goal),
     .doc = "Places to be reached, of the coordinates, in m or rad; rates are to be zero. Default 0. One number, or "
            "one each."},
    {"place", LIST(place), .doc = "Weights of the places' errors, squared. Default 1. One number, or one each."},
    {"rate", LIST(rate), .doc = "Weights of the rates, squared. Default 0. One number, or one each."},
    {"input", LIST(input), .doc = "Weights of the inputs, squared. Default 1. One number, or one each."},
    {"final_place", LIST(final_place),
     .doc = "Weights of places at the horizon's end; default: `place`. One number, or one each."},
    {"final_rate", LIST(final_rate), .doc = "The same of rates; default: `rate`. One number, or one each."},
    {"resistance", LIST(resistance),
     .doc = "Most that dry friction of each coordinate bears in the planner's system, in N or N m; default: the "
            "joints' own. One number, or one each."},
    {"place_low", LIST(place_low), .doc = "Least places of a plan. One number, or one each."},
    {"place_high", LIST(place_high), .doc = "Largest places of a plan. One number, or one each."},
    {"rate_low", LIST(rate_low), .doc = "Least rates of a plan. One number, or one each."},
    {"rate_high", LIST(rate_high), .doc = "Largest rates of a plan. One number, or one each."},
    {"input_low", LIST(input_low), .doc = "Least inputs. One number, or one each."},
    {"input_high", LIST(input_high), .doc = "Largest inputs. One number, or one each."},
    {"level", TN_KEY_CHOICE, MPC(level), .fallback = "position", .choices = levels,
     .doc = "Contacts in the planner's system: `position` keeps gaps open over the whole motion, `velocity` stops what "
            "closes a gap in the step in which it would. Not with `mpcc`."},
    {"points", TN_KEY_INTEGER, MPC(points), .low = 1, .high = 32, .fallback = "1",
     .doc = "Contact points of a pair of shapes in the planner's system: 1 the nearest, more the deepest, so that "
            "faces resist turning and tipping."},
    {"facets", TN_KEY_INTEGER, MPC(facets), .high = 64, .fallback = "0",
     .doc = "Directions of friction in the planner's system: 0 (none) or an even number."},
    {"friction", TN_KEY_NUMBER, MPC(friction), .high = 1e6,
     .doc = "Coefficient of friction that the planner believes in; default: the materials'."},
    {"margin", TN_KEY_NUMBER, MPC(margin), .unit = {1, 0, 0, 0}, .high = LARGE, .fallback = "0",
     .doc = "Pairs of shapes nearer than this take part. 0: all."},
    {"budget", TN_KEY_NUMBER, MPC(budget), .unit = {0, 0, 1, 0}, .high = 1e6, .fallback = "0",
     .doc = "Most wall time of a solve, which then gives the best plan so far. 0: any; with it a run is not repeated "
            "to the bit."},
    {"nodes", TN_KEY_INTEGER, MPC(nodes), .high = 1e9, .fallback = "0",
     .doc = "Most nodes of branch and bound in a solve. 0: any."},
    {"threads", TN_KEY_INTEGER, MPC(threads), .low = 1, .high = 64, .fallback = "1",
     .doc = "Threads of a solve by `miqp`, or of `motions`."},
    {"motions", TN_KEY_INTEGER, MPC(motions), .high = 1e9, .fallback = "0",
     .doc = "Of `miqp` and `admm`: motions under random inputs about the best plan so far that a solve tries first. "
            "Friction couples contacts so that other searches may find no plan, or a poor one."},
    {"push_body", TN_KEY_NAME, MPC(push_body),
     .doc = "A body that is pushed at random (`seed`), unknown to the planner."},
    {"push_impulse", TN_KEY_VECTOR, MPC(push_impulse), .unit = {1, 1, -1, 0}, .high = LARGE, .fallback = "[0, 0, 0]",
     .doc = "Standard deviations of a push, world axes; it acts for one step of the scene."},
    {"push_every", TN_KEY_NUMBER, MPC(push_every), .unit = {0, 0, 1, 0}, .low = STEP_MIN, .high = 1e6,
     .fallback = "0.5 s", .doc = "Time from push to push."},
};
const tn_section tn_section_mpc = {"mpc",
                                   "Receding horizon, for `tenon mpc` ([planning](planning.md)): other commands leave "
                                   "it out. Lists have a number for each coordinate or input, in SI units.",
                                   sizeof(tn_raw_mpc), NULL, KEYS(mpc_keys)};
