// A recording read back is what was recorded, to the last bit; what must not be overwritten is not; no memory is an
// error like any other.
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/memory.h"
#include "recorded.h"

enum { N_STEPS = 250 };

static const char scene_text[] = "title: Two balls\n"
                                 "step: 5 ms\n"
                                 "seed: 18446744073709551615\n"
                                 "record: {precision: double}\n"
                                 "bodies:\n"
                                 "  ground: {fixed: true, shape: {plane: [0, 0, 1]}}\n"
                                 "  low: {position: [0, 0, 0.1], shape: {sphere: 0.1}}\n"
                                 "  high: {position: [0.05, 0, 0.5], velocity: [0.1, 0, 0], shape: {sphere: 0.1}}\n"
                                 "  legs: {position: [2, 0, 0.2], shape: {box: [0.2, 0.2, 0.2]},\n"
                                 "    contact_points: [[0.1, 0, -0.1], [-0.1, 0.1, -0.1], [-0.1, -0.1, -0.1]]}\n";

typedef struct fixture {
    char path[64];
    scenario s;
} fixture;

static int setup(void **context)
{
    fixture *f = calloc(1, sizeof *f);
    tn_error error = {0};
    tn_scene *scene = tn_scene_parse(scene_text, "two balls", 1, (const char *[]){"step=5 ms"}, &error);
    assert_non_null(scene);
    f->s = scenario_start(scene, "two balls");
    snprintf(f->path, sizeof f->path, "trajectory_test_%d.h5", (int)getpid());
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

typedef struct frame {
    double time, poses[5][7], velocities[5][6], natural, kinetic;
    int n_contacts;
    tn_contact_info contacts[16];
} frame;

static void remember(const fixture *f, const tn_step_report *report, frame *out)
{
    out->time = tn_state_time(f->s.state);
    for (int b = 0; b < 5; b++) {
        tn_state_body_pose(f->s.state, b, out->poses[b], out->poses[b] + 3);
        tn_state_body_velocity(f->s.state, b, out->velocities[b], out->velocities[b] + 3);
    }
    out->natural = report->solve.certificate.natural;
    out->kinetic = report->energy.kinetic;
    out->n_contacts = tn_sim_contact_count(f->s.sim);
    assert_true(out->n_contacts <= 16);
    for (int k = 0; k < out->n_contacts; k++) {
        tn_sim_contact(f->s.sim, k, &out->contacts[k]);
    }
}

static void record_run(fixture *f, frame *frames)
{
    tn_error error = {0};
    tn_recorder *recorder = recorded_open(&f->s, f->path);
    assert_int_equal(tn_recorder_append(recorder, f->s.sim, f->s.state, NULL, &error), TN_OK);
    for (int k = 0; k < N_STEPS; k++) {
        recorded_step(&f->s, recorder);
        remember(f, &f->s.report, &frames[k]);
    }
    assert_int_equal(tn_recorder_close(recorder, &error), TN_OK);
}

static void rows(const tn_recording *r, const char *column, long first, long n, double *out)
{
    tn_error error = {0};
    assert_int_equal(tn_recording_rows(r, column, first, n, out, &error), TN_OK);
}

static void compare_contacts(const tn_recording *r, int k, const frame *expected)
{
    double offset[2];
    rows(r, "contacts/offset", k + 1, 2, offset);
    assert_int_equal((int)(offset[1] - offset[0]), expected->n_contacts);
    for (int c = 0; c < expected->n_contacts; c++) {
        double force[3], bodies[2], gap;
        rows(r, "contacts/force", (long)offset[0] + c, 1, force);
        rows(r, "contacts/bodies", (long)offset[0] + c, 1, bodies);
        rows(r, "contacts/gap", (long)offset[0] + c, 1, &gap);
        assert_memory_equal(force, expected->contacts[c].force, sizeof force);
        assert_int_equal((int)bodies[0], expected->contacts[c].body_a);
        assert_int_equal((int)bodies[1], expected->contacts[c].body_b);
        assert_memory_equal(&gap, &expected->contacts[c].gap, sizeof gap);
    }
}

static void test_round_trip(void **context)
{
    fixture *f = *context;
    frame *frames = calloc(N_STEPS, sizeof *frames);
    assert_non_null(frames);
    record_run(f, frames);
    tn_recording *r = recorded_read(f->path);
    assert_int_equal(r->n_frames, N_STEPS + 1);
    assert_int_equal(r->n_bodies, 5);
    assert_string_equal(r->scene, tn_scene_text(tn_model_scene(f->s.model)));
    assert_string_equal(r->title, "Two balls");
    assert_true(r->seed == UINT64_MAX);
    assert_int_equal(r->n_overrides, 1);
    assert_string_equal(r->overrides[0], "step=5 ms");
    assert_int_equal(tn_recording_find_body(r, "high"), 3);
    assert_int_equal(tn_recording_find_body(r, "nobody"), -1);
    int n_contacts = 0;
    for (int k = 0; k < N_STEPS; k++) {
        frame got = {0};
        rows(r, "time", k + 1, 1, &got.time);
        rows(r, "poses", k + 1, 1, &got.poses[0][0]);
        rows(r, "velocities", k + 1, 1, &got.velocities[0][0]);
        rows(r, "energy/kinetic", k + 1, 1, &got.kinetic);
        assert_memory_equal(&got.time, &frames[k].time, sizeof got.time);
        assert_memory_equal(got.poses, frames[k].poses, sizeof got.poses);
        assert_memory_equal(got.velocities, frames[k].velocities, sizeof got.velocities);
        assert_memory_equal(&got.kinetic, &frames[k].kinetic, sizeof got.kinetic);
        compare_contacts(r, k, &frames[k]);
        n_contacts += frames[k].n_contacts;
    }
    print_message("%d frames, %d contacts, all the same to the last bit\n", N_STEPS, n_contacts);
    assert_true(n_contacts > N_STEPS);
    tn_recording_close(r);
    free(frames);
}

// Shapes sit in the body's own frame as the scene places them.
static void test_shapes(void **context)
{
    fixture *f = *context;
    tn_error error = {0};
    tn_recorder *recorder = recorded_open(&f->s, f->path);
    assert_int_equal(tn_recorder_close(recorder, &error), TN_OK);
    tn_recording *r = recorded_read(f->path);
    assert_int_equal(r->n_frames, 0);
    int n_points = 0, n_spheres = 0;
    for (int k = 0; k < r->n_shapes; k++) {
        const tn_recorded_shape *shape = &r->shapes[k];
        n_spheres += shape->shape.kind == TN_SHAPE_SPHERE && fabs(shape->shape.size[0] - 0.1) < 1e-15;
        if (shape->shape.kind == TN_SHAPE_POINTS) {
            n_points += shape->shape.n_points;
            assert_string_equal(r->names[shape->body], "legs");
        }
    }
    assert_int_equal(n_spheres, 2);
    assert_int_equal(n_points, 3);
    double time[2];
    assert_int_equal(tn_recording_rows(r, "time", 0, r->n_frames < 2 ? r->n_frames : 2, time, &error), TN_OK);
    const tn_column_room rooms[] = {{"no/such/column", NULL}, {"no/such/column", time}};
    assert_int_equal(tn_recording_row(r, 0, 1, rooms, &error), TN_OK);
    assert_int_equal(tn_recording_row(r, 0, 2, rooms, &error), TN_BAD_INPUT);
    assert_int_equal(tn_recording_rows(r, "time", 0, 1, &(double){0.0}, &error), TN_BAD_INPUT);
    assert_int_equal(tn_recording_rows(r, "time", -1, 0, &(double){0.0}, &error), TN_BAD_INPUT);
    tn_recording_close(r);
}

static void test_overwriting(void **context)
{
    fixture *f = *context;
    tn_error error = {0};
    for (int k = 0; k < 2; k++) { // a recording gives way to a recording
        tn_recorder *recorder = recorded_open(&f->s, f->path);
        assert_int_equal(tn_recorder_close(recorder, &error), TN_OK);
    }
    FILE *out = fopen(f->path, "wb"); // anything else does not
    assert_non_null(out);
    fputs("my thesis", out);
    fclose(out);
    assert_null(tn_recorder_create(f->path, f->s.model, &error));
    assert_non_null(strstr(error.message, "no recording of ours"));
    hid_t other = H5Fcreate(f->path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(other >= 0);
    H5Fclose(other);
    assert_null(tn_recorder_create(f->path, f->s.model, &error));
    assert_non_null(strstr(error.message, "no recording of ours"));
    assert_null(tn_recorder_create(".", f->s.model, &error));
    assert_non_null(strstr(error.message, "folder"));
    assert_null(tn_recorder_create("/dev/null", f->s.model, &error));
    assert_non_null(strstr(error.message, "not a regular file"));
    assert_null(tn_recorder_create("no/such/folder/a.h5", f->s.model, &error));
    assert_int_equal(error.status, TN_IO);
}

static off_t size_of(const char *path)
{
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    return info.st_size;
}

// A reader that holds the file does not end the run: the frames wait, and the file does not grow.
static void test_reader_in_the_way(void **context)
{
    fixture *f = *context;
    tn_error error = {0};
    tn_recorder *recorder = recorded_open(&f->s, f->path);
    tn_recording *r = recorded_read(f->path);
    const off_t size = size_of(f->path);
    for (int k = 0; k < 2 * N_STEPS; k++) {
        assert_int_equal(tn_recorder_append(recorder, f->s.sim, f->s.state, NULL, &error), TN_OK);
        if (k % 100 == 0) {
            usleep(110000); // longer than the least time between two flushes
        }
    }
    assert_int_equal(size_of(f->path), size);
    tn_recording_close(r);
    assert_int_equal(tn_recorder_close(recorder, &error), TN_OK);
    r = recorded_read(f->path);
    assert_int_equal(r->n_frames, 2 * N_STEPS);
    tn_recording_close(r);
}

// The file vanishes under the writer: an error once, and again for every later frame; closing frees everything.
static void test_file_lost(void **context)
{
    fixture *f = *context;
    tn_error error = {0};
    tn_recorder *recorder = recorded_open(&f->s, f->path);
    assert_int_equal(tn_recorder_append(recorder, f->s.sim, f->s.state, NULL, &error), TN_OK);
    remove(f->path);
    assert_int_equal(tn_recorder_close(recorder, &error), TN_IO);
    assert_non_null(strstr(error.message, "moved, or another program keeps it locked"));
}

// Two runs write to one file: the one that comes later to a flush fails, the other's frames are whole.
static void test_file_taken_over(void **context)
{
    fixture *f = *context;
    tn_error error = {0};
    tn_recorder *first = tn_recorder_create(f->path, f->s.model, &error);
    tn_recorder *second = tn_recorder_create(f->path, f->s.model, &error);
    assert_true(first && second);
    assert_int_equal(tn_recorder_append(first, f->s.sim, f->s.state, NULL, &error), TN_OK);
    assert_int_equal(tn_recorder_append(second, f->s.sim, f->s.state, NULL, &error), TN_OK);
    assert_int_equal(tn_recorder_append(second, f->s.sim, f->s.state, NULL, &error), TN_OK);
    assert_int_equal(tn_recorder_close(second, &error), TN_OK);
    assert_int_equal(tn_recorder_close(first, &error), TN_IO);
    assert_non_null(strstr(error.message, "another run writes to the same file"));
    tn_recording *r = recorded_read(f->path);
    assert_int_equal(r->n_frames, 2);
    tn_recording_close(r);
}

// While somebody has it open a recording is not written over, and stays what it is.
static void test_file_in_use(void **context)
{
    fixture *f = *context;
    tn_error error = {0};
    tn_recorder *first = recorded_open(&f->s, f->path);
    assert_int_equal(tn_recorder_append(first, f->s.sim, f->s.state, NULL, &error), TN_OK);
    assert_int_equal(tn_recorder_close(first, &error), TN_OK);
    tn_recording *r = recorded_read(f->path);
    const off_t size = size_of(f->path);
    assert_null(tn_recorder_create(f->path, f->s.model, &error));
    assert_non_null(strstr(error.message, "another program reads or writes it (a viewer?): end that"));
    assert_int_equal(size_of(f->path), size);
    tn_recording_close(r);
    first = recorded_open(&f->s, f->path);
    assert_int_equal(tn_recorder_close(first, &error), TN_OK);
}

// Programs that look at the file just when a run begins or ends (a plot that follows it) are waited for.
static void test_reader_at_the_wrong_time(void **context)
{
    fixture *f = *context;
    tn_error error = {0};
    const tn_note note = {"planned_time", NULL, 1.0};
    tn_recorder *recorder = recorded_open(&f->s, f->path);
    assert_int_equal(tn_recorder_append(recorder, f->s.sim, f->s.state, NULL, &error), TN_OK);
    assert_int_equal(tn_recorder_close(recorder, &error), TN_OK);
    for (int begins = 0; begins < 2; begins++) {
        int go[2];
        assert_int_equal(pipe(go), 0);
        pid_t reader = fork();
        assert_true(reader >= 0);
        if (reader == 0) {
            int file = open(f->path, O_RDONLY);
            bool told = file >= 0 && flock(file, LOCK_SH) == 0 && write(go[1], "x", 1) == 1;
            nanosleep(&(struct timespec){.tv_nsec = 200000000}, NULL);
            _exit(told ? 0 : 1);
        }
        char x;
        assert_int_equal(read(go[0], &x, 1), 1);
        if (begins) {
            recorder = recorded_open(&f->s, f->path);
            assert_int_equal(tn_recorder_close(recorder, &error), TN_OK);
        } else {
            assert_int_equal(tn_recording_note(f->path, 1, &note, &error), TN_OK);
        }
        int how;
        assert_int_equal(waitpid(reader, &how, 0), reader);
        assert_int_equal(how, 0);
        close(go[0]);
        close(go[1]);
    }
}

// Somebody else's file that is just being written is waited for, and left alone.
static void test_other_file_being_written(void **context)
{
    fixture *f = *context;
    tn_error error = {0};
    int go[2], how;
    char x;
    assert_int_equal(pipe(go), 0);
    pid_t writer = fork();
    assert_true(writer >= 0);
    if (writer == 0) {
        hid_t file = H5Fcreate(f->path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
        hid_t group = H5Gcreate2(file, "theirs", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
        bool told = group >= 0 && write(go[1], "x", 1) == 1;
        nanosleep(&(struct timespec){.tv_nsec = 100000000}, NULL);
        _exit(told && H5Gclose(group) >= 0 && H5Fclose(file) >= 0 ? 0 : 1);
    }
    assert_int_equal(read(go[0], &x, 1), 1);
    assert_null(tn_recorder_create(f->path, f->s.model, &error));
    assert_non_null(strstr(error.message, "no recording of ours"));
    assert_int_equal(waitpid(writer, &how, 0), writer);
    assert_int_equal(how, 0);
    hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(file >= 0 && H5Lexists(file, "theirs", H5P_DEFAULT) > 0);
    assert_true(H5Fclose(file) >= 0);
    close(go[0]);
    close(go[1]);
}

// Every request for memory fails once: an error and no leak (the sanitizer build looks).
static void test_no_memory(void **context)
{
    fixture *f = *context;
    int n_failed = 0;
    for (long k = 0; k < 1000; k++) {
        tn_error error = {0};
        tn_memory_fail_after(k);
        tn_recorder *recorder = tn_recorder_create(f->path, f->s.model, &error);
        tn_status status = recorder ? tn_recorder_append(recorder, f->s.sim, f->s.state, NULL, &error) : TN_IO;
        tn_recorder_close(recorder, NULL);
        tn_recording *r = status == TN_OK ? tn_recording_open(f->path, &error) : NULL;
        tn_memory_fail_after(-1);
        bool whole = r != NULL;
        tn_recording_close(r);
        if (whole) {
            break;
        }
        n_failed++;
        assert_true(error.message[0] != '\0');
        remove(f->path);
    }
    print_message("%d requests failed in turn\n", n_failed);
    assert_in_range(n_failed, 20, 999);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_round_trip, setup, teardown),
        cmocka_unit_test_setup_teardown(test_shapes, setup, teardown),
        cmocka_unit_test_setup_teardown(test_overwriting, setup, teardown),
        cmocka_unit_test_setup_teardown(test_reader_in_the_way, setup, teardown),
        cmocka_unit_test_setup_teardown(test_file_lost, setup, teardown),
        cmocka_unit_test_setup_teardown(test_file_taken_over, setup, teardown),
        cmocka_unit_test_setup_teardown(test_file_in_use, setup, teardown),
        cmocka_unit_test_setup_teardown(test_reader_at_the_wrong_time, setup, teardown),
        cmocka_unit_test_setup_teardown(test_other_file_being_written, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_memory, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
