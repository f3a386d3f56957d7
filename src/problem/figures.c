// The figures of a certificate by number, for whoever lists them.
#include "tenon/problem.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

static const struct {
    const char *name, *unit;
    size_t offset;
} figures[TN_N_FIGURES] = {
    [TN_FIGURE_MOMENTUM] = {"momentum", "1", offsetof(tn_certificate, momentum)},
    {"signorini_primal", "m/s", offsetof(tn_certificate, signorini_primal)},
    {"signorini_dual", "N", offsetof(tn_certificate, signorini_dual)},
    {"complementarity", "m/s", offsetof(tn_certificate, complementarity)},
    {"cone", "1", offsetof(tn_certificate, cone)},
    {"dissipation", "W", offsetof(tn_certificate, dissipation)},
    [TN_FIGURE_NATURAL] = {"natural", "1", offsetof(tn_certificate, natural)},
    {"fclib", "1", offsetof(tn_certificate, fclib)},
    {"strict_natural", "1", offsetof(tn_certificate, strict_natural)},
    {"strict_complementarity", "m/s", offsetof(tn_certificate, strict_complementarity)},
    {"joint", "1", offsetof(tn_certificate, joint)},
    {"penetration", "m", offsetof(tn_certificate, penetration)},
    {"drift", "m, rad", offsetof(tn_certificate, drift)},
};

static bool is_figure(int figure)
{
    return figure >= 0 && figure < TN_N_FIGURES;
}

const char *tn_figure_name(int figure)
{
    return is_figure(figure) ? figures[figure].name : NULL;
}

const char *tn_figure_unit(int figure)
{
    return is_figure(figure) ? figures[figure].unit : NULL;
}

double tn_figure_of(const tn_certificate *certificate, int figure)
{
    double value;
    if (!certificate || !is_figure(figure)) {
        return NAN;
    }
    memcpy(&value, (const char *)certificate + figures[figure].offset, sizeof value);
    if (figures[figure].offset == offsetof(tn_certificate, joint) && value == 0.0 && isnan(certificate->drift)) {
        return NAN; // no joints
    }
    return value;
}
