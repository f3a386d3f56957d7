// A list's sweep and sums by its law, and by whether its contacts are soft: after sweep_law, sums_law and is_soft of
// the file that includes this.
#pragma once

TN_INLINE void sweep_any(bool soft, const pack_list *packs, int first, int end)
{
    if (packs->law == TN_LAW_COULOMB) {
        sweep_law(TN_LAW_COULOMB, soft, packs, first, end);
    } else if (packs->law == TN_LAW_CONVEX) {
        sweep_law(TN_LAW_CONVEX, soft, packs, first, end);
    } else {
        sweep_law(TN_LAW_FRICTIONLESS, soft, packs, first, end);
    }
}

CONTACT_TARGET __attribute__((noinline)) static void sweep_soft(const pack_list *packs, int first, int end)
{
    sweep_any(true, packs, first, end);
}

CONTACT_TARGET static void sweep(const pack_list *packs, int first, int end)
{
    if (is_soft(packs)) {
        sweep_soft(packs, first, end);
        return;
    }
    sweep_any(false, packs, first, end);
}

TN_INLINE void sums_any(bool fclib, bool soft, const pack_list *packs, int first, int end, double out[TN_PACK_SUMS])
{
    if (packs->law == TN_LAW_COULOMB && !fclib) {
        sums_law(TN_LAW_COULOMB, false, soft, packs, first, end, out);
    } else if (packs->law == TN_LAW_COULOMB) {
        sums_law(TN_LAW_COULOMB, true, soft, packs, first, end, out);
    } else if (packs->law == TN_LAW_CONVEX) {
        sums_law(TN_LAW_CONVEX, true, soft, packs, first, end, out);
    } else {
        sums_law(TN_LAW_FRICTIONLESS, true, soft, packs, first, end, out);
    }
}

CONTACT_TARGET __attribute__((noinline)) static void sums_soft(const pack_list *packs, bool fclib, int first, int end,
                                                               double out[TN_PACK_SUMS])
{
    sums_any(fclib, true, packs, first, end, out);
}

// Packs first..end-1. fclib: false leaves its sum zero.
CONTACT_TARGET static void sums(const pack_list *packs, bool fclib, int first, int end, double out[TN_PACK_SUMS])
{
    if (is_soft(packs)) {
        sums_soft(packs, fclib, first, end, out);
        return;
    }
    sums_any(fclib, false, packs, first, end, out);
}
