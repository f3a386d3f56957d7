// Linearization: derivatives of one step.
#include "core.h"

typedef struct core_linearization {
    PyObject_HEAD core_sim *sim;
    PyObject *given; // state and parameters, which hold their models
    tn_linearization *lin;
    int n_state, n_input, n_parameters;
    bool busy;
} core_linearization;

static void destroy(core_linearization *self)
{
    tn_linearization_destroy(self->lin);
    if (self->sim) {
        self->sim->n_derived--;
    }
    Py_XDECREF(self->sim);
    Py_XDECREF(self->given);
    Py_TYPE(self)->tp_free(self);
}

PyObject *core_linearization_create(core_sim *sim, PyObject *const *given, Py_ssize_t n_given, const tn_input *input,
                                    const tn_state *state, int n_parameters, const tn_parameter *parameters)
{
    core_linearization *self = (core_linearization *)core_linearization_type.tp_alloc(&core_linearization_type, 0);
    if (!self) {
        return NULL;
    }
    self->sim = (core_sim *)Py_NewRef((PyObject *)sim);
    sim->n_derived++;
    self->given = PyTuple_New(n_given);
    for (Py_ssize_t i = 0; self->given && i < n_given; i++) {
        PyTuple_SET_ITEM(self->given, i, Py_NewRef(given[i]));
    }
    tn_error error = {0};
    self->lin = self->given ? tn_sim_linearize(sim->sim, input, state, n_parameters, parameters, &error) : NULL;
    if (!self->lin) {
        Py_DECREF(self);
        return PyErr_Occurred() ? NULL : core_raise(error.status, &error);
    }
    self->n_state = tn_linearization_state_count(self->lin);
    self->n_input = tn_linearization_input_count(self->lin);
    self->n_parameters = n_parameters;
    return (PyObject *)self;
}

static PyObject *new_array(int rows, int columns)
{
    npy_intp shape[2] = {rows, columns};
    return PyArray_ZEROS(columns < 0 ? 1 : 2, shape, NPY_DOUBLE, 0);
}

static double *numbers(PyObject *array)
{
    return PyArray_DATA((PyArrayObject *)array);
}

static bool is_free(const core_linearization *self)
{
    if (self->busy) {
        PyErr_SetString(PyExc_RuntimeError, "these derivatives are in use in another thread");
    }
    return !self->busy;
}

static PyObject *matrices(core_linearization *self, PyObject *unused)
{
    (void)unused;
    if (!is_free(self)) {
        return NULL;
    }
    PyObject *A = new_array(self->n_state, self->n_state), *B = new_array(self->n_state, self->n_input);
    PyObject *P = new_array(self->n_state, self->n_parameters);
    tn_status status = TN_NO_MEMORY;
    tn_error error = {0};
    int n_rough = 0;
    if (A && B && P) {
        self->busy = true;
        Py_BEGIN_ALLOW_THREADS;
        status = tn_linearization_matrices(self->lin, numbers(A), numbers(B), numbers(P), &n_rough, &error);
        Py_END_ALLOW_THREADS;
        self->busy = false;
    }
    if (status == TN_OK) {
        return Py_BuildValue("(NNNi)", A, B, P, n_rough);
    }
    Py_XDECREF(A);
    Py_XDECREF(B);
    Py_XDECREF(P);
    return PyErr_Occurred() ? NULL : core_raise(status, &error);
}

static PyObject *push(core_linearization *self, PyObject *arguments, PyObject *keywords)
{
    static char *known[] = {"dx", "du", "dp", NULL};
    PyObject *given[3] = {NULL}, *kept[3] = {NULL}, *out = NULL;
    const double *data[3] = {NULL};
    const int size[3] = {self->n_state, self->n_input, self->n_parameters};
    if (!is_free(self) ||
        !PyArg_ParseTupleAndKeywords(arguments, keywords, "|OOO:push", known, &given[0], &given[1], &given[2])) {
        return NULL;
    }
    bool ok = true;
    for (int i = 0; ok && i < 3; i++) {
        kept[i] = core_doubles(given[i], size[i], 0, known[i], &data[i]);
        ok = kept[i];
    }
    out = ok ? new_array(self->n_state, -1) : NULL;
    tn_error error = {0};
    tn_smoothness smooth = TN_SMOOTH_BOTH;
    tn_status status = TN_OK;
    if (out) {
        self->busy = true;
        Py_BEGIN_ALLOW_THREADS;
        status = tn_linearization_push(self->lin, data[0], data[1], data[2], numbers(out), &smooth, &error);
        Py_END_ALLOW_THREADS;
        self->busy = false;
    }
    for (int i = 0; i < 3; i++) {
        Py_XDECREF(kept[i]);
    }
    if (status != TN_OK) {
        Py_CLEAR(out);
        return core_raise(status, &error);
    }
    return out ? Py_BuildValue("(Ni)", out, (int)smooth) : NULL;
}

static PyObject *pull(core_linearization *self, PyObject *object)
{
    const double *g;
    PyObject *kept = is_free(self) ? core_doubles(object, self->n_state, 0, "g", &g) : NULL;
    if (!kept) {
        return NULL;
    }
    PyObject *gx = new_array(self->n_state, -1), *gu = new_array(self->n_input, -1);
    PyObject *gp = new_array(self->n_parameters, -1);
    tn_status status = TN_NO_MEMORY;
    tn_error error = {0};
    if (gx && gu && gp) {
        self->busy = true;
        Py_BEGIN_ALLOW_THREADS;
        status = tn_linearization_pull(self->lin, g, numbers(gx), numbers(gu), numbers(gp), &error);
        Py_END_ALLOW_THREADS;
        self->busy = false;
    }
    Py_DECREF(kept);
    if (status == TN_OK) {
        return Py_BuildValue("(NNN)", gx, gu, gp);
    }
    Py_XDECREF(gx);
    Py_XDECREF(gu);
    Py_XDECREF(gp);
    return PyErr_Occurred() ? NULL : core_raise(status, &error);
}

static PyObject *contacts(core_linearization *self, void *unused)
{
    (void)unused;
    PyObject *out = core_contacts_of(tn_linearization_sim(self->lin), NULL);
    if (out && !core_contacts_finish(out)) {
        Py_CLEAR(out);
    }
    return out;
}

static PyObject *joints(core_linearization *self, void *unused)
{
    (void)unused;
    return core_joints(tn_linearization_sim(self->lin), self->sim->model->model, tn_linearization_next(self->lin));
}

static PyObject *next(core_linearization *self, void *unused)
{
    (void)unused;
    PyObject *state = PyObject_CallOneArg((PyObject *)&core_state_type, (PyObject *)self->sim->model);
    tn_error error = {0};
    if (state && tn_state_copy(((core_state *)state)->state, tn_linearization_next(self->lin), &error) != TN_OK) {
        Py_DECREF(state);
        return core_raise(error.status, &error);
    }
    return state;
}

static PyObject *unique(core_linearization *self, void *unused)
{
    (void)unused;
    return PyBool_FromLong(tn_linearization_is_unique(self->lin));
}

static PyGetSetDef members[] = {
    {"contacts", (getter)contacts, NULL, "Of the step, as Sim.contacts: condition is the active set.", NULL},
    {"joints", (getter)joints, NULL, "Of the step, as Sim.joints: condition says which limits press, motors saturate.",
     NULL},
    {"next", (getter)next, NULL, "The state that the step leads to, a copy.", NULL},
    {"unique", (getter)unique, NULL,
     "False where the laws leave a choice of forces that moves bodies (more points than needed slide at once): the "
     "derivatives are then those of one choice.",
     NULL},
    {NULL},
};

static PyMethodDef methods[] = {
    {"matrices", (PyCFunction)matrices, METH_NOARGS,
     "matrices() -> (A, B, P, rough)\n\nA (n, n), B (n, inputs), P (n, parameters); rough: columns that are of one "
     "side "
     "only, or have no derivative (NaN) because other contacts touch on either side."},
    {"push", (PyCFunction)(void (*)(void))push, METH_VARARGS | METH_KEYWORDS,
     "push(dx=None, du=None, dp=None) -> (A dx + B du + P dp, smooth)\n\nsmooth: 2 on both sides, 1 on one, 0 not."},
    {"pull", (PyCFunction)pull, METH_O,
     "pull(g) -> (g A, g B, g P)\n\nFrom the gradient of a loss by the next state (n,) to those by state, inputs, "
     "parameters. No matrix is kept."},
    {NULL},
};

PyTypeObject core_linearization_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tenon.Linearization",
    .tp_basicsize = sizeof(core_linearization),
    .tp_doc =
        "Derivatives of a step (Sim.linearize makes it).\n\nA change of a state has n = 12 n_rigid + 6 n_nodes "
        "numbers: (n_rigid, 6) of poses, way of the frame [m] and rotation vector [rad], world axes; (n_nodes, 3) "
        "of nodes [m]; then (n_rigid, 6) and (n_nodes, 3) of their velocities. Those of bodies and nodes that "
        "forces do not move are zero. Inputs: the arrays given to linearize, flat, in the order wrench, "
        "node_force, effort, target, target_rate, gravity.",
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_dealloc = (destructor)destroy,
    .tp_methods = methods,
    .tp_getset = members,
};
