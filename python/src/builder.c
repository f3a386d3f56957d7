// Builder: a scene made in code; the package's Scene turns Python's values into its texts.
#include "core.h"

static void destroy(core_builder *self)
{
    tn_builder_destroy(self->builder);
    Py_TYPE(self)->tp_free(self);
}

static PyObject *create(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    (void)arguments;
    (void)keywords;
    core_builder *self = (core_builder *)type->tp_alloc(type, 0);
    tn_error error = {0};
    if (self && !(self->builder = tn_builder_create(&error))) {
        Py_CLEAR(self);
        return core_raise(error.status, &error);
    }
    return (PyObject *)self;
}

static PyObject *done(tn_status status, const tn_error *error)
{
    return status == TN_OK ? Py_NewRef(Py_None) : core_raise(status, error);
}

static PyObject *set(core_builder *self, PyObject *arguments)
{
    const char *key, *value;
    tn_error error = {0};
    return PyArg_ParseTuple(arguments, "ss:_set", &key, &value)
               ? done(tn_builder_set(self->builder, key, value, &error), &error)
               : NULL;
}

static PyObject *add(core_builder *self, PyObject *arguments)
{
    const char *section, *name, *value;
    tn_error error = {0};
    return PyArg_ParseTuple(arguments, "szs:_add", &section, &name, &value)
               ? done(tn_builder_add(self->builder, section, name, value, &error), &error)
               : NULL;
}

static PyObject *merge(core_builder *self, PyObject *arguments)
{
    const char *text, *name;
    tn_error error = {0};
    return PyArg_ParseTuple(arguments, "sz:_merge", &text, &name)
               ? done(tn_builder_merge(self->builder, text, name, &error), &error)
               : NULL;
}

static PyObject *text(core_builder *self, PyObject *unused)
{
    (void)unused;
    tn_error error = {0};
    tn_scene *scene = tn_builder_scene(self->builder, &error);
    if (!scene) {
        return core_raise(error.status, &error);
    }
    const char *all = tn_scene_text(scene);
    PyObject *out = PyUnicode_DecodeUTF8(all, (Py_ssize_t)strlen(all), "replace");
    tn_scene_destroy(scene);
    return out;
}

static PyObject *save(core_builder *self, PyObject *path)
{
    tn_error error = {0};
    PyObject *bytes;
    if (!PyUnicode_FSConverter(path, &bytes)) {
        return NULL;
    }
    tn_scene *scene = tn_builder_scene(self->builder, &error);
    tn_status status = scene ? tn_scene_write(scene, PyBytes_AS_STRING(bytes), &error) : error.status;
    tn_scene_destroy(scene);
    Py_DECREF(bytes);
    return done(status, &error);
}

static PyMethodDef methods[] = {
    {"_set", (PyCFunction)set, METH_VARARGS, NULL},
    {"_add", (PyCFunction)add, METH_VARARGS, NULL},
    {"_merge", (PyCFunction)merge, METH_VARARGS, NULL},
    {"text", (PyCFunction)text, METH_NOARGS, "text() -> str\n\nThe scene as YAML."},
    {"save", (PyCFunction)save, METH_O,
     "save(path)\n\nThe scene as a file of YAML; names of other files in it lead from its folder."},
    {NULL},
};

PyTypeObject core_builder_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tenon._core.Builder",
    .tp_basicsize = sizeof(core_builder),
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
    .tp_new = create,
    .tp_dealloc = (destructor)destroy,
    .tp_methods = methods,
};
