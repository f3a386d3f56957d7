#include "base/json.h"
#include "cli/run.h"
#include "tenon/version.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

const char *cli_outcome_name(cli_outcome outcome)
{
    static const char *const names[] = {"done", "tolerance not reached", "diverged", "interrupted", "failed"};
    return names[outcome];
}

const char *cli_law_name(tn_law law)
{
    static const char *const names[] = {"coulomb", "convex", "frictionless"};
    return names[law];
}

const char *cli_scheme_name(tn_scheme scheme)
{
    static const char *const names[] = {"euler", "midpoint", "implicit"};
    return names[scheme];
}

static double realtime_factor(const cli_run_result *result)
{
    return result->wall > 0.0 ? result->summary.time / result->wall : NAN;
}

static void put_settings(tn_json *json, const tn_model *model)
{
    const tn_settings *settings = &model->settings;
    tn_json_text(json, "version", TN_VERSION);
    tn_json_text(json, "scene", model->scene->path);
    tn_json_integer(json, "threads", settings->solve.n_threads);
    tn_json_text(json, "law", cli_law_name(settings->law));
    tn_json_text(json, "scheme", cli_scheme_name(settings->scheme));
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

static void put_figures(tn_json *json, const tn_summary *s)
{
    tn_json_open(json, "ms_per_step", '{');
    tn_json_number(json, "collide", s->collide_ms.median);
    tn_json_number(json, "discretize", s->discretize_ms.median);
    tn_json_number(json, "solve", s->solve_ms.median);
    tn_json_number(json, "certify", s->certify_ms.median);
    tn_json_number(json, "total", s->total_ms.median);
    tn_json_close(json, '}');
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
    tn_json json = {.out = stdout};
    tn_json_open(&json, NULL, '{');
    tn_json_text(&json, "outcome", cli_outcome_name(result->outcome));
    bool stopped = result->outcome == RUN_DIVERGED || result->outcome == RUN_FAILED;
    tn_json_text(&json, "error", stopped ? result->error.message : NULL);
    tn_json_text(&json, "out", result->out);
    tn_json_text(&json, "interfered", result->interfered);
    put_settings(&json, model);
    tn_json_text(&json, "solver", model->settings.solver);
    tn_json_open(&json, "solvers_used", '[');
    for (int k = 0; k < s->n_solvers; k++) {
        tn_json_text(&json, NULL, s->solvers[k]);
    }
    tn_json_close(&json, ']');
    tn_json_integer(&json, "steps", s->n_steps);
    tn_json_number(&json, "time_s", s->time);
    tn_json_number(&json, "wall_s", result->wall);
    tn_json_number(&json, "realtime_factor", realtime_factor(result));
    tn_json_integer(&json, "bodies", model->n_bodies - 1 + model->n_softs);
    tn_json_integer(&json, "soft_bodies", model->n_softs);
    tn_json_integer(&json, "nodes", model->n_nodes);
    tn_json_integer(&json, "tetrahedra", model->n_tets);
    tn_json_integer(&json, "dof", model->n_dof);
    put_mean_max(&json, "contacts", &s->contacts);
    put_mean_max(&json, "iterations", &s->iterations);
    tn_json_integer(&json, "joints", model->n_joints);
    tn_json_number(&json, "joint_yield", s->joint_yield);
    tn_json_integer(&json, "steps_missed", s->n_missed);
    put_figures(&json, s);
    tn_json_close(&json, '}');
}

// Rigid joints yield by a millionth of the velocities that they change.
static const double JOINT_YIELD_SEEN = 1e-3;

// Says what to do about energy that the scheme made: midpoint does not damp, and with it a taut soft body gains, and
// what slides or rolls through a hollow; euler strains a soft body that turns by a large angle in a step.
static void print_gain(const tn_model *model, const tn_summary *s)
{
    bool gains = s->energy_max_gain > 0.01 * (fabs(s->energy_initial) + fabs(s->energy_final));
    bool midpoint = model->settings.scheme == TN_SCHEME_MIDPOINT;
    if (!gains || (model->n_softs == 0 && !(midpoint && s->contacts.max > 0.0))) {
        return;
    }
    if (model->n_softs == 0) {
        printf(
            "               midpoint takes a contact's normal at the step's start and gains on curved surfaces: take "
            "scheme: euler,\n               or a shorter step\n");
    } else if (midpoint) {
        printf("               midpoint does not damp soft bodies by itself: give them damping: {stiffness: %.2g s} "
               "or more,\n               geometric: projected, or take scheme: euler\n",
               model->settings.step / 5.0);
    } else if (model->settings.scheme == TN_SCHEME_EULER) {
        printf("               euler strains soft bodies that turn far within a step: take scheme: implicit, or a "
               "shorter step\n");
    }
}

// A balance that is this far off is no motion of these bodies any more.
static const double MOMENTUM_ASTRAY = 1e-2;

static void print_astray(const tn_model *model, const tn_summary *s)
{
    double worst = s->certificate[TN_FIGURE_MOMENTUM].max;
    if (worst > MOMENTUM_ASTRAY) {
        printf("astray         solver %s left forces and velocities out of balance by up to %.2g of the forces: do not "
               "trust\n               the motion; %s%s\n",
               model->settings.solver, worst, strcmp(model->settings.solver, "auto") == 0 ? "" : "take solver: auto, ",
               "allow more iterations (solver.max_iterations), or take a shorter step");
    }
}

void cli_run_print_text(const tn_model *model, const cli_run_result *result)
{
    const tn_summary *s = &result->summary;
    const tn_settings *settings = &model->settings;
    printf("%ld steps of %.4g s in %.3g s (%.3g times real time), %d bodies, %d degrees of freedom\n", s->n_steps,
           settings->step, result->wall, realtime_factor(result), model->n_bodies - 1 + model->n_softs, model->n_dof);
    if (model->n_softs > 0) {
        printf("%d soft bod%s: %d nodes, %d tetrahedra, %d surface triangles\n", model->n_softs,
               model->n_softs == 1 ? "y" : "ies", model->n_nodes, model->n_tets, model->n_faces);
    }
    printf("law %s, scheme %s, %d thread%s, solver %s", cli_law_name(settings->law), cli_scheme_name(settings->scheme),
           settings->solve.n_threads, settings->solve.n_threads == 1 ? "" : "s", settings->solver);
    bool choice = s->n_solvers > 1 || (s->n_solvers == 1 && strcmp(s->solvers[0], settings->solver) != 0);
    for (int k = 0; choice && k < s->n_solvers; k++) {
        printf("%s%s%s", k ? ", " : " (", s->solvers[k], k + 1 == s->n_solvers ? ")" : "");
    }
    printf("\n");
    if (s->n_steps > 0) {
        printf("contacts       %.4g mean, %.0f max\n", s->contacts.mean, s->contacts.max);
        printf("iterations     %.4g mean, %.0f max\n", s->iterations.mean, s->iterations.max);
        printf("ms per step    %.3g collide, %.3g discretize, %.3g solve, %.3g certify, %.3g total (medians)\n",
               s->collide_ms.median, s->discretize_ms.median, s->solve_ms.median, s->certify_ms.median,
               s->total_ms.median);
        printf("energy [J]     %.6g at first, %.6g at last, gained at most %.3g\n", s->energy_initial, s->energy_final,
               s->energy_max_gain);
        print_gain(model, s);
        printf("certificate    %-22s %10s %10s\n", "", "max", "median");
        for (int k = 0; k < TN_N_FIGURES; k++) {
            if (!isnan(s->certificate[k].max)) {
                printf("               %-22s %10.2e %10.2e  %s\n", tn_figure_name(k), s->certificate[k].max + 0.0,
                       s->certificate[k].median + 0.0, tn_figure_unit(k)); // no -0
            }
        }
    }
    print_astray(model, s);
    if (s->joint_yield > JOINT_YIELD_SEEN) {
        printf("joints         give way by up to %.3g m/s or rad/s: they contradict each other, or masses differ too "
               "much; "
               "this is the motion of least squares\n",
               s->joint_yield);
    }
    if (result->interfered) {
        printf("interfered     %s; the scene alone does not repeat this run\n", result->interfered);
    }
    if (result->out) {
        printf("recording      %s\n", result->out);
        printf("look at it     %s view %s\n", program_invocation_name, result->out);
        printf("figures of it  %s report %s\n", program_invocation_name, result->out);
    }
}
