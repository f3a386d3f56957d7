#include "base/memory.h"
#include "record/recorder.h"

tn_status tn_recording_note(const char *path, const char *attribute, const char *text, tn_error *error)
{
    tn_h5_quiet quiet = tn_h5_quiet_begin();
    hid_t access = tn_recording_access();
    hid_t file = access < 0 ? -1 : H5Fopen(path, H5F_ACC_RDWR, access);
    if (access >= 0) {
        H5Pclose(access);
    }
    bool ok = file >= 0 && tn_h5_attribute_text(file, attribute, text);
    ok = file >= 0 && H5Fclose(file) >= 0 && ok;
    tn_h5_quiet_end(quiet);
    return ok ? TN_OK : tn_error_set(error, TN_IO, "cannot note '%s' in %s", attribute, path);
}
