// Scenes with planar shapes: the plane that bodies are confined to, their mass, and what may not collide with them.
#include "compile_text.h"

#include "math/vec3.h"
#include "model/motion.h"

static void confined_and_heavy(void **state)
{
    tn_model *m =
        must_compile("bodies:\n"
                     "  disk: {density: 2, shape: {disk: 0.5}}\n"
                     "  box: {mass: 3, shape: {polygon: {size: [0.4, 0.3]}}}\n"
                     "  lying: {density: 1, position: [0, 0, 5], rotation: {axis: [1, 0, 0], angle: 90 deg},\n"
                     "          shape: {ellipse: [2, 4], material: other}}\n"
                     "  wall: {fixed: true, shape: {polygon: [[0, 0], [1, 0], [0, 1]]}}\n"
                     "materials: {other: {}}\n"
                     "pairs: [{materials: [default, other], collide: false}]\n");
    const tn_model_body *disk = &m->bodies[1], *box = &m->bodies[2], *lying = &m->bodies[3];
    assert_true(disk->planar && box->planar && lying->planar && disk->n_blocks == 1);
    assert_true(fabs(disk->mass - 0.5 * M_PI) < 1e-15 && fabs(disk->inertia[0] - 0.125 * disk->mass) < 1e-15);
    assert_true(fabs(box->inertia[0] - 3.0 * (0.16 + 0.09) / 12.0) < 1e-15);
    assert_true(fabs(lying->inertia[0] - 8.0 * M_PI * 5.0) < 1e-12);
    assert_true(disk->plane_axes[7] == 1.0 && fabs(lying->plane_axes[8] - 1.0) < 1e-15);
    assert_true(fabs(m->shapes[3].pose.position[0] - 1.0 / 3.0) < 1e-15); // the centroid
    tn_model_destroy(m);
}

// What is said for all bodies is meant for those that move.
static void default_confinement(void **state)
{
    tn_model *m = must_compile("defaults: {body: {confine: [0, 1, 0]}}\n"
                               "bodies:\n"
                               "  floor: {fixed: true, shape: {plane: {}}}\n"
                               "  pusher: {motion: {position: [t, 0, 0]}, shape: {box: [1, 1, 1]}}\n"
                               "  ball: {shape: {sphere: 1}}\n");
    assert_true(m->bodies[3].planar && !m->bodies[1].planar && !m->bodies[2].planar);
    tn_model_destroy(m);
}

// Jitter and random turns of copies stay in the plane.
static void copies_in_the_plane(void **state)
{
    tn_model *m = must_compile(
        "bodies:\n"
        "  box: {shape: {polygon: {size: [1, 2]}}, array: {count: [3, 1, 3], spacing: [3, 1, 3], jitter: 0.2, "
        "rotation_jitter: 1}}\n"
        "  egg: {shape: {ellipse: [1, 2]}, scatter: {count: 9, low: [0, 0, 10], high: [9, 0, 20]}}\n");
    bool turned = false, moved = false;
    for (int b = 1; b < m->n_bodies; b++) {
        tn_pose pose;
        tn_motion_start_pose(&m->bodies[b], &pose);
        assert_true(pose.position[1] == 0.0 && pose.quaternion[1] == 0.0 && pose.quaternion[3] == 0.0);
        turned = turned || fabs(pose.quaternion[2]) > 0.1;
        moved = moved || fabs(pose.position[0] - 3.0) > 0.01;
    }
    assert_true(turned && moved);
    tn_model_destroy(m);
}

static void what_does_not_fit(void **state)
{
    must_fail("bodies:\n  disk: {shape: {disk: 1}}\n  ball: {position: [3, 0, 0], shape: {sphere: 1}}\n", 3,
              "'ball' cannot collide with planar shapes");
    must_fail("bodies:\n  ball: {position: [3, 0, 0], confine: [0, 1, 0], shape: {sphere: 1}}\n  disk: {shape: {disk: "
              "1}}\n",
              2, "'ball' cannot collide with planar shapes");
    must_fail("bodies:\n  disk: {shape: {disk: 1}}\n  beside: {position: [3, 0.1, 0], shape: {disk: 1}}\n", 3,
              "in another plane");
    must_fail("bodies:\n  ground: {fixed: true, shape: {plane: [0, 0.1, 1]}}\n  disk: {position: [0, 0, 2], shape: "
              "{disk: 1}}\n",
              2, "'ground' cannot collide with planar shapes");
    must_fail("bodies:\n  disk: {shape: {disk: 1}, confine: [0, 0, 1]}\n", 2, "does not move in its plane");
    must_fail("bodies:\n  stirrer: {shape: {polygon: {size: [1, 2]}}, motion: {axis: [0, 0, 1], angle: t}}\n  disk: "
              "{position: [3, 0, 0], shape: {disk: 1}}\n",
              2, "leaves its plane");
    must_fail("bodies:\n  disk: {shape: {disk: 1}}\nsoft:\n  mat: {grid: {size: [1, 1, 1], divisions: [1, 1, "
              "1]}, young: 1e5, position: [5, 0, 0]}\n",
              2, "soft bodies cannot collide with");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(confined_and_heavy),
        cmocka_unit_test(default_confinement),
        cmocka_unit_test(copies_in_the_plane),
        cmocka_unit_test(what_does_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
