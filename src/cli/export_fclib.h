// The friction problems of a recorded run, by repeating it.
#pragma once

#include "record/recording.h"

// folder/step_000010.hdf5 and so on: the problem of every `every`-th step that has contacts. TN_BAD_INPUT when the
// repeated run leaves the recorded states.
tn_status cli_export_fclib(const tn_recording *recording, const char *folder, long every, long *n_written,
                           tn_error *error);
