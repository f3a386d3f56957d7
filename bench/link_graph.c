// Rods given by their two ends, joints by an anchor and an axis; rows are the differences of the points' velocities
// along the world's axes and of angular velocities across the joint's axis.
#include "link_graph.h"

#include "base/random.h"
#include "math/blocks.h"
#include "math/vec3.h"

#include <math.h>

static const double LENGTH = 0.2, MASS = 0.5, RADIUS = 0.01, STEP = 0.01, GRAVITY = 9.81, FULL_TURN = 6.283185307179586;
enum { RODS = 10, SEED = 19 };

static double number(uint64_t stream, uint64_t k)
{
    return 2.0 * tn_random_uniform(SEED, stream, k) - 1.0;
}

static bool push_arrays(link_graph *g, int n)
{
    size_t links = (size_t)n, rows = 8 * links + RODS, entries = 4 * rows;
    g->centre = TN_PUSH(g->arena, double, 3 * links);
    g->from = TN_PUSH(g->arena, double, 3 * links);
    g->mass = TN_PUSH(g->arena, double, 18 * links);
    g->b = TN_PUSH(g->arena, double, 6 * links);
    g->start = TN_PUSH(g->arena, int, rows + 1);
    g->joint = TN_PUSH(g->arena, int, rows);
    g->block = TN_PUSH(g->arena, int, entries);
    g->jacobian = TN_PUSH(g->arena, double, 3 * entries);
    g->offset = TN_PUSH(g->arena, double, rows);
    g->compliance = TN_PUSH(g->arena, double, rows);
    g->lower = TN_PUSH(g->arena, double, rows);
    g->upper = TN_PUSH(g->arena, double, rows);
    return g->centre && g->from && g->mass && g->b && g->start && g->joint && g->block && g->jacobian && g->offset &&
           g->compliance && g->lower && g->upper;
}

static void add_link(link_graph *g, const double from[3], const double to[3])
{
    int i = g->n_links++;
    double axis[3], length;
    tn_vec3_sub(axis, to, from);
    length = sqrt(tn_vec3_dot(axis, axis));
    tn_vec3_scale(axis, 1.0 / length, axis);
    tn_vec3_copy(g->from + 3 * (size_t)i, from);
    tn_vec3_madd(g->centre + 3 * (size_t)i, from, 0.5 * length, axis);
    double across = MASS * (length * length / 12.0 + 0.25 * RADIUS * RADIUS), along = 0.5 * MASS * RADIUS * RADIUS;
    for (int d = 0; d < 9; d++) {
        double unit = d % 4 == 0 ? 1.0 : 0.0;
        g->mass[18 * (size_t)i + (size_t)d] = MASS / STEP * unit;
        g->mass[18 * (size_t)i + 9 + (size_t)d] = (across * unit + (along - across) * axis[d / 3] * axis[d % 3]) / STEP;
    }
}

static void end_of(const link_graph *g, int link, double to[3])
{
    tn_vec3_scale(to, 2.0, g->centre + 3 * (size_t)link);
    tn_vec3_sub(to, to, g->from + 3 * (size_t)link);
}

static void add_entry(link_graph *g, int block, double factor, const double direction[3])
{
    g->block[g->n_entries] = block;
    tn_vec3_scale(g->jacobian + 3 * (size_t)g->n_entries++, factor, direction);
}

// The row of link b's point minus that of a's (-1: the world), or of their turning where turn.
static void add_row(link_graph *g, int a, int b, const double p[3], const double q[3], const double direction[3],
                    bool turn)
{
    int i = g->rows.n_singles++;
    const double *point[] = {p, q};
    const double sign[] = {-1.0, 1.0};
    const int link[] = {a, b};
    for (int side = 0; side < 2; side++) {
        double arm[3], moment[3];
        if (link[side] < 0) {
            continue;
        }
        tn_vec3_sub(arm, point[side], g->centre + 3 * (size_t)link[side]);
        tn_vec3_cross(moment, arm, direction);
        if (!turn) {
            add_entry(g, 2 * link[side], sign[side], direction);
        }
        add_entry(g, 2 * link[side] + 1, sign[side], turn ? direction : moment);
    }
    g->start[i + 1] = g->n_entries;
    g->joint[i] = g->n_joints;
    g->lower[i] = -INFINITY;
    g->upper[i] = INFINITY;
}

static void add_ball(link_graph *g, int a, int b, const double at[3])
{
    for (int k = 0; k < 3; k++) {
        const double direction[3] = {k == 0, k == 1, k == 2};
        add_row(g, a, b, at, at, direction, false);
    }
    g->n_joints++;
}

// planar: two rows only, across the axis, where the rest follows from other joints.
static void add_hinge(link_graph *g, int a, int b, const double at[3], const double axis[3], bool planar)
{
    int least = fabs(axis[0]) < 0.6 ? 0 : 1;
    double other[3] = {least == 0, least == 1, 0.0}, across[2][3];
    tn_vec3_cross(across[0], axis, other);
    tn_vec3_scale(across[0], 1.0 / sqrt(tn_vec3_dot(across[0], across[0])), across[0]);
    tn_vec3_cross(across[1], axis, across[0]);
    for (int k = 0; k < 2; k++) {
        add_row(g, a, b, at, at, across[k], false);
    }
    if (!planar) {
        add_row(g, a, b, at, at, axis, false);
        add_row(g, a, b, at, at, across[0], true);
        add_row(g, a, b, at, at, across[1], true);
    }
    g->n_joints++;
}

static void random_direction(uint64_t k, double out[3])
{
    tn_vec3_set(out, number(1, k), number(2, k), number(3, k));
    tn_vec3_scale(out, 1.0 / sqrt(tn_vec3_dot(out, out)), out);
}

// Of each link to an earlier one: the one before, or in a binary tree.
static void make_tree(link_graph *g, int n, bool binary)
{
    const double zero[3] = {0.0, 0.0, 0.0};
    for (int i = 0; i < n; i++) {
        int parent = binary ? (i + 1) / 2 - 1 : i - 1;
        double from[3] = {0.0, 0.0, 0.0}, along[3], to[3], axis[3];
        if (parent >= 0) {
            end_of(g, parent, from);
        }
        random_direction(2 * (uint64_t)i, along);
        random_direction(2 * (uint64_t)i + 1, axis);
        tn_vec3_madd(to, i == 0 ? zero : from, LENGTH, along);
        add_link(g, from, to);
        if (i % 2 == 0) {
            add_hinge(g, parent, i, from, axis, false);
        } else {
            add_ball(g, parent, i, from);
        }
    }
}

static void add_rods(link_graph *g)
{
    int n = g->n_links, span = n / 20 > 2 ? n / 20 : 2;
    for (int k = 0; k < RODS; k++) {
        int a = (int)((long)k * n / RODS), b = a + span < n ? a + span : -1;
        double *p = g->from + 3 * (size_t)a, q[3] = {1.0, 2.0, 3.0}, along[3];
        if (b >= 0) {
            end_of(g, b, q);
        }
        tn_vec3_sub(along, q, p);
        tn_vec3_scale(along, 1.0 / sqrt(tn_vec3_dot(along, along)), along);
        add_row(g, b, a, q, p, along, false);
        g->n_joints++;
    }
}

static void top_of_rocker(int i, double top[3])
{
    tn_vec3_set(top, (i + 0.3 * number(4, (uint64_t)i)) * LENGTH, 0.0, (1.0 + 0.2 * number(5, (uint64_t)i)) * LENGTH);
}

static void make_four_bars(link_graph *g, int n, bool lean)
{
    const double axis[3] = {0.0, 1.0, 0.0};
    int cells = (n - 1) / 2;
    for (int i = 0; i <= cells; i++) {
        double foot[3] = {i * LENGTH, 0.0, 0.0}, top[3], next[3];
        top_of_rocker(i, top);
        top_of_rocker(i + 1, next);
        add_link(g, foot, top);
        add_hinge(g, -1, 2 * i, foot, axis, false);
        if (i > 0) {
            add_hinge(g, 2 * i - 1, 2 * i, top, axis, lean);
        }
        if (i < cells) {
            add_link(g, top, next);
            add_hinge(g, 2 * i, 2 * i + 1, top, axis, false);
        }
    }
    g->n_redundant = lean ? 0 : 3 * cells;
}

static void make_ring(link_graph *g, int n, bool lean)
{
    const double axis[3] = {0.0, 0.0, 1.0}, radius = 0.5 * LENGTH / sin(0.5 * FULL_TURN / n);
    for (int i = 0; i < n; i++) {
        double turn = FULL_TURN / n, from[3], to[3];
        tn_vec3_set(from, radius * cos(turn * i), radius * sin(turn * i), 0.0);
        tn_vec3_set(to, radius * cos(turn * ((i + 1) % n)), radius * sin(turn * ((i + 1) % n)), 0.0);
        add_link(g, from, to);
        if (i > 0) {
            add_hinge(g, i - 1, i, from, axis, false);
        }
    }
    add_hinge(g, n - 1, 0, g->from, axis, lean);
    g->n_redundant = lean ? 0 : 3;
}

static bool finish(link_graph *g)
{
    double fastest = 0.0, largest = 0.0;
    for (int i = 0; i < 2 * g->n_links; i++) {
        double v[3], *b = g->b + 3 * (size_t)i;
        for (int d = 0; d < 3; d++) {
            v[d] = number(6, (uint64_t)(3 * i + d));
            fastest = fmax(fastest, fabs(v[d]));
        }
        for (int d = 0; d < 3; d++) {
            b[d] = tn_vec3_dot(g->mass + 9 * (size_t)i + 3 * d, v) - (i % 2 == 0 && d == 2 ? MASS * GRAVITY : 0.0);
            largest = fmax(largest, fabs(b[d]));
        }
    }
    g->rows.start = g->start;
    g->rows.block = g->block;
    g->rows.jacobian = g->jacobian;
    g->rows.offset = g->offset;
    g->rows.compliance = g->compliance;
    g->rows.lower = g->lower;
    g->rows.upper = g->upper;
    g->rows.joint = g->joint;
    g->problem = (tn_problem){.A = tn_blocks_from_diagonal(2 * g->n_links, g->mass, g->arena),
                              .b = g->b,
                              .rows = &g->rows,
                              .step = STEP,
                              .force_scale = largest,
                              .velocity_scale = STEP * GRAVITY + fastest,
                              .change_scale = STEP * GRAVITY};
    return g->problem.A != NULL;
}

link_graph *link_graph_create(link_graph_kind kind, int n, bool lean)
{
    tn_arena *arena = tn_arena_create(0);
    link_graph *g = arena ? TN_PUSH(arena, link_graph, 1) : NULL;
    if (g) {
        g->arena = arena;
    }
    if (!g || !push_arrays(g, n)) {
        tn_arena_destroy(arena);
        return NULL;
    }
    if (kind == LINK_FOUR_BARS) {
        make_four_bars(g, n, lean);
    } else if (kind == LINK_RING) {
        make_ring(g, n, lean);
    } else {
        make_tree(g, n, kind == LINK_TREE);
    }
    if (kind == LINK_LOOPS) {
        add_rods(g);
    }
    if (!finish(g)) {
        link_graph_destroy(g);
        return NULL;
    }
    return g;
}

void link_graph_destroy(link_graph *graph)
{
    tn_arena_destroy(graph ? graph->arena : NULL);
}
