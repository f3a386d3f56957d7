// Batch: many states of a model, stepped side by side.
#include "core.h"

enum { POSES, VELOCITIES, NODES, NODE_VELOCITIES, COORDINATES, RATES, READINGS, ARRAYS };

typedef struct core_batch {
    PyObject_HEAD core_model *model;
    tn_batch *batch;
    tn_step_report *reports; // (n) of the last step
    bool stepped, busy;
    double *array[ARRAYS]; // what properties show, always at the same place
} core_batch;

static void destroy(core_batch *self)
{
    tn_batch_destroy(self->batch);
    PyMem_Free(self->reports);
    for (int i = 0; i < ARRAYS; i++) {
        PyMem_Free(self->array[i]);
    }
    Py_XDECREF(self->model);
    Py_TYPE(self)->tp_free(self);
}

// Rows and columns of an array for one state.
static void shape_of(const tn_model *model, int which, npy_intp shape[2])
{
    npy_intp bodies = tn_model_body_count(model), nodes = tn_model_node_total(model),
             coordinates = tn_model_coordinate_count(model);
    const npy_intp all[ARRAYS][2] = {{bodies, 7},
                                     {bodies, 6},
                                     {nodes, 3},
                                     {nodes, 3},
                                     {coordinates, 1},
                                     {coordinates, 1},
                                     {tn_model_reading_count(model), 1}};
    shape[0] = all[which][0];
    shape[1] = all[which][1];
}

static PyObject *create(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *known[] = {"model", "n", "threads", NULL};
    PyObject *model;
    int n, threads = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!i|i:Batch", known, &core_model_type, &model, &n,
                                     &threads)) {
        return NULL;
    }
    core_batch *self = (core_batch *)type->tp_alloc(type, 0);
    if (!self) {
        return NULL;
    }
    tn_error error = {0};
    self->model = (core_model *)Py_NewRef(model);
    self->batch = tn_batch_create(self->model->model, n, threads, &error);
    if (!self->batch) {
        Py_DECREF(self);
        return core_raise(error.status, &error);
    }
    self->reports = PyMem_Calloc((size_t)n, sizeof *self->reports);
    bool room = self->reports;
    for (int i = 0; i < ARRAYS; i++) {
        npy_intp shape[2];
        shape_of(self->model->model, i, shape);
        self->array[i] = PyMem_Calloc((size_t)n * (size_t)(shape[0] * shape[1]) + 1, sizeof(double));
        room = room && self->array[i];
    }
    if (!room) {
        Py_DECREF(self);
        return PyErr_NoMemory();
    }
    return (PyObject *)self;
}

static bool is_free(const core_batch *self)
{
    if (self->busy) {
        PyErr_SetString(PyExc_RuntimeError, "this batch is being stepped in another thread");
    }
    return !self->busy;
}

// ---- step

enum { INPUTS = 7 };

typedef struct input {
    tn_input given;
    PyObject *kept[INPUTS];
} input;

// An array (n, rows, columns), or (n, rows) with columns 0.
static bool take(PyObject *object, npy_intp n, npy_intp rows, npy_intp columns, const char *what, const double **out,
                 PyObject **kept)
{
    *out = NULL;
    *kept = NULL;
    if (!object || object == Py_None) {
        return true;
    }
    PyArrayObject *array = (PyArrayObject *)PyArray_FROMANY(object, NPY_DOUBLE, 0, 0, NPY_ARRAY_CARRAY_RO);
    if (!array) {
        return false;
    }
    int dimensions = columns > 0 ? 3 : 2;
    bool shaped = PyArray_NDIM(array) == dimensions && PyArray_DIM(array, 0) == n && PyArray_DIM(array, 1) == rows &&
                  (columns == 0 || PyArray_DIM(array, 2) == columns);
    if (!shaped) {
        if (columns > 0) {
            PyErr_Format(PyExc_ValueError, "%s: an array of shape (%zd, %zd, %zd) is wanted", what, n, rows, columns);
        } else {
            PyErr_Format(PyExc_ValueError, "%s: an array of shape (%zd, %zd) is wanted", what, n, rows);
        }
        Py_DECREF(array);
        return false;
    }
    *kept = (PyObject *)array;
    *out = PyArray_DATA(array);
    return true;
}

static bool take_all(const core_batch *self, PyObject *const object[INPUTS], input *in)
{
    const tn_model *model = self->model->model;
    npy_intp n = tn_batch_count(self->batch), bodies = tn_model_body_count(model), nodes = tn_model_node_total(model),
             c = tn_model_coordinate_count(model);
    tn_input *g = &in->given;
    PyObject **kept = in->kept;
    return take(object[0], n, bodies, 6, "wrench", &g->wrench, &kept[0]) &&
           take(object[1], n, nodes, 3, "node_force", &g->node_force, &kept[1]) &&
           take(object[2], n, c, 0, "effort", &g->effort, &kept[2]) &&
           take(object[3], n, c, 0, "target", &g->target, &kept[3]) &&
           take(object[4], n, c, 0, "target_rate", &g->target_rate, &kept[4]) &&
           take(object[5], n, bodies, 7, "motion", &g->motion, &kept[5]) &&
           take(object[6], n, 3, 0, "gravity", &g->gravity, &kept[6]);
}

// Some steps at a time, so that signals are seen. Fails where a state has, but only after all the others have had their
// step.
static PyObject *advance(core_batch *self, const tn_input *given, long n)
{
    tn_status status = TN_OK;
    tn_error error = {0};
    for (long done = 0; status == TN_OK && done < n;) {
        bool stepped = false;
        Py_BEGIN_ALLOW_THREADS;
        double until = core_time() + CORE_SLICE;
        do {
            status = tn_batch_step(self->batch, 1, given, self->reports, NULL, &error);
            stepped = stepped || status == TN_OK;
            done++;
        } while (status == TN_OK && done < n && core_time() < until);
        Py_END_ALLOW_THREADS;
        self->stepped = self->stepped || stepped;
        if (PyErr_CheckSignals() < 0) {
            return NULL;
        }
    }
    return status == TN_OK ? Py_NewRef(Py_None) : core_raise(status, &error);
}

static PyObject *step(core_batch *self, PyObject *arguments, PyObject *keywords)
{
    static char *known[] = {"n", "wrench", "node_force", "effort", "target", "target_rate", "motion", "gravity", NULL};
    long n = 1;
    PyObject *object[INPUTS] = {NULL};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|l$OOOOOOO:step", known, &n, &object[0], &object[1],
                                     &object[2], &object[3], &object[4], &object[5], &object[6])) {
        return NULL;
    }
    if (n < 0) {
        PyErr_SetString(PyExc_ValueError, "step: n must not be negative");
        return NULL;
    }
    input in = {0};
    PyObject *done = NULL;
    if (take_all(self, object, &in) && is_free(self)) {
        self->busy = true;
        done = advance(self, &in.given, n);
        self->busy = false;
    }
    for (int i = 0; i < INPUTS; i++) {
        Py_XDECREF(in.kept[i]);
    }
    return done;
}

// ---- states

static tn_state *state_at(core_batch *self, long i)
{
    bool there = i >= 0 && i < tn_batch_count(self->batch);
    tn_state *state = is_free(self) ? tn_batch_state(self->batch, there ? (int)i : -1) : NULL;
    if (!state && !PyErr_Occurred()) {
        PyErr_Format(PyExc_IndexError, "there is no state %ld", i);
    }
    return state;
}

static PyObject *state_of(core_batch *self, PyObject *number)
{
    long i = PyLong_AsLong(number);
    tn_state *from = i == -1 && PyErr_Occurred() ? NULL : state_at(self, i);
    PyObject *copy = from ? PyObject_CallOneArg((PyObject *)&core_state_type, (PyObject *)self->model) : NULL;
    tn_error error = {0};
    tn_status status = copy ? tn_state_copy(((core_state *)copy)->state, from, &error) : TN_OK;
    if (status != TN_OK) {
        Py_CLEAR(copy);
        return core_raise(status, &error);
    }
    return copy;
}

static PyObject *set_state(core_batch *self, PyObject *arguments)
{
    long i;
    PyObject *object;
    if (!PyArg_ParseTuple(arguments, "lO!:set_state", &i, &core_state_type, &object)) {
        return NULL;
    }
    core_state *from = (core_state *)object;
    tn_state *to = core_state_is_free(from) ? state_at(self, i) : NULL;
    tn_error error = {0};
    tn_status status = to ? tn_state_copy(to, from->state, &error) : TN_OK;
    return !to ? NULL : status == TN_OK ? Py_NewRef(Py_None) : core_raise(status, &error);
}

static PyObject *set_options(core_batch *self, PyObject *arguments)
{
    const char **set;
    if (!is_free(self)) {
        return NULL;
    }
    PyObject *kept;
    Py_ssize_t n = core_strings(arguments, &kept, &set);
    tn_error error = {0};
    tn_status status = n >= 0 ? tn_batch_set(self->batch, (int)n, set, &error) : TN_OK;
    PyMem_Free(set);
    Py_XDECREF(kept);
    return n < 0 ? NULL : status == TN_OK ? Py_NewRef(Py_None) : core_raise(status, &error);
}

// ---- properties

static PyObject *array_of(core_batch *self, void *which)
{
    if (!is_free(self)) {
        return NULL;
    }
    int k = (int)(intptr_t)which;
    double **a = self->array;
    tn_batch_arrays to = {0};
    double **field[ARRAYS] = {&to.pose, &to.velocity, &to.x, &to.v, &to.coordinate, &to.rate, &to.reading};
    *field[k] = a[k];
    tn_batch_get(self->batch, &to);
    npy_intp rows[2], shape[3] = {tn_batch_count(self->batch)};
    shape_of(self->model->model, k, rows);
    shape[1] = rows[0];
    shape[2] = rows[1];
    PyObject *array = PyArray_SimpleNewFromData(k < COORDINATES ? 3 : 2, shape, NPY_DOUBLE, a[k]);
    if (!array) {
        return NULL;
    }
    PyArray_CLEARFLAGS((PyArrayObject *)array, NPY_ARRAY_WRITEABLE);
    Py_INCREF(self);
    if (PyArray_SetBaseObject((PyArrayObject *)array, (PyObject *)self) < 0) {
        Py_CLEAR(array);
    }
    return array;
}

// Columns first to end of an array, as a view.
static PyObject *columns_of(PyObject *array, long first, long end)
{
    PyObject *from = PyLong_FromLong(first), *to = PyLong_FromLong(end);
    PyObject *rows = PySlice_New(NULL, NULL, NULL), *columns = from && to ? PySlice_New(from, to, NULL) : NULL;
    PyObject *index = rows && columns ? PyTuple_Pack(2, rows, columns) : NULL;
    PyObject *view = index ? PyObject_GetItem(array, index) : NULL;
    Py_XDECREF(from);
    Py_XDECREF(to);
    Py_XDECREF(rows);
    Py_XDECREF(columns);
    Py_XDECREF(index);
    return view;
}

// Views of the readings, by the names of sensors.
static PyObject *sensors_of(core_batch *self, void *unused)
{
    (void)unused;
    const tn_model *model = self->model->model;
    PyObject *all = array_of(self, (void *)READINGS), *dict = all ? PyDict_New() : NULL;
    for (int i = 0; dict && i < tn_model_sensor_count(model); i++) {
        long first = tn_model_first_reading(model, i);
        PyObject *view = columns_of(all, first, first + tn_model_sensor_width(model, i));
        if (!view || PyDict_SetItemString(dict, tn_model_sensor_name(model, i), view) < 0) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(view);
    }
    Py_XDECREF(all);
    return dict;
}

static PyObject *natural(core_batch *self, void *unused)
{
    (void)unused;
    if (!is_free(self)) {
        return NULL;
    }
    npy_intp n = tn_batch_count(self->batch);
    PyObject *array = PyArray_SimpleNew(1, &n, NPY_DOUBLE);
    for (npy_intp i = 0; array && i < n; i++) {
        ((double *)PyArray_DATA((PyArrayObject *)array))[i] =
            self->stepped ? self->reports[i].solve.certificate.natural : 0.0;
    }
    return array;
}

static PyObject *model_of(core_batch *self, void *unused)
{
    (void)unused;
    return Py_NewRef((PyObject *)self->model);
}

static Py_ssize_t length(PyObject *self)
{
    return tn_batch_count(((core_batch *)self)->batch);
}

static PyGetSetDef members[] = {
    {"model", (getter)model_of, NULL, "The model.", NULL},
    {"poses", (getter)array_of, NULL,
     "(n, n_rigid, 7), as State.poses: a read-only view, always of the same memory; asking anew brings it up to date.",
     (void *)POSES},
    {"velocities", (getter)array_of, NULL, "(n, n_rigid, 6), as State.velocities.", (void *)VELOCITIES},
    {"nodes", (getter)array_of, NULL, "(n, n_nodes, 3) [m].", (void *)NODES},
    {"node_velocities", (getter)array_of, NULL, "(n, n_nodes, 3) [m/s].", (void *)NODE_VELOCITIES},
    {"coordinates", (getter)array_of, NULL, "(n, coordinates) [m, rad].", (void *)COORDINATES},
    {"rates", (getter)array_of, NULL, "(n, coordinates) [m/s, rad/s].", (void *)RATES},
    {"readings", (getter)array_of, NULL, "(n, numbers) of all sensors, after each state's last step in the batch.",
     (void *)READINGS},
    {"sensors", (getter)sensors_of, NULL,
     "By the names of sensors: (n, 1), (n, 3) or (n, 4), views of readings. What wants a step is NaN before the first.",
     NULL},
    {"natural", (getter)natural, NULL, "(n,): how exactly each state's last step was solved.", NULL},
    {NULL},
};

static PyMethodDef methods[] = {
    {"step", (PyCFunction)(void (*)(void))step, METH_VARARGS | METH_KEYWORDS,
     "step(n=1, *, wrench=None, node_force=None, effort=None, target=None, target_rate=None, motion=None, "
     "gravity=None)\n\nEvery "
     "state by "
     "n steps, with inputs as those of Sim.step but one row more in front: wrench (n, n_rigid, 6), effort (n, "
     "coordinates) ... Other threads run meanwhile. A state whose step fails stays as it was; the others have their "
     "step, then it raises."},
    {"state", (PyCFunction)state_of, METH_O, "state(i) -> State\n\nA copy."},
    {"set_state", (PyCFunction)set_state, METH_VARARGS, "set_state(i, state)\n\nState number i becomes a copy."},
    {"set", (PyCFunction)set_options, METH_VARARGS, "set(*options)\n\nAs Sim.set."},
    {NULL},
};

static PySequenceMethods sequence = {.sq_length = length};

PyTypeObject core_batch_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tenon.Batch",
    .tp_basicsize = sizeof(core_batch),
    .tp_doc =
        "Batch(model, n, threads=0)\n\nn states of a model, stepped over threads (0: one a processor), each with the "
        "same bits as alone.",
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = create,
    .tp_dealloc = (destructor)destroy,
    .tp_methods = methods,
    .tp_getset = members,
    .tp_as_sequence = &sequence,
};
