// A view in one gzip stream: header, then tables; numbers that change with time in 16 bits.
//
//     uint32 n          bytes of the header with its padding
//     header            JSON, padded with blanks to a multiple of 8; its member `packed` lists the tables
//     tables            one after the other, each padded to a multiple of 8 bytes, little endian
//
// `packed` holds for each table `name`, `at` (byte after the header), and for tables of 16 bits `period`, `offset` and
// `scale` (period numbers each) and `delta`: number c of a row is offset[c mod period] + scale[c mod period] q. A row
// is stored as its high bytes, then its low bytes, of zigzag(q) or, with delta, of zigzag of the change of q since the
// row before (the first row: since 0), modulo 2^16. q = -32768 stands for NaN.
#pragma once

#include "view/view.h"

// Calls put with pieces of the stream, in order. put returns false to stop (TN_IO then).
typedef bool (*tn_pack_put)(void *context, const unsigned char *bytes, size_t n);
tn_status tn_view_pack(tn_view *view, tn_pack_put put, void *context, tn_error *error);
