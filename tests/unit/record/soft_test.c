// Soft bodies in recordings: nodes, meshes, strain energy and stress come back as they were; what is broken is said.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/memory.h"
#include "record/export.h"
#include "record/soft_columns.h"
#include "recorded.h"
#include "sim/sim.h"
#include "state/state.h"

enum { N_STEPS = 20 };

// One hangs from a moving hand, one flies and turns; young and poisson differ.
static const char scene_text[] =
    "title: Two soft blocks\n"
    "step: 5 ms\n"
    "record: {stress: true, precision: double}\n"
    "bodies:\n"
    "  hand: {motion: {position: [0, 0, '0.1*t'], angle: 't'}}\n"
    "  box: {position: [3, 0, 0.1], shape: {box: [0.2, 0.2, 0.2]}}\n"
    "soft:\n"
    "  hung: {grid: {size: [0.1, 0.1, 0.3], divisions: [1, 1, 3]}, young: 50 kPa, poisson: 0.3,\n"
    "    attach: [{to: hand, where: {box: {low: [-1, -1, 0.149], high: [1, 1, 1]}}}]}\n"
    "  flying: {grid: {size: [0.1, 0.2, 0.1], divisions: [1, 2, 1]}, young: 80 kPa, poisson: 0.4, position: [1, 0, "
    "2],\n"
    "    velocity: [0, 1, 0], angular_velocity: [1, 2, 3]}\n";

typedef struct fixture {
    char path[64];
    scenario s;
} fixture;

static int setup(void **context)
{
    fixture *f = calloc(1, sizeof *f);
    f->s = scenario_open(scene_text);
    snprintf(f->path, sizeof f->path, "soft_test_%d.h5", (int)getpid());
    *context = f;
    return 0;
}

static int teardown(void **context)
{
    fixture *f = *context;
    remove(f->path);
    scenario_close(&f->s);
    free(f);
    return 0;
}

static void rows(const tn_recording *r, const char *column, long first, double *out)
{
    tn_error error = {0};
    tn_status status = tn_recording_rows(r, column, first, 1, out, &error);
    if (status != TN_OK) {
        print_message("%s\n", error.message);
    }
    assert_int_equal(status, TN_OK);
}

// What a frame is compared with.
typedef struct frame {
    double *x, *v; // (n_nodes, 3)
    double elastic;
} frame;

static void record_run(fixture *f, frame *frames)
{
    tn_error error = {0};
    size_t n = 3 * (size_t)f->s.model->n_nodes;
    tn_recorder *recorder = recorded_open(&f->s, f->path);
    assert_int_equal(tn_recorder_append(recorder, f->s.sim, f->s.state, NULL, &error), TN_OK);
    for (int k = 0; k < N_STEPS; k++) {
        recorded_step(&f->s, recorder);
        frames[k] = (frame){calloc(n, sizeof(double)), calloc(n, sizeof(double)), f->s.report.energy.elastic};
        assert_true(frames[k].x && frames[k].v);
        memcpy(frames[k].x, f->s.state->x, n * sizeof(double));
        for (int i = 0; i < f->s.model->n_nodes; i++) {
            tn_state_node_velocity(f->s.state, i, f->s.state->v, frames[k].v + 3 * i);
        }
    }
    assert_int_equal(tn_recorder_close(recorder, &error), TN_OK);
}

// Worst difference of two arrays.
static double worst_of(const double *a, const double *b, size_t n)
{
    double worst = 0.0;
    for (size_t k = 0; k < n; k++) {
        worst = fmax(worst, fabs(a[k] - b[k]));
    }
    return worst;
}

// Nodes to the last bit; velocities of attached nodes, of order 1 m/s, to rounding; energies against the step's report.
static void test_frames(void **context)
{
    fixture *f = *context;
    frame frames[N_STEPS];
    record_run(f, frames);
    tn_recording *r = recorded_read(f->path);
    assert_int_equal(r->n_frames, N_STEPS + 1);
    size_t n = 3 * (size_t)f->s.model->n_nodes;
    double *got = calloc(n, sizeof *got), worst_v = 0.0, worst_energy = 0.0, most = 0.0;
    assert_non_null(got);
    for (int k = 0; k < N_STEPS; k++) {
        double energy[2];
        rows(r, "soft/positions", k + 1, got);
        assert_memory_equal(got, frames[k].x, n * sizeof(double));
        rows(r, "soft/velocities", k + 1, got);
        worst_v = fmax(worst_v, worst_of(got, frames[k].v, n));
        rows(r, "soft/energy", k + 1, energy);
        worst_energy = fmax(worst_energy, fabs(energy[0] + energy[1] - frames[k].elastic));
        most = fmax(most, frames[k].elastic);
        assert_true(energy[0] > 0.0 && energy[1] > 0.0);
        free(frames[k].x);
        free(frames[k].v);
    }
    print_message(
        "velocities differ by at most %.1e m/s, limit 1e-14 (rounding); energy by %.1e of %.3g J, limit 1e-14\n",
        worst_v, worst_energy, most);
    assert_true(worst_v <= 1e-14 && worst_energy <= 1e-14 * most);
    free(got);
    tn_recording_close(r);
}

// The rows of poses and velocities of a soft body are its center of mass's; contacts and names count on.
static void test_bodies(void **context)
{
    fixture *f = *context;
    frame frames[N_STEPS];
    record_run(f, frames);
    for (int k = 0; k < N_STEPS; k++) {
        free(frames[k].x);
        free(frames[k].v);
    }
    tn_recording *r = recorded_read(f->path);
    assert_int_equal(r->n_bodies, 5);
    assert_int_equal(tn_recording_find_body(r, "hung"), 3);
    assert_int_equal(tn_recording_find_body(r, "flying"), 4);
    assert_int_equal(r->kinds[4], TN_RECORDED_SOFT);
    double poses[5][7], velocities[5][6], pose[7], velocity[6];
    rows(r, "poses", N_STEPS, &poses[0][0]);
    rows(r, "velocities", N_STEPS, &velocities[0][0]);
    for (int body = 0; body < 5; body++) {
        tn_state_body_pose(f->s.state, body, pose, pose + 3);
        tn_state_body_velocity(f->s.state, body, velocity, velocity + 3);
        double worst = fmax(worst_of(pose, poses[body], 7), worst_of(velocity, velocities[body], 6));
        print_message("%s: differs by at most %.1e, limit 1e-13 (sums of 24 nodes)\n", r->names[body], worst);
        assert_true(body < 3 ? worst == 0.0 : worst <= 1e-13);
    }
    tn_recording_close(r);
}

static void test_meshes(void **context)
{
    fixture *f = *context;
    const tn_model *model = f->s.model;
    tn_error error = {0};
    tn_recorder *recorder = recorded_open(&f->s, f->path);
    assert_int_equal(tn_recorder_close(recorder, &error), TN_OK);
    tn_recording *r = recorded_read(f->path);
    assert_int_equal(r->n_softs, 2);
    assert_int_equal(r->n_nodes, model->n_nodes);
    assert_int_equal(r->n_tets, model->n_tets);
    assert_int_equal(r->n_faces, model->n_faces);
    assert_memory_equal(r->rest, model->node_rest, 3 * (size_t)model->n_nodes * sizeof(double));
    assert_memory_equal(r->tets, model->tets, 4 * (size_t)model->n_tets * sizeof(int));
    assert_memory_equal(r->faces, model->faces, 3 * (size_t)model->n_faces * sizeof(int));
    for (int s = 0; s < 2; s++) {
        const tn_recorded_soft *got = &r->softs[s];
        const tn_model_soft *soft = &model->softs[s];
        assert_int_equal(got->body, model->n_bodies + s);
        assert_int_equal(got->first_node, soft->first_node);
        assert_int_equal(got->n_tets, soft->n_tets);
        assert_int_equal(got->n_faces, soft->n_faces);
        assert_true(got->young == soft->description->young && got->poisson == soft->description->poisson &&
                    got->density == soft->description->density);
    }
    int n_attached = 0;
    for (int i = 0; i < r->n_nodes; i++) {
        n_attached += r->attached[i] == 1;
        assert_true(r->attached[i] == 1 || r->attached[i] == -1);
    }
    assert_int_equal(n_attached, 4); // the upper face of one cell
    tn_recording_close(r);
}

// A block stretched along x by e is without turning, so the stress is lambda e, and lambda e + 2 mu e along x.
static void test_stress(void **context)
{
    fixture *f = *context;
    const tn_model *model = f->s.model;
    const tn_model_soft *soft = &model->softs[1];
    tn_error error = {0};
    const double e = 0.01, young = 80e3, nu = 0.4;
    double mu = young / (2.0 * (1.0 + nu)), lambda = 2.0 * mu * nu / (1.0 - 2.0 * nu);
    for (int i = soft->first_node; i < soft->first_node + soft->n_nodes; i++) {
        f->s.state->x[3 * i] = (1.0 + e) * model->node_rest[3 * i];
    }
    tn_recorder *recorder = recorded_open(&f->s, f->path);
    assert_int_equal(tn_recorder_append(recorder, NULL, f->s.state, NULL, &error), TN_OK);
    assert_int_equal(tn_recorder_close(recorder, &error), TN_OK);
    tn_recording *r = recorded_read(f->path);
    assert_true(r->has_stress);
    double *stress = calloc(6 * (size_t)model->n_tets, sizeof *stress), energy[2], worst = 0.0;
    assert_non_null(stress);
    rows(r, "soft/stress", 0, stress);
    rows(r, "soft/energy", 0, energy);
    const double exact[6] = {(lambda + 2.0 * mu) * e, lambda * e, lambda * e, 0.0, 0.0, 0.0};
    for (int t = soft->first_tet; t < soft->first_tet + soft->n_tets; t++) {
        worst = fmax(worst, worst_of(stress + 6 * t, exact, 6) / exact[0]);
    }
    double exact_energy = 0.5 * exact[0] * e * soft->volume, off = fabs(energy[1] / exact_energy - 1.0);
    print_message("stress off by %.1e of %.4g Pa, limit 1e-7 (float32); energy by %.1e, limit 1e-12\n", worst, exact[0],
                  off);
    assert_true(worst < 1e-7 && off < 1e-12 && energy[0] < 1e-20);
    free(stress);
    tn_recording_close(r);
}

// A recording without soft bodies of the first format opens as ever.
static void test_first_format(void **context)
{
    fixture *f = *context;
    tn_error error = {0};
    tn_scene *scene = tn_scene_parse("bodies: {a: {shape: {sphere: 1}}}", "ball", 0, NULL, &error);
    tn_model *model = scene ? tn_model_create(scene, &error) : NULL;
    assert_non_null(model);
    tn_recorder *recorder = tn_recorder_create(f->path, model, &error);
    assert_non_null(recorder);
    assert_int_equal(tn_recorder_close(recorder, &error), TN_OK);
    hid_t file = H5Fopen(f->path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t version = file < 0 ? -1 : H5Aopen(file, "format_version", H5P_DEFAULT);
    assert_true(version >= 0 && H5Awrite(version, H5T_NATIVE_INT64, &(int64_t){1}) >= 0);
    assert_true(H5Lexists(file, "soft", H5P_DEFAULT) == 0);
    H5Aclose(version);
    H5Fclose(file);
    tn_recording *r = recorded_read(f->path);
    assert_int_equal(r->n_softs, 0);
    assert_int_equal(r->n_bodies, 2);
    tn_recording_close(r);
    tn_model_destroy(model);
}

// Overwrites one number of a static dataset.
static void spoil(const fixture *f, const char *path, hsize_t place, int64_t value)
{
    hid_t file = H5Fopen(f->path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t dataset = file < 0 ? -1 : H5Dopen2(file, path, H5P_DEFAULT);
    hid_t space = dataset < 0 ? -1 : H5Dget_space(dataset);
    hsize_t dims[3] = {0};
    assert_true(space >= 0);
    int n_dims = H5Sget_simple_extent_dims(space, dims, NULL);
    hsize_t coordinate[2] = {n_dims == 2 ? place / dims[1] : place, n_dims == 2 ? place % dims[1] : 0};
    hid_t memory = H5Screate(H5S_SCALAR);
    assert_true(H5Sselect_elements(space, H5S_SELECT_SET, 1, coordinate) >= 0);
    assert_true(H5Dwrite(dataset, H5T_NATIVE_INT64, memory, space, H5P_DEFAULT, &value) >= 0);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(dataset);
    H5Fclose(file);
}

static void test_broken(void **context)
{
    fixture *f = *context;
    const struct {
        const char *path;
        hsize_t place;
        int64_t value;
    } spoils[] = {{"soft/tets", 5, 9999},    {"soft/tets", 0, 20},        {"soft/faces", 2, -1},
                  {"soft/attached", 0, 3},   {"soft/node_offset", 1, 99}, {"soft/body", 0, 2},
                  {"soft/tet_offset", 2, 1}, {"soft/young", 1, -5},       {"soft/poisson", 0, 1}};
    for (size_t k = 0; k < sizeof spoils / sizeof *spoils; k++) {
        tn_error error = {0};
        tn_recorder *recorder = recorded_open(&f->s, f->path);
        assert_int_equal(tn_recorder_close(recorder, &error), TN_OK);
        spoil(f, spoils[k].path, spoils[k].place, spoils[k].value);
        assert_null(tn_recording_open(f->path, &error));
        print_message("%s[%d] = %d: %s\n", spoils[k].path, (int)spoils[k].place, (int)spoils[k].value, error.message);
        assert_non_null(strstr(error.message, "'soft' is missing, malformed or damaged"));
    }
}

// Every request for memory fails once, from the recorder to the exports: an error and no leak.
static void test_no_memory(void **context)
{
    fixture *f = *context;
    char folder[80], csv[160];
    snprintf(folder, sizeof folder, "soft_test_%d", (int)getpid());
    snprintf(csv, sizeof csv, "%s/a.csv", folder);
    int n_failed = 0;
    for (long k = 0; k < 2000; k++) {
        tn_error error = {0};
        long n_written;
        tn_memory_fail_after(k);
        tn_recorder *recorder = tn_recorder_create(f->path, f->s.model, &error);
        tn_status status = recorder ? tn_recorder_append(recorder, f->s.sim, f->s.state, NULL, &error) : TN_IO;
        tn_recorder_close(recorder, NULL);
        tn_recording *r = status == TN_OK ? tn_recording_open(f->path, &error) : NULL;
        status = r ? tn_export_vtk(r, folder, "a", 1, &n_written, &error) : TN_IO;
        status = status == TN_OK ? tn_export_csv(r, csv, 1, &error) : status;
        tn_memory_fail_after(-1);
        tn_recording_close(r);
        if (status == TN_OK) {
            break;
        }
        n_failed++;
        assert_true(error.message[0] != '\0');
    }
    print_message("%d requests failed in turn\n", n_failed);
    assert_in_range(n_failed, 60, 1999);
    const char *const files[] = {
        "a.pvd", "a_contacts.pvd", "a_soft.pvd", "a_000000.vtu", "a_contacts_000000.vtu", "a_soft_000000.vtu", "a.csv"};
    for (size_t k = 0; k < sizeof files / sizeof *files; k++) {
        char path[160];
        snprintf(path, sizeof path, "%s/%s", folder, files[k]);
        assert_int_equal(remove(path), 0);
    }
    assert_int_equal(rmdir(folder), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_frames, setup, teardown),
        cmocka_unit_test_setup_teardown(test_bodies, setup, teardown),
        cmocka_unit_test_setup_teardown(test_meshes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_stress, setup, teardown),
        cmocka_unit_test_setup_teardown(test_first_format, setup, teardown),
        cmocka_unit_test_setup_teardown(test_broken, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_memory, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
