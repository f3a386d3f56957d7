#include "sim/bounce_energy.h"

#include "kernels/block_product.h"
#include "math/vec3.h"
#include "problem/rows.h"

#include <math.h>

// 0, 1, ... n - 1; NULL: no memory.
static int *numbers_to(int n, tn_arena *arena)
{
    int *all = TN_PUSH_RAW(arena, int, n);
    for (int i = 0; all && i < n; i++) {
        all[i] = i;
    }
    return all;
}

// In reduced coordinates the rows do not say what a tree ties together: all is one island.
static bool find_islands(const tn_step_setup *setup, const tn_problem *p, tn_islands *out)
{
    if (!setup->model->trees) {
        return tn_islands_find(p, setup->arena, out) == TN_OK;
    }
    int *start = TN_PUSH(setup->arena, int, 6);
    int *block = numbers_to(p->A->n_rows, setup->arena), *triple = numbers_to(p->rows->n_triples, setup->arena);
    int *single = numbers_to(p->rows->n_singles, setup->arena);
    if (!start || !block || !triple || !single) {
        return false;
    }
    start[1] = p->A->n_rows;
    start[3] = p->rows->n_triples;
    start[5] = p->rows->n_singles;
    *out = (tn_islands){.n = 1,
                        .block_start = start,
                        .block = block,
                        .triple_start = start + 2,
                        .triple = triple,
                        .single_start = start + 4,
                        .single = single};
    return true;
}

bool tn_bounce_energy_create(const tn_step_setup *setup, int n_triples, tn_bounce_energy *out)
{
    *out = (tn_bounce_energy){.Av = NULL};
    return TN_PUSH_EACH(setup->arena, n_triples, &out->asked, &out->excused);
}

bool tn_bounce_energy_divide(const tn_step_setup *setup, const tn_problem *problem, tn_bounce_energy *energy)
{
    energy->Av = TN_PUSH_RAW(setup->arena, double, 3 * (size_t)problem->A->n_rows);
    return energy->Av && find_islands(setup, problem, &energy->islands);
}

void tn_bounce_energy_look(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer,
                           tn_bounce_energy *energy)
{
    tn_block_product(eq->balance.A, answer->solution.v, energy->Av, setup->model->settings.solve.n_threads);
}

// Work of contact m's forces in the step, as far as it may be from nowhere [J].
static double work_of(const tn_step_equations *eq, const tn_solution *solution, const tn_bounce_energy *energy, int m)
{
    const double *f = solution->lambda + 3 * (size_t)m, h = eq->balance.h;
    double u[3], w[3];
    if (m < tn_sim_awake_contacts(eq) && tn_sim_is_sprung(eq, m)) {
        return 0.0;
    }
    tn_contact_velocity(&eq->rows.contacts, m, solution->v, u);
    if (m >= tn_sim_awake_contacts(eq)) {
        return fmin(0.0, h * tn_vec3_dot(f, u));
    }
    tn_contact_rows_surface(&eq->rows, m, w);
    tn_vec3_add(u, u, w);
    return h * (f[0] * (fmin(u[0], energy->asked[m]) - energy->excused[m]) + f[1] * u[1] + f[2] * u[2]);
}

// What inertia of joints' coordinates takes, whose rows have it as a damper of I/h.
static double lost_by_armature(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer,
                               int i)
{
    double f = tn_sim_joint_forces(eq, answer)[i];
    bool inertia = setup->model->joint_rows[eq->joints.source[i]].role == TN_ROLE_ARMATURE;
    return inertia ? 0.5 * eq->balance.h * eq->joints.rows.compliance[i] * f * f : 0.0;
}

double tn_bounce_energy_gain(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer,
                             const tn_state *state, const tn_bounce_energy *energy, int k, double *lost)
{
    const tn_islands *islands = &energy->islands;
    const double *v = answer->solution.v, *mass = eq->balance.mass, h = eq->balance.h;
    double work = 0.0;
    *lost = 0.0;
    for (int j = islands->block_start[k]; j < islands->block_start[k + 1]; j++) {
        for (size_t i = 3 * (size_t)islands->block[j], end = i + 3; i < end; i++) {
            double change = v[i] - state->v[i];
            *lost += 0.5 * (mass[i] * (change * change - v[i] * v[i]) + h * v[i] * energy->Av[i]);
        }
    }
    for (int j = islands->single_start[k]; j < islands->single_start[k + 1]; j++) {
        *lost += lost_by_armature(setup, eq, answer, islands->single[j]);
    }
    for (int j = islands->triple_start[k]; j < islands->triple_start[k + 1]; j++) {
        work += work_of(eq, &answer->solution, energy, islands->triple[j]);
    }
    return work - *lost;
}
