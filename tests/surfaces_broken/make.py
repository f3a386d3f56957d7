"""Writes the broken OBJ and STL files of this folder. Their messages are in `expected`, one line a file."""

import pathlib
import struct

FOLDER = pathlib.Path(__file__).parent
POINTS = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
FACES = [(0, 2, 1), (0, 1, 3), (1, 2, 3), (2, 0, 3)]


def write(name, data):
    (FOLDER / name).write_bytes(data if isinstance(data, bytes) else data.encode())


def obj(vertices=None, faces=None, head=""):
    vertices = vertices or "".join(f"v {x} {y} {z}\n" for x, y, z in POINTS)
    faces = faces or "".join(f"f {a + 1} {b + 1} {c + 1}\n" for a, b, c in FACES)
    return head + vertices + faces


def change(text, old, new):
    assert old in text
    return text.replace(old, new, 1)


def ascii_stl(faces=FACES):
    text = "solid tetrahedron\n"
    for face in faces:
        text += " facet normal 0 0 0\n  outer loop\n"
        text += "".join("   vertex {} {} {}\n".format(*POINTS[i]) for i in face)
        text += "  endloop\n endfacet\n"
    return text + "endsolid tetrahedron\n"


def binary_stl(count=None, faces=FACES, last=None):
    data = b"binary".ljust(80, b"\0") + struct.pack("<I", len(faces) if count is None else count)
    for face in faces:
        data += struct.pack("<3f", 0, 0, 0)
        for i in face:
            data += struct.pack("<3f", *POINTS[i])
        data += struct.pack("<H", 0)
    return data[:last]


# OBJ
write("coordinates_two.obj", change(obj(), "v 0 1 0", "v 0 1"))
write("coordinate_word.obj", change(obj(), "v 0 1 0", "v 0 one 0"))
write("coordinate_nan.obj", change(obj(), "v 0 1 0", "v 0 nan 0"))
write("coordinate_huge.obj", change(obj(), "v 0 1 0", "v 0 1e999 0"))
write("coordinate_far.obj", change(obj(), "v 0 1 0", "v 0 1e200 0"))
write("coordinates_many.obj", change(obj(), "v 0 1 0", "v 0 1 0 1 1 1 1 1"))
write("index_zero.obj", change(obj(), "f 1 3 2", "f 0 3 2"))
write("index_large.obj", change(obj(), "f 1 3 2", "f 1 3 5"))
write("index_negative.obj", change(obj(), "f 1 3 2", "f -1 -3 -5"))
write("index_early.obj", obj(vertices="v 0 0 0\nf 1 2 3\nv 1 0 0\nv 0 1 0\n", faces="f 1 2 3\n"))
write("index_word.obj", change(obj(), "f 1 3 2", "f 1 3 two"))
write("index_fraction.obj", change(obj(), "f 1 3 2", "f 1 3 2.5"))
write("index_empty.obj", change(obj(), "f 1 3 2", "f 1 3 /2"))
write("index_long.obj", change(obj(), "f 1 3 2", "f 1 3 99999999999999999999"))
write("face_of_two.obj", change(obj(), "f 1 3 2", "f 1 3"))
write("face_empty.obj", change(obj(), "f 1 3 2", "f"))
write("vertex_twice.obj", change(obj(), "f 1 3 2", "f 1 3 3"))
write("first_twice.obj", change(obj(), "f 1 3 2", "f 1 3 2 1"))
write("statement.obj", obj(head="vertex 0 0 0\n"))
write("binary.obj", b"\x00\x01\x02\xff\n")
write("curve.obj", obj(head="cstype bezier\n"))
write("continued.obj", change(obj(), "f 1 3 2", "f 1 3 \\\n9"))
write("empty.obj", "# nothing\n")
write("one_place.obj", obj(vertices="v 1 1 1\n" * 4))
write("no_obj.ply", "ply\n")

# STL
write("empty.stl", "")
write("short.stl", b"binary")
write("no_triangles.stl", "solid a\nendsolid a\n")
write("ends_solid.stl", change(ascii_stl(), "endsolid tetrahedron\n", ""))
write("ends_vertex.stl", ascii_stl()[:70])
write("word.stl", change(ascii_stl(), "outer", "inner"))
write("loop_of_four.stl", change(ascii_stl(), "  endloop", "   vertex 1 1 1\n  endloop"))
write("loop_of_two.stl", change(ascii_stl(), "   vertex 0 1 0\n", ""))
write("number.stl", change(ascii_stl(), "vertex 0 1 0", "vertex 0 l 0"))
write("between.stl", change(ascii_stl(), "endfacet\n", "endfacet\n bridge\n"))
write("behind.stl", ascii_stl() + "and more\n")
write("binary_short.stl", binary_stl(last=-3))
write("binary_solid.stl", b"solid" + binary_stl(last=-3)[5:])
write("binary_huge.stl", binary_stl(count=4000000000))
write("binary_none.stl", binary_stl(faces=[]))
write("binary_infinite.stl", change(binary_stl().decode("latin1"), "\x80?", "\x80\x7f").encode("latin1"))
