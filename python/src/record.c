// Recorder: writes a recording frame by frame; exports of recordings.
#include "core.h"

typedef struct core_recorder {
    PyObject_HEAD core_model *model;
    tn_recorder *recorder;
} core_recorder;

static void destroy(core_recorder *self)
{
    tn_recorder_close(self->recorder, NULL);
    Py_XDECREF(self->model);
    Py_TYPE(self)->tp_free(self);
}

static PyObject *create(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *known[] = {"path", "model", NULL};
    PyObject *path, *model;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "O&O!:Recorder", known, PyUnicode_FSConverter, &path,
                                     &core_model_type, &model)) {
        return NULL;
    }
    core_recorder *self = (core_recorder *)type->tp_alloc(type, 0);
    tn_error error = {0};
    if (self) {
        self->model = (core_model *)Py_NewRef(model);
        self->recorder = tn_recorder_create(PyBytes_AS_STRING(path), self->model->model, &error);
    }
    Py_DECREF(path);
    if (self && !self->recorder) {
        Py_DECREF(self);
        return core_raise(error.status, &error);
    }
    return (PyObject *)self;
}

static PyObject *append(core_recorder *self, PyObject *arguments)
{
    PyObject *sim, *state;
    if (!PyArg_ParseTuple(arguments, "O!O!:append", &core_sim_type, &sim, &core_state_type, &state)) {
        return NULL;
    }
    core_sim *s = (core_sim *)sim;
    core_state *at = (core_state *)state;
    if (!self->recorder || s->busy || !core_state_is_free(at)) {
        return PyErr_Occurred()
                   ? NULL
                   : PyErr_Format(PyExc_RuntimeError, "append: the recording is closed, or the simulation busy");
    }
    if (s->model != self->model || at->model != self->model) {
        return PyErr_Format(PyExc_ValueError, "append: simulation and state are of another model than the recording");
    }
    bool first = !s->stepped || s->last != at || tn_state_time(at->state) != s->report.time;
    tn_error error = {0};
    tn_status status = tn_recorder_append(self->recorder, s->sim, at->state, first ? NULL : &s->report, &error);
    return status == TN_OK ? Py_NewRef(Py_None) : core_raise(status, &error);
}

static PyObject *close_file(core_recorder *self, PyObject *unused)
{
    (void)unused;
    tn_error error = {0};
    tn_status status = tn_recorder_close(self->recorder, &error);
    self->recorder = NULL;
    return status == TN_OK ? Py_NewRef(Py_None) : core_raise(status, &error);
}

static PyObject *enter(PyObject *self, PyObject *unused)
{
    (void)unused;
    return Py_NewRef(self);
}

static PyObject *leave(core_recorder *self, PyObject *unused)
{
    return close_file(self, unused);
}

static PyMethodDef methods[] = {
    {"append", (PyCFunction)append, METH_VARARGS,
     "append(sim, state)\n\nA frame: the state that the simulation's last step led to; any other is written as an "
     "initial one."},
    {"close", (PyCFunction)close_file, METH_NOARGS, "close()\n\nWrites what waits."},
    {"__enter__", enter, METH_NOARGS, NULL},
    {"__exit__", (PyCFunction)leave, METH_VARARGS, NULL},
    {NULL},
};

PyTypeObject core_recorder_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tenon.Recorder",
    .tp_basicsize = sizeof(core_recorder),
    .tp_doc = "Recorder(path, model)\n\nWrites a recording frame by frame; to be used in a `with`.",
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = create,
    .tp_dealloc = (destructor)destroy,
    .tp_methods = methods,
};

PyObject *core_export(PyObject *module, PyObject *arguments)
{
    (void)module;
    static const char *const names[] = {"vtk", "csv", "html", "gltf", "fclib"};
    PyObject *from, *to;
    const char *format;
    long every = 1, written = 0;
    if (!PyArg_ParseTuple(arguments, "O&sO&|l:export", PyUnicode_FSConverter, &from, &format, PyUnicode_FSConverter,
                          &to, &every)) {
        return NULL;
    }
    int which = 0;
    while (which < 5 && strcmp(format, names[which]) != 0) {
        which++;
    }
    tn_error error = {0};
    tn_status status = TN_OK;
    if (which < 5) {
        tn_recording *recording = tn_recording_open(PyBytes_AS_STRING(from), &error);
        status = recording ? tn_recording_export(recording, (tn_export_format)which, PyBytes_AS_STRING(to), every,
                                                 &written, &error)
                           : error.status;
        tn_recording_close(recording);
    }
    Py_DECREF(from);
    Py_DECREF(to);
    if (which == 5) {
        return PyErr_Format(PyExc_ValueError, "export: vtk, csv, html, gltf or fclib, not '%s'", format);
    }
    return status == TN_OK ? PyLong_FromLong(written) : core_raise(status, &error);
}

PyObject *core_tables(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *to;
    const char *tables;
    if (!PyArg_ParseTuple(arguments, "sO&:tables", &tables, PyUnicode_FSConverter, &to)) {
        return NULL;
    }
    tn_error error = {0};
    tn_status status = tn_report_write_tables(tables, PyBytes_AS_STRING(to), NULL, &error);
    Py_DECREF(to);
    return status == TN_OK ? Py_NewRef(Py_None) : core_raise(status, &error);
}
