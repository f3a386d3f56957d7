// tn_scene_load and its sisters: text to tree to structs.
#include "base/memory.h"
#include "base/plain.h"
#include "law/law.h"
#include "scene/builder.h"
#include "scene/file.h"
#include "scene/override.h"
#include "scene/rebase.h"
#include "scene/yaml.h"

#include <math.h>
#include <string.h>

static char *keep(tn_reader *reader, const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = tn_arena_push(reader->storage, size, 1);
    if (!copy) {
        tn_read_no_memory(reader);
        return NULL;
    }
    return memcpy(copy, text, size);
}

static bool check_facets(tn_build *build, const tn_node *root)
{
    int facets = build->scene->settings.facets;
    if (facets != 0 && !tn_facets_fit(facets)) {
        return tn_read_error(&build->reader, tn_node_place_of(root, "solver"),
                             "'solver.facets' is %d, expected 0 (the round cone), " TN_FACETS_EXPECTED, facets);
    }
    return facets > 0 || build->scene->settings.align == TN_FACETS_FIXED ||
           tn_read_error(&build->reader, tn_node_place_of(root, "solver"),
                         "'solver.facets_align' turns the directions that 'solver.facets' makes: say how many");
}

static bool check_restitution(tn_build *build, const tn_node *root)
{
    const tn_settings *settings = &build->scene->settings;
    return settings->restitution_law == TN_RESTITUTION_NEWTON || settings->scheme == TN_SCHEME_EULER ||
           tn_read_error(&build->reader, tn_node_place_of(root, "restitution_law"),
                         "'restitution_law: poisson' needs 'scheme: euler'");
}

static bool check_sleep(tn_build *build, const tn_node *root)
{
    return build->scene->settings.sleep_after == 0.0 || !build->raw.softs || build->raw.softs->n == 0 ||
           tn_read_error(&build->reader, tn_node_place_of(root, "sleep"), "nothing sleeps where there are soft bodies");
}

static bool check_coordinates(tn_build *build, const tn_node *root)
{
    const tn_settings *settings = &build->scene->settings;
    return settings->coordinates != TN_COORDINATES_REDUCED || settings->scheme != TN_SCHEME_MIDPOINT ||
           tn_read_error(&build->reader, tn_node_place_of(root, "coordinates"),
                         "'coordinates: reduced' needs 'scheme: euler' or 'implicit'");
}

// What position-based dynamics knows nothing of. Bodies, joints and materials: model/check_pbd.c.
static bool check_pbd(tn_build *build, const tn_node *root)
{
    const tn_settings *s = &build->scene->settings;
    const struct {
        bool wrong;
        const char *key, *text;
    } checks[] = {
        {s->law == TN_LAW_CONVEX, "law", "'scheme: pbd' takes 'law: coulomb' or 'frictionless'"},
        {s->facets > 0, "solver", "'scheme: pbd' has the round cone of friction: it takes no 'solver.facets'"},
        {s->gap_term != TN_GAP_FULL, "gap", "'scheme: pbd' works on positions: it takes 'gap: full'"},
        {s->stabilization != TN_GAP_FULL, "stabilization", "'scheme: pbd' works on positions: 'stabilization: full'"},
        {s->coordinates == TN_COORDINATES_REDUCED, "coordinates", "'scheme: pbd' takes 'coordinates: maximal'"},
        {s->sleep_after > 0.0, "sleep", "with 'scheme: pbd' nothing sleeps"},
        {s->omega > 0.0, "omega", "'scheme: pbd' knows no 'omega'"},
        {s->k_v < INFINITY, "solver", "'scheme: pbd' knows no 'solver.k_v'"},
    };
    for (size_t i = 0; s->scheme == TN_SCHEME_PBD && i < sizeof checks / sizeof *checks; i++) {
        if (checks[i].wrong) {
            return tn_read_error(&build->reader, tn_node_place_of(root, checks[i].key), "%s", checks[i].text);
        }
    }
    return true;
}

static bool build_scene(tn_build *build, const tn_node *root)
{
    tn_scene *scene = build->scene;
    if (!tn_section_read(&build->reader, &tn_section_scene, root, &build->raw)) {
        return false;
    }
    scene->settings = build->raw.settings;
    scene->settings.scheme = (tn_scheme)build->raw.scheme;
    scene->settings.initial_velocities = (tn_initial)build->raw.initial_velocities;
    scene->settings.law = (tn_law)build->raw.law;
    scene->settings.accuracy = (tn_accuracy)build->raw.accuracy;
    scene->settings.align = (tn_facets_align)build->raw.facets_align;
    scene->settings.stabilization = (tn_gap_term)build->raw.stabilization;
    scene->settings.coordinates = (tn_coordinates)build->raw.coordinates;
    scene->settings.record_double = build->raw.record_precision == 1;
    scene->settings.gap_term = (tn_gap_term)build->raw.gap_term;
    scene->settings.restitution_law = (tn_restitution_law)build->raw.restitution_law;
    scene->title = keep(&build->reader, build->raw.title ? build->raw.title : "");
    if (!scene->title) {
        return false;
    }
    return check_facets(build, root) && check_restitution(build, root) && check_sleep(build, root) &&
           check_coordinates(build, root) && check_pbd(build, root) && tn_build_materials(build) &&
           tn_build_pairs(build) && tn_build_bodies(build) && tn_build_rods(build) && tn_build_springs(build) &&
           tn_build_softs(build) && tn_build_joints(build) && tn_build_frames(build) && tn_build_sensors(build) &&
           tn_build_starts(build) && tn_build_mpc(build) && tn_build_views(build);
}

// The scene's text as recordings keep it: the file's own, or the whole tree when other sources have a part in it.
static bool keep_text(tn_build *build, const char *text, const tn_node *root, bool own)
{
    const tn_node *whole = own ? root : tn_scene_rebase(build->reader.scratch, root, build->scene->path);
    const char *all = own ? text : whole ? tn_yaml_write(whole, build->reader.scratch) : NULL;
    if (!all) {
        return tn_read_no_memory(&build->reader);
    }
    build->scene->text = keep(&build->reader, all);
    return build->scene->text != NULL;
}

// Where a scene comes from.
typedef struct source {
    const char *text; // NULL: the file called name is read
    const char *name;
    const tn_builder *builder; // instead of these
    int n_set;
    const char *const *set;
} source;

// What overrides say of the coordinates, which robots' files want to know before there is a scene; NULL: nothing.
static const char *coordinates_of(const source *from)
{
    static const char key[] = "coordinates=";
    const char *said = NULL;
    for (int i = 0; i < from->n_set; i++) {
        said = strncmp(from->set[i], key, strlen(key)) == 0 ? from->set[i] + strlen(key) : said;
    }
    return said;
}

// Robots' files have become bodies and joints by now: an override of the list would do nothing.
static bool heeds_robots(tn_reader *reader, const char *text, tn_place place)
{
    bool of_them = strncmp(text, "robots", 6) == 0 && (text[6] == '=' || text[6] == '.');
    return !of_them || tn_read_error(reader, place,
                                     "robots' files are read before overrides: change what became of them "
                                     "(bodies.NAME, joints.NAME), or the scene's file");
}

static bool fill(tn_build *build, const char *text, size_t length, const source *from)
{
    int n_files = 0;
    build->reader.coordinates = coordinates_of(from);
    build->reader.n_set = from->n_set;
    build->reader.set = from->set;
    tn_node *root = from->builder ? tn_builder_tree(from->builder, build)
                                  : tn_scene_tree(&build->reader, text, length, build->scene->path, &n_files);
    root = root && from->builder ? tn_scene_robots(&build->reader, root) : root;
    for (int i = 0; root && i < from->n_set; i++) {
        const tn_place place = {"--set", i + 1, 1};
        root = heeds_robots(&build->reader, from->set[i], place)
                   ? tn_override_apply(&build->reader, root, from->set[i], place)
                   : NULL;
    }
    bool own = n_files == 0 && from->n_set == 0 && !from->builder;
    return root && build_scene(build, root) && keep_text(build, text, root, own);
}

static bool keep_overrides(tn_build *build, const source *from)
{
    char **all = TN_PUSH(build->reader.storage, char *, from->n_set);
    bool ok = all != NULL;
    for (int i = 0; ok && i < from->n_set; i++) {
        all[i] = keep(&build->reader, from->set[i]);
        ok = all[i] != NULL;
    }
    build->scene->n_overrides = from->n_set;
    build->scene->overrides = all;
    return ok || tn_read_no_memory(&build->reader);
}

static tn_scene *create(const source *from, tn_error *error)
{
    tn_error unused = {0};
    tn_scene *scene = tn_calloc(1, sizeof *scene);
    tn_build build = {.scene = scene};
    build.reader = (tn_reader){.storage = scene ? tn_arena_create(0) : NULL,
                               .scratch = tn_arena_create(0),
                               .error = error ? error : &unused,
                               .remarks = scene ? &scene->remarks : NULL};
    bool ok = false;
    const tn_plain plain = tn_plain_begin();
    if (!build.reader.storage || !build.reader.scratch) {
        tn_read_no_memory(&build.reader);
    } else {
        const char *text = from->text;
        size_t length = text ? strlen(text) : 0;
        bool file = !text && !from->builder;
        scene->storage = build.reader.storage;
        text = file ? tn_scene_file(&build.reader, from->name, NULL, &length) : text;
        scene->path = text || !file ? keep(&build.reader, from->name) : NULL;
        ok = scene->path && fill(&build, text, length, from) && keep_overrides(&build, from);
    }
    tn_plain_end(plain);
    tn_arena_destroy(build.reader.scratch);
    if (!ok) {
        if (scene) {
            scene->storage = build.reader.storage;
        }
        tn_scene_destroy(scene);
        return NULL;
    }
    return scene;
}

static bool are_texts(int n, const char *const *texts)
{
    bool all = n == 0 || (n > 0 && texts);
    for (int i = 0; all && i < n; i++) {
        all = texts[i] != NULL;
    }
    return all;
}

tn_scene *tn_scene_load(const char *path, int n_set, const char *const *set, tn_error *error)
{
    if (!path || !are_texts(n_set, set)) {
        tn_error_set(error, TN_BAD_INPUT, "no path of a scene file, or overrides that are none");
        return NULL;
    }
    return create(&(source){.name = path, .n_set = n_set, .set = set}, error);
}

tn_scene *tn_scene_parse(const char *text, const char *name, int n_set, const char *const *set, tn_error *error)
{
    if (!text || !are_texts(n_set, set)) {
        tn_error_set(error, TN_BAD_INPUT, "no text of a scene, or overrides that are none");
        return NULL;
    }
    return create(&(source){.text = text, .name = name ? name : "scene", .n_set = n_set, .set = set}, error);
}

tn_scene *tn_builder_scene(const tn_builder *builder, tn_error *error)
{
    if (!builder) {
        tn_error_set(error, TN_BAD_INPUT, "no builder of a scene");
        return NULL;
    }
    return create(&(source){.name = "scene", .builder = builder}, error);
}

const char *tn_scene_text(const tn_scene *scene)
{
    return scene ? scene->text : NULL;
}

const char *tn_scene_title(const tn_scene *scene)
{
    return scene && scene->title ? scene->title : "";
}

const char *tn_scene_path(const tn_scene *scene)
{
    return scene ? scene->path : NULL;
}

int tn_scene_count(const tn_scene *scene, const char *section)
{
    if (!scene || !section) {
        return 0;
    }
    const struct {
        const char *section;
        int n;
    } all[] = {{"bodies", scene->n_bodies},       {"soft", scene->n_softs},      {"joints", scene->n_joints},
               {"materials", scene->n_materials}, {"pairs", scene->n_pairs},     {"springs", scene->n_springs},
               {"rods", scene->n_rods},           {"sensors", scene->n_sensors}, {"frames", scene->n_frames}};
    for (size_t k = 0; k < sizeof all / sizeof *all; k++) {
        if (strcmp(section, all[k].section) == 0) {
            return all[k].n;
        }
    }
    return 0;
}

void tn_scene_destroy(tn_scene *scene)
{
    if (scene) {
        tn_arena_destroy(scene->storage);
        tn_free(scene);
    }
}
