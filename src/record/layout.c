// What a recording holds that does not change from frame to frame, and its empty columns (docs/recording.md).
#include "base/machine.h"
#include "base/memory.h"
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

// Rigid bodies, then soft ones.
static bool write_bodies(hid_t file, const tn_model *model)
{
    size_t n_rigid = (size_t)model->n_bodies, n = n_rigid + (size_t)model->n_softs;
    const char **names = tn_calloc(n, sizeof *names);
    double *mass = tn_calloc(n, sizeof *mass);
    uint8_t *kind = tn_calloc(n, 1);
    bool ok = names && mass && kind;
    for (size_t k = 0; ok && k < n; k++) {
        bool soft = k >= n_rigid;
        names[k] = tn_model_body_name(model, (int)k);
        mass[k] = soft ? model->softs[k - n_rigid].mass : model->bodies[k].mass;
        kind[k] = soft ? TN_RECORDED_SOFT : (uint8_t)model->bodies[k].kind;
    }
    hsize_t dims[1] = {n};
    ok = ok && tn_h5_put_group(file, "bodies") && tn_layout_write_texts(file, "bodies/name", (int)n, names) &&
         tn_h5_put_array(file, "bodies/mass", H5T_NATIVE_DOUBLE, 1, dims, mass, "kg", NULL) &&
         tn_h5_put_array(file, "bodies/kind", H5T_NATIVE_UINT8, 1, dims, kind, NULL,
                         "0 free, 1 fixed, 2 kinematic, 3 soft");
    tn_free(names);
    tn_free(mass);
    tn_free(kind);
    return ok;
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
static bool write_lanes(hid_t file, const tn_model *model)
{
    tn_lane_name *name = tn_calloc(TN_LANES_MAX, sizeof *name);
    const char *texts[TN_LANES_MAX];
    const int n = name ? tn_model_lane_names(model, name) : 0;
    for (int k = 0; k < n; k++) {
        texts[k] = name[k];
    }
    const bool ok = name && tn_layout_write_texts(file, "plan/names", n, texts);
    tn_free(name);
    return ok;
}

bool tn_layout_write(hid_t file, const tn_model *model)
{
    tn_column_items items = tn_column_items_of(model);
    bool ok = write_attributes(file, model) &&
              tn_h5_put_text(file, "scene", model->scene->text ? model->scene->text : "") &&
              tn_layout_write_texts(file, "overrides", model->scene->n_overrides,
                                    (const char *const *)model->scene->overrides) &&
              write_bodies(file, model) && tn_layout_write_colors(file, model) && tn_layout_write_views(file, model) &&
              tn_layout_write_shapes(file, model) && tn_layout_write_joints(file, model) &&
              tn_layout_write_softs(file, model) && tn_layout_write_sensors(file, model);
    for (int c = 0; ok && c < TN_COLUMN_COUNT; c++) {
        ok = create_column(file, model, &tn_columns[c], &items);
    }
    return ok && (!model->scene->mpc || write_lanes(file, model));
}
