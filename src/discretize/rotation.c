// Gyroscopic term under contact and spring torques (balance.h).
#include "base/team.h"
#include "body/gyro.h"
#include "discretize/balance.h"
#include "math/quat.h"
#include "math/vec3.h"

// The same change if joints hold v^ as it is. Usually a change is the torque times the angle of the step; thin bodies
// answer to a small torque by a large turn, which their joints may not let them make. From
// I w_{k+1} = exp(-h w^) (I w_k + h tau) at v^.
static void take_held(const tn_model_body *body, const double omega[3], const double hat[3], const double impulse[3],
                      const tn_balance *balance, double change[3])
{
    double vector[3], turn[4], held[3];
    tn_vec3_scale(vector, balance->h, hat);
    tn_quat_exp(turn, vector);
    for (int i = 0; i < 3; i++) {
        held[i] = body->inertia[i] * (omega[i] + (hat[i] - omega[i]) / balance->theta);
    }
    tn_quat_rotate(held, turn, held);
    for (int i = 0; i < 3; i++) {
        // Torque that v^ has, less that which it takes.
        held[i] = (impulse[i] - (held[i] - body->inertia[i] * omega[i])) / balance->h;
    }
    double usual = 2.0 * tn_vec3_norm(vector) * tn_vec3_norm(impulse) / balance->h;
    if (tn_vec3_norm(change) > usual) {
        tn_vec3_copy(change, held);
    }
}

// change = gyroscopic part that belongs to v^, less the present one; torque = what contacts and springs exert.
static void body_change(const tn_model_body *body, const tn_state *state, const double *v_hat,
                        const tn_balance *balance, double change[3], double torque[3])
{
    int at = 3 * body->block + 3;
    double scale = 1.0 / (balance->theta * balance->h), impulse[3], hat[3];
    const double *omega = state->v + at;
    for (int i = 0; i < 3; i++) {
        double whole = scale * body->inertia[i] * (v_hat[at + i] - omega[i]) - balance->gyro[at + i];
        torque[i] = whole - (balance->applied ? balance->applied[at + i] : 0.0);
        impulse[i] = balance->h * whole;
    }
    tn_gyro_solve(body->inertia, omega, impulse, balance->h, balance->theta, hat);
    for (int i = 0; i < 3; i++) {
        change[i] = scale * body->inertia[i] * (hat[i] - v_hat[at + i]);
    }
    if (body->jointed && balance->held_turns) {
        take_held(body, omega, v_hat + at, impulse, balance, change);
    }
}

// What is left alone: changes below this part of the torque. euler is of first order anyway.
static double tolerated(const tn_balance *balance)
{
    return balance->theta == 1.0 ? 1e-2 : 1e-4;
}

// Bodies that need no look: a sphere or cube that turns by its velocity of the step's end turns about its angular
// momentum, and the change is below twice the turn of the step (an angle) times the torque.
static bool keeps_term(const tn_model_body *body, const double *v_hat, const tn_balance *balance)
{
    const double *inertia = body->inertia;
    if (body->n_blocks != 2) {
        return true;
    }
    bool round = inertia[0] == inertia[1] && inertia[1] == inertia[2];
    return (round && balance->theta == 1.0 && !(body->jointed && balance->held_turns)) ||
           balance->h * tn_vec3_norm(v_hat + 3 * body->block + 3) < 0.5 * tolerated(balance);
}

// The change relative to the torque; 0 where it is tolerated or the torque is rounding of the body's own momentum.
static double relative_change(const tn_model_body *body, const double *v_hat, const tn_balance *balance,
                              const double change[3], const double torque[3])
{
    const double *omega = v_hat + 3 * body->block + 3;
    double momentum[3] = {body->inertia[0] * omega[0], body->inertia[1] * omega[1], body->inertia[2] * omega[2]};
    double size = tn_vec3_norm(torque);
    if (balance->h * size <= 1e-9 * tn_vec3_norm(momentum)) {
        return 0.0;
    }
    double ratio = tn_vec3_norm(change) / size;
    return ratio > tolerated(balance) ? ratio : 0.0;
}

enum { PARTS = 64, WORTH_A_TEAM = 1024 }; // parts of the bodies; bodies

// The largest relative change among one part of the bodies.
static double worst_of_part(const tn_model *model, const tn_state *state, const double *v_hat,
                            const tn_balance *balance, int part, int n_parts)
{
    double worst = 0.0, change[3], torque[3];
    long long n = model->n_bodies;
    for (long long b = n * part / n_parts; b < n * (part + 1) / n_parts; b++) {
        const tn_model_body *body = &model->bodies[b];
        if (!keeps_term(body, v_hat, balance)) {
            body_change(body, state, v_hat, balance, change, torque);
            worst = fmax(worst, relative_change(body, v_hat, balance, change, torque));
        }
    }
    return worst;
}

double tn_balance_correct_rotation(const tn_model *model, const tn_state *state, const double *v_hat, double limit,
                                   tn_balance *balance)
{
    double worst = 0.0, change[3], torque[3], part[PARTS];
    int n_parts = model->n_bodies < WORTH_A_TEAM ? 1 : PARTS;
    TN_TEAM_FOR((static), n_parts > 1 ? model->settings.solve.n_threads : 1, k, n_parts,
                { part[k] = worst_of_part(model, state, v_hat, balance, k, n_parts); });
    for (int k = 0; k < n_parts; k++) {
        worst = fmax(worst, part[k]);
    }
    if (worst == 0.0 || !(worst < limit)) {
        return worst;
    }
    for (int b = 0; b < model->n_bodies; b++) {
        const tn_model_body *body = &model->bodies[b];
        if (keeps_term(body, v_hat, balance)) {
            continue;
        }
        body_change(body, state, v_hat, balance, change, torque);
        if (relative_change(body, v_hat, balance, change, torque) > 0.0) {
            int at = 3 * body->block + 3;
            tn_vec3_add(balance->gyro + at, balance->gyro + at, change);
            tn_vec3_add(balance->b + at, balance->b + at, change);
        }
    }
    return worst;
}
