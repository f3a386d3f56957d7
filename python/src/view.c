// Viewer and Live: the page of a recording and of a running simulation, served to this machine's browsers as long as
// the object lives.
#include "core.h"

typedef struct core_viewer {
    PyObject_HEAD tn_recording *recording;
    tn_viewer *viewer; // NULL: stopped
} core_viewer;

static void end(core_viewer *self)
{
    Py_BEGIN_ALLOW_THREADS;
    tn_viewer_stop(self->viewer);
    tn_recording_close(self->recording);
    Py_END_ALLOW_THREADS;
    self->viewer = NULL;
    self->recording = NULL;
}

static void destroy(core_viewer *self)
{
    end(self);
    Py_TYPE(self)->tp_free(self);
}

static PyObject *create(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *known[] = {"path", "every", "port", NULL};
    PyObject *path;
    long every = 1;
    int port = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O&|$li:Viewer", known, PyUnicode_FSConverter, &path, &every,
                                     &port)) {
        return NULL;
    }
    core_viewer *self = (core_viewer *)type->tp_alloc(type, 0);
    tn_error error = {0};
    if (self) {
        self->recording = tn_recording_open(PyBytes_AS_STRING(path), &error);
        self->viewer = self->recording ? tn_viewer_start(self->recording, every, port, &error) : NULL;
    }
    Py_DECREF(path);
    if (self && !self->viewer) {
        Py_DECREF(self);
        return core_raise(error.status, &error);
    }
    return (PyObject *)self;
}

static PyObject *stop(core_viewer *self, PyObject *unused)
{
    (void)unused;
    end(self);
    Py_RETURN_NONE;
}

static PyObject *url(core_viewer *self, void *unused)
{
    (void)unused;
    return self->viewer ? PyUnicode_FromFormat("http://127.0.0.1:%d/", tn_viewer_port(self->viewer))
                        : Py_NewRef(Py_None);
}

static PyGetSetDef members[] = {
    {"url", (getter)url, NULL, "Of the page, on this machine only; None: stopped.", NULL},
    {NULL},
};

static PyMethodDef methods[] = {
    {"stop", (PyCFunction)stop, METH_NOARGS, "stop()\n\nEnds the server; pages that have the recording keep it."},
    {NULL},
};

PyTypeObject core_viewer_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tenon.Viewer",
    .tp_basicsize = sizeof(core_viewer),
    .tp_doc = "Viewer(path, *, every=1, port=0)\n\nServes the viewer of a recording on 127.0.0.1, by a thread of its "
              "own, until stop(); port 0: a free one. See Recording.view.",
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = create,
    .tp_dealloc = (destructor)destroy,
    .tp_methods = methods,
    .tp_getset = members,
};

// ---- a running simulation

typedef struct core_live {
    PyObject_HEAD core_sim *sim;
    tn_live *live; // NULL: stopped
    tn_grab grab;
    bool pulling;
} core_live;

static void live_end(core_live *self)
{
    Py_BEGIN_ALLOW_THREADS;
    tn_live_stop(self->live);
    Py_END_ALLOW_THREADS;
    self->live = NULL;
}

static void live_destroy(core_live *self)
{
    live_end(self);
    Py_XDECREF(self->sim);
    Py_TYPE(self)->tp_free(self);
}

// False, with the exception set: the state is of another model or in a step, or the view has been stopped.
static bool may_show(const core_live *self, const core_sim *sim, PyObject *state)
{
    if (!PyObject_TypeCheck(state, &core_state_type) || ((core_state *)state)->model != sim->model) {
        PyErr_SetString(PyExc_TypeError, "a state of the simulation's model is wanted");
        return false;
    }
    if (sim->busy || (self && !self->live)) {
        PyErr_SetString(PyExc_RuntimeError,
                        sim->busy ? "this simulation is stepping in another thread" : "this view has been stopped");
        return false;
    }
    return core_state_is_free((core_state *)state);
}

static PyObject *live_create(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *known[] = {"sim", "state", "port", NULL};
    PyObject *sim, *state;
    int port = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O!O|$i:Live", known, &core_sim_type, &sim, &state, &port) ||
        !may_show(NULL, (core_sim *)sim, state)) {
        return NULL;
    }
    core_live *self = (core_live *)type->tp_alloc(type, 0);
    tn_error error = {0};
    if (self) {
        self->sim = (core_sim *)Py_NewRef(sim);
        self->live = tn_live_start(self->sim->model->model, self->sim->sim, ((core_state *)state)->state, port, &error);
    }
    if (self && !self->live) {
        Py_DECREF(self);
        return core_raise(error.status, &error);
    }
    return (PyObject *)self;
}

static PyObject *live_show(core_live *self, PyObject *state)
{
    if (!may_show(self, self->sim, state)) {
        return NULL;
    }
    tn_error error = {0};
    bool led = self->sim->stepped && self->sim->last == (core_state *)state;
    tn_status status = tn_live_show(self->live, ((core_state *)state)->state, led ? &self->sim->report : NULL, &error);
    return status == TN_OK ? Py_NewRef(Py_None) : core_raise(status, &error);
}

static PyObject *live_say(core_live *self, PyObject *arguments, PyObject *keywords)
{
    static char *known[] = {"state", "message", "pace", "time", NULL};
    static const char *const states[] = {"running", "paused", "ended"};
    const char *state = "running";
    tn_live_news news = {.message = ""};
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|ssdd:say", known, &state, &news.message, &news.pace,
                                     &news.time)) {
        return NULL;
    }
    int which = 0;
    while (which < 3 && strcmp(state, states[which]) != 0) {
        which++;
    }
    if (which == 3) {
        return PyErr_Format(PyExc_ValueError, "say: running, paused or ended, not '%s'", state);
    }
    news.state = (tn_live_state)which;
    tn_live_say(self->live, &news);
    Py_RETURN_NONE;
}

// A hand is the view's own: its forces are `forces`.
static PyObject *live_next(core_live *self, PyObject *state)
{
    static const char *const names[] = {"pause", "resume", "step", "reset", "release", "solver", "law", "pace", "pull"};
    tn_live_command c;
    if (!may_show(self, self->sim, state)) {
        return NULL;
    }
    while (tn_live_next(self->live, &c)) {
        if (c.action == TN_LIVE_PULL) {
            bool same = self->pulling && self->grab.body == c.body;
            self->pulling = same || tn_grab_start(((core_state *)state)->state, c.body, c.point, &self->grab);
            memcpy(self->grab.target, c.target, sizeof c.target);
        } else if (c.action == TN_LIVE_RELEASE) {
            self->pulling = false;
        } else if (c.action < TN_LIVE_PULL) {
            PyObject *value = c.action == TN_LIVE_PACE ? PyFloat_FromDouble(c.value) : PyUnicode_FromString(c.name);
            return value ? Py_BuildValue("(sN)", names[c.action], value) : NULL;
        }
    }
    Py_RETURN_NONE;
}

static PyObject *live_forces(core_live *self, PyObject *state)
{
    double *wrench, *node_force;
    PyObject *dict = may_show(self, self->sim, state) ? PyDict_New() : NULL;
    if (!dict || !self->pulling) {
        return dict;
    }
    const tn_model *model = self->sim->model->model;
    npy_intp bodies = tn_model_body_count(model), nodes = tn_model_node_total(model);
    PyObject *one = core_array(2, bodies, 6, &wrench), *two = core_array(2, nodes, 3, &node_force);
    if (one && two) {
        memset(wrench, 0, 6 * (size_t)bodies * sizeof *wrench);
        memset(node_force, 0, 3 * (size_t)nodes * sizeof *node_force);
        tn_grab_pull(&self->grab, ((core_state *)state)->state, wrench, node_force);
    }
    bool ok = one && two && PyDict_SetItemString(dict, "wrench", one) == 0 &&
              PyDict_SetItemString(dict, "node_force", two) == 0;
    Py_XDECREF(one);
    Py_XDECREF(two);
    if (!ok) {
        Py_CLEAR(dict);
    }
    return dict;
}

static PyObject *live_stop(core_live *self, PyObject *unused)
{
    (void)unused;
    live_end(self);
    Py_RETURN_NONE;
}

static PyObject *live_url(core_live *self, void *unused)
{
    (void)unused;
    return self->live ? PyUnicode_FromFormat("http://127.0.0.1:%d/", tn_live_port(self->live)) : Py_NewRef(Py_None);
}

static PyObject *live_viewers(core_live *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(tn_live_viewers(self->live));
}

static PyGetSetDef live_members[] = {
    {"url", (getter)live_url, NULL, "Of the page, on this machine only; None: stopped.", NULL},
    {"viewers", (getter)live_viewers, NULL, "Pages that look.", NULL},
    {NULL},
};

static PyMethodDef live_methods[] = {
    {"show", (PyCFunction)live_show, METH_O,
     "show(state)\n\nThe state after a step, if a page is ready for it (at most thirty a second); waits for nothing."},
    {"next", (PyCFunction)live_next, METH_O,
     "next(state) -> (what, value) or None\n\nWhat a page asks for: 'pause', 'resume', 'step', 'reset', 'solver' and "
     "'law' by name, 'pace' in simulated seconds a second. What a hand pulls is kept for forces()."},
    {"forces", (PyCFunction)live_forces, METH_O,
     "forces(state) -> dict\n\nOf a hand that pulls, as arguments of Sim.step: sim.step(state, **live.forces(state)); "
     "empty: none does."},
    {"say", (PyCFunction)(void (*)(void))live_say, METH_VARARGS | METH_KEYWORDS,
     "say(state='running', message='', pace=0.0, time=0.0)\n\nTo all pages: 'running', 'paused' or 'ended', and a "
     "message for people."},
    {"stop", (PyCFunction)live_stop, METH_NOARGS, "stop()\n\nEnds the server."},
    {NULL},
};

PyTypeObject core_live_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tenon.Live",
    .tp_basicsize = sizeof(core_live),
    .tp_doc = "Live(sim, state, *, port=0)\n\nShows a simulation to pages while the program steps it, on 127.0.0.1; "
              "port 0: a free one.",
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = live_create,
    .tp_dealloc = (destructor)live_destroy,
    .tp_methods = live_methods,
    .tp_getset = live_members,
};
