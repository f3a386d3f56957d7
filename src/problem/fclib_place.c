// Where an FCLIB file may be written.
#include "base/draft.h"
#include "problem/fclib.h"
#include "problem/hdf5.h"

#include <sys/stat.h>

// HDF5 files of other kinds, recordings above all, are not to be replaced.
static bool is_problem(const char *path)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    bool is = file >= 0 &&
              (H5Lexists(file, "fclib_local", H5P_DEFAULT) > 0 || H5Lexists(file, "fclib_global", H5P_DEFAULT) > 0);
    if (file >= 0) {
        H5Fclose(file);
    }
    return is;
}

tn_status tn_fclib_write_check(const char *path, tn_error *error)
{
    static const char kind[] = "FCLIB problem", signature[] = "\211HDF\r\n\032\n";
    struct stat info;
    tn_status status = tn_draft_check(path, kind, signature, error);
    if (status == TN_OK && stat(path, &info) == 0 && S_ISREG(info.st_mode) && info.st_size > 0) {
        tn_h5_quiet quiet = tn_h5_quiet_begin();
        status = is_problem(path) ? TN_OK : tn_draft_refuse(path, kind, error);
        tn_h5_quiet_end(quiet);
    }
    return status;
}
