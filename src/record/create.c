// The file of a recording: made, or another recording written over; any other file is left alone.
#include "record/recorder.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Single-writer mode wants the newest layout of the file.
hid_t tn_recording_access(void)
{
    hid_t access = H5Pcreate(H5P_FILE_ACCESS);
    bool ok = access >= 0 && H5Pset_libver_bounds(access, H5F_LIBVER_LATEST, H5F_LIBVER_LATEST) >= 0;
    ok = ok && H5Pset_file_locking(access, false, true) >= 0;
    if (access >= 0 && !ok) {
        tn_h5_release(access);
        return -1;
    }
    return access;
}

bool tn_recording_is_ours(hid_t file)
{
    tn_arena *arena = tn_arena_create(0);
    const char *format = arena ? tn_h5_get_attribute_text(file, "format", arena) : NULL;
    bool ours = format && strcmp(format, TN_RECORDING_FORMAT) == 0;
    tn_arena_destroy(arena);
    return ours;
}

// Why nothing can be written there; NULL: there is a file, or room for one.
static const char *refuse_place(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        return errno == ENOENT ? NULL : strerror(errno);
    }
    if (S_ISDIR(info.st_mode)) {
        return "it is a folder, not a file";
    }
    return S_ISREG(info.st_mode) ? NULL : "it is not a regular file";
}

// Overwriting a recording is fine; overwriting anything else would be a mistyped name. Of a locked file, which nobody
// else is writing.
static bool may_overwrite(const char *path, hid_t access)
{
    struct stat info;
    if (stat(path, &info) == 0 && info.st_size == 0) {
        return true;
    }
    if (H5Fis_hdf5(path) <= 0) {
        return false;
    }
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, access);
    if (file < 0) {
        return true; // a broken or interrupted HDF5 file
    }
    bool ours = tn_recording_is_ours(file);
    H5Fclose(file);
    return ours;
}

tn_status tn_recording_create_file(const char *path, const tn_model *model, tn_error *error)
{
    const char *why = refuse_place(path);
    if (why) {
        return tn_error_set(error, TN_IO, "cannot write %s: %s", path, why);
    }
    const bool is_new = access(path, F_OK) != 0;
    int lock = tn_recording_lock(path, true, TN_RECORDING_PATIENCE);
    if (lock < 0) {
        return errno == EWOULDBLOCK ? tn_error_set(error, TN_IO,
                                                   "cannot write %s: another program reads or writes it (a viewer?): "
                                                   "end that, or take another name",
                                                   path)
                                    : tn_error_set(error, TN_IO, "cannot create %s: %s", path, strerror(errno));
    }
    hid_t access = tn_recording_access();
    const bool may = access < 0 || may_overwrite(path, access);
    hid_t file = access < 0 || !may ? -1 : H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, access);
    tn_h5_release(access);
    bool ok = file >= 0 && tn_layout_write(file, model);
    ok = file >= 0 && H5Fclose(file) >= 0 && ok;
    if (!ok && is_new) {
        unlink(path); // nothing is left of what could not begin
    }
    close(lock);
    if (!may) {
        return tn_error_set(error, TN_IO,
                            "cannot write %s: it exists and is no recording of ours; remove it or choose another name",
                            path);
    }
    return ok ? TN_OK : tn_error_set(error, TN_IO, "cannot write %s: disk full?", path);
}
