"""gltf_file.py F.glb F.h5: the file's animation is what the recording holds."""
import json
import struct
import sys

import h5py
import numpy as np

with open(sys.argv[1], "rb") as file:
    whole = file.read()
magic, version, length = struct.unpack_from("<4sII", whole)
assert (magic, version, length) == (b"glTF", 2, len(whole)), "header"
n, kind = struct.unpack_from("<I4s", whole, 12)
assert kind == b"JSON" and n % 4 == 0
scene = json.loads(whole[20:20 + n])
size, kind = struct.unpack_from("<I4s", whole, 20 + n)
assert kind == b"BIN\0" and size == scene["buffers"][0]["byteLength"]
numbers = whole[28 + n:]


def accessor(index):
    a = scene["accessors"][index]
    width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4}[a["type"]]
    view = scene["bufferViews"][a["bufferView"]]
    kind = np.float32 if a["componentType"] == 5126 else np.uint32
    flat = np.frombuffer(numbers, kind, a["count"] * width, view["byteOffset"])
    return flat.reshape(a["count"], width)


def output(name, path):
    node = [k for k, node in enumerate(scene["nodes"]) if node.get("name") == name][0]
    animation = scene["animations"][0]
    channel = [c for c in animation["channels"] if c["target"] == {"node": node, "path": path}][0]
    sampler = animation["samplers"][channel["sampler"]]
    return node, accessor(sampler["input"])[:, 0], accessor(sampler["output"])


with h5py.File(sys.argv[2]) as f:
    time = f["time"][:]
    names = [s.decode() if isinstance(s, bytes) else s for s in f["bodies/name"][:]]
    poses = f["poses"][:].reshape(len(time), -1, 7)
    nodes = f["soft/positions"][:].reshape(len(time), -1, 3)

_, when, translation = output("box", "translation")
_, _, rotation = output("box", "rotation")
assert np.allclose(when, time - time[0], atol=1e-6)
pose = poses[:, names.index("box")]
assert np.allclose(translation, pose[:, :3], atol=1e-6), "places"
assert np.allclose(rotation, pose[:, [4, 5, 6, 3]], atol=1e-6), "quaternions"

node, _, weights = output("mat", "weights")
primitive = scene["meshes"][scene["nodes"][node]["mesh"]]["primitives"][0]
targets = primitive["targets"]
weights = weights.reshape(len(time), len(targets))
base = accessor(primitive["attributes"]["POSITION"])
last = base + sum(w * accessor(t["POSITION"]) for w, t in zip(weights[-1], targets) if w)
for shape, at in ((base, 0), (last, -1)):
    far = np.abs(shape[:, None] - nodes[at][None]).max(axis=2).min(axis=1)
    assert far.max() < 1e-6, ("a vertex is no node", far.max())
