// Every solver that takes joint rows, on random trees and loops of rigid bodies over a floor: the certificate's figures
// reach the tolerance, and all agree on the velocities.
#include "joint_problem.h"

#include "solver/solver.h"

enum { PROBLEMS = 24 };
static const double TOLERANCE = 1e-8; // the project's default, of momentum, natural map and joints
static const double AGREE = 3e-5;     // of velocities, relative to the largest (and h g): loops are ill-conditioned

static double difference(int n, const double *a, const double *b, double floor)
{
    double most = 0.0, size = floor;
    for (int i = 0; i < n; ++i) {
        most = fmax(most, fabs(a[i] - b[i]));
        size = fmax(size, fabs(b[i]));
    }
    return most / size;
}

typedef struct tally {
    int solved, failed;
    double momentum, natural, joint, apart;
    long iterations;
} tally;

static void add(tally *t, const tn_solve_report *report, double apart)
{
    const tn_certificate *c = &report->certificate;
    ++t->solved;
    t->failed += !report->converged;
    t->momentum = fmax(t->momentum, c->momentum);
    t->natural = fmax(t->natural, c->natural);
    t->joint = fmax(t->joint, c->joint);
    t->apart = report->converged ? fmax(t->apart, apart) : t->apart;
    t->iterations += report->iterations;
}

// First-order methods take for ever with long chains and loops: they may stop short and say so, now and then; the
// active sets of qp where rows come twice.
static int may_fail(const char *solver)
{
    static const char *const some[] = {"pgs", "apgd", "ccs", "qp"};
    for (int i = 0; i < 4; ++i) {
        if (strcmp(solver, some[i]) == 0) {
            return PROBLEMS / 3;
        }
    }
    return 0;
}

// All solvers on PROBLEMS problems of one kind.
static void compare(const char *title, joint_choice choice, tn_law law, int facets)
{
    tally tallies[32] = {{0}};
    int bodies = choice.bodies;
    for (int k = 0; k < PROBLEMS; ++k) {
        choice.bodies = 1 + k % bodies;
        joint_problem *s = joint_create((uint64_t)(k + 1), &choice);
        s->problem.law = law;
        s->problem.facets = facets;
        double reference[6 * JOINT_BODIES];
        bool have = false;
        const tn_solver *solver;
        for (int i = 0; (solver = tn_solver_at(i)); ++i) {
            if (tn_solver_refusal(solver, &s->problem)) {
                continue;
            }
            tn_solve_report report = joint_solve(s, solver->name, TOLERANCE);
            if (!have) {
                memcpy(reference, s->v, sizeof reference);
                have = report.converged;
            }
            double apart = difference(6 * choice.bodies, s->v, reference, s->problem.velocity_scale);
            add(&tallies[i], &report, apart);
            if (!report.converged || !(apart <= AGREE)) {
                print_error("%s, problem %d, %s: converged %d, momentum %.1e, natural %.1e, joint %.1e, v apart %.1e\n",
                            title, k, solver->name, report.converged, report.certificate.momentum,
                            report.certificate.natural, report.certificate.joint, apart);
            }
        }
        joint_destroy(s);
    }
    for (int i = 0; tn_solver_at(i); ++i) {
        const tally *t = &tallies[i];
        if (t->solved > 0) {
            printf(
                "%-28s %-8s solved %d of %d, momentum %.1e natural %.1e joint %.1e (limit %.0e), v apart %.1e (limit "
                "%.0e), mean iterations %.1f\n",
                title, tn_solver_at(i)->name, t->solved - t->failed, t->solved, t->momentum, t->natural, t->joint,
                TOLERANCE, t->apart, AGREE, (double)t->iterations / t->solved);
            assert_true(t->failed <= may_fail(tn_solver_at(i)->name));
            assert_true(t->apart <= AGREE);
        }
    }
}

static void joints_alone(void **state)
{
    compare("tree", (joint_choice){.bodies = 24, .step = 0.01}, TN_LAW_COULOMB, 0);
    compare("loops, rows twice", (joint_choice){.bodies = 24, .loops = true, .twice = true, .step = 0.01},
            TN_LAW_COULOMB, 0);
    compare(
        "limits, friction, dampers",
        (joint_choice){.bodies = 24, .loops = true, .twice = true, .bounded = true, .compliant = true, .step = 0.01},
        TN_LAW_COULOMB, 0);
}

static const joint_choice contacts = {
    .bodies = 12,
    .loops = true,
    .twice = true,
    .bounded = true,
    .compliant = true,
    .contacts = 10,
    .mu = 0.3,
    .step = 0.01,
};

static void convex_law(void **state)
{
    compare("with contacts, convex", contacts, TN_LAW_CONVEX, 0);
}

static void frictionless_law(void **state)
{
    compare("with contacts, frictionless", contacts, TN_LAW_FRICTIONLESS, 0);
}

// A polyhedral cone: the convex law as one quadratic program, by all who take it.
static void polyhedral_law(void **state)
{
    compare("with contacts, 8 facets", contacts, TN_LAW_CONVEX, 8);
    compare("with contacts, 2 facets", contacts, TN_LAW_CONVEX, 2);
}

static void strict_law(void **state)
{
    compare("with contacts, strict", contacts, TN_LAW_COULOMB, 0);
}

// Two rows that contradict each other: the motion halfway between, and the report says that it is none that was asked.
static void contradiction(void **state)
{
    static const char *const names[] = {"auto", "direct", "newton", "ipm", "pgs"};
    const joint_choice choice = {.bodies = 3, .step = 0.01};
    joint_problem *s = joint_create(4, &choice);
    int i = s->joints.n_singles++, from = s->start[i - 1], n = s->start[i] - from;
    memcpy(&s->block[s->start[i]], &s->block[from], (size_t)n * sizeof *s->block);
    memcpy(&s->jacobian[3 * s->start[i]], &s->jacobian[3 * from], 3 * (size_t)n * sizeof *s->jacobian);
    s->start[i + 1] = s->start[i] + n;
    s->joint[i] = s->joint[i - 1];
    s->lower[i] = -INFINITY;
    s->upper[i] = INFINITY;
    s->offset[i] = 0.2;
    for (int k = 0; k < 5; ++k) {
        tn_solve_report report = joint_solve(s, names[k], TOLERANCE);
        double y = 0.0;
        for (int e = 0; e < n; ++e) {
            y += tn_vec3_dot(&s->jacobian[3 * (from + e)], &s->v[3 * s->block[from + e]]);
        }
        printf("contradictory rows, %-6s: converged %d, joint figure %.1e, velocity %.6f m/s (halfway: -0.1)\n",
               names[k], report.converged, report.certificate.joint, y);
        assert_false(report.converged);
        assert_true(report.certificate.joint > 1e-3 && isfinite(y));
        assert_true(k > 1 || fabs(y + 0.1) <= 1e-3); // direct's least squares
    }
    joint_destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(joints_alone),     cmocka_unit_test(contradiction), cmocka_unit_test(convex_law),
        cmocka_unit_test(frictionless_law), cmocka_unit_test(strict_law),    cmocka_unit_test(polyhedral_law),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
