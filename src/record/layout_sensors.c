// The group `sensors` of a recording: what does not change in time.
#include "record/recorder.h"
#include "tenon/sensor.h"

bool tn_layout_put_sensors(const tn_layout *l)
{
    const tn_model *model = l->model;
    int n = model->n_sensors;
    const char **name = TN_PUSH(l->arena, const char *, n), **type = TN_PUSH(l->arena, const char *, n);
    const char **unit = TN_PUSH(l->arena, const char *, n);
    int32_t *first = TN_PUSH(l->arena, int32_t, n + 1);
    if (n == 0 || !name || !type || !unit || !first) {
        return n == 0;
    }
    for (int i = 0; i < n; i++) {
        name[i] = tn_model_sensor_name(model, i);
        type[i] = tn_model_sensor_type(model, i);
        unit[i] = tn_model_sensor_unit(model, i);
        first[i] = tn_model_first_reading(model, i);
    }
    first[n] = model->n_readings;
    return tn_h5_put_group(l->file, "sensors") && tn_layout_put_texts(l, "sensors/name", n, name) &&
           tn_layout_put_texts(l, "sensors/type", n, type) && tn_layout_put_texts(l, "sensors/unit", n, unit) &&
           tn_layout_put(l, "sensors/first", H5T_NATIVE_INT32, (size_t)n + 1, 1, first, NULL,
                         "sensor i reads the numbers first[i] to first[i + 1] - 1 of sensors/reading");
}
