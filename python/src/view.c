// Viewer: the page of a recording, served to this machine's browsers as long as the object lives.
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
