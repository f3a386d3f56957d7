#include "math/blas.h"

// OpenBLAS's own entry points; weak, so that another BLAS links as well.
extern int openblas_get_num_threads(void) __attribute__((weak));
extern void openblas_set_num_threads(int n_threads) __attribute__((weak));

void tn_blas_single_thread(void)
{
    if (openblas_get_num_threads && openblas_set_num_threads && openblas_get_num_threads() != 1) {
        openblas_set_num_threads(1);
    }
}
