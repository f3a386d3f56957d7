"""Compares a report's data block with the recordings: report_page.py PAGE F.h5... [stopped|killed]."""
import base64, json, math, re, struct, sys, zlib

import h5py
import numpy as np

page, *files = sys.argv[1:]
ended = files.pop() if files[-1] in ("stopped", "killed") else None
html = open(page, encoding="utf-8").read()
assert html.lstrip().lower().startswith("<!doctype html") and not re.search(r"""(src|href)=["'](https?:)?//""", html), "self-contained"
blocks = re.findall(r'<script id="tenon-report" type="application/json">(.*?)</script>', html, re.S)
assert len(blocks) == 1 and "<" not in blocks[0]
block = json.loads(blocks[0])
assert block["format"] == "tenon report" and len(block["recordings"]) == len(files)


def open_recording(path):
    try:
        return h5py.File(path, "r")
    except OSError:  # killed in the middle of a flush
        return h5py.File(path, "r", swmr=True, libver="latest")


def values_of(f, n, name):
    """The quantity at each of n frames, NaN where there is none; from docs/recording.md alone."""
    names = [b.decode() for b in f["bodies/name"]]
    part = name.rpartition("/")
    if name == "energy/total":
        v = sum(f["energy/" + e][:n] for e in ("kinetic", "gravity", "elastic"))
    elif name == "contacts":
        v = np.diff(f["contacts/offset"][: n + 1]).astype(float)
    elif name.startswith("strain energy/"):
        v = f["soft/energy"][:n, names.index(part[2]) - (len(names) - len(f["soft/body"]))]
    elif name.startswith("joint/"):
        joint, coordinate = part[2].rsplit(" ", 1)
        j = [b.decode() for b in f["joints/name"]].index(joint)
        first, end = f["joints/first_coordinate"][j : j + 2]
        k = [b.decode() for b in f["joints/coordinate_name"]][first:end].index(coordinate)
        v = f["joints/coordinate"][:n, first + k]
    elif name in f:
        v = f[name][:n].astype(float)
    else:
        v = f[part[0]][:n, "xyz".index(part[2])]
    v = np.array(v, float)
    if name in ("contacts", "iterations", "tolerances_held", "energy/balance") or part[0] in ("certificate", "timings"):
        v[0] = math.nan  # of steps
    return v


def near(a, b, relative=1e-12):
    return a == b or (a is not None and abs(a - b) <= relative * max(abs(a), abs(b)))


def check_statistics(name, s, v, step, time):
    good = np.isfinite(v)
    w = v[good]
    assert s["n"] == len(w), (name, s["n"], len(w))
    if len(w) == 0:
        assert s["median"] is None and "worst_step" not in s, name
        return
    expected = {
        "median": np.median(w), "max": w.max(), "mean": w.mean(), "sum": w.sum(), "first": w[0], "last": w[-1],
        "p95": np.sort(w)[math.ceil(0.95 * len(w) - 1e-9) - 1],
    }
    for key, value in expected.items():
        scale = np.abs(w).max() * (len(w) if key == "sum" else 1) + 1e-300
        assert abs(s[key] - value) <= 1e-12 * scale, (name, key, s[key], value)
    worst = np.flatnonzero(v == w.max())[0]
    assert s["worst_step"] == step[worst] and s["worst_time"] == time[worst], name


def check_curve(name, points, v, bucket):
    shown = np.array([math.nan if p is None else p for p in points], float)
    if bucket == 1:
        wanted = v
    else:
        wanted = np.full(len(points), math.nan)
        for k in range(0, len(v), bucket):
            w = v[k : k + bucket][np.isfinite(v[k : k + bucket])]
            if len(w):
                i = 2 * (k // bucket)
                wanted[i : i + 2] = sorted((w.min(), w.max()))
                shown[i : i + 2] = np.sort(shown[i : i + 2])
    wanted = np.where(np.isfinite(wanted), wanted, math.nan)
    assert len(shown) == len(wanted), name
    assert np.allclose(shown, wanted, rtol=1e-6, atol=0, equal_nan=True), name


def decode(address):
    """The picture of a data: address as an array (height, width, 3); PNG without interlacing, rows less those above."""
    file = base64.b64decode(re.fullmatch("data:image/png;base64,(.*)", address).group(1), validate=True)
    assert file[:8] == b"\x89PNG\r\n\x1a\n"
    at, chunks = 8, {}
    while at < len(file):
        (n,) = struct.unpack_from(">I", file, at)
        name, body = file[at + 4 : at + 8], file[at + 8 : at + 8 + n]
        assert struct.unpack_from(">I", file, at + 8 + n)[0] == zlib.crc32(name + body), name
        chunks[name] = body
        at += 12 + n
    width, height, *kind = struct.unpack(">IIBBBBB", chunks[b"IHDR"])
    assert kind == [8, 2, 0, 0, 0] and b"IEND" in chunks
    rows = np.frombuffer(zlib.decompress(chunks[b"IDAT"]), np.uint8).reshape(height, 3 * width + 1)
    assert (rows[:, 0] == 2).all()
    return np.cumsum(rows[:, 1:], axis=0, dtype=np.uint8).reshape(height, width, 3)


def check_pictures(r, f, time):
    last = len(time) - 1
    frames = sorted({0, last // 2, last})
    assert [p["time"] for p in r["pictures"]] == [time[k] for k in frames]
    pictures = [decode(p["image"]).astype(int) for p in r["pictures"]]
    for p in pictures:
        assert p.shape == (400, 640, 3)
        colour = np.ptp(p, axis=2) > 60  # bodies; ground and sky are grey
        assert 0.002 < colour.mean() < 0.9, colour.mean()
    moved = not np.allclose(f["poses"][0], f["poses"][last], atol=1e-3)
    assert moved == bool((abs(pictures[0] - pictures[-1]).max(axis=2) > 60).mean() > 1e-3), "pictures move as bodies do"


total = 0
for path, r in zip(files, block["recordings"]):
    f = open_recording(path)
    n = r["frames"]
    assert 1 < n <= len(f["time"]) and (ended or n == len(f["time"])), (n, len(f["time"]))
    step, time = f["step"][:n], f["time"][:n]
    text = lambda key: f.attrs[key].decode()
    assert r["file"] == path
    for key in ("title", "solver", "law", "scheme", "scene_path", "machine"):
        assert r[key] == text(key), key
    assert r["tenon"] == text("version") and r["step"] == f.attrs["step"] and r["dof"] == f.attrs["dof"]
    assert r["threads"] == f.attrs["threads"] and r["planned_time"] == f.attrs["planned_time"]
    assert r["last_time"] == time[-1] and r["last_step"] == step[-1] and r["scene"] == f["scene"][()].decode()
    kinds = list(f["bodies/kind"][1:])
    assert [r["bodies"][k] for k in ("free", "fixed", "kinematic", "soft")] == [kinds.count(k) for k in range(4)]
    if ended:
        assert r["planned_time"] == 100000 and r["last_time"] < 1000
        assert r["outcome"] == {"stopped": "interrupted", "killed": None}[ended], r["outcome"]
    else:
        assert r["outcome"] == "done" and near(r["planned_time"], r["last_time"], 1e-9)
    check_pictures(r, f, time)
    names = [s["name"] for s in r["series"]]
    assert len(set(names)) == len(names) and ("contacts" in names) == bool(f.attrs["contacts"])
    columns = [g + "/" + k for g in ("certificate", "timings", "energy") for k in f[g]]
    if "joints" in f:
        assert r["joints"] == len(f["joints/name"]) and sum(k.startswith("joint/") for k in names) == len(f["joints/coordinate_name"]) > 0
    missing = set(columns + ["iterations", "momentum/x", "angular_momentum/z", "energy/total"]) - set(names)
    assert not missing, missing
    for s in r["series"]:
        v = values_of(f, n, s["name"])
        assert len(s["values"]) == len(r["time"])
        check_statistics(s["name"], s["statistics"], v, step, time)
        check_curve(s["name"], s["values"], v, r["bucket"])
        total += 1
print(f"{total} quantities of {len(files)} recordings agree")
