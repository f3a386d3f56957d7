#include "view/report_recording.h"
#include "base/memory.h"
#include "view/report_picture.h"
#include "view/report_series.h"
#include "view/statistics.h"

#include <stdio.h>

enum { POINTS = 2000 }; // of a curve, at most: more than a screen has columns

static void put_hash(tn_json *json, const char *key, uint64_t value)
{
    char text[24]; // a text: JSON's numbers do not hold all of 2^64
    snprintf(text, sizeof text, "%llu", (unsigned long long)value);
    tn_json_text(json, key, text);
}

static void put_settings(tn_json *json, const tn_recording *r)
{
    tn_json_text(json, "file", r->path);
    tn_json_text(json, "title", r->title);
    tn_json_text(json, "scene_path", r->scene_path);
    tn_json_text(json, "tenon", r->version);
    tn_json_text(json, "solver", r->solver);
    tn_json_text(json, "law", r->law);
    tn_json_text(json, "scheme", r->scheme);
    tn_json_number(json, "step", r->step);
    tn_json_integer(json, "record_every", (long)r->record_every);
    put_hash(json, "seed", r->seed);
    put_hash(json, "model_hash", r->model_hash);
    tn_json_open(json, "overrides", '[');
    for (int k = 0; k < r->n_overrides; k++) {
        tn_json_text(json, NULL, r->overrides[k]);
    }
    tn_json_close(json, ']');
}

static void put_run(tn_json *json, const tn_recording *r)
{
    const tn_recorded_run *run = &r->run;
    tn_json_text(json, "machine", run->machine);
    tn_json_text(json, "outcome", run->outcome);
    tn_json_text(json, "interfered", run->interfered);
    tn_json_number(json, "planned_time", run->planned_time);
    tn_json_number(json, "tolerance_momentum", run->tolerance_momentum);
    tn_json_number(json, "tolerance_natural", run->tolerance_natural);
    tn_json_integer(json, "threads", run->threads);
    tn_json_integer(json, "dof", run->dof);
}

// Bodies by kind, without the world; shapes by kind.
static void put_counts(tn_json *json, const tn_recording *r)
{
    static const char *const kinds[] = {"free", "fixed", "kinematic", "soft"};
    long n_bodies[4] = {0}, n_shapes[TN_SHAPE_COUNT] = {0};
    for (int b = 1; b < r->n_bodies; b++) {
        n_bodies[r->kinds[b] & 3]++;
    }
    for (int s = 0; s < r->n_solid; s++) {
        n_shapes[r->shapes[s].shape.kind]++;
    }
    tn_json_open(json, "bodies", '{');
    for (int k = 0; k < 4; k++) {
        tn_json_integer(json, kinds[k], n_bodies[k]);
    }
    tn_json_close(json, '}');
    tn_json_open(json, "shapes", '{');
    for (int k = 0; k < TN_SHAPE_COUNT; k++) {
        if (n_shapes[k] > 0) {
            tn_json_integer(json, tn_shape_name((tn_shape_kind)k), n_shapes[k]);
        }
    }
    tn_json_close(json, '}');
    tn_json_integer(json, "joints", r->n_joints);
    tn_json_integer(json, "nodes", r->n_nodes);
    tn_json_integer(json, "tetrahedra", r->n_tets);
}

// Numbers of every frame, read once for all series.
typedef struct frames {
    const tn_recording *recording;
    double *time, *step, *values; // (n_frames)
    double *points;               // (tn_series_thinned)
    long bucket;
} frames;

static void put_statistics(tn_json *json, const frames *f, const tn_series_statistics *s)
{
    tn_json_open(json, "statistics", '{');
    tn_json_integer(json, "n", s->n);
    tn_json_number(json, "median", s->median);
    tn_json_number(json, "p95", s->high);
    tn_json_number(json, "max", s->max);
    tn_json_number(json, "mean", s->mean);
    tn_json_number(json, "sum", s->sum);
    tn_json_number(json, "first", s->first);
    tn_json_number(json, "last", s->last);
    if (s->worst >= 0) {
        tn_json_integer(json, "worst_step", (long)f->step[s->worst]);
        tn_json_number(json, "worst_time", f->time[s->worst]);
    }
    tn_json_close(json, '}');
}

static tn_status put_series(tn_json *json, const frames *f, const tn_report_series *series, tn_error *error)
{
    long n = f->recording->n_frames;
    tn_series_statistics statistics;
    tn_status status = tn_report_series_read(f->recording, series, f->values, error);
    if (status == TN_OK) {
        status = tn_series_summarize(series->of_steps ? 1 : 0, n, f->values, &statistics, error);
    }
    if (status != TN_OK) {
        return status;
    }
    tn_series_thin(n, f->values, f->bucket, f->points);
    tn_json_open(json, NULL, '{');
    tn_json_text(json, "name", series->name);
    tn_json_text(json, "unit", series->unit);
    tn_json_text(json, "about", series->about);
    put_statistics(json, f, &statistics);
    tn_json_row(json, "values", (size_t)tn_series_thinned(n, f->bucket), f->points, 7);
    tn_json_close(json, '}');
    return TN_OK;
}

static tn_status put_frames(tn_json *json, const frames *f, tn_error *error)
{
    const tn_recording *r = f->recording;
    long n = r->n_frames;
    tn_json_integer(json, "frames", n);
    tn_json_integer(json, "first_step", (long)f->step[0]);
    tn_json_integer(json, "last_step", (long)f->step[n - 1]);
    tn_json_number(json, "first_time", f->time[0]);
    tn_json_number(json, "last_time", f->time[n - 1]);
    tn_json_integer(json, "bucket", f->bucket);
    tn_series_thin_time(n, f->time, f->bucket, f->points);
    tn_json_row(json, "time", (size_t)tn_series_thinned(n, f->bucket), f->points, 9);
    tn_json_open(json, "series", '[');
    tn_report_series series;
    tn_status status = TN_OK;
    for (int k = 0; status == TN_OK && tn_report_series_at(r, k, &series); k++) {
        status = put_series(json, f, &series, error);
    }
    tn_json_close(json, ']');
    return status;
}

static tn_status read_frames(tn_json *json, const tn_recording *r, tn_error *error)
{
    size_t n = (size_t)r->n_frames;
    double *numbers = tn_calloc(4 * n + 2, sizeof *numbers);
    if (!numbers) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the %zu frames of %s", n, r->path);
    }
    const frames f = {.recording = r,
                      .bucket = tn_series_bucket(r->n_frames, POINTS),
                      .time = numbers,
                      .step = numbers + n,
                      .values = numbers + 2 * n,
                      .points = numbers + 3 * n};
    tn_status status = tn_recording_rows(r, "time", 0, r->n_frames, f.time, error);
    status = status == TN_OK ? tn_recording_rows(r, "step", 0, r->n_frames, f.step, error) : status;
    status = status == TN_OK ? put_frames(json, &f, error) : status;
    tn_free(numbers);
    return status;
}

tn_status tn_report_put_recording(tn_json *json, const tn_recording *r, tn_error *error)
{
    if (r->n_frames < 1) {
        return tn_error_set(error, TN_BAD_INPUT, "%s has no complete frame yet", r->path);
    }
    tn_json_open(json, NULL, '{');
    put_settings(json, r);
    put_run(json, r);
    put_counts(json, r);
    tn_json_text(json, "scene", r->scene);
    tn_status status = read_frames(json, r, error);
    status = status == TN_OK ? tn_report_put_pictures(json, r, error) : status;
    tn_json_close(json, '}');
    return status;
}
