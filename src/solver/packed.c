#include "solver/packed.h"

#include "law/local.h"
#include "math/vec3.h"

#include <math.h>
#include <string.h>

// What the local solve needs of W = H H^T (+ Omega), the strict law's elimination of the normal done in advance.
struct tn_packed_contact {
    double offset[3]; // w [m/s]
    double w;         // W_nn [s/kg]
    double g[2];      // W_nt / W_nn
    double S[3];      // W_tt - W_tn W_nt / W_nn: [0] (1,1), [1] (1,2), [2] (2,2)
    double mu;        // isotropic friction, or negative: leave it to the general solve
};

typedef struct builder {
    const tn_problem *problem;
    const tn_components *components;
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

static void fill_contact(const builder *b, int m, tn_packed_contact *out)
{
    const tn_contacts *c = b->problem->contacts;
    double W[9] = {0.0};
    for (int e = b->start[m]; e < b->start[m + 1]; ++e) {
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
    out->g[0] = W[0] > 0.0 ? W[1] / W[0] : 0.0;
    out->g[1] = W[0] > 0.0 ? W[2] / W[0] : 0.0;
    out->S[0] = W[4] - W[3] * out->g[0];
    out->S[1] = W[5] - W[3] * out->g[1];
    out->S[2] = W[8] - W[6] * out->g[1];
    const double *mu = c->mu + 2 * (size_t)m;
    double determinant = out->S[0] * out->S[2] - out->S[1] * out->S[1], trace = out->S[0] + out->S[2];
    bool simple = b->problem->law == TN_LAW_COULOMB && mu[0] == mu[1] && mu[0] > 0.0 && W[0] > 0.0 &&
                  determinant > 1e-12 * trace * trace;
    out->mu = simple ? mu[0] : -1.0;
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
    b->start = TN_PUSH(arena, int, n + 1);
    b->touched = TN_PUSH(arena, int, most);
    if (!b->start || !b->touched) {
        return TN_NO_MEMORY;
    }
    for (int m = 0; m < n; ++m) {
        int touched = find_touched(b, m);
        b->start[m + 1] = b->start[m];
        for (int k = 0; k < touched; ++k) {
            b->start[m + 1] += size_of(components, b->touched[k]);
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
    for (int m = 0; m < n; ++m) {
        int first = b->start[m], touched = find_touched(b, m);
        for (int k = 0; k < touched; ++k) {
            fill_entries(b, m, b->touched[k], first);
            first += size_of(components, b->touched[k]);
        }
        fill_contact(b, m, &contacts[m]);
    }
    for (int k = 0; k < p->A->n_rows; ++k) {
        tn_vec3_copy(packed->x_free + 3 * k, p->b + 3 * components->blocks[k]);
    }
    for (int k = 0; k < components->n; ++k) {
        forward(components, k, packed->x_free + 3 * components->start[k]);
    }
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

static inline void read_velocity(const tn_packed *p, int m, double u[3])
{
    double a = p->contacts[m].offset[0], b = p->contacts[m].offset[1], c = p->contacts[m].offset[2];
    for (int e = p->start[m]; e < p->start[m + 1]; ++e) {
        const double *H = p->H + 9 * (size_t)e, *x = p->x + p->at[e];
        a += H[0] * x[0] + H[3] * x[1] + H[6] * x[2];
        b += H[1] * x[0] + H[4] * x[1] + H[7] * x[2];
        c += H[2] * x[0] + H[5] * x[1] + H[8] * x[2];
    }
    u[0] = a;
    u[1] = b;
    u[2] = c;
}

static inline void write_velocity(tn_packed *p, int m, double a, double b, double c)
{
    for (int e = p->start[m]; e < p->start[m + 1]; ++e) {
        const double *H = p->H + 9 * (size_t)e;
        double *x = p->x + p->at[e];
        x[0] += H[0] * a + H[1] * b + H[2] * c;
        x[1] += H[3] * a + H[4] * b + H[5] * c;
        x[2] += H[6] * a + H[7] * b + H[8] * c;
    }
}

static inline void add_omega(const tn_packed *p, int m, const double *lambda, double u[3])
{
    if (p->omega) {
        const double *o = p->omega + 9 * (size_t)m;
        for (int i = 0; i < 3; ++i) {
            u[i] += o[3 * i] * lambda[0] + o[3 * i + 1] * lambda[1] + o[3 * i + 2] * lambda[2];
        }
    }
}

void tn_packed_set(tn_packed *p, const double *lambda)
{
    memcpy(p->x, p->x_free, (size_t)p->n_x * sizeof *p->x);
    for (int m = 0; m < p->n; ++m) {
        write_velocity(p, m, lambda[3 * m], lambda[3 * m + 1], lambda[3 * m + 2]);
    }
}

void tn_packed_velocity(const tn_packed *p, const double *lambda, double *u)
{
    for (int m = 0; m < p->n; ++m) {
        read_velocity(p, m, u + 3 * m);
        add_omega(p, m, lambda + 3 * m, u + 3 * m);
    }
}

static void solve_general(const tn_packed *p, int m, const double u[3], double r[3])
{
    const tn_packed_contact *c = &p->contacts[m];
    double a = c->w * c->g[0], b = c->w * c->g[1];
    const double W[9] = {
        c->w, a, b, a, c->S[0] + a * c->g[0], c->S[1] + a * c->g[1], b, c->S[1] + a * c->g[1], c->S[2] + b * c->g[1]};
    double q[3];
    for (int i = 0; i < 3; ++i) {
        q[i] = u[i] - (W[3 * i] * r[0] + W[3 * i + 1] * r[1] + W[3 * i + 2] * r[2]);
    }
    tn_local_solve(p->law, p->mu + 2 * (size_t)m, W, q, r);
}

// Sliding: t(x) = -(S + x I)^-1 b with |t| = mu n(x), n = n0 - g . t; Newton on mu n / |t| - 1 from the last x, kept
// inside the bracket. False: cap reached (the general solve takes over).
static bool solve_slide(const tn_packed_contact *c, double n0, const double b[2], double *start, double r[3])
{
    double x = *start, low = 0.0, high = HUGE_VAL;
    for (int k = 0; k < 20; ++k) {
        double s0 = c->S[0] + x, s2 = c->S[2] + x, inverse = 1.0 / (s0 * s2 - c->S[1] * c->S[1]);
        double t0 = (c->S[1] * b[1] - s2 * b[0]) * inverse, t1 = (c->S[1] * b[0] - s0 * b[1]) * inverse;
        double n = n0 - c->g[0] * t0 - c->g[1] * t1, per_length = 1.0 / sqrt(t0 * t0 + t1 * t1);
        double f = c->mu * n * per_length - 1.0;
        if (fabs(f) <= 1e-14) {
            double factor = c->mu * n * per_length; // 1 to rounding: into the cone exactly
            r[0] = n;
            r[1] = factor * t0;
            r[2] = factor * t1;
            *start = x;
            return n > 0.0;
        }
        if (f < 0.0) {
            low = x;
        } else {
            high = x;
        }
        double d0 = (c->S[1] * t1 - s2 * t0) * inverse, d1 = (c->S[1] * t0 - s0 * t1) * inverse;
        double slope = -c->g[0] * d0 - c->g[1] * d1 - n * (t0 * d0 + t1 * d1) * per_length * per_length;
        double next = x - f / (c->mu * per_length * slope);
        if (!(next > low && next < high)) {
            next = high < HUGE_VAL ? 0.5 * (low + high) : 2.0 * low + c->S[0] + c->S[2];
        }
        x = next;
    }
    *start = 0.0;
    return false;
}

static inline bool solve_simple(tn_packed *p, int m, const double u[3], double r[3])
{
    const tn_packed_contact *c = &p->contacts[m];
    double a = u[0] / c->w, n0 = r[0] + c->g[0] * r[1] + c->g[1] * r[2] - a;
    if (n0 <= 0.0) {
        r[0] = r[1] = r[2] = 0.0;
        return true;
    }
    const double b[2] = {u[1] - a * c->w * c->g[0] - c->S[0] * r[1] - c->S[1] * r[2],
                         u[2] - a * c->w * c->g[1] - c->S[1] * r[1] - c->S[2] * r[2]};
    double inverse = 1.0 / (c->S[0] * c->S[2] - c->S[1] * c->S[1]);
    double t0 = (c->S[1] * b[1] - c->S[2] * b[0]) * inverse, t1 = (c->S[1] * b[0] - c->S[0] * b[1]) * inverse;
    double n = n0 - c->g[0] * t0 - c->g[1] * t1, limit = c->mu * n;
    if (n >= 0.0 && t0 * t0 + t1 * t1 <= limit * limit) {
        r[0] = n;
        r[1] = t0;
        r[2] = t1;
        return true;
    }
    return solve_slide(c, n0, b, &p->slide[m], r);
}

void tn_packed_sweep(tn_packed *p, double *lambda)
{
    for (int m = 0; m < p->n; ++m) {
        double *now = lambda + 3 * m, u[3], r[3] = {now[0], now[1], now[2]};
        read_velocity(p, m, u);
        add_omega(p, m, r, u);
        if (!(p->contacts[m].mu > 0.0 && solve_simple(p, m, u, r))) {
            tn_vec3_copy(r, now);
            solve_general(p, m, u, r);
        }
        write_velocity(p, m, r[0] - now[0], r[1] - now[1], r[2] - now[2]);
        tn_vec3_copy(now, r);
    }
}

// y = L^-T y
static void backward(const tn_components *p, int component, double *y)
{
    int width = 3 * size_of(p, component);
    const double *L = p->factor + p->offset[component];
    for (int i = width - 1; i >= 0; --i) {
        double sum = y[i];
        for (int k = i + 1; k < width; ++k) {
            sum -= L[k * width + i] * y[k];
        }
        y[i] = sum / L[i * width + i];
    }
}

void tn_packed_recover(tn_packed *p, const double *lambda, double *v)
{
    tn_packed_set(p, lambda);
    for (int k = 0; k < p->components.n; ++k) {
        double y[3 * TN_COMPONENT_BLOCKS];
        int first = p->components.start[k], size = size_of(&p->components, k);
        memcpy(y, p->x + 3 * first, (size_t)(3 * size) * sizeof *y);
        backward(&p->components, k, y);
        for (int i = 0; i < size; ++i) {
            tn_vec3_copy(v + 3 * p->components.blocks[first + i], y + 3 * i);
        }
    }
}
