#include "solver/packed/rest.h"

#include "math/dense.h"
#include "math/mat3.h"
#include "problem/bound.h"
#include "problem/problem.h"
#include "problem/rows.h"

#include <math.h>
#include <string.h>

static const double REGULAR = 1e-10; // of a block's mean diagonal

// ---- entries

// Where the Jacobian of an item's row stands.
typedef struct source {
    int first, end; // entries
    const int *block;
    const double *row; // entry e at stride e
    int stride;
} source;

static source source_of(const tn_rest *r, int k, int i)
{
    const tn_rows *c = r->problem->rows;
    int id = r->id[r->item[k].first_row + i];
    if (k < r->n_contacts) {
        return (source){c->start[id], c->start[id + 1], c->block, c->jacobian + 3 * (ptrdiff_t)i, 9};
    }
    tn_rows s = tn_rows_singles(c);
    return (source){s.start[id], s.start[id + 1], s.block, s.jacobian, 3};
}

// The parts that an item touches, each once; their number.
static int find_touched(const tn_rest *r, const tn_parts *p, int k, int *touched)
{
    int n = 0;
    for (int i = 0; i < r->item[k].n_rows; ++i) {
        source s = source_of(r, k, i);
        for (int e = s.first; e < s.end; ++e) {
            int part = p->of_block[s.block[e]], t = 0;
            while (t < n && touched[t] != part) {
                ++t;
            }
            touched[t] = part;
            n = t == n ? n + 1 : n;
        }
    }
    return n;
}

// The entries of an item in one part: H = J L^-T, which fills all its blocks.
static void fill_entries(const tn_rest *r, const tn_lines *lines, const tn_central *central, int k, int part, int *at,
                         double *H)
{
    const tn_parts *p = lines->parts;
    int rows = r->item[k].n_rows, size = tn_part_size(p, part);
    for (int i = 0; i < rows; ++i) {
        double row[3 * TN_PART_BLOCKS];
        source s = source_of(r, k, i);
        memset(row, 0, 3 * (size_t)size * sizeof *row);
        for (int e = s.first; e < s.end; ++e) {
            if (p->of_block[s.block[e]] == part) {
                double *to = row + 3 * p->place[s.block[e]];
                tn_vec3_add(to, to, s.row + (ptrdiff_t)s.stride * e);
            }
        }
        tn_lines_forward(lines, part, row);
        for (int j = 0; j < 3 * size; ++j) {
            H[rows * j + i] = row[j];
        }
    }
    for (int b = 0; b < size; ++b) {
        at[b] = lines->at[p->blocks[p->start[part] + b]];
        for (int i = 0; central && at[b] % TN_PACK == 3 && i < rows; ++i) {
            tn_central_turn(central, at[b] / TN_PACK, H + 3 * rows * b + i, (size_t)rows);
        }
    }
}

// ---- what an item's forces do to itself

// W (rows, rows) = H H^T
static void fill_own(const tn_rest *r, const tn_rest_item *it, double *W)
{
    int n = it->n_rows;
    memset(W, 0, (size_t)(n * n) * sizeof *W);
    for (int e = 0; e < 3 * it->n_at; ++e) {
        const double *h = r->H + it->H + (ptrdiff_t)n * e;
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                W[n * i + j] += h[i] * h[j];
            }
        }
    }
}

static void soften(const tn_rest *r, const tn_rest_item *it, double *W)
{
    const double *softness = r->problem->rows->softness;
    for (int i = 0; softness && i < 9; ++i) {
        W[i] += softness[9 * (size_t)r->id[it->first_row] + (size_t)i];
    }
}

// W becomes its inverse, with what the rows give way; zero where nothing moves. rho: of each row.
static void invert(const tn_rest *r, const tn_rest_item *it, double *W, double *rho)
{
    double M[TN_REST_ROWS * TN_REST_ROWS], column[TN_REST_ROWS], mean = 0.0;
    int n = it->n_rows;
    for (int i = 0; i < n; ++i) {
        mean += W[i * n + i] / n;
        W[i * n + i] += r->problem->rows->compliance[r->id[it->first_row + i]];
        rho[i] = W[i * n + i] > 0.0 ? 1.0 / W[i * n + i] : 1.0;
    }
    for (int i = 0; i < n; ++i) {
        W[i * n + i] += REGULAR * mean;
    }
    memcpy(M, W, (size_t)(n * n) * sizeof *M);
    memset(W, 0, (size_t)(n * n) * sizeof *W);
    if (!tn_dense_cholesky(n, M)) {
        return;
    }
    for (int j = 0; j < n; ++j) {
        memset(column, 0, sizeof column);
        column[j] = 1.0;
        tn_dense_cholesky_solve(n, M, column);
        for (int i = 0; i < n; ++i) {
            W[i * n + j] = column[i];
        }
    }
}

// ---- groups of joint rows

typedef struct builder {
    tn_rest_item *item;
    int *id, *force;
    int n_rows, n;
} builder;

static void begin_item(builder *b)
{
    b->item[b->n++] = (tn_rest_item){.first_row = b->n_rows};
}

static void add_row(builder *b, int id, int force)
{
    b->item[b->n - 1].n_rows++;
    b->id[b->n_rows] = id;
    b->force[b->n_rows++] = force;
}

// The rows of one joint: first those without bounds.
static void add_joint(builder *b, const tn_rows *rows, int first, int end, int place)
{
    int n = 0;
    for (int i = first; i < end; ++i) {
        if (!tn_single_is_bounded(rows, i)) {
            if (n++ % TN_REST_ROWS == 0) {
                begin_item(b);
            }
            add_row(b, i, place + i);
        }
    }
    for (int i = first; i < end; ++i) {
        if (tn_single_is_bounded(rows, i)) {
            begin_item(b);
            add_row(b, i, place + i);
        }
    }
}

static void add_items(builder *b, const tn_rows *rows, int n, const int *id, tn_rest_place place)
{
    for (int k = 0; k < n; ++k) {
        begin_item(b);
        for (int i = 0; i < 3; ++i) {
            add_row(b, id[k], place.contacts + 3 * k + i);
        }
    }
    for (int first = 0, end; first < rows->n_singles; first = end) {
        for (end = first + 1; end < rows->n_singles && rows->joint && rows->joint[end] == rows->joint[first]; ++end) {
        }
        add_joint(b, rows, first, end, place.joints);
    }
}

// ---- creation

// Counts of entries and the places of matrices. touched: room.
static void count_entries(const tn_rest *r, const tn_parts *p, tn_rest_item *item, int *touched, tn_rest_item *end)
{
    *end = (tn_rest_item){0};
    for (int k = 0; k < r->n; ++k) {
        tn_rest_item *it = &item[k];
        int count = find_touched(r, p, k, touched);
        for (int i = 0; i < count; ++i) {
            it->n_at += tn_part_size(p, touched[i]);
        }
        it->first_at = end->first_at;
        it->H = end->H;
        it->W = end->W;
        end->first_at += it->n_at;
        end->H += 3 * (size_t)(it->n_at * it->n_rows);
        end->W += (size_t)(it->n_rows * it->n_rows);
    }
}

static int most_entries(const tn_rest *r)
{
    int most = 0;
    for (int k = 0; k < r->n; ++k) {
        int entries = 0;
        for (int i = 0; i < r->item[k].n_rows; ++i) {
            source s = source_of(r, k, i);
            entries += s.end - s.first;
        }
        most = entries > most ? entries : most;
    }
    return most;
}

static void fill_item(const tn_rest *r, const tn_lines *lines, const tn_central *central, int k, int *touched, int *at,
                      double *H, double *W, double *rho)
{
    const tn_rest_item *it = &r->item[k];
    int count = find_touched(r, lines->parts, k, touched);
    at += it->first_at;
    H += it->H;
    for (int i = 0; i < count; ++i) {
        fill_entries(r, lines, central, k, touched[i], at, H);
        at += tn_part_size(lines->parts, touched[i]);
        H += 3 * (size_t)(it->n_rows * tn_part_size(lines->parts, touched[i]));
    }
    fill_own(r, it, W + it->W);
    if (k < r->n_contacts) {
        soften(r, it, W + it->W);
        rho[it->first_row] = tn_check_rho(r->problem, r->id[it->first_row]);
    } else {
        invert(r, it, W + it->W, rho + it->first_row);
    }
}

bool tn_rest_create(tn_rest *r, const tn_problem *problem, const tn_lines *lines, int n, const int *id,
                    tn_rest_place place, tn_arena *arena)
{
    const tn_rows singles = tn_rows_singles(problem->rows);
    int most = n + singles.n_singles, n_rows = 3 * n + singles.n_singles;
    builder b = {.item = TN_PUSH(arena, tn_rest_item, most),
                 .id = TN_PUSH(arena, int, n_rows),
                 .force = TN_PUSH(arena, int, n_rows)};
    double *rho = TN_PUSH(arena, double, n_rows), *offset = TN_PUSH(arena, double, n_rows);
    if (!b.item || !b.id || !b.force || !rho || !offset) {
        return false;
    }
    add_items(&b, &singles, n, id, place);
    *r = (tn_rest){.problem = problem, .n_contacts = n, .n = b.n, .item = b.item, .id = b.id, .force = b.force};
    r->pressed = place.pressed;
    int *touched = TN_PUSH(arena, int, most_entries(r));
    if (!touched) {
        return false;
    }
    tn_rest_item end;
    count_entries(r, lines->parts, b.item, touched, &end);
    int *at = TN_PUSH(arena, int, end.first_at);
    double *H = TN_PUSH(arena, double, end.H), *W = TN_PUSH(arena, double, end.W);
    if (!at || !H || !W) {
        return false;
    }
    r->at = at;
    r->H = H;
    r->W = W;
    r->rho = rho;
    r->offset = offset;
    for (int k = 0; k < r->n; ++k) {
        fill_item(r, lines, place.central, k, touched, at, H, W, rho);
    }
    tn_rest_set_offsets(r, NULL);
    return true;
}

void tn_rest_set_offsets(tn_rest *r, const double *v)
{
    const tn_rows *rows = r->problem->rows, singles = tn_rows_singles(rows);
    for (int k = 0; k < r->n; ++k) {
        const tn_rest_item *it = &r->item[k];
        double *to = r->offset + it->first_row;
        for (int i = 0; i < it->n_rows; ++i) {
            int id = r->id[it->first_row + i];
            to[i] = k < r->n_contacts ? rows->offset[3 * (size_t)id + (size_t)i] : singles.offset[id];
            source s = source_of(r, k, i);
            for (int e = s.first; v && e < s.end; ++e) {
                to[i] += tn_vec3_dot(s.row + (ptrdiff_t)s.stride * e, v + 3 * (size_t)s.block[e]);
            }
        }
    }
}

// ---- sweeps

static double get(tn_pack_numbers from, int i)
{
    return from.f ? (double)from.f[i] : from.d[i];
}

// What the number is then.
static double put(tn_pack_numbers to, int i, double value)
{
    if (to.f) {
        to.f[i] = (float)value;
        return (double)to.f[i];
    }
    return to.d[i] = value;
}

static void get_forces(const tn_rest *r, const tn_rest_item *it, tn_pack_numbers lambda, double *f)
{
    for (int i = 0; i < it->n_rows; ++i) {
        f[i] = get(lambda, r->force[it->first_row + i]);
    }
}

// u (rows) of the forces f, with what the rows give way.
static void velocity(const tn_rest *r, int k, const double *f, tn_pack_numbers x, double *u)
{
    const tn_rest_item *it = &r->item[k];
    const tn_rows *rows = r->problem->rows;
    const int *id = r->id + it->first_row;
    int n = it->n_rows;
    memcpy(u, r->offset + it->first_row, (size_t)n * sizeof *u);
    const double *h = r->H + it->H;
    for (int e = 0; e < it->n_at; ++e) {
        for (int j = 0; j < 3; ++j, h += n) {
            double from = get(x, r->at[it->first_at + e] + j);
            for (int i = 0; i < n; ++i) {
                u[i] += h[i] * from;
            }
        }
    }
    if (k >= r->n_contacts) {
        for (int i = 0; i < n; ++i) {
            u[i] += rows->compliance[id[i]] * f[i];
        }
    } else if (rows->softness) {
        tn_mat3_add_vec(u, rows->softness + 9 * (size_t)id[0], f);
    }
}

static void push(const tn_rest *r, const tn_rest_item *it, const double *f, tn_pack_numbers x)
{
    const double *h = r->H + it->H;
    for (int e = 0; e < it->n_at; ++e) {
        for (int j = 0; j < 3; ++j, h += it->n_rows) {
            int at = r->at[it->first_at + e] + j;
            double sum = 0.0;
            for (int i = 0; i < it->n_rows; ++i) {
                sum += h[i] * f[i];
            }
            put(x, at, get(x, at) + sum);
        }
    }
}

void tn_rest_add(const tn_rest *r, tn_pack_numbers lambda, tn_pack_numbers anchor, tn_pack_numbers x)
{
    bool anchored = anchor.d || anchor.f;
    for (int k = 0; k < r->n; ++k) {
        const tn_rest_item *it = &r->item[k];
        double f[TN_REST_ROWS];
        get_forces(r, it, lambda, f);
        for (int i = 0; anchored && i < it->n_rows; ++i) {
            f[i] -= get(anchor, r->force[it->first_row + i]);
        }
        push(r, it, f, x);
    }
}

// The forces of a contact for its velocity u.
static void solve_contact(const tn_rest *r, int k, tn_pack_numbers all, double u[3], double f[3])
{
    const double *W = r->W + r->item[k].W;
    double own[3];
    tn_mat3_vec(own, W, f);
    tn_vec3_sub(u, u, own);
    tn_bound bound = tn_problem_bound(r->problem, r->id[r->item[k].first_row], NULL);
    bound.pressed = r->pressed[k] < 0 ? 0.0 : get(all, r->pressed[k]);
    tn_set_solve(&bound, W, u, f);
}

static void solve_rows(const tn_rest *r, int k, const double *u, double *f)
{
    const tn_rest_item *it = &r->item[k];
    const double *inverse = r->W + it->W;
    for (int i = 0; i < it->n_rows; ++i) {
        for (int j = 0; j < it->n_rows; ++j) {
            f[i] -= inverse[i * it->n_rows + j] * u[j];
        }
        f[i] = tn_single_clamp(r->problem->rows, r->id[it->first_row + i], f[i]);
    }
}

static void sweep_items(const tn_rest *r, int first, int end, tn_pack_numbers lambda, tn_pack_numbers x)
{
    for (int k = first; k < end; ++k) {
        const tn_rest_item *it = &r->item[k];
        double f[TN_REST_ROWS], change[TN_REST_ROWS], u[TN_REST_ROWS];
        get_forces(r, it, lambda, f);
        velocity(r, k, f, x, u);
        memcpy(change, f, (size_t)it->n_rows * sizeof *change);
        if (k < r->n_contacts) {
            solve_contact(r, k, lambda, u, f);
        } else {
            solve_rows(r, k, u, f);
        }
        for (int i = 0; i < it->n_rows; ++i) {
            change[i] = put(lambda, r->force[it->first_row + i], f[i]) - change[i];
        }
        push(r, it, change, x);
    }
}

void tn_rest_sweep(const tn_rest *r, tn_pack_numbers lambda, tn_pack_numbers x)
{
    sweep_items(r, 0, r->n, lambda, x);
}

void tn_rest_sweep_joints(const tn_rest *r, tn_pack_numbers lambda, tn_pack_numbers x)
{
    sweep_items(r, r->n_contacts, r->n, lambda, x);
}

// ---- figures

void tn_rest_add_sums(const tn_rest *r, tn_pack_numbers lambda, tn_pack_numbers x, tn_check_sums *sums)
{
    for (int k = 0; k < r->n_contacts; ++k) {
        const tn_rest_item *it = &r->item[k];
        double f[3], u[3], pressed = r->pressed[k] < 0 ? 0.0 : get(lambda, r->pressed[k]);
        get_forces(r, it, lambda, f);
        velocity(r, k, f, x, u);
        tn_check_add_triple(r->problem, r->id[it->first_row], r->rho[it->first_row], pressed, f, u, sums);
    }
}

double tn_rest_joint_error(const tn_rest *r, tn_pack_numbers lambda, tn_pack_numbers x)
{
    double most = 0.0;
    for (int k = r->n_contacts; k < r->n; ++k) {
        const tn_rest_item *it = &r->item[k];
        double f[TN_REST_ROWS], u[TN_REST_ROWS];
        get_forces(r, it, lambda, f);
        velocity(r, k, f, x, u);
        for (int i = 0; i < it->n_rows; ++i) {
            double rho = r->rho[it->first_row + i], moved = f[i] - rho * u[i];
            double clamped = tn_single_clamp(r->problem->rows, r->id[it->first_row + i], moved);
            double error = clamped == moved ? fabs(u[i]) : fabs(f[i] - clamped) / rho;
            most = error > most || isnan(error) ? error : most;
        }
    }
    return most;
}
