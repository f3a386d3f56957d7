#include "discretize/impact.h"

#include "math/vec3.h"

#include <string.h>

// The arrays behind tn_contacts while they are written.
typedef struct impact_arrays {
    double *frame, *offset, *gap, *mu, *omega, *jacobian;
    int *start, *block;
} impact_arrays;

// Gap of contact m at the step's end, linear in v^ [m].
static double end_gap(const tn_contact_rows *rows, const tn_solution *first, double h, int m)
{
    double u[3];
    tn_contact_velocity(&rows->contacts, m, first->v, u);
    return rows->contacts.gap[m] + h * (u[0] + rows->surface[3 * m]);
}

// Newton's law for v_{k+1}: the normal velocity after the step that contact m asks for.
static double demanded_speed(const tn_contact_rows *rows, const tn_solution *first, double h, int m)
{
    double eps = rows->restitution[m];
    return eps > 0.0
               ? tn_rebound(eps, rows->before[m], rows->pull[m], rows->contacts.gap[m], end_gap(rows, first, h, m))
               : 0.0;
}

static bool allocate(const tn_contacts *all, int n_blocks, tn_arena *arena, impact_arrays *arrays, tn_impact *out)
{
    size_t n = (size_t)all->n, entries = (size_t)all->start[all->n];
    *arrays = (impact_arrays){.frame = TN_PUSH(arena, double, 9 * n),
                              .offset = TN_PUSH(arena, double, 3 * n),
                              .gap = TN_PUSH(arena, double, n),
                              .mu = TN_PUSH(arena, double, 2 * n),
                              .omega = all->omega ? TN_PUSH(arena, double, 9 * n) : NULL,
                              .jacobian = TN_PUSH(arena, double, 9 * entries),
                              .start = TN_PUSH(arena, int, n + 1),
                              .block = TN_PUSH(arena, int, entries)};
    out->source = TN_PUSH(arena, int, n);
    out->solution.v = TN_PUSH(arena, double, 3 * (size_t)n_blocks);
    out->solution.lambda = TN_PUSH(arena, double, 3 * n);
    return arrays->frame && arrays->offset && arrays->gap && arrays->mu && (arrays->omega || !all->omega) &&
           arrays->jacobian && arrays->start && arrays->block && out->source && out->solution.v && out->solution.lambda;
}

// Contact m of the first problem becomes number k of the second.
static void copy_contact(const tn_contact_rows *rows, const tn_solution *first, int m, int k, impact_arrays *to,
                         tn_impact *out)
{
    const tn_contacts *from = &rows->contacts;
    int begin = from->start[m], count = from->start[m + 1] - begin, at = to->start[k];
    memcpy(to->frame + 9 * k, from->frame + 9 * m, 9 * sizeof(double));
    to->gap[k] = from->gap[m];
    memcpy(to->mu + 2 * k, from->mu + 2 * m, 2 * sizeof(double));
    memcpy(to->jacobian + 9 * at, from->jacobian + 9 * begin, 9 * (size_t)count * sizeof(double));
    memcpy(to->block + at, from->block + begin, (size_t)count * sizeof(int));
    if (to->omega) {
        memcpy(to->omega + 9 * k, from->omega + 9 * m, 9 * sizeof(double));
    }
    to->start[k + 1] = at + count;
    tn_vec3_copy(to->offset + 3 * k, rows->surface + 3 * m);
    to->offset[3 * k] -= demanded_speed(rows, first, out->problem.step, m);
    tn_vec3_copy(out->solution.lambda + 3 * k, first->lambda + 3 * m);
    out->source[k] = m;
}

// A = M/h, b = M v_k/h + f; start from v = 2 v^ - v_k.
static bool fill_balance(const tn_model *model, const tn_state *state, const tn_balance *balance,
                         const tn_solution *first, tn_arena *arena, tn_impact *out)
{
    int n = 3 * model->n_blocks;
    double h = balance->h;
    double *product = TN_PUSH(arena, double, n);
    double *b = TN_PUSH(arena, double, n);
    double *diagonal = TN_PUSH(arena, double, 3 * (size_t)n);
    if (!product || !b || !diagonal) {
        return false;
    }
    tn_blocks_mul(balance->A, first->v, product);
    for (int i = 0; i < n; i++) {
        double mass = balance->mass[i], change = first->v[i] - state->v[i];
        double force = balance->b[i] - product[i] + mass * change / (balance->theta * h);
        b[i] = mass * state->v[i] / h + force;
        diagonal[9 * (i / 3) + 4 * (i % 3)] = mass / h;
        out->solution.v[i] = state->v[i] + change / balance->theta;
    }
    out->problem.b = b;
    out->problem.A = tn_blocks_from_diagonal(model->n_blocks, diagonal, arena);
    return out->problem.A != NULL;
}

tn_status tn_impact_build(const tn_model *model, const tn_state *state, const tn_balance *balance,
                          const tn_contact_rows *rows, const tn_solution *first, tn_arena *arena, tn_impact *out,
                          tn_error *error)
{
    impact_arrays arrays;
    *out = (tn_impact){0};
    tn_step_problem(model, state, balance, rows, &out->problem);
    out->problem.contacts = &out->contacts;
    out->problem.layout = NULL; // A is M/h here, block by block
    out->problem.place = NULL;
    if (!allocate(&rows->contacts, model->n_blocks, arena, &arrays, out) ||
        !fill_balance(model, state, balance, first, arena, out)) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the impact of %d contacts", rows->contacts.n);
    }
    int k = 0;
    for (int m = 0; m < rows->contacts.n; m++) {
        if (first->lambda[3 * m] > 0.0 || end_gap(rows, first, balance->h, m) <= tn_contact_touch(model)) {
            copy_contact(rows, first, m, k++, &arrays, out);
        }
    }
    out->contacts = (tn_contacts){.n = k,
                                  .frame = arrays.frame,
                                  .offset = arrays.offset,
                                  .gap = arrays.gap,
                                  .mu = arrays.mu,
                                  .omega = arrays.omega,
                                  .start = arrays.start,
                                  .block = arrays.block,
                                  .jacobian = arrays.jacobian};
    return TN_OK;
}
