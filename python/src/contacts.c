// Contacts: those of a simulation's last step, a mapping from names to arrays, each filled when it is first asked for.
#include "core.h"

enum { BODIES, CONDITION, FEATURE, POINT, NORMAL, GAP, FORCE, VELOCITY, PATCH, FIELDS };
static const struct {
    const char *name;
    int type, dimensions;
    npy_intp columns, depth;
} fields[FIELDS] = {{"bodies", NPY_INT, 2, 2, 0},   {"condition", NPY_INT, 1, 0, 0},   {"feature", NPY_UINT, 1, 0, 0},
                    {"point", NPY_DOUBLE, 2, 3, 0}, {"normal", NPY_DOUBLE, 2, 3, 0},   {"gap", NPY_DOUBLE, 1, 0, 0},
                    {"force", NPY_DOUBLE, 2, 3, 0}, {"velocity", NPY_DOUBLE, 2, 3, 0}, {"patch", NPY_DOUBLE, 3, 2, 3}};

typedef struct core_contacts {
    PyObject_HEAD const tn_sim *sim; // NULL: its step is over, and all fields are here
    PyObject *field[FIELDS];
} core_contacts;

static void destroy(core_contacts *self)
{
    for (int k = 0; k < FIELDS; k++) {
        Py_XDECREF(self->field[k]);
    }
    Py_TYPE(self)->tp_free(self);
}

// A borrowed reference; NULL: exception set. The library writes into the array's own memory.
static PyObject *fill(core_contacts *self, int k)
{
    if (self->field[k] || !self->sim) {
        return self->field[k];
    }
    npy_intp n = tn_sim_contact_count(self->sim), shape[3] = {n, fields[k].columns, fields[k].depth};
    PyObject *array = PyArray_SimpleNew(fields[k].dimensions, shape, fields[k].type);
    if (!array) {
        return NULL;
    }
    void *to[FIELDS] = {NULL};
    to[k] = PyArray_DATA((PyArrayObject *)array);
    const tn_contact_results out = {.bodies = to[BODIES],
                                    .condition = to[CONDITION],
                                    .feature = to[FEATURE],
                                    .point = to[POINT],
                                    .normal = to[NORMAL],
                                    .gap = to[GAP],
                                    .force = to[FORCE],
                                    .velocity = to[VELOCITY],
                                    .patch = to[PATCH]};
    tn_sim_get_contacts(self->sim, 0, (int)n, &out);
    PyArray_CLEARFLAGS((PyArrayObject *)array, NPY_ARRAY_WRITEABLE); // shown to everybody who asks
    return self->field[k] = array;
}

PyObject *core_contacts_of(const tn_sim *sim)
{
    core_contacts *self = (core_contacts *)core_contacts_type.tp_alloc(&core_contacts_type, 0);
    if (self) {
        self->sim = sim;
    }
    return (PyObject *)self;
}

bool core_contacts_finish(PyObject *contacts)
{
    core_contacts *self = (core_contacts *)contacts;
    bool ok = true;
    for (int k = 0; k < FIELDS && ok; k++) {
        ok = fill(self, k) != NULL;
    }
    self->sim = NULL;
    return ok;
}

static PyObject *subscript(core_contacts *self, PyObject *name)
{
    for (int k = 0; k < FIELDS; k++) {
        if (PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, fields[k].name) == 0) {
            PyObject *array = fill(self, k);
            if (!array && !PyErr_Occurred()) {
                PyErr_SetString(PyExc_RuntimeError, "these contacts' step is over, and memory was short for them");
            }
            return Py_XNewRef(array);
        }
    }
    PyErr_SetObject(PyExc_KeyError, name);
    return NULL;
}

static Py_ssize_t length(PyObject *self)
{
    (void)self;
    return FIELDS;
}

static PyObject *keys(PyObject *self, PyObject *unused)
{
    (void)self, (void)unused;
    PyObject *names = PyTuple_New(FIELDS);
    for (int k = 0; names && k < FIELDS; k++) {
        PyObject *name = PyUnicode_FromString(fields[k].name);
        if (!name) {
            Py_CLEAR(names);
            break;
        }
        PyTuple_SET_ITEM(names, k, name);
    }
    return names;
}

static PyObject *iterate(PyObject *self)
{
    PyObject *names = keys(self, NULL), *iterator = names ? PyObject_GetIter(names) : NULL;
    Py_XDECREF(names);
    return iterator;
}

static PyMappingMethods mapping = {.mp_length = length, .mp_subscript = (binaryfunc)subscript};
static PyMethodDef methods[] = {
    {"keys", keys, METH_NOARGS, "keys() -> tuple\n\nThe fields' names; dict(contacts) has all arrays."},
    {NULL},
};

PyTypeObject core_contacts_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tenon.Contacts",
    .tp_basicsize = sizeof(core_contacts),
    .tp_doc = "Contacts of a step: a mapping from names to read-only arrays (Sim.contacts). An array is made when it "
              "is first asked for; what is kept over the next step has all of them.",
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_dealloc = (destructor)destroy,
    .tp_as_mapping = &mapping,
    .tp_iter = iterate,
    .tp_methods = methods,
};
