// Sweeps in single precision (single.h) for any processor.
#define CONTACT_WIDTH 4
#define CONTACT_TARGET
#define CONTACT_NAME tn_contact_single_baseline
#define CONTACT_KIND "baseline"
#include "kernels/contact/single.h"
