// Springs and dampers in what joints hold, in their limits and motors: stiffness and damping as the scene says them,
// compliance (its inverse) as the joint keeps them, which is 0 where it is rigid.
#include "scene/build.h"

#include "scene/joint_class.h"
#include "scene/keys.h"

#include <math.h>

// Stiffness below the inverse of what is beyond any scene is none.
static double compliance_of(double stiffness)
{
    return stiffness >= 1.0 / LARGE ? 1.0 / stiffness : INFINITY;
}

static bool fails(tn_build *build, const tn_node *map, const char *key, const char *what)
{
    return tn_read_error(&build->reader, tn_node_place_of(map, key), "'%s' %s", key, what);
}

// Points or axes of a joint: their keys and where they go.
typedef struct held {
    const char *stiffness_key, *damping_key, *compliance_key;
    tn_numbers stiffness, damping;
    double compliance; // as said
    double *to_compliance, *to_damping;
} held;

static void find_holds(const tn_raw_joint *raw, tn_scene_joint *out, held holds[2])
{
    holds[0] = (held){"stiffness",  "damping",       "compliance",     raw->stiffness,
                      raw->damping, raw->compliance, &out->compliance, &out->damping};
    holds[1] = (held){
        "turn_stiffness",  "turn_damping",       "turn_compliance",     raw->turn_stiffness,
        raw->turn_damping, raw->turn_compliance, &out->turn_compliance, &out->turn_damping,
    };
}

// Whether the stiffness counts, not the compliance: what the joint says goes before the defaults.
static bool choose(tn_build *build, const held *hold, const tn_node *own, const tn_node *node, bool *stiffness)
{
    const tn_node *sayings[2] = {own, node};
    *stiffness = false;
    for (int i = 0; i < 2; i++) {
        bool stiff = tn_node_index(sayings[i], hold->stiffness_key) >= 0;
        bool compliant = tn_node_index(sayings[i], hold->compliance_key) >= 0;
        if (stiff && compliant) {
            return tn_read_error(&build->reader, tn_node_place_of(sayings[i], hold->stiffness_key),
                                 "'%s' and '%s' say the same thing: leave one of them out", hold->stiffness_key,
                                 hold->compliance_key);
        }
        if (stiff || compliant) {
            *stiffness = stiff;
            return true;
        }
    }
    return true;
}

static bool read_hold(tn_build *build, const held *hold, const tn_node *own, const tn_node *node)
{
    bool stiff;
    const tn_numbers *lists[2] = {&hold->stiffness, &hold->damping};
    for (int i = 0; i < 2; i++) {
        if (lists[i]->n > 1) {
            return fails(build, node, i == 0 ? hold->stiffness_key : hold->damping_key,
                         "is one number of this kind of joint, a list of a bushing");
        }
    }
    if (!choose(build, hold, own, node, &stiff)) {
        return false;
    }
    double K = stiff ? hold->stiffness.value[0] : INFINITY, D = hold->damping.n ? hold->damping.value[0] : 0.0;
    if (K < 0.0 || D < 0.0) {
        return fails(build, node, K < 0.0 ? hold->stiffness_key : hold->damping_key, "must not be negative");
    }
    *hold->to_compliance = stiff ? compliance_of(K) : hold->compliance;
    *hold->to_damping = D;
    if (*hold->to_compliance == 0.0 && D > 0.0) {
        return tn_read_error(&build->reader, tn_node_place_of(node, hold->damping_key),
                             "'%s' damps nothing where the joint is rigid: give it a finite '%s', or leave it out",
                             hold->damping_key, hold->stiffness_key);
    }
    return *hold->to_compliance < INFINITY || D > 0.0 ||
           fails(build, node, hold->stiffness_key,
                 "of 0 without damping holds nothing: take a joint that leaves that free");
}

static bool said(const held *hold)
{
    return hold->stiffness.n > 0 || hold->damping.n > 0;
}

// What the joint itself says of something that it does not hold; defaults may.
static bool reject(tn_build *build, const held *hold, const tn_node *own, const char *why)
{
    const char *keys[2] = {hold->stiffness_key, hold->damping_key};
    for (int i = 0; i < 2; i++) {
        if (tn_node_index(own, keys[i]) >= 0) {
            return fails(build, own, keys[i], why);
        }
    }
    *hold->to_compliance = hold->compliance;
    return true;
}

// Its one row counts as a hold of points, whatever its last coordinate is.
static bool read_gear(tn_build *build, held holds[2], const tn_node *own, const tn_node *node, tn_scene_joint *out)
{
    bool turns = out->gear_axis[out->n_gear - 1] >= TN_AXIS_TURN;
    holds[1].to_compliance = holds[0].to_compliance;
    holds[1].to_damping = holds[0].to_damping;
    const char *why = turns ? "is of a length, but the last coordinate is an angle: say 'turn_stiffness' and "
                              "'turn_damping'"
                            : "is of an angle, but the last coordinate is a length: say 'stiffness' and 'damping'";
    // A plain compliance counts for either.
    const held *of = turns && (said(&holds[1]) || tn_node_index(node, "turn_compliance") >= 0) ? &holds[1] : &holds[0];
    return reject(build, &holds[!turns], own, why) && read_hold(build, of, own, node);
}

bool tn_build_joint_softness(tn_build *build, const tn_raw_joint *raw, const tn_node *own, const tn_node *node,
                             tn_scene_joint *out)
{
    held holds[2];
    find_holds(raw, out, holds);
    if (out->kind == TN_JOINT_BUSHING) {
        return tn_build_bushing(build, raw, own, node, out);
    }
    static const char *const of_bushings[3] = {"stiffness_matrix", "damping_matrix", "turned"};
    for (int i = 0; i < 3; i++) {
        if (tn_node_index(own, of_bushings[i]) >= 0) {
            return fails(build, own, of_bushings[i], "is for bushings only");
        }
    }
    if (out->kind == TN_JOINT_GEAR) {
        return read_gear(build, holds, own, node, out);
    }
    bool free_length = out->kind == TN_JOINT_DISTANCE && out->drive[TN_AXIS_SLIDE].said;
    bool free_turn = tn_joint_classes[out->kind].turning == TN_TURNING_FREE;
    return (free_length ? reject(build, &holds[0], own, "has no say where 'slide' says what the length does")
                        : read_hold(build, &holds[0], own, node)) &&
           (free_turn ? reject(build, &holds[1], own, "has no say: this kind of joint holds no rotation")
                      : read_hold(build, &holds[1], own, node));
}

bool tn_build_limit_softness(tn_build *build, const tn_raw_drive *raw, const tn_node *node, tn_scene_drive *out)
{
    out->limit_compliance = compliance_of(raw->limit_stiffness);
    out->limit_damping = raw->limit_damping;
    return raw->limit_damping == 0.0 || raw->limit_stiffness < INFINITY ||
           fails(build, node, "limit_damping",
                 "damps nothing where the limits are rigid: give them a finite 'limit_stiffness', or leave it out");
}

bool tn_build_motor_softness(tn_build *build, const tn_raw_motor *raw, const tn_node *node, tn_scene_drive *out)
{
    bool damped = !isnan(raw->damping), sprung = raw->stiffness < INFINITY;
    out->motor_damping = damped ? raw->damping : 0.0;
    if (out->motor == TN_MOTOR_VELOCITY) {
        out->motor_compliance = damped ? INFINITY : 0.0;
        if (sprung) {
            return fails(build, node, "stiffness",
                         "is for a motor with 'position': one with 'velocity' takes 'damping'");
        }
        return !damped || raw->damping > 0.0 || fails(build, node, "damping", "of 0 is no motor");
    }
    out->motor_compliance = compliance_of(raw->stiffness);
    if (!sprung && out->motor_damping > 0.0) {
        return fails(build, node, "damping",
                     "does nothing where the position is prescribed: give the motor a finite 'stiffness' too");
    }
    return out->motor_compliance < INFINITY || out->motor_damping > 0.0 ||
           fails(build, node, "stiffness", "of 0 without damping is no motor");
}
