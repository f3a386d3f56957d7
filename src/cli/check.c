// `tenon check`: reads and compiles a scene, and says what it holds, how it starts and what of it cannot be right; as
// text or JSON. Nothing is stepped.
#include "base/json.h"
#include "cli/command.h"
#include "cli/say.h"
#include "cli/scene_options.h"
#include "cli/start.h"

#include <stdio.h>
#include <string.h>

enum { MOST_SOFTS = 10, MOST_KINDS = 64 };

// What a scene holds, counted.
typedef struct census {
    int n_free, n_fixed, n_kinematic, n_planar;
    int n_shapes[MOST_KINDS]; // by tn_shape_kind_name
    tn_overlaps overlaps;     // at the start
    tn_joint_census joints;
    tn_velocity_mismatch start;
} census;

typedef struct check_options {
    cli_scene_options scene;
    bool json;
} check_options;

static bool is(const char *a, const char *b)
{
    return strcmp(a, b) == 0;
}

static void count_model(const tn_model *model, census *c)
{
    for (int body = 1; body < tn_model_body_count(model); body++) {
        const char *kind = tn_model_body_kind(model, body);
        c->n_free += is(kind, "free");
        c->n_fixed += is(kind, "fixed");
        c->n_kinematic += is(kind, "kinematic");
        c->n_planar += tn_model_body_planar(model, body);
    }
    for (int k = 0; k < MOST_KINDS && tn_shape_kind_name(k); k++) {
        for (int shape = 0; shape < tn_model_shape_count(model); shape++) {
            c->n_shapes[k] += is(tn_model_shape_kind(model, shape), tn_shape_kind_name(k));
        }
    }
}

static tn_status look_at_start(const tn_model *model, census *c, tn_error *error)
{
    tn_state *state = tn_state_create(model, error);
    tn_status status = state ? tn_state_overlaps(state, &c->overlaps, error) : TN_NO_MEMORY;
    status = status == TN_OK ? tn_state_joint_census(state, &c->joints, error) : status;
    status = status == TN_OK ? tn_state_velocity_mismatch(state, &c->start, error) : status;
    tn_state_destroy(state);
    return status;
}

static void print_softs_json(tn_json *json, const tn_model *model)
{
    int first = tn_model_body_count(model);
    tn_json_open(json, "soft", '[');
    for (int body = first; body < first + tn_model_soft_count(model); body++) {
        tn_soft_info soft;
        tn_model_get_soft(model, body, &soft);
        tn_json_open(json, NULL, '{');
        tn_json_text(json, "name", tn_model_body_name(model, body));
        tn_json_integer(json, "nodes", soft.n_nodes);
        tn_json_integer(json, "attached_nodes", soft.n_attached);
        tn_json_integer(json, "tetrahedra", soft.n_elements);
        tn_json_integer(json, "surface_triangles", soft.n_faces);
        tn_json_number(json, "volume_m3", soft.volume);
        tn_json_number(json, "mass_kg", soft.mass);
        tn_json_number(json, "shortest_edge_m", soft.shortest_edge);
        tn_json_number(json, "longest_edge_m", soft.longest_edge);
        tn_json_number(json, "worst_quality", soft.quality);
        tn_json_number(json, "young_pa", soft.young);
        tn_json_number(json, "poisson", soft.poisson);
        tn_json_close(json, '}');
    }
    tn_json_close(json, ']');
}

// Copies of an array are alike: the first ones will do.
static void print_softs(const tn_model *model)
{
    int first = tn_model_body_count(model), n = tn_model_soft_count(model);
    for (int body = first; body < first + n && body < first + MOST_SOFTS; body++) {
        tn_soft_info soft;
        tn_model_get_soft(model, body, &soft);
        cli_say(
            "soft       %s: %d nodes (%d attached), %d tetrahedra, %.4g m^3, %.4g kg, Young %.4g Pa, Poisson %.3g\n",
            tn_model_body_name(model, body), soft.n_nodes, soft.n_attached, soft.n_elements, soft.volume, soft.mass,
            soft.young, soft.poisson);
        cli_say("           edges from %.3g to %.3g m, worst tetrahedron %.2g (1 is regular)\n", soft.shortest_edge,
                soft.longest_edge, soft.quality);
    }
    if (n > MOST_SOFTS) {
        cli_say("soft       ... and %d more: %d nodes, %d tetrahedra in all\n", n - MOST_SOFTS,
                tn_model_node_total(model), tn_model_element_total(model));
    }
}

static void print_joints_json(tn_json *json, const tn_model *model, const tn_joint_census *c)
{
    tn_json_integer(json, "joints", tn_model_joint_count(model));
    tn_json_integer(json, "joint_rows", c->n_rows);
    tn_json_integer(json, "joint_rows_dependent", c->n_dependent);
    tn_json_number(json, "joint_contradiction", c->contradiction);
    tn_json_integer(json, "mobility", tn_model_dof(model) - c->n_rows + c->n_dependent);
}

static void print_start_json(tn_json *json, const tn_velocity_mismatch *start)
{
    tn_json_number(json, "start_velocity_mismatch", start->mismatch);
    tn_json_number(json, "kinetic_at_start_j", start->kinetic);
    tn_json_number(json, "kinetic_consistent_j", start->allowed);
}

static void print_joints(const tn_model *model, const tn_model_method *method, const tn_joint_census *c)
{
    if (tn_model_joint_count(model) == 0) {
        return;
    }
    cli_say("joints     %d: %d rows, ", tn_model_joint_count(model), c->n_rows);
    if (c->n_dependent > 0) {
        cli_say("%d depend on the others (their forces are shared evenly), ", c->n_dependent);
    }
    cli_say("%d degrees of freedom left", tn_model_dof(model) - c->n_rows + c->n_dependent);
    cli_say("; %s coordinates\n", method->coordinates);
    if (c->n_uncounted > 0) {
        cli_say("           %d rows are in groups too large to look for dependent ones\n", c->n_uncounted);
    }
    if (c->contradiction > 1e-6) {
        cli_say(
            "warning    joints contradict each other by %.3g m/s or rad/s at the start, the most at joint '%s': the "
            "motion will be that of least squares\n",
            c->contradiction, tn_model_joint_name(model, c->joint));
    }
}

static void print_json(const tn_model *model, const census *c)
{
    tn_model_method method;
    const tn_scene *scene = tn_model_scene(model);
    tn_model_get_method(model, &method);
    tn_json json = {.out = stdout};
    tn_json_open(&json, NULL, '{');
    tn_json_text(&json, "scene", tn_scene_path(scene));
    tn_json_text(&json, "title", tn_scene_title(scene));
    tn_json_open(&json, "bodies", '{');
    tn_json_integer(&json, "free", c->n_free);
    tn_json_integer(&json, "fixed", c->n_fixed);
    tn_json_integer(&json, "kinematic", c->n_kinematic);
    tn_json_integer(&json, "planar", c->n_planar);
    tn_json_close(&json, '}');
    tn_json_open(&json, "shapes", '{');
    for (int kind = 0; tn_shape_kind_name(kind); kind++) {
        tn_json_integer(&json, tn_shape_kind_name(kind), c->n_shapes[kind]);
    }
    tn_json_close(&json, '}');
    print_softs_json(&json, model);
    tn_json_integer(&json, "materials", tn_scene_count(scene, "materials"));
    tn_json_integer(&json, "springs", tn_scene_count(scene, "springs"));
    print_joints_json(&json, model, &c->joints);
    if (tn_model_joint_count(model) > 0) {
        print_start_json(&json, &c->start);
    }
    tn_json_integer(&json, "dof", tn_model_dof(model));
    tn_json_number(&json, "mass_kg", tn_model_mass(model));
    tn_json_text(&json, "solver", method.solver);
    tn_json_text(&json, "law", method.law);
    tn_json_text(&json, "scheme", method.scheme);
    tn_json_text(&json, "coordinates", method.coordinates);
    tn_json_number(&json, "step_s", method.step);
    tn_json_number(&json, "duration_s", method.duration);
    tn_json_integer(&json, "contacts_at_start", c->overlaps.n_contacts);
    tn_json_number(&json, "overlap_at_start_m", c->overlaps.deepest);
    tn_json_number(&json, "joint_off_at_start", c->overlaps.joint_off);
    tn_json_close(&json, '}');
}

static void print_text(const tn_model *model, const census *c)
{
    tn_model_method method;
    const tn_scene *scene = tn_model_scene(model);
    tn_model_get_method(model, &method);
    if (*tn_scene_title(scene)) {
        cli_say("%s\n", tn_scene_title(scene));
    }
    cli_say("bodies     %d free (%d confined to a plane), %d fixed, %d kinematic; %d degrees of freedom, %.6g kg\n",
            c->n_free, c->n_planar, c->n_fixed, c->n_kinematic, tn_model_dof(model), tn_model_mass(model));
    cli_say("shapes    %s", tn_model_shape_count(model) > 0 ? "" : " none");
    for (int kind = 0; tn_shape_kind_name(kind); kind++) {
        if (c->n_shapes[kind]) {
            cli_say(" %d %s", c->n_shapes[kind], tn_shape_kind_name(kind));
        }
    }
    cli_say("\n");
    print_joints(model, &method, &c->joints);
    cli_start_print(model, &c->start, "warning    ");
    print_softs(model);
    cli_say("materials  %d, %d pairs; %d springs\n", tn_scene_count(scene, "materials"), tn_scene_count(scene, "pairs"),
            tn_scene_count(scene, "springs"));
    cli_say("method     law %s, scheme %s, accuracy %s, solver %s\n", method.law, method.scheme,
            cli_accuracy_name(&method), method.solver);
    cli_say("time       %.6g s in steps of %.6g s; contacts are made within %.3g m\n", method.duration, method.step,
            method.margin);
    cli_say("at start   %d contacts", c->overlaps.n_contacts);
    if (c->overlaps.deepest > 0.0) {
        cli_say(", deepest overlap %.3g m (%s, %s)", c->overlaps.deepest, tn_model_body_name(model, c->overlaps.body_a),
                tn_model_body_name(model, c->overlaps.body_b));
    }
    if (c->overlaps.matters) {
        cli_say("\n           %d pair%s of shapes overlap%s: pushed apart at %.3g m/s at most (push_out, margin)",
                c->overlaps.n_pairs, c->overlaps.n_pairs == 1 ? "" : "s", c->overlaps.n_pairs == 1 ? "s" : "",
                c->overlaps.speed);
    }
    if (c->overlaps.joint_matters) {
        cli_say("\n           joint '%s' starts off by %.3g m or rad: closes at %.3g m/s at most (push_out)",
                tn_model_joint_name(model, c->overlaps.joint), c->overlaps.joint_off, method.push_out);
    }
    cli_say("\nscene is valid\n");
}

static int check_scene(const char *const *arguments, void *user)
{
    const char *path = arguments[0];
    check_options *options = user;
    tn_error error = {0};
    census c = {0};
    tn_model *model = cli_scene_compile(path, &options->scene, &error);
    if (!model || look_at_start(model, &c, &error) != TN_OK) {
        tn_model_destroy(model);
        return cli_report(&error);
    }
    count_model(model, &c);
    if (options->json) {
        print_json(model, &c);
    } else {
        print_text(model, &c);
    }
    tn_model_destroy(model);
    return EXIT_DONE;
}

int cli_check(int argc, char **argv)
{
    check_options o = {0};
    const cli_option options[] = {
        CLI_SCENE_OPTIONS(o.scene),
        {"json", 0, OPTION_FLAG, &o.json, NULL, "print the summary as one JSON object"},
    };
    const cli_syntax syntax = {.command = "check",
                               .arguments = "SCENE",
                               .summary = "Validate a scene and say what is in it; simulates nothing.",
                               .notes = "",
                               .options = options,
                               .n_options = sizeof options / sizeof *options,
                               .n_arguments_min = 1,
                               .n_arguments_max = 1};
    return cli_obey(&syntax, argc, argv, check_scene, &o);
}
