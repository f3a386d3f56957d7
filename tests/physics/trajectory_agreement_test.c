// Whole runs by every solver that takes the scene, as users start them. Scenes that are not chaotic end in the same
// place; of the others, where a difference of 1e-10 grows to centimetres, energy and the height of the mass agree.
// Brief under sanitizers, where the regular ones go a tenth of the way.
#include "gallery.h"

#include "solver/solver.h"
#include "state/state.h"

#include <string.h>

enum { EULER = 1, MIDPOINT = 2, BOTH = EULER | MIDPOINT };
static const char *const SCHEMES[] = {"euler", "midpoint"};

typedef struct end {
    bool refused;
    double energy, height; // [J], of the centre of mass [m]
    double motion;         // largest kinetic and elastic energy and height lost [J]
    scenario run;
} end;

// Mean height of all mass that moves, from the energy of gravity [m].
static double height(const scenario *s, const tn_energy *e)
{
    return e->gravity / (s->model->total_mass * GRAVITY);
}

static end run_by(const char *scene, const char *scheme, const char *solver, double until)
{
    char text[32];
    const char *set[] = {text};
    snprintf(text, sizeof text, "scheme=%s", scheme);
    end out = {.run =
                   strchr(scene, '\n') ? scenario_open("scheme: %s\n%s", scheme, scene) : gallery_open(scene, 1, set)};
    scenario *s = &out.run;
    assert_true(tn_sim_set_solver(s->sim, solver));
    tn_energy first;
    tn_error error = {0};
    assert_int_equal(tn_state_energy(s->state, &first, &error), TN_OK);
    while (tn_state_time(s->state) < until - 5e-7 && !out.refused) {
        tn_status status = tn_sim_step(s->sim, NULL, s->state, &s->report, &error);
        const tn_energy *e = &s->report.energy;
        out.refused = status == TN_BAD_INPUT;
        if (status != TN_OK && !out.refused) {
            scenario_fail(solver, &error);
        }
        out.motion = fmax(out.motion, e->kinetic + e->elastic + fabs(e->gravity - first.gravity));
    }
    out.energy = s->report.energy.kinetic + s->report.energy.gravity + s->report.energy.elastic;
    out.height = height(s, &s->report.energy);
    return out;
}

static double apart(const scenario *a, const scenario *b)
{
    double most = 0.0;
    for (int i = 0; i < a->model->n_bodies; i++) {
        for (int k = 0; k < 3; k++) {
            most = fmax(most, fabs(a->state->pose[i].position[k] - b->state->pose[i].position[k]));
        }
    }
    for (int i = 0; i < 3 * a->model->n_nodes; i++) {
        most = fmax(most, fabs(a->state->x[i] - b->state->x[i]));
    }
    return most;
}

typedef struct worst {
    int n;
    const char *solver;           // that is farthest apart
    double apart, energy, height; // [m], relative to the motion, [m]
} worst;

// Every solver's end beside auto's.
static worst compare(const char *scene, const char *scheme, double until)
{
    worst w = {0};
    end first = run_by(scene, scheme, "auto", until);
    const tn_solver *solver;
    for (int i = 1; (solver = tn_solver_at(i)); i++) {
        if (strcmp(solver->name, "penalty") == 0) {
            continue; // springs and dampers: its own law
        }
        end other = run_by(scene, scheme, solver->name, until);
        if (!other.refused) {
            w.n++;
            double way = apart(&first.run, &other.run);
            if (way > w.apart) {
                w.apart = way;
                w.solver = solver->name;
            }
            w.energy = fmax(w.energy, fabs(first.energy - other.energy) / first.motion);
            w.height = fmax(w.height, fabs(first.height - other.height));
        }
        scenario_close(&other.run);
    }
    scenario_close(&first.run);
    return w;
}

static void test_regular_scenes_end_alike(void **state)
{
    // Solvers aim at 1e-6 of the forces; of a weight at rest that is a microgravity, which in 2 s moves 2e-5 m. Small
    // problems are solved to rounding and do far better.
    static const struct {
        const char *scene;
        int schemes;
        double until, limit; // [s], [m]
    } cases[] = {
        {"cond/anisotropic_box.yaml", BOTH, 1.0, 1e-6},
        {"ccp/gliding.yaml", EULER, 1.0, 1e-6},
        {"joints/four_bar.yaml", BOTH, 2.0, 1e-6},
        {"joints/gear_train.yaml", BOTH, 2.0, 1e-6},
        {"joints/pendulum.yaml", BOTH, 2.0, 1e-6},
        {"joints/slider_crank.yaml", BOTH, 1.0, 1e-6},
        {"lcp/ellipse.yaml", BOTH, 2.0, 1e-6},
        {"lcp/pendulum_drift.yaml", BOTH, 2.0, 1e-6},
        {"lcp/rimless_wheel.yaml", BOTH, 1.0, 1e-6},
        {"rigid/cradle.yaml", MIDPOINT, 0.5, 1e-6},
        {"rigid/top.yaml", BOTH, 0.5, 1e-6},
        {"rigid/gears.yaml", BOTH, 0.5, 1e-6},
        {"rigid/mass_ratio.yaml", BOTH, 0.5, 2e-5},
        {"rigid/conveyor.yaml", BOTH, 1.0, 2e-4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int k = 0; k < 2; k++) {
            char what[96];
            if (cases[i].schemes & 1 << k) {
                worst w = compare(cases[i].scene, SCHEMES[k], brief_time(cases[i].until));
                snprintf(what, sizeof what, "%s %s, %d solvers: apart, %s [m]", cases[i].scene, SCHEMES[k], w.n,
                         w.solver);
                check_below(what, w.apart, cases[i].limit);
                assert_true(w.n >= 6);
            }
        }
    }
}

static void test_chaotic_scenes_agree_in_the_mean(void **state)
{
    // A body that falls down stairs, and balls that fall into a box and come to rest. Not lcp/disks21.yaml: that pile's
    // law has a continuum of solutions, and whether it comes down at all is up to the one that is taken.
    static const struct {
        const char *name, *scene;
        int schemes;
        double until, energy, height; // [s]; of the energy in motion; [m]
    } cases[] = {
        {"ragdoll", "joints/ragdoll.yaml", EULER, 1.2, 0.02, 0.01},
        {"balls fall into a box",
         "step: 5 ms\n"
         "materials: {stone: {density: 1000, friction: 0.3}}\n"
         "defaults: {body: {material: stone}}\n"
         "bodies:\n"
         "  floor: {fixed: true, shape: {plane: {}}}\n"
         "  left: {fixed: true, position: [-0.2, 0, 0.2], shape: {box: [0.1, 0.5, 0.4]}}\n"
         "  right: {fixed: true, position: [0.2, 0, 0.2], shape: {box: [0.1, 0.5, 0.4]}}\n"
         "  front: {fixed: true, position: [0, -0.2, 0.2], shape: {box: [0.5, 0.1, 0.4]}}\n"
         "  back: {fixed: true, position: [0, 0.2, 0.2], shape: {box: [0.5, 0.1, 0.4]}}\n"
         "  low: {position: [-5 cm, -6 cm, 6 cm], shape: {sphere: 5 cm}, array: {count: [2, 2, 1], spacing: [11 cm, 12 "
         "cm, 11 cm]}}\n"
         "  high: {position: [-3 cm, -5 cm, 18 cm], shape: {sphere: 4 cm}, array: {count: [2, 2, 1], spacing: [9 cm, "
         "10 "
         "cm, 10 cm]}}\n",
         BOTH, 1.5, 0.02, 0.01},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        for (int k = 0; k < 2; k++) {
            char what[96];
            if (cases[i].schemes & 1 << k) {
                worst w = compare(cases[i].scene, SCHEMES[k], cases[i].until);
                print_message("%s %s, %d solvers: apart by %.2g m\n", cases[i].name, SCHEMES[k], w.n, w.apart);
                snprintf(what, sizeof what, "%s %s: energy, relative", cases[i].name, SCHEMES[k]);
                check_below(what, w.energy, cases[i].energy);
                snprintf(what, sizeof what, "%s %s: height of the mass [m]", cases[i].name, SCHEMES[k]);
                check_below(what, w.height, cases[i].height);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_regular_scenes_end_alike),
        cmocka_unit_test(test_chaotic_scenes_agree_in_the_mean),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
