// Work of the soft bodies' elements over a step: Rayleigh damping at v^ is lost (with geometric stiffness, its share of
// that damping too), kinematic bodies bring in what their nodes take to move.
//
// With free nodes f and driven ones d the elements' force at the driven nodes is held_d - S_df v_f, and their damping
// takes the part D of v . S v (discretize/soft.h). S is symmetric, so all of it follows from A v^ and S drive, which
// are there: drive . S_df v_f = v_f . (S drive)_f. Only nodes tied to free bodies, whose rows of A are the bodies', ask
// for a pass over the elements.
#include "discretize/soft.h"
#include "math/vec3.h"
#include "sim/sim.h"

// One soft body's sums [W].
typedef struct element_power {
    double damped; // (v - w) . S (v - w): chords' part w of what turns is no strain (discretize/arc.h)
    double drag;   // mass damping
    double driven; // by kinematic bodies
} element_power;

static void add_power(const tn_step_equations *eq, const tn_scene_soft *said, const element_power *power,
                      tn_step_work *out)
{
    double h = eq->balance.h;
    out->dissipated += h * (tn_soft_damped_part(&eq->balance, said) * power->damped + power->drag);
    out->injected += h * power->driven;
}

// Of one node, in damped: what w takes from v . S v.
static double chord_power(const tn_balance *balance, int node, const double *v)
{
    if (!balance->chords) {
        return 0.0;
    }
    const double *w = balance->chord + 3 * (size_t)node, *Sw = balance->chord_force + 3 * (size_t)node;
    return tn_vec3_dot(w, Sw) - 2.0 * tn_vec3_dot(v, Sw);
}

// From the solution's products.
static void body_power(const tn_solved_step *step, const tn_model_soft *soft, element_power *out)
{
    const tn_model *model = step->setup->model;
    const tn_balance *balance = &step->eq->balance;
    double alpha = soft->description->mass_damping, inertia = 1.0 / (balance->theta * balance->h) + alpha;
    *out = (element_power){.damped = 0.0};
    for (int i = soft->first_node; i < soft->first_node + soft->n_nodes; i++) {
        const double *drive = balance->drive ? balance->drive + 3 * (size_t)i : NULL;
        const double *dragged = drive ? balance->dragged + 3 * (size_t)i : NULL;
        size_t at = 3 * (size_t)model->nodes[i].block;
        if (model->nodes[i].block < 0) {
            out->damped += drive && dragged ? tn_vec3_dot(drive, dragged) + chord_power(balance, i, drive) : 0.0;
            out->driven -= drive ? tn_vec3_dot(drive, balance->held + 3 * (size_t)i) : 0.0;
            continue;
        }
        const double *v = step->answer->solution.v + at;
        double mass = model->node_mass[i], square = tn_vec3_dot(v, v);
        double cross = dragged ? tn_vec3_dot(v, dragged) : 0.0;
        out->damped += tn_vec3_dot(v, step->answer->products.product + at) - inertia * mass * square + 2.0 * cross;
        out->damped += chord_power(balance, i, v);
        out->drag += alpha * mass * square;
        out->driven += cross;
    }
}

// From Sv (n_nodes, 3) = S v of all nodes and v (n_nodes, 3).
static void body_power_tied(const tn_step_setup *setup, const tn_step_equations *eq, const tn_model_soft *soft,
                            const double *v, const double *Sv, element_power *out)
{
    const tn_balance *balance = &eq->balance;
    *out = (element_power){.damped = 0.0};
    for (int i = soft->first_node; i < soft->first_node + soft->n_nodes; i++) {
        size_t at = 3 * (size_t)i;
        bool free = setup->model->nodes[i].block >= 0;
        double drag = free ? soft->description->mass_damping * setup->model->node_mass[i] : 0.0;
        out->damped += tn_vec3_dot(v + at, Sv + at) + chord_power(balance, i, v + at);
        out->drag += drag * tn_vec3_dot(v + at, v + at);
        if (balance->drive) {
            double force[3];
            tn_vec3_add(force, balance->held + at, balance->dragged + at);
            tn_vec3_sub(force, force, Sv + at);
            out->driven -= tn_vec3_dot(balance->drive + at, force);
        }
    }
}

static tn_status tied_work(const tn_solved_step *step, const tn_state *state, tn_step_work *out, tn_error *error)
{
    const tn_model *model = step->setup->model;
    size_t n = 3 * (size_t)model->n_nodes;
    tn_status status = tn_sim_elastic_again(step->setup, error);
    if (status != TN_OK) {
        return status;
    }
    tn_arena *arena = step->setup->memory->scratch; // has room left from the solver's
    tn_arena_mark mark = tn_arena_get_mark(arena);
    double *v = TN_PUSH_RAW(arena, double, n), *Sv = TN_PUSH_RAW(arena, double, n);
    if (!v || !Sv) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for the work of %d nodes", model->n_nodes);
    }
    for (size_t i = 0; i < n; i++) {
        v[i] = (step->next->x[i] - state->x[i]) / step->eq->balance.h;
    }
    for (int i = 0; step->eq->balance.chords && i < model->n_nodes; i++) {
        if (model->nodes[i].block < 0 && model->bodies[model->nodes[i].body].n_blocks > 0) {
            tn_state_node_velocity(state, i, step->answer->solution.v, v + 3 * (size_t)i); // as the elements saw it
        }
    }
    tn_tets_product(model->elements, step->setup->memory->elements, model->settings.solve.n_threads, v, Sv);
    for (int s = 0; s < model->n_softs; s++) {
        element_power power;
        body_power_tied(step->setup, step->eq, &model->softs[s], v, Sv, &power);
        add_power(step->eq, model->softs[s].description, &power, out);
    }
    tn_arena_release(arena, mark);
    return TN_OK;
}

// Whether there is anything to find.
static bool elements_work(const tn_step_setup *setup, const tn_step_equations *eq)
{
    bool any = eq->balance.drive != NULL;
    for (int s = 0; s < setup->model->n_softs; s++) {
        const tn_scene_soft *said = setup->model->softs[s].description;
        any = any || said->stiffness_damping > 0.0 || said->mass_damping > 0.0;
    }
    return any;
}

tn_status tn_energy_elements_work(const tn_solved_step *step, const tn_state *state, tn_step_work *out, tn_error *error)
{
    const tn_tets_pair *pairs;
    if (!elements_work(step->setup, step->eq)) {
        return TN_OK;
    }
    if (tn_tets_tied_pairs(step->setup->model->elements, &pairs) > 0) {
        return tied_work(step, state, out, error);
    }
    for (int s = 0; s < step->setup->model->n_softs; s++) {
        element_power power;
        body_power(step, &step->setup->model->softs[s], &power);
        add_power(step->eq, step->setup->model->softs[s].description, &power, out);
    }
    return TN_OK;
}
