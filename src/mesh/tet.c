#include "mesh/tet.h"

#include "math/vec3.h"

const int tn_tet_face[4][3] = {{1, 2, 3}, {0, 3, 2}, {0, 1, 3}, {0, 2, 1}};

double tn_tet_volume(const double *nodes, const int tet[4])
{
    const double *x0 = nodes + 3 * (size_t)tet[0];
    double e[3][3], normal[3];
    for (int i = 0; i < 3; i++) {
        tn_vec3_sub(e[i], nodes + 3 * (size_t)tet[i + 1], x0);
    }
    tn_vec3_cross(normal, e[0], e[1]);
    return tn_vec3_dot(normal, e[2]) / 6.0;
}

// Sum and maximum of the six edges' squares.
static double edge_squares(const double *nodes, const int tet[4], double *longest)
{
    double sum = 0.0;
    *longest = 0.0;
    for (int i = 0; i < 4; i++) {
        for (int j = i + 1; j < 4; j++) {
            double e[3];
            tn_vec3_sub(e, nodes + 3 * (size_t)tet[i], nodes + 3 * (size_t)tet[j]);
            double square = tn_vec3_dot(e, e);
            sum += square;
            *longest = fmax(*longest, square);
        }
    }
    return sum;
}

double tn_tet_edge_square(const double *nodes, const int tet[4])
{
    double longest;
    edge_squares(nodes, tet, &longest);
    return longest;
}

double tn_tet_quality(const double *nodes, const int tet[4])
{
    double longest;
    double mean = sqrt(edge_squares(nodes, tet, &longest) / 6.0);
    return 6.0 * sqrt(2.0) * tn_tet_volume(nodes, tet) / (mean * mean * mean);
}

void tn_cell_cut(const int corner[8], int tets[24])
{
    // Paths from corner 0 to corner 7 along the axes, one for each order of axes; odd orders turned to be positive.
    static const int path[6][4] = {{0, 1, 3, 7}, {0, 2, 6, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}, {0, 3, 2, 7}, {0, 6, 4, 7}};
    for (int t = 0; t < 6; t++) {
        for (int i = 0; i < 4; i++) {
            tets[4 * t + i] = corner[path[t][i]];
        }
    }
}
