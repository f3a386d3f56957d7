// Soft bodies against themselves: layers touch, sides of a sheet do not.
#include "soft_world.h"

static soft_world s;

// (Vertices of a rim that lies exactly in the other leg's side are nearest to that side, 54 of 308 where legs overlap.)
// A strip, bent into a hairpin: x along it becomes an arc of half a turn between two straight legs.
static void fold(double radius)
{
    for (int i = 0; i < s.rigid.model.n_nodes; ++i) {
        double *x = s.x + 3 * i, along = s.rest[3 * i], z = s.rest[3 * i + 2], half = 0.5 * M_PI * radius;
        double angle = fmin(1.0, fmax(-1.0, along / half)) * 0.5 * M_PI, leg = along - angle * radius;
        // the neutral line: x = -radius cos(angle), z = radius sin(angle); its inside is -z of the strip
        double r = radius + z;
        x[0] = (fabs(angle) < 0.5 * M_PI ? 0.0 : fabs(leg)) - r * cos(angle);
        x[1] = s.rest[3 * i + 1];
        x[2] = r * sin(angle);
    }
}

static void folded_strip(void **state)
{
    tn_arena *arena = tn_arena_create(0), *keep = tn_arena_create(0);
    const double thickness = 0.01;
    for (int k = 0; k < 5; ++k) {
        // Distance of the legs' inner sides: 2 radius - thickness.
        const double gaps[5] = {5e-4, 0.0, -5e-4, 0.02, 5e-4};
        double gap = gaps[k];
        soft_begin(&s);
        s.rigid.model.margin = 1e-3;
        soft_grid(&s, (double[3]){0.3, 0.05, thickness}, (int[3]){60, 10, k == 4 ? 1 : 2}, (double[3]){0}, keep);
        s.softs[0].self_contact = true;
        assert_int_equal(soft_collide(&s, 1, arena).n, 0); // flat
        fold(0.5 * (gap + thickness));
        tn_contact_list list = soft_collide(&s, 1, arena);
        soft_check_list(&s, &list);
        double worst = 0.0;
        int right = 0;
        for (int i = 0; i < list.n; ++i) {
            const tn_contact *c = list.contacts + i;
            assert_true(c->shape_a == 0 && c->shape_b == 0 && c->body_a == c->body_b);
            if (c->point[0] > 0.005) { // beyond the bend
                worst = fmax(worst, 1.0 - fabs(c->frame[2]));
                worst = fmax(worst, fabs(c->gap - gap) + fabs(soft_gap(&s, c) - gap));
                right++;
            }
        }
        printf("legs %g m apart: %d contacts, %d of the legs, off by %.1e (limit 1e-12)\n", gap, list.n, right, worst);
        assert_true(worst < 1e-12 && (k == 3 ? list.n == 0 : right > 240));
        tn_arena_reset(keep);
    }
    tn_arena_destroy(arena);
    tn_arena_destroy(keep);
}

// Thin sheets, flat, rolled, squeezed to half: their sides are not in contact. With and without more layers.
static void thin_sheets(void **state)
{
    tn_arena *arena = tn_arena_create(0), *keep = tn_arena_create(0);
    for (int layers = 1; layers <= 4; layers *= 2) {
        soft_begin(&s);
        s.rigid.model.margin = 5e-3;
        soft_grid(&s, (double[3]){0.3, 0.3, 0.004}, (int[3]){30, 30, layers}, (double[3]){0}, keep);
        s.softs[0].self_contact = true;
        assert_int_equal(soft_collide(&s, 1, arena).n, 0);
        for (int i = 0; i < s.rigid.model.n_nodes; ++i) {
            double *x = s.x + 3 * i, angle = x[0] / 0.1, r = 0.1 + 0.5 * x[2];
            tn_vec3_set(x, r * sin(angle), x[1] + 0.002 * sin(40.0 * x[0]), r * cos(angle));
        }
        tn_contact_list list = soft_collide(&s, 1, arena);
        printf("%d layers, rolled and squeezed: %d contacts (limit 0)\n", layers, list.n);
        assert_int_equal(list.n, 0);
        tn_arena_reset(keep);
    }
    tn_arena_destroy(arena);
    tn_arena_destroy(keep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(folded_strip),
        cmocka_unit_test(thin_sheets),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
