// The pattern of an assembly's factor: bodies, the joints' groups of rows, the order in which they go, the fronts.
#include "problem/assembly_fronts.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

enum { GROUP_ROWS = 6 };
// Neighbours that the elimination of bodies may list, for each body: beyond it loops make a mesh of them.
enum { MOST_NEIGHBOURS = 256 };

// Items are what the system is made of: bodies first, then groups of rows.
typedef struct order {
    const tn_blocks *A;
    const tn_parts *parts;
    const tn_rows *rows;
    tn_arena *arena;
    int n_bodies, n_items;
    int *body_of, *place;      // (A->n_rows) item of each block row, and its place in it
    int *group_of, *row_in;    // (n_singles) item of each row, -1: none; and its place in it
    int *size;                 // (n_items)
    int *body_start, *bodies;  // of each group, distinct
    int *group_start, *groups; // of each body
    int *turn;                 // (n_bodies) bodies in the order of elimination
    bool any;                  // whatever it costs
} order;

// ---- bodies and groups

// tied[i]: some row touches block rows i and i + 1.
static void find_ties(const order *o, const bool *taken, bool *tied)
{
    for (int i = 0; i < o->rows->n_singles; i++) {
        const int *block = o->rows->block + o->rows->start[i];
        int n = o->rows->start[i + 1] - o->rows->start[i];
        for (int e = 0; (!taken || taken[i]) && e < n; e++) {
            for (int f = 0; f < n; f++) {
                tied[block[e]] = tied[block[e]] || block[f] == block[e] + 1;
            }
        }
    }
}

// A part of A is a body; of two neighbours of one block each, such as a velocity and its spin, both are.
static void make_bodies(order *o, const bool *tied)
{
    const tn_parts *c = o->parts;
    for (int i = 0; i < o->A->n_rows; i++) {
        o->body_of[i] = -1;
    }
    for (int i = 0; i < o->A->n_rows; i++) {
        if (o->body_of[i] >= 0) {
            continue;
        }
        int first = c->start[c->of_block[i]], n = c->start[c->of_block[i] + 1] - first, body = o->n_bodies++;
        for (int k = 0; k < n; k++) {
            o->body_of[c->blocks[first + k]] = body;
            o->place[c->blocks[first + k]] = k;
        }
        bool alone = i + 1 < o->A->n_rows && c->start[c->of_block[i + 1] + 1] - c->start[c->of_block[i + 1]] == 1;
        if (n == 1 && tied[i] && alone) {
            o->body_of[i + 1] = body;
            o->place[i + 1] = 1;
            n = 2;
        }
        o->size[body] = 3 * n;
    }
}

static bool is_same_joint(const tn_rows *rows, int i, int j)
{
    return rows->joint && rows->joint[i] == rows->joint[j];
}

// Rows of a joint that follow one another, GROUP_ROWS at most.
static void make_groups(order *o, const bool *taken)
{
    int last = -1;
    o->n_items = o->n_bodies;
    for (int i = 0; i < o->rows->n_singles; i++) {
        o->group_of[i] = -1;
        if (taken && !taken[i]) {
            continue;
        }
        bool fits = last >= 0 && is_same_joint(o->rows, last, i) && o->size[o->n_items - 1] < GROUP_ROWS;
        o->n_items += !fits;
        o->size[o->n_items - 1] = fits ? o->size[o->n_items - 1] : 0;
        o->group_of[i] = o->n_items - 1;
        o->row_in[i] = o->size[o->n_items - 1]++;
        last = i;
    }
}

// The distinct bodies of each group; stamp (n_bodies) -1 before.
static void list_bodies(order *o, int *stamp)
{
    int used = 0, group = -1;
    for (int i = 0; i < o->rows->n_singles; i++) {
        if (o->group_of[i] < 0) {
            continue;
        }
        if (o->group_of[i] != group) {
            group = o->group_of[i];
            o->body_start[group - o->n_bodies] = used;
        }
        for (int e = o->rows->start[i]; e < o->rows->start[i + 1]; e++) {
            int body = o->body_of[o->rows->block[e]];
            if (stamp[body] != group) {
                stamp[body] = group;
                o->bodies[used++] = body;
            }
        }
    }
    o->body_start[o->n_items - o->n_bodies] = used;
}

static void list_groups(order *o)
{
    int n_groups = o->n_items - o->n_bodies;
    for (int k = 0; k < o->body_start[n_groups]; k++) {
        o->group_start[o->bodies[k] + 1]++;
    }
    for (int b = 0; b < o->n_bodies; b++) {
        o->group_start[b + 1] += o->group_start[b];
    }
    for (int g = n_groups - 1; g >= 0; g--) {
        for (int k = o->body_start[g]; k < o->body_start[g + 1]; k++) {
            o->groups[--o->group_start[o->bodies[k] + 1]] = g + o->n_bodies;
        }
    }
    // Each start has come down to its own body's first group: one place to the left.
    memmove(o->group_start, o->group_start + 1, (size_t)o->n_bodies * sizeof *o->group_start);
    o->group_start[o->n_bodies] = o->body_start[n_groups];
}

static bool make_items(order *o, const bool *taken)
{
    size_t n_blocks = (size_t)o->A->n_rows, n_rows = (size_t)o->rows->n_singles;
    size_t n_entries = n_rows > 0 ? (size_t)(o->rows->start[n_rows] - o->rows->start[0]) : 0;
    bool *tied = TN_PUSH(o->arena, bool, n_blocks + 1);
    int *stamp = TN_PUSH(o->arena, int, n_blocks);
    o->body_of = TN_PUSH(o->arena, int, n_blocks);
    o->place = TN_PUSH(o->arena, int, n_blocks);
    o->group_of = TN_PUSH(o->arena, int, n_rows);
    o->row_in = TN_PUSH(o->arena, int, n_rows);
    o->size = TN_PUSH(o->arena, int, n_blocks + n_rows + 1);
    o->body_start = TN_PUSH(o->arena, int, n_rows + 1);
    o->bodies = TN_PUSH(o->arena, int, n_entries);
    o->group_start = TN_PUSH(o->arena, int, n_blocks + 2);
    o->groups = TN_PUSH(o->arena, int, n_entries);
    if (!tied || !stamp || !o->body_of || !o->place || !o->group_of || !o->row_in || !o->size || !o->body_start ||
        !o->bodies || !o->group_start || !o->groups) {
        return false;
    }
    find_ties(o, taken, tied);
    make_bodies(o, tied);
    make_groups(o, taken);
    memset(stamp, -1, n_blocks * sizeof *stamp);
    list_bodies(o, stamp);
    list_groups(o);
    return true;
}

// ---- order of the bodies: minimum degree

typedef struct neighbours {
    int n, room;
    int *of;
} neighbours;

typedef struct degrees {
    neighbours *near;           // (n_bodies)
    int *head, *after, *before; // bodies of each degree, linked; -1: end
    int *stamp, now, least;
} degrees;

static void enter(degrees *d, int body)
{
    int degree = d->near[body].n;
    d->after[body] = d->head[degree];
    d->before[body] = -1;
    if (d->head[degree] >= 0) {
        d->before[d->head[degree]] = body;
    }
    d->head[degree] = body;
    d->least = degree < d->least ? degree : d->least;
}

static void leave(degrees *d, int body)
{
    if (d->before[body] >= 0) {
        d->after[d->before[body]] = d->after[body];
    } else {
        d->head[d->near[body].n] = d->after[body];
    }
    if (d->after[body] >= 0) {
        d->before[d->after[body]] = d->before[body];
    }
}

// Adds those of `list` that are not body's neighbours yet, but not body itself; d->stamp tells.
static bool add_neighbours(order *o, degrees *d, int body, int n, const int *list)
{
    neighbours *own = &d->near[body];
    d->now++;
    d->stamp[body] = d->now;
    for (int k = 0; k < own->n; k++) {
        d->stamp[own->of[k]] = d->now;
    }
    for (int k = 0; k < n; k++) {
        if (d->stamp[list[k]] == d->now) {
            continue;
        }
        d->stamp[list[k]] = d->now;
        if (own->n == own->room) {
            int room = own->room < 4 ? 4 : 2 * own->room, *of = TN_PUSH_RAW(o->arena, int, room);
            if (!of) {
                return false;
            }
            if (own->n > 0) {
                memcpy(of, own->of, (size_t)own->n * sizeof *of);
            }
            own->of = of;
            own->room = room;
        }
        own->of[own->n++] = list[k];
    }
    return true;
}

static bool create_degrees(order *o, degrees *d)
{
    size_t n = (size_t)o->n_bodies;
    *d = (degrees){.near = TN_PUSH(o->arena, neighbours, n),
                   .head = TN_PUSH_RAW(o->arena, int, n + 1),
                   .after = TN_PUSH_RAW(o->arena, int, n),
                   .before = TN_PUSH_RAW(o->arena, int, n),
                   .stamp = TN_PUSH(o->arena, int, n)};
    if (!d->near || !d->head || !d->after || !d->before || !d->stamp) {
        return false;
    }
    memset(d->head, -1, (n + 1) * sizeof *d->head);
    for (int b = 0; b < o->n_bodies; b++) {
        for (int k = o->group_start[b]; k < o->group_start[b + 1]; k++) {
            int g = o->groups[k] - o->n_bodies, first = o->body_start[g];
            if (!add_neighbours(o, d, b, o->body_start[g + 1] - first, o->bodies + first)) {
                return false;
            }
        }
    }
    for (int b = o->n_bodies - 1; b >= 0; b--) {
        enter(d, b);
    }
    return true;
}

// Takes `gone` out of body's neighbours and brings in gone's.
static bool merge(order *o, degrees *d, int body, int gone)
{
    neighbours *own = &d->near[body];
    leave(d, body);
    for (int k = 0; k < own->n; k++) {
        if (own->of[k] == gone) {
            own->of[k] = own->of[--own->n];
            break;
        }
    }
    if (!add_neighbours(o, d, body, d->near[gone].n, d->near[gone].of)) {
        return false;
    }
    enter(d, body);
    return true;
}

// o->turn. *fits false: too many neighbours.
static bool order_bodies(order *o, bool *fits)
{
    degrees d;
    o->turn = TN_PUSH_RAW(o->arena, int, o->n_bodies);
    if (!o->turn || !create_degrees(o, &d)) {
        return false;
    }
    for (int k = 0; k < o->n_bodies; k++) {
        while (d.head[d.least] < 0) {
            d.least++;
        }
        int body = d.head[d.least];
        if (d.near[body].n > MOST_NEIGHBOURS && !o->any) {
            *fits = false;
            return false;
        }
        leave(&d, body);
        o->turn[k] = body;
        for (int e = 0; e < d.near[body].n; e++) {
            if (!merge(o, &d, d.near[body].of[e], body)) {
                return false;
            }
        }
    }
    return true;
}

// ---- fronts

// Fronts whose borders an item lies in, linked.
typedef struct holder {
    int front, next;
} holder;

typedef struct making {
    order *o;
    tn_front *front;
    int n, next;     // fronts; next position
    int *position;   // (n_items) -1: not eliminated
    int *owner;      // (n_items) its front
    int *stamp;      // (n_items) the front that last met it
    int *met, n_met; // items of the present front
    int **border;    // (fronts) items of each front's border, and how many
    int *n_border;
    int *holders; // (n_items) first of the list, -1: none
    holder *list; // all of them
    int n_list, room;
    bool *closed; // (fronts) has a parent
} making;

static void meet(making *m, int item)
{
    if (m->stamp[item] != m->n) {
        m->stamp[item] = m->n;
        m->met[m->n_met++] = item;
    }
}

// Item goes in the present front: who held it becomes a child, whom it couples is met.
static void eliminate(making *m, int item)
{
    order *o = m->o;
    tn_front *front = &m->front[m->n];
    m->position[item] = m->next;
    m->owner[item] = m->n;
    m->next += o->size[item];
    front->n += o->size[item];
    for (int h = m->holders[item]; h >= 0; h = m->list[h].next) {
        int child = m->list[h].front;
        if (m->closed[child]) {
            continue;
        }
        m->closed[child] = true;
        m->front[child].next = front->child;
        front->child = child;
        for (int k = 0; k < m->n_border[child]; k++) {
            meet(m, m->border[child][k]);
        }
    }
    bool body = item < o->n_bodies;
    const int *start = body ? &o->group_start[item] : &o->body_start[item - o->n_bodies];
    for (int k = start[0]; k < start[1]; k++) {
        int other = body ? o->groups[k] : o->bodies[k];
        if (m->position[other] < 0) {
            meet(m, other);
        }
    }
}

static bool add_holders(making *m, int front)
{
    order *o = m->o;
    for (int k = 0; k < m->n_border[front]; k++) {
        if (m->n_list == m->room) {
            int room = 2 * m->room;
            holder *list = TN_PUSH_RAW(o->arena, holder, room);
            if (!list) {
                return false;
            }
            memcpy(list, m->list, (size_t)m->n_list * sizeof *list);
            m->list = list;
            m->room = room;
        }
        int item = m->border[front][k];
        m->list[m->n_list] = (holder){.front = front, .next = m->holders[item]};
        m->holders[item] = m->n_list++;
    }
    return true;
}

// Whether group `item` has a body that is still to come.
static bool waits(const making *m, int item)
{
    const order *o = m->o;
    bool any = false;
    for (int k = o->body_start[item - o->n_bodies]; k < o->body_start[item - o->n_bodies + 1]; k++) {
        any = any || m->position[o->bodies[k]] < 0;
    }
    return any;
}

// The rows that a body's degrees of freedom bear: as many, of those that no other body bears first. Rows of one joint
// are independent on one body, of two often not (the line between two ball joints keeps its length): what another body
// helps to bear follows only where it is alone, else its pivot might be rounding.
static void add_rows(making *m, int body)
{
    const order *o = m->o;
    int credit = o->size[body];
    for (int waiting = 0; waiting < 2; waiting++) {
        for (int k = 0; k < m->n_met; k++) {
            int item = m->met[k];
            bool fits = item >= o->n_bodies && m->position[item] < 0 && o->size[item] <= credit;
            if (fits && (waiting ? credit == o->size[body] : !waits(m, item))) {
                credit -= o->size[item];
                eliminate(m, item);
            }
        }
    }
}

// A front that begins with `item`: a body, and after it the rows that its degrees of freedom bear.
static bool add_front(making *m, int item)
{
    order *o = m->o;
    tn_front *front = &m->front[m->n];
    *front = (tn_front){.first = m->next, .child = -1, .next = -1};
    m->n_met = 0;
    meet(m, item);
    eliminate(m, item);
    front->positive = item < o->n_bodies ? o->size[item] : 0;
    if (item < o->n_bodies) {
        add_rows(m, item);
    }
    int n = 0, *border = TN_PUSH_RAW(o->arena, int, m->n_met);
    for (int k = 0; border && k < m->n_met; k++) {
        if (m->position[m->met[k]] < 0) {
            border[n++] = m->met[k];
            front->width += o->size[m->met[k]];
        }
    }
    front->width += front->n;
    front->stride = (front->width + 7) & ~7;
    m->border[m->n] = border;
    m->n_border[m->n] = n;
    m->n++;
    return border && add_holders(m, m->n - 1);
}

static bool make_fronts(making *m, order *o)
{
    size_t n = (size_t)o->n_items;
    *m = (making){.o = o, .room = 4 * o->n_items + 4};
    m->front = TN_PUSH(o->arena, tn_front, n);
    m->position = TN_PUSH_RAW(o->arena, int, n);
    m->owner = TN_PUSH_RAW(o->arena, int, n);
    m->stamp = TN_PUSH_RAW(o->arena, int, n);
    m->met = TN_PUSH_RAW(o->arena, int, n);
    m->border = TN_PUSH(o->arena, int *, n);
    m->n_border = TN_PUSH(o->arena, int, n);
    m->holders = TN_PUSH_RAW(o->arena, int, n);
    m->list = TN_PUSH_RAW(o->arena, holder, m->room);
    m->closed = TN_PUSH(o->arena, bool, n);
    if (!m->front || !m->position || !m->owner || !m->stamp || !m->met || !m->border || !m->n_border || !m->holders ||
        !m->list || !m->closed) {
        return false;
    }
    memset(m->position, -1, n * sizeof *m->position);
    memset(m->stamp, -1, n * sizeof *m->stamp);
    memset(m->holders, -1, n * sizeof *m->holders);
    for (int k = 0; k < o->n_bodies; k++) {
        if (!add_front(m, o->turn[k])) {
            return false;
        }
    }
    for (int g = o->n_bodies; g < o->n_items; g++) { // those that no body bears: loops
        if (m->position[g] < 0 && !add_front(m, g)) {
            return false;
        }
    }
    return true;
}

// ---- positions

// The border's scalars, ascending.
static bool place_border(making *m, int f)
{
    order *o = m->o;
    tn_front *front = &m->front[f];
    int *items = m->border[f], *out = TN_PUSH_RAW(o->arena, int, front->width - front->n), n = 0;
    for (int k = 1; k < m->n_border[f]; k++) {
        int item = items[k], e = k;
        for (; e > 0 && m->position[items[e - 1]] > m->position[item]; e--) {
            items[e] = items[e - 1];
        }
        items[e] = item;
    }
    for (int k = 0; out && k < m->n_border[f]; k++) {
        for (int d = 0; d < o->size[items[k]]; d++) {
            out[n++] = m->position[items[k]] + d;
        }
    }
    front->border = out;
    return out != NULL;
}

// Where position p is in a front, from `from` on (ascending); the front holds it.
static int find_in(const tn_front *front, int p, int from)
{
    if (p < front->first + front->n) {
        return p - front->first;
    }
    int k = from > front->n ? from : front->n;
    while (front->border[k - front->n] != p) {
        k++;
    }
    return k;
}

static bool place_child(making *m, const tn_front *parent, tn_front *child)
{
    int n = child->width - child->n, *into = TN_PUSH_RAW(m->o->arena, int, n), at = 0;
    for (int k = 0; into && k < n; k++) {
        at = into[k] = find_in(parent, child->border[k], at);
    }
    child->into = into;
    return into != NULL;
}

static size_t corner(const tn_front *front, int row, int column)
{
    return front->at + (size_t)row * (size_t)front->stride + (size_t)column;
}

// Where A's blocks go: inside bodies only.
static void place_blocks(const making *m, size_t *to, int *stride)
{
    const order *o = m->o;
    for (int i = 0; i < o->A->n_rows; i++) {
        const tn_front *front = &m->front[m->owner[o->body_of[i]]];
        for (int e = o->A->start[i]; e < o->A->start[i + 1]; e++) {
            int row = 3 * o->place[i], column = 3 * o->place[o->A->column[e]];
            to[e] = column < row ? SIZE_MAX : corner(front, row, column);
            stride[e] = front->stride;
        }
    }
}

static void place_rows(const making *m, size_t *entry_to, int *entry_stride, size_t *row_to)
{
    const order *o = m->o;
    for (int i = 0; i < o->rows->n_singles; i++) {
        int group = o->group_of[i];
        row_to[i] = SIZE_MAX;
        if (group < 0) {
            continue;
        }
        int own = m->owner[group], row = m->position[group] + o->row_in[i];
        row_to[i] = corner(&m->front[own], row - m->front[own].first, row - m->front[own].first);
        for (int e = o->rows->start[i]; e < o->rows->start[i + 1]; e++) {
            int block = o->rows->block[e], body = o->body_of[block], theirs = m->owner[body];
            int column = m->position[body] + 3 * o->place[block];
            bool first = column < row; // the body goes first
            const tn_front *front = &m->front[first ? theirs : own];
            int a = find_in(front, first ? column : row, 0), b = find_in(front, first ? row : column, 0);
            entry_to[e] = corner(front, a, b);
            entry_stride[e] = first ? front->stride : 1;
        }
    }
}

static int power_of_rest(const tn_front *front)
{
    size_t n = (size_t)(front->width - front->n) * (size_t)front->stride;
    int power = 3;
    while (((size_t)1 << power) < n) {
        power++;
    }
    return power;
}

// Where fronts put their rests: into room for a power of two of numbers, which is free for the next one as soon as its
// parent has what is in it.
static bool place_rests(making *m, tn_ldl *ldl)
{
    enum { POWERS = 32 };
    int free_of[POWERS], *after = TN_PUSH_RAW(m->o->arena, int, m->n);
    memset(free_of, -1, sizeof free_of);
    for (int f = 0; after && f < m->n; f++) {
        tn_front *front = &m->front[f];
        int *free = &free_of[power_of_rest(front)];
        if (*free >= 0) {
            front->rest = m->front[*free].rest;
            *free = after[*free];
        } else {
            front->rest = ldl->n_rests;
            ldl->n_rests += (size_t)1 << power_of_rest(front);
        }
        for (int c = front->child; c >= 0; c = m->front[c].next) {
            free = &free_of[power_of_rest(&m->front[c])];
            after[c] = *free;
            *free = c;
        }
    }
    return after != NULL;
}

static bool place_all(making *m, tn_assembly *out)
{
    order *o = m->o;
    const tn_rows *rows = o->rows;
    tn_assembly_fronts *s = TN_PUSH(o->arena, tn_assembly_fronts, 1);
    size_t n_entries = rows->n_singles > 0 ? (size_t)rows->start[rows->n_singles] : 0;
    int n_blocks = o->A->start[o->A->n_rows];
    size_t *block_to = TN_PUSH_RAW(o->arena, size_t, n_blocks), *entry_to = TN_PUSH(o->arena, size_t, n_entries);
    size_t *row_to = TN_PUSH(o->arena, size_t, rows->n_singles);
    int *block_stride = TN_PUSH_RAW(o->arena, int, n_blocks), *entry_stride = TN_PUSH(o->arena, int, n_entries);
    int *block_at = TN_PUSH_RAW(o->arena, int, o->A->n_rows), *row_at = TN_PUSH_RAW(o->arena, int, rows->n_singles);
    if (!s || !block_to || !entry_to || !row_to || !block_stride || !entry_stride || !block_at || !row_at) {
        return false;
    }
    for (int f = 0; f < m->n; f++) {
        tn_front *front = &m->front[f];
        front->at = s->ldl.n_values;
        s->ldl.n_values += (size_t)front->n * (size_t)front->stride;
        out->flops += (double)front->n * front->width * front->width;
        if (!place_border(m, f)) {
            return false;
        }
    }
    for (int f = 0; f < m->n; f++) {
        for (int c = m->front[f].child; c >= 0; c = m->front[c].next) {
            if (!place_child(m, &m->front[f], &m->front[c])) {
                return false;
            }
        }
    }
    if (!place_rests(m, &s->ldl)) {
        return false;
    }
    place_blocks(m, block_to, block_stride);
    place_rows(m, entry_to, entry_stride, row_to);
    for (int i = 0; i < o->A->n_rows; i++) {
        block_at[i] = m->position[o->body_of[i]] + 3 * o->place[i];
    }
    for (int i = 0; i < rows->n_singles; i++) {
        row_at[i] = o->group_of[i] < 0 ? -1 : m->position[o->group_of[i]] + o->row_in[i];
    }
    s->ldl.n = m->n;
    s->ldl.size = m->next;
    s->ldl.front = m->front;
    s->block_to = block_to;
    s->block_stride = block_stride;
    s->entry_to = entry_to;
    s->entry_stride = entry_stride;
    s->row_to = row_to;
    out->fronts = s;
    out->size = m->next;
    out->block_at = block_at;
    out->row_at = row_at;
    return true;
}

bool tn_assembly_create(tn_assembly *out, const tn_blocks *A, const tn_parts *parts, const tn_rows *rows,
                        const bool *taken, double max_flops, tn_arena *arena, bool *fits)
{
    order o = {.A = A, .parts = parts, .rows = rows, .arena = arena, .any = max_flops == INFINITY};
    making m;
    *out = (tn_assembly){.size = 0};
    *fits = parts->largest_sparse <= TN_ASSEMBLY_BLOCKS || o.any;
    if (!*fits || !make_items(&o, taken) || !order_bodies(&o, fits) || !make_fronts(&m, &o) || !place_all(&m, out)) {
        return false;
    }
    *fits = out->flops <= max_flops;
    if (!*fits) {
        return false;
    }
    tn_ldl *ldl = &out->fronts->ldl;
    ldl->value = TN_PUSH_RAW(arena, double, ldl->n_values);
    ldl->rests = TN_PUSH_RAW(arena, double, ldl->n_rests);
    ldl->inverse = TN_PUSH_RAW(arena, double, out->size);
    return ldl->value && ldl->rests && ldl->inverse;
}
