// Inside of tn_sim. A stage takes none: it takes the parts that it reads, which are const, and those that it writes.
#pragma once

#include "discretize/impact.h"
#include "discretize/tree_problem.h"
#include "problem/certificate.h"
#include "sim/again.h"
#include "sim/awake.h"
#include "solver/solver.h"
#include "tenon/sim.h"

// Room for what a step finds once it knows its contacts. The soft bodies' elements at x lie there too, from one step to
// the next, or make room for the solver (elastic.c): no influence on results.
typedef struct tn_step_memory {
    tn_arena *scratch;         // x, the elements, and behind or instead of them what the solver needs
    tn_arena_mark mark;        // before the elements
    int lend_from;             // tetrahedra from which the elements make room
    tn_tets_elastic *elements; // NULL: nothing yet, or lent to the solver
    bool whole;                // evaluated whole, not only for their energies
    double *x;                 // (n_nodes, 3)
    double energy;             // [J]
} tn_step_memory;

// What a step is of. No stage changes it; what stages find lies in arena and memory.
typedef struct tn_step_setup {
    const tn_model *model; // the whole one, or what of it is awake
    const tn_input *input; // NULL: none
    const tn_solver *solver;
    tn_arena *arena; // of what the stages find, until the next step
    tn_step_memory *memory;
} tn_step_setup;

// What is to be solved. Collision and discretisation make it; after them only what solves again changes it (again.h):
// other rows, arcs or contacts.
typedef struct tn_step_equations {
    tn_contact_list list;
    tn_pose *start_pose;        // (n_bodies) of the list; NULL: no foundation needs them
    const double *guess;        // (3 n_blocks) velocities that the list was made for
    tn_arena_mark contact_mark; // before the contact rows; behind it lies only what depends on them
    tn_balance balance;
    tn_contact_rows rows;
    tn_joint_step joints;
    double *joint_v;     // (3 n_blocks) midpoint: v that the joints' rows are taken at
    bool joints_settled; // their rows are where the solution is; else at the step's start, and their forces count for
                         // the way of the step alone (joints.c)
    tn_tree_step trees;  // where the step starts, where the model has any
    tn_rows constraints; // of problem: rows.contacts and joints.rows in one
    double *own_offset;  // constraints.offset once a solve has changed it; else something old
    bool *squeezed;      // (rows.contacts.n_triples) gives way (squeeze.c); NULL: none does
    tn_problem problem;
    tn_hints hints;       // of the problem, where its start is a better one than the balance knows (start.c)
    double energy_before; // of the soft bodies at the step's start [J]
} tn_step_equations;

// How it is solved: how finely, and how often again.
typedef struct tn_step_control {
    tn_again again;
    tn_aims aims;       // of the constraints (solve.c)
    const bool *joined; // (rows.contacts.n_triples) contacts that have joined those of a solve, whose islands alone are
                        // solved again (deflected.c); NULL: nothing is solved yet
    int spent;          // iterations of this solve with coarser aims (solve.c)
    double coarser; // times the aim of the settings, where an earlier solve of the step got no further (yield.c); at
                    // least 1
    double bent;    // how far springs' rows were from their laws after the last solve [N] (yield.c)
    struct tn_tape *tape; // of a step that is recorded or taken again (tape.h); NULL: neither
} tn_step_control;

// Products of a solution and its problem.
typedef struct tn_sim_products {
    double *product; // (3 n_blocks) A v; NULL: not of interest, likewise
    double *push;    // (3 n_blocks) J^T lambda + G^T f
    double *u;       // (contacts.n, 3) J v + w + Omega lambda
    double *scale;   // (contacts.n) largest diagonal of J blockdiag(A)^-1 J^T [s/kg]; of a certificate
} tn_sim_products;

// What the solves have found: v^ and the forces of the first, which joints' corrections may change after it.
typedef struct tn_step_answer {
    tn_solution solution;           // of problem
    tn_sim_products products;       // of problem and solution
    tn_tree_problem *reduced;       // of problem in reduced coordinates, as it was solved last; NULL: there are none
    tn_tree_problem *reduced_again; // of the step's last second solve
} tn_step_answer;

// All that the solve of a step reads and writes.
typedef struct tn_step_solving {
    tn_step_equations eq;
    tn_step_control control;
    tn_step_answer answer;
} tn_step_solving;

// What the step leads to.
typedef struct tn_step_next {
    tn_pose *pose;          // (n_bodies); of rigid worlds once they are solved
    double *x;              // (n_nodes, 3)
    double *coordinate;     // (n_joint_coordinates)
    double *bend;           // (n_joint_coordinates) as the state's
    double *turn;           // (n_bodies, 4) of free bodies over the step (model/rigid.h). NULL: not known, or nothing
                            // needs them (scheme euler, round bodies)
    const double *v;        // (3 n_blocks)
    const double *pushed_v; // (3 n_blocks) scheme euler: v about the principal axes at the step's start
    // The forces that changed the momentum: of the first solve, or of the one that leaves the velocities.
    const double *force;          // (rows.contacts.n, 3) contact frames [N]
    const double *push;           // (3 n_blocks) J^T force, and what the joint forces of the same solve push
    double *joint_held;           // (joints.rows.n) what counts of the first solve's forces; NULL: all
    tn_joint_step joints_end;     // of midpoint's second solve; no rows: there is none
    const double *joint_rest;     // (joints_end.rows.n) forces of the second solve, on top of that
    const tn_tree_problem *holds; // of which the holds that are no rows count; NULL: there are none
} tn_step_next;

// What puts bodies where their joints hold at the step's end.
typedef struct tn_step_placing {
    const tn_step_setup *setup;
    const tn_step_equations *eq;
    const tn_state *state;  // at the step's start
    tn_step_answer *answer; // velocities and joints' forces follow,
    tn_step_next *next;     // with the places
} tn_step_placing;

// A step as it is before the state knows of it, for its books and figures.
typedef struct tn_solved_step {
    const tn_step_setup *setup;
    const tn_step_equations *eq;
    const tn_step_answer *answer;
    const tn_step_next *next;
} tn_solved_step;

// What an input moves for a step (moved.c).
typedef struct tn_moved_bodies {
    tn_model model;              // a shallow copy of the whole one
    tn_model_body *body;         // (n_bodies) its bodies; NULL: none has been moved yet
    struct tn_given_motion *way; // (n_bodies)
} tn_moved_bodies;

// What tn_sim_forces has found (forces.c); NULL: the last was a step.
typedef struct tn_forces_left {
    double *unbalanced; // (3 n_blocks) what is left [N, N m]
    double *burden;     // (n_bodies + n_softs) all that acts on each body, as what is left is measured
} tn_forces_left;

struct tn_sim {
    const tn_model *given; // of the states
    const tn_model *whole; // given, but where options have changed or an input moves bodies
    tn_model *own;         // with the options that have changed; NULL: none has
    tn_moved_bodies moved;
    tn_awake awake; // what was awake, where somebody slept
    int n_asleep;   // contacts in it that the last step left as they were
    struct {
        tn_log_function tell; // NULL: nobody hears
        void *user;
    } log;
    double *sensor_velocity; // (n_sensors, 6) of the mounts where the last step began: linear, angular, world axes

    tn_step_setup setup;
    tn_step_memory memory;
    tn_step_solving solving;
    tn_step_next next;
    tn_forces_left at_rest;
};

static inline tn_solved_step tn_sim_solved(const tn_sim *sim)
{
    return (tn_solved_step){&sim->setup, &sim->solving.eq, &sim->solving.answer, &sim->next};
}

// Contacts of the step's problem.
static inline int tn_sim_awake_contacts(const tn_step_equations *eq)
{
    return eq->rows.contacts.n_triples - eq->rows.contacts.n_frictions;
}

// Sleep (sleep.c). Before a step: wakes what its input acts on and what hangs from a kinematic body that moves.
tn_status tn_sim_rouse(const tn_input *input, tn_state *state, tn_error *error);
// Whether something awake meets something asleep.
bool tn_sim_meets_sleepers(const tn_model *model, const tn_contact_list *list);
// Wakes what it meets. Of a step on what was awake.
tn_status tn_sim_wake_met(const tn_contact_list *list, tn_state *state, tn_error *error);
// After a step: what sleeps counts in the report, then what has rested for long falls asleep. Where there is no memory
// for that it stays awake.
void tn_sim_rest(const tn_sim *sim, tn_state *state, tn_step_report *report);

// Nothing is left to ask for.
void tn_sim_forget(tn_step_solving *solving, tn_step_next *next);

// After the arena's reset: eq->start_pose of the state that contacts are sought in.
tn_status tn_sim_keep_poses(const tn_step_setup *setup, tn_step_equations *eq, const tn_state *state, tn_error *error);

// Without contacts of bodies that the step's input keeps apart (input.c).
void tn_sim_filter(const tn_step_setup *setup, tn_contact_list *list);

// Before a step: velocity (n_sensors, 6) as in sensor_velocity.
void tn_sim_keep_sensors(const tn_model *model, const tn_state *state, double *velocity);

// The step of a state where all are awake, without its books: for derivatives (linearize.c), with control->tape.
tn_status tn_sim_replay(tn_sim *sim, const tn_input *input, tn_state *state, tn_error *error);

// From the next step on another solver; false: unknown.
bool tn_sim_set_solver(tn_sim *sim, const char *name);
// Kinematic bodies that the input moves in a step from the state on, or that one has moved away from the scene's
// motion: *out is a copy of the whole model that knows their ways, or the whole one where there are none (moved.c).
tn_status tn_sim_move_bodies(const tn_model *whole, tn_moved_bodies *moved, const tn_input *input,
                             const tn_state *state, const tn_model **out, tn_error *error);
// TN_BAD_INPUT: what is wrong with an input (input.c).
tn_status tn_sim_check_input(const tn_model *model, const tn_input *input, tn_error *error);

// memory->elements at x (n_nodes, 3): evaluated, unless it is there already. What was there before is gone. whole: not
// only memory->energy is wanted.
tn_status tn_sim_elastic(const tn_step_setup *setup, const double *x, bool whole, tn_error *error);
// Where a solver's scratch goes. The elements of a large mesh make room for it; tn_sim_elastic_again brings them back
// to eq->balance, where they were.
tn_arena *tn_sim_scratch(const tn_step_setup *setup);
// Where what is found after the solve goes until the step's end: where the solver's scratch was, but with soft bodies,
// whose elements live there, to the step's arena.
tn_arena *tn_sim_after(const tn_step_setup *setup);
tn_status tn_sim_elastic_again(const tn_step_setup *setup, tn_error *error);
// memory->elements where the nodes will be in the middle of the step if they keep the last step's v^, which goes to
// *moved (n_nodes, 3). Elements turned by half the step's angle make midpoint second order for finite strains and
// rotations.
tn_status tn_sim_elastic_halfway(const tn_step_setup *setup, const tn_state *state, const double **moved,
                                 tn_error *error);

// Which part of the step a problem is; serves error messages.
typedef struct tn_sim_part {
    const int *contact;          // (contacts) each contact's number in eq->rows
    const int *block;            // (block rows) each block row's number in the model
    const tn_joint_step *joints; // that its joint rows are of
} tn_sim_part;

// A problem and where its solution goes, which starts from what is there.
typedef struct tn_sim_posed {
    const tn_problem *problem;
    tn_solution *solution;
    const tn_aims *aims;     // of its constraints; NULL: all of it as the settings say
    const tn_sim_part *part; // NULL: it is all of the step
    const tn_problem *whole; // whose forces the balance counts relative to; NULL: its own
} tn_sim_posed;

// Solve it, with the wall time; without unknowns it is solved at once.
tn_status tn_sim_run_solver(const tn_step_setup *setup, tn_step_solving *solving, const tn_sim_posed *posed,
                            tn_solve_report *report, tn_step_report *times, tn_error *error);
// Room for the aims of n constraints, of which none is due yet and part is 1. False: no memory.
bool tn_sim_aims_create(const tn_step_setup *setup, int n, tn_aims *out);
// The certificate, with the wall time; converged only if it holds too. products: where those of interest go.
tn_status tn_sim_certify(const tn_step_setup *setup, const tn_step_solving *solving, const tn_sim_posed *posed,
                         const tn_sim_products *products, tn_solve_report *report, tn_step_report *times,
                         tn_error *error);
// answer->products of eq->problem and answer->solution.
tn_status tn_sim_multiply(const tn_step_setup *setup, const tn_step_equations *eq, tn_step_answer *answer,
                          tn_error *error);
// All of it for eq->problem, into answer->solution and report->solve; with a finer aim where the usual one is too
// coarse, without undoing overlaps where that asks for boundless forces.
tn_status tn_sim_solve(const tn_step_setup *setup, tn_step_solving *solving, tn_step_report *report, tn_error *error);

// Each figure of the step becomes the worse of its two solves.
void tn_sim_merge_reports(tn_solve_report *step, const tn_solve_report *second);
// Penetration and drift too.
void tn_sim_merge_certificates(tn_certificate *a, const tn_certificate *b);

// Whether rigid contacts bear far more than all else in the step asks for: bodies have nowhere to go (squeeze.c).
bool tn_sim_is_squeezed(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer);
// Those give way from now on; the solution is the start of another solve.
tn_status tn_sim_relieve(const tn_step_setup *setup, tn_step_equations *eq, tn_step_answer *answer, tn_error *error);
// Asks of overlaps no more than that they do not grow; reduced: of those alone that joints of trees leave nothing to
// move along, of which the reduced problem knows nothing (NULL: of all). What gives way stays as it is.
tn_status tn_sim_leave_overlaps(const tn_step_setup *setup, tn_step_equations *eq, const tn_tree_problem *reduced,
                                tn_error *error);
// Of midpoint's second solve: *rows are eq->rows, where what is squeezed is pressed together by what it bears in the
// first; whether those of the second have nowhere to go; and those give way from now on, scale as in products.
tn_status tn_sim_hold_squeezed(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer,
                               tn_contact_rows *rows, tn_error *error);
bool tn_sim_impact_is_squeezed(const tn_step_setup *setup, const tn_step_equations *eq, const tn_impact *impact);
tn_status tn_sim_relieve_impact(const tn_step_setup *setup, const tn_step_equations *eq, const double *scale,
                                tn_impact *impact, tn_error *error);
// The offsets of contacts and constraints become eq->own_offset, free to be changed.
tn_status tn_sim_own_offset(const tn_step_setup *setup, tn_step_equations *eq, tn_error *error);

// Springs of contacts (yield.c). After a solve: rows along the tangents at its forces where these are not the springs'
// own yet; *done: they are, beside what the solve itself has left. report: residual. Raises control->coarser.
tn_status tn_sim_yield(const tn_step_setup *setup, tn_step_solving *solving, bool *done, tn_step_report *report,
                       tn_error *error);
static inline bool tn_sim_is_sprung(const tn_step_equations *eq, int m)
{
    return eq->rows.spring && eq->rows.spring[m].power > 0.0;
}
// Their energy at the step's start and end [J]; what the work of all contacts counts as lost though springs hold it
// (contact_work of energy.c), less what their dampers take [J].
typedef struct tn_spring_books {
    double before, after, kept;
} tn_spring_books;
tn_spring_books tn_sim_spring_books(const tn_solved_step *step, const double *mean_v);
double tn_sim_contact_energy(const tn_solved_step *step, int m); // of contact m's spring at the step's end [J]
// Energy of the springs of all contacts of a state [J], by collision.
tn_status tn_sim_spring_energy(const tn_state *state, double *energy, tn_error *error);

// Poisson's restitution: the second solve, whose forces come on top of answer->solution's (decompress.c).
tn_status tn_sim_decompress(const tn_step_setup *setup, tn_step_solving *solving, const tn_state *state,
                            tn_step_report *report, tn_error *error);

// The joints' part of answer->solution.lambda; NULL: none.
static inline double *tn_sim_joint_forces(const tn_step_equations *eq, const tn_step_answer *answer)
{
    return eq->joints.rows.n_singles > 0 ? answer->solution.lambda + 3 * (size_t)eq->rows.contacts.n_triples : NULL;
}

// From eq->list: the contact rows, the problem, room for lambda (zeros).
tn_status tn_sim_contacts_build(const tn_step_setup *setup, tn_step_equations *eq, tn_step_answer *answer,
                                const tn_state *state, tn_error *error);

// Pairs that close because the solve threw a body against another that it could not meet at eq->guess: *found, and the
// list, rows and problem have them too, with the solve's result as the start of the next (deflected.c).
tn_status tn_sim_collide_again(const tn_step_setup *setup, tn_step_solving *solving, const tn_state *state, bool *found,
                               tn_step_report *report, tn_error *error);

// The order of contacts by shapes, then feature, as the list has them.
int tn_sim_compare_contacts(const tn_contact *a, const tn_contact *b);

// Scheme implicit: go on from the first solve until the balance holds at the step's end (newton.c).
tn_status tn_sim_newton(const tn_step_setup *setup, tn_step_solving *solving, tn_step_next *next, const tn_state *state,
                        tn_step_report *report, tn_error *error);

// The start of a step with soft bodies, solution.v: moved on by the part of v^'s last change, at most all of it, that
// lowers the energy 1/2 v A v - (b + J^T lambda) v most. hints.known_v and known_product follow (start.c).
tn_status tn_sim_extrapolate(const tn_step_setup *setup, tn_step_equations *eq, tn_step_answer *answer,
                             const tn_state *state, tn_error *error);

// Bodies (n_bodies) and nodes (n_nodes, 3) at the step's end of v; turn as next->turn, may be NULL.
void tn_sim_advance(const tn_step_setup *setup, const tn_state *state, const double *v, tn_pose *pose, double *turn,
                    double *x);
// Scheme euler: v (3 n_blocks, about the axes at the step's start) is what the step's forces leave; sets next->v.
tn_status tn_sim_set_velocity(const tn_step_setup *setup, tn_step_next *next, const double *v, tn_error *error);
// v (3 n_blocks) turned by next->turn: momenta stay, angular velocities become those about the axes at the step's end.
void tn_sim_carry(const tn_step_setup *setup, const tn_step_next *next, double *v);
// Poses and velocities at the step's end into next->pose and next->v (integrate.c); midpoint solves for the impact.
tn_status tn_sim_integrate(const tn_step_setup *setup, tn_step_solving *solving, tn_step_next *next,
                           const tn_state *state, tn_step_report *report, tn_error *error);

// Scheme pbd instead of solve and integration: places, velocities, forces and the report of the solve (pbd.c).
tn_status tn_sim_pbd(const tn_step_setup *setup, tn_step_solving *solving, tn_step_next *next, const tn_state *state,
                     tn_step_report *report, tn_error *error);

// Velocity and forces after the step where overlaps come out fast: as if nothing pushed them (settle.c). solved: as the
// solve has left it, before joints' corrections.
bool tn_sim_settles(const tn_step_setup *setup, const tn_step_equations *eq);
tn_status tn_sim_settle(const tn_step_setup *setup, tn_step_solving *solving, tn_step_next *next,
                        const tn_solution *solved, tn_step_report *report, tn_error *error);
// What taking overlaps out has lifted in the step, against gravity [J]: it counts as injected.
double tn_sim_push_out_work(const tn_solved_step *step, const tn_state *state);

// Joints (joints.c): rows of the first solve, `all` or without limits that are far away; its start.
tn_status tn_sim_joints_build(const tn_step_setup *setup, bool all, tn_step_equations *eq, tn_step_answer *answer,
                              const tn_state *state, tn_error *error);
// tn_sim_solve; again with limits that were far away where it passes one; of midpoint again until the joints' rows stay
// where they are (discretize/joints.h).
tn_status tn_sim_joints_solve(const tn_step_setup *setup, tn_step_solving *solving, const tn_state *state,
                              tn_step_report *report, tn_error *error);
// tn_sim_joints_solve; again where the solution turns soft bodies otherwise than their elements were told (arcs.c).
tn_status tn_sim_arcs_solve(const tn_step_setup *setup, tn_step_solving *solving, const tn_state *state,
                            tn_step_report *report, tn_error *error);
// tn_sim_arcs_solve; again where bounces bring energy from nowhere (bounce.c).
tn_status tn_sim_bounces_solve(const tn_step_setup *setup, tn_step_solving *solving, const tn_state *state,
                               tn_step_report *report, tn_error *error);
// The start of joint rows and of joints' friction, into the forces of the first solve.
void tn_sim_joints_warm(const tn_step_setup *setup, const tn_step_equations *eq, const tn_state *state, double *lambda);
// Coordinates at next->pose; the positions corrected there as often as the settings say.
tn_status tn_sim_joints_advance(const tn_step_placing *at, tn_error *error);
// Whether the body turns so far in the step that rounds which bring it to where its joints hold need secants.
bool tn_sim_turns_far(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer, int body);
// Of the kinetic energy of mechanisms that turn far, what corrections for the turn may add: tan^2 of half a radian is
// what they add to a body that goes round by a radian a step. More is a leap to where the motion does not lead (a chain
// of five links that whips at 80 rad/s, at 10 ms).
#define TN_SIM_LEAP 0.3
// Mechanisms in reduced coordinates: next->pose of their bodies by their joints, solution.v and the joints' forces so
// that the balance holds for these ways (trees.c). rates (n_joint_coordinates): of their coordinates, as the solve has
// them.
tn_status tn_sim_trees_advance(const tn_step_placing *at, double *rates, tn_error *error);
// Rows of the second solve, at next->pose, and what goes into it.
tn_status tn_sim_joints_end(const tn_step_setup *setup, const tn_step_equations *eq, const tn_step_answer *answer,
                            tn_step_next *next, const tn_state *state, tn_impact_joints *out, tn_error *error);
// Their work over the step [J], added: what is lost in friction, dampers and limits, what motors and kinematic bodies
// bring in, and all that the rows' forces do. mean (3 n_blocks): velocity; the first solve's rows know the axes at the
// step's start, those of the second the axes at its end. state: at the step's start.
typedef struct tn_joint_work {
    double dissipated, injected, whole;
} tn_joint_work;
void tn_sim_joints_work(const tn_solved_step *step, const tn_state *state, const double *mean, tn_joint_work *out);
void tn_sim_joints_end_work(const tn_solved_step *step, const tn_state *state, const double *mean, tn_joint_work *out);
// Elastic energy of joints at the state, and at the step's end [J]: a spring counts with the strain that its force in
// the step belongs to. Where the step does not resolve it, that is none of what positions are off by beside their
// linear change, which a spring of 1e15 N/m would count as 0.5 GJ for a millimetre.
double tn_sim_joints_energy_at(const tn_state *state);
double tn_sim_joints_energy(const tn_solved_step *step, int only); // joint of setup->model; -1: of all
// Coordinates, forces and energy to the state.
void tn_sim_joints_remember(const tn_solved_step *step, tn_state *state);

// Deepest penetration at next->pose and next->x, true geometry of the pairs that the last step held close to touch [m];
// NaN: no memory.
double tn_sim_penetration(const tn_solved_step *step);

// Bodies of the contact that overlaps by depth > 0, what tn_sim_penetration has found [m].
void tn_sim_deepest(const tn_solved_step *step, double depth, int bodies[2]);
// Into report->miss, of the report's figures (miss.c).
void tn_sim_judge(const tn_solved_step *step, const tn_state *state, tn_step_report *report);
void tn_sim_tell(const tn_sim *sim, const tn_step_report *report); // its log, of a step just done

// TN_NUMERICS where more energy has come from nowhere than gain_limit allows (gain.c), with what is the matter. watch:
// as the state has it, then as it is after the step. injected of both since the start.
tn_status tn_sim_check_gain(const tn_solved_step *step, tn_energy_watch *watch, const tn_energy *before,
                            const tn_energy *after, tn_error *error);

// Energies of a configuration at time t [s] (energy.c), all else zero; elastic: the soft bodies' energy there [J].
void tn_energy_at(const tn_model *model, const tn_pose *poses, const double *x, const double *v, double t,
                  double elastic, tn_energy *out);
// World velocity of a free body's center of mass, and its angular momentum about it, of its blocks x of v.
void tn_energy_body_motion(const tn_model_body *body, const tn_pose *pose, const double *x, double linear[3],
                           double spin[3]);
// Its momenta, set in *out.
void tn_energy_add_momentum(const tn_model *model, const tn_pose *poses, const double *x, const double *v,
                            tn_energy *out);
// Work over the step [J].
typedef struct tn_step_work {
    double dissipated, injected;
    tn_spring_books springs;
} tn_step_work;
// Of contacts, springs, elements, forces and drives.
tn_status tn_energy_work(const tn_solved_step *step, const tn_state *state, tn_step_work *out, tn_error *error);
// The elements' share of it, added (energy_elements.c).
tn_status tn_energy_elements_work(const tn_solved_step *step, const tn_state *state, tn_step_work *out,
                                  tn_error *error);
