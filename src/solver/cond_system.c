#include "solver/cond_system.h"

#include "math/mat3.h"

#include <math.h>
#include <string.h>

static int n_entries(const tn_contacts *contacts)
{
    return contacts->n > 0 ? contacts->start[contacts->n] : 0;
}

// J J^T = I: a rotation, a contact point that is a node.
static bool is_rotation(const double j[9])
{
    double p[9];
    tn_mat3_mul_nt(p, j, j);
    double worst = 0.0;
    for (int k = 0; k < 9; k++) {
        worst = fmax(worst, fabs(p[k] - (k % 4 == 0 ? 1.0 : 0.0)));
    }
    return worst < 1e-12;
}

// Rows of A whose velocity a force on `block` changes: all of its body, or the node alone.
static int rows_of(const tn_cond_bodies *bodies, int block, const int **rows)
{
    const tn_components *components = &bodies->components;
    int c = components->of_block[block];
    *rows = components->blocks + components->start[c];
    return components->start[c + 1] - components->start[c];
}

// part = S_(row, block) J^T
static void response_part(const tn_cond_system *s, int row, int block, const double j[9], double part[9])
{
    const tn_components *components = &s->bodies.components;
    int c = components->of_block[block];
    int n = 3 * (components->start[c + 1] - components->start[c]);
    const double *inverse = s->bodies.inverse + s->bodies.inverse_start[c];
    for (int a = 0; a < 3; a++) {
        if (s->bodies.is_node[block]) {
            tn_vec3_set(part + 3 * a, s->w[3 * block + a] * j[a], s->w[3 * block + a] * j[3 + a],
                        s->w[3 * block + a] * j[6 + a]);
        } else {
            tn_mat3_vec(part + 3 * a, j, inverse + n * (3 * components->place[row] + a) + 3 * components->place[block]);
        }
    }
}

// Add part to the response of `row` among places [first, last); append the row if new. Returns the new last.
static int add_response(tn_cond_system *s, int first, int last, int row, const double part[9])
{
    int at = first;
    while (at < last && s->response_block[at] != row) {
        at++;
    }
    s->response_block[at] = row;
    for (int k = 0; k < 9; k++) {
        s->response[9 * at + k] += part[k];
    }
    return at < last ? last : last + 1;
}

static void set_response(tn_cond_system *s, int m)
{
    const tn_contacts *contacts = s->problem->contacts;
    int first = s->response_start[m], last = first;
    for (int e = contacts->start[m]; e < contacts->start[m + 1]; e++) {
        const int *rows;
        int block = contacts->block[e];
        int n = rows_of(&s->bodies, block, &rows);
        if (s->bodies.is_node[block]) {
            rows = &contacts->block[e];
            n = 1;
        }
        for (int i = 0; i < n; i++) {
            double part[9];
            response_part(s, rows[i], block, contacts->jacobian + 9 * e, part);
            last = add_response(s, first, last, rows[i], part);
        }
    }
    s->response_start[m + 1] = last;
}

static double largest_of_symmetric(const double a[9])
{
    double values[3], vectors[9], symmetric[9];
    for (int i = 0; i < 3; i++) {
        for (int j = 0; j < 3; j++) {
            symmetric[3 * i + j] = 0.5 * (a[3 * i + j] + a[3 * j + i]);
        }
    }
    tn_mat3_eigen(symmetric, values, vectors);
    return fmax(values[2], 0.0);
}

// gamma of contact m: the largest eigenvalue of its own block of J S J^T (+ Omega), bodies and nodes apart.
static void set_gamma(tn_cond_system *s, int m)
{
    const tn_contacts *contacts = s->problem->contacts;
    double own[2][9] = {{0.0}, {0.0}};
    if (contacts->omega) {
        memcpy(own[0], contacts->omega + 9 * m, sizeof own[0]);
    }
    for (int e = contacts->start[m]; e < contacts->start[m + 1]; e++) {
        for (int r = s->response_start[m]; r < s->response_start[m + 1]; r++) {
            if (s->response_block[r] == contacts->block[e]) {
                double part[9];
                tn_mat3_mul(part, contacts->jacobian + 9 * e, s->response + 9 * r);
                double *sum = own[s->bodies.is_node[contacts->block[e]]];
                for (int k = 0; k < 9; k++) {
                    sum[k] += part[k];
                }
            }
        }
    }
    s->gamma_body[m] = largest_of_symmetric(own[0]) + (s->compliance ? s->compliance[m] : 0.0);
    s->gamma_node[m] = largest_of_symmetric(own[1]);
}

// touched: rows that some contact meets as a node. nodal: the contacts all of whose rows are nodes of theirs alone.
static tn_status find_nodal(tn_cond_system *s, tn_arena *arena, bool *touched)
{
    const tn_contacts *contacts = s->problem->contacts;
    int *uses = TN_PUSH(arena, int, s->n_rows);
    if (!uses) {
        return TN_NO_MEMORY;
    }
    for (int e = 0; e < n_entries(contacts); e++) {
        int block = contacts->block[e];
        uses[block]++;
        touched[block] = touched[block] || is_rotation(contacts->jacobian + 9 * e);
    }
    for (int m = 0; m < s->n_contacts; m++) {
        s->nodal[m] = !contacts->omega;
        for (int e = contacts->start[m]; e < contacts->start[m + 1]; e++) {
            int block = contacts->block[e];
            s->nodal[m] =
                s->nodal[m] && s->bodies.is_node[block] && uses[block] == 1 && is_rotation(contacts->jacobian + 9 * e);
        }
    }
    return TN_OK;
}

static int count_responses(const tn_cond_system *s)
{
    const tn_contacts *contacts = s->problem->contacts;
    int count = 0;
    for (int e = 0; e < n_entries(contacts); e++) {
        const int *rows;
        int n = rows_of(&s->bodies, contacts->block[e], &rows);
        count += s->bodies.is_node[contacts->block[e]] ? 1 : n;
    }
    return count;
}

tn_status tn_cond_system_create(const tn_problem *problem, const tn_cond_options *cond, const double *compliance,
                                int n_threads, tn_arena *arena, tn_cond_system *out, tn_error *error)
{
    tn_cond_system *s = out;
    *s = (tn_cond_system){.problem = problem,
                          .n_rows = problem->A->n_rows,
                          .n_contacts = problem->contacts->n,
                          .n_threads = n_threads,
                          .compliance = compliance};
    tn_status status = tn_cond_bodies_create(problem->A, cond->small_component, arena, &s->bodies, error);
    if (status != TN_OK) {
        return status;
    }
    int n_responses = count_responses(s);
    s->w = TN_PUSH(arena, double, 3 * s->n_rows);
    s->response_start = TN_PUSH(arena, int, s->n_contacts + 1);
    s->response_block = TN_PUSH(arena, int, n_responses);
    s->response = TN_PUSH(arena, double, 9 * n_responses);
    s->gamma_body = TN_PUSH(arena, double, s->n_contacts);
    s->gamma_node = TN_PUSH(arena, double, s->n_contacts);
    s->nodal = TN_PUSH(arena, bool, s->n_contacts);
    bool *touched = TN_PUSH(arena, bool, s->n_rows);
    if (!s->w || !s->response_start || !s->response_block || !s->response || !s->gamma_body || !s->gamma_node ||
        !s->nodal || !touched || find_nodal(s, arena, touched) != TN_OK ||
        tn_cond_set_w(s, cond->uniform_w, touched, arena) != TN_OK) {
        return tn_error_set(error, TN_NO_MEMORY, "no memory to prepare cond");
    }
    for (int m = 0; m < s->n_contacts; m++) {
        set_response(s, m);
        set_gamma(s, m);
    }
    return TN_OK;
}
