// The group `sensors` of a recording.
#include "base/memory.h"
#include "record/reader.h"

#include <string.h>

// As many texts as there are sensors; false: broken.
static bool read_texts(tn_recording *r, const char *path, char ***out)
{
    int n = 0;
    char **texts = tn_h5_get_texts(r->file, path, &n);
    if (texts && n != r->n_sensors) {
        tn_h5_free_texts(n, texts);
        texts = NULL;
    }
    *out = texts;
    return texts != NULL;
}

bool tn_recording_read_sensors(tn_recording *r)
{
    hsize_t dims[3];
    if (!tn_h5_get_dims(r->file, "sensors/name", dims)) {
        return true;
    }
    r->sensor_names = tn_h5_get_texts(r->file, "sensors/name", &r->n_sensors);
    hsize_t n = (hsize_t)r->n_sensors + 1;
    r->sensor_first = tn_calloc(n, sizeof *r->sensor_first);
    if (!r->sensor_names || !r->sensor_first || !read_texts(r, "sensors/type", &r->sensor_types) ||
        !read_texts(r, "sensors/unit", &r->sensor_units) ||
        !tn_h5_get_array(r->file, "sensors/first", H5T_NATIVE_INT, n, r->sensor_first)) {
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

void tn_recording_free_sensors(tn_recording *r)
{
    tn_h5_free_texts(r->n_sensors, r->sensor_names);
    tn_h5_free_texts(r->n_sensors, r->sensor_types);
    tn_h5_free_texts(r->n_sensors, r->sensor_units);
    tn_free(r->sensor_first);
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
