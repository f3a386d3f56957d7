// Contact parameters of two materials: combination rule, or what a pair says.
#include "math/vec3.h"
#include "model/compile.h"

static bool has_direction(const double direction[3])
{
    return tn_vec3_dot(direction, direction) > 0.0;
}

// Geometric mean of friction, larger restitution. An anisotropic material brings its direction; when both have one,
// that of body a counts.
static tn_surface combine(const tn_material *a, const tn_material *b)
{
    tn_surface s = {.mu1 = sqrt(a->mu1 * b->mu1),
                    .mu2 = sqrt(a->mu2 * b->mu2),
                    .restitution = fmax(a->restitution, b->restitution),
                    .rolling = fmax(a->rolling, b->rolling),
                    .torsion = fmax(a->torsion, b->torsion),
                    .collide = true,
                    .spring = tn_contact_spring_combine(&a->spring, &b->spring)};
    s.contact = tn_contact_spring_model(&s.spring);
    if (has_direction(a->direction)) {
        tn_vec3_copy(s.direction, a->direction);
    } else if (has_direction(b->direction)) {
        tn_vec3_copy(s.direction, b->direction);
        s.direction_of_b = true;
    }
    return s;
}

static tn_surface from_pair(const tn_pair *pair, bool swapped)
{
    tn_surface s = {.mu1 = pair->mu1,
                    .mu2 = pair->mu2,
                    .restitution = pair->restitution,
                    .rolling = pair->rolling,
                    .torsion = pair->torsion,
                    .adhesion = pair->adhesion,
                    .collide = pair->collide,
                    .contact = tn_contact_spring_model(&pair->spring),
                    .spring = pair->spring};
    tn_vec3_copy(s.direction, pair->direction);
    s.direction_of_b = has_direction(pair->direction) && pair->direction_of_b != swapped;
    return s;
}

void tn_model_compile_surfaces(const tn_scene *scene, tn_surface *surfaces)
{
    int n = scene->n_materials;
    for (int a = 0; a < n; a++) {
        for (int b = 0; b < n; b++) {
            surfaces[a * n + b] = combine(&scene->materials[a], &scene->materials[b]);
        }
    }
    // Swapped first, so that a pair of one material with itself keeps the direction of body a.
    for (int p = 0; p < scene->n_pairs; p++) {
        const tn_pair *pair = &scene->pairs[p];
        surfaces[pair->material_b * n + pair->material_a] = from_pair(pair, true);
        surfaces[pair->material_a * n + pair->material_b] = from_pair(pair, false);
    }
}
