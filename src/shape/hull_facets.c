// qhull (Barber, Dobkin and Huhdanpaa 1996) kept silent, its jumps turned into a result.
#include "shape/hull_facets.h"

#include "base/memory.h"

#include <libqhull_r/qhull_ra.h>

#include <setjmp.h>
#include <stdio.h>
#include <string.h>

void tn_hull_facets_free(tn_hull_facets *facets)
{
    tn_free(facets->start);
    tn_free(facets->corner);
    *facets = (tn_hull_facets){0};
}

// Reads the facets; qhull's errors come back as jumps, so what changes lives behind the pointers.
static bool read_facets(qhT *qh, tn_hull_facets *out)
{
    facetT *facet;
    vertexT *vertex, **vertexp;
    int faces = 0, corners = 0;
    FORALLfacets
    {
        faces++;
        corners += 2 * qh_setsize(qh, facet->vertices) + 1;
    }
    out->start = tn_malloc(((size_t)faces + 1) * sizeof *out->start);
    out->corner = tn_malloc((size_t)corners * sizeof *out->corner);
    if (!out->start || !out->corner) {
        return false;
    }
    out->start[0] = 0;
    FORALLfacets
    {
        setT *vertices = qh_facet3vertex(qh, facet);
        FOREACHvertex_(vertices)
        {
            if (out->n_corners < corners) {
                out->corner[out->n_corners++] = qh_pointid(qh, vertex->point);
            }
        }
        qh_settempfree(qh, &vertices);
        out->start[++out->n_faces] = out->n_corners;
    }
    return true;
}

// qhull's errors jump back to here.
static bool try_read(qhT *qh, tn_hull_facets *out)
{
    bool good = false;
    if (setjmp(qh->errexit) == 0) {
        qh->NOerrexit = False;
        good = read_facets(qh, out);
    } else {
        good = false;
    }
    qh->NOerrexit = True;
    return good;
}

// Runs qhull with the options; true where it had no complaint. points are not changed.
static bool run_qhull(int n, const double *points, char *options, tn_hull_facets *out)
{
    FILE *nowhere = fopen("/dev/null", "w"); // qhull wants somewhere to print
    qhT *qh = tn_calloc(1, sizeof *qh);
    double *copy = tn_malloc(3 * (size_t)n * sizeof *copy);
    bool good = false;
    if (nowhere && qh && copy) {
        int long_left, short_left;
        memcpy(copy, points, 3 * (size_t)n * sizeof *copy);
        qh_zero(qh, nowhere);
        good = qh_new_qhull(qh, 3, n, copy, False, options, nowhere, nowhere) == 0 && try_read(qh, out);
        qh_freeqhull(qh, !qh_ALL);
        qh_memfreeshort(qh, &long_left, &short_left);
    }
    if (nowhere) {
        fclose(nowhere);
    }
    tn_free(copy);
    tn_free(qh);
    return good;
}

bool tn_hull_facets_find(int n, const double *points, double tolerance, bool triangles, tn_hull_facets *out)
{
    char options[64] = "qhull Qt";
    *out = (tn_hull_facets){0};
    if (!triangles && tolerance > 0.0) {
        snprintf(options, sizeof options, "qhull C-%.3e", tolerance);
    } else if (!triangles) {
        snprintf(options, sizeof options, "qhull");
    }
    if (!run_qhull(n, points, options, out)) {
        tn_hull_facets_free(out);
        return false;
    }
    return true;
}
