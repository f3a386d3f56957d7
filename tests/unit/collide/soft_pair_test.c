// Soft bodies against each other.
#include "soft_world.h"

#include <stdlib.h>

static soft_world s;

static bool between(const tn_contact *c)
{
    return c->shape_a != c->shape_b;
}

// Two slabs, one on the other, grids that do not match: every vertex within both outlines has one contact.
static void slab_on_slab(void **state)
{
    tn_arena *arena = tn_arena_create(0), *keep = tn_arena_create(0);
    for (int k = 0; k < 3; ++k) {
        const double gap = k == 0 ? 1e-3 : k == 1 ? -1e-3 : 0.0;
        soft_begin(&s);
        s.rigid.model.margin = 2e-3;
        soft_grid(&s, (double[3]){0.4, 0.4, 0.1}, (int[3]){4, 4, 1}, (double[3]){0.0, 0.0, 0.05}, keep);
        soft_grid(&s, (double[3]){0.3, 0.3, 0.1}, (int[3]){5, 5, 1}, (double[3]){0.011, 0.017, 0.15 + gap}, keep);
        tn_contact_list list = soft_collide(&s, 1, arena);
        soft_check_list(&s, &list);
        int of_a = 0, of_b = 0, sharp = 0;
        double worst = 0.0, action = 0.0;
        for (int i = 0; i < list.n; ++i) {
            const tn_contact *c = list.contacts + i;
            assert_true(c->shape_a == 0 && c->shape_b == 1 && c->body_a == 1 && c->body_b == 2);
            sharp += c->soft_a->n == 2 && c->soft_b->n == 2 && c->feature >> 31;
            of_a += c->soft_a->n == 1;
            of_b += c->soft_b->n == 1;
            worst = fmax(worst, fabs(c->gap - gap) + fabs(c->frame[2] - 1.0));
            worst = fmax(worst, fabs(soft_gap(&s, c) - gap));
            // A force on the point of b and its opposite on a: no net force, a torque of gap times force.
            double torque[3] = {0.0, 0.0, 0.0}, f[3] = {0.3, -0.7, 2.0};
            for (int side = 0; side < 2; ++side) {
                const tn_soft_point *p = side ? c->soft_b : c->soft_a;
                for (int j = 0; j < p->n; ++j) {
                    double arm[3], turned[3];
                    tn_vec3_sub(arm, s.x + 3 * p->node[j], c->point);
                    tn_vec3_cross(turned, arm, f);
                    tn_vec3_madd(torque, torque, (side ? 1.0 : -1.0) * p->weight[j], turned);
                }
            }
            action = fmax(action, tn_vec3_norm(torque) - fabs(gap) * tn_vec3_norm(f));
        }
        printf("gap %g: %d vertices of a, %d of b, %d crossings; off by %.1e (limit 1e-12); torque beyond the gap's "
               "%.1e\n",
               gap, of_a, of_b, sharp, worst, action);
        assert_true(of_b == 36 && of_a == 9 && worst < 1e-12 && action < 1e-12);
        tn_arena_reset(keep);
    }
    tn_arena_destroy(arena);
    tn_arena_destroy(keep);
}

// Boxes of the same grid, vertices on vertices: one contact each, straight up, whatever the rounding.
static void matching_grids(void **state)
{
    tn_arena *arena = tn_arena_create(0), *keep = tn_arena_create(0);
    for (int k = 0; k < 200; ++k) {
        double offset[3];
        for (int i = 0; i < 3; ++i) {
            offset[i] = k == 0 ? 0.0 : 1e-9 * (tn_random_uniform(3, (uint64_t)k, (uint64_t)i) - 0.5);
        }
        offset[2] += 0.1;
        soft_begin(&s);
        s.rigid.model.margin = 1e-3;
        soft_grid(&s, (double[3]){0.3, 0.3, 0.1}, (int[3]){3, 3, 1}, (double[3]){0.0, 0.0, 0.0}, keep);
        soft_grid(&s, (double[3]){0.3, 0.3, 0.1}, (int[3]){3, 3, 1}, offset, keep);
        tn_contact_list list = soft_collide(&s, 1, arena);
        int vertices = 0;
        for (int i = 0; i < list.n; ++i) {
            vertices += list.contacts[i].soft_a->n == 1 || list.contacts[i].soft_b->n == 1;
            assert_true(list.contacts[i].frame[2] > 0.999999 && fabs(list.contacts[i].gap) < 2e-9);
        }
        assert_true(vertices >= 16 && vertices <= 32);
        tn_arena_reset(keep);
    }
    tn_arena_destroy(arena);
    tn_arena_destroy(keep);
}

// Two bars crossed, rim on rim (each turned by 45 degrees about its own length): no vertex is near, one crossing.
static void rims_crossed(void **state)
{
    tn_arena *arena = tn_arena_create(0), *keep = tn_arena_create(0);
    const double half = 0.02 * sqrt(2.0); // of the bars' diagonal
    for (int k = 0; k < 2; ++k) {
        const double gap = k ? -1e-4 : 1e-4;
        soft_begin(&s);
        s.rigid.model.margin = 1e-3;
        soft_grid(&s, (double[3]){0.3, 0.04, 0.04}, (int[3]){3, 1, 1}, (double[3]){0.0, 0.0, 0.0}, keep);
        soft_grid(&s, (double[3]){0.04, 0.3, 0.04}, (int[3]){1, 3, 1}, (double[3]){0.0, 0.0, 0.0}, keep);
        for (int i = 0; i < s.rigid.model.n_nodes; ++i) {
            double *x = s.x + 3 * i, c = sqrt(0.5), u = x[s.node_soft[i] ? 0 : 1], w = x[2];
            x[s.node_soft[i] ? 0 : 1] = c * (u - w);
            x[2] = c * (u + w) + s.node_soft[i] * (2.0 * half + gap);
        }
        tn_contact_list list = soft_collide(&s, 1, arena);
        soft_check_list(&s, &list);
        assert_int_equal(list.n, 1);
        const tn_contact *c = list.contacts;
        printf("gap %g: %.3e, after %.3e\n", gap, c->gap, soft_gap(&s, c));
        assert_true(c->soft_a->n == 2 && c->soft_b->n == 2 && fabs(c->gap - gap) < 1e-15 && c->frame[2] == 1.0);
        assert_true(fabs(soft_gap(&s, c) - gap) < 1e-15);
        tn_arena_reset(keep);
    }
    tn_arena_destroy(arena);
    tn_arena_destroy(keep);
}

// Without memory the step reports it; with places that are not numbers it makes no contact of them.
static void broken_places_and_no_memory(void **state)
{
    tn_arena *keep = tn_arena_create(0);
    tn_contact_list list;
    soft_begin(&s);
    world_shape(&s.rigid, (tn_shape){.kind = TN_SHAPE_BOX, .size = {0.03, 0.03, 0.03}}, NULL, 0);
    soft_grid(&s, (double[3]){0.3, 0.3, 0.1}, (int[3]){6, 6, 2}, (double[3]){0.0, 0.0, 0.08}, keep);
    soft_grid(&s, (double[3]){0.3, 0.3, 0.1}, (int[3]){5, 5, 2}, (double[3]){0.0, 0.0, 0.18}, keep);
    s.softs[0].self_contact = true;
    int failed = 0;
    for (int k = 0;; ++k) {
        tn_error error = {0};
        tn_memory_fail_after(k);
        tn_arena *arena = tn_arena_create(0);
        tn_status status =
            arena ? tn_collide(&s.rigid.model, &s.rigid.state, 1, arena, arena, &list, &error) : TN_NO_MEMORY;
        tn_memory_fail_after(-1);
        tn_arena_destroy(arena);
        if (status == TN_OK) {
            break;
        }
        assert_int_equal(status, TN_NO_MEMORY);
        assert_true(k < 1000);
        failed++;
    }
    printf("%d requests for memory, each failed once and reported\n", failed);
    assert_true(failed > 2 && list.n > 20);
    tn_arena *arena = tn_arena_create(0);
    for (int i = 0; i < s.rigid.model.n_nodes; i += 3) {
        s.x[3 * i + i % 2] = i % 4 ? NAN : INFINITY;
    }
    list = soft_collide(&s, 1, arena);
    for (int i = 0; i < list.n; ++i) {
        assert_true(isfinite(list.contacts[i].gap));
    }
    for (int i = 0; i < 3 * s.rigid.model.n_nodes; ++i) {
        s.x[i] = NAN;
    }
    assert_int_equal(soft_collide(&s, 1, arena).n, 0);
    tn_arena_destroy(arena);
    tn_arena_destroy(keep);
}

// Two sheets 9 cm apart meet at 10 m/s within a step of 10 ms: their contacts are there before; not if they part.
static void fast_sheets(void **state)
{
    tn_arena *arena = tn_arena_create(0), *keep = tn_arena_create(0);
    soft_begin(&s);
    s.rigid.model.margin = 1e-3;
    soft_grid(&s, (double[3]){0.2, 0.2, 0.01}, (int[3]){4, 4, 1}, (double[3]){0.0, 0.0, 0.0}, keep);
    soft_grid(&s, (double[3]){0.16, 0.16, 0.01}, (int[3]){3, 3, 1}, (double[3]){0.003, 0.005, 0.1}, keep);
    for (int k = 0; k < 2; ++k) {
        for (int i = s.softs[1].first_node; i < s.rigid.model.n_nodes; ++i) {
            s.v[3 * i + 2] = k ? 10.0 : -10.0;
        }
        tn_contact_list list = soft_collide(&s, 1, arena);
        int near = 0;
        for (int i = 0; i < list.n; ++i) {
            near += fabs(list.contacts[i].gap - 0.09) < 1e-12;
        }
        printf("%s: %d contacts, %d of the sides that face each other (16 + 9 vertices)\n", k ? "parting" : "meeting",
               list.n, near);
        assert_true(k ? list.n == 0 : near == 25);
    }
    tn_arena_destroy(arena);
    tn_arena_destroy(keep);
}

static double face_distance(const int nodes[3], const double x[3])
{
    // Dense samples of the face bound the distance from above; good enough for a test of 1e-3.
    double best = INFINITY;
    enum { N = 30 };
    for (int i = 0; i <= N; ++i) {
        for (int j = 0; i + j <= N; ++j) {
            double p[3] = {0.0, 0.0, 0.0}, w[3] = {(double)i / N, (double)j / N, (double)(N - i - j) / N};
            for (int k = 0; k < 3; ++k) {
                tn_vec3_madd(p, p, w[k], s.x + 3 * nodes[k]);
            }
            tn_vec3_sub(p, p, x);
            best = fmin(best, tn_vec3_norm(p));
        }
    }
    return best;
}

// Random overlapping balls: each vertex inside the other has its contact, of the depth that brute force finds.
static void overlapping_balls(void **state)
{
    tn_arena *arena = tn_arena_create(0), *keep = tn_arena_create(0);
    int deep = 0;
    double worst = 0.0;
    for (int trial = 0; trial < 3; ++trial) {
        double at[3];
        for (int i = 0; i < 3; ++i) {
            at[i] = tn_random_uniform(9, (uint64_t)trial, (uint64_t)i) - 0.5;
        }
        tn_vec3_scale(at, 0.17 / tn_vec3_norm(at), at);
        soft_begin(&s);
        s.rigid.model.margin = 1e-3;
        soft_ball(&s, 0.1, 8, (double[3]){0.0, 0.0, 0.0}, keep);
        soft_ball(&s, 0.1, 10, at, keep);
        tn_contact_list list = soft_collide(&s, 1, arena);
        soft_check_list(&s, &list);
        const tn_model *m = &s.rigid.model;
        for (int i = 0; i < m->n_vertices; ++i) {
            int node = s.vertices[i], own = s.node_soft[node], at_contact = -1;
            const tn_model_soft *other = s.softs + 1 - own;
            double d[3], least = INFINITY, centre[3] = {0.0, 0.0, 0.0};
            tn_vec3_sub(d, s.x + 3 * node, own ? centre : at);
            // Well inside the other (its faces lie up to 2 % within the ball of 0.1 m).
            if (!(tn_vec3_norm(d) < 0.095)) {
                continue;
            }
            for (int f = other->first_face; f < other->first_face + other->n_faces; ++f) {
                least = fmin(least, face_distance(s.faces + 3 * f, s.x + 3 * node));
            }
            for (int k = 0; k < list.n; ++k) {
                const tn_soft_point *p = own ? list.contacts[k].soft_b : list.contacts[k].soft_a;
                at_contact = p->n == 1 && p->node[0] == node ? k : at_contact;
            }
            assert_true(at_contact >= 0);
            worst = fmax(worst, fabs(-list.contacts[at_contact].gap - least));
            deep++;
        }
    }
    printf("%d vertices inside; depth off by %.1e m (limit 1e-4: the samples' spacing of 1 mm, 1 cm deep)\n", deep,
           worst);
    assert_true(deep > 20 && worst < 1e-4);
    tn_arena_destroy(arena);
    tn_arena_destroy(keep);
}

static void threads_and_memory(void **state)
{
    tn_arena *arena = tn_arena_create(0), *second = tn_arena_create(0), *keep = tn_arena_create(0);
    soft_begin(&s);
    s.rigid.model.margin = 2e-3;
    soft_ball(&s, 0.1, 14, (double[3]){0.0, 0.0, 0.0}, keep);
    soft_ball(&s, 0.1, 12, (double[3]){0.05, 0.08, 0.12}, keep);
    soft_grid(&s, (double[3]){0.4, 0.4, 0.02}, (int[3]){30, 30, 1}, (double[3]){0.0, 0.0, -0.105}, keep);
    for (int i = 0; i < 3; ++i) {
        s.softs[i].self_contact = true;
    }
    for (int i = 0; i < s.rigid.model.n_nodes; ++i) {
        for (int k = 0; k < 3; ++k) {
            s.v[3 * i + k] = 0.5 * tn_random_normal(4, (uint64_t)i, (uint64_t)k);
        }
    }
    tn_contact_list one = soft_collide(&s, 1, arena), two = soft_collide(&s, 2, second);
    soft_check_list(&s, &one);
    assert_true(one.n > 100 && one.n == two.n);
    soft_check_same(&one, &two);
    soft_keep_skins(&s, keep);
    two = soft_collide(&s, 2, second);
    assert_true(one.n == two.n);
    soft_check_same(&one, &two);
    for (int i = 0; i < 3; ++i) {
        one = soft_collide(&s, 1, arena);
    }
    long before = tn_memory_count();
    one = soft_collide(&s, 1, arena);
    printf("%d contacts, %ld requests for memory when warm (limit 0)\n", one.n, tn_memory_count() - before);
    assert_true(tn_memory_count() == before);
    int between_bodies = 0;
    for (int i = 0; i < one.n; ++i) {
        between_bodies += between(one.contacts + i);
    }
    printf("%d between bodies\n", between_bodies);
    tn_arena_destroy(arena);
    tn_arena_destroy(second);
    tn_arena_destroy(keep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(slab_on_slab),       cmocka_unit_test(matching_grids),
        cmocka_unit_test(overlapping_balls),  cmocka_unit_test(fast_sheets),
        cmocka_unit_test(rims_crossed),       cmocka_unit_test(broken_places_and_no_memory),
        cmocka_unit_test(threads_and_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
