#include "solver/lemke/guess.h"

#include "math/dense.h"
#include "math/vec3.h"
#include "problem/bound.h"
#include "problem/rows.h"
#include "solver/facets.h"

#include <math.h>
#include <string.h>

enum { MAX_ROUNDS = 12, MAX_REFINEMENTS = 4 };
static const double PROXIMAL = 1e-8; // of the scaled systems' diagonal of about one
static const double REACHED = 1e-13; // of the law's residual, relative to the largest scaled force
static const double GOOD_ENOUGH = 1e-12;

// What a contact does: 0 nothing; else so many columns (unknown forces) and the rows that vanish.
typedef struct column {
    int owner;
    double push[3]; // force a unit
    double test[3]; // on the velocity: this vanishes
} column;

typedef struct guess {
    const tn_force_form *form;
    const tn_problem *p;
    int n_contacts, n_owners;
    double *scale; // (n_owners) force over scaled force
    double *force; // (form->n) all forces
    double *y;     // (form->n) velocities of them
    column *columns;
    int n_columns;
    double *A, *x;
    int *pivot;
    double residual; // of the law, scaled
    double largest;  // scaled force
} guess;

static bool create(guess *g, const tn_force_form *form, tn_arena *arena)
{
    const tn_problem *p = form->problem;
    *g = (guess){
        .form = form, .p = p, .n_contacts = p->rows->n_triples, .n_owners = p->rows->n_triples + form->n_bounded};
    size_t n = (size_t)form->n;
    g->scale = TN_PUSH_RAW(arena, double, g->n_owners);
    g->force = TN_PUSH_RAW(arena, double, n);
    g->y = TN_PUSH_RAW(arena, double, n);
    g->columns = TN_PUSH_RAW(arena, column, n);
    g->x = TN_PUSH_RAW(arena, double, n);
    g->pivot = TN_PUSH_RAW(arena, int, n);
    g->A = TN_PUSH_RAW(arena, double, n *n);
    if (!g->scale || !g->force || !g->y || !g->columns || !g->x || !g->pivot || !g->A) {
        return false;
    }
    for (int o = 0; o < g->n_owners; ++o) {
        double own = o < g->n_contacts ? fmax(form->own[3 * o], fmax(form->own[3 * o + 1], form->own[3 * o + 2]))
                                       : form->own[2 * g->n_contacts + o];
        g->scale[o] = own > 0.0 ? 1.0 / sqrt(own) : 1.0;
    }
    return true;
}

static int first_row(const guess *g, int owner)
{
    return owner < g->n_contacts ? 3 * owner : 2 * g->n_contacts + owner;
}

// y = H force + q.
static void find_velocities(guess *g)
{
    int n = g->form->n;
    for (int i = 0; i < n; ++i) {
        const double *row = g->form->H + (size_t)i * (size_t)n;
        double sum[4] = {g->form->q[i], 0.0, 0.0, 0.0};
        int j = 0;
        for (; j + 4 <= n; j += 4) {
            for (int k = 0; k < 4; ++k) {
                sum[k] += row[j + k] * g->force[j + k];
            }
        }
        for (; j < n; ++j) {
            sum[0] += row[j] * g->force[j];
        }
        g->y[i] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
    }
}

static column *add(guess *g, int owner)
{
    column *c = &g->columns[g->n_columns++];
    *c = (column){.owner = owner};
    return c;
}

// ---- a contact's state

// The point of the polygon with corners r D_i that is nearest to x: returns 0 inside (x itself), 1 on a corner, 2 on an
// edge; *corner is it, or the edge's first.
static int nearest_corner(const tn_problem *p, int m, double r, const double x[2], double out[2], int *corner)
{
    int n = tn_facets_count(p, m);
    double best = INFINITY;
    int kind = 0;
    bool inside = true;
    double a[2], b[2];
    tn_facets_direction(p, m, 0, a);
    for (int i = 0; i < n; ++i) {
        tn_facets_direction(p, m, (i + 1) % n, b);
        double along[2] = {r * (b[0] - a[0]), r * (b[1] - a[1])}, from[2] = {x[0] - r * a[0], x[1] - r * a[1]};
        double length2 = along[0] * along[0] + along[1] * along[1];
        double t = length2 > 0.0 ? (along[0] * from[0] + along[1] * from[1]) / length2 : 0.0;
        int is = t <= 0.0 || t >= 1.0 ? 1 : 2, at = t >= 1.0 ? (i + 1) % n : i;
        t = t < 0.0 ? 0.0 : t > 1.0 ? 1.0 : t;
        double point[2] = {r * a[0] + t * along[0], r * a[1] + t * along[1]};
        double d = (x[0] - point[0]) * (x[0] - point[0]) + (x[1] - point[1]) * (x[1] - point[1]);
        inside = inside && along[0] * from[1] - along[1] * from[0] >= 0.0;
        if (d < best) {
            best = d;
            kind = is;
            *corner = at;
            memcpy(out, point, sizeof point);
        }
        memcpy(a, b, sizeof a);
    }
    if (inside) {
        memcpy(out, x, 2 * sizeof *x);
    }
    return inside ? 0 : kind;
}

// With two directions the polygon is a segment along t1.
static int nearest_end(double r, const double x[2], double out[2], int *corner)
{
    *corner = x[0] > 0.0 ? 0 : 1;
    out[0] = x[0] > r ? r : x[0] < -r ? -r : x[0];
    out[1] = 0.0;
    return fabs(x[0]) > r;
}

static void add_corner(guess *g, int m, int i)
{
    column *c = add(g, m);
    tn_facets_ray(g->p, m, i, c->push);
    tn_vec3_set(c->test, 1.0, 0.0, 0.0);
    if (g->p->law == TN_LAW_CONVEX) {
        tn_vec3_copy(c->test, c->push);
    }
}

// Both ends of an edge: the second row is the velocity along it.
static void add_edge(guess *g, int m, int i)
{
    int n = tn_facets_count(g->p, m);
    double a[2], b[2];
    add_corner(g, m, i);
    add_corner(g, m, (i + 1) % n);
    tn_facets_direction(g->p, m, i, a);
    tn_facets_direction(g->p, m, (i + 1) % n, b);
    tn_vec3_set(g->columns[g->n_columns - 1].test, 0.0, b[0] - a[0], b[1] - a[1]);
}

static void add_stick(guess *g, int m, int dimensions)
{
    for (int k = 0; k < dimensions; ++k) {
        column *c = add(g, m);
        c->push[k] = c->test[k] = 1.0;
    }
}

static void read_contact(guess *g, int m)
{
    const double *lambda = g->force + 3 * (size_t)m, *u = g->y + 3 * (size_t)m;
    double rho = g->scale[m] * g->scale[m], mu = tn_facets_mu(g->p, m), nearest[3] = {0.0};
    int count = tn_facets_count(g->p, m), corner = 0, kind = 1;
    tn_bound bound = tn_problem_bound(g->p, m, NULL);
    double dilation = bound.associated ? tn_set_support(&bound, u) : 0.0;
    double normal = lambda[0] - rho * (u[0] - dilation);
    const double x[2] = {lambda[1] - rho * u[1], lambda[2] - rho * u[2]};
    if (normal > 0.0) {
        nearest[0] = normal;
        if (count > 0) {
            kind = count == 2 ? nearest_end(mu * normal, x, nearest + 1, &corner)
                              : nearest_corner(g->p, m, mu * normal, x, nearest + 1, &corner);
        }
        if (count == 0) {
            add_stick(g, m, 1);
        } else if (kind == 0) {
            add_stick(g, m, count == 2 ? 2 : 3);
        } else if (kind == 1) {
            add_corner(g, m, corner);
        } else {
            add_edge(g, m, corner);
        }
    }
    for (int i = 0; i < 3; ++i) {
        g->residual = fmax(g->residual, fabs(lambda[i] - nearest[i]) / g->scale[m]);
        g->largest = fmax(g->largest, fabs(lambda[i]) / g->scale[m]);
    }
}

// A joint row: *bound is its force where it is at a bound.
static void read_bounded(guess *g, int k)
{
    int owner = g->n_contacts + k, at = first_row(g, owner), row = g->form->bounded[k];
    double rho = g->scale[owner] * g->scale[owner];
    double pushed = g->force[at] - rho * g->y[at], held = tn_single_clamp(g->p->rows, row, pushed);
    g->residual = fmax(g->residual, fabs(g->force[at] - held) / g->scale[owner]);
    g->largest = fmax(g->largest, fabs(g->force[at]) / g->scale[owner]);
    if (held == pushed) {
        column *c = add(g, owner);
        c->push[0] = c->test[0] = 1.0;
    } else {
        g->force[at] = held;
    }
}

static void read_all(guess *g)
{
    g->n_columns = 0;
    g->residual = g->largest = 0.0;
    for (int m = 0; m < g->n_contacts; ++m) {
        read_contact(g, m);
    }
    for (int k = 0; k < g->form->n_bounded; ++k) {
        read_bounded(g, k);
    }
}

// ---- the linear system

// Forces that the columns can make nearest the present ones, as the start: contacts' part only has to be about right.
static void start_columns(guess *g)
{
    for (int k = 0; k < g->n_columns; ++k) {
        const column *c = &g->columns[k];
        const double *force = g->force + first_row(g, c->owner);
        int n = c->owner < g->n_contacts ? 3 : 1, turn = 0;
        for (int l = k; l > 0 && g->columns[l - 1].owner == c->owner; --l) {
            ++turn;
        }
        bool corner = n == 3 && c->push[0] == 1.0 && (c->push[1] != 0.0 || c->push[2] != 0.0);
        g->x[k] = corner ? fmax(force[0], 0.0) : force[turn];
        if (corner && (turn > 0 || (k + 1 < g->n_columns && g->columns[k + 1].owner == c->owner))) {
            g->x[k] *= 0.5; // two ends of an edge
        }
        g->x[k] /= g->scale[c->owner];
    }
}

// Forces of the columns; those of joint rows at a bound stay.
static void apply_columns(guess *g)
{
    memset(g->force, 0, 3 * (size_t)g->n_contacts * sizeof *g->force);
    for (int k = 0; k < g->n_columns; ++k) {
        const column *c = &g->columns[k];
        double *force = g->force + first_row(g, c->owner);
        if (c->owner >= g->n_contacts) {
            *force = g->x[k] * g->scale[c->owner];
            continue;
        }
        for (int i = 0; i < 3; ++i) {
            force[i] += c->push[i] * g->x[k] * g->scale[c->owner];
        }
    }
    find_velocities(g);
}

static void fill_matrix(guess *g)
{
    size_t n = (size_t)g->form->n, size = (size_t)g->n_columns;
    for (size_t k = 0; k < size; ++k) {
        const column *a = &g->columns[k];
        int a_row = first_row(g, a->owner), a_rows = a->owner < g->n_contacts ? 3 : 1;
        for (size_t l = 0; l < size; ++l) {
            const column *b = &g->columns[l];
            int b_row = first_row(g, b->owner), b_rows = b->owner < g->n_contacts ? 3 : 1;
            double sum = 0.0;
            for (int i = 0; i < a_rows; ++i) {
                const double *h = g->form->H + (size_t)(a_row + i) * n + (size_t)b_row;
                for (int j = 0; a->test[i] != 0.0 && j < b_rows; ++j) {
                    sum += a->test[i] * h[j] * b->push[j];
                }
            }
            g->A[k * size + l] = sum * g->scale[a->owner] * g->scale[b->owner];
        }
        g->A[k * (size + 1)] += PROXIMAL;
    }
}

// The columns' forces at which all tests vanish, as far as they can. False: singular.
static bool solve_columns(guess *g, double *right)
{
    int n = g->n_columns;
    start_columns(g);
    fill_matrix(g);
    if (!tn_dense_lu(n, g->A, g->pivot)) {
        return false;
    }
    double last = INFINITY;
    for (int round = 0; round <= MAX_REFINEMENTS; ++round) {
        apply_columns(g);
        double most = 0.0, largest = 0.0;
        for (int k = 0; k < n; ++k) {
            const column *c = &g->columns[k];
            const double *y = g->y + first_row(g, c->owner);
            double sum = c->test[0] * y[0];
            if (c->owner < g->n_contacts) {
                sum += c->test[1] * y[1] + c->test[2] * y[2];
            }
            right[k] = -sum * g->scale[c->owner];
            most = fmax(most, fabs(right[k]));
            largest = fmax(largest, fabs(g->x[k]));
        }
        if (most <= 1e-15 * largest || !(most < 0.5 * last)) {
            return true;
        }
        last = round > 0 ? most : INFINITY;
        tn_dense_lu_solve(n, g->A, g->pivot, right);
        for (int k = 0; k < n; ++k) {
            g->x[k] += right[k];
        }
    }
    apply_columns(g);
    return true;
}

bool tn_lemke_guess(const tn_force_form *form, tn_arena *arena, double *lambda, double *f, int *rounds)
{
    guess g;
    tn_arena_mark mark = tn_arena_get_mark(arena);
    double *right = TN_PUSH_RAW(arena, double, form->n);
    bool found = false;
    if (right && create(&g, form, arena)) {
        memcpy(g.force, lambda, 3 * (size_t)g.n_contacts * sizeof *lambda);
        memcpy(g.force + 3 * g.n_contacts, f, (size_t)form->n_bounded * sizeof *f);
        find_velocities(&g);
        read_all(&g);
        found = g.residual <= REACHED * g.largest; // the start is a solution
        double best = INFINITY;
        int stalled = 0;
        for (int k = 0; k < MAX_ROUNDS && !found && stalled < 4 && solve_columns(&g, right); ++k) {
            ++*rounds;
            read_all(&g);
            found =
                g.residual <= REACHED * g.largest || (g.residual <= GOOD_ENOUGH * g.largest && g.residual > 0.5 * best);
            stalled = g.residual < best ? 0 : stalled + 1;
            best = fmin(best, g.residual);
        }
        memcpy(lambda, g.force, 3 * (size_t)g.n_contacts * sizeof *lambda);
        memcpy(f, g.force + 3 * g.n_contacts, (size_t)form->n_bounded * sizeof *f);
    }
    tn_arena_release(arena, mark);
    return found;
}
