// Central contacts (central_sweep.h) for any processor.
#define CONTACT_WIDTH 4
#define CONTACT_TARGET
#define CONTACT_NAME tn_central_baseline
#define CONTACT_KIND "baseline"
#include "kernels/contact/central_sweep.h"
