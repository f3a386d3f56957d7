#include "kernels/nodal/sections.h"

#include "math/mat3.h"
#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>

typedef struct cutting {
    const double *place;
    double size;
    int n; // sections so far
    int *of_row;
} cutting;

// Rows: the axes of the cuts that are left, with how far the nodes reach along them.
typedef struct axes {
    int n;
    double axis[3][3], extent[3];
} axes;

static double extent_along(const double axis[3], int n, const tn_section_node *nodes, const double *place)
{
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < n; i++) {
        double at = tn_vec3_dot(axis, place + 3 * (size_t)nodes[i].row);
        low = fmin(low, at);
        high = fmax(high, at);
    }
    return high - low;
}

// Extents along the axes, the longest first; equal ones stay in their order.
static void measure(axes *a, int n, const tn_section_node *nodes, const double *place)
{
    for (int k = 0; k < a->n; k++) {
        a->extent[k] = extent_along(a->axis[k], n, nodes, place);
        for (int j = k; j > 0 && a->extent[j] > a->extent[j - 1] * (1.0 + 1e-9); j--) {
            double extent = a->extent[j], axis[3];
            a->extent[j] = a->extent[j - 1];
            a->extent[j - 1] = extent;
            tn_vec3_copy(axis, a->axis[j]);
            tn_vec3_copy(a->axis[j], a->axis[j - 1]);
            tn_vec3_copy(a->axis[j - 1], axis);
        }
    }
}

static double volume(const axes *a)
{
    return (a->extent[0] + 1e-300) * (a->extent[1] + 1e-300) * (a->extent[2] + 1e-300);
}

// Principal axes of the nodes.
static axes principal_axes(int n, const tn_section_node *nodes, const double *place)
{
    double centre[3] = {0.0}, spread[9] = {0.0}, values[3], vectors[9];
    axes out = {.n = 3};
    for (int i = 0; i < n; i++) {
        tn_vec3_madd(centre, centre, 1.0 / n, place + 3 * (size_t)nodes[i].row);
    }
    for (int i = 0; i < n; i++) {
        double d[3];
        tn_vec3_sub(d, place + 3 * (size_t)nodes[i].row, centre);
        for (int k = 0; k < 9; k++) {
            spread[k] += d[k / 3] * d[k % 3];
        }
    }
    tn_mat3_eigen(spread, values, vectors);
    for (int k = 0; k < 9; k++) {
        out.axis[k / 3][k % 3] = vectors[3 * (k % 3) + k / 3];
    }
    measure(&out, n, nodes, place);
    return out;
}

// The world's axes, or where the box is smaller the principal ones.
static axes choose_axes(int n, const tn_section_node *nodes, const double *place)
{
    axes world = {.n = 3, .axis = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
    measure(&world, n, nodes, place);
    axes own = principal_axes(n, nodes, place);
    return volume(&own) < 0.8 * volume(&world) ? own : world;
}

// Slabs across the longest axis when m cubes are wanted of the box: its length over their edge. Axes along which the
// box is thinner than a cube do not count.
static int slabs(const axes *a, double m)
{
    static const double thin = 0.75;
    double edge = 0.0;
    for (int n = a->n; n > 0; n--) {
        double product = 1.0;
        for (int k = 0; k < n; k++) {
            product *= a->extent[k];
        }
        edge = pow(product / m, 1.0 / n);
        if (n == 1 || (a->extent[n - 1] > 0.0 && a->extent[n - 1] >= thin * edge)) {
            break;
        }
    }
    double count = edge > 0.0 ? a->extent[0] / edge : 1.0;
    return (int)fmax(floor(fmin(count, m) + 0.5), m >= 1.75 && edge > 0.0 ? 2.0 : 1.0);
}

static int compare(const void *a, const void *b)
{
    const tn_section_node *x = a, *y = b;
    return x->at != y->at ? (x->at > y->at) - (x->at < y->at) : (x->row > y->row) - (x->row < y->row);
}

// Where to cut near `wanted`: at the widest gap, those near it preferred.
static int best_cut(const tn_section_node *nodes, int low, int high, double wanted, double reach)
{
    int best = (int)(wanted + 0.5);
    double most = 0.0;
    for (int i = (int)fmax(wanted - reach + 1.0, low + 1.0); i < high && i < wanted + reach; i++) {
        double value = (nodes[i].at - nodes[i - 1].at) * (1.0 - fabs(i - wanted) / reach);
        if (value > most) {
            most = value;
            best = i;
        }
    }
    return best;
}

static void cut(cutting *c, axes a, int n, tn_section_node *nodes)
{
    measure(&a, n, nodes, c->place);
    int n_slabs = a.n > 0 ? slabs(&a, n / c->size) : 1;
    if (n_slabs < 2) {
        for (int i = 0; i < n; i++) {
            c->of_row[nodes[i].row] = c->n;
        }
        c->n++;
        return;
    }
    axes left = {.n = a.n - 1};
    for (int k = 0; k < left.n; k++) {
        tn_vec3_copy(left.axis[k], a.axis[k + 1]);
    }
    for (int i = 0; i < n; i++) {
        nodes[i].at = tn_vec3_dot(a.axis[0], c->place + 3 * (size_t)nodes[i].row);
    }
    qsort(nodes, (size_t)n, sizeof *nodes, compare);
    double reach = 0.5 * n / n_slabs;
    for (int k = 1, first = 0; k <= n_slabs; k++) {
        int end = k < n_slabs ? best_cut(nodes, first, n, (double)k * n / n_slabs, reach) : n;
        if (end > first) {
            cut(c, left, end - first, nodes + first);
            first = end;
        }
    }
}

int tn_sections_cut(int n, tn_section_node *nodes, const double *place, int size, int first, int *of_row)
{
    cutting c = {.place = place, .size = size, .n = first, .of_row = of_row};
    if (n > 0) {
        cut(&c, choose_axes(n, nodes, place), n, nodes);
    }
    return c.n - first;
}
