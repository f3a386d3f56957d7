// What all who read or write HDF5 files share.
#pragma once

#include <hdf5.h>
#include <stdbool.h>

// HDF5 prints its error stack by default; between begin and end it keeps silent. The caller's setting comes back.
typedef struct tn_h5_quiet {
    H5E_auto2_t function;
    void *data;
} tn_h5_quiet;
tn_h5_quiet tn_h5_quiet_begin(void);
void tn_h5_quiet_end(tn_h5_quiet quiet);

// A dataset, space, type, attribute or list of properties given back; nothing where it never was (below 0). False: that
// failed.
bool tn_h5_release(hid_t id);
