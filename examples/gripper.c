// A gripper regulates its force by contact readings, and lifts a box with it.
#include "common.h"

#include <math.h>

enum { MOST = 64 };

static tn_model *build(void)
{
    tn_builder *b = made(tn_builder_create(&error));
    must(tn_builder_set(b, "step", "5 ms", &error));
    must(tn_builder_set(b, "defaults", "{body: {material: rubber}}", &error));
    must(tn_builder_add(b, "materials", "rubber", "{density: 800, friction: 0.6}", &error));
    must(tn_builder_add(b, "bodies", "table", "{fixed: true, shape: {plane: {}}}", &error));
    must(tn_builder_add(b, "bodies", "box", "{position: [0, 0, 0.05], shape: {box: [0.1, 0.1, 0.1]}}", &error));
    must(tn_builder_add(b, "bodies", "palm", "{position: [0, 0, 0.25], mass: 1, shape: {box: [0.3, 0.1, 0.04]}}",
                        &error));
    must(tn_builder_add(
        b, "joints", "lift",
        "{type: prismatic, b: palm, anchor: [0, 0, 0.25], axis: [0, 0, 1], slide: {motor: {velocity: 0}}}", &error));
    for (int side = -1; side <= 1; side += 2) {
        const char *name = side < 0 ? "left" : "right";
        char body[200], joint[300], slide[20];
        snprintf(slide, sizeof slide, "%s_slide", name);
        snprintf(body, sizeof body, "{position: [%g, 0, 0.1], mass: 0.3, shape: {box: [0.02, 0.08, 0.16]}}",
                 0.08 * side);
        snprintf(joint, sizeof joint,
                 "{type: prismatic, a: palm, b: %s, anchor: [%g, 0, 0.1], axis: [%d, 0, 0], slide: {limits: [0, 6 cm], "
                 "damping: 5}}",
                 name, 0.08 * side, -side);
        must(tn_builder_add(b, "bodies", name, body, &error));
        must(tn_builder_add(b, "joints", slide, joint, &error));
    }
    tn_model *model = made(tn_model_create(made(tn_builder_scene(b, &error)), &error));
    tn_builder_destroy(b);
    return model;
}

// What two bodies press on one another along x in the last step [N].
static double pressed_by(const tn_sim *sim, int one, int other)
{
    int bodies[MOST][2];
    double force[MOST][3], sum = 0.0;
    int n = tn_sim_get_contacts(sim, 0, MOST, &(tn_contact_results){.bodies = bodies[0], .force = force[0]});
    for (int i = 0; i < n; i++) {
        sum += bodies[i][0] == one && bodies[i][1] == other ? force[i][0] : 0.0;
    }
    return fabs(sum);
}

int main(void)
{
    tn_model *model = build();
    tn_state *state = made(tn_state_create(model, &error));
    tn_sim *sim = made(tn_sim_create(model, &error));
    int box = tn_model_find_body(model, "box"), left = tn_model_find_body(model, "left");
    int lift = tn_model_first_coordinate(model, tn_model_find_joint(model, "lift"));
    double effort[3] = {0.0}, rate[3] = {NAN, NAN, NAN}, wanted = 20.0, pressed = 0.0, at[3], turn[4];
    for (int step = 0; step < 400; step++) {
        // Grip: what the left finger presses with, and a little more or less of it.
        pressed = pressed_by(sim, box, left);
        for (int i = 0; step > 0 && i < 3; i++) {
            effort[i] = i == lift ? 0.0 : fmin(fmax(effort[i] + 0.1 * (wanted - pressed), 0.0), 40.0);
        }
        rate[lift] = step > 200 ? 0.1 : 0.0;
        must(tn_sim_step(sim, &(tn_input){.effort = effort, .target_rate = rate}, state, NULL, &error));
    }
    tn_state_body_pose(state, box, at, turn);
    printf("the finger presses with %.3f N, the box is %.3f m over the table\n", pressed, at[2] - 0.05);
    tn_sim_destroy(sim), tn_state_destroy(state), tn_model_destroy(model);
    return fabs(pressed - wanted) < 0.2 && fabs(at[2] - 0.05 - 0.1) < 5e-3 ? 0 : 1;
}
