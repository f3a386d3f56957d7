// Building the packed contacts: H = J L^-T, the order of the sweep, each contact's own W.
#include "solver/packed.h"

#include "math/vec3.h"

enum { STRIDE = 64 };

typedef struct builder {
    const tn_problem *problem;
    const tn_components *components;
    int *id;
    int *start;
    int *at;
    double *H;
    int *touched; // components of one contact
} builder;

static int size_of(const tn_components *p, int c)
{
    return p->start[c + 1] - p->start[c];
}

static int find_touched(builder *b, int m)
{
    const tn_contacts *c = b->problem->contacts;
    int n = 0;
    for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
        int component = b->components->of_block[c->block[e]], k = 0;
        while (k < n && b->touched[k] != component) {
            ++k;
        }
        if (k == n) {
            b->touched[n++] = component;
        }
    }
    return n;
}

// y = L^-1 y, L the component's lower factor (row-major, 3 size square).
static void forward(const tn_components *p, int component, double *y)
{
    int width = 3 * size_of(p, component);
    const double *L = p->factor + p->offset[component];
    for (int i = 0; i < width; ++i) {
        double sum = y[i];
        for (int k = 0; k < i; ++k) {
            sum -= L[i * width + k] * y[k];
        }
        y[i] = sum / L[i * width + i];
    }
}

// The entries of one contact in one component, from entry `first` on.
static void fill_entries(builder *b, int m, int component, int first)
{
    const tn_contacts *c = b->problem->contacts;
    const tn_components *p = b->components;
    for (int i = 0; i < 3; ++i) {
        double row[3 * TN_COMPONENT_BLOCKS] = {0.0};
        for (int e = c->start[m]; e < c->start[m + 1]; ++e) {
            if (p->of_block[c->block[e]] == component) {
                double *part = row + 3 * p->place[c->block[e]];
                tn_vec3_add(part, part, c->jacobian + 9 * (size_t)e + 3 * i);
            }
        }
        forward(p, component, row);
        for (int k = 0; k < 3 * size_of(p, component); ++k) {
            b->H[9 * (size_t)(first + k / 3) + (size_t)(3 * (k % 3) + i)] = row[k];
        }
    }
    for (int k = 0; k < size_of(p, component); ++k) {
        // x is ordered by components: their blocks lie together.
        b->at[first + k] = 3 * (p->start[component] + k);
    }
}

static void fill_contact(const builder *b, int k, tn_packed_contact *out)
{
    const tn_contacts *c = b->problem->contacts;
    int m = b->id[k];
    double W[9] = {0.0};
    for (int e = b->start[k]; e < b->start[k + 1]; ++e) {
        const double *H = b->H + 9 * (size_t)e;
        for (int i = 0; i < 9; ++i) {
            W[i] += H[i / 3] * H[i % 3] + H[3 + i / 3] * H[3 + i % 3] + H[6 + i / 3] * H[6 + i % 3];
        }
    }
    for (int i = 0; c->omega && i < 9; ++i) {
        W[i] += c->omega[9 * (size_t)m + (size_t)i];
    }
    tn_vec3_copy(out->offset, c->offset + 3 * (size_t)m);
    out->w = W[0];
    out->inverse_w = W[0] > 0.0 ? 1.0 / W[0] : 0.0;
    out->g[0] = W[1] * out->inverse_w;
    out->g[1] = W[2] * out->inverse_w;
    out->S[0] = W[4] - W[3] * out->g[0];
    out->S[1] = W[5] - W[3] * out->g[1];
    out->S[2] = W[8] - W[6] * out->g[1];
    const double *mu = c->mu + 2 * (size_t)m;
    double determinant = out->S[0] * out->S[2] - out->S[1] * out->S[1], trace = out->S[0] + out->S[2];
    bool simple = b->problem->law == TN_LAW_COULOMB && mu[0] == mu[1] && mu[0] > 0.0 && W[0] > 0.0 &&
                  determinant > 1e-12 * trace * trace;
    out->inverse_determinant = simple ? 1.0 / determinant : 0.0;
    out->mu = simple ? mu[0] : -1.0;
}

// The order of the sweep. Neighbours in the list share a body, and each would wait for the other's velocities: take
// every STRIDE-th, so that the processor works on several contacts at once.
static void choose_order(int n, int *id)
{
    int k = 0;
    for (int first = 0; first < STRIDE; ++first) {
        for (int m = first; m < n; m += STRIDE) {
            id[k++] = m;
        }
    }
}

// Entries for every contact, then x of the free motion.
static tn_status build(builder *b, tn_packed *packed, tn_arena *arena)
{
    const tn_problem *p = b->problem;
    const tn_contacts *c = p->contacts;
    const tn_components *components = b->components;
    int n = c->n, most = 0;
    for (int m = 0; m < n; ++m) {
        int entries = c->start[m + 1] - c->start[m];
        most = entries > most ? entries : most;
    }
    b->id = TN_PUSH(arena, int, n);
    b->start = TN_PUSH(arena, int, n + 1);
    b->touched = TN_PUSH(arena, int, most);
    if (!b->id || !b->start || !b->touched) {
        return TN_NO_MEMORY;
    }
    choose_order(n, b->id);
    for (int k = 0; k < n; ++k) {
        int touched = find_touched(b, b->id[k]);
        b->start[k + 1] = b->start[k];
        for (int i = 0; i < touched; ++i) {
            b->start[k + 1] += size_of(components, b->touched[i]);
        }
    }
    tn_packed_contact *contacts = TN_PUSH(arena, tn_packed_contact, n);
    b->at = TN_PUSH(arena, int, b->start[n]);
    b->H = TN_PUSH(arena, double, 9 * (size_t)b->start[n]);
    packed->n_x = 3 * p->A->n_rows;
    packed->slide = TN_PUSH(arena, double, n);
    packed->x = TN_PUSH(arena, double, packed->n_x);
    packed->x_free = TN_PUSH(arena, double, packed->n_x);
    if (!contacts || !b->at || !b->H || !packed->slide || !packed->x || !packed->x_free) {
        return TN_NO_MEMORY;
    }
    for (int k = 0; k < n; ++k) {
        int first = b->start[k], touched = find_touched(b, b->id[k]);
        for (int i = 0; i < touched; ++i) {
            fill_entries(b, b->id[k], b->touched[i], first);
            first += size_of(components, b->touched[i]);
        }
        fill_contact(b, k, &contacts[k]);
    }
    for (int k = 0; k < p->A->n_rows; ++k) {
        tn_vec3_copy(packed->x_free + 3 * k, p->b + 3 * components->blocks[k]);
    }
    for (int k = 0; k < components->n; ++k) {
        forward(components, k, packed->x_free + 3 * components->start[k]);
    }
    packed->id = b->id;
    packed->start = b->start;
    packed->at = b->at;
    packed->H = b->H;
    packed->contacts = contacts;
    return TN_OK;
}

tn_status tn_packed_create(tn_packed *packed, const tn_problem *problem, tn_arena *arena, tn_error *error)
{
    *packed = (tn_packed){
        .n = problem->contacts->n, .law = problem->law, .omega = problem->contacts->omega, .mu = problem->contacts->mu};
    builder b = {.problem = problem, .components = &packed->components};
    tn_status status = tn_components_find(problem->A, arena, &packed->components);
    if (status == TN_OK && packed->components.largest > TN_COMPONENT_BLOCKS) {
        return tn_error_set(error, TN_BAD_INPUT, "A couples more than %d blocks", TN_COMPONENT_BLOCKS);
    }
    if (status == TN_OK) {
        status = tn_components_factor(problem->A, arena, &packed->components, error);
        if (status == TN_NUMERICS) {
            return status;
        }
    }
    if (status == TN_OK) {
        status = build(&b, packed, arena);
    }
    return status == TN_OK ? TN_OK : tn_error_set(error, status, "no memory for the contacts of the sweep");
}
