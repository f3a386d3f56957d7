// Query: geometry of a state; and what Model and State tell of shapes and points.
#include "core.h"

typedef struct core_query {
    PyObject_HEAD core_model *model;
    tn_query *query;
    int busy; // questions that other threads ask just now; -1: it is being updated
} core_query;

static void destroy(core_query *self)
{
    tn_query_destroy(self->query);
    Py_XDECREF(self->model);
    Py_TYPE(self)->tp_free(self);
}

static PyObject *update(core_query *self, PyObject *object)
{
    if (!PyObject_TypeCheck(object, &core_state_type)) {
        return PyErr_Format(PyExc_TypeError, "update: a state is wanted");
    }
    core_state *state = (core_state *)object;
    if (!core_state_is_free(state)) {
        return NULL;
    }
    if (self->busy != 0) {
        PyErr_SetString(PyExc_RuntimeError, "this query is being asked in another thread");
        return NULL;
    }
    tn_error error = {0};
    tn_status status = tn_query_update(self->query, state->state, &error);
    return status == TN_OK ? Py_NewRef(Py_None) : core_raise(status, &error);
}

static PyObject *create(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *known[] = {"state", NULL};
    PyObject *object;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!:Query", known, &core_state_type, &object)) {
        return NULL;
    }
    core_query *self = (core_query *)type->tp_alloc(type, 0);
    if (!self) {
        return NULL;
    }
    tn_error error = {0};
    self->model = (core_model *)Py_NewRef((PyObject *)((core_state *)object)->model);
    self->query = tn_query_create(self->model->model, &error);
    PyObject *done = self->query ? update(self, object) : core_raise(error.status, &error);
    if (!done) {
        Py_DECREF(self);
        return NULL;
    }
    Py_DECREF(done);
    return (PyObject *)self;
}

// A body by its name or number.
int core_body(const core_model *model, PyObject *object)
{
    if (PyUnicode_Check(object)) {
        const char *name = core_text(object);
        int body = name ? tn_model_find_body(model->model, name) : -1;
        if (name && body < 0) {
            PyErr_Format(PyExc_KeyError, "the scene has no body '%s'", name);
        }
        return body;
    }
    long body = PyLong_AsLong(object);
    if (body == -1 && PyErr_Occurred()) {
        return -1;
    }
    if (body < 0 || body >= PyTuple_GET_SIZE(model->body_names)) {
        PyErr_Format(PyExc_IndexError, "there is no body %ld", body);
        return -1;
    }
    return (int)body;
}

// x turned by q: x + 2 q_v x (q_v x x + q_0 x).
static void turn_by(const double q[4], const double x[3], double out[3])
{
    double t[3];
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        t[i] = q[j + 1] * x[k] - q[k + 1] * x[j] + q[0] * x[i];
    }
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        out[i] = x[i] + 2.0 * (q[j + 1] * t[k] - q[k + 1] * t[j]);
    }
}

void core_turn_back(const double a[4], const double b[4], double out[4])
{
    out[0] = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3];
    for (int i = 1; i < 4; i++) {
        int j = i % 3 + 1, k = j % 3 + 1;
        out[i] = a[i] * b[0] - a[0] * b[i] - (a[j] * b[k] - a[k] * b[j]);
    }
}

int core_place(const core_model *model, PyObject *object, double point[3], double turn[4])
{
    double pose[7] = {0.0, 0.0, 0.0, 1.0};
    const char *name = PyUnicode_Check(object) ? core_text(object) : NULL;
    int frame = name && tn_model_find_body(model->model, name) < 0 ? tn_model_find_frame(model->model, name) : -1;
    int body = frame < 0 ? core_body(model, object) : tn_model_frame(model->model, frame, pose);
    if (name && body < 0) {
        PyErr_Format(PyExc_KeyError, "the scene has no body or frame '%s'", name);
    }
    double turned[3];
    turn_by(pose + 3, point, turned);
    for (int i = 0; i < 3; i++) {
        point[i] = pose[i] + turned[i];
    }
    memcpy(turn, pose + 3, 4 * sizeof *turn);
    return body;
}

static PyObject *nearest_dict(const tn_nearest *d)
{
    const double *a = d->point_a, *b = d->point_b, *n = d->normal;
    return Py_BuildValue("{s:d,s:(ddd),s:(ddd),s:(ddd),s:(ii)}", "distance", d->distance, "point_a", a[0], a[1], a[2],
                         "point_b", b[0], b[1], b[2], "normal", n[0], n[1], n[2], "shapes", d->shape_a, d->shape_b);
}

static bool may_ask(core_query *self)
{
    if (self->busy < 0) {
        PyErr_SetString(PyExc_RuntimeError, "this query is being updated in another thread");
    }
    return self->busy >= 0;
}

static PyObject *distance(core_query *self, PyObject *arguments, PyObject *keywords)
{
    static char *known[] = {"a", "b", "reach", NULL};
    PyObject *a, *b;
    double reach = Py_HUGE_VAL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|d:distance", known, &a, &b, &reach)) {
        return NULL;
    }
    int body_a = core_body(self->model, a), body_b = body_a >= 0 ? core_body(self->model, b) : -1;
    if (body_b < 0 || !may_ask(self)) {
        return NULL;
    }
    tn_nearest found;
    tn_error error = {0};
    tn_status status = tn_query_distance(self->query, body_a, body_b, reach, &found, &error);
    return status == TN_OK ? nearest_dict(&found) : core_raise(status, &error);
}

static PyObject *pairs(core_query *self, PyObject *arguments, PyObject *keywords)
{
    static char *known[] = {"within", NULL};
    double within = 0.0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|d:pairs", known, &within) || !may_ask(self)) {
        return NULL;
    }
    for (npy_intp room = 64;;) {
        npy_intp shape[2] = {room, 2};
        PyObject *array = PyArray_SimpleNew(2, shape, NPY_INT);
        int n = 0;
        tn_error error = {0};
        tn_status status =
            array ? tn_query_pairs(self->query, within, (int)room, PyArray_DATA((PyArrayObject *)array), &n, &error)
                  : TN_OK;
        if (!array || status != TN_OK) {
            Py_XDECREF(array);
            return array ? core_raise(status, &error) : NULL;
        }
        if (n <= room) {
            PyObject *some = PySequence_GetSlice(array, 0, n);
            Py_DECREF(array);
            return some;
        }
        Py_DECREF(array);
        room = n;
    }
}

static npy_intp rows_of(PyObject *object)
{
    PyArrayObject *array = (PyArrayObject *)PyArray_FROMANY(object, NPY_DOUBLE, 2, 2, 0);
    npy_intp n = array ? PyArray_DIM(array, 0) : -1;
    Py_XDECREF(array);
    if (n < 0 && PyErr_ExceptionMatches(PyExc_ValueError)) {
        PyErr_SetString(PyExc_ValueError, "rays: origins and directions are arrays of shape (n, 3)");
    }
    return n;
}

static bool put(PyObject *dict, const char *name, int type, int dimensions, npy_intp n, void **data)
{
    npy_intp shape[2] = {n, 3};
    PyObject *array = PyArray_SimpleNew(dimensions, shape, type);
    *data = array ? PyArray_DATA((PyArrayObject *)array) : NULL;
    bool ok = array && PyDict_SetItemString(dict, name, array) == 0;
    Py_XDECREF(array);
    return ok;
}

static PyObject *cast(core_query *self, npy_intp n, const double *origin, const double *direction,
                      const tn_ray_options *options)
{
    PyObject *dict = PyDict_New();
    tn_ray_results to = {0};
    if (!dict || !put(dict, "body", NPY_INT, 1, n, (void **)&to.body) ||
        !put(dict, "shape", NPY_INT, 1, n, (void **)&to.shape) ||
        !put(dict, "distance", NPY_DOUBLE, 1, n, (void **)&to.distance) ||
        !put(dict, "point", NPY_DOUBLE, 2, n, (void **)&to.point) ||
        !put(dict, "normal", NPY_DOUBLE, 2, n, (void **)&to.normal)) {
        Py_XDECREF(dict);
        return NULL;
    }
    tn_error error = {0};
    tn_status status;
    self->busy++;
    Py_BEGIN_ALLOW_THREADS;
    status = tn_query_rays(self->query, (int)n, origin, direction, options, &to, &error);
    Py_END_ALLOW_THREADS;
    self->busy--;
    if (status != TN_OK) {
        Py_DECREF(dict);
        return core_raise(status, &error);
    }
    return dict;
}

static PyObject *rays(core_query *self, PyObject *arguments, PyObject *keywords)
{
    static char *known[] = {"origins", "directions", "reach", "leave_out", "threads", NULL};
    PyObject *origins, *directions, *leave_out = NULL;
    double reach = Py_HUGE_VAL;
    int threads = 1;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "OO|dOi:rays", known, &origins, &directions, &reach,
                                     &leave_out, &threads)) {
        return NULL;
    }
    tn_ray_options options = {.reach = reach < Py_HUGE_VAL ? reach : 0.0, .leave_out = -1, .n_threads = threads};
    if (!(reach > 0.0)) {
        PyErr_SetString(PyExc_ValueError, "rays: reach must be positive");
        return NULL;
    }
    if (leave_out && leave_out != Py_None && (options.leave_out = core_body(self->model, leave_out)) < 0) {
        return NULL;
    }
    npy_intp n = may_ask(self) ? rows_of(origins) : -1;
    if (n < 0 || n > INT_MAX) {
        return NULL;
    }
    const double *origin, *direction;
    PyObject *first = core_doubles(origins, n, 3, "origins", &origin);
    PyObject *second = first ? core_doubles(directions, n, 3, "directions", &direction) : NULL;
    PyObject *dict = NULL;
    if (second && (!origin || !direction)) {
        PyErr_SetString(PyExc_ValueError, "rays: origins and directions are arrays of shape (n, 3)");
    } else if (second) {
        dict = cast(self, n, origin, direction, &options);
    }
    Py_XDECREF(first);
    Py_XDECREF(second);
    return dict;
}

static PyMethodDef methods[] = {
    {"update", (PyCFunction)update, METH_O, "update(state)\n\nTo the places of a state of the same model."},
    {"distance", (PyCFunction)(void (*)(void))distance, METH_VARARGS | METH_KEYWORDS,
     "distance(a, b, reach=inf) -> dict\n\nOf two bodies, by name or number: distance [m], negative where they "
     "overlap, "
     "inf beyond reach; point_a, point_b on their surfaces, normal from a to b, world axes; shapes."},
    {"pairs", (PyCFunction)(void (*)(void))pairs, METH_VARARGS | METH_KEYWORDS,
     "pairs(within=0) -> (n, 2) array\n\nBodies nearer than so much [m]; 0: that overlap."},
    {"rays", (PyCFunction)(void (*)(void))rays, METH_VARARGS | METH_KEYWORDS,
     "rays(origins, directions, reach=inf, leave_out=None, threads=1) -> dict of arrays\n\nWhat n rays (n, 3) hit "
     "first: "
     "body and shape (n,), -1: nothing; distance (n,) [m], inf: nothing; point, normal (n, 3), world axes. leave_out: "
     "a "
     "body that they pass through. Other threads run meanwhile."},
    {NULL},
};

PyTypeObject core_query_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tenon.Query",
    .tp_basicsize = sizeof(core_query),
    .tp_doc =
        "Query(state)\n\nDistances, overlaps and rays in a state as it is now; update() brings it to another. Asked "
        "for by any number of threads.",
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = create,
    .tp_dealloc = (destructor)destroy,
    .tp_methods = methods,
};

// ---- for Model and State

PyObject *core_array(int dimensions, npy_intp rows, npy_intp columns, double **data)
{
    npy_intp shape[2] = {rows, columns};
    PyObject *array = PyArray_SimpleNew(dimensions, shape, NPY_DOUBLE);
    *data = array ? PyArray_DATA((PyArrayObject *)array) : NULL;
    return array;
}

PyObject *core_shape_distances(core_model *self, PyObject *arguments, PyObject *keywords)
{
    static char *known[] = {"a", "b", "poses_a", "poses_b", "reach", NULL};
    int a, b;
    PyObject *poses_a, *poses_b = NULL;
    double reach = Py_HUGE_VAL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "iiO|Od:shape_distances", known, &a, &b, &poses_a, &poses_b,
                                     &reach)) {
        return NULL;
    }
    npy_intp n = rows_of(poses_a);
    const double *pose_a = NULL, *pose_b = NULL;
    PyObject *first = n >= 0 && n < INT_MAX ? core_doubles(poses_a, n, 7, "poses_a", &pose_a) : NULL;
    PyObject *second = first ? core_doubles(poses_b, n, 7, "poses_b", &pose_b) : NULL;
    tn_nearest *found = second ? PyMem_Malloc((size_t)(n + 1) * sizeof *found) : NULL;
    tn_error error = {0};
    tn_status status = TN_NO_MEMORY;
    double *data;
    PyObject *array = NULL;
    if (found) {
        Py_BEGIN_ALLOW_THREADS;
        status = tn_shape_distances(self->model, a, b, (int)n, pose_a, pose_b, reach, found, &error);
        Py_END_ALLOW_THREADS;
        array = status == TN_OK ? core_array(1, n, 0, &data) : core_raise(status, &error);
    } else if (second) {
        PyErr_NoMemory();
    }
    for (npy_intp i = 0; array && i < n; i++) {
        data[i] = found[i].distance;
    }
    PyMem_Free(found);
    Py_XDECREF(first);
    Py_XDECREF(second);
    return array;
}

PyObject *core_support(core_model *self, PyObject *arguments, PyObject *keywords)
{
    static char *known[] = {"shape", "directions", NULL};
    int shape;
    PyObject *directions;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "iO:support", known, &shape, &directions)) {
        return NULL;
    }
    npy_intp n = rows_of(directions);
    const double *direction = NULL;
    PyObject *kept = n >= 0 && n < INT_MAX ? core_doubles(directions, n, 3, "directions", &direction) : NULL;
    double *data;
    PyObject *array = kept ? core_array(2, n, 3, &data) : NULL;
    tn_error error = {0};
    tn_status status = array ? tn_shape_support(self->model, shape, (int)n, direction, data, &error) : TN_OK;
    Py_XDECREF(kept);
    if (status != TN_OK) {
        Py_CLEAR(array);
        return core_raise(status, &error);
    }
    return array;
}

// A point of a body or a named frame.
static int take_point(core_state *self, PyObject *arguments, PyObject *keywords, const char *format, double point[3])
{
    static char *known[] = {"body", "point", NULL};
    PyObject *body;
    double turn[4];
    point[0] = point[1] = point[2] = 0.0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, format, known, &body, &point[0], &point[1], &point[2]) ||
        !core_state_is_free(self)) {
        return -1;
    }
    return core_place(self->model, body, point, turn);
}

PyObject *core_point_jacobian(core_state *self, PyObject *arguments, PyObject *keywords)
{
    double point[3], *data;
    int body = take_point(self, arguments, keywords, "O|(ddd):point_jacobian", point);
    PyObject *array = body >= 0 ? core_array(2, 6, 6, &data) : NULL;
    tn_error error = {0};
    tn_status status = array ? tn_state_point_jacobian(self->state, body, point, data, &error) : TN_OK;
    if (status != TN_OK) {
        Py_CLEAR(array);
        return core_raise(status, &error);
    }
    return array;
}

PyObject *core_joint_jacobian(core_state *self, PyObject *arguments, PyObject *keywords)
{
    double point[3], *data;
    int body = take_point(self, arguments, keywords, "O|(ddd):joint_jacobian", point);
    PyObject *array = body >= 0 ? core_array(2, 6, tn_model_coordinate_count(self->model->model), &data) : NULL;
    tn_error error = {0};
    tn_status status = array ? tn_state_joint_jacobian(self->state, body, point, data, &error) : TN_OK;
    if (status != TN_OK) {
        Py_CLEAR(array);
        return core_raise(status, &error);
    }
    return array;
}
