// LcsSource: systems of a model. Planner: a problem whose arrays Python writes, and what solves it.
#include "core.h"

typedef struct core_lcs_source {
    PyObject_HEAD core_model *model;
    tn_lcs_source *source;
    tn_lcs lcs;
} core_lcs_source;

typedef struct core_planner {
    PyObject_HEAD tn_plan_problem problem;
    tn_planner *planner;
    tn_plan plan;
    bool busy, has_guards; // has_guards: what the planner has room for
} core_planner;

// ---- systems

static void source_destroy(core_lcs_source *self)
{
    tn_lcs_destroy(&self->lcs);
    tn_lcs_source_destroy(self->source);
    Py_XDECREF(self->model);
    Py_TYPE(self)->tp_free(self);
}

static PyObject *source_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *known[] = {"model",    "coordinates", "inputs", "step",          "margin", "facets",
                            "friction", "resistance",  "level",  "inertia_ahead", "points", NULL};
    core_model *model;
    PyObject *coordinates, *inputs, *resistance = Py_None, *kept[3] = {NULL};
    tn_lcs_options o = tn_lcs_options_default();
    const char *level = "position", **names[2] = {NULL, NULL};
    int ahead = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!OO|ddidOspi", known, &core_model_type, &model,
                                     &coordinates, &inputs, &o.step, &o.margin, &o.facets, &o.friction, &resistance,
                                     &level, &ahead, &o.points)) {
        return NULL;
    }
    core_lcs_source *self = (core_lcs_source *)type->tp_alloc(type, 0);
    Py_ssize_t n = self ? core_strings(coordinates, &kept[0], &names[0]) : -1;
    Py_ssize_t n_inputs = n >= 0 ? core_strings(inputs, &kept[1], &names[1]) : -1;
    kept[2] = n_inputs >= 0 ? core_doubles(resistance, n, 0, "resistance", &o.resistance) : NULL;
    if (kept[2]) {
        tn_error error = {0};
        o.n_coordinates = (int)n;
        o.coordinates = names[0];
        o.n_inputs = (int)n_inputs;
        o.inputs = names[1];
        o.level = strcmp(level, "velocity") == 0 ? TN_LCS_VELOCITY : TN_LCS_POSITION;
        o.inertia_ahead = ahead;
        self->model = (core_model *)Py_NewRef((PyObject *)model);
        if (o.level == TN_LCS_POSITION && strcmp(level, "position") != 0) {
            PyErr_Format(PyExc_ValueError, "level is 'position' or 'velocity', not '%s'", level);
        } else if (!(self->source = tn_lcs_source_create(model->model, &o, &error))) {
            core_raise(error.status, &error);
        }
    }
    for (int i = 0; i < 3; i++) {
        Py_XDECREF(kept[i]);
    }
    PyMem_Free(names[0]);
    PyMem_Free(names[1]);
    if (PyErr_Occurred()) {
        Py_XDECREF(self);
        return NULL;
    }
    return (PyObject *)self;
}

static PyObject *source_names(core_lcs_source *self, void *unused)
{
    (void)unused;
    int n = tn_lcs_source_coordinate_count(self->source);
    PyObject *out = PyTuple_New(n);
    for (int i = 0; out && i < n; i++) {
        PyTuple_SET_ITEM(out, i, PyUnicode_FromString(tn_lcs_source_coordinate_name(self->source, i)));
    }
    return out;
}

static const core_state *state_of(const core_lcs_source *self, PyObject *object)
{
    if (!PyObject_TypeCheck(object, &core_state_type)) {
        PyErr_SetString(PyExc_TypeError, "a State is wanted");
        return NULL;
    }
    return core_state_is_free((core_state *)object) ? (core_state *)object : NULL;
}

static PyObject *source_read(core_lcs_source *self, PyObject *object)
{
    const core_state *state = state_of(self, object);
    double *x;
    PyObject *out = state ? core_array(1, 2 * tn_lcs_source_coordinate_count(self->source), 0, &x) : NULL;
    tn_error error = {0};
    if (out && tn_lcs_source_read(self->source, state->state, x, &error) != TN_OK) {
        Py_DECREF(out);
        return core_raise(error.status, &error);
    }
    return out;
}

static PyObject *source_write(core_lcs_source *self, PyObject *arguments)
{
    PyObject *object, *numbers;
    const double *x;
    if (!PyArg_ParseTuple(arguments, "OO:write", &numbers, &object)) {
        return NULL;
    }
    const core_state *state = state_of(self, object);
    PyObject *kept = state ? core_doubles(numbers, 2 * tn_lcs_source_coordinate_count(self->source), 0, "x", &x) : NULL;
    tn_error error = {0};
    tn_status status = kept ? tn_lcs_source_write(self->source, x, state->state, &error) : TN_OK;
    Py_XDECREF(kept);
    if (!kept || status != TN_OK) {
        return kept ? core_raise(status, &error) : NULL;
    }
    Py_RETURN_NONE;
}

static PyObject *matrix(const double *from, npy_intp rows, npy_intp columns)
{
    double *to;
    PyObject *out = core_array(columns > 0 ? 2 : 1, rows, columns, &to);
    if (out && rows * (columns > 0 ? columns : 1) > 0) {
        memcpy(to, from, (size_t)(rows * (columns > 0 ? columns : 1)) * sizeof *to);
    }
    return out;
}

// Matrices with no columns: numpy's zeros of that shape.
static PyObject *matrix_of(const double *from, npy_intp rows, npy_intp columns)
{
    npy_intp shape[2] = {rows, columns};
    return columns == 0 ? PyArray_ZEROS(2, shape, NPY_DOUBLE, 0) : matrix(from, rows, columns);
}

static PyObject *source_rows(const core_lcs_source *self)
{
    static const char *const kinds[] = {"normal", "friction", "slip", "limit", "dry", "dry slip"};
    PyObject *out = PyList_New(0);
    tn_lcs_row row;
    for (int i = 0; out && tn_lcs_source_row(self->source, i, &row, NULL) == TN_OK; i++) {
        PyObject *item = Py_BuildValue("(siii)", kinds[row.kind], row.shape_a, row.shape_b, row.coordinate);
        if (!item || PyList_Append(out, item) < 0) {
            Py_CLEAR(out);
        }
        Py_XDECREF(item);
    }
    return out;
}

static PyObject *source_linearize(core_lcs_source *self, PyObject *arguments, PyObject *keywords)
{
    static char *known[] = {"state", "ahead", NULL};
    PyObject *object, *place = Py_None;
    const double *ahead;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|O:linearize", known, &object, &place)) {
        return NULL;
    }
    const core_state *state = state_of(self, object);
    PyObject *kept =
        state ? core_doubles(place, tn_lcs_source_coordinate_count(self->source), 0, "ahead", &ahead) : NULL;
    if (!kept) {
        return NULL;
    }
    tn_error error = {0};
    tn_status status = tn_lcs_source_linearize(self->source, state->state, ahead, &self->lcs, &error);
    Py_DECREF(kept);
    if (status != TN_OK) {
        return core_raise(status, &error);
    }
    const tn_lcs *l = &self->lcs;
    int x = l->n_x, u = l->n_u, c = l->n_c;
    return Py_BuildValue("{s:d,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N}", "step", l->step, "A",
                         matrix_of(l->A, x, x), "B", matrix_of(l->B, x, u), "C", matrix_of(l->C, x, c), "F",
                         matrix(l->F, x, 0), "D", matrix_of(l->D, c, x), "D0", matrix_of(l->D0, c, x), "H",
                         matrix_of(l->H, c, u), "E", matrix_of(l->E, c, c), "offset", matrix(l->offset, c, 0), "guard",
                         matrix_of(l->guard, c, x), "guard_offset", matrix(l->guard_offset, c, 0), "rows",
                         source_rows(self));
}

static PyObject *source_step(core_lcs_source *self, PyObject *arguments, PyObject *keywords)
{
    static char *known[] = {"state", "u", "iterations", NULL};
    PyObject *object, *input = Py_None;
    int iterations = 0;
    const double *u;
    double *x, off = 0.0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|Oi:step", known, &object, &input, &iterations)) {
        return NULL;
    }
    const core_state *state = state_of(self, object);
    PyObject *kept = state ? core_doubles(input, tn_lcs_source_input_count(self->source), 0, "u", &u) : NULL;
    PyObject *out = kept ? core_array(1, 2 * tn_lcs_source_coordinate_count(self->source), 0, &x) : NULL;
    tn_error error = {0};
    tn_status status = out ? tn_lcs_source_step(self->source, state->state, u, iterations, x, &off, &error) : TN_OK;
    Py_XDECREF(kept);
    if (status != TN_OK) {
        Py_XDECREF(out);
        return core_raise(status, &error);
    }
    return out ? Py_BuildValue("(Nd)", out, off) : NULL;
}

static PyGetSetDef source_properties[] = {
    {"names", (getter)source_names, NULL, "The coordinates q; x is (q, v).", NULL},
    {NULL},
};
static PyMethodDef source_methods[] = {
    {"read", (PyCFunction)source_read, METH_O, "read(state) -> x"},
    {"write", (PyCFunction)source_write, METH_VARARGS,
     "write(x, state): the state to x; what is not chosen stays, at rest."},
    {"linearize", (PyCFunction)(void *)source_linearize, METH_VARARGS | METH_KEYWORDS,
     "linearize(state, ahead=None) -> dict of the system's arrays, its step and `rows`, tuples (kind, shape a, shape "
     "b, coordinate)."},
    {"step", (PyCFunction)(void *)source_step, METH_VARARGS | METH_KEYWORDS,
     "step(state, u=None, iterations=0) -> (x, off): one step of the discretisation, and how far the last prediction "
     "was "
     "off."},
    {NULL},
};
PyTypeObject core_lcs_source_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tenon._core.LcsSource",
    .tp_doc = "LcsSource(model, coordinates, inputs, step=0, margin=0, facets=0, friction=-1, resistance=None, "
              "level='position', inertia_ahead=False, points=1)\n\nLinear complementarity systems of a model near its "
              "states; see "
              "include/tenon/lcs_source.h.",
    .tp_basicsize = sizeof(core_lcs_source),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = source_new,
    .tp_dealloc = (destructor)source_destroy,
    .tp_methods = source_methods,
    .tp_getset = source_properties,
};

// ---- problems

static void planner_destroy(core_planner *self)
{
    tn_plan_destroy(&self->plan);
    tn_planner_destroy(self->planner);
    tn_plan_problem_destroy(&self->problem);
    Py_TYPE(self)->tp_free(self);
}

static PyObject *planner_new(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *known[] = {"n_x", "n_u", "n_c", "horizon", "n_X", "n_U", NULL};
    int n_x, n_u, n_c, horizon, rows_x = 0, rows_u = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "iiii|ii", known, &n_x, &n_u, &n_c, &horizon, &rows_x,
                                     &rows_u)) {
        return NULL;
    }
    core_planner *self = (core_planner *)type->tp_alloc(type, 0);
    tn_error error = {0};
    tn_status status = TN_NO_MEMORY;
    if (self) {
        status = tn_plan_problem_create(n_x, n_u, n_c, horizon, rows_x, rows_u, &self->problem, &error);
        status = status == TN_OK ? tn_plan_create(&self->problem, &self->plan, &error) : status;
    }
    if (self && status != TN_OK) {
        Py_DECREF(self);
        return core_raise(status, &error);
    }
    return (PyObject *)self;
}

// An array that shows memory of the problem; Python writes it.
static PyObject *open_view(core_planner *self, double *data, npy_intp rows, npy_intp columns)
{
    npy_intp shape[2] = {rows, columns};
    PyObject *array = data && rows * (columns < 0 ? 1 : columns) > 0
                          ? PyArray_SimpleNewFromData(columns < 0 ? 1 : 2, shape, NPY_DOUBLE, data)
                          : PyArray_ZEROS(columns < 0 ? 1 : 2, shape, NPY_DOUBLE, 0);
    if (array && PyArray_DATA((PyArrayObject *)array) == data) {
        Py_INCREF(self);
        if (PyArray_SetBaseObject((PyArrayObject *)array, (PyObject *)self) < 0) {
            Py_CLEAR(array);
        }
    }
    return array;
}

static PyObject *planner_arrays(core_planner *self, void *unused)
{
    (void)unused;
    tn_plan_problem *p = &self->problem;
    tn_lcs *l = &p->lcs;
    const int x = l->n_x, u = l->n_u, c = l->n_c, N = p->horizon;
    const struct {
        const char *name;
        double *data;
        npy_intp rows, columns;
    } all[] = {{"A", l->A, x, x},
               {"B", l->B, x, u},
               {"C", l->C, x, c},
               {"F", l->F, x, -1},
               {"D", l->D, c, x},
               {"D0", l->D0, c, x},
               {"H", l->H, c, u},
               {"E", l->E, c, c},
               {"offset", l->offset, c, -1},
               {"guard", l->guard, c, x},
               {"guard_offset", l->guard_offset, c, -1},
               {"Q", p->Q, x, x},
               {"Qf", p->Qf, x, x},
               {"R", p->R, u, u},
               {"x_ref", p->x_ref, N + 1, x},
               {"u_ref", p->u_ref, N, u},
               {"x0", p->x0, x, -1},
               {"x_low", p->X.low, x, -1},
               {"x_high", p->X.high, x, -1},
               {"G_x", p->X.G, p->X.n_rows, x},
               {"g_x", p->X.g, p->X.n_rows, -1},
               {"u_low", p->U.low, u, -1},
               {"u_high", p->U.high, u, -1},
               {"G_u", p->U.G, p->U.n_rows, u},
               {"g_u", p->U.g, p->U.n_rows, -1}};
    PyObject *out = PyDict_New();
    for (size_t i = 0; out && i < sizeof all / sizeof *all; i++) {
        PyObject *array = open_view(self, all[i].data, all[i].rows, all[i].columns);
        if (!array || PyDict_SetItemString(out, all[i].name, array) < 0) {
            Py_CLEAR(out);
        }
        Py_XDECREF(array);
    }
    return out;
}

static PyObject *plan_dict(const tn_plan *p)
{
    npy_intp shape[2] = {p->horizon, p->n_c};
    PyObject *mode = PyArray_SimpleNew(2, shape, NPY_UINT8);
    if (!mode) {
        return NULL;
    }
    if (p->horizon * p->n_c > 0) {
        memcpy(PyArray_DATA((PyArrayObject *)mode), p->mode, (size_t)p->horizon * (size_t)p->n_c);
    }
    return Py_BuildValue("{s:N,s:N,s:N,s:N,s:N,s:s,s:d,s:d,s:d,s:d,s:l,s:l,s:d,s:s}", "x",
                         matrix_of(p->x, p->horizon + 1, p->n_x), "u", matrix_of(p->u, p->horizon, p->n_u), "c",
                         matrix_of(p->c, p->horizon, p->n_c), "w", matrix_of(p->w, p->horizon, p->n_c), "mode", mode,
                         "status", tn_plan_status_name(p->status), "cost", p->cost, "bound", p->bound, "gap", p->gap,
                         "residual", p->residual, "nodes", p->nodes, "iterations", p->iterations, "seconds", p->seconds,
                         "conflict", p->conflict_text);
}

static PyObject *planner_solve(core_planner *self, PyObject *arguments, PyObject *keywords)
{
    static char *known[] = {"method",  "time_budget",  "node_budget", "gap",  "warm_start", "iterations",
                            "penalty", "penalty_grow", "motions",     "seed", "threads",    NULL};
    unsigned long long seed = 0;
    tn_plan_options o = tn_plan_options_default();
    const char *method = "miqp";
    int warm = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|sdldpiddlKi:solve", known, &method, &o.time_budget,
                                     &o.node_budget, &o.gap, &warm, &o.iterations, &o.penalty, &o.penalty_grow,
                                     &o.motions, &seed, &o.n_threads)) {
        return NULL;
    }
    int found = tn_plan_method_find(method);
    if (found < 0 || self->busy) {
        PyErr_Format(PyExc_ValueError, found < 0 ? "there is no method '%s'" : "this planner is busy (%s)", method);
        return NULL;
    }
    o.method = (tn_plan_method)found;
    o.warm_start = warm;
    o.seed = seed;
    tn_error error = {0};
    tn_status status = TN_OK;
    core_watch watch = core_watch_start();
    o.stop = core_see_signals;
    o.user = &watch;
    self->busy = true;
    Py_BEGIN_ALLOW_THREADS;
    if (self->has_guards != tn_lcs_has_guards(&self->problem.lcs)) {
        tn_planner_destroy(self->planner);
        self->planner = NULL;
    }
    self->has_guards = tn_lcs_has_guards(&self->problem.lcs);
    self->planner = self->planner ? self->planner : tn_planner_create(&self->problem, &error);
    status = self->planner ? tn_planner_solve(self->planner, &self->problem, &o, &self->plan, &error) : error.status;
    Py_END_ALLOW_THREADS;
    self->busy = false;
    if (watch.raised) {
        return NULL;
    }
    return status == TN_OK ? plan_dict(&self->plan) : core_raise(status, &error);
}

static PyGetSetDef planner_properties[] = {
    {"arrays", (getter)planner_arrays, NULL, "The problem's arrays by name, to be written into.", NULL},
    {NULL},
};
static PyMethodDef planner_methods[] = {
    {"solve", (PyCFunction)(void *)planner_solve, METH_VARARGS | METH_KEYWORDS,
     "solve(method='miqp', time_budget=0, node_budget=0, gap, warm_start=False, ...) -> dict of the plan."},
    {NULL},
};
PyTypeObject core_planner_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tenon._core.Planner",
    .tp_doc = "Planner(n_x, n_u, n_c, horizon, n_X=0, n_U=0)\n\nA problem (include/tenon/plan.h), all zeros and bounds "
              "infinite, and its planner; tenon.plan is easier.",
    .tp_basicsize = sizeof(core_planner),
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = planner_new,
    .tp_dealloc = (destructor)planner_destroy,
    .tp_methods = planner_methods,
    .tp_getset = planner_properties,
};
