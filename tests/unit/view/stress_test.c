// Von Mises stress at nodes against closed forms: a uniform strain gives the same everywhere, two strains in two halves
// their mean by volume where they meet.
#include "view/stress.h"

#include "base/memory.h"
#include "record/recorder.h"
#include "state/state.h"
#include "tenon/sim.h"
#include "test.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Stretched along z by a strain for rest z < 0 and by another above: E e/(1 + nu) is the von Mises stress of a strain
// e along one axis, 2 mu e = E e/(1 + nu). Nodes at z = 0 have elements of both, of known volumes.
static void stretched(double below, double above)
{
    static const char text[] =
        "soft: {bar: {grid: {size: [0.1, 0.2, 0.4], divisions: [1, 2, 2]}, young: 60 kPa, poisson: "
        "0.2, rotation: {axis: [1, 2, 3], angle: 0}}}\n";
    char path[64];
    tn_error error = {0};
    snprintf(path, sizeof path, "stress_test_%d.h5", (int)getpid());
    tn_model *model = tn_model_create(tn_scene_parse(text, "test", 0, NULL, &error), &error);
    tn_state *state = model ? tn_state_create(model, &error) : NULL;
    tn_sim *sim = state ? tn_sim_create(model, &error) : NULL;
    tn_recorder *recorder = sim ? tn_recorder_create(path, model, &error) : NULL;
    assert_non_null(recorder);
    int n = model->n_nodes;
    double *x = malloc(3 * (size_t)n * sizeof *x), *wanted = calloc((size_t)n, sizeof *wanted),
           *around = calloc((size_t)n, sizeof *around);
    float *got = malloc((size_t)n * sizeof *got);
    assert_true(x && wanted && around && got);
    for (int i = 0; i < n; i++) {
        const double *rest = model->node_rest + 3 * i;
        double z = rest[2] * (1.0 + (rest[2] > 0.0 ? above : below));
        // Stretched, then turned by 90 degrees about x and moved: neither makes stress.
        x[3 * i] = rest[0] + 5.0;
        x[3 * i + 1] = -z;
        x[3 * i + 2] = rest[1] - 2.0;
    }
    for (int t = 0; t < model->n_tets; t++) {
        const int *tet = model->tets + 4 * t;
        double e[3][3], middle = 0.0;
        for (int k = 0; k < 3; k++) {
            for (int j = 0; j < 3; j++) {
                e[k][j] = model->node_rest[3 * tet[k + 1] + j] - model->node_rest[3 * tet[0] + j];
            }
        }
        for (int k = 0; k < 4; k++) {
            middle += model->node_rest[3 * tet[k] + 2];
        }
        double volume =
            fabs(e[0][0] * (e[1][1] * e[2][2] - e[1][2] * e[2][1]) - e[0][1] * (e[1][0] * e[2][2] - e[1][2] * e[2][0]) +
                 e[0][2] * (e[1][0] * e[2][1] - e[1][1] * e[2][0])) /
            6.0;
        for (int k = 0; k < 4; k++) {
            around[tet[k]] += volume;
            wanted[tet[k]] += volume * 60e3 * fabs(middle > 0.0 ? above : below) / 1.2;
        }
    }
    assert_int_equal(tn_recorder_append(recorder, sim, state, NULL, &error), TN_OK);
    assert_int_equal(tn_recorder_close(recorder, &error), TN_OK);
    tn_recording *recording = tn_recording_open(path, &error);
    assert_non_null(recording);
    tn_arena *arena = tn_arena_create(0), *scratch = tn_arena_create(0);
    tn_node_stress *stress = NULL;
    assert_int_equal(tn_node_stress_create(recording, arena, scratch, &stress, &error), TN_OK);
    assert_int_equal(tn_node_stress_at(stress, x, scratch, got, &error), TN_OK);
    double worst = 0.0, least = INFINITY, most = 0.0;
    for (int i = 0; i < n; i++) {
        worst = fmax(worst, fabs(got[i] - wanted[i] / around[i]));
        least = fmin(least, got[i]);
        most = fmax(most, got[i]);
    }
    printf("strains %g, %g: from %.6g to %.6g Pa, off by %.2g (limit 0.01, 32-bit numbers)\n", below, above, least,
           most, worst);
    assert_true(worst < 0.01);
    tn_arena_destroy(arena);
    tn_arena_destroy(scratch);
    tn_recording_close(recording);
    remove(path);
    free(x);
    free(wanted);
    free(around);
    free(got);
    tn_sim_destroy(sim);
    tn_state_destroy(state);
    tn_model_destroy(model);
}

static void closed_forms(void **unused)
{
    stretched(0.05, 0.05);
    stretched(-0.03, 0.04);
    stretched(0.0, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(closed_forms)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
