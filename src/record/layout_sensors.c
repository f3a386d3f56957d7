// The group `sensors` of a recording: what does not change in time.
#include "base/memory.h"
#include "record/recorder.h"
#include "tenon/sensor.h"

static bool write_arrays(hid_t file, const tn_model *model, const char **text, int32_t *first)
{
    int n = model->n_sensors;
    const char **name = text, **type = text + n, **unit = text + 2 * (size_t)n;
    for (int i = 0; i < n; i++) {
        name[i] = tn_model_sensor_name(model, i);
        type[i] = tn_model_sensor_type(model, i);
        unit[i] = tn_model_sensor_unit(model, i);
        first[i] = tn_model_first_reading(model, i);
    }
    first[n] = model->n_readings;
    hsize_t ends[1] = {(hsize_t)n + 1};
    return tn_h5_put_group(file, "sensors") && tn_layout_write_texts(file, "sensors/name", n, name) &&
           tn_layout_write_texts(file, "sensors/type", n, type) &&
           tn_layout_write_texts(file, "sensors/unit", n, unit) &&
           tn_h5_put_array(file, "sensors/first", H5T_NATIVE_INT32, 1, ends, first, NULL,
                           "sensor i reads the numbers first[i] to first[i + 1] - 1 of sensors/reading");
}

bool tn_layout_write_sensors(hid_t file, const tn_model *model)
{
    size_t n = (size_t)model->n_sensors;
    if (n == 0) {
        return true;
    }
    const char **text = tn_calloc(3 * n, sizeof *text);
    int32_t *first = tn_calloc(n + 1, sizeof *first);
    bool ok = text && first && write_arrays(file, model, text, first);
    tn_free(text);
    tn_free(first);
    return ok;
}
