#include "compare.h"

#include <math.h>
#include <stdlib.h>

static bool tally_add(tally *t, verdict v)
{
    if (t->n == t->capacity) {
        int capacity = t->capacity ? 2 * t->capacity : 64;
        verdict *larger = realloc(t->verdicts, (size_t)capacity * sizeof *larger);
        if (!larger) {
            return false;
        }
        t->verdicts = larger;
        t->capacity = capacity;
    }
    v.v = v.lambda = NULL;
    t->verdicts[t->n++] = v;
    return true;
}

static bool sample(comparison *c, track *t, const plan *p)
{
    reference r;
    if (!judge_reference(t, &r)) {
        return false;
    }
    bool with_slow = p->slow_every > 0 && c->n_samples % p->slow_every == 0;
    double residual = fmax(r.momentum, r.natural);
    c->n_samples++;
    c->n_loose += !r.converged;
    c->loosest = fmax(c->loosest, residual);
    c->n_contacts += t->sim->solving.eq.rows.contacts.n_triples;
    bool room = true;
    for (int k = 0; k < p->n && room; k++) {
        const contender *a = &p->contenders[k];
        bool spent = p->cap > 0.0 && c->tallies[k].spent > p->cap;
        if ((a->slow && !with_slow) || spent || !a->name || !tn_solver_find(a->name)) {
            continue;
        }
        verdict v = judge_solve(t, a, &r, a->slow ? 1 : p->repeats ? p->repeats : 3, p->n_threads);
        c->tallies[k].spent += v.ok ? v.seconds : 0.0;
        c->tallies[k].n_failed += !v.ok;
        c->tallies[k].n_open += v.ok && !v.converged;
        room = !v.ok || tally_add(&c->tallies[k], v);
    }
    return room;
}

bool compare_run(comparison *c, const bench_options *options, const plan *p, int n_set, const char *const *set)
{
    track t;
    bool ok = track_open(&t, options, p->scene, n_set, set);
    for (int step = 1; step <= p->n_steps && ok; step++) {
        ok = track_step(&t) &&
             tally_add(&c->steps, (verdict){.seconds = track_dynamics(&t), .iterations = t.report.solve.iterations});
        if (ok && step >= p->first && (step - p->first) % p->stride == 0 &&
            t.sim->solving.eq.rows.contacts.n_triples > 0) {
            ok = sample(c, &t, p);
        }
    }
    track_close(&t);
    return ok;
}

void compare_free(comparison *c)
{
    for (int k = 0; k < CONTENDERS_MAX; k++) {
        free(c->tallies[k].verdicts);
    }
    free(c->steps.verdicts);
}

double verdict_error(const verdict *v)
{
    return v->error;
}

double verdict_penetration_mm(const verdict *v)
{
    return 1e3 * v->penetration;
}

double verdict_internal(const verdict *v)
{
    return v->internal;
}

double verdict_contact(const verdict *v)
{
    return v->contact;
}

double verdict_ms(const verdict *v)
{
    return 1e3 * (v->seconds - v->setup);
}

double verdict_setup_ms(const verdict *v)
{
    return 1e3 * v->setup;
}

double verdict_iterations(const verdict *v)
{
    return v->iterations;
}

double tally_mean(const tally *t, figure *f)
{
    double sum = 0.0;
    for (int i = 0; i < t->n; i++) {
        sum += f(&t->verdicts[i]);
    }
    return t->n ? sum / t->n : NAN;
}

double tally_median(const tally *t, figure *f)
{
    double *values = malloc((size_t)t->n * sizeof *values + 1), result = NAN;
    for (int i = 0; values && i < t->n; i++) {
        values[i] = f(&t->verdicts[i]);
    }
    if (values && t->n > 0) {
        result = bench_median(t->n, values);
    }
    free(values);
    return result;
}

double tally_worst(const tally *t, figure *f)
{
    double worst = t->n ? 0.0 : NAN;
    for (int i = 0; i < t->n; i++) {
        worst = fmax(worst, f(&t->verdicts[i]));
    }
    return worst;
}

void compare_note(const comparison *c, table *t)
{
    table_note(
        t, "%d problems from %d steps, %.0f contacts on average; v* and forces from a solution with residual %.1e%s",
        c->n_samples, c->steps.n, c->n_samples ? c->n_contacts / c->n_samples : 0.0, c->loosest,
        c->n_loose ? " (worst)" : "");
    if (c->n_loose) {
        table_note(t, "the over-converged solution missed 1e-12 on %d of them", c->n_loose);
    }
}
