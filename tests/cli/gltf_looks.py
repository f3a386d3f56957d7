"""gltf_looks.py F.glb: colours, checker and materials of the scene of view.sh have arrived."""
import json
import struct
import sys
import zlib

import numpy as np

with open(sys.argv[1], "rb") as file:
    whole = file.read()
(n,) = struct.unpack_from("<I", whole, 12)
scene = json.loads(whole[20:20 + n])
numbers = whole[28 + n:]


def accessor(index):
    a = scene["accessors"][index]
    width = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4}[a["type"]]
    kind = np.float32 if a["componentType"] == 5126 else np.uint32
    flat = np.frombuffer(numbers, kind, a["count"] * width, scene["bufferViews"][a["bufferView"]]["byteOffset"])
    return flat.reshape(a["count"], width)


def primitives(name):
    """What is seen of a body: pairs of a primitive and its material."""
    node = next(node for node in scene["nodes"] if node.get("name") == name)
    nodes = [node] + [scene["nodes"][k] for k in node.get("children", [])]
    shown = [scene["meshes"][node["mesh"]]["primitives"][0] for node in nodes if "mesh" in node]
    return [(p, scene["materials"][p["material"]]["pbrMetallicRoughness"]) for p in shown]


def light(screen):
    x = np.array(screen)
    return np.where(x <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** 2.4)


wanted = {"red": [0.8, 0.1, 0.1], "steel": [0.3, 0.4, 0.5], "dressed": [0, 0.5, 1], "jelly": [0.1, 0.7, 0.2]}
for name, rgb in wanted.items():
    shown = primitives(name)
    assert len(shown) == 1, (name, shown)
    look = shown[0][1]
    assert np.allclose(look["baseColorFactor"], [*light(rgb), 1], atol=1e-6), (name, look)
    assert look["metallicFactor"] == 0 and 0 < look["roughnessFactor"] < 1
    assert ("baseColorTexture" in look) == (name == "red")
assert len(primitives("plain")) == 1 and primitives("plain")[0][1]["baseColorFactor"] != primitives("red")[0][1]["baseColorFactor"]
assert len({json.dumps(m) for m in scene["materials"]}) == len(scene["materials"]), "each look once"

# The texture: two squares of full light and two of half of it, not smoothed, repeated.
assert primitives("red")[0][1]["baseColorTexture"] == {"index": 0}
texture = scene["textures"][0]
image = scene["images"][texture["source"]]
assert image["mimeType"] == "image/png"
view = scene["bufferViews"][image["bufferView"]]
image = numbers[view["byteOffset"]:][:view["byteLength"]]
assert image[:4] == b"\x89PNG"
at = image.index(b"IDAT")
rows = np.frombuffer(zlib.decompress(image[at + 4:]), np.uint8).reshape(2, 7)[:, 1:]
texels = light(np.cumsum(rows, axis=0, dtype=np.uint8).reshape(2, 2, 3)[:, :, 0] / 255)
assert np.allclose(texels, [[1, 0.5], [0.5, 1]], atol=0.01), texels
sampler = scene["samplers"][texture["sampler"]]
assert sampler == {"magFilter": 9728, "minFilter": 9728, "wrapS": 10497, "wrapT": 10497}

# On every face of the box squares of half its half edge, light about the middle of the face, as the viewer draws them.
primitive = primitives("red")[0][0]
place = accessor(primitive["attributes"]["TEXCOORD_0"])
corner = accessor(primitive["attributes"]["POSITION"])
index = accessor(primitive["indices"])[:, 0].reshape(-1, 3)
assert len(index) == 12 and len(place) == len(corner)
cell = 0.5 * corner.max()
for triangle in index:
    x, uv = corner[triangle].astype(float), place[triangle].astype(float)
    across = int(np.argmax(np.abs(np.cross(x[1] - x[0], x[2] - x[0]))))
    for part in np.random.default_rng(1).dirichlet([1, 1, 1], 50):
        p, (u, v) = part @ x, part @ uv
        dark = int(np.floor(2 * u) + np.floor(2 * v)) % 2
        wave = np.prod([np.cos(np.pi * p[k] / cell) for k in range(3) if k != across])
        assert abs(wave) < 1e-3 or dark == (wave < 0), (p, u, v)
assert all("TEXCOORD_0" not in p["attributes"] for p, _ in primitives("plain"))
