// The words of the laws, and how many facets a cone can have.
#include "law/law.h"

#include <stddef.h>

const char *const tn_law_words[] = {"coulomb", "convex", "frictionless", NULL};

bool tn_facets_fit(long facets)
{
    return facets == 2 || (facets >= 4 && facets <= TN_FACETS_MAX && facets % 2 == 0);
}
