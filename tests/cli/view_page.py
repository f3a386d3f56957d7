"""Unpacks the recording inside an exported page by docs alone (src/view/pack.h) and compares it with the HDF5 file."""
import base64, gzip, json, re, struct, sys

import h5py
import numpy as np

page, recording = sys.argv[1:3]
html = open(page, encoding="utf-8").read()
body = re.search(r'<script id="tenon-recording"[^>]*>([^<]*)</script>', html).group(1)
data = gzip.decompress(base64.b64decode(body))
(length,) = struct.unpack_from("<I", data)
header = json.loads(data[4 : 4 + length])
start = 4 + length
tables = {t["name"]: t for t in header["tables"]}
packed = {t["name"]: t for t in header["packed"]}


def table(name):
    info, how = tables[name], packed[name]
    shape, at = (info["rows"], info["width"]), start + how["at"]
    if "period" not in how:
        kind = {"float32": "<f4", "float64": "<f8", "uint32": "<u4"}[info["type"]]
        return np.frombuffer(data, kind, shape[0] * shape[1], at).reshape(shape)
    planes = np.frombuffer(data, "u1", 2 * shape[0] * shape[1], at).reshape(shape[0], 2, shape[1]).astype(np.int64)
    zigzag = planes[:, 0] * 256 + planes[:, 1]
    q = (zigzag >> 1) ^ -(zigzag & 1)
    if how["delta"]:
        q = np.cumsum(q, axis=0)
    q = ((q + 32768) & 0xFFFF) - 32768
    p = np.arange(shape[1]) % how["period"]
    out = np.array(how["offset"])[p] + np.array(how["scale"])[p] * q
    return np.where(q == -32768, np.nan, out)


failed = 0


def check(what, got, wanted, limit):
    global failed
    error = float(np.nanmax(np.abs(got - wanted))) if wanted.size else 0.0
    ok = got.shape == wanted.shape and error <= limit
    failed += not ok
    print(f"{'ok' if ok else 'FAILED'}: {what}: off by {error:.3g}, limit {limit:.3g}, shape {got.shape}")


def turn(q, v):
    w, u = q[..., :1], q[..., 1:]
    return v + 2 * (w * np.cross(u, v) + np.cross(u, np.cross(u, v)))


def check_joints(f, n):
    """Drawn in a body with a pose, where both sides have their place of it."""
    rigid = header["rigid"]
    for j, (drawn, pair) in enumerate(zip(header["joints"], f["joints/bodies"][:])):
        places = {}
        for side, name in enumerate(["joints/frame", "joints/frame_b"]):
            if pair[side] < rigid:
                pose, own = f["poses"][:n, pair[side]], f[name][j]
                places[int(pair[side])] = own[:3], pose[:, :3] + turn(pose[:, 3:], np.broadcast_to(own[:3], (n, 3)))
        where = [p for _, p in places.values()]
        if drawn["type"] == "rolling":  # its place on what it rolls on is left behind
            check(f"joint {j} is at the ball", np.array(drawn["body"]), np.array(pair[1]), 0)
        elif drawn["type"] != "prismatic":  # which slides
            check(f"sides of joint {j} meet [m]", where[0], where[-1], 1e-3)
        check(f"joint {j} in its body's frame", np.array(drawn["position"]), places[drawn["body"]][0], 0)


with h5py.File(recording, "r") as f:
    n = len(f["time"])
    rigid = header["rigid"]
    check("time", table("time")[:, 0], f["time"][:n], 0.0)
    poses = f["poses"][:n, :rigid].reshape(n, -1)
    steps = np.maximum(np.tile(packed["poses"]["scale"], rigid), 1e-6)  # floats of 32 bits are no finer
    check("poses, in steps of 16 bits", table("poses") / steps, poses / steps, 0.51)
    if "soft" in f:
        nodes = f["soft/positions"][:n].reshape(n, -1)
        check("nodes [m]", table("nodes"), nodes, 0.51 * max(packed["nodes"]["scale"]) + 1e-7 * np.abs(nodes).max())
        check("faces", table("faces"), f["soft/faces"][:], 0)
        stress = table("stress")
        failed += not (np.all(np.isfinite(stress)) and stress.max() > 0)
    if "joints" in f:
        wanted = f["joints/force"][:n].reshape(n, -1)  # each of these scenes' joints has a rigid side
        check_joints(f, n)
        scale = max(packed["joint_forces"]["scale"])
        check("forces of joints [N]", table("joint_forces"), wanted, 0.51 * scale + 1e-6 * np.nanmax(np.abs(wanted)))
        shapes = list(zip(f["shapes/body"][:], f["shapes/collides"][:]))
        failed += [b for b, _ in shapes] != [s["body"] for s in header["shapes"]] or all(c for _, c in shapes)
    offset = table("contact_offset")[:, 0]
    check("contacts a frame", offset, f["contacts/offset"][: n + 1], 0)
    contacts = table("contacts")
    count = offset[-1]
    check("bodies of contacts", contacts[:, :2], f["contacts/bodies"][:count], 0)
    force = f["contacts/force"][:count]
    scale = max(packed["contacts"]["scale"][8:11]) if count else 0
    check("forces [N]", contacts[:, 8:11], force, 0.51 * scale + 1e-6 * (np.abs(force).max() if count else 0))
    patches = table("patches")
    if "contacts/patch" in f:
        wanted = f["contacts/patch"][:count].reshape(-1, 6)
        check("edges of elements [m]", patches, wanted, 0.51 * max(packed["patches"]["scale"]) + 1e-7)
        zero = ~wanted.any(axis=1)
        failed += bool(patches[zero].any()) or not patches[~zero].any()
    else:
        failed += patches.size > 0
    ahead = table("ahead")
    if "plan/poses" in f:
        wanted = f["plan/poses"][:n].reshape(n, -1)
        failed += not np.array_equal(np.isnan(ahead), np.isnan(wanted)) or not np.isfinite(ahead).any()
        steps = np.maximum(np.tile(packed["ahead"]["scale"], wanted.shape[1] // 7), 1e-6)
        check("poses ahead, in steps of 16 bits", ahead / steps, wanted / steps, 0.51)
    else:
        failed += ahead.size > 0
    for k, series in enumerate(header["series"]):
        wanted = np.asarray(f[series["name"]][:n], dtype="f4")
        got = table("series")[:, k]
        same = np.array_equal(got, wanted, equal_nan=True)
        failed += not same
        if not same:
            print("FAILED: series", series["name"])
sys.exit(1 if failed else 0)
