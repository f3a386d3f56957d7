// Contact kernels (sweep.h) for any processor.
#define CONTACT_WIDTH 2
#define CONTACT_TARGET
#define CONTACT_NAME tn_contact_baseline
#define CONTACT_KIND "baseline"
#include "kernels/contact/sweep.h"
