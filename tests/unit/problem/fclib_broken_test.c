// Broken FCLIB files, made here: each must be refused with a message that names the dataset and what was expected,
// and nothing may crash.
#include "problem/fclib.h"

#include "base/random.h"
#include "math/blocks.h"
#include "problem/problem.h"
#include "test.h"

#include <hdf5.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// HDF5 1.10 itself leaks what it had open where it gives up inside a damaged group; ours is counted by handles below.
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libhdf5";
}

typedef struct fixture {
    tn_arena *arena;
    char path[64];
} fixture;

static int setup(void **state)
{
    static fixture f; // one test at a time
    f = (fixture){.arena = tn_arena_create(0)};
    snprintf(f.path, sizeof f.path, "/tmp/tenon_broken_%ld.hdf5", (long)getpid());
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

// ---- a sound file of two contacts to start from

static void write_sound(fixture *f, bool local)
{
    const double ones[18] = {2, 0, 0, 0, 2, 0, 0, 0, 2, 3, 0, 0, 0, 3, 0, 0, 0, 3};
    const double offset[6] = {-1, 0, 0, -1, 0.5, 0}, mu[4] = {0.5, 0.5, 0.5, 0.5}, b[6] = {1, 2, 3, 4, 5, 6};
    const int start[3] = {0, 1, 2}, block[2] = {0, 1};
    tn_blocks *matrix = tn_blocks_from_diagonal(2, ones, f->arena);
    tn_rows c = {.n_triples = 2, .offset = offset, .mu = mu};
    tn_problem p = {.rows = &c, .step = 1.0};
    if (local) {
        p.W = matrix;
    } else {
        p.A = matrix;
        p.b = b;
        c.start = start;
        c.block = block;
        c.jacobian = ones;
    }
    tn_error error;
    remove(f->path); // broken, it is no FCLIB problem, which would not be replaced
    assert_int_equal(tn_fclib_write(f->path, &p, "sound", &error), TN_OK);
}

// ---- ways to break it

static void replace(hid_t file, const char *name, hid_t type, hsize_t count, const void *values)
{
    if (H5Lexists(file, name, H5P_DEFAULT) > 0) {
        H5Ldelete(file, name, H5P_DEFAULT);
    }
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t set = H5Dcreate2(file, name, type, space, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(set >= 0);
    if (count > 0 && values) {
        assert_true(H5Dwrite(set, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    }
    H5Dclose(set);
    H5Sclose(space);
}

static void set_int(hid_t file, const char *name, int value)
{
    replace(file, name, H5T_NATIVE_INT, 1, &value);
}

// One element of an existing dataset.
static void poke(hid_t file, const char *name, hsize_t at, double value)
{
    hid_t set = H5Dopen2(file, name, H5P_DEFAULT);
    hid_t space = H5Dget_space(set);
    hsize_t one = 1;
    hid_t memory = H5Screate_simple(1, &one, NULL);
    H5Sselect_hyperslab(space, H5S_SELECT_SET, &at, NULL, &one, NULL);
    assert_true(H5Dwrite(set, H5T_NATIVE_DOUBLE, memory, space, H5P_DEFAULT, &value) >= 0);
    H5Sclose(memory);
    H5Sclose(space);
    H5Dclose(set);
}

// A dataset that claims `count` doubles and stores none; chunked in blocks of 8 MB where asked.
static void claim(hid_t file, const char *name, hsize_t count, bool chunked)
{
    H5Ldelete(file, name, H5P_DEFAULT);
    const hsize_t chunk = 1 << 20, unlimited = H5S_UNLIMITED;
    hid_t space = H5Screate_simple(1, &count, chunked ? &unlimited : NULL);
    hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    if (chunked) {
        H5Pset_chunk(plan, 1, &chunk);
    }
    hid_t set = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, plan, H5P_DEFAULT);
    assert_true(set >= 0);
    H5Dclose(set);
    H5Pclose(plan);
    H5Sclose(space);
}

static void external_storage(hid_t file, const char *name)
{
    H5Ldelete(file, name, H5P_DEFAULT);
    hsize_t count = 6;
    hid_t space = H5Screate_simple(1, &count, NULL);
    hid_t plan = H5Pcreate(H5P_DATASET_CREATE);
    H5Pset_external(plan, "/etc/passwd", 0, 48);
    hid_t set = H5Dcreate2(file, name, H5T_NATIVE_DOUBLE, space, H5P_DEFAULT, plan, H5P_DEFAULT);
    assert_true(set >= 0);
    H5Dclose(set);
    H5Pclose(plan);
    H5Sclose(space);
}

// W as compressed rows: p of count numbers, i and x of 6 (the diagonal).
static void compressed(hid_t file, hsize_t count, const int *p)
{
    const int i[6] = {0, 1, 2, 3, 4, 5};
    const double x[6] = {1, 1, 1, 1, 1, 1};
    set_int(file, "fclib_local/W/nz", -2);
    replace(file, "fclib_local/W/p", H5T_NATIVE_INT, count, p);
    replace(file, "fclib_local/W/i", H5T_NATIVE_INT, 6, i);
    replace(file, "fclib_local/W/x", H5T_NATIVE_DOUBLE, 6, x);
}

static void no_group(hid_t file)
{
    H5Ldelete(file, "fclib_local", H5P_DEFAULT);
}
static void both_groups(hid_t file)
{
    H5Gclose(H5Gcreate2(file, "fclib_global", 0, 0, 0));
}
static void no_dimension(hid_t file)
{
    H5Ldelete(file, "fclib_local/spacedim", H5P_DEFAULT);
}
static void dimension_4(hid_t file)
{
    set_int(file, "fclib_local/spacedim", 4);
}
static void dimension_2(hid_t file)
{
    set_int(file, "fclib_local/spacedim", 2);
}
static void dimension_real(hid_t file)
{
    double value = 3.0;
    replace(file, "fclib_local/spacedim", H5T_NATIVE_DOUBLE, 1, &value);
}
static void no_mu(hid_t file)
{
    H5Ldelete(file, "fclib_local/vectors/mu", H5P_DEFAULT);
}
static void mu_negative(hid_t file)
{
    poke(file, "fclib_local/vectors/mu", 1, -0.1);
}
static void mu_nan(hid_t file)
{
    poke(file, "fclib_local/vectors/mu", 0, (double)NAN);
}
static void mu_integers(hid_t file)
{
    const int mu[2] = {1, 1};
    replace(file, "fclib_local/vectors/mu", H5T_NATIVE_INT, 2, mu);
}
static void mu_group(hid_t file)
{
    H5Ldelete(file, "fclib_local/vectors/mu", H5P_DEFAULT);
    H5Gclose(H5Gcreate2(file, "fclib_local/vectors/mu", 0, 0, 0));
}
static void q_short(hid_t file)
{
    const double q[5] = {0};
    replace(file, "fclib_local/vectors/q", H5T_NATIVE_DOUBLE, 5, q);
}
static void q_infinite(hid_t file)
{
    poke(file, "fclib_local/vectors/q", 4, HUGE_VAL);
}
static void q_matrix(hid_t file)
{
    const hsize_t size[2] = {2, 3};
    H5Ldelete(file, "fclib_local/vectors/q", H5P_DEFAULT);
    hid_t space = H5Screate_simple(2, size, NULL);
    H5Dclose(H5Dcreate2(file, "fclib_local/vectors/q", H5T_NATIVE_DOUBLE, space, 0, 0, 0));
    H5Sclose(space);
}
static void q_claims(hid_t file)
{
    claim(file, "fclib_local/vectors/q", 6, false);
}
static void mu_claims_much(hid_t file)
{
    claim(file, "fclib_local/vectors/mu", 1000000000, false);
}
static void mu_claims_all(hid_t file)
{
    claim(file, "fclib_local/vectors/mu", (hsize_t)1 << 60, true);
}
static void mu_chunks(hid_t file)
{
    claim(file, "fclib_local/vectors/mu", 2, true);
}
static void q_external(hid_t file)
{
    external_storage(file, "fclib_local/vectors/q");
}
static void q_soft_link(hid_t file)
{
    H5Ldelete(file, "fclib_local/vectors/q", H5P_DEFAULT);
    H5Lcreate_soft("/fclib_local/W/x", file, "fclib_local/vectors/q", 0, 0);
}
static void q_external_link(hid_t file)
{
    H5Ldelete(file, "fclib_local/vectors/q", H5P_DEFAULT);
    H5Lcreate_external("/tmp/other.hdf5", "/q", file, "fclib_local/vectors/q", 0, 0);
}
static void w_not_square(hid_t file)
{
    set_int(file, "fclib_local/W/n", 5);
}
static void w_huge(hid_t file)
{
    set_int(file, "fclib_local/W/m", INT_MAX);
}
static void w_missing(hid_t file)
{
    H5Ldelete(file, "fclib_local/W", H5P_DEFAULT);
}
static void w_no_x(hid_t file)
{
    H5Ldelete(file, "fclib_local/W/x", H5P_DEFAULT);
}
static void w_nz(hid_t file)
{
    set_int(file, "fclib_local/W/nz", -3);
}
static void w_nz_large(hid_t file)
{
    set_int(file, "fclib_local/W/nz", 19);
}
static void w_nz_two(hid_t file)
{
    const int two[2] = {18, 18};
    replace(file, "fclib_local/W/nz", H5T_NATIVE_INT, 2, two);
}
static void w_row_outside(hid_t file)
{
    poke(file, "fclib_local/W/i", 7, 6.0);
}
static void w_row_negative(hid_t file)
{
    poke(file, "fclib_local/W/i", 7, -1.0);
}
static void w_column_outside(hid_t file)
{
    poke(file, "fclib_local/W/p", 3, 1e9);
}
static void w_nan(hid_t file)
{
    poke(file, "fclib_local/W/x", 2, (double)NAN);
}
static void w_rows_real(hid_t file)
{
    const double i[18] = {0};
    replace(file, "fclib_local/W/i", H5T_NATIVE_DOUBLE, 18, i);
}
static void w_pointers_short(hid_t file)
{
    compressed(file, 6, (const int[]){0, 1, 2, 3, 4, 5});
}
static void w_pointers_fall(hid_t file)
{
    compressed(file, 7, (const int[]){0, 1, 4, 3, 4, 5, 6});
}
static void w_pointers_start(hid_t file)
{
    compressed(file, 7, (const int[]){1, 1, 2, 3, 4, 5, 6});
}
static void w_pointers_end(hid_t file)
{
    compressed(file, 7, (const int[]){0, 1, 2, 3, 4, 5, 7});
}
static void bilateral_local(hid_t file)
{
    H5Gclose(H5Gcreate2(file, "fclib_local/V", 0, 0, 0));
    set_int(file, "fclib_local/V/n", 2);
}
static void bilateral(hid_t file)
{
    H5Gclose(H5Gcreate2(file, "fclib_global/G", 0, 0, 0));
    set_int(file, "fclib_global/G/n", 2);
}
static void m_not_symmetric(hid_t file)
{
    poke(file, "fclib_global/M/x", 1, 5.0);
}
static void m_size(hid_t file)
{
    set_int(file, "fclib_global/M/m", 9);
}
static void h_size(hid_t file)
{
    set_int(file, "fclib_global/H/n", 3);
}
static void h_outside(hid_t file)
{
    poke(file, "fclib_global/H/p", 0, 6.0);
}
static void f_missing(hid_t file)
{
    H5Ldelete(file, "fclib_global/vectors/f", H5P_DEFAULT);
}
static void f_short(hid_t file)
{
    const double v[4] = {0};
    replace(file, "fclib_global/vectors/f", H5T_NATIVE_DOUBLE, 4, v);
}
static void w_vector_long(hid_t file)
{
    const double v[7] = {0};
    replace(file, "fclib_global/vectors/w", H5T_NATIVE_DOUBLE, 7, v);
}

typedef struct broken {
    void (*damage)(hid_t file);
    bool local;
    const char *names, *says; // parts of the message
} broken;

static const broken cases[] = {
    {no_group, true, "fclib_local", "not an FCLIB problem"},
    {both_groups, true, "fclib_global", "one of them"},
    {no_dimension, true, "fclib_local/spacedim", "missing"},
    {dimension_4, true, "fclib_local/spacedim", "expected 2 to 3"},
    {dimension_2, true, "fclib_local/vectors/q", "expected 4"},
    {dimension_real, true, "fclib_local/spacedim", "expected integers"},
    {no_mu, true, "fclib_local/vectors/mu", "missing"},
    {mu_negative, true, "fclib_local/vectors/mu", "at least 0"},
    {mu_nan, true, "fclib_local/vectors/mu", "element 0 is"},
    {mu_integers, true, "fclib_local/vectors/mu", "floating point"},
    {mu_group, true, "fclib_local/vectors/mu", "expected a dataset"},
    {q_short, true, "fclib_local/vectors/q", "5 elements, expected 6"},
    {q_infinite, true, "fclib_local/vectors/q", "element 4 is inf"},
    {q_matrix, true, "fclib_local/vectors/q", "one dimension"},
    {q_claims, true, "fclib_local/vectors/q", "more values than the file holds"},
    {mu_claims_much, true, "fclib_local/vectors/mu", "more values than the file holds"},
    {mu_claims_all, true, "fclib_local/vectors/mu", "fewer than 2^31"},
    {mu_chunks, true, "fclib_local/vectors/mu", "more values than the file holds"},
    {q_external, true, "fclib_local/vectors/q", "more values than the file holds"},
    {q_soft_link, true, "fclib_local/vectors/q", "missing"},
    {q_external_link, true, "fclib_local/vectors/q", "missing"},
    {w_not_square, true, "fclib_local/W/n", "5, expected 6"},
    {w_huge, true, "fclib_local/W/m", "2147483647, expected 6"},
    {w_missing, true, "fclib_local/W/m", "missing"},
    {w_no_x, true, "fclib_local/W/x", "missing"},
    {w_nz, true, "fclib_local/W/nz", "-3, expected -2 to"},
    {w_nz_large, true, "fclib_local/W/i", "expected 19 each"},
    {w_nz_two, true, "fclib_local/W/nz", "2 elements, expected 1"},
    {w_row_outside, true, "fclib_local/W/i", "element 7 is 6, expected an index from 0 to 5"},
    {w_row_negative, true, "fclib_local/W/i", "element 7 is -1"},
    {w_column_outside, true, "fclib_local/W/p", "element 3 is 1000000000"},
    {w_nan, true, "fclib_local/W/x", "finite number"},
    {w_rows_real, true, "fclib_local/W/i", "expected integers"},
    {w_pointers_short, true, "fclib_local/W/p", "6 elements, expected 7"},
    {w_pointers_fall, true, "fclib_local/W/p", "at least the one before, 4"},
    {w_pointers_start, true, "fclib_local/W/p", "element 0 must be 0"},
    {w_pointers_end, true, "fclib_local/W/i", "at least 7"},
    {bilateral_local, true, "fclib_local/V", "not supported yet"},
    {bilateral, false, "fclib_global/G", "not supported yet"},
    {m_not_symmetric, false, "fclib_global/M/x", "symmetric"},
    {m_size, false, "fclib_global/M/m", "9, expected 6"},
    {h_size, false, "fclib_global/H/n", "3, expected 6"},
    {h_outside, false, "fclib_global/H/p", "element 0 is 6"},
    {f_missing, false, "fclib_global/vectors/f", "missing"},
    {f_short, false, "fclib_global/M/m", "6, expected 4"},
    {w_vector_long, false, "fclib_global/vectors/w", "7 elements, expected 6"},
};

static void test_broken(void **state)
{
    fixture *f = *state;
    tn_fclib_problem p;
    tn_error error;
    for (int local = 0; local < 2; ++local) {
        write_sound(f, local);
        assert_int_equal(tn_fclib_read(f->path, f->arena, &p, &error), TN_OK);
    }
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        write_sound(f, cases[i].local);
        hid_t file = H5Fopen(f->path, H5F_ACC_RDWR, H5P_DEFAULT);
        cases[i].damage(file);
        H5Fclose(file);
        error = (tn_error){0};
        tn_status status = tn_fclib_read(f->path, f->arena, &p, &error);
        print_message("  %s\n", error.message);
        assert_int_equal(status, TN_BAD_INPUT);
        assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0); // no handle stays open
        assert_string_equal(error.file, f->path);
        assert_non_null(strstr(error.message, cases[i].names));
        assert_non_null(strstr(error.message, cases[i].says));
    }
    print_message("  %zu broken files refused\n", sizeof cases / sizeof *cases);
}

// Compressed columns and rows of a matrix that is not symmetric, and planar triplets with a duplicate.
static void test_layouts(void **state)
{
    fixture *f = *state;
    tn_fclib_problem p;
    tn_error error;
    const int pointers[7] = {0, 1, 1, 2, 2, 3, 4}, minor[4] = {4, 0, 5, 1};
    const double x[4] = {1.5, 2.5, 3.5, 4.5};
    for (int nz = -2; nz < 0; ++nz) {
        write_sound(f, true);
        hid_t file = H5Fopen(f->path, H5F_ACC_RDWR, H5P_DEFAULT);
        set_int(file, "fclib_local/W/nz", nz);
        replace(file, "fclib_local/W/p", H5T_NATIVE_INT, 7, pointers);
        replace(file, "fclib_local/W/i", H5T_NATIVE_INT, 4, minor);
        replace(file, "fclib_local/W/x", H5T_NATIVE_DOUBLE, 4, x);
        H5Fclose(file);
        assert_int_equal(tn_fclib_read(f->path, f->arena, &p, &error), TN_OK);
        // Entries (major, minor): (0,4) (2,0) (4,5) (5,1).
        const double *far = tn_blocks_find(p.problem.W, nz == -2 ? 0 : 1, nz == -2 ? 1 : 0);
        const double *near = tn_blocks_find(p.problem.W, 0, 0);
        assert_non_null(far);
        assert_true(far[nz == -2 ? 1 : 3] == 1.5);
        assert_true(near[nz == -2 ? 6 : 2] == 2.5);
        assert_int_equal(p.problem.W->start[2], 4);
    }
    write_sound(f, true);
    const int rows[4] = {0, 3, 3, 1}, columns[4] = {0, 2, 2, 1};
    const double q[4] = {1, 2, 3, 4};
    hid_t file = H5Fopen(f->path, H5F_ACC_RDWR, H5P_DEFAULT);
    set_int(file, "fclib_local/spacedim", 2);
    set_int(file, "fclib_local/W/m", 4);
    set_int(file, "fclib_local/W/n", 4);
    set_int(file, "fclib_local/W/nz", 4);
    replace(file, "fclib_local/W/i", H5T_NATIVE_INT, 4, rows);
    replace(file, "fclib_local/W/p", H5T_NATIVE_INT, 4, columns);
    replace(file, "fclib_local/W/x", H5T_NATIVE_DOUBLE, 4, x);
    replace(file, "fclib_local/vectors/q", H5T_NATIVE_DOUBLE, 4, q);
    H5Fclose(file);
    assert_int_equal(tn_fclib_read(f->path, f->arena, &p, &error), TN_OK);
    const double first[9] = {1.5, 0, 0, 0, 4.5, 0, 0, 0, 0}, second[9] = {0, 0, 0, 6.0, 0, 0, 0, 0, 0};
    assert_memory_equal(tn_blocks_find(p.problem.W, 0, 0), first, sizeof first);
    assert_memory_equal(tn_blocks_find(p.problem.W, 1, 1), second, sizeof second);
    assert_true(p.contacts.offset[2] == 0.0 && p.contacts.offset[3] == 3.0 && p.contacts.offset[4] == 4.0);
}

static void write_bytes(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

static void test_not_hdf5(void **state)
{
    fixture *f = *state;
    tn_fclib_problem p;
    tn_error error;
    assert_int_equal(tn_fclib_read("/nonexistent.hdf5", f->arena, &p, &error), TN_IO);
    assert_non_null(strstr(error.message, "/nonexistent.hdf5"));
    assert_int_equal(tn_fclib_read("/tmp", f->arena, &p, &error), TN_IO);
    write_bytes(f->path, "", 0);
    assert_int_equal(tn_fclib_read(f->path, f->arena, &p, &error), TN_BAD_INPUT);
    write_bytes(f->path, "mass: 3\n", 8);
    assert_int_equal(tn_fclib_read(f->path, f->arena, &p, &error), TN_BAD_INPUT);
    assert_non_null(strstr(error.message, "not a readable HDF5 file"));
}

static size_t read_bytes(const char *path, char *bytes, size_t size)
{
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t count = fread(bytes, 1, size, file);
    fclose(file);
    return count;
}

// Truncated at every 64th byte; then one to four bytes changed at random. Whatever happens is refused or sound.
static void test_damaged_bytes(void **state)
{
    fixture *f = *state;
    static char sound[1 << 16], bytes[1 << 16];
    tn_error error;
    int refused = 0, sound_after_all = 0;
    for (int local = 0; local < 2; ++local) {
        write_sound(f, local);
        size_t size = read_bytes(f->path, sound, sizeof sound);
        assert_true(size > 1000 && size < sizeof sound);
        for (uint64_t k = 0; k < 1200; ++k) {
            tn_fclib_problem p;
            size_t kept = size;
            memcpy(bytes, sound, size);
            if (k * 64 < size) {
                kept = k * 64;
            } else {
                for (uint64_t j = 0; j <= k % 4; ++j) {
                    bytes[tn_random_u64(1, j, k) % size] = (char)tn_random_u64(2, j, k);
                }
            }
            write_bytes(f->path, bytes, kept);
            tn_arena_mark mark = tn_arena_get_mark(f->arena);
            tn_status status = tn_fclib_read(f->path, f->arena, &p, &error);
            assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_ALL), 0); // no handle stays open
            if (status == TN_OK) {
                assert_int_equal(tn_problem_check(&p.problem, &error), TN_OK);
            }
            refused += status != TN_OK;
            sound_after_all += status == TN_OK;
            tn_arena_release(f->arena, mark);
        }
    }
    print_message("  %d refused, %d still sound\n", refused, sound_after_all);
    assert_true(refused > 300);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_broken, setup, teardown),
        cmocka_unit_test_setup_teardown(test_layouts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_not_hdf5, setup, teardown),
        cmocka_unit_test_setup_teardown(test_damaged_bytes, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
