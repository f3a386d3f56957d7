// The section `mpc`: its lists checked for their lengths. Whether its names are there is said by who reads the model.
#include "scene/build.h"

#include <math.h>
#include <string.h>

// Copies of names: a scalar or a list.
static const char **keep_names(tn_build *build, const tn_node *node, int *n)
{
    bool list = node->kind == TN_NODE_LIST;
    *n = list ? node->n : 1;
    const char **out = TN_PUSH(build->reader.storage, const char *, *n);
    for (int i = 0; out && i < *n; i++) {
        out[i] = tn_build_keep_name(build, list ? node->item[i]->text : node->text);
        if (!out[i]) {
            return NULL;
        }
    }
    if (!out) {
        tn_read_no_memory(&build->reader);
    }
    return out;
}

// n numbers: those said, one for all, or `standard` for all (NaN: NULL). False with the error set.
static bool fill(tn_build *build, const tn_node *node, const char *key, const tn_numbers *said, int n, double standard,
                 const double **out)
{
    *out = NULL;
    if (said->n == 0 && isnan(standard)) {
        return true;
    }
    if (said->n > 1 && said->n != n) {
        return tn_read_error(&build->reader, node->item[tn_node_index(node, key)]->place,
                             "'%s' has %d numbers, not one or %d", key, said->n, n);
    }
    double *copy = TN_PUSH(build->reader.storage, double, n);
    for (int i = 0; copy && i < n; i++) {
        copy[i] = said->n == 0 ? standard : said->value[said->n == 1 ? 0 : i];
    }
    *out = copy;
    return copy || tn_read_no_memory(&build->reader);
}

static bool fill_all(tn_build *build, const tn_node *node, const tn_raw_mpc *raw, tn_scene_mpc *out)
{
    const struct {
        const char *key;
        const tn_numbers *said;
        bool of_inputs;
        double standard;
        const double **to;
    } lists[] = {{"goal", &raw->goal, false, 0.0, &out->goal},
                 {"place", &raw->place, false, 1.0, &out->place},
                 {"rate", &raw->rate, false, 0.0, &out->rate},
                 {"input", &raw->input, true, 1.0, &out->input},
                 {"final_place", &raw->final_place, false, NAN, &out->final_place},
                 {"final_rate", &raw->final_rate, false, NAN, &out->final_rate},
                 {"resistance", &raw->resistance, false, NAN, &out->resistance},
                 {"place_low", &raw->place_low, false, NAN, &out->place_low},
                 {"place_high", &raw->place_high, false, NAN, &out->place_high},
                 {"rate_low", &raw->rate_low, false, NAN, &out->rate_low},
                 {"rate_high", &raw->rate_high, false, NAN, &out->rate_high},
                 {"input_low", &raw->input_low, true, NAN, &out->input_low},
                 {"input_high", &raw->input_high, true, NAN, &out->input_high}};
    for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
        if (!fill(build, node, lists[i].key, lists[i].said, lists[i].of_inputs ? out->n_inputs : out->n_coordinates,
                  lists[i].standard, lists[i].to)) {
            return false;
        }
    }
    return true;
}

bool tn_build_mpc(tn_build *build)
{
    const tn_node *node = build->raw.mpc;
    if (!node) {
        return true;
    }
    tn_raw_mpc raw = {0};
    tn_scene_mpc *out = TN_PUSH(build->reader.storage, tn_scene_mpc, 1);
    if (!out || !tn_section_read(&build->reader, &tn_section_mpc, node, &raw)) {
        return out ? false : tn_read_no_memory(&build->reader);
    }
    *out = (tn_scene_mpc){.step = raw.step,
                          .horizon = raw.horizon,
                          .method = raw.method,
                          .riccati = raw.terminal == 1,
                          .facets = raw.facets,
                          .points = raw.points,
                          .level = raw.level,
                          .friction = raw.friction,
                          .margin = raw.margin,
                          .budget = raw.budget,
                          .nodes = raw.nodes,
                          .threads = raw.threads,
                          .motions = raw.motions,
                          .push_every = raw.push_every,
                          .push_body = -1,
                          .place_said = node->place};
    memcpy(out->push_impulse, raw.push_impulse, sizeof out->push_impulse);
    double steps = raw.step / build->scene->settings.step;
    if (fabs(steps - round(steps)) > 1e-6 * steps || steps < 0.5) {
        return tn_read_error(&build->reader, node->item[tn_node_index(node, "step")]->place,
                             "'step' of mpc is %g of the scene's: it must be a multiple", steps);
    }
    if (raw.facets % 2 != 0) {
        return tn_read_error(&build->reader, node->item[tn_node_index(node, "facets")]->place, "'facets' must be even");
    }
    if (raw.push_body && !tn_build_find_body(build, raw.push_body, &out->push_body)) {
        return false;
    }
    out->coordinates = keep_names(build, raw.coordinates, &out->n_coordinates);
    out->inputs = out->coordinates ? keep_names(build, raw.inputs, &out->n_inputs) : NULL;
    build->scene->mpc = out;
    return out->inputs && fill_all(build, node, &raw, out);
}
