// Copies of steps' problems: every array is there (the certificate of the step's own solution is the same to the last
// bit), and they outlive the step; solved again they have the same motion without what the simulation knew. Files are
// read, written and read again.
#include "scenario.h"

#include "tenon/stored.h"

#include <string.h>
#include <unistd.h>

static int size_v(const tn_problem *p)
{
    return p->A ? 3 * p->A->n_rows : 0;
}

static int size_lambda(const tn_problem *p)
{
    return 3 * p->rows->n_triples + p->rows->n_singles;
}

// Velocities of bodies and rates of joints of a state, one after the other. Returns their number.
static int velocities_of(const tn_state *state, double *out)
{
    int n = 3 * state->model->n_blocks, n_rates = tn_model_coordinate_count(state->model);
    double *places = calloc((size_t)n_rates + 1, sizeof *places);
    memcpy(out, state->v, (size_t)n * sizeof *out);
    tn_state_get_coordinates(state, places, out + n);
    free(places);
    return n + n_rates;
}

// Closer than a step changes the rates of the arm (by 4e-4 to 9e-3): rates of the problem are of the bodies' velocities
// at the step's start, which the last step's way has bent by second order (9e-5).
static bool is_among(double x, int n, const double *all)
{
    for (int i = 0; i < n; i++) {
        if (fabs(all[i] - x) <= 2e-4 * fmax(1.0, fabs(x))) {
            return true;
        }
    }
    return false;
}

// Where the problem begins: with the bodies' velocities or, in reduced coordinates, with rates and those of bodies that
// no joint places.
static void check_start(const tn_problem *p, const tn_model *model, int n, const double *before)
{
    bool whole = p->A->n_rows == model->n_blocks;
    for (int i = 0; i < size_v(p); i++) {
        assert_true(whole ? p->start_v[i] == before[i] : p->start_v[i] == 0.0 || is_among(p->start_v[i], n, before));
    }
}

static void check_copy(const char *name, bool rates)
{
    char path[512];
    tn_error error = {0};
    snprintf(path, sizeof path, TENON_SOURCE_DIR "/scenes/%s.yaml", name);
    tn_scene *scene = tn_scene_load(path, rates ? 0 : 1, (const char *[]){"coordinates=maximal"}, &error);
    tn_model *model = scene ? tn_model_create(scene, &error) : NULL;
    tn_state *state = model ? tn_state_create(model, &error) : NULL;
    tn_sim *sim = state ? tn_sim_create(model, &error) : NULL;
    assert_non_null(sim);
    tn_step_report step;
    int n_before = 0;
    double *before = calloc(3 * (size_t)model->n_blocks + (size_t)tn_model_coordinate_count(model) + 1, sizeof *before);
    for (int k = 0; k < 20; k++) {
        n_before = velocities_of(state, before);
        assert_int_equal(tn_sim_step(sim, NULL, state, &step, &error), TN_OK);
    }
    const tn_solution *own;
    const tn_problem *original = tn_sim_problem(sim, &own);
    check_start(original, model, n_before, before);
    free(before);
    tn_certificate of_original, of_copy;
    assert_int_equal(tn_problem_certify(original, own, &of_original, &error), TN_OK);
    tn_stored_problem *stored = tn_stored_problem_copy(original, &error);
    assert_non_null(stored);
    int n = size_v(original), m = size_lambda(original);
    tn_solution kept = {calloc((size_t)n + 1, sizeof(double)), calloc((size_t)m + 1, sizeof(double))};
    memcpy(kept.v, own->v, (size_t)n * sizeof(double));
    memcpy(kept.lambda, own->lambda, (size_t)m * sizeof(double));
    tn_solve_options options = tn_solve_options_default();
    tn_solve_report report;
    tn_solution solved = {calloc((size_t)n + 1, sizeof(double)), calloc((size_t)m + 1, sizeof(double))};
    assert_int_equal(tn_problem_solve(original, "auto", &options, &solved, &report, &error), TN_OK);
    tn_sim_destroy(sim), tn_state_destroy(state), tn_model_destroy(model);

    const tn_problem *copy = tn_stored_problem_get(stored);
    assert_int_equal(tn_problem_certify(copy, &kept, &of_copy, &error), TN_OK);
    assert_memory_equal(&of_original, &of_copy, sizeof of_copy);
    tn_solution again = {calloc((size_t)n + 1, sizeof(double)), calloc((size_t)m + 1, sizeof(double))};
    assert_int_equal(tn_problem_solve(copy, "auto", &options, &again, &report, &error), TN_OK);
    double most = 0.0, apart = 0.0;
    for (int i = 0; i < n; i++) {
        most = fmax(most, fabs(solved.v[i]));
        apart = fmax(apart, fabs(solved.v[i] - again.v[i]));
    }
    print_message("%-24s %3d triples %3d singles: natural %.1e, velocities %.1e of %.2g m/s apart (limit 1e-7)\n", name,
                  copy->rows->n_triples, copy->rows->n_singles, report.certificate.natural, apart, most);
    assert_true(apart <= 1e-7 * fmax(1.0, most));
    free(kept.v), free(kept.lambda), free(again.v), free(again.lambda);
    free(solved.v), free(solved.lambda);
    tn_stored_problem_destroy(stored);
}

// Between them: joints with limits and motors, springs of contacts, rolling friction, directional friction, soft
// bodies, invertible contacts, reduced coordinates.
static void test_steps(void **unused)
{
    static const char *const names[] = {"joints/ragdoll",       "compliant/car",    "rigid/conveyor",
                                        "cond/anisotropic_box", "cond/soft_ball",   "cond/invertible_ball",
                                        "robots/arm_pushes",    "lcp/rimless_wheel"};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        check_copy(names[k], k > 0); // rates of the ragdoll's balls are no coordinates'
    }
}

static void test_files(void **unused)
{
    tn_error error = {0};
    tn_stored_problem *pile = tn_stored_problem_read(TENON_PROBLEMS "/piles/spheres_64.hdf5", &error);
    assert_non_null(pile);
    const tn_problem *p = tn_stored_problem_get(pile);
    tn_stored_info info;
    tn_stored_problem_info(pile, &info);
    tn_solution found = {calloc((size_t)size_v(p) + 1, sizeof(double)),
                         calloc((size_t)size_lambda(p) + 1, sizeof(double))};
    tn_solve_report report;
    assert_int_equal(tn_problem_solve(p, "auto", NULL, &found, &report, &error), TN_OK);
    char path[] = "/tmp/tenon_copies_XXXXXX";
    int file = mkstemp(path);
    assert_true(file >= 0);
    close(file);
    assert_int_equal(tn_stored_problem_write_check(path, &error), TN_OK);
    assert_int_equal(tn_stored_problem_write(pile, path, "another title", &found, &error), TN_OK);
    tn_stored_problem *again = tn_stored_problem_read(path, &error);
    assert_non_null(again);
    tn_stored_info said;
    tn_stored_problem_info(again, &said);
    assert_string_equal(said.title, "another title");
    assert_true(said.dimension == info.dimension && said.n_velocities == info.n_velocities);
    tn_certificate first, second;
    assert_int_equal(tn_problem_certify(p, &found, &first, &error), TN_OK);
    assert_int_equal(tn_problem_certify(tn_stored_problem_get(again), &found, &second, &error), TN_OK);
    assert_memory_equal(&first, &second, sizeof first); // the step is 1 in both: the same numbers
    tn_stored_problem_destroy(pile), tn_stored_problem_destroy(again);
    free(found.v), free(found.lambda);
    remove(path);
}

// What FCLIB has no place for is refused, and nothing is written; with a solution and without.
static void test_refusals(void **unused)
{
    static const char *const bodies[] = {
        "coordinates: maximal\njoints: {hinge: {type: revolute, b: box, anchor: [0, 0, 0.1], axis: [0, 0, 1]}}\n",
        "materials: {default: {rolling: 1 mm}}\n"};
    for (int k = 0; k < 2; k++) {
        scenario s = scenario_open("bodies:\n  floor: {fixed: true, shape: {plane: {}}}\n"
                                   "  box: {position: [0, 0, 0.1], mass: 1, shape: {sphere: 0.1}}\n%s",
                                   bodies[k]);
        scenario_step(&s);
        tn_error error = {0};
        const tn_solution *own;
        tn_stored_problem *stored = tn_stored_problem_copy(tn_sim_problem(s.sim, &own), &error);
        assert_non_null(stored);
        static const char path[] = "/tmp/tenon_copies_none.hdf5";
        assert_int_equal(tn_stored_problem_write(stored, path, NULL, own, &error), TN_BAD_INPUT);
        assert_int_equal(tn_stored_problem_write(stored, path, NULL, NULL, &error), TN_BAD_INPUT);
        assert_int_not_equal(access(path, F_OK), 0);
        tn_stored_problem_destroy(stored);
        scenario_close(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_steps), cmocka_unit_test(test_files),
                                       cmocka_unit_test(test_refusals)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
