// `tenon run`: what its two files share.
#pragma once

#include "cli/scene_options.h"
#include "model/model.h"
#include "record/summary.h"
#include "tenon/record.h"

typedef enum cli_outcome {
    RUN_DONE,
    RUN_MISSED,      // to the end, but a demanded tolerance was not reached
    RUN_DIVERGED,    // stopped: the step failed
    RUN_INTERRUPTED, // stopped by Ctrl-C
    RUN_FAILED,      // stopped: file or memory
} cli_outcome;

typedef struct cli_run_options {
    cli_scene_options scene;
    long steps;
    const char *out, *save, *resume;
    bool json, quiet, no_record;
} cli_run_options;

typedef struct cli_run_result {
    cli_outcome outcome;
    tn_summary summary;
    double wall; // [s]
    const char *out;
    tn_error error;
} cli_run_result;

const char *cli_law_name(tn_law law);
const char *cli_scheme_name(tn_scheme scheme);

void cli_run_print_json(const tn_model *model, const cli_run_result *result);
void cli_run_print_text(const tn_model *model, const cli_run_result *result);
