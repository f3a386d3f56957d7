// URDF: what stands in a link, its inertia and its shapes; and the little that joints share with it.
#include "math/quat.h"
#include "math/vec3.h"
#include "scene/robot/urdf.h"

#include <math.h>
#include <string.h>

static bool fail(tn_reader *reader, const tn_xml *element, const char *format, const char *name)
{
    return tn_read_error(reader, element->place, format, name);
}

// Roll, pitch, yaw: turns about the fixed x, then y, then z axis.
bool tn_urdf_origin(tn_reader *reader, const tn_xml *element, tn_pose *pose)
{
    static const double axes[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    const tn_xml *origin = tn_xml_child(element, "origin");
    double rpy[3] = {0.0, 0.0, 0.0};
    int n;
    *pose = (tn_pose){.quaternion = {1.0, 0.0, 0.0, 0.0}};
    if (!origin) {
        return true;
    }
    if (!tn_xml_numbers(reader, origin, "xyz", 3, 3, pose->position, &n) ||
        !tn_xml_numbers(reader, origin, "rpy", 3, 3, rpy, &n)) {
        return false;
    }
    for (int i = 0; i < 3; i++) {
        double turn[4];
        tn_quat_from_axis_angle(turn, axes[i], rpy[i]);
        tn_quat_mul(pose->quaternion, turn, pose->quaternion);
    }
    return true;
}

// One number of a child element's attribute; absent: untouched, or an error where it is needed.
bool tn_urdf_number(tn_reader *reader, const tn_xml *element, const char *attribute, bool needed, double *value)
{
    int n;
    return !element || ((!needed || tn_xml_need(reader, element, attribute)) &&
                        tn_xml_numbers(reader, element, attribute, 1, 1, value, &n));
}

bool tn_urdf_inertial(tn_robot *robot, const tn_xml *element, tn_robot_link *link)
{
    tn_reader *reader = robot->reader;
    const tn_xml *inertial = tn_xml_child(element, "inertial"), *mass, *inertia;
    link->inertia_place = inertial ? inertial->place : element->place;
    if (!inertial) {
        return true;
    }
    double xx = 0, yy = 0, zz = 0, xy = 0, xz = 0, yz = 0;
    tn_robot_inertia own = {0};
    tn_pose origin;
    if (!(mass = tn_xml_child(inertial, "mass")) || !(inertia = tn_xml_child(inertial, "inertia"))) {
        return fail(robot->reader, inertial, "<inertial> of link '%.100s' needs <mass> and <inertia>", link->name);
    }
    if (!tn_urdf_origin(reader, inertial, &origin) || !tn_urdf_number(reader, mass, "value", true, &own.mass) ||
        !tn_urdf_number(reader, inertia, "ixx", true, &xx) || !tn_urdf_number(reader, inertia, "iyy", true, &yy) ||
        !tn_urdf_number(reader, inertia, "izz", true, &zz) || !tn_urdf_number(reader, inertia, "ixy", false, &xy) ||
        !tn_urdf_number(reader, inertia, "ixz", false, &xz) || !tn_urdf_number(reader, inertia, "iyz", false, &yz)) {
        return false;
    }
    if (own.mass < 0.0) {
        return fail(robot->reader, mass, "the mass of link '%.100s' is negative", link->name);
    }
    memcpy(own.tensor, (double[9]){xx, xy, xz, xy, yy, yz, xz, yz, zz}, sizeof own.tensor);
    tn_robot_add_inertia(&link->inertia, &own, &origin);
    return true;
}

static bool read_sizes(tn_robot *robot, const tn_xml *shape, tn_robot_geom *geom)
{
    tn_reader *reader = robot->reader;
    double *size = geom->shape.size;
    int n;
    if (tn_xml_is(shape, "box")) {
        geom->shape.kind = TN_SHAPE_BOX;
        if (!tn_xml_need(reader, shape, "size") || !tn_xml_numbers(reader, shape, "size", 3, 3, size, &n)) {
            return false;
        }
        tn_vec3_scale(size, 0.5, size);
        return true;
    }
    bool sphere = tn_xml_is(shape, "sphere");
    geom->shape.kind = sphere ? TN_SHAPE_SPHERE : tn_xml_is(shape, "capsule") ? TN_SHAPE_CAPSULE : TN_SHAPE_CYLINDER;
    if (!tn_urdf_number(reader, shape, "radius", true, &size[0]) ||
        (!sphere && !tn_urdf_number(reader, shape, "length", true, &size[1]))) {
        return false;
    }
    size[1] *= 0.5;
    return true;
}

static bool read_mesh(tn_robot *robot, const tn_xml *shape, tn_robot_geom *geom)
{
    tn_reader *reader = robot->reader;
    const char *name = tn_xml_need(reader, shape, "filename");
    int n;
    geom->shape.kind = TN_SHAPE_HULL;
    geom->by_object = true;
    if (!name || !tn_xml_numbers(reader, shape, "scale", 3, 3, geom->scale, &n)) {
        return false;
    }
    geom->file = tn_urdf_path(robot, shape->place, name);
    if (!geom->file && geom->shown && reader->error->status == TN_BAD_INPUT) { // a picture never stops a run
        tn_read_remark(reader, shape->place, "the mesh '%.100s' is not shown: it is not found", name);
        *reader->error = (tn_error){0};
        robot->n_geoms--;
        return true;
    }
    return geom->file != NULL;
}

// The colour of a <visual>: its material's, or that of the file's material of the same name.
static bool read_color(tn_robot *robot, const tn_xml *root, const tn_xml *element, tn_color *out)
{
    const tn_xml *material = tn_xml_child(element, "material");
    const tn_xml *color = material ? tn_xml_child(material, "color") : NULL;
    const char *name = material ? tn_xml_get(material, "name") : NULL;
    for (int i = 0; name && !color && i < root->n; i++) {
        const char *other = tn_xml_is(root->child[i], "material") ? tn_xml_get(root->child[i], "name") : NULL;
        color = other && strcmp(other, name) == 0 ? tn_xml_child(root->child[i], "color") : NULL;
    }
    double rgba[4];
    int n = 0;
    if (color && !tn_xml_numbers(robot->reader, color, "rgba", 3, 4, rgba, &n)) {
        return false;
    }
    out->said = n >= 3;
    for (int c = 0; c < 3 && out->said; c++) {
        out->rgb[c] = fmax(0.0, fmin(rgba[c], 1.0));
    }
    return true;
}

// <collision> or <visual>.
static bool read_geom(tn_robot *robot, const tn_xml *root, const tn_xml *element, int link, bool collides)
{
    static const char *const kinds[] = {"box", "sphere", "cylinder", "capsule", "mesh"};
    const tn_xml *geometry = tn_xml_child(element, "geometry"), *shape = NULL;
    for (size_t k = 0; geometry && !shape && k < sizeof kinds / sizeof *kinds; k++) {
        shape = tn_xml_child(geometry, kinds[k]);
    }
    if (!collides && !shape) {
        return true;
    }
    if (!shape) {
        return fail(robot->reader, geometry ? geometry : element,
                    "<%.60s> needs a <geometry> that is a box, sphere, cylinder, capsule or mesh", element->name);
    }
    tn_robot_geom *geom = &robot->geoms[robot->n_geoms++];
    *geom = (tn_robot_geom){.name = "",
                            .place = shape->place,
                            .link = link,
                            .scale = {1.0, 1.0, 1.0},
                            .mass = NAN,
                            .density = NAN,
                            .surface = {.mu = 0.5, .condim = 3, .type = 1, .affinity = 1},
                            .collides = collides,
                            .shown = !collides};
    return read_color(robot, root, element, &geom->color) && tn_urdf_origin(robot->reader, element, &geom->pose) &&
           (tn_xml_is(shape, "mesh") ? read_mesh(robot, shape, geom) : read_sizes(robot, shape, geom));
}

bool tn_urdf_geoms(tn_robot *robot, const tn_xml *root, const tn_xml *element, int link)
{
    double mu = 0.5;
    int first = robot->n_geoms;
    const tn_xml *contact = tn_xml_child(element, "contact");
    if (!tn_urdf_number(robot->reader, tn_xml_child(contact, "lateral_friction"), "value", true, &mu)) {
        return false;
    }
    for (int i = 0; i < element->n; i++) {
        bool collides = tn_xml_is(element->child[i], "collision");
        if ((collides || tn_xml_is(element->child[i], "visual")) &&
            !read_geom(robot, root, element->child[i], link, collides)) {
            return false;
        }
    }
    for (int i = first; i < robot->n_geoms; i++) {
        robot->geoms[i].surface.mu = mu;
    }
    return true;
}
