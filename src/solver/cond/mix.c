#include "solver/cond/mix.h"

#include <math.h>

// What makes the numbers of an iterate weigh alike in the mixer: 1 on velocities of nodes, the square root of gamma
// over stiffness on forces; next to nothing on velocities of bodies, which follow from the forces. Without nodes there
// is no stiffness, and velocities of bodies are those of contacts: gamma's square root takes the place of it.
static double *make_scale(const tn_cond_system *system, int n, tn_arena *arena)
{
    static const double body = 1e-6;
    int n_nodes = system->bodies.n_nodes, n_forces = 3 * system->general.n_triples;
    double *scale = TN_PUSH(arena, double, n), sum = 0.0;
    for (int row = 0; scale && row < system->n_rows; row++) {
        sum += tn_cond_w(system, row);
        for (int i = 0; i < 3; i++) {
            scale[4 * system->lane[row] + i] = system->bodies.is_node[row] ? 1.0 : body;
        }
    }
    for (int i = 0; scale && i < n_forces && n_nodes == 0; i++) {
        sum += system->gamma_body[i / 3] / n_forces;
    }
    double stiffness = n_nodes > 0 ? sum / n_nodes : sum;
    for (int i = 0; scale && i < n_forces; i++) {
        double gamma = system->gamma_body[i / 3] + system->gamma_node[i / 3];
        scale[system->n_packed + i] = sqrt(gamma * stiffness);
    }
    return scale;
}

bool tn_cond_mix_create(tn_cond_mix *mix, const tn_cond_system *system, int depth, tn_arena *arena)
{
    int n = tn_cond_size(system);
    tn_mixer_options options = {
        .n = tn_mixer_room(n), .depth = depth, .n_threads = system->n_threads, .doubles = system->bodies.n_nodes == 0};
    *mix = (tn_cond_mix){.system = system, .scale = make_scale(system, n, arena)};
    return mix->scale && tn_mixer_create(&mix->mixer, &options, arena);
}

void tn_cond_mix_restart(tn_cond_mix *mix)
{
    tn_mixer_clear(&mix->mixer);
}

// Velocities of bodies and forces to the mixer's scale, or back.
static void rescale(const tn_cond_mix *mix, bool back, double *x)
{
    const tn_cond_system *s = mix->system;
    for (int k = 0; k < s->n_held; k++) {
        for (int i = 4 * s->lane[s->held[k]]; i < 4 * s->lane[s->held[k]] + 3; i++) {
            x[i] = back ? x[i] / mix->scale[i] : x[i] * mix->scale[i];
        }
    }
    for (int i = s->n_packed; i < tn_cond_size(s); i++) {
        // A contact that moves nothing has no gamma and keeps its force.
        double scale = mix->scale[i] > 0.0 ? mix->scale[i] : 1.0;
        x[i] = back ? x[i] / scale : x[i] * scale;
    }
}

void tn_cond_mix_advance(tn_cond_mix *mix, double *x, double *out)
{
    rescale(mix, false, x);
    rescale(mix, false, out);
    tn_mixer_advance(&mix->mixer, x, out);
    rescale(mix, true, x);
}
