// What a recording knows of its run: where, how long it was to be, how it ended.
#include "record/reader.h"

#include <math.h>

static int64_t get_integer(const tn_recording *r, const char *name, int64_t otherwise)
{
    int64_t value;
    return tn_h5_get_attribute(r->file, name, H5T_NATIVE_INT64, &value) ? value : otherwise;
}

static double get_number(const tn_recording *r, const char *name)
{
    double value;
    return tn_h5_get_attribute(r->file, name, H5T_NATIVE_DOUBLE, &value) ? value : NAN;
}

void tn_recording_read_run(tn_recording *r)
{
    tn_recorded_run *run = &r->run;
    run->machine = tn_h5_get_attribute_text(r->file, "machine", r->arena);
    run->outcome = tn_h5_get_attribute_text(r->file, "outcome", r->arena);
    run->interfered = tn_h5_get_attribute_text(r->file, "interfered", r->arena);
    run->planned_time = get_number(r, "planned_time");
    run->tolerance_momentum = get_number(r, "tolerance_momentum");
    run->tolerance_natural = get_number(r, "tolerance_natural");
    run->threads = (long)get_integer(r, "threads", 0);
    run->dof = (long)get_integer(r, "dof", -1);
    run->has_contacts = get_integer(r, "contacts", 1) != 0;
}
