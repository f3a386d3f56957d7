// Joint rows of a problem (tn_rows in tenon/problem.h): products, and the law of one row.
#pragma once

#include "base/arena.h"
#include "tenon/problem.h"

#include <math.h>
#include <stddef.h>

// The rows without the triples: the same arrays seen from their first single on.
// Where in the Jacobians entry e of a single would be at 3 e.
static inline ptrdiff_t tn_rows_before_singles(const tn_rows *rows)
{
    return rows->n_triples > 0 ? 6 * (ptrdiff_t)rows->start[rows->n_triples] : 0;
}

static inline tn_rows tn_rows_singles(const tn_rows *rows)
{
    int n = rows->n_triples;
    tn_rows out = {.n_singles = rows->n_singles,
                   .compliance = rows->compliance,
                   .lower = rows->lower,
                   .upper = rows->upper,
                   .joint = rows->joint};
    if (rows->n_singles > 0) {
        out.start = rows->start + n;
        out.block = rows->block;
        // So that entry e is at 3 e; of what such a view shows that holds already.
        out.jacobian = rows->jacobian + tn_rows_before_singles(rows);
        out.offset = rows->offset + 3 * (ptrdiff_t)n;
    }
    return out;
}

// The triples of one list and the singles of another as one; arrays are copied only where both have some. Either may
// be NULL. TN_NO_MEMORY only.
tn_status tn_rows_join(const tn_rows *triples, const tn_rows *singles, tn_arena *arena, tn_rows *out);

// Chosen constraints of a list, ascending, of contacts with the frictions that they press: all but their Jacobians,
// which are left to the caller. False: no memory.
bool tn_rows_choose(const tn_rows *rows, int n_triples, const int *triple, int n_singles, const int *single,
                    tn_arena *arena, tn_rows *out);
// One number of each of their rows; NULL of NULL, and where there is no memory.
double *tn_rows_gather(const tn_rows *rows, const double *from, int n_triples, const int *triple, int n_singles,
                       const int *single, tn_arena *arena);

// Numbers of a solution's lambda.
static inline size_t tn_row_count(const tn_rows *rows)
{
    return 3 * (size_t)rows->n_triples + (size_t)rows->n_singles;
}

// The singles' part of lambda; NULL where there are none.
static inline double *tn_single_forces(const tn_rows *rows, double *lambda)
{
    return rows->n_singles > 0 ? lambda + 3 * (size_t)rows->n_triples : NULL;
}

static inline int tn_joint_row_count(const tn_problem *problem)
{
    return problem->rows->n_singles;
}

// J_m v of triple m, without offset [m/s].
void tn_contact_velocity(const tn_rows *rows, int m, const double *v, double u[3]);
// Row i of G v + c, without the compliance's part.
double tn_single_velocity(const tn_rows *rows, int i, const double *v);
// force (3 A->n_rows) += G_i^T f.
void tn_single_push(const tn_rows *rows, int i, double f, double *force);

// force (3 A->n_rows) += G^T f.
void tn_singles_add_force(const tn_rows *rows, const double *f, double *force);

// Whether row i's force has a bound.
static inline bool tn_single_is_bounded(const tn_rows *rows, int i)
{
    return rows->lower[i] > -INFINITY || rows->upper[i] < INFINITY;
}

// The force within row i's bounds that is nearest to f.
static inline double tn_single_clamp(const tn_rows *rows, int i, double f)
{
    f = f > rows->lower[i] ? f : rows->lower[i];
    return f < rows->upper[i] ? f : rows->upper[i];
}

// rho (n): inverse of each row's G blockdiag(A)^-1 G^T + R, its effective mass [kg/s, kg m^2/s]; 1 where nothing that
// moves answers.
void tn_singles_mass(const tn_rows *rows, const tn_blocks *A, double *rho);
// The same of some (n_singles); rho of the others is left as it is.
void tn_singles_mass_of(const tn_rows *rows, const tn_blocks *A, const bool *wanted, double *rho);

// A force leaves rounding in the balance, 1e-16 of itself, and in its row's velocity. Where everything rests (b and v
// nearly zero, but a motor presses against a stop) that would be all there is: figures relative to b and v count this
// part of what drives, friction and springs bear as well; not of rigid rows, whose forces grow where they contradict.
#define TN_JOINT_SCALE 1e-6
static inline double tn_single_driven(const tn_rows *rows, int i, double f)
{
    bool bounded = (rows->lower[i] > -INFINITY && rows->upper[i] < INFINITY) || rows->compliance[i] > 0.0;
    return bounded ? TN_JOINT_SCALE * fabs(f) : 0.0;
}
// Root of the sum of the squares of that as generalized forces [N]; f NULL: none.
double tn_singles_driven(const tn_rows *rows, const double *f);

// Sizes, index ranges, finite numbers.
tn_status tn_singles_check(const tn_rows *rows, int n_blocks, tn_error *error);
