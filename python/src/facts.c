// What the library tells beside steps: how a scene is simulated, soft bodies at rest, what a state begins with.
#include "core.h"

#include <math.h>

static PyObject *flag(bool value)
{
    return value ? Py_True : Py_False;
}

PyObject *core_model_method(core_model *self, void *unused)
{
    (void)unused;
    tn_model_method m;
    tn_model_get_method(self->model, &m);
    return Py_BuildValue("{s:s,s:s,s:s,s:s,s:z,s:d,s:d,s:(ddd),s:d,s:d,s:d,s:i,s:i,s:K,s:O}", "solver", m.solver, "law",
                         m.law, "scheme", m.scheme, "coordinates", m.coordinates, "accuracy", m.accuracy, "step",
                         m.step, "duration", m.duration, "gravity", m.gravity[0], m.gravity[1], m.gravity[2], "margin",
                         m.margin, "push_out", m.push_out, "sleep_after", m.sleep_after, "threads", m.threads,
                         "record_every", m.record_every, "seed", (unsigned long long)m.seed, "projects_velocities",
                         flag(m.projects_velocities));
}

PyObject *core_model_soft(core_model *self, PyObject *name)
{
    int body = core_body(self, name);
    tn_soft_info s = {.n_nodes = 0};
    if (body < 0) {
        return NULL;
    }
    tn_model_get_soft(self->model, body, &s);
    if (s.n_nodes == 0) {
        return PyErr_Format(PyExc_KeyError, "body '%S' is not soft: it has no nodes", name);
    }
    return Py_BuildValue("{s:i,s:i,s:i,s:i,s:d,s:d,s:d,s:d,s:d,s:d,s:d}", "nodes", s.n_nodes, "attached", s.n_attached,
                         "elements", s.n_elements, "faces", s.n_faces, "volume", s.volume, "mass", s.mass, "young",
                         s.young, "poisson", s.poisson, "shortest_edge", s.shortest_edge, "longest_edge",
                         s.longest_edge, "quality", s.quality);
}

PyObject *core_model_faces(core_model *self, void *unused)
{
    (void)unused;
    npy_intp shape[2] = {tn_model_face_total(self->model), 3};
    PyObject *array = PyArray_SimpleNew(2, shape, NPY_INT);
    if (array && shape[0] > 0) {
        memcpy(PyArray_DATA((PyArrayObject *)array), tn_model_faces(self->model), 3 * (size_t)shape[0] * sizeof(int));
    }
    return array;
}

// Of a body, its center of mass, principal axes and moments.
PyObject *core_model_inertia(core_model *self, PyObject *name)
{
    int body = core_body(self, name);
    double c[3], a[4], m[3] = {NAN};
    if (body < 0) {
        return NULL;
    }
    tn_model_body_inertia(self->model, body, c, a, m);
    if (m[0] != m[0]) {
        return PyErr_Format(PyExc_KeyError, "body '%S' is soft, or forces do not move it", name);
    }
    return Py_BuildValue("{s:d,s:(ddd),s:(dddd),s:(ddd)}", "mass", tn_model_body_mass(self->model, body), "center",
                         c[0], c[1], c[2], "axes", a[0], a[1], a[2], a[3], "moments", m[0], m[1], m[2]);
}

PyObject *core_model_limits(core_model *self, void *unused)
{
    (void)unused;
    double *data;
    PyObject *array = core_array(2, tn_model_coordinate_count(self->model), 2, &data);
    for (int j = 0; array && j < tn_model_joint_count(self->model); j++) {
        for (int k = 0; k < tn_model_joint_coordinate_count(self->model, j); k++) {
            tn_model_joint_limits(self->model, j, k, data + 2 * (tn_model_first_coordinate(self->model, j) + k));
        }
    }
    return array;
}

// "(n, columns)" numbers of a type that the caller fills.
static PyObject *table_of(npy_intp rows, int type, void *data)
{
    npy_intp shape[2] = {rows, 3};
    PyObject *array = PyArray_SimpleNew(2, shape, type);
    *(void **)data = array ? PyArray_DATA((PyArrayObject *)array) : NULL;
    return array;
}

PyObject *core_model_shape(core_model *self, PyObject *number)
{
    long asked = PyLong_AsLong(number);
    int i = asked >= 0 && asked < tn_model_shape_count(self->model) ? (int)asked : -1;
    int material = tn_model_shape_material(self->model, i);
    double at[7], size[3], *points;
    int *triangles;
    if (PyErr_Occurred() || material < 0) {
        return PyErr_Occurred() ? NULL : PyErr_Format(PyExc_IndexError, "the scene has no shape %ld", asked);
    }
    tn_model_shape_pose(self->model, i, at, at + 3);
    tn_model_shape_size(self->model, i, size);
    PyObject *p = table_of(tn_model_shape_point_count(self->model, i), NPY_DOUBLE, &points);
    PyObject *t = p ? table_of(tn_model_shape_triangle_count(self->model, i), NPY_INT, &triangles) : NULL;
    if (!t) {
        Py_XDECREF(p);
        return NULL;
    }
    tn_model_shape_geometry(self->model, i, points, triangles);
    return Py_BuildValue("{s:i,s:s,s:s,s:(ddddddd),s:(ddd),s:N,s:N}", "body", tn_model_shape_body(self->model, i),
                         "kind", tn_model_shape_kind(self->model, i), "material",
                         tn_model_material_name(self->model, material), "pose", at[0], at[1], at[2], at[3], at[4],
                         at[5], at[6], "size", size[0], size[1], size[2], "points", p, "triangles", t);
}

static int material_of(const tn_model *model, const char *name)
{
    int i = 0;
    while (i < tn_model_material_count(model) && strcmp(tn_model_material_name(model, i), name) != 0) {
        i++;
    }
    if (i == tn_model_material_count(model)) {
        PyErr_Format(PyExc_KeyError, "the scene has no material '%s'", name);
        return -1;
    }
    return i;
}

PyObject *core_model_pair(core_model *self, PyObject *arguments)
{
    const char *one, *other;
    tn_material_pair p;
    if (!PyArg_ParseTuple(arguments, "ss:pair", &one, &other)) {
        return NULL;
    }
    int a = material_of(self->model, one), b = a < 0 ? -1 : material_of(self->model, other);
    if (b < 0) {
        return NULL;
    }
    tn_model_get_pair(self->model, a, b, &p);
    return Py_BuildValue("{s:O,s:(dd),s:d,s:d,s:d,s:d}", "collides", flag(p.collides), "friction", p.friction[0],
                         p.friction[1], "restitution", p.restitution, "rolling", p.rolling, "torsion", p.torsion,
                         "adhesion", p.adhesion);
}

PyObject *core_model_kinds(core_model *self, void *unused)
{
    (void)unused;
    Py_ssize_t n = PyTuple_GET_SIZE(self->body_names);
    PyObject *all = PyTuple_New(n);
    for (Py_ssize_t b = 0; all && b < n; b++) {
        PyObject *one = PyUnicode_FromString(tn_model_body_kind(self->model, (int)b));
        if (!one) {
            Py_CLEAR(all);
            break;
        }
        PyTuple_SET_ITEM(all, b, one);
    }
    return all;
}

PyObject *core_state_energy(core_state *self, PyObject *unused)
{
    (void)unused;
    tn_energy energy;
    tn_error error = {0};
    if (!core_state_is_free(self)) {
        return NULL;
    }
    tn_status status = tn_state_energy(self->state, &energy, &error);
    return status == TN_OK ? core_energy(&energy) : core_raise(status, &error);
}

PyObject *core_state_wake(core_state *self, PyObject *arguments)
{
    PyObject *name = NULL;
    tn_error error = {0};
    if (!PyArg_ParseTuple(arguments, "|O:wake", &name) || !core_state_is_free(self)) {
        return NULL;
    }
    int body = name ? core_body(self->model, name) : -1;
    if (name && body < 0) {
        return NULL;
    }
    tn_status status = tn_state_wake(self->state, body, &error);
    return status == TN_OK ? Py_NewRef(Py_None) : core_raise(status, &error);
}

static const char *body_name(const core_state *self, bool any, int body)
{
    return any ? tn_model_body_name(self->model->model, body) : NULL;
}

static const char *joint_name(const core_state *self, bool any, int joint)
{
    return any ? tn_model_joint_name(self->model->model, joint) : NULL;
}

PyObject *core_state_check(core_state *self, PyObject *unused)
{
    (void)unused;
    tn_overlaps o;
    tn_joint_census j;
    tn_velocity_mismatch v;
    tn_error error = {0};
    if (!core_state_is_free(self)) {
        return NULL;
    }
    tn_status status = tn_state_overlaps(self->state, &o, &error);
    status = status == TN_OK ? tn_state_joint_census(self->state, &j, &error) : status;
    status = status == TN_OK ? tn_state_velocity_mismatch(self->state, &v, &error) : status;
    if (status != TN_OK) {
        return core_raise(status, &error);
    }
    return Py_BuildValue("{s:{s:i,s:i,s:d,s:(zz),s:O},s:{s:i,s:i,s:d,s:z,s:d,s:z},s:{s:d,s:z,s:d,s:d,s:O}}", "overlaps",
                         "contacts", o.n_contacts, "pairs", o.n_pairs, "deepest", o.deepest, "bodies",
                         body_name(self, o.deepest > 0.0, o.body_a), body_name(self, o.deepest > 0.0, o.body_b),
                         "matters", flag(o.matters), "joints", "rows", j.n_rows, "dependent", j.n_dependent,
                         "contradiction", j.contradiction, "joint", joint_name(self, j.contradiction > 0.0, j.joint),
                         "off", o.joint_off, "joint_off", joint_name(self, o.joint >= 0, o.joint), "velocities",
                         "mismatch", v.mismatch, "joint", joint_name(self, v.joint >= 0, v.joint), "kinetic", v.kinetic,
                         "allowed", v.allowed, "matters", flag(v.matters));
}

PyObject *core_state_steps(core_state *self, void *unused)
{
    (void)unused;
    return PyLong_FromLong(tn_state_step_count(self->state));
}

PyObject *core_curve(PyObject *module, PyObject *arguments)
{
    (void)module;
    PyObject *from, *array = NULL;
    const char *name;
    if (!PyArg_ParseTuple(arguments, "O&s:curve", PyUnicode_FSConverter, &from, &name)) {
        return NULL;
    }
    tn_error error = {0};
    tn_curve curve;
    tn_recording *recording = tn_recording_open(PyBytes_AS_STRING(from), &error);
    tn_status status = recording ? tn_recording_find_curve(recording, name, &curve, &error) : error.status;
    if (status == TN_OK) {
        npy_intp n = tn_recording_frame_count(recording);
        array = PyArray_SimpleNew(1, &n, NPY_DOUBLE);
        status = array ? tn_recording_read_curve(recording, name, PyArray_DATA((PyArrayObject *)array), &error) : TN_OK;
    }
    PyObject *both = array && status == TN_OK ? Py_BuildValue("(Os)", array, curve.label) : NULL;
    Py_XDECREF(array);
    tn_recording_close(recording);
    Py_DECREF(from);
    return status == TN_OK ? both : core_raise(status, &error);
}
