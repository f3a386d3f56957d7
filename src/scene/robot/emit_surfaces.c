// Surfaces of geoms to materials, and to pairs what two materials do not tell: who touches whom, and MuJoCo's friction
// of two (the larger numbers, or those of the higher priority) where the scene would have another one.
#include "scene/robot/emit.h"

#include <math.h>
#include <string.h>

typedef struct surfaces {
    int n, condim; // the largest of all
    tn_robot_surface *surface;
    const char **name;
} surfaces;

static bool same(const tn_robot_surface *a, const tn_robot_surface *b)
{
    return a->mu == b->mu && a->torsion == b->torsion && a->rolling == b->rolling && a->condim == b->condim &&
           a->priority == b->priority && a->type == b->type && a->affinity == b->affinity &&
           a->own_body == b->own_body && a->own_geom == b->own_geom;
}

// What acts between two.
typedef struct grip {
    double mu, torsion, rolling;
} grip;

static grip grip_of(const tn_robot_surface *a, const tn_robot_surface *b)
{
    const tn_robot_surface s = tn_robot_surface_between(a, b);
    return (grip){.mu = s.condim > 1 ? s.mu : 0.0,
                  .torsion = s.condim > 3 ? s.torsion : 0.0,
                  .rolling = s.condim > 4 ? s.rolling : 0.0};
}

// What the scene makes of two materials that are said as each acts on itself is this.
static bool goes_without_saying(const tn_robot_surface *a, const tn_robot_surface *b, const grip *g)
{
    grip one = grip_of(a, a), two = grip_of(b, b);
    return one.mu == g->mu && two.mu == g->mu && fmax(one.torsion, two.torsion) == g->torsion &&
           fmax(one.rolling, two.rolling) == g->rolling;
}

static int largest_condim(const tn_robot *robot)
{
    int most = 0;
    for (int i = 0; i < robot->n_geoms; i++) {
        bool larger = robot->geoms[i].collides && robot->geoms[i].surface.condim > most;
        most = larger ? robot->geoms[i].surface.condim : most;
    }
    return most;
}

static bool collect(tn_robot *robot, surfaces *all, int *of_geom)
{
    all->condim = largest_condim(robot);
    for (int i = 0; i < robot->n_geoms; i++) {
        const tn_robot_geom *geom = &robot->geoms[i];
        tn_robot_surface surface = geom->surface;
        surface.own_body = robot->links[geom->link].own;
        surface.torsion = all->condim > 3 ? surface.torsion : 0.0; // what never acts makes no surface different
        surface.rolling = all->condim > 4 ? surface.rolling : 0.0;
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

static void put_lengths(tn_robot_emitter *emit, tn_node *map, const grip *g, bool zero)
{
    if (g->torsion > 0.0 || zero) {
        tn_emit_number(emit, map, "torsion", g->torsion);
    }
    if (g->rolling > 0.0 || zero) {
        tn_emit_number(emit, map, "rolling", g->rolling);
    }
}

// NULL: what the materials say will do.
static tn_node *pair(tn_robot_emitter *emit, const surfaces *all, int i, int j)
{
    const tn_robot_surface *a = &all->surface[i], *b = &all->surface[j];
    const tn_robot_meeting *said = meeting_of(emit->robot, a, b);
    bool touch = said ? said->collide : (a->type & b->affinity) || (b->type & a->affinity);
    grip g = said ? (grip){said->mu, said->torsion, said->rolling} : grip_of(a, b);
    if (touch && goes_without_saying(a, b, &g)) {
        return NULL;
    }
    tn_node *map = tn_emit_map(emit);
    tn_emit_names(emit, map, "materials", 2, (const char *const[]){all->name[i], all->name[j]});
    if (!touch) {
        tn_emit_word(emit, map, "collide", "false");
        return map;
    }
    tn_emit_number(emit, map, "friction", g.mu);
    put_lengths(emit, map, &g, all->condim > 3);
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
    tn_node *materials = tn_emit_map(emit);
    for (int k = 0; k < all->n; k++) {
        tn_node *map = tn_emit_map(emit);
        const grip g = grip_of(&all->surface[k], &all->surface[k]);
        tn_emit_number(emit, map, "friction", g.mu);
        put_lengths(emit, map, &g, false);
        all->name[k] = tn_emit_name(emit, stem ? stem : "", "-surface", k + 1);
        tn_emit_put(emit, materials, all->name[k], map);
    }
    tn_emit_put(emit, root, "materials", materials);
}

static bool put_pairs(tn_robot_emitter *emit, tn_node *root, const surfaces *all)
{
    tn_node *pairs = tn_emit_list(emit);
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
