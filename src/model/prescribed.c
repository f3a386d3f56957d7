#include "model/prescribed.h"

#include "base/most.h"
#include "model/jump.h"
#include "scene/expression.h"

#include <math.h>
#include <stdio.h>

// The list while it is counted (out NULL) and then written.
typedef struct list {
    int n;
    tn_prescribed *out;
} list;

static void add(list *all, const tn_value *value, const tn_prescribed *as)
{
    if (value->program) {
        if (all->out) {
            all->out[all->n] = *as;
            all->out[all->n].value = value;
        }
        all->n++;
    }
}

static void add_three(list *all, const tn_value value[3], const char *const keys[3], const tn_prescribed *as)
{
    for (int i = 0; i < 3; i++) {
        tn_prescribed one = *as;
        one.key = keys[i];
        add(all, &value[i], &one);
    }
}

static void add_body(list *all, const tn_scene_body *body)
{
    static const char *const position[] = {"motion.position[0]", "motion.position[1]", "motion.position[2]"};
    static const char *const force[] = {"force[0]", "force[1]", "force[2]"};
    static const char *const force_body[] = {"force_body[0]", "force_body[1]", "force_body[2]"};
    static const char *const torque[] = {"torque[0]", "torque[1]", "torque[2]"};
    tn_prescribed as = {.owner = "body", .name = body->name, .key = "motion.angle", .place = &body->place};
    if (body->push) {
        add_three(all, body->push->force, force, &as);
        add_three(all, body->push->force_body, force_body, &as);
        add_three(all, body->push->torque, torque, &as);
    }
    as.moves = true;
    if (body->motion) {
        as.sweeps = !body->motion->teleport;
        add_three(all, body->motion->position, position, &as);
        as.turns = true;
        add(all, &body->motion->angle, &as);
    }
}

static void add_soft(list *all, const tn_scene_soft *soft)
{
    static const char *const force[] = {"pull.force[0]", "pull.force[1]", "pull.force[2]"};
    for (int i = 0; i < soft->n_pulls; i++) {
        tn_prescribed as = {.owner = "soft body", .name = soft->name, .place = &soft->place};
        add_three(all, soft->pulls[i].force, force, &as);
    }
}

// A motor with all the strength that it takes moves its coordinate as a motion moves a body.
static void add_joint(list *all, const tn_model *model, const tn_scene_joint *joint)
{
    static const char *const position[TN_AXIS_COUNT] = {"slide.motor.position", "slide2.motor.position",
                                                        "turn.motor.position", "turn2.motor.position"};
    static const char *const velocity[TN_AXIS_COUNT] = {"slide.motor.velocity", "slide2.motor.velocity",
                                                        "turn.motor.velocity", "turn2.motor.velocity"};
    for (int axis = 0; axis < TN_AXIS_COUNT; axis++) {
        const tn_scene_drive *drive = &joint->drive[axis];
        bool place = drive->motor == TN_MOTOR_POSITION;
        tn_prescribed as = {.owner = "joint", .name = joint->name, .place = &joint->place};
        as.key = place ? position[axis] : velocity[axis];
        as.moves = place && (tn_drive_prescribes(drive) || model->settings.scheme == TN_SCHEME_MIDPOINT);
        as.sweeps = place && tn_drive_prescribes(drive);
        as.turns = axis == TN_AXIS_TURN || axis == TN_AXIS_TURN2;
        if (drive->motor != TN_MOTOR_NONE) {
            add(all, &drive->target, &as);
        }
    }
}

static void list_all(const tn_model *model, list *all)
{
    const tn_scene *scene = model->scene;
    all->n = 0;
    for (int b = 0; b < scene->n_bodies; b++) {
        add_body(all, &scene->bodies[b]);
    }
    for (int s = 0; s < scene->n_softs; s++) {
        add_soft(all, &scene->softs[s]);
    }
    for (int j = 0; j < scene->n_joints; j++) {
        add_joint(all, model, &scene->joints[j]);
    }
}

tn_status tn_model_compile_prescribed(tn_model *model, tn_arena *arena, tn_error *error)
{
    list all = {.n = 0};
    list_all(model, &all);
    if (all.n == 0) {
        return TN_OK;
    }
    all.out = TN_PUSH(arena, tn_prescribed, all.n);
    if (!all.out) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory for %d expressions of time", all.n);
    }
    list_all(model, &all);
    model->n_prescribed = all.n;
    model->prescribed = all.out;
    return TN_OK;
}

// The value itself, then its rate where that counts.
static bool is_fine(const tn_prescribed *p, double t, bool with_rate, bool *rate_is_wrong, double *wrong)
{
    double rate = 0.0, value = tn_expression_eval(p->value->program, t, &rate);
    *rate_is_wrong = fabs(value) <= TN_MOST;
    *wrong = *rate_is_wrong ? rate : value;
    return *rate_is_wrong && (!with_rate || !p->moves || fabs(rate) <= TN_MOST);
}

static void describe(const tn_prescribed *p, bool rate, double wrong, double t, char *text, size_t size)
{
    char what[40];
    snprintf(what, sizeof what,
             isnan(wrong)   ? "no real number"
             : isinf(wrong) ? "infinite"
                            : "%.3g, beyond %.0e",
             wrong, TN_MOST);
    snprintf(text, size, "%s '%s': %s%s is %s at t = %.9g s: %.160s", p->owner, p->name, rate ? "the rate of " : "",
             p->key, what, t, tn_expression_text(p->value->program));
}

tn_status tn_model_check_start(const tn_model *model, tn_error *error)
{
    for (int i = 0; i < model->n_prescribed; i++) {
        const tn_prescribed *p = &model->prescribed[i];
        bool rate = false;
        double wrong = 0.0;
        if (!is_fine(p, 0.0, true, &rate, &wrong)) {
            char text[512];
            describe(p, rate, wrong, 0.0, text, sizeof text);
            return tn_error_at(error, p->place->file ? p->place->file : "", p->place->line, p->place->column, "%s",
                               text);
        }
    }
    return TN_OK;
}

tn_status tn_model_check_prescribed(const tn_model *model, double t, double end, tn_error *error)
{
    // Forces and velocities count in the middle; a position is asked for at t + h, too, which may be off by a bit.
    double h = model->settings.step;
    const double times[3] = {t + 0.5 * h, t + h, end};
    for (int i = 0; i < model->n_prescribed; i++) {
        const tn_prescribed *p = &model->prescribed[i];
        bool rate = false;
        double wrong = 0.0;
        for (int k = 0; k < (times[1] == times[2] ? 2 : 3); k++) {
            if (!is_fine(p, times[k], k > 0, &rate, &wrong)) {
                char text[512];
                describe(p, rate, wrong, times[k], text, sizeof text);
                return tn_error_set(error, TN_NUMERICS, "%s", text);
            }
        }
    }
    return TN_OK;
}

void tn_model_find_jumps(const tn_model *model, double t, double end, tn_step_jump *out)
{
    const tn_prescribed *last = NULL; // that jumps
    double square = 0.0;              // of the way of its owner
    *out = (tn_step_jump){.n = 0};
    for (int i = 0; i < model->n_prescribed; i++) {
        const tn_prescribed *p = &model->prescribed[i];
        double size, time;
        if (!p->sweeps || !tn_value_jump(p->value, t, end, &size, &time)) {
            continue;
        }
        bool same = last && last->name == p->name && last->owner == p->owner && !last->turns && !p->turns;
        square = same ? square + size * size : size * size;
        out->n += !same;
        last = p;
        if (sqrt(square) > out->distance) {
            out->owner = p->owner;
            out->name = p->name;
            out->distance = sqrt(square);
            out->turns = p->turns;
            out->time = time;
        }
    }
}
