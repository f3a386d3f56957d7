// Problem: one step's friction problem, of a file or of a simulation's last step; solved by any solver, certified.
#include "core.h"

typedef struct core_problem {
    PyObject_HEAD tn_stored_problem *stored;
    tn_problem problem; // what it shows, with a law of the owner's choice
} core_problem;

static void destroy(core_problem *self)
{
    tn_stored_problem_destroy(self->stored);
    Py_TYPE(self)->tp_free(self);
}

static PyObject *wrap(PyTypeObject *type, tn_stored_problem *stored, const tn_error *error)
{
    if (!stored) {
        return core_raise(error->status, error);
    }
    core_problem *self = (core_problem *)type->tp_alloc(type, 0);
    if (!self) {
        tn_stored_problem_destroy(stored);
        return NULL;
    }
    self->stored = stored;
    self->problem = *tn_stored_problem_get(stored);
    return (PyObject *)self;
}

static PyObject *create(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *known[] = {"path", NULL};
    PyObject *path;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O&:Problem", known, PyUnicode_FSConverter, &path)) {
        return NULL;
    }
    tn_error error = {0};
    tn_stored_problem *stored = tn_stored_problem_read(PyBytes_AS_STRING(path), &error);
    Py_DECREF(path);
    return wrap(type, stored, &error);
}

PyObject *core_problem_of(const tn_sim *sim)
{
    tn_error error = {0};
    return wrap(&core_problem_type, tn_stored_problem_copy(tn_sim_problem(sim, NULL), &error), &error);
}

// ---- arrays

// Memory of the problem as an array that holds it; None: there is none.
static PyObject *view(core_problem *self, const void *data, int type, int dimensions, const npy_intp *shape)
{
    if (!data) {
        Py_RETURN_NONE;
    }
    PyObject *array = PyArray_SimpleNewFromData(dimensions, shape, type, (void *)data);
    if (array) {
        PyArray_CLEARFLAGS((PyArrayObject *)array, NPY_ARRAY_WRITEABLE);
        if (PyArray_SetBaseObject((PyArrayObject *)array, Py_NewRef((PyObject *)self)) < 0) {
            Py_CLEAR(array);
        }
    }
    return array;
}

static PyObject *doubles(core_problem *self, const double *data, npy_intp rows, int columns)
{
    npy_intp shape[2] = {rows, columns};
    return view(self, data, NPY_DOUBLE, columns > 0 ? 2 : 1, shape);
}

static PyObject *blocks(core_problem *self, const double *data, npy_intp n)
{
    npy_intp shape[3] = {n, 3, 3};
    return view(self, data, NPY_DOUBLE, 3, shape);
}

static PyObject *integers(core_problem *self, const int *data, npy_intp n)
{
    return view(self, data, NPY_INT, 1, &n);
}

typedef struct entry {
    const char *name;
    PyObject *value; // a new reference, or NULL: exception set
} entry;

// Takes the references.
static PyObject *dict_of(size_t n, const entry *entries)
{
    PyObject *dict = PyDict_New();
    for (size_t i = 0; i < n; i++) {
        if (dict && (!entries[i].value || PyDict_SetItemString(dict, entries[i].name, entries[i].value) < 0)) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(entries[i].value);
    }
    return dict;
}

static PyObject *matrix(core_problem *self, const tn_blocks *m)
{
    if (!m) {
        Py_RETURN_NONE;
    }
    const entry entries[] = {{"start", integers(self, m->start, m->n_rows + 1)},
                             {"column", integers(self, m->column, m->start[m->n_rows])},
                             {"value", blocks(self, m->value, m->start[m->n_rows])}};
    return dict_of(sizeof entries / sizeof *entries, entries);
}

static PyObject *of_A(core_problem *self, void *unused)
{
    (void)unused;
    return matrix(self, self->problem.A);
}

static PyObject *of_W(core_problem *self, void *unused)
{
    (void)unused;
    return matrix(self, self->problem.W);
}

static npy_intp n_velocities(const core_problem *self)
{
    return self->problem.A ? 3 * (npy_intp)self->problem.A->n_rows : 0;
}

static npy_intp n_rows(const core_problem *self)
{
    return 3 * (npy_intp)self->problem.rows->n_triples + self->problem.rows->n_singles;
}

static PyObject *of_b(core_problem *self, void *unused)
{
    (void)unused;
    return doubles(self, self->problem.b, n_velocities(self), 0);
}

static PyObject *rows(core_problem *self, void *unused)
{
    (void)unused;
    const tn_rows *r = self->problem.rows;
    npy_intp n = r->n_triples, s = r->n_singles;
    npy_intp triples = r->start ? r->start[n] : 0, entries = r->start ? r->start[n + s] : 0;
    const double *singles = r->jacobian ? r->jacobian + 9 * triples : NULL;
    const entry all[] = {{"start", integers(self, r->start, n + s + 1)},
                         {"block", integers(self, r->block, entries)},
                         {"jacobian", blocks(self, r->jacobian, triples)},
                         {"single_jacobian", doubles(self, singles, entries - triples, 3)},
                         {"offset", doubles(self, r->offset, n_rows(self), 0)},
                         {"frame", blocks(self, r->frame, n)},
                         {"gap", doubles(self, r->gap, n, 0)},
                         {"mu", doubles(self, r->mu, n, 2)},
                         {"softness", blocks(self, r->softness, n)},
                         {"lower", doubles(self, r->lower, s, 0)},
                         {"upper", doubles(self, r->upper, s, 0)},
                         {"compliance", doubles(self, r->compliance, s, 0)}};
    return dict_of(sizeof all / sizeof *all, all);
}

// ---- solutions

// d: a dict with arrays v and forces; their numbers into out's.
static bool take_start(const core_problem *self, PyObject *d, tn_solution *out)
{
    struct {
        const char *name;
        npy_intp n;
        double *to;
    } parts[] = {{"v", n_velocities(self), out->v}, {"forces", n_rows(self), out->lambda}};
    for (int i = self->problem.A ? 0 : 1; i < 2; i++) {
        PyObject *given = PyDict_Check(d) ? PyDict_GetItemString(d, parts[i].name) : NULL;
        if (!given || given == Py_None) {
            PyErr_Format(PyExc_ValueError, "a solution is a dict with arrays v and forces; '%s' is missing",
                         parts[i].name);
            return false;
        }
        const double *numbers;
        PyObject *array = core_doubles(given, parts[i].n, 0, parts[i].name, &numbers);
        if (!array) {
            return false;
        }
        memcpy(parts[i].to, numbers, (size_t)parts[i].n * sizeof *numbers);
        Py_DECREF(array);
    }
    return true;
}

typedef struct room {
    PyObject *v, *forces; // arrays of zeros; v None in local form
    tn_solution solution; // in their memory
} room;

static bool make_room(const core_problem *self, PyObject *start, room *out)
{
    npy_intp n = n_velocities(self), m = n_rows(self);
    *out = (room){.v = self->problem.A ? PyArray_ZEROS(1, &n, NPY_DOUBLE, 0) : Py_NewRef(Py_None),
                  .forces = PyArray_ZEROS(1, &m, NPY_DOUBLE, 0)};
    bool ok = out->v && out->forces;
    if (ok) {
        out->solution.v = self->problem.A ? PyArray_DATA((PyArrayObject *)out->v) : NULL;
        out->solution.lambda = PyArray_DATA((PyArrayObject *)out->forces);
    }
    if (ok && start && start != Py_None) {
        ok = take_start(self, start, &out->solution);
    }
    if (!ok) {
        Py_XDECREF(out->v);
        Py_XDECREF(out->forces);
    }
    return ok;
}

static bool take_law(PyObject *object, tn_problem *problem)
{
    if (!object || object == Py_None) {
        return true;
    }
    for (int k = 0; tn_law_name(k); k++) {
        if (PyUnicode_Check(object) && PyUnicode_CompareWithASCIIString(object, tn_law_name(k)) == 0) {
            problem->law = (tn_law)k;
            return true;
        }
    }
    PyErr_Format(PyExc_ValueError, "law: coulomb, convex or frictionless, not %R", object);
    return false;
}

static PyObject *result(room *r, const tn_solve_report *report, double seconds)
{
    const entry entries[] = {{"solver", PyUnicode_FromString(report->solver ? report->solver : "")},
                             {"iterations", PyLong_FromLong(report->iterations)},
                             {"converged", PyBool_FromLong(report->converged)},
                             {"seconds", PyFloat_FromDouble(seconds)},
                             {"certificate", core_certificate(&report->certificate)},
                             {"v", r->v},
                             {"forces", r->forces}};
    return dict_of(sizeof entries / sizeof *entries, entries);
}

static PyObject *solve(core_problem *self, PyObject *arguments, PyObject *keywords)
{
    static char *known[] = {"solver", "law",   "momentum",       "natural", "fclib", "joint",
                            "theta",  "start", "max_iterations", "threads", NULL};
    const char *solver = "auto";
    PyObject *law = NULL, *start = NULL;
    tn_solve_options options = tn_solve_options_default();
    tn_tolerance *t = &options.tolerance;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|s$OdddddOii:solve", known, &solver, &law, &t->momentum,
                                     &t->natural, &t->fclib, &t->joint, &t->theta, &start, &options.max_iterations,
                                     &options.n_threads)) {
        return NULL;
    }
    tn_problem problem = self->problem;
    room r;
    if (!take_law(law, &problem) || !make_room(self, start, &r)) {
        return NULL;
    }
    tn_solve_report report = {0};
    tn_error error = {0};
    tn_status status;
    double begun = core_time();
    core_watch watch = core_watch_start();
    problem.stop = core_see_signals;
    problem.user = &watch;
    Py_BEGIN_ALLOW_THREADS;
    status = tn_problem_solve(&problem, solver, &options, &r.solution, &report, &error);
    Py_END_ALLOW_THREADS;
    if (status != TN_OK) {
        Py_DECREF(r.v);
        Py_DECREF(r.forces);
        return watch.raised ? NULL : core_raise(status, &error);
    }
    return result(&r, &report, core_time() - begun);
}

static PyObject *certify(core_problem *self, PyObject *arguments, PyObject *keywords)
{
    static char *known[] = {"solution", "law", NULL};
    PyObject *solution, *law = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O|O:certify", known, &solution, &law)) {
        return NULL;
    }
    tn_problem problem = self->problem;
    room r;
    if (!take_law(law, &problem) || !make_room(self, solution, &r)) {
        return NULL;
    }
    tn_certificate found;
    tn_error error = {0};
    tn_status status = tn_problem_certify(&problem, &r.solution, &found, &error);
    Py_DECREF(r.v);
    Py_DECREF(r.forces);
    return status == TN_OK ? core_certificate(&found) : core_raise(status, &error);
}

static PyObject *save(core_problem *self, PyObject *arguments, PyObject *keywords)
{
    static char *known[] = {"path", "title", "solution", "law", NULL};
    PyObject *path, *solution = NULL, *law = NULL;
    const char *title = NULL;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O&|zOO:save", known, PyUnicode_FSConverter, &path, &title,
                                     &solution, &law)) {
        return NULL;
    }
    bool given = solution && solution != Py_None;
    room r = {0};
    tn_error error = {0};
    tn_status status = TN_OK;
    tn_problem problem = self->problem;
    bool ok = take_law(law, &problem) && (!given || make_room(self, solution, &r));
    if (ok) {
        tn_stored_problem_set_law(self->stored, problem.law, problem.facets, NULL); // both are possible
        status =
            tn_stored_problem_write(self->stored, PyBytes_AS_STRING(path), title, given ? &r.solution : NULL, &error);
        Py_XDECREF(r.v);
        Py_XDECREF(r.forces);
    }
    Py_DECREF(path);
    return !ok ? NULL : status == TN_OK ? Py_NewRef(Py_None) : core_raise(status, &error);
}

static PyObject *of_law(core_problem *self, void *unused)
{
    (void)unused;
    return PyUnicode_FromString(tn_law_name((int)self->problem.law));
}

static PyObject *of_title(core_problem *self, void *unused)
{
    (void)unused;
    tn_stored_info info;
    tn_stored_problem_info(self->stored, &info);
    return PyUnicode_DecodeUTF8(info.title, (Py_ssize_t)strlen(info.title), "replace");
}

static PyObject *of_step(core_problem *self, void *unused)
{
    (void)unused;
    return PyFloat_FromDouble(self->problem.step);
}

static PyObject *n_contacts(core_problem *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(self->problem.rows->n_triples - self->problem.rows->n_frictions);
}

PyObject *core_solvers(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    PyObject *dict = PyDict_New();
    for (int i = 0; dict && tn_solver_name(i); i++) {
        PyObject *summary = PyUnicode_FromString(tn_solver_summary(i));
        if (!summary || PyDict_SetItemString(dict, tn_solver_name(i), summary) < 0) {
            Py_CLEAR(dict);
        }
        Py_XDECREF(summary);
    }
    return dict;
}

static PyGetSetDef members[] = {
    {"law", (getter)of_law, NULL, "coulomb, convex or frictionless; of files coulomb.", NULL},
    {"title", (getter)of_title, NULL, "Of the file.", NULL},
    {"step", (getter)of_step, NULL, "h [s]; of files 1.", NULL},
    {"n_contacts", (getter)n_contacts, NULL, "How many contacts; each has three rows.", NULL},
    {"A", (getter)of_A, NULL,
     "Block rows of A [N s/m]: start (n + 1,), column (blocks,), value (blocks, 3, 3), as scipy.sparse.bsr_matrix "
     "takes them; None in local form.",
     NULL},
    {"W", (getter)of_W, NULL, "Of W [s/kg] in local form, likewise; else None.", NULL},
    {"b", (getter)of_b, NULL, "(3 n,) [N]; None in local form.", NULL},
    {"rows", (getter)rows, NULL,
     "Of contacts (three rows each), then joints' single rows; what is not there is None: start (constraints + 1,), "
     "block "
     "(entries,) block of v that an entry multiplies, jacobian (entries of contacts, 3, 3), single_jacobian (entries "
     "of joints, 3), offset (rows,) [m/s], frame (contacts, 3, 3) rows n, t1, t2, gap (contacts,) [m], mu (contacts, "
     "2), "
     "softness (contacts, 3, 3), lower, upper, compliance (joints' rows,).",
     NULL},
    {NULL},
};

static PyMethodDef methods[] = {
    {"solve", (PyCFunction)(void (*)(void))solve, METH_VARARGS | METH_KEYWORDS,
     "solve(solver='auto', *, law=None, momentum=1e-8, natural=1e-8, fclib=0, joint=1e-8, theta=0, start=None, "
     "max_iterations=10000, threads=1) -> dict\n\n"
     "By a solver of tenon.solvers(): v (3 n,) [m/s], forces (rows,) [N], solver (of auto its choice), iterations, "
     "converged, seconds, certificate. Figures are tolerances that are demanded, 0: not. start: an earlier result. "
     "Other threads run meanwhile; Ctrl-C ends it. InputError: the solver does not take this problem."},
    {"certify", (PyCFunction)(void (*)(void))certify, METH_VARARGS | METH_KEYWORDS,
     "certify(solution, law=None) -> dict\n\nHow well a dict with v and forces solves it, by code that shares nothing "
     "with the solvers."},
    {"save", (PyCFunction)(void (*)(void))save, METH_VARARGS | METH_KEYWORDS,
     "save(path, title=None, solution=None, law=None)\n\nAs a file in FCLIB's layout, with a solution's v, u, r where "
     "one is given; law: that it was solved by, if not the problem's own. InputError: it has joints or a friction that "
     "FCLIB has no place for."},
    {NULL},
};

PyTypeObject core_problem_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tenon.Problem",
    .tp_basicsize = sizeof(core_problem),
    .tp_doc = "Problem(path)\n\nOne step's problem, A v = b + J^T forces, u = J v + offset, and a law of u and forces: "
              "of a file in FCLIB's layout; Sim.problem() is that of the last step. Arrays are views, read-only.",
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = create,
    .tp_dealloc = (destructor)destroy,
    .tp_methods = methods,
    .tp_getset = members,
};
