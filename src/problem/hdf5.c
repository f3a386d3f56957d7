#include "problem/hdf5.h"

tn_h5_quiet tn_h5_quiet_begin(void)
{
    tn_h5_quiet quiet = {NULL, NULL};
    H5Eget_auto2(H5E_DEFAULT, &quiet.function, &quiet.data);
    H5Eset_auto2(H5E_DEFAULT, NULL, NULL);
    return quiet;
}

void tn_h5_quiet_end(tn_h5_quiet quiet)
{
    H5Eset_auto2(H5E_DEFAULT, quiet.function, quiet.data);
}

bool tn_h5_release(hid_t id)
{
    return id < 0 || H5Idec_ref(id) >= 0;
}
