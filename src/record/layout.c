// What a recording holds that does not change from frame to frame, and its empty columns (docs/recording.md).
#include "base/machine.h"
#include "model/lanes.h"
#include "record/recorder.h"
#include "record/rounding.h"
#include "tenon/version.h"

#include <string.h>

// A flush ends in a chunk that is not full; the next one writes that chunk anew, elsewhere if it is compressed. So
// chunks are small, bodies' chunks hold the 100 frames of a full flush where they can, and the numbers a frame that
// take little room are not compressed: they stay in place. Nor is what grows with soft bodies' nodes: deflating it
// would take longer than the step that made it.
enum { CHUNK_BYTES = 1 << 17, BODY_ROWS = 100, CONTACT_ROWS = 4096, SOFT_CONTACT_ROWS = 8192, FRAME_ROWS = 256 };

hid_t tn_column_hdf5_type(tn_column_type type)
{
    switch (type) {
    case TN_COLUMN_I64:
        return H5T_NATIVE_INT64;
    case TN_COLUMN_I32:
        return H5T_NATIVE_INT32;
    case TN_COLUMN_U8:
        return H5T_NATIVE_UINT8;
    case TN_COLUMN_F32:
        return H5T_NATIVE_FLOAT;
    default:
        return H5T_NATIVE_DOUBLE;
    }
}

static bool write_attributes(hid_t file, const tn_model *model)
{
    const tn_settings *settings = &model->settings;
    const tn_tolerance *tolerance = &settings->demanded;
    char machine[TN_MACHINE_SIZE];
    tn_machine_describe(machine);
    return tn_h5_attribute_text(file, "format", TN_RECORDING_FORMAT) &&
           tn_h5_attribute_int(file, "format_version", TN_RECORDING_FORMAT_VERSION) &&
           tn_h5_attribute_text(file, "version", TN_VERSION) && tn_h5_attribute_text(file, "machine", machine) &&
           tn_h5_attribute_text(file, "title", model->scene->title ? model->scene->title : "") &&
           tn_h5_attribute_text(file, "scene_path", model->scene->path ? model->scene->path : "") &&
           tn_h5_attribute_text(file, "solver", settings->solver) &&
           tn_h5_attribute_text(file, "law", tn_law_name(settings->law)) &&
           tn_h5_attribute_text(file, "scheme", tn_scheme_name(settings->scheme)) &&
           tn_h5_attribute_double(file, "step", settings->step) &&
           tn_h5_attribute_double(file, "tolerance_momentum", tolerance->momentum) &&
           tn_h5_attribute_double(file, "tolerance_natural", tolerance->natural) &&
           tn_h5_attribute_int(file, "record_every", settings->record_every) &&
           tn_h5_attribute_int(file, "contacts", settings->record_contacts) &&
           tn_h5_attribute_int(file, "threads", settings->solve.n_threads) &&
           tn_h5_attribute_int(file, "dof", model->n_dof) && tn_h5_attribute_uint(file, "seed", settings->seed) &&
           tn_h5_attribute_uint(file, "model_hash", model->hash);
}

tn_column_items tn_column_items_of(const tn_model *model)
{
    tn_column_items items = {{[TN_PER_FRAME] = 1,
                              [TN_PER_CONTACT] = 1,
                              [TN_PER_EDGE] = model->any_foundation ? 2 : 0,
                              [TN_PER_BODY] = model->n_bodies + model->n_softs,
                              [TN_PER_JOINTED] = model->n_joints > 0,
                              [TN_PER_SLEEPY] = model->settings.sleep_after > 0.0,
                              [TN_PER_PLANNED] = model->scene && model->scene->mpc,
                              [TN_PER_AHEAD] = model->scene && model->scene->mpc ? TN_PLAN_POSES * model->n_bodies : 0,
                              [TN_PER_JOINT] = model->n_joints,
                              [TN_PER_COORDINATE] = model->n_joint_coordinates,
                              [TN_PER_READING] = model->n_readings,
                              [TN_PER_SOFT] = model->n_softs,
                              [TN_PER_NODE] = model->n_nodes,
                              [TN_PER_TET] = model->settings.record_stress ? model->n_tets : 0}};
    return items;
}

bool tn_layout_put(const tn_layout *l, const char *path, hid_t type, size_t n, size_t width, const void *data,
                   const char *unit, const char *about)
{
    const hsize_t dims[2] = {n, width};
    return tn_h5_put_array(l->file, path, type, width > 1 ? 2 : 1, dims, data, unit, about);
}

bool tn_layout_put_texts(const tn_layout *l, const char *path, int n, const char *const *texts)
{
    size_t width = 1;
    for (int k = 0; k < n; k++) {
        width = strlen(texts[k]) > width ? strlen(texts[k]) : width;
    }
    char *block = tn_arena_push(l->arena, (size_t)n, width);
    for (int k = 0; block && k < n; k++) {
        memcpy(block + (size_t)k * width, texts[k], strlen(texts[k]));
    }
    return block && tn_h5_put_names(l->file, path, n, width, block);
}

// Rigid bodies, then soft ones.
static bool put_bodies(const tn_layout *l)
{
    const tn_model *model = l->model;
    size_t n_rigid = (size_t)model->n_bodies, n = n_rigid + (size_t)model->n_softs;
    const char **names = TN_PUSH(l->arena, const char *, n);
    double *mass = TN_PUSH(l->arena, double, n);
    uint8_t *kind = TN_PUSH(l->arena, uint8_t, n);
    bool ok = names && mass && kind;
    for (size_t k = 0; ok && k < n; k++) {
        bool soft = k >= n_rigid;
        names[k] = tn_model_body_name(model, (int)k);
        mass[k] = soft ? model->softs[k - n_rigid].mass : model->bodies[k].mass;
        kind[k] = soft ? TN_RECORDED_SOFT : (uint8_t)model->bodies[k].kind;
    }
    return ok && tn_h5_put_group(l->file, "bodies") && tn_layout_put_texts(l, "bodies/name", (int)n, names) &&
           tn_layout_put(l, "bodies/mass", H5T_NATIVE_DOUBLE, n, 1, mass, "kg", NULL) &&
           tn_layout_put(l, "bodies/kind", H5T_NATIVE_UINT8, n, 1, kind, NULL, "0 free, 1 fixed, 2 kinematic, 3 soft");
}

static bool create_column(hid_t file, const tn_model *model, const tn_column *column, const tn_column_items *items)
{
    size_t row_bytes = tn_column_row_bytes(column, items), dims[3];
    if (row_bytes == 0) {
        return true;
    }
    bool frame = tn_column_once(column), contact = tn_column_by_contact(column), soft = items->n[TN_PER_NODE] > 0;
    size_t most = frame ? FRAME_ROWS : contact ? (soft ? SOFT_CONTACT_ROWS : CONTACT_ROWS) : BODY_ROWS;
    size_t rows = CHUNK_BYTES / row_bytes;
    int n_dims = tn_column_dims(column, items, dims);
    hsize_t chunk[3] = {rows < 1 ? 1 : rows > most ? most : rows, dims[1], dims[2]};
    bool rounded = tn_column_is_rounded((int)(column - tn_columns)) && !model->settings.record_double;
    hid_t type = rounded ? H5T_NATIVE_FLOAT : tn_column_hdf5_type(column->type);
    int64_t zero = 0;
    bool deflate = column->per == TN_PER_BODY || (contact && !soft);
    return tn_h5_create_column(file, column->path, type, n_dims, chunk, deflate, column->unit, column->about) &&
           (!column->n_written || tn_h5_append_rows(file, column->path, type, 1, &zero));
}

// What the bits of plan/mode and plan/slides stand for.
static bool put_lanes(const tn_layout *l)
{
    tn_lane_name *name = TN_PUSH(l->arena, tn_lane_name, TN_LANES_MAX);
    const char *texts[TN_LANES_MAX];
    const int n = name ? tn_model_lane_names(l->model, name) : 0;
    for (int k = 0; k < n; k++) {
        texts[k] = name[k];
    }
    return name && tn_layout_put_texts(l, "plan/names", n, texts);
}

static bool put_all(const tn_layout *l)
{
    const tn_model *model = l->model;
    const tn_scene *scene = model->scene;
    tn_column_items items = tn_column_items_of(model);
    bool ok = tn_h5_put_text(l->file, "scene", scene->text ? scene->text : "") &&
              tn_layout_put_texts(l, "overrides", scene->n_overrides, (const char *const *)scene->overrides) &&
              put_bodies(l) && tn_layout_put_colors(l) && tn_layout_put_views(l) && tn_layout_put_shapes(l) &&
              tn_layout_put_joints(l) && tn_layout_put_softs(l) && tn_layout_put_sensors(l);
    for (int c = 0; ok && c < TN_COLUMN_COUNT; c++) {
        ok = create_column(l->file, model, &tn_columns[c], &items);
    }
    return ok && (!scene->mpc || put_lanes(l));
}

bool tn_layout_write(hid_t file, const tn_model *model)
{
    bool ours = write_attributes(file, model); // first: what fails later can be written over
    const tn_layout layout = {.file = file, .model = model, .arena = tn_arena_create(0)};
    bool ok = ours && layout.arena && put_all(&layout);
    tn_arena_destroy(layout.arena);
    return ok;
}
