// What scheme pbd takes: free, fixed and kinematic rigid bodies, rods, springs, joints without drives, contacts that do
// not give way.
#include "model/compile.h"

static tn_status refuse_at(const tn_place *place, tn_error *error, const char *kind, const char *name, const char *what)
{
    return tn_error_at(error, place->file ? place->file : "", place->line, place->column,
                       "%s '%s' %s, which 'scheme: pbd' does not take", kind, name, what);
}

static tn_status check_bodies(const tn_model *model, tn_error *error)
{
    if (model->n_softs > 0) {
        const tn_scene_soft *soft = model->softs[0].description;
        return refuse_at(&soft->place, error, "body", soft->name, "is soft");
    }
    for (int b = 1; b < model->n_bodies; b++) {
        const tn_model_body *body = &model->bodies[b];
        if (body->planar && body->n_blocks > 0) {
            return refuse_at(&body->description->place, error, "body", body->description->name, "is planar");
        }
    }
    return TN_OK;
}

// What of a joint is no plain row; NULL: nothing.
static const char *wrong_with(const tn_model *model, const tn_model_joint *joint)
{
    if (joint->kind == TN_JOINT_GEAR) {
        return "is a gear";
    }
    if (joint->bushing && !joint->elastic) {
        return "is a bushing";
    }
    if (joint->ball >= 0) {
        return "has friction";
    }
    for (int r = joint->first_row; r < joint->first_row + joint->n_rows; r++) {
        switch (model->joint_rows[r].role) {
        case TN_ROLE_ARMATURE:
            return "has armature";
        case TN_ROLE_MOTOR:
            return "has a motor";
        case TN_ROLE_FRICTION:
            return "has friction";
        default:
            break;
        }
    }
    return NULL;
}

static tn_status check_joints(const tn_model *model, tn_error *error)
{
    for (int j = 0; j < model->n_joints; j++) {
        const tn_model_joint *joint = &model->joints[j];
        const char *what = wrong_with(model, joint);
        if (what) {
            return refuse_at(&joint->description->place, error, "joint", joint->name, what);
        }
    }
    return TN_OK;
}

static const char *wrong_between(const tn_surface *surface)
{
    return !surface->collide                           ? NULL
           : surface->contact != TN_CONTACT_RIGID      ? "has contacts that give way"
           : surface->adhesion > 0.0                   ? "has adhesion"
           : surface->rolling + surface->torsion > 0.0 ? "has rolling or torsional friction"
                                                       : NULL;
}

static tn_status check_contacts(const tn_model *model, tn_error *error)
{
    for (int i = 0; i < model->n_materials * model->n_materials; i++) {
        const char *what = wrong_between(&model->surfaces[i]);
        const tn_material *material = &model->scene->materials[i / model->n_materials];
        if (what) {
            return refuse_at(&material->place, error, "material", material->name, what);
        }
    }
    for (int s = 0; s < model->n_shapes; s++) {
        const tn_scene_body *body = model->bodies[model->shapes[s].body].description;
        if (model->shapes[s].belt) {
            return refuse_at(&body->place, error, "body", body->name, "has a belt");
        }
    }
    return TN_OK;
}

tn_status tn_model_check_pbd(const tn_model *model, tn_error *error)
{
    if (model->settings.scheme != TN_SCHEME_PBD) {
        return TN_OK;
    }
    tn_status status = check_bodies(model, error);
    status = status == TN_OK ? check_joints(model, error) : status;
    return status == TN_OK ? check_contacts(model, error) : status;
}
