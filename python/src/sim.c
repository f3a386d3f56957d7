// Sim: steps a state, and tells of the last step.
#include "core.h"

// The contacts of the last step, before it is over. False: exception set, no memory.
static bool let_go_of_contacts(core_sim *self)
{
    bool held = self->contacts && Py_REFCNT(self->contacts) > 1;
    bool ok = !held || core_contacts_finish(self->contacts);
    Py_CLEAR(self->contacts);
    self->columns.written = 0;
    return ok;
}

static void destroy(core_sim *self)
{
    if (!let_go_of_contacts(self)) {
        PyErr_Clear();
    }
    core_columns_clear(&self->columns);
    tn_sim_destroy(self->sim);
    tn_sensors_destroy(self->sensors);
    Py_XDECREF(self->model);
    Py_TYPE(self)->tp_free(self);
}

static PyObject *create(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *known[] = {"model", NULL};
    PyObject *model;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!:Sim", known, &core_model_type, &model)) {
        return NULL;
    }
    core_sim *self = (core_sim *)type->tp_alloc(type, 0);
    if (!self) {
        return NULL;
    }
    tn_error error = {0};
    self->model = (core_model *)Py_NewRef(model);
    self->sim = tn_sim_create(self->model->model, &error);
    if (!self->sim) {
        Py_DECREF(self);
        return core_raise(error.status, &error);
    }
    return (PyObject *)self;
}

// ---- input

enum { WRENCH, NODE_FORCE, EFFORT, TARGET, TARGET_RATE, MOTION, GRAVITY, INPUTS };
static const char *const input_names[INPUTS] = {"wrench",      "node_force", "effort", "target",
                                                "target_rate", "motion",     "gravity"};

typedef struct input {
    tn_input given;
    PyObject *kept[INPUTS]; // arrays whose numbers `given` shows
    bool any;
} input;

static void let_go(input *in)
{
    for (int i = 0; i < INPUTS; i++) {
        Py_XDECREF(in->kept[i]);
    }
}

static bool take_input(const core_sim *self, int which, PyObject *object, input *in)
{
    const tn_model *model = self->model->model;
    const double **field[INPUTS] = {&in->given.wrench,      &in->given.node_force, &in->given.effort, &in->given.target,
                                    &in->given.target_rate, &in->given.motion,     &in->given.gravity};
    npy_intp bodies = tn_model_body_count(model), nodes = tn_model_node_total(model),
             coordinates = tn_model_coordinate_count(model);
    const npy_intp shape[INPUTS][2] = {{bodies, 6}, {nodes, 3}, {coordinates, 0}, {coordinates, 0}, {coordinates, 0},
                                       {bodies, 7}, {3, 0}};
    if (in->kept[which]) {
        PyErr_Format(PyExc_TypeError, "step: '%s' is given twice", input_names[which]);
        return false;
    }
    in->kept[which] = core_doubles(object, shape[which][0], shape[which][1], input_names[which], field[which]);
    in->any = in->any || *field[which];
    return in->kept[which] != NULL;
}

// step's keywords: those of an input, and n.
static bool take_keywords(const core_sim *self, PyObject *const *values, PyObject *names, long *n, input *in)
{
    for (Py_ssize_t i = 0; names && i < PyTuple_GET_SIZE(names); i++) {
        PyObject *name = PyTuple_GET_ITEM(names, i);
        int which = 0;
        while (which < INPUTS && PyUnicode_CompareWithASCIIString(name, input_names[which]) != 0) {
            which++;
        }
        if (which == INPUTS && PyUnicode_CompareWithASCIIString(name, "n") != 0) {
            PyErr_Format(PyExc_TypeError,
                         "step has no argument '%S': it takes n, wrench, node_force, effort, target, "
                         "target_rate, motion, gravity",
                         name);
            return false;
        }
        if (which < INPUTS) {
            if (!take_input(self, which, values[i], in)) {
                return false;
            }
            continue;
        }
        *n = PyLong_AsLong(values[i]);
        if (*n < 0) {
            if (!PyErr_Occurred()) {
                PyErr_SetString(PyExc_ValueError, "step: n must not be negative");
            }
            return false;
        }
    }
    return true;
}

// n steps; between some of them signals are seen.
static tn_status advance(core_sim *self, core_state *state, const tn_input *given, long n, tn_error *error)
{
    tn_status status = TN_OK;
    for (long done = 0; status == TN_OK && done < n;) {
        Py_BEGIN_ALLOW_THREADS;
        double until = core_time() + CORE_SLICE;
        do {
            status = tn_sim_step(self->sim, given, state->state, &self->report, error);
            done++;
        } while (status == TN_OK && done < n && core_time() < until);
        Py_END_ALLOW_THREADS;
        self->stepped = status == TN_OK;
        if (status == TN_OK && PyErr_CheckSignals() < 0) {
            return TN_INTERRUPTED;
        }
    }
    return status;
}

static PyObject *step(core_sim *self, PyObject *const *arguments, Py_ssize_t n_arguments, PyObject *names)
{
    if (n_arguments != 1 || !PyObject_TypeCheck(arguments[0], &core_state_type)) {
        PyErr_SetString(PyExc_TypeError, "step(state, *, n=1, ...): a state is wanted");
        return NULL;
    }
    core_state *state = (core_state *)arguments[0];
    input in = {0};
    long n = 1;
    bool ok = take_keywords(self, arguments + 1, names, &n, &in);
    if (ok && self->busy) {
        PyErr_SetString(PyExc_RuntimeError, "this simulation is stepping in another thread: make one for each");
    }
    if (!ok || self->busy || !core_state_is_free(state) || !let_go_of_contacts(self)) {
        let_go(&in);
        return NULL;
    }
    tn_error error = {0};
    self->busy = state->busy = true;
    tn_status status = advance(self, state, in.any ? &in.given : NULL, n, &error);
    self->busy = state->busy = false;
    self->last = n > 0 ? state : self->last;
    let_go(&in);
    if (status == TN_INTERRUPTED || (self->stepped && !core_columns_write(&self->columns, self->sim))) {
        return NULL;
    }
    return status == TN_OK ? Py_NewRef(Py_None) : core_raise(status, &error);
}

static PyObject *set_options(core_sim *self, PyObject *options)
{
    if (self->busy || self->n_derived > 0) {
        PyErr_SetString(PyExc_RuntimeError, self->busy ? "this simulation is stepping in another thread"
                                                       : "derivatives of this simulation's steps are still in use");
        return NULL;
    }
    if (!let_go_of_contacts(self)) {
        return NULL;
    }
    const char **set;
    PyObject *kept;
    Py_ssize_t n = core_strings(options, &kept, &set);
    tn_error error = {0};
    tn_status status = n >= 0 ? tn_sim_set(self->sim, (int)n, set, &error) : TN_OK;
    PyMem_Free(set);
    Py_XDECREF(kept);
    if (n < 0 || status != TN_OK) {
        return n < 0 ? NULL : core_raise(status, &error);
    }
    self->stepped = false;
    Py_RETURN_NONE;
}

// ---- the last step

static bool has_step(const core_sim *self)
{
    if (!self->stepped || self->busy) {
        PyErr_SetString(PyExc_RuntimeError, self->busy ? "this simulation is stepping in another thread"
                                                       : "no step has been taken, or the last one failed");
    }
    return self->stepped && !self->busy;
}

static bool put(PyObject *dict, const char *name, PyObject *value)
{
    bool ok = value && PyDict_SetItemString(dict, name, value) == 0;
    Py_XDECREF(value);
    return ok;
}

typedef struct number {
    const char *name;
    double value;
} number;

static PyObject *dict_of(size_t n, const number *numbers)
{
    PyObject *dict = PyDict_New();
    for (size_t i = 0; dict && i < n; i++) {
        if (!put(dict, numbers[i].name, PyFloat_FromDouble(numbers[i].value))) {
            Py_CLEAR(dict);
        }
    }
    return dict;
}

PyObject *core_certificate(const tn_certificate *c)
{
    const number numbers[] = {{"momentum", c->momentum},
                              {"signorini_primal", c->signorini_primal},
                              {"signorini_dual", c->signorini_dual},
                              {"complementarity", c->complementarity},
                              {"cone", c->cone},
                              {"dissipation", c->dissipation},
                              {"natural", c->natural},
                              {"fclib", c->fclib},
                              {"strict_natural", c->strict_natural},
                              {"strict_complementarity", c->strict_complementarity},
                              {"joint", c->joint},
                              {"penetration", c->penetration},
                              {"drift", c->drift}};
    return dict_of(sizeof numbers / sizeof *numbers, numbers);
}

PyObject *core_energy(const tn_energy *e)
{
    const number numbers[] = {{"kinetic", e->kinetic},       {"gravity", e->gravity},   {"elastic", e->elastic},
                              {"dissipated", e->dissipated}, {"injected", e->injected}, {"balance", e->balance}};
    PyObject *dict = dict_of(sizeof numbers / sizeof *numbers, numbers);
    const double *p = e->momentum, *l = e->angular_momentum;
    if (dict && (!put(dict, "momentum", Py_BuildValue("(ddd)", p[0], p[1], p[2])) ||
                 !put(dict, "angular_momentum", Py_BuildValue("(ddd)", l[0], l[1], l[2])))) {
        Py_CLEAR(dict);
    }
    return dict;
}

static PyObject *seconds(const tn_step_report *r)
{
    const number numbers[] = {{"collide", r->collide_s},
                              {"discretize", r->discretize_s},
                              {"solve", r->solve_s},
                              {"certify", r->certify_s},
                              {"total", r->total_s}};
    return dict_of(sizeof numbers / sizeof *numbers, numbers);
}

static PyObject *report(core_sim *self, void *unused)
{
    (void)unused;
    if (!has_step(self)) {
        return NULL;
    }
    const tn_step_report *r = &self->report;
    PyObject *dict = PyDict_New();
    bool ok = dict && put(dict, "step", PyLong_FromLong(r->step)) && put(dict, "time", PyFloat_FromDouble(r->time)) &&
              put(dict, "n_contacts", PyLong_FromLong(r->n_contacts)) &&
              put(dict, "solver", PyUnicode_FromString(r->solve.solver ? r->solve.solver : "")) &&
              put(dict, "iterations", PyLong_FromLong(r->solve.iterations)) &&
              put(dict, "converged", PyBool_FromLong(r->solve.converged)) &&
              put(dict, "tolerances_held", PyBool_FromLong(r->tolerances_held)) &&
              put(dict, "certificate", core_certificate(&r->solve.certificate)) &&
              put(dict, "energy", core_energy(&r->energy)) && put(dict, "seconds", seconds(r));
    if (!ok) {
        Py_CLEAR(dict);
    }
    return dict;
}

// An array of numbers in a dict, uninitialised; *data: its memory. NULL: exception set.
static void *put_array(PyObject *dict, const char *name, int type, int dimensions, const npy_intp *shape)
{
    PyObject *array = PyArray_SimpleNew(dimensions, shape, type);
    void *data = array ? PyArray_DATA((PyArrayObject *)array) : NULL;
    return put(dict, name, array) ? data : NULL;
}

static PyObject *contacts(core_sim *self, void *unused)
{
    (void)unused;
    if (!has_step(self)) {
        return NULL;
    }
    if (!self->contacts) {
        self->contacts = core_contacts_of(self->sim, &self->columns);
    }
    return Py_XNewRef(self->contacts);
}

PyObject *core_joints(const tn_sim *sim, const tn_model *model, const tn_state *state)
{
    PyObject *dict = PyDict_New();
    npy_intp n = tn_model_joint_count(model), c = tn_model_coordinate_count(model), two[2] = {n, 2}, three[2] = {n, 3};
    tn_joint_results to = {0};
    bool ok = dict && (to.point = put_array(dict, "point", NPY_DOUBLE, 2, three)) &&
              (to.force = put_array(dict, "force", NPY_DOUBLE, 2, three)) &&
              (to.torque = put_array(dict, "torque", NPY_DOUBLE, 2, three)) &&
              (to.violation = put_array(dict, "violation", NPY_DOUBLE, 2, two)) &&
              (to.effort = put_array(dict, "effort", NPY_DOUBLE, 1, &c)) &&
              (to.motor = put_array(dict, "motor", NPY_DOUBLE, 1, &c)) &&
              (to.condition = put_array(dict, "condition", NPY_INT, 1, &c));
    if (!ok) {
        Py_CLEAR(dict);
        return NULL;
    }
    tn_sim_get_joints(sim, state, &to);
    return dict;
}

static PyObject *joints(core_sim *self, PyObject *object)
{
    if (!PyObject_TypeCheck(object, &core_state_type)) {
        return PyErr_Format(PyExc_TypeError, "joints: the state that the last step led to is wanted");
    }
    core_state *state = (core_state *)object;
    if (!has_step(self) || !core_state_is_free(state)) {
        return NULL;
    }
    if (state != self->last || tn_state_time(state->state) != self->report.time) {
        PyErr_SetString(PyExc_ValueError, "joints: this is not the state that the last step led to");
        return NULL;
    }
    return core_joints(self->sim, self->model->model, state->state);
}

static PyObject *problem_of(core_sim *self, PyObject *unused)
{
    (void)unused;
    return has_step(self) ? core_problem_of(self->sim) : NULL;
}

// One array a sensor, all of one reading.
static PyObject *split_reading(const tn_model *model, const double *all)
{
    PyObject *dict = PyDict_New();
    for (int i = 0; dict && i < tn_model_sensor_count(model); i++) {
        npy_intp n = tn_model_sensor_width(model, i);
        double *to = put_array(dict, tn_model_sensor_name(model, i), NPY_DOUBLE, 1, &n);
        if (to) {
            memcpy(to, all + tn_model_first_reading(model, i), (size_t)n * sizeof *to);
        } else {
            Py_CLEAR(dict);
        }
    }
    return dict;
}

static PyObject *sensors(core_sim *self, PyObject *object)
{
    if (!PyObject_TypeCheck(object, &core_state_type)) {
        return PyErr_Format(PyExc_TypeError, "sensors: a state is wanted");
    }
    core_state *state = (core_state *)object;
    tn_model *model = self->model->model;
    tn_error error = {0};
    if (self->busy || !core_state_is_free(state)) {
        return PyErr_Occurred() ? NULL
                                : PyErr_Format(PyExc_RuntimeError, "this simulation is stepping in another thread");
    }
    bool led = self->stepped && state == self->last && tn_state_time(state->state) == self->report.time;
    double *all = PyMem_Calloc((size_t)tn_model_reading_count(model) + 1, sizeof *all);
    self->sensors = self->sensors ? self->sensors : tn_sensors_create(model, &error);
    tn_status status = all && self->sensors
                           ? tn_sensors_read(self->sensors, led ? self->sim : NULL, state->state, all, &error)
                           : TN_NO_MEMORY;
    PyObject *out = status == TN_OK ? split_reading(model, all) : core_raise(status, &error);
    PyMem_Free(all);
    return out;
}

// Parameters: tuples (less, more, difference), which are kept by the result.
static bool take_parameters(PyObject *const *tuples, Py_ssize_t n, tn_parameter *out)
{
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *less, *more;
        double difference;
        if (!PyTuple_Check(tuples[i]) ||
            !PyArg_ParseTuple(tuples[i], "O!O!d;a parameter is (less, more, difference)", &core_model_type, &less,
                              &core_model_type, &more, &difference)) {
            if (!PyErr_Occurred()) {
                PyErr_SetString(PyExc_TypeError, "linearize: a parameter is a tuple (less, more, difference)");
            }
            return false;
        }
        out[i] = (tn_parameter){((core_model *)less)->model, ((core_model *)more)->model, difference};
    }
    return true;
}

static PyObject *linearize(core_sim *self, PyObject *const *arguments, Py_ssize_t n_arguments, PyObject *names)
{
    if (n_arguments < 1 || !PyObject_TypeCheck(arguments[0], &core_state_type)) {
        PyErr_SetString(PyExc_TypeError, "linearize(state, *parameters, ...): a state is wanted");
        return NULL;
    }
    core_state *state = (core_state *)arguments[0];
    Py_ssize_t n = n_arguments - 1;
    tn_parameter *parameters = PyMem_Calloc((size_t)n + 1, sizeof *parameters);
    input in = {0};
    long steps = 1;
    bool ok = parameters && take_parameters(arguments + 1, n, parameters) &&
              take_keywords(self, arguments + n_arguments, names, &steps, &in);
    if (ok && (steps != 1 || in.given.motion)) {
        PyErr_SetString(PyExc_TypeError, "linearize is of one step, and knows no motion");
        ok = false;
    }
    if (ok && self->busy) {
        PyErr_SetString(PyExc_RuntimeError, "this simulation is stepping in another thread: make one for each");
    }
    PyObject *out = NULL;
    if (ok && !self->busy && core_state_is_free(state)) {
        out = core_linearization_create(self, arguments, n_arguments, &in.given, state->state, (int)n, parameters);
    }
    PyMem_Free(parameters);
    let_go(&in);
    return out;
}

static PyObject *model_of(core_sim *self, void *unused)
{
    (void)unused;
    return Py_NewRef((PyObject *)self->model);
}

static PyGetSetDef members[] = {
    {"model", (getter)model_of, NULL, "The model.", NULL},
    {"report", (getter)report, NULL,
     "Of the last step: step, time [s], n_contacts, solver, iterations, converged, tolerances_held, certificate, "
     "energy "
     "[J], seconds.",
     NULL},
    {"contacts", (getter)contacts, NULL,
     "Of the last step, read-only arrays by name, each written when it is first asked for, and from then on by the "
     "steps: bodies (n, 2), condition (n,) 0 "
     "open, "
     "1 "
     "stuck, 2 sliding, feature (n,) what touches, point (n, 3) [m], normal (n, 3) from the first to the second, gap "
     "(n,) [m], force (n, 3) on the second [N], world axes, velocity (n, 3) of the second relative to the first along "
     "the normal and two tangents [m/s], patch (n, 2, 3) [m].",
     NULL},
    {NULL},
};

static PyMethodDef methods[] = {
    {"step", (PyCFunction)(void (*)(void))step, METH_FASTCALL | METH_KEYWORDS,
     "step(state, *, n=1, wrench=None, node_force=None, effort=None, target=None, target_rate=None, motion=None, "
     "gravity=None)\n\n"
     "n steps with what acts beside the scene: wrench (n_rigid, 6) force [N] at the center of mass and torque [N m], "
     "world "
     "axes; node_force (n_nodes, 3) [N]; effort (coordinates,) along joints' coordinates [N, N m]; target, target_rate "
     "(coordinates,) of motors, NaN: the scene's; motion (n_rigid, 7) where kinematic bodies are to be at the step's "
     "end, rows with NaN: as the scene says; gravity (3,) [m/s^2]. Other threads run meanwhile. Raises "
     "NumericsError, and the state is as before the step that failed."},
    {"set", (PyCFunction)set_options, METH_VARARGS,
     "set(*options)\n\nFrom the next step on with the scene's options and these overrides 'path=value': "
     "set('law=convex', 'solver.tolerance.natural=1e-4'); set(): as the scene says. What changes bodies, joints, "
     "materials or the step is an InputError. The scene is compiled anew for it."},
    {"linearize", (PyCFunction)(void (*)(void))linearize, METH_FASTCALL | METH_KEYWORDS,
     "linearize(state, *parameters, wrench=None, node_force=None, effort=None, target=None, target_rate=None, "
     "gravity=None) -> Linearization\n\n"
     "Derivatives of the step from the state with that input: its inputs are the arrays that are given. A parameter is "
     "a tuple (less, more, difference) of two models: see tenon.parameter."},
    {"problem", (PyCFunction)problem_of, METH_NOARGS,
     "problem() -> Problem\n\nThe last step's problem, a copy: without what was asleep."},
    {"joints", (PyCFunction)joints, METH_O,
     "joints(state) -> dict\n\nOf the last step, which led to the state: point (joints, 3) [m], force, torque (joints, "
     "3) "
     "on body b there, world axes [N, N m], violation (joints, 2) [m, rad], effort (coordinates,) of springs, motors, "
     "friction "
     "and "
     "limits, motor (coordinates,) of motors and the input [N, N m], condition (coordinates,) 0 free, 1 low limit, 2 "
     "high limit, 3 friction holds, 4 motor at its "
     "strength."},
    {"sensors", (PyCFunction)sensors, METH_O,
     "sensors(state) -> dict\n\nWhat each sensor reads, by name: (1,), (3,) or (4,) in SI units. What wants a step, "
     "forces and accelerations, is NaN unless the last step led to the state."},
    {NULL},
};

PyTypeObject core_sim_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tenon.Sim",
    .tp_basicsize = sizeof(core_sim),
    .tp_doc = "Sim(model)\n\nSteps states of the model; one thread at a time.",
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = create,
    .tp_dealloc = (destructor)destroy,
    .tp_methods = methods,
    .tp_getset = members,
};
