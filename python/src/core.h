// What the files of tenon._core share. Objects hold the objects that they stand on: a state its model, a simulation
// its model; arrays hold the object whose memory they show.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#define PY_ARRAY_UNIQUE_SYMBOL tenon_ARRAY_API
#ifndef TENON_IMPORTS_NUMPY
#define NO_IMPORT_ARRAY
#endif
#include <numpy/arrayobject.h>

#include <tenon/tenon.h>

#include <stdbool.h>
#include <time.h>

// What steps without the interpreter's lock: to get it back takes 5 ms where other threads run Python all the time.
#define CORE_SLICE 0.02 // [s]
static inline double core_time(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// Signals are Python's to see: now and then, in the thread that called (error.c).
typedef struct core_watch {
    unsigned long thread;
    double next;         // of core_time
    _Atomic bool raised; // an exception is set
} core_watch;
core_watch core_watch_start(void);
bool core_see_signals(void *watch); // as tn_plan_options.stop and tn_problem.stop ask

typedef struct core_model {
    PyObject_HEAD tn_model *model;
    PyObject *body_names, *joint_names, *coordinate_names, *sensor_names; // tuples of str
    PyObject *source;                                                     // dict of the arguments that make it again
} core_model;

typedef struct core_state {
    PyObject_HEAD core_model *model;
    tn_state *state;
    bool busy; // a step in another thread has it
    // Memory of the arrays that properties show: filled anew when one is asked for, always at the same place.
    double *poses, *velocities, *nodes, *node_velocities, *coordinates, *rates;
} core_state;

// Columns of contacts (contacts.c), by their number there.
enum { CORE_COLUMNS = 9 };
typedef struct core_columns {
    PyObject *base[CORE_COLUMNS]; // arrays with room; NULL: none yet
    unsigned written, asked;      // bits: has the last step's contacts; was asked for since that step
} core_columns;

typedef struct core_sim {
    PyObject_HEAD core_model *model;
    tn_sim *sim;
    tn_sensors *sensors; // NULL until they are asked for
    tn_step_report report;
    const core_state *last; // the state that the last step led to, only to be compared with
    bool stepped, busy;
    int n_derived;      // linearizations that still ask it
    PyObject *contacts; // of the last step, once asked for
    core_columns columns;
} core_sim;

typedef struct core_builder {
    PyObject_HEAD tn_builder *builder;
} core_builder;

extern PyTypeObject core_model_type, core_state_type, core_sim_type, core_query_type, core_batch_type,
    core_builder_type, core_linearization_type, core_dynamics_type, core_recorder_type, core_problem_type,
    core_contacts_type, core_lcs_source_type, core_planner_type, core_viewer_type, core_live_type;

// error.c: exceptions tenon.Error, InputError (file, line, column), NumericsError.
int core_errors_add(PyObject *module);                         // -1: failed, exception set
PyObject *core_raise(tn_status status, const tn_error *error); // NULL

// module.c: a C-contiguous array of doubles with this many numbers; new reference, its numbers in *data. None: NULL in
// *data, and None. what: for the message. NULL: exception set.
PyObject *core_doubles(PyObject *object, npy_intp rows, npy_intp columns, const char *what, const double **data);
// The array of a property: shows memory that owner holds. columns 0: one dimension.
PyObject *core_view(PyObject *owner, double *data, npy_intp rows, npy_intp columns);
// False with the exception set: it is being stepped in another thread.
bool core_state_is_free(const core_state *self);
// model.c: the strings of a sequence, alive while *kept is; *out for PyMem_Free. -1: exception set.
Py_ssize_t core_strings(PyObject *sequence, PyObject **kept, const char ***out);

// model.c: a str as UTF-8, which ends where the str does. NULL: TypeError, or ValueError where it has a NUL inside.
const char *core_text(PyObject *object);

// query.c: a body by its name or number, -1: exception set; a new array of one or two dimensions.
int core_body(const core_model *model, PyObject *object);
// The same, or the body of a named frame: point, of the frame, becomes the body's; turn (4) of the frame in it.
int core_place(const core_model *model, PyObject *object, double point[3], double turn[4]);
// a b of quaternions, b conjugated.
void core_turn_back(const double a[4], const double b[4], double out[4]);
PyObject *core_array(int n_dimensions, npy_intp rows, npy_intp columns, double **data);
// Methods of Model and State.
PyObject *core_shape_distances(core_model *self, PyObject *arguments, PyObject *keywords);
PyObject *core_support(core_model *self, PyObject *arguments, PyObject *keywords);
PyObject *core_point_jacobian(core_state *self, PyObject *arguments, PyObject *keywords);
PyObject *core_joint_jacobian(core_state *self, PyObject *arguments, PyObject *keywords);

// problem.c: of the last step of a simulation, a copy; solvers() -> dict name: summary.
PyObject *core_problem_of(const tn_sim *sim);
PyObject *core_solvers(PyObject *module, PyObject *unused);

// sim.c: the figures of a certificate, energies as a dict.
PyObject *core_certificate(const tn_certificate *certificate);
PyObject *core_energy(const tn_energy *energy);
// facts.c: members of Model and State.
PyObject *core_model_method(core_model *self, void *unused);
PyObject *core_model_soft(core_model *self, PyObject *name);
PyObject *core_model_faces(core_model *self, void *unused);
PyObject *core_model_kinds(core_model *self, void *unused);
PyObject *core_model_inertia(core_model *self, PyObject *name);
PyObject *core_model_limits(core_model *self, void *unused);
PyObject *core_model_shape(core_model *self, PyObject *number);
PyObject *core_model_pair(core_model *self, PyObject *arguments);
PyObject *core_state_energy(core_state *self, PyObject *unused);
PyObject *core_state_wake(core_state *self, PyObject *arguments);
PyObject *core_state_check(core_state *self, PyObject *unused);
PyObject *core_state_steps(core_state *self, void *unused);
// curve(recording, name) -> (numbers, label).
PyObject *core_curve(PyObject *module, PyObject *arguments);
// contacts.c: a mapping of the contacts of a simulation's last step, with arrays in its columns (NULL: of its own), to
// be finished before the step is over if it is to live on. False: exception set.
PyObject *core_contacts_of(const tn_sim *sim, core_columns *columns);
bool core_contacts_finish(PyObject *contacts);
// At a step's end, without contacts of the last one: what was asked for of those. False: exception set.
bool core_columns_write(core_columns *columns, const tn_sim *sim);
void core_columns_clear(core_columns *columns);
// sim.c: of the last step of any simulation, a dict of arrays.
PyObject *core_joints(const tn_sim *sim, const tn_model *model, const tn_state *state);
// linearize.c: keeps sim and the objects given.
PyObject *core_linearization_create(core_sim *sim, PyObject *const *given, Py_ssize_t n_given, const tn_input *input,
                                    const tn_state *state, int n_parameters, const tn_parameter *parameters);

// record.c: export(recording, format, path, every=1) -> what was written.
PyObject *core_export(PyObject *module, PyObject *arguments);
PyObject *core_tables(PyObject *module, PyObject *arguments); // tables(json, path): a report of tables and charts
