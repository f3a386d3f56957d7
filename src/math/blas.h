// BLAS with one thread: its sums must not depend on the number of cores.
#pragma once

// Pin OpenBLAS (process-wide, where it is the BLAS in use) to the calling thread. Cheap when it is already so.
void tn_blas_single_thread(void);
