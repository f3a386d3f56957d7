// Surfaces of geoms to materials, and to pairs what two materials do not tell: who touches whom, and the larger
// friction of two (MuJoCo's rule) where the scene would take the geometric mean.
#include "scene/robot/emit.h"

#include <math.h>
#include <string.h>

typedef struct surfaces {
    int n;
    tn_robot_surface *surface;
    const char **name;
} surfaces;

static bool same(const tn_robot_surface *a, const tn_robot_surface *b)
{
    return a->mu == b->mu && a->torsion == b->torsion && a->rolling == b->rolling && a->type == b->type &&
           a->affinity == b->affinity && a->own_body == b->own_body && a->own_geom == b->own_geom;
}

static bool collect(tn_robot *robot, surfaces *all, int *of_geom)
{
    for (int i = 0; i < robot->n_geoms; i++) {
        const tn_robot_geom *geom = &robot->geoms[i];
        tn_robot_surface surface = geom->surface;
        surface.own_body = robot->links[geom->link].own;
        of_geom[i] = -1;
        int k = 0;
        while (k < all->n && !same(&all->surface[k], &surface)) {
            k++;
        }
        if (!geom->collides) {
            continue;
        }
        if (k == TN_SCENE_MATERIALS_MAX) {
            return tn_read_error(robot->reader, geom->place, "more than %d different surfaces", TN_SCENE_MATERIALS_MAX);
        }
        all->surface[k] = surface;
        all->n += k == all->n;
        of_geom[i] = k;
    }
    return true;
}

// What is said of these two alone; of geoms before that of bodies.
static const tn_robot_meeting *meeting_of(const tn_robot *robot, const tn_robot_surface *a, const tn_robot_surface *b)
{
    const tn_robot_meeting *found = NULL;
    for (int i = 0; i < robot->n_meetings; i++) {
        const tn_robot_meeting *m = &robot->meetings[i];
        int own_a = m->of_geoms ? a->own_geom : a->own_body, own_b = m->of_geoms ? b->own_geom : b->own_body;
        bool meet = (own_a == m->own[0] && own_b == m->own[1]) || (own_a == m->own[1] && own_b == m->own[0]);
        found = meet && (!found || m->of_geoms) ? m : found;
    }
    return found;
}

static void put_lengths(tn_robot_emitter *emit, tn_node *map, double torsion, double rolling)
{
    if (torsion > 0.0) {
        tn_emit_number(emit, map, "torsion", torsion);
    }
    if (rolling > 0.0) {
        tn_emit_number(emit, map, "rolling", rolling);
    }
}

// NULL: what the materials say will do.
static tn_node *pair(tn_robot_emitter *emit, const surfaces *all, int i, int j)
{
    const tn_robot_surface *a = &all->surface[i], *b = &all->surface[j];
    const tn_robot_meeting *said = meeting_of(emit->robot, a, b);
    bool touch = said ? said->collide : (a->type & b->affinity) || (b->type & a->affinity);
    double mu = said && said->collide ? said->mu : fmax(a->mu, b->mu);
    bool plain = touch && a->mu == b->mu && !said;
    if (plain) {
        return NULL;
    }
    tn_node *map = tn_emit_map(emit, 5);
    tn_emit_names(emit, map, "materials", all->name[i], all->name[j]);
    if (!touch) {
        tn_emit_word(emit, map, "collide", "false");
        return map;
    }
    tn_emit_number(emit, map, "friction", mu);
    if (said) {
        put_lengths(emit, map, said->torsion, said->rolling);
    }
    return map;
}

// Materials bear the file's name, without folder and ending: those of two robots are apart.
static const char *stem_of(const tn_robot *robot)
{
    const char *slash = strrchr(robot->file, '/'), *stem = slash ? slash + 1 : robot->file, *dot = strrchr(stem, '.');
    return tn_robot_text(robot->reader, "%.*s", dot ? (int)(dot - stem) : 60, stem);
}

static void put_materials(tn_robot_emitter *emit, tn_node *root, surfaces *all)
{
    const char *stem = stem_of(emit->robot);
    tn_node *materials = tn_emit_map(emit, all->n);
    for (int k = 0; k < all->n; k++) {
        tn_node *map = tn_emit_map(emit, 3);
        tn_emit_number(emit, map, "friction", all->surface[k].mu);
        put_lengths(emit, map, all->surface[k].torsion, all->surface[k].rolling);
        all->name[k] = tn_emit_name(emit, stem ? stem : "", "-surface", k + 1);
        tn_emit_put(emit, materials, all->name[k], map);
    }
    tn_emit_put(emit, root, "materials", materials);
}

static bool put_pairs(tn_robot_emitter *emit, tn_node *root, const surfaces *all)
{
    tn_node *pairs = tn_emit_list(emit, TN_SCENE_PAIRS_MAX);
    for (int i = 0; i < all->n; i++) {
        for (int j = i; j < all->n; j++) {
            tn_node *map = pair(emit, all, i, j);
            if (map && pairs && pairs->n == TN_SCENE_PAIRS_MAX) {
                return tn_read_error(emit->robot->reader, emit->place, "more than %d pairs of surfaces", pairs->n);
            }
            tn_emit_add(emit, pairs, map);
        }
    }
    if (pairs && pairs->n) {
        tn_emit_put(emit, root, "pairs", pairs);
    }
    return true;
}

bool tn_emit_surfaces(tn_robot_emitter *emit, tn_node *root, const char **material)
{
    tn_robot *robot = emit->robot;
    tn_arena *arena = robot->reader->scratch;
    surfaces all = {.surface = TN_PUSH(arena, tn_robot_surface, robot->n_geoms),
                    .name = TN_PUSH(arena, const char *, robot->n_geoms)};
    int *of_geom = TN_PUSH(arena, int, robot->n_geoms);
    if (!all.surface || !all.name || !of_geom) {
        return tn_read_no_memory(robot->reader);
    }
    if (!collect(robot, &all, of_geom)) {
        return false;
    }
    if (all.n) {
        put_materials(emit, root, &all);
    }
    for (int i = 0; i < robot->n_geoms; i++) {
        material[i] = of_geom[i] < 0 ? NULL : all.name[of_geom[i]];
    }
    return put_pairs(emit, root, &all);
}
