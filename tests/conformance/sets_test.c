// Conformance by set: random small problems of each kind of constraint, strict and associated, hard and soft, are
// solved by every solver that takes them. The test's own conditions of the law hold, and where the solution is unique
// (a well-conditioned Delassus operator, friction up to 0.3) all agree on the velocities.
#include "friction_problem.h"

#include "solver/solver.h"
#include "tenon/set.h"

#ifdef TN_SANITIZED // ten times slower; the plain build solves the rest
enum { PROBLEMS = 40 };
#else
enum { PROBLEMS = 200 };
#endif
enum { MOST = 12 };
static const double TOLERANCE = 1e-10; // of each solver
static const double LIMIT = 1e-8;      // of differences and of the conditions below, relative

typedef struct family {
    const char *name;
    bool associated, soft, elliptic, preload;
    int facets;
    tn_set friction; // of the last third of the triples; TN_SET_CONE: contacts only
    int singles;
} family;

// A problem of a family with what friction_problem has no room for.
typedef struct sample {
    friction_problem *f;
    double softness[9 * MOST], preload[MOST], compliance[MOST], lower[MOST], upper[MOST];
    unsigned char set[MOST];
    int pressed_by[MOST];
} sample;

static double draw(int seed, int stream, int i)
{
    return tn_random_uniform((uint64_t)seed, (uint64_t)(100 + stream), (uint64_t)i);
}

static void add_frictions(sample *s, const family *kind, int seed)
{
    tn_rows *c = &s->f->contacts;
    c->n_frictions = kind->friction == TN_SET_CONE ? 0 : c->n_triples / 3;
    int n = c->n_triples - c->n_frictions;
    for (int k = 0; k < c->n_frictions; ++k) {
        bool ellipse = kind->friction == TN_SET_ELLIPSE,
             alone = ellipse || (kind->friction == TN_SET_BALL && k % 2 == 0);
        s->set[k] = (unsigned char)kind->friction;
        s->pressed_by[k] = alone ? -1 : k % n;
        s->f->mu[2 * (n + k)] = 0.3 * draw(seed, 1, k);
        s->f->mu[2 * (n + k) + 1] = alone && !ellipse ? 0.0 : 0.2 * draw(seed, 2, k);
    }
    c->friction_set = s->set;
    c->pressed_by = s->pressed_by;
}

// Rows on one block or two: free, with a lower bound, within an interval; by turns.
static void add_singles(sample *s, const family *kind, int seed)
{
    friction_problem *f = s->f;
    tn_rows *c = &f->contacts;
    int n = c->n_triples, n_rows = f->problem.A->n_rows;
    c->n_singles = kind->singles;
    for (int i = 0; i < kind->singles; ++i) {
        int first = f->start[n + i], a = i % n_rows, b = (i + 1) % n_rows;
        f->start[n + i + 1] = first + 2;
        f->block[first] = a < b ? a : b;
        f->block[first + 1] = a < b ? b : a;
        for (int k = 0; k < 6; ++k) {
            f->jacobian[9 * f->start[n] + 3 * (first - f->start[n]) + k] = 2.0 * draw(seed, 3, 6 * i + k) - 1.0;
        }
        f->offset[3 * n + i] = 0.4 * draw(seed, 4, i) - 0.2;
        s->compliance[i] = kind->soft ? 0.2 * draw(seed, 5, i) : 0.0;
        s->lower[i] = i % 3 == 0 ? -INFINITY : i % 3 == 1 ? 0.0 : -0.2;
        s->upper[i] = i % 3 == 2 ? 0.1 : INFINITY;
    }
    c->compliance = s->compliance;
    c->lower = s->lower;
    c->upper = s->upper;
}

static void make(const family *kind, int seed, sample *s)
{
    int n_rows = 4 + 2 * (seed % 3);
    s->f = friction_global((uint64_t)seed, n_rows, n_rows, seed % 2 == 1, 0.3);
    tn_rows *c = &s->f->contacts;
    s->f->problem.law = kind->associated ? TN_LAW_CONVEX : TN_LAW_COULOMB;
    s->f->problem.facets = kind->facets;
    s->f->problem.force_scale = s->f->problem.velocity_scale = 1.0;
    for (int m = 0; m < c->n_triples; ++m) {
        s->f->mu[2 * m + 1] *= kind->elliptic ? 0.4 : 1.0;
        s->preload[m] = kind->preload ? draw(seed, 6, m) : 0.0;
        for (int k = 0; k < 9; ++k) {
            s->softness[9 * m + k] = k % 4 == 0 ? 0.05 + 0.01 * (k / 4) : 0.004;
        }
    }
    c->softness = kind->soft ? s->softness : NULL;
    add_frictions(s, kind, seed);
    for (int m = c->n_triples - c->n_frictions; m < c->n_triples; ++m) {
        s->preload[m] = 0.0;
    }
    c->preload = kind->preload ? s->preload : NULL;
    if (kind->singles > 0) {
        add_singles(s, kind, seed);
    }
}

// ---- the conditions, written apart from the engine

// max c . y over the section, its gauge of t (t lies in g times the section), of mu times a disc or a polygon.
static double support(const double mu[2], int facets, const double y[2])
{
    double best = 0.0;
    for (int k = 0; k < facets; ++k) {
        double a = 6.283185307179586 * k / facets;
        best = fmax(best, mu[0] * cos(a) * y[0] + mu[1] * sin(a) * y[1]);
    }
    return facets > 0 ? best : hypot(mu[0] * y[0], mu[1] * y[1]);
}

static double gauge(const double mu[2], int facets, const double t[2])
{
    double x = t[0] / mu[0], y = t[1] / mu[1], most = 0.0, half = 3.141592653589793 / (facets > 0 ? facets : 1);
    for (int k = 0; k < facets; ++k) { // the edges' normals lie half way between the corners
        double a = (2 * k + 1) * half;
        most = fmax(most, (x * cos(a) + y * sin(a)) / cos(half));
    }
    return facets > 0 ? most : hypot(x, y);
}

// Each of the conditions that a contact misses, the worst.
static double contact_off(const sample *s, int m, bool associated, int facets, const double *f, const double *u)
{
    const double *mu = s->f->mu + 2 * m;
    double F = f[0] + s->preload[m], sigma = support(mu, facets, (const double[2]){-u[1], -u[2]});
    double normal = u[0] - (associated ? sigma : 0.0), off = fmax(-F, -normal);
    off = fmax(off, fabs(F * normal));
    off = fmax(off, fabs(F * sigma + f[1] * u[1] + f[2] * u[2]));
    return fmax(off, mu[0] > 0.0 && mu[1] > 0.0 ? gauge(mu, facets, f + 1) - F : 0.0);
}

static double ball_off(double radius, int n, const double *f, const double *w)
{
    double force = 0.0, speed = 0.0, power = 0.0;
    for (int i = 0; i < n; ++i) {
        force += f[i] * f[i];
        speed += w[i] * w[i];
        power += f[i] * w[i];
    }
    return fmax(sqrt(force) - radius, fabs(radius * sqrt(speed) + power));
}

// The third row bears nothing.
static double ellipse_off(const double *b, const double *f, const double *w)
{
    double power = hypot(b[0] * w[0], b[1] * w[1]) + f[0] * w[0] + f[1] * w[1];
    return fmax(fmax(b[0], b[1]) * (hypot(f[0] / b[0], f[1] / b[1]) - 1.0), fmax(fabs(f[2]), fabs(power)));
}

static double row_off(double low, double high, double f, double y)
{
    double off = fmax(fmax(low - f, f - high), 0.0);
    off = fmax(off, y > 0.0 ? y * (low == -INFINITY ? 1.0 : f - low) : 0.0);
    return fmax(off, y < 0.0 ? -y * (high == INFINITY ? 1.0 : high - f) : 0.0);
}

static double conditions_off(const sample *s, const family *kind)
{
    const tn_problem *p = &s->f->problem;
    const tn_rows *c = p->rows;
    const double *v = s->f->v, *lambda = s->f->lambda;
    double worst = 0.0;
    int n = c->n_triples - c->n_frictions;
    for (int m = 0; m < c->n_triples; ++m) {
        const double *f = lambda + 3 * m;
        double u[3];
        for (int i = 0; i < 3; ++i) {
            u[i] = c->offset[3 * m + i];
            for (int j = 0; c->softness && j < 3; ++j) {
                u[i] += c->softness[9 * m + 3 * i + j] * f[j];
            }
            for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
                for (int j = 0; j < 3; ++j) {
                    u[i] += c->jacobian[9 * e + 3 * i + j] * v[3 * c->block[e] + j];
                }
            }
        }
        double pressed = m < n || c->pressed_by[m - n] < 0 ? 0.0 : lambda[3 * c->pressed_by[m - n]];
        const double *size = c->mu + 2 * m;
        double off = m < n                              ? contact_off(s, m, kind->associated, kind->facets, f, u)
                     : kind->friction == TN_SET_ELLIPSE ? ellipse_off(size, f, u)
                     : kind->friction == TN_SET_BALL
                         ? ball_off(size[0] + size[1] * pressed, 3, f, u)
                         : fmax(ball_off(size[0] * pressed, 1, f, u), ball_off(size[1] * pressed, 2, f + 1, u + 1));
        worst = fmax(worst, off);
    }
    for (int i = 0; i < c->n_singles; ++i) {
        double f = lambda[3 * c->n_triples + i], y = c->offset[3 * c->n_triples + i] + c->compliance[i] * f;
        const double *g = c->jacobian + 9 * c->start[c->n_triples];
        for (int e = c->start[c->n_triples + i]; e < c->start[c->n_triples + i + 1]; ++e) {
            for (int k = 0; k < 3; ++k) {
                y += g[3 * (e - c->start[c->n_triples]) + k] * v[3 * c->block[e] + k];
            }
        }
        worst = fmax(worst, row_off(c->lower[i], c->upper[i], f, y));
    }
    return worst;
}

// ---- all solvers

typedef struct tally {
    int solved, missed;         // missed: the tolerance, which is finer than the limit
    double apart, off, natural; // natural: of the certificate
} tally;

static void solve_with(const tn_solver *solver, const family *kind, sample *s, const double *known, tally *t)
{
    tn_solve_options options = tn_solve_options_default();
    options.tolerance = (tn_tolerance){.momentum = TOLERANCE, .natural = TOLERANCE, .joint = TOLERANCE};
    options.max_iterations = 100000;
    memset(s->f->lambda, 0, sizeof s->f->lambda);
    memset(s->f->v, 0, sizeof s->f->v);
    tn_solve_report report = {0};
    tn_error error = {0};
    tn_status status = tn_problem_solve(&s->f->problem, solver->name, &options, &s->f->solution, &report, &error);
    if (status != TN_OK) {
        print_error("%s: %s: %s\n", kind->name, solver->name, error.message);
        fail();
    }
    ++t->solved;
    t->missed += !report.converged;
    t->natural = fmax(t->natural, report.certificate.natural);
    double apart = 0.0, size = 1.0;
    for (int i = 0; known && i < 3 * s->f->problem.A->n_rows; ++i) {
        apart = fmax(apart, fabs(s->f->v[i] - known[i]));
        size = fmax(size, fabs(known[i]));
    }
    t->apart = fmax(t->apart, apart / size);
    t->off = fmax(t->off, conditions_off(s, kind));
}

static void run(const family *kind)
{
    tally tallies[32] = {{0}};
    for (int k = 0; k < PROBLEMS; ++k) {
        static sample s;
        double known[3 * FRICTION_ROWS];
        bool first = true;
        make(kind, k + 1, &s);
        for (int i = 0; tn_solver_at(i); ++i) {
            const tn_solver *solver = tn_solver_at(i);
            if (solver->own_law || tn_solver_refusal(solver, &s.f->problem)) {
                continue;
            }
            solve_with(solver, kind, &s, first ? NULL : known, &tallies[i]);
            if (first) {
                memcpy(known, s.f->v, sizeof known);
                first = false;
            }
        }
        assert_false(first);
        friction_destroy(s.f);
    }
    for (int i = 0; tn_solver_at(i); ++i) {
        const tally *t = &tallies[i];
        if (t->solved == 0) {
            continue;
        }
        printf("%-24s %-10s %d problems, %d not reached, v apart %.1e, conditions off %.1e, natural figure %.1e (limit "
               "%.0e)\n",
               kind->name, tn_solver_at(i)->name, t->solved, t->missed, t->apart, t->off, t->natural, LIMIT);
        assert_true(t->apart <= LIMIT && t->off <= LIMIT && t->natural <= LIMIT);
    }
}

#define FAMILY(NAME, ...)                                                                                              \
    static void NAME(void **state)                                                                                     \
    {                                                                                                                  \
        run(&(family){.name = #NAME, .friction = TN_SET_CONE, __VA_ARGS__});                                           \
        run(&(family){.name = #NAME ", soft", .friction = TN_SET_CONE, .soft = true, __VA_ARGS__});                    \
    }

FAMILY(cone, .associated = false)
FAMILY(cone_associated, .associated = true)
FAMILY(ellipse, .elliptic = true)
FAMILY(ellipse_associated, .elliptic = true, .associated = true)
FAMILY(polyhedron, .facets = 6)
FAMILY(polyhedron_associated, .facets = 8, .associated = true)
FAMILY(preload, .preload = true)
FAMILY(preload_associated, .preload = true, .associated = true)
FAMILY(preload_polyhedron, .preload = true, .facets = 4)
FAMILY(rows, .singles = 5)
FAMILY(rows_associated, .singles = 5, .associated = true)
FAMILY(rows_polyhedron, .singles = 5, .facets = 4)

// The designated initialiser of FAMILY names the set of the contacts; these have others.
static void run_friction(const char *name, tn_set set, int singles)
{
    run(&(family){.name = name, .friction = set, .singles = singles});
    run(&(family){.name = name, .friction = set, .singles = singles, .soft = true});
}

static void moments(void **state)
{
    run_friction("moments", TN_SET_MOMENT, 0);
    run_friction("moments and rows", TN_SET_MOMENT, 3);
}

static void balls(void **state)
{
    run_friction("balls", TN_SET_BALL, 0);
    run_friction("balls and rows", TN_SET_BALL, 3);
}

static void ellipses(void **state)
{
    run_friction("ellipses", TN_SET_ELLIPSE, 0);
    run_friction("ellipses and rows", TN_SET_ELLIPSE, 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cone),
        cmocka_unit_test(cone_associated),
        cmocka_unit_test(ellipse),
        cmocka_unit_test(ellipse_associated),
        cmocka_unit_test(polyhedron),
        cmocka_unit_test(polyhedron_associated),
        cmocka_unit_test(preload),
        cmocka_unit_test(preload_associated),
        cmocka_unit_test(preload_polyhedron),
        cmocka_unit_test(rows),
        cmocka_unit_test(rows_associated),
        cmocka_unit_test(rows_polyhedron),
        cmocka_unit_test(moments),
        cmocka_unit_test(balls),
        cmocka_unit_test(ellipses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
