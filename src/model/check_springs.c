// Springs of contacts: which pairs of shapes can have them, and with what they do not go together.
#include "model/compile.h"
#include "shape/convex.h"
#include "tenon/sim.h"

#include <string.h>

// Of each material and kind of shape two that stand for all: on different bodies, the first of them free if any is.
// The last kind are surfaces of soft bodies, as shape n_shapes + s.
enum { KINDS = TN_SHAPE_COUNT + 1, FEW = 2 };
typedef struct stand_ins {
    int shape[KINDS][FEW]; // -1: none
} stand_ins;

static int body_of(const tn_model *model, int shape)
{
    return shape < model->n_shapes ? model->shapes[shape].body : model->n_bodies + shape - model->n_shapes;
}

static bool moves(const tn_model *model, int shape)
{
    return shape >= model->n_shapes || model->bodies[model->shapes[shape].body].n_blocks > 0;
}

static void enter(const tn_model *model, int shape, int kind, stand_ins *in)
{
    int *few = in->shape[kind];
    if (few[0] < 0 || (moves(model, shape) && !moves(model, few[0]))) {
        few[1] = few[0] >= 0 && body_of(model, few[0]) != body_of(model, shape) ? few[0] : few[1];
        few[0] = shape;
    } else if (body_of(model, few[0]) != body_of(model, shape) &&
               (few[1] < 0 || (moves(model, shape) && !moves(model, few[1])))) {
        few[1] = shape;
    }
}

static stand_ins *find_stand_ins(const tn_model *model, tn_arena *arena)
{
    stand_ins *out = TN_PUSH_RAW(arena, stand_ins, model->n_materials);
    if (!out) {
        return NULL;
    }
    memset(out, -1, (size_t)model->n_materials * sizeof *out);
    for (int s = 0; s < model->n_shapes; s++) {
        enter(model, s, model->shapes[s].shape.kind, &out[model->shapes[s].material]);
    }
    for (int s = 0; s < model->n_softs; s++) {
        if (model->softs[s].collides) {
            enter(model, model->n_shapes + s, TN_SHAPE_COUNT, &out[model->softs[s].material]);
        }
    }
    return out;
}

static bool is_round(const tn_model *model, int shape)
{
    const tn_shape *s = shape < model->n_shapes ? &model->shapes[shape].shape : NULL;
    return s && tn_shape_is(s, TN_FORM_BALLS) && s->size[0] > 0.0;
}

static bool is_flat(const tn_model *model, int shape)
{
    const tn_shape *s = shape < model->n_shapes ? &model->shapes[shape].shape : NULL;
    return s && (tn_shape_is(s, TN_FORM_HALF_SPACE) || tn_shape_is(s, TN_FORM_SURFACE) || tn_shape_is_polyhedron(s));
}

static bool has_kind(const tn_model *model, int shape, tn_shape_kind kind)
{
    return shape < model->n_shapes && model->shapes[shape].shape.kind == kind;
}

// What is wrong with the spring between two shapes that may touch; NULL: nothing.
static const char *wrong(const tn_model *model, const tn_surface *surface, int a, int b)
{
    const tn_settings *settings = &model->settings;
    bool rigid_sides = a < model->n_shapes && b < model->n_shapes;
    if (surface->contact == TN_CONTACT_MIXED) {
        return "have springs of different kinds where they touch ('stiffness', 'young', 'foundation'): a pair of these "
               "materials says which";
    }
    if (surface->restitution > 0.0) {
        return "have restitution where they touch and a spring too: the spring and its damper make the bounce";
    }
    if (surface->adhesion > 0.0) {
        return "have adhesion where they touch and a spring too: springs here only press";
    }
    if (settings->scheme == TN_SCHEME_MIDPOINT || settings->restitution_law == TN_RESTITUTION_POISSON) {
        return "touch by a spring, which needs 'scheme: euler' or 'scheme: implicit', and 'restitution_law: newton'";
    }
    if (strcmp(settings->solver, "penalty") == 0) {
        return "touch by a spring, which solver penalty replaces by its own: take another solver";
    }
    if (surface->contact == TN_CONTACT_HERTZ && !rigid_sides) {
        return "touch by Hertz's law, which is for rigid bodies: give soft bodies' contact a 'stiffness' in a pair";
    }
    bool round =
        (is_round(model, a) && (is_round(model, b) || is_flat(model, b))) || (is_flat(model, a) && is_round(model, b));
    if (surface->contact == TN_CONTACT_HERTZ && surface->spring.radius <= 0.0 && !round) {
        return "touch by Hertz's law, which takes spheres and contact points with a radius among themselves and on "
               "flat faces: for other shapes a pair of these materials gives the 'radius'";
    }
    bool layer = (has_kind(model, a, TN_SHAPE_PLANE) && has_kind(model, b, TN_SHAPE_BOX)) ||
                 (has_kind(model, b, TN_SHAPE_PLANE) && has_kind(model, a, TN_SHAPE_BOX));
    if (surface->contact == TN_CONTACT_FOUNDATION && !layer) {
        return "touch by a foundation, which is for a box on a plane";
    }
    return NULL;
}

// Where the scene says it: the pair, or the material that gives way.
static const tn_place *place_of(const tn_model *model, int a, int b)
{
    const tn_scene *scene = model->scene;
    for (int p = 0; p < scene->n_pairs; p++) {
        const tn_pair *pair = &scene->pairs[p];
        if ((pair->material_a == a && pair->material_b == b) || (pair->material_a == b && pair->material_b == a)) {
            return &pair->place;
        }
    }
    bool rigid = tn_contact_spring_model(&scene->materials[a].spring) == TN_CONTACT_RIGID;
    return &scene->materials[rigid ? b : a].place;
}

static const char *name_of(const tn_model *model, int shape)
{
    return tn_model_body_name(model, body_of(model, shape));
}

static tn_status check_pair(const tn_model *model, const stand_ins *in, int a, int b, tn_error *error)
{
    const tn_surface *surface = &model->surfaces[a * model->n_materials + b];
    for (int i = 0; i < KINDS * FEW * KINDS * FEW; i++) {
        int s = in[a].shape[i % KINDS][i / KINDS % FEW];
        int t = in[b].shape[i / (KINDS * FEW) % KINDS][i / (KINDS * FEW * KINDS)];
        if (s < 0 || t < 0 || (!moves(model, s) && !moves(model, t)) ||
            (body_of(model, s) == body_of(model, t) && s < model->n_shapes)) {
            continue;
        }
        const char *what = wrong(model, surface, s, t);
        if (what) {
            const tn_place *place = place_of(model, a, b);
            return tn_error_at(error, place->file ? place->file : "", place->line, place->column,
                               "bodies '%s' and '%s' %s", name_of(model, s < t ? s : t), name_of(model, s < t ? t : s),
                               what);
        }
    }
    return TN_OK;
}

tn_status tn_model_check_springs(const tn_model *model, tn_arena *arena, tn_error *error)
{
    int n = model->n_materials;
    stand_ins *in = NULL;
    tn_status status = TN_OK;
    for (int i = 0; i < n * n && status == TN_OK; i++) {
        if (i / n > i % n || model->surfaces[i].contact == TN_CONTACT_RIGID || !model->surfaces[i].collide) {
            continue;
        }
        in = in ? in : find_stand_ins(model, arena);
        status = in ? check_pair(model, in, i / n, i % n, error)
                    : tn_error_set(error, TN_NO_MEMORY, "no memory for %d materials", n);
    }
    return status;
}
