// MJCF: geoms. Sizes are halves; a capsule, cylinder, box or ellipsoid may be given by the ends of its axis.
#include "math/quat.h"
#include "math/vec3.h"
#include "scene/robot/mjcf_assets.h"
#include "shape/pose.h"

#include <math.h>
#include <string.h>

typedef struct geom_kind {
    const char *name;
    tn_shape_kind kind;
    int n_sizes; // with `fromto` the first, for all across
    bool along;  // may have `fromto`
} geom_kind;

static const geom_kind kinds[] = {
    {"plane", TN_SHAPE_PLANE, 0, false},      {"sphere", TN_SHAPE_SPHERE, 1, false},
    {"capsule", TN_SHAPE_CAPSULE, 2, true},   {"ellipsoid", TN_SHAPE_ELLIPSOID, 3, true},
    {"cylinder", TN_SHAPE_CYLINDER, 2, true}, {"box", TN_SHAPE_BOX, 3, true},
    {"mesh", TN_SHAPE_HULL, 0, false},        {"hfield", TN_SHAPE_HEIGHTS, 0, false},
};

static const geom_kind *find_kind(tn_mjcf *m, const tn_xml *element, int class)
{
    const char *type = tn_mjcf_get(m, element, class, "type");
    type = type ? type : "sphere";
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (strcmp(kinds[i].name, type) == 0) {
            return &kinds[i];
        }
    }
    tn_mjcf_fail(m, element,
                 "unknown type of geom '%.40s': plane, sphere, capsule, ellipsoid, cylinder, box, mesh, hfield", type);
    return NULL;
}

bool tn_mjcf_stretch(const double ends[6], tn_pose *pose, double *half)
{
    double way[3], axis[3];
    tn_vec3_sub(way, ends, ends + 3);
    tn_vec3_add(pose->position, ends, ends + 3);
    tn_vec3_scale(pose->position, 0.5, pose->position);
    tn_vec3_cross(axis, (double[3]){0.0, 0.0, 1.0}, way);
    double across = tn_vec3_norm(axis), length = tn_vec3_norm(way);
    if (across < 1e-12 * length) {
        tn_vec3_set(axis, 1.0, 0.0, 0.0);
    }
    tn_quat_from_axis_angle(pose->quaternion, axis, atan2(across, way[2]));
    *half = 0.5 * length;
    return length > 1e-9;
}

static bool read_size(tn_mjcf *m, const tn_xml *element, int class, const geom_kind *kind, bool stretched,
                      tn_robot_geom *geom)
{
    double size[3] = {0.0, 0.0, 0.0};
    int n, wanted = stretched ? 1 : kind->n_sizes;
    if (kind->n_sizes == 0) {
        return true; // of a plane for pictures, of a mesh nothing
    }
    if (!tn_mjcf_numbers(m, element, class, "size", 1, 3, size, &n)) {
        return false;
    }
    if (n < wanted) {
        return tn_read_error(m->reader, element->place, "'size' of a %s needs %d number%s, has %d", kind->name, wanted,
                             wanted > 1 ? "s" : "", n);
    }
    memcpy(geom->shape.size, size, (size_t)wanted * sizeof *size);
    if (stretched && kind->n_sizes == 3) {
        geom->shape.size[1] = size[0];
    }
    return true;
}

static bool read_shape(tn_mjcf *m, const tn_xml *element, int class, const geom_kind *kind, const tn_pose *frame,
                       tn_robot_geom *geom)
{
    double ends[6], half;
    int n, last = kind->n_sizes - 1;
    if (!tn_mjcf_numbers(m, element, class, "fromto", 6, 6, ends, &n)) {
        return false;
    }
    bool stretched = n == 6 && kind->along;
    if (!read_size(m, element, class, kind, stretched, geom) ||
        !tn_mjcf_pose(m, element, class, stretched ? NULL : frame, &geom->pose)) {
        return false;
    }
    if (stretched) {
        if (!tn_mjcf_stretch(ends, &geom->pose, &half)) {
            return tn_mjcf_fail(m, element, "the ends of 'fromto' are one point%s", "");
        }
        geom->shape.size[last] = half;
        if (frame) {
            tn_pose_join(&geom->pose, frame, &geom->pose);
        }
    }
    return true;
}

// A shape that names a mesh is fitted to it, and read as that until then; *kind: how. False with the error set.
static bool check_fitted(tn_mjcf *m, const tn_xml *element, int class, const geom_kind **kind, tn_robot_geom *geom)
{
    if ((*kind)->kind == TN_SHAPE_HULL || !tn_mjcf_holder(m, element, class, "mesh")) {
        return true;
    }
    if ((*kind)->n_sizes == 0 || m->rules[element->model].fits_boxes) {
        return tn_mjcf_fail(m, element, "a %s that is fitted to a mesh is not read, nor is 'fitaabb'", (*kind)->name);
    }
    geom->fitted = true;
    geom->fit = (*kind)->kind;
    geom->fit_scale = 1.0;
    for (*kind = kinds; (*kind)->kind != TN_SHAPE_HULL; (*kind)++) {
    }
    return tn_mjcf_number(m, element, class, "fitscale", &geom->fit_scale) &&
           (geom->fit_scale > 0.0 || tn_mjcf_fail(m, element, "'fitscale' is above 0%s", ""));
}

static bool read_asset(tn_mjcf *m, const tn_xml *element, int class, const geom_kind *kind, tn_robot_geom *geom)
{
    if (kind->kind != TN_SHAPE_HULL && kind->kind != TN_SHAPE_HEIGHTS) {
        return true;
    }
    const tn_xml *holder = tn_mjcf_holder(m, element, class, kind->name);
    bool mesh = kind->kind == TN_SHAPE_HULL;
    if (!holder) {
        return tn_mjcf_fail(m, element, "a geom of type %s needs its name", kind->name);
    }
    int id = tn_mjcf_lookup(m, holder, kind->name, mesh ? &m->mesh_names : &m->field_names, kind->name);
    return id >= 0 && (mesh ? tn_mjcf_mesh(m, element, id, geom) : tn_mjcf_field(m, id, geom));
}

static bool read_surface(tn_mjcf *m, const tn_xml *element, int class, tn_robot_geom *geom)
{
    double friction[3] = {1.0, 0.005, 0.0001}, condim = 3.0, priority = 0.0, type = 1.0, affinity = 1.0;
    int n;
    if (!tn_mjcf_numbers(m, element, class, "friction", 1, 3, friction, &n) ||
        !tn_mjcf_number(m, element, class, "condim", &condim) ||
        !tn_mjcf_number(m, element, class, "priority", &priority) ||
        !tn_mjcf_number(m, element, class, "contype", &type) ||
        !tn_mjcf_number(m, element, class, "conaffinity", &affinity)) {
        return false;
    }
    if (condim != 1.0 && condim != 3.0 && condim != 4.0 && condim != 6.0) {
        return tn_mjcf_fail(m, element, "'condim' is 1, 3, 4 or 6%s", "");
    }
    if (!(type >= 0.0 && type <= 0x7fffffff) || !(affinity >= 0.0 && affinity <= 0x7fffffff)) {
        return tn_mjcf_fail(m, element, "'contype' and 'conaffinity' are whole numbers from 0 to 2147483647%s", "");
    }
    if (!(fabs(priority) <= 1e9)) {
        return tn_mjcf_fail(m, element, "'priority' is a whole number%s", "");
    }
    geom->surface = (tn_robot_surface){.mu = friction[0],
                                       .torsion = friction[1],
                                       .rolling = friction[2],
                                       .condim = (int)condim,
                                       .priority = (int)priority,
                                       .type = (unsigned)type,
                                       .affinity = (unsigned)affinity};
    geom->collides = !m->untouchable && (type > 0.0 || affinity > 0.0);
    return true;
}

// Groups 0 to 2 are those that MuJoCo shows at first.
static bool read_look(tn_mjcf *m, const tn_xml *element, int class, tn_robot_geom *geom)
{
    double rgba[4] = {NAN, NAN, NAN, 1.0}, group = 0.0;
    const tn_xml *holder = tn_mjcf_holder(m, element, class, "material");
    int n, id = holder ? tn_mjcf_lookup(m, holder, "material", &m->material_names, "material") : -1;
    if ((holder && id < 0) || !tn_mjcf_number(m, element, class, "group", &group)) {
        return false;
    }
    const tn_xml *material = id < 0 ? NULL : m->materials[id];
    int of_material = material ? tn_mjcf_class_of(m, material, NULL) : 0;
    if (of_material < 0 || (material && !tn_mjcf_numbers(m, material, of_material, "rgba", 3, 4, rgba, &n)) ||
        !tn_mjcf_numbers(m, element, class, "rgba", 3, 4, rgba, &n)) {
        return false;
    }
    geom->shown = group <= 2.0 && rgba[3] > 0.0;
    geom->color.said = !isnan(rgba[0]);
    for (int c = 0; c < 3; c++) {
        geom->color.rgb[c] = fmax(0.0, fmin(rgba[c], 1.0));
    }
    return true;
}

static bool read_mass(tn_mjcf *m, const tn_xml *element, int class, tn_robot_geom *geom)
{
    double group = 0.0;
    geom->density = 1000.0;
    if (!tn_mjcf_number(m, element, class, "group", &group) ||
        !tn_mjcf_number(m, element, class, "density", &geom->density) ||
        !tn_mjcf_number(m, element, class, "mass", &geom->mass)) {
        return false;
    }
    if (geom->mass < 0.0 || geom->density < 0.0) {
        return tn_mjcf_fail(m, element, "mass and density are not negative%s", "");
    }
    bool heavy = isnan(geom->mass) ? geom->density > 0.0 : geom->mass > 0.0;
    const double *groups = m->rules[element->model].groups;
    geom->weighs = heavy && group >= groups[0] && group <= groups[1];
    return true;
}

bool tn_mjcf_read_geom(tn_mjcf *m, const tn_xml *element, int link, const tn_pose *frame, const char *childclass)
{
    const char *name = tn_xml_get(element, "name");
    int class = tn_mjcf_class_of(m, element, childclass);
    const geom_kind *kind = class < 0 ? NULL : find_kind(m, element, class);
    tn_robot_geom *geom = &m->robot->geoms[m->robot->n_geoms++];
    *geom = (tn_robot_geom){
        .name = name ? name : "", .place = element->place, .link = link, .scale = {1.0, 1.0, 1.0}, .mass = NAN};
    if (!kind || !tn_mjcf_check(m, element, NULL) || !check_fitted(m, element, class, &kind, geom)) {
        return false;
    }
    geom->shape.kind = kind->kind;
    return read_shape(m, element, class, kind, frame, geom) && read_asset(m, element, class, kind, geom) &&
           read_surface(m, element, class, geom) && read_look(m, element, class, geom) &&
           read_mass(m, element, class, geom);
}
