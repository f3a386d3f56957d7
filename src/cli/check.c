#include "base/json.h"
#include "cli/command.h"
#include "cli/overlap.h"
#include "cli/run.h"
#include "cli/say.h"
#include "cli/start.h"
#include "discretize/joint_census.h"
#include "math/vec3.h"

#include <math.h>
#include <stdio.h>

enum { MOST_SOFTS = 10 };

// What a scene holds, counted.
typedef struct census {
    int n_free, n_fixed, n_kinematic, n_planar;
    int n_shapes[TN_SHAPE_COUNT];
    cli_overlap overlap; // at the start
    tn_joint_census joints;
    tn_start_velocity start;
} census;

typedef struct check_options {
    cli_scene_options scene;
    bool json;
} check_options;

static void count_model(const tn_model *model, census *c)
{
    for (int body = 1; body < model->n_bodies; body++) {
        tn_body_kind kind = model->bodies[body].kind;
        c->n_free += kind == TN_BODY_FREE;
        c->n_fixed += kind == TN_BODY_FIXED;
        c->n_kinematic += kind == TN_BODY_KINEMATIC;
        c->n_planar += model->bodies[body].planar;
    }
    for (int shape = 0; shape < model->n_shapes; shape++) {
        c->n_shapes[model->shapes[shape].shape.kind]++;
    }
}

static tn_status look_at_start(const tn_model *model, census *c, tn_error *error)
{
    tn_state *state = tn_state_create(model, error);
    tn_status status = state ? cli_overlap_find(model, state, &c->overlap, error) : TN_NO_MEMORY;
    status = status == TN_OK ? tn_joint_census_of(model, state, &c->joints, error) : status;
    status = status == TN_OK ? tn_start_velocity_find(model, state, NULL, &c->start, error) : status;
    tn_state_destroy(state);
    return status;
}

// What is worth knowing of a soft body's mesh.
typedef struct soft_census {
    int n_attached;
    double shortest, longest; // edges [m]
    double quality;           // of the worst tetrahedron, 1: regular
} soft_census;

static soft_census count_soft(const tn_model *model, const tn_model_soft *soft)
{
    const tn_mesh *mesh = &soft->description->mesh;
    soft_census c = {.shortest = INFINITY, .quality = tn_mesh_quality(mesh)};
    for (int i = soft->first_node; i < soft->first_node + soft->n_nodes; i++) {
        c.n_attached += model->nodes[i].body >= 0;
    }
    for (int k = 0; k < 6 * mesh->n_tets; k++) {
        static const int edges[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
        const int *tet = mesh->tets + 4 * (size_t)(k / 6), *edge = edges[k % 6];
        double along[3];
        tn_vec3_sub(along, mesh->nodes + 3 * (size_t)tet[edge[1]], mesh->nodes + 3 * (size_t)tet[edge[0]]);
        double length = tn_vec3_norm(along);
        c.shortest = fmin(c.shortest, length);
        c.longest = fmax(c.longest, length);
    }
    return c;
}

static void print_softs_json(tn_json *json, const tn_model *model)
{
    tn_json_open(json, "soft", '[');
    for (int s = 0; s < model->n_softs; s++) {
        const tn_model_soft *soft = &model->softs[s];
        soft_census c = count_soft(model, soft);
        tn_json_open(json, NULL, '{');
        tn_json_text(json, "name", soft->name);
        tn_json_integer(json, "nodes", soft->n_nodes);
        tn_json_integer(json, "attached_nodes", c.n_attached);
        tn_json_integer(json, "tetrahedra", soft->n_tets);
        tn_json_integer(json, "surface_triangles", soft->n_faces);
        tn_json_number(json, "volume_m3", soft->volume);
        tn_json_number(json, "mass_kg", soft->mass);
        tn_json_number(json, "shortest_edge_m", c.shortest);
        tn_json_number(json, "longest_edge_m", c.longest);
        tn_json_number(json, "worst_quality", c.quality);
        tn_json_number(json, "young_pa", soft->description->young);
        tn_json_number(json, "poisson", soft->description->poisson);
        tn_json_close(json, '}');
    }
    tn_json_close(json, ']');
}

// Copies of an array are alike: the first ones will do.
static void print_softs(const tn_model *model)
{
    for (int s = 0; s < model->n_softs && s < MOST_SOFTS; s++) {
        const tn_model_soft *soft = &model->softs[s];
        soft_census c = count_soft(model, soft);
        cli_say(
            "soft       %s: %d nodes (%d attached), %d tetrahedra, %.4g m^3, %.4g kg, Young %.4g Pa, Poisson %.3g\n",
            soft->name, soft->n_nodes, c.n_attached, soft->n_tets, soft->volume, soft->mass, soft->description->young,
            soft->description->poisson);
        cli_say("           edges from %.3g to %.3g m, worst tetrahedron %.2g (1 is regular)\n", c.shortest, c.longest,
                c.quality);
    }
    if (model->n_softs > MOST_SOFTS) {
        cli_say("soft       ... and %d more: %d nodes, %d tetrahedra in all\n", model->n_softs - MOST_SOFTS,
                model->n_nodes, model->n_tets);
    }
}

static void print_joints_json(tn_json *json, const tn_model *model, const tn_joint_census *c)
{
    tn_json_integer(json, "joints", model->n_joints);
    tn_json_integer(json, "joint_rows", c->n_rows);
    tn_json_integer(json, "joint_rows_dependent", c->n_dependent);
    tn_json_number(json, "joint_contradiction", c->contradiction);
    tn_json_integer(json, "mobility", model->n_dof - c->n_rows + c->n_dependent);
}

static void print_start_json(tn_json *json, const tn_start_velocity *start)
{
    tn_json_number(json, "start_velocity_mismatch", start->mismatch);
    tn_json_number(json, "kinetic_at_start_j", start->kinetic);
    tn_json_number(json, "kinetic_consistent_j", start->consistent);
}

static void print_joints(const tn_model *model, const tn_joint_census *c)
{
    if (model->n_joints == 0) {
        return;
    }
    cli_say("joints     %d: %d rows, ", model->n_joints, c->n_rows);
    if (c->n_dependent > 0) {
        cli_say("%d depend on the others (their forces are shared evenly), ", c->n_dependent);
    }
    cli_say("%d degrees of freedom left\n", model->n_dof - c->n_rows + c->n_dependent);
    if (c->n_uncounted > 0) {
        cli_say("           %d rows are in groups too large to look for dependent ones\n", c->n_uncounted);
    }
    if (c->contradiction > 1e-6) {
        cli_say(
            "warning    joints contradict each other by %.3g m/s or rad/s at the start, the most at joint '%s': the "
            "motion will be that of least squares\n",
            c->contradiction, model->joints[c->joint].name);
    }
}

static void print_json(const tn_model *model, const census *c)
{
    const tn_settings *settings = &model->settings;
    tn_json json = {.out = stdout};
    tn_json_open(&json, NULL, '{');
    tn_json_text(&json, "scene", model->scene->path);
    tn_json_text(&json, "title", model->scene->title);
    tn_json_open(&json, "bodies", '{');
    tn_json_integer(&json, "free", c->n_free);
    tn_json_integer(&json, "fixed", c->n_fixed);
    tn_json_integer(&json, "kinematic", c->n_kinematic);
    tn_json_integer(&json, "planar", c->n_planar);
    tn_json_close(&json, '}');
    tn_json_open(&json, "shapes", '{');
    for (int kind = 0; kind < TN_SHAPE_COUNT; kind++) {
        tn_json_integer(&json, tn_shape_name((tn_shape_kind)kind), c->n_shapes[kind]);
    }
    tn_json_close(&json, '}');
    print_softs_json(&json, model);
    tn_json_integer(&json, "materials", model->scene->n_materials);
    tn_json_integer(&json, "springs", model->scene->n_springs);
    print_joints_json(&json, model, &c->joints);
    if (model->n_joints > 0) {
        print_start_json(&json, &c->start);
    }
    tn_json_integer(&json, "dof", model->n_dof);
    tn_json_number(&json, "mass_kg", model->total_mass);
    tn_json_text(&json, "solver", settings->solver);
    tn_json_text(&json, "law", cli_law_name(settings->law));
    tn_json_text(&json, "scheme", cli_scheme_name(settings->scheme));
    tn_json_number(&json, "step_s", settings->step);
    tn_json_number(&json, "duration_s", settings->duration);
    tn_json_integer(&json, "contacts_at_start", c->overlap.n_contacts);
    tn_json_number(&json, "overlap_at_start_m", c->overlap.deepest);
    tn_json_number(&json, "joint_off_at_start", c->overlap.joint_off);
    tn_json_close(&json, '}');
}

static void print_text(const tn_model *model, const census *c)
{
    const tn_settings *settings = &model->settings;
    if (model->scene->title && *model->scene->title) {
        cli_say("%s\n", model->scene->title);
    }
    cli_say("bodies     %d free (%d confined to a plane), %d fixed, %d kinematic; %d degrees of freedom, %.6g kg\n",
            c->n_free, c->n_planar, c->n_fixed, c->n_kinematic, model->n_dof, model->total_mass);
    cli_say("shapes    %s", model->n_shapes > 0 ? "" : " none");
    for (int kind = 0; kind < TN_SHAPE_COUNT; kind++) {
        if (c->n_shapes[kind]) {
            cli_say(" %d %s", c->n_shapes[kind], tn_shape_name((tn_shape_kind)kind));
        }
    }
    cli_say("\n");
    print_joints(model, &c->joints);
    cli_start_print(model, &c->start, "warning    ");
    print_softs(model);
    cli_say("materials  %d, %d pairs; %d springs\n", model->scene->n_materials, model->scene->n_pairs,
            model->scene->n_springs);
    cli_say("method     law %s, scheme %s, solver %s\n", cli_law_name(settings->law), cli_scheme_name(settings->scheme),
            settings->solver);
    cli_say("time       %.6g s in steps of %.6g s; contacts are made within %.3g m\n", settings->duration,
            settings->step, model->margin);
    cli_say("at start   %d contacts", c->overlap.n_contacts);
    if (c->overlap.deepest > 0.0) {
        cli_say(", deepest overlap %.3g m (%s, %s)", c->overlap.deepest, tn_model_body_name(model, c->overlap.body_a),
                tn_model_body_name(model, c->overlap.body_b));
    }
    if (cli_overlap_matters(model, &c->overlap)) {
        cli_say("\n           %d pair%s of shapes overlap%s: pushed apart at %.3g m/s at most (push_out, margin)",
                c->overlap.n_pairs, c->overlap.n_pairs == 1 ? "" : "s", c->overlap.n_pairs == 1 ? "s" : "",
                cli_overlap_speed(model));
    }
    if (cli_overlap_joint_matters(&c->overlap)) {
        cli_say("\n           joint '%s' starts off by %.3g m or rad: closes at %.3g m/s at most (push_out)",
                tn_model_joint_name(model, c->overlap.joint), c->overlap.joint_off, settings->push_out);
    }
    cli_say("\nscene is valid\n");
}

static int check_scene(const char *path, void *user)
{
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
    return cli_scene_command(&syntax, argc, argv, &o.scene, check_scene, &o);
}
