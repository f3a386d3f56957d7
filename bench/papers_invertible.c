// Fig. 13 of the cond document: with Omega > 0 the contact force follows from the velocity alone.
//
// Forward: lambda of the solver. Inverse: from v only, contact by contact, lambda = SOL(J v + w, Omega), the law solved
// with Omega in place of W.
#include "judge.h"
#include "papers.h"
#include "problem/bound.h"
#include "problem/rows.h"

#include <math.h>

typedef struct agreement {
    double *norms, *totals; // (n) of samples [N]: of the difference; difference of the norms (the document's figure)
    double worst_contact;   // largest difference in one contact [N]
    double force;           // mean norm of the contact forces [N]
    int n, open;
} agreement;

static double square(const double x[3])
{
    return x[0] * x[0] + x[1] * x[1] + x[2] * x[2];
}

// Force of contact m from the velocities v (3 n_blocks) alone [N].
static void inverse_force(const tn_problem *p, int m, const double *v, double lambda[3])
{
    const tn_rows *c = p->rows;
    double u[3];
    tn_contact_velocity(c, m, v, u);
    for (int i = 0; i < 3; i++) {
        u[i] += c->offset[3 * m + i];
        lambda[i] = 0.0;
    }
    tn_bound bound = tn_problem_bound(p, m, NULL);
    tn_set_solve(&bound, c->softness + 9 * m, u, lambda);
}

static void compare_forces(const tn_problem *p, const verdict *v, agreement *a)
{
    double forward = 0.0, inverse = 0.0, apart = 0.0;
    for (int m = 0; m < p->rows->n_triples; m++) {
        double lambda[3], difference[3];
        inverse_force(p, m, v->v, lambda);
        for (int i = 0; i < 3; i++) {
            difference[i] = v->lambda[3 * m + i] - lambda[i];
        }
        forward += square(v->lambda + 3 * m);
        inverse += square(lambda);
        apart += square(difference);
        a->worst_contact = fmax(a->worst_contact, sqrt(square(difference)));
    }
    a->norms[a->n] = sqrt(apart);
    a->totals[a->n++] = fabs(sqrt(forward) - sqrt(inverse));
    a->force += sqrt(forward);
    a->open += !v->converged;
}

static void agreement_row(table *t, const char *scene, const char *label, agreement *a, double document)
{
    double mean = 0.0, worst = 0.0;
    for (int i = 0; i < a->n; i++) {
        mean += a->totals[i] / a->n;
        worst = fmax(worst, a->totals[i]);
    }
    table_word(t, "%s: %s", scene, label);
    table_number(t, "%.4f", a->n ? a->force / a->n : NAN);
    table_number(t, "%.2e", a->n ? 1e3 * mean : NAN);
    table_number(t, "%.2e", 1e3 * worst);
    table_number(t, "%.2e", 1e3 * bench_median(a->n, a->norms));
    table_number(t, "%.2e", 1e3 * a->worst_contact);
    table_number(t, "%.3g", document);
    table_row(t);
}

enum { CONTENDERS = 3, SAMPLES_MAX = 32 };

static bool play(const bench_options *options, const char *scene, const contender *contenders, agreement *a)
{
    track t;
    const char *set[] = {"solver.max_iterations=5000"};
    bool ok = track_open(&t, options, scene, 1, set);
    int n_steps = options->quick ? 40 : 150, stride = options->quick ? 20 : 10;
    for (int step = 1; step <= n_steps && ok; step++) {
        ok = track_step(&t);
        reference r;
        if (!ok || step % stride != 0 || t.sim->solving.eq.rows.contacts.n_triples == 0 || !judge_reference(&t, &r)) {
            continue;
        }
        for (int k = 0; k < CONTENDERS; k++) {
            verdict v = judge_solve(&t, &contenders[k], &r, 1, 1);
            if (v.ok) {
                compare_forces(&t.sim->solving.eq.problem, &v, &a[k]);
            }
        }
    }
    track_close(&t);
    return ok;
}

static int invertible_rows(const bench_options *options, table *t, const char *name, const char *scene, double document)
{
    const contender contenders[CONTENDERS] = {
        {"document's, theta 1e-4", "cond", true, TN_COND_CHEBYSHEV, {.theta = 1e-4}, 3000, false},
        {"auto, 1e-6", "auto", false, 0, {.momentum = 1e-6, .natural = 1e-6}, 5000, false},
        {"auto, 1e-8", "auto", false, 0, {.momentum = 1e-8, .natural = 1e-8}, 20000, false},
    };
    double storage[CONTENDERS][2][SAMPLES_MAX];
    agreement a[CONTENDERS];
    for (int k = 0; k < CONTENDERS; k++) {
        a[k] = (agreement){.norms = storage[k][0], .totals = storage[k][1]};
    }
    bool ok = play(options, scene, contenders, a);
    for (int k = 0; k < CONTENDERS; k++) {
        agreement_row(t, name, contenders[k].label, &a[k], document);
    }
    return !ok;
}

int papers_invertible(const bench_options *options, table *t)
{
    const char *heads[] = {"forward against inverse force",
                           "|force| N",
                           "norms differ mN",
                           "worst",
                           "difference mN",
                           "worst contact mN",
                           "document mN"};
    table_open(t, "cond, Fig. 13: invertible contact, Omega 1e-3 I", 7, heads);
    int failures = invertible_rows(options, t, "mat", "cond/invertible_mat.yaml", 0.087);
    failures += invertible_rows(options, t, "ball", "cond/invertible_ball.yaml", 0.48);
    table_note(t, "document: norm of all contact forces forward against inverse; limits 0.1 mN (mat), 0.5 mN (ball)");
    table_close(t);
    return failures;
}
