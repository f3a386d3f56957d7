// tenon._core: the library as Python types. The package tenon adds what is easier said in Python.
#define TENON_IMPORTS_NUMPY
#include "core.h"

// What numpy says of numbers that are none, with the argument that they came by.
static void name_argument(const char *what)
{
    PyObject *kind = PyErr_ExceptionMatches(PyExc_ValueError)  ? PyExc_ValueError
                     : PyErr_ExceptionMatches(PyExc_TypeError) ? PyExc_TypeError
                                                               : NULL;
    if (kind) {
        PyObject *type, *value, *trace;
        PyErr_Fetch(&type, &value, &trace);
        PyErr_Format(kind, "%s: %S", what, value ? value : type);
        Py_XDECREF(type);
        Py_XDECREF(value);
        Py_XDECREF(trace);
    }
}

PyObject *core_doubles(PyObject *object, npy_intp rows, npy_intp columns, const char *what, const double **data)
{
    *data = NULL;
    if (!object || object == Py_None) {
        Py_RETURN_NONE;
    }
    PyArrayObject *array = (PyArrayObject *)PyArray_FROMANY(object, NPY_DOUBLE, 0, 0, NPY_ARRAY_CARRAY_RO);
    if (!array) {
        name_argument(what);
        return NULL;
    }
    npy_intp n = columns > 0 ? rows * columns : rows;
    int dimensions = PyArray_NDIM(array);
    bool shaped = columns > 0 ? dimensions == 2 && PyArray_DIM(array, 0) == rows && PyArray_DIM(array, 1) == columns
                              : dimensions == 1 && PyArray_DIM(array, 0) == rows;
    if (!shaped || PyArray_SIZE(array) != n) {
        if (columns > 0) {
            PyErr_Format(PyExc_ValueError, "%s: an array of shape (%zd, %zd) is wanted", what, rows, columns);
        } else {
            PyErr_Format(PyExc_ValueError, "%s: an array of shape (%zd,) is wanted", what, rows);
        }
        Py_DECREF(array);
        return NULL;
    }
    *data = PyArray_DATA(array);
    return (PyObject *)array;
}

PyObject *core_view(PyObject *owner, double *data, npy_intp rows, npy_intp columns)
{
    npy_intp shape[2] = {rows, columns};
    PyObject *array = PyArray_SimpleNewFromData(columns > 0 ? 2 : 1, shape, NPY_DOUBLE, data);
    if (!array) {
        return NULL;
    }
    PyArray_CLEARFLAGS((PyArrayObject *)array, NPY_ARRAY_WRITEABLE);
    Py_INCREF(owner);
    if (PyArray_SetBaseObject((PyArrayObject *)array, owner) < 0) {
        Py_DECREF(array);
        return NULL;
    }
    return array;
}

static PyMethodDef functions[] = {
    {"curve", core_curve, METH_VARARGS, "curve(recording, name) -> (numbers, label): see Recording."},
    {"export", core_export, METH_VARARGS, "export(recording, format, path, every=1): see Recording.export."},
    {"solvers", core_solvers, METH_NOARGS, "solvers() -> dict\n\nThe solvers' names, and in a line what each is."},
    {"tables", core_tables, METH_VARARGS, "tables(json, path): a page of tables and charts (include/tenon/report.h)."},
    {NULL},
};

static PyModuleDef module = {
    PyModuleDef_HEAD_INIT, .m_name = "tenon._core", .m_doc = "The library behind the package tenon.",
    .m_size = -1,          .m_methods = functions,
};

PyMODINIT_FUNC PyInit__core(void);
PyMODINIT_FUNC PyInit__core(void)
{
    import_array();
    PyObject *m = PyModule_Create(&module);
    if (!m || core_errors_add(m) < 0 || PyModule_AddType(m, &core_model_type) < 0 ||
        PyModule_AddType(m, &core_state_type) < 0 || PyModule_AddType(m, &core_sim_type) < 0 ||
        PyModule_AddType(m, &core_query_type) < 0 || PyModule_AddType(m, &core_batch_type) < 0 ||
        PyModule_AddType(m, &core_builder_type) < 0 || PyModule_AddType(m, &core_linearization_type) < 0 ||
        PyModule_AddType(m, &core_dynamics_type) < 0 || PyModule_AddType(m, &core_recorder_type) < 0 ||
        PyModule_AddType(m, &core_problem_type) < 0 || PyModule_AddType(m, &core_contacts_type) < 0 ||
        PyModule_AddType(m, &core_lcs_source_type) < 0 || PyModule_AddType(m, &core_planner_type) < 0 ||
        PyModule_AddType(m, &core_viewer_type) < 0 || PyModule_AddType(m, &core_live_type) < 0 ||
        PyModule_AddStringConstant(m, "__version__", TENON_VERSION) < 0) {
        Py_XDECREF(m);
        return NULL;
    }
    return m;
}
