// Contacts: those of a simulation's last step, a mapping from names to arrays.
//
// Their memory is the simulation's, arrays with some room that are written again as long as nobody else shows them. A
// column is written when it is first asked for; the next step writes it at its end, so that who asks in every step gets
// a view and waits for nothing.
#include "core.h"

enum { BODIES, CONDITION, FEATURE, POINT, NORMAL, GAP, FORCE, VELOCITY, PATCH, FIELDS };
_Static_assert((int)FIELDS == (int)CORE_COLUMNS, "core.h counts them");
static const struct {
    const char *name;
    int type, dimensions;
    npy_intp columns, depth;
} fields[FIELDS] = {{"bodies", NPY_INT, 2, 2, 0},   {"condition", NPY_INT, 1, 0, 0},   {"feature", NPY_UINT, 1, 0, 0},
                    {"point", NPY_DOUBLE, 2, 3, 0}, {"normal", NPY_DOUBLE, 2, 3, 0},   {"gap", NPY_DOUBLE, 1, 0, 0},
                    {"force", NPY_DOUBLE, 2, 3, 0}, {"velocity", NPY_DOUBLE, 2, 3, 0}, {"patch", NPY_DOUBLE, 3, 2, 3}};

typedef struct core_contacts {
    PyObject_HEAD const tn_sim *sim; // NULL: its step is over, and all fields that there will be are here
    core_columns *columns;           // of the simulation; NULL: none, arrays are the mapping's own
    PyObject *field[FIELDS];
} core_contacts;

static void destroy(core_contacts *self)
{
    for (int k = 0; k < FIELDS; k++) {
        Py_XDECREF(self->field[k]);
    }
    Py_TYPE(self)->tp_free(self);
}

static void write_columns(const tn_sim *sim, unsigned which, PyObject *const *base)
{
    void *to[FIELDS] = {NULL};
    for (int k = 0; k < FIELDS; k++) {
        to[k] = which & (1u << k) ? PyArray_DATA((PyArrayObject *)base[k]) : NULL;
    }
    const tn_contact_results out = {.bodies = to[BODIES],
                                    .condition = to[CONDITION],
                                    .feature = to[FEATURE],
                                    .point = to[POINT],
                                    .normal = to[NORMAL],
                                    .gap = to[GAP],
                                    .force = to[FORCE],
                                    .velocity = to[VELOCITY],
                                    .patch = to[PATCH]};
    tn_sim_get_contacts(sim, 0, tn_sim_contact_count(sim), &out);
}

// Room for n contacts that nobody shows. False: exception set.
static bool make_room(PyObject **base, int k, npy_intp n)
{
    if (!*base || Py_REFCNT(*base) > 1 || PyArray_DIM((PyArrayObject *)*base, 0) < n) {
        npy_intp shape[3] = {n + n / 8, fields[k].columns, fields[k].depth};
        Py_XSETREF(*base, PyArray_SimpleNew(fields[k].dimensions, shape, fields[k].type));
    }
    return *base != NULL;
}

// The first n rows, read only.
static PyObject *view_of(PyObject *base, int k, npy_intp n)
{
    npy_intp shape[3] = {n, fields[k].columns, fields[k].depth};
    PyObject *array =
        PyArray_SimpleNewFromData(fields[k].dimensions, shape, fields[k].type, PyArray_DATA((PyArrayObject *)base));
    if (array && PyArray_SetBaseObject((PyArrayObject *)array, Py_NewRef(base)) < 0) {
        Py_CLEAR(array);
    }
    if (array) {
        PyArray_CLEARFLAGS((PyArrayObject *)array, NPY_ARRAY_WRITEABLE); // shown to everybody who asks
    }
    return array;
}

// A borrowed reference; NULL: exception set, or the step is over.
static PyObject *fill(core_contacts *self, int k)
{
    if (self->field[k] || !self->sim) {
        return self->field[k];
    }
    core_columns own = {.written = 0}, *c = self->columns ? self->columns : &own;
    unsigned bit = 1u << k;
    npy_intp n = tn_sim_contact_count(self->sim);
    bool there = c->written & bit;
    if (there || make_room(&c->base[k], k, n)) {
        if (!there) {
            write_columns(self->sim, bit, c->base);
        }
        c->written |= bit;
        c->asked |= bit;
        self->field[k] = view_of(c->base[k], k, n);
    }
    Py_XDECREF(own.base[k]);
    return self->field[k];
}

PyObject *core_contacts_of(const tn_sim *sim, core_columns *columns)
{
    core_contacts *self = (core_contacts *)core_contacts_type.tp_alloc(&core_contacts_type, 0);
    if (self) {
        self->sim = sim;
        self->columns = columns;
    }
    return (PyObject *)self;
}

bool core_contacts_finish(PyObject *contacts)
{
    core_contacts *self = (core_contacts *)contacts;
    bool any = false, ok = true;
    for (int k = 0; k < FIELDS; k++) {
        any = any || self->field[k];
    }
    for (int k = 0; k < FIELDS && ok && !any; k++) {
        ok = fill(self, k) != NULL;
    }
    self->sim = NULL;
    self->columns = NULL;
    return ok;
}

bool core_columns_write(core_columns *c, const tn_sim *sim)
{
    unsigned wanted = c->asked;
    npy_intp n = tn_sim_contact_count(sim);
    c->asked = c->written = 0;
    for (int k = 0; k < FIELDS; k++) {
        if ((wanted & (1u << k)) && !make_room(&c->base[k], k, n)) {
            return false;
        }
    }
    if (wanted) {
        write_columns(sim, wanted, c->base);
    }
    c->written = wanted;
    return true;
}

void core_columns_clear(core_columns *c)
{
    for (int k = 0; k < FIELDS; k++) {
        Py_CLEAR(c->base[k]);
    }
}

static PyObject *subscript(core_contacts *self, PyObject *name)
{
    for (int k = 0; k < FIELDS; k++) {
        if (PyUnicode_Check(name) && PyUnicode_CompareWithASCIIString(name, fields[k].name) == 0) {
            PyObject *array = fill(self, k);
            if (!array && !PyErr_Occurred()) {
                PyErr_SetString(PyExc_RuntimeError,
                                "these contacts' step is over: ask for an array before the next one");
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
    .tp_doc = "Contacts of a step: a mapping from names to read-only arrays (Sim.contacts), which stay what they are. "
              "What is kept over the next step has those that were asked for by then, or all if none was.",
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_dealloc = (destructor)destroy,
    .tp_as_mapping = &mapping,
    .tp_iter = iterate,
    .tp_methods = methods,
};
