// State: where everything is and how fast, as arrays.
#include "core.h"

bool core_state_is_free(const core_state *self)
{
    if (self->busy) {
        PyErr_SetString(PyExc_RuntimeError, "this state is being stepped in another thread");
    }
    return !self->busy;
}

static void destroy(core_state *self)
{
    tn_state_destroy(self->state);
    double *all[] = {self->poses, self->velocities, self->nodes, self->node_velocities, self->coordinates, self->rates};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        PyMem_Free(all[i]);
    }
    Py_XDECREF(self->model);
    Py_TYPE(self)->tp_free(self);
}

static core_state *create_of(core_model *model)
{
    core_state *self = (core_state *)core_state_type.tp_alloc(&core_state_type, 0);
    if (!self) {
        return NULL;
    }
    tn_error error = {0};
    size_t bodies = (size_t)tn_model_body_count(model->model), nodes = (size_t)tn_model_node_total(model->model),
           coordinates = (size_t)tn_model_coordinate_count(model->model);
    self->model = (core_model *)Py_NewRef((PyObject *)model);
    self->state = tn_state_create(model->model, &error);
    self->poses = PyMem_Calloc(7 * bodies, sizeof(double));
    self->velocities = PyMem_Calloc(6 * bodies, sizeof(double));
    self->nodes = PyMem_Calloc(3 * nodes + 1, sizeof(double));
    self->node_velocities = PyMem_Calloc(3 * nodes + 1, sizeof(double));
    self->coordinates = PyMem_Calloc(coordinates + 1, sizeof(double));
    self->rates = PyMem_Calloc(coordinates + 1, sizeof(double));
    bool memory =
        self->poses && self->velocities && self->nodes && self->node_velocities && self->coordinates && self->rates;
    if (!self->state || !memory) {
        Py_DECREF(self);
        return (core_state *)(memory ? core_raise(error.status, &error) : PyErr_NoMemory());
    }
    return self;
}

static PyObject *create(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    (void)type;
    static char *known[] = {"model", NULL};
    PyObject *model;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!:State", known, &core_model_type, &model)) {
        return NULL;
    }
    return (PyObject *)create_of((core_model *)model);
}

static PyObject *copy(core_state *self, PyObject *unused)
{
    (void)unused;
    core_state *other = core_state_is_free(self) ? create_of(self->model) : NULL;
    tn_error error = {0};
    tn_status status = other ? tn_state_copy(other->state, self->state, &error) : TN_OK;
    if (status != TN_OK) {
        Py_DECREF(other);
        return core_raise(status, &error);
    }
    return (PyObject *)other;
}

static PyObject *copy_from(core_state *self, PyObject *other)
{
    if (!PyObject_TypeCheck(other, &core_state_type)) {
        return PyErr_Format(PyExc_TypeError, "copy_from: a state is wanted");
    }
    if (!core_state_is_free(self) || !core_state_is_free((core_state *)other)) {
        return NULL;
    }
    tn_error error = {0};
    tn_status status = tn_state_copy(self->state, ((core_state *)other)->state, &error);
    return status == TN_OK ? Py_NewRef(Py_None) : core_raise(status, &error);
}

static PyObject *at_path(core_state *self, PyObject *path, bool save)
{
    PyObject *bytes;
    if (!core_state_is_free(self) || !PyUnicode_FSConverter(path, &bytes)) {
        return NULL;
    }
    tn_error error = {0};
    const char *name = PyBytes_AS_STRING(bytes);
    tn_status status = save ? tn_state_save(self->state, name, &error) : tn_state_load(self->state, name, &error);
    Py_DECREF(bytes);
    return status == TN_OK ? Py_NewRef(Py_None) : core_raise(status, &error);
}

static PyObject *save(core_state *self, PyObject *path)
{
    return at_path(self, path, true);
}

static PyObject *load(core_state *self, PyObject *path)
{
    return at_path(self, path, false);
}

static PyObject *hash(core_state *self, PyObject *unused)
{
    (void)unused;
    return core_state_is_free(self) ? PyLong_FromUnsignedLongLong(tn_state_hash(self->state)) : NULL;
}

// Two arrays of an argument pair; what takes them.
typedef tn_status setter_of(tn_state *, const double *, const double *, tn_error *);
typedef struct pair {
    const char *one, *two;
    npy_intp rows, columns[2];
} pair;

static PyObject *set_both(core_state *self, PyObject *one, PyObject *two, const pair *shape, setter_of *take)
{
    const double *a, *b;
    PyObject *first = core_doubles(one, shape->rows, shape->columns[0], shape->one, &a);
    PyObject *second = first ? core_doubles(two, shape->rows, shape->columns[1], shape->two, &b) : NULL;
    if (!second || !core_state_is_free(self)) {
        Py_XDECREF(first);
        Py_XDECREF(second);
        return NULL;
    }
    tn_error error = {0};
    tn_status status = take(self->state, a, b, &error);
    Py_DECREF(first);
    Py_DECREF(second);
    return status == TN_OK ? Py_NewRef(Py_None) : core_raise(status, &error);
}

static PyObject *set_bodies(core_state *self, PyObject *arguments, PyObject *keywords)
{
    static char *known[] = {"poses", "velocities", NULL};
    PyObject *poses = NULL, *velocities = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|OO:set_bodies", known, &poses, &velocities)) {
        return NULL;
    }
    pair shape = {"poses", "velocities", tn_model_body_count(self->model->model), {7, 6}};
    return set_both(self, poses, velocities, &shape, tn_state_set_bodies);
}

static PyObject *set_nodes(core_state *self, PyObject *arguments, PyObject *keywords)
{
    static char *known[] = {"nodes", "velocities", NULL};
    PyObject *nodes = NULL, *velocities = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|OO:set_nodes", known, &nodes, &velocities)) {
        return NULL;
    }
    pair shape = {"nodes", "velocities", tn_model_node_total(self->model->model), {3, 3}};
    return set_both(self, nodes, velocities, &shape, tn_state_set_nodes);
}

// ---- properties

static PyObject *time_of(core_state *self, void *unused)
{
    (void)unused;
    return PyFloat_FromDouble(tn_state_time(self->state));
}

static PyObject *model_of(core_state *self, void *unused)
{
    (void)unused;
    return Py_NewRef((PyObject *)self->model);
}

enum { POSES, VELOCITIES, NODES, NODE_VELOCITIES, COORDINATES, RATES };

// The array that a property shows, brought up to date. which: one of the above.
static PyObject *array_of(core_state *self, void *which)
{
    if (!core_state_is_free(self)) {
        return NULL;
    }
    const tn_model *model = self->model->model;
    npy_intp bodies = tn_model_body_count(model), nodes = tn_model_node_total(model);
    switch ((intptr_t)which) {
    case POSES:
        tn_state_get_bodies(self->state, self->poses, NULL);
        return core_view((PyObject *)self, self->poses, bodies, 7);
    case VELOCITIES:
        tn_state_get_bodies(self->state, NULL, self->velocities);
        return core_view((PyObject *)self, self->velocities, bodies, 6);
    case NODES:
        tn_state_get_nodes(self->state, self->nodes, NULL);
        return core_view((PyObject *)self, self->nodes, nodes, 3);
    case NODE_VELOCITIES:
        tn_state_get_nodes(self->state, NULL, self->node_velocities);
        return core_view((PyObject *)self, self->node_velocities, nodes, 3);
    case COORDINATES:
        tn_state_get_coordinates(self->state, self->coordinates, NULL);
        return core_view((PyObject *)self, self->coordinates, tn_model_coordinate_count(model), 0);
    default:
        tn_state_get_coordinates(self->state, NULL, self->rates);
        return core_view((PyObject *)self, self->rates, tn_model_coordinate_count(model), 0);
    }
}

// Stress or strain of the soft bodies' elements, an array of its own.
static PyObject *of_elements(core_state *self, void *strain)
{
    if (!core_state_is_free(self)) {
        return NULL;
    }
    npy_intp shape[2] = {tn_model_element_total(self->model->model), 6};
    PyObject *array = PyArray_SimpleNew(2, shape, NPY_DOUBLE);
    double *data = array ? PyArray_DATA((PyArrayObject *)array) : NULL;
    tn_error error = {0};
    tn_status status = !array   ? TN_OK
                       : strain ? tn_state_get_elements(self->state, NULL, data, &error)
                                : tn_state_get_elements(self->state, data, NULL, &error);
    if (status != TN_OK) {
        Py_CLEAR(array);
        return core_raise(status, &error);
    }
    return array;
}

static PyGetSetDef members[] = {
    {"time", (getter)time_of, NULL, "Simulated so far [s].", NULL},
    {"steps", (getter)core_state_steps, NULL, "Steps that led to it.", NULL},
    {"model", (getter)model_of, NULL, "The model.", NULL},
    {"poses", (getter)array_of, NULL,
     "(n_rigid, 7): position [m], quaternion (w, x, y, z) of each rigid body's own frame. A read-only view, always of "
     "the "
     "same memory: asking anew brings it up to date.",
     (void *)POSES},
    {"velocities", (getter)array_of, NULL, "(n_rigid, 6): of that frame's origin [m/s], angular [rad/s], world axes.",
     (void *)VELOCITIES},
    {"nodes", (getter)array_of, NULL, "(n_nodes, 3): places of the soft bodies' nodes [m].", (void *)NODES},
    {"node_velocities", (getter)array_of, NULL, "(n_nodes, 3) [m/s].", (void *)NODE_VELOCITIES},
    {"stress", (getter)of_elements, NULL,
     "(n_elements, 6): xx yy zz yz xz xy in world axes of the soft bodies' elements, tension positive [Pa]. A new "
     "array.",
     NULL},
    {"strain", (getter)of_elements, NULL, "(n_elements, 6): likewise [-].", (void *)1},
    {"coordinates", (getter)array_of, NULL, "(coordinates,): of all joints, turns counted [m, rad].",
     (void *)COORDINATES},
    {"rates", (getter)array_of, NULL, "(coordinates,) [m/s, rad/s].", (void *)RATES},
    {NULL},
};

static PyObject *frame(core_state *self, PyObject *name)
{
    const char *text = core_text(name);
    int number = text ? tn_model_find_frame(self->model->model, text) : -1;
    if (!text || number < 0) {
        return text ? PyErr_Format(PyExc_KeyError, "the scene has no frame '%s'", text) : NULL;
    }
    double *pose;
    PyObject *array = core_state_is_free(self) ? core_array(1, 7, 0, &pose) : NULL;
    if (array) {
        tn_state_frame(self->state, number, pose, pose + 3);
    }
    return array;
}

static PyMethodDef methods[] = {
    {"copy", (PyCFunction)copy, METH_NOARGS, "copy() -> State\n\nAll of it: both go on to the same bits."},
    {"__copy__", (PyCFunction)copy, METH_NOARGS, "copy() -> State"},
    {"copy_from", (PyCFunction)copy_from, METH_O, "copy_from(other)\n\nOf the same model."},
    {"save", (PyCFunction)save, METH_O, "save(path)\n\nA checkpoint: continues to the last bit."},
    {"load", (PyCFunction)load, METH_O, "load(path)\n\nOf a checkpoint of the same model."},
    {"hash", (PyCFunction)hash, METH_NOARGS, "hash() -> int\n\n64 bits of all that influences the next step."},
    {"set_bodies", (PyCFunction)(void (*)(void))set_bodies, METH_VARARGS | METH_KEYWORDS,
     "set_bodies(poses=None, velocities=None)\n\n(n_rigid, 7), (n_rigid, 6) as the properties; rows that begin with "
     "NaN and "
     "bodies that forces do not move stay."},
    {"energy", (PyCFunction)core_state_energy, METH_NOARGS,
     "energy() -> dict\n\nkinetic, gravity, elastic [J], momentum, angular_momentum; dissipated and injected on the "
     "way "
     "here."},
    {"wake", (PyCFunction)core_state_wake, METH_VARARGS,
     "wake(body=None)\n\nWakes a sleeping body and those that rest with it; None: all."},
    {"check", (PyCFunction)core_state_check, METH_NOARGS,
     "check() -> dict\n\nWhat `tenon check` says of a start: overlaps (contacts, pairs, deepest [m], bodies), joints "
     "(rows, dependent, contradiction, off), velocities (mismatch with what joints allow [m/s, rad/s], kinetic and "
     "allowed energy [J])."},
    {"frame", (PyCFunction)frame, METH_O,
     "frame(name) -> (7,) array\n\nWhere a named frame is: position [m], quaternion (w, x, y, z), world axes."},
    {"point_jacobian", (PyCFunction)(void (*)(void))core_point_jacobian, METH_VARARGS | METH_KEYWORDS,
     "point_jacobian(body, point=(0, 0, 0)) -> (6, 6) array\n\nOf a point of a rigid body or a named frame, in its own "
     "axes [m]: times "
     "the "
     "body's row of velocities it is the point's velocity [m/s] and the body's angular velocity [rad/s], world axes."},
    {"joint_jacobian", (PyCFunction)(void (*)(void))core_joint_jacobian, METH_VARARGS | METH_KEYWORDS,
     "joint_jacobian(body, point=(0, 0, 0)) -> (6, coordinates) array\n\nThe same times rates, of a body that hangs "
     "from the "
     "world by one open chain of joints."},
    {"set_nodes", (PyCFunction)(void (*)(void))set_nodes, METH_VARARGS | METH_KEYWORDS,
     "set_nodes(nodes=None, velocities=None)\n\n(n_nodes, 3) each; rows that begin with NaN and attached nodes stay."},
    {NULL},
};

PyTypeObject core_state_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tenon.State",
    .tp_basicsize = sizeof(core_state),
    .tp_doc = "State(model)\n\nThe model's state at the start of its run.",
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = create,
    .tp_dealloc = (destructor)destroy,
    .tp_methods = methods,
    .tp_getset = members,
};
