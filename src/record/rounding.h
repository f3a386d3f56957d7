// Single precision of bodies, nodes and contacts: what is far below anything to be seen is noise that no compression
// takes away, so it is rounded off.
#pragma once

#include "model/model.h"
#include "record/columns.h"

bool tn_column_is_rounded(int id);
// n rows of such a column, `numbers` numbers each, to what a file of single precision holds.
void tn_round_rows(const tn_model *model, int id, size_t n, size_t numbers, double *rows);
