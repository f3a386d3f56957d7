// Exceptions: what went wrong in the library, with its place.
#include "core.h"

static PyObject *base_error, *input_error, *numerics_error;

static const char input_doc[] =
    "A scene, an array or an argument is wrong. Attributes: message, file, line, column (from 1; 0: unknown).";
static const char numerics_doc[] = "A step failed: the state is as before it. Attribute: message.";

static PyObject *add(PyObject *module, const char *name, const char *doc, PyObject *base)
{
    char full[64];
    PyOS_snprintf(full, sizeof full, "tenon.%s", name);
    PyObject *type = PyErr_NewExceptionWithDoc(full, doc, base, NULL);
    if (type && PyModule_AddObjectRef(module, name, type) < 0) {
        Py_CLEAR(type);
    }
    return type;
}

int core_errors_add(PyObject *module)
{
    base_error = add(module, "Error", "What the library reports.", NULL);
    input_error = base_error ? add(module, "InputError", input_doc, base_error) : NULL;
    numerics_error = base_error ? add(module, "NumericsError", numerics_doc, base_error) : NULL;
    return input_error && numerics_error ? 0 : -1;
}

static void set(PyObject *exception, const char *name, PyObject *value)
{
    if (value) {
        PyObject_SetAttrString(exception, name, value);
        Py_DECREF(value);
    }
}

PyObject *core_raise(tn_status status, const tn_error *error)
{
    char text[1200];
    if (status == TN_NO_MEMORY) {
        return PyErr_NoMemory();
    }
    PyObject *type = status == TN_BAD_INPUT  ? input_error
                     : status == TN_NUMERICS ? numerics_error
                     : status == TN_IO       ? PyExc_OSError
                                             : base_error;
    PyObject *exception = PyObject_CallFunction(type, "s", tn_error_text(error, text, sizeof text));
    if (!exception) {
        return NULL;
    }
    if (status != TN_IO) {
        set(exception, "message", PyUnicode_DecodeUTF8(error->message, (Py_ssize_t)strlen(error->message), "replace"));
        set(exception, "file", PyUnicode_DecodeFSDefault(error->file));
        set(exception, "line", PyLong_FromLong(error->line));
        set(exception, "column", PyLong_FromLong(error->column));
    }
    if (!PyErr_Occurred()) {
        PyErr_SetObject(type, exception);
    }
    Py_DECREF(exception);
    return NULL;
}

core_watch core_watch_start(void)
{
    return (core_watch){PyThread_get_thread_ident(), core_time() + CORE_SLICE, false};
}

bool core_see_signals(void *user)
{
    core_watch *watch = user;
    if (watch->raised || PyThread_get_thread_ident() != watch->thread || core_time() < watch->next) {
        return watch->raised;
    }
    PyGILState_STATE held = PyGILState_Ensure();
    watch->raised = PyErr_CheckSignals() < 0;
    PyGILState_Release(held);
    watch->next = core_time() + CORE_SLICE;
    return watch->raised;
}
