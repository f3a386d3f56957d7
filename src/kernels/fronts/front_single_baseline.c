// Dense fronts (front_body.h) in single precision for any processor.
#include "kernels/fronts/variants.h"

#define FRONT_REAL float
#define FRONT_BYTES 16
#define FRONT_COLUMNS 4
#define FRONT_TARGET
#define FRONT_LESS(c, a, b) ((c) - (a) * (b))
#define FRONT_MORE(c, a, b) ((c) + (a) * (b))
#define FRONT_KIND "baseline"
#define FRONT_NAME tn_front_single_baseline
#define FRONT_TABLE tn_front_kernels_single
#include "kernels/fronts/front_body.h"
