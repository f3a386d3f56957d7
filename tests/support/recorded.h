// A recording of a scenario: its start, and every step with its report.
#pragma once

#include "record/recorder.h"
#include "record/recording.h"
#include "scenario.h"

static inline tn_recorder *recorded_open(const scenario *s, const char *path)
{
    tn_error error = {0};
    tn_recorder *recorder = tn_recorder_create(path, s->model, &error);
    if (!recorder) {
        scenario_fail("recorder", &error);
    }
    return recorder;
}

static inline void recorded_step(scenario *s, tn_recorder *recorder)
{
    tn_error error = {0};
    scenario_step(s);
    assert_int_equal(tn_recorder_append(recorder, s->sim, s->state, &s->report, &error), TN_OK);
}

static inline tn_recording *recorded_read(const char *path)
{
    tn_error error = {0};
    tn_recording *recording = tn_recording_open(path, &error);
    if (!recording) {
        scenario_fail("recording", &error);
    }
    return recording;
}

// Record the start and n_steps steps to path.
static inline void recorded_steps(scenario *s, const char *path, int n_steps)
{
    tn_error error = {0};
    tn_recorder *recorder = recorded_open(s, path);
    assert_int_equal(tn_recorder_append(recorder, s->sim, s->state, NULL, &error), TN_OK);
    for (int k = 0; k < n_steps; ++k) {
        recorded_step(s, recorder);
    }
    assert_int_equal(tn_recorder_close(recorder, &error), TN_OK);
}
