// One step's problem: linear momentum balance, contacts, law; its solution and its certificate.
//
//     A v = b + J^T lambda + G^T f,   u = J v + w,   law(u, lambda),   joints(G v + c + R f, f)
//
// A is made of 3x3 blocks; each contact carries three rows: normal, tangent 1, tangent 2; joints have scalar rows.
// All memory is the caller's. docs/notation.md declares the letters.
#pragma once

#include "tenon/error.h"

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif
#pragma GCC visibility push(default) // all else is hidden

// 3x3-block sparse matrix, block rows compressed. Columns of a row ascend.
typedef struct tn_blocks {
    int n_rows;    // block rows
    int n_cols;    // block columns
    int *start;    // (n_rows + 1) first block of each row
    int *column;   // (start[n_rows]) block column of each block
    double *value; // (start[n_rows], 9) each block row-major
} tn_blocks;

typedef enum tn_law {
    TN_LAW_COULOMB,      // strict Signorini-Coulomb (NCP)
    TN_LAW_CONVEX,       // cone complementarity (CCP): associated, hovers while sliding
    TN_LAW_FRICTIONLESS, // normal row only, tangential force zero
} tn_law;

// Everything that constrains, in one list: n_triples constraints of three rows each (contacts, then moments), followed
// by n_singles of one row (joints, their limits, motors and friction). Constraint i begins at row 3 i of the problem,
// or at 3 n_triples + (i - n_triples); arrays of rows are that long, those of constraints n_triples + n_singles.
//
// With y = J v + w + R f: of a contact [0] is along the normal, from body A's surface to body B, then the tangents, y
// the velocity of B's point relative to A's and f the force on B in that frame. Of a single row f stays within [lower,
// upper] and y = 0 where lower < f < upper, y >= 0 at f = lower, y <= 0 at f = upper. So +-INFINITY is a bilateral
// row, [0, INFINITY] a limit, [-F, F] a friction force or a motor that can give no more. f acts along the row.
// Rows may depend on one another (redundant joints): solvers then return some f that balances.
typedef struct tn_rows {
    int n_triples;
    int n_singles;
    const int *start;       // (constraints + 1) first Jacobian entry of each; NULL in local form
    const int *block;       // (entries) block of v that the entry multiplies; a constraint names no block twice
    const double *jacobian; // (entries of triples, 9) rows in the constraint's frame, then (entries of singles, 3)
    const double *offset;   // (rows) w: gap or drift term, motion of surfaces and drives [m/s, rad/s]; local form: q

    // Of triples.
    const double *frame;    // (n_triples, 9) rows n, t1, t2 in world axes, right-handed; NULL in local form
    const double *gap;      // (n_triples) signed distance [m], or NULL
    const double *mu;       // (n_triples, 2) friction along t1 and t2; equal where isotropic
    const double *softness; // (n_triples, 9) R, symmetric, positive semidefinite [m/(s N)] (cond's Omega); NULL: hard
    // Pull a >= 0 [N] that each contact bears, {f_n >= -a, |f_t| <= mu (f_n + a)}; NULL: none (adhesion, magnets).
    const double *preload; // (n_triples), 0 beyond the contacts
    // The last n_frictions of the triples are no contacts but dry friction that holds a velocity at zero or opposes it,
    // within what friction_set says (tenon/set.h; its numbers are mu): TN_SET_MOMENT, rolling and torsional friction of
    // the contact that presses: u the relative angular velocity [rad/s], lambda the moment on B [N m] about n, t1, t2,
    // |lambda_0| <= mu[0] f_n, |(lambda_1, lambda_2)| <= mu[1] f_n with mu in metres; or TN_SET_BALL, friction of a
    // spherical joint or, with a third row of zeros, of a plane: |lambda| <= mu[0] + mu[1] f_n; or TN_SET_ELLIPSE,
    // friction of a plane that depends on the direction: |(lambda_0 / mu[0], lambda_1 / mu[1])| <= 1, lambda_2 = 0.
    // What a contact presses needs the strict law.
    int n_frictions;
    const unsigned char *friction_set; // (n_frictions) a tn_set; NULL: all TN_SET_MOMENT
    const int *pressed_by;             // (n_frictions) the contact; -1: none (TN_SET_BALL with mu[1] = 0, ELLIPSE)

    // Of singles.
    const double *compliance; // (n_singles) R >= 0 [m/(s N), rad/(s N m)]: 0 is hard; 1/R is a damper
    const double *lower;      // (n_singles) [N, N m], -INFINITY where there is none; lower <= upper, not both infinite
    const double *upper;      // (n_singles)                                                                    alike
    const int *joint;         // (n_singles) whose row it is, ascending: only messages and groups of rows look at it
} tn_rows;

// Global form: A, b, contacts with Jacobians. Local form: W (perhaps not symmetric), rows->offset = q,
// A = NULL, b = NULL: u = W lambda + q; momentum figures do not apply and lambda is whatever W maps from.
typedef struct tn_problem {
    const tn_blocks *A;  // SPD [N s/m]
    const double *b;     // (3 A->n_rows) [N]
    const tn_blocks *W;  // (rows->n_triples square) [s/kg]; NULL in global form
    const tn_rows *rows; // local form: triples only
    tn_law law;
    // The friction cone: 0 is round. Else a polyhedral one with so many directions, evenly turned from t1 (2: along t1
    // alone; otherwise even, at least 4): |lambda_t| is then the least sum of coefficients that makes lambda_t.
    int facets;
    double step;               // h [s]; 1 in local form
    double force_scale;        // floor of force norms [N]: |b|_inf; where that is rounding, m_total |g|, or without
                               // gravity m_total w/h of what kinematic surfaces bring (speed w); 0 = none
    double velocity_scale;     // floor of velocity norms [m/s]: h |g| + |v_k|_inf, or w; 0 = none
    double change_scale;       // what gravity changes velocities by in the step [m/s]: h |g|; 0 = none
    const double *start_v;     // (3 A->n_rows) velocities at the step's start [m/s], of which each island has its
                               // own scales; NULL: the scales above are those of all
    const double *start_force; // (rows) forces of an earlier solve whose size counts for those scales; NULL: none
    // Asked now and then by solvers, perhaps in several threads: true ends the solve, TN_INTERRUPTED, and stays true.
    bool (*stop)(void *user); // NULL: nobody ends it
    void *user;
    const struct tn_hints *hints; // the library's own: what its simulations know beside all this; NULL
} tn_problem;

// Warm start in, result out. v (3 A->n_rows), NULL in local form; lambda (3 n_triples + n_singles): forces of the
// triples, then those f of the singles [N, N m], in the order of the problem's rows.
typedef struct tn_solution {
    double *v;
    double *lambda;
} tn_solution;

// How well (v, lambda) solves a problem, from (A, b, J, law, v, lambda) alone: no solver's code.
// Figures that do not apply are NaN (momentum in local form, fclib where it is not computed and with moments).
typedef struct tn_certificate {
    double momentum;               // |A v - b - J^T lambda - G^T f| / max(|b|, f0, 1e-6 |G_d^T f_d|), d: drives
    double signorini_primal;       // max(0, -u_n) [m/s]
    double signorini_dual;         // max(0, -lambda_n) [N]
    double complementarity;        // max |min(u_n, m lambda_n)| [m/s]; convex law: of its own first row
    double cone;                   // max (|lambda_t| - mu lambda_n)_+ / max(lambda_n, f0 / nc)
    double dissipation;            // max mu lambda_n |u_t| + lambda_t . u_t [W]
    double natural;                // |lambda - P_K(lambda - rho u')| / max(|lambda|, f0)
    double fclib;                  // |r - P_K(r - u')| / max(|q|, |r|, |u|), r = h lambda
    double strict_natural;         // natural of the strict law, whatever the law
    double strict_complementarity; // complementarity of the strict law, whatever the law
    double joint; // max |f - clamp(f - rho y)| / rho over joint rows / max(|v|_inf, v0, 1e-6 |f_d|/rho); bilateral: |y|
    double penetration; // max(0, -gap) after the step [m]; NaN where geometry is unknown
    double drift;       // max violation of joints and their limits after the step [m, rad]; NaN likewise
} tn_certificate;

// Its figures by number, in that order, for whoever lists them; name "momentum" ..., unit "1", "m/s" ... NULL, and NaN:
// there is no such figure. NaN also of `joint` where there are no joints.
enum { TN_N_FIGURES = 13, TN_FIGURE_MOMENTUM = 0, TN_FIGURE_NATURAL = 6 };
const char *tn_figure_name(int figure);
const char *tn_figure_unit(int figure);
double tn_figure_of(const tn_certificate *certificate, int figure);

// Tolerances; 0 = not demanded. The solver iterates until every demanded figure holds or max_iterations.
typedef struct tn_tolerance {
    double momentum;    // relative, default 1e-8
    double natural;     // relative, default 1e-8
    double fclib;       // relative, default 0
    double joint;       // relative, default 1e-8
    double penetration; // [m] default 0; checked by the simulation after the step, not by solvers
    double theta;       // step length |v^{l+1} - v^l| of cond [m/s], default 0; the document's rule, no error measure
} tn_tolerance;

typedef struct tn_solve_options {
    tn_tolerance tolerance;
    int max_iterations;       // cap on iterations (sweeps), default 10000
    double penalty_stiffness; // penalty baseline: k [N/m] and d [N s/m] of each contact
    double penalty_damping;
    int n_threads; // default 1
    double enough; // auto: natural figure with which many contacts of rigid bodies may end after a while, short of the
                   // tolerance; default 0: never
    double moving; // natural figure that will do for an island whose contacts move by h |g| (problem.change_scale) or
                   // more against one another at the step's start (start_v), of slower ones in proportion less, and
                   // never less than the tolerance; default 0: the tolerance for all
} tn_solve_options;

tn_solve_options tn_solve_options_default(void);

typedef struct tn_solve_report {
    const char *solver;         // the solver that did the work (auto names its choice); static string
    int iterations;             // sweeps or fixed point steps
    bool converged;             // every demanded tolerance held by the solver's own check
    double theta;               // last step length [m/s]; NaN where it has no meaning
    double setup_s;             // wall time of factorisations and of building J A^-1 J^T [s]; 0 where there are none
    tn_certificate certificate; // computed after the solve by problem/certificate.c
} tn_solve_report;

// options NULL: the default; report may be NULL. Solve with the named solver ("auto", "cond", "nodal", "ccs", "pgs",
// "apgd", "newton", ...; `tenon info` lists them). solution holds the warm start (zeros = cold) and receives the best
// iterate even when tolerances are not reached (TN_OK with report->converged false). TN_BAD_INPUT: unknown solver, a
// malformed problem (sizes, indices, numbers that are not finite), or a law or structure that the solver does not take;
// TN_NUMERICS: divergence, or a warm start that is not finite; TN_INTERRUPTED: problem.stop said so.
tn_status tn_problem_solve(const tn_problem *problem, const char *solver, const tn_solve_options *options,
                           tn_solution *solution, tn_solve_report *report, tn_error *error);

#pragma GCC visibility pop
#ifdef __cplusplus
}
#endif
