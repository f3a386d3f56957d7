// Vertices of soft bodies against shapes: places, gaps, normals, what is left out, and what fast motion must not miss.
#include "soft_world.h"

static soft_world s;

// A mat one cell thick lies 1 mm over a plane: its lower vertices touch, each once.
static void mat_on_plane(void **state)
{
    tn_arena *arena = tn_arena_create(0), *keep = tn_arena_create(0);
    soft_begin(&s);
    world_shape(&s.rigid, (tn_shape){.kind = TN_SHAPE_PLANE}, NULL, 0);
    soft_grid(&s, (double[3]){0.4, 0.4, 0.1}, (int[3]){8, 8, 1}, (double[3]){0.0, 0.0, 0.051}, keep);
    tn_contact_list list = soft_collide(&s, 1, arena);
    soft_check_list(&s, &list);
    assert_int_equal(list.n, 81);
    for (int i = 0; i < list.n; ++i) {
        const tn_contact *c = list.contacts + i;
        assert_true(c->shape_a == 0 && c->shape_b == 1 && c->body_a == 0 && c->body_b == 1);
        assert_true(c->soft_a->n == 0 && c->soft_b->n == 1 && fabs(c->gap - 0.001) < 1e-15 && c->frame[2] == 1.0);
        assert_true(s.vertices[c->feature] == c->soft_b->node[0] && c->surface->mu1 == 0.5);
    }
    for (int i = 0; i < list.n; ++i) {
        s.x[3 * list.contacts[i].soft_b->node[0] + 2] = -1e-5 * i;
        assert_true(fabs(soft_gap(&s, list.contacts + i) + 1e-5 * i) < 1e-18);
    }
    tn_arena_destroy(arena);
    tn_arena_destroy(keep);
}

// Every vertex within the margin of a shape of any kind has its contact, with the shape's own distance.
static void all_kinds(void **state)
{
    const tn_shape shapes[] = {{.kind = TN_SHAPE_PLANE},
                               {.kind = TN_SHAPE_SPHERE, .size = {0.15}},
                               {.kind = TN_SHAPE_BOX, .size = {0.1, 0.12, 0.15}},
                               {.kind = TN_SHAPE_CAPSULE, .size = {0.1, 0.1}}};
    tn_arena *arena = tn_arena_create(0), *keep = tn_arena_create(0);
    for (int k = 0; k < 4; ++k) {
        soft_begin(&s);
        tn_pose pose = pose_at(0.02, 0.01, 0.2);
        tn_quat_from_axis_angle(pose.quaternion, (double[3]){0.36, 0.48, 0.8}, 0.4);
        world_body(&s.rigid, &pose, 0);
        world_shape(&s.rigid, shapes[k], NULL, 0);
        soft_grid(&s, (double[3]){0.3, 0.3, 0.3}, (int[3]){12, 12, 12}, (double[3]){0.0, 0.0, 0.0}, keep);
        tn_contact_list list = soft_collide(&s, 1, arena);
        soft_check_list(&s, &list);
        int n = 0, inside = 0, at = 0;
        for (int i = 0; i < s.rigid.model.n_vertices; ++i) {
            double normal[3], nearest[3];
            const double *x = s.x + 3 * s.vertices[i];
            double d = tn_shape_distance(&shapes[k], &pose, x, normal, nearest);
            while (at < list.n && (list.contacts[at].soft_b->n > 1 || list.contacts[at].feature < (uint32_t)i)) {
                at++;
            }
            if (d <= s.rigid.model.margin) {
                const tn_contact *c = list.contacts + at;
                assert_true(at < list.n && c->feature == (uint32_t)i && c->soft_b->n == 1);
                assert_true(c->gap == d && memcmp(c->frame, normal, sizeof normal) == 0);
                n++;
                inside += d < 0.0;
            }
        }
        printf("%s: %d vertices within the margin, %d inside\n", tn_shape_name(shapes[k].kind), n, inside);
        assert_true(n > 10 && inside > 5);
    }
    tn_arena_destroy(arena);
    tn_arena_destroy(keep);
}

// 10 m/s at 10 ms is 0.1 m a step: contacts with a plane and a 1 cm box must be there a step before.
static void fast_vertices(void **state)
{
    const tn_shape shapes[] = {{.kind = TN_SHAPE_PLANE}, {.kind = TN_SHAPE_BOX, .size = {0.5, 0.5, 0.005}}};
    tn_arena *arena = tn_arena_create(0), *keep = tn_arena_create(0);
    for (int k = 0; k < 4; ++k) {
        soft_begin(&s);
        world_shape(&s.rigid, shapes[k % 2], NULL, 0);
        soft_grid(&s, (double[3]){0.2, 0.2, 0.02}, (int[3]){4, 4, 1}, (double[3]){0.0, 0.0, 0.105}, keep);
        for (int i = 0; i < s.rigid.model.n_nodes; ++i) {
            tn_vec3_set(s.v + 3 * i, 3.0, 0.0, k < 2 ? -10.0 : 10.0);
        }
        tn_contact_list list = soft_collide(&s, 1, arena);
        printf("%s, %s: %d contacts (of 50 vertices)\n", tn_shape_name(shapes[k % 2].kind),
               k < 2 ? "towards it" : "away", list.n);
        assert_int_equal(list.n, k < 2 ? 50 : 0);
    }
    tn_arena_destroy(arena);
    tn_arena_destroy(keep);
}

// A vertex attached to the shape's body, or one that cannot move, makes none; nor does what the scene excludes.
static void left_out(void **state)
{
    tn_arena *arena = tn_arena_create(0), *keep = tn_arena_create(0);
    soft_begin(&s);
    world_shape(&s.rigid, (tn_shape){.kind = TN_SHAPE_PLANE}, NULL, 0);
    tn_pose pose = pose_at(0.0, 0.0, 0.3);
    int driver = world_body(&s.rigid, &pose, 2);
    s.rigid.bodies[driver].kind = TN_BODY_FREE;
    soft_grid(&s, (double[3]){0.2, 0.2, 0.1}, (int[3]){2, 2, 1}, (double[3]){0.0, 0.0, 0.05}, keep);
    assert_int_equal(soft_collide(&s, 1, arena).n, 9);
    s.nodes[0] = (tn_model_node){.block = -1, .body = 0};
    assert_int_equal(soft_collide(&s, 1, arena).n, 8);
    s.nodes[1] = (tn_model_node){.block = -1, .body = driver}; // moves with a free body: counts
    tn_contact_list list = soft_collide(&s, 1, arena);
    assert_true(list.n == 8 && list.contacts[0].soft_b->node[0] == 1);
    s.softs[0].collides = false;
    assert_int_equal(soft_collide(&s, 1, arena).n, 0);
    s.softs[0].collides = true;
    s.softs[0].material = 1;
    s.rigid.surfaces[1].collide = false; // plane's material 0 with 1
    assert_int_equal(soft_collide(&s, 1, arena).n, 0);
    s.rigid.surfaces[1] = (tn_surface){.mu1 = 0.9, .mu2 = 0.9, .restitution = 0.25, .collide = true};
    list = soft_collide(&s, 1, arena);
    assert_true(list.n == 8 && list.contacts[3].surface->mu1 == 0.9 && list.contacts[3].surface->restitution == 0.25);
    tn_arena_destroy(arena);
    tn_arena_destroy(keep);
}

static void threads_warm_forces_and_memory(void **state)
{
    tn_arena *arena = tn_arena_create(0), *second = tn_arena_create(0), *keep = tn_arena_create(0);
    soft_begin(&s);
    world_shape(&s.rigid, (tn_shape){.kind = TN_SHAPE_PLANE}, NULL, 0);
    tn_pose pose = pose_at(0.0, 0.0, 0.06);
    world_body(&s.rigid, &pose, 2);
    world_shape(&s.rigid, (tn_shape){.kind = TN_SHAPE_BOX, .size = {0.1, 0.1, 0.05}}, NULL, 0);
    soft_grid(&s, (double[3]){0.4, 0.4, 0.01}, (int[3]){26, 26, 1}, (double[3]){0.0, 0.0, 0.005}, keep);
    tn_contact_list one = soft_collide(&s, 1, arena), two = soft_collide(&s, 2, second);
    assert_true(one.n > 800 && one.n == two.n);
    soft_check_same(&one, &two);
    s.rigid.state.n_memory = 1;
    s.rigid.memory[0] = (tn_contact_memory){.key_shapes = (uint64_t)one.contacts[100].shape_a << 32 |
                                                          (uint32_t)one.contacts[100].shape_b,
                                            .key_feature = one.contacts[100].feature,
                                            .force = {1.0, 2.0, 3.0}};
    s.rigid.state.memory = s.rigid.memory;
    for (int i = 0; i < 3; ++i) {
        one = soft_collide(&s, 1, arena);
    }
    assert_true(one.contacts[100].warm[1] == 2.0 && one.contacts[101].warm[1] == 0.0);
    long before = tn_memory_count();
    one = soft_collide(&s, 1, arena);
    printf("%d contacts, %ld requests for memory when warm (limit 0)\n", one.n, tn_memory_count() - before);
    assert_true(tn_memory_count() == before);
    tn_arena_destroy(arena);
    tn_arena_destroy(second);
    tn_arena_destroy(keep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mat_on_plane),
        cmocka_unit_test(all_kinds),
        cmocka_unit_test(fast_vertices),
        cmocka_unit_test(left_out),
        cmocka_unit_test(threads_warm_forces_and_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
