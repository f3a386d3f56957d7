// What `tenon run` says at its end: the summary as text or as one JSON object.
#include "base/json.h"
#include "cli/run.h"
#include "cli/say.h"
#include "tenon/version.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *cli_outcome_name(cli_outcome outcome)
{
    static const char *const names[] = {"done",     "tolerance not reached", "far off",
                                        "diverged", "interrupted",           "failed"};
    return names[outcome];
}

static double realtime_factor(const cli_run_result *result)
{
    return result->wall > 0.0 ? result->summary.time / result->wall : NAN;
}

static void put_settings(tn_json *json, const tn_model *model, const tn_model_method *settings)
{
    tn_json_text(json, "version", TN_VERSION);
    tn_json_text(json, "scene", tn_scene_path(tn_model_scene(model)));
    tn_json_integer(json, "threads", settings->threads);
    tn_json_text(json, "law", settings->law);
    tn_json_text(json, "scheme", settings->scheme);
    tn_json_text(json, "coordinates", settings->coordinates);
    tn_json_text(json, "accuracy", cli_accuracy_name(settings));
    tn_json_number(json, "step_s", settings->step);
    char seed[24]; // a string: JSON's numbers do not hold all of 2^64
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)settings->seed);
    tn_json_text(json, "seed", seed);
}

static void put_mean_max(tn_json *json, const char *key, const tn_statistic *statistic)
{
    tn_json_open(json, key, '{');
    tn_json_number(json, "mean", statistic->mean);
    tn_json_number(json, "max", statistic->max);
    tn_json_close(json, '}');
}

static void put_tighter(tn_json *json, const cli_tighter *t)
{
    tn_json_open(json, "tighter", '{');
    if (!isnan(t->natural)) {
        tn_json_number(json, "natural", t->natural);
        tn_json_integer(json, "iterations", t->iterations);
        tn_json_number(json, "ms", t->ms);
        tn_json_integer(json, "reached", t->reached);
    }
    tn_json_close(json, '}');
}

static void put_far(tn_json *json, const tn_model *model, const tn_summary *s)
{
    static const char *const keys[] = {"", "natural", "complementarity", "penetration"};
    tn_json_open(json, "far_off", '{');
    tn_json_integer(json, "steps", s->n_far);
    if (s->n_far > 0) {
        tn_json_integer(json, "worst_step", s->far_step);
        tn_json_number(json, "worst_time_s", s->far_time);
        tn_json_text(json, "figure", keys[s->far.kind]);
        tn_json_number(json, "value", s->far.value);
        tn_json_number(json, "limit", s->far.limit);
        tn_json_text(json, "body_a", tn_model_body_name(model, s->far.body_a));
        tn_json_text(json, "body_b", tn_model_body_name(model, s->far.body_b));
    }
    tn_json_integer(json, "steps_gaining", s->n_gaining);
    tn_json_number(json, "energy_gained", s->gain);
    tn_json_number(json, "energy_gained_time_s", s->n_gaining > 0 ? s->gain_time : NAN);
    tn_json_close(json, '}');
}

// Medians under the first key, means and maxima under the others.
static void put_times(tn_json *json, const tn_summary *s)
{
    static const char *const keys[] = {"ms_per_step", "ms_per_step_mean", "ms_per_step_max"};
    static const char *const names[] = {"collide", "discretize", "solve", "certify", "other", "total"};
    const tn_statistic *const stages[] = {&s->collide_ms, &s->discretize_ms, &s->solve_ms,
                                          &s->certify_ms, &s->other_ms,      &s->total_ms};
    for (int i = 0; i < 3; i++) {
        tn_json_open(json, keys[i], '{');
        for (int k = 0; k < 6; k++) {
            double value = i == 0 ? stages[k]->median : i == 1 ? stages[k]->mean : stages[k]->max;
            tn_json_number(json, names[k], value);
        }
        tn_json_close(json, '}');
    }
}

static void put_figures(tn_json *json, const tn_summary *s)
{
    tn_json_open(json, "jumps", '{');
    tn_json_integer(json, "steps", s->n_jumping);
    if (s->n_jumping > 0) {
        tn_json_text(json, "owner", s->jump.owner);
        tn_json_text(json, "name", s->jump.name);
        tn_json_number(json, s->jump.turns ? "angle_rad" : "distance_m", s->jump.distance);
        tn_json_number(json, "time_s", s->jump.time);
    }
    tn_json_close(json, '}');
    put_times(json, s);
    tn_json_open(json, "certificate", '{');
    for (int k = 0; k < TN_N_FIGURES; k++) {
        tn_json_open(json, tn_figure_name(k), '{');
        tn_json_number(json, "max", s->certificate[k].max);
        tn_json_number(json, "median", s->certificate[k].median);
        tn_json_close(json, '}');
    }
    tn_json_close(json, '}');
    tn_json_open(json, "energy", '{');
    tn_json_number(json, "initial", s->energy_initial);
    tn_json_number(json, "final", s->energy_final);
    tn_json_number(json, "max_gain", s->energy_max_gain);
    tn_json_close(json, '}');
}

void cli_run_print_json(const tn_model *model, const cli_run_result *result)
{
    const tn_summary *s = &result->summary;
    tn_model_method method;
    tn_model_get_method(model, &method);
    tn_json json = {.out = stdout};
    tn_json_open(&json, NULL, '{');
    tn_json_text(&json, "outcome", cli_outcome_name(result->outcome));
    bool stopped = result->outcome == RUN_DIVERGED || result->outcome == RUN_FAILED;
    tn_json_text(&json, "error", stopped ? result->error.message : NULL);
    tn_json_text(&json, "out", result->out);
    tn_json_text(&json, "interfered", result->interfered);
    put_settings(&json, model, &method);
    tn_json_text(&json, "solver", method.solver);
    tn_json_open(&json, "solvers_used", '[');
    for (int k = 0; k < s->n_solvers; k++) {
        tn_json_text(&json, NULL, s->solvers[k]);
    }
    tn_json_close(&json, ']');
    tn_json_integer(&json, "steps", s->n_steps);
    tn_json_number(&json, "time_s", s->time);
    tn_json_number(&json, "wall_s", result->wall);
    tn_json_number(&json, "realtime_factor", realtime_factor(result));
    tn_json_integer(&json, "bodies", tn_model_body_count(model) - 1 + tn_model_soft_count(model));
    tn_json_integer(&json, "soft_bodies", tn_model_soft_count(model));
    tn_json_integer(&json, "nodes", tn_model_node_total(model));
    tn_json_integer(&json, "tetrahedra", tn_model_element_total(model));
    tn_json_integer(&json, "dof", tn_model_dof(model));
    tn_json_number(&json, "overlap_at_start_m", result->overlaps.deepest);
    tn_json_number(&json, "joint_off_at_start", result->overlaps.joint_off);
    tn_json_number(&json, "start_velocity_mismatch", result->start.mismatch);
    put_mean_max(&json, "contacts", &s->contacts);
    put_mean_max(&json, "iterations", &s->iterations);
    tn_json_open(&json, "asleep", '{');
    tn_json_number(&json, "mean", s->asleep.mean);
    tn_json_integer(&json, "final", s->asleep_final);
    tn_json_close(&json, '}');
    tn_json_integer(&json, "joints", tn_model_joint_count(model));
    tn_json_number(&json, "joint_yield", s->joint_yield);
    tn_json_open(&json, "joints_yielding", '{');
    tn_json_integer(&json, "steps", s->yielding.n_steps);
    if (s->yielding.n_steps > 0) {
        tn_json_text(&json, "joint", tn_model_joint_name(model, s->yielding.joint));
        tn_json_number(&json, "speed", s->yielding.speed);
        tn_json_number(&json, "time_s", s->yielding.time);
        tn_json_text(&json, "reason", s->yielding.contradicts ? "contradiction" : "load");
    }
    tn_json_close(&json, '}');
    tn_json_integer(&json, "steps_short", s->n_short);
    put_tighter(&json, &result->tighter);
    tn_json_integer(&json, "steps_missed", s->n_missed);
    put_far(&json, model, s);
    put_figures(&json, s);
    tn_json_close(&json, '}');
}

// Says what to do about energy that the scheme made: midpoint does not damp, and with it a taut soft body gains, and
// what slides or rolls through a hollow; euler strains soft bodies whose parts turn by a large angle in a step.
static void print_gain(const tn_model *model, const tn_model_method *method, const tn_summary *s)
{
    bool gains = s->energy_max_gain > 0.01 * (fabs(s->energy_initial) + fabs(s->energy_final));
    bool midpoint = strcmp(method->scheme, "midpoint") == 0;
    if (!gains || (tn_model_soft_count(model) == 0 && !(midpoint && s->contacts.max > 0.0))) {
        return;
    }
    if (tn_model_soft_count(model) == 0) {
        cli_say(
            "               midpoint takes a contact's normal at the step's start and gains on curved surfaces: take "
            "scheme: euler,\n               or a shorter step\n");
    } else if (midpoint) {
        cli_say("               midpoint does not damp soft bodies by itself: give them damping: {stiffness: %.2g s} "
                "or more,\n               geometric: projected, or take scheme: euler\n",
                method->step / 5.0);
    } else if (strcmp(method->scheme, "euler") == 0) {
        cli_say("               euler strains soft bodies that bend or turn far within a step: take a shorter step, or "
                "scheme: implicit,\n               which damps\n");
    }
}

// A balance that is this far off is no motion of these bodies any more.
static const double MOMENTUM_ASTRAY = 1e-2;

static void print_astray(const tn_model_method *method, const tn_summary *s)
{
    double worst = s->certificate[TN_FIGURE_MOMENTUM].max;
    if (worst > MOMENTUM_ASTRAY) {
        cli_say(
            "astray         solver %s left forces and velocities out of balance by up to %.2g of the forces: do not "
            "trust\n               the motion; %s%s\n",
            method->solver, worst, strcmp(method->solver, "auto") == 0 ? "" : "take solver: auto, ",
            "allow more iterations (solver.max_iterations), or take a shorter step");
    }
}

bool cli_run_is_far(const tn_summary *summary)
{
    return summary->n_far > 0 || summary->n_gaining > 0;
}

// Means add up; "other" is what total has beyond the stages.
static void print_times(const tn_summary *s)
{
    const struct {
        const char *name;
        const tn_statistic *of;
    } stages[] = {{"collide", &s->collide_ms}, {"discretize", &s->discretize_ms}, {"solve", &s->solve_ms},
                  {"certify", &s->certify_ms}, {"other", &s->other_ms},           {"total", &s->total_ms}};
    cli_say("ms per step    %-22s %10s %10s %10s\n", "", "mean", "median", "max");
    for (size_t k = 0; k < sizeof stages / sizeof *stages; k++) {
        cli_say("               %-22s %10.3g %10.3g %10.3g\n", stages[k].name, stages[k].of->mean, stages[k].of->median,
                stages[k].of->max);
    }
}

static void print_overlap(const tn_model *model, const tn_overlaps *overlap)
{
    if (overlap->matters) {
        cli_say("overlap        at the start %d pair%s of shapes, the deepest by %.3g m (%s, %s); pushed apart at %.3g "
                "m/s at "
                "most (push_out, margin)\n",
                overlap->n_pairs, overlap->n_pairs == 1 ? "" : "s", overlap->deepest,
                tn_model_body_name(model, overlap->body_a), tn_model_body_name(model, overlap->body_b), overlap->speed);
    }
}

static void print_slack(const tn_model *model, const tn_model_method *method, const tn_overlaps *overlap)
{
    if (overlap->joint_matters) {
        cli_say("slack          joint '%s' starts off by %.3g m or rad; closes at %.3g m/s at most (push_out)\n",
                tn_model_joint_name(model, overlap->joint), overlap->joint_off, method->push_out);
    }
}

static void print_jumps(const tn_model_method *method, const tn_summary *s)
{
    const tn_step_jump *jump = &s->jump;
    if (s->n_jumping > 0) {
        const char *unit = jump->turns ? "rad" : "m";
        cli_say("jumps          %ld of %ld steps: what is prescribed jumps, the most %s '%s' by %.4g %s at t = %.6g s; "
                "what "
                "it\n               touches or holds sees %.4g %s/s in that step (motion: {teleport: true} sets a body "
                "there without a velocity)\n",
                s->n_jumping, s->n_steps, jump->owner, jump->name, jump->distance, unit, jump->time,
                jump->distance / method->step, unit);
    }
}

static void print_yield(const tn_model *model, const tn_summary *s)
{
    const tn_summary_joint *y = &s->yielding;
    if (y->n_steps > 0) {
        cli_say("joints         in %ld of %ld steps rigid joints give way, the most '%s' at t = %.6g s by %.3g m/s or "
                "rad/s: %s\n",
                y->n_steps, s->n_steps, tn_model_joint_name(model, y->joint), y->time, y->speed,
                y->contradicts
                    ? "it contradicts others; this is the motion of least squares"
                    : "its load is too much for the masses that it holds, or what it drives stands against something");
    }
}

static void print_far(const tn_model *model, const tn_summary *s)
{
    char miss[512];
    if (s->n_far > 0) {
        cli_say("far off        %ld of %ld steps miss by far what they aim at; the worst is step %ld (t = %.6g s): "
                "%s\n",
                s->n_far, s->n_steps, s->far_step, s->far_time, tn_step_miss_text(&s->far, model, miss, sizeof miss));
    }
    if (s->n_gaining > 0) {
        cli_say(
            "energy gained  in %ld of %ld steps the energy is above what it was before; most by %.3g J at t = %.6g s\n",
            s->n_gaining, s->n_steps, s->gain, s->gain_time);
    }
}

// What was asked is said above, by name; what was reached, and what a tenth of it costs.
static void print_reached(const tn_summary *s, const cli_tighter *t)
{
    double natural = s->certificate[TN_FIGURE_NATURAL].median;
    if (isnan(natural) || !(s->contacts.max > 0.0)) {
        return;
    }
    cli_say("accuracy       reached in %ld of %ld steps, natural %.1e in the median", s->n_steps - s->n_short,
            s->n_steps, natural);
    if (!isnan(t->natural)) {
        cli_say("; a tenth of the last step's %s %d more iterations, %.3g ms",
                t->reached ? "takes" : "is not reached within", t->iterations, t->ms);
    }
    cli_say("\n");
}

void cli_run_print_text(const tn_model *model, const cli_run_result *result)
{
    const tn_summary *s = &result->summary;
    tn_model_method method;
    tn_model_get_method(model, &method);
    cli_say("%ld steps of %.4g s in %.3g s (%.3g times real time), %d bodies, %d degrees of freedom\n", s->n_steps,
            method.step, result->wall, realtime_factor(result),
            tn_model_body_count(model) - 1 + tn_model_soft_count(model), tn_model_dof(model));
    if (tn_model_soft_count(model) > 0) {
        cli_say("%d soft bod%s: %d nodes, %d tetrahedra, %d surface triangles\n", tn_model_soft_count(model),
                tn_model_soft_count(model) == 1 ? "y" : "ies", tn_model_node_total(model),
                tn_model_element_total(model), tn_model_face_total(model));
    }
    cli_say("law %s, scheme %s, %saccuracy %s, %d thread%s, solver %s", method.law, method.scheme,
            strcmp(method.coordinates, "reduced") == 0 ? "reduced coordinates, " : "", cli_accuracy_name(&method),
            method.threads, method.threads == 1 ? "" : "s", method.solver);
    bool choice = s->n_solvers > 1 || (s->n_solvers == 1 && strcmp(s->solvers[0], method.solver) != 0);
    for (int k = 0; choice && k < s->n_solvers; k++) {
        cli_say("%s%s%s", k ? ", " : " (", s->solvers[k], k + 1 == s->n_solvers ? ")" : "");
    }
    cli_say("\n");
    if (s->n_steps > 0) {
        cli_say("contacts       %.4g mean, %.0f max\n", s->contacts.mean, s->contacts.max);
        cli_say("iterations     %.4g mean, %.0f max\n", s->iterations.mean, s->iterations.max);
        if (method.sleep_after > 0.0) {
            cli_say("asleep         %.4g bodies in the mean, %d at last\n", s->asleep.mean, s->asleep_final);
        }
        print_reached(s, &result->tighter);
        print_times(s);
        cli_say("energy [J]     %.6g at first, %.6g at last, gained at most %.3g\n", s->energy_initial, s->energy_final,
                s->energy_max_gain);
        print_gain(model, &method, s);
        cli_say("certificate    %-22s %10s %10s\n", "", "max", "median");
        for (int k = 0; k < TN_N_FIGURES; k++) {
            if (!isnan(s->certificate[k].max)) {
                cli_say("               %-22s %10.2e %10.2e  %s\n", tn_figure_name(k), s->certificate[k].max + 0.0,
                        s->certificate[k].median + 0.0, tn_figure_unit(k)); // no -0
            }
        }
    }
    print_overlap(model, &result->overlaps);
    cli_start_print(model, &result->start, "start          ");
    print_slack(model, &method, &result->overlaps);
    print_jumps(&method, s);
    print_astray(&method, s);
    print_far(model, s);
    print_yield(model, s);
    if (result->interfered) {
        cli_say("interfered     %s; the scene alone does not repeat this run\n", result->interfered);
    }
    if (result->out) {
        cli_say("recording      %s\n", result->out);
        cli_say("look at it     %s view %s\n", program_invocation_name, result->out);
        cli_say("figures of it  %s report %s\n", program_invocation_name, result->out);
    }
}
