// FCLIB files: what the reader makes of each layout, the round trip to the last bit, and the stored problems of other
// projects (tests/problems/fclib).
#include "problem/fclib.h"

#include "base/memory.h"
#include "problem/certificate.h"
#include "problem/problem.h"
#include "test.h"

#include <hdf5.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

// More memory requests than the calls under test make; some (the arena's notes for its report) may fail unseen.
enum { REQUESTS = 80 };

typedef struct fixture {
    tn_arena *arena;
    char path[64];
    tn_error error;
} fixture;

static int setup(void **state)
{
    static fixture f; // one test at a time
    f = (fixture){.arena = tn_arena_create(0)};
    snprintf(f.path, sizeof f.path, "/tmp/tenon_fclib_%ld.hdf5", (long)getpid());
    *state = &f;
    return f.arena ? 0 : -1;
}

static int teardown(void **state)
{
    fixture *f = *state;
    unlink(f->path);
    tn_arena_destroy(f->arena);
    return 0;
}

static void assert_same_bits(const char *what, const double *a, const double *b, size_t count)
{
    if (memcmp(a, b, count * sizeof *a) != 0) {
        fail_msg("%s differs", what);
    }
}

static void assert_same_blocks(const char *what, const tn_blocks *a, const tn_blocks *b)
{
    assert_int_equal(a->n_rows, b->n_rows);
    assert_int_equal(a->n_cols, b->n_cols);
    assert_memory_equal(a->start, b->start, ((size_t)a->n_rows + 1) * sizeof(int));
    assert_memory_equal(a->column, b->column, (size_t)a->start[a->n_rows] * sizeof(int));
    assert_same_bits(what, a->value, b->value, 9 * (size_t)a->start[a->n_rows]);
}

static void assert_same_problem(const tn_problem *a, const tn_problem *b)
{
    const tn_rows *ca = a->rows;
    const tn_rows *cb = b->rows;
    size_t n = (size_t)ca->n_triples;
    assert_int_equal(ca->n_triples, cb->n_triples);
    assert_same_bits("offset", ca->offset, cb->offset, 3 * n);
    assert_same_bits("mu", ca->mu, cb->mu, 2 * n);
    assert_int_equal(a->W != NULL, b->W != NULL);
    if (a->W) {
        assert_same_blocks("W", a->W, b->W);
        return;
    }
    assert_same_blocks("A", a->A, b->A);
    assert_same_bits("b", a->b, b->b, 3 * (size_t)a->A->n_rows);
    assert_memory_equal(ca->start, cb->start, (n + 1) * sizeof(int));
    assert_memory_equal(ca->block, cb->block, (size_t)ca->start[n] * sizeof(int));
    assert_same_bits("jacobian", ca->jacobian, cb->jacobian, 9 * (size_t)ca->start[n]);
}

// ---- the stored problems

typedef struct stored {
    const char *name;
    int dimension, n_contacts, n_velocities;
} stored;

// Sizes from the files themselves (h5dump) and the public cases.
static const stored files[] = {
    {"FC3D_Example1", 3, 3, 0},
    {"FC3D_Example1_SBM", 3, 3, 0},
    {"FrictionContact3D_1c", 3, 1, 0},
    {"FrictionContact3D_RR_1c", 3, 1, 0},
    {"Rover1039", 3, 4, 0},
    {"Rover1040", 3, 5, 0},
    {"Rover1041", 3, 5, 0},
    {"Rover4144", 3, 4, 0},
    {"Rover4493", 3, 4, 0},
    {"NESpheres_10_1", 3, 9, 0},
    {"Confeti-ex03-Fc3D-SBM", 3, 54, 0},
    {"Capsules-i100-1090", 3, 276, 0},
    {"Capsules-i100-889", 3, 276, 0},
    {"Capsules-i101-404", 3, 225, 0},
    {"Capsules-i103-990", 3, 275, 0},
    {"Capsules-i125-1213", 3, 286, 0},
    {"BoxesStack-fclib-test", 3, 48, 0},
    {"ContactBench-sliding_cube", 3, 4, 0},
    {"FC2D_SliderCrankLagrangian00000", 2, 2, 0},
    {"FC2D_SliderCrankLagrangian00001", 2, 2, 0},
    {"FrictionContactProblem00031", 2, 11, 0},
    {"FrictionContactProblem00071", 2, 89, 0},
    {"FrictionContactProblem00374", 2, 28, 0},
    {"FrictionContactProblem00394", 2, 6, 0},
    {"GFC3D_Example0", 3, 1, 9},
    {"GFC3D_Example00", 3, 1, 3},
    {"GFC3D_Example00_badly_scaled", 3, 1, 3},
    {"GFC3D_Example1", 3, 1, 3},
    {"Box_Stacks-i0122-82-5", 3, 82, 450},
};

static void data_path(const char *name, char path[512])
{
    snprintf(path, 512, TENON_PROBLEMS "/fclib/%s.hdf5", name);
}

static void test_stored_problems(void **state)
{
    fixture *f = *state;
    for (size_t i = 0; i < sizeof files / sizeof *files; ++i) {
        char path[512], text[1200];
        data_path(files[i].name, path);
        tn_fclib_problem p, again;
        if (tn_fclib_read(path, f->arena, &p, &f->error) != TN_OK) {
            fail_msg("%s", tn_error_text(&f->error, text, sizeof text));
        }
        assert_int_equal(p.space_dimension, files[i].dimension);
        assert_int_equal(p.contacts.n_triples, files[i].n_contacts);
        assert_int_equal(p.n_velocities, files[i].n_velocities);
        assert_int_equal(tn_problem_check(&p.problem, &f->error), TN_OK);
        // The first writing drops nothing but HDF5's own layout; values keep their bits.
        assert_int_equal(tn_fclib_write(f->path, &p.problem, p.title, &f->error), TN_OK);
        assert_int_equal(tn_fclib_read(f->path, f->arena, &again, &f->error), TN_OK);
        assert_same_problem(&p.problem, &again.problem);
        assert_string_equal(p.title, again.title);
    }
    print_message("  %zu stored problems read, written and read again\n", sizeof files / sizeof *files);
}

static double certify_stored(fixture *f, const char *name, double *v, const double *r, int n, tn_certificate *c)
{
    char path[512];
    double lambda[64];
    data_path(name, path);
    tn_fclib_problem p;
    assert_int_equal(tn_fclib_read(path, f->arena, &p, &f->error), TN_OK);
    assert_int_equal(p.contacts.n_triples, n);
    memcpy(lambda, r, 3 * (size_t)n * sizeof *r);
    assert_int_equal(tn_certificate_compute(&p.problem, &(tn_solution){.v = v, .lambda = lambda}, true, f->arena, c),
                     TN_OK);
    return c->fclib;
}

static void check_stored(fixture *f, const char *name, double *v, const double *r, int n, double limit)
{
    tn_certificate c;
    double error = certify_stored(f, name, v, r, n, &c);
    print_message("  %-32s fclib %.2e  limit %.1e, momentum %.1e\n", name, error, limit, c.momentum);
    assert_true(error <= limit);
    assert_true(!v || c.momentum < 1e-8);
}

// Answers that the public cases give in digits (C01, C02, C08); the limits are their digits times |W|.
static void test_known_answers(void **state)
{
    fixture *f = *state;
    double s = 1.0 / sqrt(10.0);
    const double c01[9] = {1, -0.1 * s, -0.3 * s, 1, -0.1 * s, -0.3 * s, 1, -0.1 * s, -0.3 * s};
    check_stored(f, "FC3D_Example1", NULL, c01, 3, 1e-15);
    check_stored(f, "FC3D_Example1_SBM", NULL, c01, 3, 1e-15);
    double n = (1.0 + 0.1 * sqrt(10.0)) / 1.01;
    const double ccp[9] = {n, -0.1 * n * s, -0.3 * n * s, n, -0.1 * n * s, -0.3 * n * s, n, -0.1 * n * s, -0.3 * n * s};
    tn_certificate c;
    double error = certify_stored(f, "FC3D_Example1", NULL, ccp, 3, &c);
    print_message("  convex answer of C01: fclib %.4e, the public case says 9.10e-2\n", error);
    assert_true(fabs(error - 9.10e-2) < 5e-5);

    check_stored(f, "FrictionContact3D_1c", NULL, (const double[]){0.0656956829, -0.0036786149, -0.0054430708}, 1,
                 2e-9);
    check_stored(f, "FrictionContact3D_RR_1c", NULL, (const double[]){10.2058760557, 1.9318883677, 5.8107980104}, 1,
                 1e-10);
    // Global: v = M^-1 (f + H r) with M = H = I.
    double v[3] = {0.0, -1.0 + 0.0707106781, -1.0 + 0.0707106781};
    check_stored(f, "GFC3D_Example00", v, (const double[]){1, 0.0707106781, 0.0707106781}, 1, 1e-10);
    double v2[3] = {0.0, -0.9000000006, -0.99998888919640e-4};
    check_stored(f, "GFC3D_Example00_badly_scaled", v2, (const double[]){1, 0.0999999994, 1.11108036e-5}, 1, 1e-9);
    // u of the public cases; r from a Newton solution of its own (u_n = 0, |r_t| = mu r_n, r_t opposite u_t), 12
    // digits.
    double v3[3] = {2.5, 10.0 - 9.191373352136, 5.5 - 7.929507008347};
    check_stored(f, "GFC3D_Example1", v3, (const double[]){24.416121921133, 9.243567361428, 7.974535400364}, 1, 1e-12);
    assert_int_equal(certify_stored(f, "GFC3D_Example1", v3, (const double[]){24, 9, 8}, 1, &c) > 1e-4, 1);
}

// ---- written files

// Two bodies of two blocks, a contact between them and one with the world: A full 6x6, J with signs and zeros.
typedef struct sample {
    tn_blocks A;
    int start_A[5], column_A[8];
    double value_A[72], b[12], offset[6], mu[4], jacobian[63], frame[18];
    int start[3], block[7];
    tn_rows contacts;
    tn_problem problem;
} sample;

static void sample_fill(sample *s)
{
    *s = (sample){.start_A = {0, 2, 4, 6, 8},
                  .column_A = {0, 1, 0, 1, 2, 3, 2, 3},
                  .offset = {-0.1, 0.0, -0.0, 0.3, 1.0 / 3.0, 0.7},
                  .mu = {0.3, 0.3, 0.8, 0.8},
                  .start = {0, 4, 6},
                  .block = {0, 1, 2, 3, 2, 3}};
    for (int k = 0; k < 8; ++k) {
        for (int d = 0; d < 9; ++d) {
            bool diagonal = k == 0 || k == 3 || k == 4 || k == 7;
            s->value_A[9 * k + d] = diagonal ? (d % 4 == 0 ? 3.0 + k / 7.0 : 0.0) : 0.0;
        }
    }
    for (int i = 0; i < 12; ++i) {
        s->b[i] = i / 3.0 - 2.0;
    }
    for (int i = 0; i < 54; ++i) {
        s->jacobian[i] = i % 5 == 0 ? -0.0 : sin(i);
    }
    s->A = (tn_blocks){4, 4, s->start_A, s->column_A, s->value_A};
    s->contacts = (tn_rows){.n_triples = 2,
                            .frame = s->frame,
                            .offset = s->offset,
                            .mu = s->mu,
                            .start = s->start,
                            .block = s->block,
                            .jacobian = s->jacobian};
    s->problem = (tn_problem){.A = &s->A, .b = s->b, .rows = &s->contacts, .step = 1.0};
}

static void put_math_info(const char *path, const char *text)
{
    const char *name = "fclib_global/info/math_info";
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT), type = H5Tcopy(H5T_C_S1), space = H5Screate(H5S_SCALAR);
    if (H5Lexists(file, name, H5P_DEFAULT) > 0) {
        H5Ldelete(file, name, H5P_DEFAULT);
    }
    H5Tset_size(type, strlen(text) + 1);
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, text) >= 0);
    H5Dclose(set), H5Sclose(space), H5Tclose(type), H5Fclose(file);
}

static void test_round_trip(void **state)
{
    fixture *f = *state;
    sample s;
    sample_fill(&s);
    tn_fclib_problem p;
    assert_int_equal(tn_fclib_write(f->path, &s.problem, "a sample", &f->error), TN_OK);
    assert_int_equal(tn_fclib_read(f->path, f->arena, &p, &f->error), TN_OK);
    assert_same_problem(&s.problem, &p.problem);
    assert_string_equal(p.title, "a sample");
    assert_int_equal(p.n_velocities, 12);

    hid_t file = H5Fopen(f->path, H5F_ACC_RDONLY, H5P_DEFAULT);
    H5O_info_t info;
    assert_true(H5Oget_info_by_name(file, "fclib_global/M/x", &info, H5P_DEFAULT) >= 0);
    assert_true(info.mtime == 0); // no time of writing: equal problems give equal files
    H5Fclose(file);

    // With a step the file holds impulses: M = h A, f = h b.
    s.problem.step = 0.01;
    assert_int_equal(tn_fclib_write(f->path, &s.problem, NULL, &f->error), TN_OK);
    assert_int_equal(tn_fclib_read(f->path, f->arena, &p, &f->error), TN_OK);
    for (int i = 0; i < 12; ++i) {
        assert_true(p.problem.b[i] == 0.01 * s.b[i]);
    }
    assert_true(p.problem.A->value[0] == 0.01 * s.value_A[0] && p.problem.step == 1.0);
    assert_same_bits("jacobian", p.contacts.jacobian, s.jacobian, 54);

    // The law and its facets; strict Coulomb where a file says nothing of it.
    s.problem.law = TN_LAW_CONVEX;
    s.problem.facets = 8;
    assert_int_equal(tn_fclib_write(f->path, &s.problem, "", &f->error), TN_OK);
    assert_int_equal(tn_fclib_read(f->path, f->arena, &p, &f->error), TN_OK);
    assert_true(p.problem.law == TN_LAW_CONVEX && p.problem.facets == 8);
    file = H5Fopen(f->path, H5F_ACC_RDWR, H5P_DEFAULT);
    assert_true(H5Ldelete(file, "fclib_global/info/math_info", H5P_DEFAULT) >= 0);
    H5Fclose(file);
    assert_int_equal(tn_fclib_read(f->path, f->arena, &p, &f->error), TN_OK);
    assert_true(p.problem.law == TN_LAW_COULOMB && p.problem.facets == 0);

    // Text of tenon's form that cannot be is refused; of another form it is another program's.
    const struct {
        const char *text, *says;
    } texts[] = {{"law convex facets 7", "facets '7', expected 0"},
                 {"law convex facets 2000", "facets '2000', expected 0"},
                 {"law convex facets x", "facets 'x', expected 0"},
                 {"law convx facets 8", "unknown law 'convx'"},
                 {"a law of facets", NULL}};
    for (size_t k = 0; k < sizeof texts / sizeof *texts; ++k) {
        put_math_info(f->path, texts[k].text);
        tn_status status = tn_fclib_read(f->path, f->arena, &p, &f->error);
        assert_int_equal(status, texts[k].says ? TN_BAD_INPUT : TN_OK);
        assert_true(!texts[k].says || strstr(f->error.message, texts[k].says));
    }
    assert_true(p.problem.law == TN_LAW_COULOMB && p.problem.facets == 0);

    // No contacts at all.
    s.contacts.n_triples = 0;
    assert_int_equal(tn_fclib_write(f->path, &s.problem, "", &f->error), TN_OK);
    assert_int_equal(tn_fclib_read(f->path, f->arena, &p, &f->error), TN_OK);
    assert_int_equal(p.contacts.n_triples, 0);
    assert_int_equal(p.problem.A->n_rows, 4);
}

static int read_solution(const char *path, const char *name, double *values)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    hid_t space = H5Dget_space(set);
    int count = (int)H5Sget_simple_extent_npoints(space);
    H5Dread(set, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values);
    H5Sclose(space);
    H5Dclose(set);
    H5Fclose(file);
    return count;
}

static void test_solution(void **state)
{
    fixture *f = *state;
    sample s;
    sample_fill(&s);
    s.problem.step = 0.5;
    double v[12], lambda[6], u[6], read[64];
    for (int i = 0; i < 12; ++i) {
        v[i] = cos(i);
        lambda[i % 6] = i;
    }
    tn_problem_velocity(&s.problem, v, lambda, u);
    tn_fclib_problem p = {.problem = s.problem, .space_dimension = 3, .n_velocities = 11, .title = "solved"};
    assert_int_equal(tn_fclib_write_solution(f->path, &p, &(tn_solution){.v = v, .lambda = lambda}, &f->error), TN_OK);
    assert_int_equal(read_solution(f->path, "solution/v", read), 11); // the padding stays out
    assert_same_bits("v", read, v, 11);
    assert_int_equal(read_solution(f->path, "solution/u", read), 6);
    assert_same_bits("u", read, u, 6);
    assert_int_equal(read_solution(f->path, "solution/r", read), 6);
    for (int i = 0; i < 6; ++i) {
        assert_true(read[i] == 0.5 * lambda[i]);
    }
    assert_int_equal(tn_fclib_read(f->path, f->arena, &p, &f->error), TN_OK);
    assert_int_equal(p.n_velocities, 11);
    assert_int_equal(p.problem.A->n_rows, 4);
}

static void test_not_expressible(void **state)
{
    fixture *f = *state;
    sample s;
    sample_fill(&s);
    s.mu[1] = 0.4;
    assert_int_equal(tn_fclib_write(f->path, &s.problem, "", &f->error), TN_BAD_INPUT);
    assert_non_null(strstr(f->error.message, "contact 0"));
    s.mu[1] = s.mu[0];
    double omega[18] = {0};
    s.contacts.softness = omega;
    assert_int_equal(tn_fclib_write(f->path, &s.problem, "", &f->error), TN_BAD_INPUT);
    assert_non_null(strstr(f->error.message, "omega"));
    s.contacts.softness = NULL;
    tn_rows rows = {.n_singles = 1};
    s.problem.rows = &rows;
    assert_int_equal(tn_fclib_write(f->path, &s.problem, "", &f->error), TN_BAD_INPUT);
    assert_non_null(strstr(f->error.message, "joints"));
    s.problem.rows = &s.contacts;
    s.b[3] = (double)NAN;
    assert_int_equal(tn_fclib_write(f->path, &s.problem, "", &f->error), TN_BAD_INPUT);
    assert_non_null(strstr(f->error.message, "b[3]"));
    s.b[3] = 0.0;
    assert_int_equal(tn_fclib_write("/nonexistent/x.hdf5", &s.problem, "", &f->error), TN_IO);
    assert_non_null(strstr(f->error.message, "/nonexistent/x.hdf5"));
}

static void test_no_memory(void **state)
{
    fixture *f = *state;
    sample s;
    sample_fill(&s);
    int failures = 0;
    for (long n = 0; n < REQUESTS; ++n) {
        tn_arena *arena = tn_arena_create(64);
        tn_fclib_problem p;
        tn_memory_fail_after(n);
        tn_status status = tn_fclib_write(f->path, &s.problem, "", &f->error);
        if (status == TN_OK) {
            status = tn_fclib_read(f->path, arena, &p, &f->error);
        }
        tn_memory_fail_after(-1);
        tn_arena_destroy(arena);
        assert_true(status == TN_OK || status == TN_NO_MEMORY);
        failures += status != TN_OK;
    }
    print_message("  %d requests failed in turn\n", failures);
    assert_true(failures >= 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_stored_problems, setup, teardown),
        cmocka_unit_test_setup_teardown(test_known_answers, setup, teardown),
        cmocka_unit_test_setup_teardown(test_round_trip, setup, teardown),
        cmocka_unit_test_setup_teardown(test_solution, setup, teardown),
        cmocka_unit_test_setup_teardown(test_not_expressible, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_memory, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
