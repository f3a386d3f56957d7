// The group `sensors` of a recording.
#include "record/reader.h"

#include <string.h>

// As many texts as there are sensors; NULL: broken.
static char **read_texts(tn_recording *r, const char *path)
{
    int n = 0;
    char **texts = tn_h5_get_texts(r->file, path, r->arena, &n);
    return n == r->n_sensors ? texts : NULL;
}

bool tn_recording_read_sensors(tn_recording *r)
{
    if (!tn_h5_is_there(r->file, "sensors/name")) {
        return true;
    }
    r->sensor_names = tn_h5_get_texts(r->file, "sensors/name", r->arena, &r->n_sensors);
    r->sensor_types = read_texts(r, "sensors/type");
    r->sensor_units = read_texts(r, "sensors/unit");
    r->sensor_first = tn_h5_take_array(r->file, "sensors/first", H5T_NATIVE_INT, (hsize_t)r->n_sensors + 1, r->arena);
    if (!r->sensor_names || !r->sensor_types || !r->sensor_units || !r->sensor_first) {
        return false;
    }
    bool ok = r->sensor_first[0] == 0;
    for (int i = 0; ok && i < r->n_sensors; i++) {
        int width = r->sensor_first[i + 1] - r->sensor_first[i];
        ok = width >= 1 && width <= 4;
    }
    r->n_readings = r->sensor_first[r->n_sensors];
    return ok;
}

int tn_recording_find_sensor(const tn_recording *recording, const char *name)
{
    for (int i = 0; i < recording->n_sensors; i++) {
        if (strcmp(recording->sensor_names[i], name) == 0) {
            return i;
        }
    }
    return -1;
}
