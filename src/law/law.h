// What files and options say of the law of contact: its words, and which polyhedral cones there are.
#pragma once

#include <stdbool.h>

// Of each tn_law; NULL ends them.
extern const char *const tn_law_words[];

enum { TN_FACETS_MAX = 1000 };
// Whether a polyhedral cone can have so many directions: 2 (along t1 alone), or an even number from 4 to the most.
bool tn_facets_fit(long facets);
#define TN_FACETS_EXPECTED "2, or an even number from 4 to 1000"
