// What kind a problem is, by its counts of rows, contacts and bodies; never by clocks.
#include "solver/auto/kinds.h"

#include "problem/problem.h"
#include "problem/repeats.h"
#include "solver/facets.h"
#include "solver/newton/newton.h"
#include "solver/polish.h"
#include "solver/solvers.h"

// Most contacts share their bodies with the one before.
static bool is_stacked(const tn_rows *c)
{
    int beside = 0;
    for (int m = 1; m < c->n_triples; ++m) {
        beside += tn_rows_repeat(c, m);
    }
    return 2 * beside > c->n_triples;
}

tn_traits tn_traits_of(const tn_problem *problem, const tn_solve_options *options, tn_arena *arena)
{
    const tn_rows *rows = problem->rows;
    tn_traits t = {.problem = problem, .options = options, .n = rows->n_triples, .n_frictions = rows->n_frictions};
    t.n_singles = rows->n_singles;
    t.elastic = tn_problem_is_elastic(problem, arena);
    t.rigid = problem->A && !t.elastic;
    t.stacked = t.rigid && is_stacked(rows);
    t.tame = t.rigid && t.n_singles == 0 && (t.stacked || t.n <= TN_AUTO_EARLY_CONTACTS);
    return t;
}

bool tn_is_polyhedral(const tn_problem *problem)
{
    return problem->rows->n_triples > 0 && problem->facets > 0 && problem->law != TN_LAW_FRICTIONLESS &&
           problem->rows->n_frictions == 0;
}

// At all, or where what is left open later will not be enough (rigid, 512 still spheres at 1e-6).
bool tn_is_tight(const tn_traits *t)
{
    enum { TIGHT_CONTACTS = 4000 };
    const double TIGHT = 1e-7, TIGHT_ALL = 1e-6;
    const tn_tolerance *aim = &t->options->tolerance;
    double natural = t->options->enough > 0.0 ? TIGHT : TIGHT_ALL;
    return t->rigid && t->n <= TIGHT_CONTACTS &&
           ((aim->fclib > 0.0 && aim->fclib <= TIGHT) || (aim->natural > 0.0 && aim->natural <= natural));
}

bool tn_is_large_and_free(const tn_traits *t)
{
    enum { LARGE_ROWS = 400 }; // block rows from which nodal is faster than a factorisation
    return t->n == 0 && t->n_singles == 0 && t->elastic && t->problem->A->n_rows > LARGE_ROWS;
}

bool tn_is_mechanism(const tn_traits *t)
{
    return t->n == 0 && t->n_singles > 0 && !tn_solver_dense.refuses(t->problem);
}

bool tn_is_free(const tn_traits *t)
{
    return t->n == 0;
}

bool tn_is_for_pivots(const tn_traits *t)
{
    return tn_is_polyhedral(t->problem);
}

// ---- joints and contacts

static bool has_joints(const tn_traits *t)
{
    return t->n > 0 && t->n_singles > 0 && !tn_is_polyhedral(t->problem);
}

// Interior point steps cost more than the sweeps of a step of a simulation.
static bool has_many_contacts(const tn_traits *t)
{
    return t->n > 2000;
}

bool tn_is_jointed_and_small(const tn_traits *t)
{
    return has_joints(t) && !t->elastic && !tn_solver_dense.refuses(t->problem);
}

bool tn_is_jointed_and_rubs(const tn_traits *t)
{
    return has_joints(t) && t->n_frictions > 0 && !t->elastic && !has_many_contacts(t);
}

// A paddle among balls, not a chain on the ground: sweeps carry forces along a chain slowly.
static bool has_few_joints(const tn_traits *t)
{
    return 2 * t->n_singles <= t->n;
}

bool tn_is_jointed_and_crowded(const tn_traits *t)
{
    enum { CROWD = 40 }; // contacts; sweeps over less of them take as long as a few of dense's steps
    return tn_is_jointed_and_small(t) && t->n_frictions == 0 && t->n > CROWD && has_few_joints(t);
}

// In motion coarser aims will do, which sweeps reach.
static bool may_be_coarse(const tn_traits *t)
{
    return t->options->moving > 0.0;
}

bool tn_is_jointed_for_sweeps(const tn_traits *t)
{
    return has_joints(t) && !tn_is_jointed_and_small(t) && !tn_is_jointed_and_rubs(t) &&
           (t->n_frictions > 0 || (!t->elastic && (has_many_contacts(t) || (has_few_joints(t) && may_be_coarse(t)))));
}

bool tn_is_jointed_and_elastic(const tn_traits *t)
{
    return has_joints(t) && t->n_frictions == 0 && t->elastic;
}

bool tn_is_thin(const tn_blocks *A)
{
    enum { THICK_BLOCKS = 10 }; // a row: tetrahedra have 13, rods 6
    return A->start[A->n_rows] <= THICK_BLOCKS * A->n_rows;
}

bool tn_is_jointed_and_thick(const tn_traits *t)
{
    return tn_is_jointed_and_elastic(t) && !tn_is_thin(t->problem->A);
}

bool tn_is_jointed(const tn_traits *t)
{
    return has_joints(t) && t->n_frictions == 0 && !t->elastic &&
           (t->apart || t->handed_over || !tn_is_jointed_for_sweeps(t) || (t->unsettled && !has_many_contacts(t)));
}

bool tn_rolls(const tn_traits *t)
{
    return t->n_frictions > 0 && t->n_singles == 0;
}

// ---- contacts alone

static bool has_contacts_alone(const tn_traits *t)
{
    return t->n > 0 && t->n_singles == 0 && t->n_frictions == 0 && !tn_is_polyhedral(t->problem);
}

bool tn_is_elastic(const tn_traits *t)
{
    return has_contacts_alone(t) && t->elastic;
}

// The rows of W are at hand, or may be made.
bool tn_has_rows(const tn_traits *t)
{
    return has_contacts_alone(t) && (!t->elastic || t->n <= TN_AUTO_FEW_CONTACTS);
}

bool tn_is_crowd(const tn_traits *t)
{
    return tn_has_rows(t) && tn_newton_suits_velocities(t->problem);
}

bool tn_is_a_few(const tn_traits *t)
{
    enum { FEW = 3 }; // dense is as fast from there on
    return tn_has_rows(t) && t->n <= FEW && !tn_solver_few.refuses(t->problem);
}

bool tn_is_small(const tn_traits *t)
{
    return tn_has_rows(t) && !t->elastic && tn_polish_is_certain(t->problem) && !tn_solver_dense.refuses(t->problem);
}

// Of contacts that are swept in less time than a few of dense's steps take.
bool tn_is_planar_and_small(const tn_traits *t)
{
    enum { PLANAR_CONTACTS = 20 }; // with less of them dense is as fast (rigid/gears)
    bool planar = t->n >= PLANAR_CONTACTS && tn_is_small(t) && t->rigid;
    for (int m = 0; planar && m < t->n; ++m) {
        planar = tn_facets_planar(t->problem, m);
    }
    return planar;
}

bool tn_is_program(const tn_traits *t)
{
    return tn_has_rows(t) && t->rigid && t->problem->law == TN_LAW_CONVEX &&
           !tn_solver_refusal(&tn_solver_qp, t->problem);
}

bool tn_is_slow(const tn_traits *t)
{
    return t->handed_over && t->tame && !tn_is_tight(t);
}

bool tn_is_hard(const tn_traits *t)
{
    return tn_has_rows(t) && t->rigid && t->n <= TN_AUTO_EARLY_CONTACTS && !t->enough && !tn_is_tight(t) &&
           !tn_solver_dense.refuses(t->problem);
}

bool tn_is_stubborn(const tn_traits *t)
{
    bool done = t->n > TN_AUTO_EARLY_CONTACTS ? t->handed_over : t->enough; // what is slow has been tried, or will do
    return tn_has_rows(t) && t->rigid && ((t->n <= TN_AUTO_FEW_CONTACTS && !done) || tn_is_tight(t));
}

bool tn_is_stubborn_and_local(const tn_traits *t)
{
    return tn_has_rows(t) && !t->rigid && !tn_solver_newton.refuses(t->problem);
}
