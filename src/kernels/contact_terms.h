// The matrix of contacts: sums of J_m^T C_m J_m, block by block.
#pragma once

#include "tenon/problem.h"

// value += J_e^T C_m J_f for all pairs of entries e, f of each contact m, e major. pair: the block of `value` (blocks
// of 9) that each belongs to, contact after contact. C (contacts, 9), each symmetric. Sums in the order of contacts,
// without fused multiply-adds: the same bits for any processor.
void tn_contact_terms_add(const tn_rows *contacts, const double *C, const int *pair, double *value);
