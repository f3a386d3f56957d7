// Attributes of a recording that say more of its run.
#include "record/recorder.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static bool put(hid_t file, const tn_note *note)
{
    return note->text ? tn_h5_attribute_text(file, note->attribute, note->text)
                      : tn_h5_attribute_double(file, note->attribute, note->number);
}

// What a reader could not do without, or takes for what it is not.
static bool is_needed(const char *attribute)
{
    static const char *const needed[] = {"format", "format_version", "version",   "title", "scene_path",   "solver",
                                         "law",    "scheme",         "step",      "seed",  "record_every", "contacts",
                                         "dof",    "threads",        "model_hash"};
    bool any = false;
    for (size_t k = 0; k < sizeof needed / sizeof *needed; k++) {
        any = any || strcmp(attribute, needed[k]) == 0;
    }
    return any;
}

tn_status tn_recording_note(const char *path, int n, const tn_note *notes, tn_error *error)
{
    bool fine = path && n >= 0 && (n == 0 || notes);
    for (int k = 0; fine && k < n; k++) {
        fine = notes[k].attribute && notes[k].attribute[0] && !is_needed(notes[k].attribute);
    }
    if (!fine) {
        return tn_error_set(error, TN_BAD_INPUT, "no path of a recording, or notes without a name of their own");
    }
    int lock = tn_recording_lock(path, false, TN_RECORDING_PATIENCE);
    if (lock < 0) {
        return tn_error_set(error, TN_IO, "cannot note '%s' in %s: %s", n > 0 ? notes[0].attribute : "", path,
                            errno == EWOULDBLOCK ? "another program reads or writes it" : strerror(errno));
    }
    tn_h5_quiet quiet = tn_h5_quiet_begin();
    hid_t access = tn_recording_access();
    hid_t file = access < 0 ? -1 : H5Fopen(path, H5F_ACC_RDWR, access);
    tn_h5_release(access);
    bool ok = file >= 0;
    for (int k = 0; ok && k < n; k++) {
        ok = put(file, &notes[k]);
    }
    ok = file >= 0 && H5Fclose(file) >= 0 && ok;
    tn_h5_quiet_end(quiet);
    close(lock);
    return ok ? TN_OK : tn_error_set(error, TN_IO, "cannot note '%s' in %s", n > 0 ? notes[0].attribute : "", path);
}
