// Sensors of the compiled scene: whose numbers stand where in a reading of all. They take no part in the step.
#include "tenon/sensor.h"
#include "model/compile.h"
#include "scene/spec.h"

#include <string.h>

static void compile_sensor(const tn_model *model, const tn_scene_sensor *said, tn_model_sensor *out)
{
    *out = (tn_model_sensor){.description = said,
                             .first = model->n_readings,
                             .width = tn_sensor_width(said->kind),
                             .body = said->body + 1,
                             .mount = said->mount,
                             .seen_body = said->seen ? said->seen_body + 1 : -1,
                             .joint = said->joint};
    tn_dimension_unit(tn_sensor_dimension(said->kind, said->axis >= TN_AXIS_TURN), out->unit, sizeof out->unit);
    const tn_model_joint *joint = said->joint < 0 ? NULL : &model->joints[said->joint];
    for (int k = 0; joint && k < joint->n_coordinates; k++) {
        out->index = joint->axis[k] == said->axis ? k : out->index;
    }
}

tn_status tn_model_compile_sensors(tn_model *model, tn_arena *arena, tn_error *error)
{
    int n = model->scene->n_sensors;
    model->sensors = TN_PUSH(arena, tn_model_sensor, n);
    if (!model->sensors) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %d sensors", n);
    }
    for (int i = 0; i < n; i++) {
        compile_sensor(model, &model->scene->sensors[i], &model->sensors[i]);
        model->n_readings += model->sensors[i].width;
        model->n_sensors++;
    }
    return TN_OK;
}

static const tn_model_sensor *sensor_at(const tn_model *model, int sensor)
{
    return model && sensor >= 0 && sensor < model->n_sensors ? &model->sensors[sensor] : NULL;
}

int tn_model_sensor_count(const tn_model *model)
{
    return model ? model->n_sensors : 0;
}

int tn_model_find_sensor(const tn_model *model, const char *name)
{
    for (int i = 0; model && name && i < model->n_sensors; i++) {
        if (strcmp(model->sensors[i].description->name, name) == 0) {
            return i;
        }
    }
    return -1;
}

const char *tn_model_sensor_name(const tn_model *model, int sensor)
{
    const tn_model_sensor *s = sensor_at(model, sensor);
    return s ? s->description->name : NULL;
}

const char *tn_model_sensor_type(const tn_model *model, int sensor)
{
    const tn_model_sensor *s = sensor_at(model, sensor);
    return s ? tn_sensor_type(s->description->kind) : NULL;
}

const char *tn_model_sensor_unit(const tn_model *model, int sensor)
{
    const tn_model_sensor *s = sensor_at(model, sensor);
    return s ? s->unit : NULL;
}

int tn_model_sensor_width(const tn_model *model, int sensor)
{
    const tn_model_sensor *s = sensor_at(model, sensor);
    return s ? s->width : 0;
}

int tn_model_first_reading(const tn_model *model, int sensor)
{
    const tn_model_sensor *s = sensor_at(model, sensor);
    return s ? s->first : 0;
}

int tn_model_reading_count(const tn_model *model)
{
    return model ? model->n_readings : 0;
}
