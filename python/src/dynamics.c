// Dynamics: mass matrix, inverse and forward dynamics, Jacobians, centroid, inverse kinematics of mechanisms.
#include "core.h"

#include <math.h>

typedef struct core_dynamics {
    PyObject_HEAD core_model *model;
    tn_dynamics *dynamics;
    PyObject *names; // tuple of str
    int n;
} core_dynamics;

static void destroy(core_dynamics *self)
{
    tn_dynamics_destroy(self->dynamics);
    Py_XDECREF(self->names);
    Py_XDECREF(self->model);
    Py_TYPE(self)->tp_free(self);
}

static PyObject *finish(tn_status status, const tn_error *error, PyObject *result)
{
    if (status != TN_OK) {
        Py_XDECREF(result);
        return core_raise(status, error);
    }
    return result;
}

// The name of a rate: that of its coordinate, else its joint or base and a number.
static PyObject *name_of(const core_dynamics *self, int i)
{
    int joint, coordinate, body, which;
    tn_dynamics_rate(self->dynamics, i, &joint, &coordinate, &body, &which, NULL);
    if (coordinate >= 0) {
        return Py_NewRef(PyTuple_GET_ITEM(self->model->coordinate_names, coordinate));
    }
    static const char *const base[6] = {"vx", "vy", "vz", "wx", "wy", "wz"};
    return joint >= 0
               ? PyUnicode_FromFormat("%U.%s", PyTuple_GET_ITEM(self->model->joint_names, joint), base[3 + which])
               : PyUnicode_FromFormat("%U.%s", PyTuple_GET_ITEM(self->model->body_names, body), base[which]);
}

static PyObject *update(core_dynamics *self, PyObject *object)
{
    if (!PyObject_TypeCheck(object, &core_state_type)) {
        return PyErr_Format(PyExc_TypeError, "update: a state is wanted");
    }
    if (!core_state_is_free((core_state *)object)) {
        return NULL;
    }
    tn_error error = {0};
    return finish(tn_dynamics_update(self->dynamics, ((core_state *)object)->state, &error), &error,
                  Py_NewRef(Py_None));
}

static PyObject *create(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *known[] = {"state", NULL};
    PyObject *object;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!:Dynamics", known, &core_state_type, &object)) {
        return NULL;
    }
    core_dynamics *self = (core_dynamics *)type->tp_alloc(type, 0);
    if (!self) {
        return NULL;
    }
    tn_error error = {0};
    self->model = (core_model *)Py_NewRef((PyObject *)((core_state *)object)->model);
    self->dynamics = tn_dynamics_create(self->model->model, &error);
    PyObject *done = self->dynamics ? update(self, object) : core_raise(error.status, &error);
    self->n = tn_dynamics_rate_count(self->dynamics);
    self->names = done ? PyTuple_New(self->n) : NULL;
    for (int i = 0; self->names && i < self->n; i++) {
        PyObject *name = name_of(self, i);
        if (!name) {
            Py_CLEAR(self->names);
            break;
        }
        PyTuple_SET_ITEM(self->names, i, name);
    }
    Py_XDECREF(done);
    if (!self->names) {
        Py_DECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static PyObject *rates(core_dynamics *self, void *unused)
{
    (void)unused;
    double *data;
    tn_error error = {0};
    PyObject *array = core_array(1, self->n, 0, &data);
    return array ? finish(tn_dynamics_rates(self->dynamics, data, &error), &error, array) : NULL;
}

static PyObject *names(core_dynamics *self, void *unused)
{
    (void)unused;
    return Py_NewRef(self->names);
}

static PyObject *mass(core_dynamics *self, PyObject *unused)
{
    (void)unused;
    double *data;
    tn_error error = {0};
    PyObject *array = core_array(2, self->n, self->n, &data);
    return array ? finish(tn_dynamics_mass(self->dynamics, data, &error), &error, array) : NULL;
}

typedef tn_status dynamics_map(tn_dynamics *, const double *, double *, tn_error *);

static PyObject *apply(core_dynamics *self, PyObject *arguments, const char *format, const char *what,
                       dynamics_map *function)
{
    PyObject *object = Py_None;
    const double *given;
    double *data;
    tn_error error = {0};
    if (!PyArg_ParseTuple(arguments, format, &object)) {
        return NULL;
    }
    PyObject *kept = core_doubles(object, self->n, 0, what, &given);
    PyObject *array = kept ? core_array(1, self->n, 0, &data) : NULL;
    tn_status status = array ? function(self->dynamics, given, data, &error) : TN_OK;
    Py_XDECREF(kept);
    return array ? finish(status, &error, array) : NULL;
}

static PyObject *inverse(core_dynamics *self, PyObject *arguments)
{
    return apply(self, arguments, "|O:inverse", "accelerations", tn_dynamics_inverse);
}

static PyObject *forward(core_dynamics *self, PyObject *arguments)
{
    return apply(self, arguments, "|O:forward", "forces", tn_dynamics_forward);
}

static PyObject *jacobian(core_dynamics *self, PyObject *arguments, PyObject *keywords)
{
    static char *known[] = {"body", "point", NULL};
    PyObject *object;
    double point[3] = {0.0}, turn[4], *data;
    tn_error error = {0};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|(ddd):jacobian", known, &object, &point[0], &point[1],
                                     &point[2])) {
        return NULL;
    }
    int body = core_place(self->model, object, point, turn);
    PyObject *array = body >= 0 ? core_array(2, 6, self->n, &data) : NULL;
    return array ? finish(tn_dynamics_jacobian(self->dynamics, body, point, data, &error), &error, array) : NULL;
}

static PyObject *centroid(core_dynamics *self, PyObject *unused)
{
    (void)unused;
    tn_centroid c;
    tn_error error = {0};
    if (tn_dynamics_centroid(self->dynamics, &c, &error) != TN_OK) {
        return core_raise(error.status, &error);
    }
    double *data;
    PyObject *inertia = core_array(2, 3, 3, &data);
    for (int i = 0; inertia && i < 9; i++) {
        data[i] = c.inertia[i];
    }
    return inertia
               ? Py_BuildValue("{s:d,s:(ddd),s:(ddd),s:(ddd),s:(ddd),s:N}", "mass", c.mass, "center", c.center[0],
                               c.center[1], c.center[2], "velocity", c.velocity[0], c.velocity[1], c.velocity[2],
                               "momentum", c.momentum[0], c.momentum[1], c.momentum[2], "angular_momentum",
                               c.angular_momentum[0], c.angular_momentum[1], c.angular_momentum[2], "inertia", inertia)
               : NULL;
}

static PyObject *set(core_dynamics *self, PyObject *arguments, PyObject *keywords)
{
    static char *known[] = {"state", "coordinates", "rates", NULL};
    PyObject *object, *coordinates = Py_None, *rate = Py_None;
    const double *q, *v;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!|OO:set", known, &core_state_type, &object, &coordinates,
                                     &rate)) {
        return NULL;
    }
    npy_intp n = tn_model_coordinate_count(self->model->model);
    PyObject *kept_q = core_doubles(coordinates, n, 0, "coordinates", &q);
    PyObject *kept_v = kept_q ? core_doubles(rate, n, 0, "rates", &v) : NULL;
    bool free = kept_v && core_state_is_free((core_state *)object);
    tn_error error = {0};
    tn_status status = free ? tn_dynamics_set(self->dynamics, ((core_state *)object)->state, q, v, &error) : TN_OK;
    Py_XDECREF(kept_q);
    Py_XDECREF(kept_v);
    return free ? finish(status, &error, Py_NewRef(Py_None)) : NULL;
}

static PyObject *reach(core_dynamics *self, PyObject *arguments, PyObject *keywords)
{
    static char *known[] = {"state",     "body",           "position",   "orientation", "point",
                            "tolerance", "max_iterations", "move_bases", NULL};
    PyObject *object, *of, *position = Py_None, *orientation = Py_None;
    tn_reach target = {.weight = 1.0};
    tn_reach_options options = {.tolerance = 1e-6, .max_iterations = 200};
    double turn[4], turned[4];
    int move = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!O|OO(ddd)dip:reach", known, &core_state_type, &object, &of,
                                     &position, &orientation, &target.point[0], &target.point[1], &target.point[2],
                                     &options.tolerance, &options.max_iterations, &move)) {
        return NULL;
    }
    options.move_bases = move;
    target.body = core_place(self->model, of, target.point, turn);
    PyObject *kept_p = target.body >= 0 ? core_doubles(position, 3, 0, "position", &target.position) : NULL;
    PyObject *kept_q = kept_p ? core_doubles(orientation, 4, 0, "orientation", &target.orientation) : NULL;
    if (kept_q && target.orientation) { // of the body, where the frame stands so
        core_turn_back(target.orientation, turn, turned);
        target.orientation = turned;
    }
    bool free = kept_q && core_state_is_free((core_state *)object);
    tn_error error = {0};
    tn_reach_report report;
    tn_status status =
        free ? tn_dynamics_reach(self->dynamics, ((core_state *)object)->state, 1, &target, &options, &report, &error)
             : TN_OK;
    Py_XDECREF(kept_p);
    Py_XDECREF(kept_q);
    if (!free || status != TN_OK) {
        return free ? core_raise(status, &error) : NULL;
    }
    return Py_BuildValue("{s:O,s:i,s:d,s:d}", "reached", report.reached ? Py_True : Py_False, "iterations",
                         report.iterations, "position_error", report.position_error, "angle_error", report.angle_error);
}

static PyGetSetDef properties[] = {
    {"names", (getter)names, NULL, "(n,) names of the rates: of coordinates, of free bases and spherical joints.",
     NULL},
    {"rates", (getter)rates, NULL, "(n,) rates of the state [m/s, rad/s].", NULL},
    {NULL},
};

#define BOTH METH_VARARGS | METH_KEYWORDS
static PyMethodDef methods[] = {
    {"update", (PyCFunction)update, METH_O, "update(state)\n\nTo its places and velocities."},
    {"mass", (PyCFunction)mass, METH_NOARGS, "mass() -> (n, n) array\n\nThe mass matrix."},
    {"inverse", (PyCFunction)inverse, METH_VARARGS,
     "inverse(accelerations=None) -> (n,) array\n\nForces along the rates that the accelerations ask for, against "
     "gravity and inertia; of none: the bias."},
    {"forward", (PyCFunction)forward, METH_VARARGS,
     "forward(forces=None) -> (n,) array\n\nAccelerations of the rates under forces along them."},
    {"jacobian", (PyCFunction)(void (*)(void))jacobian, BOTH,
     "jacobian(body, point=(0, 0, 0)) -> (6, n) array\n\nOf a body or a named frame: velocity of the point (own frame "
     "[m]) and angular velocity of "
     "the body, world axes, of the rates."},
    {"centroid", (PyCFunction)centroid, METH_NOARGS,
     "centroid() -> dict\n\nmass, center, velocity, momentum, angular_momentum and inertia about the center."},
    {"set", (PyCFunction)(void (*)(void))set, BOTH,
     "set(state, coordinates=None, rates=None)\n\nPlaces bodies where the coordinates of all joints say; NaN: as it "
     "is."},
    {"reach", (PyCFunction)(void (*)(void))reach, BOTH,
     "reach(state, body, position=None, orientation=None, point=(0, 0, 0), tolerance=1e-6, max_iterations=200, "
     "move_bases=False) -> dict\n\nInverse kinematics: moves the state's joints, within their limits, so that the "
     "point is there and the body, or named frame, stands so; reached, iterations, position_error [m], angle_error "
     "[rad]."},
    {NULL},
};

PyTypeObject core_dynamics_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tenon.Dynamics",
    .tp_basicsize = sizeof(core_dynamics),
    .tp_doc = "Dynamics(state)\n\nMechanisms in the coordinates of their joints: mass matrix, inverse and forward "
              "dynamics, Jacobians, inverse kinematics. For one thread at a time.",
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = create,
    .tp_dealloc = (destructor)destroy,
    .tp_methods = methods,
    .tp_getset = properties,
};
