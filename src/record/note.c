#include "base/memory.h"
#include "record/recorder.h"

static bool put(hid_t file, const tn_note *note)
{
    return note->text ? tn_h5_attribute_text(file, note->attribute, note->text)
                      : tn_h5_attribute_double(file, note->attribute, note->number);
}

tn_status tn_recording_note(const char *path, int n, const tn_note *notes, tn_error *error)
{
    tn_h5_quiet quiet = tn_h5_quiet_begin();
    hid_t access = tn_recording_access();
    hid_t file = access < 0 ? -1 : H5Fopen(path, H5F_ACC_RDWR, access);
    if (access >= 0) {
        H5Pclose(access);
    }
    bool ok = file >= 0;
    for (int k = 0; ok && k < n; k++) {
        ok = put(file, &notes[k]);
    }
    ok = file >= 0 && H5Fclose(file) >= 0 && ok;
    tn_h5_quiet_end(quiet);
    return ok ? TN_OK : tn_error_set(error, TN_IO, "cannot note '%s' in %s", n > 0 ? notes[0].attribute : "", path);
}
