// tenon forces: what holds a scene at rest, of its start or of a checkpoint; nothing is stepped.
#include "base/json.h"
#include "cli/command.h"
#include "cli/say.h"
#include "cli/scene_options.h"
#include "tenon/sim.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct forces_options {
    cli_scene_options scene;
    const char *state;
    bool elastic, json, csv;
} forces_options;

// All that is printed.
typedef struct forces {
    const tn_model *model;
    tn_state *state;
    tn_sim *sim;
    const forces_options *options;
    tn_forces_report report;
} forces;

// A contact's force in its frame, and the two sides as they are named.
typedef struct contact_line {
    tn_contact_info info;
    const char *a, *b;
    const double *frame; // (9) rows n, t1, t2
    double normal, friction[2];
} contact_line;

static double dot(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static contact_line contact_at(const forces *f, int i)
{
    contact_line line = {.frame = tn_sim_problem(f->sim, NULL)->rows->frame + 9 * (size_t)i};
    tn_sim_contact(f->sim, i, &line.info);
    line.a = tn_model_body_name(f->model, line.info.body_a);
    line.b = tn_model_body_name(f->model, line.info.body_b);
    line.normal = dot(line.frame, line.info.force);
    line.friction[0] = dot(line.frame + 3, line.info.force);
    line.friction[1] = dot(line.frame + 6, line.info.force);
    return line;
}

static const char *body_name(const forces *f, int body)
{
    return body >= 0 ? tn_model_body_name(f->model, body) : "";
}

static int body_count(const forces *f)
{
    return tn_model_body_count(f->model) + tn_model_soft_count(f->model);
}

static bool can_move(const forces *f, int body)
{
    return tn_model_body_moves(f->model, body);
}

static bool is_gear(const forces *f, int joint)
{
    return strcmp(tn_model_joint_type(f->model, joint), "gear") == 0;
}

// ---- JSON

static void print_contacts_json(tn_json *json, const forces *f)
{
    tn_json_open(json, "contacts", '[');
    for (int i = 0; i < f->report.n_contacts; i++) {
        contact_line c = contact_at(f, i);
        tn_json_open(json, NULL, '{');
        tn_json_text(json, "body_a", c.a);
        tn_json_text(json, "body_b", c.b);
        tn_json_numbers(json, "point_m", 3, c.info.point);
        tn_json_number(json, "normal_n", c.normal);
        tn_json_numbers(json, "friction_n", 2, c.friction);
        tn_json_numbers(json, "force_n", 3, c.info.force);
        tn_json_numbers(json, "frame", 9, c.frame);
        tn_json_number(json, "gap_m", c.info.gap);
        tn_json_close(json, '}');
    }
    tn_json_close(json, ']');
}

static void print_joints_json(tn_json *json, const forces *f)
{
    tn_json_open(json, "joints", '[');
    for (int j = 0; j < tn_model_joint_count(f->model); j++) {
        tn_joint_info info;
        int n = tn_model_joint_coordinate_count(f->model, j);
        tn_sim_joint(f->sim, f->state, j, &info);
        tn_json_open(json, NULL, '{');
        tn_json_text(json, "name", tn_model_joint_name(f->model, j));
        tn_json_text(json, "type", tn_model_joint_type(f->model, j));
        tn_json_text(json, "body_a", body_name(f, info.body_a));
        tn_json_text(json, "body_b", body_name(f, info.body_b));
        tn_json_numbers(json, "point_m", 3, info.point);
        tn_json_numbers(json, "force_n", 3, info.force);
        tn_json_numbers(json, "torque_nm", 3, info.torque);
        tn_json_open(json, "efforts", '{');
        for (int k = 0; k < n; k++) {
            tn_json_number(json, tn_model_joint_coordinate_name(f->model, j, k), info.effort[k]);
        }
        if (is_gear(f, j)) {
            tn_json_number(json, "gear", info.effort[0]);
        }
        tn_json_close(json, '}');
        tn_json_close(json, '}');
    }
    tn_json_close(json, ']');
}

static void print_bodies_json(tn_json *json, const forces *f)
{
    tn_json_open(json, "bodies", '[');
    for (int b = 1; b < body_count(f); b++) {
        tn_unbalance left;
        if (!can_move(f, b)) {
            continue;
        }
        tn_sim_unbalance(f->sim, f->state, b, &left);
        tn_json_open(json, NULL, '{');
        tn_json_text(json, "name", tn_model_body_name(f->model, b));
        tn_json_numbers(json, "unbalanced_force_n", 3, left.force);
        tn_json_numbers(json, "unbalanced_torque_nm", 3, left.torque);
        tn_json_number(json, "unbalanced_part", left.part);
        tn_json_close(json, '}');
    }
    tn_json_close(json, ']');
}

static void print_json(const forces *f)
{
    tn_json json = {.out = stdout};
    tn_json_open(&json, NULL, '{');
    tn_json_text(&json, "scene", tn_scene_path(tn_model_scene(f->model)));
    tn_json_text(&json, "state", f->options->state);
    tn_json_number(&json, "time_s", tn_state_time(f->state));
    tn_json_bool(&json, "elastic", f->options->elastic);
    tn_json_bool(&json, "equilibrium", f->report.equilibrium);
    tn_json_text(&json, "unbalanced_most",
                 f->report.unbalanced_body < 0 ? NULL : body_name(f, f->report.unbalanced_body));
    print_contacts_json(&json, f);
    print_joints_json(&json, f);
    print_bodies_json(&json, f);
    tn_json_text(&json, "solver", f->report.solve.solver);
    tn_json_integer(&json, "solves", f->report.refinements);
    tn_json_bool(&json, "held", f->report.held);
    tn_json_open(&json, "certificate", '{');
    for (int k = 0; k < TN_N_FIGURES; k++) {
        tn_json_number(&json, tn_figure_name(k), tn_figure_of(&f->report.solve.certificate, k));
    }
    tn_json_close(&json, '}');
    tn_json_close(&json, '}');
}

// ---- CSV: a line for each contact, joint and body

static void print_numbers(int n, const double *x)
{
    for (int i = 0; i < n; i++) {
        printf(",%.17g", x[i]);
    }
}

static void begin_line(const char *kind, const char *name, const char *a, const char *b)
{
    printf("%s,%s,%s,%s", kind, name, a, b); // names hold letters, digits, _ and -
}

static void print_csv(const forces *f)
{
    puts("kind,name,body_a,body_b,x,y,z,force_x,force_y,force_z,torque_x,torque_y,torque_z,normal_or_effort_1,"
         "friction_1_or_effort_2,friction_2_or_effort_3");
    for (int i = 0; i < f->report.n_contacts; i++) {
        contact_line c = contact_at(f, i);
        begin_line("contact", "", c.a, c.b);
        print_numbers(3, c.info.point);
        print_numbers(3, c.info.force);
        fputs(",,,", stdout);
        print_numbers(1, &c.normal);
        print_numbers(2, c.friction);
        putchar('\n');
    }
    for (int j = 0; j < tn_model_joint_count(f->model); j++) {
        tn_joint_info info;
        tn_sim_joint(f->sim, f->state, j, &info);
        begin_line("joint", tn_model_joint_name(f->model, j), body_name(f, info.body_a), body_name(f, info.body_b));
        print_numbers(3, info.point);
        print_numbers(3, info.force);
        print_numbers(3, info.torque);
        print_numbers(3, info.effort);
        putchar('\n');
    }
    for (int b = 1; b < body_count(f); b++) {
        tn_unbalance left;
        double at[3], quaternion[4];
        if (can_move(f, b)) {
            tn_sim_unbalance(f->sim, f->state, b, &left);
            tn_state_body_pose(f->state, b, at, quaternion);
            begin_line("unbalanced", tn_model_body_name(f->model, b), "", "");
            print_numbers(3, at);
            print_numbers(3, left.force);
            print_numbers(3, left.torque);
            fputs(",,,\n", stdout);
        }
    }
}

// ---- text

static void print_contacts(const forces *f)
{
    if (f->report.n_contacts > 0) {
        cli_say("%-32s %-30s %12s %12s   %s\n", "contact (force on the second)", "point [m]", "normal [N]",
                "friction [N]", "force [N]");
    }
    for (int i = 0; i < f->report.n_contacts; i++) {
        contact_line c = contact_at(f, i);
        char bodies[80], point[80];
        snprintf(bodies, sizeof bodies, "%s, %s", c.a, c.b);
        snprintf(point, sizeof point, "%.4g %.4g %.4g", c.info.point[0], c.info.point[1], c.info.point[2]);
        cli_say("%-32s %-30s %12.6g %12.6g   %.6g %.6g %.6g\n", bodies, point, c.normal,
                hypot(c.friction[0], c.friction[1]), c.info.force[0], c.info.force[1], c.info.force[2]);
    }
}

static void print_joint(const forces *f, int j)
{
    tn_joint_info info;
    char bodies[80] = "";
    bool gear = is_gear(f, j);
    int n = gear ? 1 : tn_model_joint_coordinate_count(f->model, j);
    tn_sim_joint(f->sim, f->state, j, &info);
    if (!gear) {
        snprintf(bodies, sizeof bodies, " (%s, %s)", body_name(f, info.body_a), body_name(f, info.body_b));
    }
    cli_say("%s%s: force %.6g %.6g %.6g N, torque %.6g %.6g %.6g N m", tn_model_joint_name(f->model, j), bodies,
            info.force[0], info.force[1], info.force[2], info.torque[0], info.torque[1], info.torque[2]);
    for (int k = 0; k < n; k++) {
        if (info.effort[k] != 0.0) {
            cli_say(", %s %.6g", gear ? "effort" : tn_model_joint_coordinate_name(f->model, j, k), info.effort[k]);
        }
    }
    cli_say("\n");
}

enum { MOST_UNBALANCED = 20 };

static void print_unbalanced(const forces *f)
{
    int n = 0;
    for (int b = 1; b < body_count(f); b++) {
        tn_unbalance left;
        tn_sim_unbalance(f->sim, f->state, b, &left);
        if (!can_move(f, b) || left.part <= 1e-6 || ++n > MOST_UNBALANCED) {
            continue;
        }
        cli_say("  %s: force %.6g %.6g %.6g N, torque %.6g %.6g %.6g N m, %.2g of what acts on it\n",
                tn_model_body_name(f->model, b), left.force[0], left.force[1], left.force[2], left.torque[0],
                left.torque[1], left.torque[2], left.part);
    }
    if (n > MOST_UNBALANCED) {
        cli_say("  ... and %d more\n", n - MOST_UNBALANCED);
    }
}

static void print_text(const forces *f)
{
    const tn_certificate *c = &f->report.solve.certificate;
    cli_say("at rest    t = %.9g s: %d contacts that touch, %d joints; what gives way %s\n", tn_state_time(f->state),
            f->report.n_contacts, tn_model_joint_count(f->model),
            f->options->elastic ? "bears its deformation's force" : "counts as rigid");
    print_contacts(f);
    for (int j = 0; j < tn_model_joint_count(f->model); j++) {
        print_joint(f, j);
    }
    if (f->report.equilibrium) {
        cli_say("equilibrium: no body is left with more than %.1e of what acts on it\n", f->report.unbalanced);
    } else {
        cli_say("no equilibrium: forces are left on\n");
        print_unbalanced(f);
    }
    cli_say("certificate momentum %.1e, natural %.1e, joint %.1e (solver %s, %d solves)\n", c->momentum, c->natural,
            c->joint, f->report.solve.solver, f->report.refinements);
}

// ---- the command

static int find_forces(const char *const *arguments, void *user)
{
    const char *path = arguments[0];
    forces_options *options = user;
    tn_error error = {0};
    if (options->json && options->csv) {
        tn_error_set(&error, TN_BAD_INPUT, "--json and --csv: one of them");
        return cli_report(&error);
    }
    forces f = {.options = options};
    tn_model *model = cli_scene_compile(path, &options->scene, &error);
    f.model = model;
    f.state = model ? tn_state_create(model, &error) : NULL;
    f.sim = f.state ? tn_sim_create(model, &error) : NULL;
    tn_status status = f.sim ? TN_OK : error.status;
    if (status == TN_OK && options->state) {
        status = tn_state_load(f.state, options->state, &error);
    }
    if (status == TN_OK) {
        status = tn_sim_forces(f.sim, f.state, &(tn_forces_options){options->elastic}, &f.report, &error);
    }
    if (status == TN_OK) {
        (options->json ? print_json : options->csv ? print_csv : print_text)(&f);
        fflush(stdout);
    }
    if (status == TN_OK && !f.report.held) {
        status = tn_error_set(&error, TN_NUMERICS, "the forces' certificate is above 1e-8");
    }
    tn_sim_destroy(f.sim);
    tn_state_destroy(f.state);
    tn_model_destroy(model);
    return status == TN_OK ? EXIT_DONE : cli_report(&error);
}

int cli_forces(int argc, char **argv)
{
    forces_options o = {.state = NULL};
    const cli_option options[] = {
        {"state", 0, OPTION_TEXT, &o.state, "F", "a checkpoint of the scene (default: its start)"},
        {"elastic", 0, OPTION_FLAG, &o.elastic, NULL,
         "what gives way bears what its deformation makes (default: it counts as rigid)"},
        {"json", 0, OPTION_FLAG, &o.json, NULL, "print one JSON object"},
        {"csv", 0, OPTION_FLAG, &o.csv, NULL, "print a table of contacts, joints and bodies"},
        CLI_SCENE_OPTIONS(o.scene),
    };
    const cli_syntax syntax = {.command = "forces",
                               .arguments = "SCENE",
                               .summary = "Forces of contacts and joints that hold a scene at rest; steps nothing.",
                               .notes = "Exit code 0 also where nothing can hold it: the bodies concerned are named.\n",
                               .options = options,
                               .n_options = sizeof options / sizeof *options,
                               .n_arguments_min = 1,
                               .n_arguments_max = 1};
    return cli_obey(&syntax, argc, argv, find_forces, &o);
}
