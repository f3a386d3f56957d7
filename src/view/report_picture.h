// The pictures of a recording in its report's JSON object; see tenon/report.h.
#pragma once

#include "base/json.h"
#include "record/recording.h"

tn_status tn_report_put_pictures(tn_json *json, const tn_recording *recording, tn_error *error);
