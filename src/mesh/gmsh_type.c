// Element types of Gmsh (https://gmsh.info/doc/texinfo/gmsh.html, "MSH file format").
#include "mesh/gmsh.h"

static const tn_gmsh_type types[] = {
    {1, 2, 1, 1, "lines"},        {2, 3, 2, 1, "triangles"},     {3, 4, 2, 1, "quadrangles"},
    {4, 4, 3, 1, "tetrahedra"},   {5, 8, 3, 1, "hexahedra"},     {6, 6, 3, 1, "prisms"},
    {7, 5, 3, 1, "pyramids"},     {8, 3, 1, 2, "lines"},         {9, 6, 2, 2, "triangles"},
    {10, 9, 2, 2, "quadrangles"}, {11, 10, 3, 2, "tetrahedra"},  {12, 27, 3, 2, "hexahedra"},
    {13, 18, 3, 2, "prisms"},     {14, 14, 3, 2, "pyramids"},    {15, 1, 0, 1, "points"},
    {16, 8, 2, 2, "quadrangles"}, {17, 20, 3, 2, "hexahedra"},   {18, 15, 3, 2, "prisms"},
    {19, 13, 3, 2, "pyramids"},   {20, 9, 2, 3, "triangles"},    {21, 10, 2, 3, "triangles"},
    {22, 12, 2, 4, "triangles"},  {23, 15, 2, 4, "triangles"},   {24, 15, 2, 5, "triangles"},
    {25, 21, 2, 5, "triangles"},  {26, 4, 1, 3, "lines"},        {27, 5, 1, 4, "lines"},
    {28, 6, 1, 5, "lines"},       {29, 20, 3, 3, "tetrahedra"},  {30, 35, 3, 4, "tetrahedra"},
    {31, 56, 3, 5, "tetrahedra"}, {36, 16, 2, 3, "quadrangles"}, {37, 25, 2, 4, "quadrangles"},
    {92, 64, 3, 3, "hexahedra"},  {93, 125, 3, 4, "hexahedra"},
};

const tn_gmsh_type *tn_gmsh_type_find(int64_t type)
{
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        if (types[i].type == type) {
            return &types[i];
        }
    }
    return NULL;
}

bool tn_gmsh_type_check(const tn_source *source, const tn_gmsh_type *type, int64_t number)
{
    if (!type) {
        return tn_source_fail(source, "element type %lld is not known", (long long)number);
    }
    if (type->dimension == 3 && type->type != TN_GMSH_TET) {
        return type->order > 1
                   ? tn_source_fail(source,
                                    "%s of order %d (%d nodes): only tetrahedra of four nodes are read; mesh with "
                                    "Mesh.ElementOrder = 1",
                                    type->name, type->order, type->n_nodes)
                   : tn_source_fail(source,
                                    "%s: only tetrahedra are read; mesh without recombination or extrusion "
                                    "in layers",
                                    type->name);
    }
    return true;
}
