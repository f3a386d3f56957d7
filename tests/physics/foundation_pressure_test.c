// The pressure on Winkler's foundation: elements' patches tile the face, wherever box and plane are, and their
// pressures are those of a rigid plate on springs, p = N/A + M x/I. Wanted values are closed forms; nothing here uses
// the code's own areas.
#include "gallery.h"

#include "math/quat.h"
#include "math/vec3.h"

#include <string.h>
#include <unistd.h>

enum { MOST = 1000 };
static const double TIGHT = 1e-12; // relative, asked of the solver

static double area_of(const tn_contact_info *c)
{
    double across[3];
    tn_vec3_cross(across, c->patch[0], c->patch[1]);
    return tn_vec3_norm(across);
}

static double pressure_of(const tn_contact_info *c)
{
    return tn_vec3_dot(c->force, c->normal) / area_of(c);
}

// A box of 1 x 0.8 x 0.6 m, 8 kg/m^3, turned about the vertical, on a layer of 5e6 N/m^3. Its weight sinks it by 8e-6
// m.
static scenario plate(int elements, const char *more)
{
    const double sunk = 8.0 * 0.6 * GRAVITY / 5e6;
    return scenario_open("step: 10 ms\nmargin: 1 mm\nlaw: frictionless\n"
                         "solver: {tolerance: {momentum: %g, natural: %g}}\n"
                         "materials: {default: {density: 8}}\n"
                         "pairs: [{materials: [default, default], damping: 1, foundation: {modulus: 1e7, depth: 2, "
                         "elements: %d}}]\n"
                         "bodies:\n"
                         "  floor: {fixed: true, shape: {plane: {}}}\n"
                         "  box: {position: [0, 0, %.17g], rotation: {axis: [0, 0, 1], angle: 0.4}, "
                         "shape: {box: [1, 0.8, 0.6]}%s}\n",
                         TIGHT, TIGHT, elements, 0.3 - sunk, more);
}

// ---- balance

// At rest: areas make up the face, pressures over them the weight, each pressure weight over area.
static void test_even_load(void **unused)
{
    for (int n = 1; n <= 21; n += 10) {
        const double weight = 8.0 * 0.48 * GRAVITY;
        scenario s = plate(n, "");
        scenario_run(&s, 1.0);
        assert_int_equal(tn_sim_contact_count(s.sim), n * n);
        double area = 0.0, force = 0.0, uneven = 0.0;
        for (int i = 0; i < n * n; i++) {
            tn_contact_info c;
            tn_sim_contact(s.sim, i, &c);
            area += area_of(&c);
            force += area_of(&c) * pressure_of(&c);
            uneven = fmax(uneven, fabs(pressure_of(&c) / (weight / 0.8) - 1.0));
        }
        print_message("%d elements\n", n * n);
        check_near("sum of the areas [m^2]", area, 0.8, 1e-13);
        check_near("sum of pressure times area over the weight", force / weight, 1.0, 1e-10);
        check_below("pressures off weight over area, relative", uneven, 1e-8);
        scenario_close(&s);
    }
}

// Forces at rest, of a state without a step, know the patches too; contacts that are no elements have none.
static void test_of_forces_at_rest(void **unused)
{
    scenario s = plate(6, "");
    scenario_run(&s, 1.0);
    for (int elastic = 0; elastic < 2; elastic++) {
        tn_forces_options options = {.elastic = elastic};
        tn_forces_report report;
        tn_error error = {0};
        assert_int_equal(tn_sim_forces(s.sim, s.state, &options, &report, &error), TN_OK);
        double area = 0.0, force = 0.0;
        for (int i = 0; i < tn_sim_contact_count(s.sim); i++) {
            tn_contact_info c;
            tn_sim_contact(s.sim, i, &c);
            area += area_of(&c);
            force += area_of(&c) > 0.0 ? area_of(&c) * pressure_of(&c) : 0.0;
        }
        check_near(elastic ? "elastic: sum of the areas [m^2]" : "rigid contacts: the same", area, elastic * 0.8,
                   1e-13);
        check_near("pressure times area over the weight", force / (8.0 * 0.48 * GRAVITY), elastic, 1e-7);
    }
    scenario_close(&s);
}

// ---- a tilted load

// A moment M about each edge: p = N/A + M_2 x/I_2 - M_1 y/I_1 in the box's axes, of elements I = b a^3/12 (1 - 1/n^2).
// The centre of mass, 0.3 m up, leans out and adds to the moment. All elements stay pressed.
static void test_tilted_load(void **unused)
{
    const int elements[] = {10, 30};
    const double moment[3] = {0.9, 1.6, 0.0}, weight = 8.0 * 0.48 * GRAVITY, bedding = 5e6, turn[3] = {0.0, 0.0, 0.4};
    for (int k = 0; k < 2; k++) {
        double n = elements[k], q[4], m[3], position[3], sum[3] = {0.0}, off = 0.0, least = INFINITY, most = 0.0;
        double second[2] = {0.8 * 0.8 * 0.8 / 12.0 * (1.0 - 1.0 / (n * n)), 0.8 / 12.0 * (1.0 - 1.0 / (n * n))};
        scenario s = plate(elements[k], ", torque: [0.9, 1.6, 0]");
        scenario_run(&s, 4.0);
        tn_quat_exp(q, turn);
        tn_quat_rotate_inverse(m, q, moment);
        for (int i = 0; i < 2; i++) {
            m[i] *= bedding * second[i] / (bedding * second[i] - 0.3 * weight);
        }
        tn_state_body_pose(s.state, 2, position, q);
        for (int i = 0; i < tn_sim_contact_count(s.sim); i++) {
            tn_contact_info c;
            double x[3];
            tn_sim_contact(s.sim, i, &c);
            tn_vec3_sub(x, c.point, position);
            tn_quat_rotate_inverse(x, q, x);
            double wanted = weight / 0.8 + m[1] * x[0] / second[1] - m[0] * x[1] / second[0], p = pressure_of(&c);
            // A moment about y presses where x > 0: forces up at x turn by -x about y.
            off = fmax(off, fabs(p - wanted) / (weight / 0.8));
            least = fmin(least, p);
            most = fmax(most, p);
            sum[0] += p * area_of(&c);
            sum[1] += p * area_of(&c) * x[1];
            sum[2] += p * area_of(&c) * x[0];
        }
        print_message("%d elements: %.6g to %.6g Pa\n", elements[k] * elements[k], least, most);
        assert_true(least > 0.0 && most > 2.0 * least);
        check_below("pressures off N/A + M x/I, of N/A", off, 1e-8);
        check_near("sum of pressure times area over the weight", sum[0] / weight, 1.0, 1e-9);
        check_near("moment about the first edge over that of the load", -sum[1] / m[0], 1.0, 1e-7);
        check_near("about the second", sum[2] / m[1], 1.0, 1e-7);
        scenario_close(&s);
    }
}

// ---- where the patches are

// Anywhere in space, on each face, box or plane first: patches meet their neighbours, look out of the box at the plane
// and make up the face.
static void check_tiles(const scenario *s, int n, const double size[2], double out)
{
    static tn_contact_info c[MOST];
    double area = 0.0, crooked = 0.0, gap = 0.0, square = 0.0;
    assert_int_equal(tn_sim_contact_count(s->sim), n * n);
    for (int i = 0; i < n * n; i++) {
        double across[3], step[3];
        tn_sim_contact(s->sim, i, &c[i]);
        tn_vec3_cross(across, c[i].patch[0], c[i].patch[1]);
        area += area_of(&c[i]);
        crooked = fmax(crooked, fabs(tn_vec3_dot(across, c[i].normal) / area_of(&c[i]) - out));
        square = fmax(square, fabs(tn_vec3_dot(c[i].patch[0], c[i].patch[1])));
        square = fmax(square, fabs(tn_vec3_norm(c[i].patch[0]) - size[0] / n));
        square = fmax(square, fabs(tn_vec3_norm(c[i].patch[1]) - size[1] / n));
        if (i % n > 0) { // neighbours along the second edge follow one another
            tn_vec3_sub(step, c[i].point, c[i - 1].point);
            tn_vec3_sub(step, step, c[i].patch[1]);
            gap = fmax(gap, tn_vec3_norm(step));
        }
        if (i >= n) {
            tn_vec3_sub(step, c[i].point, c[i - n].point);
            tn_vec3_cross(across, step, c[i].patch[0]);
            gap = fmax(gap, fabs(tn_vec3_norm(step) - size[0] / n) + tn_vec3_norm(across));
        }
    }
    check_near("sum of the areas over the face", area / (size[0] * size[1]), 1.0, 1e-12);
    check_below("cosine of normal and patch off", crooked, 1e-12);
    check_below("edges off the elements' [m]", square, 1e-13);
    check_below("between neighbours [m]", gap, 1e-9); // points lie midway, the box is deep by some 1e-7 m
}

static void test_on_each_face(void **unused)
{
    // The plane's normal is (0, sin 0.3, cos 0.3): boxes turned by -0.3 about x, then by a quarter about one of their
    // axes.
    const struct {
        const char *axis;
        double angle, height, size[2];
    } faces[] = {{"[1, 0, 0]", 0.0, 0.3, {1.0, 0.8}},        {"[1, 0, 0]", M_PI, 0.3, {1.0, 0.8}},
                 {"[1, 0, 0]", 0.5 * M_PI, 0.4, {0.6, 1.0}}, {"[1, 0, 0]", -0.5 * M_PI, 0.4, {0.6, 1.0}},
                 {"[0, 1, 0]", 0.5 * M_PI, 0.5, {0.8, 0.6}}, {"[0, 1, 0]", -0.5 * M_PI, 0.5, {0.8, 0.6}}};
    for (int k = 0; k < 6; k++) {
        for (int box_first = 0; box_first < 2; box_first++) {
            char box[300], plane[100];
            snprintf(plane, sizeof plane, "  ramp: {fixed: true, shape: {plane: [0, %.17g, %.17g]}}\n", sin(0.3),
                     cos(0.3));
            snprintf(box, sizeof box,
                     "  box: {position: [0, %.17g, %.17g], rotation: {axis: [1, 0, 0], angle: -0.3}, "
                     "shape: {box: [1, 0.8, 0.6], rotation: {axis: %s, angle: %.17g}}}\n",
                     faces[k].height * sin(0.3), faces[k].height * cos(0.3), faces[k].axis, faces[k].angle);
            scenario s = scenario_open("step: 10 ms\nmaterials: {default: {density: 8}}\n"
                                       "pairs: [{materials: [default, default], friction: 0.8, damping: 1, "
                                       "foundation: {modulus: 1e7, depth: 2, elements: 5}}]\n"
                                       "bodies:\n%s%s",
                                       box_first ? box : plane, box_first ? plane : box);
            scenario_step(&s);
            check_tiles(&s, 5, faces[k].size, box_first ? 1.0 : -1.0);
            scenario_close(&s);
        }
    }
}

// Of a box that spins: at the step's start, as point, normal and gap. And what is no element has none.
static void test_at_the_start_of_the_step(void **unused)
{
    scenario s = scenario_open("step: 10 ms\nlaw: frictionless\n"
                               "materials: {default: {density: 8}, hard: {density: 8}}\n"
                               "pairs: [{materials: [default, default], damping: 1, foundation: {modulus: 1e7, "
                               "depth: 2, elements: 4}}]\n"
                               "bodies:\n"
                               "  floor: {fixed: true, shape: {plane: {}}}\n"
                               "  box: {position: [0, 0, 0.3], angular_velocity: [0, 0, 2], shape: {box: [1, 0.8, "
                               "0.6]}}\n"
                               "  ball: {position: [3, 0, 0.1], material: hard, shape: {sphere: 0.1}}\n");
    for (int k = 0; k < 20; k++) {
        double position[3], q[4], off = 0.0, edge[3];
        int elements = 0, others = 0;
        tn_state_body_pose(s.state, 2, position, q);
        scenario_step(&s);
        for (int i = 0; i < tn_sim_contact_count(s.sim); i++) {
            tn_contact_info c;
            tn_sim_contact(s.sim, i, &c);
            if (c.body_b == 3) {
                assert_true(area_of(&c) == 0.0);
                others++;
                continue;
            }
            tn_quat_rotate(edge, q, (const double[3]){0.0, 0.2, 0.0});
            tn_vec3_sub(edge, edge, c.patch[1]);
            off = fmax(off, tn_vec3_norm(edge));
            elements++;
        }
        assert_int_equal(elements, 16);
        assert_int_equal(others, 1);
        assert_true(off < 1e-15);
    }
    scenario_close(&s);
}

// A run that goes on from a checkpoint has the same patches and forces, to the bit.
static void test_from_a_checkpoint(void **unused)
{
    char path[64];
    tn_error error = {0};
    snprintf(path, sizeof path, "foundation_pressure_%d.ckpt", (int)getpid());
    scenario whole = gallery_open("compliant/foundation.yaml", 0, NULL);
    scenario later = gallery_open("compliant/foundation.yaml", 0, NULL);
    scenario_steps(&whole, 7);
    assert_int_equal(tn_state_save(whole.state, path, &error), TN_OK);
    assert_int_equal(tn_state_load(later.state, path, &error), TN_OK);
    remove(path);
    for (int k = 0; k < 5; k++) {
        scenario_step(&whole);
        scenario_step(&later);
        assert_int_equal(tn_sim_contact_count(later.sim), 100);
        for (int i = 0; i < 100; i++) {
            tn_contact_info a = {0}, b = {0};
            tn_sim_contact(whole.sim, i, &a);
            tn_sim_contact(later.sim, i, &b);
            assert_memory_equal(a.patch, b.patch, sizeof a.patch);
            assert_memory_equal(a.force, b.force, sizeof a.force);
            assert_true(fabs(area_of(&a) - 0.01) < 1e-15);
        }
    }
    scenario_close(&whole);
    scenario_close(&later);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_even_load),
        cmocka_unit_test(test_of_forces_at_rest),
        cmocka_unit_test(test_tilted_load),
        cmocka_unit_test(test_on_each_face),
        cmocka_unit_test(test_at_the_start_of_the_step),
        cmocka_unit_test(test_from_a_checkpoint),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
