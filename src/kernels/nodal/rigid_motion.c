#include "kernels/nodal/rigid_motion.h"

#include "base/team.h"
#include "kernels/sell_rows.h"

// Nodes from which on a team of threads pays (vectors that move between the cores cost more than they save before), and
// groups that a thread takes at a time.
enum { WORTH_A_TEAM = 20000, PART = 4 };

TN_VECTOR(TN_QUAD_INLINE, three, float, 16) // and a fourth number without meaning

// y, z, x.
TN_QUAD_INLINE three turned(three a)
{
    return __builtin_shufflevector(a, a, 1, 2, 0, 3);
}

static void sum_group(const tn_rigid_groups *groups, int k, const float *g, float *y)
{
    const three zero = {0.0F};
    three force = zero, moment = zero; // the moment as z, x, y: turned once in the end
    for (int i = groups->start[k]; i < groups->start[k + 1]; i++) {
        three e = three_load(groups->arm + 4 * (size_t)i), f = three_load(g + groups->place[i]);
        force += f;
        moment += e * turned(f) - turned(e) * f;
    }
    three_store(y, force);
    y[3] = moment[1];
    y[4] = moment[2];
    y[5] = moment[0];
    y[6] = y[7] = 0.0F;
}

static void move_group(const tn_rigid_groups *groups, int k, const float *y, float *d)
{
    const three velocity = {y[0], y[1], y[2], 0.0F}, spin = {y[3], y[4], y[5], 0.0F}, other = turned(spin);
    for (int i = groups->start[k]; i < groups->start[k + 1]; i++) {
        three e = three_load(groups->arm + 4 * (size_t)i);
        three_store(d + groups->place[i], velocity + turned(spin * turned(e) - other * e));
    }
}

static void sum_affine(const tn_rigid_groups *groups, int k, const float *g, float *y)
{
    const three zero = {0.0F};
    three force = zero, along_x = zero, along_y = zero, along_z = zero;
    for (int i = groups->start[k]; i < groups->start[k + 1]; i++) {
        three f = three_load(g + groups->place[i]);
        const float *e = groups->arm + 4 * (size_t)i;
        force += f;
        along_x += e[0] * f;
        along_y += e[1] * f;
        along_z += e[2] * f;
    }
    three_store(y, force);
    three_store(y + 3, along_x);
    three_store(y + 8, along_y);
    three_store(y + 11, along_z);
    y[6] = y[7] = y[14] = y[15] = 0.0F;
}

static void move_affine(const tn_rigid_groups *groups, int k, const float *y, float *d)
{
    const three velocity = {y[0], y[1], y[2], 0.0F}, along_x = {y[3], y[4], y[5], 0.0F};
    const three along_y = {y[8], y[9], y[10], 0.0F}, along_z = {y[11], y[12], y[13], 0.0F};
    for (int i = groups->start[k]; i < groups->start[k + 1]; i++) {
        const float *e = groups->arm + 4 * (size_t)i;
        three_store(d + groups->place[i], (velocity + e[0] * along_x) + (e[1] * along_y + e[2] * along_z));
    }
}

static int team(const tn_rigid_groups *groups, int n_threads)
{
    return groups->start[groups->n] >= WORTH_A_TEAM ? n_threads : 1;
}

// What is done to each group: from the numbers of nodes to those of groups, or back; strides 0 and 8 or 16 numbers.
typedef struct shared {
    const tn_rigid_groups *groups;
    void (*one)(const tn_rigid_groups *groups, int k, const float *from, float *to);
    const float *from;
    float *to;
    size_t from_stride, to_stride;
} shared;

static void go_over(const void *context, int first, int end, int thread)
{
    const shared *s = context;
    for (int k = first; k < end; k++) {
        s->one(s->groups, k, s->from + s->from_stride * (size_t)k, s->to + s->to_stride * (size_t)k);
    }
}

void tn_rigid_groups_sum(const tn_rigid_groups *groups, const float *g, float *y, int n_threads)
{
    tn_team_share(team(groups, n_threads), groups->n, PART, go_over, &(shared){groups, sum_group, g, y, 0, 8});
}

void tn_rigid_groups_move(const tn_rigid_groups *groups, const float *y, float *d, int n_threads)
{
    tn_team_share(team(groups, n_threads), groups->n, PART, go_over, &(shared){groups, move_group, y, d, 8, 0});
}

void tn_affine_groups_sum(const tn_rigid_groups *groups, int n, const float *g, float *y, int n_threads)
{
    tn_team_share(team(groups, n_threads), n, PART, go_over, &(shared){groups, sum_affine, g, y, 0, 16});
}

void tn_affine_groups_move(const tn_rigid_groups *groups, int n, const float *y, float *d, int n_threads)
{
    tn_team_share(team(groups, n_threads), n, PART, go_over, &(shared){groups, move_affine, y, d, 16, 0});
}
