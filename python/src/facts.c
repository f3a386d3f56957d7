// What the library tells beside steps: how a scene is simulated, soft bodies at rest, what a state begins with.
#include "core.h"

static PyObject *flag(bool value)
{
    return value ? Py_True : Py_False;
}

PyObject *core_model_method(core_model *self, void *unused)
{
    (void)unused;
    tn_model_method m;
    tn_model_get_method(self->model, &m);
    return Py_BuildValue("{s:s,s:s,s:s,s:z,s:d,s:d,s:(ddd),s:d,s:d,s:d,s:i,s:i,s:K,s:O}", "solver", m.solver, "law",
                         m.law, "scheme", m.scheme, "accuracy", m.accuracy, "step", m.step, "duration", m.duration,
                         "gravity", m.gravity[0], m.gravity[1], m.gravity[2], "margin", m.margin, "push_out",
                         m.push_out, "sleep_after", m.sleep_after, "threads", m.threads, "record_every", m.record_every,
                         "seed", (unsigned long long)m.seed, "projects_velocities", flag(m.projects_velocities));
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
