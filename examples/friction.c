// Friction of a sliding box, found from a recording of where it was: by Gauss' and Newton's method on whole runs.
#include "common.h"

#include <math.h>

enum { STEPS = 100 };

static tn_model *box_on(double friction)
{
    char material[80];
    snprintf(material, sizeof material, "materials={m: {friction: %.17g}}", friction);
    const char *set[] = {material, "bodies.box.material=m", "bodies.floor.material=m"};
    const char scene[] = "step: 5 ms\n"
                         "bodies:\n"
                         "  floor: {fixed: true, shape: {plane: {}}}\n"
                         "  box: {position: [0, 0, 0.1], velocity: [2, 0, 0], shape: {box: [0.2, 0.2, 0.2]}}\n";
    return made(tn_model_create(made(tn_scene_parse(scene, "box", 3, set, &error)), &error));
}

// Places of the box over time [m], and a recording where path is not NULL.
static void track(double friction, const char *path, double x[STEPS + 1])
{
    tn_model *model = box_on(friction);
    tn_state *state = made(tn_state_create(model, &error));
    tn_sim *sim = made(tn_sim_create(model, &error));
    tn_recorder *recorder = path ? made(tn_recorder_create(path, model, &error)) : NULL;
    for (int k = 0; k <= STEPS; k++) {
        double at[3], turn[4];
        tn_step_report report;
        must(k > 0 ? tn_sim_step(sim, NULL, state, &report, &error) : TN_OK);
        must(recorder ? tn_recorder_append(recorder, sim, state, k > 0 ? &report : NULL, &error) : TN_OK);
        tn_state_body_pose(state, tn_model_find_body(model, "box"), at, turn);
        x[k] = at[0];
    }
    must(tn_recorder_close(recorder, &error));
    tn_sim_destroy(sim), tn_state_destroy(state), tn_model_destroy(model);
}

int main(void)
{
    static double seen[STEPS + 1], there[STEPS + 1], beside[STEPS + 1];
    const char path[] = "friction_example.h5";
    track(0.37, path, there);
    tn_recording *recording = made(tn_recording_open(path, &error));
    must(tn_recording_read_curve(recording, "body:box:x", seen, &error));
    tn_recording_close(recording);
    remove(path);
    for (int k = 0; k <= STEPS; k++) {
        seen[k] += 1e-3 * sin(37.0 * k); // measured to a millimetre
    }
    double mu = 0.2;
    for (int round = 0; round < 6; round++) {
        double along = 0.0, square = 0.0;
        track(mu, NULL, there);
        track(mu + 1e-5, NULL, beside);
        for (int k = 0; k <= STEPS; k++) {
            double slope = (beside[k] - there[k]) / 1e-5;
            along += slope * (seen[k] - there[k]);
            square += slope * slope;
        }
        mu += along / square;
    }
    printf("friction %.4f\n", mu);
    return fabs(mu - 0.37) < 2e-3 ? 0 : 1;
}
