// 1000 boxes are pushed at different speeds: a batch, each state on its own.
#include "common.h"

#include <math.h>

enum { N = 1000, STEPS = 70 };
static const double MU = 0.4, G = 9.81;

int main(void)
{
    tn_model *model = model_of("step: 10 ms\n"
                               "materials: {wood: {density: 500, friction: 0.4}}\n"
                               "defaults: {body: {material: wood}}\n"
                               "bodies:\n"
                               "  floor: {fixed: true, shape: {plane: {}}}\n"
                               "  box: {position: [0, 0, 0.1], shape: {box: [0.2, 0.2, 0.2]}}\n");
    tn_batch *batch = made(tn_batch_create(model, N, 0, &error));
    int bodies = tn_model_body_count(model), box = tn_model_find_body(model, "box");
    double *push = made(calloc((size_t)(N * bodies * 6), sizeof *push));
    double *pose = made(calloc((size_t)(N * bodies * 7), sizeof *pose));
    tn_step_report *reports = made(calloc(N, sizeof *reports));
    // As a push of one step: m v / h.
    for (int i = 0; i < N; i++) {
        double speed = 0.5 + 1.5 * i / (N - 1);
        push[(i * bodies + box) * 6] = tn_model_body_mass(model, box) * (speed / tn_model_step(model) + MU * G);
    }
    must(tn_batch_step(batch, 1, &(tn_input){.wrench = push}, NULL, NULL, &error));
    must(tn_batch_step(batch, STEPS, NULL, reports, NULL, &error));
    tn_batch_get(batch, &(tn_batch_arrays){.pose = pose});
    // Friction stops a box after v^2 / (2 mu g), to first order in the step.
    double off = 0.0, natural = 0.0;
    for (int i = 0; i < N; i++) {
        double speed = 0.5 + 1.5 * i / (N - 1), way = pose[(i * bodies + box) * 7];
        off = fmax(off, fabs(way - speed * speed / (2.0 * MU * G)));
        natural = fmax(natural, reports[i].solve.certificate.natural);
    }
    printf("%d steps, ways off by %.3f m at most, natural map %.1e\n", N * (STEPS + 1), off, natural);
    free(push), free(pose), free(reports);
    tn_batch_destroy(batch), tn_model_destroy(model);
    return off < 0.02 && natural < 1e-6 ? 0 : 1;
}
