// Model: a compiled scene.
#include "core.h"

#include <string.h>

static PyObject *text_of(const char *text)
{
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

static PyObject *names(const tn_model *model, int n, const char *(*name)(const tn_model *, int))
{
    PyObject *all = PyTuple_New(n);
    for (int i = 0; all && i < n; i++) {
        PyObject *one = text_of(name(model, i));
        if (!one) {
            Py_CLEAR(all);
            break;
        }
        PyTuple_SET_ITEM(all, i, one);
    }
    return all;
}

// "joint:coordinate" of each.
static PyObject *coordinate_names(const tn_model *model)
{
    PyObject *all = PyTuple_New(tn_model_coordinate_count(model));
    for (int j = 0; all && j < tn_model_joint_count(model); j++) {
        for (int k = 0; all && k < tn_model_joint_coordinate_count(model, j); k++) {
            PyObject *one = PyUnicode_FromFormat("%s:%s", tn_model_joint_name(model, j),
                                                 tn_model_joint_coordinate_name(model, j, k));
            if (!one) {
                Py_CLEAR(all);
                break;
            }
            PyTuple_SET_ITEM(all, tn_model_first_coordinate(model, j) + k, one);
        }
    }
    return all;
}

const char *core_text(PyObject *object)
{
    if (!PyUnicode_Check(object)) {
        return PyErr_Format(PyExc_TypeError, "a str is wanted, not %.100s", Py_TYPE(object)->tp_name), NULL;
    }
    Py_ssize_t length;
    const char *text = PyUnicode_AsUTF8AndSize(object, &length);
    if (text && strlen(text) != (size_t)length) {
        PyErr_SetString(PyExc_ValueError, "embedded null character");
        return NULL;
    }
    return text;
}

Py_ssize_t core_strings(PyObject *sequence, PyObject **kept, const char ***out)
{
    *kept = NULL;
    *out = NULL;
    if (!sequence || sequence == Py_None) {
        return 0;
    }
    if (PyUnicode_Check(sequence) || PyDict_Check(sequence)) { // whose letters or keys would be taken one by one
        PyErr_SetString(PyExc_TypeError, "set: a list of strings 'path=value' is wanted");
        return -1;
    }
    *kept = PySequence_Fast(sequence, "set: a list of strings 'path=value' is wanted");
    Py_ssize_t n = *kept ? PySequence_Fast_GET_SIZE(*kept) : -1;
    *out = n > 0 ? PyMem_Calloc((size_t)n, sizeof **out) : NULL;
    for (Py_ssize_t i = 0; i < n; i++) {
        PyObject *item = PySequence_Fast_GET_ITEM(*kept, i);
        if (!*out || !((*out)[i] = PyUnicode_Check(item) ? core_text(item) : NULL)) {
            if (!PyErr_Occurred()) {
                PyErr_SetString(PyExc_TypeError, "set: a list of strings 'path=value' is wanted");
            }
            return -1;
        }
    }
    return n;
}

static tn_scene *read_scene(PyObject *path, PyObject *text, Py_ssize_t n, const char **set, tn_error *error)
{
    if (text) {
        const char *utf8 = core_text(text);
        return utf8 ? tn_scene_parse(utf8, "scene", (int)n, set, error) : NULL;
    }
    PyObject *bytes;
    if (!PyUnicode_FSConverter(path, &bytes)) {
        return NULL;
    }
    tn_scene *scene = tn_scene_load(PyBytes_AS_STRING(bytes), (int)n, set, error);
    Py_DECREF(bytes);
    return scene;
}

// What the reader of a robot's file remarks are Python's warnings. False: one of them is an exception.
static bool warn(const tn_scene *scene)
{
    char text[1024];
    for (int i = 0; tn_scene_remark(scene, i, text, sizeof text); i++) {
        if (PyErr_WarnEx(PyExc_UserWarning, text, 1) != 0) {
            return false;
        }
    }
    return true;
}

// What makes the model again: its path or its text, and overrides.
static PyObject *source_of(PyObject *path, PyObject *text, PyObject *set, const tn_scene *scene)
{
    PyObject *source = PyDict_New(), *made = path || text ? NULL : PyUnicode_FromString(tn_scene_text(scene));
    PyObject *what = path ? path : text ? text : made;
    bool ok = source && what && PyDict_SetItemString(source, path ? "path" : "text", what) == 0 &&
              (!set || PyDict_SetItemString(source, "set", set) == 0);
    Py_XDECREF(made);
    if (!ok) {
        Py_CLEAR(source);
    }
    return source;
}

static PyObject *create(PyTypeObject *type, PyObject *arguments, PyObject *keywords)
{
    static char *known[] = {"path", "text", "set", "scene", NULL};
    PyObject *path = NULL, *text = NULL, *set = NULL, *builder = NULL, *kept;
    const char **overrides;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "|O$UOO!:Model", known, &path, &text, &set,
                                     &core_builder_type, &builder)) {
        return NULL;
    }
    if (!!path + !!text + !!builder != 1 || (builder && set)) {
        PyErr_SetString(PyExc_TypeError, "a model is made of a path to a scene file, of text= or of scene= alone");
        return NULL;
    }
    tn_error error = {0};
    Py_ssize_t n = core_strings(set, &kept, &overrides);
    tn_scene *scene = n < 0     ? NULL
                      : builder ? tn_builder_scene(((core_builder *)builder)->builder, &error)
                                : read_scene(path, text, n, overrides, &error);
    PyMem_Free(overrides);
    Py_XDECREF(kept);
    if (!scene) {
        return PyErr_Occurred() ? NULL : core_raise(error.status, &error);
    }
    PyObject *source = source_of(path, text, set, scene);
    core_model *self = source && warn(scene) ? (core_model *)type->tp_alloc(type, 0) : NULL;
    if (!self) {
        Py_XDECREF(source);
        tn_scene_destroy(scene);
        return NULL;
    }
    self->source = source;
    self->model = tn_model_create(scene, &error);
    if (!self->model) {
        Py_DECREF(self);
        return core_raise(error.status, &error);
    }
    int n_bodies = tn_model_body_count(self->model) + tn_model_soft_count(self->model);
    self->body_names = names(self->model, n_bodies, tn_model_body_name);
    self->joint_names = names(self->model, tn_model_joint_count(self->model), tn_model_joint_name);
    self->coordinate_names = coordinate_names(self->model);
    self->sensor_names = names(self->model, tn_model_sensor_count(self->model), tn_model_sensor_name);
    if (!self->sensor_names || !self->body_names || !self->joint_names || !self->coordinate_names) {
        Py_CLEAR(self);
    }
    return (PyObject *)self;
}

static void destroy(core_model *self)
{
    tn_model_destroy(self->model);
    Py_XDECREF(self->body_names);
    Py_XDECREF(self->joint_names);
    Py_XDECREF(self->coordinate_names);
    Py_XDECREF(self->sensor_names);
    Py_XDECREF(self->source);
    Py_TYPE(self)->tp_free(self);
}

static PyObject *save(core_model *self, PyObject *path)
{
    tn_error error = {0};
    PyObject *bytes;
    if (!PyUnicode_FSConverter(path, &bytes)) {
        return NULL;
    }
    tn_status status = tn_scene_write(tn_model_scene(self->model), PyBytes_AS_STRING(bytes), &error);
    Py_DECREF(bytes);
    return status == TN_OK ? Py_NewRef(Py_None) : core_raise(status, &error);
}

static PyObject *find(PyObject *name, const char *what, const tn_model *model,
                      int (*number)(const tn_model *, const char *))
{
    const char *text = core_text(name);
    if (!text) {
        return NULL;
    }
    int i = number(model, text);
    return i >= 0 ? PyLong_FromLong(i) : PyErr_Format(PyExc_KeyError, "the scene has no %s '%s'", what, text);
}

static PyObject *body(core_model *self, PyObject *name)
{
    return find(name, "body", self->model, tn_model_find_body);
}

static PyObject *joint(core_model *self, PyObject *name)
{
    return find(name, "joint", self->model, tn_model_find_joint);
}

// Which body it is on, and where.
static PyObject *frame(core_model *self, PyObject *name)
{
    PyObject *number = find(name, "frame", self->model, tn_model_find_frame);
    double *pose;
    PyObject *array = number ? core_array(1, 7, 0, &pose) : NULL;
    int body = array ? tn_model_frame(self->model, (int)PyLong_AsLong(number), pose) : -1;
    Py_XDECREF(number);
    return array ? Py_BuildValue("(iN)", body, array) : NULL;
}

static PyObject *frame_names(core_model *self, void *unused)
{
    (void)unused;
    return names(self->model, tn_model_frame_count(self->model), tn_model_frame_name);
}

static PyObject *coordinate(core_model *self, PyObject *name)
{
    return find(name, "coordinate", self->model, tn_model_find_coordinate);
}

// Rows of a soft body in arrays of nodes or elements.
static PyObject *rows_of(core_model *self, PyObject *name, int (*first_of)(const tn_model *, int),
                         int (*count_of)(const tn_model *, int))
{
    PyObject *number = body(self, name);
    if (!number) {
        return NULL;
    }
    int b = (int)PyLong_AsLong(number), first = first_of(self->model, b), n = count_of(self->model, b);
    Py_DECREF(number);
    if (n == 0) {
        return PyErr_Format(PyExc_KeyError, "body '%S' is not soft: it has no nodes", name);
    }
    PyObject *from = PyLong_FromLong(first), *to = PyLong_FromLong(first + n);
    PyObject *slice = from && to ? PySlice_New(from, to, NULL) : NULL;
    Py_XDECREF(from);
    Py_XDECREF(to);
    return slice;
}

static PyObject *nodes(core_model *self, PyObject *name)
{
    return rows_of(self, name, tn_model_first_node, tn_model_node_count);
}

static PyObject *element_rows(core_model *self, PyObject *name)
{
    return rows_of(self, name, tn_model_first_element, tn_model_element_count);
}

static PyObject *elements(core_model *self, void *unused)
{
    (void)unused;
    npy_intp shape[2] = {tn_model_element_total(self->model), 4};
    PyObject *array = PyArray_SimpleNew(2, shape, NPY_INT);
    if (array && shape[0] > 0) {
        memcpy(PyArray_DATA((PyArrayObject *)array), tn_model_elements(self->model),
               4 * (size_t)shape[0] * sizeof(int));
    }
    return array;
}

static PyObject *masses(core_model *self, void *unused)
{
    (void)unused;
    npy_intp n = PyTuple_GET_SIZE(self->body_names);
    PyObject *array = PyArray_SimpleNew(1, &n, NPY_DOUBLE);
    for (npy_intp b = 0; array && b < n; b++) {
        ((double *)PyArray_DATA((PyArrayObject *)array))[b] = tn_model_body_mass(self->model, (int)b);
    }
    return array;
}

static PyObject *body_names(core_model *self, void *unused)
{
    (void)unused;
    return Py_NewRef(self->body_names);
}

static PyObject *joint_names(core_model *self, void *unused)
{
    (void)unused;
    return Py_NewRef(self->joint_names);
}

static PyObject *sensor_names(core_model *self, void *unused)
{
    (void)unused;
    return Py_NewRef(self->sensor_names);
}

static PyObject *of_coordinates(core_model *self, void *unused)
{
    (void)unused;
    return Py_NewRef(self->coordinate_names);
}

static PyObject *of_source(core_model *self, void *unused)
{
    (void)unused;
    return PyDict_Copy(self->source);
}

static PyObject *step(core_model *self, void *unused)
{
    (void)unused;
    return PyFloat_FromDouble(tn_model_step(self->model));
}

static PyObject *duration(core_model *self, void *unused)
{
    (void)unused;
    return PyFloat_FromDouble(tn_model_duration(self->model));
}

static PyObject *dof(core_model *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(tn_model_dof(self->model));
}

static PyObject *n_nodes(core_model *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(tn_model_node_total(self->model));
}

static PyObject *n_elements(core_model *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(tn_model_element_total(self->model));
}

static PyObject *shapes(core_model *self, void *unused)
{
    (void)unused;
    int n = tn_model_shape_count(self->model);
    PyObject *all = PyTuple_New(n);
    for (int i = 0; all && i < n; i++) {
        PyObject *one = Py_BuildValue("(is)", tn_model_shape_body(self->model, i), tn_model_shape_kind(self->model, i));
        if (!one) {
            Py_CLEAR(all);
            break;
        }
        PyTuple_SET_ITEM(all, i, one);
    }
    return all;
}

static PyObject *n_rigid(core_model *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(tn_model_body_count(self->model));
}

static PyObject *of_hash(core_model *self, void *unused)
{
    (void)unused;
    return PyLong_FromUnsignedLongLong(tn_model_hash(self->model));
}

static PyGetSetDef members[] = {
    {"hash", (getter)of_hash, NULL, "64 bits of all that influences results; not names and duration.", NULL},
    {"source", (getter)of_source, NULL, "What makes the model again, Model(**source): path or text, and set.", NULL},
    {"method", (getter)core_model_method, NULL,
     "How the scene is simulated, a dict: solver, law, scheme, accuracy (None: figures are demanded), step [s], "
     "gravity "
     "[m/s^2], margin [m], threads, seed ...",
     NULL},
    {"body_kinds", (getter)core_model_kinds, NULL,
     "'free', 'fixed', 'kinematic' or 'soft', in the order of body_names.", NULL},
    {"limits", (getter)core_model_limits, NULL, "(coordinates, 2): of the joints' coordinates [m, rad]; inf: none.",
     NULL},
    {"faces", (getter)core_model_faces, NULL,
     "(faces, 3): triangles of the soft bodies' surfaces, counter-clockwise from outside, rows of State.nodes.", NULL},
    {"body_names", (getter)body_names, NULL, "Names of all bodies: the world, rigid ones, soft ones.", NULL},
    {"joint_names", (getter)joint_names, NULL, "Names of the joints.", NULL},
    {"sensor_names", (getter)sensor_names, NULL, "Names of the sensors.", NULL},
    {"frame_names", (getter)frame_names, NULL, "Names of the frames: of the scene, sites and fixed links of robots.",
     NULL},
    {"coordinate_names", (getter)of_coordinates, NULL, "Free coordinates of all joints, 'joint:turn' ...", NULL},
    {"masses", (getter)masses, NULL, "(bodies,) [kg]; soft bodies with their attached nodes.", NULL},
    {"step", (getter)step, NULL, "Length of a step [s].", NULL},
    {"duration", (getter)duration, NULL, "Length of the scene's run [s].", NULL},
    {"dof", (getter)dof, NULL, "Degrees of freedom.", NULL},
    {"n_rigid", (getter)n_rigid, NULL, "Rigid bodies with the world: rows of State.poses.", NULL},
    {"n_nodes", (getter)n_nodes, NULL, "Nodes of all soft bodies.", NULL},
    {"shapes", (getter)shapes, NULL, "(body, kind) of each shape that collides.", NULL},
    {"n_elements", (getter)n_elements, NULL, "Elements (tetrahedra) of all soft bodies.", NULL},
    {"elements", (getter)elements, NULL, "(n_elements, 4): nodes of each element, rows of State.nodes.", NULL},
    {NULL},
};

static PyMethodDef methods[] = {
    {"save", (PyCFunction)save, METH_O,
     "save(path)\n\nThe scene with its overrides as one file of YAML; names of other files in it lead from its "
     "folder."},
    {"body", (PyCFunction)body, METH_O, "body(name) -> int\n\nNumber of a body: its row in arrays. KeyError: none."},
    {"frame", (PyCFunction)frame, METH_O,
     "frame(name) -> (int, (7,) array)\n\nNumber of the body that it is on, and its position [m] and quaternion in "
     "that "
     "body's own frame. State.frame: in the world."},
    {"joint", (PyCFunction)joint, METH_O, "joint(name) -> int\n\nNumber of a joint."},
    {"coordinate", (PyCFunction)coordinate, METH_O,
     "coordinate('joint:turn') -> int\n\nNumber of a free coordinate: its place in arrays. By its joint's name where "
     "that has no other one, or the name in a robot's file."},
    {"inertia", (PyCFunction)core_model_inertia, METH_O,
     "inertia(body) -> dict\n\nOf a rigid body that moves: mass [kg], center of mass in its own frame [m], axes "
     "(quaternion to the principal ones), moments about these [kg m^2]."},
    {"shape", (PyCFunction)core_model_shape, METH_O,
     "shape(number) -> dict\n\nOf a shape that collides: body, kind, material, pose in its body's frame, size; points "
     "(n, 3) [m] and triangles (m, 3) of what sizes do not tell."},
    {"pair", (PyCFunction)core_model_pair, METH_VARARGS,
     "pair(material, material) -> dict\n\nWhat two materials do where they meet: collides, friction (along, across), "
     "restitution, rolling and torsion [m], adhesion [N]."},
    {"soft", (PyCFunction)core_model_soft, METH_O,
     "soft(name) -> dict\n\nA soft body at rest: nodes, attached, elements, faces, volume [m^3], mass [kg], young "
     "[Pa], "
     "poisson, shortest_edge and longest_edge [m], quality of the worst element (1: regular)."},
    {"nodes", (PyCFunction)nodes, METH_O, "nodes(name) -> slice\n\nRows of a soft body in State.nodes."},
    {"shape_distances", (PyCFunction)(void (*)(void))core_shape_distances, METH_VARARGS | METH_KEYWORDS,
     "shape_distances(a, b, poses_a, poses_b=None, reach=inf) -> (n,) array\n\nSigned distances [m] of shapes a and b "
     "with "
     "their bodies' frames at poses (n, 7); None: at the origin. inf: beyond reach. Other threads run meanwhile."},
    {"support", (PyCFunction)(void (*)(void))core_support, METH_VARARGS | METH_KEYWORDS,
     "support(shape, directions) -> (n, 3) array\n\nFarthest points [m] of a convex shape along directions (n, 3), in "
     "its "
     "body's own frame."},
    {"element_rows", (PyCFunction)element_rows, METH_O,
     "element_rows(name) -> slice\n\nRows of a soft body in Model.elements, State.stress, State.strain."},
    {NULL},
};

PyTypeObject core_model_type = {
    PyVarObject_HEAD_INIT(NULL, 0).tp_name = "tenon.Model",
    .tp_basicsize = sizeof(core_model),
    .tp_doc = "Model(path, *, set=()) or Model(*, text=..., set=()) or Model(*, scene=...)\n\nA compiled scene, "
              "immutable. set: overrides "
              "'path=value'. Raises InputError with file, line and column.",
    .tp_flags = Py_TPFLAGS_DEFAULT,
    .tp_new = create,
    .tp_dealloc = (destructor)destroy,
    .tp_methods = methods,
    .tp_getset = members,
};
