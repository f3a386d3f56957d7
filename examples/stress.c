// Stress in a rubber block that a press comes down on, over time.
#include "common.h"

#include <math.h>

int main(void)
{
    tn_model *model =
        model_of("step: 10 ms\n"
                 "gravity: [0, 0, 0]\n"
                 "bodies:\n"
                 "  floor: {fixed: true, shape: {plane: {}}}\n"
                 "  press: {shape: {box: [0.2, 0.2, 0.02]},\n"
                 "          motion: {position: [0, 0, \"0.11 - 0.002*min(t, 1)\"]}}\n"
                 "soft:\n"
                 "  block: {grid: {size: [0.1, 0.1, 0.1], divisions: [4, 4, 4]}, position: [0, 0, 0.05],\n"
                 "          young: 100 kPa, poisson: 0.0, damping: {stiffness: 5 ms}}\n");
    tn_state *state = made(tn_state_create(model, &error));
    tn_sim *sim = made(tn_sim_create(model, &error));
    int n = tn_model_element_total(model), press = tn_model_find_body(model, "press");
    double *stress = made(calloc((size_t)(6 * n), sizeof *stress)), mean = 0.0, force = 0.0;
    bool falls = true;
    for (int step = 0; step < 120; step++) {
        must(tn_sim_step(sim, NULL, state, NULL, &error));
        must(tn_state_get_elements(state, stress, NULL, &error));
        double before = mean, sum = 0.0;
        for (int i = 0; i < n; i++) {
            sum += stress[6 * i + 2]; // zz
        }
        mean = sum / n;
        falls = falls && (step < 10 || step >= 90 || mean < before);
    }
    for (int i = 0; i < tn_sim_contact_count(sim); i++) {
        tn_contact_info contact;
        tn_sim_contact(sim, i, &contact);
        force += contact.body_a == press ? contact.force[2] : 0.0;
    }
    printf("stress %.1f Pa, force of the press %.3f N\n", mean, force);
    free(stress);
    tn_sim_destroy(sim), tn_state_destroy(state), tn_model_destroy(model);
    // Pressed by 2 %: E e, on 1 dm^2.
    return falls && fabs(mean + 100e3 * 0.02) < 20.0 && fabs(fabs(force) - 100e3 * 0.02 * 0.01) < 0.2 ? 0 : 1;
}
