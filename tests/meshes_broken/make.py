#!/usr/bin/env python3
"""Writes the broken mesh files of this folder: each differs from a good one in one thing.

What each must answer stands in `expected`, one line a file: NAME: [FILE:]LINE: MESSAGE (line 0: no line to name;
FILE where the error is in another file, as TetGen has two).
"""
import os
import struct

here = os.path.dirname(os.path.abspath(__file__))

NODES = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (1, 1, 1)]
TETS = [(0, 1, 2, 3), (1, 2, 3, 4)]


def write(name, content):
    mode = "wb" if isinstance(content, bytes) else "w"
    with open(os.path.join(here, name), mode) as f:
        f.write(content)


def change(text, old, new):
    assert text.count(old) == 1, (old, text.count(old))
    return text.replace(old, new)


def gmsh22(nodes=NODES, tets=TETS, kind=4):
    lines = ["$MeshFormat", "2.2 0 8", "$EndMeshFormat", "$PhysicalNames", "1", '3 1 "body"', "$EndPhysicalNames"]
    lines += ["$Nodes", str(len(nodes))] + [f"{i + 1} {x} {y} {z}" for i, (x, y, z) in enumerate(nodes)] + ["$EndNodes"]
    lines += ["$Elements", str(len(tets))]
    lines += [f"{i + 1} {kind} 2 1 1 " + " ".join(str(n + 1) for n in t) for i, t in enumerate(tets)]
    return "\n".join(lines + ["$EndElements"]) + "\n"


def gmsh41(nodes=NODES, tets=TETS):
    lines = ["$MeshFormat", "4.1 0 8", "$EndMeshFormat", "$PhysicalNames", "1", '3 1 "body"', "$EndPhysicalNames"]
    lines += ["$Entities", "0 0 0 1", "1 0 0 0 1 1 1 1 1 0", "$EndEntities"]
    lines += ["$Nodes", f"1 {len(nodes)} 1 {len(nodes)}", f"3 1 0 {len(nodes)}"]
    lines += [str(i + 1) for i in range(len(nodes))] + [f"{x} {y} {z}" for x, y, z in nodes] + ["$EndNodes"]
    lines += ["$Elements", f"1 {len(tets)} 1 {len(tets)}", f"3 1 4 {len(tets)}"]
    lines += [f"{i + 1} " + " ".join(str(n + 1) for n in t) for i, t in enumerate(tets)]
    return "\n".join(lines + ["$EndElements"]) + "\n"


def gmsh22_binary(one=1, count=5, node=4, follow=2, kind=4):
    out = b"$MeshFormat\n2.2 1 8\n" + struct.pack("<i", one) + b"\n$EndMeshFormat\n"
    out += b"$Nodes\n%d\n" % count
    for i, x in enumerate(NODES):
        out += struct.pack("<i3d", i + 1, *x)
    out += b"\n$EndNodes\n$Elements\n2\n" + struct.pack("<3i", kind, follow, 2)
    out += struct.pack("<7i", 1, 1, 1, 1, 2, 3, node) + struct.pack("<7i", 2, 1, 1, 2, 3, 4, 5)
    return out + b"\n$EndElements\n"


def gmsh41_binary(tag=5, claim=5):
    out = b"$MeshFormat\n4.1 1 8\n" + struct.pack("<i", 1) + b"\n$EndMeshFormat\n$Nodes\n"
    out += struct.pack("<4q", 1, claim, 1, 5) + struct.pack("<3iq", 3, 1, 0, 5)
    out += struct.pack("<5q", 1, 2, 3, 4, tag) + b"".join(struct.pack("<3d", *x) for x in NODES)
    out += b"\n$EndNodes\n$Elements\n" + struct.pack("<4q", 1, 2, 1, 2) + struct.pack("<3iq", 3, 1, 4, 2)
    out += struct.pack("<5q", 1, 1, 2, 3, 4) + struct.pack("<5q", 2, 2, 3, 4, 5)
    return out + b"\n$EndElements\n"


def tetgen_nodes(nodes=NODES, head=None):
    lines = [head or f"{len(nodes)} 3 0 0"] + [f"{i} {x} {y} {z}" for i, (x, y, z) in enumerate(nodes)]
    return "# made by hand\n" + "\n".join(lines) + "\n"


def tetgen_tets(tets=TETS, head=None):
    lines = [head or f"{len(tets)} 4 0"] + [f"{i} " + " ".join(map(str, t)) for i, t in enumerate(tets)]
    return "\n".join(lines) + "\n"


def vtk(kinds="10 10", cells="CELLS 2 10\n4 0 1 2 3\n4 1 2 3 4\n", points="POINTS 5 double\n"):
    text = "# vtk DataFile Version 3.0\na title\nASCII\nDATASET UNSTRUCTURED_GRID\n" + points
    text += "\n".join(f"{x} {y} {z}" for x, y, z in NODES) + "\n" + cells
    return text + f"CELL_TYPES {len(kinds.split())}\n{kinds}\n"


def vtk_binary(bytes_cut=0, count=5, node=4):
    out = b"# vtk DataFile Version 4.2\na title\nBINARY\nDATASET UNSTRUCTURED_GRID\nPOINTS %d double\n" % count
    out += b"".join(struct.pack(">3d", *x) for x in NODES) + b"\nCELLS 2 10\n"
    out += struct.pack(">10i", 4, 0, 1, 2, 3, 4, 1, 2, 3, node) + b"\nCELL_TYPES 2\n" + struct.pack(">2i", 10, 10)
    return out[: len(out) - bytes_cut]


FIVE = "CELLS 3 8\nOFFSETS vtktypeint64\n0 4 8\nCONNECTIVITY vtktypeint64\n0 1 2 3 1 2 3 4\n"

good2, good4 = gmsh22(), gmsh41()

# Any format: what the check finds
write("inverted_flat.msh", gmsh22(nodes=NODES[:4] + [(0.5, 0.5, 0)]))
write("repeated_tet.msh", gmsh22(tets=TETS + [(3, 1, 0, 2)]))
write("corner_twice.msh", gmsh22(tets=[(0, 1, 2, 3), (1, 2, 3, 3)]))
write("face_of_three.msh", gmsh22(nodes=NODES + [(2, 2, 2)], tets=TETS + [(1, 2, 3, 5)]))
write("unmerged_nodes.msh", gmsh22(nodes=NODES + [(1, 0, 0), (0, 1, 0), (0, 0, 1)], tets=[(0, 1, 2, 3), (5, 6, 7, 4)]))
write("all_in_a_plane.msh", gmsh22(nodes=[(x, y, 0) for x, y, _ in NODES]))
write("only_triangles.msh", gmsh22(tets=[(0, 1, 2), (1, 2, 3)], kind=2))

# Gmsh 2.2
write("node_missing.msh", change(good2, "2 4 2 1 1 2 3 4 5", "2 4 2 1 1 2 3 4 6"))
write("node_twice.msh", change(good2, "5 1 1 1", "4 1 1 1"))
write("node_not_a_number.msh", change(good2, "4 0 0 1", "4 0 nan 1"))
write("node_word.msh", change(good2, "4 0 0 1", "4 0 x 1"))
write("node_count_huge.msh", change(good2, "$Nodes\n5", "$Nodes\n2147483647"))
write("node_count_negative.msh", change(good2, "$Nodes\n5", "$Nodes\n-5"))
write("node_count_small.msh", change(good2, "$Nodes\n5", "$Nodes\n4"))
write("element_count_huge.msh", change(good2, "$Elements\n2", "$Elements\n2000000000"))
write("element_count_small.msh", change(good2, "$Elements\n2", "$Elements\n1"))
write("element_count_large.msh", change(good2, "$Elements\n2", "$Elements\n3"))
write("element_unknown.msh", change(good2, "2 4 2 1 1 2", "2 444 2 1 1 2"))
write("hexahedron.msh", change(good2, "2 4 2 1 1 2 3 4 5", "2 5 2 1 1 1 2 3 4 5 1 2 3"))
write("second_order.msh", change(good2, "2 4 2 1 1 2 3 4 5", "2 11 2 1 1 1 2 3 4 5 1 2 3 4 5"))
write("file_ends.msh", good2[: good2.index("2 4 2 1 1") + 8])
write("no_format.msh", good2[good2.index("$PhysicalNames"):])
write("name_without_quotes.msh", change(good2, '"body"', "body"))
write("section_open.msh", good2 + "$NodeData\n1\n")
write("elements_first.msh", change(good2, good2[good2.index("$Nodes"):], good2[good2.index("$Elements"):]))
write("version_4.0.msh", change(good2, "2.2 0 8", "4 0 8"))
write("version_1.msh", "$NOD\n1\n1 0 0 0\n$ENDNOD\n")
write("empty.msh", "")
write("binary_zeros.msh", b"\0" * 100)
write("one_is_two.msh", gmsh22_binary(one=2))
write("binary_nodes_huge.msh", gmsh22_binary(count=2000000000))
write("binary_node_missing.msh", gmsh22_binary(node=99))
write("binary_block_large.msh", gmsh22_binary(follow=1000000))
write("binary_hexahedra.msh", gmsh22_binary(kind=5))
write("binary_ends.msh", gmsh22_binary()[:-60])

# Gmsh 4.1
write("blocks_short_4.msh", change(good4, "$Nodes\n1 5 1 5", "$Nodes\n1 6 1 6"))
write("block_long_4.msh", change(good4, "3 1 0 5", "3 1 0 6"))
write("dimension_4.msh", change(good4, "3 1 0 5", "7 1 0 5"))
write("node_twice_4.msh", gmsh41_binary(tag=4))
write("count_negative_4.msh", gmsh41_binary(claim=-1))
write("count_huge_4.msh", gmsh41_binary(claim=2**40))
write("nodes_twice_4.msh", good4 + good4[good4.index("$Nodes"):good4.index("$Elements")])

# TetGen
write("plane.node", tetgen_nodes(head="5 2 0 0"))
write("plane.ele", tetgen_tets())
write("index.node", tetgen_nodes())
write("index.ele", tetgen_tets(tets=[(0, 1, 2, 3), (1, 2, 3, 5)]))
write("order.node", tetgen_nodes())
write("order.ele", tetgen_tets(head="2 10 0"))
write("short.node", tetgen_nodes(head="6 3 0 0"))
write("short.ele", tetgen_tets())
write("huge.node", tetgen_nodes())
write("huge.ele", tetgen_tets(head="2000000000 4 0"))
write("attribute.node", tetgen_nodes(head="5 3 1 0"))
write("attribute.ele", tetgen_tets())

# VTK
write("wedge.vtk", vtk(kinds="10 13"))
write("quadratic.vtk", vtk(kinds="10 24"))
write("types_short.vtk", vtk(kinds="10"))
write("types_missing.vtk", vtk()[: vtk().index("CELL_TYPES")])
write("cell_index.vtk", vtk(cells="CELLS 2 10\n4 0 1 2 3\n4 1 2 3 5\n"))
write("cell_negative.vtk", vtk(cells="CELLS 2 10\n4 0 1 2 3\n4 1 2 3 -1\n"))
write("cell_long.vtk", vtk(cells="CELLS 2 10\n4 0 1 2 3\n9 1 2 3 4\n"))
write("cells_huge.vtk", vtk(cells="CELLS 2000000000 2000000000\n4 0 1 2 3\n4 1 2 3 4\n"))
write("points_int.vtk", vtk(points="POINTS 5 int\n"))
write("points_few.vtk", vtk(points="POINTS 6 double\n"))
write("polydata.vtk", change(vtk(), "UNSTRUCTURED_GRID", "POLYDATA"))
write("version_9.vtk", change(vtk(), "3.0", "9.0"))
write("word.vtk", change(vtk(), "CELLS", "SELLS"))
write("offsets.vtk", vtk(cells=change(FIVE, "0 4 8", "0 9 8")))
write("offsets_last.vtk", vtk(cells=change(FIVE, "0 4 8", "0 4 7")))
write("connectivity.vtk", vtk(cells=change(FIVE, "CONNECTIVITY", "CONNECTED")))
write("binary_ends.vtk", vtk_binary(bytes_cut=30))
write("binary_points.vtk", vtk_binary(count=2000000000))
write("binary_index.vtk", vtk_binary(node=2**30))
write("other_format.stl", "solid cube\nendsolid cube\n")
write("xml.vtk", '<VTKFile type="UnstructuredGrid" version="0.1">\n</VTKFile>\n')
